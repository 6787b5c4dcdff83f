/* The ledger section of a certificate must add up, and the charge must cover the plan. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"
#include "privacy/accounting/plan/price.h"

/* The ledger counts in whole units, so its sums are exact. A double also holds an amount below
 * 2^53 units exactly; larger ones are rounded to their safe side. */
static const double charge_unit = 0x1p-40;
static const double delta_unit = 0x1p-62;

/* The member in whose currency the certificate states amounts. Certificates without a list of members are of the older
 * format: a Renyi filter, or a pure one. */
static sotto_ledger_member member_of(const sotto_ledger_balance *balance)
{
    if (balance->member < balance->member_count) return balance->members[balance->member];
    return (sotto_ledger_member){.kind = isnan(balance->order) ? SOTTO_MEMBER_PURE
                                                               : SOTTO_MEMBER_RENYI,
                                 .order = balance->order,
                                 .delta = balance->delta - balance->delta_budget};
}

/* Basic amounts are decimal, so that doubles hold them to their last place only. */
static double unit_of(const sotto_ledger_balance *balance)
{
    return member_of(balance).kind == SOTTO_MEMBER_BASIC ? 0.0 : charge_unit;
}

static double largest_of(double a, double b, double c)
{
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

static bool is_whole(double amount, double unit)
{
    return fmod(amount, unit) == 0.0; /* fmod is exact */
}

static bool adds_up(double a, double b, double sum, double unit)
{
    const double largest = largest_of(a, b, sum), difference = fabs(a + b - sum);
    if (largest < 0x1p53 * unit) {
        return difference == 0.0 && is_whole(a, unit) && is_whole(b, unit) &&
               is_whole(sum, unit);
    }
    return difference <= 4.0 * DBL_EPSILON * largest; /* infinite and NaN fail */
}

static sotto_status check_sum(const char *field, double a, double b, double stated,
                              double unit, sotto_status refusal, sotto_error *error)
{
    if (adds_up(a, b, stated, unit)) return SOTTO_OK;
    return sot_fail(error, refusal, "ledger.%s states %.17g, recomputed %.17g", field,
                    stated, a + b);
}

static sotto_status check_balance(const sotto_ledger_balance *balance, const char *left,
                                  const char *delta_left, sotto_status refusal,
                                  sotto_error *error)
{
    sotto_status status = check_sum(left, balance->budget, -balance->spent, balance->left,
                                    unit_of(balance), refusal, error);
    if (status == SOTTO_OK)
        status = check_sum(delta_left, balance->delta_budget, -balance->delta_spent,
                           balance->delta_left, delta_unit, refusal, error);
    return status;
}

static sotto_status check_sums(const sotto_reservation *ledger, sotto_status refusal,
                               sotto_error *error)
{
    const sotto_ledger_balance *before = &ledger->before, *after = &ledger->after;
    sotto_status status = check_sum("after.spent", before->spent, ledger->charged,
                                    after->spent, unit_of(after), refusal, error);
    if (status == SOTTO_OK)
        status =
            check_sum("after.delta_spent", before->delta_spent, ledger->delta_charged,
                      after->delta_spent, delta_unit, refusal, error);
    if (status == SOTTO_OK)
        status = check_sum("after.budget", before->budget, 0.0, after->budget,
                           unit_of(after), refusal, error);
    if (status == SOTTO_OK)
        status = check_sum("after.delta_budget", before->delta_budget, 0.0,
                           after->delta_budget, delta_unit, refusal, error);
    if (status == SOTTO_OK)
        status =
            check_balance(before, "before.left", "before.delta_left", refusal, error);
    if (status == SOTTO_OK)
        status = check_balance(after, "after.left", "after.delta_left", refusal, error);
    return status;
}

/* Another C library may round the last bits of a logarithm differently. */
static const double budget_tolerance = 1e-9;

/* Returns the member's budget under (epsilon, delta). The own deltas' part was rounded down, so
 * the filter's part of delta is larger by less than a unit; that much is accepted. */
static double largest_budget(const sotto_ledger_balance *balance)
{
    const sotto_ledger_member member = member_of(balance);
    if (!(balance->delta >= 0.0 && balance->delta < 1.0 &&
          member.delta <= balance->delta))
        return -1.0;
    switch (member.kind) {
    case SOTTO_MEMBER_RENYI:
        if (!(member.order > 1.0 && member.delta > 0.0)) return -1.0;
        return sot_budget_rdp_lower(member.order, balance->epsilon, member.delta);
    case SOTTO_MEMBER_GAUSSIAN: {
        const double mu = sot_gaussian_mu_lower(balance->epsilon, member.delta);
        return sot_mul_up(mu, mu);
    }
    case SOTTO_MEMBER_ZCDP:
        return balance->rho;
    case SOTTO_MEMBER_PURE:
        return balance->delta == 0.0 && balance->delta_budget == 0.0 ? balance->epsilon
                                                                     : -1.0;
    case SOTTO_MEMBER_BASIC:
        return balance->delta_budget <= member.delta ? balance->epsilon : -1.0;
    }
    return -1.0;
}

/* Returns a lower bound on the spent epsilon: another member may have less. */
static double least_epsilon_spent(const sotto_ledger_balance *balance)
{
    const sotto_ledger_member member = member_of(balance);
    if (balance->member_count > 0) return 0.0;
    if (member.kind == SOTTO_MEMBER_PURE) return balance->spent;
    if (balance->spent == 0.0 && balance->delta_spent == 0.0) return 0.0;
    return sot_budget_epsilon_upper(balance->order, balance->spent, member.delta);
}

/* The budget that people read, (epsilon, delta), must be the one that is kept. */
static sotto_status check_meaning(const sotto_ledger_balance *balance, const char *name,
                                  sotto_status refusal, sotto_error *error)
{
    const double most = largest_budget(balance);
    if (!(balance->budget <= most + budget_tolerance * fabs(most) + charge_unit)) {
        return sot_fail(
            error, refusal,
            "ledger.%s.budget states %.17g, more than epsilon %g and delta %g "
            "allow",
            name, balance->budget, balance->epsilon, balance->delta);
    }
    const double least = least_epsilon_spent(balance);
    if (!isnan(balance->rho) && balance->member_count > 0) return SOTTO_OK;
    if (!(balance->epsilon_spent_upper >=
          least - budget_tolerance * fabs(least) - charge_unit)) {
        return sot_fail(error, refusal,
                        "ledger.%s.epsilon_spent states %.17g, recomputed %.17g", name,
                        balance->epsilon_spent_upper, least);
    }
    return SOTTO_OK;
}

/* Nothing is overdrawn, nothing is negative. */
static sotto_status check_signs(const sotto_reservation *ledger, sotto_status refusal,
                                sotto_error *error)
{
    const struct {
        const char *field;
        double value;
    } amounts[] = {{"charged", ledger->charged},
                   {"delta_charged", ledger->delta_charged},
                   {"before.spent", ledger->before.spent},
                   {"before.delta_spent", ledger->before.delta_spent},
                   {"after.left", ledger->after.left},
                   {"after.delta_left", ledger->after.delta_left}};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        if (amounts[i].value >= 0.0 && isfinite(amounts[i].value)) continue;
        return sot_fail(error, refusal, "ledger.%s is %g; it is never below 0",
                        amounts[i].field, amounts[i].value);
    }
    return SOTTO_OK;
}

