/* The grid: whatever the record, its integers stay within the bound. */
#include "support.h"

#include <float.h>

#include <mpfr.h>

#include <sotto/grid.h>

#include "privacy/mechanisms/grid/grid.h"
#include "random/laws.h"
#include "random/rng.h"

/* Is the norm of the integers at most the bound? Decided with 400 bits. */
static bool reference_within(sotto_norm norm, const int64_t *a, size_t count,
                             double bound)
{
    mpfr_t total, term, most;
    mpfr_inits2(400, total, term, most, (mpfr_ptr)0);
    mpfr_set_ui(total, 0, MPFR_RNDN);
    for (size_t i = 0; i < count; i++) {
        mpfr_set_sj(term, a[i], MPFR_RNDN);
        mpfr_abs(term, term, MPFR_RNDN);
        if (norm == SOTTO_L2) mpfr_sqr(term, term, MPFR_RNDN);
        if (norm == SOTTO_LINF) {
            mpfr_max(total, total, term, MPFR_RNDN);
        } else {
            mpfr_add(total, total, term, MPFR_RNDN);
        }
    }
    mpfr_set_d(most, bound, MPFR_RNDN);
    if (norm == SOTTO_L2) mpfr_sqr(most, most, MPFR_RNDN);
    const bool is_within = mpfr_cmp(total, most) <= 0;
    mpfr_clears(total, term, most, (mpfr_ptr)0);
    return is_within;
}

static const sotto_norm norms[] = {SOTTO_L1, SOTTO_L2, SOTTO_LINF};

/* A number of any size and sign, at times zero, NaN or infinite. */
static double any_double(sotto_rng *rng)
{
    const uint64_t kind = sot_rng_below(rng, 20);
    if (kind == 0) return (double)NAN;
    if (kind == 1) return (double)INFINITY;
    if (kind == 2) return -(double)INFINITY;
    if (kind == 3) return 0.0;
    if (kind == 4) return DBL_MAX;
    if (kind == 5) return -DBL_TRUE_MIN;
    const double unit = (double)(sot_rng_u64(rng) >> 11) * 0x1p-53;
    const int exponent = kind < 15 ? (int)sot_rng_below(rng, 20) - 10
                                   : (int)sot_rng_below(rng, 2000) - 1000;
    return ldexp(sot_rng_below(rng, 2) == 0 ? unit : -unit, exponent);
}

static void every_record_stays_within_the_bound(void **state)
{
    (void)state;
    enum { DIMENSION = 7, RECORDS = 6000 };
    sotto_error error;
    sotto_rng *rng = test_rng(11);
    for (int i = 0; i < RECORDS; i++) {
        double record[DIMENSION], bound_units = 0.0;
        int64_t units[DIMENSION];
        for (size_t j = 0; j < DIMENSION; j++)
            record[j] = any_double(rng);
        sotto_grid grid = {.norm = norms[i % 3], .bound = 0.1 + (double)(i % 97)};
        assert_ok(sotto_grid_exponent(grid.bound, i % 30, &grid.exponent, &error),
                  &error);
        assert_ok(sotto_grid_bound(&grid, &bound_units, &error), &error);
        assert_ok(sotto_grid_quantize(&grid, record, DIMENSION, units, &error), &error);
        assert_true(reference_within(grid.norm, units, DIMENSION, bound_units));
        assert_true(sot_norm_within(grid.norm, units, NULL, DIMENSION, bound_units));
    }
    sotto_rng_free(rng);
}

/* Integer vectors (3, 4) m have norm 5 m; bounds one double below make the doubles round up to
 * them, and only the integers can tell. */
static void the_integers_decide_when_the_doubles_round_up(void **state)
{
    (void)state;
    sotto_error error;
    size_t corrected = 0;
    for (int m = 1; m < 4000; m++) {
        const double bound = nextafter(5.0 * m, 0.0);
        const sotto_grid grid = {.exponent = 0, .norm = SOTTO_L2, .bound = bound};
        const double record[] = {3.0 * m * 1e9, -4.0 * m * 1e9};
        int64_t units[2];
        assert_ok(sotto_grid_quantize(&grid, record, 2, units, &error), &error);
        assert_true(reference_within(SOTTO_L2, units, 2, bound));
        assert_in_range(units[0], 3 * m - 1, 3 * m);
        corrected += units[0] == 3 * m - 1 && units[1] == -4 * m + 1;
    }
    assert_true(corrected > 100);
}

static void records_within_the_bound_are_rounded_toward_zero(void **state)
{
    (void)state;
    sotto_error error;
    const double record[] = {1.999, -1.999, 0.25, -0.24999, 0.0, 3.0};
    const int64_t expected[] = {7, -7, 1, 0, 0, 12};
    int64_t units[6];
    for (size_t n = 0; n < 3; n++) {
        const sotto_grid grid = {.exponent = -2, .norm = norms[n], .bound = 8.0};
        assert_ok(sotto_grid_quantize(&grid, record, 6, units, &error), &error);
        assert_memory_equal(units, expected, sizeof expected);
        assert_true(sotto_grid_spacing(&grid) == 0.25);
    }
}

