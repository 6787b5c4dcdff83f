/* An additive model as C: look-ups in tables of contributions to the score. Bins and sums are those of
 * data/encode/bins.c, the same operations on the same doubles. */
#include <stdio.h>

#include "artifact/export/export.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/encode/blocks.h"

/* ---- the columns of a table ---- */

static void mark_axis(bool *used, const sot_axis *axis)
{
    if (axis->members == NULL) {
        used[axis->column] = true;
        return;
    }
    for (size_t i = 0; i + 1 < axis->bins; i++)
        used[axis->members[i]] = true;
}

/* Marks the columns that blocks look at. The columns of an interaction have blocks of their own. */
static void mark_columns(const sot_c_exporter *self, bool *used)
{
    for (size_t i = 0; i < sot_encoding_blocks(self->encoding); i++)
        mark_axis(used, &sot_encoding_block(self->encoding, i)->axis);
}

static void write_row(sot_c_exporter *self, const bool *used)
{
    bool category = false;
    const sotto_schema *schema = self->model->schema;
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        if (!used[i]) continue;
        sot_c_values(self, column, i);
        category = category || column->type == SOTTO_COLUMN_CATEGORY;
    }
    sot_c_write(self, "/* A missing cell: NAN, NULL, or anything that is not listed "
                      "here. */\ntypedef struct @_row {\n");
    for (size_t i = 0; i < sotto_schema_size(schema); i++)
        if (used[i]) sot_c_row_member(self, sotto_schema_column(schema, i), i);
    sot_c_write(self, "} @_row;\n\n");
    if (category) sot_c_place(self);
}

static sotto_status write_columns(sot_c_exporter *self, sotto_error *error)
{
    const sotto_schema *schema = self->model->schema;
    const size_t size = sotto_schema_size(schema);
    bool *used = sot_new_array(size, sizeof *used);
    self->members = sot_new_array(size, sizeof *self->members);
    if (used == NULL || self->members == NULL) {
        sot_free(used);
        return sot_fail_memory(error, size, sizeof *self->members);
    }
    mark_columns(self, used);
    for (size_t i = 0, number = 1; i < size; i++)
        if (used[i])
            sot_c_member(sotto_schema_column(schema, i)->name, number++,
                         self->members[i]);
    write_row(self, used);
    sot_free(used);
    return SOTTO_OK;
}

/* ---- tables ---- */

static void write_list(sot_c_exporter *self, const double *numbers, size_t count)
{
    sot_c_text(self, "{");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sot_c_text(self, i % 4 == 0 ? ",\n    " : ", ");
        sot_c_value(self, numbers[i]);
    }
    sot_c_text(self, "}");
}

static void write_edges(sot_c_exporter *self, const sot_axis *axis, size_t index,
                        const char *suffix)
{
    if (axis->edges == NULL) return;
    sot_c_write(self, "static const double @_edges_");
    sot_c_print(&self->output, "%zu%s[%zu] = ", index + 1, suffix, axis->bins - 1);
    write_list(self, axis->edges, axis->bins - 1);
    sot_c_text(self, ";\n");
}

static void write_tables(sot_c_exporter *self, size_t index)
{
    const sot_bin_block *block = sot_encoding_block(self->encoding, index);
    const size_t stride = sot_encoding_values(self->encoding) + 1;
    const size_t vectors = sot_c_vectors(self->model);
    const char *name = block->axis.facts->name;
    sot_c_text(self, "/* ");
    sot_c_comment(&self->output, name == NULL ? "one feature" : name);
    if (sot_bin_block_is_interaction(block)) {
        sot_c_text(self, " and ");
        sot_c_comment(&self->output, block->second.facts->name);
        sot_c_text(self, ": contribution of each pair of bins to the score. */\n");
        write_edges(self, &block->second, index, "_second");
    } else {
        sot_c_text(self, ": contribution of each bin to the score. */\n");
    }
    write_edges(self, &block->axis, index, "");
    sot_c_write(self, "static const double @_curve_");
    sot_c_print(&self->output, "%zu[%zu][%zu] = {\n    ", index + 1, vectors,
                block->bins);
    for (size_t k = 0; k < vectors; k++) {
        if (k > 0) sot_c_text(self, ",\n    ");
        write_list(self, self->model->curves + k * stride + block->value, block->bins);
    }
    sot_c_text(self, "};\n\n");
}

static bool has_edges(const sot_c_exporter *self)
{
    for (size_t i = 0; i < sot_encoding_blocks(self->encoding); i++)
        if (sot_encoding_block(self->encoding, i)->axis.edges != NULL) return true;
    return false;
}

