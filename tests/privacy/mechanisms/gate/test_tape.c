/* The tape: a clean run shows nothing, and every kind of leak is seen. */
#include "support.h"

#include <sys/stat.h>

#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/sample_run.h"

static tape_study study_of(sample_settings *settings)
{
    return (tape_study){.run = sample_run,
                        .context = settings,
                        .columns = sample_columns,
                        .column_count = SAMPLE_NUMBERS + 1};
}

static void assert_no_leak(const char *leak)
{
    if (leak != NULL) fail_msg("%s", leak);
}

/* ---- the detectors: these fail on a mutant ---- */

static void neighbours_by_one_row_more_or_less_look_the_same(void **state)
{
    (void)state;
    sample_settings settings = {.adjacency = SOTTO_ADD_REMOVE};
    const tape_study study = study_of(&settings);
    assert_no_leak(tape_check_neighbours(&study, SOTTO_ADD_REMOVE));
}

static void neighbours_by_one_row_replaced_look_the_same(void **state)
{
    (void)state;
    sample_settings settings = {.adjacency = SOTTO_REPLACE_ONE};
    const tape_study study = study_of(&settings);
    assert_no_leak(tape_check_neighbours(&study, SOTTO_REPLACE_ONE));
}

/* Casacuberta et al. 2022: 1 - 2^-54 - 2^-54 in doubles is 1 from the left, 1 - 2^-53 from the
 * right, and those lie on two sides of a grid point. */
static void the_order_of_rows_changes_no_bit(void **state)
{
    (void)state;
    sample_settings settings = {.adjacency = SOTTO_ADD_REMOVE};
    const tape_study study = study_of(&settings);
    tape_table *table = tape_table_new(sample_columns, SAMPLE_NUMBERS + 1, 3, 99);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
            table->cells[i * table->column_count + j].number = 0.0;
        table->cells[i * table->column_count].number = i == 0 ? 1.0 : -0x1p-54;
    }
    assert_no_leak(tape_check_order(&study, table));
    tape_table_free(table);
}

static void nothing_is_released_when_the_charge_is_refused(void **state)
{
    (void)state;
    sample_settings settings = {.adjacency = SOTTO_ADD_REMOVE, .budget_is_spent = true};
    const tape_study study = study_of(&settings);
    tape_table *table = tape_table_new(sample_columns, SAMPLE_NUMBERS + 1, 13, 5);
    int exit_code = 0;
    assert_int_equal(tape_releases(&study, table, &exit_code), 0);
    assert_int_equal(exit_code, 3);
    settings.budget_is_spent = false; /* and the run of the tests above does release */
    assert_int_equal(tape_releases(&study, table, &exit_code), 1 + SAMPLE_STEPS);
    assert_int_equal(exit_code, 0);
    settings.budget_is_spent = true; /* and one that charges last is found out */
    settings.mistake = SAMPLE_CHARGED_LAST;
    assert_int_equal(tape_releases(&study, table, &exit_code), 1 + SAMPLE_STEPS);
    assert_int_equal(exit_code, 3);
    tape_table_free(table);
}

/* ---- the harness on runs that leak by one thing only ---- */

typedef enum leak_kind {
    LEAK_NOTHING,
    LEAK_OUTPUT,
    LEAK_ERRORS,
    LEAK_EXIT_CODE,
    LEAK_FILE_NAME,
    LEAK_FILE_CONTENT,
    LEAK_FILE_MODE,
    LEAKS
} leak_kind;

static int leaking_run(const tape_table *table, const tape_place *place, void *context)
{
    const leak_kind kind = *(const leak_kind *)context;
    const int secret = (int)(table->rows % 2);
    char path[256];
    (void)snprintf(path, sizeof path, "%s/model%d", place->output_directory,
                   kind == LEAK_FILE_NAME ? secret : 2);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%d\n", kind == LEAK_FILE_CONTENT ? secret : 2);
    assert_int_equal(fclose(file), 0);
    if (kind == LEAK_OUTPUT) printf("rows %d\n", secret);
    if (kind == LEAK_ERRORS) fprintf(stderr, "rows %d\n", secret);
    if (kind == LEAK_FILE_MODE && secret) assert_int_equal(chmod(path, 0600), 0);
    return kind == LEAK_EXIT_CODE ? secret : 0;
}

