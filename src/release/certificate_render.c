/* A certificate as a page: the outcome of its verification first. */
#include <stdio.h>

#include <sotto/version.h>

#include "base/error.h"
#include "release/certificate_page.h"

enum { SENTENCE_BYTES = 768, ADVISORY_BYTES = 1024 };

static void add_outcome(sot_page *page, const sot_certificate *certificate,
                        sotto_status outcome, bool exact, const char *reason)
{
    char sentence[SENTENCE_BYTES];
    if (!certificate->is_secure) {
        sot_page_bad_news(
            page, "NOT PRIVATE",
            "A test seed made the noise. Do not publish this file: treat it "
            "like the data themselves. Nothing below is a guarantee.");
    } else if (outcome != SOTTO_OK) {
        (void)snprintf(sentence, sizeof sentence,
                       "Do not rely on what follows. The first difference that sotto %s "
                       "found: %s",
                       sotto_version(), reason);
        sot_page_bad_news(page, "NOT VERIFIED", sentence);
    } else {
        (void)snprintf(sentence, sizeof sentence,
                       exact ? "sotto %s recomputed every number below from this file "
                               "alone. Each agrees to the last bit."
                             : "sotto %s recomputed every number below from this file "
                               "alone. Other software made it; each bound holds.",
                       sotto_version());
        sot_page_good_news(page, "Verified", sentence);
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
        "\"sotto verify FILE\" recomputes all of this from the file. The hash shows "
        "whether the file was changed afterwards; that the software did what the "
        "certificate says is for the sources of sotto to show.");
}

sotto_status sotto_certificate_render(const char *text, size_t size_bytes,
                                      sotto_certificate_form form, char **out_text,
                                      sotto_error *error)
{
    sot_certificate_file file;
    sot_page *page = NULL;
    sotto_error reason = {.status = SOTTO_OK};
    bool exact = false;
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    const sotto_status outcome = sot_certificate_file_verify(&file, &exact, &reason);
    if (outcome != SOTTO_OK && outcome != SOTTO_VERIFICATION) {
        status = sot_fail(error, outcome, "%s", reason.message);
        goto done;
    }
    status = sot_page_new(&page, error);
    if (status != SOTTO_OK) goto done;
    sot_page_title(page, "Privacy certificate");
    /* The worse news first. */
    if (outcome == SOTTO_OK) add_advisories(page, &file);
    add_outcome(page, &file.certificate, outcome, exact, reason.message);
    if (outcome != SOTTO_OK) add_advisories(page, &file);
    sot_page_add_guarantee(page, &file.certificate);
    sot_page_add_run(page, &file.certificate);
    sot_page_add_check(page, &file);
    status = sot_page_render(page, form, out_text, error);
done:
    sot_page_free(page);
    sot_certificate_file_close(&file);
    return status;
}
