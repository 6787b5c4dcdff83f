/* commands/audit/scores.h: the common part of the functions that take scores. */
#ifndef SOT_COMMANDS_AUDIT_SCORES_H
#define SOT_COMMANDS_AUDIT_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

/* At least `least` numbers, none of them NaN. `whose` names them in the message. */
SOTTO_MUST_CHECK sotto_status sot_audit_check_scores(const double *scores, size_t count,
                                                     size_t least, const char *whose,
                                                     sotto_error *error);

/* alpha in (0, 1), delta in [0, 1). */
SOTTO_MUST_CHECK sotto_status sot_audit_check_levels(double alpha, double delta,
                                                     sotto_error *error);

/* For qsort(): ascending. */
int sot_compare_scores(const void *a, const void *b);

/* correct <= guesses <= canaries <= SOTTO_AUDIT_COUNT_MAX, and one guess at least. */
bool sot_one_run_counts(uint64_t canaries, uint64_t guesses, uint64_t correct);

#endif
