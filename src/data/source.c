#include "data/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/text.h"
#include "data/array_rows.h"
#include "data/bytes.h"
#include "data/csv.h"
#include "data/format.h"
#include "data/libsvm.h"
#include "data/memory_rows.h"
#include "data/query.h"
#include "data/query_text.h"

/* What tells that a file is still the same. */
typedef struct file_stamp {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec modified, changed;
    bool regular;
} file_stamp;

/* One of the readers is there. */
struct sot_source {
    const sotto_schema *schema;
    char *path; /* NULL: records in memory */
    char *labels;
    char *query_text;
    sot_format format;
    bool without_target;
    file_stamp stamps[2]; /* of the file and of its labels */
    sot_csv *csv;
    sot_query *query;
    double *cells; /* of CSV and a query: one a column of the schema */
    size_t columns;
    size_t unit_column; /* of the schema; SIZE_MAX: the unit is a row */
    sot_libsvm *libsvm;
    sot_array_rows *array;
    sot_memory_rows *memory;
};

/* ---- formats ---- */

static bool is_array(sot_format format)
{
    return format == SOT_FORMAT_NPY || format == SOT_FORMAT_IDX ||
           format == SOT_FORMAT_CIFAR;
}

/* ---- stored files ---- */

/* Whether the path leads through a descriptor: /proc/N/fd/N, /proc/N/task/N/fd/N and the names of the same. What such a file
 * holds is the shell's affair, even if it is regular: a here-document is. */
static bool is_descriptor(const char *path)
{
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 ||
        strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0)
        return true;
    return strncmp(path, "/proc/", strlen("/proc/")) == 0 && strstr(path, "/fd/") != NULL;
}

static bool exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

static bool is_stored(const char *path)
{
    struct stat facts;
    return !is_descriptor(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           facts.st_nlink > 0;
}

/* Labels are joined to rows by their place, and headers tell how many there are: a stream that left a record out would
 * have fewer rows than labels, and a refusal would tell so before the charge. */
static sotto_status check_joined(const sotto_data_file *file, sotto_error *error)
{
    if (file->labels == NULL || file->stored_table ||
        (is_stored(file->path) && is_stored(file->labels)) || !exists(file->path) ||
        !exists(file->labels))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--labels is %.40s, but %.40s is a stream, which may lack rows; give "
                    "two stored files, or declare with --stored-table that both hold "
                    "every row of one stored table",
                    file->labels, is_stored(file->path) ? file->labels : file->path);
}

/* A file of labels goes with NPY and IDX and a schema of a matrix. */
static sotto_status check_labels(const sot_source *source, sotto_error *error)
{
    const bool is_cifar = source->format == SOT_FORMAT_CIFAR;
    if (source->labels == NULL) return SOTTO_OK;
    if (sotto_schema_is_matrix(source->schema) && is_array(source->format) && !is_cifar) {
        if (sot_array_file_is_named(source->labels)) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the labels %.90s are neither NPY nor IDX by their name; give "
                        "such a file",
                        source->labels);
    }
    if (source->format == SOT_FORMAT_LIBSVM) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--labels is %.60s, but %.60s is LIBSVM, whose lines begin with "
                        "their labels; leave --labels out",
                        source->labels, source->path);
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "a file of labels goes with NPY or IDX and a schema of \"features\"; "
                    "%s: leave it out",
                    is_cifar ? "CIFAR-10 carries its own"
                             : "the target of a table is one of its columns");
}

/* ---- opening ---- */

static sotto_status make_cells(sot_source *source, sotto_error *error)
{
    const char *unit = sotto_schema_unit(source->schema);
    source->columns = sotto_schema_size(source->schema);
    source->unit_column = SIZE_MAX;
    source->cells = sot_new_array(source->columns, sizeof *source->cells);
    if (source->cells == NULL)
        return sot_fail_memory(error, source->columns, sizeof *source->cells);
    if (unit == NULL) return SOTTO_OK;
    return sotto_schema_find(source->schema, unit, &source->unit_column, error);
}

static sotto_status open_reader(sot_source *source, sotto_error *error)
{
    const sotto_schema *schema = source->schema;
    if (is_array(source->format))
        return sot_array_rows_open(source->path, source->labels, schema,
                                   source->without_target, &source->array, error);
    if (source->format == SOT_FORMAT_LIBSVM)
        return sot_libsvm_open(source->path, sotto_schema_features(schema),
                               &source->libsvm, error);
    if (source->format == SOT_FORMAT_SQLITE)
        return sot_query_open(source->path, source->query_text, schema,
                              source->without_target, &source->query, error);
    return sot_csv_open(source->path, source->format == SOT_FORMAT_TSV ? '\t' : ',',
                        schema, source->without_target, &source->csv, error);
}

