#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/plan/parts.h"

/* ---- the table of mechanisms: which fields each one uses, and their ranges ---- */

typedef struct field_row {
    const char *name;
    size_t offset;
    double least;     /* smallest value allowed */
    double most;      /* largest value allowed */
    const char *hint; /* the range as a message shows it */
} field_row;

#define FIELD(member) #member, offsetof(sotto_event, member)

/* Noise multipliers outside [1e-4, 1e12] are typing errors, and the quadrature is proved for
 * them inside only. */
static const field_row fields[] = {
    {FIELD(noise_multiplier), 1e-4, 1e12, "a number from 1e-4 to 1e12, for example 1.1"},
    {"epsilon_each", offsetof(sotto_event, epsilon), 0.0, 1e6,
     "a number from 0 to 1e6, for example 0.5"},
    {"delta_each", offsetof(sotto_event, delta), 0.0, 0.999999,
     "a number from 0 to 0.999999, for example 1e-8"},
    {FIELD(rho), 0.0, 1e12, "a number from 0 to 1e12, for example 0.01"},
    {FIELD(mu), 0.0, 1e6, "a number from 0 to 1e6, for example 0.5"},
    {FIELD(scale), 1e-300, 1e300, "a positive number, for example 5"},
    {FIELD(sensitivity), 1e-300, 1e300, "a positive number, for example 1"},
    {FIELD(rate), 1e-12, 1.0, "a number from 1e-12 to 1, for example 0.01"},
    {FIELD(grid), 1e-300, 1e300, "a positive number, for example 1"},
    {FIELD(atom), 0.0, 1e6, "a number from 0 to 1e6, for example 0.5"},
    {FIELD(shift), 0.0, 1e6, "a number from 0 to 1e6, for example 0.05"},
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
    SHIFT,
    FIELDS
};

/* The theorems for a sampled event of a mechanism. */
typedef enum sampled_as {
    NEVER, /* no theorem here */
    AS_PURE, /* by its epsilon and delta: Balle, Barthe & Gaboardi, NeurIPS 2018, Thms 8, 9 */
    AS_LATTICE, /* by its pair, where it has one (loss.md) */
    AS_ITSELF   /* by a pair of its own */
} sampled_as;

typedef struct mechanism_row {
    sotto_mechanism mechanism;
    unsigned uses; /* bit set of fields it needs */
    unsigned may;  /* bit set of fields it may have on top */
    sampled_as sampled;
} mechanism_row;

#define SCALED (1u << SCALE | 1u << SENSITIVITY)

static const mechanism_row mechanisms[] = {
    {SOTTO_GAUSSIAN, 1u << NOISE_MULTIPLIER, SCALED | 1u << GRID, AS_ITSELF},
    {SOTTO_PURE, 1u << EPSILON, 0, AS_PURE},
    {SOTTO_APPROXIMATE, 1u << EPSILON | 1u << DELTA, 0, AS_PURE},
    {SOTTO_ZCDP, 1u << RHO, 0, NEVER},
    {SOTTO_GDP, 1u << MU, 0, NEVER},
    {SOTTO_DISCRETE_GAUSSIAN, SCALED, 1u << GRID, AS_LATTICE},
    {SOTTO_DISCRETE_LAPLACE, SCALED, 1u << GRID, AS_PURE},
    {SOTTO_EXPONENTIAL, 1u << EPSILON, 0, AS_PURE},
    {SOTTO_PERMUTE_AND_FLIP, 1u << EPSILON, 0, AS_PURE},
    {SOTTO_RANDOMIZED_RESPONSE, 1u << EPSILON, 0, AS_PURE},
    {SOTTO_OBJECTIVE_PERTURBATION, 1u << NOISE_MULTIPLIER | 1u << ATOM, 1u << SHIFT,
     NEVER},
    {SOTTO_LAPLACE, 1u << NOISE_MULTIPLIER, SCALED | 1u << GRID, AS_PURE},
    {SOTTO_RDP_CURVE, 0, 0, NEVER},
    {SOTTO_GAUSSIAN_MIXTURE, 1u << NOISE_MULTIPLIER, 0, NEVER},
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

int sot_event_takes_noise(sotto_mechanism mechanism)
{
    return mechanism == SOTTO_GAUSSIAN || mechanism == SOTTO_LAPLACE ||
           mechanism == SOTTO_GAUSSIAN_MIXTURE;
}

int sot_event_takes_scale(sotto_mechanism mechanism)
{
    return mechanism == SOTTO_DISCRETE_GAUSSIAN || mechanism == SOTTO_DISCRETE_LAPLACE;
}

int sot_event_noise_is_open(const sotto_event *event)
{
    if (sot_event_takes_scale(event->mechanism)) return isnan(event->scale);
    return sot_event_takes_noise(event->mechanism) && isnan(event->noise_multiplier);
}

/* A field's value against the mechanism: in range if used (noise and the rate of
 * Poisson sampling may be left open), unset if not. */
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
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`%s` is %g, but a %s event has no such parameter%s; leave it out", row->name,
            value, field == RATE ? "not sampled" : mechanism,
            field == RATE ? " (set sampling to poisson)" : "");
    }
    const int may_be_open =
        (field == NOISE_MULTIPLIER && sot_event_takes_noise(event->mechanism)) ||
        (field == SCALE && sot_event_takes_scale(event->mechanism)) ||
        (field == RATE && sot_sampling_has_rate(event->sampling));
    if (!used || (may_be_open && isnan(value))) return SOTTO_OK;
    if (isnan(value)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`%s` of the %s event is missing; give %s", row->name, mechanism,
                        row->hint);
    }
    if (!(value >= row->least && value <= row->most)) {
        /* 1.0000001 must not read "rate is 1; give a number up to 1". */
        const int digits = value > 0.99 && value < 1.01 ? 17 : 6;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`%s` is %.*g; give %s", row->name,
                        digits, value, row->hint);
    }
    return SOTTO_OK;
}

