#include "support.h"

#include <float.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/memory.h"

static sot_json_writer *new_writer(bool indented)
{
    sot_json_writer *writer = NULL;
    sotto_error error;
    assert_ok(sot_json_writer_new(indented, &writer, &error), &error);
    return writer;
}

static void assert_written(sot_json_writer *writer, const char *expected)
{
    const char *text = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    sot_json_writer_free(writer);
}

static void write_sample(sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_key(writer, "zeta");
    sot_json_write_double(writer, 0.1);
    sot_json_key(writer, "alpha");
    sot_json_begin_array(writer);
    sot_json_write_double(writer, -2.0);
    sot_json_write_int64(writer, INT64_MIN);
    sot_json_write_hex(writer, 1.5);
    sot_json_end_array(writer);
    sot_json_key(writer, "events");
    sot_json_begin_array(writer);
    sot_json_begin_object(writer);
    sot_json_key(writer, "on");
    sot_json_write_bool(writer, true);
    sot_json_key(writer, "off");
    sot_json_write_bool(writer, false);
    sot_json_end_object(writer);
    sot_json_begin_object(writer);
    sot_json_end_object(writer);
    sot_json_end_array(writer);
    sot_json_key(writer, "none");
    sot_json_write_null(writer);
    sot_json_key(writer, "empty");
    sot_json_begin_array(writer);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static void members_keep_the_order_of_the_calls(void **state)
{
    (void)state;
    sot_json_writer *writer = new_writer(false);
    write_sample(writer);
    assert_written(
        writer,
        "{\"zeta\":0.1,\"alpha\":[-2.0,-9223372036854775808,\"0x1.8p+0\"],"
        "\"events\":[{\"on\":true,\"off\":false},{}],\"none\":null,\"empty\":[]}\n");
}

static void indented_text_is_for_people(void **state)
{
    (void)state;
    sot_json_writer *writer = new_writer(true);
    write_sample(writer);
    assert_written(writer, "{\n"
                           "  \"zeta\": 0.1,\n"
                           "  \"alpha\": [-2.0, -9223372036854775808, \"0x1.8p+0\"],\n"
                           "  \"events\": [\n"
                           "    {\n"
                           "      \"on\": true,\n"
                           "      \"off\": false\n"
                           "    },\n"
                           "    {}\n"
                           "  ],\n"
                           "  \"none\": null,\n"
                           "  \"empty\": []\n"
                           "}\n");
}

static void strings_are_escaped_and_survive(void **state)
{
    (void)state;
    const char *const text = "a\"b\\c/\b\f\n\r\t\x01\x1f\x7fgrößer \u20ac \U0001F600";
    sot_json_writer *writer = new_writer(false);
    sot_json_begin_object(writer);
    sot_json_key(writer, text);
    sot_json_write_string(writer, text);
    sot_json_end_object(writer);
    const char *written = NULL, *back = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_json_writer_finish(writer, &written, &size, &error), &error);
    for (size_t i = 0; i + 1 < size; i++)
        assert_true((unsigned char)written[i] >= 0x20 && written[i] != 0x7f);
    sot_json *document = NULL;
    assert_ok(sot_json_parse(NULL, written, size, size, &document, &error), &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_json_get_string(&root, text, &back, &error), &error);
    assert_string_equal(back, text);
    sot_json_free(document);
    sot_json_writer_free(writer);
}

static void doubles_and_integers_survive_to_the_bit(void **state)
{
    (void)state;
    const double doubles[] = {0.1,     -0.0,    1e-5,         1.0 / 3.0, 2.375,
                              DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0x1p-44,   6.02214076e23,
                              1e16,    -1e15,   123456789.0,  0.1 + 0.2};
    const int64_t integers[] = {INT64_MAX, INT64_MIN, 0, INT64_C(9007199254740993)};
    const size_t double_count = sizeof doubles / sizeof *doubles;
    sot_json_writer *writer = new_writer(true);
    sot_json_begin_array(writer);
    for (size_t i = 0; i < double_count; i++)
        sot_json_write_double(writer, doubles[i]);
    for (size_t i = 0; i < 4; i++)
        sot_json_write_int64(writer, integers[i]);
    sot_json_end_array(writer);
    const char *text = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    sot_json *document = NULL;
    assert_ok(sot_json_parse(NULL, text, size, size, &document, &error), &error);
    const sot_json_value root = sot_json_root(document);
    for (size_t i = 0; i < double_count; i++) {
        const sot_json_value item = sot_json_item(&root, i);
        double back = (double)NAN;
        assert_int_equal(sot_json_kind_of(&item), SOT_JSON_REAL);
        assert_ok(sot_json_as_double(&item, &back, &error), &error);
        assert_memory_equal(&back, &doubles[i], sizeof back);
    }
    for (size_t i = 0; i < 4; i++) {
        const sot_json_value item = sot_json_item(&root, double_count + i);
        int64_t back = 0;
        assert_ok(sot_json_as_int64(&item, &back, &error), &error);
        assert_true(back == integers[i]);
    }
    sot_json_free(document);
    sot_json_writer_free(writer);
}

/* What the calls of `spoil` leave behind must be refused. */
static void assert_spoilt(void (*spoil)(sot_json_writer *), sotto_status status,
                          const char *word)
{
    sot_json_writer *writer = new_writer(true);
    spoil(writer);
    const char *text = NULL;
    size_t size = 0;
    sotto_error error;
    assert_refused(sot_json_writer_finish(writer, &text, &size, &error), status, &error,
                   word, NULL);
    assert_null(text);
    assert_int_equal(sot_json_writer_finish(writer, &text, &size, NULL), status);
    sot_json_writer_free(writer);
}

static void spoil_with_nan(sot_json_writer *writer)
{
    sot_json_write_double(writer, (double)NAN);
}

