#include "data/readers/array/file.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/readers/array/layout.h"

enum { BLOCK_BYTES = 1 << 20 };

struct sot_array_file {
    sot_bytes *bytes;
    sot_array_layout layout;
    size_t columns;
    size_t row_bytes;
    /* Rows that were read: `block_rows` at most, `held` of them, `used` given out. By rows one
     * after another, or, if the file is by columns, one column of the block after another. */
    unsigned char *block;
    size_t block_rows;
    size_t held, used;
    uint64_t read; /* rows of the file, the block's included */
    /* All numbers of a column-major array that is compressed or comes from a pipe, which has no
     * random access. NumPy writes an array of at most one row as row-major; refusing only the
     * others would reveal the number of rows. */
    unsigned char *whole;
    size_t whole_room;
    size_t *places; /* of an array by columns: where the file has the numbers of a row */
};

/* ---- names ---- */

bool sot_array_file_is_named(const char *path)
{
    return sot_npy_is_named(path) || sot_idx_is_named(path);
}

static sotto_status read_layout(sot_array_file *file, const char *path,
                                sotto_error *error)
{
    if (sot_npy_is_named(path))
        return sot_npy_read_layout(file->bytes, path, &file->layout, error);
    if (sot_cifar_is_named(path))
        return sot_cifar_read_layout(file->bytes, path, &file->layout, error);
    return sot_idx_read_layout(file->bytes, path, &file->layout, error);
}

/* ---- opening ---- */

bool sot_array_add_dimension(sot_array_layout *layout, size_t place, uint64_t length)
{
    const uint64_t most = SOT_ARRAY_ROWS_MAX; /* and as many numbers per row */
    if (length > most || place >= SOT_ARRAY_DIMENSIONS_MAX) return false;
    layout->lengths[place] = length;
    layout->dimensions = place + 1;
    if (place == 0) {
        layout->rows = length;
        layout->columns = 1;
        return true;
    }
    if (length > 0 && layout->columns > most / length) return false;
    layout->columns *= length;
    return true;
}

/* True if the file has the `size` bytes of its header. */
static bool fits(const sot_array_file *file, uint64_t size)
{
    uint64_t wanted;
    return !__builtin_mul_overflow(file->layout.rows, (uint64_t)file->row_bytes,
                                   &wanted) &&
           !__builtin_add_overflow(wanted, file->layout.header_bytes, &wanted) &&
           wanted == size;
}

/* A plain file is as long as its header says, and not a byte longer. */
static sotto_status check_size(const sot_array_file *file, const char *path,
                               sotto_error *error)
{
    const uint64_t size = sot_bytes_size(file->bytes);
    if (size == UINT64_MAX || fits(file, size)) return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "%.90s has not the length that its header says; is it damaged?",
                    path);
}

static sotto_status check_shape(sot_array_file *file, const char *path, const char *what,
                                sotto_error *error)
{
    const sot_array_layout *layout = &file->layout;
    if (layout->columns != file->columns) {
        return sot_fail(
            error, SOTTO_PARSE,
            "%.90s has %llu numbers per row, not the %zu %s that are expected; "
            "is it the right file?",
            path, (unsigned long long)layout->columns, file->columns, what);
    }
    if (!sot_size_mul(file->columns, layout->element_bytes, &file->row_bytes))
        return sot_fail_memory(error, file->columns, layout->element_bytes);
    return check_size(file, path, error);
}

/* Number i of a row counts the last dimension fastest; Fortran's order counts the second one fastest, behind the rows. */
static size_t place_in_file(const sot_array_layout *layout, size_t i)
{
    size_t place = 0;
    uint64_t weight = layout->columns;
    for (size_t dimension = layout->dimensions; dimension-- > 1;) {
        const uint64_t length = layout->lengths[dimension];
        weight /= length;
        place += (size_t)(i % length * weight);
        i /= (size_t)length;
    }
    return place;
}

static sotto_status make_places(sot_array_file *file, sotto_error *error)
{
    if (!file->layout.by_columns) return SOTTO_OK;
    file->places = sot_new_array(file->columns, sizeof *file->places);
    if (file->places == NULL)
        return sot_fail_memory(error, file->columns, sizeof *file->places);
    for (size_t i = 0; i < file->columns; i++)
        file->places[i] = place_in_file(&file->layout, i);
    return SOTTO_OK;
}

