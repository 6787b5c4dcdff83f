#include "methods/posterior/losses.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"

/* For the passes, which add (lambda/2)|theta|^2 to everything: so small that it never
 * changes a bit. */
#define NO_LAMBDA 0x1p-1000

enum { POINT = 0, OTHER = 1, GRADIENT = 2, ZEROS = 3, VECTORS = 4 };

static bool is_softmax(const sot_losses *losses)
{
    return losses->potential->loss == NULL;
}

static sotto_status begin_glm(sot_losses *l, sotto_error *error)
{
    const sot_potential *p = l->potential;
    l->dimension = p->matrix->columns;
    l->glm = (sot_glm){
        .matrix = p->matrix, .loss = p->loss, .lambda = NO_LAMBDA, .pool = p->pool};
    sotto_status status = sot_pass_begin(&l->glm, &l->pass, error);
    if (status != SOTTO_OK) return status;
    for (size_t k = 0; k < VECTORS; k++) {
        l->vectors[k] = sot_pass_vector(&l->pass);
        if (l->vectors[k] == NULL)
            return sot_fail_memory(error, l->pass.width, sizeof(double));
    }
    status = sot_pass_measure(&l->pass, &l->bounds, error);
    l->frobenius_upper = l->bounds.frobenius_upper;
    return status;
}

static sotto_status begin_softmax(sot_losses *l, sotto_error *error)
{
    const sot_potential *p = l->potential;
    l->dimension = p->classes * p->matrix->columns;
    l->softmax = (sot_softmax){
        .matrix = p->matrix, .classes = p->classes, .lambda = NO_LAMBDA, .pool = p->pool};
    sotto_status status = sot_softmax_pass_begin(&l->softmax, &l->soft_pass, error);
    if (status != SOTTO_OK) return status;
    for (size_t k = 0; k < VECTORS; k++) {
        l->vectors[k] = sot_softmax_vector(&l->soft_pass);
        if (l->vectors[k] == NULL)
            return sot_fail_memory(error, l->soft_pass.length, sizeof(double));
    }
    status = sot_softmax_measure(&l->soft_pass, &l->soft_bounds, error);
    l->frobenius_upper = l->soft_bounds.frobenius_upper;
    return status;
}

sotto_status sot_losses_begin(const sot_potential *potential, sot_losses *out_losses,
                              sotto_error *error)
{
    sot_losses *l = out_losses;
    *l = (sot_losses){.potential = potential, .rows = (double)potential->matrix->rows};
    const sotto_status status =
        is_softmax(l) ? begin_softmax(l, error) : begin_glm(l, error);
    if (status != SOTTO_OK) return status;
    const sot_sampler_facts facts = sot_sampler_facts_of(
        potential->loss, potential->classes, potential->matrix->columns);
    const double squares = sot_mul_up(l->frobenius_upper, l->frobenius_upper);
    const double weight = sot_mul_up(
        potential->beta, sot_mul_up(facts.curvature_most, (double)facts.directions));
    l->curvature_upper = sot_mul_up(weight, squares);
    return SOTTO_OK;
}

void sot_losses_end(sot_losses *losses)
{
    sot_losses *l = losses;
    if (l->potential == NULL) return;
    for (size_t k = 0; k < VECTORS; k++) {
        if (is_softmax(l))
            sot_softmax_drop(&l->soft_pass, l->vectors[k]);
        else
            sot_pass_drop(&l->pass, l->vectors[k]);
    }
    if (is_softmax(l))
        sot_softmax_pass_end(&l->soft_pass);
    else
        sot_pass_end(&l->pass);
    *l = (sot_losses){0};
}

static void arrange(sot_losses *l, const double *from, double *out)
{
    if (is_softmax(l))
        sot_softmax_arrange(&l->soft_pass, from, out);
    else
        memcpy(out, from, l->dimension * sizeof *out);
}

/* The bound on a gradient's norm, for a computed gradient of 0, is the rounding error. */
sotto_status sot_losses_look(sot_losses *losses, const double *theta, double *out_value,
                             double *out_gradient, double *out_gradient_error,
                             sotto_error *error)
{
    sot_losses *l = losses;
    double squares = 0.0;
    arrange(l, theta, l->vectors[POINT]);
    if (is_softmax(l)) {
        const sot_softmax_result out = {.gradient = l->vectors[GRADIENT],
                                        .value = out_value,
                                        .slope_squares = &squares};
        const sotto_status status =
            sot_softmax_gradient(&l->soft_pass, l->vectors[POINT], &out, error);
        if (status != SOTTO_OK) return status;
        sot_softmax_restore(&l->soft_pass, l->vectors[GRADIENT], out_gradient);
        *out_gradient_error =
            sot_softmax_norm_upper(&l->soft_pass, &l->soft_bounds, l->vectors[POINT],
                                   l->vectors[ZEROS], squares);
        return SOTTO_OK;
    }
    const sot_pass_result out = {
        .gradient = l->vectors[GRADIENT], .value = out_value, .slope_squares = &squares};
    const sotto_status status =
        sot_pass_gradient(&l->pass, l->vectors[POINT], &out, error);
    if (status != SOTTO_OK) return status;
    memcpy(out_gradient, l->vectors[GRADIENT], l->dimension * sizeof *out_gradient);
    *out_gradient_error = sot_pass_norm_upper(&l->pass, &l->bounds, l->vectors[POINT],
                                              l->vectors[ZEROS], squares);
    return SOTTO_OK;
}

