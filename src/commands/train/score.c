/* The scores of coefficients on public rows, and labels that are planted for it. */
#include <math.h>
#include <string.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/public.h"
#include "commands/train/train.h"
#include "models/linear/rows/rows.h"
#include "random/rng.h"

double sot_public_margin(const sot_matrix *matrix, size_t row, const double *theta)
{
    double sum = 0.0;
    if (matrix->layout != NULL) {
        sot_rows_plain(matrix)->dots(matrix, row, row + 1, theta, &sum);
        return sum;
    }
    if (matrix->dense != NULL) {
        const float *x = matrix->dense + row * matrix->stride;
        for (size_t j = 0; j < matrix->columns; j++)
            sum += (double)x[j] * theta[j];
        return sum;
    }
    for (uint64_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
        sum += (double)matrix->values[k] * theta[matrix->indices[k]];
    return sum;
}

/* ---- classes ---- */

/* The place in the label set that a label stands for: sot_encode_target(). */
static size_t place_of(size_t classes, double label)
{
    return classes == 2 ? (label > 0.0 ? 1 : 0) : (size_t)label;
}

/* The largest margin of several, or the sign of one. */
static size_t decide(const sot_matrix *matrix, size_t row, const double *theta,
                     size_t margins)
{
    if (margins == 1) return sot_public_margin(matrix, row, theta) >= 0.0 ? 1 : 0;
    size_t best = 0;
    double largest = -(double)INFINITY;
    for (size_t k = 0; k < margins; k++) {
        const double found = sot_public_margin(matrix, row, theta + k * matrix->columns);
        if (!(found > largest)) continue;
        largest = found;
        best = k;
    }
    return best;
}

/* Several posterior samples: returns the class of their mean prediction, as sotto_model_predict()
 * does. `room` for twice as many numbers as there are margins. */
static size_t decide_by_mean(const sotto_training *training, const sot_matrix *matrix,
                             size_t row, const double *theta, double *room)
{
    const size_t margins = training->learner->outputs;
    const bool probable =
        sot_model_prediction(training->config.model, SOT_TARGET_CLASSES) ==
        SOTTO_PREDICTS_PROBABILITIES;
    double *sums = room + margins;
    memset(sums, 0, margins * sizeof *sums);
    for (size_t k = 0; k < training->learner->draws; k++) {
        for (size_t c = 0; c < margins; c++, theta += matrix->columns)
            room[c] = sot_public_margin(matrix, row, theta);
        if (margins > 1) {
            sot_model_softmax(room, margins, room);
        } else if (probable) {
            room[0] = sot_model_sigmoid(room[0]) - 0.5;
        }
        for (size_t c = 0; c < margins; c++)
            sums[c] += room[c];
    }
    if (margins == 1) return sums[0] >= 0.0 ? 1 : 0;
    size_t best = 0;
    for (size_t c = 1; c < margins; c++)
        if (sums[c] > sums[best]) best = c;
    return best;
}

static sotto_status accuracy(const sotto_training *training, const sot_matrix *matrix,
                             const double *theta, double *out_score, sotto_error *error)
{
    const size_t classes = sot_encoding_classes(training->encoding);
    const size_t margins = training->learner->outputs;
    size_t right = 0;
    double *room = sot_new_array(2 * margins, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, 2 * margins, sizeof *room);
    for (size_t i = 0; i < matrix->rows; i++) {
        const size_t said = training->learner->draws > 1
                                ? decide_by_mean(training, matrix, i, theta, room)
                                : decide(matrix, i, theta, margins);
        right += said == place_of(classes, matrix->labels[i]);
    }
    sot_free(room);
    *out_score = (double)right / (double)matrix->rows;
    return SOTTO_OK;
}

static sotto_status majority(const sot_encoding *encoding, const sot_matrix *seen,
                             const sot_matrix *held, double *out_score,
                             sotto_error *error)
{
    const size_t classes = sot_encoding_classes(encoding);
    size_t *counts = sot_new_array(classes, sizeof *counts);
    if (counts == NULL) return sot_fail_memory(error, classes, sizeof *counts);
    for (size_t i = 0; i < seen->rows; i++)
        counts[place_of(classes, seen->labels[i])]++;
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (counts[k] > counts[best]) best = k;
    size_t right = 0;
    for (size_t i = 0; i < held->rows; i++)
        right += place_of(classes, held->labels[i]) == best;
    *out_score = (double)right / (double)held->rows;
    sot_free(counts);
    return SOTTO_OK;
}

/* ---- numbers ---- */

static double value_of(const sot_encoding *encoding, double found)
{
    return sot_encoding_target_value(
        encoding, sot_encoding_role(encoding) == SOT_TARGET_COUNT ? exp(found) : found);
}

double sot_public_miss(const sotto_training *training, const sot_matrix *matrix,
                       size_t row, const double *theta)
{
    const sot_encoding *encoding = training->encoding;
    const size_t draws = training->learner->draws > 1 ? training->learner->draws : 1;
    double said = 0.0;
    for (size_t k = 0; k < draws; k++)
        said += value_of(encoding,
                         sot_public_margin(matrix, row, theta + k * matrix->columns)) /
                (double)draws;
    return said - sot_encoding_target_value(encoding, matrix->labels[row]);
}

static double root_mean_square(const sotto_training *training, const sot_matrix *matrix,
                               const double *theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double miss = sot_public_miss(training, matrix, i, theta);
        sum += miss * miss;
    }
    return sqrt(sum / (double)matrix->rows);
}

