/* tests/models/softmax/softmax_problems.h: problems of several classes, and exact answers about them. */
#ifndef SOTTO_TESTS_SOFTMAX_PROBLEMS_H
#define SOTTO_TESTS_SOFTMAX_PROBLEMS_H

#include "models/linear/problems.h"

#include "models/softmax/row.h"
#include "models/softmax/softmax.h"

/* The matrix of a recipe, its labels by the largest of `classes` planes, some drawn. */
static inline sot_matrix make_classes(const recipe *from, size_t classes)
{
    sot_matrix m = make_matrix(from);
    uint64_t state = from->seed ^ UINT64_C(0x5bd1e995);
    for (size_t i = 0; i < m.rows; i++) {
        size_t label = 0;
        double most = -(double)INFINITY;
        for (size_t c = 0; c < classes; c++) {
            double plane = 0.0;
            for (size_t j = 0; j < m.columns; j++)
                plane += entry(&m, i, j) * cos(2.5 * (double)(c + 1) * (double)(j + 1));
            if (plane <= most) continue;
            most = plane;
            label = c;
        }
        const bool drawn = 0.5 * (uniform(&state) + 1.0) < from->noise;
        if (drawn) label = (size_t)(mixed(&state) % classes);
        m.labels[i] = classes == 2 ? (label == 0 ? -1.0 : 1.0) : (double)label;
    }
    return m;
}

/* Gradient to 300 bits, dimension numbers that the caller has initialised. */
static inline void exact_softmax_gradient(const sot_softmax *problem, const double *theta,
                                          mpfr_t *out)
{
    enum { CLASSES_MOST = 16 };
    const size_t d = problem->matrix->columns;
    const size_t classes = problem->classes;
    assert_true(classes <= CLASSES_MOST);
    mpfr_t p[CLASSES_MOST], sum, term, most;
    mpfr_inits2(EXACT_BITS, sum, term, most, (mpfr_ptr)NULL);
    for (size_t c = 0; c < classes; c++)
        mpfr_init2(p[c], EXACT_BITS);
    for (size_t k = 0; k < classes * d; k++) {
        mpfr_set_d(out[k], theta[k], MPFR_RNDN);
        if (problem->center != NULL)
            mpfr_sub_d(out[k], out[k], problem->center[k], MPFR_RNDN);
        mpfr_mul_d(out[k], out[k], problem->lambda, MPFR_RNDN);
        if (problem->linear != NULL)
            mpfr_add_d(out[k], out[k], problem->linear[k], MPFR_RNDN);
        if (problem->l1 > 0.0) { /* l1 t / sqrt(t^2 + w^2) */
            mpfr_set_d(term, theta[k], MPFR_RNDN);
            mpfr_set_d(sum, problem->l1_width, MPFR_RNDN);
            mpfr_hypot(sum, term, sum, MPFR_RNDN);
            mpfr_div(term, term, sum, MPFR_RNDN);
            mpfr_mul_d(term, term, problem->l1, MPFR_RNDN);
            mpfr_add(out[k], out[k], term, MPFR_RNDN);
        }
    }
    for (size_t i = 0; i < problem->matrix->rows; i++) {
        mpfr_set_zero(sum, 1);
        for (size_t c = 0; c < classes; c++) {
            mpfr_set_zero(p[c], 1);
            for (size_t j = 0; j < d; j++) {
                mpfr_set_d(term, theta[c * d + j], MPFR_RNDN);
                mpfr_mul_d(term, term, entry(problem->matrix, i, j), MPFR_RNDN);
                mpfr_add(p[c], p[c], term, MPFR_RNDN);
            }
        }
        mpfr_set(most, p[0], MPFR_RNDN);
        for (size_t c = 1; c < classes; c++)
            mpfr_max(most, most, p[c], MPFR_RNDN);
        for (size_t c = 0; c < classes; c++) {
            mpfr_sub(p[c], p[c], most, MPFR_RNDN);
            mpfr_exp(p[c], p[c], MPFR_RNDN);
            mpfr_add(sum, sum, p[c], MPFR_RNDN);
        }
        for (size_t c = 0; c < classes; c++) {
            mpfr_div(p[c], p[c], sum, MPFR_RNDN);
            if (sot_softmax_class(problem->matrix->labels[i], classes) == c)
                mpfr_sub_ui(p[c], p[c], 1, MPFR_RNDN);
            for (size_t j = 0; j < d; j++) {
                mpfr_mul_d(term, p[c], entry(problem->matrix, i, j), MPFR_RNDN);
                mpfr_add(out[c * d + j], out[c * d + j], term, MPFR_RNDN);
            }
        }
    }
    for (size_t c = 0; c < classes; c++)
        mpfr_clear(p[c]);
    mpfr_clears(sum, term, most, (mpfr_ptr)NULL);
}

/* |gradient|, rounded down to a double. */
static inline double exact_softmax_norm_lower(const sot_softmax *problem,
                                              const double *theta)
{
    const size_t dimension = problem->classes * problem->matrix->columns;
    mpfr_t *gradient = malloc(dimension * sizeof *gradient);
    mpfr_t squares, term;
    assert_non_null(gradient);
    mpfr_inits2(EXACT_BITS, squares, term, (mpfr_ptr)NULL);
    for (size_t j = 0; j < dimension; j++)
        mpfr_init2(gradient[j], EXACT_BITS);
    exact_softmax_gradient(problem, theta, gradient);
    mpfr_set_zero(squares, 1);
    for (size_t j = 0; j < dimension; j++) {
        mpfr_sqr(term, gradient[j], MPFR_RNDD);
        mpfr_add(squares, squares, term, MPFR_RNDD);
        mpfr_clear(gradient[j]);
    }
    mpfr_sqrt(squares, squares, MPFR_RNDD);
    const double norm = mpfr_get_d(squares, MPFR_RNDD);
    mpfr_clears(squares, term, (mpfr_ptr)NULL);
    free(gradient);
    return norm;
}

#endif
