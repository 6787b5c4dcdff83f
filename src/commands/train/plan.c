/* From settings and schema to a training with its plan. No record is read here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>

#include <sotto/loss.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "commands/session/declared.h"
#include "commands/session/request.h"
#include "commands/session/session.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/train.h"
#include "data/schema/parts.h"
#include "methods/convex/erm.h"
#include "methods/posterior/posterior.h"
#include "models/concept/classes/concept.h"
#include "privacy/mechanisms/objective/objective.h"

/* ---- checks ---- */

static bool draws(sotto_method method)
{
    return method == SOTTO_METHOD_POSTERIOR || method == SOTTO_METHOD_REGULARIZED_EM;
}

/* Draws that nobody proves anything about are for public rows alone. */
static bool is_of_public_rows(const sotto_train_config *config)
{
    return config->method == SOTTO_METHOD_NONE ||
           (draws(config->method) && config->sampler == SOTTO_SAMPLER_MALA);
}

/* A training on public rows has no guarantee, and so no settings of one. */
static sotto_status check_public(const sotto_train_config *config, sotto_error *error)
{
    const bool plain = config->method == SOTTO_METHOD_NONE;
    if (!config->data_is_public) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            plain ? "the method none adds no noise; declare the data public, or choose "
                    "a private method"
                  : "the sampler mala is a heuristic: nobody knows how far its draws are "
                    "from the posterior, so that no certificate can be about them; "
                    "declare the data public, or choose the sampler proximal");
    }
    if (!isnan(config->epsilon) || !isnan(config->delta) || config->public_n > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            plain ? "the method none gives no guarantee; leave out epsilon, delta and "
                    "the public number of rows"
                  : "the sampler mala gives no guarantee; leave out epsilon, delta and "
                    "the public number of rows, or choose the sampler proximal");
    }
    if (config->ledger != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        plain ? "the method none costs nothing; leave out the ledger"
                              : "the sampler mala costs nothing; leave out the ledger");
    }
    return SOTTO_OK;
}

static sotto_status check_rows(const sotto_train_config *config,
                               const sotto_schema *schema, sotto_error *error)
{
    if (config->public_n > 0 && config->expected_rows > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "both a public and an expected number of rows were given; give one "
            "of them");
    }
    if (config->expected_rows > SOTTO_GRID_RECORDS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%llu rows are expected; a table has at most 2^32",
                        (unsigned long long)config->expected_rows);
    }
    if (config->public_n > 0 && sotto_schema_unit(schema) != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's unit is the column '%.60s', whose values may have "
                        "different numbers of rows, so that the number of rows is not "
                        "public; give the expected rows",
                        sotto_schema_unit(schema));
    }
    return SOTTO_OK;
}

static sotto_status check_config(const sotto_train_config *config,
                                 const sotto_schema *schema, sotto_error *error)
{
    if (strcmp(sotto_model_kind_name(config->model), "unknown") == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model is %d; set it to one of sotto_model_kind",
                        (int)config->model);
    }
    if ((config->model == SOTTO_MODEL_CUSTOM) != (config->loss != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        config->loss == NULL
                            ? "the model is custom but there is no loss; set `loss`"
                            : "a loss of the caller's is for the model custom alone");
    }
    if (strcmp(sotto_method_name(config->method), "unknown") == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the method is %d; set it to one of sotto_method",
                        (int)config->method);
    }
    if (sot_method_chooses(config->method) && config->model != SOTTO_MODEL_CONCEPT) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the method %s chooses among concepts, and the model %s is none; "
                        "use the model concept, or another method",
                        sotto_method_name(config->method),
                        sotto_model_kind_name(config->model));
    }
    if (is_of_public_rows(config)) return check_public(config, error);
    if (config->data_is_public) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the data is declared public, but the method %s is private; use the "
            "method none%s, or leave the declaration out",
            sotto_method_name(config->method),
            draws(config->method) ? ", or the sampler mala" : "");
    }
    const sotto_status status = sot_check_privacy(
        config->epsilon, config->delta, config->adjacency, config->public_n, error);
    return status == SOTTO_OK ? check_rows(config, schema, error) : status;
}

/* ---- the plan ---- */

