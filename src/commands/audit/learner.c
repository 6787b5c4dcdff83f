/* The attack on a learner: runs, threshold, bounds, verdict. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/audit/audit_parts.h"
#include "commands/audit/exact_loss.h"
#include "commands/audit/pairs/study.h"
#include "random/rng.h"

/* Points of the claim's curve; it is sharpened where it is asked. */
enum { CURVE_POINTS = 64, SEARCH_STEPS = 14 };

/* ---- settings ---- */

void sotto_audit_set_defaults(sotto_audit_config *out_config, size_t size_bytes)
{
    const sotto_audit_config defaults = {.epsilon = SOTTO_UNSET,
                                         .delta = SOTTO_UNSET,
                                         .adjacency = SOTTO_ADD_REMOVE,
                                         .runs = 20000,
                                         .alpha = 0.01};
    sot_sized_give(SOT_SIZED(audit), &defaults, out_config, size_bytes, 0);
}

static sotto_status check(const sotto_audit_config *config, sotto_error *error)
{
    if (!(config->epsilon > 0.0) || isinf(config->epsilon)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; the claimed epsilon is above 0; for example `epsilon=6`",
            config->epsilon);
    }
    if (!(config->alpha > 0.0 && config->alpha < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`alpha` is %g; the chance of a false alarm lies between 0 and "
                        "1; for example `alpha=0.05`",
                        config->alpha);
    }
    if (config->runs < 100 || config->runs > SOTTO_AUDIT_RUNS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`runs` is %" PRIu64 "; give from 100 to %" PRIu64
                        " trainings of each kind, for example `runs=2000`",
                        config->runs, SOTTO_AUDIT_RUNS_MAX);
    }
    return SOTTO_OK;
}

/* ---- the claim ---- */

static sotto_status read_claim(const sot_laboratory *lab, sotto_audit *audit,
                               sotto_error *error)
{
    const sotto_training *training = lab->training;
    sotto_audit_summary *found = &audit->found;
    double rho;
    found->adjacency = training->config.adjacency;
    found->epsilon = training->account.epsilon;
    found->delta = training->delta;
    sotto_status status = sot_plan_scaled(training->plan, 1.0, &audit->plan, error);
    if (status == SOTTO_OK)
        status = sotto_account_single_numbers(audit->plan, &found->mu, &rho, error);
    if (status != SOTTO_OK) return status;
    const double least = found->delta > 0.0 ? fmin(found->delta, 1e-6) : 0.0;
    return sotto_curve_new(audit->plan, SOTTO_EXACT, fmax(least, 0.0), CURVE_POINTS,
                           &audit->curve, error);
}

/* ---- the route to epsilon ---- */

/* Is the claim's plan with `factor` of its noise refuted? */
static sotto_status refutes(const sotto_audit *audit, double factor, bool *out_refuted,
                            sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_curve *curve = NULL;
    sotto_audit_verdict verdict = {.refuted = false};
    sotto_status status = sot_plan_scaled(audit->plan, factor, &plan, error);
    if (status == SOTTO_OK)
        status = sotto_curve_new(plan, SOTTO_EXACT, 1e-6, 16, &curve, error);
    if (status == SOTTO_OK)
        status = sotto_audit_against_curve(&audit->found.counts, audit->level, curve,
                                           plan, &verdict, error);
    *out_refuted = verdict.refuted;
    sotto_curve_free(curve);
    sotto_plan_free(plan);
    return status;
}

/* Finds the smallest refuted noise, as a factor, by bisection; then prices the plan with that
 * noise. More noise is more private, so a claim refuted at one factor is refuted at every larger
 * one. */
static sotto_status epsilon_by_noise(const sotto_audit *audit, double *out_epsilon,
                                     sotto_error *error)
{
    double log_low = -3.0, log_high = 4.0; /* of the factor: not refuted, refuted */
    bool refuted = false;
    sotto_plan *plan = NULL;
    sotto_account account;
    *out_epsilon = 0.0;
    sotto_status status = refutes(audit, exp(log_high), &refuted, error);
    if (status != SOTTO_OK || !refuted) return status;
    for (int i = 0; i < SEARCH_STEPS && status == SOTTO_OK; i++) {
        const double middle = 0.5 * (log_low + log_high);
        status = refutes(audit, exp(middle), &refuted, error);
        if (refuted)
            log_high = middle;
        else
            log_low = middle;
    }
    if (status == SOTTO_OK)
        status = sot_plan_scaled(audit->plan, exp(log_high), &plan, error);
    if (status == SOTTO_OK)
        status =
            sotto_account_epsilon(plan, SOTTO_EXACT, audit->found.delta, &account, error);
    /* No lower bound of a price, no lower bound of epsilon: an upper one will not do. */
    if (status == SOTTO_OK && !isnan(account.epsilon_lower))
        *out_epsilon = account.epsilon_lower;
    sotto_plan_free(plan);
    return status;
}

static sotto_status take_route(sotto_audit *audit, sotto_error *error)
{
    sotto_audit_summary *found = &audit->found;
    found->route = SOTTO_AUDIT_BY_RATES;
    found->epsilon_lower = found->bounds.epsilon_lower;
    if (audit->pure || audit->chooses) return SOTTO_OK;
    /* Less noise does not take objective perturbation's claim down: the determinant's part stays. */
    if (!isnan(found->mu) || audit->has_losses) {
        found->route = isnan(found->mu) ? SOTTO_AUDIT_AS_GAUSSIAN : SOTTO_AUDIT_BY_MU;
        found->epsilon_lower = found->bounds.gaussian_epsilon_lower;
        return SOTTO_OK;
    }
    if (!sot_plan_has_noise(audit->plan)) return SOTTO_OK;
    found->route = SOTTO_AUDIT_BY_NOISE;
    return epsilon_by_noise(audit, &found->epsilon_lower, error);
}

