/* Texts about a tuning. Nothing here knows the number of trainings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "commands/tune/tune.h"
#include "models/kinds.h"

void sot_tuning_name(const sotto_tuning *tuning, size_t candidate,
                     char out[SOT_TUNE_TEXT_BYTES])
{
    const char *text = tuning->candidates.texts[candidate];
    size_t used = 0;
    for (; *text != '\0' && used + 2 < SOT_TUNE_TEXT_BYTES; text++) {
        out[used++] = *text == ';' ? ',' : *text;
        if (*text == ';') out[used++] = ' ';
    }
    out[used] = '\0';
}

/* "10 on average (negative binomial, eta 1, gamma 0.1)" */
static void name_law(const sotto_runs *runs, char *out, size_t size_bytes)
{
    char mean[SOT_SHOWN_BYTES], shape[SOT_SHOWN_BYTES], gamma[SOT_SHOWN_BYTES];
    sot_shown(sotto_runs_mean(runs), 0, mean);
    if (runs->law == SOTTO_RUNS_POISSON) {
        (void)snprintf(out, size_bytes, "%s on average (Poisson, maybe none)", mean);
        return;
    }
    (void)snprintf(out, size_bytes,
                   "%s on average (truncated negative binomial, eta %s, gamma %s)", mean,
                   sot_shown(runs->shape, 0, shape), sot_shown(runs->gamma, 0, gamma));
}

static void name_space(const sotto_tuning *tuning, char *out, size_t size_bytes)
{
    char shown[SOT_TUNE_TEXT_BYTES];
    sot_printable(tuning->space, shown, sizeof shown);
    if (tuning->config.grid != NULL) {
        (void)snprintf(out, size_bytes, "a public grid of %zu (%s)",
                       tuning->candidates.count, shown);
        return;
    }
    (void)snprintf(
        out, size_bytes, "%zu points sampled from public ranges (%s, seed %llu)",
        tuning->candidates.count, shown, (unsigned long long)tuning->config.search_seed);
}

void sot_tuning_state(const sotto_tuning *tuning, size_t winner,
                      char out[SOT_TUNE_STATEMENT_BYTES])
{
    char law[160], space[SOT_TUNE_TEXT_BYTES + 80], name[SOT_TUNE_TEXT_BYTES];
    name_law(&tuning->config.runs, law, sizeof law);
    name_space(tuning, space, sizeof space);
    sot_tuning_name(tuning, winner, name);
    (void)snprintf(
        out, SOT_TUNE_STATEMENT_BYTES,
        "tuned: %.240s. The best of a secret number of trainings, %s; settings sampled "
        "from "
        "%.400s, scored %s. The plan covers all; only the winner left.",
        name, law, space,
        isnan(tuning->config.score_epsilon)
            ? "on public rows"
            : "on the private rows by a release that is part of each training");
}

/* ---- the plan for people and machines ---- */

static void show_skipped(sot_prose *prose, const sotto_tuning *tuning)
{
    const sot_candidates *all = &tuning->candidates;
    for (size_t i = 0; i < all->skipped; i++) {
        char name[SOT_TUNE_TEXT_BYTES];
        sot_tuning_name(tuning, all->count + i, name);
        sot_prose_line(prose, i == 0 ? "skipped" : "", "%s", name);
    }
    if (all->skipped > 0) sot_prose_line(prose, "", "because %s", tuning->skip_reason);
}

static void show_score(sot_prose *prose, const sotto_tuning *tuning)
{
    char value[SOT_SHOWN_BYTES];
    const char *name = sot_tune_score_name(sot_tuning_first(tuning));
    if (isnan(tuning->config.score_epsilon)) {
        sot_prose_line(prose, "score", "%s on public rows, free", name);
        return;
    }
    sot_prose_line(prose, "score",
                   "%s on the private rows, epsilon %s in each training, part of its "
                   "price",
                   name, sot_shown(tuning->config.score_epsilon, 0, value));
}

/* Convex losses have default rules from epsilon and the expected rows, which use the whole budget. On the rows of
 * docs/howto/tuning.md no tuning was better than them. Not for networks, whose settings matter more. */
static void show_advice(sot_prose *prose, const sotto_tuning *tuning)
{
    static const double enough = 0.8; /* of the budget, for each training */
    char each[SOT_SHOWN_BYTES], whole[SOT_SHOWN_BYTES];
    const sotto_train_config *config = &tuning->config.train;
    if (!sot_model_row_of(config->model)->has_coefficients ||
        tuning->run_epsilon >= enough * config->epsilon)
        return;
    sot_prose_line(prose, "advice",
                   "prefer sotto train with the default settings. It has the whole "
                   "epsilon %s, each training here %s. Tune if a default is known to be "
                   "wrong",
                   sot_shown(config->epsilon, 0, whole),
                   sot_shown(tuning->run_epsilon, 0, each));
}

