/* tests/models/linear/problems.h: matrices made up from a seed, and exact answers about them. */
#ifndef SOTTO_TESTS_GLM_PROBLEMS_H
#define SOTTO_TESTS_GLM_PROBLEMS_H

#include "support.h"

#include <mpfr.h>

#include "models/linear/references.h"
#include "models/linear/rows/rows.h"
#include "models/linear/solver/problem.h"

enum { EXACT_BITS = 400 };

static inline uint64_t mixed(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [-1, 1), a multiple of 2^-20. */
static inline double uniform(uint64_t *state)
{
    return (double)(int64_t)(mixed(state) >> 43) * 0x1p-20 - 1.0;
}

typedef struct recipe {
    size_t rows, columns;
    bool sparse;
    double filled; /* share of features that are not 0 */
    double noise;  /* share of labels that are drawn, not made by a plane; 0: separable */
    uint64_t seed;
} recipe;

static inline void free_matrix(sot_matrix *matrix)
{
    free(matrix->labels);
    free(matrix->dense);
    free(matrix->starts);
    free(matrix->indices);
    free(matrix->values);
    *matrix = (sot_matrix){0};
}

/* Features of a row, scaled so that |x| <= 1, truncated to multiples of 2^-22. */
static inline void make_row(const recipe *from, uint64_t *state, float *x)
{
    double squares = 0.0;
    for (size_t j = 0; j < from->columns; j++) {
        const bool there = 0.5 * (uniform(state) + 1.0) < from->filled;
        const double value = uniform(state);
        x[j] = there ? (float)value : 0.0f;
        squares += (double)x[j] * (double)x[j];
    }
    const double scale = squares > 0.0 ? 1.0 / (sqrt(squares) * (1.0 + 0x1p-40)) : 0.0;
    for (size_t j = 0; j < from->columns; j++)
        x[j] = (float)(trunc((double)x[j] * scale * 0x1p22) * 0x1p-22);
}

static inline sot_matrix make_matrix(const recipe *from)
{
    uint64_t state = from->seed;
    const size_t stride = (from->columns + 15) / 16 * 16;
    sot_matrix m = {.rows = from->rows, .columns = from->columns};
    float *all = aligned_alloc(64, (from->rows + 1) * stride * sizeof *all);
    m.labels = malloc((from->rows + 1) * sizeof *m.labels);
    assert_true(all != NULL && m.labels != NULL);
    memset(all, 0, (from->rows + 1) * stride * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < from->rows; i++) {
        float *x = all + i * stride;
        make_row(from, &state, x);
        double plane = 0.0;
        for (size_t j = 0; j < from->columns; j++) {
            plane += (double)x[j] * (j % 3 == 0 ? 1.375 : -0.625);
            count += x[j] != 0.0f;
        }
        const bool drawn = 0.5 * (uniform(&state) + 1.0) < from->noise;
        const double sign = drawn ? uniform(&state) : plane;
        m.labels[i] = sign < 0.0 ? -1.0 : 1.0;
    }
    if (!from->sparse) {
        m.dense = all;
        m.stride = stride;
        return m;
    }
    m.starts = malloc((from->rows + 1) * sizeof *m.starts);
    m.indices = malloc((count + 1) * sizeof *m.indices);
    m.values = malloc((count + 1) * sizeof *m.values);
    assert_true(m.starts != NULL && m.indices != NULL && m.values != NULL);
    size_t k = 0;
    for (size_t i = 0; i < from->rows; i++) {
        m.starts[i] = k;
        for (size_t j = 0; j < from->columns; j++) {
            if (all[i * stride + j] == 0.0f) continue;
            m.indices[k] = (uint32_t)j;
            m.values[k++] = all[i * stride + j];
        }
    }
    m.starts[from->rows] = k;
    free(all);
    return m;
}

static inline double entry(const sot_matrix *matrix, size_t row, size_t column)
{
    if (matrix->dense != NULL)
        return (double)matrix->dense[row * matrix->stride + column];
    for (size_t k = (size_t)matrix->starts[row]; k < (size_t)matrix->starts[row + 1];
         k++) {
        if (matrix->indices[k] == column) return (double)matrix->values[k];
    }
    return 0.0;
}

/* The gradient to 400 bits, of any loss that references.h has, `columns` numbers that the caller has
 * initialised. */
static inline void exact_gradient(const sot_glm *glm, const double *theta, mpfr_t *out)
{
    const size_t columns = glm->matrix->columns;
    mpfr_t term;
    exact_loss e;
    exact_begin(&e);
    mpfr_init2(term, EXACT_BITS);
    for (size_t j = 0; j < columns; j++) {
        mpfr_set_d(out[j], theta[j], MPFR_RNDN);
        if (glm->center != NULL) mpfr_sub_d(out[j], out[j], glm->center[j], MPFR_RNDN);
        mpfr_mul_d(out[j], out[j], glm->lambda, MPFR_RNDN);
        if (glm->linear != NULL) mpfr_add_d(out[j], out[j], glm->linear[j], MPFR_RNDN);
        if (!(glm->l1 > 0.0)) continue;
        /* l1 t / sqrt(t^2 + w^2) */
        mpfr_set_d(term, theta[j], MPFR_RNDN);
        mpfr_set_d(e.t, glm->l1_width, MPFR_RNDN);
        mpfr_hypot(e.t, e.t, term, MPFR_RNDN);
        mpfr_div(term, term, e.t, MPFR_RNDN);
        mpfr_mul_d(term, term, glm->l1, MPFR_RNDN);
        mpfr_add(out[j], out[j], term, MPFR_RNDN);
    }
    for (size_t i = 0; i < glm->matrix->rows; i++) {
        mpfr_set_zero(e.u, 1);
        for (size_t j = 0; j < columns; j++) {
            mpfr_set_d(term, theta[j], MPFR_RNDN);
            mpfr_mul_d(term, term, entry(glm->matrix, i, j), MPFR_RNDN);
            mpfr_add(e.u, e.u, term, MPFR_RNDN);
        }
        exact_of(&e, glm->loss, glm->matrix->labels[i]);
        for (size_t j = 0; j < columns; j++) {
            mpfr_mul_d(term, e.slope, entry(glm->matrix, i, j), MPFR_RNDN);
            mpfr_add(out[j], out[j], term, MPFR_RNDN);
        }
    }
    mpfr_clear(term);
    exact_end(&e);
}

/* |gradient|, rounded down to a double. */
static inline double exact_norm_lower(const sot_glm *glm, const double *theta)
{
    const size_t columns = glm->matrix->columns;
    mpfr_t *gradient = malloc(columns * sizeof *gradient);
    mpfr_t squares, term;
    assert_non_null(gradient);
    mpfr_inits2(EXACT_BITS, squares, term, (mpfr_ptr)NULL);
    for (size_t j = 0; j < columns; j++)
        mpfr_init2(gradient[j], EXACT_BITS);
    exact_gradient(glm, theta, gradient);
    mpfr_set_zero(squares, 1);
    for (size_t j = 0; j < columns; j++) {
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
