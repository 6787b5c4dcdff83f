#include "privacy/mechanisms/gate/gate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/mechanisms/gate/tape.h"

/* ---- a gate's life ---- */

static sotto_status copy_plan(const sotto_plan *plan, sotto_plan **out_copy,
                              sotto_error *error)
{
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), out_copy, error);
    if (status == SOTTO_OK)
        status = sotto_plan_set_unit(*out_copy, sotto_plan_unit(plan),
                                     sotto_plan_unit_rows(plan), error);
    for (size_t i = 0; i < sotto_plan_size(plan) && status == SOTTO_OK; i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const int has_open_rate = event->sampling == SOTTO_POISSON && isnan(event->rate);
        const int has_open_noise = sot_event_noise_is_open(event);
        if (event->count == 0 || has_open_rate || has_open_noise) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "event %zu of the plan leaves its %s open; fill it in before "
                            "making a gate",
                            i + 1,
                            event->count == 0 ? "count"
                            : has_open_rate   ? "rate"
                                              : "noise_multiplier");
        }
        status = sotto_plan_add(*out_copy, event, error);
    }
    return status;
}

sotto_status sotto_gate_new(const sotto_plan *plan, sotto_rng *rng, sotto_gate **out_gate,
                            sotto_error *error)
{
    *out_gate = NULL;
    if (plan == NULL || rng == NULL || sotto_plan_size(plan) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a gate needs a plan with at least one event and a generator");
    }
    const size_t size = sotto_plan_size(plan);
    sotto_status status = SOTTO_OK;
    sotto_gate *gate = sot_new_array(1, sizeof *gate);
    if (gate == NULL) return sot_fail_memory(error, 1, sizeof *gate);

    gate->state = SOT_GATE_SHUT;
    gate->rng = rng;
    gate->admitted = sot_new_array(size, sizeof *gate->admitted);
    gate->recorded = sot_new_array(size, sizeof *gate->recorded);
    if (gate->admitted == NULL || gate->recorded == NULL) {
        status = sot_fail_memory(error, size, sizeof *gate->admitted);
        goto done;
    }
    status = copy_plan(plan, &gate->plan, error);
    if (status != SOTTO_OK) goto done;

    sot_tape_gate_new(gate);
    *out_gate = gate;
    gate = NULL;
done:
    sotto_gate_free(gate);
    return status;
}

void sotto_gate_free(sotto_gate *gate)
{
    if (gate == NULL) return;
    sotto_plan_free(gate->plan);
    sot_free(gate->admitted);
    sot_free(gate->recorded);
    sot_free(gate);
}

sotto_status sotto_gate_open(sotto_gate *gate, sotto_error *error)
{
    if (gate->state != SOT_GATE_SHUT) {
        sot_tape_gate_step(gate, "opened again");
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the gate has been opened before; one charge opens one gate");
    }
    gate->state = SOT_GATE_OPEN;
    sot_tape_gate_step(gate, "opened");
    return SOTTO_OK;
}

sotto_status sot_gate_resume(sotto_gate *gate, const uint64_t *released,
                             double sampler_error, sotto_error *error)
{
    const size_t size = sotto_plan_size(gate->plan);
    if (gate->state != SOT_GATE_SHUT || gate->resumed) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a gate takes over from an earlier one before it is opened, and "
                        "once");
    }
    bool fits = sampler_error >= 0.0 && isfinite(sampler_error);
    for (size_t i = 0; i < size; i++)
        fits = fits && released[i] <= sotto_plan_event(gate->plan, i)->count;
    if (!fits) {
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "more was released before than the plan holds");
    }
    for (size_t i = 0; i < size; i++)
        gate->admitted[i] = gate->recorded[i] = released[i];
    gate->sampler_error = sampler_error;
    gate->resumed = true;
    sot_tape_gate_step(gate, "resumed");
    return SOTTO_OK;
}

/* The purpose for a message: plans made elsewhere may hold anything printable or not. */
static const char *shown(const sotto_event *event, char buffer[SOTTO_PURPOSE_BYTES + 4])
{
    return sot_printable(event->purpose, buffer, SOTTO_PURPOSE_BYTES + 4);
}

