/* The exact accountant: the tightest certified answer there is, and it states its derivation.
 * Closed form or contour, if one is cheap. Else the best of the certified bounds: the grid of pld, a
 * contour with a virtual Gaussian, Renyi's, and the sum of the events' epsilons. Each end of the answer is the
 * best of all that were computed; the kernel named is the one of the upper end. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/exact/direction.h"
#include "privacy/accounting/plan/closed_form.h"

/* The tolerance of pld as a fallback: some 30 ms at the limit. */
static const sot_pld_limits fallback = {.tolerance = 1e-6, .size_max = (size_t)1 << 16};

static const double narrow = 1e-3; /* such a bracket needs no other bound */

/* pld takes a transform for each different event: a long plan is left to Renyi's bound. */
static bool suits_pld(const sot_composition *composition)
{
    const size_t few = 24;
    return composition->sampled_count + composition->pure_count + composition->law_count +
               composition->objective_count + composition->subsampled_count <=
           few;
}

/* The whole grid takes half a second, and is for tiny rates and for tables of atoms. An event of objective perturbation has
 * no lower end that could come near the upper one. */
static bool suits_whole_grid(const sot_composition *composition)
{
    return suits_pld(composition) &&
           composition->sampled_count + composition->subsampled_count > 0 &&
           composition->objective_count == 0;
}

/* The factor between the ends of an answer beyond which the whole grid is worth its time. Tables of atoms have no contour. */
static double factor_allowed(const sot_composition *composition)
{
    return composition->subsampled_count > 0 ? 1.0 + narrow : 2.0;
}

/* A regulariser may saturate the unit's rows. The loss of the logistic objective is then that of
 * the Gaussian release, in the limit (privacy/accounting/objective/objective.md, section 1).
 * Composed with the rest it is a lower bound for the worst data. False for other losses, whose
 * composition is loose. */
static bool saturated(const sot_composition *composition, sot_composition *out)
{
    *out = *composition;
    out->objective_count = 0;
    if (composition->objective_count == 0 || composition->is_loose) return false;
    for (size_t i = 0; i < composition->objective_count; i++) {
        const sot_objective *objective = &composition->objective[i];
        /* The shift was rounded up, a few times. */
        const double shift = sot_widen_down(objective->shift, 16.0 * DBL_EPSILON);
        out->gaussian_square.lower =
            sot_add_down(out->gaussian_square.lower,
                         sot_mul_down(objective->count, sot_mul_down(shift, shift)));
        out->gaussian_square.upper = sot_add_up(
            out->gaussian_square.upper,
            sot_mul_up(objective->count, sot_mul_up(objective->shift, objective->shift)));
    }
    return true;
}

/* ---- delta at epsilon ---- */

/* Keeps the better of each end. An answer that failed has status other than SOTTO_OK. */
static void improve_delta(sotto_account *out, const sotto_account *other,
                          sotto_status status)
{
    if (status != SOTTO_OK) return;
    double lower = out->delta_lower;
    if (other->delta_lower > lower) lower = other->delta_lower; /* NaN: no */
    if (!(out->delta <= other->delta)) *out = *other;           /* NaN: yes */
    out->delta_lower = lower;
}

static sotto_status both_directions_delta(const sot_composition *composition,
                                          sot_effort effort, double epsilon,
                                          sotto_account *out, sotto_error *error)
{
    const int directions = sot_composition_is_symmetric(composition) ? 1 : 2;
    sot_bracket worst = {0.0, 0.0};
    sotto_status status = SOTTO_OK;
    out->kernel = SOTTO_KERNEL_CLOSED_FORM;
    for (int i = 0; i < directions && status == SOTTO_OK; i++) {
        const sot_direction direction = (sot_direction)i;
        if (sot_exact_surely_below(composition, direction, epsilon, worst.lower))
            continue;
        sot_bracket delta;
        sotto_kernel used;
        status = sot_exact_direction_delta(composition, direction, effort, epsilon,
                                           &delta, &used, error);
        if (status != SOTTO_OK) break;
        if (delta.upper >= worst.upper) out->kernel = used;
        worst.upper = fmax(worst.upper, delta.upper);
        worst.lower = fmax(worst.lower, delta.lower);
    }
    const sot_bracket whole = sot_composition_whole_delta(composition, worst);
    out->delta_lower = whole.lower; /* valid also if the other direction fails */
    out->delta = status == SOTTO_OK ? whole.upper : SOTTO_UNSET;
    return status;
}

static bool is_wide_delta(const sotto_account *account)
{
    return !(account->delta * (1.0 - 10.0 * narrow) <= account->delta_lower);
}

