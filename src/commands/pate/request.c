/* The certificate of labels, their request, and the labels planned again from that. */
#include <stdio.h>
#include <string.h>

#include <sotto/pate_aggregate.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/pate/label.h"
#include "commands/session/again.h"
#include "commands/session/asked.h"
#include "commands/session/request.h"
#include "data/owner/owner.h"
#include "privacy/mechanisms/pate/cost.h"
#include "privacy/mechanisms/pate/pate.h"

void sot_pate_label_begin_session(sot_pate_label_run *run)
{
    run->session = (sot_session){.origin = run->origin,
                                 .schema = run->schema,
                                 .plan = run->plan,
                                 .delta = run->config->delta,
                                 .sampler_error = sot_pate_label_sampler_error(run),
                                 .capped = true};
}

/* ---- the request ---- */

static const char *aggregator_word(int value)
{
    return sotto_pate_aggregator_name((sotto_pate_aggregator)value);
}

static const char *adjacency_word(int value)
{
    return sotto_adjacency_name((sotto_adjacency)value);
}

static const char *unit_word(int value)
{
    static const char *const words[] = {"unknown", "records", "teachers"};
    return value >= 0 && value < 3 ? words[value] : "unknown";
}

#define VOTE(name, kind, word) SOT_FIELD(sotto_pate_config, #name, name, kind, word)
static const sot_field vote_fields[] = {
    VOTE(aggregator, SOT_FIELD_WORD, aggregator_word),
    VOTE(adjacency, SOT_FIELD_WORD, adjacency_word),
    VOTE(unit, SOT_FIELD_WORD, unit_word),
    VOTE(touched, SOT_FIELD_COUNT, NULL),
    VOTE(noise, SOT_FIELD_NUMBER, NULL),
    VOTE(threshold, SOT_FIELD_NUMBER, NULL),
    VOTE(test_noise, SOT_FIELD_NUMBER, NULL),
    VOTE(confidence, SOT_FIELD_NUMBER, NULL),
    VOTE(teachers, SOT_FIELD_COUNT, NULL),
    VOTE(epsilon, SOT_FIELD_NUMBER, NULL),
    VOTE(delta, SOT_FIELD_NUMBER, NULL),
    VOTE(purpose, SOT_FIELD_TEXT, NULL),
};
enum { VOTE_FIELDS = sizeof vote_fields / sizeof vote_fields[0] };

#define FIELD(name, member, kind)                                                        \
    SOT_FIELD(sotto_pate_label_config, name, member, kind, NULL)
