#include "privacy/ledger/relation.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"

/* ---- which plans ---- */

static sotto_status check_adjacency(const sot_state *state, const sotto_plan *plan,
                                    sotto_error *error)
{
    const sotto_adjacency adjacency = sotto_plan_adjacency(plan);
    if (adjacency == state->adjacency) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the plan protects %s neighbours and the ledger of %s keeps an %s "
                    "budget; plan with `adjacency=%s`",
                    sotto_adjacency_name(adjacency), state->dataset,
                    sotto_adjacency_name(state->adjacency),
                    sotto_adjacency_name(state->adjacency));
}

static sotto_status refuse_rows(const sot_state *state, sotto_error *error)
{
    char unit[60];
    sot_printable(state->unit, unit, sizeof unit);
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the plan protects one row and the ledger of %s all rows of one '%s'; add "
        "\"unit\": {\"column\": \"%s\", \"rows\": %llu} to the schema",
        state->dataset, unit, unit, (unsigned long long)state->unit_rows);
}

static sotto_status refuse_unit(const sot_state *state, const sotto_plan *plan,
                                sotto_error *error)
{
    char unit[60], other[60];
    sot_printable(sotto_plan_unit(plan), unit, sizeof unit);
    sot_printable(state->unit, other, sizeof other);
    if (state->unit[0] == '\0') {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the plan protects '%s' under replace-one and the ledger of %s one row, and "
            "one row can change two units; use one with --unit '%s'",
            unit, state->dataset, unit);
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the plan protects '%s' and the ledger of %s '%s'; keep a second "
                    "ledger with --unit '%s' and charge both",
                    unit, state->dataset, other, unit);
}

/* Objective perturbation is priced by the event's `rows`; a unit of more rows costs more. 0: not said, and not used. */
static sotto_status check_rows(const sotto_plan *plan, sotto_error *error)
{
    const uint64_t cap = sotto_plan_unit_rows(plan);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const uint64_t rows = sotto_plan_event(plan, i)->rows;
        if (rows == 0 || rows >= cap) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "event %zu of the plan has \"rows\": %llu, but a unit has up to "
                        "%llu rows; set \"rows\": %llu in the event",
                        i, (unsigned long long)rows, (unsigned long long)cap,
                        (unsigned long long)cap);
    }
    return SOTTO_OK;
}

sotto_status sot_relation_steps(const sot_state *state, const sotto_plan *plan,
                                int *out_steps, sotto_error *error)
{
    const char *unit = sotto_plan_unit(plan);
    sotto_status status = check_adjacency(state, plan, error);
    if (status == SOTTO_OK) status = check_rows(plan, error);
    if (status != SOTTO_OK) return status;
    *out_steps = 1;
    if (unit == NULL && state->unit[0] == '\0') return SOTTO_OK;
    if (unit == NULL) return refuse_rows(state, error);
    if (strcmp(unit, state->unit) == 0)
        return SOTTO_OK; /* each run pays for its own cap */
    if (state->unit[0] != '\0' || state->adjacency != SOTTO_ADD_REMOVE)
        return refuse_unit(state, plan, error);
    *out_steps = 2;
    return SOTTO_OK;
}

/* ---- two steps ---- */

/* e and d over two steps. P <= e^e Q + d and Q <= e^e R + d give P <= e^{2e}
 * R + (1 + e^e) d. */
static void double_point(double epsilon, double delta, double *out_epsilon,
                         double *out_delta)
{
    *out_epsilon = 2.0 * epsilon;
    *out_delta = sot_mul_up(delta, sot_add_up(1.0, sot_exp_up(epsilon)));
}

