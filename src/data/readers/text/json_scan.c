#include "data/readers/text/json_scan.h"

#include <string.h>

/* ---- cells ---- */

void sot_json_scan_clear(sot_json_scan *json)
{
    memcpy(json->values, json->absent, json->columns * sizeof *json->values);
    for (size_t i = 0; i < json->columns; i++)
        json->fields[i].raw_bytes = 0;
}

static void clear_cell(sot_json_scan *json)
{
    if (json->depth != 1 || json->column == SIZE_MAX) return;
    json->values[json->column] = json->absent[json->column];
    json->fields[json->column].raw_bytes = 0;
}

static void set_cell(sot_json_scan *json)
{
    if (json->depth != 1 || json->column == SIZE_MAX) return;
    sot_json_field *field = &json->fields[json->column];
    json->values[json->column] =
        json->is_long ? json->absent[json->column]
                      : sot_cell_of_text(field->described, field->categories, json->token,
                                         json->token_bytes);
    if (field->raw == NULL) return;
    memcpy(field->raw, json->token, json->token_bytes);
    field->raw_bytes = json->token_bytes;
}

/* ---- tokens ---- */

static void begin_token(sot_json_scan *json, bool is_key)
{
    json->is_key = is_key;
    json->is_kept = json->depth == 1 && (is_key || json->column != SIZE_MAX);
    json->is_long = false;
    json->token_bytes = 0;
    json->high = 0;
}

static void add_byte(sot_json_scan *json, char byte)
{
    if (!json->is_kept) return;
    if (json->token_bytes < sizeof json->token) {
        json->token[json->token_bytes++] = byte;
    } else {
        json->is_long = true;
    }
}

static void add_character(sot_json_scan *json, unsigned code)
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
static void end_high(sot_json_scan *json)
{
    if (json->high != 0) add_character(json, 0xFFFD);
    json->high = 0;
}

static void end_code(sot_json_scan *json)
{
    const bool is_high = json->code >= 0xD800 && json->code < 0xDC00;
    const bool is_low = json->code >= 0xDC00 && json->code < 0xE000;
    json->at = SOT_JSON_IN_TEXT;
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

static void end_value(sot_json_scan *json)
{
    json->at = json->depth == 0 ? SOT_JSON_AT_END : SOT_JSON_AT_COMMA;
}

static void end_text(sot_json_scan *json)
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
    json->at = SOT_JSON_AT_COLON;
}

static void take_text(sot_json_scan *json, char byte)
{
    if (byte == '"') {
        end_text(json);
    } else if (byte == '\\') {
        json->at = SOT_JSON_IN_ESCAPE;
    } else if ((unsigned char)byte < 0x20) {
        json->at = SOT_JSON_BROKEN;
    } else {
        end_high(json);
        add_byte(json, byte);
    }
}

static void take_escape(sot_json_scan *json, char byte)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (byte == 'u') {
        json->at = SOT_JSON_IN_CODE;
        json->code = json->code_digits = 0;
        return;
    }
    const char *letter = byte == '\0' ? NULL : strchr(letters, byte);
    json->at = letter == NULL ? SOT_JSON_BROKEN : SOT_JSON_IN_TEXT;
    if (letter == NULL) return;
    end_high(json);
    add_byte(json, meanings[letter - letters]);
}

