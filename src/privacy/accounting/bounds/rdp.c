/* Renyi differential privacy at the best real order.
 *
 * Theorem     RDP of order a = t + 1 of the composition is K(t)/t (Mironov, CSF 2017). From it
 *             (Canonne, Kamath & Steinke, NeurIPS 2020, Prop. 12)
 *                 eps = rdp + log(1 - 1/a) - (log delta + log a)/(a - 1)
 *                     = (K(t) - log delta + log kappa(t))/t,   kappa(t) = t^t/(1+t)^(1+t),
 *             and log delta = K(t) - t eps + log kappa(t). Every t > 0 is valid; the best one
 *             is found by a search whose result needs no proof.
 * Direction   "Remove" suffices. For the sampled Gaussian D_a(P|Q) >= D_a(Q|P) at every order
 *             (Mironov, Talwar & Zhang 2019, Thm 5). Objective perturbation is priced at the
 *             worse of its two directions. The other events are symmetric. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"

typedef struct question {
    const sot_composition *composition;
    double log_delta; /* for epsilon */
    double epsilon;   /* for delta */
} question;

static double log_kappa(double t)
{
    return -t * log1p(1.0 / t) - log1p(t);
}

/* K(t) + log kappa(t), rounded up. */
static double exponent_upper(const question *asked, double t)
{
    const double k = sot_composition_log_mgf_upper(asked->composition, SOT_REMOVE, t);
    const double kappa = log_kappa(t);
    return k + kappa + 32.0 * DBL_EPSILON * (fabs(k) + fabs(kappa) + 1.0);
}

static double exponent_estimate(const question *asked, double t)
{
    double k = sot_composition_renyi_estimate(asked->composition, t);
    if (!isfinite(k)) {
        k = sot_composition_log_mgf_upper(asked->composition, SOT_REMOVE, t);
    }
    return k + log_kappa(t);
}

/* The answers as functions of t, from K(t) + log kappa(t); infinite stays infinite. */
static double epsilon_from(const question *asked, double t, double exponent)
{
    return isfinite(exponent) ? (exponent - asked->log_delta) / t : HUGE_VAL;
}

static double log_delta_from(const question *asked, double t, double exponent)
{
    return isfinite(exponent) ? exponent - t * asked->epsilon : HUGE_VAL;
}

static double epsilon_estimate(double log_t, void *context)
{
    const double t = exp(log_t);
    return epsilon_from(context, t, exponent_estimate(context, t));
}

static double log_delta_estimate(double log_t, void *context)
{
    const double t = exp(log_t);
    return log_delta_from(context, t, exponent_estimate(context, t));
}

/* Both questions are unimodal in log t. The lowest order depends on the size of the
 * plan's loss, so the search starts on a coarse scan. */
static double best_log_t(sot_function objective, question *asked)
{
    const double lowest = log(1e-6);
    const double highest = log(1e13);
    /* A user's curve ends at its last order. */
    double best = log(fmin(10.0, sot_composition_t_max(asked->composition)));
    double least = objective(best, asked);
    for (double direction = -1.0; direction <= 1.0; direction += 2.0) {
        for (double at = best + direction * 1.5; at > lowest && at < highest;
             at += direction * 1.5) {
            const double value = objective(at, asked);
            if (value < least) {
                least = value;
                best = at;
            } else if (value > least || isinf(value)) {
                break;
            }
        }
    }
    return sot_minimize(objective, asked, best - 1.5, best + 1.5, 1e-5, 60, NULL);
}

/* A user's curve has kinks at its orders, and the best order is often at a kink, where the search
 * only comes close. So this also tries the orders of the first curves around the found one, and
 * the last one. */
typedef double (*answer_at)(const question *asked, double t, double exponent);

static double best_of_kinks(answer_at answer, const question *asked, double t,
                            double *out_best)
{
    const sot_composition *composition = asked->composition;
    const size_t few = composition->curve_count < 8 ? composition->curve_count : 8;
    double least = answer(asked, t, exponent_upper(asked, t));
    *out_best = t;
    for (size_t i = 0; i < few; i++) {
        const sotto_event *event = composition->curves[i].event;
        uint32_t above = 0;
        while (above < event->curve_size && event->curve_orders[above] - 1.0 < t)
            above++;
        for (uint32_t j = above > 0 ? above - 1 : 0; j <= above && j < event->curve_size;
             j++) {
            const double at = event->curve_orders[j] - 1.0;
            const double value = answer(asked, at, exponent_upper(asked, at));
            if (!(value < least)) continue;
            least = value;
            *out_best = at;
        }
    }
    return least;
}

