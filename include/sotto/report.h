/* sotto/report.h: a model, labels by teachers, a release or a ledger as one HTML report.
 *
 * Idea        One self-contained HTML page. It is for readers who decide whether to use or to
 *             publish a model. It has the guarantee in words and as a curve, bounds on attacks,
 *             the budget, and coefficients with their noise. It also has the accuracy on public
 *             rows, the recomputed certificate and the known weaknesses. No script, nothing
 *             fetched.
 * Privacy     A report is computed from the model file, public rows and the ledger: it is
 *             post-processing, and costs nothing. Scores and curves use only the PUBLIC rows.
 * Grade       The headline has one of four grades. They follow from the best attack that the guarantee and the whole history
 *             of the ledger leave; grades.md derives the thresholds.
 * Assumes     The rows given as public are public. sotto cannot check this, and the page says so.
 * Docs        report.md, grades.md
 */
#ifndef SOTTO_REPORT_H
#define SOTTO_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/grade.h>
#include <sotto/memory.h>
#include <sotto/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sotto_report_defaults(). Texts are borrowed for the call. */
typedef struct sotto_report_config {
    size_t size; /* sizeof(sotto_report_config): sotto_report_defaults() sets it */
    /* PUBLIC rows of the model's schema, with the target; path NULL: none. */
    sotto_data_file data;
    /* The ledger whose budget is shown; NULL: the balance quoted in the certificate. */
    const char *ledger;
    /* For a student: the file of the labels that it was trained on, to be shown too;
     * NULL: none. */
    const char *labels;
    /* A public estimate of the number of training rows. For the curve, public rows are repeated
     * up to this number; 0: they are not repeated. */
    uint64_t expected_rows;
    /* Trainings on the public rows for each epsilon of the curve, at most 10000; 0: no curve;
     * default 10. */
    uint64_t repeats;
    /* 0: one per CPU; the page is the same for any number. */
    size_t threads;
    /* Number of public rows shown if they are images of classes, at most 100. Half are the first
     * rows of the file, half are the most confident errors of the model. 0: none; default 40. */
    uint64_t images;
    /* Counts the trainings of the curve. */
    sotto_progress_function progress; /* NULL: none */
    void *progress_context;
} sotto_report_config;

/* No rows, no ledger, ten repeats, forty images. */
SOTTO_API void sotto_report_set_defaults(sotto_report_config *out_config,
                                         size_t size_bytes);
static inline sotto_report_config sotto_report_defaults(void)
{
    sotto_report_config config;
    sotto_report_set_defaults(&config, sizeof config);
    return config;
}

/* Renders the report of a model file, of labels (sotto/pate.h) or of another certified file, such as a release. Free it
 * with sotto_free(). The same files give the same page: the noise of the curve comes from a fixed seed, and its rows are public. A certificate that
 * cannot be verified does not stop the report: the page begins with that. A file that was
 * changed after it was certified is SOTTO_VERIFICATION, and a ledger of another data set
 * SOTTO_INVALID_ARGUMENT. `name` is for messages; NULL: none. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_report_render(
    const char *name, const char *model_json, size_t size_bytes,
    const sotto_report_config *config, char **out_html, sotto_error *error);

/* Renders the same report, and gives its grade. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_report_render_graded(const char *name, const char *model_json, size_t size_bytes,
                           const sotto_report_config *config, sotto_grade *out_grade,
                           char **out_html, sotto_error *error);

/* Renders the report of a ledger: the grade of everything it has charged, the burn-down of its budget, its rows. The whole
 * chain is verified and every charge recomputed first; a ledger that fails is SOTTO_VERIFICATION. Free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_report_render_ledger(const char *path,
                                                                   sotto_grade *out_grade,
                                                                   char **out_html,
                                                                   sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
