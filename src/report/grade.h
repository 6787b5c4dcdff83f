/* report/grade.h: the strength of a guarantee, as one of four grades.
 *
 * Idea        The best membership attack with a false positive rate of 1% has a true positive rate that the guarantee
 *             bounds (privacy/accounting/curve/attack.c). The grade is a function of this bound and of delta, the
 *             probability with which a release may expose a unit with certainty.
 * Thresholds  docs/explanation/grades.md derives them.
 *                 grade        true positive rate   delta
 *                 strong       at most  3%          at most 1e-5
 *                 moderate     at most 19%          at most 1e-4
 *                 weak         at most 50%          at most 1e-3
 *                 formal only  above
 * History     A release is graded together with everything that its ledger has charged: the worse of the two counts.
 * No grade    For a test seed, a certificate that does not verify or an advisory about privacy. For a schema adjusted after
 *             viewing private rows. For a ledger that does not list the release.
 */
#ifndef SOT_REPORT_GRADE_H
#define SOT_REPORT_GRADE_H

#include <sotto/grade.h>

#include "report/report.h"

typedef struct sot_graded {
    double rate; /* upper bound on the true positive rate */
    double delta;
    sotto_grade grade;
} sot_graded;

/* Returns the grade of a bound on the true positive rate and a delta; NaN counts as the worst. */
sotto_grade sot_grade_of(double true_positive_rate, double delta);

/* Returns the grade for a unit of `rows` rows when the guarantee is about one row. Group privacy makes a pair
 * (epsilon, delta) into (k epsilon, k e^((k-1) epsilon) delta). The reason: k applications of the definition give
 * delta (1 + e^epsilon + ... + e^((k-1) epsilon)). */
sot_graded sot_grade_of_group(const sot_claims *claims, unsigned rows);

typedef struct sot_grading {
    sotto_grade grade;  /* SOTTO_GRADE_NONE: `reason` says why */
    const char *reason; /* "" if there is a grade */
    bool has_own, has_history;
    sot_graded own; /* this release */
    sot_graded
        history; /* with every other charge so far; the running sums count as the budget */
    sot_graded budget; /* everything that the ledger can ever admit */
} sot_grading;

/* Returns the grades of a report. */
sot_grading sot_report_grade(const sot_report *report);

/* Returns the ledger's balance: of --ledger, else the one that the certificate quotes, else NULL. */
const sotto_ledger_balance *sot_report_balance(const sot_report *report);

#endif
