/* The public door to base/json/json.h and base/json/writer.h. */
#include <sotto/json.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json/canonical.h"
#include "base/json/tree.h"

_Static_assert((int)SOTTO_JSON_NULL == (int)SOT_JSON_NULL, "one list of kinds");

sotto_json_writer *sotto_json_new(void)
{
    sot_json_writer *writer = NULL;
    if (sot_json_writer_new(false, &writer, NULL) != SOTTO_OK) return NULL;
    sot_json_writer_space(writer);
    sot_json_begin_object(writer);
    return writer;
}

void sotto_json_indent(sotto_json_writer *writer)
{
    if (writer != NULL) sot_json_writer_indent(writer);
}

void sotto_json_writer_free(sotto_json_writer *writer)
{
    sot_json_writer_free(writer);
}

/* Writes the name of the next value; false where there is no writer. */
static bool named(sot_json_writer *writer, const char *key)
{
    if (writer != NULL && key != NULL) sot_json_key(writer, key);
    return writer != NULL;
}

void sotto_json_object(sotto_json_writer *writer, const char *key)
{
    if (named(writer, key)) sot_json_begin_object(writer);
}

void sotto_json_array(sotto_json_writer *writer, const char *key)
{
    if (named(writer, key)) sot_json_begin_array(writer);
}

void sotto_json_end(sotto_json_writer *writer)
{
    if (writer != NULL) sot_json_end(writer);
}

void sotto_json_number(sotto_json_writer *writer, const char *key, double value)
{
    if (!isnan(value) && named(writer, key)) sot_json_write_double(writer, value);
}

void sotto_json_text(sotto_json_writer *writer, const char *key, const char *value)
{
    if (value != NULL && named(writer, key)) sot_json_write_string(writer, value);
}

void sotto_json_count(sotto_json_writer *writer, const char *key, uint64_t value)
{
    if (named(writer, key)) sot_json_write_int64(writer, (int64_t)value);
}

void sotto_json_flag(sotto_json_writer *writer, const char *key, bool value)
{
    if (named(writer, key)) sot_json_write_bool(writer, value);
}

void sotto_json_null(sotto_json_writer *writer, const char *key)
{
    if (named(writer, key)) sot_json_write_null(writer);
}

void sotto_json_copy(sotto_json_writer *writer, const char *key,
                     const sotto_json_value *value)
{
    if (value == NULL || !named(writer, key)) return;
    sot_json_copy(writer, &(sot_json_value){.node = value}, false, NULL);
}

void sotto_json_embed(sotto_json_writer *writer, const char *key, const char *text)
{
    sot_json *document = NULL;
    sotto_error error;
    if (sot_json_parse(key, text, strlen(text), SIZE_MAX, &document, &error) ==
        SOTTO_OK) {
        sotto_json_copy(writer, key, sotto_json_root(document));
    } else if (writer != NULL) {
        sot_json_writer_fail(writer, &error);
    }
    sot_json_free(document);
}

sotto_status sotto_json_finish(sotto_json_writer *writer, const char **out_text,
                               sotto_error *error)
{
    size_t size_bytes;
    if (writer == NULL)
        return sot_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the answer");
    sot_json_end_object(writer);
    return sot_json_writer_finish(writer, out_text, &size_bytes, error);
}

sotto_status sotto_json_parse(const char *name, const char *text, size_t size_bytes,
                              sotto_json **out_document, sotto_error *error)
{
    return sot_json_parse(name, text, size_bytes, size_bytes, out_document, error);
}

void sotto_json_free(sotto_json *document)
{
    sot_json_free(document);
}

const sotto_json_value *sotto_json_root(const sotto_json *document)
{
    return document != NULL ? &document->root : NULL;
}

const sotto_json_value *sotto_json_member(const sotto_json_value *object, const char *key)
{
    sot_json_value found;
    if (object == NULL ||
        !sot_json_member(&(sot_json_value){.node = object}, key, &found))
        return NULL;
    return found.node;
}

const sotto_json_value *sotto_json_item(const sotto_json_value *value, size_t index)
{
    return index < sotto_json_size(value) ? &value->is.children[index] : NULL;
}

sotto_json_kind sotto_json_kind_of(const sotto_json_value *value)
{
    return value != NULL ? (sotto_json_kind)value->kind : SOTTO_JSON_NULL;
}

size_t sotto_json_size(const sotto_json_value *value)
{
    return value != NULL ? value->child_count : 0;
}

const char *sotto_json_key_of(const sotto_json_value *value)
{
    return value != NULL ? value->key : NULL;
}

const char *sotto_json_as_text(const sotto_json_value *value)
{
    return sotto_json_kind_of(value) == SOTTO_JSON_STRING ? value->is.text : NULL;
}

double sotto_json_as_number(const sotto_json_value *value)
{
    const sotto_json_kind kind = sotto_json_kind_of(value);
    if (kind == SOTTO_JSON_INTEGER) return (double)value->is.integer;
    return kind == SOTTO_JSON_REAL ? value->is.real : (double)NAN;
}
