/* data/describe/parts.h: the common part of the three files that describe a schema. */
#ifndef SOT_DATA_DESCRIBE_PARTS_H
#define SOT_DATA_DESCRIBE_PARTS_H

#include "base/growing.h"
#include "base/json/writer.h"
#include "data/encode/parts.h"
#include "data/schema/matrix.h"
#include "data/schema/parts.h"

enum { SOT_WARNINGS_MOST = 64, SOT_WARNING_BYTES = 320 };

typedef struct sot_description {
    const sotto_schema *schema;
    sotto_target own;
    const sotto_target *target; /* NULL: none */
    sot_encoding *encoding;     /* NULL: nothing can be learned, and `why` says so */
    sotto_error why;
    char (*warnings)[SOT_WARNING_BYTES];
    size_t warning_count;
    sot_json_writer *json;
    sot_growing text;
} sot_description;

/* Writes the description for people into `text` (text.c), for scripts into `json`
 * (json.c). A failure is kept in the written buffer. */
void sot_describe_text(sot_description *made);
void sot_describe_json(sot_description *made);

#endif
