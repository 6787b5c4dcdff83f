/* The plan of a shadow: the model's own training, as far as its file states them, with the
 * auditor's settings. */
#include <assert.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/audit/shadows.h"
#include "commands/train/train.h"
#include "data/encode/blocks.h"
#include "methods/kinds.h"
#include "models/concept/classes/concept.h"
#include "models/kinds.h"
#include "models/network/layers/net.h"

static sotto_status check(const sotto_model *model, const sotto_membership_config *config,
                          sotto_error *error)
{
    if (config->shadows < 8 || config->shadows > 4096) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`shadows` is %llu; give from 8 to 4096, for example `shadows=16`",
            (unsigned long long)config->shadows);
    }
    if (!sot_model_row_of(model->kind)->takes_loss) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "shadow models need the model's loss, which is a function in C that "
                    "no file holds; leave `shadows` out");
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

/* Describes the model as a setting of a training: its network, or its class of concepts.
 * NULL for others. Free with sot_free(). */
static sotto_status describe(const sotto_model *model, char **out_text,
                             sotto_error *error)
{
    sot_json_writer *writer = NULL;
    if (model->net == NULL && model->concept == NULL) return SOTTO_OK;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    if (model->net != NULL)
        describe_network(model->net, writer);
    else
        sot_concept_class_write(model->concept, writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_text, error);
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
    /* The number of rows is public here, and a shadow expects half of them. */
    if (!sot_method_row_of(config->method)->noiseless && config->expected_rows == 0)
        config->expected_rows = rows / 2;
    if (config->init != NULL || !has_frozen_layers(net)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the network has frozen layers from another model, and shadow models "
                    "begin with that model; give it, for example `init=init.json`");
}

/* Sets the model's kind, target, network or class, and overrides the settings. */
static sotto_status settle(const sotto_model *model, const char *description, size_t rows,
                           sotto_train_config *config, sotto_error *error)
{
    const sot_method_row *method = sot_method_row_of(config->method);
    config->model = model->kind;
    /* The kink of the hinge has no minimiser to compute; its smoothed form is as good. */
    if (method->noiseless) config->model = sot_model_plain(model->kind);
    /* A learner believes a public number of rows, and indexes by it. */
    if (config->public_n > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`public_n` is %llu, but coins choose a shadow model's rows; "
                        "leave `public_n` out, and use a method that needs none, for "
                        "example `method=objective`",
                        (unsigned long long)config->public_n);
    }
    config->target = NULL;
    config->network = model->net != NULL ? description : NULL;
    if (sot_encoding_blocks(model->encoding) > 0) { /* rows have the model's bins */
        const sot_bins_rule rule = sot_encoding_bins_rule(model->encoding);
        config->basis = rule.basis;
        config->bins = rule.bins;
    }
    config->concept = model->concept != NULL ? description : NULL;
    config->validation = NULL;
    config->validation_labels = NULL;
    config->stream = false;
    config->progress = NULL;
    if (method->distribution != NULL && config->draws == 0) config->draws = model->draws;
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
    assert(status != SOTTO_OK || sot_encoding_dimension((*out_training)->encoding) ==
                                     sot_encoding_dimension(model->encoding));
    sot_free(description);
    return status;
}
