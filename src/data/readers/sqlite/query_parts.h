/* data/readers/sqlite/query_parts.h: the state of a query. Private to query.c and query_reader.c. */
#ifndef SOT_DATA_QUERY_PARTS_H
#define SOT_DATA_QUERY_PARTS_H

#include <stdint.h>

#include <sqlite3.h>

#include "base/text.h"
#include "data/cells/words.h"
#include "data/readers/sqlite/prepare.h"
#include "data/readers/sqlite/query.h"

typedef struct sot_query_field {
    size_t column; /* of the schema */
    const sotto_column *described;
    sot_words *categories; /* of a category */
    bool is_wanted;        /* its raw cell is asked for */
    char spelled
        [SOT_DOUBLE_TEXT_BYTES]; /* of the current row, where SQLite's text will not do */
} sot_query_field;

typedef struct sot_query_text {
    const char *text;
    size_t size_bytes;
} sot_query_text;

struct sot_query {
    char *path;
    const sotto_schema *schema;
    sot_query_table table;
    sqlite3_stmt *statement;
    sot_query_field *fields; /* those of the result, then those that it lacks */
    size_t field_count;      /* of the result */
    sot_query_text *ids;     /* schema column -> id of the current row */
    sot_value *raw; /* schema column -> raw cell of the current row, where wanted */
    double *values; /* the current row: one for each column of the schema */
    uint64_t rows;
    bool at_end; /* of this pass: SQLite would begin again */
};

#endif
