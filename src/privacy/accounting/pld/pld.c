/* The accountant pld: a second opinion that shares no integral, transform or search with the
 * exact one. Distributions of single events (distribution.h) are put on a grid (cells.h, nodes.h)
 * and composed by FFT (compose.h), from above and from below, in both directions. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/pld/plan.h"

/* About 0.1 s a direction at the limit. */
static const sot_pld_limits ordinary = {.tolerance = 1e-5, .size_max = (size_t)1 << 19};

/* Both bounds of one direction. */
typedef struct both_curves {
    sot_pld_curve side[2];
    sot_bracket failure;
    double top; /* no loss is larger; often infinite */
    double window_top;
    int is_loose; /* no lower bounds */
} both_curves;

static void curves_free(both_curves *curves)
{
    sot_pld_curve_free(&curves->side[SOT_PLD_UPPER]);
    sot_pld_curve_free(&curves->side[SOT_PLD_LOWER]);
}

static double largest_loss(const sot_pld_laws *laws)
{
    double sum = 0.0;
    for (size_t i = 0; i < laws->count; i++)
        sum = sot_add_up(
            sum, sot_mul_up(laws->list[i].count, sot_pld_law_top(&laws->list[i])));
    return sum;
}

/* The distributions on the grid, for both sides: `nodes` has 2 places per
 * distribution. */
static sotto_status discretise(const sot_pld_laws *laws, const sot_pld_view *view,
                               sot_pld_nodes *nodes, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < laws->count && status == SOTTO_OK; i++) {
        sot_pld_cells cells;
        const sot_pld_law *law = &laws->list[i];
        status = sot_pld_cells_new(law, view->spacing, sot_pld_view_reach(view, law, i),
                                   &cells, error);
        if (status != SOTTO_OK) return status;
        status = sot_pld_nodes_new(&cells, SOT_PLD_UPPER, law->count, view->theta,
                                   &nodes[i], error);
        if (status == SOTTO_OK)
            status = sot_pld_nodes_new(&cells, SOT_PLD_LOWER, law->count, view->theta,
                                       &nodes[laws->count + i], error);
        sot_pld_cells_free(&cells);
    }
    return status;
}

/* An empty list of distributions loses nothing: the curves stay zero-filled, and delta is
 * the failure. */
static sotto_status curves_new(const sot_pld_laws *laws, const sot_pld_question *question,
                               const sot_pld_limits *limits, both_curves *out,
                               sotto_error *error)
{
    *out = (both_curves){
        .failure = laws->failure, .top = largest_loss(laws), .is_loose = laws->is_loose};
    if (laws->count == 0) return SOTTO_OK;
    const size_t count = laws->count;
    sot_pld_view view = {0};
    double *guess = sot_new_array(3 * count, sizeof *guess);
    sot_pld_nodes *nodes = sot_new_array(2 * count, sizeof *nodes);
    sotto_status status = SOTTO_OK;
    if (guess == NULL || nodes == NULL)
        status = sot_fail_memory(error, 2 * count, sizeof *nodes);
    if (status == SOTTO_OK)
        status = sot_pld_plan(laws, question, limits, guess, &view, error);
    if (status == SOTTO_OK) status = discretise(laws, &view, nodes, error);
    for (int side = 0; side < 2 && status == SOTTO_OK; side++) {
        status = sot_pld_compose(nodes + (size_t)side * count, count, &view,
                                 (sot_pld_side)side, &out->side[side], error);
    }
    out->window_top = view.bottom + (double)view.size * view.spacing;
    for (size_t i = 0; nodes != NULL && i < 2 * count; i++)
        sot_pld_nodes_free(&nodes[i]);
    sot_free(nodes);
    sot_free(guess);
    if (status != SOTTO_OK) curves_free(out);
    return status;
}

/* F + (1 - F) delta, and 0 for the finite part beyond the largest loss. */
static double whole_upper(const both_curves *curves, double epsilon)
{
    double finite = 0.0;
    if (epsilon < curves->top) finite = sot_pld_curve_delta(&curves->side[0], epsilon);
    const double failed = curves->failure.upper;
    return fmin(1.0, sot_add_up(failed, sot_mul_up(sot_sub_up(1.0, failed), finite)));
}

static double whole_lower(const both_curves *curves, double epsilon)
{
    if (curves->is_loose) return 0.0;

    double finite = 0.0;
    if (epsilon < curves->top) finite = sot_pld_curve_delta(&curves->side[1], epsilon);
    const double failed = curves->failure.lower;
    return sot_add_down(failed, sot_mul_down(sot_sub_down(1.0, failed), finite));
}

/* ---- epsilon at delta: the answers are epsilons at which a bound was evaluated ---- */

