/* sotto/audit.h: attacks on the library's own learners, with lower bounds on epsilon.
 *
 * Idea        The learner is trained thousands of times on a crafted pair of neighbouring data
 *             sets, through its own gate, with fresh noise. An attack that knows everything but
 *             the noise decides from the release which data set was used. Its error rates give a
 *             lower bound on epsilon. A bound above the claim refutes the claim.
 * Theorem     sotto/audit_statistics.h
 * Neighbours  Those of the claim.
 * Assumes     A true claim is refuted with probability at most `alpha`. A claim that is not
 *             refuted is not proven: the bound covers only this attack on this pair of data sets.
 * Docs        audit.md
 */
#ifndef SOTTO_AUDIT_H
#define SOTTO_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/audit_statistics.h>
#include <sotto/error.h>
#include <sotto/memory.h>
#include <sotto/model_kind.h>
#include <sotto/progress.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At most this many runs of one world. */
#define SOTTO_AUDIT_RUNS_MAX UINT64_C(10000000)

/* Start from sotto_audit_defaults(). */
typedef struct sotto_audit_config {
    size_t size; /* sizeof(sotto_audit_config): sotto_audit_defaults() sets it */
    sotto_model_kind model; /* has no default */
    sotto_method method;    /* has no default, and is never auto */
    double epsilon;         /* of the claim; has no default */
    double delta;           /* SOTTO_UNSET: a pure claim */
    sotto_adjacency
        adjacency; /* default SOTTO_ADD_REMOVE, or SOTTO_REPLACE_ONE for methods that need it */
    bool transcript; /* attack every released iterate, not only the result: gd, sgd */
    uint64_t runs;   /* of each world; default 20000; half of them choose the threshold */
    double alpha;    /* 1 - confidence; default 0.01 */
    bool insecure_test; /* noise from `test_seed`: repeatable */
    uint64_t test_seed;
    size_t threads; /* 0: one per CPU; the result is the same for any number */
    sotto_progress_function progress; /* NULL: none */
    void *progress_context;
} sotto_audit_config;

/* Nothing that carries the claim is set but the adjacency, SOTTO_ADD_REMOVE. */
SOTTO_API void sotto_audit_set_defaults(sotto_audit_config *out_config,
                                        size_t size_bytes);
static inline sotto_audit_config sotto_audit_defaults(void)
{
    sotto_audit_config config;
    sotto_audit_set_defaults(&config, sizeof config);
    return config;
}

/* Derivation of the lower bound of epsilon. */
typedef enum sotto_audit_route {
    SOTTO_AUDIT_BY_RATES = 1, /* log((TPR - delta)/FPR): for every mechanism */
    SOTTO_AUDIT_BY_MU = 2, /* the claim is Gaussian DP: mu_lower, then along its curve */
    SOTTO_AUDIT_BY_NOISE =
        3, /* the claim's plan with more noise, as little as is refuted: the same family */
    SOTTO_AUDIT_AS_GAUSSIAN =
        4 /* the claim is not Gaussian (objective perturbation): mu_lower holds. The epsilon of a
           * Gaussian release with that mu is a comparison, not a bound */
} sotto_audit_route;

/* The claim and the result. */
typedef struct sotto_audit_summary {
    double epsilon; /* claimed, at `delta`: the plan's certified price */
    double delta;
    double mu; /* claimed, if the plan is Gaussian DP; else NaN */
    sotto_adjacency adjacency;
    uint64_t runs; /* of each world */
    double alpha;
    double threshold;
    sotto_audit_counts counts; /* of the halves that did not choose the threshold */
    sotto_audit_bounds bounds;
    sotto_audit_verdict verdict; /* against the claim's own trade-off curve */
    sotto_audit_route route;
    double
        epsilon_lower; /* by the route: from rates a bound on epsilon itself, else on the claim's
                        * family. Without knowledge of the mechanism only `bounds` is proven */
    bool
        refuted; /* verdict.refuted, or epsilon_lower above epsilon by rates, or the exact loss */
    /* The next fields: only objective perturbation, else NaN. They describe the privacy loss log
     * p(theta)/p'(theta), evaluated exactly in every run with the record. */
    double loss_most;   /* the largest size seen; a pure claim says at most epsilon */
    double delta_seen;  /* the mean of (1 - e^(epsilon - loss))+ */
    double delta_lower; /* the same less a Bernstein bound at alpha */
} sotto_audit_summary;

typedef struct sotto_audit sotto_audit;

/* Attacks the learner. SOTTO_UNSUPPORTED: no pair is known for this model and method. Free with sotto_audit_free().
 * */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_learner(
    const sotto_audit_config *config, sotto_audit **out_audit, sotto_error *error);
SOTTO_API void sotto_audit_free(sotto_audit *audit); /* NULL is fine */

/* Borrowed from the audit. The texts: the pair in words, why not even this pair attains the claim (NULL: it does),
 * the verdict in a sentence. */
SOTTO_API const sotto_audit_summary *sotto_audit_found(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_pair(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_short_of(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_sentence(const sotto_audit *audit);

/* The attack's ROC on logarithmic axes beside the claim's bound, and its trade-off beside the claim's own curve. Free
 * it
 * with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_to_svg(const sotto_audit *audit,
                                                           char **out_svg,
                                                           sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
