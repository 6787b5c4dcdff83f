/* Strings and numbers of base/json/json.h, and the refusals. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json/parser.h"
#include "base/text.h"

/* The place is counted only when it is needed. */
static size_t line_of(const sot_json_parser *parser, const char *place)
{
    size_t line = 1;
    for (const char *c = parser->text; c < place; c++)
        line += *c == '\n';
    return line;
}

sotto_status sot_json_refuse_at(const sot_json_parser *parser, const char *word,
                                size_t length, const char *problem)
{
    char copy[64], shown[48];
    if (length > sizeof copy - 1) length = sizeof copy - 1;
    for (size_t i = 0; i < length; i++)
        copy[i] = (char)(word[i] == '\0' ? '?' : word[i]);
    copy[length] = '\0';
    return sot_fail(parser->error, SOTTO_PARSE, "%sline %zu: %s%s%s",
                    parser->document->prefix, line_of(parser, word),
                    sot_printable(copy, shown, sizeof shown), length > 0 ? " " : "",
                    problem);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool sot_json_is_word_byte(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '+' || c == '-' || c == '.';
}

sotto_status sot_json_refuse_here(const sot_json_parser *parser, const char *wanted)
{
    const char *end = parser->at;
    if (end == parser->end)
        return sot_json_refuse_at(parser, end, 0, "the text ends too early");
    while (end < parser->end && sot_json_is_word_byte(*end))
        end++;
    if (end == parser->at) {
        const size_t length = sot_utf8_length(end, (size_t)(parser->end - end));
        end += length > 0 ? length : 1;
    }
    char problem[96];
    (void)snprintf(problem, sizeof problem, "is not JSON here; %s", wanted);
    return sot_json_refuse_at(parser, parser->at, (size_t)(end - parser->at), problem);
}

/* ---- strings ---- */

static void append_byte(sot_json_parser *parser, unsigned byte)
{
    parser->document->strings[parser->strings_bytes++] = (char)byte;
}

static void append_code_point(sot_json_parser *parser, uint32_t code)
{
    if (code < 0x80) {
        append_byte(parser, code);
    } else if (code < 0x800) {
        append_byte(parser, 0xC0 | code >> 6);
        append_byte(parser, 0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        append_byte(parser, 0xE0 | code >> 12);
        append_byte(parser, 0x80 | (code >> 6 & 0x3F));
        append_byte(parser, 0x80 | (code & 0x3F));
    } else {
        append_byte(parser, 0xF0 | code >> 18);
        append_byte(parser, 0x80 | (code >> 12 & 0x3F));
        append_byte(parser, 0x80 | (code >> 6 & 0x3F));
        append_byte(parser, 0x80 | (code & 0x3F));
    }
}

/* \uXXXX at `at`; false if it is not that. */
static bool read_unit(const char *at, const char *end, uint32_t *out)
{
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return false;
    uint32_t unit = 0;
    for (int i = 2; i < 6; i++) {
        const char c = at[i], lower = (char)(c | 0x20);
        if (is_digit(c)) {
            unit = unit * 16 + (uint32_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit * 16 + (uint32_t)(lower - 'a' + 10);
        } else {
            return false;
        }
    }
    *out = unit;
    return true;
}

/* \uXXXX, or two of them for a character beyond U+FFFF (RFC 8259, 7). */
static sotto_status parse_unicode_escape(sot_json_parser *parser)
{
    const char *const start = parser->at;
    uint32_t code, low;
    if (!read_unit(start, parser->end, &code))
        return sot_json_refuse_at(parser, start, 2, "wants four hexadecimal digits");
    parser->at += 6;
    if (code == 0)
        return sot_json_refuse_at(parser, start, 6,
                                  "is a NUL; no text of ours may contain one");
    if (code >= 0xD800 && code <= 0xDFFF) {
        if (code >= 0xDC00 || !read_unit(parser->at, parser->end, &low) || low < 0xDC00 ||
            low > 0xDFFF)
            return sot_json_refuse_at(parser, start, 6,
                                      "is half of a surrogate pair; write both");
        parser->at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_code_point(parser, code);
    return SOTTO_OK;
}

static sotto_status parse_escape(sot_json_parser *parser)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (parser->end - parser->at < 2)
        return sot_json_refuse_at(parser, parser->end, 0, "the text ends too early");
    if (parser->at[1] == 'u') return parse_unicode_escape(parser);
    const char *name = memchr(names, parser->at[1], sizeof names - 1);
    if (name == NULL)
        return sot_json_refuse_at(parser, parser->at, 2,
                                  "is no escape; write \\\\ for a backslash");
    append_byte(parser, (unsigned char)meanings[name - names]);
    parser->at += 2;
    return SOTTO_OK;
}

/* The decoded text with its NUL is never longer than the quoted one, so document->strings, as
 * long as the text, has room for all. */
sotto_status sot_json_parse_string(sot_json_parser *parser, const char **out)
{
    const char *const decoded = parser->document->strings + parser->strings_bytes;
    const char *const start = parser->at++;
    for (;;) {
        if (parser->at == parser->end)
            return sot_json_refuse_at(parser, start, 0,
                                      "a string begins here and never ends");
        const char c = *parser->at;
        if (c == '"') break;
        if (c == '\\') {
            const sotto_status status = parse_escape(parser);
            if (status != SOTTO_OK) return status;
            continue;
        }
        if ((unsigned char)c < 0x20)
            return sot_json_refuse_at(
                parser, parser->at, 0,
                "a control character in a string; write it as an escape");
        const size_t length =
            sot_utf8_length(parser->at, (size_t)(parser->end - parser->at));
        if (length == 0)
            return sot_json_refuse_at(parser, parser->at, 0,
                                      "a byte that is not UTF-8 in a string");
        for (size_t i = 0; i < length; i++)
            append_byte(parser, (unsigned char)*parser->at++);
    }
    parser->at++;
    append_byte(parser, '\0');
    *out = decoded;
    return SOTTO_OK;
}

/* ---- numbers ---- */

static bool skip_digits(const char **at, const char *end)
{
    const char *const start = *at;
    while (*at < end && is_digit(**at))
        (*at)++;
    return *at > start;
}

/* The grammar: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?, and not more. */
static bool find_number(const sot_json_parser *parser, const char **out_end,
                        bool *out_is_integer)
{
    const char *at = parser->at, *const end = parser->end;
    *out_is_integer = true;
    if (*at == '-') at++;
    const char *const whole = at;
    if (!skip_digits(&at, end) || (*whole == '0' && at > whole + 1)) return false;
    if (at < end && *at == '.') {
        *out_is_integer = false;
        at++;
        if (!skip_digits(&at, end)) return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *out_is_integer = false;
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (!skip_digits(&at, end)) return false;
    }
    *out_end = at;
    return at == end || !sot_json_is_word_byte(*at);
}

static sotto_status parse_integer(sot_json_parser *parser, size_t length,
                                  sot_json_node *out)
{
    const size_t sign = *parser->at == '-' ? 1 : 0;
    uint64_t size = 0;
    const uint64_t limit = (uint64_t)INT64_MAX + sign;
    if (sot_parse_u64(parser->at + sign, length - sign, &size) != SOT_NUMBER_OK ||
        size > limit)
        return sot_json_refuse_at(
            parser, parser->at, length,
            "is beyond 64-bit integers; for a real write it as 1.0e20");
    out->kind = SOT_JSON_INTEGER;
    /* -2^63 has no positive twin in int64. */
    out->is.integer = sign == 0       ? (int64_t)size
                      : size == limit ? INT64_MIN
                                      : -(int64_t)size;
    return SOTTO_OK;
}

static sotto_status parse_real(sot_json_parser *parser, size_t length, sot_json_node *out)
{
    out->kind = SOT_JSON_REAL;
    const sot_number read = sot_parse_double(parser->at, length, &out->is.real);
    if (read == SOT_NUMBER_OK) return SOTTO_OK;
    const char *problem = "could not be read";
    if (read == SOT_NUMBER_TOO_LARGE)
        problem = "is beyond the range of doubles; give a number below 1.8e308";
    if (read == SOT_NUMBER_TOO_SMALL)
        problem =
            "is too small to distinguish from zero; give 0 or a number above 5e-324";
    return sot_json_refuse_at(parser, parser->at, length, problem);
}

sotto_status sot_json_parse_number(sot_json_parser *parser, sot_json_node *out)
{
    const char *end;
    bool is_integer;
    if (!find_number(parser, &end, &is_integer))
        return sot_json_refuse_here(parser, "write a number as 17, -0.5 or 1e-6");
    const size_t length = (size_t)(end - parser->at);
    if (length > SOT_NUMBER_BYTES_MAX)
        return sot_json_refuse_at(parser, parser->at, length,
                                  "is a number of more than 2048 bytes");
    const sotto_status status =
        is_integer ? parse_integer(parser, length, out) : parse_real(parser, length, out);
    if (status == SOTTO_OK) parser->at = end;
    return status;
}
