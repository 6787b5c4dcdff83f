/* sotto/audit_demo.h: the protection that epsilon gives, shown on an invented record.
 *
 * Idea        Two demonstrations on a support vector machine whose rows all lie in the linear
 *             part of the loss. Differencing: one model is trained before a record arrives and
 *             one after. Without noise, lambda times their difference is the record. A secret
 *             bit: an attacker knows every row except the sign of one attribute of one record,
 *             and guesses it from the model.
 * Theorem     Under epsilon-DP no guess of a fair secret bit is right with a probability above e^epsilon/(1 + e^epsilon).
 * Neighbours  Differencing: one record more (add-remove). The bit: one record or another (replace-one).
 * Assumes     Nothing is charged: all records are synthetic.
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
