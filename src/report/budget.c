/* The budget of the data set and its burn-down. Shares are of the budget as it is now; the spent
 * part is rounded up, the rest down. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    HEIGHT = 300,
    STEPS_MAX = 512, /* of the picture; older ones are left out */
    SHARE_DIGITS = 3,
    DIGITS = 6,
    DATE_BYTES = 32,
    WORDS_BYTES = 512
};

static double share(double amount, double budget)
{
    return budget > 0.0 ? fmin(1.0, fmax(0.0, amount / budget)) : 0.0;
}

static const char *date_of(int64_t seconds, char out[DATE_BYTES])
{
    const time_t moment = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&moment, &parts) == NULL ||
        strftime(out, DATE_BYTES, "%Y-%m-%d", &parts) == 0)
        (void)snprintf(out, DATE_BYTES, "%lld", (long long)seconds);
    return out;
}

/* The difference of two such doubles is within an ulp; 1e-12 is far above. */
static const char *shown_left(double granted, double spent, double budget,
                              char out[SOT_SHOWN_BYTES])
{
    const double slack = spent > 0.0 ? 1.0 - 1e-12 : 1.0;
    return sot_shown_percent_down(share((granted - spent) * slack, budget), SHARE_DIGITS,
                                  out);
}

/* ---- the burn-down ---- */

typedef struct stairs {
    double x[2 * STEPS_MAX + 2], y[2 * STEPS_MAX + 2]; /* corners */
    size_t corners;
    double at[STEPS_MAX], left[STEPS_MAX]; /* one per row of the ledger */
    size_t count;
} stairs;

/* Level until the next row, then to its amount, in per cent of the budget now. */
static void climb(const sot_report_ledger *ledger, stairs *out)
{
    const size_t first = ledger->count > STEPS_MAX ? ledger->count - STEPS_MAX : 0;
    for (size_t i = first; i < ledger->count; i++) {
        const sot_report_entry *entry = &ledger->entries[i];
        const double x = (double)(i - first + 1);
        const double left =
            100.0 * share(entry->budget - entry->spent, ledger->balance.budget);
        if (i > first) {
            out->x[out->corners] = x;
            out->y[out->corners++] = out->left[out->count - 1];
        }
        out->x[out->corners] = x;
        out->y[out->corners++] = left;
        out->at[out->count] = x;
        out->left[out->count++] = left;
    }
    if (out->count == 0) return;
    out->x[out->corners] = out->at[out->count - 1] + 0.8;
    out->y[out->corners++] = out->left[out->count - 1];
}

static void draw(sot_growing *out, const sot_report_ledger *ledger, const char *label,
                 const char *self)
{
    stairs steps = {.count = 0};
    char words[WORDS_BYTES];
    climb(ledger, &steps);
    if (steps.count == 0) return;
    const sot_svg_panel panel = {
        .title = "",
        .x = {label, 1.0, steps.at[steps.count - 1] + 0.8, false, true},
        .y = {"budget left, %", 0.0, 105.0, false, false},
        .left = 62,
        .top = 14,
        .width = 366,
        .height = 236};
    (void)snprintf(words, sizeof words,
                   "A staircase from the whole budget down: each charge is a step down, "
                   "each grant a step up. It has %zu entries and ends at %d per cent.",
                   steps.count, (int)floor(steps.left[steps.count - 1]));
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "budget-plot", "Burn-down of the budget",
                         words);
    sot_svg_panel_draw(out, &panel);
    sot_svg_area(out, &panel, SOT_SVG_FIRST, steps.x, steps.y, steps.corners);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, steps.x, steps.y, steps.corners);
    const size_t hidden = ledger->count - steps.count;
    for (size_t i = 0; i < steps.count; i++) {
        const bool own = ledger->entries[hidden + i].is_own;
        sot_svg_points(out, &panel, own ? SOT_SVG_SECOND : SOT_SVG_FIRST, &steps.at[i],
                       &steps.left[i], 1);
        const bool late = steps.at[i] > 0.7 * panel.x.most;
        const double aside = (late ? -0.03 : 0.03) * panel.x.most;
        if (own)
            sot_svg_note(out, &panel, SOT_SVG_SECOND, steps.at[i] + aside,
                         steps.left[i] + (late ? -8.0 : 3.0), late ? "end" : "start",
                         self);
    }
    sot_svg_end(out);
    sot_growing_text(out, "<figcaption>The remaining budget after each entry, in per "
                          "cent of the budget as it is now. A charge is made before a "
                          "row is read, and stands.</figcaption>\n</figure>\n");
}