/* The least the ledger must have charged, in the member's currency, and
 * beside it the events' own deltas. A run of units in a ledger of rows was charged more. */
static sotto_status least_charge(const sot_certificate *certificate, double *out_least,
                                 double *out_least_delta, sotto_error *error)
{
    const sotto_reservation *ledger = certificate->facts.ledger;
    const sotto_ledger_member member = member_of(&ledger->after);
    const sotto_plan *plan = certificate->plan;
    const double order = member.kind == SOTTO_MEMBER_RENYI ? member.order : 2.0;
    const bool is_sum =
        member.kind == SOTTO_MEMBER_BASIC || member.kind == SOTTO_MEMBER_PURE;
    sotto_status status = SOTTO_OK;
    if (!is_sum)
        status =
            sotto_account_rdp_with_delta(plan, order, out_least, out_least_delta, error);
    if (status == SOTTO_OK && member.kind == SOTTO_MEMBER_GAUSSIAN)
        status = sot_price_mu_square(plan, out_least, error);
    if (status == SOTTO_OK && member.kind == SOTTO_MEMBER_ZCDP)
        status = sot_price_rho(plan, out_least, error);
    if (status != SOTTO_OK || !is_sum) return status;
    sotto_account account;
    const double delta = member.kind == SOTTO_MEMBER_BASIC ? ledger->delta_charged : 0.0;
    status = sotto_account_epsilon(plan, delta > 0.0 ? SOTTO_EXACT : SOTTO_BASIC, delta,
                                   &account, error);
    if (status != SOTTO_OK) return status;
    *out_least = account.epsilon;
    *out_least_delta = 0.0;
    return SOTTO_OK;
}

