#include "data/readers/arrow/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/cells/cell.h"
#include "data/cells/decimal.h"
#include "data/cells/time.h"

/* Whole numbers from here on have no spelling: 10^1000000 would take long, and is no id. */
enum { DIGITS_MAX = 300 };

/* Digits of 2^127, and their NUL. */
enum { DECIMAL_BYTES = 40 };

/* ---- spelling ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void trim(const char *text, size_t size_bytes, sot_arrow_text *out)
{
    while (size_bytes > 0 && is_blank(text[0])) {
        text++;
        size_bytes--;
    }
    while (size_bytes > 0 && is_blank(text[size_bytes - 1]))
        size_bytes--;
    out->text = text;
    out->size_bytes = size_bytes;
}

static void spell_real(double value, sot_arrow_text *out)
{
    if (isnan(value)) return;
    if (value == 0.0) {
        memcpy(out->room, "0", 2); /* -0 too */
    } else if (value == floor(value) && fabs(value) < 1e300) {
        (void)snprintf(out->room, sizeof out->room, "%.0f", value);
    } else if (value == floor(value) && !isinf(value)) {
        return;
    } else {
        sot_format_double(value, out->room);
    }
    out->size_bytes = strlen(out->room);
}

/* The digits of the magnitude, without zeros in front; returns whether the number is negative. */
static bool split_decimal(const sot_arrow_value *value, char digits[DECIMAL_BYTES])
{
    const bool minus = value->decimal >> 127 != 0;
    sot_arrow_wide rest = minus ? -value->decimal : value->decimal;
    char reversed[DECIMAL_BYTES];
    size_t count = 0;
    for (; rest != 0; rest /= 10)
        reversed[count++] = (char)('0' + (int)(rest % 10));
    for (size_t i = 0; i < count; i++)
        digits[i] = reversed[count - 1 - i];
    digits[count] = '\0';
    return minus;
}

/* As sot_format_double() spells the same number, and whole numbers by their digits. */
static void spell_decimal(const sot_arrow_value *value, sot_arrow_text *out)
{
    char digits[DECIMAL_BYTES];
    const char *sign = split_decimal(value, digits) ? "-" : "";
    int count = (int)strlen(digits), exponent = -value->scale;
    if (count == 0) {
        memcpy(out->room, "0", 2);
        out->size_bytes = 1;
        return;
    }
    while (digits[count - 1] == '0') {
        count--;
        exponent++;
    }
    const int point = count + exponent; /* digits before it */
    if (exponent >= 0 && point > DIGITS_MAX) return;
    if (exponent >= 0) {
        (void)snprintf(out->room, sizeof out->room, "%s%.*s%0*d", sign, count, digits,
                       exponent, 0);
        out->room[strlen(sign) + (size_t)point] =
            '\0'; /* %0*d has a digit too much for 0 */
    } else if (point <= -4 || point > 16) {
        (void)snprintf(out->room, sizeof out->room, "%s%c%s%.*se%d", sign, digits[0],
                       count > 1 ? "." : "", count - 1, digits + 1, point - 1);
    } else if (point <= 0) {
        (void)snprintf(out->room, sizeof out->room, "%s0.%.*s%.*s", sign, -point, "0000",
                       count, digits);
    } else {
        (void)snprintf(out->room, sizeof out->room, "%s%.*s.%.*s", sign, point, digits,
                       count - point, digits + point);
    }
    out->size_bytes = strlen(out->room);
}

void sot_arrow_spell(const sot_arrow_value *value, sot_arrow_text *out_text)
{
    out_text->text = out_text->room;
    out_text->size_bytes = 0;
    switch (value->kind) {
    case SOT_ARROW_MISSING:
        return;
    case SOT_ARROW_TRUTH:
        out_text->room[0] = value->truth ? '1' : '0';
        out_text->size_bytes = 1;
        return;
    case SOT_ARROW_SIGNED:
        out_text->size_bytes = (size_t)snprintf(out_text->room, sizeof out_text->room,
                                                "%" PRId64, value->number);
        return;
    case SOT_ARROW_UNSIGNED:
        out_text->size_bytes = (size_t)snprintf(out_text->room, sizeof out_text->room,
                                                "%" PRIu64, value->magnitude);
        return;
    case SOT_ARROW_REAL:
        spell_real(value->real, out_text);
        return;
    case SOT_ARROW_DECIMAL:
        spell_decimal(value, out_text);
        return;
    case SOT_ARROW_TEXT:
        trim(value->text, value->text_bytes, out_text);
        return;
    }
}

/* ---- numbers ---- */

/* The double nearest to the decimal, by the parser of files. */
static double number_of_decimal(const sot_arrow_value *value)
{
    char digits[DECIMAL_BYTES], text[DECIMAL_BYTES + 8];
    double number = 0.0;
    const bool minus = split_decimal(value, digits);
    const int size = snprintf(text, sizeof text, "%s%se%d", minus ? "-" : "",
                              digits[0] == '\0' ? "0" : digits, -value->scale);
    return sot_read_decimal(text, (size_t)size, &number) ? number : (double)NAN;
}

