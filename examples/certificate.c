/* A private count with its certificate, from C: plan, gate, release, certificate.
 *
 *   cc certificate.c $(pkg-config --cflags --libs sotto) -o certificate
 *   ./certificate > count.json && sotto verify count.json
 *
 * examples/count.json was made by it. The records are made up here; `sotto release` reads real
 * ones and charges a ledger first.
 */
#include <stdio.h>

#include <sotto/certificate.h>
#include <sotto/laplace.h>
#include <sotto/rng.h>

typedef struct release {
    sotto_rng *rng;
    sotto_plan *plan;
    sotto_gate *gate;
    char *text;
} release;

/* What will be released is fixed before a record is read: one count, of sensitivity 1, with
 * noise of scale 2, so epsilon is 1/2. */
static sotto_status make_gate(release *run, sotto_laplace_config *config,
                              sotto_error *error)
{
    sotto_event event;
    *config = sotto_laplace_defaults();
    config->l1_sensitivity = 1.0;
    config->scale = 2.0;
    config->adjacency = SOTTO_ADD_REMOVE;
    config->purpose = "number of visits";
    sotto_status status = sotto_laplace_event(config, &event, error);
    if (status == SOTTO_OK) status = sotto_plan_new(SOTTO_ADD_REMOVE, &run->plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(run->plan, &event, error);
    if (status == SOTTO_OK) status = sotto_rng_new(&run->rng, error);
    if (status == SOTTO_OK)
        status = sotto_gate_new(run->plan, run->rng, &run->gate, error);
    return status;
}

static sotto_status certify(release *run, int64_t noisy, sotto_error *error)
{
    static const char *const covered[] = {"one pass over the visits", NULL};
    static const char *const unprotected[] = {"the settings", NULL};
    char payload[64], hash[SOTTO_HASH_HEX_BYTES];
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = "the number of visits";
    facts.unit = "visit";
    facts.delta = 0.0;
    facts.covered = covered;
    facts.unprotected = unprotected;
    (void)snprintf(payload, sizeof payload, "{\"count\": %lld}", (long long)noisy);
    return sotto_certificate_attach(payload, run->gate, &facts, &run->text, hash, error);
}

int main(void)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_laplace_config config;
    release run = {.text = NULL};
    const int64_t visits = 1204; /* secret */
    int64_t noisy = 0;

    sotto_status status = make_gate(&run, &config, &error);
    if (status == SOTTO_OK) status = sotto_gate_open(run.gate, &error);
    if (status == SOTTO_OK)
        status = sotto_laplace_release(run.gate, &config, &visits, 1, &noisy, &error);
    if (status == SOTTO_OK) status = sotto_gate_finish(run.gate, &error);
    if (status == SOTTO_OK) status = certify(&run, noisy, &error);
    if (status == SOTTO_OK) {
        (void)fputs(run.text, stdout);
    } else {
        fprintf(stderr, "%s: %s\n", sotto_status_name(status), error.message);
    }
    sotto_free(run.text);
    sotto_gate_free(run.gate);
    sotto_plan_free(run.plan);
    sotto_rng_free(run.rng);
    return status == SOTTO_OK ? 0 : 1;
}
