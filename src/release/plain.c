#include "release/plain.h"

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