static void write_bin(sot_c_exporter *self)
{
    sot_c_write(self, "/* The number of edges at or below a cell within its bounds. */\n"
                      "static inline size_t @_bin(double cell, double lower, double "
                      "upper, double missing,\n"
                      "    const double *edges, size_t count)\n"
                      "{\n"
                      "    size_t bin = 0;\n"
                      "    if (!(fabs(cell) < HUGE_VAL)) cell = missing;\n"
                      "    if (cell < lower) cell = lower;\n"
                      "    if (cell > upper) cell = upper;\n"
                      "    while (bin < count && edges[bin] <= cell) bin++;\n"
                      "    return bin;\n"
                      "}\n\n");
}

/* ---- the score ---- */

/* The place of the first boolean of an exclusive list that is 1, by assignments from the last one to the first. */
static void write_first_true(sot_c_exporter *self, const sot_axis *axis)
{
    sot_c_print(&self->output, "%zu", axis->bins - 1);
    for (size_t i = axis->bins - 1; i-- > 0;)
        sot_c_print(&self->output, ";\n    if (row->%s == 1) bin = %zu",
                    self->members[axis->members[i]], i);
}

static void write_place(sot_c_exporter *self, const sot_axis *axis, size_t index,
                        const char *suffix)
{
    const sotto_column *column = axis->facts;
    if (axis->members != NULL) {
        write_first_true(self, axis);
        return;
    }
    if (axis->edges == NULL && column->type == SOTTO_COLUMN_CATEGORY) {
        sot_c_place_of(self, column, axis->column);
        return;
    }
    if (axis->edges == NULL) {
        sot_c_text(self, "(size_t)(");
        sot_c_cell(self, column, axis->column);
        sot_c_text(self, ")");
        return;
    }
    const double facts[] = {column->lower, column->upper, column->missing};
    sot_c_write(self, "@_bin(");
    if (self->members == NULL)
        sot_c_print(&self->output, "x[%zu]", axis->column);
    else
        sot_c_cell(self, column, axis->column);
    for (size_t i = 0; i < 3; i++) {
        sot_c_text(self, ", ");
        sot_c_value(self, facts[i]);
    }
    sot_c_write(self, ", @_edges_");
    sot_c_print(&self->output, "%zu%s, %zu)", index + 1, suffix, axis->bins - 1);
}

static void write_place_of_block(sot_c_exporter *self, size_t index)
{
    const sot_bin_block *block = sot_encoding_block(self->encoding, index);
    write_place(self, &block->axis, index, "");
    if (!sot_bin_block_is_interaction(block)) return;
    sot_c_print(&self->output, " * %zu\n        + ", block->second.bins);
    write_place(self, &block->second, index, "_second");
}

static void write_start(sot_c_exporter *self)
{
    const size_t stride = sot_encoding_values(self->encoding) + 1;
    const size_t vectors = sot_c_vectors(self->model);
    sot_c_print(&self->output, "    static const double start[%zu] = ", vectors);
    sot_c_text(self, "{");
    for (size_t k = 0; k < vectors; k++) {
        if (k > 0) sot_c_text(self, ", ");
        sot_c_value(self, self->model->curves[k * stride + stride - 1]);
    }
    sot_c_text(self, "};\n    size_t bin");
    sot_c_text(self, vectors == 1 ? ";\n    double score = start[0];\n" : ", k;\n");
    if (vectors > 1)
        sot_c_print(&self->output,
                    "    for (k = 0; k < %zu; k++) scores[k] = start[k];\n", vectors);
}

static void write_score(sot_c_exporter *self, const char *argument, const char *passed)
{
    const size_t vectors = sot_c_vectors(self->model);
    sot_c_begin_score(
        self, self->members == NULL ? "; x has a number for each feature" : "", argument);
    write_start(self);
    for (size_t i = 0; i < sot_encoding_blocks(self->encoding); i++) {
        sot_c_text(self, "    bin = ");
        write_place_of_block(self, i);
        if (vectors > 1)
            sot_c_print(&self->output,
                        ";\n    for (k = 0; k < %zu; k++) scores[k] += ", vectors);
        else
            sot_c_text(self, ";\n    score += ");
        sot_c_write(self, "@_curve_");
        sot_c_print(&self->output, vectors > 1 ? "%zu[k][bin];\n" : "%zu[0][bin];\n",
                    i + 1);
    }
    sot_c_text(self, vectors > 1 ? "}\n\n" : "    return score;\n}\n\n");
    sot_c_ending(self, argument, passed);
}

sotto_status sot_c_additive(sot_c_exporter *self, sotto_error *error)
{
    const bool matrix = sotto_schema_is_matrix(self->model->schema);
    if (!matrix) {
        const sotto_status status = write_columns(self, error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = 0; i < sot_encoding_blocks(self->encoding); i++)
        write_tables(self, i);
    if (has_edges(self)) write_bin(self);
    write_score(self, matrix ? "const double *x" : "const @_row *row",
                matrix ? "x" : "row");
    return SOTTO_OK;
}
