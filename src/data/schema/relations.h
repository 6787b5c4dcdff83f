/* data/schema/relations.h: the parts of a schema that name several columns of a table.
 *
 * Members     "interactions": [["hour", "workingday"], ...], pairs of columns, for additive models.
 *             "exclusive": [["soil_1", "soil_2", ...], ...], booleans of which at most one is true in a row. The encodings
 *             do not trust this: of several that are true only the first in the list counts.
 */
#ifndef SOT_DATA_SCHEMA_RELATIONS_H
#define SOT_DATA_SCHEMA_RELATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/schema.h>

#include "base/json/json.h"
#include "base/json/writer.h"

enum { SOT_SCHEMA_RELATIONS_MAX = 1000 };

/* Indices of columns, each once, in the order of the schema file. */
typedef struct sot_column_list {
    size_t *columns;
    size_t count;
} sot_column_list;

typedef struct sot_column_lists {
    sot_column_list *list;
    size_t count;
} sot_column_lists;

bool sot_column_list_has(const sot_column_list *list, size_t column);

/* Borrowed. Interactions are lists of two. */
const sot_column_lists *sot_schema_interactions(const sotto_schema *schema);
const sot_column_lists *sot_schema_exclusive(const sotto_schema *schema);
/* The exclusive list of a column, or NULL. */
const sot_column_list *sot_schema_group_of(const sotto_schema *schema, size_t column);

/* For the files of the schema. */
SOTTO_MUST_CHECK sotto_status sot_schema_read_relations(const sot_json_value *root,
                                                        sotto_schema *schema,
                                                        sotto_error *error);
void sot_schema_write_relations(sot_json_writer *writer, const sotto_schema *schema);
void sot_schema_free_lists(sot_column_lists *lists);

#endif
