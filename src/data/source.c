#include "data/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/csv.h"
#include "data/libsvm.h"
#include "data/memory_rows.h"

/* One of the three readers is there. */
struct sot_source {
    const sotto_schema *schema;
    sot_csv *csv;
    double *cells; /* of the CSV reader: one a column of the schema */
    size_t columns;
    size_t unit_column; /* of the schema; SIZE_MAX: the unit is a row */
    sot_libsvm *libsvm;
    sot_memory_rows *memory;
};

static sotto_status open_table(const char *path, bool without_target, sot_source *source,
                               sotto_error *error)
{
    const char *unit = sotto_schema_unit(source->schema);
    source->columns = sotto_schema_size(source->schema);
    source->unit_column = SIZE_MAX;
    source->cells = sot_new_array(source->columns, sizeof *source->cells);
    if (source->cells == NULL)
        return sot_fail_memory(error, source->columns, sizeof *source->cells);
    if (unit != NULL) {
        const sotto_status status =
            sotto_schema_find(source->schema, unit, &source->unit_column, error);
        if (status != SOTTO_OK) return status;
    }
    return sot_csv_open(path, source->schema, without_target, &source->csv, error);
}

sotto_status sot_source_open_file(const char *path, const sotto_schema *schema,
                                  bool without_target, sot_source **out_source,
                                  sotto_error *error)
{
    sot_source *source = sot_new_array(1, sizeof *source);
    if (source == NULL) return sot_fail_memory(error, 1, sizeof *source);
    source->schema = schema;
    const sotto_status status =
        sotto_schema_is_matrix(schema)
            ? sot_libsvm_open(path, sotto_schema_features(schema), &source->libsvm, error)
            : open_table(path, without_target, source, error);
    if (status != SOTTO_OK) {
        sot_source_close(source);
        return status;
    }
    *out_source = source;
    return SOTTO_OK;
}

sotto_status sot_source_open_records(const sotto_records *records,
                                     const sotto_schema *schema, sot_source **out_source,
                                     sotto_error *error)
{
    sot_source *source = sot_new_array(1, sizeof *source);
    if (source == NULL) return sot_fail_memory(error, 1, sizeof *source);
    source->schema = schema;
    const sotto_status status =
        sot_memory_rows_open(records, schema, &source->memory, error);
    if (status != SOTTO_OK) {
        sot_source_close(source);
        return status;
    }
    *out_source = source;
    return SOTTO_OK;
}

void sot_source_close(sot_source *source)
{
    if (source == NULL) return;
    sot_csv_close(source->csv);
    sot_libsvm_close(source->libsvm);
    sot_memory_rows_close(source->memory);
    sot_wipe_and_free(source->cells, source->columns * sizeof *source->cells);
    sot_free(source);
}

sotto_status sot_source_check_training(const sot_source *source, sotto_error *error)
{
    if (source->memory != NULL)
        return sot_memory_rows_check_training(source->memory, error);
    if (source->libsvm != NULL && sotto_schema_unit(source->schema) != NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the schema has a unit, but a LIBSVM file does not say whose a row "
            "is; leave \"unit\" out, or hand the rows over in memory");
    }
    return SOTTO_OK;
}

bool sot_source_is_sparse(const sot_source *source)
{
    return source->libsvm != NULL;
}

static sotto_status next_of_table(sot_source *source, sot_record *out_record,
                                  bool *out_more, sotto_error *error)
{
    const sotto_status status = sot_csv_next(source->csv, source->cells, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    *out_record = (sot_record){.cells = source->cells};
    if (source->unit_column != SIZE_MAX)
        out_record->unit =
            sot_csv_id(source->csv, source->unit_column, &out_record->unit_bytes);
    return SOTTO_OK;
}

sotto_status sot_source_next(sot_source *source, sot_record *out_record, bool *out_more,
                             sotto_error *error)
{
    if (source->csv != NULL) return next_of_table(source, out_record, out_more, error);
    if (source->libsvm != NULL)
        return sot_libsvm_next(source->libsvm, out_record, out_more, error);
    *out_more = sot_memory_rows_next(source->memory, out_record);
    return SOTTO_OK;
}
