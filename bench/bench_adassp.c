/* Private least squares: AdaSSP as published against ours, on the same encoded rows.
 *
 *     bench_adassp DATA     DATA has bike-sharing/ and uci-regression/ (CSV, gzip)
 *
 * The published algorithm (Wang, UAI 2018, Alg. 2) is written out below from the paper: three releases at
 * epsilon/3 and delta/3 each, noise of one scale on and off the diagonal. It is given the rows that the
 * schema's encoding makes, their norm bound R, targets in [-1, 1], and doubles from an ordinary generator: a
 * reference for accuracy, no private program. Both are asked for the same (epsilon, delta) under
 * add-remove; predictions are cut to the target's bounds for both; mean squared errors are of targets
 * scaled to [-1, 1], on the test rows, over 40 runs. A case passes if our mean is at or below the published one's. One JSON line a
 * case; exits 1 if a case fails. Without DATA only the timing runs: exact second moments of 1e5 and 1e6 rows of
 * 50 features, against a plain loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sotto/model.h>
#include <sotto/rng.h>
#include <sotto/train.h>

#include "data/batches/matrix.h"
#include "models/linear/rows/gram.h"
#include "models/linear/rows/least_eigenvalue.h"

enum { RUNS = 40, PATH_BYTES = 512, COLUMNS_MOST = 32 };

typedef struct dataset {
    const char *name, *train, *test;
    const char *schema;
} dataset;

#define NUMBER(name, lower, upper)                                                       \
    "{\"name\": \"" name "\", \"type\": \"number\", \"lower\": " #lower                  \
    ", \"upper\": " #upper "}"
#define IGNORED(name) "{\"name\": \"" name "\", \"type\": \"ignore\"}"
#define UNIT_ROWS     "\"row_norm\": {\"bound\": 1, \"rule\": \"scale\"}, \"columns\": ["

static const dataset datasets[] =
    {
        {"bike", "bike-sharing/bike-train.csv.gz", "bike-sharing/bike-test.csv.gz",
         "{\"dataset\": \"bike\", \"target\": \"cnt\", " UNIT_ROWS
             IGNORED("instant") ", " IGNORED("dteday") ", " NUMBER("season", 1,
                                                                   4) ", " NUMBER("yr",
                                                                                  0, 1) ", " NUMBER("mnth", 1, 12) ", " NUMBER("hr", 0, 23) ", " NUMBER("holiday", 0, 1) ", " NUMBER("weekday", 0, 6) ", " NUMBER("workingday", 0, 1) ", " NUMBER("weathersit", 1, 4) ", " NUMBER("temp",
                                                                                                                                                                                                                                                                                  0,
                                                                                                                                                                                                                                                                                  1) ", " NUMBER("atemp", 0, 1) ", " NUMBER("hum",
                                                                                                                                                                                                                                                                                                                            0,
                                                                                                                                                                                                                                                                                                                            1) ", " NUMBER("windspeed",
                                                                                                                                                                                                                                                                                                                                           0, 1) ", " IGNORED("casual") ", " IGNORED("registered") ", " NUMBER("cnt",
                                                                                                                                                                                                                                                                                                                                                                                                               0,
                                                                                                                                                                                                                                                                                                                                                                                                               1000) "]}"},
        {"protein", "uci-regression/protein-train.csv.gz",
         "uci-regression/protein-test.csv.gz",
         "{\"dataset\": \"protein\", \"target\": \"RMSD\", " UNIT_ROWS
             NUMBER("RMSD", 0, 21) ", " NUMBER("F1", 0, 40000) ", " NUMBER("F2", 0, 16000) ", " NUMBER("F3", 0, 0.6) ", " NUMBER(
                 "F4", 0,
                 400) ", " NUMBER("F5", 0,
                                  5500000) ", " NUMBER("F6", 0,
                                                       600) ", " NUMBER("F7", 0,
                                                                        60000) ","
                                                                               " " NUMBER("F8", 0, 350) ", " NUMBER(
                                                                                   "F9",
                                                                                   0,
                                                                                   60) "]"
                                                                                       "}"},
        {"airfoil", "uci-regression/airfoil-train.csv.gz",
         "uci-regression/airfoil-test.csv.gz",
         "{\"dataset\": \"airfoil\", \"target\": \"sound_level_db\", " UNIT_ROWS
             NUMBER("frequency_hz", 0, 20000) ", " NUMBER(
                 "angle_of_attack_deg", 0,
                 25) ", " NUMBER("chord_m", 0,
                                 0.4) ", " NUMBER("velocity_m_per_s", 0,
                                                  100) ", " NUMBER("displacement_"
                                                                   "thickness_m",
                                                                   0,
                                                                   0.06) ", " NUMBER("sou"
                                                                                     "nd_"
                                                                                     "lev"
                                                                                     "el_"
                                                                                     "db",
                                                                                     100,
                                                                                     145) "]}"},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the published algorithm ---- */

