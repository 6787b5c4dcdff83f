/* Softmax regression as the methods see it. The constants: softmax.md. */
#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "learn/softmax/softmax.h"
#include "numeric/outward.h"

static sot_softmax problem_of(const sot_empirical *empirical, const sot_matrix *matrix,
                              const sot_empirical_terms *terms, const double *linear,
                              sot_pool *pool)
{
    return (sot_softmax){.matrix = matrix,
                         .classes = empirical->facts.outputs,
                         .lambda = terms->lambda,
                         .center = terms->center,
                         .l1 = terms->l1,
                         .l1_width = terms->l1_width,
                         .radius = terms->radius,
                         .linear = linear,
                         .pool = pool};
}

static sotto_status solve(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms, const double *linear,
                          double tau, sot_pool *pool, double *theta, sotto_error *error)
{
    const sot_softmax softmax = problem_of(empirical, matrix, terms, linear, pool);
    return sot_softmax_solve(&softmax, tau, theta, error);
}

static sotto_status noise_of(const sot_empirical *empirical, const sot_matrix *matrix,
                             const sot_empirical_terms *terms, const double *theta,
                             double *out_noise, double *out_log_determinant,
                             sotto_error *error)
{
    const sot_softmax softmax = problem_of(empirical, matrix, terms, NULL, NULL);
    return sot_softmax_noise_of(&softmax, theta, out_noise, out_log_determinant, error);
}

static sotto_status add_gradient(const sot_empirical *empirical, const sot_matrix *matrix,
                                 const uint32_t *rows, size_t count, const double *theta,
                                 double spacing, sot_pool *pool, int64_t *units,
                                 sotto_error *error)
{
    const sot_softmax softmax = {
        .matrix = matrix, .classes = empirical->facts.outputs, .pool = pool};
    return sot_softmax_add_units(&softmax, rows, rows != NULL ? count : matrix->rows,
                                 theta, spacing, units, error);
}

static const sot_empirical_operations operations = {
    .solve = solve, .noise_of = noise_of, .add_gradient = add_gradient};

static sot_empirical_facts facts_of(const sot_encoding *encoding)
{
    const double bound = sot_encoding_bound(encoding);
    const double square = sot_mul_up(bound, bound);
    const double classes = (double)sot_encoding_classes(encoding);
    const double root =
        SOT_PLANTED(softmax_record_bound_of_one_margin) ? 1.0 : sot_sqrt_up(2.0);
    return (sot_empirical_facts){
        .name = "softmax",
        .outputs = sot_encoding_classes(encoding),
        .dimension = sot_encoding_classes(encoding) * sot_encoding_dimension(encoding),
        .record_bound = sot_mul_up(root, bound),
        .smoothness = 0.5 * square,
        .rank = sot_encoding_classes(encoding) - 1,
        .trace = sot_mul_up(sot_div_up(classes - 1.0, classes), square),
    };
}

sotto_status sot_softmax_empirical(const sot_learner_setup *setup,
                                   sot_empirical **out_empirical, sotto_error *error)
{
    const size_t classes = sot_encoding_classes(setup->encoding);
    if (classes < 2) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the label set has %zu labels; softmax regression needs two or "
                        "more: name a target with a label set, or use another model",
                        classes);
    }
    sot_empirical *empirical = sot_new_array(1, sizeof *empirical);
    if (empirical == NULL) return sot_fail_memory(error, 1, sizeof *empirical);
    empirical->facts = facts_of(setup->encoding);
    empirical->operations = &operations;
    *out_empirical = empirical;
    return SOTTO_OK;
}