static sotto_status make_text(sotto_tuning *tuning, sotto_error *error)
{
    sot_prose prose = {0};
    char words[SOT_TUNE_TEXT_BYTES + 160], value[SOT_SHOWN_BYTES];
    const sotto_training *first = sot_tuning_first(tuning);
    const sotto_train_config *config = &tuning->config.train;
    sot_prose_line(&prose, "model", "%s", sotto_model_kind_name(config->model));
    name_space(tuning, words, sizeof words);
    sot_prose_line(&prose, "settings", "%s", words);
    show_skipped(&prose, tuning);
    if (tuning->plan == NULL) {
        sot_prose_line(&prose, "privacy", "none: the rows were declared public");
        return sot_prose_finish(&prose, &tuning->text, error);
    }
    name_law(&tuning->config.runs, words, sizeof words);
    sot_prose_line(&prose, "trainings", "%s", words);
    sot_prose_line(&prose, "each", "epsilon %s%s",
                   sot_shown(tuning->run_epsilon, 0, value),
                   isnan(config->delta) ? " (pure)" : " at the same delta");
    show_score(&prose, tuning);
    show_advice(&prose, tuning);
    sot_prose_guarantee(&prose, config->epsilon,
                        tuning->delta > 0.0 ? tuning->delta : SOTTO_UNSET,
                        config->adjacency, first->schema, 0);
    return sot_prose_finish(&prose, &tuning->text, error);
}

static void write_tuning(sot_json_writer *writer, const sotto_tuning *tuning)
{
    const sotto_tune_config *config = &tuning->config;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "tuning");
    sot_json_put_text(writer, "model", sotto_model_kind_name(config->train.model));
    sot_json_put_text(writer, config->grid != NULL ? "grid" : "search", tuning->space);
    if (tuning->plan != NULL) {
        sot_json_put_text(writer, "distribution", sotto_runs_law_name(config->runs.law));
        sot_json_put_number(writer, "mean", sotto_runs_mean(&config->runs));
        sot_json_put_number(writer, "eta", config->runs.shape);
        sot_json_put_number(writer, "gamma", config->runs.gamma);
        sot_json_put_number(writer, "epsilon", config->train.epsilon);
        sot_json_put_number(writer, "epsilon_of_plan", tuning->account.epsilon);
        sot_json_put_number(writer, "delta", tuning->delta);
        sot_json_put_number(writer, "epsilon_of_run", tuning->run_epsilon);
        sot_json_put_number(writer, "epsilon_of_score", config->score_epsilon);
        sot_json_put_text(writer, "adjacency",
                          sotto_adjacency_name(config->train.adjacency));
    }
    sot_json_open_array(writer, "candidates");
    for (size_t i = 0; i < tuning->candidates.count; i++)
        sot_json_write_string(writer, tuning->candidates.texts[i]);
    sot_json_end_array(writer);
    if (tuning->candidates.skipped > 0) {
        sot_json_open_array(writer, "skipped");
        for (size_t i = 0; i < tuning->candidates.skipped; i++)
            sot_json_write_string(writer,
                                  tuning->candidates.texts[tuning->candidates.count + i]);
        sot_json_end_array(writer);
        sot_json_put_text(writer, "skip_reason", tuning->skip_reason);
    }
    sot_json_end_object(writer);
}

static sotto_status make_json(sotto_tuning *tuning, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    write_tuning(writer, tuning);
    return sot_json_writer_take(writer, SOTTO_OK, &tuning->json, error);
}

sotto_status sot_tuning_describe(sotto_tuning *tuning, sotto_error *error)
{
    const sotto_status status = make_json(tuning, error);
    return status == SOTTO_OK ? make_text(tuning, error) : status;
}

/* ---- the winner ---- */

sotto_status sot_tuning_summary(const sotto_tuning *tuning, size_t winner,
                                const char *summary, char **out_text, sotto_error *error)
{
    sot_prose prose = {0};
    char words[SOT_TUNE_TEXT_BYTES + 160], value[SOT_SHOWN_BYTES];
    sot_tuning_name(tuning, winner, words);
    sot_prose_line(&prose, "tuned", "%s", words);
    name_law(&tuning->config.runs, words, sizeof words);
    sot_prose_line(&prose, "trainings", "a secret number, %s", words);
    name_space(tuning, words, sizeof words);
    sot_prose_line(&prose, "settings", "sampled from %s", words);
    show_skipped(&prose, tuning);
    sot_prose_line(&prose, "each training", "epsilon %s, which the whole below covers",
                   sot_shown(tuning->run_epsilon, 0, value));
    show_score(&prose, tuning);
    sot_prose_raw(&prose, summary);
    return sot_prose_finish(&prose, out_text, error);
}
