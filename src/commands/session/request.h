/* commands/session/request.h: the settings of a run in its certified file, and back.
 *
 * Idea     A certified file states its request: the settings from which plan, noise and every stated setting follow. A
 *          verifier reads it, calls the planner that the run called, writes the file again and compares. Settings are
 *          written by one table and read by the same table; those that have their default are left out.
 */
#ifndef SOT_COMMANDS_SESSION_REQUEST_H
#define SOT_COMMANDS_SESSION_REQUEST_H

#include <stddef.h>

#include <sotto/train_config.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "commands/session/session.h"

typedef enum sot_field_kind {
    SOT_FIELD_NUMBER, /* double; NaN: not set, null: infinite */
    SOT_FIELD_COUNT,  /* uint64_t, as the int64_t of the same bits */
    SOT_FIELD_FLAG,   /* bool */
    SOT_FIELD_TEXT,   /* const char *, borrowed from the document; NULL: not set */
    SOT_FIELD_WORD    /* an enum, by its name */
} sot_field_kind;

typedef struct sot_field {
    const char *name;
    sot_field_kind kind;
    size_t offset;
    const char *(*word)(int value); /* of SOT_FIELD_WORD */
} sot_field;

/* Writes the settings of `config` that differ from `defaults`. */
void sot_fields_write(const sot_field *fields, size_t count, const void *config,
                      const void *defaults, sot_json_writer *writer);
/* Reads the members that are there into `config`. Members that no table knows are for the comparison to refuse. */
SOTTO_MUST_CHECK sotto_status sot_fields_read(const sot_field *fields, size_t count,
                                              const sot_json_value *request, void *config,
                                              sotto_error *error);

/* Whether the request has the member, and it is true. */
bool sot_request_flag(const sot_json_value *request, const char *name);

/* The member "rows": where rows came from, by sot_origin_name(). */
SOTTO_MUST_CHECK sotto_status sot_request_read_origin(const sot_json_value *request,
                                                      sot_origin *out_origin,
                                                      sotto_error *error);

/* The members about the rows: "rows", "source", "query", "resumed". */
void sot_request_write_rows(const sot_session *session, sot_json_writer *writer);
SOTTO_MUST_CHECK sotto_status sot_request_read_rows(const sot_json_value *request,
                                                    sot_session *session,
                                                    sotto_error *error);

/* A JSON text as a member; NULL: none. */
SOTTO_MUST_CHECK sotto_status sot_request_write_json(sot_json_writer *writer,
                                                     const char *key, const char *json,
                                                     sotto_error *error);

/* The finished text of a writer, copied, unless `status` is a failure; frees the writer. */
SOTTO_MUST_CHECK sotto_status sot_request_finish(sot_json_writer *writer,
                                                 sotto_status status, char **out_json,
                                                 sotto_error *error);

/* A value of a document as a text of its own; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_request_text_of(const sot_json_value *value,
                                                  char **out_json, sotto_error *error);

/* ---- commands/train/request_train.c ---- */

/* Settings of a training that its plan, or what is written of it, follows from. */
void sot_request_write_training(const sotto_train_config *config,
                                sot_json_writer *writer);
SOTTO_MUST_CHECK sotto_status sot_request_read_training(const sot_json_value *request,
                                                        sotto_train_config *config,
                                                        sotto_error *error);

#endif
