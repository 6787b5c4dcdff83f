#include "random/digits.h"

#include <math.h>

bool sot_digits_less(sotto_rng *rng, sot_digits *a, sot_digits *b)
{
    for (unsigned i = 0; i < SOT_DIGITS_MAX; i++) {
        sot_digits_extend(rng, a, i + 1);
        sot_digits_extend(rng, b, i + 1);
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i];
    }
    return false;
}

sot_wide sot_digits_wide(const sot_digits *digits, unsigned count, unsigned fraction)
{
    assert(count <= digits->count && count <= fraction);
    sot_wide result = sot_wide_from_integer(0, fraction);
    for (unsigned i = 0; i < count; i++)
        result.word[fraction - 1 - i] = digits->word[i];
    return result;
}

sot_dyadic sot_dyadic_from(double positive)
{
    assert(positive > 0.0 && isfinite(positive));
    int exponent = 0;
    const double half_to_one = frexp(positive, &exponent);
    const sot_dyadic result = {
        .mantissa = (uint64_t)ldexp(half_to_one, 53), /* an integer: exact */
        .exponent = exponent - 53,
    };
    return result;
}

/* Both ends of the interval of sigma * 512 * value, in units of 2^-`point`, with one half added:
 * floor of them are the candidates. `low` has count + 1 words, least first. */
typedef struct scaled {
    unsigned words;
    unsigned point;
    uint64_t low[SOT_DIGITS_MAX + 1];
} scaled;

static void add_at(scaled *number, unsigned word, uint64_t addend)
{
    for (unsigned i = word; i < number->words && addend != 0; i++) {
        const sot_u128 sum = (sot_u128)number->low[i] + addend;
        number->low[i] = (uint64_t)sum;
        addend = (uint64_t)(sum >> 64);
    }
}

/* Returns mantissa * D + half a unit of the result. D is the first `count` words as an integer.
 * sigma * 512 * D 2^(-64 count) = mantissa * D * 2^(exponent + 9 - 64 count). The product is
 * below 2^(64 count + 53), so one more word holds it with the half: point <= 64 count + 63. */
static scaled multiply(const sot_digits *digits, unsigned count, sot_dyadic sigma)
{
    scaled product = {
        .words = count + 1,
        .point = (unsigned)((int)(64 * count) - SOT_NORMAL_INTEGER_BITS - sigma.exponent),
    };
    uint64_t carry = 0;
    for (unsigned i = 0; i < count; i++) {
        const sot_u128 part =
            (sot_u128)digits->word[count - 1 - i] * sigma.mantissa + carry;
        product.low[i] = (uint64_t)part;
        carry = (uint64_t)(part >> 64);
    }
    product.low[count] = carry;
    const unsigned half = product.point - 1;
    add_at(&product, half / 64, UINT64_C(1) << (half % 64));
    return product;
}

/* floor(number 2^-point), at most INT64_MAX. */
static int64_t integer_part(const scaled *number)
{
    const unsigned whole = number->point / 64;
    const unsigned rest = number->point % 64;
    sot_u128 above = 0;
    for (unsigned i = number->words; i-- > whole;) {
        if (above >> 64 != 0) return INT64_MAX;
        above = (above << 64) | number->low[i];
    }
    above >>= rest;
    return above > INT64_MAX ? INT64_MAX : (int64_t)above;
}

int64_t sot_digits_round(sotto_rng *rng, sot_digits *digits, sot_dyadic sigma)
{
    assert(sigma.exponent >= -72 && sigma.exponent <= 4); /* 2^-20 <= sigma <= 2^56 */
    sot_digits_extend(rng, digits, 1);
    {
        /* Only the first word, in 128 bits: the same as below with count = 1. */
        const unsigned point = (unsigned)(64 - SOT_NORMAL_INTEGER_BITS - sigma.exponent);
        const sot_u128 half = (sot_u128)1 << (point - 1);
        const sot_u128 low = (sot_u128)digits->word[0] * sigma.mantissa + half;
        const sot_u128 lowest = low >> point;
        const sot_u128 highest = (low + (sigma.mantissa - 1)) >> point;
        if (lowest == highest && lowest <= INT64_MAX) return (int64_t)lowest;
    }
    for (unsigned count = 2;; count++) {
        sot_digits_extend(rng, digits, count);
        scaled number = multiply(digits, count, sigma);
        const int64_t lowest = integer_part(&number);
        /* The value lies in [D, D + 1) * mantissa, and integers are multiples of 2^point. */
        add_at(&number, 0, sigma.mantissa - 1);
        const int64_t highest = integer_part(&number);
        if (lowest == highest || count == SOT_DIGITS_MAX) return highest;
    }
}

void sot_digits_behind(sotto_rng *rng, uint64_t whole, const sot_digits *x,
                       sot_digits *out_digits)
{
    assert(whole < UINT64_C(1) << SOT_NORMAL_INTEGER_BITS);
    uint64_t above = whole << (64 - SOT_NORMAL_INTEGER_BITS);
    const unsigned known = x->count < SOT_DIGITS_MAX ? x->count : SOT_DIGITS_MAX - 1;
    for (unsigned i = 0; i < known; i++) {
        out_digits->word[i] = above | (x->word[i] >> SOT_NORMAL_INTEGER_BITS);
        above = x->word[i] << (64 - SOT_NORMAL_INTEGER_BITS);
    }
    out_digits->word[known] = above | (sot_rng_u64(rng) >> SOT_NORMAL_INTEGER_BITS);
    out_digits->count = known + 1;
}

double sot_digits_magnitude(sotto_rng *rng, sot_digits *digits)
{
    for (unsigned i = 0; i + 1 < SOT_DIGITS_MAX; i++) {
        sot_digits_extend(rng, digits, i + 2);
        if (digits->word[i] == 0) continue;
        const unsigned zeros = sot_leading_zeros(digits->word[i]);
        const uint64_t significant =
            zeros == 0
                ? digits->word[i]
                : (digits->word[i] << zeros) | (digits->word[i + 1] >> (64 - zeros));
        return (double)significant *
               sot_power_of_half(64 * (i + 1) + zeros - SOT_NORMAL_INTEGER_BITS);
    }
    return 0.0;
}
