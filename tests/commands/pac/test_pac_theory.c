/* Sample sizes: those of tests/vectors/exponential.json to the row, proven and least, their inverses, refusals. */
#include "privacy/mechanisms/release.h"

#include <math.h>

#include <sotto/pac_theory.h>

static sotto_pac_setting ordinary(void)
{
    sotto_pac_setting setting = sotto_pac_defaults();
    setting.adjacency = SOTTO_REPLACE_ONE;
    setting.class_size = 100.0;
    setting.epsilon = 1.0;
    setting.alpha = 0.1;
    setting.beta = 0.05;
    setting.rows = 700.0;
    return setting;
}

static uint64_t rows_of(sotto_pac_setting setting, sotto_pac_bound bound)
{
    sotto_error error;
    uint64_t rows = 0;
    assert_ok(sotto_pac_rows(&setting, bound, &rows, &error), &error);
    return rows;
}

static double beta_of(sotto_pac_setting setting, sotto_pac_bound bound)
{
    sotto_error error;
    double beta = SOTTO_UNSET;
    assert_ok(sotto_pac_beta(&setting, bound, &beta, &error), &error);
    return beta;
}

/* ---- the vectors ---- */

static void sizes_are_those_of_the_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        sotto_pac_bound bound;
        sotto_adjacency adjacency;
    } members[] = {
        {"lecture_replace", SOTTO_PAC_LECTURE, SOTTO_REPLACE_ONE},
        {"realizable_replace", SOTTO_PAC_REALIZABLE, SOTTO_REPLACE_ONE},
        {"agnostic_replace", SOTTO_PAC_AGNOSTIC, SOTTO_REPLACE_ONE},
        {"realizable_add_remove", SOTTO_PAC_REALIZABLE, SOTTO_ADD_REMOVE},
        {"agnostic_add_remove", SOTTO_PAC_AGNOSTIC, SOTTO_ADD_REMOVE},
        {"agnostic_simple_replace", SOTTO_PAC_AGNOSTIC_CLOSED, SOTTO_REPLACE_ONE},
        {"nonprivate_realizable", SOTTO_PAC_PUBLIC_REALIZABLE, SOTTO_REPLACE_ONE},
    };
    json_t *root = NULL;
    const json_t *cases = load_cases("pac_sample_size", &root);
    assert_int_equal(json_array_size(cases), 8);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *from = json_array_get(cases, i);
        sotto_pac_setting setting = sotto_pac_defaults();
        setting.class_size = json_decimal(json_object_get(from, "class_size"));
        setting.epsilon = json_decimal(json_object_get(from, "epsilon"));
        setting.alpha = json_decimal(json_object_get(from, "alpha"));
        setting.beta = json_decimal(json_object_get(from, "beta"));
        for (size_t j = 0; j < sizeof members / sizeof members[0]; j++) {
            setting.adjacency = members[j].adjacency;
            const json_int_t expected =
                json_integer_value(json_object_get(from, members[j].key));
            const uint64_t rows = rows_of(setting, members[j].bound);
            if (rows != (uint64_t)expected) {
                fail_msg("%s of %s is %lld, not %llu", members[j].key,
                         json_string_value(json_object_get(from, "id")),
                         (long long)expected, (unsigned long long)rows);
            }
        }
    }
    json_decref(root);
}

/* ---- the formulas, a second time, in long double ---- */

static long double plain_laplace(long double l, long double a, long double scale,
                                 bool is_agnostic)
{
    long double best = HUGE_VALL;
    for (int i = 1; i < 4000; i++) {
        const long double x = (long double)i / 4000.0L, t = x / scale;
        const long double rate = is_agnostic ? logl(coshl(t) - a * sinhl(t))
                                             : logl(1.0L - a * (1.0L - expl(-t)));
        if (rate < 0.0L) best = fminl(best, (l - 2.0L * logl(1.0L - x * x)) / -rate);
    }
    return best;
}

