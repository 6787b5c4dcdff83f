/* Numbers, JSON and messages where the application's decimal point is another one.
 *
 * No such locale may be installed, so the test makes two: a comma, and the two bytes of
 * U+066B (Persian). localedef is part of Debian's libc-bin;
 * the definitions need none of the files of the package "locales". */
#include "support.h"

#include <locale.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/svg.h"
#include "base/text.h"

static char directory[256];

static FILE *create(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return fopen(path, "w");
}

static int write_charmap(void)
{
    FILE *file = create("charmap");
    if (file == NULL) return -1;
    fputs("<code_set_name> SOTTO-TEST\n<comment_char> %\n<escape_char> /\n"
          "<mb_cur_min> 1\n<mb_cur_max> 2\nCHARMAP\n",
          file);
    for (unsigned i = 0; i < 128; i++)
        fprintf(file, "<U%04X> /x%02x A\n", i, i);
    fputs("<U066B> /xd9/xab B\nEND CHARMAP\n", file);
    return fclose(file);
}

static int make_locale(const char *name, const char *decimal_point)
{
    char source[64], command[1024];
    (void)snprintf(source, sizeof source, "%s.source", name);
    FILE *file = create(source);
    if (file == NULL) return -1;
    fprintf(file,
            "comment_char %%\nescape_char /\nLC_NUMERIC\ndecimal_point \"%s\"\n"
            "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
            decimal_point);
    if (fclose(file) != 0) return -1;
    /* It warns that the other categories are missing, and exits 1 for that. */
    (void)snprintf(command, sizeof command,
                   "cd %s && localedef -c --quiet -i %s -f ./charmap ./%s >log 2>&1",
                   directory, source, name);
    (void)!system(command);
    return setlocale(LC_NUMERIC, name) == NULL ? -1 : 0;
}

static int make_locales(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%s/sotto-locale-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    if (mkdtemp(directory) == NULL) return -1;
    return setenv("LOCPATH", directory, 1) != 0 || write_charmap() != 0;
}

static int remove_locales(void **state)
{
    (void)state;
    char command[512];
    (void)snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

/* Enters the locale and shows that it bites; skips the test where there is no localedef. */
static void enter(const char *name, const char *decimal_point, const char *printed)
{
    if (make_locale(name, decimal_point) != 0) {
        print_message("no localedef here: skipped\n");
        skip();
    }
    char text[32];
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, printed);
}

static void check_numbers(void)
{
    double value = 0.0;
    char text[SOT_DOUBLE_TEXT_BYTES];
    assert_int_equal(sot_parse_double("2.375", 5, &value), SOT_NUMBER_OK);
    assert_true(value == 2.375);
    assert_int_equal(sot_parse_double("2,375", 5, &value), SOT_NUMBER_MALFORMED);
    sot_format_double(0.1 + 0.2, text);
    assert_string_equal(text, "0.30000000000000004");
    sot_format_double(1.25e-7, text);
    assert_string_equal(text, "1.25e-7");
    sot_format_hex(1.5, text);
    assert_string_equal(text, "0x1.8p+0");
}

static void check_json(void)
{
    sot_json *document = NULL;
    sot_json_writer *writer = NULL;
    sotto_error error;
    const char json[] = "{\"sigma\": 2.375, \"delta\": 1.25e-7}", *text = NULL;
    double number = 0.0;
    size_t size = 0;
    assert_ok(sot_json_parse(NULL, json, sizeof json - 1, 100, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_json_get_double(&root, "sigma", &number, &error), &error);
    assert_true(number == 2.375);
    assert_ok(sot_json_get_double(&root, "delta", &number, &error), &error);
    assert_true(number == 1.25e-7);
    sot_json_free(document);
    assert_ok(sot_json_writer_new(false, &writer, &error), &error);
    sot_json_begin_array(writer);
    sot_json_write_double(writer, 2.375);
    sot_json_write_hex(writer, 2.375);
    sot_json_end_array(writer);
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    assert_string_equal(text, "[2.375,\"0x1.3p+1\"]\n");
    sot_json_writer_free(writer);
}

static void check_messages(void)
{
    sotto_error error;
    (void)sot_fail(&error, SOTTO_INVALID_ARGUMENT, "sigma is %g", 2.375);
    assert_string_equal(error.message, "sigma is 2.375");
}

/* A place of 62.5 and a tick at 0.5. */
static void check_picture(void)
{
    static const double x[] = {0.0, 0.25, 1.0};
    static const double y[] = {0.0, 0.5, 1.0};
    sotto_error error;
    char *text = NULL;
    sot_growing out = {0};
    const sot_svg_panel panel = {.title = "t",
                                 .x = {"x", 0.0, 1.0, false, false},
                                 .y = {"y", 0.0, 1.0, false, false},
                                 .left = 60,
                                 .top = 40,
                                 .width = 10,
                                 .height = 100};
    sot_svg_begin(&out, 300, 200, "a", "b");
    sot_svg_panel_draw(&out, &panel);
    sot_svg_line(&out, &panel, SOT_SVG_SECOND, x, y, 3);
    sot_svg_end(&out);
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    assert_non_null(strstr(text, "62.5"));
    assert_null(strstr(text, "62,5"));
    assert_null(strstr(text, "\xd9\xab"));
    assert_null(strstr(text, "0,5"));
    sot_free(text);
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    enter("comma", "<U002C>", "1,5");
    check_numbers();
    check_json();
    check_messages();
    check_picture();
    char text[32]; /* and the application keeps its own */
    (void)snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
}

static void a_decimal_point_of_two_bytes_changes_nothing(void **state)
{
    (void)state;
    enter("persian", "<U066B>",
          "1\xd9\xab"
          "5");
    check_numbers();
    check_json();
    check_messages();
    check_picture();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(a_decimal_point_of_two_bytes_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_locales, remove_locales);
}
