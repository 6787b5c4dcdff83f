/* A linear or additive model as one SQL expression over the columns of a row. SQLite, PostgreSQL and DuckDB share this
 * part of SQL. It has no table of its own, so it stands wherever an expression may.
 *
 * Scores    Without a row norm, the operations and their order are those of artifact/model_file/predict.c. With
 *           one, features are not rounded to the grid: sql_error() bounds the difference. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <sotto/version.h>

#include "artifact/export/sql.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/encode/parts.h"
#include "models/kinds.h"

/* SQLite refuses an expression that is more than 1000 operators deep, and a sum is as deep as it has terms. */
enum { TERMS_MOST = 900, COMMENT_BYTES = 128 };

/* ---- linear models ---- */

static double scaled(const sotto_column *column, double cell)
{
    return (cell - column->center) / column->width;
}

/* The factor of a feature before it enters a sum: its coefficient, or nothing but its square. */
typedef enum sql_sum { SUM_GRID, SUM_PRODUCTS, SUM_SQUARES } sql_sum;

static double term_of(const sot_sql *self, sql_sum sum, double coefficient, double value)
{
    const sot_encoding *encoding = self->encoding;
    switch (sum) {
    case SUM_SQUARES:
        return value * value;
    case SUM_PRODUCTS:
        return coefficient * value;
    case SUM_GRID:
        break;
    }
    const double units = trunc(value * encoding->inverse_unit);
    const double most = fmin(fabs(units), 0x1p24);
    return coefficient * (copysign(most, units) * encoding->unit);
}

static void put_scaled(sot_sql *self, const sotto_column *column)
{
    sot_sql_text(self, "(");
    sot_sql_double(self, column);
    sot_sql_text(self, " - ");
    sot_sql_number(self, column->center);
    sot_sql_text(self, ") / ");
    sot_sql_number(self, column->width);
}

static void put_feature(sot_sql *self, const sotto_column *column, sql_sum sum,
                        double coefficient)
{
    switch (sum) {
    case SUM_SQUARES:
        put_scaled(self, column);
        sot_sql_text(self, " * ((");
        put_scaled(self, column);
        sot_sql_text(self, "))");
        return;
    case SUM_PRODUCTS:
        sot_sql_number(self, coefficient);
        sot_sql_text(self, " * (");
        put_scaled(self, column);
        sot_sql_text(self, ")");
        return;
    case SUM_GRID:
        break;
    }
    sot_sql_number(self, coefficient * self->encoding->unit);
    sot_sql_text(self, " * trunc(");
    put_scaled(self, column);
    sot_sql_text(self, " * ");
    sot_sql_number(self, self->encoding->inverse_unit);
    sot_sql_text(self, ")");
}

