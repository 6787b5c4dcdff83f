/* The parameters of a sample that public facts decide. The letters are those of
 * proximal.md. */
#include "methods/posterior/plan.h"

#include <math.h>

#include "base/error.h"
#include "models/linear/losses/joined.h"
#include "models/softmax/row.h"
#include "numeric/outward.h"

/* Norms of normal vectors beyond sqrt(d) + TAIL have probability exp(-TAIL^2/2) < 2^-141. */
#define TAIL 14.0

/* The largest distance of a place of linearisation from the minimiser, in sqrt(eta'): REACH + sqrt(d lambda eta'), lambda eta' <= 1/2. */
#define REACH 2.5

sot_sampler_facts sot_sampler_facts_of(const sot_loss *loss, size_t classes,
                                       size_t columns)
{
    if (loss == NULL)
        return (sot_sampler_facts){.dimension = classes * columns,
                                   .columns = columns,
                                   .slope_most = 0x1.6a09e667f3bcdp+0, /* sqrt 2, up */
                                   .curvature_most = 0.5,
                                   .directions = classes - 1,
                                   .difference_error =
                                       sot_softmax_difference_error(classes)};
    const bool joined = sot_loss_is_callers(loss);
    return (sot_sampler_facts){
        .dimension = columns,
        .columns = columns,
        .slope_most = loss->slope_most,
        .curvature_most = joined ? sot_loss_joined_curvature(loss) : loss->curvature_most,
        .directions = 1,
        .difference_error = joined ? sot_loss_joined_difference_error(loss)
                                   : loss->difference_error_careful,
        .value_zero_most = 0.5 * loss->label_most * loss->label_most};
}

uint64_t sot_sampler_steps(double lambda, double radius, double step, double distance)
{
    const double ways = sot_log_up(sot_div_up(sot_mul_up(2.0, radius), distance));
    if (!(ways > 0.0)) return 1;
    const double drawn = sot_mul_down(lambda, sot_mul_down(step, step));
    const double rate = -sot_log1p_up(-drawn);
    const double steps = ceil(sot_div_up(ways, rate));
    if (!(steps >= 1.0)) return 1;
    return steps < 0x1p62 ? (uint64_t)steps : UINT64_C(1) << 63;
}

/* sqrt(eta') for a given 1/eta, at most sqrt(1 / (2 lambda)); slightly less, so that rounding does no harm. */
static double step_for(double lambda, double pull)
{
    const double precision = fmax(pull + lambda, 2.0 * lambda);
    return sqrt(1.0 / precision) * (1.0 - 0x1p-30);
}

/* Returns a bound on sqrt(eta') times the sum of |x_i|, for any rows: n R s. If eta follows from
 * the rows, eta b F^2 <= 7.4 and the sum is at most sqrt(n) F; the bound is then sqrt(7.4 n / b).
 * b is the curvature per squared unit of rows. */
static double reach_of_rows(const sot_sampler_plan *plan)
{
    const sot_sampler_facts *f = &plan->facts;
    const double rows = (double)f->rows_most;
    if (plan->public_constants) return rows * f->row_bound * plan->step;
    const double b = f->beta * f->curvature_most * (double)f->directions;
    return fmin(sqrt(SOT_SAMPLER_BEND * rows / b),
                rows * f->row_bound / sqrt(2.0 * f->lambda));
}

/* eta' times the curvature of beta times the losses, at most. */
static double bend_of_rows(const sot_sampler_plan *plan)
{
    const sot_sampler_facts *f = &plan->facts;
    if (!plan->public_constants) return SOT_SAMPLER_BEND;
    return fmax(SOT_SAMPLER_BEND, plan->step * plan->step * f->beta * f->curvature_most *
                                      (double)f->directions * (double)f->rows_most *
                                      f->row_bound * f->row_bound);
}

/* Returns the final error of descent to V's minimiser in doubles: exp(-40) of the way, and the
 * roundings of w and of the gradient. Each term of the gradient has
 * columns + block + blocks + chunks roundings. */
static double floor_of_descent(const sot_sampler_plan *plan, double slopes, double prior,
                               double far, double y)
{
    const sot_sampler_facts *f = &plan->facts;
    const double roundings = (double)f->columns + 1024.0 + (double)f->rows_most * 0x1p-8;
    return 0x1p-57 * (2.0 * (slopes + prior) + 4.0 * far) +
           (1.0 + bend_of_rows(plan)) * 0x1p-51 * y / plan->step_least +
           slopes * roundings * 0x1p-51;
}

/* Returns E of proximal.md: a bound on the error of exponents in double-double
 * arithmetic. Lengths are in units of sqrt(eta'), slopes in its inverse. */
