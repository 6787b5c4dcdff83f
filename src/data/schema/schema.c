#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/schema.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/json/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema/parts.h"

/* ---- common functions ---- */

sotto_status sot_schema_copy_name(const sot_json_value *value, char **out_copy,
                                  sotto_error *error)
{
    const char *text;
    const sotto_status status = sot_json_as_string(value, &text, error);
    if (status != SOTTO_OK) return status;
    const size_t length = strlen(text);
    if (length == 0 || length >= SOT_SCHEMA_NAME_BYTES_MAX) {
        return sot_json_refuse(value, "give between 1 and 255 bytes of text", error);
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x20) {
            return sot_json_refuse(value, "leave out control characters", error);
        }
    }
    return sot_copy_text(text, out_copy, error);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

sotto_status sot_schema_find_double(const char *const *texts, size_t count,
                                    const char **out_double, sotto_error *error)
{
    *out_double = NULL;
    const char **sorted = sot_new_array(count, sizeof *sorted);
    if (sorted == NULL) return sot_fail_memory(error, count, sizeof *sorted);
    if (count > 0) memcpy(sorted, texts, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (size_t i = 1; i < count && *out_double == NULL; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) *out_double = sorted[i];
    }
    sot_free(sorted);
    return SOTTO_OK;
}

/* ---- the whole ---- */

static sotto_status optional_name(const sot_json_value *object, const char *key,
                                  char **out_copy, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_OK;
    return sot_schema_copy_name(&member, out_copy, error);
}

sotto_status sot_schema_copy_source(const sot_json_value *object, char **out_copy,
                                    sotto_error *error)
{
    char *comment = NULL;
    sotto_status status = optional_name(object, "about", &comment, error);
    sot_free(comment);
    return status == SOTTO_OK ? optional_name(object, "source", out_copy, error) : status;
}

