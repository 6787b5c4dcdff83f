/* sotto/setting.h: a message names a setting by its id, and each front end spells it.
 *
 * Idea     The library does not know who called it. Its messages write a setting between backquotes, as `rate` or, in a
 *          remedy, as `rate=0.01`. The id is the name of the field in C. The command writes --rate and --rate 0.01,
 *          Python rate and rate=0.01, a JSON file "rate" and "rate": 0.01.
 * Table    sotto_setting_find() knows every id of a message. A front end with spellings of its own gives a function.
 */
#ifndef SOTTO_SETTING_H
#define SOTTO_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_spelling {
    SOTTO_SPELL_OPTION = 1,   /* of the command: --public-n 1000 */
    SOTTO_SPELL_ARGUMENT = 2, /* of Python: public_n=1000 */
    SOTTO_SPELL_MEMBER = 3    /* of a JSON file: "public_n": 1000 */
} sotto_spelling;

/* A row of the table. A spelling that is NULL follows from the id: --public-n, public_n, "public_n". */
typedef struct sotto_setting {
    const char *id;
    const char *option;
    const char *argument;
    const char *member;
    bool is_flag; /* an option without a value; True and true elsewhere */
} sotto_setting;

enum { SOTTO_SETTING_BYTES = 64 }; /* a spelling with its final 0 */

/* Returns the row of an id; NULL if there is none. */
SOTTO_API const sotto_setting *sotto_setting_find(const char *id);

/* Returns the row at `index`; NULL after the last one. */
SOTTO_API const sotto_setting *sotto_setting_at(size_t index);

/* Writes a front end's own spelling of an id, and returns false if it has none. */
typedef bool (*sotto_speller)(void *context, const char *id,
                              char out[SOTTO_SETTING_BYTES]);

/* Replaces every known `id` and `id=value` of the message by its spelling. A `speller` other than NULL is asked first.
 * A NULL error is fine. */
SOTTO_API void sotto_error_spell(sotto_error *error, sotto_spelling spelling,
                                 sotto_speller speller, void *context);

#ifdef __cplusplus
}
#endif
#endif