/* pld and a smoothed contour, where Renyi's bound is not all that is known. */
static sotto_status improve_delta_by_grids(const sot_priced *priced, double epsilon,
                                           sotto_account *out, sotto_error *error)
{
    sotto_account other = *out;
    if (suits_pld(priced->composition)) {
        const sotto_status status =
            sot_pld_delta_within(priced, epsilon, &fallback, &other, error);
        if (status == SOTTO_OUT_OF_MEMORY) return status;
        improve_delta(out, &other, status);
    }
    if (!is_wide_delta(out)) return SOTTO_OK;
    other = *out;
    sotto_status status = both_directions_delta(priced->composition, SOT_EFFORT_SMOOTHED,
                                                epsilon, &other, error);
    if (status == SOTTO_OUT_OF_MEMORY) return status;
    improve_delta(out, &other, status);
    const double factor = factor_allowed(priced->composition);
    if (out->delta <= factor * out->delta_lower || !suits_whole_grid(priced->composition))
        return SOTTO_OK;
    status = sot_pld_delta(priced, epsilon, &other, error); /* its whole grid */
    if (status == SOTTO_OUT_OF_MEMORY) return status;
    improve_delta(out, &other, status);
    return SOTTO_OK;
}

/* Renyi's answer, and the sum of the events'. */
static sotto_status improve_delta_by_theorems(const sot_priced *priced, double epsilon,
                                              sotto_account *out, sotto_error *error)
{
    const size_t few = 16; /* basic composition searches for delta, event by event */
    sotto_account other = *out;
    sotto_status status = sot_rdp_delta(priced, epsilon, &other, error);
    improve_delta(out, &other, status);
    if (status == SOTTO_OK && sotto_plan_size(priced->plan) <= few) {
        status = sot_basic_delta(priced, epsilon, &other, error);
        improve_delta(out, &other, status);
    }
    return status;
}

/* At a large epsilon delta may be below all numbers: Renyi's bound then says as much as any integral, and
 * sooner. */
static bool underflows(const sot_priced *priced, double epsilon, sotto_error *error)
{
    sotto_account account = {.order = SOTTO_UNSET};
    if (epsilon < 50.0 || sot_closed_form_covers(priced->composition)) return false;
    if (sot_rdp_delta(priced, epsilon, &account, error) != SOTTO_OK) return false;
    return account.delta - priced->composition->failure.upper < 1e-280;
}

static sotto_status find_delta(const sot_priced *priced, double epsilon,
                               sotto_account *out, sotto_error *error)
{
    const sot_composition *composition = priced->composition;
    *out = (sotto_account){.epsilon = epsilon,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = SOTTO_UNSET,
                           .delta_lower = 0.0,
                           .order = SOTTO_UNSET};
    if (sot_composition_is_renyi(composition) || underflows(priced, epsilon, error))
        return improve_delta_by_theorems(priced, epsilon, out, error);
    sotto_status status =
        both_directions_delta(composition, SOT_EFFORT_PLAIN, epsilon, out, error);
    if (status != SOTTO_OK && status != SOTTO_UNSUPPORTED) return status;
    const bool is_wide = is_wide_delta(out) && !sot_closed_form_is_training(composition);
    if (status == SOTTO_OK && !is_wide && !sot_composition_has_range(composition))
        return SOTTO_OK;
    if (is_wide) {
        status = improve_delta_by_grids(priced, epsilon, out, error);
        if (status != SOTTO_OK) return status;
    }
    return improve_delta_by_theorems(priced, epsilon, out, error);
}

/* ---- epsilon at delta ---- */

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
        isinf(upper) || isinf(sot_exact_loss_max(composition, SOT_REMOVE))) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "delta is 0 (or used up by approximate events), but Gaussian, GDP, zCDP, RDP "
            "and objective-perturbation events need a delta above 0, for example 1e-6");
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        const double least =
            composition->is_rounded ? sot_next_down(pure->epsilon) : pure->epsilon;
        upper = sot_add_up(upper, sot_mul_up(pure->count, pure->epsilon));
        lower = sot_add_down(lower, sot_mul_down(pure->count, least));
    }
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        const sot_subsampled *release = &composition->subsampled[i];
        const double once = sot_subsampled_loss_max(release); /* rounded up by 2^-47 */
        upper = sot_add_up(upper, sot_mul_up(release->count, once));
        lower = sot_add_down(lower,
                             sot_mul_down(release->count, sot_widen_down(once, 0x1p-45)));
    }
    out->epsilon = upper;
    out->epsilon_lower = lower;
    out->kernel = SOTTO_KERNEL_CLOSED_FORM;
    return SOTTO_OK;
}

