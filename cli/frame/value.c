#include "frame/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/accountant.h>

enum { PHRASE_BYTES = 240, LABEL_BYTES = 40 };

/* Length of a value in an error line: enough to identify it. */
enum { SHOWN_BYTES = 40 };

const char *cli_option_label(const cli_option *option, char *buffer, size_t size_bytes)
{
    const bool is_operand = cli_is_operand(option);
    (void)snprintf(buffer, size_bytes, "%s%s", is_operand ? "" : "--",
                   is_operand ? option->value : option->name);
    return buffer;
}

/* "exact, rdp or basic" */
static void list_choices(const cli_option *option, char *out, size_t size_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; option->choices(i) != NULL && used < size_bytes; i++) {
        const bool last = option->choices(i + 1) == NULL && option->other == NULL;
        const char *joint = i == 0 ? "" : last ? " or " : ", ";
        const int written =
            snprintf(out + used, size_bytes - used, "%s%s", joint, option->choices(i));
        if (written > 0) used += (size_t)written;
    }
    if (option->other != NULL && used < size_bytes)
        (void)snprintf(out + used, size_bytes - used, " or %s", option->other);
}

/* "a positive number, for example 1.1": the remedy of every refusal below. */
static void describe(const cli_option *option, char *out, size_t size_bytes)
{
    static const char *const ranges[] = {
        [CLI_ANY] = "a number",
        [CLI_POSITIVE] = "a positive number",
        [CLI_NOT_NEGATIVE] = "a number of at least 0",
        [CLI_RATE] = "a number above 0 and at most 1",
        [CLI_BELOW_ONE] = "a number of at least 0 and below 1",
    };
    char choices[PHRASE_BYTES - 40];
    int used = 0;
    switch (option->kind) {
    case CLI_NUMBER:
        used = snprintf(out, size_bytes, "%s", ranges[option->range]);
        break;
    case CLI_COUNT:
        used = snprintf(out, size_bytes, "a whole number from 1 to %llu",
                        (unsigned long long)option->count_max);
        break;
    case CLI_CHOICE:
        list_choices(option, choices, sizeof choices);
        used = snprintf(out, size_bytes, "%s%s",
                        option->choices(1) != NULL ? "one of " : "", choices);
        break;
    case CLI_FILE:
        used = snprintf(out, size_bytes, "the path of a file");
        break;
    case CLI_TEXT:
    case CLI_FLAG:
        used = snprintf(out, size_bytes, "a value");
        break;
    }
    if (option->example != NULL && used >= 0 && (size_t)used < size_bytes) {
        (void)snprintf(out + used, size_bytes - (size_t)used, ", for example %s",
                       option->example);
    }
}

