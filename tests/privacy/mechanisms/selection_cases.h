/* tests/privacy/mechanisms/selection_cases.h: choices of tests/vectors/exponential.json. */
#ifndef SOTTO_TESTS_MECHANISMS_SELECTION_CASES_H
#define SOTTO_TESTS_MECHANISMS_SELECTION_CASES_H

#include "privacy/mechanisms/release.h"
#include "random/choice_laws.h"

#include <sotto/exponential.h>
#include <sotto/noisy_max.h>
#include <sotto/permute_and_flip.h>

enum { CASE_MOST = 32 };

typedef struct selection_case {
    sotto_selection_config config;
    size_t count;
    int64_t scores[CASE_MOST];
    uint64_t ends[CASE_MOST]; /* of cells as wide as the base measure */
    bool has_measure;
    double law[CASE_MOST];
} selection_case;

static inline sotto_selection_config plain_config(double epsilon)
{
    sotto_selection_config config = sotto_selection_defaults();
    config.epsilon = epsilon;
    config.sensitivity = 1;
    config.change = SOTTO_CHANGE_ANY;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.purpose = "best candidate";
    return config;
}

/* Scores on a grid of sixteenths become integers, and the sensitivity with them. Candidates of measure
 * zero are none: left out. */
static inline selection_case read_case(const json_t *from)
{
    selection_case it = {
        .config = plain_config(json_decimal(json_object_get(from, "epsilon")))};
    const json_t *scores = json_object_get(from, "scores");
    const json_t *measures = json_object_get(from, "base_measure");
    const json_t *law = json_object_get(from, "probabilities");
    it.has_measure = measures != NULL;
    it.config.sensitivity =
        (uint64_t)(16.0 * json_decimal(json_object_get(from, "sensitivity")));
    if (json_is_true(json_object_get(from, "monotone")))
        it.config.change = SOTTO_CHANGE_MONOTONE;
    uint64_t end = 0;
    assert_in_range(json_array_size(scores), 1, CASE_MOST);
    for (size_t i = 0; i < json_array_size(scores); i++) {
        const uint64_t measure =
            measures == NULL ? 1
                             : (uint64_t)json_integer_value(json_array_get(measures, i));
        if (measure == 0) continue;
        end += measure;
        it.ends[it.count] = end;
        it.scores[it.count] = (int64_t)(16.0 * json_decimal(json_array_get(scores, i)));
        it.law[it.count++] = json_number_value(json_array_get(law, i));
    }
    return it;
}

typedef sotto_status (*chooser)(sotto_gate *gate, const sotto_selection_config *config,
                                const int64_t *scores, size_t count, size_t *out_choice,
                                sotto_error *error);

/* `draws` choices through one gate, counted. */
static inline void tally_choices(chooser choose, const sotto_event *event,
                                 const selection_case *it, uint64_t draws, uint64_t seed,
                                 double *out_seen)
{
    sotto_error error;
    const release at = open_gate(it->config.adjacency, *event, draws, seed);
    memset(out_seen, 0, CASE_MOST * sizeof *out_seen);
    for (uint64_t i = 0; i < draws; i++) {
        size_t choice = it->count;
        assert_ok(choose(at.gate, &it->config, it->scores, it->count, &choice, &error),
                  &error);
        assert_true(choice < it->count);
        out_seen[choice] += 1.0;
    }
    finish_gate(at);
}

#endif
