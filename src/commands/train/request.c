/* The request of a training, written and read; and the training planned again from it. */
#include <string.h>

#include <sotto/loss.h>
#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/session/again.h"
#include "commands/session/request.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/train.h"
#include "methods/learner_settings.h"
#include "models/concept/classes/concept.h"

/* ---- settings ---- */

void sot_request_hash_training(const sotto_train_config *config, sot_json_writer *writer)
{
    sot_fields_hash(sot_train_fields, sot_train_field_count, config, writer);
}

void sot_request_write_training(const sotto_train_config *config, sot_json_writer *writer)
{
    const sotto_train_config defaults = sotto_train_defaults();
    sot_fields_write(sot_train_fields, sot_train_field_count, config, &defaults, writer);
}

sotto_status sot_request_read_training(const sot_json_value *request,
                                       sotto_train_config *config, sotto_error *error)
{
    *config = sotto_train_defaults();
    return sot_fields_read(sot_train_fields, sot_train_field_count, request, config,
                           error);
}

/* ---- writing ---- */

static const sot_field loss_fields[] = {
    SOT_FIELD(sotto_loss, "name", name, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sotto_loss, "slope_most", slope_most, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_loss, "curvature_most", curvature_most, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_loss, "slope_error", slope_error, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_loss, "one_signed", one_signed, SOT_FIELD_FLAG, NULL),
    SOT_FIELD(sotto_loss, "classes", classes, SOT_FIELD_FLAG, NULL),
};
enum { LOSS_FIELDS = sizeof loss_fields / sizeof loss_fields[0] };

static void write_loss(const sotto_loss *loss, sot_json_writer *writer)
{
    const sotto_loss none = {.name = NULL};
    if (loss == NULL) return;
    sot_json_open_object(writer, "loss");
    sot_fields_write(loss_fields, LOSS_FIELDS, loss, &none, writer);
    sot_json_end_object(writer);
}

/* The coefficients that lambda counts from, and the hash of their file. */
static void write_prior(const sotto_training *training, sot_json_writer *writer)
{
    if (training->config.prior == NULL || training->center == NULL) return;
    sot_json_open_object(writer, "prior");
    sot_json_put_text(writer, "hash", training->start);
    sot_json_open_array(writer, "coefficients");
    for (size_t i = 0; i < training->center_count; i++)
        sot_json_write_hex(writer, training->center[i]);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

sotto_status sot_training_write_request(const sotto_training *training,
                                        const sotto_train_config *config,
                                        sot_json_writer *writer, sotto_error *error)
{
    sot_request_write_training(config, writer);
    write_prior(training, writer);
    if (training->config.init != NULL) sot_json_put_text(writer, "init", training->start);
    if (config->validation != NULL) {
        sot_json_put_bool(writer, "validation", true);
    }
    write_loss(training->config.loss, writer);
    return sot_request_write_json(writer, "network", training->network, error);
}

sotto_status sot_training_request(const sotto_training *training,
                                  const sot_session *session, char **out_json,
                                  sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sotto_train_config config = training->config;
    config.method = training->method; /* the one that auto chose */
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "command", "train");
    status = sot_training_write_request(training, &config, writer, error);
    sot_request_write_rows(session, writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, status, out_json, error);
}

/* ---- reading ---- */

/* A loss of the caller's is a function, which no file holds. Planning needs its bounds only, and tries the function on a
 * grid: this one keeps to all bounds. */
static void flat(double margin, double label, void *context, sotto_loss_at *out)
{
    (void)margin, (void)label, (void)context;
    *out = (sotto_loss_at){.value = 0.0};
}

static sotto_status read_loss(const sot_json_value *request, sot_training_asked *asked,
                              sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(request, "loss", &member)) return SOTTO_OK;
    asked->loss = sot_new_array(1, sizeof *asked->loss);
    if (asked->loss == NULL) return sot_fail_memory(error, 1, sizeof *asked->loss);
    asked->loss->at = flat;
    asked->config.loss = asked->loss;
    sotto_status status = sot_json_as_object(&member, error);
    if (status == SOTTO_OK)
        status = sot_fields_read(loss_fields, LOSS_FIELDS, &member, asked->loss, error);
    if (status == SOTTO_OK && asked->loss->name == NULL)
        status = sot_fail(error, SOTTO_PARSE, "request.loss has no name");
    return status;
}

