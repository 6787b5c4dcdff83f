/* The gate: what it refuses, what it counts, in which order. */
#include "support.h"

#include <math.h>

#include "base/memory.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/release_support.h"

static sotto_event pure_event(const char *purpose, double epsilon, uint64_t count)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = epsilon;
    event.count = count;
    (void)snprintf(event.purpose, sizeof event.purpose, "%s", purpose);
    return event;
}

static const additive gaussian = {ROUNDED, 6.5, 2.375};

static sotto_event gaussian_event_of(uint64_t count)
{
    sotto_error error;
    sotto_event event;
    assert_ok(additive_event(&gaussian, &event, &error), &error);
    event.count = count;
    return event;
}

static void a_shut_gate_refuses_everything(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 99;
    const int64_t exact = 3;
    int64_t out = 1234567;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    const sotto_event event = gaussian_event_of(1);
    assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);

    assert_refused(sot_gate_admit(gate, &event, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "shut", "charge", NULL);
    assert_refused(additive_release(gate, &gaussian, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "shut", NULL);
    assert_refused(sotto_gate_finish(gate, &error), SOTTO_NOT_IN_PLAN, &error,
                   "not been opened", NULL);
    assert_int_equal(index, 99);
    assert_int_equal(out, 1234567);
    assert_int_equal(sotto_gate_released(gate, 0), 0);

    assert_ok(sotto_gate_open(gate, &error), &error);
    assert_refused(sotto_gate_open(gate, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "before", NULL);
    assert_ok(additive_release(gate, &gaussian, &exact, 1, &out, &error), &error);
    assert_ok(sotto_gate_finish(gate, &error), &error);
    assert_refused(sot_gate_admit(gate, &event, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "finished", NULL);
    assert_refused(sotto_gate_open(gate, &error), SOTTO_INVALID_ARGUMENT, &error, NULL);
    assert_ok(sotto_gate_finish(gate, &error), &error); /* says the same again */
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
}

static void every_field_of_the_event_must_match(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    const sotto_event planned = gaussian_event_of(5);
    open_gate made = open_gate_new(&planned, 5, SOTTO_ADD_REMOVE, 2);
    const struct {
        const char *name;
        size_t offset;
    } fields[] = {{"noise_multiplier", offsetof(sotto_event, noise_multiplier)},
                  {"epsilon", offsetof(sotto_event, epsilon)},
                  {"delta", offsetof(sotto_event, delta)},
                  {"rho", offsetof(sotto_event, rho)},
                  {"mu", offsetof(sotto_event, mu)},
                  {"scale", offsetof(sotto_event, scale)},
                  {"sensitivity", offsetof(sotto_event, sensitivity)},
                  {"grid", offsetof(sotto_event, grid)},
                  {"atom", offsetof(sotto_event, atom)},
                  {"shift", offsetof(sotto_event, shift)},
                  {"rate", offsetof(sotto_event, rate)}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        double value;
        sotto_event other = planned;
        memcpy(&value, (char *)&other + fields[i].offset, sizeof value);
        value = isnan(value) ? 0.625 : nextafter(value, 0.0);
        memcpy((char *)&other + fields[i].offset, &value, sizeof value);
        assert_refused(sot_gate_admit(made.gate, &other, &index, &error),
                       SOTTO_NOT_IN_PLAN, &error, fields[i].name, "'sums'", NULL);
        if (strstr(error.message, "0.625") != NULL)
            fail(); /* quotes no value asked for */
    }
    sotto_event other = planned;
    other.sampling = SOTTO_POISSON;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "sampling", NULL);
    other = planned;
    other.categories = 3;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "categories", NULL);
    other = planned;
    other.rows = 2;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "rows", NULL);
    other = planned;
    other.vertices = 2;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "vertices", NULL);
    other = planned;
    other.theorem = SOTTO_FROZEN_SLOPE;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "theorem", NULL);
    other = planned;
    other.population = 100;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "population", NULL);
    other = planned;
    other.batch = 10;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "batch", NULL);
    other = planned;
    other.dimension = 2;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "dimension", NULL);
    const double order = 2.0, value = 0.125;
    other = planned;
    other.curve_size = 1;
    other.curve_orders = &order;
    other.curve_values = &value;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "curve", NULL);
    other = planned;
    (void)snprintf(other.purpose, sizeof other.purpose, "sums of others");
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "no gaussian release 'sums of others'", NULL);
    other = planned;
    other.mechanism = SOTTO_GDP;
    assert_refused(sot_gate_admit(made.gate, &other, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "no gdp release", NULL);
    assert_int_equal(sotto_gate_released(made.gate, 0), 0);
    assert_ok(sot_gate_admit(made.gate, &planned, &index, &error), &error);
    open_gate_free(&made);
}

