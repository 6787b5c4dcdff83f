/* What one run shows of Gaussian DP, of ideal canaries: by (epsilon, delta), and by the claim's own curve. docs/howto/audit.md has the table. */
#include <math.h>

#include <sotto/audit_statistics.h>

#include "base/memory.h"
#include "numeric/special.h"
#include "random/rng.h"
#include "support.h"

#define DELTA 1e-5
#define ALPHA 0.05

/* The epsilon at DELTA of mu-GDP, or the mu of an epsilon. */
static double epsilon_of(double mu)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_account account;
    sotto_event event = sotto_event_defaults();
    if (!(mu > 0.0)) return 0.0;
    event.mechanism = SOTTO_GDP;
    event.mu = mu;
    event.count = 1;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, DELTA, &account, &error), &error);
    sotto_plan_free(plan);
    return account.epsilon;
}

static double mu_of(double epsilon)
{
    double low = 0.01, high = 8.0;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (epsilon_of(middle) < epsilon)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct seen {
    double epsilon, mu; /* means */
    int alarms;
} seen;

static seen study(size_t canaries, double mu, int draws, uint64_t seed)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    seen mean = {0.0, 0.0, 0};
    double *scores = sot_new_array(canaries, sizeof *scores);
    bool *included = sot_new_array(canaries, sizeof *included);
    assert_true(scores != NULL && included != NULL);
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    for (int draw = 0; draw < draws; draw++) {
        sotto_one_run found;
        for (size_t i = 0; i < canaries; i++) {
            const double u = ((double)(sot_rng_u64(rng) >> 11) + 0.5) * 0x1p-53;
            included[i] = (sot_rng_u64(rng) & 1) != 0;
            scores[i] = sot_normal_quantile(u) + (included[i] ? mu : 0.0);
        }
        assert_ok(sotto_audit_one_run(scores, included, canaries, SOTTO_ONE_RUN_UNION, 0,
                                      DELTA, ALPHA, &found, &error),
                  &error);
        mean.epsilon += found.epsilon_lower / draws;
        mean.mu += found.mu_lower / draws;
        mean.alarms += found.mu_lower > mu ? 1 : 0;
    }
    sotto_rng_free(rng);
    sot_free(scores);
    sot_free(included);
    return mean;
}

static void the_claims_own_curve_shows_more(void **state)
{
    (void)state;
    const double epsilons[] = {1.0, 2.0, 4.0, 8.0};
    const size_t canaries[] = {1000, 10000};
    for (size_t i = 0; i < 4; i++) {
        const double mu = mu_of(epsilons[i]);
        for (size_t k = 0; k < 2; k++) {
            const seen found = study(canaries[k], mu, k == 0 ? 40 : 10, 300 + i);
            const double by_mu = epsilon_of(found.mu);
            print_message(
                "epsilon %.0f (mu %.2f), %zu canaries: %.2f by epsilon, %.2f by "
                "mu (mu %.2f)\n",
                epsilons[i], mu, canaries[k], found.epsilon, by_mu, found.mu);
            assert_true(by_mu < epsilons[i] && found.epsilon < epsilons[i]);
            if (i > 0) assert_true(by_mu > 1.2 * found.epsilon);
            assert_int_equal(found.alarms, 0);
        }
    }
}

/* 4000 audits of a true mu at 5 %: more than 275 refuted with a chance of 1e-6. */
static void a_true_mu_is_refuted_no_more_often_than_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double mus[] = {0.1, 0.5, 1.0, 2.0};
        const seen found = study(64, mus[i], 4000, 40 + i);
        print_message("mu %.1f: %d of 4000 refuted\n", mus[i], found.alarms);
        assert_true(found.alarms <= 275);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_claims_own_curve_shows_more),
        cmocka_unit_test(a_true_mu_is_refuted_no_more_often_than_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
