/* The section of a concept: the rule in words, its class, and a picture if the rule has one
 * or two numbers. All of it is the release itself and public settings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "artifact/page/plain.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/svg.h"
#include "models/concept/classes/concept.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    LINE_HEIGHT = 170,
    SQUARE_HEIGHT = 300,
    DIGITS = 6,
    WORDS_BYTES = 768,
    FEATURES_SHOWN = 24,
    BEST_SHOWN = 5,
    CUTS_SHOWN = 12
};

#define OPEN  "\xe2\x80\x9c" /* quotation marks */
#define CLOSE "\xe2\x80\x9d"

/* ---- words ---- */

static void add_rule(sot_growing *out, const sotto_model *model)
{
    char rule[SOT_CONCEPT_TEXT_BYTES];
    (void)sotto_model_concept(model, rule, sizeof rule);
    const char *yes = sotto_model_class(model, 1), *no = sotto_model_class(model, 0);
    if (strcmp(rule, "always") == 0 || strcmp(rule, "never") == 0) {
        sot_html_say(out,
                     "The model is one concept without a condition: it predicts " OPEN
                     "%s" CLOSE " for every row.",
                     rule[0] == 'a' ? yes : no);
        return;
    }
    sot_html_say(out,
                 "The model is one concept. It predicts " OPEN "%s" CLOSE
                 " for a row where this holds, and " OPEN "%s" CLOSE " for every other:",
                 yes, no);
    sot_html_element(out, "<p><strong>", rule, "</strong></p>\n");
}

static void add_class(sot_growing *out, const sot_report *report)
{
    const sot_concept_class *class = report->model->concept;
    const uint64_t size = sot_concept_class_size(class);
    char count[SOT_SHOWN_BYTES], logarithm[SOT_SHOWN_BYTES], features[SOT_SHOWN_BYTES];
    char many[SOT_SHOWN_BYTES + 32];
    (void)sot_shown_up(sot_concept_class_log_size(class), 3, logarithm);
    if (size == UINT64_MAX) {
        (void)snprintf(many, sizeof many, "e^%s", logarithm);
    } else {
        (void)snprintf(many, sizeof many, "%s", sot_shown_count(size, count));
    }
    sot_html_say(out,
                 "It was chosen from a class of %s concepts, %s on %s %s. The class was "
                 "fixed before a record was read: cut points follow from the schema and "
                 "from settings. The number of training rows that it needs grows with "
                 "the logarithm of the number of concepts, here %s.",
                 many, sot_concept_kind_name(class->kind),
                 sot_shown_count(class->features, features),
                 class->features == 1 ? "feature" : "features", logarithm);
    if (strcmp(report->method, "none") == 0) {
        sot_html_say(
            out,
            "It was chosen for its few errors on the training rows, without randomness.");
    } else if (report->model->errors.lists > 0) {
        sot_html_say(out, "The choice was randomised for privacy: the errors of every "
                          "concept were counted with noise, and it has the fewest. The "
                          "best concept without noise stays secret.");
    } else {
        sot_html_say(
            out, "The choice was randomised for privacy: concepts with fewer errors are "
                 "likelier. The best concept and all numbers of errors stay secret.");
    }
}

/* ---- noisy errors, of laplace ---- */

/* The least of the last list, whose rules are whole. */
static sotto_status add_best(sot_growing *out, const sotto_model *model,
                             sotto_error *error)
{
    static const char *const header[] = {"Rule", "Errors, with noise"};
    const size_t last = model->errors.lists - 1;
    size_t places[BEST_SHOWN];
    const size_t shown = sotto_model_best_concepts(model, last, BEST_SHOWN, places);
    sotto_status status = SOTTO_OK;
    sot_html_table_open(
        out, "layers",
        last == 0
            ? "The concepts with the fewest noisy errors"
            : "The fewest noisy errors among concepts that differ in the last feature",
        header, 2);
    for (size_t i = 0; i < shown && status == SOTTO_OK; i++) {
        char rule[SOT_CONCEPT_TEXT_BYTES], count[32];
        const char *const cells[] = {rule, count};
        status = sotto_model_concept_at(model, last, places[i], rule, sizeof rule, error);
        if (status != SOTTO_OK) break;
        (void)snprintf(count, sizeof count, "%" PRId64,
                       sotto_model_noisy_errors(model, last, places[i]));
        sot_html_row(out, "", cells, 2);
    }
    sot_html_table_close(out);
    return status;
}

