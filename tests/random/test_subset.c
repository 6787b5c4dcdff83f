#include "laws.h"

#include "base/memory.h"
#include "random/subset.h"

enum { DRAWS = 200000 };

static unsigned mask_of(const uint64_t *subset, size_t k)
{
    unsigned mask = 0;
    for (size_t i = 0; i < k; i++)
        mask |= 1u << subset[i];
    return mask;
}

/* p-value of uniformity over the k-subsets of {0..n-1}, given how often each mask was seen. */
static double subsets_p(const double *seen, unsigned n, size_t k)
{
    double observed[256];
    double probability[256];
    size_t cells = 0;
    for (unsigned mask = 0; mask < 1u << n; mask++) {
        if ((size_t)__builtin_popcount(mask) == k) {
            observed[cells++] = seen[mask];
        } else {
            assert_true(seen[mask] == 0.0);
        }
    }
    for (size_t i = 0; i < cells; i++)
        probability[i] = 1.0 / (double)cells;
    return cells == 1 ? 1.0 : chi_square_p(observed, probability, cells, DRAWS);
}

static void all_subsets_are_equally_likely(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(71);
    sotto_error error;
    static const unsigned sizes[][2] = {{6, 3}, {7, 1}, {7, 6}, {5, 5}, {8, 4}, {4, 0}};
    for (size_t s = 0; s < 6; s++) {
        double seen[256] = {0};
        uint64_t subset[8];
        for (int i = 0; i < DRAWS; i++) {
            assert_ok(sot_subset_draw(rng, sizes[s][0], sizes[s][1], subset, &error),
                      &error);
            seen[mask_of(subset, sizes[s][1])] += 1.0;
        }
        assert_same_law(subsets_p(seen, sizes[s][0], sizes[s][1]));
    }
    sotto_rng_free(rng);
}

/* Planted: when Floyd's number is taken, draw another instead of taking j. */
static void a_wrong_recipe_is_caught(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(72);
    double seen[64] = {0};
    for (int i = 0; i < DRAWS; i++) {
        unsigned mask = 0;
        for (uint64_t j = 3; j < 6; j++) {
            uint64_t chosen = sot_rng_below(rng, j + 1);
            while ((mask & 1u << chosen) != 0)
                chosen = sot_rng_below(rng, j + 1);
            mask |= 1u << chosen;
        }
        seen[mask] += 1.0;
    }
    assert_other_law(subsets_p(seen, 6, 3));
    sotto_rng_free(rng);
}

static void large_subsets_are_ascending_and_in_range(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(73);
    sotto_error error;
    static uint64_t subset[50000];
    static const uint64_t ns[] = {50000, 50001, 100000, UINT64_C(1) << 40,
                                  UINT64_C(1) << 63};
    for (size_t i = 0; i < 5; i++) {
        assert_ok(sot_subset_draw(rng, ns[i], 50000, subset, &error), &error);
        for (size_t j = 1; j < 50000; j++)
            assert_true(subset[j - 1] < subset[j]);
        assert_true(subset[49999] < ns[i]);
    }
    sotto_rng_free(rng);
}

static void impossible_subsets_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(74);
    sotto_error error;
    uint64_t out[4] = {7, 7, 7, 7};
    assert_refused(sot_subset_draw(rng, 3, 4, out, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "k is 4", "n = 3", NULL);
    assert_refused(sot_subset_draw(rng, UINT64_MAX, 4, out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^63", NULL);
    assert_refused(
        sot_subset_draw(rng, UINT64_C(1) << 63, UINT64_C(1) << 62, out, &error),
        SOTTO_OUT_OF_MEMORY, &error, "memory", NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(sot_subset_draw(rng, 100, 4, out, &error), SOTTO_OUT_OF_MEMORY, &error,
                   "memory", NULL);
    (void)sot_test_fail_allocation(0);
    assert_true(out[0] == 7);
    rng->failed = true;
    assert_refused(sot_subset_draw(rng, 100, 4, out, &error), SOTTO_ENTROPY, &error,
                   "fork", NULL);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 0);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_subsets_are_equally_likely),
        cmocka_unit_test(a_wrong_recipe_is_caught),
        cmocka_unit_test(large_subsets_are_ascending_and_in_range),
        cmocka_unit_test(impossible_subsets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
