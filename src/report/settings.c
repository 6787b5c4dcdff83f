/* The training settings in the model's file. */
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { DIGITS = 8 };

/* sotto_model_parse() has seen to it that these are numbers, words or null. */
static const char *value_shown(const sot_json_value *value, char out[SOT_SHOWN_BYTES])
{
    const char *word = "";
    double number = 0.0;
    switch (sot_json_kind_of(value)) {
    case SOT_JSON_STRING:
        return sot_json_as_string(value, &word, NULL) == SOTTO_OK ? word : "";
    case SOT_JSON_INTEGER:
    case SOT_JSON_REAL:
        if (sot_json_as_double(value, &number, NULL) != SOTTO_OK) return "";
        return sot_shown_near(number, DIGITS, out);
    case SOT_JSON_NULL:
    case SOT_JSON_BOOLEAN:
    case SOT_JSON_OBJECT:
    case SOT_JSON_ARRAY:
        break;
    }
    return "not finite";
}

void sot_report_add_settings(sot_growing *out, const sot_report *report)
{
    static const char *const header[] = {"Setting", "Value"};
    sot_json_value member;
    sot_html_section_open(out, "settings", "Training settings");
    sot_html_say(
        out,
        "The method %s trained the model with these settings. They are public: the user "
        "gave them, or they follow from the schema and other settings, never from the "
        "rows. Anyone with the %s",
        report->method,
        report->is_student ? "labels and the public rows can train again with them."
                           : "rows can train again with them, with other noise.");
    sot_html_table_open(out, "", "Settings of the training", header, 2);
    for (bool more =
             report->settings != NULL && sot_json_first_member(report->settings, &member);
         more; more = sot_json_next_member(&member)) {
        char number[SOT_SHOWN_BYTES];
        const char *const cells[] = {sot_json_key_of(&member),
                                     value_shown(&member, number)};
        sot_html_row(out, "", cells, 2);
    }
    sot_html_table_close(out);
    sot_html_section_close(out);
}
