#include "data/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* A line's bytes beyond LINE_BYTES are passed over; cells there count as missing. */
enum { BUFFER_BYTES = 1 << 18, LINE_BYTES = 1 << 20 };

static const uint64_t rows_max = UINT64_C(1) << 32;

typedef struct cell {
    const char *text;
    size_t size_bytes;
} cell;

/* Categories of one column, for look-up by binary search. */
typedef struct category {
    const char *text;
    size_t index;
} category;

struct sot_csv {
    const sotto_schema *schema;
    char *path;
    gzFile file;
    char delimiter;
    size_t file_columns;   /* in the header */
    size_t *column_of;     /* file column -> schema column, or SIZE_MAX */
    cell *cells;           /* schema column -> text of the current row */
    category **categories; /* schema column -> sorted values, or NULL */
    uint64_t rows;
    char *buffer; /* what was read and not yet used */
    size_t begin, end;
    char *line; /* the current line; quoted cells are unquoted in place */
    size_t line_bytes;
    bool at_end;
};

/* ---- lines ---- */

static sotto_status fill_buffer(sot_csv *csv, sotto_error *error)
{
    const int got = gzread(csv->file, csv->buffer, BUFFER_BYTES);
    int code = Z_OK;
    (void)gzerror(csv->file, &code);
    if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
        return sot_fail(error, SOTTO_IO, "%s cannot be read to its end; is it damaged?",
                        csv->path);
    }
    csv->begin = 0;
    csv->end = (size_t)got;
    csv->at_end = got == 0;
    return SOTTO_OK;
}

/* The next line into csv->line, without its end (LF or CRLF); *out_more is false when there is
 * none. A blank line is a line: were it passed over, the number of records would depend on what
 * one of them holds. */
static sotto_status next_line(sot_csv *csv, bool *out_more, sotto_error *error)
{
    bool any = false;
    csv->line_bytes = 0;
    for (bool ended = false; !ended;) {
        if (csv->begin == csv->end) {
            const sotto_status status = fill_buffer(csv, error);
            if (status != SOTTO_OK) return status;
            if (csv->at_end) break;
        }
        const char *start = csv->buffer + csv->begin;
        const size_t available = csv->end - csv->begin;
        const char *newline = memchr(start, '\n', available);
        const size_t taken = newline == NULL ? available : (size_t)(newline - start);
        const size_t room = LINE_BYTES - csv->line_bytes;
        const size_t kept = taken < room ? taken : room;
        memcpy(csv->line + csv->line_bytes, start, kept);
        csv->line_bytes += kept;
        any = true; /* the buffer was not empty */
        ended = newline != NULL;
        csv->begin += taken + (ended ? 1 : 0);
    }
    if (csv->line_bytes > 0 && csv->line[csv->line_bytes - 1] == '\r') csv->line_bytes--;
    *out_more = any;
    return SOTTO_OK;
}

/* ---- cells ---- */

static cell trimmed(char *text, size_t size_bytes)
{
    while (size_bytes > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        size_bytes--;
    }
    while (size_bytes > 0 &&
           (text[size_bytes - 1] == ' ' || text[size_bytes - 1] == '\t')) {
        size_bytes--;
    }
    return (cell){text, size_bytes};
}

/* The cell at `*position`, unquoted in place; moves behind its delimiter. */
static cell next_cell(sot_csv *csv, size_t *position)
{
    char *line = csv->line;
    size_t at = *position;
    if (at < csv->line_bytes && line[at] == '"') {
        char *text = line + at + 1;
        size_t size_bytes = 0;
        at++;
        while (at < csv->line_bytes) {
            if (line[at] == '"') {
                if (at + 1 >= csv->line_bytes || line[at + 1] != '"') break;
                at++; /* a doubled quote is one */
            }
            text[size_bytes++] = line[at++];
        }
        while (at < csv->line_bytes && line[at] != csv->delimiter)
            at++;
        *position = at + 1;
        return (cell){text, size_bytes};
    }
    const size_t begin = at;
    const char *stop = memchr(line + begin, csv->delimiter, csv->line_bytes - begin);
    at = stop == NULL ? csv->line_bytes : (size_t)(stop - line);
    *position = at + 1;
    return trimmed(line + begin, at - begin);
}

static int compare_text(const char *value, const cell *text)
{
    const size_t length = strlen(value);
    const size_t common = length < text->size_bytes ? length : text->size_bytes;
    const int order = memcmp(value, text->text, common);
    if (order != 0) return order;
    return length < text->size_bytes ? -1 : length > text->size_bytes;
}

