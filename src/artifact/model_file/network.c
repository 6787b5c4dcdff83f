/* The members of a model file that only a network has. */
#include "artifact/model_file/network.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const char *const curve_keys[] = {"steps", "scores", NULL};

/* ---- reading ---- */

/* A file's numbers are the predicting floats: a double that is no float was not written
 * by sotto. */
static bool is_float(double value)
{
    const float nearest = (float)value;
    return isfinite(nearest) && (double)nearest == value;
}

static sotto_status read_layers(const sot_json_value *root, sotto_model *model,
                                sotto_error *error)
{
    const sot_net *net = model->net;
    sot_json_value lists;
    size_t place = 0;
    sotto_status status = sot_json_get_array(root, "coefficients", &lists, error);
    for (size_t i = 0; i < net->layer_count && status == SOTTO_OK; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->parameters == 0) continue;
        if (place == sot_json_size(&lists)) {
            return sot_fail(error, SOTTO_PARSE,
                            "the model has coefficients for %zu layers but its network "
                            "has more; use the file as sotto train wrote it",
                            place);
        }
        const sot_json_value list = sot_json_item(&lists, place++);
        status = sot_model_read_list(&list, layer->parameters, true,
                                     model->coefficients + layer->first, error);
        for (size_t j = 0; j < layer->parameters && status == SOTTO_OK; j++) {
            const sot_json_value item = sot_json_item(&list, j);
            if (!is_float(model->coefficients[layer->first + j]))
                status = sot_json_refuse(&item, "a network has floats of 24 bits", error);
        }
    }
    if (status == SOTTO_OK && place != sot_json_size(&lists)) {
        status = sot_fail(error, SOTTO_PARSE,
                          "the model has coefficients for %zu layers but its network has "
                          "them in %zu; use the file as sotto train wrote it",
                          sot_json_size(&lists), place);
    }
    return status;
}

static sotto_status read_points(const sot_json_value *steps, const sot_json_value *scores,
                                sot_model_curve *curve, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int64_t before = 0;
    for (size_t i = 0; i < curve->count && status == SOTTO_OK; i++) {
        const sot_json_value step = sot_json_item(steps, i);
        const sot_json_value score = sot_json_item(scores, i);
        int64_t number = 0;
        status = sot_json_as_int64(&step, &number, error);
        if (status == SOTTO_OK && number <= before)
            status = sot_json_refuse(&step, "steps rise, from 1", error);
        before = number;
        curve->steps[i] = (uint64_t)number;
        if (status == SOTTO_OK)
            status = sot_json_as_double(&score, &curve->scores[i], error);
        if (status == SOTTO_OK && !(curve->scores[i] >= 0.0))
            status = sot_json_refuse(&score, "a score is at least 0", error);
    }
    return status;
}

static sotto_status read_curve(const sot_json_value *root, sot_model_curve *curve,
                               sotto_error *error)
{
    sot_json_value member, steps, scores;
    if (!sot_json_member(root, "curve", &member)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&member, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(&member, curve_keys, error);
    if (status == SOTTO_OK) status = sot_json_get_array(&member, "steps", &steps, error);
    if (status == SOTTO_OK)
        status = sot_json_get_array(&member, "scores", &scores, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&steps);
    if (count == 0 || count > SOT_MODEL_CURVE_MAX || count != sot_json_size(&scores)) {
        return sot_json_refuse(
            &member, "it has as many steps as scores, and at least one of each", error);
    }
    curve->steps = sot_new_array(count, sizeof *curve->steps);
    curve->scores = sot_new_array(count, sizeof *curve->scores);
    if (curve->steps == NULL || curve->scores == NULL)
        return sot_fail_memory(error, count, sizeof *curve->steps);
    curve->count = count;
    return read_points(&steps, &scores, curve, error);
}

/* A network without the numbers that its data norms paid for cannot predict. */
static sotto_status check_norms(const sot_net *net, sotto_error *error)
{
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM ||
            (layer->mean != NULL && layer->deviation != NULL))
            continue;
        return sot_fail(error, SOTTO_PARSE,
                        "layer %zu of the network, %s, has no mean and deviation; use "
                        "the file as sotto train wrote it",
                        i + 1, sot_layer_kind_name(layer->kind));
    }
    return SOTTO_OK;
}

sotto_status sot_model_read_network(const sot_json_value *root, sotto_model *model,
                                    sotto_error *error)
{
    sot_json_value member;
    sot_net_task task;
    sotto_error why = {.status = SOTTO_OK};
    sotto_status status = sot_json_get_object(root, "network", &member, error);
    if (status != SOTTO_OK) return status;
    status = sot_net_task_of(model->encoding, model->schema, &task, &why);
    if (status == SOTTO_OK) status = sot_net_parse(&member, &task, &model->net, &why);
    if (status == SOTTO_OK) status = check_norms(model->net, &why);
    if (status != SOTTO_OK) {
        return sot_fail(error, status == SOTTO_OUT_OF_MEMORY ? status : SOTTO_PARSE, "%s",
                        why.message);
    }
    model->coefficient_count = model->net->parameters;
    model->coefficients =
        sot_new_array(model->coefficient_count, sizeof *model->coefficients);
    if (model->coefficients == NULL)
        return sot_fail_memory(error, model->coefficient_count,
                               sizeof *model->coefficients);
    status = read_layers(root, model, error);
    if (status == SOTTO_OK) status = read_curve(root, &model->curve, error);
    return status;
}

/* ---- writing ---- */

sotto_status sot_model_check_network(const sot_model_content *content, sotto_error *error)
{
    const sot_net *net = content->net;
    if (net->parameters == 0 || net->parameters > SOT_NET_PARAMETERS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the network has %zu parameters; a model file has between 1 and "
                        "%zu",
                        net->parameters, SOT_NET_PARAMETERS_MAX);
    }
    for (size_t i = 0; i < net->parameters; i++) {
        if (is_float(content->coefficients[i])) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "parameter %zu of the network is %g; only finite floats are "
                        "written",
                        i + 1, content->coefficients[i]);
    }
    return check_norms(net, error);
}

static void write_curve(sot_json_writer *writer, const sot_model_curve *curve)
{
    if (curve->count == 0) return;
    sot_json_open_object(writer, "curve");
    sot_json_open_array(writer, "steps");
    for (size_t i = 0; i < curve->count; i++)
        sot_json_write_int64(writer, (int64_t)curve->steps[i]);
    sot_json_end_array(writer);
    sot_json_open_array(writer, "scores");
    for (size_t i = 0; i < curve->count; i++)
        sot_json_write_double(writer, curve->scores[i]);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

void sot_model_write_network(const sot_model_content *content, sot_json_writer *writer)
{
    const sot_net *net = content->net;
    sot_json_key(writer, "network");
    sot_net_write(net, writer);
    write_curve(writer, &content->curve);
    sot_json_open_array(writer, "coefficients");
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->parameters == 0) continue;
        sot_json_begin_array(writer);
        for (size_t j = 0; j < layer->parameters; j++)
            sot_json_write_hex(writer, content->coefficients[layer->first + j]);
        sot_json_end_array(writer);
    }
    sot_json_end_array(writer);
}
