#include "privacy/ledger/pricing.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/plan/price.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/relation.h"

/* ---- the basic member's point ---- */

static bool is_pure(const sotto_event *event)
{
    switch (event->mechanism) {
    case SOTTO_PURE:
    case SOTTO_DISCRETE_LAPLACE:
    case SOTTO_EXPONENTIAL:
    case SOTTO_PERMUTE_AND_FLIP:
    case SOTTO_RANDOMIZED_RESPONSE:
    case SOTTO_LAPLACE:
    case SOTTO_APPROXIMATE: /* up to its delta */
        return true;
    case SOTTO_GAUSSIAN:
    case SOTTO_ZCDP:
    case SOTTO_GDP:
    case SOTTO_DISCRETE_GAUSSIAN:
    case SOTTO_OBJECTIVE_PERTURBATION:
    case SOTTO_RDP_CURVE:
    case SOTTO_GAUSSIAN_MIXTURE:
    case SOTTO_MECHANISM_UNSET:
        return false;
    }
    return false;
}

bool sot_price_has_sum(const sotto_plan *plan)
{
    bool pure = true;
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        pure = pure && is_pure(sotto_plan_event(plan, i));
    return pure;
}

/* Basic composition of events with an epsilon, in decimal: ten of 0.1 are 1, and three of 1/6 are 0.5. SOT_MISSING: beyond
 * every budget. */
static void add_up(const sotto_plan *plan, int64_t *out_epsilon, int64_t *out_delta)
{
    int64_t epsilon = 0, delta = 0;
    bool fits = true;
    for (size_t i = 0; i < sotto_plan_size(plan) && fits; i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const double own = event->mechanism == SOTTO_APPROXIMATE
                               ? sot_mul_up((double)event->count, sot_event_delta(event))
                               : 0.0;
        const double all =
            sot_mul_up((double)event->count, sot_event_epsilon(event, SOTTO_UNSET));
        int64_t charge = 0, part = 0;
        fits = sot_decimal_up(all, &charge) &&
               sot_amount_add(epsilon, charge, &epsilon) &&
               sot_amount_up(own, SOT_DELTA_UNIT, &part) &&
               sot_amount_add(delta, part, &delta);
    }
    *out_epsilon = fits ? epsilon : SOT_MISSING;
    *out_delta = fits ? delta : 0;
}

static const sot_member *basic_of(const sot_state *state)
{
    for (size_t i = 0; i < state->members.count; i++)
        if (state->members.at[i].kind == SOTTO_MEMBER_BASIC) return &state->members.at[i];
    return NULL;
}

double sot_price_delta_left(const sot_state *state)
{
    const sot_member *basic = basic_of(state);
    if (basic == NULL || basic->missing) return 0.0;
    const int64_t rest = basic->delta_budget - basic->delta_spent;
    return rest > 0 ? sot_amount_value_down(rest, SOT_DELTA_UNIT) : 0.0;
}

/* The delta of a point that is not given by the events: the run's own, if it fits; otherwise a part of the member's rest. */
static double choose_delta(const sot_state *state, double asked)
{
    const double left = sot_price_delta_left(state);
    if (asked > 0.0 && asked <= left) return asked;
    return isnan(asked) ? 0.1 * left : 0.5 * left;
}

/* The inputs of one price. */
typedef struct question {
    const sotto_plan *plan;
    int steps;
    sot_two_steps two; /* if steps is 2 */
    sot_point point;
    int64_t point_delta; /* of a row that is there; SOT_MISSING for a new one */
} question;

/* True if the point is the sum of a pure plan, whose deltas are `sum_delta`. For an
 * existing row its delta decides. */
static bool takes_sum(const question *asked, int64_t sum_delta)
{
    if (asked->point_delta != SOT_MISSING) return asked->point_delta == sum_delta;
    return asked->point == SOT_POINT_SUM;
}

/* A point with this delta; missing if there is none. */
static sotto_status price_point(const question *asked, double delta, sot_charges *charges,
                                int64_t *out_charge, sotto_error *error)
{
    const bool known = asked->steps == 1 || asked->two.chained == NULL;
    const sotto_plan *plan = asked->steps == 1 || !known ? asked->plan : asked->two.known;
    double epsilon = HUGE_VAL, point = delta;
    *out_charge = SOT_MISSING;
    charges->point_delta = 0;
    if (known && sot_price_has_sum(plan)) {
        add_up(plan, out_charge, &charges->point_delta);
        if (takes_sum(asked, charges->point_delta)) return SOTTO_OK;
        *out_charge = SOT_MISSING;
        charges->point_delta = 0;
    }
    if (!(delta > 0.0)) return SOTTO_OK;
    sotto_account account;
    sotto_error cause;
    sotto_status status =
        known ? sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &cause)
              : sot_two_steps_point(plan, delta, &epsilon, &point, &cause);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    if (status != SOTTO_OK) return SOTTO_OK;
    if (known) epsilon = account.epsilon;
    point = delta; /* at least the point's own, and found again by the same search */
    if (!sot_decimal_up(epsilon, out_charge) ||
        !sot_amount_up(point, SOT_DELTA_UNIT, &charges->point_delta)) {
        *out_charge = SOT_MISSING;
        charges->point_delta = 0;
    }
    return SOTTO_OK;
}

