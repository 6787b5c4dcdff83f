/* Proposals for a new data set: the door. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "commands/start/parts.h"
#include "data/draft/parts.h"

enum { DATASET_BYTES = 63 }; /* the largest value that a ledger takes */

void sotto_start_set_defaults(sotto_start_config *out_config, size_t size_bytes,
                              size_t draft_bytes)
{
    sotto_start_config defaults = {
        .draft = sotto_draft_defaults(), .epsilon = SOTTO_UNSET, .delta = SOTTO_UNSET};
    defaults.draft.header_only = true;
    sot_sized_give(SOT_SIZED_WITH(start, draft), &defaults, out_config, size_bytes,
                   draft_bytes);
}

static void release(sot_start *start)
{
    for (size_t i = 0; i < SOT_START_COMMANDS; i++)
        sot_free(start->commands[i].text);
    sotto_json_free(start->document);
    sot_free(start->schema);
    sot_free(start->notes);
    sot_free(start->dataset);
    sot_free(start->schema_path);
    sot_free(start->ledger_path);
    sot_free(start->model_path);
    sot_free(start->report_path);
}

/* ---- checks ---- */

static sotto_status check_config(const sotto_start_config *config, sotto_error *error)
{
    struct stat facts;
    if (config->draft.path == NULL)
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`data` is missing; give a table with a header, for example survey.csv");
    if (stat(config->draft.path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`data` is %.120s, which is not a regular file; save the table "
                        "to a file first",
                        config->draft.path);
    }
    if (!isnan(config->epsilon) && (!(config->epsilon > 0.0) || isinf(config->epsilon))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; a budget is above 0; for example `epsilon=1`",
                        config->epsilon);
    }
    if (!isnan(config->delta) && !(config->delta >= 0.0 && config->delta < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is %g; it lies in [0, 1); for example `delta=1e-9`",
                        config->delta);
    }
    if (config->draft.unit_rows > 1000000) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`unit_rows` is %llu; give between 1 and 1000000; for example `unit_rows=8`",
            (unsigned long long)config->draft.unit_rows);
    }
    return SOTTO_OK;
}

/* ---- names ---- */

/* "patients" of "data/patients.csv.gz". */
static char *stem_of(const char *path)
{
    static const char *const endings[] = {".gz", ".csv", ".tsv", ".txt"};
    const char *slash = strrchr(path, '/');
    char *stem = sot_copy_string(slash == NULL ? path : slash + 1);
    for (size_t i = 0; stem != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        const size_t length = strlen(stem), ending = strlen(endings[i]);
        if (length > ending && strcasecmp(stem + length - ending, endings[i]) == 0)
            stem[length - ending] = '\0';
    }
    return stem;
}

static char *joined(const char *first, size_t length, const char *second,
                    const char *third)
{
    sot_growing text = {0};
    char *out = NULL;
    sot_growing_add(&text, first, length);
    sot_growing_text(&text, second);
    sot_growing_text(&text, third);
    return sot_growing_finish(&text, &out, NULL) == SOTTO_OK ? out : NULL;
}

/* The ledger lies beside the schema, which names it; the other outputs in the working directory. */
static sotto_status fill_names(sot_start *start, sotto_error *error)
{
    const sotto_start_config *config = &start->config;
    char *stem = stem_of(config->draft.path);
    if (stem == NULL) return sot_fail_memory(error, strlen(config->draft.path), 1);
    const char *given = config->schema_path;
    start->schema_path = given != NULL ? sot_copy_string(given)
                                       : joined(stem, strlen(stem), ".schema", ".json");
    const char *slash = given == NULL ? NULL : strrchr(given, '/');
    start->ledger_path =
        joined(given, slash == NULL ? 0 : (size_t)(slash - given) + 1, stem, ".ledger");
    const char *kind = start->config.draft.target == NULL ? ".count" : ".model";
    start->model_path = joined(stem, strlen(stem), kind, ".json");
    start->report_path = joined(stem, strlen(stem), ".report", ".html");
    start->dataset =
        sot_copy_string(config->draft.dataset != NULL ? config->draft.dataset : stem);
    sot_free(stem);
    if (start->schema_path == NULL || start->ledger_path == NULL ||
        start->model_path == NULL || start->report_path == NULL || start->dataset == NULL)
        return sot_fail_memory(error, 1, 1);
    if (strlen(start->dataset) > DATASET_BYTES) {
        if (config->draft.dataset != NULL)
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`dataset` has %zu bytes; give an id of at most 63, for "
                            "example `dataset=clinic-2026`",
                            strlen(start->dataset));
        start->dataset[DATASET_BYTES] = '\0';
    }
    return SOTTO_OK;
}

/* ---- the draft ---- */

static sotto_status read_draft(sot_start *start, const sotto_draft_config *draft,
                               sotto_error *error)
{
    sotto_json_free(start->document);
    sot_free(start->schema);
    sot_free(start->notes);
    start->document = NULL;
    start->schema = start->notes = NULL;
    sotto_status status = sotto_schema_draft(draft, &start->schema, &start->notes, error);
    if (status == SOTTO_OK)
        status = sotto_json_parse("draft", start->schema, strlen(start->schema),
                                  &start->document, error);
    if (status == SOTTO_OK)
        start->columns = sotto_json_member(sotto_json_root(start->document), "columns");
    if (status == SOTTO_OK && start->columns == NULL)
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.120s has no names of columns; give a table with a header",
                        draft->path);
    return status;
}

