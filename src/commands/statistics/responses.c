/* Randomised answers, one per row. Claims: release.md; the mechanism's own note has the rest. */
#include <math.h>
#include <stdint.h>

#include <sotto/randomized_response.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/statistics/release.h"
#include "privacy/mechanisms/gate/gate.h"
#include "random/rng.h"

enum { CATEGORIES_MAX = 100000, FIRST_ROOM = 1024 };

static const uint64_t answers_max = UINT64_C(1) << 24;

static uint32_t categories_of(const sotto_column *column)
{
    return (uint32_t)(column->upper - column->lower + 1.0);
}

static sotto_randomized_response_config settings_of(const sot_release *release)
{
    sotto_randomized_response_config config = sotto_randomized_response_defaults();
    config.epsilon = release->config->epsilon;
    config.categories = categories_of(release->described);
    config.adjacency = release->config->adjacency;
    config.purpose = "answers";
    return config;
}

static sotto_status prepare_responses(sot_release *release, sotto_error *error)
{
    const sotto_column *column = release->described;
    if (column->type != SOTTO_COLUMN_CATEGORY && column->type != SOTTO_COLUMN_BOOLEAN) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`column` is '%.60s' of type %s; randomised answers are for "
                        "categories and booleans; name such a column",
                        column->name, sotto_column_type_name(column->type));
    }
    if (column->upper < 1.0 || column->upper >= CATEGORIES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column '%.60s' has %zu categories; randomised answers need "
                        "from 2 to 100000",
                        column->name, column->value_count);
    }
    if (release->config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`adjacency` is %s, but one answer per row reveals the number of "
                        "rows; give `adjacency=replace-one`, under which it is public",
                        sotto_adjacency_name(release->config->adjacency));
    }
    if (sot_rows_are_secret(release->origin)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "one answer per row reveals the number of rows, which is secret for a "
            "condition or a stream; give a whole stored table, or `stored_table=true`");
    }
    sotto_event event;
    const sotto_randomized_response_config config = settings_of(release);
    const sotto_status status = sotto_randomized_response_event(&config, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = 1;
    /* P(report = answer) = e^epsilon / (e^epsilon + k - 1). */
    release->answer_truth =
        1.0 / (1.0 + ((double)config.categories - 1.0) * exp(-config.epsilon));
    return sotto_plan_add(release->plan, &event, error);
}

/* The number of rows is public here: room that grows with it reveals nothing. */
static sotto_status take_answer(sot_release *release, double value, sotto_error *error)
{
    const uint64_t index = release->rows; /* counted by the caller after this */
    if (index == answers_max) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the file has more than 2^24 rows; randomise it in parts");
    }
    if (index == release->answers_room) {
        const size_t room = index == 0 ? FIRST_ROOM : 2 * release->answers_room;
        uint32_t *grown = sot_new_array(room, sizeof *grown);
        if (grown == NULL) return sot_fail_memory(error, room, sizeof *grown);
        for (uint64_t i = 0; i < index; i++)
            grown[i] = release->answers[i];
        sot_wipe_and_free(release->answers,
                          release->answers_room * sizeof *release->answers);
        release->answers = grown;
        release->answers_room = room;
    }
    release->answers[index] = (uint32_t)value;
    return SOTTO_OK;
}

/* Shuffles uniformly (Fisher and Yates), fresh in every run. So the release does not depend on
 * the order in which the rows were read, which may depend on their content
 * (data/stability.md). */
static sotto_status shuffle(uint32_t *answers, size_t count, sotto_rng *rng,
                            sotto_error *error)
{
    for (size_t i = count; i > 1; i--) {
        const uint64_t other = sot_rng_below(rng, (uint64_t)i);
        const uint32_t kept = answers[other];
        answers[other] = answers[i - 1];
        answers[i - 1] = kept;
    }
    return sot_rng_check(rng, error);
}

static void add_note(sot_release *release)
{
    sot_release_note(release,
                     "each answer is randomised by itself, and the answers are in "
                     "random order: estimate frequencies with sotto release rr "
                     "--estimate");
}

static sotto_status publish_responses(sot_release *release, sotto_gate *gate,
                                      sotto_error *error)
{
    const size_t count = (size_t)release->rows;
    release->reports = sot_new_array(count, sizeof *release->reports);
    if (release->reports == NULL)
        return sot_fail_memory(error, count, sizeof *release->reports);
    const sotto_randomized_response_config config = settings_of(release);
    sotto_status status = shuffle(release->answers, count, sot_gate_rng(gate), error);
    if (status == SOTTO_OK)
        status = sotto_randomized_response_release(gate, &config, release->answers, count,
                                                   release->reports, error);
    if (status == SOTTO_OK) release->report_count = count;
    add_note(release);
    return status;
}

static sotto_status restate_responses(sot_release *release, const sot_json_value *file,
                                      sotto_error *error)
{
    sot_json_value list;
    const int64_t categories = (int64_t)categories_of(release->described);
    sotto_status status = sot_json_get_array(file, "answers", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    release->reports = sot_new_array(count, sizeof *release->reports);
    if (release->reports == NULL)
        return sot_fail_memory(error, count, sizeof *release->reports);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        int64_t answer = 0;
        status = sot_json_as_int64(&item, &answer, error);
        if (status == SOTTO_OK && (answer < 0 || answer >= categories))
            status = sot_json_refuse(&item, "it is the number of a category", error);
        release->reports[i] = (uint32_t)answer;
    }
    release->report_count = count;
    add_note(release);
    return status;
}

const sot_statistic sot_statistic_responses = {.name = "rr",
                                               .needs_column = true,
                                               .prepare = prepare_responses,
                                               .take = take_answer,
                                               .publish = publish_responses,
                                               .restate = restate_responses};
