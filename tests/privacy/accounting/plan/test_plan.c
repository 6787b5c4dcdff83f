/* Plans: what may go into one, from C and from JSON, and how the rest is refused. */
#include "support.h"

#include <sotto/accountant.h>

static sotto_plan *new_plan(sotto_adjacency adjacency)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    return plan;
}

static sotto_event event_of(sotto_mechanism mechanism)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    return event;
}

static sotto_event sampled(double noise_multiplier, double rate)
{
    sotto_event event = event_of(SOTTO_GAUSSIAN);
    event.noise_multiplier = noise_multiplier;
    event.sampling = SOTTO_POISSON;
    event.rate = rate;
    return event;
}

/* Adds the event to a fresh plan and returns what sotto_plan_add said. */
static sotto_status try_to_add(sotto_event event, sotto_error *error)
{
    sotto_plan *plan = new_plan(SOTTO_ADD_REMOVE);
    const sotto_status status = sotto_plan_add(plan, &event, error);
    assert_int_equal(sotto_plan_size(plan), status == SOTTO_OK);
    sotto_plan_free(plan);
    return status;
}

static void the_defaults_set_nothing_that_carries_privacy(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event event = sotto_event_defaults();
    assert_true(isnan(event.noise_multiplier) && isnan(event.epsilon));
    assert_true(isnan(event.delta) && isnan(event.rho) && isnan(event.mu));
    assert_true(isnan(event.rate));
    assert_int_equal(event.count, 1);
    assert_int_equal(event.sampling, SOTTO_NOT_SAMPLED);
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, "mechanism",
                   "0", "SOTTO_GAUSSIAN", NULL);
}

static void an_unset_adjacency_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_refused(sotto_plan_new(SOTTO_ADJACENCY_UNSET, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency is 0", "SOTTO_ADD_REMOVE",
                   NULL);
    assert_refused(sotto_plan_new((sotto_adjacency)3, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency is 3", "SOTTO_REPLACE_ONE",
                   NULL);
    assert_null(plan);
    sotto_plan_free(NULL);
}

typedef struct bad_value {
    double value;
    const char *shown; /* as the message must quote it */
} bad_value;

/* Each value, in one field of an otherwise good event, is refused with field, value and
 * remedy. The field is named by its place: offsetof(sotto_event, member). */
static void refuse_values(sotto_event event, size_t offset, const char *name,
                          const char *remedy, const bad_value *values)
{
    sotto_error error;
    for (; values->shown != NULL; values++) {
        char is[64];
        /* The command has --epsilon and --delta for the whole plan. */
        const bool each = strcmp(name, "epsilon") == 0 || strcmp(name, "delta") == 0;
        (void)snprintf(is, sizeof is, "`%s%s` is %s;", name, each ? "_each" : "",
                       values->shown);
        memcpy((char *)&event + offset, &values->value, sizeof values->value);
        assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, is,
                       remedy, NULL);
    }
}

#define REFUSE(event, member, remedy, ...)                                               \
    refuse_values(event, offsetof(sotto_event, member), #member, remedy,                 \
                  (const bad_value[]){__VA_ARGS__, {0.0, NULL}})

