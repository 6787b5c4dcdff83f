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

typedef enum sot_field_use {
    SOT_FIELD_EVERYWHERE, /* in the request and in the hash of the settings */
    SOT_FIELD_REQUESTED,  /* in the request only */
    SOT_FIELD_HASHED      /* in the hash only */
} sot_field_use;

typedef struct sot_field {
    const char *name;
    sot_field_kind kind;
    size_t offset;
    const char *(*word)(int value); /* of SOT_FIELD_WORD */
    sot_field_use use;
} sot_field;

/* A row of a table: the member `place` of `type`, under the name `key`. */
#define SOT_FIELD_FOR(for_use, type, key, place, of_kind, words)                         \
    {                                                                                    \
        .name = key, .kind = of_kind, .offset = offsetof(type, place), .word = words,    \
        .use = for_use                                                                   \
    }
#define SOT_FIELD(...) SOT_FIELD_FOR(SOT_FIELD_EVERYWHERE, __VA_ARGS__)

/* Writes the settings of `config` that differ from `defaults`. */
void sot_fields_write(const sot_field *fields, size_t count, const void *config,
                      const void *defaults, sot_json_writer *writer);
/* Reads the members that are there into `config`. Members that no table knows are for the comparison to refuse. */
SOTTO_MUST_CHECK sotto_status sot_fields_read(const sot_field *fields, size_t count,
                                              const sot_json_value *request, void *config,
                                              sotto_error *error);

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

/* ---- commands/train/request_train.c ---- */

/* Writes the settings of a training that decide a number, for the hash. */
void sot_request_hash_training(const sotto_train_config *config, sot_json_writer *writer);
/* Writes and reads the settings that decide the plan of a training or the text of its file. */
void sot_request_write_training(const sotto_train_config *config,
                                sot_json_writer *writer);
SOTTO_MUST_CHECK sotto_status sot_request_read_training(const sot_json_value *request,
                                                        sotto_train_config *config,
                                                        sotto_error *error);

#endif
