#include <assert.h>
#include <math.h>
#include <string.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"

struct sotto_plan {
    sotto_adjacency adjacency;
    size_t size;
    size_t capacity;
    sotto_event *events;
};

/* ---- names ---- */

typedef struct name_row {
    int value;
    const char *name;
} name_row;

static const name_row adjacency_names[] = {
    {SOTTO_ADD_REMOVE, "add-remove"}, {SOTTO_REPLACE_ONE, "replace-one"}, {0, NULL}};
static const name_row mechanism_names[] = {
    {SOTTO_GAUSSIAN, "gaussian"},
    {SOTTO_PURE, "pure"},
    {SOTTO_APPROXIMATE, "approximate"},
    {SOTTO_ZCDP, "zcdp"},
    {SOTTO_GDP, "gdp"},
    {SOTTO_DISCRETE_GAUSSIAN, "discrete-gaussian"},
    {SOTTO_DISCRETE_LAPLACE, "discrete-laplace"},
    {SOTTO_EXPONENTIAL, "exponential"},
    {SOTTO_PERMUTE_AND_FLIP, "permute-and-flip"},
    {SOTTO_RANDOMIZED_RESPONSE, "randomized-response"},
    {SOTTO_OBJECTIVE_PERTURBATION, "objective-perturbation"},
    {0, NULL}};
static const name_row sampling_names[] = {
    {SOTTO_NOT_SAMPLED, "none"}, {SOTTO_POISSON, "poisson"}, {0, NULL}};
static const name_row accountant_names[] = {
    {SOTTO_EXACT, "exact"},       {SOTTO_RDP, "rdp"},         {SOTTO_BASIC, "basic"},
    {SOTTO_PLD, "pld"},           {SOTTO_MOMENTS, "moments"}, {SOTTO_GAUSSIAN_DP, "gdp"},
    {SOTTO_ADVANCED, "advanced"}, {SOTTO_OPTIMAL, "optimal"}, {0, NULL}};
static const name_row kernel_names[] = {
    {SOTTO_KERNEL_CLOSED_FORM, "closed-form"},
    {SOTTO_KERNEL_CONTOUR, "contour"},
    {SOTTO_KERNEL_CONTOUR_SMOOTHED, "contour-smoothed"},
    {SOTTO_KERNEL_RDP, "rdp"},
    {SOTTO_KERNEL_BASIC, "basic"},
    {SOTTO_KERNEL_PLD, "pld"},
    {SOTTO_KERNEL_MOMENTS, "moments"},
    {SOTTO_KERNEL_COMPOSITION_THEOREM, "composition-theorem"},
    {0, NULL}};

static const char *name_of(const name_row *rows, int value)
{
    for (; rows->name != NULL; rows++) {
        if (rows->value == value) return rows->name;
    }
    return "unknown";
}

static sotto_status value_of(const name_row *rows, const char *what, const char *name,
                             int *out_value, sotto_error *error)
{
    char known[192] = "";
    size_t used = 0;
    for (const name_row *row = rows; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            *out_value = row->value;
            return SOTTO_OK;
        }
        const size_t length = strlen(row->name);
        assert(used + length + 3 < sizeof known);
        if (used > 0) {
            memcpy(known + used, ", ", 2);
            used += 2;
        }
        memcpy(known + used, row->name, length);
        used += length;
    }
    known[used] = '\0';
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "%s is '%.40s'; give one of %s", what,
                    name, known);
}

const char *sotto_adjacency_name(sotto_adjacency adjacency)
{
    return name_of(adjacency_names, (int)adjacency);
}

const char *sotto_mechanism_name(sotto_mechanism mechanism)
{
    return name_of(mechanism_names, (int)mechanism);
}

const char *sotto_sampling_name(sotto_sampling sampling)
{
    return name_of(sampling_names, (int)sampling);
}

const char *sotto_accountant_name(sotto_accountant accountant)
{
    return name_of(accountant_names, (int)accountant);
}

const char *sotto_kernel_name(sotto_kernel kernel)
{
    return name_of(kernel_names, (int)kernel);
}

sotto_status sotto_adjacency_from_name(const char *name, sotto_adjacency *out,
                                       sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(adjacency_names, "adjacency", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_adjacency)value;
    return status;
}

sotto_status sotto_mechanism_from_name(const char *name, sotto_mechanism *out,
                                       sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(mechanism_names, "mechanism", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_mechanism)value;
    return status;
}

sotto_status sotto_sampling_from_name(const char *name, sotto_sampling *out,
                                      sotto_error *error)
{
    int value = 0;
    const sotto_status status = value_of(sampling_names, "sampling", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_sampling)value;
    return status;
}

sotto_status sotto_accountant_from_name(const char *name, sotto_accountant *out,
                                        sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(accountant_names, "accountant", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_accountant)value;
    return status;
}

/* ---- the table of mechanisms: which fields each one uses, and their ranges ---- */

