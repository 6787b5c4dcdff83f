#include "support.h"

#include "base/clock.h"
#include "base/progress.h"

typedef struct listener {
    sotto_progress heard;
    int calls;
    int answer;
} listener;

static int listen_in(const sotto_progress *progress, void *context)
{
    listener *here = context;
    here->heard = *progress;
    here->calls++;
    return here->answer;
}

static void the_listener_hears_the_plan_and_the_time(void **state)
{
    (void)state;
    listener here = {.answer = 0};
    sotto_error error;
    const sot_progress progress = sot_progress_begin(listen_in, &here);
    assert_ok(sot_progress_report(&progress, 3, 14063, 0.75, &error), &error);
    assert_int_equal(here.calls, 1);
    assert_int_equal(here.heard.step, 3);
    assert_int_equal(here.heard.steps, 14063);
    assert_true(here.heard.epsilon_so_far == 0.75);
    assert_string_equal(here.heard.unit, "step");
    assert_within(here.heard.elapsed_seconds, 0.0, 60.0);
}

static void any_answer_but_zero_stops(void **state)
{
    (void)state;
    listener here = {.answer = -7};
    sotto_error error;
    const sot_progress progress = sot_progress_begin(listen_in, &here);
    assert_refused(sot_progress_report(&progress, 3, 14063, (double)NAN, &error),
                   SOTTO_INTERRUPTED, &error, "step 3 of 14063", NULL);
    assert_int_equal(sot_progress_report(&progress, 3, 14063, (double)NAN, NULL),
                     SOTTO_INTERRUPTED);
}

static void nobody_need_listen(void **state)
{
    (void)state;
    const sot_progress progress = sot_progress_begin(NULL, NULL);
    assert_int_equal(sot_progress_report(&progress, 1, 2, 0.5, NULL), SOTTO_OK);
}

static void the_clock_never_runs_backwards(void **state)
{
    (void)state;
    double previous = sot_clock_seconds();
    const double started = previous;
    for (int i = 0; i < 100000; i++) {
        const double now = sot_clock_seconds();
        assert_true(now >= previous);
        previous = now;
    }
    assert_true(previous > started);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listener_hears_the_plan_and_the_time),
        cmocka_unit_test(any_answer_but_zero_stops),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(the_clock_never_runs_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
