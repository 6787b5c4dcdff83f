/* Axes of additive models: the bins of one column, or of a list of exclusive booleans, and their names. Public facts
 * only. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/encode/blocks.h"
#include "data/encode/parts.h"
#include "data/schema/friendly.h"
#include "data/schema/parts.h"

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

bool sot_axis_has_own_values(const sotto_column *facts, size_t bins)
{
    return facts->bin_edge_count == 0 &&
           values_of(facts) <= fmax(SOT_BINS_OF_VALUES, (double)bins);
}

/* Amounts begin at 0, and most of them are small. So the first of the bins of equal width is halved several times.
 * The new bins cost little where amounts spread, and gain much where the upper bound is loose. */
static void halve_first_bin(sot_blocks *blocks, sot_axis *axis, double width)
{
    if (axis->facts->lower != 0.0) return;
    for (int i = SOT_BINS_HALVINGS; i > 0; i--) {
        const double edge = ldexp(width, -i);
        add_edge(blocks, axis->facts, axis,
                 axis->facts->type == SOTTO_COLUMN_INTEGER ? ceil(edge) : edge);
    }
}

/* The edges of a number: those of the schema, one before each value of a small integer, or equal widths. */
static void lay_edges(sot_blocks *blocks, sot_axis *axis, size_t bins, bool halves)
{
    const sotto_column *facts = axis->facts;
    const double values = values_of(facts);
    axis->bins = 1;
    if (facts->bin_edge_count > 0) {
        for (size_t i = 0; i < facts->bin_edge_count; i++)
            add_edge(blocks, facts, axis, facts->bin_edges[i]);
    } else if (sot_axis_has_own_values(axis->facts, bins)) {
        for (size_t i = 1; i < (size_t)values; i++)
            add_edge(blocks, facts, axis, facts->lower + (double)i);
    } else {
        const double width = (facts->upper - facts->lower) / (double)bins;
        if (halves) halve_first_bin(blocks, axis, width);
        for (size_t i = 1; i < bins; i++)
            add_edge(blocks, facts, axis, facts->lower + (double)i * width);
    }
    axis->edges = blocks->edges + blocks->edge_count;
    blocks->edge_count += axis->bins - 1;
}

/* Room for all edges at once, so that they never move. */
size_t sot_axis_edges_most(const sotto_column *facts, size_t bins)
{
    if (facts->value_count > 0 || facts->type == SOTTO_COLUMN_BOOLEAN) return 0;
    return facts->bin_edge_count > 0
               ? facts->bin_edge_count
               : (size_t)fmax(SOT_BINS_OF_VALUES, (double)bins) + SOT_BINS_HALVINGS;
}

sot_axis sot_axis_of_column(sot_blocks *blocks, size_t column, const sotto_column *facts,
                            size_t bins, bool halves)
{
    sot_axis axis = {.column = column, .facts = facts, .ordered = true};
    if (facts->type == SOTTO_COLUMN_CATEGORY) {
        axis.bins = facts->value_count;
        axis.ordered = facts->ordered;
    } else if (facts->type == SOTTO_COLUMN_BOOLEAN) {
        axis.bins = 2;
        axis.ordered =
            false; /* an indicator, whose centred form is shorter than a step */
    } else {
        lay_edges(blocks, &axis, bins, halves);
    }
    return axis;
}

/* ---- exclusive booleans ---- */

static const char none_of_them[] = "none of them";

/* "soil_1 ... soil_40" */
static sotto_status name_group(sot_group *group, const char *first, const char *last,
                               sotto_error *error)
{
    const size_t size_bytes = strlen(first) + strlen(last) + sizeof " ... ";
    char *name = sot_new_array(size_bytes, 1);
    if (name == NULL) return sot_fail_memory(error, size_bytes, 1);
    (void)snprintf(name, size_bytes, "%s%s%s", first, group->count > 1 ? " ... " : "",
                   group->count > 1 ? last : "");
    group->facts.name = name;
    return SOTTO_OK;
}

static sotto_status make_group(const sot_encoding *encoding, const sot_column_list *list,
                               sot_group *group, sotto_error *error)
{
    const sotto_schema *schema = encoding->schema;
    const char **values = sot_new_array(list->count + 1, sizeof *values);
    group->facts.values = values;
    group->columns = sot_new_array(list->count, sizeof *group->columns);
    if (values == NULL || group->columns == NULL)
        return sot_fail_memory(error, list->count + 1, sizeof *values);
    for (size_t i = 0; i < list->count; i++) {
        if (list->columns[i] == encoding->target->index) continue;
        values[group->count] = sotto_schema_column(schema, list->columns[i])->name;
        group->columns[group->count++] = list->columns[i];
    }
    values[group->count] = none_of_them;
    group->facts.type = SOTTO_COLUMN_CATEGORY;
    group->facts.bounded = true;
    group->facts.value_count = group->count + 1;
    group->facts.upper = group->facts.missing = (double)group->count;
    group->facts.scaling = SOTTO_SCALE_NONE;
    group->facts.width = 1.0;
    return name_group(group, values[0], values[group->count - 1], error);
}

sotto_status sot_blocks_list_groups(sot_encoding *encoding, sotto_error *error)
{
    sot_blocks *blocks = encoding->blocks;
    const sot_column_lists *lists = sot_schema_exclusive(encoding->schema);
    sotto_status status = SOTTO_OK;
    blocks->groups = sot_new_array(lists->count, sizeof *blocks->groups);
    if (blocks->groups == NULL)
        return sot_fail_memory(error, lists->count, sizeof *blocks->groups);
    for (size_t i = 0; i < lists->count && status == SOTTO_OK; i++)
        status = make_group(encoding, &lists->list[i],
                            &blocks->groups[blocks->group_count++], error);
    return status;
}

void sot_group_free(sot_group *group)
{
    sot_free((char *)(uintptr_t)group->facts.name);
    sot_free((char **)(uintptr_t)group->facts.values);
    sot_free(group->columns);
}

const sot_group *sot_blocks_group_of(const sot_blocks *blocks, size_t column)
{
    for (size_t i = 0; i < blocks->group_count; i++)
        for (size_t k = 0; k < blocks->groups[i].count; k++)
            if (blocks->groups[i].columns[k] == column) return &blocks->groups[i];
    return NULL;
}

/* ---- names ---- */

void sot_axis_name(const sot_encoding *encoding, const sot_axis *axis,
                   char out[SOT_BIN_NAME_BYTES])
{
    if (sotto_schema_is_matrix(encoding->schema))
        (void)snprintf(out, SOT_BIN_NAME_BYTES, "%zu", axis->column + 1);
    else
        (void)snprintf(out, SOT_BIN_NAME_BYTES, "%s", axis->facts->name);
}

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
