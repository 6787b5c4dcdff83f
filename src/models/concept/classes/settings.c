/* A class from a setting: a kind's name, JSON text, or a file of it. docs/reference/concepts.md describes the form,
 * fuzz/fuzz_concept.c attacks it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "models/concept/classes/parts.h"

enum {
    FILE_BYTES_MAX = 16 << 20,
    BITS_MOST = 32,
    BITS_LINE = 16,    /* of a number when nothing is said: 65536 cells */
    BITS_RECTANGLE = 5 /* pairs of edges in each direction: 32 cells have 528 intervals */
};

typedef struct settings {
    sot_concept_builder builder;
    int bits; /* 0: nothing is said */
    bool has_cuts, has_weights;
    sot_json_value cuts, weights;
    bool named;       /* the columns are listed */
    size_t cuts_used; /* members of `cuts` */
} settings;

/* ---- numbers ---- */

/* Finds the thresholds that the settings give a column: one list for all, or a member for
 * each. */
static bool find_cuts(settings *made, size_t column, sot_json_value *out_list)
{
    char digits[SOT_CONCEPT_PLACE_BYTES];
    if (!made->has_cuts) return false;
    if (sot_json_kind_of(&made->cuts) == SOT_JSON_ARRAY) {
        *out_list = made->cuts;
        return true;
    }
    const char *name = sot_concept_column_name(&made->builder, column, digits);
    return sot_json_member(&made->cuts, name, out_list);
}

/* Equal cells for a number with bounds; 0: it has too few values for two. */
static uint64_t cells_for(const settings *made, size_t column)
{
    const sotto_column *described = sot_concept_column(&made->builder, column);
    const int usual =
        made->builder.class->kind == SOT_CONCEPT_RECTANGLES ? BITS_RECTANGLE : BITS_LINE;
    const uint64_t equal = UINT64_C(1) << (made->bits > 0 ? made->bits : usual);
    if (described->type != SOTTO_COLUMN_INTEGER) return equal;
    const double values = described->upper - described->lower + 1.0; /* exact */
    const double most = made->bits > 0 ? (double)equal : (double)SOT_CELLS_MAX;
    if (values > most) return equal;
    return values < 2.0 ? 0 : (uint64_t)values;
}

/* True if an unnamed number is left out: it has no two cells, and the class needs two. */
static bool is_left_out(const settings *made, size_t column)
{
    if (made->named || !sot_concept_is_binary(made->builder.class->kind)) return false;
    return !sot_concept_is_bounded(&made->builder, column) ||
           cells_for(made, column) != 2;
}

static sotto_status add_number(settings *made, size_t column, sotto_error *error)
{
    sot_json_value list;
    sot_concept_builder *builder = &made->builder;
    if (find_cuts(made, column, &list)) {
        made->cuts_used++;
        return sot_concept_add_cuts(builder, column, &list, error);
    }
    if (is_left_out(made, column)) return SOTTO_OK;
    /* Without bounds it is refused below. */
    const uint64_t cells =
        sot_concept_is_bounded(builder, column) ? cells_for(made, column) : 2;
    if (cells == 0) {
        char digits[SOT_CONCEPT_PLACE_BYTES];
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema gives the column '%.60s' one value, which separates "
                        "nothing; list other \"columns\"",
                        sot_concept_column_name(builder, column, digits));
    }
    return sot_concept_add_equal(builder, column, cells, error);
}

/* ---- columns ---- */

static sotto_status add_column(settings *made, size_t column, sotto_error *error)
{
    sot_concept_builder *builder = &made->builder;
    if (sot_concept_is_number(builder, column)) return add_number(made, column, error);
    const sotto_column *described = sot_concept_column(builder, column);
    if (described->type == SOTTO_COLUMN_BOOLEAN)
        return sot_concept_add_indicator(builder, column, 1, error);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < described->value_count && status == SOTTO_OK; i++)
        status = sot_concept_add_indicator(builder, column, i, error);
    return status;
}

/* "town=Lund": one value of a category. Columns may have = in their names too. */
static bool find_value(const sot_concept_builder *builder, const char *name,
                       size_t *out_column, size_t *out_value)
{
    const sotto_schema *schema = builder->schema;
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        const size_t stem = strlen(column->name);
        if (column->type != SOTTO_COLUMN_CATEGORY ||
            strncmp(name, column->name, stem) != 0 || name[stem] != '=')
            continue;
        for (size_t k = 0; k < column->value_count; k++) {
            if (strcmp(name + stem + 1, column->values[k]) != 0) continue;
            *out_column = i;
            *out_value = k;
            return true;
        }
    }
    return false;
}