/* What the training is asked for again after its plan: when it is run, or rehearsed. */
static sotto_status copy_texts(sotto_training *training, const sotto_train_config *config,
                               sotto_error *error)
{
    const char *const given[SOT_TRAINING_TEXTS] = {
        config->network,           config->init,   config->freeze, config->validation,
        config->validation_labels, config->concept};
    for (size_t i = 0; i < SOT_TRAINING_TEXTS; i++) {
        if (given[i] == NULL) continue;
        training->texts[i] = sot_copy_string(given[i]);
        if (training->texts[i] == NULL)
            return sot_fail_memory(error, strlen(given[i]) + 1, 1);
    }
    training->config.network = training->texts[0];
    training->config.init = training->texts[1];
    training->config.freeze = training->texts[2];
    training->config.validation = training->texts[3];
    training->config.validation_labels = training->texts[4];
    training->config.concept = training->texts[5];
    return SOTTO_OK;
}

static sotto_status copy_config(sotto_training *training,
                                const sotto_train_config *config, sotto_error *error)
{
    training->config = *config;
    training->config.ledger = NULL;
    training->config.output = NULL;
    if (config->target != NULL) {
        training->target = sot_copy_string(config->target);
        if (training->target == NULL)
            return sot_fail_memory(error, strlen(config->target) + 1, 1);
    }
    training->config.target = training->target;
    return copy_texts(training, config, error);
}

/* What the model makes of the target. A network follows it. */
static sotto_status find_role(const sotto_train_config *config,
                              const sotto_schema *schema, sot_target_role *out_role,
                              sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (config->model == SOTTO_MODEL_NETWORK) {
        sotto_target own = {.column = NULL};
        const sotto_target *target = NULL;
        status = sot_schema_choose_target(schema, config->target, &own, &target, error);
        if (status == SOTTO_OK) *out_role = sot_model_role(config->model, target);
        if (status == SOTTO_OK && target == &own) sot_target_free(&own);
    } else if (config->model == SOTTO_MODEL_CUSTOM) {
        *out_role = config->loss->classes ? SOT_TARGET_CLASSES : SOT_TARGET_NUMBER;
    } else {
        *out_role = sot_model_role(config->model, NULL);
    }
    return status;
}

/* Features as the model takes them: numbers of bounded norm, or of a concept places on public grids. */
static sotto_status make_encoding(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    sot_target_role role = SOT_TARGET_CLASSES;
    if (config->model == SOTTO_MODEL_CONCEPT)
        return sot_training_make_class(training, error);
    const sotto_status status = find_role(config, training->schema, &role, error);
    if (status != SOTTO_OK) return status;
    return sot_encoding_new(training->schema, training->target, role, &training->encoding,
                            error);
}

/* The prior of a training that is planned again, for its verifier. */
static sotto_status take_prior(sotto_training *training, sotto_error *error)
{
    const sot_training_inputs *inputs = training->inputs;
    const sot_encoding *encoding = training->encoding;
    const size_t vectors = training->config.model == SOTTO_MODEL_SOFTMAX
                               ? sot_encoding_classes(encoding)
                               : 1;
    const size_t count = vectors * sot_encoding_dimension(encoding);
    if (inputs->center == NULL || inputs->center_count != count) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the prior has %zu coefficients; this training has %zu",
                        inputs->center_count, count);
    }
    training->center = sot_new_array(count, sizeof *training->center);
    if (training->center == NULL)
        return sot_fail_memory(error, count, sizeof *training->center);
    memcpy(training->center, inputs->center, count * sizeof *training->center);
    training->center_count = count;
    (void)snprintf(training->start, sizeof training->start, "%s", inputs->start);
    return SOTTO_OK;
}

/* The coefficients of a model that was released before, or made of public rows: either way they
 * are public, and a place to shrink towards. They must be about the same features. */
