/* From a schema to the blocks of an additive model: bins, the grid, the norm. Public facts only. */
#include "data/encode/blocks.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "data/encode/parts.h"
#include "data/schema/friendly.h"
#include "data/schema/matrix.h"
#include "data/schema/parts.h"
#include "numeric/outward.h"

/* ---- edges ---- */

/* Appends an edge if it begins a bin: above the last one and the lower bound, not above the upper one. */
static void add_edge(sot_blocks *blocks, const sotto_column *facts, sot_axis *axis,
                     double edge)
{
    double *edges = blocks->edges + blocks->edge_count;
    const size_t count = axis->bins - 1;
    const double last = count == 0 ? facts->lower : edges[count - 1];
    if (!(edge > last && edge <= facts->upper)) return;
    edges[count] = edge;
    axis->bins++;
}

static double values_of(const sotto_column *facts)
{
    return facts->type == SOTTO_COLUMN_INTEGER ? facts->upper - facts->lower + 1.0
                                               : (double)INFINITY;
}

/* The edges of a number: those of the schema, one before each value of a small integer, or equal widths. */
static void lay_edges(sot_blocks *blocks, sot_axis *axis)
{
    const sotto_column *facts = axis->facts;
    const double values = values_of(facts);
    const size_t bins = blocks->rule.bins;
    axis->bins = 1;
    if (facts->bin_edge_count > 0) {
        for (size_t i = 0; i < facts->bin_edge_count; i++)
            add_edge(blocks, facts, axis, facts->bin_edges[i]);
    } else if (values <= fmax(SOT_BINS_OF_VALUES, (double)bins)) {
        for (size_t i = 1; i < (size_t)values; i++)
            add_edge(blocks, facts, axis, facts->lower + (double)i);
    } else {
        const double width = (facts->upper - facts->lower) / (double)bins;
        for (size_t i = 1; i < bins; i++)
            add_edge(blocks, facts, axis, facts->lower + (double)i * width);
    }
    axis->edges = blocks->edges + blocks->edge_count;
    blocks->edge_count += axis->bins - 1;
}

/* Room for all edges at once, so that they never move. */
static size_t edges_most(const sot_blocks *blocks, const sotto_column *facts)
{
    if (facts->value_count > 0 || facts->type == SOTTO_COLUMN_BOOLEAN) return 0;
    return facts->bin_edge_count > 0
               ? facts->bin_edge_count
               : (size_t)fmax(SOT_BINS_OF_VALUES, (double)blocks->rule.bins);
}

/* ---- blocks ---- */

static void add_block(sot_encoding *encoding, size_t column, const sotto_column *facts)
{
    sot_blocks *blocks = encoding->blocks;
    sot_axis axis = {.column = column, .facts = facts, .ordered = true};
    if (facts->type == SOTTO_COLUMN_CATEGORY) {
        axis.bins = facts->value_count;
        axis.ordered = facts->ordered;
    } else if (facts->type == SOTTO_COLUMN_BOOLEAN) {
        axis.bins = 2;
        axis.ordered =
            false; /* an indicator, whose centred form is shorter than a step */
    } else {
        lay_edges(blocks, &axis);
    }
    if (axis.bins < 2) return; /* all records have the same bin */
    const bool steps = axis.ordered && blocks->rule.basis == SOTTO_BASIS_STEPS;
    blocks->list[blocks->count++] =
        (sot_bin_block){.axis = axis,
                        .bins = axis.bins,
                        .basis = steps ? SOTTO_BASIS_STEPS : SOTTO_BASIS_BINS,
                        .first = encoding->features,
                        .width = steps ? axis.bins - 1 : axis.bins,
                        .value = blocks->values};
    encoding->features += steps ? axis.bins - 1 : axis.bins;
    blocks->values += axis.bins;
}

static sotto_status refuse_unbounded(const char *name, sotto_error *error)
{
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the schema gives %s%.60s%s no bounds, which bins need; add lower and "
        "upper, known without the data%s",
        name == NULL ? "the numbers" : "the column '", name == NULL ? "" : name,
        name == NULL ? "" : "'", name == NULL ? "" : ", or \"type\": \"ignore\"");
}

static bool is_feature(const sot_encoding *encoding, size_t index)
{
    const sotto_column *column = sotto_schema_column(encoding->schema, index);
    return column->type != SOTTO_COLUMN_ID && column->type != SOTTO_COLUMN_IGNORE &&
           index != encoding->target->index;
}

static sotto_status reserve(sot_blocks *blocks, size_t count, size_t edges,
                            sotto_error *error)
{
    blocks->list = sot_new_array(count, sizeof *blocks->list);
    blocks->edges = sot_new_array(edges, sizeof *blocks->edges);
    if (blocks->list != NULL && blocks->edges != NULL) return SOTTO_OK;
    return sot_fail_memory(error, count + edges, sizeof *blocks->list);
}