static double exponent_error(const sot_sampler_plan *plan)
{
    const sot_sampler_facts *f = &plan->facts;
    const double d = (double)f->dimension;
    const double far = sqrt(d) + TAIL;
    const double bend = bend_of_rows(plan);
    const double spread = 1.0 / sqrt(f->lambda); /* sqrt(eta) at most */
    const double w = f->radius + (REACH + sqrt(0.5 * d)) * spread;
    const double y = f->radius + far * spread;
    const double margin = (4.0 * (double)f->columns + 8.0) * 0x1p-105;
    const double rows = reach_of_rows(plan);
    const double slopes = f->beta * f->slope_most * rows;
    const double prior = sqrt(f->lambda) * (y + f->center_norm);
    const double blur = floor_of_descent(plan, slopes, prior, far, y);
    const double way = 2.0 * far + REACH + blur; /* |p - w| */
    /* |p - mean|: far, 7.4 times w's distance and sqrt(d), together 7.3 sqrt(d) + 32.5 < 8 sqrt(d) + 122 */
    const double noise = 4.0 * way + bend * blur;
    const double tilt = 2.0 * far + slopes + prior + d * spread / f->radius; /* `tilt`
                                                                              * R */
    const double parts = 2.0 * (slopes + prior) + 2.0 * tilt * (y / f->radius);

    const double losses = f->beta * rows * way *
                          (f->difference_error + f->slope_most * (0x1p-95 + margin) +
                           f->curvature_most * margin * f->row_bound * w);
    const double linear = (0x1p-99 + (d + 8.0) * 0x1p-102) * way * parts;
    const double moved =
        0x1p-102 * bend * way * (2.0 * (slopes + prior) + 4.0 * far + noise);
    /* Both p and the mean are in the ball, so that the second factor of e (2 mean + e) is at most 4 R. */
    const double tilted =
        (d + 8.0) * 0x1p-102 * tilt * noise + 0x1p-99 * way * y / plan->step_least;
    return (losses + linear + moved + tilted) * (1.0 + 0x1p-20) + 0x1p-93;
}

static sotto_status check_facts(const sot_sampler_facts *f, sotto_error *error)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"beta", f->beta},
                   {"lambda", f->lambda},
                   {"the radius of the ball", f->radius},
                   {"the bound of the rows", f->row_bound},
                   {"slope_most", f->slope_most}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double value = numbers[k].value;
        if (!(value > 0x1p-200 && value < 0x1p200))
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%s is %g; a sampler needs a positive number from 1e-60 to "
                            "1e60",
                            numbers[k].name, value);
    }
    if (!isfinite(f->curvature_most)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the slope of the loss jumps, and a sampler needs a continuous "
                        "one; use `model=svm`, whose hinge has a smoothed kink");
    }
    return SOTTO_OK;
}

sotto_status sot_proximal_plan(sot_sampler_plan *plan, sotto_error *error)
{
    const sot_sampler_facts *f = &plan->facts;
    sotto_status status = check_facts(f, error);
    if (status != SOTTO_OK) return status;
    const double curvature =
        f->beta * f->curvature_most * (double)f->directions * f->row_bound * f->row_bound;
    if (plan->public_constants) {
        plan->step = step_for(f->lambda, 2.0 * curvature * (double)f->rows_planned);
        plan->step_least = plan->step;
        plan->steps =
            sot_sampler_steps(f->lambda, f->radius, plan->step, plan->distance_mixing);
        plan->steps_most = plan->steps;
    } else {
        plan->step_least = step_for(f->lambda, curvature * (double)f->rows_most /
                                                   (SOT_SAMPLER_TRACE * 0.99)) *
                           (1.0 - 0x1p-20);
        plan->steps_most = sot_sampler_steps(f->lambda, f->radius, plan->step_least,
                                             plan->distance_mixing);
    }
    const double d = (double)f->dimension;
    const double spread = 1.0 / sqrt(f->lambda);
    const double y = f->radius + (sqrt(d) + TAIL) * spread;
    if (y / plan->step_least > 0x1p40 || plan->steps_most >= UINT64_C(1) << 60) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the sampler would take steps of %.3g in a ball of radius %.3g; "
                        "raise `lambda`, or lower `radius` or `epsilon`",
                        plan->step_least, f->radius);
    }
    plan->guard = exponent_error(plan);
    /* Two coins per step, each within twice its error of being wrong; and the tails. */
    plan->total_variation =
        (double)plan->steps_most * (4.0 * plan->guard + 0x1p-94) * (1.0 + 0x1p-20);
    if (!(plan->total_variation < 0x1p-20)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "decisions would be wrong with probability %.2g; raise `lambda`, "
                        "or lower `radius` or `epsilon`",
                        fmin(1.0, plan->total_variation));
    }
    /* y and x are rounded at 2^-99 of their size; a step removes the share lambda eta' of it. */
    const double each = 0x1p-98 * 2.0 * y;
    const double gathered =
        each / (f->lambda * plan->step_least * plan->step_least) * (1.0 + 0x1p-20);
    plan->distance_rounding = sot_add_up(gathered, sot_mul_up(f->radius, 0x1.001p-53));
    plan->distance = sot_add_up(plan->distance_mixing, plan->distance_rounding);
    return SOTTO_OK;
}
