/* Reads a condition: words, the grammar of where.h, the types of its literals; writes the canonical form beside it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/where_parts.h"

/* ---- words ---- */

typedef enum word_kind {
    WORD_END,
    WORD_BARE,   /* a keyword or a name */
    WORD_QUOTED, /* a name in double quotes */
    WORD_TEXT,   /* a text in single quotes */
    WORD_NUMBER, /* with its sign */
    WORD_SIGN,   /* an operator, a parenthesis or a comma */
    WORD_WRONG   /* a byte that begins nothing, or a quote that does not end */
} word_kind;

typedef struct where_word {
    word_kind kind;
    const char *text;
    size_t size_bytes;
} where_word;

typedef struct where_reader {
    sot_where *where;
    const char *text; /* the whole condition */
    const char *at;   /* behind `word` */
    where_word word;  /* the next one */
    sot_growing canonical;
    size_t depth;
    size_t level_begin; /* of the canonical form, where no blank is due */
} where_reader;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Behind the closing quote, a doubled one being part of the text; NULL: there is none. */
static const char *behind_quotes(const char *at)
{
    const char quote = *at++;
    for (; *at != '\0'; at++) {
        if (*at != quote) continue;
        if (at[1] != quote) return at + 1;
        at++;
    }
    return NULL;
}

static size_t number_bytes(const char *begin)
{
    const char *at = begin + (*begin == '-' || *begin == '+' ? 1 : 0);
    while (is_digit(*at) || *at == '.')
        at++;
    if ((*at == 'e' || *at == 'E') &&
        is_digit(at[at[1] == '-' || at[1] == '+' ? 2 : 1])) {
        at += 2;
        while (is_digit(*at))
            at++;
    }
    while (is_letter(*at) || is_digit(*at))
        at++; /* 18years: one malformed number */
    return (size_t)(at - begin);
}

static bool begins_number(const char *at)
{
    const char *digit = at + (*at == '-' || *at == '+' ? 1 : 0);
    return is_digit(digit[*digit == '.' ? 1 : 0]);
}

static size_t sign_bytes(const char *at)
{
    static const char *const pairs[] = {"<=", ">=", "<>", "!="};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strncmp(at, pairs[i], 2) == 0) return 2;
    return strchr("=<>(),", *at) == NULL ? 0 : 1;
}

static where_word word_at(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    where_word word = {WORD_END, at, 0};
    if (*at == '\0') return word;
    if (*at == '"' || *at == '\'') {
        const char *end = behind_quotes(at);
        word.kind = end == NULL ? WORD_WRONG : *at == '"' ? WORD_QUOTED : WORD_TEXT;
        word.size_bytes = end == NULL ? strlen(at) : (size_t)(end - at);
    } else if (is_letter(*at)) {
        word.kind = WORD_BARE;
        while (is_letter(at[word.size_bytes]) || is_digit(at[word.size_bytes]))
            word.size_bytes++;
    } else if (begins_number(at)) {
        word.kind = WORD_NUMBER;
        word.size_bytes = number_bytes(at);
    } else {
        word.size_bytes = sign_bytes(at);
        word.kind = word.size_bytes == 0 ? WORD_WRONG : WORD_SIGN;
        if (word.size_bytes == 0) word.size_bytes = 1;
    }
    return word;
}

static void advance(where_reader *reader)
{
    reader->word = word_at(reader->at);
    reader->at = reader->word.text + reader->word.size_bytes;
}

static bool is(const where_word *word, const char *wanted)
{
    return (word->kind == WORD_BARE || word->kind == WORD_SIGN) &&
           strlen(wanted) == word->size_bytes &&
           strncasecmp(word->text, wanted, word->size_bytes) == 0;
}

static bool is_keyword(const where_word *word)
{
    static const char *const words[] = {"and", "or",   "not",  "in",    "between",
                                        "is",  "null", "true", "false", "like"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is(word, words[i])) return true;
    return false;
}

/* ---- refusals ---- */

/* States where in the condition, counted in bytes from 1, what stands there, and the remedy. */
static sotto_status refuse(const where_reader *reader, const where_word *word,
                           const char *remedy, sotto_error *error)
{
    char seen[48], shown[48];
    const size_t size =
        word->size_bytes < sizeof seen ? word->size_bytes : sizeof seen - 1;
    memcpy(seen, word->text, size);
    seen[size] = '\0';
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT, "--where, byte %zu, %s%s%s: %s",
        (size_t)(word->text - reader->text) + 1, word->kind == WORD_END ? "" : "'",
        word->kind == WORD_END ? "its end" : sot_printable(seen, shown, sizeof shown),
        word->kind == WORD_END ? "" : "'", remedy);
}

