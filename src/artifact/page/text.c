/* A page as plain text of 80 columns. */
#include <string.h>

#include "artifact/page/blocks.h"

enum { WIDTH = 80, LABEL_WIDTH = 14, GAP = 2 };

/* Bytes of the next word and its width; blanks before it are skipped by the caller. */
static size_t word_bytes(const char *text)
{
    return strcspn(text, " ");
}

static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

/* Wraps `text` from column `at`, further lines indented by `indent`; a word longer than a line
 * stays whole. */
static void wrap(sot_output *output, const char *text, size_t at, size_t indent)
{
    bool first = true;
    for (text += strspn(text, " "); *text != '\0';) {
        const size_t bytes = word_bytes(text), width = width_of(text, bytes);
        if (!first && at + 1 + width > WIDTH) {
            sot_output_text(output, "\n");
            sot_output_repeat(output, ' ', indent);
            at = indent;
        } else if (!first) {
            sot_output_text(output, " ");
            at++;
        }
        sot_output_bytes(output, text, bytes);
        at += width;
        first = false;
        text += bytes;
        text += strspn(text, " ");
    }
    sot_output_text(output, "\n");
}

static void underlined(sot_output *output, const char *text, char line)
{
    sot_output_text(output, text);
    sot_output_text(output, "\n");
    sot_output_repeat(output, line, sot_text_width(text));
    sot_output_text(output, "\n");
}

static void labelled(sot_output *output, const char *label, const char *value)
{
    const size_t width = sot_text_width(label);
    sot_output_text(output, label);
    const size_t gap = width < LABEL_WIDTH ? LABEL_WIDTH - width + GAP : GAP;
    sot_output_repeat(output, ' ', gap);
    wrap(output, value, width + gap, LABEL_WIDTH + GAP);
}

static void news(sot_output *output, const sot_block *block, char frame)
{
    sot_output_repeat(output, frame, WIDTH);
    sot_output_text(output, "\n");
    wrap(output, block->cells[0], 0, 0);
    wrap(output, block->cells[1], 0, 0);
    sot_output_repeat(output, frame, WIDTH);
    sot_output_text(output, "\n");
}

/* ---- tables ---- */

/* The end of the table whose header is block `first`. */
static size_t end_of_table(const sot_page *page, size_t first)
{
    size_t end = first + 1;
    while (end < page->count && page->blocks[end].kind == SOT_BLOCK_ROW)
        end++;
    return end;
}

static void table_row(sot_output *output, const sot_block *row, const size_t *widths)
{
    size_t at = 0, column = 0;
    for (size_t i = 0; i + 1 < row->count; i++) {
        sot_output_text(output, row->cells[i]);
        const size_t width = sot_text_width(row->cells[i]);
        column += widths[i] + GAP;
        at += width;
        sot_output_repeat(output, ' ', column > at ? column - at : GAP);
        at = column > at ? column : at + GAP;
    }
    wrap(output, row->cells[row->count - 1], at, column);
}

/* Columns as wide as their widest cell; the last one wraps. */
static void table(const sot_page *page, size_t first, size_t end, sot_output *output)
{
    size_t widths[SOT_PAGE_COLUMNS] = {0};
    for (size_t i = first; i < end; i++) {
        for (size_t j = 0; j < page->blocks[i].count; j++) {
            const size_t width = sot_text_width(page->blocks[i].cells[j]);
            if (width > widths[j]) widths[j] = width;
        }
    }
    const sot_block *header = &page->blocks[first];
    size_t line = 0;
    for (size_t j = 0; j < header->count; j++)
        line += widths[j] + (j > 0 ? GAP : 0);
    table_row(output, header, widths);
    sot_output_repeat(output, '-', line < WIDTH ? line : WIDTH);
    sot_output_text(output, "\n");
    for (size_t i = first + 1; i < end; i++)
        table_row(output, &page->blocks[i], widths);
}

static bool stand_together(sot_block_kind before, sot_block_kind kind)
{
    return before == SOT_BLOCK_NONE || before == SOT_BLOCK_HEADING ||
           (before == kind && (kind == SOT_BLOCK_FIGURE || kind == SOT_BLOCK_FACT ||
                               kind == SOT_BLOCK_ITEM)) ||
           (before == SOT_BLOCK_FIGURE && kind == SOT_BLOCK_FACT);
}

static void block_as_text(sot_output *output, const sot_block *block)
{
    switch (block->kind) {
    case SOT_BLOCK_TITLE:
        underlined(output, block->cells[0], '=');
        break;
    case SOT_BLOCK_HEADING:
        underlined(output, block->cells[0], '-');
        break;
    case SOT_BLOCK_GOOD_NEWS:
        news(output, block, '-');
        break;
    case SOT_BLOCK_BAD_NEWS:
        news(output, block, '*');
        break;
    case SOT_BLOCK_PARAGRAPH:
        wrap(output, block->cells[0], 0, 0);
        break;
    case SOT_BLOCK_FIGURE:
    case SOT_BLOCK_FACT:
        labelled(output, block->cells[0], block->cells[1]);
        break;
    case SOT_BLOCK_ITEM:
        sot_output_text(output, "- ");
        wrap(output, block->cells[0], 2, 2);
        break;
    case SOT_BLOCK_HEADER:
    case SOT_BLOCK_ROW:
    case SOT_BLOCK_NONE:
        break;
    }
}

void sot_page_as_text(const sot_page *page, sot_output *output)
{
    sot_block_kind before = SOT_BLOCK_NONE;
    for (size_t i = 0; i < page->count;) {
        const sot_block *block = &page->blocks[i];
        if (!stand_together(before, block->kind)) sot_output_text(output, "\n");
        before = block->kind;
        if (block->kind == SOT_BLOCK_HEADER) {
            const size_t end = end_of_table(page, i);
            table(page, i, end, output);
            i = end;
        } else {
            block_as_text(output, block);
            i++;
        }
    }
}
