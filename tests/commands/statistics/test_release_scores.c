/* Scores of a model on private rows from one histogram: what leaves, its price, and its intervals. */
#include "support.h"

#include <math.h>

#include <sotto/release.h>

#include "artifact/model_file/model.h"
#include "base/memory.h"
#include "commands/session/noise.h"
#include "commands/statistics/scores.h"
#include "model_study.h"
#include "random/discrete_laplace.h"
#include "random/normal.h"

static sotto_release_config config_of(const sotto_model *model)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_SCORES;
    config.model = model;
    config.epsilon = 0.75;
    config.insecure_test = true;
    config.test_seed = 20261119;
    return config;
}

/* ---- neighbours ---- */

static void check_neighbours(sotto_adjacency adjacency, double delta, double threshold)
{
    sotto_model *model = read_model(model_text);
    release_study study = {.config = config_of(model)};
    study.config.epsilon =
        200; /* so little noise that all scores of nine rows are printed */
    study.config.adjacency = adjacency;
    study.config.delta = delta;
    study.config.threshold = threshold;
    tape_study tape = study_of(&study);
    tape.run = model_run;
    const char *leak = study_releases(&tape) ? tape_check_neighbours(&tape, adjacency)
                                             : "it releases nothing";
    if (leak != NULL) fail_msg("%s", leak);
    sotto_model_free(model);
}

static void one_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    check_neighbours(SOTTO_ADD_REMOVE, SOTTO_UNSET, 0.5);
}

static void one_row_replaced_shows_nothing(void **state)
{
    (void)state;
    check_neighbours(SOTTO_REPLACE_ONE, 1e-6, 0.125);
}

/* ---- the price ---- */

static double noise_of(const sotto_model *model, sotto_adjacency adjacency, double delta)
{
    sotto_release_config config = config_of(model);
    sotto_plan *plan = NULL;
    sotto_error error;
    config.epsilon = 0.5;
    config.delta = delta;
    config.adjacency = adjacency;
    assert_ok(sotto_release_plan(&config, sotto_model_schema(model), &plan, &error),
              &error);
    assert_int_equal(sotto_plan_size(plan), 1);
    const sotto_event *event = sotto_plan_event(plan, 0);
    const double noise = isnan(delta) ? event->scale : event->noise_multiplier;
    sotto_plan_free(plan);
    return noise;
}

static sotto_model *read_person_model(void)
{
    char text[2 * sizeof model_text];
    const char *where = strstr(model_text, "\"target\"");
    (void)snprintf(text, sizeof text,
                   "%.*s\"unit\": {\"column\": \"person\", \"rows\": 3}, %s",
                   (int)(where - model_text), model_text, where);
    char *columns = strstr(text, "\"columns\": [");
    char tail[sizeof model_text];
    (void)snprintf(tail, sizeof tail, "%s", columns + strlen("\"columns\": ["));
    (void)snprintf(columns, sizeof text - (size_t)(columns - text),
                   "\"columns\": [{\"name\": \"person\", \"type\": \"id\"}, %s", tail);
    return read_model(text);
}

/* By hand: an L1 sensitivity of 1, of 2 for a row exchanged, times the rows of a unit. */
static void the_noise_is_that_of_one_histogram(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    sotto_model *persons = read_person_model();
    assert_within(noise_of(model, SOTTO_ADD_REMOVE, SOTTO_UNSET), 2.0, 2.0 + 1e-12);
    assert_within(noise_of(model, SOTTO_REPLACE_ONE, SOTTO_UNSET), 4.0, 4.0 + 1e-12);
    assert_within(noise_of(persons, SOTTO_ADD_REMOVE, SOTTO_UNSET), 6.0, 6.0 + 1e-12);
    assert_within(noise_of(persons, SOTTO_REPLACE_ONE, SOTTO_UNSET), 12.0, 12.0 + 1e-12);
    sotto_model_free(persons);
    sotto_model_free(model);
}