static sotto_status make_block(sot_array_file *file, sotto_error *error)
{
    file->block_rows = file->row_bytes == 0 || file->row_bytes > BLOCK_BYTES
                           ? 1
                           : BLOCK_BYTES / file->row_bytes;
    size_t bytes;
    if (!sot_size_mul(file->block_rows, file->row_bytes, &bytes)) bytes = SIZE_MAX;
    file->block = sot_new_array(bytes, 1);
    return file->block == NULL ? sot_fail_memory(error, bytes, 1) : SOTTO_OK;
}

sotto_status sot_array_file_open(const char *path, size_t columns, const char *what,
                                 sot_array_file **out_file, sotto_error *error)
{
    sot_array_file *file = sot_new_array(1, sizeof *file);
    if (file == NULL) return sot_fail_memory(error, 1, sizeof *file);
    file->columns = columns;
    sotto_status status = sot_bytes_open(path, SOT_PACKED_BY_NAME, &file->bytes, error);
    if (status == SOTTO_OK) status = read_layout(file, path, error);
    if (status == SOTTO_OK) status = check_shape(file, path, what, error);
    if (status == SOTTO_OK) status = make_places(file, error);
    if (status == SOTTO_OK) status = make_block(file, error);
    if (status != SOTTO_OK) {
        sot_array_file_close(file);
        return status;
    }
    *out_file = file;
    return SOTTO_OK;
}

void sot_array_file_close(sot_array_file *file)
{
    if (file == NULL) return;
    sot_bytes_close(file->bytes);
    sot_wipe_and_free(file->whole, file->whole_room);
    sot_free(file->places);
    sot_wipe_and_free(file->block, file->block_rows * file->row_bytes);
    sot_free(file);
}

uint64_t sot_array_file_rows(const sot_array_file *file)
{
    return file->layout.rows;
}

uint64_t sot_array_file_rows_hint(const sot_array_file *file)
{
    const uint64_t size = sot_bytes_size_hint(file->bytes);
    if (size == UINT64_MAX) return 0;
    if (file->layout.rows == SOT_ARRAY_ROWS_UNKNOWN) return size / file->row_bytes;
    return fits(file, size) ? file->layout.rows : 0;
}

/* ---- numbers ---- */

static uint64_t load_bits(const unsigned char *from, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)from[i] << 8 * (big_endian ? size - 1 - i : i);
    return bits;
}

static double number_at(const sot_array_layout *layout, const unsigned char *from)
{
    const size_t size = layout->element_bytes;
    const uint64_t bits = load_bits(from, size, layout->big_endian);
    if (layout->kind == SOT_ARRAY_UNSIGNED) return (double)bits;
    if (layout->kind == SOT_ARRAY_SIGNED) {
        const uint64_t sign = UINT64_C(1) << (8 * size - 1);
        /* Two's complement: the bits below the sign, less the sign's weight. */
        return (bits & sign) == 0 ? (double)bits
                                  : -(double)((~bits & (sign - 1)) + UINT64_C(1));
    }
    if (size == 4) {
        const uint32_t half = (uint32_t)bits;
        float float32;
        memcpy(&float32, &half, sizeof float32);
        return (double)float32;
    }
    double float64;
    memcpy(&float64, &bits, sizeof float64);
    return float64;
}

