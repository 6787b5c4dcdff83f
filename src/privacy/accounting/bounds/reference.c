/* References: textbook answers, each with its theorem in sotto/reference.h and reference.md. */
#include <sotto/reference.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/bounds/pairs.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/accounting/profile/solve.h"

typedef sotto_status (*say)(const sot_priced *priced, double delta,
                            sotto_reference_value *out, sotto_error *error);

/* ---- Gaussian events, sampled or not ---- */

static sot_bracket profile_at(double epsilon, void *context)
{
    const double *mu = context;
    return sot_gaussian_delta((sot_bracket){*mu, *mu}, epsilon);
}

static sotto_status central_limit(const sot_priced *priced, double delta,
                                  sotto_reference_value *out, sotto_error *error)
{
    sotto_status status = sot_only_gaussian_events(
        priced->plan, true, "the central limit theorem for gdp", error);
    if (status != SOTTO_OK) return status;
    const sot_composition *composition = priced->composition;
    double square = composition->gaussian_square.upper;
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        const double one =
            sampled->rate / sampled->sigma; /* expm1(x) ~ x for large sigma */
        square += sampled->count * one * one *
                  (expm1(1.0 / (sampled->sigma * sampled->sigma)) * sampled->sigma *
                   sampled->sigma);
    }
    sot_bracket epsilon = {0.0, 0.0};
    out->mu = sqrt(square);
    if (!(delta > 0.0 && isfinite(out->mu))) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "the central limit theorem has no finite epsilon at delta %g; "
                        "use more noise or a larger delta",
                        delta);
    }
    if (out->mu > 0.0)
        status = sot_solve_epsilon(profile_at, &out->mu, delta, 1.0, &epsilon, error);
    out->epsilon_said = 0.5 * (epsilon.lower + epsilon.upper);
    return status;
}

/* Lemma 3 of Abadi et al.: sigma >= 1, q <= 1/(16 sigma), lambda <= sigma^2 log(1/(q sigma)). */
static sotto_status lambda_limit(const sot_composition *composition, double *out_limit,
                                 sotto_error *error)
{
    *out_limit = HUGE_VAL;
    if (composition->sampled_count == 0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the leading term of the moments is about Poisson-sampled "
                        "gaussian events, and the plan has none; use `accountant=gdp`");
    }
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        if (!(sampled->sigma >= 1.0 && sampled->rate <= 1.0 / (16.0 * sampled->sigma))) {
            return sot_fail(
                error, SOTTO_UNSUPPORTED,
                "noise multiplier %g and rate %g are outside the lemma, which needs a "
                "multiplier S >= 1 and a rate of at most 1/(16 S)",
                sampled->sigma, sampled->rate);
        }
        const double most =
            sampled->sigma * sampled->sigma * -log(sampled->rate * sampled->sigma);
        *out_limit = fmin(*out_limit, floor(most));
    }
    return SOTTO_OK;
}

static double leading_term(const sot_composition *composition, double lambda)
{
    double alpha = 0.5 * lambda * (lambda + 1.0) * composition->gaussian_square.upper;
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        const double ratio = sampled->rate / sampled->sigma;
        alpha += sampled->count * ratio * ratio * lambda * (lambda + 1.0) /
                 (1.0 - sampled->rate);
    }
    return alpha;
}

/* alpha is a lambda (lambda + 1), so (alpha - log delta)/lambda is smallest where
 * lambda^2 is -log(delta)/a. The best whole number is next to it, or at an end of the
 * range. */
static sotto_status moments_leading_term(const sot_priced *priced, double delta,
                                         sotto_reference_value *out, sotto_error *error)
{
    double limit;
    sotto_status status = sot_only_gaussian_events(
        priced->plan, true, "the leading term of the moments", error);
    if (status == SOTTO_OK) status = lambda_limit(priced->composition, &limit, error);
    if (status != SOTTO_OK) return status;
    const double scale = 0.5 * leading_term(priced->composition, 1.0);
    const double middle = floor(sqrt(-log(delta) / scale));
    out->epsilon_said = HUGE_VAL;
    for (int step = 0; step < 2; step++) {
        const double lambda = fmin(fmax(1.0, middle + step), limit);
        const double epsilon =
            (leading_term(priced->composition, lambda) - log(delta)) / lambda;
        if (epsilon < out->epsilon_said) {
            out->epsilon_said = epsilon;
            out->lambda = lambda;
        }
    }
    if (isfinite(out->epsilon_said)) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "no moment has a finite epsilon at delta %g; give a larger delta",
                    delta);
}

