/* JSON lines: one record a line, an object whose members are the cells by name (RFC 8259; jsonlines.org).
 *
 * Isolation   A record is one line and nothing but that line.
 * Totality    Every line gives a row. A line that is no JSON object, a blank one too, is a row of missing cells. A member
 *             that is not there, null, an array or an object is missing. A text, a number, true and false count as what
 *             they spell, by the rules of data/cells/cell.h, as a cell of CSV does: 17 and "17" are one id.
 * Names       Decoded and compared byte by byte, in any order. Members that the schema does not name are passed over: no
 *             record may stop a run. Of members with the same name the last one counts, also if it is missing.
 * Texts       Escapes are decoded; half of a surrogate pair is U+FFFD. Other bytes stay as they are, UTF-8 or not.
 * Header      There is none: every line is a record, and nothing that a line holds or lacks can be refused.
 * Packed      If the name ends in .gz. The first bytes cannot tell: they are a record's.
 * Memory      Bounded by the schema: a line is read in blocks, and of a text the bytes are kept that its value can depend on.
 *             Objects and arrays within each other go to depth DEPTH_MAX; a deeper line is malformed.
 * Why ours    base/json/json.h builds a tree of the whole text and quotes it in messages: it is not for records.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/readers/lines.h"
#include "data/readers/readers.h"

enum { LINE_BYTES = 1 << 16, DEPTH_MAX = 32 };

static const uint64_t rows_max = UINT64_C(1) << 32;

/* Where in a line the next byte stands. */
typedef enum part {
    AT_RECORD, /* blanks, and then the record's brace */
    AT_KEY_OR_END,
    AT_KEY,
    AT_COLON,
    AT_VALUE_OR_END, /* of an array */
    AT_VALUE,
    AT_COMMA, /* behind a value */
    IN_TEXT,
    IN_ESCAPE, /* behind a backslash */
    IN_CODE,   /* behind \u */
    IN_NUMBER,
    IN_WORD, /* true, false, null */
    AT_END,  /* behind the record: blanks only */
    BROKEN
} part;

/* Within a number; it may end where the comment says so. */
typedef enum number_part {
    BEHIND_MINUS,
    IN_ZERO,  /* may end */
    IN_WHOLE, /* may end */
    BEHIND_POINT,
    IN_FRACTION, /* may end */
    BEHIND_E,
    BEHIND_SIGN,
    IN_POWER, /* may end */
    NO_NUMBER
} number_part;

/* What the reader knows of one column of the schema. */
typedef struct json_field {
    const sotto_column *described;
    sot_words *categories; /* of a category */
    char *raw;             /* its raw cell, if it was wanted: SOT_VALUE_BYTES */
    size_t raw_bytes;
} json_field;

typedef struct json_lines {
    size_t columns; /* of the schema */
    sot_lines *lines;
    sot_words *names;
    json_field *fields;
    double *absent; /* the row of a record without cells */
    double *values; /* the current row */
    char *raw;      /* of all fields */
    size_t raw_bytes;
    uint64_t rows;
    /* The current line. */
    part at;
    size_t depth;
    uint64_t
        objects; /* the last bit: whether the innermost is an object; then that around it ... */
    size_t column; /* of the record's last name; SIZE_MAX: not of the schema */
    bool is_key;   /* the text is a name */
    bool is_kept;  /* its bytes are */
    bool is_long;  /* longer than what is kept */
    char token[SOT_VALUE_BYTES];
    size_t token_bytes;
    number_part number;
    const char *word; /* what is left of it */
    unsigned code, code_digits;
    unsigned high; /* half of a surrogate pair that waits for the other; 0: none */
} json_lines;

/* ---- cells ---- */

static void clear_row(json_lines *json)
{
    memcpy(json->values, json->absent, json->columns * sizeof *json->values);
    for (size_t i = 0; i < json->columns; i++)
        json->fields[i].raw_bytes = 0;
}

static void clear_cell(json_lines *json)
{
    if (json->depth != 1 || json->column == SIZE_MAX) return;
    json->values[json->column] = json->absent[json->column];
    json->fields[json->column].raw_bytes = 0;
}

static void set_cell(json_lines *json)
{
    if (json->depth != 1 || json->column == SIZE_MAX) return;
    json_field *field = &json->fields[json->column];
    json->values[json->column] =
        json->is_long ? json->absent[json->column]
                      : sot_cell_of_text(field->described, field->categories, json->token,
                                         json->token_bytes);
    if (field->raw == NULL) return;
    memcpy(field->raw, json->token, json->token_bytes);
    field->raw_bytes = json->token_bytes;
}