static double category_value(const sot_csv *csv, size_t column, const cell *text)
{
    const sotto_column *described = sotto_schema_column(csv->schema, column);
    const category *sorted = csv->categories[column];
    size_t low = 0;
    size_t high = described->value_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_text(sorted[middle].text, text);
        if (order == 0) return (double)sorted[middle].index;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return described->missing;
}

static double boolean_value(const sotto_column *column, const cell *text)
{
    static const char *const words[] = {"0", "false", "no",  "f", "n",
                                        "1", "true",  "yes", "t", "y"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == text->size_bytes &&
            strncasecmp(words[i], text->text, text->size_bytes) == 0) {
            return i < 5 ? 0.0 : 1.0;
        }
    }
    return column->missing;
}

static double number_value(const sotto_column *column, const cell *text)
{
    double value;
    const sot_number parsed =
        text->size_bytes > SOT_NUMBER_BYTES_MAX
            ? SOT_NUMBER_MALFORMED
            : sot_parse_double(text->text, text->size_bytes, &value);
    if (parsed == SOT_NUMBER_TOO_SMALL) {
        value = 0.0;
    } else if (parsed != SOT_NUMBER_OK) {
        return column->missing;
    }
    if (column->type == SOTTO_COLUMN_INTEGER && value != floor(value))
        return column->missing;
    return fmin(fmax(value, column->lower), column->upper);
}

static double cell_value(const sot_csv *csv, size_t column, const cell *text)
{
    const sotto_column *described = sotto_schema_column(csv->schema, column);
    switch (described->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        return number_value(described, text);
    case SOTTO_COLUMN_CATEGORY:
        return category_value(csv, column, text);
    case SOTTO_COLUMN_BOOLEAN:
        return boolean_value(described, text);
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return 0.0;
}

/* ---- the header ---- */

static size_t count_cells(const sot_csv *csv)
{
    size_t cells = 1;
    for (size_t i = 0; i < csv->line_bytes; i++)
        cells += csv->line[i] == csv->delimiter;
    return cells;
}

static sotto_status match_column(sot_csv *csv, size_t file_column, const cell *name,
                                 sotto_error *error)
{
    for (size_t i = 0; i < sotto_schema_size(csv->schema); i++) {
        if (compare_text(sotto_schema_column(csv->schema, i)->name, name) != 0) continue;
        for (size_t k = 0; k < file_column; k++) {
            if (csv->column_of[k] == i) {
                return sot_fail(error, SOTTO_PARSE,
                                "%s names the column '%s' twice in its header", csv->path,
                                sotto_schema_column(csv->schema, i)->name);
            }
        }
        csv->column_of[file_column] = i;
        return SOTTO_OK;
    }
    /* Its name is not quoted: in a file without a header it would be a cell of a record. */
    return sot_fail(
        error, SOTTO_PARSE,
        "%s: the first line names a column, number %zu, that the schema does not; give a "
        "header, and list unused columns in the schema with type \"ignore\"",
        csv->path, file_column + 1);
}

static sotto_status read_header(sot_csv *csv, sotto_error *error)
{
    bool more;
    sotto_status status = next_line(csv, &more, error);
    if (status != SOTTO_OK) return status;
    if (!more || csv->line_bytes == 0) {
        return sot_fail(error, SOTTO_PARSE,
                        "%s starts with an empty line or none; its first line must name "
                        "the columns of the schema",
                        csv->path);
    }
    if (csv->line_bytes >= 3 && memcmp(csv->line, "\xef\xbb\xbf", 3) == 0) {
        csv->line_bytes -= 3; /* a byte order mark */
        memmove(csv->line, csv->line + 3, csv->line_bytes);
    }
    csv->column_of = sot_new_array(count_cells(csv), sizeof *csv->column_of);
    if (csv->column_of == NULL) {
        return sot_fail_memory(error, count_cells(csv), sizeof *csv->column_of);
    }
    for (size_t position = 0; position <= csv->line_bytes && status == SOTTO_OK;) {
        const cell name = next_cell(csv, &position);
        status = match_column(csv, csv->file_columns, &name, error);
        csv->file_columns++;
    }
    for (size_t i = 0; i < sotto_schema_size(csv->schema) && status == SOTTO_OK; i++) {
        bool found = false;
        for (size_t k = 0; k < csv->file_columns; k++)
            found = found || csv->column_of[k] == i;
        if (found) continue;
        status = sot_fail(error, SOTTO_PARSE,
                          "%s lacks the column '%s' of the schema; is it the right file?",
                          csv->path, sotto_schema_column(csv->schema, i)->name);
    }
    return status;
}

/* ---- the reader ---- */

static int compare_categories(const void *a, const void *b)
{
    return strcmp(((const category *)a)->text, ((const category *)b)->text);
}

static sotto_status sort_categories(sot_csv *csv, sotto_error *error)
{
    for (size_t i = 0; i < sotto_schema_size(csv->schema); i++) {
        const sotto_column *column = sotto_schema_column(csv->schema, i);
        if (column->type != SOTTO_COLUMN_CATEGORY) continue;
        category *sorted = sot_new_array(column->value_count, sizeof *sorted);
        if (sorted == NULL)
            return sot_fail_memory(error, column->value_count, sizeof *sorted);
        csv->categories[i] = sorted;
        for (size_t k = 0; k < column->value_count; k++) {
            sorted[k] = (category){column->values[k], k};
        }
        qsort(sorted, column->value_count, sizeof *sorted, compare_categories);
    }
    return SOTTO_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

static sotto_status open_file(sot_csv *csv, const char *path, sotto_error *error)
{
    char reason[96];
    struct stat facts;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &facts) != 0) {
        const int code = errno;
        if (descriptor >= 0) (void)close(descriptor);
        return sot_fail(error, SOTTO_IO, "cannot open %s: %s", path,
                        sot_errno_text(code, reason, sizeof reason));
    }
    if (S_ISDIR(facts.st_mode)) {
        (void)close(descriptor);
        return sot_fail(error, SOTTO_IO, "%s is a directory; give a CSV file", path);
    }
    csv->file = gzdopen(descriptor, "rb");
    if (csv->file == NULL) {
        (void)close(descriptor);
        return sot_fail_memory(error, 1, BUFFER_BYTES);
    }
    return SOTTO_OK;
}

