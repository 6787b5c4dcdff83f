#include "privacy/mechanisms/release.h"

#include <sotto/audit_statistics.h>

#include "privacy/mechanisms/best_run/best_run.h"
#include "random/rng.h"

static sotto_runs law_of(sotto_runs_law law, double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    assert_ok(sotto_runs_from_mean(law, shape, mean, &runs, &error), &error);
    return runs;
}

static sotto_event best_event(void)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = 0.75;
    event.count = 1;
    strcpy(event.purpose, "best");
    return event;
}

/* A gate that is open for one best run. */
static sotto_gate *gate_of_best(sotto_rng *rng)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    const sotto_event event = best_event();
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);
    sotto_plan_free(plan);
    return gate;
}

enum { SETTINGS = 5, TRIES = 4000, CELLS = 12 };

/* Settings are drawn with replacement, evenly, whatever K is; K has its law. False alarms: 1e-6 each. */
static void settings_and_numbers_have_their_laws(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event event = best_event();
    const sotto_runs runs = law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.5, 3.0);
    double settings[SETTINGS] = {0}, even[SETTINGS], numbers[CELLS] = {0};
    double law[CELLS], rest = 1.0, all = 0.0;
    sotto_rng *rng = test_rng(901);
    for (int i = 0; i < TRIES; i++) {
        sotto_gate *gate = gate_of_best(rng);
        sot_best_run best;
        sotto_status status;
        size_t setting, count = 0;
        const sot_best_run_config config = {
            .event = &event, .runs = runs, .settings = SETTINGS};
        assert_ok(sot_best_run_begin(gate, &config, &best, &error), &error);
        while (sot_best_run_next(&best, &setting, &status, &error)) {
            assert_true(setting < SETTINGS);
            settings[setting] += 1.0;
            (void)sot_best_run_offer(&best, 0.0);
            count++;
        }
        assert_int_equal(status, SOTTO_OK);
        numbers[count < CELLS ? count : CELLS - 1] += 1.0;
        all += (double)count;
        sot_best_run_end(&best);
        sot_best_run_clear(&best);
        assert_ok(sotto_gate_finish(gate, &error), &error);
        sotto_gate_free(gate);
    }
    for (size_t k = 0; k < SETTINGS; k++)
        even[k] = 1.0 / SETTINGS;
    for (uint64_t k = 0; k + 1 < CELLS; k++) {
        law[k] = sotto_runs_probability(&runs, k);
        rest -= law[k];
    }
    law[CELLS - 1] = rest;
    assert_same_law(chi_square_p(settings, even, SETTINGS, all));
    assert_same_law(chi_square_p(numbers, law, CELLS, TRIES));
    sotto_rng_free(rng);
}

/* The first of equal scores stays, NaN is the worst, and the first one is always kept. */
static void the_best_is_the_first_of_the_largest(void **state)
{
    (void)state;
    sot_best_run best = {.best = -HUGE_VAL, .count = 9};
    static const double scores[] = {(double)NAN, -2.5, -2.5, (double)NAN,
                                    1.25,        1.25, 0.0};
    static const bool kept[] = {true, true, false, false, true, false, false};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        best.done++;
        assert_int_equal(sot_best_run_offer(&best, scores[i]), kept[i]);
    }
    best = (sot_best_run){.best = -HUGE_VAL, .count = 1, .done = 1};
    assert_true(sot_best_run_offer(&best, -HUGE_VAL));
}

/* What is recorded follows from the law alone, also when there was no run; a second release is refused. */
static void the_recorded_error_does_not_tell_the_number(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event event = best_event();
    const sotto_runs runs = law_of(SOTTO_RUNS_POISSON, SOTTO_UNSET, 0.5);
    bool none = false, some = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        sotto_rng *rng = test_rng(920 + seed);
        sotto_gate *gate = gate_of_best(rng);
        sot_best_run best, again;
        sotto_status status;
        size_t setting, count = 0;
        const sot_best_run_config config = {
            .event = &event, .runs = runs, .settings = 1, .run_sampler_error = 0x1p-80};
        assert_ok(sot_best_run_begin(gate, &config, &best, &error), &error);
        assert_refused(sot_best_run_begin(gate, &config, &again, &error),
                       SOTTO_NOT_IN_PLAN, &error, "best", NULL);
        while (sot_best_run_next(&best, &setting, &status, &error))
            count++;
        none = none || count == 0;
        some = some || count > 1;
        sot_best_run_end(&best);
        sot_best_run_clear(&best);
        assert_within(sotto_gate_sampler_error_upper(gate), 0x1p-81,
                      0x1p-81 * (1.0 + 1e-12));
        assert_ok(sotto_gate_finish(gate, &error), &error);
        sotto_gate_free(gate);
        sotto_rng_free(rng);
    }
    assert_true(none && some);
}

