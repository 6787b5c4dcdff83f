/* The packing of thresholds: the numbers of tests/vectors/exponential.json, both adjacencies, refusals; and the real
 * mechanisms succeed as often as the formulas say.
 *
 * False alarms: a binomial count leaves its interval with probability 1e-6, once and for all, since seeds are
 * fixed; there are 12 of them. */
#include "privacy/mechanisms/release.h"

#include <math.h>

#include <sotto/exponential.h>
#include <sotto/pac_packing.h>
#include <sotto/pac_theory.h>
#include <sotto/permute_and_flip.h>

#include "numeric/special.h"

static sotto_packing_success success_of(sotto_packing_setting setting)
{
    sotto_error error;
    sotto_packing_success success;
    assert_ok(sotto_packing_success_of(&setting, &success, &error), &error);
    return success;
}

static double number(const json_t *from, const char *key)
{
    return json_decimal(json_object_get(from, key));
}

static void successes_and_sizes_are_those_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("packing_thresholds", &root);
    assert_int_equal(json_array_size(cases), 3);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *from = json_array_get(cases, i);
        sotto_packing_setting setting = {.adjacency = SOTTO_REPLACE_ONE,
                                         .epsilon = number(from, "epsilon"),
                                         .class_size = (uint64_t)number(from, "K")};
        sotto_packing_rows rows;
        sotto_error error;
        assert_ok(sotto_packing_rows_for(&setting, 0.9, &rows, &error), &error);
        assert_true((double)rows.least == number(from, "packing_lower_bound_n"));
        assert_true((double)rows.exponential ==
                    number(from, "em_smallest_even_n_success_0_9"));
        assert_true((double)rows.permute_and_flip ==
                    number(from, "pf_smallest_even_n_success_0_9"));
        const json_t *curve = json_object_get(from, "curve");
        assert_true(json_array_size(curve) >= 2);
        for (size_t j = 0; j < json_array_size(curve); j++) {
            const json_t *point = json_array_get(curve, j);
            setting.rows = (uint64_t)number(point, "n");
            const sotto_packing_success success = success_of(setting);
            assert_relative(success.exponential, number(point, "em_success"), 1e-12);
            assert_relative(success.permute_and_flip, number(point, "pf_success"), 1e-12);
            assert_relative(success.ceiling, number(point, "packing_max_min_success"),
                            1e-12);
        }
    }
    json_decref(root);
}

/* Rows that come and go: the mechanisms are twice as sharp, two data sets twice as far apart. */
static void add_remove_is_replace_one_at_twice_the_epsilon(void **state)
{
    (void)state;
    const sotto_packing_setting one = {SOTTO_ADD_REMOVE, 0.375, 1000, 30};
    const sotto_packing_setting two = {SOTTO_REPLACE_ONE, 0.75, 1000, 30};
    const sotto_packing_success a = success_of(one), b = success_of(two);
    assert_true(a.exponential == b.exponential);
    assert_true(a.permute_and_flip == b.permute_and_flip);
    assert_true(a.ceiling == b.ceiling);
}

static void success_goes_to_zero_with_the_class_and_to_one_with_the_rows(void **state)
{
    (void)state;
    sotto_packing_setting s = {SOTTO_REPLACE_ONE, 1.0, UINT64_C(1) << 62, 20};
    sotto_packing_success success = success_of(s);
    assert_true(success.ceiling < 1.1e-10 && success.ceiling > 1.0e-10);
    assert_true(success.exponential <= success.permute_and_flip);
    s.rows = 20000;
    success = success_of(s);
    assert_true(success.exponential == 1.0 && success.permute_and_flip == 1.0);
    for (uint64_t rows = 2; rows < 200; rows += 2) {
        s.rows = rows;
        success = success_of(s);
        assert_true(success.exponential <= success.permute_and_flip &&
                    success.permute_and_flip <= success.ceiling);
    }
}

/* ---- every learner ---- */

/* Between what no learner does without and what the exponential mechanism needs, for thresholds on a grid. */
static void the_least_number_of_rows_is_below_every_size(void **state)
{
    (void)state;
    uint64_t word = 99;
    for (int i = 0; i < 300; i++) {
        double u[4];
        for (int j = 0; j < 4; j++) {
            word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[j] = (double)(word >> 11) * 0x1p-53;
        }
        const uint64_t cells = UINT64_C(4) << (int)(28.0 * u[0]);
        const sotto_packing_setting packing = {.adjacency = i % 2 == 0 ? SOTTO_REPLACE_ONE
                                                                       : SOTTO_ADD_REMOVE,
                                               .epsilon = exp(-5.0 + 8.0 * u[1]),
                                               .class_size = cells - 1};
        sotto_pac_setting setting = sotto_pac_defaults();
        setting.adjacency = packing.adjacency;
        setting.class_size = (double)(cells + 1);
        setting.epsilon = packing.epsilon;
        setting.alpha = exp(-6.0 + 5.3 * u[2]);
        setting.beta = exp(-8.0 + 7.3 * u[3]);
        sotto_error error;
        uint64_t least = 0, enough = 0;
        assert_ok(sotto_packing_least_rows(&packing, setting.alpha, setting.beta, &least,
                                           &error),
                  &error);
        assert_ok(sotto_pac_rows(&setting, SOTTO_PAC_REALIZABLE, &enough, &error),
                  &error);
        assert_true(least <= enough);
        const long double beta = (long double)setting.beta;
        const long double x =
            (long double)(i % 2 == 0 ? packing.epsilon : 2.0 * packing.epsilon);
        const long double exact = (1.0L - beta) *
                                  logl((long double)(cells - 2) * (1.0L - beta) / beta) /
                                  (2.0L * (long double)setting.alpha * x);
        assert_within((double)least, (double)ceill(exact * (1.0L - 1e-12L)),
                      (double)ceill(exact * (1.0L + 1e-12L)));
    }
}

