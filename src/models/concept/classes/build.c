/* A class, feature by feature. Everything comes from the schema and from settings: public. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"
#include "models/concept/classes/parts.h"

/* ---- kinds ---- */

sotto_status sot_concept_read_kind(const sot_json_value *value,
                                   sot_concept_kind *out_kind, sotto_error *error)
{
    const char *name;
    const sotto_status status = sot_json_as_string(value, &name, error);
    if (status != SOTTO_OK) return status;
    for (int i = SOT_CONCEPT_THRESHOLDS; i <= SOT_CONCEPT_CANDIDATES; i++) {
        if (strcmp(name, sot_concept_kind_name((sot_concept_kind)i)) != 0) continue;
        *out_kind = (sot_concept_kind)i;
        return SOTTO_OK;
    }
    return sot_json_refuse(value,
                           "give thresholds, intervals, stumps, rectangles, "
                           "conjunctions, parities or candidates",
                           error);
}

bool sot_concept_is_binary(sot_concept_kind kind)
{
    return kind == SOT_CONCEPT_CONJUNCTIONS || kind == SOT_CONCEPT_PARITIES ||
           kind == SOT_CONCEPT_CANDIDATES;
}

sotto_status sot_concept_begin(sot_concept_builder *builder, sot_concept_kind kind,
                               sotto_error *error)
{
    builder->class = sot_new_array(1, sizeof *builder->class);
    if (builder->class == NULL) return sot_fail_memory(error, 1, sizeof *builder->class);
    builder->class->kind = kind;
    builder->class->both = kind == SOT_CONCEPT_STUMPS;
    builder->class->of_matrix = sotto_schema_is_matrix(builder->schema);
    return SOTTO_OK;
}

sotto_status sot_concept_set_both(sot_concept_builder *builder, bool both,
                                  const sot_json_value *value, sotto_error *error)
{
    const sot_concept_kind kind = builder->class->kind;
    const bool free = kind == SOT_CONCEPT_THRESHOLDS || kind == SOT_CONCEPT_CANDIDATES;
    if (!free && both != builder->class->both) {
        return sot_json_refuse(value,
                               kind == SOT_CONCEPT_STUMPS
                                   ? "stumps are always of both ways; leave it out"
                                   : "only thresholds and candidates may be of both "
                                     "ways; leave it out",
                               error);
    }
    builder->class->both = both;
    return SOTTO_OK;
}

/* ---- features ---- */

static sotto_status reserve(sot_concept_builder *builder, sotto_error *error)
{
    sot_concept_class *class = builder->class;
    const size_t old = builder->room;
    if (class->features < old) return SOTTO_OK;
    if (old >= SOT_CONCEPT_FEATURES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class of concepts has more than %d features, one for each "
                        "value of a category; list fewer \"columns\"",
                        (int)SOT_CONCEPT_FEATURES_MAX);
    }
    const size_t room = old == 0 ? 16 : 2 * old;
    sot_cells_grid *grids = sot_resize_array(class->grids, old, room, sizeof *grids);
    if (grids == NULL) return sot_fail_memory(error, room, sizeof *grids);
    class->grids = grids;
    char **names = sot_resize_array((void *)class->names, old, room, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, room, sizeof *names);
    class->names = names;
    size_t *stems = sot_resize_array(class->stems, old, room, sizeof *stems);
    if (stems == NULL) return sot_fail_memory(error, room, sizeof *stems);
    class->stems = stems;
    uint64_t **weights =
        sot_resize_array((void *)class->weights, old, room, sizeof *weights);
    if (weights == NULL) return sot_fail_memory(error, room, sizeof *weights);
    class->weights = weights;
    builder->room = room;
    return SOTTO_OK;
}

