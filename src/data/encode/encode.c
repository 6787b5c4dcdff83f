#include "data/encode/encode.h"

#include <assert.h>
#include <math.h>

#include "data/cells/cell.h"
#include "data/encode/parts.h"

/* ---- numbers ---- */

/* A feature beyond these is clipped or counts as 0. So its square, and the sum of up to 2^24 of
 * them, neither overflows nor loses precision. NaN counts as absent. */
static const double feature_most = 0x1p490;
static const double feature_least = 0x1p-500;

static double cleaned(double value)
{
    const double size = fabs(value);
    if (size >= feature_least && size <= feature_most) return value;
    if (size > feature_most && size < (double)INFINITY)
        return copysign(feature_most, value);
    return 0.0;
}

/* A cell within the column's bounds. Sources see to it already; a promise about every record
 * does not rest on theirs. */
static double cell_of(const sotto_column *column, const sot_record *record, size_t place)
{
    const double cell = record->cells[place];
    if (cell >= column->lower && cell <= column->upper) return cell;
    if (isnan(cell)) return column->missing;
    return cell < column->lower ? column->lower : column->upper;
}

/* Monotone in the cell, rounding included, so that its ends are at the column's bounds. */
static double scaled(const sotto_column *column, double cell)
{
    return cleaned((cell - column->center) / column->width);
}

/* The same for the booleans of an exclusive list; the value 0 if none is true. */
static size_t first_true(const sot_encode_part *part, const sot_record *record,
                         double *out_value)
{
    *out_value = 1.0;
    for (size_t i = 0; i < part->member_count; i++)
        if (record->cells[part->members[i]] >= 1.0) return part->first + i;
    *out_value = 0.0;
    return part->first;
}

/* The feature of a part that is not 0 for this record, and its value. */
static size_t feature_of(const sot_encode_part *part, const sot_record *record,
                         double *out_value)
{
    if (part->members != NULL) return first_true(part, record, out_value);
    const double cell = cell_of(part->column, record, part->cell);
    if (part->values == 0) {
        *out_value = scaled(part->column, cell);
        return part->first;
    }
    *out_value = 1.0;
    return part->first + (size_t)cell; /* cell is at most values - 1 */
}

/* A number of a matrix whose numbers have bounds. */
double sot_encode_value(const sot_encoding *encoding, double number)
{
    const sotto_column *numbers = encoding->numbers;
    return scaled(numbers, isfinite(number) ? sot_cell_bounded(numbers, number)
                                            : numbers->missing);
}

/* ---- a row on the grid ---- */

typedef struct grid_row {
    const sot_encoding *encoding;
    sot_features *features;
    double factor; /* of the clipping or scaling, over the unit */
    uint64_t squares;
    bool too_long;
} grid_row;

/* Appends trunc(value * factor), in units. */
static void append(grid_row *row, size_t index, double value)
{
    const uint64_t most = row->encoding->squares_most;
    double units = trunc(value * row->factor);
    if (!(fabs(units) <= 0x1p24)) units = copysign(0x1p24, units);
    if (units == 0.0) return;
    const int64_t whole = (int64_t)units;
    /* Stops counting once it is too long: at most 2^48 more than 2^49, no overflow. */
    if (!row->too_long) row->squares += (uint64_t)(whole * whole);
    if (row->squares > most) row->too_long = true;
    sot_features *features = row->features;
    features->indices[features->count] = (uint32_t)index;
    features->values[features->count] = (float)(units * row->encoding->unit);
    features->count++;
}

/* Only rounding of the factor brings a row here: its square is a few units too long. A feature of
 * m units, m at most 2^24, becomes trunc(m - m 2^-25) = m - 1 units, so it ends. */
static void shorten(grid_row *row)
{
    sot_features *features = row->features;
    while (row->too_long) {
        const size_t count = features->count;
        features->count = 0;
        row->squares = 0;
        row->too_long = false;
        row->factor = row->encoding->inverse_unit * (1.0 - 0x1p-25);
        for (size_t i = 0; i < count; i++)
            append(row, features->indices[i], (double)features->values[i]);
    }
}

/* Returns 1 / unit, times the factor that brings the row to its norm. */
static double factor_of(const sot_encoding *encoding, double squares)
{
    const double norm = sqrt(squares);
    const bool scale = encoding->rule == SOTTO_NORM_SCALE && norm > 0.0;
    if (scale || norm > encoding->bound)
        return encoding->bound / norm * encoding->inverse_unit;
    return encoding->inverse_unit;
}