static void values_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    sotto_event pure = event_of(SOTTO_PURE);
    sotto_event approximate = event_of(SOTTO_APPROXIMATE);
    approximate.epsilon = 0.5;
    approximate.delta = 1e-6;
    REFUSE(event_of(SOTTO_GAUSSIAN), noise_multiplier, "1e-4 to 1e12", {0.0, "0"},
           {-1.5, "-1.5"}, {9e-5, "9e-05"}, {1.1e12, "1.1e+12"}, {HUGE_VAL, "inf"},
           {-HUGE_VAL, "-inf"});
    REFUSE(sampled(1.1, 0.5), rate, "1e-12 to 1", {0.0, "0"}, {-0.1, "-0.1"},
           {1.0000001, "1.0000001000000001"}, {2.0, "2"}, {HUGE_VAL, "inf"});
    REFUSE(pure, epsilon, "0 to 1e6", {-0.25, "-0.25"}, {2e6, "2e+06"},
           {HUGE_VAL, "inf"});
    REFUSE(approximate, epsilon, "0 to 1e6", {-1e-9, "-1e-09"}, {-HUGE_VAL, "-inf"});
    REFUSE(approximate, delta, "0 to 0.999999", {1.0, "1"}, {-1e-9, "-1e-09"},
           {1.5, "1.5"}, {HUGE_VAL, "inf"});
    REFUSE(event_of(SOTTO_ZCDP), rho, "0 to 1e12", {-0.01, "-0.01"}, {HUGE_VAL, "inf"});
    REFUSE(event_of(SOTTO_EXPONENTIAL), epsilon, "0 to 1e6", {-1.0, "-1"});
    sotto_event laplace = event_of(SOTTO_DISCRETE_LAPLACE);
    laplace.scale = laplace.sensitivity = 2.0;
    REFUSE(laplace, scale, "positive", {0.0, "0"}, {-2.0, "-2"}, {HUGE_VAL, "inf"});
    REFUSE(laplace, sensitivity, "positive", {0.0, "0"}, {-2.0, "-2"}, {HUGE_VAL, "inf"});
    REFUSE(laplace, grid, "positive", {0.0, "0"}, {-0.5, "-0.5"});
    REFUSE(event_of(SOTTO_GDP), mu, "0 to 1e6", {-0.5, "-0.5"}, {1e7, "1e+07"});
}

static void fields_the_mechanism_needs_must_be_set(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(try_to_add(event_of(SOTTO_PURE), &error), SOTTO_INVALID_ARGUMENT,
                   &error, "epsilon_each of the pure event is missing", "0 to 1e6", NULL);
    sotto_event approximate = event_of(SOTTO_APPROXIMATE);
    approximate.epsilon = 0.5;
    assert_refused(try_to_add(approximate, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "delta_each of the approximate event is missing", "1e-8", NULL);
    assert_refused(try_to_add(event_of(SOTTO_ZCDP), &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rho of the zcdp event is missing", NULL);
    assert_refused(try_to_add(event_of(SOTTO_GDP), &error), SOTTO_INVALID_ARGUMENT,
                   &error, "mu of the gdp event is missing", NULL);
    /* An open noise multiplier or rate is a target, not an omission. */
    assert_ok(try_to_add(event_of(SOTTO_GAUSSIAN), &error), &error);
    assert_ok(try_to_add(sampled(1.1, SOTTO_UNSET), &error), &error);
}

static void fields_of_other_mechanisms_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event = event_of(SOTTO_PURE);
    event.epsilon = 0.5;
    event.delta = 1e-6;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "delta_each is 1e-06", "pure event has no such parameter",
                   "leave it out", NULL);
    event.delta = SOTTO_UNSET;
    event.noise_multiplier = 2.375;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "noise_multiplier is 2.375", "pure event has no", NULL);
    event = event_of(SOTTO_GAUSSIAN);
    event.noise_multiplier = 2.375;
    event.mu = 0.4;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, "mu is 0.4",
                   "gaussian event has no such parameter", NULL);
    event.mu = SOTTO_UNSET;
    event.rho = 0.0;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, "rho is 0",
                   "gaussian event has no such parameter", NULL);
    event.rho = SOTTO_UNSET;
    event.rate = 0.01;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "rate is 0.01", "sampling to poisson", NULL);
}