sotto_status sot_losses_values(sot_losses *losses, const double *const *thetas,
                               size_t count, double *out_values, sotto_error *error)
{
    sot_losses *l = losses;
    for (size_t k = 0; k < count; k++)
        arrange(l, thetas[k], l->vectors[POINT + k]);
    const double *const points[SOT_LOSSES_POINTS] = {l->vectors[POINT],
                                                     l->vectors[OTHER]};
    if (is_softmax(l))
        return sot_softmax_values(&l->soft_pass, points, count, out_values, error);
    return sot_pass_values(&l->pass, points, count, out_values, error);
}

double sot_losses_value_error(const sot_losses *losses, double theta_norm)
{
    if (is_softmax(losses))
        return sot_softmax_value_error(&losses->soft_pass, &losses->soft_bounds,
                                       theta_norm);
    return sot_pass_value_error(&losses->pass, &losses->bounds, theta_norm);
}

sotto_status sot_losses_difference(sot_losses *losses, const double *from,
                                   const double *step, const double *step_low,
                                   sot_twofold *out_difference, sotto_error *error)
{
    sot_losses *l = losses;
    arrange(l, from, l->vectors[POINT]);
    arrange(l, step, l->vectors[OTHER]);
    arrange(l, step_low, l->vectors[GRADIENT]);
    if (is_softmax(l))
        return sot_softmax_difference_careful(&l->soft_pass, l->vectors[POINT],
                                              l->vectors[OTHER], l->vectors[GRADIENT],
                                              out_difference, error);
    return sot_pass_difference_careful(&l->pass, l->vectors[POINT], l->vectors[OTHER],
                                       l->vectors[GRADIENT], out_difference, error);
}

/* Softmax: 1 for every row. Else f'' at theta over its bound, with something to spare: margins move, and curvatures with them. */
static sotto_status shares_of_curvature(sot_losses *l, const double *theta,
                                        double *out_shares, sotto_error *error)
{
    const size_t rows = l->potential->matrix->rows;
    if (is_softmax(l)) {
        for (size_t i = 0; i < rows; i++)
            out_shares[i] = 1.0;
        return SOTTO_OK;
    }
    const sot_pass_result out = {.gradient = l->vectors[GRADIENT],
                                 .curvatures = out_shares};
    arrange(l, theta, l->vectors[POINT]);
    const sotto_status status =
        sot_pass_gradient(&l->pass, l->vectors[POINT], &out, error);
    for (size_t i = 0; i < rows && status == SOTTO_OK; i++) {
        const double share = out_shares[i] / l->potential->loss->curvature_most;
        out_shares[i] = fmin(1.0, 1.1 * share + 0.05);
    }
    return status;
}

sotto_status sot_losses_bend(sot_losses *losses, const double *theta, double *out,
                             sotto_error *error)
{
    const sot_potential *p = losses->potential;
    const sot_glm glm = {.matrix = p->matrix,
                         .loss = &sot_loss_logistic, /* which is not asked */
                         .lambda = NO_LAMBDA,
                         .pool = p->pool};
    const size_t rows = p->matrix->rows;
    sot_pass pass;
    double *shares = sot_new_array(rows, sizeof *shares);
    sotto_status status = sot_pass_begin(&glm, &pass, error);
    if (status == SOTTO_OK && shares == NULL)
        status = sot_fail_memory(error, rows, sizeof *shares);
    if (status == SOTTO_OK) status = shares_of_curvature(losses, theta, shares, error);
    if (status == SOTTO_OK) status = sot_pass_hessian(&pass, shares, out, error);
    sot_pass_end(&pass);
    if (shares != NULL) sot_wipe_and_free(shares, rows * sizeof *shares);
    return status;
}

/* Nothing is proven here: a tenth of the prior's deviation from the mode is enough, or
 * the solver's best. */
sotto_status sot_losses_mode(const sot_potential *potential, double row_bound,
                             double *out_theta, sotto_error *error)
{
    const sot_potential *p = potential;
    const size_t dimension = p->matrix->columns * (p->loss == NULL ? p->classes : 1);
    const double lambda = p->lambda / p->beta;
    const sot_sampler_facts facts =
        sot_sampler_facts_of(p->loss, p->classes, p->matrix->columns);
    const double tau =
        fmax(0.1 * sqrt(p->lambda) / p->beta, 0x1p-18 * facts.slope_most * row_bound);
    for (size_t j = 0; j < dimension; j++)
        out_theta[j] = p->center != NULL ? p->center[j] : 0.0;
    sotto_status status;
    if (p->loss == NULL) {
        const sot_softmax problem = {.matrix = p->matrix,
                                     .classes = p->classes,
                                     .lambda = lambda,
                                     .center = p->center,
                                     .radius = p->radius,
                                     .pool = p->pool};
        status = sot_softmax_solve(&problem, tau, out_theta, error);
    } else {
        const sot_glm problem = {.matrix = p->matrix,
                                 .loss = p->loss,
                                 .lambda = lambda,
                                 .center = p->center,
                                 .radius = p->radius,
                                 .pool = p->pool};
        status = sot_glm_solve(&problem, tau, out_theta, error);
    }
    const double norm = sot_norm_upper(out_theta, dimension);
    if (status == SOTTO_OK && !(norm < p->radius)) {
        const double shrink = p->radius / norm * (1.0 - 0x1p-40);
        for (size_t j = 0; j < dimension; j++)
            out_theta[j] = isfinite(norm) ? out_theta[j] * shrink : 0.0;
    }
    return status;
}
