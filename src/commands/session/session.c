#include "commands/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <sotto/key.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/again.h"
#include "commands/session/checkpoint.h"
#include "commands/session/parts.h"
#include "data/where/where.h"
#include "privacy/ledger/kept.h"
#include "privacy/mechanisms/gate/gate.h"

/* ---- settings ---- */

sotto_status sot_check_privacy(double epsilon, double delta, sotto_adjacency adjacency,
                               uint64_t n, sotto_error *error)
{
    if (isnan(epsilon)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is missing: the privacy loss has no default; for "
                        "example `epsilon=1`");
    }
    if (!(epsilon > 0.0 && epsilon <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; a privacy loss is above 0 and at most 1e6; for "
                        "example `epsilon=1`",
                        epsilon);
    }
    if (!isnan(delta) && !(delta > 0.0 && delta < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is %g; it is above 0 and below 1, for example "
                        "`delta=1e-6`; leave it out for a pure guarantee",
                        delta);
    }
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`adjacency` is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    if (n > 0 && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`public_n` is %llu, but under add-remove the number of rows is secret; give "
            "`adjacency=replace-one`, or `expected_rows` in its place",
            (unsigned long long)n);
    }
    return SOTTO_OK;
}

sotto_status sot_check_origin(sot_origin origin, uint64_t n, sotto_error *error)
{
    if (n == 0 || !sot_rows_are_secret(origin)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`public_n` is %llu, but a condition or a stream makes the number of "
                    "rows secret; leave `public_n` out, or declare a whole stream with "
                    "`stored_table=true`",
                    (unsigned long long)n);
}

sotto_status sot_check_stream(const sot_session *session, sotto_error *error)
{
    const char *unit =
        session->schema == NULL ? NULL : sotto_schema_unit(session->schema);
    if (unit == NULL || session->origin != SOT_ROWS_STREAMED) return SOTTO_OK;
    if (session->data_path == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's unit is '%.40s', but an unknown program made the "
                        "columns of these records; give the stored table, or declare it "
                        "with `stored_table=true`",
                        unit);
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the schema's unit is '%.30s', but an unknown program made the columns of this "
        "stream; give the stored file, or declare it stored with `stored_table=true`",
        unit);
}

sotto_status sot_check_where(const sot_session *session, sotto_error *error)
{
    sot_where *where = NULL;
    if (session->where == NULL) return SOTTO_OK;
    if (session->schema == NULL || !sot_rows_are_secret(session->origin))
        return sot_fail(error, SOTTO_VERIFICATION,
                        "request.where has a condition, but request.rows does not say "
                        "that rows are selected");
    const sotto_status status =
        sot_where_new(session->where, session->schema, &where, error);
    const bool is_canonical =
        status == SOTTO_OK && strcmp(sot_where_text(where), session->where) == 0;
    sot_where_free(where);
    if (status != SOTTO_OK || is_canonical) return status;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "request.where is not in the form that sotto writes");
}

sotto_status sot_plan_take_unit(sotto_plan *plan, const sotto_schema *schema,
                                sotto_error *error)
{
    const char *unit = schema == NULL ? NULL : sotto_schema_unit(schema);
    return sotto_plan_set_unit(plan, unit,
                               unit == NULL ? 0 : sotto_schema_unit_rows(schema), error);
}

sotto_status sot_plan_new_for(sotto_adjacency adjacency, const sotto_schema *schema,
                              sotto_plan **out_plan, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_status status = sotto_plan_new(adjacency, &plan, error);
    if (status == SOTTO_OK) status = sot_plan_take_unit(plan, schema, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

sotto_status sot_refuse_public_n(const char *data_path, uint64_t n, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s does not have the %llu rows of `public_n`; count its lines, "
                    "without the header, and give their number",
                    data_path == NULL ? "the table" : data_path, (unsigned long long)n);
}

/* ---- the ledger ---- */

/* The one ledger that may be charged; NULL when neither settings nor schema name one. A second
 * ledger beside the schema's would be a second budget. */
static sotto_status ledger_path(const sot_session *session, const char **out_path,
                                sotto_error *error)
{
    const char *asked = session->ledger_asked;
    const char *named =
        session->schema == NULL ? NULL : sotto_schema_ledger(session->schema);
    if (asked != NULL && named != NULL && !sot_file_is_same(asked, named)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema names the ledger %.90s, but `ledger` is %.90s; a "
                        "data set has one budget: leave `ledger` out",
                        named, asked);
    }
    *out_path = asked != NULL ? asked : named;
    return SOTTO_OK;
}

