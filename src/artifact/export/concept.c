/* A concept as C: some conditions on the columns that it looks at. The cells are those of data/encode/grid.c, the same
 * operations on the same doubles. */
#include <math.h>
#include <stdio.h>

#include "artifact/export/export.h"
#include "base/error.h"
#include "base/memory.h"
#include "models/concept/classes/concept.h"

/* ---- inputs ---- */

/* low <= place < high of a feature. */
typedef struct condition {
    size_t feature;
    uint64_t low, high;
    size_t member; /* of the row */
} condition;

typedef struct rule {
    bool odd; /* an odd number of the conditions holds; else all of them do */
    bool never;
    condition *conditions;
    size_t count;
    size_t *columns; /* that they are about, each once */
    size_t column_count;
} rule;

static void add_condition(rule *made, const sot_concept_class *class, size_t feature,
                          uint64_t low, uint64_t high)
{
    if (low == 0 && high == class->grids[feature].cells) return;
    if (low >= high) {
        made->never = true;
        return;
    }
    made->conditions[made->count++] =
        (condition){.feature = feature, .low = low, .high = high};
}

static void add_threshold(rule *made, const sot_concept_class *class, size_t feature,
                          double cut, double flipped)
{
    const uint64_t place = (uint64_t)cut;
    if (flipped == 1.0) {
        add_condition(made, class, feature, 0, place);
    } else {
        add_condition(made, class, feature, place, class->grids[feature].cells);
    }
}

static void list_conditions(rule *made, const sot_concept_class *class,
                            const double *numbers)
{
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        add_threshold(made, class, 0, numbers[0], numbers[1]);
        return;
    case SOT_CONCEPT_STUMPS:
        add_threshold(made, class, (size_t)numbers[0], numbers[1], numbers[2]);
        return;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        for (size_t i = 0; i < class->features; i++)
            add_condition(made, class, i, (uint64_t)numbers[2 * i],
                          (uint64_t)numbers[2 * i + 1]);
        return;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        made->odd = class->kind == SOT_CONCEPT_PARITIES;
        for (size_t i = 0; i < class->features; i++)
            if (((uint32_t)numbers[0] >> i & 1) != 0) add_condition(made, class, i, 1, 2);
        return;
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    add_threshold(made, class, (size_t)numbers[0], 1.0, numbers[1]);
}

/* The columns in the order of the conditions. A row needs one in any case. */
static void list_columns(rule *made, const sot_concept_class *class)
{
    for (size_t i = 0; i < made->count; i++) {
        const size_t column = class->grids[made->conditions[i].feature].column;
        size_t k = 0;
        while (k < made->column_count && made->columns[k] != column)
            k++;
        if (k == made->column_count) made->columns[made->column_count++] = column;
        made->conditions[i].member = k;
    }
    if (made->column_count == 0)
        made->columns[made->column_count++] = class->grids[0].column;
}

/* ---- a table's row ---- */

static void write_row(sot_c_exporter *self, const rule *made)
{
    bool category = false;
    const sotto_schema *schema = self->model->schema;
    for (size_t i = 0; i < made->column_count; i++) {
        const sotto_column *column = sotto_schema_column(schema, made->columns[i]);
        sot_c_values(self, column, i);
        category = category || column->type == SOTTO_COLUMN_CATEGORY;
    }
    sot_c_write(self,
                "/* The columns that the concept tests. A missing cell: NAN, NULL, or "
                "anything\n * that is not listed here. */\ntypedef struct @_row {\n");
    for (size_t i = 0; i < made->column_count; i++)
        sot_c_row_member(self, sotto_schema_column(schema, made->columns[i]), i);
    sot_c_write(self, "} @_row;\n\n");
    if (category) sot_c_place(self);
}

/* ---- conditions ---- */

/* @_cell(value): the number that a cell counts as; a matrix has no bounds to keep to. */
static void write_cell(sot_c_exporter *self)
{
    sot_c_write(self, "/* A cell within its bounds. */\n"
                      "static inline double @_cell(double cell, double lower, double "
                      "upper, double missing)\n"
                      "{\n"
                      "    if (!(fabs(cell) < HUGE_VAL)) cell = missing;\n"
                      "    if (cell < lower) cell = lower;\n"
                      "    return cell > upper ? upper : cell;\n"
                      "}\n\n");
}

static void write_operand(sot_c_exporter *self, const sot_cells_grid *grid, size_t member)
{
    sot_c_write(self, "@_cell(");
    const bool matrix = sotto_schema_is_matrix(self->model->schema);
    if (matrix) {
        sot_c_print(&self->output, "x[%zu], -HUGE_VAL, HUGE_VAL, ", grid->column);
        sot_c_value(self, grid->missing);
    } else {
        const sotto_column *column =
            sotto_schema_column(self->model->schema, grid->column);
        const double facts[] = {column->lower, column->upper, column->missing};
        sot_c_cell(self, column, member);
        for (size_t i = 0; i < 3; i++) {
            sot_c_text(self, ", ");
            sot_c_value(self, facts[i]);
        }
    }
    sot_c_text(self, ")");
}

