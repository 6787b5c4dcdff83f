/* The losses beside the logistic one: constants, and every stated error, against MPFR. */
#include "support.h"

#include <float.h>
#include <mpfr.h>

#include "models/linear/losses/loss.h"
#include "models/linear/references.h"

typedef struct sample {
    sot_loss loss;
    double labels[5];
} sample;

enum { SAMPLES = 11 };

static void make_samples(sample *out)
{
    const sample all[SAMPLES] = {
        {sot_loss_squared(2.0, 1.0), {-1.0, -0.375, 0.0, 0.6180339887498949, 1.0}},
        {sot_loss_squared(0.1, 1.0), {-1.0, -0.375, 0.1, 0.9, 7.5}},
        {sot_loss_huber(0.25, 1.0), {-1.0, -0.375, 0.0, 0.3333333333333333, 1.0}},
        {sot_loss_huber(1e-5, 1.0), {-1.0, -0.375, 0.0, 0.3333333333333333, 1.0}},
        {sot_loss_smoothed_hinge(0.5), {-1.0, 1.0, -1.0, 1.0, 1.0}},
        {sot_loss_smoothed_hinge(0.1), {-1.0, 1.0, -1.0, 1.0, 1.0}},
        {sot_loss_smoothed_hinge(3.0), {-1.0, 1.0, -1.0, 1.0, 1.0}},
        {sot_loss_smoothed_hinge(1e-5), {-1.0, 1.0, -1.0, 1.0, 1.0}},
        {sot_loss_poisson(10.0, 10.0), {0.0, 1.0, 3.0, 10.0, 12.0}},
        {sot_loss_poisson(2.5, 40.0), {0.0, 1.0, 2.5, 39.0, 40.0}},
        {sot_loss_hinge, {-1.0, 1.0, -1.0, 1.0, 1.0}},
    };
    memcpy(out, all, sizeof all);
}

/* Where the curves bend, the corners and their neighbours, and far out. */
static const double places[] = {0.0,
                                1e-300,
                                0x1p-60,
                                1e-9,
                                0.1,
                                0.125,
                                0.25,
                                0.375,
                                0.5,
                                0.75,
                                0.875,
                                0.9,
                                0.99999,
                                0.999995,
                                1.0,
                                1.00001,
                                1.1,
                                1.25,
                                1.375,
                                1.5,
                                1.99999,
                                2.0,
                                2.302585092994046,
                                2.5257286443082556,
                                3.0,
                                3.5,
                                4.0,
                                5.5,
                                17.25,
                                36.0,
                                40.5,
                                52.0,
                                333.25,
                                699.0,
                                701.0,
                                745.5,
                                1e6,
                                1e100,
                                1e308,
                                DBL_MAX,
                                (double)INFINITY};
enum { PLACES = sizeof places / sizeof *places, SPREAD = 1500 };

static double place(size_t i)
{
    if (i < 2 * PLACES) return i % 2 == 0 ? places[i / 2] : -places[i / 2];
    return -4.5 + (double)(i - 2 * PLACES) * 0.00611;
}
enum { ALL = 2 * PLACES + SPREAD };

static void every_error_is_within_its_bound(void **state)
{
    (void)state;
    sample samples[SAMPLES];
    make_samples(samples);
    exact_loss e;
    exact_begin(&e);
    for (size_t i = 0; i < SAMPLES * ALL; i++) {
        const sot_loss *loss = &samples[i / ALL].loss;
        const double u = place(i % ALL);
        const double label = samples[i / ALL].labels[i % 5];
        sot_loss_at at;
        double slope;
        double curvature;
        loss->at(loss, u, label, &at);
        loss->bend(loss, u, label, &slope, &curvature);
        assert_true(slope == at.slope && curvature == at.curvature);
        assert_within(fabs(at.slope), 0.0, loss->slope_most);
        assert_within(at.curvature, 0.0, loss->curvature_most * (1.0 + 0x1p-50));
        if (isinf(u)) continue;
        exact_at(&e, loss, u, 0.0, label);
        assert_within(exact_distance(e.slope, at.slope, 0.0), 0.0, loss->slope_error);
        if (fabs(u) > 1e300) continue; /* values overflow */
        const double value = fabs(mpfr_get_d(e.value, MPFR_RNDN));
        assert_within(exact_distance(e.value, at.value, 0.0), 0.0,
                      loss->value_error * (value + loss->slope_most * (1.0 + fabs(u))));
        if (e.near_corner) continue; /* f'' jumps there */
        assert_within(exact_distance(e.curvature, at.curvature, 0.0), 0.0,
                      loss->curvature_error);
    }
    exact_end(&e);
}

