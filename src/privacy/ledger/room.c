#include "privacy/ledger/room.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/shown.h"
#include "privacy/accounting/plan/price.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/ledger/amount.h"

/* ---- the remaining budget ---- */

/* The largest epsilon with epsilon tanh(epsilon/2) <= rho. */
static double pure_of_rho(double rho)
{
    double low = 0.0, high = 2.0 + rho;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (sot_pure_rho_upper(middle) <= rho) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Prices are rounded up, and the basic member's price of a Gaussian run comes from the
 * accountant's search for epsilon. Both exceed the inverse functions below by far less than this.
 * Epsilons in decimal are exact. */
#define PRICE_MARGIN (1.0 - 0x1p-20)

static void room_of(const sot_member *member, double *out_pure, double *out_mu)
{
    const double left = sot_member_value(member, member->budget - member->spent, false);
    const double delta_left =
        sot_amount_value_down(member->delta_budget - member->delta_spent, SOT_DELTA_UNIT);
    switch (member->kind) {
    case SOTTO_MEMBER_BASIC:
        *out_pure = left;
        *out_mu = PRICE_MARGIN * sot_gaussian_mu_lower(left, delta_left);
        break;
    case SOTTO_MEMBER_PURE:
        *out_pure = left;
        *out_mu = 0.0;
        break;
    case SOTTO_MEMBER_RENYI:
        *out_pure = PRICE_MARGIN * sot_pure_epsilon_of_rdp_lower(left, member->order);
        *out_mu = PRICE_MARGIN * sqrt(2.0 * left / member->order);
        break;
    case SOTTO_MEMBER_GAUSSIAN:
        *out_mu = PRICE_MARGIN * sqrt(left);
        *out_pure = sot_pure_epsilon_of_mu_lower(*out_mu);
        break;
    case SOTTO_MEMBER_ZCDP:
        *out_pure = PRICE_MARGIN * pure_of_rho(left);
        *out_mu = PRICE_MARGIN * sqrt(2.0 * left);
        break;
    }
}

/* Returns the largest epsilon, rounded down, for which noise calibrated to (epsilon, delta) needs
 * a shift of at most `mu`. A Gaussian release that is (epsilon, delta)-DP has a shift of at most
 * `mu`. */
static double gaussian_epsilon_lower(double mu, double delta)
{
    double low = 0.0, high = 1.0;
    const sot_bracket shift = {mu, mu};
    while (high < 1e6 && sot_gaussian_delta(shift, high).lower > delta)
        high *= 2.0;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (sot_gaussian_delta(shift, middle).lower > delta) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* True if one more run with a sampler error of at most a speck would fit. */
static bool speck_fits(const sot_state *state, const sot_charges *sums)
{
    sot_charges more = *sums;
    more.specks++;
    return sot_state_samplers_fit(state, &more);
}

void sot_room_find(const sot_state *state, sotto_ledger_room *out_room)
{
    const sot_charges sums = sot_state_sums(state);
    sotto_ledger_room room = {.gaussian_noise = HUGE_VAL,
                              .gaussian_epsilon = SOTTO_UNSET,
                              .gaussian_delta = SOTTO_UNSET};
    double most = 0.0;
    for (size_t i = 0; i < state->members.count; i++) {
        const sot_member *member = &state->members.at[i];
        double pure = 0.0, mu = 0.0;
        if (!sot_state_covers(state, i, &sums) || member->spent >= member->budget)
            continue;
        room_of(member, &pure, &mu);
        room.pure_epsilon = fmax(room.pure_epsilon, pure);
        most = fmax(most, mu);
        if (member->kind == SOTTO_MEMBER_BASIC &&
            member->delta_spent < member->delta_budget && speck_fits(state, &sums)) {
            room.certified_epsilon =
                sot_member_value(member, member->budget - member->spent, false);
            room.certified_delta = sot_amount_value_down(
                member->delta_budget - member->delta_spent, SOT_DELTA_UNIT);
        }
    }
    if (most > 0.0) {
        room.gaussian_noise = sot_div_up(1.0, most);
        if (state->budget.delta > 0.0) {
            room.gaussian_delta = state->budget.delta;
            room.gaussian_epsilon = gaussian_epsilon_lower(most, state->budget.delta);
        }
    }
    *out_room = room;
}

void sot_state_whole_balance(const sot_state *state, sotto_ledger_balance *out_balance)
{
    const sot_charges sums = sot_state_sums(state);
    sot_state_balance(state, sot_state_best(state, &sums), out_balance);
    sot_room_find(state, &out_balance->room);
}

/* Digits of a statement. The text is rounded to the safe side, so that a run with the printed
 * number is admitted. */
enum { STATED_DIGITS = 3 };

void sotto_ledger_describe_room(const sotto_ledger_room *room,
                                char out_text[SOTTO_ROOM_TEXT_BYTES])
{
    char numbers[6][SOT_SHOWN_BYTES];
    size_t at = 0;
    out_text[0] = '\0';
    if (room->pure_epsilon > 0.0)
        at += (size_t)snprintf(
            out_text, SOTTO_ROOM_TEXT_BYTES, "a pure release of epsilon %s",
            sot_shown_down(room->pure_epsilon, STATED_DIGITS, numbers[0]));
    if (isfinite(room->gaussian_noise))
        at += (size_t)snprintf(
            out_text + at, SOTTO_ROOM_TEXT_BYTES - at,
            "%sa Gaussian one of noise multiplier %s", at > 0 ? "; " : "",
            sot_shown_up(room->gaussian_noise, STATED_DIGITS, numbers[1]));
    if (isfinite(room->gaussian_noise) && room->gaussian_delta > 0.0 &&
        room->gaussian_epsilon > 0.0)
        at += (size_t)snprintf(
            out_text + at, SOTTO_ROOM_TEXT_BYTES - at, " (epsilon %s at delta %s)",
            sot_shown_down(room->gaussian_epsilon, STATED_DIGITS, numbers[2]),
            sot_shown_down(room->gaussian_delta, STATED_DIGITS, numbers[3]));
    if (room->certified_epsilon > 0.0 && room->certified_delta > 0.0)
        at += (size_t)snprintf(
            out_text + at, SOTTO_ROOM_TEXT_BYTES - at,
            "%sany run certified at epsilon %s, delta %s", at > 0 ? "; " : "",
            sot_shown_down(room->certified_epsilon, STATED_DIGITS, numbers[4]),
            sot_shown_down(room->certified_delta, STATED_DIGITS, numbers[5]));
    if (at == 0) (void)snprintf(out_text, SOTTO_ROOM_TEXT_BYTES, "nothing");
}

/* ---- admission ---- */

/* A pure budget cannot pay for a delta at all: asking for less of it would not help. */
static sotto_status check_pure(const sot_state *state, const sotto_plan *plan,
                               const sot_charges *charges, sotto_error *error)
{
    if (state->budget.delta > 0.0 || !isnan(state->budget.rho)) return SOTTO_OK;
    const bool priced =
        charges->at[0] != SOT_MISSING && charges->own == 0 && charges->point_delta == 0;
    for (size_t i = 0; i < sotto_plan_size(plan) && !priced; i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (event->mechanism == SOTTO_PURE ||
            (event->mechanism == SOTTO_APPROXIMATE && event->delta == 0.0))
            continue;
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the ledger of %s has a pure budget (delta 0), which does not cover the "
            "plan's %s event; use pure mechanisms, or another ledger",
            state->dataset, sotto_mechanism_name(event->mechanism));
    }
    if (charges->sampler == 0 && charges->specks == 0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "the ledger of %s has a pure budget (delta 0), which does not cover "
                    "a sampler error; use exact samplers or another ledger",
                    state->dataset);
}

static sotto_status refuse_samplers(const sot_state *state, const sot_charges *sums,
                                    sotto_error *error)
{
    enum { DIGITS = 6 };
    char texts[3][SOT_SHOWN_BYTES];
    int64_t used = 0, price = sot_amount_max;
    (void)sot_state_sampler_delta(state, state->specks, state->sampler_spent, &used);
    if (!sot_state_sampler_delta(state, sums->specks, sums->sampler, &price))
        price = sot_amount_max;
    const int64_t left = used < state->sampler_budget ? state->sampler_budget - used : 0;
    sot_shown_up(sot_amount_value_up(price - used, SOT_DELTA_UNIT), DIGITS, texts[0]);
    sot_shown_down(sot_amount_value_down(left, SOT_DELTA_UNIT), DIGITS, texts[1]);
    return sot_fail(error, SOTTO_BUDGET_EXCEEDED,
                    "the sampler error costs %s of delta (ledger epsilon %s), and %s is "
                    "left; use an exact sampler, or a ledger of smaller epsilon",
                    texts[0], sot_shown_whole(state->budget.epsilon, texts[2]), texts[1]);
}

static sotto_status refuse(const sot_state *state, sotto_error *error)
{
    char room_text[SOTTO_ROOM_TEXT_BYTES];
    sotto_ledger_room room;
    const sot_charges sums = sot_state_sums(state);
    if (sot_state_best(state, &sums) == state->members.count) {
        return sot_fail(error, SOTTO_BUDGET_EXCEEDED,
                        "the ledger of %s is closed: no member covers its history%s; "
                        "ask the curator for a grant",
                        state->dataset,
                        state->repriced_rows > 0
                            ? ", in which runs of units were priced again as two steps"
                            : "");
    }
    sot_room_find(state, &room);
    sotto_ledger_describe_room(&room, room_text);
    return sot_fail(
        error, SOTTO_BUDGET_EXCEEDED,
        "%s: the budget does not cover this run; you may still run one of: %s",
        state->dataset, room_text);
}

sotto_status sot_admit(const sot_state *state, const sotto_plan *plan,
                       const sot_charges *charges, sot_charges *out_sums,
                       sotto_error *error)
{
    const sotto_status status = check_pure(state, plan, charges, error);
    if (status != SOTTO_OK) return status;
    if (!sot_state_add(state, charges, out_sums)) return refuse(state, error);
    if (!sot_state_samplers_fit(state, out_sums))
        return refuse_samplers(state, out_sums, error);
    return sot_state_best(state, out_sums) < state->members.count ? SOTTO_OK
                                                                  : refuse(state, error);
}