static const sot_field fields[] = {
    FIELD("ask", ask, SOT_FIELD_COUNT),
    FIELD("first_row", skip, SOT_FIELD_COUNT),
    FIELD("answers", answers, SOT_FIELD_COUNT),
    FIELD("epsilon", epsilon, SOT_FIELD_NUMBER),
    FIELD("delta", delta, SOT_FIELD_NUMBER),
    FIELD("agreement_noise", agreement.noise, SOT_FIELD_NUMBER),
    FIELD("agreement_bins", agreement.bins, SOT_FIELD_COUNT),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void write_true(sot_json_writer *writer, const char *key, bool flag)
{
    if (!flag) return;
    sot_json_put_bool(writer, key, true);
}

/* The vote after the directory of the teachers was opened: their shards follow from no file that
 * is released. */
static sotto_status make_request(const sot_pate_label_run *run, char **out_json,
                                 sotto_error *error)
{
    const sotto_pate_config no_vote = sotto_pate_defaults();
    const sotto_pate_label_config defaults = sotto_pate_label_defaults();
    sotto_pate_label_config caps =
        *run->config; /* as they hold, not as they were asked */
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    caps.ask = run->ask;
    if (caps.answers > 0) caps.answers = run->answers;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "command", "label");
    sot_json_put_text(writer, "public_rows", SOT_PATE_PUBLIC_ROWS);
    sot_fields_write(fields, FIELDS, &caps, &defaults, writer);
    sot_json_open_object(writer, "vote");
    sot_fields_write(vote_fields, VOTE_FIELDS, &run->vote, &no_vote, writer);
    write_true(writer, "table", run->from_table);
    write_true(writer, "student", run->has_student);
    sot_json_put_text(writer, "rows", sot_origin_name(run->origin));
    sot_json_end_object(writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}

sotto_status sot_pate_label_identify(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    char *request = NULL;
    char settings[SOTTO_HASH_HEX_BYTES];
    sot_json_writer *writer = NULL;
    sotto_status status = make_request(run, &request, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status == SOTTO_OK) {
        sot_json_begin_object(writer);
        sot_asked_text(writer, "request", request);
        status = sot_asked_path(writer, "directory", run->directory.path, error);
        if (status == SOTTO_OK)
            status = sot_asked_path(writer, "public",
                                    run->file == NULL ? NULL : run->file->path, error);
        if (status == SOTTO_OK)
            status = sot_asked_path(writer, "sign", config->sign, error);
        if (status == SOTTO_OK)
            status = sot_asked_file(writer, "student", config->student, error);
        sot_json_end_object(writer);
        status = sot_asked_finish(writer, status, settings, error);
    }
    sot_free(request);
    return status == SOTTO_OK ? sot_asked_identify(&run->session, settings, error)
                              : status;
}

/* ---- the certificate ---- */

sotto_status sot_pate_label_certify(sot_pate_label_run *run, sotto_error *error)
{
    char *payload = NULL, *request = NULL;
    char output[160], access[160];
    const sot_pate_labels labels = {.vote = &run->vote,
                                    .epsilon = run->epsilon,
                                    .delta = run->config->delta,
                                    .unit = run->unit,
                                    .schema_json = run->schema_json,
                                    .target = run->target,
                                    .teachers = run->vote.teachers,
                                    .first = run->config->skip,
                                    .ask = run->ask,
                                    .answers = run->answers,
                                    .asked = run->asked,
                                    .answered = run->answered,
                                    .agreed = &run->agreed,
                                    .rows = run->rows,
                                    .classes = run->classes,
                                    .is_reinforced = run->is_reinforced,
                                    .count = run->count};
    (void)snprintf(output, sizeof output,
                   "labels of %llu public rows by the noisy vote of teachers (%s)%s",
                   (unsigned long long)run->answered,
                   sotto_pate_aggregator_name(run->vote.aggregator),
                   run->agrees ? ", and their agreement" : "");
    (void)snprintf(access, sizeof access,
                   !run->from_table ? "the votes of %llu teachers, whose shards of the "
                                      "rows are disjoint, once"
                                    : "the table of votes, once",
                   (unsigned long long)run->vote.teachers);
    const char *const covered[] = {access, NULL};
    char adjusted[SOT_ADJUSTED_BYTES];
    const char *unprotected[12] = {
        "the schema: columns, types, bounds, categories, the label set",
        "the settings of the teachers and of the votes, and the number of teachers",
        "the rows that are labelled, which are public",
        "the numbers of queries and of answers, which follow from the labels", NULL};
    size_t count = 4;
    if (sot_schema_state_adjusted(run->schema, adjusted)) unprotected[count++] = adjusted;
    if (run->from_table)
        unprotected[count++] = "that one unit moves no more votes than stated: declared "
                               "by the owner of the teachers, not checked";
    if (run->has_student)
        unprotected[count++] =
            "the student's probabilities: of a model that is public, or released before "
            "and paid for by itself";
    if (run->vote.adjacency == SOTTO_REPLACE_ONE && !sot_rows_are_secret(run->origin))
        unprotected[count++] = "the number of rows";
    if (sot_state_stream(run->origin) != NULL)
        unprotected[count++] = sot_state_stream(run->origin);
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = output;
    facts.unit = run->unit;
    facts.covered = covered;
    facts.unprotected = unprotected;
    sotto_status status = sot_pate_labels_write(&labels, &payload, error);
    if (status == SOTTO_OK) status = make_request(run, &request, error);
    if (status == SOTTO_OK)
        status = sot_session_certify(&run->session, payload, request, &facts, error);
    sot_free(request);
    sot_free(payload);
    return status;
}

/* ---- the labels again ---- */

sotto_status sot_label_again_plan(const sot_json_value *request,
                                  const sotto_schema *schema, sot_label_again *again,
                                  sotto_error *error)
{
    sot_pate_label_run *run = &again->run;
    sot_json_value vote;
    again->config = sotto_pate_label_defaults();
    run->config = &again->config;
    run->vote = sotto_pate_defaults();
    run->schema = schema;
    sotto_status status = sot_json_as_object(request, error);
    if (status == SOTTO_OK)
        status = sot_fields_read(fields, FIELDS, request, &again->config, error);
    if (status == SOTTO_OK) status = sot_json_get_object(request, "vote", &vote, error);
    if (status == SOTTO_OK)
        status = sot_fields_read(vote_fields, VOTE_FIELDS, &vote, &run->vote, error);
    if (status != SOTTO_OK) return status;
    run->from_table = sot_request_flag(&vote, "table");
    run->has_student = sot_request_flag(&vote, "student");
    status = sot_request_read_origin(&vote, &run->origin, error);
    if (status != SOTTO_OK) return status;
    const sotto_target *target = sotto_schema_target(schema);
    if (target == NULL || target->label_count < 2 || run->vote.purpose == NULL ||
        run->has_student != (run->vote.aggregator == SOTTO_PATE_INTERACTIVE))
        return sot_fail(error, SOTTO_VERIFICATION,
                        "request.vote is none that labels rows of this schema");
    status = sot_pate_settle_votes(run, error);
    if (status == SOTTO_OK) status = sot_pate_plan_labels(run, error);
    if (status == SOTTO_OK) sot_pate_label_begin_session(run);
    return status;
}

void sot_label_again_clear(sot_label_again *again)
{
    sotto_plan_free(again->run.plan);
    sotto_free(again->run.schema_json);
    sot_free(again->run.rows);
    sot_free(again->run.classes);
    sot_free(again->run.is_reinforced);
}

static sotto_status read_count(const sot_json_value *root, const char *key,
                               uint64_t *out_count, sotto_error *error)
{
    int64_t count = 0;
    const sotto_status status = sot_json_get_int64(root, key, &count, error);
    if (status == SOTTO_OK && count < 0)
        return sot_fail(error, SOTTO_VERIFICATION, "%s is below 0", key);
    *out_count = (uint64_t)count;
    return status;
}

/* Which of the labels are the student's own. */
static sotto_status read_reinforced(const sot_json_value *root, sot_pate_label_run *run,
                                    sotto_error *error)
{
    sot_json_value list;
    size_t place = 0;
    if (run->vote.aggregator != SOTTO_PATE_INTERACTIVE) return SOTTO_OK;
    sotto_status status = sot_json_get_array(root, "reinforced", &list, error);
    for (size_t i = 0; status == SOTTO_OK && i < sot_json_size(&list); i++) {
        const sot_json_value item = sot_json_item(&list, i);
        int64_t row = 0;
        status = sot_json_as_int64(&item, &row, error);
        while (place < run->count && run->rows[place] != (uint64_t)row)
            place++;
        if (status == SOTTO_OK && place == run->count)
            status = sot_json_refuse(&item, "it is a row with a label", error);
        if (status == SOTTO_OK) run->is_reinforced[place++] = true;
    }
    return status;
}

static sotto_status read_sums(const sot_json_value *root, sot_pate_label_run *run,
                              sotto_error *error)
{
    sot_json_value member, list;
    if (!run->agrees) return SOTTO_OK;
    const size_t count = run->agreed.edge_count - 1;
    sotto_status status = sot_json_get_object(root, "agreement", &member, error);
    if (status == SOTTO_OK) status = sot_json_get_array(&member, "sums", &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) != count)
        return sot_json_refuse(&list, "it has one number fewer than there are edges",
                               error);
    for (size_t i = 0; status == SOTTO_OK && i < count; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_int64(&item, &run->agreed.sums[i], error);
    }
    return status;
}

