#include "support.h"

#include "base/file/file.h"
#include "base/json/json.h"
#include "base/memory.h"

static sot_json *parse(const char *text)
{
    sot_json *document = NULL;
    sotto_error error;
    assert_ok(sot_json_parse("plan.json", text, strlen(text), 1 << 20, &document, &error),
              &error);
    return document;
}

/* The text is refused with all of these words, and the file's name in front. */
#define assert_unparsable(text, ...)                                                     \
    do {                                                                                 \
        sot_json *none = NULL;                                                           \
        sotto_error refusal;                                                             \
        assert_refused(sot_json_parse("plan.json", text, sizeof(text) - 1, 1 << 20,      \
                                      &none, &refusal),                                  \
                       SOTTO_PARSE, &refusal, "plan.json: ", __VA_ARGS__, NULL);         \
        assert_null(none);                                                               \
        assert_null(strchr(refusal.message, '\n'));                                      \
    } while (0)

static const char plan[] =
    "{\"adjacency\": \"add-remove\",\n"
    " \"events\": [\n"
    "  {\"noise_multiplier\": 1.1, \"count\": 14063, \"sampled\": true},\n"
    "  {\"noise_multiplier\": \"abc\", \"count\": 1.5, \"sampled\": null},\n"
    "  {\"noise_multiplier\": [2], \"count\": 1e6, \"sampled\": {}}]}\n";

static void values_are_found_and_converted(void **state)
{
    (void)state;
    sot_json *document = parse(plan);
    sotto_error error;
    const sot_json_value root = sot_json_root(document);
    sot_json_value events, member;
    const char *adjacency = NULL;
    assert_ok(sot_json_get_string(&root, "adjacency", &adjacency, &error), &error);
    assert_string_equal(adjacency, "add-remove");
    assert_ok(sot_json_get_array(&root, "events", &events, &error), &error);
    assert_int_equal(sot_json_size(&events), 3);
    const sot_json_value first = sot_json_item(&events, 0);
    const sot_json_value third = sot_json_item(&events, 2);
    double noise = 0.0;
    int64_t count = 0;
    bool sampled = false;
    assert_ok(sot_json_get_double(&first, "noise_multiplier", &noise, &error), &error);
    assert_true(noise == 1.1);
    assert_ok(sot_json_get_double(&first, "count", &noise, &error), &error);
    assert_true(noise == 14063.0); /* an integer is a number */
    assert_ok(sot_json_get_int64(&first, "count", &count, &error), &error);
    assert_int_equal(count, 14063);
    assert_ok(sot_json_get_int64(&third, "count", &count, &error), &error);
    assert_int_equal(count, 1000000); /* 1e6 is a count */
    assert_ok(sot_json_get_bool(&first, "sampled", &sampled, &error), &error);
    assert_true(sampled);
    assert_ok(sot_json_get_object(&third, "sampled", &member, &error), &error);
    assert_int_equal(sot_json_size(&member), 0);
    assert_false(sot_json_member(&first, "rate", &member));
    assert_int_equal(sot_json_size(&first), 3);
    sot_json_free(document);
    sot_json_free(NULL);
}

static void every_kind_is_told(void **state)
{
    (void)state;
    sot_json *document = parse("[{}, [], \"a\", 1, 1.0, true, false, null]");
    const sot_json_kind kinds[] = {SOT_JSON_OBJECT,  SOT_JSON_ARRAY, SOT_JSON_STRING,
                                   SOT_JSON_INTEGER, SOT_JSON_REAL,  SOT_JSON_BOOLEAN,
                                   SOT_JSON_BOOLEAN, SOT_JSON_NULL};
    const sot_json_value root = sot_json_root(document);
    assert_int_equal(sot_json_size(&root), 8);
    for (size_t i = 0; i < 8; i++) {
        const sot_json_value item = sot_json_item(&root, i);
        assert_int_equal(sot_json_kind_of(&item), kinds[i]);
        assert_int_equal(sot_json_size(&item), 0);
    }
    sot_json_free(document);
}