static sotto_status check_charge(const sot_certificate *certificate, sotto_status refusal,
                                 sotto_error *error)
{
    const sotto_reservation *ledger = certificate->facts.ledger;
    double least, least_delta;
    sotto_error cause;
    const sotto_status status = least_charge(certificate, &least, &least_delta, &cause);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    if (status != SOTTO_OK) {
        return sot_fail(error, refusal, "ledger.charged cannot be recomputed: %.190s",
                        cause.message);
    }
    /* Another C library may round the last bits of an RDP differently. */
    if (ledger->charged < sot_widen_down(least, 1e-12)) {
        return sot_fail(error, refusal,
                        "ledger.charged states %.17g, recomputed at least %.17g",
                        ledger->charged, least);
    }
    /* The ledger rounds its sum of deltas up, so one run may find its unit paid already. The
     * samplers' errors cost it at least twice their total variation. */
    if (member_of(&ledger->after).kind == SOTTO_MEMBER_BASIC) return SOTTO_OK;
    least_delta = sot_widen_down(
        sot_add_down(least_delta, 2.0 * certificate->sampler_error), 1e-12);
    if (ledger->delta_charged + delta_unit < least_delta) {
        return sot_fail(error, refusal,
                        "ledger.delta_charged states %.17g, recomputed at least %.17g",
                        ledger->delta_charged, least_delta);
    }
    return SOTTO_OK;
}

static bool is_hash(const char *text)
{
    return strlen(text) == SOTTO_HASH_HEX_BYTES - 1 &&
           strspn(text, "0123456789abcdef") == SOTTO_HASH_HEX_BYTES - 1;
}

static sotto_status check_identity(const sot_certificate *certificate,
                                   sotto_status refusal, sotto_error *error)
{
    const sotto_reservation *ledger = certificate->facts.ledger;
    const sotto_ledger_balance *before = &ledger->before, *after = &ledger->after;
    const char *dataset = certificate->facts.dataset;
    if (dataset == NULL || strcmp(dataset, after->dataset) != 0 ||
        strcmp(before->dataset, after->dataset) != 0) {
        return sot_fail(error, refusal,
                        "ledger.dataset states %s, but the certificate is about %s",
                        after->dataset, dataset != NULL ? dataset : "no named data set");
    }
    const sotto_adjacency adjacency = sotto_plan_adjacency(certificate->plan);
    if (after->adjacency != adjacency || before->adjacency != adjacency) {
        return sot_fail(
            error, refusal, "ledger.adjacency states %s, but the plan's is %s",
            sotto_adjacency_name(after->adjacency), sotto_adjacency_name(adjacency));
    }
    if (!is_hash(before->head) || !is_hash(after->head) ||
        strcmp(before->head, after->head) == 0) {
        return sot_fail(error, refusal,
                        "ledger.after.head is not a new hash of 64 hexadecimal digits");
    }
    if (after->entries != before->entries + 1 || ledger->id != after->entries) {
        return sot_fail(error, refusal,
                        "ledger.reservation states %llu and ledger.after.entries %llu, "
                        "but the ledger had %llu entries before",
                        (unsigned long long)ledger->id,
                        (unsigned long long)after->entries,
                        (unsigned long long)before->entries);
    }
    return SOTTO_OK;
}

sotto_status sot_ledger_facts_check(const sot_certificate *certificate,
                                    sotto_status refusal, sotto_error *error)
{
    const sotto_reservation *ledger = certificate->facts.ledger;
    sotto_status status = check_identity(certificate, refusal, error);
    if (status == SOTTO_OK) status = check_sums(ledger, refusal, error);
    if (status == SOTTO_OK) status = check_signs(ledger, refusal, error);
    if (status == SOTTO_OK) status = check_charge(certificate, refusal, error);
    if (status == SOTTO_OK)
        status = check_meaning(&ledger->before, "before", refusal, error);
    if (status == SOTTO_OK)
        status = check_meaning(&ledger->after, "after", refusal, error);
    return status;
}
