/* The request of a student, and the student planned again from it. */
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/json/canonical.h"
#include "base/memory.h"
#include "commands/pate/label.h"
#include "commands/pate/student.h"
#include "commands/session/again.h"
#include "commands/session/request.h"
#include "commands/train/concept.h"

void sot_student_name(const sotto_training *training, const sot_student_asked *asked,
                      char output[SOT_STUDENT_BYTES], char route[SOT_STUDENT_BYTES])
{
    (void)snprintf(output, SOT_STUDENT_BYTES, "a student, %s, of %llu labels by teachers",
                   sotto_model_kind_name(training->config.model),
                   (unsigned long long)asked->count);
    (void)snprintf(route, SOT_STUDENT_BYTES,
                   SOT_PATE_ROUTE
                   "%.64s: "
                   "learned only from them and from public rows, which costs nothing; "
                   "plan, noise and ledger are those of the labels",
                   asked->hash);
}

static void write_self_training(sot_json_writer *writer, const sot_student_asked *asked)
{
    if (asked->self_training == 0) return;
    sot_json_open_object(writer, "self_training");
    sot_json_put_whole(writer, "rounds", asked->self_training);
    sot_json_put_number(writer, "confidence", asked->confidence);
    sot_json_end_object(writer);
}

sotto_status sot_student_request(const sotto_training *training,
                                 const sot_student_asked *asked, char **out_json,
                                 sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "command", "student");
    status = sot_training_write_request(training, &training->config, writer, error);
    sot_json_put_text(writer, "public_rows", SOT_PATE_PUBLIC_ROWS);
    write_self_training(writer, asked);
    sot_json_open_object(writer, "labels");
    sot_json_put_text(writer, "hash", asked->hash);
    sot_json_put_whole(writer, "count", asked->count);
    sot_json_put_whole(writer, "asked", asked->asked);
    sot_json_put_whole(writer, "answered", asked->answered);
    sot_json_key(writer, "request");
    sot_json_copy(writer, asked->labels, false, NULL);
    sot_json_end_object(writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, status, out_json, error);
}

/* ---- the student again ---- */

static sotto_status read_asked(const sot_json_value *labels, sot_student_asked *asked,
                               sotto_error *error)
{
    int64_t count = 0, queries = 0, answered = 0;
    sotto_status status = sot_json_get_int64(labels, "count", &count, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(labels, "asked", &queries, error);
    if (status == SOTTO_OK)
        status = sot_json_get_int64(labels, "answered", &answered, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(labels, "hash", &asked->hash, error);
    if (status == SOTTO_OK &&
        (count < 1 || answered < 0 || count < answered || queries < count ||
         strlen(asked->hash) + 1 != SOTTO_HASH_HEX_BYTES))
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "request.labels are none that a student learns from");
    asked->count = (uint64_t)count;
    asked->asked = (uint64_t)queries;
    asked->answered = (uint64_t)answered;
    return status;
}

/* As sotto_pate_student() accepts them; none without rounds. */
static sotto_status read_self_training(const sot_json_value *request,
                                       sot_student_asked *asked, sotto_error *error)
{
    int64_t rounds = 0;
    sot_json_value member;
    if (!sot_json_member(request, "self_training", &member)) return SOTTO_OK;
    sotto_status status = sot_json_get_object(request, "self_training", &member, error);
    if (status == SOTTO_OK)
        status = sot_json_get_int64(&member, "rounds", &rounds, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(&member, "confidence", &asked->confidence, error);
    if (status == SOTTO_OK && rounds < 1)
        status =
            sot_fail(error, SOTTO_VERIFICATION,
                     "request.self_training.rounds is %lld; a student without rounds "
                     "of self-training states none",
                     (long long)rounds);
    if (status != SOTTO_OK) return status;
    asked->self_training = (uint64_t)rounds;
    status = sot_student_check(asked->self_training, asked->confidence, error);
    return status == SOTTO_INVALID_ARGUMENT ? SOTTO_VERIFICATION : status;
}

/* Certifies with the facts of the labels' run, and this file's payload, output and
 * route. */
static sotto_status certify(const sot_certificate_file *file,
                            const sotto_training *training, const sotto_model *model,
                            const sot_student_asked *asked, sot_label_again *labels,
                            sotto_error *error)
{
    char output[SOT_STUDENT_BYTES], route[SOT_STUDENT_BYTES];
    char *payload = NULL, *request = NULL;
    uint64_t released[SOT_PATE_EVENTS_MAX] = {0};
    labels->run.asked = asked->asked;
    labels->run.answered = asked->answered;
    sot_label_again_count(&labels->run, released);
    sotto_status status = sot_training_take_released(training, model, error);
    if (status == SOTTO_OK)
        status =
            sot_training_payload(training, model->coefficients, NULL, &payload, error);
    if (status == SOTTO_OK)
        status = sot_student_request(training, asked, &request, error);
    sot_student_name(training, asked, output, route);
    const sot_again again = {.file = file,
                             .released = released,
                             .payload = payload,
                             .request = request,
                             .output = output,
                             .route = route};
    labels->run.session.again = &again;
    if (status == SOTTO_OK) status = sot_pate_label_certify(&labels->run, error);
    labels->run.session.again = NULL;
    sot_training_clear_errors(training);
    sot_free(payload);
    sot_free(request);
    return status;
}

sotto_status sot_again_student(const sot_certificate_file *file, const char *text,
                               size_t size_bytes, sotto_error *error)
{
    sot_json_value member, labels_request;
    sot_student_asked asked = {.labels = &labels_request};
    sot_training_asked settings = {.center = NULL};
    sot_label_again labels = {.run = {.plan = NULL}};
    sotto_training *training = NULL;
    sotto_model *model = NULL;
    sot_inherited inherited;
    sotto_status status = sotto_model_parse(NULL, text, size_bytes, &model, error);
    if (status == SOTTO_OK)
        status = sot_json_get_object(&file->request, "labels", &member, error);
    if (status == SOTTO_OK)
        status = sot_json_get_object(&member, "request", &labels_request, error);
    if (status == SOTTO_OK) status = read_asked(&member, &asked, error);
    if (status == SOTTO_OK) status = read_self_training(&file->request, &asked, error);
    if (status == SOTTO_OK)
        status = sot_training_read_request(&file->request, &file->root, &settings, error);
    if (status == SOTTO_OK)
        status = sot_label_again_plan(&labels_request, sotto_model_schema(model), &labels,
                                      error);
    if (status == SOTTO_OK)
        status = sot_training_plan_with(&settings.config, sotto_model_schema(model),
                                        &settings.inputs, &training, error);
    if (status == SOTTO_OK && training->plan != NULL)
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "request.method is a private one; a student learns from public "
                          "rows by the method none");
    if (status == SOTTO_OK) {
        inherited = (sot_inherited){.epsilon = labels.run.epsilon,
                                    .delta = labels.config.delta,
                                    .adjacency = labels.run.vote.adjacency,
                                    .unit = labels.run.unit};
        training->inherited = &inherited;
        status = certify(file, training, model, &asked, &labels, error);
    }
    sotto_training_free(training);
    sot_label_again_clear(&labels);
    sot_training_asked_clear(&settings);
    sotto_model_free(model);
    return status;
}
