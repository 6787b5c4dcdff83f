/* data/where_parts.h: a condition that was read, between its reader (where_read.c) and its answers (where.c). */
#ifndef SOT_DATA_WHERE_PARTS_H
#define SOT_DATA_WHERE_PARTS_H

#include "data/where.h"

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

#endif
