/* A model as a C header: the encoding of src/data/encode/encode.c and the sum of
 * artifact/model_file/predict.c, for one schema. The same operations on the same doubles in the
 * same order give the same bits, if the compiler does not fuse products into sums. (It does not
 * in ISO mode.) */
#include <stdio.h>
#include <string.h>

#include <sotto/version.h>

#include "artifact/export/export.h"
#include "artifact/page/templates.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/encode/parts.h"

/* ---- common to both kinds of rows ---- */

static void write_clean(sot_c_exporter *self)
{
    sot_c_template(self, sot_template_clean_c);
}

static void write_number(sot_c_exporter *self)
{
    write_clean(self);
    sot_c_template(self, sot_template_number_c);
}

/* The facts about a column that @_number() wants, behind the cell. */
static void write_facts(sot_c_exporter *self, const sotto_column *column)
{
    const double numbers[] = {column->lower, column->upper, column->missing,
                              column->center, column->width};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sot_c_text(self, i == 0 ? ",\n        " : ", ");
        sot_c_value(self, numbers[i]);
    }
}

/* sot_encode(): append() and shorten(). Shortening k times takes k units off every feature. */
static void write_units(sot_c_exporter *self)
{
    sot_c_template(self, sot_template_units_c);
}

/* sot_encode(): factor_of(). */
static void write_factor(sot_c_exporter *self)
{
    if (!self->encoding->cut) return;
    sot_c_write(self, "/* Brings a row of this squared norm to the bound on it. */\n"
                      "static inline double @_factor(double squares)\n"
                      "{\n"
                      "    const double norm = sqrt(squares);\n"
                      "    if (norm > ");
    sot_c_value(self,
                self->encoding->rule == SOTTO_NORM_SCALE ? 0.0 : self->encoding->bound);
    sot_c_text(self, ") return ");
    sot_c_value(self, self->encoding->bound);
    sot_c_text(self, " / norm * ");
    sot_c_value(self, self->encoding->inverse_unit);
    sot_c_text(self, ";\n    return ");
    sot_c_value(self, self->encoding->inverse_unit);
    sot_c_text(self, ";\n}\n\n");
}

/* One score, which is the function's result. */
static bool is_plain(const sot_c_exporter *self)
{
    return sot_c_vectors(self->model) == 1 && self->model->net == NULL;
}

/* "score += coefficient * ", or the same for every class; of a network the feature itself is kept. */
static void write_product(sot_c_exporter *self, const char *place)
{
    if (self->model->net != NULL) {
        sot_c_print(&self->output, "features[%s] = (float)", place);
        return;
    }
    if (sot_c_vectors(self->model) > 1) {
        sot_c_print(&self->output, "for (k = 0; k < %zu; k++)\n            scores[k] += ",
                    sot_c_vectors(self->model));
        sot_c_write(self, "@_coefficients[k][");
    } else {
        sot_c_write(self, "score += @_coefficients[");
    }
    sot_c_print(&self->output, "%s] * ", place);
}

/* Writes the rest of @_score(): `value` is the i-th feature before the norm, `place` the
 * index of its coefficient. */
static void write_sum(sot_c_exporter *self, size_t count, const char *value,
                      const char *place)
{
    const sot_encoding *encoding = self->encoding;
    sot_output *output = &self->output;
    if (encoding->cut) {
        sot_c_print(output, "    for (i = 0; i < %zu; i++) squares += %s * %s;\n", count,
                    value, value);
        sot_c_write(self, "    factor = @_factor(squares);\n"
                          "    /* Rounding may have left it a few units too long. */\n"
                          "    do {\n"
                          "        unsigned long long length = 0;\n"
                          "        too_long = 0;\n");
        sot_c_print(output, "        for (i = 0; i < %zu && !too_long; i++) {\n", count);
        sot_c_write(self, "            const double units = @_units(");
        sot_c_print(output, "%s, factor, shorter);\n", value);
        sot_c_text(self, "            length += (unsigned long long)(units * units);\n");
        sot_c_print(output, "            too_long = length > %lluULL;\n",
                    (unsigned long long)encoding->squares_most);
        sot_c_text(self, "        }\n"
                         "        shorter += too_long;\n"
                         "    } while (too_long);\n");
    }
    sot_c_print(output, "    for (i = 0; i < %zu; i++) {\n", count);
    sot_c_write(self, "        const float feature = (float)(@_units(");
    sot_c_print(output, "%s, factor, shorter) * ", value);
    sot_c_value(self, encoding->unit);
    sot_c_text(self, ");\n        ");
    write_product(self, place);
    sot_c_text(self, "(double)feature;\n    }\n");
    if (encoding->intercept > 0.0 && self->model->net == NULL) {
        char last[24];
        (void)snprintf(last, sizeof last, "%zu", encoding->features);
        sot_c_text(self, "    ");
        write_product(self, last);
        sot_c_value(self, (double)(float)encoding->intercept);
        sot_c_text(self, ";\n");
    }
    sot_c_text(self, is_plain(self) ? "    return score;\n}\n\n" : "}\n\n");
}

