#include "commands/report/labels.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "privacy/mechanisms/pate/cost.h"

_Static_assert((int)SOT_REPORT_COURSE_POINTS == (int)SOT_PATE_POINTS, "one curve");

/* ---- members of the file ---- */

static sotto_status read_count(const sot_json_value *root, const char *key, uint64_t most,
                               uint64_t *out_count, sotto_error *error)
{
    int64_t count = 0;
    sot_json_value member;
    const sotto_status status = sot_json_get_int64(root, key, &count, error);
    if (status != SOTTO_OK) return status;
    if (count < 0 || (uint64_t)count > most) {
        (void)sot_json_member(root, key, &member);
        return sot_json_refuse(&member, "it is out of range", error);
    }
    *out_count = (uint64_t)count;
    return SOTTO_OK;
}

static sotto_status read_counts(const sot_json_value *root, sot_report_labels *report,
                                uint64_t *out_first, sotto_error *error)
{
    const uint64_t many = UINT64_C(1) << 32;
    sot_json_value member;
    sotto_status status =
        sot_json_get_string(root, "aggregator", &report->aggregator, error);
    if (status == SOTTO_OK && sot_json_member(root, "teachers", &member))
        status = read_count(root, "teachers", (uint64_t)SOT_PATE_VOTES_MAX,
                            &report->teachers, error);
    if (status == SOTTO_OK)
        status = read_count(root, "ask_at_most", many, &report->ask, error);
    if (status == SOTTO_OK)
        status = read_count(root, "answer_at_most", report->ask, &report->answers, error);
    if (status == SOTTO_OK)
        status = read_count(root, "asked", report->ask, &report->asked, error);
    if (status == SOTTO_OK)
        status = read_count(root, "answered", report->asked, &report->answered, error);
    if (status == SOTTO_OK)
        status = read_count(root, "first_row", many, out_first, error);
    return status;
}

static sotto_status read_integers(const sot_json_value *object, const char *key,
                                  size_t most, int64_t *out, size_t *out_count,
                                  sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(object, key, &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) > most)
        return sot_json_refuse(&list, "it has too many numbers", error);
    *out_count = sot_json_size(&list);
    for (size_t i = 0; i < *out_count && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_int64(&item, &out[i], error);
    }
    return status;
}

/* The released sums; the noise is that of the plan's first event. */
static sotto_status read_agreement(const sot_json_value *root, sot_labels_facts *facts,
                                   sotto_error *error)
{
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1], sums[SOTTO_PATE_AGREEMENT_BINS_MAX];
    size_t edge_count = 0, sum_count = 0;
    sot_json_value object;
    sot_report_labels *report = &facts->report;
    if (!sot_json_member(root, "agreement", &object)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&object, error);
    if (status == SOTTO_OK)
        status = read_integers(&object, "edges", SOTTO_PATE_AGREEMENT_BINS_MAX + 1, edges,
                               &edge_count, error);
    if (status == SOTTO_OK)
        status = read_integers(&object, "sums", SOTTO_PATE_AGREEMENT_BINS_MAX, sums,
                               &sum_count, error);
    if (status == SOTTO_OK)
        status = read_count(&object, "queries", report->ask, &report->agreement_queries,
                            error);
    if (status != SOTTO_OK) return status;
    if (sum_count + 1 != edge_count)
        return sot_json_refuse(&object, "it has one sum fewer than edges", error);
    const sotto_event *event = sotto_plan_event(facts->labels.file.plan, 0);
    status = sotto_pate_agreement_shares(edges, edge_count, sums,
                                         report->agreement_queries, report->teachers,
                                         event->scale, &facts->agreement, error);
    if (status == SOTTO_OK) report->agreement = &facts->agreement;
    return status;
}

/* ---- members of the certificate ---- */

static sotto_status differ(sotto_error *error)
{
    return sot_fail(error, SOTTO_PARSE,
                    "the file's queries are not those that its certificate states");
}

/* The plan's events are the agreement, the tests and the answers, if there are any. Their numbers
 * of releases must agree with the file. */
static sotto_status compare(const sot_labels_facts *facts, bool has_test,
                            sotto_error *error)
{
    const sot_certificate_file *file = &facts->labels.file;
    const sot_report_labels *report = &facts->report;
    sot_json_value member;
    const bool is_agreed = sot_json_member(&file->root, "agreement", &member);
    const size_t events = (size_t)1 + (has_test ? 1U : 0U) + (is_agreed ? 1U : 0U);
    if (sotto_plan_size(file->plan) != events || report->ask < 1) return differ(error);
    const uint64_t paid = has_test ? report->answered : report->asked;
    const sotto_event *answer = sotto_plan_event(file->plan, events - 1);
    if (file->released[events - 1] != paid || answer->count != report->answers)
        return differ(error);
    if (has_test && (file->released[events - 2] != report->asked ||
                     sotto_plan_event(file->plan, events - 2)->count != report->ask))
        return differ(error);
    if (!is_agreed) return SOTTO_OK;
    const sotto_event *first = sotto_plan_event(file->plan, 0);
    return file->released[0] == 1 && first->mechanism == SOTTO_GAUSSIAN &&
                   first->scale > 0.0
               ? SOTTO_OK
               : differ(error);
}

/* ---- the course ---- */

/* The rows whose labels are the student's own, ascending: the next one, -1 behind the last. */
typedef struct own_rows {
    sot_json_value list; /* of interactive */
    bool exists;
    size_t at;
} own_rows;

static sotto_status next_own(own_rows *own, int64_t *out_row, sotto_error *error)
{
    *out_row = -1;
    if (!own->exists || own->at == sot_json_size(&own->list)) return SOTTO_OK;
    const sot_json_value item = sot_json_item(&own->list, own->at++);
    const sotto_status status = sot_json_as_int64(&item, out_row, error);
    if (status != SOTTO_OK || *out_row >= 0) return status;
    return sot_json_refuse(&item, "it is no row", error);
}

