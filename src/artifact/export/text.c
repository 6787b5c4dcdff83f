/* C identifiers and literals from the words of a schema: for any column or category name the
 * header compiles and means the same. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "artifact/export/export.h"
#include "base/text.h"

enum { LINE_BYTES = 512, PREFIX_BYTES_MAX = 31 };

void sot_c_print(sot_output *output, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof line) {
        output->failed = true;
        return;
    }
    sot_output_bytes(output, line, (size_t)size);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void sot_c_string(sot_output *output, const char *text)
{
    static const char plain[] = " !#$%&'()*+,-./:;<=>@[]^_{|}~"; /* no " \ and ? */
    sot_output_text(output, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (is_letter(*c) || is_digit(*c) || strchr(plain, *c) != NULL) {
            sot_output_bytes(output, c, 1);
        } else {
            sot_c_print(output, "\\%03o", (unsigned)(unsigned char)*c);
        }
    }
    sot_output_text(output, "\"");
}

void sot_c_comment(sot_output *output, const char *text)
{
    char shown[SOT_C_NAME_BYTES];
    (void)sot_printable(text, shown, sizeof shown);
    for (char *c = shown; *c != '\0'; c++) {
        if (*c == '*' || *c == '/' || *c == '\\') *c = '_';
    }
    sot_output_text(output, shown);
}

void sot_c_number(sot_output *output, double value)
{
    char text[SOT_DOUBLE_TEXT_BYTES];
    sot_format_hex(value, text);
    sot_output_text(output, text);
}

static bool is_reserved(const char *name)
{
    /* C11, C++20, and the lower-case macros of the GNU dialect. */
    static const char *const words[] = {"alignas",
                                        "alignof",
                                        "and",
                                        "and_eq",
                                        "asm",
                                        "auto",
                                        "bitand",
                                        "bitor",
                                        "bool",
                                        "break",
                                        "case",
                                        "catch",
                                        "char",
                                        "char8_t",
                                        "char16_t",
                                        "char32_t",
                                        "class",
                                        "co_await",
                                        "co_return",
                                        "co_yield",
                                        "compl",
                                        "complex",
                                        "concept",
                                        "const",
                                        "const_cast",
                                        "consteval",
                                        "constexpr",
                                        "constinit",
                                        "continue",
                                        "decltype",
                                        "default",
                                        "delete",
                                        "do",
                                        "double",
                                        "dynamic_cast",
                                        "else",
                                        "enum",
                                        "explicit",
                                        "export",
                                        "extern",
                                        "false",
                                        "float",
                                        "for",
                                        "friend",
                                        "goto",
                                        "i386",
                                        "if",
                                        "imaginary",
                                        "inline",
                                        "int",
                                        "linux",
                                        "long",
                                        "mutable",
                                        "namespace",
                                        "new",
                                        "noexcept",
                                        "not",
                                        "not_eq",
                                        "nullptr",
                                        "operator",
                                        "or",
                                        "or_eq",
                                        "private",
                                        "protected",
                                        "public",
                                        "register",
                                        "reinterpret_cast",
                                        "requires",
                                        "restrict",
                                        "return",
                                        "short",
                                        "signed",
                                        "sizeof",
                                        "static",
                                        "static_assert",
                                        "static_cast",
                                        "struct",
                                        "switch",
                                        "template",
                                        "this",
                                        "thread_local",
                                        "throw",
                                        "true",
                                        "try",
                                        "typedef",
                                        "typeid",
                                        "typename",
                                        "typeof",
                                        "union",
                                        "unix",
                                        "unsigned",
                                        "using",
                                        "virtual",
                                        "void",
                                        "volatile",
                                        "wchar_t",
                                        "while",
                                        "xor",
                                        "xor_eq",
                                        "NULL",
                                        "NAN",
                                        "INFINITY",
                                        "DOMAIN",
                                        "SING",
                                        "OVERFLOW",
                                        "UNDERFLOW",
                                        "PLOSS",
                                        "TLOSS",
                                        "HUGE",
                                        "MAXFLOAT",
                                        "EOF"};
    /* Families of macros of <math.h>, <float.h> and <string.h>. */
    static const char *const beginnings[] = {"M_",   "FP_",  "MATH_", "HUGE_",
                                             "DBL_", "FLT_", "LDBL_", "SNAN"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0) return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
    return false;
}

/* Ends in an underscore and digits, as the names that are made unique do. */
static bool is_numbered(const char *name)
{
    size_t end = strlen(name);
    const size_t size = end;
    while (end > 0 && is_digit(name[end - 1]))
        end--;
    return end < size && end > 0 && name[end - 1] == '_';
}

/* A name that is fine as it is stays. Every other one gets the number of its column behind it, so
 * no two are equal: those that stay do not end in a number. */
void sot_c_member(const char *text, size_t number, char out_name[SOT_C_NAME_BYTES])
{
    char base[SOT_C_NAME_BYTES - 24]; /* room for an underscore and a number */
    size_t size = 0;
    bool fine = is_letter(text[0]) && strlen(text) < sizeof base - 1;
    if (!is_letter(text[0])) base[size++] = 'c';
    for (; *text != '\0' && size + 1 < sizeof base; text++) {
        const bool allowed = is_letter(*text) || is_digit(*text) || *text == '_';
        base[size++] = allowed ? *text : '_';
        fine = fine && allowed;
    }
    base[size] = '\0';
    if (fine && !is_reserved(base) && !is_numbered(base)) {
        (void)snprintf(out_name, SOT_C_NAME_BYTES, "%s", base);
    } else {
        (void)snprintf(out_name, SOT_C_NAME_BYTES, "%s_%zu", base, number);
    }
}

bool sot_c_is_prefix(const char *name)
{
    const size_t size = strlen(name);
    if (size == 0 || size > PREFIX_BYTES_MAX || !is_letter(name[0])) return false;
    for (size_t i = 0; i < size; i++)
        if (!is_letter(name[i]) && !is_digit(name[i]) && name[i] != '_') return false;
    return true;
}
