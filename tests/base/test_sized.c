/* Settings that begin with their size: shorter structs of older programs work, longer ones are refused. */
#include "support.h"

#include "base/sized.h"

/* A struct as three versions of the headers have it. */
typedef struct old_config {
    size_t size;
    double epsilon;
} old_config;
typedef struct sotto_toy_config {
    size_t size;
    double epsilon;
    double width;
} sotto_toy_config;
typedef struct new_config {
    size_t size;
    double epsilon;
    double width;
    double later;
} new_config;

static const sotto_toy_config toy_defaults = {.epsilon = -1.0, .width = 0.375};

static sotto_status take(const void *given, sotto_toy_config *own, sotto_error *error)
{
    *own = toy_defaults;
    return sot_sized_take(SOT_SIZED(toy), given, own, error);
}

static void a_shorter_struct_gets_the_defaults_of_what_it_lacks(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_toy_config own;
    struct {
        old_config config;
        double behind; /* what a reader beyond the end would take for `width` */
    } caller = {{sizeof(old_config), 2.375}, 99.0};
    assert_ok(take(&caller.config, &own, &error), &error);
    assert_int_equal(own.size, sizeof own);
    assert_true(own.epsilon == 2.375);
    assert_true(own.width == 0.375);
    const sotto_toy_config whole = {sizeof whole, 0.75, 1.625};
    assert_ok(take(&whole, &own, &error), &error);
    assert_true(own.epsilon == 0.75 && own.width == 1.625);
}

static void a_longer_struct_is_refused_with_a_remedy(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_toy_config own;
    const new_config newer = {sizeof newer, 1.0, 2.0, 3.0};
    assert_refused(take(&newer, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sotto_toy_config has 32 bytes", "knows 24", "newer headers",
                   "install", NULL);
}

static void a_size_that_nobody_set_is_refused(void **state)
{
    (void)state;
    static const size_t wrong[] = {0, 7, 12, SIZE_MAX - 7};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sotto_error error = {0};
        sotto_toy_config own;
        const sotto_toy_config given = {.size = wrong[i], .epsilon = 1.0};
        assert_refused(take(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "sotto_toy_config", "sotto_toy_defaults()", NULL);
    }
    sotto_error error = {0};
    sotto_toy_config own;
    assert_refused(take(NULL, &own, &error), SOTTO_INVALID_ARGUMENT, &error, "NULL",
                   "sotto_toy_defaults()", NULL);
}

static void defaults_stay_within_the_callers_struct(void **state)
{
    (void)state;
    struct {
        old_config config;
        double behind;
    } caller = {.behind = 99.0};
    sot_sized_give(SOT_SIZED(toy), &toy_defaults, &caller.config, sizeof caller.config,
                   0);
    assert_int_equal(caller.config.size, sizeof caller.config);
    assert_true(caller.config.epsilon == -1.0);
    assert_true(caller.behind == 99.0);
    new_config newer = {.later = 5.0};
    sot_sized_give(SOT_SIZED(toy), &toy_defaults, &newer, sizeof newer, 0);
    assert_int_equal(newer.size, sizeof newer);
    assert_true(newer.width == 0.375 && newer.later == 0.0);
}

/* ---- a struct inside a struct ---- */

typedef struct sotto_outer_config {
    size_t size;
    sotto_toy_config inner;
    double grid;
} sotto_outer_config;
typedef struct old_outer {
    size_t size;
    old_config inner;
    double grid;
} old_outer;

static sotto_status take_outer(const void *given, sotto_outer_config *own,
                               sotto_error *error)
{
    *own = (sotto_outer_config){.inner = toy_defaults, .grid = 7.0};
    return sot_sized_take(SOT_SIZED_WITH(outer, inner), given, own, error);
}

static void an_inner_struct_grows_by_itself(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_outer_config own;
    const old_outer old = {sizeof old, {sizeof old.inner, 2.375}, 0.625};
    assert_ok(take_outer(&old, &own, &error), &error);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.inner.size, sizeof own.inner);
    assert_true(own.inner.epsilon == 2.375 && own.inner.width == 0.375);
    assert_true(own.grid == 0.625); /* not the bytes that lie where this library has it */

    old_outer given = old;
    const sotto_outer_config defaults = {.inner = toy_defaults, .grid = 7.0};
    sot_sized_give(SOT_SIZED_WITH(outer, inner), &defaults, &given, sizeof given,
                   sizeof given.inner);
    assert_int_equal(given.size, sizeof given);
    assert_int_equal(given.inner.size, sizeof given.inner);
    assert_true(given.inner.epsilon == -1.0 && given.grid == 7.0);
}

static void a_wrong_inner_size_is_refused(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_outer_config own;
    sotto_outer_config given = {sizeof given, {0, 1.0, 1.0}, 1.0};
    assert_refused(take_outer(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "inner struct has the size 0", NULL);
    given.inner.size = sizeof given.inner + 8;
    assert_refused(take_outer(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "inner struct has 32 bytes", "newer headers", NULL);
    given.inner.size = sizeof given.inner;
    given.size = sizeof given + 8;
    assert_refused(take_outer(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sotto_outer_config has 48 bytes", "knows 40", NULL);
    given.size = 24; /* ends inside the inner struct */
    assert_refused(take_outer(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "size 24", "sotto_outer_defaults()", NULL);
    given.size = 8;
    assert_refused(take_outer(&given, &own, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "size 8", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shorter_struct_gets_the_defaults_of_what_it_lacks),
        cmocka_unit_test(a_longer_struct_is_refused_with_a_remedy),
        cmocka_unit_test(a_size_that_nobody_set_is_refused),
        cmocka_unit_test(defaults_stay_within_the_callers_struct),
        cmocka_unit_test(an_inner_struct_grows_by_itself),
        cmocka_unit_test(a_wrong_inner_size_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
