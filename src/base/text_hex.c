/* Hexadecimal floats, read back: the reverse of sot_format_hex(). */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static int digit_of(char character)
{
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    return -1;
}

/* The exponent behind the p: a sign and at most four digits. */
static bool read_exponent(const char *text, const char *end, int *out_exponent)
{
    if (end - text < 2 || end - text > 5 || (*text != '+' && *text != '-')) return false;
    int exponent = 0;
    for (const char *next = text + 1; next < end; next++) {
        if (*next < '0' || *next > '9') return false;
        exponent = 10 * exponent + (*next - '0');
    }
    *out_exponent = *text == '-' ? -exponent : exponent;
    return true;
}

sot_number sot_parse_hex(const char *text, size_t size_bytes, double *out_value)
{
    if (size_bytes >= SOT_DOUBLE_TEXT_BYTES) return SOT_NUMBER_MALFORMED;
    const char *next = text, *const end = text + size_bytes;
    const bool negative = next < end && *next == '-';
    if (negative) next++;
    if (end - next < 4 || next[0] != '0' || next[1] != 'x') return SOT_NUMBER_MALFORMED;
    next += 2;
    uint64_t digits = 0;
    int count = 0, exponent = 0;
    for (; next < end && count < 14; next++) {
        if (count == 1 && *next == '.') continue;
        if (digit_of(*next) < 0) break;
        digits = 16 * digits + (uint64_t)digit_of(*next);
        count++;
    }
    if (count == 0 || next == end || *next != 'p') return SOT_NUMBER_MALFORMED;
    if (!read_exponent(next + 1, end, &exponent)) return SOT_NUMBER_MALFORMED;
    /* At most 14 digits are below 2^56; that the value is exact, and spelled the one way, is
     * seen by writing it again. */
    const double magnitude = ldexp((double)digits, exponent - 4 * (count - 1));
    const double value = negative ? -magnitude : magnitude;
    char again[SOT_DOUBLE_TEXT_BYTES];
    sot_format_hex(value, again);
    if (strlen(again) != size_bytes || memcmp(again, text, size_bytes) != 0)
        return SOT_NUMBER_MALFORMED;
    *out_value = value;
    return SOT_NUMBER_OK;
}
