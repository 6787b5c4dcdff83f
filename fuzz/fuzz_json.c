/* Any bytes: base/json/json.h refuses them in one line, or reads what Jansson reads.
 *
 * What is read is written by base/json/writer.h and read again, and must be the same. */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "require.h"

enum { SIZE_MAX_BYTES = 1 << 20 };

/* Every conversion of the wrong kind is refused, in one line. */
static void try_conversions(const sot_json_value *value)
{
    static const char *const known_keys[] = {"events", "noise_multiplier", "", NULL};
    const sot_json_kind kind = sot_json_kind_of(value);
    sotto_error error = {SOTTO_OK, ""};
    double real;
    int64_t integer;
    bool truth;
    const char *text;
    sot_json_value member;
    const bool is_number = kind == SOT_JSON_INTEGER || kind == SOT_JSON_REAL;
    require((sot_json_as_double(value, &real, &error) == SOTTO_OK) == is_number);
    require(!is_number || isfinite(real));
    require((sot_json_as_bool(value, &truth, &error) == SOTTO_OK) ==
            (kind == SOT_JSON_BOOLEAN));
    require((sot_json_as_string(value, &text, &error) == SOTTO_OK) ==
            (kind == SOT_JSON_STRING));
    require((sot_json_as_object(value, &error) == SOTTO_OK) == (kind == SOT_JSON_OBJECT));
    require((sot_json_as_array(value, &error) == SOTTO_OK) == (kind == SOT_JSON_ARRAY));
    if (sot_json_as_int64(value, &integer, &error) == SOTTO_OK)
        require(is_number && (double)integer == real);
    (void)!sot_json_get_object(value, "events", &member, &error);
    (void)!sot_json_only_keys(value, known_keys, &error);
    require(strchr(error.message, '\n') == NULL);
}

static void copy(const sot_json_value *value, sot_json_writer *writer);

static void copy_children(const sot_json_value *value, sot_json_writer *writer)
{
    sot_json_value member, found;
    for (bool more = sot_json_first_member(value, &member); more;
         more = sot_json_next_member(&member)) {
        const char *const key = sot_json_key_of(&member);
        require(sot_json_member(value, key, &found) && found.node == member.node);
        sot_json_key(writer, key);
        copy(&member, writer);
    }
    for (size_t i = 0;
         sot_json_kind_of(value) == SOT_JSON_ARRAY && i < sot_json_size(value); i++) {
        const sot_json_value item = sot_json_item(value, i);
        copy(&item, writer);
    }
}

static void copy(const sot_json_value *value, sot_json_writer *writer)
{
    double real;
    int64_t integer;
    bool truth;
    const char *text;
    try_conversions(value);
    switch (sot_json_kind_of(value)) {
    case SOT_JSON_OBJECT:
        sot_json_begin_object(writer);
        copy_children(value, writer);
        sot_json_end_object(writer);
        return;
    case SOT_JSON_ARRAY:
        sot_json_begin_array(writer);
        copy_children(value, writer);
        sot_json_end_array(writer);
        return;
    case SOT_JSON_STRING:
        require(sot_json_as_string(value, &text, NULL) == SOTTO_OK);
        sot_json_write_string(writer, text);
        return;
    case SOT_JSON_INTEGER:
        require(sot_json_as_int64(value, &integer, NULL) == SOTTO_OK);
        sot_json_write_int64(writer, integer);
        return;
    case SOT_JSON_REAL:
        require(sot_json_as_double(value, &real, NULL) == SOTTO_OK);
        sot_json_write_double(writer, real);
        return;
    case SOT_JSON_BOOLEAN:
        require(sot_json_as_bool(value, &truth, NULL) == SOTTO_OK);
        sot_json_write_bool(writer, truth);
        return;
    case SOT_JSON_NULL:
        sot_json_write_null(writer);
        return;
    }
    require(false); /* every kind is above */
}

/* The document as text; the writer owns it. */
static sot_json_writer *write_document(const sot_json *document, bool indented,
                                       const char **out_text, size_t *out_size)
{
    const sot_json_value root = sot_json_root(document);
    sot_json_writer *writer = NULL;
    require(sot_json_writer_new(indented, &writer, NULL) == SOTTO_OK);
    copy(&root, writer);
    require(sot_json_writer_finish(writer, out_text, out_size, NULL) == SOTTO_OK);
    return writer;
}

