/* Plans from public facts, the chain's constants, and everything about a draw that is not its law. */
#include "gaussian_laws.h"

#include "base/memory.h"
#include "methods/posterior/oracle.h"
#include "methods/posterior/plan.h"

/* ---- plans ---- */

static void what_cannot_be_certified_is_refused(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(3.0, 1.0);
    sot_sampler_facts facts = sot_sampler_facts_of(&squared, 0, 5);
    facts.row_bound = 1.0;
    facts.beta = 0.5;
    facts.lambda = 2.0;
    facts.radius = 4.0; /* residuals of 5 */
    facts.rows_most = 1000;
    sot_sampler_plan plan;
    sotto_error error;
    assert_refused(sot_sampler_plan_new(&facts, &sot_loss_hinge, SOTTO_SAMPLER_AUTO, 1e-9,
                                        &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "jumps", "svm", NULL);
    assert_refused(sot_sampler_plan_new(&facts, &sot_loss_logistic, SOTTO_SAMPLER_MALA,
                                        1e-9, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "mala", "proximal", NULL);
    assert_refused(sot_sampler_plan_new(&facts, &sot_loss_logistic,
                                        SOTTO_SAMPLER_EXACT_GAUSSIAN, 1e-9, &plan,
                                        &error),
                   SOTTO_INVALID_ARGUMENT, &error, "squared", NULL);
    assert_refused(sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_EXACT_GAUSSIAN,
                                        1e-9, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "clipped", "`threshold`", NULL);
    assert_refused(
        sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_AUTO, 0.0, &plan, &error),
        SOTTO_INVALID_ARGUMENT, &error, "distance", NULL);
    assert_ok(
        sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_AUTO, 1e-9, &plan, &error),
        &error);
    assert_int_equal(plan.sampler, SOTTO_SAMPLER_PROXIMAL); /* the loss is cut */
    double *const numbers[] = {&facts.beta, &facts.lambda, &facts.row_bound};
    for (size_t k = 0; k < 3; k++) {
        const double kept = *numbers[k];
        *numbers[k] = k == 1 ? (double)NAN : 0.0;
        assert_refused(sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_AUTO, 1e-9,
                                            &plan, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "positive", NULL);
        *numbers[k] = kept;
    }
    facts.lambda = 1e-30; /* steps without end */
    assert_refused(
        sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_AUTO, 1e-9, &plan, &error),
        SOTTO_INVALID_ARGUMENT, &error, "raise `lambda`", "`radius` or `epsilon`", NULL);
}

/* A name is no proof: only the built-in loss is drawn by its Cholesky factor. */
static void a_callers_loss_called_squared_is_not_taken_for_it(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(6.0, 1.0);
    const int anything = 0;
    sot_loss callers = squared;
    callers.context = &anything;
    callers.difference_careful = NULL;
    sot_sampler_facts facts = sot_sampler_facts_of(&squared, 0, 5);
    facts.row_bound = 1.0;
    facts.beta = 0.5;
    facts.lambda = 2.0;
    facts.radius = 4.0; /* residuals of 5: nothing is cut */
    facts.rows_most = 1000;
    sot_sampler_plan plan;
    sotto_error error;
    assert_ok(
        sot_sampler_plan_new(&facts, &squared, SOTTO_SAMPLER_AUTO, 1e-9, &plan, &error),
        &error);
    assert_int_equal(plan.sampler, SOTTO_SAMPLER_EXACT_GAUSSIAN);
    assert_ok(
        sot_sampler_plan_new(&facts, &callers, SOTTO_SAMPLER_AUTO, 1e-9, &plan, &error),
        &error);
    assert_int_equal(plan.sampler, SOTTO_SAMPLER_PROXIMAL);
    assert_refused(sot_sampler_plan_new(&facts, &callers, SOTTO_SAMPLER_EXACT_GAUSSIAN,
                                        1e-9, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "squared", "proximal", NULL);
}

static void steps_bring_any_two_points_of_the_ball_together(void **state)
{
    (void)state;
    static const double steps[] = {0.5, 0.01, 3e-4, 2e-6};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const double lambda = 1.9;
        const double radius = 17.5;
        const uint64_t n = sot_sampler_steps(lambda, radius, steps[k], 1e-9);
        const long double drawn = (long double)lambda * steps[k] * steps[k];
        const long double left =
            logl(2.0L * radius) + (long double)n * log1pl(-drawn) - logl(1e-9L);
        assert_true(left <= 0.0L);
        assert_true(left >= 2.0L * log1pl(-drawn)); /* and none too many */
    }
    assert_int_equal(sot_sampler_steps(1.0, 1.0, 0.5, 5.0), 1);
}

