/* A page as Markdown (CommonMark with the tables of GitHub). */
#include <string.h>

#include "artifact/page/blocks.h"

/* Every character that could begin markup is escaped, wherever it stands: the text then means
 * itself in every renderer. & and < would begin HTML. */
static void escaped(sot_output *output, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&') {
            sot_output_text(output, "&amp;");
        } else if (*text == '<') {
            sot_output_text(output, "&lt;");
        } else {
            if (strchr("\\`*_{}[]#|>~$!^", *text) != NULL) sot_output_text(output, "\\");
            sot_output_bytes(output, text, 1);
        }
    }
}

/* At the start of a line + - and digits with a point would begin a list. */
static void escaped_line(sot_output *output, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    if (*text == '+' || *text == '-' || *text == '=') {
        sot_output_text(output, "\\");
    } else if (digits > 0 && (text[digits] == '.' || text[digits] == ')')) {
        sot_output_bytes(output, text, digits);
        sot_output_text(output, "\\");
        text += digits;
    }
    escaped(output, text);
}

static void line(sot_output *output, const char *before, const char *text,
                 const char *after)
{
    sot_output_text(output, before);
    escaped_line(output, text);
    sot_output_text(output, after);
}

static void row(sot_output *output, const sot_block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        sot_output_text(output, "| ");
        escaped(output, block->cells[i]);
        sot_output_text(output, " ");
    }
    sot_output_text(output, "|\n");
}

static void rule(sot_output *output, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        sot_output_text(output, "|---");
    sot_output_text(output, "|\n");
}

static void news(sot_output *output, const sot_block *block)
{
    line(output, "> **", block->cells[0], "**\n>\n");
    line(output, "> ", block->cells[1], "\n");
}

static bool is_pair(sot_block_kind kind)
{
    return kind == SOT_BLOCK_FIGURE || kind == SOT_BLOCK_FACT;
}

static void block_as_markdown(sot_output *output, const sot_block *block,
                              sot_block_kind before)
{
    switch (block->kind) {
    case SOT_BLOCK_TITLE:
        line(output, "# ", block->cells[0], "\n");
        break;
    case SOT_BLOCK_HEADING:
        line(output, "## ", block->cells[0], "\n");
        break;
    case SOT_BLOCK_GOOD_NEWS:
    case SOT_BLOCK_BAD_NEWS:
        news(output, block);
        break;
    case SOT_BLOCK_PARAGRAPH:
        line(output, "", block->cells[0], "\n");
        break;
    case SOT_BLOCK_FIGURE:
    case SOT_BLOCK_FACT:
        if (!is_pair(before)) sot_output_text(output, "| | |\n|---|---|\n");
        row(output, block);
        break;
    case SOT_BLOCK_ITEM:
        line(output, "- ", block->cells[0], "\n");
        break;
    case SOT_BLOCK_HEADER:
        row(output, block);
        rule(output, block->count);
        break;
    case SOT_BLOCK_ROW:
        row(output, block);
        break;
    case SOT_BLOCK_NONE:
        break;
    }
}

void sot_page_as_markdown(const sot_page *page, sot_output *output)
{
    sot_block_kind before = SOT_BLOCK_NONE;
    for (size_t i = 0; i < page->count; i++) {
        const sot_block *block = &page->blocks[i];
        const bool together = (is_pair(before) && is_pair(block->kind)) ||
                              (before == block->kind && block->kind == SOT_BLOCK_ITEM) ||
                              block->kind == SOT_BLOCK_ROW || before == SOT_BLOCK_NONE;
        if (!together) sot_output_text(output, "\n");
        block_as_markdown(output, block, before);
        before = block->kind;
    }
}