static sotto_status list_matrix(sot_encoding *encoding, sotto_error *error)
{
    sot_blocks *blocks = encoding->blocks;
    const sotto_column *numbers = sot_schema_numbers(encoding->schema);
    const size_t count = sotto_schema_features(encoding->schema);
    size_t edges;
    if (numbers == NULL) return refuse_unbounded(NULL, error);
    if (!sot_size_mul(count, edges_most(blocks, numbers), &edges)) edges = SIZE_MAX;
    const sotto_status status = reserve(blocks, count, edges, error);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++)
        add_block(encoding, i, numbers);
    return status;
}

static sotto_status list_table(sot_encoding *encoding, sotto_error *error)
{
    sot_blocks *blocks = encoding->blocks;
    const size_t size = sotto_schema_size(encoding->schema);
    size_t edges = 0;
    for (size_t i = 0; i < size; i++) {
        const sotto_column *column = sotto_schema_column(encoding->schema, i);
        if (!is_feature(encoding, i)) continue;
        if (!column->bounded) return refuse_unbounded(column->name, error);
        edges += edges_most(blocks, column);
    }
    const sotto_status status = reserve(blocks, size, edges, error);
    for (size_t i = 0; i < size && status == SOTTO_OK; i++)
        if (is_feature(encoding, i))
            add_block(encoding, i, sotto_schema_column(encoding->schema, i));
    return status;
}

static sotto_status list_blocks(sot_encoding *encoding, sotto_error *error)
{
    const sotto_status status = sotto_schema_is_matrix(encoding->schema)
                                    ? list_matrix(encoding, error)
                                    : list_table(encoding, error);
    if (status != SOTTO_OK) return status;
    if (encoding->blocks->count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema has no column of two bins or more beside the target; "
                        "give at least one that is not an id or ignored");
    }
    if (encoding->features > SOT_SCHEMA_FEATURES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema makes %zu coefficients, one for each bin; at most "
                        "16777216 are supported: give fewer bins, or shorter lists",
                        encoding->features);
    }
    return SOTTO_OK;
}

/* ---- the grid and the norm ---- */

/* The larger and the smaller number of a block's segment, before the grid. */
static double high_of(const sot_bin_block *block)
{
    const double bins = (double)block->bins;
    return block->basis == SOTTO_BASIS_STEPS ? 1.0 / sqrt(bins - 1.0)
                                             : (bins - 1.0) / bins;
}

static double low_of(const sot_bin_block *block)
{
    return block->basis == SOTTO_BASIS_STEPS ? -high_of(block)
                                             : -1.0 / (double)block->bins;
}

double sot_bin_block_squares(const sot_bin_block *block)
{
    const double bins = (double)block->bins;
    return block->basis == SOTTO_BASIS_STEPS ? 1.0 : (bins - 1.0) / bins;
}

/* Squared units of a block's segment: one coordinate is high and the others low, or all are as large as each other. */
static uint64_t squares_of(const sot_bin_block *block, double inverse_unit)
{
    const uint64_t high = (uint64_t)((double)block->high * inverse_unit);
    const uint64_t low = (uint64_t)(-(double)block->low * inverse_unit);
    return block->basis == SOTTO_BASIS_STEPS
               ? block->width * (high * high)
               : high * high + (block->width - 1) * (low * low);
}

static sotto_status lay_grid(sot_encoding *encoding, sotto_error *error)
{
    const sot_blocks *blocks = encoding->blocks;
    const double constant = sotto_schema_intercept(encoding->schema);
    double squares = 0.0;
    for (size_t i = 0; i < blocks->count; i++)
        squares = sot_add_up(squares, sot_bin_block_squares(&blocks->list[i]));
    encoding->bound = sot_sqrt_up(squares);
    sot_encode_set_unit(encoding, fmax(encoding->bound, constant));
    encoding->squares_most = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        sot_bin_block *block = &blocks->list[i];
        const double unit = encoding->unit, inverse = encoding->inverse_unit;
        block->high = (float)(trunc(high_of(block) * inverse) * unit);
        block->low = (float)(trunc(low_of(block) * inverse) * unit);
        encoding->squares_most += squares_of(block, inverse);
        encoding->largest = fmax(encoding->largest, (double)block->high);
    }
    return sot_encode_add_constant(encoding, constant, error);
}

/* ---- names ---- */

void sot_axis_name_bin(const sot_axis *axis, size_t bin, char out[SOT_BIN_NAME_BYTES])
{
    char from[SOT_DOUBLE_TEXT_BYTES], to[SOT_DOUBLE_TEXT_BYTES];
    assert(bin < axis->bins);
    if (axis->facts->type == SOTTO_COLUMN_CATEGORY) {
        (void)snprintf(out, SOT_BIN_NAME_BYTES, "%s", axis->facts->values[bin]);
        return;
    }
    if (axis->edges == NULL) {
        (void)snprintf(out, SOT_BIN_NAME_BYTES, "%s", bin == 0 ? "false" : "true");
        return;
    }
    const double lower = bin == 0 ? axis->facts->lower : axis->edges[bin - 1];
    const bool last = bin + 1 == axis->bins;
    const double upper = last ? axis->facts->upper : axis->edges[bin];
    (void)sot_plain_number(lower, from);
    if ((double)axis->bins == values_of(axis->facts)) {
        (void)snprintf(out, SOT_BIN_NAME_BYTES, "%s", from);
        return;
    }
    (void)snprintf(out, SOT_BIN_NAME_BYTES, "[%s, %s%c", from,
                   sot_plain_number(upper, to), last ? ']' : ')');
}

