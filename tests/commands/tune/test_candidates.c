/* The public list of settings: every combination, or points of a public seed; everything else is refused by name. */
#include "support.h"

#include "base/memory.h"
#include "commands/tune/candidates.h"

static sotto_train_config base(void)
{
    return sotto_train_defaults();
}

static void a_grid_has_every_combination_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "lambda=0.5;steps=10;schedule=root",   "lambda=0.5;steps=10;schedule=linear",
        "lambda=0.5;steps=1e3;schedule=root",  "lambda=0.5;steps=1e3;schedule=linear",
        "lambda=2.25;steps=10;schedule=root",  "lambda=2.25;steps=10;schedule=linear",
        "lambda=2.25;steps=1e3;schedule=root", "lambda=2.25;steps=1e3;schedule=linear"};
    sotto_error error;
    sot_candidates all = {0};
    sotto_train_config config = base();
    assert_ok(sot_candidates_grid("lambda=0.5,2.25;steps=10,1e3;schedule=root,linear",
                                  &config, &all, &error),
              &error);
    assert_int_equal(all.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(all.texts[i], texts[i]);
    assert_ok(sot_candidates_apply(&all, 7, &config, &error), &error);
    assert_true(config.lambda == 2.25);
    assert_int_equal(config.steps, 1000);
    assert_int_equal(config.schedule, SOTTO_SCHEDULE_LINEAR);
    sot_candidates_clear(&all);
}

static void every_setting_reaches_its_field(void **state)
{
    (void)state;
    sotto_error error;
    sot_candidates all = {0};
    sotto_train_config config = base();
    assert_ok(sot_candidates_grid("learning-rate=0.125;batch=300;epochs=2.5;clip=0.75;"
                                  "momentum=0.875;weight-average=0.5;augmentations=4;"
                                  "radius=3.5",
                                  &config, &all, &error),
              &error);
    assert_ok(sot_candidates_apply(&all, 0, &config, &error), &error);
    assert_true(config.learning_rate == 0.125 && config.epochs == 2.5 &&
                config.clip == 0.75 && config.momentum == 0.875 &&
                config.weight_average == 0.5 && config.radius == 3.5);
    assert_int_equal(config.batch, 300);
    assert_int_equal(config.augmentations, 4);
    sot_candidates_clear(&all);
    config = base();
    assert_ok(sot_candidates_grid("l1=0.5;l1-width=0.25;width=0.375;threshold=0.625;"
                                  "method=gd;iterate=last;clipping=flat;optimizer=adam",
                                  &config, &all, &error),
              &error);
    assert_ok(sot_candidates_apply(&all, 0, &config, &error), &error);
    assert_true(config.l1 == 0.5 && config.l1_width == 0.25 && config.width == 0.375 &&
                config.threshold == 0.625);
    assert_int_equal(config.method, SOTTO_METHOD_GD);
    assert_int_equal(config.iterate, SOTTO_ITERATE_LAST);
    assert_int_equal(config.optimizer, SOTTO_OPTIMIZER_ADAM);
    sot_candidates_clear(&all);
}

static void expect_refused(const char *grid, const char *word)
{
    sotto_error error;
    sot_candidates all = {0};
    const sotto_train_config config = base();
    assert_refused(sot_candidates_grid(grid, &config, &all, &error),
                   SOTTO_INVALID_ARGUMENT, &error, word, NULL);
    sot_candidates_clear(&all);
}

