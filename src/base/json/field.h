/* base/json/field.h: members of a C struct as members of JSON, both ways by one table. */
#ifndef SOT_BASE_JSON_FIELD_H
#define SOT_BASE_JSON_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json/json.h"
#include "base/json/writer.h"

typedef enum sot_field_kind {
    SOT_FIELD_NUMBER, /* double; NaN: not set, null: infinite */
    SOT_FIELD_COUNT,  /* uint64_t, as the int64_t of the same bits */
    SOT_FIELD_FLAG,   /* bool */
    SOT_FIELD_TEXT,   /* const char *, borrowed from the document; NULL: not set */
    SOT_FIELD_WORD    /* an enum, by its name */
} sot_field_kind;

typedef enum sot_field_use {
    SOT_FIELD_EVERYWHERE, /* in the request and in the hash of the settings */
    SOT_FIELD_REQUESTED,  /* in the request only */
    SOT_FIELD_HASHED,     /* in the hash only */
    SOT_FIELD_NOWHERE     /* in neither: its content stands elsewhere */
} sot_field_use;

typedef struct sot_field {
    const char *name;
    sot_field_kind kind;
    size_t offset;
    const char *(*word)(int value); /* of SOT_FIELD_WORD */
    sot_field_use use;
    unsigned taken; /* of a training: learners that use it, methods/kinds.h; 0: all do */
} sot_field;

/* A row of a table: the member `place` of `type`, under the name `key`. */
#define SOT_FIELD_FOR(for_use, type, key, place, of_kind, words)                         \
    {                                                                                    \
        .name = key, .kind = of_kind, .offset = offsetof(type, place), .word = words,    \
        .use = for_use                                                                   \
    }
#define SOT_FIELD(...) SOT_FIELD_FOR(SOT_FIELD_EVERYWHERE, __VA_ARGS__)

/* The value of a field. */
double sot_field_number(const sot_field *field, const void *config);
uint64_t sot_field_count(const sot_field *field, const void *config);
bool sot_field_flag(const sot_field *field, const void *config);
const char *sot_field_text(const sot_field *field, const void *config);
int sot_field_word(const sot_field *field, const void *config);

/* Returns true if the field has the same value in both; two texts that are not NULL differ. */
bool sot_field_is_default(const sot_field *field, const void *config,
                          const void *defaults);

/* Writes the settings of `config` that differ from `defaults`. */
void sot_fields_write(const sot_field *fields, size_t count, const void *config,
                      const void *defaults, sot_json_writer *writer);
/* Reads the members that are there into `config`. Members that no table knows are for the comparison to refuse. */
SOTTO_MUST_CHECK sotto_status sot_fields_read(const sot_field *fields, size_t count,
                                              const sot_json_value *request, void *config,
                                              sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_field_read(const sot_field *field,
                                             const sot_json_value *member, void *config,
                                             sotto_error *error);

#endif
