/* The coefficients, largest first, each with the noise it carries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/svg.h"
#include "methods/kinds.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { DIGITS = 3, LABEL_BYTES = 512 };

#define NORMAL_975 1.959963984540054 /* its 97.5% point */

/* ---- the noise by the file ---- */

/* A setting, NaN if there is none. */
static double setting(const sot_json_value *root, const char *name)
{
    sot_json_value settings, member;
    double value = NAN;
    if (!sot_json_member(root, "settings", &settings) ||
        !sot_json_member(&settings, name, &member) ||
        sot_json_kind_of(&member) == SOT_JSON_NULL ||
        sot_json_as_double(&member, &value, NULL) != SOTTO_OK)
        return (double)NAN;
    return value;
}

/* Output perturbation, and descent with noise at its end, adds noise to each coefficient. Gaussian noise has deviation sigma. Pure
 * noise is a vector of density exp(-r |v|), r = noise_epsilon / sensitivity. Its length is Gamma(d) / r. Each of
 * its d coordinates has the variance E|v|^2 / d = (d + 1) / r^2.
 *
 * Objective perturbation: the released minimiser theta(b) of J + b.theta, J being lambda-strongly
 * convex, is a (1/lambda)-Lipschitz function of the Gaussian vector b. By the Gaussian Poincare
 * inequality no coefficient has a deviation above sigma / lambda. By isoperimetry it is within
 * 1.96 sigma / lambda of its median in at least 95% of all runs. With many rows it moves less: the
 * curvature of their losses adds to lambda, and is secret. */
sotto_status sot_report_noise_read(const sot_json_value *root, size_t dimension,
                                   sot_report_noise *out_noise, sotto_error *error)
{
    const char *name = NULL;
    sotto_method method;
    const sotto_status status = sot_json_get_string(root, "method", &name, error);
    if (status != SOTTO_OK) return status;
    if (sotto_method_from_name(name, &method, NULL) != SOTTO_OK)
        method = SOTTO_METHOD_AUTO; /* no known noise */
    const sot_method_row *row = sot_method_row_of(method);
    const double sigma = setting(root, "sigma"), lambda = setting(root, "lambda");
    *out_noise = (sot_report_noise){.kind = SOT_NOISE_UNKNOWN, .deviation = NAN};
    if (row->noiseless) {
        out_noise->kind = SOT_NOISE_ABSENT;
    } else if (row->noise_at_end) {
        const double rate = setting(root, "noise_epsilon") / setting(root, "sensitivity");
        out_noise->deviation =
            isnan(sigma) ? sqrt((double)dimension + 1.0) / rate : sigma;
        if (out_noise->deviation > 0.0) out_noise->kind = SOT_NOISE_EXACT;
    } else if (row->noise_in_loss) {
        out_noise->deviation = sigma / lambda;
        if (out_noise->deviation > 0.0) out_noise->kind = SOT_NOISE_BOUND;
    }
    return SOTTO_OK;
}

/* Half the width of a bar that holds 95%; 0: none. */
static double reach_of(const sot_report_noise *noise, size_t index)
{
    switch (noise->kind) {
    case SOT_NOISE_EXACT:
    case SOT_NOISE_BOUND:
        return NORMAL_975 * noise->deviation;
    case SOT_NOISE_MEASURED:
    case SOT_NOISE_DRAWS:
        return NORMAL_975 * noise->deviations[index];
    case SOT_NOISE_UNKNOWN:
    case SOT_NOISE_ABSENT:
    case SOT_NOISE_OF_VOTES:
        break;
    }
    return 0.0;
}

/* ---- words ---- */

static void explain_meaning(sot_growing *out, const sot_report *report)
{
    const sotto_model *model = report->model;
    if (model->margins > 1) {
        sot_html_say(
            out,
            "A bar to the right: the feature speaks for the class. A bar to the left: "
            "against it. The schema scaled the features, so that weights can be "
            "compared.");
    } else if (sotto_model_classes(model) == 2) {
        sot_html_say(out,
                     "A bar to the right: the feature speaks for the class "
                     "\xe2\x80\x9c%s\xe2\x80\x9d. A bar to the left: for the class "
                     "\xe2\x80\x9c%s\xe2\x80\x9d. The schema "
                     "scaled the features, so that "
                     "weights can be compared.",
                     sotto_model_class(model, 1), sotto_model_class(model, 0));
    } else {
        sot_html_say(
            out,
            "A bar to the right: the feature raises the prediction. A bar to the left: "
            "it lowers the prediction. The schema scaled the features and the target, so "
            "that weights can be compared.");
    }
}

