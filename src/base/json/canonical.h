/* base/json/canonical.h: one spelling for every JSON value, so that it can be hashed.
 *
 * Form: no blanks and no line ends. The members of an object in the byte order of their keys.
 * Strings escaped by writer.h: \" and \\, \u00xx for control characters and DEL, everything else
 * in UTF-8. Integers in decimal. Reals as the shortest decimal that reads back as the same
 * double, always with a point or an exponent. 2 and 2.0 are different texts, because readers
 * distinguish them.
 *
 * Promise: two texts that sot_json_parse() reads as the same values have one canonical form, for
 * any blanks, escapes and order of members. Parsing the form and writing it again gives the same
 * bytes (fuzz/fuzz_certificate.c).
 */
#ifndef SOT_BASE_JSON_CANONICAL_H
#define SOT_BASE_JSON_CANONICAL_H

#include "base/json/json.h"
#include "base/json/writer.h"

/* Copies a value into a writer. Members are sorted for the canonical form (the writer must then
 * not be indented), or in the order of the text. `left_out` lists members of the value that are
 * skipped with their keys (NULL ends it; NULL: none). Errors are kept in the writer. */
void sot_json_copy(sot_json_writer *writer, const sot_json_value *value, bool sorted,
                   const sot_json_value *const *left_out);

#endif