static void a_wrong_type_is_named_by_its_path(void **state)
{
    (void)state;
    sot_json *document = parse(plan);
    sotto_error error;
    const sot_json_value root = sot_json_root(document);
    sot_json_value events, member;
    double noise = -4711.0;
    int64_t count = -4711;
    bool sampled = false;
    const char *text = NULL;
    assert_ok(sot_json_get_array(&root, "events", &events, &error), &error);
    const sot_json_value second = sot_json_item(&events, 1);
    const sot_json_value third = sot_json_item(&events, 2);
    (void)!sot_json_get_double(&second, "noise_multiplier", &noise, &error);
    assert_string_equal(
        error.message, "plan.json: events[1].noise_multiplier is \"abc\"; give a number");
    assert_refused(sot_json_get_double(&third, "noise_multiplier", &noise, &error),
                   SOTTO_PARSE, &error, "events[2].noise_multiplier is an array", NULL);
    assert_refused(sot_json_get_int64(&second, "count", &count, &error), SOTTO_PARSE,
                   &error, "events[1].count is 1.5; give a whole number", NULL);
    assert_refused(sot_json_get_bool(&second, "sampled", &sampled, &error), SOTTO_PARSE,
                   &error, "events[1].sampled is null; give true or false", NULL);
    assert_refused(sot_json_get_string(&second, "count", &text, &error), SOTTO_PARSE,
                   &error, "is 1.5; give a string", NULL);
    const sot_json_value first = sot_json_item(&events, 0);
    assert_refused(sot_json_get_string(&first, "count", &text, &error), SOTTO_PARSE,
                   &error, "events[0].count is 14063; give a string", NULL);
    assert_refused(sot_json_get_double(&first, "sampled", &noise, &error), SOTTO_PARSE,
                   &error, "events[0].sampled is true; give a number", NULL);
    assert_refused(sot_json_get_object(&root, "events", &member, &error), SOTTO_PARSE,
                   &error, "events is an array; give an object", NULL);
    assert_refused(sot_json_get_array(&third, "sampled", &member, &error), SOTTO_PARSE,
                   &error, "events[2].sampled is an object; give an array", NULL);
    assert_refused(sot_json_get_double(&second, "rate", &noise, &error), SOTTO_PARSE,
                   &error, "events[1] has no \"rate\"; give a number", NULL);
    assert_refused(sot_json_get_double(&root, "rate", &noise, &error), SOTTO_PARSE,
                   &error, "the top level has no \"rate\"", NULL);
    assert_refused(sot_json_get_double(&events, "rate", &noise, &error), SOTTO_PARSE,
                   &error, "events is an array; give an object", NULL);
    assert_refused(sot_json_as_array(&root, &error), SOTTO_PARSE, &error,
                   "the top level is an object", NULL);
    assert_true(noise == -4711.0 && count == -4711 && text == NULL);
    sot_json_free(document);
}

static void whole_reals_are_integers_below_two_to_the_53(void **state)
{
    (void)state;
    sot_json *document = parse("[9007199254740991.0, -3e3, 9007199254740992.0, 1e300, "
                               "9223372036854775807, -9223372036854775808, -0.0]");
    const sot_json_value root = sot_json_root(document);
    sot_json_value item[7];
    for (size_t i = 0; i < 7; i++)
        item[i] = sot_json_item(&root, i);
    int64_t number = 0;
    sotto_error error;
    assert_ok(sot_json_as_int64(&item[0], &number, &error), &error);
    assert_true(number == INT64_C(9007199254740991));
    assert_ok(sot_json_as_int64(&item[1], &number, &error), &error);
    assert_true(number == -3000);
    assert_refused(sot_json_as_int64(&item[2], &number, &error), SOTTO_PARSE, &error,
                   "[2] is 9007199254740992.0", NULL);
    assert_refused(sot_json_as_int64(&item[3], &number, &error), SOTTO_PARSE, &error,
                   "[3] is 1e300; give a whole number", NULL);
    assert_ok(sot_json_as_int64(&item[4], &number, &error), &error);
    assert_true(number == INT64_MAX);
    assert_ok(sot_json_as_int64(&item[5], &number, &error), &error);
    assert_true(number == INT64_MIN);
    assert_ok(sot_json_as_int64(&item[6], &number, &error), &error);
    assert_true(number == 0);
    sot_json_free(document);
}

