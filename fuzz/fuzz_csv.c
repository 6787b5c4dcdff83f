/* Any bytes after a header: every line is a row of values within their bounds, and taking one line
 * away takes one row away and changes no other. The first byte says which line. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/csv.h"
#include "require.h"

enum { COLUMNS = 5, ROWS_MAX = 512 };

static const char schema_text[] =
    "{\"columns\": [{\"name\": \"x\", \"type\": \"number\", \"lower\": -2.5, \"upper\": "
    "7},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b,c\", \"d\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"}, {\"name\": \"id\", \"type\": \"id\"}]}";
static const char header[] = "id,c,b,x,k\n";

typedef struct rows {
    double values[ROWS_MAX][COLUMNS];
    size_t count;
} rows;

static void read_rows(const sotto_schema *schema, const uint8_t *bytes, size_t size,
                      size_t cut_begin, size_t cut_end, rows *out)
{
    char path[64];
    const int file = memfd_create("fuzz", 0);
    require(file >= 0);
    require(write(file, header, sizeof header - 1) == (ssize_t)(sizeof header - 1));
    require(write(file, bytes, cut_begin) == (ssize_t)cut_begin);
    require(write(file, bytes + cut_end, size - cut_end) == (ssize_t)(size - cut_end));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sot_csv *csv;
    require(sot_csv_open(path, schema, false, &csv, NULL) == SOTTO_OK);
    bool more = true;
    for (out->count = 0; more; out->count++) {
        double values[COLUMNS];
        size_t id_bytes;
        require(sot_csv_next(csv, values, &more, NULL) == SOTTO_OK);
        if (!more) break;
        for (size_t i = 0; i < COLUMNS; i++) {
            const sotto_column *column = sotto_schema_column(schema, i);
            require(values[i] >= column->lower && values[i] <= column->upper);
            if (i > 0) require(values[i] == floor(values[i]));
        }
        require(sot_csv_id(csv, 4, &id_bytes) != NULL && id_bytes <= size);
        if (out->count < ROWS_MAX) memcpy(out->values[out->count], values, sizeof values);
    }
    sot_csv_close(csv);
    (void)close(file);
}

/* Begin and end of line `number`, its newline included. */
static void find_line(const uint8_t *bytes, size_t size, size_t number, size_t *out_begin,
                      size_t *out_end)
{
    size_t begin = 0;
    for (size_t i = 0; i < number; i++)
        begin =
            (size_t)((const uint8_t *)memchr(bytes + begin, '\n', size - begin) - bytes) +
            1;
    const uint8_t *newline = memchr(bytes + begin, '\n', size - begin);
    *out_begin = begin;
    *out_end = newline == NULL ? size : (size_t)(newline - bytes) + 1;
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
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    lines += bytes[size - 1] != '\n';
    read_rows(schema, bytes, size, 0, 0, &whole);
    require(whole.count == lines);
    if (lines > ROWS_MAX) return 0;

    const size_t gone = data[0] % lines;
    size_t begin, end;
    find_line(bytes, size, gone, &begin, &end);
    read_rows(schema, bytes, size, begin, end, &less);
    require(less.count == lines - 1);
    for (size_t i = 0; i < less.count; i++) {
        require(memcmp(less.values[i], whole.values[i < gone ? i : i + 1],
                       sizeof less.values[i]) == 0);
    }
    return 0;
}
