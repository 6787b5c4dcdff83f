/* The student: a training without noise on public rows and released labels. Its certificate is the labels', about this file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/key.h>
#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/output.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/pate/pate.h"
#include "commands/pate/poll.h"
#include "commands/pate/student.h"
#include "commands/train/network.h"
#include "commands/train/public.h"
#include "commands/train/train.h"
#include "data/batches/matrix.h"

void sotto_pate_student_set_defaults(sotto_pate_student_config *out_config,
                                     size_t size_bytes, size_t training_bytes)
{
    const sotto_pate_student_config defaults = {.training = sotto_train_defaults(),
                                                .confidence = 0.95};
    sot_sized_give(SOT_SIZED_WITH(pate_student, training), &defaults, out_config,
                   size_bytes, training_bytes);
}

typedef struct student_run {
    const sotto_pate_student_config *config;
    const sotto_data_file *file;
    sot_pate_labels_file labels;
    sotto_training *training;
    sot_inherited inherited;
    sot_matrix_filler *filler;
    const sot_matrix *all; /* the filler's: every public row */
    /* The class of every public row, or `classes`: none. */
    size_t classes;
    size_t *class_of;
    bool *is_released; /* the label is the teachers' */
    size_t own;        /* labels of the student's own in the last round */
    double *theta;
    char *payload;
    char *text;     /* certified */
    sotto_key *key; /* that signs; NULL: none does */
} student_run;

/* ---- inputs ---- */

sotto_status sot_student_check(uint64_t self_training, double confidence,
                               sotto_error *error)
{
    if (!(confidence > 0.5 && confidence <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`confidence` is %g; it is a probability above 0.5; for example "
                        "`confidence=0.95`",
                        confidence);
    }
    if (self_training > 1000) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`self_training` is %llu; give at most 1000 rounds, for example "
                        "`self_training=2`",
                        (unsigned long long)self_training);
    }
    return SOTTO_OK;
}

static sotto_status check_settings(const sotto_pate_student_config *config,
                                   sotto_error *error)
{
    if (config->labels == NULL)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the student needs labels");
    return sot_student_check(config->self_training, config->confidence, error);
}

static sotto_status plan(student_run *run, sotto_error *error)
{
    sotto_train_config config = run->config->training;
    const sot_certificate *certificate = &run->labels.file.certificate;
    config.output = NULL;
    sotto_status status = sot_pate_plain_training("students", &config, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&config, run->labels.schema, &run->training, error);
    if (status != SOTTO_OK) return status;
    run->classes = sot_encoding_classes(run->training->encoding);
    if (run->classes != sotto_schema_target(run->labels.schema)->label_count) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model does not predict the labels' classes; give a model of "
                        "classes, for example `model=logistic`");
    }
    const sotto_prediction predicts =
        sot_model_prediction(config.model, SOT_TARGET_CLASSES);
    if (run->config->self_training > 0 && predicts != SOTTO_PREDICTS_PROBABILITIES) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "self-training needs probabilities, and the model %s gives none; give "
            "`model=logistic`, softmax or a network, or leave `self_training` out",
            sotto_model_kind_name(config.model));
    }
    run->inherited = (sot_inherited){.epsilon = run->labels.epsilon,
                                     .delta = run->labels.delta,
                                     .adjacency = sotto_plan_adjacency(certificate->plan),
                                     .unit = certificate->facts.unit};
    return SOTTO_OK;
}

static sotto_status check_output(const student_run *run, sotto_error *error)
{
    const char *output = run->config->training.output;
    if (output == NULL) return SOTTO_OK;
    if (sot_file_is_same(output, run->config->labels) ||
        sot_file_is_same(output, run->file->path)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the output %.120s would replace the labels or the rows; give it "
                        "a name of its own",
                        output);
    }
    const sotto_status status =
        sot_training_spare_files(&run->config->training, output, error);
    if (status != SOTTO_OK) return status;
    return sot_output_admit(output, SOTTO_OUTPUT_CERTIFIED,
                            run->config->training.overwrite, NULL, 0, error);
}

