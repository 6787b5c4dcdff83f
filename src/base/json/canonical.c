#include "base/json/canonical.h"

#include "base/json/tree.h"

static bool is_left_out(const sot_json_node *member,
                        const sot_json_value *const *left_out)
{
    for (; left_out != NULL && *left_out != NULL; left_out++)
        if ((*left_out)->node == member) return true;
    return false;
}

static void copy_node(sot_json_writer *writer, const sot_json_node *node, bool sorted,
                      const sot_json_value *const *left_out);

static void copy_members(sot_json_writer *writer, const sot_json_node *object,
                         bool sorted, const sot_json_value *const *left_out)
{
    sot_json_begin_object(writer);
    for (size_t i = 0; i < object->child_count; i++) {
        const sot_json_node *member =
            sorted ? object->by_key[i] : &object->is.children[i];
        if (is_left_out(member, left_out)) continue;
        sot_json_key(writer, member->key);
        copy_node(writer, member, sorted, left_out);
    }
    sot_json_end_object(writer);
}

/* Recursion is at most SOT_JSON_DEPTH_MAX deep: the parser saw to it. */
static void copy_node(sot_json_writer *writer, const sot_json_node *node, bool sorted,
                      const sot_json_value *const *left_out)
{
    switch (node->kind) {
    case SOT_JSON_OBJECT:
        copy_members(writer, node, sorted, left_out);
        break;
    case SOT_JSON_ARRAY:
        sot_json_begin_array(writer);
        for (size_t i = 0; i < node->child_count; i++)
            copy_node(writer, &node->is.children[i], sorted, left_out);
        sot_json_end_array(writer);
        break;
    case SOT_JSON_STRING:
        sot_json_write_string(writer, node->is.text);
        break;
    case SOT_JSON_INTEGER:
        sot_json_write_int64(writer, node->is.integer);
        break;
    case SOT_JSON_REAL:
        sot_json_write_double(writer, node->is.real);
        break;
    case SOT_JSON_BOOLEAN:
        sot_json_write_bool(writer, node->truth);
        break;
    case SOT_JSON_NULL:
        sot_json_write_null(writer);
        break;
    }
}

void sot_json_copy(sot_json_writer *writer, const sot_json_value *value, bool sorted,
                   const sot_json_value *const *left_out)
{
    copy_node(writer, value->node, sorted, left_out);
}
