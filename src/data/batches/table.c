#include "data/batches/table.h"

#include "base/error.h"
#include "base/memory.h"

/* Numbers of a chunk: 16 MiB of floats, so that a pass spends its time in rows and not in calls. */
enum { CHUNK_NUMBERS = 1 << 22, CHUNK_ROWS_MAX = 1 << 16 };

struct sot_table {
    const sot_matrix *matrix; /* borrowed; NULL: a stream */
    bool given;               /* in this pass: the whole, or the last chunk */
    sot_source *source;       /* borrowed */
    sot_matrix_filler *filler;
    size_t chunk_rows; /* public: from the schema */
    bool fresh;        /* nothing was read yet: the first pass needs no second opening */
};

sotto_status sot_table_of_matrix(const sot_matrix *matrix, sot_table **out_table,
                                 sotto_error *error)
{
    sot_table *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->matrix = matrix;
    *out_table = table;
    return SOTTO_OK;
}

sotto_status sot_table_check_stream(const sotto_schema *schema, sotto_error *error)
{
    if (sotto_schema_unit(schema) == NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the schema's unit is the column '%.60s', and the rows of a unit are "
                    "bounded with all rows in memory; leave out `stream`",
                    sotto_schema_unit(schema));
}

static size_t chunk_rows_of(const sot_encoding *encoding)
{
    const size_t rows = CHUNK_NUMBERS / sot_encoding_dimension(encoding);
    return rows < 1 ? 1 : rows > CHUNK_ROWS_MAX ? CHUNK_ROWS_MAX : rows;
}

sotto_status sot_table_of_source(sot_source *source, const sotto_schema *schema,
                                 const sot_encoding *encoding, sot_table **out_table,
                                 sotto_error *error)
{
    sotto_status status = sot_table_check_stream(schema, error);
    if (status == SOTTO_OK) status = sot_source_check_rereading(source, error);
    if (status == SOTTO_OK) status = sot_source_check_training(source, error);
    if (status != SOTTO_OK) return status;
    sot_table *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->source = source;
    table->chunk_rows = chunk_rows_of(encoding);
    table->fresh = true;
    status = sot_matrix_filler_new(source, encoding, &table->filler, error);
    if (status != SOTTO_OK) {
        sot_table_free(table);
        return status;
    }
    *out_table = table;
    return SOTTO_OK;
}

void sot_table_free(sot_table *table)
{
    if (table == NULL) return;
    sot_matrix_filler_free(table->filler);
    sot_free(table);
}

const sot_matrix *sot_table_matrix(const sot_table *table)
{
    return table->matrix;
}

sotto_status sot_table_rewind(sot_table *table, sotto_error *error)
{
    const bool again = table->matrix == NULL && !table->fresh;
    table->given = false;
    if (again) sot_matrix_filler_detach(table->filler);
    return again ? sot_source_rewind(table->source, error) : SOTTO_OK;
}

/* The end of a pass is the place to look whether it was of one file: a pass that was not must not be
 * released. */
static sotto_status next_chunk(sot_table *table, const sot_matrix **out_chunk,
                               sotto_error *error)
{
    const sot_matrix *chunk = NULL;
    table->fresh = false;
    *out_chunk = NULL;
    if (table->given) return SOTTO_OK;
    sotto_status status =
        sot_matrix_fill(table->filler, table->source, table->chunk_rows, &chunk, error);
    if (status != SOTTO_OK) return status;
    table->given = chunk->rows < table->chunk_rows;
    if (table->given) status = sot_source_check_unchanged(table->source, error);
    if (status == SOTTO_OK && chunk->rows > 0) *out_chunk = chunk;
    return status;
}

sotto_status sot_table_next(sot_table *table, const sot_matrix **out_chunk,
                            sotto_error *error)
{
    if (table->matrix == NULL) return next_chunk(table, out_chunk, error);
    *out_chunk = table->given ? NULL : table->matrix;
    table->given = true;
    return SOTTO_OK;
}
