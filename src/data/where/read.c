/* Reads conditions: the canonical form, the old form COLUMN=VALUE, several conditions at once. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/where/parts.h"

/* ---- the canonical form ---- */

void sot_where_write_word(where_reader *reader, const char *text, size_t size_bytes)
{
    if (reader->canonical.used > reader->level_begin)
        sot_growing_text(&reader->canonical, " ");
    sot_growing_add(&reader->canonical, text, size_bytes);
}

void sot_where_write_keyword(where_reader *reader, const char *keyword)
{
    sot_where_write_word(reader, keyword, strlen(keyword));
}

static void write_quoted(where_reader *reader, char quote, const char *text,
                         size_t size_bytes)
{
    sot_where_write_word(reader, &quote, 1);
    for (size_t i = 0; i < size_bytes; i++) {
        sot_growing_add(&reader->canonical, &text[i], 1);
        if (text[i] == quote) sot_growing_add(&reader->canonical, &quote, 1);
    }
    sot_growing_add(&reader->canonical, &quote, 1);
}

void sot_where_write_name(where_reader *reader, const char *name)
{
    const where_word word = sot_where_word_at(name);
    const bool is_plain = word.kind == WORD_BARE && word.text == name &&
                          word.size_bytes == strlen(name) && !sot_where_is_keyword(&word);
    if (is_plain) {
        sot_where_write_word(reader, name, strlen(name));
    } else {
        write_quoted(reader, '"', name, strlen(name));
    }
}

/* 18 for 18.0: sot_format_double() writes a point, for readers of JSON. */
static void write_number(where_reader *reader, double number)
{
    char text[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(number == 0.0 ? 0.0 : number, text);
    const size_t length = strlen(text);
    const bool is_whole = length > 2 && strcmp(text + length - 2, ".0") == 0;
    sot_where_write_word(reader, text, is_whole ? length - 2 : length);
}

void sot_where_write_literal(where_reader *reader, const where_step *test,
                             const where_literal *literal)
{
    if (literal->text != NULL) {
        write_quoted(reader, '\'', literal->text, literal->size_bytes);
    } else if (test->described->type == SOTTO_COLUMN_BOOLEAN) {
        sot_where_write_keyword(reader, literal->number != 0.0 ? "TRUE" : "FALSE");
    } else {
        write_number(reader, literal->number);
    }
}

/* ---- the old form ---- */

/* The meaning that COLUMN=VALUE had before there was a grammar. */
typedef struct old_form {
    size_t column;
    const char *value;
    double number; /* of a boolean or an integer */
} old_form;

static bool is_old_value(const sotto_column *column, const char *value,
                         double *out_number)
{
    const bool is_yes = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    *out_number = is_yes ? 1.0 : 0.0;
    if (column->type == SOTTO_COLUMN_CATEGORY)
        return sot_where_is_category(column, value,
                                     strlen(value)); /* at most 255 bytes */
    if (column->type == SOTTO_COLUMN_BOOLEAN)
        return is_yes || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
    return column->type == SOTTO_COLUMN_INTEGER &&
           sot_parse_double(value, strlen(value), out_number) == SOT_NUMBER_OK &&
           *out_number == floor(*out_number) && *out_number >= column->lower &&
           *out_number <= column->upper;
}

static bool is_old(const sotto_schema *schema, const char *text, old_form *out)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[-1] == ' ' || equals[1] == ' ')
        return false;
    out->column = sot_where_find_column(schema, text, (size_t)(equals - text));
    out->value = equals + 1;
    return out->column != SIZE_MAX &&
           is_old_value(sotto_schema_column(schema, out->column), out->value,
                        &out->number);
}

static void read_old(where_reader *reader, const old_form *old)
{
    where_step test = sot_where_test_of(reader, old->column);
    const bool is_text = test.described->type == SOTTO_COLUMN_CATEGORY;
    test.action = WHERE_EQUAL;
    sot_where_write_name(reader, test.described->name);
    sot_where_write_keyword(reader, "=");
    sot_where_write_literal(reader, &test,
                            sot_where_keep_literal(reader, &test, old->number,
                                                   is_text ? old->value : NULL,
                                                   strlen(old->value)));
    sot_where_add_step(reader->where, test);
}

