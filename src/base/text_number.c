/* Numbers of base/text.h: decimal to binary and back. */
#include "base/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

/* A decimal number taken apart: digits[0 .. digit_count) without leading zeros, times ten to
 * the `exponent`. The digits stay in the text; `point` is skipped when reading them. */
typedef struct decimal {
    const char *digits;
    size_t span; /* bytes from the first digit to the last, point included */
    long exponent;
    bool negative;
} decimal;

/* Beyond this every number is zero or out of range, whatever its (at most 2048) digits. */
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

enum { DIGITS_MAX = 17 }; /* of a double; DBL_DECIMAL_DIG */

/* digits * 10^(exponent - number of digits + 1), read back: is it `value`? */
static bool reads_back(const char *digits, int exponent, double value)
{
    char text[SOT_DOUBLE_TEXT_BYTES];
    const int length =
        snprintf(text, sizeof text, "%se%d", digits, exponent - (int)strlen(digits) + 1);
    double back;
    return sot_parse_double(text, (size_t)length, &back) == SOT_NUMBER_OK &&
           back == value;
}

/* The nearest decimal of `count` digits: does it read back? */
static bool try_digits(double value, int count, char *digits, int *exponent)
{
    char printed[64];
    (void)snprintf(printed, sizeof printed, "%.*e", count - 1, value);
    sot_split_scientific(printed, digits, exponent);
    return reads_back(digits, *exponent, value);
}

/* One unit more in the last place; false if that would need another digit. */
static bool increment(char *digits)
{
    size_t i = strlen(digits);
    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i == 0) return false;
    digits[i - 1]++;
    return true;
}

/* The shortest digits of a positive finite `value`.
 *
 * Normal numbers: a decimal of at most 15 digits survives the trip through a double
 * (DBL_DIG), so if any such decimal reads back, it is the one of 15 digits nearest to
 * `value`, zeros at its end dropped. Otherwise 16 or 17 digits are needed. Nearest is not
 * always enough at 16: below a power of two doubles lie twice as dense as above, so the
 * nearest decimal, from below, may miss while the next one above reads back (2^-44).
 * Subnormal numbers have fewer bits, so every length is tried. */
static void shortest_digits(double value, char *digits, int *exponent)
{
    int count = value < DBL_MIN ? 1 : 15;
    while (count < DIGITS_MAX && !try_digits(value, count, digits, exponent)) {
        if (count == 16 && increment(digits) && reads_back(digits, *exponent, value))
            break;
        count++;
    }
    if (count == DIGITS_MAX) (void)try_digits(value, DIGITS_MAX, digits, exponent);
    size_t length = strlen(digits);
    while (length > 1 && digits[length - 1] == '0')
        digits[--length] = '\0';
}

/* Where a plain number becomes too long to read: 0.0001 to 9999999999999998 are plain. */
enum { PLAIN_EXPONENT_MIN = -4, PLAIN_EXPONENT_MAX = 15 };

/* Copies `count` bytes, or that many zeros if `bytes` is NULL; returns the place behind. */
static char *put(char *at, const char *bytes, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = (char)(bytes != NULL ? bytes[i] : '0');
    return at;
}

/* digits[0].digits[1]... times ten to the exponent: at most 17 digits, a point, zeros that
 * only place it (4 in front or 15 behind), a sign and "e-308". */
static void write_decimal(const char *digits, int exponent, char *at)
{
    const int count = (int)strlen(digits);
    if (exponent < PLAIN_EXPONENT_MIN || exponent > PLAIN_EXPONENT_MAX) {
        at = put(at, digits, 1);
        if (count > 1) at = put(put(at, ".", 1), digits + 1, count - 1);
        (void)snprintf(at, sizeof "e-308", "e%d", exponent);
        return;
    }
    if (exponent < 0) {
        at = put(put(put(at, "0.", 2), NULL, -exponent - 1), digits, count);
    } else if (count <= exponent + 1) { /* a whole number */
        at = put(put(put(at, digits, count), NULL, exponent + 1 - count), ".0", 2);
    } else {
        at = put(put(at, digits, exponent + 1), ".", 1);
        at = put(at, digits + exponent + 1, count - exponent - 1);
    }
    *at = '\0';
}

void sot_format_double(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    if (isnan(value)) {
        memcpy(buffer, "nan", sizeof "nan");
        return;
    }
    if (signbit(value)) *buffer++ = '-';
    if (isinf(value)) {
        memcpy(buffer, "inf", sizeof "inf");
    } else if (value == 0.0) {
        memcpy(buffer, "0.0", sizeof "0.0");
    } else {
        char digits[DIGITS_MAX + 1];
        int exponent;
        shortest_digits(fabs(value), digits, &exponent);
        write_decimal(digits, exponent, buffer);
    }
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
