/* Our learners under attack, some thousand runs each: no claim is refuted, and every attack sees something. A planted bug is a
 * refuted claim. Fixed seeds; a true claim is refuted with a chance of at most 1e-6 each. */
#include "learner_cases.h"

#include "base/memory.h"

enum { RUNS = 1000, RUNS_OF_FAINT = 3000 }; /* rare events, and steps, need more */
#define ALPHA 1e-6

static void no_claim_is_refuted(void **state)
{
    (void)state;
    int refuted = 0, blind = 0;
    for (size_t i = 0; i < LEARNER_CASES; i++) {
        const learner_case *at = &learner_cases[i];
        const bool faint = at->delta == 0.0 || at->transcript;
        sotto_audit *audit = audit_of(at, faint ? RUNS_OF_FAINT : RUNS, ALPHA, 100 + i);
        const sotto_audit_summary *found = sotto_audit_found(audit);
        /* An attack that sees nothing would not see a bug. */
        const bool sees = found->bounds.mu_lower > 0.0;
        if (found->refuted || !sees) show_case(at, audit);
        refuted += found->refuted || found->epsilon_lower > found->epsilon ? 1 : 0;
        blind += sees ? 0 : 1;
        sotto_audit_free(audit);
    }
    assert_int_equal(refuted, 0);
    assert_int_equal(blind, 0);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    sotto_error error;
    sotto_audit_config config = sotto_audit_defaults();
    sotto_audit *audits[2] = {NULL, NULL};
    config.model = SOTTO_MODEL_SVM;
    config.method = SOTTO_METHOD_OUTPUT;
    config.epsilon = 6.0;
    config.delta = 1e-5;
    config.runs = 150;
    config.insecure_test = true;
    config.test_seed = 5;
    for (size_t i = 0; i < 2; i++) {
        config.threads = 1 + 2 * i;
        assert_ok(sotto_audit_learner(&config, &audits[i], &error), &error);
    }
    const sotto_audit_summary *one = sotto_audit_found(audits[0]);
    const sotto_audit_summary *three = sotto_audit_found(audits[1]);
    assert_true(one->threshold == three->threshold);
    assert_int_equal(one->counts.true_positives, three->counts.true_positives);
    assert_int_equal(one->counts.false_positives, three->counts.false_positives);
    sotto_audit_free(audits[0]);
    sotto_audit_free(audits[1]);
}

static void pure_losses_never_pass_epsilon(void **state)
{
    (void)state;
    const learner_case pure = {
        SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, 2.0, 0.0, AR, false, 0.5};
    sotto_audit *audit = audit_of(&pure, 200, ALPHA, 7);
    const sotto_audit_summary *found = sotto_audit_found(audit);
    assert_within(found->loss_most, 0.9 * found->epsilon, found->epsilon * (1.0 + 1e-9));
    assert_true(found->delta_seen == 0.0);
    assert_false(found->refuted);
    sotto_audit_free(audit);
}

static void refuses(sotto_audit_config config, sotto_status status, const char *word)
{
    sotto_error error;
    sotto_audit *audit = NULL;
    assert_int_equal(sotto_audit_learner(&config, &audit, &error), status);
    assert_non_null(strstr(error.message, word));
    assert_null(audit);
}

static void what_cannot_be_audited_is_refused_by_name(void **state)
{
    (void)state;
    sotto_audit_config config = sotto_audit_defaults();
    config.model = SOTTO_MODEL_SVM;
    config.method = SOTTO_METHOD_OUTPUT;
    refuses(config, SOTTO_INVALID_ARGUMENT, "epsilon is nan");
    config.epsilon = 6.0;
    config.delta = 1e-5;
    config.alpha = 1.0;
    refuses(config, SOTTO_INVALID_ARGUMENT, "alpha is 1");
    config.alpha = 0.01;
    config.runs = 99;
    refuses(config, SOTTO_INVALID_ARGUMENT, "99 runs");
    config.runs = 100;
    config.transcript = true;
    refuses(config, SOTTO_UNSUPPORTED, "transcript");
    config.transcript = false;
    config.model = SOTTO_MODEL_POISSON;
    refuses(config, SOTTO_UNSUPPORTED, "poisson by the method output");
    config.model = SOTTO_MODEL_LINEAR;
    config.method = SOTTO_METHOD_POSTERIOR;
    config.delta = SOTTO_UNSET;
    refuses(config, SOTTO_UNSUPPORTED, "without a delta");
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    sotto_audit_config config = sotto_audit_defaults();
    config.model = SOTTO_MODEL_SVM;
    config.method = SOTTO_METHOD_OUTPUT;
    config.epsilon = 6.0;
    config.delta = 1e-5;
    config.runs = 100;
    config.insecure_test = true;
    config.threads = 1;
    for (size_t nth = 1; nth < 200; nth += 7) {
        sotto_error error;
        sotto_audit *audit = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_audit_learner(&config, &audit, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) {
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_null(audit);
        }
        sotto_audit_free(audit);
    }
}

static void pictures_hold_claim_and_attack(void **state)
{
    (void)state;
    sotto_error error;
    char *svg = NULL;
    sotto_audit *audit = audit_of(&learner_cases[2], 200, ALPHA, 3);
    assert_ok(sotto_audit_to_svg(audit, &svg, &error), &error);
    assert_non_null(strstr(svg, "the least that the claim allows"));
    assert_non_null(strstr(svg, "</svg>"));
    sotto_audit_free_svg(svg);
    assert_non_null(strstr(sotto_audit_sentence(audit), "Not refuted"));
    sotto_audit_free(audit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_claim_is_refuted),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(pure_losses_never_pass_epsilon),
        cmocka_unit_test(what_cannot_be_audited_is_refused_by_name),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(pictures_hold_claim_and_attack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
