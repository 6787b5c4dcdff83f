/* data/batches/table.h: the rows of a training, for passes: all in memory, or read again for
 * every pass.
 *
 * A pass is sot_table_rewind() and then sot_table_next() until there is no chunk left. In memory
 * there is one chunk, the whole matrix. A stream has chunks of a public number of rows, the same
 * rows in the same chunks in every pass. It cannot bound the rows of a unit, which needs all rows
 * at once; it is refused if the schema has a unit.
 */
#ifndef SOT_DATA_BATCHES_TABLE_H
#define SOT_DATA_BATCHES_TABLE_H

#include "data/batches/matrix.h"

typedef struct sot_table sot_table;

/* Rows that are in memory already; borrowed. Free with sot_table_free(). */
SOTTO_MUST_CHECK sotto_status sot_table_of_matrix(const sot_matrix *matrix,
                                                  sot_table **out_table,
                                                  sotto_error *error);

/* Rows that are read again for every pass, with room for a chunk of them. The source is borrowed,
 * and must pass sot_source_check_rereading(). A file that changes between two passes, or within
 * one, gives SOTTO_IO at the end of the pass at the latest. */
SOTTO_MUST_CHECK sotto_status sot_table_of_source(sot_source *source,
                                                  const sotto_schema *schema,
                                                  const sot_encoding *encoding,
                                                  sot_table **out_table,
                                                  sotto_error *error);
void sot_table_free(sot_table *table); /* wipes the rows it read; NULL is fine */

/* The whole, or NULL for a stream. */
const sot_matrix *sot_table_matrix(const sot_table *table);

/* Checks that rows of this schema can be a stream; public. */
SOTTO_MUST_CHECK sotto_status sot_table_check_stream(const sotto_schema *schema,
                                                     sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_table_rewind(sot_table *table, sotto_error *error);

/* The next rows, until the next call; *out_chunk is NULL at the end. */
SOTTO_MUST_CHECK sotto_status sot_table_next(sot_table *table,
                                             const sot_matrix **out_chunk,
                                             sotto_error *error);

#endif