static sotto_status add_errors(sot_growing *out, const sotto_model *model,
                               sotto_error *error)
{
    sotto_training_errors errors;
    char scale[SOT_SHOWN_BYTES];
    if (model->errors.lists == 0) return SOTTO_OK;
    sotto_status status = sotto_model_training_errors(model, 0.05, &errors, error);
    if (status != SOTTO_OK) return status;
    sot_html_say(
        out,
        "On the training rows the concept makes about %" PRId64
        " errors. They were counted with noise of scale %s, and the smallest of many "
        "such counts tends to be too low. With probability 0.95 it makes at most %" PRId64
        ". The certificate's epsilon has paid for the noisy errors of all concepts; the "
        "model file has them.",
        errors.noisy, sot_shown_near(errors.scale, DIGITS, scale), errors.upper);
    return add_best(out, model, error);
}

/* ---- pictures ---- */

/* A label that hides nothing; NULL when memory runs out. */
static char *label_of(const sot_concept_class *class, size_t feature)
{
    char text[WORDS_BYTES];
    (void)snprintf(text, sizeof text, "%s%s", class->of_matrix ? "feature " : "",
                   class->names[feature]);
    return sot_plain_copy(text);
}

static void begin_figure(sot_growing *out, int height, const char *description)
{
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, height, "rule-plot", "The concept", description);
}

static void end_figure(sot_growing *out, const char *caption)
{
    sot_svg_end(out);
    sot_html_element(out, "<figcaption>", caption, "</figcaption>\n</figure>\n");
}

/* Where place `place` begins, 0 .. cells. */
static double edge_of(const sot_cells_grid *grid, uint64_t place)
{
    if (place == 0) return grid->lower;
    return place >= grid->cells ? grid->upper : sot_cells_edge(grid, place);
}

/* Yes on [low, high), as a step; flipped, everywhere else. */
static void draw_line(sot_growing *out, const sot_cells_grid *grid, const char *label,
                      uint64_t low, uint64_t high, bool flipped)
{
    const double from = edge_of(grid, low), to = edge_of(grid, high);
    const double in = flipped ? 0.0 : 1.0, beside = 1.0 - in;
    const double x[] = {grid->lower, from, from, to, to, grid->upper};
    const double y[] = {beside, beside, in, in, beside, beside};
    const size_t first = low == 0 ? 2 : 0; /* no step at the ends of the axis */
    const size_t count = (high == grid->cells ? 4 : 6) - first;
    const sot_svg_panel panel = {.title = "",
                                 .x = {label, grid->lower, grid->upper, false, false},
                                 .y = {"no, yes", 0.0, 1.0, false, true},
                                 .left = 62,
                                 .top = 14,
                                 .width = 366,
                                 .height = 106};
    begin_figure(out, LINE_HEIGHT,
                 "Prediction of the concept, 0 for no and 1 for yes, against the number "
                 "that it tests. The sentence above says the same.");
    sot_svg_panel_draw(out, &panel);
    sot_svg_area(out, &panel, SOT_SVG_FIRST, x + first, y + first, count);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x + first, y + first, count);
    end_figure(out, "Shaded: the concept predicts yes.");
}

static void draw_square(sot_growing *out, const sot_concept_class *class,
                        const double *numbers, char *const labels[2])
{
    double from[2], to[2];
    for (size_t i = 0; i < 2; i++) {
        from[i] = edge_of(&class->grids[i], (uint64_t)numbers[2 * i]);
        to[i] = edge_of(&class->grids[i], (uint64_t)numbers[2 * i + 1]);
    }
    const double x[] = {from[0], to[0], to[0], from[0], from[0]};
    const double y[] = {from[1], from[1], to[1], to[1], from[1]};
    const sot_cells_grid *a = &class->grids[0], *b = &class->grids[1];
    const sot_svg_panel panel = {.title = "",
                                 .x = {labels[0], a->lower, a->upper, false, false},
                                 .y = {labels[1], b->lower, b->upper, false, false},
                                 .left = 62,
                                 .top = 14,
                                 .width = 366,
                                 .height = 236};
    begin_figure(out, SQUARE_HEIGHT,
                 "A rectangle over the two numbers that the concept tests. The sentence "
                 "above gives its sides.");
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, y, 5);
    sot_svg_note(out, &panel, SOT_SVG_FIRST, 0.5 * (from[0] + to[0]),
                 0.5 * (from[1] + to[1]), "middle", "yes");
    end_figure(out, "Inside the rectangle the concept predicts yes.");
}

/* True if there is a number, or two, as an axis: a yes or no has no axis. */
static bool is_drawn(const sotto_model *model)
{
    const sot_concept_class *class = model->concept;
    const double *n = model->coefficients;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_INTERVALS:
        return !class->grids[0].indicator;
    case SOT_CONCEPT_STUMPS:
        return !class->grids[(size_t)n[0]].indicator;
    case SOT_CONCEPT_RECTANGLES:
        return class->features == 2 && !class->grids[0].indicator &&
               !class->grids[1].indicator && n[1] != 0.0;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return false;
}

