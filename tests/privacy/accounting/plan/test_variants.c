/* Variants of sampling and groups of rows beside their definitions. */
#include <math.h>
#include <string.h>

#include "privacy/accounting/cross_check.h"
#include "privacy/accounting/plans.h"

static sotto_event cyclic(double rate, double sigma, uint64_t count, uint32_t bands)
{
    sotto_event event = sampled(rate, sigma, count);
    event.sampling = SOTTO_CYCLIC_POISSON;
    event.bands = bands;
    return event;
}

static sotto_event truncated(double rate, double sigma, uint64_t count, uint64_t batch,
                             uint64_t population)
{
    sotto_event event = sampled(rate, sigma, count);
    event.sampling = SOTTO_TRUNCATED_POISSON;
    event.batch = batch;
    event.population = population;
    return event;
}

static sotto_event rows_of(sotto_event event, uint32_t rows)
{
    event.rows = rows;
    return event;
}

/* A record of 7 steps and 3 bands is in steps 1, 4 and 7: 3 releases, not 2. */
static void bands_divide_the_releases(void **state)
{
    (void)state;
    static const uint64_t counts[][3] = {{7, 3, 3}, {6, 3, 2}, {1, 5, 1}, {100, 1, 100}};
    static const sotto_adjacency both[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    for (int i = 0; i < 8; i++) {
        const uint64_t *of = counts[i / 2];
        const sotto_account banded =
            epsilon_of(plan_under(both[i % 2], cyclic(0.1, 1.25, of[0], (uint32_t)of[1])),
                       SOTTO_EXACT, 1e-6);
        const sotto_account known = epsilon_of(
            plan_under(both[i % 2], sampled(0.1, 1.25, of[2])), SOTTO_EXACT, 1e-6);
        assert_true(banded.epsilon == known.epsilon);
        assert_true(banded.epsilon_lower == known.epsilon_lower);
    }
    sotto_account account;
    sotto_error error;
    uint64_t steps;
    sotto_plan *plan = plan_of(cyclic(0.1, 1.0, 0, 10));
    assert_ok(sotto_account_steps(plan, SOTTO_EXACT, 3.0, 1e-5, &steps, &account, &error),
              &error);
    assert_int_equal(steps % 10, 0);
    sotto_plan_free(plan);
}

/* P[Bin(n - 1, q) >= B], summed from the largest term down. */
static double tail_of(double others, double batch, double rate)
{
    double sum = 0.0;
    for (double k = others; k >= batch; k -= 1.0)
        sum += exp(lgamma(others + 1.0) - lgamma(k + 1.0) - lgamma(others - k + 1.0) +
                   k * log(rate) + (others - k) * log1p(-rate));
    return sum;
}

static void a_truncated_batch_fails_with_its_tail(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 20; i++) {
        const double rate = cross_between(&seed, 0.01, 0.2);
        const uint64_t population = 200 + (uint64_t)(800.0 * cross_uniform(&seed));
        const double spread =
            sqrt((double)population * rate) * (3.0 + 4.0 * cross_uniform(&seed));
        const uint64_t batch = (uint64_t)((double)population * rate + spread) + 1;
        const double failed = tail_of((double)population - 1.0, (double)batch, rate);
        const uint64_t count = 1 + (uint64_t)(50.0 * cross_uniform(&seed));
        const sotto_account cut = delta_of(
            plan_of(truncated(rate, 1.5, count, batch, population)), SOTTO_EXACT, 1.0);
        const double whole =
            delta_of(plan_of(sampled(rate, 1.5, count)), SOTTO_EXACT, 1.0).delta;
        const double lost = -expm1((double)count * log1p(-failed));
        const double expected = lost + (1.0 - lost) * whole;
        assert_within(cut.delta, expected * (1.0 - 1e-9), expected * (1.0 + 1e-9));
        assert_true(cut.delta_lower == 0.0);
    }
    /* A batch that holds all records cuts nothing. */
    const double all =
        epsilon_of(plan_of(truncated(0.1, 1.5, 9, 300, 300)), SOTTO_EXACT, 1e-6).epsilon;
    assert_true(all ==
                epsilon_of(plan_of(sampled(0.1, 1.5, 9)), SOTTO_EXACT, 1e-6).epsilon);
}

enum { OTHERS = 4, KEPT = 2 };

/* The probability that the sum of the others is `sum` and the record is in, given its presence: others add +1 or -1, in
 * turns. Enumerates the coins, and of too many chosen ones every subset that may stay. */
static void add_subsets(const int *chosen, int count, int at, int taken, double sum,
                        bool with, double share, double *in, double *out)
{
    if (at == count) {
        if (taken != KEPT) return;
        (with ? in : out)[(int)sum + OTHERS] += share;
        return;
    }
    const int one = chosen[at];
    const double value = one == OTHERS ? 0.0 : one % 2 == 0 ? 1.0 : -1.0;
    add_subsets(chosen, count, at + 1, taken, sum, with, share, in, out);
    add_subsets(chosen, count, at + 1, taken + 1, sum + value, with || one == OTHERS,
                share, in, out);
}

