/* Tables of the source tape as Arrow streams.
 *
 * Each stream begins with the parity of a count: of two runs in a row one has the columns backwards, dictionaries backwards,
 * other bounds of batches and other bytes beneath nulls. So a check of two neighbours is also one of two layouts, and no
 * layout may show.
 */
#ifndef SOTTO_TESTS_ARROW_SOURCE_H
#define SOTTO_TESTS_ARROW_SOURCE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrow.h"
#include "tape.h"

/* How the cells of a column lie. */
typedef enum arrow_cells {
    ARROW_PLAIN,      /* float64, utf8 */
    ARROW_DICTIONARY, /* codes of texts; of numbers too */
    ARROW_DECIMAL,    /* decimal128 with two digits; texts as large utf8 */
    ARROW_VIEWS       /* float32 where that is exact; utf8 views */
} arrow_cells;

enum { ARROW_ROWS_MAX = 16, ARROW_BLOCK_BYTES = 1 << 16, ARROW_DIGITS = 2 };

typedef struct arrow_source {
    arrow_producer producer;
    struct ArrowArrayStream stream;
    size_t left_out; /* a column that comes apart; SIZE_MAX: none */
    double apart[ARROW_ROWS_MAX];
    unsigned char block[ARROW_BLOCK_BYTES]; /* all buffers */
    size_t used;
} arrow_source;

/* A view of a text: 12 bytes inline, or the first four and a place in buffer `part`. */
typedef struct arrow_view {
    int32_t length;
    char prefix[4];
    int32_t part, from;
} arrow_view;

static inline void *arrow_take(arrow_source *self, size_t size_bytes)
{
    const size_t start = (self->used + 15) / 16 * 16;
    if (start + size_bytes > sizeof self->block)
        abort(); /* a harness that cannot go on must not look like one that found nothing */
    self->used = start + size_bytes;
    return memset(self->block + start, 0, size_bytes);
}

static inline unsigned char *arrow_bitmap(arrow_source *self, size_t rows)
{
    return arrow_take(self, rows / 8 + 1);
}

static inline void arrow_mark(unsigned char *bitmap, size_t row)
{
    bitmap[row / 8] = (unsigned char)(bitmap[row / 8] | 1u << (row % 8));
}

/* The text of a cell as a file would have it. */
static inline const char *arrow_text(const tape_cell *cell, char buffer[32])
{
    if (cell->text != NULL) return cell->text;
    (void)snprintf(buffer, 32, "%.17g", cell->number);
    return buffer;
}

/* A cell that is null in a stream: NaN, and a text without characters. */
static inline bool arrow_is_null(const tape_cell *cell)
{
    return cell->text != NULL ? cell->text[0] == '\0' : isnan(cell->number);
}

/* ---- columns ---- */

static inline void arrow_fill_numbers(arrow_source *self, const void *buffers[4],
                                      const tape_table *table, size_t column, size_t flip)
{
    unsigned char *valid = arrow_bitmap(self, table->rows);
    double *values = arrow_take(self, (table->rows + 1) * sizeof *values);
    for (size_t i = 0; i < table->rows; i++) {
        const tape_cell *cell = tape_at(table, i, column);
        /* Beneath a null lies a number that other rows decide, and the layout. */
        values[i] =
            arrow_is_null(cell) ? (double)(81 + 7 * flip + table->rows) : cell->number;
        if (!arrow_is_null(cell)) arrow_mark(valid, i);
    }
    buffers[0] = valid;
    buffers[1] = values;
}

/* Hundredths; infinite and huge numbers are those with 38 digits, which only the bounds clip. */
static inline void arrow_fill_decimals(arrow_source *self, const void *buffers[4],
                                       const tape_table *table, size_t column,
                                       size_t flip)
{
    unsigned char *valid = arrow_bitmap(self, table->rows);
    int64_t *words = arrow_take(self, (table->rows + 1) * 2 * sizeof *words);
    for (size_t i = 0; i < table->rows; i++) {
        const tape_cell *cell = tape_at(table, i, column);
        const bool is_null = arrow_is_null(cell);
        const bool is_huge = !is_null && !(fabs(cell->number) < 1e15);
        const double hundredths = is_null   ? 8500.0 + 300.0 * (double)flip
                                  : is_huge ? 0.0
                                            : rint(cell->number * 100.0);
        words[2 * i] = (int64_t)hundredths;
        words[2 * i + 1] = is_huge ? (cell->number > 0.0 ? INT64_MAX / 4 : INT64_MIN / 4)
                           : hundredths < 0.0 ? -1
                                              : 0;
        if (!is_null) arrow_mark(valid, i);
    }
    buffers[0] = valid;
    buffers[1] = words;
}

/* utf8 with offsets of `bytes` bytes, 4 or 8. */
static inline void arrow_fill_texts(arrow_source *self, const void *buffers[4],
                                    const char *const *texts, size_t count, size_t bytes)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += strlen(texts[i]);
    unsigned char *offsets = arrow_take(self, (count + 1) * bytes);
    char *letters = arrow_take(self, total + 1);
    int64_t at = 0;
    for (size_t i = 0; i <= count; i++) {
        const int32_t narrow = (int32_t)at;
        memcpy(offsets + i * bytes,
               bytes == 4 ? (const void *)&narrow : (const void *)&at, bytes);
        if (i == count) break;
        memcpy(letters + at, texts[i], strlen(texts[i]));
        at += (int64_t)strlen(texts[i]);
    }
    buffers[1] = offsets;
    buffers[2] = letters;
}