static void close_reader(sot_source *source)
{
    sot_csv_close(source->csv);
    sot_query_close(source->query);
    sot_libsvm_close(source->libsvm);
    sot_array_rows_close(source->array);
    source->csv = NULL;
    source->query = NULL;
    source->libsvm = NULL;
    source->array = NULL;
}

static file_stamp stamp_of(const char *path)
{
    struct stat facts;
    if (path == NULL || stat(path, &facts) != 0) return (file_stamp){.regular = false};
    return (file_stamp){.device = facts.st_dev,
                        .number = facts.st_ino,
                        .size = facts.st_size,
                        .modified = facts.st_mtim,
                        .changed = facts.st_ctim,
                        .regular = S_ISREG(facts.st_mode)};
}

static sotto_status copy_text(const char *text, char **out, sotto_error *error)
{
    if (text == NULL) return SOTTO_OK;
    *out = sot_copy_string(text);
    return *out == NULL ? sot_fail_memory(error, strlen(text) + 1, 1) : SOTTO_OK;
}

/* The stamps are taken before the files are opened, and compared after: whatever happens in between
 * is a change. */
sotto_status sot_source_open(const sotto_data_file *file, const sotto_schema *schema,
                             bool without_target, sot_source **out_source,
                             sotto_error *error)
{
    sot_source *source = sot_new_array(1, sizeof *source);
    if (source == NULL) return sot_fail_memory(error, 1, sizeof *source);
    source->schema = schema;
    source->without_target = without_target;
    sotto_status status = copy_text(file->path, &source->path, error);
    if (status == SOTTO_OK) status = copy_text(file->labels, &source->labels, error);
    if (status == SOTTO_OK) status = copy_text(file->query, &source->query_text, error);
    if (status == SOTTO_OK)
        status = sot_format_decide(file, sotto_schema_is_matrix(schema), &source->format,
                                   error);
    if (status == SOTTO_OK) status = check_labels(source, error);
    if (status == SOTTO_OK) status = check_joined(file, error);
    if (status == SOTTO_OK) {
        source->stamps[0] = stamp_of(source->path);
        source->stamps[1] = stamp_of(source->labels);
        if (!sotto_schema_is_matrix(schema)) status = make_cells(source, error);
    }
    if (status == SOTTO_OK) status = open_reader(source, error);
    if (status != SOTTO_OK) {
        sot_source_close(source);
        return status;
    }
    *out_source = source;
    return SOTTO_OK;
}

sotto_status sot_source_open_file(const char *path, const sotto_schema *schema,
                                  bool without_target, sot_source **out_source,
                                  sotto_error *error)
{
    const sotto_data_file file = {.path = path};
    return sot_source_open(&file, schema, without_target, out_source, error);
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
    close_reader(source);
    sot_memory_rows_close(source->memory);
    sot_wipe_and_free(source->cells, source->columns * sizeof *source->cells);
    sot_free(source->path);
    sot_free(source->labels);
    sot_free(source->query_text);
    sot_free(source);
}

/* ---- what is public about it ---- */

sotto_status sot_source_check_training(const sot_source *source, sotto_error *error)
{
    if (source->memory != NULL)
        return sot_memory_rows_check_training(source->memory, error);
    if ((source->libsvm != NULL || source->array != NULL) &&
        sotto_schema_unit(source->schema) != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's unit is the column '%.60s', but a LIBSVM, NPY, IDX "
                        "or CIFAR-10 file has no ids; give a CSV file or a query with "
                        "that column, or hand the rows over in memory",
                        sotto_schema_unit(source->schema));
    }
    return SOTTO_OK;
}

bool sot_source_is_sparse(const sot_source *source)
{
    return source->libsvm != NULL;
}

uint64_t sot_source_rows(const sot_source *source)
{
    if (source->memory != NULL) return sot_memory_rows_count(source->memory);
    return source->array != NULL ? sot_array_rows_hint(source->array) : 0;
}

/* ---- where rows come from ---- */

sot_origin sot_origin_of_file(const sotto_data_file *file)
{
    const bool stored =
        is_stored(file->path) && (file->labels == NULL || is_stored(file->labels));
    const sot_origin origin = stored               ? SOT_ROWS_STORED
                              : file->stored_table ? SOT_ROWS_DECLARED
                                                   : SOT_ROWS_STREAMED;
    const bool selects = file->query != NULL && sot_query_has_condition(file->query);
    return selects ? sot_origin_selected(origin) : origin;
}

