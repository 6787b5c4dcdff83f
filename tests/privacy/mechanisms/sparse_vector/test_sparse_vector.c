#include "privacy/mechanisms/release.h"

#include <sotto/sparse_vector.h>

#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"

enum { QUESTIONS = 3, TRANSCRIPTS = 27, DRAWS = 40000 };

static sotto_sparse_vector_config plain_config(void)
{
    sotto_sparse_vector_config config = sotto_sparse_vector_defaults();
    config.epsilon = 1.5;
    config.sensitivity = 1;
    config.change = SOTTO_CHANGE_ANY;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.threshold = 10;
    config.above_most = 2;
    config.purpose = "hot spots";
    return config;
}

static sotto_event event_of(const sotto_sparse_vector_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_sparse_vector_event(config, &event, &error), &error);
    return event;
}

/* ---- the exact law of a transcript ---- */

/* P(below .. below, then above if `ends_above`) for answers[begin .. end - 1]: the sum over the
 * noise of the threshold. Scales in units of 1 / (epsilon / above_most). */
static double segment(const sotto_sparse_vector_config *config, const int64_t *answers,
                      int begin, int end, bool ends_above)
{
    const double each = config->epsilon / (double)config->above_most;
    const double delta = (double)config->sensitivity;
    const double factor = config->change == SOTTO_CHANGE_ANY ? 4.0 : 2.0;
    const double threshold_scale = 2.0 * delta / each;
    const double answer_scale = factor * delta / each;
    const int64_t reach = (int64_t)(60.0 * threshold_scale);
    double sum = 0.0;
    for (int64_t noise = -reach; noise <= reach; noise++) {
        double product = laplace_tail(&threshold_scale, noise) -
                         laplace_tail(&threshold_scale, noise + 1);
        for (int i = begin; i < end; i++) {
            const double above =
                laplace_tail(&answer_scale, config->threshold + noise - answers[i]);
            product *= i == end - 1 && ends_above ? above : 1.0 - above;
        }
        sum += product;
    }
    return sum;
}

/* Transcripts as numbers in base three: 0 not asked, 1 below, 2 above. Fills law[TRANSCRIPTS]. */
static void transcript_law(const sotto_sparse_vector_config *config,
                           const int64_t *answers, double *out_law)
{
    for (int code = 0; code < TRANSCRIPTS; code++) {
        const int said[QUESTIONS] = {code / 9, code / 3 % 3, code % 3};
        double probability = 1.0;
        uint64_t left = config->above_most;
        int begin = 0;
        bool possible = true;
        for (int i = 0; i < QUESTIONS; i++) {
            possible = possible && (said[i] == 0) == (left == 0);
            if (!possible || left == 0) continue;
            const bool is_last = i == QUESTIONS - 1;
            if (said[i] == 2 || is_last) {
                probability *= segment(config, answers, begin, i + 1, said[i] == 2);
                begin = i + 1;
            }
            if (said[i] == 2) left--;
        }
        out_law[code] = possible ? probability : 0.0;
    }
}

static int run_once(sotto_gate *gate, const sotto_sparse_vector_config *config,
                    const int64_t *answers)
{
    sotto_error error;
    sotto_sparse_vector *run = NULL;
    assert_ok(sotto_sparse_vector_begin(gate, config, &run, &error), &error);
    int code = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        bool above = false;
        int said = 0;
        if (sotto_sparse_vector_left(run) > 0) {
            assert_ok(sotto_sparse_vector_ask(run, answers[i], &above, &error), &error);
            said = above ? 2 : 1;
        }
        code = 3 * code + said;
    }
    sotto_sparse_vector_free(run);
    return code;
}

/* False alarms: 1e-6 a comparison. */
static void transcripts_have_their_exact_law(void **state)
{
    (void)state;
    const int64_t answers[QUESTIONS] = {11, 8, 14};
    for (uint64_t scene = 0; scene < 4; scene++) {
        sotto_sparse_vector_config config = plain_config();
        config.above_most = 1 + scene / 2;
        if (scene % 2 == 1) config.change = SOTTO_CHANGE_MONOTONE;
        double law[TRANSCRIPTS], seen[TRANSCRIPTS] = {0}, sum = 0.0;
        transcript_law(&config, answers, law);
        for (int i = 0; i < TRANSCRIPTS; i++)
            sum += law[i];
        assert_relative(sum, 1.0, 1e-12);
        const release at =
            open_gate(config.adjacency, event_of(&config), DRAWS, 900 + scene);
        for (int i = 0; i < DRAWS; i++)
            seen[run_once(at.gate, &config, answers)] += 1.0;
        assert_same_law(chi_square_p(seen, law, TRANSCRIPTS, DRAWS));
        finish_gate(at);
    }
}

