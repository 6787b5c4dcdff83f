#include "model/threshold.h"

#include <stdlib.h>
#include <string.h>

#include <sotto/certificate.h>
#include <sotto/json.h>

#include "frame/input.h"

const cli_option cli_threshold_options[] = {
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "decision threshold on the second class's probability", .value = "T",
     .example = "0.5", .fallback = "0.5", .range = CLI_NOT_NEGATIVE},
    {"threshold-from", CLI_FILE, CLI_OPTIONAL,
     "decision threshold: the noisy class rate in a file of sotto evaluate --epsilon",
     .value = "FILE", .example = "scores.json"},
    {0},
};

static bool is_text(const sotto_json_value *root, const char *key, const char *text)
{
    const char *found = sotto_json_as_text(sotto_json_member(root, key));
    return found != NULL && strcmp(found, text) == 0;
}

/* NaN: there is none. */
static double rate_of(const sotto_json_value *root)
{
    const sotto_json_value *values = sotto_json_member(root, "values");
    if (!is_text(root, "kind", "release") || !is_text(root, "statistic", "scores"))
        return SOTTO_UNSET;
    for (size_t i = 0; i < sotto_json_size(values); i++) {
        const sotto_json_value *value = sotto_json_item(values, i);
        if (is_text(value, "label", "class rate"))
            return sotto_json_as_number(sotto_json_member(value, "value"));
    }
    return SOTTO_UNSET;
}

sotto_status cli_decision_threshold(const cli_call *call, double *out_threshold,
                                    sotto_error *error)
{
    const char *path = cli_text(call, "threshold-from");
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_json *document = NULL;
    *out_threshold = cli_number(call, "threshold");
    if (path == NULL) return SOTTO_OK;
    if (cli_given(call, "threshold")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--threshold and --threshold-from exclude each other; give one "
                        "of them");
    }
    sotto_status status =
        cli_read_file("--threshold-from", path, SOTTO_CERTIFIED_BYTES_MAX, SOTTO_PARSE,
                      &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_json_parse(path, text, size_bytes, &document, error);
    free(text);
    if (status != SOTTO_OK) return status;
    const double rate = rate_of(sotto_json_root(document));
    sotto_json_free(document);
    if (!(rate > 0.0 && rate < 1.0)) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--threshold-from %.120s has no class rate between 0 and 1; give "
                        "a file of sotto evaluate --epsilon with all scores, or "
                        "--threshold",
                        path);
    }
    *out_threshold = rate;
    return SOTTO_OK;
}
