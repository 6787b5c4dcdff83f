/* Whole rows: records with all numbers present that are never clipped need no list of features.
 * If the numbers are bytes, they need no arithmetic either. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/encode/parts.h"

/* Rounds a number to the grid, where rows are never clipped; the same as append() of
 * encode.c. */
static float on_grid(const sot_encoding *encoding, double number)
{
    const double value = sot_encode_value(encoding, number);
    /* -0 becomes 0, as where zeros are left out. */
    return (float)(trunc(value * encoding->inverse_unit) * encoding->unit + 0.0);
}

sotto_status sot_encode_map_bytes(sot_encoding *encoding, sotto_error *error)
{
    enum { BYTES = 256 };
    if (encoding->numbers == NULL || encoding->cut) return SOTTO_OK;
    encoding->of_byte = sot_new_array(BYTES, sizeof *encoding->of_byte);
    if (encoding->of_byte == NULL) return sot_fail_memory(error, BYTES, sizeof(float));
    for (size_t byte = 0; byte < BYTES; byte++)
        encoding->of_byte[byte] = on_grid(encoding, (double)byte);
    return SOTTO_OK;
}

/* Encodes a row that is never clipped and has all numbers, feature by feature: the same as
 * append() without a norm bound. */
static void encode_freely(const sot_encoding *encoding, const sot_record *record,
                          float *out_row)
{
    const size_t features = encoding->features;
    if (record->bytes != NULL) {
        for (size_t i = 0; i < features; i++)
            out_row[i] = encoding->of_byte[record->bytes[i]];
    } else {
        for (size_t i = 0; i < features; i++)
            out_row[i] = on_grid(encoding, record->values[i]);
    }
    if (encoding->intercept > 0.0) out_row[features] = (float)encoding->intercept;
}

void sot_encode_dense(const sot_encoding *encoding, const sot_record *record,
                      sot_features *scratch, float *out_row)
{
    if (encoding->of_byte != NULL && record->count == encoding->features) {
        encode_freely(encoding, record, out_row);
        return;
    }
    const size_t dimension = sot_encoding_dimension(encoding);
    sot_encode(encoding, record, scratch);
    assert(scratch->count <= dimension);
    memset(out_row, 0, dimension * sizeof *out_row);
    for (size_t i = 0; i < scratch->count; i++)
        out_row[scratch->indices[i]] = scratch->values[i];
}
