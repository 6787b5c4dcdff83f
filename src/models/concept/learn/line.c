#include "models/concept/learn/line.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_yes(const sot_matrix *rows, size_t row)
{
    return rows->labels[row] > 0.0;
}

bool sot_box_holds(const sot_box *box, const uint32_t *places)
{
    if (box == NULL) return true;
    for (size_t j = 0; j < box->features; j++) {
        if (places[j] < box->lows[j] || places[j] >= box->highs[j]) return false;
    }
    return true;
}

void sot_line_free(sot_line *line)
{
    sot_wipe_and_free(line->places, line->count * sizeof *line->places);
    sot_wipe_and_free(line->nets, line->count * sizeof *line->nets);
    *line = (sot_line){0};
}

static sotto_status new_line(size_t count, sot_line *out_line, sotto_error *error)
{
    *out_line = (sot_line){.count = count,
                           .places = sot_new_array(count, sizeof *out_line->places),
                           .nets = sot_new_array(count, sizeof *out_line->nets)};
    if (out_line->places != NULL && out_line->nets != NULL) return SOTTO_OK;
    sot_line_free(out_line);
    return sot_fail_memory(error, count, sizeof *out_line->nets);
}

/* ---- a pass ---- */

static void add_rows(sot_view *view, const sot_matrix *rows)
{
    for (size_t i = 0; i < rows->rows; i++) {
        const uint32_t *places = rows->cells + i * rows->columns;
        const bool yes = is_yes(rows, i);
        view->yes += yes ? 1 : 0;
        view->no += yes ? 0 : 1;
        if (!sot_box_holds(view->box, places)) continue;
        if (view->nets == NULL) continue;
        uint64_t begin = 0;
        for (size_t j = 0; j < view->count; j++) {
            assert(places[view->first + j] < view->class->grids[view->first + j].cells);
            view->nets[begin + places[view->first + j]] += yes ? 1 : -1;
            begin += view->class->grids[view->first + j].cells;
        }
    }
}

/* True to count cells, false to sort rows: the first takes time by cells, the second by
 * rows. */
static bool is_counted(const sot_view *view, const sot_matrix *matrix)
{
    if (matrix == NULL) return true;
    return view->cells <= SOT_PAC_COUNTED_MAX &&
           view->cells / view->count <= matrix->rows / 2 + 4096;
}

sotto_status sot_view_new(const sot_concept_class *class, size_t first, size_t count,
                          const sot_box *box, sot_table *table, sot_view *out_view,
                          sotto_error *error)
{
    sot_view view = {.class = class, .box = box, .first = first, .count = count};
    for (size_t j = 0; j < count; j++)
        view.cells += class->grids[first + j].cells;
    view.matrix = sot_table_matrix(table);
    if (is_counted(&view, view.matrix)) {
        assert(view.cells <= SOT_PAC_COUNTED_MAX);
        view.matrix = NULL;
        view.nets = sot_new_array((size_t)view.cells, sizeof *view.nets);
        if (view.nets == NULL)
            return sot_fail_memory(error, (size_t)view.cells, sizeof *view.nets);
    }
    sotto_status status = sot_table_rewind(table, error);
    for (const sot_matrix *rows = NULL; status == SOTTO_OK;) {
        status = sot_table_next(table, &rows, error);
        if (status != SOTTO_OK || rows == NULL) break;
        add_rows(&view, rows);
    }
    if (status != SOTTO_OK) {
        sot_view_free(&view);
        return status;
    }
    *out_view = view;
    return SOTTO_OK;
}

void sot_view_free(sot_view *view)
{
    sot_wipe_and_free(view->nets,
                      view->nets == NULL ? 0 : (size_t)view->cells * sizeof *view->nets);
    *view = (sot_view){0};
}

/* ---- counted ---- */

static sotto_status line_of_counts(const sot_view *view, size_t index, sot_line *out_line,
                                   sotto_error *error)
{
    const int64_t *nets = view->nets;
    for (size_t j = 0; j < index; j++)
        nets += view->class->grids[view->first + j].cells;
    const size_t cells = (size_t)view->class->grids[view->first + index].cells;
    size_t count = 0;
    for (size_t place = 0; place < cells; place++)
        count += nets[place] != 0;
    const sotto_status status = new_line(count, out_line, error);
    if (status != SOTTO_OK) return status;
    size_t next = 0;
    for (size_t place = 0; place < cells; place++) {
        if (nets[place] == 0) continue;
        out_line->places[next] = (uint32_t)place;
        out_line->nets[next++] = nets[place];
    }
    return SOTTO_OK;
}

/* ---- sorted ---- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* A key is a place times two, plus one for yes. Sorts by place, least digit first; the result is in the array
 * that is returned, one of the two. Digits that no place of the grid has are passed over. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *spare, size_t count, uint64_t cells)
{
    size_t begins[DIGITS];
    for (unsigned shift = 0; shift < 33 && (cells - 1) >> shift != 0;
         shift += DIGIT_BITS) {
        memset(begins, 0, sizeof begins);
        for (size_t i = 0; i < count; i++)
            begins[(keys[i] >> (shift + 1)) % DIGITS]++;
        size_t begin = 0;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            const size_t many = begins[digit];
            begins[digit] = begin;
            begin += many;
        }
        for (size_t i = 0; i < count; i++)
            spare[begins[(keys[i] >> (shift + 1)) % DIGITS]++] = keys[i];
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    sot_wipe(begins, sizeof begins);
    return keys;
}

/* Equal places become one; returns the number of those with a net that is not 0, which are written if there is a line. */
static size_t join_keys(const uint64_t *keys, size_t count, sot_line *line)
{
    size_t next = 0;
    for (size_t i = 0; i < count;) {
        const uint64_t place = keys[i] >> 1;
        int64_t net = 0;
        for (; i < count && keys[i] >> 1 == place; i++)
            net += (keys[i] & 1) != 0 ? 1 : -1;
        if (net == 0) continue;
        if (line != NULL) {
            line->places[next] = (uint32_t)place;
            line->nets[next] = net;
        }
        next++;
    }
    return next;
}

static sotto_status line_of_rows(const sot_view *view, size_t index, sot_line *out_line,
                                 sotto_error *error)
{
    const sot_matrix *rows = view->matrix;
    const size_t size_bytes = 2 * rows->rows * sizeof(uint64_t);
    uint64_t *keys = sot_new_array(2 * rows->rows, sizeof *keys);
    if (keys == NULL) return sot_fail_memory(error, 2 * rows->rows, sizeof *keys);
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const uint32_t *places = rows->cells + i * rows->columns;
        if (!sot_box_holds(view->box, places)) continue;
        keys[count++] =
            (uint64_t)places[view->first + index] << 1 | (is_yes(rows, i) ? 1 : 0);
    }
    const uint64_t *sorted = sort_keys(keys, keys + rows->rows, count,
                                       view->class->grids[view->first + index].cells);
    const sotto_status status = new_line(join_keys(sorted, count, NULL), out_line, error);
    if (status == SOTTO_OK) (void)join_keys(sorted, count, out_line);
    sot_wipe_and_free(keys, size_bytes);
    return status;
}

sotto_status sot_view_line(const sot_view *view, size_t index, sot_line *out_line,
                           sotto_error *error)
{
    assert(index < view->count);
    return view->matrix == NULL ? line_of_counts(view, index, out_line, error)
                                : line_of_rows(view, index, out_line, error);
}
