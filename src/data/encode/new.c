/* From a schema to an encoding: which features there are, the grid, the bound. Public facts only. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/encode/parts.h"
#include "data/schema/matrix.h"
#include "data/schema/parts.h"
#include "numeric/outward.h"

/* ---- the label set ---- */

static sotto_status map_codes(sot_encoding *encoding, sotto_error *error)
{
    const sotto_target *target = encoding->target;
    if (target->column == NULL) return SOTTO_OK;
    const sotto_column *column = sotto_schema_column(encoding->schema, target->index);
    if (column->type != SOTTO_COLUMN_CATEGORY && column->type != SOTTO_COLUMN_BOOLEAN)
        return SOTTO_OK;
    encoding->code_count = (size_t)column->upper + 1;
    encoding->label_of_code =
        sot_new_array(encoding->code_count, sizeof *encoding->label_of_code);
    if (encoding->label_of_code == NULL)
        return sot_fail_memory(error, encoding->code_count, sizeof(size_t));
    for (size_t i = 0; i < encoding->code_count; i++)
        encoding->label_of_code[i] = target->missing;
    for (size_t i = 0; i < target->label_count; i++)
        encoding->label_of_code[(size_t)target->codes[i]] = i;
    return SOTTO_OK;
}

/* ---- a number ---- */

/* The least power of two with 2^24 units for `most`. */
static int exponent_for(double most)
{
    int exponent;
    const double fraction = frexp(most, &exponent);
    return exponent - (fraction == 0.5 ? 25 : 24);
}

static sotto_status choose_number(sot_encoding *encoding, sotto_error *error)
{
    const sotto_target *target = encoding->target;
    const char *name = target->column == NULL ? "label of each row" : target->column;
    if (target->label_count > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the target '%.60s' is a class, but the model predicts numbers; choose a "
            "number "
            "or integer column %s, or a classifier, for example `model=logistic`",
            name,
            target->column == NULL ? "with a schema that has \"target\": "
                                     "{\"lower\": ..., \"upper\": ...}"
                                   : "without labels");
    }
    if (!target->bounded) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema gives the target '%.60s' no bounds; add lower and "
                        "upper, known without the data",
                        name);
    }
    if (encoding->role == SOT_TARGET_COUNT && target->lower < 0.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the target '%.60s' has the lower bound %g, but counts start at "
                        "0; give a lower bound of 0, or choose `model=linear`",
                        name, target->lower);
    }
    if (encoding->role == SOT_TARGET_COUNT && target->upper < 1.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the target '%.60s' has the upper bound %g, but counts reach 1; "
                        "give a larger upper bound, or choose `model=linear`",
                        name, target->upper);
    }
    encoding->target_center = 0.5 * (target->lower + target->upper);
    encoding->target_half = 0.5 * (target->upper - target->lower);
    if (encoding->role == SOT_TARGET_NUMBER) {
        encoding->target_unit = 0x1p-24;
        encoding->target_most = 1.0;
        return SOTTO_OK;
    }
    /* Whole numbers stay whole up to 2^24: the unit is at most 1 for them. */
    encoding->target_unit = ldexp(1.0, exponent_for(target->upper));
    encoding->target_most =
        floor(target->upper / encoding->target_unit) * encoding->target_unit;
    return SOTTO_OK;
}

/* ---- the target ---- */

sot_target_role sot_target_role_of(const sotto_target *target)
{
    return target != NULL && target->label_count == 0 ? SOT_TARGET_NUMBER
                                                      : SOT_TARGET_CLASSES;
}

sotto_status sot_encode_choose_target(sot_encoding *encoding, const char *name,
                                      sotto_error *error)
{
    const sotto_status status = sot_schema_choose_target(
        encoding->schema, name, &encoding->own, &encoding->target, error);
    if (status != SOTTO_OK) return status;
    const sotto_target *target = encoding->target;
    if (target == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`target` is missing: the schema does not name the column to "
                        "predict; add \"target\" to it, or give `target=smokes`");
    }
    if (encoding->role != SOT_TARGET_CLASSES) return choose_number(encoding, error);
    if (target->label_count == 0 && target->column == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the schema gives the rows' target bounds, so it is a number; for "
            "classes give \"labels\": [...] in place of \"target\"");
    }
    if (target->label_count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the target '%.60s' is a number without labels; add to the "
                        "schema \"target\": {\"column\": ..., \"labels\": [0, 1]}, or "
                        "\"above\": T for numbers above T",
                        target->column);
    }
    if (target->label_count == 1) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the target '%.60s' has one value; classification needs at least two",
            target->column);
    }
    encoding->target_unit = 1.0;
    encoding->target_most =
        target->label_count == 2 ? 1.0 : (double)(target->label_count - 1);
    return map_codes(encoding, error);
}

