#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/schema.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

enum { COLUMNS_MAX = 65536, VALUES_MAX = 100000, NAME_BYTES_MAX = 256 };
static const size_t size_max_bytes = (size_t)16 << 20;

struct sotto_schema {
    char *dataset;
    char *ledger;
    char *unit;
    uint64_t unit_rows;
    sotto_column *columns;
    size_t size;
};

static const char *const type_names[] = {"number",  "integer", "category",
                                         "boolean", "id",      "ignore"};
enum { TYPES = sizeof type_names / sizeof type_names[0] };

const char *sotto_column_type_name(sotto_column_type type)
{
    const int index = (int)type - 1;
    return index >= 0 && index < TYPES ? type_names[index] : "unknown";
}

/* ---- copying what the schema keeps ---- */

/* Public text, but it ends up in messages, file names and reports: printable UTF-8 only. */
static sotto_status copy_name(const sot_json_value *value, char **out_copy,
                              sotto_error *error)
{
    const char *text;
    const sotto_status status = sot_json_as_string(value, &text, error);
    if (status != SOTTO_OK) return status;
    const size_t length = strlen(text);
    if (length == 0 || length >= NAME_BYTES_MAX) {
        return sot_json_refuse(value, "give between 1 and 255 bytes of text", error);
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x20) {
            return sot_json_refuse(value, "leave out control characters", error);
        }
    }
    *out_copy = sot_copy_string(text);
    return *out_copy == NULL ? sot_fail_memory(error, length + 1, 1) : SOTTO_OK;
}

static sotto_status optional_name(const sot_json_value *object, const char *key,
                                  char **out_copy, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_OK;
    return copy_name(&member, out_copy, error);
}

/* ---- columns ---- */

static void free_column(sotto_column *column)
{
    char **values =
        (char **)(uintptr_t)column->values; /* ours to free, const to readers */
    for (size_t i = 0; i < column->value_count; i++)
        sot_free(values[i]);
    sot_free(values);
    sot_free((char *)(uintptr_t)column->name);
}

/* Both bounds, or none: then they are wide, and only a paid search for bounds takes the column. */
static sotto_status read_bounds(const sot_json_value *value, sotto_column *column,
                                sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_json_value member;
    column->bounded = sot_json_member(value, "lower", &member) ||
                      sot_json_member(value, "upper", &member);
    column->lower = -0x1p40;
    column->upper = 0x1p40;
    if (column->bounded)
        status = sot_json_get_double(value, "lower", &column->lower, error);
    if (column->bounded && status == SOTTO_OK)
        status = sot_json_get_double(value, "upper", &column->upper, error);
    if (status != SOTTO_OK) return status;
    const double largest = 0x1p52; /* so that integers and sums stay exact */
    if (!(column->lower < column->upper) || column->lower < -largest ||
        column->upper > largest) {
        return sot_json_refuse(value, "give bounds with lower below upper, within 2^52",
                               error);
    }
    if (column->type == SOTTO_COLUMN_INTEGER && (column->lower != floor(column->lower) ||
                                                 column->upper != floor(column->upper))) {
        return sot_json_refuse(value, "give whole numbers as bounds of an integer",
                               error);
    }
    column->missing = 0.5 * (column->lower + column->upper);
    if (column->type == SOTTO_COLUMN_INTEGER) column->missing = floor(column->missing);
    sot_json_value missing;
    if (!sot_json_member(value, "missing", &missing)) return SOTTO_OK;
    status = sot_json_as_double(&missing, &column->missing, error);
    if (status != SOTTO_OK) return status;
    if (!(column->missing >= column->lower && column->missing <= column->upper) ||
        (column->type == SOTTO_COLUMN_INTEGER &&
         column->missing != floor(column->missing))) {
        return sot_json_refuse(&missing, "give a value of the column, within its bounds",
                               error);
    }
    return SOTTO_OK;
}

static sotto_status read_missing_category(const sot_json_value *value,
                                          sotto_column *column, sotto_error *error)
{
    sot_json_value missing;
    if (!sot_json_member(value, "missing", &missing)) return SOTTO_OK;
    const char *text;
    const sotto_status status = sot_json_as_string(&missing, &text, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < column->value_count; i++) {
        if (strcmp(column->values[i], text) == 0) {
            column->missing = (double)i;
            return SOTTO_OK;
        }
    }
    return sot_json_refuse(&missing, "give one of the column's values", error);
}

static sotto_status read_values(const sot_json_value *value, sotto_column *column,
                                sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(value, "values", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    if (count == 0 || count > VALUES_MAX) {
        return sot_json_refuse(&list, "give between 1 and 100000 values", error);
    }
    char **values = sot_new_array(count, sizeof *values);
    if (values == NULL) return sot_fail_memory(error, count, sizeof *values);
    column->values = (const char *const *)values;
    column->value_count = count;
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = copy_name(&item, &values[i], error);
        if (status != SOTTO_OK) return status;
    }
    column->upper = (double)(count - 1);
    column->bounded = true;
    return read_missing_category(value, column, error);
}

static int compare_values(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each value once: of a value listed twice, only one place would ever be counted. */
static sotto_status check_distinct(const sot_json_value *value,
                                   const sotto_column *column, sotto_error *error)
{
    const size_t count = column->value_count;
    const char **sorted = sot_new_array(count, sizeof *sorted);
    if (sorted == NULL) return sot_fail_memory(error, count, sizeof *sorted);
    memcpy(sorted, column->values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_values);
    sotto_status status = SOTTO_OK;
    for (size_t i = 1; i < count && status == SOTTO_OK; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            status = sot_json_refuse(value, "give each category once", error);
        }
    }
    sot_free(sorted);
    return status;
}

