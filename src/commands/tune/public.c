/* Tuning on public rows: every candidate is tried, and every score is reported. */
#include <math.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "commands/session/declared.h"
#include "commands/train/probable.h"
#include "commands/train/simulation.h"
#include "commands/tune/tune.h"

typedef struct scores {
    double *means, *deviations; /* of each candidate */
    size_t best;
} scores;

/* The rows to learn from, and those to score on: validation rows, or every fifth. */
static sotto_status open_rows(const sotto_tuning *tuning, const sotto_data_file *file,
                              sotto_rng *rng, sot_rehearsal *out, sotto_error *error)
{
    const sotto_tune_config *config = &tuning->config;
    const sotto_training *first = sot_tuning_first(tuning);
    sotto_status status = sot_rehearsal_open(first, file, 0, rng, out, error);
    if (status != SOTTO_OK || !sot_tune_has_validation(config)) return status;
    if (config->validation != NULL && sot_file_is_same(file->path, config->validation)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`validation` is %.120s, the training rows; give others, or "
                        "leave it out: then every fifth row is held back",
                        config->validation);
    }
    sot_matrix *held = NULL;
    status = sot_tuning_load_validation(tuning, NULL, NULL, rng, &held, error);
    if (status != SOTTO_OK) return status;
    sot_matrix_free(out->held);
    out->held = held;
    return SOTTO_OK;
}

/* Brier scores and errors are better if they are smaller. */
static bool is_better(const sotto_training *training, double score, double best)
{
    const bool accuracy = sot_rehearsal_score(training) == SOTTO_FORECAST_ACCURACY &&
                          !sot_tells_probabilities(training);
    return accuracy ? score > best : score < best;
}

static sotto_status try_all(const sotto_tuning *tuning, sot_rehearsal *rehearsal,
                            scores *out, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < tuning->candidates.count; i++) {
        const sotto_training *training = tuning->runs[i].training;
        const uint64_t repeats = training->plan == NULL ? 1 : tuning->config.repeats;
        status = sot_rehearse(rehearsal, training, repeats, &out->means[i],
                              &out->deviations[i], NULL, error);
        if (sot_tells_probabilities(training)) {
            out->means[i] = rehearsal->means[SOT_PROPER_BRIER];
            out->deviations[i] = rehearsal->deviations[SOT_PROPER_BRIER];
        }
        if (status == SOTTO_OK &&
            (i == 0 || is_better(training, out->means[i], out->means[out->best])))
            out->best = i;
    }
    return status;
}

/* ---- output ---- */

static void show_table(const sotto_tuning *tuning, const scores *all, sot_prose *prose)
{
    const sotto_training *first = sot_tuning_first(tuning);
    const bool noisy = first->plan != NULL;
    char value[SOT_SHOWN_BYTES], deviation[SOT_SHOWN_BYTES], name[SOT_TUNE_TEXT_BYTES];
    sot_prose_line(prose, "score", "%s on %s", sot_tune_score_name(first),
                   sot_tune_has_validation(&tuning->config)
                       ? "the validation rows"
                       : "every fifth row, held back");
    for (size_t i = 0; i < tuning->candidates.count; i++) {
        sot_tuning_name(tuning, i, name);
        sot_shown(all->means[i], 0, value);
        if (noisy)
            sot_prose_line(prose, i == 0 ? "tried" : "", "%s: %s, deviation %s", name,
                           value, sot_shown(all->deviations[i], 0, deviation));
        else
            sot_prose_line(prose, i == 0 ? "tried" : "", "%s: %s", name, value);
    }
    sot_tuning_name(tuning, all->best, name);
    sot_prose_line(prose, "best", "%s", name);
}

