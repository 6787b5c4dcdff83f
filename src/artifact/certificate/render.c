/* A certificate as a page: the outcome of its verification first. */
#include <stdio.h>

#include <sotto/version.h>

#include "artifact/certificate/page.h"
#include "base/error.h"

enum { TITLE_BYTES = 64, SENTENCE_BYTES = 768, ADVISORY_BYTES = 1024 };

const char *sot_certificate_rules(const sot_certificate_file *file)
{
    return file->certificate.version < 2 ? " by the rules of version 1" : "";
}

const char *sot_certificate_open_question(const sot_certificate_file *file)
{
    return file->certificate.version < 2
               ? " Files of version 1 state no request: nothing shows that the plan "
                 "and the settings are those of the run."
               : "";
}

/* Lists the recomputed values, the software, and the exactness. */
static void add_verified(sot_page *page, const sot_certificate_file *file,
                         const sot_verdict *verdict)
{
    char sentence[SENTENCE_BYTES], title[TITLE_BYTES];
    const bool old = file->certificate.version < 2;
    const bool follows =
        verdict->is_whole && !old && !sot_certificate_is_application(file);
    (void)snprintf(sentence, sizeof sentence, "sotto %s recomputed %s from %s. %s%s",
                   sotto_version(),
                   follows ? "the plan, the noise, every setting and every number below"
                           : "every number below",
                   follows ? "the request in this file"
                   : old   ? "the plan in the certificate"
                           : "this file only",
                   verdict->is_exact ? "Each agrees to the last bit."
                                     : "Other software made it; each bound holds.",
                   sot_certificate_open_question(file));
    (void)snprintf(title, sizeof title, "Verified%s", sot_certificate_rules(file));
    sot_page_good_news(page, title, sentence);
}

static void add_outcome(sot_page *page, const sot_certificate_file *file,
                        const sot_verdict *verdict)
{
    char sentence[SENTENCE_BYTES];
    if (!file->certificate.is_secure) {
        sot_page_bad_news(
            page, "NOT PRIVATE",
            "A test seed made the noise. Do not publish this file: treat it "
            "like the data themselves. Nothing below is a guarantee.");
    } else if (verdict->status != SOTTO_OK) {
        (void)snprintf(
            sentence, sizeof sentence,
            "Do not rely on the rest. The first difference that sotto %s found: %s",
            sotto_version(), verdict->reason.message);
        sot_page_bad_news(page, "NOT VERIFIED", sentence);
    } else {
        add_verified(page, file, verdict);
    }
}

static void add_advisories(sot_page *page, const sot_certificate_file *file)
{
    const sotto_advisory *advisories[SOTTO_ADVISORIES_MAX];
    const size_t count = sot_certificate_advisories(file, advisories);
    for (size_t i = 0; i < count; i++) {
        char title[SENTENCE_BYTES], text[ADVISORY_BYTES];
        sot_advisory_title(advisories[i], title, sizeof title);
        sot_advisory_text(advisories[i], file->certificate.software.version, text,
                          sizeof text);
        sot_page_bad_news(page, title, text);
    }
}

void sot_page_add_check(sot_page *page, const sot_certificate_file *file)
{
    const sot_software *software = &file->certificate.software;
    char made[2 * SOT_SOFTWARE_BYTES + 16];
    sot_page_heading(page, "How to check it");
    (void)snprintf(made, sizeof made, "sotto %s (%s)", software->version,
                   software->build);
    sot_page_fact(page, "made by", made);
    sot_page_fact(page, "arithmetic", software->arithmetic);
    sot_page_fact(page, "BLAKE2b-256", file->hash);
    sot_page_paragraph(
        page,
        "\"sotto verify FILE\" recomputes all of this from the file. The hash finds "
        "accidental changes: anyone can compute it again. Only the ledger (--ledger) and "
        "a signature (--signed-by) tie the file to its run.");
}

void sot_page_add_believed(sot_page *page, const sot_certificate_file *file)
{
    const sotto_belief *believed[SOTTO_BELIEFS_MAX];
    const size_t count = sot_certificate_believed(file, believed);
    sot_page_heading(page, "Not checked by verify; believed");
    for (size_t i = 0; i < count; i++) {
        char line[SENTENCE_BYTES];
        (void)snprintf(line, sizeof line, "%s: %s", believed[i]->path,
                       believed[i]->meaning);
        sot_page_item(page, line);
    }
}

/* The signer of the file. */
static void add_vouchers(sot_page *page, const sot_certificate_file *file,
                         const sot_verdict *verdict)
{
    char line[SENTENCE_BYTES];
    if (file->signer == NULL) {
        (void)snprintf(line, sizeof line, "none: the file is not signed");
    } else {
        (void)snprintf(line, sizeof line, "ed25519:%s (%s)", file->signer,
                       verdict->signed_by != NULL && verdict->status == SOTTO_OK
                           ? "the key that --signed-by expects"
                           : "check that this is the key you expect, with --signed-by");
    }
    sot_page_fact(page, "signature", line);
    if (file->certificate.facts.ledger == NULL) return;
    if (!verdict->in_ledger) {
        (void)snprintf(line, sizeof line,
                       "not compared; --ledger compares the file with it");
    } else if (verdict->curator[0] != '\0') {
        (void)snprintf(line, sizeof line,
                       "has committed this very file (--ledger); curator ed25519:%s "
                       "signed its budgets",
                       verdict->curator);
    } else {
        (void)snprintf(line, sizeof line,
                       "has committed this very file (--ledger); no curator's key: "
                       "anyone can make such a ledger or export");
    }
    sot_page_fact(page, "ledger", line);
}

sotto_status sot_certificate_file_render(const sot_certificate_file *file,
                                         const sot_verdict *verdict,
                                         sotto_certificate_form form, char **out_text,
                                         sotto_error *error)
{
    sot_page *page = NULL;
    if (verdict->status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, verdict->status, "%s", verdict->reason.message);
    sotto_status status = sot_page_new(&page, error);
    if (status != SOTTO_OK) return status;
    sot_page_title(page, "Privacy certificate");
    /* The worse news first. */
    if (verdict->status == SOTTO_OK) add_advisories(page, file);
    add_outcome(page, file, verdict);
    if (verdict->status != SOTTO_OK) add_advisories(page, file);
    sot_page_add_guarantee(page, &file->certificate);
    sot_page_add_believed(page, file);
    sot_page_add_run(page, &file->certificate);
    sot_page_add_check(page, file);
    add_vouchers(page, file, verdict);
    status = sot_page_render(page, form, out_text, error);
    sot_page_free(page);
    return status;
}

sotto_status sotto_certificate_render(const char *text, size_t size_bytes,
                                      sotto_certificate_form form, char **out_text,
                                      sotto_error *error)
{
    sot_certificate_file file;
    sot_verdict verdict = {.status = SOTTO_OK};
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    verdict.status =
        sot_certificate_file_verify(&file, &verdict.is_exact, &verdict.reason);
    status = sot_certificate_file_render(&file, &verdict, form, out_text, error);
    sot_certificate_file_close(&file);
    return status;
}
