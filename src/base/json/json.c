#include "base/json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json/parser.h"
#include "base/json/tree.h"
#include "base/memory.h"
#include "base/text.h"

static sotto_status parse_value(sot_json_parser *parser, sot_json_node *out);

static void free_node(const sot_json_node *node)
{
    if (node->kind != SOT_JSON_OBJECT && node->kind != SOT_JSON_ARRAY) return;
    for (size_t i = 0; i < node->child_count; i++)
        free_node(&node->is.children[i]);
    sot_free(node->is.children);
    sot_free(node->by_key);
}

static void skip_blanks(sot_json_parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t' ||
                                        *parser->at == '\n' || *parser->at == '\r'))
        parser->at++;
}

/* Takes the byte if it comes next, after blanks. */
static bool take(sot_json_parser *parser, char byte)
{
    skip_blanks(parser);
    if (parser->at == parser->end || *parser->at != byte) return false;
    parser->at++;
    return true;
}

static bool is_word(const sot_json_parser *parser, const char *word, bool ignoring_case)
{
    const size_t length = strlen(word);
    if ((size_t)(parser->end - parser->at) < length) return false;
    for (size_t i = 0; i < length; i++) {
        const char c = parser->at[i];
        if (c != word[i] && !(ignoring_case && (c | 0x20) == word[i])) return false;
    }
    return (size_t)(parser->end - parser->at) == length ||
           !sot_json_is_word_byte(parser->at[length]);
}

static sotto_status parse_word(sot_json_parser *parser, sot_json_node *out)
{
    static const struct {
        const char *word;
        sot_json_kind kind;
        bool truth;
    } words[] = {{"true", SOT_JSON_BOOLEAN, true},
                 {"false", SOT_JSON_BOOLEAN, false},
                 {"null", SOT_JSON_NULL, false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_word(parser, words[i].word, false)) continue;
        out->kind = words[i].kind;
        out->truth = words[i].truth;
        parser->at += strlen(words[i].word);
        return SOTTO_OK;
    }
    static const char *const not_finite[] = {"nan",  "inf",  "infinity",
                                             "-nan", "-inf", "-infinity"};
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++)
        if (is_word(parser, not_finite[i], true))
            return sot_json_refuse_here(parser, "give a finite number");
    if (parser->at < parser->end &&
        (*parser->at == '-' || (*parser->at >= '0' && *parser->at <= '9')))
        return sot_json_parse_number(parser, out);
    return sot_json_refuse_here(parser, "give a value");
}

static sotto_status push(sot_json_parser *parser, const sot_json_node *node)
{
    if (parser->pending_count == parser->pending_capacity) {
        const size_t capacity = parser->pending_capacity * 2 + 16;
        sot_json_node *grown = sot_resize_array(parser->pending, parser->pending_capacity,
                                                capacity, sizeof *grown);
        if (grown == NULL) return sot_fail_memory(parser->error, capacity, sizeof *grown);
        parser->pending = grown;
        parser->pending_capacity = capacity;
    }
    parser->pending[parser->pending_count++] = *node;
    return SOTTO_OK;
}

/* Moves the values pushed since `first` into the container that has just been closed. */
static sotto_status adopt(sot_json_parser *parser, size_t first, sot_json_node *container)
{
    const size_t count = parser->pending_count - first;
    if (count == 0) return SOTTO_OK;
    sot_json_node *children = sot_new_array(count, sizeof *children);
    if (children == NULL) return sot_fail_memory(parser->error, count, sizeof *children);
    memcpy(children, parser->pending + first, count * sizeof *children);
    container->is.children = children;
    container->child_count = count;
    parser->pending_count = first;
    return SOTTO_OK;
}

/* By name, and by place among equals. */
static int compare_members(const void *left, const void *right)
{
    const sot_json_node *const a = *(const sot_json_node *const *)left;
    const sot_json_node *const b = *(const sot_json_node *const *)right;
    const int order = strcmp(a->key, b->key);
    return order != 0 ? order
                      : (a->key_offset > b->key_offset) - (a->key_offset < b->key_offset);
}

static sotto_status index_members(sot_json_parser *parser, sot_json_node *object)
{
    const size_t count = object->child_count;
    if (count == 0) return SOTTO_OK;
    const sot_json_node **by_key = sot_new_array(count, sizeof *by_key);
    if (by_key == NULL) return sot_fail_memory(parser->error, count, sizeof *by_key);
    object->by_key = by_key;
    for (size_t i = 0; i < count; i++)
        by_key[i] = &object->is.children[i];
    qsort(by_key, count, sizeof *by_key, compare_members);
    for (size_t i = 1; i < count; i++)
        if (strcmp(by_key[i - 1]->key, by_key[i]->key) == 0) {
            const char *const again = parser->text + by_key[i]->key_offset;
            return sot_json_refuse_at(parser, again, strlen(by_key[i]->key) + 2,
                                      "is a key this object already has");
        }
    return SOTTO_OK;
}

