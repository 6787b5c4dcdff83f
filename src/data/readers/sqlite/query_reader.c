/* A query as a reader: the interface of data/readers/reader.h. */
#include "data/readers/readers.h"
#include "data/readers/sqlite/query_parts.h"
#include "data/readers/sqlite/text.h"

static bool selects(const sotto_data_file *file)
{
    return file->query != NULL && sot_query_has_condition(file->query);
}

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    sot_query *query = NULL;
    const sotto_status status = sot_query_open_input(input, &query, error);
    for (size_t i = 0; status == SOTTO_OK && i < query->field_count; i++)
        query->fields[i].is_wanted =
            input->wanted != NULL && input->wanted[query->fields[i].column];
    *out_reader = query;
    return status;
}

static void close_reader(void *reader)
{
    sot_query_close(reader);
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    sot_query *query = reader;
    *out_record = (sot_record){.cells = query->values};
    return sot_query_next(query, query->values, out_more, error);
}

static sot_value raw_cell(const void *reader, size_t column)
{
    return ((const sot_query *)reader)->raw[column];
}

static sotto_status check_rereading(const void *reader, sotto_error *error)
{
    (void)reader;
    (void)error;
    return SOTTO_OK;
}

static sotto_status rewind_reader(void *reader, sotto_error *error)
{
    return sot_query_rewind(reader, error);
}

static sotto_status check_unchanged(const void *reader, sotto_error *error)
{
    (void)reader;
    (void)error;
    return SOTTO_OK; /* a snapshot */
}

const sot_reader_kind sot_reader_sqlite = {
    .name = "SQLite",
    .option = "sqlite",
    .of_tables = true,
    .has_names = true,
    .has_ids = true,
    .takes_query = true,
    .labels = "the target of a table is one of its columns",
    .selects = selects,
    .open = open_reader,
    .close = close_reader,
    .next = next_record,
    .cell = raw_cell,
    .check_rereading = check_rereading,
    .rewind = rewind_reader,
    .check_unchanged = check_unchanged,
};
