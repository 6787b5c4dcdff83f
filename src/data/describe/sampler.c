#include "data/describe/sampler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/encode/encode.h"
#include "data/schema/friendly.h"
#include "data/schema/matrix.h"
#include "data/schema/parts.h"
#include "random/rng.h"

enum { ENTRIES_MOST = 16, UNIT_BYTES = 32 };

struct sot_sampler {
    const sotto_schema *schema;
    sotto_rng *rng;
    sotto_target own;
    const sotto_target *target; /* NULL: none */
    sot_encoding *encoding;     /* NULL: nothing to learn; labels follow no rule */
    double *weights;
    sot_features features;
    double *cells;
    uint32_t indices[ENTRIES_MOST];
    double values[ENTRIES_MOST];
    char unit[UNIT_BYTES];
    uint64_t rows;
};

static double uniform(sotto_rng *rng)
{
    return (double)(sot_rng_u64(rng) >> 11) * 0x1p-53;
}

/* ---- the rule behind the labels ---- */

static sotto_status make_rule(sot_sampler *sampler, const char *target,
                              sotto_error *error)
{
    sotto_error why;
    const sotto_status status =
        sot_encoding_new(sampler->schema, target, sot_target_role_of(sampler->target),
                         &sampler->encoding, &why);
    if (status == SOTTO_INVALID_ARGUMENT) return SOTTO_OK;
    if (status != SOTTO_OK) return sot_fail(error, status, "%s", why.message);
    const size_t dimension = sot_encoding_dimension(sampler->encoding);
    sampler->weights = sot_new_array(dimension, sizeof *sampler->weights);
    sampler->features.indices = sot_new_array(dimension, sizeof(uint32_t));
    sampler->features.values = sot_new_array(dimension, sizeof(float));
    if (sampler->weights == NULL || sampler->features.indices == NULL ||
        sampler->features.values == NULL)
        return sot_fail_memory(error, dimension, sizeof *sampler->weights);
    /* Margins of a few units for rows as long as the bound: most labels are clear, some are not. */
    const double size = 10.0 / sot_encoding_bound(sampler->encoding);
    for (size_t i = 0; i < dimension; i++)
        sampler->weights[i] = size * (2.0 * uniform(sampler->rng) - 1.0);
    return SOTTO_OK;
}

static double margin_of(sot_sampler *sampler, const sot_record *record)
{
    double margin = 0.0;
    sot_encode(sampler->encoding, record, &sampler->features);
    for (size_t i = 0; i < sampler->features.count; i++)
        margin += sampler->weights[sampler->features.indices[i]] *
                  (double)sampler->features.values[i];
    return margin;
}

static size_t draw_label(sot_sampler *sampler, const sot_record *record)
{
    const size_t labels = sampler->target->label_count;
    if (labels != 2 || sampler->encoding == NULL)
        return (size_t)sot_rng_below(sampler->rng, labels);
    const double margin = margin_of(sampler, record);
    return uniform(sampler->rng) * (1.0 + exp(-margin)) < 1.0 ? 1 : 0;
}

/* ---- cells ---- */

/* Five digits of the range, as people write measurements. */
static double draw_number(sotto_rng *rng, double lower, double upper)
{
    const double value = lower + (upper - lower) * uniform(rng);
    const int exponent = sot_decimal_exponent(upper - lower) - 4;
    const double rounded = exponent < -22 ? value : sot_decimal_near(value, exponent);
    return fmin(fmax(rounded, lower), upper);
}

static double draw_cell(sotto_rng *rng, const sotto_column *column)
{
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
        return column->bounded ? draw_number(rng, column->lower, column->upper)
                               : draw_number(rng, 0.0, 100.0);
    case SOTTO_COLUMN_INTEGER:
    case SOTTO_COLUMN_CATEGORY:
    case SOTTO_COLUMN_BOOLEAN: {
        const double lower = column->bounded ? column->lower : 0.0;
        const double upper = column->bounded ? column->upper : 100.0;
        return lower + (double)sot_rng_below(rng, (uint64_t)(upper - lower) + 1);
    }
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return 0.0;
}

/* A number that follows a linear rule, a tenth of its range left to chance. */
static double draw_target(sot_sampler *sampler, const sot_record *record, bool whole)
{
    const double chance = 0.2 * uniform(sampler->rng) - 0.1;
    const double number = sot_encoding_target_value(
        sampler->encoding, 0.1 * margin_of(sampler, record) + chance);
    const sotto_target *target = sampler->target;
    const int exponent = sot_decimal_exponent(target->upper - target->lower) - 4;
    const double rounded = whole            ? floor(number + 0.5)
                           : exponent < -22 ? number
                                            : sot_decimal_near(number, exponent);
    return fmin(fmax(rounded, target->lower), target->upper);
}