/* The run asks about row after row until one more answer is not paid for, or until the last row. */
static uint64_t queries_of(const sot_pate_label_run *run)
{
    const bool pays_each = run->vote.aggregator == SOTTO_PATE_MODE;
    const uint64_t most = pays_each && run->answers < run->ask ? run->answers : run->ask;
    if (run->count == 0 || run->answered < run->answers) return most;
    return run->rows[run->count - 1] + 1 - run->config->skip;
}

/* Labels are of rows that could be asked about, and no more than were answered or reinforced. */
static sotto_status check_counts(const sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_aggregator aggregator = run->vote.aggregator;
    const bool answers_all =
        aggregator == SOTTO_PATE_LNMAX || aggregator == SOTTO_PATE_GNMAX;
    size_t reinforced = 0;
    for (size_t i = 0; i < run->count; i++)
        reinforced += run->is_reinforced[i] ? 1 : 0;
    const uint64_t first = run->config->skip;
    const bool fits =
        run->answered == run->count - reinforced && run->asked >= run->count &&
        run->asked <= run->ask && run->answered <= run->answers &&
        run->asked == queries_of(run) && (!answers_all || run->asked == run->answered) &&
        (run->count == 0 ||
         (run->rows[0] >= first && run->rows[run->count - 1] < first + run->asked));
    return fits ? SOTTO_OK
                : sot_fail(error, SOTTO_VERIFICATION,
                           "asked, answered, rows and labels do not fit the caps and "
                           "each other");
}

