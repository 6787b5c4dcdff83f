/* The grammar of where.h and the types of its literals; writes the canonical form of each word that was read. */
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "data/where/parts.h"

/* ---- literals ---- */

bool sot_where_is_category(const sotto_column *column, const char *text,
                           size_t size_bytes)
{
    for (size_t i = 0; i < column->value_count; i++)
        if (strlen(column->values[i]) == size_bytes &&
            memcmp(column->values[i], text, size_bytes) == 0)
            return true;
    return false;
}

where_literal *sot_where_keep_literal(where_reader *reader, where_step *test,
                                      double number, const char *text, size_t size_bytes)
{
    sot_where *where = reader->where;
    where_literal *literal = &where->literals[where->literal_count++];
    *literal = (where_literal){.number = number};
    if (text != NULL) {
        char *copy = where->texts + where->text_bytes;
        memcpy(copy, text, size_bytes);
        where->text_bytes += size_bytes;
        literal->text = copy;
        literal->size_bytes = size_bytes;
    }
    test->count++;
    return literal;
}

/* Copies the text between the quotes, a doubled one once. The room is that of the
 * word. */
static size_t unquote(const where_word *word, char *out)
{
    size_t used = 0;
    for (size_t i = 1; i + 1 < word->size_bytes; i++) {
        out[used++] = word->text[i];
        if (word->text[i] == word->text[0]) i++;
    }
    return used;
}

static sotto_status read_text(where_reader *reader, where_step *test, sotto_error *error)
{
    char text[SOT_WHERE_BYTES_MAX];
    const bool is_equality = test->action == WHERE_EQUAL ||
                             test->action == WHERE_UNEQUAL || test->action == WHERE_IN;
    if (reader->word.kind != WORD_TEXT)
        return sot_where_refuse_word(
            reader,
            "the column holds texts; give one in single quotes, for "
            "example 'Lund'",
            error);
    const size_t size_bytes = unquote(&reader->word, text);
    if (size_bytes > SOT_WHERE_TEXT_BYTES_MAX)
        return sot_where_refuse(reader, &reader->word,
                                "a text has at most 255 bytes; shorten it", error);
    if (size_bytes == 0)
        return sot_where_refuse(reader, &reader->word,
                                "an empty cell is null; write IS NULL or IS NOT NULL",
                                error);
    if (is_equality && test->described->type == SOTTO_COLUMN_CATEGORY &&
        !sot_where_is_category(test->described, text, size_bytes))
        return sot_where_refuse(
            reader, &reader->word,
            "the schema's column has no such category; give one that it lists", error);
    sot_where_write_literal(reader, test,
                            sot_where_keep_literal(reader, test, 0.0, text, size_bytes));
    return SOTTO_OK;
}

static sotto_status read_boolean(where_reader *reader, where_step *test,
                                 sotto_error *error)
{
    const where_word *word = &reader->word;
    const bool is_one =
        word->kind == WORD_NUMBER && word->size_bytes == 1 && word->text[0] == '1';
    const bool is_zero =
        word->kind == WORD_NUMBER && word->size_bytes == 1 && word->text[0] == '0';
    if (!is_one && !is_zero && !sot_where_is(word, "true") &&
        !sot_where_is(word, "false"))
        return sot_where_refuse_word(
            reader, "the column is a boolean; give TRUE or FALSE", error);
    const double number = is_one || sot_where_is(word, "true") ? 1.0 : 0.0;
    sot_where_write_literal(reader, test,
                            sot_where_keep_literal(reader, test, number, NULL, 0));
    return SOTTO_OK;
}

static sotto_status read_number(where_reader *reader, where_step *test,
                                sotto_error *error)
{
    double number;
    const where_word *word = &reader->word;
    if (word->kind != WORD_NUMBER)
        return sot_where_refuse_word(
            reader,
            "the column holds numbers; give one without quotes, for "
            "example 18.5",
            error);
    if (sot_parse_double(word->text, word->size_bytes, &number) != SOT_NUMBER_OK)
        return sot_where_refuse(
            reader, word,
            "it is no decimal number, or beyond the range of a double; give "
            "one such as 18.5 or 1e6",
            error);
    sot_where_write_literal(reader, test,
                            sot_where_keep_literal(reader, test, number, NULL, 0));
    return SOTTO_OK;
}

static sotto_status read_literal(where_reader *reader, where_step *test,
                                 sotto_error *error)
{
    sotto_status status;
    if (sot_where_is(&reader->word, "null"))
        return sot_where_refuse(reader, &reader->word,
                                "nothing is equal to NULL; write IS NULL or IS NOT NULL",
                                error);
    switch (test->described->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        status = read_number(reader, test, error);
        break;
    case SOTTO_COLUMN_BOOLEAN:
        status = read_boolean(reader, test, error);
        break;
    case SOTTO_COLUMN_CATEGORY:
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
    default:
        status = read_text(reader, test, error);
        break;
    }
    if (status == SOTTO_OK) sot_where_advance(reader);
    return status;
}

