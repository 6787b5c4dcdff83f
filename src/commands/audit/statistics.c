#include <inttypes.h>
#include <math.h>

#include <sotto/audit_statistics.h>

#include "base/error.h"
#include "commands/audit/scores.h"
#include "numeric/outward.h"
#include "numeric/proportion.h"
#include "numeric/special.h"

/* ---- checks ---- */

static bool is_rate(uint64_t k, uint64_t n, double alpha)
{
    return n >= 1 && k <= n && n <= SOTTO_AUDIT_COUNT_MAX && alpha > 0.0 && alpha < 1.0;
}

double sotto_audit_rate_lower(uint64_t k, uint64_t n, double alpha)
{
    return is_rate(k, n, alpha) ? sot_proportion_lower(k, n, alpha) : SOTTO_UNSET;
}

double sotto_audit_rate_upper(uint64_t k, uint64_t n, double alpha)
{
    return is_rate(k, n, alpha) ? sot_proportion_upper(k, n, alpha) : SOTTO_UNSET;
}

sotto_status sot_audit_check_levels(double alpha, double delta, sotto_error *error)
{
    if (!(alpha > 0.0 && alpha < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`alpha` is %g; the probability of a false alarm lies between 0 "
                        "and 1; for example `alpha=0.05`",
                        alpha);
    }
    if (!(delta >= 0.0 && delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it is at least 0 and below 1; for example `delta=1e-5`",
            delta);
    }
    return SOTTO_OK;
}

static sotto_status check_counts(const sotto_audit_counts *counts, sotto_error *error)
{
    if (is_rate(counts->true_positives, counts->members, 0.5) &&
        is_rate(counts->false_positives, counts->others, 0.5))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%" PRIu64 " of %" PRIu64 " runs with and %" PRIu64 " of %" PRIu64
                    " runs without the record were flagged; give 1 to 2^33 runs of each "
                    "kind, and fewer flagged",
                    counts->true_positives, counts->members, counts->false_positives,
                    counts->others);
}

/* ---- bounds ---- */

/* log((likely - delta)/unlikely), rounded down, at least 0. */
static double log_ratio_lower(double likely, double delta, double unlikely)
{
    const double excess = sot_sub_down(likely, delta);
    if (!(excess > unlikely)) return 0.0;
    /* unlikely > 0: Clopper and Pearson's upper limits are. */
    return fmax(0.0, sot_log_down(sot_div_down(excess, unlikely)));
}

/* Phi^-1 to a relative 2e-15 (special.h), in both directions. */
static double gaussian_mu_lower(double found, double accused)
{
    const double high = sot_widen_down(sot_normal_quantile(found), 3e-15);
    const double low = sot_widen_up(sot_normal_quantile(accused), 3e-15);
    if (!(high > low)) return 0.0;
    return fmax(0.0, sot_sub_down(high, low));
}

static sotto_status gaussian_epsilon(double mu, double delta, double *out_epsilon,
                                     sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_account account;
    *out_epsilon = mu > 0.0 ? SOTTO_UNSET : 0.0;
    if (!(mu > 0.0 && delta > 0.0)) return SOTTO_OK;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GDP;
    event.mu = mu;
    event.count = 1;
    sotto_status status = sotto_plan_new(SOTTO_ADD_REMOVE, &plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, error);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon_lower;
    sotto_plan_free(plan);
    return status;
}

sotto_status sotto_audit_bounds_of(const sotto_audit_counts *counts, double alpha,
                                   double delta, sotto_audit_bounds *out_bounds,
                                   sotto_error *error)
{
    sotto_status status = check_counts(counts, error);
    if (status == SOTTO_OK) status = sot_audit_check_levels(alpha, delta, error);
    if (status != SOTTO_OK) return status;
    const double found =
        sot_proportion_lower(counts->true_positives, counts->members, alpha / 2.0);
    const double accused =
        sot_proportion_upper(counts->false_positives, counts->others, alpha / 2.0);
    sotto_audit_bounds bounds = {.true_positive_rate_lower = found,
                                 .false_positive_rate_upper = accused,
                                 .epsilon_lower_accuse =
                                     log_ratio_lower(found, delta, accused),
                                 .mu_lower = gaussian_mu_lower(found, accused)};
    const double missed = sot_sub_up(1.0, found);
    const double acquitted = sot_sub_down(1.0, accused);
    bounds.epsilon_lower =
        fmax(bounds.epsilon_lower_accuse, log_ratio_lower(acquitted, delta, missed));
    status =
        gaussian_epsilon(bounds.mu_lower, delta, &bounds.gaussian_epsilon_lower, error);
    if (status == SOTTO_OK) *out_bounds = bounds;
    return status;
}

sotto_status sotto_audit_against_curve(const sotto_audit_counts *counts, double alpha,
                                       sotto_curve *curve, const sotto_plan *plan,
                                       sotto_audit_verdict *out_verdict,
                                       sotto_error *error)
{
    sotto_status status = check_counts(counts, error);
    if (status == SOTTO_OK) status = sot_audit_check_levels(alpha, 0.0, error);
    if (status != SOTTO_OK) return status;
    sotto_audit_verdict verdict = {
        .false_positive_rate_upper =
            sot_proportion_upper(counts->false_positives, counts->others, alpha / 2.0),
        .false_negative_rate_upper = sot_proportion_upper(
            counts->members - counts->true_positives, counts->members, alpha / 2.0)};
    const double rate = verdict.false_positive_rate_upper;
    if (plan != NULL && rate > 0.0 && rate < 1.0) {
        status = sotto_curve_sharpen(curve, plan, rate, error);
        if (status != SOTTO_OK) return status;
    }
    verdict.promised = sotto_curve_trade_off(curve, rate);
    verdict.refuted = verdict.false_negative_rate_upper < verdict.promised;
    *out_verdict = verdict;
    return SOTTO_OK;
}
