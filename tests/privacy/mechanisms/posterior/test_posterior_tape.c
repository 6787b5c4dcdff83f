/* Posterior draws at the gate, on neighbours: what the tape lets pass, and what it must see. The law of the draws is no matter here. */
#include "support.h"

#include "privacy/mechanisms/posterior/posterior.h"
#include "privacy/mechanisms/toy_minimiser.h"
#include "random/rng.h"

#define TOY_BETA 0.625
#define TOY_BALL 2.0

typedef struct draw_settings {
    bool is_pure;
    sotto_adjacency adjacency;
    double declared;   /* of the bound that is right */
    bool by_rows;      /* the weight is divided by the number of rows */
    bool leaves;       /* the draw is outside the ball */
    bool ball_by_rows; /* a constant of the law follows the rows */
} draw_settings;

typedef struct drawing {
    toy *rows;
    double beta, reach;
} drawing;

/* A point of the ball, by the gate's generator. */
static sotto_status draw(void *context, sotto_rng *rng, double *out_theta,
                         sotto_error *error)
{
    const drawing *at = context;
    (void)error;
    for (int i = 0; i < 2; i++)
        out_theta[i] = at->reach * ((double)(sot_rng_u64(rng) >> 11) * 0x1p-53 - 0.5);
    return SOTTO_OK;
}

static bool potential(const void *context, const double *theta, double *out_value,
                      double *out_gradient)
{
    const drawing *at = context;
    const long double point[] = {(long double)theta[0], (long double)theta[1]};
    const toy_at here = toy_objective(at->rows, point);
    *out_value = at->beta * (double)here.value;
    for (int i = 0; i < 2; i++)
        out_gradient[i] = at->beta * (double)here.gradient[i];
    return true;
}

/* Logistic, |x| <= 1: sigma(2) and 2 a row, 1.2698... and 4 a pair (tests/vectors/exponential.json). */
static sot_posterior_law law_of(const draw_settings *settings, const toy *rows)
{
    const bool replaced = settings->adjacency == SOTTO_REPLACE_ONE;
    sot_posterior_law law = sot_posterior_law_defaults();
    law.adjacency = settings->adjacency;
    law.dimension = 2;
    law.beta = TOY_BETA;
    law.lambda = 1.25;
    if (settings->is_pure)
        law.range = settings->declared * (replaced ? 4.0 : 2.0);
    else
        law.lipschitz =
            settings->declared * (replaced ? 1.2698410898576746 : 0.8807970779778824);
    law.ball = settings->ball_by_rows ? TOY_BALL + (double)rows->rows : TOY_BALL;
    law.distance = 1e-6;
    law.sampler_error = 0x1p-80;
    law.correction_share = 0x1p-10;
    law.purpose = "coefficients";
    return law;
}

/* A tape_run: no assertions inside. */
static int run(const tape_table *table, const tape_place *place, void *context)
{
    (void)place;
    const draw_settings *settings = context;
    toy rows = {.dimension = 2};
    toy_fill(&rows, table);
    drawing at = {
        .rows = &rows, .beta = TOY_BETA, .reach = settings->leaves ? 20.0 : 2.0};
    if (settings->by_rows) at.beta *= 10.0 / (1.0 + (double)rows.rows);
    const sot_posterior_law law = law_of(settings, &rows);
    const sot_posterior_problem problem = {
        .context = &at, .draw = draw, .potential = potential};
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    int64_t units[2] = {0};
    sotto_status status = sotto_plan_new(settings->adjacency, &plan, &error);
    if (status == SOTTO_OK) status = sot_posterior_plan(&law, plan, &error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(7, &rng, &error);
    if (status == SOTTO_OK) status = sotto_gate_new(plan, rng, &gate, &error);
    if (status == SOTTO_OK) status = sotto_gate_open(gate, &error);
    if (status == SOTTO_OK)
        status = sot_posterior_release(gate, &law, &problem, units, &error);
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, &error);
    if (status == SOTTO_OK)
        printf("%lld %lld\n", (long long)units[0], (long long)units[1]);
    else
        fprintf(stderr, "%s\n", error.message);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_plan_free(plan);
    return (int)status;
}