/* ---- the mechanisms ---- */

enum { DRAWS = 4000 };

/* P(X <= x) and P(X >= x) of a binomial law are both above 5e-7. */
static void assert_binomial(double seen, double chance)
{
    const double n = DRAWS;
    const double lower =
        seen >= n ? 1.0 : sot_incomplete_beta(n - seen, seen + 1.0, 1.0 - chance);
    const double upper =
        seen <= 0.0 ? 1.0 : sot_incomplete_beta(seen, n - seen + 1.0, chance);
    if (lower >= 5e-7 && upper >= 5e-7) return;
    fail_msg("%g of %g successes, where %g are expected", seen, n, n * chance);
}

static void mechanisms_succeed_as_often_as_the_formulas_say(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 6; i++) {
        const sotto_packing_setting setting = {.adjacency = i % 2 == 0 ? SOTTO_REPLACE_ONE
                                                                       : SOTTO_ADD_REMOVE,
                                               .epsilon = i % 2 == 0 ? 1.0 : 0.5,
                                               .class_size = i < 4 ? 64 : 2,
                                               .rows = i < 2 ? 10 : 20};
        const sotto_packing_success expected = success_of(setting);
        sotto_selection_config config = sotto_selection_defaults();
        config.epsilon = setting.epsilon;
        config.sensitivity = 1;
        config.adjacency = setting.adjacency;
        config.change = i % 2 == 0 ? SOTTO_CHANGE_ANY : SOTTO_CHANGE_MONOTONE;
        config.purpose = "threshold";
        int64_t scores[64];
        double hits[2] = {0.0, 0.0};
        for (int m = 0; m < 2; m++) {
            sotto_event event;
            assert_ok(m == 0 ? sotto_exponential_event(&config, &event, &error)
                             : sotto_permute_and_flip_event(&config, &event, &error),
                      &error);
            const release at =
                open_gate(setting.adjacency, event, DRAWS, 500 + (uint64_t)(2 * i + m));
            for (size_t draw = 0; draw < DRAWS; draw++) {
                const size_t right = draw % setting.class_size;
                size_t choice = 64;
                for (size_t j = 0; j < setting.class_size; j++)
                    scores[j] = j == right ? 0 : -(int64_t)(setting.rows / 2);
                assert_ok(
                    (m == 0 ? sotto_exponential_choose : sotto_permute_and_flip_choose)(
                        at.gate, &config, scores, setting.class_size, &choice, &error),
                    &error);
                hits[m] += choice == right;
            }
            finish_gate(at);
        }
        assert_binomial(hits[0], expected.exponential);
        assert_binomial(hits[1], expected.permute_and_flip);
    }
}

/* ---- refusals ---- */

static void out_of_range_settings_are_refused(void **state)
{
    (void)state;
    const sotto_packing_setting right = {SOTTO_REPLACE_ONE, 1.0, 100, 20};
    sotto_packing_success success;
    sotto_packing_rows rows;
    sotto_error error;
    sotto_packing_setting s = right;
    for (int i = 0; i < 3; i++) {
        s.rows = i == 0 ? 0 : i == 1 ? 7 : (UINT64_C(1) << 53) + 2;
        assert_refused(sotto_packing_success_of(&s, &success, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "rows", "even", NULL);
    }
    s = right;
    s.class_size = 1;
    assert_refused(sotto_packing_success_of(&s, &success, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "thresholds", NULL);
    s = right;
    s.epsilon = 0.0;
    assert_refused(sotto_packing_rows_for(&s, 0.9, &rows, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "epsilon", NULL);
    s = right;
    s.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sotto_packing_rows_for(&s, 0.9, &rows, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    for (int i = 0; i < 3; i++) {
        const double wanted = i == 0 ? 0.5 : i == 1 ? 1.0 : SOTTO_UNSET;
        assert_refused(sotto_packing_rows_for(&right, wanted, &rows, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "success", NULL);
    }
    uint64_t least;
    assert_refused(sotto_packing_least_rows(&right, 0.5, 0.1, &least, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "alpha is 0.5", NULL);
    assert_refused(sotto_packing_least_rows(&right, 0.1, SOTTO_UNSET, &least, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "beta", NULL);
    s = right;
    s.epsilon = 1e-300;
    assert_refused(sotto_packing_least_rows(&s, 0.1, 0.1, &least, &error),
                   SOTTO_UNREACHABLE, &error, "2^53", NULL);
    assert_refused(sotto_packing_rows_for(&s, 0.9, &rows, &error), SOTTO_UNREACHABLE,
                   &error, "2^53", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(successes_and_sizes_are_those_of_the_vectors),
        cmocka_unit_test(add_remove_is_replace_one_at_twice_the_epsilon),
        cmocka_unit_test(success_goes_to_zero_with_the_class_and_to_one_with_the_rows),
        cmocka_unit_test(the_least_number_of_rows_is_below_every_size),
        cmocka_unit_test(mechanisms_succeed_as_often_as_the_formulas_say),
        cmocka_unit_test(out_of_range_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
