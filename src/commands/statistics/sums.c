/* Counts, sums and means: integers on a public grid, additive noise. Claims: release.md. */
#include <assert.h>
#include <math.h>

#include <sotto/grid.h>

#include "base/error.h"
#include "commands/statistics/release.h"

/* The shares of a mean's budget. The sum's error is divided by the count. The count's
 * error is also multiplied by the distance of the mean from the centre, a third of the
 * half range in a typical column. For that distance these shares are optimal, to a
 * sixteenth. */
#define MEAN_EPSILON_SHARE 0.6875
#define MEAN_SQUARE_SHARE  0.75

int64_t sot_release_round(const sot_release *release, double value)
{
    const double units = nearbyint((value - release->centre) / release->grid);
    if (!(units > (double)release->least)) return release->least; /* NaN too */
    return units < (double)release->most ? (int64_t)units : release->most;
}

/* Chooses the finest power of two that keeps |x - centre| within 2^30 units for every x of the
 * column; 1 if that is enough for whole numbers. */
static sotto_status choose_grid(sot_release *release, double centre, bool whole,
                                sotto_error *error)
{
    const sotto_column *column = release->described;
    const double bound = fmax(fabs(column->lower - centre), fabs(column->upper - centre));
    int exponent;
    const sotto_status status = sotto_grid_exponent(bound, 29, &exponent, error);
    if (status != SOTTO_OK) return status;
    if (whole && exponent < 0) exponent = 0;
    release->grid = ldexp(1.0, exponent);
    release->centre = centre;
    /* Rounding is monotone: every value between the bounds lands between these two. */
    release->least = (int64_t)nearbyint((column->lower - centre) / release->grid);
    release->most = (int64_t)nearbyint((column->upper - centre) / release->grid);
    return SOTTO_OK;
}

static bool is_whole(const sotto_column *column)
{
    return column->type == SOTTO_COLUMN_INTEGER || column->type == SOTTO_COLUMN_BOOLEAN;
}

/* The move of the sum of rounded values by one stored row. A row outside the selection adds
 * nothing, so a replaced row may also move it between 0 and a value (data/stability.md). */
static double sum_sensitivity(const sot_release *release)
{
    const double least = (double)release->least;
    const double most = (double)release->most;
    const double farthest = fmax(fabs(least), fabs(most));
    if (release->config->adjacency == SOTTO_ADD_REMOVE) return fmax(1.0, farthest);
    const double replaced =
        sot_release_selects(release) ? fmax(most - least, farthest) : most - least;
    return fmax(1.0, replaced); /* a declared 0 is no sensitivity */
}

/* ---- count ---- */

static sotto_status refuse_public_count(const sot_release *release, sotto_error *error)
{
    if (release->config->adjacency == SOTTO_ADD_REMOVE || sot_release_selects(release))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "under replace-one the number of rows is public: there is nothing to "
                    "release; count with `where`, or use `adjacency=add-remove`");
}

static sotto_status add_count_part(sot_release *release, double epsilon_share,
                                   double square_share, sotto_error *error)
{
    const sot_part_request request = {.purpose = "count",
                                      .grid = 1.0,
                                      .l1_sensitivity = 1.0,
                                      .l2_sensitivity = 1.0,
                                      .epsilon_share = epsilon_share,
                                      .square_share = square_share,
                                      .dimension = 1};
    return sot_release_add_part(release, &request, error);
}

static sotto_status prepare_count(sot_release *release, sotto_error *error)
{
    sotto_status status = refuse_public_count(release, error);
    if (status == SOTTO_OK) status = add_count_part(release, 1.0, 1.0, error);
    return status;
}

static sotto_status take_nothing(sot_release *release, double value, sotto_error *error)
{
    (void)release, (void)value, (void)error; /* the caller counts the rows */
    return SOTTO_OK;
}

static sotto_status conclude_count(sot_release *release, int64_t noisy,
                                   sotto_error *error)
{
    const sotto_status status = sot_release_make_values(release, 1, error);
    if (status != SOTTO_OK) return status;
    const double margin =
        sot_noise_margin(&release->parts[0], release->config->confidence);
    const double value = (double)noisy;
    /* A count is not negative: the part of the interval below 0 says nothing. */
    return sot_release_set_value(release, 0, "count", value, fmax(0.0, value - margin),
                                 fmax(0.0, value + margin), error);
}

