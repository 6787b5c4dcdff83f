/* The canonical JSON form of a plan. json.c reads it back to the same bits. */
#include "privacy/accounting/plan/json_write.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/accounting/plan/composition.h"

static void write_size(sot_json_writer *writer, const char *key, uint64_t size)
{
    if (size == 0) return;
    sot_json_key(writer, key);
    sot_json_write_int64(writer, (int64_t)size); /* at most 1e15 */
}

static void write_dimension(sot_json_writer *writer, uint32_t dimension)
{
    if (dimension != SOTTO_DIMENSION_ANY) {
        write_size(writer, "dimension", dimension);
        return;
    }
    sot_json_key(writer, "dimension");
    sot_json_write_string(writer, "any");
}

static void write_list(sot_json_writer *writer, const char *key, const double *numbers,
                       size_t size)
{
    if (size == 0) return;
    sot_json_key(writer, key);
    sot_json_begin_array(writer);
    for (size_t i = 0; i < size; i++)
        sot_json_write_double(writer, numbers[i]);
    sot_json_end_array(writer);
}

static void write_sampling(sot_json_writer *writer, const sotto_event *event)
{
    if (event->sampling == SOTTO_NOT_SAMPLED) return;
    sot_json_key(writer, "sampling");
    sot_json_begin_object(writer);
    write_size(writer, "bands", event->bands);
    write_size(writer, "batch", event->batch);
    sot_json_key(writer, "method");
    sot_json_write_string(writer, sotto_sampling_name(event->sampling));
    write_size(writer, "population", event->population);
    if (sot_sampling_has_rate(event->sampling) && isnan(event->rate)) {
        sot_json_key(writer, "rate");
        sot_json_write_string(writer, "search");
    }
    sot_json_put_number(writer, "rate", event->rate);
    sot_json_end_object(writer);
}

static void write_scale(sot_json_writer *writer, const char *name,
                        const sotto_event *event)
{
    if (sot_event_takes_scale(event->mechanism) && isnan(event->scale)) {
        sot_json_key(writer, name);
        sot_json_write_string(writer, "search");
        return;
    }
    sot_json_put_number(writer, name, event->scale);
}

/* Keys in byte order, so that the form is the canonical one of base/json/canonical.h. */
static void write_event(sot_json_writer *writer, const sotto_event *event)
{
    const bool has_sigma =
        event->mechanism == SOTTO_GAUSSIAN || event->mechanism == SOTTO_DISCRETE_GAUSSIAN;
    const bool is_mixture = event->mechanism == SOTTO_GAUSSIAN_MIXTURE;
    sot_json_begin_object(writer);
    sot_json_put_number(writer, "atom", event->atom);
    if (event->categories != 0) {
        sot_json_key(writer, "categories");
        sot_json_write_int64(writer, (int64_t)event->categories);
    }
    sot_json_key(writer, "count");
    if (event->count == 0) {
        sot_json_write_string(writer, "search");
    } else {
        sot_json_write_int64(writer, (int64_t)event->count); /* at most 1e12 */
    }
    sot_json_put_number(writer, "delta", event->delta);
    write_dimension(writer, event->dimension);
    sot_json_put_number(writer, "epsilon", event->epsilon);
    sot_json_put_number(writer, "grid", event->grid);
    sot_json_key(writer, "mechanism");
    sot_json_write_string(writer, sotto_mechanism_name(event->mechanism));
    sot_json_put_number(writer, "mu", event->mu);
    if (sot_event_takes_noise(event->mechanism) && isnan(event->noise_multiplier)) {
        sot_json_key(writer, "noise_multiplier");
        sot_json_write_string(writer, "search");
    } else {
        sot_json_put_number(writer, "noise_multiplier", event->noise_multiplier);
    }
    const uint32_t norms = is_mixture ? event->curve_size : 0;
    write_list(writer, "norms", event->curve_orders, norms);
    write_list(writer, "orders", event->curve_orders, event->curve_size - norms);
    write_list(writer, "probabilities", event->curve_values, norms);
    if (event->purpose[0] != '\0') {
        sot_json_key(writer, "purpose");
        sot_json_write_string(writer, event->purpose);
    }
    sot_json_put_number(writer, "rho", event->rho);
    if (event->rows != 0) {
        sot_json_key(writer, "rows");
        sot_json_write_int64(writer, (int64_t)event->rows);
    }
    write_sampling(writer, event);
    if (!has_sigma) write_scale(writer, "scale", event);
    sot_json_put_number(writer, "sensitivity", event->sensitivity);
    sot_json_put_number(writer, "shift", event->shift);
    if (has_sigma) write_scale(writer, "sigma", event);
    write_size(writer, "theorem", event->theorem);
    write_list(writer, "values", event->curve_values, event->curve_size - norms);
    write_size(writer, "vertices", event->vertices);
    sot_json_end_object(writer);
}

void sot_plan_write(const sotto_plan *plan, sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_key(writer, "adjacency");
    sot_json_write_string(writer, sotto_adjacency_name(sotto_plan_adjacency(plan)));
    sot_json_key(writer, "events");
    sot_json_begin_array(writer);
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        write_event(writer, sotto_plan_event(plan, i));
    sot_json_end_array(writer);
    if (sotto_plan_unit(plan) != NULL) {
        sot_json_key(writer, "unit");
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "column", sotto_plan_unit(plan));
        sot_json_put_whole(writer, "rows", sotto_plan_unit_rows(plan));
        sot_json_end_object(writer);
    }
    sot_json_end_object(writer);
}

sotto_status sotto_plan_to_json(const sotto_plan *plan, char **out_json,
                                sotto_error *error)
{
    sot_json_writer *writer;
    const char *text;
    size_t size_bytes;
    if (sotto_plan_size(plan) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan has no events; add one before writing it");
    }
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_plan_write(plan, writer);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) {
        char *json = sot_copy_string(text);
        if (json == NULL) {
            status = sot_fail_memory(error, size_bytes, 1);
        } else {
            json[size_bytes - 1] = '\0'; /* the final newline is not part of the form */
            *out_json = json;
        }
    }
    sot_json_writer_free(writer);
    return status;
}
