/* The words of a condition, and refusals that state where in its text they stand. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/text.h"
#include "data/where/parts.h"

/* ---- words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Behind the closing quote, a doubled one being part of the text; NULL: there is none. */
static const char *behind_quotes(const char *at)
{
    const char quote = *at++;
    for (; *at != '\0'; at++) {
        if (*at != quote) continue;
        if (at[1] != quote) return at + 1;
        at++;
    }
    return NULL;
}

static size_t number_bytes(const char *begin)
{
    const char *at = begin + (*begin == '-' || *begin == '+' ? 1 : 0);
    while (is_digit(*at) || *at == '.')
        at++;
    if ((*at == 'e' || *at == 'E') &&
        is_digit(at[at[1] == '-' || at[1] == '+' ? 2 : 1])) {
        at += 2;
        while (is_digit(*at))
            at++;
    }
    while (is_letter(*at) || is_digit(*at))
        at++; /* 18years: one malformed number */
    return (size_t)(at - begin);
}

static bool begins_number(const char *at)
{
    const char *digit = at + (*at == '-' || *at == '+' ? 1 : 0);
    return is_digit(digit[*digit == '.' ? 1 : 0]);
}

static size_t sign_bytes(const char *at)
{
    static const char *const pairs[] = {"<=", ">=", "<>", "!="};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strncmp(at, pairs[i], 2) == 0) return 2;
    return strchr("=<>(),", *at) == NULL ? 0 : 1;
}

where_word sot_where_word_at(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    where_word word = {WORD_END, at, 0};
    if (*at == '\0') return word;
    if (*at == '"' || *at == '\'') {
        const char *end = behind_quotes(at);
        word.kind = end == NULL ? WORD_WRONG : *at == '"' ? WORD_QUOTED : WORD_TEXT;
        word.size_bytes = end == NULL ? strlen(at) : (size_t)(end - at);
    } else if (is_letter(*at)) {
        word.kind = WORD_BARE;
        while (is_letter(at[word.size_bytes]) || is_digit(at[word.size_bytes]))
            word.size_bytes++;
    } else if (begins_number(at)) {
        word.kind = WORD_NUMBER;
        word.size_bytes = number_bytes(at);
    } else {
        word.size_bytes = sign_bytes(at);
        word.kind = word.size_bytes == 0 ? WORD_WRONG : WORD_SIGN;
        if (word.size_bytes == 0) word.size_bytes = 1;
    }
    return word;
}

void sot_where_advance(where_reader *reader)
{
    reader->word = sot_where_word_at(reader->at);
    reader->at = reader->word.text + reader->word.size_bytes;
}

bool sot_where_is(const where_word *word, const char *wanted)
{
    return (word->kind == WORD_BARE || word->kind == WORD_SIGN) &&
           strlen(wanted) == word->size_bytes &&
           strncasecmp(word->text, wanted, word->size_bytes) == 0;
}

bool sot_where_is_keyword(const where_word *word)
{
    static const char *const words[] = {"and", "or",   "not",  "in",    "between",
                                        "is",  "null", "true", "false", "like"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (sot_where_is(word, words[i])) return true;
    return false;
}

/* ---- refusals ---- */

sotto_status sot_where_refuse(const where_reader *reader, const where_word *word,
                              const char *remedy, sotto_error *error)
{
    char seen[48], shown[48];
    const size_t size =
        word->size_bytes < sizeof seen ? word->size_bytes : sizeof seen - 1;
    memcpy(seen, word->text, size);
    seen[size] = '\0';
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`where`, byte %zu, %s%s%s: %s",
                    (size_t)(word->text - reader->text) + 1,
                    word->kind == WORD_END ? "" : "'",
                    word->kind == WORD_END ? "the end of the condition"
                                           : sot_printable(seen, shown, sizeof shown),
                    word->kind == WORD_END ? "" : "'", remedy);
}

sotto_status sot_where_refuse_word(const where_reader *reader, const char *wanted,
                                   sotto_error *error)
{
    const where_word *word = &reader->word;
    if (word->kind == WORD_WRONG && (*word->text == '"' || *word->text == '\''))
        return sot_where_refuse(reader, word, "the quotes do not end; close them", error);
    if (sot_where_is(word, "like"))
        return sot_where_refuse(reader, word,
                                "conditions have no LIKE; list the values, for example "
                                "town IN ('Lund', 'Lunde')",
                                error);
    return sot_where_refuse(reader, word, wanted, error);
}
