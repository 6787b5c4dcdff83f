/* Values of every Arrow type count as the cells of a file; names and types are matched before the first batch. */
#include "arrow_scene.h"

/* ---- values ---- */

/* One value in one layout. */
typedef struct one_value {
    const char *format, *dictionary;
    size_t bytes;
    union {
        unsigned char raw[16];
        int8_t int8;
        uint8_t uint8;
        int16_t int16;
        uint16_t uint16;
        int32_t int32;
        uint32_t uint32;
        int64_t int64;
        uint64_t uint64;
        float float32;
        double float64;
        struct {
            uint64_t low, high;
        } decimal;
        struct {
            int32_t length;
            char text[12];
        } view;
    } value;
    const char *text; /* of utf8 */
} one_value;

static void fill_form(arrow_producer *producer, arrow_batch *batch, size_t column,
                      const one_value *form)
{
    const void **buffers = batch->buffers[column];
    const size_t size = form->text == NULL ? 0 : strlen(form->text);
    const int32_t narrow[] = {0, (int32_t)size};
    const int64_t wide[] = {0, (int64_t)size};
    const int64_t no_sizes = 0;
    (void)producer;
    if (form->dictionary != NULL) {
        buffers[1] = exactly(&form->value.int8, 1);
        batch->dictionaries[column].length = 1;
        buffers = batch->dictionary_buffers[column];
    } else if (form->text == NULL) {
        buffers[1] = exactly(form->value.raw, form->bytes);
    }
    if (form->text != NULL) {
        const bool is_wide = strcmp(form->format, "U") == 0;
        buffers[1] =
            is_wide ? exactly(wide, sizeof wide) : exactly(narrow, sizeof narrow);
        buffers[2] = exactly(form->text, size);
    }
    if (strcmp(form->format, "vu") == 0) buffers[2] = exactly(&no_sizes, sizeof no_sizes);
}

static void a_value_counts_the_same_from_every_type(void **state)
{
    (void)state;
    static const one_value ones[] = {
        {"b", NULL, 1, {.uint8 = 1}, NULL},
        {"c", NULL, 1, {.int8 = 1}, NULL},
        {"C", NULL, 1, {.uint8 = 1}, NULL},
        {"s", NULL, 2, {.int16 = 1}, NULL},
        {"S", NULL, 2, {.uint16 = 1}, NULL},
        {"i", NULL, 4, {.int32 = 1}, NULL},
        {"I", NULL, 4, {.uint32 = 1}, NULL},
        {"l", NULL, 8, {.int64 = 1}, NULL},
        {"L", NULL, 8, {.uint64 = 1}, NULL},
        {"e", NULL, 2, {.uint16 = 0x3c00}, NULL},
        {"f", NULL, 4, {.float32 = 1}, NULL},
        {"g", NULL, 8, {.float64 = 1}, NULL},
        {"d:5,2", NULL, 16, {.decimal = {100, 0}}, NULL},
        {"d:38,0,128", NULL, 16, {.decimal = {1, 0}}, NULL},
        {"u", NULL, 0, {.int8 = 0}, " 1\t"},
        {"U", NULL, 0, {.int8 = 0}, "1"},
        {"z", NULL, 0, {.int8 = 0}, "1"},
        {"vu", NULL, 16, {.view = {1, "1"}}, NULL},
        {"c", "u", 1, {.int8 = 0}, "1"},
    };
    static const one_value halves[] = {
        {"e", NULL, 2, {.uint16 = 0x4100}, NULL},
        {"f", NULL, 4, {.float32 = 2.5F}, NULL},
        {"g", NULL, 8, {.float64 = 2.5}, NULL},
        {"d:9,3", NULL, 16, {.decimal = {2500, 0}}, NULL},
        {"u", NULL, 0, {.int8 = 0}, "2.5"},
        {"C", "U", 1, {.int8 = 0}, "2.5"},
    };
    static const double one_row[] = {1, 1, 1, 1, 0, 0}, half_row[] = {2.5, 7, 2, 1, 0, 0};
    for (size_t which = 0;
         which < sizeof ones / sizeof ones[0] + sizeof halves / sizeof halves[0];
         which++) {
        const size_t count = sizeof ones / sizeof ones[0];
        const one_value *form = which < count ? &ones[which] : &halves[which - count];
        arrow_producer producer = {.columns = 0};
        static const char *const names[] = {"smokes", "person", "town", "age",
                                            "children"};
        for (size_t i = 0; i < 5; i++)
            arrow_add_column(&producer, names[i], form->format, form->dictionary);
        if (form->dictionary != NULL && strcmp(form->dictionary, "U") == 0)
            for (size_t i = 0; i < 5; i++)
                producer.dictionaries[i] = "u";
        arrow_batch *batch = arrow_add_batch(&producer, 1);
        for (size_t i = 0; i < 5; i++)
            fill_form(&producer, batch, i, form);
        const rows found = read_stream(&producer, table_text, NULL);
        assert_ok(found.status, &found.error);
        assert_int_equal(found.count, 1);
        assert_memory_equal(found.cells[0], which < count ? one_row : half_row,
                            sizeof found.cells[0]);
        assert_string_equal(found.ids[0], which < count ? "1" : "2.5");
        (void)forget(NULL);
    }
}