static sotto_status load_prior(sotto_training *training, const char *path,
                               sotto_error *error)
{
    sotto_model *model = NULL;
    if (path != NULL && training->inputs != NULL) return take_prior(training, error);
    if (path == NULL || training->config.model == SOTTO_MODEL_NETWORK ||
        training->config.model == SOTTO_MODEL_CONCEPT)
        return SOTTO_OK; /* the learner refuses it */
    sotto_status status = sotto_model_load(path, &model, error);
    if (status == SOTTO_OK && !training->config.data_is_public)
        status = sot_check_public_model("--prior", path, model, training->schema, error);
    if (status != SOTTO_OK) {
        sotto_model_free(model);
        return status;
    }
    const size_t dimension = sotto_model_dimension(model);
    const bool softmax = training->config.model == SOTTO_MODEL_SOFTMAX;
    const size_t vectors = softmax ? sotto_model_classes(model) : 1;
    const sot_encoding *encoding = training->encoding;
    bool fits = dimension == sot_encoding_dimension(encoding) &&
                softmax == (sotto_model_kind_of(model) == SOTTO_MODEL_SOFTMAX) &&
                (!softmax || vectors == sot_encoding_classes(encoding));
    for (size_t i = 0; fits && i < dimension; i++)
        fits =
            strcmp(sotto_model_feature(model, i), sot_encoding_feature(encoding, i)) == 0;
    if (!fits) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the prior '%.120s' has other features or outputs than this "
                          "training; give a model of the same schema",
                          path);
    }
    if (status == SOTTO_OK) {
        training->center = sot_new_array(vectors * dimension, sizeof(double));
        if (training->center == NULL)
            status = sot_fail_memory(error, vectors * dimension, sizeof(double));
    }
    for (size_t i = 0; status == SOTTO_OK && i < vectors * dimension; i++)
        training->center[i] = sotto_model_coefficient(model, i);
    training->center_count = vectors * dimension;
    memcpy(training->start, model->hash, sizeof training->start);
    sotto_model_free(model);
    return status;
}

static sotto_status make_learner(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const uint64_t unit_rows = sotto_schema_unit_rows(training->schema);
    if (config->model == SOTTO_MODEL_NETWORK)
        return sot_training_make_network(training, error);
    if (config->model == SOTTO_MODEL_CONCEPT)
        return sot_training_make_concept(training, error);
    training->method = config->method;
    if (config->method == SOTTO_METHOD_AUTO)
        training->method = sot_erm_choose(config, &training->method_why);
    const sot_learner_setup setup = {.config = config,
                                     .encoding = training->encoding,
                                     .schema = training->schema,
                                     .unit_rows = unit_rows == 0 ? 1 : unit_rows,
                                     .method = training->method,
                                     .center = training->center};
    if (draws(training->method))
        return sot_posterior_new(&setup, &training->learner, error);
    return sot_erm_new(&setup, &training->learner, error);
}

/* A stream has rows chunk by chunk, and no rows of a unit together. */
static sotto_status check_stream(const sotto_training *training, sotto_error *error)
{
    if (!training->config.stream) return SOTTO_OK;
    if (training->learner->net != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a network needs all rows in memory and cannot stream; leave the "
                        "stream out");
    }
    if (training->learner->concept != NULL && !training->learner->streams) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "errors on so many cells are counted with all rows in memory, "
                        "and cannot stream; give the class fewer bits, or leave the "
                        "stream out");
    }
    if (!training->learner->streams) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the method %s needs all rows in memory and cannot stream; use gd, sgd with "
            "Poisson sampling, newton, frank-wolfe, statistics or adassp, or leave the "
            "stream out",
            sotto_method_name(training->method));
    }
    return sot_table_check_stream(training->schema, error);
}

/* (1 + e^epsilon) times the samplers' error is part of delta: beyond this there is no room for it.
 * Gaussian noise is calibrated without it, to a relative 1e-12, and so wants it to be far smaller. */
static double largest_epsilon(const sotto_training *training)
{
    const double room = isnan(training->config.delta) ? 1.0 : 40.0;
    return floor(log(training->delta) - log(training->learner->sampler_error) - room);
}

