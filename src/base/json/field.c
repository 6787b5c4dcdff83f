#include "base/json/field.h"

#include <math.h>
#include <string.h>

enum { WORDS_MAX = 64 };

/* ---- one setting ---- */

double sot_field_number(const sot_field *field, const void *config)
{
    double number;
    memcpy(&number, (const char *)config + field->offset, sizeof number);
    return number;
}

uint64_t sot_field_count(const sot_field *field, const void *config)
{
    uint64_t count;
    memcpy(&count, (const char *)config + field->offset, sizeof count);
    return count;
}

int sot_field_word(const sot_field *field, const void *config)
{
    int word;
    memcpy(&word, (const char *)config + field->offset, sizeof word);
    return word;
}

const char *sot_field_text(const sot_field *field, const void *config)
{
    const char *text;
    memcpy(&text, (const char *)config + field->offset, sizeof text);
    return text;
}

bool sot_field_flag(const sot_field *field, const void *config)
{
    bool flag;
    memcpy(&flag, (const char *)config + field->offset, sizeof flag);
    return flag;
}

bool sot_field_is_default(const sot_field *field, const void *config,
                          const void *defaults)
{
    switch (field->kind) {
    case SOT_FIELD_NUMBER: {
        const double own = sot_field_number(field, config),
                     usual = sot_field_number(field, defaults);
        return own == usual || (isnan(own) && isnan(usual));
    }
    case SOT_FIELD_COUNT:
        return sot_field_count(field, config) == sot_field_count(field, defaults);
    case SOT_FIELD_FLAG:
        return sot_field_flag(field, config) == sot_field_flag(field, defaults);
    case SOT_FIELD_TEXT:
        return sot_field_text(field, config) == NULL;
    case SOT_FIELD_WORD:
        return sot_field_word(field, config) == sot_field_word(field, defaults);
    }
    return true;
}

static void write_field(const sot_field *field, const void *config,
                        sot_json_writer *writer)
{
    sot_json_key(writer, field->name);
    switch (field->kind) {
    case SOT_FIELD_NUMBER:
        if (isfinite(sot_field_number(field, config)))
            sot_json_write_double(writer, sot_field_number(field, config));
        else
            sot_json_write_null(writer);
        break;
    case SOT_FIELD_COUNT:
        sot_json_write_int64(writer, (int64_t)sot_field_count(field, config));
        break;
    case SOT_FIELD_FLAG:
        sot_json_write_bool(writer, sot_field_flag(field, config));
        break;
    case SOT_FIELD_TEXT:
        sot_json_write_string(writer, sot_field_text(field, config));
        break;
    case SOT_FIELD_WORD:
        sot_json_write_string(writer, field->word(sot_field_word(field, config)));
        break;
    }
}

void sot_fields_write(const sot_field *fields, size_t count, const void *config,
                      const void *defaults, sot_json_writer *writer)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].use <= SOT_FIELD_REQUESTED &&
            !sot_field_is_default(&fields[i], config, defaults))
            write_field(&fields[i], config, writer);
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

sotto_status sot_field_read(const sot_field *field, const sot_json_value *member,
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
        if (fields[i].use <= SOT_FIELD_REQUESTED &&
            sot_json_member(request, fields[i].name, &member))
            status = sot_field_read(&fields[i], &member, config, error);
    return status;
}
