/* bench/bench_csv.c: reading records, one core.
 *
 *     bench_csv [SCHEMA DATA]...
 *
 * Each line: {"bench": ..., "megabytes": ..., "megabytes_per_second": ..., "of_newline_scan": ...,
 * "checked": true}. Tables are made up, written to memory and read through the reader of the
 * library; every cell is checked against the number that was written. `of_newline_scan` is the
 * speed as a share of looking for line feeds alone, with memchr(), in the same bytes. With
 * arguments the files are read, and then loaded into matrices: megabytes are those of the text,
 * unpacked.
 * The time is processor time, the best of seven rounds. */
#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "data/batches/matrix.h"
#include "data/readers/csv/csv.h"

enum { COLUMNS = 16, ROWS = 60000, ROUNDS = 7, ROW_BYTES = COLUMNS * 40 };

typedef struct table {
    const char *name;
    const char *column; /* the JSON of its type, for every column */
    /* Writes a cell and says which number must be read from it. */
    double (*write)(uint64_t random, char *text, size_t size_bytes);
} table;

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double write_decimals(uint64_t random, char *text, size_t size_bytes)
{
    const double value = (double)(random >> 11) * 0x1p-52 - 1.0;
    snprintf(text, size_bytes, "%.6f", value);
    return strtod(text, NULL);
}

static double write_all_digits(uint64_t random, char *text, size_t size_bytes)
{
    const double value = (double)(random >> 11) * 0x1p-52 - 1.0;
    snprintf(text, size_bytes, "%.17g", value);
    return value;
}

static double write_integers(uint64_t random, char *text, size_t size_bytes)
{
    const uint64_t value = random % (random >> 32 & 1 ? 100 : 100000);
    snprintf(text, size_bytes, "%llu", (unsigned long long)value);
    return (double)value;
}

static const char *const towns[] = {"Malmo", "Ystad", "Simrishamn", "Lund", "Hoor"};

static double write_categories(uint64_t random, char *text, size_t size_bytes)
{
    const size_t place = (size_t)(random % 5);
    snprintf(text, size_bytes, "%s", towns[place]);
    return (double)place;
}

static const table tables[] = {
    {"csv_six_decimals", "\"type\": \"number\", \"lower\": -2, \"upper\": 2",
     write_decimals},
    {"csv_seventeen_digits", "\"type\": \"number\", \"lower\": -2, \"upper\": 2",
     write_all_digits},
    {"csv_integers", "\"type\": \"integer\", \"lower\": 0, \"upper\": 100000",
     write_integers},
    {"csv_categories",
     "\"type\": \"category\", \"values\": [\"Malmo\", \"Ystad\", \"Simrishamn\", "
     "\"Lund\", \"Hoor\"]",
     write_categories},
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sotto_schema *make_schema(const char *column)
{
    static char text[COLUMNS * 200];
    sotto_schema *schema = NULL;
    size_t used = (size_t)snprintf(text, sizeof text, "{\"columns\": [");
    for (int i = 0; i < COLUMNS; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s{\"name\": \"c%d\", %s}",
                             i > 0 ? "," : "", i, column);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]}");
    if (sotto_schema_parse("bench", text, used, &schema, NULL) != SOTTO_OK) return NULL;
    return schema;
}

/* Header and rows; fills `numbers`, one a cell. */
static size_t write_table(const table *self, char *text, double *numbers)
{
    uint64_t stream = 4711;
    size_t used = 0;
    for (int i = 0; i < COLUMNS; i++)
        used += (size_t)sprintf(text + used, "%sc%d", i > 0 ? "," : "", i);
    for (size_t row = 0; row < ROWS; row++) {
        text[used++] = '\n';
        for (size_t i = 0; i < COLUMNS; i++) {
            if (i > 0) text[used++] = ',';
            *numbers++ = self->write(next_bits(&stream), text + used, 40);
            used += strlen(text + used);
        }
    }
    text[used++] = '\n';
    return used;
}

/* Reads the file; compares with `numbers` unless it is NULL. */
static bool read_table(const char *path, const sotto_schema *schema,
                       const double *numbers)
{
    sot_csv *csv = NULL;
    double values[COLUMNS];
    bool more = true;
    bool right = true;
    size_t rows = 0;
    if (sot_csv_open(path, ',', schema, false, &csv, NULL) != SOTTO_OK) return false;
    for (;; rows++) {
        if (sot_csv_next(csv, values, &more, NULL) != SOTTO_OK) right = false;
        if (!right || !more) break;
        if (numbers != NULL &&
            memcmp(values, numbers + rows * COLUMNS, sizeof values) != 0)
            right = false;
    }
    sot_csv_close(csv);
    return right && rows == ROWS;
}

static double scan_seconds(const char *text, size_t size_bytes)
{
    double best = (double)INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        size_t lines = 0;
        const double begin = processor_seconds();
        for (const char *at = text; at < text + size_bytes; at++, lines++)
            at = memchr(at, '\n', (size_t)(text + size_bytes - at));
        if (lines != ROWS + 1) return (double)NAN;
        best = fmin(best, processor_seconds() - begin);
    }
    return best;
}

