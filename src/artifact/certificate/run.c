/* The run for people: the releases, the noise, the ledger. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "artifact/certificate/page.h"
#include "base/text.h"
#include "numeric/shown.h"

enum { DIGITS = 6, LINE_BYTES = 256, PLANS_SHOWN = 4 };

typedef struct line {
    char text[LINE_BYTES];
} line;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(line *words, const char *format, ...)
{
    const size_t used = strlen(words->text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words->text + used, sizeof words->text - used, format, arguments);
    va_end(arguments);
}

static void add_parameter(line *words, const char *name, double value)
{
    char number[SOT_SHOWN_BYTES];
    if (isnan(value)) return;
    add(words, "%s%s %s", words->text[0] != '\0' ? ", " : "", name,
        sot_shown_whole(value, number));
}

/* "sigma 5, sensitivity 1, grid 1, Poisson rate 0.01" */
static void describe_event(const sotto_event *event, line *words)
{
    const bool has_sigma =
        event->mechanism == SOTTO_GAUSSIAN || event->mechanism == SOTTO_DISCRETE_GAUSSIAN;
    words->text[0] = '\0';
    add_parameter(words, "noise multiplier", event->noise_multiplier);
    add_parameter(words, has_sigma ? "sigma" : "scale", event->scale);
    add_parameter(words, "sensitivity", event->sensitivity);
    add_parameter(words, "grid", event->grid);
    add_parameter(words, "epsilon", event->epsilon);
    add_parameter(words, "delta", event->delta);
    add_parameter(words, "rho", event->rho);
    add_parameter(words, "mu", event->mu);
    add_parameter(words, "atom", event->atom);
    add_parameter(words, "shift", event->shift);
    add_parameter(words, "Poisson rate", event->rate);
    if (event->batch != 0) add(words, ", batches of %" PRIu64, event->batch);
    if (event->population != 0) {
        add(words, "%s %" PRIu64, event->batch != 0 ? " out of" : ", one record out of",
            event->population);
    }
    if (event->curve_size != 0)
        add(words, "a Renyi bound at %lu orders", (unsigned long)event->curve_size);
    if (event->categories != 0)
        add(words, ", %lu answers", (unsigned long)event->categories);
    if (event->vertices > 1) add(words, ", %lu vertices", (unsigned long)event->vertices);
    if (event->rows > 1) add(words, ", %lu rows per unit", (unsigned long)event->rows);
}

static void add_events(sot_page *page, const sotto_plan *plan, const uint64_t *released,
                       bool capped)
{
    static const char *const header[] = {"times", "mechanism", "for", "with"};
    sot_page_header(page, 4, header);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        char count[SOT_SHOWN_BYTES], most[SOT_SHOWN_BYTES];
        line parameters, times = {.text = ""};
        describe_event(event, &parameters);
        add(&times, "%s",
            sot_shown_count(released != NULL ? released[i] : event->count, count));
        if (capped) add(&times, " of at most %s", sot_shown_count(event->count, most));
        const char *const cells[] = {
            times.text, sotto_mechanism_name(event->mechanism),
            event->purpose[0] != '\0' ? event->purpose : "(not named)", parameters.text};
        sot_page_row(page, 4, cells);
    }
}

/* The price of a tuning follows from the plans of its trainings. */
static void add_selection(sot_page *page, const sotto_selection *selection)
{
    line law = {.text = ""}, words = {.text = ""};
    add(&law, "%s", sotto_runs_law_name(selection->runs.law));
    if (!isnan(selection->runs.shape)) { /* may be below 0 */
        char eta[SOT_DOUBLE_TEXT_BYTES];
        sot_format_double(selection->runs.shape, eta);
        add(&law, ", eta %s", eta);
    }
    add_parameter(&law, "gamma", selection->runs.gamma);
    add_parameter(&law, "mean", selection->runs.mean);
    sot_page_heading(page, "Origin of its price");
    add(&words, "The best of a secret number of trainings (%s), each with ", law.text);
    if (selection->plan_count == 1) {
        add(&words, "this plan:");
    } else {
        add(&words, "one of %zu plans:", selection->plan_count);
    }
    sot_page_paragraph(page, words.text);
    for (size_t i = 0; i < selection->plan_count && i < PLANS_SHOWN; i++)
        add_events(page, selection->plans[i], NULL, false);
    if (selection->plan_count > PLANS_SHOWN)
        sot_page_paragraph(page, "The other plans stand in the file.");
}

static void add_releases(sot_page *page, const sot_certificate *certificate)
{
    sot_page_heading(page, "Released");
    add_events(page, certificate->plan, certificate->released, certificate->is_capped);
    if (certificate->facts.selection != NULL)
        add_selection(page, certificate->facts.selection);
}