/* ---- the verdict ---- */

static void judge_losses(sotto_audit *audit)
{
    sotto_audit_summary *found = &audit->found;
    const double *in = audit->scores + found->runs;
    found->loss_most = found->delta_seen = found->delta_lower = SOTTO_UNSET;
    if (!audit->has_losses) return;
    found->loss_most = 0.0;
    for (uint64_t i = 0; i < 2 * found->runs; i++)
        found->loss_most = fmax(found->loss_most, fabs(audit->scores[i]));
    sot_exact_loss_delta(in, (size_t)found->runs, found->epsilon, audit->level,
                         &found->delta_seen, &found->delta_lower);
    if (found->delta_lower > found->delta) found->refuted = true;
    /* A pure claim bounds the loss at every point; 2^-20 for the rounding of the two densities. */
    if (audit->pure && found->loss_most > found->epsilon * (1.0 + 0x1p-20))
        found->refuted = true;
}

static sotto_status judge(const sot_study *study, sotto_audit *audit, sotto_error *error)
{
    sotto_audit_summary *found = &audit->found;
    const size_t runs = (size_t)found->runs;
    const double *out = audit->scores, *in = audit->scores + runs;
    /* Two tests share the chance of a false alarm where there are two. */
    audit->level = audit->has_losses ? 0.5 * found->alpha : found->alpha;
    sotto_status status =
        sotto_audit_split(in, runs, out, runs, study->aim, audit->level, found->delta,
                          &found->threshold, &found->counts, error);
    if (status == SOTTO_OK)
        status = sotto_audit_bounds_of(&found->counts, audit->level, found->delta,
                                       &found->bounds, error);
    if (status == SOTTO_OK)
        status = sotto_audit_against_curve(&found->counts, audit->level, audit->curve,
                                           audit->plan, &found->verdict, error);
    if (status == SOTTO_OK) status = take_route(audit, error);
    if (status != SOTTO_OK) return status;
    found->refuted =
        found->verdict.refuted || found->bounds.epsilon_lower > found->epsilon;
    judge_losses(audit);
    sot_audit_put_sentence(audit);
    return SOTTO_OK;
}

/* ---- the whole ---- */

static sotto_status run_study(const sotto_audit_config *config, const sot_study *study,
                              sotto_rng *rng, sotto_audit *audit, sotto_error *error)
{
    sot_laboratory lab;
    sotto_status status = sot_laboratory_open(study, rng, &lab, error);
    audit->pure = isnan(config->delta);
    audit->chooses = study->aim == SOTTO_AIM_EPSILON;
    audit->has_losses = study->look == SOT_LOOK_LOSS;
    audit->pair = study->pair;
    audit->short_of = study->short_of;
    audit->found.runs = config->runs;
    audit->found.alpha = config->alpha;
    if (status == SOTTO_OK) status = read_claim(&lab, audit, error);
    if (status == SOTTO_OK) {
        audit->scores = sot_new_array(2 * (size_t)config->runs, sizeof *audit->scores);
        if (audit->scores == NULL)
            status = sot_fail_memory(error, 2 * (size_t)config->runs, sizeof(double));
    }
    if (status == SOTTO_OK)
        status = sot_laboratory_run(&lab, config, rng, audit->scores, error);
    if (status == SOTTO_OK) status = judge(study, audit, error);
    sot_laboratory_close(&lab);
    return status;
}

sotto_status sotto_audit_learner(const sotto_audit_config *given, sotto_audit **out_audit,
                                 sotto_error *error)
{
    sot_study study;
    sotto_rng *rng = NULL;
    sotto_audit_config own;
    const sotto_audit_config *const config = &own;
    sotto_status status = SOT_TAKE(audit, given, &own, error);
    if (status == SOTTO_OK) status = check(config, error);
    if (status == SOTTO_OK) status = sot_study_craft(config, &study, error);
    if (status != SOTTO_OK) return status;
    sotto_audit *audit = sot_new_array(1, sizeof *audit);
    if (audit == NULL) return sot_fail_memory(error, 1, sizeof *audit);
    status = config->insecure_test
                 ? sotto_rng_new_for_test(config->test_seed, &rng, error)
                 : sotto_rng_new(&rng, error);
    if (status == SOTTO_OK) status = run_study(config, &study, rng, audit, error);
    sotto_rng_free(rng);
    if (status == SOTTO_OK)
        *out_audit = audit;
    else
        sotto_audit_free(audit);
    return status;
}

void sotto_audit_free(sotto_audit *audit)
{
    if (audit == NULL) return;
    sotto_curve_free(audit->curve);
    sotto_plan_free(audit->plan);
    sot_free(audit->scores);
    sot_free(audit);
}

const sotto_audit_summary *sotto_audit_found(const sotto_audit *audit)
{
    return &audit->found;
}

const char *sotto_audit_pair(const sotto_audit *audit)
{
    return audit->pair;
}

const char *sotto_audit_short_of(const sotto_audit *audit)
{
    return audit->short_of;
}

const char *sotto_audit_sentence(const sotto_audit *audit)
{
    return audit->sentence;
}
