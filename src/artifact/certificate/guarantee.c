/* The guarantee of a certificate, for people. Upper bounds are rounded up. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "artifact/certificate/page.h"
#include "numeric/shown.h"

enum { DIGITS = 6, PERCENT_DIGITS = 3 };

static void add_figure(sot_page *page, const sot_certificate *certificate,
                       const char *name, const char *value)
{
    char label[SOT_SHOWN_BYTES];
    (void)snprintf(label, sizeof label, "%s%s", name,
                   certificate->is_secure ? "" : ", void");
    sot_page_figure(page, label, value);
}

static void add_figures(sot_page *page, const sot_certificate *certificate)
{
    char number[SOT_SHOWN_BYTES];
    const sot_claims *claims = &certificate->claims;
    add_figure(page, certificate, "epsilon",
               sot_shown_up(claims->epsilon, DIGITS, number));
    add_figure(page, certificate, "delta",
               claims->delta == 0.0 ? "0 (pure)"
                                    : sot_shown_up(claims->delta, DIGITS, number));
    if (!isnan(claims->mu))
        add_figure(page, certificate, "mu (GDP)",
                   sot_shown_up(claims->mu, DIGITS, number));
    if (!isnan(claims->rho))
        add_figure(page, certificate, "rho (zCDP)",
                   sot_shown_up(claims->rho, DIGITS, number));
}

static void add_protected(sot_page *page, const sot_certificate *certificate)
{
    const sotto_certificate_facts *facts = &certificate->facts;
    const bool replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE;
    sot_page_heading(page, "Protected");
    sot_page_fact(page, "output", facts->output);
    if (facts->dataset != NULL) sot_page_fact(page, "data set", facts->dataset);
    sot_page_fact(page, "unit", facts->unit);
    sot_page_fact(page, "neighbours",
                  replaced ? "replace-one: data sets that differ in the rows of one unit"
                           : "add-remove: data sets of which one has one unit more");
    /* Exchanging a unit of several rows may change the number of rows. */
    const bool is_row = strcmp(facts->unit, "row") == 0;
    sot_page_fact(page, is_row ? "number of rows" : "number of units",
                  replaced && !facts->selected ? "public" : "secret");
    sot_page_paragraph(page,
                       "The guarantee covers these accesses to the data, together:");
    for (size_t i = 0; facts->covered[i] != NULL; i++)
        sot_page_item(page, facts->covered[i]);
}

static void add_unprotected(sot_page *page, const sotto_certificate_facts *facts)
{
    sot_page_heading(page, "Not protected");
    if (facts->unprotected == NULL || facts->unprotected[0] == NULL) {
        sot_page_paragraph(page, "Nothing was declared public.");
        return;
    }
    sot_page_paragraph(page, "These were declared public, or chosen without the data:");
    for (size_t i = 0; facts->unprotected[i] != NULL; i++)
        sot_page_item(page, facts->unprotected[i]);
}

static void add_epsilons(sot_page *page, const sot_claims *claims)
{
    static const char *const header[] = {"delta", "epsilon is at most",
                                         "and at least, by this accounting"};
    sot_page_heading(page, "The guarantee at several deltas");
    sot_page_paragraph(
        page, "All of these hold at the same time. A smaller delta asks more, so "
              "its epsilon is larger.");
    sot_page_header(page, 3, header);
    for (size_t i = 0; i < claims->guarantee_count; i++) {
        const sot_guarantee *row = &claims->guarantees[i];
        char delta[SOT_SHOWN_BYTES], upper[SOT_SHOWN_BYTES], lower[SOT_SHOWN_BYTES];
        const bool is_known = row->epsilon_lower > 0.0 || row->epsilon == 0.0;
        const char *const cells[] = {
            sot_shown_up(row->delta, DIGITS, delta),
            sot_shown_up(row->epsilon, DIGITS, upper),
            is_known ? sot_shown_down(row->epsilon_lower, DIGITS, lower) : "not known"};
        sot_page_row(page, 3, cells);
    }
}

static void add_attacks(sot_page *page, const sot_certificate *certificate)
{
    static const char *const rates[] = {"false positive rate, at most",
                                        "true positive rate, at most"};
    const bool replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE;
    sot_page_heading(page, "Success of an attack");
    sot_page_paragraph(
        page, replaced ? "An attacker who knows every other record tests a guess about "
                         "one record. Every test with at most the first share of false "
                         "positives has at most the second share of true positives. "
                         "Without the release, both shares would be equal."
                       : "An attacker who knows every other record tests whether one "
                         "record is in the data. Every test with at most the first share "
                         "of false positives has at most the second share of true "
                         "positives. Without the release, both shares would be equal.");
    sot_page_header(page, 2, rates);
    for (size_t i = 0; i < SOT_ATTACKS_SIZE; i++) {
        char wrong[SOT_SHOWN_BYTES], right[SOT_SHOWN_BYTES];
        const double rate = certificate->claims.true_positive_rates[i];
        const char *const cells[] = {
            sot_shown_percent_whole(sot_false_positive_rates[i], wrong),
            sot_shown_percent_up(rate, PERCENT_DIGITS, right)};
        sot_page_row(page, 2, cells);
    }
}

void sot_page_add_scope(sot_page *page, const sot_certificate *certificate)
{
    add_protected(page, certificate);
    add_unprotected(page, &certificate->facts);
}

void sot_page_add_guarantee(sot_page *page, const sot_certificate *certificate)
{
    sot_page_paragraph(page, certificate->statement);
    add_figures(page, certificate);
    sot_page_add_scope(page, certificate);
    add_epsilons(page, &certificate->claims);
    add_attacks(page, certificate);
}