sotto_status sot_rdp_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error)
{
    double finite;
    const sotto_status status =
        sot_finite_delta(priced->composition, delta, &finite, error);
    if (status != SOTTO_OK) return status;
    if (finite == 0.0) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`delta` is %g, which leaves nothing for Renyi's bound, which "
                        "needs more than the events' own deltas; give a larger `delta`",
                        delta);
    }
    question asked = {priced->composition, sot_widen_down(log(finite), 4.0 * DBL_EPSILON),
                      SOTTO_UNSET};
    const double found = exp(best_log_t(epsilon_estimate, &asked));
    double t;
    const double epsilon = best_of_kinks(epsilon_from, &asked, found, &t);
    out->epsilon = fmax(0.0, sot_widen_up(epsilon, 16.0 * DBL_EPSILON));
    out->order = 1.0 + t;
    if (!isfinite(out->epsilon)) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "no Renyi order gives a finite epsilon at delta %g; use more noise", delta);
    }
    out->delta = delta;
    out->epsilon_lower = SOTTO_UNSET;
    out->delta_lower = SOTTO_UNSET;
    out->kernel = SOTTO_KERNEL_RDP;
    return SOTTO_OK;
}

sotto_status sot_rdp_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error)
{
    (void)error;
    question asked = {priced->composition, SOTTO_UNSET, epsilon};
    const double found = exp(best_log_t(log_delta_estimate, &asked));
    double t;
    const double log_delta = best_of_kinks(log_delta_from, &asked, found, &t);
    const double rounded = log_delta + 16.0 * DBL_EPSILON * fabs(log_delta);
    const double finite = isfinite(log_delta) ? fmin(1.0, sot_exp_up(rounded)) : 1.0;
    out->order = 1.0 + t;
    out->epsilon = epsilon;
    out->delta =
        sot_composition_whole_delta(priced->composition, (sot_bracket){0.0, finite})
            .upper;
    out->epsilon_lower = SOTTO_UNSET;
    out->delta_lower = SOTTO_UNSET;
    out->kernel = SOTTO_KERNEL_RDP;
    return SOTTO_OK;
}

/* K(t)/t, rounded up. */
static double divergence_upper(const sot_composition *composition, double t)
{
    const double k = sot_composition_log_mgf_upper(composition, SOT_REMOVE, t);
    const double rdp = sot_widen_up(k / t, 4.0 * DBL_EPSILON);
    return isnan(rdp) ? HUGE_VAL : rdp;
}

double sot_rdp_at_upper(const sot_composition *composition, double order)
{
    const double t =
        order - 1.0; /* exact: Sterbenz below 2, a multiple of order's ulp above */
    /* The divergence increases with the order, so a larger order bounds it too. This helps close
     * to 1, where the division by t amplifies the rounding of K. It also helps where the
     * quadrature fails but the finite sum of the next whole order does not. */
    double rdp = divergence_upper(composition, t);
    for (double larger = 0.01; larger > t && larger > 1e-10; larger *= 0.1)
        rdp = fmin(rdp, divergence_upper(composition, larger));
    if (ceil(t) > t) rdp = fmin(rdp, divergence_upper(composition, ceil(t)));
    return rdp;
}

sotto_status sotto_account_rdp_with_delta(const sotto_plan *plan, double order,
                                          double *out_rdp_upper, double *out_delta_upper,
                                          sotto_error *error)
{
    if (!(order > 1.0) || isinf(order)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`order` is %g; a Renyi order is finite and above 1; for example `order=8`",
            order);
    }
    sot_composition *composition;
    const sotto_status status =
        sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    *out_delta_upper = composition->failure.upper;
    *out_rdp_upper = sot_rdp_at_upper(composition, order);
    sot_composition_free(composition);
    return SOTTO_OK;
}

sotto_status sotto_account_rdp(const sotto_plan *plan, double order,
                               double *out_rdp_upper, sotto_error *error)
{
    double rdp, delta;
    const sotto_status status =
        sotto_account_rdp_with_delta(plan, order, &rdp, &delta, error);
    if (status != SOTTO_OK) return status;
    if (delta > 0.0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the plan has an approximate event, whose Renyi divergence is "
                        "infinite; ask for epsilon at a delta");
    }
    *out_rdp_upper = rdp;
    return SOTTO_OK;
}
