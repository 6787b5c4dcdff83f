/* A schema described in lines for people. */
#include "base/text.h"
#include "data/cells/time.h"
#include "data/describe/parts.h"
#include "data/schema/friendly.h"

enum { LABELS_SHOWN = 8 };

static void line(sot_description *made, const char *label)
{
    sot_growing_format(&made->text, "%-13s", label);
}

static void end_line(sot_description *made)
{
    sot_growing_text(&made->text, "\n");
}

/* Writes text of the schema; bytes that could move a terminal's cursor become '?'. */
static void say_text(sot_description *made, const char *text)
{
    char shown[SOT_SCHEMA_NAME_BYTES_MAX];
    sot_growing_text(&made->text, sot_printable(text, shown, sizeof shown));
}

static void say_number(sot_description *made, double number)
{
    char digits[SOT_DOUBLE_TEXT_BYTES];
    sot_growing_text(&made->text, sot_plain_number(number, digits));
}

static void say_range(sot_description *made)
{
    line(made, "range");
    say_number(made, made->target->lower);
    sot_growing_text(&made->text, " to ");
    say_number(made, made->target->upper);
    sot_growing_text(&made->text, "; a missing or malformed number counts as ");
    say_number(made, made->target->missing_number);
    end_line(made);
}

static void say_target(sot_description *made)
{
    const sotto_target *target = made->target;
    line(made, "target");
    if (target == NULL) {
        sot_growing_text(&made->text, "none\n");
        return;
    }
    say_text(made, target->column == NULL ? "the label of each row" : target->column);
    if (target->threshold) {
        sot_growing_text(&made->text, " above ");
        say_number(made, target->above);
    }
    end_line(made);
    if (target->label_count == 0) {
        if (target->bounded) say_range(made);
        return;
    }
    line(made, "labels");
    for (size_t i = 0; i < target->label_count && i < LABELS_SHOWN; i++) {
        if (i > 0) sot_growing_text(&made->text, ", ");
        say_text(made, target->labels[i]);
    }
    if (target->label_count > LABELS_SHOWN)
        sot_growing_format(&made->text, ", ... (%zu)", target->label_count);
    if (target->label_count == 2)
        sot_growing_text(&made->text, " (the second is the positive one)");
    end_line(made);
    line(made, "otherwise");
    sot_growing_text(&made->text, "a missing or unknown label counts as ");
    say_text(made, target->labels[target->missing]);
    end_line(made);
}

/* Describes the bounds and their scaled values. */
static void say_bounds(sot_description *made, const sotto_column *column, bool scaled)
{
    say_number(made, column->lower);
    sot_growing_text(&made->text, " .. ");
    say_number(made, column->upper);
    if (column->scaling == SOTTO_SCALE_NONE || !scaled) return;
    sot_growing_text(&made->text, " as ");
    say_number(made, (column->lower - column->center) / column->width);
    sot_growing_text(&made->text, " .. ");
    say_number(made, (column->upper - column->center) / column->width);
}

static void say_matrix(sot_description *made)
{
    const sotto_column *numbers = sot_schema_numbers(made->schema);
    size_t shape[3];
    const sot_shape_origin origin = sot_schema_shape(made->schema, shape);
    if (origin != SOT_SHAPE_NONE) {
        line(made, "shape");
        sot_growing_format(
            &made->text, "%zu plane%s of %zu x %zu%s\n", shape[0],
            shape[0] == 1 ? "" : "s", shape[1], shape[2],
            origin == SOT_SHAPE_INFERRED ? ", inferred from the number of columns" : "");
    }
    if (numbers == NULL) return;
    line(made, "numbers");
    say_bounds(made, numbers, true);
    sot_growing_text(&made->text, "; a malformed one counts as ");
    say_number(made, numbers->missing);
    end_line(made);
}

static void say_norm(sot_description *made)
{
    const sot_encoding *encoding = made->encoding;
    line(made, "row norm");
    if (!encoding->cut) {
        sot_growing_format(
            &made->text, "at most %.6g, which follows from the %s: no row is clipped\n",
            encoding->bound, encoding->numbers == NULL ? "columns" : "bounds");
    } else {
        sot_growing_format(
            &made->text, "%s %.6g: %s\n",
            encoding->rule == SOTTO_NORM_SCALE ? "scaled to" : "at most", encoding->bound,
            encoding->rule == SOTTO_NORM_SCALE ? "every row is divided by its own norm"
                                               : "longer rows are shrunk to it");
    }
    line(made, "norm bound");
    sot_growing_format(&made->text, "R = %.9g, the sensitivity of the noise\n",
                       encoding->total_bound);
}

