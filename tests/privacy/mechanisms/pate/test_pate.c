#include "privacy/mechanisms/release.h"

#include "pate_vectors.h"

#include <sotto/pate_aggregate.h>
#include <sotto/propose_test_release.h>

#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/pate/pate.h"

enum { DRAWS = 20000, CLASSES = 4 };

static sotto_pate_config config_of(sotto_pate_aggregator aggregator)
{
    sotto_pate_config config = sotto_pate_defaults();
    config.aggregator = aggregator;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.unit = SOTTO_PATE_RECORDS;
    config.touched = 1;
    config.purpose = "labels of public rows";
    if (aggregator == SOTTO_PATE_MODE) {
        config.epsilon = 0.5;
        config.delta = 1e-3;
        return config;
    }
    config.noise = 7.5;
    if (aggregator == SOTTO_PATE_CONFIDENT || aggregator == SOTTO_PATE_INTERACTIVE) {
        config.threshold = 31.25;
        config.test_noise = 11.0;
    }
    if (aggregator == SOTTO_PATE_INTERACTIVE) {
        config.confidence = 0.8;
        config.teachers = 60;
    }
    return config;
}

/* A gate whose plan holds the caps; open. */
static release open_queries(const sotto_pate_config *config, uint64_t asked,
                            uint64_t answered, uint64_t seed)
{
    sotto_error error;
    release at = {.rng = test_rng(seed)};
    sotto_plan *plan = NULL;
    assert_ok(sotto_pate_plan(config, asked, answered, &plan, &error), &error);
    assert_ok(sotto_gate_new(plan, at.rng, &at.gate, &error), &error);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    sotto_plan_free(plan);
    return at;
}

static void finish_queries(release at)
{
    sotto_error error;
    assert_ok(sot_gate_finish_early(at.gate, &error), &error);
    assert_within(sotto_gate_sampler_error_upper(at.gate), 0.0, 0x1p-600);
    free_gate(at);
}

/* ---- laws ---- */

static double laplace_density(double x)
{
    return 0.5 * exp(-fabs(x));
}

static double laplace_below(double x)
{
    return x < 0.0 ? 0.5 * exp(x) : 1.0 - 0.5 * exp(-x);
}