/* Every event has happened as often as planned, or with `early` as often as it was let through. */
static sotto_status finish(sotto_gate *gate, bool early, sotto_error *error)
{
    if (gate->state == SOT_GATE_SHUT) {
        sot_tape_gate_step(gate, "finished while shut");
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "the gate has not been opened: nothing of its plan was released");
    }
    for (size_t i = 0; i < sotto_plan_size(gate->plan); i++) {
        const sotto_event *event = sotto_plan_event(gate->plan, i);
        if (gate->recorded[i] == (early ? gate->admitted[i] : event->count)) continue;
        char purpose[SOTTO_PURPOSE_BYTES + 4];
        sot_tape_gate_step(gate, "finished too early");
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "event %zu of the plan (%s, '%s') was not released as often as "
                        "planned; the run is not complete and has no certificate",
                        i + 1, sotto_mechanism_name(event->mechanism),
                        shown(event, purpose));
    }
    gate->state = SOT_GATE_FINISHED;
    gate->capped = early;
    sot_tape_gate_step(gate, early ? "finished, maybe early" : "finished");
    return SOTTO_OK;
}

sotto_status sotto_gate_finish(sotto_gate *gate, sotto_error *error)
{
    return finish(gate, false, error);
}

sotto_status sot_gate_finish_early(sotto_gate *gate, sotto_error *error)
{
    return finish(gate, true, error);
}

/* ---- admission ---- */

sotto_status sot_gate_check_adjacency(const sotto_gate *gate, sotto_adjacency adjacency,
                                      sotto_error *error)
{
    const sotto_adjacency planned = sotto_plan_adjacency(gate->plan);
    if (adjacency == planned) return SOTTO_OK;
    sot_tape_gate_step(gate, "refused: adjacency");
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    return sot_fail(error, SOTTO_NOT_IN_PLAN,
                    "the release protects %s neighbours and the plan %s; a sensitivity "
                    "for the one says nothing about the other",
                    sotto_adjacency_name(adjacency), sotto_adjacency_name(planned));
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_curve(const sotto_event *a, const sotto_event *b)
{
    if (a->curve_size != b->curve_size) return false;
    for (uint32_t i = 0; i < a->curve_size; i++) {
        if (a->curve_orders[i] != b->curve_orders[i] ||
            a->curve_values[i] != b->curve_values[i])
            return false;
    }
    return true;
}

/* The first field in which two events of equal mechanism and purpose differ, or NULL. */
static const char *differing_field(const sotto_event *a, const sotto_event *b)
{
    if (!same(a->scale, b->scale)) return "scale";
    if (!same(a->sensitivity, b->sensitivity)) return "sensitivity";
    if (!same(a->noise_multiplier, b->noise_multiplier)) return "noise_multiplier";
    if (!same(a->epsilon, b->epsilon)) return "epsilon";
    if (!same(a->delta, b->delta)) return "delta";
    if (!same(a->rho, b->rho)) return "rho";
    if (!same(a->mu, b->mu)) return "mu";
    if (!same(a->grid, b->grid)) return "grid";
    if (!same(a->atom, b->atom)) return "atom";
    if (!same(a->shift, b->shift)) return "shift";
    if (a->sampling != b->sampling) return "sampling";
    if (!same(a->rate, b->rate)) return "rate";
    if (a->categories != b->categories) return "categories";
    if (a->rows != b->rows) return "rows";
    if (a->vertices != b->vertices) return "vertices";
    if (a->theorem != b->theorem) return "theorem";
    if (a->population != b->population) return "population";
    if (a->batch != b->batch) return "batch";
    if (a->dimension != b->dimension) return "dimension";
    return same_curve(a, b) ? NULL : "curve";
}

bool sot_gate_covers(const sotto_gate *gate, size_t index, const sotto_event *event)
{
    const sotto_event *planned = sotto_plan_event(gate->plan, index);
    return planned->mechanism == event->mechanism &&
           strcmp(planned->purpose, event->purpose) == 0 &&
           differing_field(planned, event) == NULL;
}

/* Explains why no event of the plan matches this one. The plan and the purpose are
 * public. Other values are not quoted: they may be the error, and secret. */
static sotto_status refuse(const sotto_gate *gate, const sotto_event *event,
                           const char *field, bool used_up, sotto_error *error)
{
    char purpose[SOTTO_PURPOSE_BYTES + 4];
    const char *mechanism = sotto_mechanism_name(event->mechanism);
    shown(event, purpose);
    sot_tape_gate_step(gate, used_up ? "refused: used up" : "refused: not in the plan");
    if (used_up) {
        return sot_fail(
            error, SOTTO_NOT_IN_PLAN,
            "the %s release '%s' has happened as often as the plan says; plan "
            "for more before the run",
            mechanism, purpose);
    }
    if (field != NULL) {
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "the %s release '%s' has another %s than the plan; make both "
                        "from the same settings",
                        mechanism, purpose, field);
    }
    return sot_fail(error, SOTTO_NOT_IN_PLAN,
                    "the plan has no %s release '%s'; add its event to the plan before "
                    "the run is charged",
                    mechanism, purpose);
}