static bool run(const table *self, char *text, double *numbers)
{
    char path[64];
    sotto_schema *schema = make_schema(self->column);
    const int file = memfd_create("bench", 0);
    if (schema == NULL || file < 0) return false;
    const size_t size_bytes = write_table(self, text, numbers);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, text, size_bytes) != (ssize_t)size_bytes) return false;
    const bool checked = read_table(path, schema, numbers);
    double best = (double)INFINITY;
    for (int round = 0; round < ROUNDS && checked; round++) {
        const double begin = processor_seconds();
        if (!read_table(path, schema, NULL)) return false;
        best = fmin(best, processor_seconds() - begin);
    }
    printf("{\"bench\": \"%s\", \"megabytes\": %.4g, \"megabytes_per_second\": %.4g, "
           "\"of_newline_scan\": %.3g, \"checked\": %s}\n",
           self->name, 1e-6 * (double)size_bytes, 1e-6 * (double)size_bytes / best,
           scan_seconds(text, size_bytes) / best, checked ? "true" : "false");
    (void)close(file);
    sotto_schema_free(schema);
    return checked;
}

/* ---- files ---- */

/* Bytes and lines of the text. */
static bool measure(const char *path, double *out_bytes, size_t *out_lines)
{
    static char block[1 << 16];
    gzFile file = gzopen(path, "rb");
    if (file == NULL) return false;
    int got;
    *out_bytes = 0.0;
    *out_lines = 0;
    while ((got = gzread(file, block, sizeof block)) > 0) {
        *out_bytes += got;
        for (int i = 0; i < got; i++)
            *out_lines += block[i] == '\n';
    }
    return gzclose(file) == Z_OK && got == 0;
}

/* Every record, and nothing done with it. */
static bool read_records(const char *path, const sotto_schema *schema, size_t *out_rows)
{
    sot_source *source = NULL;
    bool more = true;
    bool right = sot_source_open_file(path, schema, false, &source, NULL) == SOTTO_OK;
    for (*out_rows = 0; right && more; *out_rows += more) {
        sot_record record;
        right = sot_source_next(source, &record, &more, NULL) == SOTTO_OK;
    }
    sot_source_close(source);
    return right;
}

static bool load(const char *path, const sotto_schema *schema,
                 const sot_encoding *encoding, sotto_rng *rng, sot_matrix **out_matrix,
                 sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_source_open_file(path, schema, false, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, schema, encoding, rng, out_matrix, error);
    sot_source_close(source);
    return status == SOTTO_OK;
}

static bool run_file(const char *schema_path, const char *path)
{
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sot_encoding *encoding = NULL;
    sotto_rng *rng = NULL;
    double bytes = 0.0;
    size_t lines = 0;
    bool right = sotto_schema_load(schema_path, &schema, &error) == SOTTO_OK &&
                 sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error) ==
                     SOTTO_OK &&
                 sotto_rng_new(&rng, &error) == SOTTO_OK && measure(path, &bytes, &lines);
    const size_t header = right && !sotto_schema_is_matrix(schema) ? 1 : 0;
    double best = (double)INFINITY;
    double best_read = (double)INFINITY;
    for (int round = 0; round < ROUNDS && right; round++) {
        size_t rows = 0;
        const double begin = processor_seconds();
        right = read_records(path, schema, &rows) && rows + header == lines;
        best_read = fmin(best_read, processor_seconds() - begin);
    }
    for (int round = 0; round < ROUNDS && right; round++) {
        sot_matrix *matrix = NULL;
        const double begin = processor_seconds();
        right = load(path, schema, encoding, rng, &matrix, &error);
        best = fmin(best, processor_seconds() - begin);
        if (right && sotto_schema_unit_rows(schema) == 0)
            right = matrix->rows + header == lines;
        sot_matrix_free(matrix);
    }
    if (!right) fprintf(stderr, "%s: %s\n", path, error.message);
    printf("{\"bench\": \"load\", \"file\": \"%s\", \"megabytes\": %.4g, "
           "\"read_megabytes_per_second\": %.4g, \"megabytes_per_second\": %.4g, "
           "\"seconds\": %.4g, \"checked\": %s}\n",
           path, 1e-6 * bytes, 1e-6 * bytes / best_read, 1e-6 * bytes / best, best,
           right ? "true" : "false");
    sotto_rng_free(rng);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    return right;
}

int main(int count, char **arguments)
{
    bool right = true;
    char *text = malloc((size_t)ROWS * ROW_BYTES);
    double *numbers = malloc((size_t)ROWS * COLUMNS * sizeof *numbers);
    if (text == NULL || numbers == NULL) return 1;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && count < 3; i++)
        right &= run(&tables[i], text, numbers);
    for (int i = 1; i + 1 < count; i += 2)
        right &= run_file(arguments[i], arguments[i + 1]);
    free(numbers);
    free(text);
    return right ? 0 : 1;
}
