/* A page as one HTML file: no script, nothing fetched, everything escaped, fit to print. */
#include <string.h>

#include "artifact/page/blocks.h"
#include "artifact/page/templates.h"

/* The policy forbids the browser to load or run anything, even if the escaping had a
 * bug. */
static const char head_before_title[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

static const char head_after_title[] = "</title>\n<style>\n";

static const char head_after_style[] = "</style>\n</head>\n<body>\n<main>\n";

static const char foot[] = "</main>\n</body>\n</html>\n";

static void escaped(sot_output *output, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *text != '\0'; text++) {
        const char *found = strchr(special, *text);
        if (found != NULL)
            sot_output_text(output, entities[found - special]);
        else
            sot_output_bytes(output, text, 1);
    }
}

static void element(sot_output *output, const char *open, const char *text,
                    const char *close)
{
    sot_output_text(output, open);
    escaped(output, text);
    sot_output_text(output, close);
}

/* Returns the tags that open before the first and close after the last block of a
 * kind. */
static const char *opening(sot_block_kind kind)
{
    switch (kind) {
    case SOT_BLOCK_FIGURE:
        return "<dl class=\"figures\">\n";
    case SOT_BLOCK_FACT:
        return "<tbody>\n";
    case SOT_BLOCK_ITEM:
        return "<ul>\n";
    case SOT_BLOCK_HEADER:
        return "<thead>\n";
    case SOT_BLOCK_ROW:
        return "<tbody>\n";
    case SOT_BLOCK_NONE:
    case SOT_BLOCK_TITLE:
    case SOT_BLOCK_GOOD_NEWS:
    case SOT_BLOCK_BAD_NEWS:
    case SOT_BLOCK_HEADING:
    case SOT_BLOCK_PARAGRAPH:
        break;
    }
    return "";
}

static const char *closing(sot_block_kind kind, sot_block_kind next)
{
    switch (kind) {
    case SOT_BLOCK_FIGURE:
        return "</dl>\n";
    case SOT_BLOCK_FACT:
    case SOT_BLOCK_ROW:
        return "</tbody>\n</table>\n";
    case SOT_BLOCK_ITEM:
        return "</ul>\n";
    case SOT_BLOCK_HEADER:
        return next == SOT_BLOCK_ROW ? "</thead>\n" : "</thead>\n</table>\n";
    case SOT_BLOCK_NONE:
    case SOT_BLOCK_TITLE:
    case SOT_BLOCK_GOOD_NEWS:
    case SOT_BLOCK_BAD_NEWS:
    case SOT_BLOCK_HEADING:
    case SOT_BLOCK_PARAGRAPH:
        break;
    }
    return "";
}

/* As a part of a page, a table with columns stands in a box that scrolls sideways where the screen
 * is narrow, reachable by keyboard. */
static void open_blocks(sot_output *output, sot_block_kind kind, bool is_part,
                        const char *heading)
{
    if (is_part && kind == SOT_BLOCK_HEADER) {
        element(output, "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"",
                heading, "\">\n");
    }
    if (kind == SOT_BLOCK_FACT || kind == SOT_BLOCK_HEADER) {
        sot_output_text(output, kind == SOT_BLOCK_FACT ? "<table class=\"facts\">\n"
                                                       : "<table>\n");
        if (*heading != '\0')
            element(output, "<caption class=\"unseen\">", heading, "</caption>\n");
    }
    sot_output_text(output, opening(kind));
}

static void close_blocks(sot_output *output, sot_block_kind kind, bool is_part,
                         sot_block_kind next)
{
    sot_output_text(output, closing(kind, next));
    if (is_part &&
        (kind == SOT_BLOCK_ROW || (kind == SOT_BLOCK_HEADER && next != SOT_BLOCK_ROW)))
        sot_output_text(output, "</div>\n");
}

static void cells(sot_output *output, const sot_block *block, const char *open,
                  const char *close)
{
    sot_output_text(output, "<tr>");
    for (size_t i = 0; i < block->count; i++)
        element(output, open, block->cells[i], close);
    sot_output_text(output, "</tr>\n");
}

static void news(sot_output *output, const sot_block *block, const char *open)
{
    element(output, open, block->cells[0], "</strong>");
    element(output, "<span>", block->cells[1], "</span></div>\n");
}

static void block_as_html(sot_output *output, const sot_block *block)
{
    switch (block->kind) {
    case SOT_BLOCK_TITLE:
        element(output, "<h1>", block->cells[0], "</h1>\n");
        break;
    case SOT_BLOCK_GOOD_NEWS:
        news(output, block, "<div class=\"news good\"><strong>");
        break;
    case SOT_BLOCK_BAD_NEWS:
        news(output, block, "<div class=\"news bad\" role=\"alert\"><strong>");
        break;
    case SOT_BLOCK_PARAGRAPH:
        element(output, "<p>", block->cells[0], "</p>\n");
        break;
    case SOT_BLOCK_FIGURE:
        element(output, "<div><dt>", block->cells[0], "</dt>");
        element(output, "<dd>", block->cells[1], "</dd></div>\n");
        break;
    case SOT_BLOCK_FACT:
        element(output, "<tr><th scope=\"row\">", block->cells[0], "</th>");
        element(output, "<td>", block->cells[1], "</td></tr>\n");
        break;
    case SOT_BLOCK_ITEM:
        element(output, "<li>", block->cells[0], "</li>\n");
        break;
    case SOT_BLOCK_HEADER:
        cells(output, block, "<th scope=\"col\">", "</th>");
        break;
    case SOT_BLOCK_ROW:
        cells(output, block, "<td>", "</td>");
        break;
    case SOT_BLOCK_HEADING:
    case SOT_BLOCK_NONE:
        break;
    }
}

/* Writes only the blocks. A table is named after the heading above it, for screen
 * readers. */
static void blocks_as_html(const sot_page *page, bool is_part, sot_output *output)
{
    const char *heading = "";
    sot_block_kind before = SOT_BLOCK_NONE;
    for (size_t i = 0; i <= page->count; i++) {
        const sot_block *block = i < page->count ? &page->blocks[i] : NULL;
        const sot_block_kind kind = block != NULL ? block->kind : SOT_BLOCK_NONE;
        if (kind != before || kind == SOT_BLOCK_HEADER) {
            close_blocks(output, before, is_part, kind);
            open_blocks(output, kind, is_part, heading);
        }
        if (block != NULL && kind == SOT_BLOCK_HEADING) {
            heading = block->cells[0];
            element(output, is_part ? "<h3>" : "<h2>", heading,
                    is_part ? "</h3>\n" : "</h2>\n");
        } else if (block != NULL) {
            block_as_html(output, block);
        }
        before = kind;
    }
}

void sot_page_as_html_part(const sot_page *page, sot_output *output)
{
    blocks_as_html(page, true, output);
}

void sot_page_as_html(const sot_page *page, sot_output *output)
{
    const char *title = "sotto";
    for (size_t i = 0; i < page->count; i++) {
        if (page->blocks[i].kind != SOT_BLOCK_TITLE) continue;
        title = page->blocks[i].cells[0];
        break;
    }
    element(output, head_before_title, title, head_after_title);
    sot_output_text(output, sot_template_page_css);
    sot_output_text(output, head_after_style);
    blocks_as_html(page, false, output);
    sot_output_text(output, foot);
}