static sotto_status publish_count(sot_release *release, sotto_gate *gate,
                                  sotto_error *error)
{
    const int64_t exact = (int64_t)release->rows;
    int64_t noisy;
    const sotto_status status =
        sot_noise_release(&release->parts[0], gate, &exact, &noisy, error);
    return status == SOTTO_OK ? conclude_count(release, noisy, error) : status;
}

static sotto_status restate_count(sot_release *release, const sot_json_value *file,
                                  sotto_error *error)
{
    int64_t noisy = 0;
    const sotto_status status =
        sot_release_stated_units(file, 0, 0.0, 1.0, &noisy, error);
    return status == SOTTO_OK ? conclude_count(release, noisy, error) : status;
}

const sot_statistic sot_statistic_count = {.name = "count",
                                           .needs_column = false,
                                           .prepare = prepare_count,
                                           .take = take_nothing,
                                           .publish = publish_count,
                                           .restate = restate_count};

/* ---- sum ---- */

static sotto_status add_sum_part(sot_release *release, const char *purpose,
                                 double epsilon_share, double square_share,
                                 sotto_error *error)
{
    const double sensitivity = sum_sensitivity(release);
    const sot_part_request request = {.purpose = purpose,
                                      .grid = release->grid,
                                      .l1_sensitivity = sensitivity,
                                      .l2_sensitivity = sensitivity,
                                      .epsilon_share = epsilon_share,
                                      .square_share = square_share,
                                      .dimension = 1};
    return sot_release_add_part(release, &request, error);
}

static sotto_status prepare_sum(sot_release *release, sotto_error *error)
{
    sotto_status status = sot_release_need_number(release, error);
    if (status == SOTTO_OK)
        status = choose_grid(release, 0.0, is_whole(release->described), error);
    if (status == SOTTO_OK) status = add_sum_part(release, "sum", 1.0, 1.0, error);
    if (status == SOTTO_OK) status = sot_release_make_exact(release, 1, error);
    return status;
}

static sotto_status take_sum(sot_release *release, double value, sotto_error *error)
{
    const int64_t units = sot_release_round(release, value);
    return sotto_grid_add(release->exact, &units, 1, error);
}

static sotto_status conclude_sum(sot_release *release, int64_t noisy, sotto_error *error)
{
    const sot_noise *noise = &release->parts[0];
    const sotto_status status = sot_release_make_values(release, 1, error);
    if (status != SOTTO_OK) return status;
    const double margin = sot_noise_margin(noise, release->config->confidence);
    return sot_release_set_value(release, 0, "sum", (double)noisy * release->grid,
                                 ((double)noisy - margin) * release->grid,
                                 ((double)noisy + margin) * release->grid, error);
}

static sotto_status publish_sum(sot_release *release, sotto_gate *gate,
                                sotto_error *error)
{
    int64_t noisy;
    const sotto_status status =
        sot_noise_release(&release->parts[0], gate, release->exact, &noisy, error);
    return status == SOTTO_OK ? conclude_sum(release, noisy, error) : status;
}

static sotto_status restate_sum(sot_release *release, const sot_json_value *file,
                                sotto_error *error)
{
    int64_t noisy = 0;
    const sotto_status status =
        sot_release_stated_units(file, 0, 0.0, release->grid, &noisy, error);
    return status == SOTTO_OK ? conclude_sum(release, noisy, error) : status;
}

const sot_statistic sot_statistic_sum = {.name = "sum",
                                         .needs_column = true,
                                         .prepare = prepare_sum,
                                         .take = take_sum,
                                         .publish = publish_sum,
                                         .restate = restate_sum};

/* ---- mean ---- */

/* The divisor is public: every row of a stored table counts, and their number was declared. */
static bool divisor_is_public(const sot_release *release)
{
    return release->config->public_n > 0;
}

