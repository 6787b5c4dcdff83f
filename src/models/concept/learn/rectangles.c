/* Rectangles of two features: all of them, exactly. */
#include <assert.h>
#include <string.h>

#include <sotto/exponential.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/concept/learn/parts.h"

/* Records in each cell of the grid, label yes minus label no: the gain of a rectangle's
 * score from the cell. */
typedef struct box_scores {
    size_t width, height;
    int64_t *gains;  /* x by x */
    int64_t *column; /* sums over some x */
    int64_t yes;     /* errors of the empty rectangle */
} box_scores;

static void free_scores(box_scores *scores)
{
    sot_wipe_and_free(scores->gains,
                      scores->width * scores->height * sizeof *scores->gains);
    sot_wipe_and_free(scores->column, scores->height * sizeof *scores->column);
}

static sotto_status count_cells(const sot_pac *pac, sot_table *table, box_scores *out,
                                sotto_error *error)
{
    out->width = (size_t)pac->class->grids[0].cells;
    out->height = (size_t)pac->class->grids[1].cells;
    out->gains = sot_new_array(out->width * out->height, sizeof *out->gains);
    out->column = sot_new_array(out->height, sizeof *out->column);
    if (out->gains == NULL || out->column == NULL)
        return sot_fail_memory(error, out->width * out->height, sizeof *out->gains);
    sotto_status status = sot_table_rewind(table, error);
    for (const sot_matrix *rows = NULL; status == SOTTO_OK;) {
        status = sot_table_next(table, &rows, error);
        if (status != SOTTO_OK || rows == NULL) break;
        for (size_t i = 0; i < rows->rows; i++) {
            const uint32_t *places = rows->cells + i * rows->columns;
            const bool yes = rows->labels[i] > 0.0;
            out->yes += yes ? 1 : 0;
            out->gains[places[0] * out->height + places[1]] += yes ? 1 : -1;
        }
    }
    return status;
}

static void add_column(const box_scores *scores, size_t x)
{
    for (size_t y = 0; y < scores->height; y++)
        scores->column[y] += scores->gains[x * scores->height + y];
}

/* ---- one by one ---- */

/* The empty one, then by x.low, x.high, y.low, y.high. */
static void list_all(const box_scores *scores, int64_t *list)
{
    size_t next = 0;
    list[next++] = -scores->yes;
    for (size_t low = 0; low < scores->width; low++) {
        memset(scores->column, 0, scores->height * sizeof *scores->column);
        for (size_t high = low; high < scores->width; high++) {
            add_column(scores, high);
            for (size_t y = 0; y < scores->height; y++) {
                int64_t sum = -scores->yes;
                for (size_t top = y; top < scores->height; top++) {
                    sum += scores->column[top];
                    list[next++] = sum;
                }
            }
        }
    }
}

static sotto_status choose_listed(const sot_pac *pac, sotto_gate *gate,
                                  const box_scores *scores, sotto_rectangle *out,
                                  sotto_error *error)
{
    assert(pac->sizes[0] <= SOT_PAC_LISTED_MAX);
    const size_t size = (size_t)pac->sizes[0];
    const size_t strips = scores->height * (scores->height + 1) / 2;
    int64_t *list = sot_new_array(size, sizeof *list);
    if (list == NULL) return sot_fail_memory(error, size, sizeof *list);
    size_t index = 0;
    list_all(scores, list);
    const sotto_status status = sot_pac_choose(pac, 0, gate, list, size, &index, error);
    sot_wipe_and_free(list, size * sizeof *list);
    if (status != SOTTO_OK) return status;
    *out = (sotto_rectangle){0, 0, 0, 0};
    if (index == 0) return SOTTO_OK;
    sot_concept_find_pair(scores->width, (index - 1) / strips, &out->x_low, &out->x_high);
    sot_concept_find_pair(scores->height, (index - 1) % strips, &out->y_low,
                          &out->y_high);
    return SOTTO_OK;
}

/* ---- no noise ---- */

/* The best consecutive sum of the column, if it is above `best`. */
static bool find_better(const box_scores *scores, int64_t *best, uint64_t *out_low,
                        uint64_t *out_high)
{
    bool found = false;
    int64_t sum = 0;
    size_t low = 0;
    for (size_t y = 0; y < scores->height; y++) {
        if (sum <= 0) {
            sum = 0;
            low = y;
        }
        sum += scores->column[y];
        if (sum <= *best) continue;
        *best = sum;
        *out_low = low;
        *out_high = y + 1;
        found = true;
    }
    return found;
}

static sotto_rectangle choose_best(const box_scores *scores)
{
    sotto_rectangle box = {0, 0, 0, 0};
    int64_t best = 0; /* the empty one's gain */
    for (size_t low = 0; low < scores->width; low++) {
        memset(scores->column, 0, scores->height * sizeof *scores->column);
        for (size_t high = low; high < scores->width; high++) {
            add_column(scores, high);
            if (!find_better(scores, &best, &box.y_low, &box.y_high)) continue;
            box.x_low = low;
            box.x_high = high + 1;
        }
    }
    return box;
}

sotto_status sot_pac_learn_rectangles(const sot_pac *pac, sotto_gate *gate,
                                      sot_table *table, sot_pool *pool,
                                      double *out_numbers, sotto_error *error)
{
    (void)pool;
    box_scores scores = {0};
    sotto_rectangle box = {0, 0, 0, 0};
    sotto_status status = count_cells(pac, table, &scores, error);
    if (status == SOTTO_OK && pac->method == SOTTO_METHOD_EXPONENTIAL) {
        status = sotto_exponential_choose_rectangle(gate, &pac->choice, scores.gains,
                                                    scores.width, scores.height,
                                                    -scores.yes, &box, error);
    } else if (status == SOTTO_OK && pac->method == SOTTO_METHOD_NONE) {
        box = choose_best(&scores);
    } else if (status == SOTTO_OK) {
        status = choose_listed(pac, gate, &scores, &box, error);
    }
    free_scores(&scores);
    if (status != SOTTO_OK) return status;
    out_numbers[0] = (double)box.x_low;
    out_numbers[1] = (double)box.x_high;
    out_numbers[2] = (double)box.y_low;
    out_numbers[3] = (double)box.y_high;
    return SOTTO_OK;
}
