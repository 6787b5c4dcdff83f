/* Any bytes as a certified file: read, verified, rendered or refused, never a crash; and the
 * canonical form of any JSON is a fixed point. Whatever is read writes pages that hold no markup
 * of the file's. */
#include <string.h>

#include <sotto/certificate.h>

#include "artifact/certificate/certificate.h"
#include "base/json/canonical.h"
#include "base/memory.h"
#include "require.h"

/* The canonical form of a text; NULL if it is not JSON. Free with sot_free(). */
static char *canonical(const char *text, size_t size)
{
    sot_json *document;
    sot_json_writer *writer;
    const char *written;
    size_t written_size;
    sotto_error error;
    if (sot_json_parse(NULL, text, size, size, &document, &error) != SOTTO_OK)
        return NULL;
    require(sot_json_writer_new(false, &writer, &error) == SOTTO_OK);
    const sot_json_value root = sot_json_root(document);
    sot_json_copy(writer, &root, true, NULL);
    require(sot_json_writer_finish(writer, &written, &written_size, &error) == SOTTO_OK);
    char *copy = sot_copy_string(written);
    require(copy != NULL);
    sot_json_writer_free(writer);
    sot_json_free(document);
    return copy;
}

static void check_canonical(const char *text, size_t size)
{
    char *once = canonical(text, size);
    if (once == NULL) return;
    char *twice = canonical(once, strlen(once));
    require(twice != NULL && strcmp(once, twice) == 0);
    sot_free(once);
    sot_free(twice);
}

/* Pricing many sampled events takes long by design; a few show what there is to find. */
static bool is_quick(const sot_certificate_file *file)
{
    size_t sampled = 0;
    for (size_t i = 0; i < sotto_plan_size(file->plan); i++)
        sampled += sotto_plan_event(file->plan, i)->sampling != SOTTO_NOT_SAMPLED;
    return sampled == 0 && sotto_plan_size(file->plan) <= 4;
}

static void check_pages(const char *text, size_t size)
{
    sotto_error error;
    for (int form = SOTTO_CERTIFICATE_TEXT; form <= SOTTO_CERTIFICATE_HTML; form++) {
        char *page = NULL;
        const sotto_status status = sotto_certificate_render(
            text, size, (sotto_certificate_form)form, &page, &error);
        require(status == SOTTO_OK || error.status == status);
        if (status == SOTTO_OK) {
            require(strchr(page, '\x1b') == NULL);
            if (form == SOTTO_CERTIFICATE_HTML) require(strstr(page, "<script") == NULL);
        }
        sotto_free(page);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    sot_certificate_file file;
    sotto_error error = {.status = SOTTO_OK};
    if (size > (1u << 20)) return 0;
    check_canonical(text, size);
    const sotto_status opened = sot_certificate_file_open(text, size, &file, &error);
    if (opened != SOTTO_OK) {
        require(opened == SOTTO_VERIFICATION && error.message[0] != '\0');
        require(sotto_certificate_verify(text, size, &error) == opened);
        return 0;
    }
    const bool quick = is_quick(&file);
    sot_certificate_file_close(&file);
    if (!quick) return 0;
    const sotto_status status = sotto_certificate_verify(text, size, &error);
    require(status == SOTTO_OK || status == SOTTO_VERIFICATION);
    check_pages(text, size);
    return 0;
}
