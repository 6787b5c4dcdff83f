/* The reference answers of tests/vectors/accounting.json that this accountant covers. */
#include "support.h"

#include <jansson.h>

#include <sotto/accountant.h>

/* What the README of the vectors calls soundness: never below the reference's lower end. */
static const double reference_error = 1e-8;
/* What we promise on top: 1e-6 above the exact value for "excellent". */
static const double tightness = 1e-6;

static double number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value == NULL ? "" : value;
}

/* Fills an event from the vectors' names; 0 when the mechanism belongs to a later room. */
static int event_from(const char *mechanism, const json_t *params, sotto_event *event)
{
    *event = sotto_event_defaults();
    event->count = (uint64_t)number(params, "steps", 1.0);
    if (strcmp(mechanism, "gaussian") == 0) {
        event->mechanism = SOTTO_GAUSSIAN;
        event->noise_multiplier = number(params, "sigma", SOTTO_UNSET);
    } else if (strcmp(mechanism, "poisson_subsampled_gaussian") == 0) {
        event->mechanism = SOTTO_GAUSSIAN;
        event->noise_multiplier = number(params, "sigma", SOTTO_UNSET);
        event->sampling = SOTTO_POISSON;
        event->rate = number(params, "q", SOTTO_UNSET);
    } else if (strcmp(mechanism, "pure_dp") == 0) {
        event->mechanism = SOTTO_PURE;
        event->epsilon = number(params, "epsilon_each", SOTTO_UNSET);
    } else if (strcmp(mechanism, "approx_dp_composition") == 0) {
        event->mechanism = SOTTO_APPROXIMATE;
        event->epsilon = number(params, "epsilon_each", SOTTO_UNSET);
        event->delta = number(params, "delta_each", SOTTO_UNSET);
    } else if (strcmp(mechanism, "zcdp") == 0) {
        event->mechanism = SOTTO_ZCDP;
        event->rho = number(params, "rho", SOTTO_UNSET);
    } else {
        return 0;
    }
    return 1;
}

/* The plan of a case, or NULL when part of it is not covered. */
static sotto_plan *plan_of(const json_t *vector)
{
    sotto_error error;
    sotto_plan *plan;
    const json_t *params = json_object_get(vector, "params");
    const json_t *components = json_object_get(params, "components");
    if (strcmp(text(vector, "adjacency"), "replace-one") == 0) return NULL;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    const size_t count = components == NULL ? 1 : json_array_size(components);
    for (size_t i = 0; i < count; i++) {
        const json_t *part = components == NULL ? params : json_array_get(components, i);
        const char *mechanism =
            components == NULL ? text(vector, "mechanism") : text(part, "mechanism");
        sotto_event event;
        if (!event_from(mechanism, part, &event)) {
            sotto_plan_free(plan);
            return NULL;
        }
        assert_ok(sotto_plan_add(plan, &event, &error), &error);
    }
    return plan;
}

/* Which accountant a method of the vectors names; 0 for methods of later rooms. */
static sotto_accountant accountant_for(const char *method)
{
    if (strcmp(method, "exact") == 0 || strcmp(method, "tight") == 0 ||
        strcmp(method, "optimal") == 0) {
        return SOTTO_EXACT;
    }
    if (strcmp(method, "rdp") == 0 || strcmp(method, "improved_continuous_order") == 0) {
        return SOTTO_RDP;
    }
    return strcmp(method, "basic") == 0 ? SOTTO_BASIC : (sotto_accountant)0;
}

static double noise_answer(const sotto_plan *plan, sotto_accountant accountant,
                           const json_t *expect)
{
    sotto_error error;
    sotto_plan *open;
    sotto_account account;
    double noise;
    sotto_event event = *sotto_plan_event(plan, 0);
    event.noise_multiplier = SOTTO_UNSET;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &open, &error), &error);
    assert_ok(sotto_plan_add(open, &event, &error), &error);
    const double epsilon = number(expect, "epsilon", SOTTO_UNSET);
    assert_ok(sotto_account_noise(open, accountant, epsilon,
                                  number(expect, "delta", SOTTO_UNSET), &noise, &account,
                                  &error),
              &error);
    assert_true(account.epsilon <= epsilon);
    sotto_plan_free(open);
    return noise;
}