/* The theorem itself, on the laws: every change of the three answers that neighbours may cause, every
 * transcript. The monotone noise is enough for monotone changes and not for others. */
static double worst_loss(const sotto_sparse_vector_config *config, const int64_t *answers,
                         bool one_sign)
{
    double law[TRANSCRIPTS], other[TRANSCRIPTS], worst = 0.0;
    transcript_law(config, answers, law);
    for (int code = 0; code < 27; code++) {
        const int step[QUESTIONS] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
        int64_t moved[QUESTIONS];
        int least = 0, most = 0;
        for (int i = 0; i < QUESTIONS; i++) {
            moved[i] = answers[i] + step[i];
            least = step[i] < least ? step[i] : least;
            most = step[i] > most ? step[i] : most;
        }
        if (one_sign && least < 0 && most > 0) continue;
        transcript_law(config, moved, other);
        for (int i = 0; i < TRANSCRIPTS; i++) {
            if (law[i] > 0.0) worst = fmax(worst, fabs(log(law[i] / other[i])));
        }
    }
    return worst;
}

static void no_transcript_loses_more_than_epsilon(void **state)
{
    (void)state;
    const int64_t scenes[][QUESTIONS] = {
        {12, 12, 9}, {40, 40, -30}, {-20, 35, -20}, {60, 60, 60}};
    for (uint64_t above_most = 1; above_most <= 2; above_most++) {
        sotto_sparse_vector_config config = plain_config();
        config.above_most = above_most;
        double worst = 0.0, worst_monotone = 0.0, worst_mixed = 0.0;
        for (size_t i = 0; i < 4; i++) {
            config.change = SOTTO_CHANGE_ANY;
            worst = fmax(worst, worst_loss(&config, scenes[i], false));
            config.change = SOTTO_CHANGE_MONOTONE;
            worst_monotone = fmax(worst_monotone, worst_loss(&config, scenes[i], true));
            worst_mixed = fmax(worst_mixed, worst_loss(&config, scenes[i], false));
        }
        assert_true(worst <= config.epsilon && worst_monotone <= config.epsilon);
        if (above_most > 1) continue; /* three questions do not use up two runs */
        assert_true(worst >= 0.7 * config.epsilon);
        assert_true(worst_monotone >= 0.95 * config.epsilon);
        assert_true(worst_mixed >= 1.4 * config.epsilon);
    }
}

/* ---- the run ---- */

