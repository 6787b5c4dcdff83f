/* methods/empirical.h: a regularised sum of losses for the methods, independent of the model.
 *
 * Idea: the methods (objective, output, gd, sgd ...) are the same for a loss of one margin and
 * for softmax. They see the sum of losses through constants from public facts, and a handful of
 * operations on rows. Two makers: methods/convex/empirical_glm.c (one margin per row,
 * models/linear/solver/problem.h) and models/softmax/ (a margin per class).
 *
 * Public: sot_empirical_facts follow from the setup. Operations see the records.
 */
#ifndef SOT_METHODS_EMPIRICAL_H
#define SOT_METHODS_EMPIRICAL_H

#include "methods/learner.h"

/* The largest residual of a prediction within the target's range, [-1, 1]. */
#define SOT_LARGEST_RESIDUAL 2.0

/* Facts that hold for every record within the encoding's bound; all rounded up. */
typedef struct sot_empirical_facts {
    const char *name;    /* of the loss */
    size_t outputs;      /* margins a row: 1, or the classes */
    size_t dimension;    /* of theta: outputs x columns */
    double record_bound; /* L: |gradient of one record's loss| */
    double smoothness;   /* beta: its largest curvature; infinite: not smooth */
    size_t rank;         /* of one record's Hessian, at most: 1, classes - 1 */
    double trace;        /* of it, at most */
    bool one_signed;     /* one margin, and its slope has one sign */
    bool
        self_bounding; /* one margin of a row of norm L, f'' <= |f'| (1 - |f'|): the sharp theorem */
    double tau; /* tolerance for solve(): small against record_bound, and
                          * attainable for any rows */
    /* Bound on the error of add_gradient_double() per row, |theta| at most t:
     * row_error + row_error_norm t */
    double row_error, row_error_norm;
    double coordinate_bound; /* |any coordinate of one record's gradient| */
} sot_empirical_facts;

/* The rest of the objective: data-free, the same for every method. */
typedef struct sot_empirical_terms {
    double lambda;        /* of (lambda/2)|theta - center|^2 */
    const double *center; /* dimension numbers; NULL: 0 */
    double l1, l1_width;
    double radius; /* 0: no ball */
} sot_empirical_terms;

typedef struct sot_empirical sot_empirical;
typedef struct sot_empirical_operations {
    /* As sot_glm_solve(): |theta - minimiser| <= tau / lambda, proven; never fails because of the
     * rows. `linear` NULL: 0; theta: where to start, a public point, and the result. The hinge is
     * solved too; a caller's loss that is not smooth is refused (public). */
    sotto_status (*solve)(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms, const double *linear,
                          double tau, sot_pool *pool, double *theta, sotto_error *error);
    /* As sot_glm_noise_of(), for the gate tape. */
    sotto_status (*noise_of)(const sot_empirical *empirical, const sot_matrix *matrix,
                             const sot_empirical_terms *terms, const double *theta,
                             double *out_noise, double *out_log_determinant,
                             sotto_error *error);
    /* Adds the exact gradient sum of some rows (`rows` NULL: all of the matrix), in units of
     * `spacing`, as sot_glm_gradient_units(). One record's part is at most record_bound / spacing
     * (1 + 2^-20) long and depends only on that record, theta and spacing. Losses only; the
     * method handles the terms. */
    sotto_status (*add_gradient)(const sot_empirical *empirical, const sot_matrix *matrix,
                                 const uint32_t *rows, size_t count, const double *theta,
                                 double spacing, sot_pool *pool, int64_t *units,
                                 sotto_error *error);
    /* The same gradient sum in double, not in units. Each row's part is within
     * row_error + row_error_norm |theta| of the exact one, and depends only on that row and
     * theta. Rows are added up in the order given (models/linear/rows/row_sum.h). The same bits
     * for any number of threads. */
    sotto_status (*add_gradient_double)(const sot_empirical *empirical,
                                        const sot_matrix *matrix, const uint32_t *rows,
                                        size_t count, const double *theta, sot_pool *pool,
                                        double *sum, sotto_error *error);
} sot_empirical_operations;

struct sot_empirical {
    sot_empirical_facts facts;
    const sot_empirical_operations *operations;
    const struct sot_loss *loss; /* of one margin; NULL: softmax. Lives as long */
    void *state;                 /* owned; sot_free() */
};

/* Makes the sum for the setup's model. Refuses a target or settings that the model cannot
 * use, by name. */
SOTTO_MUST_CHECK sotto_status sot_empirical_new(const sot_learner_setup *setup,
                                                sot_empirical **out_empirical,
                                                sotto_error *error);
void sot_empirical_free(sot_empirical *empirical); /* NULL is fine */

#endif
