#include "output.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

enum { LABEL_WIDTH = 16 };

const char *cli_shortest(double value, char out[CLI_NUMBER_BYTES])
{
    int digits = 1;
    for (; digits <= 17; digits++) {
        (void)snprintf(out, CLI_NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break; /* 17 digits always do */
    }
    /* 10 and 2500, not 1e+01 and 2.5e+03 */
    const int whole_digits = fabs(value) < 1.0 ? 0 : (int)floor(log10(fabs(value))) + 1;
    if (whole_digits > digits && whole_digits <= 7) {
        (void)snprintf(out, CLI_NUMBER_BYTES, "%.*g", whole_digits, value);
    }
    return out;
}

/* Moves the decimal `text` ("-d.ddde+xx") by one unit of its last digit, away from zero or
 * towards it, and rewrites it in the same form. */
static void step_last_digit(char *text, bool away_from_zero)
{
    char *digits = text + (text[0] == '-' ? 1 : 0);
    char *mark = strchr(text, 'e');
    long exponent = strtol(mark + 1, NULL, 10);
    char *c = mark - 1;
    for (; c >= digits; c--) {
        if (*c == '.') continue;
        if (*c != (away_from_zero ? '9' : '0')) break;
        *c = away_from_zero ? '0' : '9';
    }
    if (c >= digits) *c = (char)(*c + (away_from_zero ? 1 : -1));
    /* 9.99 became 0.00 and is 1.00 of the next power; 1.00 became 0.99 and is 9.99 of the
     * power before. */
    if (*digits == '0') {
        *digits = away_from_zero ? '1' : '9';
        exponent += away_from_zero ? 1 : -1;
    }
    (void)snprintf(mark, (size_t)(CLI_NUMBER_BYTES - (mark - text)), "e%+03ld", exponent);
}

static const char *rounded(double value, int digits, bool up, char out[CLI_NUMBER_BYTES])
{
    char text[CLI_NUMBER_BYTES];
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const double shown = strtod(text, NULL);
    if (up ? shown < value : shown > value) step_last_digit(text, up == (value > 0.0));
    /* From scientific to the shorter %g form. Beyond 15 digits the way through a double may
     * change the last one; then the exact value is shown. */
    const double stepped = strtod(text, NULL);
    (void)snprintf(text, sizeof text, "%.*g", digits, stepped);
    const double read_back = strtod(text, NULL);
    if (up ? read_back < value : read_back > value) return cli_shortest(value, out);
    memcpy(out, text, strlen(text) + 1);
    return out;
}

const char *cli_rounded_up(double value, int digits, char out[CLI_NUMBER_BYTES])
{
    return rounded(value, digits, true, out);
}

const char *cli_rounded_down(double value, int digits, char out[CLI_NUMBER_BYTES])
{
    return rounded(value, digits, false, out);
}

cli_json cli_json_new(void)
{
    json_t *object = json_object();
    return (cli_json){.object = object, .failed = object == NULL};
}

void cli_json_add(cli_json *json, const char *key, json_t *value)
{
    /* The call takes `value` over even when it fails, and fails when it is NULL. */
    if (json_object_set_new(json->object, key, value) != 0) json->failed = true;
}

void cli_json_number(cli_json *json, const char *key, double value)
{
    if (!isnan(value)) cli_json_add(json, key, json_real(value));
}

void cli_json_count(cli_json *json, const char *key, uint64_t value)
{
    /* Jansson's integers are int64; SOTTO_COUNT_MAX is far below. */
    cli_json_add(json, key, json_integer((json_int_t)value));
}

void cli_json_text(cli_json *json, const char *key, const char *value)
{
    if (value != NULL) cli_json_add(json, key, json_string(value));
}

void cli_json_flag(cli_json *json, const char *key, bool value)
{
    cli_json_add(json, key, json_boolean(value));
}

void cli_json_append(cli_json *json, json_t *array, cli_json *row)
{
    if (row->failed || json_array_append(array, row->object) != 0) json->failed = true;
    json_decref(row->object);
}

/* Jansson writes reals with one fixed number of digits (1.0000000000000001e-05), so reals are
 * written here and everything else by it. */
static void write_value(json_t *value);

static void write_leaf(const json_t *value)
{
    if (!json_is_real(value)) {
        (void)json_dumpf(value, stdout, JSON_ENCODE_ANY);
        return;
    }
    char text[CLI_NUMBER_BYTES];
    (void)cli_shortest(json_real_value(value), text);
    /* 2 is an integer in JSON, 2.0 a real. */
    (void)printf("%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

static void write_object(json_t *object)
{
    const char *key = NULL;
    json_t *member = NULL;
    const char *joint = "";
    (void)putchar('{');
    json_object_foreach(object, key, member)
    {
        (void)printf("%s\"%s\": ", joint, key); /* keys are ours: nothing to escape */
        write_value(member);
        joint = ", ";
    }
    (void)putchar('}');
}

static void write_array(const json_t *array)
{
    (void)putchar('[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (i > 0) (void)fputs(", ", stdout);
        write_value(json_array_get(array, i));
    }
    (void)putchar(']');
}

static void write_value(json_t *value)
{
    if (json_is_object(value)) {
        write_object(value);
    } else if (json_is_array(value)) {
        write_array(value);
    } else {
        write_leaf(value);
    }
}

sotto_status cli_json_print(cli_json *json, sotto_error *error)
{
    const bool failed = json->failed;
    if (!failed) {
        write_value(json->object);
        (void)putchar('\n');
    }
    json_decref(json->object);
    *json = (cli_json){.failed = true};
    if (failed)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the answer");
    return SOTTO_OK;
}

void cli_line(const char *label, const char *format, ...)
{
    va_list arguments;
    (void)printf("%-*s  ", LABEL_WIDTH, label);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}