static sotto_status read_unit(const sot_json_value *root, sotto_schema *schema,
                              sotto_error *error)
{
    static const char *const known_keys[] = {"column", "rows", "source", "about", NULL};
    sot_json_value unit;
    if (!sot_json_member(root, "unit", &unit)) return SOTTO_OK;
    int64_t rows = 0;
    sot_json_value member;
    sotto_status status = sot_json_as_object(&unit, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(&unit, known_keys, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(&unit, "rows", &rows, error);
    if (status == SOTTO_OK && !sot_json_member(&unit, "column", &member)) {
        status = sot_json_refuse(&unit, "name the id column", error);
    }
    if (status == SOTTO_OK) status = sot_schema_copy_name(&member, &schema->unit, error);
    if (status == SOTTO_OK)
        status = sot_schema_copy_source(&unit, &schema->unit_source, error);
    if (status != SOTTO_OK) return status;
    if (rows < 1 || rows > 1000000) {
        return sot_json_refuse(&unit, "give rows between 1 and 1000000", error);
    }
    size_t index;
    if (sotto_schema_find(schema, schema->unit, &index, NULL) != SOTTO_OK ||
        schema->columns[index].type != SOTTO_COLUMN_ID) {
        return sot_json_refuse(&member, "name a column of type id", error);
    }
    schema->unit_rows = (uint64_t)rows;
    return SOTTO_OK;
}

static sotto_status read_schema(const sot_json_value *root, sotto_schema *schema,
                                sotto_error *error)
{
    static const char *const known_keys[] = {
        "about",     "dataset",   "ledger",       "unit",   "columns",       "target",
        "features",  "shape",     "numbers",      "labels", "default_label", "row_norm",
        "intercept", "exclusive", "interactions", NULL};
    sot_json_value member;
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, known_keys, error);
    if (status == SOTTO_OK) status = optional_name(root, "about", &schema->about, error);
    if (status == SOTTO_OK)
        status = optional_name(root, "dataset", &schema->dataset, error);
    if (status == SOTTO_OK)
        status = optional_name(root, "ledger", &schema->ledger, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_member(root, "features", &member) ||
        (sot_json_member(root, "shape", &member) &&
         !sot_json_member(root, "columns", &member))) {
        if (sot_json_member(root, "interactions", &member) ||
            sot_json_member(root, "exclusive", &member))
            status = sot_json_refuse(
                &member, "leave it out: it names columns, and a matrix has none", error);
        if (status == SOTTO_OK) status = sot_schema_read_matrix(root, schema, error);
    } else if (!sot_json_member(root, "columns", &member)) {
        status = sot_json_refuse(
            root, "describe a table with \"columns\", or a matrix with \"features\"",
            error);
    } else if (sot_json_member(root, "shape", &member) ||
               sot_json_member(root, "numbers", &member)) {
        status = sot_json_refuse(
            &member, "leave it out: it belongs to a matrix, and a table has \"columns\"",
            error);
    } else {
        status = sot_schema_read_columns(root, schema, error);
        if (status == SOTTO_OK) status = read_unit(root, schema, error);
        if (status == SOTTO_OK) status = sot_schema_read_relations(root, schema, error);
    }
    return status == SOTTO_OK ? sot_schema_read_learning(root, schema, error) : status;
}

/* ---- the public door ---- */

sotto_status sotto_schema_parse(const char *name, const char *json, size_t size_bytes,
                                sotto_schema **out_schema, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_schema *schema = sot_new_array(1, sizeof *schema);
    if (schema == NULL) return sot_fail_memory(error, 1, sizeof *schema);
    sotto_status status =
        sot_json_parse(name, json, size_bytes, SOT_SCHEMA_BYTES_MAX, &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = read_schema(&root, schema, error);
    }
    sot_json_free(document);
    if (status != SOTTO_OK) {
        sotto_schema_free(schema);
        return status;
    }
    *out_schema = schema;
    return SOTTO_OK;
}

/* A relative ledger path becomes relative to where the schema lies. */
static sotto_status anchor_ledger(sotto_schema *schema, const char *path,
                                  sotto_error *error)
{
    const char *slash = strrchr(path, '/');
    if (schema->ledger == NULL || schema->ledger[0] == '/' || slash == NULL)
        return SOTTO_OK;
    const size_t directory = (size_t)(slash - path) + 1;
    const size_t length = strlen(schema->ledger);
    char *joined = sot_new_array(directory + length + 1, 1);
    if (joined == NULL) return sot_fail_memory(error, directory + length + 1, 1);
    memcpy(joined, path, directory);
    memcpy(joined + directory, schema->ledger, length + 1);
    sot_free(schema->ledger);
    schema->ledger = joined;
    return SOTTO_OK;
}

sotto_status sotto_schema_load(const char *path, sotto_schema **out_schema,
                               sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_schema *schema = NULL;
    sotto_status status =
        sot_file_read(path, SOT_SCHEMA_BYTES_MAX, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    status = sotto_schema_parse(path, text, size_bytes, &schema, error);
    sot_free(text);
    if (status == SOTTO_OK) status = anchor_ledger(schema, path, error);
    if (status != SOTTO_OK) {
        sotto_schema_free(schema);
        return status;
    }
    *out_schema = schema;
    return SOTTO_OK;
}

void sotto_schema_free(sotto_schema *schema)
{
    if (schema == NULL) return;
    for (size_t i = 0; i < schema->size; i++)
        sot_schema_free_column(&schema->columns[i]);
    sot_free(schema->columns);
    sot_schema_free_lists(&schema->interactions);
    sot_schema_free_lists(&schema->exclusive);
    sot_target_free(&schema->target);
    sot_free(schema->about);
    sot_free(schema->dataset);
    sot_free(schema->ledger);
    sot_free(schema->unit);
    sot_free(schema->unit_source);
    sot_free(schema->target_source);
    sot_free(schema->row_norm_source);
    sot_free((char *)(uintptr_t)schema->numbers.source);
    sot_free(schema);
}

size_t sotto_schema_size(const sotto_schema *schema)
{
    return schema->size;
}

const sotto_column *sotto_schema_column(const sotto_schema *schema, size_t index)
{
    assert(index < schema->size);
    return &schema->columns[index];
}

sotto_status sotto_schema_find(const sotto_schema *schema, const char *name,
                               size_t *out_index, sotto_error *error)
{
    for (size_t i = 0; i < schema->size; i++) {
        if (strcmp(schema->columns[i].name, name) == 0) {
            *out_index = i;
            return SOTTO_OK;
        }
    }
    if (error == NULL) return SOTTO_INVALID_ARGUMENT;
    const char **names = sot_new_array(schema->size + 1, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, schema->size + 1, sizeof *names);
    for (size_t i = 0; i < schema->size; i++)
        names[i] = schema->columns[i].name;
    const char *nearest = sot_nearest_word(name, names);
    char shown[64], list[SOTTO_MESSAGE_BYTES / 2] = "";
    size_t listed = 0;
    for (size_t used = 0; listed < schema->size && used <= sizeof list / 3; listed++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s",
                                 listed == 0 ? "" : ", ", names[listed]);
    const sotto_status status =
        sot_fail(error, SOTTO_INVALID_ARGUMENT, "the schema has no column '%s'; %s%s%s%s",
                 sot_printable(name, shown, sizeof shown),
                 nearest == NULL ? "it has " : "did you mean '",
                 nearest == NULL ? list : nearest, nearest == NULL ? "" : "'?",
                 nearest == NULL && listed < schema->size ? ", ..." : "");
    sot_free(names);
    return status;
}

const char *sotto_schema_about(const sotto_schema *schema)
{
    return schema->about;
}

const char *sotto_schema_dataset(const sotto_schema *schema)
{
    return schema->dataset;
}

const char *sotto_schema_ledger(const sotto_schema *schema)
{
    return schema->ledger;
}

const char *sotto_schema_unit(const sotto_schema *schema)
{
    return schema->unit;
}

uint64_t sotto_schema_unit_rows(const sotto_schema *schema)
{
    return schema->unit_rows;
}

bool sotto_schema_is_matrix(const sotto_schema *schema)
{
    return schema->features > 0;
}

size_t sotto_schema_features(const sotto_schema *schema)
{
    return schema->features;
}

const sotto_target *sotto_schema_target(const sotto_schema *schema)
{
    return schema->has_target ? &schema->target : NULL;
}

sotto_row_norm sotto_schema_row_norm(const sotto_schema *schema)
{
    return schema->row_norm;
}

double sotto_schema_intercept(const sotto_schema *schema)
{
    return schema->intercept;
}