static void whatever_differs_from_outside_is_a_leak(void **state)
{
    (void)state;
    for (leak_kind kind = LEAK_NOTHING; kind < LEAKS; kind++) {
        const tape_study study = {.run = leaking_run,
                                  .context = &kind,
                                  .columns = sample_columns,
                                  .column_count = SAMPLE_NUMBERS + 1};
        const char *leak = tape_check_neighbours(&study, SOTTO_ADD_REMOVE);
        if (kind == LEAK_NOTHING) {
            assert_no_leak(leak);
        } else {
            assert_non_null(leak);
            assert_non_null(strstr(leak, "from outside"));
        }
    }
}

static void generators_make_the_neighbours_they_promise(void **state)
{
    (void)state;
    tape_table *table = tape_table_new(sample_columns, SAMPLE_NUMBERS + 1, 4, 1);
    for (int row = 0; row < TAPE_ROWS; row++) {
        for (size_t at = 0; at <= 4; at++) {
            tape_table *more = tape_neighbour(table, SOTTO_ADD_REMOVE, (tape_row)row, at);
            tape_table *other =
                tape_neighbour(table, SOTTO_REPLACE_ONE, (tape_row)row, at);
            const bool is_removal = row == TAPE_NO_ROW;
            assert_int_equal(more == NULL, is_removal && at == 4);
            assert_int_equal(other == NULL, is_removal || at == 4);
            if (more != NULL) assert_int_equal(more->rows, is_removal ? 3 : 5);
            if (other != NULL) assert_int_equal(other->rows, 4);
            /* All rows but the one in question are where they were. */
            for (size_t i = 0; more != NULL && !is_removal && i < 4; i++) {
                assert_memory_equal(tape_at(more, i < at ? i : i + 1, 0),
                                    tape_at(table, i, 0),
                                    (SAMPLE_NUMBERS + 1) * sizeof(tape_cell));
            }
            if (more != NULL && row == TAPE_NAN)
                assert_true(isnan(tape_at(more, at, 0)->number));
            if (more != NULL && row == TAPE_INFINITE)
                assert_true(isinf(tape_at(more, at, 0)->number));
            if (more != NULL && row == TAPE_UNKNOWN_CATEGORY)
                assert_string_equal(tape_at(more, at, SAMPLE_NUMBERS)->text, "atlantis");
            tape_table_free(more);
            tape_table_free(other);
        }
    }
    tape_table_free(table);
}

/* ---- the three kinds of call ---- */

typedef struct bench {
    sotto_rng *rng;
    sotto_plan *plan;
    sotto_gate *gate;
    sotto_event event;
    sot_tape *tape;
} bench;

static bench bench_new(uint64_t count)
{
    sotto_error error;
    bench made = {.event = sotto_event_defaults(), .tape = sot_tape_new()};
    assert_non_null(made.tape);
    made.event.mechanism = SOTTO_PURE;
    made.event.epsilon = 0.375;
    made.event.count = count;
    assert_ok(sot_event_set_purpose(&made.event, "a test", &error), &error);
    assert_ok(sotto_rng_new_for_test(3, &made.rng, &error), &error);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &made.plan, &error), &error);
    assert_ok(sotto_plan_add(made.plan, &made.event, &error), &error);
    return made;
}

static void bench_gate(bench *made)
{
    sotto_error error;
    sotto_gate_free(made->gate);
    assert_ok(sotto_gate_new(made->plan, made->rng, &made->gate, &error), &error);
    assert_ok(sotto_gate_open(made->gate, &error), &error);
}

static void bench_free(bench *made)
{
    sotto_gate_free(made->gate);
    sotto_plan_free(made->plan);
    sotto_rng_free(made->rng);
    sot_tape_free(made->tape);
}

/* One choice on the bench: what the tape forced, or `drawn`. */
static size_t choose(bench *made, sot_tape_choice_call *call, size_t drawn)
{
    sotto_error error;
    size_t choice = drawn;
    bench_gate(made);
    assert_ok(sot_gate_admit(made->gate, &made->event, &call->index, &error), &error);
    (void)sot_tape_choice(made->gate, call, &choice);
    sot_tape_choice_result(made->gate, choice);
    sot_gate_record(made->gate, call->index, 0.0);
    return choice;
}

