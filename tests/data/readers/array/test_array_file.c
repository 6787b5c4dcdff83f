/* NPY and IDX: every kind of number in its place, headers checked, no row told of. */
#include "data/arrays.h"

#include "base/memory.h"
#include "data/readers/array/file.h"
#include "data/source/source.h"

/* The rows of a file as one list; 0 when it could not be opened. */
static size_t read_path(const char *path, size_t columns, double *out, size_t most)
{
    sotto_error error;
    sot_array_file *file = NULL;
    size_t rows = 0;
    assert_ok(sot_array_file_open(path, columns, "features", &file, &error), &error);
    for (bool more = true;; rows++) {
        double row[24];
        assert_true(columns <= sizeof row / sizeof row[0]);
        assert_ok(sot_array_file_next(file, row, &more, &error), &error);
        if (!more) break;
        assert_true((rows + 1) * columns <= most);
        memcpy(out + rows * columns, row, columns * sizeof *row);
    }
    assert_int_equal(sot_array_file_rows(file), rows);
    sot_array_file_close(file);
    return rows;
}

static size_t read_bytes(const char *name, const array_bytes *bytes, size_t columns,
                         double *out, size_t most)
{
    const char *path = write_bytes(name, bytes->bytes, bytes->size);
    const size_t rows = read_path(path, columns, out, most);
    (void)unlink(path);
    return rows;
}

static void assert_numbers(const double *actual, const double *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(wanted[i])) {
            assert_true(isnan(actual[i]));
        } else {
            assert_true(actual[i] == wanted[i]);
        }
    }
}

/* ---- numbers ---- */

static void every_kind_of_npy_number_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        size_t size;
        uint64_t bits[3];
        double numbers[3];
    } kinds[] = {
        {"i1", 1, {0x85, 0x7f, 0x80}, {-123, 127, -128}},
        {"u1", 1, {0x85, 0, 0xff}, {133, 0, 255}},
        {"b1", 1, {0, 1, 1}, {0, 1, 1}},
        {"i2", 2, {0x8001, 0x1234, 0xffff}, {-32767, 4660, -1}},
        {"u2", 2, {0x8001, 0x1234, 0xffff}, {32769, 4660, 65535}},
        {"i4", 4, {0x80000000, 0x12345678, 0xfffffffd}, {-2147483648.0, 305419896, -3}},
        {"u4", 4, {0x80000000, 5, 0xfffffffd}, {2147483648.0, 5, 4294967293.0}},
        {"i8", 8, {UINT64_C(1) << 63, 77, UINT64_MAX - 8}, {-0x1p63, 77, -9}},
        {"u8", 8, {UINT64_C(1) << 63, 77, UINT64_C(1) << 40}, {0x1p63, 77, 0x1p40}},
        {"f4",
         4,
         {0x3fc00000, 0xff800000, 0x7fc00000},
         {1.5, -(double)INFINITY, (double)NAN}},
        {"f8",
         8,
         {UINT64_C(0xc03c600000000000), UINT64_C(0x7ff0000000000000),
          UINT64_C(0x7ff8000000000001)},
         {-28.375, (double)INFINITY, (double)NAN}},
    };
    for (size_t k = 0; k < 2 * (sizeof kinds / sizeof kinds[0]); k++) {
        const bool big = k % 2 == 1;
        const size_t size = kinds[k / 2].size;
        char dictionary[96];
        double numbers[3];
        (void)snprintf(dictionary, sizeof dictionary,
                       "{'descr': '%c%s', 'fortran_order': False, 'shape': (3, 1), }\n",
                       size == 1 ? '|'
                       : big     ? '>'
                                 : '<',
                       kinds[k / 2].kind);
        array_bytes bytes = npy_of(dictionary, (unsigned char)(1 + k % 3));
        for (size_t i = 0; i < 3; i++)
            add_bits(&bytes, kinds[k / 2].bits[i], size, big);
        assert_int_equal(read_bytes("a.npy", &bytes, 1, numbers, 3), 3);
        assert_numbers(numbers, kinds[k / 2].numbers, 3);
    }
}

