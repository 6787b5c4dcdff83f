/* tests/random/laws.h: the laws of tests/vectors/exponential.json, and the laws themselves. */
#ifndef SOTTO_TESTS_RANDOM_LAWS_H
#define SOTTO_TESTS_RANDOM_LAWS_H

#include "statistics.h"

#include <jansson.h>

#include "random/discrete_laplace.h"

/* The array of cases of that kind; json_decref() the root. */
static inline json_t *load_cases(const char *kind, json_t **out_root)
{
    json_error_t problem;
    *out_root = json_load_file(SOTTO_TEST_VECTORS "/exponential.json", 0, &problem);
    assert_non_null(*out_root);
    json_t *cases = json_object_get(*out_root, kind);
    assert_true(json_array_size(cases) > 0);
    return cases;
}

/* A number that is either a JSON integer or a decimal string with at most six places. */
static inline sot_ratio decimal_ratio(const json_t *value)
{
    sot_ratio ratio = {.denominator = 1};
    if (json_is_integer(value)) {
        ratio.numerator = (uint64_t)json_integer_value(value);
        return ratio;
    }
    assert_true(json_is_string(value));
    bool after_point = false;
    for (const char *c = json_string_value(value); *c != '\0'; c++) {
        if (*c == '.') {
            after_point = true;
            continue;
        }
        assert_in_range(*c, '0', '9');
        ratio.numerator = 10 * ratio.numerator + (uint64_t)(*c - '0');
        if (after_point) ratio.denominator *= 10;
    }
    return ratio;
}

static inline double as_double(sot_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator;
}

/* Every listed probability of the case is what `tail` says. */
static inline void assert_law_is_the_vectors(const json_t *test_case, upper_tail tail,
                                             const void *law)
{
    const json_t *points = json_object_get(test_case, "x");
    const json_t *masses = json_object_get(test_case, "pmf");
    assert_true(json_array_size(points) > 0);
    for (size_t i = 0; i < json_array_size(points); i++) {
        const int64_t x = json_integer_value(json_array_get(points, i));
        const double listed = json_number_value(json_array_get(masses, i));
        const int64_t away = x < 0 ? -x : x; /* in the upper tail nothing cancels */
        const double mass =
            x == 0 ? 1.0 - 2.0 * tail(law, 1) : tail(law, away) - tail(law, away + 1);
        const double cancelled = 4e-16 * tail(law, away);
        assert_within(mass, listed * (1.0 - 1e-11) - cancelled,
                      listed * (1.0 + 1e-11) + cancelled);
    }
}

/* Discrete Laplace: P(X >= x) = r^x / (1 + r) for x >= 1. `law` is the scale, a double. */
static inline double laplace_tail(const void *law, int64_t x)
{
    if (x <= 0) return 1.0 - laplace_tail(law, 1 - x);
    const double scale = *(const double *)law;
    return exp(-(double)x / scale) / (1.0 + exp(-1.0 / scale));
}

/* Gaussian rounded to integers. `law` is sigma, a double. */
static inline double rounded_tail(const void *law, int64_t x)
{
    if (x <= 0) return 1.0 - rounded_tail(law, 1 - x);
    const double sigma = *(const double *)law;
    return 0.5 * erfc(((double)x - 0.5) / (sigma * sqrt(2.0)));
}

enum { GAUSSIAN_REACH = 12000 };

/* Discrete Gaussian with sigma <= 1000: tail[x] = P(X >= x), summed from the far end. */
typedef struct gaussian_law {
    double tail[GAUSSIAN_REACH + 2];
} gaussian_law;

static inline gaussian_law *gaussian_law_new(double variance)
{
    gaussian_law *law = calloc(1, sizeof *law);
    assert_non_null(law);
    for (int x = GAUSSIAN_REACH; x >= 1; x--)
        law->tail[x] = law->tail[x + 1] + exp(-(double)x * x / (2.0 * variance));
    const double whole = 1.0 + 2.0 * law->tail[1];
    for (int x = 1; x <= GAUSSIAN_REACH; x++)
        law->tail[x] /= whole;
    return law;
}

static inline double gaussian_tail(const void *law, int64_t x)
{
    if (x <= 0) return 1.0 - gaussian_tail(law, 1 - x);
    return x > GAUSSIAN_REACH ? 0.0 : ((const gaussian_law *)law)->tail[x];
}

static inline sotto_rng *test_rng(uint64_t seed)
{
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    return rng;
}

static inline int64_t *new_integers(size_t count)
{
    int64_t *values = calloc(count, sizeof *values);
    assert_non_null(values);
    return values;
}

#endif