/* Records the first call, replays the second: the difference, or NULL. */
static const char *compare_choices(bench *made, sot_tape_choice_call first,
                                   sot_tape_choice_call second)
{
    sot_tape_free(made->tape);
    made->tape = sot_tape_new();
    assert_non_null(made->tape);
    sot_tape_record(made->tape);
    assert_int_equal(choose(made, &first, 2), 2);
    sot_tape_stop(made->tape);
    assert_null(sot_tape_difference(made->tape));
    sot_tape_replay(made->tape, false);
    const size_t replayed = choose(made, &second, 1);
    sot_tape_stop(made->tape);
    if (sot_tape_difference(made->tape) == NULL) assert_int_equal(replayed, 2);
    return sot_tape_difference(made->tape);
}

static void a_choice_is_checked_by_the_range_of_the_change(void **state)
{
    (void)state;
    bench made = bench_new(1);
    const int64_t scores[] = {5, -3, 8}, shifted[] = {105, 97, 108};
    const int64_t apart[] = {6, -4, 8}, far[] = {7, -4, 8};
    sot_tape_choice_call first = {.scores = scores,
                                  .cells = 3,
                                  .candidates = 3,
                                  .range_most = 2,
                                  .change_most = UINT64_MAX};
    sot_tape_choice_call second = first;
    second.scores = shifted; /* by the same for all: no range at all */
    assert_null(compare_choices(&made, first, second));
    second.scores = apart;
    assert_null(compare_choices(&made, first, second));
    second.scores = far;
    assert_non_null(compare_choices(&made, first, second));
    first.change_most = second.change_most = 1;
    second.scores = apart;
    assert_null(compare_choices(&made, first, second));
    second.scores = shifted;
    assert_non_null(compare_choices(&made, first, second));
    bench_free(&made);
}

static void the_cells_of_a_choice_may_differ(void **state)
{
    (void)state;
    bench made = bench_new(1);
    /* Candidates 0..99. D: 4 on 0..29, 7 on 30..99. D': 4 on 0..9, 5 on 10..29, 8 on 30..99. */
    const int64_t scores[] = {4, 7}, moved[] = {4, 5, 8}, jumped[] = {4, 8, 8};
    const uint64_t ends[] = {30, 100}, more_ends[] = {10, 30, 100},
                   hole[] = {10, 10, 100};
    const sot_tape_choice_call first = {.scores = scores,
                                        .ends = ends,
                                        .cells = 2,
                                        .candidates = 100,
                                        .range_most = 1,
                                        .change_most = 1};
    sot_tape_choice_call second = first;
    second.scores = moved;
    second.ends = more_ends;
    second.cells = 3;
    assert_null(compare_choices(&made, first, second));
    assert_null(compare_choices(&made, second, first));
    second.scores = jumped; /* 4 -> 8 on 10..29 */
    assert_non_null(compare_choices(&made, first, second));
    second.scores = moved;
    second.ends = hole;
    assert_non_null(compare_choices(&made, first, second));
    second.ends = more_ends;
    second.candidates = 101;
    assert_non_null(compare_choices(&made, first, second));
    bench_free(&made);
}

/* theta solves b + 3 theta + data = 0: the noise behind theta is -(3 theta + data). */
static void noise_of_line(const void *context, const double *theta, double *out_noise,
                          double *out_log_determinant)
{
    const double *line = context; /* slope, data */
    out_noise[0] = -(line[0] * theta[0] + line[1]);
    *out_log_determinant = log(line[0]);
}

