#include "base/json/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/json/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

/* An open object or array. */
typedef struct level {
    bool is_object;
    bool has_key;        /* an object whose next call must be a value */
    bool ends_on_a_line; /* indented: its closing bracket gets a line of its own */
    size_t count;        /* values so far */
} level;

struct sot_json_writer {
    char *text;
    size_t size_bytes, capacity_bytes;
    level levels[SOT_JSON_DEPTH_MAX];
    size_t depth;
    bool indented;
    bool spaced;        /* on one line, with blanks behind commas and colons */
    bool complete;      /* the one top value has ended */
    sotto_error sticky; /* status SOTTO_OK while all is well */
};

sotto_status sot_json_writer_new(bool indented, sot_json_writer **out_writer,
                                 sotto_error *error)
{
    sot_json_writer *writer = sot_new_array(1, sizeof *writer);
    if (writer == NULL) return sot_fail_memory(error, 1, sizeof *writer);
    writer->indented = indented;
    *out_writer = writer;
    return SOTTO_OK;
}

void sot_json_writer_space(sot_json_writer *writer)
{
    writer->spaced = true;
}

void sot_json_writer_indent(sot_json_writer *writer)
{
    writer->indented = true;
    writer->spaced = false;
}

void sot_json_writer_fail(sot_json_writer *writer, const sotto_error *error)
{
    if (writer->sticky.status == SOTTO_OK) writer->sticky = *error;
}

void sot_json_writer_free(sot_json_writer *writer)
{
    if (writer == NULL) return;
    sot_free(writer->text);
    sot_free(writer);
}

static bool is_well(const sot_json_writer *writer)
{
    return writer->sticky.status == SOTTO_OK;
}

static void misuse(sot_json_writer *writer, const char *what)
{
    if (!is_well(writer)) return;
    (void)sot_fail(&writer->sticky, SOTTO_INTERNAL, "JSON writer: %s", what);
}

static bool grow(sot_json_writer *writer, size_t more_bytes)
{
    size_t needed, doubled;
    if (!sot_size_add(writer->size_bytes, more_bytes, &needed) ||
        !sot_size_mul(needed, 2, &doubled)) {
        (void)sot_fail_memory(&writer->sticky, more_bytes, 1);
        return false;
    }
    char *grown = sot_resize_array(writer->text, writer->capacity_bytes, doubled, 1);
    if (grown == NULL) {
        (void)sot_fail_memory(&writer->sticky, doubled, 1);
        return false;
    }
    writer->text = grown;
    writer->capacity_bytes = doubled;
    return true;
}

static void append(sot_json_writer *writer, const char *bytes, size_t size_bytes)
{
    if (!is_well(writer)) return;
    if (size_bytes > writer->capacity_bytes - writer->size_bytes &&
        !grow(writer, size_bytes))
        return;
    memcpy(writer->text + writer->size_bytes, bytes, size_bytes);
    writer->size_bytes += size_bytes;
}

static void append_text(sot_json_writer *writer, const char *text)
{
    append(writer, text, strlen(text));
}

static void new_line(sot_json_writer *writer)
{
    if (!writer->indented) return;
    append_text(writer, "\n");
    for (size_t i = 0; i < writer->depth; i++)
        append_text(writer, "  ");
}

/* A control character: \\u001f, or in answers as C does. Answers leave DEL as it is. */
static void append_escaped(sot_json_writer *writer, char c)
{
    static const char codes[] = "\b\f\n\r\t", names[] = "bfnrt";
    const char *const found = strchr(codes, c);
    char escaped[sizeof "\\u0000"];
    if (c == '"' || c == '\\') {
        (void)snprintf(escaped, sizeof escaped, "\\%c", c);
    } else if (writer->spaced && found != NULL) {
        (void)snprintf(escaped, sizeof escaped, "\\%c", names[found - codes]);
    } else {
        (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)c);
    }
    append_text(writer, escaped);
}