static sotto_status refuse_word(const where_reader *reader, const char *wanted,
                                sotto_error *error)
{
    const where_word *word = &reader->word;
    if (word->kind == WORD_WRONG && (*word->text == '"' || *word->text == '\''))
        return refuse(reader, word, "the quotes do not end; close them", error);
    if (is(word, "like"))
        return refuse(reader, word,
                      "conditions have no LIKE; list the values, for example "
                      "town IN ('Lund', 'Lunde')",
                      error);
    return refuse(reader, word, wanted, error);
}

/* ---- the canonical form ---- */

static void write_word(where_reader *reader, const char *text, size_t size_bytes)
{
    if (reader->canonical.used > reader->level_begin)
        sot_growing_text(&reader->canonical, " ");
    sot_growing_add(&reader->canonical, text, size_bytes);
}

static void write_keyword(where_reader *reader, const char *keyword)
{
    write_word(reader, keyword, strlen(keyword));
}

static void write_quoted(where_reader *reader, char quote, const char *text,
                         size_t size_bytes)
{
    write_word(reader, &quote, 1);
    for (size_t i = 0; i < size_bytes; i++) {
        sot_growing_add(&reader->canonical, &text[i], 1);
        if (text[i] == quote) sot_growing_add(&reader->canonical, &quote, 1);
    }
    sot_growing_add(&reader->canonical, &quote, 1);
}

static void write_name(where_reader *reader, const char *name)
{
    const where_word word = word_at(name);
    const bool is_plain = word.kind == WORD_BARE && word.text == name &&
                          word.size_bytes == strlen(name) && !is_keyword(&word);
    if (is_plain) {
        write_word(reader, name, strlen(name));
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
    write_word(reader, text, is_whole ? length - 2 : length);
}

static void write_literal(where_reader *reader, const where_step *test,
                          const where_literal *literal)
{
    if (literal->text != NULL) {
        write_quoted(reader, '\'', literal->text, literal->size_bytes);
    } else if (test->described->type == SOTTO_COLUMN_BOOLEAN) {
        write_keyword(reader, literal->number != 0.0 ? "TRUE" : "FALSE");
    } else {
        write_number(reader, literal->number);
    }
}

/* ---- literals ---- */

static bool is_category(const sotto_column *column, const char *text, size_t size_bytes)
{
    for (size_t i = 0; i < column->value_count; i++)
        if (strlen(column->values[i]) == size_bytes &&
            memcmp(column->values[i], text, size_bytes) == 0)
            return true;
    return false;
}

/* Appends the literal; `text` NULL: a number. */
static where_literal *keep_literal(where_reader *reader, where_step *test, double number,
                                   const char *text, size_t size_bytes)
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

/* Copies what stands between the quotes, a doubled one once. The room is that of the word. */
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
        return refuse_word(reader,
                           "the column holds texts; give one in single quotes, for "
                           "example 'Lund'",
                           error);
    const size_t size_bytes = unquote(&reader->word, text);
    if (size_bytes > SOT_WHERE_TEXT_BYTES_MAX)
        return refuse(reader, &reader->word, "a text has at most 255 bytes; shorten it",
                      error);
    if (size_bytes == 0)
        return refuse(reader, &reader->word,
                      "an empty cell is null; write IS NULL or IS NOT NULL", error);
    if (is_equality && test->described->type == SOTTO_COLUMN_CATEGORY &&
        !is_category(test->described, text, size_bytes))
        return refuse(reader, &reader->word,
                      "the schema's column has no such category; give one that it lists",
                      error);
    write_literal(reader, test, keep_literal(reader, test, 0.0, text, size_bytes));
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
    if (!is_one && !is_zero && !is(word, "true") && !is(word, "false"))
        return refuse_word(reader, "the column is a boolean; give TRUE or FALSE", error);
    const double number = is_one || is(word, "true") ? 1.0 : 0.0;
    write_literal(reader, test, keep_literal(reader, test, number, NULL, 0));
    return SOTTO_OK;
}

static sotto_status read_number(where_reader *reader, where_step *test,
                                sotto_error *error)
{
    double number;
    const where_word *word = &reader->word;
    if (word->kind != WORD_NUMBER)
        return refuse_word(reader,
                           "the column holds numbers; give one without quotes, for "
                           "example 18.5",
                           error);
    if (sot_parse_double(word->text, word->size_bytes, &number) != SOT_NUMBER_OK)
        return refuse(reader, word,
                      "it is no decimal number, or beyond the range of a double; give "
                      "one such as 18.5 or 1e6",
                      error);
    write_literal(reader, test, keep_literal(reader, test, number, NULL, 0));
    return SOTTO_OK;
}

static sotto_status read_literal(where_reader *reader, where_step *test,
                                 sotto_error *error)
{
    sotto_status status;
    if (is(&reader->word, "null"))
        return refuse(reader, &reader->word,
                      "nothing is equal to NULL; write IS NULL or IS NOT NULL", error);
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
    if (status == SOTTO_OK) advance(reader);
    return status;
}