sotto_status sot_gate_admit(sotto_gate *gate, const sotto_event *event, size_t *out_index,
                            sotto_error *error)
{
    if (gate->state != SOT_GATE_OPEN) {
        sot_tape_gate_step(gate, "refused: not open");
        return sot_fail(error, SOTTO_NOT_IN_PLAN, "the gate is %s; %s",
                        gate->state == SOT_GATE_SHUT ? "shut" : "finished",
                        gate->state == SOT_GATE_SHUT
                            ? "charge the plan to the ledger, then open the gate"
                            : "make a new plan and a new gate for further releases");
    }
    assert(memchr(event->purpose, '\0', sizeof event->purpose) != NULL);
    const char *field = NULL;
    bool used_up = false;
    for (size_t i = 0; i < sotto_plan_size(gate->plan); i++) {
        const sotto_event *planned = sotto_plan_event(gate->plan, i);
        if (planned->mechanism != event->mechanism) continue;
        if (strcmp(planned->purpose, event->purpose) != 0) continue;
        const char *difference = differing_field(planned, event);
        if (difference != NULL) {
            if (field == NULL) field = difference;
        } else if (gate->admitted[i] >= planned->count) {
            used_up = true;
        } else {
            gate->admitted[i]++;
            *out_index = i;
            sot_tape_gate_admitted(gate, i);
            return SOTTO_OK;
        }
    }
    return refuse(gate, event, field, used_up, error);
}

void sot_gate_record(sotto_gate *gate, size_t index, double sampler_error)
{
    assert(gate->state == SOT_GATE_OPEN);
    assert(index < sotto_plan_size(gate->plan));
    assert(gate->recorded[index] < gate->admitted[index]);
    assert(sampler_error >= 0.0);
    gate->recorded[index]++;
    gate->sampler_error = sot_add_up(gate->sampler_error, sampler_error);
    sot_tape_gate_recorded(gate, index);
}

sotto_rng *sot_gate_rng(sotto_gate *gate)
{
    return gate->rng;
}

void sot_gate_set_pool(sotto_gate *gate, sot_pool *pool)
{
    gate->pool = pool;
}

sotto_status sot_event_set_purpose(sotto_event *event, const char *purpose,
                                   sotto_error *error)
{
    const size_t size_bytes =
        purpose == NULL ? 0 : strnlen(purpose, sizeof event->purpose);
    if (size_bytes == 0 || size_bytes == sizeof event->purpose) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the purpose of a release has 1 to %zu bytes; name the release, "
                        "for example 'rows'",
                        sizeof event->purpose - 1);
    }
    for (size_t i = 0; i < size_bytes;) {
        const size_t length = sot_utf8_length(purpose + i, size_bytes - i);
        if (length == 0 ||
            (length == 1 && (purpose[i] < ' ' || (unsigned char)purpose[i] == 127))) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "the purpose of a release is not plain UTF-8 text; leave out "
                            "control characters");
        }
        i += length;
    }
    memset(event->purpose, 0, sizeof event->purpose);
    memcpy(event->purpose, purpose, size_bytes);
    return SOTTO_OK;
}

/* ---- state ---- */

const sotto_plan *sotto_gate_plan(const sotto_gate *gate)
{
    return gate->plan;
}

uint64_t sotto_gate_released(const sotto_gate *gate, size_t index)
{
    return index < sotto_plan_size(gate->plan) ? gate->admitted[index] : 0;
}

bool sotto_gate_is_secure(const sotto_gate *gate)
{
    return sotto_rng_is_secure(gate->rng);
}

double sotto_gate_sampler_error_upper(const sotto_gate *gate)
{
    return gate->sampler_error;
}