static sotto_status put_part(sot_sql *self, const sot_encode_part *part, sql_sum sum,
                             sotto_error *error)
{
    const sotto_column *column = part->column;
    const double *coefficients = self->model->coefficients + part->first;
    const double at_missing =
        term_of(self, sum, coefficients[0], scaled(column, column->missing));
    const bool is_category = column->type == SOTTO_COLUMN_CATEGORY;
    if (is_category || column->type == SOTTO_COLUMN_BOOLEAN) {
        const size_t count = is_category ? part->values : 2;
        double *values = sot_new_array(count, sizeof *values);
        if (values == NULL) return sot_fail_memory(error, count, sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = is_category ? term_of(self, sum, coefficients[i], 1.0)
                                    : term_of(self, sum, coefficients[0],
                                              scaled(column, (double)i));
        sot_sql_choice(self, column, values, (size_t)column->missing);
        sot_free(values);
        return SOTTO_OK;
    }
    sot_sql_begin_number(self, column, at_missing);
    sot_sql_below(self, column, " < ", column->lower);
    sot_sql_number(self,
                   term_of(self, sum, coefficients[0], scaled(column, column->lower)));
    sot_sql_below(self, column, " <= ", column->upper);
    put_feature(self, column, sum, coefficients[0]);
    sot_sql_below(self, column, " <= ", DBL_MAX);
    sot_sql_number(self,
                   term_of(self, sum, coefficients[0], scaled(column, column->upper)));
    sot_sql_end(self, at_missing);
    return SOTTO_OK;
}

static void put_start(sot_sql *self, double value)
{
    sot_sql_text(self, "CAST(");
    sot_sql_number(self, value);
    sot_sql_text(self, " AS DOUBLE PRECISION)");
}

static sotto_status put_sum(sot_sql *self, sql_sum sum, double start, sotto_error *error)
{
    const sot_encoding *encoding = self->encoding;
    sotto_status status = SOTTO_OK;
    put_start(self, start);
    for (size_t i = 0; status == SOTTO_OK && i < encoding->part_count; i++) {
        sot_sql_text(self, "\n  + ");
        status = put_part(self, &encoding->parts[i], sum, error);
    }
    return status;
}

static double constant_of(const sot_sql *self)
{
    const sot_encoding *encoding = self->encoding;
    return encoding->intercept > 0.0 ? self->model->coefficients[encoding->features] *
                                           (double)(float)encoding->intercept
                                     : 0.0;
}

/* The rows of a schema with a norm: the sum of products, times the factor that brings the row to its norm. */
static sotto_status put_shortened(sot_sql *self, sotto_error *error)
{
    const sot_encoding *encoding = self->encoding;
    sot_sql_text(self, "(SELECT ");
    put_start(self, constant_of(self));
    sot_sql_text(self,
                 " + sotto_row.sotto_sum * CASE WHEN sqrt(sotto_row.sotto_squares) > ");
    sot_sql_number(self, encoding->rule == SOTTO_NORM_SCALE ? 0.0 : encoding->bound);
    sot_sql_text(self, " THEN ");
    sot_sql_number(self, encoding->bound);
    sot_sql_text(self, " / sqrt(sotto_row.sotto_squares) ELSE 1e0 END FROM (SELECT ");
    sotto_status status = put_sum(self, SUM_PRODUCTS, 0.0, error);
    sot_sql_text(self, " AS sotto_sum,\n  ");
    if (status == SOTTO_OK) status = put_sum(self, SUM_SQUARES, 0.0, error);
    sot_sql_text(self, " AS sotto_squares) AS sotto_row)");
    return status;
}

static sotto_status put_linear(sot_sql *self, sotto_error *error)
{
    if (self->encoding->cut) return put_shortened(self, error);
    return put_sum(self, SUM_GRID, constant_of(self), error);
}

/* Bounds the difference of a score to that of sot_scorer_next(): each feature is truncated to the grid, and may be
 * shortened by a second unit. The rest is rounding. */
static double sql_error(const sot_sql *self)
{
    const sot_encoding *encoding = self->encoding;
    double sum = 0.0;
    if (encoding->parts == NULL || !encoding->cut) return 0.0;
    for (size_t i = 0; i < encoding->features; i++)
        sum += fabs(self->model->coefficients[i]);
    return 2.0 * encoding->unit * sum;
}

/* ---- additive models ---- */

static void put_bins(sot_sql *self, const sot_axis *axis, const double *curve)
{
    const sotto_column *column = axis->facts;
    const size_t count = axis->bins - 1;
    size_t bin = 0, missing = 0;
    while (missing < count && axis->edges[missing] <= column->missing)
        missing++;
    while (bin < count && axis->edges[bin] <= column->lower)
        bin++;
    sot_sql_begin_number(self, column, curve[missing]);
    for (; bin < count && axis->edges[bin] <= column->upper; bin++) {
        sot_sql_below(self, column, " < ", axis->edges[bin]);
        sot_sql_number(self, curve[bin]);
    }
    sot_sql_below(self, column, " <= ", DBL_MAX);
    sot_sql_number(self, curve[bin]);
    sot_sql_end(self, curve[missing]);
}

/* Whole numbers with a bin for each value have edges; only words and booleans have none. */
static sotto_status put_additive(sot_sql *self, sotto_error *error)
{
    const sot_encoding *encoding = self->encoding;
    const double *curves = self->model->curves;
    (void)error;
    put_start(self, curves[sot_encoding_values(encoding)]);
    for (size_t i = 0; i < sot_encoding_blocks(encoding); i++) {
        const sot_bin_block *block = sot_encoding_block(encoding, i);
        const double *curve = curves + block->value;
        sot_sql_text(self, "\n  + ");
        if (block->axis.edges != NULL)
            put_bins(self, &block->axis, curve);
        else
            sot_sql_choice(self, block->axis.facts, curve,
                           (size_t)block->axis.facts->missing);
    }
    return SOTTO_OK;
}

static sotto_status put_score(sot_sql *self, sotto_error *error)
{
    return self->model->curves != NULL ? put_additive(self, error)
                                       : put_linear(self, error);
}

/* ---- from the score to the prediction ---- */

/* (1 + tanh(s/2)) / 2 is the logistic function; exp() of a large score is an error in PostgreSQL. */
static sotto_status put_probability(sot_sql *self, sotto_error *error)
{
    sot_sql_text(self, "0.5e0 + 0.5e0 * tanh(0.5e0 * (");
    const sotto_status status = put_score(self, error);
    sot_sql_text(self, "))\n");
    return status;
}

static void put_limit(sot_sql *self, const char *comparison, double score, double value)
{
    sot_sql_text(self, " WHEN sotto_scored.sotto_score ");
    sot_sql_text(self, comparison);
    sot_sql_number(self, score);
    sot_sql_text(self, " THEN ");
    sot_sql_number(self, value);
}

/* Within the bounds of the target. A count needs no score for a lower bound of 0, because exp() is above it. A score
 * below -700 counts as -700, which changes a count by less than 1e-300. */
static sotto_status put_value(sot_sql *self, sotto_error *error)
{
    const sot_encoding *encoding = self->encoding;
    const sotto_target *target = encoding->target;
    sot_sql_text(self, "(SELECT CASE");
    if (encoding->role == SOT_TARGET_COUNT) {
        if (target->lower > 0.0)
            put_limit(self, "<= ", log(target->lower), target->lower);
        else
            put_limit(self, "<= ", -700.0, 0.0);
        put_limit(self, ">= ", log(target->upper), target->upper);
        sot_sql_text(self, " ELSE exp(sotto_scored.sotto_score)");
    } else {
        put_limit(self, "<= ",
                  (target->lower - encoding->target_center) / encoding->target_half,
                  target->lower);
        put_limit(self, ">= ",
                  (target->upper - encoding->target_center) / encoding->target_half,
                  target->upper);
        sot_sql_text(self, " ELSE ");
        sot_sql_number(self, encoding->target_center);
        sot_sql_text(self, " + ");
        sot_sql_number(self, encoding->target_half);
        sot_sql_text(self, " * sotto_scored.sotto_score");
    }
    sot_sql_text(self, " END FROM (SELECT ");
    const sotto_status status = put_score(self, error);
    sot_sql_text(self, " AS sotto_score) AS sotto_scored)\n");
    return status;
}

static sotto_status put_prediction(sot_sql *self, sotto_error *error)
{
    sotto_status status;
    switch (self->model->prediction) {
    case SOTTO_PREDICTS_PROBABILITIES:
        return put_probability(self, error);
    case SOTTO_PREDICTS_NUMBER:
        return put_value(self, error);
    case SOTTO_PREDICTS_SCORE:
    case SOTTO_PREDICTION_UNSET:
        break;
    }
    status = put_score(self, error);
    sot_sql_text(self, "\n");
    return status;
}

/* ---- the comment on top ---- */

static void put_comment(sot_sql *self, const char *text)
{
    char shown[COMMENT_BYTES];
    sot_sql_text(self, sot_printable(text, shown, sizeof shown));
}

static void put_heading(sot_sql *self)
{
    const sotto_model *model = self->model;
    const sotto_target *target = self->encoding->target;
    sot_sql_text(self, sot_model_row_of(model->kind)->an ? "-- An " : "-- A ");
    sot_sql_text(self, sotto_model_kind_name(model->kind));
    sot_sql_text(self, " model, made by sotto ");
    sot_sql_text(self, sotto_version());
    sot_sql_text(self, model->prediction == SOTTO_PREDICTS_PROBABILITIES
                           ? ": the probability that "
                       : model->prediction == SOTTO_PREDICTS_NUMBER
                           ? ": the prediction of "
                           : ": at least 0 where ");
    put_comment(self, target->column);
    if (model->prediction != SOTTO_PREDICTS_NUMBER) {
        sot_sql_text(self, " is ");
        put_comment(self, sot_encoding_class(self->encoding, 1));
    }
    sot_sql_text(self, ".\n");
    if (model->hash[0] != '\0') {
        sot_sql_text(self, "-- Certified: hash ");
        sot_sql_text(self, model->hash);
        sot_sql_text(self, ".\n");
    }
    if (sql_error(self) > 0.0) {
        sot_sql_text(
            self,
            "-- Rows are not rounded to the grid: a score differs from that of sotto "
            "predict by at most ");
        sot_sql_number(self, sql_error(self));
        sot_sql_text(self, ".\n");
    }
}

/* ---- the public door ---- */

static sotto_status refuse(const sotto_model *model, const char *why, sotto_error *error)
{
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "the model %s has no SQL expression: %s; export it as C or predict "
                    "with sotto",
                    sotto_model_kind_name(model->kind), why);
}