static void combinations_without_a_theorem_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event zcdp = event_of(SOTTO_ZCDP);
    zcdp.rho = 0.5;
    zcdp.sampling = SOTTO_POISSON;
    zcdp.rate = 0.25;
    assert_refused(try_to_add(zcdp, &error), SOTTO_UNSUPPORTED, &error, "sampled zcdp",
                   "gaussian", NULL);
    /* Coins under replace-one: of Gaussians only. Batches: under replace-one only. */
    sotto_event pure = event_of(SOTTO_PURE);
    pure.epsilon = 0.5;
    pure.sampling = SOTTO_POISSON;
    pure.rate = 0.25;
    sotto_plan *plan = new_plan(SOTTO_REPLACE_ONE);
    assert_refused(sotto_plan_add(plan, &pure, &error), SOTTO_UNSUPPORTED, &error,
                   "Poisson", "add-remove", "replace-one", NULL);
    const sotto_event coins = sampled(1.1, 0.25);
    assert_ok(sotto_plan_add(plan, &coins, &error), &error);
    sotto_event batch = event_of(SOTTO_GAUSSIAN);
    batch.noise_multiplier = 1.1;
    batch.sampling = SOTTO_WITHOUT_REPLACEMENT;
    batch.population = 600;
    batch.batch = 25;
    assert_ok(sotto_plan_add(plan, &batch, &error), &error);
    assert_refused(try_to_add(batch, &error), SOTTO_UNSUPPORTED, &error,
                   "without-replacement", "replace-one", "secret", NULL);
    batch.batch = 601;
    assert_refused(sotto_plan_add(plan, &batch, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "batch is 601", "at most the population", NULL);
    batch.sampling = SOTTO_SINGLE_RECORD;
    assert_refused(sotto_plan_add(plan, &batch, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "batch is 601", "leave it out", NULL);
    batch.batch = 0;
    batch.population = 0;
    assert_refused(sotto_plan_add(plan, &batch, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "population is 0", NULL);
    batch.sampling = SOTTO_NOT_SAMPLED;
    batch.population = 3;
    assert_refused(sotto_plan_add(plan, &batch, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "population is 3", "leave it out", NULL);
    sotto_plan_free(plan);
    sotto_event strange = event_of(SOTTO_GAUSSIAN);
    strange.noise_multiplier = 1.1;
    strange.sampling = (sotto_sampling)7;
    assert_refused(try_to_add(strange, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sampling is 7", "poisson", NULL);
    assert_refused(try_to_add(event_of((sotto_mechanism)42), &error),
                   SOTTO_INVALID_ARGUMENT, &error, "mechanism is 42", NULL);
}

/* What one field says of another. */
static void fields_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event = event_of(SOTTO_GAUSSIAN);
    event.noise_multiplier = 2.5;
    event.scale = 5.0;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "scale is set without sensitivity", "both or none", NULL);
    event.sensitivity = 2.0;
    assert_ok(try_to_add(event, &error), &error);
    event.noise_multiplier = 2.625;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "noise_multiplier is 2.625", "only 2.5", "at most", NULL);
    event.noise_multiplier = SOTTO_UNSET;
    event.scale = 1e-5;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "scale is 1e-05", "sensitivity of 2", "0.0001 times", NULL);
    event = event_of(SOTTO_DISCRETE_LAPLACE);
    event.sensitivity = 1.0;
    event.scale = 1e-300; /* epsilon 1e300 */
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "scale is 1e-300", "1e-06 times", NULL);
    event.scale = SOTTO_UNSET; /* open for the search */
    assert_ok(try_to_add(event, &error), &error);
    event.sensitivity = SOTTO_UNSET;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sensitivity of the discrete-laplace event is missing", NULL);
    event = event_of(SOTTO_OBJECTIVE_PERTURBATION);
    event.atom = 0.875; /* its noise cannot be searched for */
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "noise_multiplier of the objective-perturbation event is missing",
                   NULL);
    event.noise_multiplier = 4.25;
    assert_ok(try_to_add(event, &error), &error);
    event.atom = -1e-300;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "atom is -1e-300", "from 0", NULL);
    event.atom = SOTTO_UNSET;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "atom of the objective-perturbation event is missing", NULL);
    event = event_of(SOTTO_GAUSSIAN);
    event.noise_multiplier = 4.25;
    event.atom = 0.875;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "atom is 0.875", "a gaussian event has no such parameter", NULL);
    event = event_of(SOTTO_RANDOMIZED_RESPONSE);
    event.epsilon = 1.0;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "categories is 0", "at least 2", NULL);
    event = event_of(SOTTO_PURE);
    event.epsilon = 1.0;
    event.categories = 3;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "categories is 3", "only for randomized-response", NULL);
    event.categories = 0;
    memset(event.purpose, 'p', sizeof event.purpose);
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, "purpose",
                   "47", NULL);
}