static void write_locals(sot_c_exporter *self)
{
    sot_c_text(self, "    double factor = ");
    sot_c_value(self, self->encoding->inverse_unit);
    sot_c_text(self, ", shorter = 0.0");
    if (is_plain(self)) sot_c_text(self, ", score = 0.0");
    sot_c_text(self,
               self->encoding->cut ? ", squares = 0.0;\n    int too_long;\n" : ";\n");
    if (self->model->net != NULL) {
        sot_c_print(&self->output, "    for (i = 0; i < %zu; i++) features[i] = 0.0f;\n",
                    self->encoding->features);
        return;
    }
    if (is_plain(self)) return;
    sot_c_print(&self->output,
                "    size_t k;\n    for (k = 0; k < %zu; k++) scores[k] = 0.0;\n",
                sot_c_vectors(self->model));
}

static void begin_rows(sot_c_exporter *self, const char *remark, const char *argument)
{
    if (self->model->net == NULL) {
        sot_c_begin_score(self, remark, argument);
        return;
    }
    sot_c_write(self, "/* A row as the network sees it. */\n"
                      "static inline void @_encode(");
    sot_c_write(self, argument);
    sot_c_text(self, ", float *features)\n{\n");
}

static void end_rows(sot_c_exporter *self, const char *argument, const char *passed)
{
    if (self->model->net != NULL) sot_c_network(self, argument, passed);
    sot_c_ending(self, argument, passed);
}

/* ---- rows of a table ---- */

