/* A finite class of the caller's: counts of errors, one choice. Claims: pac.md. */
#include <sotto/exponential.h>
#include <sotto/pac.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"

static sotto_status check_problem(const sotto_selection_config *config,
                                  sotto_mechanism mechanism,
                                  const sotto_pac_problem *problem, sotto_error *error)
{
    if (mechanism != SOTTO_EXPONENTIAL && mechanism != SOTTO_PERMUTE_AND_FLIP) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the mechanism is %s; give exponential or permute-and-flip",
                        sotto_mechanism_name(mechanism));
    }
    if (config->change == SOTTO_CHANGE_MONOTONE &&
        config->adjacency == SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "change is monotone, but a record that is replaced may help one "
                        "rule and hurt another; set it to SOTTO_CHANGE_ANY");
    }
    if (problem->rules == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 rules; give at least one");
    }
    if ((problem->predictions == NULL) == (problem->predict == NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "give either predictions or a function that predicts");
    }
    return SOTTO_OK;
}

/* The labels as bits, like the predictions. */
static uint64_t *pack_labels(const sotto_pac_problem *problem, size_t words)
{
    uint64_t *bits = sot_new_array(words, sizeof *bits);
    for (size_t i = 0; bits != NULL && i < problem->rows; i++)
        bits[i / 64] |= (uint64_t)(problem->labels[i] != 0 ? 1 : 0) << (i % 64);
    return bits;
}

/* Words of one rule's predictions; the last one may be a part. */
static int64_t count_bits(const uint64_t *predictions, const uint64_t *labels,
                          size_t words, size_t rows)
{
    int64_t errors = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t wrong = predictions[i] ^ labels[i];
        if (i + 1 == words && rows % 64 != 0) wrong &= (UINT64_C(1) << (rows % 64)) - 1;
        errors += __builtin_popcountll(wrong);
    }
    return errors;
}

static sotto_status score_rules(const sotto_pac_problem *problem, int64_t *scores,
                                sotto_error *error)
{
    const size_t words = problem->rows / 64 + (problem->rows % 64 != 0 ? 1 : 0);
    if (problem->predict != NULL) {
        for (size_t rule = 0; rule < problem->rules; rule++) {
            for (size_t row = 0; row < problem->rows; row++)
                scores[rule] -= problem->predict(problem->context, rule, row) !=
                                        (problem->labels[row] != 0)
                                    ? 1
                                    : 0;
        }
        return SOTTO_OK;
    }
    uint64_t *labels = pack_labels(problem, words);
    if (labels == NULL) /* their number may be secret */
        return sot_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the labels");
    for (size_t rule = 0; rule < problem->rules; rule++)
        scores[rule] = -count_bits(problem->predictions + rule * words, labels, words,
                                   problem->rows);
    sot_wipe_and_free(labels, words * sizeof *labels);
    return SOTTO_OK;
}

sotto_status sotto_pac_choose(sotto_gate *gate, const sotto_selection_config *config,
                              sotto_mechanism mechanism, const sotto_pac_problem *problem,
                              size_t *out_rule, sotto_error *error)
{
    sotto_status status = check_problem(config, mechanism, problem, error);
    if (status != SOTTO_OK) return status;
    int64_t *scores = sot_new_array(problem->rules, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, problem->rules, sizeof *scores);
    status = score_rules(problem, scores, error);
    if (status == SOTTO_OK) {
        status = mechanism == SOTTO_EXPONENTIAL
                     ? sotto_exponential_choose(gate, config, scores, problem->rules,
                                                out_rule, error)
                     : sotto_permute_and_flip_choose(gate, config, scores, problem->rules,
                                                     out_rule, error);
    }
    sot_wipe_and_free(scores, problem->rules * sizeof *scores);
    return status;
}
