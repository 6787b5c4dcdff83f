/* bench/bench_rows.c: time and memory of a training against the number of rows.
 *
 *     bench_rows [ROWS...]      default: 1e5 1e6 1e7; words that are no number do not count
 *
 * Made-up rows of 50 features are written as NPY of 4-byte floats into TMPDIR, or /tmp (200 bytes a
 * row, removed again), and a logistic model is trained by three steps of noisy gradient descent: with all rows in
 * memory, and as a stream. Each training is a process of its own; its peak memory is what the
 * kernel says (ru_maxrss). A line each:
 *
 *     {"bench": "rows", "rows": ..., "stream": ..., "seconds": ..., "user_seconds": ...,
 *      "system_seconds": ..., "microseconds_per_row": ... (of user_seconds),
 *      "peak_mebibytes": ..., "bytes_per_row": ..., "checked": ...}
 *
 * Checked: the stream's model has the bits of the other one; from the second number of rows on, the
 * process's own time (user_seconds: what the kernel takes to find memory is the machine's) and memory a row are within 1.5 and 1.1 times those of the number before, beyond the 32 MiB of any
 * process; and the stream takes at most 64 MiB whatever the rows. Exits 1 if anything is not. */
#define _GNU_SOURCE /* wait4 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sotto/train.h>

enum { FEATURES = 50, STEPS = 3, PATH_BYTES = 512, MODEL_BYTES = 8192, RUNS_MAX = 16 };

/* What one training cost. */
typedef struct run_cost {
    double seconds, user_seconds, system_seconds, peak_bytes;
    char model[MODEL_BYTES]; /* its coefficients */
} run_cost;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- the files ---- */

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool write_header(FILE *file, const char *kind, const char *shape)
{
    char text[118 + 1]; /* 128 bytes with what stands before */
    const int used =
        snprintf(text, sizeof text,
                 "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape);
    if (used < 0 || used > 117) return false;
    memset(text + used, ' ', 117 - (size_t)used);
    text[117] = '\n';
    return fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file) == 10 &&
           fwrite(text, 1, 118, file) == 118;
}

/* Features uniform in [-1, 1); the label says whether the first ten sum up to more than 0. */
static bool write_rows(const char *features, const char *labels, uint64_t rows)
{
    char shape[64];
    uint64_t stream = 20261116;
    FILE *x = fopen(features, "wb");
    FILE *y = fopen(labels, "wb");
    bool fine = x != NULL && y != NULL;
    (void)snprintf(shape, sizeof shape, "(%llu, %d)", (unsigned long long)rows, FEATURES);
    fine = fine && write_header(x, "<f4", shape);
    (void)snprintf(shape, sizeof shape, "(%llu,)", (unsigned long long)rows);
    fine = fine && write_header(y, "|u1", shape);
    for (uint64_t row = 0; fine && row < rows; row++) {
        float numbers[FEATURES];
        float sum = 0.0f;
        for (size_t i = 0; i < FEATURES; i += 2) {
            const uint64_t bits = next_bits(&stream);
            numbers[i] = (float)(int32_t)(uint32_t)bits * 0x1p-31f;
            numbers[i + 1] = (float)(int32_t)(uint32_t)(bits >> 32) * 0x1p-31f;
        }
        for (size_t i = 0; i < 10; i++)
            sum += numbers[i];
        const unsigned char label = sum > 0.0f;
        fine = fwrite(numbers, sizeof numbers[0], FEATURES, x) == FEATURES &&
               fwrite(&label, 1, 1, y) == 1;
    }
    if (x != NULL) fine = fclose(x) == 0 && fine;
    if (y != NULL) fine = fclose(y) == 0 && fine;
    return fine;
}

/* ---- one training ---- */

static const char schema_text[] = "{\"features\": 50, \"labels\": [0, 1], \"row_norm\": "
                                  "{\"bound\": 4.0, \"rule\": \"clip\"}}";

/* In the child: trains, and writes the coefficients into the pipe. */
static int train(const sotto_data_file *file, uint64_t rows, bool stream, int out)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_GD;
    config.steps = STEPS;
    config.epsilon = 1.0;
    config.delta = 1e-8;
    config.expected_rows = rows;
    config.insecure_test = true;
    config.test_seed = 1;
    config.stream = stream;
    sotto_status status =
        sotto_schema_parse("bench", schema_text, strlen(schema_text), &schema, &error);
    if (status == SOTTO_OK)
        status = sotto_train_data(&config, schema, file, &result, &error);
    if (status != SOTTO_OK) {
        (void)fprintf(stderr, "bench_rows: %s\n", error.message);
        return 1;
    }
    const char *begin = strstr(sotto_train_json(result), "\"coefficients\"");
    const size_t size = (size_t)(strchr(begin, ']') - begin);
    const bool fine = size < MODEL_BYTES && write(out, begin, size) == (ssize_t)size;
    sotto_train_free(result);
    sotto_schema_free(schema);
    return fine ? 0 : 1;
}

