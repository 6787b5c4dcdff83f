/* A gate that ended early: its certificate claims the whole plan, says so, and cannot be bent. */
#include "support.h"

#include <stdlib.h>

#include <sotto/certificate.h>
#include <sotto/laplace.h>

#include "privacy/mechanisms/gate/gate.h"

/* One of three planned counts is released; the text is to be freed with sotto_free(). */
static char *certify_early(void)
{
    static const char *const covered[] = {"the rows of the data file, once", NULL};
    sotto_error error;
    sotto_event event;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    const int64_t exact = 812;
    int64_t noisy;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_laplace_config config = sotto_laplace_defaults();
    config.l1_sensitivity = 1.0;
    config.scale = 4.0;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "count";
    assert_ok(sotto_rng_new(&rng, &error), &error);
    assert_ok(sotto_laplace_event(&config, &event, &error), &error);
    event.count = 3;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);
    assert_ok(sotto_laplace_release(gate, &config, &exact, 1, &noisy, &error), &error);
    assert_refused(sotto_gate_finish(gate, &error), SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sot_gate_finish_early(gate, &error), &error);
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = "at most three private counts";
    facts.unit = "row";
    facts.delta = 0.0;
    facts.covered = covered;
    assert_ok(sotto_certificate_attach("{}", gate, &facts, &text, hash, &error), &error);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
    return text;
}

/* `text` with the first `old` replaced; free() it. */
static char *bend(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *bent = malloc(strlen(text) + strlen(new) + 1);
    assert_non_null(bent);
    const size_t before = (size_t)(at - text);
    memcpy(bent, text, before);
    strcpy(bent + before, new);
    strcat(bent, at + strlen(old));
    return bent;
}

static void the_whole_plan_is_claimed(void **state)
{
    (void)state;
    sotto_error error;
    sotto_certificate_summary summary;
    char *text = certify_early();
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    assert_within(summary.epsilon, 0.75, 0.75 * (1.0 + 1e-15)); /* three, not one */
    char *page = NULL;
    assert_ok(sotto_certificate_render(text, strlen(text), SOTTO_CERTIFICATE_TEXT, &page,
                                       &error),
              &error);
    assert_non_null(strstr(page, "1 of at most 3"));
    sotto_free(page);
    sotto_free(text);
}

static void caps_that_are_bent_do_not_verify(void **state)
{
    (void)state;
    sotto_error error;
    char *text = certify_early();
    /* fewer than planned without the word; more than planned; another word */
    static const char *const changes[][2] = {
        {"\"counts\": \"caps\",", ""},
        {"\"counts\": \"caps\"", "\"counts\": \"all\""},
        {"\"count\": 3", "\"count\": 1"}};
    for (size_t i = 0; i < 3; i++) {
        char *bent = bend(text, changes[i][0], changes[i][1]);
        assert_refused(sotto_certificate_verify(bent, strlen(bent), &error),
                       SOTTO_VERIFICATION, &error, NULL);
        free(bent);
    }
    sotto_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_plan_is_claimed),
        cmocka_unit_test(caps_that_are_bent_do_not_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