static double normal_density(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* P[j is the argmax of n + scale Z]: integral of density(z) prod_i F(z + (n_j - n_i)/scale), by the
 * trapezoidal rule. */
static double wins(const int64_t *votes, size_t classes, size_t j, double scale,
                   bool laplace)
{
    const double reach = laplace ? 45.0 : 9.0, step = laplace ? 1e-3 : 2e-3;
    double sum = 0.0;
    for (double z = -reach; z <= reach; z += step) {
        double mass = laplace ? laplace_density(z) : normal_density(z);
        for (size_t i = 0; i < classes; i++) {
            if (i == j) continue;
            const double x = z + (double)(votes[j] - votes[i]) / scale;
            mass *= laplace ? laplace_below(x) : normal_below(x);
        }
        sum += mass * step;
    }
    return sum;
}

static void classes_are_said_as_often_as_they_should(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t votes[CLASSES] = {18, 22, 3, 17};
    for (int kind = SOTTO_PATE_LNMAX; kind <= SOTTO_PATE_GNMAX; kind++) {
        const sotto_pate_config config = config_of((sotto_pate_aggregator)kind);
        double law[CLASSES], wrong[CLASSES], seen[CLASSES] = {0};
        for (size_t j = 0; j < CLASSES; j++) {
            law[j] = wins(votes, CLASSES, j, config.noise, kind == SOTTO_PATE_LNMAX);
            wrong[j] =
                wins(votes, CLASSES, j, config.noise / 2.0, kind == SOTTO_PATE_LNMAX);
        }
        assert_within(law[0] + law[1] + law[2] + law[3], 1.0 - 1e-5, 1.0 + 1e-5);
        const release at = open_queries(&config, DRAWS, DRAWS, 400 + (uint64_t)kind);
        for (int i = 0; i < DRAWS; i++) {
            sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
            size_t said = 99;
            assert_ok(sotto_pate_label(at.gate, &config, votes, CLASSES, NULL, &outcome,
                                       &said, &error),
                      &error);
            assert_int_equal(outcome, SOTTO_PATE_VOTED);
            assert_true(said < CLASSES);
            seen[said] += 1.0;
        }
        assert_same_law(chi_square_p(seen, law, CLASSES, DRAWS));
        assert_other_law(chi_square_p(seen, wrong, CLASSES, DRAWS));
        assert_ok(sotto_gate_finish(at.gate, &error), &error);
        free_gate(at);
    }
}

/* False alarms: 1e-6 a comparison. */
static void maxima_fail_as_often_as_the_vectors_say(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    sotto_error error;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "gnmax", NULL, 14), *it;
    size_t index, compared = 0;
    json_array_foreach(cases, index, it)
    {
        int64_t votes[PATE_CLASSES_MOST];
        const size_t classes = pate_votes(it, votes);
        const json_t *exact = json_object_get(it, "q_exact");
        if (exact == NULL || json_number_value(exact) < 0.01) continue;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            best = votes[j] > votes[best] ? j : best;
        sotto_pate_config config = config_of(SOTTO_PATE_GNMAX);
        config.noise = pate_number(it, "sigma");
        const double q = json_number_value(exact), law[2] = {1.0 - q, q};
        double seen[2] = {0};
        const release at = open_queries(&config, TRIES, TRIES, 420 + index);
        for (int i = 0; i < TRIES; i++) {
            size_t said = 99;
            assert_ok(sot_pate_answer(at.gate, &config, votes, classes, &said, &error),
                      &error);
            seen[said == best ? 0 : 1] += 1.0;
        }
        assert_same_law(chi_square_p(seen, law, 2, TRIES));
        finish_queries(at);
        compared++;
    }
    assert_int_equal(compared, 6);
    json_decref(all);
}

static void tests_pass_as_often_as_the_vectors_say(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    sotto_error error;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "threshold", NULL, 8), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        sotto_pate_config config = config_of(SOTTO_PATE_CONFIDENT);
        config.threshold = pate_number(it, "threshold");
        config.test_noise = pate_number(it, "sigma1");
        const int64_t votes[] = {0, (int64_t)pate_number(it, "max_votes"), 1};
        const double p = pate_number(it, "pr_answered"), law[2] = {p, 1.0 - p};
        double seen[2] = {0};
        const release at = open_queries(&config, TRIES, TRIES, 440 + index);
        for (int i = 0; i < TRIES; i++) {
            bool passes = false;
            assert_ok(sot_pate_test(at.gate, &config, votes, 3, NULL, &passes, &error),
                      &error);
            seen[passes ? 0 : 1] += 1.0;
        }
        if (p > 1e-6 && p < 1.0 - 1e-6) {
            assert_same_law(chi_square_p(seen, law, 2, TRIES));
        } else {
            assert_true(seen[p > 0.5 ? 0 : 1] == TRIES);
        }
        finish_queries(at);
    }
    json_decref(all);
}