/* ---- (epsilon, delta) events ---- */

static double sum_of_squares(const sot_pairs *pairs)
{
    double squares = 0.0;
    for (size_t i = 0; i < pairs->count; i++) {
        const sot_pair *pair = &pairs->pair[i];
        const double square = sot_mul_up(pair->epsilon, pair->epsilon);
        squares = sot_add_up(squares, sot_mul_up(pair->count, square));
    }
    return squares;
}

static sotto_status advanced_lecture(const sot_priced *priced, double delta,
                                     sotto_reference_value *out, sotto_error *error)
{
    sot_pairs *pairs;
    const sotto_status status = sot_pairs_new(priced, delta, &pairs, error);
    if (status != SOTTO_OK) return status;
    const double slack = pairs->slack;
    const double squares = sum_of_squares(pairs);
    sot_pairs_free(pairs);
    if (!(slack > 0.0 && slack <= 0.5)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "delta %g leaves %g beyond the events' own; the lemma needs more "
                        "than 0 and at most 1/2",
                        delta, slack);
    }
    out->epsilon_said =
        2.0 * sot_sqrt_up(sot_mul_up(-2.0 * sot_log_down(slack), squares));
    out->is_guarantee = 1;
    if (out->epsilon_said < 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "the lemma gives epsilon = %.6g, and is proved only below 1; use "
                    "`accountant=advanced`",
                    out->epsilon_said);
}

/* Thm 3.5: sum e_i (exp(e_i) - 1)/(exp(e_i) + 1), that is e_i tanh(e_i/2). */
static double mean_loss(const sot_pairs *pairs)
{
    double mean = 0.0;
    for (size_t i = 0; i < pairs->count; i++) {
        const sot_pair *pair = &pairs->pair[i];
        const double slope = sot_widen_up(tanh(0.5 * pair->epsilon), 4.0 * DBL_EPSILON);
        mean =
            sot_add_up(mean, sot_mul_up(pair->count, sot_mul_up(pair->epsilon, slope)));
    }
    return mean;
}

static double sum_of_epsilons(const sot_pairs *pairs)
{
    double sum = 0.0;
    for (size_t i = 0; i < pairs->count; i++)
        sum = sot_add_up(sum, sot_mul_up(pairs->pair[i].count, pairs->pair[i].epsilon));
    return sum;
}

/* Returns the delta left after the pairs' own failures: 1 - (1 - delta)/prod. */
static sotto_status left_of_delta(const sot_priced *priced, const sot_pairs *pairs,
                                  double delta, double *out_left, sotto_error *error)
{
    sotto_plan *plan;
    sot_composition *composition;
    sotto_status status = sot_pairs_compile(pairs, sotto_plan_adjacency(priced->plan),
                                            &plan, &composition, error);
    if (status != SOTTO_OK) return status;
    status = sot_finite_delta(composition, delta, out_left, error);
    sot_composition_free(composition);
    sotto_plan_free(plan);
    return status;
}

static sotto_status optimal_simple(const sot_priced *priced, double delta,
                                   sotto_reference_value *out, sotto_error *error)
{
    sot_pairs *pairs;
    sotto_status status = sot_pairs_new(priced, delta, &pairs, error);
    if (status != SOTTO_OK) return status;
    double left = 0.0;
    status = left_of_delta(priced, pairs, delta, &left, error);
    if (status == SOTTO_OK) {
        const double squares = sum_of_squares(pairs);
        const double ratio = sot_div_up(sot_sqrt_up(squares), left); /* may be infinite */
        const double shrunk = sot_log_up(sot_add_up(sot_exp_up(1.0), ratio));
        const double log_least = fmin(shrunk, -sot_log_down(left));
        const double spread =
            squares > 0.0 ? sot_sqrt_up(sot_mul_up(2.0 * log_least, squares)) : 0.0;
        out->epsilon_said =
            fmin(sum_of_epsilons(pairs), sot_add_up(mean_loss(pairs), spread));
        out->is_guarantee = 1;
    }
    sot_pairs_free(pairs);
    return status;
}