static void every_kind_of_idx_number_is_read(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {2, 1, 1};
    static const struct {
        unsigned char kind;
        size_t size;
        uint64_t bits[2];
        double numbers[2];
    } kinds[] = {{0x08, 1, {250, 3}, {250, 3}},
                 {0x09, 1, {250, 3}, {-6, 3}},
                 {0x0B, 2, {0xfffe, 300}, {-2, 300}},
                 {0x0C, 4, {0xfffffffe, 70000}, {-2, 70000}},
                 {0x0D, 4, {0x3fc00000, 0xbf000000}, {1.5, -0.5}},
                 {0x0E, 8, {UINT64_C(0x4009000000000000), 0}, {3.125, 0}}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double numbers[2];
        array_bytes bytes = idx_of(kinds[k].kind, (unsigned char)(1 + k % 3), lengths);
        for (size_t i = 0; i < 2; i++)
            add_bits(&bytes, kinds[k].bits[i], kinds[k].size, true);
        assert_int_equal(read_bytes("a.idx", &bytes, 1, numbers, 2), 2);
        assert_numbers(numbers, kinds[k].numbers, 2);
    }
}

/* ---- places ---- */

static const double six[] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};

static array_bytes six_by(const char *dictionary, const size_t order[6])
{
    array_bytes bytes = npy_of(dictionary, 1);
    for (size_t i = 0; i < 6; i++)
        add_bits(&bytes, bits_of(six[order[i]]), 8, false);
    return bytes;
}

static void rows_lie_where_the_header_says(void **state)
{
    (void)state;
    static const size_t by_rows[6] = {0, 1, 2, 3, 4, 5};
    static const size_t by_columns[6] = {0, 3, 1, 4, 2, 5};
    double numbers[6];
    array_bytes bytes =
        six_by("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f8'}", by_rows);
    assert_int_equal(read_bytes("a.npy", &bytes, 3, numbers, 6), 2);
    assert_numbers(numbers, six, 6);
    bytes = six_by("{\"descr\": '<f8', 'fortran_order':True, 'shape':(2L,3L)}  \n",
                   by_columns);
    assert_int_equal(read_bytes("a.NPY", &bytes, 3, numbers, 6), 2);
    assert_numbers(numbers, six, 6);
    bytes =
        six_by("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 2)}", by_rows);
    assert_int_equal(read_bytes("a.npy", &bytes, 6, numbers, 6), 1);
    assert_numbers(numbers, six, 6);
    /* One dimension is in both orders at once. */
    bytes = six_by("{'descr': '<f8', 'fortran_order': True, 'shape': (6,)}", by_rows);
    assert_int_equal(read_bytes("a.npy", &bytes, 1, numbers, 6), 6);
    assert_numbers(numbers, six, 6);
    const char *path = write_packed("a.npy.gz", bytes.bytes, bytes.size);
    assert_int_equal(read_path(path, 1, numbers, 6), 6);
    assert_numbers(numbers, six, 6);
    (void)unlink(path);
    bytes = npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", 1);
    assert_int_equal(read_bytes("a.npy", &bytes, 3, numbers, 6), 0);
}

/* NumPy writes fortran_order False for an array of at most one row: whatever the order, the packing and the number of rows,
 * the numbers are the same, and nothing is refused. */
