#include "report/html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "artifact/page/plain.h"
#include "base/text.h"

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static void add_text(sot_growing *out, const char *text, size_t size)
{
    for (size_t i = 0, length; i < size; i += length) {
        length = sot_utf8_length(text + i, size - i);
        if (length == 0 || sot_is_hidden(text + i, length)) {
            sot_growing_text(out, "?");
            if (length == 0) length = 1;
        } else if (text[i] == ' ' && i > 0 && is_digit(text[i - 1]) &&
                   is_digit(text[i + 1])) {
            sot_growing_text(out, "&nbsp;"); /* 1 000 000 stays on its line */
        } else {
            sot_growing_markup(out, text + i, length);
        }
    }
}

void sot_html_text(sot_growing *out, const char *text)
{
    add_text(out, text, strlen(text));
}

enum { KEPT_BYTES = 32 };

/* An option, a date or a number such as 1e-6: a line must not end at its hyphen. */
static bool is_kept(const char *word, size_t length)
{
    bool has_hyphen = false, has_digit = false, has_two = false;
    for (size_t i = 0; i < length; i++) {
        has_two = has_two || (i > 0 && word[i] == '-' && word[i - 1] == '-');
        has_hyphen = has_hyphen || word[i] == '-';
        has_digit = has_digit || is_digit(word[i]);
    }
    return has_hyphen && (has_two || has_digit) && length <= KEPT_BYTES;
}

/* Prose, in which each such word stays on its line. */
static void add_prose(sot_growing *out, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        const bool keeps = is_kept(text, length);
        const size_t size = length + strspn(text + length, " ");
        if (keeps) sot_growing_text(out, "<span class=\"kept\">");
        add_text(out, text, keeps ? length : size);
        if (keeps) sot_growing_text(out, "</span>");
        text += keeps ? length : size;
    }
}

void sot_html_prose(sot_growing *out, const char *open, const char *text,
                    const char *close)
{
    sot_growing_text(out, open);
    add_prose(out, text);
    sot_growing_text(out, close);
}

void sot_html_element(sot_growing *out, const char *open, const char *text,
                      const char *close)
{
    sot_growing_text(out, open);
    sot_html_text(out, text);
    sot_growing_text(out, close);
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
static void
say(sot_growing *out, const char *open, const char *close, const char *format,
    va_list arguments)
{
    char text[SOT_HTML_TEXT_BYTES];
    (void)vsnprintf(text, sizeof text, format, arguments);
    sot_html_prose(out, open, text, close);
}

void sot_html_say(sot_growing *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(out, "<p>", "</p>\n", format, arguments);
    va_end(arguments);
}

void sot_html_item(sot_growing *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(out, "<li>", "</li>\n", format, arguments);
    va_end(arguments);
}

void sot_html_section_open(sot_growing *out, const char *id, const char *title)
{
    sot_growing_format(out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
    sot_html_element(out, "", title, "</h2>\n");
}

void sot_html_section_close(sot_growing *out)
{
    sot_growing_text(out, "</section>\n");
}

void sot_html_figures_open(sot_growing *out)
{
    sot_growing_text(out, "<dl class=\"figures\">\n");
}

void sot_html_figure(sot_growing *out, const char *label, const char *value,
                     const char *note)
{
    sot_html_element(out, "<div><dt>", label, "</dt>");
    sot_html_element(out, "<dd>", value, "</dd>");
    if (*note != '\0') sot_html_element(out, "<dd class=\"note\">", note, "</dd>");
    sot_growing_text(out, "</div>\n");
}

void sot_html_figures_close(sot_growing *out)
{
    sot_growing_text(out, "</dl>\n");
}

void sot_html_table_open(sot_growing *out, const char *kind, const char *caption,
                         const char *const *header, size_t columns)
{
    sot_html_element(out,
                     "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"",
                     caption, "\">\n");
    sot_growing_format(out, "<table class=\"%s\">\n", kind);
    sot_html_element(out, "<caption>", caption, "</caption>\n<thead>\n<tr>");
    for (size_t i = 0; i < columns; i++)
        sot_html_element(out, "<th scope=\"col\">", header[i], "</th>");
    sot_growing_text(out, "</tr>\n</thead>\n<tbody>\n");
}

void sot_html_row(sot_growing *out, const char *kind, const char *const *cells,
                  size_t columns)
{
    sot_growing_format(out, "<tr class=\"%s\">", kind);
    for (size_t i = 0; i < columns; i++)
        sot_html_prose(out, i == 0 ? "<th scope=\"row\">" : "<td>", cells[i],
                       i == 0 ? "</th>" : "</td>");
    sot_growing_text(out, "</tr>\n");
}

void sot_html_table_close(sot_growing *out)
{
    sot_growing_text(out, "</tbody>\n</table>\n</div>\n");
}