/* The same for a row that lies together; the common kinds without a branch a number. */
static void read_row(const sot_array_layout *layout, const unsigned char *from,
                     size_t count, double *out)
{
    const size_t size = layout->element_bytes;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (layout->kind == SOT_ARRAY_FLOAT && !layout->big_endian && size == 8) {
        if (count > 0) memcpy(out, from, count * sizeof *out);
        return;
    }
    if (layout->kind == SOT_ARRAY_FLOAT && !layout->big_endian) {
        for (size_t i = 0; i < count; i++) {
            float float32;
            memcpy(&float32, from + 4 * i, sizeof float32);
            out[i] = (double)float32;
        }
        return;
    }
#endif
    if (layout->kind == SOT_ARRAY_UNSIGNED && size == 1) {
        for (size_t i = 0; i < count; i++)
            out[i] = (double)from[i];
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = number_at(layout, from + size * i);
}

/* ---- rows ---- */

static bool has_places(const sot_array_file *file)
{
    return sot_bytes_size(file->bytes) != UINT64_MAX;
}

/* The room follows the bytes that are there, and not the header, which may say anything. */
static sotto_status read_whole(sot_array_file *file, sotto_error *error)
{
    size_t wanted, filled = 0;
    if (!sot_size_mul((size_t)file->layout.rows, file->row_bytes, &wanted))
        return sot_bytes_fail(file->bytes, error);
    while (filled < wanted) {
        if (filled == file->whole_room) {
            size_t room = filled == 0 ? BLOCK_BYTES : 2 * filled;
            if (room > wanted || room < filled) room = wanted;
            unsigned char *moved = sot_move_array(file->whole, file->whole_room, room, 1);
            if (moved == NULL) return sot_fail_memory(error, room, 1);
            file->whole = moved;
            file->whole_room = room;
        }
        size_t got = 0;
        const sotto_status status = sot_bytes_read(
            file->bytes, file->whole + filled, file->whole_room - filled, &got, error);
        if (status != SOTTO_OK) return status;
        if (got == 0) return sot_bytes_fail(file->bytes, error);
        filled += got;
    }
    return SOTTO_OK;
}

/* Each column of the block from its own place in the file. */
static sotto_status fill_by_columns(sot_array_file *file, size_t rows, sotto_error *error)
{
    const size_t size = file->layout.element_bytes;
    sotto_status status = SOTTO_OK;
    if (!has_places(file) && file->whole == NULL) status = read_whole(file, error);
    for (size_t column = 0; column < file->columns && status == SOTTO_OK; column++) {
        const uint64_t place = ((uint64_t)column * file->layout.rows + file->read) * size;
        unsigned char *to = file->block + column * rows * size;
        if (file->whole != NULL) {
            memcpy(to, file->whole + place, rows * size);
        } else {
            status = sot_bytes_read_at(file->bytes, file->layout.header_bytes + place, to,
                                       rows * size, error);
        }
    }
    return status;
}

/* As many rows as there are, none at the end. */
static sotto_status fill_to_end(sot_array_file *file, sotto_error *error)
{
    const size_t room = file->block_rows * file->row_bytes;
    size_t filled = 0;
    for (size_t got = 1; got > 0 && filled < room; filled += got) {
        const sotto_status status =
            sot_bytes_read(file->bytes, file->block + filled, room - filled, &got, error);
        if (status != SOTTO_OK) return status;
    }
    file->held = filled / file->row_bytes;
    file->used = 0;
    file->read += file->held;
    if (filled % file->row_bytes != 0 || file->read > SOT_ARRAY_ROWS_MAX)
        return sot_bytes_fail(file->bytes, error);
    if (file->held == 0) file->layout.rows = file->read;
    return SOTTO_OK;
}

static sotto_status fill(sot_array_file *file, sotto_error *error)
{
    if (file->layout.rows == SOT_ARRAY_ROWS_UNKNOWN) return fill_to_end(file, error);
    const uint64_t left = file->layout.rows - file->read;
    const size_t rows = left < file->block_rows ? (size_t)left : file->block_rows;
    const sotto_status status =
        file->layout.by_columns
            ? fill_by_columns(file, rows, error)
            : sot_bytes_read_all(file->bytes, file->block, rows * file->row_bytes, error);
    if (status != SOTTO_OK) return status;
    file->read += rows;
    file->held = rows;
    file->used = 0;
    return SOTTO_OK;
}

/* A compressed file shows its length only at its end: one byte too many means a damaged
 * file. */
static sotto_status check_end(const sot_array_file *file, sotto_error *error)
{
    unsigned char byte;
    size_t got = 0;
    if (file->layout.by_columns && has_places(file)) return SOTTO_OK;
    const sotto_status status = sot_bytes_read(file->bytes, &byte, 1, &got, error);
    if (status != SOTTO_OK) return status;
    return got == 0 ? SOTTO_OK : sot_bytes_fail(file->bytes, error);
}

sotto_status sot_array_file_next(sot_array_file *file, double *out_values, bool *out_more,
                                 sotto_error *error)
{
    const sot_array_layout *layout = &file->layout;
    *out_more = false;
    if (file->used == file->held && file->read == layout->rows)
        return check_end(file, error);
    if (file->used == file->held) {
        const sotto_status status = fill(file, error);
        if (status != SOTTO_OK || file->held == 0) return status;
    }
    const size_t row = file->used++;
    if (layout->by_columns) {
        for (size_t i = 0; i < file->columns; i++)
            out_values[i] =
                number_at(layout, file->block + (file->places[i] * file->held + row) *
                                                    layout->element_bytes);
    } else {
        read_row(layout, file->block + row * file->row_bytes, file->columns, out_values);
    }
    *out_more = true;
    return SOTTO_OK;
}

const unsigned char *sot_array_file_bytes(const sot_array_file *file)
{
    const sot_array_layout *layout = &file->layout;
    if (file->used == 0 || layout->by_columns || layout->kind != SOT_ARRAY_UNSIGNED ||
        layout->element_bytes != 1)
        return NULL;
    return file->block + (file->used - 1) * file->row_bytes;
}