static void confident_and_interactive_queries_take_their_course(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t votes[CLASSES] = {25, 30, 2, 3};
    const double sure[CLASSES] = {0.1, 0.0, 0.85, 0.05};
    const double unsure[CLASSES] = {0.3, 0.2, 0.25, 0.25};
    const double *const students[] = {NULL, sure, unsure};
    for (int course = 0; course < 3; course++) {
        const double *student = students[course];
        const sotto_pate_config config =
            config_of(course == 0 ? SOTTO_PATE_CONFIDENT : SOTTO_PATE_INTERACTIVE);
        double top = 0.0, law[CLASSES + 2] = {0}, seen[CLASSES + 2] = {0};
        for (size_t j = 0; j < CLASSES; j++)
            top =
                fmax(top, (double)votes[j] - (student == NULL ? 0.0 : 60.0 * student[j]));
        const double p = normal_below((top - config.threshold) / config.test_noise);
        assert_within(p, 0.02, 0.98);
        for (size_t j = 0; j < CLASSES; j++)
            law[j] = p * wins(votes, CLASSES, j, config.noise, false);
        law[course == 1 ? CLASSES + 1 : CLASSES] = 1.0 - p;
        const release at = open_queries(&config, DRAWS, DRAWS, 460 + (uint64_t)course);
        uint64_t answered = 0;
        for (int i = 0; i < DRAWS; i++) {
            sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
            size_t said = 99;
            assert_ok(sotto_pate_label(at.gate, &config, votes, CLASSES, student,
                                       &outcome, &said, &error),
                      &error);
            if (outcome == SOTTO_PATE_VOTED) {
                seen[said] += 1.0;
                answered++;
            } else if (outcome == SOTTO_PATE_REINFORCED) {
                assert_int_equal(said, 2);
                seen[CLASSES + 1] += 1.0;
            } else {
                assert_int_equal(said, CLASSES);
                seen[CLASSES] += 1.0;
            }
        }
        assert_same_law(chi_square_p(seen, law, CLASSES + 2, DRAWS));
        /* Every test is paid, answers only where there is one. */
        assert_int_equal(sotto_gate_released(at.gate, 0), DRAWS);
        assert_int_equal(sotto_gate_released(at.gate, 1), answered);
        assert_refused(sotto_gate_finish(at.gate, &error), SOTTO_NOT_IN_PLAN, &error,
                       NULL);
        finish_queries(at);
    }
}

/* The PTR vectors' release probabilities are of real Laplace noise on gap/2 - 1 and on the threshold of
 * the theorem; on integers distance and threshold are rounded, and the probability is between those of the
 * real test one step away. */
static void modes_are_released_about_as_often_as_the_vectors_say(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "ptr_mode", NULL, 7), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const double epsilon = pate_number(it, "epsilon");
        const double delta = pate_number(it, "delta");
        const double t = pate_number(it, "distance_statistic");
        const double exact = pate_number(it, "threshold_exact_delta");
        const double textbook = pate_number(it, "threshold_textbook");
        assert_vector(exact, -log(2.0 * delta) / epsilon);
        assert_vector(textbook, -log(delta) / epsilon);
        assert_vector(1.0 - laplace_below(epsilon * (exact - t)),
                      pate_number(it, "pr_release_exact_delta"));
        assert_vector(1.0 - laplace_below(epsilon * (textbook - t)),
                      pate_number(it, "pr_release_textbook"));
        const json_t *normal = json_object_get(it, "gaussian_variant");
        const double sigma = pate_number(normal, "sigma");
        const double above = pate_number(normal, "threshold");
        assert_relative(0.5 * erfc(above / sigma / sqrt(2.0)), delta, 1e-9);
        assert_vector(0.5 * erfc((above - t) / sigma / sqrt(2.0)),
                      pate_number(normal, "pr_release"));
        assert_vector(0.5 / (sigma * sigma), pate_number(normal, "rho"));
        /* Ours. */
        sotto_error error;
        sotto_propose_test_release_config config = sotto_propose_test_release_defaults();
        int64_t k = 0;
        config.epsilon = epsilon;
        config.delta = delta;
        config.adjacency = SOTTO_REPLACE_ONE;
        config.purpose = "mode";
        assert_ok(sotto_propose_test_release_threshold(&config, &k, &error), &error);
        const double scale = 1.0 / epsilon;
        const double whole =
            pate_number(it, "dist_to_unstable_integer"); /* ceil(gap/2) - 1 */
        const double ours = laplace_tail(&scale, k - (int64_t)whole);
        assert_within(ours, 1.0 - laplace_below(epsilon * (exact + 1.0 - t)) - 1e-15,
                      1.0 - laplace_below(epsilon * (exact - 1.0 - t)) + 1e-15);
    }
    json_decref(all);
}

