/* A page as one HTML file: no script, nothing fetched, everything escaped, fit to print. */
#include "release/page_blocks.h"

/* The policy forbids the browser to load or run anything, whatever else went wrong. */
static const char head_before_title[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

static const char head_after_title[] =
    "</title>\n"
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--paper:#fff;"
    "--desk:#f3f4f6;--line:#d8dee4;--good:#0f6b3a;--good-bg:#eaf6ef;--bad:#a40e26;"
    "--bad-bg:#fdecee}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--dim:#9aa4af;"
    "--paper:#171b21;--desk:#0e1116;--line:#30363d;--good:#6fd19b;--good-bg:#10291c;"
    "--bad:#ff8a96;--bad-bg:#34141a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--desk);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\n"
    "main{max-width:50rem;margin:2rem auto;padding:2.5rem 3rem;background:var(--paper);"
    "border:1px solid var(--line);border-radius:8px}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:0 0 1.2rem}\n"
    "h2{font-size:1.05rem;margin:2.2rem 0 .6rem;padding-top:1.2rem;"
    "border-top:1px solid var(--line)}\n"
    "p{margin:.6rem 0}\n"
    ".news{margin:1.2rem 0;padding:.8rem 1.1rem;border-left:5px "
    "solid;border-radius:4px}\n"
    ".news strong{display:block;font-size:1.1rem}\n"
    ".news span{color:var(--ink);overflow-wrap:anywhere}\n"
    ".news+p{font-size:1.1rem}\n"
    ".good{color:var(--good);background:var(--good-bg)}\n"
    ".bad{color:var(--bad);background:var(--bad-bg)}\n"
    ".bad strong{font-size:1.35rem;letter-spacing:.03em}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.2rem 0;padding:0}\n"
    ".figures div{flex:1 1 9rem;padding:.8rem 1rem;border:1px solid var(--line);"
    "border-radius:6px}\n"
    ".figures dt{color:var(--dim);font-size:.85rem}\n"
    ".figures dd{margin:0;font-size:1.5rem;font-weight:600;"
    "font-variant-numeric:tabular-nums}\n"
    "table{width:100%;border-collapse:collapse;margin:.6rem 0;font-size:.94rem}\n"
    "th,td{padding:.4rem .8rem .4rem 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line);overflow-wrap:anywhere}\n"
    "thead th{color:var(--dim);font-weight:600;font-size:.85rem}\n"
    "td{font-variant-numeric:tabular-nums}\n"
    ".facts th{width:11rem;color:var(--dim);font-weight:500}\n"
    ".unseen{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%);white-space:nowrap}\n"
    "ul{margin:.6rem 0;padding-left:1.3rem}\n"
    "li{margin:.25rem 0}\n"
    "@media (max-width:40rem){main{margin:0;padding:1.2rem;border:0;border-radius:0}"
    ".facts th{width:7rem}}\n"
    "@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--paper:#fff;"
    "--desk:#fff;--line:#bbb;--good:#0f6b3a;--good-bg:#fff;--bad:#a40e26;--bad-bg:#fff}"
    "html{font-size:9.5pt}body{font-size:1rem}h2{margin-top:1rem;padding-top:.7rem}"
    "p+ul{break-before:avoid}th,td{padding-top:.25rem;padding-bottom:.25rem}main{margin:"
    "0;padding:0;border:0;max-width:none}"
    "h2{break-after:avoid}tr,.news,.figures div{break-inside:avoid}"
    ".news{border:1px solid}@page{margin:18mm}}\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n";

static const char foot[] = "</main>\n</body>\n</html>\n";

static void escaped(sot_output *output, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            sot_output_text(output, "&amp;");
            break;
        case '<':
            sot_output_text(output, "&lt;");
            break;
        case '>':
            sot_output_text(output, "&gt;");
            break;
        case '"':
            sot_output_text(output, "&quot;");
            break;
        case '\'':
            sot_output_text(output, "&#39;");
            break;
        default:
            sot_output_bytes(output, text, 1);
        }
    }
}

static void element(sot_output *output, const char *open, const char *text,
                    const char *close)
{
    sot_output_text(output, open);
    escaped(output, text);
    sot_output_text(output, close);
}

/* What opens before the first and closes after the last block of a kind. */
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

/* The blocks alone. A table is named after the heading above it: for those who do not see it. */
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
    blocks_as_html(page, false, output);
    sot_output_text(output, foot);
}
