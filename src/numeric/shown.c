#include "numeric/shown.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "numeric/outward.h"

/* Plain where that is short, else "1.5e-7". */
static const sot_spelling for_people = {.plain_digits = 7};

/* Returns "none" for a number that is not finite, and else NULL. */
static const char *not_finite(double value, char out[SOT_SHOWN_BYTES])
{
    if (isfinite(value)) return NULL;
    (void)snprintf(out, SOT_SHOWN_BYTES, "none");
    return out;
}

static const char *shown(double value, int count, bool up, char out[SOT_SHOWN_BYTES])
{
    sot_digits found;
    if (not_finite(value, out) != NULL) return out;
    assert(value >= 0.0);
    sot_round_digits(value, count, up ? 1 : -1, &found);
    sot_spell_digits(&found, &for_people, out);
    return out;
}

const char *sot_shown_up(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    return shown(value, digits, true, out);
}

const char *sot_shown_down(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    return shown(value, digits, false, out);
}

const char *sot_shown_near(double value, int digits, char out[SOT_SHOWN_BYTES])
{
    sot_digits found;
    if (not_finite(value, out) != NULL) return out;
    sot_round_digits(value, digits, 0, &found);
    /* U+2212, the minus sign: a hyphen is too short to be seen, and may end a line. */
    const int sign =
        snprintf(out, SOT_SHOWN_BYTES, "%s", value < 0.0 ? "\xe2\x88\x92" : "");
    sot_spell_digits(&found, &for_people, out + sign);
    return out;
}

const char *sot_shown_whole(double value, char out[SOT_SHOWN_BYTES])
{
    sot_digits found;
    if (not_finite(value, out) != NULL) return out;
    sot_shortest_digits(value, &found);
    sot_spell_digits(&found, &for_people, out);
    return out;
}

static const char *with_percent(char out[SOT_SHOWN_BYTES])
{
    const size_t length = strlen(out);
    assert(length + 2 <= SOT_SHOWN_BYTES);
    memcpy(out + length, "%", 2);
    return out;
}

const char *sot_shown_percent_up(double probability, int digits,
                                 char out[SOT_SHOWN_BYTES])
{
    (void)shown(fmin(100.0, sot_mul_up(100.0, probability)), digits, true, out);
    return with_percent(out);
}

const char *sot_shown_percent_down(double probability, int digits,
                                   char out[SOT_SHOWN_BYTES])
{
    (void)shown(fmax(0.0, sot_mul_down(100.0, probability)), digits, false, out);
    return with_percent(out);
}

const char *sot_shown_percent_whole(double rate, char out[SOT_SHOWN_BYTES])
{
    (void)sot_shown_whole(100.0 * rate, out); /* to nearest: 100 * 0.01 is 1 */
    return with_percent(out);
}

const char *sot_shown_count(uint64_t count, char out[SOT_SHOWN_BYTES])
{
    char plain[SOT_SHOWN_BYTES];
    const int length = snprintf(plain, sizeof plain, "%" PRIu64, count);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) out[used++] = ' ';
        out[used++] = plain[i];
    }
    out[used] = '\0';
    return out;
}
