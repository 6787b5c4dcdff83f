/* The values of a release, each with the interval that its noise leaves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { DIGITS = 6, VALUES_SHOWN = 40, NAME_BYTES = 240 };

static double number_of(const sot_json_value *item, const char *key)
{
    sot_json_value member;
    double value = NAN;
    if (!sot_json_member(item, key, &member) ||
        sot_json_as_double(&member, &value, NULL) != SOTTO_OK)
        return (double)NAN;
    return value;
}

static const char *text_of(const sot_json_value *item, const char *key)
{
    sot_json_value member;
    const char *text = NULL;
    return sot_json_member(item, key, &member) &&
                   sot_json_as_string(&member, &text, NULL) == SOTTO_OK
               ? text
               : NULL;
}

static const char *shown(double value, char out[SOT_SHOWN_BYTES])
{
    return isfinite(value) ? sot_shown_near(value, DIGITS, out) : "not stated";
}

/* A statistic of which 0 means "nothing there". */
static bool is_amount(const char *statistic)
{
    return statistic != NULL &&
           (strcmp(statistic, "count") == 0 || strcmp(statistic, "sum") == 0 ||
            strcmp(statistic, "histogram") == 0);
}

static void add_value(sot_growing *out, const sot_json_value *item, const char *statistic)
{
    const double value = number_of(item, "value"), lower = number_of(item, "lower"),
                 upper = number_of(item, "upper");
    char number[SOT_SHOWN_BYTES], low[SOT_SHOWN_BYTES], high[SOT_SHOWN_BYTES];
    char interval[2 * SOT_SHOWN_BYTES + 8];
    const char *label = text_of(item, "label");
    const bool is_choice = statistic != NULL && strcmp(statistic, "choice") == 0;
    const bool is_noise = is_amount(statistic) && lower <= 0.0 && upper >= 0.0;
    (void)snprintf(interval, sizeof interval, "%s to %s", shown(lower, low),
                   shown(upper, high));
    const char *const cells[] = {label != NULL       ? label
                                 : statistic != NULL ? statistic
                                                     : "value",
                                 isfinite(value) ? shown(value, number)
                                 : is_choice     ? "chosen"
                                                 : "none (too few rows for this noise)",
                                 isfinite(lower) && isfinite(upper) ? interval
                                                                    : "not stated",
                                 is_noise ? "within the noise" : ""};
    sot_html_row(out, is_noise ? "noise" : "", cells, 4);
}

static void add_table(sot_growing *out, const sot_json_value *root,
                      const sot_json_value *values)
{
    static const char *const header[] = {"Value of", "Released", "Interval", "Note"};
    const char *statistic = text_of(root, "statistic");
    const double confidence = number_of(root, "confidence");
    const size_t count = sot_json_size(values);
    char share[SOT_SHOWN_BYTES];
    sot_html_table_open(out, "values", "Released values", header, 4);
    for (size_t i = 0; i < count && i < VALUES_SHOWN; i++) {
        const sot_json_value item = sot_json_item(values, i);
        add_value(out, &item, statistic);
    }
    sot_html_table_close(out);
    if (count > VALUES_SHOWN)
        sot_html_say(out, "%zu further values are not shown; the release file has them.",
                     count - VALUES_SHOWN);
    if (confidence > 0.0 && confidence < 1.0)
        sot_html_say(out,
                     "Each interval holds the exact value with probability %s over the "
                     "noise.%s",
                     sot_shown_percent_whole(confidence, share),
                     is_amount(statistic) ? " A value whose interval contains 0 is "
                                            "marked: noise can explain all of it."
                                          : "");
}

void sot_report_add_values(sot_growing *out, const sot_report *report)
{
    const sot_json_value *root = &report->file->root;
    const char *accuracy = text_of(root, "accuracy");
    sot_json_value values;
    sot_html_section_open(out, "values", "The released values");
    if (sot_json_member(root, "values", &values) &&
        sot_json_kind_of(&values) == SOT_JSON_ARRAY) {
        add_table(out, root, &values);
    } else if (sot_json_member(root, "answers", &values) &&
               sot_json_kind_of(&values) == SOT_JSON_ARRAY) {
        sot_html_say(out, "%zu randomized answers. The release file has them.",
                     sot_json_size(&values));
    } else {
        sot_html_element(out, "<p class=\"none\">",
                         "This report does not know the format of the released values. "
                         "The file has them.",
                         "</p>\n");
    }
    if (accuracy != NULL) sot_html_say(out, "%s", accuracy);
    sot_html_section_close(out);
}
