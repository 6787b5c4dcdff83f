#include "pac_scene.h"

#include <sotto/selection.h>

static const uint64_t two_cells[24] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                       2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};

static sotto_status try_class(sot_concept_class *class, sotto_train_config config,
                              sotto_error *error)
{
    pac_scene at;
    const sotto_status status = pac_scene_begin(&at, class, config, 1, error);
    if (status == SOTTO_OK) sot_learner_free(at.learner);
    return status;
}

static sot_concept_class *thresholds(uint64_t cells)
{
    return hand_class(SOT_CONCEPT_THRESHOLDS, 1, &cells, true);
}

static void settings_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_train_config good =
        pac_config(SOTTO_METHOD_EXPONENTIAL, 1.0, SOTTO_ADD_REMOVE);
    assert_ok(try_class(thresholds(9), good, &error), &error);
    sotto_train_config bad = good;
    bad.lambda = 0.5;
    assert_refused(try_class(thresholds(9), bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "lambda", "0.5", NULL);
    bad = good;
    bad.delta = 1e-6;
    assert_refused(try_class(thresholds(9), bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "delta", "pure", NULL);
    bad = good;
    bad.steps = 3;
    assert_refused(try_class(thresholds(9), bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "steps", NULL);
    bad = good;
    bad.method = SOTTO_METHOD_OBJECTIVE;
    assert_refused(try_class(thresholds(9), bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "objective", "exponential", "laplace", NULL);
    const double epsilons[] = {0.0, -1.0, 1e-12, 1e9, NAN, INFINITY};
    const sotto_method methods[] = {SOTTO_METHOD_EXPONENTIAL,
                                    SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_METHOD_LAPLACE};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        for (size_t k = 0; k < 3; k++) {
            bad = pac_config(methods[k], epsilons[i], SOTTO_ADD_REMOVE);
            assert_refused(try_class(thresholds(9), bad, &error), SOTTO_INVALID_ARGUMENT,
                           &error, "epsilon", NULL);
        }
    }
}

static void classes_too_large_to_visit_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_method methods[] = {SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_METHOD_LAPLACE};
    static const char *const limits[] = {"2^24", "2^20 in all"};
    for (size_t k = 0; k < 2; k++) {
        const sotto_train_config config = pac_config(methods[k], 1.0, SOTTO_ADD_REMOVE);
        const char *name = sotto_method_name(methods[k]);
        assert_refused(try_class(thresholds(UINT64_C(1) << 32), config, &error),
                       SOTTO_INVALID_ARGUMENT, &error, name, "8589934594", limits[k],
                       "exponential", NULL);
        const uint64_t fits = (UINT64_C(1) << (k == 0 ? 23 : 19)) - 1; /* both ways */
        assert_ok(try_class(thresholds(fits), config, &error), &error);
        assert_refused(try_class(thresholds(fits + 1), config, &error),
                       SOTTO_INVALID_ARGUMENT, &error, name, limits[k], NULL);
        const uint64_t side = UINT64_C(1) << 13;
        assert_refused(
            try_class(hand_class(SOT_CONCEPT_INTERVALS, 1, &side, false), config, &error),
            SOTTO_INVALID_ARGUMENT, &error, name, limits[k], NULL);
        sot_concept_class *weighted = thresholds(9);
        hand_weights(weighted, 1);
        assert_refused(try_class(weighted, config, &error), SOTTO_INVALID_ARGUMENT,
                       &error, name, "weights", NULL);
    }
    const uint64_t sides[2] = {256, 257};
    const sotto_train_config config =
        pac_config(SOTTO_METHOD_EXPONENTIAL, 1.0, SOTTO_ADD_REMOVE);
    assert_refused(
        try_class(hand_class(SOT_CONCEPT_RECTANGLES, 2, sides, false), config, &error),
        SOTTO_INVALID_ARGUMENT, &error, "257 cells", "256", "bits", NULL);
}

static void what_the_theorem_uses_is_shown(void **state)
{
    (void)state;
    sotto_error error;
    pac_scene at;
    assert_ok(
        pac_scene_begin(&at, thresholds(UINT64_C(1) << 32),
                        pac_config(SOTTO_METHOD_EXPONENTIAL, 0.5, SOTTO_REPLACE_ONE), 3,
                        &error),
        &error);
    assert_true(pac_setting(&at, "concepts") == 0x1p33 + 2.0);
    assert_true(pac_setting(&at, "sensitivity") == 3.0);
    assert_true(pac_setting(&at, "range") == 6.0);
    /* The least t with (2^33 + 2) exp(-0.5 t / 6) <= 0.05. */
    assert_true(pac_setting(&at, "shortfall") == ceil(12.0 * log((0x1p33 + 2.0) / 0.05)));
    assert_false(at.learner->streams);
    assert_true(at.learner->sampler_error == 0.0 && at.learner->grid == 1.0);
    assert_int_equal(sot_learner_coefficients(at.learner), 2);
    sot_learner_free(at.learner);
    assert_ok(pac_scene_begin(&at, thresholds(9),
                              pac_config(SOTTO_METHOD_LAPLACE, 0.5, SOTTO_ADD_REMOVE), 1,
                              &error),
              &error);
    assert_within(pac_setting(&at, "scale"), 40.0, 40.0 * (1.0 + 1e-12)); /* 20 / 0.5 */
    assert_true(pac_setting(&at, "shortfall") == ceil(80.0 * log(400.0)));
    assert_true(at.learner->streams);
    sot_learner_free(at.learner);
}

/* Of all kinds: how many events, of which epsilon. The charge of all of them is at most what was asked for. */
static void plans_cost_what_was_asked_for(void **state)
{
    (void)state;
    const uint64_t cells[3] = {1 << 20, 1 << 20, 1 << 20};
    sotto_error error;
    for (size_t features = 1; features <= 7; features++) {
        pac_scene at;
        sotto_plan *plan = NULL;
        uint64_t sides[7];
        for (size_t j = 0; j < 7; j++)
            sides[j] = features == 2 ? 100 : cells[0];
        assert_ok(pac_scene_begin(
                      &at, hand_class(SOT_CONCEPT_RECTANGLES, features, sides, false),
                      pac_config(SOTTO_METHOD_EXPONENTIAL, 0.7, SOTTO_ADD_REMOVE), 1,
                      &error),
                  &error);
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        assert_ok(at.learner->plan(at.learner, plan, &error), &error);
        double epsilon = 0.0;
        uint64_t count = 0;
        for (size_t i = 0; i < sotto_plan_size(plan); i++) {
            const sotto_event *event = sotto_plan_event(plan, i);
            assert_int_equal(event->mechanism, SOTTO_EXPONENTIAL);
            count += event->count;
            epsilon += (double)event->count * event->epsilon;
        }
        assert_int_equal(count, features < 3 ? 1 : features);
        assert_within(epsilon, 0.7 * (1.0 - 1e-15), 0.7);
        sotto_plan_free(plan);
        sot_learner_free(at.learner);
    }
}

/* Every allocation fails in its turn: while the learner is made, while it learns. */
static void failing_allocations_are_reported(void **state)
{
    (void)state;
    const struct {
        sot_concept_kind kind;
        size_t features;
        uint64_t cells;
        sotto_method method;
        bool weighted;
    } from[] = {
        {SOT_CONCEPT_THRESHOLDS, 1, 12, SOTTO_METHOD_EXPONENTIAL, true},
        {SOT_CONCEPT_THRESHOLDS, 1, SOT_CELLS_MAX, SOTTO_METHOD_EXPONENTIAL, false},
        {SOT_CONCEPT_STUMPS, 3, 12, SOTTO_METHOD_PERMUTE_AND_FLIP, false},
        {SOT_CONCEPT_INTERVALS, 1, SOT_CELLS_MAX, SOTTO_METHOD_EXPONENTIAL, false},
        {SOT_CONCEPT_INTERVALS, 1, 12, SOTTO_METHOD_LAPLACE, false},
        {SOT_CONCEPT_RECTANGLES, 2, 12, SOTTO_METHOD_EXPONENTIAL, false},
        {SOT_CONCEPT_RECTANGLES, 2, 12, SOTTO_METHOD_PERMUTE_AND_FLIP, false},
        {SOT_CONCEPT_RECTANGLES, 3, 12, SOTTO_METHOD_EXPONENTIAL, false},
        {SOT_CONCEPT_PARITIES, 5, 2, SOTTO_METHOD_EXPONENTIAL, false},
        {SOT_CONCEPT_CANDIDATES, 5, 2, SOTTO_METHOD_LAPLACE, false},
    };
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        size_t refused = 0;
        for (size_t nth = 1;; nth++) {
            sotto_error error = {0};
            pac_scene at;
            double numbers[NUMBERS_MOST] = {-1.0};
            uint64_t cells[5];
            for (size_t j = 0; j < 5; j++)
                cells[j] = from[i].cells;
            sot_concept_class *class =
                hand_class(from[i].kind, from[i].features, cells, false);
            if (from[i].weighted) hand_weights(class, 1);
            sot_matrix rows = random_rows(class, 40, 5);
            (void)sot_test_fail_allocation(nth);
            sotto_status status = pac_scene_begin(
                &at, class, pac_config(from[i].method, 1.0, SOTTO_ADD_REMOVE), 1, &error);
            if (status == SOTTO_OK) {
                status = pac_learn(&at, &rows, 3, 1, numbers, &error);
                sot_learner_free(at.learner);
            }
            const size_t allocations = sot_test_fail_allocation(0);
            free_rows(&rows);
            if (status == SOTTO_OK && allocations < nth) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_true(numbers[0] == -1.0);
            refused++;
        }
        assert_true(refused >= 5);
    }
}

