/* Probabilities of one row, and the constants of the loss: against MPFR, and by search. */
#include "softmax_problems.h"

#include <float.h>

enum { CLASSES_MOST = 40 };

/* p - e_label of double margins, to 300 bits. */
static void exact_slopes(const double *margins, size_t classes, size_t label, mpfr_t *out)
{
    mpfr_t sum;
    mpfr_init2(sum, EXACT_BITS);
    mpfr_set_zero(sum, 1);
    double most = -(double)INFINITY;
    for (size_t c = 0; c < classes; c++)
        most = fmax(most, margins[c]);
    for (size_t c = 0; c < classes; c++) {
        mpfr_set_d(out[c], margins[c], MPFR_RNDN);
        mpfr_sub_d(out[c], out[c], most, MPFR_RNDN);
        mpfr_exp(out[c], out[c], MPFR_RNDN);
        mpfr_add(sum, sum, out[c], MPFR_RNDN);
    }
    for (size_t c = 0; c < classes; c++) {
        mpfr_div(out[c], out[c], sum, MPFR_RNDN);
        if (c == label) mpfr_sub_ui(out[c], out[c], 1, MPFR_RNDN);
    }
    mpfr_clear(sum);
}

static double off_by(mpfr_t exact, sot_twofold computed)
{
    mpfr_sub_d(exact, exact, computed.high, MPFR_RNDN);
    mpfr_sub_d(exact, exact, computed.low, MPFR_RNDN);
    return fabs(mpfr_get_d(exact, MPFR_RNDA));
}

static void exponentials_are_within_their_error(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, EXACT_BITS);
    uint64_t draw = 4;
    for (int i = 0; i < 20000; i++) {
        const double x = -354.0 * pow(0.5 * (uniform(&draw) + 1.0), i % 5 + 1.0) *
                         (i % 7 == 0 ? 2.0 : 1.0);
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_exp(exact, exact, MPFR_RNDN);
        assert_relative(sot_softmax_exp(x), mpfr_get_d(exact, MPFR_RNDN), 0x1.8p-51);
    }
    assert_true(sot_softmax_exp(0.0) == 1.0);
    assert_within(sot_softmax_exp(-(double)INFINITY), 0.0, 0x1p-1020);
    mpfr_clear(exact);
}

static void probabilities_are_within_their_errors(void **state)
{
    (void)state;
    mpfr_t exact[CLASSES_MOST];
    for (size_t c = 0; c < CLASSES_MOST; c++)
        mpfr_init2(exact[c], EXACT_BITS);
    uint64_t draw = 11;
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        const size_t classes = (size_t)(2 + i % (CLASSES_MOST - 1));
        const double size = ldexp(1.0, i % 14 - 5);
        double margins[CLASSES_MOST], p[CLASSES_MOST];
        sot_twofold careful[CLASSES_MOST];
        for (size_t c = 0; c < classes; c++) {
            margins[c] = size * uniform(&draw) + 0x1p-30 * uniform(&draw);
            p[c] = margins[c];
            careful[c] = (sot_twofold){margins[c], 0.0};
        }
        const size_t label = (size_t)i % classes;
        (void)sot_softmax_row(p, classes, label, false);
        p[label] -= 1.0;
        sot_softmax_row_careful(careful, classes, label);
        double error = 0.0;
        double error_careful = 0.0;
        exact_slopes(margins, classes, label, exact);
        for (size_t c = 0; c < classes; c++)
            error += off_by(exact[c], (sot_twofold){p[c], 0.0});
        exact_slopes(margins, classes, label, exact);
        for (size_t c = 0; c < classes; c++)
            error_careful += off_by(exact[c], careful[c]);
        assert_within(error, 0.0, sot_softmax_row_error(classes));
        assert_within(error_careful, 0.0, sot_softmax_row_error_careful(classes));
        worst = fmax(worst, error / sot_softmax_row_error(classes));
    }
    assert_true(worst > 0.01); /* the bound is of the error's size */
    for (size_t c = 0; c < CLASSES_MOST; c++)
        mpfr_clear(exact[c]);
}

static void the_value_is_the_loss(void **state)
{
    (void)state;
    double margins[3] = {1.5, -2.25, 0.375};
    const double expected = log(exp(1.5) + exp(-2.25) + exp(0.375)) + 2.25; /* label 1 */
    assert_relative(sot_softmax_row(margins, 3, 1, true), expected, 1e-14);
    double far[2] = {-1000.0, 1000.0};
    assert_relative(sot_softmax_row(far, 2, 0, true), 2000.0, 1e-14);
}

