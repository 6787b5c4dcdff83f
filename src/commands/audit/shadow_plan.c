/* What a shadow is: the model's own training, as far as its file tells, with the auditor's settings. */
#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/audit/shadows.h"
#include "models/concept/classes/concept.h"
#include "models/network/layers/net.h"

static sotto_status check(const sotto_model *model, const sotto_membership_config *config,
                          sotto_error *error)
{
    if (config->shadows < 8 || config->shadows > 4096) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%llu shadow models; give from 8 to 4096",
                        (unsigned long long)config->shadows);
    }
    if (model->kind != SOTTO_MODEL_CUSTOM) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_UNSUPPORTED,
        "shadow models are trained by the model's own loss, and this one's is "
        "a function of its maker's that no file holds; leave them out");
}

/* The network as its maker described it: data norms are measured again by every shadow. */
static void describe_network(const sot_net *net, sot_json_writer *writer)
{
    sot_net bare = *net;
    for (size_t i = 0; i < bare.layer_count; i++)
        if (bare.layers[i].kind == SOT_LAYER_DATA_NORM)
            bare.layers[i].mean = bare.layers[i].deviation = NULL;
    sot_net_write(&bare, writer);
}

/* What the model is made of, as a setting of a training: its network, or its class of concepts. NULL of others. Free with sot_free(). */
static sotto_status describe(const sotto_model *model, char **out_text,
                             sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const char *text = NULL;
    size_t size = 0;
    if (model->net == NULL && model->concept == NULL) return SOTTO_OK;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    if (model->net != NULL)
        describe_network(model->net, writer);
    else
        sot_concept_class_write(model->concept, writer);
    status = sot_json_writer_finish(writer, &text, &size, error);
    if (status == SOTTO_OK) *out_text = sot_copy_string(text);
    sot_json_writer_free(writer);
    if (status == SOTTO_OK && *out_text == NULL)
        status = sot_fail_memory(error, size + 1, 1);
    return status;
}

static bool has_frozen_layers(const sot_net *net)
{
    for (size_t i = 0; i < net->layer_count; i++)
        if (net->layers[i].frozen) return true;
    return false;
}

static sotto_status settle_network(const sot_net *net, size_t rows,
                                   sotto_train_config *config, sotto_error *error)
{
    /* The number of rows is public here, and half of them is what a shadow expects. */
    if (config->method != SOTTO_METHOD_NONE && config->expected_rows == 0)
        config->expected_rows = rows / 2;
    if (config->init != NULL || !has_frozen_layers(net)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the network has frozen layers, which came from another model: "
                    "shadows begin with that too; give it (--shadow-init)");
}

/* The model's kind, target, network or class, whatever the settings say. */
static sotto_status settle(const sotto_model *model, const char *description, size_t rows,
                           sotto_train_config *config, sotto_error *error)
{
    const bool draws = config->method == SOTTO_METHOD_POSTERIOR ||
                       config->method == SOTTO_METHOD_REGULARIZED_EM;
    config->model = model->kind;
    /* The corner of the hinge has no minimiser to compute; its smoothed form is as good. */
    if (config->model == SOTTO_MODEL_HINGE && config->method == SOTTO_METHOD_NONE)
        config->model = SOTTO_MODEL_SVM;
    /* A learner takes a public number of rows at its word, and indexes by it. */
    if (config->public_n > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a shadow has the rows that coins give it, and their number is "
                        "none that was made public before; leave the public number of "
                        "rows out, and with it methods that need one");
    }
    config->target = NULL;
    config->network = model->net != NULL ? description : NULL;
    config->concept = model->concept != NULL ? description : NULL;
    config->validation = NULL;
    config->validation_labels = NULL;
    config->stream = false;
    config->progress = NULL;
    if (draws && config->draws == 0) config->draws = model->draws;
    return model->net != NULL ? settle_network(model->net, rows, config, error)
                              : SOTTO_OK;
}

sotto_status sot_shadows_plan(const sotto_model *model,
                              const sotto_membership_config *config, size_t rows,
                              sotto_training **out_training, sotto_error *error)
{
    char *description = NULL;
    sotto_train_config shadow = sotto_train_defaults();
    if (config->shadow != NULL) {
        shadow = *config->shadow;
    } else {
        shadow.method = SOTTO_METHOD_NONE;
        shadow.data_is_public = true;
    }
    sotto_status status = check(model, config, error);
    if (status == SOTTO_OK) status = describe(model, &description, error);
    if (status == SOTTO_OK) status = settle(model, description, rows, &shadow, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&shadow, model->schema, out_training, error);
    sot_free(description);
    return status;
}