/* The population and batch of a fixed-size sample. */
static sotto_status check_batch(const sotto_event *event, sotto_error *error)
{
    const int is_truncated = event->sampling == SOTTO_TRUNCATED_POISSON;
    const int needs_batch = is_truncated || event->sampling == SOTTO_WITHOUT_REPLACEMENT;
    const int needs_population = needs_batch || event->sampling == SOTTO_SINGLE_RECORD;
    if (needs_population
            ? event->population < 1 || event->population > SOTTO_POPULATION_MAX
            : event->population != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`population` is %llu; %s",
                        (unsigned long long)event->population,
                        needs_population
                            ? "give the number of records of the population, 1 to 1e15"
                            : "leave it out unless sampling is without-replacement, "
                              "single-record or truncated-poisson");
    }
    if (needs_batch ? event->batch < 1 || event->batch > event->population
                    : event->batch != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`batch` is %llu; %s",
                        (unsigned long long)event->batch,
                        needs_batch ? "give the records of one batch, at least 1 and at "
                                      "most the population"
                                    : "leave it out unless sampling is "
                                      "without-replacement or truncated-poisson");
    }
    if (is_truncated && event->population > SOTTO_TRUNCATED_POPULATION_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`population` is %llu; truncated-poisson sampling takes at most "
                        "1e10 records; for example `population=60000`",
                        (unsigned long long)event->population);
    }
    const int is_cyclic = event->sampling == SOTTO_CYCLIC_POISSON;
    if (is_cyclic ? event->bands < 1 || event->bands > SOTTO_BANDS_MAX
                  : event->bands != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`bands` is %lu; give %s",
                        (unsigned long)event->bands,
                        is_cyclic ? "the bands of the matrix, 1 to 1000000, for example "
                                    "`bands=10`"
                                  : "it only for cyclic-poisson sampling");
    }
    return SOTTO_OK;
}

/* Rows of a Gaussian event: all records, or Poisson sampling under add-remove. */
static sotto_status check_group(const sotto_plan *plan, const sotto_event *event,
                                sotto_error *error)
{
    if (event->mechanism != SOTTO_GAUSSIAN || event->rows == 0) return SOTTO_OK;
    if (event->rows > SOTTO_GROUP_ROWS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is %lu; a unit of a gaussian event has at most %d rows; "
                        "for example `rows=2`",
                        (unsigned long)event->rows, SOTTO_GROUP_ROWS_MAX);
    }
    const bool has_pair =
        event->sampling == SOTTO_NOT_SAMPLED || event->rows == 1 ||
        (event->sampling == SOTTO_POISSON && plan->adjacency == SOTTO_ADD_REMOVE);
    if (has_pair) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "`rows` is %lu with %s sampling under %s; rows of a gaussian event "
                    "are priced for all records, and for Poisson sampling under "
                    "add-remove",
                    (unsigned long)event->rows, sotto_sampling_name(event->sampling),
                    sotto_adjacency_name(plan->adjacency));
}

