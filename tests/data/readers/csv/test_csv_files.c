/* The CSV reader and strange files: clear errors before the rows, and none after. */
#include "data/files.h"

#include <sys/resource.h>

#include "data/readers/csv/csv.h"

static const char schema_text[] =
    "{\"columns\": [{\"name\": \"x\", \"type\": \"number\", \"lower\": -1e6, \"upper\": "
    "1e6, \"missing\": 7.5},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"a "
    "\\\"b\\\"\"]},"
    "{\"name\": \"id\", \"type\": \"id\"}]}";

enum { COLUMNS = 3 };

typedef double values[COLUMNS];

static size_t read_path(const char *path, values *out, size_t most)
{
    sotto_error error;
    sot_csv *csv = NULL;
    bool more = true;
    size_t rows = 0;
    sotto_schema *schema = parse_schema(schema_text);
    assert_ok(sot_csv_open(path, ',', schema, false, &csv, &error), &error);
    for (;; rows++) {
        values row;
        assert_ok(sot_csv_next(csv, row, &more, &error), &error);
        if (!more) break;
        assert_within(row[0], -1e6, 1e6);
        assert_true(row[1] == 0.0 || row[1] == 1.0);
        assert_true(row[2] == 0.0);
        if (rows < most) memcpy(out[rows], row, sizeof row);
    }
    sot_csv_close(csv);
    sotto_schema_free(schema);
    return rows;
}

static size_t read_bytes(const char *name, const char *bytes, size_t size_bytes,
                         values *out, size_t most)
{
    const char *path = write_bytes(name, bytes, size_bytes);
    const size_t rows = read_path(path, out, most);
    (void)unlink(path);
    return rows;
}

/* Lines of all lengths, over many blocks: row i holds i, and the blocks have no seams. */
static void lines_are_whole_wherever_a_block_ends(void **state)
{
    (void)state;
    enum { ROWS = 30000 };
    char *text = malloc((size_t)ROWS * 90);
    values *rows = malloc(ROWS * sizeof *rows);
    uint64_t stream = 21;
    size_t used = (size_t)sprintf(text, "x,id,town\n");
    for (int i = 0; i < ROWS; i++) {
        const int blanks = (int)(next_bits(&stream) % 50);
        used +=
            (size_t)sprintf(text + used, "%d,%*s,%s%s", i, blanks, "",
                            i % 2 ? "Lund" : "\"a \"\"b\"\"\"", i % 3 ? "\n" : "\r\n");
    }
    assert_int_equal(read_bytes("seams.csv", text, used, rows, ROWS), ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_true(rows[i][0] == (double)i);
        assert_true(rows[i][1] == (i % 2 ? 0.0 : 1.0));
    }
    const char *path = write_packed("seams.csv.gz", text, used);
    memset(rows, 0, ROWS * sizeof *rows);
    assert_int_equal(read_path(path, rows, ROWS), ROWS);
    for (int i = 0; i < ROWS; i++)
        assert_true(rows[i][0] == (double)i);
    (void)unlink(path);
    free(rows);
    free(text);
}

static void a_pipe_is_read_like_a_file(void **state)
{
    (void)state;
    static const char text[] = "id,town,x\r\np,Lund,2.5\r\n";
    int ends[2];
    char path[64];
    values rows[1];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(close(ends[1]), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(read_path(path, rows, 1), 1);
    assert_true(rows[0][0] == 2.5);
    assert_int_equal(close(ends[0]), 0);
}

/* Blanks, quotes, signs, carriage returns and NULs: what a cell counts as. */
static void cells_are_read_by_the_rules(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        double value;
    } cases[] = {
        {"2.5", 2.5},
        {" 2.5", 2.5},
        {"2.5 ", 2.5},
        {"\t2.5\t", 2.5},
        {"\"2.5\"", 2.5},
        {"\"2.5\"x", 2.5},
        {"\"2.5", 7.5},
        {"\" 2.5\"", 2.5}, /* as in JSON, a database or a frame */
        {"\"\t2.5 \"", 2.5},
        {"\" 2.5 \"x", 2.5},
        {" \"2.5\"", 7.5},
        {"2.5\"", 7.5},
        {"+2.5e0", 2.5},
        {"2.5.", 7.5},
        {"2,5", 2.0},
        {"", 7.5},
        {"-", 7.5},
        {"1e7", 1e6},
        {"-1e300", -1e6},
        {"1e999", 7.5},
        {"1e-999", 0.0},
        {"nan", 7.5},
        {"0.1", 0.1},
        {"0x1", 7.5},
        {"2.5\r", 7.5},
        {"12345678.5", 1e6},
        {"123456.78901234567890123456789", 123456.78901234567890123456789},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        values rows[1];
        const int used =
            snprintf(text, sizeof text, "x,town,id\n%s,Lund,p\n", cases[i].cell);
        assert_int_equal(read_bytes("cell.csv", text, (size_t)used, rows, 1), 1);
        if (rows[0][0] != cases[i].value)
            fail_msg("'%s' was read as %.17g", cases[i].cell, rows[0][0]);
    }
    values rows[2];
    static const char with_nul[] = "x,town,id\n2.5\0,Lund,p\n2.5,Lu\0nd,p";
    assert_int_equal(read_bytes("nul.csv", with_nul, sizeof with_nul - 1, rows, 2), 2);
    assert_true(rows[0][0] == 7.5 && rows[1][0] == 2.5);
}