void sot_c_row_member(sot_c_exporter *self, const sotto_column *column, size_t index)
{
    const char *member = self->members[index];
    char lower[SOT_DOUBLE_TEXT_BYTES], upper[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(column->lower, lower);
    sot_format_double(column->upper, upper);
    if (column->type == SOTTO_COLUMN_CATEGORY) {
        sot_c_print(&self->output, "    const char *%s; /* ", member);
        sot_c_comment(&self->output, column->name);
        sot_c_write(self, ": one of @_values_");
        sot_c_print(&self->output, "%zu */\n", index + 1);
        return;
    }
    const bool is_boolean = column->type == SOTTO_COLUMN_BOOLEAN;
    sot_c_print(&self->output, "    %s %s; /* ", is_boolean ? "int" : "double", member);
    sot_c_comment(&self->output, column->name);
    if (is_boolean) {
        sot_c_text(self, ": 0 or 1 */\n");
    } else {
        sot_c_print(&self->output, ": %s to %s%s */\n", lower, upper,
                    column->type == SOTTO_COLUMN_INTEGER ? ", whole" : "");
    }
}

void sot_c_values(sot_c_exporter *self, const sotto_column *column, size_t index)
{
    if (column->type != SOTTO_COLUMN_CATEGORY) return;
    sot_c_write(self, "static const char *const @_values_");
    sot_c_print(&self->output, "%zu[%zu] = {\n", index + 1, column->value_count);
    for (size_t i = 0; i < column->value_count; i++) {
        sot_c_text(self, "    ");
        sot_c_string(&self->output, column->values[i]);
        sot_c_text(self, ",\n");
    }
    sot_c_text(self, "};\n\n");
}

/* The booleans of exclusive lists have their names behind those of the parts. */
static size_t first_member(const sot_c_exporter *self, size_t part)
{
    size_t first = self->encoding->part_count;
    for (size_t i = 0; i < part; i++)
        first += self->encoding->parts[i].member_count;
    return first;
}

static void write_list(sot_c_exporter *self, size_t index)
{
    const sot_encode_part *part = &self->encoding->parts[index];
    const size_t first = first_member(self, index);
    for (size_t k = 0; k < part->member_count; k++)
        sot_c_row_member(self, sotto_schema_column(self->model->schema, part->members[k]),
                         first + k);
}

static void write_row(sot_c_exporter *self)
{
    const size_t count = self->encoding->part_count;
    for (size_t i = 0; i < count; i++)
        sot_c_values(self, self->encoding->parts[i].column, i);
    sot_c_write(self, "/* A missing cell: NAN, NULL, or anything that is not listed "
                      "here. */\ntypedef struct @_row {\n");
    for (size_t i = 0; i < count; i++) {
        if (self->encoding->parts[i].members != NULL)
            write_list(self, i);
        else
            sot_c_row_member(self, self->encoding->parts[i].column, i);
    }
    sot_c_write(self, "} @_row;\n\n");
}

static bool has_type(const sot_c_exporter *self, bool category)
{
    for (size_t i = 0; i < self->encoding->part_count; i++) {
        const sotto_column_type type = self->encoding->parts[i].column->type;
        if ((type == SOTTO_COLUMN_CATEGORY) == category) return true;
    }
    return false;
}

void sot_c_place(sot_c_exporter *self)
{
    sot_c_write(
        self,
        "static inline size_t @_place(const char *cell, const char *const *values,\n"
        "    size_t count, size_t missing)\n"
        "{\n"
        "    size_t i;\n"
        "    for (i = 0; cell != NULL && i < count; i++)\n"
        "        if (strcmp(cell, values[i]) == 0) return i;\n"
        "    return missing;\n"
        "}\n\n");
}

static void write_cells(sot_c_exporter *self)
{
    if (has_type(self, false)) write_number(self);
    if (has_type(self, true)) sot_c_place(self);
}

void sot_c_place_of(sot_c_exporter *self, const sotto_column *column, size_t index)
{
    sot_c_write(self, "@_place(");
    sot_c_print(&self->output, "row->%s, ", self->members[index]);
    sot_c_write(self, "@_values_");
    sot_c_print(&self->output, "%zu, %zu, %zu)", index + 1, column->value_count,
                (size_t)column->missing);
}

void sot_c_cell(sot_c_exporter *self, const sotto_column *column, size_t index)
{
    const char *member = self->members[index];
    if (column->type == SOTTO_COLUMN_BOOLEAN) {
        sot_c_print(&self->output,
                    "row->%s == 0 || row->%s == 1 ? (double)row->%s : ", member, member,
                    member);
        sot_c_value(self, column->missing);
    } else if (column->type == SOTTO_COLUMN_INTEGER) {
        sot_c_print(&self->output, "row->%s == floor(row->%s) ? row->%s : ", member,
                    member, member);
        sot_c_value(self, column->missing);
    } else {
        sot_c_print(&self->output, "row->%s", member);
    }
}

/* The first boolean of an exclusive list that is 1, by assignments from the last one to the first. */
static void write_first_true(sot_c_exporter *self, size_t index)
{
    const sot_encode_part *part = &self->encoding->parts[index];
    const size_t first = first_member(self, index);
    sot_c_print(&self->output, "    value[%zu] = 0.0;\n    place[%zu] = %zu;\n", index,
                index, part->first);
    for (size_t k = part->member_count; k-- > 0;)
        sot_c_print(&self->output,
                    "    if (row->%s == 1) value[%zu] = 1.0, place[%zu] = %zu;\n",
                    self->members[first + k], index, index, part->first + k);
}

/* value[i] and place[i] of one column. */
static void write_part(sot_c_exporter *self, size_t index)
{
    const sot_encode_part *part = &self->encoding->parts[index];
    const sotto_column *column = part->column;
    sot_output *output = &self->output;
    if (part->members != NULL) {
        write_first_true(self, index);
        return;
    }
    if (column->type == SOTTO_COLUMN_CATEGORY) {
        sot_c_print(output, "    value[%zu] = 1.0;\n    place[%zu] = %zu + ", index,
                    index, part->first);
        sot_c_place_of(self, column, index);
        sot_c_text(self, ";\n");
        return;
    }
    sot_c_print(output, "    value[%zu] = ", index);
    sot_c_write(self, "@_number(");
    sot_c_cell(self, column, index);
    write_facts(self, column);
    sot_c_print(output, ");\n    place[%zu] = %zu;\n", index, part->first);
}

static void name_members(sot_c_exporter *self)
{
    const sot_encoding *encoding = self->encoding;
    for (size_t i = 0; i < encoding->part_count; i++) {
        const sot_encode_part *part = &encoding->parts[i];
        const size_t first = first_member(self, i);
        sot_c_member(part->column->name, i + 1, self->members[i]);
        for (size_t k = 0; k < part->member_count; k++)
            sot_c_member(sotto_schema_column(self->model->schema, part->members[k])->name,
                         first + k + 1, self->members[first + k]);
    }
}

static sotto_status write_table(sot_c_exporter *self, sotto_error *error)
{
    const size_t count = self->encoding->part_count;
    const size_t names = first_member(self, count);
    self->members = sot_new_array(names, sizeof *self->members);
    if (self->members == NULL)
        return sot_fail_memory(error, names, sizeof *self->members);
    name_members(self);
    write_row(self);
    write_cells(self);
    write_units(self);
    write_factor(self);
    begin_rows(self, "", "const @_row *row");
    sot_c_print(&self->output, "    double value[%zu];\n    size_t place[%zu], i;\n",
                count, count);
    write_locals(self);
    for (size_t i = 0; i < count; i++)
        write_part(self, i);
    write_sum(self, count, "value[i]", "place[i]");
    end_rows(self, "const @_row *row", "row");
    return SOTTO_OK;
}

/* ---- rows of a matrix ---- */

static void write_matrix(sot_c_exporter *self)
{
    const sotto_column *numbers = self->encoding->numbers;
    if (numbers == NULL) {
        write_clean(self);
    } else {
        write_number(self);
        sot_c_write(self, "static inline double @_feature(double number)\n{\n"
                          "    return @_number(number");
        write_facts(self, numbers);
        sot_c_text(self, ");\n}\n\n");
    }
    write_units(self);
    write_factor(self);
    begin_rows(self, "; x has a number for each feature", "const double *x");
    sot_c_text(self, "    size_t i;\n");
    write_locals(self);
    char value[SOT_C_NAME_BYTES];
    (void)snprintf(value, sizeof value, "%s_%s(x[i])", self->name,
                   numbers == NULL ? "clean" : "feature");
    write_sum(self, self->encoding->features, value, "i");
    end_rows(self, "const double *x", "x");
}

/* ---- the public door ---- */

sotto_status sotto_model_export_c(const sotto_model *model, const char *name,
                                  char **out_text, sotto_error *error)
{
    if (!sot_c_is_prefix(name)) {
        char shown[64];
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`name` is '%s'; give a letter and up to 30 letters, digits and "
                        "_ after it, for example `name=smoker`",
                        sot_printable(name, shown, sizeof shown));
    }
    sot_c_exporter self = {.model = model, .encoding = model->encoding, .name = name};
    sotto_status status = SOTTO_OK;
    if (model->net != NULL) status = sot_c_check_network(model->net, error);
    if (sot_c_vectors(model) > SOT_C_SCORES_MAX) {
        status = sot_fail(error, SOTTO_UNSUPPORTED,
                          "the model has %zu posterior samples with %zu scores each; a "
                          "header holds at most %d scores per row",
                          model->draws, model->margins, (int)SOT_C_SCORES_MAX);
    }
    if (status != SOTTO_OK) return status;
    sot_c_opening(&self);
    if (model->net != NULL) {
        sot_c_parameters(&self);
        sot_c_classes(&self);
    } else if (model->concept != NULL || model->curves != NULL) {
        sot_c_classes(&self);
    } else {
        sot_c_coefficients(&self);
    }
    if (model->concept != NULL) {
        status = sot_c_concept(&self, error);
    } else if (model->curves != NULL) {
        status = sot_c_additive(&self, error);
    } else if (sotto_schema_is_matrix(model->schema)) {
        write_matrix(&self);
    } else {
        status = write_table(&self, error);
    }
    sot_free(self.members);
    if (status == SOTTO_OK && self.output.failed)
        status = sot_fail_memory(error, 2 * self.output.capacity_bytes, 1);
    if (status != SOTTO_OK) {
        sot_free(self.output.text);
        return status;
    }
    *out_text = self.output.text;
    return SOTTO_OK;
}
