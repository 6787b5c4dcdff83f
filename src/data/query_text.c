#include "data/query_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/plant.h"
#include "base/text.h"

/* ---- words ---- */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* a keyword, a name or a number */
    TOKEN_TEXT,   /* 'in single quotes' */
    TOKEN_QUOTED, /* a name in quotes */
    TOKEN_SIGN    /* one character, or || */
} token_kind;

typedef struct sql_token {
    token_kind kind;
    const char *text;
    size_t size_bytes;
} sql_token;

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

/* SQLite's blanks, and its comments. */
static const char *skip_blanks(const char *at)
{
    for (;;) {
        if (*at != '\0' && strchr(" \t\n\r\f", *at) != NULL) {
            at++;
        } else if (at[0] == '-' && at[1] == '-') {
            while (*at != '\0' && *at != '\n')
                at++;
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end == NULL ? at + strlen(at) : end + 2;
        } else {
            return at;
        }
    }
}

/* Behind the closing quote; a doubled one is part of the text. Without one: the end. */
static const char *behind_quote(const char *at, char quote)
{
    for (at++; *at != '\0'; at++) {
        if (*at != quote) continue;
        if (at[1] != quote || quote == ']') return at + 1;
        at++;
    }
    return at;
}

static sql_token next_token(const char **at)
{
    const char *begin = skip_blanks(*at);
    const char *end = begin;
    token_kind kind = TOKEN_SIGN;
    if (*begin == '\0') {
        kind = TOKEN_END;
    } else if (*begin == '\'') {
        kind = TOKEN_TEXT;
        end = behind_quote(begin, '\'');
    } else if (*begin == '"' || *begin == '`' || *begin == '[') {
        kind = TOKEN_QUOTED;
        end = behind_quote(begin, *begin == '[' ? ']' : *begin);
    } else if (is_word(*begin)) {
        kind = TOKEN_WORD;
        while (is_word(*end))
            end++;
    } else {
        end += begin[0] == '|' && begin[1] == '|' ? 2 : 1;
    }
    *at = end;
    return (sql_token){kind, begin, (size_t)(end - begin)};
}

static bool is(const sql_token *token, const char *word)
{
    return (token->kind == TOKEN_WORD || token->kind == TOKEN_SIGN) &&
           strlen(word) == token->size_bytes &&
           strncasecmp(token->text, word, token->size_bytes) == 0;
}

static bool is_any(const sql_token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (is(token, *words)) return true;
    return false;
}

/* ---- the check ---- */

static sotto_status refuse(const sql_token *token, const char *why, sotto_error *error)
{
    char word[40];
    char shown[40];
    const size_t length =
        token->size_bytes < sizeof word ? token->size_bytes : sizeof word - 1;
    memcpy(word, token->text, length);
    word[length] = '\0';
    if (token->kind == TOKEN_END) (void)snprintf(word, sizeof word, "its end");
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the query: %s %s",
                    sot_printable(word, shown, sizeof shown), why);
}

static const char one_table[] =
    "is not for records; give SELECT columns FROM one table WHERE a condition on its row "
    "(make a table for anything else, or quote a column of this name)";

/* SQLite takes some of these for blanks, in some versions: what they part is not to be guessed. */
static bool is_foreign(const sql_token *token)
{
    return token->kind == TOKEN_SIGN && (unsigned char)token->text[0] >= 0x80;
}

static const char in_quotes[] =
    "has other letters than ASCII; put the name into double quotes";

/* What a row's own expressions never need. A view or a subquery would hide all of it. */
static bool mixes_rows(const sql_token *token)
{
    static const char *const words[] = {
        "select",    "distinct", "join", "group",  "having", "order",  "limit",  "union",
        "intersect", "except",   "over", "window", "with",   "filter", "values", NULL};
    return !SOT_PLANTED(query_mixes_rows) && is_any(token, words);
}

