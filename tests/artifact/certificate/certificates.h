/* tests/artifact/certificate/certificates.h: certificates of made-up runs, for the tests of src/artifact/certificate. */
#ifndef SOTTO_TESTS_CERTIFICATES_H
#define SOTTO_TESTS_CERTIFICATES_H

#include "support.h"

#include <sotto/certificate.h>

#include "artifact/certificate/certificate.h"

static const char *const sample_covered[] = {"one pass over the rows", NULL};
static const char *const sample_unprotected[] = {"the schema", "the settings", NULL};
static const char sample_payload[] =
    "{\"value\": 1023, \"half\": 0.5, \"name\": \"count\"}";

typedef struct sample {
    sotto_plan *plan;
    uint64_t released[16];
    sotto_reservation ledger;
    sot_certificate certificate;
    char *text; /* of sample_text() */
} sample;

static inline void sample_from_json(sample *made, const char *plan_json, double delta)
{
    sotto_error error;
    memset(made, 0, sizeof *made);
    assert_ok(sotto_plan_parse(plan_json, strlen(plan_json), &made->plan, &error),
              &error);
    for (size_t i = 0; i < sotto_plan_size(made->plan); i++)
        made->released[i] = sotto_plan_event(made->plan, i)->count;
    made->certificate.facts = sotto_certificate_defaults();
    made->certificate.facts.output = "a private count";
    made->certificate.facts.unit = "row";
    made->certificate.facts.delta = delta;
    made->certificate.facts.covered = sample_covered;
    made->certificate.facts.unprotected = sample_unprotected;
    made->certificate.plan = made->plan;
    made->certificate.released = made->released;
    made->certificate.is_secure = true;
}

#define SAMPLE_PURE                                                                      \
    "{\"events\": [{\"mechanism\": \"discrete-laplace\", \"scale\": 2, "                 \
    "\"sensitivity\": 1, \"grid\": 1, \"purpose\": \"count\"}]}"
#define SAMPLE_GAUSSIAN                                                                  \
    "{\"events\": [{\"mechanism\": \"gaussian\", \"noise_multiplier\": 2.375, "          \
    "\"sigma\": 4.75, \"sensitivity\": 2, \"grid\": 0.0625, \"purpose\": \"sum\", "      \
    "\"count\": 3}]}"
#define SAMPLE_ZCDP                                                                      \
    "{\"adjacency\": \"replace-one\", \"events\": [{\"mechanism\": "                     \
    "\"discrete-gaussian\", \"sigma\": 5, \"sensitivity\": 1, \"count\": 2}, "           \
    "{\"mechanism\": \"pure\", \"epsilon\": 0.1}]}"
#define SAMPLE_MIXED                                                                     \
    "{\"events\": [{\"mechanism\": \"gaussian\", \"noise_multiplier\": 1.1, "            \
    "\"sampling\": {\"method\": \"poisson\", \"rate\": 0.01}, \"count\": 100}, "         \
    "{\"mechanism\": \"approximate\", \"epsilon\": 0.1, \"delta\": 1e-8}, "              \
    "{\"mechanism\": \"randomized-response\", \"epsilon\": 0.25, \"categories\": 4, "    \
    "\"purpose\": \"poll\"}]}"

/* A reservation for the sample's plan, in a ledger with an RDP filter (or a pure one). */
static inline void sample_add_ledger(sample *made, bool pure)
{
    sotto_reservation *ledger = &made->ledger;
    sotto_ledger_balance *before = &ledger->before;
    sotto_error error;
    double charge;
    sotto_account account;
    memset(before, 0, sizeof *before);
    (void)snprintf(before->dataset, sizeof before->dataset, "registry-2026");
    before->adjacency = sotto_plan_adjacency(made->plan);
    before->epsilon = pure ? 3.0 : 10.0;
    before->delta = pure ? 0.0 : 1e-6;
    before->order = pure ? SOTTO_UNSET : 12.0;
    before->budget = pure ? 3.0 : 8.0;
    before->spent = 0.25;
    before->left = before->budget - before->spent;
    before->delta_budget = pure ? 0.0 : ldexp(1.0, -20);
    before->delta_spent = 0.0;
    before->delta_left = before->delta_budget;
    before->epsilon_spent_upper = pure ? 0.25 : 1.75;
    before->entries = 4;
    memset(before->head, 'a', SOTTO_HASH_HEX_BYTES - 1);
    if (pure) {
        assert_ok(sotto_account_epsilon(made->plan, SOTTO_BASIC, 0.0, &account, &error),
                  &error);
        charge = account.epsilon;
    } else {
        assert_ok(sotto_account_rdp(made->plan, before->order, &charge, &error), &error);
    }
    ledger->id = 5;
    ledger->charged = ldexp(ceil(ldexp(charge, 40)), -40);
    ledger->delta_charged = pure ? 0.0 : ldexp(1.0, -40);
    ledger->after = *before;
    ledger->after.spent += ledger->charged;
    ledger->after.left -= ledger->charged;
    ledger->after.epsilon_spent_upper += ledger->charged;
    ledger->after.delta_spent += ledger->delta_charged;
    ledger->after.delta_left -= ledger->delta_charged;
    ledger->after.entries = 5;
    memset(ledger->after.head, 'b', SOTTO_HASH_HEX_BYTES - 1);
    made->certificate.facts.dataset = ledger->after.dataset;
    made->certificate.facts.ledger = ledger;
}

/* The file's text; it lives as long as the sample. */
static inline const char *sample_text(sample *made)
{
    sotto_error error;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_free(made->text);
    made->text = NULL;
    assert_ok(sot_certificate_attach(sample_payload, &made->certificate, &made->text,
                                     hash, &error),
              &error);
    assert_non_null(strstr(made->text, hash));
    return made->text;
}

static inline void sample_free(sample *made)
{
    sotto_free(made->text);
    sotto_plan_free(made->plan);
}

#endif