/* "age=[30, 40)"; of a step "age>=30", and of an ordered category "size>=M". */
static void name_coordinate(const sot_encoding *encoding, const sot_bin_block *block,
                            size_t index, char out[2 * SOT_BIN_NAME_BYTES])
{
    char name[SOT_BIN_NAME_BYTES], place[SOT_DOUBLE_TEXT_BYTES];
    const bool step = block->basis == SOTTO_BASIS_STEPS;
    const sot_axis *axis = &block->axis;
    if (step && axis->edges != NULL) {
        (void)snprintf(name, sizeof name, "%s",
                       sot_plain_number(axis->edges[index], place));
    } else {
        sot_axis_name_bin(axis, step ? index + 1 : index, name);
    }
    (void)snprintf(place, sizeof place, "%zu", axis->column + 1);
    (void)snprintf(out, 2 * SOT_BIN_NAME_BYTES, "%s%s%s",
                   sotto_schema_is_matrix(encoding->schema) ? place : axis->facts->name,
                   step ? ">=" : "=", name);
}

static sotto_status name_features(sot_encoding *encoding, sotto_error *error)
{
    const sot_blocks *blocks = encoding->blocks;
    char name[2 * SOT_BIN_NAME_BYTES];
    size_t size_bytes = sizeof sot_encode_intercept_name;
    for (size_t i = 0; i < blocks->count; i++) {
        for (size_t k = 0; k < blocks->list[i].width; k++) {
            name_coordinate(encoding, &blocks->list[i], k, name);
            size_bytes += strlen(name) + 1; /* at most 2^24 times 2^10 */
        }
    }
    encoding->text = sot_new_array(size_bytes, 1);
    encoding->names = sot_new_array(encoding->features + 1, sizeof *encoding->names);
    if (encoding->text == NULL || encoding->names == NULL)
        return sot_fail_memory(error, size_bytes, 1);
    char *place = encoding->text;
    size_t index = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        for (size_t k = 0; k < blocks->list[i].width; k++) {
            name_coordinate(encoding, &blocks->list[i], k, name);
            place = sot_encode_write_name(&encoding->names[index++], place, name, NULL);
        }
    }
    (void)sot_encode_write_name(&encoding->names[index], place, sot_encode_intercept_name,
                                NULL);
    return SOTTO_OK;
}

/* ---- the door ---- */

sotto_status sot_encoding_new_blocks(const sotto_schema *schema, const char *target,
                                     sot_target_role role, const sot_bins_rule *rule,
                                     sot_encoding **out_encoding, sotto_error *error)
{
    assert(rule->bins >= 2 && rule->bins <= SOT_BINS_MAX);
    sot_encoding *encoding = sot_new_array(1, sizeof *encoding);
    if (encoding == NULL) return sot_fail_memory(error, 1, sizeof *encoding);
    encoding->schema = schema;
    encoding->role = role;
    encoding->blocks = sot_new_array(1, sizeof *encoding->blocks);
    sotto_status status = SOTTO_OK;
    if (encoding->blocks == NULL)
        status = sot_fail_memory(error, 1, sizeof *encoding->blocks);
    if (status == SOTTO_OK) {
        encoding->blocks->rule = *rule;
        status = sot_encode_choose_target(encoding, target, error);
    }
    if (status == SOTTO_OK) status = list_blocks(encoding, error);
    if (status == SOTTO_OK) status = lay_grid(encoding, error);
    if (status == SOTTO_OK) status = name_features(encoding, error);
    if (status != SOTTO_OK) {
        sot_encoding_free(encoding);
        return status;
    }
    *out_encoding = encoding;
    return SOTTO_OK;
}

void sot_blocks_free(sot_blocks *blocks)
{
    if (blocks == NULL) return;
    sot_free(blocks->list);
    sot_free(blocks->edges);
    sot_free(blocks);
}

/* ---- public facts ---- */

size_t sot_encoding_blocks(const sot_encoding *encoding)
{
    return encoding->blocks == NULL ? 0 : encoding->blocks->count;
}

const sot_bin_block *sot_encoding_block(const sot_encoding *encoding, size_t index)
{
    assert(index < sot_encoding_blocks(encoding));
    return &encoding->blocks->list[index];
}

sot_bins_rule sot_encoding_bins_rule(const sot_encoding *encoding)
{
    assert(encoding->blocks != NULL);
    return encoding->blocks->rule;
}

size_t sot_encoding_values(const sot_encoding *encoding)
{
    assert(encoding->blocks != NULL);
    return encoding->blocks->values;
}
