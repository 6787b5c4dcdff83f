#include "base/growing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void sot_growing_add(sot_growing *growing, const char *text, size_t size_bytes)
{
    if (growing->failed) return;
    const size_t needed = growing->used + size_bytes + 1;
    if (needed < size_bytes) {
        growing->failed = true;
        return;
    }
    if (needed > growing->room) {
        const size_t room = needed + needed / 2 + 64;
        char *larger = growing->text == NULL
                           ? sot_new_array(room, 1)
                           : sot_resize_array(growing->text, growing->room, room, 1);
        if (larger == NULL) {
            growing->failed = true;
            return;
        }
        growing->text = larger;
        growing->room = room;
    }
    if (size_bytes > 0) memcpy(growing->text + growing->used, text, size_bytes);
    growing->used += size_bytes;
    growing->text[growing->used] = '\0';
}

void sot_growing_text(sot_growing *growing, const char *text)
{
    sot_growing_add(growing, text, strlen(text));
}

void sot_growing_markup(sot_growing *growing, const char *letter, size_t length)
{
    switch (*letter) {
    case '&':
        sot_growing_text(growing, "&amp;");
        break;
    case '<':
        sot_growing_text(growing, "&lt;");
        break;
    case '>':
        sot_growing_text(growing, "&gt;");
        break;
    case '"':
        sot_growing_text(growing, "&quot;");
        break;
    case '\'':
        sot_growing_text(growing, "&#39;");
        break;
    default:
        sot_growing_add(growing, letter, length);
    }
}

void sot_growing_format(sot_growing *growing, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    sot_growing_text(growing, line);
}

sotto_status sot_growing_finish(sot_growing *growing, char **out_text, sotto_error *error)
{
    sot_growing_add(growing, "", 0);
    if (growing->failed) {
        sot_free(growing->text);
        *growing = (sot_growing){0};
        return sot_fail_memory(error, growing->used + 1, 1);
    }
    *out_text = growing->text;
    *growing = (sot_growing){0};
    return SOTTO_OK;
}