/* Ten times the rows: at most as many errors, and more steps. What is said for 2^32 rows still is next to nothing. */
static void bounds_hold_for_every_number_of_rows(void **state)
{
    (void)state;
    sot_sampler_facts facts = sot_sampler_facts_of(&sot_loss_logistic, 0, 100);
    facts.row_bound = 1.0;
    facts.beta = 0.374;
    facts.lambda = 10.0;
    facts.radius = 250.0;
    sotto_error error;
    sot_sampler_plan last = {0};
    for (uint64_t rows = 1000; rows <= UINT64_C(1) << 32; rows *= 8) {
        sot_sampler_plan plan;
        facts.rows_most = rows;
        assert_ok(sot_sampler_plan_new(&facts, &sot_loss_logistic, SOTTO_SAMPLER_AUTO,
                                       1e-9, &plan, &error),
                  &error);
        assert_true(plan.total_variation > last.total_variation);
        assert_true(plan.steps_most > last.steps_most && plan.steps == 0);
        assert_true(plan.distance > 1e-9 && plan.distance < 1.0001e-9);
        if (rows <= 32768) assert_true(plan.total_variation < 1e-15);
        last = plan;
    }
    assert_true(last.total_variation < 1e-9);
}

/* ---- the chain ---- */

/* One long walk: the oracle is begun for every sample, and takes `steps` steps from `start`. */
static void walk_many(const scene *s, const double *start, double step, size_t steps,
                      size_t count, uint64_t seed, double *out)
{
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    sot_losses losses;
    sot_sampler_counts counts = {0};
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    assert_ok(sot_losses_begin(&s->potential, &losses, &error), &error);
    for (size_t i = 0; i < count; i++) {
        sot_oracle oracle;
        assert_ok(sot_oracle_begin(&losses, &s->plan, step, rng, NULL, start, &counts,
                                   &oracle, &error),
                  &error);
        for (size_t k = 0; k < steps; k++)
            assert_ok(sot_oracle_step(&oracle, &error), &error);
        out[i] = oracle.x[0].high;
        sot_oracle_end(&oracle);
    }
    sot_losses_end(&losses);
    sotto_rng_free(rng);
}

/* No rows: x' = c + (1 - lambda eta') (x - c) + noise, whose moments are known after every number of steps. */
static void without_rows_the_chain_is_a_known_one(void **state)
{
    (void)state;
    enum { COUNT = 3000, STEPS = 3 };
    static double x[COUNT];
    const double center = 0.75;
    const double start = -3.0;
    scene s;
    begin_scene(&s, &sot_loss_logistic, 0, 0, 1, 1.0, 1.6, 40.0);
    s.potential.center = &center;
    s.facts.center_norm = center;
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3);
    const double step = 0.4;
    const double keep = 1.0 - 1.6 * step * step;
    const double eta = step * step / keep;
    walk_many(&s, &start, step, STEPS, COUNT, 11, x);
    double mean = 0.0;
    double variance = 0.0;
    double exact = 0.0;
    for (size_t k = 0; k < STEPS; k++)
        exact = keep * keep * (exact + eta) + step * step;
    for (size_t i = 0; i < COUNT; i++)
        mean += x[i] / COUNT;
    for (size_t i = 0; i < COUNT; i++)
        variance += (x[i] - mean) * (x[i] - mean) / (COUNT - 1);
    const double expected = center + pow(keep, STEPS) * (start - center);
    assert_within(mean, expected - 5.0 * sqrt(exact / COUNT),
                  expected + 5.0 * sqrt(exact / COUNT));
    assert_within(variance / exact, 1.0 - 5.0 * sqrt(2.0 / COUNT),
                  1.0 + 5.0 * sqrt(2.0 / COUNT));
    end_scene(&s);
}

