#include "commands/session/request.h"

#include <string.h>

#include "base/json/canonical.h"
#include "commands/session/asked.h"

static void hash_field(const sot_field *field, const void *config,
                       sot_json_writer *writer)
{
    switch (field->kind) {
    case SOT_FIELD_NUMBER:
        sot_asked_number(writer, field->name, sot_field_number(field, config));
        break;
    case SOT_FIELD_COUNT:
        sot_asked_count(writer, field->name, sot_field_count(field, config));
        break;
    case SOT_FIELD_FLAG:
        sot_asked_count(writer, field->name, sot_field_flag(field, config));
        break;
    case SOT_FIELD_TEXT:
        sot_asked_text(writer, field->name, sot_field_text(field, config));
        break;
    case SOT_FIELD_WORD:
        sot_asked_count(writer, field->name, (uint64_t)sot_field_word(field, config));
        break;
    }
}

void sot_fields_hash(const sot_field *fields, size_t count, const void *config,
                     sot_json_writer *writer)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].use == SOT_FIELD_EVERYWHERE || fields[i].use == SOT_FIELD_HASHED)
            hash_field(&fields[i], config, writer);
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
    sot_session rows = {.origin = *out_origin};
    if (!sot_json_member(request, "rows", &member))
        return sot_json_refuse(request, "\"rows\" is missing", error);
    const sotto_status status = sot_field_read(&rows_fields[0], &member, &rows, error);
    if (status == SOTTO_OK) *out_origin = rows.origin;
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
        const sotto_status status =
            sot_field_read(&rows_fields[i], &member, session, error);
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
