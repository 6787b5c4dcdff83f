/* Queries from a grammar: select lists and conditions of everything that SQLite's expressions have, in odd spellings; and now
 * and then something that must be refused. The same for the same seed. */
#ifndef SOTTO_TESTS_QUERY_GRAMMAR_H
#define SOTTO_TESTS_QUERY_GRAMMAR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query_spoilers.h"

enum { GRAMMAR_BYTES = 8000 };

typedef struct grammar {
    uint64_t state;
    char text[GRAMMAR_BYTES];
    size_t used;
    bool
        must_be_refused; /* one row decides about others, or there is more than one table */
    bool has_condition;
} grammar;

#define GRAMMAR_LENGTH(list) (sizeof(list) / sizeof(list)[0])
#define GRAMMAR_PICK(self, list)                                                         \
    ((list)[grammar_below((self), (uint64_t)GRAMMAR_LENGTH(list))])

/* SplitMix64 (Steele, Lea & Flood). */
static inline uint64_t grammar_below(grammar *self, uint64_t bound)
{
    uint64_t z = self->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % bound;
}

/* Once in `times`. */
static inline bool grammar_chance(grammar *self, uint64_t times)
{
    return grammar_below(self, times) == 0;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static inline void
grammar_add(grammar *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(self->text + self->used, GRAMMAR_BYTES - self->used, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= GRAMMAR_BYTES - self->used) abort();
    self->used += (size_t)size;
}

static inline void grammar_blank(grammar *self)
{
    static const char *const odd[] = {"\n",        "\t ",           "/**/",
                                      " /* x */ ", " -- where\n",   "\f",
                                      "/* ' */",   " /*/ \" ' */ ", " --'\n"};
    grammar_add(self, "%s", grammar_chance(self, 6) ? GRAMMAR_PICK(self, odd) : " ");
}

/* A keyword, in capitals or not, with blanks around it. */
static inline void grammar_word(grammar *self, const char *word)
{
    const bool small = grammar_chance(self, 4);
    grammar_blank(self);
    for (; *word != '\0'; word++)
        grammar_add(self, "%c",
                    small && *word >= 'A' && *word <= 'Z' ? *word + 32 : *word);
    grammar_blank(self);
}

/* ---- expressions ---- */

static inline void grammar_expression(grammar *self, int depth);

static inline void grammar_leaf(grammar *self)
{
    static const char *const columns[] = {
        "age",  "visits",       "town",      "person",   "smokes",
        "note", "\"odd name\"", "`where`",   "[select]", "t.age",
        "AGE",  "main.t.age",   "\"a\"\"b\""};
    static const char *const literals[] = {"0",
                                           "1",
                                           "-1",
                                           "85.5",
                                           "1e308",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "0x7fffffffffffffff",
                                           "NULL",
                                           "'Lund'",
                                           "''",
                                           "'it''s'",
                                           "' where '",
                                           "x'00ff'",
                                           "TRUE",
                                           "1e-320",
                                           "'2020-02-30'"};
    static const char *const others[] = {"rowid", "_rowid_", "oid", "\"Lund\"",
                                         "nothing"};
    const uint64_t kind = grammar_below(self, 40);
    grammar_add(self, "%s",
                kind == 0   ? GRAMMAR_PICK(self, others)
                : kind < 26 ? GRAMMAR_PICK(self, columns)
                            : GRAMMAR_PICK(self, literals));
}

static inline void grammar_list(grammar *self, int depth, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0) grammar_add(self, ",");
        grammar_expression(self, depth);
    }
}

static inline void grammar_call(grammar *self, int depth)
{
    static const struct {
        const char *name;
        uint64_t least, most;
    } total[] = {{"coalesce", 2, 4}, {"ifnull", 2, 2},    {"iif", 3, 3},
                 {"nullif", 2, 2},   {"length", 1, 1},    {"instr", 2, 2},
                 {"substr", 2, 3},   {"substring", 3, 3}, {"round", 1, 2},
                 {"date", 1, 3},     {"time", 1, 2},      {"datetime", 1, 2},
                 {"typeof", 1, 1},   {"julianday", 1, 2}, {"COALESCE", 2, 2}};
    static const char *const others[] = {
        "abs",  "lower", "trim",     "hex",  "random",     "max",   "min",
        "char", "json",  "printf",   "like", "\"length\"", "count", "sum",
        "glob", "quote", "strftime", "sign", "unicode",    "likely"};
    if (grammar_chance(self, 60)) {
        grammar_add(self, "%s(", GRAMMAR_PICK(self, others));
        grammar_list(self, depth - 1, 1 + grammar_below(self, 2));
    } else {
        const size_t which = (size_t)grammar_below(self, GRAMMAR_LENGTH(total));
        const uint64_t span = total[which].most - total[which].least + 1;
        grammar_add(self, "%s(", total[which].name);
        grammar_list(self, depth - 1, total[which].least + grammar_below(self, span));
    }
    grammar_add(self, ")");
}

