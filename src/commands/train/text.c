/* The description of a training as JSON and for people, and the model file's payload. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/loss.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/train.h"
#include "methods/kinds.h"

static const char *class_at(const sotto_training *training, size_t index)
{
    return sot_encoding_class(training->encoding, index);
}

/* ---- JSON ---- */

static void write_whole(sot_json_writer *writer, const char *key, uint64_t value)
{
    if (value == 0) return;
    sot_json_put_whole(writer, key, value);
}

static void write_guarantee(sot_json_writer *writer, const sotto_training *training)
{
    const sotto_train_config *config = &training->config;
    if (training->plan == NULL) return;
    sot_json_put_number(writer, "epsilon", config->epsilon);
    sot_json_put_number(writer, "epsilon_of_plan", training->account.epsilon);
    sot_json_put_number(writer, "delta", training->delta);
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(config->adjacency));
    sot_json_put_text(writer, "unit", training->unit);
    write_whole(writer, "public_n", config->public_n);
}

static void write_settings(sot_json_writer *writer, const sot_learner *learner)
{
    sot_json_open_object(writer, "settings");
    for (size_t i = 0; i < learner->setting_count; i++)
        sot_json_put_number(writer, learner->settings[i].name,
                            learner->settings[i].value);
    sot_json_end_object(writer);
    sot_json_open_object(writer, "reasons");
    for (size_t i = 0; i < learner->setting_count; i++)
        sot_json_put_text(writer, learner->settings[i].name, learner->settings[i].why);
    sot_json_end_object(writer);
}

static bool is_calibrated(const sotto_training *training)
{
    return (sot_method_row_of(training->method)->takes & SOT_TAKES_CALIBRATION) != 0;
}

static void write_training(sot_json_writer *writer, const sotto_training *training)
{
    const sotto_train_config *config = &training->config;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "training");
    sot_json_put_text(writer, "model", sotto_model_kind_name(config->model));
    sot_json_put_text(writer, "method", sotto_method_name(training->method));
    sot_json_put_text(writer, "method_reason", training->method_why);
    if (is_calibrated(training))
        sot_json_put_text(writer, "calibration",
                          sotto_calibration_name(config->calibration));
    write_guarantee(writer, training);
    write_whole(writer, "expected_rows", config->expected_rows);
    if (config->loss != NULL) sot_json_put_text(writer, "loss", config->loss->name);
    write_whole(writer, "dimension", sot_encoding_dimension(training->encoding));
    if (sot_encoding_classes(training->encoding) > 2)
        write_whole(writer, "classes", sot_encoding_classes(training->encoding));
    if (training->learner->concept == NULL)
        sot_json_put_number(writer, "norm_bound", sot_encoding_bound(training->encoding));
    else
        sot_training_write_concept(training, writer);
    for (size_t i = 0; i < training->learner->choice_count; i++)
        sot_json_put_text(writer, training->learner->choices[i].name,
                          training->learner->choices[i].word);
    if (training->learner->net != NULL) sot_training_write_network(training, writer);
    sot_json_put_text(writer, "sampler", training->learner->sampler);
    sot_json_put_text(writer, "sampler_reason", training->learner->sampler_why);
    write_settings(writer, training->learner);
    sot_json_open_array(writer, "advice");
    for (size_t i = 0; i < training->advice_count; i++)
        sot_json_write_string(writer, training->advice[i]);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static sotto_status make_json(sotto_training *training, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    write_training(writer, training);
    return sot_json_writer_take(writer, SOTTO_OK, &training->json, error);
}

/* ---- for people ---- */

enum { CLASSES_SHOWN = 6 };

/* "logistic: no, or yes"; "softmax: a, b, or c"; "linear: price, from 0 to 100". */
static void show_model(sot_prose *prose, const sotto_training *training)
{
    const char *name = sotto_model_kind_name(training->config.model);
    const size_t classes = sot_encoding_classes(training->encoding);
    if (classes == 0) {
        const sotto_target *target = sot_encoding_target(training->encoding);
        char lower[SOT_SHOWN_BYTES], upper[SOT_SHOWN_BYTES];
        sot_prose_line(prose, "model", "%s: %s, from %s to %s", name,
                       target->column == NULL ? "the number of each row" : target->column,
                       sot_shown(target->lower, 0, lower),
                       sot_shown(target->upper, 0, upper));
        return;
    }
    char list[640] = "";
    size_t used = 0;
    for (size_t i = 0; i + 1 < classes && i < CLASSES_SHOWN; i++) {
        const int size =
            snprintf(list + used, sizeof list - used, "%.100s, ", class_at(training, i));
        used += (size_t)size;
    }
    sot_prose_line(prose, "model", "%s: %s%sor %s", name, list,
                   classes > CLASSES_SHOWN + 1 ? "..., " : "",
                   class_at(training, classes - 1));
}

