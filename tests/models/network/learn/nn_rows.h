/* Rows in memory for the learner of networks, and scenes without noise. Include support.h before it. */
#ifndef SOTTO_TESTS_NN_ROWS_H
#define SOTTO_TESTS_NN_ROWS_H

#include "nn_study.h"

/* Dense rows; those whose first number is above 0 have the last class, the others one of the first two. */
static inline sot_matrix *nn_rows_of(size_t rows, size_t columns, size_t classes)
{
    sot_matrix *matrix = sot_new_array(1, sizeof *matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    matrix->dense = sot_new_aligned(rows * matrix->stride, sizeof(float));
    matrix->labels = sot_new_array(rows, sizeof(double));
    matrix->room_rows = rows;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            matrix->dense[i * matrix->stride + j] =
                (float)sin((double)(i * columns + j) * (double)(i + 3));
        matrix->labels[i] =
            (double)(matrix->dense[i * matrix->stride] > 0.0f ? classes - 1 : i % 2);
    }
    return matrix;
}

/* A scene whose noise is next to nothing: for comparisons, not for people. */
static inline void nn_silence(nn_scene *scene)
{
    sotto_error error;
    sot_nn *nn = scene->learner->state;
    nn->noise.sigma = 0x1p-20; /* and a sensitivity that is a lie */
    nn->noise.l2_sensitivity = 0x1p-10;
    for (size_t i = 0; i < nn->before_count; i++) {
        nn->before[i].sigma = 0x1p-20;
        nn->before[i].l2_sensitivity = 0x1p-10;
    }
    sotto_plan_free(scene->plan);
    scene->plan = NULL;
    assert_ok(sotto_plan_new(scene->config.adjacency, &scene->plan, &error), &error);
    assert_ok(scene->learner->plan(scene->learner, scene->plan, &error), &error);
}

static inline double *nn_learned(nn_scene *scene, const sot_matrix *matrix, uint64_t seed,
                                 size_t threads)
{
    sotto_error error;
    double *theta =
        sot_new_array(sot_learner_coefficients(scene->learner), sizeof *theta);
    assert_non_null(theta);
    assert_ok(nn_learn(scene, matrix, seed, threads, theta, &error), &error);
    return theta;
}

static inline void nn_begin(const nn_study *study, nn_scene *scene)
{
    sotto_error error;
    assert_ok(nn_scene_begin(study, 0, scene, &error), &error);
}

#endif