/* ---- features ---- */

static double largest_of(const sotto_column *column)
{
    if (column->type == SOTTO_COLUMN_CATEGORY) return 1.0;
    return fmax(fabs((column->lower - column->center) / column->width),
                fabs((column->upper - column->center) / column->width));
}

/* A list counts once, at its first column. `members` has room for it. */
static void add_list(sot_encoding *encoding, const sot_column_list *list, size_t *members)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->columns[i] != encoding->target->index)
            members[count++] = list->columns[i];
    encoding->parts[encoding->part_count++] =
        (sot_encode_part){.column = sotto_schema_column(encoding->schema, members[0]),
                          .members = members,
                          .member_count = count,
                          .cell = members[0],
                          .first = encoding->features,
                          .values = count,
                          .largest = 1.0};
    encoding->features += count;
}

/* True for the first column of a list that is not the target. */
static bool begins_list(const sot_encoding *encoding, const sot_column_list *list,
                        size_t index)
{
    const size_t first = list->columns[0] == encoding->target->index ? 1 : 0;
    return list->columns[first] == index;
}

static sotto_status add_part(sot_encoding *encoding, size_t index, size_t *members,
                             size_t *inout_used, sotto_error *error)
{
    const sotto_column *column = sotto_schema_column(encoding->schema, index);
    const sot_column_list *list = sot_schema_group_of(encoding->schema, index);
    if (column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE ||
        index == encoding->target->index)
        return SOTTO_OK;
    if (list != NULL) {
        if (!begins_list(encoding, list, index)) return SOTTO_OK;
        add_list(encoding, list, members + *inout_used);
        *inout_used += list->count;
        return SOTTO_OK;
    }
    if (!column->bounded) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema gives the column '%.60s' no bounds; add lower and "
                        "upper, known without the data, or \"type\": \"ignore\"",
                        column->name);
    }
    encoding->parts[encoding->part_count++] =
        (sot_encode_part){.column = column,
                          .cell = index,
                          .first = encoding->features,
                          .values = column->value_count,
                          .largest = largest_of(column)};
    encoding->features += column->value_count == 0 ? 1 : column->value_count;
    return SOTTO_OK;
}

static sotto_status list_parts(sot_encoding *encoding, sotto_error *error)
{
    const sotto_schema *schema = encoding->schema;
    encoding->features = sotto_schema_features(schema);
    if (sotto_schema_is_matrix(schema)) {
        encoding->numbers = sot_schema_numbers(schema);
        if (encoding->numbers == NULL) return SOTTO_OK;
        encoding->largest = largest_of(encoding->numbers);
        encoding->absent = sot_encode_value(encoding, 0.0);
        return SOTTO_OK;
    }
    const size_t size = sotto_schema_size(schema);
    encoding->parts = sot_new_array(size, sizeof *encoding->parts);
    encoding->members = sot_new_array(size, sizeof *encoding->members);
    if (encoding->parts == NULL || encoding->members == NULL)
        return sot_fail_memory(error, size, sizeof *encoding->parts);
    sotto_status status = SOTTO_OK;
    size_t used = 0;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++)
        status = add_part(encoding, i, encoding->members, &used, error);
    if (status != SOTTO_OK) return status;
    if (encoding->features == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema has no column to learn from beside the target "
                        "'%.60s'; give at least one that is not an id or ignored",
                        encoding->target->column);
    }
    if (encoding->features > SOT_SCHEMA_FEATURES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema makes %zu features, one for each category; at most "
                        "16777216 are supported: shorten the lists of values",
                        encoding->features);
    }
    return SOTTO_OK;
}

/* ---- the grid and the bound ---- */

