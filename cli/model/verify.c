/* sotto verify: plan a certified file again from its request, and show its certificate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/verify.h>

#include "commands.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"
#include "model/advisories.h"

CLI_WORDS(form_choice, "text", "markdown", "html")

static const cli_option options[] = {
    {"file", CLI_FILE, CLI_OPERAND,
     "file that sotto released, with its certificate; - is standard input",
     .value = "FILE", .example = "count.json"},
    {"form", CLI_CHOICE, CLI_OPTIONAL, "form of the certificate", .value = "NAME",
     .fallback = "text", .choices = form_choice},
    {"html", CLI_FILE, CLI_OPTIONAL, "also write it as an HTML page", .value = "FILE",
     .example = "certificate.html", .output = SOTTO_OUTPUT_HTML},
    {"ledger", CLI_FILE, CLI_OPTIONAL,
     "ledger, or its export, that must have charged and committed this file",
     .value = "FILE", .example = "budget.ledger"},
    {"signed-by", CLI_TEXT, CLI_OPTIONAL,
     "public key (a file, or ed25519:HEX) that must have signed this file",
     .value = "KEY", .example = "curator.key.pub"},
    {"curator", CLI_TEXT, CLI_OPTIONAL,
     "public key (a file, or ed25519:HEX) that must have signed the ledger's budgets",
     .value = "KEY", .example = "curator.key.pub"},
    {"strict", CLI_FLAG, CLI_OPTIONAL,
     "also exit with 1 if an advisory concerns the file", .value = NULL},
    {0},
};

typedef struct certified {
    char *text;
    size_t size_bytes;
} certified;

static sotto_certificate_form form_of(const char *name)
{
    for (size_t i = 0; form_choice(i) != NULL; i++) {
        if (strcmp(name, form_choice(i)) == 0) return (sotto_certificate_form)(i + 1);
    }
    return SOTTO_CERTIFICATE_TEXT;
}

static sotto_verify_config checks_of(const cli_call *call)
{
    sotto_verify_config config = sotto_verify_defaults();
    config.ledger = cli_text(call, "ledger");
    config.signed_by = cli_text(call, "signed-by");
    config.curator = cli_text(call, "curator");
    return config;
}

/* A page is shown also when it does not hold: it says so at its top. */
static sotto_status show_page(const cli_call *call, const certified *file,
                              sotto_error *error)
{
    char *page = NULL;
    const sotto_verify_config config = checks_of(call);
    const sotto_status status =
        sotto_verify_render(file->text, file->size_bytes, &config,
                            form_of(cli_text(call, "form")), &page, error);
    if (status == SOTTO_OK) (void)fputs(page, stdout);
    sotto_free(page);
    return status;
}

static sotto_status write_page(const cli_call *call, const certified *file,
                               sotto_error *error)
{
    char *page = NULL;
    const sotto_verify_config config = checks_of(call);
    sotto_status status = sotto_verify_render(file->text, file->size_bytes, &config,
                                              SOTTO_CERTIFICATE_HTML, &page, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "html", page, error);
    sotto_free(page);
    return status;
}

static void add_signer(sotto_json_writer *json, const sotto_certificate_summary *summary)
{
    char key[80];
    if (summary->signer[0] == '\0') {
        sotto_json_null(json, "signed_by");
        return;
    }
    (void)snprintf(key, sizeof key, "ed25519:%s", summary->signer);
    sotto_json_text(json, "signed_by", key);
}