static const char *compare_densities(bench *made, const double *first,
                                     const double *second, double shift_most,
                                     double log_determinant_most)
{
    sotto_error error;
    sot_tape_free(made->tape);
    made->tape = sot_tape_new();
    assert_non_null(made->tape);
    for (int pass = 0; pass < 2; pass++) {
        sot_tape_density_call call = {.dimension = 1,
                                      .shift_most = shift_most,
                                      .log_determinant_most = log_determinant_most,
                                      .tolerance = 1e-12,
                                      .noise_of = noise_of_line,
                                      .context = pass == 0 ? first : second};
        double theta = pass == 0 ? 0.625 : 9.0;
        if (pass == 0) sot_tape_record(made->tape);
        if (pass == 1) sot_tape_replay(made->tape, false);
        bench_gate(made);
        assert_ok(sot_gate_admit(made->gate, &made->event, &call.index, &error), &error);
        assert_int_equal(sot_tape_density(made->gate, &call, &theta, NULL), pass);
        sot_tape_density_result(made->gate, &call, &theta, NULL);
        sot_gate_record(made->gate, call.index, 0.0);
        sot_tape_stop(made->tape);
        assert_true(theta == 0.625);
    }
    return sot_tape_difference(made->tape);
}

static void a_density_is_checked_by_the_noise_behind_the_output(void **state)
{
    (void)state;
    bench made = bench_new(1);
    const double here[] = {3.0, 0.25}, near_by[] = {3.0, 1.25}, steeper[] = {3.5, 0.25};
    assert_null(compare_densities(&made, here, near_by, 1.0, 0.0));
    assert_non_null(compare_densities(&made, here, near_by, 0.999, 0.0));
    assert_null(compare_densities(&made, here, steeper, 0.3125, 0.16));
    assert_non_null(compare_densities(&made, here, steeper, 0.3125, 0.15));
    assert_non_null(compare_densities(&made, here, steeper, 0.3, 0.16));
    const double broken[] = {(double)NAN, 0.25};
    assert_non_null(compare_densities(&made, here, broken, 1e300, 1e300));
    bench_free(&made);
}

/* A sum of `count` numbers on the bench, `drawing` as many words. */
static void add_up(bench *made, const int64_t *values, size_t count, double sensitivity,
                   double order_slack)
{
    sotto_error error;
    int64_t out[4] = {0};
    sot_tape_sum_call call = {.values = values,
                              .count = count,
                              .norm = SOTTO_L1,
                              .sensitivity = sensitivity,
                              .order_slack = order_slack};
    assert_ok(sot_gate_admit(made->gate, &made->event, &call.index, &error), &error);
    (void)sot_tape_sum(made->gate, &call, out);
    sot_tape_sum_result(made->gate, out, count);
    sot_gate_record(made->gate, call.index, 0.0);
}

static const char *compare_values(const int64_t *first, size_t first_count,
                                  const int64_t *second, size_t second_count, bool same,
                                  double order_slack)
{
    static char difference[4096];
    bench made = bench_new(1);
    sot_tape_record(made.tape);
    bench_gate(&made);
    add_up(&made, first, first_count, 3.0, order_slack);
    sot_tape_stop(made.tape);
    sot_tape_replay(made.tape, same);
    bench_gate(&made);
    add_up(&made, second, second_count, 3.0, order_slack);
    sot_tape_stop(made.tape);
    const char *found = sot_tape_difference(made.tape);
    if (found != NULL) (void)snprintf(difference, sizeof difference, "%s", found);
    bench_free(&made);
    return found != NULL ? difference : NULL;
}

static const char *compare_sums(const int64_t *first, size_t first_count,
                                const int64_t *second, size_t second_count, bool same)
{
    return compare_values(first, first_count, second, second_count, same, 0.0);
}

static void a_sum_is_checked_by_its_distance(void **state)
{
    (void)state;
    const int64_t here[] = {10, INT64_MAX}, near_by[] = {12, INT64_MAX - 1};
    const int64_t far[] = {12, INT64_MAX - 2}, opposite[] = {10, INT64_MIN};
    assert_null(compare_sums(here, 2, near_by, 2, false));
    assert_non_null(compare_sums(here, 2, far, 2, false));
    assert_non_null(compare_sums(here, 2, opposite, 2, false));
    assert_non_null(compare_sums(here, 2, here, 1, false)); /* another shape */
    assert_null(compare_sums(here, 2, here, 2, true));
    assert_non_null(compare_sums(here, 2, near_by, 2, true));
}