static void longer_records_keep_their_direction(void **state)
{
    (void)state;
    sotto_error error;
    const double record[] = {3e200, 0.0, -4e200};
    int64_t units[3];
    sotto_grid grid = {.exponent = -20, .norm = SOTTO_L2, .bound = 10.0};
    assert_ok(sotto_grid_quantize(&grid, record, 3, units, &error), &error);
    assert_in_range(units[0], 6 * 1048576 - 1, 6 * 1048576);
    assert_int_equal(units[1], 0);
    assert_in_range(-units[2], 8 * 1048576 - 1, 8 * 1048576);
    grid.norm = SOTTO_L1;
    assert_ok(sotto_grid_quantize(&grid, record, 3, units, &error), &error);
    assert_in_range(units[0] - units[2], 10 * 1048576 - 2, 10 * 1048576);
    grid.norm = SOTTO_LINF;
    assert_ok(sotto_grid_quantize(&grid, record, 3, units, &error), &error);
    assert_int_equal(units[0], 10 * 1048576);
    assert_int_equal(units[2], -10 * 1048576);
}

/* Cells that are no numbers count as 0 and change nothing in the others. */
static void cells_that_are_no_numbers_count_as_zero(void **state)
{
    (void)state;
    sotto_error error;
    const double record[] = {(double)NAN, 0.75, (double)INFINITY, -(double)INFINITY};
    const double zeros[] = {0.0, 0.75, 0.0, 0.0};
    int64_t units[4], expected[4];
    for (size_t n = 0; n < 3; n++) {
        const sotto_grid grid = {.exponent = -6, .norm = norms[n], .bound = 0.5};
        assert_ok(sotto_grid_quantize(&grid, record, 4, units, &error), &error);
        assert_ok(sotto_grid_quantize(&grid, zeros, 4, expected, &error), &error);
        assert_memory_equal(units, expected, sizeof expected);
        assert_int_equal(units[1], 32);
    }
}

static void exact_norms_agree_with_many_digits(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(12);
    for (int i = 0; i < 20000; i++) {
        int64_t a[3];
        double square = 0.0;
        for (size_t j = 0; j < 3; j++) {
            a[j] = (int64_t)(sot_rng_u64(rng) >> (1 + sot_rng_below(rng, 62)));
            square += (double)a[j] * (double)a[j];
        }
        /* Bounds at the norm and a few doubles to either side of it. */
        double bound = sqrt(square);
        for (uint64_t steps = sot_rng_below(rng, 4); steps > 0; steps--)
            bound = nextafter(bound, i % 2 == 0 ? 0.0 : (double)INFINITY);
        for (size_t n = 0; n < 3; n++) {
            assert_int_equal(sot_norm_within(norms[n], a, NULL, 3, bound),
                             reference_within(norms[n], a, 3, bound));
        }
    }
    sotto_rng_free(rng);
}

static void exact_norms_hold_at_the_ends_of_the_range(void **state)
{
    (void)state;
    const int64_t low[] = {INT64_MIN, INT64_MIN}, high[] = {INT64_MAX, INT64_MAX};
    assert_true(sot_norm_within(SOTTO_LINF, low, high, 2, 0x1p64));
    assert_false(sot_norm_within(SOTTO_LINF, low, high, 2, 0x1.fffffffffffffp63));
    assert_true(sot_norm_within(SOTTO_L1, low, high, 2, 0x1p65));
    assert_false(sot_norm_within(SOTTO_L1, low, high, 2, 0x1p64));
    assert_false(sot_norm_within(SOTTO_L2, low, high, 2, 0x1p64)); /* beyond 128 bits */
    assert_true(sot_norm_within(SOTTO_L2, low, NULL, 2, 0x1.7p63));
    assert_true(sot_norm_within(SOTTO_L2, low, NULL, 2, (double)INFINITY));
    assert_false(sot_norm_within(SOTTO_L2, low, low, 2, (double)NAN));
    assert_false(sot_norm_within(SOTTO_L1, low, low, 2, -1.0));
    assert_true(sot_norm_within(SOTTO_L2, low, low, 2, 0.0));
    const int64_t one = 1, zero = 0;
    assert_false(sot_norm_within(SOTTO_L2, &one, NULL, 1, 0x1.fffffffffffffp-1));
    assert_true(sot_norm_within(SOTTO_L2, &one, NULL, 1, 1.0));
    assert_false(sot_norm_within(SOTTO_L2, &one, NULL, 1, 0x1p-300));
    assert_true(sot_norm_within(SOTTO_L2, &zero, NULL, 1, 0x1p-300));
    assert_true(sot_norm_within(SOTTO_L1, &one, NULL, 1, 0x1p900));
    assert_true(sot_norm_within(SOTTO_L2, &one, NULL, 1, 0x1p900));
}