static void refuse_header(const char *bytes, size_t size_bytes, const char *word)
{
    sotto_error error;
    sot_csv *csv = NULL;
    sotto_schema *schema = parse_schema(schema_text);
    const char *path = write_bytes("header.csv", bytes, size_bytes);
    assert_refused(sot_csv_open(path, ',', schema, false, &csv, &error), SOTTO_PARSE,
                   &error, word, NULL);
    assert_null(strstr(error.message, "secret"));
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void headers_that_name_something_else_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size_bytes;
        const char *word;
    } cases[] = {{"x,town\0,id\n", 11, "column 2 of"},
                 {"\xff\xfex\0,\0", 6, "column 1 of"}, /* UTF-16 */
                 {"\0", 1, "column 1 of"},
                 {"x,town,id,\n", 11, "column 4 of"},
                 {"x;town;id\n", 10, "column 1 of"},
                 {"secret\n", 7, "column 1 of"},
                 {"\r\n", 2, "empty"},
                 {"\xef\xbb\xbf", 3, "column 1 of"},
                 {"x,x,town,id\n", 12, "twice"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        refuse_header(cases[i].bytes, cases[i].size_bytes, cases[i].word);
    values rows[1];
    static const char good[] = "\xef\xbb\xbf\"x\", town ,id\r\n1.5,Lund,p";
    assert_int_equal(read_bytes("bom.csv", good, sizeof good - 1, rows, 1), 1);
    assert_true(rows[0][0] == 1.5);
}

/* Ten million columns, or a first line that never ends: refused after the first megabytes. */
static void a_header_without_end_takes_no_memory(void **state)
{
    (void)state;
    const size_t size_bytes = (size_t)20000000;
    char *text = malloc(size_bytes);
    for (size_t i = 0; i < size_bytes; i++)
        text[i] = i % 2 ? ',' : 'x';
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    refuse_header(text, size_bytes, "longer");
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 8 * 1024); /* KiB */
    free(text);
    sotto_error error;
    sot_csv *csv = NULL;
    sotto_schema *schema = parse_schema(schema_text);
    assert_refused(sot_csv_open("/dev/zero", ',', schema, false, &csv, &error),
                   SOTTO_PARSE, &error, "longer", NULL);
    sotto_schema_free(schema);
}

/* A row of 3 MB: every cell counts, wherever it stands. */
static void cells_far_out_count(void **state)
{
    (void)state;
    const size_t blanks = (size_t)3 << 20;
    char *text = malloc(blanks + 64);
    values rows[2];
    size_t used = (size_t)sprintf(text, "town,id,x\na \"b\",");
    memset(text + used, ' ', blanks);
    used += blanks;
    used += (size_t)sprintf(text + used, ",2.5\nLund,p,3.5\n");
    assert_int_equal(read_bytes("far.csv", text, used, rows, 2), 2);
    assert_true(rows[0][0] == 2.5 && rows[0][1] == 1.0);
    assert_true(rows[1][0] == 3.5 && rows[1][1] == 0.0);
    free(text);
}

static void any_bytes_are_rows(void **state)
{
    (void)state;
    static const char letters[] = "0123456789.,\"\n\r -+eLund\0\xff\t";
    uint64_t stream = 22;
    for (int round = 0; round < 400; round++) {
        char text[600] = "x,town,id\n";
        const size_t begin = strlen(text);
        const size_t size = begin + (size_t)(next_bits(&stream) % (sizeof text - begin));
        size_t lines = 0;
        for (size_t i = begin; i < size; i++) {
            text[i] = letters[next_bits(&stream) % (sizeof letters - 1)];
            lines += text[i] == '\n';
        }
        lines += text[size - 1] != '\n';
        assert_int_equal(read_bytes("any.csv", text, size, NULL, 0), lines);
    }
}

static const char unit_schema[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 1}, \"columns\": [{\"name\": \"note\", "
    "\"type\": \"ignore\"}, {\"name\": \"id\", \"type\": \"id\"}, {\"name\": \"x\", "
    "\"type\": \"number\", \"lower\": 0, \"upper\": 9, \"missing\": 8.5}, {\"name\": "
    "\"town\", \"type\": \"category\", \"values\": [\"Lund\", \"a \\\"b\\\"\"]}, "
    "{\"name\": \"smokes\", \"type\": \"boolean\"}]}";

enum { UNIT_COLUMNS = 5, ID_BYTES = 256 };

/* A row and its id, as far as it tells units apart. */
typedef struct unit_row {
    double values[UNIT_COLUMNS];
    char id[ID_BYTES];
    size_t id_bytes;
} unit_row;