static sotto_status load(student_run *run, sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status =
        sot_source_open(run->file, run->labels.schema, true, &source, error);
    if (status == SOTTO_OK) sot_source_set_threads(source, run->config->training.threads);
    if (status == SOTTO_OK)
        status =
            sot_matrix_filler_new(source, run->training->encoding, &run->filler, error);
    if (status == SOTTO_OK)
        status = sot_matrix_fill(run->filler, source, SIZE_MAX, &run->all, error);
    if (run->filler != NULL) sot_matrix_filler_detach(run->filler);
    sot_source_close(source);
    if (status != SOTTO_OK) return status;
    const size_t rows = run->all->rows;
    const size_t coefficients = sot_learner_coefficients(run->training->learner);
    run->class_of = sot_new_array(rows, sizeof *run->class_of);
    run->is_released = sot_new_array(rows, sizeof *run->is_released);
    run->theta = sot_new_array(coefficients, sizeof *run->theta);
    if (run->class_of == NULL || run->is_released == NULL || run->theta == NULL)
        return sot_fail_memory(error, rows + coefficients, sizeof *run->theta);
    for (size_t i = 0; i < rows; i++)
        run->class_of[i] = run->classes;
    for (size_t i = 0; i < run->labels.count; i++) {
        const size_t row = run->labels.rows[i];
        if (row >= rows) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%.120s has %zu rows, and row %zu has a label; give the rows "
                            "that were labelled",
                            run->file->path, rows, row);
        }
        run->class_of[row] = run->labels.classes[i];
        run->is_released[row] = true;
    }
    if (run->labels.count == 0)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "no row has a label, so that there is nothing to train on; give "
                        "the labels of other queries");
    return SOTTO_OK;
}

/* ---- learning ---- */

/* sot_encode_target() of a class. */
static double target_of(const student_run *run, size_t class)
{
    return run->classes == 2 ? (class == 1 ? 1.0 : -1.0) : (double)class;
}

/* The last student states the inherited guarantee; earlier ones are not written. */
static sotto_status learn(student_run *run, bool last, sotto_error *error)
{
    const size_t rows = run->all->rows;
    sot_matrix *picked = NULL;
    size_t count = 0;
    size_t *chosen = sot_new_array(rows, sizeof *chosen);
    if (chosen == NULL) return sot_fail_memory(error, rows, sizeof *chosen);
    for (size_t i = 0; i < rows; i++)
        if (run->class_of[i] < run->classes) chosen[count++] = i;
    sotto_status status = sot_public_pick(run->all, chosen, count, &picked, error);
    for (size_t i = 0; status == SOTTO_OK && i < count; i++)
        picked->labels[i] = target_of(run, run->class_of[chosen[i]]);
    if (status == SOTTO_OK)
        status = sot_training_learn(run->training, NULL, picked, run->theta, error);
    sot_matrix_free(picked);
    sot_free(chosen);
    sot_free(run->payload);
    run->payload = NULL;
    if (status != SOTTO_OK) return status;
    run->training->inherited = last ? &run->inherited : NULL;
    return sot_training_payload(run->training, run->theta, NULL, &run->payload, error);
}

/* One round of self-training: the student's predictions for rows without a released
 * label. */
typedef struct teaching {
    student_run *run;
    size_t row;
} teaching;

static int take_own(size_t predicted, const double *outputs, void *context)
{
    teaching *self = context;
    student_run *run = self->run;
    (void)predicted;
    if (self->row >= run->all->rows) return 1;
    const size_t row = self->row++;
    if (run->is_released[row]) return 0;
    run->class_of[row] =
        sot_pate_own_label(outputs, run->classes, run->config->confidence);
    if (run->class_of[row] < run->classes) run->own++;
    return 0;
}

/* Makes the certificate of the labels for this file: the facts and their consequences are the
 * same. Labels of version 1 state no request, and so neither does their student. */
static sotto_status certify(student_run *run, sotto_error *error)
{
    sot_certificate certificate = run->labels.file.certificate;
    char output[SOT_STUDENT_BYTES], route[SOT_STUDENT_BYTES], hash[SOTTO_HASH_HEX_BYTES];
    char *request = NULL;
    const sot_student_asked asked = {.labels = &run->labels.file.request,
                                     .hash = run->labels.file.hash,
                                     .count = run->labels.count,
                                     .asked = run->labels.asked,
                                     .answered = run->labels.answered,
                                     .self_training = run->config->self_training,
                                     .confidence = run->config->confidence};
    sotto_status status = SOTTO_OK;
    if (certificate.version >= 2)
        status = sot_student_request(run->training, &asked, &request, error);
    sot_student_name(run->training, &asked, output, route);
    certificate.facts.output = output;
    certificate.facts.route = route;
    certificate.facts.key = run->key;
    certificate.request_json = request;
    if (status == SOTTO_OK)
        status =
            sot_certificate_attach(run->payload, &certificate, &run->text, hash, error);
    sot_free(request);
    return status;
}

