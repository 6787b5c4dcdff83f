/* The price of a tuning in a certificate: it follows from the plans of the trainings, and whoever states less is found out,
 * though every epsilon follows from what is stated and the hash is right. */
#include "artifact/certificate/certificates.h"

#include <stdlib.h>

#include "base/memory.h"
#include "privacy/accounting/selection/selection.h"

#define TRAINING                                                                         \
    "{\"events\": [{\"mechanism\": \"gaussian\", \"noise_multiplier\": 4.75, "           \
    "\"purpose\": \"coefficients\", \"count\": 2}]}"
#define DEARER                                                                           \
    "{\"events\": [{\"mechanism\": \"gaussian\", \"noise_multiplier\": 6.25}, "          \
    "{\"mechanism\": \"pure\", \"epsilon\": 0.375}]}"
#define PURE_TRAINING "{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 0.375}]}"

enum { ORDERS = 6 };
static const double orders[ORDERS] = {1.5, 2.25, 4.0, 9.5, 33.0, 70.0};

/* A tuned output: its selection, and the certificate of the event that follows from it. */
typedef struct tuned {
    sotto_plan *plans[2];
    sotto_selection selection;
    double values[ORDERS];
    sotto_event event;
    sample made;
} tuned;

static void price(tuned *out, sotto_runs runs, const char *first, const char *second)
{
    sotto_error error;
    const char *const texts[] = {first, second};
    *out = (tuned){.selection = {.runs = runs}};
    for (size_t i = 0; i < 2 && texts[i] != NULL; i++) {
        assert_ok(sotto_plan_parse(texts[i], strlen(texts[i]), &out->plans[i], &error),
                  &error);
        out->selection.plan_count++;
    }
    out->selection.plans = (const sotto_plan *const *)out->plans;
    const bool pure = strcmp(first, PURE_TRAINING) == 0;
    assert_ok(sot_selection_price_event(&out->selection, orders, pure ? 0 : ORDERS,
                                        out->values, &out->event, &error),
              &error);
}

/* With the event as it stands now. */
static const char *certify(tuned *one)
{
    sotto_error error;
    const double delta = one->event.mechanism == SOTTO_PURE ? 0.0 : 1e-6;
    sample_free(&one->made);
    sample_from_json(&one->made, SAMPLE_PURE, delta);
    sotto_plan_free(one->made.plan);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &one->made.plan, &error), &error);
    assert_ok(sotto_plan_add(one->made.plan, &one->event, &error), &error);
    one->made.certificate.plan = one->made.plan;
    one->made.certificate.facts.selection = &one->selection;
    one->made.certificate.facts.tuning = "tuned: lambda=10";
    return sample_text(&one->made);
}

static void release(tuned *one)
{
    sample_free(&one->made);
    for (size_t i = 0; i < 2; i++)
        sotto_plan_free(one->plans[i]);
}

static sotto_runs law(sotto_runs_law kind, double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    assert_ok(sotto_runs_from_mean(kind, shape, mean, &runs, &error), &error);
    return runs;
}

static void expect_verified(const char *text)
{
    sotto_error error;
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
}

static void expect_refused(const char *text, const char *word)
{
    sotto_error error;
    assert_refused(sotto_certificate_verify(text, strlen(text), &error),
                   SOTTO_VERIFICATION, &error, word, NULL);
}

/* Every law, one plan and several, curves and pure events. */
static void a_price_that_follows_is_verified_and_shown(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_runs laws[] = {law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0),
                               law(SOTTO_RUNS_NEGATIVE_BINOMIAL, -0.5, 4.5),
                               law(SOTTO_RUNS_POISSON, SOTTO_UNSET, 0.5)};
    for (size_t i = 0; i < 3; i++) {
        tuned one;
        char *page = NULL;
        price(&one, laws[i], TRAINING, DEARER);
        const char *text = certify(&one);
        expect_verified(text);
        assert_ok(sotto_certificate_render(text, strlen(text), SOTTO_CERTIFICATE_TEXT,
                                           &page, &error),
                  &error);
        assert_non_null(strstr(page, "Origin of its price"));
        assert_non_null(strstr(page, "noise multiplier 6.25"));
        sotto_free(page);
        release(&one);
        price(&one, laws[i], PURE_TRAINING, NULL);
        expect_verified(certify(&one));
        release(&one);
    }
}