static void replacing_a_record_counts_twice(void **state)
{
    (void)state;
    sotto_error error;
    double added = 0.0, replaced = 0.0;
    sotto_grid grid = {.exponent = -3, .norm = SOTTO_L1, .bound = 2.7};
    assert_ok(sotto_grid_sensitivity(&grid, SOTTO_ADD_REMOVE, &added, &error), &error);
    assert_ok(sotto_grid_sensitivity(&grid, SOTTO_REPLACE_ONE, &replaced, &error),
              &error);
    assert_true(added == 21.0 && replaced == 42.0); /* 2.7 is 21.6 units: whole ones */
    grid.norm = SOTTO_L2;
    assert_ok(sotto_grid_sensitivity(&grid, SOTTO_ADD_REMOVE, &added, &error), &error);
    assert_ok(sotto_grid_sensitivity(&grid, SOTTO_REPLACE_ONE, &replaced, &error),
              &error);
    assert_true(added == 8.0 * 2.7 && replaced == 16.0 * 2.7);
    assert_refused(sotto_grid_sensitivity(&grid, SOTTO_ADJACENCY_UNSET, &added, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency", NULL);
    grid.bound = -1.0;
    assert_refused(sotto_grid_sensitivity(&grid, SOTTO_ADD_REMOVE, &added, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "bound", NULL);
}

static void sums_beyond_the_caps_are_refused_whole(void **state)
{
    (void)state;
    sotto_error error;
    int64_t sums[] = {5, INT64_C(1) << 62, -(INT64_C(1) << 62)};
    const int64_t fits[] = {1, 0, 0}, over[] = {1, 1, 0}, under[] = {1, -1, -1};
    const int64_t huge[] = {1, INT64_MAX, 0};
    assert_ok(sotto_grid_add(sums, fits, 3, &error), &error);
    assert_refused(sotto_grid_add(sums, over, 3, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "caps", NULL);
    assert_refused(sotto_grid_add(sums, under, 3, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "caps", NULL);
    assert_refused(sotto_grid_add(sums, huge, 3, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "caps", NULL);
    const int64_t expected[] = {6, INT64_C(1) << 62, -(INT64_C(1) << 62)};
    assert_memory_equal(sums, expected, sizeof expected);
}

static void grids_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    double bound_units = 0.0, cell = 1.0;
    int64_t units = 77;
    int exponent = 77;
    sotto_grid grid = sotto_grid_defaults();
    assert_refused(sotto_grid_bound(&grid, &bound_units, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "exponent", NULL);
    grid.exponent = -401;
    assert_refused(sotto_grid_bound(&grid, &bound_units, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "exponent", NULL);
    grid.exponent = -10;
    assert_refused(sotto_grid_bound(&grid, &bound_units, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "norm", NULL);
    grid.norm = SOTTO_L2;
    const double bad[] = {SOTTO_UNSET,     0.0, -3.0, 0x1.ffp-11, 0x1.0000001p20,
                          (double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        grid.bound = bad[i];
        assert_refused(sotto_grid_quantize(&grid, &cell, 1, &units, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "2^30 units", NULL);
    }
    assert_int_equal(units, 77);
    grid.bound = 0x1p20;
    assert_ok(sotto_grid_bound(&grid, &bound_units, &error), &error);
    assert_true(bound_units == 0x1p30);

    const double bounds[] = {0.0, -1.0, (double)NAN, (double)INFINITY, 1e-130, 1e130};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        assert_refused(sotto_grid_exponent(bounds[i], 10, &exponent, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "no grid", NULL);
    }
    assert_refused(sotto_grid_exponent(1.0, 30, &exponent, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "bits", NULL);
    assert_refused(sotto_grid_exponent(1.0, -1, &exponent, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "bits", NULL);
    assert_int_equal(exponent, 77);
    assert_ok(sotto_grid_exponent(1.3, 20, &exponent, &error), &error);
    assert_int_equal(exponent, -20);
    assert_ok(sotto_grid_exponent(0.99, 20, &exponent, &error), &error);
    assert_int_equal(exponent, -21);
}

static void powers_of_two_are_told_from_other_numbers(void **state)
{
    (void)state;
    int exponent = 0;
    assert_true(sot_is_power_of_two(0x1p-400, &exponent));
    assert_int_equal(exponent, -400);
    const double others[] = {0.0, -2.0, 3.0, (double)NAN, (double)INFINITY, 0x1p-1074};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(sot_is_power_of_two(others[i], &exponent));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_stays_within_the_bound),
        cmocka_unit_test(the_integers_decide_when_the_doubles_round_up),
        cmocka_unit_test(records_within_the_bound_are_rounded_toward_zero),
        cmocka_unit_test(longer_records_keep_their_direction),
        cmocka_unit_test(cells_that_are_no_numbers_count_as_zero),
        cmocka_unit_test(exact_norms_agree_with_many_digits),
        cmocka_unit_test(exact_norms_hold_at_the_ends_of_the_range),
        cmocka_unit_test(replacing_a_record_counts_twice),
        cmocka_unit_test(sums_beyond_the_caps_are_refused_whole),
        cmocka_unit_test(grids_that_do_not_fit_are_refused),
        cmocka_unit_test(powers_of_two_are_told_from_other_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
