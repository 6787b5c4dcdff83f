/* The exact accountant: the tightest certified answer there is, and it says how it got it.
 * Order of retreat: closed form; contour; contour with a virtual Gaussian; Renyi; and the sum of
 * the events' epsilons where that is less. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/closed_form.h"
#include "privacy/accounting/contour.h"
#include "privacy/accounting/gaussian_profile.h"
#include "privacy/accounting/law_circle.h"
#include "privacy/accounting/solve.h"

/* About a fifth of a second of node evaluations. */
static const double work_max = 2e8;

/* Virtual Gaussians to try, smallest (tightest) first. */
static const double smoothings[] = {0.0, 1e-4, 1e-3, 4e-3, 1.6e-2, 6.4e-2};
enum { SMOOTHINGS = sizeof smoothings / sizeof smoothings[0] };

/* The first contour that fits the work limit, made for epsilon or (if NaN) for log_delta. */
static sotto_status first_contour(const sot_composition *composition,
                                  sot_direction direction, double epsilon,
                                  double log_delta, sot_contour **out_contour,
                                  sotto_error *error)
{
    sotto_status status = SOTTO_UNSUPPORTED;
    if (composition->objective_count > 0) { /* its transform is not tabulated */
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "no contour for objective perturbation beside sampled or many "
                        "events; use the accountant rdp");
    }
    for (int i = 0; i < SMOOTHINGS && status == SOTTO_UNSUPPORTED; i++) {
        const sot_contour_request request = {.composition = composition,
                                             .direction = direction,
                                             .epsilon = epsilon,
                                             .log_delta = log_delta,
                                             .smoothing = smoothings[i],
                                             .work_max = work_max};
        status = sot_contour_new(&request, out_contour, error);
    }
    return status;
}

/* One law on a lattice and nothing else: a sum over the circle instead of a contour. */
static bool is_circle(const sot_composition *composition)
{
    return composition->law_count == 1 && composition->pure_count == 0 &&
           composition->sampled_count == 0 && composition->objective_count == 0 &&
           composition->gaussian_square.upper == 0.0 &&
           sot_circle_covers(&composition->laws[0]);
}

/* The largest loss the whole composition can have in this direction. */
static double loss_max(const sot_composition *composition, sot_direction direction)
{
    if (composition->gaussian_square.upper > 0.0 || composition->objective_count > 0)
        return INFINITY;
    double sum = 0.0;
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const double once = sot_sampled_loss_max(&composition->sampled[i], direction);
        sum = sot_add_up(sum, sot_mul_up(composition->sampled[i].count, once));
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        sum = sot_add_up(sum, sot_mul_up(pure->count, pure->epsilon));
    }
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        sum = sot_add_up(sum, sot_mul_up(law->count, sot_law_loss_max(law)));
    }
    return sum;
}

/* True when Renyi's bound already shows that delta in this direction is at most `delta`: the
 * add direction is usually far below the other, and then costs almost nothing. */
static bool surely_below(const sot_composition *composition, sot_direction direction,
                         double epsilon, double delta)
{
    if (delta <= 0.0 || sot_closed_form_covers(composition)) return false;
    const sot_contour_request request = {
        .composition = composition, .direction = direction, .epsilon = epsilon};
    return sot_contour_log_chernoff(&request) < sot_log_down(delta);
}

/* ---- delta at epsilon ---- */

/* The finite part's bracket in one direction by closed form or contour; the kernel used. */
static sotto_status direction_delta(const sot_composition *composition,
                                    sot_direction direction, double epsilon,
                                    sot_bracket *out_delta, sotto_kernel *out_kernel,
                                    sotto_error *error)
{
    if (epsilon >= loss_max(composition, direction)) {
        *out_kernel = SOTTO_KERNEL_CLOSED_FORM;
        *out_delta = (sot_bracket){0.0, 0.0};
        return SOTTO_OK;
    }
    if (sot_closed_form_covers(composition)) {
        *out_kernel = SOTTO_KERNEL_CLOSED_FORM;
        *out_delta = sot_closed_form_delta(composition, direction, epsilon);
        return SOTTO_OK;
    }
    sotto_status status = SOTTO_UNSUPPORTED;
    if (is_circle(composition)) {
        sot_circle *circle;
        status = sot_circle_new(&composition->laws[0], epsilon, NAN, &circle, error);
        if (status == SOTTO_OK) {
            *out_kernel = SOTTO_KERNEL_CONTOUR;
            *out_delta = sot_circle_delta(circle, epsilon);
            sot_circle_free(circle);
        }
        if (status != SOTTO_UNSUPPORTED) return status;
    }
    sot_contour *contour;
    status = first_contour(composition, direction, epsilon, NAN, &contour, error);
    if (status != SOTTO_OK) return status;
    *out_delta = sot_contour_delta(contour, epsilon);
    double shift;
    double loss;
    sot_contour_unsmoothed_lower(contour, out_delta->upper, &shift, &loss);
    *out_kernel = SOTTO_KERNEL_CONTOUR;
    if (shift > 0.0) {
        *out_kernel = SOTTO_KERNEL_CONTOUR_SMOOTHED;
        out_delta->lower =
            fmax(0.0, sot_contour_delta(contour, epsilon + shift).lower - loss);
    }
    sot_contour_free(contour);
    return SOTTO_OK;
}