static long double plain(const sotto_pac_setting *setting, sotto_pac_bound bound)
{
    const long double a = (long double)setting->alpha, e = (long double)setting->epsilon,
                      c = (long double)setting->class_size;
    const long double beta = (long double)setting->beta;
    const long double l = logl(c / beta), l2 = logl(2.0L * c / beta);
    const long double s = setting->adjacency == SOTTO_REPLACE_ONE ? e / 2.0L : e;
    const long double t = fminl(s, atanhl(a));
    switch (bound) {
    case SOTTO_PAC_LAPLACE:
        return fmaxl(4.0L * c * l2 / (e * a), 2.0L * l2 / (a * a));
    case SOTTO_PAC_LAPLACE_REALIZABLE:
        return plain_laplace(l, a, c / e, false);
    case SOTTO_PAC_LAPLACE_AGNOSTIC:
        return plain_laplace(l, a, c / e, true);
    case SOTTO_PAC_LECTURE:
        return fmaxl(2.0L * l2 / (s * a), 2.0L * l2 / (a * a));
    case SOTTO_PAC_REALIZABLE:
        return l / -logl(1.0L - a * (1.0L - expl(-s)));
    case SOTTO_PAC_REALIZABLE_CLOSED:
        return l / (a * (1.0L - expl(-s)));
    case SOTTO_PAC_AGNOSTIC:
        return l / -logl(coshl(t) - a * sinhl(t));
    case SOTTO_PAC_AGNOSTIC_CLOSED:
        return fmaxl(2.0L * l / (s * a), 2.0L * l / (a * a));
    case SOTTO_PAC_PUBLIC_REALIZABLE:
        return l / -logl(1.0L - a);
    case SOTTO_PAC_PUBLIC_AGNOSTIC:
        return 2.0L * l / -logl(1.0L - a * a);
    }
    return 0.0L;
}

static void each_size_is_its_formula_rounded_up(void **state)
{
    (void)state;
    uint64_t word = 12345;
    for (int i = 0; i < 400; i++) {
        double u[4];
        for (int j = 0; j < 4; j++) {
            word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[j] = (double)(word >> 11) * 0x1p-53;
        }
        sotto_pac_setting setting = ordinary();
        setting.adjacency = i % 2 == 0 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
        setting.class_size = floor(exp(1.0 + 12.0 * u[0]));
        setting.epsilon = exp(-5.0 + 8.0 * u[1]);
        setting.alpha = exp(-6.0 + 5.9 * u[2]);
        setting.beta = exp(-8.0 + 7.9 * u[3]);
        for (int b = 1; b <= SOTTO_PAC_BOUNDS; b++) {
            /* The plain search for the best x has 4000 points: each round figure it misses is 1e-5 of it. */
            const bool is_searched =
                b == SOTTO_PAC_LAPLACE_REALIZABLE || b == SOTTO_PAC_LAPLACE_AGNOSTIC;
            if (is_searched && i % 40 != 0) continue;
            const long double exact = plain(&setting, (sotto_pac_bound)b);
            const long double rows = (long double)rows_of(setting, (sotto_pac_bound)b);
            const long double slack = (is_searched ? 1e-5L : 1e-12L) * exact;
            if (rows >= fmaxl(1.0L, ceill(exact - slack)) && rows <= ceill(exact + slack))
                continue;
            fail_msg("%s: %.17Lg rows for %.17Lg",
                     sotto_pac_bound_name((sotto_pac_bound)b), rows, exact);
        }
    }
}

/* ---- least, and consistent ---- */

static void one_row_less_is_not_proven(void **state)
{
    (void)state;
    for (int b = 1; b <= SOTTO_PAC_BOUNDS; b++) {
        sotto_pac_setting setting = ordinary();
        setting.rows = (double)rows_of(setting, (sotto_pac_bound)b);
        assert_true(beta_of(setting, (sotto_pac_bound)b) <= setting.beta * (1.0 + 1e-15));
        setting.rows -= 1.0;
        assert_true(beta_of(setting, (sotto_pac_bound)b) > setting.beta);
    }
}

static void inverses_agree_with_the_size(void **state)
{
    (void)state;
    sotto_error error;
    for (int b = 1; b <= SOTTO_PAC_BOUNDS; b++) {
        const sotto_pac_bound bound = (sotto_pac_bound)b;
        sotto_pac_setting setting = ordinary();
        setting.rows = (double)rows_of(setting, bound) + 20.0;
        const uint64_t rows = (uint64_t)setting.rows;
        double least = 0.0;
        assert_ok(sotto_pac_alpha(&setting, bound, &least, &error), &error);
        assert_true(least < setting.alpha);
        sotto_pac_setting at = setting;
        at.alpha = least;
        assert_true(rows_of(at, bound) <= rows);
        at.alpha = least * (1.0 - 1e-6);
        at.rows = setting.rows;
        assert_true(beta_of(at, bound) > setting.beta);
        if (!sotto_pac_bound_is_private(bound)) continue;
        assert_ok(sotto_pac_epsilon(&setting, bound, &least, &error), &error);
        at = setting;
        at.epsilon = least;
        assert_true(rows_of(at, bound) <= rows);
        at.epsilon = least * (1.0 - 1e-6);
        assert_true(beta_of(at, bound) > setting.beta);
    }
}

