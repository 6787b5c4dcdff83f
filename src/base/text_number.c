/* Numbers of base/text.h: decimal to binary and back. */
#include "base/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/json.h>

#include "base/c_locale.h"

/* A decimal number taken apart: digits[0 .. digit_count) without leading zeros, times ten to
 * the `exponent`. The digits stay in the text; `point` is skipped when reading them. */
typedef struct decimal {
    const char *digits;
    size_t span; /* bytes from the first digit to the last, point included */
    long exponent;
    bool negative;
} decimal;

/* Beyond this every number is zero or out of range, for any (at most 2048) digits. */
static const long EXPONENT_MAX = 1000000;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

/* [+-] digits, to the end of the text; saturates at EXPONENT_MAX. */
static bool read_exponent(const char *at, const char *end, long *out_exponent)
{
    bool negative = false;
    if (at < end && (*at == '+' || *at == '-')) negative = *at++ == '-';
    if (at == end || skip_digits(at, end) != end) return false;
    long exponent = 0;
    for (; at < end; at++)
        if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (*at - '0');
    *out_exponent = negative ? -exponent : exponent;
    return true;
}

/* Checks the grammar of sot_parse_double() and finds the significant digits. */
static bool read_decimal(const char *text, size_t size_bytes, decimal *out)
{
    if (size_bytes == 0 || size_bytes > SOT_NUMBER_BYTES_MAX) return false;
    const char *const end = text + size_bytes;
    const char *at = text;
    const bool has_sign = *at == '+' || *at == '-';
    out->negative = *at == '-';
    if (has_sign) at++;

    const char *const whole = at;
    const char *const whole_end = skip_digits(whole, end);
    const bool has_point = whole_end < end && *whole_end == '.';
    const char *const fraction = whole_end + (has_point ? 1 : 0);
    const char *const fraction_end = skip_digits(fraction, end);
    if (whole_end == whole && fraction_end == fraction) return false;

    long exponent = 0;
    if (fraction_end < end) {
        if (*fraction_end != 'e' && *fraction_end != 'E') return false;
        if (!read_exponent(fraction_end + 1, end, &exponent)) return false;
    }
    at = whole;
    while (at < fraction_end && (*at == '0' || *at == '.'))
        at++;
    out->digits = at;
    out->span = (size_t)(fraction_end - at);
    out->exponent = exponent - (long)(fraction_end - fraction);
    return true;
}

sot_number sot_parse_double(const char *text, size_t size_bytes, double *out_value)
{
    decimal number;
    if (!read_decimal(text, size_bytes, &number)) return SOT_NUMBER_MALFORMED;
    char copy[SOT_NUMBER_BYTES_MAX + 1]; /* strtod wants a NUL */
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';

    sot_c_locale scope;
    /* Without the C locale a number is refused, never misread. */
    if (!sot_c_locale_enter(&scope)) return SOT_NUMBER_MALFORMED;
    const double value = strtod(copy, NULL);
    sot_c_locale_leave(&scope);

    if (isinf(value)) return SOT_NUMBER_TOO_LARGE;
    if (value == 0.0 && number.span != 0) return SOT_NUMBER_TOO_SMALL;
    *out_value = value;
    return SOT_NUMBER_OK;
}

/* Drops trailing zeros (and a point among them) into the exponent, so that a negative
 * exponent afterwards means a true fraction. */
static void normalise(decimal *number)
{
    while (number->span > 0) {
        const char last = number->digits[number->span - 1];
        if (last != '0' && last != '.') break;
        if (last == '0') number->exponent++;
        number->span--;
    }
}

static bool append_digit(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10) return false;
    *value = *value * 10 + digit;
    return true;
}

sot_number sot_parse_u64(const char *text, size_t size_bytes, uint64_t *out_value)
{
    decimal number;
    if (!read_decimal(text, size_bytes, &number)) return SOT_NUMBER_MALFORMED;
    if (number.negative) return SOT_NUMBER_MALFORMED;
    normalise(&number);
    uint64_t value = 0;
    if (number.span != 0) {
        if (number.exponent < 0) return SOT_NUMBER_NOT_INTEGRAL;
        for (size_t i = 0; i < number.span; i++) {
            if (number.digits[i] == '.') continue;
            if (!append_digit(&value, (unsigned)(number.digits[i] - '0')))
                return SOT_NUMBER_TOO_LARGE;
        }
        for (long i = 0; i < number.exponent; i++)
            if (!append_digit(&value, 0)) return SOT_NUMBER_TOO_LARGE;
    }
    *out_value = value;
    return SOT_NUMBER_OK;
}

void sot_split_scientific(const char *printed, char *digits, int *out_exponent)
{
    for (; *printed != '\0' && *printed != 'e'; printed++)
        if (is_digit(*printed)) *digits++ = *printed;
    *digits = '\0';
    *out_exponent = *printed == 'e' ? (int)strtol(printed + 1, NULL, 10) : 0;
}

enum { DIGITS_MAX = SOT_DIGITS_BYTES - 1 }; /* of a double; DBL_DECIMAL_DIG */

/* digits * 10^(exponent - number of digits + 1), read back. */
static double read_back(const sot_digits *from)
{
    char text[SOT_DOUBLE_TEXT_BYTES];
    double value = NAN;
    const int length = snprintf(text, sizeof text, "%se%d", from->digits,
                                from->exponent - (int)strlen(from->digits) + 1);
    const sot_number how = sot_parse_double(text, (size_t)length, &value);
    if (how == SOT_NUMBER_TOO_LARGE) return HUGE_VAL;
    return how == SOT_NUMBER_TOO_SMALL ? 0.0 : value;
}