double sot_arrow_number(const sot_arrow_value *value)
{
    double number = 0.0;
    sot_arrow_text text;
    switch (value->kind) {
    case SOT_ARROW_MISSING:
        break;
    case SOT_ARROW_TRUTH:
        return value->truth ? 1.0 : 0.0;
    case SOT_ARROW_SIGNED:
        return (double)value->number;
    case SOT_ARROW_UNSIGNED:
        return (double)value->magnitude;
    case SOT_ARROW_REAL:
        return value->real;
    case SOT_ARROW_DECIMAL:
        return number_of_decimal(value);
    case SOT_ARROW_TEXT:
        trim(value->text, value->text_bytes, &text);
        if (sot_read_decimal(text.text, text.size_bytes, &number)) return number;
        break;
    }
    return (double)NAN;
}

/* ---- cells ---- */

/* A truth value is the category of the first of these names that there is. */
static double category_of_truth(const sot_arrow_use *use, bool truth)
{
    static const char *const names[2][3] = {{"0", "false", "False"},
                                            {"1", "true", "True"}};
    for (size_t i = 0; i < 3; i++) {
        const char *name = names[truth][i];
        const size_t index = sot_words_find(use->categories, name, strlen(name));
        if (index != SIZE_MAX) return (double)index;
    }
    return use->column->missing;
}

static double category_of(const sot_arrow_use *use, const sot_arrow_value *value)
{
    sot_arrow_text text;
    if (value->kind == SOT_ARROW_TRUTH) return category_of_truth(use, value->truth);
    sot_arrow_spell(value, &text);
    return sot_cell_of_text(use->column, use->categories, text.text, text.size_bytes);
}

double sot_arrow_raw_number(const sot_arrow_use *use, const sot_arrow_value *value)
{
    return use->tick_ns > 0 && value->kind == SOT_ARROW_SIGNED
               ? sot_time_of_ticks(use->column, value->number, use->tick_ns)
               : sot_arrow_number(value);
}

double sot_arrow_cell(const sot_arrow_use *use, const sot_arrow_value *value)
{
    if (use->column == NULL) return sot_arrow_number(value);
    if (use->column->type == SOTTO_COLUMN_CATEGORY) return category_of(use, value);
    if (value->kind == SOT_ARROW_TEXT)
        return sot_cell_of_text(use->column, use->categories, value->text,
                                value->text_bytes);
    return sot_cell_of_number(use->column, sot_arrow_raw_number(use, value));
}

/* ---- columns of numbers ---- */

static inline double number_cell(const sotto_column *column, double number)
{
    return column == NULL     ? number
           : isfinite(number) ? sot_cell_bounded(column, number)
                              : column->missing;
}

/* The same as cell by cell, without a question for each. */
#define FILL_NUMBERS(type)                                                               \
    do {                                                                                 \
        const char *from = (const char *)cells->values + first * sizeof(type);           \
        for (size_t i = 0; i < count; i++) {                                             \
            type number;                                                                 \
            memcpy(&number, from + i * sizeof number, sizeof number);                    \
            out[i * stride] = number_cell(column, (double)number);                       \
        }                                                                                \
    } while (0)

static bool fill_numbers(const sot_arrow_use *use, const sot_arrow_cells *cells,
                         uint64_t place, size_t count, double *out, size_t stride)
{
    const sotto_column *column = use->column;
    const uint64_t first = cells->first + place;
    const bool is_number = column == NULL || column->type == SOTTO_COLUMN_NUMBER ||
                           column->type == SOTTO_COLUMN_INTEGER;
    if (!is_number || cells->validity != NULL || place > cells->count ||
        count > cells->count - place)
        return false;
    if (cells->kind == SOT_ARROW_FLOAT64) {
        FILL_NUMBERS(double);
    } else if (cells->kind == SOT_ARROW_FLOAT32) {
        FILL_NUMBERS(float);
    } else if (cells->kind == SOT_ARROW_INT64) {
        FILL_NUMBERS(int64_t);
    } else if (cells->kind == SOT_ARROW_INT32) {
        FILL_NUMBERS(int32_t);
    } else {
        return false;
    }
    return true;
}

void sot_arrow_fill(const sot_arrow_use *use, const sot_arrow_column *column,
                    uint64_t place, size_t count, double *out, size_t stride)
{
    if (!column->is_dictionary &&
        fill_numbers(use, &column->cells, place, count, out, stride))
        return;
    for (size_t i = 0; i < count; i++) {
        const sot_arrow_value value = sot_arrow_value_at(column, place + i);
        out[i * stride] = sot_arrow_cell(use, &value);
    }
}
