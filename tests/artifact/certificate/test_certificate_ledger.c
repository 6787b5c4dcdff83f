/* From the budget to the certificate: reserve, release, certify, commit, verify. */
#include "artifact/certificate/certificates.h"

#include <sotto/gaussian.h>
#include <unistd.h>

typedef struct run {
    char directory[32];
    char path[64];
    sotto_ledger *ledger;
    sotto_rng *rng;
    sotto_plan *plan;
    sotto_gate *gate;
    sotto_gaussian_config config;
    sotto_reservation reservation;
} run;

static void begin(run *self, double delta)
{
    sotto_error error;
    sotto_event event;
    sotto_ledger_config budget = sotto_ledger_defaults();
    (void)snprintf(self->directory, sizeof self->directory, "/tmp/sotto-XXXXXX");
    assert_non_null(mkdtemp(self->directory));
    (void)snprintf(self->path, sizeof self->path, "%s/ledger", self->directory);
    (void)snprintf(budget.dataset, sizeof budget.dataset, "registry-2026");
    budget.adjacency = SOTTO_ADD_REMOVE;
    budget.epsilon = 4.0;
    budget.delta = delta;
    assert_ok(sotto_ledger_init(self->path, &budget, &error), &error);
    assert_ok(sotto_ledger_open(self->path, &self->ledger, &error), &error);
    self->config = sotto_gaussian_defaults();
    self->config.l2_sensitivity = 1.0;
    self->config.sigma = 8.0;
    self->config.adjacency = SOTTO_ADD_REMOVE;
    self->config.purpose = "sum";
    assert_ok(sotto_gaussian_event(&self->config, &event, &error), &error);
    event.count = 2;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &self->plan, &error), &error);
    assert_ok(sotto_plan_add(self->plan, &event, &error), &error);
    assert_ok(sotto_rng_new(&self->rng, &error), &error);
    assert_ok(sotto_gate_new(self->plan, self->rng, &self->gate, &error), &error);
}

static void end(run *self)
{
    sotto_gate_free(self->gate);
    sotto_plan_free(self->plan);
    sotto_rng_free(self->rng);
    sotto_ledger_close(self->ledger);
    (void)unlink(self->path);
    (void)rmdir(self->directory);
}

static void a_charged_release_is_certified_with_its_ledger(void **state)
{
    (void)state;
    run self = {.ledger = NULL};
    sotto_error error;
    begin(&self, 1e-6);
    char heads[3][SOTTO_HASH_HEX_BYTES];
    for (int i = 0; i < 3; i++) { /* three runs on one budget */
        char *text = NULL, hash[SOTTO_HASH_HEX_BYTES];
        if (i > 0) {
            sotto_gate_free(self.gate);
            assert_ok(sotto_gate_new(self.plan, self.rng, &self.gate, &error), &error);
        }
        assert_ok(sotto_ledger_reserve(self.ledger, self.plan, 1e-12, "sums",
                                       &self.reservation, &error),
                  &error);
        assert_ok(sotto_gate_open(self.gate, &error), &error);
        for (int k = 0; k < 2; k++) {
            const int64_t exact = 4711;
            int64_t noisy;
            assert_ok(sotto_gaussian_release(self.gate, &self.config, &exact, 1, &noisy,
                                             &error),
                      &error);
        }
        assert_ok(sotto_gate_finish(self.gate, &error), &error);
        sotto_certificate_facts facts = sotto_certificate_defaults();
        facts.output = "two sums";
        facts.unit = "row";
        facts.dataset = "registry-2026";
        facts.delta = 1e-7;
        facts.covered = sample_covered;
        facts.ledger = &self.reservation;
        assert_ok(sotto_certificate_attach("{\"sums\": [4699, 4716]}", self.gate, &facts,
                                           &text, hash, &error),
                  &error);
        assert_ok(sotto_ledger_commit(self.ledger, &self.reservation, hash, &error),
                  &error);
        assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
        /* The head in the certificate is an anchor of the ledger. */
        memcpy(heads[i], self.reservation.after.head, sizeof heads[i]);
        assert_non_null(strstr(text, heads[i]));
        sotto_free(text);
    }
    for (int i = 0; i < 3; i++)
        assert_ok(sotto_ledger_check(self.ledger, heads[i], &error), &error);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_charged_release_is_certified_with_its_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