/* The largest norm that the columns, or the bounds of a matrix's numbers, allow, rounded up. */
static double free_bound(const sot_encoding *encoding)
{
    if (encoding->parts == NULL && encoding->numbers == NULL) return (double)INFINITY;
    double squares = 0.0;
    if (encoding->numbers != NULL)
        squares = sot_mul_up((double)encoding->features,
                             sot_mul_up(encoding->largest, encoding->largest));
    for (size_t i = 0; i < encoding->part_count; i++) {
        const double largest = encoding->parts[i].largest;
        squares = sot_add_up(squares, sot_mul_up(largest, largest));
    }
    return sot_sqrt_up(squares);
}

/* floor(x^2), exactly, for 0 <= x <= 2^24: the rounding error of x * x is a double. */
static uint64_t whole_square(double x)
{
    const double product = x * x;
    const double error = fma(x, x, -product);
    const double whole = floor(product);
    return (uint64_t)whole - (whole == product && error < 0.0 ? 1 : 0);
}

/* Returns the largest sum of squares, on the grid, of rows that are never clipped. */
static uint64_t free_squares(const sot_encoding *encoding)
{
    uint64_t squares = 0;
    const uint64_t most = (uint64_t)(encoding->largest * encoding->inverse_unit);
    if (encoding->numbers != NULL) squares = encoding->features * (most * most);
    for (size_t i = 0; i < encoding->part_count; i++) {
        const uint64_t units =
            (uint64_t)(encoding->parts[i].largest * encoding->inverse_unit);
        squares += units * units;
    }
    return squares;
}

static sotto_status lay_grid(sot_encoding *encoding, sotto_error *error)
{
    const sotto_row_norm norm = sotto_schema_row_norm(encoding->schema);
    const double free = free_bound(encoding);
    encoding->rule = norm.rule;
    encoding->cut = norm.given && (norm.rule == SOTTO_NORM_SCALE || norm.bound < free);
    encoding->bound = encoding->cut ? norm.bound : free;
    const double constant = sotto_schema_intercept(encoding->schema);
    sot_encode_set_unit(encoding, fmax(encoding->bound, constant));
    encoding->squares_most = encoding->cut
                                 ? whole_square(encoding->bound * encoding->inverse_unit)
                                 : free_squares(encoding);
    return sot_encode_add_constant(encoding, constant, error);
}

void sot_encode_set_unit(sot_encoding *encoding, double most)
{
    encoding->exponent = exponent_for(most);
    encoding->unit = ldexp(1.0, encoding->exponent);
    encoding->inverse_unit = ldexp(1.0, -encoding->exponent);
}

sotto_status sot_encode_add_constant(sot_encoding *encoding, double constant,
                                     sotto_error *error)
{
    const double constant_units = trunc(constant * encoding->inverse_unit);
    encoding->intercept = constant_units * encoding->unit;
    if (constant > 0.0 && encoding->intercept == 0.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "rows of norm up to %g hide a constant column of %g; scale the "
                        "columns, or give a larger \"intercept\" (0 for none)",
                        encoding->bound, constant);
    }
    if (encoding->squares_most == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a constant column of %g hides rows of norm up to %g; "
                        "give a smaller \"intercept\"",
                        constant, encoding->bound);
    }
    /* At most 2^48 each: the sum is a double. */
    const double squares =
        (double)encoding->squares_most + constant_units * constant_units;
    encoding->total_bound = sot_sqrt_up(squares) * encoding->unit;
    return SOTTO_OK;
}

/* ---- names ---- */

enum { NUMBER_BYTES = 10 }; /* of 16777217 and a NUL, and a little more */

static const char *member_name(const sot_encoding *encoding, size_t part, size_t member)
{
    return sotto_schema_column(encoding->schema, encoding->parts[part].members[member])
        ->name;
}

