#include "data/cells/decimal.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "random/wide.h"

enum { DIGITS_MAX = 19, EXACT_POWER_MAX = 22 };

static const double power_of_ten[EXACT_POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t whole_power_of_ten[DIGITS_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000)};

/* ---- digits ---- */

/* Twice in every number: worth a place in both. */
#if defined(__GNUC__)
#define IN_PLACE __attribute__((always_inline)) static inline
#else
#define IN_PLACE static inline
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Adds eight bytes at once. A byte b of `word` is no digit if b + 0x46 or b - 0x30 has its
 * highest bit set. The first is so for 0x3A .. 0xB9, the second for all below 0x30 and from 0xB0
 * on. Carries and borrows start at such a byte and change only later ones, so the first one is
 * found correctly. The digits before it are moved to the end, zeros in front of them, and joined
 * two, four, eight at a time. */
IN_PLACE const char *add_digits(const char *at, uint64_t *mantissa, size_t *count)
{
    size_t digits;
    do {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t strange = ((word + UINT64_C(0x4646464646464646)) |
                                  (word - UINT64_C(0x3030303030303030))) &
                                 UINT64_C(0x8080808080808080);
        digits = strange == 0 ? 8 : (size_t)__builtin_ctzll(strange) / 8;
        if (digits == 0) break;
        word = (word - UINT64_C(0x3030303030303030)) << (64 - 8 * digits);
        word = word * 10 + (word >> 8); /* pairs, in bytes 0, 2, 4, 6 */
        word = ((word & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
                (word >> 16 & UINT64_C(0x000000FF000000FF)) *
                    UINT64_C(0x0000271000000001)) >>
               32;
        *mantissa = *mantissa * whole_power_of_ten[digits] + (uint32_t)word;
        *count += digits;
        at += digits;
    } while (digits == 8 && *count <= DIGITS_MAX);
    return at;
}
#else
IN_PLACE const char *add_digits(const char *at, uint64_t *mantissa, size_t *count)
{
    for (; *at >= '0' && *at <= '9' && *count <= DIGITS_MAX; at++, ++*count)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    return at;
}
#endif

/* [+-] digits, at most four of them. */
static const char *read_exponent(const char *at, int *out_exponent)
{
    const bool negative = *at == '-';
    if (*at == '+' || *at == '-') at++;
    int exponent = 0;
    const char *const first = at;
    for (; *at >= '0' && *at <= '9' && at < first + 5; at++)
        exponent = exponent * 10 + (*at - '0');
    if (at == first || at == first + 5) return NULL;
    *out_exponent = negative ? -exponent : exponent;
    return at;
}

/* ---- rounding ---- */

/* Returns the double nearest to (word + x) 2^power, x in [0, 1); x is 0 unless `sticky`.
 * word has its highest bit set; the result is a normal number. */
static double round_word(uint64_t word, bool sticky, int power)
{
    const uint64_t half = UINT64_C(1) << 10; /* of the 11 bits that go */
    const uint64_t gone = word & (2 * half - 1);
    uint64_t kept = word >> 11;
    if (gone > half || (gone == half && (sticky || (kept & 1) != 0))) kept++;
    /* kept is 2^52 .. 2^53: its highest bit, added to the exponent field, counts as one there, and
     * a carry out of the fraction is the right one. */
    const uint64_t bits = ((uint64_t)(power + 11 + 1074) << 52) + kept;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* m 10^exponent, m > 0, |exponent| <= 19. */
static double scale_exactly(uint64_t m, int exponent)
{
    if (exponent > 0) {
        const sot_u128 product = (sot_u128)m * whole_power_of_ten[exponent];
        const uint64_t high = (uint64_t)(product >> 64);
        const int shift =
            high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
        const sot_u128 normal = product << shift;
        return round_word((uint64_t)(normal >> 64), (uint64_t)normal != 0, 64 - shift);
    }
    /* Both normalised, the dividend one bit lower: the quotient has 64 or 63 bits, and fits. */
    const uint64_t divisor = whole_power_of_ten[-exponent];
    const int up_m = __builtin_clzll(m);
    const int up_divisor = __builtin_clzll(divisor);
    const sot_u128 dividend = (sot_u128)(m << up_m) << 63;
    const uint64_t normal_divisor = divisor << up_divisor;
    uint64_t quotient = (uint64_t)(dividend / normal_divisor);
    uint64_t remainder = (uint64_t)(dividend - (sot_u128)quotient * normal_divisor);
    int power = up_divisor - up_m - 63;
    if (quotient >> 63 == 0) {
        /* One more binary digit of the quotient. */
        const bool one = remainder >= normal_divisor - remainder;
        quotient = quotient << 1 | (one ? 1 : 0);
        remainder = one ? remainder - (normal_divisor - remainder) : remainder << 1;
        power--;
    }
    return round_word(quotient, remainder != 0, power);
}

static bool scale(uint64_t m, int exponent, double *out_value)
{
    if (exponent == 0 || m == 0) {
        *out_value = (double)m;
    } else if (FLT_EVAL_METHOD == 0 && m <= UINT64_C(1) << 53 &&
               exponent >= -EXACT_POWER_MAX && exponent <= EXACT_POWER_MAX) {
        *out_value = exponent < 0 ? (double)m / power_of_ten[-exponent]
                                  : (double)m * power_of_ten[exponent];
    } else if (exponent >= -DIGITS_MAX && exponent <= DIGITS_MAX) {
        *out_value = scale_exactly(m, exponent);
    } else {
        return false;
    }
    return true;
}

bool sot_scan_decimal(const char **text, double *out_value)
{
    const char *at = *text;
    const bool negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    uint64_t mantissa = 0;
    size_t digits = 0;
    int exponent = 0;
    at = add_digits(at, &mantissa, &digits);
    if (*at == '.') {
        const size_t whole_digits = digits;
        at = add_digits(at + 1, &mantissa, &digits);
        exponent = -(int)(digits - whole_digits);
    }
    if (digits == 0 || digits > DIGITS_MAX) return false;
    if (*at == 'e' || *at == 'E') {
        int written;
        at = read_exponent(at + 1, &written);
        if (at == NULL) return false;
        exponent += written;
    }
    double value;
    if (!scale(mantissa, exponent, &value)) return false;
    *out_value = negative ? -value : value;
    *text = at;
    return true;
}

bool sot_read_decimal(const char *text, size_t size_bytes, double *out_value)
{
    enum { SHORT_BYTES = 32 };
    if (size_bytes <= SHORT_BYTES) {
        char copy[SHORT_BYTES + SOT_DECIMAL_SLACK + 1] = {0};
        memcpy(copy, text, size_bytes);
        const char *at = copy;
        const bool found = sot_scan_decimal(&at, out_value) && at == copy + size_bytes;
        if (found) return true;
    }
    if (size_bytes > SOT_NUMBER_BYTES_MAX) return false;
    const sot_number parsed = sot_parse_double(text, size_bytes, out_value);
    if (parsed == SOT_NUMBER_TOO_SMALL) *out_value = 0.0;
    return parsed == SOT_NUMBER_OK || parsed == SOT_NUMBER_TOO_SMALL;
}
