/* sotto report: a certified file or a ledger as one HTML report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/report.h>
#include <sotto/verify.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/input.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "model/advisories.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND,
     "a model, labels, a release or another certified file, or a ledger", .value = "FILE",
     .example = "model.json"},
    {"public", CLI_FILE, CLI_OPTIONAL,
     "PUBLIC rows of the model's schema, with the target, for scores and curves",
     .value = "FILE", .example = "public.csv"},
    {"taught-by", CLI_FILE, CLI_OPTIONAL,
     "a student: file of its labels, to be shown too", .value = "FILE",
     .example = "labels.json"},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget of the model's data set, to be shown",
     .value = "FILE", .example = "budget.ledger"},
    {"output", CLI_FILE, CLI_REQUIRED, "file for the page", .value = "FILE",
     .example = "report.html", .letter = 'o', .output = SOTTO_OUTPUT_HTML},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "public estimate of the number of training rows, for the curves", .value = "N",
     .example = "5000", .count_max = UINT64_C(1) << 32},
    {"repeats", CLI_COUNT, CLI_OPTIONAL,
     "number of trainings on the public rows for each epsilon of the curve", .value = "N",
     .example = "10", .fallback = "10", .count_max = 10000},
    {"no-curve", CLI_FLAG, CLI_OPTIONAL,
     "print only scores; do not train on the public rows for a curve", .value = NULL},
    {"images", CLI_COUNT, CLI_OPTIONAL,
     "images: number of public rows to show, the first ones and confident mistakes",
     .value = "N", .example = "40", .fallback = "40", .count_max = 100},
    {"no-images", CLI_FLAG, CLI_OPTIONAL, "show no public row, although they are images",
     .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL,
     "number of threads; the page is the same for any number", .value = "N",
     .example = "1", .count_max = 1024},
    {0},
};

static const cli_option *const shared[] = {cli_data_options, NULL};

typedef struct model_file {
    char *text;
    size_t size_bytes;
} model_file;

static bool is_ledger(const model_file *file)
{
    static const char magic[] = "SQLite format 3"; /* with its final NUL */
    return file->size_bytes >= sizeof magic &&
           memcmp(file->text, magic, sizeof magic) == 0;
}

/* A ledger is its own budget, and has no rows. */
static sotto_status write_ledger_page(const cli_call *call, sotto_grade *out_grade,
                                      sotto_error *error)
{
    static const char *const of_files[] = {"public", "taught-by", "ledger",
                                           "expected-rows"};
    const char *path = cli_text(call, "model");
    char *html = NULL;
    for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
        if (cli_given(call, of_files[i]))
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is %.60s, but %.60s is a ledger; give --%s with a "
                            "model or a release, or leave it out",
                            of_files[i], cli_text(call, of_files[i]), path, of_files[i]);
    if (strcmp(path, "-") == 0)
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "FILE is -, but a ledger is not read from standard input; give its "
            "path, for example budget.ledger");
    sotto_status status = sotto_report_render_ledger(path, out_grade, &html, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "output", html, error);
    sotto_free(html);
    return status;
}

static sotto_status write_page(const cli_call *call, const model_file *file,
                               sotto_grade *out_grade, sotto_error *error)
{
    sotto_report_config config = sotto_report_defaults();
    char *html = NULL;
    config.data = cli_data_file(call, cli_text(call, "public"));
    config.labels = cli_text(call, "taught-by");
    config.ledger = cli_text(call, "ledger");
    config.expected_rows = cli_count(call, "expected-rows");
    config.repeats = cli_flag(call, "no-curve") ? 0 : cli_count(call, "repeats");
    config.images = cli_flag(call, "no-images") ? 0 : cli_count(call, "images");
    config.threads = (size_t)cli_count(call, "threads");
    cli_watch(&config.progress, &config.progress_context);
    sotto_status status =
        sotto_report_render_graded(cli_text(call, "model"), file->text, file->size_bytes,
                                   &config, out_grade, &html, error);
    cli_end_watch();
    if (status == SOTTO_OK) status = cli_write_file(call, "output", html, error);
    sotto_free(html);
    return status;
}

static void json_grade(sotto_json_writer *json, sotto_grade grade)
{
    if (grade == SOTTO_GRADE_NONE) {
        sotto_json_null(json, "grade");
    } else {
        sotto_json_text(json, "grade", sotto_grade_name(grade));
    }
}

