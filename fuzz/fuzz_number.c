/* Any text as a number, and any eight bytes as a double to print. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "require.h"

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* strtod, in the C locale this program runs in, agrees to the last bit. */
static void check_against_strtod(const char *text, size_t size, sot_number read,
                                 double value)
{
    char *copy = malloc(size + 1), *end;
    require(copy != NULL);
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    const double expected = strtod(copy, &end);
    if (read != SOT_NUMBER_MALFORMED) require(end == copy + size);
    if (read == SOT_NUMBER_OK) require(isfinite(value) && same_bits(value, expected));
    if (read == SOT_NUMBER_TOO_LARGE) require(isinf(expected));
    if (read == SOT_NUMBER_TOO_SMALL) require(expected == 0.0);
    free(copy);
}

/* A count is also a double, and rounds to it. */
static void check_count(const char *text, size_t size, sot_number read, double value)
{
    uint64_t count = 0;
    const sot_number counted = sot_parse_u64(text, size, &count);
    require(counted != SOT_NUMBER_TOO_SMALL);
    if (counted == SOT_NUMBER_OK)
        require(read == SOT_NUMBER_OK && value == (double)count);
    if (read == SOT_NUMBER_MALFORMED) require(counted == SOT_NUMBER_MALFORMED);
    if (read == SOT_NUMBER_TOO_SMALL && text[0] != '-')
        require(counted == SOT_NUMBER_NOT_INTEGRAL);
    if (counted == SOT_NUMBER_TOO_LARGE)
        require(read == SOT_NUMBER_TOO_LARGE || value >= 0x1p64);
}

static void check_printing(double value)
{
    char text[SOT_DOUBLE_TEXT_BYTES], hex[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(value, text);
    sot_format_hex(value, hex);
    require(strlen(text) < sizeof text && strlen(hex) < sizeof hex);
    if (!isfinite(value)) return;
    double back = 0.0;
    require(sot_parse_double(text, strlen(text), &back) == SOT_NUMBER_OK);
    require(same_bits(back, value));
    require(same_bits(strtod(hex, NULL), value));
    require(sot_parse_double(hex, strlen(hex), &back) == SOT_NUMBER_MALFORMED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;
    double value = 0.0;
    const sot_number read = sot_parse_double(text, size, &value);
    check_against_strtod(text, size, read, value);
    check_count(text, size, read, value);
    if (read == SOT_NUMBER_OK) check_printing(value);
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        check_printing(value);
    }
    return 0;
}
