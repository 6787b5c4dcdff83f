/* The burn-down of a budget as an SVG file: the budget left after each row, grants as steps up.
 *
 * The picture holds public numbers only: rows, amounts, the dataset id (letters, digits, . _ -,
 * so it needs no escaping). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frame/input.h"
#include "ledger/ledger.h"

enum { WIDTH = 640, HEIGHT = 360, LEFT = 70, RIGHT = 20, TOP = 44, BOTTOM = 46 };

static double left_after(const ledger_row *row)
{
    return fmax(0.0, row->entry.budget - row->entry.spent);
}

static double highest_budget(const ledger_story *story)
{
    double highest = 0.0;
    for (size_t i = 0; i < story->count; i++)
        highest = fmax(highest, story->rows[i].entry.budget);
    return highest;
}

static double x_of(const ledger_story *story, size_t index)
{
    const double width = WIDTH - LEFT - RIGHT;
    return LEFT + width * (double)(index + 1) / (double)(story->count + 1);
}

static double y_of(double amount, double highest)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * amount / highest;
}

static void draw_axes(FILE *file, const ledger_story *story, double highest)
{
    const sotto_ledger_balance *balance = &story->balance;
    const size_t shown = balance->member < balance->member_count ? balance->member : 0;
    char currency[64];
    for (int i = 0; i <= 4; i++) {
        const double amount = highest * i / 4.0, y = y_of(amount, highest);
        (void)fprintf(
            file,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
            LEFT, y, WIDTH - RIGHT, y, LEFT - 8, y + 4.0, amount);
    }
    (void)fprintf(file, "<text x=\"%d\" y=\"24\" font-size=\"15\">Budget of %s: ", LEFT,
                  story->balance.dataset);
    (void)fprintf(file, "%s left</text>\n",
                  ledger_currency(&balance->members[shown], currency));
    (void)fprintf(
        file,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">row of the ledger, 1 to "
        "%zu</text>\n",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, story->count);
}

/* A staircase: level until the next row, then to its amount. */
static void draw_steps(FILE *file, const ledger_story *story, double highest)
{
    (void)fprintf(file, "<polyline fill=\"none\" stroke=\"#1b6ca8\" stroke-width=\"2\" "
                        "points=\"");
    for (size_t i = 0; i < story->count; i++) {
        const double x = x_of(story, i);
        if (i > 0)
            (void)fprintf(file, "%.1f,%.1f ", x,
                          y_of(left_after(&story->rows[i - 1]), highest));
        (void)fprintf(file, "%.1f,%.1f ", x, y_of(left_after(&story->rows[i]), highest));
    }
    (void)fprintf(file, "%d,%.1f\"/>\n", WIDTH - RIGHT,
                  y_of(left_after(&story->rows[story->count - 1]), highest));
    for (size_t i = 0; i < story->count; i++) {
        const sotto_ledger_kind kind = story->rows[i].entry.kind;
        if (kind == SOTTO_LEDGER_COMMIT || kind == SOTTO_LEDGER_CHECKPOINT) continue;
        (void)fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
                      x_of(story, i), y_of(left_after(&story->rows[i]), highest),
                      kind == SOTTO_LEDGER_RESERVE ? "#1b6ca8" : "#2e8b57");
    }
}

sotto_status ledger_draw(const cli_call *call, const ledger_story *story,
                         sotto_error *error)
{
    cli_stream svg;
    const sotto_status status = cli_open_stream(call, "svg", &svg, error);
    if (status != SOTTO_OK) return status;
    FILE *const file = svg.file;
    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    const double highest = highest_budget(story);
    draw_axes(file, story, highest);
    draw_steps(file, story, highest);
    (void)fprintf(file, "</svg>\n");
    return cli_close_stream(&svg, SOTTO_OK, error);
}
