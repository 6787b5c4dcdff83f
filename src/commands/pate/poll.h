/* commands/pate/poll.h: the votes of an ensemble, and pseudo-labels of a student. */
#ifndef SOT_COMMANDS_PATE_POLL_H
#define SOT_COMMANDS_PATE_POLL_H

#include <stddef.h>
#include <stdint.h>

/* Counts the teachers that vote for each class: said[teacher * queries + query] is a class. A
 * teacher has one vote per query: a change of one teacher moves one vote from a class to another.
 * out_votes is queries x classes. */
void sot_pate_count_votes(const uint16_t *said, size_t teachers, size_t queries,
                          size_t classes, int64_t *out_votes);

/* Returns the pseudo-label of one row: the most probable class, the first of equals, if its
 * probability is at least `confidence`; else `classes`. A function of the student and public
 * rows. */
size_t sot_pate_own_label(const double *probabilities, size_t classes, double confidence);

#endif
