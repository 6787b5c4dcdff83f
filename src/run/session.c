#include "run/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <sotto/key.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/text.h"
#include "privacy/ledger/kept.h"
#include "privacy/mechanisms/gate.h"
#include "release/certificate.h"
#include "run/checkpoint.h"
#include "run/verify.h"

/* ---- settings ---- */

sotto_status sot_check_privacy(double epsilon, double delta, sotto_adjacency adjacency,
                               uint64_t n, sotto_error *error)
{
    if (isnan(epsilon)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "epsilon, the privacy loss, has no default; give one, for example 1");
    }
    if (!(epsilon > 0.0 && epsilon <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "epsilon is %g; give a privacy loss above 0 and at most 1e6, for "
                        "example 1",
                        epsilon);
    }
    if (!isnan(delta) && !(delta > 0.0 && delta < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "delta is %g; give one above 0 and below 1, or none for a pure "
                        "guarantee",
                        delta);
    }
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    if (n > 0 && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a public number of rows needs adjacency replace-one: under "
                        "add-remove the number of rows is secret");
    }
    return SOTTO_OK;
}

sotto_status sot_check_origin(sot_origin origin, uint64_t n, sotto_error *error)
{
    if (n == 0 || !sot_rows_are_secret(origin)) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "--public-n is %llu, but the rows are selected by a condition or come "
        "from a stream, so that their number is secret; leave --public-n out, "
        "or give a whole stored table (of a stream: --stored-table)",
        (unsigned long long)n);
}

sotto_status sot_check_stream(const sot_session *session, sotto_error *error)
{
    const char *unit =
        session->schema == NULL ? NULL : sotto_schema_unit(session->schema);
    if (unit == NULL || session->origin != SOT_ROWS_STREAMED) return SOTTO_OK;
    if (session->data_path == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's unit is '%.40s', but the records handed over are "
                        "selected, and an unknown program made their columns; hand over "
                        "the stored table, or declare them one",
                        unit);
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the schema's unit is '%.30s', but the rows come from a stream, whose columns an "
        "unknown program made; give the stored file, or declare with --stored-table that "
        "the stream holds every row of a stored table under its own column names",
        unit);
}

void sot_name_unit(const sotto_schema *schema, char name[SOT_UNIT_NAME_BYTES])
{
    char column[80];
    const char *unit = schema == NULL ? NULL : sotto_schema_unit(schema);
    if (unit == NULL) {
        (void)snprintf(name, SOT_UNIT_NAME_BYTES, "row");
        return;
    }
    (void)snprintf(name, SOT_UNIT_NAME_BYTES,
                   "value of the column '%s' (at most %llu rows each)",
                   sot_printable(unit, column, sizeof column),
                   (unsigned long long)sotto_schema_unit_rows(schema));
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

void sot_session_covered(const sot_session *session, char covered[SOT_COVERED_BYTES])
{
    char query[SOT_COVERED_BYTES - 80];
    if (session->query == NULL) {
        const bool is_stream =
            session->data_path != NULL && (session->origin == SOT_ROWS_STREAMED ||
                                           sot_rows_are_declared(session->origin));
        (void)snprintf(covered, SOT_COVERED_BYTES, "%s",
                       is_stream                    ? "the rows of the stream, once"
                       : session->data_path != NULL ? "the rows of the data file, once"
                                                    : "the records handed over, once");
        return;
    }
    (void)snprintf(covered, SOT_COVERED_BYTES,
                   "the rows that the query selects, once: %s",
                   sot_printable(session->query, query, sizeof query));
}

const char *sot_state_stream(sot_origin origin)
{
    if (sot_rows_are_declared(origin))
        return "that the stream held every row of a stored table, under the table's own "
               "column names: declared by the caller, not checked";
    if (origin != SOT_ROWS_STREAMED) return NULL;
    return "that each row of the stream came from one stored record, and that the "
           "program "
           "behind the stream fails on no record: not checked";
}

size_t sot_session_row_facts(const sot_session *session,
                             const char *out_facts[SOT_ROWS_FACTS])
{
    const bool has_unit =
        session->schema != NULL && sotto_schema_unit(session->schema) != NULL;
    size_t count = 0;
    if (session->plan == NULL) return 0;
    const bool is_counted = sotto_plan_adjacency(session->plan) == SOTTO_REPLACE_ONE &&
                            (!has_unit || session->counts_units) &&
                            !sot_rows_are_secret(session->origin);
    if (is_counted)
        out_facts[count++] = has_unit ? "the number of units" : "the number of rows";
    if (sot_state_stream(session->origin) != NULL)
        out_facts[count++] = sot_state_stream(session->origin);
    if (is_counted && session->origin == SOT_ROWS_GIVEN)
        out_facts[count++] = "that the records handed over were every row of a stored "
                             "table: declared by the caller, not checked";
    return count;
}

sotto_status sot_refuse_public_n(const char *data_path, uint64_t n, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s does not have the %llu rows that were declared public; count "
                    "its lines, without the header",
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
                        "the schema's ledger is %.90s, not %.90s; a data set has one "
                        "budget: use the schema's ledger",
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
    if (lstat(path, &facts) != 0) {
        return sot_fail(
            error, SOTTO_IO,
            "the ledger %.120s does not exist; restore it, or have the curator "
            "make one with sotto ledger init",
            path);
    }
    const sotto_schema *schema = session->schema;
    const char *dataset = schema == NULL ? NULL : sotto_schema_dataset(schema);
    if (dataset == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "a ledger keeps the budget of a data set, but no schema says which "
            "one this is; add \"dataset\" to the schema");
    }
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
    if (is_data || is_key ||
        (ledger != NULL &&
         (sot_file_is_same(output, ledger) || is_beside(output, ledger)))) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the output %.120s would replace the %s; give it a name of its own", output,
            is_data  ? "data"
            : is_key ? "secret key"
                     : "ledger");
    }
    return sot_file_check_write(output, error);
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
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--insecure-test-seed is %llu and the ledger is %s; a ledger charges "
                    "for secret noise only; leave out --insecure-test-seed, or test with "
                    "a schema that names no \"ledger\"",
                    (unsigned long long)session->test_seed,
                    sot_printable(ledger, shown, sizeof shown));
}

