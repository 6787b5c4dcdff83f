/* The logistic loss: its constants, and every stated rounding error, against MPFR. */
#include "support.h"

#include <float.h>
#include <mpfr.h>

#include "models/linear/losses/loss.h"
#include "models/linear/losses/slopes_logistic.h"

static const double margins[] = {
    0.0,      1e-300,  0x1p-60, 1e-9,  0.1,   0.5,    0.6931471805599453,
    1.0,      2.375,   5.5,     17.25, 36.0,  36.75,  37.5,
    52.0,     100.0,   333.25,  700.0, 708.5, 744.0,  745.5,
    799.9375, 800.125, 1e6,     1e100, 1e308, DBL_MAX};
enum { MARGINS = sizeof margins / sizeof *margins };

/* Out of [-50, 50], spread: the places where the curve bends. */
static double place(size_t i)
{
    return i < 2 * MARGINS ? (i % 2 == 0 ? margins[i / 2] : -margins[i / 2])
                           : -50.0 + (double)(i - 2 * MARGINS) * 0.0437;
}
enum { PLACES = 2 * MARGINS + 2288 };

/* value, slope size, curvature of the margin u + low at 400 bits. */
typedef struct exact {
    mpfr_t value, slope, curvature, scratch;
} exact;

static void exact_begin(exact *e)
{
    mpfr_inits2(400, e->value, e->slope, e->curvature, e->scratch, (mpfr_ptr)NULL);
}