static void truncated_sums(bool present, double rate, double *in, double *out)
{
    const int records = present ? OTHERS + 1 : OTHERS;
    for (int i = 0; i <= 2 * OTHERS; i++)
        in[i] = out[i] = 0.0;
    for (int coins = 0; coins < 1 << records; coins++) {
        int chosen[OTHERS + 1], count = 0;
        for (int i = 0; i < records; i++) {
            if ((coins >> i & 1) != 0) chosen[count++] = i;
        }
        const double probability = pow(rate, count) * pow(1.0 - rate, records - count);
        if (count > KEPT) {
            const double ways = count == 3 ? 3.0 : count == 4 ? 6.0 : 10.0;
            add_subsets(chosen, count, 0, 0, 0.0, false, probability / ways, in, out);
            continue;
        }
        double sum = 0.0;
        bool with = false;
        for (int i = 0; i < count; i++) {
            with = with || chosen[i] == OTHERS;
            if (chosen[i] != OTHERS) sum += chosen[i] % 2 == 0 ? 1.0 : -1.0;
        }
        (with ? in : out)[(int)sum + OTHERS] += probability;
    }
}

static double mixed_density(const double *in, const double *out, double sigma, double y)
{
    double sum = 0.0;
    for (int i = 0; i <= 2 * OTHERS; i++) {
        const double a = (y - (i - OTHERS) - 1.0) / sigma;
        const double b = (y - (i - OTHERS)) / sigma;
        sum += in[i] * exp(-0.5 * a * a) + out[i] * exp(-0.5 * b * b);
    }
    return sum * 0.3989422804014327 / sigma;
}

/* Five records, two stay: the true distribution beside the answer. */
static void a_truncated_release_is_within_its_price(void **state)
{
    (void)state;
    const double rates[] = {0.1, 0.3, 0.6};
    for (int i = 0; i < 9; i++) {
        const double rate = rates[i % 3], sigma = 0.5 + 0.5 * (i / 3);
        double in[2 * OTHERS + 1], out[2 * OTHERS + 1], none[2 * OTHERS + 1],
            without[2 * OTHERS + 1];
        truncated_sums(true, rate, in, out);
        truncated_sums(false, rate, none, without);
        for (double epsilon = 0.0; epsilon < 2.0; epsilon += 0.25) {
            double removed = 0.0, added = 0.0;
            const double step = 1e-3;
            for (double y = -12.0; y < 13.0; y += step) {
                const double p = mixed_density(in, out, sigma, y);
                const double q = mixed_density(none, without, sigma, y);
                removed += fmax(0.0, p - exp(epsilon) * q);
                added += fmax(0.0, q - exp(epsilon) * p);
            }
            const double price =
                delta_of(plan_of(truncated(rate, sigma, 1, KEPT, OTHERS + 1)),
                         SOTTO_EXACT, epsilon)
                    .delta;
            assert_true(fmax(removed, added) * step <= price * (1.0 + 1e-6));
        }
    }
}

/* k rows of one unit, each by its coin: the density of their number's mixture. */
static void rows_of_a_sample_are_a_binomial_mixture(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int i = 0; i < 20; i++) {
        const uint32_t k = 2 + (uint32_t)(3.0 * cross_uniform(&seed));
        const double rate = cross_between(&seed, 0.01, 0.5);
        const double sigma = cross_between(&seed, 0.8, 4.0);
        const double epsilon = 2.0 * cross_uniform(&seed);
        double removed = 0.0, added = 0.0;
        const double step = 1e-3;
        for (double y = -10.0; y < 20.0; y += step) {
            double p = 0.0;
            for (uint32_t j = 0; j <= k; j++) {
                const double ways =
                    exp(lgamma(k + 1.0) - lgamma(j + 1.0) - lgamma(k - j + 1.0));
                const double z = y - j / sigma;
                p += ways * pow(rate, j) * pow(1.0 - rate, k - j) * exp(-0.5 * z * z);
            }
            const double q = exp(-0.5 * y * y);
            removed += fmax(0.0, p - exp(epsilon) * q);
            added += fmax(0.0, q - exp(epsilon) * p);
        }
        const double truth = fmax(removed, added) * step * 0.3989422804014327;
        const sotto_account account =
            delta_of(plan_of(rows_of(sampled(rate, sigma, 1), k)), SOTTO_EXACT, epsilon);
        assert_within(account.delta, truth - 1e-6, truth + 1e-6);
    }
    /* All records: k times the norm, and a rate next to 1 is the same. */
    const double whole = epsilon_of(plan_of(gaussian(2.0, 5)), SOTTO_EXACT, 1e-6).epsilon;
    assert_relative(
        epsilon_of(plan_of(rows_of(gaussian(6.0, 5), 3)), SOTTO_EXACT, 1e-6).epsilon,
        whole, 1e-12);
    assert_relative(
        epsilon_of(plan_of(rows_of(sampled(1.0 - 1e-12, 6.0, 5), 3)), SOTTO_EXACT, 1e-6)
            .epsilon,
        whole, 1e-6);
}