static double squares_of_table(const sot_encoding *encoding, const sot_record *record)
{
    double squares = 0.0;
    double value;
    for (size_t i = 0; i < encoding->part_count; i++) {
        (void)feature_of(&encoding->parts[i], record, &value);
        squares += value * value;
    }
    return squares;
}

static void encode_table(grid_row *row, const sot_record *record)
{
    const sot_encoding *encoding = row->encoding;
    double value;
    if (encoding->cut)
        row->factor = factor_of(encoding, squares_of_table(encoding, record));
    for (size_t i = 0; i < encoding->part_count; i++) {
        const size_t index = feature_of(&encoding->parts[i], record, &value);
        append(row, index, value);
    }
}

static double squares_of_matrix(const sot_encoding *encoding, const sot_record *record)
{
    double squares = 0.0;
    for (size_t i = 0; i < record->count; i++) {
        if (record->indices[i] >= encoding->features) continue;
        const double value = cleaned(record->values[i]);
        squares += value * value;
    }
    return squares;
}

static void encode_matrix(grid_row *row, const sot_record *record)
{
    const sot_encoding *encoding = row->encoding;
    row->factor = factor_of(encoding, squares_of_matrix(encoding, record));
    for (size_t i = 0; i < record->count; i++) {
        if (record->indices[i] >= encoding->features) continue;
        append(row, record->indices[i], cleaned(record->values[i]));
    }
}

/* The features of a matrix whose numbers have bounds, one after another. A number that the record
 * does not list is a 0, and its feature may be nonzero. */
typedef struct bounded_walk {
    const sot_encoding *encoding;
    const sot_record *record;
    size_t entry; /* of the record: the next one */
    size_t index; /* the next feature */
} bounded_walk;

static double next_feature(bounded_walk *at)
{
    const sot_record *record = at->record;
    const size_t index = at->index++;
    if (at->entry == record->count || record->indices[at->entry] != index)
        return at->encoding->absent;
    return sot_encode_value(at->encoding, record->values[at->entry++]);
}

static double squares_of_bounded(const sot_encoding *encoding, const sot_record *record)
{
    bounded_walk at = {.encoding = encoding, .record = record};
    double squares = 0.0;
    while (at.index < encoding->features) {
        const double value = next_feature(&at);
        squares += value * value;
    }
    return squares;
}

static void encode_bounded(grid_row *row, const sot_record *record)
{
    const sot_encoding *encoding = row->encoding;
    bounded_walk at = {.encoding = encoding, .record = record};
    if (encoding->cut)
        row->factor = factor_of(encoding, squares_of_bounded(encoding, record));
    while (at.index < encoding->features) {
        const size_t index = at.index;
        append(row, index, next_feature(&at));
    }
}

void sot_encode(const sot_encoding *encoding, const sot_record *record,
                sot_features *out_features)
{
    grid_row row = {
        .encoding = encoding, .features = out_features, .factor = encoding->inverse_unit};
    out_features->count = 0;
    if (encoding->blocks != NULL) {
        sot_encode_blocks(encoding, record, out_features);
    } else if (encoding->parts != NULL) {
        encode_table(&row, record);
    } else if (encoding->numbers != NULL) {
        encode_bounded(&row, record);
    } else {
        encode_matrix(&row, record);
    }
    shorten(&row);
    if (encoding->intercept > 0.0) {
        out_features->indices[out_features->count] = (uint32_t)encoding->features;
        out_features->values[out_features->count] = (float)encoding->intercept;
        out_features->count++;
    }
}

bool sot_encode_is_shortened(const sot_encoding *encoding, const sot_record *record)
{
    if (!encoding->cut || encoding->rule != SOTTO_NORM_CLIP) return false;
    const double squares = encoding->parts != NULL ? squares_of_table(encoding, record)
                           : encoding->numbers != NULL
                               ? squares_of_bounded(encoding, record)
                               : squares_of_matrix(encoding, record);
    return sqrt(squares) > encoding->bound;
}

/* ---- labels ---- */

static size_t label_of_number(const sotto_target *target, double number)
{
    for (size_t i = 0; i < target->label_count; i++) {
        if (target->codes[i] == number) return i;
    }
    return target->missing; /* NaN too: it equals nothing */
}

size_t sot_encode_label(const sot_encoding *encoding, const sot_record *record)
{
    const sotto_target *target = encoding->target;
    if (target->column == NULL) /* a matrix */
        return label_of_number(target, record->label);
    const sotto_column *column = sotto_schema_column(encoding->schema, target->index);
    const double cell = cell_of(column, record, target->index);
    if (target->threshold) return cell > target->above ? 1 : 0;
    if (encoding->label_of_code == NULL) return label_of_number(target, cell);
    assert(cell >= 0.0 && (size_t)cell < encoding->code_count);
    return encoding->label_of_code[(size_t)cell];
}