/* ---- tests ---- */

static void add_step(sot_where *where, where_step step)
{
    where->steps[where->step_count++] = step;
}

static where_step test_of(const where_reader *reader, size_t column)
{
    const sotto_column *described = sotto_schema_column(reader->where->schema, column);
    return (where_step){
        .column = column, .described = described, .first = reader->where->literal_count};
}

/* SIZE_MAX: the schema has no such column. */
static size_t find_column(const sotto_schema *schema, const char *name, size_t size_bytes)
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
    if (word->kind != WORD_QUOTED && (word->kind != WORD_BARE || is_keyword(word)))
        return refuse_word(reader,
                           "a column of the schema is expected; put a name that is no "
                           "plain word into double quotes, for example \"home town\" = "
                           "'Lund'",
                           error);
    if (word->kind == WORD_QUOTED) {
        size_bytes = unquote(word, name);
    } else {
        memcpy(name, word->text, size_bytes);
    }
    *out_column = find_column(reader->where->schema, name, size_bytes);
    if (*out_column == SIZE_MAX)
        return refuse(reader, word,
                      "the schema has no column of this name; list it there, with type "
                      "\"ignore\" if it is for conditions only",
                      error);
    write_name(reader, sotto_schema_column(reader->where->schema, *out_column)->name);
    advance(reader);
    return SOTTO_OK;
}

static sotto_status read_list(where_reader *reader, where_step *test, sotto_error *error)
{
    static const char parentheses[] =
        "IN needs a list in parentheses, for example IN (1, 2)";
    test->action = WHERE_IN;
    if (!is(&reader->word, "(")) return refuse_word(reader, parentheses, error);
    write_keyword(reader, "(");
    reader->level_begin = reader->canonical.used;
    advance(reader);
    sotto_status status = read_literal(reader, test, error);
    while (status == SOTTO_OK && is(&reader->word, ",")) {
        sot_growing_text(&reader->canonical, ",");
        advance(reader);
        status = read_literal(reader, test, error);
    }
    if (status != SOTTO_OK) return status;
    if (!is(&reader->word, ")")) return refuse_word(reader, parentheses, error);
    sot_growing_text(&reader->canonical, ")");
    advance(reader);
    return SOTTO_OK;
}

static sotto_status read_between(where_reader *reader, where_step *test,
                                 sotto_error *error)
{
    test->action = WHERE_BETWEEN;
    const sotto_status status = read_literal(reader, test, error);
    if (status != SOTTO_OK) return status;
    if (!is(&reader->word, "and"))
        return refuse_word(
            reader, "BETWEEN needs two bounds, for example BETWEEN 18 AND 65", error);
    write_keyword(reader, "AND");
    advance(reader);
    return read_literal(reader, test, error);
}

static sotto_status read_is_null(where_reader *reader, where_step *test, bool *out_not,
                                 sotto_error *error)
{
    test->action = WHERE_IS_NULL;
    *out_not = is(&reader->word, "not");
    if (*out_not) {
        write_keyword(reader, "NOT");
        advance(reader);
    }
    if (!is(&reader->word, "null"))
        return refuse_word(reader, "IS takes NULL or NOT NULL", error);
    write_keyword(reader, "NULL");
    advance(reader);
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
        if (is(word, signs[i].sign)) return signs[i].action;
    return (where_action)0;
}

static sotto_status read_comparison(where_reader *reader, where_step *test,
                                    sotto_error *error)
{
    test->action = comparison_of(&reader->word);
    if (test->action == 0)
        return refuse_word(reader,
                           "a comparison is expected: =, !=, <, <=, >, >=, IN, BETWEEN "
                           "or IS NULL",
                           error);
    if (test->action == WHERE_UNEQUAL) {
        write_keyword(reader, "!=");
    } else {
        write_word(reader, reader->word.text, reader->word.size_bytes);
    }
    advance(reader);
    return read_literal(reader, test, error);
}

static sotto_status read_test(where_reader *reader, sotto_error *error)
{
    size_t column;
    bool is_not = false;
    sotto_status status = read_column(reader, &column, error);
    if (status != SOTTO_OK) return status;
    where_step test = test_of(reader, column);
    if (is(&reader->word, "is")) {
        write_keyword(reader, "IS");
        advance(reader);
        status = read_is_null(reader, &test, &is_not, error);
    } else {
        is_not = is(&reader->word, "not");
        if (is_not) {
            write_keyword(reader, "NOT");
            advance(reader);
        }
        const bool is_list = is(&reader->word, "in");
        if (is_list || is(&reader->word, "between")) {
            write_keyword(reader, is_list ? "IN" : "BETWEEN");
            advance(reader);
            status = is_list ? read_list(reader, &test, error)
                             : read_between(reader, &test, error);
        } else if (is_not) {
            status = refuse_word(reader, "NOT is followed by IN or BETWEEN here", error);
        } else {
            status = read_comparison(reader, &test, error);
        }
    }
    if (status != SOTTO_OK) return status;
    add_step(reader->where, test);
    if (is_not) add_step(reader->where, (where_step){.action = WHERE_NOT});
    return SOTTO_OK;
}