/* ---- the numbers ---- */

static void the_scores_are_those_of_the_rows_but_for_the_noise(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    const sotto_data_file file = {.path = path};
    sotto_error error;
    const double thresholds[] = {0.5, 0.25, 0.875, 0.0, 1.0};
    for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
        sotto_evaluation exact;
        sotto_release_result *result = NULL;
        sotto_release_config config = config_of(model);
        config.epsilon = 1e3; /* noise far below one row */
        config.threshold = thresholds[i];
        assert_ok(sotto_model_evaluate_data(model, &file, thresholds[i], &exact, &error),
                  &error);
        assert_ok(sotto_release_data(&config, sotto_model_schema(model), &file, &result,
                                     &error),
                  &error);
        const uint64_t *cells = exact.confusion;
        const double found = (double)cells[3];
        const double said = (double)(cells[1] + cells[3]);
        const double there = (double)(cells[2] + cells[3]);
        const struct {
            double value, within;
        } wanted[SOT_SCORE_VALUES] = {
            [SOT_SCORE_AUC] = {exact.auc, 0.005},
            [SOT_SCORE_LOG_LOSS] = {exact.log_loss, 0.02},
            [SOT_SCORE_BRIER] = {exact.brier, 0.01},
            [SOT_SCORE_ACCURACY] = {exact.accuracy, 1e-12},
            [SOT_SCORE_BALANCED] = {exact.balanced_accuracy, 1e-12},
            [SOT_SCORE_RECALL] = {found / there, 1e-12},
            [SOT_SCORE_PRECISION] = {said > 0.0 ? found / said : (double)NAN, 1e-12},
            [SOT_SCORE_RATE] = {there / 300.0, 1e-12},
            [SOT_SCORE_MEAN] = {0.5, 0.5},
        };
        assert_int_equal(sotto_release_size(result), SOT_SCORE_VALUES + SOT_SCORE_GROUPS);
        for (size_t k = 0; k < SOT_SCORE_VALUES; k++) {
            const sotto_release_value value = sotto_release_at(result, k);
            assert_int_equal(isnan(value.value), isnan(wanted[k].value));
            if (isnan(value.value)) continue;
            assert_within(value.value, wanted[k].value - wanted[k].within,
                          wanted[k].value + wanted[k].within);
            assert_within(value.value, value.lower, value.upper);
        }
        sotto_evaluation_clear(&exact);
        sotto_release_free(result);
    }
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

