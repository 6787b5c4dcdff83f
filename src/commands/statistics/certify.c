/* The certificate of a release, its request, and the release planned again from that. */
#include <stdio.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/again.h"
#include "commands/session/asked.h"
#include "commands/session/request.h"
#include "commands/statistics/release.h"
#include "data/owner/owner.h"
#include "data/where/where.h"
#include "numeric/outward.h"

/* ---- the session ---- */

static double sampler_error(const sot_release *release)
{
    double sum = 0.0;
    for (size_t i = 0; i < release->part_count; i++)
        sum = sot_add_up(sum, sot_noise_sampler_error(&release->parts[i]));
    return sum;
}

void sot_release_begin_session(const sot_release *release, sot_session *out_session)
{
    const sotto_release_config *config = release->config;
    *out_session =
        (sot_session){.origin = release->origin,
                      .schema = release->schema,
                      .plan = release->plan,
                      .delta = config->delta,
                      .sampler_error = sampler_error(release),
                      .counts_units = config->statistic == SOTTO_RELEASE_RESPONSES,
                      .numbers = 4 * (size_t)release->size};
}

/* ---- the request ---- */

#define WORD(function, type, name)                                                       \
    static const char *function(int value)                                               \
    {                                                                                    \
        return name((type)value);                                                        \
    }
WORD(statistic_word, sotto_statistic, sotto_statistic_name)
WORD(mechanism_word, sotto_mechanism, sotto_mechanism_name)
WORD(adjacency_word, sotto_adjacency, sotto_adjacency_name)
WORD(score_word, sotto_score, sotto_score_name)

#define FIELD(name, kind, word) SOT_FIELD(sotto_release_config, #name, name, kind, word)