static void a_release_with_another_scale_or_adjacency_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t exact = 10;
    int64_t out = 4242;
    const sotto_event planned = gaussian_event_of(5);
    open_gate made = open_gate_new(&planned, 5, SOTTO_ADD_REMOVE, 2);
    const additive quieter = {ROUNDED, 6.25, 2.375};
    assert_refused(additive_release(made.gate, &quieter, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "scale", NULL);
    const additive narrower = {ROUNDED, 6.5, 2.25};
    assert_refused(additive_release(made.gate, &narrower, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "sensitivity", NULL);
    const additive discrete = {DISCRETE, 6.5, 2.375};
    assert_refused(additive_release(made.gate, &discrete, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "discrete-gaussian", NULL);
    sotto_gaussian_config config = gaussian_config(&gaussian);
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sotto_gaussian_release(made.gate, &config, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "replace-one", "add-remove", NULL);
    assert_refused(sot_gate_check_adjacency(made.gate, SOTTO_ADJACENCY_UNSET, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency is 0", NULL);
    assert_int_equal(out, 4242);
    assert_int_equal(sotto_gate_released(made.gate, 0), 0);
    open_gate_free(&made);
}

static void nothing_happens_more_often_than_planned(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t exact = 10;
    int64_t out = 0;
    const sotto_event planned = gaussian_event_of(3);
    open_gate made = open_gate_new(&planned, 3, SOTTO_ADD_REMOVE, 2);
    for (uint64_t i = 0; i < 3; i++) {
        assert_refused(sotto_gate_finish(made.gate, &error), SOTTO_NOT_IN_PLAN, &error,
                       "event 1", "'sums'", "not complete", NULL);
        assert_int_equal(sotto_gate_released(made.gate, 0), i);
        assert_ok(additive_release(made.gate, &gaussian, &exact, 1, &out, &error),
                  &error);
    }
    out = 4242;
    assert_refused(additive_release(made.gate, &gaussian, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "as often as the plan says", NULL);
    assert_int_equal(out, 4242);
    assert_int_equal(sotto_gate_released(made.gate, 0), 3);
    assert_int_equal(sotto_gate_released(made.gate, 1), 0); /* there is no such event */
    assert_ok(sotto_gate_finish(made.gate, &error), &error);
    open_gate_free(&made);
}

/* Equal events of a plan are one supply, used up in order. */
static void equal_events_add_up(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 99;
    const sotto_event twice = pure_event("twins", 0.25, 2), other = pure_event("x", 1, 1);
    open_gate made = open_gate_new(&twice, 2, SOTTO_ADD_REMOVE, 2);
    assert_ok(sotto_plan_add(made.plan, &other, &error), &error);
    assert_ok(sotto_plan_add(made.plan, &twice, &error), &error);
    assert_int_equal(sotto_plan_size(sotto_gate_plan(made.gate)), 1); /* it had a copy */
    sotto_gate_free(made.gate);
    assert_ok(sotto_gate_new(made.plan, made.rng, &made.gate, &error), &error);
    assert_ok(sotto_gate_open(made.gate, &error), &error);
    const size_t expected[] = {0, 0, 2, 2};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(sot_gate_admit(made.gate, &twice, &index, &error), &error);
        assert_int_equal(index, expected[i]);
        sot_gate_record(made.gate, index, 0.0);
    }
    assert_refused(sot_gate_admit(made.gate, &twice, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "twins", NULL);
    assert_refused(sotto_gate_finish(made.gate, &error), SOTTO_NOT_IN_PLAN, &error,
                   "event 2", "'x'", NULL);
    open_gate_free(&made);
}

/* Admitted, but the sampler or the memory failed: the place is used up all the same. */
static void a_release_that_fails_has_used_up_its_place(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    const sotto_event once = pure_event("once", 0.25, 1);
    open_gate made = open_gate_new(&once, 1, SOTTO_ADD_REMOVE, 2);
    assert_ok(sot_gate_admit(made.gate, &once, &index, &error), &error);
    assert_refused(sot_gate_admit(made.gate, &once, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, NULL);
    assert_int_equal(sotto_gate_released(made.gate, 0), 1);
    assert_refused(sotto_gate_finish(made.gate, &error), SOTTO_NOT_IN_PLAN, &error, NULL);
    open_gate_free(&made);
}

/* Counts as caps: less may have happened, but nothing half. */
static void a_plan_of_caps_may_end_early(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    const sotto_event some = pure_event("answers", 0.25, 5);
    open_gate made = open_gate_new(&some, 5, SOTTO_ADD_REMOVE, 2);
    assert_ok(sot_gate_admit(made.gate, &some, &index, &error), &error);
    assert_refused(sot_gate_finish_early(made.gate, &error), SOTTO_NOT_IN_PLAN, &error,
                   "'answers'", NULL);
    sot_gate_record(made.gate, index, 0.0);
    assert_true(sot_gate_covers(made.gate, 0, &some));
    sotto_event other = some;
    other.epsilon = 0.5;
    assert_false(sot_gate_covers(made.gate, 0, &other));
    other = pure_event("questions", 0.25, 5);
    assert_false(sot_gate_covers(made.gate, 0, &other));
    assert_ok(sot_gate_finish_early(made.gate, &error), &error);
    assert_refused(sot_gate_admit(made.gate, &some, &index, &error), SOTTO_NOT_IN_PLAN,
                   &error, "finished", NULL);
    sotto_gate_free(made.gate);
    assert_ok(sotto_gate_new(made.plan, made.rng, &made.gate, &error), &error);
    assert_refused(sot_gate_finish_early(made.gate, &error), SOTTO_NOT_IN_PLAN, &error,
                   "not been opened", NULL);
    open_gate_free(&made);
}

/* A run that goes on: the gate asks for the whole plan, and lets through what is left of it. */
static void a_gate_takes_over_from_an_earlier_one(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t exact = 3;
    int64_t out = 0;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    const sotto_event event = gaussian_event_of(5), other = pure_event("a count", 0.5, 1);
    assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &other, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_refused(sot_gate_resume(gate, (const uint64_t[]){1, 6}, 0.0, &error),
                   SOTTO_NOT_IN_PLAN, &error, "more was released", NULL);
    assert_refused(sot_gate_resume(gate, (const uint64_t[]){1, 3}, -1.0, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_refused(sot_gate_resume(gate, (const uint64_t[]){1, 3}, (double)NAN, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sot_gate_resume(gate, (const uint64_t[]){1, 3}, 0.25, &error), &error);
    assert_refused(sot_gate_resume(gate, (const uint64_t[]){1, 3}, 0.25, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "once", NULL);
    assert_refused(additive_release(gate, &gaussian, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "shut", NULL);
    assert_ok(sotto_gate_open(gate, &error), &error);
    assert_ok(additive_release(gate, &gaussian, &exact, 1, &out, &error), &error);
    assert_refused(sotto_gate_finish(gate, &error), SOTTO_NOT_IN_PLAN, &error,
                   "not complete", NULL);
    assert_ok(additive_release(gate, &gaussian, &exact, 1, &out, &error), &error);
    assert_refused(additive_release(gate, &gaussian, &exact, 1, &out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "as often as the plan says", NULL);
    assert_ok(sotto_gate_finish(gate, &error), &error);
    assert_int_equal(sotto_gate_released(gate, 0), 1);
    assert_int_equal(sotto_gate_released(gate, 1), 5);
    assert_true(sotto_gate_sampler_error_upper(gate) >= 0.25);
    sotto_gate_free(gate);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);
    assert_refused(sot_gate_resume(gate, (const uint64_t[]){0, 0}, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "before it is opened", NULL);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
}

static void sampler_errors_add_up_and_round_up(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    const sotto_event many = pure_event("many", 0.25, 3);
    open_gate made = open_gate_new(&many, 3, SOTTO_ADD_REMOVE, 2);
    assert_true(sotto_gate_sampler_error_upper(made.gate) == 0.0);
    assert_false(sotto_gate_is_secure(made.gate));
    const double errors[] = {0x1p-60, 0x1p-130, 0x1p-130};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(sot_gate_admit(made.gate, &many, &index, &error), &error);
        sot_gate_record(made.gate, index, errors[i]);
    }
    /* 2^-60 + 2^-129 is not a double; its neighbours above are. */
    assert_within(sotto_gate_sampler_error_upper(made.gate), nextafter(0x1p-60, 1.0),
                  0x1p-60 * (1.0 + 0x1p-50));
    open_gate_free(&made);
}

static void a_gate_from_the_systems_entropy_is_secure(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event once = pure_event("once", 0.25, 1);
    open_gate made = open_gate_new(&once, 1, SOTTO_ADD_REMOVE, 2);
    sotto_gate_free(made.gate);
    sotto_rng_free(made.rng);
    assert_ok(sotto_rng_new(&made.rng, &error), &error);
    assert_ok(sotto_gate_new(made.plan, made.rng, &made.gate, &error), &error);
    assert_true(sotto_gate_is_secure(made.gate));
    assert_ptr_equal(sot_gate_rng(made.gate), made.rng);
    open_gate_free(&made);
    sotto_gate_free(NULL);
}

static void open_targets_and_empty_plans_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
    for (int kind = 0; kind < 6; kind++) {
        sotto_plan *plan = NULL;
        sotto_gate *gate = (void *)&error;
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        sotto_event event = pure_event("p", 0.25, 1);
        if (kind == 1) event.count = 0;
        if (kind == 2 || kind == 4) {
            event = sotto_event_defaults();
            event.mechanism = kind == 2 ? SOTTO_GAUSSIAN : SOTTO_LAPLACE;
        }
        if (kind == 5) event.sampling = SOTTO_POISSON;
        if (kind > 0) assert_ok(sotto_plan_add(plan, &event, &error), &error);
        const char *const words[] = {"at least one event", "count", "noise_multiplier",
                                     "generator",          "noise", "rate"};
        assert_refused(sotto_gate_new(plan, kind == 3 ? NULL : rng, &gate, &error),
                       SOTTO_INVALID_ARGUMENT, &error, words[kind], NULL);
        assert_null(gate);
        sotto_plan_free(plan);
    }
    sotto_rng_free(rng);
}

static void purposes_are_short_printable_text(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event = sotto_event_defaults();
    char longest[SOTTO_PURPOSE_BYTES + 1];
    memset(longest, 'a', sizeof longest);
    longest[SOTTO_PURPOSE_BYTES] = '\0';
    const char *const bad[] = {NULL,     "",     longest,  "tab\there",
                               "line\n", "\x7f", "caf\xe9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(sot_event_set_purpose(&event, bad[i], &error),
                       SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
        assert_string_equal(event.purpose, "");
    }
    longest[SOTTO_PURPOSE_BYTES - 1] = '\0';
    assert_ok(sot_event_set_purpose(&event, longest, &error), &error);
    assert_ok(sot_event_set_purpose(&event, "caf\xc3\xa9 revenue", &error), &error);
    assert_string_equal(event.purpose, "caf\xc3\xa9 revenue");
    assert_int_equal(event.purpose[SOTTO_PURPOSE_BYTES - 2], 0); /* no old letters */
}

static void a_gate_survives_every_failing_allocation(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    for (int i = 0; i < 20; i++) {
        const sotto_event event = pure_event("p", 0.25 + i, 1);
        assert_ok(sotto_plan_add(plan, &event, &error), &error);
    }
    size_t failed = 0;
    for (size_t nth = 1; nth < 50; nth++) {
        sotto_gate *gate = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_gate_new(plan, rng, &gate, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sotto_gate_free(gate);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(gate);
        failed++;
    }
    assert_in_range(failed, 5, 20); /* gate, two counters, plan, its events */
    sotto_plan_free(plan);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shut_gate_refuses_everything),
        cmocka_unit_test(every_field_of_the_event_must_match),
        cmocka_unit_test(a_release_with_another_scale_or_adjacency_is_refused),
        cmocka_unit_test(nothing_happens_more_often_than_planned),
        cmocka_unit_test(equal_events_add_up),
        cmocka_unit_test(a_release_that_fails_has_used_up_its_place),
        cmocka_unit_test(a_plan_of_caps_may_end_early),
        cmocka_unit_test(a_gate_takes_over_from_an_earlier_one),
        cmocka_unit_test(sampler_errors_add_up_and_round_up),
        cmocka_unit_test(a_gate_from_the_systems_entropy_is_secure),
        cmocka_unit_test(open_targets_and_empty_plans_are_refused),
        cmocka_unit_test(purposes_are_short_printable_text),
        cmocka_unit_test(a_gate_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