static void a_run_ends_after_the_last_above(void **state)
{
    (void)state;
    sotto_error error;
    sotto_sparse_vector_config config = plain_config();
    config.epsilon = 50.0; /* so that far answers are surely above or below */
    config.above_most = 3;
    const release at = open_gate(config.adjacency, event_of(&config), 1, 910);
    sotto_sparse_vector *run = NULL;
    assert_ok(sotto_sparse_vector_begin(at.gate, &config, &run, &error), &error);
    bool above = false;
    for (int i = 0; i < 100; i++) {
        assert_ok(sotto_sparse_vector_ask(run, INT64_MIN, &above, &error), &error);
        assert_false(above);
    }
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(sotto_sparse_vector_left(run), 3 - i);
        assert_ok(sotto_sparse_vector_ask(run, INT64_MAX, &above, &error), &error);
        assert_true(above);
    }
    above = false;
    assert_int_equal(sotto_sparse_vector_left(run), 0);
    assert_refused(sotto_sparse_vector_ask(run, INT64_MAX, &above, &error),
                   SOTTO_NOT_IN_PLAN, &error, "above_most", NULL);
    assert_false(above);
    sotto_sparse_vector_free(run);
    assert_refused(sotto_sparse_vector_begin(at.gate, &config, &run, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_null(run);
    finish_gate(at);
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sotto_sparse_vector_config bad = sotto_sparse_vector_defaults();
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    bad = plain_config();
    bad.above_most = 0;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "above_most", NULL);
    bad.above_most = (1 << 20) + 1;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "above_most", NULL);
    bad = plain_config();
    bad.sensitivity = 0;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sensitivity", NULL);
    bad.sensitivity = UINT64_C(1) << 43;
    bad.above_most = 1 << 10;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "coarser", NULL);
    bad.above_most = 1;
    bad.epsilon = 1e-3;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^40", NULL);
    bad = plain_config();
    bad.change = SOTTO_CHANGE_UNSET;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "change", NULL);
    bad = plain_config();
    bad.purpose = NULL;
    assert_refused(sotto_sparse_vector_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
    const sotto_sparse_vector_config good = plain_config();
    event = event_of(&good);
    assert_int_equal(event.mechanism, SOTTO_PURE);
    assert_true(event.epsilon == good.epsilon);

    sotto_sparse_vector *run = NULL;
    release at = shut_gate(good.adjacency, event, 1, 920);
    assert_refused(sotto_sparse_vector_begin(at.gate, &good, &run, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    bad = good;
    bad.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sotto_sparse_vector_begin(at.gate, &bad, &run, &error),
                   SOTTO_NOT_IN_PLAN, &error, "replace-one", NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(sotto_sparse_vector_begin(at.gate, &good, &run, &error),
                   SOTTO_OUT_OF_MEMORY, &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_null(run);
    sotto_sparse_vector_free(NULL);
    free_gate(at);
}

/* Noise is never smaller than asked for, and hardly larger. */
static void scales_are_rounded_up(void **state)
{
    (void)state;
    sotto_error error;
    const double epsilons[] = {1.0, 0.1, 1.0 / 3.0, 7.25, 0x1p-20 * 1.3, 1e-5, 900.0};
    const uint64_t multiples[] = {1, 2, 4, 12345, UINT64_C(1) << 20};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        for (size_t j = 0; j < sizeof multiples / sizeof multiples[0]; j++) {
            sot_ratio scale;
            double used = 0.0;
            assert_ok(
                sot_noise_for_epsilon(epsilons[i], multiples[j], &scale, &used, &error),
                &error);
            assert_true(scale.numerator <= SOT_DISCRETE_LAPLACE_MAX);
            assert_true(scale.denominator <= SOT_DISCRETE_LAPLACE_MAX);
            assert_within(used, epsilons[i] * (1.0 - 0x1p-10), epsilons[i]);
            const long double exact = (long double)multiples[j] / (long double)used;
            const long double drawn =
                (long double)scale.numerator / (long double)scale.denominator;
            assert_true(fabsl(drawn / exact - 1.0L) < 1e-18L);
        }
    }
}

/* ---- tape ---- */

static bool tape_sees(const int64_t *answers, const int64_t *neighbour, int64_t shift)
{
    sotto_error error;
    sotto_sparse_vector_config config = plain_config();
    sot_tape *tape = sot_tape_new();
    assert_non_null(tape);
    int codes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (i == 0) sot_tape_record(tape);
        if (i == 1) sot_tape_replay(tape, false);
        config.threshold = 10 + (i == 0 ? 0 : shift);
        const release at = open_gate(config.adjacency, event_of(&config), 1, 930);
        codes[i] = run_once(at.gate, &config, i == 0 ? answers : neighbour);
        assert_ok(sotto_gate_finish(at.gate, &error), &error);
        sot_tape_stop(tape);
        free_gate(at);
    }
    const bool sees = sot_tape_difference(tape) != NULL;
    if (!sees) assert_int_equal(codes[0], codes[1]);
    sot_tape_free(tape);
    return sees;
}

static void the_tape_checks_answers_and_threshold(void **state)
{
    (void)state;
    const int64_t answers[QUESTIONS] = {11, 8, 14};
    const int64_t near[QUESTIONS] = {10, 9, 14};
    const int64_t far[QUESTIONS] = {13, 8, 14};
    assert_false(tape_sees(answers, near, 0));
    assert_true(tape_sees(answers, far, 0));
    assert_true(tape_sees(answers, answers, 1)); /* a threshold taken from the data */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transcripts_have_their_exact_law),
        cmocka_unit_test(no_transcript_loses_more_than_epsilon),
        cmocka_unit_test(a_run_ends_after_the_last_above),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(scales_are_rounded_up),
        cmocka_unit_test(the_tape_checks_answers_and_threshold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
