/* One release, in the only order there is: plan, header, charge, gate, rows, release, certificate. */
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "commands/session/session.h"
#include "commands/statistics/release.h"
#include "data/source/source.h"
#include "data/where/where.h"

typedef struct release_run {
    sotto_release_config
        config; /* the caller's, but without conditions: `file` has them all */
    sot_release release;
    sot_session session;
    sotto_data_file file;         /* path NULL: records */
    const sotto_records *records; /* NULL: a file */
    sot_where *where;             /* NULL: no condition */
    sot_source *source;           /* NULL for scores from a file, and with a model */
    sot_accuracy_rows accuracy;   /* the rows of a model */
} release_run;

static bool is_of_model(const sot_release *release)
{
    return release->statistic->judge != NULL;
}

/* ---- the session ---- */

static void begin_session(release_run *run)
{
    const sot_release *release = &run->release;
    const sotto_release_config *config = release->config;
    char column[120];
    const char *name = config->column;
    sot_session *session = &run->session;
    sot_release_begin_session(release, session);
    session->data_path = run->file.path;
    session->labels_path = run->file.labels;
    session->query = run->file.query;
    session->table = run->file.table;
    session->format = run->file.format;
    session->where = run->file.where;
    session->ledger_asked = config->ledger;
    session->output = config->output;
    session->sign = config->sign;
    session->anew = config->again;
    session->overwrite = config->overwrite;
    session->insecure_test = config->insecure_test;
    session->test_seed = config->test_seed;
    sot_printable(name == NULL ? "" : name, column, sizeof column);
    (void)snprintf(session->label, sizeof session->label, "release %s%s%s",
                   release->statistic->name, name == NULL ? "" : " of ", column);
}

/* ---- the rows ---- */

static sotto_status read_rows(release_run *run, sotto_error *error)
{
    sot_release *release = &run->release;
    if (sot_release_scores_are_given(release))
        return sot_read_scores(release, run->file.path, error);
    const sotto_status status =
        is_of_model(release)
            ? sot_accuracy_read(release, &run->accuracy, run->session.rng, error)
            : sot_release_read(release, run->source, run->session.rng, error);
    if (status != SOTTO_OK) return status;
    const uint64_t declared = release->config->public_n;
    if (declared == 0 || release->lines == declared) return SOTTO_OK;
    return sot_refuse_public_n(run->file.path, declared, error);
}

/* ---- the whole way ---- */

/* Rows, then everything that the plan holds. */
static sotto_status release_rows(void *context, sotto_error *error)
{
    release_run *run = context;
    sotto_status status = read_rows(run, error);
    if (status == SOTTO_OK) {
        status = run->release.statistic->publish(&run->release, run->session.gate, error);
    }
    return status;
}

/* The conditions of the file and of the release, which the source tests as one. */
static sotto_status read_conditions(release_run *run, const char *const *conditions,
                                    sotto_error *error)
{
    if (conditions[0] == NULL) return SOTTO_OK;
    const sotto_status status =
        sot_where_new_all(conditions, run->release.schema, &run->where, error);
    if (status != SOTTO_OK) return status;
    run->file.where = sot_where_text(run->where);
    run->release.condition = run->file.where;
    return SOTTO_OK;
}

/* All that can fail for reasons that are public, before anything is charged. */
static sotto_status make_ready(release_run *run, const char *const *conditions,
                               sotto_error *error)
{
    const sot_release *release = &run->release;
    if (sot_release_scores_are_given(release) &&
        (run->file.query != NULL || run->file.table != NULL || run->file.where != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`score` is given: its file has one line a candidate, not rows; "
                        "leave `table`, `where` and `query` out");
    }
    if (run->records != NULL &&
        (sot_release_scores_are_given(release) || is_of_model(release))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "given scores and statistics of a model are released from a "
                        "file; use sotto_release_data()");
    }
    sotto_status status = read_conditions(run, conditions, error);
    if (status != SOTTO_OK) return status;
    begin_session(run);
    status = sot_session_check(&run->session, error);
    if (status == SOTTO_OK && is_of_model(release)) {
        status = sot_accuracy_open(release, &run->file, &run->accuracy, error);
    } else if (status == SOTTO_OK && !sot_release_scores_are_given(release)) {
        status = run->records != NULL
                     ? sot_source_open_records(run->records, release->schema,
                                               &run->source, error)
                     : sot_source_open(&run->file, release->schema, false, &run->source,
                                       error);
        if (status == SOTTO_OK) status = sot_source_check_training(run->source, error);
    }
    if (status == SOTTO_OK) status = sot_check_stream(&run->session, error);
    if (status == SOTTO_OK) status = sot_session_open(&run->session, error);
    if (status == SOTTO_OK) status = sot_release_identify(release, &run->session, error);
    if (status == SOTTO_OK) status = sot_session_keep(&run->session, NULL, error);
    return status;
}