static void explain_noise(sot_growing *out, const sot_report_noise *noise)
{
    char repeats[SOT_SHOWN_BYTES], rows[SOT_SHOWN_BYTES];
    switch (noise->kind) {
    case SOT_NOISE_EXACT:
        sot_html_say(out, "The whiskers are the noise that was added for privacy: they "
                          "contain about 95 of 100 samples of it.");
        break;
    case SOT_NOISE_BOUND:
        sot_html_say(
            out, "The whiskers bound the noise that was added for privacy: with other "
                 "noise, 95 of 100 trainings would stay within them, for any data. This "
                 "is the worst case; with many rows the noise is far smaller, but its "
                 "size is secret. Public rows, given with --public, show it.");
        break;
    case SOT_NOISE_MEASURED:
        sot_html_say(out,
                     "The whiskers show the noise for privacy in each coefficient: 1.96 "
                     "standard deviations over %s trainings with this model's settings, "
                     "on %s public rows. More rows make them shorter.",
                     sot_shown_count(noise->repeats, repeats),
                     sot_shown_count(noise->rows, rows));
        break;
    case SOT_NOISE_DRAWS:
        sot_html_say(
            out,
            "The model has %s posterior samples; each weight is their mean, and the "
            "whiskers are 1.96 standard deviations of a sample to both sides. They "
            "include the uncertainty of the data and, with a guarantee, the noise. A "
            "prediction is the mean of the predictions of the samples.",
            sot_shown_count(noise->repeats, repeats));
        return;
    case SOT_NOISE_ABSENT:
        sot_html_say(out, "There are no noise bars: no noise was added.");
        break;
    case SOT_NOISE_OF_VOTES:
        sot_html_say(out, "There are no noise bars: the noise is in the votes that chose "
                          "the labels, and its effect on a weight is not known.");
        return;
    case SOT_NOISE_UNKNOWN:
        sot_html_say(out,
                     "For this method the file does not determine the share of noise in "
                     "a coefficient. Public rows, given with --public, show it as bars.");
        break;
    }
    if (noise->kind != SOT_NOISE_ABSENT && noise->kind != SOT_NOISE_UNKNOWN)
        sot_html_say(out, "The whiskers show only that noise. They do not show whether "
                          "other people would give other weights.");
}

/* ---- the table ---- */

typedef struct weight {
    double size;   /* |value| */
    bool is_noise; /* not larger than its noise bar */
    size_t index;
} weight;

/* Coefficients that noise can explain come last. Only public quantities decide: the released value and the bar. */
static int larger_first(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->is_noise != y->is_noise) return x->is_noise ? 1 : -1;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static const char *label_of(const sotto_model *model, size_t index, char out[LABEL_BYTES])
{
    const size_t dimension = sotto_model_dimension(model);
    const char *feature = sotto_model_feature(model, index % dimension);
    if (model->margins == 1) {
        (void)snprintf(out, LABEL_BYTES, "%s", feature);
    } else {
        (void)snprintf(out, LABEL_BYTES, "%.240s, for %.240s", feature,
                       sotto_model_class(model, index / dimension));
    }
    return out;
}

/* A bound on the noise is not its size: with it a small coefficient may still be signal. */
static const char *mark_of(sot_report_noise_kind kind)
{
    if (kind == SOT_NOISE_BOUND) return "within the bound of the noise";
    return kind == SOT_NOISE_DRAWS ? "within its spread" : "within the noise";
}

