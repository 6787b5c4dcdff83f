/* Rounded Gaussians from forty bits a number: the same law, the same bits on every machine. */
#include "random/laws.h"

#include "random/normal.h"
#include "random/rounded_gaussian/kernel.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum { BLOCK = SOT_ROUNDED_GAUSSIAN_BLOCK, DRAWS = 1000000 };

static const double sigmas[] = {0x1p-20, 0.3,          1.0,   41.5,
                                1e4,     0x1.3579bp20, 4.5e6, 0x1.fp24};
enum { SIGMAS = sizeof sigmas / sizeof sigmas[0] };

static void every_scale_follows_the_law(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(70);
    sotto_error error;
    int64_t *values = new_integers(DRAWS);
    for (size_t i = 1; i < SIGMAS; i++) {
        const double sigma = sigmas[i];
        assert_ok(sot_rounded_gaussian_fill_lean(rng, sigma, values, DRAWS / 2, &error),
                  &error);
        assert_same_law(integer_sample_p(values, DRAWS / 2, rounded_tail, &sigma, sigma));
    }
    /* planted: sigma one percent too small */
    const double sigma = 4.5e6;
    assert_ok(sot_rounded_gaussian_fill_lean(rng, 0.99 * sigma, values, DRAWS, &error),
              &error);
    assert_other_law(integer_sample_p(values, DRAWS, rounded_tail, &sigma, sigma));
    free(values);
    sotto_rng_free(rng);
}

/* Beyond 3 sigma most tiles are crossed, beyond 4 there is the tail. */
static void the_tails_follow_the_law(void **state)
{
    (void)state;
    enum { CELLS = 8, ROUNDS = 6 };
    static const double edges[CELLS] = {2.5, 2.75, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25};
    const double sigma = 0x1p22;
    double seen[CELLS + 1] = {0}, probability[CELLS + 1];
    sotto_rng *rng = test_rng(71);
    sotto_error error;
    int64_t *values = new_integers(DRAWS);
    for (int round = 0; round < ROUNDS; round++) {
        assert_ok(sot_rounded_gaussian_fill_lean(rng, sigma, values, DRAWS, &error),
                  &error);
        for (size_t i = 0; i < DRAWS; i++) {
            size_t cell = 0;
            while (cell < CELLS && (double)llabs(values[i]) >= edges[cell] * sigma)
                cell++;
            seen[cell] += 1.0;
        }
    }
    for (size_t i = 0; i <= CELLS; i++) {
        const double from = i == 0 ? 1.0 : erfc(edges[i - 1] / sqrt(2.0));
        probability[i] = from - (i == CELLS ? 0.0 : erfc(edges[i] / sqrt(2.0)));
    }
    assert_same_law(chi_square_p(seen, probability, CELLS + 1, (double)ROUNDS * DRAWS));
    seen[CELLS] *= 2.0; /* planted: the tail comes up too often */
    assert_other_law(chi_square_p(seen, probability, CELLS + 1, (double)ROUNDS * DRAWS));
    free(values);
    sotto_rng_free(rng);
}

static void low_bits_are_uniform(void **state)
{
    (void)state;
    enum { CELLS = 64 };
    double seen[CELLS] = {0}, probability[CELLS];
    sotto_rng *rng = test_rng(72);
    sotto_error error;
    int64_t *values = new_integers(DRAWS);
    assert_ok(sot_rounded_gaussian_fill_lean(rng, 0x1p25, values, DRAWS, &error), &error);
    for (size_t i = 0; i < CELLS; i++)
        probability[i] = 1.0 / CELLS;
    for (size_t i = 0; i < DRAWS; i++)
        seen[(uint64_t)values[i] % CELLS] += 1.0;
    assert_same_law(chi_square_p(seen, probability, CELLS, DRAWS));
    free(values);
    sotto_rng_free(rng);
}

static sot_rounded_gaussian_task task_of(double sigma)
{
    const sot_rounded_gaussian_task task = {.tiles = sot_normal_tiles(),
                                            .sigma = sigma,
                                            .exact_sigma = sot_dyadic_from(sigma)};
    return task;
}

static void every_kernel_says_the_same(void **state)
{
    (void)state;
    const sot_lean_kernel kernels[] = {sot_lean_avx2(), sot_lean_avx512()};
    sotto_rng *rng = test_rng(73);
    for (size_t i = 0; i < 400; i++) {
        const sot_rounded_gaussian_task task = task_of(sigmas[i % SIGMAS]);
        sot_lean_block block;
        sot_lean_masks plain_masks, masks;
        int64_t plain[BLOCK], out[BLOCK];
        sot_rng_bytes(rng, &block, sizeof block);
        sot_lean_portable(&task, &block, plain, &plain_masks);
        for (size_t k = 0; k < 2; k++) {
            if (kernels[k] == NULL) continue;
            kernels[k](&task, &block, out, &masks);
            assert_memory_equal(out, plain, sizeof plain);
            assert_memory_equal(&masks, &plain_masks, sizeof masks);
        }
    }
    sotto_rng_free(rng);
}