static size_t read_units(const char *bytes, size_t size_bytes, unit_row *out, size_t most)
{
    sotto_error error;
    sot_csv *csv = NULL;
    size_t rows = 0;
    const char *path = write_bytes("cut.csv", bytes, size_bytes);
    sotto_schema *schema = parse_schema(unit_schema);
    assert_ok(sot_csv_open(path, ',', schema, false, &csv, &error), &error);
    for (bool more = true; more; rows += more) {
        unit_row row = {0};
        assert_ok(sot_csv_next(csv, row.values, &more, &error), &error);
        if (!more) break;
        const char *id = sot_csv_id(csv, 1, &row.id_bytes);
        if (row.id_bytes > ID_BYTES) row.id_bytes = ID_BYTES;
        memcpy(row.id, id, row.id_bytes);
        if (rows < most) out[rows] = row;
    }
    sot_csv_close(csv);
    sotto_schema_free(schema);
    (void)unlink(path);
    return rows;
}

/* A line may be of any length, and its id may stand anywhere: it gives one row, of its own unit. Were there none, the
 * number of rows would tell of the record (src/data/stability.md, claim 2). */
static void a_long_line_gives_a_row_of_its_unit(void **state)
{
    (void)state;
    /* What a reader of this schema keeps of a line: 1 MiB, 5 cells, the names and values twice. */
    enum { KEPT = (1 << 20) + 5 * 32 + 2 * (4 + 2 + 1 + 5 + 6) };
    char *file = malloc(((size_t)2 << 20) + 200);
    assert_non_null(file);
    for (size_t length = KEPT - 24; length <= (size_t)2 << 20;
         length += length < KEPT + 4 ? 1 : 77777) {
        unit_row rows[3];
        size_t used = (size_t)sprintf(file, "note,id,x,town,smokes\nn,p1,1,Lund,yes\n");
        memset(file + used, 'n', length);
        used += length;
        used += (size_t)sprintf(file + used, ", p2 ,2,Lund,yes%sn,p3,3,Lund,no\n",
                                length % 2 ? "\n" : "\r\n");
        assert_int_equal(read_units(file, used, rows, 3), 3);
        for (size_t i = 0; i < 3; i++) {
            const char wanted[2] = {'p', (char)('1' + i)};
            assert_true(rows[i].values[2] == (double)(i + 1));
            assert_int_equal(rows[i].id_bytes, 2);
            assert_memory_equal(rows[i].id, wanted, 2);
        }
        assert_true(rows[1].values[4] == 1.0);
    }
    free(file);
}

/* Cells of any bytes count the same behind a short and a long note. */
static void the_length_of_a_line_changes_no_cell(void **state)
{
    (void)state;
    static const char *const words[] = {",",  ",",   "\"",      "\"\"", "\r", " ",
                                        "\t", "2.5", "Lund",    "yes",  "e",  "p",
                                        "0",  ",",   "a \"\"b", "\"a",  "-1", "\""};
    static const char header[] = "note,id,x,town,smokes\n";
    enum { ROUNDS = 150, NOTE = (1 << 20) + 300, TAIL = 2000 };
    uint64_t stream = 24;
    char *file = malloc(NOTE + 2 * TAIL + 200);
    assert_non_null(file);
    for (size_t round = 0; round < ROUNDS; round++) {
        char tail[TAIL] = ",";
        unit_row rows[2];
        const size_t count = (size_t)(next_bits(&stream) % 24);
        for (size_t i = 0; i < count; i++)
            strcat(tail, words[next_bits(&stream) % (sizeof words / sizeof words[0])]);
        if (round % 5 == 0) {
            const size_t length = strlen(tail);
            memset(tail + length, round % 2 ? ' ' : 'q', 300);
            strcpy(tail + length + 300, round % 3 ? ",1" : "q,1");
        }
        size_t used = (size_t)sprintf(file, "%sn%s\n", header, tail);
        memset(file + used, 'n', NOTE);
        used += NOTE;
        used += (size_t)sprintf(file + used, "%s\n", tail);
        assert_int_equal(read_units(file, used, rows, 2), 2);
        for (size_t i = 0; i < UNIT_COLUMNS; i++)
            if (rows[0].values[i] != rows[1].values[i])
                fail_msg("column %zu of '%s' is %g and %g", i, tail, rows[0].values[i],
                         rows[1].values[i]);
        assert_int_equal(rows[0].id_bytes, rows[1].id_bytes);
        assert_memory_equal(rows[0].id, rows[1].id, rows[0].id_bytes);
    }
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_without_end_takes_no_memory),
        cmocka_unit_test(lines_are_whole_wherever_a_block_ends),
        cmocka_unit_test(a_long_line_gives_a_row_of_its_unit),
        cmocka_unit_test(the_length_of_a_line_changes_no_cell),
        cmocka_unit_test(a_pipe_is_read_like_a_file),
        cmocka_unit_test(cells_are_read_by_the_rules),
        cmocka_unit_test(headers_that_name_something_else_are_refused),
        cmocka_unit_test(cells_far_out_count),
        cmocka_unit_test(any_bytes_are_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
