/* Brier score, log loss and AUC of coefficients on rows in memory. */
#include "commands/train/probable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/train/public.h"
#include "models/kinds.h"
#include "models/network/engine/scores.h"

/* The least probability of a log loss, as in the private scores. */
#define LEAST 0x1p-20

bool sot_tells_probabilities(const sotto_training *training)
{
    const sot_target_role role = sot_encoding_role(training->encoding);
    return role == SOT_TARGET_CLASSES &&
           sot_model_prediction(training->config.model, role) ==
               SOTTO_PREDICTS_PROBABILITIES;
}

static size_t place_of(size_t classes, double label)
{
    return classes == 2 ? (label > 0.0 ? 1 : 0) : (size_t)label;
}

/* ---- the probabilities ---- */

static void find_probabilities(const double *margins, size_t count, size_t classes,
                               double *out)
{
    if (count == 1 && classes == 2) {
        out[1] = sot_model_sigmoid(margins[0]);
        out[0] = sot_model_sigmoid(-margins[0]);
    } else {
        sot_model_softmax(margins, count, out);
    }
}

typedef struct visiting {
    const sot_matrix *matrix;
    size_t classes, outputs;
    double *margins, *one, *sums;
    sot_probable_visitor visit;
    void *context;
} visiting;

static void pass_on(visiting *self, size_t row, const double *probabilities)
{
    self->visit(probabilities, self->classes,
                place_of(self->classes, self->matrix->labels[row]), self->context);
}

static void visit_scores(size_t row, const float *scores, void *context)
{
    visiting *self = context;
    for (size_t k = 0; k < self->outputs; k++)
        self->margins[k] = (double)scores[k];
    find_probabilities(self->margins, self->outputs, self->classes, self->one);
    pass_on(self, row, self->one);
}

static sotto_status visit_network(visiting *self, const sotto_training *training,
                                  const double *theta, sotto_error *error)
{
    sot_scores_kit kit = {0};
    sotto_status status = sot_scores_kit_open(training->learner->net, theta,
                                              training->config.threads, &kit, error);
    if (status == SOTTO_OK)
        status = sot_scores_visit(kit.scores, kit.parameters, self->matrix, visit_scores,
                                  self, error);
    sot_scores_kit_close(&kit);
    return status;
}

/* Several posterior samples: the mean of their probabilities. */
static void visit_rows(visiting *self, const sotto_training *training,
                       const double *theta)
{
    const sot_matrix *matrix = self->matrix;
    const size_t draws = training->learner->draws > 1 ? training->learner->draws : 1;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *vector = theta;
        memset(self->sums, 0, self->classes * sizeof *self->sums);
        for (size_t draw = 0; draw < draws; draw++) {
            for (size_t k = 0; k < self->outputs; k++, vector += matrix->columns)
                self->margins[k] = sot_public_margin(matrix, i, vector);
            find_probabilities(self->margins, self->outputs, self->classes, self->one);
            for (size_t k = 0; k < self->classes; k++)
                self->sums[k] += self->one[k] / (double)draws;
        }
        pass_on(self, i, self->sums);
    }
}

sotto_status sot_probable_visit(const sotto_training *training, const sot_matrix *matrix,
                                const double *theta, sot_probable_visitor visit,
                                void *context, sotto_error *error)
{
    const sot_net *net = training->learner->net;
    visiting self = {.matrix = matrix,
                     .classes = sot_encoding_classes(training->encoding),
                     .outputs = net != NULL ? net->outputs : training->learner->outputs,
                     .visit = visit,
                     .context = context};
    const size_t most = self.outputs > self.classes ? self.outputs : self.classes;
    double *room = sot_new_array(3 * most, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, 3 * most, sizeof *room);
    self.margins = room;
    self.one = room + most;
    self.sums = room + 2 * most;
    sotto_status status = SOTTO_OK;
    if (net != NULL)
        status = visit_network(&self, training, theta, error);
    else
        visit_rows(&self, training, theta);
    sot_wipe_and_free(room, 3 * most * sizeof *room);
    return status;
}

/* ---- the scores ---- */