/* The decimal of `count` digits nearest to |value|. */
static void nearest_digits(double value, int count, sot_digits *out)
{
    char printed[64];
    (void)snprintf(printed, sizeof printed, "%.*e", count - 1, fabs(value));
    sot_split_scientific(printed, out->digits, &out->exponent);
}

/* One unit of the last digit more or less; 999 becomes 100 of the next power, 100 the 999 of
 * the power before. */
static void step(sot_digits *at, bool up)
{
    char *const digits = at->digits;
    size_t i = strlen(digits);
    while (i > 0 && digits[i - 1] == (up ? '9' : '0')) {
        i--;
        digits[i] = up ? '0' : '9';
    }
    if (i > 0) digits[i - 1] = (char)(digits[i - 1] + (up ? 1 : -1));
    if (digits[0] != '0') return;
    digits[0] = up ? '1' : '9';
    at->exponent += up ? 1 : -1;
}

void sot_round_digits(double value, int count, int direction, sot_digits *out)
{
    nearest_digits(value, count, out);
    const bool up = direction > 0;
    const double nearest = value < 0.0 ? -read_back(out) : read_back(out);
    if (direction == 0 || (up ? nearest >= value : nearest <= value)) return;
    step(out, up == (value > 0.0));
}

/* Normal numbers: a decimal of at most 15 digits survives the trip through a double
 * (DBL_DIG). So if any such decimal reads back, it is the one of 15 digits nearest to
 * `value`, without the zeros at its end. Otherwise 16 or 17 digits are needed. Nearest is
 * not always enough at 16: below a power of two doubles lie twice as dense as above. The
 * nearest decimal, from below, may miss while the next one above reads back (2^-44).
 * Subnormal numbers have fewer bits, so every length is tried. */
void sot_shortest_digits(double value, sot_digits *out)
{
    value = fabs(value);
    int count = value > 0.0 && value < DBL_MIN ? 1 : 15;
    for (; count <= DIGITS_MAX; count++) {
        nearest_digits(value, count, out);
        if (read_back(out) == value) break;
        if (count != 16) continue;
        step(out, true);
        if (read_back(out) == value) break;
    }
}

/* Copies `count` bytes, or that many zeros if `bytes` is NULL; returns the place behind. */
static char *put(char *at, const char *bytes, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = (char)(bytes != NULL ? bytes[i] : '0');
    return at;
}

/* At most 17 digits, a point, zeros that only place it (4 in front or 15 behind) and "e-308". */
void sot_spell_digits(const sot_digits *from, const sot_spelling *spelling, char *at)
{
    const char *digits = from->digits;
    const int exponent = from->exponent;
    int count = (int)strlen(digits);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    const bool plain = exponent >= -4 && (exponent < spelling->plain_digits ||
                                          (spelling->all_digits && exponent < count));
    if (!plain) {
        at = put(at, digits, 1);
        if (count > 1) at = put(put(at, ".", 1), digits + 1, count - 1);
        (void)snprintf(at, sizeof "e-308", spelling->padded ? "e%+03d" : "e%d", exponent);
        return;
    }
    if (exponent < 0) {
        at = put(put(put(at, "0.", 2), NULL, -exponent - 1), digits, count);
    } else if (count <= exponent + 1) { /* a whole number */
        at = put(put(at, digits, count), NULL, exponent + 1 - count);
        if (spelling->with_point) at = put(at, ".0", 2);
    } else {
        at = put(put(at, digits, exponent + 1), ".", 1);
        at = put(at, digits + exponent + 1, count - exponent - 1);
    }
    *at = '\0';
}

void sot_format_number(double value, const sot_spelling *spelling,
                       char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    if (isnan(value)) {
        memcpy(buffer, "nan", sizeof "nan");
        return;
    }
    if (signbit(value)) *buffer++ = '-';
    if (isinf(value)) {
        memcpy(buffer, "inf", sizeof "inf");
    } else {
        sot_digits shortest;
        sot_shortest_digits(value, &shortest);
        sot_spell_digits(&shortest, spelling, buffer);
    }
}

void sot_format_double(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    /* 0.0001 to 9999999999999998 are plain; longer ones would be hard to read. */
    static const sot_spelling for_files = {.plain_digits = 16, .with_point = true};
    sot_format_number(value, &for_files, buffer);
}

const char *sotto_number_shortest(double value, int plain_digits,
                                  char out[SOTTO_NUMBER_BYTES])
{
    sot_format_number(
        value,
        &(sot_spelling){.plain_digits = plain_digits, .all_digits = true, .padded = true},
        out);
    return out;
}

const char *sotto_number_rounded(double value, int digits, bool up,
                                 char out[SOTTO_NUMBER_BYTES])
{
    sot_digits found;
    sot_round_digits(value, digits, up ? 1 : -1, &found);
    if (signbit(value)) out[0] = '-';
    sot_spell_digits(&found, &(sot_spelling){.plain_digits = digits, .padded = true},
                     out + (signbit(value) ? 1 : 0));
    return out;
}

void sot_format_hex(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    if (!isfinite(value)) {
        sot_format_double(value, buffer);
        return;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52 & 0x7FF);
    const bool normal = biased != 0;
    char hex[16];
    (void)snprintf(hex, sizeof hex, "%013" PRIx64, fraction);
    size_t length = 13;
    while (length > 0 && hex[length - 1] == '0')
        hex[--length] = '\0';
    /* Subnormals keep the exponent of the least normal number, with a leading 0. */
    const int exponent = normal ? biased - 1023 : fraction != 0 ? -1022 : 0;
    (void)snprintf(buffer, SOT_DOUBLE_TEXT_BYTES, "%s0x%c%s%sp%+d",
                   signbit(value) ? "-" : "", normal ? '1' : '0', length > 0 ? "." : "",
                   hex, exponent);
}
