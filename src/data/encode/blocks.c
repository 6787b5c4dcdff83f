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

/* "column=bin & column=bin" */
enum { NAME_BYTES = 4 * SOT_BIN_NAME_BYTES + 16 };

/* ---- blocks ---- */

static bool has_steps(const sot_bins_rule *rule, const sot_axis *axis)
{
    switch (rule->basis) {
    case SOTTO_BASIS_STEPS:
        return axis->ordered;
    case SOTTO_BASIS_MIXED:
        return axis->ordered && !sot_axis_has_own_values(axis->facts, rule->bins);
    case SOTTO_BASIS_BINS:
    case SOTTO_BASIS_AUTO:
        break;
    }
    return false;
}

static void add_block(sot_encoding *encoding, sot_axis axis, sot_axis second)
{
    sot_blocks *blocks = encoding->blocks;
    const size_t bins = axis.bins * (second.bins > 0 ? second.bins : 1);
    if (bins < 2) return; /* all records have the same bin */
    const bool steps = second.bins == 0 && has_steps(&blocks->rule, &axis);
    blocks->list[blocks->count++] =
        (sot_bin_block){.axis = axis,
                        .second = second,
                        .bins = bins,
                        .basis = steps ? SOTTO_BASIS_STEPS : SOTTO_BASIS_BINS,
                        .first = encoding->features,
                        .width = steps ? bins - 1 : bins,
                        .value = blocks->values};
    encoding->features += steps ? bins - 1 : bins;
    blocks->values += bins;
}

static void add_column(sot_encoding *encoding, size_t column, const sotto_column *facts)
{
    sot_blocks *blocks = encoding->blocks;
    const sot_group *group = sot_blocks_group_of(blocks, column);
    if (group != NULL && group->columns[0] != column) return;
    const sot_axis none = {.bins = 0};
    const sot_axis axis =
        group == NULL ? sot_axis_of_column(blocks, column, facts, blocks->rule.bins, true)
                      : (sot_axis){.column = column,
                                   .facts = &group->facts,
                                   .bins = group->count + 1,
                                   .members = group->columns};
    add_block(encoding, axis, none);
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
    if (!sot_size_mul(count, sot_axis_edges_most(numbers, blocks->rule.bins), &edges))
        edges = SIZE_MAX;
    const sotto_status status = reserve(blocks, count, edges, error);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++)
        add_column(encoding, i, numbers);
    return status;
}

/* ---- interactions ---- */

/* Numbers without edges of their own have few bins: a pair has the product. */
static size_t bins_of_interaction(const sot_blocks *blocks)
{
    return blocks->rule.bins < SOT_BINS_OF_INTERACTION ? blocks->rule.bins
                                                       : SOT_BINS_OF_INTERACTION;
}

static sotto_status add_interaction(sot_encoding *encoding, const size_t *columns,
                                    sotto_error *error)
{
    sot_blocks *blocks = encoding->blocks;
    sot_axis axes[2];
    for (size_t i = 0; i < 2; i++) {
        const sotto_column *facts = sotto_schema_column(encoding->schema, columns[i]);
        if (columns[i] == encoding->target->index) {
            return sot_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "the target '%.60s' is in an interaction of the schema; leave "
                "that interaction out",
                facts->name);
        }
        axes[i] = sot_axis_of_column(blocks, columns[i], facts,
                                     bins_of_interaction(blocks), false);
        if (axes[i].bins < 2) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "the column '%.60s' has one bin, and is in an interaction of "
                            "the schema; leave that interaction out",
                            facts->name);
        }
    }
    if (axes[0].bins > SOT_SCHEMA_FEATURES_MAX / axes[1].bins) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the interaction of '%.60s' and '%.60s' has %zu x %zu bins; at most "
            "16777216 coefficients are supported: give fewer bins, or shorter lists",
            axes[0].facts->name, axes[1].facts->name, axes[0].bins, axes[1].bins);
    }
    add_block(encoding, axes[0], axes[1]);
    return SOTTO_OK;
}

static sotto_status list_table(sot_encoding *encoding, sotto_error *error)
{
    sot_blocks *blocks = encoding->blocks;
    const size_t size = sotto_schema_size(encoding->schema);
    const sot_column_lists *pairs = sot_schema_interactions(encoding->schema);
    size_t edges = 0;
    for (size_t i = 0; i < size; i++) {
        const sotto_column *column = sotto_schema_column(encoding->schema, i);
        if (!is_feature(encoding, i)) continue;
        if (!column->bounded) return refuse_unbounded(column->name, error);
        edges += sot_axis_edges_most(column, blocks->rule.bins);
    }
    for (size_t i = 0; i < 2 * pairs->count; i++)
        edges += sot_axis_edges_most(
            sotto_schema_column(encoding->schema, pairs->list[i / 2].columns[i % 2]),
            bins_of_interaction(blocks));
    sotto_status status = reserve(blocks, size + pairs->count, edges, error);
    if (status == SOTTO_OK) status = sot_blocks_list_groups(encoding, error);
    for (size_t i = 0; i < size && status == SOTTO_OK; i++)
        if (is_feature(encoding, i))
            add_column(encoding, i, sotto_schema_column(encoding->schema, i));
    for (size_t i = 0; i < pairs->count && status == SOTTO_OK; i++)
        status = add_interaction(encoding, pairs->list[i].columns, error);
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

/* "age=[30, 40)"; of a step "age>=30", of an ordered category "size>=M", of an interaction "hour=7 & town=Lund". */
static void name_coordinate(const sot_encoding *encoding, const sot_bin_block *block,
                            size_t index, char out[NAME_BYTES])
{
    char bin[SOT_BIN_NAME_BYTES], column[SOT_BIN_NAME_BYTES];
    const bool step = block->basis == SOTTO_BASIS_STEPS;
    const sot_axis *axis = &block->axis, *second = &block->second;
    sot_axis_name(encoding, axis, column);
    if (sot_bin_block_is_interaction(block)) {
        char other[SOT_BIN_NAME_BYTES], place[SOT_BIN_NAME_BYTES];
        sot_axis_name_bin(axis, index / second->bins, bin);
        sot_axis_name_bin(second, index % second->bins, place);
        sot_axis_name(encoding, second, other);
        (void)snprintf(out, NAME_BYTES, "%s=%s & %s=%s", column, bin, other, place);
        return;
    }
    if (step && axis->edges != NULL) {
        char digits[SOT_DOUBLE_TEXT_BYTES];
        (void)snprintf(bin, sizeof bin, "%s",
                       sot_plain_number(axis->edges[index], digits));
    } else {
        sot_axis_name_bin(axis, step ? index + 1 : index, bin);
    }
    (void)snprintf(out, NAME_BYTES, "%s%s%s", column, step ? ">=" : "=", bin);
}

static sotto_status name_features(sot_encoding *encoding, sotto_error *error)
{
    const sot_blocks *blocks = encoding->blocks;
    char name[NAME_BYTES];
    size_t size_bytes = sizeof sot_encode_intercept_name;
    for (size_t i = 0; i < blocks->count; i++) {
        for (size_t k = 0; k < blocks->list[i].width; k++) {
            name_coordinate(encoding, &blocks->list[i], k, name);
            size_bytes += strlen(name) + 1; /* at most 2^24 times 2^11 */
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
    for (size_t i = 0; i < blocks->group_count; i++)
        sot_group_free(&blocks->groups[i]);
    sot_free(blocks->groups);
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