/* The least epsilon found whose upper delta is at most `delta`; negative when there is none. */
static double least_epsilon(const both_curves *curves, double delta)
{
    if (whole_upper(curves, 0.0) <= delta) return 0.0;
    double low = 0.0;
    double high = fmin(fmax(curves->window_top, DBL_MIN), curves->top);
    while (!(whole_upper(curves, high) <= delta)) {
        low = high;
        high *= 1.25;
        if (high > 1e9) return -1.0;
    }
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = low + 0.5 * (high - low);
        if (whole_upper(curves, middle) <= delta) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The largest epsilon found below `upper` whose lower delta is above `delta`; 0 at worst. Stepping
 * down from `upper`: far below, the lower bound is lost in its own error. */
static double exceeded_epsilon(const both_curves *curves, double upper, double delta)
{
    double low = upper;
    double high = upper;
    double step = 1e-12;
    while (!(whole_lower(curves, low) > delta)) {
        high = low;
        low = upper * (1.0 - step);
        step *= 2.0;
        if (!(low > 0.0)) return 0.0;
    }
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = low + 0.5 * (high - low);
        if (whole_lower(curves, middle) > delta) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static sotto_status direction_curves(const sot_priced *priced, sot_direction direction,
                                     const sot_pld_question *question,
                                     const sot_pld_limits *limits, both_curves *out,
                                     int *out_symmetric, sotto_error *error)
{
    sot_pld_laws laws;
    sotto_status status = sot_pld_laws_new(priced, direction, &laws, error);
    if (status != SOTTO_OK) return status;
    *out_symmetric = laws.is_symmetric;
    status = curves_new(&laws, question, limits, out, error);
    sot_pld_laws_free(&laws);
    return status;
}

/* No delta is left for the finite part: the largest loss, if there is one. */
static sotto_status bounded_epsilon(double top, sotto_account *out, sotto_error *error)
{
    if (isfinite(top)) {
        out->epsilon = fmax(out->epsilon, top);
        return SOTTO_OK;
    }
    return sot_fail(
        error, SOTTO_UNREACHABLE,
        "delta is 0 (or used up by approximate events), but the plan has events "
        "of unbounded loss, which need a delta above 0");
}

static sotto_status direction_epsilon(const sot_pld_laws *laws, double delta,
                                      const sot_pld_limits *limits, sotto_account *out,
                                      sotto_error *error)
{
    const double failed = laws->failure.upper;
    if (delta < failed) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`delta` is %g, less than the %g that the plan's own approximate "
                        "events use up; give a larger delta",
                        delta, failed);
    }
    if (delta == failed) return bounded_epsilon(largest_loss(laws), out, error);
    both_curves curves;
    const sot_pld_question question = {
        .epsilon = SOTTO_UNSET, .log_delta = log((delta - failed) / (1.0 - failed))};
    const sotto_status status = curves_new(laws, &question, limits, &curves, error);
    if (status != SOTTO_OK) return status;
    const double upper = least_epsilon(&curves, delta);
    const double lower = upper < 0.0 ? 0.0 : exceeded_epsilon(&curves, upper, delta);
    curves_free(&curves);
    if (upper < 0.0) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "the accountant pld finds no epsilon up to 1e9 at delta %g; use "
                        "`accountant=exact`, more noise or a larger `delta`",
                        delta);
    }
    out->epsilon = fmax(out->epsilon, upper);
    out->epsilon_lower = fmax(out->epsilon_lower, lower);
    return SOTTO_OK;
}

sotto_status sot_pld_epsilon_within(const sot_priced *priced, double delta,
                                    const sot_pld_limits *limits, sotto_account *out,
                                    sotto_error *error)
{
    out->delta = delta;
    out->delta_lower = SOTTO_UNSET;
    out->epsilon = 0.0;
    out->epsilon_lower = 0.0;
    out->order = SOTTO_UNSET;
    out->kernel = SOTTO_KERNEL_PLD;
    int symmetric = 0;
    for (int direction = 0; direction < 2 && !symmetric; direction++) {
        sot_pld_laws laws;
        sotto_status status =
            sot_pld_laws_new(priced, (sot_direction)direction, &laws, error);
        if (status != SOTTO_OK) return status;
        symmetric = laws.is_symmetric;
        status = direction_epsilon(&laws, delta, limits, out, error);
        sot_pld_laws_free(&laws);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

sotto_status sot_pld_delta_within(const sot_priced *priced, double epsilon,
                                  const sot_pld_limits *limits, sotto_account *out,
                                  sotto_error *error)
{
    out->epsilon = epsilon;
    out->epsilon_lower = SOTTO_UNSET;
    out->delta = 0.0;
    out->delta_lower = 0.0;
    out->order = SOTTO_UNSET;
    out->kernel = SOTTO_KERNEL_PLD;
    int symmetric = 0;
    for (int direction = 0; direction < 2 && !symmetric; direction++) {
        both_curves curves;
        const sot_pld_question question = {.epsilon = epsilon, .log_delta = SOTTO_UNSET};
        const sotto_status status =
            direction_curves(priced, (sot_direction)direction, &question, limits, &curves,
                             &symmetric, error);
        if (status != SOTTO_OK) return status;
        out->delta = fmax(out->delta, whole_upper(&curves, epsilon));
        out->delta_lower = fmax(out->delta_lower, whole_lower(&curves, epsilon));
        curves_free(&curves);
    }
    return SOTTO_OK;
}

sotto_status sot_pld_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error)
{
    return sot_pld_epsilon_within(priced, delta, &ordinary, out, error);
}

sotto_status sot_pld_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error)
{
    return sot_pld_delta_within(priced, epsilon, &ordinary, out, error);
}
