/* Our learners under attack, some thousand runs each: no claim is refuted, and every attack sees something. A mutant
 * is a refuted claim. Fixed seeds; a true claim is refuted with a chance of at most 1e-6 each. */
#include "learner_cases.h"

#include "base/memory.h"
#include "commands/audit/audit_parts.h"

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
    refuses(config, SOTTO_INVALID_ARGUMENT, "`epsilon` is nan");
    config.epsilon = 6.0;
    config.delta = 1e-5;
    config.alpha = 1.0;
    refuses(config, SOTTO_INVALID_ARGUMENT, "`alpha` is 1");
    config.alpha = 0.01;
    config.runs = 99;
    refuses(config, SOTTO_INVALID_ARGUMENT, "`runs` is 99");
    config.runs = 100;
    config.transcript = true;
    refuses(config, SOTTO_UNSUPPORTED, "transcript");
    config.transcript = false;
    config.model = SOTTO_MODEL_POISSON;
    config.method = SOTTO_METHOD_NEWTON;
    refuses(config, SOTTO_UNSUPPORTED, "poisson by the method newton");
    config.model = SOTTO_MODEL_LINEAR;
    config.method = SOTTO_METHOD_POSTERIOR;
    config.delta = SOTTO_UNSET;
    refuses(config, SOTTO_UNSUPPORTED, "without a delta");
    /* As many rows as a small epsilon needs are too many, and a tiny one has no number of them. */
    config.delta = 1e-6;
    config.epsilon = 0.02;
    refuses(config, SOTTO_UNSUPPORTED, "rows; audit a larger epsilon");
    config.model = SOTTO_MODEL_CONCEPT;
    config.method = SOTTO_METHOD_EXPONENTIAL;
    config.delta = SOTTO_UNSET;
    config.epsilon = 1e-300;
    refuses(config, SOTTO_UNSUPPORTED, "too small for any attack");
}

/* ---- what is said ---- */

/* The sentence of an audit whose claim stands. */
static void says(const learner_case *at, uint64_t runs, sotto_audit_route route,
                 const char *text)
{
    sotto_audit *audit = audit_of(at, runs, 0.01, 11);
    const sotto_audit_summary *found = sotto_audit_found(audit);
    if (strstr(sotto_audit_sentence(audit), text) == NULL)
        print_message("%s\n", sotto_audit_sentence(audit));
    assert_false(found->refuted);
    assert_int_equal(found->route, route);
    assert_non_null(strstr(sotto_audit_sentence(audit), text));
    /* What is shown of a claim that stands is no more than the claim. */
    assert_true(found->epsilon_lower <= found->epsilon);
    sotto_audit_free(audit);
}

/* Only rates bound epsilon whatever the mechanism is; mu and noise bound it within the claim's family, and objective perturbation
 * has no Gaussian curve to follow. */
static void sentences_say_what_was_proven_and_of_what(void **state)
{
    (void)state;
    const learner_case pure = {
        SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, 2.0, 0.0, AR, false, 0.5};
    const learner_case gaussian = {
        SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, 6.0, 1e-5, AR, false, 0.5};
    const learner_case sampled = {
        SOTTO_MODEL_SVM, SOTTO_METHOD_SGD, 6.0, 1e-5, RO, false, 0.5};
    const learner_case tilted = {
        SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE, 6.0, 1e-5, AR, false, 0.5};
    says(&pure, 1000, SOTTO_AUDIT_BY_RATES, "99 % confidence epsilon is at least");
    says(&gaussian, 1000, SOTTO_AUDIT_BY_MU, "99 % confidence mu is at least");
    says(&sampled, 1000, SOTTO_AUDIT_BY_NOISE, "less noise than the claim's plan");
    says(&tilted, 1000, SOTTO_AUDIT_AS_GAUSSIAN, "a different mechanism");
}

/* Results that only a broken learner gives. */
static void a_refutation_names_its_strongest_evidence(void **state)
{
    (void)state;
    sotto_audit audit = {.pure = true,
                         .found = {.epsilon = 2.0,
                                   .delta = 1e-5,
                                   .alpha = 0.01,
                                   .refuted = true,
                                   .loss_most = 2.25,
                                   .delta_lower = 0.0625,
                                   .bounds = {.epsilon_lower = 3.5},
                                   .verdict = {.refuted = true}}};
    sot_audit_put_sentence(&audit);
    assert_non_null(strstr(audit.sentence, "REFUTED: at a released point"));
    audit.pure = false;
    sot_audit_put_sentence(&audit);
    assert_non_null(
        strstr(audit.sentence, "REFUTED, with 99 % confidence: epsilon is at least 3.5"));
    audit.found.bounds.epsilon_lower = 1.5;
    sot_audit_put_sentence(&audit);
    assert_non_null(
        strstr(audit.sentence, "REFUTED, with 99 % confidence: the attack has at most"));
    audit.found.verdict.refuted = false;
    sot_audit_put_sentence(&audit);
    assert_non_null(strstr(audit.sentence, "at epsilon 2 delta is at least 0.062"));
}

static void no_confidence_is_shown_as_certainty(void **state)
{
    (void)state;
    sotto_audit *audit = audit_of(&learner_cases[2], 100, 1e-7, 3);
    assert_non_null(strstr(sotto_audit_sentence(audit), "except with probability 1e-07"));
    assert_null(strstr(sotto_audit_sentence(audit), "100 % confidence"));
    sotto_audit_free(audit);
}

/* A pair whose settings do not fit its adjacency sees nothing, which looks like privacy. */
static void sampled_steps_are_seen_under_both_adjacencies(void **state)
{
    (void)state;
    for (int adjacency = AR; adjacency <= RO; adjacency++) {
        const learner_case at = {SOTTO_MODEL_SVM,
                                 SOTTO_METHOD_SGD,
                                 6.0,
                                 1e-5,
                                 (sotto_adjacency)adjacency,
                                 false,
                                 0.5};
        sotto_audit *audit = audit_of(&at, 1000, 0.01, 21);
        const sotto_audit_summary *found = sotto_audit_found(audit);
        assert_false(found->refuted);
        assert_within(found->epsilon_lower, 0.4 * found->epsilon, found->epsilon);
        sotto_audit_free(audit);
    }
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
    for (size_t nth = 1; nth < 400; nth += 7) {
        sotto_error error;
        config.method = nth % 2 == 0 ? SOTTO_METHOD_OUTPUT : SOTTO_METHOD_OBJECTIVE;
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
    assert_non_null(strstr(svg, "lower limit of the claim"));
    assert_non_null(strstr(svg, "</svg>"));
    sotto_free(svg);
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
        cmocka_unit_test(a_refutation_names_its_strongest_evidence),
        cmocka_unit_test(no_confidence_is_shown_as_certainty),
        cmocka_unit_test(sampled_steps_are_seen_under_both_adjacencies),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(pictures_hold_claim_and_attack),
        cmocka_unit_test(
            sentences_say_what_was_proven_and_of_what), /* last: it switches bugs off */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
