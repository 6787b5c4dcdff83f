/* commands/pate/poll.h: what an ensemble says, and what a student makes of it. */
#ifndef SOT_COMMANDS_PATE_POLL_H
#define SOT_COMMANDS_PATE_POLL_H

#include <stddef.h>
#include <stdint.h>

/* How many teachers say each class: said[teacher * queries + query] is a class. One teacher has one vote a query: whoever
 * changes what one teacher says moves one vote from a class to another. out_votes is queries x classes. */
void sot_pate_count_votes(const uint16_t *said, size_t teachers, size_t queries,
                          size_t classes, int64_t *out_votes);

/* The rule of self-training for one row without a label: the most probable class, the first of equals, if its probability is at
 * least `confidence`; else `classes`. A function of the student and public rows. */
size_t sot_pate_own_label(const double *probabilities, size_t classes, double confidence);

#endif
