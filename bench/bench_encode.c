/* bench/bench_encode.c: records become features, one core.
 *
 *     bench_encode [SCHEMA]...
 *
 * Each line: {"bench": "encode", "schema": ..., "dimension": ..., "rows_per_second": ...,
 * "features_per_second": ..., "checked": true}. Records are drawn from the schema, kept, and
 * encoded again and again; every vector is checked once, in integers, against the norm bound. Without schemas a table of
 * the size of Adult and a matrix are made up. The time is processor time, the best of seven
 * rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/describe/sampler.h"
#include "data/encode/encode.h"

enum { ROWS = 20000, ROUNDS = 7, ENTRIES = 16 };

typedef struct kept {
    sot_record record;
    double *cells;
    uint32_t indices[ENTRIES];
    double values[ENTRIES];
} kept;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "bench_encode: %s\n", what);
    return 1;
}

static void keep(const sotto_schema *schema, const sot_record *drawn, kept *out)
{
    out->record = *drawn;
    if (sotto_schema_is_matrix(schema)) {
        memcpy(out->indices, drawn->indices, drawn->count * sizeof *out->indices);
        memcpy(out->values, drawn->values, drawn->count * sizeof *out->values);
        out->record.indices = out->indices;
        out->record.values = out->values;
        return;
    }
    const size_t size = sotto_schema_size(schema);
    out->cells = malloc((size + 1) * sizeof *out->cells);
    memcpy(out->cells, drawn->cells, size * sizeof *out->cells);
    out->record.cells = out->cells;
}

static int is_within(const sot_encoding *encoding, const sot_features *features)
{
    const int exponent = sot_encoding_exponent(encoding);
    const double radius = ldexp(sot_encoding_bound(encoding), -exponent);
    double squares = 0.0; /* of whole numbers, below 2^53: exact */
    for (size_t i = 0; i < features->count; i++) {
        const double units = ldexp((double)features->values[i], -exponent);
        if (units != trunc(units)) return 0;
        squares += units * units;
    }
    return squares <= nextafter(radius * radius, INFINITY);
}

static int bench(const char *path, const sotto_schema *schema, kept *rows, sotto_rng *rng)
{
    sotto_error error;
    sot_encoding *encoding;
    sot_sampler *sampler;
    if (sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error) != SOTTO_OK)
        return fail(error.message);
    if (sot_sampler_new(schema, NULL, rng, &sampler, &error) != SOTTO_OK)
        return fail(error.message);
    const size_t dimension = sot_encoding_dimension(encoding);
    sot_features features = {0, malloc(dimension * sizeof(uint32_t)),
                             malloc(dimension * sizeof(float))};
    int checked = 1;
    size_t written = 0;
    for (size_t i = 0; i < ROWS; i++) {
        sot_record drawn;
        sot_sampler_next(sampler, &drawn);
        keep(schema, &drawn, &rows[i]);
        sot_encode(encoding, &rows[i].record, &features);
        checked = checked && is_within(encoding, &features);
        written += features.count;
    }
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        size_t again = 0;
        const double begin = processor_seconds();
        for (size_t i = 0; i < ROWS; i++) {
            sot_encode(encoding, &rows[i].record, &features);
            again += features.count;
        }
        best = fmin(best, processor_seconds() - begin);
        checked = checked && again == written;
    }
    printf("{\"bench\": \"encode\", \"schema\": \"%s\", \"dimension\": %zu, "
           "\"rows_per_second\": %.4g, \"features_per_second\": %.4g, \"checked\": %s}\n",
           path, dimension, ROWS / best, (double)written / best,
           checked ? "true" : "false");
    for (size_t i = 0; i < ROWS; i++)
        free(rows[i].cells);
    memset(rows, 0, ROWS * sizeof *rows);
    free(features.indices);
    free(features.values);
    sot_sampler_free(sampler);
    sot_encoding_free(encoding);
    return checked ? 0 : 1;
}

/* Six numbers, eight categories, 107 features: the size of Adult. */
static sotto_status make_table(sotto_schema **out_schema, sotto_error *error)
{
    static const int values[] = {9, 16, 7, 15, 6, 5, 2, 42};
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"target\": \"y\", \"columns\": [{\"name\": "
                                   "\"y\", \"type\": \"boolean\"}");
    for (int i = 0; i < 5; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", {\"name\": \"n%d\", \"type\": \"number\", "
                                 "\"lower\": 0, \"upper\": %d}",
                                 i, 90 + i);
    for (int i = 0; i < 8; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", {\"name\": \"c%d\", \"type\": \"category\", "
                                 "\"values\": [\"0\"",
                                 i);
        for (int k = 1; k < values[i]; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, ", \"%d\"", k);
        used += (size_t)snprintf(text + used, sizeof text - used, "]}");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]}");
    return sotto_schema_parse("table", text, used, out_schema, error);
}

static sotto_status make_schema(const char *name, sotto_schema **out_schema,
                                sotto_error *error)
{
    static const char matrix[] =
        "{\"features\": 105, \"labels\": [-1, 1], \"row_norm\": {\"bound\": 1.0, "
        "\"rule\": \"scale\"}}";
    if (strcmp(name, "table") == 0) return make_table(out_schema, error);
    if (strcmp(name, "matrix") == 0)
        return sotto_schema_parse(name, matrix, sizeof matrix - 1, out_schema, error);
    return sotto_schema_load(name, out_schema, error);
}

int main(int argc, char **argv)
{
    static const char *const made_up[] = {"table", "matrix"};
    const int given = argc > 1 && strstr(argv[1], ".json") != NULL; /* not a directory */
    const int count = given ? argc - 1 : 2;
    int failed = 0;
    kept *rows = calloc(ROWS, sizeof *rows);
    if (rows == NULL) return fail("out of memory");
    for (int i = 0; i < count; i++) {
        const char *name = given ? argv[i + 1] : made_up[i];
        sotto_error error;
        sotto_schema *schema = NULL;
        sotto_rng *rng = NULL;
        if (make_schema(name, &schema, &error) != SOTTO_OK ||
            sotto_rng_new_for_test(1, &rng, &error) != SOTTO_OK) {
            failed = fail(error.message);
        } else {
            failed |= bench(name, schema, rows, rng);
        }
        sotto_rng_free(rng);
        sotto_schema_free(schema);
    }
    free(rows);
    return failed;
}
