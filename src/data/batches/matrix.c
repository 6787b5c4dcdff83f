#include "data/batches/matrix.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/batches/room.h"
#include "data/batches/unit.h"

enum { FIRST_ROWS = 1024, FIRST_ROWS_OF_SHARD = 16, SPARSE_COLUMNS_MIN = 32 };

/* A matrix that grows, and the rows in it that were dropped again for others of their unit. */
typedef struct loading {
    const sot_encoding *encoding;
    sot_matrix *matrix;
    sot_features features; /* of one record */
    sot_units *units;      /* NULL: the unit is a row */
    uint64_t *row_of_slot; /* for each slot of the units the row that it has now */
    uint64_t *slot_of_row; /* and back; NO_SLOT: dropped */
    size_t slots, slots_room, rows_room;
    size_t dropped_rows;
} loading;

struct sot_matrix_filler {
    loading loader;
};

static const uint64_t NO_SLOT = UINT64_MAX;

/* ---- rows ---- */

static sotto_status append_row(loading *loader, const sot_record *record,
                               sotto_error *error)
{
    sot_matrix *matrix = loader->matrix;
    const sot_features *row = &loader->features;
    sotto_status status = SOTTO_OK;
    if (matrix->rows == matrix->room_rows)
        status = sot_matrix_resize(matrix, 2 * matrix->rows, error);
    if (status != SOTTO_OK) return status;
    if (matrix->cells != NULL) {
        sot_encode_cells(loader->encoding, record,
                         matrix->cells + matrix->rows * matrix->columns);
    } else if (matrix->layout != NULL) {
        sot_encode_bins(loader->encoding, record, matrix->bin_bytes,
                        matrix->bins + matrix->rows * sot_matrix_row_bytes(matrix));
    } else if (matrix->starts == NULL) {
        /* The padding after the last column was zero from the start. */
        sot_encode_dense(loader->encoding, record, &loader->features,
                         matrix->dense + matrix->rows * matrix->stride);
    } else {
        sot_encode(loader->encoding, record, &loader->features);
        assert(row->count <= matrix->columns);
        const size_t begin = (size_t)matrix->starts[matrix->rows];
        status = sot_matrix_reserve_values(matrix, begin + row->count, error);
        if (status != SOTTO_OK) return status;
        if (row->count > 0) {
            memcpy(matrix->indices + begin, row->indices,
                   row->count * sizeof *row->indices);
            memcpy(matrix->values + begin, row->values, row->count * sizeof *row->values);
        }
        matrix->starts[matrix->rows + 1] = begin + row->count;
    }
    matrix->labels[matrix->rows++] = sot_encode_target(loader->encoding, record);
    return SOTTO_OK;
}

/* Row `from` takes the place of row `to`, which is not behind it. */
static void move_row(sot_matrix *matrix, size_t to, size_t from)
{
    matrix->labels[to] = matrix->labels[from];
    if (matrix->cells != NULL) {
        memmove(matrix->cells + to * matrix->columns,
                matrix->cells + from * matrix->columns,
                matrix->columns * sizeof *matrix->cells);
        return;
    }
    if (matrix->layout != NULL) {
        const size_t row_bytes = sot_matrix_row_bytes(matrix);
        memmove(matrix->bins + to * row_bytes, matrix->bins + from * row_bytes,
                row_bytes);
        return;
    }
    if (matrix->starts == NULL) {
        if (to == from) return;
        memcpy(matrix->dense + to * matrix->stride, matrix->dense + from * matrix->stride,
               matrix->stride * sizeof *matrix->dense);
        return;
    }
    const size_t old = (size_t)matrix->starts[from];
    const size_t count = (size_t)(matrix->starts[from + 1] - matrix->starts[from]);
    const size_t new = (size_t)matrix->starts[to];
    memmove(matrix->indices + new, matrix->indices + old,
            count * sizeof *matrix->indices);
    memmove(matrix->values + new, matrix->values + old, count * sizeof *matrix->values);
    matrix->starts[to + 1] = new + count;
}

