/* A schema described in JSON for scripts. */
#include "base/text.h"
#include "data/cells/time.h"
#include "data/describe/parts.h"

static void member_text(sot_json_writer *json, const char *key, const char *text)
{
    sot_json_key(json, key);
    if (text == NULL) {
        sot_json_write_null(json);
    } else {
        sot_json_write_string(json, text);
    }
}

static void write_target(sot_description *made)
{
    sot_json_writer *json = made->json;
    const sotto_target *target = made->target;
    member_text(json, "target", target == NULL ? NULL : target->column);
    sot_json_open_array(json, "labels");
    for (size_t i = 0; target != NULL && i < target->label_count; i++)
        sot_json_write_string(json, target->labels[i]);
    sot_json_end_array(json);
    if (target != NULL && target->bounded) {
        sot_json_put_double(json, "lower", target->lower);
        sot_json_put_double(json, "upper", target->upper);
    }
    if (target == NULL || target->label_count == 0) return;
    member_text(json, "default_label", target->labels[target->missing]);
}

/* Planes, height and width of an image, or null. */
static void write_matrix(sot_description *made)
{
    sot_json_writer *json = made->json;
    size_t shape[3];
    const sot_shape_origin origin = sot_schema_shape(made->schema, shape);
    sot_json_key(json, "shape");
    if (origin == SOT_SHAPE_NONE) {
        sot_json_write_null(json);
        return;
    }
    sot_json_begin_array(json);
    for (size_t i = 0; i < 3; i++)
        sot_json_write_int64(json, (int64_t)shape[i]);
    sot_json_end_array(json);
    sot_json_put_bool(json, "shape_inferred", origin == SOT_SHAPE_INFERRED);
}

static void write_learning(sot_description *made)
{
    sot_json_writer *json = made->json;
    const sot_encoding *encoding = made->encoding;
    sot_json_put_bool(json, "learnable", encoding != NULL);
    if (encoding == NULL) {
        char shown[sizeof made->why.message];
        member_text(json, "reason",
                    sot_printable(made->why.message, shown, sizeof shown));
        return;
    }
    sot_json_put_whole(json, "features", encoding->features);
    sot_json_put_whole(json, "dimension", sot_encoding_dimension(encoding));
    sot_json_put_double(json, "intercept", encoding->intercept);
    sot_json_put_double(json, "row_norm", encoding->bound);
    member_text(json, "row_norm_rule",
                encoding->cut ? sotto_norm_rule_name(encoding->rule) : "none");
    sot_json_put_double(json, "norm_bound", encoding->total_bound);
}

void sot_describe_json(sot_description *made)
{
    const sotto_schema *schema = made->schema;
    sot_json_writer *json = made->json;
    sot_json_begin_object(json);
    member_text(json, "kind", sotto_schema_is_matrix(schema) ? "matrix" : "table");
    member_text(json, "dataset", sotto_schema_dataset(schema));
    member_text(json, "unit", sotto_schema_unit(schema));
    if (sotto_schema_unit(schema) != NULL)
        sot_json_put_whole(json, "unit_rows", (size_t)sotto_schema_unit_rows(schema));
    if (sotto_schema_is_matrix(schema)) write_matrix(made);
    write_target(made);
    write_learning(made);
    sot_json_open_array(json, "columns");
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        sot_json_begin_object(json);
        member_text(json, "name", column->name);
        member_text(json, "type", sotto_column_type_name(column->type));
        member_text(json, "time_unit", sot_time_unit_name(column->time_unit));
        member_text(json, "source", column->source);
        sot_json_end_object(json);
    }
    sot_json_end_array(json);
    sot_json_open_array(json, "warnings");
    for (size_t i = 0; i < made->warning_count; i++)
        sot_json_write_string(json, made->warnings[i]);
    sot_json_end_array(json);
    sot_json_end_object(json);
}
