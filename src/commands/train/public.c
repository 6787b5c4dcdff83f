#include "commands/train/public.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/matrix.h"
#include "random/rng.h"

#define ROWS_MAX  (UINT64_C(1) << 26)
#define CELLS_MAX (UINT64_C(1) << 28)

/* ---- rows drawn from a schema ---- */

static double uniform(sotto_rng *rng, double lower, double upper)
{
    return lower + (upper - lower) * ldexp((double)(sot_rng_u64(rng) >> 11), -53);
}

static double draw_cell(const sotto_column *column, sotto_rng *rng)
{
    switch (column->type) {
    case SOTTO_COLUMN_CATEGORY:
        return (double)sot_rng_below(rng, column->value_count);
    case SOTTO_COLUMN_BOOLEAN:
        return (double)sot_rng_below(rng, 2);
    case SOTTO_COLUMN_INTEGER:
        return floor(uniform(rng, column->lower, column->upper + 1.0));
    case SOTTO_COLUMN_NUMBER:
        return uniform(rng, column->lower, column->upper);
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
    default:
        return 0.0;
    }
}

static sotto_array view(const void *data, sotto_element element, size_t rows,
                        size_t columns)
{
    return (sotto_array){.data = data,
                         .element = element,
                         .rows = rows,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * 8),
                         .column_stride_bytes = 8};
}

static void fill(const sotto_schema *schema, size_t rows, size_t columns, sotto_rng *rng,
                 sot_public_records *out)
{
    const bool matrix = sotto_schema_is_matrix(schema);
    const sotto_column *numbers = sot_schema_numbers(schema);
    const sotto_target *target = sotto_schema_target(schema);
    const uint64_t unit_rows = sotto_schema_unit_rows(schema);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            out->cells[i * columns + j] =
                numbers != NULL ? draw_cell(numbers, rng)
                : matrix        ? uniform(rng, -1.0, 1.0)
                                : draw_cell(sotto_schema_column(schema, j), rng);
        }
        if (out->labels != NULL)
            out->labels[i] = target->label_count == 0
                                 ? uniform(rng, target->lower, target->upper)
                                 : target->codes[sot_rng_below(rng, 2)];
        if (out->units != NULL) out->units[i] = (int64_t)(i / unit_rows);
    }
}

sotto_status sot_public_draw(const sotto_schema *schema, uint64_t rows, sotto_rng *rng,
                             sot_public_records *out, sotto_error *error)
{
    const bool matrix = sotto_schema_is_matrix(schema);
    const size_t columns =
        matrix ? sotto_schema_features(schema) : sotto_schema_size(schema);
    if (rows > ROWS_MAX || rows * columns > CELLS_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "%llu rows of %zu columns are too many to sample; give at most %llu",
            (unsigned long long)rows, columns, (unsigned long long)(CELLS_MAX / columns));
    }
    const size_t count = (size_t)rows;
    out->cells = sot_new_array(count * columns, sizeof *out->cells);
    if (matrix) out->labels = sot_new_array(count, sizeof *out->labels);
    if (sotto_schema_unit(schema) != NULL)
        out->units = sot_new_array(count, sizeof *out->units);
    if (out->cells == NULL || (matrix && out->labels == NULL) ||
        (sotto_schema_unit(schema) != NULL && out->units == NULL))
        return sot_fail_memory(error, count * columns, sizeof *out->cells);
    fill(schema, count, columns, rng, out);
    out->records.features = view(out->cells, SOTTO_FLOAT64, count, columns);
    if (matrix) out->records.labels = view(out->labels, SOTTO_FLOAT64, count, 1);
    if (out->units != NULL) out->records.units = view(out->units, SOTTO_INT64, count, 1);
    return sot_rng_check(rng, error);
}

void sot_public_clear(sot_public_records *records)
{
    sot_free(records->cells);
    sot_free(records->labels);
    sot_free(records->units);
}

/* ---- two parts of one matrix ---- */

static sot_matrix *new_like(const sot_matrix *all, size_t rows, size_t values)
{
    sot_matrix *part = sot_new_array(1, sizeof *part);
    if (part == NULL) return NULL;
    part->columns = all->columns;
    part->stride = all->stride;
    part->room_rows = rows;
    part->labels = sot_new_array(rows, sizeof *part->labels);
    bool made = part->labels != NULL;
    if (all->layout != NULL) {
        part->bin_bytes = all->bin_bytes;
        part->layout = sot_bins_layout_copy(all->layout);
        if (part->layout != NULL)
            part->bins = sot_new_array(rows, sot_matrix_row_bytes(part));
        made = made && part->layout != NULL && part->bins != NULL;
    } else if (all->cells != NULL) {
        part->cells = sot_new_array(rows * all->columns, sizeof *part->cells);
        made = made && part->cells != NULL;
    } else if (all->dense != NULL) {
        part->dense = sot_new_aligned(rows * all->stride, sizeof *part->dense);
        made = made && part->dense != NULL;
    } else {
        part->starts = sot_new_array(rows + 1, sizeof *part->starts);
        part->indices = sot_new_array(values, sizeof *part->indices);
        part->values = sot_new_array(values, sizeof *part->values);
        part->room_values = values;
        made =
            made && part->starts != NULL && part->indices != NULL && part->values != NULL;
    }
    if (made) return part;
    sot_matrix_free(part);
    return NULL;
}