/* "key": and then the value, of an object; only the value, of an array. */
static sotto_status parse_child(sot_json_parser *parser, bool is_object)
{
    sot_json_node child = {0};
    sotto_status status;
    if (is_object) {
        skip_blanks(parser);
        if (parser->at == parser->end || *parser->at != '"')
            return sot_json_refuse_here(parser, "give a key in double quotes");
        child.key_offset = (size_t)(parser->at - parser->text);
        status = sot_json_parse_string(parser, &child.key);
        if (status != SOTTO_OK) return status;
        if (!take(parser, ':')) return sot_json_refuse_here(parser, "put a colon here");
    }
    status = parse_value(parser, &child);
    if (status == SOTTO_OK) {
        status = push(parser, &child);
        if (status == SOTTO_OK) return SOTTO_OK;
    }
    free_node(&child);
    return status;
}

static sotto_status parse_container(sot_json_parser *parser, sot_json_node *out)
{
    const bool is_object = *parser->at == '{';
    const char closing = is_object ? '}' : ']';
    const size_t first = parser->pending_count;
    out->kind = is_object ? SOT_JSON_OBJECT : SOT_JSON_ARRAY;
    if (++parser->depth > SOT_JSON_DEPTH_MAX)
        return sot_json_refuse_at(parser, parser->at, 0,
                                  "nested deeper than 32 levels; flatten it");
    parser->at++;
    if (!take(parser, closing)) {
        do {
            const sotto_status status = parse_child(parser, is_object);
            if (status != SOTTO_OK) return status;
        } while (take(parser, ','));
        if (!take(parser, closing))
            return sot_json_refuse_here(parser, is_object ? "put a comma or } here"
                                                          : "put a comma or ] here");
    }
    parser->depth--;
    const sotto_status status = adopt(parser, first, out);
    if (status != SOTTO_OK || !is_object) return status;
    return index_members(parser, out);
}

static sotto_status parse_value(sot_json_parser *parser, sot_json_node *out)
{
    skip_blanks(parser);
    if (parser->at == parser->end) return sot_json_refuse_here(parser, "give a value");
    if (*parser->at == '{' || *parser->at == '[') return parse_container(parser, out);
    if (*parser->at == '"') {
        out->kind = SOT_JSON_STRING;
        return sot_json_parse_string(parser, &out->is.text);
    }
    return parse_word(parser, out);
}

static sotto_status parse_text(sot_json_parser *parser)
{
    if (parser->end - parser->text >= 3 && memcmp(parser->text, "\xEF\xBB\xBF", 3) == 0)
        return sot_json_refuse_at(
            parser, parser->text, 0,
            "begins with a byte order mark; save it as plain UTF-8");
    skip_blanks(parser);
    if (parser->at == parser->end)
        return sot_json_refuse_here(parser, "give an object {...} or an array [...]");
    /* Perhaps rows in the place of a schema: no word of theirs is quoted. */
    if (*parser->at != '{' && *parser->at != '[')
        return sot_json_refuse_at(
            parser, parser->at, 0,
            "this is not JSON; give an object {...} or an array [...]");
    const sotto_status status = parse_value(parser, &parser->document->root);
    if (status != SOTTO_OK) return status;
    skip_blanks(parser);
    if (parser->at < parser->end)
        return sot_json_refuse_here(parser, "nothing may follow");
    return SOTTO_OK;
}

sotto_status sot_json_parse(const char *name, const char *text, size_t size_bytes,
                            size_t size_max_bytes, sot_json **out_document,
                            sotto_error *error)
{
    char shown[SOT_JSON_NAME_BYTES - 2] = "";
    const char *const colon = name != NULL ? ": " : "";
    if (name != NULL) (void)sot_printable(name, shown, sizeof shown);
    if (size_bytes > size_max_bytes)
        return sot_fail(error, SOTTO_PARSE, "%s%s%zu bytes of JSON; at most %zu are read",
                        shown, colon, size_bytes, size_max_bytes);
    if (size_bytes == 0) text = ""; /* it may be NULL, which has no end to point to */
    sot_json *document = sot_new_array(1, sizeof *document);
    if (document == NULL) return sot_fail_memory(error, 1, sizeof *document);
    (void)snprintf(document->prefix, sizeof document->prefix, "%s%s", shown, colon);
    sot_json_parser parser = {.text = text,
                              .at = text,
                              .end = text + size_bytes,
                              .document = document,
                              .error = error};
    document->strings = sot_new_array(size_bytes, 1);
    sotto_status status = document->strings != NULL
                              ? parse_text(&parser)
                              : sot_fail_memory(error, size_bytes, 1);
    for (size_t i = 0; i < parser.pending_count; i++) /* none, unless it failed */
        free_node(&parser.pending[i]);
    sot_free(parser.pending);
    if (status != SOTTO_OK) {
        sot_json_free(document);
        return status;
    }
    *out_document = document;
    return SOTTO_OK;
}

void sot_json_free(sot_json *document)
{
    if (document == NULL) return;
    free_node(&document->root);
    sot_free(document->strings);
    sot_free(document);
}