static void add_entries(sot_growing *out, const sot_report_ledger *ledger,
                        const char *self)
{
    static const char *const header[] = {"Date", "What", "Charged", "Left"};
    const double budget = ledger->balance.budget;
    const size_t first = ledger->count > SOT_REPORT_ENTRIES_SHOWN
                             ? ledger->count - SOT_REPORT_ENTRIES_SHOWN
                             : 0;
    sot_html_table_open(out, "ledger", "Entries of the ledger", header, 4);
    for (size_t i = first; i < ledger->count; i++) {
        const sot_report_entry *entry = &ledger->entries[i];
        char date[DATE_BYTES], charged[SOT_SHOWN_BYTES] = "", left[SOT_SHOWN_BYTES];
        char what[SOTTO_LEDGER_TEXT_BYTES + 32];
        (void)snprintf(what, sizeof what, "%s%s%s%s%s",
                       entry->kind == SOTTO_LEDGER_INIT    ? "the budget is set"
                       : entry->kind == SOTTO_LEDGER_GRANT ? "granted: "
                                                           : "",
                       entry->text, entry->is_own ? " (" : "", entry->is_own ? self : "",
                       entry->is_own ? ")" : "");
        if (entry->kind == SOTTO_LEDGER_RESERVE)
            (void)sot_shown_percent_up(share(entry->charged, budget), SHARE_DIGITS,
                                       charged);
        const char *const cells[] = {
            date_of(entry->time_seconds, date), what, charged,
            shown_left(entry->budget, entry->spent, budget, left)};
        sot_html_row(out, entry->is_own ? "own" : "", cells, 4);
    }
    sot_html_table_close(out);
    if (first > 0) sot_html_say(out, "%zu older entries are not shown.", first);
}

/* "epsilon 2 at delta 1e-06", "epsilon 1 (pure)", "rho 0.1 (zCDP)" */
static void name_budget(const sotto_ledger_balance *balance, char out[WORDS_BYTES])
{
    char epsilon[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES];
    if (balance->member_count > 0 && !isnan(balance->rho)) {
        (void)snprintf(out, WORDS_BYTES, "rho %s (zCDP)",
                       sot_shown_whole(balance->rho, epsilon));
    } else if (balance->delta > 0.0) {
        (void)snprintf(
            out, WORDS_BYTES, "epsilon %s at delta %s",
            sot_shown_whole(balance->epsilon, epsilon),
            sot_shown_whole(fmax(balance->delta, balance->delta_guaranteed), delta));
    } else {
        (void)snprintf(out, WORDS_BYTES, "epsilon %s (pure)",
                       sot_shown_whole(balance->epsilon, epsilon));
    }
}

/* Each member counts every run in its own currency; shares of a budget compare. */
static void add_members(sot_growing *out, const sotto_ledger_balance *balance)
{
    static const char *const header[] = {"Member", "Part of delta", "Spent", "Left"};
    if (balance->member_count < 2) return;
    sot_html_table_open(out, "", "Members of the ledger", header, 4);
    for (size_t i = 0; i < balance->member_count; i++) {
        const sotto_ledger_member *member = &balance->members[i];
        char name[WORDS_BYTES], order[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES],
            spent[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES];
        (void)snprintf(name, sizeof name, "%s", sotto_member_name(member->kind));
        if (!isnan(member->order))
            (void)snprintf(name, sizeof name, "%s, order %s",
                           sotto_member_name(member->kind),
                           sot_shown_near(member->order, 4, order));
        const char *const cells[] = {
            name, sot_shown_down(member->delta, SHARE_DIGITS, delta),
            isfinite(member->spent)
                ? sot_shown_percent_up(share(member->spent, member->budget), SHARE_DIGITS,
                                       spent)
                : "a run without a price",
            member->covers ? sot_shown_percent_down(share(member->left, member->budget),
                                                    SHARE_DIGITS, left)
                           : "covers nothing more"};
        sot_html_row(out, i == balance->member ? "own" : "", cells, 4);
    }
    sot_html_table_close(out);
}

static void add_balance(sot_growing *out, const sotto_ledger_balance *balance)
{
    char budget[WORDS_BYTES], spent[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES];
    name_budget(balance, budget);
    (void)sot_shown_percent_up(share(balance->spent, balance->budget), SHARE_DIGITS,
                               spent);
    (void)sot_shown_percent_down(share(balance->left, balance->budget), SHARE_DIGITS,
                                 left);
    sot_html_say(out,
                 "All releases from the data set %s under this budget are together "
                 "private with %s. %s of the budget is spent, %s is left.",
                 balance->dataset, budget, spent, left);
    if (balance->unit[0] != '\0')
        sot_html_say(out, "It protects every row of one value of the column %s.",
                     balance->unit);
    if (balance->member_count > 0) {
        char room[SOTTO_ROOM_TEXT_BYTES];
        sotto_ledger_describe_room(&balance->room, room);
        sot_html_say(out, "You may still run one of: %s.", room);
    }
    add_members(out, balance);
}

