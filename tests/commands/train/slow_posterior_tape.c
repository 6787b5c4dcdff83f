/* Posterior draws on every table and neighbour: nothing shows but what was paid for. */
#include "support.h"

#include "posterior_study.h"

static void expect_no_leak(sotto_train_config config)
{
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = tape_check_neighbours(&tape, config.adjacency);
    if (leak != NULL)
        fail_msg("%s by %s: %s", sotto_model_kind_name(config.model),
                 sotto_method_name(config.method), leak);
}

/* Every loss; adjacency and method take turns. */
static void every_loss_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRAWN_MODELS; i++)
        expect_no_leak(drawn_config(
            drawn_models[i],
            i % 2 == 0 ? SOTTO_METHOD_REGULARIZED_EM : SOTTO_METHOD_POSTERIOR,
            i / 2 % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE, 1e-6));
}

static void pure_draws_show_nothing(void **state)
{
    (void)state;
    expect_no_leak(drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM,
                                SOTTO_REPLACE_ONE, SOTTO_UNSET));
    expect_no_leak(drawn_config(SOTTO_MODEL_SVM, SOTTO_METHOD_POSTERIOR, SOTTO_ADD_REMOVE,
                                SOTTO_UNSET));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_shows_nothing),
        cmocka_unit_test(pure_draws_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