static void the_order_of_an_array_tells_nothing_of_its_rows(void **state)
{
    (void)state;
    enum { ROWS_MOST = 3, COLUMNS = 24 };
    static const struct {
        const char *shape;
        size_t lengths[3]; /* behind the rows */
    } shapes[] = {{"24", {24, 1, 1}}, {"4, 6", {4, 6, 1}}, {"2, 3, 4", {2, 3, 4}}};
    double numbers[ROWS_MOST * COLUMNS], wanted[ROWS_MOST * COLUMNS];
    for (size_t i = 0; i < ROWS_MOST * COLUMNS; i++)
        wanted[i] = (double)i;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (size_t rows = 0; rows <= ROWS_MOST; rows++) {
            char dictionary[96];
            const size_t *lengths = shapes[s].lengths;
            (void)snprintf(dictionary, sizeof dictionary,
                           "{'descr': '|u1', 'fortran_order': True, 'shape': (%zu, %s)}",
                           rows, shapes[s].shape);
            array_bytes bytes = npy_of(dictionary, 1);
            for (size_t c = 0; c < lengths[2]; c++)
                for (size_t b = 0; b < lengths[1]; b++)
                    for (size_t a = 0; a < lengths[0]; a++)
                        for (size_t row = 0; row < rows; row++) {
                            const size_t place =
                                ((row * lengths[0] + a) * lengths[1] + b) * lengths[2] +
                                c;
                            const unsigned char byte = (unsigned char)place;
                            add_bytes(&bytes, &byte, 1);
                        }
            assert_int_equal(
                read_bytes("a.npy", &bytes, COLUMNS, numbers, ROWS_MOST * COLUMNS), rows);
            assert_numbers(numbers, wanted, rows * COLUMNS);
            const char *path = write_packed("a.npy.gz", bytes.bytes, bytes.size);
            memset(numbers, 0, sizeof numbers);
            assert_int_equal(read_path(path, COLUMNS, numbers, ROWS_MOST * COLUMNS),
                             rows);
            assert_numbers(numbers, wanted, rows * COLUMNS);
            (void)unlink(path);
            int ends[2];
            char link_path[160];
            assert_int_equal(pipe(ends), 0);
            assert_int_equal(write(ends[1], bytes.bytes, bytes.size), bytes.size);
            assert_int_equal(close(ends[1]), 0);
            char target[64];
            (void)snprintf(target, sizeof target, "/proc/self/fd/%d", ends[0]);
            (void)snprintf(link_path, sizeof link_path, "%s.pipe.npy", path);
            assert_int_equal(symlink(target, link_path), 0);
            memset(numbers, 0, sizeof numbers);
            assert_int_equal(read_path(link_path, COLUMNS, numbers, ROWS_MOST * COLUMNS),
                             rows);
            assert_numbers(numbers, wanted, rows * COLUMNS);
            assert_int_equal(close(ends[0]), 0);
            (void)unlink(link_path);
        }
    }
}

/* Several blocks of the reader, in either order. */
static void rows_behind_the_first_block_are_read_too(void **state)
{
    (void)state;
    enum { ROWS = 200001, COLUMNS = 3 };
    sotto_error error;
    for (int which = 0; which < 4; which++) {
        const bool by_columns = which % 2, packed = which / 2;
        char dictionary[96];
        (void)snprintf(dictionary, sizeof dictionary,
                       "{'descr': '<u4', 'fortran_order': %s, 'shape': (%d, %d)}",
                       by_columns ? "True" : "False", ROWS, COLUMNS);
        const array_bytes header = npy_of(dictionary, 1);
        const size_t size = header.size + 4 * ROWS * COLUMNS;
        char *bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, header.bytes, header.size);
        for (uint32_t row = 0; row < ROWS; row++)
            for (uint32_t column = 0; column < COLUMNS; column++) {
                const uint32_t number = row * COLUMNS + column;
                const size_t place =
                    by_columns ? column * ROWS + row : row * COLUMNS + column;
                memcpy(bytes + header.size + 4 * place, &number, 4);
            }
        const char *path = packed ? write_packed("blocks.npy.gz", bytes, size)
                                  : write_bytes("blocks.npy", bytes, size);
        sot_array_file *file = NULL;
        assert_ok(sot_array_file_open(path, COLUMNS, "features", &file, &error), &error);
        bool more = true;
        for (uint32_t row = 0; row < ROWS; row++) {
            double numbers[COLUMNS];
            assert_ok(sot_array_file_next(file, numbers, &more, &error), &error);
            assert_true(more && numbers[0] == (double)(row * COLUMNS) &&
                        numbers[2] == (double)(row * COLUMNS + 2));
        }
        double last[COLUMNS];
        assert_ok(sot_array_file_next(file, last, &more, &error), &error);
        assert_false(more);
        sot_array_file_close(file);
        (void)unlink(path);
        free(bytes);
    }
}