static sotto_status open_ledger(sot_session *session, sotto_error *error)
{
    const char *path = NULL;
    struct stat facts;
    sotto_status status = ledger_path(session, &path, error);
    if (status != SOTTO_OK || path == NULL) return status;
    if (lstat(path, &facts) != 0 && errno == ENOENT) {
        return sot_fail(error, SOTTO_IO,
                        "the ledger %.120s does not exist; restore it, or create it with "
                        "sotto ledger init",
                        path);
    }
    const sotto_schema *schema = session->schema;
    const char *dataset = schema == NULL ? NULL : sotto_schema_dataset(schema);
    if (dataset == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`ledger` is given, but the schema does not name the data set; "
                        "add \"dataset\" to the schema");
    }
    session->ledger_path = path;
    status = sotto_ledger_open(path, &session->ledger, error);
    if (status != SOTTO_OK) return status;
    sotto_ledger_balance balance;
    status = sotto_ledger_read_balance(session->ledger, &balance, error);
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

/* ---- before anything is charged ---- */

/* The output replaces an existing file: never the records, never the budget. A run whose output
 * could not be written would be paid for and lost. */
static sotto_status check_output(const sot_session *session, sotto_error *error)
{
    const char *output = session->output;
    const char *ledger = NULL;
    if (output == NULL) return SOTTO_OK;
    sotto_status status = ledger_path(session, &ledger, error);
    if (status != SOTTO_OK) return status;
    const bool is_key = session->sign != NULL && sot_file_is_same(output, session->sign);
    const bool is_data =
        (session->data_path != NULL && sot_file_is_same(output, session->data_path)) ||
        (session->labels_path != NULL && sot_file_is_same(output, session->labels_path));
    if (is_data || is_key || (ledger != NULL && sot_file_is_same(output, ledger))) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the output %.120s would replace the %s; give it a name of its own", output,
            is_data  ? "data"
            : is_key ? "secret key"
                     : "ledger");
    }
    return sotto_output_check(output, SOTTO_OUTPUT_CERTIFIED, session->overwrite, error);
}

/* The certificate will need a finite epsilon at this delta, for the noise as it is drawn. */
static sotto_status check_price(const sot_session *session, sotto_error *error)
{
    sotto_account account;
    if (!(session->delta > 0.0) || session->plan == NULL) return SOTTO_OK;
    return sotto_account_epsilon_inexact(session->plan, SOTTO_EXACT, session->delta,
                                         session->sampler_error, &account, error);
}

/* A seed that someone knows makes the noise computable: the charge would be for nothing, and the exact result could
 * be had for any epsilon. A ledger charges for secret noise only. */
static sotto_status check_seed(const sot_session *session, sotto_error *error)
{
    const char *ledger = NULL;
    char shown[80];
    const sotto_status status = ledger_path(session, &ledger, error);
    if (status != SOTTO_OK || ledger == NULL || !session->insecure_test) return status;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`insecure_test_seed` is %llu and the ledger is %s; a ledger charges "
        "only for secret noise; leave out the seed, or use a schema without \"ledger\"",
        (unsigned long long)session->test_seed,
        sot_printable(ledger, shown, sizeof shown));
}

sotto_status sot_session_check(const sot_session *session, sotto_error *error)
{
    sotto_status status = check_seed(session, error);
    if (status == SOTTO_OK) status = check_output(session, error);
    return status == SOTTO_OK ? check_price(session, error) : status;
}

