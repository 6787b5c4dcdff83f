/* The reader of JSON lines: every line one record, whatever it holds, and no line changes another. */
#include "data/files.h"

#include "base/json/json.h"
#include "base/memory.h"
#include "data/source/source.h"

enum { COLUMNS = 6, ROWS_MAX = 64, ID_BYTES = 64 };

static const char schema_text[] =
    "{\"unit\": {\"column\": \"person\", \"rows\": 2}, \"target\": \"smokes\", "
    "\"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": -1.5, \"upper\": 110.5, "
    "\"missing\": 41.25},"
    "{\"name\": \"children\", \"type\": \"integer\", \"lower\": 0, \"upper\": 12, "
    "\"missing\": 7},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"H\\u00f6\\u00f6r\"], \"missing\": \"Ystad\"},"
    "{\"name\": \"smokes\", \"type\": \"boolean\", \"missing\": true},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"note \\\"x\\\"\", \"type\": \"ignore\"}]}";

typedef struct row {
    double cells[COLUMNS];
    char id[ID_BYTES];
    size_t id_bytes;
} row;

static const row absent = {.cells = {41.25, 7, 1, 1, 0, 0}};

static size_t read_path(const char *path, row *out, size_t most)
{
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(schema_text);
    size_t count = 0;
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    for (;; count++) {
        sot_record record;
        bool more = true;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        if (!more) break;
        if (count >= most) continue;
        out[count] = (row){.id_bytes = record.unit_bytes};
        memcpy(out[count].cells, record.cells, sizeof out[count].cells);
        if (record.unit_bytes <= ID_BYTES)
            memcpy(out[count].id, record.unit, record.unit_bytes);
    }
    sot_source_close(source);
    sotto_schema_free(schema);
    return count;
}

static size_t read_bytes(const char *text, size_t size_bytes, row *out, size_t most)
{
    const char *path = write_bytes("rows.jsonl", text, size_bytes);
    const size_t count = read_path(path, out, most);
    (void)unlink(path);
    return count;
}

/* The one row of a file of one line. */
static row row_of(const char *line)
{
    row rows[2];
    assert_int_equal(read_bytes(line, strlen(line), rows, 2), 1);
    return rows[0];
}

static void assert_rows_equal(const row *a, const row *b)
{
    assert_memory_equal(a->cells, b->cells, sizeof a->cells);
    assert_int_equal(a->id_bytes, b->id_bytes);
    assert_memory_equal(a->id, b->id, a->id_bytes <= ID_BYTES ? a->id_bytes : 0);
}

static void assert_row(const char *line, double age, double children, double town,
                       double smokes, const char *id)
{
    row wanted = {.cells = {age, children, town, smokes, 0, 0}, .id_bytes = strlen(id)};
    memcpy(wanted.id, id, strlen(id));
    const row actual = row_of(line);
    if (memcmp(&actual, &wanted, sizeof actual.cells) != 0)
        print_error("%s: %g %g %g %g\n", line, actual.cells[0], actual.cells[1],
                    actual.cells[2], actual.cells[3]);
    assert_rows_equal(&actual, &wanted);
}

static void members_are_matched_by_name_in_any_order(void **state)
{
    (void)state;
    assert_row("{\"age\": 23.75, \"children\": 3, \"town\": \"Lund\", \"smokes\": false, "
               "\"person\": \"p1\"}\n",
               23.75, 3, 0, 0, "p1");
    assert_row("{\"person\":\"p1\",\"smokes\":false,\"unknown\":[1,{\"age\":5}],"
               "\"town\":\"Lund\",\"age\":2.375e1,\"children\":3,\"note \\\"x\\\"\":9}",
               23.75, 3, 0, 0, "p1");
    assert_row(" \t{ \"ag\\u0065\" : 23.75 , \"Age\": 1, \"age \": 2 } \r\n", 23.75, 7, 1,
               1, "");
    assert_row("\xef\xbb\xbf{\"age\": 0}", 0, 7, 1, 1, "");
    assert_row("{}", 41.25, 7, 1, 1, "");
}

