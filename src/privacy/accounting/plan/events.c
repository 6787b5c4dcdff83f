/* A plan and its events. */
#include "privacy/accounting/plan/parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

sotto_event sotto_event_defaults(void)
{
    return (sotto_event){.mechanism = SOTTO_MECHANISM_UNSET,
                         .noise_multiplier = SOTTO_UNSET,
                         .epsilon = SOTTO_UNSET,
                         .delta = SOTTO_UNSET,
                         .rho = SOTTO_UNSET,
                         .mu = SOTTO_UNSET,
                         .scale = SOTTO_UNSET,
                         .sensitivity = SOTTO_UNSET,
                         .grid = SOTTO_UNSET,
                         .atom = SOTTO_UNSET,
                         .shift = SOTTO_UNSET,
                         .sampling = SOTTO_NOT_SAMPLED,
                         .rate = SOTTO_UNSET,
                         .count = 1};
}

sotto_status sotto_plan_new(sotto_adjacency adjacency, sotto_plan **out_plan,
                            sotto_error *error)
{
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    sotto_plan *plan = sot_new_array(1, sizeof *plan);
    if (plan == NULL) return sot_fail_memory(error, 1, sizeof *plan);
    plan->adjacency = adjacency;
    *out_plan = plan;
    return SOTTO_OK;
}

void sotto_plan_free(sotto_plan *plan)
{
    if (plan == NULL) return;
    for (size_t i = 0; i < plan->size; i++)
        sot_free(plan->curves[i]);
    sot_free(plan->curves);
    sot_free(plan->events);
    sot_free(plan->unit);
    sot_free(plan);
}

sotto_status sotto_plan_set_unit(sotto_plan *plan, const char *column, uint64_t rows,
                                 sotto_error *error)
{
    const size_t length = column != NULL ? strlen(column) : 0;
    bool good = column == NULL || (length > 0 && length <= SOTTO_UNIT_BYTES_MAX);
    for (size_t at = 0; good && at < length;) {
        const size_t bytes = sot_utf8_length(column + at, length - at);
        good = bytes > 0;
        at += bytes;
    }
    if (!good) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column of the plan's unit has %zu bytes; give 1 to %d bytes "
                        "of UTF-8, for example person",
                        length, SOTTO_UNIT_BYTES_MAX);
    }
    if (column != NULL ? rows < 1 || rows > SOTTO_UNIT_ROWS_MAX : rows != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the cap of the plan's unit is %llu rows; give %s",
                        (unsigned long long)rows,
                        column != NULL ? "1 to 1e9, the rows that the run keeps of a unit"
                                       : "0, because the unit is one row");
    }
    char *copy = NULL;
    if (column != NULL) {
        copy = sot_copy_string(column);
        if (copy == NULL) return sot_fail_memory(error, length + 1, 1);
    }
    sot_free(plan->unit);
    plan->unit = copy;
    plan->unit_rows = rows;
    return SOTTO_OK;
}

const char *sotto_plan_unit(const sotto_plan *plan)
{
    return plan->unit;
}

uint64_t sotto_plan_unit_rows(const sotto_plan *plan)
{
    return plan->unit_rows;
}

/* Room for one more event. */
static sotto_status grow(sotto_plan *plan, sotto_error *error)
{
    if (plan->size < plan->capacity) return SOTTO_OK;
    const size_t capacity = plan->capacity == 0 ? 8 : 2 * plan->capacity;
    sotto_event *events =
        sot_resize_array(plan->events, plan->capacity, capacity, sizeof *events);
    if (events == NULL) return sot_fail_memory(error, capacity, sizeof *events);
    plan->events = events;
    double **curves =
        sot_resize_array(plan->curves, plan->capacity, capacity, sizeof *curves);
    if (curves == NULL) return sot_fail_memory(error, capacity, sizeof *curves);
    plan->curves = curves;
    plan->capacity = capacity;
    return SOTTO_OK;
}

sotto_status sotto_plan_add(sotto_plan *plan, const sotto_event *event,
                            sotto_error *error)
{
    sotto_status status = sot_plan_check_event(plan, event, error);
    if (status != SOTTO_OK) return status;
    if (plan->size == SOTTO_EVENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan has more than %d events; merge equal ones with count",
                        SOTTO_EVENTS_MAX);
    }
    status = grow(plan, error);
    if (status != SOTTO_OK) return status;
    double *curve = NULL;
    const size_t points = event->curve_size;
    if (points > 0) {
        curve = sot_new_array(2 * points, sizeof *curve);
        if (curve == NULL) return sot_fail_memory(error, 2 * points, sizeof *curve);
        memcpy(curve, event->curve_orders, points * sizeof *curve);
        memcpy(curve + points, event->curve_values, points * sizeof *curve);
    }
    sotto_event *added = &plan->events[plan->size];
    *added = *event;
    added->curve_orders = curve;
    added->curve_values = curve == NULL ? NULL : curve + points;
    plan->curves[plan->size++] = curve;
    return SOTTO_OK;
}

size_t sotto_plan_size(const sotto_plan *plan)
{
    return plan->size;
}

sotto_adjacency sotto_plan_adjacency(const sotto_plan *plan)
{
    return plan->adjacency;
}

const sotto_event *sotto_plan_event(const sotto_plan *plan, size_t index)
{
    assert(index < plan->size);
    return &plan->events[index];
}
