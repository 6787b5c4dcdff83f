/* base/json/tree.h: the parsed document, as json.c builds it and value.c reads it. */
#ifndef SOT_BASE_JSON_TREE_H
#define SOT_BASE_JSON_TREE_H

#include "base/json/json.h"

typedef struct sot_json_node {
    sot_json_kind kind;
    bool truth;         /* BOOLEAN */
    const char *key;    /* its name, in an object */
    size_t key_offset;  /* where the name stands in the text */
    size_t child_count; /* OBJECT, ARRAY */
    union {
        int64_t integer;                /* INTEGER */
        double real;                    /* REAL */
        const char *text;               /* STRING */
        struct sot_json_node *children; /* OBJECT, ARRAY: in the order of the text */
    } is;
    const struct sot_json_node **by_key; /* OBJECT: the children, sorted */
} sot_json_node;

enum { SOT_JSON_NAME_BYTES = 80 };

struct sot_json {
    sot_json_node root;
    char *strings;                    /* all strings and keys, each with its NUL */
    char prefix[SOT_JSON_NAME_BYTES]; /* "plan.json: ", or empty */
};

#endif