double sot_brier_of_row(const double *probabilities, size_t classes, size_t label)
{
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++) {
        const double miss = probabilities[k] - (k == label ? 1.0 : 0.0);
        sum += miss * miss;
    }
    return fmin(0.5 * sum, 1.0);
}

typedef struct ranked {
    double probability;
    bool positive;
} ranked;

typedef struct tally {
    double log_loss, brier;
    ranked *rows; /* NULL: no AUC */
    size_t count;
} tally;

static void count_row(const double *probabilities, size_t classes, size_t label,
                      void *context)
{
    tally *self = context;
    self->log_loss -= log(fmax(probabilities[label], LEAST));
    self->brier += sot_brier_of_row(probabilities, classes, label);
    if (self->rows != NULL)
        self->rows[self->count] =
            (ranked){.probability = probabilities[1], .positive = label == 1};
    self->count++;
}

sotto_status sot_probable_brier(const sotto_training *training, const sot_matrix *matrix,
                                const double *theta, double *out_brier,
                                sotto_error *error)
{
    tally found = {.rows = NULL};
    const sotto_status status =
        sot_probable_visit(training, matrix, theta, count_row, &found, error);
    if (status == SOTTO_OK) *out_brier = found.brier / (double)matrix->rows;
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->probability;
    const double y = ((const ranked *)b)->probability;
    return (x > y) - (x < y);
}

/* Pairs that are ranked right, ties by half, over all pairs. */
static double area_of(ranked *rows, size_t count)
{
    double below = 0.0, wins = 0.0, positives = 0.0;
    qsort(rows, count, sizeof *rows, compare);
    for (size_t first = 0, next; first < count; first = next) {
        double negative = 0.0, positive = 0.0;
        for (next = first;
             next < count && rows[next].probability == rows[first].probability; next++) {
            positive += rows[next].positive ? 1.0 : 0.0;
            negative += rows[next].positive ? 0.0 : 1.0;
        }
        wins += positive * (below + 0.5 * negative);
        below += negative;
        positives += positive;
    }
    return positives > 0.0 && below > 0.0 ? wins / (positives * below) : (double)NAN;
}

sotto_status sot_probable_all(const sotto_training *training, const sot_matrix *matrix,
                              const double *theta, sot_probable_scores *out_scores,
                              sotto_error *error)
{
    tally found = {.rows = NULL};
    const bool two = sot_encoding_classes(training->encoding) == 2;
    if (two) found.rows = sot_new_array(matrix->rows, sizeof *found.rows);
    if (two && found.rows == NULL)
        return sot_fail_memory(error, matrix->rows, sizeof *found.rows);
    const sotto_status status =
        sot_probable_visit(training, matrix, theta, count_row, &found, error);
    if (status == SOTTO_OK)
        *out_scores = (sot_probable_scores){
            .auc = two ? area_of(found.rows, found.count) : (double)NAN,
            .log_loss = found.log_loss / (double)matrix->rows,
            .brier = found.brier / (double)matrix->rows};
    sot_free(found.rows);
    return status;
}

sotto_status sot_probable_trivial(const sot_encoding *encoding, const sot_matrix *seen,
                                  const sot_matrix *held, sot_probable_scores *out_scores,
                                  sotto_error *error)
{
    const size_t classes = sot_encoding_classes(encoding);
    double *shares = sot_new_array(classes, sizeof *shares);
    if (shares == NULL) return sot_fail_memory(error, classes, sizeof *shares);
    tally found = {.rows = NULL};
    for (size_t i = 0; i < seen->rows; i++)
        shares[place_of(classes, seen->labels[i])] += 1.0 / (double)seen->rows;
    for (size_t i = 0; i < held->rows; i++)
        count_row(shares, classes, place_of(classes, held->labels[i]), &found);
    *out_scores = (sot_probable_scores){.auc = classes == 2 ? 0.5 : (double)NAN,
                                        .log_loss = found.log_loss / (double)held->rows,
                                        .brier = found.brier / (double)held->rows};
    sot_free(shares);
    return SOTTO_OK;
}
