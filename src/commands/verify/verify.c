#include "commands/session/again.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/key.h>
#include <sotto/setting.h>
#include <sotto/verify.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/session/request.h"
#include "commands/verify/ledger.h"

void sotto_verify_set_defaults(sotto_verify_config *out_config, size_t size_bytes)
{
    const sotto_verify_config defaults = {.ledger = NULL};
    sot_sized_give(SOT_SIZED(verify), &defaults, out_config, size_bytes, 0);
}

/* ---- the file again ---- */

static const struct {
    const char *command;
    const char *kind;
    sot_again_function function;
} commands[] = {
    {"train", "model", sot_again_train},       {"tune", "model", sot_again_tune},
    {"student", "model", sot_again_student},   {"label", "labels", sot_again_label},
    {"release", "release", sot_again_release},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static bool is_kind(const sot_json_value *root, const char *kind)
{
    sot_json_value member;
    const char *own = NULL;
    return sot_json_member(root, "kind", &member) &&
           sot_json_as_string(&member, &own, NULL) == SOTTO_OK && strcmp(own, kind) == 0;
}

/* True if a reader could take one name for the other: they differ only in case, blanks
 * and signs. */
static bool reads_as(const char *own, const char *kind)
{
    for (;; own++) {
        const char letter = *own >= 'A' && *own <= 'Z' ? (char)(*own + 'a' - 'A') : *own;
        const bool counts =
            (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (letter == '\0') return *kind == '\0';
        if (counts && letter != *kind++) return false;
    }
}

/* An application's own file may state anything, except that it is one of sotto's. */
static sotto_status check_application(const sot_certificate_file *file,
                                      sotto_error *error)
{
    sot_json_value member;
    const char *kind = NULL;
    const bool named = sot_json_member(&file->root, "kind", &member);
    if (named) {
        const sotto_status status = sot_json_as_string(&member, &kind, error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!named || !reads_as(kind, commands[i].kind)) continue;
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "request.command is \"application\", but the kind of the file reads as "
            "\"%s\", which only sotto makes",
            commands[i].kind);
    }
    if (sot_json_size(&file->request) == 1) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "request of an application has the member \"command\" only");
}

static sotto_status plan_again(const sot_certificate_file *file, const char *text,
                               size_t size_bytes, sotto_error *error)
{
    const char *command = NULL;
    sotto_status status = sot_json_get_string(&file->request, "command", &command, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(command, "application") == 0) return check_application(file, error);
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(command, commands[i].command) != 0) continue;
        if (!is_kind(&file->root, commands[i].kind))
            return sot_fail(error, SOTTO_VERIFICATION,
                            "request.command is \"%s\", which makes files of the kind "
                            "\"%s\"",
                            command, commands[i].kind);
        return commands[i].function(file, text, size_bytes, error);
    }
    return sot_fail(error, SOTTO_VERIFICATION,
                    "request.command is unknown to this sotto");
}

/* Another version may plan otherwise. */
static sotto_status name_version(const sot_certificate_file *file, sotto_status status,
                                 const sotto_error *cause, sotto_error *error)
{
    sot_software here;
    const char *made = file->certificate.software.version;
    const sotto_status described = sot_software_describe(&here, error);
    if (described != SOTTO_OK) return described;
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause->message);
    if (strcmp(here.version, made) == 0)
        return sot_fail(error, SOTTO_VERIFICATION, "%s", cause->message);
    return sot_fail(error, SOTTO_VERIFICATION,
                    "%.150s (sotto %.20s made the file; verify it with that version)",
                    cause->message, made);
}

static sotto_status follow_request(const sot_certificate_file *file, const char *text,
                                   size_t size_bytes, sotto_error *error)
{
    sotto_error cause = {.status = SOTTO_OK};
    if (file->certificate.version < 2) return SOTTO_OK;
    const sotto_status status = plan_again(file, text, size_bytes, &cause);
    if (status == SOTTO_OK) return SOTTO_OK;
    sotto_error_spell(&cause, SOTTO_SPELL_MEMBER, NULL, NULL);
    return name_version(file, status, &cause, error);
}

sotto_status sot_again_compare(const sot_session *session, const char *payload_json,
                               const char *request_json,
                               const sotto_certificate_facts *facts, sotto_error *error)
{
    const sot_again *again = session->again;
    const size_t events = sotto_plan_size(session->plan);
    uint64_t *planned = sot_new_array(events, sizeof *planned);
    if (planned == NULL) return sot_fail_memory(error, events, sizeof *planned);
    for (size_t i = 0; i < events; i++)
        planned[i] = sotto_plan_event(session->plan, i)->count;
    sot_certificate recomputed = {
        .version = SOT_CERTIFICATE_VERSION,
        .request_json = again->request != NULL ? again->request : request_json,
        .facts = *facts,
        .plan = session->plan,
        .released = again->released != NULL ? again->released : planned,
        .is_capped = session->capped,
        .sampler_error = session->sampler_error};
    if (again->output != NULL) recomputed.facts.output = again->output;
    if (again->route != NULL) recomputed.facts.route = again->route;
    const sotto_status status = sot_certificate_file_compare(
        again->file, again->payload != NULL ? again->payload : payload_json, &recomputed,
        error);
    sot_free(planned);
    return status;
}