static void add_weight(sot_growing *out, const sot_report *report,
                       const sot_svg_axis *axis, const weight *own)
{
    const size_t index = own->index;
    const double value = sot_model_mean_coefficient(report->model, index);
    const double reach = reach_of(&report->noise, index);
    char label[LABEL_BYTES], number[SOT_SHOWN_BYTES], noise[SOT_SHOWN_BYTES];
    sot_html_element(out,
                     own->is_noise ? "<tr class=\"noise\"><th scope=\"row\">"
                                   : "<tr><th scope=\"row\">",
                     label_of(report->model, index, label), "");
    if (own->is_noise)
        sot_growing_format(out, " <small>%s</small>", mark_of(report->noise.kind));
    sot_growing_text(out, "</th>");
    sot_html_element(out, "<td>", sot_shown_near(value, DIGITS, number), "</td>");
    if (reach > 0.0) {
        sot_html_element(out, "<td>&plusmn;&nbsp;",
                         sot_shown_up(reach, DIGITS - 1, noise), "</td>");
    } else {
        sot_html_element(out, "<td>",
                         report->noise.kind == SOT_NOISE_ABSENT ? "0" : "not known",
                         "</td>");
    }
    sot_growing_text(out, "<td class=\"bar\">");
    sot_svg_row(out, axis, value, reach);
    sot_growing_text(out, "</td></tr>\n");
}

/* The same scale for every row, 0 in the middle. Whiskers longer than twice the largest weight are
 * clipped: the weights must stay visible, and the numbers stand beside them. */
static sot_svg_axis axis_of(const sot_report *report, const weight *order, size_t shown)
{
    double reach = 0.0, largest = 0.0;
    for (size_t i = 0; i < shown; i++)
        largest = fmax(largest, order[i].size);
    for (size_t i = 0; i < shown; i++)
        reach = fmax(reach, order[i].size + reach_of(&report->noise, order[i].index));
    reach = fmin(reach, 3.0 * largest);
    if (!(reach > 0.0)) reach = 1.0;
    return (sot_svg_axis){"", -reach, reach, false, false};
}

static void add_table(sot_growing *out, const sot_report *report, const weight *order,
                      size_t count)
{
    const bool drawn = report->noise.kind == SOT_NOISE_DRAWS;
    const char *const header[] = {"Feature", drawn ? "Mean weight" : "Weight",
                                  drawn ? "Spread" : "Noise", "Bar"};
    const size_t shown =
        count < SOT_REPORT_COEFFICIENTS_SHOWN ? count : SOT_REPORT_COEFFICIENTS_SHOWN;
    const sot_svg_axis axis = axis_of(report, order, shown);
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        beyond += !order[i].is_noise;
    sot_html_table_open(out, "weights", "Coefficients, largest first", header, 4);
    for (size_t i = 0; i < shown; i++)
        add_weight(out, report, &axis, &order[i]);
    sot_html_table_close(out);
    if (shown < count)
        sot_html_say(out, "%zu others are not shown; the model file has them.",
                     count - shown);
    if (report->noise.kind >= SOT_NOISE_EXACT && report->noise.kind != SOT_NOISE_OF_VOTES)
        sot_html_say(
            out,
            "%zu of %zu weights are larger than their %s. The others come last and "
            "are marked: with a true weight of 0, one in twenty %s such a value.",
            beyond, count, drawn ? "spread" : "noise bar",
            report->noise.kind == SOT_NOISE_BOUND ? "may show" : "shows");
}

sotto_status sot_report_add_coefficients(sot_growing *out, const sot_report *report,
                                         sotto_error *error)
{
    const sotto_model *model = report->model;
    const size_t count = model->coefficient_count;
    if (model->net != NULL) {
        sot_report_add_layers(out, report);
        return SOTTO_OK;
    }
    if (model->concept != NULL) return sot_report_add_concept(out, report, error);
    if (model->curves != NULL) return sot_report_add_curves(out, report, error);
    weight *order = sot_new_array(count, sizeof *order);
    if (order == NULL) return sot_fail_memory(error, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(sot_model_mean_coefficient(model, i));
        const double reach = reach_of(&report->noise, i);
        order[i] = (weight){size, reach > 0.0 && size <= reach, i};
    }
    qsort(order, count, sizeof *order, larger_first);
    sot_html_section_open(out, "coefficients", "Coefficients");
    explain_meaning(out, report);
    explain_noise(out, &report->noise);
    add_table(out, report, order, count);
    sot_html_section_close(out);
    sot_free(order);
    return SOTTO_OK;
}