static void bounds_stand_in_their_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        sotto_pac_setting s = ordinary();
        s.adjacency = i == 0 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
        assert_true(rows_of(s, SOTTO_PAC_REALIZABLE) <=
                    rows_of(s, SOTTO_PAC_REALIZABLE_CLOSED));
        assert_true(rows_of(s, SOTTO_PAC_REALIZABLE_CLOSED) <
                    rows_of(s, SOTTO_PAC_LECTURE));
        assert_true(rows_of(s, SOTTO_PAC_AGNOSTIC) <=
                    rows_of(s, SOTTO_PAC_AGNOSTIC_CLOSED));
        assert_true(rows_of(s, SOTTO_PAC_AGNOSTIC_CLOSED) <
                    rows_of(s, SOTTO_PAC_LECTURE));
        assert_true(rows_of(s, SOTTO_PAC_LAPLACE_REALIZABLE) <
                    rows_of(s, SOTTO_PAC_LAPLACE));
        assert_true(rows_of(s, SOTTO_PAC_REALIZABLE) <
                    rows_of(s, SOTTO_PAC_LAPLACE_REALIZABLE));
        assert_true(rows_of(s, SOTTO_PAC_AGNOSTIC) <
                    rows_of(s, SOTTO_PAC_LAPLACE_AGNOSTIC));
    }
}

/* Realizable in the limit; agnostic as soon as s reaches artanh(alpha): there privacy is free. */
static void with_a_large_epsilon_the_sizes_are_those_without_privacy(void **state)
{
    (void)state;
    sotto_pac_setting s = ordinary();
    s.epsilon = 60.0;
    assert_int_equal(rows_of(s, SOTTO_PAC_REALIZABLE),
                     rows_of(s, SOTTO_PAC_PUBLIC_REALIZABLE));
    s.epsilon = 2.0 * atanh(s.alpha) * (1.0 + 1e-9);
    assert_int_equal(rows_of(s, SOTTO_PAC_AGNOSTIC),
                     rows_of(s, SOTTO_PAC_PUBLIC_AGNOSTIC));
    s.epsilon *= 0.8;
    assert_true(rows_of(s, SOTTO_PAC_AGNOSTIC) > rows_of(s, SOTTO_PAC_PUBLIC_AGNOSTIC));
}

static void a_logarithm_stands_for_the_size(void **state)
{
    (void)state;
    sotto_pac_setting s = ordinary(), by_log = ordinary();
    by_log.class_size = SOTTO_UNSET;
    by_log.log_class_size = log(s.class_size) * (1.0 + 1e-15);
    for (int b = 1; b <= SOTTO_PAC_BOUNDS; b++) {
        assert_int_equal(rows_of(s, (sotto_pac_bound)b),
                         rows_of(by_log, (sotto_pac_bound)b));
    }
    by_log.log_class_size = 5000.0; /* parities of 7213 features */
    assert_true(rows_of(by_log, SOTTO_PAC_REALIZABLE) > 100000);
    sotto_error error;
    uint64_t rows;
    assert_refused(sotto_pac_rows(&by_log, SOTTO_PAC_LAPLACE, &rows, &error),
                   SOTTO_UNREACHABLE, &error, "laplace", "2^53", NULL);
    assert_refused(sotto_pac_rows(&by_log, SOTTO_PAC_LAPLACE_AGNOSTIC, &rows, &error),
                   SOTTO_UNREACHABLE, &error, "2^53", NULL);
}

/* ---- our classes ---- */