typedef struct field_row {
    const char *name;
    size_t offset;
    double least;     /* smallest value allowed */
    double most;      /* largest value allowed */
    const char *hint; /* how the range reads in a message */
} field_row;

#define FIELD(member) #member, offsetof(sotto_event, member)

/* Noise multipliers outside [1e-4, 1e12] are typing errors, and the quadrature is proved for
 * them inside only. */
static const field_row fields[] = {
    {FIELD(noise_multiplier), 1e-4, 1e12, "a number from 1e-4 to 1e12, for example 1.1"},
    {FIELD(epsilon), 0.0, 1e6, "a number from 0 to 1e6, for example 0.5"},
    {FIELD(delta), 0.0, 0.999999, "a number from 0 to 0.999999, for example 1e-8"},
    {FIELD(rho), 0.0, 1e12, "a number from 0 to 1e12, for example 0.01"},
    {FIELD(mu), 0.0, 1e6, "a number from 0 to 1e6, for example 0.5"},
    {FIELD(scale), 1e-300, 1e300, "a positive number, for example 5"},
    {FIELD(sensitivity), 1e-300, 1e300, "a positive number, for example 1"},
    {FIELD(rate), 1e-12, 1.0, "a number from 1e-12 to 1, for example 0.01"},
    {FIELD(grid), 1e-300, 1e300, "a positive number, for example 1"},
    {FIELD(atom), 0.0, 1e6, "a number from 0 to 1e6, for example 0.5"},
};
enum {
    NOISE_MULTIPLIER,
    EPSILON,
    DELTA,
    RHO,
    MU,
    SCALE,
    SENSITIVITY,
    RATE,
    GRID,
    ATOM,
    FIELDS
};

typedef struct mechanism_row {
    sotto_mechanism mechanism;
    unsigned uses; /* bit set of fields it needs */
    unsigned may;  /* bit set of fields it may have on top */
    int may_be_sampled;
} mechanism_row;

#define SCALED (1u << SCALE | 1u << SENSITIVITY)

static const mechanism_row mechanisms[] = {
    {SOTTO_GAUSSIAN, 1u << NOISE_MULTIPLIER, SCALED | 1u << GRID, 1},
    {SOTTO_PURE, 1u << EPSILON, 0, 0},
    {SOTTO_APPROXIMATE, 1u << EPSILON | 1u << DELTA, 0, 0},
    {SOTTO_ZCDP, 1u << RHO, 0, 0},
    {SOTTO_GDP, 1u << MU, 0, 0},
    {SOTTO_DISCRETE_GAUSSIAN, SCALED, 1u << GRID, 0},
    {SOTTO_DISCRETE_LAPLACE, SCALED, 1u << GRID, 0},
    {SOTTO_EXPONENTIAL, 1u << EPSILON, 0, 0},
    {SOTTO_PERMUTE_AND_FLIP, 1u << EPSILON, 0, 0},
    {SOTTO_RANDOMIZED_RESPONSE, 1u << EPSILON, 0, 0},
    {SOTTO_OBJECTIVE_PERTURBATION, 1u << NOISE_MULTIPLIER | 1u << ATOM, 0, 0},
};

static double field_value(const sotto_event *event, int field)
{
    double value;
    memcpy(&value, (const char *)event + fields[field].offset, sizeof value);
    return value;
}

static const mechanism_row *find_mechanism(sotto_mechanism mechanism)
{
    for (size_t i = 0; i < sizeof mechanisms / sizeof mechanisms[0]; i++) {
        if (mechanisms[i].mechanism == mechanism) return &mechanisms[i];
    }
    return NULL;
}

/* A field's value against the mechanism: in range if used (a Gaussian's noise and the
 * rate of Poisson sampling may be left open), unset if not. */
static sotto_status check_field(const sotto_event *event, int field, int used, int may,
                                sotto_error *error)
{
    const field_row *row = &fields[field];
    const double value = field_value(event, field);
    const char *mechanism = sotto_mechanism_name(event->mechanism);
    if (!used && may) {
        if (isnan(value)) return SOTTO_OK;
        used = 1;
    }
    if (!used && !isnan(value)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is %g, but a %s event has no %s%s; leave it out", row->name,
                        value, field == RATE ? "not sampled" : mechanism, row->name,
                        field == RATE ? " (set sampling to poisson)" : "");
    }
    const int may_be_open =
        (field == NOISE_MULTIPLIER && event->mechanism == SOTTO_GAUSSIAN) ||
        (field == RATE && event->sampling == SOTTO_POISSON);
    if (!used || (may_be_open && isnan(value))) return SOTTO_OK;
    if (isnan(value)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s of the %s event is not set; give %s", row->name, mechanism,
                        row->hint);
    }
    if (!(value >= row->least && value <= row->most)) {
        /* 1.0000001 must not read "rate is 1; give a number up to 1". */
        const int digits = value > 0.99 && value < 1.01 ? 17 : 6;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "%s is %.*g; give %s", row->name,
                        digits, value, row->hint);
    }
    return SOTTO_OK;
}