static bool count_text(const sot_encoding *encoding, size_t *out_size_bytes)
{
    size_t total = sizeof sot_encode_intercept_name;
    if (encoding->parts == NULL)
        return sot_size_mul(encoding->features, NUMBER_BYTES, out_size_bytes) &&
               sot_size_add(*out_size_bytes, total, out_size_bytes);
    for (size_t i = 0; i < encoding->part_count; i++) {
        const sotto_column *column = encoding->parts[i].column;
        const size_t length = strlen(column->name) + 1;
        for (size_t k = 0; k < encoding->parts[i].member_count; k++)
            if (!sot_size_add(total, strlen(member_name(encoding, i, k)) + 1, &total))
                return false;
        if (encoding->parts[i].members != NULL) continue;
        if (encoding->parts[i].values == 0 && !sot_size_add(total, length, &total))
            return false;
        for (size_t k = 0; k < encoding->parts[i].values; k++) {
            if (!sot_size_add(total, length + strlen(column->values[k]) + 1, &total))
                return false;
        }
    }
    *out_size_bytes = total;
    return true;
}

char *sot_encode_write_name(const char **out_name, char *place, const char *first,
                            const char *second)
{
    const size_t length = strlen(first);
    *out_name = place;
    memcpy(place, first, length + 1);
    place += length;
    if (second != NULL) {
        const size_t second_length = strlen(second);
        *place++ = '=';
        memcpy(place, second, second_length + 1);
        place += second_length;
    }
    return place + 1;
}

static sotto_status name_features(sot_encoding *encoding, sotto_error *error)
{
    size_t size_bytes = 0;
    if (!count_text(encoding, &size_bytes))
        return sot_fail_memory(error, encoding->features, SOT_SCHEMA_NAME_BYTES_MAX);
    encoding->text = sot_new_array(size_bytes, 1);
    encoding->names = sot_new_array(encoding->features + 1, sizeof *encoding->names);
    if (encoding->text == NULL || encoding->names == NULL)
        return sot_fail_memory(error, size_bytes, 1);
    char *place = encoding->text;
    size_t index = 0;
    for (size_t i = 0; i < encoding->part_count; i++) {
        const sotto_column *column = encoding->parts[i].column;
        for (size_t k = 0; k < encoding->parts[i].member_count; k++)
            place = sot_encode_write_name(&encoding->names[index++], place,
                                          member_name(encoding, i, k), NULL);
        if (encoding->parts[i].members != NULL) continue;
        if (encoding->parts[i].values == 0)
            place = sot_encode_write_name(&encoding->names[index++], place, column->name,
                                          NULL);
        for (size_t k = 0; k < encoding->parts[i].values; k++)
            place = sot_encode_write_name(&encoding->names[index++], place, column->name,
                                          column->values[k]);
    }
    for (; index < encoding->features; index++) { /* a matrix: 1, 2, ... as in LIBSVM */
        char digits[24];
        (void)snprintf(digits, sizeof digits, "%zu", index + 1);
        place = sot_encode_write_name(&encoding->names[index], place, digits, NULL);
    }
    (void)sot_encode_write_name(&encoding->names[index], place, sot_encode_intercept_name,
                                NULL);
    return SOTTO_OK;
}

/* ---- the door ---- */

sotto_status sot_encoding_new(const sotto_schema *schema, const char *target,
                              sot_target_role role, sot_encoding **out_encoding,
                              sotto_error *error)
{
    sot_encoding *encoding = sot_new_array(1, sizeof *encoding);
    if (encoding == NULL) return sot_fail_memory(error, 1, sizeof *encoding);
    encoding->schema = schema;
    encoding->role = role;
    sotto_status status = sot_encode_choose_target(encoding, target, error);
    if (status == SOTTO_OK) status = list_parts(encoding, error);
    if (status == SOTTO_OK) status = lay_grid(encoding, error);
    if (status == SOTTO_OK) status = sot_encode_map_bytes(encoding, error);
    if (status == SOTTO_OK) status = name_features(encoding, error);
    if (status != SOTTO_OK) {
        sot_encoding_free(encoding);
        return status;
    }
    *out_encoding = encoding;
    return SOTTO_OK;
}

void sot_encoding_free(sot_encoding *encoding)
{
    if (encoding == NULL) return;
    sot_target_free(&encoding->own);
    sot_free(encoding->label_of_code);
    sot_free(encoding->parts);
    sot_free(encoding->members);
    sot_blocks_free(encoding->blocks);
    sot_free(encoding->of_byte);
    sot_free(encoding->text);
    sot_free(encoding->names);
    sot_free(encoding);
}
