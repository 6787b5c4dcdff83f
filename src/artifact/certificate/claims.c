/* The claims of a certificate, from the plan and its releases. */
#include <math.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"

const double sot_false_positive_rates[SOT_ATTACKS_SIZE] = {1e-3, 1e-2, 0.05, 0.1};

/* Epsilon is shown at the headline's delta and at these; 0 is for plans of pure events. */
static const double shown_deltas[] = {1e-5, 1e-6, 1e-9, 0.0};

/* The attack table also uses these pairs. No such delta would be a good guarantee. But
 * the bounds on an attack at 1e-3 to 0.1 come from this part of the profile. */
static const double profile_deltas[SOT_PROFILE_SIZE] = {0.3,   0.1,  0.03, 0.01,
                                                        0.003, 1e-3, 1e-4};

/* No finite epsilon is an answer too: the row stays empty. */
static sotto_status price(const sot_certificate *certificate, double delta,
                          sot_guarantee *out_row, sotto_kernel *out_kernel,
                          sotto_error *error)
{
    sotto_account account;
    *out_row = (sot_guarantee){delta, NAN, NAN};
    const double sampler_error = certificate->sampler_error;
    const sotto_status status = sotto_account_epsilon_inexact(
        certificate->plan, SOTTO_EXACT, delta, sampler_error, &account, error);
    if (status == SOTTO_UNREACHABLE) return SOTTO_OK;
    if (status != SOTTO_OK) return status;
    *out_row = (sot_guarantee){delta, account.epsilon, account.epsilon_lower};
    *out_kernel = account.kernel;
    return SOTTO_OK;
}

static void insert(double *deltas, size_t *count, double delta)
{
    size_t place = 0;
    while (place < *count && deltas[place] > delta)
        place++;
    if (place < *count && deltas[place] == delta) return;
    for (size_t i = *count; i > place; i--)
        deltas[i] = deltas[i - 1];
    deltas[place] = delta;
    (*count)++;
}

/* The rows of the table, largest delta first. An empty row at 0 is left out: most plans are
 * not pure, and saying so would be noise. */
static sotto_status compute_guarantees(sot_certificate *certificate, sotto_error *error)
{
    sot_claims *claims = &certificate->claims;
    double deltas[SOT_GUARANTEES_MAX];
    size_t count = 0;
    insert(deltas, &count, claims->delta);
    for (size_t i = 0; i < sizeof shown_deltas / sizeof shown_deltas[0]; i++)
        insert(deltas, &count, shown_deltas[i]);
    claims->guarantee_count = 0;
    for (size_t i = 0; i < count; i++) {
        sot_guarantee row;
        sotto_kernel kernel;
        const sotto_status status = price(certificate, deltas[i], &row, &kernel, error);
        if (status != SOTTO_OK) return status;
        if (deltas[i] == claims->delta) {
            if (isnan(row.epsilon)) {
                return sot_fail(error, SOTTO_UNREACHABLE,
                                "no finite epsilon holds at delta %g for this plan; give "
                                "a larger delta",
                                claims->delta);
            }
            claims->epsilon = row.epsilon;
            claims->kernel = kernel;
        }
        if (deltas[i] == 0.0 && isnan(row.epsilon)) continue;
        claims->guarantees[claims->guarantee_count++] = row;
    }
    return SOTTO_OK;
}

static sotto_status compute_profile(sot_certificate *certificate, sotto_error *error)
{
    for (size_t i = 0; i < SOT_PROFILE_SIZE; i++) {
        sotto_kernel kernel;
        const sotto_status status =
            price(certificate, profile_deltas[i], &certificate->claims.profile[i],
                  &kernel, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

static void compute_attacks(sot_claims *claims)
{
    sotto_account pairs[SOT_GUARANTEES_MAX + SOT_PROFILE_SIZE];
    size_t count = 0;
    for (size_t i = 0; i < claims->guarantee_count; i++) {
        pairs[count++] = (sotto_account){.epsilon = claims->guarantees[i].epsilon,
                                         .delta = claims->guarantees[i].delta};
    }
    for (size_t i = 0; i < SOT_PROFILE_SIZE; i++) {
        pairs[count++] = (sotto_account){.epsilon = claims->profile[i].epsilon,
                                         .delta = claims->profile[i].delta};
    }
    for (size_t i = 0; i < SOT_ATTACKS_SIZE; i++) {
        claims->true_positive_rates[i] =
            sotto_account_attack(pairs, count, sot_false_positive_rates[i]);
    }
}

sotto_status sot_claims_compute(sot_certificate *certificate, sotto_error *error)
{
    sot_claims *claims = &certificate->claims;
    claims->delta = certificate->facts.delta;
    sotto_status status = compute_guarantees(certificate, error);
    if (status == SOTTO_OK) status = compute_profile(certificate, error);
    if (status == SOTTO_OK) {
        status = sotto_account_single_numbers(certificate->plan, &claims->mu,
                                              &claims->rho, error);
    }
    if (status == SOTTO_OK) compute_attacks(claims);
    return status;
}