static sotto_status add_named(settings *made, const sot_json_value *item,
                              sotto_error *error)
{
    sot_concept_builder *builder = &made->builder;
    size_t column = 0;
    size_t value = 0;
    const char *name = NULL;
    sotto_status status = SOTTO_OK;
    if (sot_json_kind_of(item) == SOT_JSON_STRING &&
        !sotto_schema_is_matrix(builder->schema)) {
        status = sot_json_as_string(item, &name, error);
        if (status != SOTTO_OK) return status;
        if (sotto_schema_find(builder->schema, name, &column, NULL) != SOTTO_OK &&
            find_value(builder, name, &column, &value)) {
            status = sot_concept_check_column(builder, column, error);
            return status == SOTTO_OK
                       ? sot_concept_add_indicator(builder, column, value, error)
                       : status;
        }
    }
    status = sot_concept_find_column(builder, item, &column, error);
    if (status == SOTTO_OK) status = sot_concept_check_column(builder, column, error);
    return status == SOTTO_OK ? add_column(made, column, error) : status;
}

/* Which columns a class has that names none: of one column or of boxes the numbers, else all of them. */
static bool fits(const settings *made, size_t column)
{
    const sot_concept_builder *builder = &made->builder;
    if (sot_concept_check_column(builder, column, NULL) != SOTTO_OK) return false;
    if (sot_concept_is_number(builder, column)) return true;
    return builder->class->kind == SOT_CONCEPT_STUMPS ||
           sot_concept_is_binary(builder->class->kind);
}

static sotto_status add_all(settings *made, sotto_error *error)
{
    const sotto_schema *schema = made->builder.schema;
    const size_t count = sotto_schema_is_matrix(schema) ? sotto_schema_features(schema)
                                                        : sotto_schema_size(schema);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < count && status == SOTTO_OK; i++)
        if (fits(made, i)) status = add_column(made, i, error);
    return status;
}

static sotto_status add_columns(settings *made, const sot_json_value *root,
                                sotto_error *error)
{
    sot_json_value list;
    made->named = root != NULL && sot_json_member(root, "columns", &list);
    if (!made->named) return add_all(made, error);
    sotto_status status = sot_json_as_array(&list, error);
    if (status == SOTTO_OK && sot_json_size(&list) == 0)
        status = sot_json_refuse(&list,
                                 "name at least one, or leave \"columns\" out for "
                                 "all that fit",
                                 error);
    for (size_t i = 0; status == SOTTO_OK && i < sot_json_size(&list); i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = add_named(made, &item, error);
    }
    return status;
}

/* ---- thresholds and weights ---- */

/* A name among them that is no number of the class is a slip. */
static sotto_status check_cuts(const settings *made, sotto_error *error)
{
    const sot_concept_builder *builder = &made->builder;
    sot_json_value member;
    if (!made->has_cuts || sot_json_kind_of(&made->cuts) == SOT_JSON_ARRAY ||
        made->cuts_used == sot_json_size(&made->cuts))
        return SOTTO_OK;
    bool more = sot_json_first_member(&made->cuts, &member);
    for (; more; more = sot_json_next_member(&member)) {
        bool used = false;
        for (size_t i = 0; i < builder->class->features && !used; i++)
            used = builder->class->grids[i].cuts != NULL &&
                   strcmp(builder->class->names[i], sot_json_key_of(&member)) == 0;
        if (!used)
            return sot_json_refuse(
                &member, "leave it out: the class has no such column of numbers", error);
    }
    return SOTTO_OK;
}

static sotto_status add_weights(settings *made, sotto_error *error)
{
    sot_concept_builder *builder = &made->builder;
    const sot_concept_kind kind = builder->class->kind;
    sot_json_value member;
    size_t used = 0;
    sotto_status status = SOTTO_OK;
    if (!made->has_weights) return SOTTO_OK;
    if (kind != SOT_CONCEPT_THRESHOLDS && kind != SOT_CONCEPT_STUMPS)
        return sot_json_refuse(&made->weights,
                               "only thresholds and stumps have weights; leave it out",
                               error);
    status = sot_json_as_object(&made->weights, error);
    for (size_t i = 0; i < builder->class->features && status == SOTTO_OK; i++) {
        if (!sot_json_member(&made->weights, builder->class->names[i], &member)) continue;
        used++;
        status = sot_concept_add_weights(builder, i, &member, error);
    }
    if (status == SOTTO_OK && used != sot_json_size(&made->weights))
        status = sot_json_refuse(&made->weights,
                                 "give weights only to features of the class", error);
    return status;
}