/* A solver's result may depend on the order of the rows, by as much as it said. */
static void the_same_rows_in_another_order_move_by_no_more_than_declared(void **state)
{
    (void)state;
    const int64_t here[] = {10, 20}, near_by[] = {11, 19}, far[] = {11, 18};
    assert_null(compare_values(here, 2, near_by, 2, true, 2.0));
    assert_non_null(compare_values(here, 2, far, 2, true, 2.0));
    assert_null(compare_values(here, 2, far, 2, false, 2.0)); /* but for neighbours */
}

/* theta = 0.625 answers to the noise -2.125 on `here`; the solver had another one. */
static void noise_that_was_drawn_is_replayed_with_its_residual(void **state)
{
    (void)state;
    sotto_error error;
    const double here[] = {3.0, 0.25}, near_by[] = {3.0, 1.25};
    const double drawn[] = {-2.125 + 0.5, -2.125 - 0.5, -2.125 + 0.51};
    for (size_t i = 0; i < 3; i++) {
        bench made = bench_new(1);
        for (int pass = 0; pass < 2; pass++) {
            sot_tape_density_call call = {.dimension = 1,
                                          .shift_most = 1.0,
                                          .log_determinant_most = 0.0,
                                          .residual_most = 0.5,
                                          .tolerance = 1e-12,
                                          .noise_of = noise_of_line,
                                          .context = pass == 0 ? here : near_by};
            const double theta = 0.625;
            double noise = 9.0;
            if (pass == 0) sot_tape_record(made.tape);
            if (pass == 1) sot_tape_replay(made.tape, false);
            bench_gate(&made);
            assert_ok(sot_gate_admit(made.gate, &made.event, &call.index, &error),
                      &error);
            assert_int_equal(sot_tape_density(made.gate, &call, NULL, &noise), pass);
            assert_true(noise == (pass == 0 ? 9.0 : drawn[i] - 1.0));
            sot_tape_density_result(made.gate, &call, &theta, &drawn[i]);
            sot_gate_record(made.gate, call.index, 0.0);
            sot_tape_stop(made.tape);
        }
        const char *difference = sot_tape_difference(made.tape);
        assert_int_equal(difference != NULL, i == 2); /* more than was claimed */
        if (i == 2) assert_non_null(strstr(difference, "residual"));
        bench_free(&made);
    }
}

/* On the boundary of a ball theta may be pressed outwards by any force, and by no force inwards. */
static void a_ball_holds_the_output_from_outside_only(void **state)
{
    (void)state;
    sotto_error error;
    const double here[] = {3.0, 0.25}; /* theta = 0.625 answers to the noise -2.125 */
    static const struct {
        double drawn, ball;
        bool is_fine;
    } cases[] = {{-2.125 - 7.0, 0.625, true},
                 {-2.125 + 7.0, 0.625, false},
                 {-2.125 - 7.0, 0.75, false}, /* inside */
                 {-2.125 - 7.0, 0.0, false},
                 {-2.125 + 0.5, 0.625, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench made = bench_new(1);
        sot_tape_density_call call = {.dimension = 1,
                                      .shift_most = 1.0,
                                      .residual_most = 0.5,
                                      .ball = cases[i].ball,
                                      .tolerance = 1e-12,
                                      .noise_of = noise_of_line,
                                      .context = here};
        const double theta = 0.625;
        sot_tape_record(made.tape);
        bench_gate(&made);
        assert_ok(sot_gate_admit(made.gate, &made.event, &call.index, &error), &error);
        assert_false(sot_tape_density(made.gate, &call, NULL, NULL));
        sot_tape_density_result(made.gate, &call, &theta, &cases[i].drawn);
        sot_gate_record(made.gate, call.index, 0.0);
        sot_tape_stop(made.tape);
        assert_int_equal(sot_tape_difference(made.tape) == NULL, cases[i].is_fine);
        bench_free(&made);
    }
}

static void a_density_without_its_noise_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    bench made = bench_new(1);
    sot_tape_density_call call = {.dimension = 1, .shift_most = 1.0};
    const double theta = 0.625;
    sot_tape_record(made.tape);
    bench_gate(&made);
    assert_ok(sot_gate_admit(made.gate, &made.event, &call.index, &error), &error);
    assert_false(sot_tape_density(made.gate, &call, NULL, NULL));
    sot_tape_density_result(made.gate, &call, &theta, NULL);
    sot_gate_record(made.gate, call.index, 0.0);
    sot_tape_stop(made.tape);
    assert_non_null(strstr(sot_tape_difference(made.tape), "noise_of"));
    bench_free(&made);
}

