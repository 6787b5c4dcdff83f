/* data/readers/text/json_scan.h: the record of one line of JSON, scanned byte by byte (json_lines.c has the rules).
 *
 * Memory      Of a text the bytes are kept that its value can depend on. Objects and arrays within each other go to depth
 *             SOT_JSON_DEPTH_MAX; a deeper line is malformed.
 */
#ifndef SOT_DATA_READERS_TEXT_JSON_SCAN_H
#define SOT_DATA_READERS_TEXT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/cells/cell.h"
#include "data/readers/lines.h"
#include "data/readers/readers.h"

enum { SOT_JSON_DEPTH_MAX = 32 };

/* Where in a line the next byte stands. */
typedef enum sot_json_part {
    SOT_JSON_AT_RECORD, /* blanks, and then the record's brace */
    SOT_JSON_AT_KEY_OR_END,
    SOT_JSON_AT_KEY,
    SOT_JSON_AT_COLON,
    SOT_JSON_AT_VALUE_OR_END, /* of an array */
    SOT_JSON_AT_VALUE,
    SOT_JSON_AT_COMMA, /* behind a value */
    SOT_JSON_IN_TEXT,
    SOT_JSON_IN_ESCAPE, /* behind a backslash */
    SOT_JSON_IN_CODE,   /* behind \u */
    SOT_JSON_IN_NUMBER,
    SOT_JSON_IN_WORD, /* true, false, null */
    SOT_JSON_AT_END,  /* behind the record: blanks only */
    SOT_JSON_BROKEN
} sot_json_part;

/* Within a number; it may end where the comment says so. */
typedef enum sot_json_number_part {
    SOT_JSON_BEHIND_MINUS,
    SOT_JSON_IN_ZERO,  /* may end */
    SOT_JSON_IN_WHOLE, /* may end */
    SOT_JSON_BEHIND_POINT,
    SOT_JSON_IN_FRACTION, /* may end */
    SOT_JSON_BEHIND_E,
    SOT_JSON_BEHIND_SIGN,
    SOT_JSON_IN_POWER, /* may end */
    SOT_JSON_NO_NUMBER
} sot_json_number_part;

/* The reader's state of one column of the schema. */
typedef struct sot_json_field {
    const sotto_column *described;
    sot_words *categories; /* of a category */
    char *raw;             /* its raw cell, if it was wanted: SOT_VALUE_BYTES */
    size_t raw_bytes;
} sot_json_field;

typedef struct sot_json_scan {
    size_t columns; /* of the schema */
    sot_lines *lines;
    sot_words *names;
    sot_json_field *fields;
    double *absent; /* the row of a record without cells */
    double *values; /* the current row */
    char *raw;      /* of all fields */
    size_t raw_bytes;
    uint64_t rows;
    bool is_fork; /* names, categories and the absent row are borrowed */
    /* The current line. */
    sot_json_part at;
    size_t depth;
    uint64_t
        objects; /* the last bit: whether the innermost is an object; then that around it ... */
    size_t column; /* of the record's last name; SIZE_MAX: not of the schema */
    bool is_key;   /* the text is a name */
    bool is_kept;  /* its bytes are */
    bool is_long;  /* longer than the kept bytes */
    char token[SOT_VALUE_BYTES];
    size_t token_bytes;
    sot_json_number_part number;
    const char *word; /* the rest of it */
    unsigned code, code_digits;
    unsigned high; /* half of a surrogate pair that waits for the other; 0: none */
} sot_json_scan;

/* Sets every cell of the current row to missing. */
void sot_json_scan_clear(sot_json_scan *json);

/* Reads further bytes of the line. */
void sot_json_scan_take(sot_json_scan *json, const char *bytes, size_t size_bytes);

#endif
