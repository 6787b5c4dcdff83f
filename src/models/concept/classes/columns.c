/* The schema's facts about a column that a class names. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/schema/matrix.h"
#include "data/schema/parts.h"
#include "models/concept/classes/parts.h"

const sotto_column *sot_concept_column(const sot_concept_builder *builder, size_t column)
{
    return sotto_schema_is_matrix(builder->schema)
               ? sot_schema_numbers(builder->schema)
               : sotto_schema_column(builder->schema, column);
}

bool sot_concept_is_number(const sot_concept_builder *builder, size_t column)
{
    if (sotto_schema_is_matrix(builder->schema)) return true;
    const sotto_column_type type = sotto_schema_column(builder->schema, column)->type;
    return type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER;
}

bool sot_concept_is_bounded(const sot_concept_builder *builder, size_t column)
{
    const sotto_column *described = sot_concept_column(builder, column);
    return described != NULL && described->bounded;
}

const char *sot_concept_column_name(const sot_concept_builder *builder, size_t column,
                                    char out[SOT_CONCEPT_PLACE_BYTES])
{
    if (!sotto_schema_is_matrix(builder->schema))
        return sotto_schema_column(builder->schema, column)->name;
    snprintf(out, SOT_CONCEPT_PLACE_BYTES, "%zu", column + 1);
    return out;
}

sotto_status sot_concept_exclude_target(sot_concept_builder *builder, const char *name,
                                        sotto_error *error)
{
    sotto_target own = {.column = NULL};
    const sotto_target *target = NULL;
    const sotto_status status =
        sot_schema_choose_target(builder->schema, name, &own, &target, error);
    builder->target = status == SOTTO_OK && target != NULL && target->column != NULL
                          ? target->index
                          : SIZE_MAX;
    sot_target_free(&own);
    return status;
}

sotto_status sot_concept_find_column(const sot_concept_builder *builder,
                                     const sot_json_value *value, size_t *out_column,
                                     sotto_error *error)
{
    const char *name;
    int64_t number = 0;
    if (!sotto_schema_is_matrix(builder->schema)) {
        const sotto_status status = sot_json_as_string(value, &name, error);
        return status == SOTTO_OK
                   ? sotto_schema_find(builder->schema, name, out_column, error)
                   : status;
    }
    const size_t features = sotto_schema_features(builder->schema);
    if (sot_json_kind_of(value) == SOT_JSON_STRING) {
        uint64_t place = 0;
        const sotto_status status = sot_json_as_string(value, &name, error);
        if (status != SOTTO_OK) return status;
        if (sot_parse_u64(name, strlen(name), &place) == SOT_NUMBER_OK &&
            place <= features)
            number = (int64_t)place;
    } else {
        const sotto_status status = sot_json_as_int64(value, &number, error);
        if (status != SOTTO_OK) return status;
    }
    if (number < 1 || (uint64_t)number > features) {
        char remedy[80];
        snprintf(remedy, sizeof remedy, "name a feature from 1 to %zu", features);
        return sot_json_refuse(value, remedy, error);
    }
    *out_column = (size_t)number - 1;
    return SOTTO_OK;
}

sotto_status sot_concept_check_column(const sot_concept_builder *builder, size_t column,
                                      sotto_error *error)
{
    if (sotto_schema_is_matrix(builder->schema)) return SOTTO_OK;
    const sotto_column *described = sotto_schema_column(builder->schema, column);
    if (column == builder->target) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class of concepts names the column '%.60s', which is the "
                        "target; leave it out of \"columns\"",
                        described->name);
    }
    if (described->type == SOTTO_COLUMN_ID || described->type == SOTTO_COLUMN_IGNORE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class of concepts names the column '%.60s', whose type is "
                        "%s; name numbers, integers, booleans or categories",
                        described->name, sotto_column_type_name(described->type));
    }
    return SOTTO_OK;
}
