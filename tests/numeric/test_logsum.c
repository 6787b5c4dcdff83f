#include "numeric/reference.h"

#include "numeric/special.h"

/* The constant of the stated bound, 5e-16 (|larger| + |g|). */
#define STATED 5e-16

/* log(e^a + sign e^b) = a + log1p(sign e^(b - a)); 1200 bits keep 1 - e^(b - a)
 * accurate. */
static void exact_log_combination(mpfr_ptr out, double a, double b, int sign)
{
    mpfr_t difference;
    mpfr_init2(difference, 1200);
    mpfr_set_d(difference, b, MPFR_RNDN);
    mpfr_sub_d(difference, difference, a, MPFR_RNDN);
    mpfr_exp(difference, difference, MPFR_RNDN);
    mpfr_mul_si(difference, difference, sign, MPFR_RNDN);
    mpfr_log1p(difference, difference, MPFR_RNDN);
    mpfr_add_d(out, difference, a, MPFR_RNDN);
    mpfr_clear(difference);
}

/* |value - exact| over (|a| + |exact - a|), the scale of the stated bound. */
static double scaled_error(double value, mpfr_srcptr exact, double a)
{
    mpfr_t error;
    mpfr_t scale;
    mpfr_init2(error, 1200);
    mpfr_init2(scale, 1200);
    mpfr_sub_d(error, exact, value, MPFR_RNDN);
    mpfr_sub_d(scale, exact, a, MPFR_RNDN);
    mpfr_abs(scale, scale, MPFR_RNDN);
    mpfr_add_d(scale, scale, fabs(a), MPFR_RNDN);
    mpfr_div(error, error, scale, MPFR_RNDN);
    const double result = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    mpfr_clear(scale);
    return result;
}

/* Pairs a >= b of every kind: equal in size, far apart, next to each other, huge,
 * tiny. */
static void draw_pair(uint64_t *seed, int kind, double *a, double *b)
{
    const double size = next_log_between(seed, 1e-20, 1e300);
    const double moderate = next_between(seed, -800.0, 800.0);
    const double gap = next_log_between(seed, 1e-16, 700.0);
    switch (kind % 4) {
    case 0:
        *a = moderate;
        *b = moderate - gap;
        break;
    case 1:
        *a = size;
        *b = -size * next_uniform(seed);
        break;
    case 2:
        *a = next_log_between(seed, 1e-30, 1.0) * (kind % 8 < 4 ? -1.0 : 1.0);
        *b = -gap;
        break;
    default:
        *a = next_between(seed, -40.0, 40.0);
        *b = next_between(seed, -40.0, 40.0);
        break;
    }
    if (*a >= *b) return;
    const double swap = *a;
    *a = *b;
    *b = swap;
}

static void sums_and_differences_keep_their_stated_error(void **state)
{
    (void)state;
    worst_error sum = {0};
    worst_error difference = {0};
    mpfr_t exact;
    mpfr_init2(exact, 1200);
    uint64_t seed = 9;
    for (int i = 0; i < 4000; i++) {
        double a;
        double b;
        draw_pair(&seed, i, &a, &b);
        exact_log_combination(exact, a, b, 1);
        assert_same(sot_log_add_exp(a, b), sot_log_add_exp(b, a));
        note_error(&sum, scaled_error(sot_log_add_exp(a, b), exact, a), a, b, 0.0);
        if (a == b) continue;
        exact_log_combination(exact, a, b, -1);
        note_error(&difference, scaled_error(sot_log_sub_exp(a, b), exact, a), a, b, 0.0);
    }
    mpfr_clear(exact);
    assert_worst(&sum, STATED, 4000, "log_add_exp");
    assert_worst(&difference, STATED, 3800, "log_sub_exp");
}

/* log of the sum of e^terms[i], and the stated scale |largest| + |g|. */
static void check_sum(const double *terms, size_t count, worst_error *worst)
{
    mpfr_t sum;
    mpfr_t term;
    mpfr_init2(sum, 1200);
    mpfr_init2(term, 1200);
    mpfr_set_zero(sum, 1);
    double largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, terms[i]);
        mpfr_set_d(term, terms[i], MPFR_RNDN);
        mpfr_exp(term, term, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_log(sum, sum, MPFR_RNDN);
    note_error(worst, scaled_error(sot_log_sum_exp(terms, count), sum, largest),
               (double)count, largest, terms[0]);
    mpfr_clear(sum);
    mpfr_clear(term);
}

static void long_sums_keep_their_stated_error(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    double terms[MOST];
    worst_error worst = {0};
    uint64_t seed = 31;
    for (int round = 0; round < 12; round++) {
        const double spread = next_log_between(&seed, 1e-3, 700.0);
        const double centre = next_between(&seed, -300.0, 300.0);
        const size_t count = round < 2 ? MOST : 1 + next_random(&seed) % 60;
        for (size_t i = 0; i < count; i++)
            terms[i] = centre + next_between(&seed, -spread, spread);
        check_sum(terms, count, &worst);
    }
    assert_worst(&worst, STATED, 12, "log_sum_exp");
}

static void infinite_terms_give_the_limits(void **state)
{
    (void)state;
    const double inf = INFINITY;
    assert_same(sot_log_add_exp(-inf, -inf), -inf);
    assert_same(sot_log_add_exp(-inf, 2.375), 2.375);
    assert_same(sot_log_add_exp(inf, 2.375), inf);
    assert_same(sot_log_add_exp(inf, inf), inf);
    assert_same(sot_log_add_exp(inf, -inf), inf);
    assert_same(sot_log_sub_exp(2.375, -inf), 2.375);
    assert_same(sot_log_sub_exp(inf, 2.375), inf);
    assert_same(sot_log_sub_exp(inf, -inf), inf);
    assert_same(sot_log_sub_exp(-inf, -inf), -inf);
    assert_same(sot_log_sub_exp(2.375, 2.375), -inf);
    assert_same(sot_log_sub_exp(inf, inf), NAN);
    assert_same(sot_log_sub_exp(2.375, 2.5), NAN);
    const double mixed[] = {-inf, 2.375, -inf};
    assert_same(sot_log_sum_exp(mixed, 3), 2.375);
    assert_same(sot_log_sum_exp(mixed, 1), -inf);
    assert_same(sot_log_sum_exp(mixed, 0), -inf);
    const double infinite[] = {2.375, inf, -inf};
    assert_same(sot_log_sum_exp(infinite, 3), inf);
}

static void nan_in_nan_out(void **state)
{
    (void)state;
    const double terms[] = {1.5, NAN, INFINITY};
    assert_true(isnan(sot_log_add_exp(NAN, 1.0)));
    assert_true(isnan(sot_log_add_exp(INFINITY, NAN)));
    assert_true(isnan(sot_log_sub_exp(NAN, -INFINITY)));
    assert_true(isnan(sot_log_sub_exp(1.0, NAN)));
    assert_true(isnan(sot_log_sum_exp(terms, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_differences_keep_their_stated_error),
        cmocka_unit_test(long_sums_keep_their_stated_error),
        cmocka_unit_test(infinite_terms_give_the_limits),
        cmocka_unit_test(nan_in_nan_out),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
