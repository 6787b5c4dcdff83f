#include "data/readers/text/libsvm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/decimal.h"
#include "data/readers/lines.h"
#include "data/readers/readers.h"

enum { LINE_BYTES = 1 << 20, ENTRY_BYTES = 32 };
static const size_t line_bytes_max = (size_t)256 << 20;
static const uint64_t rows_max = UINT64_C(1) << 32;

struct sot_libsvm {
    sot_lines *lines;
    size_t features;
    uint32_t *indices; /* of the current record: `features` of them at most, */
    double *values;    /* and one more, for a word that is dropped in the end */
    uint64_t *
        seen; /* for each feature the last record (1, 2, ...) that was marked to have it */
    size_t touched; /* entries ever written */
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

/* The number at *at that is the rest of a word; moves behind the word in any case. */
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

static void swap(sot_libsvm *reader, size_t a, size_t b)
{
    const uint32_t index = reader->indices[a];
    const double value = reader->values[a];
    reader->indices[a] = reader->indices[b];
    reader->values[a] = reader->values[b];
    reader->indices[b] = index;
    reader->values[b] = value;
}

static void sift_down(sot_libsvm *reader, size_t root, size_t count)
{
    for (;;) {
        size_t largest = root;
        for (size_t child = 2 * root + 1; child <= 2 * root + 2 && child < count; child++)
            if (reader->indices[largest] < reader->indices[child]) largest = child;
        if (largest == root) return;
        swap(reader, root, largest);
        root = largest;
    }
}

/* By index; no two are equal. A heap needs no memory of its own. */
static void sort_entries(sot_libsvm *reader, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(reader, root, count);
    for (size_t left = count; left-- > 1;) {
        swap(reader, 0, left);
        sift_down(reader, 0, left);
    }
}

/* Marks the first `count` entries of the current record as seen. */
static void mark(sot_libsvm *reader, size_t count)
{
    for (size_t i = 0; i < count; i++)
        reader->seen[reader->indices[i]] = reader->rows;
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
    size_t count = 0, words = 0;
    bool in_order = true;
    double label = (double)NAN;
    at = skip_blanks(at, end);
    if (!ends_word(at, end) && is_label(at, end) && !read_number(&at, end, &label))
        label = (double)NAN;
    for (at = skip_blanks(at, end); !ends_word(at, end); at = skip_blanks(at, end)) {
        uint32_t index;
        words++;
        if (!read_entry(reader, &at, end, &index, &reader->values[count])) continue;
        if (in_order && count > 0 && index <= reader->indices[count - 1]) {
            in_order = false; /* from here on an entry may be a repeated one */
            mark(reader, count);
        }
        if (!in_order && reader->seen[index] == reader->rows) continue;
        reader->indices[count++] = index;
        if (!in_order) reader->seen[index] = reader->rows;
    }
    if (count >= reader->touched) reader->touched = count + 1;
    if (!in_order) sort_entries(reader, count);
    *out_record = (sot_record){.indices = reader->indices,
                               .values = reader->values,
                               .count = count,
                               .label = label,
                               .not_read = words - count};
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
    /* At the head of any line, not only of the file: a record must not depend on its
     * place. */
    if (size_bytes >= 3 && memcmp(line, byte_order_mark, 3) == 0) at += 3;
    read_line(reader, at, line + size_bytes, out_record);
    return SOTTO_OK;
}

/* ---- the reader ---- */

static sotto_status new_reader(size_t features, sot_libsvm **out_reader,
                               sotto_error *error)
{
    sot_libsvm *reader = sot_new_array(1, sizeof *reader);
    if (reader == NULL) return sot_fail_memory(error, 1, sizeof *reader);
    reader->features = features;
    reader->indices = sot_new_array(features + 1, sizeof *reader->indices);
    reader->values = sot_new_array(features + 1, sizeof *reader->values);
    reader->seen = sot_new_array(features, sizeof *reader->seen);
    if (reader->indices == NULL || reader->values == NULL || reader->seen == NULL) {
        sot_libsvm_close(reader);
        return sot_fail_memory(error, features, sizeof *reader->values);
    }
    *out_reader = reader;
    return SOTTO_OK;
}

sotto_status sot_libsvm_open(const char *path, size_t features, sot_libsvm **out_reader,
                             sotto_error *error)
{
    size_t line_bytes = line_bytes_max;
    if (features < (line_bytes_max - LINE_BYTES) / ENTRY_BYTES)
        line_bytes = LINE_BYTES + ENTRY_BYTES * features;
    sot_libsvm *reader = NULL;
    sotto_status status = new_reader(features, &reader, error);
    if (status != SOTTO_OK) return status;
    status = sot_lines_open(path, SOT_PACKED_BY_NAME, line_bytes, &reader->lines, error);
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
    sot_wipe_and_free(reader->seen, reader->features * sizeof *reader->seen);
    sot_lines_close(reader->lines);
    sot_free(reader);
}

/* ---- the interface ---- */

static bool is_libsvm(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_is_named(path, ".libsvm") || sot_is_named(path, ".svm") ||
           sot_is_named(path, ".svmlight");
}

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    sot_libsvm *libsvm = NULL;
    const sotto_status status = sot_libsvm_open(
        input->file->path, sotto_schema_features(input->schema), &libsvm, error);
    *out_reader = libsvm;
    return status;
}

static void close_reader(void *reader)
{
    sot_libsvm_close(reader);
}

static sot_lines *lines_of(void *reader)
{
    return ((sot_libsvm *)reader)->lines;
}

static sotto_status fork_reader(const void *reader, void **out_fork, sotto_error *error)
{
    const sot_libsvm *of = reader;
    sot_libsvm *fork = NULL;
    sotto_status status = new_reader(of->features, &fork, error);
    if (status != SOTTO_OK) return status;
    status = sot_lines_of_memory(of->lines, &fork->lines, error);
    if (status != SOTTO_OK) {
        sot_libsvm_close(fork);
        return status;
    }
    *out_fork = fork;
    return SOTTO_OK;
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    return sot_libsvm_next(reader, out_record, out_more, error);
}

const sot_reader_kind sot_reader_libsvm = {
    .name = "LIBSVM",
    .option = "libsvm",
    .of_matrices = true,
    .is_sparse = true,
    .keeps_order = true,
    .labels = "the lines of LIBSVM begin with their labels",
    .is_named = is_libsvm,
    .open = open_reader,
    .close = close_reader,
    .next = next_record,
    .lines = lines_of,
    .fork = fork_reader,
};
