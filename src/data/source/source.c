#include "data/source/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/readers/readers.h"
#include "data/source/format.h"
#include "data/source/parts.h"

/* ---- stored files ---- */

/* True if the path leads through a descriptor: /proc/N/fd/N, /proc/N/task/N/fd/N and aliases. The
 * shell makes the content of such a file, even if it is regular, for example a here-document. */
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

/* Labels are joined to rows by their place, and headers state their number. A stream that left
 * a record out would have fewer rows than labels, and a refusal would reveal it before the
 * charge. */
static sotto_status check_joined(const sotto_data_file *file, sotto_error *error)
{
    if (file->labels == NULL || file->stored_table ||
        (is_stored(file->path) && is_stored(file->labels)) || !exists(file->path) ||
        !exists(file->labels))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`labels` is %.40s, but %.40s is a stream, which may lack rows; give "
                    "two stored files, or declare both whole with `stored_table=true`",
                    file->labels, is_stored(file->path) ? file->labels : file->path);
}

static bool takes_labels(const sot_reader_kind *kind)
{
    return kind->labels == NULL;
}

static bool is_named_for_labels(const char *path)
{
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        const sot_reader_kind *kind = sot_readers[i];
        if (takes_labels(kind) && kind->is_named(path, true)) return true;
    }
    return false;
}

bool sot_file_lacks_labels(const sotto_data_file *file, const sotto_schema *schema)
{
    const sot_reader_kind *kind = NULL;
    return file->labels == NULL && sotto_schema_is_matrix(schema) &&
           sot_format_decide(file, true, &kind, NULL) == SOTTO_OK && takes_labels(kind);
}

/* A file of labels goes with arrays that have none and a schema of a matrix. */
static sotto_status check_labels(const sot_source *source, sotto_error *error)
{
    char list[SOT_FORMAT_LIST_BYTES];
    const char *labels = source->file.labels;
    if (labels == NULL) return SOTTO_OK;
    if (!sotto_schema_is_matrix(source->schema) || !takes_labels(source->kind)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`labels` is given, but a file of labels goes with %s and a "
                        "schema of \"features\"; %s: leave it out",
                        sot_format_list(takes_labels, list),
                        takes_labels(source->kind)
                            ? "the target of a table is one of its columns"
                            : source->kind->labels);
    }
    if (is_named_for_labels(labels)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`labels` is %.90s, which is not %s by its name; give such a file",
                    labels, sot_format_list(takes_labels, list));
}

/* ---- opening ---- */

static sotto_status make_flags(const sot_source *source, bool **flags, sotto_error *error)
{
    const size_t size = sotto_schema_size(source->schema);
    if (*flags == NULL) *flags = sot_new_array(size, sizeof **flags);
    return *flags == NULL ? sot_fail_memory(error, size, sizeof **flags) : SOTTO_OK;
}

static sotto_status find_unit(sot_source *source, sotto_error *error)
{
    const char *unit = sotto_schema_unit(source->schema);
    source->unit_column = SIZE_MAX;
    if (unit == NULL || !source->kind->has_ids || source->file.path == NULL)
        return SOTTO_OK;
    sotto_status status = make_flags(source, &source->wanted, error);
    if (status == SOTTO_OK)
        status = sotto_schema_find(source->schema, unit, &source->unit_column, error);
    if (status == SOTTO_OK) source->wanted[source->unit_column] = true;
    return status;
}

static sotto_status find_condition(sot_source *source, sotto_error *error)
{
    if (source->file.where == NULL) return SOTTO_OK;
    sotto_status status =
        sot_where_new(source->file.where, source->schema, &source->where, error);
    if (status == SOTTO_OK) status = make_flags(source, &source->tested, error);
    if (status == SOTTO_OK) status = make_flags(source, &source->wanted, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_schema_size(source->schema); i++) {
        source->tested[i] = sot_where_tests(source->where, i);
        source->wanted[i] = source->wanted[i] || source->tested[i];
    }
    return status;
}

