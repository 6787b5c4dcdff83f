/* commands/session/prose.h: lines for people, "label   value", that grow as needed. */
#ifndef SOT_COMMANDS_SESSION_PROSE_H
#define SOT_COMMANDS_SESSION_PROSE_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

/* Start with {0}. Failure sticks: sot_prose_finish() reports it. */
typedef struct sot_prose {
    char *text;
    size_t used, room;
    bool failed;
} sot_prose;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void sot_prose_line(sot_prose *prose, const char *label, const char *format, ...);

/* A line as it is. */
void sot_prose_raw(sot_prose *prose, const char *text);

/* Free the text with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_prose_finish(sot_prose *prose, char **out_text,
                                               sotto_error *error);

enum { SOT_SHOWN_BYTES = 40 };

/* Eight digits, whole numbers in full; direction -1 never above the value, +1 never below it. */
const char *sot_shown(double value, int direction, char buffer[SOT_SHOWN_BYTES]);

#endif