/* ---- the whole ---- */

static sotto_status read_bits(settings *made, const sot_json_value *root,
                              sotto_error *error)
{
    sot_json_value member;
    int64_t bits = 0;
    if (!sot_json_member(root, "bits", &member)) return SOTTO_OK;
    const sotto_status status = sot_json_as_int64(&member, &bits, error);
    if (status != SOTTO_OK) return status;
    if (bits < 1 || bits > BITS_MOST)
        return sot_json_refuse(&member, "give a whole number from 1 to 32", error);
    made->bits = (int)bits;
    return SOTTO_OK;
}

static sotto_status read_root(settings *made, const sot_json_value *root,
                              sotto_error *error)
{
    static const char *const keys[] = {"class", "columns", "bits", "both",
                                       "cuts",  "weights", NULL};
    sot_json_value member;
    sot_concept_kind kind;
    bool both = false;
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK && sot_json_member(root, "features", &member))
        return sot_concept_read_whole(&made->builder, root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, keys, error);
    if (status != SOTTO_OK) return status;
    if (!sot_json_member(root, "class", &member))
        return sot_json_refuse(root, "say which kind with \"class\"", error);
    status = sot_concept_read_kind(&member, &kind, error);
    if (status == SOTTO_OK) status = sot_concept_begin(&made->builder, kind, error);
    if (status == SOTTO_OK && sot_json_member(root, "both", &member)) {
        status = sot_json_as_bool(&member, &both, error);
        if (status == SOTTO_OK)
            status = sot_concept_set_both(&made->builder, both, &member, error);
    }
    if (status == SOTTO_OK) status = read_bits(made, root, error);
    made->has_cuts = sot_json_member(root, "cuts", &made->cuts);
    made->has_weights = sot_json_member(root, "weights", &made->weights);
    if (status == SOTTO_OK && made->has_cuts &&
        sot_json_kind_of(&made->cuts) != SOT_JSON_ARRAY)
        status = sot_json_as_object(&made->cuts, error);
    if (status == SOTTO_OK) status = add_columns(made, root, error);
    if (status == SOTTO_OK) status = check_cuts(made, error);
    if (status == SOTTO_OK) status = add_weights(made, error);
    return status;
}

static sotto_status read_text(settings *made, const char *name, const char *text,
                              size_t size_bytes, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status =
        sot_json_parse(name, text, size_bytes, FILE_BYTES_MAX, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    status = read_root(made, &root, error);
    sot_json_free(document);
    return status;
}

static sotto_status read_file(settings *made, const char *path, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_error why = {.status = SOTTO_OK};
    sotto_status status = sot_file_read(path, FILE_BYTES_MAX, &text, &size_bytes, &why);
    if (status == SOTTO_OK) {
        status = read_text(made, path, text, size_bytes, error);
    } else {
        char shown[64];
        status = sot_fail(error, status,
                          "`concept` is '%s', which is neither thresholds, intervals, "
                          "stumps, rectangles, conjunctions, parities or candidates nor "
                          "a file that can be read: %.80s",
                          sot_printable(path, shown, sizeof shown), why.message);
    }
    sot_free(text);
    return status;
}

static sotto_status read_setting(settings *made, const char *text, sotto_error *error)
{
    const char *start = text + strspn(text, " \t\r\n");
    if (*start == '{')
        return read_text(made, "the class of concepts", text, strlen(text), error);
    for (int i = SOT_CONCEPT_THRESHOLDS; i <= SOT_CONCEPT_CANDIDATES; i++) {
        const sot_concept_kind kind = (sot_concept_kind)i;
        if (strcmp(text, sot_concept_kind_name(kind)) != 0) continue;
        const sotto_status status = sot_concept_begin(&made->builder, kind, error);
        return status == SOTTO_OK ? add_columns(made, NULL, error) : status;
    }
    return read_file(made, text, error);
}

sotto_status sot_concept_class_new(const sotto_schema *schema, const char *target,
                                   const char *text, sot_concept_class **out_class,
                                   sotto_error *error)
{
    settings made = {.builder = {.schema = schema}};
    sotto_status status = sot_concept_exclude_target(&made.builder, target, error);
    if (status == SOTTO_OK) status = read_setting(&made, text, error);
    if (status == SOTTO_OK) status = sot_concept_finish(&made.builder, error);
    if (status != SOTTO_OK) {
        sot_concept_class_free(made.builder.class);
        return status;
    }
    *out_class = made.builder.class;
    return SOTTO_OK;
}
