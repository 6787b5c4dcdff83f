#include "commands/session/request.h"

#include <math.h>
#include <string.h>

#include "base/json/canonical.h"
#include "commands/session/asked.h"

enum { WORDS_MAX = 64 };

/* ---- one setting ---- */

static const void *at(const void *config, const sot_field *field)
{
    return (const char *)config + field->offset;
}

static double number_at(const void *config, const sot_field *field)
{
    double number;
    memcpy(&number, at(config, field), sizeof number);
    return number;
}

static uint64_t count_at(const void *config, const sot_field *field)
{
    uint64_t count;
    memcpy(&count, at(config, field), sizeof count);
    return count;
}

static int word_at(const void *config, const sot_field *field)
{
    int word;
    memcpy(&word, at(config, field), sizeof word);
    return word;
}

static const char *text_at(const void *config, const sot_field *field)
{
    const char *text;
    memcpy(&text, at(config, field), sizeof text);
    return text;
}

static bool flag_at(const void *config, const sot_field *field)
{
    bool flag;
    memcpy(&flag, at(config, field), sizeof flag);
    return flag;
}

static bool is_default(const sot_field *field, const void *config, const void *defaults)
{
    switch (field->kind) {
    case SOT_FIELD_NUMBER: {
        const double own = number_at(config, field), usual = number_at(defaults, field);
        return own == usual || (isnan(own) && isnan(usual));
    }
    case SOT_FIELD_COUNT:
        return count_at(config, field) == count_at(defaults, field);
    case SOT_FIELD_FLAG:
        return flag_at(config, field) == flag_at(defaults, field);
    case SOT_FIELD_TEXT:
        return text_at(config, field) == NULL;
    case SOT_FIELD_WORD:
        return word_at(config, field) == word_at(defaults, field);
    }
    return true;
}

static void write_field(const sot_field *field, const void *config,
                        sot_json_writer *writer)
{
    sot_json_key(writer, field->name);
    switch (field->kind) {
    case SOT_FIELD_NUMBER:
        if (isfinite(number_at(config, field)))
            sot_json_write_double(writer, number_at(config, field));
        else
            sot_json_write_null(writer);
        break;
    case SOT_FIELD_COUNT:
        sot_json_write_int64(writer, (int64_t)count_at(config, field));
        break;
    case SOT_FIELD_FLAG:
        sot_json_write_bool(writer, flag_at(config, field));
        break;
    case SOT_FIELD_TEXT:
        sot_json_write_string(writer, text_at(config, field));
        break;
    case SOT_FIELD_WORD:
        sot_json_write_string(writer, field->word(word_at(config, field)));
        break;
    }
}

void sot_fields_write(const sot_field *fields, size_t count, const void *config,
                      const void *defaults, sot_json_writer *writer)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].use != SOT_FIELD_HASHED &&
            !is_default(&fields[i], config, defaults))
            write_field(&fields[i], config, writer);
}

static void hash_field(const sot_field *field, const void *config,
                       sot_json_writer *writer)
{
    switch (field->kind) {
    case SOT_FIELD_NUMBER:
        sot_asked_number(writer, field->name, number_at(config, field));
        break;
    case SOT_FIELD_COUNT:
        sot_asked_count(writer, field->name, count_at(config, field));
        break;
    case SOT_FIELD_FLAG:
        sot_asked_count(writer, field->name, flag_at(config, field));
        break;
    case SOT_FIELD_TEXT:
        sot_asked_text(writer, field->name, text_at(config, field));
        break;
    case SOT_FIELD_WORD:
        sot_asked_count(writer, field->name, (uint64_t)word_at(config, field));
        break;
    }
}

void sot_fields_hash(const sot_field *fields, size_t count, const void *config,
                     sot_json_writer *writer)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].use != SOT_FIELD_REQUESTED) hash_field(&fields[i], config, writer);
}

static sotto_status read_word(const sot_field *field, const sot_json_value *member,
                              int *out_word, sotto_error *error)
{
    const char *name = NULL;
    const sotto_status status = sot_json_as_string(member, &name, error);
    if (status != SOTTO_OK) return status;
    for (int i = 0; i < WORDS_MAX; i++) {
        if (strcmp(field->word(i), name) != 0 || strcmp(name, "unknown") == 0) continue;
        *out_word = i;
        return SOTTO_OK;
    }
    return sot_json_refuse(member, "sotto does not know this word", error);
}