/* ---- refusals ---- */

static void assert_header_refused(const char *name, const array_bytes *bytes,
                                  sotto_status status, const char *word)
{
    sotto_error error;
    sot_array_file *file = NULL;
    const char *path = write_bytes(name, bytes->bytes, bytes->size);
    assert_refused(sot_array_file_open(path, 3, "features", &file, &error), status,
                   &error, word, NULL);
    assert_null(strstr(error.message, "4099")); /* the number of rows */
    (void)unlink(path);
}

static void headers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const malformed[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099, 3)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099, -3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (4099, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099, 3)} x",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (4099, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4099, 3), 'more': 'x'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 70000, 70000)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 99999999999999999999)}",
        "{'descr': 'a very long kind of number', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (4099,)}",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        const array_bytes bytes = npy_of(malformed[i], 1);
        assert_header_refused("a.npy", &bytes, SOTTO_PARSE, "numpy.save");
    }
    static const char *const kinds[] = {"<f2", "<c8", "|O",  "<U5", "|S1",
                                        "<i3", "|f8", "?i4", "<m8", "<f9"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char dictionary[96];
        (void)snprintf(dictionary, sizeof dictionary,
                       "{'descr': '%s', 'fortran_order': False, 'shape': (4099, 3)}",
                       kinds[i]);
        const array_bytes bytes = npy_of(dictionary, 1);
        assert_header_refused("a.npy", &bytes, SOTTO_UNSUPPORTED, "4 or 8 bytes");
    }
    array_bytes bytes =
        npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 1);
    assert_header_refused("a.npy", &bytes, SOTTO_PARSE, "no rows");
    bytes = npy_of("{}", 4);
    assert_header_refused("a.npy", &bytes, SOTTO_PARSE, "version 1, 2 or 3");
    bytes = npy_of("{}", 2);
    bytes.bytes[10] = 0x7f; /* a header of 8 MiB */
    assert_header_refused("a.npy", &bytes, SOTTO_PARSE, "65536 bytes");
    bytes.size = 7;
    assert_header_refused("a.npy", &bytes, SOTTO_IO, "to its end");
}

static void idx_headers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {4099, 70000, 70000};
    array_bytes bytes = idx_of(0x0A, 2, lengths);
    assert_header_refused("a.idx", &bytes, SOTTO_PARSE, "begin like IDX");
    bytes = idx_of(0x08, 0, lengths);
    assert_header_refused("a.idx", &bytes, SOTTO_PARSE, "begin like IDX");
    bytes = idx_of(0x08, 2, lengths);
    bytes.bytes[0] = 0x1f; /* packed, but the name does not say so */
    assert_header_refused("a.idx", &bytes, SOTTO_PARSE, ".gz");
    bytes = idx_of(0x08, 3, lengths);
    assert_header_refused("a.idx", &bytes, SOTTO_PARSE, "2^32");
    bytes = idx_of(0x08, 2, lengths);
    assert_header_refused("a.idx", &bytes, SOTTO_PARSE, "70000 numbers per row");
    bytes.size = 6;
    assert_header_refused("a.idx", &bytes, SOTTO_IO, "to its end");
}

static void a_file_of_another_length_than_its_header_says_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_array_file *file = NULL;
    static const char *const dictionaries[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}"};
    for (size_t i = 0; i < 18; i++) {
        const size_t size = i / 2;
        array_bytes bytes = npy_of(dictionaries[i % 2], 1);
        add_bytes(&bytes, "abcdefghi", size);
        const char *path = write_bytes("a.npy", bytes.bytes, bytes.size);
        const sotto_status status =
            sot_array_file_open(path, 3, "features", &file, &error);
        assert_int_equal(status, size == 6 ? SOTTO_OK : SOTTO_IO);
        if (size == 6) sot_array_file_close(file);
        (void)unlink(path);
        /* Packed: seen at the end. */
        path = write_packed("a.npy.gz", bytes.bytes, bytes.size);
        sotto_status last = SOTTO_OK;
        bool more = true;
        assert_ok(sot_array_file_open(path, 3, "features", &file, &error), &error);
        while (last == SOTTO_OK && more) {
            double row[3];
            last = sot_array_file_next(file, row, &more, &error);
        }
        assert_int_equal(last, size == 6 ? SOTTO_OK : SOTTO_IO);
        sot_array_file_close(file);
        (void)unlink(path);
    }
}

