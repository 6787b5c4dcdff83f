/* sotto/audit.h: attacks on the library's own learners, and what they prove about its claims.
 *
 * Idea        The learner is trained thousands of times on a crafted pair of neighbouring data sets, through its own gate, with
 *             noise of its own each time. An attack that knows everything but the noise decides from what was released
 *             which of the two it was. Its rates give a lower bound of epsilon; above the claim it refutes the claim.
 * Theorem     sotto/audit_statistics.h
 * Neighbours  Those of the claim.
 * Assumes     A refuted claim is false but for a chance of `alpha`. A claim that is not refuted is not proven: the bound says
 *             how much of it this attack can see, and a bug that another pair would show stays unseen.
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
    bool transcript; /* look at every released step, not at the result alone: gd, sgd */
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

/* How the lower bound of epsilon was come by. */
typedef enum sotto_audit_route {
    SOTTO_AUDIT_BY_RATES = 1, /* log((TPR - delta)/FPR): for every mechanism */
    SOTTO_AUDIT_BY_MU = 2, /* the claim is Gaussian DP: mu_lower, then along its curve */
    SOTTO_AUDIT_BY_NOISE =
        3, /* the claim's plan with more noise, as little as is refuted: the same family */
    SOTTO_AUDIT_AS_GAUSSIAN =
        4 /* the claim is not Gaussian (objective perturbation): mu_lower holds, and what a Gaussian release of that
             mu has for epsilon is a yardstick, not a bound */
} sotto_audit_route;

/* What is claimed and what was found. */
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
        epsilon_lower; /* by the route: a bound of epsilon itself by rates, else of the claim's family; at most what
                             `bounds` has is proven of a mechanism that nothing is known of */
    bool
        refuted; /* verdict.refuted, or epsilon_lower above epsilon by rates, or the exact loss */
    /* Objective perturbation alone, else NaN: of the privacy loss log p(theta)/p'(theta), evaluated exactly at every run
     * of the world with the record. */
    double loss_most;   /* the largest size seen; a pure claim says at most epsilon */
    double delta_seen;  /* the mean of (1 - e^(epsilon - loss))+ */
    double delta_lower; /* the same less a Bernstein bound at alpha */
} sotto_audit_summary;

typedef struct sotto_audit sotto_audit;

/* Attacks the learner. SOTTO_UNSUPPORTED: no pair is known for this model and method. Free with sotto_audit_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_learner(
    const sotto_audit_config *config, sotto_audit **out_audit, sotto_error *error);
SOTTO_API void sotto_audit_free(sotto_audit *audit); /* NULL is fine */

/* Borrowed from the audit. The texts: the pair in words, why not even this pair attains the claim (NULL: it does),
 * the verdict in a sentence. */
SOTTO_API const sotto_audit_summary *sotto_audit_found(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_pair(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_short_of(const sotto_audit *audit);
SOTTO_API const char *sotto_audit_sentence(const sotto_audit *audit);

/* The attack's ROC on logarithmic axes beside the claim's bound, and its trade-off beside the claim's own curve. Free it
 * with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_to_svg(const sotto_audit *audit,
                                                           char **out_svg,
                                                           sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
