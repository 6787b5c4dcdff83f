#include "data/batches/matrix.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batches/loading.h"
#include "data/source/parallel.h"

enum { ROWS_OF_SHARD = 16 };

struct sot_matrix_filler {
    sot_loading loader;
    sot_gathering gathering;
    sot_parallel *parallel; /* NULL: on one thread, or nothing was read in this pass */
};

static sotto_status read_records(sot_loading *loader, sot_source *source,
                                 sotto_error *error)
{
    if (sot_source_is_parallel(source)) return sot_loading_gather(loader, source, error);
    for (;;) {
        bool more = false;
        sot_record record;
        sotto_status status = sot_source_next(source, &record, &more, error);
        if (status != SOTTO_OK || !more) return status;
        status = sot_loading_add(loader, &record, error);
        if (status != SOTTO_OK) return status;
    }
}

/* ---- all rows ---- */

sotto_status sot_matrix_load(sot_source *source, const sotto_schema *schema,
                             const sot_encoding *encoding, sotto_rng *rng,
                             sot_matrix **out_matrix, sotto_error *error)
{
    sot_loading loader = {.encoding = encoding};
    sotto_status status = sot_source_check_training(source, error);
    const bool all_stay = sotto_schema_unit_rows(schema) == 0;
    if (status == SOTTO_OK)
        status =
            sot_loading_begin(&loader, source, all_stay ? sot_source_rows(source) : 0,
                              SOT_LOADING_ROWS, error);
    if (status == SOTTO_OK && !all_stay)
        status = sot_units_new(sotto_schema_unit_rows(schema), rng, &loader.units, error);
    if (status == SOTTO_OK) status = read_records(&loader, source, error);
    if (status == SOTTO_OK && loader.dropped_rows > 0) sot_loading_close_gaps(&loader);
    sot_loading_end(&loader);
    if (status != SOTTO_OK) {
        sot_matrix_free(loader.matrix);
        return status;
    }
    *out_matrix = loader.matrix;
    return SOTTO_OK;
}

/* ---- in shards ---- */

/* Every record goes to one shard, which depends only on the input of sot_shard_of(). */
static sotto_status read_shards(sot_loading *loaders, sot_source *source,
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
        status = sot_loading_add(&loaders[shard], &record, error);
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
    sot_loading *loaders = sot_new_array(sharding->count, sizeof *loaders);
    if (loaders == NULL) return sot_fail_memory(error, sharding->count, sizeof *loaders);
    sotto_status status = sot_source_check_training(source, error);
    for (size_t i = 0; i < sharding->count && status == SOTTO_OK; i++) {
        loaders[i].encoding = encoding;
        status = sot_loading_begin(&loaders[i], source, 0, ROWS_OF_SHARD, error);
        if (status == SOTTO_OK && unit_rows > 0)
            status = sot_units_new(unit_rows, rng, &loaders[i].units, error);
    }
    if (status == SOTTO_OK)
        status = read_shards(loaders, source, schema, sharding, &records, digest, error);
    for (size_t i = 0; i < sharding->count; i++) {
        if (status == SOTTO_OK && loaders[i].dropped_rows > 0)
            sot_loading_close_gaps(&loaders[i]);
        if (status == SOTTO_OK) rows += loaders[i].matrix->rows;
        sot_loading_end(&loaders[i]);
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
    const sotto_status status =
        sot_loading_begin(&filler->loader, source, 0, SOT_LOADING_ROWS, error);
    if (status == SOTTO_OK) *out_filler = filler;
    if (status != SOTTO_OK) sot_matrix_filler_free(filler);
    return status;
}

void sot_matrix_filler_free(sot_matrix_filler *filler)
{
    if (filler == NULL) return;
    sot_parallel_free(filler->parallel);
    sot_loading_end(&filler->loader);
    sot_matrix_free(filler->loader.matrix);
    sot_free(filler);
}

void sot_matrix_filler_detach(sot_matrix_filler *filler)
{
    sot_parallel_free(filler->parallel);
    filler->parallel = NULL;
}

static sotto_status fill_parallel(sot_matrix_filler *filler, sot_source *source,
                                  size_t rows, sotto_error *error)
{
    filler->gathering =
        (sot_gathering){.loader = &filler->loader, .source = source, .rows_most = rows};
    sotto_status status = SOTTO_OK;
    if (filler->parallel == NULL)
        status = sot_gathering_new(&filler->gathering, source, &filler->parallel, error);
    return status == SOTTO_OK ? sot_parallel_run(filler->parallel, error) : status;
}

sotto_status sot_matrix_fill(sot_matrix_filler *filler, sot_source *source, size_t rows,
                             const sot_matrix **out_matrix, sotto_error *error)
{
    sot_matrix *matrix = filler->loader.matrix;
    bool more = true;
    sotto_status status = SOTTO_OK;
    matrix->rows = 0;
    *out_matrix = matrix;
    if (sot_source_is_parallel(source)) return fill_parallel(filler, source, rows, error);
    while (status == SOTTO_OK && more && matrix->rows < rows) {
        sot_record record;
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more)
            status = sot_loading_add(&filler->loader, &record, error);
    }
    return status;
}
