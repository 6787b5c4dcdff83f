/* One direction of neighbours by closed form, circle or contour. */
#include "privacy/accounting/exact/direction.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/exact/contour.h"
#include "privacy/accounting/loss/circle.h"
#include "privacy/accounting/plan/closed_form.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/accounting/profile/solve.h"

/* About a twentieth of a second of node evaluations. */
static const double work_max = 2e7;

/* Virtual Gaussians to try, smallest (tightest) first. */
static const double smoothings[] = {2e-3, 3e-2};
static const double none[] = {0.0};

/* The first contour that fits the work limit, made for epsilon or (if NaN) for log_delta. */
static sotto_status first_contour(const sot_composition *composition,
                                  sot_direction direction, sot_effort effort,
                                  double epsilon, double log_delta,
                                  sot_contour **out_contour, sotto_error *error)
{
    const bool is_smoothed = effort == SOT_EFFORT_SMOOTHED;
    const double *list = is_smoothed ? smoothings : none;
    const size_t count = is_smoothed ? sizeof smoothings / sizeof smoothings[0] : 1;
    sotto_status status = SOTTO_UNSUPPORTED;
    if (composition->objective_count > 0) { /* its transform is not tabulated */
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "no contour for objective perturbation beside sampled or many "
                        "events; use the accountant rdp");
    }
    if (composition->subsampled_count > 0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "no contour for sampled events without Gaussian noise");
    }
    for (size_t i = 0; i < count && status == SOTTO_UNSUPPORTED; i++) {
        const sot_contour_request request = {.composition = composition,
                                             .direction = direction,
                                             .epsilon = epsilon,
                                             .log_delta = log_delta,
                                             .smoothing = list[i],
                                             .work_max = work_max};
        status = sot_contour_new(&request, out_contour, error);
    }
    return status;
}

/* True if the composition is one distribution on a lattice: a sum over the circle
 * replaces the contour. */
static bool is_circle(const sot_composition *composition)
{
    return composition->law_count == 1 && composition->pure_count == 0 &&
           composition->sampled_count == 0 && composition->objective_count == 0 &&
           composition->subsampled_count == 0 &&
           composition->gaussian_square.upper == 0.0 &&
           sot_circle_covers(&composition->laws[0]);
}

double sot_exact_loss_max(const sot_composition *composition, sot_direction direction)
{
    if (composition->gaussian_square.upper > 0.0 || composition->objective_count > 0)
        return HUGE_VAL;
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
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        const sot_subsampled *release = &composition->subsampled[i];
        const double once = sot_subsampled_loss_max(release);
        sum = sot_add_up(sum, sot_mul_up(release->count, once));
    }
    return sum;
}

bool sot_exact_surely_below(const sot_composition *composition, sot_direction direction,
                            double epsilon, double delta)
{
    if (delta <= 0.0 || sot_closed_form_covers(composition)) return false;
    const sot_contour_request request = {
        .composition = composition, .direction = direction, .epsilon = epsilon};
    return sot_contour_log_chernoff(&request) < sot_log_down(delta);
}

/* ---- delta at epsilon ---- */

double sot_exact_total_variation(const sot_composition *composition)
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
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        const sot_subsampled *release = &composition->subsampled[i];
        const double once = sot_subsampled_delta(release, SOT_REMOVE, 0.0).upper;
        sum = sot_add_up(sum, sot_mul_up(release->count, once));
    }
    return sum;
}

sotto_status sot_exact_direction_delta(const sot_composition *composition,
                                       sot_direction direction, sot_effort effort,
                                       double epsilon, sot_bracket *out_delta,
                                       sotto_kernel *out_kernel, sotto_error *error)
{
    if (epsilon >= sot_exact_loss_max(composition, direction)) {
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
        status =
            sot_circle_new(&composition->laws[0], epsilon, SOTTO_UNSET, &circle, error);
        if (status == SOTTO_OK) {
            *out_kernel = SOTTO_KERNEL_CONTOUR;
            *out_delta = sot_circle_delta(circle, epsilon);
            sot_circle_free(circle);
        }
        if (status != SOTTO_UNSUPPORTED) return status;
    }
    sot_contour *contour;
    status = first_contour(composition, direction, effort, epsilon, SOTTO_UNSET, &contour,
                           error);
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
        sot_circle_new(&composition->laws[0], SOTTO_UNSET, log(delta), &circle, error);
    if (status != SOTTO_OK) return status;
    const double guess = fmax(1e-9, sot_circle_epsilon_guess(circle, log(delta)));
    status =
        sot_solve_epsilon(circle_profile_at, circle, delta, guess, out_epsilon, error);
    sot_circle_free(circle);
    return status;
}

static sotto_status contour_epsilon(const sot_composition *composition,
                                    sot_direction direction, sot_effort effort,
                                    double delta, sot_bracket *out_epsilon,
                                    sotto_kernel *out_kernel, sotto_error *error)
{
    sot_contour *contour;
    sotto_status status = first_contour(composition, direction, effort, SOTTO_UNSET,
                                        log(delta), &contour, error);
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

sotto_status sot_exact_direction_epsilon(const sot_composition *composition,
                                         sot_direction direction, sot_effort effort,
                                         double delta, sot_bracket *out_epsilon,
                                         sotto_kernel *out_kernel, sotto_error *error)
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
            status = contour_epsilon(composition, direction, effort, delta, out_epsilon,
                                     out_kernel, error);
        }
    }
    const double most = sot_exact_loss_max(composition, direction);
    if (status == SOTTO_OK && out_epsilon->upper > most) out_epsilon->upper = most;
    return status;
}
