/* artifact/page/blocks.h: between a page and its renderers. */
#ifndef SOT_ARTIFACT_PAGE_BLOCKS_H
#define SOT_ARTIFACT_PAGE_BLOCKS_H

#include <stdbool.h>

#include "artifact/page/page.h"

typedef enum sot_block_kind {
    SOT_BLOCK_NONE = 0,
    SOT_BLOCK_TITLE,
    SOT_BLOCK_GOOD_NEWS,
    SOT_BLOCK_BAD_NEWS,
    SOT_BLOCK_HEADING,
    SOT_BLOCK_PARAGRAPH,
    SOT_BLOCK_FIGURE,
    SOT_BLOCK_FACT,
    SOT_BLOCK_ITEM,
    SOT_BLOCK_HEADER,
    SOT_BLOCK_ROW
} sot_block_kind;

typedef struct sot_block {
    sot_block_kind kind;
    size_t count; /* of cells */
    char *cells[SOT_PAGE_COLUMNS];
} sot_block;

struct sot_page {
    sot_block *blocks;
    size_t count, capacity;
    sotto_error sticky;
};

/* Text under construction; failure sticks. */
typedef struct sot_output {
    char *text;
    size_t size_bytes, capacity_bytes;
    bool failed;
} sot_output;

void sot_output_bytes(sot_output *output, const char *bytes, size_t size_bytes);
void sot_output_text(sot_output *output, const char *text);
void sot_output_repeat(sot_output *output, char letter, size_t times);

/* Number of characters (code points) of a UTF-8 text. */
size_t sot_text_width(const char *text);

void sot_page_as_text(const sot_page *page, sot_output *output);
void sot_page_as_markdown(const sot_page *page, sot_output *output);
void sot_page_as_html(const sot_page *page, sot_output *output);
/* Writes only the blocks, for a section of a larger page: headings are h3. */
void sot_page_as_html_part(const sot_page *page, sot_output *output);

#endif
