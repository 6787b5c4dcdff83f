/* The report's section on labels by teachers: queries and answers, their cost, and the agreement of the teachers if it was
 * charged. All of it was released. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    HEIGHT = 300,
    DIGITS = 6,
    SHARE_DIGITS = 3,
    MARKS = 4,
    WORDS_BYTES = 512
};

#define NORMAL_975 1.959963984540054 /* its 97.5% point */
#define READABLE   0.4               /* whiskers up to this number of queries */

/* ---- queries ---- */

static void add_capped(sot_growing *out, const char *label, uint64_t count, uint64_t most)
{
    char number[SOT_SHOWN_BYTES], cap[SOT_SHOWN_BYTES], note[WORDS_BYTES];
    (void)snprintf(note, sizeof note, "of at most %s", sot_shown_count(most, cap));
    sot_html_figure(out, label, sot_shown_count(count, number), note);
}

static void add_queries(sot_growing *out, const sot_report_labels *labels)
{
    char number[SOT_SHOWN_BYTES];
    sot_html_figures_open(out);
    if (labels->teachers > 0)
        sot_html_figure(out, "Teachers", sot_shown_count(labels->teachers, number),
                        "who stay secret");
    add_capped(out, "Queries asked", labels->asked, labels->ask);
    add_capped(out, "Queries answered", labels->answered, labels->answers);
    if (labels->reinforced > 0)
        sot_html_figure(out, "Reinforced", sot_shown_count(labels->reinforced, number),
                        "pseudo-labels of an earlier student");
    sot_html_figures_close(out);
}

static void add_classes(sot_growing *out, const sot_report_labels *labels)
{
    static const char *const header[] = {"Class", "Labels"};
    const sotto_target *target = sotto_schema_target(labels->schema);
    const size_t classes = target->label_count;
    const size_t shown =
        classes < SOT_REPORT_CLASSES_SHOWN ? classes : SOT_REPORT_CLASSES_SHOWN;
    sot_growing_text(out, "<h3>The labels</h3>\n");
    sot_html_say(out, "Number of public rows with each label. It follows from the "
                      "labels, which are released.");
    sot_html_table_open(out, "classes", "Labels of each class", header, 2);
    for (size_t i = 0; i < shown; i++) {
        char number[SOT_SHOWN_BYTES];
        const char *const cells[] = {target->labels[i],
                                     sot_shown_count(labels->counts[i], number)};
        sot_html_row(out, "", cells, 2);
    }
    sot_html_table_close(out);
    if (shown < classes)
        sot_html_say(out, "%zu more classes are not shown; the file has them.",
                     classes - shown);
}

/* ---- their price ---- */

static void draw_course(sot_growing *out, const sot_report_labels *labels)
{
    const size_t last = SOT_REPORT_COURSE_POINTS - 1;
    const double asked = labels->queries[last];
    const double most = fmax(labels->epsilon, labels->epsilons[last]);
    char words[WORDS_BYTES], spent[SOT_SHOWN_BYTES], charged[SOT_SHOWN_BYTES];
    const sot_svg_panel panel = {
        .title = "",
        .x = {"queries asked", 0.0, asked > 0.0 ? asked : 1.0, false, true},
        .y = {"epsilon", 0.0, most > 0.0 ? 1.12 * most : 1.0, false, false},
        .left = 62,
        .top = 14,
        .width = 366,
        .height = 236};
    const double ends[] = {panel.x.least, panel.x.most};
    const double cap[] = {labels->epsilon, labels->epsilon};
    (void)snprintf(
        words, sizeof words,
        "A rising curve: epsilon of the queries so far, in the end %s; above it a dashed "
        "line at %s, the guarantee. The table beside it has the numbers.",
        sot_shown_up(labels->epsilons[last], DIGITS, spent),
        sot_shown_up(labels->epsilon, DIGITS, charged));
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "course-plot", "Epsilon after each query",
                         words);
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, ends, cap, 2);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, labels->queries, labels->epsilons,
                 SOT_REPORT_COURSE_POINTS);
    sot_svg_note(out, &panel, SOT_SVG_GUIDE, 0.02 * panel.x.most,
                 labels->epsilon + 0.02 * panel.y.most, "start", "the guarantee");
    sot_svg_end(out);
    sot_growing_text(out, "<figcaption>Solid: for information, epsilon of the queries "
                          "asked and answered so far. Dashed: the charge before a vote "
                          "was counted.</figcaption>\n</figure>\n");
}

