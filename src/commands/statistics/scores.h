/* commands/statistics/scores.h: scores of a classifier of two classes from one histogram.
 *
 * A row is one of 2 x 64 cells: its class, and a public cell of the probability that the model
 * gives the second class. Every score below is a function of the noisy counts. Claims and
 * intervals: release.md, "Scores".
 */
#ifndef SOT_COMMANDS_STATISTICS_SCORES_H
#define SOT_COMMANDS_STATISTICS_SCORES_H

#include <stdint.h>

#include <sotto/error.h>

enum {
    SOT_SCORE_CELLS = 64,
    SOT_SCORE_COUNTS = 2 * SOT_SCORE_CELLS, /* the first class, then the second */
    SOT_SCORE_GROUPS = 8,                   /* of the calibration */
    SOT_SCORE_VALUES = 9                    /* before those of the groups */
};

/* Places of the values. */
enum {
    SOT_SCORE_AUC,
    SOT_SCORE_LOG_LOSS,
    SOT_SCORE_BRIER,
    SOT_SCORE_ACCURACY,
    SOT_SCORE_BALANCED,
    SOT_SCORE_RECALL,
    SOT_SCORE_PRECISION,
    SOT_SCORE_RATE, /* the share of rows of the second class */
    SOT_SCORE_MEAN  /* the mean probability of the second class */
};

/* Cells of a probability, from public facts: 64, the finest around the threshold, which is an edge. Cell
 * i is [edges[i], edges[i + 1]), the last one with its end. */
typedef struct sot_score_cells {
    double edges[SOT_SCORE_CELLS + 1];
    double middles[SOT_SCORE_CELLS]; /* the probability that stands for the cell */
    int threshold;                   /* from this cell on the second class is predicted */
} sot_score_cells;

/* `threshold` lies in [0, 1]. */
void sot_score_make_cells(double threshold, sot_score_cells *out_cells);
int sot_score_cell_of(const double edges[SOT_SCORE_CELLS + 1], double probability);

/* A score with its interval, for the exact counts; NaN if the noise is too large for it. */
typedef struct sot_score {
    double value, lower, upper;
} sot_score;

/* `deviation` is the standard deviation of the noise on one count; it is independent between
 * counts. `excess` is its excess kurtosis. */
typedef struct sot_score_noise {
    double deviation, excess, confidence;
} sot_score_noise;

/* Computes the SOT_SCORE_VALUES scores, then the share of the second class in each group. */
void sot_score_all(const sot_score_cells *cells, const int64_t counts[SOT_SCORE_COUNTS],
                   const sot_score_noise *noise,
                   sot_score out_scores[SOT_SCORE_VALUES + SOT_SCORE_GROUPS]);

#endif
