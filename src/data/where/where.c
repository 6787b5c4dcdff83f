#include "data/where/where.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/cells/cell.h"
#include "data/where/parts.h"

/* ---- cells ---- */

/* A cell as the type of its column reads it; SOT_VALUE_ABSENT is null. */
typedef struct where_operand {
    sot_value_kind kind;
    double number;
    const char *text;
    size_t size_bytes;
    char spelled[SOT_DOUBLE_TEXT_BYTES]; /* of a number in a column of texts */
} where_operand;

/* A number that is whole, in a column of integers; any finite one in a column of numbers. */
static bool is_valid_number(const sotto_column *column, double number)
{
    if (!isfinite(number)) return false;
    if (column->type == SOTTO_COLUMN_BOOLEAN) return number == 0.0 || number == 1.0;
    return column->type != SOTTO_COLUMN_INTEGER || number == floor(number);
}

static bool read_number(const sotto_column *column, sot_value cell, double *out_number)
{
    _Static_assert((int)SOT_WHERE_TEXT_BYTES_MAX < (int)SOT_VALUE_BYTES,
                   "where.md, claim 3");
    if (cell.kind == SOT_VALUE_NUMBER) {
        *out_number = cell.number;
    } else if (cell.size_bytes >= SOT_VALUE_BYTES) {
        return false; /* its end may be missing */
    } else if (column->type == SOTTO_COLUMN_BOOLEAN) {
        const sotto_column unset = {.type = SOTTO_COLUMN_BOOLEAN, .missing = NAN};
        *out_number = sot_cell_boolean(&unset, cell.text, cell.size_bytes);
    } else if (!sot_cell_read_number(column, cell.text, cell.size_bytes, out_number)) {
        return false;
    }
    return is_valid_number(column, *out_number);
}

/* A number in a column of texts has the text that data/query.c gives it as an id. */
static void spell(double number, where_operand *out)
{
    if (number == floor(number) && fabs(number) < 0x1p63) {
        (void)snprintf(out->spelled, sizeof out->spelled, "%lld", (long long)number);
    } else {
        sot_format_double(number, out->spelled);
    }
    out->text = out->spelled;
    out->size_bytes = strlen(out->spelled);
}

static bool is_text_column(const sotto_column *column)
{
    return column->type == SOTTO_COLUMN_CATEGORY || column->type == SOTTO_COLUMN_ID ||
           column->type == SOTTO_COLUMN_IGNORE;
}

static void read_operand(const sotto_column *column, sot_value cell, where_operand *out)
{
    cell = sot_value_trimmed(cell);
    out->kind = SOT_VALUE_ABSENT;
    if (cell.kind == SOT_VALUE_ABSENT) return;
    if (!is_text_column(column)) {
        if (read_number(column, cell, &out->number)) out->kind = SOT_VALUE_NUMBER;
        return;
    }
    if (cell.kind == SOT_VALUE_NUMBER) {
        if (isnan(cell.number)) return;
        spell(cell.number, out);
    } else {
        out->text = cell.text;
        out->size_bytes = cell.size_bytes;
    }
    out->kind = SOT_VALUE_TEXT;
}

/* ---- tests ---- */

/* The sign of operand minus literal: of numbers, or of texts byte for byte. */
static int compare(const where_operand *operand, const where_literal *literal)
{
    if (operand->kind == SOT_VALUE_NUMBER)
        return (operand->number > literal->number) - (operand->number < literal->number);
    const size_t shared = operand->size_bytes < literal->size_bytes ? operand->size_bytes
                                                                    : literal->size_bytes;
    const int order = shared == 0 ? 0 : memcmp(operand->text, literal->text, shared);
    if (order != 0) return order;
    return (operand->size_bytes > literal->size_bytes) -
           (operand->size_bytes < literal->size_bytes);
}

static bool meets(const where_step *test, const where_literal *literals,
                  const where_operand *operand)
{
    const int order = compare(operand, &literals[0]);
    switch (test->action) {
    case WHERE_EQUAL:
        return order == 0;
    case WHERE_UNEQUAL:
        return order != 0;
    case WHERE_LESS:
        return order < 0;
    case WHERE_AT_MOST:
        return order <= 0;
    case WHERE_GREATER:
        return order > 0;
    case WHERE_AT_LEAST:
        return order >= 0;
    case WHERE_BETWEEN:
        return order >= 0 && compare(operand, &literals[1]) <= 0;
    case WHERE_IN:
        for (size_t i = 0; i < test->count; i++)
            if (compare(operand, &literals[i]) == 0) return true;
        return false;
    case WHERE_AND:
    case WHERE_OR:
    case WHERE_NOT:
    case WHERE_IS_NULL:
        break;
    }
    return false;
}

static sot_truth judge(const sot_where *where, const where_step *test, sot_value cell)
{
    where_operand operand;
    read_operand(test->described, cell, &operand);
    const bool is_null = operand.kind == SOT_VALUE_ABSENT;
    if (test->action == WHERE_IS_NULL) return is_null ? SOT_TRUE : SOT_FALSE;
    if (is_null) return SOT_UNKNOWN;
    return meets(test, where->literals + test->first, &operand) ? SOT_TRUE : SOT_FALSE;
}

/* ---- the condition ---- */

sot_truth sot_where_truth(const sot_where *where, sot_cell_of cell_of, const void *row)
{
    sot_truth stack[WHERE_STACK];
    size_t height = 0;
    for (size_t i = 0; i < where->step_count; i++) {
        const where_step *step = &where->steps[i];
        if (step->action == WHERE_NOT) {
            stack[height - 1] = (sot_truth)(SOT_TRUE - stack[height - 1]);
        } else if (step->action == WHERE_AND || step->action == WHERE_OR) {
            const sot_truth right = stack[--height];
            const sot_truth left = stack[height - 1];
            const bool takes_right =
                step->action == WHERE_AND ? right < left : right > left;
            stack[height - 1] = takes_right ? right : left;
        } else {
            assert(height < WHERE_STACK);
            stack[height++] = judge(where, step, cell_of(row, step->column));
        }
    }
    assert(height == 1);
    return stack[0];
}

bool sot_where_selects(const sot_where *where, sot_cell_of cell_of, const void *row)
{
    return sot_where_truth(where, cell_of, row) == SOT_TRUE;
}

bool sot_where_tests(const sot_where *where, size_t column)
{
    for (size_t i = 0; i < where->step_count; i++)
        if (where->steps[i].action >= WHERE_IS_NULL && where->steps[i].column == column)
            return true;
    return false;
}

const char *sot_where_text(const sot_where *where)
{
    return where->canonical;
}

void sot_where_free(sot_where *where)
{
    if (where == NULL) return;
    sot_free(where->canonical);
    sot_free(where->steps);
    sot_free(where->literals);
    sot_free(where->texts);
    sot_free(where);
}