static void equal_states_of_the_generator_are_reported(void **state)
{
    (void)state;
    const int64_t values[] = {1, 2};
    bench made = bench_new(2); /* its "mechanism" draws nothing */
    sot_tape_record(made.tape);
    bench_gate(&made);
    add_up(&made, values, 2, 1.0, 0.0);
    add_up(&made, values, 2, 1.0, 0.0);
    sot_tape_stop(made.tape);
    assert_non_null(sot_tape_difference(made.tape));
    assert_non_null(strstr(sot_tape_difference(made.tape), "generator"));
    bench_free(&made);
}

static void a_mechanism_that_avoids_the_tape_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    bench made = bench_new(1);
    sot_tape_record(made.tape);
    bench_gate(&made);
    assert_ok(sot_gate_admit(made.gate, &made.event, &index, &error), &error);
    sot_gate_record(made.gate, index, 0.0);
    sot_tape_stop(made.tape);
    assert_non_null(strstr(sot_tape_difference(made.tape), "without showing"));
    bench_free(&made);
}

static void a_refusal_on_one_side_only_is_a_leak(void **state)
{
    (void)state;
    sotto_error error;
    size_t index = 0;
    const int64_t values[] = {1, 2};
    bench made = bench_new(1);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) sot_tape_record(made.tape);
        if (pass == 1) sot_tape_replay(made.tape, false);
        bench_gate(&made);
        add_up(&made, values, 2, 1.0, 0.0);
        if (pass == 1) {
            assert_refused(sot_gate_admit(made.gate, &made.event, &index, &error),
                           SOTTO_NOT_IN_PLAN, &error, "a test", NULL);
        }
        sot_tape_stop(made.tape);
    }
    assert_non_null(strstr(sot_tape_difference(made.tape), "used up"));
    bench_free(&made);
}

/* ---- every mistake that the tape is meant to see, in one go ---- */

static void the_mistakes_that_learners_make_are_seen(void **state)
{
    (void)state;
    for (int mistake = SAMPLE_CORRECT + 1; mistake < SAMPLE_CHARGED_LAST; mistake++) {
        sample_settings settings = {.adjacency = SOTTO_REPLACE_ONE,
                                    .mistake = (sample_mistake)mistake};
        const tape_study study = study_of(&settings);
        const char *leak = tape_check_neighbours(&study, SOTTO_REPLACE_ONE);
        settings.adjacency = SOTTO_ADD_REMOVE;
        if (leak == NULL) leak = tape_check_neighbours(&study, SOTTO_ADD_REMOVE);
        if (leak == NULL) fail_msg("the tape missed mistake %d of the sample", mistake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_by_one_row_more_or_less_look_the_same),
        cmocka_unit_test(neighbours_by_one_row_replaced_look_the_same),
        cmocka_unit_test(the_order_of_rows_changes_no_bit),
        cmocka_unit_test(nothing_is_released_when_the_charge_is_refused),
        cmocka_unit_test(whatever_differs_from_outside_is_a_leak),
        cmocka_unit_test(generators_make_the_neighbours_they_promise),
        cmocka_unit_test(a_choice_is_checked_by_the_range_of_the_change),
        cmocka_unit_test(the_cells_of_a_choice_may_differ),
        cmocka_unit_test(a_density_is_checked_by_the_noise_behind_the_output),
        cmocka_unit_test(a_sum_is_checked_by_its_distance),
        cmocka_unit_test(the_same_rows_in_another_order_move_by_no_more_than_declared),
        cmocka_unit_test(noise_that_was_drawn_is_replayed_with_its_residual),
        cmocka_unit_test(a_ball_holds_the_output_from_outside_only),
        cmocka_unit_test(a_density_without_its_noise_is_reported),
        cmocka_unit_test(equal_states_of_the_generator_are_reported),
        cmocka_unit_test(a_mechanism_that_avoids_the_tape_is_reported),
        cmocka_unit_test(a_refusal_on_one_side_only_is_a_leak),
        cmocka_unit_test(the_mistakes_that_learners_make_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
