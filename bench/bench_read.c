/* bench/bench_read.c: a file of records to a matrix, on one thread and on more.
 *
 *     bench_read SCHEMA DATA [THREADS...]
 *
 * Rounds of all numbers of threads follow each other, so that a busy machine slows all alike. Each line: {"bench":
 * "read", "threads": ..., "seconds": ..., "processor_seconds": ..., "of_one_thread": ..., "peak_of_matrix": ..., "checked":
 * true}. Seconds are those of the best of five rounds; `of_one_thread` is the median over the rounds of the ratio of
 * wall times, one thread over these. `checked`: every bit of the matrix is that of one thread. `peak_of_matrix`: the
 * resident memory of a fresh process grows at most by this multiple of the matrix. `threads` 1 comes first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data/batches/matrix.h"

enum { ROUNDS = 5, THREADS_MOST = 16 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sot_matrix *load(const char *path, const sotto_schema *schema,
                        const sot_encoding *encoding, size_t threads)
{
    sotto_rng *rng = NULL;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    if (sotto_rng_new_for_test(1, &rng, NULL) == SOTTO_OK &&
        sot_source_open_file(path, schema, false, &source, NULL) == SOTTO_OK) {
        sot_source_set_threads(source, threads);
        if (sot_matrix_load(source, schema, encoding, rng, &matrix, NULL) != SOTTO_OK)
            matrix = NULL;
    }
    sot_source_close(source);
    sotto_rng_free(rng);
    return matrix;
}

static size_t bytes_of(const sot_matrix *matrix)
{
    size_t bytes = matrix->rows * sizeof *matrix->labels;
    if (matrix->dense != NULL)
        return bytes + matrix->rows * matrix->stride * sizeof(float);
    if (matrix->cells != NULL)
        return bytes + matrix->rows * matrix->columns * sizeof(uint32_t);
    if (matrix->bins != NULL) return bytes + matrix->rows * sot_matrix_row_bytes(matrix);
    bytes += (matrix->rows + 1) * sizeof *matrix->starts;
    return bytes + (size_t)matrix->starts[matrix->rows] * 2 * sizeof(float);
}

static bool same(const sot_matrix *a, const sot_matrix *b)
{
    const size_t rows = a->rows;
    if (rows != b->rows || bytes_of(a) != bytes_of(b) ||
        memcmp(a->labels, b->labels, rows * sizeof *a->labels) != 0)
        return false;
    if (a->dense != NULL)
        return memcmp(a->dense, b->dense, rows * a->stride * sizeof(float)) == 0;
    if (a->cells != NULL)
        return memcmp(a->cells, b->cells, rows * a->columns * sizeof *a->cells) == 0;
    if (a->bins != NULL)
        return memcmp(a->bins, b->bins, rows * sot_matrix_row_bytes(a)) == 0;
    return memcmp(a->starts, b->starts, (rows + 1) * sizeof *a->starts) == 0 &&
           memcmp(a->indices, b->indices, a->starts[rows] * sizeof(uint32_t)) == 0 &&
           memcmp(a->values, b->values, a->starts[rows] * sizeof(float)) == 0;
}

static double resident_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* In a child, whose peak nothing else has raised. */
static double peak_ratio(const char *path, const sotto_schema *schema,
                         const sot_encoding *encoding, size_t threads)
{
    int ends[2];
    double ratio = (double)NAN;
    if (pipe(ends) != 0) return ratio;
    const pid_t child = fork();
    if (child == 0) {
        const double before = resident_peak();
        const sot_matrix *matrix = load(path, schema, encoding, threads);
        if (matrix != NULL) ratio = (resident_peak() - before) / (double)bytes_of(matrix);
        _exit(write(ends[1], &ratio, sizeof ratio) != sizeof ratio);
    }
    (void)close(ends[1]);
    if (read(ends[0], &ratio, sizeof ratio) != sizeof ratio) ratio = (double)NAN;
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return ratio;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    size_t threads[THREADS_MOST] = {1, 2}, kinds = 2;
    double wall[THREADS_MOST][ROUNDS], processor[THREADS_MOST][ROUNDS];
    double ratio[THREADS_MOST][ROUNDS];
    bool checked[THREADS_MOST];
    sotto_schema *schema = NULL;
    sot_encoding *encoding = NULL;
    if (count < 3) {
        fprintf(stderr, "bench_read SCHEMA DATA [THREADS...]\n");
        return 2;
    }
    for (int i = 3; i < count && i < 3 + THREADS_MOST; i++) {
        kinds = (size_t)i - 2;
        threads[i - 3] = (size_t)strtoull(words[i], NULL, 10);
    }
    if (sotto_schema_load(words[1], &schema, NULL) != SOTTO_OK ||
        sot_encoding_new(schema, NULL, SOT_TARGET_NUMBER, &encoding, NULL) != SOTTO_OK)
        return 1;
    double peaks[THREADS_MOST];
    for (size_t i = 0; i < kinds; i++)
        peaks[i] = peak_ratio(words[2], schema, encoding, threads[i]);
    for (size_t i = 0; i < kinds; i++)
        checked[i] = true;
    for (int round = 0; round < ROUNDS; round++) {
        sot_matrix *first = NULL;
        for (size_t i = 0; i < kinds; i++) {
            const double begin = seconds(CLOCK_MONOTONIC);
            const double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
            sot_matrix *matrix = load(words[2], schema, encoding, threads[i]);
            wall[i][round] = seconds(CLOCK_MONOTONIC) - begin;
            processor[i][round] = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
            ratio[i][round] = wall[0][round] / wall[i][round];
            if (matrix == NULL) return 1;
            if (i == 0) {
                first = matrix;
                continue;
            }
            checked[i] = checked[i] && same(first, matrix);
            sot_matrix_free(matrix);
        }
        sot_matrix_free(first);
    }
    for (size_t i = 0; i < kinds; i++) {
        qsort(wall[i], ROUNDS, sizeof(double), by_size);
        qsort(processor[i], ROUNDS, sizeof(double), by_size);
        qsort(ratio[i], ROUNDS, sizeof(double), by_size);
        printf("{\"bench\": \"read\", \"threads\": %zu, \"seconds\": %.3g, "
               "\"processor_seconds\": %.3g, \"of_one_thread\": %.3g, "
               "\"peak_of_matrix\": %.3g, \"checked\": %s}\n",
               threads[i], wall[i][0], processor[i][0], ratio[i][ROUNDS / 2], peaks[i],
               checked[i] ? "true" : "false");
    }
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    return 0;
}
