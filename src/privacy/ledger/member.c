#include "privacy/ledger/member.h"

#include <math.h>

#include "base/error.h"
#include "base/names.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"
#include "privacy/accounting/plan/price.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/ledger/amount.h"

static const sot_names kinds =
    SOT_NAMES(NULL, [SOTTO_MEMBER_BASIC] = "basic", [SOTTO_MEMBER_RENYI] = "renyi",
              [SOTTO_MEMBER_GAUSSIAN] = "gaussian", [SOTTO_MEMBER_ZCDP] = "zcdp",
              [SOTTO_MEMBER_PURE] = "pure");

const char *sotto_member_name(sotto_member_kind kind)
{
    return sot_name_of(&kinds, (int)kind);
}

/* ---- which members ---- */

static void add_member(sot_members *members, sotto_member_kind kind, uint32_t weight,
                       double order)
{
    members->at[members->count++] =
        (sot_member){.kind = kind, .weight = weight, .order = order};
}

/* Shares of the members' delta: basic 2/9, Renyi 5/9 and 2/9. With a tenth for own deltas
 * these are 0.2, 0.5 and 0.2 of delta. */
enum { BASIC_WEIGHT = 2, RENYI_WEIGHT = 5, SECOND_WEIGHT = 2 };

static void choose_general(const sot_budget *budget, double order,
                           sot_members *out_members)
{
    const double left = sot_sub_down(budget->delta, budget->own_delta);
    const double parts = BASIC_WEIGHT + RENYI_WEIGHT + SECOND_WEIGHT;
    if (isnan(order) && budget->epsilon > 0.0 &&
        budget->epsilon <= SOT_EPSILON_BUDGET_MAX && left > 0.0 && left < 1.0)
        order = sot_budget_best_order(budget->epsilon, left * (RENYI_WEIGHT / parts));
    add_member(out_members, SOTTO_MEMBER_BASIC, BASIC_WEIGHT, SOTTO_UNSET);
    add_member(out_members, SOTTO_MEMBER_RENYI, RENYI_WEIGHT, order);
    /* For histories with a few large pure or objective runs. */
    const double second = 2.0 * order;
    if (second <= SOT_ORDER_MAX &&
        sot_budget_rdp_lower(second, budget->epsilon, left * (SECOND_WEIGHT / parts)) >
            0.0)
        add_member(out_members, SOTTO_MEMBER_RENYI, SECOND_WEIGHT, second);
}

void sot_members_choose(const sot_budget *budget, sotto_ledger_filter filter,
                        double order, sot_members *out_members)
{
    *out_members = (sot_members){.count = 0};
    if (!isnan(budget->rho)) {
        add_member(out_members, SOTTO_MEMBER_ZCDP, 1, order);
    } else if (budget->delta == 0.0) {
        add_member(out_members, SOTTO_MEMBER_BASIC, 1, order);
    } else if (filter == SOTTO_LEDGER_GAUSSIAN) {
        add_member(out_members, SOTTO_MEMBER_GAUSSIAN, 1, order);
        add_member(out_members, SOTTO_MEMBER_BASIC, 0, SOTTO_UNSET);
    } else {
        choose_general(budget, order, out_members);
    }
}

/* ---- budgets ---- */

static sotto_status check_order(const sot_member *member, sotto_error *error)
{
    if (member->kind != SOTTO_MEMBER_RENYI) {
        if (isnan(member->order)) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`order` is %g, but a pure, Gaussian or zCDP budget has none; "
                        "leave `order` out",
                        member->order);
    }
    if (member->order > 1.0 && member->order <= SOT_ORDER_MAX) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`order` is %g; a Renyi order is above 1 and at most 1e6; for example `order=8`",
        member->order);
}

/* The largest amount in the member's currency with which it guarantees (epsilon, delta of the member). */
static double largest(const sot_budget *budget, const sot_member *member)
{
    switch (member->kind) {
    case SOTTO_MEMBER_RENYI:
        return sot_budget_rdp_lower(member->order, budget->epsilon, member->delta);
    case SOTTO_MEMBER_GAUSSIAN: {
        const double mu = sot_gaussian_mu_lower(budget->epsilon, member->delta);
        return sot_mul_down(mu, mu);
    }
    case SOTTO_MEMBER_ZCDP:
        return budget->rho;
    case SOTTO_MEMBER_BASIC:
    case SOTTO_MEMBER_PURE:
        break;
    }
    return budget->epsilon;
}