/* Counts the releases of each event: the agreement once, a test for each query, an answer for
 * each answered query. With propose-test-release there is one for each query asked. */
void sot_label_again_count(const sot_pate_label_run *run,
                           uint64_t released[SOT_PATE_EVENTS_MAX])
{
    size_t next = 0;
    if (run->agrees) released[next++] = 1;
    if (sot_pate_has_test(&run->vote)) released[next++] = run->asked;
    released[next] = run->vote.aggregator == SOTTO_PATE_MODE ? run->asked : run->answered;
}

/* There is room for as many labels as the file has. */
static sotto_status take_released(const sot_certificate_file *file,
                                  const sot_pate_labels_file *labels,
                                  sot_pate_label_run *run, sotto_error *error)
{
    const sot_json_value *root = &file->root;
    run->count = labels->count;
    for (size_t i = 0; i < run->count; i++) {
        run->rows[i] = labels->rows[i];
        run->classes[i] = labels->classes[i];
    }
    sotto_status status = read_count(root, "asked", &run->asked, error);
    if (status == SOTTO_OK) status = read_count(root, "answered", &run->answered, error);
    if (status == SOTTO_OK) status = read_reinforced(root, run, error);
    if (status == SOTTO_OK) status = read_sums(root, run, error);
    return status == SOTTO_OK ? check_counts(run, error) : status;
}

static sotto_status make_room(sot_pate_label_run *run, size_t count, sotto_error *error)
{
    run->rows = sot_new_array(count, sizeof *run->rows);
    run->classes = sot_new_array(count, sizeof *run->classes);
    run->is_reinforced = sot_new_array(count, sizeof *run->is_reinforced);
    return run->rows == NULL || run->classes == NULL || run->is_reinforced == NULL
               ? sot_fail_memory(error, count, sizeof *run->rows)
               : SOTTO_OK;
}

/* The number of paid answers after each query, as the run counted them. */
static void count_paid(sot_pate_label_run *run)
{
    const bool pays_each = run->vote.aggregator == SOTTO_PATE_MODE;
    size_t place = 0;
    for (uint64_t query = 0; query < run->asked; query++) {
        const bool has_label =
            place < run->count && run->rows[place] == run->config->skip + query;
        const bool is_paid = pays_each || (has_label && !run->is_reinforced[place]);
        run->paid[query + 1] = run->paid[query] + (is_paid ? 1 : 0);
        if (has_label) place++;
    }
}

sotto_status sot_pate_label_take_file(sot_pate_label_run *run, sotto_error *error)
{
    const char *text = run->session.file;
    sot_pate_labels_file labels = {.is_open = false};
    sotto_status status =
        sot_pate_labels_parse("the labels", text, strlen(text), &labels, error);
    if (status == SOTTO_OK && labels.count > run->ask)
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "the labels are more than were asked for");
    if (status == SOTTO_OK) status = take_released(&labels.file, &labels, run, error);
    if (status == SOTTO_OK) count_paid(run);
    sot_pate_labels_close(&labels);
    return status;
}

sotto_status sot_again_label(const sot_certificate_file *file, const char *text,
                             size_t size_bytes, sotto_error *error)
{
    uint64_t released[SOT_PATE_EVENTS_MAX] = {0};
    const sot_again again = {.file = file, .released = released};
    sot_label_again self = {.run = {.plan = NULL}};
    sot_pate_labels_file labels = {.is_open = false};
    sotto_status status =
        sot_pate_labels_parse("the labels", text, size_bytes, &labels, error);
    if (status == SOTTO_OK)
        status = sot_label_again_plan(&file->request, labels.schema, &self, error);
    if (status == SOTTO_OK) status = make_room(&self.run, labels.count, error);
    if (status == SOTTO_OK) status = take_released(file, &labels, &self.run, error);
    if (status == SOTTO_OK) {
        sot_label_again_count(&self.run, released);
        self.run.session.again = &again;
        status = sot_pate_label_certify(&self.run, error);
    }
    sot_label_again_clear(&self);
    sot_pate_labels_close(&labels);
    return status;
}
