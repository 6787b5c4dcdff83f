#include "base/names.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum { KNOWN_BYTES = 256 };

const char *sot_name_of(const sot_names *names, int value)
{
    const char *name =
        value >= 0 && (size_t)value < names->count ? names->names[value] : NULL;
    return name != NULL ? name : "unknown";
}

/* Writes "a, b or c". */
static void list_names(const sot_names *names, char out[KNOWN_BYTES])
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < names->count && length < KNOWN_BYTES; i++) {
        if (names->names[i] == NULL) continue;
        const char *joint = length == 0 ? "" : i + 1 == names->count ? " or " : ", ";
        length += (size_t)snprintf(out + length, KNOWN_BYTES - length, "%s%s", joint,
                                   names->names[i]);
    }
}

bool sot_value_find(const sot_names *names, const char *name, int *out_value)
{
    for (size_t i = 0; name != NULL && i < names->count; i++) {
        if (names->names[i] == NULL || strcmp(names->names[i], name) != 0) continue;
        *out_value = (int)i;
        return true;
    }
    return false;
}

sotto_status sot_value_of(const sot_names *names, const char *name, int *out_value,
                          sotto_error *error)
{
    char shown[64], known[KNOWN_BYTES];
    if (sot_value_find(names, name, out_value)) return SOTTO_OK;
    list_names(names, known);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`%s` is '%s'; give %s",
                    names->setting,
                    sot_printable(name == NULL ? "" : name, shown, sizeof shown), known);
}