static void unknown_keys_are_refused_with_a_guess(void **state)
{
    (void)state;
    const char *const known[] = {"noise_multiplier", "count", "sampling", NULL};
    sot_json *document = parse("{\"a\": [{\"count\": 1, \"noise_multiplyer\": 2},"
                               "{\"temperature\": 1}, {\"count\": 1}]}");
    sotto_error error;
    const sot_json_value root = sot_json_root(document);
    sot_json_value list;
    assert_ok(sot_json_get_array(&root, "a", &list, &error), &error);
    const sot_json_value misspelt = sot_json_item(&list, 0);
    const sot_json_value strange = sot_json_item(&list, 1);
    const sot_json_value right = sot_json_item(&list, 2);
    (void)!sot_json_only_keys(&misspelt, known, &error);
    assert_string_equal(error.message,
                        "plan.json: a[0] has an unknown key \"noise_multiplyer\"; "
                        "did you mean \"noise_multiplier\"?");
    assert_refused(sot_json_only_keys(&strange, known, &error), SOTTO_PARSE, &error,
                   "temperature", "known: noise_multiplier, count, sampling", NULL);
    assert_ok(sot_json_only_keys(&right, known, &error), &error);
    sot_json_free(document);
}

static void members_come_in_the_order_of_the_text(void **state)
{
    (void)state;
    sot_json *document = parse("{\"zeta\": 0, \"alpha\": 1, \"mu\": 2, \"beta\": 3}");
    const char *const order[] = {"zeta", "alpha", "mu", "beta"};
    const sot_json_value root = sot_json_root(document);
    sot_json_value member;
    size_t seen = 0;
    for (bool more = sot_json_first_member(&root, &member); more;
         more = sot_json_next_member(&member)) {
        int64_t number = -1;
        assert_string_equal(sot_json_key_of(&member), order[seen]);
        assert_int_equal(sot_json_as_int64(&member, &number, NULL), SOTTO_OK);
        assert_int_equal(number, seen++);
    }
    assert_int_equal(seen, 4);
    sot_json_free(document);
    document = parse("{}");
    const sot_json_value empty = sot_json_root(document);
    assert_false(sot_json_first_member(&empty, &member));
    sot_json_free(document);
}

/* Such as rows in the place of a schema. */
static void a_text_that_is_no_json_is_not_quoted(void **state)
{
    (void)state;
    static const char *const rows[] = {"4711.25,Lund\n", "\n 4711.25 1:3\n",
                                       "\"4711.25\"\n"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_error error;
        sot_json *document = NULL;
        assert_int_equal(
            sot_json_parse(NULL, rows[i], strlen(rows[i]), 100, &document, &error),
            SOTTO_PARSE);
        assert_null(strstr(error.message, "4711"));
        assert_non_null(strstr(error.message, "this is not JSON; give an object"));
    }
}

static void malformed_text_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_unparsable("", "line 1: the text ends too early");
    assert_unparsable("   \n\n", "line 3: the text ends too early");
    assert_unparsable("{\"a\": 1,\n \"b\": }", "line 2: } is not JSON here", "a value");
    assert_unparsable("{\"a\": 1} x", "line 1: x is not JSON here", "nothing may follow");
    assert_unparsable("{\"a\": 1}\n{}", "line 2: {", "nothing may follow");
    assert_unparsable("{\"a\" 1}", "line 1: 1", "a colon");
    assert_unparsable("{\"a\": 1 \"b\": 2}", "a comma or }");
    assert_unparsable("[1 2]", "line 1: 2", "a comma or ]");
    assert_unparsable("[1, 2,]", "line 1: ]", "a value");
    assert_unparsable("{\"a\": 1,}", "line 1: }", "a key in double quotes");
    assert_unparsable("{a: 1}", "line 1: a ", "a key in double quotes");
    assert_unparsable("{1: 1}", "a key in double quotes");
    assert_unparsable("{\"a\": 'b'}", "line 1: '", "a value");
    assert_unparsable("[", "ends too early");
    assert_unparsable("[1", "ends too early");
    assert_unparsable("{", "ends too early");
    assert_unparsable("{\"a\"", "ends too early");
    assert_unparsable("{\"a\":", "ends too early");
    assert_unparsable("[1}", "line 1: }", "a comma or ]");
    assert_unparsable("]", "an object");
    assert_unparsable("// no\n{}", "line 1: this is not JSON");
    assert_unparsable("[tru]", "line 1: tru is", "a value");
    assert_unparsable("[truely]", "line 1: truely is");
    assert_unparsable("[True]", "line 1: True is");
    assert_unparsable("[\0]", "line 1: ?"); /* a NUL byte */
    assert_unparsable("17", "line 1: this is not JSON",
                      "an object {...} or an array [...]");
    assert_unparsable("\"text\"", "an object {...} or an array [...]");
    assert_unparsable("\xef\xbb\xbf{}", "byte order mark");
}