static void values_count_as_what_they_spell(void **state)
{
    (void)state;
    assert_row("{\"age\": \"12.5\", \"children\": \" 4 \", \"smokes\": \"no\"}", 12.5, 4,
               1, 0, "");
    assert_row("{\"age\": true, \"children\": 2.5, \"smokes\": 0, \"person\": 17}", 41.25,
               7, 1, 0, "17");
    assert_row("{\"age\": 1e400, \"children\": 0e9, \"person\": 9007199254740993}", 41.25,
               0, 1, 1, "9007199254740993");
    assert_row("{\"age\": null, \"children\": [3], \"town\": {\"town\": \"Lund\"}, "
               "\"smokes\": null, \"person\": null}",
               41.25, 7, 1, 1, "");
    assert_row("{\"age\": 1e9, \"children\": -4, \"town\": \"Malmo\"}", 110.5, 0, 1, 1,
               "");
    assert_row("{\"age\": 3e0, \"smokes\": true}", 3, 7, 1, 1, "");
}

static void escapes_and_surrogates_are_decoded(void **state)
{
    (void)state;
    assert_row(
        "{\"town\": \"H\\u00F6\\u00f6r\", \"person\": \"a\\/\\\\\\\"\\b\\f\\n\\t\\r\"}",
        41.25, 7, 2, 1, "a/\\\"\b\f\n\t\r");
    assert_row("{\"person\": \"\\ud83d\\ude00\"}", 41.25, 7, 1, 1, "\xf0\x9f\x98\x80");
    assert_row("{\"person\": \"\\ud83dx\\ude00\\ud83d\\ud83d\\ude00\\ud83d\"}", 41.25, 7,
               1, 1, "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd");
    assert_row("{\"person\": \"\\ud83d\\n\xff\"}", 41.25, 7, 1, 1, "\xef\xbf\xbd\n\xff");
    const row with_nul = row_of("{\"person\": \"a\\u0000b\"}");
    assert_int_equal(with_nul.id_bytes, 3);
    assert_memory_equal(with_nul.id, "a\0b", 3);
}

/* A fixed rule: as JavaScript, Python and jq have it. */
static void of_members_with_one_name_the_last_counts(void **state)
{
    (void)state;
    assert_row("{\"age\": 1, \"age\": 2, \"person\": \"a\", \"person\": \"b\"}", 2, 7, 1,
               1, "b");
    assert_row("{\"age\": 1, \"age\": null, \"person\": \"a\", \"person\": []}", 41.25, 7,
               1, 1, "");
    assert_row("{\"age\": null, \"ag\\u0065\": 5}", 5, 7, 1, 1, "");
}

/* No record says for another which members there are. */
static void the_first_record_is_no_header(void **state)
{
    (void)state;
    row rows[3];
    static const char text[] = "{\"age\": 1}\n{\"town\": \"Lund\", \"person\": \"p\", "
                               "\"other\": 1}\n{\"x\": 1, \"age\": 1, \"age\": 3}\n";
    assert_int_equal(read_bytes(text, sizeof text - 1, rows, 3), 3);
    assert_true(rows[1].cells[0] == 41.25 && rows[1].cells[2] == 0.0);
    assert_int_equal(rows[1].id_bytes, 1);
    assert_true(rows[2].cells[0] == 3.0);
}

/* Names twice, names that the schema does not have: the records behind them are read. */
static void no_member_stops_a_run(void **state)
{
    (void)state;
    static const char *const lines[] = {"{\"age\": 1, \"age\": 2}", "{\"unknown\": 2}",
                                        "{\"\": 2}", "{\"x\": {\"y\": {}}}",
                                        "{\"age\": []}"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char text[128];
        row rows[3];
        snprintf(text, sizeof text, "%s\n{\"age\": 5}\n{\"age\": 6}\n", lines[i]);
        assert_int_equal(read_bytes(text, strlen(text), rows, 3), 3);
        assert_true(rows[1].cells[0] == 5.0 && rows[2].cells[0] == 6.0);
    }
}