/* Composed groups: more rows cost more, and `noise` and `rate` meet their targets. */
static void groups_answer_every_question(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double before = 0.0, found;
    for (uint32_t rows = 1; rows <= 4; rows++) {
        const sotto_account at = epsilon_of(
            plan_of(rows_of(sampled(0.02, 2.0, 200), rows)), SOTTO_EXACT, 1e-6);
        assert_true(at.epsilon > before && at.epsilon_lower > before);
        before = at.epsilon;
    }
    sotto_plan *plan = plan_of(rows_of(sampled(0.02, SOTTO_UNSET, 200), 3));
    assert_ok(sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &found, &account, &error),
              &error);
    assert_within(account.epsilon, 1.0 - 1e-5, 1.0);
    assert_true(
        epsilon_of(plan_of(rows_of(sampled(0.02, found, 200), 3)), SOTTO_EXACT, 1e-6)
            .epsilon <= 1.0);
    sotto_plan_free(plan);
    plan = plan_of(rows_of(sampled(SOTTO_UNSET, 2.0, 200), 3));
    assert_ok(sotto_account_rate(plan, SOTTO_EXACT, 1.0, 1e-6, &found, &account, &error),
              &error);
    assert_within(account.epsilon, 1.0 - 1e-4, 1.0);
    sotto_plan_free(plan);
}

static void variants_survive_their_json(void **state)
{
    (void)state;
    sotto_error error;
    const double norms[] = {1.0, 2.5}, weights[] = {0.25, 0.125};
    sotto_event mixture = plans_event(SOTTO_GAUSSIAN_MIXTURE);
    mixture.noise_multiplier = 3.5;
    mixture.curve_size = 2;
    mixture.curve_orders = norms;
    mixture.curve_values = weights;
    sotto_plan *plan = plan_of(cyclic(0.125, 1.5, 40, 8), truncated(0.25, 1.5, 3, 60, 99),
                               rows_of(sampled(0.25, 2.0, 2), 3), mixture);
    char *json = NULL, *again = NULL;
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_non_null(strstr(json, "\"bands\":8"));
    assert_non_null(strstr(json, "\"norms\":["));
    sotto_plan *read = NULL;
    assert_ok(sotto_plan_parse(json, strlen(json), &read, &error), &error);
    assert_ok(sotto_plan_to_json(read, &again, &error), &error);
    assert_string_equal(json, again);
    assert_true(epsilon_of(plan, SOTTO_EXACT, 1e-2).epsilon ==
                epsilon_of(read, SOTTO_EXACT, 1e-2).epsilon);
    sotto_free(json);
    sotto_free(again);
}

static void wrong_variants_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = plan_of(pure(0.1, 1));
    sotto_event event = cyclic(0.1, 1.0, 4, 0);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "bands", NULL);
    event = sampled(0.1, 1.0, 4);
    event.bands = 3;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "cyclic-poisson", NULL);
    event = cyclic(0.1, 1.0, 4, 3);
    event.mechanism = SOTTO_LAPLACE;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "gaussian events", NULL);
    event = truncated(0.1, 1.0, 4, 0, 100);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "batch", NULL);
    event = truncated(0.1, 1.0, 4, 10, UINT64_C(20000000000));
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "1e10", NULL);
    event = rows_of(cyclic(0.1, 1.0, 4, 3), 2);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "rows", "cyclic-poisson", NULL);
    event = rows_of(gaussian(1.0, 4), 1001);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "1000 rows", NULL);
    sotto_plan_free(plan);
    plan = plan_under(SOTTO_REPLACE_ONE, pure(0.1, 1));
    event = rows_of(sampled(0.1, 1.0, 4), 2);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "add-remove", NULL);
    sotto_plan_free(plan);
    /* More than half of the batches are cut. */
    plan = plan_of(truncated(0.5, 1.0, 4, 5, 100));
    sotto_account account;
    assert_refused(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, &error),
                   SOTTO_UNREACHABLE, &error, "batch", NULL);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_divide_the_releases),
        cmocka_unit_test(a_truncated_batch_fails_with_its_tail),
        cmocka_unit_test(a_truncated_release_is_within_its_price),
        cmocka_unit_test(rows_of_a_sample_are_a_binomial_mixture),
        cmocka_unit_test(groups_answer_every_question),
        cmocka_unit_test(variants_survive_their_json),
        cmocka_unit_test(wrong_variants_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