static void append_quoted(sot_json_writer *writer, const char *text)
{
    const char *const end = text + strlen(text);
    append_text(writer, "\"");
    for (size_t length; text < end && is_well(writer); text += length) {
        length = sot_utf8_length(text, (size_t)(end - text));
        if (length == 0) {
            (void)sot_fail(&writer->sticky, SOTTO_INVALID_ARGUMENT,
                           "a text for a JSON file is not valid UTF-8; convert it");
        } else if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20 ||
                   (*text == 0x7F && !writer->spaced)) {
            append_escaped(writer, *text);
        } else {
            append(writer, text, length);
        }
    }
    append_text(writer, "\"");
}

/* Everything that goes before a value: checks that one may stand here, comma, line. */
static void before_value(sot_json_writer *writer, bool is_container)
{
    if (writer->depth == 0) {
        if (writer->complete) misuse(writer, "a second value at the top level");
        writer->complete = !is_container;
        return;
    }
    level *here = &writer->levels[writer->depth - 1];
    if (here->is_object) {
        if (!here->has_key) misuse(writer, "a member without a key");
        here->has_key = false;
        return; /* sot_json_key() wrote the comma */
    }
    if (here->count > 0) append_text(writer, writer->spaced ? ", " : ",");
    here->count++;
    here->ends_on_a_line = is_container;
    if (is_container) {
        new_line(writer);
    } else if (here->count > 1 && writer->indented) {
        append_text(writer, " ");
    }
}

static void begin(sot_json_writer *writer, bool is_object)
{
    if (!is_well(writer)) return;
    before_value(writer, true);
    if (writer->depth == SOT_JSON_DEPTH_MAX) {
        misuse(writer, "nested too deep");
        return;
    }
    append_text(writer, is_object ? "{" : "[");
    writer->levels[writer->depth++] = (level){.is_object = is_object};
}

static void end(sot_json_writer *writer, bool is_object)
{
    if (!is_well(writer)) return;
    if (writer->depth == 0 || writer->levels[writer->depth - 1].is_object != is_object) {
        misuse(writer, "an end without its beginning");
        return;
    }
    const level ended = writer->levels[writer->depth - 1];
    if (ended.has_key) misuse(writer, "a key without a value");
    writer->depth--;
    if (ended.ends_on_a_line) new_line(writer);
    append_text(writer, is_object ? "}" : "]");
    writer->complete = writer->depth == 0;
}

void sot_json_begin_object(sot_json_writer *writer)
{
    begin(writer, true);
}

void sot_json_end_object(sot_json_writer *writer)
{
    end(writer, true);
}

void sot_json_end(sot_json_writer *writer)
{
    end(writer, writer->depth > 0 && writer->levels[writer->depth - 1].is_object);
}

void sot_json_begin_array(sot_json_writer *writer)
{
    begin(writer, false);
}

void sot_json_end_array(sot_json_writer *writer)
{
    end(writer, false);
}

void sot_json_key(sot_json_writer *writer, const char *key)
{
    if (!is_well(writer)) return;
    level *here = writer->depth > 0 ? &writer->levels[writer->depth - 1] : NULL;
    if (here == NULL || !here->is_object || here->has_key) {
        misuse(writer, "a key where none may stand");
        return;
    }
    if (here->count > 0) append_text(writer, writer->spaced ? ", " : ",");
    here->count++;
    here->has_key = true;
    here->ends_on_a_line = true;
    new_line(writer);
    append_quoted(writer, key);
    append_text(writer, writer->indented || writer->spaced ? ": " : ":");
}

static void write_plain(sot_json_writer *writer, const char *text)
{
    if (!is_well(writer)) return;
    before_value(writer, false);
    append_text(writer, text);
}

static bool refuse_non_finite(sot_json_writer *writer, double value)
{
    if (isfinite(value)) return false;
    if (is_well(writer))
        (void)sot_fail(&writer->sticky, SOTTO_INVALID_ARGUMENT,
                       "a number for a JSON file is not finite (%g); JSON has no such "
                       "number, write null",
                       value);
    return true;
}

