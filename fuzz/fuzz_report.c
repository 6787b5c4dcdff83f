/* Any bytes as a model file: refused in one line, or a page that is whole and holds no markup but
 * ours. */
#include <string.h>

#include <sotto/report.h>

#include "require.h"

/* Plans of many events take long to price, and have no more to show. */
static const size_t size_tried_bytes = 16384;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    sotto_error error = {.status = SOTTO_OK};
    char *html = NULL;
    const sotto_report_config config = sotto_report_defaults();
    if (size_bytes > size_tried_bytes) return 0;
    const sotto_status status = sotto_report_render("m.json", (const char *)data,
                                                    size_bytes, &config, &html, &error);
    require((status == SOTTO_OK) == (html != NULL));
    if (status != SOTTO_OK) {
        require(strchr(error.message, '\n') == NULL);
        return 0;
    }
    require(strstr(html, "</html>\n") == html + strlen(html) - strlen("</html>\n"));
    require(strstr(html, "<script") == NULL && strstr(html, "<img") == NULL);
    sotto_free(html);
    return 0;
}