/* An id has all its digits, and one spelling. */
static void ids_keep_all_their_digits(void **state)
{
    (void)state;
    static const struct {
        one_value form;
        const char *id;
    } cases[] = {
        {{"l", NULL, 8, {.int64 = INT64_MIN}, NULL}, "-9223372036854775808"},
        {{"L", NULL, 8, {.uint64 = UINT64_MAX}, NULL}, "18446744073709551615"},
        {{"l", NULL, 8, {.int64 = 9007199254740993}, NULL}, "9007199254740993"},
        {{"g", NULL, 8, {.float64 = 1e20}, NULL}, "100000000000000000000"},
        {{"g", NULL, 8, {.float64 = -0.0}, NULL}, "0"},
        {{"g", NULL, 8, {.float64 = 1e301}, NULL}, ""},
        {{"g", NULL, 8, {.float64 = (double)INFINITY}, NULL}, "inf"},
        {{"g", NULL, 8, {.float64 = (double)NAN}, NULL}, ""},
        {{"f", NULL, 4, {.float32 = 0.1F}, NULL}, "0.10000000149011612"},
        {{"e", NULL, 2, {.uint16 = 0x0001}, NULL}, "5.960464477539063e-8"},
        {{"e", NULL, 2, {.uint16 = 0xfc00}, NULL}, "-inf"},
        {{"d:38,2", NULL, 16, {.decimal = {UINT64_MAX - 249, UINT64_MAX}}, NULL}, "-2.5"},
        {{"d:38,5", NULL, 16, {.decimal = {12, 0}}, NULL}, "0.00012"},
        {{"d:38,9", NULL, 16, {.decimal = {12, 0}}, NULL}, "1.2e-8"},
        {{"d:38,9", NULL, 16, {.decimal = {1, 0}}, NULL}, "1e-9"},
        {{"d:38,0", NULL, 16, {.decimal = {0, 1}}, NULL}, "18446744073709551616"},
        {{"d:3,-2", NULL, 16, {.decimal = {7, 0}}, NULL}, "700"},
        {{"d:3,-300", NULL, 16, {.decimal = {7, 0}}, NULL}, ""},
        {{"d:3,1", NULL, 16, {.decimal = {0, 0}}, NULL}, "0"},
        {{"b", NULL, 1, {.uint8 = 0xfe}, NULL}, "0"},
        {{"u", NULL, 0, {.int8 = 0}, "\t p 1 "}, "p 1"},
        {{"u", NULL, 0, {.int8 = 0}, "  "}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "person", cases[i].form.format, NULL);
        static const char *const others[] = {"town", "age", "children", "smokes"};
        for (size_t k = 0; k < 4; k++)
            arrow_add_column(&producer, others[k], "n", NULL);
        arrow_batch *batch = arrow_add_batch(&producer, 1);
        fill_form(&producer, batch, 0, &cases[i].form);
        const rows found = read_stream(&producer, table_text, NULL);
        assert_ok(found.status, &found.error);
        assert_string_equal(found.ids[0], cases[i].id);
        assert_memory_equal(found.cells[0], missing_row, sizeof missing_row);
        (void)forget(NULL);
    }
}

/* ---- names and types ---- */

static void names_are_matched_before_the_first_batch(void **state)
{
    (void)state;
    arrow_producer lacks = {.columns = 0}, doubled = {.columns = 0},
                   more = {.columns = 0}, cased = {.columns = 0}, none = {.columns = 0};
    arrow_add_column(&lacks, "age", "g", NULL);
    refused(&lacks, pair_text, SOTTO_PARSE, "lacks the column 'town'");
    arrow_add_column(&doubled, "town", "u", NULL);
    arrow_add_column(&doubled, "age", "g", NULL);
    arrow_add_column(&doubled, "age", "g", NULL);
    refused(&doubled, pair_text, SOTTO_PARSE, "two columns of the same name, 'age'");
    arrow_add_column(&more, "town", "u", NULL);
    arrow_add_column(&more, "age", "g", NULL);
    arrow_add_column(&more, "weight", "g", NULL);
    refused(&more, pair_text, SOTTO_PARSE, "'weight' that the schema does not have");
    arrow_add_column(&cased, "Age", "g", NULL);
    refused(&cased, pair_text, SOTTO_PARSE, "'Age' that the schema does not have");
    arrow_add_column(&none, NULL, "g", NULL);
    refused(&none, pair_text, SOTTO_PARSE, "'' that the schema does not have");
}