static void add_believed(sotto_json_writer *json,
                         const sotto_certificate_summary *summary)
{
    sotto_json_array(json, "believed");
    for (size_t i = 0; i < summary->believed_count; i++) {
        sotto_json_object(json, NULL);
        sotto_json_text(json, "path", summary->believed[i]->path);
        sotto_json_text(json, "meaning", summary->believed[i]->meaning);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static sotto_status show_json(const sotto_certificate_summary *summary,
                              sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_flag(json, "verified", summary->is_verified);
    if (!summary->is_verified) sotto_json_text(json, "reason", summary->reason);
    sotto_json_flag(json, "private", summary->is_private);
    sotto_json_flag(json, "same_software", summary->is_exact);
    sotto_json_number(json, "epsilon", summary->epsilon);
    sotto_json_number(json, "delta", summary->delta);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(summary->adjacency));
    sotto_json_text(json, "hash", summary->hash);
    sotto_json_count(json, "version", (uint64_t)summary->version);
    add_signer(json, summary);
    add_believed(json, summary);
    cli_json_advisories(json, summary);
    return cli_json_print(json, error);
}

/* An unreadable file has no summary, but a script still gets its object. */
static sotto_status show_unreadable(const sotto_error *reason, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_flag(json, "verified", false);
    sotto_json_text(json, "reason", reason->message);
    return cli_json_print(json, error);
}

static sotto_status refuse_advisories(const cli_call *call,
                                      const sotto_certificate_summary *summary,
                                      sotto_error *error)
{
    char ids[CLI_ADVISORY_BYTES];
    if (summary->advisory_count == 0) return SOTTO_OK;
    return cli_fail(error, SOTTO_VERIFICATION,
                    "%.60s: --strict refuses a file that an advisory concerns: %.110s; "
                    "run it again with the version that has the fix",
                    cli_text(call, "file"), cli_advisory_ids(summary, ids));
}

static sotto_status judge(const cli_call *call, const certified *file, sotto_error *error)
{
    const bool as_json = cli_flag(call, "json");
    sotto_certificate_summary summary;
    sotto_error reason = {.status = SOTTO_OK};
    const sotto_verify_config config = checks_of(call);
    sotto_status status =
        sotto_verify(file->text, file->size_bytes, &config, &summary, &reason);
    const bool is_read = summary.hash[0] != '\0';
    if (status != SOTTO_OK && !(status == SOTTO_VERIFICATION && is_read)) {
        sotto_status shown = SOTTO_OK;
        if (as_json && status == SOTTO_VERIFICATION)
            shown = show_unreadable(&reason, error);
        if (shown != SOTTO_OK) return shown;
        return cli_fail(error, status, "%.60s: NOT VERIFIED: %.170s",
                        cli_text(call, "file"), reason.message);
    }
    status = cli_given(call, "html") ? write_page(call, file, error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = as_json ? show_json(&summary, error) : show_page(call, file, error);
    if (status == SOTTO_OK && !summary.is_verified) {
        return cli_fail(error, SOTTO_VERIFICATION, "%.60s: NOT VERIFIED: %.170s",
                        cli_text(call, "file"), summary.reason);
    }
    if (status != SOTTO_OK || !cli_flag(call, "strict")) return status;
    return refuse_advisories(call, &summary, error);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    certified file = {.text = NULL};
    if (cli_flag(call, "json") && cli_given(call, "form")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--json and --form %s exclude each other; leave one out",
                        cli_text(call, "form"));
    }
    if (cli_given(call, "curator") && !cli_given(call, "ledger")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--curator is the key of a ledger; add the ledger or its export, "
                        "for example --ledger budget.ledger");
    }
    sotto_status status =
        cli_read_file("FILE", cli_text(call, "file"), SOTTO_CERTIFIED_BYTES_MAX,
                      SOTTO_VERIFICATION, &file.text, &file.size_bytes, error);
    if (status == SOTTO_OK) status = judge(call, &file, error);
    free(file.text);
    return status;
}

const cli_command cli_verify = {
    .name = "verify",
    .summary = "Recompute a certificate and show its guarantee",
    .details = "Plans the run again from the request in the file and compares "
               "everything.\nExit code 0: all of it follows; 1: not verified, and the "
               "first difference is\nnamed. Members that no reader can check are listed "
               "as believed; --ledger and\n--signed-by tie them to the run; --curator "
               "requires a curator's key of the\nledger, which anyone can make "
               "otherwise. A warning names each advisory that concerns\nthe file: a "
               "defect of the version that made it. With --strict that is 1 too.",
    .options = options,
    .example = "sotto verify examples/count.json",
    .run = run,
};