static sotto_status open_reader(sot_source *source, const sotto_records *records,
                                sotto_error *error)
{
    const sot_reader_input input = {.file = records == NULL ? &source->file : NULL,
                                    .records = records,
                                    .schema = source->schema,
                                    .without_target = source->without_target,
                                    .wanted = source->wanted,
                                    .tested = source->tested};
    return source->kind->open(&input, &source->reader, error);
}

static void close_reader(sot_source *source)
{
    if (source->kind != NULL) source->kind->close(source->reader);
    source->reader = NULL;
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

static sotto_status copy_file(sot_source *source, const sotto_data_file *file,
                              sotto_error *error)
{
    source->file = *file;
    const char **const texts[] = {&source->file.path,  &source->file.labels,
                                  &source->file.query, &source->file.format,
                                  &source->file.table, &source->file.where};
    _Static_assert(sizeof texts / sizeof texts[0] ==
                       sizeof source->texts / sizeof source->texts[0],
                   "a copy of each text");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (*texts[i] == NULL) continue;
        source->texts[i] = sot_copy_string(*texts[i]);
        if (source->texts[i] == NULL)
            return sot_fail_memory(error, strlen(*texts[i]) + 1, 1);
        *texts[i] = source->texts[i];
    }
    return SOTTO_OK;
}

/* The stamps are taken before the files are opened, and compared after: any event in between
 * counts as a change. */
sotto_status sot_source_open(const sotto_data_file *file, const sotto_schema *schema,
                             bool without_target, sot_source **out_source,
                             sotto_error *error)
{
    sot_source *source = sot_new_array(1, sizeof *source);
    if (source == NULL) return sot_fail_memory(error, 1, sizeof *source);
    source->schema = schema;
    source->threads = 1;
    source->without_target = without_target;
    sotto_status status = copy_file(source, file, error);
    if (status == SOTTO_OK)
        status =
            sot_format_decide(file, sotto_schema_is_matrix(schema), &source->kind, error);
    if (status == SOTTO_OK) status = check_labels(source, error);
    if (status == SOTTO_OK) status = check_joined(file, error);
    if (status == SOTTO_OK) status = find_unit(source, error);
    if (status == SOTTO_OK) status = find_condition(source, error);
    if (status == SOTTO_OK) {
        source->stamps[0] = stamp_of(source->file.path);
        source->stamps[1] = stamp_of(source->file.labels);
        status = open_reader(source, NULL, error);
    }
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
    source->kind = sot_reader_of_records(records);
    source->schema = schema;
    source->threads = 1;
    source->unit_column = SIZE_MAX;
    const sotto_status status = open_reader(source, records, error);
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
    sot_where_free(source->where);
    sot_free(source->tested);
    sot_free(source->wanted);
    for (size_t i = 0; i < sizeof source->texts / sizeof source->texts[0]; i++)
        sot_free(source->texts[i]);
    sot_free(source);
}

/* ---- public facts ---- */

static bool lacks_ids(const sot_reader_kind *kind)
{
    return !kind->has_ids;
}

sotto_status sot_source_check_training(const sot_source *source, sotto_error *error)
{
    char list[SOT_FORMAT_LIST_BYTES];
    if (source->kind->check_training != NULL)
        return source->kind->check_training(source->reader, error);
    if (source->kind->has_ids || sotto_schema_unit(source->schema) == NULL)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the schema's unit is '%.60s', but a %s file has no ids; give a CSV "
                    "file or table with that column, or rows in memory",
                    sotto_schema_unit(source->schema), sot_format_list(lacks_ids, list));
}

const char *sot_source_where(const sot_source *source)
{
    return source->where == NULL ? NULL : sot_where_text(source->where);
}

bool sot_source_is_sparse(const sot_source *source)
{
    return source->kind->is_sparse;
}

void sot_source_set_threads(sot_source *source, size_t threads)
{
    source->threads = threads;
}