static inline void grammar_binary(grammar *self, int depth)
{
    static const char *const signs[] = {
        "+",  "-", "*",  "/",  "%",  "<<", ">>",     "&",   "|",  "<",   "<=", ">",
        ">=", "=", "==", "<>", "!=", "IS", "IS NOT", "AND", "OR", "AND", "OR"};
    static const char *const refused[] = {"||", "->", "->>", "REGEXP", "MATCH"};
    grammar_expression(self, depth - 1);
    grammar_word(self, grammar_chance(self, 100) ? GRAMMAR_PICK(self, refused)
                                                 : GRAMMAR_PICK(self, signs));
    grammar_expression(self, depth - 1);
}

static inline void grammar_pattern(grammar *self, int depth)
{
    static const char *const patterns[] = {"'%'",      "'L%d'",  "'_u%'",  "''",
                                           "'[a-z]*'", "'%%%%'", "'a''%'", "'!%x'"};
    grammar_expression(self, depth - 1);
    if (grammar_chance(self, 3)) grammar_word(self, "NOT");
    grammar_word(self, grammar_chance(self, 3) ? "GLOB" : "LIKE");
    if (grammar_chance(self, 25)) {
        grammar_add(self, "note");
    } else {
        grammar_add(self, "%s", GRAMMAR_PICK(self, patterns));
    }
    if (grammar_chance(self, 4)) {
        static const char *const escapes[] = {"'!'", "'x'", "'%'", "'!!'", "note"};
        grammar_word(self, "ESCAPE");
        grammar_add(self, "%s", GRAMMAR_PICK(self, escapes));
    }
}

static inline void grammar_special(grammar *self, int depth)
{
    static const char *const types[] = {"INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"};
    switch (grammar_below(self, 6)) {
    case 0:
        grammar_expression(self, depth - 1);
        if (grammar_chance(self, 3)) grammar_word(self, "NOT");
        grammar_word(self, "BETWEEN");
        grammar_expression(self, depth - 1);
        grammar_word(self, "AND");
        grammar_expression(self, depth - 1);
        break;
    case 1:
        grammar_expression(self, depth - 1);
        if (grammar_chance(self, 3)) grammar_word(self, "NOT");
        grammar_word(self, "IN");
        grammar_add(self, "(");
        grammar_list(self, depth - 1, grammar_below(self, 4));
        grammar_add(self, ")");
        break;
    case 2:
        grammar_add(self, "CASE");
        grammar_word(self, "WHEN");
        grammar_expression(self, depth - 1);
        grammar_word(self, "THEN");
        grammar_expression(self, depth - 1);
        if (grammar_chance(self, 2)) {
            grammar_word(self, "ELSE");
            grammar_expression(self, depth - 1);
        }
        grammar_word(self, "END");
        break;
    case 3:
        grammar_add(self, "CAST(");
        grammar_expression(self, depth - 1);
        grammar_word(self, "AS");
        grammar_add(self, "%s)", GRAMMAR_PICK(self, types));
        break;
    case 4:
        grammar_expression(self, depth - 1);
        grammar_add(self, " COLLATE %s", grammar_chance(self, 2) ? "NOCASE" : "BINARY");
        break;
    default:
        grammar_expression(self, depth - 1);
        grammar_word(self, grammar_chance(self, 2) ? "ISNULL" : "IS NOT NULL");
        break;
    }
}

/* Parentheses wherever precedence could surprise: what SQLite reads is what was meant. */
static inline void grammar_expression(grammar *self, int depth)
{
    static const char *const unary[] = {"-", "+", "~", "NOT ", "- -"};
    if (depth <= 0 || grammar_chance(self, 4)) {
        grammar_leaf(self);
        return;
    }
    grammar_add(self, "(");
    switch (grammar_below(self, 6)) {
    case 0:
        grammar_call(self, depth);
        break;
    case 1:
        grammar_pattern(self, depth);
        break;
    case 2:
        grammar_special(self, depth);
        break;
    case 3:
        grammar_add(self, "%s", GRAMMAR_PICK(self, unary));
        grammar_expression(self, depth - 1);
        break;
    default:
        grammar_binary(self, depth);
        break;
    }
    grammar_add(self, ")");
}

