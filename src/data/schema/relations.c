/* The parts of a schema that name several columns: interactions, and booleans of which at most one is true. */
#include "data/schema/relations.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema/parts.h"

/* ---- lists of columns ---- */

static sotto_status find_column(const sotto_schema *schema, const sot_json_value *item,
                                size_t *out_index, sotto_error *error)
{
    const char *name;
    char remedy[160], shown[64];
    const sotto_status status = sot_json_as_string(item, &name, error);
    if (status != SOTTO_OK) return status;
    if (sotto_schema_find(schema, name, out_index, NULL) == SOTTO_OK) return SOTTO_OK;
    (void)snprintf(remedy, sizeof remedy,
                   "name a column of the schema; it has no column '%s'",
                   sot_printable(name, shown, sizeof shown));
    return sot_json_refuse(item, remedy, error);
}

/* Reads a list of different columns, each of a type that `fits`. */
static sotto_status read_list(const sot_json_value *list, const sotto_schema *schema,
                              bool (*fits)(const sotto_column *), const char *remedy,
                              sot_column_list *out, sotto_error *error)
{
    sotto_status status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(list);
    if (count < 2 || count > schema->size)
        return sot_json_refuse(list, "name two columns or more", error);
    out->columns = sot_new_array(count, sizeof *out->columns);
    if (out->columns == NULL) return sot_fail_memory(error, count, sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(list, i);
        size_t index = 0;
        status = find_column(schema, &item, &index, error);
        if (status != SOTTO_OK) return status;
        if (!fits(&schema->columns[index])) return sot_json_refuse(&item, remedy, error);
        if (sot_column_list_has(out, index))
            return sot_json_refuse(&item, "name each column once", error);
        out->columns[out->count++] = index;
    }
    return SOTTO_OK;
}

static sotto_status read_lists(const sot_json_value *root, const char *key,
                               sotto_schema *schema, bool (*fits)(const sotto_column *),
                               const char *remedy, sot_column_lists *out,
                               sotto_error *error)
{
    sot_json_value lists;
    if (!sot_json_member(root, key, &lists)) return SOTTO_OK;
    sotto_status status = sot_json_as_array(&lists, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&lists);
    if (count > SOT_SCHEMA_RELATIONS_MAX)
        return sot_json_refuse(&lists, "give at most 1000 lists", error);
    out->list = sot_new_array(count, sizeof *out->list);
    if (out->list == NULL) return sot_fail_memory(error, count, sizeof *out->list);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        const sot_json_value list = sot_json_item(&lists, i);
        out->count++; /* freed even if it is half read */
        status = read_list(&list, schema, fits, remedy, &out->list[i], error);
    }
    return status;
}

bool sot_column_list_has(const sot_column_list *list, size_t column)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->columns[i] == column) return true;
    return false;
}

void sot_schema_free_lists(sot_column_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        sot_free(lists->list[i].columns);
    sot_free(lists->list);
}

/* ---- interactions ---- */

static bool has_bins(const sotto_column *column)
{
    return column->type != SOTTO_COLUMN_ID && column->type != SOTTO_COLUMN_IGNORE;
}

static sotto_status read_interactions(const sot_json_value *root, sotto_schema *schema,
                                      sotto_error *error)
{
    sot_json_value lists;
    sot_column_lists *pairs = &schema->interactions;
    const sotto_status status =
        read_lists(root, "interactions", schema, has_bins,
                   "name columns that are not ids or ignored", pairs, error);
    if (status != SOTTO_OK || !sot_json_member(root, "interactions", &lists))
        return status;
    for (size_t i = 0; i < pairs->count; i++) {
        const sot_json_value list = sot_json_item(&lists, i);
        if (pairs->list[i].count != 2)
            return sot_json_refuse(&list, "name the two columns of an interaction",
                                   error);
        for (size_t k = 0; k < i; k++)
            if (sot_column_list_has(&pairs->list[k], pairs->list[i].columns[0]) &&
                sot_column_list_has(&pairs->list[k], pairs->list[i].columns[1]))
                return sot_json_refuse(&list, "give each interaction once", error);
    }
    return SOTTO_OK;
}

/* ---- exclusive booleans ---- */

static bool is_indicator(const sotto_column *column)
{
    return column->type == SOTTO_COLUMN_BOOLEAN && column->scaling == SOTTO_SCALE_UNIT &&
           column->missing == 0.0;
}

static sotto_status read_exclusive(const sot_json_value *root, sotto_schema *schema,
                                   sotto_error *error)
{
    sot_json_value lists;
    sot_column_lists *groups = &schema->exclusive;
    const sotto_status status =
        read_lists(root, "exclusive", schema, is_indicator,
                   "name boolean columns with the defaults of \"scale\" and \"missing\"",
                   groups, error);
    if (status != SOTTO_OK || !sot_json_member(root, "exclusive", &lists)) return status;
    for (size_t i = 0; i < groups->count; i++) {
        const sot_json_value list = sot_json_item(&lists, i);
        for (size_t k = 0; k < groups->list[i].count; k++)
            if (sot_schema_group_of(schema, groups->list[i].columns[k]) !=
                &groups->list[i])
                return sot_json_refuse(&list, "put a column into one exclusive list only",
                                       error);
    }
    return SOTTO_OK;
}

const sot_column_list *sot_schema_group_of(const sotto_schema *schema, size_t column)
{
    for (size_t i = 0; i < schema->exclusive.count; i++)
        if (sot_column_list_has(&schema->exclusive.list[i], column))
            return &schema->exclusive.list[i];
    return NULL;
}

const sot_column_lists *sot_schema_interactions(const sotto_schema *schema)
{
    return &schema->interactions;
}

const sot_column_lists *sot_schema_exclusive(const sotto_schema *schema)
{
    return &schema->exclusive;
}

sotto_status sot_schema_read_relations(const sot_json_value *root, sotto_schema *schema,
                                       sotto_error *error)
{
    const sotto_status status = read_exclusive(root, schema, error);
    return status == SOTTO_OK ? read_interactions(root, schema, error) : status;
}

/* ---- writing ---- */

static void write_lists(sot_json_writer *writer, const char *key,
                        const sotto_schema *schema, const sot_column_lists *lists)
{
    if (lists->count == 0) return;
    sot_json_open_array(writer, key);
    for (size_t i = 0; i < lists->count; i++) {
        sot_json_begin_array(writer);
        for (size_t k = 0; k < lists->list[i].count; k++)
            sot_json_write_string(writer,
                                  schema->columns[lists->list[i].columns[k]].name);
        sot_json_end_array(writer);
    }
    sot_json_end_array(writer);
}

void sot_schema_write_relations(sot_json_writer *writer, const sotto_schema *schema)
{
    write_lists(writer, "exclusive", schema, &schema->exclusive);
    write_lists(writer, "interactions", schema, &schema->interactions);
}