/* Whatever the other 24 bits and all later digits are: integers round both ends alike. */
static void what_is_settled_does_not_depend_on_other_bits(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(74);
    size_t open = 0;
    for (size_t i = 0; i < 800; i++) {
        const sot_rounded_gaussian_task task = task_of(sigmas[i % SIGMAS]);
        sot_lean_block block;
        sot_lean_masks masks;
        uint64_t least[BLOCK], most[BLOCK];
        int64_t out[BLOCK], low[BLOCK], high[BLOCK];
        uint16_t deferred[BLOCK];
        sot_rng_bytes(rng, &block, sizeof block);
        sot_lean_portable(&task, &block, out, &masks);
        for (size_t j = 0; j < BLOCK; j++) {
            least[j] = sot_lean_known(&block, j);
            most[j] = least[j] | 0xffffff;
        }
        bool later[BLOCK] = {false};
        size_t count = sot_rounded_gaussian_portable(&task, least, BLOCK, low, deferred);
        for (size_t j = 0; j < count; j++)
            later[deferred[j]] = true;
        count = sot_rounded_gaussian_portable(&task, most, BLOCK, high, deferred);
        for (size_t j = 0; j < count; j++)
            later[deferred[j]] = true;
        for (size_t j = 0; j < BLOCK; j++) {
            const bool is_crossed = (masks.crossed[j / 64] >> (j % 64) & 1) != 0;
            const bool is_open = (masks.open[j / 64] >> (j % 64) & 1) != 0;
            const uint32_t entry = (uint32_t)(least[j] >> (64 - SOT_TILES_ENTRY_BITS));
            assert_true(is_crossed == (entry >= task.tiles->quick));
            if (!is_open && !is_crossed) assert_false(later[j]);
            if (!is_open) assert_true(out[j] == low[j] && out[j] == high[j]);
            open += is_open;
        }
    }
    /* A share sigma 2^-30 of each: at 1.94 2^24 one in 33, at 4.5e6 one in 239, else next to none. */
    assert_in_range(open, 750, 1100);
    sotto_rng_free(rng);
}

static void vector_and_portable_code_give_the_same_bits(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 255, 256, 257, 1000, 20000};
    int64_t *fast = new_integers(20000), *plain = new_integers(20000);
    sotto_error error;
    for (size_t s = 0; s <= SIGMAS; s++) {
        const double sigma = s < SIGMAS ? sigmas[s] : 0x1p30; /* there all 64 bits */
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            sotto_rng *a = test_rng(75 + s * 100 + c);
            sotto_rng *b = test_rng(75 + s * 100 + c);
            assert_ok(sot_rounded_gaussian_fill_lean(a, sigma, fast, counts[c], &error),
                      &error);
            assert_ok(sot_rounded_gaussian_fill_lean_portable(b, sigma, plain, counts[c],
                                                              &error),
                      &error);
            assert_memory_equal(fast, plain, counts[c] * sizeof *fast);
            assert_true(sot_rng_u64(a) == sot_rng_u64(b)); /* and took the same words */
            sotto_rng_free(a);
            sotto_rng_free(b);
        }
    }
    free(fast);
    free(plain);
}

static void a_vector_may_be_drawn_in_pieces(void **state)
{
    (void)state;
    enum { COUNT = 5 * BLOCK + 77 };
    int64_t whole[COUNT], pieces[COUNT];
    sotto_error error;
    sotto_rng *a = test_rng(76), *b = test_rng(76);
    assert_ok(sot_rounded_gaussian_fill_lean(a, 4.5e6, whole, COUNT, &error), &error);
    assert_ok(sot_rounded_gaussian_fill_lean(b, 4.5e6, pieces, 3 * BLOCK, &error),
              &error);
    assert_ok(sot_rounded_gaussian_fill_lean(b, 4.5e6, pieces + 3 * BLOCK,
                                             COUNT - 3 * BLOCK, &error),
              &error);
    assert_memory_equal(whole, pieces, sizeof whole);
    sotto_rng_free(a);
    sotto_rng_free(b);
}

static void bad_sigmas_and_bad_entropy_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(77);
    sotto_error error;
    int64_t out[300];
    static const int64_t zero[300];
    const double bad[] = {0.0, -1.0, 0x1p-21, 0x1.1p56, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(sot_rounded_gaussian_fill_lean(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", "2^56", NULL);
        assert_refused(
            sot_rounded_gaussian_fill_lean_portable(rng, bad[i], out, 2, &error),
            SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
    }
    assert_ok(sot_rounded_gaussian_fill_lean(rng, 1.0, NULL, 0, &error), &error);
    rng->failed = true;
    memset(out, 1, sizeof out);
    assert_refused(sot_rounded_gaussian_fill_lean(rng, 10.0, out, 300, &error),
                   SOTTO_ENTROPY, &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scale_follows_the_law),
        cmocka_unit_test(the_tails_follow_the_law),
        cmocka_unit_test(low_bits_are_uniform),
        cmocka_unit_test(every_kernel_says_the_same),
        cmocka_unit_test(what_is_settled_does_not_depend_on_other_bits),
        cmocka_unit_test(vector_and_portable_code_give_the_same_bits),
        cmocka_unit_test(a_vector_may_be_drawn_in_pieces),
        cmocka_unit_test(bad_sigmas_and_bad_entropy_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