static void types_are_refused_by_the_name_of_their_column(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "+s",      "+l",   "+L",         "+w:3", "+m",      "+r",     "+ud:0,1",
        "+vl",     "w:16", "d:40,2,256", "d:",   "d:5",     "d:5,2,", "d:5,x",
        "d:9,999", "tdD",  "tdm",        "tss:", "tsu:UTC", "tts",    "tDs",
        "tiM",     "x",    "",           "gg",   NULL};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "town", "u", NULL);
        arrow_add_column(&producer, "age", formats[i], NULL);
        refused(&producer, pair_text, SOTTO_INVALID_ARGUMENT, "the column 'age'");
    }
    static const char *const codes[] = {"g", "u", "b", "n"};
    for (size_t i = 0; i < 4; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "town", codes[i], "u");
        arrow_add_column(&producer, "age", "g", NULL);
        refused(&producer, pair_text, SOTTO_INVALID_ARGUMENT, "the column 'town'");
    }
    arrow_producer column = {.columns = 0, .outer_format = "g"},
                   hollow = {.columns = 0, .lacks_a_child = true};
    (void)add_pair(&column);
    refused(&column, pair_text, SOTTO_INVALID_ARGUMENT, "not one of tables");
    (void)add_pair(&hollow);
    refused(&hollow, pair_text, SOTTO_INVALID_ARGUMENT, "not one of tables");
}

/* ---- dates and timestamps ---- */

static void dates_and_timestamps_count_units(void **state)
{
    (void)state;
    static const char moment_text[] =
        "{'columns': [{'name': 'm', 'type': '%s', 'lower': -5, 'upper': 20600, "
        "'missing': 7, 'time_unit': 'day'}]}";
    static const struct {
        const char *format;
        int64_t ticks[5]; /* 2026-03-01 06:00, in 1969, late, outside the years, null */
        double number, whole;
    } cases[] = {
        {"tdD", {20513, -1, 30000, INT32_MAX, 0}, 20513, 20513},
        {"tdm",
         {1772344800000, -21600000, INT64_C(1) << 42, INT64_MAX, 0},
         20513.25,
         20513},
        {"tss:", {1772344800, -21600, INT64_C(1) << 32, INT64_MIN, 0}, 20513.25, 20513},
        {"tsm:UTC",
         {1772344800000, -21600000, INT64_C(1) << 42, INT64_MAX, 0},
         20513.25,
         20513},
        {"tsu:Europe/Stockholm",
         {1772344800000000, -21600000000, INT64_C(1) << 52, INT64_MIN, 0},
         20513.25,
         20513},
        {"tsn:",
         {1772344800000000000, -21600000000000, INT64_C(1) << 62, INT64_MAX, 0},
         20513.25,
         20513},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int whole = 0; whole < 2; whole++) {
            char text[256];
            int32_t narrow[5];
            const uint8_t bits = 0x0f;
            const bool is_date = strcmp(cases[i].format, "tdD") == 0;
            const bool is_ns =
                strcmp(cases[i].format, "tsn:") == 0; /* 292 years at most */
            arrow_producer producer = {.columns = 0};
            arrow_add_column(&producer, "m", cases[i].format, NULL);
            arrow_batch *batch = arrow_add_batch(&producer, 5);
            for (size_t row = 0; row < 5; row++)
                narrow[row] = (int32_t)cases[i].ticks[row];
            batch->buffers[0][0] = exactly(&bits, 1);
            batch->buffers[0][1] = is_date
                                       ? exactly(narrow, sizeof narrow)
                                       : exactly(cases[i].ticks, sizeof cases[i].ticks);
            (void)snprintf(text, sizeof text, moment_text,
                           whole == 1 ? "integer" : "number");
            const rows found = read_stream(&producer, text, NULL);
            assert_ok(found.status, &found.error);
            assert_int_equal(found.count, 5);
            assert_true(found.cells[0][0] ==
                        (whole == 1 ? cases[i].whole : cases[i].number));
            assert_true(found.cells[1][0] == (is_date || whole == 1 ? -1.0 : -0.25));
            assert_true(found.cells[2][0] == 20600.0); /* clipped */
            assert_true(found.cells[3][0] == (is_ns ? 20600.0 : 7.0));
            assert_true(found.cells[4][0] == 7.0);
        }
    }
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "m", "tsu:UTC", NULL);
    refused(&producer,
            "{'columns': [{'name': 'm', 'type': 'number', 'lower': 0, 'upper': 9}]}",
            SOTTO_INVALID_ARGUMENT, "\"time_unit\": \"day\"");
}

/* A column that is not read has any type. */
static void ignored_columns_have_any_type(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0};
    static const char *const others[] = {"town", "age", "children", "smokes", "person"};
    arrow_add_column(&producer, "note", "+l", NULL);
    for (size_t i = 0; i < 5; i++)
        arrow_add_column(&producer, others[i], "n", NULL);
    (void)arrow_add_batch(&producer, 2);
    const rows found = read_stream(&producer, table_text, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_value_counts_the_same_from_every_type, forget),
        cmocka_unit_test_teardown(ids_keep_all_their_digits, forget),
        cmocka_unit_test_teardown(names_are_matched_before_the_first_batch, forget),
        cmocka_unit_test_teardown(types_are_refused_by_the_name_of_their_column, forget),
        cmocka_unit_test_teardown(dates_and_timestamps_count_units, forget),
        cmocka_unit_test_teardown(ignored_columns_have_any_type, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
