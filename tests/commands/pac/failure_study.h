/* tests/commands/pac/failure_study.h: how often the learners of concepts fail on a distribution that makes it hard.
 *
 * The class has `size` concepts, each a yes-no column of its own (kind candidates), and the answer is always no: a concept
 * is wrong where its column says yes. The last column says yes with probability `best`, the others, independent of each other, with
 * probability best + alpha, so all of them are bad, as little as a bad one can be; that is where the proofs of
 * src/commands/pac/theory.md lose least. A learner fails when it picks any of them; who takes the first of equals meets the bad ones first.
 */
#ifndef SOTTO_TESTS_FAILURE_STUDY_H
#define SOTTO_TESTS_FAILURE_STUDY_H

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/pac_theory.h>

#include "commands/pac/invented.h"
#include "numeric/special.h"
#include "random/rng.h"

typedef struct failure_study {
    sotto_adjacency adjacency;
    sotto_method method;
    size_t size;
    double epsilon, alpha, beta;
    double best;        /* 0: realizable */
    bool is_complement; /* the others are wrong exactly where the last one is right */
    uint64_t repeats, seed;
} failure_study;

/* The size that the calculator gives. */
static inline uint64_t study_rows(const failure_study *study)
{
    sotto_pac_setting setting = sotto_pac_defaults();
    sotto_error error;
    uint64_t rows = 0;
    const bool is_agnostic = study->best > 0.0;
    setting.adjacency = study->adjacency;
    setting.class_size = (double)study->size;
    setting.epsilon = study->epsilon;
    setting.alpha = study->alpha;
    setting.beta = study->beta;
    sotto_pac_bound bound = is_agnostic ? SOTTO_PAC_AGNOSTIC : SOTTO_PAC_REALIZABLE;
    if (study->method == SOTTO_METHOD_LAPLACE)
        bound = is_agnostic ? SOTTO_PAC_LAPLACE_AGNOSTIC : SOTTO_PAC_LAPLACE_REALIZABLE;
    if (study->method == SOTTO_METHOD_NONE)
        bound = is_agnostic ? SOTTO_PAC_PUBLIC_AGNOSTIC : SOTTO_PAC_PUBLIC_REALIZABLE;
    assert_ok(sotto_pac_rows(&setting, bound, &rows, &error), &error);
    return rows;
}

static inline sotto_schema *failure_schema(size_t size)
{
    const size_t room = 200 + 48 * size;
    char *text = malloc(room);
    sotto_schema *schema = NULL;
    sotto_error error;
    assert_non_null(text);
    size_t at = (size_t)snprintf(
        text, room,
        "{\"dataset\": \"hard\", \"target\": {\"column\": \"y\", \"labels\": [\"no\", "
        "\"yes\"]}, \"columns\": [{\"name\": \"y\", \"type\": \"category\", \"values\": "
        "[\"no\", \"yes\"]}");
    for (size_t i = 0; i < size; i++)
        at += (size_t)snprintf(text + at, room - at,
                               ", {\"name\": \"c%zu\", \"type\": \"boolean\"}", i);
    at += (size_t)snprintf(text + at, room - at, "]}");
    assert_ok(sotto_schema_parse("hard", text, at, &schema, &error), &error);
    free(text);
    return schema;
}

static inline double coin(sotto_rng *rng, uint64_t chance)
{
    return chance > 0 && sot_rng_u64(rng) < chance ? 1.0 : 0.0;
}

static inline void draw_hard_rows(const failure_study *study, sotto_rng *rng,
                                  uint64_t rows, double *cells)
{
    const uint64_t best = (uint64_t)ldexp(study->best, 64);
    const uint64_t bad = (uint64_t)ldexp(study->best + study->alpha, 64);
    for (uint64_t i = 0; i < rows; i++) {
        *cells++ = 0.0; /* no */
        const double last = coin(rng, best);
        for (size_t j = 1; j < study->size; j++)
            *cells++ = study->is_complement ? 1.0 - last : coin(rng, bad);
        *cells++ = last;
    }
}

/* Failures among study->repeats trainings on `rows` rows each. */
static inline double failures_at(const failure_study *study, uint64_t rows)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_training *training = NULL;
    sotto_schema *schema = failure_schema(study->size);
    double *cells = malloc(rows * (study->size + 1) * sizeof *cells);
    double failures = 0.0;
    assert_non_null(cells);
    assert_ok(sotto_rng_new_for_test(study->seed, &rng, &error), &error);
    assert_ok(sot_pac_invented_plan(schema, "candidates", study->method, study->adjacency,
                                    study->epsilon, &training, &error),
              &error);
    assert_true(sot_learner_coefficients(training->learner) == 2);
    for (uint64_t i = 0; i < study->repeats; i++) {
        sot_matrix *matrix = NULL;
        double numbers[2] = {0.0, 0.0};
        draw_hard_rows(study, rng, rows, cells);
        assert_ok(sot_pac_invented_rows(training, cells, rows, rng, &matrix, &error),
                  &error);
        assert_ok(sot_pac_invented_learn(training, matrix, rng, numbers, &error), &error);
        failures += numbers[0] != (double)(study->size - 1);
        sot_matrix_free(matrix);
    }
    sotto_training_free(training);
    sotto_schema_free(schema);
    sotto_rng_free(rng);
    free(cells);
    return failures;
}

/* P(at least so many failures) for a learner that fails with probability beta. */
static inline double tail_of(const failure_study *study, double failures)
{
    const double repeats = (double)study->repeats;
    return failures > 0.0
               ? sot_incomplete_beta(failures, repeats - failures + 1.0, study->beta)
               : 1.0;
}

#endif
