/* The JSON form of a plan: docs/reference/accounting.md describes it, fuzz/fuzz_plan.c attacks it. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <sotto/accountant.h>
#include <sotto/setting.h>

#include "base/error.h"
#include "base/json/json.h"
#include "privacy/accounting/plan/composition.h"

static const size_t size_max_bytes = 1u << 20;

static bool is_search(const sot_json_value *value)
{
    const char *text;
    return sot_json_kind_of(value) == SOT_JSON_STRING &&
           sot_json_as_string(value, &text, NULL) == SOTTO_OK &&
           strcmp(text, "search") == 0;
}

/* A number, or "search" for an open target, which reads as SOTTO_UNSET. */
static sotto_status number_or_search(const sot_json_value *value, double *out_number,
                                     sotto_error *error)
{
    if (is_search(value)) {
        *out_number = SOTTO_UNSET;
        return SOTTO_OK;
    }
    return sot_json_as_double(value, out_number, error);
}

static sotto_status read_count(const sot_json_value *value, uint64_t *out_count,
                               sotto_error *error)
{
    if (is_search(value)) {
        *out_count = 0;
        return SOTTO_OK;
    }
    double number;
    const sotto_status status = sot_json_as_double(value, &number, error);
    if (status != SOTTO_OK) return status;
    if (!(number >= 1.0 && number <= (double)SOTTO_COUNT_MAX) ||
        number != floor(number)) {
        return sot_json_refuse(value, "give a whole number from 1 to 1e12", error);
    }
    *out_count = (uint64_t)number;
    return SOTTO_OK;
}

static sotto_status read_size(const sot_json_value *object, const char *key,
                              uint64_t *out_size, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_OK;
    int64_t size;
    const sotto_status status = sot_json_as_int64(&member, &size, error);
    if (status != SOTTO_OK) return status;
    if (size < 1 || size > (int64_t)SOTTO_POPULATION_MAX) {
        return sot_json_refuse(&member, "give a whole number from 1 to 1e15", error);
    }
    *out_size = (uint64_t)size;
    return SOTTO_OK;
}

/* Each method has its own keys: a key of another one is a misunderstanding. */
static sotto_status refuse_other_keys(const sot_json_value *value,
                                      sotto_sampling sampling, sotto_error *error)
{
    sot_json_value member;
    const bool is_fixed =
        sampling == SOTTO_WITHOUT_REPLACEMENT || sampling == SOTTO_TRUNCATED_POISSON;
    if (sampling != SOTTO_CYCLIC_POISSON && sot_json_member(value, "bands", &member)) {
        return sot_json_refuse(&member, "bands belong to \"cyclic-poisson\"", error);
    }
    if (!sot_sampling_has_rate(sampling) && sot_json_member(value, "rate", &member)) {
        return sot_json_refuse(&member,
                               "a rate belongs to \"poisson\" and its variants; other "
                               "methods have a population",
                               error);
    }
    if (!is_fixed && sot_json_member(value, "batch", &member)) {
        return sot_json_refuse(
            &member,
            "a batch belongs to \"without-replacement\" and "
            "\"truncated-poisson\"; poisson sampling takes a rate only",
            error);
    }
    if (!is_fixed && sampling != SOTTO_SINGLE_RECORD &&
        sot_json_member(value, "population", &member)) {
        return sot_json_refuse(&member,
                               "a population belongs to \"without-replacement\", "
                               "\"truncated-poisson\" and \"single-record\"; poisson "
                               "sampling takes a rate only",
                               error);
    }
    return SOTTO_OK;
}

/* "sampling": {"method": "poisson", "rate": 0.01}, or {"method": "without-replacement",
 * "population": 60000, "batch": 256}, or {"method": "single-record", "population": 60000} */