/* Goes through the labels in the order of their rows: counts classes, and the answers before each point of the curve. */
static sotto_status follow(sot_labels_facts *facts, uint64_t first, own_rows *own,
                           uint64_t answers[SOT_PATE_POINTS], sotto_error *error)
{
    const sot_pate_labels_file *labels = &facts->labels;
    sot_report_labels *report = &facts->report;
    uint64_t answered = 0;
    int64_t mine = -1;
    size_t point = 0;
    sotto_status status = next_own(own, &mine, error);
    for (size_t i = 0; i < labels->count && status == SOTTO_OK; i++) {
        const size_t row = labels->rows[i]; /* they ascend */
        if (row < first || row - first >= report->asked) return differ(error);
        while (sot_pate_point(report->asked, point) <= row - first)
            answers[point++] = answered;
        facts->counts[labels->classes[i]]++;
        if (mine >= 0 && (uint64_t)mine == row) {
            report->reinforced++;
            status = next_own(own, &mine, error);
        } else {
            answered++;
        }
    }
    if (status != SOTTO_OK) return status;
    while (point < SOT_PATE_POINTS)
        answers[point++] = answered;
    return mine < 0 && answered == report->answered ? SOTTO_OK : differ(error);
}

/* Aggregators without a test pay for every query. */
static sotto_status fill_course(sot_labels_facts *facts, uint64_t first, bool has_test,
                                sotto_error *error)
{
    const sot_certificate_file *file = &facts->labels.file;
    sot_report_labels *report = &facts->report;
    own_rows own = {.exists = false};
    uint64_t answers[SOT_PATE_POINTS];
    sotto_status status = SOTTO_OK;
    own.exists = sot_json_member(&file->root, "reinforced", &own.list);
    if (own.exists) status = sot_json_as_array(&own.list, error);
    if (status == SOTTO_OK) status = follow(facts, first, &own, answers, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < SOT_PATE_POINTS; i++) {
        report->queries[i] = (double)sot_pate_point(report->asked, i);
        report->answers_so_far[i] = (double)answers[i];
        if (!has_test) answers[i] = sot_pate_point(report->asked, i);
    }
    const sot_pate_course course = {.plan = file->plan,
                                    .has_test = has_test,
                                    .is_agreed = report->agreement != NULL,
                                    .delta = report->delta};
    return sot_pate_curve(&course, report->asked, answers, report->epsilons, error);
}

/* ---- all of it ---- */

static sotto_status gather(sot_labels_facts *facts, sotto_error *error)
{
    const sot_certificate_file *file = &facts->labels.file;
    sot_report_labels *report = &facts->report;
    sotto_pate_config vote = sotto_pate_defaults();
    uint64_t first = 0;
    report->schema = facts->labels.schema;
    report->epsilon = file->certificate.claims.epsilon;
    report->delta = file->certificate.claims.delta;
    sotto_status status = read_counts(&file->root, report, &first, error);
    if (status == SOTTO_OK)
        status =
            sotto_pate_aggregator_from_name(report->aggregator, &vote.aggregator, error);
    if (status != SOTTO_OK) return status;
    const bool has_test = sot_pate_has_test(&vote);
    status = compare(facts, has_test, error);
    if (status == SOTTO_OK) status = read_agreement(&file->root, facts, error);
    if (status != SOTTO_OK) return status;
    const size_t classes = sotto_schema_target(report->schema)->label_count;
    facts->counts = sot_new_array(classes, sizeof *facts->counts);
    if (facts->counts == NULL)
        return sot_fail_memory(error, classes, sizeof *facts->counts);
    report->counts = facts->counts;
    return fill_course(facts, first, has_test, error);
}

sotto_status sot_labels_facts_parse(const char *name, const char *text, size_t size_bytes,
                                    sot_labels_facts *out_facts, sotto_error *error)
{
    sotto_error cause = {.status = SOTTO_OK};
    *out_facts = (sot_labels_facts){.counts = NULL};
    sotto_status status =
        sot_pate_labels_parse(name, text, size_bytes, &out_facts->labels, error);
    if (status != SOTTO_OK) return status;
    status = gather(out_facts, &cause);
    if (status == SOTTO_OK) return SOTTO_OK;
    return sot_fail(error, status, "%.100s: %.140s", name, cause.message);
}

sotto_status sot_labels_facts_read(const char *path, const char *hash,
                                   sot_labels_facts *out_facts, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    *out_facts = (sot_labels_facts){.counts = NULL};
    sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_labels_facts_parse(path, text, size_bytes, out_facts, error);
    sot_free(text);
    if (status != SOTTO_OK || strcmp(out_facts->labels.file.hash, hash) == 0)
        return status;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.120s has not the labels that the student was trained on: its "
                    "certificate has the hash %.12s...; give those",
                    path, hash);
}

void sot_labels_facts_clear(sot_labels_facts *facts)
{
    sot_pate_labels_close(&facts->labels);
    sot_free(facts->counts);
    *facts = (sot_labels_facts){.counts = NULL};
}

const char *sot_labels_hash_of_student(const sot_certificate *certificate,
                                       char out_hash[SOTTO_HASH_HEX_BYTES])
{
    const char *route = certificate->facts.route;
    const size_t before = strlen(SOT_PATE_ROUTE), size = SOTTO_HASH_HEX_BYTES - 1;
    if (route == NULL || strncmp(route, SOT_PATE_ROUTE, before) != 0 ||
        strlen(route) < before + size)
        return NULL;
    memcpy(out_hash, route + before, size);
    out_hash[size] = '\0';
    return out_hash;
}
