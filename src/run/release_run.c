/* One release, in the only order there is: plan, header, charge, gate, rows, release, certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <sotto/certificate.h>
#include <sotto/rng.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/text.h"
#include "data/csv.h"
#include "numeric/outward.h"
#include "run/release.h"

typedef struct release_run {
    sot_release release;
    const char *data_path;
    sot_csv *csv; /* NULL for scores from a file */
    sotto_ledger *ledger;
    sotto_reservation reservation;
    sotto_rng *rng;
    sotto_gate *gate;
    char *file; /* the certified text */
    char hash[SOTTO_HASH_HEX_BYTES];
} release_run;

static bool scores_are_given(const sot_release *release)
{
    return release->config->statistic == SOTTO_RELEASE_CHOICE &&
           release->config->score == SOTTO_SCORE_GIVEN;
}

/* ---- the ledger ---- */

/* The one ledger that may be charged; NULL when neither settings nor schema name one. A second
 * ledger beside the schema's would be a second budget. */
static sotto_status ledger_path(const sot_release *release, const char **out_path,
                                sotto_error *error)
{
    const char *asked = release->config->ledger;
    const char *named =
        release->schema == NULL ? NULL : sotto_schema_ledger(release->schema);
    if (asked != NULL && named != NULL && !sot_file_is_same(asked, named)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's ledger is %.90s, not %.90s; a data set has one "
                        "budget: use the schema's ledger",
                        named, asked);
    }
    *out_path = asked != NULL ? asked : named;
    return SOTTO_OK;
}

static sotto_status open_ledger(release_run *run, sotto_error *error)
{
    const char *path = NULL;
    struct stat facts;
    sotto_status status = ledger_path(&run->release, &path, error);
    if (status != SOTTO_OK || path == NULL) return status;
    if (lstat(path, &facts) != 0) {
        return sot_fail(
            error, SOTTO_IO,
            "the ledger %.120s does not exist; restore it, or have the curator "
            "make one with sotto ledger init",
            path);
    }
    const sotto_schema *schema = run->release.schema;
    const char *dataset = schema == NULL ? NULL : sotto_schema_dataset(schema);
    if (dataset == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "a ledger keeps the budget of a data set, but no schema says which "
            "one this is; add \"dataset\" to the schema");
    }
    status = sotto_ledger_open(path, &run->ledger, error);
    if (status != SOTTO_OK) return status;
    sotto_ledger_balance balance;
    status = sotto_ledger_read_balance(run->ledger, &balance, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(balance.dataset, dataset) != 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the schema is of the data set '%.60s', the ledger of '%.60s'; use "
            "the ledger of this data set",
            dataset, balance.dataset);
    }
    return SOTTO_OK;
}

static double sampler_error(const sot_release *release)
{
    double sum = 0.0;
    for (size_t i = 0; i < release->part_count; i++)
        sum = sot_add_up(sum, sot_noise_sampler_error(&release->parts[i]));
    return sum;
}

static sotto_status reserve(release_run *run, sotto_error *error)
{
    if (run->ledger == NULL) return SOTTO_OK;
    const sot_release *release = &run->release;
    char label[SOTTO_LEDGER_TEXT_BYTES];
    char column[120];
    const char *name = release->config->column;
    sot_printable(name == NULL ? "" : name, column, sizeof column);
    (void)snprintf(label, sizeof label, "release %s%s%s", release->statistic->name,
                   name == NULL ? "" : " of ", column);
    return sotto_ledger_reserve(run->ledger, release->plan, sampler_error(release), label,
                                &run->reservation, error);
}

/* ---- the rows ---- */

static sotto_status take_row(sot_release *release, const double *row, sotto_error *error)
{
    for (size_t i = 0; i < release->filter_count; i++) {
        if (row[release->filters[i].column] != release->filters[i].value) return SOTTO_OK;
    }
    const double value = release->described == NULL ? 0.0 : row[release->column];
    const sotto_status status = release->statistic->take(release, value, error);
    if (status == SOTTO_OK) release->rows++;
    return status;
}

static sotto_status read_rows(release_run *run, sotto_error *error)
{
    sot_release *release = &run->release;
    if (scores_are_given(release)) return sot_read_scores(release, run->data_path, error);
    const size_t columns = sotto_schema_size(release->schema);
    double *row = sot_new_array(columns, sizeof *row);
    if (row == NULL) return sot_fail_memory(error, columns, sizeof *row);
    sotto_status status = SOTTO_OK;
    bool more = true;
    while (status == SOTTO_OK && more) {
        status = sot_csv_next(run->csv, row, &more, error);
        if (status != SOTTO_OK || !more) break;
        release->lines++;
        status = take_row(release, row, error);
    }
    sot_wipe_and_free(row, columns * sizeof *row);
    if (status != SOTTO_OK) return status;
    const uint64_t declared = release->config->public_n;
    if (declared > 0 && release->lines != declared) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s does not have the %llu rows that were declared public; count "
                        "its lines, without the header",
                        run->data_path, (unsigned long long)declared);
    }
    return SOTTO_OK;
}