/* ---- tests ---- */

void sot_where_add_step(sot_where *where, where_step step)
{
    where->steps[where->step_count++] = step;
}

where_step sot_where_test_of(const where_reader *reader, size_t column)
{
    const sotto_column *described = sotto_schema_column(reader->where->schema, column);
    return (where_step){
        .column = column, .described = described, .first = reader->where->literal_count};
}

size_t sot_where_find_column(const sotto_schema *schema, const char *name,
                             size_t size_bytes)
{
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const char *own = sotto_schema_column(schema, i)->name;
        if (strlen(own) == size_bytes && memcmp(own, name, size_bytes) == 0) return i;
    }
    return SIZE_MAX;
}

static sotto_status read_column(where_reader *reader, size_t *out_column,
                                sotto_error *error)
{
    char name[SOT_WHERE_BYTES_MAX];
    const where_word *word = &reader->word;
    size_t size_bytes = word->size_bytes;
    if (word->kind != WORD_QUOTED &&
        (word->kind != WORD_BARE || sot_where_is_keyword(word)))
        return sot_where_refuse_word(
            reader,
            "a column of the schema is expected; put a name that is no "
            "plain word into double quotes, for example \"home town\" = "
            "'Lund'",
            error);
    if (word->kind == WORD_QUOTED) {
        size_bytes = unquote(word, name);
    } else {
        memcpy(name, word->text, size_bytes);
    }
    *out_column = sot_where_find_column(reader->where->schema, name, size_bytes);
    if (*out_column == SIZE_MAX)
        return sot_where_refuse(
            reader, word,
            "the schema has no column of this name; list it there, with type "
            "\"ignore\" if it is for conditions only",
            error);
    sot_where_write_name(reader,
                         sotto_schema_column(reader->where->schema, *out_column)->name);
    sot_where_advance(reader);
    return SOTTO_OK;
}

static sotto_status read_list(where_reader *reader, where_step *test, sotto_error *error)
{
    static const char parentheses[] =
        "IN needs a list in parentheses, for example IN (1, 2)";
    test->action = WHERE_IN;
    if (!sot_where_is(&reader->word, "("))
        return sot_where_refuse_word(reader, parentheses, error);
    sot_where_write_keyword(reader, "(");
    reader->level_begin = reader->canonical.used;
    sot_where_advance(reader);
    sotto_status status = read_literal(reader, test, error);
    while (status == SOTTO_OK && sot_where_is(&reader->word, ",")) {
        sot_growing_text(&reader->canonical, ",");
        sot_where_advance(reader);
        status = read_literal(reader, test, error);
    }
    if (status != SOTTO_OK) return status;
    if (!sot_where_is(&reader->word, ")"))
        return sot_where_refuse_word(reader, parentheses, error);
    sot_growing_text(&reader->canonical, ")");
    sot_where_advance(reader);
    return SOTTO_OK;
}

static sotto_status read_between(where_reader *reader, where_step *test,
                                 sotto_error *error)
{
    test->action = WHERE_BETWEEN;
    const sotto_status status = read_literal(reader, test, error);
    if (status != SOTTO_OK) return status;
    if (!sot_where_is(&reader->word, "and"))
        return sot_where_refuse_word(
            reader, "BETWEEN needs two bounds, for example BETWEEN 18 AND 65", error);
    sot_where_write_keyword(reader, "AND");
    sot_where_advance(reader);
    return read_literal(reader, test, error);
}

static sotto_status read_is_null(where_reader *reader, where_step *test, bool *out_not,
                                 sotto_error *error)
{
    test->action = WHERE_IS_NULL;
    *out_not = sot_where_is(&reader->word, "not");
    if (*out_not) {
        sot_where_write_keyword(reader, "NOT");
        sot_where_advance(reader);
    }
    if (!sot_where_is(&reader->word, "null"))
        return sot_where_refuse_word(reader, "IS takes NULL or NOT NULL", error);
    sot_where_write_keyword(reader, "NULL");
    sot_where_advance(reader);
    return SOTTO_OK;
}