/* The forger makes a whole certificate of a smaller price: each claim follows from it. */
static void a_smaller_price_is_refused(void **state)
{
    (void)state;
    tuned one;
    price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0), TRAINING, DEARER);
    double *curve = one.values;
    for (size_t i = 0; i < ORDERS; i++)
        curve[i] *= 0.5;
    expect_refused(certify(&one), "certificate.epsilon states");
    for (size_t i = 0; i < ORDERS; i++)
        curve[i] *= 2.0;
    expect_verified(certify(&one));
    /* The cheaper of two plans alone. */
    const sotto_plan *const *plans = one.selection.plans;
    one.selection.plans = plans + 1;
    one.selection.plan_count = 1;
    expect_refused(certify(&one), "certificate.epsilon states");
    one.selection.plans = plans;
    one.selection.plan_count = 2;
    /* Fewer trainings than were priced. */
    one.selection.runs = law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 9.0);
    expect_refused(certify(&one), "certificate.epsilon states");
    release(&one);
    price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0), PURE_TRAINING, NULL);
    assert_within(one.event.epsilon, 1.125, 1.125 * (1.0 + 1e-14)); /* (2 + 1) 0.375 */
    one.event.epsilon = 0.5;
    expect_refused(certify(&one), "certificate.epsilon states 0.5, recomputed 1.125");
    release(&one);
}

/* Other software may have rounded otherwise: a relative 1e-12 is no lie, a thousandth is. */
static void other_software_may_round_otherwise(void **state)
{
    (void)state;
    static const double factors[] = {1.0 - 1e-12, 1.0 + 1e-3, 1.0 - 1e-3};
    tuned one;
    for (size_t i = 0; i < 3; i++) {
        price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.0, 3.0), TRAINING, NULL);
        for (size_t k = 0; k < ORDERS; k++)
            one.values[k] *= factors[i];
        sot_certificate_file file;
        sotto_error error;
        bool exact = true;
        const char *text = certify(&one);
        assert_ok(sot_certificate_file_open(text, strlen(text), &file, &error), &error);
        file.certificate.software.build[0] ^= 1;
        const sotto_status status = sot_certificate_file_recompute(&file, &exact, &error);
        assert_false(exact);
        assert_int_equal(status, SOTTO_VERIFICATION);
        /* The software's name is compared too, and comes last of what stands there. */
        const char *found = i < 2 ? "certificate.software.build" : "certificate.epsilon";
        assert_non_null(strstr(error.message, found));
        sot_certificate_file_close(&file);
        release(&one);
    }
}

/* A curve without what it follows from could be anybody's. */
static void a_price_alone_is_refused(void **state)
{
    (void)state;
    tuned one;
    price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0), TRAINING, NULL);
    (void)certify(&one);
    one.made.certificate.facts.selection = NULL;
    expect_refused(sample_text(&one.made), "no selection to recompute it from");
    release(&one);
    price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0), PURE_TRAINING, NULL);
    (void)certify(&one);
    one.made.certificate.facts.selection = NULL;
    expect_refused(sample_text(&one.made), "no selection to recompute it from");
    release(&one);
}

static void a_selection_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    char hash[SOTTO_HASH_HEX_BYTES];
    char *text = NULL;
    tuned one;
    price(&one, law(SOTTO_RUNS_POISSON, SOTTO_UNSET, 3.0), PURE_TRAINING, NULL);
    (void)certify(&one);
    sot_certificate *certificate = &one.made.certificate;
    one.selection.plan_count = 0;
    assert_refused(
        sot_certificate_attach(sample_payload, certificate, &text, hash, &error),
        SOTTO_INVALID_ARGUMENT, &error, "selection.plans has 0 entries", NULL);
    sotto_plan *other = NULL;
    assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &other, &error), &error);
    const sotto_plan *const others[] = {other};
    one.selection = (sotto_selection){one.selection.runs, others, 1};
    assert_refused(
        sot_certificate_attach(sample_payload, certificate, &text, hash, &error),
        SOTTO_INVALID_ARGUMENT, &error, "selection.plans[0]", "neighbours", NULL);
    sotto_plan_free(other);
    certificate->is_capped = true;
    assert_refused(
        sot_certificate_attach(sample_payload, certificate, &text, hash, &error),
        SOTTO_INVALID_ARGUMENT, &error, "selection goes with a plan of one event", NULL);
    release(&one);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    tuned one;
    sotto_error error;
    price(&one, law(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0), TRAINING, DEARER);
    const char *text = certify(&one);
    const size_t size = strlen(text);
    (void)sot_test_fail_allocation(0);
    assert_ok(sotto_certificate_verify(text, size, &error), &error);
    const size_t asked = sot_test_fail_allocation(0);
    for (size_t nth = 1; nth <= asked; nth += 1 + asked / 60) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_certificate_verify(text, size, &error);
        (void)sot_test_fail_allocation(0);
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    release(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_that_follows_is_verified_and_shown),
        cmocka_unit_test(a_smaller_price_is_refused),
        cmocka_unit_test(other_software_may_round_otherwise),
        cmocka_unit_test(a_price_alone_is_refused),
        cmocka_unit_test(a_selection_that_does_not_fit_is_refused),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
