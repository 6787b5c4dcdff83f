/* tests/random/mpfr_words.h: our fixed-point numbers as MPFR numbers. */
#ifndef SOTTO_TESTS_RANDOM_MPFR_WORDS_H
#define SOTTO_TESTS_RANDOM_MPFR_WORDS_H

#include <mpfr.h>

#include "random/digits.h"
#include "random/wide.h"

enum { BITS = 2400 };

/* to += word 2^exponent */
static inline void add_word(mpfr_t to, uint64_t word, long exponent)
{
    mpfr_t part;
    mpfr_init2(part, BITS);
    mpfr_set_ui_2exp(part, (unsigned long)(word >> 32), exponent + 32, MPFR_RNDN);
    mpfr_add(to, to, part, MPFR_RNDN);
    mpfr_set_ui_2exp(part, (unsigned long)(word & UINT32_MAX), exponent, MPFR_RNDN);
    mpfr_add(to, to, part, MPFR_RNDN);
    mpfr_clear(part);
}

static inline void set_wide(mpfr_t to, const sot_wide *from)
{
    mpfr_set_zero(to, 1);
    for (unsigned i = 0; i <= from->fraction; i++)
        add_word(to, from->word[i], 64 * ((long)i - (long)from->fraction));
}

/* |a - b| in units of 2^(-64 fraction), as a double. */
static inline double units_apart(const mpfr_t a, const mpfr_t b, unsigned fraction)
{
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub(difference, a, b, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, 64 * (long)fraction, MPFR_RNDN);
    const double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return units;
}

/* sigma * 512 * digits in MPFR, all sixteen words. */
static inline void set_scaled(mpfr_t to, const sot_digits *digits, double sigma)
{
    mpfr_set_zero(to, 1);
    for (unsigned i = 0; i < digits->count; i++)
        add_word(to, digits->word[i], 9 - 64 * ((long)i + 1));
    mpfr_mul_d(to, to, sigma, MPFR_RNDN);
}

#endif