static void spoil_with_infinity(sot_json_writer *writer)
{
    sot_json_begin_array(writer);
    sot_json_write_hex(writer, (double)INFINITY);
    sot_json_end_object(writer); /* a second fault: the first is reported */
}

static void spoil_with_bytes(sot_json_writer *writer)
{
    sot_json_write_string(writer, "latin-1 \xe4");
}

static void spoil_with_surrogate(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xed\xa0\x80");
}

static void spoil_with_overlong_form(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xc0\xaf");
}

static void spoil_with_overlong_three(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xe0\x80\xaf");
}

static void spoil_with_overlong_four(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xf0\x80\x80\xaf");
}

static void spoil_beyond_unicode(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xf4\x90\x80\x80");
}

static void spoil_with_half_character(sot_json_writer *writer)
{
    sot_json_write_string(writer, "\xe2\x82");
}

static void spoil_without_key(sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_write_null(writer);
    sot_json_end_object(writer);
}

static void spoil_without_value(sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_key(writer, "a");
    sot_json_end_object(writer);
}

static void spoil_with_two_keys(sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_key(writer, "a");
    sot_json_key(writer, "b");
}

static void spoil_with_key_in_array(sot_json_writer *writer)
{
    sot_json_begin_array(writer);
    sot_json_key(writer, "a");
}

static void spoil_with_wrong_end(sot_json_writer *writer)
{
    sot_json_begin_array(writer);
    sot_json_end_object(writer);
}

static void spoil_with_end_of_nothing(sot_json_writer *writer)
{
    sot_json_end_array(writer);
}

static void spoil_with_two_values(sot_json_writer *writer)
{
    sot_json_write_null(writer);
    sot_json_write_null(writer);
}

static void spoil_with_nothing(sot_json_writer *writer)
{
    (void)writer;
}

static void spoil_with_open_end(sot_json_writer *writer)
{
    sot_json_begin_array(writer);
}

static void spoil_by_depth(sot_json_writer *writer)
{
    for (int i = 0; i < SOT_JSON_DEPTH_MAX + 1; i++)
        sot_json_begin_array(writer);
}

static void spoil_by_finishing(sot_json_writer *writer)
{
    const char *text = NULL;
    size_t size = 0;
    sot_json_write_null(writer);
    assert_int_equal(sot_json_writer_finish(writer, &text, &size, NULL), SOTTO_OK);
}

static void what_is_not_json_is_refused(void **state)
{
    (void)state;
    assert_spoilt(spoil_with_nan, SOTTO_INVALID_ARGUMENT, "not finite (nan)");
    assert_spoilt(spoil_with_infinity, SOTTO_INVALID_ARGUMENT, "not finite (inf)");
    assert_spoilt(spoil_with_bytes, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_with_surrogate, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_with_overlong_form, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_with_overlong_three, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_with_overlong_four, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_beyond_unicode, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_with_half_character, SOTTO_INVALID_ARGUMENT, "UTF-8");
    assert_spoilt(spoil_without_key, SOTTO_INTERNAL, "without a key");
    assert_spoilt(spoil_without_value, SOTTO_INTERNAL, "without a value");
    assert_spoilt(spoil_with_two_keys, SOTTO_INTERNAL, "a key where");
    assert_spoilt(spoil_with_key_in_array, SOTTO_INTERNAL, "a key where");
    assert_spoilt(spoil_with_wrong_end, SOTTO_INTERNAL, "without its beginning");
    assert_spoilt(spoil_with_end_of_nothing, SOTTO_INTERNAL, "without its beginning");
    assert_spoilt(spoil_with_two_values, SOTTO_INTERNAL, "second value");
    assert_spoilt(spoil_with_nothing, SOTTO_INTERNAL, "before the end");
    assert_spoilt(spoil_with_open_end, SOTTO_INTERNAL, "before the end");
    assert_spoilt(spoil_by_depth, SOTTO_INTERNAL, "too deep");
    assert_spoilt(spoil_by_finishing, SOTTO_INTERNAL, "before the end");
}

static void the_deepest_text_written_can_be_read(void **state)
{
    (void)state;
    sot_json_writer *writer = new_writer(true);
    for (int i = 0; i < SOT_JSON_DEPTH_MAX; i++)
        sot_json_begin_array(writer);
    for (int i = 0; i < SOT_JSON_DEPTH_MAX; i++)
        sot_json_end_array(writer);
    const char *text = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    sot_json *document = NULL;
    assert_ok(sot_json_parse(NULL, text, size, size, &document, &error), &error);
    sot_json_free(document);
    sot_json_writer_free(writer);
    sot_json_writer_free(NULL);
}

static void lack_of_memory_is_reported_at_every_allocation(void **state)
{
    (void)state;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 0;
    while (status == SOTTO_OUT_OF_MEMORY) {
        sot_json_writer *writer = NULL;
        const char *text = NULL;
        size_t size = 0;
        sotto_error error;
        (void)sot_test_fail_allocation(++nth);
        status = sot_json_writer_new(true, &writer, &error);
        if (status == SOTTO_OK) {
            write_sample(writer);
            status = sot_json_writer_finish(writer, &text, &size, &error);
            if (status != SOTTO_OK) assert_null(text);
        }
        (void)sot_test_fail_allocation(0);
        sot_json_writer_free(writer);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(nth > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_keep_the_order_of_the_calls),
        cmocka_unit_test(indented_text_is_for_people),
        cmocka_unit_test(strings_are_escaped_and_survive),
        cmocka_unit_test(doubles_and_integers_survive_to_the_bit),
        cmocka_unit_test(what_is_not_json_is_refused),
        cmocka_unit_test(the_deepest_text_written_can_be_read),
        cmocka_unit_test(lack_of_memory_is_reported_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