static const sotto_column *timed_column(const sot_encoding *encoding)
{
    for (size_t i = 0; i < encoding->part_count; i++)
        if (encoding->parts[i].column->time_unit != SOTTO_TIME_NONE)
            return encoding->parts[i].column;
    for (size_t i = 0; i < sot_encoding_blocks(encoding); i++) {
        const sotto_column *facts = sot_encoding_block(encoding, i)->axis.facts;
        if (facts->time_unit != SOTTO_TIME_NONE) return facts;
    }
    return NULL;
}

/* Interactions, and exclusive lists of booleans. */
static bool joins_columns(const sot_encoding *encoding)
{
    for (size_t i = 0; i < encoding->part_count; i++)
        if (encoding->parts[i].members != NULL) return true;
    for (size_t i = 0; i < sot_encoding_blocks(encoding); i++) {
        const sot_bin_block *block = sot_encoding_block(encoding, i);
        if (block->axis.members != NULL || block->second.bins > 0) return true;
    }
    return false;
}

static sotto_status check_model(const sotto_model *model, sotto_error *error)
{
    const sot_encoding *encoding = model->encoding;
    if (model->net != NULL || model->concept != NULL)
        return refuse(model, "only linear and additive models have one", error);
    if (model->draws > 1) return refuse(model, "it has several posterior samples", error);
    if (model->margins > 1) return refuse(model, "it has a score for each class", error);
    if (sotto_schema_is_matrix(model->schema))
        return refuse(model, "its schema gives no names of columns", error);
    if (encoding->part_count > TERMS_MOST || sot_encoding_blocks(encoding) > TERMS_MOST)
        return refuse(model, "it has more than 900 columns", error);
    if (timed_column(encoding) != NULL)
        return refuse(model, "dates have a type of their own in each engine", error);
    if (joins_columns(encoding))
        return refuse(model, "its schema has interactions or exclusive lists", error);
    return SOTTO_OK;
}

sotto_status sotto_model_export_sql(const sotto_model *model, const char *table,
                                    char **out_text, sotto_error *error)
{
    sot_sql self = {.model = model, .encoding = model->encoding, .table = table};
    if (table != NULL && table[0] == '\0') {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`table` is empty; give the name or alias of the table in the "
                        "query, for example `table=visits`");
    }
    sotto_status status = check_model(model, error);
    if (status != SOTTO_OK) return status;
    put_heading(&self);
    status = put_prediction(&self, error);
    if (status == SOTTO_OK && self.output.failed)
        status = sot_fail_memory(error, 2 * self.output.capacity_bytes, 1);
    if (status != SOTTO_OK) {
        sot_free(self.output.text);
        return status;
    }
    *out_text = self.output.text;
    return SOTTO_OK;
}
