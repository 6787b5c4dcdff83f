/* Any bytes are an array file, or none: as many rows as the header says, each of as many numbers as the
 * schema has, and whatever stands in one row changes no other. The first byte says NPY, IDX or CIFAR-10,
 * plain or packed, and the second which row is changed. Whole records of CIFAR-10 are that many rows, and each
 * has its own bytes. */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>

#include "data/readers/array/file.h"
#include "data/readers/array/layout.h"
#include "lines.h"

enum { COLUMNS = 3, ROWS_MAX = 512, BYTES_MAX = 1 << 16 };

typedef struct rows {
    double cells[ROWS_MAX][COLUMNS];
    size_t count;
} rows;

/* A name decides the format: a link of that name leads to the bytes. */
static int open_named(const char *name, const uint8_t *bytes, size_t size,
                      char path[PATH_BYTES])
{
    char target[PATH_BYTES];
    const int file = open_bytes("", bytes, size, 0, 0, target);
    (void)snprintf(path, PATH_BYTES, "/tmp/sotto_fuzz_%ld%s", (long)getpid(), name);
    (void)unlink(path);
    require(symlink(target, path) == 0);
    return file;
}

/* False: refused, before the first row. */
static bool read_rows(const char *name, const uint8_t *bytes, size_t size, rows *out)
{
    char path[PATH_BYTES];
    sotto_error error;
    sot_array_file *array = NULL;
    const int file = open_named(name, bytes, size, path);
    const sotto_status status =
        sot_array_file_open(path, COLUMNS, "features", &array, &error);
    require(status == SOTTO_OK || error.message[0] != '\0');
    out->count = 0;
    for (bool more = status == SOTTO_OK; more;) {
        double cells[COLUMNS];
        require(sot_array_file_next(array, cells, &more, NULL) == SOTTO_OK);
        if (!more) break;
        if (out->count < ROWS_MAX) memcpy(out->cells[out->count], cells, sizeof cells);
        out->count++;
    }
    if (status == SOTTO_OK) require(sot_array_file_rows(array) == out->count);
    sot_array_file_close(array);
    (void)unlink(path);
    (void)close(file);
    return status == SOTTO_OK;
}

/* Where the numbers lie: the header again, by itself. */
static sot_array_layout layout_of(const char *name, const uint8_t *bytes, size_t size)
{
    char path[PATH_BYTES];
    sot_bytes *file = NULL;
    sot_array_layout layout = {0};
    const int descriptor = open_bytes("", bytes, size, 0, 0, path);
    require(sot_bytes_open(path, SOT_PACKED_BY_NAME, &file, NULL) == SOTTO_OK);
    require((strcmp(name, ".npy") == 0
                 ? sot_npy_read_layout(file, name, &layout, NULL)
                 : sot_idx_read_layout(file, name, &layout, NULL)) == SOTTO_OK);
    sot_bytes_close(file);
    (void)close(descriptor);
    return layout;
}

/* A packed file may be refused when it is read. */
static void read_cifar(const uint8_t *bytes, size_t size, bool packed)
{
    char path[PATH_BYTES];
    sotto_error error;
    sot_array_file *array = NULL;
    static double cells[SOT_CIFAR_RECORD_BYTES];
    const int file = open_named(packed ? ".bin.gz" : ".bin", bytes, size, path);
    sotto_status status =
        sot_array_file_open(path, SOT_CIFAR_RECORD_BYTES, "bytes", &array, &error);
    require(packed || (status == SOTTO_OK) == (size % SOT_CIFAR_RECORD_BYTES == 0));
    size_t rows = 0;
    for (bool more = status == SOTTO_OK; more; rows++) {
        status = sot_array_file_next(array, cells, &more, &error);
        require(status == SOTTO_OK || packed);
        if (status != SOTTO_OK || !more) break;
        const unsigned char *row = sot_array_file_bytes(array);
        for (size_t i = 0; i < SOT_CIFAR_RECORD_BYTES; i++) {
            require(cells[i] == (double)row[i]);
            require(packed || row[i] == bytes[rows * SOT_CIFAR_RECORD_BYTES + i]);
        }
    }
    require(status == SOTTO_OK || error.message[0] != '\0');
    require(packed || status != SOTTO_OK || rows * SOT_CIFAR_RECORD_BYTES == size);
    sot_array_file_close(array);
    (void)unlink(path);
    (void)close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rows whole, changed;
    static uint8_t copy[BYTES_MAX];
    if (size < 3 || size - 2 > BYTES_MAX) return 0;
    const char *name = data[0] % 2 == 0 ? ".npy" : ".idx";
    const uint8_t *bytes = data + 2;
    size -= 2;
    if (data[0] % 4 >= 2) {
        read_cifar(bytes, size, data[0] % 4 == 3);
        return 0;
    }
    if (!read_rows(name, bytes, size, &whole) || whole.count == 0) return 0;
    const sot_array_layout layout = layout_of(name, bytes, size);
    const size_t element = layout.element_bytes;
    require(layout.header_bytes + whole.count * COLUMNS * element == size);
    const size_t row = data[1] % whole.count;
    memcpy(copy, bytes, size);
    for (size_t column = 0; column < COLUMNS; column++) {
        const size_t place =
            layout.by_columns ? column * whole.count + row : row * COLUMNS + column;
        for (size_t i = 0; i < element; i++)
            copy[layout.header_bytes + place * element + i] ^= 0xff;
    }
    require(read_rows(name, copy, size, &changed) && changed.count == whole.count);
    for (size_t i = 0; i < whole.count && i < ROWS_MAX; i++) {
        if (i == row) continue;
        require(memcmp(whole.cells[i], changed.cells[i], sizeof whole.cells[i]) == 0);
    }
    return 0;
}