/* Takes the dropped rows out, without changing the order of the others. */
static void close_gaps(loading *loader)
{
    sot_matrix *matrix = loader->matrix;
    size_t to = 0;
    for (size_t from = 0; from < matrix->rows; from++) {
        const uint64_t slot = loader->slot_of_row[from];
        if (slot == NO_SLOT) continue;
        move_row(matrix, to, from);
        loader->slot_of_row[to] = slot;
        loader->row_of_slot[slot] = to++;
    }
    matrix->rows = to;
    loader->dropped_rows = 0;
}

/* Appends the record if its unit keeps it. Replaced rows stay as gaps until there are more of
 * them than of the others. So memory follows the kept rows, and the order of rows stays that of
 * the source. */
static sotto_status append_of_unit(loading *loader, const sot_record *record,
                                   sotto_error *error)
{
    bool kept = false;
    uint64_t slot = 0;
    sotto_status status = sot_units_offer(loader->units, record->unit, record->unit_bytes,
                                          &kept, &slot, error);
    if (status != SOTTO_OK || !kept) return status;
    void *array = loader->row_of_slot;
    status = sot_room_reserve(&array, &loader->slots_room, (size_t)slot + 1, FIRST_ROWS,
                              sizeof slot, error);
    loader->row_of_slot = array;
    if (status != SOTTO_OK) return status;
    array = loader->slot_of_row;
    status = sot_room_reserve(&array, &loader->rows_room, loader->matrix->rows + 1,
                              FIRST_ROWS, sizeof slot, error);
    loader->slot_of_row = array;
    if (status == SOTTO_OK) status = append_row(loader, record, error);
    if (status != SOTTO_OK) return status;
    if (slot < loader->slots) {
        loader->slot_of_row[loader->row_of_slot[slot]] = NO_SLOT;
        loader->dropped_rows++;
    } else {
        loader->slots++;
    }
    loader->slot_of_row[loader->matrix->rows - 1] = slot;
    loader->row_of_slot[slot] = loader->matrix->rows - 1;
    if (loader->dropped_rows > loader->slots + FIRST_ROWS) close_gaps(loader);
    return SOTTO_OK;
}

static sotto_status read_records(loading *loader, sot_source *source, sotto_error *error)
{
    for (;;) {
        bool more = false;
        sot_record record;
        sotto_status status = sot_source_next(source, &record, &more, error);
        if (status != SOTTO_OK || !more) return status;
        status = loader->units == NULL ? append_row(loader, &record, error)
                                       : append_of_unit(loader, &record, error);
        if (status != SOTTO_OK) return status;
    }
}

/* ---- making and freeing ---- */

/* True if most entries are known to be zero before a row is read. A sparse entry takes 8 bytes
 * and an indirection, a dense one 4 bytes; narrow rows are faster dense. */
static bool is_sparse(const sot_encoding *encoding, const sot_source *source)
{
    const size_t columns = sot_encoding_dimension(encoding);
    if (columns < SPARSE_COLUMNS_MIN) return false;
    return (sot_source_is_sparse(source) && sot_encoding_keeps_zeros(encoding)) ||
           sot_encoding_nonzeros_most(encoding) <= columns / 3;
}

