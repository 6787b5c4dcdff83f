/* Posterior draws of every model as runs of the tape harness. */
#ifndef SOTTO_TESTS_POSTERIOR_STUDY_H
#define SOTTO_TESTS_POSTERIOR_STUDY_H

#include "model_study.h"

/* A strong prior and a small ball: few steps. */
static inline sotto_train_config drawn_config(sotto_model_kind model, sotto_method method,
                                              sotto_adjacency adjacency, double delta)
{
    sotto_train_config config = model_config(model, method, adjacency, delta);
    config.lambda = 40.0;
    config.radius = 0.75;
    return config;
}

/* One of six rows exchanged, or one beside them; NULL, or a leak. */
static inline const char *study_pair_leak(sotto_train_config config, tape_row row)
{
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 6, 11);
    const char *leak = NULL;
    tape_table *neighbour = tape_neighbour(table, config.adjacency, row, 5);
    if (neighbour != NULL) leak = tape_check(&tape, table, neighbour);
    tape_table_free(neighbour);
    tape_table_free(table);
    return leak;
}

static const sotto_model_kind drawn_models[] = {
    SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_SVM,     SOTTO_MODEL_LINEAR,
    SOTTO_MODEL_HUBER,    SOTTO_MODEL_POISSON, SOTTO_MODEL_SOFTMAX};
enum { DRAWN_MODELS = sizeof drawn_models / sizeof drawn_models[0] };

#endif
