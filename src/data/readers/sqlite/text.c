#include "data/readers/sqlite/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
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
    "is not allowed here; use SELECT columns FROM table WHERE condition, make a table, "
    "or quote a column of this name";

/* Some versions of SQLite treat some of these bytes as blanks, so the tokens would be
 * ambiguous. */
static bool is_foreign(const sql_token *token)
{
    return token->kind == TOKEN_SIGN && (unsigned char)token->text[0] >= 0x80;
}

static const char in_quotes[] =
    "has other letters than ASCII; put the name into double quotes";

/* Keywords that a row's own expressions never need. A view or a subquery would hide
 * them. */
static bool mixes_rows(const sql_token *token)
{
    static const char *const words[] = {
        "select",    "distinct", "join", "group",  "having", "order",  "limit",  "union",
        "intersect", "except",   "over", "window", "with",   "filter", "values", NULL};
    return is_any(token, words);
}

/* An index would decide the order and the choice of rows: SQLite's planner would, by the
 * content of records. */
static bool names_index(const sql_token *token)
{
    return is(token, "indexed") || is(token, "not");
}

/* Reads a name and its parts, up to WHERE or the end. *out_end is behind the last word: a comment
 * may follow. */
static sotto_status check_from(const char **at, sql_token *out_next, const char **out_end,
                               sotto_error *error)
{
    sql_token next = next_token(at);
    if (next.kind != TOKEN_WORD && next.kind != TOKEN_QUOTED)
        return refuse(&next, "stands where the name of a table should", error);
    while (next.kind != TOKEN_END && !is(&next, "where") && !is(&next, ";")) {
        if (is_foreign(&next)) return refuse(&next, in_quotes, error);
        if (names_index(&next))
            return refuse(&next,
                          "is for indexes, and rows are read in the order in which the "
                          "table stores them; leave it out",
                          error);
        if (mixes_rows(&next) || is(&next, ",") || is(&next, "(") || is(&next, "from"))
            return refuse(&next, one_table, error);
        *out_end = *at;
        next = next_token(at);
    }
    *out_next = next;
    return SOTTO_OK;
}

/* True for 'x', the only valid operand of ESCAPE; anything longer fails when a row is
 * read. */
static bool is_one_character(const sql_token *token)
{
    return token->kind == TOKEN_TEXT && token->size_bytes == 3 && token->text[1] != '\'';
}

/* Follows the parentheses, so that no expression reaches out of those around it. */
static sotto_status follow_depth(const sql_token *word, size_t *depth, sotto_error *error)
{
    if (is(word, "(")) (*depth)++;
    if (!is(word, ")")) return SOTTO_OK;
    if (*depth == 0) return refuse(word, "closes no parenthesis; leave it out", error);
    (*depth)--;
    return SOTTO_OK;
}

/* True if an operand ends before this word. An operator after a literal would make an expression
 * of it. ESCAPE '0' + visits is the text of a sum. It fails on a row where that is not one
 * character. */
static bool ends_operand(const sql_token *token)
{
    static const char *const words[] = {")",    ",",   ";",    "and",  "or", "then",
                                        "else", "end", "when", "from", "as", NULL};
    return token->kind == TOKEN_END || is_any(token, words);
}

/* Checks the operand of LIKE, GLOB and ESCAPE: one literal, and nothing that continues
 * it. */
static sotto_status check_pattern(const sql_token *word, const char *behind,
                                  sotto_error *error)
{
    const bool escapes = is(word, "escape");
    const sql_token literal = next_token(&behind);
    if (escapes ? !is_one_character(&literal) : literal.kind != TOKEN_TEXT)
        return refuse(word,
                      escapes
                          ? "fails on a row where it is not one character; write out a "
                            "single ASCII one, in single quotes"
                          : "needs a pattern that is written out, in single quotes",
                      error);
    const sql_token next = next_token(&behind);
    if (ends_operand(&next) || (!escapes && is(&next, "escape"))) return SOTTO_OK;
    return refuse(&next,
                  "continues a pattern or an escape, which must be one literal; put the "
                  "comparison into parentheses",
                  error);
}

/* Checks expressions, up to FROM or the end; *out_end is behind their last word. A quoted
 * function name is also a function for SQLite; the check of patterns would miss it. */
static sotto_status check_expressions(const char **at, sql_token *out_next,
                                      const char **out_end, sotto_error *error)
{
    static const char *const patterns[] = {"like", "glob", "escape", NULL};
    size_t depth = 0;
    sql_token next = next_token(at);
    while (next.kind != TOKEN_END && !is(&next, "from") && !is(&next, ";")) {
        const sql_token word = next;
        sotto_status status = follow_depth(&word, &depth, error);
        if (status != SOTTO_OK) return status;
        *out_end = word.text + word.size_bytes;
        if (is_foreign(&word)) return refuse(&word, in_quotes, error);
        if (mixes_rows(&word)) return refuse(&word, one_table, error);
        if (is(&word, "||"))
            return refuse(&word,
                          "may make a text that is too long, and fail; "
                          "select the columns themselves",
                          error);
        if (is_any(&word, patterns)) {
            status = check_pattern(&word, *at, error);
            if (status != SOTTO_OK) return status;
        }
        next = next_token(at);
        if (is(&word, "in") && !is(&next, "("))
            return refuse(&word, "needs a list of values, in parentheses", error);
        if (word.kind == TOKEN_QUOTED && is(&next, "("))
            return refuse(&word, "is a function in quotes; write it without them", error);
    }
    if (depth > 0) return refuse(&next, "comes before a closing parenthesis", error);
    *out_next = next;
    if (depth > 0) return refuse(&next, "comes before a closing parenthesis", error);
    return SOTTO_OK;
}