static sotto_status read_sampling(const sot_json_value *value, sotto_event *event,
                                  sotto_error *error)
{
    static const char *const known_keys[] = {"method", "rate",  "population",
                                             "batch",  "bands", NULL};
    sotto_status status = sot_json_as_object(value, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(value, known_keys, error);
    const char *method = NULL;
    if (status == SOTTO_OK) status = sot_json_get_string(value, "method", &method, error);
    if (status != SOTTO_OK) return status;
    sot_json_value member;
    if (!sot_json_member(value, "method", &member)) return SOTTO_INTERNAL;
    if (sotto_sampling_from_name(method, &event->sampling, NULL) != SOTTO_OK) {
        return sot_json_refuse(&member,
                               "give \"poisson\", \"without-replacement\", "
                               "\"single-record\", \"truncated-poisson\", "
                               "\"cyclic-poisson\" or \"none\"",
                               error);
    }
    status = refuse_other_keys(value, event->sampling, error);
    if (status != SOTTO_OK) return status;
    if (sot_sampling_has_rate(event->sampling)) {
        status =
            sot_json_member(value, "rate", &member)
                ? number_or_search(&member, &event->rate, error)
                : sot_json_get_double(value, "rate", &event->rate, error); /* its error */
    }
    uint64_t bands = 0;
    if (status == SOTTO_OK)
        status = read_size(value, "population", &event->population, error);
    if (status == SOTTO_OK) status = read_size(value, "batch", &event->batch, error);
    if (status == SOTTO_OK) status = read_size(value, "bands", &bands, error);
    event->bands = bands > UINT32_MAX ? UINT32_MAX : (uint32_t)bands;
    return status;
}

static sotto_status read_optional(const sot_json_value *object, const char *key,
                                  double *out_number, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_OK;
    return sot_json_as_double(&member, out_number, error);
}

/* "dimension": 3, or "any" */
static sotto_status read_dimension(const sot_json_value *value, uint32_t *out_dimension,
                                   sotto_error *error)
{
    const char *text;
    if (sot_json_kind_of(value) == SOT_JSON_STRING &&
        sot_json_as_string(value, &text, NULL) == SOTTO_OK && strcmp(text, "any") == 0) {
        *out_dimension = SOTTO_DIMENSION_ANY;
        return SOTTO_OK;
    }
    int64_t dimension;
    const sotto_status status = sot_json_as_int64(value, &dimension, error);
    if (status != SOTTO_OK) return status;
    if (dimension < 1 || dimension > INT32_MAX) {
        return sot_json_refuse(
            value, "give the number of values released at once, or \"any\"", error);
    }
    *out_dimension = (uint32_t)dimension;
    return SOTTO_OK;
}

static sotto_status read_numbers(const sot_json_value *array, double *out_numbers,
                                 sotto_error *error)
{
    for (size_t i = 0; i < sot_json_size(array); i++) {
        const sot_json_value item = sot_json_item(array, i);
        const sotto_status status = sot_json_as_double(&item, &out_numbers[i], error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* "orders": [...], "values": [...], or "norms" and "probabilities" of a mixture, into the room of SOTTO_CURVE_MAX numbers
 * each. */
static sotto_status read_curve(const sot_json_value *value, sotto_event *event,
                               double *orders, double *values, sotto_error *error)
{
    sot_json_value order_list, value_list;
    const bool is_mixture = event->mechanism == SOTTO_GAUSSIAN_MIXTURE;
    if (sot_json_member(value, is_mixture ? "orders" : "norms", &order_list) ||
        sot_json_member(value, is_mixture ? "values" : "probabilities", &order_list)) {
        return sot_json_refuse(&order_list,
                               "rdp events have orders and values, gaussian-mixture "
                               "events norms and probabilities",
                               error);
    }
    const bool has_orders =
        sot_json_member(value, is_mixture ? "norms" : "orders", &order_list);
    const bool has_values =
        sot_json_member(value, is_mixture ? "probabilities" : "values", &value_list);
    if (!has_orders && !has_values) return SOTTO_OK;
    if (has_orders != has_values) {
        return sot_json_refuse(has_orders ? &order_list : &value_list,
                               is_mixture ? "norms and probabilities come together"
                                          : "orders and values come together",
                               error);
    }
    sotto_status status = sot_json_as_array(&order_list, error);
    if (status == SOTTO_OK) status = sot_json_as_array(&value_list, error);
    if (status != SOTTO_OK) return status;
    const size_t size = sot_json_size(&order_list);
    if (size < 1 || size > SOTTO_CURVE_MAX || size != sot_json_size(&value_list)) {
        return sot_json_refuse(
            &value_list,
            "give 1 to 1024 numbers, and a value for each in the second list", error);
    }
    status = read_numbers(&order_list, orders, error);
    if (status == SOTTO_OK) status = read_numbers(&value_list, values, error);
    event->curve_size = (uint32_t)size;
    event->curve_orders = orders;
    event->curve_values = values;
    return status;
}

/* Reads an optional whole number from `least` to `most`. */
static sotto_status read_whole(const sot_json_value *object, const char *key,
                               int64_t least, int64_t most, const char *hint,
                               uint32_t *out_number, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_OK;
    int64_t number;
    const sotto_status status = sot_json_as_int64(&member, &number, error);
    if (status != SOTTO_OK) return status;
    if (number < least || number > most) return sot_json_refuse(&member, hint, error);
    *out_number = (uint32_t)number;
    return SOTTO_OK;
}

/* categories, rows, vertices, theorem, dimension and purpose */
static sotto_status read_words(const sot_json_value *value, sotto_event *event,
                               sotto_error *error)
{
    sot_json_value member;
    sotto_status status = read_whole(value, "categories", 2, INT32_MAX,
                                     "give a whole number of answers, at least 2",
                                     &event->categories, error);
    if (status == SOTTO_OK)
        status = read_whole(value, "rows", 1, 1000000,
                            "give the rows of a unit, 1 to 1000000", &event->rows, error);
    if (status == SOTTO_OK)
        status =
            read_whole(value, "vertices", 1, SOTTO_VERTICES_MAX,
                       "give a whole number from 1 to 1000000", &event->vertices, error);
    if (status == SOTTO_OK)
        status = read_whole(value, "theorem", SOTTO_FROZEN_SLOPE, SOTTO_FROZEN_SLOPE,
                            "give 2, or leave it out", &event->theorem, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_member(value, "dimension", &member)) {
        status = read_dimension(&member, &event->dimension, error);
        if (status != SOTTO_OK) return status;
    }
    if (sot_json_member(value, "purpose", &member)) {
        const char *text;
        status = sot_json_as_string(&member, &text, error);
        if (status != SOTTO_OK) return status;
        const size_t length = strlen(text);
        if (length >= sizeof event->purpose) {
            return sot_json_refuse(&member, "give at most 47 bytes", error);
        }
        memcpy(event->purpose, text, length + 1);
    }
    return SOTTO_OK;
}

/* Discrete noise may leave its scale open, but not by leaving the member out. */
static sotto_status read_scale(const sot_json_value *value, const char *name,
                               sotto_event *event, sotto_error *error)
{
    sot_json_value member;
    if (!sot_event_takes_scale(event->mechanism))
        return read_optional(value, name, &event->scale, error);
    if (sot_json_member(value, name, &member))
        return number_or_search(&member, &event->scale, error);
    return sot_json_refuse(value, "discrete noise needs a sigma or a scale", error);
}

static sotto_status read_fields(const sot_json_value *value, sotto_event *event,
                                sotto_error *error)
{
    sot_json_value member;
    sotto_status status = SOTTO_OK;
    if (sot_json_member(value, "noise_multiplier", &member)) {
        status = number_or_search(&member, &event->noise_multiplier, error);
    } else if (sot_event_takes_noise(event->mechanism)) {
        status = sot_json_refuse(value,
                                 "a gaussian, laplace or gaussian-mixture event needs a "
                                 "noise_multiplier (a number, or \"search\")",
                                 error);
    }
    const struct {
        const char *key;
        double *out;
    } numbers[] = {{"epsilon", &event->epsilon}, {"delta", &event->delta},
                   {"rho", &event->rho},         {"mu", &event->mu},
                   {"grid", &event->grid},       {"atom", &event->atom},
                   {"shift", &event->shift},     {"sensitivity", &event->sensitivity}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == SOTTO_OK; i++)
        status = read_optional(value, numbers[i].key, numbers[i].out, error);
    /* The scale of a Gaussian is called sigma. */
    const char *scale =
        event->mechanism == SOTTO_GAUSSIAN || event->mechanism == SOTTO_DISCRETE_GAUSSIAN
            ? "sigma"
            : "scale";
    if (status == SOTTO_OK &&
        sot_json_member(value, scale[1] == 'i' ? "scale" : "sigma", &member)) {
        status = sot_json_refuse(&member, "gaussian events have a sigma, others a scale",
                                 error);
    }
    if (status == SOTTO_OK) status = read_scale(value, scale, event, error);
    if (status == SOTTO_OK) status = read_words(value, event, error);
    if (status == SOTTO_OK && sot_json_member(value, "sampling", &member)) {
        status = read_sampling(&member, event, error);
    }
    if (status == SOTTO_OK && sot_json_member(value, "count", &member))
        status = read_count(&member, &event->count, error);
    return status;
}

static sotto_status read_event(const sot_json_value *value, size_t index,
                               sotto_plan *plan, sotto_error *error)
{
    static const char *const known_keys[] = {"mechanism",  "noise_multiplier",
                                             "epsilon",    "delta",
                                             "rho",        "mu",
                                             "sigma",      "scale",
                                             "grid",       "sensitivity",
                                             "sampling",   "count",
                                             "categories", "purpose",
                                             "atom",       "rows",
                                             "dimension",  "orders",
                                             "values",     "shift",
                                             "vertices",   "theorem",
                                             "norms",      "probabilities",
                                             NULL};
    sotto_status status = sot_json_as_object(value, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(value, known_keys, error);
    if (status != SOTTO_OK) return status;

    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN; /* the default of the format */
    sot_json_value member;
    if (sot_json_member(value, "mechanism", &member)) {
        const char *name;
        status = sot_json_as_string(&member, &name, error);
        if (status != SOTTO_OK) return status;
        if (sotto_mechanism_from_name(name, &event.mechanism, NULL) != SOTTO_OK) {
            return sot_json_refuse(
                &member,
                "give one of gaussian, pure, approximate, zcdp, gdp, discrete-gaussian, "
                "discrete-laplace, exponential, permute-and-flip, randomized-response, "
                "objective-perturbation, laplace, rdp, gaussian-mixture",
                error);
        }
    }
    double orders[SOTTO_CURVE_MAX], values[SOTTO_CURVE_MAX];
    status = read_fields(value, &event, error);
    if (status == SOTTO_OK) status = read_curve(value, &event, orders, values, error);
    if (status != SOTTO_OK) return status;
    sotto_error refusal;
    status = sotto_plan_add(plan, &event, &refusal);
    if (status != SOTTO_OK) {
        sotto_error_spell(&refusal, SOTTO_SPELL_MEMBER, NULL, NULL);
        return sot_fail(error, status, "events[%zu]: %.230s", index, refusal.message);
    }
    return SOTTO_OK;
}

static sotto_status read_adjacency(const sot_json_value *root,
                                   sotto_adjacency *out_adjacency, sotto_error *error)
{
    sot_json_value member;
    *out_adjacency = SOTTO_ADD_REMOVE; /* the default of the format */
    if (!sot_json_member(root, "adjacency", &member)) return SOTTO_OK;
    const char *name;
    const sotto_status status = sot_json_as_string(&member, &name, error);
    if (status != SOTTO_OK) return status;
    if (sotto_adjacency_from_name(name, out_adjacency, NULL) != SOTTO_OK) {
        return sot_json_refuse(&member, "give \"add-remove\" or \"replace-one\"", error);
    }
    return SOTTO_OK;
}

/* "unit": {"column": "person", "rows": 2}; a plan without it is about one row. */
static sotto_status read_unit(const sot_json_value *root, sotto_plan *plan,
                              sotto_error *error)
{
    static const char *const known_keys[] = {"column", "rows", NULL};
    sot_json_value unit;
    const char *column = NULL;
    int64_t rows = 0;
    if (!sot_json_member(root, "unit", &unit)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&unit, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(&unit, known_keys, error);
    if (status == SOTTO_OK) status = sot_json_get_string(&unit, "column", &column, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(&unit, "rows", &rows, error);
    if (status == SOTTO_OK && rows < 0)
        status = sot_json_refuse(&unit, "give rows from 1 to 1e9", error);
    return status != SOTTO_OK ? status
                              : sotto_plan_set_unit(plan, column, (uint64_t)rows, error);
}

static sotto_status read_plan(const sot_json_value *root, sotto_plan **out_plan,
                              sotto_error *error)
{
    static const char *const known_keys[] = {"adjacency", "events", "unit", NULL};
    sotto_adjacency adjacency = SOTTO_ADD_REMOVE;
    sot_json_value events;
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, known_keys, error);
    if (status == SOTTO_OK) status = read_adjacency(root, &adjacency, error);
    if (status == SOTTO_OK) status = sot_json_get_array(root, "events", &events, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&events) == 0) {
        return sot_json_refuse(&events, "give at least one event", error);
    }
    sotto_plan *plan;
    status = sotto_plan_new(adjacency, &plan, error);
    if (status != SOTTO_OK) return status;
    status = read_unit(root, plan, error);
    for (size_t i = 0; i < sot_json_size(&events) && status == SOTTO_OK; i++) {
        const sot_json_value event = sot_json_item(&events, i);
        status = read_event(&event, i, plan, error);
    }
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

sotto_status sotto_plan_parse(const char *json, size_t size_bytes, sotto_plan **out_plan,
                              sotto_error *error)
{
    sot_json *document;
    sotto_status status =
        sot_json_parse(NULL, json, size_bytes, size_max_bytes, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    status = read_plan(&root, out_plan, error);
    sot_json_free(document);
    return status;
}
