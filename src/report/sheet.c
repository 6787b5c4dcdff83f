/* Public rows that are images, with the model's predictions. */
#include "base/png.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { DIGITS = 3 };

static void add_sure(sot_growing *out, const sot_report *report, double sure)
{
    char number[SOT_SHOWN_BYTES];
    if (report->model->prediction == SOTTO_PREDICTS_SCORE)
        sot_html_element(out, "<span>score ", sot_shown_near(sure, DIGITS, number),
                         "</span>");
    else
        sot_html_element(out, "<span>", sot_shown_percent_down(sure, DIGITS, number),
                         "</span>");
}

static void add_images(sot_growing *out, const sot_report *report, size_t begin,
                       size_t count)
{
    const sot_report_images *images = &report->scores->images;
    const size_t size = images->height * images->width * images->channels;
    sot_growing_text(out, "<ul class=\"images\">\n");
    for (size_t i = begin; i < begin + count; i++) {
        const sot_report_image *image = &images->shown[i];
        char number[SOT_SHOWN_BYTES];
        sot_growing_format(out, "<li%s><img alt=\"",
                           image->said == image->label ? "" : " class=\"wrong\"");
        sot_html_element(out, "Row ", sot_shown_count(image->row + 1, number),
                         "\" src=\"");
        sot_png_add(out, images->pixels + i * size, images->height, images->width,
                    images->channels);
        sot_html_element(out, "\"><b>said ",
                         sotto_model_class(report->model, image->said), "</b>");
        sot_html_element(out, "<span>is ", sotto_model_class(report->model, image->label),
                         "</span>");
        add_sure(out, report, image->sure);
        sot_growing_text(out, "</li>\n");
    }
    sot_growing_text(out, "</ul>\n");
}

static void explain(sot_growing *out, const sot_report *report)
{
    const bool scores = report->model->prediction == SOTTO_PREDICTS_SCORE;
    char number[SOT_SHOWN_BYTES];
    sot_html_say(out,
                 "The first %s rows of the public file, with any prediction: the "
                 "predicted class, the true one, and %s. Mistakes have a frame.",
                 sot_shown_count(report->scores->images.first_count, number),
                 scores ? "the size of the score" : "its probability");
}

void sot_report_add_sheet(sot_growing *out, const sot_report *report)
{
    if (report->scores == NULL || report->scores->images.first_count == 0) return;
    const sot_report_images *images = &report->scores->images;
    char number[SOT_SHOWN_BYTES];
    sot_growing_text(out, "<h3>Some images</h3>\n");
    explain(out, report);
    add_images(out, report, 0, images->first_count);
    if (images->wrong_most == 0) return;
    sot_growing_text(out, "<h3>Confident mistakes</h3>\n");
    if (images->wrong_count == 0) {
        sot_html_say(out, "The model made no mistake on the public rows.");
        return;
    }
    sot_html_say(out,
                 "The %s mistakes with the highest confidence, among all public rows. "
                 "Some images may be ambiguous, or have a wrong label.",
                 sot_shown_count(images->wrong_count, number));
    add_images(out, report, images->first_most, images->wrong_count);
}
