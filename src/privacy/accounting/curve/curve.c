#include <math.h>

#include <sotto/curve.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/roots.h"

enum { SHARPEN_EVALUATIONS = 14 };

struct sotto_curve {
    sotto_account *points; /* `count` of the profile, then `extra` in any order */
    size_t count;
    size_t extra;
    sotto_accountant accountant;
};

/* ---- the profile ---- */

static sotto_status check_request(double delta_least, size_t points, sotto_error *error)
{
    if (!(delta_least >= 0.0 && delta_least < 1.0)) { /* NaN too */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the smallest delta is %g; it is at least 0 and below 1; for example 1e-9",
            delta_least);
    }
    if (points < 2 || points > SOTTO_CURVE_POINTS_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`points` is %zu; give a number from 2 to %d, for example `points=100`",
            points, SOTTO_CURVE_POINTS_MAX);
    }
    return SOTTO_OK;
}

/* The exact profile decreases, so a bound further left holds here too, and a lower bound
 * further right. */
static void make_monotone(sotto_account *points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        points[i].delta = fmin(points[i].delta, points[i - 1].delta);
    for (size_t i = count; i-- > 1;) {
        if (points[i].delta_lower > points[i - 1].delta_lower)
            points[i - 1].delta_lower = points[i].delta_lower;
    }
}

static sotto_status fill(sotto_curve *curve, const sotto_plan *plan,
                         const sotto_account *last, sotto_error *error)
{
    const size_t steps = curve->count - 1;
    for (size_t i = 0; i < steps; i++) {
        const double epsilon = last->epsilon * ((double)i / (double)steps);
        const sotto_status status = sotto_account_delta(plan, curve->accountant, epsilon,
                                                        &curve->points[i], error);
        if (status != SOTTO_OK) return status;
    }
    /* Asked for epsilon, the last point has its lower bound there; as a point of the profile
     * it has none. */
    curve->points[steps] = *last;
    if (!isnan(last->delta_lower)) curve->points[steps].delta_lower = 0.0;
    curve->points[steps].epsilon_lower = last->epsilon;
    make_monotone(curve->points, curve->count);
    return SOTTO_OK;
}

sotto_status sotto_curve_new(const sotto_plan *plan, sotto_accountant accountant,
                             double delta_least, size_t points, sotto_curve **out_curve,
                             sotto_error *error)
{
    sotto_account last;
    sotto_status status = check_request(delta_least, points, error);
    if (status != SOTTO_OK) return status;
    status = sotto_account_epsilon(plan, accountant, delta_least, &last, error);
    if (status != SOTTO_OK) return status;
    sotto_curve *curve = sot_new_array(1, sizeof *curve);
    if (curve == NULL) return sot_fail_memory(error, 1, sizeof *curve);
    *curve = (sotto_curve){.count = points, .accountant = accountant};
    curve->points = sot_new_array(points, sizeof *curve->points);
    status = curve->points == NULL ? sot_fail_memory(error, points, sizeof *curve->points)
                                   : fill(curve, plan, &last, error);
    if (status != SOTTO_OK) {
        sotto_curve_free(curve);
        return status;
    }
    *out_curve = curve;
    return SOTTO_OK;
}

void sotto_curve_free(sotto_curve *curve)
{
    if (curve == NULL) return;
    sot_free(curve->points);
    sot_free(curve);
}

size_t sotto_curve_size(const sotto_curve *curve)
{
    return curve->count;
}

const sotto_account *sotto_curve_points(const sotto_curve *curve)
{
    return curve->points;
}

/* ---- the attack ---- */

double sotto_curve_attack(const sotto_curve *curve, double false_positive_rate)
{
    return sotto_account_attack(curve->points, curve->count + curve->extra,
                                false_positive_rate);
}

double sotto_curve_trade_off(const sotto_curve *curve, double false_positive_rate)
{
    const double missed =
        sot_sub_down(1.0, sotto_curve_attack(curve, false_positive_rate));
    return missed > 0.0 ? missed : 0.0; /* nor is it -0 */
}

typedef struct search {
    sotto_curve *curve;
    const sotto_plan *plan;
    double false_positive_rate;
    size_t room; /* points that may still be added */
    sotto_status status;
    sotto_error *error;
} search;

/* Returns the bound of the pair at `epsilon`, and keeps the pair: every priced pair is a
 * guarantee, for any path of the search. */
static double bound_at(double epsilon, void *context)
{
    search *asked = context;
    sotto_curve *curve = asked->curve;
    sotto_account *point = &curve->points[curve->count + curve->extra];
    if (asked->status != SOTTO_OK || asked->room == 0) return SOTTO_UNSET;
    asked->status = sotto_account_delta(asked->plan, curve->accountant,
                                        fmax(epsilon, 0.0), point, asked->error);
    if (asked->status != SOTTO_OK) return SOTTO_UNSET;
    curve->extra++;
    asked->room--;
    return sotto_account_attack(point, 1, asked->false_positive_rate);
}

static size_t best_point(const sotto_curve *curve, double false_positive_rate)
{
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < curve->count; i++) {
        const double bound =
            sotto_account_attack(&curve->points[i], 1, false_positive_rate);
        if (bound < least) {
            least = bound;
            best = i;
        }
    }
    return best;
}

/* The bound e^epsilon f + delta(epsilon) is convex in e^epsilon. So the best epsilon lies
 * between the neighbours of the best point; after the last point the interval is
 * unbounded. */
sotto_status sotto_curve_sharpen(sotto_curve *curve, const sotto_plan *plan,
                                 double false_positive_rate, sotto_error *error)
{
    if (!(false_positive_rate > 0.0 && false_positive_rate < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the false positive rate is %g; give a number between 0 and 1, for example "
            "0.001",
            false_positive_rate);
    }
    const size_t have = curve->count + curve->extra;
    sotto_account *grown =
        sot_resize_array(curve->points, have, have + SHARPEN_EVALUATIONS, sizeof *grown);
    if (grown == NULL) {
        return sot_fail_memory(error, have + SHARPEN_EVALUATIONS, sizeof *grown);
    }
    curve->points = grown;
    const size_t best = best_point(curve, false_positive_rate), last = curve->count - 1;
    const double lower = best == 0 ? 0.0 : grown[best - 1].epsilon;
    const double upper = fmin(1e9, best == last ? 2.0 * grown[last].epsilon + 1.0
                                                : grown[best + 1].epsilon);
    search asked = {.curve = curve,
                    .plan = plan,
                    .false_positive_rate = false_positive_rate,
                    .room = SHARPEN_EVALUATIONS,
                    .status = SOTTO_OK,
                    .error = error};
    if (lower < upper) {
        (void)sot_minimize(bound_at, &asked, lower, upper, 1e-4, SHARPEN_EVALUATIONS,
                           NULL);
    }
    return asked.status;
}