static void say_learning(sot_description *made)
{
    const sot_encoding *encoding = made->encoding;
    if (encoding == NULL) {
        line(made, "learning");
        sot_growing_format(&made->text, "not yet: %s\n", made->why.message);
        return;
    }
    line(made, "features");
    sot_growing_format(&made->text, "%zu", encoding->features);
    size_t columns = 0;
    for (size_t i = 0; i < encoding->part_count; i++)
        columns +=
            encoding->parts[i].members == NULL ? 1 : encoding->parts[i].member_count;
    if (encoding->parts != NULL)
        sot_growing_format(&made->text, " from %zu column%s", columns,
                           columns == 1 ? "" : "s");
    if (encoding->intercept > 0.0) {
        sot_growing_text(&made->text, ", and a constant column of ");
        say_number(made, encoding->intercept);
    }
    end_line(made);
    line(made, "dimension");
    sot_growing_format(&made->text, "%zu\n", sot_encoding_dimension(encoding));
    say_norm(made);
}

/* Describes the treatment of a column's cells; for the target only their kind. */
static void say_cells(sot_description *made, const sotto_column *column, bool target)
{
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        if (!column->bounded) {
            sot_growing_text(&made->text, "no bounds");
            break;
        }
        say_bounds(made, column, !target);
        break;
    case SOTTO_COLUMN_CATEGORY:
        sot_growing_format(&made->text, "%zu values%s", column->value_count,
                           target ? "" : ", one indicator each");
        break;
    case SOTTO_COLUMN_BOOLEAN:
        sot_growing_text(&made->text, target ? "false or true"
                                      : column->scaling == SOTTO_SCALE_SYMMETRIC
                                          ? "as -1 or 1"
                                          : "as 0 or 1");
        break;
    case SOTTO_COLUMN_ID:
        sot_growing_text(&made->text, "identifies people; no feature");
        break;
    case SOTTO_COLUMN_IGNORE:
        sot_growing_text(&made->text, "not read");
        break;
    }
    if (column->time_unit != SOTTO_TIME_NONE)
        sot_growing_format(&made->text, ", in %ss since 1970-01-01 UTC",
                           sot_time_unit_name(column->time_unit));
    if (target) sot_growing_text(&made->text, "; the target, no feature");
}

static void say_column(sot_description *made, size_t index)
{
    char shown[SOT_SCHEMA_NAME_BYTES_MAX];
    const sotto_column *column = sotto_schema_column(made->schema, index);
    sot_growing_format(&made->text, "  %-20s %-9s",
                       sot_printable(column->name, shown, sizeof shown),
                       sotto_column_type_name(column->type));
    say_cells(made, column, made->target != NULL && made->target->index == index);
    if (column->source != NULL) {
        sot_growing_text(&made->text, "  [");
        say_text(made, column->source);
        sot_growing_text(&made->text, "]");
    }
    end_line(made);
}

void sot_describe_text(sot_description *made)
{
    const sotto_schema *schema = made->schema;
    if (sotto_schema_about(schema) != NULL) {
        line(made, "about");
        say_text(made, sotto_schema_about(schema));
        end_line(made);
    }
    if (sotto_schema_dataset(schema) != NULL) {
        line(made, "dataset");
        say_text(made, sotto_schema_dataset(schema));
        end_line(made);
    }
    line(made, "kind");
    if (sotto_schema_is_matrix(schema)) {
        sot_growing_format(&made->text, "matrix of %zu features\n",
                           sotto_schema_features(schema));
        say_matrix(made);
    } else {
        sot_growing_format(&made->text, "table of %zu columns\n",
                           sotto_schema_size(schema));
    }
    line(made, "unit");
    if (sotto_schema_unit(schema) == NULL) {
        sot_growing_text(&made->text, "a row\n");
    } else {
        sot_growing_text(&made->text, "all rows of one ");
        say_text(made, sotto_schema_unit(schema));
        sot_growing_format(&made->text, ", at most %llu\n",
                           (unsigned long long)sotto_schema_unit_rows(schema));
    }
    say_target(made);
    say_learning(made);
    if (!sotto_schema_is_matrix(schema)) sot_growing_text(&made->text, "columns\n");
    for (size_t i = 0; i < sotto_schema_size(schema); i++)
        say_column(made, i);
    for (size_t i = 0; i < made->warning_count; i++)
        sot_growing_format(&made->text, "warning: %s\n", made->warnings[i]);
}
