#include "base/copy.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sotto_status sot_copy_text(const char *text, char **out_copy, sotto_error *error)
{
    *out_copy = sot_copy_string(text);
    return *out_copy != NULL ? SOTTO_OK : sot_fail_memory(error, strlen(text) + 1, 1);
}
