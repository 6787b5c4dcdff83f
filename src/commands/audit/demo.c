/* Differencing and a secret bit, with noise and without. */
#include <sotto/audit_demo.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "commands/audit/pairs/study.h"
#include "commands/pac/invented.h"

enum { FEATURES = 4 };

/* Beyond |theta| <= 1/8 no margin leaves the linear part, where theta is the sum of y x over lambda. */
static const double lambda = 256.0;
static const double record[FEATURES] = {0.5, -0.5, 0.5,
                                        0.5}; /* 1 long; the last is secret */

static void craft(double epsilon, sotto_adjacency adjacency, sot_study *out)
{
    static const char schema[] = "{\"features\": 4, \"labels\": [-1, 1], \"row_norm\": "
                                 "{\"bound\": 1.0, \"rule\": \"clip\"}}";
    *out = (sot_study){.features = FEATURES,
                       .base = {{{0.5, 0.5, 0.25, -0.5}, 1.0, 9},
                                {{-0.25, 0.5, -0.5, 0.25}, -1.0, 7},
                                {{0.75, 0.0, -0.25, 0.125}, 1.0, 5}},
                       .groups = 3,
                       .record = {{record[0], record[1], record[2], record[3]}, 1.0, 1},
                       .other = {{record[0], record[1], record[2], -record[3]}, 1.0, 1},
                       .look = SOT_LOOK_ALONG};
    memcpy(out->schema_text, schema, sizeof schema);
    out->config = sotto_train_defaults();
    out->config.model = SOTTO_MODEL_SVM;
    out->config.lambda = lambda;
    out->config.threads = 1;
    out->config.adjacency = adjacency;
    if (isinf(epsilon)) {
        out->config.method = SOTTO_METHOD_NONE;
        out->config.data_is_public = true;
    } else {
        out->config.method = SOTTO_METHOD_OUTPUT;
        out->config.epsilon = epsilon;
    }
}

/* The models of both worlds, each with noise of its own. */
static sotto_status train_both(const sot_laboratory *lab, sotto_rng *rng,
                               double out_theta[2][FEATURES], sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (int world = 0; world < 2 && status == SOTTO_OK; world++)
        status = sot_pac_invented_learn(lab->training, lab->worlds[world], rng,
                                        out_theta[world], error);
    return status;
}

/* lambda (theta after - theta before) is y x of the record that came. */
static sotto_status difference(double epsilon, uint64_t repeats, sotto_rng *rng,
                               sotto_demo_row *out, sotto_error *error)
{
    sot_study study;
    sot_laboratory lab;
    double theta[2][FEATURES];
    craft(epsilon, SOTTO_ADD_REMOVE, &study);
    sotto_status status = sot_laboratory_open(&study, rng, &lab, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        double squares = 0.0, right = 0.0;
        status = train_both(&lab, rng, theta, error);
        for (size_t j = 0; j < FEATURES; j++) {
            const double rebuilt = lambda * (theta[1][j] - theta[0][j]);
            squares += (rebuilt - record[j]) * (rebuilt - record[j]);
            right += rebuilt * record[j] > 0.0 ? 1.0 / FEATURES : 0.0;
        }
        out->reconstruction_error += sqrt(squares) / (double)repeats;
        out->right_sign += right / (double)repeats;
    }
    sot_laboratory_close(&lab);
    return status;
}

/* Every row but the record is known: without its secret the last coefficient would be in the middle. */
static sotto_status guess(double epsilon, uint64_t repeats, sotto_rng *rng,
                          sotto_demo_row *out, sotto_error *error)
{
    sot_study study;
    sot_laboratory lab;
    double theta[2][FEATURES], middle = 0.0;
    craft(epsilon, SOTTO_REPLACE_ONE, &study);
    for (size_t i = 0; i < study.groups; i++)
        middle += (double)study.base[i].copies * study.base[i].label *
                  study.base[i].x[FEATURES - 1] / lambda;
    sotto_status status = sot_laboratory_open(&study, rng, &lab, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        status = train_both(&lab, rng, theta, error);
        for (int world = 0; world < 2 && status == SOTTO_OK; world++) {
            const bool positive = theta[world][FEATURES - 1] > middle;
            if (positive == (world == 1)) out->guessed += 0.5 / (double)repeats;
        }
    }
    sot_laboratory_close(&lab);
    return status;
}

sotto_status sotto_audit_demo(const double *epsilons, size_t count, uint64_t repeats,
                              const uint64_t *test_seed, sotto_demo_row *out_rows,
                              sotto_error *error)
{
    sotto_rng *rng = NULL;
    if (repeats < 1 || repeats > SOTTO_DEMO_REPEATS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`repeats` is %llu; give from 1 to %d, for example `repeats=100`",
                        (unsigned long long)repeats, SOTTO_DEMO_REPEATS_MAX);
    }
    sotto_status status = test_seed != NULL
                              ? sotto_rng_new_for_test(*test_seed, &rng, error)
                              : sotto_rng_new(&rng, error);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        const double epsilon = epsilons[i];
        out_rows[i] = (sotto_demo_row){.epsilon = epsilon,
                                       .guess_bound = 1.0 / (1.0 + exp(-epsilon))};
        if (!(epsilon > 0.0)) {
            status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                              "`epsilon` is %g; it is above 0; for example `epsilon=1`",
                              epsilon);
        }
        if (status == SOTTO_OK)
            status = difference(epsilon, repeats, rng, &out_rows[i], error);
        if (status == SOTTO_OK)
            status = guess(epsilon, repeats, rng, &out_rows[i], error);
    }
    sotto_rng_free(rng);
    return status;
}