/* The class sizes are 257 and 43; at epsilon 0.1 four deviations of a class's sum are 453. */
static void too_few_rows_for_the_noise_give_no_score(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    sotto_release_result *result = NULL;
    sotto_error error;
    sotto_release_config config = config_of(model);
    config.epsilon = 0.1;
    assert_ok(sotto_release_data(&config, sotto_model_schema(model),
                                 &(const sotto_data_file){.path = path}, &result, &error),
              &error);
    for (size_t k = 0; k < SOT_SCORE_VALUES; k++)
        assert_true(isnan(sotto_release_at(result, k).value));
    assert_non_null(strstr(sotto_release_text(result), "none (too few rows"));
    sotto_release_free(result);
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

/* The cells reach further on one side of a threshold that is not 1/2; no log loss is clipped to less. */
static void the_worst_model_has_its_whole_log_loss(void **state)
{
    (void)state;
    const double thresholds[] = {0.02, 0.5, 0.98};
    const sot_score_noise none = {0.0, 0.0, 0.95};
    for (size_t i = 0; i < 3; i++) {
        sot_score_cells cells;
        sot_score scores[SOT_SCORE_VALUES + SOT_SCORE_GROUPS];
        int64_t counts[SOT_SCORE_COUNTS] = {0};
        sot_score_make_cells(thresholds[i], &cells);
        counts[SOT_SCORE_CELLS - 1] =
            1000; /* the first class, at the largest probability */
        sot_score_all(&cells, counts, &none, scores);
        const double wanted = -log1p(-cells.middles[SOT_SCORE_CELLS - 1]);
        assert_within(scores[SOT_SCORE_LOG_LOSS].value, wanted - 1e-9, wanted + 1e-9);
        counts[SOT_SCORE_CELLS - 1] = 0;
        counts[SOT_SCORE_CELLS] = 1000; /* the second class, at the smallest */
        sot_score_all(&cells, counts, &none, scores);
        const double other = -log(cells.middles[0]);
        assert_within(scores[SOT_SCORE_LOG_LOSS].value, other - 1e-9, other + 1e-9);
    }
}

/* ---- coverage ---- */

typedef struct population {
    const char *name;
    double rows, rate, spread; /* of the second class; between the classes' mean scores */
    double epsilon;
    bool gaussian;
    double confidence, threshold;
} population;

static double normal_tail(double x)
{
    return 0.5 * erfc(x / sqrt(2.0));
}

/* Expected counts of normal scores whose means differ by `spread`, rounded: two classes of a calibrated model. */
static void fill_exact(const population *of, const sot_score_cells *cells,
                       int64_t counts[SOT_SCORE_COUNTS])
{
    for (int label = 0; label < 2; label++) {
        const double rows = of->rows * (label == 1 ? of->rate : 1.0 - of->rate);
        const double prior = log(of->rate / (1.0 - of->rate));
        const double middle = prior + (label == 1 ? 0.5 : -0.5) * of->spread * of->spread;
        double before = 1.0;
        for (int i = 0; i < SOT_SCORE_CELLS; i++) {
            const double edge = cells->edges[i + 1];
            const double logit = edge >= 1.0 ? 1e9 : log(edge / (1.0 - edge));
            const double tail = normal_tail((logit - middle) / of->spread);
            counts[label * SOT_SCORE_CELLS + i] = (int64_t)rint(rows * (before - tail));
            before = tail;
        }
    }
}

static double scale_of(const population *of)
{
    return of->gaussian ? 6.0 : 1.0 / of->epsilon;
}

static void make_noisy(const population *of, sotto_rng *rng,
                       const int64_t exact[SOT_SCORE_COUNTS],
                       int64_t out_noisy[SOT_SCORE_COUNTS])
{
    double normal[SOT_SCORE_COUNTS];
    sotto_error error;
    if (of->gaussian) {
        assert_ok(sot_normal_fill(rng, normal, SOT_SCORE_COUNTS, &error), &error);
        for (int i = 0; i < SOT_SCORE_COUNTS; i++)
            out_noisy[i] = (int64_t)rint(scale_of(of) * normal[i]);
    } else {
        const sot_ratio scale = {(uint64_t)scale_of(of), 1};
        assert_ok(
            sot_discrete_laplace_fill(rng, scale, out_noisy, SOT_SCORE_COUNTS, &error),
            &error);
    }
    for (int i = 0; i < SOT_SCORE_COUNTS; i++)
        out_noisy[i] += exact[i];
}

static void intervals_cover_at_the_stated_rate(void **state)
{
    (void)state;
    const population all[] = {
        {"adult", 32000, 0.24, 1.7, 0.5, false, 0.95, 0.5},
        {"2 % positives", 50000, 0.02, 1.5, 0.5, false, 0.95, 0.02},
        {"little room", 3000, 0.3, 1.0, 0.25, false, 0.95, 0.3},
        {"gaussian", 20000, 0.1, 1.2, 0.5, true, 0.95, 0.1},
    };
    enum { RUNS = 2000, ALL = SOT_SCORE_VALUES + SOT_SCORE_GROUPS };
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(20261119, &rng, &error), &error);
    for (size_t p = 0; p < sizeof all / sizeof all[0]; p++) {
        const population *of = &all[p];
        const double scale = scale_of(of);
        const sot_noise part = {.mechanism = of->gaussian ? SOTTO_GAUSSIAN
                                                          : SOTTO_DISCRETE_LAPLACE,
                                .scale = scale};
        const sot_score_noise noise = {sot_noise_deviation(&part),
                                       of->gaussian ? 0.0 : 2.0 + cosh(1.0 / scale),
                                       of->confidence};
        const sot_score_noise none = {0.0, 0.0, of->confidence};
        sot_score_cells cells;
        sot_score truth[ALL], seen[ALL];
        int64_t exact[SOT_SCORE_COUNTS], noisy[SOT_SCORE_COUNTS];
        unsigned covered[ALL] = {0}, given[ALL] = {0};
        sot_score_make_cells(of->threshold, &cells);
        fill_exact(of, &cells, exact);
        sot_score_all(&cells, exact, &none, truth);
        for (int run = 0; run < RUNS; run++) {
            make_noisy(of, rng, exact, noisy);
            sot_score_all(&cells, noisy, &noise, seen);
            for (int k = 0; k < ALL; k++) {
                if (isnan(seen[k].value)) continue;
                given[k]++;
                covered[k] +=
                    seen[k].lower <= truth[k].value && truth[k].value <= seen[k].upper;
            }
        }
        for (int k = 0; k < ALL; k++) {
            const double share = given[k] == 0 ? 0.0 : (double)covered[k] / given[k];
            if (given[k] < RUNS / 2) continue; /* the condition itself selects runs */
            /* Where the truth is an end of the range, only one side can miss it. */
            const bool inside = truth[k].value > 0.0 && truth[k].value < 1.0;
            assert_within(share, of->confidence - 0.015,
                          inside ? of->confidence + 0.015 : 1.0);
        }
    }
    sotto_rng_free(rng);
}

