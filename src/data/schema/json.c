/* Writes a schema in one spelling, for model files. */
#include "data/schema/parts.h"

#include "base/json/writer.h"
#include "data/cells/time.h"
#include "data/schema/matrix.h"

static void write_scale(sot_json_writer *writer, const sotto_column *column)
{
    if (!column->bounded) return; /* no scale without bounds */
    sot_json_key(writer, "scale");
    if (column->scaling != SOTTO_SCALE_AFFINE) {
        sot_json_write_string(writer, sotto_scaling_name(column->scaling));
        return;
    }
    sot_json_begin_object(writer);
    sot_json_put_double(writer, "center", column->center);
    sot_json_put_double(writer, "width", column->width);
    sot_json_end_object(writer);
}

static void write_bounds(sot_json_writer *writer, const sotto_column *column)
{
    if (column->bounded) {
        sot_json_put_double(writer, "lower", column->lower);
        sot_json_put_double(writer, "upper", column->upper);
    }
    sot_json_put_double(writer, "missing", column->missing);
    write_scale(writer, column);
}

static void write_bin_edges(sot_json_writer *writer, const sotto_column *column)
{
    if (column->bin_edge_count == 0) return;
    sot_json_open_array(writer, "bin_edges");
    for (size_t i = 0; i < column->bin_edge_count; i++)
        sot_json_write_double(writer, column->bin_edges[i]);
    sot_json_end_array(writer);
}

static void write_column(sot_json_writer *writer, const sotto_column *column)
{
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "name", column->name);
    sot_json_put_text(writer, "type", sotto_column_type_name(column->type));
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        write_bounds(writer, column);
        sot_json_put_text(writer, "time_unit", sot_time_unit_name(column->time_unit));
        write_bin_edges(writer, column);
        break;
    case SOTTO_COLUMN_CATEGORY:
        sot_json_open_array(writer, "values");
        for (size_t i = 0; i < column->value_count; i++)
            sot_json_write_string(writer, column->values[i]);
        sot_json_end_array(writer);
        sot_json_put_text(writer, "missing", column->values[(size_t)column->missing]);
        if (column->ordered) sot_json_put_bool(writer, "ordered", true);
        break;
    case SOTTO_COLUMN_BOOLEAN:
        sot_json_put_bool(writer, "missing", column->missing != 0.0);
        write_scale(writer, column);
        break;
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    sot_json_put_text(writer, "source", column->source);
    sot_json_end_object(writer);
}

/* One label, as the reader wants it: a number where the cells are numbers, else a name. */
static void write_label(sot_json_writer *writer, const sotto_target *target, bool numbers,
                        size_t index)
{
    if (numbers) {
        sot_json_write_double(writer, target->codes[index]);
    } else {
        sot_json_write_string(writer, target->labels[index]);
    }
}

static void write_labels(sot_json_writer *writer, const sotto_target *target,
                         bool numbers)
{
    sot_json_open_array(writer, "labels");
    for (size_t i = 0; i < target->label_count; i++)
        write_label(writer, target, numbers, i);
    sot_json_end_array(writer);
}

static void write_target(sot_json_writer *writer, const sotto_schema *schema,
                         const sotto_target *target)
{
    const sotto_column_type type = schema->columns[target->index].type;
    const bool number = type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER;
    const bool numbers = number && !target->threshold;
    sot_json_open_object(writer, "target");
    sot_json_put_text(writer, "column", target->column);
    if (target->threshold) sot_json_put_double(writer, "above", target->above);
    /* A category may have one value or thousands; a list of that length would not be read, and is
     * the column's own. */
    if (target->label_count >= 2 && target->label_count <= SOT_SCHEMA_LABELS_MAX)
        write_labels(writer, target, numbers);
    if (target->label_count > 0 && (numbers || type == SOTTO_COLUMN_CATEGORY)) {
        sot_json_key(writer, "default");
        write_label(writer, target, numbers, target->missing);
    }
    if (target == &schema->target) /* another column as the target has its own source */
        sot_json_put_text(writer, "source", schema->target_source);
    sot_json_end_object(writer);
}

static void write_row_norm(sot_json_writer *writer, const sotto_schema *schema)
{
    const sotto_row_norm *norm = &schema->row_norm;
    if (!norm->given) return; /* it follows from the columns */
    sot_json_open_object(writer, "row_norm");
    sot_json_put_double(writer, "bound", norm->bound);
    sot_json_put_text(writer, "rule", sotto_norm_rule_name(norm->rule));
    sot_json_put_text(writer, "source", schema->row_norm_source);
    sot_json_end_object(writer);
}

static void write_table(sot_json_writer *writer, const sotto_schema *schema,
                        const sotto_target *target)
{
    if (schema->unit != NULL) {
        sot_json_open_object(writer, "unit");
        sot_json_put_text(writer, "column", schema->unit);
        sot_json_put_whole(writer, "rows", schema->unit_rows);
        sot_json_put_text(writer, "source", schema->unit_source);
        sot_json_end_object(writer);
    }
    if (target != NULL) write_target(writer, schema, target);
    sot_json_open_array(writer, "columns");
    for (size_t i = 0; i < schema->size; i++)
        write_column(writer, &schema->columns[i]);
    sot_json_end_array(writer);
    sot_schema_write_relations(writer, schema);
}

static void write_matrix(sot_json_writer *writer, const sotto_schema *schema)
{
    sot_json_put_whole(writer, "features", schema->features);
    if (schema->shape[0] > 0) {
        sot_json_open_array(writer, "shape");
        for (size_t i = 0; i < 3; i++)
            sot_json_write_int64(writer, (int64_t)schema->shape[i]);
        sot_json_end_array(writer);
    }
    const sotto_column *numbers = sot_schema_numbers(schema);
    if (numbers != NULL) {
        sot_json_open_object(writer, "numbers");
        write_bounds(writer, numbers);
        sot_json_put_text(writer, "source", numbers->source);
        sot_json_end_object(writer);
    }
    if (schema->target.label_count == 0) {
        sot_json_open_object(writer, "target");
        sot_json_put_double(writer, "lower", schema->target.lower);
        sot_json_put_double(writer, "upper", schema->target.upper);
        sot_json_put_double(writer, "missing", schema->target.missing_number);
        sot_json_put_text(writer, "source", schema->target_source);
        sot_json_end_object(writer);
        return;
    }
    write_labels(writer, &schema->target, true);
    sot_json_key(writer, "default_label");
    write_label(writer, &schema->target, true, schema->target.missing);
}

static void write_schema(sot_json_writer *writer, const sotto_schema *schema,
                         const sotto_target *target)
{
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "about", schema->about);
    sot_json_put_text(writer, "dataset", schema->dataset);
    if (schema->features > 0) {
        write_matrix(writer, schema);
    } else {
        write_table(writer, schema, target);
    }
    write_row_norm(writer, schema);
    sot_json_put_double(writer, "intercept", schema->intercept);
    sot_json_end_object(writer);
}

sotto_status sotto_schema_to_json(const sotto_schema *schema, const char *target,
                                  char **out_json, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_target own = {0};
    const sotto_target *chosen;
    sotto_status status = sot_schema_choose_target(schema, target, &own, &chosen, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status == SOTTO_OK) write_schema(writer, schema, chosen);
    status = sot_json_writer_take(writer, status, out_json, error);
    sot_target_free(&own);
    return status;
}
