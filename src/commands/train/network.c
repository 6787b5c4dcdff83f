/* The parts of a network's training beside its learner. */
#include "commands/train/network.h"

#include <stdio.h>
#include <string.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "commands/session/declared.h"
#include "methods/learner_settings.h"
#include "models/network/engine/scores.h"
#include "models/network/learn/nn.h"

/* Seed of a last layer that the init file lacks: public, like everything sampled with
 * it. */
enum { ENDING_SEED = 1 };

enum { LAYER_BYTES = 240, CURVE_POINTS = 1024 };

/* ---- words for layers ---- */

/* "conv2d 8x8, stride 2, padding 2: 28x28x1 to 13x13x16" */
static const char *layer_text(const sot_layer *layer, char out[LAYER_BYTES])
{
    char in[SOT_SHAPE_BYTES], to[SOT_SHAPE_BYTES], what[SOT_LAYER_TEXT_BYTES];
    (void)snprintf(out, LAYER_BYTES, "%s: %s to %s", sot_layer_text(layer, what),
                   sot_shape_text(layer->in, in), sot_shape_text(layer->out, to));
    return out;
}

void sot_training_show_network(const sotto_training *training, bool layers,
                               sot_prose *prose)
{
    const sot_net *net = training->learner->net;
    char text[LAYER_BYTES];
    if (net->trainable == net->parameters)
        sot_prose_line(prose, "network", "%zu layers, %zu parameters", net->layer_count,
                       net->parameters);
    else
        sot_prose_line(prose, "network",
                       "%zu layers, %zu parameters, %zu of them learned",
                       net->layer_count, net->parameters, net->trainable);
    for (size_t i = 0; layers && i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->parameters == 0) {
            sot_prose_line(prose, "", "%2zu %s", i + 1, layer_text(layer, text));
        } else {
            sot_prose_line(prose, "", "%2zu %s, %zu parameters%s", i + 1,
                           layer_text(layer, text), layer->parameters,
                           layer->frozen ? ", frozen" : "");
        }
    }
}

static void write_shape(sot_json_writer *writer, const char *key, sot_shape shape)
{
    sot_json_open_array(writer, key);
    sot_json_write_int64(writer, (int64_t)shape.height);
    sot_json_write_int64(writer, (int64_t)shape.width);
    sot_json_write_int64(writer, (int64_t)shape.channels);
    sot_json_end_array(writer);
}

void sot_training_write_network(const sotto_training *training, sot_json_writer *writer)
{
    const sot_net *net = training->learner->net;
    sot_json_open_object(writer, "network");
    sot_json_put_whole(writer, "parameters", net->parameters);
    sot_json_put_whole(writer, "trainable", net->trainable);
    sot_json_open_array(writer, "layers");
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "layer", sot_layer_kind_name(layer->kind));
        write_shape(writer, "in", layer->in);
        write_shape(writer, "out", layer->out);
        sot_json_put_whole(writer, "parameters", layer->parameters);
        if (layer->frozen) {
            sot_json_put_bool(writer, "frozen", true);
        }
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

/* ---- where the weights begin ---- */

static bool is_same_shape(sot_shape a, sot_shape b)
{
    return a.height == b.height && a.width == b.width && a.channels == b.channels;
}

static bool is_same_layer(const sot_layer *a, const sot_layer *b)
{
    return a->kind == b->kind && is_same_shape(a->in, b->in) &&
           is_same_shape(a->out, b->out) && a->kernel == b->kernel &&
           a->stride == b->stride && a->padding == b->padding && a->groups == b->groups &&
           a->affine == b->affine && a->mirror == b->mirror;
}

/* The last layer may distinguish other classes: then it begins afresh. */
static bool is_other_ending(const sot_net *own, const sot_net *init, size_t layer)
{
    const sot_layer *a = &own->layers[layer], *b = &init->layers[layer];
    return layer + 1 == own->layer_count && a->kind == SOT_LAYER_DENSE &&
           b->kind == SOT_LAYER_DENSE && is_same_shape(a->in, b->in);
}

static sotto_status compare_layers(const sot_net *own, const sot_net *init,
                                   const char *path, sotto_error *error)
{
    const size_t count =
        own->layer_count < init->layer_count ? own->layer_count : init->layer_count;
    char text[LAYER_BYTES], other[LAYER_BYTES];
    for (size_t i = 0; i < count; i++) {
        const sot_layer *a = &own->layers[i], *b = &init->layers[i];
        if (is_same_layer(a, b)) continue;
        if (own->layer_count == init->layer_count && is_other_ending(own, init, i))
            continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "layer %zu is %.60s, but that of `init`, %.60s, is %.60s; give a "
                        "model of the same network",
                        i + 1, layer_text(a, text), path, layer_text(b, other));
    }
    if (own->layer_count == init->layer_count) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the network has %zu layers, but that of `init`, %.100s, has %zu; "
                    "give a model of the same network",
                    own->layer_count, path, init->layer_count);
}

