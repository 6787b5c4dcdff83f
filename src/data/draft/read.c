/* The content of the columns of a public table. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/cells/decimal.h"
#include "data/draft/parts.h"
#include "data/readers/csv/csv.h"
#include "data/readers/lines.h"
#include "data/readers/readers.h"
#include "data/schema/parts.h"

enum { LINE_BYTES = 4 << 20 };

typedef sot_csv_cell piece;

static char *copy_piece(const piece *text)
{
    char *copy = sot_new_array(text->size_bytes + 1, 1);
    if (copy != NULL) memcpy(copy, text->text, text->size_bytes);
    return copy;
}

static bool is_one_of(const piece *text, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strlen(words[i]) == text->size_bytes &&
            strncasecmp(words[i], text->text, text->size_bytes) == 0)
            return true;
    }
    return false;
}

/* Fit for a schema: UTF-8 without control characters, not too long. */
static bool is_fit(const piece *text)
{
    if (text->size_bytes == 0 || text->size_bytes >= SOT_SCHEMA_NAME_BYTES_MAX)
        return false;
    for (size_t at = 0; at < text->size_bytes;) {
        const size_t length = sot_utf8_length(text->text + at, text->size_bytes - at);
        if (length == 0 || (unsigned char)text->text[at] < 0x20) return false;
        at += length;
    }
    return true;
}

/* ---- counting ---- */

/* FNV-1a. */
static size_t slot_of(const piece *text)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < text->size_bytes; i++)
        hash = (hash ^ (unsigned char)text->text[i]) * 16777619U;
    return (hash ^ hash >> 16) % SOT_DRAFT_SLOTS;
}

static sotto_status keep_value(sot_draft_column *column, const piece *text,
                               sotto_error *error)
{
    size_t slot = slot_of(text);
    for (; column->slots[slot] != 0; slot = (slot + 1) % SOT_DRAFT_SLOTS) {
        const char *value = column->values[column->slots[slot] - 1];
        if (strlen(value) == text->size_bytes &&
            memcmp(value, text->text, text->size_bytes) == 0)
            return SOTTO_OK;
    }
    if (column->value_count == SOT_DRAFT_VALUES_MOST) {
        column->many = true;
        return SOTTO_OK;
    }
    char *copy = copy_piece(text);
    if (copy == NULL) return sot_fail_memory(error, text->size_bytes + 1, 1);
    column->values[column->value_count++] = copy;
    column->slots[slot] = (uint8_t)column->value_count;
    return SOTTO_OK;
}

static void count_number(sot_draft_column *column, double number)
{
    if (number != floor(number)) column->whole = false;
    if (column->cells > 1 && !(number > column->previous)) column->ascending = false;
    if (column->cells == 1 || number < column->least) column->least = number;
    if (column->cells == 1 || number > column->most) column->most = number;
    column->previous = number;
}

static sotto_status count_cell(sot_draft_column *column, const piece *text,
                               sotto_error *error)
{
    static const char *const missing[] = {"",     "?", "na", "n/a",  "nan",
                                          "null", ".", "-",  "#n/a", NULL};
    static const char *const booleans[] = {"0",    "false", "no", "f", "n", "1",
                                           "true", "yes",   "t",  "y", NULL};
    if (is_one_of(text, missing)) {
        if (text->size_bytes == 0 || column->marker != NULL) return SOTTO_OK;
        column->marker = copy_piece(text);
        return column->marker == NULL ? sot_fail_memory(error, text->size_bytes + 1, 1)
                                      : SOTTO_OK;
    }
    double number;
    column->cells++;
    if (!is_fit(text)) {
        column->fit = column->numbers = column->booleans = false;
        return SOTTO_OK;
    }
    column->booleans = column->booleans && is_one_of(text, booleans);
    if (column->numbers && sot_read_decimal(text->text, text->size_bytes, &number) &&
        fabs(number) <= 0x1p50) {
        count_number(column, number);
    } else {
        column->numbers = false;
    }
    return column->many ? SOTTO_OK : keep_value(column, text, error);
}

/* ---- the header, the rows ---- */