static void counts_and_sizes_are_bounded(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event = sampled(1.1, 0.25);
    event.count = SOTTO_COUNT_MAX;
    assert_ok(try_to_add(event, &error), &error);
    event.count = SOTTO_COUNT_MAX + 1;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "count is 1000000000001", "1 to 1e12", NULL);
    event.count = UINT64_MAX;
    assert_refused(try_to_add(event, &error), SOTTO_INVALID_ARGUMENT, &error, "count",
                   "1e12", NULL);
    event.count = 2;
    sotto_plan *plan = new_plan(SOTTO_ADD_REMOVE);
    for (int i = 0; i < SOTTO_EVENTS_MAX; i++)
        assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "4096", "count", NULL);
    assert_int_equal(sotto_plan_size(plan), SOTTO_EVENTS_MAX);
    sotto_plan_free(plan);
}

static void names_go_both_ways_and_unknown_ones_are_listed(void **state)
{
    (void)state;
    sotto_error error;
    sotto_adjacency adjacency;
    sotto_mechanism mechanism;
    sotto_sampling sampling;
    sotto_accountant accountant;
    for (int i = SOTTO_ADD_REMOVE; i <= SOTTO_REPLACE_ONE; i++) {
        const char *name = sotto_adjacency_name((sotto_adjacency)i);
        assert_ok(sotto_adjacency_from_name(name, &adjacency, &error), &error);
        assert_int_equal(adjacency, i);
    }
    for (int i = SOTTO_GAUSSIAN; i <= SOTTO_OBJECTIVE_PERTURBATION; i++) {
        const char *name = sotto_mechanism_name((sotto_mechanism)i);
        assert_ok(sotto_mechanism_from_name(name, &mechanism, &error), &error);
        assert_int_equal(mechanism, i);
    }
    for (int i = SOTTO_NOT_SAMPLED; i <= SOTTO_POISSON; i++) {
        const char *name = sotto_sampling_name((sotto_sampling)i);
        assert_ok(sotto_sampling_from_name(name, &sampling, &error), &error);
        assert_int_equal(sampling, i);
    }
    for (int i = SOTTO_EXACT; i <= SOTTO_BASIC; i++) {
        const char *name = sotto_accountant_name((sotto_accountant)i);
        assert_ok(sotto_accountant_from_name(name, &accountant, &error), &error);
        assert_int_equal(accountant, i);
    }
    assert_string_equal(sotto_kernel_name(SOTTO_KERNEL_CONTOUR_SMOOTHED),
                        "contour-smoothed");
    assert_string_equal(sotto_kernel_name((sotto_kernel)0), "unknown");
    assert_string_equal(sotto_mechanism_name((sotto_mechanism)42), "unknown");
    assert_refused(sotto_mechanism_from_name("gausian", &mechanism, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'gausian'",
                   "gaussian, pure, approximate, zcdp, gdp", "randomized-response", NULL);
    assert_refused(sotto_adjacency_from_name("", &adjacency, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency",
                   "add-remove or replace-one", NULL);
    assert_refused(sotto_accountant_from_name("Exact", &accountant, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'Exact'", "exact, rdp, basic", NULL);
    assert_refused(sotto_sampling_from_name("shuffle", &sampling, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "none, poisson", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_set_nothing_that_carries_privacy),
        cmocka_unit_test(an_unset_adjacency_is_refused),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(fields_the_mechanism_needs_must_be_set),
        cmocka_unit_test(fields_of_other_mechanisms_are_refused),
        cmocka_unit_test(combinations_without_a_theorem_are_refused),
        cmocka_unit_test(fields_that_contradict_each_other_are_refused),
        cmocka_unit_test(counts_and_sizes_are_bounded),
        cmocka_unit_test(names_go_both_ways_and_unknown_ones_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
