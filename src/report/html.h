/* report/html.h: the few elements of a report, written into a growing text.
 *
 * Every text that is not a literal goes through sot_html_text(). Markup is escaped. Bytes that
 * could hide or forge text (artifact/page/plain.h), or are not UTF-8, become '?'.
 */
#ifndef SOT_REPORT_HTML_H
#define SOT_REPORT_HTML_H

#include "base/growing.h"

/* Longest text that sot_html_say() and similar functions format; longer ones are
 * truncated. */
enum { SOT_HTML_TEXT_BYTES = 4608 };

void sot_html_text(sot_growing *out, const char *text);

/* `open`, the text, `close`: markup of ours around a text of anybody's. */
void sot_html_element(sot_growing *out, const char *open, const char *text,
                      const char *close);

/* The same for prose: a line does not end within an option, a date or a number such as 1e-6. Not for attributes and titles. */
void sot_html_prose(sot_growing *out, const char *open, const char *text,
                    const char *close);

/* A paragraph, an item of a list, of formatted text. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sot_html_say(sot_growing *out, const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sot_html_item(sot_growing *out, const char *format, ...);

/* A section with its heading; `id` is unique in the page. */
void sot_html_section_open(sot_growing *out, const char *id, const char *title);
void sot_html_section_close(sot_growing *out);

/* Large figures: open, any number of them, close. `note` may be "". */
void sot_html_figures_open(sot_growing *out);
void sot_html_figure(sot_growing *out, const char *label, const char *value,
                     const char *note);
void sot_html_figures_close(sot_growing *out);

/* A table in a box that scrolls sideways where the screen is narrow, reachable by keyboard. The first
 * cell of each row is its header. `kind` is a class of the page's style, or "". */
void sot_html_table_open(sot_growing *out, const char *kind, const char *caption,
                         const char *const *header, size_t columns);
void sot_html_row(sot_growing *out, const char *kind, const char *const *cells,
                  size_t columns);
void sot_html_table_close(sot_growing *out);

#endif