static sotto_status add_column(sot_draft *draft, const piece *name, sotto_error *error)
{
    if (!is_fit(name)) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.120s: the name of column %zu in the header is empty, longer "
                        "than 255 bytes or not printable UTF-8",
                        draft->config->path, draft->size + 1);
    }
    if (draft->size == SOT_SCHEMA_COLUMNS_MAX) {
        return sot_fail(error, SOTTO_PARSE, "%.120s has more than 65536 columns",
                        draft->config->path);
    }
    if ((draft->size & (draft->size - 1)) == 0) {
        const size_t room = draft->size == 0 ? 1 : 2 * draft->size;
        sot_draft_column *larger =
            draft->size == 0
                ? sot_new_array(room, sizeof *larger)
                : sot_resize_array(draft->columns, draft->size, room, sizeof *larger);
        if (larger == NULL) return sot_fail_memory(error, room, sizeof *larger);
        draft->columns = larger;
    }
    sot_draft_column *column = &draft->columns[draft->size];
    *column = (sot_draft_column){.numbers = true,
                                 .whole = true,
                                 .booleans = true,
                                 .ascending = true,
                                 .fit = true,
                                 .name = copy_piece(name)};
    if (column->name == NULL) return sot_fail_memory(error, name->size_bytes + 1, 1);
    draft->size++;
    return SOTTO_OK;
}

static sotto_status check_header(const sot_draft *draft, sotto_error *error)
{
    size_t numbers = 0;
    const char **names = sot_new_array(draft->size, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, draft->size, sizeof *names);
    for (size_t i = 0; i < draft->size; i++) {
        double number;
        names[i] = draft->columns[i].name;
        numbers += sot_read_decimal(names[i], strlen(names[i]), &number) ? 1 : 0;
    }
    const char *twice;
    sotto_status status = SOTTO_OK;
    if (draft->config->header_only && numbers > 0) {
        /* Not quoted: without a header it is a record. */
        status = sot_fail(error, SOTTO_PARSE,
                          "%.120s: the first line holds a number, so it may be a row and "
                          "no header; give a file whose first line names the columns",
                          draft->config->path);
    }
    if (status == SOTTO_OK)
        status = sot_schema_find_double(names, draft->size, &twice, error);
    if (status == SOTTO_OK && twice != NULL) {
        char shown[64];
        status = sot_fail(error, SOTTO_PARSE,
                          "%.120s names the column '%s' twice in its header",
                          draft->config->path, sot_printable(twice, shown, sizeof shown));
    }
    sot_free(names);
    if (status == SOTTO_OK && numbers == draft->size) {
        status = sot_fail(error, SOTTO_PARSE,
                          "%.120s: the first line has only numbers; give it a header "
                          "that names the columns",
                          draft->config->path);
    }
    return status;
}

static sotto_status read_header(sot_draft *draft, sot_lines *lines, char *delimiter,
                                sotto_error *error)
{
    char *line;
    size_t bytes;
    bool more;
    sotto_status status = sot_lines_next(lines, &line, &bytes, &more, error);
    if (status != SOTTO_OK) return status;
    if (!more || bytes == 0) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.120s starts with an empty line or none; its first line must "
                        "name the columns",
                        draft->config->path);
    }
    const char *end = line + bytes;
    char *at = line;
    if (bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* byte order mark */
    if (*delimiter == '\0') *delimiter = sot_csv_delimiter(at, end);
    if (*delimiter == '\0') {
        return sot_fail(
            error, SOTTO_PARSE,
            "%.120s: the first line has both commas and semicolons outside of "
            "quotes; put names that hold one of them into quotes",
            draft->config->path);
    }
    while (at <= end && status == SOTTO_OK) {
        const piece name = sot_csv_next_cell(*delimiter, &at, end);
        status = add_column(draft, &name, error);
    }
    return status == SOTTO_OK ? check_header(draft, error) : status;
}

static sotto_status read_rows(sot_draft *draft, sot_lines *lines, char delimiter,
                              sotto_error *error)
{
    for (;;) {
        char *line;
        size_t bytes;
        bool more;
        sotto_status status = sot_lines_next(lines, &line, &bytes, &more, error);
        if (status != SOTTO_OK || !more) return status;
        const char *end = line + bytes;
        for (size_t i = 0; i < draft->size && line <= end; i++) {
            const piece text = sot_csv_next_cell(delimiter, &line, end);
            status = count_cell(&draft->columns[i], &text, error);
            if (status != SOTTO_OK) return status;
        }
        draft->rows++;
    }
}

sotto_status sot_draft_read_table(sot_draft *draft, sotto_error *error)
{
    const char *path = draft->config->path;
    char delimiter = sot_reader_tsv.is_named(path, false) ? '\t' : '\0';
    sot_lines *lines = NULL;
    sotto_status status =
        sot_lines_open(path, SOT_PACKED_BY_CONTENT, LINE_BYTES, &lines, error);
    if (status == SOTTO_OK) status = read_header(draft, lines, &delimiter, error);
    if (status == SOTTO_OK) status = sot_draft_state_types(draft, error);
    if (status == SOTTO_OK && !draft->config->header_only)
        status = read_rows(draft, lines, delimiter, error);
    sot_lines_close(lines);
    return status;
}