sotto_status sot_session_make_gate(sot_session *session, bool seeded, uint64_t seed,
                                   sotto_error *error)
{
    const sotto_status status = seeded
                                    ? sotto_rng_new_for_test(seed, &session->rng, error)
                                    : sotto_rng_new(&session->rng, error);
    if (status != SOTTO_OK || session->plan == NULL) return status;
    return sotto_gate_new(session->plan, session->rng, &session->gate, error);
}

/* A key that cannot be used is found out before the charge. */
static sotto_status open_key(sot_session *session, sotto_error *error)
{
    if (session->sign == NULL) return SOTTO_OK;
    if (session->plan == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sign` is %.120s, but a model of public rows has no certificate "
                        "to sign; leave `sign` out",
                        session->sign);
    }
    return sotto_key_open(session->sign, &session->key, error);
}

sotto_status sot_session_open(sot_session *session, sotto_error *error)
{
    sotto_status status = open_key(session, error);
    if (status == SOTTO_OK)
        status = sot_session_make_gate(session, session->insecure_test,
                                       session->test_seed, error);
    if (status != SOTTO_OK || session->plan == NULL) return status;
    return open_ledger(session, error);
}

/* ---- the run ---- */

sotto_status sot_session_charge(sot_session *session, const char *checkpoint,
                                sotto_error *error)
{
    /* check_seed() refused every other source. */
    const sot_request request = {.plan = session->plan,
                                 .sampler_error = session->sampler_error,
                                 .delta = session->delta,
                                 .label = session->label,
                                 .noise = "operating system",
                                 .checkpoint = checkpoint,
                                 .asked = session->asked};
    const sotto_status status =
        sot_ledger_charge(session->ledger, &request, &session->reservation, error);
    /* A row that could not be written for certain may be there all the same. */
    session->charged_perhaps = status == SOTTO_IO;
    session->charged = status == SOTTO_OK || session->charged_perhaps;
    return status;
}

static sotto_status reserve(sot_session *session, sotto_error *error)
{
    if (session->keeper != NULL) return sot_keeper_begin(session->keeper, error);
    if (session->ledger == NULL) return SOTTO_OK;
    return sot_session_charge(session, "", error);
}

static sotto_status work_through_gate(sot_session *session, sot_session_work work,
                                      void *context, sotto_error *error)
{
    if (session->gate == NULL) return work(context, error); /* public data */
    sotto_status status = sotto_gate_open(session->gate, error);
    if (status == SOTTO_OK) status = work(context, error);
    if (status == SOTTO_OK)
        status = session->capped ? sot_gate_finish_early(session->gate, error)
                                 : sotto_gate_finish(session->gate, error);
    if (status == SOTTO_OK &&
        sotto_gate_sampler_error_upper(session->gate) > session->sampler_error) {
        status = sot_fail(error, SOTTO_INTERNAL,
                          "the samplers' error is larger than the charged one");
    }
    /* The claimed sampler error is the charged one, which follows from the plan. The error of the
     * actual samples may be smaller, and under caps it is a function of the outcome. */
    if (status == SOTTO_OK) session->gate->sampler_error = session->sampler_error;
    return status;
}

/* The size of a failed allocation follows from the number of rows, which is secret. */
static sotto_status hide_sizes(sotto_status status, sotto_error *error)
{
    if (status != SOTTO_OUT_OF_MEMORY) return status;
    return sot_fail(error, status,
                    "out of memory: the rows need more than this process can get");
}

sotto_status sot_session_run(sot_session *session, sot_session_work work, void *context,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (session->output != NULL) /* not the output of another run */
        status = sot_output_admit(session->output, SOTTO_OUTPUT_CERTIFIED,
                                  session->overwrite, NULL, 0, error);
    if (status == SOTTO_OK) status = reserve(session, error);
    if (status != SOTTO_OK) return status;
    status = hide_sizes(work_through_gate(session, work, context, error), error);
    return session->keeper == NULL ? status
                                   : sot_keeper_judge(session->keeper, status, error);
}

/* ---- results ---- */

sotto_status sot_session_certify(sot_session *session, const char *payload_json,
                                 const char *request_json,
                                 const sotto_certificate_facts *facts, sotto_error *error)
{
    sotto_certificate_facts whole = *facts;
    whole.delta = isnan(session->delta) ? 0.0 : session->delta;
    whole.dataset =
        session->schema == NULL ? NULL : sotto_schema_dataset(session->schema);
    whole.selected = sot_rows_are_secret(session->origin);
    if (session->again != NULL)
        return sot_again_compare(session, payload_json, request_json, &whole, error);
    whole.ledger = session->ledger == NULL ? NULL : &session->reservation;
    whole.key = session->key;
    sotto_status status =
        sot_certificate_attach_run(payload_json, request_json, session->gate, &whole,
                                   &session->file, session->hash, error);
    if (status != SOTTO_OK) return status;
    if (session->keeper != NULL)
        return sot_keeper_finish(session->keeper, session->file, session->hash, error);
    if (session->ledger == NULL) return SOTTO_OK;
    return sot_ledger_commit_surely(session->ledger, &session->reservation, session->hash,
                                    NULL, NULL, error);
}

sotto_status sot_session_render(const sot_session *session, char **out_text,
                                sotto_error *error)
{
    char *rendered = NULL;
    const sotto_status status = sotto_certificate_render(
        session->file, strlen(session->file), SOTTO_CERTIFICATE_TEXT, &rendered, error);
    if (status != SOTTO_OK) return status;
    *out_text = sot_copy_string(rendered);
    sotto_free(rendered);
    return *out_text == NULL ? sot_fail_memory(error, 1, 1) : SOTTO_OK;
}

sotto_status sot_session_write(const sot_session *session, sotto_error *error)
{
    if (session->output == NULL || session->outcome == SOTTO_RUN_FINISHED)
        return SOTTO_OK;
    const sotto_status status =
        sotto_output_put(session->output, SOTTO_OUTPUT_CERTIFIED, session->overwrite,
                         session->file, strlen(session->file), error);
    if (status == SOTTO_OK && session->keeper != NULL) sot_keeper_remove(session->keeper);
    return status;
}

/* The remedy is worth more than the end of a long message. */
static void append(sotto_error *error, const char *rest)
{
    const size_t length = strlen(rest);
    const size_t most = sizeof error->message - 1 - length;
    size_t at = strlen(error->message);
    if (at > most) {
        at = most - 3;
        while (at > 0 && ((unsigned char)error->message[at] & 0xc0u) == 0x80u)
            at--; /* not inside a character */
        memcpy(error->message + at, "...", 3);
        at += 3;
    }
    memcpy(error->message + at, rest, length + 1);
}

sotto_status sot_session_end(sot_session *session, sotto_status status,
                             sotto_error *error)
{
    if (status == SOTTO_OK || error == NULL || !session->charged) return status;
    const char *remedy =
        ": run the same command again to get the result without another charge";
    if (session->keeper == NULL)
        remedy = ", and a new run is charged again; with an output the same call would "
                 "recover the result";
    else if (sot_keeper_is_closed(session->keeper))
        remedy = ", and a new run is charged again";
    else if (strstr(error->message, "run the same command to resume") != NULL)
        remedy = "";
    char rest[128];
    (void)snprintf(rest, sizeof rest, "; the charge %s%s",
                   session->charged_perhaps ? "may stand" : "stands", remedy);
    append(error, rest);
    return status;
}

void sot_session_close(sot_session *session)
{
    sot_keeper_close(session->keeper);
    sotto_key_close(session->key);
    sotto_gate_free(session->gate);
    sotto_rng_free(session->rng);
    sotto_ledger_close(session->ledger);
    sotto_free(session->file);
}