/* ---- numbers ---- */

double sot_encode_number(const sot_encoding *encoding, const sot_record *record)
{
    const sotto_target *target = encoding->target;
    assert(encoding->role != SOT_TARGET_CLASSES);
    const double number =
        target->column == NULL ? record->label : record->cells[target->index];
    if (!isfinite(number)) return target->missing_number;
    return fmin(fmax(number, target->lower), target->upper);
}

/* Rounds to the grid, toward 0, and clips to the largest value, which also covers
 * rounding of the scaling. */
static double on_target_grid(const sot_encoding *encoding, double value)
{
    const double most = encoding->target_most;
    const double whole = trunc(value / encoding->target_unit) * encoding->target_unit;
    return fmin(fmax(whole, -most), most);
}

double sot_encode_target(const sot_encoding *encoding, const sot_record *record)
{
    if (encoding->role == SOT_TARGET_CLASSES) {
        const size_t place = sot_encode_label(encoding, record);
        return encoding->target->label_count == 2 ? 2.0 * (double)place - 1.0
                                                  : (double)place;
    }
    const double number = sot_encode_number(encoding, record);
    if (encoding->role == SOT_TARGET_COUNT) return on_target_grid(encoding, number);
    return on_target_grid(encoding,
                          (number - encoding->target_center) / encoding->target_half);
}

double sot_encoding_target_value(const sot_encoding *encoding, double encoded)
{
    const sotto_target *target = encoding->target;
    assert(encoding->role != SOT_TARGET_CLASSES);
    if (isnan(encoded)) return encoding->target_center;
    const double value = encoding->role == SOT_TARGET_COUNT
                             ? encoded
                             : encoding->target_center + encoding->target_half * encoded;
    return fmin(fmax(value, target->lower), target->upper);
}

/* ---- public facts ---- */

sot_target_role sot_encoding_role(const sot_encoding *encoding)
{
    return encoding->role;
}

const sotto_target *sot_encoding_target(const sot_encoding *encoding)
{
    return encoding->target;
}

double sot_encoding_target_most(const sot_encoding *encoding)
{
    return encoding->target_most;
}

double sot_encoding_target_unit(const sot_encoding *encoding)
{
    return encoding->target_unit;
}

size_t sot_encoding_dimension(const sot_encoding *encoding)
{
    return encoding->features + (encoding->intercept > 0.0 ? 1 : 0);
}

double sot_encoding_bound(const sot_encoding *encoding)
{
    return encoding->total_bound;
}

/* Rows are as wide as their columns or numbers, and clipping makes them narrower. Scaling may
 * widen a short row, up to the common bound. */
double sot_encoding_feature_most(const sot_encoding *encoding)
{
    double most = encoding->bound;
    const bool widened = encoding->cut && encoding->rule == SOTTO_NORM_SCALE;
    if (encoding->parts != NULL && !widened) {
        double widest = 0.0;
        for (size_t i = 0; i < encoding->part_count; i++)
            widest = fmax(widest, encoding->parts[i].largest);
        most = fmin(most, widest);
    }
    if ((encoding->numbers != NULL && !widened) || encoding->blocks != NULL)
        most = fmin(most, encoding->largest);
    return fmin(fmax(most, encoding->intercept), encoding->total_bound);
}

double sot_encoding_intercept(const sot_encoding *encoding)
{
    return encoding->intercept;
}

sotto_row_norm sot_encoding_row_norm(const sot_encoding *encoding)
{
    return (sotto_row_norm){
        .given = encoding->cut, .bound = encoding->bound, .rule = encoding->rule};
}

int sot_encoding_exponent(const sot_encoding *encoding)
{
    return encoding->exponent;
}

size_t sot_encoding_nonzeros_most(const sot_encoding *encoding)
{
    const size_t features =
        encoding->parts == NULL ? encoding->features : encoding->part_count;
    return features + (encoding->intercept > 0.0 ? 1 : 0);
}

bool sot_encoding_keeps_zeros(const sot_encoding *encoding)
{
    return encoding->absent == 0.0 && encoding->blocks == NULL;
}

const char *sot_encoding_feature(const sot_encoding *encoding, size_t index)
{
    assert(index < sot_encoding_dimension(encoding));
    return encoding->names[index];
}

size_t sot_encoding_classes(const sot_encoding *encoding)
{
    return encoding->target->label_count;
}

const char *sot_encoding_class(const sot_encoding *encoding, size_t index)
{
    assert(index < encoding->target->label_count);
    return encoding->target->labels[index];
}
