/* bench/bench_images.c: files of images become a matrix of floats, one core.
 *
 *     bench_images [DIRECTORY]...
 *
 * Made-up files as large as the training sets of MNIST (IDX, plain) and CIFAR-10 are written into TMPDIR, or
 * /tmp, and removed again; in a DIRECTORY mnist/train-images-idx3-ubyte.gz and train.bin (records of
 * CIFAR-10) are looked for too. A line each:
 *
 *     {"bench": "images", "file": ..., "features": ..., "rows": ..., "seconds": ... (reading,
 *      unpacking and encoding; processor time, the best of three), "nanoseconds_per_pixel": ...,
 *      "by_numbers_seconds": ... (the same, a double a pixel), "checked": ...}
 *
 * Checked: every row has the bits that sot_encode() gives, number by number. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sotto/rng.h>

#include "data/batches/matrix.h"

enum { ROUNDS = 3, PATH_BYTES = 4096 };

static const char mnist_schema[] =
    "{\"shape\": [28, 28], \"labels\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],"
    " \"numbers\": {\"lower\": 0, \"upper\": 255, \"scale\": \"unit\"}}";
static const char cifar_schema[] =
    "{\"shape\": [3, 32, 32], \"labels\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],"
    " \"numbers\": {\"lower\": 0, \"upper\": 255, \"scale\": \"unit\"}}";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- loading ---- */

typedef struct study {
    sotto_schema *schema;
    sot_encoding *encoding;
    sotto_data_file file;
} study;

static sot_matrix *load(const study *of, double *out_seconds)
{
    sotto_error error;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    sotto_rng *rng = NULL;
    const double start = seconds();
    if (sotto_rng_new_for_test(7, &rng, &error) != SOTTO_OK ||
        sot_source_open(&of->file, of->schema, false, &source, &error) != SOTTO_OK ||
        sot_matrix_load(source, of->schema, of->encoding, rng, &matrix, &error) !=
            SOTTO_OK)
        fprintf(stderr, "bench_images: %s\n", error.message);
    *out_seconds = seconds() - start;
    sot_source_close(source);
    sotto_rng_free(rng);
    return matrix;
}

/* The row as sot_encode() gives it. */
static void encode_plainly(const study *of, const sot_record *record,
                           sot_features *scratch, float *row)
{
    memset(row, 0, sot_encoding_dimension(of->encoding) * sizeof *row);
    sot_encode(of->encoding, record, scratch);
    for (size_t i = 0; i < scratch->count; i++)
        row[scratch->indices[i]] = scratch->values[i];
}

/* The rows again, number by number: by sot_encode_dense(), timed, or compared with sot_encode(). */
static bool read_again(const study *of, const sot_matrix *matrix, bool compare,
                       double *out_seconds)
{
    const size_t dimension = sot_encoding_dimension(of->encoding);
    sot_features scratch = {.indices = malloc(dimension * sizeof(uint32_t)),
                            .values = malloc(dimension * sizeof(float))};
    float *row = malloc(dimension * sizeof *row);
    sot_source *source = NULL;
    bool more = true;
    bool same = scratch.indices != NULL && scratch.values != NULL && row != NULL &&
                sot_source_open(&of->file, of->schema, false, &source, NULL) == SOTTO_OK;
    const double start = seconds();
    for (size_t i = 0; same && i <= matrix->rows; i++) {
        sot_record record;
        same = sot_source_next(source, &record, &more, NULL) == SOTTO_OK &&
               more == (i < matrix->rows);
        if (!same || !more) break;
        record.bytes = NULL;
        if (compare) {
            encode_plainly(of, &record, &scratch, row);
        } else {
            sot_encode_dense(of->encoding, &record, &scratch, row);
        }
        same = memcmp(row, matrix->dense + i * matrix->stride, dimension * sizeof *row) ==
                   0 &&
               sot_encode_target(of->encoding, &record) == matrix->labels[i];
    }
    *out_seconds = seconds() - start;
    sot_source_close(source);
    free(scratch.indices);
    free(scratch.values);
    free(row);
    return same;
}

