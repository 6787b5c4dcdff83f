/* Every model by every method on tables of 1, 200 and 500 columns, dense and sparse, with 0 to 3 rows and with all cells
 * missing; linear models at 2000 columns; posterior samples of more rows; neighbours of every kind. What test_wide.c has
 * is left out.
 *
 * False alarms: below 1e-6 for the whole program (wide_expect_noise()). */
#include "support.h"

#include "wide_releases.h"

static void every_learner_learns_from_one_column(void **state)
{
    (void)state;
    for (size_t rows = 0; rows <= 3; rows++)
        for (int form = 0; form < (rows == 0 ? 2 : 4); form++)
            wide_check_all((wide_shape){.columns = 1,
                                        .rows = rows,
                                        .sparse = form % 2 == 1,
                                        .missing = form / 2 == 1});
}

static void every_learner_learns_from_200_columns(void **state)
{
    (void)state;
    for (size_t rows = 0; rows <= 3; rows++) {
        if (rows != 2)
            wide_check_all((wide_shape){.columns = 200, .rows = rows, .sparse = true});
        if (rows != 3) wide_check_all((wide_shape){.columns = 200, .rows = rows});
    }
    wide_check_all((wide_shape){.columns = 200, .rows = 2, .missing = true});
    wide_check_all(
        (wide_shape){.columns = 200, .rows = 3, .missing = true, .sparse = true});
}

static void every_learner_learns_from_500_columns(void **state)
{
    (void)state;
    wide_check_all((wide_shape){.columns = 500, .rows = 3});
    wide_check_all((wide_shape){.columns = 500, .rows = 2, .sparse = true});
    wide_check_all(
        (wide_shape){.columns = 500, .rows = 1, .sparse = true, .missing = true});
}

/* Posterior samples of 2000 coefficients take minutes. */
static bool learns_from_2000(sotto_model_kind model, sotto_method method)
{
    return model != SOTTO_MODEL_NETWORK && model != SOTTO_MODEL_CONCEPT &&
           method != SOTTO_METHOD_POSTERIOR && method != SOTTO_METHOD_REGULARIZED_EM &&
           wide_learns(model, method);
}

/* Other losses take the way of these through sparse rows; adassp stands for all methods that release a matrix. */
static bool learns_from_2000_sparse(sotto_model_kind model, sotto_method method)
{
    return (model == SOTTO_MODEL_LOGISTIC || model == SOTTO_MODEL_LINEAR ||
            model == SOTTO_MODEL_SOFTMAX) &&
           method != SOTTO_METHOD_NEWTON && method != SOTTO_METHOD_STATISTICS;
}

static void linear_models_learn_from_2000_columns(void **state)
{
    (void)state;
    for (int model = 1; wide_is_model(model); model++) {
        for (int method = 0; wide_is_method(method); method++) {
            const sotto_model_kind kind = (sotto_model_kind)model;
            const sotto_method by = (sotto_method)method;
            if (!learns_from_2000(kind, by)) continue;
            wide_check(kind, by, (wide_shape){.columns = 2000, .rows = 3});
            if (learns_from_2000_sparse(kind, by))
                wide_check(kind, by,
                           (wide_shape){.columns = 2000, .rows = 2, .sparse = true});
        }
    }
}

static void posteriors_of_100_columns_are_sampled(void **state)
{
    (void)state;
    for (int model = 1; wide_is_model(model); model++)
        for (int sparse = 0; sparse < 2; sparse++)
            if (wide_learns((sotto_model_kind)model, SOTTO_METHOD_POSTERIOR))
                wide_check(
                    (sotto_model_kind)model, SOTTO_METHOD_POSTERIOR,
                    (wide_shape){.columns = 100, .rows = 200, .sparse = sparse == 1});
}

static void every_statistic_is_released(void **state)
{
    (void)state;
    static const size_t columns[] = {1, 200, 500};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (size_t rows = 0; rows <= 3; rows++)
            for (int form = 0; form < 4; form++)
                wide_check_releases((wide_shape){.columns = columns[i],
                                                 .rows = rows,
                                                 .sparse = form % 2 == 1,
                                                 .missing = form / 2 == 1});
}

static void every_learner_shows_nothing_of_200_columns(void **state)
{
    (void)state;
    static const tape_row rows[] = {TAPE_NO_ROW, TAPE_NAN, TAPE_LOW, TAPE_LARGEST};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        wide_expect_no_leaks(
            (wide_shape){.columns = 200, .rows = 1 + i % 2, .sparse = i % 2 == 0},
            rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_learner_learns_from_one_column),
        cmocka_unit_test(every_learner_learns_from_200_columns),
        cmocka_unit_test(every_learner_learns_from_500_columns),
        cmocka_unit_test(linear_models_learn_from_2000_columns),
        cmocka_unit_test(posteriors_of_100_columns_are_sampled),
        cmocka_unit_test(every_statistic_is_released),
        cmocka_unit_test(every_learner_shows_nothing_of_200_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