/* Writes the test that the place of `value` is at least `place`, 1 .. cells - 1. */
static void write_comparison(sot_c_exporter *self, const sot_cells_grid *grid,
                             uint64_t place, bool below)
{
    if (below) sot_c_text(self, "!(");
    if (grid->cuts != NULL) {
        sot_c_text(self, "value >= ");
        sot_c_value(self, grid->cuts[place - 1]);
    } else {
        sot_c_text(self, "floor((value - ");
        sot_c_value(self, grid->lower);
        sot_c_text(self, ") / ");
        sot_c_value(self, (grid->upper - grid->lower) / (double)grid->cells);
        sot_c_text(self, ") >= ");
        sot_c_value(self, (double)place);
    }
    if (below) sot_c_text(self, ")");
}

static void write_indicator(sot_c_exporter *self, const sot_cells_grid *grid,
                            const condition *one)
{
    const sotto_column *column = sotto_schema_column(self->model->schema, grid->column);
    sot_c_text(self, "        const int holds = ");
    if (column->type == SOTTO_COLUMN_CATEGORY) {
        sot_c_place_of(self, column, one->member);
        sot_c_print(&self->output, " %s %zu", one->low == 0 ? "!=" : "==", grid->value);
    } else {
        sot_c_text(self, "(");
        sot_c_cell(self, column, one->member);
        sot_c_print(&self->output, ") %s 1.0", one->low == 0 ? "!=" : "==");
    }
    sot_c_text(self, ";\n");
}

static void write_number(sot_c_exporter *self, const sot_cells_grid *grid,
                         const condition *one)
{
    sot_c_text(self, "        const double value = ");
    write_operand(self, grid, one->member);
    sot_c_text(self, ";\n        const int holds = ");
    if (one->low > 0) write_comparison(self, grid, one->low, false);
    if (one->low > 0 && one->high < grid->cells) sot_c_text(self, " &&\n            ");
    if (one->high < grid->cells) write_comparison(self, grid, one->high, true);
    sot_c_text(self, ";\n");
}

static void write_rule(sot_c_exporter *self, const rule *made)
{
    const sot_concept_class *class = self->model->concept;
    sot_c_print(&self->output, "    int yes = %d;\n", made->odd || made->never ? 0 : 1);
    for (size_t i = 0; i < made->count && !made->never; i++) {
        const condition *one = &made->conditions[i];
        const sot_cells_grid *grid = &class->grids[one->feature];
        sot_c_text(self, "    { /* ");
        sot_c_comment(&self->output, class->names[one->feature]);
        sot_c_text(self, " */\n");
        if (grid->indicator) {
            write_indicator(self, grid, one);
        } else {
            write_number(self, grid, one);
        }
        sot_c_text(self,
                   made->odd ? "        yes ^= holds;\n" : "        yes &= holds;\n");
        sot_c_text(self, "    }\n");
    }
    if (made->never || made->count == 0)
        sot_c_text(self, sotto_schema_is_matrix(self->model->schema)
                             ? "    (void)x;\n"
                             : "    (void)row;\n");
    sot_c_text(self, "    return yes ? 1.0 : -1.0;\n}\n\n");
}

static bool has_numbers(const rule *made, const sot_concept_class *class)
{
    for (size_t i = 0; i < made->count; i++)
        if (!class->grids[made->conditions[i].feature].indicator) return true;
    return false;
}

static sotto_status write_all(sot_c_exporter *self, const rule *made, sotto_error *error)
{
    const bool matrix = sotto_schema_is_matrix(self->model->schema);
    const char *argument = matrix ? "const double *x" : "const @_row *row";
    char text[SOT_CONCEPT_TEXT_BYTES];
    if (!matrix) {
        self->members = sot_new_array(made->column_count, sizeof *self->members);
        if (self->members == NULL)
            return sot_fail_memory(error, made->column_count, sizeof *self->members);
        for (size_t i = 0; i < made->column_count; i++)
            sot_c_member(sotto_schema_column(self->model->schema, made->columns[i])->name,
                         i + 1, self->members[i]);
        write_row(self, made);
    }
    if (!made->never && has_numbers(made, self->model->concept)) write_cell(self);
    sot_c_text(self, "/* 1 where ");
    sot_c_comment(&self->output,
                  sot_concept_text(self->model->concept, self->model->coefficients, text,
                                   sizeof text));
    sot_c_write(self, matrix ? ", else -1; x has a number for each feature. */\n"
                             : ", else -1. */\n");
    sot_c_write(self, "static inline double @_score(");
    sot_c_write(self, argument);
    sot_c_text(self, ")\n{\n");
    write_rule(self, made);
    sot_c_ending(self, argument, matrix ? "x" : "row");
    return SOTTO_OK;
}

sotto_status sot_c_concept(sot_c_exporter *self, sotto_error *error)
{
    const sot_concept_class *class = self->model->concept;
    rule made = {.count = 0};
    sotto_status status = SOTTO_OK;
    made.conditions = sot_new_array(class->features, sizeof *made.conditions);
    made.columns = sot_new_array(class->features, sizeof *made.columns);
    if (made.conditions == NULL || made.columns == NULL) {
        status = sot_fail_memory(error, class->features, sizeof *made.conditions);
    } else {
        list_conditions(&made, class, self->model->coefficients);
        list_columns(&made, class);
        status = write_all(self, &made, error);
    }
    sot_free(made.conditions);
    sot_free(made.columns);
    return status;
}
