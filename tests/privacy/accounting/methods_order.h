/* tests/privacy/accounting/methods_order.h: random plans, priced by every accountant but pld.
 *
 * For each plan and delta: no certified epsilon is below the exact one's lower end, and the order of
 * the theorems holds: rdp <= moments, optimal <= advanced.
 */
#ifndef SOTTO_TESTS_METHODS_ORDER_H
#define SOTTO_TESTS_METHODS_ORDER_H

#include "privacy/accounting/cross_check.h"

enum { ORDER_ACCOUNTANTS = SOTTO_OPTIMAL + 1 };

typedef struct order_answers {
    int has[ORDER_ACCOUNTANTS];
    double epsilon[ORDER_ACCOUNTANTS];
    double exact_lower;
} order_answers;

static inline order_answers order_ask(const sotto_plan *plan, double delta)
{
    order_answers answers = {.exact_lower = 0.0};
    for (int i = SOTTO_EXACT; i <= SOTTO_OPTIMAL; i++) {
        if (i == SOTTO_PLD)
            continue; /* it has its own comparison with the exact answer */
        sotto_error error;
        sotto_account account;
        const sotto_status status =
            sotto_account_epsilon(plan, (sotto_accountant)i, delta, &account, &error);
        answers.has[i] = status == SOTTO_OK;
        answers.epsilon[i] = answers.has[i] ? account.epsilon : HUGE_VAL;
        if (i == SOTTO_EXACT && answers.has[i])
            answers.exact_lower = account.epsilon_lower;
        if (status == SOTTO_OK) continue;
        assert_true(status == SOTTO_UNREACHABLE || status == SOTTO_UNSUPPORTED);
    }
    return answers;
}

/* Returns how many accountants besides `exact` had an answer. */
static inline int order_check_plan(uint64_t seed, cross_range range)
{
    sotto_plan *plan = cross_plan(&seed, range);
    const double delta = cross_between(&seed, 1e-12, 0.3);
    const order_answers answers = order_ask(plan, delta);
    int answered = 0;
    for (int i = SOTTO_RDP; i <= SOTTO_OPTIMAL; i++) {
        if (!answers.has[i]) continue;
        answered++;
        assert_true(isfinite(answers.epsilon[i]) && answers.epsilon[i] >= 0.0);
        if (answers.has[SOTTO_EXACT])
            assert_true(answers.epsilon[i] >= answers.exact_lower * (1.0 - 1e-9));
    }
    if (answers.has[SOTTO_MOMENTS])
        assert_true(answers.epsilon[SOTTO_RDP] <=
                    answers.epsilon[SOTTO_MOMENTS] * (1.0 + 1e-7) + 1e-12);
    if (answers.has[SOTTO_ADVANCED])
        assert_true(answers.epsilon[SOTTO_OPTIMAL] <=
                    answers.epsilon[SOTTO_ADVANCED] * (1.0 + 1e-9));
    sotto_plan_free(plan);
    return answered;
}

#endif
