#include "base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"

/* Longer words are not misspelt keys. */
enum { WORD_BYTES_MAX = 64 };

/* Letters that count as the same in a name: case apart, '_' for '-'. */
static char folded(char letter)
{
    if (letter >= 'A' && letter <= 'Z') return (char)(letter - 'A' + 'a');
    return letter == '_' ? '-' : letter;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: the dynamic programme of Levenshtein with one more case, the
 * swap of two neighbours (Damerau 1964). Three rows of the table are enough. */
static size_t edit_distance(const char *a, size_t a_length, const char *b,
                            size_t b_length)
{
    size_t rows[3][WORD_BYTES_MAX + 1];
    assert(a_length <= WORD_BYTES_MAX && b_length <= WORD_BYTES_MAX);
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *before_last = rows[(i + 1) % 3];
        const size_t *last = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const char x = folded(a[i - 1]), y = folded(b[j - 1]);
            row[j] = smaller(smaller(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
                row[j] = smaller(row[j], before_last[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *sot_nearest_word(const char *word, const char *const *candidates)
{
    const size_t length = strlen(word);
    if (length == 0 || length > WORD_BYTES_MAX) return NULL;
    const char *nearest = NULL;
    size_t least = (length == 2 ? 1 : length / 3) + 1;
    for (; *candidates != NULL; candidates++) {
        const size_t candidate_length = strlen(*candidates);
        if (candidate_length > WORD_BYTES_MAX) continue;
        const size_t distance =
            edit_distance(word, length, *candidates, candidate_length);
        if (distance < least) {
            least = distance;
            nearest = *candidates;
        }
    }
    return nearest;
}

static bool is_utf8_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t sot_utf8_length(const char *text, size_t size_bytes)
{
    if (size_bytes == 0) return 0;
    const unsigned char first = (unsigned char)text[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length > size_bytes) return 0;
    for (size_t i = 1; i < length; i++)
        if (!is_utf8_continuation(text[i])) return 0;
    const unsigned char second = (unsigned char)text[1];
    if (first == 0xE0 && second < 0xA0) return 0; /* overlong */
    if (first == 0xED && second > 0x9F) return 0; /* surrogates */
    if (first == 0xF0 && second < 0x90) return 0; /* overlong */
    if (first == 0xF4 && second > 0x8F) return 0; /* beyond U+10FFFF */
    return length;
}

const char *sot_printable(const char *text, char *buffer, size_t size_bytes)
{
    assert(size_bytes >= sizeof "...");
    const size_t length = strlen(text);
    const bool cut = length >= size_bytes;
    const size_t room = cut ? size_bytes - sizeof "..." : length;
    size_t used = 0;
    for (size_t step; used < room; used += step) { /* each byte becomes one byte */
        step = sot_utf8_length(text + used, length - used);
        const unsigned char first = (unsigned char)text[used];
        if (step == 0 || first < 0x20 || first == 0x7F) {
            step = 1;
            buffer[used] = '?';
        } else if (used + step > room) {
            break;
        } else {
            memcpy(buffer + used, text + used, step);
        }
    }
    memcpy(buffer + used, cut ? "..." : "", cut ? sizeof "..." : 1);
    return buffer;
}

const char *sot_errno_text(int code, char *buffer, size_t size_bytes)
{
    sot_c_locale scope;
    if (!sot_c_locale_enter(&scope)) {
        (void)snprintf(buffer, size_bytes, "error %d", code);
        return buffer;
    }
    (void)snprintf(buffer, size_bytes, "%s", strerror_l(code, scope.c));
    sot_c_locale_leave(&scope);
    return buffer;
}