/* Fills in the result for the caller. */
static sotto_status deliver(release_run *run, sotto_release_result *result,
                            sotto_error *error)
{
    const sot_session *session = &run->session;
    sotto_status status = session->outcome == SOTTO_RUN_NEW
                              ? sot_release_certify(&run->release, &run->session, error)
                              : sot_release_take_file(&run->release, session, error);
    if (status == SOTTO_OK)
        status = sot_release_prose(&run->release, session, &result->text, error);
    if (status == SOTTO_OK)
        status = sot_session_render(session, &result->certificate, error);
    if (status == SOTTO_OK) status = sot_copy_text(session->file, &result->json, error);
    if (status == SOTTO_OK) status = sot_session_write(session, error);
    return status;
}

static void clear(release_run *run)
{
    sot_source_close(run->source);
    sot_accuracy_close(&run->accuracy);
    sot_where_free(run->where);
    sot_session_close(&run->session);
    sot_release_clear(&run->release);
}

/* Lists them all, and moves them to the file: from here on there is one place for them. */
static sotto_status list_conditions(release_run *run, const char **out_conditions,
                                    sotto_error *error)
{
    const char *const *asked = run->config.where;
    size_t count = 0;
    for (; asked != NULL && asked[count] != NULL; count++) {
        if (count == SOT_CONDITIONS_MAX)
            return sot_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "`where` is given more than %d times; join conditions with AND",
                (int)SOT_CONDITIONS_MAX);
        out_conditions[count] = asked[count];
    }
    if (run->file.where != NULL) out_conditions[count++] = run->file.where;
    out_conditions[count] = NULL;
    run->file.where = out_conditions[0];
    run->config.where = NULL;
    return SOTTO_OK;
}

static sotto_status run_release(release_run *run, const sotto_schema *schema,
                                sotto_release_result **out_result, sotto_error *error)
{
    const char *conditions[SOT_CONDITIONS_MAX + 2];
    const sotto_data_file *file = run->records == NULL ? &run->file : NULL;
    sot_origin origin;
    sotto_status status = list_conditions(run, conditions, error);
    if (status != SOTTO_OK) return status;
    sotto_release_result *result = sot_new_array(1, sizeof *result);
    if (result == NULL) return sot_fail_memory(error, 1, sizeof *result);
    status = sot_origin_find(file, run->records, &origin, error);
    if (status == SOTTO_OK)
        status = sot_release_prepare(&run->config, schema, origin, &run->release, error);
    if (status == SOTTO_OK) status = make_ready(run, conditions, error);
    if (status == SOTTO_OK && run->session.outcome == SOTTO_RUN_NEW)
        status = sot_session_run(&run->session, release_rows, run, error);
    if (status == SOTTO_OK) status = deliver(run, result, error);
    status = sot_session_end(&run->session, status, error);
    if (status == SOTTO_OK) {
        result->outcome = run->session.outcome;
        result->kept = sot_session_hand_over(&run->session);
        result->values = run->release.values;
        result->value_count = run->release.value_count;
        run->release.values = NULL;
        run->release.value_count = 0;
    }
    clear(run);
    if (status != SOTTO_OK) {
        sotto_release_free(result);
        return status;
    }
    *out_result = result;
    return SOTTO_OK;
}

sotto_status sotto_release_data(const sotto_release_config *config,
                                const sotto_schema *schema, const sotto_data_file *file,
                                sotto_release_result **out_result, sotto_error *error)
{
    release_run run = {.file = *file};
    const sotto_status status = SOT_TAKE(release, config, &run.config, error);
    if (status != SOTTO_OK) return status;
    return run_release(&run, schema, out_result, error);
}

sotto_status sotto_release_records(const sotto_release_config *config,
                                   const sotto_schema *schema,
                                   const sotto_records *records,
                                   sotto_release_result **out_result, sotto_error *error)
{
    release_run run = {.records = records};
    const sotto_status status = SOT_TAKE(release, config, &run.config, error);
    if (status != SOTTO_OK) return status;
    if (run.config.where != NULL && run.config.where[0] != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`where` is %.60s, but a condition selects rows of a file; hand "
                        "over the selected records and set records.selected",
                        run.config.where[0]);
    }
    return run_release(&run, schema, out_result, error);
}

/* ---- results ---- */

void sotto_release_free(sotto_release_result *result)
{
    if (result == NULL) return;
    sot_kept_drop(result->kept, true);
    for (size_t i = 0; i < result->value_count; i++)
        sot_free(result->values[i].label);
    sot_free(result->values);
    sot_free(result->json);
    sot_free(result->text);
    sot_free(result->certificate);
    sot_free(result);
}

void sotto_release_hold(sotto_release_result *result)
{
    sot_kept_drop(result->kept, false);
    result->kept = NULL;
}

sotto_run_outcome sotto_release_outcome(const sotto_release_result *result)
{
    return result->outcome;
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
    const sot_released_value *value = &result->values[index];
    return (sotto_release_value){.label = value->label,
                                 .value = value->value,
                                 .lower = value->lower,
                                 .upper = value->upper};
}