static void keys_come_once(void **state)
{
    (void)state;
    assert_unparsable("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", "line 3: \"a\" is a key",
                      "already has");
    assert_unparsable("[{\"b\": {\"x\\u0041\": 1,\n \"xA\": 1}}]", "line 2: \"xA\"");
    sot_json *document = parse("{\"a\": {\"a\": {\"A\": 1, \"a\": 1}}, \"\": 1}");
    sot_json_free(document);
}

static void numbers_follow_the_grammar(void **state)
{
    (void)state;
    assert_unparsable("[01]", "line 1: 01 is not JSON here", "write a number as");
    assert_unparsable("[1.]", "line 1: 1. is not");
    assert_unparsable("[.5]", "line 1: .5 is not");
    assert_unparsable("[+1]", "line 1: +1 is not");
    assert_unparsable("[-]", "line 1: - is not");
    assert_unparsable("[-01]", "line 1: -01 is not");
    assert_unparsable("[1e]", "line 1: 1e is not");
    assert_unparsable("[1e+]", "line 1: 1e+ is not");
    assert_unparsable("[1.e5]", "line 1: 1.e5 is not");
    assert_unparsable("[0x10]", "line 1: 0x10 is not");
    assert_unparsable("[1_000]", "line 1: 1_000 is not");
    assert_unparsable("[1.5.2]", "line 1: 1.5.2 is not");
    assert_unparsable("[1,5", "ends too early");
    assert_unparsable("[-", "line 1: - is not");
    static const struct {
        const char *text;
        double value;
    } reals[] = {{"[0.0]", 0.0},
                 {"[-0.5]", -0.5},
                 {"[1e5]", 1e5},
                 {"[1E-5]", 1e-5},
                 {"[1.5e+3]", 1.5e3},
                 {"[-0]", 0.0},
                 {"[0]", 0.0},
                 {"[0e0]", 0.0},
                 {"[1.2345678901234567]", 1.2345678901234567}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        sot_json *document = parse(reals[i].text);
        const sot_json_value root = sot_json_root(document);
        const sot_json_value item = sot_json_item(&root, 0);
        double value = (double)NAN;
        assert_int_equal(sot_json_as_double(&item, &value, NULL), SOTTO_OK);
        assert_true(value == reals[i].value);
        sot_json_free(document);
    }
}

static void strings_follow_the_grammar(void **state)
{
    (void)state;
    assert_unparsable("[\"unfinished]", "line 1: a string begins here and never ends");
    assert_unparsable("[\"a\nb\"]", "line 1: a control character");
    assert_unparsable("[\"a\0b\"]", "a control character");
    assert_unparsable("[\"\\", "ends too early");
    assert_unparsable("[\"\\x41\"]", "line 1: \\x is no escape");
    assert_unparsable("[\"\\u12G4\"]", "\\u wants four hexadecimal digits");
    assert_unparsable("[\"\\u12", "\\u wants four hexadecimal digits");
    assert_unparsable("[\"\\u0000\"]", "\\u0000 is a NUL");
    assert_unparsable("[\"\\ud800\"]", "\\ud800 is half of a surrogate pair");
    assert_unparsable("[\"\\ud800\\u0041\"]", "\\ud800 is half");
    assert_unparsable("[\"\\udc00\\ud800\"]", "\\udc00 is half");
    assert_unparsable("[\"\\udc00\\udc00\"]", "\\udc00 is half");
    assert_unparsable("[\"\xff\"]", "not UTF-8");
    assert_unparsable("[\"\xc0\xaf\"]", "not UTF-8");         /* overlong */
    assert_unparsable("[\"\xed\xa0\x80\"]", "not UTF-8");     /* a surrogate */
    assert_unparsable("[\"\xf4\x90\x80\x80\"]", "not UTF-8"); /* beyond U+10FFFF */
    assert_unparsable("[\"\xe2\x82", "not UTF-8");            /* cut */
    sot_json *document =
        parse("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\", "
              "\"ä€\U0001F600\x7f\", \"\"]");
    const char *const expected[] = {"\"\\/\b\f\n\r\t", "Aä€\U0001F600",
                                    "ä€\U0001F600\x7f", ""};
    const sot_json_value root = sot_json_root(document);
    for (size_t i = 0; i < 4; i++) {
        const sot_json_value item = sot_json_item(&root, i);
        const char *text = NULL;
        assert_int_equal(sot_json_as_string(&item, &text, NULL), SOTTO_OK);
        assert_string_equal(text, expected[i]);
    }
    sot_json_free(document);
}