static sotto_status allocate(sot_csv *csv, const char *path, sotto_error *error)
{
    const size_t size = sotto_schema_size(csv->schema);
    csv->path = sot_copy_string(path);
    csv->buffer = sot_new_array(BUFFER_BYTES, 1);
    csv->line = sot_new_array(LINE_BYTES, 1);
    csv->cells = sot_new_array(size, sizeof *csv->cells);
    csv->categories = sot_new_array(size, sizeof *csv->categories);
    if (csv->path == NULL || csv->buffer == NULL || csv->line == NULL ||
        csv->cells == NULL || csv->categories == NULL) {
        return sot_fail_memory(error, size, sizeof *csv->cells);
    }
    return sort_categories(csv, error);
}

sotto_status sot_csv_open(const char *path, const sotto_schema *schema, sot_csv **out_csv,
                          sotto_error *error)
{
    sot_csv *csv = sot_new_array(1, sizeof *csv);
    if (csv == NULL) return sot_fail_memory(error, 1, sizeof *csv);
    csv->schema = schema;
    csv->delimiter = ends_with(path, ".tsv") || ends_with(path, ".tsv.gz") ? '\t' : ',';
    sotto_status status = allocate(csv, path, error);
    if (status == SOTTO_OK) status = open_file(csv, path, error);
    if (status == SOTTO_OK) status = read_header(csv, error);
    if (status != SOTTO_OK) {
        sot_csv_close(csv);
        return status;
    }
    *out_csv = csv;
    return SOTTO_OK;
}

void sot_csv_close(sot_csv *csv)
{
    if (csv == NULL) return;
    if (csv->file != NULL) (void)gzclose(csv->file);
    if (csv->categories != NULL) {
        for (size_t i = 0; i < sotto_schema_size(csv->schema); i++)
            sot_free(csv->categories[i]);
    }
    sot_free(csv->categories);
    sot_free(csv->cells);
    sot_free(csv->column_of);
    sot_free(csv->path);
    sot_wipe_and_free(csv->buffer, BUFFER_BYTES);
    sot_wipe_and_free(csv->line, LINE_BYTES);
    sot_free(csv);
}

sotto_status sot_csv_next(sot_csv *csv, double *out_values, bool *out_more,
                          sotto_error *error)
{
    const sotto_status status = next_line(csv, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (csv->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "%s has more than 2^32 rows; is it the right file?", csv->path);
    }
    csv->rows++;
    const size_t size = sotto_schema_size(csv->schema);
    for (size_t i = 0; i < size; i++)
        csv->cells[i] = (cell){"", 0};
    size_t position = 0;
    for (size_t k = 0; k < csv->file_columns && position <= csv->line_bytes; k++) {
        csv->cells[csv->column_of[k]] = next_cell(csv, &position);
    }
    for (size_t i = 0; i < size; i++)
        out_values[i] = cell_value(csv, i, &csv->cells[i]);
    return SOTTO_OK;
}

const char *sot_csv_id(const sot_csv *csv, size_t column, size_t *out_size_bytes)
{
    *out_size_bytes = csv->cells[column].size_bytes;
    return csv->cells[column].text;
}
