/* Any bytes after a header: every line is a row of values within their bounds, and taking one line
 * away takes one row away and changes no other. The first byte says which line. From 0x80 on the
 * bytes are the whole file, header and all, plain or gzip: refused, or read to the end. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdlib.h>

#include "data/source/source.h"
#include "lines.h"

enum { COLUMNS = 5, ROWS_MAX = 512 };

static const char schema_text[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 3}, \"target\": \"b\", \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2.5, \"upper\": 7},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9, \"time_unit\": "
    "\"day\"},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b,c\", \"d\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"}, {\"name\": \"id\", \"type\": \"id\"}]}";
static const char header[] = "id,c,b,x,k\n";

typedef struct rows {
    double values[ROWS_MAX][COLUMNS];
    size_t unit_bytes[ROWS_MAX];
    size_t count;
} rows;

static void check_record(const sotto_schema *schema, const sot_record *record,
                         size_t size)
{
    require(record->cells != NULL && record->indices == NULL);
    for (size_t i = 0; i < COLUMNS; i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        require(record->cells[i] >= column->lower && record->cells[i] <= column->upper);
        if (i > 0) require(record->cells[i] == floor(record->cells[i]));
    }
    require(record->unit != NULL && record->unit_bytes <= size);
}

static void read_rows(const sotto_schema *schema, const uint8_t *bytes, size_t size,
                      size_t cut_begin, size_t cut_end, rows *out)
{
    char path[PATH_BYTES];
    sot_source *source = NULL;
    const int file = open_bytes(header, bytes, size, cut_begin, cut_end, path);
    require(sot_source_open_file(path, schema, false, &source, NULL) == SOTTO_OK);
    for (out->count = 0;; out->count++) {
        sot_record record;
        bool more = true;
        require(sot_source_next(source, &record, &more, NULL) == SOTTO_OK);
        if (!more) break;
        check_record(schema, &record, size);
        if (out->count >= ROWS_MAX) continue;
        memcpy(out->values[out->count], record.cells, sizeof out->values[0]);
        out->unit_bytes[out->count] = record.unit_bytes;
    }
    sot_source_close(source);
    (void)close(file);
}

static void read_file(const sotto_schema *schema, bool without_target,
                      const uint8_t *bytes, size_t size)
{
    char path[PATH_BYTES];
    sot_source *source = NULL;
    sotto_error error;
    const int file = open_bytes("", bytes, size, 0, 0, path);
    sotto_status status =
        sot_source_open_file(path, schema, without_target, &source, &error);
    bool more = status == SOTTO_OK;
    /* SOTTO_INVALID_ARGUMENT: the header begins with the signature of another format. */
    require(more || status == SOTTO_PARSE || status == SOTTO_IO ||
            status == SOTTO_INVALID_ARGUMENT);
    while (more) {
        sot_record record;
        status = sot_source_next(source, &record, &more, &error);
        require(status == SOTTO_OK || status == SOTTO_IO); /* a damaged gzip file */
        if (status != SOTTO_OK) break;
        if (more) check_record(schema, &record, (size_t)1 << 21);
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
    if (data[0] >= 0x80) {
        read_file(schema, data[0] & 1, bytes, size);
        return 0;
    }
    const size_t lines = count_lines(bytes, size);
    read_rows(schema, bytes, size, 0, 0, &whole);
    require(whole.count == lines);
    if (lines > ROWS_MAX) return 0;

    const size_t gone = data[0] % lines;
    size_t begin, end;
    find_line(bytes, size, gone, &begin, &end);
    read_rows(schema, bytes, size, begin, end, &less);
    require(less.count == lines - 1);
    for (size_t i = 0; i < less.count; i++) {
        const size_t same = i < gone ? i : i + 1;
        require(memcmp(less.values[i], whole.values[same], sizeof less.values[i]) == 0);
        require(less.unit_bytes[i] == whole.unit_bytes[same]);
    }
    return 0;
}