/* Takes ownership of the grid's `cuts`, also on failure. */
static sotto_status append(sot_concept_builder *builder, const sot_cells_grid *grid,
                           sotto_error *error)
{
    char digits[SOT_CONCEPT_PLACE_BYTES];
    char joined[2 * SOT_SCHEMA_NAME_BYTES_MAX + 2];
    const char *name = sot_concept_column_name(builder, grid->column, digits);
    const size_t stem = strlen(name);
    const sotto_column *column = sot_concept_column(builder, grid->column);
    if (grid->indicator && column->type == SOTTO_COLUMN_CATEGORY) {
        snprintf(joined, sizeof joined, "%s=%s", name, column->values[grid->value]);
        name = joined;
    }
    char *copy = NULL;
    sotto_status status = reserve(builder, error);
    if (status == SOTTO_OK) status = sot_copy_text(name, &copy, error);
    if (status != SOTTO_OK) {
        sot_free((void *)(uintptr_t)grid->cuts);
        return status;
    }
    sot_concept_class *class = builder->class;
    class->grids[class->features] = *grid;
    class->stems[class->features] = stem;
    class->names[class->features++] = copy;
    return SOTTO_OK;
}

sotto_status sot_concept_add_indicator(sot_concept_builder *builder, size_t column,
                                       size_t value, sotto_error *error)
{
    const sot_cells_grid grid = {
        .column = column, .indicator = true, .value = value, .cells = 2};
    return append(builder, &grid, error);
}

/* An integer's cells begin at whole numbers: its last one ends above the upper bound. */
static double end_of(const sotto_column *column)
{
    return column->type == SOTTO_COLUMN_INTEGER ? column->upper + 1.0 : column->upper;
}

sotto_status sot_concept_add_equal(sot_concept_builder *builder, size_t column,
                                   uint64_t cells, sotto_error *error)
{
    const sotto_column *described = sot_concept_column(builder, column);
    if (!sot_concept_is_bounded(builder, column) ||
        !(described->lower < end_of(described))) {
        char digits[SOT_CONCEPT_PLACE_BYTES];
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column '%.60s' has no bounds in the schema; add %s, or give "
                        "it cut points "
                        "with `cuts`, or list other \"columns\"",
                        sot_concept_column_name(builder, column, digits),
                        builder->class->of_matrix
                            ? "\"numbers\" with lower and upper to it"
                            : "lower and upper to it");
    }
    const sot_cells_grid grid = {.column = column,
                                 .cells = cells,
                                 .lower = described->lower,
                                 .upper = end_of(described),
                                 .missing = described->missing};
    return append(builder, &grid, error);
}

/* Thresholds beyond the bounds would separate nothing; without bounds they are at most
 * 2^52, as bounds would be. */
static sotto_status read_cuts(const sot_json_value *list, double lower, double upper,
                              double *out_cuts, sotto_error *error)
{
    double before = lower;
    for (size_t i = 0; i < sot_json_size(list); i++) {
        const sot_json_value item = sot_json_item(list, i);
        const sotto_status status = sot_json_as_double(&item, &out_cuts[i], error);
        if (status != SOTTO_OK) return status;
        if (!(out_cuts[i] > before)) {
            return sot_json_refuse(&item,
                                   i == 0
                                       ? "give cut points above the column's lower bound"
                                       : "give increasing cut points",
                                   error);
        }
        if (out_cuts[i] > upper)
            return sot_json_refuse(
                &item, "give cut points up to the column's upper bound", error);
        if (out_cuts[i] == 0.0) out_cuts[i] = 0.0; /* not -0: one spelling */
        before = out_cuts[i];
    }
    return SOTTO_OK;
}

/* Only for people: the range of a plot of numbers without bounds. */
static void frame(sot_cells_grid *grid)
{
    const double first = grid->cuts[0];
    const double last = grid->cuts[grid->cells - 2];
    const double margin = fmax(1.0, last - first);
    grid->lower = first - margin;
    grid->upper = last + margin;
}

sotto_status sot_concept_add_cuts(sot_concept_builder *builder, size_t column,
                                  const sot_json_value *list, sotto_error *error)
{
    const sotto_column *described = sot_concept_column(builder, column);
    const bool bounded = sot_concept_is_bounded(builder, column);
    sotto_status status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(list);
    if (count == 0) return sot_json_refuse(list, "give at least one cut point", error);
    double *cuts = sot_new_array(count, sizeof *cuts);
    if (cuts == NULL) return sot_fail_memory(error, count, sizeof *cuts);
    status = read_cuts(list, bounded ? described->lower : -SOT_SCHEMA_BOUND_MOST,
                       bounded ? described->upper : SOT_SCHEMA_BOUND_MOST, cuts, error);
    if (status != SOTTO_OK) {
        sot_free(cuts);
        return status;
    }
    sot_cells_grid grid = {.column = column,
                           .cells = (uint64_t)count + 1,
                           .missing = described == NULL ? 0.0 : described->missing,
                           .cuts = cuts};
    if (bounded) {
        grid.lower = described->lower;
        grid.upper = described->upper;
    } else {
        frame(&grid);
    }
    return append(builder, &grid, error);
}

