#include "data/owner/owner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/rng.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/batches/unit.h"
#include "data/encode/encode.h"
#include "data/schema/parts.h"
#include "data/source/source.h"

/* ---- the parts that were adjusted ---- */

static bool is_adjusted(const char *source)
{
    return source != NULL && strcmp(source, SOTTO_SOURCE_ADJUSTED) == 0;
}

/* Appends ", name", or counts it when there is no room left. */
static void add_name(char *list, size_t room, size_t *used, size_t *unnamed,
                     const char *name)
{
    char shown[64];
    sot_printable(name, shown, sizeof shown);
    const size_t size_bytes = strlen(shown) + 2;
    if (*unnamed > 0 || *used + size_bytes >= room) {
        ++*unnamed;
        return;
    }
    *used += (size_t)snprintf(list + *used, room - *used, "%s%s", *used == 0 ? "" : ", ",
                              shown);
}

bool sot_schema_state_adjusted(const sotto_schema *schema, char out[SOT_ADJUSTED_BYTES])
{
    char list[SOT_ADJUSTED_BYTES - 160] = "";
    char more[40] = "";
    size_t used = 0, unnamed = 0;
    for (size_t i = 0; i < schema->size; i++)
        if (is_adjusted(schema->columns[i].source))
            add_name(list, sizeof list, &used, &unnamed, schema->columns[i].name);
    const struct {
        const char *source, *name;
    } parts[] = {{schema->numbers.source, "numbers"},
                 {schema->target_source, "target"},
                 {schema->row_norm_source, "row_norm"},
                 {schema->unit_source, "unit"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_adjusted(parts[i].source))
            add_name(list, sizeof list, &used, &unnamed, parts[i].name);
    if (used == 0) return false;
    if (unnamed > 0) (void)snprintf(more, sizeof more, " and %zu more", unnamed);
    (void)snprintf(out, SOT_ADJUSTED_BYTES,
                   "parts of the schema that were " SOTTO_SOURCE_ADJUSTED
                   ", which the guarantee does not cover: %s%s",
                   list, more);
    return true;
}

/* ---- a schema that shows cells as they are ---- */

/* Makes a schema in which numbers are not clipped and the default is NaN. */
static sotto_status make_probe(const sotto_schema *schema, sotto_schema **out_probe,
                               sotto_error *error)
{
    char *json = NULL;
    sotto_status status = sotto_schema_to_json(schema, NULL, &json, error);
    if (status == SOTTO_OK)
        status = sotto_schema_parse("schema", json, strlen(json), out_probe, error);
    sotto_free(json);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < (*out_probe)->size; i++) {
        sotto_column *column = &(*out_probe)->columns[i];
        column->missing = (double)NAN;
        if (column->type != SOTTO_COLUMN_NUMBER && column->type != SOTTO_COLUMN_INTEGER)
            continue;
        column->lower = -(double)INFINITY;
        column->upper = (double)INFINITY;
    }
    return SOTTO_OK;
}

/* ---- the counts ---- */

typedef struct owner_run {
    const sotto_schema *schema;
    const sotto_target *target; /* NULL: none */
    sotto_target own;
    sot_encoding *encoding; /* NULL: nothing can be learned from the schema */
    sot_units *units;       /* NULL: no unit */
    uint64_t slots;         /* rows that the units keep */
    double *cells;          /* of a table: one row as a training reads it */
    size_t *places;         /* of a table: column -> its counts */
    sot_owner_counts *counts;
} owner_run;

/* Returns the number as a training sees it, which may be NaN; counts a change. */
static double count_number(sot_cell_counts *counts, double missing, double number)
{
    if (!isfinite(number)) {
        counts->defaults++;
        return missing;
    }
    if (!counts->has_bounds) return number;
    counts->below += number < counts->lower;
    counts->above += number > counts->upper;
    return fmin(fmax(number, counts->lower), counts->upper);
}

static bool is_label(const sotto_target *target, double code)
{
    for (size_t i = 0; i < target->label_count; i++)
        if (target->codes[i] == code) return true;
    return false; /* NaN too: it equals nothing */
}

static void count_label(owner_run *run, double code)
{
    if (run->counts->has_labels && !is_label(run->target, code))
        run->counts->labels_outside++;
}

static void count_table(owner_run *run, const sot_record *record)
{
    sot_owner_counts *counts = run->counts;
    for (size_t i = 0; i < sotto_schema_size(run->schema); i++) {
        const sotto_column *column = sotto_schema_column(run->schema, i);
        run->cells[i] = 0.0;
        if (column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE)
            continue;
        run->cells[i] = count_number(&counts->columns[run->places[i]], column->missing,
                                     record->cells[i]);
    }
    if (run->target != NULL) count_label(run, record->cells[run->target->index]);
}

static void count_matrix(owner_run *run, const sot_record *record)
{
    sot_owner_counts *counts = run->counts;
    const size_t features = sotto_schema_features(run->schema);
    counts->not_read += record->not_read;
    for (size_t i = 0; i < record->count; i++) {
        if (record->indices[i] >= features) {
            counts->not_read++;
        } else {
            (void)count_number(&counts->columns[0], 0.0, record->values[i]);
        }
    }
    count_label(run, record->label);
    if (counts->column_count > 1)
        (void)count_number(&counts->columns[1], 0.0, record->label);
}