void sot_json_write_double(sot_json_writer *writer, double value)
{
    if (refuse_non_finite(writer, value)) return;
    static const sot_spelling in_answers = {
        .plain_digits = 7, .all_digits = true, .padded = true, .with_point = true};
    char text[SOT_DOUBLE_TEXT_BYTES];
    if (writer->spaced) {
        sot_format_number(value, &in_answers, text);
    } else {
        sot_format_double(value, text);
    }
    write_plain(writer, text);
}

void sot_json_write_hex(sot_json_writer *writer, double value)
{
    if (refuse_non_finite(writer, value)) return;
    char text[SOT_DOUBLE_TEXT_BYTES];
    sot_format_hex(value, text);
    sot_json_write_string(writer, text);
}

void sot_json_write_int64(sot_json_writer *writer, int64_t value)
{
    char text[SOT_DOUBLE_TEXT_BYTES];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    write_plain(writer, text);
}

void sot_json_write_bool(sot_json_writer *writer, bool value)
{
    write_plain(writer, value ? "true" : "false");
}

void sot_json_write_string(sot_json_writer *writer, const char *text)
{
    if (!is_well(writer)) return;
    before_value(writer, false);
    append_quoted(writer, text);
}

void sot_json_write_null(sot_json_writer *writer)
{
    write_plain(writer, "null");
}

void sot_json_put_text(sot_json_writer *writer, const char *key, const char *text)
{
    if (text == NULL) return;
    sot_json_key(writer, key);
    sot_json_write_string(writer, text);
}

void sot_json_put_number(sot_json_writer *writer, const char *key, double value)
{
    if (isnan(value)) return;
    sot_json_key(writer, key);
    sot_json_write_double(writer, value);
}

void sot_json_put_number_or_null(sot_json_writer *writer, const char *key, double value)
{
    sot_json_key(writer, key);
    if (isfinite(value)) {
        sot_json_write_double(writer, value);
    } else {
        sot_json_write_null(writer);
    }
}

void sot_json_put_whole(sot_json_writer *writer, const char *key, uint64_t value)
{
    sot_json_put_int64(writer, key, (int64_t)value);
}

void sot_json_put_double(sot_json_writer *writer, const char *key, double value)
{
    sot_json_key(writer, key);
    sot_json_write_double(writer, value);
}

void sot_json_put_int64(sot_json_writer *writer, const char *key, int64_t value)
{
    sot_json_key(writer, key);
    sot_json_write_int64(writer, value);
}

void sot_json_put_bool(sot_json_writer *writer, const char *key, bool value)
{
    sot_json_key(writer, key);
    sot_json_write_bool(writer, value);
}

void sot_json_open_array(sot_json_writer *writer, const char *key)
{
    sot_json_key(writer, key);
    sot_json_begin_array(writer);
}

void sot_json_open_object(sot_json_writer *writer, const char *key)
{
    sot_json_key(writer, key);
    sot_json_begin_object(writer);
}

sotto_status sot_json_writer_finish(sot_json_writer *writer, const char **out_text,
                                    size_t *out_size_bytes, sotto_error *error)
{
    if (is_well(writer) && !writer->complete) misuse(writer, "finished before the end");
    const size_t size_bytes =
        writer->size_bytes + 1; /* the newline counts, the NUL not */
    append(writer, "\n", sizeof "\n");
    if (!is_well(writer)) {
        if (error != NULL) *error = writer->sticky;
        return writer->sticky.status;
    }
    writer->complete = false; /* so that a second finish is refused */
    *out_text = writer->text;
    *out_size_bytes = size_bytes;
    return SOTTO_OK;
}

sotto_status sot_json_writer_take(sot_json_writer *writer, sotto_status status,
                                  char **out_text, sotto_error *error)
{
    const char *text = NULL;
    size_t size_bytes = 0;
    if (status == SOTTO_OK)
        status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) status = sot_copy_text(text, out_text, error);
    sot_json_writer_free(writer);
    return status;
}
