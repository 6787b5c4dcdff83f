/* The report's section on a network: its layers, and its learning curve on public rows. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    HEIGHT = 300,
    DIGITS = 4,
    WORDS_BYTES = 512,
    SHAPE_SHOWN_BYTES = 2 * SOT_SHAPE_BYTES,
    POINTS_SHOWN = 10
};

/* ---- the layers ---- */

/* "28x28x1" with the sign that people write. */
static const char *shape_shown(sot_shape shape, char out[SHAPE_SHOWN_BYTES])
{
    char plain[SOT_SHAPE_BYTES];
    size_t used = 0;
    (void)sot_shape_text(shape, plain);
    for (const char *letter = plain; *letter != '\0'; letter++) {
        const char *text = *letter == 'x' ? "\xc3\x97" : (char[]){*letter, '\0'};
        used += (size_t)snprintf(out + used, SHAPE_SHOWN_BYTES - used, "%s", text);
    }
    return out;
}

static void add_layer(sot_growing *out, const sot_layer *layer, size_t index)
{
    char number[SOT_SHOWN_BYTES], parameters[SOT_SHOWN_BYTES];
    char count[SOT_SHOWN_BYTES + 16] = "none", what[SOT_LAYER_TEXT_BYTES];
    char in[SHAPE_SHOWN_BYTES], to[SHAPE_SHOWN_BYTES];
    if (layer->parameters > 0)
        (void)snprintf(count, sizeof count, "%s%s",
                       sot_shown_count(layer->parameters, parameters),
                       layer->frozen ? ", frozen" : "");
    const char *const cells[] = {sot_shown_count(index + 1, number),
                                 sot_layer_text(layer, what), shape_shown(layer->in, in),
                                 shape_shown(layer->out, to), count};
    sot_html_row(out, "", cells, sizeof cells / sizeof cells[0]);
}

void sot_report_add_layers(sot_growing *out, const sot_report *report)
{
    static const char *const header[] = {"Layer", "Kind", "Input", "Output",
                                         "Parameters"};
    const sot_net *net = report->model->net;
    char all[SOT_SHOWN_BYTES], learned[SOT_SHOWN_BYTES];
    sot_html_section_open(out, "coefficients", "Layers");
    sot_html_say(out,
                 "A network of %s parameters, %s of them learned. Single parameters have "
                 "no meaning to a reader; the model file has them all. Shapes are "
                 "height, width and channels, or the length of a vector.",
                 sot_shown_count(net->parameters, all),
                 sot_shown_count(net->trainable, learned));
    sot_html_table_open(out, "layers", "Layers, from input to output", header,
                        sizeof header / sizeof header[0]);
    for (size_t i = 0; i < net->layer_count; i++)
        add_layer(out, &net->layers[i], i);
    sot_html_table_close(out);
    sot_html_section_close(out);
}

/* ---- the learning curve ---- */

typedef struct learning {
    double *steps, *scores; /* as drawn: percent for shares */
    const double *given;    /* the scores of the file */
    double least, most;     /* of the scores */
    bool shares;
} learning;

static learning read_curve(const sotto_model *model, double *room)
{
    const sot_model_curve *curve = &model->curve;
    learning found = {.steps = room,
                      .scores = room + curve->count,
                      .given = curve->scores,
                      .least = HUGE_VAL,
                      .most = -HUGE_VAL,
                      .shares = sotto_model_classes(model) > 0};
    for (size_t i = 0; i < curve->count; i++) {
        found.steps[i] = (double)curve->steps[i];
        found.scores[i] = (found.shares ? 100.0 : 1.0) * curve->scores[i];
        found.least = fmin(found.least, found.scores[i]);
        found.most = fmax(found.most, found.scores[i]);
    }
    const double margin = fmax(0.08 * (found.most - found.least), 1e-9 * found.most);
    found.least = fmax(0.0, found.least - margin);
    found.most += margin;
    if (found.shares) found.most = fmin(100.0, found.most);
    if (!(found.least < found.most)) found.most = found.least + 1.0;
    return found;
}

static void draw(sot_growing *out, const learning *found, size_t count)
{
    char words[WORDS_BYTES], first[SOT_SHOWN_BYTES], last[SOT_SHOWN_BYTES];
    const sot_svg_panel panel = {.title = "",
                                 .x = {"step", 0.0, found->steps[count - 1], false, true},
                                 .y = {found->shares ? "accuracy, %" : "error (RMSE)",
                                       found->least, found->most, false, false},
                                 .left = 62,
                                 .top = 14,
                                 .width = 366,
                                 .height = 236};
    (void)snprintf(
        words, sizeof words,
        "%s against the step, from %s to %s. The table beside it has the numbers.",
        found->shares ? "Accuracy" : "Error", sot_shown_near(found->scores[0], 3, first),
        sot_shown_near(found->scores[count - 1], 3, last));
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "learning-plot", "Learning curve", words);
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, found->steps, found->scores, count);
    sot_svg_points(out, &panel, SOT_SVG_FIRST, found->steps, found->scores, count);
    sot_svg_end(out);
    sot_growing_text(out, "<figcaption>The model after each of some steps, scored on "
                          "public rows.</figcaption>\n</figure>\n");
}

/* The last point, and points at equal steps before it. */
static void add_points(sot_growing *out, const learning *found, size_t count)
{
    const char *const header[] = {"Step", found->shares ? "Accuracy" : "Error"};
    const size_t stride = (count + POINTS_SHOWN - 1) / POINTS_SHOWN;
    sot_html_table_open(out, "", "Scores during training", header, 2);
    for (size_t i = (count - 1) % stride; i < count; i += stride) {
        char step[SOT_SHOWN_BYTES], score[SOT_SHOWN_BYTES];
        const char *const cells[] = {
            sot_shown_count((uint64_t)found->steps[i], step),
            found->shares ? sot_shown_percent_down(found->given[i], DIGITS, score)
                          : sot_shown_up(found->given[i], DIGITS, score)};
        sot_html_row(out, i + 1 == count ? "own" : "", cells, 2);
    }
    sot_html_table_close(out);
}

sotto_status sot_report_add_learning(sot_growing *out, const sot_report *report,
                                     sotto_error *error)
{
    const size_t count = report->model->curve.count;
    if (count == 0) return SOTTO_OK;
    double *room = sot_new_array(2 * count, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, 2 * count, sizeof *room);
    const learning found = read_curve(report->model, room);
    sot_growing_text(out, "<h3>Learning curve</h3>\n");
    sot_html_say(out, "The rows of these scores were declared public, and the training "
                      "did not use them. The scores are a function of released numbers.");
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw(out, &found, count);
    sot_growing_text(out, "<div>\n");
    add_points(out, &found, count);
    sot_growing_text(out, "</div>\n</div>\n");
    sot_free(room);
    return SOTTO_OK;
}