static sotto_status read_field(const sot_field *field, const sot_json_value *member,
                               void *config, sotto_error *error)
{
    char *place = (char *)config + field->offset;
    sotto_status status = SOTTO_OK;
    double number = INFINITY;
    int64_t whole = 0;
    bool flag = false;
    const char *text = NULL;
    int word = 0;
    switch (field->kind) {
    case SOT_FIELD_NUMBER:
        if (sot_json_kind_of(member) != SOT_JSON_NULL)
            status = sot_json_as_double(member, &number, error);
        memcpy(place, &number, sizeof number);
        break;
    case SOT_FIELD_COUNT:
        status = sot_json_as_int64(member, &whole, error);
        memcpy(place, &(uint64_t){(uint64_t)whole}, sizeof(uint64_t));
        break;
    case SOT_FIELD_FLAG:
        status = sot_json_as_bool(member, &flag, error);
        memcpy(place, &flag, sizeof flag);
        break;
    case SOT_FIELD_TEXT:
        status = sot_json_as_string(member, &text, error);
        memcpy(place, &text, sizeof text);
        break;
    case SOT_FIELD_WORD:
        status = read_word(field, member, &word, error);
        memcpy(place, &word, sizeof word);
        break;
    }
    return status;
}

sotto_status sot_fields_read(const sot_field *fields, size_t count,
                             const sot_json_value *request, void *config,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_json_value member;
    for (size_t i = 0; i < count && status == SOTTO_OK; i++)
        if (fields[i].use != SOT_FIELD_HASHED &&
            sot_json_member(request, fields[i].name, &member))
            status = read_field(&fields[i], &member, config, error);
    return status;
}

bool sot_request_flag(const sot_json_value *request, const char *name)
{
    sot_json_value member;
    bool flag = false;
    return sot_json_member(request, name, &member) &&
           sot_json_as_bool(&member, &flag, NULL) == SOTTO_OK && flag;
}

/* ---- the rows ---- */

static const char *origin_word(int origin)
{
    return sot_origin_name((sot_origin)origin);
}

static const sot_field rows_fields[] = {
    SOT_FIELD(sot_session, "rows", origin, SOT_FIELD_WORD, origin_word),
    SOT_FIELD(sot_session, "query", query, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sot_session, "table", table, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sot_session, "where", where, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sot_session, "resumed", resumed, SOT_FIELD_FLAG, NULL),
};
enum { ROWS_FIELDS = sizeof rows_fields / sizeof rows_fields[0] };

sotto_status sot_request_read_origin(const sot_json_value *request,
                                     sot_origin *out_origin, sotto_error *error)
{
    sot_json_value member;
    int word = 0;
    if (!sot_json_member(request, "rows", &member))
        return sot_json_refuse(request, "\"rows\" is missing", error);
    const sotto_status status = read_word(&rows_fields[0], &member, &word, error);
    if (status == SOTTO_OK) *out_origin = (sot_origin)word;
    return status;
}

/* "source" says whether sotto read a file. The file's name is not stated. */
void sot_request_write_rows(const sot_session *session, sot_json_writer *writer)
{
    const sot_session none = {.data_path = NULL};
    sot_fields_write(rows_fields, ROWS_FIELDS, session, &none, writer);
    if (session->data_path != NULL) sot_json_put_text(writer, "source", "file");
}

sotto_status sot_request_read_rows(const sot_json_value *request, sot_session *session,
                                   sotto_error *error)
{
    sot_json_value member;
    if (sot_json_member(request, "source", &member)) session->data_path = "file";
    for (size_t i = 0; i < ROWS_FIELDS; i++) {
        if (!sot_json_member(request, rows_fields[i].name, &member)) continue;
        /* A release from before --where had a grammar has a list there: commands/statistics/certify.c. */
        if (sot_json_kind_of(&member) == SOT_JSON_ARRAY) continue;
        const sotto_status status = read_field(&rows_fields[i], &member, session, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* ---- texts ---- */

sotto_status sot_request_write_json(sot_json_writer *writer, const char *key,
                                    const char *json, sotto_error *error)
{
    sot_json *document = NULL;
    if (json == NULL) return SOTTO_OK;
    const sotto_status status =
        sot_json_parse(NULL, json, strlen(json), strlen(json), &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    sot_json_key(writer, key);
    sot_json_copy(writer, &root, false, NULL);
    sot_json_free(document);
    return SOTTO_OK;
}

sotto_status sot_request_text_of(const sot_json_value *value, char **out_json,
                                 sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_copy(writer, value, false, NULL);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}