/* ---- other members ---- */

static sotto_status price_rdp(const question *asked, double order, double *out_rdp,
                              double *out_delta, sotto_error *error)
{
    if (asked->steps == 2)
        return sot_two_steps_rdp(&asked->two, order, out_rdp, out_delta, error);
    return sotto_account_rdp_with_delta(asked->plan, order, out_rdp, out_delta, error);
}

typedef sotto_status (*single_price)(const sotto_plan *plan, double *out,
                                     sotto_error *error);

static sotto_status price_single(const question *asked, single_price price, double *out,
                                 sotto_error *error)
{
    *out = HUGE_VAL;
    if (asked->steps == 1) return price(asked->plan, out, error);
    if (asked->two.chained != NULL) return SOTTO_OK;
    return price(asked->two.known, out, error);
}

/* Older pure members have no delta, and no coins. */
static sotto_status price_epsilon(const question *asked, double *out, sotto_error *error)
{
    sotto_account account;
    const sotto_plan *plan = asked->steps == 1 ? asked->plan : asked->two.known;
    *out = HUGE_VAL;
    if (asked->steps == 2 && asked->two.chained != NULL) return SOTTO_OK;
    const sotto_status status =
        sotto_account_epsilon(plan, SOTTO_BASIC, 0.0, &account, NULL);
    if (status == SOTTO_OUT_OF_MEMORY) return sot_fail_memory(error, 1, sizeof account);
    if (status == SOTTO_OK) *out = account.epsilon;
    return SOTTO_OK;
}

static sotto_status price_member(const question *asked, const sot_member *member,
                                 double delta, sot_charges *charges, int64_t *out_charge,
                                 sotto_error *error)
{
    double cost = HUGE_VAL, own;
    sotto_status status = SOTTO_OK;
    switch (member->kind) {
    case SOTTO_MEMBER_BASIC:
        status = price_point(asked, delta, charges, out_charge, error);
        if (status == SOTTO_OK && *out_charge == 0) *out_charge = 1;
        return status;
    case SOTTO_MEMBER_RENYI:
        status = price_rdp(asked, member->order, &cost, &own, error);
        break;
    case SOTTO_MEMBER_GAUSSIAN:
        status = price_single(asked, sot_price_mu_square, &cost, error);
        break;
    case SOTTO_MEMBER_ZCDP:
        status = price_single(asked, sot_price_rho, &cost, error);
        break;
    case SOTTO_MEMBER_PURE:
        status = price_epsilon(asked, &cost, error);
        break;
    }
    if (status != SOTTO_OK) return status;
    if (!sot_amount_up(cost, SOT_CHARGE_UNIT, out_charge)) *out_charge = SOT_MISSING;
    if (*out_charge == 0) *out_charge = 1; /* nothing is free */
    return SOTTO_OK;
}

/* ---- the whole ---- */

/* An epsilon of 1e-300 has a divergence that no double holds, and is not nothing. */
static bool has_epsilon(const sotto_plan *plan)
{
    bool has = false;
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        has = has || (is_pure(event) && sot_event_epsilon(event, SOTTO_UNSET) > 0.0);
    }
    return has;
}

/* The events' own deltas; refuses a plan that costs nothing. Bounds are rounded up, so that nothing comes out as the least
 * of the subnormal numbers. */
static sotto_status price_own(const question *asked, sot_charges *charges,
                              sotto_error *error)
{
    double rdp = 0.0, own = 0.0;
    const sotto_status status = price_rdp(asked, 2.0, &rdp, &own, error);
    if (status != SOTTO_OK) return status;
    if (rdp < DBL_MIN && own == 0.0 && !has_epsilon(asked->plan)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the plan costs nothing, so it releases nothing private; leave the "
            "ledger out of it");
    }
    if (!sot_amount_up(own, SOT_DELTA_UNIT, &charges->own)) charges->own = sot_amount_max;
    return SOTTO_OK;
}

