/* sotto report: a model as one page for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/report.h>
#include <sotto/verify.h>

#include "advisories.h"
#include "commands.h"
#include "data_file.h"
#include "input.h"
#include "output.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND,
     "a model file, as sotto train writes it, or labels of sotto pate label",
     .value = "MODEL", .example = "model.json"},
    {"public", CLI_FILE, CLI_OPTIONAL,
     "PUBLIC rows of the model's schema, with the target, for scores and curves",
     .value = "FILE", .example = "public.csv"},
    {"taught-by", CLI_FILE, CLI_OPTIONAL,
     "of a student: the labels it was learned from, to be shown too", .value = "FILE",
     .example = "labels.json"},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget of the model's data set, to be shown",
     .value = "FILE", .example = "budget.ledger"},
    {"output", CLI_FILE, CLI_REQUIRED, "the page to write", .value = "FILE",
     .example = "report.html", .letter = 'o', .output = SOTTO_OUTPUT_HTML},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "rows the model was learned from, a public guess: curves are for so many",
     .value = "N", .example = "5000", .count_max = UINT64_C(1) << 32},
    {"repeats", CLI_COUNT, CLI_OPTIONAL,
     "trainings on the public rows for each epsilon of the curve", .value = "N",
     .example = "10", .fallback = "10", .count_max = 10000},
    {"no-curve", CLI_FLAG, CLI_OPTIONAL,
     "do not train on the public rows: scores alone, no curve", .value = NULL},
    {"images", CLI_COUNT, CLI_OPTIONAL,
     "public rows to show, if they are images: the first ones, and sure mistakes",
     .value = "N", .example = "40", .fallback = "40", .count_max = 100},
    {"no-images", CLI_FLAG, CLI_OPTIONAL, "show no public row, though they are images",
     .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL, "threads; the page is the same for any number",
     .value = "N", .example = "1", .count_max = 1024},
    {0},
};

static const cli_option *const shared[] = {cli_data_options, NULL};

typedef struct model_file {
    char *text;
    size_t size_bytes;
} model_file;

static sotto_status write_page(const cli_call *call, const model_file *file,
                               sotto_error *error)
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
    sotto_status status = sotto_report_render(cli_text(call, "model"), file->text,
                                              file->size_bytes, &config, &html, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "output", html, error);
    sotto_free(html);
    return status;
}

/* A model of public rows has no certificate: there is nothing to verify. */
static sotto_status show(const cli_call *call, const model_file *file, sotto_error *error)
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
            sotto_json_number(json, "epsilon", summary.epsilon);
            sotto_json_number(json, "delta", summary.delta);
            cli_json_advisories(json, &summary);
        }
        const sotto_status status = cli_json_print(json, error);
        if (status != SOTTO_OK) return status;
    } else {
        cli_line("certificate", "%s",
                 !certified            ? "none: the model is of public rows"
                 : summary.is_verified ? "verified"
                                       : "NOT VERIFIED: the page begins with a warning");
        if (certified && summary.advisory_count > 0) {
            char ids[CLI_ADVISORY_BYTES];
            cli_line("WARNING", "%s: the page says what this means",
                     cli_advisory_ids(&summary, ids));
        }
        cli_line("written to", "%s", output);
    }
    if (!certified || summary.is_verified) return SOTTO_OK;
    return cli_fail(error, SOTTO_VERIFICATION, "%.60s: NOT VERIFIED: %.170s",
                    cli_text(call, "model"), summary.reason);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    model_file file = {.text = NULL};
    const char *data = cli_text(call, "public");
    if (data != NULL && strcmp(data, "-") == 0) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--public is -, but the rows are read more than once; give a file");
    }
    static const char *const of_rows[] = {"labels", "table", "where", "query"};
    for (size_t i = 0; data == NULL && i < sizeof of_rows / sizeof of_rows[0]; i++) {
        if (!cli_given(call, of_rows[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s is about public rows, which nobody gave; add --public",
                        of_rows[i]);
    }
    sotto_status status =
        cli_read_file("MODEL", cli_text(call, "model"), SOTTO_CERTIFIED_BYTES_MAX,
                      SOTTO_PARSE, &file.text, &file.size_bytes, error);
    if (status == SOTTO_OK) status = write_page(call, &file, error);
    if (status == SOTTO_OK) status = show(call, &file, error);
    free(file.text);
    return status;
}

const cli_command cli_report = {
    .name = "report",
    .summary = "Write a model, or labels by teachers, as a page for people",
    .details =
        "One HTML file, without scripts, that fetches nothing: the promise in plain\n"
        "words, what an attacker can do, the budget, accuracy and its price,\n"
        "coefficients with their noise, the certificate, known weaknesses.",
    .options = options,
    .shared = shared,
    .example =
        "sotto report examples/model.json --public examples/survey.csv -o report.html",
    .run = run,
};