/* From both ends of the ball: every quantile of the two laws is within 2 R (1 - lambda eta')^k, rows or none, ball or none. */
static void two_chains_come_together_as_fast_as_promised(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static double low[COUNT], high[COUNT];
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    scene s;
    begin_scene(&s, &hinge, 0, 7, 1, 0.75, 1.5, 1.25);
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3);
    const double step = 0.3;
    const double starts[2] = {-1.25, 1.25};
    for (size_t steps = 1; steps <= 9; steps += 4) {
        walk_many(&s, &starts[0], step, steps, COUNT, 21, low);
        walk_many(&s, &starts[1], step, steps, COUNT, 22, high);
        qsort(low, COUNT, sizeof *low, compare_doubles);
        qsort(high, COUNT, sizeof *high, compare_doubles);
        const double bound = 2.5 * pow(1.0 - 1.5 * step * step, (double)steps);
        double most = 0.0;
        for (size_t i = COUNT / 10; i < COUNT * 9 / 10; i++)
            most = fmax(most, high[i] - low[i]);
        assert_true(most <= bound + 0.15); /* five deviations of a quantile */
    }
    end_scene(&s);
}

/* 1000 equal records, far from where the losses are small: linearised at y a trial would never pass. */
static void a_cold_start_costs_few_trials(void **state)
{
    (void)state;
    scene s;
    begin_scene(&s, &sot_loss_logistic, 0, 1000, 1, 1.0, 0.1, 50.0);
    for (size_t i = 0; i < s.matrix.rows; i++) {
        s.matrix.dense[i * s.matrix.stride] = 1.0f;
        s.matrix.labels[i] = 1.0;
    }
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3);
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    sot_losses losses;
    sot_oracle oracle;
    sot_sampler_counts counts = {0};
    const double starts[] = {0.0, -49.0, 49.0};
    double step;
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    assert_ok(sot_losses_begin(&s.potential, &losses, &error), &error);
    assert_ok(sot_sampler_step_of(&losses, &s.plan, &starts[0], &step, &error), &error);
    for (size_t k = 0; k < 3; k++) {
        assert_ok(sot_oracle_begin(&losses, &s.plan, step, rng, NULL, &starts[k], &counts,
                                   &oracle, &error),
                  &error);
        for (int i = 0; i < 10; i++)
            assert_ok(sot_oracle_step(&oracle, &error), &error);
        sot_oracle_end(&oracle);
    }
    assert_true(counts.trials < 300 && counts.linearised < 300);
    sot_losses_end(&losses);
    sotto_rng_free(rng);
    end_scene(&s);
}

/* ---- draws ---- */

static void draws_end_whatever_the_rows_are(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        scene s;
        begin_scene(&s, which == 3 ? NULL : &sot_loss_logistic, which == 3 ? 3 : 0,
                    which == 0 ? 0 : 30, 2, 1.0, 2.0, 1.5);
        for (size_t i = 0; i < s.matrix.rows; i++) {
            if (which == 1) s.matrix.dense[i * s.matrix.stride] = 0.0f;
            if (which == 1) s.matrix.dense[i * s.matrix.stride + 1] = 0.0f;
            if (which == 2) s.matrix.labels[i] = (double)NAN; /* counts as a class */
        }
        plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-2);
        sot_sampler_counts counts;
        free(draw_many(&s, 3, 9, &counts));
        end_scene(&s);
    }
}

static void threads_and_storage_do_not_change_a_draw(void **state)
{
    (void)state;
    scene s;
    begin_scene(&s, &sot_loss_logistic, 0, 1500, 12, 0.02, 1.5, 6.0);
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-2);
    sot_sampler_counts counts;
    double *one = draw_many(&s, 2, 8, &counts);
    for (size_t threads = 2; threads <= 3; threads++) {
        sotto_error error = {0};
        assert_ok(sot_pool_new(threads, &s.potential.pool, &error), &error);
        double *many = draw_many(&s, 2, 8, &counts);
        assert_memory_equal(one, many, 24 * sizeof *one);
        free(many);
        sot_pool_free(s.potential.pool);
        s.potential.pool = NULL;
    }
    sot_matrix sparse = make_matrix(&(recipe){.rows = 1500,
                                              .columns = 12,
                                              .filled = 1.0,
                                              .noise = 0.5,
                                              .sparse = true,
                                              .seed = 1500 + 17 * 12});
    s.potential.matrix = &sparse;
    double *other = draw_many(&s, 2, 8, &counts);
    for (size_t j = 0; j < 24; j++) /* the same decisions; sums in another order */
        assert_within(other[j] - one[j], -1e-6, 1e-6);
    free(other);
    free(one);
    free_matrix(&sparse);
    end_scene(&s);
}

typedef struct heard {
    uint64_t calls, step, steps;
    const char *unit;
    int answer;
} heard;

static int listen(const sotto_progress *progress, void *context)
{
    heard *to = context;
    to->calls++;
    to->step = progress->step;
    to->steps = progress->steps;
    to->unit = progress->unit;
    assert_true(isnan(progress->epsilon_so_far));
    return to->answer;
}

