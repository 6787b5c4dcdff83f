/* Additive models: the contributions of bins to the score. */
#include "artifact/model_file/additive.h"

#include <math.h>

#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "data/encode/blocks.h"

sotto_status sot_model_read_blocks(const sot_json_value *root, sotto_model *model,
                                   sotto_error *error)
{
    sot_json_value settings;
    const char *word = NULL;
    double bins = 0.0;
    sot_bins_rule rule;
    sotto_error why;
    sotto_status status = sot_json_get_object(root, "settings", &settings, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(&settings, "basis", &word, error);
    if (status == SOTTO_OK &&
        (sotto_basis_from_name(word, &rule.basis, &why) != SOTTO_OK ||
         rule.basis == SOTTO_BASIS_AUTO))
        status = sot_json_refuse(&settings, "its basis is bins, steps or mixed", error);
    if (status == SOTTO_OK) status = sot_json_get_double(&settings, "bins", &bins, error);
    if (status == SOTTO_OK &&
        !(bins >= 2.0 && bins <= SOT_BINS_MAX && bins == (double)(size_t)bins))
        status = sot_json_refuse(&settings, "it has from 2 to 1024 bins", error);
    if (status != SOTTO_OK) return status;
    rule.bins = (size_t)bins;
    return sot_encoding_new_blocks(
        model->schema, NULL,
        sot_model_role(model->kind, sotto_schema_target(model->schema)), &rule,
        &model->encoding, error);
}

sotto_status sot_model_read_additive(const sot_json_value *root, sotto_model *model,
                                     sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    const size_t values = sot_encoding_values(model->encoding) + 1;
    const size_t vectors = model->draws * model->margins;
    const sotto_status status = sot_model_read_coefficients(root, model, error);
    if (status != SOTTO_OK) return status;
    model->curves = sot_new_array(vectors, values * sizeof *model->curves);
    if (model->curves == NULL)
        return sot_fail_memory(error, vectors, values * sizeof *model->curves);
    for (size_t k = 0; k < vectors; k++)
        sot_encoding_curves(model->encoding, model->coefficients + k * dimension,
                            model->curves + k * values);
    return SOTTO_OK;
}

/* ---- several posterior samples ---- */

static size_t numbers_of(const sotto_model *model)
{
    return model->margins * (sot_encoding_values(model->encoding) + 1);
}

double sot_model_curve_value(const sotto_model *model, size_t index)
{
    double sum = 0.0;
    for (size_t k = 0; k < model->draws; k++)
        sum += model->curves[k * numbers_of(model) + index];
    return sum / (double)model->draws;
}

double sot_model_curve_spread(const sotto_model *model, size_t index)
{
    const double mean = sot_model_curve_value(model, index);
    double squares = 0.0;
    if (model->draws == 1) return 0.0;
    for (size_t k = 0; k < model->draws; k++) {
        const double apart = model->curves[k * numbers_of(model) + index] - mean;
        squares += apart * apart;
    }
    return sqrt(squares / (double)(model->draws - 1));
}

size_t sot_model_shown(const sotto_model *model)
{
    return model->curves == NULL ? model->coefficient_count : numbers_of(model);
}

double sot_model_shown_spread(const sotto_model *model, size_t index)
{
    return model->curves == NULL ? sot_model_spread(model, index)
                                 : sot_model_curve_spread(model, index);
}

/* ---- for plots ---- */

static void write_bins(sot_json_writer *writer, const sot_axis *axis)
{
    char name[SOT_BIN_NAME_BYTES];
    if (axis->edges == NULL) {
        sot_json_open_array(writer, "values");
        for (size_t i = 0; i < axis->bins; i++) {
            sot_axis_name_bin(axis, i, name);
            sot_json_write_string(writer, name);
        }
        sot_json_end_array(writer);
        return;
    }
    sot_json_put_double(writer, "lower", axis->facts->lower);
    sot_json_put_double(writer, "upper", axis->facts->upper);
    sot_json_open_array(writer, "edges");
    for (size_t i = 0; i + 1 < axis->bins; i++)
        sot_json_write_double(writer, axis->edges[i]);
    sot_json_end_array(writer);
}

static void write_axis(sot_json_writer *writer, const sotto_model *model,
                       const sot_axis *axis)
{
    if (sotto_schema_is_matrix(model->schema))
        sot_json_put_whole(writer, "column", axis->column + 1);
    else
        sot_json_put_text(writer, "column", axis->facts->name);
    write_bins(writer, axis);
}

/* Two axes, or the one axis itself. */
static void write_axes(sot_json_writer *writer, const sotto_model *model,
                       const sot_bin_block *block)
{
    if (!sot_bin_block_is_interaction(block)) {
        write_axis(writer, model, &block->axis);
        return;
    }
    const sot_axis *const axes[] = {&block->axis, &block->second};
    sot_json_open_array(writer, "interaction");
    for (size_t i = 0; i < 2; i++) {
        sot_json_begin_object(writer);
        write_axis(writer, model, axes[i]);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
}

/* The numbers of a margin from `index` on; of an interaction a list for each bin of the first column. */
static void write_values(sot_json_writer *writer, const sotto_model *model,
                         const sot_bin_block *block, size_t index)
{
    const size_t lists = sot_bin_block_is_interaction(block) ? block->axis.bins : 1;
    const size_t length = block->bins / lists;
    if (lists > 1) sot_json_begin_array(writer);
    for (size_t k = 0; k < lists; k++) {
        sot_json_begin_array(writer);
        for (size_t i = 0; i < length; i++)
            sot_json_write_double(writer,
                                  sot_model_curve_value(model, index + k * length + i));
        sot_json_end_array(writer);
    }
    if (lists > 1) sot_json_end_array(writer);
}

static void write_curve(sot_json_writer *writer, const sotto_model *model,
                        const sot_bin_block *block)
{
    const size_t stride = sot_encoding_values(model->encoding) + 1;
    sot_json_begin_object(writer);
    write_axes(writer, model, block);
    sot_json_open_array(writer, "adds");
    for (size_t k = 0; k < model->margins; k++)
        write_values(writer, model, block, k * stride + block->value);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

sotto_status sotto_model_curves(const sotto_model *model, char **out_json,
                                sotto_error *error)
{
    sot_json_writer *writer = NULL;
    if (model->curves == NULL) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the model is %s, which has no curves; only additive models have",
                        sotto_model_kind_name(model->kind));
    }
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_array(writer);
    for (size_t i = 0; i < sot_encoding_blocks(model->encoding); i++)
        write_curve(writer, model, sot_encoding_block(model->encoding, i));
    sot_json_end_array(writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}
