/* The columns of a table: type, bounds, categories, missing values, and the scale. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/schema/parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/text.h"
#include "data/cells/time.h"

static const sot_names types =
    SOT_NAMES(NULL, NULL, "number", "integer", "category", "boolean", "id", "ignore");
static const sot_names scalings =
    SOT_NAMES(NULL, NULL, "symmetric", "unit", "none", "affine");

SOT_DEFINE_NAME(sotto_column_type, types)
SOT_DEFINE_NAME(sotto_scaling, scalings)

void sot_schema_free_column(sotto_column *column)
{
    char **values =
        (char **)(uintptr_t)column->values; /* ours to free, const to readers */
    for (size_t i = 0; i < column->value_count; i++)
        sot_free(values[i]);
    sot_free(values);
    sot_free((char *)(uintptr_t)column->name);
    sot_free((char *)(uintptr_t)column->source);
    sot_free((double *)(uintptr_t)column->bin_edges);
}

/* ---- bounds ---- */

static const double bound_most =
    SOT_SCHEMA_BOUND_MOST; /* so that integers and sums stay exact */

/* A draft has null where people must fill in a value. */
static sotto_status check_filled(const sot_json_value *value, const char *key,
                                 const sotto_column *column, sotto_error *error)
{
    char remedy[160], shown[64];
    sot_json_value member;
    if (!sot_json_member(value, key, &member) ||
        sot_json_kind_of(&member) != SOT_JSON_NULL)
        return SOTTO_OK;
    (void)snprintf(remedy, sizeof remedy,
                   "fill in the bounds or values of the column '%s' from public "
                   "knowledge, never from its rows",
                   sot_printable(column->name, shown, sizeof shown));
    return sot_json_refuse(&member, remedy, error);
}

/* Both bounds, or none: then they are wide, and only a paid search for bounds takes the column. */
static sotto_status read_bounds(const sot_json_value *value, sotto_column *column,
                                sotto_error *error)
{
    sot_json_value member;
    sotto_status status = check_filled(value, "lower", column, error);
    if (status == SOTTO_OK) status = check_filled(value, "upper", column, error);
    if (status != SOTTO_OK) return status;
    column->bounded = sot_json_member(value, "lower", &member) ||
                      sot_json_member(value, "upper", &member);
    column->lower = -0x1p40;
    column->upper = 0x1p40;
    if (column->bounded)
        status = sot_json_get_double(value, "lower", &column->lower, error);
    if (column->bounded && status == SOTTO_OK)
        status = sot_json_get_double(value, "upper", &column->upper, error);
    if (status != SOTTO_OK) return status;
    if (!(column->lower < column->upper) || column->lower < -bound_most ||
        column->upper > bound_most) {
        (void)sot_json_member(value, "upper", &member);
        return sot_json_refuse(&member, "give bounds with lower below upper, within 2^52",
                               error);
    }
    if (column->type == SOTTO_COLUMN_INTEGER && (column->lower != floor(column->lower) ||
                                                 column->upper != floor(column->upper))) {
        return sot_json_refuse(value, "give whole numbers as bounds of an integer",
                               error);
    }
    return SOTTO_OK;
}

static sotto_status read_missing_number(const sot_json_value *value, sotto_column *column,
                                        sotto_error *error)
{
    column->missing = 0.5 * (column->lower + column->upper);
    if (column->type == SOTTO_COLUMN_INTEGER) column->missing = floor(column->missing);
    sot_json_value missing;
    if (!sot_json_member(value, "missing", &missing)) return SOTTO_OK;
    const sotto_status status = sot_json_as_double(&missing, &column->missing, error);
    if (status != SOTTO_OK) return status;
    if (!(column->missing >= column->lower && column->missing <= column->upper) ||
        (column->type == SOTTO_COLUMN_INTEGER &&
         column->missing != floor(column->missing))) {
        return sot_json_refuse(&missing, "give a value of the column, within its bounds",
                               error);
    }
    return SOTTO_OK;
}

static sotto_status read_missing_boolean(const sot_json_value *value,
                                         sotto_column *column, sotto_error *error)
{
    column->upper = 1.0;
    column->bounded = true;
    sot_json_value missing;
    if (!sot_json_member(value, "missing", &missing)) return SOTTO_OK;
    bool truth;
    const sotto_status status = sot_json_as_bool(&missing, &truth, error);
    if (status == SOTTO_OK) column->missing = truth ? 1.0 : 0.0;
    return status;
}