sotto_status sot_session_check(const sot_session *session, sotto_error *error)
{
    sotto_status status = check_seed(session, error);
    if (status == SOTTO_OK) status = check_output(session, error);
    return status == SOTTO_OK ? check_price(session, error) : status;
}

static sotto_status make_gate(sot_session *session, bool seeded, uint64_t seed,
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
                        "--sign is %.120s, but a model of public rows has no certificate "
                        "to sign; leave --sign out",
                        session->sign);
    }
    return sotto_key_open(session->sign, &session->key, error);
}

sotto_status sot_session_open(sot_session *session, sotto_error *error)
{
    sotto_status status = open_key(session, error);
    if (status == SOTTO_OK)
        status = make_gate(session, session->insecure_test, session->test_seed, error);
    if (status != SOTTO_OK || session->plan == NULL) return status;
    return open_ledger(session, error);
}

/* A test seed gives every process that goes on noise of its own too: the steps are public, and with the same noise two
 * of them would tell their difference. */
static uint64_t seed_after(const sot_session *session)
{
    if (SOT_PLANTED(run_resume_keeps_noise_key)) {
        uint64_t key = 0;
        memcpy(&key, sot_keeper_run(session->keeper), sizeof key);
        return key;
    }
    const uint64_t step = sot_keeper_step(session->keeper) + 1;
    return session->test_seed ^ (step * UINT64_C(0x9e3779b97f4a7c15));
}

sotto_status sot_session_keep(sot_session *session, const sot_keeper_setup *setup,
                              sotto_error *error)
{
    const sotto_status status = sot_keeper_open(setup, &session->keeper, error);
    if (status != SOTTO_OK || !sot_keeper_resumes(session->keeper)) return status;
    session->resumed = session->ledger == NULL;
    const bool seeded = session->insecure_test || SOT_PLANTED(run_resume_keeps_noise_key);
    if (!seeded) return SOTTO_OK; /* the operating system's: fresh as it is */
    sotto_gate_free(session->gate);
    sotto_rng_free(session->rng);
    session->gate = NULL;
    session->rng = NULL;
    return make_gate(session, true, seed_after(session), error);
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
                                 .checkpoint = checkpoint};
    return sot_ledger_charge(session->ledger, &request, &session->reservation, error);
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
                          "the samplers' error is larger than what was charged");
    }
    /* What is claimed is what was charged, and follows from the plan. That of the draws made may be less, and of caps is a
     * function of the outcome. */
    if (status == SOTTO_OK) session->gate->sampler_error = session->sampler_error;
    return status;
}

/* Whoever is refused after the charge should hear of it. */
static sotto_status fail_charged(const sot_session *session, sotto_status status,
                                 sotto_error *error)
{
    static const char rest[] = "; the ledger keeps the charge";
    if (status == SOTTO_OK || session->ledger == NULL || error == NULL) return status;
    const size_t length = strlen(error->message);
    if (length + sizeof rest <= sizeof error->message)
        memcpy(error->message + length, rest, sizeof rest);
    return status;
}

