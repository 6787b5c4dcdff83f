/* commands/tune/candidates.h: the public list of settings that a tuning samples from.
 *
 * Idea     "lambda=0.1,1,10;steps=50,100" is a grid: every combination is a candidate.
 *          "lambda=log:0.01:100; steps=int:10:1000" is a search: its points are sampled
 *          beforehand from a public seed. Either way the list is finite and known before a record
 *          is read, so that every candidate's plan can be priced.
 * Public   Everything here. Nothing here sees a record.
 */
#ifndef SOT_COMMANDS_TUNE_CANDIDATES_H
#define SOT_COMMANDS_TUNE_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/train_config.h>

enum {
    SOT_TUNE_SETTINGS_MAX = 8,      /* names of one grid */
    SOT_TUNE_CANDIDATES_MAX = 1024, /* combinations */
    SOT_TUNE_TEXT_BYTES = 320       /* of a candidate's or a grid's words */
};

/* ---- settings.c: one setting by its name on the command line ---- */

typedef enum sot_tuned_kind {
    SOT_TUNED_NUMBER = 1,
    SOT_TUNED_COUNT = 2,
    SOT_TUNED_WORD = 3
} sot_tuned_kind;

typedef struct sot_tuned sot_tuned;

/* SOTTO_INVALID_ARGUMENT names the nearest setting that can be tuned, or lists them. */
SOTTO_MUST_CHECK sotto_status sot_tuned_find(const char *name, size_t length,
                                             const sot_tuned **out_setting,
                                             sotto_error *error);
const char *sot_tuned_name(const sot_tuned *setting);
sot_tuned_kind sot_tuned_kind_of(const sot_tuned *setting);
/* True if the config differs from the defaults: then the grid would override it. */
bool sot_tuned_is_given(const sot_tuned *setting, const sotto_train_config *config);
/* Reads a value into the config: numbers and counts within the setting's range, words of its list. */
SOTTO_MUST_CHECK sotto_status sot_tuned_set(const sot_tuned *setting, const char *value,
                                            size_t length, sotto_train_config *config,
                                            sotto_error *error);

/* ---- candidates.c ---- */

/* The values of each candidate are texts as they are given to sot_tuned_set(). */
typedef struct sot_candidates {
    size_t setting_count;
    const sot_tuned *settings[SOT_TUNE_SETTINGS_MAX];
    size_t count;
    size_t skipped; /* behind the candidates: those that sot_candidates_skip() took out */
    char **texts;   /* of each candidate: "lambda=0.1;steps=50", owned */
} sot_candidates;

/* Every combination of the grid's values, the last setting fastest. Refuses values out of range, given twice, settings
 * that `base` has already, and more than SOT_TUNE_CANDIDATES_MAX combinations. Start with {0}; release with
 * sot_candidates_clear(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_candidates_grid(const char *grid,
                                                  const sotto_train_config *base,
                                                  sot_candidates *out_candidates,
                                                  sotto_error *error);

/* Makes `count` independent points of the ranges NAME=log:LOW:HIGH, NAME=linear:LOW:HIGH,
 * NAME=int:LOW:HIGH or NAME=a,b,c, by the public `seed`. Rounded to four digits, so that people
 * can write them down. */
SOTTO_MUST_CHECK sotto_status sot_candidates_search(const char *search, uint64_t count,
                                                    uint64_t seed,
                                                    const sotto_train_config *base,
                                                    sot_candidates *out_candidates,
                                                    sotto_error *error);
void sot_candidates_clear(sot_candidates *candidates);

/* Takes a candidate out; the others keep their order. */
void sot_candidates_skip(sot_candidates *candidates, size_t index);

/* The base settings with those of candidate `index` in their place. */
SOTTO_MUST_CHECK sotto_status sot_candidates_apply(const sot_candidates *candidates,
                                                   size_t index,
                                                   sotto_train_config *config,
                                                   sotto_error *error);

#endif
