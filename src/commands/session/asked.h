/* commands/session/asked.h: the identity of a run.
 *
 * Idea: two commands ask for the same run if they have the same settings, schema, names of data
 * files, table, condition and query. All of these are public. The content, number and time of the
 * rows are never used: a hash of them would reveal whether a certain row is among them.
 *
 * Use: a stopped run resumes when the same is asked for (commands/session/checkpoint.h). A run
 * finished with the same output is not charged again: the row of its charge has the hash of all
 * this (commands/session/session.h).
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

/* Writes a file that settings name, which is public like them: its name and content. A name that
 * is no file, like that of a preset, stands for itself. */
SOTTO_MUST_CHECK sotto_status sot_asked_file(sot_json_writer *writer, const char *key,
                                             const char *path, sotto_error *error);

/* The hash of the text, unless `status` is a failure; frees the writer. */
SOTTO_MUST_CHECK sotto_status sot_asked_finish(sot_json_writer *writer,
                                               sotto_status status,
                                               char out_hash[SOTTO_HASH_HEX_BYTES],
                                               sotto_error *error);

/* Fills session->identity and session->asked from the session and the hash of its settings. */
SOTTO_MUST_CHECK sotto_status
sot_asked_identify(struct sot_session *session, const char settings[SOTTO_HASH_HEX_BYTES],
                   sotto_error *error);

#endif