/* ---- the certificate ---- */

static sotto_status certify(release_run *run, sotto_error *error)
{
    const sot_release *release = &run->release;
    const sotto_release_config *config = release->config;
    const bool exchanged = config->adjacency == SOTTO_REPLACE_ONE;
    const bool given = scores_are_given(release);
    char output[160];
    char access[200];
    char column[80];
    sot_printable(config->column == NULL ? "" : config->column, column, sizeof column);
    (void)snprintf(output, sizeof output, "a private %s%s%s", release->statistic->name,
                   config->column == NULL ? "" : " of the column ", column);
    (void)snprintf(access, sizeof access, "%s",
                   given ? "the scores of the candidates, once"
                         : "the rows of the data file, once");
    const char *const covered[] = {access, NULL};
    const char *const secret_n[] = {"the schema: columns, types, bounds, categories",
                                    "the settings of this release", NULL};
    const char *const public_n[] = {"the schema: columns, types, bounds, categories",
                                    "the settings of this release", "the number of rows",
                                    NULL};
    const char *const scores[] = {"the candidates and how many there are",
                                  "that the scores have the declared sensitivity: nobody "
                                  "checked how they were computed",
                                  "the settings of this release", NULL};
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = output;
    facts.delta = isnan(config->delta) ? 0.0 : config->delta;
    facts.unit = "row";
    facts.dataset =
        release->schema == NULL ? NULL : sotto_schema_dataset(release->schema);
    facts.covered = covered;
    facts.unprotected = given ? scores : exchanged ? public_n : secret_n;
    facts.ledger = run->ledger == NULL ? NULL : &run->reservation;

    char *payload = NULL;
    sotto_status status = sot_release_payload(release, &payload, error);
    if (status == SOTTO_OK) {
        status = sotto_certificate_attach(payload, run->gate, &facts, &run->file,
                                          run->hash, error);
    }
    sot_free(payload);
    return status;
}

/* ---- the whole way ---- */

/* The certificate will need a finite epsilon at this delta, for the noise as it is drawn. */
static sotto_status check_price(const sot_release *release, sotto_error *error)
{
    sotto_account account;
    if (isnan(release->config->delta)) return SOTTO_OK;
    return sotto_account_epsilon_inexact(release->plan, SOTTO_EXACT,
                                         release->config->delta, sampler_error(release),
                                         &account, error);
}

/* SQLite looks for these beside a ledger and would take them for its own. */
static bool is_beside(const char *output, const char *ledger)
{
    static const char *const ends[] = {"-journal", "-wal", "-shm"};
    const size_t length = strlen(ledger);
    if (strncmp(output, ledger, length) != 0) return false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (strcmp(output + length, ends[i]) == 0) return true;
    return false;
}

/* The output replaces what has its name: never the records, never the budget. A run that could
 * not be written would be paid for and lost. */
static sotto_status check_output(const release_run *run, sotto_error *error)
{
    const char *output = run->release.config->output;
    const char *ledger = NULL;
    if (output == NULL) return SOTTO_OK;
    sotto_status status = ledger_path(&run->release, &ledger, error);
    if (status != SOTTO_OK) return status;
    if (sot_file_is_same(output, run->data_path) ||
        (ledger != NULL &&
         (sot_file_is_same(output, ledger) || is_beside(output, ledger)))) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the output %.120s would replace the %s; give it a name of its own", output,
            sot_file_is_same(output, run->data_path) ? "data" : "ledger");
    }
    return sot_file_check_write(output, error);
}

/* All that can fail for reasons that are public, before anything is charged. */
static sotto_status make_ready(release_run *run, sotto_error *error)
{
    const sot_release *release = &run->release;
    const sotto_release_config *config = release->config;
    sotto_status status = check_output(run, error);
    if (status == SOTTO_OK) status = check_price(release, error);
    if (status == SOTTO_OK && !scores_are_given(release))
        status = sot_csv_open(run->data_path, release->schema, false, &run->csv, error);
    if (status == SOTTO_OK) {
        status = config->insecure_test
                     ? sotto_rng_new_for_test(config->test_seed, &run->rng, error)
                     : sotto_rng_new(&run->rng, error);
    }
    if (status == SOTTO_OK)
        status = sotto_gate_new(release->plan, run->rng, &run->gate, error);
    if (status == SOTTO_OK) status = open_ledger(run, error);
    return status;
}

