/* The target of predictions and the public set of its labels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/schema/parts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema/friendly.h"

void sot_target_free(sotto_target *target)
{
    char **labels = (char **)(uintptr_t)target->labels; /* ours, const to readers */
    for (size_t i = 0; labels != NULL && i < target->label_count; i++)
        sot_free(labels[i]);
    sot_free(labels);
    sot_free((double *)(uintptr_t)target->codes);
    *target = (sotto_target){0};
}

/* Makes room for `count` labels; sets label_count, so that values filled in later are
 * freed. */
static sotto_status make_room(sotto_target *target, size_t count, char ***out_labels,
                              double **out_codes, sotto_error *error)
{
    char **labels = sot_new_array(count, sizeof *labels);
    double *codes = sot_new_array(count, sizeof *codes);
    target->labels = (const char *const *)labels;
    target->codes = codes;
    target->label_count = labels == NULL ? 0 : count;
    *out_labels = labels;
    *out_codes = codes;
    return labels == NULL || codes == NULL ? sot_fail_memory(error, count, sizeof *labels)
                                           : SOTTO_OK;
}

static char *label_of_number(const char *prefix, double number)
{
    char digits[SOT_DOUBLE_TEXT_BYTES];
    char text[SOT_DOUBLE_TEXT_BYTES + 8];
    (void)snprintf(text, sizeof text, "%s%s", prefix, sot_plain_number(number, digits));
    return sot_copy_string(text);
}

static sotto_status set_names(sotto_target *target, const char *const *names,
                              size_t count, sotto_error *error)
{
    char **labels;
    double *codes;
    sotto_status status = make_room(target, count, &labels, &codes, error);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        codes[i] = (double)i;
        labels[i] = sot_copy_string(names[i]);
        if (labels[i] == NULL) status = sot_fail_memory(error, 1, strlen(names[i]) + 1);
    }
    return status;
}

sotto_status sot_target_of_column(const sotto_schema *schema, size_t index,
                                  sotto_target *out_target, sotto_error *error)
{
    static const char *const truth[] = {"false", "true"};
    const sotto_column *column = &schema->columns[index];
    *out_target = (sotto_target){.column = column->name, .index = index};
    sotto_status status = SOTTO_OK;
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        out_target->bounded = column->bounded;
        out_target->lower = column->lower;
        out_target->upper = column->upper;
        out_target->missing_number = column->missing;
        return SOTTO_OK;
    case SOTTO_COLUMN_CATEGORY:
        status = set_names(out_target, column->values, column->value_count, error);
        break;
    case SOTTO_COLUMN_BOOLEAN:
        status = set_names(out_target, truth, 2, error);
        break;
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column '%.60s' is of type %s and is not read; a target is a "
                        "category, a boolean, a number or an integer",
                        column->name, sotto_column_type_name(column->type));
    }
    out_target->missing = (size_t)column->missing;
    if (status != SOTTO_OK) sot_target_free(out_target);
    return status;
}

sotto_status sot_schema_choose_target(const sotto_schema *schema, const char *name,
                                      sotto_target *out_own,
                                      const sotto_target **out_target, sotto_error *error)
{
    *out_target = sotto_schema_target(schema);
    if (name == NULL) return SOTTO_OK;
    if (schema->features > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a matrix carries its own label and has no columns to choose a "
                        "target from; leave the target out");
    }
    if (*out_target != NULL && strcmp((*out_target)->column, name) == 0) return SOTTO_OK;
    size_t index;
    sotto_status status = sotto_schema_find(schema, name, &index, error);
    if (status == SOTTO_OK) status = sot_target_of_column(schema, index, out_own, error);
    if (status == SOTTO_OK) *out_target = out_own;
    return status;
}

/* ---- label sets ---- */

static sotto_status check_count(const sot_json_value *list, size_t least, size_t most,
                                sotto_error *error)
{
    const sotto_status status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(list);
    if (count >= least && count <= most) return SOTTO_OK;
    return sot_json_refuse(list,
                           most == 2 ? "give two labels, the positive one second"
                                     : "give between 2 and 1000 labels",
                           error);
}