static const char *const malformed[] = {"",
                                        " ",
                                        "\t\r",
                                        "x",
                                        "null",
                                        "17",
                                        "\"age\"",
                                        "[]",
                                        "[{\"age\": 1}]",
                                        "{",
                                        "}",
                                        "{\"age\"",
                                        "{\"age\":",
                                        "{\"age\": 1",
                                        "{\"age\": 1,}",
                                        "{,\"age\": 1}",
                                        "{\"age\" 1}",
                                        "{age: 1}",
                                        "{'age': 1}",
                                        "{\"age\": 1}}",
                                        "{\"age\": 1} x",
                                        "{\"age\": 1}{\"age\": 1}",
                                        "{\"age\": 01}",
                                        "{\"age\": 1.}",
                                        "{\"age\": .5}",
                                        "{\"age\": +1}",
                                        "{\"age\": -}",
                                        "{\"age\": 1e}",
                                        "{\"age\": 1e+}",
                                        "{\"age\": 0x1}",
                                        "{\"age\": NaN}",
                                        "{\"age\": Infinity}",
                                        "{\"age\": 1 2}",
                                        "{\"age\": tru}",
                                        "{\"age\": truex}",
                                        "{\"age\": nul}",
                                        "{\"age\": nulll}",
                                        "{\"age\": True}",
                                        "{\"age\": 1, \"town\": \"Lund}",
                                        "{\"age\": 1, \"town\": \"\\x\"}",
                                        "{\"age\": 1, \"town\": \"\\u00g0\"}",
                                        "{\"age\": 1, \"town\": \"a\tb\"}",
                                        "{\"age\": 1, \"x\": [1, 2}",
                                        "{\"age\": 1, \"x\": {]}",
                                        "{\"age\": 1, \"x\": [,]}",
                                        "{\"age\": 1, \"x\": [1,]}",
                                        "{\"age\": 1, \"x\": {\"y\"}}",
                                        "{\"age\": 1, \"x\": {\"y\": 1,}}",
                                        "{\"age\": 1, // no\n",
                                        "{\"person\": \"p1\", \"age\"}",
                                        "\xff\xfe{\"age\": 1}",
                                        "1 1:0.5",
                                        "age,town"};

static void a_malformed_line_is_a_row_of_missing_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        char text[256];
        row rows[3];
        const size_t size = strcspn(malformed[i], "\n");
        snprintf(text, sizeof text, "{\"age\": 1}\n%.*s\n{\"person\": \"q\"}\n",
                 (int)size, malformed[i]);
        assert_int_equal(read_bytes(text, strlen(text), rows, 3), 3);
        assert_rows_equal(&rows[1], &absent);
        assert_true(rows[0].cells[0] == 1.0);
        assert_int_equal(rows[2].id_bytes, 1);
    }
    row rows[ROWS_MAX];
    assert_int_equal(read_bytes("{\"age\": 1\0}\n\0\n", 14, rows, ROWS_MAX), 2);
    assert_rows_equal(&rows[0], &absent);
    assert_int_equal(read_bytes("", 0, rows, ROWS_MAX), 0);
    assert_int_equal(read_bytes("\n\n\n", 3, rows, ROWS_MAX), 3);
}

static void nesting_ends_at_32(void **state)
{
    (void)state;
    for (size_t depth = 30; depth < 34; depth++) {
        char text[256] = "{\"age\": 2, \"x\": ";
        for (size_t i = 1; i < depth; i++)
            strcat(text, i % 2 ? "[" : "{\"age\":");
        strcat(text, "5");
        for (size_t i = depth; i-- > 1;)
            strcat(text, i % 2 ? "]" : "}");
        strcat(text, "}");
        const row actual = row_of(text);
        assert_true(actual.cells[0] == (depth <= 32 ? 2.0 : 41.25));
    }
}