static sotto_status draw_threshold(sot_growing *out, const sotto_model *model,
                                   size_t feature, uint64_t low, uint64_t high,
                                   bool flipped, sotto_error *error)
{
    const sot_concept_class *class = model->concept;
    const sot_cells_grid *grid = &class->grids[feature];
    char *label = label_of(class, feature);
    if (label == NULL) return sot_fail_memory(error, WORDS_BYTES, 1);
    draw_line(out, grid, label, low, high, flipped);
    sot_free(label);
    return SOTTO_OK;
}

static sotto_status draw_rectangle(sot_growing *out, const sotto_model *model,
                                   sotto_error *error)
{
    const sot_concept_class *class = model->concept;
    const double *numbers = model->coefficients;
    char *const labels[2] = {label_of(class, 0), label_of(class, 1)};
    sotto_status status = SOTTO_OK;
    if (labels[0] == NULL || labels[1] == NULL) {
        status = sot_fail_memory(error, WORDS_BYTES, 1);
    } else {
        draw_square(out, class, numbers, labels);
    }
    sot_free(labels[0]);
    sot_free(labels[1]);
    return status;
}

static sotto_status draw(sot_growing *out, const sotto_model *model, sotto_error *error)
{
    const sot_concept_class *class = model->concept;
    const double *n = model->coefficients;
    size_t feature = 0;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        return draw_threshold(out, model, 0, (uint64_t)n[0], class->grids[0].cells,
                              n[1] == 1.0, error);
    case SOT_CONCEPT_STUMPS:
        feature = (size_t)n[0];
        return draw_threshold(out, model, feature, (uint64_t)n[1],
                              class->grids[feature].cells, n[2] == 1.0, error);
    case SOT_CONCEPT_INTERVALS:
        return draw_threshold(out, model, 0, (uint64_t)n[0], (uint64_t)n[1], false,
                              error);
    case SOT_CONCEPT_RECTANGLES:
        return draw_rectangle(out, model, error);
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return SOTTO_OK;
}

/* ---- the features ---- */

static const char *grid_text(const sot_cells_grid *grid, char out[WORDS_BYTES])
{
    char first[SOT_SHOWN_BYTES], last[SOT_SHOWN_BYTES], count[SOT_SHOWN_BYTES];
    if (grid->indicator) return "yes or no";
    if (grid->cuts == NULL) {
        (void)snprintf(out, WORDS_BYTES, "%s equal cells from %s to %s",
                       sot_shown_count(grid->cells, count),
                       sot_shown_near(grid->lower, DIGITS, first),
                       sot_shown_near(grid->upper, DIGITS, last));
        return out;
    }
    const uint64_t cuts = grid->cells - 1;
    size_t used = (size_t)snprintf(out, WORDS_BYTES, "%s at ",
                                   cuts == 1 ? "a cut point"
                                             : "cut points"); /* and at most 13 numbers */
    for (uint64_t i = 0; i < cuts && i < CUTS_SHOWN; i++)
        used +=
            (size_t)snprintf(out + used, WORDS_BYTES - used, "%s%s", i == 0 ? "" : ", ",
                             sot_shown_near(grid->cuts[i], DIGITS, first));
    if (cuts > CUTS_SHOWN)
        (void)snprintf(out + used, WORDS_BYTES - used, ", ... (%s in all)",
                       sot_shown_count(cuts, count));
    return out;
}

static void add_features(sot_growing *out, const sot_concept_class *class)
{
    static const char *const header[] = {"Feature", "Public cut points"};
    const size_t shown =
        class->features < FEATURES_SHOWN ? class->features : FEATURES_SHOWN;
    sot_html_table_open(out, "layers", "Features of the class", header, 2);
    for (size_t i = 0; i < shown; i++) {
        char text[WORDS_BYTES];
        const char *const cells[] = {class->names[i], grid_text(&class->grids[i], text)};
        sot_html_row(out, "", cells, 2);
    }
    sot_html_table_close(out);
    if (shown < class->features)
        sot_html_say(out, "%zu more features are not shown; the model file has them.",
                     class->features - shown);
}

sotto_status sot_report_add_concept(sot_growing *out, const sot_report *report,
                                    sotto_error *error)
{
    sot_html_section_open(out, "coefficients", "The concept");
    const bool drawn = is_drawn(report->model);
    sotto_status status = SOTTO_OK;
    add_rule(out, report->model);
    if (drawn) {
        sot_growing_text(out, "<div class=\"pair\">\n");
        status = draw(out, report->model, error);
        sot_growing_text(out, "<div>\n");
    }
    add_features(out, report->model->concept);
    if (drawn) sot_growing_text(out, "</div>\n</div>\n");
    add_class(out, report);
    if (status == SOTTO_OK) status = add_errors(out, report->model, error);
    sot_html_section_close(out);
    return status;
}