static sotto_status check_distinct(const sot_json_value *list, const sotto_target *target,
                                   sotto_error *error)
{
    const char *twice;
    const sotto_status status =
        sot_schema_find_double(target->labels, target->label_count, &twice, error);
    if (status != SOTTO_OK || twice == NULL) return status;
    return sot_json_refuse(list, "give each label once", error);
}

/* Labels that are numbers: the target is where the cell equals one of them. */
static sotto_status read_numbers(const sot_json_value *list, const sotto_column *column,
                                 sotto_target *target, sotto_error *error)
{
    char **labels;
    double *codes;
    sotto_status status = check_count(list, 2, SOT_SCHEMA_LABELS_MAX, error);
    if (status == SOTTO_OK)
        status = make_room(target, sot_json_size(list), &labels, &codes, error);
    for (size_t i = 0; status == SOTTO_OK && i < target->label_count; i++) {
        const sot_json_value item = sot_json_item(list, i);
        if (sot_json_as_double(&item, &codes[i], NULL) != SOTTO_OK) {
            return sot_json_refuse(
                &item,
                column == NULL ? "give a number: the labels of a matrix are numbers"
                               : "give a number that the column holds; names are for "
                                 "\"above\", a threshold",
                error);
        }
        codes[i] += 0.0; /* -0 is 0 */
        if (column != NULL &&
            (codes[i] < column->lower || codes[i] > column->upper ||
             (column->type == SOTTO_COLUMN_INTEGER && codes[i] != floor(codes[i])))) {
            return sot_json_refuse(
                &item, "give a label that the column's type and bounds allow", error);
        }
        labels[i] = label_of_number("", codes[i]);
        if (labels[i] == NULL) status = sot_fail_memory(error, 1, SOT_DOUBLE_TEXT_BYTES);
    }
    return status == SOTTO_OK ? check_distinct(list, target, error) : status;
}

/* Reads labels that are names. For a category they are some of its values, in the wanted order.
 * Otherwise they are the names of false and true, or of below and above a threshold. */
static sotto_status read_names(const sot_json_value *list, const sotto_column *column,
                               sotto_target *target, sotto_error *error)
{
    const bool category = column->type == SOTTO_COLUMN_CATEGORY;
    char **labels;
    double *codes;
    sotto_status status =
        check_count(list, 2, category ? SOT_SCHEMA_LABELS_MAX : 2, error);
    if (status == SOTTO_OK)
        status = make_room(target, sot_json_size(list), &labels, &codes, error);
    for (size_t i = 0; status == SOTTO_OK && i < target->label_count; i++) {
        const sot_json_value item = sot_json_item(list, i);
        status = sot_schema_copy_name(&item, &labels[i], error);
        if (status != SOTTO_OK) break;
        size_t code = category ? 0 : i;
        while (category && code < column->value_count &&
               strcmp(column->values[code], labels[i]) != 0)
            code++;
        if (category && code == column->value_count)
            return sot_json_refuse(&item, "give a label that is a value of the column",
                                   error);
        codes[i] = (double)code;
    }
    return status == SOTTO_OK ? check_distinct(list, target, error) : status;
}

/* Reads the label of values outside the label set. */
static sotto_status read_default(const sot_json_value *value, sotto_target *target,
                                 sotto_error *error)
{
    const char *text = NULL;
    double number = 0.0;
    const bool named = sot_json_as_string(value, &text, NULL) == SOTTO_OK;
    if (!named && sot_json_as_double(value, &number, NULL) != SOTTO_OK)
        return sot_json_refuse(value, "give one of the labels", error);
    char *printed = named ? sot_copy_string(text) : label_of_number("", number + 0.0);
    if (printed == NULL) return sot_fail_memory(error, 1, SOT_DOUBLE_TEXT_BYTES);
    size_t found = 0;
    while (found < target->label_count && strcmp(target->labels[found], printed) != 0)
        found++;
    sot_free(printed);
    if (found == target->label_count)
        return sot_json_refuse(value, "give one of the labels", error);
    target->missing = found;
    return SOTTO_OK;
}

/* ---- the target ---- */

