#include "data/source/format.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/readers/bytes.h"
#include "data/readers/readers.h"

/* The part of a file that is looked at. */
enum { PREFIX_BYTES = 1 << 12 };

/* ---- names ---- */

/* Formats that are not read here. */
typedef struct foreign_name {
    const char *end;
    const char *format;
} foreign_name;

static const foreign_name foreign_names[] = {
    {".parquet", "Parquet"},   {".arrow", "Arrow"},       {".feather", "Feather"},
    {".orc", "ORC"},           {".avro", "Avro"},         {".json", "JSON"},
    {".xlsx", "Excel"},        {".xls", "Excel"},         {".ods", "OpenDocument"},
    {".pkl", "Python pickle"}, {".pickle", "pickle"},     {".rds", "R"},
    {".rdata", "R"},           {".sav", "SPSS"},          {".dta", "Stata"},
    {".sas7bdat", "SAS"},      {".mat", "MATLAB"},        {".h5", "HDF5"},
    {".hdf5", "HDF5"},         {".duckdb", "DuckDB"},     {".png", "PNG"},
    {".jpg", "JPEG"},          {".jpeg", "JPEG"},         {".gif", "GIF"},
    {".pdf", "PDF"},           {".html", "HTML"},         {".xml", "XML"},
    {".pt", "PyTorch"},        {".safetensors", "tensor"}};

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static bool is_named_database(const char *path)
{
    return sot_name_ends(path, ".db") || sot_name_ends(path, ".sqlite") ||
           sot_name_ends(path, ".sqlite3");
}

/* ---- content ---- */

typedef struct file_signature {
    size_t place;
    const char *bytes;
    size_t size_bytes;
    const char *format;
} file_signature;

#define SIGNATURE(place, bytes, format)                                                  \
    {                                                                                    \
        place, bytes, sizeof(bytes) - 1, format                                          \
    }
static const file_signature signatures[] = {
    SIGNATURE(0, "PAR1", "Parquet"),
    SIGNATURE(0, "ARROW1", "Arrow"),
    SIGNATURE(0, "FEA1", "Feather"),
    SIGNATURE(0, "ORC\x0a\x0b", "ORC"),
    SIGNATURE(0, "Obj\x01", "Avro"),
    SIGNATURE(8, "DUCK", "DuckDB"),
    SIGNATURE(0, "SQLite format 3", "SQLite"),
    SIGNATURE(0, "\x89PNG", "PNG"),
    SIGNATURE(0, "\xff\xd8\xff", "JPEG"),
    SIGNATURE(0, "GIF8", "GIF"),
    SIGNATURE(0, "%PDF", "PDF"),
    SIGNATURE(0, "PK\x03\x04", "ZIP (Excel, NPZ, PyTorch)"),
    SIGNATURE(0, "\x89HDF", "HDF5"),
    SIGNATURE(0, "\x93NUMPY", "NPY"),
    SIGNATURE(0, "\x1f\x8b", "gzip"),
    SIGNATURE(0, "BZh", "bzip2"),
    SIGNATURE(0,
              "\xfd"
              "7zXZ",
              "xz"),
    SIGNATURE(0, "\x28\xb5\x2f\xfd", "Zstandard"),
    SIGNATURE(0, "\xd0\xcf\x11\xe0", "Excel"),
    SIGNATURE(0, "\x80\x02", "Python pickle"),
    SIGNATURE(0, "\x80\x03", "Python pickle"),
    SIGNATURE(0, "\x80\x04", "Python pickle"),
    SIGNATURE(0, "\x80\x05", "Python pickle"),
    SIGNATURE(0,
              "\x7f"
              "ELF",
              "ELF"),
    SIGNATURE(0, "\xff\xfe", "UTF-16"),
    SIGNATURE(0, "\xfe\xff", "UTF-16"),
};