/* The theorem's delta at a multiple (k - 2i) e is exact there. So its epsilon is the exact one
 * rounded up to the next such multiple. */
static sotto_status optimal_grid(const sot_priced *priced, double delta,
                                 sotto_reference_value *out, sotto_error *error)
{
    sot_pairs *pairs;
    sotto_account account;
    sotto_status status = sot_pairs_new(priced, delta, &pairs, error);
    if (status != SOTTO_OK) return status;
    const double each = pairs->pair[0].epsilon;
    double count = 0.0;
    bool is_equal = true;
    for (size_t i = 0; i < pairs->count; i++) {
        is_equal = is_equal && pairs->pair[i].epsilon == each;
        count += pairs->pair[i].count;
    }
    sot_pairs_free(pairs);
    if (!is_equal || each == 0.0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the theorem is about events of one epsilon above 0, and the "
                        "plan's differ or cost nothing; use `accountant=optimal`");
    }
    status = sot_optimal_epsilon(priced, delta, &account, error);
    if (status != SOTTO_OK) return status;
    const double multiple = ceil(sot_div_up(account.epsilon, each));
    const double parity = fmod(count - multiple, 2.0) == 0.0 ? 0.0 : 1.0;
    out->epsilon_said = sot_mul_up(fmin(multiple + parity, count), each);
    out->is_guarantee = 1; /* at least the optimum, or the plain sum */
    return SOTTO_OK;
}

/* ---- the table ---- */

static const struct reference_row {
    sotto_reference reference;
    const char *name;
    const char *label;
    say say;
} rows[] = {
    {SOTTO_REFERENCE_CENTRAL_LIMIT, "gdp-clt",
     "central limit theorem: approximation, not a guarantee", central_limit},
    {SOTTO_REFERENCE_MOMENTS_LEADING_TERM, "moments-15.16",
     "leading term of the moments (15.16), O() dropped: not a guarantee",
     moments_leading_term},
    {SOTTO_REFERENCE_ADVANCED_LECTURE, "advanced-lecture",
     "advanced composition as taught, Lemma 15.2", advanced_lecture},
    {SOTTO_REFERENCE_OPTIMAL_SIMPLE, "kov-simple", "Kairouz, Oh & Viswanath, closed form",
     optimal_simple},
    {SOTTO_REFERENCE_OPTIMAL_GRID, "kov-grid",
     "Kairouz, Oh & Viswanath, multiples of epsilon", optimal_grid},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct reference_row *find_row(sotto_reference reference)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].reference == reference) return &rows[i];
    return NULL;
}

const char *sotto_reference_name(sotto_reference reference)
{
    const struct reference_row *row = find_row(reference);
    return row == NULL ? "unknown" : row->name;
}

const char *sotto_reference_label(sotto_reference reference)
{
    const struct reference_row *row = find_row(reference);
    return row == NULL ? "unknown" : row->label;
}

sotto_status sotto_reference_epsilon(const sotto_plan *plan, sotto_reference reference,
                                     double delta, sotto_reference_value *out_value,
                                     sotto_error *error)
{
    const struct reference_row *row = find_row(reference);
    if (row == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "reference is %d; give one of sotto_reference", (int)reference);
    }
    if (!(delta >= 0.0 && delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it is at least 0 and below 1; for example `delta=1e-6`",
            delta);
    }
    sot_composition *composition;
    sotto_status status = sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    const sot_priced priced = {plan, composition, SOTTO_UNSET, 0};
    sotto_reference_value value = {.epsilon_said = SOTTO_UNSET,
                                   .delta = delta,
                                   .mu = SOTTO_UNSET,
                                   .lambda = SOTTO_UNSET,
                                   .reference = reference};
    status = row->say(&priced, delta, &value, error);
    sot_composition_free(composition);
    if (status == SOTTO_OK) *out_value = value;
    return status;
}
