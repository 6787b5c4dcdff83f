/* data/batches/matrix.h: encoded records in memory, dense or compressed by rows; quantised at load.
 *
 * Values are floats that hold multiples of the encoding's grid exactly. So the norm bound of
 * data/encode/encode.h holds for the rows stored here. Labels are the numbers of
 * sot_encode_target(): -1 and +1 for two classes.
 */
#ifndef SOT_DATA_BATCHES_MATRIX_H
#define SOT_DATA_BATCHES_MATRIX_H

#include <sotto/rng.h>

#include "data/batches/shards.h"
#include "data/encode/blocks.h"
#include "data/encode/encode.h"
#include "data/source/source.h"

enum { SOT_MATRIX_LANES = 16 }; /* floats; dense rows are padded to a multiple of it */

typedef struct sot_matrix {
    size_t rows;
    size_t columns;
    double *labels; /* one per row */
    /* Dense, if `dense` is not NULL: row i begins at dense + i * stride, 64-byte aligned, padded
     * with zeros. */
    float *dense;
    size_t stride;
    /* Otherwise sparse: row i has the entries starts[i] .. starts[i + 1] - 1. */
    uint64_t *starts; /* rows + 1 */
    uint32_t *indices;
    float *values;
    /* For an encoding by cells, which is neither dense nor sparse: row i has the places
     * cells + i * columns, one per feature. */
    uint32_t *cells;
    /* For an encoding that holds bins, which is neither: row i has the bins of all blocks, bin_bytes each, from
     * bins + i * layout->count * bin_bytes. */
    unsigned char *bins;
    size_t bin_bytes;
    sot_bins_layout *layout;       /* owned; NULL: no bins */
    size_t room_rows, room_values; /* allocated */
    size_t used_rows, used_values; /* ever written to, if it grows */
    bool grows;                    /* its arrays are those of sot_grow_array() */
} sot_matrix;

/* Reads a source to its end. Dense or sparse follows from the encoding (public), never from the
 * rows. If the schema has a unit, at most its cap of rows of each unit are kept. They are chosen
 * by a keyed hash of the unit and the row's place among the unit's rows, with a key from `rng`.
 * So the kept rows of one unit do not depend on the others. Free with sot_matrix_free(). */
SOTTO_MUST_CHECK sotto_status sot_matrix_load(sot_source *source,
                                              const sotto_schema *schema,
                                              const sot_encoding *encoding,
                                              sotto_rng *rng, sot_matrix **out_matrix,
                                              sotto_error *error);
void sot_matrix_free(sot_matrix *matrix); /* wipes; NULL is fine */

/* Bytes of a row of bins. */
static inline size_t sot_matrix_row_bytes(const sot_matrix *matrix)
{
    return matrix->layout->count * matrix->bin_bytes;
}

/* The same, each record in the one shard that its sharding names: sharding->count matrices, to be freed one by one.
 * `out_records` is the number of records read, `out_digest` their digest (shards.h). Secret, as is every shard's number of rows. */
SOTTO_MUST_CHECK sotto_status sot_matrix_load_shards(
    sot_source *source, const sotto_schema *schema, const sot_encoding *encoding,
    sotto_rng *rng, const sot_sharding *sharding, sot_matrix **out_shards,
    uint64_t *out_records, unsigned char out_digest[SOT_SHARD_DIGEST_BYTES],
    sotto_error *error);

/* The same in pieces, for data that is larger than memory: each piece takes the place of the one
 * before. Not for schemas with a unit, whose rows can only be chosen when all of them are there. */
typedef struct sot_matrix_filler sot_matrix_filler;
SOTTO_MUST_CHECK sotto_status sot_matrix_filler_new(const sot_source *source,
                                                    const sot_encoding *encoding,
                                                    sot_matrix_filler **out_filler,
                                                    sotto_error *error);
void sot_matrix_filler_free(sot_matrix_filler *filler); /* wipes; NULL is fine */

/* Call it before the source is read again or closed: the filler's threads refer to it. The matrix stays. */
void sot_matrix_filler_detach(sot_matrix_filler *filler);

/* The next `rows` records, or fewer at the end of the source; none when it has ended. The matrix is
 * the filler's, until the next call. */
SOTTO_MUST_CHECK sotto_status sot_matrix_fill(sot_matrix_filler *filler,
                                              sot_source *source, size_t rows,
                                              const sot_matrix **out_matrix,
                                              sotto_error *error);

#endif