/* A name, and what belongs to it; up to WHERE or the end. */
static sotto_status check_from(const char **at, sql_token *out_next, sotto_error *error)
{
    sql_token next = next_token(at);
    if (next.kind != TOKEN_WORD && next.kind != TOKEN_QUOTED)
        return refuse(&next, "stands where the name of a table should", error);
    while (next.kind != TOKEN_END && !is(&next, "where") && !is(&next, ";")) {
        if (is_foreign(&next)) return refuse(&next, in_quotes, error);
        if (mixes_rows(&next) || is(&next, ",") || is(&next, "(") || is(&next, "from"))
            return refuse(&next, one_table, error);
        next = next_token(at);
    }
    *out_next = next;
    return SOTTO_OK;
}

/* 'x': what may stand behind ESCAPE, which fails on anything longer when a row is read. */
static bool is_one_character(const sql_token *token)
{
    return token->kind == TOKEN_TEXT && token->size_bytes == 3 && token->text[1] != '\'';
}

/* Expressions, up to FROM, or to the end. A function in quotes is a function to SQLite too: what is
 * said of patterns would not be found. */
static sotto_status check_expressions(const char **at, sql_token *out_next,
                                      sotto_error *error)
{
    static const char *const patterns[] = {"like", "glob", NULL};
    sql_token next = next_token(at);
    while (next.kind != TOKEN_END && !is(&next, "from") && !is(&next, ";")) {
        const sql_token word = next;
        if (is_foreign(&word)) return refuse(&word, in_quotes, error);
        if (mixes_rows(&word)) return refuse(&word, one_table, error);
        if (is(&word, "||"))
            return refuse(&word,
                          "may make a text that is too long, and fail; "
                          "select the columns themselves",
                          error);
        next = next_token(at);
        if (is_any(&word, patterns) && next.kind != TOKEN_TEXT)
            return refuse(&word, "needs a pattern that is written out, in single quotes",
                          error);
        if (is(&word, "in") && !is(&next, "("))
            return refuse(&word, "needs a list of values, in parentheses", error);
        if (is(&word, "escape") && !is_one_character(&next))
            return refuse(&word,
                          "fails on a row where it is not one character; write out a "
                          "single ASCII one, in single quotes",
                          error);
        if (word.kind == TOKEN_QUOTED && is(&next, "("))
            return refuse(&word, "is a function in quotes; write it without them", error);
    }
    *out_next = next;
    return SOTTO_OK;
}

sotto_status sot_query_check(const char *text, sotto_error *error)
{
    const char *at = text;
    if (strlen(text) > SOT_QUERY_BYTES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the query has more than %d bytes; make a table of what it says",
                        (int)SOT_QUERY_BYTES_MAX);
    }
    sql_token next = next_token(&at);
    if (!is(&next, "select"))
        return refuse(&next,
                      "does not begin a query of records; give SELECT columns "
                      "FROM one table WHERE a condition on its row",
                      error);
    sotto_status status = check_expressions(&at, &next, error);
    if (status != SOTTO_OK) return status;
    if (!is(&next, "from"))
        return refuse(&next, "comes before FROM; say which table the rows are in", error);
    status = check_from(&at, &next, error);
    if (status == SOTTO_OK && is(&next, "where"))
        status = check_expressions(&at, &next, error);
    if (status != SOTTO_OK) return status;
    if (is(&next, ";")) next = next_token(&at);
    if (next.kind != TOKEN_END)
        return refuse(&next, "stands behind the query; give one", error);
    return SOTTO_OK;
}

bool sot_query_function_is_total(const char *name)
{
    /* abs() fails on the least integer, lower() and trim() on texts near SQLite's limit, json_ and
     * others on texts that are malformed; min() and max() may be those of many rows. */
    static const char *const names[] = {"coalesce", "date",      "datetime", "glob",
                                        "ifnull",   "iif",       "instr",    "julianday",
                                        "length",   "like",      "nullif",   "round",
                                        "substr",   "substring", "time",     "typeof"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i], name) == 0) return true;
    return SOT_PLANTED(query_functions_may_fail);
}