/* Its weights, and of a last layer that has no counterpart those that every training begins with. */
static sotto_status take_weights(sotto_training *training, const sot_net *own,
                                 const sotto_model *model, sotto_error *error)
{
    float *fresh = sot_new_array(own->parameters, sizeof *fresh);
    training->center = sot_new_array(own->parameters, sizeof *training->center);
    if (fresh == NULL || training->center == NULL) {
        sot_free(fresh);
        return sot_fail_memory(error, own->parameters, sizeof *training->center);
    }
    sot_net_initialise(own, ENDING_SEED, fresh);
    for (size_t i = 0; i < own->layer_count; i++) {
        const sot_layer *layer = &own->layers[i], *from = &model->net->layers[i];
        const bool same = is_same_layer(layer, from);
        for (size_t j = 0; j < layer->parameters; j++)
            training->center[layer->first + j] =
                same ? model->coefficients[from->first + j]
                     : (double)fresh[layer->first + j];
    }
    sot_free(fresh);
    return SOTTO_OK;
}

/* The weights of a model of public rows, or of one that was released before: either way they are
 * public. */
static sotto_status load_init(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    sotto_model *model = NULL;
    sot_net *own = NULL;
    sot_net_task task;
    if (config->init == NULL) return SOTTO_OK;
    if (training->inputs != NULL) { /* planned again: the network has its norms */
        (void)snprintf(training->start, sizeof training->start, "%s",
                       training->inputs->start);
        return SOTTO_OK;
    }
    sotto_status status =
        sot_fail_of(error, sotto_model_load(config->init, &model, error), "init");
    if (status == SOTTO_OK && !config->data_is_public)
        status =
            sot_check_public_model("init", config->init, model, training->schema, error);
    if (status == SOTTO_OK && model->net == NULL) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`init` is %.120s, a model %s; give one of the model network",
                          config->init, sotto_model_kind_name(model->kind));
    }
    if (status == SOTTO_OK)
        status = sot_net_task_of(training->encoding, training->schema, &task, error);
    if (status == SOTTO_OK) status = sot_net_make(config->network, &task, &own, error);
    if (status == SOTTO_OK) status = compare_layers(own, model->net, config->init, error);
    if (status == SOTTO_OK) status = take_weights(training, own, model, error);
    if (status == SOTTO_OK) {
        memcpy(training->start, model->hash, sizeof training->start);
        training->init_net = model->net;
        model->net = NULL; /* the training's now */
    }
    sot_net_free(own);
    sotto_model_free(model);
    return status;
}

/* ---- the learner ---- */

static sotto_status check_network(const sotto_training *training,
                                  const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const sotto_status status = sot_learner_check_settings(
        setup,
        SOT_TAKES_NETWORK | SOT_TAKES_STEPS | SOT_TAKES_RATE | SOT_TAKES_SAMPLES |
            SOT_TAKES_BATCH | SOT_TAKES_RADIUS,
        error);
    if (status != SOTTO_OK) return status;
    if (config->network == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`network` is missing: the layers of the network; give a preset, "
                        "for example `network=mlp`, or the path of a file");
    }
    if (config->freeze != NULL && config->init == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`freeze` is %.60s, but there is no model whose layers could "
                        "stay; give `init=model.json` too, or leave `freeze` out",
                        config->freeze);
    }
    if (config->validation_labels != NULL && config->validation == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`validation_labels` is given without `validation`; give both, or none");
    }
    return SOTTO_OK;
}

sotto_status sot_training_make_network(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const uint64_t unit_rows = sotto_schema_unit_rows(training->schema);
    training->method = config->method;
    if (config->method == SOTTO_METHOD_AUTO) {
        training->method = SOTTO_METHOD_SGD;
        training->method_why = "networks learn by steps on sampled records";
    }
    sot_learner_setup setup = {.config = config,
                               .encoding = training->encoding,
                               .schema = training->schema,
                               .unit_rows = unit_rows == 0 ? 1 : unit_rows,
                               .method = training->method};
    sotto_status status = check_network(training, &setup, error);
    if (status == SOTTO_OK) status = load_init(training, error);
    setup.center = training->center;
    setup.init = training->init_net;
    if (status == SOTTO_OK) status = sot_nn_new(&setup, &training->learner, error);
    if (status != SOTTO_OK) return status;
    const sot_net *net = training->learner->net;
    for (size_t i = 0; i < net->layer_count; i++)
        training->fresh_norms[i] =
            net->layers[i].kind == SOT_LAYER_DATA_NORM && net->layers[i].mean == NULL;
    return SOTTO_OK;
}

/* ---- the learning curve ---- */

