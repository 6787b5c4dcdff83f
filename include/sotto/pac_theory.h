/* sotto/pac_theory.h: sample sizes of private learners over finite classes.
 *
 * Idea        A class C has finitely many concepts, n rows are independent, and a learner chooses
 *             a concept by its errors on them. Let beta bound the probability that its risk
 *             exceeds alpha (realizable: some concept is never wrong), or exceeds the best
 *             concept's risk by alpha (agnostic). A bound relates n, alpha, epsilon and beta, and
 *             can be solved for each of them.
 * Theorem     Each bound with its proof: theory.md. In the exponential mechanism one error has
 *             the factor s in the exponent: epsilon under add-remove, epsilon/2 under
 *             replace-one. Permute-and-flip obeys every bound of the exponential mechanism.
 * Assumes     Rows are independent samples of one distribution; the class and all settings were
 *             chosen without them. Nothing here can check that.
 * Rounding    Outward: the bound is proven for n, alpha, epsilon and beta as doubles. The result
 *             n is the smallest number that outward arithmetic proves. Docs: pac-theory.md
 */
#ifndef SOTTO_PAC_THEORY_H
#define SOTTO_PAC_THEORY_H

#include <stdbool.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. L = ln(|C|/beta), L2 = ln(2|C|/beta). */
typedef enum sotto_pac_bound {
    /* Every count of errors with Laplace noise of scale |C|/epsilon, the least one wins. */
    SOTTO_PAC_LAPLACE = 1, /* realizable: max(4 |C| L2/(epsilon a), 2 L2/a^2) */
    SOTTO_PAC_LAPLACE_REALIZABLE = 2, /* the same mechanism, by moments */
    SOTTO_PAC_LAPLACE_AGNOSTIC = 3,
    /* The exponential mechanism, or permute-and-flip, on the counts of errors. */
    SOTTO_PAC_LECTURE = 4,           /* realizable: max(2 L2/(s a), 2 L2/a^2) */
    SOTTO_PAC_REALIZABLE = 5,        /* L / -ln(1 - a (1 - e^-s)) */
    SOTTO_PAC_REALIZABLE_CLOSED = 6, /* L / (a (1 - e^-s)) */
    SOTTO_PAC_AGNOSTIC = 7,        /* L / -ln(cosh t - a sinh t), t = min(s, artanh a) */
    SOTTO_PAC_AGNOSTIC_CLOSED = 8, /* max(2 L/(s a), 2 L/a^2) */
    /* The concept with the fewest errors, without privacy. */
    SOTTO_PAC_PUBLIC_REALIZABLE = 9, /* L / -ln(1 - a) */
    SOTTO_PAC_PUBLIC_AGNOSTIC = 10   /* 2 L / -ln(1 - a^2) */
} sotto_pac_bound;

enum { SOTTO_PAC_BOUNDS = 10 }; /* numbered from 1 */

/* Start from sotto_pac_defaults(): nothing is set. The one that is asked for need not be. */
typedef struct sotto_pac_setting {
    sotto_adjacency adjacency;
    double class_size;     /* |C|, at least 1; SOTTO_UNSET: its logarithm is given */
    double log_class_size; /* ln |C|, or more; read when class_size is unset */
    double epsilon;        /* above 0 */
    double alpha;          /* between 0 and 1 */
    double beta;           /* between 0 and 1 */
    double rows;           /* n, a whole number from 1 to 2^53 */
} sotto_pac_setting;

/* Nothing is set. */
SOTTO_API sotto_pac_setting sotto_pac_defaults(void);

/* Sets the size of a built-in class (concepts.md) over `features` features of 2^bits cells each.
 * Names: "thresholds", "intervals", "stumps", "rectangles", "conjunctions", "parities",
 * "candidates". `both`: thresholds and candidates also in the other direction. Fills in the
 * setting's class_size if it is at most 2^53, else its logarithm, rounded up. Refuses other
 * names, bits beyond 1 to 32 and features beyond 1 to 2^20. Thresholds and intervals have one
 * feature. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_set_class(sotto_pac_setting *setting,
                                                            const char *name,
                                                            uint64_t bits,
                                                            uint64_t features, bool both,
                                                            sotto_error *error);

/* "lecture", "realizable", ...; "unknown" for other values. */
SOTTO_API const char *sotto_pac_bound_name(sotto_pac_bound bound);
/* Describes a bound in a few words: the learner and the assumption on the
 * distribution. */
SOTTO_API const char *sotto_pac_bound_words(sotto_pac_bound bound);
/* Its formula, as above. */
SOTTO_API const char *sotto_pac_bound_formula(sotto_pac_bound bound);
SOTTO_API bool sotto_pac_bound_is_agnostic(sotto_pac_bound bound);
SOTTO_API bool sotto_pac_bound_is_private(sotto_pac_bound bound);

/* The least number of rows. SOTTO_UNREACHABLE when that is more than 2^53. This and the others refuse settings
 * that are missing or out of range (SOTTO_INVALID_ARGUMENT). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_rows(const sotto_pac_setting *setting,
                                                       sotto_pac_bound bound,
                                                       uint64_t *out_rows,
                                                       sotto_error *error);

/* The least alpha that `rows` rows reach; SOTTO_UNREACHABLE when none below 1. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_alpha(const sotto_pac_setting *setting,
                                                        sotto_pac_bound bound,
                                                        double *out_alpha,
                                                        sotto_error *error);

/* The least epsilon that `rows` rows allow; SOTTO_UNREACHABLE when they are too few for any up to 1e6: the sample
 * itself is too small. A bound without privacy has no epsilon: SOTTO_INVALID_ARGUMENT. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pac_epsilon(const sotto_pac_setting *setting, sotto_pac_bound bound,
                  double *out_epsilon, sotto_error *error);

/* The probability of failure, at most 1. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_beta(const sotto_pac_setting *setting,
                                                       sotto_pac_bound bound,
                                                       double *out_beta,
                                                       sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