static sotto_status read_type(const sot_json_value *value, sotto_column_type *out_type,
                              sotto_error *error)
{
    const char *name;
    sotto_status status = sot_json_get_string(value, "type", &name, error);
    if (status != SOTTO_OK) return status;
    for (int i = 0; i < TYPES; i++) {
        if (strcmp(type_names[i], name) == 0) {
            *out_type = (sotto_column_type)(i + 1);
            return SOTTO_OK;
        }
    }
    sot_json_value member;
    if (!sot_json_member(value, "type", &member)) return SOTTO_INTERNAL;
    return sot_json_refuse(
        &member, "give number, integer, category, boolean, id or ignore", error);
}

static const char *const *keys_of(sotto_column_type type)
{
    static const char *const bounded[] = {"name",  "type",    "lower",
                                          "upper", "missing", NULL};
    static const char *const category[] = {"name", "type", "values", "missing", NULL};
    static const char *const boolean[] = {"name", "type", "missing", NULL};
    static const char *const bare[] = {"name", "type", NULL};
    if (type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER) return bounded;
    if (type == SOTTO_COLUMN_CATEGORY) return category;
    return type == SOTTO_COLUMN_BOOLEAN ? boolean : bare;
}

static sotto_status read_column(const sot_json_value *value, sotto_column *column,
                                sotto_error *error)
{
    sotto_status status = sot_json_as_object(value, error);
    if (status == SOTTO_OK) status = read_type(value, &column->type, error);
    if (status == SOTTO_OK)
        status = sot_json_only_keys(value, keys_of(column->type), error);
    sot_json_value member;
    if (status == SOTTO_OK && !sot_json_member(value, "name", &member)) {
        status = sot_json_refuse(value, "give the column a name", error);
    }
    if (status == SOTTO_OK)
        status = copy_name(&member, (char **)(uintptr_t)&column->name, error);
    if (status != SOTTO_OK) return status;
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        return read_bounds(value, column, error);
    case SOTTO_COLUMN_CATEGORY:
        status = read_values(value, column, error);
        return status == SOTTO_OK ? check_distinct(value, column, error) : status;
    case SOTTO_COLUMN_BOOLEAN:
        column->upper = 1.0;
        column->bounded = true;
        if (sot_json_member(value, "missing", &member)) {
            bool missing;
            status = sot_json_as_bool(&member, &missing, error);
            if (status == SOTTO_OK) column->missing = missing ? 1.0 : 0.0;
        }
        return status;
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return SOTTO_OK;
}

static sotto_status read_columns(const sot_json_value *root, sotto_schema *schema,
                                 sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(root, "columns", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t size = sot_json_size(&list);
    if (size == 0 || size > COLUMNS_MAX) {
        return sot_json_refuse(&list, "give between 1 and 65536 columns", error);
    }
    schema->columns = sot_new_array(size, sizeof *schema->columns);
    if (schema->columns == NULL)
        return sot_fail_memory(error, size, sizeof *schema->columns);
    for (size_t i = 0; i < size; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        schema->size = i + 1; /* counted first, so that a half-read column is freed */
        status = read_column(&item, &schema->columns[i], error);
        if (status != SOTTO_OK) return status;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(schema->columns[k].name, schema->columns[i].name) == 0) {
                return sot_json_refuse(&item, "give each column once", error);
            }
        }
    }
    return SOTTO_OK;
}

static sotto_status read_unit(const sot_json_value *root, sotto_schema *schema,
                              sotto_error *error)
{
    static const char *const known_keys[] = {"column", "rows", NULL};
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
    if (status == SOTTO_OK) status = copy_name(&member, &schema->unit, error);
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
    static const char *const known_keys[] = {"dataset", "ledger", "unit", "columns",
                                             NULL};
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, known_keys, error);
    if (status == SOTTO_OK)
        status = optional_name(root, "dataset", &schema->dataset, error);
    if (status == SOTTO_OK)
        status = optional_name(root, "ledger", &schema->ledger, error);
    if (status == SOTTO_OK) status = read_columns(root, schema, error);
    if (status == SOTTO_OK) status = read_unit(root, schema, error);
    return status;
}

/* ---- the public door ---- */

sotto_status sotto_schema_parse(const char *name, const char *json, size_t size_bytes,
                                sotto_schema **out_schema, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_schema *schema = sot_new_array(1, sizeof *schema);
    if (schema == NULL) return sot_fail_memory(error, 1, sizeof *schema);
    sotto_status status =
        sot_json_parse(name, json, size_bytes, size_max_bytes, &document, error);
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
    sotto_status status = sot_file_read(path, size_max_bytes, &text, &size_bytes, error);
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
        free_column(&schema->columns[i]);
    sot_free(schema->columns);
    sot_free(schema->dataset);
    sot_free(schema->ledger);
    sot_free(schema->unit);
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
    char shown[64];
    const sotto_status status =
        sot_fail(error, SOTTO_INVALID_ARGUMENT, "the schema has no column '%s'%s%s%s",
                 sot_printable(name, shown, sizeof shown),
                 nearest == NULL ? "" : "; did you mean '",
                 nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'?");
    sot_free(names);
    return status;
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