/* What was calibrated must be within what was asked for, as the certificate will compute it. */
static sotto_status price(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const double sampler_error = training->learner->sampler_error;
    training->delta = config->delta;
    if (isnan(config->delta)) {
        const double pure_delta = training->learner->pure_delta;
        training->delta = pure_delta > 0.0      ? pure_delta
                          : sampler_error > 0.0 ? SOT_OBJECTIVE_PURE_DELTA
                                                : 0.0;
    }
    const sotto_status status =
        sotto_account_epsilon_inexact(training->plan, SOTTO_EXACT, training->delta,
                                      sampler_error, &training->account, error);
    const bool fits = status == SOTTO_OK && training->account.epsilon <= config->epsilon;
    if (fits || (status != SOTTO_OK && status != SOTTO_UNREACHABLE)) return status;
    if (sampler_error > 0.0 && config->epsilon > largest_epsilon(training)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "epsilon is %g, more than the certificate of a training can state; "
            "give at most %.0f",
            config->epsilon, largest_epsilon(training));
    }
    if (status != SOTTO_OK) return status;
    return sot_fail(
        error, SOTTO_INTERNAL,
        "the plan costs epsilon %.17g, more than the %.17g that were asked for",
        training->account.epsilon, config->epsilon);
}

static sotto_status make_plan(sotto_training *training, sotto_error *error)
{
    if (training->learner->plan == NULL) return SOTTO_OK;
    sotto_status status = sot_plan_new_for(training->config.adjacency, training->schema,
                                           &training->plan, error);
    if (status == SOTTO_OK)
        status = training->learner->plan(training->learner, training->plan, error);
    if (status == SOTTO_OK) status = price(training, error);
    return status;
}

/* Before `learn` puts the numbers of data norms into it. */
static sotto_status describe_network(sotto_training *training, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    if (training->learner->net == NULL) return SOTTO_OK;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_net_write(training->learner->net, writer);
    return sot_request_finish(writer, SOTTO_OK, &training->network, error);
}

sotto_status sotto_training_plan(const sotto_train_config *config,
                                 const sotto_schema *schema,
                                 sotto_training **out_training, sotto_error *error)
{
    sotto_train_config own;
    const sotto_status status = SOT_TAKE(train, config, &own, error);
    return status == SOTTO_OK
               ? sot_training_plan_with(&own, schema, NULL, out_training, error)
               : status;
}

sotto_status sot_training_plan_with(const sotto_train_config *config,
                                    const sotto_schema *schema,
                                    const sot_training_inputs *inputs,
                                    sotto_training **out_training, sotto_error *error)
{
    sotto_status status = check_config(config, schema, error);
    if (status != SOTTO_OK) return status;
    sotto_training *training = sot_new_array(1, sizeof *training);
    if (training == NULL) return sot_fail_memory(error, 1, sizeof *training);
    training->schema = schema;
    training->inputs = inputs;
    sot_name_unit(training->schema, training->unit);
    status = copy_config(training, config, error);
    if (status == SOTTO_OK) status = make_encoding(training, error);
    if (status == SOTTO_OK)
        status = sot_model_check_classes(config->model,
                                         sot_encoding_classes(training->encoding), error);
    if (status == SOTTO_OK) status = load_prior(training, config->prior, error);
    if (status == SOTTO_OK) status = make_learner(training, error);
    if (status == SOTTO_OK) status = check_stream(training, error);
    if (status == SOTTO_OK) status = make_plan(training, error);
    if (status == SOTTO_OK) status = describe_network(training, error);
    if (status == SOTTO_OK) {
        sot_training_advise(training);
        status = sot_training_describe(training, error);
    }
    if (status != SOTTO_OK) {
        sotto_training_free(training);
        return status;
    }
    *out_training = training;
    return SOTTO_OK;
}

void sotto_training_free(sotto_training *training)
{
    if (training == NULL) return;
    sot_encoding_free(training->encoding); /* borrows the grids of the class */
    sot_learner_free(training->learner);
    sot_concept_class_free(training->class);
    sotto_plan_free(training->plan);
    sot_free(training->target);
    for (size_t i = 0; i < SOT_TRAINING_TEXTS; i++)
        sot_free(training->texts[i]);
    sot_free(training->center);
    sot_free(training->network);
    sot_net_free(training->init_net);
    sot_free(training->json);
    sot_free(training->text);
    sot_free(training);
}

const sotto_plan *sotto_training_events(const sotto_training *training)
{
    return training->plan;
}

const char *sotto_training_json(const sotto_training *training)
{
    return training->json;
}

const char *sotto_training_text(const sotto_training *training)
{
    return training->text;
}
