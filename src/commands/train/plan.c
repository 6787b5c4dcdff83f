/* From settings and schema to a training with its plan. No record is read here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>

#include <sotto/loss.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "base/threads.h"
#include "commands/session/declared.h"
#include "commands/session/request.h"
#include "commands/session/session.h"
#include "commands/train/train.h"
#include "methods/kinds.h"
#include "models/concept/classes/concept.h"
#include "models/kinds.h"
#include "privacy/mechanisms/objective/objective.h"

/* ---- checks ---- */

/* Returns true for samplers without a proof, which take only public rows. */
static bool is_of_public_rows(const sotto_train_config *config)
{
    const sot_method_row *method = sot_method_row_of(config->method);
    return method->noiseless ||
           (method->distribution != NULL && config->sampler == SOTTO_SAMPLER_MALA);
}

/* A training on public rows has no guarantee, and so no settings of one. */
static sotto_status check_public(const sotto_train_config *config, sotto_error *error)
{
    const bool plain = sot_method_row_of(config->method)->noiseless;
    if (!config->data_is_public) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        plain ? "`method` is none, which adds no noise; declare the rows "
                                "public with `data_is_public=true`, or choose a private "
                                "method, for example `method=auto`"
                              : "`sampler` is mala, a heuristic without a bound on its "
                                "distance from the posterior; declare the rows public "
                                "with `data_is_public=true`, or give `sampler=proximal`");
    }
    if (!isnan(config->epsilon) || !isnan(config->delta) || config->public_n > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            plain ? "`method` is none, which gives no guarantee; leave out `epsilon`, "
                    "`delta` and `public_n`"
                  : "`sampler` is mala, which gives no guarantee; leave out `epsilon`, "
                    "`delta` and `public_n`, or give `sampler=proximal`");
    }
    if (config->ledger != NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            plain ? "`method` is none, which costs nothing; leave `ledger` out"
                  : "`sampler` is mala, which costs nothing; leave `ledger` out");
    }
    return SOTTO_OK;
}

static sotto_status check_rows(const sotto_train_config *config,
                               const sotto_schema *schema, sotto_error *error)
{
    if (config->public_n > 0 && config->expected_rows > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`public_n` and `expected_rows` were both given; leave one of them out");
    }
    if (config->expected_rows > SOTTO_GRID_RECORDS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`expected_rows` is %llu; a table has at most 2^32 rows",
                        (unsigned long long)config->expected_rows);
    }
    if (config->public_n > 0 && sotto_schema_unit(schema) != NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`public_n` is given, but the schema's unit is the column '%.60s', so the "
            "number of rows is secret; give `expected_rows` in its place",
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
    if (sot_model_row_of(config->model)->takes_loss != (config->loss != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        config->loss == NULL
                            ? "`loss` is missing: the model custom needs one"
                            : "`loss` is given, but only the model custom has a loss of "
                              "its own; leave `loss` out");
    }
    if (strcmp(sotto_method_name(config->method), "unknown") == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the method is %d; set it to one of sotto_method",
                        (int)config->method);
    }
    const sot_method_row *method = sot_method_row_of(config->method);
    if (method->chooses && !sot_model_row_of(config->model)->chosen) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`method` is %s, which chooses among concepts, and the model %s "
                        "is none; give `model=concept`, or another method",
                        sotto_method_name(config->method),
                        sotto_model_kind_name(config->model));
    }
    if (is_of_public_rows(config)) return check_public(config, error);
    if (config->data_is_public) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`data_is_public` is given, but the method %s is private; give "
                        "`method=none`%s, or leave `data_is_public` out",
                        sotto_method_name(config->method),
                        method->distribution != NULL ? ", or the sampler mala" : "");
    }
    const sotto_status status = sot_check_privacy(
        config->epsilon, config->delta, config->adjacency, config->public_n, error);
    return status == SOTTO_OK ? check_rows(config, schema, error) : status;
}

/* ---- the plan ---- */

/* Copies the settings that are used after planning: by a run or a simulation. */
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

/* A stream has rows chunk by chunk, and no rows of a unit together. */
static sotto_status check_stream(const sotto_training *training, sotto_error *error)
{
    if (!training->config.stream) return SOTTO_OK;
    if (training->learner->net != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`stream` is given, but a network needs all rows in memory; "
                        "leave `stream` out");
    }
    if (training->learner->concept != NULL && !training->learner->streams) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`stream` is given, but a class of this size needs all rows in "
                        "memory; leave `stream` out, or give "
                        "the class fewer bits");
    }
    if (!training->learner->streams) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`stream` is given, but the method %s needs all rows in memory; "
                        "leave it out, or use gd, Poisson sgd, newton, frank-wolfe, "
                        "statistics or adassp",
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

/* The calibrated budget must be within the requested one, as the certificate computes it. */
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
            "`epsilon` is %g, more than a certificate can state; give at most %.0f",
            config->epsilon, largest_epsilon(training));
    }
    if (status != SOTTO_OK) return status;
    return sot_fail(error, SOTTO_INTERNAL,
                    "the plan costs epsilon %.17g, more than the %.17g of `epsilon`; "
                    "please report it",
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

sotto_status sot_training_spare_files(const sotto_train_config *config,
                                      const char *output, sotto_error *error)
{
    const struct {
        const char *path, *name;
    } files[] = {{config->network, "network"},
                 {config->init, "init"},
                 {config->validation, "validation rows"},
                 {config->validation_labels, "validation labels"},
                 {config->concept, "class of concepts"}};
    for (size_t i = 0; output != NULL && i < sizeof files / sizeof files[0]; i++) {
        if (files[i].path == NULL || !sot_file_is_same(output, files[i].path)) continue;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the output %.120s would replace the %s; give it a name of its own", output,
            files[i].name);
    }
    return SOTTO_OK;
}

/* Before `learn` puts the numbers of data norms into it. */
static sotto_status describe_network(sotto_training *training, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_net_write(training->learner->net, writer);
    return sot_json_writer_take(writer, SOTTO_OK, &training->network, error);
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
    sotto_status status = sot_threads_check(config->threads, error);
    if (status == SOTTO_OK) status = check_config(config, schema, error);
    if (status != SOTTO_OK) return status;
    sotto_training *training = sot_new_array(1, sizeof *training);
    if (training == NULL) return sot_fail_memory(error, 1, sizeof *training);
    training->schema = schema;
    training->inputs = inputs;
    sot_name_unit(training->schema, training->unit);
    status = copy_config(training, config, error);
    if (status == SOTTO_OK) status = sot_training_encode(training, error);
    if (status == SOTTO_OK)
        status = sot_model_check_classes(config->model,
                                         sot_encoding_classes(training->encoding), error);
    if (status == SOTTO_OK)
        status = sot_training_load_prior(training, config->prior, error);
    if (status == SOTTO_OK) status = sot_training_make_learner(training, error);
    if (status == SOTTO_OK) status = check_stream(training, error);
    if (status == SOTTO_OK) status = make_plan(training, error);
    if (status == SOTTO_OK && training->learner->net != NULL)
        status = describe_network(training, error);
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
    if (training->class != NULL) sot_concept_class_free(training->class);
    sotto_plan_free(training->plan);
    sot_free(training->target);
    for (size_t i = 0; i < SOT_TRAINING_TEXTS; i++)
        sot_free(training->texts[i]);
    sot_free(training->center);
    sot_free(training->network);
    if (training->init_net != NULL) sot_net_free(training->init_net);
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