/* Longer than what is kept of a line, and of a text: read by the same rules, under its own id. */
static void long_lines_give_their_rows(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    char *text = malloc(2 * LONG);
    assert_non_null(text);
    for (int place = 0; place < 3; place++) {
        char *at = text;
        const char *cells =
            "\"age\": 23.75, \"town\": \"H\\u00f6\\u00f6r\", \"person\": \"p1\"";
        at += sprintf(at, "{%s%s", place == 0 ? cells : "", place == 0 ? "," : "");
        at += sprintf(at, "\"filler\": \"");
        memset(at, 'x', LONG);
        at += LONG;
        at += sprintf(at, "\"%s%s", place > 0 ? "," : "", place > 0 ? cells : "");
        at += sprintf(at, place == 2 ? "\n" : "}\r\n");
        row rows[2];
        assert_int_equal(read_bytes(text, (size_t)(at - text), rows, 2), 1);
        if (place == 2) {
            assert_rows_equal(&rows[0], &absent); /* its brace is missing */
            continue;
        }
        assert_true(rows[0].cells[0] == 23.75 && rows[0].cells[2] == 2.0);
        assert_memory_equal(rows[0].id, "p1", 2);
    }
    char *at = text + sprintf(text, "{\"age\": ");
    memset(at, '1', 5000);
    strcpy(at + 5000, ", \"children\": 2, \"person\": \"");
    at += strlen(at);
    memset(at, 'i', 5000);
    strcpy(at + 5000, "\"}");
    row rows[1];
    assert_int_equal(read_bytes(text, strlen(text), rows, 1), 1);
    assert_true(rows[0].cells[0] == 41.25 && rows[0].cells[1] == 2.0);
    assert_true(rows[0].id_bytes >= 256);
    free(text);
}

static void packed_by_name_alone(void **state)
{
    (void)state;
    static const char text[] = "{\"age\": 5}\n{\"age\": 6}\n";
    row rows[4];
    const char *path = write_packed("rows.ndjson.gz", text, sizeof text - 1);
    assert_int_equal(read_path(path, rows, 4), 2);
    assert_true(rows[1].cells[0] == 6.0);
    (void)unlink(path);
    /* A record that begins like gzip is a record. */
    assert_int_equal(read_bytes("\x1f\x8b\x08\n{\"age\": 6}\n", 15, rows, 4), 2);
    assert_rows_equal(&rows[0], &absent);
    assert_true(rows[1].cells[0] == 6.0);
}

/* What base/json/json.h takes, this reader takes, and the other way round but for the rules that differ on purpose: twice the same
 * name, large numbers, NUL. */
static void it_agrees_with_the_parser_of_settings(void **state)
{
    (void)state;
    static const char alphabet[] = "{}[]:,\"\"\"a1-.e+ \\untrlfs0";
    uint64_t stream = 4;
    size_t good = 0;
    for (int i = 0; i < 4000; i++) {
        char line[40] = "{\"age\":1";
        size_t size = strlen(line);
        const size_t more = 1 + next_bits(&stream) % 12;
        for (size_t k = 0; k < more; k++)
            line[size++] = alphabet[next_bits(&stream) % (sizeof alphabet - 1)];
        if (next_bits(&stream) % 2 == 0) line[size++] = '}';
        line[size] = '\0';
        sot_json *document = NULL;
        const bool is_good =
            sot_json_parse(NULL, line, size, size, &document, NULL) == SOTTO_OK;
        sot_json_free(document);
        const row actual = row_of(line);
        const bool is_read = memcmp(actual.cells, absent.cells, sizeof actual.cells) != 0;
        if (is_good != is_read) print_error("%s\n", line);
        assert_int_equal(is_good, is_read);
        good += is_good ? 1 : 0;
    }
    assert_true(good > 20);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = parse_schema(schema_text);
    const char *path = write_bytes("rows.jsonl", "{\"age\": 5}\n", 11);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_source *source = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_source_open_file(path, schema, false, &source, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_source_close(source);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_matched_by_name_in_any_order),
        cmocka_unit_test(values_count_as_what_they_spell),
        cmocka_unit_test(escapes_and_surrogates_are_decoded),
        cmocka_unit_test(of_members_with_one_name_the_last_counts),
        cmocka_unit_test(the_first_record_is_no_header),
        cmocka_unit_test(no_member_stops_a_run),
        cmocka_unit_test(a_malformed_line_is_a_row_of_missing_cells),
        cmocka_unit_test(nesting_ends_at_32),
        cmocka_unit_test(long_lines_give_their_rows),
        cmocka_unit_test(packed_by_name_alone),
        cmocka_unit_test(it_agrees_with_the_parser_of_settings),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