/* A cell of the target that means the label. */
static double cell_of_label(sot_sampler *sampler, size_t label)
{
    const sotto_target *target = sampler->target;
    const sotto_column *column = sotto_schema_column(sampler->schema, target->index);
    if (!target->threshold) return target->codes[label];
    const double lower = label == 1 ? target->above : column->lower;
    const double upper = label == 1 ? column->upper : target->above;
    if (column->type == SOTTO_COLUMN_INTEGER) {
        const double first = label == 1 ? floor(lower) + 1.0 : lower;
        return first +
               (double)sot_rng_below(sampler->rng, (uint64_t)(floor(upper) - first) + 1);
    }
    if (!(lower < upper)) return lower;
    const double number = draw_number(sampler->rng, lower, upper);
    return label == 1 && !(number > target->above) ? upper : number;
}

static void draw_table(sot_sampler *sampler, sot_record *record)
{
    const sotto_target *target = sampler->target;
    for (size_t i = 0; i < sotto_schema_size(sampler->schema); i++)
        sampler->cells[i] =
            draw_cell(sampler->rng, sotto_schema_column(sampler->schema, i));
    record->cells = sampler->cells;
    if (target != NULL && target->label_count > 0)
        sampler->cells[target->index] =
            cell_of_label(sampler, draw_label(sampler, record));
    else if (target != NULL && sampler->encoding != NULL)
        sampler->cells[target->index] =
            draw_target(sampler, record,
                        sotto_schema_column(sampler->schema, target->index)->type ==
                            SOTTO_COLUMN_INTEGER);
    if (sotto_schema_unit(sampler->schema) == NULL) return;
    const uint64_t number = sampler->rows / sotto_schema_unit_rows(sampler->schema) + 1;
    (void)snprintf(sampler->unit, sizeof sampler->unit, "unit-%llu",
                   (unsigned long long)number);
    record->unit = sampler->unit;
    record->unit_bytes = strlen(sampler->unit);
}

/* ---- a row of a matrix ---- */

/* Distinct features, drawn one by one and put in their place. */
static void draw_matrix(sot_sampler *sampler, sot_record *record)
{
    const size_t features = sotto_schema_features(sampler->schema);
    const sotto_column *numbers = sot_schema_numbers(sampler->schema);
    const size_t count = features < ENTRIES_MOST ? features : ENTRIES_MOST;
    size_t used = 0;
    while (used < count) {
        const uint32_t index = (uint32_t)sot_rng_below(sampler->rng, features);
        size_t place = used;
        while (place > 0 && sampler->indices[place - 1] > index)
            place--;
        if (place > 0 && sampler->indices[place - 1] == index) continue;
        memmove(&sampler->indices[place + 1], &sampler->indices[place],
                (used - place) * sizeof *sampler->indices);
        sampler->indices[place] = index;
        used++;
    }
    for (size_t i = 0; i < count; i++)
        sampler->values[i] =
            numbers != NULL ? draw_number(sampler->rng, numbers->lower, numbers->upper)
                            : draw_number(sampler->rng, 0.0001, 1.0);
    record->indices = sampler->indices;
    record->values = sampler->values;
    record->count = count;
    record->label = sampler->target->label_count == 0
                        ? draw_target(sampler, record, false)
                        : sampler->target->codes[draw_label(sampler, record)];
}

void sot_sampler_next(sot_sampler *sampler, sot_record *out_record)
{
    *out_record = (sot_record){.label = (double)NAN};
    if (sotto_schema_is_matrix(sampler->schema)) {
        draw_matrix(sampler, out_record);
    } else {
        draw_table(sampler, out_record);
    }
    sampler->rows++;
}

/* ---- the door ---- */

sotto_status sot_sampler_new(const sotto_schema *schema, const char *target,
                             sotto_rng *rng, sot_sampler **out_sampler,
                             sotto_error *error)
{
    sot_sampler *sampler = sot_new_array(1, sizeof *sampler);
    if (sampler == NULL) return sot_fail_memory(error, 1, sizeof *sampler);
    const size_t size = sotto_schema_size(schema);
    sampler->schema = schema;
    sampler->rng = rng;
    sampler->cells = sot_new_array(size, sizeof *sampler->cells);
    sotto_status status = sampler->cells == NULL
                              ? sot_fail_memory(error, size, sizeof *sampler->cells)
                              : SOTTO_OK;
    if (status == SOTTO_OK)
        status = sot_schema_choose_target(schema, target, &sampler->own, &sampler->target,
                                          error);
    if (status == SOTTO_OK) status = make_rule(sampler, target, error);
    if (status != SOTTO_OK) {
        sot_sampler_free(sampler);
        return status;
    }
    *out_sampler = sampler;
    return SOTTO_OK;
}

void sot_sampler_free(sot_sampler *sampler)
{
    if (sampler == NULL) return;
    sot_target_free(&sampler->own);
    sot_encoding_free(sampler->encoding);
    sot_free(sampler->weights);
    sot_free(sampler->features.indices);
    sot_free(sampler->features.values);
    sot_free(sampler->cells);
    sot_free(sampler);
}