static size_t values_of(const sot_matrix *all, size_t row)
{
    return all->starts == NULL ? 0 : (size_t)(all->starts[row + 1] - all->starts[row]);
}

static void append(sot_matrix *part, const sot_matrix *all, size_t row)
{
    part->labels[part->rows] = all->labels[row];
    if (all->layout != NULL) {
        const size_t row_bytes = sot_matrix_row_bytes(all);
        memcpy(part->bins + part->rows * row_bytes, all->bins + row * row_bytes,
               row_bytes);
    } else if (all->cells != NULL) {
        memcpy(part->cells + part->rows * part->columns, all->cells + row * all->columns,
               all->columns * sizeof *all->cells);
    } else if (all->dense != NULL) {
        memcpy(part->dense + part->rows * part->stride, all->dense + row * all->stride,
               all->stride * sizeof *all->dense);
    } else {
        const size_t count = values_of(all, row);
        const size_t begin = (size_t)part->starts[part->rows];
        for (size_t i = 0; i < count; i++) {
            part->indices[begin + i] = all->indices[all->starts[row] + i];
            part->values[begin + i] = all->values[all->starts[row] + i];
        }
        part->starts[part->rows + 1] = begin + count;
    }
    part->rows++;
}

sotto_status sot_public_split(const sot_matrix *all, size_t nth, sot_matrix **out_seen,
                              sot_matrix **out_held, sotto_error *error)
{
    size_t rows[2] = {0, 0};
    size_t values[2] = {0, 0};
    for (size_t i = 0; i < all->rows; i++) {
        const int part = i % nth == nth - 1;
        rows[part]++;
        values[part] += values_of(all, i);
    }
    sot_matrix *seen = new_like(all, rows[0], values[0]);
    sot_matrix *held = new_like(all, rows[1], values[1]);
    if (seen == NULL || held == NULL) {
        sot_matrix_free(seen);
        sot_matrix_free(held);
        return sot_fail_memory(error, all->rows, sizeof *all->labels);
    }
    for (size_t i = 0; i < all->rows; i++)
        append(i % nth == nth - 1 ? held : seen, all, i);
    *out_seen = seen;
    *out_held = held;
    return SOTTO_OK;
}

sotto_status sot_public_take(const sot_matrix *first, const sot_matrix *second,
                             const bool *taken, sot_matrix **out_part, sotto_error *error)
{
    const size_t all = first->rows + second->rows;
    size_t rows = 0, values = 0;
    for (size_t i = 0; i < all; i++) {
        if (!taken[i]) continue;
        rows++;
        values +=
            i < first->rows ? values_of(first, i) : values_of(second, i - first->rows);
    }
    sot_matrix *part = new_like(first, rows, values);
    if (part == NULL) return sot_fail_memory(error, rows, sizeof *first->labels);
    for (size_t i = 0; i < all; i++) {
        if (!taken[i]) continue;
        if (i < first->rows)
            append(part, first, i);
        else
            append(part, second, i - first->rows);
    }
    *out_part = part;
    return SOTTO_OK;
}

sotto_status sot_public_pick(const sot_matrix *all, const size_t *rows, size_t count,
                             sot_matrix **out_picked, sotto_error *error)
{
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values += values_of(all, rows[i]);
    sot_matrix *picked = new_like(all, count, values);
    if (picked == NULL) return sot_fail_memory(error, count, sizeof *all->labels);
    for (size_t i = 0; i < count; i++)
        append(picked, all, rows[i]);
    *out_picked = picked;
    return SOTTO_OK;
}

sotto_status sot_public_repeat(const sot_matrix *few, size_t rows, sot_matrix **out_many,
                               sotto_error *error)
{
    size_t values = 0;
    for (size_t i = 0; i < rows; i++)
        values += values_of(few, i % few->rows);
    sot_matrix *many = new_like(few, rows, values);
    if (many == NULL) return sot_fail_memory(error, rows, sizeof *few->labels);
    for (size_t i = 0; i < rows; i++)
        append(many, few, i % few->rows);
    *out_many = many;
    return SOTTO_OK;
}