static tape_study study_of(draw_settings *settings)
{
    return (tape_study){.run = run,
                        .context = settings,
                        .columns = toy_columns,
                        .column_count = TOY_COLUMNS};
}

static const char *leak_of(draw_settings settings)
{
    const tape_study study = study_of(&settings);
    return tape_check_neighbours(&study, settings.adjacency);
}

static void draws_within_their_bounds_show_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        draw_settings settings = {.is_pure = i % 2 == 1,
                                  .adjacency =
                                      i / 2 == 1 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
                                  .declared = 1.0 + 1e-9};
        const tape_study study = study_of(&settings);
        int exit_code = 7;
        tape_table *table = tape_table_new(toy_columns, TOY_COLUMNS, 5, 3);
        assert_int_equal(tape_releases(&study, table, &exit_code), 2);
        assert_int_equal(exit_code, 0);
        tape_table_free(table);
        const char *leak = leak_of(settings);
        if (leak != NULL) fail_msg("%s", leak);
    }
}

/* One row before all others, as steep, and with as wide a range, as rows are. */
static const char *leak_of_pair(draw_settings settings, double x1, const char *one,
                                double other_x1, const char *other)
{
    const tape_study study = study_of(&settings);
    tape_table *table = tape_table_new(toy_columns, TOY_COLUMNS, 5, 3);
    tape_table *neighbour = tape_neighbour(table, SOTTO_REPLACE_ONE, TAPE_ORDINARY, 0);
    table->cells[0].number = x1, table->cells[1].number = 0.0;
    neighbour->cells[0].number = other_x1, neighbour->cells[1].number = 0.0;
    table->cells[2].text = one, neighbour->cells[2].text = other;
    const char *leak = tape_check(&study, table, neighbour);
    tape_table_free(neighbour);
    tape_table_free(table);
    return leak;
}

/* A changed label: the change is beta times a line of slope 1, its range 2 R. */
static void bounds_that_are_too_small_are_seen(void **state)
{
    (void)state;
    draw_settings settings = {.adjacency = SOTTO_REPLACE_ONE, .declared = 1.0 + 1e-9};
    const char *leak = leak_of_pair(settings, 1.0, "yes", 1.0, "no");
    if (leak != NULL) fail_msg("%s", leak);
    settings.declared = 0.5; /* a row that comes or goes, or half of the range */
    leak = leak_of_pair(settings, 1.0, "yes", 1.0, "no");
    assert_non_null(leak);
    assert_non_null(strstr(leak, "gradient"));
    settings.is_pure = true;
    settings.declared = 1.0 + 1e-9;
    leak = leak_of_pair(settings, 1.0, "yes", 1.0, "no");
    if (leak != NULL) fail_msg("%s", leak);
    settings.declared = 0.9;
    leak = leak_of_pair(settings, 1.0, "yes", 1.0, "no");
    assert_non_null(leak);
    assert_non_null(strstr(leak, "range"));
}

static void weights_and_constants_by_rows_are_seen(void **state)
{
    (void)state;
    assert_non_null(leak_of((draw_settings){
        .adjacency = SOTTO_ADD_REMOVE, .declared = 1.0 + 1e-9, .by_rows = true}));
    assert_non_null(leak_of((draw_settings){
        .adjacency = SOTTO_ADD_REMOVE, .declared = 1.0 + 1e-9, .ball_by_rows = true}));
    const char *leak = leak_of((draw_settings){
        .adjacency = SOTTO_ADD_REMOVE, .declared = 1.0 + 1e-9, .leaves = true});
    assert_non_null(leak);
    assert_non_null(strstr(leak, "left the ball"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_within_their_bounds_show_nothing),
        cmocka_unit_test(bounds_that_are_too_small_are_seen),
        cmocka_unit_test(weights_and_constants_by_rows_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