static void numbers_that_do_not_fit_are_refused_by_name(void **state)
{
    (void)state;
    assert_unparsable("{\"a\": 1,\n\"delta\": 1e400}", "line 2: 1e400",
                      "beyond the range");
    assert_unparsable("{\"a\":\n\n-1.5e999}", "line 3: -1.5e999", "beyond the range");
    assert_unparsable("{\"delta\":\n1e-400}", "line 2: 1e-400", "from zero");
    assert_unparsable("{\"a\": NaN}", "line 1: NaN is not JSON", "finite");
    assert_unparsable("{\"a\": -Infinity}", "line 1: -Infinity", "finite");
    assert_unparsable("{\"a\": inf}", "line 1: inf", "finite");
    assert_unparsable("{\"a\": 9223372036854775808}", "line 1: 9223372036854775808",
                      "64-bit");
    assert_unparsable("{\"a\": -9223372036854775809}", "-9223372036854775809", "64-bit");
    assert_unparsable("{\"a\": 1e99999999999999999999}", "line 1", "beyond the range");
    char text[3000];
    memset(text, '1', sizeof text);
    memcpy(text, "[0.", 3);
    text[sizeof text - 1] = ']';
    sot_json *document = NULL;
    sotto_error error;
    assert_refused(
        sot_json_parse(NULL, text, sizeof text, sizeof text, &document, &error),
        SOTTO_PARSE, &error, "line 1: 0.1111", "more than 2048 bytes", NULL);
}

static void words_like_numbers_inside_strings_are_left_alone(void **state)
{
    (void)state;
    sot_json *document = parse(
        "{\"1e400\": \"NaN\", \"b\\\"[[[\": \"\\\\\", \"[[[[\": \"-Infinity 1e-400\"}");
    sot_json_free(document);
}

static void size_and_depth_are_capped(void **state)
{
    (void)state;
    sot_json *document = NULL;
    sotto_error error;
    assert_refused(sot_json_parse("p", "[1, 2]", 6, 5, &document, &error), SOTTO_PARSE,
                   &error, "6 bytes", "at most 5", NULL);
    assert_ok(sot_json_parse("p", "[1, 2]", 6, 6, &document, &error), &error);
    sot_json_free(document);
    char text[200];
    for (size_t depth = 32; depth <= 33; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        document = NULL;
        const sotto_status status =
            sot_json_parse("p", text, 2 * depth, 1000, &document, &error);
        if (depth == 32) assert_ok(status, &error);
        if (depth == 33)
            assert_refused(status, SOTTO_PARSE, &error, "line 1", "deeper than 32", NULL);
        sot_json_free(document);
    }
    /* Depth is counted, not brackets: a thousand neighbours are fine. */
    document = parse("[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
                     "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]");
    sot_json_free(document);
}

static void long_names_and_keys_are_shortened(void **state)
{
    (void)state;
    char name[400], text[700];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(text, sizeof text, "{\"%s\": [{\"%.100s\": \"%.100s\\n\"}]}", name,
                   name, name);
    sot_json *document = NULL;
    sotto_error error;
    assert_ok(sot_json_parse(name, text, strlen(text), 1000, &document, &error), &error);
    const sot_json_value root = sot_json_root(document);
    sot_json_value list, member;
    assert_true(sot_json_first_member(&root, &list));
    const sot_json_value item = sot_json_item(&list, 0);
    assert_true(sot_json_first_member(&item, &member));
    double number = 0.0;
    assert_refused(sot_json_as_double(&member, &number, &error), SOTTO_PARSE, &error,
                   "...[0].nnn", "...\"; give a number", NULL);
    sot_json_free(document);
}

