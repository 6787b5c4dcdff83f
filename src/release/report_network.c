/* What a report says of a network: its layers, and how it learned on public rows. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/svg.h"
#include "release/html.h"
#include "release/report.h"
#include "release/shown.h"

enum { WIDTH = 440, HEIGHT = 300, DIGITS = 4, WORDS_BYTES = 512 };

/* ---- the layers ---- */

void sot_report_add_layers(sot_growing *out, const sot_report *report)
{
    static const char *const header[] = {"Layer", "Kind", "Output", "Parameters"};
    const sot_net *net = report->model->net;
    sot_html_section_open(out, "coefficients", "Layers");
    sot_html_say(out,
                 "A network of %zu parameters, %zu of them learned. One by one they mean "
                 "nothing to a reader; the model file has them all.",
                 net->parameters, net->trainable);
    sot_html_table_open(out, "", "Layers, in the order that a row passes them", header,
                        4);
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        char number[SOT_SHOWN_BYTES], shape[SOT_SHAPE_BYTES], parameters[SOT_SHOWN_BYTES];
        char count[SOT_SHOWN_BYTES + 16] = "";
        if (layer->parameters > 0)
            (void)snprintf(count, sizeof count, "%s%s",
                           sot_shown_count(layer->parameters, parameters),
                           layer->frozen ? ", frozen" : "");
        const char *const cells[] = {sot_shown_count(i + 1, number),
                                     sot_layer_kind_name(layer->kind),
                                     sot_shape_text(layer->out, shape), count};
        sot_html_row(out, "", cells, 4);
    }
    sot_html_table_close(out);
    sot_html_section_close(out);
}

/* ---- how it learned ---- */

typedef struct learning {
    double *steps, *scores; /* as drawn: percent for shares */
    double least, most;     /* of the scores */
    bool shares;
} learning;

static learning read_curve(const sotto_model *model, double *room)
{
    const sot_model_curve *curve = &model->curve;
    learning found = {.steps = room,
                      .scores = room + curve->count,
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
    (void)snprintf(words, sizeof words, "%s against the step, from %s to %s.",
                   found->shares ? "Accuracy" : "Error",
                   sot_shown_near(found->scores[0], 3, first),
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

sotto_status sot_report_add_learning(sot_growing *out, const sot_report *report,
                                     sotto_error *error)
{
    const size_t count = report->model->curve.count;
    if (count == 0) return SOTTO_OK;
    double *room = sot_new_array(2 * count, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, 2 * count, sizeof *room);
    const learning found = read_curve(report->model, room);
    sot_growing_text(out, "<h3>How it learned</h3>\n");
    sot_html_say(out, "The rows that it was scored on were declared public, and the "
                      "training did not learn from them. What they show is a function of "
                      "what was released.");
    draw(out, &found, count);
    sot_free(room);
    return SOTTO_OK;
}
