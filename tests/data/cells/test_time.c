/* Dates and moments as numbers: what texts mean, what is missing, that quotients round once, and that a text and ticks of the same
 * moment give the same bits. */
#include "data/files.h"
#include "data/schemas.h"

#include <math.h>
#include <time.h>

#include "data/cells/cell.h"
#include "data/cells/time.h"
#include "data/source/source.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

__extension__ typedef __int128 wide;

static const int64_t unit_ns[] = {86400000000000, 3600000000000, 60000000000,
                                  1000000000,     1000000,       1000};

static sotto_column column_of(sotto_column_type type, sotto_time_unit unit)
{
    return (sotto_column){.type = type,
                          .lower = -0x1p52,
                          .upper = 0x1p52,
                          .missing = 0.5,
                          .time_unit = unit};
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- texts ---- */

static void texts_count_units_since_1970(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sotto_time_unit unit;
        double number, whole;
    } cases[] = {
        {"1970-01-01", SOTTO_TIME_DAY, 0, 0},
        {"1969-12-31", SOTTO_TIME_DAY, -1, -1},
        {"2026-03-01", SOTTO_TIME_DAY, 20513, 20513},
        {"2000-02-29", SOTTO_TIME_DAY, 11016, 11016},
        {"0001-01-01", SOTTO_TIME_DAY, -719162, -719162},
        {"9999-12-31", SOTTO_TIME_DAY, 2932896, 2932896},
        {"1970-01-02 06:00", SOTTO_TIME_DAY, 1.25, 1},
        {"1969-12-31T18:00:00Z", SOTTO_TIME_DAY, -0.25, -1},
        {"1969-12-31T23:59:59.999999999", SOTTO_TIME_SECOND, -1e-9, -1},
        {"1970-01-01 00:00:00.25", SOTTO_TIME_MILLISECOND, 250, 250},
        {"1970-01-01 01:30:00+01:30", SOTTO_TIME_MINUTE, 0, 0},
        {"1970-01-01 00:00-0130", SOTTO_TIME_HOUR, 1.5, 1},
        {"1970-01-01 00:00+01", SOTTO_TIME_HOUR, -1, -1},
        {"2026-03-01T12:30:00.123456", SOTTO_TIME_MICROSECOND, 1772368200123456,
         1772368200123456},
        {"20513.5", SOTTO_TIME_DAY, 20513.5,
         20513.5}, /* numbers are in the unit already */
        {"2026", SOTTO_TIME_SECOND, 2026, 2026},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const sotto_column number = column_of(SOTTO_COLUMN_NUMBER, cases[i].unit);
        const sotto_column whole = column_of(SOTTO_COLUMN_INTEGER, cases[i].unit);
        const size_t size = strlen(cases[i].text);
        double found = -7.0, found_whole = -7.0;
        if (!sot_cell_read_number(&number, cases[i].text, size, &found) ||
            !sot_cell_read_number(&whole, cases[i].text, size, &found_whole) ||
            found != cases[i].number || found_whole != cases[i].whole)
            fail_msg("'%s': %.17g and %.17g", cases[i].text, found, found_whole);
    }
}

static const char *const malformed[] = {
    "",
    "0000-01-01",
    "2026-13-01",
    "2026-00-01",
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-01-00",
    "2026-1-1",
    "26-01-01",
    "12026-01-01",
    "-2026-01-01",
    "2026-01-01T",
    "2026-01-01Z",
    "2026-01-01 ",
    "2026-01-01  12:00",
    "2026-01-01t12:00",
    "2026-01-01 12",
    "2026-01-01 12:0",
    "2026-01-01 24:00",
    "2026-01-01 12:60",
    "2026-01-01 12:00:60",
    "2026-01-01 12:00:",
    "2026-01-01 12:00:00.",
    "2026-01-01 12:00:00,5",
    "2026-01-01 12:00:00.1234567890",
    "2026-01-01 12:00.5",
    "2026-01-01 12:00z",
    "2026-01-01 12:00+1",
    "2026-01-01 12:00+24",
    "2026-01-01 12:00+01:",
    "2026-01-01 12:00+01:60",
    "2026-01-01 12:00+01:00x",
    "0001-01-01 00:00+00:01", /* the year 0 in UTC */
    "9999-12-31 23:59:59-01", /* the year 10000 in UTC */
    "01/02/2026",
    "2026-060",
    "NaT",
};

