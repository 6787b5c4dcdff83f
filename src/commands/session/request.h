/* commands/session/request.h: the settings of a run in its certified file, and back.
 *
 * Idea     A certified file states its request: the settings from which plan, noise and every stated setting follow. A
 *          verifier reads it, calls the planner that the run called, writes the file again and compares. Settings are
 *          written by one table and read by the same table; those that have their default are left out.
 */
#ifndef SOT_COMMANDS_SESSION_REQUEST_H
#define SOT_COMMANDS_SESSION_REQUEST_H

#include <sotto/train_config.h>

#include "base/json/field.h"
#include "commands/session/session.h"

/* Writes all settings for the hash of commands/session/asked.h, words and flags as numbers. */
void sot_fields_hash(const sot_field *fields, size_t count, const void *config,
                     sot_json_writer *writer);

/* Returns true if the request has the member and it is true. */
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

/* A value of a document as a text of its own; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_request_text_of(const sot_json_value *value,
                                                  char **out_json, sotto_error *error);

/* ---- commands/train/request.c ---- */

/* Writes the settings of a training that decide a number, for the hash. */
void sot_request_hash_training(const sotto_train_config *config, sot_json_writer *writer);
/* Writes and reads the settings that decide the plan of a training or the text of its file. */
void sot_request_write_training(const sotto_train_config *config,
                                sot_json_writer *writer);
SOTTO_MUST_CHECK sotto_status sot_request_read_training(const sot_json_value *request,
                                                        sotto_train_config *config,
                                                        sotto_error *error);

#endif