/* "--delta is 2; give a number of at least 0 and below 1, for example 1e-5" */
static sotto_status refuse(const cli_option *option, const char *text, const char *why,
                           sotto_error *error)
{
    char label[LABEL_BYTES];
    char remedy[PHRASE_BYTES];
    (void)cli_option_label(option, label, sizeof label);
    describe(option, remedy, sizeof remedy);
    return cli_fail(error, SOTTO_INVALID_ARGUMENT, "%s is %.*s%s%s; give %s", label,
                    SHOWN_BYTES, text[0] == '\0' ? "empty" : text,
                    strlen(text) > SHOWN_BYTES ? "..." : "", why, remedy);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The parts of [+-]digits[.digits][e[+-]digits]; false for anything else. strtod() by itself
 * would also take white space, "nan", "inf" and hexadecimal. */
typedef struct decimal {
    bool negative;
    const char *whole; /* the digits before and after the point */
    const char *fraction;
    size_t whole_length;
    size_t fraction_length;
    long exponent; /* clamped to +-100000, beyond every double and count */
} decimal;

static size_t skip_digits(const char **cursor)
{
    const char *start = *cursor;
    while (is_digit(**cursor))
        (*cursor)++;
    return (size_t)(*cursor - start);
}

static bool read_exponent(const char **cursor, long *out_exponent)
{
    const bool negative = **cursor == '-';
    if (**cursor == '-' || **cursor == '+') (*cursor)++;
    if (!is_digit(**cursor)) return false;
    long exponent = 0;
    for (; is_digit(**cursor); (*cursor)++) {
        if (exponent < 100000) exponent = exponent * 10 + (**cursor - '0');
    }
    if (exponent > 100000) exponent = 100000;
    *out_exponent = negative ? -exponent : exponent;
    return true;
}

static bool split(const char *text, decimal *out)
{
    const char *cursor = text;
    *out = (decimal){.negative = *cursor == '-'};
    if (*cursor == '-' || *cursor == '+') cursor++;
    out->whole = cursor;
    out->whole_length = skip_digits(&cursor);
    out->fraction = cursor;
    if (*cursor == '.') {
        out->fraction = ++cursor;
        out->fraction_length = skip_digits(&cursor);
    }
    if (out->whole_length + out->fraction_length == 0) return false;
    if (*cursor == 'e' || *cursor == 'E') {
        cursor++;
        if (!read_exponent(&cursor, &out->exponent)) return false;
    }
    return *cursor == '\0';
}

static bool is_zero(const decimal *number)
{
    for (size_t i = 0; i < number->whole_length; i++) {
        if (number->whole[i] != '0') return false;
    }
    for (size_t i = 0; i < number->fraction_length; i++) {
        if (number->fraction[i] != '0') return false;
    }
    return true;
}

static bool in_range(cli_range range, double number)
{
    switch (range) {
    case CLI_ANY:
        return true;
    case CLI_POSITIVE:
        return number > 0.0;
    case CLI_NOT_NEGATIVE:
        return number >= 0.0;
    case CLI_RATE:
        return number > 0.0 && number <= 1.0;
    case CLI_BELOW_ONE:
        return number >= 0.0 && number < 1.0;
    }
    return false;
}

static sotto_status parse_number(const cli_option *option, const char *text,
                                 double *out_number, sotto_error *error)
{
    decimal parts;
    if (!split(text, &parts)) return refuse(option, text, "", error);
    /* The grammar is checked and no one calls setlocale(), so the point is a point. */
    const double number = strtod(text, NULL);
    if (isinf(number)) return refuse(option, text, ", which is too large", error);
    if (number == 0.0 && !is_zero(&parts)) {
        return refuse(option, text, ", which is too close to 0", error);
    }
    if (!in_range(option->range, number)) return refuse(option, text, "", error);
    *out_number = number;
    return SOTTO_OK;
}

/* The digit that counts 10^`power`, 0 beyond the written ones. */
static unsigned digit_at(const decimal *number, long power)
{
    const long from_point = power - number->exponent;
    if (from_point >= 0) {
        if (from_point >= (long)number->whole_length) return 0;
        return (unsigned)(number->whole[(long)number->whole_length - 1 - from_point] -
                          '0');
    }
    if (-from_point > (long)number->fraction_length) return 0;
    return (unsigned)(number->fraction[-from_point - 1] - '0');
}

/* Exact: the digits are shifted as text, no double is involved. */
static sotto_status parse_count(const cli_option *option, const char *text,
                                uint64_t *out_count, sotto_error *error)
{
    decimal parts;
    if (!split(text, &parts)) return refuse(option, text, "", error);
    if (is_zero(&parts) || parts.negative) return refuse(option, text, "", error);
    const long highest = parts.exponent + (long)parts.whole_length - 1;
    const long lowest = parts.exponent - (long)parts.fraction_length;
    for (long power = lowest; power < 0 && power <= highest; power++) {
        if (digit_at(&parts, power) != 0) return refuse(option, text, "", error);
    }
    uint64_t count = 0;
    for (long power = highest; power >= 0; power--) {
        const unsigned digit = digit_at(&parts, power);
        if (count > (UINT64_MAX - digit) / 10) {
            return refuse(option, text, ", which is too large", error);
        }
        count = count * 10 + digit;
    }
    if (count > option->count_max) {
        return refuse(option, text, ", which is too large", error);
    }
    if (count == 0) return refuse(option, text, "", error);
    *out_count = count;
    return SOTTO_OK;
}

static sotto_status parse_choice(const cli_option *option, const char *text,
                                 sotto_error *error)
{
    cli_suggestion near = {0};
    if (option->is_other != NULL && option->is_other(text)) return SOTTO_OK;
    for (size_t i = 0; option->choices(i) != NULL; i++) {
        if (strcmp(option->choices(i), text) == 0) return SOTTO_OK;
        cli_suggest(&near, text, option->choices(i));
    }
    char why[LABEL_BYTES] = "";
    if (near.word != NULL) {
        (void)snprintf(why, sizeof why, " (did you mean %s?)", near.word);
    }
    return refuse(option, text, why, error);
}

sotto_status cli_value_parse(const cli_option *option, const char *text,
                             cli_value *out_value, sotto_error *error)
{
    cli_value value = {.given = true, .number = SOTTO_UNSET, .text = text};
    sotto_status status = SOTTO_OK;
    switch (option->kind) {
    case CLI_NUMBER:
        status = parse_number(option, text, &value.number, error);
        break;
    case CLI_COUNT:
        status = parse_count(option, text, &value.count, error);
        break;
    case CLI_CHOICE:
        status = parse_choice(option, text, error);
        break;
    case CLI_TEXT:
    case CLI_FILE:
        /* A file called "-" is nobody's wish. */
        if (text[0] == '\0' || (option->letter == 'o' && strcmp(text, "-") == 0))
            status = refuse(option, text, "", error);
        break;
    case CLI_FLAG:
        break;
    }
    if (status == SOTTO_OK) *out_value = value;
    return status;
}