/* Places of rows, for which SQLite has a search of its own even without an index. */
static inline void grammar_places(grammar *self)
{
    static const char *const names[] = {"rowid", "t.rowid", "_rowid_", "key", "person"};
    static const char *const signs[] = {"=", ">", "<", ">=", "<=", "<>"};
    const char *name = GRAMMAR_PICK(self, names);
    const uint64_t terms = 1 + grammar_below(self, 4);
    for (uint64_t i = 0; i < terms; i++) {
        const uint64_t place = 3 + 10 * grammar_below(self, 12);
        if (i > 0) grammar_word(self, grammar_chance(self, 4) ? "AND" : "OR");
        if (grammar_chance(self, 3)) {
            grammar_add(self, "%s IN (%d, '8', %d, 'p1', 'p3')", name, (int)place,
                        (int)(103 - place));
        } else if (grammar_chance(self, 3)) {
            grammar_add(self, "%s BETWEEN '%d' AND %d", name, (int)place,
                        (int)(place + 30));
        } else {
            grammar_add(self, "%s %s %s%d%s", name, GRAMMAR_PICK(self, signs),
                        name[0] == 'p' ? "'p" : "", (int)place / 10,
                        name[0] == 'p' ? "'" : "3");
        }
        if (grammar_chance(self, 6)) grammar_add(self, " AND age > 80");
    }
}

/* ---- queries ---- */

/* A column of the schema: itself in one of its spellings, or an expression. */
static inline void grammar_item(grammar *self, const char *name)
{
    switch (grammar_below(self, 8)) {
    case 0:
        grammar_add(self, "t.%s", name);
        break;
    case 1:
        grammar_add(self, "\"%s\"", name);
        break;
    case 2:
    case 3:
        grammar_expression(self, 2);
        grammar_add(self, "%s%s", grammar_chance(self, 3) ? " " : " AS ", name);
        break;
    default:
        grammar_add(self, "%s", name);
        break;
    }
}

static inline void grammar_from(grammar *self, const grammar_spoiler *spoiler)
{
    static const char *const tables[] = {"t",   "t",      "t",   "\"t\"",
                                         "[t]", "main.t", "`t`", "T"};
    grammar_word(self, "FROM");
    if (spoiler != NULL && spoiler->where == SPOILS_FROM) {
        grammar_add(self, "%s", spoiler->text);
        return;
    }
    grammar_add(self, "%s", GRAMMAR_PICK(self, tables));
    if (grammar_chance(self, 8)) grammar_add(self, " AS t");
}

/* An OR of all: SQLite gets to the spoiler whatever the rest is. */
static inline void grammar_condition(grammar *self, const grammar_spoiler *spoiler)
{
    const bool is_spoilt = spoiler != NULL && spoiler->where == SPOILS_CONDITION;
    self->has_condition = is_spoilt || !grammar_chance(self, 4);
    if (!self->has_condition) return;
    grammar_word(self, "WHERE");
    if (is_spoilt) grammar_add(self, "%s OR ", spoiler->text);
    if (grammar_chance(self, 5)) {
        grammar_places(self);
    } else {
        grammar_expression(self, 3);
    }
}

/* Every fourth one is spoilt, each time by another spoiler. */
static inline const char *grammar_query(grammar *self, uint64_t seed)
{
    static const char *const names[] = {"age", "visits", "town", "person", "smokes"};
    const grammar_spoiler *spoiler =
        seed % 4 == 0 ? &grammar_spoilers[seed / 4 % GRAMMAR_LENGTH(grammar_spoilers)]
                      : NULL;
    *self = (grammar){.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
                      .must_be_refused = spoiler != NULL};
    const size_t first =
        spoiler != NULL ? 0 : (size_t)grammar_below(self, GRAMMAR_LENGTH(names));
    grammar_word(self,
                 spoiler == NULL && grammar_chance(self, 20) ? "SELECT ALL" : "SELECT");
    for (size_t i = 0; i < GRAMMAR_LENGTH(names); i++) {
        const char *name = names[(first + i) % GRAMMAR_LENGTH(names)];
        if (i > 0) grammar_add(self, ",%s", grammar_chance(self, 2) ? " " : "");
        if (spoiler == NULL) {
            grammar_item(self, name);
        } else if (spoiler->where == SPOILS_ITEM && i == 0) {
            grammar_add(self, "%s", spoiler->text);
        } else {
            grammar_add(self, "t.%s", name); /* nothing else is to blame */
        }
    }
    grammar_from(self, spoiler);
    grammar_condition(self, spoiler);
    if (spoiler != NULL && spoiler->where == SPOILS_END)
        grammar_add(self, "%s", spoiler->text);
    if (grammar_chance(self, 6))
        grammar_add(self, "%s", grammar_chance(self, 2) ? ";" : " -- LIMIT 1");
    return self->text;
}

#endif