static bool bench(const char *schema, const char *path, const char *labels)
{
    study of = {.file = {.path = path, .labels = labels}};
    double best = 1e9, numbers = 0.0, plain;
    bool right = sotto_schema_parse("schema", schema, strlen(schema), &of.schema, NULL) ==
                     SOTTO_OK &&
                 sot_encoding_new(of.schema, NULL, SOT_TARGET_CLASSES, &of.encoding,
                                  NULL) == SOTTO_OK;
    sot_matrix *matrix = NULL;
    for (int round = 0; right && round < ROUNDS; round++) {
        double took;
        sot_matrix_free(matrix);
        matrix = load(&of, &took);
        right = matrix != NULL;
        best = took < best ? took : best;
    }
    right = right && read_again(&of, matrix, false, &numbers) &&
            read_again(&of, matrix, true, &plain);
    const size_t rows = matrix == NULL ? 0 : matrix->rows;
    const size_t columns = matrix == NULL ? 0 : matrix->columns;
    const char *slash = strrchr(path, '/');
    printf("{\"bench\": \"images\", \"file\": \"%s\", \"features\": %zu, \"rows\": %zu, "
           "\"seconds\": %.3f, \"nanoseconds_per_pixel\": %.3f, "
           "\"by_numbers_seconds\": %.3f, \"checked\": %s}\n",
           slash == NULL ? path : slash + 1, columns, rows, best,
           rows == 0 ? 0.0 : 1e9 * best / ((double)rows * (double)columns), numbers,
           right ? "true" : "false");
    sot_matrix_free(matrix);
    sot_encoding_free(of.encoding);
    sotto_schema_free(of.schema);
    return right;
}

/* ---- files ---- */

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A header, and `count` bytes of any value. */
static bool write_file(const char *path, const void *header, size_t header_bytes,
                       size_t count)
{
    uint64_t stream = count;
    FILE *file = fopen(path, "wb");
    bool fine = file != NULL && fwrite(header, 1, header_bytes, file) == header_bytes;
    for (size_t i = 0; fine && i < count; i += sizeof stream) {
        const uint64_t bits = next_bits(&stream);
        const size_t size = count - i < sizeof bits ? count - i : sizeof bits;
        fine = fwrite(&bits, 1, size, file) == size;
    }
    return file != NULL && fclose(file) == 0 && fine;
}

static bool bench_made_up(void)
{
    static const unsigned char images_header[16] = {0, 0, 8, 3,  0, 0, 0xEA, 0x60,
                                                    0, 0, 0, 28, 0, 0, 0,    28};
    static const unsigned char labels_header[8] = {0, 0, 8, 1, 0, 0, 0xEA, 0x60};
    const char *directory = getenv("TMPDIR");
    char images[PATH_BYTES], labels[PATH_BYTES], records[PATH_BYTES];
    if (directory == NULL) directory = "/tmp";
    (void)snprintf(images, sizeof images, "%s/sotto_bench_%ld.idx3", directory,
                   (long)getpid());
    (void)snprintf(labels, sizeof labels, "%s/sotto_bench_%ld.idx1", directory,
                   (long)getpid());
    (void)snprintf(records, sizeof records, "%s/sotto_bench_%ld.bin", directory,
                   (long)getpid());
    const bool right =
        write_file(images, images_header, sizeof images_header, (size_t)60000 * 784) &&
        write_file(labels, labels_header, sizeof labels_header, 60000) &&
        write_file(records, "", 0, (size_t)50000 * 3073) &&
        bench(mnist_schema, images, labels) && bench(cifar_schema, records, NULL);
    (void)unlink(images);
    (void)unlink(labels);
    (void)unlink(records);
    return right;
}

int main(int argc, char **argv)
{
    bool right = bench_made_up();
    for (int i = 1; i < argc; i++) {
        char path[PATH_BYTES], labels[PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/mnist/train-images-idx3-ubyte.gz", argv[i]);
        (void)snprintf(labels, sizeof labels, "%s/mnist/train-labels-idx1-ubyte.gz",
                       argv[i]);
        if (access(path, R_OK) == 0) right = bench(mnist_schema, path, labels) && right;
        (void)snprintf(path, sizeof path, "%s/train.bin", argv[i]);
        if (access(path, R_OK) == 0) right = bench(cifar_schema, path, NULL) && right;
    }
    return right ? 0 : 1;
}