sotto_status sot_again_schema(const sot_json_value *root, sotto_schema **out_schema,
                              sotto_error *error)
{
    sot_json_value member;
    char *text = NULL;
    sotto_status status = sot_json_get_object(root, "schema", &member, error);
    if (status == SOTTO_OK) status = sot_request_text_of(&member, &text, error);
    if (status == SOTTO_OK)
        status = sotto_schema_parse("schema", text, strlen(text), out_schema, error);
    sot_free(text);
    return status;
}

/* ---- the whole check ---- */

static sotto_status check_signer(const sot_certificate_file *file, const char *signed_by,
                                 sotto_error *error)
{
    char wanted[SOTTO_KEY_HEX_BYTES];
    if (signed_by == NULL) return SOTTO_OK;
    const sotto_status status =
        sot_fail_of(error, sotto_key_read_public(signed_by, wanted, error), "signed_by");
    if (status != SOTTO_OK) return status;
    if (file->signer == NULL)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the file is not signed; `signed_by` expects a signature of the "
                        "key ed25519:%.16s...",
                        wanted);
    if (strcmp(file->signer, wanted) == 0) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the file is signed by the key ed25519:%.16s..., not by the expected "
                    "ed25519:%.16s...",
                    file->signer, wanted);
}

static sotto_status check_file(sot_certificate_file *file, const char *text,
                               size_t size_bytes, const sotto_verify_config *config,
                               bool allow_test, bool *out_exact,
                               char out_curator[SOTTO_KEY_HEX_BYTES], sotto_error *error)
{
    sotto_status status = allow_test
                              ? sot_certificate_file_recompute(file, out_exact, error)
                              : sot_certificate_file_verify(file, out_exact, error);
    if (status == SOTTO_OK) status = follow_request(file, text, size_bytes, error);
    if (status == SOTTO_OK) status = check_signer(file, config->signed_by, error);
    out_curator[0] = '\0';
    if (status == SOTTO_OK) status = sot_verify_ledger(file, config, out_curator, error);
    return status;
}

sotto_status sot_verify_file(sot_certificate_file *file, const char *text,
                             size_t size_bytes, bool *out_exact, sotto_error *error)
{
    char curator[SOTTO_KEY_HEX_BYTES];
    const sotto_verify_config config = sotto_verify_defaults();
    return check_file(file, text, size_bytes, &config, false, out_exact, curator, error);
}

sotto_status sot_verify_text(const char *text, size_t size_bytes, bool allow_test,
                             sotto_error *error)
{
    sot_certificate_file file;
    bool exact = false;
    char curator[SOTTO_KEY_HEX_BYTES];
    const sotto_verify_config config = sotto_verify_defaults();
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    status =
        check_file(&file, text, size_bytes, &config, allow_test, &exact, curator, error);
    sot_certificate_file_close(&file);
    return status;
}

sotto_status sotto_verify(const char *text, size_t size_bytes,
                          const sotto_verify_config *config,
                          sotto_certificate_summary *out_summary, sotto_error *error)
{
    sot_certificate_file file;
    sotto_error cause = {.status = SOTTO_OK};
    bool exact = false;
    char curator[SOTTO_KEY_HEX_BYTES];
    sotto_verify_config own;
    if (out_summary != NULL) *out_summary = (sotto_certificate_summary){.epsilon = NAN};
    sotto_status status = SOT_TAKE(verify, config, &own, error);
    if (status == SOTTO_OK)
        status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    status = check_file(&file, text, size_bytes, &own, false, &exact, curator, &cause);
    if (out_summary != NULL)
        sot_certificate_file_summarize(&file, status, exact, cause.message, out_summary);
    sot_certificate_file_close(&file);
    return status == SOTTO_OK ? SOTTO_OK : sot_fail(error, status, "%s", cause.message);
}

sotto_status sotto_verify_render(const char *text, size_t size_bytes,
                                 const sotto_verify_config *config,
                                 sotto_certificate_form form, char **out_text,
                                 sotto_error *error)
{
    sot_certificate_file file;
    sotto_verify_config own;
    sotto_status status = SOT_TAKE(verify, config, &own, error);
    if (status == SOTTO_OK)
        status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    sot_verdict verdict = {.is_whole = true, .signed_by = own.signed_by};
    verdict.status = check_file(&file, text, size_bytes, &own, false, &verdict.is_exact,
                                verdict.curator, &verdict.reason);
    verdict.in_ledger = own.ledger != NULL && verdict.status == SOTTO_OK;
    status = sot_certificate_file_render(&file, &verdict, form, out_text, error);
    sot_certificate_file_close(&file);
    return status;
}