static void add_marks(sot_growing *out, const sot_report_labels *labels)
{
    static const char *const header[] = {"Asked", "Answered", "Adds up to epsilon"};
    const bool from_start = labels->agreement != NULL; /* which was paid for before */
    sot_html_table_open(out, "", "Sum of the queries", header, 3);
    for (size_t mark = from_start ? 0 : 1; mark <= MARKS; mark++) {
        const size_t i = mark * (SOT_REPORT_COURSE_POINTS - 1) / MARKS;
        char asked[SOT_SHOWN_BYTES], answered[SOT_SHOWN_BYTES], epsilon[SOT_SHOWN_BYTES];
        const char *const cells[] = {
            sot_shown_count((uint64_t)labels->queries[i], asked),
            sot_shown_count((uint64_t)labels->answers_so_far[i], answered),
            sot_shown_up(labels->epsilons[i], DIGITS, epsilon)};
        sot_html_row(out, "", cells, 3);
    }
    char asked[SOT_SHOWN_BYTES + 16], answered[SOT_SHOWN_BYTES + 16];
    char number[SOT_SHOWN_BYTES], epsilon[SOT_SHOWN_BYTES + 24];
    (void)snprintf(asked, sizeof asked, "at most %s",
                   sot_shown_count(labels->ask, number));
    (void)snprintf(answered, sizeof answered, "at most %s",
                   sot_shown_count(labels->answers, number));
    (void)snprintf(epsilon, sizeof epsilon, "%s, the guarantee",
                   sot_shown_up(labels->epsilon, DIGITS, number));
    const char *const cells[] = {asked, answered, epsilon};
    sot_html_row(out, "own", cells, 3);
    sot_html_table_close(out);
}

static void add_course(sot_growing *out, const sot_report_labels *labels)
{
    char delta[SOT_SHOWN_BYTES];
    sot_growing_text(out, "<h3>Epsilon by query</h3>\n");
    sot_html_say(
        out,
        "The guarantee is that of the caps: they were fixed and charged before a vote "
        "was counted. The sum of the queries that were asked and answered%s depends on "
        "the outcome, so that it is no guarantee. Both are at delta %s.",
        labels->agreement != NULL ? ", and the agreement below," : "",
        sot_shown_up(labels->delta, DIGITS, delta));
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw_course(out, labels);
    sot_growing_text(out, "<div>\n");
    add_marks(out, labels);
    sot_growing_text(out, "</div>\n</div>\n");
}

/* ---- agreement ---- */

static void add_share(sot_growing *out, const sotto_pate_agreement *agreement,
                      const sot_svg_axis *axis, size_t index)
{
    char at[SOT_SHOWN_BYTES], number[SOT_SHOWN_BYTES];
    const double share = 100.0 * agreement->share[index];
    const double reach = 100.0 * NORMAL_975 * agreement->deviation[index];
    sot_html_element(out, "<tr><th scope=\"row\">",
                     sot_shown_near(100.0 * agreement->at[index], SHARE_DIGITS, at),
                     "%</th>");
    sot_html_element(out, "<td>", sot_shown_near(share, SHARE_DIGITS, number), "%</td>");
    sot_html_element(out, "<td>&plusmn;&nbsp;",
                     sot_shown_up(reach, SHARE_DIGITS - 1, number), "</td>");
    sot_growing_text(out, "<td class=\"bar\">");
    sot_svg_row(out, axis, share, reach);
    sot_growing_text(out, "</td></tr>\n");
}