static sotto_status release_through_gate(release_run *run, sotto_error *error)
{
    sotto_status status = sotto_gate_open(run->gate, error);
    if (status == SOTTO_OK) status = read_rows(run, error);
    if (status == SOTTO_OK)
        status = run->release.statistic->publish(&run->release, run->gate, error);
    if (status == SOTTO_OK) status = sotto_gate_finish(run->gate, error);
    if (status == SOTTO_OK &&
        sotto_gate_sampler_error_upper(run->gate) > sampler_error(&run->release)) {
        status = sot_fail(error, SOTTO_INTERNAL,
                          "the samplers' error is larger than what was charged");
    }
    return status;
}

static sotto_status charge_and_release(release_run *run, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (SOT_PLANTED(run_charged_after)) {
        status = release_through_gate(run, error);
        return status == SOTTO_OK ? reserve(run, error) : status;
    }
    status = reserve(run, error);
    if (status == SOTTO_OK) status = release_through_gate(run, error);
    return status;
}

/* What the caller keeps. The commit comes before anything is handed out. */
static sotto_status deliver(release_run *run, sotto_release_result *result,
                            sotto_error *error)
{
    const sot_release *release = &run->release;
    sotto_status status = certify(run, error);
    if (status == SOTTO_OK && run->ledger != NULL)
        status = sotto_ledger_commit(run->ledger, &run->reservation, run->hash, error);
    if (status == SOTTO_OK) {
        status =
            sot_release_prose(release, run->ledger == NULL ? NULL : &run->reservation,
                              &result->text, error);
    }
    if (status == SOTTO_OK) {
        char *rendered = NULL;
        status = sotto_certificate_render(run->file, strlen(run->file),
                                          SOTTO_CERTIFICATE_TEXT, &rendered, error);
        if (status == SOTTO_OK) result->certificate = sot_copy_string(rendered);
        sotto_certificate_free_text(rendered);
    }
    if (status == SOTTO_OK) result->json = sot_copy_string(run->file);
    if (status == SOTTO_OK && (result->json == NULL || result->certificate == NULL))
        status = sot_fail_memory(error, strlen(run->file) + 1, 1);
    if (status == SOTTO_OK && release->config->output != NULL) {
        status = sot_file_write(release->config->output, run->file, strlen(run->file),
                                0644, error);
    }
    return status;
}

static void clear(release_run *run)
{
    sot_csv_close(run->csv);
    sotto_gate_free(run->gate);
    sotto_rng_free(run->rng);
    sotto_ledger_close(run->ledger);
    sotto_certificate_free_text(run->file);
    sot_release_clear(&run->release);
}

sotto_status sotto_release_run(const sotto_release_config *config,
                               const sotto_schema *schema, const char *data_path,
                               sotto_release_result **out_result, sotto_error *error)
{
    release_run run = {.data_path = data_path};
    sotto_release_result *result = sot_new_array(1, sizeof *result);
    if (result == NULL) return sot_fail_memory(error, 1, sizeof *result);
    sotto_status status = sot_release_prepare(config, schema, &run.release, error);
    if (status == SOTTO_OK) status = make_ready(&run, error);
    if (status == SOTTO_OK) status = charge_and_release(&run, error);
    if (status == SOTTO_OK) status = deliver(&run, result, error);
    if (status == SOTTO_OK) {
        result->values = run.release.values;
        result->value_count = run.release.value_count;
        run.release.values = NULL;
        run.release.value_count = 0;
    }
    clear(&run);
    if (status != SOTTO_OK) {
        sotto_release_free(result);
        return status;
    }
    *out_result = result;
    return SOTTO_OK;
}

/* ---- results ---- */

void sotto_release_free(sotto_release_result *result)
{
    if (result == NULL) return;
    for (size_t i = 0; i < result->value_count; i++)
        sot_free(result->values[i].label);
    sot_free(result->values);
    sot_free(result->json);
    sot_free(result->text);
    sot_free(result->certificate);
    sot_free(result);
}

const char *sotto_release_json(const sotto_release_result *result)
{
    return result->json;
}

const char *sotto_release_text(const sotto_release_result *result)
{
    return result->text;
}

const char *sotto_release_certificate(const sotto_release_result *result)
{
    return result->certificate;
}

size_t sotto_release_size(const sotto_release_result *result)
{
    return result->value_count;
}

sotto_release_value sotto_release_at(const sotto_release_result *result, size_t index)
{
    const sot_value *value = &result->values[index];
    return (sotto_release_value){.label = value->label,
                                 .value = value->value,
                                 .lower = value->lower,
                                 .upper = value->upper};
}
