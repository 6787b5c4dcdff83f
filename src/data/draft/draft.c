/* A schema drafted from a public file: the door. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/draft/parts.h"
#include "data/readers/readers.h"

void sotto_draft_set_defaults(sotto_draft_config *out_config, size_t size_bytes)
{
    const sotto_draft_config defaults = {.path = NULL};
    sot_sized_give(SOT_SIZED(draft), &defaults, out_config, size_bytes, 0);
}

void sot_draft_free(sot_draft *draft)
{
    for (size_t i = 0; i < draft->size; i++) {
        sot_draft_column *column = &draft->columns[i];
        for (size_t k = 0; k < column->value_count; k++)
            sot_free(column->values[k]);
        sot_free(column->name);
        sot_free(column->marker);
    }
    sot_free(draft->columns);
    sot_free(draft->labels);
    sot_free(draft->notes.text);
    sot_free(draft->codes.text);
    *draft = (sot_draft){0};
}

static bool is_matrix(const char *path)
{
    return sot_reader_libsvm.is_named(path, true);
}

static bool is_array(const char *path)
{
    return sot_reader_npy.is_named(path, true) || sot_reader_idx.is_named(path, true) ||
           sot_reader_cifar.is_named(path, true);
}

/* Without a header, or with one that is no text, there are no names to draft from. */
static sotto_status check_kind(const sot_draft *draft, sotto_error *error)
{
    const sotto_draft_config *config = draft->config;
    const bool states = config->header_only || config->leave_out != NULL ||
                        config->numbers != NULL || config->integers != NULL ||
                        config->booleans != NULL || config->categories != NULL ||
                        config->ids != NULL || config->other_value ||
                        config->unit != NULL || config->ledger != NULL;
    if (draft->matrix && states) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.90s is LIBSVM by its name, which has no names of columns to "
                        "draft from; give a table with a header",
                        config->path);
    }
    if (!draft->matrix && sot_reader_json_lines.is_named(config->path, false)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.90s is JSON lines by its name, and JSON lines have no header; "
                        "draft from a CSV file with one line that names the columns",
                        config->path);
    }
    return SOTTO_OK;
}

sotto_status sotto_schema_draft(const sotto_draft_config *given, char **out_json,
                                char **out_notes, sotto_error *error)
{
    sotto_draft_config own;
    const sotto_draft_config *const config = &own;
    const sotto_status taken = SOT_TAKE(draft, given, &own, error);
    if (taken != SOTTO_OK) return taken;
    if (config->path == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the file is missing: a draft needs a public one, for example survey.csv");
    }
    if (is_array(config->path)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.60s looks like an array file; write its schema, for example "
                        "{\"shape\": [28, 28], \"labels\": [0, 1], \"numbers\": "
                        "{\"lower\": 0, \"upper\": 255, \"scale\": \"unit\"}}",
                        config->path);
    }
    sot_draft draft = {.config = config, .matrix = is_matrix(config->path)};
    const sotto_status fits = check_kind(&draft, error);
    if (fits != SOTTO_OK) return fits;
    if (draft.matrix && config->target != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`target` is '%.60s', but each line of a LIBSVM file begins with "
                        "its label; leave `target` out",
                        config->target);
    }
    char *json = NULL;
    if (config->header_only) {
        sot_growing_format(&draft.notes,
                           "PUBLIC: the names of columns, read from the first line of "
                           "%.200s; nothing else of the file was looked at.\n"
                           "Types that were not stated follow from names. Fill in every "
                           "null from public knowledge, without looking at rows.\n",
                           config->path);
    } else {
        sot_growing_format(
            &draft.notes,
            "PUBLIC: every name, bound, category and label of this draft was "
            "read from %.200s.\n"
            "Use it only if that file is public. Never draft from the private data: a "
            "bound taken from the largest value publishes that value.\n",
            config->path);
    }
    sotto_status status = draft.matrix ? sot_draft_read_matrix(&draft, error)
                                       : sot_draft_read_table(&draft, error);
    if (status == SOTTO_OK) status = sot_draft_write(&draft, &json, error);
    if (status == SOTTO_OK) status = sot_growing_finish(&draft.notes, out_notes, error);
    if (status == SOTTO_OK) {
        *out_json = json;
    } else {
        sot_free(json);
    }
    sot_draft_free(&draft);
    return status;
}