static void exact_end(exact *e)
{
    mpfr_clears(e->value, e->slope, e->curvature, e->scratch, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static void exact_at(exact *e, double u, double low, double label)
{
    mpfr_set_d(e->scratch, u, MPFR_RNDN);
    mpfr_add_d(e->scratch, e->scratch, low, MPFR_RNDN);
    if (label < 0.0) mpfr_neg(e->scratch, e->scratch, MPFR_RNDN);
    /* f = log1p(exp(-m)) for m >= 0, else -m + log1p(exp(m)) */
    mpfr_abs(e->slope, e->scratch, MPFR_RNDN);
    mpfr_neg(e->slope, e->slope, MPFR_RNDN);
    mpfr_exp(e->slope, e->slope, MPFR_RNDN); /* e */
    mpfr_log1p(e->value, e->slope, MPFR_RNDN);
    const bool positive = mpfr_sgn(e->scratch) >= 0;
    if (!positive) mpfr_sub(e->value, e->value, e->scratch, MPFR_RNDN);
    mpfr_add_ui(e->scratch, e->slope, 1, MPFR_RNDN);
    mpfr_div(e->curvature, e->slope, e->scratch, MPFR_RNDN);
    mpfr_div(e->curvature, e->curvature, e->scratch, MPFR_RNDN);
    if (positive)
        mpfr_div(e->slope, e->slope, e->scratch, MPFR_RNDN);
    else
        mpfr_ui_div(e->slope, 1, e->scratch, MPFR_RNDN);
    if (label > 0.0) mpfr_neg(e->slope, e->slope, MPFR_RNDN);
}

static double distance(mpfr_t from, double high, double low)
{
    mpfr_t d;
    mpfr_init2(d, 400);
    mpfr_sub_d(d, from, high, MPFR_RNDN);
    mpfr_sub_d(d, d, low, MPFR_RNDN);
    const double size = fabs(mpfr_get_d(d, MPFR_RNDA));
    mpfr_clear(d);
    return size;
}

static void every_error_is_within_its_bound(void **state)
{
    (void)state;
    const sot_loss *loss = &sot_loss_logistic;
    exact e;
    exact_begin(&e);
    for (size_t i = 0; i < 2 * PLACES; i++) {
        const double u = place(i / 2);
        const double label = i % 2 == 0 ? 1.0 : -1.0;
        sot_loss_at at;
        double slope;
        double curvature;
        loss->at(loss, u, label, &at);
        loss->bend(loss, u, label, &slope, &curvature);
        exact_at(&e, u, 0.0, label);
        assert_true(slope == at.slope && curvature == at.curvature);
        const double value = mpfr_get_d(e.value, MPFR_RNDN);
        assert_within(distance(e.value, at.value, 0.0), 0.0,
                      loss->value_error * value + 0x1p-1000);
        assert_within(distance(e.slope, at.slope, 0.0), 0.0, loss->slope_error);
        assert_within(distance(e.curvature, at.curvature, 0.0), 0.0,
                      loss->curvature_error);
        assert_within(fabs(at.slope), 0.0, loss->slope_most);
        assert_within(at.curvature, 0.0, loss->curvature_most * (1.0 + 0x1p-50));
    }
    exact_end(&e);
}

static void the_careful_slope_is_as_careful_as_it_says(void **state)
{
    (void)state;
    const sot_loss *loss = &sot_loss_logistic;
    exact e;
    exact_begin(&e);
    double worst = 0.0;
    for (size_t i = 0; i < 4 * PLACES; i++) {
        const double u = place(i / 4);
        const double label = i % 2 == 0 ? 1.0 : -1.0;
        const double low = i / 2 % 2 == 0 || fabs(u) > 1e300 ? 0.0 : u * 0x1.3p-54;
        const sot_twofold slope = loss->slope_careful(loss, (sot_twofold){u, low}, label);
        exact_at(&e, u, low, label);
        const double error = distance(e.slope, slope.high, slope.low);
        assert_within(error, 0.0, loss->slope_error_careful);
        worst = fmax(worst, error);
    }
    assert_true(worst > 0.0); /* otherwise nothing was measured */
    exact_end(&e);
}

static void constants_are_those_of_the_loss(void **state)
{
    (void)state;
    const sot_loss *loss = &sot_loss_logistic;
    double steepest = 0.0;
    double most_bent = 0.0;
    for (size_t i = 0; i < PLACES; i++) {
        sot_loss_at at;
        loss->at(loss, place(i), 1.0, &at);
        const double s = fabs(at.slope);
        steepest = fmax(steepest, s);
        most_bent = fmax(most_bent, at.curvature);
        /* self-bounding, up to the rounding of the three numbers */
        assert_within(at.curvature, 0.0, s * (1.0 - s) + 0x1p-49);
    }
    assert_true(loss->self_bounding);
    assert_true(steepest == loss->slope_most && most_bent == loss->curvature_most);
    assert_true(loss->twist_most == 1.0);
}

static void not_a_number_counts_as_zero_and_labels_by_sign(void **state)
{
    (void)state;
    const sot_loss *loss = &sot_loss_logistic;
    sot_loss_at at;
    loss->at(loss, (double)NAN, 1.0, &at);
    assert_true(at.slope == -0.5 && at.curvature == 0.25);
    loss->at(loss, (double)INFINITY, -1.0, &at);
    assert_true(at.slope == 1.0 && at.curvature == 0.0 && isinf(at.value));
    loss->at(loss, -(double)INFINITY, -1.0, &at);
    assert_true(at.slope == 0.0 && at.curvature == 0.0 && at.value == 0.0);
    loss->at(loss, 2.0, (double)NAN, &at);
    assert_true(at.slope < 0.0);
    assert_true(loss->slope_careful(loss, (sot_twofold){(double)NAN, 0.0}, 1.0).high ==
                -0.5);
    assert_true(
        loss->slope_careful(loss, (sot_twofold){(double)INFINITY, 0.0}, -1.0).high ==
        1.0);
}

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* All exponents and signs, 512 significands each, infinities and NaN among them. */
static void float_slopes_are_the_same_bits_everywhere_and_never_too_steep(void **state)
{
    (void)state;
    enum { COUNT = 512 * 512 + 5 };
    static float u[COUNT], labels[COUNT], plain[COUNT], fast[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        u[i] = float_of_bits(i << 14 | (i * 2654435761u >> 18));
        labels[i] = i % 3 == 0 ? 1.0f : -1.0f;
    }
    sot_slopes_logistic_portable(u, labels, COUNT, plain);
    sot_slopes_logistic(u, labels, COUNT, fast);
    assert_memory_equal(plain, fast, sizeof plain);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(fabsf(plain[i]) <= 1.0f);
        if (isnan(u[i])) continue;
        double slope;
        double curvature;
        sot_loss_logistic.bend(&sot_loss_logistic, (double)u[i], (double)labels[i],
                               &slope, &curvature);
        assert_within(fabs((double)plain[i] - slope), 0.0,
                      sot_loss_logistic.slopes_error - 0x1p-50);
    }
    /* A slope is a function of its own margin and label: at another place, in other company. */
    sot_slopes_logistic(u + 3, labels + 3, COUNT - 3, fast);
    assert_memory_equal(plain + 3, fast, (COUNT - 3) * sizeof *fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_is_within_its_bound),
        cmocka_unit_test(the_careful_slope_is_as_careful_as_it_says),
        cmocka_unit_test(constants_are_those_of_the_loss),
        cmocka_unit_test(not_a_number_counts_as_zero_and_labels_by_sign),
        cmocka_unit_test(float_slopes_are_the_same_bits_everywhere_and_never_too_steep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