sot_origin sot_origin_of_records(const sotto_records *records)
{
    if (records->selected) return SOT_ROWS_STREAMED;
    return records->declared ? SOT_ROWS_DECLARED : SOT_ROWS_GIVEN;
}

const char *sot_origin_name(sot_origin origin)
{
    static const char *const names[] = {"none",
                                        "stored",
                                        "declared",
                                        "given",
                                        "selected",
                                        "streamed",
                                        "declared and selected"};
    const size_t place = (size_t)origin;
    return place < sizeof names / sizeof names[0] ? names[place] : "unknown";
}

sot_origin sot_origin_selected(sot_origin origin)
{
    if (origin == SOT_ROWS_STREAMED) return origin;
    return sot_rows_are_declared(origin) ? SOT_ROWS_DECLARED_SELECTED : SOT_ROWS_SELECTED;
}

bool sot_rows_are_secret(sot_origin origin)
{
    return origin == SOT_ROWS_SELECTED || origin == SOT_ROWS_STREAMED ||
           origin == SOT_ROWS_DECLARED_SELECTED;
}

bool sot_rows_are_declared(sot_origin origin)
{
    return origin == SOT_ROWS_DECLARED || origin == SOT_ROWS_DECLARED_SELECTED;
}

sotto_status sot_origin_find(const sotto_data_file *file, const sotto_records *records,
                             sot_origin *out_origin, sotto_error *error)
{
    char text[64];
    errno = 0;
    *out_origin =
        file == NULL ? sot_origin_of_records(records) : sot_origin_of_file(file);
    if (errno == 0 || errno == ENOENT || errno == ENOTDIR) return SOTTO_OK;
    return sot_fail(error, SOTTO_IO, "cannot look at %.120s: %s", file->path,
                    sot_errno_text(errno, text, sizeof text));
}

/* ---- again ---- */

sotto_status sot_source_check_rereading(const sot_source *source, sotto_error *error)
{
    if (source->memory != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "records in memory are there already and need no stream; leave "
                        "it out");
    }
    if (source->stamps[0].regular &&
        (source->labels == NULL || source->stamps[1].regular))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.120s is not a file and cannot be read more than once; give a "
                    "file, or train without a stream",
                    source->path);
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same(const file_stamp *a, const file_stamp *b)
{
    return a->regular == b->regular && a->device == b->device && a->number == b->number &&
           a->size == b->size && is_same_time(&a->modified, &b->modified) &&
           is_same_time(&a->changed, &b->changed);
}

sotto_status sot_source_check_unchanged(const sot_source *source, sotto_error *error)
{
    const file_stamp now[2] = {stamp_of(source->path), stamp_of(source->labels)};
    if (source->query != NULL) return SOTTO_OK; /* a snapshot */
    if (SOT_PLANTED(source_changes_unseen)) return SOTTO_OK;
    if (is_same(&now[0], &source->stamps[0]) && is_same(&now[1], &source->stamps[1]))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "%.120s was changed while it was read; train again on a copy that "
                    "nobody writes to",
                    source->path);
}

sotto_status sot_source_rewind(sot_source *source, sotto_error *error)
{
    if (source->query != NULL) return sot_query_rewind(source->query, error);
    close_reader(source);
    /* Before too: another file in its place, above all a pipe, is not to be read. */
    sotto_status status = sot_source_check_unchanged(source, error);
    if (status == SOTTO_OK) status = open_reader(source, error);
    if (status == SOTTO_OK) status = sot_source_check_unchanged(source, error);
    return status;
}

/* ---- records ---- */

static sotto_status next_of_table(sot_source *source, sot_record *out_record,
                                  bool *out_more, sotto_error *error)
{
    const sotto_status status =
        source->csv != NULL
            ? sot_csv_next(source->csv, source->cells, out_more, error)
            : sot_query_next(source->query, source->cells, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    *out_record = (sot_record){.cells = source->cells};
    if (source->unit_column == SIZE_MAX) return SOTTO_OK;
    out_record->unit =
        source->csv != NULL
            ? sot_csv_id(source->csv, source->unit_column, &out_record->unit_bytes)
            : sot_query_id(source->query, source->unit_column, &out_record->unit_bytes);
    return SOTTO_OK;
}

sotto_status sot_source_next(sot_source *source, sot_record *out_record, bool *out_more,
                             sotto_error *error)
{
    if (source->csv != NULL || source->query != NULL)
        return next_of_table(source, out_record, out_more, error);
    if (source->libsvm != NULL)
        return sot_libsvm_next(source->libsvm, out_record, out_more, error);
    if (source->array != NULL)
        return sot_array_rows_next(source->array, out_record, out_more, error);
    *out_more = sot_memory_rows_next(source->memory, out_record);
    return SOTTO_OK;
}
