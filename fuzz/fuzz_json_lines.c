/* Any bytes as JSON lines: every line is a row of values within their bounds, and taking one line away takes one row away and
 * changes no other. A line that base/json/json.h takes is not malformed. The first byte says which line goes. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "data/source/source.h"
#include "lines.h"

enum { COLUMNS = 5, ROWS_MAX = 256, ID_BYTES = 32 };

static const char schema_text[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 3}, \"target\": \"b\", \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2.5, \"upper\": 7},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b,c\", \"d\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"}, {\"name\": \"id\", \"type\": \"id\"}]}";

typedef struct row {
    double values[COLUMNS];
    char id[ID_BYTES];
    size_t id_bytes;
} row;

typedef struct rows {
    row rows[ROWS_MAX];
    size_t count;
} rows;

static void take(const sotto_schema *schema, const sot_record *record, row *out)
{
    *out = (row){.id_bytes = record->unit_bytes};
    require(record->cells != NULL && record->unit != NULL);
    for (size_t i = 0; i < COLUMNS; i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        require(record->cells[i] >= column->lower && record->cells[i] <= column->upper);
        out->values[i] = record->cells[i];
    }
    const size_t kept = record->unit_bytes < ID_BYTES ? record->unit_bytes : ID_BYTES;
    memcpy(out->id, record->unit, kept);
}

static void read_rows(const sotto_schema *schema, const uint8_t *bytes, size_t size,
                      size_t cut_begin, size_t cut_end, rows *out)
{
    char path[PATH_BYTES];
    sot_source *source = NULL;
    const int file = open_bytes("", bytes, size, cut_begin, cut_end, path);
    const sotto_data_file declared = {.path = path, .format = "jsonl"};
    require(sot_source_open(&declared, schema, false, &source, NULL) == SOTTO_OK);
    for (out->count = 0;; out->count++) {
        sot_record record;
        bool more = true;
        row spare;
        require(sot_source_next(source, &record, &more, NULL) == SOTTO_OK);
        if (!more) break;
        take(schema, &record, out->count < ROWS_MAX ? &out->rows[out->count] : &spare);
    }
    sot_source_close(source);
    (void)close(file);
}

/* A line with a number x, and what base/json/json.h makes of it. */
static void compare_parsers(const uint8_t *line, size_t size, const row *read)
{
    sot_json *document = NULL;
    double number;
    if (sot_json_parse(NULL, (const char *)line, size, size, &document, NULL) != SOTTO_OK)
        return;
    const sot_json_value root = sot_json_root(document);
    sot_json_value member;
    if (sot_json_kind_of(&root) == SOT_JSON_OBJECT &&
        sot_json_member(&root, "x", &member) &&
        (sot_json_kind_of(&member) == SOT_JSON_REAL ||
         sot_json_kind_of(&member) == SOT_JSON_INTEGER) &&
        sot_json_as_double(&member, &number, NULL) == SOTTO_OK)
        require(read->values[0] == fmin(fmax(number, -2.5), 7.0));
    sot_json_free(document);
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
    if (gone < ROWS_MAX) compare_parsers(bytes + begin, end - begin, &whole.rows[gone]);
    return 0;
}
