/* The sensitivities of single releases for rows of a stored table and for selected rows: the table and the line "Releases" of
 * src/data/stability.md, number by number. */
#include "support.h"

#include "commands/source_study.h"

#include "commands/statistics/release.h"
#include "data/source/source.h"

static const char *const in_lund[] = {"town=Lund", NULL};

/* Ages are from 80 to 90, visits whole numbers from 0 to 6. */
static sotto_schema *schema;

static int open_schema(void **state)
{
    (void)state;
    sotto_error error = {0};
    return sotto_schema_parse("schema.json", source_schema, strlen(source_schema),
                              &schema, &error) == SOTTO_OK
               ? 0
               : -1;
}

static int close_schema(void **state)
{
    (void)state;
    sotto_schema_free(schema);
    return 0;
}

static void prepare(const sotto_release_config *config, sot_origin origin,
                    sot_release *out)
{
    sotto_error error = {0};
    assert_ok(sot_release_prepare(config, schema, origin, out, &error), &error);
}

static sotto_release_config release_of(sotto_statistic statistic, const char *column,
                                       sotto_adjacency adjacency)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 0.1;
    config.adjacency = adjacency;
    return config;
}

/* How far the release says that one stored row moves its first part, in units of the column. */
static double sensitivity_of(const sotto_release_config *config, sot_origin origin)
{
    sot_release release;
    prepare(config, origin, &release);
    const double sensitivity = release.parts[0].sensitivity * release.parts[0].grid;
    const double scale = release.parts[0].scale * release.parts[0].grid;
    /* The Laplace mechanism: no less noise than the whole of epsilon asks for. */
    if (isnan(config->delta)) assert_true(scale >= sensitivity / config->epsilon);
    sot_release_clear(&release);
    return sensitivity;
}

typedef struct expected {
    double added, exchanged, selected; /* replace-one: all rows, selected rows */
} expected;

static void assert_sensitivities(sotto_release_config config, expected wanted)
{
    config.adjacency = SOTTO_ADD_REMOVE;
    assert_relative(sensitivity_of(&config, SOT_ROWS_STORED), wanted.added, 1e-6);
    assert_relative(sensitivity_of(&config, SOT_ROWS_SELECTED), wanted.added, 1e-6);
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_relative(sensitivity_of(&config, SOT_ROWS_SELECTED), wanted.selected, 1e-6);
    if (config.statistic == SOTTO_RELEASE_COUNT) return; /* public: refused */
    config.public_n = 10;
    assert_relative(sensitivity_of(&config, SOT_ROWS_STORED), wanted.exchanged, 1e-6);
    assert_relative(sensitivity_of(&config, SOT_ROWS_DECLARED), wanted.exchanged, 1e-6);
    assert_relative(sensitivity_of(&config, SOT_ROWS_GIVEN), wanted.exchanged, 1e-6);
    config.public_n = 0;
    config.where = in_lund;
    assert_relative(sensitivity_of(&config, SOT_ROWS_STORED), wanted.selected, 1e-6);
}

/* An exchanged age moves the sum by 10, one that leaves by 90; half of that range moves a centred sum. */
static void a_selected_row_costs_what_it_moves_by_leaving(void **state)
{
    (void)state;
    assert_sensitivities(release_of(SOTTO_RELEASE_COUNT, NULL, SOTTO_ADD_REMOVE),
                         (expected){1.0, 0.0, 1.0});
    assert_sensitivities(release_of(SOTTO_RELEASE_SUM, "age", SOTTO_ADD_REMOVE),
                         (expected){90.0, 10.0, 90.0});
    assert_sensitivities(release_of(SOTTO_RELEASE_SUM, "visits", SOTTO_ADD_REMOVE),
                         (expected){6.0, 6.0, 6.0});
    assert_sensitivities(release_of(SOTTO_RELEASE_MEAN, "age", SOTTO_ADD_REMOVE),
                         (expected){5.0, 10.0, 10.0});
}