static where_action comparison_of(const where_word *word)
{
    static const struct {
        const char *sign;
        where_action action;
    } signs[] = {{"=", WHERE_EQUAL},    {"!=", WHERE_UNEQUAL}, {"<>", WHERE_UNEQUAL},
                 {"<", WHERE_LESS},     {"<=", WHERE_AT_MOST}, {">", WHERE_GREATER},
                 {">=", WHERE_AT_LEAST}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (sot_where_is(word, signs[i].sign)) return signs[i].action;
    return (where_action)0;
}

static sotto_status read_comparison(where_reader *reader, where_step *test,
                                    sotto_error *error)
{
    test->action = comparison_of(&reader->word);
    if (test->action == 0)
        return sot_where_refuse_word(
            reader,
            "a comparison is expected: =, !=, <, <=, >, >=, IN, BETWEEN "
            "or IS NULL",
            error);
    if (test->action == WHERE_UNEQUAL) {
        sot_where_write_keyword(reader, "!=");
    } else {
        sot_where_write_word(reader, reader->word.text, reader->word.size_bytes);
    }
    sot_where_advance(reader);
    return read_literal(reader, test, error);
}

static sotto_status read_test(where_reader *reader, sotto_error *error)
{
    size_t column;
    bool is_not = false;
    sotto_status status = read_column(reader, &column, error);
    if (status != SOTTO_OK) return status;
    where_step test = sot_where_test_of(reader, column);
    if (sot_where_is(&reader->word, "is")) {
        sot_where_write_keyword(reader, "IS");
        sot_where_advance(reader);
        status = read_is_null(reader, &test, &is_not, error);
    } else {
        is_not = sot_where_is(&reader->word, "not");
        if (is_not) {
            sot_where_write_keyword(reader, "NOT");
            sot_where_advance(reader);
        }
        const bool is_list = sot_where_is(&reader->word, "in");
        if (is_list || sot_where_is(&reader->word, "between")) {
            sot_where_write_keyword(reader, is_list ? "IN" : "BETWEEN");
            sot_where_advance(reader);
            status = is_list ? read_list(reader, &test, error)
                             : read_between(reader, &test, error);
        } else if (is_not) {
            status = sot_where_refuse_word(
                reader, "NOT is followed by IN or BETWEEN here", error);
        } else {
            status = read_comparison(reader, &test, error);
        }
    }
    if (status != SOTTO_OK) return status;
    sot_where_add_step(reader->where, test);
    if (is_not) sot_where_add_step(reader->where, (where_step){.action = WHERE_NOT});
    return SOTTO_OK;
}

/* ---- the grammar ---- */

static sotto_status enter(where_reader *reader, sotto_error *error)
{
    if (reader->depth++ < SOT_WHERE_DEPTH_MAX) return SOTTO_OK;
    return sot_where_refuse(
        reader, &reader->word,
        "more than 32 parentheses and NOTs stand inside each other; write a "
        "flatter condition",
        error);
}

static sotto_status read_group(where_reader *reader, sotto_error *error)
{
    const where_word opening = reader->word;
    sotto_status status = enter(reader, error);
    if (status != SOTTO_OK) return status;
    sot_where_write_keyword(reader, "(");
    reader->level_begin = reader->canonical.used;
    sot_where_advance(reader);
    status = sot_where_read_or(reader, error);
    if (status != SOTTO_OK) return status;
    if (!sot_where_is(&reader->word, ")")) {
        return reader->word.kind == WORD_END
                   ? sot_where_refuse(reader, &opening,
                                      "the parenthesis is not closed; add )", error)
                   : sot_where_refuse_word(reader, "AND, OR or ) is expected", error);
    }
    sot_growing_text(&reader->canonical, ")");
    sot_where_advance(reader);
    reader->depth--;
    return SOTTO_OK;
}

static sotto_status read_not(where_reader *reader, sotto_error *error)
{
    if (sot_where_is(&reader->word, "(")) return read_group(reader, error);
    if (!sot_where_is(&reader->word, "not")) return read_test(reader, error);
    sotto_status status = enter(reader, error);
    if (status != SOTTO_OK) return status;
    sot_where_write_keyword(reader, "NOT");
    sot_where_advance(reader);
    status = read_not(reader, error);
    if (status != SOTTO_OK) return status;
    sot_where_add_step(reader->where, (where_step){.action = WHERE_NOT});
    reader->depth--;
    return SOTTO_OK;
}

static sotto_status read_and(where_reader *reader, sotto_error *error)
{
    sotto_status status = read_not(reader, error);
    while (status == SOTTO_OK && sot_where_is(&reader->word, "and")) {
        sot_where_write_keyword(reader, "AND");
        sot_where_advance(reader);
        status = read_not(reader, error);
        if (status == SOTTO_OK)
            sot_where_add_step(reader->where, (where_step){.action = WHERE_AND});
    }
    return status;
}

sotto_status sot_where_read_or(where_reader *reader, sotto_error *error)
{
    sotto_status status = read_and(reader, error);
    while (status == SOTTO_OK && sot_where_is(&reader->word, "or")) {
        sot_where_write_keyword(reader, "OR");
        sot_where_advance(reader);
        status = read_and(reader, error);
        if (status == SOTTO_OK)
            sot_where_add_step(reader->where, (where_step){.action = WHERE_OR});
    }
    return status;
}