static void write_scores(sot_json_writer *writer, const sotto_tuning *tuning,
                         const scores *all)
{
    const sotto_training *first = sot_tuning_first(tuning);
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "public tuning");
    sot_json_put_text(writer, "score",
                      sot_tells_probabilities(first)                          ? "brier"
                      : sot_rehearsal_score(first) == SOTTO_FORECAST_ACCURACY ? "accuracy"
                                                                              : "rmse");
    sot_json_put_text(writer, "best", tuning->candidates.texts[all->best]);
    sot_json_open_array(writer, "tried");
    for (size_t i = 0; i < tuning->candidates.count; i++) {
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "settings", tuning->candidates.texts[i]);
        sot_json_put_number_or_null(writer, "mean", all->means[i]);
        if (first->plan != NULL)
            sot_json_put_number_or_null(writer, "deviation", all->deviations[i]);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static sotto_status make_json(const sotto_tuning *tuning, const scores *all,
                              char **out_json, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    write_scores(writer, tuning, all);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}

/* ---- the best, trained once more ---- */

/* On all rows, with the method none: an ordinary training, which writes its file. */
static sotto_status train_best(const sotto_tuning *tuning,
                               const sotto_tune_config *config,
                               const sotto_data_file *file, const scores *all,
                               sot_prose *prose, sotto_error *error)
{
    sotto_train_config best = config->train;
    sotto_train_result *result = NULL;
    if (best.output == NULL) return SOTTO_OK;
    best.validation = NULL;
    sotto_status status =
        sot_candidates_apply(&tuning->candidates, all->best, &best, error);
    if (status == SOTTO_OK)
        status = sotto_train_data(&best, tuning->schema, file, &result, error);
    if (status == SOTTO_OK) {
        char *text = result->text;
        const size_t length = strlen(text);
        if (length > 0) text[length - 1] = '\0';
        sot_prose_raw(prose, text);
    }
    sotto_train_free(result);
    return status;
}

static sotto_status tell(const sotto_tuning *tuning, const sotto_tune_config *config,
                         const sotto_data_file *file, const scores *all,
                         sotto_train_result *result, sotto_error *error)
{
    sot_prose prose = {0};
    show_table(tuning, all, &prose);
    sotto_status status = train_best(tuning, config, file, all, &prose, error);
    if (status != SOTTO_OK) {
        sot_free(prose.text);
        return status;
    }
    if (sot_tuning_first(tuning)->plan != NULL)
        sot_prose_line(&prose, "use",
                       "these settings with sotto train on private rows; they cost "
                       "nothing: the rows here are public");
    status = sot_prose_finish(&prose, &result->text, error);
    if (status == SOTTO_OK) status = make_json(tuning, all, &result->json, error);
    if (status == SOTTO_OK) status = sot_copy_text("", &result->certificate, error);
    return status;
}

sotto_status sot_tune_public(sotto_tuning *tuning, const sotto_tune_config *config,
                             const sotto_data_file *file, const sotto_records *records,
                             sotto_train_result *result, sotto_error *error)
{
    const size_t count = tuning->candidates.count;
    const sotto_train_config *train = &config->train;
    sotto_rng *rng = NULL;
    sot_rehearsal rehearsal = {.rng = NULL};
    scores all = {.best = 0};
    if (records != NULL) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the rows are in memory; tuning on public rows needs a file: "
                        "write them to one");
    }
    sotto_status status = sot_check_public_rows("data_is_public", tuning->schema, error);
    if (status != SOTTO_OK) return status;
    all.means = sot_new_array(count, sizeof *all.means);
    all.deviations = sot_new_array(count, sizeof *all.deviations);
    if (all.means == NULL || all.deviations == NULL)
        status = sot_fail_memory(error, count, sizeof *all.means);
    if (status == SOTTO_OK)
        status = train->insecure_test
                     ? sotto_rng_new_for_test(train->test_seed, &rng, error)
                     : sotto_rng_new(&rng, error);
    if (status == SOTTO_OK) status = open_rows(tuning, file, rng, &rehearsal, error);
    if (status == SOTTO_OK) status = try_all(tuning, &rehearsal, &all, error);
    if (status == SOTTO_OK) status = tell(tuning, config, file, &all, result, error);
    sot_rehearsal_close(&rehearsal);
    sotto_rng_free(rng);
    sot_free(all.means);
    sot_free(all.deviations);
    return status;
}
