/* A class in a model file: whole, and in one spelling. docs/reference/concepts.md describes it, fuzz/fuzz_concept.c attacks it. */
#include <string.h>

#include "base/error.h"
#include "data/schema/parts.h"
#include "models/concept/classes/parts.h"

/* ---- writing ---- */

static void write_feature(const sot_concept_class *class, size_t feature,
                          sot_json_writer *writer)
{
    const sot_cells_grid *grid = &class->grids[feature];
    const char *name = class->names[feature];
    const size_t stem = class->stems[feature];
    char column[SOT_SCHEMA_NAME_BYTES_MAX];
    memcpy(column, name, stem);
    column[stem] = '\0';
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "column", column);
    if (name[stem] != '\0') {
        sot_json_put_text(writer, "value", name + stem + 1);
    }
    if (!grid->indicator && grid->cuts == NULL) {
        sot_json_put_whole(writer, "cells", grid->cells);
    }
    if (!grid->indicator && grid->cuts != NULL) {
        sot_json_open_array(writer, "cuts");
        for (uint64_t i = 0; i + 1 < grid->cells; i++)
            sot_json_write_double(writer, grid->cuts[i]);
        sot_json_end_array(writer);
    }
    if (class->weights != NULL && class->weights[feature] != NULL) {
        sot_json_open_array(writer, "weights");
        for (uint64_t i = 0; i <= grid->cells; i++)
            sot_json_write_int64(writer, (int64_t) class->weights[feature][i]);
        sot_json_end_array(writer);
    }
    sot_json_end_object(writer);
}

void sot_concept_class_write(const sot_concept_class *class, sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "class", sot_concept_kind_name(class->kind));
    sot_json_put_bool(writer, "both", class->both);
    sot_json_open_array(writer, "features");
    for (size_t i = 0; i < class->features; i++)
        write_feature(class, i, writer);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

/* ---- reading ---- */

static sotto_status read_value(sot_concept_builder *builder, size_t column,
                               const sot_json_value *item, sotto_error *error)
{
    sot_json_value member;
    const char *text = NULL;
    const sotto_column *described = sot_concept_column(builder, column);
    const bool category = described->type == SOTTO_COLUMN_CATEGORY;
    const bool given = sot_json_member(item, "value", &member);
    if (category != given) {
        return sot_json_refuse(item,
                               category ? "of a category it has a \"value\""
                                        : "only of a category it has a \"value\"",
                               error);
    }
    if (!category) return sot_concept_add_indicator(builder, column, 1, error);
    const sotto_status status = sot_json_as_string(&member, &text, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < described->value_count; i++)
        if (strcmp(described->values[i], text) == 0)
            return sot_concept_add_indicator(builder, column, i, error);
    return sot_json_refuse(&member, "the schema has no such value", error);
}

static sotto_status read_number(sot_concept_builder *builder, size_t column,
                                const sot_json_value *item, sotto_error *error)
{
    sot_json_value cells, cuts;
    int64_t number = 0;
    const bool equal = sot_json_member(item, "cells", &cells);
    const bool given = sot_json_member(item, "cuts", &cuts);
    if (equal == given)
        return sot_json_refuse(item, "give either \"cells\": N or \"cuts\": [...]",
                               error);
    if (given) return sot_concept_add_cuts(builder, column, &cuts, error);
    const sotto_status status = sot_json_as_int64(&cells, &number, error);
    if (status != SOTTO_OK) return status;
    if (number < 2 || (uint64_t)number > SOT_CELLS_MAX)
        return sot_json_refuse(&cells, "give a number of cells from 2 to 2^32", error);
    return sot_concept_add_equal(builder, column, (uint64_t)number, error);
}

static sotto_status read_feature(sot_concept_builder *builder, const sot_json_value *item,
                                 sotto_error *error)
{
    static const char *const of_numbers[] = {"column", "cells", "cuts", "weights", NULL};
    static const char *const of_values[] = {"column", "value", "weights", NULL};
    sot_json_value member;
    size_t column = 0;
    sotto_status status = sot_json_as_object(item, error);
    if (status != SOTTO_OK) return status;
    if (!sot_json_member(item, "column", &member))
        return sot_json_refuse(item, "each feature has a \"column\"", error);
    status = sot_concept_find_column(builder, &member, &column, error);
    if (status == SOTTO_OK) status = sot_concept_check_column(builder, column, error);
    if (status != SOTTO_OK) return status;
    const bool number = sot_concept_is_number(builder, column);
    status = sot_json_only_keys(item, number ? of_numbers : of_values, error);
    if (status == SOTTO_OK)
        status = number ? read_number(builder, column, item, error)
                        : read_value(builder, column, item, error);
    if (status == SOTTO_OK && sot_json_member(item, "weights", &member))
        status = sot_concept_add_weights(builder, builder->class->features - 1, &member,
                                         error);
    return status;
}

sotto_status sot_concept_read_whole(sot_concept_builder *builder,
                                    const sot_json_value *value, sotto_error *error)
{
    static const char *const keys[] = {"class", "both", "features", NULL};
    sot_json_value member, list;
    sot_concept_kind kind;
    bool both = false;
    sotto_status status = sot_json_as_object(value, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(value, keys, error);
    if (status != SOTTO_OK) return status;
    if (!sot_json_member(value, "class", &member))
        return sot_json_refuse(value, "it has a \"class\"", error);
    status = sot_concept_read_kind(&member, &kind, error);
    if (status == SOTTO_OK) status = sot_concept_begin(builder, kind, error);
    if (status == SOTTO_OK) status = sot_json_get_bool(value, "both", &both, error);
    if (status == SOTTO_OK && sot_json_member(value, "both", &member))
        status = sot_concept_set_both(builder, both, &member, error);
    if (status == SOTTO_OK) status = sot_json_get_array(value, "features", &list, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < sot_json_size(&list) && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = read_feature(builder, &item, error);
    }
    return status;
}

sotto_status sot_concept_class_read(const sot_json_value *value,
                                    const sotto_schema *schema,
                                    sot_concept_class **out_class, sotto_error *error)
{
    sot_concept_builder builder = {.schema = schema};
    sotto_status status = sot_concept_exclude_target(&builder, NULL, error);
    if (status == SOTTO_OK) status = sot_concept_read_whole(&builder, value, error);
    if (status == SOTTO_OK) status = sot_concept_finish(&builder, error);
    if (status != SOTTO_OK) {
        sot_concept_class_free(builder.class);
        return status;
    }
    *out_class = builder.class;
    return SOTTO_OK;
}
