/* Tree aggregation costs one Gaussian release for each height. The values are those of tree-01
 * and tree-02 of tests/vectors/accounting.json (closed form, mpmath with 50 digits). */
#include "privacy/accounting/plans.h"

#include <sotto/tree_aggregation.h>

static sotto_plan *tree_plan(double sigma, const uint64_t *steps, size_t trees)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sotto_tree_aggregation_event(sigma, steps, trees, &event, &error), &error);
    return plan_of(event);
}

static void check(double sigma, const uint64_t *steps, size_t trees, double rdp_at_8,
                  double delta, double epsilon)
{
    sotto_error error;
    double rdp;
    sotto_plan *plan = tree_plan(sigma, steps, trees);
    assert_ok(sotto_account_rdp(plan, 8.0, &rdp, &error), &error);
    assert_within(rdp, rdp_at_8 * (1.0 - 1e-15), rdp_at_8 * (1.0 + 1e-12));
    const sotto_account account = epsilon_of(plan, SOTTO_EXACT, delta);
    assert_within(account.epsilon, epsilon * (1.0 - 1e-13), epsilon * (1.0 + 1e-9));
}

static void references_are_met(void **state)
{
    (void)state;
    static const uint64_t first[] = {1000}, second[] = {500, 2000};
    check(10.0, first, 1, 0.4, 1e-5, 1.19936957375317);
    check(5.0, second, 2, 1.76, 1e-6, 3.08038070054915);
}

/* Against counting: the finished nodes of a tree over n steps that contain one leaf. */
static void heights_are_those_of_the_finished_nodes(void **state)
{
    (void)state;
    for (uint64_t steps = 1; steps <= 70; steps++) {
        uint64_t most = 0;
        for (uint64_t leaf = 0; leaf < steps; leaf++) {
            uint64_t nodes = 0;
            for (uint64_t size = 1; (leaf / size + 1) * size <= steps; size *= 2)
                nodes++;
            if (nodes > most) most = nodes;
        }
        sotto_plan *plan = tree_plan(2.5, &steps, 1);
        assert_int_equal(sotto_plan_event(plan, 0)->count, most);
        sotto_plan_free(plan);
    }
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    static const uint64_t none[] = {5, 0}, fine[] = {7};
    assert_refused(sotto_tree_aggregation_event(1.0, none, 2, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "tree 2", "0", NULL);
    assert_refused(sotto_tree_aggregation_event(1.0, fine, 0, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "tree", NULL);
    assert_refused(sotto_tree_aggregation_event(SOTTO_UNSET, fine, 1, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "noise_multiplier", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_met),
        cmocka_unit_test(heights_are_those_of_the_finished_nodes),
        cmocka_unit_test(what_is_no_tree_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
