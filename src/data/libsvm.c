#include "data/libsvm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/decimal.h"
#include "data/lines.h"

enum { LINE_BYTES = 1 << 20, ENTRY_BYTES = 32, LEAST_ENTRY_BYTES = 4 /* "1:1 " */ };
static const size_t line_bytes_max = (size_t)256 << 20;
static const uint64_t rows_max = UINT64_C(1) << 32;

struct sot_libsvm {
    sot_lines *lines;
    size_t features;
    uint32_t *indices;
    double *values;
    uint32_t *orders; /* where an entry stood in its line, for sorting */
    size_t room;      /* entries; no line has more */
    size_t touched;   /* entries ever written */
    uint64_t rows;
};

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Where the word at `at` ends: at a blank, a comment or the end of the line. */
static const char *word_end(const char *at, const char *end)
{
    while (at < end && !is_blank(*at) && *at != '#')
        at++;
    return at;
}

static bool ends_word(const char *at, const char *end)
{
    return at == end || is_blank(*at) || *at == '#';
}

/* The number at *at that is the rest of its word; moves behind the word in any case. */
static bool read_number(const char **at, const char *end, double *out_value)
{
    const char *number = *at;
    if (sot_scan_decimal(&number, out_value) && ends_word(number, end)) {
        *at = number;
        return true;
    }
    const char *begin = *at;
    *at = word_end(begin, end);
    return sot_read_decimal(begin, (size_t)(*at - begin), out_value);
}

/* The word at *at as an entry; moves behind the word in any case. */
static bool read_entry(const sot_libsvm *reader, const char **at, const char *end,
                       uint32_t *out_index, double *out_value)
{
    uint64_t index = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9' && index <= reader->features; digit++)
        index = index * 10 + (uint64_t)(*digit - '0');
    if (*digit != ':' || index == 0 || index > reader->features) {
        *at = word_end(*at, end);
        return false;
    }
    *at = digit + 1;
    *out_index = (uint32_t)(index - 1);
    return read_number(at, end, out_value);
}

/* ---- order ---- */

static bool comes_before(const sot_libsvm *reader, size_t a, size_t b)
{
    return reader->indices[a] != reader->indices[b]
               ? reader->indices[a] < reader->indices[b]
               : reader->orders[a] < reader->orders[b];
}

static void swap(sot_libsvm *reader, size_t a, size_t b)
{
    const uint32_t index = reader->indices[a];
    const uint32_t order = reader->orders[a];
    const double value = reader->values[a];
    reader->indices[a] = reader->indices[b];
    reader->orders[a] = reader->orders[b];
    reader->values[a] = reader->values[b];
    reader->indices[b] = index;
    reader->orders[b] = order;
    reader->values[b] = value;
}

static void sift_down(sot_libsvm *reader, size_t root, size_t count)
{
    for (;;) {
        size_t largest = root;
        for (size_t child = 2 * root + 1; child <= 2 * root + 2 && child < count; child++)
            if (comes_before(reader, largest, child)) largest = child;
        if (largest == root) return;
        swap(reader, root, largest);
        root = largest;
    }
}

/* By index, then by place in the line: a heap needs no memory of its own. */
static void sort_entries(sot_libsvm *reader, size_t count)
{
    for (size_t i = 0; i < count; i++)
        reader->orders[i] = (uint32_t)i;
    for (size_t root = count / 2; root-- > 0;)
        sift_down(reader, root, count);
    for (size_t left = count; left-- > 1;) {
        swap(reader, 0, left);
        sift_down(reader, 0, left);
    }
}

static size_t drop_repeated(sot_libsvm *reader, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && reader->indices[kept - 1] == reader->indices[i]) continue;
        reader->indices[kept] = reader->indices[i];
        reader->values[kept++] = reader->values[i];
    }
    return kept;
}

/* ---- records ---- */

static bool is_label(const char *at, const char *end)
{
    return memchr(at, ':', (size_t)(word_end(at, end) - at)) == NULL;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

static void read_line(sot_libsvm *reader, const char *at, const char *end,
                      sot_record *out_record)
{
    size_t count = 0;
    bool in_order = true;
    double label = (double)NAN;
    at = skip_blanks(at, end);
    if (!ends_word(at, end) && is_label(at, end) && !read_number(&at, end, &label))
        label = (double)NAN;
    for (at = skip_blanks(at, end); !ends_word(at, end); at = skip_blanks(at, end)) {
        uint32_t index;
        if (!read_entry(reader, &at, end, &index, &reader->values[count])) continue;
        in_order = in_order && (count == 0 || reader->indices[count - 1] < index);
        reader->indices[count++] = index;
    }
    /* A word that was dropped may have left its number behind the last entry. */
    if (count >= reader->touched) reader->touched = count + 1;
    if (!in_order) {
        sort_entries(reader, count);
        count = drop_repeated(reader, count);
    }
    *out_record = (sot_record){.indices = reader->indices,
                               .values = reader->values,
                               .count = count,
                               .label = label};
}

sotto_status sot_libsvm_next(sot_libsvm *reader, sot_record *out_record, bool *out_more,
                             sotto_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char *line;
    size_t size_bytes;
    const sotto_status status =
        sot_lines_next(reader->lines, &line, &size_bytes, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (reader->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right file?");
    }
    reader->rows++;
    const char *at = line;
    /* At the head of any line, not of the file alone: a record must not depend on its place. */
    if (size_bytes >= 3 && memcmp(line, byte_order_mark, 3) == 0) at += 3;
    read_line(reader, at, line + size_bytes, out_record);
    return SOTTO_OK;
}

/* ---- the reader ---- */

sotto_status sot_libsvm_open(const char *path, size_t features, sot_libsvm **out_reader,
                             sotto_error *error)
{
    size_t line_bytes = line_bytes_max;
    if (features < (line_bytes_max - LINE_BYTES) / ENTRY_BYTES)
        line_bytes = LINE_BYTES + ENTRY_BYTES * features;
    sot_libsvm *reader = sot_new_array(1, sizeof *reader);
    if (reader == NULL) return sot_fail_memory(error, 1, sizeof *reader);
    reader->features = features;
    reader->room = line_bytes / LEAST_ENTRY_BYTES + 2;
    reader->indices = sot_new_array(reader->room, sizeof *reader->indices);
    reader->values = sot_new_array(reader->room, sizeof *reader->values);
    reader->orders = sot_new_array(reader->room, sizeof *reader->orders);
    sotto_status status =
        reader->indices == NULL || reader->values == NULL || reader->orders == NULL
            ? sot_fail_memory(error, reader->room, sizeof *reader->values)
            : sot_lines_open(path, SOT_PACKED_BY_NAME, line_bytes, &reader->lines, error);
    if (status != SOTTO_OK) {
        sot_libsvm_close(reader);
        return status;
    }
    *out_reader = reader;
    return SOTTO_OK;
}

void sot_libsvm_close(sot_libsvm *reader)
{
    if (reader == NULL) return;
    const size_t touched = reader->touched;
    sot_wipe_and_free(reader->indices, touched * sizeof *reader->indices);
    sot_wipe_and_free(reader->values, touched * sizeof *reader->values);
    sot_wipe_and_free(reader->orders, touched * sizeof *reader->orders);
    sot_lines_close(reader->lines);
    sot_free(reader);
}