static void add_noise(sot_page *page, const sot_certificate *certificate)
{
    char number[SOT_SHOWN_BYTES];
    line error = {.text = ""};
    sot_page_heading(page, "Run");
    sot_page_fact(page, "noise source",
                  certificate->is_secure ? "the operating system's random source"
                                         : "TEST SEED: NOT PRIVATE");
    if (certificate->sampler_error == 0.0) {
        add(&error, "none: the samplers are exact");
    } else {
        add(&error, "at most %s in total variation, over all samples; delta includes it",
            sot_shown_up(certificate->sampler_error, DIGITS, number));
    }
    sot_page_fact(page, "sampler error", error.text);
    if (certificate->facts.route != NULL)
        sot_page_fact(page, "route", certificate->facts.route);
    sot_page_fact(page, "settings", certificate->facts.tuning);
    line how = {.text = ""};
    add(&how, "%s (%s)", sotto_accountant_name(SOTTO_EXACT),
        sotto_kernel_name(certificate->claims.kernel));
    sot_page_fact(page, "accountant", how.text);
}

static void add_balance(sot_page *page, const char *label,
                        const sotto_ledger_balance *balance)
{
    char spent[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES];
    line words = {.text = ""};
    add(&words, "%s spent, %s left", sot_shown_up(balance->spent, DIGITS, spent),
        sot_shown_down(balance->left, DIGITS, left));
    if (balance->delta_budget > 0.0) {
        const bool basic = balance->member < balance->member_count &&
                           balance->members[balance->member].kind == SOTTO_MEMBER_BASIC;
        add(&words, "; %s: %s spent, %s left",
            basic ? "deltas of runs" : "own deltas and sampler errors",
            sot_shown_up(balance->delta_spent, DIGITS, spent),
            sot_shown_down(balance->delta_left, DIGITS, left));
    }
    sot_page_fact(page, label, words.text);
}

static const char *currency_of(const sotto_ledger_balance *balance)
{
    const sotto_member_kind kind = balance->member < balance->member_count
                                       ? balance->members[balance->member].kind
                                       : SOTTO_MEMBER_PURE;
    return kind == SOTTO_MEMBER_GAUSSIAN ? "mu^2"
           : kind == SOTTO_MEMBER_ZCDP   ? "rho"
                                         : "epsilon";
}

static void add_ledger(sot_page *page, const sotto_reservation *ledger)
{
    char epsilon[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES], number[SOT_SHOWN_BYTES];
    line words = {.text = ""};
    sot_page_heading(page, "Ledger");
    if (ledger == NULL) {
        sot_page_paragraph(page, "No ledger kept a budget for this release. Other "
                                 "releases from the same data add to its privacy loss.");
        return;
    }
    const sotto_ledger_balance *after = &ledger->after;
    sot_page_fact(page, "data set", after->dataset);
    if (after->member_count > 0 && !isnan(after->rho)) {
        add(&words, "rho %s of zCDP", sot_shown_whole(after->rho, epsilon));
    } else {
        add(&words, "epsilon %s, delta %s", sot_shown_whole(after->epsilon, epsilon),
            sot_shown_whole(after->delta, delta));
    }
    if (after->unit[0] != '\0') add(&words, ", of each '%.80s'", after->unit);
    sot_page_fact(page, "budget", words.text);
    words.text[0] = '\0';
    if (!isnan(after->order)) {
        add(&words, "in Renyi divergence of order %s, ",
            sot_shown_whole(after->order, number));
    } else {
        add(&words, "in %s, ", currency_of(after));
    }
    add(&words, "%s in all", sot_shown_down(after->budget, DIGITS, number));
    sot_page_fact(page, "measured", words.text);
    words.text[0] = '\0';
    add(&words, "%s, as entry %llu", sot_shown_up(ledger->charged, DIGITS, number),
        (unsigned long long)ledger->id);
    sot_page_fact(page, "charged", words.text);
    add_balance(page, "before", &ledger->before);
    add_balance(page, "after", after);
    if (after->member_count > 0) {
        char room[SOTTO_ROOM_TEXT_BYTES];
        sotto_ledger_describe_room(&after->room, room);
        sot_page_fact(page, "left, one of", room);
    }
    if (after->curator[0] != '\0') sot_page_fact(page, "curator", after->curator);
    sot_page_fact(page, "head before", ledger->before.head);
    sot_page_fact(page, "head after", after->head);
}

void sot_page_add_run(sot_page *page, const sot_certificate *certificate)
{
    add_releases(page, certificate);
    add_noise(page, certificate);
    add_ledger(page, certificate->facts.ledger);
}