static sotto_status read_prior(const sot_json_value *request, sot_training_asked *asked,
                               sotto_error *error)
{
    sot_json_value member, list;
    if (!sot_json_member(request, "prior", &member)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&member, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(&member, "hash", &asked->inputs.start, error);
    if (status == SOTTO_OK)
        status = sot_json_get_array(&member, "coefficients", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    asked->center = sot_new_array(count, sizeof *asked->center);
    if (asked->center == NULL)
        return sot_fail_memory(error, count, sizeof *asked->center);
    asked->inputs.center = asked->center;
    asked->inputs.center_count = count;
    asked->config.prior = "prior";
    return sot_model_read_list(&list, count, true, asked->center, error);
}

sotto_status sot_training_read_request(const sot_json_value *request,
                                       const sot_json_value *root,
                                       sot_training_asked *asked, sotto_error *error)
{
    sot_json_value member;
    sotto_train_config *config = &asked->config;
    sotto_status status = sot_request_read_training(request, config, error);
    if (status == SOTTO_OK) status = read_loss(request, asked, error);
    if (status == SOTTO_OK) status = read_prior(request, asked, error);
    if (status == SOTTO_OK && sot_json_member(request, "init", &member)) {
        status = sot_json_as_string(&member, &asked->inputs.start, error);
        config->init = "init";
    }
    if (status == SOTTO_OK && sot_request_flag(request, "validation"))
        config->validation = "public rows";
    if (status == SOTTO_OK && sot_json_member(request, "network", &member)) {
        status = sot_request_text_of(&member, &asked->network, error);
        config->network = asked->network;
    }
    if (status == SOTTO_OK && sot_json_member(root, "concept", &member)) {
        status = sot_request_text_of(&member, &asked->concept, error);
        config->concept = asked->concept;
    }
    return status;
}

void sot_training_asked_clear(sot_training_asked *asked)
{
    sot_free(asked->center);
    sot_free(asked->network);
    sot_free(asked->concept);
    sot_free(asked->loss);
}

/* ---- the training again ---- */

static sotto_status take_norms(const sotto_training *training, const sotto_model *model,
                               sotto_error *error)
{
    sot_net *net = training->learner->net;
    if (net == NULL) return SOTTO_OK;
    for (size_t i = 0; i < net->layer_count; i++) {
        sot_layer *own = &net->layers[i];
        const sot_layer *from = &model->net->layers[i];
        const size_t count = own->in.channels;
        if (!training->fresh_norms[i]) continue;
        if (from->kind != own->kind || from->in.channels != count || from->mean == NULL)
            return sot_fail(error, SOTTO_VERIFICATION,
                            "network.layers[%zu] is not the one of the request", i);
        own->mean = sot_new_array(count, sizeof *own->mean);
        own->deviation = sot_new_array(count, sizeof *own->deviation);
        if (own->mean == NULL || own->deviation == NULL)
            return sot_fail_memory(error, count, sizeof *own->mean);
        memcpy(own->mean, from->mean, count * sizeof *own->mean);
        memcpy(own->deviation, from->deviation, count * sizeof *own->deviation);
    }
    return SOTTO_OK;
}

static sotto_status take_errors(const sotto_training *training, const sotto_model *model,
                                sotto_error *error)
{
    const sot_learner *learner = training->learner;
    if (learner->errors.lists != model->errors.lists ||
        (learner->concept != NULL && model->concept != NULL &&
         sot_concept_counts(learner->concept) != sot_concept_counts(model->concept)))
        return sot_fail(error, SOTTO_VERIFICATION,
                        "noisy_errors has %zu lists; the request leads to %zu",
                        model->errors.lists, learner->errors.lists);
    if (learner->errors.lists == 0) return SOTTO_OK;
    const sotto_status status = sot_training_keep_errors(training, error);
    if (status == SOTTO_OK)
        memcpy(learner->errors.counts, model->errors.counts,
               (size_t)sot_concept_counts(learner->concept) *
                   sizeof *learner->errors.counts);
    return status;
}

sotto_status sot_training_take_released(const sotto_training *training,
                                        const sotto_model *model, sotto_error *error)
{
    const sot_learner *learner = training->learner;
    const size_t count = sot_learner_coefficients(learner);
    if (count != model->draws * model->coefficient_count ||
        (learner->net != NULL) != (model->net != NULL) ||
        (learner->net != NULL && learner->net->layer_count != model->net->layer_count))
        return sot_fail(error, SOTTO_VERIFICATION,
                        "coefficients has %zu entries; the request leads to %zu",
                        model->draws * model->coefficient_count, count);
    sotto_status status = take_norms(training, model, error);
    if (status == SOTTO_OK) status = take_errors(training, model, error);
    return status;
}

/* The payload and the certificate as the run made them, with the released numbers of the file. */
static sotto_status certify(const sotto_training *training, const sotto_model *model,
                            sot_session *session, sotto_error *error)
{
    char *payload = NULL, *request = NULL;
    const sot_validation curve = {.steps = model->curve.steps,
                                  .scores = model->curve.scores,
                                  .count = model->curve.count};
    sotto_status status = sot_training_take_released(training, model, error);
    if (status == SOTTO_OK)
        status =
            sot_training_payload(training, model->coefficients, &curve, &payload, error);
    if (status == SOTTO_OK)
        status = sot_training_request(training, session, &request, error);
    if (status == SOTTO_OK)
        status =
            sot_training_certify(training, session, NULL, NULL, payload, request, error);
    sot_training_clear_errors(training);
    sot_free(payload);
    sot_free(request);
    return status;
}

sotto_status sot_again_train(const sot_certificate_file *file, const char *text,
                             size_t size_bytes, sotto_error *error)
{
    const sot_again again = {.file = file};
    sot_training_asked asked = {.center = NULL};
    sotto_training *training = NULL;
    sotto_model *model = NULL;
    sot_session session = {.again = &again};
    sotto_status status = sotto_model_parse(NULL, text, size_bytes, &model, error);
    if (status == SOTTO_OK)
        status = sot_training_read_request(&file->request, &file->root, &asked, error);
    if (status == SOTTO_OK)
        status = sot_request_read_rows(&file->request, &session, error);
    if (status == SOTTO_OK)
        status = sot_training_plan_with(&asked.config, sotto_model_schema(model),
                                        &asked.inputs, &training, error);
    if (status == SOTTO_OK)
        status = sot_check_origin(session.origin, asked.config.public_n, error);
    if (status == SOTTO_OK) {
        session.schema = sotto_model_schema(model);
        status = sot_check_where(&session, error);
    }
    if (status == SOTTO_OK) status = sot_check_stream(&session, error);
    if (status == SOTTO_OK && training->plan == NULL)
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "request asks for a training of public rows, which has no "
                          "certificate");
    if (status == SOTTO_OK) {
        session.schema = training->schema;
        session.plan = training->plan;
        session.delta = training->delta;
        session.sampler_error = training->learner->sampler_error;
        status = certify(training, model, &session, error);
    }
    sotto_training_free(training);
    sot_training_asked_clear(&asked);
    sotto_model_free(model);
    return status;
}