/* The effect of one record is a sum over the batches that it can be in. A theorem needs a bound
 * on the effect of its absence, so each kind of sampling has its neighbours. */
static sotto_status check_neighbours(const sotto_plan *plan, const sotto_event *event,
                                     const mechanism_row *row, sotto_error *error)
{
    const char *mechanism = sotto_mechanism_name(event->mechanism);
    const bool is_variant = event->sampling == SOTTO_TRUNCATED_POISSON ||
                            event->sampling == SOTTO_CYCLIC_POISSON;
    if (is_variant && event->mechanism != SOTTO_GAUSSIAN) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`sampling` is %s, which is proved for gaussian events, and this "
                        "one is %s; use poisson",
                        sotto_sampling_name(event->sampling), mechanism);
    }
    if (is_variant) return SOTTO_OK;
    if (event->sampling == SOTTO_POISSON) {
        if (plan->adjacency == SOTTO_ADD_REMOVE || row->sampled == AS_ITSELF)
            return SOTTO_OK;
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "Poisson sampling of a %s event is proved only for `adjacency=add-remove`, "
            "and `adjacency` is %s; change the adjacency or the sampling",
            mechanism, sotto_adjacency_name(plan->adjacency));
    }
    if (plan->adjacency == SOTTO_REPLACE_ONE) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "`sampling` is %s, which needs adjacency replace-one: under %s the "
                    "population is secret; use poisson, or replace-one",
                    sotto_sampling_name(event->sampling),
                    sotto_adjacency_name(plan->adjacency));
}

static sotto_status check_sampling(const sotto_plan *plan, const sotto_event *event,
                                   const mechanism_row *row, sotto_error *error)
{
    switch (event->sampling) {
    case SOTTO_NOT_SAMPLED:
        return check_batch(event, error);
    case SOTTO_POISSON:
    case SOTTO_WITHOUT_REPLACEMENT:
    case SOTTO_SINGLE_RECORD:
    case SOTTO_TRUNCATED_POISSON:
    case SOTTO_CYCLIC_POISSON:
        break;
    default:
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sampling is %d; give poisson, without-replacement, "
                        "single-record, truncated-poisson, cyclic-poisson or none",
                        (int)event->sampling);
    }
    if (row->sampled == NEVER) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`rate` is given, but no theorem here prices a sampled %s event; "
                        "sample gaussian events, or events with their own epsilon (pure, "
                        "approximate, laplace, ...)",
                        sotto_mechanism_name(event->mechanism));
    }
    const sotto_status status = check_neighbours(plan, event, row, error);
    return status == SOTTO_OK ? check_batch(event, error) : status;
}

/* The members that only objective perturbation has. Rows beside a shift or vertices need the frozen slope: vertices are then
 * the signs of a slope. Without it rows are for the logistic loss, whose distribution has no shift and one vertex. */
static sotto_status check_objective(const sotto_event *event, sotto_error *error)
{
    const int is_objective = event->mechanism == SOTTO_OBJECTIVE_PERTURBATION;
    const bool has_rows = is_objective || event->mechanism == SOTTO_GAUSSIAN;
    if (event->rows > (has_rows ? 1000000u : 0u)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is %lu; give it only for objective-perturbation, at most "
                        "1000000, and "
                        "for gaussian, at most 1000",
                        (unsigned long)event->rows);
    }
    if (event->vertices > (is_objective ? (uint32_t)SOTTO_VERTICES_MAX : 0u)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`vertices` is %lu; give it only for objective-perturbation, at most %d",
            (unsigned long)event->vertices, SOTTO_VERTICES_MAX);
    }
    const bool is_former = event->theorem == 0;
    if (!is_former && !(is_objective && event->theorem == SOTTO_FROZEN_SLOPE)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`theorem` is %lu; leave it out, or give %d for "
                        "objective-perturbation of a loss of one margin",
                        (unsigned long)event->theorem, SOTTO_FROZEN_SLOPE);
    }
    if (!is_former && event->rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`theorem` is %lu without rows; give the most rows of one unit, "
                        "for example `rows=1`",
                        (unsigned long)event->theorem);
    }
    if (!is_former && event->vertices > 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`vertices` is %lu beside theorem %lu; give the signs that the "
                        "slope of one row may have, 1 or 2",
                        (unsigned long)event->vertices, (unsigned long)event->theorem);
    }
    if (is_objective && is_former && event->rows != 0 &&
        (event->vertices > 1 || event->shift > 0.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`rows` is %lu beside a shift or vertices; without theorem %d rows are for "
            "the logistic loss, which has neither: leave them out",
            (unsigned long)event->rows, SOTTO_FROZEN_SLOPE);
    }
    return SOTTO_OK;
}

