/* base/json/writer.h: writing JSON, member by member.
 *
 * Members appear in the order of the calls. Doubles are the shortest decimal that reads
 * back as the same bits, in every locale. So the same calls give the same bytes. After an
 * error later calls do nothing, and sot_json_writer_finish() reports the first one.
 *
 *     sot_json_begin_object(writer);
 *     sot_json_put_double(writer, "epsilon", 1.5);
 *     sot_json_end_object(writer);
 */
#ifndef SOT_BASE_JSON_WRITER_H
#define SOT_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_json_writer sot_json_writer;

/* `indented`: a member a line, for files people read; otherwise one line without blanks. */
SOTTO_MUST_CHECK sotto_status sot_json_writer_new(bool indented,
                                                  sot_json_writer **out_writer,
                                                  sotto_error *error);
/* On one line with blanks behind commas and colons, numbers as people type them ("1e-05",
 * "10.0"): the answers of the command. Before the first value. */
void sot_json_writer_space(sot_json_writer *writer);
void sot_json_writer_indent(sot_json_writer *writer); /* and back */

/* An error of the caller's own, reported like those of the calls. */
void sot_json_writer_fail(sot_json_writer *writer, const sotto_error *error);
void sot_json_writer_free(sot_json_writer *writer); /* NULL is fine */

void sot_json_begin_object(sot_json_writer *writer);
void sot_json_end_object(sot_json_writer *writer);
void sot_json_begin_array(sot_json_writer *writer);
void sot_json_end_array(sot_json_writer *writer);
void sot_json_end(sot_json_writer *writer); /* the one begun last */

/* The name of the next value; in objects only, once before each value. The caller makes sure
 * that no name comes twice. */
void sot_json_key(sot_json_writer *writer, const char *key);

/* Write values. Refused: a double that is not finite (JSON has none: write null, and
 * define its meaning in the format), a string that is not UTF-8. */
void sot_json_write_double(sot_json_writer *writer, double value);
void sot_json_write_hex(sot_json_writer *writer, double value); /* "0x1.8p+0", a string */
void sot_json_write_int64(sot_json_writer *writer, int64_t value);
void sot_json_write_bool(sot_json_writer *writer, bool value);
void sot_json_write_string(sot_json_writer *writer, const char *text);
void sot_json_write_null(sot_json_writer *writer);

/* Write a member, name and value. A text that is NULL and a number that is NaN are unset, and
 * left out. Where a format requires the member, a number that is not finite is null. */
void sot_json_put_text(sot_json_writer *writer, const char *key, const char *text);
void sot_json_put_number(sot_json_writer *writer, const char *key, double value);
void sot_json_put_number_or_null(sot_json_writer *writer, const char *key, double value);
void sot_json_put_whole(sot_json_writer *writer, const char *key, uint64_t value);

/* Write a member as sot_json_write_double() and its companions write a value. */
void sot_json_put_double(sot_json_writer *writer, const char *key, double value);
void sot_json_put_int64(sot_json_writer *writer, const char *key, int64_t value);
void sot_json_put_bool(sot_json_writer *writer, const char *key, bool value);

/* Begin a member that is an array or an object. */
void sot_json_open_array(sot_json_writer *writer, const char *key);
void sot_json_open_object(sot_json_writer *writer, const char *key);

/* The finished text, NUL-terminated and with a final newline; it lives as long as the writer.
 * SOTTO_INVALID_ARGUMENT for a refused value, SOTTO_INTERNAL for calls that do not nest. */
SOTTO_MUST_CHECK sotto_status sot_json_writer_finish(sot_json_writer *writer,
                                                     const char **out_text,
                                                     size_t *out_size_bytes,
                                                     sotto_error *error);

/* Finishes, copies the text and frees the writer. Frees it too if `status` is an error, and returns that. */
SOTTO_MUST_CHECK sotto_status sot_json_writer_take(sot_json_writer *writer,
                                                   sotto_status status, char **out_text,
                                                   sotto_error *error);

#endif
