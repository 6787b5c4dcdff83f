/* sotto/pac_packing.h: the packing lower bound: no pure-DP learner learns thresholds on a
 * continuum.
 *
 * Idea        Take K thresholds "yes from i on". For each take n rows, half at i - 1 with no and
 *             half at i with yes. A learner that is right about all K data sets distinguishes
 *             them. An epsilon-DP learner distinguishes any two of them at most as well as n rows
 *             allow. So n must grow with ln K. For K beyond e^(n epsilon) the success of every
 *             private learner goes to 0.
 * Theorem     The packing lower bound (Beimel, Kasiviswanathan & Nissim 2010; Chaudhuri & Hsu
 *             2011). The worst of the K success probabilities is at most
 *             `1/(1 + (K - 1) e^(-m epsilon))`. Here m is the number of steps between two data
 *             sets: n under replace-one, 2 n under add-remove. The exponential mechanism reaches
 *             `1/(1 + (K - 1) w)`, permute-and-flip `(1 - (1 - w)^K)/(K w)`, with
 *             `w = e^(-s n/2)` and s as in sotto/pac_theory.h. Proof: theory.md
 * Rounding    Success probabilities to a relative 1e-13; the least n of the lower bound is rounded down.
 */
#ifndef SOTTO_PAC_PACKING_H
#define SOTTO_PAC_PACKING_H

#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing has a default. */
typedef struct sotto_packing_setting {
    sotto_adjacency adjacency;
    double epsilon;      /* above 0, at most 1e6 */
    uint64_t class_size; /* K, from 2 to 2^62 */
    uint64_t rows;       /* n, even, from 2 to 2^53 */
} sotto_packing_setting;

/* Probabilities that the right threshold is named. */
typedef struct sotto_packing_success {
    double exponential;
    double permute_and_flip;
    double ceiling; /* of every learner, on the worst of the K data sets */
} sotto_packing_success;

/* Evaluates the formulas above. SOTTO_INVALID_ARGUMENT names the setting that is out of
 * range. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_packing_success_of(const sotto_packing_setting *setting,
                         sotto_packing_success *out_success, sotto_error *error);

/* Rows for a probability of success. */
typedef struct sotto_packing_rows {
    uint64_t exponential;      /* the least even number that suffices */
    uint64_t permute_and_flip; /* the same */
    uint64_t least;            /* with fewer no learner succeeds on all K */
} sotto_packing_rows;

/* `success` is above 1/2 and below 1; setting->rows is not read. SOTTO_UNREACHABLE beyond 2^53 rows. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_packing_rows_for(const sotto_packing_setting *setting, double success,
                       sotto_packing_rows *out_rows, sotto_error *error);

/* Returns a lower bound on the number of rows, for any class with class_size thresholds of this
 * kind among its concepts. With fewer rows no epsilon-DP learner reaches error `alpha` with
 * probability 1 - beta on every realizable distribution. The proof uses the packing on a share of
 * 2 alpha of the rows; the other rows are identical. The bound is
 * `(1 - beta) ln((K - 1)(1 - beta)/beta) / (2 alpha m epsilon)`, m = 1 under replace-one and 2
 * under add-remove. It is rounded down, then up to a whole number. 0 < alpha < 1/2,
 * 0 < beta < 1/2; setting->rows is not read. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_packing_least_rows(const sotto_packing_setting *setting, double alpha, double beta,
                         uint64_t *out_rows, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