static void an_exchanged_row_moves_two_bins(void **state)
{
    (void)state;
    sotto_release_config config =
        release_of(SOTTO_RELEASE_HISTOGRAM, "town", SOTTO_ADD_REMOVE);
    assert_sensitivities(config, (expected){1.0, 2.0, 2.0});
    config.delta = 1e-6;
    assert_sensitivities(config, (expected){1.0, sqrt(2.0), sqrt(2.0)});
    config = release_of(SOTTO_RELEASE_BOUNDS, "age", SOTTO_ADD_REMOVE);
    assert_sensitivities(config, (expected){1.0, 2.0, 2.0});
}

static void a_mean_of_selected_rows_divides_by_a_noisy_count(void **state)
{
    (void)state;
    sotto_error error = {0};
    sot_release release;
    sotto_release_config config =
        release_of(SOTTO_RELEASE_MEAN, "age", SOTTO_REPLACE_ONE);
    assert_refused(
        sot_release_prepare(&config, schema, SOT_ROWS_STORED, &release, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`public_n` is missing", NULL);
    sot_release_clear(&release);
    prepare(&config, SOT_ROWS_SELECTED, &release);
    assert_int_equal(release.part_count, 2);
    assert_string_equal(release.parts[1].purpose, "count");
    assert_true(release.parts[1].sensitivity == 1.0);
    sot_release_clear(&release);
    config.public_n = 10;
    prepare(&config, SOT_ROWS_STORED, &release);
    assert_int_equal(release.part_count, 1);
    sot_release_clear(&release);
}

/* Choices: the sensitivity of each score, and whether all scores move one way. */
static void assert_choice(sotto_release_config config, sotto_adjacency adjacency,
                          uint64_t sensitivity, sotto_score_change change)
{
    static const sot_origin origins[] = {SOT_ROWS_STORED, SOT_ROWS_SELECTED};
    config.adjacency = adjacency;
    for (size_t i = 0; i < 2; i++) {
        sot_release release;
        prepare(&config, origins[i], &release);
        assert_int_equal(release.selection.sensitivity, sensitivity);
        assert_int_equal(release.selection.change, change);
        sot_release_clear(&release);
    }
}

static void scores_move_as_far_as_a_row_can_go(void **state)
{
    (void)state;
    sotto_release_config config =
        release_of(SOTTO_RELEASE_QUANTILE, "visits", SOTTO_ADD_REMOVE);
    config.quantile = 0.25; /* ranks are a n / b, a = 1 and b = 4 */
    assert_choice(config, SOTTO_ADD_REMOVE, 3, SOTTO_CHANGE_ANY);
    assert_choice(config, SOTTO_REPLACE_ONE, 4, SOTTO_CHANGE_ANY);
    config = release_of(SOTTO_RELEASE_CHOICE, "visits", SOTTO_ADD_REMOVE);
    config.score = SOTTO_SCORE_QUANTILE;
    config.quantile = 0.25;
    config.candidates = "1,3,5";
    assert_choice(config, SOTTO_ADD_REMOVE, 3, SOTTO_CHANGE_ANY);
    assert_choice(config, SOTTO_REPLACE_ONE, 4, SOTTO_CHANGE_ANY);
    config = release_of(SOTTO_RELEASE_CHOICE, "town", SOTTO_ADD_REMOVE);
    config.score = SOTTO_SCORE_COUNT;
    assert_choice(config, SOTTO_ADD_REMOVE, 1, SOTTO_CHANGE_MONOTONE);
    assert_choice(config, SOTTO_REPLACE_ONE, 1, SOTTO_CHANGE_ANY);
    config = release_of(SOTTO_RELEASE_CHOICE, "visits", SOTTO_ADD_REMOVE);
    config.score = SOTTO_SCORE_REVENUE;
    config.candidates = "1,2.5,4"; /* 10, 25 and 40 tenths */
    assert_choice(config, SOTTO_ADD_REMOVE, 40, SOTTO_CHANGE_MONOTONE);
    assert_choice(config, SOTTO_REPLACE_ONE, 40, SOTTO_CHANGE_MONOTONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selected_row_costs_what_it_moves_by_leaving),
        cmocka_unit_test(an_exchanged_row_moves_two_bins),
        cmocka_unit_test(a_mean_of_selected_rows_divides_by_a_noisy_count),
        cmocka_unit_test(scores_move_as_far_as_a_row_can_go),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