static void modes_of_touched_teachers_are_told_by_their_gap(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    sotto_error error;
    const int64_t votes[] = {11, 40, 7};
    for (int course = 0; course < 3; course++) {
        sotto_pate_config config = config_of(SOTTO_PATE_MODE);
        config.touched = course == 1 ? 2 : 1;
        config.unit = course == 2 ? SOTTO_PATE_TEACHERS : SOTTO_PATE_RECORDS;
        if (course == 2) config.delta = 1e-6;
        /* gap 29: ceil(29/2) - 1 = 14, ceil(29/4) - 1 = 7, 29 - 1 = 28. */
        const int64_t distance[] = {14, 7, 28};
        sotto_propose_test_release_config same = {.epsilon = config.epsilon,
                                                  .delta = config.delta,
                                                  .adjacency = SOTTO_ADD_REMOVE,
                                                  .purpose = "mode"};
        int64_t threshold = 0;
        const double scale = 2.0;
        assert_ok(sotto_propose_test_release_threshold(&same, &threshold, &error),
                  &error);
        const double p = laplace_tail(&scale, threshold - distance[course]);
        const double law[2] = {p, 1.0 - p};
        double seen[2] = {0};
        const release at = open_queries(&config, TRIES, TRIES, 480 + (uint64_t)course);
        for (int i = 0; i < TRIES; i++) {
            sotto_pate_outcome outcome = SOTTO_PATE_REINFORCED;
            size_t said = 99;
            assert_ok(sotto_pate_label(at.gate, &config, votes, 3, NULL, &outcome, &said,
                                       &error),
                      &error);
            assert_int_equal(said, outcome == SOTTO_PATE_VOTED ? 1 : 3);
            seen[outcome == SOTTO_PATE_VOTED ? 0 : 1] += 1.0;
        }
        assert_same_law(chi_square_p(seen, law, 2, TRIES));
        finish_queries(at);
    }
}

/* ---- the gate ---- */

static void the_tape_checks_how_many_votes_move(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t data[][3] = {{30, 14, 2}, {29, 15, 2}, {28, 16, 2}, {29, 14, 2}};
    const double student[] = {0.2, 0.3, 0.5};
    for (int kind = SOTTO_PATE_LNMAX; kind <= SOTTO_PATE_MODE; kind++) {
        for (uint64_t touched = 1; touched <= 2; touched++) {
            for (size_t other = 0; other < 4; other++) {
                sotto_pate_config config = config_of((sotto_pate_aggregator)kind);
                config.touched = touched;
                sot_tape *tape = sot_tape_new();
                assert_non_null(tape);
                size_t said[2] = {98, 99};
                sotto_pate_outcome outcome[2] = {SOTTO_PATE_NOTHING, SOTTO_PATE_VOTED};
                for (int i = 0; i < 2; i++) {
                    if (i == 0) sot_tape_record(tape);
                    if (i == 1) sot_tape_replay(tape, false);
                    const release at = open_queries(&config, 2, 2, 500);
                    assert_ok(
                        sotto_pate_label(at.gate, &config, data[i == 0 ? 0 : other], 3,
                                         kind == SOTTO_PATE_INTERACTIVE ? student : NULL,
                                         &outcome[i], &said[i], &error),
                        &error);
                    sot_tape_stop(tape);
                    free_gate(at);
                }
                /* Two votes moved are more than one touched teacher moves. */
                assert_true((sot_tape_difference(tape) == NULL) ==
                            (touched == 2 || other != 2));
                assert_int_equal(said[0], said[1]);
                assert_int_equal(outcome[0], outcome[1]);
                sot_tape_free(tape);
            }
        }
    }
}