static void what_is_no_grid_is_refused_by_name(void **state)
{
    (void)state;
    expect_refused("", "empty");
    expect_refused("lambda", "NAME=VALUE");
    expect_refused("lambda=", "NAME=VALUE");
    expect_refused("=1,2", "NAME=VALUE");
    expect_refused("lambda=1;", "NAME=VALUE");
    expect_refused("lamda=1", "lambda");
    expect_refused("epsilon=1,2", "epsilon");
    expect_refused("adjacency=add-remove", "adjacency");
    expect_refused("lambda=1,,2", "lambda");
    expect_refused("lambda=-1", "'-1'");
    expect_refused("lambda=nan", "'nan'");
    expect_refused("learning-rate=0", "above 0");
    expect_refused("momentum=1", "below 1");
    expect_refused("steps=0", "whole");
    expect_refused("steps=2.5", "whole");
    expect_refused("steps=1000001", "1000000");
    expect_refused("schedule=fast", "fast");
    expect_refused("lambda=1,1", "twice");
    expect_refused("lambda=1;lambda=2", "twice");
    expect_refused("lambda=1,2,3,4,5,6,7,8,9;radius=1,2,3,4,5,6,7,8,9;"
                   "clip=1,2,3,4,5,6,7,8,9;epochs=1,2,3,4,5,6,7,8,9",
                   "1024");
    sotto_error error;
    sot_candidates all = {0};
    sotto_train_config config = base();
    config.lambda = 3.0;
    assert_refused(sot_candidates_grid("lambda=1", &config, &all, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "fixed", NULL);
    sot_candidates_clear(&all);
}

static void points_of_a_search_follow_from_its_seed(void **state)
{
    (void)state;
    static const char search[] =
        "lambda=log:0.01:100;steps=int:10:1000;batch=log:1:4096;momentum=linear:0:0.9;"
        "schedule=root,linear";
    sotto_error error;
    sot_candidates first = {0}, same = {0}, other = {0};
    const sotto_train_config config = base();
    bool small = false, large = false;
    assert_ok(sot_candidates_search(search, 64, 5, &config, &first, &error), &error);
    assert_ok(sot_candidates_search(search, 64, 5, &config, &same, &error), &error);
    assert_ok(sot_candidates_search(search, 64, 6, &config, &other, &error), &error);
    for (size_t i = 0; i < 64; i++) {
        sotto_train_config drawn = config;
        assert_string_equal(first.texts[i], same.texts[i]);
        assert_string_not_equal(first.texts[i], other.texts[i]);
        assert_ok(sot_candidates_apply(&first, i, &drawn, &error), &error);
        assert_within(drawn.lambda, 0.01, 100.0);
        assert_within(drawn.momentum, 0.0, 0.9);
        assert_in_range(drawn.steps, 10, 1000);
        assert_in_range(drawn.batch, 1, 4096);
        small = small || drawn.lambda < 0.1;
        large = large || drawn.lambda > 10.0;
    }
    assert_true(small && large);
    sot_candidates_clear(&first);
    sot_candidates_clear(&same);
    sot_candidates_clear(&other);
}

static void what_is_no_range_is_refused(void **state)
{
    (void)state;
    static const char *const searches[][2] = {
        {"lambda=log:0:1", "low end above 0"},
        {"lambda=log:2:1", "lambda"},
        {"lambda=fast:1:2", "lambda"},
        {"lambda=log:1", "lambda"},
        {"steps=linear:1:9", "int:10:1000"},
        {"steps=int:1:1e9", "1000000"},
        {"schedule=log:1:2", "words"},
        {"momentum=linear:0:1", "below 1"},
        {"lambda=1,2", "no range"},
        {"steps=int:0:5", "whole"},
    };
    const sotto_train_config config = base();
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        sotto_error error;
        sot_candidates all = {0};
        assert_refused(sot_candidates_search(searches[i][0], 4, 1, &config, &all, &error),
                       SOTTO_INVALID_ARGUMENT, &error, searches[i][1], NULL);
        sot_candidates_clear(&all);
    }
    sotto_error error;
    sot_candidates all = {0};
    assert_refused(
        sot_candidates_search("lambda=log:1:2", 1025, 1, &config, &all, &error),
        SOTTO_INVALID_ARGUMENT, &error, "1024", NULL);
    sot_candidates_clear(&all);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_train_config config = base();
    for (size_t nth = 1; nth <= 5; nth++) {
        sot_candidates all = {0};
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_candidates_grid("lambda=1,2,3,4", &config, &all, &error),
                         SOTTO_OUT_OF_MEMORY);
        (void)sot_test_fail_allocation(0);
        sot_candidates_clear(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_every_combination_in_order),
        cmocka_unit_test(every_setting_reaches_its_field),
        cmocka_unit_test(what_is_no_grid_is_refused_by_name),
        cmocka_unit_test(points_of_a_search_follow_from_its_seed),
        cmocka_unit_test(what_is_no_range_is_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
