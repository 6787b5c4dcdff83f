/* Studies of private learning on invented rows: they say what the formulas say, again and again the same, and refuse what is out of
 * range. And, with few repeats, that learners at the calculator's size fail with probability at most beta (all of it:
 * slow_pac_failure.c).
 *
 * False alarms: 1e-6 a comparison with a formula, 1e-3 a comparison with beta; seeds are fixed. */
#include "failure_study.h"

#include <sotto/pac_experiment.h>

#include "base/memory.h"

static const uint64_t few_rows[] = {4, 12, 20};
static const uint64_t few_classes[] = {8, 256, UINT64_C(1) << 60};

static sotto_packing_config packing_config(void)
{
    return (sotto_packing_config){.size = sizeof(sotto_packing_config),
                                  .adjacency = SOTTO_REPLACE_ONE,
                                  .epsilon = 1.0,
                                  .rows = few_rows,
                                  .rows_count = 3,
                                  .class_sizes = few_classes,
                                  .class_count = 3,
                                  .repeats = 600,
                                  .seed = 5};
}

static sotto_packing_study *packing_of(const sotto_packing_config *config)
{
    sotto_error error;
    sotto_packing_study *study = NULL;
    assert_ok(sotto_packing_study_new(config, &study, &error), &error);
    return study;
}

/* ---- the packing ---- */

/* Both tails of a binomial count are above 5e-7. */
static void assert_share(double share, double chance, double repeats)
{
    const double seen = share * repeats;
    const double lower =
        seen >= repeats ? 1.0
                        : sot_incomplete_beta(repeats - seen, seen + 1.0, 1.0 - chance);
    const double upper =
        seen <= 0.0 ? 1.0 : sot_incomplete_beta(seen, repeats - seen + 1.0, chance);
    if (!(lower >= 5e-7 && upper >= 5e-7)) fail_msg("%g seen of %g", share, chance);
}

static void the_packing_is_simulated_as_the_formulas_say(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        sotto_packing_config config = packing_config();
        config.adjacency = i == 0 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
        sotto_packing_study *study = packing_of(&config);
        const sotto_packing_point *at = sotto_packing_study_points(study);
        for (size_t j = 0; j < 9; j++, at++) {
            assert_int_equal(at->class_size, few_classes[j / 3]);
            assert_int_equal(at->rows, few_rows[j % 3]);
            assert_share(at->exponential_seen, at->success.exponential, 600.0);
            if (j < 6) {
                assert_share(at->permute_and_flip_seen, at->success.permute_and_flip,
                             600.0);
            } else {
                assert_true(isnan(at->permute_and_flip_seen)); /* too many to list */
            }
        }
        assert_null(sotto_packing_study_contrast(study));
        assert_int_equal(sotto_packing_study_rows(study)[1].exponential,
                         i == 0 ? 32 : 16);
        sotto_packing_study_free(study);
    }
}

/* The same rows: hopeless on the packing, and no worse for a larger class where density is bounded or the loss smooth. */
static void the_contrast_does_not_depend_on_the_class(void **state)
{
    (void)state;
    static const uint64_t classes[] = {UINT64_C(1) << 12, UINT64_C(1) << 60};
    sotto_packing_config config = packing_config();
    config.class_sizes = classes;
    config.class_count = 2;
    config.repeats = 60;
    config.contrast_rows = 20;
    config.epsilon = 2.0;
    sotto_packing_study *study = packing_of(&config);
    const sotto_packing_contrast *at = sotto_packing_study_contrast(study);
    assert_non_null(at);
    assert_true(at[1].packed_error == 0.5 && at[1].packed_error_least > 0.39);
    assert_share(1.0 - 2.0 * at[0].packed_error, 1.0 - 2.0 * at[0].packed_error_exact,
                 60.0);
    for (int i = 0; i < 2; i++) {
        assert_within(at[i].dense_error, 0.01, 0.12);
        assert_within(at[i].lipschitz_excess, 0.01, 0.27);
        assert_within(at[i].lipschitz_silent, 0.28, 0.33);
    }
    sotto_packing_study_free(study);
}

