/* What leaves the additive mechanisms has the law of tests/vectors/exponential.json.
 *
 * False alarms: an exact mechanism fails one chi-square test with probability 1e-6, once and for
 * all, since seeds are fixed; there are fifteen of them. Power: noise too small by a factor of 1.2
 * gives p-values below 1e-100 (tests/mutants/gaussian_noise_by_1_2.patch). */
#include "random/laws.h"
#include "release_support.h"

enum { DRAWS = 200000 };
#define EXACT INT64_C(-123457) /* odd, negative: noise is what is left of it */

/* Releases DRAWS values through an open gate and holds their noise against the law. */
static void check_case(const json_t *test_case, const additive *mechanism, uint64_t seed,
                       upper_tail tail, const void *law)
{
    assert_law_is_the_vectors(test_case, tail, law);
    int64_t *values = new_integers(DRAWS);
    release_many(mechanism, seed, EXACT, 4, DRAWS / 4, values);
    for (size_t i = 0; i < DRAWS; i++)
        values[i] -= EXACT;
    const double p = integer_sample_p(values, DRAWS, tail, law, mechanism->spread);
    if (!(p >= FALSE_ALARM)) {
        fail_msg("case %s: p-value %g",
                 json_string_value(json_object_get(test_case, "id")), p);
    }
    free(values);
}

static void rounded_gaussian_releases_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("rounded_gaussian", &root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const double sigma =
            as_double(decimal_ratio(json_object_get(test_case, "sigma")));
        const additive mechanism = {ROUNDED, sigma, 1.0};
        check_case(test_case, &mechanism, 1000 + i, rounded_tail, &sigma);
    }
    json_decref(root);
}

static void discrete_gaussian_releases_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("discrete_gaussian", &root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const double variance =
            as_double(decimal_ratio(json_object_get(test_case, "sigma2")));
        gaussian_law *law = gaussian_law_new(variance);
        const additive mechanism = {DISCRETE, sqrt(variance), 1.0};
        check_case(test_case, &mechanism, 2000 + i, gaussian_tail, law);
        free(law);
    }
    json_decref(root);
}

static void laplace_releases_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("discrete_laplace", &root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const double scale =
            as_double(decimal_ratio(json_object_get(test_case, "scale")));
        const additive mechanism = {LAPLACE, scale, 1.0};
        check_case(test_case, &mechanism, 3000 + i, laplace_tail, &scale);
    }
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_gaussian_releases_have_the_law_of_the_vectors),
        cmocka_unit_test(discrete_gaussian_releases_have_the_law_of_the_vectors),
        cmocka_unit_test(laplace_releases_have_the_law_of_the_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