/* ---- the grammar ---- */

static sotto_status read_or(where_reader *reader, sotto_error *error);

static sotto_status enter(where_reader *reader, sotto_error *error)
{
    if (reader->depth++ < SOT_WHERE_DEPTH_MAX) return SOTTO_OK;
    return refuse(reader, &reader->word,
                  "more than 32 parentheses and NOTs stand inside each other; write a "
                  "flatter condition",
                  error);
}

static sotto_status read_group(where_reader *reader, sotto_error *error)
{
    const where_word opening = reader->word;
    sotto_status status = enter(reader, error);
    if (status != SOTTO_OK) return status;
    write_keyword(reader, "(");
    reader->level_begin = reader->canonical.used;
    advance(reader);
    status = read_or(reader, error);
    if (status != SOTTO_OK) return status;
    if (!is(&reader->word, ")")) {
        return reader->word.kind == WORD_END
                   ? refuse(reader, &opening, "the parenthesis is not closed; add )",
                            error)
                   : refuse_word(reader, "AND, OR or ) is expected", error);
    }
    sot_growing_text(&reader->canonical, ")");
    advance(reader);
    reader->depth--;
    return SOTTO_OK;
}

static sotto_status read_not(where_reader *reader, sotto_error *error)
{
    if (is(&reader->word, "(")) return read_group(reader, error);
    if (!is(&reader->word, "not")) return read_test(reader, error);
    sotto_status status = enter(reader, error);
    if (status != SOTTO_OK) return status;
    write_keyword(reader, "NOT");
    advance(reader);
    status = read_not(reader, error);
    if (status != SOTTO_OK) return status;
    add_step(reader->where, (where_step){.action = WHERE_NOT});
    reader->depth--;
    return SOTTO_OK;
}

static sotto_status read_and(where_reader *reader, sotto_error *error)
{
    sotto_status status = read_not(reader, error);
    while (status == SOTTO_OK && is(&reader->word, "and")) {
        write_keyword(reader, "AND");
        advance(reader);
        status = read_not(reader, error);
        if (status == SOTTO_OK)
            add_step(reader->where, (where_step){.action = WHERE_AND});
    }
    return status;
}

static sotto_status read_or(where_reader *reader, sotto_error *error)
{
    sotto_status status = read_and(reader, error);
    while (status == SOTTO_OK && is(&reader->word, "or")) {
        write_keyword(reader, "OR");
        advance(reader);
        status = read_and(reader, error);
        if (status == SOTTO_OK) add_step(reader->where, (where_step){.action = WHERE_OR});
    }
    return status;
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
        return is_category(column, value, strlen(value)); /* at most 255 bytes */
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
    out->column = find_column(schema, text, (size_t)(equals - text));
    out->value = equals + 1;
    return out->column != SIZE_MAX &&
           is_old_value(sotto_schema_column(schema, out->column), out->value,
                        &out->number);
}

static void read_old(where_reader *reader, const old_form *old)
{
    where_step test = test_of(reader, old->column);
    const bool is_text = test.described->type == SOTTO_COLUMN_CATEGORY;
    test.action = WHERE_EQUAL;
    write_name(reader, test.described->name);
    write_keyword(reader, "=");
    write_literal(reader, &test,
                  keep_literal(reader, &test, old->number, is_text ? old->value : NULL,
                               strlen(old->value)));
    add_step(reader->where, test);
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
    advance(reader);
    const sotto_status status = read_or(reader, error);
    if (status != SOTTO_OK || reader->word.kind == WORD_END) return status;
    return refuse_word(reader, "AND or OR is expected; put texts into single quotes",
                       error);
}

static sotto_status refuse_length(sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--where has more than %d bytes; write a shorter condition, or store "
                    "its answer in a column of type boolean",
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
                    "--where: \"%.90s\" could also mean COLUMN=VALUE, because the schema "
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
        if (i > 0) write_keyword(reader, "AND");
        if (!is_only) write_keyword(reader, "(");
        reader->depth = is_only ? 0 : 1;
        reader->level_begin = reader->canonical.used;
        status = read_one(reader, texts[i], error);
        if (!is_only) sot_growing_text(&reader->canonical, ")");
        if (status == SOTTO_OK && i > 0)
            add_step(reader->where, (where_step){.action = WHERE_AND});
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
            "--where tests columns by name, and a schema with \"features\" has "
            "no names; give a table (CSV, SQLite) and a schema with "
            "\"columns\"");
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
