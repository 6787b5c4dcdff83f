#include "base/svg.h"
#include "base/svg_parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ticks of one axis: enough for a decade of decades. */
enum { TICKS_WANTED = 5, TICKS_MAX = 16, LABEL_BYTES = 48 };

/* --- text and numbers --- */

void sot_svg_add_escaped(sot_growing *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        sot_growing_markup(out, at, 1);
}

/* One decimal, without the locale's idea of a decimal point. */
void sot_svg_add_tenths(sot_growing *out, double value)
{
    const long tenths = lround(value * 10.0);
    const long size = tenths < 0 ? -tenths : tenths;
    sot_growing_format(out, "%s%ld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10 != 0) sot_growing_format(out, ".%ld", size % 10);
}

void sot_svg_add_place(sot_growing *out, const char *name, double value)
{
    sot_growing_format(out, " %s=\"", name);
    sot_svg_add_tenths(out, value);
    sot_growing_text(out, "\"");
}

/* --- axes --- */

/* Returns 0 at the start of the axis to 1 at its end; NaN for a value without a place. */
static double share_of(const sot_svg_axis *axis, double value)
{
    if (!isfinite(value)) return NAN;
    if (!axis->is_log) {
        const double share = (value - axis->least) / (axis->most - axis->least);
        return fmin(fmax(share, 0.0), 1.0);
    }
    if (!(value > 0.0)) return NAN;
    const double share = log(value / axis->least) / log(axis->most / axis->least);
    return fmin(fmax(share, 0.0), 1.0);
}

static double x_of(const sot_svg_panel *panel, double value)
{
    return panel->left + panel->width * share_of(&panel->x, value);
}

static double y_of(const sot_svg_panel *panel, double value)
{
    return panel->top + panel->height * (1.0 - share_of(&panel->y, value));
}

typedef struct ticks {
    size_t count;
    double values[TICKS_MAX];
    char labels[TICKS_MAX][LABEL_BYTES];
} ticks;

/* A tick is a whole number times 10^exponent, so its label is exact. */
static void label_tick(long multiple, int exponent, char label[LABEL_BYTES])
{
    if (multiple < 0) {
        char size[LABEL_BYTES];
        label_tick(-multiple, exponent, size);
        (void)snprintf(label, LABEL_BYTES, "-%.40s", size);
        return;
    }
    if (multiple == 0) {
        (void)snprintf(label, LABEL_BYTES, "0");
    } else if (exponent >= 0 && exponent <= 3) {
        for (int i = 0; i < exponent; i++)
            multiple *= 10;
        (void)snprintf(label, LABEL_BYTES, "%ld", multiple);
    } else if (exponent < 0 && exponent >= -3) {
        long scale = 1;
        for (int i = 0; i < -exponent; i++)
            scale *= 10;
        (void)snprintf(label, LABEL_BYTES, "%ld.%0*ld", multiple / scale, -exponent,
                       multiple % scale);
        char *last = label + strlen(label) - 1;
        while (*last == '0')
            *last-- = '\0';
        if (*last == '.') *last = '\0';
    } else {
        for (; multiple % 10 == 0; multiple /= 10)
            exponent++;
        (void)snprintf(label, LABEL_BYTES, "%lde%d", multiple, exponent);
    }
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void linear_ticks(const sot_svg_axis *axis, ticks *out)
{
    const double span = axis->most - axis->least;
    int exponent = (int)floor(log10(span / TICKS_WANTED));
    long step = 10;
    for (long candidate = 1; candidate <= 5; candidate += candidate == 1 ? 1 : 3) {
        if (span / ((double)candidate * pow(10.0, exponent)) <= TICKS_WANTED + 1.5) {
            step = candidate;
            break;
        }
    }
    if (step == 10) {
        step = 1;
        exponent++;
    }
    if (axis->is_whole && exponent < 0) {
        step = 1;
        exponent = 0;
    }
    const double unit = (double)step * pow(10.0, exponent);
    for (double at = ceil(axis->least / unit - 1e-9);
         at * unit <= axis->most + 1e-9 * span && out->count < TICKS_MAX; at += 1.0) {
        out->values[out->count] = at * unit;
        label_tick((long)at * step, exponent, out->labels[out->count]);
        out->count++;
    }
}

/* 1, 2 and 5 of each decade, where there are two decades at most. */
static void fine_log_ticks(const sot_svg_axis *axis, ticks *out)
{
    static const long steps[] = {1, 2, 5};
    const int first = (int)floor(log10(axis->least) - 1e-9);
    for (int i = 0; i < 3 * 4 && out->count < TICKS_MAX; i++) {
        const int exponent = first + i / 3;
        const double value = (double)steps[i % 3] * pow(10.0, exponent);
        if (value < axis->least * (1.0 - 1e-9) || value > axis->most * (1.0 + 1e-9))
            continue;
        out->values[out->count] = value;
        label_tick(steps[i % 3], exponent, out->labels[out->count]);
        out->count++;
    }
}

static void log_ticks(const sot_svg_axis *axis, ticks *out)
{
    if (axis->most <= 110.0 * axis->least) {
        fine_log_ticks(axis, out);
        return;
    }
    const int first = (int)ceil(log10(axis->least) - 1e-9);
    const int last = (int)floor(log10(axis->most) + 1e-9);
    const int stride = (last - first) / (TICKS_WANTED + 1) + 1;
    for (int exponent = last; exponent >= first && out->count < TICKS_MAX;
         exponent -= stride) {
        out->values[out->count] = pow(10.0, exponent);
        if (exponent == 0) {
            (void)snprintf(out->labels[out->count], LABEL_BYTES, "1");
        } else {
            (void)snprintf(out->labels[out->count], LABEL_BYTES, "1e%d", exponent);
        }
        out->count++;
    }
}

static ticks ticks_of(const sot_svg_axis *axis)
{
    ticks result = {.count = 0};
    assert(axis->least < axis->most);
    if (axis->is_log) {
        log_ticks(axis, &result);
    } else {
        linear_ticks(axis, &result);
    }
    return result;
}

/* --- the file --- */

/* Two palettes of the same hues; the dark one is lighter. */
static const char palettes[] =
    "svg{font:12px system-ui,sans-serif;--ink:#1f2328;--soft:#656d76;--grid:#d8dee4;"
    "--page:#fff;--c0:#0550ae;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df}\n"
    "@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--grid:#30363d;"
    "--page:#0d1117;--c0:#79c0ff;--c1:#ffa657;--c2:#7ee787;--c3:#d2a8ff}}\n";

static const char rules[] =
    "text{fill:var(--ink)}.t{font-weight:600;font-size:13px}.k{fill:var(--soft);"
    "font-size:11px}\n"
    ".g{stroke:var(--grid);fill:none}.p{fill:var(--page)}polyline{fill:none;"
    "stroke-width:2;stroke-linejoin:round}\n"
    ".s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}"
    ".s4{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3}\n"
    ".n0{fill:var(--c0)}.n1{fill:var(--c1)}.n2{fill:var(--c2)}.n3{fill:var(--c3)}"
    ".n4{fill:var(--soft)}\n";

const char *sot_svg_rules(void)
{
    return rules;
}

void sot_svg_begin(sot_growing *out, int width, int height, const char *title,
                   const char *description)
{
    sot_growing_format(out,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                       "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                       width, height, width, height);
    sot_svg_add_escaped(out, title);
    sot_growing_text(out, "</title>\n<desc>");
    sot_svg_add_escaped(out, description);
    sot_growing_text(out, "</desc>\n");
    sot_growing_text(out, "<style>\n");
    sot_growing_text(out, palettes);
    sot_growing_text(out, rules);
    sot_growing_text(out, "</style>\n");
    sot_growing_format(out, "<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n", width,
                       height);
}

void sot_svg_begin_inline(sot_growing *out, int width, int height, const char *id,
                          const char *title, const char *description)
{
    sot_growing_format(out,
                       "<svg viewBox=\"0 0 %d %d\" role=\"img\" "
                       "aria-labelledby=\"%s-title %s-desc\">\n<title id=\"%s-title\">",
                       width, height, id, id, id);
    sot_svg_add_escaped(out, title);
    sot_growing_format(out, "</title>\n<desc id=\"%s-desc\">", id);
    sot_svg_add_escaped(out, description);
    sot_growing_text(out, "</desc>\n");
}

void sot_svg_end(sot_growing *out)
{
    sot_growing_text(out, "</svg>\n");
}

void sot_svg_add_text(sot_growing *out, const char *class_name, double x, double y,
                      const char *anchor, const char *text)
{
    sot_growing_format(out, "<text class=\"%s\"", class_name);
    sot_svg_add_place(out, "x", x);
    sot_svg_add_place(out, "y", y);
    sot_growing_format(out, " text-anchor=\"%s\">", anchor);
    sot_svg_add_escaped(out, text);
    sot_growing_text(out, "</text>\n");
}

static void add_grid_line(sot_growing *out, double x1, double y1, double x2, double y2)
{
    sot_growing_text(out, "<line class=\"g\"");
    sot_svg_add_place(out, "x1", x1);
    sot_svg_add_place(out, "y1", y1);
    sot_svg_add_place(out, "x2", x2);
    sot_svg_add_place(out, "y2", y2);
    sot_growing_text(out, "/>\n");
}

void sot_svg_panel_draw(sot_growing *out, const sot_svg_panel *panel)
{
    const double right = panel->left + panel->width, bottom = panel->top + panel->height;
    const ticks across = ticks_of(&panel->x), up = ticks_of(&panel->y);
    for (size_t i = 0; i < across.count; i++) {
        const double x = x_of(panel, across.values[i]);
        add_grid_line(out, x, panel->top, x, bottom);
        sot_svg_add_text(out, "k", x, bottom + 16.0, "middle", across.labels[i]);
    }
    for (size_t i = 0; i < up.count; i++) {
        const double y = y_of(panel, up.values[i]);
        add_grid_line(out, panel->left, y, right, y);
        sot_svg_add_text(out, "k", panel->left - 6.0, y + 4.0, "end", up.labels[i]);
    }
    sot_growing_format(out,
                       "<rect class=\"g\" x=\"%d\" y=\"%d\" width=\"%d\" "
                       "height=\"%d\"/>\n",
                       panel->left, panel->top, panel->width, panel->height);
    if (panel->title[0] != '\0')
        sot_svg_add_text(out, "t", panel->left, panel->top - 10.0, "start", panel->title);
    sot_svg_add_text(out, "k", panel->left + panel->width / 2.0, bottom + 34.0, "middle",
                     panel->x.label);
    const double x = panel->left - 44.0, y = panel->top + panel->height / 2.0;
    sot_growing_text(out,
                     "<text class=\"k\" text-anchor=\"middle\" transform=\"translate(");
    sot_svg_add_tenths(out, x);
    sot_growing_text(out, " ");
    sot_svg_add_tenths(out, y);
    sot_growing_text(out, ") rotate(-90)\">");
    sot_svg_add_escaped(out, panel->y.label);
    sot_growing_text(out, "</text>\n");
}

void sot_svg_line(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *y, size_t count)
{
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        const double across = x_of(panel, x[i]), up = y_of(panel, y[i]);
        if (isnan(across) || isnan(up)) {
            if (open) sot_growing_text(out, "\"/>\n");
            open = false;
            continue;
        }
        if (!open) {
            sot_growing_format(out, "<polyline class=\"s%d\" points=\"", (int)style);
        } else {
            sot_growing_text(out, " ");
        }
        open = true;
        sot_svg_add_tenths(out, across);
        sot_growing_text(out, ",");
        sot_svg_add_tenths(out, up);
    }
    if (open) sot_growing_text(out, "\"/>\n");
}

void sot_svg_note(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  double x, double y, const char *anchor, const char *text)
{
    char class_name[8];
    (void)snprintf(class_name, sizeof class_name, "n%d", (int)style);
    sot_svg_add_text(out, class_name, x_of(panel, x), y_of(panel, y), anchor, text);
}

void sot_svg_points(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                    const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double across = x_of(panel, x[i]), up = y_of(panel, y[i]);
        if (isnan(across) || isnan(up)) continue;
        sot_growing_format(out, "<circle class=\"n%d\" r=\"4\"", (int)style);
        sot_svg_add_place(out, "cx", across);
        sot_svg_add_place(out, "cy", up);
        sot_growing_text(out, "/>\n");
    }
}

static void add_segment(sot_growing *out, sot_svg_style style, double x1, double y1,
                        double x2, double y2)
{
    sot_growing_format(out, "<line class=\"s%d\"", (int)style);
    sot_svg_add_place(out, "x1", x1);
    sot_svg_add_place(out, "y1", y1);
    sot_svg_add_place(out, "x2", x2);
    sot_svg_add_place(out, "y2", y2);
    sot_growing_text(out, "/>\n");
}

void sot_svg_whiskers(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                      const double *x, const double *lower, const double *upper,
                      size_t count)
{
    enum { CAP = 4 };
    for (size_t i = 0; i < count; i++) {
        const double across = x_of(panel, x[i]);
        const double bottom = y_of(panel, lower[i]), top = y_of(panel, upper[i]);
        if (isnan(across) || isnan(bottom) || isnan(top)) continue;
        add_segment(out, style, across, bottom, across, top);
        add_segment(out, style, across - CAP, bottom, across + CAP, bottom);
        add_segment(out, style, across - CAP, top, across + CAP, top);
    }
}

void sot_svg_area(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *y, size_t count)
{
    if (count == 0) return;
    const double bottom = panel->top + panel->height;
    sot_growing_format(out, "<polygon class=\"n%d\" opacity=\"0.15\" points=\"",
                       (int)style);
    for (size_t i = 0; i < count + 2; i++) {
        const size_t at = i == 0 ? 0 : i <= count ? i - 1 : count - 1;
        const bool on_line = i > 0 && i <= count;
        if (i > 0) sot_growing_text(out, " ");
        sot_svg_add_tenths(out, x_of(panel, x[at]));
        sot_growing_text(out, ",");
        sot_svg_add_tenths(out, on_line ? y_of(panel, y[at]) : bottom);
    }
    sot_growing_text(out, "\"/>\n");
}

void sot_svg_band(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *lower, const double *upper, size_t count)
{
    if (count == 0) return;
    sot_growing_format(out, "<polygon class=\"n%d\" opacity=\"0.15\" points=\"",
                       (int)style);
    for (size_t i = 0; i < 2 * count; i++) {
        const size_t at = i < count ? i : 2 * count - 1 - i;
        if (i > 0) sot_growing_text(out, " ");
        sot_svg_add_tenths(out, x_of(panel, x[at]));
        sot_growing_text(out, ",");
        sot_svg_add_tenths(out, y_of(panel, i < count ? upper[at] : lower[at]));
    }
    sot_growing_text(out, "\"/>\n");
}

/* A row of a bar chart is 200 wide and 20 high, stretched to its cell. */
enum { ROW_WIDTH = 200, ROW_HEIGHT = 20, ROW_MIDDLE = ROW_HEIGHT / 2 };

static double place_in_row(const sot_svg_axis *axis, double value)
{
    return ROW_WIDTH * share_of(axis, value);
}

void sot_svg_row(sot_growing *out, const sot_svg_axis *axis, double value, double reach)
{
    const double zero = place_in_row(axis, 0.0), end = place_in_row(axis, value);
    sot_growing_format(out,
                       "<svg class=\"row\" viewBox=\"0 0 %d %d\" "
                       "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                       (int)ROW_WIDTH, (int)ROW_HEIGHT);
    sot_growing_format(out, "<rect class=\"n%d\" y=\"4\" height=\"12\"",
                       value < 0.0 ? (int)SOT_SVG_SECOND : (int)SOT_SVG_FIRST);
    sot_svg_add_place(out, "x", fmin(zero, end));
    sot_svg_add_place(out, "width", fabs(end - zero));
    sot_growing_text(out, "/><path d=\"M");
    sot_svg_add_tenths(out, zero);
    sot_growing_format(out, " 0V%d\"/>", (int)ROW_HEIGHT);
    if (reach > 0.0) {
        const double left = place_in_row(axis, value - reach);
        const double right = place_in_row(axis, value + reach);
        sot_growing_text(out, "<path class=\"noise\" d=\"M");
        sot_svg_add_tenths(out, left);
        sot_growing_format(out, " %dH", (int)ROW_MIDDLE);
        sot_svg_add_tenths(out, right);
        for (int side = 0; side < 2; side++) {
            sot_growing_text(out, "M");
            sot_svg_add_tenths(out, side == 0 ? left : right);
            sot_growing_text(out, " 6v8");
        }
        sot_growing_text(out, "\"/>");
    }
    sot_growing_text(out, "</svg>");
}
