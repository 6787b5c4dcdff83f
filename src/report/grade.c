#include "report/grade.h"

#include <math.h>
#include <string.h>

#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"

/* Index of the false positive rate 1% in sot_false_positive_rates. */
enum { ONE_PERCENT = 1, HISTORY_PAIRS = 16 };

static const struct {
    sotto_grade grade;
    const char *name;
    double rate, delta; /* at most */
} steps[] = {
    {SOTTO_GRADE_STRONG, "strong", 0.03, 1e-5},
    {SOTTO_GRADE_MODERATE, "moderate", 0.19, 1e-4},
    {SOTTO_GRADE_WEAK, "weak", 0.5, 1e-3},
    {SOTTO_GRADE_FORMAL, "formal only", HUGE_VAL, HUGE_VAL},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

const char *sotto_grade_name(sotto_grade grade)
{
    for (size_t i = 0; i < STEPS; i++)
        if (steps[i].grade == grade) return steps[i].name;
    return "none";
}

sotto_grade sot_grade_of(double true_positive_rate, double delta)
{
    for (size_t i = 0; i < STEPS; i++)
        if (true_positive_rate <= steps[i].rate && delta <= steps[i].delta)
            return steps[i].grade;
    return SOTTO_GRADE_FORMAL;
}

static sot_graded graded(double rate, double delta)
{
    return (sot_graded){.rate = rate, .delta = delta, .grade = sot_grade_of(rate, delta)};
}

static double rate_of(const sotto_account *pairs, size_t count)
{
    return sotto_account_attack(pairs, count, sot_false_positive_rates[ONE_PERCENT]);
}

/* ---- a group of rows ---- */

static sotto_account group_of(const sot_guarantee *pair, unsigned rows)
{
    const double others = (double)(rows - 1);
    const double factor = sot_exp_up(sot_mul_up(others, pair->epsilon));
    return (sotto_account){
        .epsilon = sot_mul_up((double)rows, pair->epsilon),
        .delta = pair->delta > 0.0
                     ? sot_mul_up(sot_mul_up((double)rows, factor), pair->delta)
                     : 0.0};
}

sot_graded sot_grade_of_group(const sot_claims *claims, unsigned rows)
{
    sotto_account pairs[SOT_GUARANTEES_MAX + SOT_PROFILE_SIZE + 1];
    size_t count = 0;
    const sot_guarantee headline = {.epsilon = claims->epsilon, .delta = claims->delta};
    pairs[count++] = group_of(&headline, rows);
    for (size_t i = 0; i < claims->guarantee_count; i++)
        pairs[count++] = group_of(&claims->guarantees[i], rows);
    for (size_t i = 0; i < SOT_PROFILE_SIZE; i++)
        pairs[count++] = group_of(&claims->profile[i], rows);
    double delta = pairs[0].delta; /* every pair holds: the least delta counts */
    for (size_t i = 1; i < count; i++)
        delta = fmin(delta, pairs[i].delta);
    return graded(rate_of(pairs, count), delta);
}

/* ---- the ledger ---- */

const sotto_ledger_balance *sot_report_balance(const sot_report *report)
{
    if (report->ledger != NULL) return &report->ledger->balance;
    if (report->file != NULL && report->file->certificate.facts.ledger != NULL)
        return &report->file->certificate.facts.ledger->after;
    return NULL;
}

static double delta_of(const sotto_ledger_balance *balance)
{
    return fmax(balance->delta, balance->delta_guaranteed); /* NaN: not known */
}

/* rho-zCDP gives epsilon = rho + 2 sqrt(rho ln(1/delta)) at every delta (Bun & Steinke, TCC 2016, Prop. 1.3). */
static double zcdp_epsilon(double rho, double delta)
{
    const double root = sot_sqrt_up(sot_mul_up(rho, -sot_log_down(delta)));
    return sot_add_up(rho, sot_mul_up(2.0, root));
}

/* Each delta gives a pair, and the least of their bounds counts. */
static size_t add_pairs(double order, double spent, double extra, sotto_account *pairs)
{
    static const double deltas[] = {0.3,  0.1,  0.05, 0.03, 0.02, 0.01, 0.005,
                                    3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    enum { DELTAS = sizeof deltas / sizeof deltas[0] };
    _Static_assert((int)DELTAS < (int)HISTORY_PAIRS, "room beside the stated pair");
    for (size_t i = 0; i < DELTAS; i++)
        pairs[i] = (sotto_account){
            .epsilon = isnan(order) ? zcdp_epsilon(spent, deltas[i])
                                    : sot_budget_epsilon_upper(order, spent, deltas[i]),
            .delta = sot_add_up(deltas[i], extra)};
    return DELTAS;
}

/* The running sums, converted as if they had been the budget (privacy/ledger/ledger.md, step 7). */
static sot_graded history_of(const sotto_ledger_balance *balance)
{
    sotto_account pairs[HISTORY_PAIRS];
    size_t count = 0;
    const bool is_zcdp = balance->member_count > 0 && !isnan(balance->rho);
    if (!(balance->spent > 0.0))
        return graded(sot_false_positive_rates[ONE_PERCENT], 0.0);
    if (is_zcdp) {
        count = add_pairs((double)NAN, balance->spent, 0.0, pairs);
        return graded(rate_of(pairs, count), 0.0);
    }
    if (!isnan(balance->order) && isfinite(balance->spent))
        count = add_pairs(balance->order, balance->spent, balance->delta_spent, pairs);
    pairs[count++] = (sotto_account){.epsilon = balance->epsilon_spent_upper,
                                     .delta = delta_of(balance)};
    return graded(rate_of(pairs, count), delta_of(balance));
}

/* Everything ever released under the budget: the theorem's own pair. */
static sot_graded budget_of(const sotto_ledger_balance *balance)
{
    sotto_account pairs[HISTORY_PAIRS];
    if (balance->member_count > 0 && !isnan(balance->rho))
        return graded(rate_of(pairs, add_pairs((double)NAN, balance->rho, 0.0, pairs)),
                      0.0);
    pairs[0] = (sotto_account){.epsilon = balance->epsilon, .delta = delta_of(balance)};
    return graded(rate_of(pairs, 1), delta_of(balance));
}

/* ---- reasons for no grade ---- */

static bool has_privacy_advisory(const sot_certificate_file *file)
{
    const sotto_advisory *advisories[SOTTO_ADVISORIES_MAX];
    const size_t count = sot_certificate_advisories(file, advisories);
    for (size_t i = 0; i < count; i++)
        if (advisories[i]->affects_privacy) return true;
    return false;
}

static bool is_adjusted(const sotto_certificate_facts *facts)
{
    for (size_t i = 0; facts->unprotected != NULL && facts->unprotected[i] != NULL; i++)
        if (strstr(facts->unprotected[i], SOTTO_SOURCE_ADJUSTED) != NULL) return true;
    return false;
}

static const char *reason_of(const sot_report *report)
{
    if (report->file == NULL)
        return report->subject == SOT_SUBJECT_LEDGER ? ""
                                                     : "There is no privacy guarantee.";
    if (!report->file->certificate.is_secure) return "A test seed made the noise.";
    if (report->outcome != SOTTO_OK) return "The certificate does not verify.";
    if (has_privacy_advisory(report->file))
        return "An advisory concerns the guarantee of the version that made this file.";
    if (is_adjusted(&report->file->certificate.facts))
        return "Parts of the schema were adjusted after viewing private rows.";
    if (report->ledger != NULL && !report->ledger->has_own)
        return "The ledger does not list this release.";
    if (report->ledger != NULL && report->ledger->reason[0] != '\0')
        return "The ledger does not confirm the certificate.";
    return "";
}

static sotto_grade worse(sotto_grade a, sotto_grade b)
{
    return a > b ? a : b;
}

sot_grading sot_report_grade(const sot_report *report)
{
    const sotto_ledger_balance *balance = sot_report_balance(report);
    sot_grading grading = {.grade = SOTTO_GRADE_NONE, .reason = reason_of(report)};
    if (grading.reason[0] != '\0') return grading;
    if (report->file != NULL) {
        const sot_claims *claims = &report->file->certificate.claims;
        grading.has_own = true;
        grading.own = graded(claims->true_positive_rates[ONE_PERCENT], claims->delta);
        grading.grade = grading.own.grade;
    }
    if (balance != NULL) {
        grading.has_history = true;
        grading.history = history_of(balance);
        grading.budget = budget_of(balance);
        grading.grade = worse(grading.grade, grading.history.grade);
    }
    return grading;
}