/* Whatever the margins are: nothing is NaN, all is within [0, 1], the sum is 1. */
static void any_margin_gives_probabilities(void **state)
{
    (void)state;
    static const double odd[] = {0.0,
                                 -0.0,
                                 1e300,
                                 -1e300,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 (double)NAN,
                                 DBL_TRUE_MIN,
                                 700.0,
                                 -750.0};
    enum { ODD = sizeof odd / sizeof *odd };
    for (size_t i = 0; i < ODD * ODD * ODD; i++) {
        double p[3] = {odd[i % ODD], odd[i / ODD % ODD], odd[i / ODD / ODD]};
        sot_twofold careful[3];
        for (size_t c = 0; c < 3; c++)
            careful[c] = (sot_twofold){p[c], 0.0};
        (void)sot_softmax_row(p, 3, 0, true);
        sot_softmax_row_careful(careful, 3, 0);
        double sum = 0.0;
        for (size_t c = 0; c < 3; c++) {
            assert_within(p[c], 0.0, 1.0);
            assert_within(p[c] - (c == 0 ? 1.0 : 0.0) - careful[c].high, -1e-14, 1e-14);
            sum += p[c];
        }
        assert_within(sum, 1.0 - 0x1p-50, 1.0 + 0x1p-50);
    }
}

static void every_label_has_a_class(void **state)
{
    (void)state;
    assert_int_equal(sot_softmax_class(-1.0, 2), 0);
    assert_int_equal(sot_softmax_class(1.0, 2), 1);
    assert_int_equal(sot_softmax_class(0.0, 2), 1);
    assert_int_equal(sot_softmax_class((double)NAN, 2), 1);
    for (size_t c = 0; c < 5; c++)
        assert_int_equal(sot_softmax_class((double)c, 5), c);
    assert_int_equal(sot_softmax_class(-3.0, 5), 0);
    assert_int_equal(sot_softmax_class((double)NAN, 5), 0);
    assert_int_equal(sot_softmax_class(5.0, 5), 4);
    assert_int_equal(sot_softmax_class((double)INFINITY, 5), 4);
}

/* |p - e_y| <= sqrt2; diag p - p p^T: norm <= 1/2, trace <= 1 - 1/K, third derivative along v at most
 * sqrt2 |v| times the second. Each is approached, so none can be smaller. */
static void the_constants_hold_and_are_the_least(void **state)
{
    (void)state;
    uint64_t draw = 3;
    double most[4] = {0.0};
    for (int i = 0; i < 60000; i++) {
        const size_t classes = (size_t)(2 + i % 4);
        double p[5], v[5], slope = 0.0, trace = 0.0, mean = 0.0, size = 0.0;
        const bool two = i % 3 == 0; /* all the mass on two classes */
        for (size_t c = 0; c < classes; c++) {
            p[c] = two && c > 1 ? -60.0 : (i % 5) * 8.0 * uniform(&draw);
            v[c] = i % 2 == 0 ? (c == 0) - (double)(c == 1) : uniform(&draw);
        }
        (void)sot_softmax_row(p, classes, 0, false);
        for (size_t c = 0; c < classes; c++) {
            slope += pow(p[c] - (c == 0), 2.0);
            trace += p[c] * (1.0 - p[c]);
            mean += p[c] * v[c];
            size += v[c] * v[c];
        }
        double second = 0.0;
        double third = 0.0;
        for (size_t c = 0; c < classes; c++) {
            second += p[c] * pow(v[c] - mean, 2.0);
            third += p[c] * pow(v[c] - mean, 3.0);
        }
        const double room = 1.0 + 1e-12;
        assert_within(slope, 0.0, 2.0 * room);
        assert_within(second, 0.0, 0.5 * size * room);
        assert_within(trace, 0.0, (1.0 - 1.0 / (double)classes) * room);
        assert_within(fabs(third), 0.0, sqrt(2.0 * size) * second * room + 1e-15);
        most[0] = fmax(most[0], slope / 2.0);
        most[1] = fmax(most[1], second / (0.5 * size));
        most[2] = fmax(most[2], trace / (1.0 - 1.0 / (double)classes));
        if (second > 1e-9)
            most[3] = fmax(most[3], fabs(third) / (sqrt(2.0 * size) * second));
    }
    for (size_t k = 0; k < 4; k++)
        assert_within(most[k], 0.99, 1.0 + 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_within_their_error),
        cmocka_unit_test(probabilities_are_within_their_errors),
        cmocka_unit_test(the_value_is_the_loss),
        cmocka_unit_test(any_margin_gives_probabilities),
        cmocka_unit_test(every_label_has_a_class),
        cmocka_unit_test(the_constants_hold_and_are_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