static double miss_of_mean(const sot_encoding *encoding, const sot_matrix *seen,
                           const sot_matrix *held)
{
    double mean = 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < seen->rows; i++)
        mean += sot_encoding_target_value(encoding, seen->labels[i]) / (double)seen->rows;
    for (size_t i = 0; i < held->rows; i++) {
        const double miss = sot_encoding_target_value(encoding, held->labels[i]) - mean;
        sum += miss * miss;
    }
    return sqrt(sum / (double)held->rows);
}

sotto_status sot_public_score(const sotto_training *training, const sot_matrix *matrix,
                              const double *theta, double *out_score, sotto_error *error)
{
    if (training->learner->net != NULL)
        return sot_training_score_network(training, matrix, theta, out_score, error);
    if (training->learner->concept != NULL) {
        *out_score = sot_training_score_concept(training, matrix, theta);
        return SOTTO_OK;
    }
    if (sot_encoding_role(training->encoding) == SOT_TARGET_CLASSES)
        return accuracy(training, matrix, theta, out_score, error);
    *out_score = root_mean_square(training, matrix, theta);
    return SOTTO_OK;
}

sotto_status sot_public_trivial(const sot_encoding *encoding, const sot_matrix *seen,
                                const sot_matrix *held, double *out_score,
                                sotto_error *error)
{
    if (sot_encoding_role(encoding) == SOT_TARGET_CLASSES)
        return majority(encoding, seen, held, out_score, error);
    *out_score = miss_of_mean(encoding, seen, held);
    return SOTTO_OK;
}

/* ---- labels that are planted ---- */

static double uniform(sotto_rng *rng)
{
    return ldexp((double)(sot_rng_u64(rng) >> 11), -53);
}

/* Two classes: drawn with the probability that a logistic model gives them. */
static double plant_two(double found, sotto_rng *rng)
{
    return uniform(rng) < 1.0 / (1.0 + exp(-found)) ? 1.0 : -1.0;
}

/* More: with those of a softmax model. No margin is far above 0: 2 on average. */
static double plant_many(const double *found, size_t classes, sotto_rng *rng)
{
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++)
        sum += exp(fmin(found[k], 700.0));
    double left = uniform(rng) * sum;
    size_t place = 0;
    while (place + 1 < classes && (left -= exp(fmin(found[place], 700.0))) >= 0.0)
        place++;
    return (double)place;
}

/* Returns a Poisson count, by inversion, whose mean is exp(found) times the root of the upper
 * bound. Means are at most 400, so that e^-mean does not underflow. */
static double plant_count(double found, double most, sotto_rng *rng)
{
    const double mean = fmin(sqrt(1.0 + most) * exp(0.25 * found), fmin(most, 400.0));
    double probability = exp(-mean);
    double left = uniform(rng) - probability;
    double count = 0.0;
    while (left >= 0.0 && count < most) {
        count += 1.0;
        probability *= mean / count;
        left -= probability;
        if (probability == 0.0 && count > mean) break; /* the tail is used up */
    }
    return count;
}

static double plant_number(double found, sotto_rng *rng)
{
    return 0.2 * found + 0.4 * (uniform(rng) - 0.5);
}

static double plant(const sot_encoding *encoding, const double *found, sotto_rng *rng)
{
    const double most = sot_encoding_target_most(encoding);
    const double unit = sot_encoding_target_unit(encoding);
    const size_t classes = sot_encoding_classes(encoding);
    switch (sot_encoding_role(encoding)) {
    case SOT_TARGET_CLASSES:
        return classes == 2 ? plant_two(*found, rng) : plant_many(found, classes, rng);
    case SOT_TARGET_COUNT:
        return fmin(trunc(plant_count(*found, most, rng) / unit) * unit, most);
    case SOT_TARGET_NUMBER:
        break;
    }
    return fmax(-most, fmin(most, trunc(plant_number(*found, rng) / unit) * unit));
}

/* The sign of each coefficient is drawn, and their size makes the mean margin 2. */
static void draw_model(const sot_matrix *matrix, size_t margins, sotto_rng *rng,
                       double *theta)
{
    double mean = 0.0;
    for (size_t j = 0; j < margins * matrix->columns; j++)
        theta[j] = (sot_rng_u64(rng) & 1) != 0 ? 1.0 : -1.0;
    for (size_t k = 0; k < margins; k++)
        for (size_t i = 0; i < matrix->rows; i++)
            mean += fabs(sot_public_margin(matrix, i, theta + k * matrix->columns)) /
                    (double)(margins * matrix->rows);
    for (size_t j = 0; mean > 0.0 && j < margins * matrix->columns; j++)
        theta[j] *= 2.0 / mean;
}

sotto_status sot_public_plant(const sot_encoding *encoding, sot_matrix *matrix,
                              sotto_rng *rng, sotto_error *error)
{
    const size_t classes = sot_encoding_classes(encoding);
    const size_t margins = classes > 2 ? classes : 1;
    const size_t count = margins * matrix->columns;
    double *theta = sot_new_array(count, sizeof *theta);
    double *found = sot_new_array(margins, sizeof *found);
    sotto_status status = theta == NULL || found == NULL
                              ? sot_fail_memory(error, count, sizeof *theta)
                              : SOTTO_OK;
    if (status == SOTTO_OK) draw_model(matrix, margins, rng, theta);
    for (size_t i = 0; status == SOTTO_OK && i < matrix->rows; i++) {
        for (size_t k = 0; k < margins; k++)
            found[k] = sot_public_margin(matrix, i, theta + k * matrix->columns);
        matrix->labels[i] = plant(encoding, found, rng);
    }
    sot_free(theta);
    sot_free(found);
    return status == SOTTO_OK ? sot_rng_check(rng, error) : status;
}