/* Renyi's answer, or the sum of the events', where the contour's is worse or missing; the lower
 * end, which may be the trivial 0, stays. */
static sotto_status better_of_bounds_delta(const sot_priced *priced, double epsilon,
                                           sotto_account *out, sotto_error *error)
{
    const size_t few = 16; /* basic composition searches for delta, event by event */
    const double lower = out->delta_lower;
    sotto_account other = *out;
    sotto_status status = sot_rdp_delta(priced, epsilon, &other, error);
    if (status == SOTTO_OK && !(out->delta <= other.delta)) *out = other;
    if (status == SOTTO_OK && sotto_plan_size(priced->plan) <= few) {
        status = sot_basic_delta(priced, epsilon, &other, error);
        if (status == SOTTO_OK && other.delta < out->delta) *out = other;
    }
    out->delta_lower = lower;
    return status;
}

/* At a large epsilon delta may be below all numbers: Renyi's bound then says as much as any integral, and
 * sooner. */
static bool underflows(const sot_priced *priced, double epsilon, sotto_error *error)
{
    sotto_account account = {.order = NAN};
    if (epsilon < 50.0 || sot_closed_form_covers(priced->composition)) return false;
    if (sot_rdp_delta(priced, epsilon, &account, error) != SOTTO_OK) return false;
    return account.delta - priced->composition->failure.upper < 1e-280;
}

sotto_status sot_exact_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error)
{
    const sot_composition *composition = priced->composition;
    out->epsilon = epsilon;
    out->epsilon_lower = NAN;
    out->delta = NAN;
    out->delta_lower = 0.0;
    out->order = NAN;
    if (sot_composition_is_renyi(composition)) {
        return better_of_bounds_delta(priced, epsilon, out, error);
    }
    if (underflows(priced, epsilon, error))
        return better_of_bounds_delta(priced, epsilon, out, error);
    const int directions = sot_composition_is_symmetric(composition) ? 1 : 2;
    sot_bracket worst = {0.0, 0.0};
    sotto_kernel kernel = SOTTO_KERNEL_CLOSED_FORM;
    for (int direction = 0; direction < directions; direction++) {
        if (surely_below(composition, (sot_direction)direction, epsilon, worst.lower))
            continue;
        sot_bracket delta;
        sotto_kernel used = SOTTO_KERNEL_RDP;
        const sotto_status status = direction_delta(composition, (sot_direction)direction,
                                                    epsilon, &delta, &used, error);
        if (status == SOTTO_UNSUPPORTED) {
            out->delta_lower = sot_composition_whole_delta(composition, worst).lower;
            return better_of_bounds_delta(priced, epsilon, out, error);
        }
        if (status != SOTTO_OK) return status;
        if (delta.upper >= worst.upper) kernel = used;
        worst.upper = fmax(worst.upper, delta.upper);
        worst.lower = fmax(worst.lower, delta.lower);
    }
    const sot_bracket whole = sot_composition_whole_delta(composition, worst);
    out->delta = whole.upper;
    out->delta_lower = whole.lower;
    out->kernel = kernel;
    if (kernel == SOTTO_KERNEL_CONTOUR_SMOOTHED || whole.upper > 1.01 * whole.lower ||
        sot_composition_has_range(composition)) {
        return better_of_bounds_delta(priced, epsilon, out, error);
    }
    return SOTTO_OK;
}

/* ---- epsilon at delta ---- */

typedef struct closed_profile {
    const sot_composition *composition;
    sot_direction direction;
} closed_profile;

static sot_bracket closed_profile_at(double epsilon, void *context)
{
    const closed_profile *profile = context;
    return sot_closed_form_delta(profile->composition, profile->direction, epsilon);
}

static sot_bracket contour_profile_at(double epsilon, void *context)
{
    return sot_contour_delta(context, epsilon);
}

static sot_bracket circle_profile_at(double epsilon, void *context)
{
    return sot_circle_delta(context, epsilon);
}

