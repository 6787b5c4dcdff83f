/* No noise at all: the minimiser on rows that were declared public. The reference for the rest. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/erm.h"
#include "learn/glm/problem.h"

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const sot_matrix *matrix = sot_table_matrix(table);
    (void)gate; /* there is none: nothing is private */
    const double lambda = *(const double *)learner->state;
    const sot_glm glm = {.matrix = matrix,
                         .loss = sot_erm_loss(&learner->setup),
                         .lambda = lambda,
                         .pool = pool};
    for (size_t i = 0; i < matrix->columns; i++)
        out_theta[i] = 0.0;
    const sotto_status status =
        sot_glm_solve(&glm, sot_erm_tau(&learner->setup), out_theta, error);
    if (status == SOTTO_OK) sot_erm_round(out_theta, matrix->columns, learner->grid);
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
                    isnan(given) ? "the usual weight, C = 1 of other libraries"
                                 : "given");
    return SOTTO_OK;
}
