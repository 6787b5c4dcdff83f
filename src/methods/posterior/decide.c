#include "methods/posterior/decide.h"

#include <float.h>
#include <math.h>

#include "models/linear/solver/pass.h"
#include "numeric/outward.h"

#ifdef SOTTO_TESTING
static bool always_careful;

void sot_test_always_careful(bool on)
{
    always_careful = on;
}
#else
static const bool always_careful = false;
#endif

/* ---- numbers from digits ---- */

/* The words as a number of [0, 1): halves of words are exact, and so are their places. The smallest are added first. */
static sot_twofold number_of(const sot_digits *digits, unsigned words)
{
    sot_twofold sum = {0.0, 0.0};
    for (unsigned i = words; i-- > 0;) {
        const double low = (double)(uint32_t)digits->word[i];
        const double high = (double)(uint32_t)(digits->word[i] >> 32);
        const double place = sot_power_of_half(64 * i + 32);
        sum = sot_twofold_plus(sum, low * (place * 0x1p-32));
        sum = sot_twofold_plus(sum, high * place);
    }
    return sum;
}

sot_twofold sot_normal_twofold(sotto_rng *rng, sot_normal *normal)
{
    enum { WORDS = 3 };
    sot_digits_extend(rng, &normal->magnitude, WORDS);
    const sot_twofold part = number_of(&normal->magnitude, WORDS);
    const double scale = normal->negative ? -512.0 : 512.0;
    return (sot_twofold){scale * part.high, scale * part.low};
}

/* ---- coins ---- */

void sot_coin_draw(sotto_rng *rng, sot_digits *out_uniform)
{
    out_uniform->count = 0;
    sot_digits_extend(rng, out_uniform, 2);
}

sot_answer sot_coin_quick(const sot_digits *uniform, double computed, double error)
{
    if (always_careful) return SOT_ANSWER_OPEN;
    const uint64_t first = uniform->word[0] >> 11;
    const double low = (double)first * 0x1p-53;
    const double high = (double)(first + 1) * 0x1p-53;
    const double least = sot_exp_down(-sot_add_up(computed, error));
    const double most = sot_exp_up(-sot_sub_down(computed, error));
    if (high <= least) return SOT_ANSWER_YES;
    if (low >= most) return SOT_ANSWER_NO;
    return SOT_ANSWER_OPEN;
}

/* Two words are 2^-128, at least 2^-99 of exp(-20). Fifteen are 2^-960, 2^-49 of
 * exp(-700): a failure probability of 2^-960. */
bool sot_coin_careful(sotto_rng *rng, sot_digits *uniform, sot_twofold a, double guard,
                      bool *out_open)
{
    *out_open = false;
    if (a.high > 700.0) return false; /* with probability 1 - exp(-700) */
    const unsigned words = a.high > 20.0 ? SOT_DIGITS_MAX - 1 : 2;
    sot_digits_extend(rng, uniform, words);
    const sot_twofold u = number_of(uniform, words);
    const sot_twofold chance = sot_twofold_exp_of_minus(a);
    const sot_twofold over = sot_twofold_add(u, sot_twofold_minus(chance));
    *out_open = fabs(over.high) <= (guard + 0x1p-94) * chance.high;
    return over.high < 0.0;
}

/* ---- the ball ---- */

bool sot_ball_holds(sotto_rng *rng, const sot_proposal *proposal, const sot_twofold *p,
                    double radius)
{
    sot_twofold squares = {0.0, 0.0};
    for (size_t j = 0; j < proposal->dimension; j++)
        squares = sot_twofold_add(squares, sot_twofold_mul(p[j], p[j]));
    const sot_twofold room = sot_twofold_add(sot_twofold_of_product(radius, radius),
                                             sot_twofold_minus(squares));
    /* The error is 2^-100 of p, so 2^-99 of its square; d sums and products of 7 u^2. */
    const double error = ((double)proposal->dimension + 32.0) * 0x1p-101 * squares.high;
    if (!always_careful && room.high > error) return true;
    if (!always_careful && room.high < -error) return false;
    return sot_ball_holds_exactly(rng, proposal, radius);
}