static sotto_status prepare_mean(sot_release *release, sotto_error *error)
{
    sotto_status status = sot_release_need_number(release, error);
    if (status != SOTTO_OK) return status;
    const sotto_column *column = release->described;
    if (release->config->adjacency == SOTTO_REPLACE_ONE &&
        !sot_release_selects(release) && release->config->public_n == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`public_n` is missing: under replace-one the mean divides the "
                        "sum by the public number of rows; for example `public_n=1000`");
    }
    status = choose_grid(release, 0.5 * (column->lower + column->upper), false, error);
    if (status != SOTTO_OK) return status;
    const bool alone = divisor_is_public(release);
    status = add_sum_part(release, "centred sum", alone ? 1.0 : MEAN_EPSILON_SHARE,
                          alone ? 1.0 : MEAN_SQUARE_SHARE, error);
    if (status == SOTTO_OK && !alone) {
        status = add_count_part(release, 1.0 - MEAN_EPSILON_SHARE,
                                1.0 - MEAN_SQUARE_SHARE, error);
    }
    if (status == SOTTO_OK) status = sot_release_make_exact(release, 1, error);
    return status;
}

/* The interval of the rounded values' mean, in units, for the mean of the values themselves. */
static sotto_status set_mean(sot_release *release, double units, double lower,
                             double upper, sotto_error *error)
{
    const sotto_column *column = release->described;
    const double value = release->centre + release->grid * units;
    /* Rounding moved each value, so also their mean, by at most one unit. */
    const double low = release->centre + release->grid * (fmin(lower, units) - 1.0);
    const double high = release->centre + release->grid * (fmax(upper, units) + 1.0);
    return sot_release_set_value(release, 0, "mean",
                                 fmin(fmax(value, column->lower), column->upper),
                                 fmin(fmax(low, column->lower), column->upper),
                                 fmin(fmax(high, column->lower), column->upper), error);
}

static sotto_status publish_mean(sot_release *release, sotto_gate *gate,
                                 sotto_error *error)
{
    const sot_noise *parts = release->parts;
    const double confidence = release->config->confidence;
    const int64_t rows = (int64_t)release->rows;
    int64_t sum = 0;
    int64_t count = 1;
    sotto_status status = sot_noise_release(&parts[0], gate, release->exact, &sum, error);
    if (status == SOTTO_OK && release->part_count > 1)
        status = sot_noise_release(&parts[1], gate, &rows, &count, error);
    if (status == SOTTO_OK) status = sot_release_make_values(release, 1, error);
    if (status != SOTTO_OK) return status;
    if (divisor_is_public(release)) {
        const double n = (double)release->config->public_n;
        const double margin = sot_noise_margin(&parts[0], confidence);
        return set_mean(release, (double)sum / n, ((double)sum - margin) / n,
                        ((double)sum + margin) / n, error);
    }
    double lower, upper;
    const double half = fmax(-(double)release->least, (double)release->most);
    sot_noise_ratio_interval(&parts[0], &parts[1], (double)sum, (double)count, half,
                             confidence, &lower, &upper);
    /* With no rows to speak of the best guess is the public middle. */
    const double ratio = count > 0 ? (double)sum / (double)count : 0.0;
    return set_mean(release, fmin(fmax(ratio, -half), half), lower, upper, error);
}

/* A ratio of two noisy numbers: neither can be had from it, so value and interval are taken as they are. */
static sotto_status restate_mean(sot_release *release, const sot_json_value *file,
                                 sotto_error *error)
{
    const sotto_column *column = release->described;
    sot_stated_value stated;
    sotto_status status = sot_release_stated(file, 0, &stated, error);
    if (status == SOTTO_OK &&
        !(column->lower <= stated.lower && stated.lower <= stated.value &&
          stated.value <= stated.upper && stated.upper <= column->upper))
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "values[0] does not lie in its interval, or that not between "
                          "the bounds of the column");
    if (status == SOTTO_OK) status = sot_release_make_values(release, 1, error);
    if (status != SOTTO_OK) return status;
    return sot_release_set_value(release, 0, release->statistic->name, stated.value,
                                 stated.lower, stated.upper, error);
}

const sot_statistic sot_statistic_mean = {.name = "mean",
                                          .needs_column = true,
                                          .prepare = prepare_mean,
                                          .take = take_sum,
                                          .publish = publish_mean,
                                          .restate = restate_mean};
