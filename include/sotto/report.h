/* sotto/report.h: a model, or labels by teachers, as one page for people: what it promises, what it costs, what it is worth.
 *
 * Idea        One self-contained HTML page, for whoever must decide whether to use or to publish a
 *             model: the promise in plain words, the guarantee as a curve, what an attacker can do,
 *             the budget, coefficients with the noise they carry, accuracy on public rows, the
 *             certificate, recomputed, and the known weaknesses. No script, nothing fetched.
 * Privacy     A report is computed from the model file, public rows and the ledger: it is
 *             post-processing, and costs nothing. Scores and curves are of the PUBLIC rows alone.
 * Assumes     That the rows given as public are public: nobody checks it, and the page says so.
 * Docs        report.md
 */
#ifndef SOTTO_REPORT_H
#define SOTTO_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sotto_report_defaults(). Texts are borrowed for the call. */
typedef struct sotto_report_config {
    size_t size; /* sizeof(sotto_report_config): sotto_report_defaults() sets it */
    /* PUBLIC rows of the model's schema, with the target; path NULL: none. */
    sotto_data_file data;
    /* Whose budget is shown; NULL: what the certificate quotes of it. */
    const char *ledger;
    /* Of a student: the file of the labels that it was learned from, to be shown too; NULL: none. */
    const char *labels;
    /* A public guess of the rows the model was learned from: public rows are repeated up to it for
     * the curve; 0: they are taken as they are. */
    uint64_t expected_rows;
    /* Trainings on the public rows for each epsilon of the curve, at most 10000; 0: no curve;
     * default 10. */
    uint64_t repeats;
    /* 0: one per CPU; the page is the same for any number. */
    size_t threads;
    /* Public rows that the page shows if they are images of classes, at most 100: half of them the first
     * of the file, half those that the model was wrong about and surest of. 0: none; default 40. */
    uint64_t images;
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

/* The page of a model file, or of a file of labels (sotto/pate.h): free with sotto_free(). The same files give the same page:
 * the noise of the curve comes from a fixed seed, and its rows are public. A certificate that
 * cannot be verified does not stop the report: the page begins with that. A file that was
 * changed after it was certified is SOTTO_VERIFICATION, and a ledger of another data set
 * SOTTO_INVALID_ARGUMENT. `name` is for messages; NULL: none. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_report_render(
    const char *name, const char *model_json, size_t size_bytes,
    const sotto_report_config *config, char **out_html, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