/* In the first line only: the bytes behind it are records, and no record decides the format. */
static const char *foreign_content(const char *prefix, size_t size_bytes)
{
    const char *newline = memchr(prefix, '\n', size_bytes);
    if (newline != NULL) size_bytes = (size_t)(newline - prefix) + 1;
    for (size_t i = 0; i < LENGTH(signatures); i++) {
        const file_signature *one = &signatures[i];
        if (size_bytes >= one->place + one->size_bytes &&
            memcmp(prefix + one->place, one->bytes, one->size_bytes) == 0)
            return one->format;
    }
    return NULL;
}

static bool is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* The first bytes of a regular file, unpacked as the table's reader does; none of a pipe, which cannot be
 * read twice. A file that cannot be opened is for its reader to refuse. */
static sotto_status read_prefix(const char *path, char *prefix, size_t *out_size_bytes,
                                sotto_error *error)
{
    sot_bytes *bytes = NULL;
    size_t got = 1;
    *out_size_bytes = 0;
    if (!is_regular(path)) return SOTTO_OK;
    sotto_status status = sot_bytes_open(path, SOT_PACKED_BY_CONTENT, &bytes, error);
    while (status == SOTTO_OK && got > 0 && *out_size_bytes < PREFIX_BYTES) {
        status = sot_bytes_read(bytes, prefix + *out_size_bytes,
                                PREFIX_BYTES - *out_size_bytes, &got, error);
        if (status == SOTTO_OK) *out_size_bytes += got;
    }
    sot_bytes_close(bytes);
    return status;
}

/* ---- decisions ---- */

static sotto_status fail_foreign(const char *path, const char *format, const char *by,
                                 sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.120s has the format %s by its %s, which does not fit here; "
                    "convert it to CSV, or give `format` if it has another format",
                    path, format, by);
}

static sotto_status fail_database(const char *path, const char *by, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.90s is a SQLite database by its %s; give the table, for example "
                    "`table=patients`",
                    path, by);
}

/* The first line of a table is its header, which is public. A table's reader unpacks gzip by content. */
static sotto_status check_header(const char *path, sotto_error *error)
{
    size_t size_bytes = 0;
    char *prefix = sot_new_array(PREFIX_BYTES, 1);
    if (prefix == NULL) return sot_fail_memory(error, PREFIX_BYTES, 1);
    sotto_status status = read_prefix(path, prefix, &size_bytes, error);
    const char *foreign = foreign_content(prefix, size_bytes);
    if (status == SOTTO_OK && foreign != NULL && strcmp(foreign, "gzip") != 0) {
        status = strcmp(foreign, "SQLite") == 0
                     ? fail_database(path, "content", error)
                     : fail_foreign(path, foreign, "content", error);
    }
    sot_wipe_and_free(prefix, PREFIX_BYTES);
    return status;
}

/* ---- lists ---- */

/* "a", "a or b", "a, b or c". */
static void add_to_list(char text[SOT_FORMAT_LIST_BYTES], const char *name, bool is_last)
{
    const size_t used = strlen(text);
    const char *between = used == 0 ? "" : is_last ? " or " : ", ";
    (void)snprintf(text + used, SOT_FORMAT_LIST_BYTES - used, "%s%s", between, name);
}

const char *sot_format_list(bool (*is_meant)(const sot_reader_kind *kind),
                            char text[SOT_FORMAT_LIST_BYTES])
{
    const char *last = NULL;
    text[0] = '\0';
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        if (!is_meant(sot_readers[i])) continue;
        if (last != NULL) add_to_list(text, last, false);
        last = sot_readers[i]->name;
    }
    if (last != NULL) add_to_list(text, last, true);
    return text;
}

static const char *list_options(char text[SOT_FORMAT_LIST_BYTES])
{
    text[0] = '\0';
    for (size_t i = 0; sotto_data_format(i) != NULL; i++)
        add_to_list(text, sotto_data_format(i), sotto_data_format(i + 1) == NULL);
    return text;
}

/* ---- the choice ---- */