/* ---- names and labels ---- */

static void the_name_says_what_an_array_is(void **state)
{
    (void)state;
    static const char *const arrays[] = {"a.npy",
                                         "b/a.NPY.gz",
                                         "a.idx",
                                         "a.idx3",
                                         "train-images-idx3-ubyte",
                                         "a.idx.gz",
                                         "t10k-labels.idx1-ubyte.gz",
                                         "x-idx2-double"};
    static const char *const others[] = {"a.csv",     "npy",   "a.npy.csv",   "idx",
                                         "suffix",    "b/idx", "aidx3",       "a.idx0",
                                         "ubyte.csv", ".idx",  "a.npy.gz.tsv"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        assert_true(sot_array_file_is_named(arrays[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(sot_array_file_is_named(others[i]));
}

static const char matrix_text[] = "{\"features\": 3, \"labels\": [0, 1], \"row_norm\": "
                                  "{\"bound\": 1.0, \"rule\": \"clip\"}}";

static array_bytes bytes_of_rows(uint32_t rows, uint32_t columns)
{
    const uint32_t lengths[] = {rows, columns};
    array_bytes bytes = idx_of(0x08, columns == 1 ? 1 : 2, lengths);
    for (uint32_t i = 0; i < rows * columns; i++)
        add_bits(&bytes, i % 2, 1, true);
    return bytes;
}

static void labels_go_with_their_rows(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(matrix_text);
    sot_source *source = NULL;
    char path[160], labels[160];
    array_bytes bytes = bytes_of_rows(5, 3);
    (void)snprintf(path, sizeof path, "%s",
                   write_bytes("f.idx", bytes.bytes, bytes.size));
    bytes = bytes_of_rows(5, 1);
    (void)snprintf(labels, sizeof labels, "%s",
                   write_packed("l.idx.gz", bytes.bytes, bytes.size));
    const sotto_data_file both = {.path = path, .labels = labels};
    const sotto_data_file alone = {.path = path};
    assert_ok(sot_source_open(&both, schema, false, &source, &error), &error);
    for (size_t row = 0; row < 6; row++) {
        sot_record record;
        bool more = false;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_int_equal(more, row < 5);
        if (!more) break;
        assert_int_equal(record.count, 3);
        assert_true(record.label == (double)(row % 2));
        assert_true(record.values[2] == (double)((3 * row + 2) % 2));
    }
    sot_source_close(source);
    assert_refused(sot_source_open(&alone, schema, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "features but no labels",
                   "`labels=labels.npy`", NULL);
    assert_ok(sot_source_open(&alone, schema, true, &source, &error), &error);
    sot_source_close(source);
    bytes = bytes_of_rows(4, 1);
    assert_string_equal(write_packed("l.idx.gz", bytes.bytes, bytes.size), labels);
    assert_refused(sot_source_open(&both, schema, false, &source, &error), SOTTO_PARSE,
                   &error, "another number of labels", NULL);
    (void)unlink(path);
    (void)unlink(labels);
    sotto_schema_free(schema);
}

static void labels_where_none_belong_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *matrix = parse_schema(matrix_text);
    sotto_schema *table = parse_schema(
        "{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"lower\": 0, \"upper\": "
        "1}]}");
    const sotto_data_file libsvm = {.path = "a.libsvm", .labels = "l.npy"};
    const sotto_data_file text = {.path = "a.npy", .labels = "l.csv"};
    const sotto_data_file cells = {.path = "a.npy", .labels = "l.npy"};
    const sotto_data_file query = {.path = "a.db", .query = "SELECT * FROM t"};
    assert_refused(sot_source_open(&libsvm, matrix, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "a file of labels",
                   "begin with their labels", NULL);
    assert_refused(sot_source_open(&text, matrix, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "l.csv", "not NPY or IDX", NULL);
    assert_refused(sot_source_open(&cells, table, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "one of its columns", NULL);
    assert_refused(sot_source_open(&query, matrix, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "\"columns\"", NULL);
    assert_refused(sot_source_open_file("x.sqlite", table, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "x.sqlite", "`table=patients`", NULL);
    sotto_schema_free(table);
    sotto_schema_free(matrix);
}

/* Cells of a table as numbers: the rules of arrays in memory. */
static void an_array_of_cells_is_a_table(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(
        "{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"lower\": -1, "
        "\"upper\": "
        "2, \"missing\": 0.5}, {\"name\": \"town\", \"type\": \"category\", \"values\": "
        "[\"Lund\", \"Ystad\"]}]}");
    array_bytes bytes =
        npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", 1);
    static const double cells[6] = {7.25, 1.0, (double)NAN, 1.5, -0.25, 2.0};
    static const double wanted[6] = {2.0, 1.0, 0.5, 0.0, -0.25, 0.0};
    for (size_t i = 0; i < 6; i++)
        add_bits(&bytes, bits_of(cells[i]), 8, false);
    const char *path = write_bytes("cells.npy", bytes.bytes, bytes.size);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    for (size_t row = 0; row < 3; row++) {
        sot_record record;
        bool more = false;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_true(more);
        assert_numbers(record.cells, wanted + 2 * row, 2);
    }
    sot_source_close(source);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* A cap needs to know whose a row is. */
static void an_array_says_nothing_of_units(void **state)
{
    (void)state;
    sotto_error error = {0};
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(
        "{\"unit\": {\"column\": \"person\", \"rows\": 2}, \"columns\": [{\"name\": "
        "\"a\", \"type\": \"boolean\"}, {\"name\": \"person\", \"type\": \"id\"}]}");
    array_bytes bytes =
        npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", 1);
    for (size_t i = 0; i < 2; i++)
        add_bits(&bytes, bits_of(1.0), 8, false);
    const char *path = write_bytes("units.npy", bytes.bytes, bytes.size);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "the schema's unit", "in memory", NULL);
    sot_source_close(source);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = parse_schema(matrix_text);
    char path[160], labels[160];
    array_bytes bytes =
        npy_of("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3)}", 1);
    add_bytes(&bytes, "abc", 3);
    (void)snprintf(path, sizeof path, "%s",
                   write_bytes("f.npy", bytes.bytes, bytes.size));
    bytes = bytes_of_rows(1, 1);
    (void)snprintf(labels, sizeof labels, "%s",
                   write_bytes("l.idx", bytes.bytes, bytes.size));
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_source *source = NULL;
        const sotto_data_file file = {.path = path, .labels = labels};
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_source_open(&file, schema, false, &source, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_source_close(source);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    (void)unlink(labels);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_npy_number_is_read),
        cmocka_unit_test(every_kind_of_idx_number_is_read),
        cmocka_unit_test(rows_lie_where_the_header_says),
        cmocka_unit_test(the_order_of_an_array_tells_nothing_of_its_rows),
        cmocka_unit_test(rows_behind_the_first_block_are_read_too),
        cmocka_unit_test(headers_that_are_none_are_refused),
        cmocka_unit_test(idx_headers_that_are_none_are_refused),
        cmocka_unit_test(a_file_of_another_length_than_its_header_says_is_refused),
        cmocka_unit_test(the_name_says_what_an_array_is),
        cmocka_unit_test(labels_go_with_their_rows),
        cmocka_unit_test(labels_where_none_belong_are_refused),
        cmocka_unit_test(an_array_of_cells_is_a_table),
        cmocka_unit_test(an_array_says_nothing_of_units),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