/* Scale and sensitivity come together. A Gaussian's noise_multiplier may understate but never
 * overstate their ratio, except by its own rounding: sot_event_sigma() takes the smaller one. The
 * epsilon of discrete Laplace noise is sensitivity/scale, and at most 1e6. The rho of discrete
 * Gaussian noise is half its square. */
static sotto_status check_relations(const sotto_event *event, sotto_error *error)
{
    const bool is_open = sot_event_takes_scale(event->mechanism) && isnan(event->scale);
    if (!is_open && isnan(event->scale) != isnan(event->sensitivity)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`%s` is set without `%s`; give both or none",
                        isnan(event->scale) ? "sensitivity" : "scale",
                        isnan(event->scale) ? "scale" : "sensitivity");
    }
    if (sot_event_takes_noise(event->mechanism) && !isnan(event->scale) &&
        event->noise_multiplier > sot_div_up(event->scale, event->sensitivity)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`noise_multiplier` is %.17g, but scale/sensitivity is only "
                        "%.17g; give at most that",
                        event->noise_multiplier, event->scale / event->sensitivity);
    }
    /* A Gaussian's or Laplace's ratio is a noise multiplier, and those start at 1e-4. */
    const double loss_ratio_max = sot_event_takes_noise(event->mechanism) ? 1e4 : 1e6;
    if (event->sensitivity / event->scale > loss_ratio_max) { /* false when unset */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`scale` is %g for a sensitivity of %g; give at least %g times "
                        "the sensitivity",
                        event->scale, event->sensitivity, 1.0 / loss_ratio_max);
    }
    const int is_response = event->mechanism == SOTTO_RANDOMIZED_RESPONSE;
    if (is_response ? event->categories < 2 : event->categories != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`categories` is %lu; give %s",
                        (unsigned long)event->categories,
                        is_response ? "the number of answers, at least 2"
                                    : "it only for randomized-response");
    }
    const sotto_status status = check_objective(event, error);
    if (status != SOTTO_OK) return status;
    if (event->dimension != 0 && event->mechanism != SOTTO_DISCRETE_GAUSSIAN) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "dimension is %lu; give it only for discrete-gaussian",
                        (unsigned long)event->dimension);
    }
    if (memchr(event->purpose, '\0', sizeof event->purpose) == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "purpose is longer than %d characters; shorten it",
                        SOTTO_PURPOSE_BYTES - 1);
    }
    return SOTTO_OK;
}

/* A sampled discrete Gaussian release is priced by the pair of the release on all records. */
static sotto_status check_lattice(const sotto_plan *plan, const sotto_event *event,
                                  sotto_error *error)
{
    sot_subsampled release;
    sotto_event half = *event; /* an open rate, or a rate of 1, has the same pair */
    if (event->mechanism != SOTTO_DISCRETE_GAUSSIAN ||
        event->sampling == SOTTO_NOT_SAMPLED)
        return SOTTO_OK;
    if (sot_event_noise_is_open(event)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the noise of a sampled discrete-gaussian event is open, and no "
                        "search prices it; give its sigma, for example 2, and ask for "
                        "epsilon");
    }
    half.sampling = SOTTO_POISSON;
    half.rate = 0.5;
    if (sot_event_subsampled(&half, plan->adjacency, SOTTO_UNSET, &release))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "no theorem here prices this sampled discrete-gaussian event: give "
                    "one number, or a sensitivity of one grid step. The sensitivity must "
                    "be whole grid steps, and sigma 0.15 to 2000 of them");
}

sotto_status sot_plan_check_event(const sotto_plan *plan, const sotto_event *event,
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
        const int used = field == RATE ? sot_sampling_has_rate(event->sampling)
                                       : (row->uses >> field & 1u) != 0;
        status = check_field(event, field, used, (row->may >> field & 1u) != 0, error);
    }
    if (status == SOTTO_OK) status = check_relations(event, error);
    if (status == SOTTO_OK) status = sot_plan_check_lists(event, error);
    if (status == SOTTO_OK) status = check_group(plan, event, error);
    if (status == SOTTO_OK) status = check_lattice(plan, event, error);
    if (status != SOTTO_OK) return status;
    if (event->count > SOTTO_COUNT_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`count` is %llu; give a whole number from 1 to 1e12",
                        (unsigned long long)event->count);
    }
    return SOTTO_OK;
}