static void careful_slopes_are_as_careful_as_they_say(void **state)
{
    (void)state;
    sample samples[SAMPLES];
    make_samples(samples);
    exact_loss e;
    exact_begin(&e);
    double worst = 0.0;
    for (size_t i = 0; i < SAMPLES * ALL; i++) {
        const sot_loss *loss = &samples[i / ALL].loss;
        const double u = place(i % ALL);
        if (isinf(u)) continue;
        const double label = samples[i / ALL].labels[i % 5];
        const double low = i % 2 == 0 || fabs(u) > 1e300 ? 0.0 : u * 0x1.3p-54;
        const sot_twofold slope = loss->slope_careful(loss, (sot_twofold){u, low}, label);
        exact_at(&e, loss, u, low, label);
        const double off = exact_distance(e.slope, slope.high, slope.low);
        assert_within(off, 0.0, loss->slope_error_careful);
        assert_within(fabs(slope.high), 0.0, loss->slope_most);
        worst = fmax(worst, off);
    }
    assert_true(worst > 0.0); /* otherwise nothing was measured */
    exact_end(&e);
}

/* Steps of every size, forward and back, over corners and along them. */
static double step_of(size_t i)
{
    static const double sizes[] = {0x1p-60, 1e-12, 3e-7, 0.0009765625, 0.01375, 0.25,
                                   0.7,     1.0,   2.75, 9.5,          300.0,   5000.0};
    const double size = sizes[i % (sizeof sizes / sizeof *sizes)];
    return i / 7 % 2 == 0 ? size : -size;
}

static void careful_differences_are_as_careful_as_they_say(void **state)
{
    (void)state;
    sample samples[SAMPLES];
    make_samples(samples);
    samples[SAMPLES - 1] =
        (sample){sot_loss_logistic, {-1.0, 1.0, -1.0, 1.0, 1.0}}; /* not the hinge */
    exact_loss e, f;
    exact_begin(&e);
    exact_begin(&f);
    double worst = 0.0;
    for (size_t i = 0; i < SAMPLES * ALL; i++) {
        const sot_loss *loss = &samples[i / ALL].loss;
        const double u = place(i % ALL);
        if (!(fabs(u) < 1e10)) continue;
        const double label = samples[i / ALL].labels[i % 5];
        const sot_twofold from = {u, i % 2 == 0 ? 0.0 : u * 0x1.3p-54};
        const double size = step_of(i);
        const sot_twofold step = {size, i % 3 == 0 ? 0.0 : size * 0x1.1p-55};
        const sot_twofold got = loss->difference_careful(loss, from, step, label);
        exact_at(&e, loss, from.high, from.low, label);
        mpfr_add_d(f.u, e.u, step.high, MPFR_RNDN);
        mpfr_add_d(f.u, f.u, step.low, MPFR_RNDN);
        exact_of(&f, loss, label);
        mpfr_sub(f.value, f.value, e.value, MPFR_RNDN);
        const double off =
            exact_distance(f.value, got.high, got.low) / (fabs(size) * loss->slope_most);
        assert_within(off, 0.0, loss->difference_error_careful / loss->slope_most);
        worst = fmax(worst, off);
    }
    assert_true(worst > 0x1p-112); /* otherwise nothing was measured */
    exact_end(&e);
    exact_end(&f);
}

/* Also: monotone slopes, the stated signs, and a slope that rises no faster than it may. */
static void slopes_keep_the_shape_that_the_theorems_need(void **state)
{
    (void)state;
    sample samples[SAMPLES];
    make_samples(samples);
    for (size_t s = 0; s < SAMPLES; s++) {
        const sot_loss *loss = &samples[s].loss;
        for (size_t l = 0; l < 5; l++) {
            const double label = samples[s].labels[l];
            double before = -(double)INFINITY;
            bool up = false;
            bool down = false;
            double steepest = 0.0;
            for (double u = -8.0; u <= 8.0; u += 0x1p-9) {
                double slope;
                double curvature;
                loss->bend(loss, u, label, &slope, &curvature);
                assert_true(slope >= before - 2.0 * loss->slope_error);
                if (!isinf(before) && loss->smooth)
                    assert_within(slope - before, -1.0,
                                  loss->curvature_most * 0x1p-9 * (1.0 + 1e-9) + 1e-12);
                up = up || slope > 0.0;
                down = down || slope < 0.0;
                steepest = fmax(steepest, fabs(slope));
                before = slope;
            }
            if (loss->one_signed) assert_false(up && down);
            assert_true(steepest == loss->slope_most);
        }
    }
}

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void float_slopes_are_near_and_never_too_steep(void **state)
{
    (void)state;
    enum { COUNT = 512 * 64 + 5 };
    static float u[COUNT], labels[COUNT], plain[COUNT], shifted[COUNT];
    sample samples[SAMPLES];
    make_samples(samples);
    for (size_t s = 0; s < SAMPLES; s++) {
        const sot_loss *loss = &samples[s].loss;
        for (uint32_t i = 0; i < COUNT; i++) {
            u[i] = i % 2 == 0 ? float_of_bits(i << 17 | (i * 2654435761u >> 15))
                              : (float)(0.0003 * (double)i - 5.0);
            labels[i] = (float)samples[s].labels[i % 5];
        }
        loss->slopes(loss, u, labels, COUNT, plain);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(fabs((double)plain[i]) <= loss->slope_most);
            if (isnan(u[i])) continue;
            double slope;
            double curvature;
            loss->bend(loss, (double)u[i], samples[s].labels[i % 5], &slope, &curvature);
            assert_within(fabs((double)plain[i] - slope), 0.0,
                          loss->slopes_error + 2.0 * loss->slope_error);
        }
        loss->slopes(loss, u + 3, labels + 3, COUNT - 3, shifted);
        assert_memory_equal(plain + 3, shifted, (COUNT - 3) * sizeof *shifted);
    }
}