static void our_classes_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t bits, features;
        bool both;
        double size; /* NaN: the logarithm is `log_size` */
        double log_size;
    } classes[] = {
        {"thresholds", 16, 1, false, 65537.0, 0.0},
        {"thresholds", 16, 1, true, 131074.0, 0.0},
        {"thresholds", 32, 1, false, 4294967297.0, 0.0},
        {"intervals", 2, 1, false, 11.0,
         0.0}, /* 10 that are not empty, and the empty one */
        {"stumps", 3, 5, false, 90.0, 0.0},
        {"rectangles", 2, 2, false, 101.0, 0.0},
        {"candidates", 1, 7, true, 14.0, 0.0},
        {"conjunctions", 1, 20, false, 1048576.0, 0.0},
        {"parities", 1, 3000, false, SOTTO_UNSET, 2079.4415416798359},
        {"rectangles", 32, 3, false, SOTTO_UNSET,
         131.00481712652814}, /* 3 ln(2^31 (2^32 + 1)) */
    };
    sotto_error error;
    sotto_pac_setting s = ordinary();
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        assert_ok(sotto_pac_set_class(&s, classes[i].name, classes[i].bits,
                                      classes[i].features, classes[i].both, &error),
                  &error);
        if (isnan(classes[i].size)) {
            assert_true(isnan(s.class_size));
            assert_relative(s.log_class_size, classes[i].log_size, 1e-9);
        } else {
            assert_true(s.class_size == classes[i].size && isnan(s.log_class_size));
        }
    }
    assert_refused(sotto_pac_set_class(&s, "juntas", 3, 1, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "juntas", "thresholds", NULL);
    assert_refused(sotto_pac_set_class(&s, "thresholds", 33, 1, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "33 bits", NULL);
    assert_refused(sotto_pac_set_class(&s, "thresholds", 3, 2, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2 features", NULL);
    assert_refused(sotto_pac_set_class(&s, "parities", 2, 2, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "yes or no", NULL);
    assert_refused(sotto_pac_set_class(&s, "stumps", 3, 0, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 features", NULL);
    (void)sot_test_fail_allocation(1);
    const sotto_status status = sotto_pac_set_class(&s, "stumps", 3, 9, false, &error);
    (void)sot_test_fail_allocation(0);
    assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
}

/* ---- refusals ---- */

static void out_of_range_settings_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        double value;
        const char *word;
    } wrong[] = {
        {offsetof(sotto_pac_setting, class_size), 0.5, "0.5"},
        {offsetof(sotto_pac_setting, class_size), SOTTO_UNSET, "logarithm"},
        {offsetof(sotto_pac_setting, epsilon), 0.0, "epsilon"},
        {offsetof(sotto_pac_setting, epsilon), -1.0, "epsilon"},
        {offsetof(sotto_pac_setting, epsilon), 2e6, "epsilon"},
        {offsetof(sotto_pac_setting, alpha), 0.0, "alpha"},
        {offsetof(sotto_pac_setting, alpha), 1.0, "alpha"},
        {offsetof(sotto_pac_setting, beta), 1.0, "beta"},
        {offsetof(sotto_pac_setting, beta), SOTTO_UNSET, "beta"},
    };
    sotto_error error;
    uint64_t rows;
    double value;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sotto_pac_setting s = ordinary();
        *(double *)((char *)&s + wrong[i].offset) = wrong[i].value;
        assert_refused(sotto_pac_rows(&s, SOTTO_PAC_LECTURE, &rows, &error),
                       SOTTO_INVALID_ARGUMENT, &error, wrong[i].word, NULL);
    }
    sotto_pac_setting s = ordinary();
    s.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sotto_pac_rows(&s, SOTTO_PAC_LECTURE, &rows, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency", NULL);
    s = ordinary();
    assert_refused(sotto_pac_rows(&s, (sotto_pac_bound)11, &rows, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "11", NULL);
    for (int i = 0; i < 3; i++) {
        s.rows = i == 0 ? 0.0 : i == 1 ? 10.5 : 0x1p60;
        assert_refused(sotto_pac_alpha(&s, SOTTO_PAC_LECTURE, &value, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "rows", NULL);
    }
    s = ordinary();
    assert_refused(sotto_pac_epsilon(&s, SOTTO_PAC_PUBLIC_AGNOSTIC, &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "public-agnostic", NULL);
    s.rows = 5.0;
    assert_refused(sotto_pac_alpha(&s, SOTTO_PAC_REALIZABLE, &value, &error),
                   SOTTO_UNREACHABLE, &error, "`rows` is 5", NULL);
    assert_refused(sotto_pac_epsilon(&s, SOTTO_PAC_AGNOSTIC, &value, &error),
                   SOTTO_UNREACHABLE, &error, "any epsilon", NULL);
    assert_true(beta_of(s, SOTTO_PAC_AGNOSTIC) == 1.0);
    assert_string_equal(sotto_pac_bound_name((sotto_pac_bound)0), "unknown");
    assert_string_equal(sotto_pac_bound_words((sotto_pac_bound)0), "unknown");
    assert_string_equal(sotto_pac_bound_formula((sotto_pac_bound)11), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_vectors),
        cmocka_unit_test(each_size_is_its_formula_rounded_up),
        cmocka_unit_test(one_row_less_is_not_proven),
        cmocka_unit_test(inverses_agree_with_the_size),
        cmocka_unit_test(bounds_stand_in_their_order),
        cmocka_unit_test(with_a_large_epsilon_the_sizes_are_those_without_privacy),
        cmocka_unit_test(a_logarithm_stands_for_the_size),
        cmocka_unit_test(our_classes_are_counted),
        cmocka_unit_test(out_of_range_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
