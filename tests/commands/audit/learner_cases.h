/* The learners that are audited, each with a claim of mu between 1 and 2.5, or a pure one. */
#ifndef TEST_AUDIT_LEARNER_CASES_H
#define TEST_AUDIT_LEARNER_CASES_H

#include <sotto/audit.h>

#include "support.h"

typedef struct learner_case {
    sotto_model_kind model;
    sotto_method method;
    double epsilon, delta; /* delta 0: pure */
    sotto_adjacency adjacency;
    bool transcript;
    double share; /* of the claim that 20000 runs show at least; the gate */
} learner_case;

#define AR SOTTO_ADD_REMOVE
#define RO SOTTO_REPLACE_ONE

/* Output perturbation, noisy gradient descent and DP-SGD show 0.6 of their claims, the others half. Less is what the pair
 * allows: docs/howto/audit.md says why. */
static const learner_case learner_cases[] = {
    {SOTTO_MODEL_SVM, SOTTO_METHOD_GD, 6.0, 1e-5, AR, true, 0.3},
    {SOTTO_MODEL_NETWORK, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, true, 0.3},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, 2.0, 0.0, AR, false, 0.6},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_HUBER, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_HINGE, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_GD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_GD, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_GD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_NETWORK, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_NETWORK, SOTTO_METHOD_SGD, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_GD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, RO, false, 0.5},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_GD_OUTPUT, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_FRANK_WOLFE, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_STATISTICS, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_ADASSP, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NEWTON, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_PERMUTATION_SGD, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_GD_OUTPUT, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_FRANK_WOLFE, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_FRANK_WOLFE, 2.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_REGULARIZED_EM, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_REGULARIZED_EM, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_CONCEPT, SOTTO_METHOD_EXPONENTIAL, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_CONCEPT, SOTTO_METHOD_EXPONENTIAL, 2.0, 0.0, RO, false, 0.5},
    {SOTTO_MODEL_CONCEPT, SOTTO_METHOD_PERMUTE_AND_FLIP, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_CONCEPT, SOTTO_METHOD_LAPLACE, 2.0, 0.0, RO, false, 0.9},
    {SOTTO_MODEL_CONCEPT, SOTTO_METHOD_LAPLACE, 2.0, 0.0, AR, false, 0.9},
};
enum { LEARNER_CASES = sizeof learner_cases / sizeof learner_cases[0] };

/* These take longer: many rows, a search for the noise, a sampler. */
static const learner_case long_cases[] = {
    {SOTTO_MODEL_SVM, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_SGD, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_STATISTICS, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_ADASSP, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NEWTON, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LINEAR, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OUTPUT, 2.0, 0.0, AR, false, 0.6},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_PERMUTATION_SGD, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD_OUTPUT, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_GD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_GD, 6.0, 1e-5, RO, false, 0.6},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, AR, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, RO, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_PERMUTATION_SGD, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_GD_OUTPUT, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_REGULARIZED_EM, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_SGD, 6.0, 1e-5, AR, false, 0.6},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_REGULARIZED_EM, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SVM, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, AR, false, 0.5},
    {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, RO, false, 0.5},
    {SOTTO_MODEL_POISSON, SOTTO_METHOD_POSTERIOR, 6.0, 1e-5, AR, false, 0.5},
    /* More than half is out of reach: docs/howto/audit.md says why. */
    {SOTTO_MODEL_SVM, SOTTO_METHOD_REGULARIZED_EM, 4.0, 0.0, AR, false, 0.45},
    {SOTTO_MODEL_HINGE, SOTTO_METHOD_OUTPUT, 2.0, 0.0, AR, false, 0.2},
};
enum { LONG_CASES = sizeof long_cases / sizeof long_cases[0] };

static inline sotto_audit *audit_of(const learner_case *at, uint64_t runs, double alpha,
                                    uint64_t seed)
{
    sotto_error error;
    sotto_audit *audit = NULL;
    sotto_audit_config config = sotto_audit_defaults();
    config.model = at->model;
    config.method = at->method;
    config.epsilon = at->epsilon;
    config.delta = at->delta > 0.0 ? at->delta : SOTTO_UNSET;
    config.adjacency = at->adjacency;
    config.transcript = at->transcript;
    config.runs = runs;
    config.alpha = alpha;
    config.insecure_test = true;
    config.test_seed = seed;
    config.threads = 2;
    assert_ok(sotto_audit_learner(&config, &audit, &error), &error);
    return audit;
}

/* One line, so that a failure says which learner it was. */
static inline void show_case(const learner_case *at, const sotto_audit *audit)
{
    const sotto_audit_summary *found = sotto_audit_found(audit);
    print_message("%s by %s%s, %s: epsilon %.4g, seen %.4g (%.2f)%s\n",
                  sotto_model_kind_name(at->model), sotto_method_name(at->method),
                  at->transcript ? ", steps" : "", sotto_adjacency_name(found->adjacency),
                  found->epsilon, found->epsilon_lower,
                  found->epsilon_lower / found->epsilon,
                  found->refuted ? " REFUTED" : "");
}

#endif