static void add_ledger(sot_growing *out, const sot_report *report)
{
    static const char *const absences[] = {
        "This model is not on the ledger: no entry has its hash. Either its file was "
        "never finished, or another ledger was charged.",
        "These labels are not on the ledger: no entry has their hash. Either their file "
        "was never finished, or another ledger was charged.",
        "This release is not on the ledger: no entry has its hash. Either its file was "
        "never finished, or another ledger was charged.",
        "The labels of this student are not on the ledger: no entry has their hash. "
        "Another ledger was charged."};
    const sot_report_ledger *ledger = report->ledger;
    /* A student is not charged: the labels were. */
    const char *self = report->is_student ? "its labels" : sot_report_self(report);
    add_balance(out, &ledger->balance);
    if (report->file != NULL && !ledger->has_own) {
        sot_html_element(out, "<p class=\"none\">",
                         absences[report->is_student ? 3 : report->subject], "</p>\n");
    } else if (ledger->reason[0] != '\0') {
        sot_html_element(
            out, "<p class=\"none\">The ledger does not confirm the certificate: ",
            ledger->reason, "</p>\n");
    } else if (ledger->is_anchored && report->file != NULL) {
        sot_html_say(out, "The head of the ledger that the certificate quotes is on its "
                          "chain, and every charge was recomputed from its plan.");
    }
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw(out, ledger, "entry of the ledger", self);
    sot_growing_text(out, "<div>\n");
    add_entries(out, ledger, self);
    sot_growing_text(out, "</div>\n</div>\n");
}

/* ---- quotes of the certificate ---- */

static sot_report_entry quoted(const sotto_ledger_balance *balance, double charged,
                               const char *text)
{
    sot_report_entry entry = {.kind = SOTTO_LEDGER_RESERVE,
                              .charged = charged,
                              .budget = balance->budget,
                              .spent = balance->spent,
                              .is_own = charged > 0.0};
    (void)snprintf(entry.text, sizeof entry.text, "%s", text);
    return entry;
}

static void add_quote(sot_growing *out, const sotto_reservation *reservation,
                      const char *self)
{
    static const char *const header[] = {"When", "Spent", "Left"};
    sot_report_entry entries[2] = {
        quoted(&reservation->before, 0.0, "before"),
        quoted(&reservation->after, reservation->charged, "after")};
    const sot_report_ledger ledger = {
        .balance = reservation->after, .entries = entries, .count = 2};
    char words[3][WORDS_BYTES];
    (void)snprintf(words[0], sizeof words[0], "1: before %s, 2: after", self);
    (void)snprintf(words[1], sizeof words[1], "before %s", self);
    (void)snprintf(words[2], sizeof words[2], "after %s", self);
    add_balance(out, &reservation->after);
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw(out, &ledger, words[0], self);
    sot_growing_text(out, "<div>\n");
    sot_html_table_open(out, "", "Charges", header, 3);
    for (int i = 0; i < 2; i++) {
        const sotto_ledger_balance *balance =
            i == 0 ? &reservation->before : &reservation->after;
        char spent[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES];
        const char *const cells[] = {
            words[1 + i],
            sot_shown_percent_up(share(balance->spent, balance->budget), SHARE_DIGITS,
                                 spent),
            sot_shown_percent_down(share(balance->left, balance->budget), SHARE_DIGITS,
                                   left)};
        sot_html_row(out, i == 1 ? "own" : "", cells, 3);
    }
    sot_html_table_close(out);
    sot_html_say(out, "These numbers are quoted from the certificate. The ledger itself, "
                      "given with --ledger, has all charges.");
    sot_growing_text(out, "</div>\n</div>\n");
}

void sot_report_add_budget(sot_growing *out, const sot_report *report)
{
    sot_html_section_open(out, "budget", "The budget");
    if (report->ledger != NULL) {
        add_ledger(out, report);
    } else if (report->file != NULL && report->file->certificate.facts.ledger != NULL) {
        add_quote(out, report->file->certificate.facts.ledger,
                  report->is_student ? "its labels" : sot_report_self(report));
    } else {
        char text[WORDS_BYTES];
        (void)snprintf(text, sizeof text,
                       "No ledger kept a budget for %s. Other releases from the same "
                       "data add to the privacy loss, and nothing tracks the sum.",
                       sot_report_self(report));
        sot_html_element(out, "<p class=\"none\">",
                         report->file == NULL
                             ? "None was needed: a model of public rows costs nothing."
                             : text,
                         "</p>\n");
    }
    sot_html_section_close(out);
}