static void the_same_seed_gives_the_same_study(void **state)
{
    (void)state;
    const sotto_packing_config config = packing_config();
    sotto_packing_study *first = packing_of(&config), *second = packing_of(&config);
    sotto_error error;
    char *pictures[2] = {NULL, NULL};
    assert_ok(sotto_packing_study_to_svg(first, &pictures[0], &error), &error);
    assert_ok(sotto_packing_study_to_svg(second, &pictures[1], &error), &error);
    assert_string_equal(pictures[0], pictures[1]);
    assert_non_null(strstr(pictures[0], "permute-and-flip"));
    assert_non_null(strstr(pictures[0], "</svg>"));
    for (int i = 0; i < 2; i++)
        sotto_free(pictures[i]);
    sotto_packing_study_free(first);
    sotto_packing_study_free(second);
    sotto_packing_study_free(NULL);
}

/* ---- the experiment ---- */

static const uint64_t experiment_rows[] = {40, 640};

static sotto_pac_experiment_config experiment_config(double noise)
{
    return (sotto_pac_experiment_config){.size = sizeof(sotto_pac_experiment_config),
                                         .adjacency = SOTTO_ADD_REMOVE,
                                         .epsilon = 1.0,
                                         .cells = 64,
                                         .noise = noise,
                                         .beta = 0.1,
                                         .rows = experiment_rows,
                                         .rows_count = 2,
                                         .repeats = 60,
                                         .seed = 3};
}

static void learners_learn_and_stay_below_their_bounds(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        const sotto_pac_experiment_config config =
            experiment_config(half == 0 ? 0.0 : 0.2);
        sotto_pac_experiment *made = NULL;
        sotto_error error;
        assert_ok(sotto_pac_experiment_run(&config, &made, &error), &error);
        const sotto_pac_experiment_point *at = sotto_pac_experiment_points(made);
        for (int i = 0; i < SOTTO_PAC_LEARNERS; i++) {
            assert_int_equal(at[1].rows, 640);
            assert_true(at[1].excess[i].mean < at[0].excess[i].mean);
            for (int j = 0; j < 2; j++) {
                if (!isnan(at[j].excess[i].bound))
                    assert_true(at[j].excess[i].quantile <= at[j].excess[i].bound);
            }
        }
        assert_true(at[1].excess[SOTTO_PAC_LEARNER_EXPONENTIAL].mean <
                    at[1].excess[SOTTO_PAC_LEARNER_LAPLACE].mean);
        char *svg = NULL;
        assert_ok(
            sotto_pac_experiment_to_svg(made, half == 0 ? NULL : made, &svg, &error),
            &error);
        assert_non_null(strstr(svg, half == 0 ? "Realizable" : "Agnostic: 20 %"));
        sotto_free(svg);
        sotto_pac_experiment_free(made);
    }
    assert_string_equal(sotto_pac_learner_name(SOTTO_PAC_LEARNER_PUBLIC), "public");
    assert_string_equal(sotto_pac_learner_name((sotto_pac_learner)4), "unknown");
}

/* ---- failures at the calculator's size ---- */

static void the_calculators_size_is_enough(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const failure_study study = {
            .adjacency = i == 0 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
            .method = i == 0 ? SOTTO_METHOD_EXPONENTIAL : SOTTO_METHOD_PERMUTE_AND_FLIP,
            .size = 12,
            .epsilon = 1.0,
            .alpha = 0.2,
            .beta = 0.1,
            .repeats = 500,
            .seed = 80 + (uint64_t)i};
        const uint64_t rows = study_rows(&study);
        assert_true(tail_of(&study, failures_at(&study, rows)) >= 1e-3);
        assert_true(tail_of(&study, failures_at(&study, rows / 2)) <= 1e-6);
    }
}

/* ---- refusals ---- */

