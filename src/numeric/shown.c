#include "numeric/shown.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "numeric/outward.h"

enum { DIGITS_MAX = 17, DIGITS_BYTES = 24 };

/* digits * 10^(exponent - length + 1) as text: plain where that is short, else "1.5e-7". */
static void spell(const char *digits, int exponent, char out[SOT_SHOWN_BYTES])
{
    int length = (int)strlen(digits);
    while (length > 1 && digits[length - 1] == '0')
        length--;
    if (exponent >= 0 && exponent < 7) {
        const int whole = exponent + 1;
        const int kept = length < whole ? length : whole;
        (void)snprintf(out, SOT_SHOWN_BYTES, "%.*s%.*s%s%.*s", kept, digits, whole - kept,
                       "0000000", length > whole ? "." : "",
                       length > whole ? length - whole : 0, digits + kept);
    } else if (exponent < 0 && exponent >= -4) {
        (void)snprintf(out, SOT_SHOWN_BYTES, "0.%.*s%.*s", -exponent - 1, "0000", length,
                       digits);
    } else {
        (void)snprintf(out, SOT_SHOWN_BYTES, "%c%s%.*se%d", digits[0],
                       length > 1 ? "." : "", length - 1, digits + 1, exponent);
    }
}

static double read_back(const char *text)
{
    double value = NAN;
    const sot_number how = sot_parse_double(text, strlen(text), &value);
    if (how == SOT_NUMBER_TOO_LARGE) return HUGE_VAL;
    return how == SOT_NUMBER_TOO_SMALL ? 0.0 : value;
}

/* One unit of the last digit more or less; 999 becomes 100 of the next power, 100 the 999 of
 * the power before. */
static void step(char *digits, int *exponent, bool up)
{
    size_t i = strlen(digits);
    while (i > 0 && digits[i - 1] == (up ? '9' : '0')) {
        i--;
        digits[i] = up ? '0' : '9';
    }
    if (i > 0) digits[i - 1] = (char)(digits[i - 1] + (up ? 1 : -1));
    if (digits[0] != '0') return;
    digits[0] = up ? '1' : '9';
    *exponent += up ? 1 : -1;
}

static const char *shown(double value, int count, bool up, char out[SOT_SHOWN_BYTES])
{
    assert(count >= 1 && count <= DIGITS_MAX);
    if (!isfinite(value)) {
        (void)snprintf(out, SOT_SHOWN_BYTES, "none");
        return out;
    }
    assert(value >= 0.0);
    char printed[SOT_SHOWN_BYTES];
    char digits[DIGITS_BYTES];
    int exponent;
    (void)snprintf(printed, sizeof printed, "%.*e", count - 1, value);
    sot_split_scientific(printed, digits, &exponent);
    spell(digits, exponent, out);
    const double nearest = read_back(out);
    if (value > 0.0 && (up ? nearest < value : nearest > value)) {
        step(digits, &exponent, up);
        spell(digits, exponent, out);
    }
    return out;
}

const char *sot_shown_up(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    return shown(value, digits, true, out);
}

const char *sot_shown_down(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    return shown(value, digits, false, out);
}

const char *sot_shown_near(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    char printed[SOT_SHOWN_BYTES], size[SOT_SHOWN_BYTES];
    char found[DIGITS_BYTES];
    int exponent;
    assert(digits >= 1 && digits <= DIGITS_MAX);
    if (!isfinite(value)) {
        (void)snprintf(out, SOT_SHOWN_BYTES, "none");
        return out;
    }
    (void)snprintf(printed, sizeof printed, "%.*e", digits - 1, fabs(value));
    sot_split_scientific(printed, found, &exponent);
    spell(found, exponent, size);
    /* U+2212, the minus sign: a hyphen is too short to be seen, and may end a line. */
    (void)snprintf(out, SOT_SHOWN_BYTES, "%s%.34s", value < 0.0 ? "\xe2\x88\x92" : "",
                   size);
    return out;
}

const char *sot_shown_whole(double value, char out[SOT_SHOWN_BYTES])
{
    for (int digits = 1; digits < DIGITS_MAX; digits++) {
        (void)shown(value, digits, true, out);
        if (!isfinite(value) || read_back(out) == value) return out;
    }
    return shown(value, DIGITS_MAX, true, out);
}

static const char *with_percent(char out[SOT_SHOWN_BYTES])
{
    const size_t length = strlen(out);
    assert(length + 2 <= SOT_SHOWN_BYTES);
    memcpy(out + length, "%", 2);
    return out;
}

const char *sot_shown_percent_up(double probability, int digits,
                                 char out[SOT_SHOWN_BYTES])
{
    (void)shown(fmin(100.0, sot_mul_up(100.0, probability)), digits, true, out);
    return with_percent(out);
}

const char *sot_shown_percent_down(double probability, int digits,
                                   char out[SOT_SHOWN_BYTES])
{
    (void)shown(fmax(0.0, sot_mul_down(100.0, probability)), digits, false, out);
    return with_percent(out);
}

const char *sot_shown_percent_whole(double rate, char out[SOT_SHOWN_BYTES])
{
    (void)sot_shown_whole(100.0 * rate, out); /* to nearest: 100 * 0.01 is 1 */
    return with_percent(out);
}

const char *sot_shown_count(uint64_t count, char out[SOT_SHOWN_BYTES])
{
    char plain[SOT_SHOWN_BYTES];
    const int length = snprintf(plain, sizeof plain, "%" PRIu64, count);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[used++] = ' ';
        out[used++] = plain[i];
    }
    out[used] = '\0';
    return out;
}
