/* base/text.h: numbers and words, read and written the same way in every locale. */
#ifndef SOT_BASE_TEXT_H
#define SOT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of reading a number. Only SOT_NUMBER_OK writes the value. */
typedef enum sot_number {
    SOT_NUMBER_OK = 0,
    SOT_NUMBER_MALFORMED = 1,   /* not exactly a decimal number */
    SOT_NUMBER_TOO_LARGE = 2,   /* a number, but beyond the type's range */
    SOT_NUMBER_TOO_SMALL = 3,   /* not zero, but the nearest double is: 1e-400 */
    SOT_NUMBER_NOT_INTEGRAL = 4 /* a number, but not a whole one */
} sot_number;

/* No number is longer; the exact decimal form of every double fits. */
enum { SOT_NUMBER_BYTES_MAX = 2048 };

/* Returns the double nearest to a decimal number: [+-] digits [. digits] [e [+-] digits],
 * with at least one digit before the exponent. No blanks, no hexadecimal, no nan, no inf.
 * All of the `size_bytes` must be used; they need no final NUL. Ties go to even (the C
 * library's strtod, which glibc and musl round correctly). */
sot_number sot_parse_double(const char *text, size_t size_bytes, double *out_value);

/* Reads a count: the same grammar without a minus sign. The value must be a whole number up to
 * 2^64 - 1, found in exact decimal arithmetic: 1000000, 1e6 and 2.5e3 are valid. */
sot_number sot_parse_u64(const char *text, size_t size_bytes, uint64_t *out_value);

/* Room for any result of the two functions below, with its NUL. */
enum { SOT_DOUBLE_TEXT_BYTES = 32 };

/* Writes the shortest decimal that reads back as the same double, and of those the
 * nearest to it. It always has a point or an exponent ("2.0", "0.1", "1e-5", "-0.0"), so
 * that a JSON reader keeps it a real. "nan", "inf" and "-inf" for other values. */
void sot_format_double(double value, char buffer[SOT_DOUBLE_TEXT_BYTES]);

/* The same bits in C's hexadecimal form, "0x1.8p+0", as printf("%a") spells them in glibc. */
void sot_format_hex(double value, char buffer[SOT_DOUBLE_TEXT_BYTES]);

/* Reads only the output of sot_format_hex(): every double has one spelling, so the text
 * round-trips. SOT_NUMBER_MALFORMED for all others. */
sot_number sot_parse_hex(const char *text, size_t size_bytes, double *out_value);

/* digits[0].digits[1]... times ten to the exponent: room for any double, and a NUL. */
enum { SOT_DIGITS_BYTES = 18 };
typedef struct sot_digits {
    char digits[SOT_DIGITS_BYTES];
    int exponent;
} sot_digits;

/* Write the digits of |value|, finite. The first writes the smallest number that read back as the
 * same double, followed by zeros. The second writes `count` of them (1 to 17). The
 * decimal with the sign of `value` is then the nearest (`direction` 0), not below it (1)
 * or not above it (-1). */
void sot_shortest_digits(double value, sot_digits *out);
void sot_round_digits(double value, int count, int direction, sot_digits *out);

/* The spelling of digits. Plain from 1e-4 on, and up to `plain_digits` digits before the point
 * or, with `all_digits`, as many as there are; "1.5e-7" or, `padded`, "1.5e-07" beyond. */
typedef struct sot_spelling {
    int plain_digits;
    bool all_digits;
    bool padded;
    bool with_point; /* "2.0", not "2" */
} sot_spelling;

/* Zeros at the end are left out. Writes at most 30 bytes and a NUL. */
void sot_spell_digits(const sot_digits *from, const sot_spelling *spelling, char *at);
void sot_format_number(double value, const sot_spelling *spelling,
                       char buffer[SOT_DOUBLE_TEXT_BYTES]);

/* Splits the output of printf("%.*e"), for any decimal point: "1,25e+03" gives the digits "125"
 * and the exponent 3. `digits` has room for all of them and a NUL. */
void sot_split_scientific(const char *printed, char *digits, int *out_exponent);

/* Returns the candidate closest to `word`, or NULL if none is close (more than a third of the
 * letters would have to change). Distance counts letters added, dropped, changed and neighbours
 * swapped (Damerau's distance, each place edited once). Case is ignored, and so is the difference
 * of - and _. The first of equals wins. NULL ends `candidates`. */
const char *sot_nearest_word(const char *word, const char *const *candidates);

/* Copies text into a message: control characters and bytes that are not UTF-8 become
 * '?'. Longer texts are truncated between characters, with "..." at the end. Returns
 * `buffer`. */
const char *sot_printable(const char *text, char *buffer, size_t size_bytes);

/* Returns the length of the UTF-8 character at `text`, of which `size_bytes` may be read.
 * 0 if there is none (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF). */
size_t sot_utf8_length(const char *text, size_t size_bytes);

/* Writes the meaning of an errno value, in English in every locale; thread-safe. Returns
 * `buffer`. */
const char *sot_errno_text(int code, char *buffer, size_t size_bytes);

#endif