/* The one column that identifies people; NULL if there is none, or several. */
static const char *guess_unit(const sot_start *start)
{
    const char *found = NULL;
    for (size_t i = 0; i < sotto_json_size(start->columns); i++) {
        const char *name = sotto_json_as_text(
            sotto_json_member(sotto_json_item(start->columns, i), "name"));
        const char *target = start->config.draft.target;
        if (name == NULL || !sot_draft_names_person(name)) continue;
        if (target != NULL && strcmp(name, target) == 0) continue;
        if (found != NULL) return NULL;
        found = name;
    }
    return found;
}

/* Drafts twice: the first draft has the names, from which the unit is proposed. */
static sotto_status draft_schema(sot_start *start, char **out_unit, sotto_error *error)
{
    sotto_draft_config *draft = &start->config.draft;
    const bool guess = draft->unit == NULL;
    if (!guess && draft->unit[0] == '\0') draft->unit = NULL;
    const char *slash = strrchr(start->ledger_path, '/');
    draft->dataset = start->dataset;
    draft->ledger = slash == NULL ? start->ledger_path : slash + 1;
    draft->comments = true;
    sotto_status status = read_draft(start, draft, error);
    const char *unit = status == SOTTO_OK && guess ? guess_unit(start) : NULL;
    if (status == SOTTO_OK && unit == NULL && draft->unit == NULL &&
        draft->unit_rows > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`unit_rows` is %llu, but no column is the unit; give "
                        "`unit=person`, or leave `unit_rows` out",
                        (unsigned long long)draft->unit_rows);
    }
    if (unit == NULL) return status;
    *out_unit = sot_copy_string(unit);
    if (*out_unit == NULL) return sot_fail_memory(error, strlen(unit) + 1, 1);
    draft->unit = *out_unit;
    start->unit_is_guess = true;
    return read_draft(start, draft, error);
}

/* ---- proposals ---- */

static const sotto_json_value *find_target(const sot_start *start)
{
    for (size_t i = 0; i < sotto_json_size(start->columns); i++) {
        const sotto_json_value *column = sotto_json_item(start->columns, i);
        const char *name = sotto_json_as_text(sotto_json_member(column, "name"));
        if (name != NULL && strcmp(name, start->config.draft.target) == 0) return column;
    }
    return NULL;
}

/* By the type of the target: two classes, classes, a number. */
static const char *propose_model(const sot_start *start)
{
    if (start->config.draft.target == NULL) return NULL;
    const sotto_json_value *column = find_target(start);
    const char *type = sotto_json_as_text(sotto_json_member(column, "type"));
    const sotto_json_value *labels = sotto_json_member(
        sotto_json_member(sotto_json_root(start->document), "target"), "labels");
    const bool two = sotto_json_size(labels) == 2 ||
                     sotto_json_size(sotto_json_member(column, "values")) == 2 ||
                     (type != NULL && strcmp(type, "boolean") == 0);
    if (two) return "logistic";
    return type != NULL && strcmp(type, "category") == 0 ? "softmax" : "linear";
}

/* 1/rows^2, rounded down to a power of ten from 1e-12 to 1e-6. That is far below 1/rows, at which one random row may be
 * published. Without an estimate of the rows: 1e-9, as for 30 000 of them. */
static double propose_delta(uint64_t rows)
{
    if (rows == 0) return 1e-9;
    static const double powers[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
    size_t i = 0;
    while (i < 6 && powers[i] * (double)rows * (double)rows > 1.0)
        i++;
    return powers[i];
}

static void propose(sot_start *start)
{
    sotto_start_config *config = &start->config;
    if (config->draft.unit_rows == 0) config->draft.unit_rows = 1;
    if (config->adjacency == SOTTO_ADJACENCY_UNSET) config->adjacency = SOTTO_ADD_REMOVE;
    if (isnan(config->epsilon)) config->epsilon = 1.0;
    if (isnan(config->delta)) config->delta = propose_delta(config->expected_rows);
    start->run_epsilon = config->epsilon / 2.0;
    start->run_delta = config->delta / 2.0;
    start->model = propose_model(start);
    sot_start_fill_epsilons(start);
    sot_start_write_commands(start);
}

static sotto_status write_answers(sot_start *start, char **out_schema, char **out_json,
                                  char **out_text, sotto_error *error)
{
    char *json = NULL, *text = NULL;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < start->command_count; i++)
        if (start->commands[i].failed) status = sot_fail_memory(error, 1, 1);
    if (status == SOTTO_OK && out_json != NULL)
        status = sot_start_write_json(start, &json, error);
    if (status == SOTTO_OK && out_text != NULL)
        status = sot_start_write_text(start, &text, error);
    if (status != SOTTO_OK) {
        sot_free(json);
        return status;
    }
    if (out_json != NULL) *out_json = json;
    if (out_text != NULL) *out_text = text;
    if (out_schema != NULL) {
        *out_schema = start->schema;
        start->schema = NULL;
    }
    return SOTTO_OK;
}

sotto_status sotto_start_propose(const sotto_start_config *given, char **out_schema,
                                 char **out_json, char **out_text, sotto_error *error)
{
    sot_start start = {.schema = NULL};
    char *unit = NULL;
    sotto_status status = SOT_TAKE_WITH(start, draft, given, &start.config, error);
    if (status == SOTTO_OK) status = check_config(&start.config, error);
    if (status == SOTTO_OK) status = fill_names(&start, error);
    if (status == SOTTO_OK) status = draft_schema(&start, &unit, error);
    if (status == SOTTO_OK) {
        propose(&start);
        status = write_answers(&start, out_schema, out_json, out_text, error);
    }
    release(&start);
    sot_free(unit);
    return status;
}
