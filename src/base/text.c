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

const char *sot_printable(const char *text, char *buffer, size_t size_bytes)
{
    assert(size_bytes >= sizeof "...");
    size_t length = strlen(text);
    const bool cut = length >= size_bytes;
    if (cut) {
        length = size_bytes - sizeof "...";
        while (length > 0 && is_utf8_continuation(text[length]))
            length--;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        buffer[i] = byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
    memcpy(buffer + length, cut ? "..." : "", cut ? sizeof "..." : 1);
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