enum { FRACTION = 6 };

/* |x| 2^-exponent, truncated; at most 2^50 in size. */
static sot_wide wide_of(double x, int exponent)
{
    sot_wide out = sot_wide_from_integer(0, FRACTION);
    if (x == 0.0) return out;
    const sot_dyadic parts = sot_dyadic_from(fabs(x));
    /* mantissa 2^(parts.exponent - exponent), shifted above the last place */
    const int shift = parts.exponent - exponent + 64 * FRACTION;
    if (shift <= -64) return out;
    if (shift < 0) {
        out.word[0] = parts.mantissa >> -shift;
        return out;
    }
    const unsigned word = (unsigned)shift / 64;
    const unsigned bits = (unsigned)shift % 64;
    out.word[word] = parts.mantissa << bits;
    if (bits > 0 && word < FRACTION) out.word[word + 1] = parts.mantissa >> (64 - bits);
    return out;
}

/* A signed sum as two sums. */
typedef struct balance {
    sot_wide plus, minus;
} balance;

static void weigh(balance *sum, bool negative, const sot_wide *size)
{
    sot_wide *side = negative ? &sum->minus : &sum->plus;
    *side = sot_wide_add(side, size);
}

/* |p_j| 2^-exponent, to 16 units: five terms, each truncated. */
static sot_wide coordinate(sotto_rng *rng, const sot_proposal *of, size_t j, int exponent)
{
    balance sum = {sot_wide_from_integer(0, FRACTION),
                   sot_wide_from_integer(0, FRACTION)};
    const double parts[4] = {of->base[j].high, of->base[j].low, of->offset[j].high,
                             of->offset[j].low};
    for (size_t k = 0; k < 4; k++) {
        const sot_wide part = wide_of(parts[k], exponent);
        weigh(&sum, parts[k] < 0.0, &part);
    }
    sot_digits_extend(rng, &of->normals[j].magnitude, FRACTION);
    const sot_wide digits =
        sot_digits_wide(&of->normals[j].magnitude, FRACTION, FRACTION);
    const sot_wide scale = wide_of(of->scale, exponent - SOT_NORMAL_INTEGER_BITS);
    const sot_wide random = sot_wide_multiply(&digits, &scale);
    weigh(&sum, of->normals[j].negative, &random);
    return sot_wide_compare(&sum.plus, &sum.minus) >= 0
               ? sot_wide_subtract(&sum.plus, &sum.minus)
               : sot_wide_subtract(&sum.minus, &sum.plus);
}

/* The exponent makes each of the five parts of a coordinate at most 1/2 in size. So coordinates
 * are below 3, and 2^40 squares of them fit. With d coordinates the sum is off by less than 128 d
 * units. */
bool sot_ball_holds_exactly(sotto_rng *rng, const sot_proposal *proposal, double radius)
{
    int exponent;
    double most = radius;
    for (size_t j = 0; j < proposal->dimension; j++) {
        most = fmax(most, fabs(proposal->base[j].high));
        most = fmax(most, fabs(proposal->offset[j].high));
    }
    most = fmax(most, proposal->scale * 512.0);
    (void)frexp(most, &exponent);
    exponent += 1;
    const sot_wide limit = wide_of(radius, exponent);
    const sot_wide limit_square = sot_wide_multiply(&limit, &limit);
    sot_wide squares = sot_wide_from_integer(0, FRACTION);
    for (size_t j = 0; j < proposal->dimension; j++) {
        const sot_wide p = coordinate(rng, proposal, j, exponent);
        const sot_wide square = sot_wide_multiply(&p, &p);
        squares = sot_wide_add(&squares, &square);
    }
    return sot_wide_compare(&squares, &limit_square) <= 0;
}
