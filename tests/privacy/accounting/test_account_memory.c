/* Every public call with its 1st, 2nd, ... allocation failing: it says so, or gives the very
 * answer it gives otherwise; never another number, and (under AddressSanitizer) no leak. */
#include "privacy/accounting/plans.h"

#include "base/memory.h"

/* What a call returned, as numbers to compare. */
typedef struct outcome {
    sotto_status status;
    double values[4];
} outcome;

typedef outcome (*question)(sotto_error *error);

static outcome from_account(sotto_status status, const sotto_account *account,
                            double extra)
{
    outcome result = {.status = status};
    if (status == SOTTO_OK) {
        result.values[0] = account->epsilon;
        result.values[1] = account->delta;
        result.values[2] = (double)account->kernel;
        result.values[3] = extra;
    }
    return result;
}

/* Asks with the n-th allocation failing, for every n up to `all_up_to` and from there on a
 * third further each time, until no allocation fails any more. */
static void check(question ask, size_t all_up_to)
{
    sotto_error error;
    const outcome right = ask(&error);
    assert_ok(right.status, &error);
    size_t failures = 0;
    for (size_t n = 1;; n = n < all_up_to ? n + 1 : n + n / 3) {
        error = (sotto_error){0};
        (void)sot_test_fail_allocation(n);
        const outcome result = ask(&error);
        const size_t asked = sot_test_fail_allocation(0);
        if (result.status == SOTTO_OK) {
            assert_memory_equal(result.values, right.values, sizeof right.values);
        } else {
            assert_int_equal(result.status, SOTTO_OUT_OF_MEMORY);
            assert_int_equal(error.status, SOTTO_OUT_OF_MEMORY);
            assert_non_null(strstr(error.message, "memory"));
            failures++;
        }
        if (asked < n) break;
    }
    assert_true(failures > 0); /* the injection reached the call */
}

/* The plans are made before the injection starts; each call gets its own. */
static sotto_plan *plan;

static outcome ask_new(sotto_error *error)
{
    sotto_plan *made = NULL;
    const sotto_status status = sotto_plan_new(SOTTO_ADD_REMOVE, &made, error);
    assert_true((made != NULL) == (status == SOTTO_OK));
    sotto_plan_free(made);
    return (outcome){.status = status};
}

static outcome ask_add(sotto_error *error)
{
    sotto_plan *made = NULL;
    const sotto_event event = gaussian(1.5, 1);
    sotto_status status = sotto_plan_new(SOTTO_ADD_REMOVE, &made, error);
    size_t added = 0;
    for (; status == SOTTO_OK && added < 20; added += status == SOTTO_OK)
        status = sotto_plan_add(made, &event, error);
    if (made != NULL) assert_int_equal(sotto_plan_size(made), added);
    sotto_plan_free(made);
    return (outcome){.status = status, .values = {(double)added * (status == SOTTO_OK)}};
}

static outcome ask_parse(sotto_error *error)
{
    static const char json[] = "{\"adjacency\": \"add-remove\", \"events\": "
                               "[{\"noise_multiplier\": 1.234567890123, "
                               "\"sampling\": {\"method\": \"poisson\", \"rate\": "
                               "0.0123456789012345}, \"count\": "
                               "1234567}, {\"mechanism\": \"pure\", \"epsilon\": 0.1, "
                               "\"purpose\": \"a count\"}]}";
    sotto_plan *made = NULL;
    outcome result = {.status = sotto_plan_parse(json, sizeof json - 1, &made, error)};
    assert_true((made != NULL) == (result.status == SOTTO_OK));
    if (made != NULL) {
        result.values[0] = sotto_plan_event(made, 0)->noise_multiplier;
        result.values[1] = sotto_plan_event(made, 0)->rate;
        result.values[2] = (double)sotto_plan_event(made, 0)->count;
        result.values[3] = sotto_plan_event(made, 1)->epsilon;
    }
    sotto_plan_free(made);
    return result;
}

static outcome ask_json(sotto_error *error)
{
    char *json = NULL;
    outcome result = {.status = sotto_plan_to_json(plan, &json, error)};
    assert_true((json != NULL) == (result.status == SOTTO_OK));
    if (json != NULL) result.values[0] = (double)strlen(json);
    sotto_free(json);
    return result;
}

static outcome ask_epsilon(sotto_error *error)
{
    sotto_account account;
    return from_account(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, error),
                        &account, 0.0);
}