static sotto_status find_column(const sot_json_value *value, const sotto_schema *schema,
                                size_t *out_index, sotto_error *error)
{
    const char *name;
    sotto_error found;
    if (sot_json_as_string(value, &name, NULL) != SOTTO_OK) {
        return sot_json_refuse(
            value, "give the name of a column, or {\"column\": ..., \"labels\": [...]}",
            error);
    }
    const sotto_status status = sotto_schema_find(schema, name, out_index, &found);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", found.message);
    if (status != SOTTO_OK) {
        char remedy[128];
        const char *hint = strstr(found.message, "did you mean");
        (void)snprintf(remedy, sizeof remedy, "name a column of the schema%s%s",
                       hint == NULL ? "" : "; ", hint == NULL ? "" : hint);
        return sot_json_refuse(value, remedy, error);
    }
    const sotto_column_type type = schema->columns[*out_index].type;
    if (type == SOTTO_COLUMN_ID || type == SOTTO_COLUMN_IGNORE) {
        return sot_json_refuse(
            value, "name a column that is a number, integer, category or boolean", error);
    }
    return SOTTO_OK;
}

static sotto_status read_threshold(const sot_json_value *above,
                                   const sotto_column *column, sotto_target *target,
                                   sotto_error *error)
{
    const sotto_status status = sot_json_as_double(above, &target->above, error);
    if (status != SOTTO_OK) return status;
    if (column->type != SOTTO_COLUMN_NUMBER && column->type != SOTTO_COLUMN_INTEGER) {
        return sot_json_refuse(above, "leave it out: only a number has a threshold",
                               error);
    }
    if (!(target->above >= column->lower && target->above < column->upper)) {
        return sot_json_refuse(
            above, "give a threshold within the column's bounds and below upper", error);
    }
    target->above += 0.0; /* -0 is 0 */
    target->threshold = true;
    return SOTTO_OK;
}

/* "<=2.5" and ">2.5". */
static sotto_status name_threshold(sotto_target *target, sotto_error *error)
{
    char **labels;
    double *codes;
    const sotto_status status = make_room(target, 2, &labels, &codes, error);
    if (status != SOTTO_OK) return status;
    codes[1] = 1.0;
    labels[0] = label_of_number("<=", target->above);
    labels[1] = label_of_number(">", target->above);
    return labels[0] == NULL || labels[1] == NULL
               ? sot_fail_memory(error, 2, SOT_DOUBLE_TEXT_BYTES)
               : SOTTO_OK;
}

/* Replaces the column's own labels by those that the schema lists. */
static sotto_status read_labels(const sot_json_value *value, const sotto_column *column,
                                sotto_target *target, sotto_error *error)
{
    sot_json_value list;
    if (!sot_json_member(value, "labels", &list))
        return target->threshold ? name_threshold(target, error) : SOTTO_OK;
    const sotto_target kept = *target;
    sot_target_free(target);
    *target = (sotto_target){.column = kept.column,
                             .index = kept.index,
                             .threshold = kept.threshold,
                             .above = kept.above};
    const bool number =
        column->type == SOTTO_COLUMN_NUMBER || column->type == SOTTO_COLUMN_INTEGER;
    const sotto_status status = number && !target->threshold
                                    ? read_numbers(&list, column, target, error)
                                    : read_names(&list, column, target, error);
    for (size_t i = 0; status == SOTTO_OK && !number && i < target->label_count; i++) {
        if (target->codes[i] == column->missing) target->missing = i;
    }
    return status;
}

