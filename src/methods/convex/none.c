/* No noise at all: the minimiser on rows that were declared public. The reference for the rest. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/convex/erm.h"

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    (void)gate; /* there is none: nothing is private */
    const sot_empirical *empirical = learner->empirical;
    const double lambda = *(const double *)learner->state;
    const sot_empirical_terms terms = sot_erm_terms(learner, lambda);
    const size_t dimension = empirical->facts.dimension;
    for (size_t i = 0; i < dimension; i++)
        out_theta[i] = 0.0;
    const sotto_status status =
        empirical->operations->solve(empirical, sot_table_matrix(table), &terms, NULL,
                                     empirical->facts.tau, pool, out_theta, error);
    if (status == SOTTO_OK) sot_erm_round(out_theta, dimension, learner->grid);
    return status;
}

sotto_status sot_erm_none(sot_learner *learner, sotto_error *error)
{
    const double given = learner->setup.config->lambda;
    double *lambda = sot_new_array(1, sizeof *lambda);
    if (lambda == NULL) return sot_fail_memory(error, 1, sizeof *lambda);
    *lambda = isnan(given) ? 1.0 : given;
    learner->state = lambda;
    learner->learn = learn;
    learner->grid = 0x1p-40;
    sot_learner_set(learner, "lambda", *lambda,
                    isnan(given) ? "default of other libraries, C = 1" : "given");
    return SOTTO_OK;
}
