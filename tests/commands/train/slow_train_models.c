/* Every model by every method on every table and neighbour: nothing shows but what was paid for. */
#include "support.h"

#include "model_study.h"

static void name(const sotto_train_config *config, const char *leak)
{
    if (leak != NULL)
        fail_msg("%s by %s: %s", sotto_model_kind_name(config->model),
                 sotto_method_name(config->method), leak);
}

/* Methods that draw records, or their order, by place: neighbours keep all others where they are. */
static const char *leak_at_the_end(const tape_study *tape, sotto_adjacency adjacency)
{
    const char *leak = NULL;
    for (size_t rows = 1; rows <= 13 && leak == NULL; rows += 4) {
        tape_table *table =
            tape_table_new(tape->columns, tape->column_count, rows, 2026 + rows);
        for (int row = 0; row < TAPE_ROWS && leak == NULL; row++) {
            const bool takes = adjacency == SOTTO_REPLACE_ONE || row == TAPE_NO_ROW;
            tape_table *neighbour =
                tape_neighbour(table, adjacency, (tape_row)row, takes ? rows - 1 : rows);
            if (neighbour == NULL) continue;
            leak = tape_check(tape, table, neighbour);
            if (leak == NULL) leak = tape_check(tape, neighbour, table);
            tape_table_free(neighbour);
        }
        tape_table_free(table);
    }
    return leak;
}

static void expect_no_leak(sotto_train_config config)
{
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    assert_true(study_releases(&tape));
    if (config.method == SOTTO_METHOD_SGD || is_stable_method(config.method)) {
        name(&config, leak_at_the_end(&tape, config.adjacency));
        return;
    }
    name(&config, tape_check_neighbours(&tape, config.adjacency));
}

static void expect_of_all(sotto_method method, double delta)
{
    for (int model = SOTTO_MODEL_LOGISTIC; model <= SOTTO_MODEL_CUSTOM; model++) {
        const bool needs_smooth = method != SOTTO_METHOD_OUTPUT &&
                                  method != SOTTO_METHOD_GD && method != SOTTO_METHOD_SGD;
        if (model == SOTTO_MODEL_HINGE && needs_smooth) continue;
        for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE;
             adjacency++) {
            if (is_stable_method(method) && adjacency == SOTTO_ADD_REMOVE) continue;
            expect_no_leak(model_config((sotto_model_kind)model, method,
                                        (sotto_adjacency)adjacency, delta));
        }
    }
}

static void pure_methods_show_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET);
    expect_of_all(SOTTO_METHOD_OUTPUT, SOTTO_UNSET);
    expect_of_all(SOTTO_METHOD_FRANK_WOLFE, SOTTO_UNSET);
    expect_of_all(SOTTO_METHOD_GD_OUTPUT, SOTTO_UNSET);
    expect_of_all(SOTTO_METHOD_PERMUTATION_SGD, SOTTO_UNSET);
}

static void methods_with_a_delta_show_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_OBJECTIVE, 1e-6);
    expect_of_all(SOTTO_METHOD_OUTPUT, 1e-6);
    expect_of_all(SOTTO_METHOD_GD, 1e-6);
    expect_of_all(SOTTO_METHOD_SGD, 1e-6);
    expect_of_all(SOTTO_METHOD_FRANK_WOLFE, 1e-6);
    expect_of_all(SOTTO_METHOD_GD_OUTPUT, 1e-6);
    expect_of_all(SOTTO_METHOD_PERMUTATION_SGD, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_methods_show_nothing),
        cmocka_unit_test(methods_with_a_delta_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
