/* sotto/json.h: write and read JSON as the command does: one writer and one reader for all.
 *
 * Writing  One line. Members appear in the order of the calls. A number is the shortest decimal
 *          that reads back as the same double. An error sticks, and sotto_json_finish() reports
 *          it, so that the calls before need no check; a writer that is NULL is out of memory.
 *
 *              sotto_json_writer *writer = sotto_json_new();
 *              sotto_json_number(writer, "epsilon", 1.5);
 *              sotto_json_array(writer, "labels");
 *              sotto_json_text(writer, NULL, "yes");
 *              sotto_json_end(writer);
 *              status = sotto_json_finish(writer, &text, error);
 *              sotto_json_writer_free(writer);
 *
 * Reading  RFC 8259 without duplicate keys, at most 32 levels. A value lives as long as its
 *          document. Each function takes NULL for a value that is not there.
 */
#ifndef SOTTO_JSON_H
#define SOTTO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_NUMBER_BYTES = 32 };

/* Writes the fewest digits that read back as `value`, the same in every locale. Scientific below
 * 1e-4, and for whole numbers with more than `plain_digits` digits that end in zeros. Returns
 * `out`. */
SOTTO_API const char *sotto_number_shortest(double value, int plain_digits,
                                            char out[SOTTO_NUMBER_BYTES]);

/* At most `digits` significant digits (1 to 17), rounded up or down. `value` is finite. */
SOTTO_API const char *sotto_number_rounded(double value, int digits, bool up,
                                           char out[SOTTO_NUMBER_BYTES]);

typedef struct sot_json_writer sotto_json_writer;

/* Begins an object; NULL when memory runs out. */
SOTTO_API sotto_json_writer *sotto_json_new(void);
SOTTO_API void
sotto_json_indent(sotto_json_writer *writer); /* from here on a member a line */
SOTTO_API void sotto_json_writer_free(sotto_json_writer *writer); /* NULL is fine */

/* Begins an object or an array; sotto_json_end() ends the one begun last. `key` names the value
 * in an object, and is NULL in an array, here and below. */
SOTTO_API void sotto_json_object(sotto_json_writer *writer, const char *key);
SOTTO_API void sotto_json_array(sotto_json_writer *writer, const char *key);
SOTTO_API void sotto_json_end(sotto_json_writer *writer);

/* A NaN ("no such number") and a NULL text add nothing; an infinity is an error. */
SOTTO_API void sotto_json_number(sotto_json_writer *writer, const char *key,
                                 double value);
SOTTO_API void sotto_json_text(sotto_json_writer *writer, const char *key,
                               const char *value);
SOTTO_API void sotto_json_count(sotto_json_writer *writer, const char *key,
                                uint64_t value);
SOTTO_API void sotto_json_flag(sotto_json_writer *writer, const char *key, bool value);
SOTTO_API void sotto_json_null(sotto_json_writer *writer, const char *key);

/* Ends the first object. The text, a newline at its end, lives as long as the writer. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_json_finish(sotto_json_writer *writer,
                                                          const char **out_text,
                                                          sotto_error *error);

typedef enum sotto_json_kind {
    SOTTO_JSON_OBJECT = 0,
    SOTTO_JSON_ARRAY = 1,
    SOTTO_JSON_STRING = 2,
    SOTTO_JSON_INTEGER = 3,
    SOTTO_JSON_REAL = 4,
    SOTTO_JSON_BOOLEAN = 5,
    SOTTO_JSON_NULL = 6
} sotto_json_kind;

typedef struct sot_json sotto_json;            /* a document */
typedef struct sot_json_node sotto_json_value; /* a place in it */

/* Parses an object or an array. `name` (a file name; NULL for none) starts every message. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_json_parse(const char *name,
                                                         const char *text,
                                                         size_t size_bytes,
                                                         sotto_json **out_document,
                                                         sotto_error *error);
SOTTO_API void sotto_json_free(sotto_json *document); /* NULL is fine */

/* NULL for no document, no such member and no such item. The items of an object are its
 * members, in the order of the text. */
SOTTO_API const sotto_json_value *sotto_json_root(const sotto_json *document);
SOTTO_API const sotto_json_value *sotto_json_member(const sotto_json_value *object,
                                                    const char *key);
SOTTO_API const sotto_json_value *sotto_json_item(const sotto_json_value *value,
                                                  size_t index);

/* Return the kind of a value (null if there is none), its number of items, its name in an object,
 * its text, its number. NULL or NaN if there is none. */
SOTTO_API sotto_json_kind sotto_json_kind_of(const sotto_json_value *value);
SOTTO_API size_t sotto_json_size(const sotto_json_value *value);
SOTTO_API const char *sotto_json_key_of(const sotto_json_value *value);
SOTTO_API const char *sotto_json_as_text(const sotto_json_value *value);
SOTTO_API double sotto_json_as_number(const sotto_json_value *value);

/* Writes a value that was read, where NULL adds nothing; or a text, an object or an array. */
SOTTO_API void sotto_json_copy(sotto_json_writer *writer, const char *key,
                               const sotto_json_value *value);
SOTTO_API void sotto_json_embed(sotto_json_writer *writer, const char *key,
                                const char *text);

#ifdef __cplusplus
}
#endif

#endif
