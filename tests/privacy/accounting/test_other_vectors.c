/* The accounting cases of tests/vectors/exponential.json (50 digits) and pate_audit.json (60
 * digits): profiles of pure and Gaussian-DP releases, and the largest mu of a target. */
#include "privacy/accounting/plans.h"

#include <jansson.h>

/* The vectors' doubles are the nearest to the exact values. */
static const double reference_error = 1e-14;

/* A number, or the decimal of a string. */
static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) return strtod(json_string_value(value), NULL);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static json_t *load(const char *name)
{
    char path[512];
    json_error_t problem;
    (void)snprintf(path, sizeof path, "%s/%s", SOTTO_TEST_VECTORS, name);
    json_t *loaded = json_load_file(path, 0, &problem);
    assert_non_null(loaded);
    return loaded;
}

static void check_gdp(double mu, double mu_error, double epsilon, double delta)
{
    const sotto_account account = delta_of(plan_of(gdp(mu, 1)), SOTTO_EXACT, epsilon);
    /* What an ulp of mu moves is not the accountant's error: d log delta/d log mu is about
     * (epsilon/mu)^2 in the tail. */
    const double steep = 1.0 + epsilon * epsilon / (mu * mu);
    assert_within(account.delta, delta * (1.0 - reference_error - steep * mu_error),
                  delta * (1.0 + 1e-6));
    assert_true(account.delta_lower <=
                delta * (1.0 + reference_error + steep * mu_error));
}

static void profiles_of_gaussian_dp_are_the_references(void **state)
{
    (void)state;
    json_t *all = load("pate_audit.json");
    const json_t *gdp_part = json_object_get(all, "gdp"), *vector;
    size_t index;
    json_array_foreach(json_object_get(gdp_part, "delta"), index, vector) check_gdp(
        number(vector, "mu"), 0.0, number(vector, "eps"), number(vector, "delta"));
    assert_int_equal(index, 6);
    json_array_foreach(json_object_get(gdp_part, "eps"), index, vector)
    {
        const double exact = number(vector, "eps");
        const sotto_account account = epsilon_of(plan_of(gdp(number(vector, "mu"), 1)),
                                                 SOTTO_EXACT, number(vector, "delta"));
        assert_within(account.epsilon, exact * (1.0 - 1e-13), exact * (1.0 + 1e-6));
    }
    assert_int_equal(index, 6);
    json_decref(all);
}

static size_t check_gdp_points(const json_t *vector, const char *mu_key,
                               const char *points_key)
{
    const json_t *points = json_object_get(vector, points_key), *point;
    size_t index;
    if (points == NULL) return 0;
    json_array_foreach(points, index, point)
        check_gdp(number(vector, mu_key), 2.3e-16, number(point, "epsilon"),
                  number(point, "delta"));
    return index;
}

static void
profiles_of_regularised_exponential_mechanisms_are_the_references(void **state)
{
    (void)state;
    json_t *all = load("exponential.json");
    const json_t *vector;
    size_t index, points = 0;
    json_array_foreach(json_object_get(all, "regularised_em_gdp"), index, vector)
    {
        points += check_gdp_points(vector, "gdp_mu_replace", "delta_replace");
        points += check_gdp_points(vector, "gdp_mu_add_remove", "delta_add_remove");
    }
    assert_int_equal(index, 6);
    assert_int_equal(points, 24);
    json_decref(all);
}

static void the_largest_mu_of_a_target_is_the_reference(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = load("exponential.json");
    const json_t *vector;
    size_t index;
    json_array_foreach(json_object_get(all, "calibration"), index, vector)
    {
        sotto_plan *plan = plan_of(gaussian(SOTTO_UNSET, 1));
        sotto_account account;
        double noise;
        assert_ok(sotto_account_noise(plan, SOTTO_EXACT, number(vector, "epsilon"),
                                      number(vector, "delta"), &noise, &account, &error),
                  &error);
        const double exact = number(vector, "gdp_mu");
        assert_within(1.0 / noise, exact * (1.0 - 1e-6), exact * (1.0 + 1e-13));
        sotto_plan_free(plan);
    }
    assert_int_equal(index, 6);
    json_decref(all);
}

static sotto_event exponential(double epsilon)
{
    sotto_event event = plans_event(SOTTO_EXPONENTIAL);
    event.epsilon = epsilon;
    event.count = 1;
    return event;
}

/* An arbitrary pure release, and an exponential mechanism, whose range is bounded. */
static void profiles_of_pure_releases_are_the_references(void **state)
{
    (void)state;
    json_t *all = load("exponential.json");
    const json_t *vector, *point;
    size_t index, at;
    json_array_foreach(json_object_get(all, "em_privacy_profile"), index, vector)
    {
        const double epsilon = number(vector, "epsilon");
        json_array_foreach(json_object_get(vector, "points"), at, point)
        {
            const double asked = number(point, "eps_prime");
            const double any = number(point, "delta_any_pure");
            const double em = number(point, "delta_em");
            const double of_any =
                delta_of(plan_of(pure(epsilon, 1)), SOTTO_EXACT, asked).delta;
            const double of_em =
                delta_of(plan_of(exponential(epsilon)), SOTTO_EXACT, asked).delta;
            assert_within(of_any, any * (1.0 - 1e-13), any * (1.0 + 1e-6));
            assert_within(of_em, em * (1.0 - 1e-13), em * (1.0 + 1e-6));
        }
    }
    assert_int_equal(index, 3);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_of_gaussian_dp_are_the_references),
        cmocka_unit_test(
            profiles_of_regularised_exponential_mechanisms_are_the_references),
        cmocka_unit_test(the_largest_mu_of_a_target_is_the_reference),
        cmocka_unit_test(profiles_of_pure_releases_are_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