/* An event as one that covers two of its steps: twice the sensitivity, twice the loss. False: no closed form. */
static bool double_event(const sotto_event *event, sotto_event *out)
{
    *out = *event;
    const bool is_sampled = event->sampling != SOTTO_NOT_SAMPLED;
    switch (event->mechanism) {
    case SOTTO_GAUSSIAN:
    case SOTTO_LAPLACE:
        if (is_sampled && event->mechanism == SOTTO_GAUSSIAN) return false;
        if (is_sampled) break;
        out->noise_multiplier = 0.5 * sot_event_sigma(event, SOTTO_UNSET);
        out->scale = out->sensitivity = SOTTO_UNSET;
        return true;
    case SOTTO_DISCRETE_GAUSSIAN:
        if (is_sampled) return false; /* two coins, not one of twice the shift */
        out->sensitivity = 2.0 * event->sensitivity;
        return true;
    case SOTTO_DISCRETE_LAPLACE:
        if (is_sampled) break;
        out->sensitivity = 2.0 * event->sensitivity;
        return true;
    case SOTTO_GDP:
        out->mu = 2.0 * event->mu;
        return true;
    case SOTTO_ZCDP: /* Bun & Steinke, TCC 2016, Prop. 1.9 */
        out->rho = 4.0 * event->rho;
        return true;
    case SOTTO_EXPONENTIAL: /* ranges add up */
        if (is_sampled) break;
        out->epsilon = 2.0 * event->epsilon;
        return true;
    case SOTTO_PURE:
    case SOTTO_PERMUTE_AND_FLIP:
    case SOTTO_RANDOMIZED_RESPONSE:
    case SOTTO_APPROXIMATE:
        break;
    case SOTTO_OBJECTIVE_PERTURBATION:
    case SOTTO_RDP_CURVE:
    case SOTTO_GAUSSIAN_MIXTURE:
    case SOTTO_MECHANISM_UNSET:
        return false;
    }
    /* By its epsilon and delta, amplified by its sampling. */
    *out = sotto_event_defaults();
    out->mechanism = SOTTO_PURE;
    out->count = event->count;
    memcpy(out->purpose, event->purpose, sizeof out->purpose);
    out->epsilon = 2.0 * sot_event_epsilon(event, SOTTO_UNSET);
    if (event->mechanism == SOTTO_APPROXIMATE && sot_event_delta(event) > 0.0) {
        out->mechanism = SOTTO_APPROXIMATE;
        double_point(sot_event_epsilon(event, SOTTO_UNSET), sot_event_delta(event),
                     &out->epsilon, &out->delta);
    }
    return true;
}

static sotto_status add_to(sotto_plan **plan, sotto_adjacency adjacency,
                           const sotto_event *event, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (*plan == NULL) status = sotto_plan_new(adjacency, plan, error);
    return status == SOTTO_OK ? sotto_plan_add(*plan, event, error) : status;
}

sotto_status sot_two_steps_new(const sotto_plan *plan, sot_two_steps *out_steps,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    *out_steps = (sot_two_steps){NULL, NULL};
    for (size_t i = 0; i < sotto_plan_size(plan) && status == SOTTO_OK; i++) {
        sotto_event twice;
        const sotto_event *event = sotto_plan_event(plan, i);
        const bool known = double_event(event, &twice);
        status = add_to(known ? &out_steps->known : &out_steps->chained,
                        sotto_plan_adjacency(plan), known ? &twice : event, error);
    }
    if (status != SOTTO_OK) sot_two_steps_clear(out_steps);
    return status;
}

void sot_two_steps_clear(sot_two_steps *steps)
{
    sotto_plan_free(steps->known);
    sotto_plan_free(steps->chained);
    *steps = (sot_two_steps){NULL, NULL};
}

/* Mironov, CSF 2017, Prop. 11 with p = q = 2: D_a(P||R) <= (a - 1/2)/(a - 1) D_2a(P||Q) + D_{2a-1}(Q||R). */
static sotto_status chain_rdp(const sotto_plan *plan, double order, double *out_rdp,
                              sotto_error *error)
{
    double first = HUGE_VAL, second = HUGE_VAL;
    sotto_status status = sotto_account_rdp(plan, 2.0 * order, &first, error);
    if (status == SOTTO_OK)
        status = sotto_account_rdp(plan, 2.0 * order - 1.0, &second, error);
    const double factor = sot_div_up(sot_sub_up(order, 0.5), sot_sub_down(order, 1.0));
    if (status == SOTTO_OK) *out_rdp = sot_add_up(sot_mul_up(factor, first), second);
    return status;
}

sotto_status sot_two_steps_rdp(const sot_two_steps *steps, double order, double *out_rdp,
                               double *out_delta, sotto_error *error)
{
    double chained = 0.0;
    sotto_status status = SOTTO_OK;
    *out_rdp = *out_delta = 0.0;
    if (steps->known != NULL)
        status =
            sotto_account_rdp_with_delta(steps->known, order, out_rdp, out_delta, error);
    if (status == SOTTO_OK && steps->chained != NULL)
        status = chain_rdp(steps->chained, order, &chained, error);
    if (steps->chained != NULL) *out_rdp = sot_add_up(*out_rdp, chained);
    return status;
}

sotto_status sot_two_steps_point(const sotto_plan *plan, double delta,
                                 double *out_epsilon, double *out_delta,
                                 sotto_error *error)
{
    double one = 0.25 * delta; /* of one step: the rest follows from its epsilon */
    for (int i = 0; i < 40; i++) {
        sotto_account account;
        const sotto_status status =
            sotto_account_epsilon(plan, SOTTO_EXACT, one, &account, error);
        if (status != SOTTO_OK) return status;
        double_point(account.epsilon, one, out_epsilon, out_delta);
        if (*out_delta <= delta) return SOTTO_OK;
        one = 0.999 * delta / (1.0 + exp(account.epsilon));
    }
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "no guarantee over two steps has a delta of at most %g", delta);
}
