#include "artifact/page/plain.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

bool sot_is_hidden(const char *character, size_t length)
{
    const unsigned char *c = (const unsigned char *)character;
    if (length == 1) return c[0] < 0x20 || c[0] == 0x7F;
    if (length == 2) return c[0] == 0xC2 && c[1] < 0xA0;
    if (length != 3 || c[0] != 0xE2) return false;
    if (c[1] == 0x80)
        return c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xA8 && c[2] <= 0xAE);
    return c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9;
}

char *sot_plain_copy(const char *text)
{
    char *copy = sot_copy_string(text);
    if (copy == NULL) return NULL;
    const size_t size = strlen(copy);
    for (size_t i = 0, length; i < size; i += length) {
        length = sot_utf8_length(copy + i, size - i);
        const bool bad = length == 0 || sot_is_hidden(copy + i, length);
        if (length == 0) length = 1;
        if (bad) memset(copy + i, '?', length);
    }
    return copy;
}