/* Two per line: "optimizer  sgd, schedule constant". */
static void show_choices(sot_prose *prose, const sot_learner *learner)
{
    for (size_t i = 0; i < learner->choice_count; i += 2) {
        const sot_choice *one = &learner->choices[i];
        const bool two = i + 1 < learner->choice_count;
        sot_prose_line(prose, one->name, "%s%s%s%s%s", one->word, two ? ", " : "",
                       two ? one[1].name : "", two ? " " : "", two ? one[1].word : "");
    }
}

static void show_settings(sot_prose *prose, const sotto_training *training, bool whole)
{
    const sot_learner *learner = training->learner;
    char value[SOT_SHOWN_BYTES];
    if (learner->concept != NULL) {
        sot_training_show_concept(training, whole, prose);
    } else {
        sot_prose_line(prose, "features", "%zu, of norm at most %s",
                       sot_encoding_dimension(training->encoding),
                       sot_shown(sot_encoding_bound(training->encoding), 1, value));
    }
    if (learner->net != NULL) sot_training_show_network(training, whole, prose);
    show_choices(prose, learner);
    for (size_t i = 0; i < learner->setting_count; i++) {
        const sot_setting *setting = &learner->settings[i];
        if (learner->concept != NULL && sot_training_is_said(training, setting)) continue;
        sot_prose_line(
            prose, setting->name, "%s%s%s%s", sot_shown(setting->value, 0, value),
            setting->why == NULL ? "" : " (", setting->why == NULL ? "" : setting->why,
            setting->why == NULL ? "" : ")");
    }
}

static void show_method(sot_prose *prose, const sotto_training *training)
{
    const sotto_train_config *config = &training->config;
    const bool named =
        is_calibrated(training) && config->calibration != SOTTO_CALIBRATION_SHARP;
    show_model(prose, training);
    sot_prose_line(prose, "method", "%s%s%s%s%s%s", sotto_method_name(training->method),
                   named ? ", calibration " : "",
                   named ? sotto_calibration_name(config->calibration) : "",
                   training->method_why == NULL ? "" : " (",
                   training->method_why == NULL ? "" : training->method_why,
                   training->method_why == NULL ? "" : ")");
}

/* Describes the sampled distribution and the sampler. */
static void show_sampler(sot_prose *prose, const sotto_training *training)
{
    const sot_learner *learner = training->learner;
    if (learner->sampler == NULL) return;
    sot_prose_line(
        prose, "sampler", "%s (%s)%s", learner->sampler, learner->sampler_why,
        training->config.public_constants ? ", its steps fixed by public constants" : "");
}

static void show_advice(sot_prose *prose, const sotto_training *training)
{
    for (size_t i = 0; i < training->advice_count; i++)
        sot_prose_line(prose, i == 0 ? "advice" : "", "%s", training->advice[i]);
}

/* The score of the model on the public rows of its learning curve: its last point. */
static void show_validation(sot_prose *prose, const sotto_training *training)
{
    const sot_validation *curve = training->learner->validation;
    char value[SOT_SHOWN_BYTES];
    if (curve == NULL || curve->count == 0) return;
    const bool classes = sot_encoding_role(training->encoding) == SOT_TARGET_CLASSES;
    sot_prose_line(prose, "validation", "%s %s on public rows (the curve is in the file)",
                   classes ? "accuracy" : "root mean squared error",
                   sot_shown(curve->scores[curve->count - 1], 0, value));
}

/* Returns the certificate's delta: a pure distribution with an inexact sampler has a
 * delta. */
static double stated_delta(const sotto_training *training)
{
    return training->delta > 0.0 ? training->delta : SOTTO_UNSET;
}

static sotto_status make_text(sotto_training *training, sotto_error *error)
{
    sot_prose prose = {0};
    const sotto_train_config *config = &training->config;
    show_method(&prose, training);
    if (training->plan != NULL) {
        sot_prose_guarantee(&prose, config->epsilon, stated_delta(training),
                            config->adjacency, training->schema, 0);
    }
    show_sampler(&prose, training);
    show_settings(&prose, training, true);
    show_advice(&prose, training);
    return sot_prose_finish(&prose, &training->text, error);
}

sotto_status sot_training_describe(sotto_training *training, sotto_error *error)
{
    const sotto_status status = make_json(training, error);
    return status == SOTTO_OK ? make_text(training, error) : status;
}

sotto_status sot_training_summary(const sotto_training *training,
                                  const sot_session *session, const double *theta,
                                  char **out_text, sotto_error *error)
{
    sot_prose prose = {0};
    const sotto_train_config *config = &training->config;
    show_method(&prose, training);
    show_sampler(&prose, training);
    show_settings(&prose, training, false);
    if (training->learner->concept != NULL)
        sot_training_show_rule(training, theta, &prose);
    if (training->plan != NULL) {
        sot_prose_guarantee(&prose, config->epsilon, stated_delta(training),
                            config->adjacency, training->schema, session->origin);
        sot_prose_ledger(&prose, session);
    } else {
        sot_prose_line(
            &prose, "privacy", "none: the rows were declared public%s",
            training->learner->sampler != NULL ? ", and the sampler is a heuristic" : "");
    }
    show_validation(&prose, training);
    if (session->output != NULL)
        sot_prose_line(&prose, "written to", "%s", session->output);
    show_advice(&prose, training);
    if (config->insecure_test && training->plan != NULL)
        sot_prose_line(&prose, "NOT PRIVATE", "the noise came from a test seed");
    return sot_prose_finish(&prose, out_text, error);
}