/* How much could not be had follows from the number of rows, which is secret. */
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
    if (SOT_PLANTED(run_charged_after)) {
        status = work_through_gate(session, work, context, error);
        return status == SOTTO_OK ? reserve(session, error) : status;
    }
    status = reserve(session, error);
    if (status != SOTTO_OK) return status;
    status = hide_sizes(work_through_gate(session, work, context, error), error);
    return fail_charged(session, status, error);
}

/* ---- what is handed out ---- */

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
    return sotto_ledger_commit(session->ledger, &session->reservation, session->hash,
                               error);
}

sotto_status sot_session_render(const sot_session *session, char **out_text,
                                sotto_error *error)
{
    char *rendered = NULL;
    const sotto_status status = sotto_certificate_render(
        session->file, strlen(session->file), SOTTO_CERTIFICATE_TEXT, &rendered, error);
    if (status != SOTTO_OK) return status;
    *out_text = sot_copy_string(rendered);
    sotto_certificate_free_text(rendered);
    return *out_text == NULL ? sot_fail_memory(error, 1, 1) : SOTTO_OK;
}

sotto_status sot_session_write(const sot_session *session, sotto_error *error)
{
    if (session->output == NULL) return SOTTO_OK;
    const sotto_status status = sot_file_write(session->output, session->file,
                                               strlen(session->file), 0644, error);
    if (status == SOTTO_OK && session->keeper != NULL) sot_keeper_remove(session->keeper);
    return fail_charged(session, status, error);
}

void sot_session_close(sot_session *session)
{
    sot_keeper_close(session->keeper);
    sotto_key_close(session->key);
    sotto_gate_free(session->gate);
    sotto_rng_free(session->rng);
    sotto_ledger_close(session->ledger);
    sotto_certificate_free_text(session->file);
}

/* ---- lines of the summary ---- */

static void state_loss(sot_prose *prose, double epsilon, double delta)
{
    char loss[SOT_SHOWN_BYTES], slack[SOT_SHOWN_BYTES];
    if (isnan(delta)) {
        sot_prose_line(prose, "epsilon", "%s (pure)", sot_shown(epsilon, 0, loss));
    } else {
        sot_prose_line(prose, "epsilon", "%s at delta %s", sot_shown(epsilon, 0, loss),
                       sot_shown(delta, 0, slack));
    }
}

void sot_prose_guarantee(sot_prose *prose, double epsilon, double delta,
                         sotto_adjacency adjacency, const sotto_schema *schema,
                         sot_origin origin)
{
    static const char *const sentences[2][2] = {
        {"one row more or less; the number of rows is secret",
         "one row exchanged; the number of rows is public"},
        {"all rows of one unit more or less; the number of rows is secret",
         "all rows of one unit exchanged for those of another"}};
    const bool has_unit = schema != NULL && sotto_schema_unit(schema) != NULL;
    const bool replaced = adjacency == SOTTO_REPLACE_ONE;
    state_loss(prose, epsilon, delta);
    sot_prose_line(prose, "adjacency", "%s (%s)", sotto_adjacency_name(adjacency),
                   replaced && !has_unit && sot_rows_are_secret(origin)
                       ? "one stored row exchanged; the number of selected rows is secret"
                       : sentences[has_unit][replaced]);
    if (has_unit) {
        char unit[SOT_UNIT_NAME_BYTES];
        sot_name_unit(schema, unit);
        sot_prose_line(prose, "unit", "%s", unit);
    }
}

void sot_prose_guarantee_of_teachers(sot_prose *prose, double epsilon, double delta,
                                     sotto_adjacency adjacency)
{
    state_loss(prose, epsilon, delta);
    sot_prose_line(prose, "adjacency", "%s (one whole teacher %s)",
                   sotto_adjacency_name(adjacency),
                   adjacency == SOTTO_REPLACE_ONE ? "exchanged" : "more or less");
    sot_prose_line(prose, "unit", "teacher: no claim about one row");
}

void sot_prose_ledger(sot_prose *prose, const sotto_reservation *reservation)
{
    char charged[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES], room[SOTTO_ROOM_TEXT_BYTES];
    static const char *const currencies[] = {
        "",     "epsilon", "Renyi divergence at the member's order",
        "mu^2", "rho",     "epsilon"};
    if (reservation == NULL) {
        sot_prose_line(prose, "ledger", "none: nobody adds up what is released");
        return;
    }
    const sotto_ledger_balance *after = &reservation->after;
    const sotto_member_kind kind = after->members[after->member].kind;
    sot_prose_line(prose, "ledger", "%s: charged %s, left %s (%s member: %s)",
                   after->dataset, sot_shown(reservation->charged, 1, charged),
                   sot_shown(after->left, -1, left), sotto_member_name(kind),
                   currencies[kind]);
    sotto_ledger_describe_room(&after->room, room);
    sot_prose_line(prose, "left, one of", "%s", room);
}