/* Twenty-four features of two cells, the largest class of masks; and one feature, the smallest. */
static void the_largest_and_the_smallest_class_are_made(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_train_config config =
        pac_config(SOTTO_METHOD_EXPONENTIAL, 1.0, SOTTO_ADD_REMOVE);
    pac_scene at;
    assert_ok(pac_scene_begin(&at, hand_class(SOT_CONCEPT_PARITIES, 24, two_cells, false),
                              config, 1, &error),
              &error);
    assert_true(pac_setting(&at, "concepts") == 0x1p24);
    sot_learner_free(at.learner);
    assert_ok(pac_scene_begin(&at,
                              hand_class(SOT_CONCEPT_CANDIDATES, 1, two_cells, false),
                              config, 1, &error),
              &error);
    sot_matrix rows = random_rows(at.learner->concept, 9, 2);
    double numbers[2] = {-1.0, -1.0};
    assert_ok(pac_learn(&at, &rows, 1, 1, numbers, &error), &error);
    assert_true(numbers[0] == 0.0 && numbers[1] == 0.0);
    free_rows(&rows);
    sot_learner_free(at.learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_mean_nothing_are_refused),
        cmocka_unit_test(classes_too_large_to_visit_are_refused),
        cmocka_unit_test(what_the_theorem_uses_is_shown),
        cmocka_unit_test(plans_cost_what_was_asked_for),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(the_largest_and_the_smallest_class_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