/* ---- refusals ---- */

static void models_without_two_probabilities_are_refused(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    sotto_model *several = read_model(softmax_text);
    sotto_model *numbers = read_model(linear_text);
    sotto_plan *plan = NULL;
    sotto_error error;
    sotto_release_config config = config_of(NULL);
    assert_refused(sotto_release_plan(&config, sotto_model_schema(model), &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`model` is missing", NULL);
    config = config_of(several);
    assert_refused(
        sotto_release_plan(&config, sotto_model_schema(several), &plan, &error),
        SOTTO_INVALID_ARGUMENT, &error, "two classes a probability", NULL);
    config = config_of(numbers);
    assert_refused(
        sotto_release_plan(&config, sotto_model_schema(numbers), &plan, &error),
        SOTTO_INVALID_ARGUMENT, &error, "predicts numbers", NULL);
    config = config_of(model);
    config.threshold = -0.5;
    assert_refused(sotto_release_plan(&config, sotto_model_schema(model), &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", NULL);
    sotto_model_free(numbers);
    sotto_model_free(several);
    sotto_model_free(model);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    for (size_t nth = 1;; nth += 3) { /* a run has many: every third shows as much */
        sotto_release_result *result = NULL;
        sotto_error error;
        const sotto_release_config config = config_of(model);
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_release_data(&config, sotto_model_schema(model),
                               &(const sotto_data_file){.path = path}, &result, &error);
        (void)sot_test_fail_allocation(0);
        sotto_release_free(result);
        if (status == SOTTO_OK) break;
        assert_null(result);
    }
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_more_or_less_shows_nothing),
        cmocka_unit_test(one_row_replaced_shows_nothing),
        cmocka_unit_test(the_noise_is_that_of_one_histogram),
        cmocka_unit_test(the_scores_are_those_of_the_rows_but_for_the_noise),
        cmocka_unit_test(too_few_rows_for_the_noise_give_no_score),
        cmocka_unit_test(the_worst_model_has_its_whole_log_loss),
        cmocka_unit_test(intervals_cover_at_the_stated_rate),
        cmocka_unit_test(models_without_two_probabilities_are_refused),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
