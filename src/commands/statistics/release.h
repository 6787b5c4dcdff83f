/* commands/statistics/release.h: the common part of the files of a single release.
 *
 * A statistic is a row of functions. `prepare` sees settings and schema, never a record: it fixes
 * grid, sensitivity and noise and adds the events to the plan. `take` sees one row's value and
 * adds it to exact integers. `publish` sends these through the gate, with the plan's number and
 * shape for all values. It computes the printed values only from the noisy answers.
 */
#ifndef SOT_COMMANDS_STATISTICS_RELEASE_H
#define SOT_COMMANDS_STATISTICS_RELEASE_H

#include <sotto/gate.h>
#include <sotto/ledger.h>
#include <sotto/release.h>
#include <sotto/selection.h>

#include "artifact/model_file/model.h"
#include "commands/session/noise.h"
#include "commands/session/session.h"
#include "data/source/source.h"

enum { SOT_RELEASE_PARTS = 2, SOT_RELEASE_NOTES = 4, SOT_SENTENCE_BYTES = 400 };

typedef struct sot_release sot_release;

typedef struct sot_statistic {
    const char *name;
    bool needs_column;
    /* The value of a row that a model has scored; NULL: the statistic is of a table. */
    double (*judge)(const sot_release *release, const sot_scorer *scorer);
    sotto_status (*prepare)(sot_release *release, sotto_error *error);
    sotto_status (*take)(sot_release *release, double value, sotto_error *error);
    sotto_status (*publish)(sot_release *release, sotto_gate *gate, sotto_error *error);
    /* For a verifier: the values of a file whose settings were prepared, and everything that publish() makes of them.
     * Numbers that no mechanism gives become others, which the comparison with the file finds. */
    sotto_status (*restate)(sot_release *release, const sot_json_value *file,
                            sotto_error *error);
} sot_statistic;

/* The printed members of one value; the label is owned. */
typedef struct sot_released_value {
    char *label;
    double value, lower, upper;
    double standard_error; /* of an estimate from answers; NaN otherwise */
} sot_released_value;

struct sot_release {
    /* ---- public: from settings and schema ---- */
    const sotto_release_config *config;
    const sotto_schema *schema;
    const sot_statistic *statistic;
    size_t column;
    const sotto_column *described; /* NULL when the statistic has no column */
    const char *
        condition; /* that selects the rows, canonical; NULL: none, or the conditions of config->where */
    sot_origin origin;  /* of the rows, the condition's included */
    bool has_unit;      /* false: the unit is a row */
    uint64_t unit_rows; /* rows of one unit that count at most; 1 without a unit */
    sotto_mechanism mechanism;
    sotto_plan *plan;
    sot_noise
        parts[SOT_RELEASE_PARTS]; /* additive noise: sum, or histogram; then count */
    size_t part_count;
    sotto_selection_config selection; /* of a choice */
    double grid;         /* of the rounded values, a power of two; NaN: none */
    int64_t least, most; /* rounded values, in units of the grid */
    double centre;       /* subtracted before rounding */
    double *edges;       /* of a histogram's bins, or NULL */
    double *candidates;  /* of a choice among numbers, or NULL */
    int64_t *prices;     /* of a choice by revenue: the candidates in whole price units */
    double prices_per_unit; /* a power of ten: 100 for prices in hundredths */
    size_t candidate_count; /* of a choice; given scores: known when they are read */
    uint64_t size;          /* of `exact`: bins, candidates, grid points, slots */
    uint64_t rank_numerator, rank_denominator; /* of a quantile */

    /* ---- secret: from records ---- */
    uint64_t rows;  /* that count */
    uint64_t lines; /* that were read: of the file, if no condition selects */
    int64_t *exact; /* sums, counts, scores; `size` of them */
    uint32_t *answers;
    size_t answers_room;

    /* ---- released ---- */
    char **labels;   /* of candidates that came with their scores */
    int64_t *counts; /* of scores: the noisy histogram, `size` of them */
    sot_released_value *values;
    size_t value_count;
    uint32_t *reports; /* randomised answers, one per row */
    uint64_t report_count;
    bool found;          /* bounds: some bin was above the threshold */
    uint64_t threshold;  /* bounds; 0: none */
    double shortfall;    /* choices: the bound of the accuracy theorem, NaN: none */
    double answer_truth; /* P(report = answer); NaN: none */
    char accuracy[SOT_SENTENCE_BYTES];
    const char *notes[SOT_RELEASE_NOTES + 1];
    size_t note_count;
};

