#include "data/cells/cell.h"

#include <string.h>
#include <strings.h>

#include "data/cells/decimal.h"
#include "data/cells/time.h"

double sot_cell_of_number(const sotto_column *column, double number)
{
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        return isfinite(number) ? sot_cell_bounded(column, number) : column->missing;
    case SOTTO_COLUMN_CATEGORY:
    case SOTTO_COLUMN_BOOLEAN:
        return number == floor(number) && number >= column->lower &&
                       number <= column->upper
                   ? number
                   : column->missing;
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return 0.0;
}

bool sot_cell_read_number(const sotto_column *column, const char *text, size_t size_bytes,
                          double *out_number)
{
    return sot_read_decimal(text, size_bytes, out_number) ||
           (column->time_unit != SOTTO_TIME_NONE &&
            sot_time_of_text(column, text, size_bytes, out_number));
}

double sot_cell_boolean(const sotto_column *column, const char *text, size_t size_bytes)
{
    static const char *const words[] = {"0", "false", "no",  "f", "n",
                                        "1", "true",  "yes", "t", "y"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == size_bytes &&
            strncasecmp(words[i], text, size_bytes) == 0) {
            return i < 5 ? 0.0 : 1.0;
        }
    }
    return column->missing;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

double sot_cell_of_text(const sotto_column *column, const sot_words *categories,
                        const char *text, size_t size_bytes)
{
    double value;
    size_t index;
    while (size_bytes > 0 && is_blank(text[0])) {
        text++;
        size_bytes--;
    }
    while (size_bytes > 0 && is_blank(text[size_bytes - 1]))
        size_bytes--;
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        return sot_cell_read_number(column, text, size_bytes, &value)
                   ? sot_cell_bounded(column, value)
                   : column->missing;
    case SOTTO_COLUMN_CATEGORY:
        index = sot_words_find(categories, text, size_bytes);
        return index == SIZE_MAX ? column->missing : (double)index;
    case SOTTO_COLUMN_BOOLEAN:
        return sot_cell_boolean(column, text, size_bytes);
    case SOTTO_COLUMN_ID:
    case SOTTO_COLUMN_IGNORE:
        break;
    }
    return 0.0;
}

double sot_cell_absent(const sotto_column *column)
{
    return column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE
               ? 0.0
               : column->missing;
}

bool sot_cell_is_optional(const sotto_schema *schema, size_t column, bool without_target,
                          const bool *tested)
{
    const sotto_target *target = sotto_schema_target(schema);
    const sotto_column_type type = sotto_schema_column(schema, column)->type;
    return without_target && !(tested != NULL && tested[column]) &&
           (type == SOTTO_COLUMN_ID || type == SOTTO_COLUMN_IGNORE ||
            (target != NULL && target->column != NULL && target->index == column));
}
