/* The properties of a matrix: numbers per row, their bounds, and the image shape. */
#include "data/schema/matrix.h"

#include <string.h>

#include "data/schema/parts.h"

/* ---- the shape ---- */

/* [height, width] or [planes, height, width]; a side is at least 1. */
static sotto_status read_shape(const sot_json_value *value, sotto_schema *schema,
                               sotto_error *error)
{
    static const char remedy[] = "give [height, width] or [planes, height, width], whole "
                                 "numbers from 1 on, at most 16777216 together";
    if (sot_json_kind_of(value) != SOT_JSON_ARRAY)
        return sot_json_refuse(value, remedy, error);
    const size_t sides = sot_json_size(value);
    if (sides != 2 && sides != 3) return sot_json_refuse(value, remedy, error);
    size_t product = 1;
    schema->shape[0] = 1;
    for (size_t i = 0; i < sides; i++) {
        const sot_json_value item = sot_json_item(value, i);
        int64_t side;
        if (sot_json_as_int64(&item, &side, NULL) != SOTTO_OK || side < 1 ||
            side > SOT_SCHEMA_FEATURES_MAX ||
            (size_t)side > SOT_SCHEMA_FEATURES_MAX / product)
            return sot_json_refuse(&item, remedy, error);
        schema->shape[3 - sides + i] = (size_t)side;
        product *= (size_t)side;
    }
    schema->features = product;
    return SOTTO_OK;
}

/* s with s * s == square, or 0. */
static size_t root_of(size_t square)
{
    size_t root = 1;
    while (root * root < square) /* at most 2^12 steps: features are at most 2^24 */
        root++;
    return root * root == square ? root : 0;
}

sot_shape_origin sot_schema_shape(const sotto_schema *schema, size_t out_shape[3])
{
    const size_t features = schema->features;
    memcpy(out_shape, schema->shape, sizeof schema->shape);
    if (schema->shape[0] > 0) return SOT_SHAPE_GIVEN;
    for (size_t planes = 1; planes <= 3; planes += 2) {
        const size_t side = features % planes == 0 ? root_of(features / planes) : 0;
        if (features == 0 || side < 2) continue;
        out_shape[0] = planes;
        out_shape[1] = out_shape[2] = side;
        return SOT_SHAPE_INFERRED;
    }
    return SOT_SHAPE_NONE;
}

/* ---- the numbers ---- */

/* The bounds that all numbers of all rows have, and their scale: as of a column. */
static sotto_status read_numbers(const sot_json_value *value, sotto_column *numbers,
                                 sotto_error *error)
{
    static const char *const known_keys[] = {"lower",  "upper", "missing", "scale",
                                             "source", "about", NULL};
    if (sot_json_kind_of(value) != SOT_JSON_OBJECT) {
        return sot_json_refuse(value,
                               "give the bounds of every number, such as {\"lower\": 0, "
                               "\"upper\": 255, \"scale\": \"unit\"}",
                               error);
    }
    sotto_status status = sot_json_only_keys(value, known_keys, error);
    if (status != SOTTO_OK) return status;
    numbers->type = SOTTO_COLUMN_NUMBER;
    status = sot_schema_read_number(value, numbers, error);
    if (status == SOTTO_OK)
        status =
            sot_schema_copy_source(value, (char **)(uintptr_t)&numbers->source, error);
    if (status != SOTTO_OK || numbers->bounded) return status;
    return sot_json_refuse(value, "give \"lower\" and \"upper\"", error);
}

const sotto_column *sot_schema_numbers(const sotto_schema *schema)
{
    return schema->numbers.bounded ? &schema->numbers : NULL;
}

/* ---- the whole ---- */

static sotto_status refuse_parts_of_tables(const sot_json_value *root, sotto_error *error)
{
    sot_json_value member;
    if (sot_json_member(root, "columns", &member)) {
        return sot_json_refuse(
            &member,
            "give \"columns\" for a table or \"features\" for a matrix, not both", error);
    }
    if (!sot_json_member(root, "unit", &member)) return SOTTO_OK;
    return sot_json_refuse(
        &member,
        "leave it out, or describe a table with \"columns\": a matrix has "
        "\"features\" or \"shape\", \"numbers\", \"labels\" or \"target\", \"row_norm\" "
        "and "
        "\"intercept\"",
        error);
}

static sotto_status read_features(const sot_json_value *root, sotto_schema *schema,
                                  sotto_error *error)
{
    sot_json_value member;
    int64_t features;
    const size_t of_shape = schema->features;
    if (!sot_json_member(root, "features", &member)) return SOTTO_OK; /* the shape's */
    const sotto_status status = sot_json_as_int64(&member, &features, error);
    if (status != SOTTO_OK) return status;
    if (features < 1 || features > SOT_SCHEMA_FEATURES_MAX)
        return sot_json_refuse(&member, "give between 1 and 16777216 features", error);
    if (of_shape > 0 && (size_t)features != of_shape) {
        return sot_json_refuse(
            &member, "give the product of the \"shape\", or leave it out", error);
    }
    schema->features = (size_t)features;
    return SOTTO_OK;
}

sotto_status sot_schema_read_matrix(const sot_json_value *root, sotto_schema *schema,
                                    sotto_error *error)
{
    sot_json_value member;
    sotto_status status = refuse_parts_of_tables(root, error);
    if (status == SOTTO_OK && sot_json_member(root, "shape", &member))
        status = read_shape(&member, schema, error);
    if (status == SOTTO_OK) status = read_features(root, schema, error);
    if (status == SOTTO_OK && sot_json_member(root, "numbers", &member))
        status = read_numbers(&member, &schema->numbers, error);
    return status;
}