static sotto_status circle_epsilon(const sot_composition *composition, double delta,
                                   sot_bracket *out_epsilon, sotto_error *error)
{
    sot_circle *circle;
    sotto_status status =
        sot_circle_new(&composition->laws[0], NAN, log(delta), &circle, error);
    if (status != SOTTO_OK) return status;
    const double guess = fmax(1e-9, sot_circle_epsilon_guess(circle, log(delta)));
    status =
        sot_solve_epsilon(circle_profile_at, circle, delta, guess, out_epsilon, error);
    sot_circle_free(circle);
    return status;
}

static sotto_status contour_epsilon(const sot_composition *composition,
                                    sot_direction direction, double delta,
                                    sot_bracket *out_epsilon, sotto_kernel *out_kernel,
                                    sotto_error *error)
{
    sot_contour *contour;
    sotto_status status =
        first_contour(composition, direction, NAN, log(delta), &contour, error);
    if (status != SOTTO_OK) return status;
    const double guess = fmax(1e-9, sot_contour_epsilon_guess(contour, log(delta)));
    status =
        sot_solve_epsilon(contour_profile_at, contour, delta, guess, out_epsilon, error);
    double shift;
    double loss;
    sot_contour_unsmoothed_lower(contour, delta, &shift, &loss);
    *out_kernel = shift > 0.0 ? SOTTO_KERNEL_CONTOUR_SMOOTHED : SOTTO_KERNEL_CONTOUR;
    if (status == SOTTO_OK && shift > 0.0) {
        /* delta(e) >= delta_tau(e + shift) - loss: solve at delta + loss and step back. */
        sot_bracket raised;
        status = sot_solve_epsilon(contour_profile_at, contour, sot_add_up(delta, loss),
                                   guess, &raised, error);
        out_epsilon->lower = fmax(0.0, raised.lower - shift);
    }
    sot_contour_free(contour);
    return status;
}

static sotto_status direction_epsilon(const sot_composition *composition,
                                      sot_direction direction, double delta,
                                      sot_bracket *out_epsilon, sotto_kernel *out_kernel,
                                      sotto_error *error)
{
    sotto_status status;
    if (sot_closed_form_covers(composition)) {
        closed_profile profile = {composition, direction};
        *out_kernel = SOTTO_KERNEL_CLOSED_FORM;
        status = sot_solve_epsilon(closed_profile_at, &profile, delta, 1.0, out_epsilon,
                                   error);
    } else {
        status = SOTTO_UNSUPPORTED;
        *out_kernel = SOTTO_KERNEL_CONTOUR;
        if (is_circle(composition))
            status = circle_epsilon(composition, delta, out_epsilon, error);
        if (status == SOTTO_UNSUPPORTED) {
            status = contour_epsilon(composition, direction, delta, out_epsilon,
                                     out_kernel, error);
        }
    }
    const double most = loss_max(composition, direction);
    if (status == SOTTO_OK && out_epsilon->upper > most) out_epsilon->upper = most;
    return status;
}

/* delta = 0: only bounded losses have a finite epsilon, the sum of the pure epsilons. */
static sotto_status pure_epsilon(const sot_composition *composition, sotto_account *out,
                                 sotto_error *error)
{
    double upper = 0.0;
    double lower = 0.0;
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        const double once = sot_law_loss_max(law);
        upper = sot_add_up(upper, sot_mul_up(law->count, once));
        lower = sot_add_down(lower, sot_mul_down(law->count, sot_next_down(once)));
    }
    if (composition->gaussian_square.upper > 0.0 || composition->sampled_count > 0 ||
        sot_composition_is_renyi(composition) || composition->objective_count > 0 ||
        isinf(upper)) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "delta is 0 (or used up by approximate events), but the plan has "
            "Gaussian, GDP, zCDP, rdp or objective-perturbation events, which need "
            "a delta above 0");
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        const double least =
            composition->is_rounded ? sot_next_down(pure->epsilon) : pure->epsilon;
        upper = sot_add_up(upper, sot_mul_up(pure->count, pure->epsilon));
        lower = sot_add_down(lower, sot_mul_down(pure->count, least));
    }
    out->epsilon = upper;
    out->epsilon_lower = lower;
    out->kernel = SOTTO_KERNEL_CLOSED_FORM;
    return SOTTO_OK;
}

/* The same for epsilon; and the sum of the events' epsilons, which wins when each of them alone
 * is next to nothing at the delta asked for. */
static sotto_status better_of_bounds_epsilon(const sot_priced *priced, double delta,
                                             sotto_account *out, sotto_error *error)
{
    sotto_account rdp = *out;
    sotto_account basic = *out;
    const sotto_status rdp_status = sot_rdp_epsilon(priced, delta, &rdp, error);
    const sotto_status basic_status = sot_basic_epsilon(priced, delta, &basic, NULL);
    const double lower = out->epsilon_lower;
    if (rdp_status == SOTTO_OK && !(out->epsilon <= rdp.epsilon)) *out = rdp;
    if (basic_status == SOTTO_OK && !(out->epsilon <= basic.epsilon)) *out = basic;
    out->epsilon_lower = lower;
    return isfinite(out->epsilon) ? SOTTO_OK : rdp_status;
}