static void without_a_name_messages_start_with_the_place(void **state)
{
    (void)state;
    sot_json *document = NULL;
    sotto_error error;
    assert_refused(sot_json_parse(NULL, "[NaN]", 5, 5, &document, &error), SOTTO_PARSE,
                   &error, "line 1: NaN", NULL);
    assert_int_equal(strncmp(error.message, "line 1", 6), 0);
    assert_int_equal(sot_json_parse(NULL, "[NaN]", 5, 5, &document, NULL), SOTTO_PARSE);
}

static void a_file_of_real_size_is_read(void **state)
{
    (void)state;
    const char *const path = SOTTO_TEST_VECTORS "/accounting.json";
    char *text = NULL;
    size_t size = 0;
    sot_json *document = NULL;
    sotto_error error;
    assert_ok(sot_file_read(path, 1 << 24, &text, &size, &error), &error);
    assert_ok(sot_json_parse(path, text, size, size, &document, &error), &error);
    sot_free(text); /* the document keeps what it needs */
    const sot_json_value root = sot_json_root(document);
    assert_true(sot_json_size(&root) > 0);
    sot_json_free(document);
    assert_refused(sot_json_parse(NULL, NULL, 0, 0, &document, &error), SOTTO_PARSE,
                   &error, "ends too early", NULL);
}

static void many_members_are_found(void **state)
{
    (void)state;
    static char text[200000];
    size_t used = 0;
    for (int i = 0; i < 5000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"column%d\": %d",
                                 i == 0 ? "{" : ", ", i * 7919 % 5000, i);
    text[used++] = '}';
    text[used] = '\0';
    sot_json *document = parse(text);
    const sot_json_value root = sot_json_root(document);
    assert_int_equal(sot_json_size(&root), 5000);
    for (int i = 0; i < 5000; i++) {
        char key[32];
        int64_t number = -1;
        (void)snprintf(key, sizeof key, "column%d", i * 7919 % 5000);
        assert_int_equal(sot_json_get_int64(&root, key, &number, NULL), SOTTO_OK);
        assert_int_equal(number, i);
    }
    sot_json_free(document);
}

static void lack_of_memory_is_reported_at_every_allocation(void **state)
{
    (void)state;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 0;
    sotto_error error;
    while (status == SOTTO_OUT_OF_MEMORY) {
        sot_json *document = NULL;
        (void)sot_test_fail_allocation(++nth);
        status =
            sot_json_parse("plan.json", plan, strlen(plan), 1 << 20, &document, &error);
        const size_t asked = sot_test_fail_allocation(0);
        /* It succeeds only when nothing was made to fail. */
        assert_true((status == SOTTO_OK) == (asked < nth));
        assert_true((status == SOTTO_OK) == (document != NULL));
        sot_json_free(document);
    }
    assert_ok(status, &error);
    assert_true(nth > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_and_converted),
        cmocka_unit_test(every_kind_is_told),
        cmocka_unit_test(a_wrong_type_is_named_by_its_path),
        cmocka_unit_test(whole_reals_are_integers_below_two_to_the_53),
        cmocka_unit_test(unknown_keys_are_refused_with_a_guess),
        cmocka_unit_test(members_come_in_the_order_of_the_text),
        cmocka_unit_test(malformed_text_is_refused_with_its_line),
        cmocka_unit_test(a_text_that_is_no_json_is_not_quoted),
        cmocka_unit_test(keys_come_once),
        cmocka_unit_test(numbers_follow_the_grammar),
        cmocka_unit_test(strings_follow_the_grammar),
        cmocka_unit_test(a_file_of_real_size_is_read),
        cmocka_unit_test(many_members_are_found),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused_by_name),
        cmocka_unit_test(words_like_numbers_inside_strings_are_left_alone),
        cmocka_unit_test(size_and_depth_are_capped),
        cmocka_unit_test(long_names_and_keys_are_shortened),
        cmocka_unit_test(without_a_name_messages_start_with_the_place),
        cmocka_unit_test(lack_of_memory_is_reported_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