static void caps_are_kept_and_told(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t votes[] = {2, 250, 3};
    sotto_pate_config config = config_of(SOTTO_PATE_CONFIDENT);
    const release at = open_queries(&config, 5, 2, 510);
    uint64_t left = 99;
    for (uint64_t i = 0; i < 2; i++) {
        size_t said = 99;
        sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
        assert_ok(sotto_pate_left(at.gate, &config, &left, &error), &error);
        assert_int_equal(left, 5 - i);
        assert_ok(
            sotto_pate_label(at.gate, &config, votes, 3, NULL, &outcome, &said, &error),
            &error);
        assert_int_equal(outcome, SOTTO_PATE_VOTED); /* 20 sigma above the threshold */
        assert_int_equal(said, 1);
    }
    /* Three more could be asked, but none answered. */
    assert_ok(sotto_pate_left(at.gate, &config, &left, &error), &error);
    assert_int_equal(left, 0);
    size_t said = 99;
    sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
    assert_refused(
        sotto_pate_label(at.gate, &config, votes, 3, NULL, &outcome, &said, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_int_equal(said, 99);
    finish_queries(at);
}

static void plans_price_caps(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_config config = config_of(SOTTO_PATE_CONFIDENT);
    config.threshold = 200.0;
    config.test_noise = 150.0;
    config.noise = 40.0;
    sotto_plan *plan = NULL;
    double rdp = 0.0;
    assert_ok(sotto_pate_plan(&config, 640, 286, &plan, &error), &error);
    assert_int_equal(sotto_plan_size(plan), 2);
    assert_ok(sotto_account_rdp(plan, 14.0, &rdp, &error), &error);
    assert_relative(rdp, 640.0 * 14.0 / 45000.0 + 286.0 * 14.0 / 1600.0, 1e-13);
    /* Gaussian all of it, so the exact price is that of one Gaussian-DP release. */
    sotto_account account;
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-5, &account, &error), &error);
    assert_within(account.epsilon, account.epsilon_lower, account.epsilon_lower * 1.001);
    sotto_plan_free(plan);
    assert_refused(sotto_pate_plan(&config, 3, 4, &plan, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no more than `ask`", NULL);
    assert_refused(sotto_pate_plan(&config, 3, 0, &plan, &error), SOTTO_INVALID_ARGUMENT,
                   &error, NULL);
    config = config_of(SOTTO_PATE_GNMAX);
    assert_refused(sotto_pate_plan(&config, 3, 2, &plan, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "answers every query", NULL);
    for (size_t failing = 1; failing < 12; failing++) {
        (void)sot_test_fail_allocation(failing);
        const sotto_status status = sotto_pate_plan(&config, 3, 3, &plan, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sotto_plan_free(plan);
            assert_true(failing > 1);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
}

static void the_most_answers_of_a_target_are_found(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_config config = config_of(SOTTO_PATE_CONFIDENT);
    config.threshold = 200.0;
    config.test_noise = 150.0;
    config.noise = 40.0;
    uint64_t answered = 0;
    sotto_account account;
    assert_ok(sotto_pate_answers(&config, 640, 4.0, 1e-5, &answered, &account, &error),
              &error);
    assert_within(account.epsilon, 3.99, 4.0);
    for (uint64_t more = 0; more < 2; more++) {
        sotto_plan *plan = NULL;
        assert_ok(
            sotto_pate_plan(&config, answered + 640, answered + more, &plan, &error),
            &error);
        sotto_plan_free(plan);
        /* The plan that is charged: 640 asked. */
        sotto_event test, answer;
        assert_ok(sotto_pate_event(&config, SOTTO_PATE_TEST, &test, &error), &error);
        assert_ok(sotto_pate_event(&config, SOTTO_PATE_ANSWER, &answer, &error), &error);
        test.count = 640;
        answer.count = answered + more;
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        assert_ok(sotto_plan_add(plan, &test, &error), &error);
        assert_ok(sotto_plan_add(plan, &answer, &error), &error);
        assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-5, &account, &error),
                  &error);
        assert_true((account.epsilon <= 4.0) == (more == 0));
        sotto_plan_free(plan);
    }
    assert_refused(sotto_pate_answers(&config, 0, 4.0, 1e-5, &answered, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`ask` is 0", NULL);
    assert_refused(
        sotto_pate_answers(&config, 1000000, 0.5, 1e-5, &answered, &account, &error),
        SOTTO_UNREACHABLE, &error, NULL);
    config = config_of(SOTTO_PATE_LNMAX);
    config.noise = 20.0;
    assert_ok(sotto_pate_answers(&config, 0, 4.0, 1e-5, &answered, &account, &error),
              &error);
    assert_within((double)answered, 50.0, 200.0); /* 40 by adding epsilons */
}

static void bad_queries_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t votes[] = {4, 9}, negative[] = {4, -1};
    const int64_t many[] = {INT64_C(1) << 24, 1};
    const double student[] = {0.5, 0.5}, bad[] = {0.5, 1.5};
    sotto_pate_config config = config_of(SOTTO_PATE_GNMAX);
    sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
    size_t said = 99;
    const release at = open_queries(&config, 1, 1, 520);
#define LABEL(settings, counts, classes, scores)                                         \
    sotto_pate_label(at.gate, &(settings), counts, classes, scores, &outcome, &said,     \
                     &error)
    assert_refused(LABEL(config, votes, 1, NULL), SOTTO_INVALID_ARGUMENT, &error,
                   "classes", NULL);
    assert_refused(LABEL(config, negative, 2, NULL), SOTTO_INVALID_ARGUMENT, &error,
                   "votes", NULL);
    assert_refused(LABEL(config, many, 2, NULL), SOTTO_INVALID_ARGUMENT, &error, "votes",
                   NULL);
    assert_refused(LABEL(config, votes, 2, student), SOTTO_INVALID_ARGUMENT, &error,
                   "student", NULL);
    sotto_pate_config other = config_of(SOTTO_PATE_INTERACTIVE);
    assert_refused(LABEL(other, votes, 2, NULL), SOTTO_INVALID_ARGUMENT, &error,
                   "student", NULL);
    assert_refused(LABEL(other, votes, 2, bad), SOTTO_INVALID_ARGUMENT, &error, "1.5",
                   NULL);
    assert_refused(LABEL(other, votes, 2, student), SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.noise = 7.0;
    assert_refused(LABEL(other, votes, 2, NULL), SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(LABEL(other, votes, 2, NULL), SOTTO_NOT_IN_PLAN, &error, "replace-one",
                   NULL);
    other = config;
    other.purpose = "a purpose that is somewhat longer than forty bytes";
    assert_refused(LABEL(other, votes, 2, NULL), SOTTO_INVALID_ARGUMENT, &error,
                   "purpose", NULL);
    sotto_event event;
    assert_refused(sotto_pate_event(&config, SOTTO_PATE_TEST, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "gnmax", NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(LABEL(config, votes, 2, NULL), SOTTO_OUT_OF_MEMORY, &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_int_equal(said, 99);
    assert_ok(LABEL(config, votes, 2, NULL), &error);
#undef LABEL
    assert_ok(sotto_gate_finish(at.gate, &error), &error);
    free_gate(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_said_as_often_as_they_should),
        cmocka_unit_test(maxima_fail_as_often_as_the_vectors_say),
        cmocka_unit_test(tests_pass_as_often_as_the_vectors_say),
        cmocka_unit_test(confident_and_interactive_queries_take_their_course),
        cmocka_unit_test(modes_are_released_about_as_often_as_the_vectors_say),
        cmocka_unit_test(modes_of_touched_teachers_are_told_by_their_gap),
        cmocka_unit_test(the_tape_checks_how_many_votes_move),
        cmocka_unit_test(caps_are_kept_and_told),
        cmocka_unit_test(plans_price_caps),
        cmocka_unit_test(the_most_answers_of_a_target_are_found),
        cmocka_unit_test(bad_queries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