typedef struct moments {
    size_t columns;
    double bound; /* R */
    double a[COLUMNS_MOST * COLUMNS_MOST];
    double v[COLUMNS_MOST];
} moments;

static double uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

static double normal(uint64_t *state)
{
    const double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* Gauss with pivots: the matrix need not be positive definite. */
static void solve(double *a, size_t n, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (size_t j = 0; j < n; j++) {
            const double kept = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

static sotto_status published(const moments *of, double epsilon, double delta,
                              uint64_t seed, double *out_theta, sotto_error *error)
{
    double least, noisy[COLUMNS_MOST * COLUMNS_MOST];
    const size_t d = of->columns;
    const double square = of->bound * of->bound, third = epsilon / 3.0;
    const double scale = sqrt(log(6.0 / delta)) / third;
    uint64_t state = seed;
    const sotto_status status =
        sot_least_eigenvalue(of->a, d, 0.0, 1e-6 * square, &least, error);
    if (status != SOTTO_OK) return status;
    const double there = fmax(0.0, least + scale * square * normal(&state) -
                                       square * log(6.0 / delta) / third);
    const double lambda =
        fmax(0.0, scale * square * sqrt((double)d * log(2.0 * (double)(d * d) / 0.05)) -
                      there);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double noise = scale * square * normal(&state);
            noisy[i * d + j] = of->a[i * d + j] + noise + (i == j ? lambda : 0.0);
            noisy[j * d + i] = noisy[i * d + j];
        }
        out_theta[i] = of->v[i] + scale * of->bound * normal(&state); /* |y| <= 1 */
    }
    solve(noisy, d, out_theta);
    return SOTTO_OK;
}

/* ---- the rows ---- */

typedef struct tables {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_matrix *train, *test;
} tables;

static void free_tables(tables *of)
{
    sot_matrix_free(of->train);
    sot_matrix_free(of->test);
    sot_encoding_free(of->encoding);
    sotto_schema_free(of->schema);
}

static sotto_status load(const tables *of, const char *path, sot_matrix **out,
                         sotto_error *error)
{
    sot_source *source = NULL;
    sotto_rng *rng = NULL;
    sotto_status status = sotto_rng_new_for_test(1, &rng, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(path, of->schema, false, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, of->schema, of->encoding, rng, out, error);
    sot_source_close(source);
    sotto_rng_free(rng);
    return status;
}

static double feature(const sot_matrix *matrix, size_t row, size_t column)
{
    if (matrix->dense != NULL)
        return (double)matrix->dense[row * matrix->stride + column];
    for (uint64_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
        if (matrix->indices[k] == column) return (double)matrix->values[k];
    return 0.0;
}

static moments moments_of(const tables *of)
{
    moments sums = {.columns = of->train->columns,
                    .bound = sot_encoding_bound(of->encoding)};
    const size_t d = sums.columns;
    for (size_t i = 0; i < of->train->rows; i++) {
        double x[COLUMNS_MOST];
        for (size_t j = 0; j < d; j++)
            x[j] = feature(of->train, i, j);
        for (size_t j = 0; j < d; j++) {
            sums.v[j] += of->train->labels[i] * x[j];
            for (size_t k = 0; k < d; k++)
                sums.a[j * d + k] += x[j] * x[k];
        }
    }
    return sums;
}

static double mean_squared_error(const sot_matrix *test, const double *theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < test->rows; i++) {
        double u = 0.0;
        for (size_t j = 0; j < test->columns; j++)
            u += theta[j] * feature(test, i, j);
        const double residual = fmin(1.0, fmax(-1.0, u)) - test->labels[i];
        sum += residual * residual;
    }
    return sum / (double)test->rows;
}

/* ---- ours: the public library, from the file to a model ---- */

static sotto_status ours(const char *path, const tables *of, sotto_method method,
                         double epsilon, double delta, uint64_t seed, double *out_theta,
                         sotto_error *error)
{
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LINEAR;
    config.method = method;
    config.epsilon = epsilon;
    config.delta = delta;
    config.insecure_test = true;
    config.test_seed = seed;
    sotto_status status = sotto_train_data(
        &config, of->schema, &(const sotto_data_file){.path = path}, &result, error);
    if (status == SOTTO_OK) {
        const char *json = sotto_train_json(result);
        status = sotto_model_parse("model", json, strlen(json), &model, error);
    }
    for (size_t j = 0; status == SOTTO_OK && j < of->train->columns; j++)
        out_theta[j] = sotto_model_coefficient(model, j);
    sotto_model_free(model);
    sotto_train_free(result);
    return status;
}

/* ---- one case ---- */

typedef struct summary {
    double mean, error;
} summary;

static summary summarise(const double *values)
{
    summary of = {0.0, 0.0};
    for (int i = 0; i < RUNS; i++)
        of.mean += values[i] / RUNS;
    for (int i = 0; i < RUNS; i++)
        of.error += (values[i] - of.mean) * (values[i] - of.mean);
    of.error = sqrt(of.error / (RUNS - 1) / RUNS);
    return of;
}

static bool print(const dataset *data, double epsilon, double delta, double plain,
                  const summary *found)
{
    const bool passed = found[1].mean <= found[0].mean;
    printf("{\"bench\": \"adassp\", \"data\": \"%s\", \"epsilon\": %g, \"delta\": %g, "
           "\"runs\": %d, \"mse_without_noise\": %.5f, \"mse_published\": %.5f, "
           "\"error_published\": %.5f, \"mse_adassp\": %.5f, \"error_adassp\": %.5f, "
           "\"mse_statistics\": %.5f, \"error_statistics\": %.5f, \"passed\": %s}\n",
           data->name, epsilon, delta, RUNS, plain, found[0].mean, found[0].error,
           found[1].mean, found[1].error, found[2].mean, found[2].error,
           passed ? "true" : "false");
    (void)fflush(stdout);
    return passed;
}

static sotto_status run_case(const dataset *data, const char *path, const tables *of,
                             const moments *sums, double epsilon, bool *out_passed,
                             sotto_error *error)
{
    const double delta = 1e-6;
    double mse[3][RUNS], theta[COLUMNS_MOST], copy[COLUMNS_MOST * COLUMNS_MOST];
    summary found[3];
    sotto_status status = SOTTO_OK;
    for (uint64_t seed = 0; seed < RUNS && status == SOTTO_OK; seed++) {
        status = published(sums, epsilon, delta, 1000 + seed, theta, error);
        mse[0][seed] = mean_squared_error(of->test, theta);
        if (status == SOTTO_OK)
            status =
                ours(path, of, SOTTO_METHOD_ADASSP, epsilon, delta, seed, theta, error);
        mse[1][seed] = mean_squared_error(of->test, theta);
        if (status == SOTTO_OK)
            status = ours(path, of, SOTTO_METHOD_STATISTICS, epsilon, delta, seed, theta,
                          error);
        mse[2][seed] = mean_squared_error(of->test, theta);
    }
    if (status != SOTTO_OK) return status;
    for (int i = 0; i < 3; i++)
        found[i] = summarise(mse[i]);
    memcpy(copy, sums->a, sizeof copy);
    memcpy(theta, sums->v, sizeof theta);
    solve(copy, sums->columns, theta);
    *out_passed = print(data, epsilon, delta, mean_squared_error(of->test, theta), found);
    return SOTTO_OK;
}

static int run_dataset(const dataset *data, const char *directory)
{
    static const double epsilons[] = {0.1, 0.5, 1.0, 2.0};
    char train[PATH_BYTES], test[PATH_BYTES];
    sotto_error error = {0};
    tables of = {0};
    int failures = 0;
    (void)snprintf(train, sizeof train, "%s/%s", directory, data->train);
    (void)snprintf(test, sizeof test, "%s/%s", directory, data->test);
    sotto_status status = sotto_schema_parse(data->name, data->schema,
                                             strlen(data->schema), &of.schema, &error);
    if (status == SOTTO_OK)
        status =
            sot_encoding_new(of.schema, NULL, SOT_TARGET_NUMBER, &of.encoding, &error);
    if (status == SOTTO_OK) status = load(&of, train, &of.train, &error);
    if (status == SOTTO_OK) status = load(&of, test, &of.test, &error);
    if (status == SOTTO_OK) {
        const moments sums = moments_of(&of);
        for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
            bool passed = false;
            if (status == SOTTO_OK)
                status = run_case(data, train, &of, &sums, epsilons[i], &passed, &error);
            if (!passed) failures++;
        }
    }
    if (status != SOTTO_OK) fprintf(stderr, "bench_adassp: %s\n", error.message);
    free_tables(&of);
    return status == SOTTO_OK ? failures : 1;
}

/* ---- time ---- */

static bool check_against_loop(const sot_matrix *matrix, double per_unit,
                               const int64_t *sums)
{
    const size_t size = matrix->columns;
    int64_t *expected = calloc(size * size, sizeof *expected);
    if (expected == NULL) return false;
    for (size_t i = 0; i < matrix->rows; i++) {
        const float *x = matrix->dense + i * matrix->stride;
        for (size_t a = 0; a < size; a++) {
            const int64_t left = (int64_t)trunc((double)x[a] * per_unit);
            for (size_t b = 0; b < size; b++)
                expected[a * size + b] += left * (int64_t)trunc((double)x[b] * per_unit);
        }
    }
    const bool equal = memcmp(expected, sums, size * size * sizeof *sums) == 0;
    free(expected);
    return equal;
}

static int time_gram(size_t rows)
{
    enum { COLUMNS = 50, STRIDE = 64, ROUNDS = 5 };
    int64_t sums[COLUMNS * COLUMNS];
    sotto_error error;
    uint64_t state = 3;
    double fastest = (double)INFINITY;
    sot_matrix matrix = {.rows = rows, .columns = COLUMNS, .stride = STRIDE};
    matrix.dense = aligned_alloc(64, rows * STRIDE * sizeof(float));
    matrix.labels = calloc(rows, sizeof(double));
    if (matrix.dense == NULL || matrix.labels == NULL) return 1;
    for (size_t i = 0; i < rows * STRIDE; i++)
        matrix.dense[i] =
            i % STRIDE < COLUMNS ? (float)(0.14 * (2.0 * uniform(&state) - 1.0)) : 0.0f;
    const sot_gram gram = {.per_unit = 0x1p15};
    sotto_status status = SOTTO_OK;
    for (int round = 0; round < ROUNDS && status == SOTTO_OK; round++) {
        memset(sums, 0, sizeof sums);
        const double started = seconds();
        status = sot_gram_add(&gram, &matrix, NULL, sums, &error);
        fastest = fmin(fastest, seconds() - started);
    }
    const bool exact = check_against_loop(&matrix, gram.per_unit, sums);
    printf("{\"bench\": \"gram\", \"rows\": %zu, \"columns\": %d, \"threads\": 1, "
           "\"seconds\": "
           "%.4f, \"nanoseconds_a_row\": %.0f, \"exact\": %s}\n",
           rows, (int)COLUMNS, fastest, 1e9 * fastest / (double)rows,
           exact ? "true" : "false");
    free(matrix.dense);
    free(matrix.labels);
    return status == SOTTO_OK && exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    int failures = time_gram(100000) + time_gram(1000000);
    if (argc < 2) {
        printf(
            "{\"bench\": \"adassp\", \"skipped\": \"needs a directory with bike-sharing "
            "and uci-regression\"}\n");
        return failures == 0 ? 0 : 1;
    }
    for (size_t i = 0; i < sizeof datasets / sizeof datasets[0]; i++)
        failures += run_dataset(&datasets[i], argv[1]);
    return failures == 0 ? 0 : 1;
}
