#include "data/readers/arrow/parts.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/cells/cell.h"

static sotto_status fail_type(const struct ArrowSchema *child, const char *shown,
                              bool is_time, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    is_time ? "the column '%s' of the stream is %s; in the schema give "
                              "it \"type\": \"integer\" and a unit, for example "
                              "\"time_unit\": \"day\", or \"type\": \"ignore\""
                            : "the column '%s' of the stream is %s, not numbers or "
                              "texts; leave it out, convert it, or give it \"type\": "
                              "\"ignore\" in the schema",
                    shown, sot_arrow_type_name(child));
}

/* True if the cells of the column are read. */
static bool is_read(const sot_arrow_stream *reader, size_t place)
{
    const sotto_column_type type = sotto_schema_column(reader->schema, place)->type;
    return (type != SOTTO_COLUMN_ID && type != SOTTO_COLUMN_IGNORE) ||
           place == reader->unit_column ||
           (reader->wanted != NULL && reader->wanted[place]);
}

static sotto_status add_field(sot_arrow_stream *reader, size_t place, size_t child,
                              sotto_error *error)
{
    char shown[80];
    const struct ArrowSchema *layout = reader->layout.children[child];
    const sotto_column *column =
        reader->is_matrix ? NULL : sotto_schema_column(reader->schema, place);
    sot_arrow_field *field = &reader->fields[reader->field_count];
    *field = (sot_arrow_field){.place = place,
                               .child = child,
                               .type = sot_arrow_type_of(layout),
                               .use = {.column = column}};
    const bool is_time = field->type.tick_ns > 0;
    const bool has_unit = column != NULL && column->time_unit != SOTTO_TIME_NONE;
    field->use.tick_ns = field->type.tick_ns;
    if (field->type.kind == SOT_ARROW_UNKNOWN || (is_time && !has_unit)) {
        sot_printable(layout->name == NULL ? "" : layout->name, shown, sizeof shown);
        return fail_type(layout, shown, is_time, error);
    }
    reader->field_of_column[place] = reader->field_count++;
    if (column == NULL || column->type != SOTTO_COLUMN_CATEGORY) return SOTTO_OK;
    const sotto_status status =
        sot_words_new(column->values, column->value_count, &field->categories, error);
    field->use.categories = field->categories;
    return status;
}

/* One column of the stream, by its name. */
static sotto_status match_child(sot_arrow_stream *reader, const sot_words *names,
                                size_t child, bool *found, sotto_error *error)
{
    char shown[80];
    const char *name = reader->layout.children[child]->name;
    if (name == NULL) name = "";
    const size_t place = sot_words_find(names, name, strlen(name));
    sot_printable(name, shown, sizeof shown);
    if (place == SIZE_MAX || found[place]) {
        return sot_fail(
            error, SOTTO_PARSE,
            place == SIZE_MAX
                ? "the stream has a column '%s' that the schema does not have; "
                  "leave it out, or add it to the schema with type \"ignore\""
                : "the stream has two columns of the same name, '%s'; give each "
                  "column once",
            shown);
    }
    if (place == reader->target ||
        (place == reader->unit_column && sot_view_is_given(&reader->units))) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the column '%s' is given twice: in the stream and beside it; leave "
            "one of them out",
            shown);
    }
    found[place] = true;
    return is_read(reader, place) ? add_field(reader, place, child, error) : SOTTO_OK;
}

static sotto_status check_absent(const sot_arrow_stream *reader, const bool *found,
                                 bool without_target, sotto_error *error)
{
    for (size_t i = 0; i < reader->columns; i++) {
        const sotto_column *column = sotto_schema_column(reader->schema, i);
        if (found[i] || i == reader->target || column->type == SOTTO_COLUMN_IGNORE ||
            column->type == SOTTO_COLUMN_ID ||
            sot_cell_is_optional(reader->schema, i, without_target, NULL))
            continue;
        return sot_fail(error, SOTTO_PARSE,
                        "the stream lacks the column '%.80s' of the schema; give all of "
                        "its columns",
                        column->name);
    }
    return SOTTO_OK;
}

static sotto_status match_names(sot_arrow_stream *reader, bool without_target,
                                sotto_error *error)
{
    sot_words *words = NULL;
    const char **names = sot_new_array(reader->columns, sizeof *names);
    bool *found = sot_new_array(reader->columns, sizeof *found);
    sotto_status status = names == NULL || found == NULL
                              ? sot_fail_memory(error, reader->columns, sizeof *names)
                              : SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < reader->columns; i++)
        names[i] = sotto_schema_column(reader->schema, i)->name;
    if (status == SOTTO_OK) status = sot_words_new(names, reader->columns, &words, error);
    for (size_t i = 0; status == SOTTO_OK && i < (size_t)reader->layout.n_children; i++)
        status = match_child(reader, words, i, found, error);
    if (status == SOTTO_OK) status = check_absent(reader, found, without_target, error);
    sot_words_free(words);
    sot_free(found);
    sot_free(names);
    return status;
}

/* A matrix has no names: its features are the columns of the stream in their order. */
static sotto_status match_places(sot_arrow_stream *reader, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if ((uint64_t)reader->layout.n_children != reader->columns) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the stream has %lld columns, the schema %zu features; give them "
                        "all, in order",
                        (long long)reader->layout.n_children, reader->columns);
    }
    for (size_t i = 0; status == SOTTO_OK && i < reader->columns; i++)
        status = add_field(reader, i, i, error);
    return status;
}

sotto_status sot_arrow_match(sot_arrow_stream *reader, bool without_target,
                             sotto_error *error)
{
    return reader->is_matrix ? match_places(reader, error)
                             : match_names(reader, without_target, error);
}