/* Half the width of the widest whisker, as a share of the queries. */
static double widest(const sotto_pate_agreement *agreement)
{
    double most = 0.0;
    for (size_t i = 0; i < agreement->count; i++)
        most = fmax(most, NORMAL_975 * agreement->deviation[i]);
    return most;
}

static void add_agreement(sot_growing *out, const sot_report_labels *labels)
{
    static const char *const header[] = {"Teachers", "Queries", "Noise", "Bar"};
    const sotto_pate_agreement *agreement = labels->agreement;
    char mean[SOT_SHOWN_BYTES], reach[SOT_SHOWN_BYTES], queries[SOT_SHOWN_BYTES];
    sot_growing_text(out, "<h3>Agreement of the teachers</h3>\n");
    if (agreement == NULL) {
        sot_html_element(out, "<p class=\"none\">",
                         "Not shown: it was not released. The agreement of the teachers "
                         "follows from their votes, which are secret, and one record may "
                         "change a vote on every query. sotto pate label --agreement "
                         "releases it under noise, from the budget of the labels.",
                         "</p>\n");
        return;
    }
    sot_html_say(out,
                 "On average %s%% of the teachers vote with the majority, \xc2\xb1 %s "
                 "points. This was released under noise and paid for, as the first line "
                 "of the plan, for all %s queries that could be asked.",
                 sot_shown_near(100.0 * agreement->mean, SHARE_DIGITS, mean),
                 sot_shown_up(100.0 * NORMAL_975 * agreement->mean_deviation,
                              SHARE_DIGITS - 1, reach),
                 sot_shown_count(labels->agreement_queries, queries));
    if (agreement->count == 2) { /* one bin: its share is the mean again */
        sot_html_say(out, "With this noise and number of teachers no histogram was asked "
                          "for: only the mean was released.");
        return;
    }
    const sot_svg_axis axis = {"", -20.0, 120.0, false, false};
    sot_html_table_open(out, "weights",
                        "Share of the queries with this number of agreeing teachers",
                        header, 4);
    for (size_t i = 0; i < agreement->count; i++)
        add_share(out, agreement, &axis, i);
    sot_html_table_close(out);
    if (widest(agreement) > READABLE)
        sot_html_element(
            out, "<p class=\"none\">",
            "The noise is too large for these shares to be useful. More teachers, fewer "
            "bins, or less noise for more of the budget would make them readable.",
            "</p>\n");
    sot_html_say(out, "A query between two of the marks counts for both, and more for "
                      "the nearer one. Whiskers are 1.96 standard deviations of the "
                      "noise to both sides. Shares are then moved to be at least 0 and "
                      "to add up to all queries, which makes them more accurate.");
}

/* ---- the section ---- */

static void explain(sot_growing *out, const sot_report *report)
{
    if (report->model != NULL) {
        sot_html_say(
            out,
            "This model is a student: it was trained on public rows and on labels that "
            "teachers gave them by noisy votes. The teachers were trained on the secret "
            "rows, and stay secret; the student has the guarantee of the labels.");
        return;
    }
    sot_html_say(out,
                 "Teachers were trained without noise, each on its own part of the "
                 "secret rows, and voted on public rows. Noise was added to the votes, "
                 "and the winner is the label. The labels are released%s; no vote is.",
                 report->labels->agreement != NULL ? ", and the agreement of the teachers"
                                                   : "");
}

void sot_report_add_labels(sot_growing *out, const sot_report *report)
{
    sot_html_section_open(out, "labels", "Votes and labels");
    explain(out, report);
    if (report->labels == NULL) {
        sot_html_element(
            out, "<p class=\"none\">",
            "The file of the labels has the queries, their costs and, if released, the "
            "agreement of the teachers; give it with --taught-by.",
            "</p>\n");
    } else {
        add_queries(out, report->labels);
        add_course(out, report->labels);
        add_agreement(out, report->labels);
        add_classes(out, report->labels);
    }
    sot_html_section_close(out);
}
