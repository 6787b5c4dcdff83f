/* sotto/evaluation.h: the predictions of a model, and its scores on public rows.
 *
 * Use         sotto/sotto.h, sotto/model.h
 */
#ifndef SOTTO_EVALUATION_H
#define SOTTO_EVALUATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_model sotto_model;

/* The kind of model, and of its predictions. */
typedef enum sotto_prediction {
    SOTTO_PREDICTION_UNSET = 0,
    SOTTO_PREDICTS_PROBABILITIES = 1, /* one per class: logistic, softmax, network */
    SOTTO_PREDICTS_SCORE =
        2, /* one number, which predicts the second class if it is at least 0. It is no
            * probability: svm, hinge, a caller's loss of classes. A concept has the scores 1 and
            * -1 */
    SOTTO_PREDICTS_NUMBER =
        3 /* one, in the units of the target and within its bounds: linear,
                                 huber, poisson, a caller's loss of numbers */
} sotto_prediction;

/* Gets the place of the predicted class and the outputs of a row; anything but 0 stops. */
typedef int (*sotto_prediction_function)(size_t predicted, const double *outputs,
                                         void *context);

/* Scores of the model on PUBLIC rows. An empty file is refused. Scores that do not apply to the
 * model are NaN. For two classes the call keeps eight bytes per row, for the auc. */
typedef struct sotto_evaluation {
    uint64_t rows;
    /* For classes. */
    double accuracy;
    double
        log_loss; /* mean of -log P(true class), in nats; from the scores, nothing is cut off */
    double auc; /* of two classes; NaN when only one is there */
    double
        brier; /* mean of half the squared distance between the probabilities and the truth:
                     of two classes the squared error of the positive one's */
    size_t classes; /* 0 for numbers */
    uint64_t *
        confusion; /* classes x classes: [true * classes + predicted]; NULL for numbers */
    /* For numbers, in the units of the target; true numbers are clipped to its bounds. */
    double mse, mae; /* mean squared, mean absolute error */
    double r2; /* 1 - mse over the variance of these rows; NaN when they are all equal */
    double
        deviance; /* of counts: mean of 2 (y log(y / prediction) - y + prediction), Poisson's */
    /* For classes. */
    double
        balanced_accuracy; /* mean over the classes that are there of the share predicted right */
    double
        majority; /* share of the most frequent class: the accuracy of always predicting it */
} sotto_evaluation;

#ifdef __cplusplus
}
#endif
#endif