static sotto_status teach_himself(student_run *run, sotto_error *error)
{
    const uint64_t rounds = run->config->self_training;
    sotto_status status = learn(run, rounds == 0, error);
    for (uint64_t i = 0; i < rounds && status == SOTTO_OK; i++) {
        sotto_model *model = NULL;
        teaching self = {.run = run};
        run->own = 0;
        status = sotto_model_parse("the student", run->payload, strlen(run->payload),
                                   &model, error);
        if (status == SOTTO_OK)
            status =
                sotto_model_predict_data(model, run->file, 0.5, take_own, &self, error);
        sotto_model_free(model);
        if (status == SOTTO_OK) status = learn(run, i + 1 == rounds, error);
    }
    return status == SOTTO_OK ? certify(run, error) : status;
}

/* ---- words ---- */

static sotto_status summarise(const student_run *run, char **out_text, sotto_error *error)
{
    sot_prose prose = {0};
    sot_prose_line(&prose, "student", "%s",
                   sotto_model_kind_name(run->training->config.model));
    sot_prose_line(&prose, "labels", "%zu of the teachers, among %zu public rows",
                   run->labels.count, run->all->rows);
    if (run->config->self_training > 0)
        sot_prose_line(&prose, "self-training",
                       "%llu rounds; %zu pseudo-labels in the last round",
                       (unsigned long long)run->config->self_training, run->own);
    if (strcmp(run->inherited.unit, SOT_PATE_UNIT_TEACHER) == 0)
        sot_prose_guarantee_of_teachers(&prose, run->inherited.epsilon,
                                        run->inherited.delta, run->inherited.adjacency);
    else
        sot_prose_guarantee(&prose, run->inherited.epsilon, run->inherited.delta,
                            run->inherited.adjacency, run->labels.schema, 0);
    sot_prose_line(&prose, "privacy",
                   "that of the labels: the student is post-processing of them");
    if (!run->labels.file.certificate.is_secure)
        sot_prose_line(&prose, "NOT PRIVATE", "the labels are of a test seed");
    if (run->config->training.output != NULL)
        sot_prose_line(&prose, "written to", "%s", run->config->training.output);
    return sot_prose_finish(&prose, out_text, error);
}

static sotto_status deliver(student_run *run, sotto_pate_result **out_result,
                            sotto_error *error)
{
    char *text = NULL, *certificate = NULL, *json = NULL, *rendered = NULL;
    const char *output = run->config->training.output;
    sotto_status status = summarise(run, &text, error);
    if (status == SOTTO_OK)
        status = sotto_certificate_render(run->text, strlen(run->text),
                                          SOTTO_CERTIFICATE_TEXT, &rendered, error);
    if (status == SOTTO_OK) {
        certificate = sot_copy_string(rendered);
        json = sot_copy_string(run->text);
        if (certificate == NULL || json == NULL)
            status = sot_fail_memory(error, strlen(run->text) + 1, 1);
    }
    sotto_free(rendered);
    if (status == SOTTO_OK && output != NULL)
        status = sotto_output_put(output, SOTTO_OUTPUT_CERTIFIED,
                                  run->config->training.overwrite, run->text,
                                  strlen(run->text), error);
    if (status == SOTTO_OK)
        return sot_pate_result_new(json, text, certificate, out_result, error);
    sot_free(json);
    sot_free(text);
    sot_free(certificate);
    return status;
}

static void clear(student_run *run)
{
    sotto_training_free(run->training);
    sot_matrix_filler_free(run->filler);
    sot_free(run->class_of);
    sot_free(run->is_released);
    sot_free(run->theta);
    sot_free(run->payload);
    sotto_free(run->text);
    sotto_key_close(run->key);
    sot_pate_labels_close(&run->labels);
}

sotto_status sotto_pate_student(const sotto_pate_student_config *given,
                                const sotto_data_file *file,
                                sotto_pate_result **out_result, sotto_error *error)
{
    sotto_pate_student_config own;
    const sotto_pate_student_config *const config = &own;
    student_run run = {.config = config, .file = file};
    sotto_status status = SOT_TAKE_WITH(pate_student, training, given, &own, error);
    if (status != SOTTO_OK) return status;
    status = check_settings(config, error);
    if (status == SOTTO_OK)
        status = sot_pate_labels_read(config->labels, &run.labels, error);
    if (status == SOTTO_OK) status = plan(&run, error);
    if (status == SOTTO_OK) status = check_output(&run, error);
    if (status == SOTTO_OK && config->training.sign != NULL)
        status = sotto_key_open(config->training.sign, &run.key, error);
    if (status == SOTTO_OK) status = load(&run, error);
    if (status == SOTTO_OK) status = teach_himself(&run, error);
    if (status == SOTTO_OK) status = deliver(&run, out_result, error);
    clear(&run);
    return status;
}
