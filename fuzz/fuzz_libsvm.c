/* Any bytes are records: one a line, indices ascending and within the features, values finite; and
 * taking one line away takes one record away and changes no other. The first byte says which line. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdlib.h>

#include "data/source/source.h"
#include "lines.h"

enum { FEATURES = 6, ROWS_MAX = 512 };

static const char schema_text[] = "{\"features\": 6, \"labels\": [-1, 1], \"row_norm\": "
                                  "{\"bound\": 1.0, \"rule\": \"clip\"}}";

typedef struct row {
    double label;
    size_t count;
    uint32_t indices[FEATURES];
    double values[FEATURES];
} row;

typedef struct rows {
    row rows[ROWS_MAX];
    size_t count;
} rows;

static void take(const sot_record *record, row *out)
{
    memset(out, 0, sizeof *out); /* rows are compared with their padding */
    require(record->cells == NULL && record->unit == NULL && !isinf(record->label));
    require(record->count <= FEATURES);
    out->label = isnan(record->label) ? 1e300 : record->label;
    out->count = record->count;
    for (size_t i = 0; i < record->count; i++) {
        require(record->indices[i] < FEATURES && isfinite(record->values[i]));
        require(i == 0 || record->indices[i - 1] < record->indices[i]);
        out->indices[i] = record->indices[i];
        out->values[i] = record->values[i];
    }
}

static void read_rows(const sotto_schema *schema, const uint8_t *bytes, size_t size,
                      size_t cut_begin, size_t cut_end, rows *out)
{
    char path[PATH_BYTES];
    sot_source *source = NULL;
    const int file = open_bytes("", bytes, size, cut_begin, cut_end, path);
    const sotto_data_file declared = {.path = path, .format = "libsvm"};
    require(sot_source_open(&declared, schema, false, &source, NULL) == SOTTO_OK);
    for (out->count = 0;; out->count++) {
        sot_record record;
        bool more = true;
        row spare;
        require(sot_source_next(source, &record, &more, NULL) == SOTTO_OK);
        if (!more) break;
        take(&record, out->count < ROWS_MAX ? &out->rows[out->count] : &spare);
    }
    sot_source_close(source);
    (void)close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_schema *schema;
    static rows whole, less;
    if (schema == NULL) {
        require(sotto_schema_parse("fuzz", schema_text, sizeof schema_text - 1, &schema,
                                   NULL) == SOTTO_OK);
    }
    if (size < 2) return 0;
    const uint8_t *bytes = data + 1;
    size--;
    const size_t lines = count_lines(bytes, size);
    const size_t gone = data[0] % lines;
    size_t begin, end;
    find_line(bytes, size, gone, &begin, &end);
    read_rows(schema, bytes, size, 0, 0, &whole);
    read_rows(schema, bytes, size, begin, end, &less);
    require(whole.count == lines && less.count == lines - 1);
    for (size_t i = 0; i < less.count && i + 1 < ROWS_MAX; i++) {
        const size_t same = i < gone ? i : i + 1;
        require(memcmp(&less.rows[i], &whole.rows[same], sizeof less.rows[i]) == 0);
    }
    return 0;
}