static void wrong_studies_are_refused(void **state)
{
    (void)state;
    static const uint64_t falling[] = {8, 4};
    static const uint64_t odd[] = {5};
    sotto_error error;
    sotto_packing_study *study = NULL;
    sotto_packing_config config = packing_config();
    config.rows_count = 0;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 numbers of rows", NULL);
    config = packing_config();
    config.class_sizes = falling;
    config.class_count = 2;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "class sizes", "ascend", NULL);
    config = packing_config();
    config.rows = odd;
    config.rows_count = 1;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "even", NULL);
    config = packing_config();
    config.repeats = UINT64_C(1) << 40;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "repeats", NULL);
    config = packing_config();
    config.contrast_rows = 7;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "contrast at 7", NULL);
    config.contrast_rows = 8;
    config.repeats = 0;
    assert_refused(sotto_packing_study_new(&config, &study, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "repeats", NULL);
    assert_null(study);
}

static void wrong_experiments_are_refused(void **state)
{
    (void)state;
    static const uint64_t none[] = {0, 5};
    const struct {
        const char *word;
        sotto_pac_experiment_config config;
    } wrong[] = {
        {"epsilon", {.epsilon = 0.0, .cells = 8, .beta = 0.1, .repeats = 1}},
        {"cells", {.epsilon = 1.0, .cells = 1, .beta = 0.1, .repeats = 1}},
        {"cells", {.epsilon = 1.0, .cells = 1 << 17, .beta = 0.1, .repeats = 1}},
        {"noise", {.epsilon = 1.0, .cells = 8, .noise = 0.5, .beta = 0.1, .repeats = 1}},
        {"beta", {.epsilon = 1.0, .cells = 8, .beta = 1.0, .repeats = 1}},
        {"repeats", {.epsilon = 1.0, .cells = 8, .beta = 0.1, .repeats = 0}},
    };
    sotto_error error;
    sotto_pac_experiment *made = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sotto_pac_experiment_config config = wrong[i].config;
        config.size = sizeof config;
        config.adjacency = SOTTO_ADD_REMOVE;
        config.rows = experiment_rows;
        config.rows_count = 1;
        assert_refused(sotto_pac_experiment_run(&config, &made, &error),
                       SOTTO_INVALID_ARGUMENT, &error, wrong[i].word, NULL);
    }
    sotto_pac_experiment_config config = experiment_config(0.0);
    config.rows = none;
    assert_refused(sotto_pac_experiment_run(&config, &made, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "from 0 to 5", NULL);
    assert_null(made);
}

/* ---- memory ---- */

static void failing_memory_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    static const uint64_t one_class[] = {16}, one_number[] = {4};
    sotto_packing_config packing = {.size = sizeof packing,
                                    .adjacency = SOTTO_ADD_REMOVE,
                                    .epsilon = 1.0,
                                    .rows = one_number,
                                    .rows_count = 1,
                                    .class_sizes = one_class,
                                    .class_count = 1,
                                    .contrast_rows = 4,
                                    .repeats = 1,
                                    .seed = 1};
    sotto_pac_experiment_config config = experiment_config(0.2);
    config.rows = one_number;
    config.rows_count = 1;
    config.repeats = 1;
    for (int kind = 0; kind < 2; kind++) {
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        for (size_t nth = 1; status != SOTTO_OK; nth++) {
            sotto_error error;
            sotto_packing_study *study = NULL;
            sotto_pac_experiment *made = NULL;
            char *svg = NULL;
            (void)sot_test_fail_allocation(nth);
            status = kind == 0 ? sotto_packing_study_new(&packing, &study, &error)
                               : sotto_pac_experiment_run(&config, &made, &error);
            if (status == SOTTO_OK)
                status = kind == 0
                             ? sotto_packing_study_to_svg(study, &svg, &error)
                             : sotto_pac_experiment_to_svg(made, NULL, &svg, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_true(nth < 3000);
            sotto_free(svg);
            sotto_packing_study_free(study);
            sotto_pac_experiment_free(made);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_packing_is_simulated_as_the_formulas_say),
        cmocka_unit_test(the_contrast_does_not_depend_on_the_class),
        cmocka_unit_test(the_same_seed_gives_the_same_study),
        cmocka_unit_test(learners_learn_and_stay_below_their_bounds),
        cmocka_unit_test(the_calculators_size_is_enough),
        cmocka_unit_test(wrong_studies_are_refused),
        cmocka_unit_test(wrong_experiments_are_refused),
        cmocka_unit_test(failing_memory_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