/* Room for `rows` rows, so that they need not be moved when there are more and more of them. */
static sotto_status begin(loading *loader, const sot_source *source, uint64_t rows,
                          size_t least, sotto_error *error)
{
    const size_t columns = sot_encoding_dimension(loader->encoding);
    sot_matrix *matrix = sot_new_array(1, sizeof *matrix);
    if (matrix == NULL) return sot_fail_memory(error, 1, sizeof *matrix);
    loader->matrix = matrix;
    loader->features.indices = sot_new_array(columns, sizeof *loader->features.indices);
    loader->features.values = sot_new_array(columns, sizeof *loader->features.values);
    if (loader->features.indices == NULL || loader->features.values == NULL)
        return sot_fail_memory(error, columns, sizeof *loader->features.indices);
    matrix->columns = columns;
    if (!sot_size_align(columns, SOT_MATRIX_LANES, &matrix->stride))
        return sot_fail_memory(error, columns, sizeof *matrix->dense);
    if (sot_encoding_is_cells(loader->encoding)) {
        matrix->stride = 0;
        matrix->cells = sot_new_array(columns, sizeof *matrix->cells);
        if (matrix->cells == NULL)
            return sot_fail_memory(error, columns, sizeof *matrix->cells);
    } else if (sot_encoding_holds_bins(loader->encoding)) {
        matrix->stride = 0;
        matrix->bin_bytes = sot_encoding_bin_bytes(loader->encoding);
        matrix->layout = sot_bins_layout_new(loader->encoding);
        if (matrix->layout == NULL)
            return sot_fail_memory(error, columns, sizeof *matrix->layout->list);
    } else if (is_sparse(loader->encoding, source)) {
        matrix->stride = 0;
        matrix->starts = sot_new_array(1, sizeof *matrix->starts);
        if (matrix->starts == NULL)
            return sot_fail_memory(error, 1, sizeof *matrix->starts);
        const sotto_status status =
            sot_matrix_reserve_values(matrix, SOT_MATRIX_FIRST_VALUES, error);
        if (status != SOTTO_OK) return status;
    }
    /* A guess that cannot be had is not needed. */
    if (rows > least && sot_matrix_resize(matrix, (size_t)rows, NULL) == SOTTO_OK)
        return SOTTO_OK;
    return sot_matrix_resize(matrix, least, error);
}

static void end(loading *loader)
{
    const size_t columns = loader->matrix == NULL ? 0 : loader->matrix->columns;
    sot_wipe_and_free(loader->features.indices,
                      columns * sizeof *loader->features.indices);
    sot_wipe_and_free(loader->features.values, columns * sizeof *loader->features.values);
    sot_wipe_and_free(loader->row_of_slot,
                      loader->slots_room * sizeof *loader->row_of_slot);
    sot_wipe_and_free(loader->slot_of_row,
                      loader->rows_room * sizeof *loader->slot_of_row);
    sot_units_free(loader->units);
}

sotto_status sot_matrix_load(sot_source *source, const sotto_schema *schema,
                             const sot_encoding *encoding, sotto_rng *rng,
                             sot_matrix **out_matrix, sotto_error *error)
{
    loading loader = {.encoding = encoding};
    sotto_status status = sot_source_check_training(source, error);
    const bool all_stay = sotto_schema_unit_rows(schema) == 0;
    if (status == SOTTO_OK)
        status = begin(&loader, source, all_stay ? sot_source_rows(source) : 0,
                       FIRST_ROWS, error);
    if (status == SOTTO_OK && !all_stay)
        status = sot_units_new(sotto_schema_unit_rows(schema), rng, &loader.units, error);
    if (status == SOTTO_OK) status = read_records(&loader, source, error);
    if (status == SOTTO_OK && loader.dropped_rows > 0) close_gaps(&loader);
    end(&loader);
    if (status != SOTTO_OK) {
        sot_matrix_free(loader.matrix);
        return status;
    }
    *out_matrix = loader.matrix;
    return SOTTO_OK;
}

/* ---- in shards ---- */

static sotto_status take_record(loading *loader, const sot_record *record,
                                sotto_error *error)
{
    return loader->units == NULL ? append_row(loader, record, error)
                                 : append_of_unit(loader, record, error);
}

/* Every record goes to one shard, which depends only on the input of sot_shard_of(). */
static sotto_status read_shards(loading *loaders, sot_source *source,
                                const sotto_schema *schema, const sot_sharding *sharding,
                                uint64_t *out_records,
                                unsigned char digest[SOT_SHARD_DIGEST_BYTES],
                                sotto_error *error)
{
    for (uint64_t place = 0;; place++) {
        bool more = false;
        sot_record record;
        sotto_status status = sot_source_next(source, &record, &more, error);
        if (status != SOTTO_OK || !more) {
            *out_records = place;
            return status;
        }
        const size_t shard = sot_shard_of(sharding, schema, &record, place);
        assert(shard < sharding->count);
        sot_shards_digest_add(sharding, schema, &record, place, digest);
        status = take_record(&loaders[shard], &record, error);
        if (status != SOTTO_OK) return status;
    }
}