/* ---- the whole ---- */

static sotto_status read_one(where_reader *reader, const char *text, sotto_error *error)
{
    old_form old;
    reader->text = reader->at = text;
    if (is_old(reader->where->schema, text, &old)) {
        read_old(reader, &old);
        return SOTTO_OK;
    }
    sot_where_advance(reader);
    const sotto_status status = sot_where_read_or(reader, error);
    if (status != SOTTO_OK || reader->word.kind == WORD_END) return status;
    return sot_where_refuse_word(
        reader, "AND or OR is expected; put texts into single quotes", error);
}

static sotto_status refuse_length(sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`where` has more than %d bytes; write a shorter condition, or store "
                    "its result in a column of type boolean",
                    (int)SOT_WHERE_BYTES_MAX);
}

/* The canonical form is read again, from certificates too. Names and categories of a schema could make another condition of
 * it, in the old form. */
static sotto_status check_canonical(const where_reader *reader, sotto_error *error)
{
    old_form old;
    const char *text = reader->canonical.text;
    if (reader->canonical.failed) return SOTTO_OK; /* its end says so */
    if (reader->canonical.used > SOT_WHERE_BYTES_MAX) return refuse_length(error);
    if (!is_old(reader->where->schema, text, &old)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`where`: \"%.90s\" could also mean COLUMN=VALUE, because the schema "
                    "has a column with such a name; rename that column",
                    text);
}

/* Several conditions: (first) AND (second). */
static sotto_status read_all(where_reader *reader, const char *const *texts,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && texts[i] != NULL; i++) {
        const bool is_only = texts[1] == NULL;
        if (i > 0) sot_where_write_keyword(reader, "AND");
        if (!is_only) sot_where_write_keyword(reader, "(");
        reader->depth = is_only ? 0 : 1;
        reader->level_begin = reader->canonical.used;
        status = read_one(reader, texts[i], error);
        if (!is_only) sot_growing_text(&reader->canonical, ")");
        if (status == SOTTO_OK && i > 0)
            sot_where_add_step(reader->where, (where_step){.action = WHERE_AND});
    }
    return status;
}

sotto_status sot_where_new_all(const char *const *texts, const sotto_schema *schema,
                               sot_where **out_where, sotto_error *error)
{
    where_reader reader = {.depth = 0};
    size_t room = 1;
    if (sotto_schema_is_matrix(schema))
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`where` tests columns by name, and a schema with \"features\" has no names; "
            "give a table (CSV, SQLite) and a schema with \"columns\"");
    for (size_t i = 0; texts[i] != NULL; i++) {
        const size_t length = strlen(texts[i]);
        if (length > SOT_WHERE_BYTES_MAX || room > SOT_WHERE_BYTES_MAX)
            return refuse_length(error);
        room += length + 1;
    }
    sot_where *where = sot_new_array(1, sizeof *where);
    if (where == NULL) return sot_fail_memory(error, 1, sizeof *where);
    where->schema = schema;
    where->steps = sot_new_array(room, sizeof *where->steps);
    where->literals = sot_new_array(room, sizeof *where->literals);
    where->texts = sot_new_array(room, 1);
    reader.where = where;
    sotto_status status =
        where->steps == NULL || where->literals == NULL || where->texts == NULL
            ? sot_fail_memory(error, room, sizeof *where->steps)
            : read_all(&reader, texts, error);
    if (status == SOTTO_OK) status = check_canonical(&reader, error);
    if (status == SOTTO_OK) {
        status = sot_growing_finish(&reader.canonical, &where->canonical, error);
    } else {
        sot_free(reader.canonical.text);
    }
    if (status != SOTTO_OK) {
        sot_where_free(where);
        return status;
    }
    *out_where = where;
    return SOTTO_OK;
}

sotto_status sot_where_new(const char *text, const sotto_schema *schema,
                           sot_where **out_where, sotto_error *error)
{
    const char *const texts[] = {text, NULL};
    return sot_where_new_all(texts, schema, out_where, error);
}