static void anything_is_taken(void **state)
{
    (void)state;
    static const double wild[] = {(double)NAN, (double)INFINITY, -(double)INFINITY,
                                  1e308,       -1e308,           0.0};
    sample samples[SAMPLES];
    make_samples(samples);
    for (size_t s = 0; s < SAMPLES; s++) {
        const sot_loss *loss = &samples[s].loss;
        for (size_t i = 0; i < 36; i++) {
            const double u = wild[i % 6];
            const double label = wild[i / 6];
            sot_loss_at at;
            loss->at(loss, u, label, &at);
            const sot_twofold careful =
                loss->slope_careful(loss, (sot_twofold){u, 0.0}, label);
            assert_within(fabs(at.slope), 0.0, loss->slope_most);
            assert_within(at.curvature, 0.0, loss->curvature_most);
            assert_within(fabs(careful.high), 0.0, loss->slope_most);
            if (isnan(u)) {
                sot_loss_at zero;
                loss->at(loss, 0.0, label, &zero);
                assert_true(at.slope == zero.slope);
            }
        }
    }
}

/* On a ball with R B + Y below the threshold nothing is cut: the squared loss itself. */
static void a_wide_threshold_leaves_the_squared_loss_alone(void **state)
{
    (void)state;
    const sot_loss loss = sot_loss_squared(1.375 * 2.5 + 1.0, 1.0);
    for (double u = -1.375 * 2.5; u <= 1.375 * 2.5; u += 0.01) {
        sot_loss_at at;
        loss.at(&loss, u, -1.0, &at);
        assert_true(at.slope == u + 1.0 || fabs(at.slope) == loss.slope_most);
        assert_relative(at.value, 0.5 * (u + 1.0) * (u + 1.0), 1e-15);
    }
}

/* Logistic: as the logarithm of a product, which is as good as one by one. */
static void sums_of_many_values_are_within_their_errors(void **state)
{
    (void)state;
    const sot_loss *loss = &sot_loss_logistic;
    double margins[256], labels[256];
    exact_loss e;
    exact_begin(&e);
    mpfr_t sum;
    mpfr_init2(sum, 400);
    for (size_t count = 1; count <= 256; count += 51) {
        double allowed = 0.0;
        mpfr_set_zero(sum, 1);
        for (size_t i = 0; i < count; i++) {
            margins[i] = (i % 9 == 0 ? 800.0 : (i % 4 == 0 ? 1e-9 : 6.0)) *
                         cos(1.7 * (double)(i + count));
            labels[i] = i % 3 == 0 ? -1.0 : 1.0;
            exact_at(&e, loss, margins[i], 0.0, labels[i]);
            mpfr_add(sum, sum, e.value, MPFR_RNDN);
            allowed += loss->value_error *
                       (mpfr_get_d(e.value, MPFR_RNDN) + 1.0 + fabs(margins[i]));
        }
        const double got = sot_loss_sum(loss, margins, labels, count);
        assert_within(exact_distance(sum, got, 0.0), 0.0, allowed);
    }
    mpfr_clear(sum);
    exact_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_is_within_its_bound),
        cmocka_unit_test(careful_slopes_are_as_careful_as_they_say),
        cmocka_unit_test(sums_of_many_values_are_within_their_errors),
        cmocka_unit_test(careful_differences_are_as_careful_as_they_say),
        cmocka_unit_test(slopes_keep_the_shape_that_the_theorems_need),
        cmocka_unit_test(float_slopes_are_near_and_never_too_steep),
        cmocka_unit_test(anything_is_taken),
        cmocka_unit_test(a_wide_threshold_leaves_the_squared_loss_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