/* ---- the scale ---- */

static sotto_status read_affine(const sot_json_value *scale, sotto_column *column,
                                sotto_error *error)
{
    static const char *const known_keys[] = {"center", "width", NULL};
    sotto_status status = sot_json_only_keys(scale, known_keys, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(scale, "center", &column->center, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(scale, "width", &column->width, error);
    if (status != SOTTO_OK) return status;
    column->scaling = SOTTO_SCALE_AFFINE;
    /* Features within 2^53 keep every norm far from the ends of double and float. */
    const double least = 0x1p-53;
    if (!(column->width >= least && column->width <= bound_most) ||
        fabs(column->center) > bound_most ||
        fabs(column->lower - column->center) / column->width > 0x1p53 ||
        fabs(column->upper - column->center) / column->width > 0x1p53) {
        return sot_json_refuse(scale,
                               "give a center and a positive width that bring the "
                               "column's bounds to numbers like -1 and 1",
                               error);
    }
    return SOTTO_OK;
}

static void set_scale(sotto_column *column, sotto_scaling scaling)
{
    column->scaling = scaling;
    column->center = 0.0;
    column->width = 1.0;
    if (scaling == SOTTO_SCALE_SYMMETRIC) {
        column->center = 0.5 * (column->lower + column->upper);
        column->width = 0.5 * (column->upper - column->lower);
    } else if (scaling == SOTTO_SCALE_UNIT) {
        column->center = column->lower;
        column->width = column->upper - column->lower;
    }
}

static sotto_status read_scale(const sot_json_value *value, sotto_column *column,
                               sotto_error *error)
{
    static const char remedy[] =
        "give \"symmetric\", \"unit\", \"none\" or {\"center\": c, \"width\": w}";
    set_scale(column, column->type == SOTTO_COLUMN_BOOLEAN ? SOTTO_SCALE_UNIT
                                                           : SOTTO_SCALE_SYMMETRIC);
    sot_json_value scale;
    if (!sot_json_member(value, "scale", &scale)) return SOTTO_OK;
    if (!column->bounded) {
        return sot_json_refuse(&scale, "give the column lower and upper before a scale",
                               error);
    }
    if (sot_json_kind_of(&scale) == SOT_JSON_OBJECT)
        return read_affine(&scale, column, error);
    const char *name;
    if (sot_json_as_string(&scale, &name, NULL) != SOTTO_OK)
        return sot_json_refuse(&scale, remedy, error);
    int scaling = 0; /* not "affine": that is the object */
    if (!sot_value_find(&scalings, name, &scaling) || scaling == SOTTO_SCALE_AFFINE)
        return sot_json_refuse(&scale, remedy, error);
    set_scale(column, (sotto_scaling)scaling);
    return SOTTO_OK;
}

sotto_status sot_schema_read_number(const sot_json_value *value, sotto_column *column,
                                    sotto_error *error)
{
    sotto_status status = read_bounds(value, column, error);
    if (status == SOTTO_OK) status = read_missing_number(value, column, error);
    return status == SOTTO_OK ? read_scale(value, column, error) : status;
}

/* ---- categories ---- */

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
    sotto_status status = check_filled(value, "values", column, error);
    if (status == SOTTO_OK) status = sot_json_get_array(value, "values", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    if (count == 0 || count > SOT_SCHEMA_VALUES_MAX) {
        return sot_json_refuse(&list, "give between 1 and 100000 values", error);
    }
    char **values = sot_new_array(count, sizeof *values);
    if (values == NULL) return sot_fail_memory(error, count, sizeof *values);
    column->values = (const char *const *)values;
    column->value_count = count;
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_schema_copy_name(&item, &values[i], error);
        if (status != SOTTO_OK) return status;
    }
    column->upper = (double)(count - 1);
    column->bounded = true;
    /* Each value once: of a value listed twice, only one place would ever be counted. */
    const char *twice;
    status = sot_schema_find_double(column->values, count, &twice, error);
    if (status == SOTTO_OK && twice != NULL)
        return sot_json_refuse(value, "give each category once", error);
    if (status == SOTTO_OK) status = read_missing_category(value, column, error);
    set_scale(column, SOTTO_SCALE_NONE);
    return status;
}

/* ---- a column, all columns ---- */

static sotto_status read_type(const sot_json_value *value, sotto_column_type *out_type,
                              sotto_error *error)
{
    const char *name;
    sotto_status status = sot_json_get_string(value, "type", &name, error);
    if (status != SOTTO_OK) return status;
    int type = 0;
    if (sot_value_find(&types, name, &type)) {
        *out_type = (sotto_column_type)type;
        return SOTTO_OK;
    }
    sot_json_value member;
    if (!sot_json_member(value, "type", &member)) return SOTTO_INTERNAL;
    return sot_json_refuse(
        &member, "give number, integer, category, boolean, id or ignore", error);
}

static const char *const *keys_of(sotto_column_type type)
{
    static const char *const bounded[] = {"name",    "type",  "lower",     "upper",
                                          "missing", "scale", "time_unit", "bin_edges",
                                          "source",  "about", NULL};
    static const char *const category[] = {"name",    "type",   "values", "missing",
                                           "ordered", "source", "about",  NULL};
    static const char *const boolean[] = {"name",   "type",  "missing", "scale",
                                          "source", "about", NULL};
    static const char *const bare[] = {"name", "type", "source", "about", NULL};
    if (type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER) return bounded;
    if (type == SOTTO_COLUMN_CATEGORY) return category;
    return type == SOTTO_COLUMN_BOOLEAN ? boolean : bare;
}

static sotto_status read_time_unit(const sot_json_value *value, sotto_column *column,
                                   sotto_error *error)
{
    sot_json_value member;
    const char *name;
    if (!sot_json_member(value, "time_unit", &member)) return SOTTO_OK;
    if (sot_json_as_string(&member, &name, NULL) == SOTTO_OK)
        column->time_unit = sot_time_unit_of(name);
    if (column->time_unit != SOTTO_TIME_NONE) return SOTTO_OK;
    return sot_json_refuse(
        &member, "give day, hour, minute, second, millisecond or microsecond", error);
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
        status = sot_schema_copy_name(&member, (char **)(uintptr_t)&column->name, error);
    if (status == SOTTO_OK)
        status =
            sot_schema_copy_source(value, (char **)(uintptr_t)&column->source, error);
    if (status != SOTTO_OK) return status;
    set_scale(column, SOTTO_SCALE_NONE);
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        status = read_time_unit(value, column, error);
        if (status == SOTTO_OK) status = sot_schema_read_number(value, column, error);
        return status == SOTTO_OK ? sot_schema_read_bin_edges(value, column, error)
                                  : status;
    case SOTTO_COLUMN_CATEGORY:
        status = sot_schema_read_order(value, column, error);
        return status == SOTTO_OK ? read_values(value, column, error) : status;
    case SOTTO_COLUMN_BOOLEAN:
        status = read_missing_boolean(value, column, error);
        return status == SOTTO_OK ? read_scale(value, column, error) : status;
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return SOTTO_OK;
}

/* Refuses the first column, in the order of the file, whose name an earlier one has. */
static sotto_status check_names(const sot_json_value *list, const sotto_schema *schema,
                                sotto_error *error)
{
    const char **names = sot_new_array(schema->size, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, schema->size, sizeof *names);
    for (size_t i = 0; i < schema->size; i++)
        names[i] = schema->columns[i].name;
    const char *twice;
    sotto_status status = sot_schema_find_double(names, schema->size, &twice, error);
    bool before = false;
    for (size_t i = 0; status == SOTTO_OK && twice != NULL && i < schema->size; i++) {
        if (strcmp(names[i], twice) != 0) continue;
        if (before) {
            const sot_json_value item = sot_json_item(list, i);
            status = sot_json_refuse(&item, "give each column once", error);
        }
        before = true;
    }
    sot_free(names);
    return status;
}

sotto_status sot_schema_read_columns(const sot_json_value *root, sotto_schema *schema,
                                     sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(root, "columns", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t size = sot_json_size(&list);
    if (size == 0 || size > SOT_SCHEMA_COLUMNS_MAX) {
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
    }
    return check_names(&list, schema, error);
}