extern const sot_statistic sot_statistic_count, sot_statistic_sum, sot_statistic_mean,
    sot_statistic_histogram, sot_statistic_quantile, sot_statistic_bounds,
    sot_statistic_responses, sot_statistic_choice, sot_statistic_accuracy,
    sot_statistic_scores;

/* Does everything up to the plan; sot_release_clear() frees it, also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_release_prepare(const sotto_release_config *config,
                                                  const sotto_schema *schema,
                                                  sot_origin origin,
                                                  sot_release *out_release,
                                                  sotto_error *error);
void sot_release_clear(sot_release *release);

/* True if replacing a stored row, or the unit, may add or remove a selected row. Either a
 * condition selects rows, or units differ in their number of rows. Under replace-one the row then
 * moves a sum as far as under add-remove (data/stability.md). */
bool sot_release_selects(const sot_release *release);

/* True if the scores of a choice come from a file, with the sensitivity that the caller
 * declares. */
bool sot_release_scores_are_given(const sot_release *release);

/* For prepare(): the model must be given, with its own schema, and predict classes. */
SOTTO_MUST_CHECK sotto_status sot_release_need_classifier(const sot_release *release,
                                                          sotto_error *error);

/* For prepare(): the column must be numeric with bounds that are known. */
SOTTO_MUST_CHECK sotto_status sot_release_need_number(const sot_release *release,
                                                      sotto_error *error);

/* Adds additive noise for `share` of the budget to the plan; the sensitivities are those of
 * one row, by the release's adjacency, in grid units. A unit of several rows counts as that many. */
typedef struct sot_part_request {
    const char *purpose;
    double grid;
    double l1_sensitivity, l2_sensitivity;
    double epsilon_share; /* of epsilon, for Laplace noise; the parts' shares sum to 1 */
    double square_share;  /* of mu^2, for Gaussian noise; likewise */
    size_t dimension;
} sot_part_request;
SOTTO_MUST_CHECK sotto_status sot_release_add_part(sot_release *release,
                                                   const sot_part_request *request,
                                                   sotto_error *error);

/* Adds one choice to the plan, from release->selection. */
SOTTO_MUST_CHECK sotto_status sot_release_add_choice(sot_release *release,
                                                     sotto_error *error);

/* `exact`, zeroed. */
SOTTO_MUST_CHECK sotto_status sot_release_make_exact(sot_release *release, uint64_t size,
                                                     sotto_error *error);

/* The value on the grid, nearest and within [least, most]. Total. */
int64_t sot_release_round(const sot_release *release, double value);

/* One row is in one cell or in none. Adds the event of a histogram of `size` cells to the plan. */
SOTTO_MUST_CHECK sotto_status sot_release_add_histogram(sot_release *release,
                                                        const char *purpose,
                                                        sotto_error *error);