sotto_status sot_query_check(const char *text, sot_query_parts *out_parts,
                             sotto_error *error)
{
    const char *at = text;
    const char *end = text;
    *out_parts = (sot_query_parts){0};
    if (strlen(text) > SOT_QUERY_BYTES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the query has more than %d bytes; store its result in a table",
                        (int)SOT_QUERY_BYTES_MAX);
    }
    sql_token next = next_token(&at);
    if (!is(&next, "select"))
        return refuse(&next,
                      "does not begin a query of records; give SELECT columns "
                      "FROM one table WHERE a condition on its row",
                      error);
    sotto_status status = check_expressions(&at, &next, &end, error);
    if (status != SOTTO_OK) return status;
    if (!is(&next, "from"))
        return refuse(&next, "comes before FROM; say which table the rows are in", error);
    status = check_from(&at, &next, &end, error);
    out_parts->from_end = (size_t)(end - text);
    if (status == SOTTO_OK && is(&next, "where")) {
        end = at;
        out_parts->where_begin = (size_t)(at - text);
        status = check_expressions(&at, &next, &end, error);
        out_parts->where_end = (size_t)(end - text);
    }
    if (status != SOTTO_OK) return status;
    if (is(&next, ";")) next = next_token(&at);
    if (next.kind != TOKEN_END)
        return refuse(&next, "stands behind the query; give one", error);
    return SOTTO_OK;
}

bool sot_query_has_condition(const char *text)
{
    const char *at = text;
    for (sql_token next = next_token(&at); next.kind != TOKEN_END; next = next_token(&at))
        if (is(&next, "where")) return true;
    return false;
}

/* ---- the select list ---- */

/* A word that can only be a column: not a number, and not a literal of SQLite's. */
static bool is_column_name(const sql_token *token)
{
    static const char *const literals[] = {
        "null", "true", "false", "current_time", "current_date", "current_timestamp",
        NULL};
    if (token->kind == TOKEN_QUOTED) return true;
    return token->kind == TOKEN_WORD &&
           !(token->text[0] >= '0' && token->text[0] <= '9') && !is_any(token, literals);
}

/* True if the word is this name, compared like SQLite does: without case, a doubled quote
 * inside quotes is one. */
static bool is_name(const sql_token *token, const char *name)
{
    const bool quoted = token->kind == TOKEN_QUOTED;
    const char *at = token->text + (quoted ? 1 : 0);
    const char *const end = token->text + token->size_bytes - (quoted ? 1 : 0);
    const char quote = quoted && token->text[0] != '[' ? token->text[0] : '\0';
    for (; at < end && *name != '\0'; at++, name++) {
        if (strncasecmp(at, name, 1) != 0) return false;
        if (*at == quote) at++;
    }
    return at == end && *name == '\0';
}

/* One item of a select list. */
typedef struct list_item {
    bool is_star;
    bool
        is_bare; /* a star or a name, qualified or not: neither an expression nor with an alias */
    sql_token last; /* the name, if it is bare */
} list_item;

/* Moves *at behind the item's comma; false at FROM. */
static bool next_item(const char **at, list_item *out_item)
{
    size_t depth = 0;
    size_t tokens = 0;
    bool is_path = true; /* name . name . name */
    sql_token last = {TOKEN_END, NULL, 0};
    sql_token next = next_token(at);
    while (next.kind != TOKEN_END && !is(&next, "from") &&
           !(depth == 0 && is(&next, ","))) {
        const bool is_part = is_column_name(&next) || is(&next, "*");
        is_path = is_path && (tokens % 2 == 0 ? is_part : is(&next, "."));
        if (is(&next, "(")) depth++;
        if (is(&next, ")") && depth > 0) depth--;
        tokens++;
        last = next;
        next = next_token(at);
    }
    const bool is_bare = is_path && tokens % 2 == 1;
    *out_item = (list_item){is_bare && is(&last, "*"), is_bare, last};
    return is(&next, ",");
}

bool sot_query_selects_column(const char *text, size_t columns, size_t column,
                              const char *name)
{
    size_t stars = 0;
    size_t others = 0;
    bool more = true;
    list_item item = {.is_star = false};
    const char *at = text;
    (void)next_token(&at); /* SELECT */
    const char *const begin = at;
    while (more) {
        more = next_item(&at, &item);
        stars += item.is_star ? 1 : 0;
        others += item.is_star ? 0 : 1;
    }
    const size_t width = stars == 0 || columns < others ? 0 : (columns - others) / stars;
    size_t place = 0;
    at = begin;
    for (more = true; more;) {
        more = next_item(&at, &item);
        place += item.is_star ? width : 1;
        if (column < place)
            return item.is_star || (item.is_bare && is_name(&item.last, name));
    }
    return false;
}

/* ---- functions ---- */

bool sot_query_function_is_total(const char *name)
{
    /* Excluded: abs() fails on the smallest integer, lower() and trim() on texts near SQLite's
     * limit. json_ and other functions fail on malformed texts. min() and max() may be
     * aggregates. date() and similar read the clock if a cell is 'now', and could choose other
     * rows in the next pass. */
    static const char *const names[] = {"coalesce", "glob",   "ifnull",    "iif",
                                        "instr",    "length", "like",      "nullif",
                                        "round",    "substr", "substring", "typeof"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i], name) == 0) return true;
    return false;
}