/* The chain was verified before the page was made. */
static sotto_status show_ledger(const cli_call *call, sotto_grade grade,
                                sotto_error *error)
{
    const char *output = cli_text(call, "output");
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "output", output);
        sotto_json_flag(json, "certified", false);
        json_grade(json, grade);
        return cli_json_print(json, error);
    }
    cli_line("ledger", "verified");
    cli_line("grade", "%s, of everything charged so far", sotto_grade_name(grade));
    cli_line("written to", "%s", output);
    return SOTTO_OK;
}

/* A model of public rows has no certificate: there is nothing to verify. */
static sotto_status show(const cli_call *call, const model_file *file, sotto_grade grade,
                         sotto_error *error)
{
    sotto_certificate_summary summary;
    sotto_error none;
    const char *output = cli_text(call, "output");
    const sotto_verify_config config = sotto_verify_defaults();
    const sotto_status outcome =
        sotto_verify(file->text, file->size_bytes, &config, &summary, &none);
    const bool certified =
        summary.hash[0] != '\0' && (outcome == SOTTO_OK || outcome == SOTTO_VERIFICATION);
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "output", output);
        sotto_json_flag(json, "certified", certified);
        if (certified) {
            sotto_json_flag(json, "verified", summary.is_verified);
            if (!summary.is_verified) sotto_json_text(json, "reason", summary.reason);
            sotto_json_count(json, "version", (uint64_t)summary.version);
            sotto_json_number(json, "epsilon", summary.epsilon);
            sotto_json_number(json, "delta", summary.delta);
            json_grade(json, grade);
            cli_json_advisories(json, &summary);
        }
        const sotto_status status = cli_json_print(json, error);
        if (status != SOTTO_OK) return status;
    } else {
        cli_line("certificate", "%s",
                 !certified             ? "none: the model is of public rows"
                 : !summary.is_verified ? "NOT VERIFIED: the page begins with a warning"
                 : summary.version < 2  ? "verified by the rules of version 1"
                                        : "verified");
        if (certified && summary.advisory_count > 0) {
            char ids[CLI_ADVISORY_BYTES];
            cli_line("WARNING", "%s: the report explains it",
                     cli_advisory_ids(&summary, ids));
        }
        if (certified)
            cli_line("grade", "%s%s", sotto_grade_name(grade),
                     grade == SOTTO_GRADE_NONE ? ": the report gives the reason" : "");
        cli_line("written to", "%s", output);
    }
    if (!certified || summary.is_verified) return SOTTO_OK;
    return cli_fail(error, SOTTO_VERIFICATION, "%.60s: NOT VERIFIED: %.170s",
                    cli_text(call, "model"), summary.reason);
}

static sotto_status write_and_show(const cli_call *call, const model_file *file,
                                   sotto_error *error)
{
    sotto_grade grade = SOTTO_GRADE_NONE;
    const bool ledger = is_ledger(file);
    const sotto_status status = ledger ? write_ledger_page(call, &grade, error)
                                       : write_page(call, file, &grade, error);
    if (status != SOTTO_OK) return status;
    return ledger ? show_ledger(call, grade, error) : show(call, file, grade, error);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    model_file file = {.text = NULL};
    const char *data = cli_text(call, "public");
    if (data != NULL && strcmp(data, "-") == 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--public is -, but the rows are read more than once; give a "
                        "file, for example --public public.csv");
    }
    static const char *const of_rows[] = {"labels", "table", "where", "query"};
    for (size_t i = 0; data == NULL && i < sizeof of_rows / sizeof of_rows[0]; i++) {
        if (!cli_given(call, of_rows[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s needs --public; for example --public public.csv",
                        of_rows[i]);
    }
    sotto_status status =
        cli_read_file("FILE", cli_text(call, "model"), SOTTO_CERTIFIED_BYTES_MAX,
                      SOTTO_PARSE, &file.text, &file.size_bytes, error);
    if (status == SOTTO_OK) status = write_and_show(call, &file, error);
    free(file.text);
    return status;
}

const cli_command cli_report = {
    .name = "report",
    .summary = "Write an HTML report of a model, labels, a release or a ledger",
    .details = "One HTML file, without scripts, that fetches nothing: a graded headline "
               "beside\nits unchecked assumptions, the success of attacks, the budget, "
               "accuracy and its\ncost, coefficients with their noise, the certificate, "
               "known weaknesses.",
    .options = options,
    .shared = shared,
    .example =
        "sotto report examples/model.json --public examples/survey.csv -o report.html",
    .run = run,
};
