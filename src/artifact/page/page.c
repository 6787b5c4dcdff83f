#include "artifact/page/page.h"

#include <assert.h>
#include <string.h>

#include "artifact/page/blocks.h"
#include "artifact/page/plain.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

sotto_status sot_page_new(sot_page **out_page, sotto_error *error)
{
    sot_page *page = sot_new_array(1, sizeof *page);
    if (page == NULL) return sot_fail_memory(error, 1, sizeof *page);
    *out_page = page;
    return SOTTO_OK;
}

void sot_page_free(sot_page *page)
{
    if (page == NULL) return;
    for (size_t i = 0; i < page->count; i++) {
        for (size_t j = 0; j < page->blocks[i].count; j++)
            sot_free(page->blocks[i].cells[j]);
    }
    sot_free(page->blocks);
    sot_free(page);
}

static sot_block *new_block(sot_page *page)
{
    if (page->count == page->capacity) {
        const size_t capacity = page->capacity == 0 ? 32 : 2 * page->capacity;
        sot_block *blocks = sot_resize_array(page->blocks, page->capacity, capacity,
                                             sizeof *page->blocks);
        if (blocks == NULL) return NULL;
        page->blocks = blocks;
        page->capacity = capacity;
    }
    return &page->blocks[page->count++];
}

static void add(sot_page *page, sot_block_kind kind, size_t count,
                const char *const *cells)
{
    if (page->sticky.status != SOTTO_OK) return;
    assert(count >= 1 && count <= SOT_PAGE_COLUMNS);
    sot_block *block = new_block(page);
    if (block == NULL) {
        (void)sot_fail_memory(&page->sticky, 2 * page->capacity, sizeof *block);
        return;
    }
    block->kind = kind;
    for (; block->count < count; block->count++) {
        block->cells[block->count] = sot_plain_copy(cells[block->count]);
        if (block->cells[block->count] == NULL) {
            (void)sot_fail_memory(&page->sticky, strlen(cells[block->count]) + 1, 1);
            return;
        }
    }
}

static void add_one(sot_page *page, sot_block_kind kind, const char *text)
{
    add(page, kind, 1, &text);
}

static void add_two(sot_page *page, sot_block_kind kind, const char *first,
                    const char *second)
{
    const char *const cells[] = {first, second};
    add(page, kind, 2, cells);
}

void sot_page_title(sot_page *page, const char *text)
{
    add_one(page, SOT_BLOCK_TITLE, text);
}

void sot_page_good_news(sot_page *page, const char *title, const char *text)
{
    add_two(page, SOT_BLOCK_GOOD_NEWS, title, text);
}

void sot_page_bad_news(sot_page *page, const char *title, const char *text)
{
    add_two(page, SOT_BLOCK_BAD_NEWS, title, text);
}

void sot_page_heading(sot_page *page, const char *text)
{
    add_one(page, SOT_BLOCK_HEADING, text);
}

void sot_page_paragraph(sot_page *page, const char *text)
{
    add_one(page, SOT_BLOCK_PARAGRAPH, text);
}

void sot_page_figure(sot_page *page, const char *label, const char *value)
{
    add_two(page, SOT_BLOCK_FIGURE, label, value);
}

void sot_page_fact(sot_page *page, const char *label, const char *value)
{
    add_two(page, SOT_BLOCK_FACT, label, value);
}

void sot_page_item(sot_page *page, const char *text)
{
    add_one(page, SOT_BLOCK_ITEM, text);
}

void sot_page_header(sot_page *page, size_t columns, const char *const *cells)
{
    add(page, SOT_BLOCK_HEADER, columns, cells);
}

void sot_page_row(sot_page *page, size_t columns, const char *const *cells)
{
    add(page, SOT_BLOCK_ROW, columns, cells);
}

/* ---- output ---- */

void sot_output_bytes(sot_output *output, const char *bytes, size_t size_bytes)
{
    size_t needed, doubled;
    if (output->failed) return;
    if (!sot_size_add(output->size_bytes, size_bytes + 1, &needed) ||
        !sot_size_mul(needed, 2, &doubled)) {
        output->failed = true;
        return;
    }
    if (needed > output->capacity_bytes) {
        char *grown = sot_resize_array(output->text, output->capacity_bytes, doubled, 1);
        if (grown == NULL) {
            output->failed = true;
            return;
        }
        output->text = grown;
        output->capacity_bytes = doubled;
    }
    memcpy(output->text + output->size_bytes, bytes, size_bytes);
    output->size_bytes += size_bytes;
    output->text[output->size_bytes] = '\0';
}

void sot_output_text(sot_output *output, const char *text)
{
    sot_output_bytes(output, text, strlen(text));
}

void sot_output_repeat(sot_output *output, char letter, size_t times)
{
    while (times-- > 0)
        sot_output_bytes(output, &letter, 1);
}

size_t sot_text_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static sotto_status finish_output(sot_output *output, char **out_text, sotto_error *error)
{
    if (output->failed) {
        sot_free(output->text);
        return sot_fail_memory(error, 2 * output->capacity_bytes, 1);
    }
    *out_text = output->text;
    return SOTTO_OK;
}

sotto_status sot_page_render(const sot_page *page, sotto_certificate_form form,
                             char **out_text, sotto_error *error)
{
    sot_output output = {.text = NULL};
    if (page->sticky.status != SOTTO_OK) {
        return sot_fail(error, page->sticky.status, "%s", page->sticky.message);
    }
    switch (form) {
    case SOTTO_CERTIFICATE_TEXT:
        sot_page_as_text(page, &output);
        break;
    case SOTTO_CERTIFICATE_MARKDOWN:
        sot_page_as_markdown(page, &output);
        break;
    case SOTTO_CERTIFICATE_HTML:
        sot_page_as_html(page, &output);
        break;
    default:
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "form is %d; give SOTTO_CERTIFICATE_TEXT, _MARKDOWN or _HTML",
                        (int)form);
    }
    return finish_output(&output, out_text, error);
}

sotto_status sot_page_render_part(const sot_page *page, char **out_html,
                                  sotto_error *error)
{
    sot_output output = {.text = NULL};
    if (page->sticky.status != SOTTO_OK)
        return sot_fail(error, page->sticky.status, "%s", page->sticky.message);
    sot_page_as_html_part(page, &output);
    return finish_output(&output, out_html, error);
}
