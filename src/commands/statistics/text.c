/* The summary of a release for people. The same numbers as in the file, with fewer
 * digits. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands/session/session.h"
#include "commands/statistics/release.h"

static void show_value(sot_prose *prose, const sot_released_value *value,
                       const char *label, double confidence)
{
    char middle[SOT_SHOWN_BYTES], low[SOT_SHOWN_BYTES], high[SOT_SHOWN_BYTES];
    char percent[SOT_SHOWN_BYTES];
    if (isnan(value->value) && label == value->label) {
        sot_prose_line(prose, label, "none (too few rows for this noise)");
    } else if (isnan(value->value)) {
        sot_prose_line(prose, label, "%s", value->label);
    } else if (isnan(value->lower)) {
        sot_prose_line(prose, label, "%s", sot_shown(value->value, 0, middle));
    } else {
        sot_prose_line(
            prose, label, "%s (%s%% interval: %s to %s)",
            sot_shown(value->value, 0, middle), sot_shown(100.0 * confidence, 0, percent),
            sot_shown(value->lower, -1, low), sot_shown(value->upper, 1, high));
    }
}

static void show_answers(sot_prose *prose, const sot_release *release)
{
    const sotto_column *column = release->described;
    for (uint64_t i = 0; i < release->report_count; i++) {
        const uint32_t report = release->reports[i];
        sot_prose_raw(prose, column->type == SOTTO_COLUMN_CATEGORY
                                 ? column->values[report]
                             : report == 0 ? "false"
                                           : "true");
    }
}

static void show_values(sot_prose *prose, const sot_release *release)
{
    const double confidence = release->config->confidence;
    const bool choice = release->config->statistic == SOTTO_RELEASE_CHOICE;
    for (size_t i = 0; i < release->value_count; i++) {
        const sot_released_value *value = &release->values[i];
        show_value(prose, value, choice ? "choice" : value->label, confidence);
    }
}

static void show_noise(sot_prose *prose, const sot_release *release)
{
    char scale[SOT_SHOWN_BYTES], deviation[SOT_SHOWN_BYTES];
    for (size_t i = 0; i < release->part_count; i++) {
        const sot_noise *noise = &release->parts[i];
        const bool gaussian = noise->mechanism == SOTTO_GAUSSIAN;
        sot_prose_line(
            prose, i == 0 ? "noise" : "", "%s, %s %s on the %s (standard deviation %s)",
            gaussian ? "Gaussian" : "discrete Laplace", gaussian ? "sigma" : "scale",
            sot_shown(noise->scale * noise->grid, 1, scale), noise->purpose,
            sot_shown(sot_noise_deviation(noise) * noise->grid, 0, deviation));
    }
    if (release->part_count > 0) return;
    if (release->mechanism == SOTTO_RANDOMIZED_RESPONSE) {
        sot_prose_line(prose, "noise", "an answer is the true one with probability %s",
                       sot_shown(release->answer_truth, 0, scale));
    } else {
        sot_prose_line(prose, "noise",
                       "%s, epsilon %s for a change of %llu in the scores",
                       sotto_mechanism_name(release->mechanism),
                       sot_shown(release->config->epsilon, 0, scale),
                       (unsigned long long)release->selection.sensitivity);
    }
}

sotto_status sot_release_prose(const sot_release *release, const sot_session *session,
                               char **out_text, sotto_error *error)
{
    sot_prose prose = {0};
    const sotto_release_config *config = release->config;
    if (config->statistic == SOTTO_RELEASE_RESPONSES) {
        show_answers(&prose, release); /* only data: one line per row */
        return sot_prose_finish(&prose, out_text, error);
    }
    show_values(&prose, release);
    show_noise(&prose, release);
    if (release->accuracy[0] != '\0')
        sot_prose_line(&prose, "accuracy", "%s", release->accuracy);
    sot_prose_guarantee(&prose, config->epsilon, config->delta, config->adjacency,
                        release->schema, release->origin);
    sot_prose_ledger(&prose, session);
    for (size_t i = 0; i < release->note_count; i++)
        sot_prose_line(&prose, i == 0 ? "notes" : "", "%s", release->notes[i]);
    if (config->insecure_test) {
        sot_prose_line(&prose, "NOT PRIVATE", "the noise came from a test seed");
    }
    return sot_prose_finish(&prose, out_text, error);
}
