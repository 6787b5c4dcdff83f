/* base/json/json.h: reads settings, schema, plan and model files.
 *
 * Idea: the parser accepts RFC 8259 without ambiguous texts: no duplicate keys, nothing after the
 * value, at most 32 levels, no NUL in a string. Numbers must fit their type (1e400 and 1e-400 do
 * not). Every refusal is one line with the place: a line of the text, or a path such as
 * events[3].rate.
 *
 * Use: parse, take the root, descend by members and items, convert. A value refers to the value
 * it was reached from, for the path, so that one must still exist:
 *
 *     sot_json_value root = sot_json_root(document), events, event;
 *     status = sot_json_get_array(&root, "events", &events, error);
 *     ... for each i < sot_json_size(&events)
 *         event = sot_json_item(&events, i);
 *         status = sot_json_get_double(&event, "rate", &rate, error);
 *
 * Jansson is not used: version 2.14 drops bytes of long tokens if memory runs out and then
 * succeeds (1.2345678901234567 became ...669). It also aborts where the locale's decimal point
 * has two bytes. A misread noise scale breaks the guarantee. Jansson remains the reference:
 * fuzz/fuzz_json.c compares the two.
 *
 * Privacy: messages quote the text. Not for records.
 */
#ifndef SOT_BASE_JSON_JSON_H
#define SOT_BASE_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

enum { SOT_JSON_DEPTH_MAX = 32 };

typedef struct sot_json sot_json;

/* Parses the whole text, an object or an array. `name` (a file name; NULL for none) starts
 * every message and is copied. Refusals are SOTTO_PARSE. Free with sot_json_free(). */
SOTTO_MUST_CHECK sotto_status sot_json_parse(const char *name, const char *text,
                                             size_t size_bytes, size_t size_max_bytes,
                                             sot_json **out_document, sotto_error *error);
void sot_json_free(sot_json *document); /* NULL is fine */

typedef enum sot_json_kind {
    SOT_JSON_OBJECT = 0,
    SOT_JSON_ARRAY = 1,
    SOT_JSON_STRING = 2,
    SOT_JSON_INTEGER = 3,
    SOT_JSON_REAL = 4,
    SOT_JSON_BOOLEAN = 5,
    SOT_JSON_NULL = 6
} sot_json_kind;

/* A place in a document. Copy it freely; the document and `parent` must outlive it. */
typedef struct sot_json_value {
    const sot_json *document;
    const struct sot_json_value *parent; /* NULL at the root */
    const struct sot_json_node *node;
    size_t index; /* its place in the parent */
} sot_json_value;

sot_json_value sot_json_root(const sot_json *document);
sot_json_kind sot_json_kind_of(const sot_json_value *value);

/* Number of members or items; 0 for anything but an object or array. */
size_t sot_json_size(const sot_json_value *value);

/* The item of an array; `index` must be below sot_json_size(). */
sot_json_value sot_json_item(const sot_json_value *array, size_t index);

/* The member of an object, if it is there. */
bool sot_json_member(const sot_json_value *object, const char *key,
                     sot_json_value *out_member);

/* The members one after another, in the order of the text; false when there is no more. */
bool sot_json_first_member(const sot_json_value *object, sot_json_value *out_member);
bool sot_json_next_member(sot_json_value *member);

/* The name of a member; NULL for an item and the root. */
const char *sot_json_key_of(const sot_json_value *value);

/* Conversions. A refusal says `events[3].rate is "abc"; give a number`. Integers convert to
 * the nearest double. Reals convert to an integer when they are whole and below 2^53, so
 * that 1e6 is a count. A string with a NUL in it does not parse, so C strings are whole;
 * they live as long as the document. */
SOTTO_MUST_CHECK sotto_status sot_json_as_double(const sot_json_value *value,
                                                 double *out_number, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_as_int64(const sot_json_value *value,
                                                int64_t *out_number, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_as_bool(const sot_json_value *value,
                                               bool *out_truth, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_as_string(const sot_json_value *value,
                                                 const char **out_text,
                                                 sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_as_object(const sot_json_value *value,
                                                 sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_as_array(const sot_json_value *value,
                                                sotto_error *error);

/* The same for a member that must be there. For one that may be absent, ask
 * sot_json_member() first. `object` must be an object. */
SOTTO_MUST_CHECK sotto_status sot_json_get_double(const sot_json_value *object,
                                                  const char *key, double *out_number,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_get_int64(const sot_json_value *object,
                                                 const char *key, int64_t *out_number,
                                                 sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_get_bool(const sot_json_value *object,
                                                const char *key, bool *out_truth,
                                                sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_get_string(const sot_json_value *object,
                                                  const char *key, const char **out_text,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_get_object(const sot_json_value *object,
                                                  const char *key,
                                                  sot_json_value *out_member,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_json_get_array(const sot_json_value *object,
                                                 const char *key,
                                                 sot_json_value *out_member,
                                                 sotto_error *error);

/* Refuses the first key of `object` that is not in the list (NULL ends it), and suggests the
 * one that was probably meant. */
SOTTO_MUST_CHECK sotto_status sot_json_only_keys(const sot_json_value *object,
                                                 const char *const *known_keys,
                                                 sotto_error *error);

/* For refusals of the caller's own: `SOTTO_PARSE`, "<path> is <value>; <remedy>". */
sotto_status sot_json_refuse(const sot_json_value *value, const char *remedy,
                             sotto_error *error);

#endif
