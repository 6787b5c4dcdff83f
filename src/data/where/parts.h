/* data/where/parts.h: a condition that was read, between its readers (words.c, grammar.c, read.c) and its answers (where.c). */
#ifndef SOT_DATA_WHERE_PARTS_H
#define SOT_DATA_WHERE_PARTS_H

#include "base/growing.h"
#include "data/where/where.h"

/* A condition is a program in postfix order: every test pushes a truth, AND and OR take two and push one, NOT takes one. */
typedef enum where_action {
    WHERE_AND = 1,
    WHERE_OR = 2,
    WHERE_NOT = 3,
    WHERE_IS_NULL = 4,
    WHERE_EQUAL = 5,
    WHERE_UNEQUAL = 6,
    WHERE_LESS = 7,
    WHERE_AT_MOST = 8,
    WHERE_GREATER = 9,
    WHERE_AT_LEAST = 10,
    WHERE_IN = 11,
    WHERE_BETWEEN = 12
} where_action;

typedef struct where_step {
    where_action action;
    size_t column; /* of a test */
    const sotto_column *described;
    size_t first, count; /* of a test: its literals */
} where_step;

typedef struct where_literal {
    double number;
    const char *text; /* NULL: a number, or a boolean as 0 or 1 */
    size_t size_bytes;
} where_literal;

/* An open parenthesis holds back at most the left operands of one OR and of one AND; so does the outermost level. */
enum { WHERE_STACK = 2 * (SOT_WHERE_DEPTH_MAX + 2) + 1 };

struct sot_where {
    const sotto_schema *schema;
    char *canonical;
    where_step
        *steps; /* room for one a byte of the text, which has at most as many words */
    size_t step_count;
    where_literal *literals;
    size_t literal_count;
    char *texts; /* of the literals */
    size_t text_bytes;
};

/* ---- words (words.c) ---- */

typedef enum word_kind {
    WORD_END,
    WORD_BARE,   /* a keyword or a name */
    WORD_QUOTED, /* a name in double quotes */
    WORD_TEXT,   /* a text in single quotes */
    WORD_NUMBER, /* with its sign */
    WORD_SIGN,   /* an operator, a parenthesis or a comma */
    WORD_WRONG   /* a byte that begins nothing, or a quote that does not end */
} word_kind;

typedef struct where_word {
    word_kind kind;
    const char *text;
    size_t size_bytes;
} where_word;

typedef struct where_reader {
    sot_where *where;
    const char *text; /* the whole condition */
    const char *at;   /* behind `word` */
    where_word word;  /* the next one */
    sot_growing canonical;
    size_t depth;
    size_t level_begin; /* of the canonical form, where no blank is due */
} where_reader;

/* The first word at or behind `at`, which a NUL ends. */
where_word sot_where_word_at(const char *at);

/* Makes the next word the reader's. */
void sot_where_advance(where_reader *reader);

/* True if the word is the keyword or sign, in either case. */
bool sot_where_is(const where_word *word, const char *wanted);
bool sot_where_is_keyword(const where_word *word);

/* States the position in the condition, counted in bytes from 1, the word there, and the
 * remedy. */
SOTTO_MUST_CHECK sotto_status sot_where_refuse(const where_reader *reader,
                                               const where_word *word, const char *remedy,
                                               sotto_error *error);

/* Refuses the current word, where `wanted` was expected; quotes that do not end and LIKE have remedies of their own. */
SOTTO_MUST_CHECK sotto_status sot_where_refuse_word(const where_reader *reader,
                                                    const char *wanted,
                                                    sotto_error *error);

/* ---- the canonical form (read.c) ---- */

void sot_where_write_word(where_reader *reader, const char *text, size_t size_bytes);
void sot_where_write_keyword(where_reader *reader, const char *keyword);
void sot_where_write_name(where_reader *reader, const char *name);
void sot_where_write_literal(where_reader *reader, const where_step *test,
                             const where_literal *literal);

/* ---- the grammar (grammar.c) ---- */

/* Reads from the current word to the end of the condition or to a parenthesis that closes it. */
SOTTO_MUST_CHECK sotto_status sot_where_read_or(where_reader *reader, sotto_error *error);

/* SIZE_MAX: the schema has no such column. */
size_t sot_where_find_column(const sotto_schema *schema, const char *name,
                             size_t size_bytes);
bool sot_where_is_category(const sotto_column *column, const char *text,
                           size_t size_bytes);

/* A test of the column without literals; appends a literal to it (`text` NULL: a number); appends a step. */
where_step sot_where_test_of(const where_reader *reader, size_t column);
where_literal *sot_where_keep_literal(where_reader *reader, where_step *test,
                                      double number, const char *text, size_t size_bytes);
void sot_where_add_step(sot_where *where, where_step step);

#endif