static sotto_status decide_declared(const char *name, const sot_reader_kind **out_kind,
                                    sotto_error *error)
{
    char shown[64], list[SOT_FORMAT_LIST_BYTES];
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        const char *option = sot_readers[i]->option;
        if (option == NULL || strcmp(option, name) != 0) continue;
        *out_kind = sot_readers[i];
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`format` is '%s'; give %s",
                    sot_printable(name, shown, sizeof shown), list_options(list));
}

static const sot_reader_kind *kind_of_query(void)
{
    size_t i = 0;
    while (!sot_readers[i]->takes_query)
        i++;
    return sot_readers[i];
}

/* Returns the reader by the name; else, for a table, the usual reader; else NULL. */
static const sot_reader_kind *kind_by_name(const char *path, bool is_matrix)
{
    const sot_reader_kind *usual = NULL;
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        const sot_reader_kind *kind = sot_readers[i];
        if (kind->is_named != NULL && kind->is_named(path, is_matrix)) return kind;
        if (!is_matrix && kind->is_usual) usual = kind;
    }
    return usual;
}

static sotto_status decide_by_name(const char *path, bool is_matrix,
                                   const sot_reader_kind **out_kind, sotto_error *error)
{
    if (is_named_database(path)) return fail_database(path, "name", error);
    for (size_t i = 0; i < LENGTH(foreign_names); i++)
        if (sot_is_named(path, foreign_names[i].end))
            return fail_foreign(path, foreign_names[i].format, "name", error);
    *out_kind = kind_by_name(path, is_matrix);
    if (*out_kind == NULL) {
        /* LIBSVM has no header: its first line is a record, which must not decide. */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.120s has a format that its name does not show; give it, for "
                        "example `format=libsvm`",
                        path);
    }
    return !is_matrix && (*out_kind)->begins_with_names ? check_header(path, error)
                                                        : SOTTO_OK;
}

/* The schema of a matrix has no names, that of a table needs them. */
static sotto_status check_schema(const char *path, bool is_matrix,
                                 const sot_reader_kind *kind, sotto_error *error)
{
    if (is_matrix ? kind->of_matrices : kind->of_tables) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    kind->has_names
                        ? "%.120s has columns with names; give a schema with \"columns\""
                        : "%.120s has features without names; give a schema with "
                          "\"features\"",
                    path);
}

/* A database needs a table, as --table or in the old --query. */
static sotto_status check_table(const sotto_data_file *file, const sot_reader_kind *kind,
                                sotto_error *error)
{
    if (file->query != NULL && file->table != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`table` and `query` were both given; leave `query` out: "
                        "`table=patients` with `where` selects rows");
    }
    const bool is_named = file->query != NULL || file->table != NULL;
    if (kind->takes_query == is_named) return SOTTO_OK;
    if (!is_named) return fail_database(file->path, "format", error);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is for SQLite, and `format` is %s; leave one of them out",
                    file->query != NULL ? "query" : "table", file->format);
}

/* A condition finds columns by their names in the file. */
static sotto_status check_where(const sotto_data_file *file, const sot_reader_kind *kind,
                                sotto_error *error)
{
    if (file->where == NULL || kind->has_names) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`where` tests columns by name, and %.60s (%s) has none; give a CSV "
                    "file or a database table, or leave `where` out",
                    file->path, kind->name);
}

sotto_status sot_format_decide(const sotto_data_file *file, bool is_matrix,
                               const sot_reader_kind **out_kind, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (file->format != NULL) {
        status = decide_declared(file->format, out_kind, error);
    } else if (file->query != NULL || file->table != NULL) {
        *out_kind = kind_of_query();
    } else {
        status = decide_by_name(file->path, is_matrix, out_kind, error);
    }
    if (status != SOTTO_OK) return status;
    status = check_table(file, *out_kind, error);
    if (status == SOTTO_OK) status = check_where(file, *out_kind, error);
    return status == SOTTO_OK ? check_schema(file->path, is_matrix, *out_kind, error)
                              : status;
}
