#include "commands/session/prose.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/error.h"
#include "base/memory.h"

enum { LABEL_WIDTH = 16, LINE_BYTES = 1200, FIRST_ROOM = 4096 };

void sot_prose_raw(sot_prose *prose, const char *text)
{
    const size_t length = strlen(text);
    if (prose->failed) return;
    if (prose->used + length + 2 > prose->room) {
        const size_t room = 2 * (prose->used + length + 2) + FIRST_ROOM;
        char *grown = sot_resize_array(prose->text, prose->room, room, 1);
        if (grown == NULL) {
            prose->failed = true;
            return;
        }
        prose->text = grown;
        prose->room = room;
    }
    memcpy(prose->text + prose->used, text, length);
    prose->used += length;
    prose->text[prose->used++] = '\n';
    prose->text[prose->used] = '\0';
}

void sot_prose_line(sot_prose *prose, const char *label, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    const int width = snprintf(line, sizeof line, "%-*s  ", LABEL_WIDTH, label);
    va_start(arguments, format);
    (void)vsnprintf(line + width, sizeof line - (size_t)width, format, arguments);
    va_end(arguments);
    sot_prose_raw(prose, line);
}

sotto_status sot_prose_finish(sot_prose *prose, char **out_text, sotto_error *error)
{
    if (!prose->failed && prose->text == NULL) {
        prose->text = sot_new_array(1, 1);
        prose->failed = prose->text == NULL;
    }
    if (prose->failed) {
        sot_free(prose->text);
        return sot_fail_memory(error, prose->room, 1);
    }
    *out_text = prose->text;
    return SOTTO_OK;
}

const char *sot_shown(double value, int direction, char buffer[SOT_SHOWN_BYTES])
{
    sot_c_locale scope;
    const bool entered = sot_c_locale_enter(&scope);
    if (value == floor(value) && fabs(value) < 1e15) {
        (void)snprintf(buffer, SOT_SHOWN_BYTES, "%.0f", value == 0.0 ? 0.0 : value);
    } else {
        (void)snprintf(buffer, SOT_SHOWN_BYTES, "%.8g", value);
        const double shown = strtod(buffer, NULL);
        if ((direction > 0 && shown < value) || (direction < 0 && shown > value)) {
            /* Half a unit of the eighth digit is at most 5e-8 of the value. */
            const double moved = value + direction * 5.1e-8 * fabs(value);
            (void)snprintf(buffer, SOT_SHOWN_BYTES, "%.8g", moved);
        }
    }
    if (entered) sot_c_locale_leave(&scope);
    return buffer;
}
