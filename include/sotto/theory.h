/* sotto/theory.h: bounds on the risk of a private model, before a record is read.
 *
 * Idea        Numbers of rows and features, bounds on the loss and a budget give bounds on the
 *             excess risk. That is the mean loss of the released model minus that of the best one
 *             within a ball, on average over the noise. The bounds are worst cases, often far
 *             above the observed risk; use them to see the scaling of a choice. The factor k is 1
 *             under add-remove and 2 under replace-one, times the rows of a unit.
 * Theorem     Each bound with its proof: theory.md. Constants are stated where they are known;
 *             `order_` fields are known up to a constant.
 * Assumes     A convex loss, |gradient of one record| <= lipschitz, and the best model within
 *             `radius`: a guess, which nothing here can check.
 */
#ifndef SOTTO_THEORY_H
#define SOTTO_THEORY_H

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sotto_theory_defaults(): everything unset. */
typedef struct sotto_theory_setting {
    sotto_adjacency adjacency;
    double epsilon;
    double delta;     /* SOTTO_UNSET: only bounds for pure guarantees are filled in */
    double rows;      /* n, public */
    double dimension; /* d: coefficients */
    double unit_rows; /* rows of one unit, at most; 1: the row itself */
    double lipschitz; /* L: of one row's loss */
    double trace;     /* upper bound for one row's Hessian; infinite: the loss has a
                       * kink */
    double
        objective_least; /* smallest lambda at which objective perturbation needs the noise of one
                          * Gaussian release, as with the logistic loss; SOTTO_UNSET: none, and no
                          * bound */
    double radius; /* D: the norm of the best coefficients */
    double
        lambda; /* beside the sum of losses, for strongly convex rates; SOTTO_UNSET: none */
    double excess;  /* gamma: excess risk aimed at; SOTTO_UNSET: none */
    double failure; /* beta: probability of missing it, for sample sizes */
} sotto_theory_setting;

/* Nothing set but units of one row. */
SOTTO_API sotto_theory_setting sotto_theory_defaults(void);

/* Bounds of the expected excess of the mean loss; SOTTO_UNSET where a bound does not apply. */
typedef struct sotto_theory_bounds {
    double mu; /* of Gaussian DP that the budget buys */
    /* Noisy gradient descent, convex: sqrt(2) k L D sqrt(d) / (n mu), after
     * gradient_steps steps. */
    double gradient_convex;
    double gradient_steps;
    /* The same steps where lambda > 0: of the mean loss with its regulariser, weights t. About
     * 4 d (k L)^2 / (lambda n mu^2). */
    double gradient_strong;
    /* Objective perturbation k L D sqrt(d) / (n mu), with the lambda that gives it; more where
     * objective_least is above that lambda. */
    double objective;
    double objective_lambda;
    /* Output perturbation of a smooth loss with the lambda that is best for it. */
    double output;
    double output_lambda;
    /* Exponential mechanism on the ball: pure, 2 k L D d / (n epsilon). */
    double exponential_pure;
    /* Regularised exponential mechanism: sqrt(2 d) k L D / (n mu). */
    double exponential_regularized;
    /* |expected risk - expected risk on the rows| for a loss within [0, 1]: e^epsilon - 1 + delta,
     * epsilon and delta for an exchanged row. Units of one row. */
    double generalization;
    /* Rows with which objective perturbation misses `excess` on the rows with probability `failure`. */
    double rows_needed;
    /* Lecture 003's sample sizes, up to a constant: as printed, and corrected as its
     * proof requires. */
    double order_rows_printed;
    double order_rows_corrected;
    double order_rows_not_private; /* the first term of both */
} sotto_theory_bounds;

/* Fills in every bound that applies. SOTTO_INVALID_ARGUMENT names a missing setting or
 * one out of range. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_theory_bound(const sotto_theory_setting *setting, sotto_theory_bounds *out_bounds,
                   sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
