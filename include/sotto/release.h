/* sotto/release.h: one private statistic of a table, with its interval and its certificate.
 *
 * Idea        Settings and schema give a plan, which is charged to the ledger. After the charge the rows are read.
 * The statistic goes through the gate into a JSON file with its
 *             certificate.
 * Theorem     Each statistic is one or two mechanisms on a function of the rows. Its sensitivity
 *             follows only from the schema: see release.md for claims and proofs.
 * Neighbours  config->adjacency: one row more or less (the number of rows is secret), or one row
 *             exchanged (it is public). If the schema has a `unit`: all rows of one unit more or
 *             less, or exchanged. The number of rows is then always secret.
 * Assumes     (1) The schema was written without looking at the rows. (2) One person has one row,
 *             or one value of the `unit` of the schema. (3) The attacker does not observe the
 *             running time.
 * Rounding    Values are clipped to the schema's bounds and rounded to a public power-of-two
 *             grid; sums are exact integers. Docs: release.md
 */
#ifndef SOTTO_RELEASE_H
#define SOTTO_RELEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/release_settings.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the plan that would be charged, from settings and schema only; opens no other file.
 * `schema` may be NULL for given scores. Free with sotto_plan_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_release_plan(const sotto_release_config *config, const sotto_schema *schema,
                   sotto_plan **out_plan, sotto_error *error);

/* Makes the whole release: plan, header of the data file, charge, gate, rows, release,
 * certificate, file. SOTTO_BUDGET_EXCEEDED: nothing was charged and no row read. After any other
 * failure the charge may stand; the same call then resumes without another charge. With a ledger,
 * a finished release with the same settings, schema, data path and output is not repeated. Its
 * output is read, and nothing is charged. Without an output such a call is refused. Free with
 * sotto_release_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release_data(
    const sotto_release_config *config, const sotto_schema *schema,
    const sotto_data_file *file, sotto_release_result **out_result, sotto_error *error);

/* The same for records in memory or an Arrow stream, which are borrowed for the call. They have no name: without an
 * output
 * every call is a new release. Not for given scores, SOTTO_RELEASE_ACCURACY and SOTTO_RELEASE_SCORES, which read files, and not with
 * `where`:
 * pass selected records and set `selected`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release_records(
    const sotto_release_config *config, const sotto_schema *schema,
    const sotto_records *records, sotto_release_result **out_result, sotto_error *error);

/* Frequencies behind the answers of SOTTO_RELEASE_RESPONSES, from the file it wrote: unbiased
 * estimates with standard errors and intervals. Reads no private data and costs nothing; the
 * result has no certificate. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_release_estimate(const char *answers_path, double confidence,
                       sotto_release_result **out_result, sotto_error *error);
/* A result that has no output file is kept beside the ledger until this is called: by then it should be where it is
 * needed. NULL is fine. */
SOTTO_API void sotto_release_free(sotto_release_result *result);
/* Call this before sotto_release_free() if the result could not be passed on. The result stays
 * stored, and the same call returns it again without a charge. */
SOTTO_API void sotto_release_hold(sotto_release_result *result);
/* Returns whether this call made the release, or an earlier process that was charged for it. Rows are not compared. */
SOTTO_API sotto_run_outcome sotto_release_outcome(const sotto_release_result *result);

/* Borrowed from the result: the whole JSON file, the same for people (without the certificate),
 * the certificate for people ("" when there is none). */
SOTTO_API const char *sotto_release_json(const sotto_release_result *result);
SOTTO_API const char *sotto_release_text(const sotto_release_result *result);
SOTTO_API const char *sotto_release_certificate(const sotto_release_result *result);

/* Returns the number of values; 0 for answers, which are only in the JSON file. */
SOTTO_API size_t sotto_release_size(const sotto_release_result *result);

/* `index` must be below sotto_release_size(). */
SOTTO_API sotto_release_value sotto_release_at(const sotto_release_result *result,
                                               size_t index);

/* "count", "sum", ... as the command line spells them; "unknown" for other values. */
SOTTO_API const char *sotto_statistic_name(sotto_statistic statistic);
SOTTO_API const char *sotto_score_name(sotto_score score);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_score_from_name(const char *name,
                                                              sotto_score *out,
                                                              sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