/* Upper and lower end of the answer to one question (the same number twice where there is
 * only an upper end); NaN for questions of later rooms. */
static double answer(const sotto_plan *plan, sotto_accountant accountant,
                     const json_t *expect, double *out_lower)
{
    sotto_error error;
    sotto_account account;
    double rdp;
    const char *ask = text(expect, "ask");
    *out_lower = SOTTO_UNSET;
    if (strcmp(ask, "rdp") == 0) {
        assert_ok(sotto_account_rdp(plan, number(expect, "order", 0.0), &rdp, &error),
                  &error);
        return rdp / (double)sotto_plan_event(plan, 0)->count;
    }
    if (accountant == 0) return SOTTO_UNSET;
    if (strcmp(ask, "epsilon") == 0) {
        const double delta = number(expect, "delta", SOTTO_UNSET);
        assert_ok(sotto_account_epsilon(plan, accountant, delta, &account, &error),
                  &error);
        *out_lower = account.epsilon_lower;
        return account.epsilon;
    }
    if (strcmp(ask, "delta") == 0) {
        const double epsilon = number(expect, "epsilon", SOTTO_UNSET);
        assert_ok(sotto_account_delta(plan, accountant, epsilon, &account, &error),
                  &error);
        *out_lower = account.delta_lower;
        return account.delta;
    }
    if (strcmp(ask, "sigma") == 0) return noise_answer(plan, accountant, expect);
    return SOTTO_UNSET;
}

static void check_answer(const json_t *vector, const json_t *expect,
                         sotto_accountant accountant, double upper, double lower)
{
    const double value = number(expect, "value", SOTTO_UNSET);
    const double rtol = number(expect, "rtol", reference_error);
    const char *ask = text(expect, "ask");
    int good;
    if (strcmp(ask, "rdp") == 0) {
        good = upper >= value * (1.0 - 1e-9) && upper <= value * (1.0 + fmax(rtol, 1e-7));
    } else if (accountant == SOTTO_EXACT) {
        /* delta of the hardest case (tiny rate, 3e5 steps) is good to 1e-5 */
        const double allowed = strcmp(ask, "delta") == 0 ? 10.0 * tightness : tightness;
        good = upper >= number(expect, "lower", value * (1.0 - rtol)) &&
               upper <= value * (1.0 + allowed) + 1e-300 &&
               !(lower > value * (1.0 + reference_error));
    } else if (accountant == SOTTO_RDP && json_object_get(expect, "lower") != NULL) {
        good = upper >= number(expect, "lower", 0.0) * (1.0 - 1e-9) &&
               upper <= number(expect, "upper", 0.0) * (1.0 + 1e-9);
    } else if (accountant == SOTTO_RDP && strcmp(ask, "sigma") == 0) {
        /* The reference searched a grid of orders: a continuous order needs less noise. */
        good = upper <= value * (1.0 + 1e-6) && upper >= 0.99 * value;
    } else {
        good = fabs(upper / value - 1.0) <= rtol;
    }
    if (good) return;
    print_error("%s, %s (%s): upper %.15g, lower %.15g, reference %.15g\n",
                text(vector, "id"), ask, text(expect, "method"), upper, lower, value);
    fail();
}

static void no_answer_is_below_the_reference_and_none_is_loose(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *vectors = json_load_file(SOTTO_TEST_VECTORS "/accounting.json", 0, &problem);
    assert_non_null(vectors);
    size_t checked = 0;
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        sotto_plan *plan = plan_of(vector);
        if (plan == NULL) continue;
        const json_t *expects = json_object_get(vector, "expect");
        for (size_t k = 0; k < json_array_size(expects); k++) {
            const json_t *expect = json_array_get(expects, k);
            const sotto_accountant accountant = accountant_for(text(expect, "method"));
            double lower;
            const double upper = answer(plan, accountant, expect, &lower);
            if (isnan(upper)) continue;
            check_answer(vector, expect, accountant, upper, lower);
            checked++;
        }
        sotto_plan_free(plan);
    }
    json_decref(vectors);
    print_message("%zu answers checked\n", checked);
    assert_true(checked >= 228); /* a renamed field must not empty this test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_answer_is_below_the_reference_and_none_is_loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