/* Written and read again, the document is the same to the last bit of every number. */
static void check_round_trip(const sot_json *document)
{
    const char *plain, *indented, *again;
    size_t plain_size, indented_size, again_size;
    sot_json *back = NULL;
    sot_json_writer *first = write_document(document, false, &plain, &plain_size);
    sot_json_writer *second = write_document(document, true, &indented, &indented_size);
    require(sot_json_parse("copy", indented, indented_size, indented_size, &back, NULL) ==
            SOTTO_OK);
    sot_json_writer *third = write_document(back, false, &again, &again_size);
    require(plain_size == again_size && memcmp(plain, again, plain_size) == 0);
    sot_json_free(back);
    sot_json_writer_free(first);
    sot_json_writer_free(second);
    sot_json_writer_free(third);
}

static void check_equal(const sot_json_value *ours, const json_t *theirs);

static void check_equal_children(const sot_json_value *ours, const json_t *theirs)
{
    sot_json_value member;
    const bool is_object = json_is_object(theirs);
    require(sot_json_size(ours) ==
            (is_object ? json_object_size(theirs) : json_array_size(theirs)));
    for (bool more = sot_json_first_member(ours, &member); more;
         more = sot_json_next_member(&member))
        check_equal(&member, json_object_get(theirs, sot_json_key_of(&member)));
    for (size_t i = 0; !is_object && i < sot_json_size(ours); i++) {
        const sot_json_value item = sot_json_item(ours, i);
        check_equal(&item, json_array_get(theirs, i));
    }
}

static void check_equal(const sot_json_value *ours, const json_t *theirs)
{
    double real, their_real;
    int64_t integer;
    bool truth;
    const char *text;
    require(theirs != NULL);
    switch (json_typeof(theirs)) {
    case JSON_OBJECT:
        require(sot_json_kind_of(ours) == SOT_JSON_OBJECT);
        check_equal_children(ours, theirs);
        return;
    case JSON_ARRAY:
        require(sot_json_kind_of(ours) == SOT_JSON_ARRAY);
        check_equal_children(ours, theirs);
        return;
    case JSON_STRING:
        require(sot_json_as_string(ours, &text, NULL) == SOTTO_OK);
        require(strcmp(text, json_string_value(theirs)) == 0);
        return;
    case JSON_INTEGER:
        require(sot_json_kind_of(ours) == SOT_JSON_INTEGER);
        require(sot_json_as_int64(ours, &integer, NULL) == SOTTO_OK);
        require(integer == json_integer_value(theirs));
        return;
    case JSON_REAL:
        require(sot_json_kind_of(ours) == SOT_JSON_REAL);
        require(sot_json_as_double(ours, &real, NULL) == SOTTO_OK);
        their_real = json_real_value(theirs);
        require(memcmp(&real, &their_real, sizeof real) == 0);
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        require(sot_json_as_bool(ours, &truth, NULL) == SOTTO_OK);
        require(truth == json_is_true(theirs));
        return;
    case JSON_NULL:
        require(sot_json_kind_of(ours) == SOT_JSON_NULL);
        return;
    }
    require(false); /* every type is above */
}

/* Where we are stricter than Jansson on purpose. */
static bool is_stricter(const char *message)
{
    return strstr(message, "distinguish from zero") != NULL ||
           strstr(message, "deeper than 32") != NULL ||
           strstr(message, "more than 2048 bytes") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_error error;
    json_error_t their_error;
    sot_json *document = NULL;
    const char *const text = (const char *)data;
    json_t *theirs = json_loadb(text, size, JSON_REJECT_DUPLICATES, &their_error);
    const sotto_status status =
        sot_json_parse("fuzz", text, size, SIZE_MAX_BYTES, &document, &error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        require(theirs != NULL);
        check_equal(&root, theirs);
        check_round_trip(document);
    } else {
        require(status == SOTTO_PARSE);
        require(document == NULL);
        require(strchr(error.message, '\n') == NULL);
        /* Jansson 2.14 swallows a NUL byte behind a number. */
        const bool has_nul = size > 0 && memchr(data, '\0', size) != NULL;
        require(theirs == NULL || is_stricter(error.message) || has_nul);
    }
    sot_json_free(document);
    json_decref(theirs);
    return 0;
}