/* The sum of the events' own delta(0), their total variations: an upper bound of delta(0). */
static double total_variation(const sot_composition *composition)
{
    const sot_bracket mu = {0.0, sot_sqrt_up(composition->gaussian_square.upper)};
    double sum = sot_gaussian_delta(mu, 0.0).upper;
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        const double once =
            sot_sampled_gaussian_delta(sampled->rate, sampled->sigma, SOT_REMOVE, 0.0)
                .upper;
        sum = sot_add_up(sum, sot_mul_up(sampled->count, once));
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        const double once = sot_widen_up(tanh(0.5 * pure->epsilon), 4.0 * DBL_EPSILON);
        sum = sot_add_up(sum, sot_mul_up(pure->count, once));
    }
    for (size_t i = 0; i < composition->objective_count; i++) {
        const sot_objective *objective = &composition->objective[i];
        const double once = sot_objective_delta_upper(objective, 0.0);
        sum = sot_add_up(sum, sot_mul_up(objective->count, once));
    }
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        sum = sot_add_up(sum, sot_mul_up(law->count, sot_law_delta(law, 0.0).upper));
    }
    return sum;
}

static sotto_status both_directions(const sot_priced *priced, double delta,
                                    sotto_account *out, sotto_error *error)
{
    const sot_composition *composition = priced->composition;
    if (total_variation(composition) <= delta) { /* no loss at all: no contour needed */
        out->epsilon = 0.0;
        out->epsilon_lower = 0.0;
        out->kernel = SOTTO_KERNEL_CLOSED_FORM;
        return SOTTO_OK;
    }
    sot_bracket epsilon;
    sotto_kernel kernel;
    sotto_status status =
        direction_epsilon(composition, SOT_REMOVE, delta, &epsilon, &kernel, error);
    if (status != SOTTO_OK) return status;
    out->epsilon_lower = epsilon.lower; /* whatever comes of the other direction */
    if (!sot_composition_is_symmetric(composition) &&
        !surely_below(composition, SOT_ADD, epsilon.upper, delta)) {
        /* Usually remove is the worse direction: then one evaluation of add settles it. */
        sot_bracket added;
        sotto_kernel added_kernel;
        status = direction_delta(composition, SOT_ADD, epsilon.upper, &added,
                                 &added_kernel, error);
        if (status != SOTTO_OK) return status;
        if (added.upper > delta) {
            sot_bracket other;
            status = direction_epsilon(composition, SOT_ADD, delta, &other, &added_kernel,
                                       error);
            if (status != SOTTO_OK) return status;
            if (other.upper > epsilon.upper) kernel = added_kernel;
            epsilon.upper = fmax(epsilon.upper, other.upper);
            epsilon.lower = fmax(epsilon.lower, other.lower);
        }
    }
    out->epsilon = epsilon.upper;
    out->epsilon_lower = epsilon.lower;
    out->kernel = kernel;
    return SOTTO_OK;
}

sotto_status sot_exact_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error)
{
    const sot_composition *composition = priced->composition;
    out->delta = delta;
    out->delta_lower = NAN;
    out->epsilon = NAN;
    out->epsilon_lower = 0.0;
    out->order = NAN;
    double finite;
    sotto_status status = sot_finite_delta(composition, delta, &finite, error);
    if (status != SOTTO_OK) return status;
    if (finite == 0.0) return pure_epsilon(composition, out, error);

    if (sot_composition_is_renyi(composition))
        return better_of_bounds_epsilon(priced, delta, out, error);

    status = both_directions(priced, finite, out, error);
    /* A contour's delta cannot fall below its own rounding: Renyi's bound can. */
    const bool missing = status == SOTTO_UNSUPPORTED || status == SOTTO_UNREACHABLE;
    if (status != SOTTO_OK && !missing) return status;
    const bool doubtful = missing || sot_composition_has_range(composition) ||
                          out->kernel == SOTTO_KERNEL_CONTOUR_SMOOTHED ||
                          out->epsilon > 1.001 * out->epsilon_lower;
    if (doubtful) status = better_of_bounds_epsilon(priced, delta, out, error);
    const double most =
        fmax(loss_max(composition, SOT_REMOVE), loss_max(composition, SOT_ADD));
    if (status == SOTTO_OK &&
        out->epsilon > most) { /* the sum of pure epsilons is enough */
        out->epsilon = most;
        out->kernel = SOTTO_KERNEL_CLOSED_FORM;
        out->order = NAN;
    }
    return status;
}
