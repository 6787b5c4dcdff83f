/* The grade of a report: its thresholds, the history of a ledger, a person with several rows. */
#include "support.h"

#include "report/grade.h"

static void thresholds_are_those_of_the_page(void **state)
{
    (void)state;
    static const struct {
        double rate, delta;
        sotto_grade grade;
    } cases[] = {
        {0.01, 0.0, SOTTO_GRADE_STRONG},         {0.03, 1e-5, SOTTO_GRADE_STRONG},
        {0.03000001, 0.0, SOTTO_GRADE_MODERATE}, {0.02, 1.1e-5, SOTTO_GRADE_MODERATE},
        {0.19, 1e-4, SOTTO_GRADE_MODERATE},      {0.1900001, 1e-9, SOTTO_GRADE_WEAK},
        {0.02, 1.1e-4, SOTTO_GRADE_WEAK},        {0.5, 1e-3, SOTTO_GRADE_WEAK},
        {0.5000001, 0.0, SOTTO_GRADE_FORMAL},    {0.01, 1.1e-3, SOTTO_GRADE_FORMAL},
        {1.0, 0.0, SOTTO_GRADE_FORMAL},          {(double)NAN, 0.0, SOTTO_GRADE_FORMAL},
        {0.02, (double)NAN, SOTTO_GRADE_FORMAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (sot_grade_of(cases[i].rate, cases[i].delta) != cases[i].grade)
            fail_msg("case %zu is %s", i,
                     sotto_grade_name(sot_grade_of(cases[i].rate, cases[i].delta)));
}

static void grades_have_names(void **state)
{
    (void)state;
    assert_string_equal(sotto_grade_name(SOTTO_GRADE_NONE), "none");
    assert_string_equal(sotto_grade_name(SOTTO_GRADE_STRONG), "strong");
    assert_string_equal(sotto_grade_name(SOTTO_GRADE_MODERATE), "moderate");
    assert_string_equal(sotto_grade_name(SOTTO_GRADE_WEAK), "weak");
    assert_string_equal(sotto_grade_name(SOTTO_GRADE_FORMAL), "formal only");
}

/* A pure guarantee of one row: k rows have k epsilon, and 1% becomes e^(k epsilon) %. */
static void a_person_with_several_rows_has_a_worse_grade(void **state)
{
    (void)state;
    sot_claims claims = {.epsilon = 0.75, .delta = 0.0};
    for (size_t i = 0; i < SOT_PROFILE_SIZE; i++)
        claims.profile[i] = (sot_guarantee){.epsilon = 0.75, .delta = 1e-4};
    sot_graded group = sot_grade_of_group(&claims, 1);
    assert_relative(group.rate, 0.01 * exp(0.75), 1e-13);
    assert_int_equal(group.grade, SOTTO_GRADE_STRONG);
    group = sot_grade_of_group(&claims, 2);
    assert_relative(group.rate, 0.01 * exp(1.5), 1e-13);
    assert_true(group.rate >= 0.01 * exp(1.5) * (1.0 - 1e-15));
    assert_int_equal(group.grade, SOTTO_GRADE_MODERATE);
    group = sot_grade_of_group(&claims, 5);
    assert_relative(group.rate, 0.01 * exp(3.75), 1e-13);
    assert_int_equal(group.grade, SOTTO_GRADE_WEAK);
    /* Without a pure pair delta grows too: 5 e^(4 epsilon) delta. */
    claims.delta = 1e-4;
    group = sot_grade_of_group(&claims, 5);
    assert_relative(group.delta, 5.0 * exp(3.0) * 1e-4, 1e-13);
    assert_int_equal(group.grade, SOTTO_GRADE_FORMAL);
}

/* ---- the history ---- */

static sot_grading grading_of(const sotto_ledger_balance *balance)
{
    const sot_report_ledger ledger = {.balance = *balance};
    const sot_report report = {.subject = SOT_SUBJECT_LEDGER, .ledger = &ledger};
    return sot_report_grade(&report);
}

static sotto_ledger_balance renyi_balance(double order, double spent, double own)
{
    return (sotto_ledger_balance){.epsilon = 4.0,
                                  .delta = 1e-6,
                                  .delta_guaranteed = 1e-6,
                                  .order = order,
                                  .budget = 10.0,
                                  .spent = spent,
                                  .delta_spent = own,
                                  .epsilon_spent_upper = 3.5,
                                  .rho = (double)NAN};
}

/* Renyi divergence of a Gaussian release of mu at order a is a mu^2 / 2: the bound is above the exact attack on it,
 * Phi(mu + Phi^-1(1%)), and below that of the single pair (3.5, 1e-6). */
static void the_history_is_never_understated(void **state)
{
    (void)state;
    static const struct {
        double mu, exact; /* Phi(mu - 2.3263478740408408) */
    } cases[] = {{0.25, 0.018930}, {0.5, 0.033898}, {1.0, 0.092362}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double mu = cases[i].mu;
        const sotto_ledger_balance balance =
            renyi_balance(6.0, 6.0 * mu * mu / 2.0, 1e-9);
        const sot_grading grading = grading_of(&balance);
        assert_within(grading.history.rate, cases[i].exact, 0.01 * exp(3.5) + 1e-6);
        assert_true(grading.history.rate < 0.8 * 0.01 * exp(3.5));
        assert_int_equal(grading.grade, grading.history.grade);
        assert_relative(grading.budget.rate, 0.01 * exp(4.0) + 1e-6, 1e-12);
        assert_int_equal(grading.budget.grade, SOTTO_GRADE_FORMAL);
    }
}

static void deltas_of_single_runs_count(void **state)
{
    (void)state;
    const sotto_ledger_balance few = renyi_balance(6.0, 0.25, 0.0);
    sotto_ledger_balance many = few;
    many.delta_spent = 0.004;
    assert_relative(grading_of(&many).history.rate, grading_of(&few).history.rate + 0.004,
                    1e-12);
}

static void a_new_ledger_is_strong_and_a_closed_one_formal(void **state)
{
    (void)state;
    sotto_ledger_balance balance = renyi_balance(6.0, 0.0, 0.0);
    balance.epsilon_spent_upper = 0.0;
    assert_int_equal(grading_of(&balance).grade, SOTTO_GRADE_STRONG);
    balance.order = (double)NAN;
    balance.spent = HUGE_VAL;
    balance.epsilon_spent_upper = HUGE_VAL;
    assert_int_equal(grading_of(&balance).grade, SOTTO_GRADE_FORMAL);
}

/* rho-zCDP: every delta gives a pair, and the best of them counts. */
static void a_zcdp_ledger_is_graded_by_rho(void **state)
{
    (void)state;
    sotto_ledger_balance balance = {.epsilon = (double)NAN,
                                    .delta = (double)NAN,
                                    .order = (double)NAN,
                                    .rho = 0.5,
                                    .budget = 0.5,
                                    .spent = 0.02,
                                    .epsilon_spent_upper = HUGE_VAL,
                                    .member_count = 1};
    const sot_grading grading = grading_of(&balance);
    const double epsilon = 0.02 + 2.0 * sqrt(0.02 * log(1e3));
    assert_within(grading.history.rate, 0.016737,
                  (0.01 * exp(epsilon) + 1e-3) * (1.0 + 1e-13));
    assert_true(grading.history.delta == 0.0);
    assert_true(grading.budget.rate > grading.history.rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_are_those_of_the_page),
        cmocka_unit_test(grades_have_names),
        cmocka_unit_test(a_person_with_several_rows_has_a_worse_grade),
        cmocka_unit_test(the_history_is_never_understated),
        cmocka_unit_test(deltas_of_single_runs_count),
        cmocka_unit_test(a_new_ledger_is_strong_and_a_closed_one_formal),
        cmocka_unit_test(a_zcdp_ledger_is_graded_by_rho),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
