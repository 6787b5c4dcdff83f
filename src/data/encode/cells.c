/* Encodings by cells: one place on a public grid a feature. There is no norm, and no constant column. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/encode/parts.h"

enum { NUMBER_BYTES = 24 }; /* of a place in a matrix, in digits */

/* Returns the value of a category's feature; else NULL. */
static const char *value_of(const sotto_column *column, const sot_cells_grid *grid)
{
    return grid->indicator && column->type == SOTTO_COLUMN_CATEGORY
               ? column->values[grid->value]
               : NULL;
}

static bool count_text(const sot_encoding *encoding, size_t *out_size_bytes)
{
    size_t total = 0;
    for (size_t i = 0; i < encoding->features; i++) {
        const sot_cells_grid *grid = &encoding->grids[i];
        size_t length = NUMBER_BYTES;
        if (!sotto_schema_is_matrix(encoding->schema)) {
            const sotto_column *column =
                sotto_schema_column(encoding->schema, grid->column);
            length = strlen(column->name) + 2;
            if (value_of(column, grid) != NULL) length += strlen(value_of(column, grid));
        }
        if (!sot_size_add(total, length, &total)) return false;
    }
    *out_size_bytes = total;
    return true;
}

static sotto_status name_features(sot_encoding *encoding, sotto_error *error)
{
    size_t size_bytes = SIZE_MAX;
    if (!count_text(encoding, &size_bytes)) return sot_fail_memory(error, size_bytes, 1);
    encoding->text = sot_new_array(size_bytes, 1);
    encoding->names = sot_new_array(encoding->features, sizeof *encoding->names);
    if (encoding->text == NULL || encoding->names == NULL)
        return sot_fail_memory(error, size_bytes, 1);
    char *place = encoding->text;
    for (size_t i = 0; i < encoding->features; i++) {
        const sot_cells_grid *grid = &encoding->grids[i];
        if (sotto_schema_is_matrix(encoding->schema)) {
            char digits[NUMBER_BYTES];
            (void)snprintf(digits, sizeof digits, "%zu", grid->column + 1);
            place = sot_encode_write_name(&encoding->names[i], place, digits, NULL);
            continue;
        }
        const sotto_column *column = sotto_schema_column(encoding->schema, grid->column);
        place = sot_encode_write_name(&encoding->names[i], place, column->name,
                                      value_of(column, grid));
    }
    return SOTTO_OK;
}

sotto_status sot_encoding_new_cells(const sotto_schema *schema, const char *target,
                                    const sot_cells_grid *grids, size_t count,
                                    sot_encoding **out_encoding, sotto_error *error)
{
    assert(count > 0);
    sot_encoding *encoding = sot_new_array(1, sizeof *encoding);
    if (encoding == NULL) return sot_fail_memory(error, 1, sizeof *encoding);
    encoding->schema = schema;
    encoding->role = SOT_TARGET_CLASSES;
    encoding->grids = grids;
    encoding->features = count;
    encoding->bound = encoding->total_bound = (double)INFINITY;
    sotto_status status = sot_encode_choose_target(encoding, target, error);
    if (status == SOTTO_OK) status = name_features(encoding, error);
    if (status != SOTTO_OK) {
        sot_encoding_free(encoding);
        return status;
    }
    *out_encoding = encoding;
    return SOTTO_OK;
}

bool sot_encoding_is_cells(const sot_encoding *encoding)
{
    return encoding->grids != NULL;
}

void sot_encode_cells(const sot_encoding *encoding, const sot_record *record,
                      uint32_t *out_places)
{
    assert(sot_encoding_is_cells(encoding));
    for (size_t i = 0; i < encoding->features; i++)
        out_places[i] = sot_cells_of_record(&encoding->grids[i], record);
}