static void take_code(sot_json_scan *json, char byte)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *digit = byte == '\0' ? NULL : strchr(digits, byte);
    if (digit == NULL) {
        json->at = SOT_JSON_BROKEN;
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

/* Returns the state of a number after one more byte; SOT_JSON_NO_NUMBER: it does not continue. */
static sot_json_number_part number_behind(sot_json_number_part at, char byte)
{
    const bool is_power = byte == 'e' || byte == 'E';
    switch (at) {
    case SOT_JSON_BEHIND_MINUS:
        return byte == '0'      ? SOT_JSON_IN_ZERO
               : is_digit(byte) ? SOT_JSON_IN_WHOLE
                                : SOT_JSON_NO_NUMBER;
    case SOT_JSON_IN_ZERO:
        return byte == '.' ? SOT_JSON_BEHIND_POINT
               : is_power  ? SOT_JSON_BEHIND_E
                           : SOT_JSON_NO_NUMBER;
    case SOT_JSON_IN_WHOLE:
        if (is_digit(byte)) return SOT_JSON_IN_WHOLE;
        return byte == '.' ? SOT_JSON_BEHIND_POINT
               : is_power  ? SOT_JSON_BEHIND_E
                           : SOT_JSON_NO_NUMBER;
    case SOT_JSON_BEHIND_POINT:
        return is_digit(byte) ? SOT_JSON_IN_FRACTION : SOT_JSON_NO_NUMBER;
    case SOT_JSON_IN_FRACTION:
        return is_digit(byte) ? SOT_JSON_IN_FRACTION
               : is_power     ? SOT_JSON_BEHIND_E
                              : SOT_JSON_NO_NUMBER;
    case SOT_JSON_BEHIND_E:
        if (byte == '+' || byte == '-') return SOT_JSON_BEHIND_SIGN;
        return is_digit(byte) ? SOT_JSON_IN_POWER : SOT_JSON_NO_NUMBER;
    case SOT_JSON_BEHIND_SIGN:
    case SOT_JSON_IN_POWER:
        return is_digit(byte) ? SOT_JSON_IN_POWER : SOT_JSON_NO_NUMBER;
    case SOT_JSON_NO_NUMBER:
        break;
    }
    return SOT_JSON_NO_NUMBER;
}

static bool may_end(sot_json_number_part at)
{
    return at == SOT_JSON_IN_ZERO || at == SOT_JSON_IN_WHOLE ||
           at == SOT_JSON_IN_FRACTION || at == SOT_JSON_IN_POWER;
}

static void take_word(sot_json_scan *json, char byte)
{
    if (byte != *json->word) {
        json->at = SOT_JSON_BROKEN;
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

static void open_nest(sot_json_scan *json, bool is_object)
{
    clear_cell(json);
    json->at = json->depth == SOT_JSON_DEPTH_MAX ? SOT_JSON_BROKEN
               : is_object                       ? SOT_JSON_AT_KEY_OR_END
                                                 : SOT_JSON_AT_VALUE_OR_END;
    json->objects = json->objects << 1 | (is_object ? 1 : 0);
    json->depth++;
}

static bool in_object(const sot_json_scan *json)
{
    return (json->objects & 1) != 0;
}

static void close_nest(sot_json_scan *json)
{
    json->objects >>= 1;
    json->depth--;
    end_value(json);
}

static void begin_value(sot_json_scan *json, char byte)
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
    json->number =
        byte == '-' ? SOT_JSON_BEHIND_MINUS : number_behind(SOT_JSON_BEHIND_MINUS, byte);
    if (byte == '"') {
        json->at = SOT_JSON_IN_TEXT;
    } else if (json->word != NULL) {
        json->at = SOT_JSON_IN_WORD;
        take_word(json, byte);
    } else if (json->number != SOT_JSON_NO_NUMBER) {
        json->at = SOT_JSON_IN_NUMBER;
        add_byte(json, byte);
    } else {
        json->at = SOT_JSON_BROKEN;
    }
}

/* A byte between tokens that is no blank. */
static void take_mark(sot_json_scan *json, char byte)
{
    const sot_json_part at = json->at;
    if (at == SOT_JSON_AT_RECORD && byte == '{') {
        open_nest(json, true);
    } else if ((at == SOT_JSON_AT_KEY_OR_END || at == SOT_JSON_AT_KEY) && byte == '"') {
        begin_token(json, true);
        json->at = SOT_JSON_IN_TEXT;
    } else if (at == SOT_JSON_AT_COLON && byte == ':') {
        json->at = SOT_JSON_AT_VALUE;
    } else if (at == SOT_JSON_AT_COMMA && byte == ',') {
        json->at = in_object(json) ? SOT_JSON_AT_KEY : SOT_JSON_AT_VALUE;
    } else if ((at == SOT_JSON_AT_COMMA || at == SOT_JSON_AT_KEY_OR_END ||
                at == SOT_JSON_AT_VALUE_OR_END) &&
               byte == (in_object(json) ? '}' : ']')) {
        close_nest(json);
    } else if (at == SOT_JSON_AT_VALUE || at == SOT_JSON_AT_VALUE_OR_END) {
        begin_value(json, byte);
    } else {
        json->at = SOT_JSON_BROKEN;
    }
}

static void take_number(sot_json_scan *json, char byte)
{
    const sot_json_number_part next = number_behind(json->number, byte);
    if (next != SOT_JSON_NO_NUMBER) {
        json->number = next;
        add_byte(json, byte);
        return;
    }
    if (!may_end(json->number)) {
        json->at = SOT_JSON_BROKEN;
        return;
    }
    set_cell(json);
    end_value(json);
    if (!is_blank(byte)) take_mark(json, byte);
}

void sot_json_scan_take(sot_json_scan *json, const char *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes && json->at != SOT_JSON_BROKEN; i++) {
        const char byte = bytes[i];
        if (json->at == SOT_JSON_IN_TEXT) {
            take_text(json, byte);
        } else if (json->at == SOT_JSON_IN_NUMBER) {
            take_number(json, byte);
        } else if (json->at == SOT_JSON_IN_WORD) {
            take_word(json, byte);
        } else if (json->at == SOT_JSON_IN_ESCAPE) {
            take_escape(json, byte);
        } else if (json->at == SOT_JSON_IN_CODE) {
            take_code(json, byte);
        } else if (!is_blank(byte)) {
            take_mark(json, byte);
        }
    }
}