/* All of sotto_release_config but `where`, which is a list, and where results go. */
static const sot_field fields[] = {
    FIELD(statistic, SOT_FIELD_WORD, statistic_word),
    FIELD(column, SOT_FIELD_TEXT, NULL),
    FIELD(epsilon, SOT_FIELD_NUMBER, NULL),
    FIELD(delta, SOT_FIELD_NUMBER, NULL),
    FIELD(mechanism, SOT_FIELD_WORD, mechanism_word),
    FIELD(adjacency, SOT_FIELD_WORD, adjacency_word),
    FIELD(public_n, SOT_FIELD_COUNT, NULL),
    FIELD(confidence, SOT_FIELD_NUMBER, NULL),
    FIELD(edges, SOT_FIELD_TEXT, NULL),
    FIELD(bins, SOT_FIELD_COUNT, NULL),
    FIELD(quantile, SOT_FIELD_NUMBER, NULL),
    FIELD(score, SOT_FIELD_WORD, score_word),
    FIELD(candidates, SOT_FIELD_TEXT, NULL),
    FIELD(sensitivity, SOT_FIELD_COUNT, NULL),
    FIELD(monotone, SOT_FIELD_FLAG, NULL),
    FIELD(threshold, SOT_FIELD_NUMBER, NULL),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static sotto_status make_request(const sot_release *release, const sot_session *session,
                                 char **out_json, sotto_error *error)
{
    const sotto_release_config defaults = sotto_release_defaults();
    const char *const *where = release->config->where;
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "command", "release");
    sot_fields_write(fields, FIELDS, release->config, &defaults, writer);
    if (where != NULL && where[0] != NULL) { /* of files from before session->where */
        sot_json_open_array(writer, "where");
        for (size_t i = 0; where[i] != NULL; i++)
            sot_json_write_string(writer, where[i]);
        sot_json_end_array(writer);
    }
    if (sot_release_scores_are_given(release))
        sot_json_put_whole(writer, "candidate_count", release->candidate_count);
    sot_request_write_rows(session, writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}

sotto_status sot_release_identify(const sot_release *release, sot_session *session,
                                  sotto_error *error)
{
    char *request = NULL;
    char settings[SOTTO_HASH_HEX_BYTES];
    const sotto_model *model = release->config->model;
    sotto_status status = make_request(release, session, &request, error);
    if (status != SOTTO_OK) return status;
    sot_json_writer *writer = NULL;
    status = sot_json_writer_new(false, &writer, error);
    if (status == SOTTO_OK) {
        sot_json_begin_object(writer);
        sot_asked_text(writer, "request", request);
        sot_asked_text(writer, "model", model == NULL ? NULL : model->hash);
        status = sot_asked_path(writer, "sign", session->sign, error);
        sot_json_end_object(writer);
        status = sot_asked_finish(writer, status, settings, error);
    }
    sot_free(request);
    return status == SOTTO_OK ? sot_asked_identify(session, settings, error) : status;
}

/* ---- the certificate ---- */

sotto_status sot_release_certify(const sot_release *release, sot_session *session,
                                 sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const bool given = sot_release_scores_are_given(release);
    char output[160];
    char access[SOT_COVERED_BYTES];
    char column[80];
    char unit[SOT_UNIT_NAME_BYTES];
    sot_name_unit(release->schema, unit);
    sot_printable(config->column == NULL ? "" : config->column, column, sizeof column);
    (void)snprintf(output, sizeof output, "%sprivate %s%s%s",
                   config->statistic == SOTTO_RELEASE_SCORES ? "" : "a ",
                   release->statistic->name,
                   config->column == NULL ? "" : " of the column ", column);
    sot_session_covered(session, access);
    if (given)
        (void)snprintf(access, sizeof access, "the scores of the candidates, once");
    const char *const covered[] = {access, NULL};
    const char *const scores[] = {
        "the candidates and their number, and whether the first score is a number",
        "that the scores have the declared sensitivity: "
        "declared by the caller, not checked",
        "the settings of this release", NULL};
    char adjusted[SOT_ADJUSTED_BYTES];
    const char *unprotected[4 + SOT_ROWS_FACTS + 1] = {
        "the schema: columns, types, bounds, categories"};
    size_t count = 1;
    if (release->schema != NULL && sot_schema_state_adjusted(release->schema, adjusted))
        unprotected[count++] = adjusted;
    if (release->statistic->judge != NULL)
        unprotected[count++] = "the model, which was released before";
    unprotected[count++] = "the settings of this release";
    count += sot_session_row_facts(session, unprotected + count);
    unprotected[count] = NULL;
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = output;
    facts.unit = unit;
    facts.covered = covered;
    facts.unprotected = given ? scores : unprotected;

    char *payload = NULL, *request = NULL;
    sotto_status status = sot_release_payload(release, &payload, error);
    if (status == SOTTO_OK) status = make_request(release, session, &request, error);
    if (status == SOTTO_OK)
        status = sot_session_certify(session, payload, request, &facts, error);
    sot_free(request);
    sot_free(payload);
    return status;
}

/* ---- the release again ---- */

/* A release that is planned again, and the owners of its borrowed settings. */
typedef struct release_again {
    sotto_release_config config;
    sotto_schema *schema;
    sotto_model model; /* its schema and hash, and that it predicts classes */
    const char *where[SOT_CONDITIONS_MAX + 1];
    sot_release release;
} release_again;

/* The list of conditions COLUMN=VALUE that files had before --where had a grammar. */
static sotto_status read_where(const sot_json_value *request, release_again *self,
                               sotto_error *error)
{
    sot_json_value list;
    if (!sot_json_member(request, "where", &list) ||
        sot_json_kind_of(&list) == SOT_JSON_STRING)
        return SOTTO_OK;
    sotto_status status = sot_json_as_array(&list, error);
    if (status == SOTTO_OK && sot_json_size(&list) > SOT_CONDITIONS_MAX)
        status = sot_json_refuse(&list, "it has at most 64 conditions", error);
    for (size_t i = 0; status == SOTTO_OK && i < sot_json_size(&list); i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_string(&item, &self->where[i], error);
    }
    self->config.where = self->where;
    return status;
}

/* A model is named by its hash; that it gives two classes a probability is believed with it. */
static sotto_status read_model(const sot_json_value *root, release_again *self,
                               sotto_error *error)
{
    const char *hash = NULL;
    sot_json_value member;
    if (!sot_json_member(root, "model", &member)) return SOTTO_OK;
    const sotto_status status = sot_json_as_string(&member, &hash, error);
    if (status != SOTTO_OK) return status;
    if (strlen(hash) + 1 != sizeof self->model.hash)
        return sot_fail(error, SOTTO_VERIFICATION, "model is not the hash of a file");
    memcpy(self->model.hash, hash, sizeof self->model.hash);
    self->model.schema = self->schema;
    self->model.prediction = SOTTO_PREDICTS_PROBABILITIES;
    self->model.outputs = 2;
    self->config.model = &self->model;
    return SOTTO_OK;
}

static sotto_status read_again(const sot_certificate_file *file, release_again *self,
                               sotto_error *error)
{
    sot_json_value member;
    self->config = sotto_release_defaults();
    sotto_status status =
        sot_fields_read(fields, FIELDS, &file->request, &self->config, error);
    if (status == SOTTO_OK) status = read_where(&file->request, self, error);
    if (status == SOTTO_OK && sot_json_member(&file->root, "schema", &member))
        status = sot_again_schema(&file->root, &self->schema, error);
    return status == SOTTO_OK ? read_model(&file->root, self, error) : status;
}

static sotto_status read_candidates(const sot_json_value *request, sot_release *release,
                                    sotto_error *error)
{
    int64_t count = 0;
    if (!sot_release_scores_are_given(release)) return SOTTO_OK;
    const sotto_status status =
        sot_json_get_int64(request, "candidate_count", &count, error);
    release->candidate_count = (size_t)count;
    return status;
}

sotto_status sot_release_take_file(sot_release *release, const sot_session *session,
                                   sotto_error *error)
{
    sot_certificate_file file = {0};
    sotto_status status =
        sot_certificate_file_open(session->file, strlen(session->file), &file, error);
    if (status == SOTTO_OK) status = read_candidates(&file.request, release, error);
    if (status == SOTTO_OK)
        status = release->statistic->restate(release, &file.root, error);
    sot_certificate_file_close(&file);
    return status;
}

sotto_status sot_again_release(const sot_certificate_file *file, const char *text,
                               size_t size_bytes, sotto_error *error)
{
    const sot_again again = {.file = file};
    release_again self = {.schema = NULL};
    sot_session rows = {.data_path = NULL}, session;
    (void)text, (void)size_bytes;
    sotto_status status = read_again(file, &self, error);
    if (status == SOTTO_OK) status = sot_request_read_rows(&file->request, &rows, error);
    rows.schema = self.schema;
    if (status == SOTTO_OK) status = sot_check_where(&rows, error);
    if (status == SOTTO_OK) status = sot_check_stream(&rows, error);
    if (status == SOTTO_OK)
        status = sot_release_prepare(&self.config, self.schema, rows.origin,
                                     &self.release, error);
    sot_release *release = &self.release;
    release->condition = rows.where;
    if (status == SOTTO_OK) status = read_candidates(&file->request, release, error);
    if (status == SOTTO_OK)
        status = release->statistic->restate(release, &file->root, error);
    if (status == SOTTO_OK) {
        sot_release_begin_session(release, &session);
        session.data_path = rows.data_path;
        session.query = rows.query;
        session.table = rows.table;
        session.where = rows.where;
        session.again = &again;
        status = sot_release_certify(release, &session, error);
    }
    sot_release_clear(release);
    sotto_schema_free(self.schema);
    return status;
}