sotto_status sot_concept_add_weights(sot_concept_builder *builder, size_t feature,
                                     const sot_json_value *list, sotto_error *error)
{
    const size_t count = (size_t)builder->class->grids[feature].cells + 1;
    sotto_status status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(list) != count) {
        char remedy[96];
        snprintf(
            remedy, sizeof remedy,
            "give %zu weights, not %zu: one per cut point from 0 to the number of cells",
            count, sot_json_size(list));
        return sot_json_refuse(list, remedy, error);
    }
    uint64_t *weights = sot_new_array(count, sizeof *weights);
    if (weights == NULL) return sot_fail_memory(error, count, sizeof *weights);
    builder->class->weights[feature] = weights;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(list, i);
        int64_t weight;
        status = sot_json_as_int64(&item, &weight, error);
        if (status != SOTTO_OK) return status;
        if (weight < 0 || (uint64_t)weight > SOT_CONCEPT_WEIGHT_MOST - sum)
            return sot_json_refuse(
                &item, "give whole numbers from 0 that add up to at most 2^40", error);
        weights[i] = (uint64_t)weight;
        sum += (uint64_t)weight;
    }
    return sum > 0 ? SOTTO_OK
                   : sot_json_refuse(list, "give at least one weight above 0", error);
}

/* ---- the whole ---- */

static sotto_status check_cells(const sot_concept_class *class, sotto_error *error)
{
    for (size_t i = 0; i < class->features && sot_concept_is_binary(class->kind); i++) {
        if (class->grids[i].cells == 2) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column '%.60s' has %llu cells; %s take booleans, values of "
                        "categories and numbers with one cut point: give it with `cuts`, "
                        "or \"bits\" 1",
                        class->names[i], (unsigned long long)class->grids[i].cells,
                        sot_concept_kind_name(class->kind));
    }
    return SOTTO_OK;
}

static sotto_status check_count(const sot_concept_class *class, sotto_error *error)
{
    const char *kind = sot_concept_kind_name(class->kind);
    const size_t count = class->features;
    const bool masks =
        class->kind == SOT_CONCEPT_CONJUNCTIONS || class->kind == SOT_CONCEPT_PARITIES;
    const bool single =
        class->kind == SOT_CONCEPT_THRESHOLDS || class->kind == SOT_CONCEPT_INTERVALS;
    if (count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema has no column that fits the class %s; %s", kind,
                        sot_concept_is_binary(class->kind)
                            ? "it takes booleans, values of categories, and numbers with "
                              "one cut point"
                            : "name one with \"columns\"");
    }
    if (single && count != 1) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the class %s is of one column, and %zu features fit or are named; "
            "name one with \"columns\", for example '%.60s'",
            kind, count, class->names[0]);
    }
    if (masks && count > SOT_CONCEPT_BITS_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the class %s has %zu features; it scores 2^%d concepts and so takes up to "
            "%d features; list the relevant ones with \"columns\"",
            kind, count, (int)SOT_CONCEPT_BITS_MAX, (int)SOT_CONCEPT_BITS_MAX);
    }
    return SOTTO_OK;
}

sotto_status sot_concept_finish(const sot_concept_builder *builder, sotto_error *error)
{
    sot_concept_class *class = builder->class;
    const char *twice = NULL;
    sotto_status status = check_count(class, error);
    if (status == SOTTO_OK) status = check_cells(class, error);
    if (status == SOTTO_OK)
        status = sot_schema_find_double((const char *const *)class->names,
                                        class->features, &twice, error);
    if (status == SOTTO_OK && twice != NULL) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the class of concepts names '%.60s' twice; give each column "
                          "once",
                          twice);
    }
    bool weighs = false;
    for (size_t i = 0; i < class->features; i++)
        weighs = weighs || class->weights[i] != NULL;
    if (!weighs) {
        sot_free((void *)class->weights);
        class->weights = NULL;
    }
    return status;
}
