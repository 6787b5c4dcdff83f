/* sotto/audit_demo.h: what epsilon buys, shown on a record that is invented.
 *
 * Idea        Two demonstrations on a support vector machine whose rows all lie in the linear part of the loss. Differencing: of two models, one
 *             trained before a record came and one after, lambda times the difference is the record, and without noise it is
 *             all there. A secret bit: somebody who knows every row but the sign of one attribute of one record guesses
 *             it from the model.
 * Theorem     Under epsilon-DP no guess of a fair secret bit is right with a probability above e^epsilon/(1 + e^epsilon).
 * Neighbours  Differencing: one record more (add-remove). The bit: one record or another (replace-one).
 * Assumes     Nothing is charged: no record is anybody's.
 */
#ifndef SOTTO_AUDIT_DEMO_H
#define SOTTO_AUDIT_DEMO_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_demo_row {
    double epsilon; /* of each model, by output perturbation; infinite: without noise */
    double
        reconstruction_error; /* mean distance of the rebuilt record, in units of its length */
    double right_sign;        /* share of its attributes rebuilt with the right sign */
    double guessed;           /* share of secret bits guessed right */
    double guess_bound;       /* e^epsilon/(1 + e^epsilon) */
} sotto_demo_row;

enum { SOTTO_DEMO_REPEATS_MAX = 1000000 };

/* One row for each of `count` epsilons, positive, of which some may be infinite: each from `repeats` pairs of models. `test_seed` NULL:
 * fresh noise. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_demo(const double *epsilons,
                                                         size_t count, uint64_t repeats,
                                                         const uint64_t *test_seed,
                                                         sotto_demo_row *out_rows,
                                                         sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