sotto_status sot_matrix_load_shards(sot_source *source, const sotto_schema *schema,
                                    const sot_encoding *encoding, sotto_rng *rng,
                                    const sot_sharding *sharding, sot_matrix **out_shards,
                                    uint64_t *out_records,
                                    unsigned char out_digest[SOT_SHARD_DIGEST_BYTES],
                                    sotto_error *error)
{
    const uint64_t unit_rows = sotto_schema_unit_rows(schema);
    uint64_t records = 0, rows = 0;
    unsigned char digest[SOT_SHARD_DIGEST_BYTES] = {0};
    loading *loaders = sot_new_array(sharding->count, sizeof *loaders);
    if (loaders == NULL) return sot_fail_memory(error, sharding->count, sizeof *loaders);
    sotto_status status = sot_source_check_training(source, error);
    for (size_t i = 0; i < sharding->count && status == SOTTO_OK; i++) {
        loaders[i].encoding = encoding;
        status = begin(&loaders[i], source, 0, FIRST_ROWS_OF_SHARD, error);
        if (status == SOTTO_OK && unit_rows > 0)
            status = sot_units_new(unit_rows, rng, &loaders[i].units, error);
    }
    if (status == SOTTO_OK)
        status = read_shards(loaders, source, schema, sharding, &records, digest, error);
    for (size_t i = 0; i < sharding->count; i++) {
        if (status == SOTTO_OK && loaders[i].dropped_rows > 0) close_gaps(&loaders[i]);
        if (status == SOTTO_OK) rows += loaders[i].matrix->rows;
        end(&loaders[i]);
    }
    /* A record in two shards would be paid for only once, which would break the
     * guarantee. */
    if (status == SOTTO_OK && (unit_rows == 0 ? rows != records : rows > records))
        status = sot_fail(error, SOTTO_INTERNAL, "a record is not in exactly one shard");
    for (size_t i = 0; i < sharding->count; i++) {
        if (status == SOTTO_OK) out_shards[i] = loaders[i].matrix;
        if (status != SOTTO_OK) sot_matrix_free(loaders[i].matrix);
    }
    sot_free(loaders);
    if (status == SOTTO_OK) {
        *out_records = records;
        memcpy(out_digest, digest, sizeof digest);
    }
    sot_wipe(digest, sizeof digest);
    return status;
}

/* ---- in pieces ---- */

sotto_status sot_matrix_filler_new(const sot_source *source, const sot_encoding *encoding,
                                   sot_matrix_filler **out_filler, sotto_error *error)
{
    sot_matrix_filler *filler = sot_new_array(1, sizeof *filler);
    if (filler == NULL) return sot_fail_memory(error, 1, sizeof *filler);
    filler->loader.encoding = encoding;
    const sotto_status status = begin(&filler->loader, source, 0, FIRST_ROWS, error);
    if (status == SOTTO_OK) *out_filler = filler;
    if (status != SOTTO_OK) sot_matrix_filler_free(filler);
    return status;
}

void sot_matrix_filler_free(sot_matrix_filler *filler)
{
    if (filler == NULL) return;
    end(&filler->loader);
    sot_matrix_free(filler->loader.matrix);
    sot_free(filler);
}

sotto_status sot_matrix_fill(sot_matrix_filler *filler, sot_source *source, size_t rows,
                             const sot_matrix **out_matrix, sotto_error *error)
{
    sot_matrix *matrix = filler->loader.matrix;
    bool more = true;
    sotto_status status = SOTTO_OK;
    matrix->rows = 0;
    while (status == SOTTO_OK && more && matrix->rows < rows) {
        sot_record record;
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more)
            status = append_row(&filler->loader, &record, error);
    }
    *out_matrix = matrix;
    return status;
}