static outcome ask_delta(sotto_error *error)
{
    sotto_account account;
    return from_account(sotto_account_delta(plan, SOTTO_EXACT, 2.0, &account, error),
                        &account, 0.0);
}

static outcome ask_epsilon_by_renyi(sotto_error *error)
{
    sotto_account account = {0};
    const sotto_status status =
        sotto_account_epsilon(plan, SOTTO_RDP, 1e-6, &account, error);
    return from_account(status, &account, account.order);
}

static outcome ask_epsilon_by_sum(sotto_error *error)
{
    sotto_account account;
    return from_account(sotto_account_epsilon(plan, SOTTO_BASIC, 1e-6, &account, error),
                        &account, 0.0);
}

static outcome ask_inexact(sotto_error *error)
{
    sotto_account account;
    return from_account(
        sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, 1e-12, &account, error),
        &account, 0.0);
}

static outcome ask_rdp(sotto_error *error)
{
    outcome result = {0};
    result.status = sotto_account_rdp_with_delta(plan, 3.5, &result.values[0],
                                                 &result.values[1], error);
    if (result.status != SOTTO_OK) result = (outcome){.status = result.status};
    return result;
}

static outcome ask_numbers(sotto_error *error)
{
    double mu, rho;
    const sotto_status status = sotto_account_single_numbers(plan, &mu, &rho, error);
    return (outcome){.status = status, .values = {status == SOTTO_OK && isnan(mu)}};
}

static outcome ask_shares(sotto_error *error)
{
    outcome result = {0};
    result.status = sotto_account_shares(plan, 3.5, result.values, error);
    if (result.status != SOTTO_OK) result = (outcome){.status = result.status};
    return result;
}

static outcome ask_noise(sotto_error *error)
{
    sotto_account account;
    double noise = 0.0;
    const sotto_status status =
        sotto_account_noise(plan, SOTTO_EXACT, 2.0, 1e-6, &noise, &account, error);
    return from_account(status, &account, noise);
}

static outcome ask_steps(sotto_error *error)
{
    sotto_account account;
    uint64_t steps = 0;
    const sotto_status status =
        sotto_account_steps(plan, SOTTO_EXACT, 2.0, 1e-6, &steps, &account, error);
    return from_account(status, &account, (double)steps);
}

static void plans_survive_every_failing_allocation(void **state)
{
    (void)state;
    check(ask_new, SIZE_MAX);
    check(ask_add, SIZE_MAX);
    check(ask_parse, SIZE_MAX);
    plan = plan_of(sampled(0.01, 1.25, 100), pure(0.1, 2));
    check(ask_json, SIZE_MAX);
    sotto_plan_free(plan);
}

static void answers_survive_every_failing_allocation(void **state)
{
    (void)state;
    /* contour in both directions, several parts */
    plan = plan_of(sampled(0.02, 1.25, 300), sampled(0.01, 2.5, 200), pure(0.1, 2),
                   approximate(0.02, 1e-9, 1));
    check(ask_epsilon, SIZE_MAX);
    check(ask_delta, SIZE_MAX);
    check(ask_epsilon_by_renyi, SIZE_MAX);
    check(ask_epsilon_by_sum, SIZE_MAX);
    check(ask_inexact, SIZE_MAX);
    check(ask_rdp, SIZE_MAX);
    check(ask_numbers, SIZE_MAX);
    check(ask_shares, SIZE_MAX);
    sotto_plan_free(plan);
    /* the retreat: coins without end, so that the contour is smoothed */
    plan = plan_of(pure(0.00001, 8000000000));
    sotto_account account = {0};
    sotto_error error;
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, &error), &error);
    assert_int_equal(account.kernel, SOTTO_KERNEL_CONTOUR_SMOOTHED);
    check(ask_epsilon, SIZE_MAX);
    sotto_plan_free(plan);
    plan = plan_of(zcdp(0.1, 1), gaussian(3.0, 2));
    check(ask_epsilon, SIZE_MAX);
    check(ask_delta, SIZE_MAX);
    sotto_plan_free(plan);
}

static void searches_survive_failing_allocations(void **state)
{
    (void)state;
    plan = plan_of(sampled(0.01, NAN, 1000));
    check(ask_noise, 30);
    sotto_plan_free(plan);
    plan = plan_of(sampled(0.01, 2.0, 0));
    check(ask_steps, 30);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_survive_every_failing_allocation),
        cmocka_unit_test(answers_survive_every_failing_allocation),
        cmocka_unit_test(searches_survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