static sotto_status price_all(const sot_state *state, const question *asked, double delta,
                              sot_charges *charges, sotto_error *error)
{
    sotto_status status = price_own(asked, charges, error);
    for (size_t i = 0; i < state->members.count && status == SOTTO_OK; i++)
        status = price_member(asked, &state->members.at[i], delta, charges,
                              &charges->at[i], error);
    return status;
}

static sotto_status open_question(const sot_state *state, const sotto_plan *plan,
                                  question *out_asked, sotto_error *error)
{
    *out_asked = (question){.plan = plan, .steps = 1, .point_delta = SOT_MISSING};
    sotto_status status = sot_relation_steps(state, plan, &out_asked->steps, error);
    if (status == SOTTO_OK && out_asked->steps == 2)
        status = sot_two_steps_new(plan, &out_asked->two, error);
    return status;
}

/* A speck is paid once, for any epsilon granted later. Rounded up to a sampler unit it would cost
 * e^epsilon 2^-90, which is all of delta at epsilon 60. */
static sotto_status price_sampler(double sampler_error, sot_charges *charges,
                                  sotto_error *error)
{
    if (!(sampler_error >= 0.0 && sampler_error < 1.0)) { /* NaN too */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the sampler error is %g; give a total variation of at least 0 and "
            "below 1",
            sampler_error);
    }
    const bool speck = sampler_error > 0.0 && sampler_error <= SOT_SAMPLER_SPECK;
    charges->specks = speck ? 1 : 0;
    if (!sot_amount_up(speck ? 0.0 : sampler_error, SOT_SAMPLER_UNIT, &charges->sampler))
        charges->sampler = sot_amount_max;
    return SOTTO_OK;
}

sotto_status sot_price_plan(const sot_state *state, const sotto_plan *plan,
                            double sampler_error, double delta, sot_point point,
                            sot_charges *out_charges, sotto_error *error)
{
    question asked;
    sot_charges charges = {.own = 0};
    sotto_status status = open_question(state, plan, &asked, error);
    asked.point = point;
    if (status == SOTTO_OK) status = price_sampler(sampler_error, &charges, error);
    if (status == SOTTO_OK)
        status = price_all(state, &asked, choose_delta(state, delta), &charges, error);
    sot_two_steps_clear(&asked.two);
    if (status == SOTTO_OK) *out_charges = charges;
    return status;
}

sotto_status sot_price_plan_again(const sot_state *state, const sotto_plan *plan,
                                  int64_t point_delta, sot_charges *out_charges,
                                  sotto_error *error)
{
    question asked;
    sot_charges charges = {.own = 0};
    sotto_status status = open_question(state, plan, &asked, error);
    asked.point_delta = point_delta;
    if (status == SOTTO_OK)
        status =
            price_all(state, &asked, sot_amount_value_down(point_delta, SOT_DELTA_UNIT),
                      &charges, error);
    sot_two_steps_clear(&asked.two);
    if (status == SOTTO_OK) *out_charges = charges;
    return status;
}

/* ---- rows of the older form ---- */

static bool has_rows_of_a_unit(const sotto_plan *plan)
{
    bool has = false;
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        has = has || sotto_plan_event(plan, i)->rows > 1;
    return has;
}

sotto_status sot_price_older(const sot_state *state, const sotto_plan *plan,
                             sot_charges *charges, bool *out_of_units, sotto_error *error)
{
    question asked = {.plan = plan, .steps = 1, .point_delta = SOT_MISSING};
    sot_charges again = {.own = 0};
    *out_of_units = has_rows_of_a_unit(plan);
    sotto_status status = SOTTO_OK;
    if (*out_of_units) {
        asked.steps = state->adjacency == SOTTO_ADD_REMOVE ? 2 : 1;
        if (asked.steps == 2) status = sot_two_steps_new(plan, &asked.two, error);
    }
    for (size_t i = 0; i < state->members.count && status == SOTTO_OK; i++) {
        const sot_member *member = &state->members.at[i];
        if (i == 0 && !*out_of_units) continue; /* as it was charged */
        status = price_member(&asked, member, 0.0, &again, &again.at[i], error);
        /* Under replace-one a changed row may change two persons: no price. */
        if (*out_of_units && asked.steps == 1) again.at[i] = SOT_MISSING;
        charges->at[i] = again.at[i];
    }
    if (status == SOTTO_OK && asked.steps == 2) {
        status = price_own(&asked, &again, error);
        if (again.own > charges->own) charges->own = again.own;
    }
    charges->point_delta = 0;
    sot_two_steps_clear(&asked.two);
    return status;
}