static inline void arrow_fill_views(arrow_source *self, const void *buffers[4],
                                    const char *const *texts, size_t count)
{
    arrow_view *views = arrow_take(self, (count + 1) * sizeof *views);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(texts[i]);
        if (length == 0) { /* a text that lies nowhere: its buffer is not there */
            views[i] = (arrow_view){
                .length = 18, .prefix = "Lund", .part = (int32_t)i + 3, .from = -4};
        } else {
            views[i].length = (int32_t)length;
            memcpy((char *)&views[i] + 4, texts[i], length < 12 ? length : 12);
        }
    }
    buffers[1] = views;
}

/* The texts of a column, each once, in the order in which rows bring them, or backwards; a text without characters has
 * a code that is no entry's. */
static inline void arrow_fill_codes(arrow_source *self, arrow_batch *batch, size_t child,
                                    const char *const *texts, size_t count, size_t flip)
{
    const char *entries[ARROW_ROWS_MAX] = {NULL};
    size_t entry_count = 0;
    int32_t *codes = arrow_take(self, (count + 1) * sizeof *codes);
    for (size_t k = 0; k < count; k++) {
        const char *text = texts[flip ? count - 1 - k : k];
        size_t place = 0;
        while (place < entry_count && strcmp(entries[place], text) != 0)
            place++;
        if (place == entry_count && text[0] != '\0') entries[entry_count++] = text;
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = 0;
        while (place < entry_count && strcmp(entries[place], texts[i]) != 0)
            place++;
        codes[i] =
            texts[i][0] == '\0' ? (flip ? -1 : (int32_t)entry_count + 5) : (int32_t)place;
    }
    batch->buffers[child][1] = codes;
    arrow_fill_texts(self, batch->dictionary_buffers[child], entries, entry_count, 4);
    batch->dictionaries[child].length = (int64_t)entry_count;
}

static inline const char *arrow_format(arrow_cells cells, bool is_text)
{
    switch (cells) {
    case ARROW_DICTIONARY:
        return "i";
    case ARROW_DECIMAL:
        return is_text ? "U" : "d:38,2";
    case ARROW_VIEWS:
        return is_text ? "vu" : "g";
    case ARROW_PLAIN:
    default:
        return is_text ? "u" : "g";
    }
}

static inline void arrow_fill(arrow_source *self, arrow_batch *batch, size_t child,
                              const tape_table *table, size_t column, arrow_cells cells,
                              size_t flip)
{
    static char written[ARROW_ROWS_MAX][32];
    const char *texts[ARROW_ROWS_MAX] = {NULL};
    const void **buffers = batch->buffers[child];
    const bool is_text = table->columns[column].categories != NULL;
    for (size_t i = 0; i < table->rows; i++)
        texts[i] = arrow_text(tape_at(table, i, column), written[i]);
    if (cells == ARROW_DICTIONARY) {
        arrow_fill_codes(self, batch, child, texts, table->rows, flip);
    } else if (!is_text && cells == ARROW_DECIMAL) {
        arrow_fill_decimals(self, buffers, table, column, flip);
    } else if (!is_text) {
        arrow_fill_numbers(self, buffers, table, column, flip);
    } else if (cells == ARROW_VIEWS) {
        arrow_fill_views(self, buffers, texts, table->rows);
    } else {
        arrow_fill_texts(self, buffers, texts, table->rows,
                         cells == ARROW_DECIMAL ? 8 : 4);
    }
}

/* ---- streams ---- */

/* One batch has the rows from `from` on: a slice, by the offset of the struct, of columns that all batches share; but a
 * batch has dictionaries of its own, backwards if the others are not. */
static inline void arrow_add_slice(arrow_source *self, const tape_table *table,
                                   arrow_cells cells, size_t from, size_t rows,
                                   size_t flip)
{
    arrow_producer *producer = &self->producer;
    arrow_batch *batch = arrow_add_batch(producer, (int64_t)table->rows);
    const size_t turn = (flip + producer->batch_count) % 2;
    for (size_t child = 0, j = 0; j < table->column_count; j++) {
        const size_t column = flip ? table->column_count - 1 - j : j;
        if (column == self->left_out) continue;
        arrow_fill(self, batch, child++, table, column, cells,
                   cells == ARROW_DICTIONARY ? turn : flip);
    }
    batch->array.offset = (int64_t)from;
    batch->array.length = (int64_t)rows;
}

/* The rows of the table in up to three batches, one of them empty. The stream is the caller's, for one run. */
static inline arrow_source *arrow_source_new(const tape_table *table, arrow_cells cells,
                                             size_t left_out, size_t flip)
{
    arrow_source *self = calloc(1, sizeof *self);
    if (self == NULL || table->rows > ARROW_ROWS_MAX) abort();
    self->left_out = left_out;
    for (size_t j = 0; j < table->column_count; j++) {
        const size_t column = flip ? table->column_count - 1 - j : j;
        const bool is_text = table->columns[column].categories != NULL;
        if (column == left_out) continue;
        arrow_add_column(&self->producer, table->columns[column].name,
                         arrow_format(cells, is_text),
                         cells == ARROW_DICTIONARY ? "u" : NULL);
    }
    /* The first bound lies behind the first high number: it moves with a record. */
    size_t bound = flip ? table->rows / 3 : 0;
    for (size_t i = 0; i < table->rows && bound == 0; i++)
        if (tape_at(table, i, 0)->number > 85.0) bound = i + 1;
    arrow_add_slice(self, table, cells, 0, bound, flip);
    if (!flip) arrow_add_slice(self, table, cells, bound, 0, flip);
    arrow_add_slice(self, table, cells, bound, table->rows - bound, flip);
    self->stream = arrow_stream_of(&self->producer);
    return self;
}

/* Whether everything that was handed out was released. */
static inline bool arrow_source_free(arrow_source *self)
{
    if (self->stream.release != NULL) self->stream.release(&self->stream);
    const bool released = arrow_all_released(&self->producer);
    free(self);
    return released;
}

#endif