/* ---- tokens ---- */

static void begin_token(json_lines *json, bool is_key)
{
    json->is_key = is_key;
    json->is_kept = json->depth == 1 && (is_key || json->column != SIZE_MAX);
    json->is_long = false;
    json->token_bytes = 0;
    json->high = 0;
}

static void add_byte(json_lines *json, char byte)
{
    if (!json->is_kept) return;
    if (json->token_bytes < sizeof json->token) {
        json->token[json->token_bytes++] = byte;
    } else {
        json->is_long = true;
    }
}

static void add_character(json_lines *json, unsigned code)
{
    if (code < 0x80) {
        add_byte(json, (char)code);
        return;
    }
    const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
    add_byte(json, (char)(first[more] | code >> 6 * more));
    for (unsigned i = more; i-- > 0;)
        add_byte(json, (char)(0x80 | (code >> 6 * i & 0x3F)));
}

/* No other half follows. */
static void end_high(json_lines *json)
{
    if (json->high != 0) add_character(json, 0xFFFD);
    json->high = 0;
}

static void end_code(json_lines *json)
{
    const bool is_high = json->code >= 0xD800 && json->code < 0xDC00;
    const bool is_low = json->code >= 0xDC00 && json->code < 0xE000;
    json->at = IN_TEXT;
    if (json->high != 0 && is_low) {
        add_character(json,
                      0x10000 + ((json->high - 0xD800) << 10) + (json->code - 0xDC00));
        json->high = 0;
        return;
    }
    end_high(json);
    if (is_high) {
        json->high = json->code;
    } else {
        add_character(json, is_low ? 0xFFFD : json->code);
    }
}

static void end_value(json_lines *json)
{
    json->at = json->depth == 0 ? AT_END : AT_COMMA;
}

static void end_text(json_lines *json)
{
    end_high(json);
    if (!json->is_key) {
        set_cell(json);
        end_value(json);
        return;
    }
    if (json->depth == 1)
        json->column = json->is_long
                           ? SIZE_MAX
                           : sot_words_find(json->names, json->token, json->token_bytes);
    json->at = AT_COLON;
}

static void take_text(json_lines *json, char byte)
{
    if (byte == '"') {
        end_text(json);
    } else if (byte == '\\') {
        json->at = IN_ESCAPE;
    } else if ((unsigned char)byte < 0x20) {
        json->at = BROKEN;
    } else {
        end_high(json);
        add_byte(json, byte);
    }
}

static void take_escape(json_lines *json, char byte)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (byte == 'u') {
        json->at = IN_CODE;
        json->code = json->code_digits = 0;
        return;
    }
    const char *letter = byte == '\0' ? NULL : strchr(letters, byte);
    json->at = letter == NULL ? BROKEN : IN_TEXT;
    if (letter == NULL) return;
    end_high(json);
    add_byte(json, meanings[letter - letters]);
}

static void take_code(json_lines *json, char byte)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *digit = byte == '\0' ? NULL : strchr(digits, byte);
    if (digit == NULL) {
        json->at = BROKEN;
        return;
    }
    json->code = json->code << 4 | ((unsigned)(digit - digits) & 15U);
    if (++json->code_digits == 4) end_code(json);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Where a number stands behind one more byte; NO_NUMBER: it does not go on. */
static number_part number_behind(number_part at, char byte)
{
    const bool is_power = byte == 'e' || byte == 'E';
    switch (at) {
    case BEHIND_MINUS:
        return byte == '0' ? IN_ZERO : is_digit(byte) ? IN_WHOLE : NO_NUMBER;
    case IN_ZERO:
        return byte == '.' ? BEHIND_POINT : is_power ? BEHIND_E : NO_NUMBER;
    case IN_WHOLE:
        if (is_digit(byte)) return IN_WHOLE;
        return byte == '.' ? BEHIND_POINT : is_power ? BEHIND_E : NO_NUMBER;
    case BEHIND_POINT:
        return is_digit(byte) ? IN_FRACTION : NO_NUMBER;
    case IN_FRACTION:
        return is_digit(byte) ? IN_FRACTION : is_power ? BEHIND_E : NO_NUMBER;
    case BEHIND_E:
        if (byte == '+' || byte == '-') return BEHIND_SIGN;
        return is_digit(byte) ? IN_POWER : NO_NUMBER;
    case BEHIND_SIGN:
    case IN_POWER:
        return is_digit(byte) ? IN_POWER : NO_NUMBER;
    case NO_NUMBER:
        break;
    }
    return NO_NUMBER;
}

