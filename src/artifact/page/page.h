/* artifact/page/page.h: a document for people, written once and rendered as text, Markdown or HTML.
 *
 * A page is a list of blocks. Adjacent blocks of one kind belong together: facts make a table of
 * labels and values, items a list, rows a table below its header. Texts are copied. Bytes that
 * could hide or forge lines in a terminal, and bytes that are not UTF-8, become '?'. An error is
 * kept, and sot_page_render() reports it.
 */
#ifndef SOT_ARTIFACT_PAGE_PAGE_H
#define SOT_ARTIFACT_PAGE_PAGE_H

#include <stddef.h>

#include <sotto/certificate.h>

typedef struct sot_page sot_page;

SOTTO_MUST_CHECK sotto_status sot_page_new(sot_page **out_page, sotto_error *error);
void sot_page_free(sot_page *page); /* NULL is fine */

void sot_page_title(sot_page *page, const char *text);
void sot_page_good_news(sot_page *page, const char *title, const char *text);
void sot_page_bad_news(sot_page *page, const char *title, const char *text);
void sot_page_heading(sot_page *page, const char *text);
void sot_page_paragraph(sot_page *page, const char *text);
void sot_page_figure(sot_page *page, const char *label, const char *value); /* large */
void sot_page_fact(sot_page *page, const char *label, const char *value);
void sot_page_item(sot_page *page, const char *text);

/* A table of at most SOT_PAGE_COLUMNS columns: a header, then rows of as many cells. */
enum { SOT_PAGE_COLUMNS = 6 };
void sot_page_header(sot_page *page, size_t columns, const char *const *cells);
void sot_page_row(sot_page *page, size_t columns, const char *const *cells);

/* The whole document, NUL-terminated; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_page_render(const sot_page *page,
                                              sotto_certificate_form form,
                                              char **out_text, sotto_error *error);

/* Renders only the blocks as HTML, for a section of a larger page: headings are h3. */
SOTTO_MUST_CHECK sotto_status sot_page_render_part(const sot_page *page, char **out_html,
                                                   sotto_error *error);

#endif
