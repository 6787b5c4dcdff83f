/* Published attacks on noise, tried on the additive mechanisms: holes in the support, low bits,
 * noise used twice. And the intervals that users are told.
 *
 * False alarms: 1e-6 a p-value; seeds are fixed. */
#include "random/laws.h"
#include "release_support.h"

enum { DRAWS = 200000, RESIDUES = 8 };

static const additive wide[] = {
    {ROUNDED, 41.5, 2.0}, {DISCRETE, 41.5, 2.0}, {LAPLACE, 41.5, 2.0}};

static double *cells(size_t count)
{
    double *made = calloc(count, sizeof *made);
    assert_non_null(made);
    return made;
}

static size_t residue(int64_t value, int64_t modulus)
{
    return (size_t)(((value % modulus) + modulus) % modulus);
}

/* Mironov 2012: floating-point noise leaves holes in the support, and the holes depend on the
 * data. Here every residue modulo 2, 4 and 8 comes up as often as the law says. */
static void every_residue_is_reached_as_often_as_the_law_says(void **state)
{
    (void)state;
    int64_t *values = new_integers(DRAWS);
    gaussian_law *discrete = gaussian_law_new(41.5 * 41.5);
    const upper_tail tails[] = {rounded_tail, gaussian_tail, laplace_tail};
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        const void *law = kind == DISCRETE ? (const void *)discrete : &wide[kind].spread;
        release_many(&wide[kind], 400 + (uint64_t)kind, 1001, 2, DRAWS / 2, values);
        for (int64_t modulus = 2; modulus <= RESIDUES; modulus *= 2) {
            double seen[RESIDUES] = {0}, expected[RESIDUES] = {0};
            for (size_t i = 0; i < DRAWS; i++)
                seen[residue(values[i], modulus)] += 1.0;
            for (int64_t x = -2000; x < 2000; x++) {
                expected[residue(1001 + x, modulus)] +=
                    tails[kind](law, x) - tails[kind](law, x + 1);
            }
            assert_same_law(chi_square_p(seen, expected, (size_t)modulus, DRAWS));
        }
    }
    free(discrete);
    free(values);
}

/* Haney et al. 2022: the low bits of a release must not tell neighbours apart. At these scales
 * each residue has probability 1/8 up to 2e-5 of itself. */
static void low_bits_are_the_same_on_neighbours(void **state)
{
    (void)state;
    const additive wider[] = {
        {ROUNDED, 41.5, 2.0}, {DISCRETE, 41.5, 2.0}, {LAPLACE, 500.0, 2.0}};
    int64_t *here = new_integers(DRAWS), *there = new_integers(DRAWS);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        release_many(&wider[kind], 500, 1000, 2, DRAWS / 2, here);
        release_many(&wider[kind], 600, 1002, 2, DRAWS / 2, there);
        double counts[2][RESIDUES] = {{0}}, statistic = 0.0;
        for (size_t i = 0; i < DRAWS; i++) {
            counts[0][residue(here[i], RESIDUES)] += 1.0;
            counts[1][residue(there[i], RESIDUES)] += 1.0;
        }
        for (size_t r = 0; r < RESIDUES; r++) { /* two samples of equal size */
            const double gap = counts[0][r] - counts[1][r];
            statistic += gap * gap / (counts[0][r] + counts[1][r]);
        }
        assert_same_law(chi_square_tail(statistic, RESIDUES - 1));
    }
    free(here);
    free(there);
}

/* Pairs of noise, cut into sixteen by the quartiles of the sample: independence of `first[i]` and
 * `second[i]`, 9 degrees of freedom. */
static double independence_p(const int64_t *first, const int64_t *second, size_t count,
                             size_t stride)
{
    double *sorted = cells(count);
    double table[4][4] = {{0}}, rows[4] = {0}, columns[4] = {0}, edges[3];
    for (size_t i = 0; i < count; i++)
        sorted[i] = (double)first[i * stride];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    for (size_t q = 0; q < 3; q++)
        edges[q] = sorted[(q + 1) * count / 4];
    for (size_t i = 0; i < count; i++) {
        size_t a = 0, b = 0;
        for (size_t q = 0; q < 3; q++) {
            a += (double)first[i * stride] >= edges[q];
            b += (double)second[i * stride] >= edges[q];
        }
        table[a][b] += 1.0;
        rows[a] += 1.0;
        columns[b] += 1.0;
    }
    double statistic = 0.0;
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = 0; b < 4; b++) {
            const double expected = rows[a] * columns[b] / (double)count;
            statistic += (table[a][b] - expected) * (table[a][b] - expected) / expected;
        }
    }
    free(sorted);
    return chi_square_tail(statistic, 9.0);
}

static void noise_is_never_used_twice(void **state)
{
    (void)state;
    enum { RELEASES = 20000 };
    int64_t *values = new_integers(2 * RELEASES);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        release_many(&wide[kind], 700, 0, RELEASES, 2, values);
        size_t repeats = 0;
        for (size_t i = 2; i < 2 * RELEASES; i += 2)
            repeats += values[i] == values[i - 2] && values[i + 1] == values[i - 1];
        /* Two draws agree with probability at most 1/140, two pairs with its square: one repeat is
         * expected in 20000 pairs, and twenty have probability below 1e-17. */
        assert_in_range(repeats, 0, 19);
        /* One coordinate against the other, and one release against the next. */
        assert_same_law(independence_p(values, values + 1, RELEASES, 2));
        assert_same_law(independence_p(values, values + 2, RELEASES / 2 - 1, 4));
    }
    free(values);
}

/* 95 % of a Gaussian lies within 1.96 sigma, of the discrete Laplace law within 3 scales. With
 * 10000 releases the count has a standard deviation of 22: 93 to 97 % is more than 9 of them. */
static void stated_intervals_hold(void **state)
{
    (void)state;
    enum { RELEASES = 10000 };
    int64_t *values = new_integers(RELEASES);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        const double reach = kind == LAPLACE ? wide[kind].spread * log(20.0)
                                             : wide[kind].spread * 1.959964;
        release_many(&wide[kind], 800, 77, RELEASES, 1, values);
        size_t inside = 0;
        for (size_t i = 0; i < RELEASES; i++)
            inside += fabs((double)(values[i] - 77)) <= reach;
        assert_in_range(inside, 9300, 9700);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_residue_is_reached_as_often_as_the_law_says),
        cmocka_unit_test(low_bits_are_the_same_on_neighbours),
        cmocka_unit_test(noise_is_never_used_twice),
        cmocka_unit_test(stated_intervals_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
