#include "frame/frame.h"

#include <string.h>

enum { WORD_MAX = 48 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Levenshtein plus swaps of neighbours): the number of
 * slips of the finger between two words. Longer words are compared by their beginnings. */
static size_t slips(const char *from, const char *to)
{
    const size_t rows = least(strlen(from), WORD_MAX);
    const size_t columns = least(strlen(to), WORD_MAX);
    size_t table[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            const size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
            table[i][j] = least(least(table[i - 1][j], table[i][j - 1]) + 1,
                                table[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
            }
        }
    }
    return table[rows][columns];
}

void cli_suggest(cli_suggestion *best, const char *word, const char *candidate)
{
    const size_t length = strlen(word);
    if (length == 0) return;
    /* A beginning of the right word is the commonest slip of all. */
    const bool is_prefix = length >= 3 && strncmp(word, candidate, length) == 0;
    const size_t distance = is_prefix ? 1 : slips(word, candidate);
    const size_t allowed = length <= 4 ? 1 : length <= 8 ? 2 : 3;
    if (distance > allowed) return;
    if (best->word != NULL && best->distance <= distance) return;
    best->word = candidate;
    best->distance = distance;
}