/* Steps are told only where they are public; a stop is honoured, and then nothing is written. */
static void the_listener_hears_public_numbers_alone(void **state)
{
    (void)state;
    for (int public_constants = 0; public_constants <= 1; public_constants++) {
        scene s;
        begin_scene(&s, &sot_loss_logistic, 0, 3000, 8, 1.0, 0.5, 20.0);
        s.facts.rows_planned = public_constants ? 3000 : 0;
        plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-12);
        heard ears = {.answer = 1};
        const sot_progress progress = sot_progress_begin(listen, &ears);
        const sot_sampler_watch watch = {.progress = &progress, .draw = 2, .draws = 5};
        sotto_rng *rng = NULL;
        sotto_error error = {0};
        double theta[8] = {7.0};
        assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
        assert_refused(
            sot_sampler_draw(&s.plan, &s.potential, rng, &watch, theta, NULL, &error),
            SOTTO_INTERRUPTED, &error,
            public_constants ? "stopped on request after step "
                             : "stopped on request in sample 3 of 5; the progress",
            NULL);
        assert_string_equal(ears.unit, public_constants ? "step" : "draw");
        assert_true(theta[0] == 7.0 && ears.calls == 1);
        const uint64_t each = public_constants ? s.plan.steps : 1;
        assert_true(ears.steps == 5 * each);
        assert_true(public_constants ? ears.step > 2 * each && ears.step < 3 * each
                                     : ears.step == 2);
        ears.answer = 1;
        assert_refused(sot_mala_draw(&s.potential, 100000000, rng, &watch, theta, &error),
                       SOTTO_INTERRUPTED, &error, NULL);
        sotto_rng_free(rng);
        end_scene(&s);
    }
}

static void a_failed_allocation_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(1.25, 1.0);
    for (int which = 0; which < 4; which++) {
        scene s;
        begin_scene(&s, which == 3 ? NULL : &squared, which == 3 ? 2 : 0, 12, 2, 0.2, 2.0,
                    0.25);
        static const double far_away[4] = {9.0, 9.0, 9.0, 9.0};
        if (which == 1) s.potential.center = far_away; /* takes the second route */
        s.facts.center_norm = which == 1 ? 13.0 : 0.0;
        plan_scene(&s, SOTTO_SAMPLER_AUTO, 1e-2);
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        sotto_error error;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            sotto_rng *rng = NULL;
            double theta[4] = {7.0};
            assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
            (void)sot_test_fail_allocation(++nth);
            status = which == 2 ? sot_mala_draw(&s.potential, 5, rng, NULL, theta, &error)
                                : sot_sampler_draw(&s.plan, &s.potential, rng, NULL,
                                                   theta, NULL, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_true(theta[0] == 7.0);
            sotto_rng_free(rng);
        }
        assert_ok(status, &error);
        assert_true(nth >= 4);
        end_scene(&s);
    }
}

/* Not certified, and right all the same. */
static void mala_draws_from_the_posterior_too(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static double draws[COUNT];
    scene s;
    begin_scene(&s, &sot_loss_logistic, 0, 7, 1, 1.5, 0.75, 1.0);
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    assert_ok(sotto_rng_new_for_test(31, &rng, &error), &error);
    for (size_t i = 0; i < COUNT; i++)
        assert_ok(sot_mala_draw(&s.potential, 120, rng, NULL, &draws[i], &error), &error);
    assert_true(line_p(&s, draws, COUNT) > FALSE_ALARM);
    sotto_rng_free(rng);
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_certified_is_refused),
        cmocka_unit_test(a_callers_loss_called_squared_is_not_taken_for_it),
        cmocka_unit_test(steps_bring_any_two_points_of_the_ball_together),
        cmocka_unit_test(bounds_hold_for_every_number_of_rows),
        cmocka_unit_test(without_rows_the_chain_is_a_known_one),
        cmocka_unit_test(two_chains_come_together_as_fast_as_promised),
        cmocka_unit_test(a_cold_start_costs_few_trials),
        cmocka_unit_test(draws_end_whatever_the_rows_are),
        cmocka_unit_test(threads_and_storage_do_not_change_a_draw),
        cmocka_unit_test(the_listener_hears_public_numbers_alone),
        cmocka_unit_test(a_failed_allocation_is_reported_and_nothing_leaks),
        cmocka_unit_test(mala_draws_from_the_posterior_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
