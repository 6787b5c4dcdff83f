#include "door/rows.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static sotto_status new_rows(sotto_rows **out_rows, sotto_error *error)
{
    sotto_rows *rows = sot_new_array(1, sizeof *rows);
    if (rows == NULL) return sot_fail_memory(error, 1, sizeof *rows);
    *out_rows = rows;
    return SOTTO_OK;
}

/* ---- a file ---- */

/* The places of the texts of a file. */
static void places_of(sotto_data_file *file, const char **out_places[SOT_ROWS_TEXTS])
{
    const char **const places[SOT_ROWS_TEXTS] = {&file->path,  &file->labels,
                                                 &file->query, &file->format,
                                                 &file->table, &file->where};
    memcpy(out_places, places, sizeof places);
}

sotto_status sotto_rows_from_data_file(const sotto_data_file *file, sotto_rows **out_rows,
                                       sotto_error *error)
{
    if (file == NULL || file->path == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the path of the rows is NULL; name a file, for example survey.csv");
    }
    sotto_rows *rows = NULL;
    sotto_status status = new_rows(&rows, error);
    if (status != SOTTO_OK) return status;
    rows->file = *file;
    const char **places[SOT_ROWS_TEXTS];
    places_of(&rows->file, places);
    for (size_t i = 0; i < SOT_ROWS_TEXTS && status == SOTTO_OK; i++) {
        if (*places[i] == NULL) continue;
        rows->texts[i] = sot_copy_string(*places[i]);
        if (rows->texts[i] == NULL)
            status = sot_fail_memory(error, strlen(*places[i]) + 1, 1);
        *places[i] = rows->texts[i];
    }
    if (status != SOTTO_OK) {
        sotto_rows_free(rows);
        return status;
    }
    *out_rows = rows;
    return SOTTO_OK;
}

sotto_status sotto_rows_from_file(const char *path, sotto_rows **out_rows,
                                  sotto_error *error)
{
    const sotto_data_file file = {.path = path};
    return sotto_rows_from_data_file(&file, out_rows, error);
}

/* ---- records ---- */

/* Moves the stream into `to`, as the Arrow C data interface does it. */
static void move_stream(struct ArrowArrayStream *from, struct ArrowArrayStream *to)
{
    *to = *from;
    from->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    if (stream->release != NULL) stream->release(stream);
}

sotto_status sotto_rows_from_records(const sotto_records *records, sotto_rows **out_rows,
                                     sotto_error *error)
{
    if (records == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the records are NULL; fill in a sotto_records");
    }
    if (records->stream != NULL && records->stream->release == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the Arrow stream has been released or moved; hand over a new one");
    }
    sotto_rows *rows = NULL;
    const sotto_status status = new_rows(&rows, error);
    if (status != SOTTO_OK) {
        if (records->stream != NULL) release_stream(records->stream);
        return status;
    }
    rows->records = *records;
    if (records->sparse != NULL) {
        rows->sparse = *records->sparse;
        rows->records.sparse = &rows->sparse;
    }
    if (records->stream != NULL) {
        move_stream(records->stream, &rows->stream);
        rows->records.stream = &rows->stream;
    }
    *out_rows = rows;
    return SOTTO_OK;
}

sotto_status sotto_rows_from_array(const sotto_array *features, const sotto_array *labels,
                                   sotto_rows **out_rows, sotto_error *error)
{
    if (features == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the features are NULL; give a matrix of rows");
    }
    sotto_records records = {.features = *features};
    if (labels != NULL) records.labels = *labels;
    return sotto_rows_from_records(&records, out_rows, error);
}

sotto_status sotto_rows_from_arrow(struct ArrowArrayStream *stream, bool in_memory,
                                   sotto_rows **out_rows, sotto_error *error)
{
    if (stream == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the Arrow stream is NULL; hand over an exported stream");
    }
    const sotto_records records = {.stream = stream, .in_memory = in_memory};
    return sotto_rows_from_records(&records, out_rows, error);
}

void sotto_rows_free(sotto_rows *rows)
{
    if (rows == NULL) return;
    for (size_t i = 0; i < SOT_ROWS_TEXTS; i++)
        sot_free(rows->texts[i]);
    release_stream(&rows->stream);
    sot_free(rows);
}

/* ---- for the calls that read them ---- */

const sotto_data_file *sot_rows_file(const sotto_rows *rows)
{
    return rows->file.path != NULL ? &rows->file : NULL;
}

const sotto_records *sot_rows_records(const sotto_rows *rows)
{
    return rows->file.path != NULL ? NULL : &rows->records;
}

sotto_status sot_rows_check(const sotto_rows *rows, sotto_error *error)
{
    if (rows == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the rows are NULL; make them with sotto_rows_from_file()");
    }
    if (rows->records.stream != NULL && rows->stream.release == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the Arrow stream has been read already; hand over a new one");
    }
    return SOTTO_OK;
}