sotto_status sot_schema_read_target(const sot_json_value *value, sotto_schema *schema,
                                    sotto_error *error)
{
    static const char *const known_keys[] = {"column", "labels", "default", "above",
                                             "source", "about",  NULL};
    const bool object = sot_json_kind_of(value) == SOT_JSON_OBJECT;
    sot_json_value name = *value;
    sot_json_value member;
    size_t index;
    sotto_status status =
        object ? sot_json_only_keys(value, known_keys, error) : SOTTO_OK;
    if (status == SOTTO_OK && object && !sot_json_member(value, "column", &name))
        status = sot_json_refuse(value, "name the target's column", error);
    if (status == SOTTO_OK) status = find_column(&name, schema, &index, error);
    if (status == SOTTO_OK)
        status = sot_target_of_column(schema, index, &schema->target, error);
    schema->has_target = status == SOTTO_OK;
    if (status != SOTTO_OK || !object) return status;
    const sotto_column *column = &schema->columns[index];
    status = sot_schema_copy_source(value, &schema->target_source, error);
    if (status == SOTTO_OK && sot_json_member(value, "above", &member))
        status = read_threshold(&member, column, &schema->target, error);
    if (status == SOTTO_OK) status = read_labels(value, column, &schema->target, error);
    if (schema->target.label_count > 0) { /* a class, not a number */
        schema->target.bounded = false;
        schema->target.lower = schema->target.upper = 0.0;
        schema->target.missing_number = 0.0;
    }
    if (schema->target.threshold)
        schema->target.missing = column->missing > schema->target.above ? 1 : 0;
    if (status != SOTTO_OK || !sot_json_member(value, "default", &member)) return status;
    if (schema->target.threshold || column->type == SOTTO_COLUMN_BOOLEAN) {
        return sot_json_refuse(
            &member, "leave it out: the column's \"missing\" decides the label", error);
    }
    return read_default(&member, &schema->target, error);
}

/* ---- of a matrix ---- */

static sotto_status read_matrix_labels(const sot_json_value *root, sotto_schema *schema,
                                       sotto_error *error)
{
    sot_json_value member;
    sotto_status status = sot_json_get_array(root, "labels", &member, error);
    schema->has_target = status == SOTTO_OK;
    if (status == SOTTO_OK) status = read_numbers(&member, NULL, &schema->target, error);
    if (status == SOTTO_OK && sot_json_member(root, "default_label", &member))
        status = read_default(&member, &schema->target, error);
    return status;
}

/* The bounds of a number that the rows of a matrix carry. */
static sotto_status read_range(const sot_json_value *value, sotto_target *target,
                               sotto_error *error)
{
    static const char *const known_keys[] = {"lower",  "upper", "missing",
                                             "source", "about", NULL};
    sot_json_value member;
    if (sot_json_kind_of(value) != SOT_JSON_OBJECT) {
        return sot_json_refuse(
            value, "give the bounds of each row's number: {\"lower\": 0, \"upper\": 1}",
            error);
    }
    sotto_status status = sot_json_only_keys(value, known_keys, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(value, "lower", &target->lower, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(value, "upper", &target->upper, error);
    if (status != SOTTO_OK) return status;
    if (!(target->lower < target->upper) || target->lower < -SOT_SCHEMA_BOUND_MOST ||
        target->upper > SOT_SCHEMA_BOUND_MOST) {
        (void)sot_json_member(value, "upper", &member);
        return sot_json_refuse(&member, "give bounds with lower below upper, within 2^52",
                               error);
    }
    target->bounded = true;
    target->lower += 0.0; /* -0 is 0 */
    target->upper += 0.0;
    target->missing_number = 0.5 * (target->lower + target->upper);
    if (!sot_json_member(value, "missing", &member)) return SOTTO_OK;
    status = sot_json_as_double(&member, &target->missing_number, error);
    if (status != SOTTO_OK) return status;
    target->missing_number += 0.0;
    if (target->missing_number >= target->lower &&
        target->missing_number <= target->upper)
        return SOTTO_OK;
    return sot_json_refuse(&member, "give a number within the target's bounds", error);
}

sotto_status sot_schema_read_matrix_target(const sot_json_value *root,
                                           sotto_schema *schema, sotto_error *error)
{
    sot_json_value target, member;
    if (!sot_json_member(root, "target", &target))
        return read_matrix_labels(root, schema, error);
    if (sot_json_member(root, "labels", &member) ||
        sot_json_member(root, "default_label", &member)) {
        return sot_json_refuse(&member,
                               "a matrix has \"labels\" for classes or a \"target\" with "
                               "bounds for numbers, not both",
                               error);
    }
    schema->has_target = true;
    const sotto_status status = read_range(&target, &schema->target, error);
    return status == SOTTO_OK
               ? sot_schema_copy_source(&target, &schema->target_source, error)
               : status;
}