static sotto_status price_member(const sot_budget *budget, sot_member *member,
                                 sotto_error *error)
{
    sotto_status status = check_order(member, error);
    if (status != SOTTO_OK) return status;
    const double amount = largest(budget, member);
    const bool is_basic = member->kind == SOTTO_MEMBER_BASIC;
    const bool fits =
        amount > 0.0 &&
        (is_basic ? sot_decimal_down(amount, &member->budget)
                  : sot_amount_down(amount, SOT_CHARGE_UNIT, &member->budget)) &&
        member->budget > 0;
    member->delta_budget = 0;
    if (fits && is_basic)
        (void)sot_amount_down(member->delta, SOT_DELTA_UNIT, &member->delta_budget);
    if (fits) return SOTTO_OK;
    if (member->kind == SOTTO_MEMBER_RENYI) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`order` is %g, which leaves no budget at epsilon %g and delta "
                        "%g; give another order, or leave it out for the best one",
                        member->order, budget->epsilon, budget->delta);
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the budget is %g, below one unit of the %s member", amount,
                    sotto_member_name(member->kind));
}

/* delta - own_delta in parts by weight, each rounded down, so that their sum is at most that. */
sotto_status sot_members_price(const sot_budget *budget, sot_members *members,
                               sotto_error *error)
{
    const double whole =
        budget->delta > 0.0 ? sot_sub_down(budget->delta, budget->own_delta) : 0.0;
    double weights = 0.0;
    for (size_t i = 0; i < members->count; i++)
        weights += members->at[i].weight;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < members->count && status == SOTTO_OK; i++) {
        sot_member *member = &members->at[i];
        const bool all = (double)member->weight == weights;
        member->delta =
            member->weight == 0 ? 0.0
            : all               ? whole
                  : sot_div_down(sot_mul_down(whole, (double)member->weight), weights);
        status = price_member(budget, member, error);
    }
    return status;
}

/* ---- sums ---- */

bool sot_member_covers(const sot_member *member)
{
    return !member->missing && member->spent <= member->budget &&
           member->delta_spent <= member->delta_budget;
}

bool sot_member_needs_own_deltas(const sot_member *member)
{
    return member->kind != SOTTO_MEMBER_BASIC;
}

double sot_member_value(const sot_member *member, int64_t amount, bool up)
{
    if (amount == SOT_MISSING) return HUGE_VAL;
    if (member->kind == SOTTO_MEMBER_BASIC) return sot_decimal_value(amount);
    return up ? sot_amount_value_up(amount, SOT_CHARGE_UNIT)
              : sot_amount_value_down(amount, SOT_CHARGE_UNIT);
}

/* The least epsilon at which a Gaussian of this mu^2 has the member's delta. */
static double gaussian_epsilon(double mu_square, double delta)
{
    const double mu = sot_sqrt_up(mu_square);
    double low = 0.0, high = 1.0;
    const sot_bracket shift = {mu, mu};
    while (high < 1e6 && sot_gaussian_delta(shift, high).upper > delta)
        high *= 2.0;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (sot_gaussian_delta(shift, middle).upper > delta) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

double sot_member_epsilon_upper(const sot_member *member)
{
    const double spent = sot_member_value(member, member->spent, true);
    if (!sot_member_covers(member)) return HUGE_VAL;
    if (member->spent == 0 && member->delta_spent == 0) return 0.0;
    if (member->kind == SOTTO_MEMBER_RENYI)
        return sot_budget_epsilon_upper(member->order, spent, member->delta);
    if (member->kind == SOTTO_MEMBER_GAUSSIAN)
        return gaussian_epsilon(spent, member->delta);
    return member->kind == SOTTO_MEMBER_ZCDP ? HUGE_VAL : spent;
}

double sot_member_share_left(const sot_member *member)
{
    if (!sot_member_covers(member)) return -1.0;
    double left = 1.0 - (double)member->spent / (double)member->budget;
    if (member->delta_budget > 0)
        left =
            fmin(left, 1.0 - (double)member->delta_spent / (double)member->delta_budget);
    return left;
}