static bool measure(const sotto_data_file *file, uint64_t rows, bool stream,
                    run_cost *out_cost)
{
    int ends[2];
    int code = 1;
    struct rusage usage;
    size_t used = 0;
    ssize_t got = 1;
    *out_cost = (run_cost){.seconds = 0.0};
    if (pipe(ends) != 0) return false;
    const double started = now();
    const pid_t child = fork();
    if (child == 0) _exit(train(file, rows, stream, ends[1]));
    (void)close(ends[1]);
    while (child > 0 && got > 0 && used + 1 < MODEL_BYTES) {
        got = read(ends[0], out_cost->model + used, MODEL_BYTES - 1 - used);
        if (got > 0) used += (size_t)got;
    }
    (void)close(ends[0]);
    if (child < 0 || wait4(child, &code, 0, &usage) != child) return false;
    out_cost->seconds = now() - started;
    out_cost->user_seconds =
        (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
    out_cost->system_seconds =
        (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
    out_cost->peak_bytes = 1024.0 * (double)usage.ru_maxrss;
    return WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

/* ---- all of them ---- */

static const double process_bytes = 32.0 * 0x1p20;
static const double stream_bytes_most = 64.0 * 0x1p20;

/* Time and memory a row, beyond what any process takes, against the number of rows before. */
static bool is_linear(const run_cost *cost, double rows, const run_cost *before,
                      double rows_before)
{
    const double bytes = fmax(0.0, cost->peak_bytes - process_bytes) / rows;
    const double bytes_before =
        fmax(0.0, before->peak_bytes - process_bytes) / rows_before;
    return cost->user_seconds / rows <= 1.5 * before->user_seconds / rows_before &&
           bytes <= fmax(1.1 * bytes_before, 300.0);
}

static bool report(const run_cost *cost, uint64_t rows, bool stream, bool fine)
{
    (void)printf("{\"bench\": \"rows\", \"rows\": %llu, \"stream\": %s, \"seconds\": "
                 "%.3f, \"user_seconds\": %.3f, \"system_seconds\": %.3f, "
                 "\"microseconds_per_row\": %.3f, "
                 "\"peak_mebibytes\": %.1f, "
                 "\"bytes_per_row\": %.1f, \"checked\": %s}\n",
                 (unsigned long long)rows, stream ? "true" : "false", cost->seconds,
                 cost->user_seconds, cost->system_seconds,
                 1e6 * cost->user_seconds / (double)rows, cost->peak_bytes / 0x1p20,
                 cost->peak_bytes / (double)rows, fine ? "true" : "false");
    (void)fflush(stdout);
    return fine;
}

static bool run(const char *directory, const uint64_t *rows, size_t count)
{
    static run_cost costs[RUNS_MAX][2];
    char features[PATH_BYTES], labels[PATH_BYTES];
    bool fine = true;
    (void)snprintf(features, sizeof features, "%s/sotto_bench_rows_%ld.npy", directory,
                   (long)getpid());
    (void)snprintf(labels, sizeof labels, "%s/sotto_bench_labels_%ld.npy", directory,
                   (long)getpid());
    const sotto_data_file file = {.path = features, .labels = labels};
    for (size_t i = 0; fine && i < count; i++) {
        fine = write_rows(features, labels, rows[i]);
        for (int stream = 0; fine && stream < 2; stream++) {
            run_cost *at = &costs[i][stream];
            fine = measure(&file, rows[i], stream == 1, at);
            if (i > 0)
                fine = fine && is_linear(at, (double)rows[i], &costs[i - 1][stream],
                                         (double)rows[i - 1]);
            if (stream == 1)
                fine = fine && strcmp(at->model, costs[i][0].model) == 0 &&
                       at->peak_bytes <= stream_bytes_most;
            fine = report(at, rows[i], stream == 1, fine);
        }
        (void)unlink(features);
        (void)unlink(labels);
    }
    return fine;
}

int main(int argc, char **argv)
{
    uint64_t rows[RUNS_MAX] = {100000, 1000000, 10000000};
    size_t given = 0;
    const char *directory = getenv("TMPDIR");
    for (int i = 1; i < argc && given < RUNS_MAX; i++) {
        const double number = strtod(argv[i], NULL);
        if (number >= 1.0 && number <= 0x1p32) rows[given++] = (uint64_t)number;
    }
    return run(directory == NULL ? "/tmp" : directory, rows, given > 0 ? given : 3) ? 0
                                                                                    : 1;
}