static bool may_end(number_part at)
{
    return at == IN_ZERO || at == IN_WHOLE || at == IN_FRACTION || at == IN_POWER;
}

static void take_word(json_lines *json, char byte)
{
    if (byte != *json->word) {
        json->at = BROKEN;
        return;
    }
    add_byte(json, byte);
    json->word++;
    if (*json->word != '\0') return;
    if (byte == 'l') { /* null */
        clear_cell(json);
    } else {
        set_cell(json);
    }
    end_value(json);
}

/* ---- structure ---- */

static void open_nest(json_lines *json, bool is_object)
{
    clear_cell(json);
    json->at = json->depth == DEPTH_MAX ? BROKEN
               : is_object              ? AT_KEY_OR_END
                                        : AT_VALUE_OR_END;
    json->objects = json->objects << 1 | (is_object ? 1 : 0);
    json->depth++;
}

static bool in_object(const json_lines *json)
{
    return (json->objects & 1) != 0;
}

static void close_nest(json_lines *json)
{
    json->objects >>= 1;
    json->depth--;
    end_value(json);
}

static void begin_value(json_lines *json, char byte)
{
    if (byte == '{' || byte == '[') {
        open_nest(json, byte == '{');
        return;
    }
    begin_token(json, false);
    json->word = byte == 't'   ? "true"
                 : byte == 'f' ? "false"
                 : byte == 'n' ? "null"
                               : NULL;
    json->number = byte == '-' ? BEHIND_MINUS : number_behind(BEHIND_MINUS, byte);
    if (byte == '"') {
        json->at = IN_TEXT;
    } else if (json->word != NULL) {
        json->at = IN_WORD;
        take_word(json, byte);
    } else if (json->number != NO_NUMBER) {
        json->at = IN_NUMBER;
        add_byte(json, byte);
    } else {
        json->at = BROKEN;
    }
}

/* A byte between tokens that is no blank. */
static void take_mark(json_lines *json, char byte)
{
    const part at = json->at;
    if (at == AT_RECORD && byte == '{') {
        open_nest(json, true);
    } else if ((at == AT_KEY_OR_END || at == AT_KEY) && byte == '"') {
        begin_token(json, true);
        json->at = IN_TEXT;
    } else if (at == AT_COLON && byte == ':') {
        json->at = AT_VALUE;
    } else if (at == AT_COMMA && byte == ',') {
        json->at = in_object(json) ? AT_KEY : AT_VALUE;
    } else if ((at == AT_COMMA || at == AT_KEY_OR_END || at == AT_VALUE_OR_END) &&
               byte == (in_object(json) ? '}' : ']')) {
        close_nest(json);
    } else if (at == AT_VALUE || at == AT_VALUE_OR_END) {
        begin_value(json, byte);
    } else {
        json->at = BROKEN;
    }
}

static void take_number(json_lines *json, char byte)
{
    const number_part next = number_behind(json->number, byte);
    if (next != NO_NUMBER) {
        json->number = next;
        add_byte(json, byte);
        return;
    }
    if (!may_end(json->number)) {
        json->at = BROKEN;
        return;
    }
    set_cell(json);
    end_value(json);
    if (!is_blank(byte)) take_mark(json, byte);
}

static void take_bytes(json_lines *json, const char *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes && json->at != BROKEN; i++) {
        const char byte = bytes[i];
        if (json->at == IN_TEXT) {
            take_text(json, byte);
        } else if (json->at == IN_NUMBER) {
            take_number(json, byte);
        } else if (json->at == IN_WORD) {
            take_word(json, byte);
        } else if (json->at == IN_ESCAPE) {
            take_escape(json, byte);
        } else if (json->at == IN_CODE) {
            take_code(json, byte);
        } else if (!is_blank(byte)) {
            take_mark(json, byte);
        }
    }
}

/* ---- the reader ---- */

static bool is_json_lines(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_is_named(path, ".jsonl") || sot_is_named(path, ".ndjson");
}

