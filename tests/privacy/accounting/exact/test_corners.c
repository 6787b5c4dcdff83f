/* The far ends of every question: a part of the grid of slow_corners.c, and the laws that every accountant
 * must obey. */
#include "privacy/accounting/corners.h"

static void every_corner_has_a_sound_and_honest_answer(void **state)
{
    (void)state;
    static const double rates[] = {1e-9, 1e-5, 0.01, 0.999999, 1.0};
    static const double sigmas[] = {0.3, 1.0, 1000.0};
    static const double counts[] = {1.0, 3.0, 1e4, 1e9};
    static const double deltas[] = {1e-5, 1e-30};
    static const double epsilons[] = {1e-3, 700.0};
    const corner_grid grid = {rates,
                              sigmas,
                              counts,
                              deltas,
                              epsilons,
                              sizeof rates / sizeof rates[0],
                              sizeof sigmas / sizeof sigmas[0],
                              sizeof counts / sizeof counts[0],
                              sizeof deltas / sizeof deltas[0],
                              sizeof epsilons / sizeof epsilons[0]};
    assert_true(corner_walk(&grid, SOTTO_ADD_REMOVE) == 240);
}

static void exchanged_records_have_them_too(void **state)
{
    (void)state;
    static const double rates[] = {1e-7, 0.1, 0.999999};
    static const double sigmas[] = {0.3, 5.0};
    static const double counts[] = {2.0, 1e6};
    static const double deltas[] = {1e-6, 1e-20};
    static const double epsilons[] = {0.5};
    const corner_grid grid = {rates,
                              sigmas,
                              counts,
                              deltas,
                              epsilons,
                              sizeof rates / sizeof rates[0],
                              sizeof sigmas / sizeof sigmas[0],
                              sizeof counts / sizeof counts[0],
                              sizeof deltas / sizeof deltas[0],
                              sizeof epsilons / sizeof epsilons[0]};
    assert_true(corner_walk(&grid, SOTTO_REPLACE_ONE) == 36);
}

/* The elementary bound of corners.h must be able to fail: it refutes an epsilon that is a per cent too
 * small, for one step, where it is nearly exact. */
static void the_elementary_bound_refutes_a_smaller_epsilon(void **state)
{
    (void)state;
    const corner cases[] = {{0.01, 0.5, 1, SOTTO_ADD_REMOVE},
                            {1e-5, 0.3, 1, SOTTO_ADD_REMOVE},
                            {0.3, 2.0, 1, SOTTO_REPLACE_ONE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double epsilon =
            epsilon_of(corner_plan(&cases[i]), SOTTO_EXACT, 1e-8).epsilon;
        assert_true(corner_delta_below(&cases[i], epsilon) <= 1e-8);
        assert_true(corner_delta_below(&cases[i], 0.99 * epsilon) > 1e-8);
    }
}

/* The corners that used to cost a second or to end in a loose bound: now the grid speaks. */
static void few_steps_are_tight_and_say_who_spoke(void **state)
{
    (void)state;
    const struct {
        corner at;
        double delta, width;
    } cases[] = {{{0.5, 0.3, 50, SOTTO_ADD_REMOVE}, 1e-5, 1e-4},
                 {{0.1, 0.5, 3, SOTTO_ADD_REMOVE}, 1e-10, 1e-4},
                 {{1e-5, 1.0, 3, SOTTO_ADD_REMOVE}, 1e-10, 2e-2},
                 {{0.01, 1.0, 5, SOTTO_REPLACE_ONE}, 1e-6, 1e-4},
                 {{0.2, 0.7, 2, SOTTO_REPLACE_ONE}, 1e-8, 1e-4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sotto_account account = corner_check_epsilon(&cases[i].at, cases[i].delta);
        if (!(account.epsilon <= account.epsilon_lower * (1.0 + cases[i].width)))
            corner_fails(&cases[i].at, "too wide", cases[i].delta, &account);
        if (account.kernel != SOTTO_KERNEL_PLD && account.kernel != SOTTO_KERNEL_CONTOUR)
            corner_fails(&cases[i].at, "another kernel spoke", cases[i].delta, &account);
        assert_int_equal(account.accountant, SOTTO_EXACT);
    }
}

/* ---- laws of composition ---- */

/* k releases of one event, k equal events, and the same ones split in two are one plan. */
static void k_fold_is_k_copies(void **state)
{
    (void)state;
    sotto_event laplace = plans_event(SOTTO_LAPLACE);
    laplace.noise_multiplier = 1.75;
    laplace.count = 1;
    sotto_event discrete = plans_event(SOTTO_DISCRETE_GAUSSIAN);
    discrete.scale = 2.5;
    discrete.sensitivity = 1.0;
    discrete.count = 1;
    const sotto_event kinds[] = {
        gaussian(2.375, 1),        sampled(0.02, 0.9, 1), pure(0.15, 1), gdp(0.4, 1),
        approximate(0.1, 1e-9, 1), zcdp(0.02, 1),         laplace,       discrete};
    enum { K = 7 };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        sotto_event copies[K];
        for (size_t k = 0; k < K; k++)
            copies[k] = kinds[i];
        sotto_event folded = kinds[i];
        folded.count = K;
        static const sotto_accountant accountants[] = {SOTTO_EXACT, SOTTO_PLD, SOTTO_RDP,
                                                       SOTTO_BASIC};
        for (size_t a = 0; a < sizeof accountants / sizeof accountants[0]; a++) {
            if (accountants[a] == SOTTO_PLD && kinds[i].mechanism == SOTTO_ZCDP) continue;
            const double together =
                epsilon_of(plan_of(folded), accountants[a], 1e-6).epsilon;
            const double apart =
                epsilon_of(plans_make(copies, K), accountants[a], 1e-6).epsilon;
            /* pld's grid depends on how it sees the law */
            assert_relative(apart, together, accountants[a] == SOTTO_PLD ? 2e-5 : 1e-9);
        }
    }
}

/* Laws with the same loss in both directions cost the same in either adjacency's terms: a Gaussian, Laplace
 * or randomized response does not know which neighbour came first. */
static void symmetric_events_do_not_know_the_adjacency(void **state)
{
    (void)state;
    sotto_event laplace = plans_event(SOTTO_LAPLACE);
    laplace.noise_multiplier = 1.75;
    laplace.count = 5;
    sotto_event response = plans_event(SOTTO_RANDOMIZED_RESPONSE);
    response.epsilon = 0.8;
    response.categories = 2;
    response.count = 9;
    const sotto_event kinds[] = {gaussian(2.375, 4), pure(0.15, 30), gdp(0.4, 2), laplace,
                                 response};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const double one =
            epsilon_of(plan_under(SOTTO_ADD_REMOVE, kinds[i]), SOTTO_EXACT, 1e-7).epsilon;
        const double other =
            epsilon_of(plan_under(SOTTO_REPLACE_ONE, kinds[i]), SOTTO_EXACT, 1e-7)
                .epsilon;
        assert_true(one == other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_corner_has_a_sound_and_honest_answer),
        cmocka_unit_test(exchanged_records_have_them_too),
        cmocka_unit_test(the_elementary_bound_refutes_a_smaller_epsilon),
        cmocka_unit_test(few_steps_are_tight_and_say_who_spoke),
        cmocka_unit_test(k_fold_is_k_copies),
        cmocka_unit_test(symmetric_events_do_not_know_the_adjacency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