/* `name` is told where there are no rows. */
static sotto_status load_source(const sotto_training *training, const char *name,
                                sot_source *source, sotto_rng *rng,
                                sot_matrix **out_matrix, sotto_error *error)
{
    sotto_status status = sot_source_check_training(source, error);
    sot_source_set_threads(source, training->config.threads);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, training->schema, training->encoding, rng,
                                 out_matrix, error);
    if (status == SOTTO_OK && (*out_matrix)->rows == 0) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`validation` is %.120s, which has no rows; give at least one",
                          name);
        sot_matrix_free(*out_matrix);
        *out_matrix = NULL;
    }
    return status;
}

sotto_status sot_validation_load_records(const sotto_training *training,
                                         const sotto_records *records,
                                         const sotto_records *data, sotto_rng *rng,
                                         sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    if (data != NULL && training->plan != NULL && records->features.data != NULL &&
        data->features.data == records->features.data) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the validation rows are the training rows, whose scores would "
                        "reveal them; give public rows");
    }
    sotto_status status =
        sot_source_open_records(records, training->schema, &source, error);
    if (status == SOTTO_OK)
        status = load_source(training, "in memory", source, rng, out_matrix, error);
    sot_source_close(source);
    return status;
}

sotto_status sot_validation_load(const sotto_training *training,
                                 const sotto_data_file *file, const sotto_data_file *data,
                                 sotto_rng *rng, sot_matrix **out_matrix,
                                 sotto_error *error)
{
    sot_source *source = NULL;
    if (data != NULL && training->plan != NULL &&
        sot_file_is_same(data->path, file->path)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`validation` is %.120s, the training rows, whose scores would "
                        "reveal them; give public rows",
                        file->path);
    }
    if (sot_file_lacks_labels(file, training->schema)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`validation` is %.120s, which has features but no labels; give the file of "
            "their labels too, for example `validation_labels=labels.npy`",
            file->path);
    }
    sotto_status status = sot_source_open(file, training->schema, false, &source, error);
    if (status == SOTTO_OK)
        status = load_source(training, file->path, source, rng, out_matrix, error);
    sot_source_close(source);
    return status;
}

sotto_status sot_curve_rows_load(const sotto_training *training,
                                 const sotto_data_file *data, sotto_rng *rng,
                                 sot_curve_rows *rows, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const sotto_data_file file = {.path = config->validation,
                                  .labels = config->validation_labels};
    const sotto_status status =
        sot_validation_load(training, &file, data, rng, &rows->matrix, error);
    if (status != SOTTO_OK) return status;
    sot_validation *validation = &rows->validation;
    validation->matrix = rows->matrix;
    validation->room = CURVE_POINTS;
    validation->steps = sot_new_array(CURVE_POINTS, sizeof *validation->steps);
    validation->scores = sot_new_array(CURVE_POINTS, sizeof *validation->scores);
    if (validation->steps == NULL || validation->scores == NULL)
        return sot_fail_memory(error, CURVE_POINTS, sizeof *validation->scores);
    training->learner->validation = validation;
    return SOTTO_OK;
}

void sot_curve_rows_finish(const sotto_training *training, sot_curve_rows *rows)
{
    const sot_encoding *encoding = training->encoding;
    if (sot_encoding_role(encoding) == SOT_TARGET_CLASSES) return;
    const double unit = sot_encoding_target_value(encoding, 1.0) -
                        sot_encoding_target_value(encoding, 0.0);
    for (size_t i = 0; i < rows->validation.count; i++)
        rows->validation.scores[i] *= unit;
}

void sot_curve_rows_clear(sot_curve_rows *rows)
{
    sot_matrix_free(rows->matrix);
    sot_free(rows->validation.steps);
    sot_free(rows->validation.scores);
    *rows = (sot_curve_rows){.matrix = NULL};
}

/* ---- the result ---- */

void sot_training_round_network(const sotto_training *training, double *theta)
{
    for (size_t i = 0; i < training->learner->net->parameters; i++)
        theta[i] = (double)(float)theta[i];
}

void sot_training_forget_norms(const sotto_training *training)
{
    sot_net *net = training->learner->net;
    for (size_t i = 0; i < net->layer_count; i++) {
        if (!training->fresh_norms[i]) continue;
        sot_free(net->layers[i].mean);
        sot_free(net->layers[i].deviation);
        net->layers[i].mean = NULL;
        net->layers[i].deviation = NULL;
    }
}

sotto_status sot_training_score_network(const sotto_training *training,
                                        const sot_matrix *matrix, const double *theta,
                                        double *out_score, sotto_error *error)
{
    sot_scores_kit kit = {0};
    sotto_status status = sot_scores_kit_open(training->learner->net, theta,
                                              training->config.threads, &kit, error);
    if (status == SOTTO_OK)
        status = sot_scores_rate(kit.scores, kit.parameters, training->encoding, matrix,
                                 out_score, error);
    sot_scores_kit_close(&kit);
    return status;
}