static void close_reader(void *reader)
{
    json_lines *json = reader;
    if (json == NULL) return;
    for (size_t i = 0; json->fields != NULL && i < json->columns; i++)
        sot_words_free(json->fields[i].categories);
    sot_words_free(json->names);
    sot_free(json->fields);
    sot_free(json->absent);
    if (json->values != NULL)
        sot_wipe_and_free(json->values, json->columns * sizeof *json->values);
    if (json->raw != NULL) sot_wipe_and_free(json->raw, json->raw_bytes);
    sot_lines_close(json->lines);
    sot_wipe_and_free(json, sizeof *json);
}

static sotto_status make_raw(json_lines *json, const bool *wanted, sotto_error *error)
{
    char *place;
    for (size_t i = 0; i < json->columns; i++)
        if (wanted != NULL && wanted[i]) json->raw_bytes += SOT_VALUE_BYTES;
    json->raw = place = sot_new_array(json->raw_bytes, 1);
    if (json->raw == NULL) return sot_fail_memory(error, json->raw_bytes, 1);
    for (size_t i = 0; i < json->columns; i++) {
        if (wanted == NULL || !wanted[i]) continue;
        json->fields[i].raw = place;
        place += SOT_VALUE_BYTES;
    }
    return SOTTO_OK;
}

static sotto_status make_fields(json_lines *json, const sotto_schema *schema,
                                sotto_error *error)
{
    const char **names = sot_new_array(json->columns, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, json->columns, sizeof *names);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < json->columns; i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        names[i] = column->name;
        json->fields[i].described = column;
        json->absent[i] = sot_cell_absent(column);
        if (column->type == SOTTO_COLUMN_CATEGORY)
            status = sot_words_new(column->values, column->value_count,
                                   &json->fields[i].categories, error);
    }
    if (status == SOTTO_OK)
        status = sot_words_new(names, json->columns, &json->names, error);
    sot_free(names);
    return status;
}

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    json_lines *json = sot_new_array(1, sizeof *json);
    if (json == NULL) return sot_fail_memory(error, 1, sizeof *json);
    json->columns = sotto_schema_size(input->schema);
    json->fields = sot_new_array(json->columns, sizeof *json->fields);
    json->absent = sot_new_array(json->columns, sizeof *json->absent);
    json->values = sot_new_array(json->columns, sizeof *json->values);
    sotto_status status =
        json->fields == NULL || json->absent == NULL || json->values == NULL
            ? sot_fail_memory(error, json->columns, sizeof *json->fields)
            : make_fields(json, input->schema, error);
    if (status == SOTTO_OK) status = make_raw(json, input->wanted, error);
    if (status == SOTTO_OK)
        status = sot_lines_open(input->file->path, SOT_PACKED_BY_NAME, LINE_BYTES,
                                &json->lines, error);
    if (status != SOTTO_OK) {
        close_reader(json);
        return status;
    }
    *out_reader = json;
    return SOTTO_OK;
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    json_lines *json = reader;
    char *line;
    size_t size_bytes;
    sotto_status status =
        sot_lines_next(json->lines, &line, &size_bytes, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (json->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right file?");
    }
    json->rows++;
    json->at = AT_RECORD;
    json->depth = 0;
    clear_row(json);
    /* At the head of any line, not of the file alone: a record must not depend on its place. */
    const size_t mark = size_bytes >= 3 && memcmp(line, byte_order_mark, 3) == 0 ? 3 : 0;
    take_bytes(json, line + mark, size_bytes - mark);
    if (sot_lines_was_cut(json->lines)) {
        const char *rest;
        do {
            status = sot_lines_rest(json->lines, &rest, &size_bytes, error);
            if (status != SOTTO_OK) return status;
            take_bytes(json, rest, size_bytes);
        } while (size_bytes > 0);
    }
    if (json->at != AT_END) clear_row(json);
    *out_record = (sot_record){.cells = json->values};
    return SOTTO_OK;
}

static sot_value raw_cell(const void *reader, size_t column)
{
    const json_field *field = &((const json_lines *)reader)->fields[column];
    return sot_value_of_text(field->raw, field->raw_bytes);
}

const sot_reader_kind sot_reader_json_lines = {
    .name = "JSON lines",
    .option = "jsonl",
    .of_tables = true,
    .has_names = true,
    .has_ids = true,
    .keeps_order = true,
    .labels = "the target of a table is one of its columns",
    .is_named = is_json_lines,
    .open = open_reader,
    .close = close_reader,
    .next = next_record,
    .cell = raw_cell,
};
