/* base/names.h: the values of an enum and their names, as the command line and JSON spell them. */
#ifndef SOT_BASE_NAMES_H
#define SOT_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_names {
    const char *setting; /* its id in messages: base/setting.c; NULL: it is not read */
    const char *const *names; /* indexed by the value; NULL: the value has no name */
    size_t count;
} sot_names;

/* The names of a list, SOT_NAMES("schedule", "auto", "constant"), or of [VALUE] = "name" for other values than 0, 1, ... */
#define SOT_NAMES(id, ...)                                                               \
    {                                                                                    \
        .setting = id, .names = (const char *const[]){__VA_ARGS__},                      \
        .count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)       \
    }

/* Returns the name of the value, or "unknown". The other returns false for a name of no value; NULL is none. */
const char *sot_name_of(const sot_names *names, int value);

bool sot_value_find(const sot_names *names, const char *name, int *out_value);

/* The same; the message of a failure lists all names. */
SOTTO_MUST_CHECK sotto_status sot_value_of(const sot_names *names, const char *name,
                                           int *out_value, sotto_error *error);

/* Defines TYPE_name() and TYPE_from_name() of a public enum. */
#define SOT_DEFINE_NAME(type, list)                                                      \
    const char *type##_name(type value)                                                  \
    {                                                                                    \
        return sot_name_of(&(list), (int)value);                                         \
    }
#define SOT_DEFINE_NAMES(type, list)                                                     \
    SOT_DEFINE_NAME(type, list)                                                          \
    sotto_status type##_from_name(const char *name, type *out, sotto_error *error)       \
    {                                                                                    \
        int value = 0;                                                                   \
        const sotto_status status = sot_value_of(&(list), name, &value, error);          \
        if (status == SOTTO_OK) *out = (type)value;                                      \
        return status;                                                                   \
    }

#endif
