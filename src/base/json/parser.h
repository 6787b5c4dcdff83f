/* base/json/parser.h: the parser's state, shared by json.c (values) and token.c. */
#ifndef SOT_BASE_JSON_PARSER_H
#define SOT_BASE_JSON_PARSER_H

#include "base/json/tree.h"

/* A recursive descent over the grammar of RFC 8259; depth is capped, so the stack is too. */
typedef struct sot_json_parser {
    const char *text, *at, *end;
    sot_json *document;
    size_t strings_bytes;   /* used of document->strings */
    sot_json_node *pending; /* values of containers that are still open */
    size_t pending_count, pending_capacity;
    size_t depth;
    sotto_error *error;
} sot_json_parser;

/* SOTTO_PARSE, "plan.json: line 3: <word> <problem>". The word points into the text,
 * which gives the line, and may be empty. */
sotto_status sot_json_refuse_at(const sot_json_parser *parser, const char *word,
                                size_t length, const char *problem);

/* Reports that the text at the cursor is not the `wanted` element. */
sotto_status sot_json_refuse_here(const sot_json_parser *parser, const char *wanted);

/* True for bytes that people use in names and numbers. */
bool sot_json_is_word_byte(char c);

/* With the cursor on the opening quote; leaves it behind the closing one. The text lives in
 * the document. */
sotto_status sot_json_parse_string(sot_json_parser *parser, const char **out);

/* With the cursor on '-' or a digit. */
sotto_status sot_json_parse_number(sot_json_parser *parser, sot_json_node *out);

#endif