static void other_texts_are_missing(void **state)
{
    (void)state;
    const sotto_column column = column_of(SOTTO_COLUMN_NUMBER, SOTTO_TIME_DAY);
    const sotto_column plain = column_of(SOTTO_COLUMN_NUMBER, SOTTO_TIME_NONE);
    for (size_t i = 0; i < LENGTH(malformed); i++) {
        /* Of exactly these bytes: the sanitizer sees a read behind the end. */
        const size_t size = strlen(malformed[i]);
        char *text = malloc(size == 0 ? 1 : size);
        double found;
        assert_non_null(text);
        memcpy(text, malformed[i], size);
        if (sot_cell_read_number(&column, text, size, &found))
            fail_msg("'%s' is read as %.17g", malformed[i], found);
        free(text);
    }
    /* Without a unit a date is no number. */
    assert_true(sot_cell_of_text(&plain, NULL, "2026-03-01", 10) == 0.5);
    assert_true(sot_cell_of_text(&column, NULL, " 2026-03-01\t", 12) == 20513.0);
    /* Every prefix of a moment has an answer. */
    const char *const whole = "2026-03-01T12:30:00.123456789+05:30";
    for (size_t size = 0; size < strlen(whole); size++) {
        double found;
        char *text = malloc(size == 0 ? 1 : size);
        assert_non_null(text);
        memcpy(text, whole, size);
        (void)sot_cell_read_number(&column, text, size, &found);
        free(text);
    }
}

/* ---- numbers ---- */

/* Whether `found` is the double nearest to ns / unit, ties to even, in exact arithmetic; |ns| is above 2^53. */
static bool is_nearest(wide ns, int64_t unit, double found)
{
    int exponent;
    const double fraction = frexp(fabs(found), &exponent);
    const int64_t mantissa = (int64_t)ldexp(fraction, 53);
    const int shift = exponent - 53;
    const wide twice = (ns < 0 ? -ns : ns) * 2 << (shift < 0 ? -shift : 0);
    const wide low = (wide)(2 * mantissa - 1) * unit << (shift > 0 ? shift : 0);
    const wide high = (wide)(2 * mantissa + 1) * unit << (shift > 0 ? shift : 0);
    if ((found < 0) != (ns < 0)) return false;
    return mantissa % 2 == 0 ? low <= twice && twice <= high
                             : low < twice && twice < high;
}

static void quotients_round_once(void **state)
{
    (void)state;
    uint64_t stream = 31;
    for (int i = 0; i < 200000; i++) {
        const int64_t ticks = (int64_t)next_bits(&stream) >> (next_bits(&stream) % 9);
        const size_t unit = next_bits(&stream) % LENGTH(unit_ns);
        const sotto_column number =
            column_of(SOTTO_COLUMN_NUMBER, (sotto_time_unit)(unit + 1));
        const sotto_column whole =
            column_of(SOTTO_COLUMN_INTEGER, (sotto_time_unit)(unit + 1));
        const int64_t below = ticks % unit_ns[unit] < 0 ? 1 : 0;
        if (!is_nearest(ticks, unit_ns[unit], sot_time_of_ticks(&number, ticks, 1)) ||
            sot_time_of_ticks(&whole, ticks, 1) !=
                (double)(ticks / unit_ns[unit] - below))
            fail_msg("%lld in units of %lld", (long long)ticks, (long long)unit_ns[unit]);
    }
}

/* The calendar of the C library is the oracle. */
static void a_text_gives_the_bits_of_its_ticks(void **state)
{
    (void)state;
    const int64_t first = -62135596800, count = 253402300800 - first;
    uint64_t stream = 32;
    for (int i = 0; i < 50000; i++) {
        const int64_t seconds = first + (int64_t)(next_bits(&stream) % (uint64_t)count);
        const size_t unit = next_bits(&stream) % LENGTH(unit_ns);
        const sotto_column_type type =
            i % 2 == 0 ? SOTTO_COLUMN_NUMBER : SOTTO_COLUMN_INTEGER;
        const sotto_column column = column_of(type, (sotto_time_unit)(unit + 1));
        const time_t moment = (time_t)seconds;
        struct tm parts;
        char text[40];
        double found = 0.0;
        assert_non_null(gmtime_r(&moment, &parts));
        (void)snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d%s",
                       parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec, i % 3 == 0 ? "Z" : "");
        if (!sot_time_of_text(&column, text, strlen(text), &found) ||
            !same_bits(found, sot_time_of_ticks(&column, seconds, 1000000000)) ||
            !same_bits(found, sot_time_of_ticks(&column, seconds * 1000000, 1000)))
            fail_msg("%s", text);
    }
}

