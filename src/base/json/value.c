/* Reads a parsed document of base/json/json.h, with messages that name the place. */
#include "base/json/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json/tree.h"
#include "base/text.h"

enum { PATH_BYTES = 112, KEY_BYTES = 40, QUOTE_BYTES = 48 };

sot_json_value sot_json_root(const sot_json *document)
{
    return (sot_json_value){.document = document, .node = &document->root};
}

sot_json_kind sot_json_kind_of(const sot_json_value *value)
{
    return value->node->kind;
}

size_t sot_json_size(const sot_json_value *value)
{
    return value->node->child_count;
}

static sot_json_value child_of(const sot_json_value *parent, const sot_json_node *node)
{
    return (sot_json_value){
        .document = parent->document,
        .parent = parent,
        .node = node,
        .index = (size_t)(node - parent->node->is.children),
    };
}

sot_json_value sot_json_item(const sot_json_value *array, size_t index)
{
    assert(array->node->kind == SOT_JSON_ARRAY && index < array->node->child_count);
    return child_of(array, &array->node->is.children[index]);
}

bool sot_json_member(const sot_json_value *object, const char *key,
                     sot_json_value *out_member)
{
    if (object->node->kind != SOT_JSON_OBJECT) return false;
    size_t low = 0, high = object->node->child_count;
    while (low < high) { /* a binary search: files may have many columns */
        const size_t middle = low + (high - low) / 2;
        const sot_json_node *const candidate = object->node->by_key[middle];
        const int order = strcmp(key, candidate->key);
        if (order == 0) {
            *out_member = child_of(object, candidate);
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

bool sot_json_first_member(const sot_json_value *object, sot_json_value *out_member)
{
    if (object->node->kind != SOT_JSON_OBJECT || object->node->child_count == 0)
        return false;
    *out_member = child_of(object, object->node->is.children);
    return true;
}

bool sot_json_next_member(sot_json_value *member)
{
    const sot_json_node *const object = member->parent->node;
    if (member->index + 1 >= object->child_count) return false;
    *member = child_of(member->parent, &object->is.children[member->index + 1]);
    return true;
}

const char *sot_json_key_of(const sot_json_value *value)
{
    return value->node->key;
}

/* Appends to a buffer of PATH_BYTES; longer paths are truncated. */
static void append(char *path, const char *more)
{
    const size_t used = strlen(path);
    (void)snprintf(path + used, PATH_BYTES - used, "%s", more);
}

/* events[3].rate; recursion is at most SOT_JSON_DEPTH_MAX deep. */
static void write_path(const sot_json_value *value, char *path)
{
    if (value->parent == NULL) return;
    write_path(value->parent, path);
    char step[KEY_BYTES];
    if (value->node->key == NULL) {
        (void)snprintf(step, sizeof step, "[%zu]", value->index);
        append(path, step);
        return;
    }
    if (path[0] != '\0') append(path, ".");
    append(path, sot_printable(value->node->key, step, sizeof step));
}

static const char *path_of(const sot_json_value *value, char path[PATH_BYTES])
{
    path[0] = '\0';
    write_path(value, path);
    return path[0] != '\0' ? path : "the top level";
}

/* Describes a value in a few words. */
static void describe(const sot_json_value *value, char text[QUOTE_BYTES])
{
    char shown[QUOTE_BYTES - 2];
    switch (sot_json_kind_of(value)) {
    case SOT_JSON_OBJECT:
        (void)snprintf(text, QUOTE_BYTES, "an object");
        return;
    case SOT_JSON_ARRAY:
        (void)snprintf(text, QUOTE_BYTES, "an array");
        return;
    case SOT_JSON_STRING:
        (void)snprintf(text, QUOTE_BYTES, "\"%s\"",
                       sot_printable(value->node->is.text, shown, sizeof shown));
        return;
    case SOT_JSON_INTEGER:
        (void)snprintf(text, QUOTE_BYTES, "%lld", (long long)value->node->is.integer);
        return;
    case SOT_JSON_REAL:
        sot_format_double(value->node->is.real, shown);
        (void)snprintf(text, QUOTE_BYTES, "%s", shown);
        return;
    case SOT_JSON_BOOLEAN:
        (void)snprintf(text, QUOTE_BYTES, value->node->truth ? "true" : "false");
        return;
    case SOT_JSON_NULL:
        break;
    }
    (void)snprintf(text, QUOTE_BYTES, "null");
}

sotto_status sot_json_refuse(const sot_json_value *value, const char *remedy,
                             sotto_error *error)
{
    char path[PATH_BYTES], what[QUOTE_BYTES];
    describe(value, what);
    return sot_fail(error, SOTTO_PARSE, "%s%s is %s; %s", value->document->prefix,
                    path_of(value, path), what, remedy);
}

static const char GIVE_NUMBER[] = "give a number";
static const char GIVE_INTEGER[] = "give a whole number";
static const char GIVE_BOOL[] = "give true or false";
static const char GIVE_STRING[] = "give a string in quotes";
static const char GIVE_OBJECT[] = "give an object {...}";
static const char GIVE_ARRAY[] = "give an array [...]";

sotto_status sot_json_as_double(const sot_json_value *value, double *out_number,
                                sotto_error *error)
{
    if (value->node->kind == SOT_JSON_REAL) {
        *out_number = value->node->is.real;
    } else if (value->node->kind == SOT_JSON_INTEGER) {
        *out_number = (double)value->node->is.integer;
    } else {
        return sot_json_refuse(value, GIVE_NUMBER, error);
    }
    return SOTTO_OK;
}

/* Whole and below 2^53, so that the real names one integer and no neighbour of it. */
static bool is_whole(const sot_json_node *node)
{
    const double whole_max = 9007199254740992.0;
    return node->kind == SOT_JSON_REAL && node->is.real == floor(node->is.real) &&
           fabs(node->is.real) < whole_max;
}

sotto_status sot_json_as_int64(const sot_json_value *value, int64_t *out_number,
                               sotto_error *error)
{
    if (value->node->kind == SOT_JSON_INTEGER) {
        *out_number = value->node->is.integer;
    } else if (is_whole(value->node)) {
        *out_number = (int64_t)value->node->is.real;
    } else {
        return sot_json_refuse(value, GIVE_INTEGER, error);
    }
    return SOTTO_OK;
}

sotto_status sot_json_as_bool(const sot_json_value *value, bool *out_truth,
                              sotto_error *error)
{
    if (value->node->kind != SOT_JSON_BOOLEAN)
        return sot_json_refuse(value, GIVE_BOOL, error);
    *out_truth = value->node->truth;
    return SOTTO_OK;
}

sotto_status sot_json_as_string(const sot_json_value *value, const char **out_text,
                                sotto_error *error)
{
    if (value->node->kind != SOT_JSON_STRING)
        return sot_json_refuse(value, GIVE_STRING, error);
    *out_text = value->node->is.text;
    return SOTTO_OK;
}

sotto_status sot_json_as_object(const sot_json_value *value, sotto_error *error)
{
    if (value->node->kind != SOT_JSON_OBJECT)
        return sot_json_refuse(value, GIVE_OBJECT, error);
    return SOTTO_OK;
}

sotto_status sot_json_as_array(const sot_json_value *value, sotto_error *error)
{
    if (value->node->kind != SOT_JSON_ARRAY)
        return sot_json_refuse(value, GIVE_ARRAY, error);
    return SOTTO_OK;
}

/* Returns the member, or a message that it is missing with the remedy. */
static sotto_status need_member(const sot_json_value *object, const char *key,
                                const char *remedy, sot_json_value *out_member,
                                sotto_error *error)
{
    if (sot_json_member(object, key, out_member)) return SOTTO_OK;
    if (object->node->kind != SOT_JSON_OBJECT)
        return sot_json_refuse(object, GIVE_OBJECT, error);
    char path[PATH_BYTES];
    return sot_fail(error, SOTTO_PARSE, "%s%s has no \"%s\"; %s",
                    object->document->prefix, path_of(object, path), key, remedy);
}

sotto_status sot_json_get_double(const sot_json_value *object, const char *key,
                                 double *out_number, sotto_error *error)
{
    sot_json_value member;
    const sotto_status status = need_member(object, key, GIVE_NUMBER, &member, error);
    return status == SOTTO_OK ? sot_json_as_double(&member, out_number, error) : status;
}

sotto_status sot_json_get_int64(const sot_json_value *object, const char *key,
                                int64_t *out_number, sotto_error *error)
{
    sot_json_value member;
    const sotto_status status = need_member(object, key, GIVE_INTEGER, &member, error);
    return status == SOTTO_OK ? sot_json_as_int64(&member, out_number, error) : status;
}

sotto_status sot_json_get_bool(const sot_json_value *object, const char *key,
                               bool *out_truth, sotto_error *error)
{
    sot_json_value member;
    const sotto_status status = need_member(object, key, GIVE_BOOL, &member, error);
    return status == SOTTO_OK ? sot_json_as_bool(&member, out_truth, error) : status;
}

sotto_status sot_json_get_string(const sot_json_value *object, const char *key,
                                 const char **out_text, sotto_error *error)
{
    sot_json_value member;
    const sotto_status status = need_member(object, key, GIVE_STRING, &member, error);
    return status == SOTTO_OK ? sot_json_as_string(&member, out_text, error) : status;
}

sotto_status sot_json_get_object(const sot_json_value *object, const char *key,
                                 sot_json_value *out_member, sotto_error *error)
{
    const sotto_status status = need_member(object, key, GIVE_OBJECT, out_member, error);
    return status == SOTTO_OK ? sot_json_as_object(out_member, error) : status;
}

sotto_status sot_json_get_array(const sot_json_value *object, const char *key,
                                sot_json_value *out_member, sotto_error *error)
{
    const sotto_status status = need_member(object, key, GIVE_ARRAY, out_member, error);
    return status == SOTTO_OK ? sot_json_as_array(out_member, error) : status;
}

static bool is_known(const char *key, const char *const *known_keys)
{
    while (*known_keys != NULL && strcmp(*known_keys, key) != 0)
        known_keys++;
    return *known_keys != NULL;
}

static sotto_status refuse_key(const sot_json_value *object, const char *key,
                               const char *const *known_keys, sotto_error *error)
{
    char path[PATH_BYTES], shown[KEY_BYTES], list[PATH_BYTES] = "";
    const char *nearest = sot_nearest_word(key, known_keys);
    if (nearest != NULL)
        return sot_fail(error, SOTTO_PARSE,
                        "%s%s has an unknown key \"%s\"; did you mean \"%s\"?",
                        object->document->prefix, path_of(object, path),
                        sot_printable(key, shown, sizeof shown), nearest);
    for (; *known_keys != NULL; known_keys++) {
        append(list, list[0] == '\0' ? "" : ", ");
        append(list, *known_keys);
    }
    return sot_fail(error, SOTTO_PARSE, "%s%s has an unknown key \"%s\"; known: %s",
                    object->document->prefix, path_of(object, path),
                    sot_printable(key, shown, sizeof shown), list);
}

sotto_status sot_json_only_keys(const sot_json_value *object,
                                const char *const *known_keys, sotto_error *error)
{
    sot_json_value member;
    for (bool more = sot_json_first_member(object, &member); more;
         more = sot_json_next_member(&member))
        if (!is_known(member.node->key, known_keys))
            return refuse_key(object, member.node->key, known_keys, error);
    return SOTTO_OK;
}
