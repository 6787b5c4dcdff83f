/* commands/session/asked.h: which runs are the same one.
 *
 * Idea      Two commands ask for the same run if they have the same settings, schema, names of data files, table, condition and query. All of
 *           these are public. What the rows hold, how many there are and when their file was written is never looked at:
 *           a hash of it would tell whether somebody's row is among them.
 * Use       A run that was ended goes on when the same is asked for (commands/session/checkpoint.h). One that was finished with the same
 *           output is not charged again: the row of its charge has the hash of all this (commands/session/session.h).
 */
#ifndef SOT_COMMANDS_SESSION_ASKED_H
#define SOT_COMMANDS_SESSION_ASKED_H

#include "base/json/writer.h"
#include "commands/session/checkpoint_file.h"

struct sot_session;

/* Members of an object that is hashed. Any bytes are fine: paths need not be UTF-8. */
void sot_asked_number(sot_json_writer *writer, const char *key, double value);
void sot_asked_count(sot_json_writer *writer, const char *key, uint64_t value);
void sot_asked_text(sot_json_writer *writer, const char *key, const char *text);

/* A file by its place: the spelling of the path does not matter. NULL: none. */
SOTTO_MUST_CHECK sotto_status sot_asked_path(sot_json_writer *writer, const char *key,
                                             const char *path, sotto_error *error);

/* A file that settings name, public as they are: its name and what is in it. A name that is no file, as that of a preset,
 * stands for itself. */
SOTTO_MUST_CHECK sotto_status sot_asked_file(sot_json_writer *writer, const char *key,
                                             const char *path, sotto_error *error);

/* The hash of the text, unless `status` is a failure; frees the writer. */
SOTTO_MUST_CHECK sotto_status sot_asked_finish(sot_json_writer *writer,
                                               sotto_status status,
                                               char out_hash[SOTTO_HASH_HEX_BYTES],
                                               sotto_error *error);

/* Settings as one text of JSON and the public files they name; NULL among these is fine. */
SOTTO_MUST_CHECK sotto_status sot_asked_settings(const char *json,
                                                 const char *const *files, size_t count,
                                                 char out_hash[SOTTO_HASH_HEX_BYTES],
                                                 sotto_error *error);

/* Fills session->identity and session->asked from the session and the hash of its settings. */
SOTTO_MUST_CHECK sotto_status
sot_asked_identify(struct sot_session *session, const char settings[SOTTO_HASH_HEX_BYTES],
                   sotto_error *error);

#endif