static sotto_status check_sampling(const sotto_plan *plan, const sotto_event *event,
                                   const mechanism_row *row, sotto_error *error)
{
    if (event->sampling == SOTTO_NOT_SAMPLED) return SOTTO_OK;
    if (event->sampling != SOTTO_POISSON) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sampling is %d; give poisson or none", (int)event->sampling);
    }
    if (!row->may_be_sampled) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "no accountant here prices a sampled %s event; sampling works with "
            "gaussian",
            sotto_mechanism_name(event->mechanism));
    }
    if (plan->adjacency != SOTTO_ADD_REMOVE) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "Poisson sampling is priced for adjacency add-remove only, and the "
            "plan says %s; change one of them",
            sotto_adjacency_name(plan->adjacency));
    }
    return SOTTO_OK;
}

/* Scale and sensitivity come together, and a Gaussian's noise_multiplier may understate but
 * never overstate their ratio (but for its own rounding: sot_event_sigma() takes the lesser). The
 * epsilon of discrete Laplace noise is sensitivity/scale, and no event may state more than 1e6;
 * the rho of discrete Gaussian noise is half its square. */
static sotto_status check_relations(const sotto_event *event, sotto_error *error)
{
    if (isnan(event->scale) != isnan(event->sensitivity)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is set without %s; give both or none",
                        isnan(event->scale) ? "sensitivity" : "scale",
                        isnan(event->scale) ? "scale" : "sensitivity");
    }
    if (event->mechanism == SOTTO_GAUSSIAN && !isnan(event->scale) &&
        event->noise_multiplier > sot_div_up(event->scale, event->sensitivity)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "noise_multiplier is %.17g, but scale/sensitivity is only %.17g; "
                        "give at most that",
                        event->noise_multiplier, event->scale / event->sensitivity);
    }
    /* A Gaussian's ratio is a noise multiplier, and those start at 1e-4. */
    const double loss_ratio_max = event->mechanism == SOTTO_GAUSSIAN ? 1e4 : 1e6;
    if (event->sensitivity / event->scale > loss_ratio_max) { /* false when unset */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "scale is %g for a sensitivity of %g; give at least %g times the "
                        "sensitivity",
                        event->scale, event->sensitivity, 1.0 / loss_ratio_max);
    }
    const int is_response = event->mechanism == SOTTO_RANDOMIZED_RESPONSE;
    if (is_response ? event->categories < 2 : event->categories != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "categories is %lu; give %s",
                        (unsigned long)event->categories,
                        is_response ? "the number of answers, at least 2"
                                    : "it for randomized-response only");
    }
    if (event->rows >
        (event->mechanism == SOTTO_OBJECTIVE_PERTURBATION ? 1000000u : 0u)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "rows is %lu; give it for objective-perturbation only, at most "
                        "1000000",
                        (unsigned long)event->rows);
    }
    if (memchr(event->purpose, '\0', sizeof event->purpose) == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "purpose is longer than %d characters; shorten it",
                        SOTTO_PURPOSE_BYTES - 1);
    }
    return SOTTO_OK;
}

static sotto_status check_event(const sotto_plan *plan, const sotto_event *event,
                                sotto_error *error)
{
    const mechanism_row *row = find_mechanism(event->mechanism);
    if (row == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "mechanism is %d; set it to SOTTO_GAUSSIAN or another one",
                        (int)event->mechanism);
    }
    sotto_status status = check_sampling(plan, event, row, error);
    for (int field = 0; field < FIELDS && status == SOTTO_OK; field++) {
        const int used = field == RATE ? event->sampling != SOTTO_NOT_SAMPLED
                                       : (row->uses >> field & 1u) != 0;
        status = check_field(event, field, used, (row->may >> field & 1u) != 0, error);
    }
    if (status == SOTTO_OK) status = check_relations(event, error);
    if (status != SOTTO_OK) return status;
    if (event->count > SOTTO_COUNT_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "count is %llu; give a whole number from 1 to 1e12",
                        (unsigned long long)event->count);
    }
    return SOTTO_OK;
}

/* ---- the plan ---- */

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
    sot_free(plan->events);
    sot_free(plan);
}

sotto_status sotto_plan_add(sotto_plan *plan, const sotto_event *event,
                            sotto_error *error)
{
    const sotto_status status = check_event(plan, event, error);
    if (status != SOTTO_OK) return status;
    if (plan->size == SOTTO_EVENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan has more than %d events; merge equal ones with count",
                        SOTTO_EVENTS_MAX);
    }
    if (plan->size == plan->capacity) {
        const size_t capacity = plan->capacity == 0 ? 8 : 2 * plan->capacity;
        sotto_event *events =
            sot_resize_array(plan->events, plan->capacity, capacity, sizeof *events);
        if (events == NULL) return sot_fail_memory(error, capacity, sizeof *events);
        plan->events = events;
        plan->capacity = capacity;
    }
    plan->events[plan->size++] = *event;
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