/* Values to print; labels are copied. */
SOTTO_MUST_CHECK sotto_status sot_release_make_values(sot_release *release, size_t count,
                                                      sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_release_set_value(sot_release *release, size_t index,
                                                    const char *label, double value,
                                                    double lower, double upper,
                                                    sotto_error *error);
void sot_release_note(sot_release *release, const char *sentence);

/* For restate(): value number `index` of a file; the label is borrowed, absent numbers are NaN. */
typedef struct sot_stated_value {
    const char *label;
    double value, lower, upper;
} sot_stated_value;
SOTTO_MUST_CHECK sotto_status sot_release_stated(const sot_json_value *file, size_t index,
                                                 sot_stated_value *out,
                                                 sotto_error *error);
/* The same on a grid, as a whole number of units. */
SOTTO_MUST_CHECK sotto_status sot_release_stated_units(const sot_json_value *file,
                                                       size_t index, double origin,
                                                       double grid, int64_t *out_units,
                                                       sotto_error *error);

/* A quantile as a ratio of whole numbers in lowest terms: 0.5 is 1/2. At most three decimals. */
SOTTO_MUST_CHECK sotto_status sot_release_set_rank(sot_release *release,
                                                   sotto_error *error);

/* The distance of candidates from the wanted rank, as scores; and the declared change of them:
 * release.md. `below` rows lie below the candidate, `at_most` at or below it. */
int64_t sot_rank_score(const sot_release *release, uint64_t below, uint64_t at_most);
void sot_rank_selection(sot_release *release);

/* The accuracy theorem of a choice: fills release->shortfall (the theorem's whole number over
 * `per_unit`) and the sentence, which ends with `what` and that number. */
SOTTO_MUST_CHECK sotto_status sot_release_state_accuracy(sot_release *release,
                                                         uint64_t candidates,
                                                         double per_unit,
                                                         const char *what,
                                                         sotto_error *error);

/* "9.99, 12.5": numbers between commas, ascending if so asked; free with sot_free(). `name` is that
 * of the setting. */
SOTTO_MUST_CHECK sotto_status sot_parse_list(const char *name, const char *text,
                                             bool ascending, double **out_numbers,
                                             size_t *out_count, sotto_error *error);

/* Takes the value of one row. */
SOTTO_MUST_CHECK sotto_status sot_release_take(sot_release *release, double value,
                                               sotto_error *error);

/* The rows that the units keep; each has its slot (data/batches/unit.h). Start with {0}. */
typedef struct sot_kept_rows {
    double *values;
    size_t count, room;
} sot_kept_rows;
SOTTO_MUST_CHECK sotto_status sot_kept_put(sot_kept_rows *kept, size_t slot, double value,
                                           sotto_error *error);
/* Takes them all. Sums are exact integers, so that the order of the slots does not matter. */
SOTTO_MUST_CHECK sotto_status sot_kept_take(sot_release *release,
                                            const sot_kept_rows *kept,
                                            sotto_error *error);
void sot_kept_clear(sot_kept_rows *kept); /* wipes */

/* Takes the rows of the source, of a unit at most its cap (src/data/batches/unit.md), and counts its lines. Rows are
 * parsed on config->threads threads, and taken in the order of the file. */
SOTTO_MUST_CHECK sotto_status sot_release_read(sot_release *release, sot_source *source,
                                               sotto_rng *rng, sotto_error *error);

/* Rows of a model, one after another: `take` gets the statistic's judgement of each. Opening sees the
 * header only; start with {0}. */
typedef struct sot_accuracy_rows {
    sot_source *source;
    sot_scorer scorer;
    /* With a unit: the rows it keeps, and the slots of the rows that are read but not yet
     * scored. */
    struct sot_units *units;
    sot_kept_rows kept;
    uint64_t *slots; /* NOT_KEPT: the unit does not keep the row */
    size_t slot_count, slot_room, next_slot;
} sot_accuracy_rows;
SOTTO_MUST_CHECK sotto_status sot_accuracy_open(const sot_release *release,
                                                const sotto_data_file *file,
                                                sot_accuracy_rows *out_rows,
                                                sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_accuracy_read(sot_release *release,
                                                sot_accuracy_rows *rows, sotto_rng *rng,
                                                sotto_error *error);
void sot_accuracy_close(sot_accuracy_rows *rows);

/* Reads a file of lines `candidate,score` into labels and `exact`. */
SOTTO_MUST_CHECK sotto_status sot_read_scores(sot_release *release, const char *path,
                                              sotto_error *error);

/* ---- certify.c ---- */

/* Fills in the session's fields from the release, not from its file. */
void sot_release_begin_session(const sot_release *release, sot_session *out_session);
/* Hashes the request into session->identity and session->asked. */
SOTTO_MUST_CHECK sotto_status sot_release_identify(const sot_release *release,
                                                   sot_session *session,
                                                   sotto_error *error);
/* Takes the released values from session->file, which an earlier process wrote. */
SOTTO_MUST_CHECK sotto_status sot_release_take_file(sot_release *release,
                                                    const sot_session *session,
                                                    sotto_error *error);
/* Certifies the published values. */
SOTTO_MUST_CHECK sotto_status sot_release_certify(const sot_release *release,
                                                  sot_session *session,
                                                  sotto_error *error);

/* ---- output: json.c, text.c ---- */

/* The payload, an object without "certificate"; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_release_payload(const sot_release *release,
                                                  char **out_json, sotto_error *error);
/* The same for people. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_release_prose(const sot_release *release,
                                                const sot_session *session,
                                                char **out_text, sotto_error *error);

struct sotto_release_result {
    char *json;
    char *text;
    char *certificate;
    sot_released_value *values;
    size_t value_count;
    sotto_run_outcome outcome;
    struct sot_pair
        *kept; /* beside the ledger, until the result is taken; NULL: nothing */
};

#endif