uint64_t sot_source_rows(const sot_source *source)
{
    return source->kind->rows_hint == NULL ? 0 : source->kind->rows_hint(source->reader);
}

sotto_status sot_file_keeps_order(const sotto_data_file *file, const sotto_schema *schema,
                                  bool *out_keeps, sotto_error *error)
{
    const sot_reader_kind *kind = NULL;
    const sotto_status status =
        sot_format_decide(file, sotto_schema_is_matrix(schema), &kind, error);
    *out_keeps = status == SOTTO_OK && kind->keeps_order;
    return status == SOTTO_OUT_OF_MEMORY || status == SOTTO_IO ? status : SOTTO_OK;
}

/* ---- where rows come from ---- */

sot_origin sot_origin_of_file(const sotto_data_file *file)
{
    const bool stored =
        is_stored(file->path) && (file->labels == NULL || is_stored(file->labels));
    const sot_origin origin = stored               ? SOT_ROWS_STORED
                              : file->stored_table ? SOT_ROWS_DECLARED
                                                   : SOT_ROWS_STREAMED;
    if (file->where != NULL) return sot_origin_selected(origin);
    for (size_t i = 0; sot_readers[i] != NULL; i++)
        if (sot_readers[i]->selects != NULL && sot_readers[i]->selects(file))
            return sot_origin_selected(origin);
    return origin;
}

sot_origin sot_origin_of_records(const sotto_records *records)
{
    const bool streams = records->stream != NULL && !records->in_memory;
    if (records->selected || (streams && !records->declared)) return SOT_ROWS_STREAMED;
    return records->declared ? SOT_ROWS_DECLARED : SOT_ROWS_GIVEN;
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
    if (source->kind->check_rereading != NULL)
        return source->kind->check_rereading(source->reader, error);
    if (source->stamps[0].regular &&
        (source->file.labels == NULL || source->stamps[1].regular))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.120s is not a file and cannot be read more than once; give a "
                    "file, or leave out `stream`",
                    source->file.path);
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
    const file_stamp now[2] = {stamp_of(source->file.path),
                               stamp_of(source->file.labels)};
    if (source->kind->check_unchanged != NULL)
        return source->kind->check_unchanged(source->reader, error);
    if (is_same(&now[0], &source->stamps[0]) && is_same(&now[1], &source->stamps[1]))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "%.120s was changed while it was read; train again on a copy that no "
                    "program changes",
                    source->file.path);
}

sotto_status sot_source_rewind(sot_source *source, sotto_error *error)
{
    source->read = 0;
    if (source->kind->rewind != NULL) return source->kind->rewind(source->reader, error);
    close_reader(source);
    /* Before too: another file in its place, above all a pipe, is not to be read. */
    sotto_status status = sot_source_check_unchanged(source, error);
    if (status == SOTTO_OK) status = open_reader(source, NULL, error);
    if (status == SOTTO_OK) status = sot_source_check_unchanged(source, error);
    return status;
}

/* ---- records ---- */

static sot_value cell_of(const void *row, size_t column)
{
    const sot_source *source = row;
    return source->kind->cell(source->reader, column);
}

sotto_status sot_source_next(sot_source *source, sot_record *out_record, bool *out_more,
                             sotto_error *error)
{
    sotto_status status;
    do {
        status = source->kind->next(source->reader, out_record, out_more, error);
        if (status == SOTTO_OK && *out_more) source->read++;
    } while (status == SOTTO_OK && *out_more && source->where != NULL &&
             !sot_where_selects(source->where, cell_of, source));
    if (status != SOTTO_OK || !*out_more || source->unit_column == SIZE_MAX)
        return status;
    const sot_value id = sot_value_trimmed(cell_of(source, source->unit_column));
    out_record->unit = id.kind == SOT_VALUE_TEXT ? id.text : "";
    out_record->unit_bytes = id.size_bytes;
    return SOTTO_OK;
}