static void moments_outside_the_years_are_missing(void **state)
{
    (void)state;
    const int64_t days[] = {-719163, 2932897, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    const sotto_column column = column_of(SOTTO_COLUMN_INTEGER, SOTTO_TIME_DAY);
    for (size_t i = 0; i < LENGTH(days); i++)
        assert_true(isnan(sot_time_of_ticks(&column, days[i], unit_ns[0])));
    assert_true(sot_time_of_ticks(&column, -719162, unit_ns[0]) == -719162.0);
    assert_true(sot_time_of_ticks(&column, 2932896, unit_ns[0]) == 2932896.0);
    assert_true(isnan(sot_time_of_ticks(&column, INT64_MAX, 1000000000)));
    assert_true(sot_time_of_ticks(&column, INT64_MIN, 1) == -106752.0);
}

/* ---- schemas and files ---- */

static const char visits_text[] =
    "{'columns': [{'name': 'day', 'type': 'integer', 'lower': 18262, 'upper': 20820, "
    "'missing': 19000, 'time_unit': 'day'},"
    "{'name': 'seen', 'type': 'number', 'lower': 0, 'upper': 4e9, 'time_unit': "
    "'second'}]}";

static void a_schema_states_the_unit(void **state)
{
    (void)state;
    sotto_error error;
    char *first, *again;
    sotto_schema *schema = schema_of(visits_text), *copy;
    assert_int_equal(sotto_schema_column(schema, 0)->time_unit, SOTTO_TIME_DAY);
    assert_int_equal(sotto_schema_column(schema, 1)->time_unit, SOTTO_TIME_SECOND);
    assert_ok(sotto_schema_to_json(schema, NULL, &first, &error), &error);
    assert_ok(sotto_schema_parse("s", first, strlen(first), &copy, &error), &error);
    assert_ok(sotto_schema_to_json(copy, NULL, &again, &error), &error);
    assert_string_equal(first, again);
    assert_non_null(strstr(first, "\"time_unit\":\"second\""));
    sotto_free(first);
    sotto_free(again);
    sotto_schema_free(schema);
    sotto_schema_free(copy);
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"{'columns': [{'name': 'a', 'type': 'number', 'time_unit': 'week'}]}",
         "give day, hour, minute, second, millisecond or microsecond"},
        {"{'columns': [{'name': 'a', 'type': 'number', 'time_unit': 1}]}",
         "give day, hour, minute, second, millisecond or microsecond"},
        {"{'columns': [{'name': 'a', 'type': 'boolean', 'time_unit': 'day'}]}",
         "time_unit"},
        {"{'columns': [{'name': 'a', 'type': 'id', 'time_unit': 'day'}]}", "time_unit"},
        {"{'features': 2, 'labels': [0, 1], 'numbers': {'lower': 0, 'upper': 1, "
         "'time_unit': 'day'}}",
         "time_unit"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char *json = json_of(wrong[i].text);
        assert_int_equal(sotto_schema_parse("s", json, strlen(json), &schema, &error),
                         SOTTO_PARSE);
        assert_non_null(strstr(error.message, wrong[i].message));
        free(json);
    }
}

static void read_file(const char *name, const char *text)
{
    static const double expected[][2] = {
        {20513, 1772368200.5}, {19000, 2e9}, {18262, 0},
        {20820, 4e9},          {19000, 2e9}, {20000, 12}};
    sotto_error error;
    sotto_schema *schema = schema_of(visits_text);
    const char *path = write_file(name, text);
    sot_source *source;
    sot_record record;
    bool more;
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    for (size_t i = 0; i <= LENGTH(expected); i++) {
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_int_equal(more, i < LENGTH(expected));
        if (more &&
            (record.cells[0] != expected[i][0] || record.cells[1] != expected[i][1]))
            fail_msg("row %zu: %.17g, %.17g", i, record.cells[0], record.cells[1]);
    }
    sot_source_close(source);
    sotto_schema_free(schema);
    (void)remove(path);
}

static void files_hold_dates_and_numbers(void **state)
{
    (void)state;
    read_file("visits.csv", "day,seen\n"
                            "2026-03-01,2026-03-01T12:30:00.5Z\n"
                            "yesterday,2026-02-30\n"
                            "1066-10-14,1969-12-31 23:59:59\n"
                            "9999-12-31,9999-12-31 00:00\n"
                            ",\n"
                            "20000, 12\n");
    read_file("visits.jsonl",
              "{\"seen\": \"2026-03-01 12:30:00.500\", \"day\": \"2026-03-01 23:59\"}\n"
              "{\"seen\": null, \"day\": true}\n"
              "{\"seen\": -1, \"day\": \"1066-10-14\"}\n"
              "{\"seen\": \"9999-12-31 00:00\", \"day\": 20821}\n"
              "no JSON\n"
              "{\"seen\": 12, \"day\": 20000}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_count_units_since_1970),
        cmocka_unit_test(other_texts_are_missing),
        cmocka_unit_test(quotients_round_once),
        cmocka_unit_test(a_text_gives_the_bits_of_its_ticks),
        cmocka_unit_test(moments_outside_the_years_are_missing),
        cmocka_unit_test(a_schema_states_the_unit),
        cmocka_unit_test(files_hold_dates_and_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