/* A run that is left out leaves the gate unfinished: no certificate. */
static void a_best_run_that_is_not_ended_has_no_certificate(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event event = best_event();
    const sot_best_run_config config = {
        .event = &event,
        .runs = law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 3.0),
        .settings = 2};
    sot_best_run best;
    sotto_rng *rng = test_rng(960);
    sotto_gate *gate = gate_of_best(rng);
    assert_ok(sot_best_run_begin(gate, &config, &best, &error), &error);
    sot_best_run_clear(&best);
    assert_refused(sotto_gate_finish(gate, &error), SOTTO_NOT_IN_PLAN, &error, "best",
                   NULL);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
}

/* How often no run of a tuning says yes, if each says yes with probability e^(+-1)/(1 + e^(+-1)) and is worth it: one run
 * is 1-DP, and exactly that. */
static uint64_t count_silent(bool with_record, uint64_t tries)
{
    const sotto_event event = best_event();
    const sotto_runs runs = law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 5.0);
    const double yes = 1.0 / (1.0 + exp(with_record ? -1.0 : 1.0));
    const sot_best_run_config config = {.event = &event, .runs = runs, .settings = 1};
    sotto_rng *rng = test_rng(with_record ? 970 : 971);
    uint64_t silent = 0;
    for (uint64_t i = 0; i < tries; i++) {
        sotto_error error;
        sotto_gate *gate = gate_of_best(rng);
        sot_best_run best;
        sotto_status status;
        size_t setting;
        bool said = false;
        assert_ok(sot_best_run_begin(gate, &config, &best, &error), &error);
        while (sot_best_run_next(&best, &setting, &status, &error)) {
            const bool says = ldexp((double)(sot_rng_u64(best.rng) >> 11), -53) < yes;
            if (sot_best_run_offer(&best, says ? 1.0 : 0.0)) said = says;
        }
        sot_best_run_end(&best);
        sot_best_run_clear(&best);
        sotto_gate_free(gate);
        silent += said ? 0 : 1;
    }
    sotto_rng_free(rng);
    return silent;
}

/* An audit of the price: 3 epsilon for pure runs and a geometric number. A fixed number of five is refuted, whose silence
 * costs 5 epsilon. The probabilities themselves are the generating function at 1 - yes. False alarms: 2e-6. */
static void the_best_of_pure_runs_is_as_private_as_it_says(void **state)
{
    (void)state;
    enum { AUDITED = 8000 };
    const uint64_t without = count_silent(false, AUDITED),
                   with = count_silent(true, AUDITED);
    const double most = sotto_audit_rate_lower(without, AUDITED, 1e-6);
    const double least = sotto_audit_rate_upper(with, AUDITED, 1e-6);
    assert_true(log(most / least) <= 3.0);
    static const double no[] = {0.7310585786300049, 0.2689414213699951};
    const uint64_t counted[] = {without, with};
    for (size_t i = 0; i < 2; i++) {
        const double exact = 0.2 * no[i] / (1.0 - 0.8 * no[i]);
        assert_within(exact, sotto_audit_rate_lower(counted[i], AUDITED, 1e-6),
                      sotto_audit_rate_upper(counted[i], AUDITED, 1e-6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_and_numbers_have_their_laws),
        cmocka_unit_test(the_best_is_the_first_of_the_largest),
        cmocka_unit_test(the_recorded_error_does_not_tell_the_number),
        cmocka_unit_test(a_best_run_that_is_not_ended_has_no_certificate),
        cmocka_unit_test(the_best_of_pure_runs_is_as_private_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