static sotto_status count_record(owner_run *run, const sot_record *record,
                                 sotto_error *error)
{
    sot_owner_counts *counts = run->counts;
    sot_record read = *record; /* as a training reads it */
    counts->rows++;
    if (record->cells != NULL) {
        count_table(run, record);
        read.cells = run->cells;
    } else {
        count_matrix(run, record);
    }
    if (counts->has_norm && sot_encode_is_shortened(run->encoding, &read))
        counts->rows_shortened++;
    if (run->units == NULL) return SOTTO_OK;
    bool is_kept = false;
    uint64_t slot = 0;
    counts->empty_ids += record->unit_bytes == 0;
    const sotto_status status = sot_units_offer(
        run->units, record->unit, record->unit_bytes, &is_kept, &slot, error);
    if (status == SOTTO_OK && is_kept && slot == run->slots) run->slots++;
    return status;
}

/* ---- room ---- */

static sotto_status make_columns(owner_run *run, sotto_error *error)
{
    sot_owner_counts *counts = run->counts;
    const sotto_schema *schema = run->schema;
    const size_t size = sotto_schema_size(schema);
    counts->columns = sot_new_array(size + 2, sizeof *counts->columns);
    run->cells = sot_new_array(size + 1, sizeof *run->cells);
    run->places = sot_new_array(size + 1, sizeof *run->places);
    if (counts->columns == NULL || run->cells == NULL || run->places == NULL)
        return sot_fail_memory(error, size + 2, sizeof *counts->columns);
    for (size_t i = 0; i < size; i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        if (column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE)
            continue;
        run->places[i] = counts->column_count;
        counts->columns[counts->column_count++] =
            (sot_cell_counts){.name = column->name,
                              .has_bounds = column->type == SOTTO_COLUMN_NUMBER ||
                                            column->type == SOTTO_COLUMN_INTEGER,
                              .lower = column->lower,
                              .upper = column->upper};
    }
    if (!sotto_schema_is_matrix(schema)) return SOTTO_OK;
    counts->columns[counts->column_count++] =
        (sot_cell_counts){.name = "numbers",
                          .has_bounds = schema->numbers.bounded,
                          .lower = schema->numbers.lower,
                          .upper = schema->numbers.upper};
    if (schema->target.label_count == 0)
        counts->columns[counts->column_count++] =
            (sot_cell_counts){.name = "target",
                              .has_bounds = true,
                              .lower = schema->target.lower,
                              .upper = schema->target.upper};
    return SOTTO_OK;
}

/* A schema that nothing can be learned from has no norm; its other counts are worth having. */
static sotto_status make_encoding(owner_run *run, const char *target, sotto_error *error)
{
    sotto_error why;
    sot_owner_counts *counts = run->counts;
    sotto_status status =
        sot_schema_choose_target(run->schema, target, &run->own, &run->target, error);
    if (status != SOTTO_OK) return status;
    counts->has_labels =
        run->target != NULL && run->target->label_count > 0 && !run->target->threshold;
    status = sot_encoding_new(run->schema, target, sot_target_role_of(run->target),
                              &run->encoding, &why);
    if (status == SOTTO_OUT_OF_MEMORY) return sot_fail(error, status, "%s", why.message);
    if (status != SOTTO_OK) return SOTTO_OK;
    const sotto_row_norm norm = sot_encoding_row_norm(run->encoding);
    counts->has_norm = norm.given && norm.rule == SOTTO_NORM_CLIP;
    counts->norm_bound = norm.bound;
    return SOTTO_OK;
}

static sotto_status make_units(owner_run *run, const sot_source *source,
                               sotto_error *error)
{
    sotto_rng *rng = NULL;
    run->counts->has_unit = sotto_schema_unit(run->schema) != NULL;
    if (!run->counts->has_unit) return SOTTO_OK;
    sotto_status status = sot_source_check_training(source, error);
    if (status == SOTTO_OK) status = sotto_rng_new(&rng, error);
    if (status == SOTTO_OK)
        status =
            sot_units_new(sotto_schema_unit_rows(run->schema), rng, &run->units, error);
    sotto_rng_free(rng);
    return status;
}

sotto_status sot_owner_count(const sotto_schema *schema, const sotto_data_file *file,
                             const char *target, sot_owner_counts *out_counts,
                             sotto_error *error)
{
    owner_run run = {.schema = schema, .counts = out_counts};
    sotto_schema *probe = NULL;
    sot_source *source = NULL;
    bool more = true;
    *out_counts = (sot_owner_counts){0};
    sotto_status status = make_probe(schema, &probe, error);
    if (status == SOTTO_OK) status = sot_source_open(file, probe, false, &source, error);
    if (status == SOTTO_OK) status = make_encoding(&run, target, error);
    if (status == SOTTO_OK) status = make_columns(&run, error);
    if (status == SOTTO_OK) status = make_units(&run, source, error);
    while (status == SOTTO_OK && more) {
        sot_record record;
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more) status = count_record(&run, &record, error);
    }
    if (run.units != NULL) out_counts->rows_over_cap = out_counts->rows - run.slots;
    sot_units_free(run.units);
    sot_encoding_free(run.encoding);
    sot_target_free(&run.own);
    sot_wipe_and_free(run.cells, (sotto_schema_size(schema) + 1) * sizeof *run.cells);
    sot_free(run.places);
    sot_source_close(source);
    sotto_schema_free(probe);
    return status;
}

void sot_owner_clear(sot_owner_counts *counts)
{
    sot_wipe_and_free(counts->columns, counts->column_count * sizeof *counts->columns);
    sot_wipe(counts, sizeof *counts);
}