static void improve_epsilon(sotto_account *out, const sotto_account *other,
                            sotto_status status)
{
    if (status != SOTTO_OK) return;
    double lower = out->epsilon_lower;
    if (other->epsilon_lower > lower) lower = other->epsilon_lower; /* NaN: no */
    if (!(out->epsilon <= other->epsilon)) *out = *other;           /* NaN: yes */
    out->epsilon_lower = lower;
}

/* Writes the lower end even when it fails in the second direction. */
static sotto_status both_directions_epsilon(const sot_composition *composition,
                                            sot_effort effort, double delta,
                                            sotto_account *out, sotto_error *error)
{
    /* No loss at all: no contour needed. */
    if (sot_exact_total_variation(composition) <= delta) {
        out->epsilon = 0.0;
        out->epsilon_lower = 0.0;
        out->kernel = SOTTO_KERNEL_CLOSED_FORM;
        return SOTTO_OK;
    }
    sot_bracket epsilon;
    sotto_kernel kernel;
    sotto_status status = sot_exact_direction_epsilon(composition, SOT_REMOVE, effort,
                                                      delta, &epsilon, &kernel, error);
    if (status != SOTTO_OK) return status;
    out->epsilon_lower = epsilon.lower; /* valid also if the other direction fails */
    if (!sot_composition_is_symmetric(composition) &&
        !sot_exact_surely_below(composition, SOT_ADD, epsilon.upper, delta)) {
        /* Usually remove is the worse direction: then one evaluation of add settles it. */
        sot_bracket added;
        sotto_kernel added_kernel;
        status = sot_exact_direction_delta(composition, SOT_ADD, effort, epsilon.upper,
                                           &added, &added_kernel, error);
        if (status != SOTTO_OK) return status;
        if (added.upper > delta) {
            sot_bracket other;
            status = sot_exact_direction_epsilon(composition, SOT_ADD, effort, delta,
                                                 &other, &added_kernel, error);
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

static bool is_wide_epsilon(const sotto_account *account)
{
    return !(account->epsilon * (1.0 - narrow) <= account->epsilon_lower);
}

static sotto_status improve_epsilon_by_grids(const sot_priced *priced, double delta,
                                             double finite, sotto_account *out,
                                             sotto_error *error)
{
    sotto_account other = *out;
    if (suits_pld(priced->composition)) {
        const sotto_status status =
            sot_pld_epsilon_within(priced, delta, &fallback, &other, error);
        if (status == SOTTO_OUT_OF_MEMORY) return status;
        improve_epsilon(out, &other, status);
    }
    if (!is_wide_epsilon(out)) return SOTTO_OK;
    other = *out;
    sotto_status status = both_directions_epsilon(
        priced->composition, SOT_EFFORT_SMOOTHED, finite, &other, error);
    if (status == SOTTO_OUT_OF_MEMORY) return status;
    improve_epsilon(out, &other, status);
    if (out->epsilon <= factor_allowed(priced->composition) * out->epsilon_lower ||
        !suits_whole_grid(priced->composition))
        return SOTTO_OK;
    status = sot_pld_epsilon(priced, delta, &other, error); /* its whole grid */
    if (status == SOTTO_OUT_OF_MEMORY) return status;
    improve_epsilon(out, &other, status);
    return SOTTO_OK;
}

/* The Renyi answer, and the sum of the events' epsilons. The sum wins if each of them is almost
 * zero at the given delta. */
static sotto_status improve_epsilon_by_theorems(const sot_priced *priced, double delta,
                                                sotto_account *out, sotto_error *error)
{
    sotto_account rdp = *out;
    sotto_account basic = *out;
    const sotto_status rdp_status = sot_rdp_epsilon(priced, delta, &rdp, error);
    const sotto_status basic_status = sot_basic_epsilon(priced, delta, &basic, NULL);
    improve_epsilon(out, &rdp, rdp_status);
    improve_epsilon(out, &basic, basic_status);
    return isfinite(out->epsilon) ? SOTTO_OK : rdp_status;
}

/* The sum of pure epsilons is enough. */
static void cap_epsilon(const sot_composition *composition, sotto_account *out)
{
    const double most = fmax(sot_exact_loss_max(composition, SOT_REMOVE),
                             sot_exact_loss_max(composition, SOT_ADD));
    if (!(out->epsilon > most)) return;
    out->epsilon = most;
    out->kernel = SOTTO_KERNEL_CLOSED_FORM;
    out->order = SOTTO_UNSET;
}

static sotto_status find_epsilon(const sot_priced *priced, double delta,
                                 sotto_account *out, sotto_error *error)
{
    const sot_composition *composition = priced->composition;
    *out = (sotto_account){.epsilon = SOTTO_UNSET,
                           .epsilon_lower = 0.0,
                           .delta = delta,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET};
    double finite;
    sotto_status status = sot_finite_delta(composition, delta, &finite, error);
    if (status != SOTTO_OK) return status;
    if (finite == 0.0) return pure_epsilon(composition, out, error);

    if (sot_composition_is_renyi(composition))
        return improve_epsilon_by_theorems(priced, delta, out, error);

    status = both_directions_epsilon(composition, SOT_EFFORT_PLAIN, finite, out, error);
    /* A contour's delta cannot fall below its own rounding: other bounds can. */
    if (status != SOTTO_OK && status != SOTTO_UNSUPPORTED && status != SOTTO_UNREACHABLE)
        return status;
    const bool is_wide =
        is_wide_epsilon(out) && !sot_closed_form_is_training(composition);
    status = SOTTO_OK;
    if (is_wide) status = improve_epsilon_by_grids(priced, delta, finite, out, error);
    if (status == SOTTO_OK && (is_wide || sot_composition_has_range(composition)))
        status = improve_epsilon_by_theorems(priced, delta, out, error);
    if (status == SOTTO_OK) cap_epsilon(composition, out);
    return status;
}

sotto_status sot_exact_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error)
{
    sot_composition reached;
    const sotto_status status = find_epsilon(priced, delta, out, error);
    if (status != SOTTO_OK || !saturated(priced->composition, &reached)) return status;
    const double finite = sot_composition_finite_delta(&reached, delta);
    sotto_account below = *out;
    if (finite > 0.0 && !sot_composition_is_renyi(&reached) &&
        both_directions_epsilon(&reached, SOT_EFFORT_PLAIN, finite, &below, NULL) ==
            SOTTO_OK)
        out->epsilon_lower =
            fmin(out->epsilon, fmax(out->epsilon_lower, below.epsilon_lower));
    return SOTTO_OK;
}

/* ---- delta from epsilon ---- */

typedef struct inverse {
    const sot_priced *priced;
    double epsilon;
    sotto_kernel kernel; /* of the last answer that met epsilon */
} inverse;

static double epsilon_excess(double log_delta, void *context)
{
    inverse *asked = context;
    sotto_account account;
    if (find_epsilon(asked->priced, exp(log_delta), &account, NULL) != SOTTO_OK)
        return HUGE_VAL;
    if (account.epsilon <= asked->epsilon) asked->kernel = account.kernel;
    return sot_search_excess(account.epsilon, asked->epsilon);
}

/* Where delta is loose the other question may be tighter: any delta' whose epsilon is certified to be at
 * most this one is an upper bound, because the exact profile decreases. */
static void improve_delta_by_epsilon(const sot_priced *priced, sotto_account *out)
{
    inverse asked = {priced, out->epsilon, out->kernel};
    if (!is_wide_delta(out) || sot_composition_is_renyi(priced->composition) ||
        sot_closed_form_is_training(priced->composition) || !(out->delta > 1e-290))
        return;
    double upper = log(out->delta);
    double lower = fmax(log(fmax(out->delta_lower, 1e-300)), upper - 16.0);
    if (epsilon_excess(upper - 0.01, &asked) > 0.0) return; /* not tighter */
    upper -= 0.01;
    /* `upper` stays an evaluated point whose epsilon is small enough. */
    if (lower < upper)
        (void)sot_find_root(epsilon_excess, &asked, &lower, &upper, 1e-4, 0.0, 10);
    out->delta = fmin(out->delta, sot_exp_up(upper));
    out->kernel = asked.kernel;
}

sotto_status sot_exact_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error)
{
    sot_composition reached;
    const sotto_status status = find_delta(priced, epsilon, out, error);
    if (status != SOTTO_OK) return status;
    improve_delta_by_epsilon(priced, out);
    if (!saturated(priced->composition, &reached)) return SOTTO_OK;
    sotto_account below = *out;
    if (!sot_composition_is_renyi(&reached) &&
        both_directions_delta(&reached, SOT_EFFORT_PLAIN, epsilon, &below, NULL) ==
            SOTTO_OK)
        out->delta_lower = fmin(out->delta, fmax(out->delta_lower, below.delta_lower));
    return SOTTO_OK;
}
