#include "random/wide.h"

#include <assert.h>
#include <string.h>

sot_wide sot_wide_from_integer(uint64_t n, unsigned fraction)
{
    assert(fraction <= SOT_WIDE_FRACTION_MAX);
    sot_wide result = {.fraction = fraction};
    result.word[fraction] = n;
    return result;
}

sot_wide sot_wide_ratio(uint64_t high, sot_u128 low, uint64_t divisor, unsigned fraction)
{
    const uint64_t dividend[3] = {high, (uint64_t)(low >> 64), (uint64_t)low};
    sot_wide result = sot_wide_from_integer(0, fraction);
    sot_u128 remainder = 0;
    for (unsigned i = 0; i < 3; i++) {
        const sot_u128 part = (remainder << 64) | dividend[i];
        assert(i == 2 || part < divisor); /* the quotient fits one word */
        result.word[fraction] = (uint64_t)(part / divisor);
        remainder = part % divisor;
    }
    for (unsigned i = fraction; i-- > 0;) {
        const sot_u128 part = remainder << 64;
        result.word[i] = (uint64_t)(part / divisor);
        remainder = part % divisor;
    }
    return result;
}

int sot_wide_compare(const sot_wide *a, const sot_wide *b)
{
    assert(a->fraction == b->fraction);
    for (unsigned i = a->fraction + 1; i-- > 0;) {
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    }
    return 0;
}

sot_wide sot_wide_add(const sot_wide *a, const sot_wide *b)
{
    assert(a->fraction == b->fraction);
    sot_wide sum = {.fraction = a->fraction};
    uint64_t carry = 0;
    for (unsigned i = 0; i <= a->fraction; i++) {
        const sot_u128 part = (sot_u128)a->word[i] + b->word[i] + carry;
        sum.word[i] = (uint64_t)part;
        carry = (uint64_t)(part >> 64);
    }
    assert(carry == 0);
    return sum;
}

sot_wide sot_wide_subtract(const sot_wide *a, const sot_wide *b)
{
    assert(a->fraction == b->fraction);
    sot_wide difference = {.fraction = a->fraction};
    uint64_t borrow = 0;
    for (unsigned i = 0; i <= a->fraction; i++) {
        const sot_u128 part = (sot_u128)a->word[i] - b->word[i] - borrow;
        difference.word[i] = (uint64_t)part;
        borrow = (uint64_t)(part >> 64) & 1;
    }
    if (borrow != 0) return sot_wide_from_integer(0, a->fraction);
    return difference;
}

sot_wide sot_wide_multiply(const sot_wide *a, const sot_wide *b)
{
    assert(a->fraction == b->fraction);
    const unsigned words = a->fraction + 1;
    uint64_t product[2 * (SOT_WIDE_FRACTION_MAX + 1)] = {0};
    for (unsigned i = 0; i < words; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; j < words; j++) {
            const sot_u128 part =
                (sot_u128)a->word[i] * b->word[j] + product[i + j] + carry;
            product[i + j] = (uint64_t)part;
            carry = (uint64_t)(part >> 64);
        }
        product[i + words] = carry;
    }
    assert(product[2 * words - 1] == 0);
    sot_wide result = {.fraction = a->fraction};
    memcpy(result.word, product + a->fraction, words * sizeof result.word[0]);
    return result;
}

sot_wide sot_wide_multiply_small(const sot_wide *a, uint64_t factor)
{
    sot_wide result = {.fraction = a->fraction};
    uint64_t carry = 0;
    for (unsigned i = 0; i <= a->fraction; i++) {
        const sot_u128 part = (sot_u128)a->word[i] * factor + carry;
        result.word[i] = (uint64_t)part;
        carry = (uint64_t)(part >> 64);
    }
    assert(carry == 0);
    return result;
}

sot_wide sot_wide_divide_small(const sot_wide *a, uint64_t divisor)
{
    sot_wide result = {.fraction = a->fraction};
    sot_u128 remainder = 0;
    for (unsigned i = a->fraction + 1; i-- > 0;) {
        const sot_u128 part = (remainder << 64) | a->word[i];
        result.word[i] = (uint64_t)(part / divisor);
        remainder = part % divisor;
    }
    return result;
}

sot_wide sot_wide_shift_right(const sot_wide *a, unsigned bits)
{
    const unsigned whole = bits / 64;
    const unsigned rest = bits % 64;
    sot_wide result = {.fraction = a->fraction};
    for (unsigned i = 0; i + whole <= a->fraction; i++) {
        const uint64_t low = a->word[i + whole];
        const uint64_t high = i + whole + 1 <= a->fraction ? a->word[i + whole + 1] : 0;
        result.word[i] = rest == 0 ? low : (low >> rest) | (high << (64 - rest));
    }
    return result;
}

/* `units` as a number: units in the last place. */
static sot_wide units_of(uint64_t units, unsigned fraction)
{
    sot_wide result = {.fraction = fraction};
    result.word[0] = units;
    return result;
}

sot_wide sot_wide_plus_units(const sot_wide *a, uint64_t units)
{
    const sot_wide small = units_of(units, a->fraction);
    return sot_wide_add(a, &small);
}

sot_wide sot_wide_minus_units(const sot_wide *a, uint64_t units)
{
    const sot_wide small = units_of(units, a->fraction);
    return sot_wide_subtract(a, &small);
}

static bool is_zero(const sot_wide *a)
{
    for (unsigned i = 0; i <= a->fraction; i++) {
        if (a->word[i] != 0) return false;
    }
    return true;
}

sot_wide sot_wide_exp_negative(const sot_wide *t)
{
    enum { HALVINGS = 18 };
    const unsigned fraction = t->fraction;
    if (t->word[fraction] >= 1024) return sot_wide_from_integer(0, fraction);

    const sot_wide r = sot_wide_shift_right(t, HALVINGS);
    sot_wide term = sot_wide_from_integer(1, fraction);
    sot_wide positive = term;
    sot_wide negative = sot_wide_from_integer(0, fraction);
    for (uint64_t k = 1; !is_zero(&term); k++) {
        const sot_wide power = sot_wide_multiply(&term, &r);
        term = sot_wide_divide_small(&power, k);
        if (k % 2 == 1) {
            negative = sot_wide_add(&negative, &term);
        } else {
            positive = sot_wide_add(&positive, &term);
        }
    }
    sot_wide result = sot_wide_subtract(&positive, &negative);
    for (unsigned i = 0; i < HALVINGS; i++)
        result = sot_wide_multiply(&result, &result);
    return result;
}