/* ---- the model file ---- */

typedef struct names {
    const char **classes;
    const char **features;
    sot_model_setting *settings;
    size_t setting_count;
    char *schema_json;
} names;

static void free_names(names *all)
{
    sot_free(all->classes);
    sot_free(all->features);
    sot_free(all->settings);
    sotto_free(all->schema_json);
}

static void add_number(names *all, const char *name, double value)
{
    all->settings[all->setting_count++] =
        (sot_model_setting){.name = name, .value = value};
}

static void add_word(names *all, const char *name, const char *word)
{
    all->settings[all->setting_count++] = (sot_model_setting){.name = name, .word = word};
}

/* "norm_bound" beside the learner's settings; places on grids have no norm. */
static sotto_status gather(const sotto_training *training, names *all, sotto_error *error)
{
    const sot_learner *learner = training->learner;
    const size_t dimension = sot_encoding_dimension(training->encoding);
    const size_t classes = sot_encoding_classes(training->encoding);
    all->classes = sot_new_array(classes + 1, sizeof *all->classes);
    all->features = sot_new_array(dimension, sizeof *all->features);
    all->settings = sot_new_array(learner->setting_count + SOT_CHOICES_MAX + 3,
                                  sizeof *all->settings);
    if (all->classes == NULL || all->features == NULL || all->settings == NULL)
        return sot_fail_memory(error, dimension, sizeof *all->features);
    for (size_t i = 0; i < classes; i++)
        all->classes[i] = class_at(training, i);
    for (size_t i = 0; i < dimension; i++)
        all->features[i] = sot_encoding_feature(training->encoding, i);
    if (learner->concept == NULL)
        add_number(all, "norm_bound", sot_encoding_bound(training->encoding));
    add_number(all, "grid", learner->grid);
    for (size_t i = 0; i < learner->choice_count; i++)
        add_word(all, learner->choices[i].name, learner->choices[i].word);
    /* Files of the former theorem do not state it. */
    if (is_calibrated(training) &&
        training->config.calibration != SOTTO_CALIBRATION_SHARP &&
        training->config.calibration != SOTTO_CALIBRATION_FORMER)
        add_word(all, "calibration",
                 sotto_calibration_name(training->config.calibration));
    for (size_t i = 0; i < learner->setting_count; i++)
        add_number(all, learner->settings[i].name, learner->settings[i].value);
    return sotto_schema_to_json(training->schema, training->target, &all->schema_json,
                                error);
}

sotto_status sot_training_payload(const sotto_training *training, const double *theta,
                                  const sot_validation *curve, char **out_json,
                                  sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const bool is_public = training->plan == NULL;
    const sot_inherited none = {.epsilon = SOTTO_UNSET,
                                .delta = SOTTO_UNSET,
                                .adjacency = SOTTO_ADJACENCY_UNSET,
                                .unit = training->unit};
    const sot_inherited own = {.epsilon = config->epsilon,
                               .delta = training->delta,
                               .adjacency = config->adjacency,
                               .unit = training->unit};
    const sot_inherited *stated = training->inherited != NULL ? training->inherited
                                  : is_public                 ? &none
                                                              : &own;
    names all = {0};
    sotto_status status = gather(training, &all, error);
    if (status == SOTTO_OK) {
        const sot_model_content content = {
            .model = sotto_model_kind_name(config->model),
            .loss = config->loss != NULL ? config->loss->name : NULL,
            .method = sotto_method_name(training->method),
            .epsilon = stated->epsilon,
            .delta = stated->delta,
            .adjacency = stated->adjacency,
            .unit = stated->unit,
            .schema_json = all.schema_json,
            .classes = all.classes,
            .class_count = sot_encoding_classes(training->encoding),
            .features = sotto_schema_is_matrix(training->schema) ? NULL : all.features,
            .coefficients = theta,
            .dimension = sot_encoding_dimension(training->encoding),
            .margins = training->learner->outputs,
            .net = training->learner->net,
            .draws = training->learner->draws,
            .sampler = training->learner->sampler,
            .concept = training->learner->concept,
            .errors = training->learner->errors.lists > 0
                          ? sot_training_errors(training)
                          : (sot_concept_errors){.lists = 0},
            .curve = curve == NULL ? (sot_model_curve){.count = 0}
                                   : (sot_model_curve){.steps = curve->steps,
                                                       .scores = curve->scores,
                                                       .count = curve->count},
            .settings = all.settings,
            .setting_count = all.setting_count};
        status = sot_model_write(&content, out_json, error);
    }
    free_names(&all);
    return status;
}
