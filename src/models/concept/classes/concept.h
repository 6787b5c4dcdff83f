/* models/concept/classes/concept.h: finite classes of yes-no functions on records, as functions:
 * their members, their size, their predictions. No secrets policy: the private learner is
 * models/concept/learn.
 *
 * Idea: a class is a kind (thresholds, intervals, ...) over features with public grids
 * (data/encode/grid.h). A concept of it is a handful of whole numbers, which the model file holds
 * as its coefficients. It predicts yes (the second label of the schema's two) or no from a
 * record's places.
 *
 * Kinds and their numbers:
 *
 * - thresholds: one feature, `[cut, flipped]`. Yes where `place >= cut`, `0 <= cut <= cells`.
 *   flipped 1: the other direction, only if the class has `both`.
 * - intervals: one feature, `[low, high]`. Yes where `low <= place < high`,
 *   `0 <= low < high <= cells`. The empty concept exists once, as low = high = 0.
 * - stumps: `[feature, cut, flipped]`. A threshold of one of the features, in both directions.
 * - rectangles: `[low, high]` per feature. Yes inside all of the intervals, none of which is
 *   empty. The empty rectangle exists once, all numbers 0.
 * - conjunctions: `[mask]`. Yes where every feature of the mask is at place 1. Up to 24 features
 *   of two cells; the empty mask predicts yes.
 * - parities: `[mask]`. Yes where an odd number of the mask's features is at place 1.
 * - candidates: `[feature, flipped]`. Each feature of two cells is itself a concept: an existing
 *   prediction for the record, in its own column.
 *
 * Concepts are counted by their numbers: the thresholds [0, 0] and [cells, 1] both always predict
 * yes, and are two.
 *
 * Measure: a class may weigh its thresholds with a public measure, whole numbers; each has 1
 * otherwise. A threshold of weight 0 is not in the class.
 *
 * File: docs/reference/concepts.md
 */
#ifndef SOT_MODELS_CONCEPT_CLASSES_CONCEPT_H
#define SOT_MODELS_CONCEPT_CLASSES_CONCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/schema.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "data/encode/grid.h"

typedef enum sot_concept_kind {
    SOT_CONCEPT_THRESHOLDS = 1,
    SOT_CONCEPT_INTERVALS = 2,
    SOT_CONCEPT_STUMPS = 3,
    SOT_CONCEPT_RECTANGLES = 4,
    SOT_CONCEPT_CONJUNCTIONS = 5,
    SOT_CONCEPT_PARITIES = 6,
    SOT_CONCEPT_CANDIDATES = 7
} sot_concept_kind;

enum {
    SOT_CONCEPT_BITS_MAX = 24,          /* features of a conjunction or parity */
    SOT_CONCEPT_FEATURES_MAX = 1 << 20, /* of every other class */
    SOT_CONCEPT_TEXT_BYTES = 512        /* room for most of sot_concept_text() */
};
/* Largest sum of the weights of one feature's thresholds. */
#define SOT_CONCEPT_WEIGHT_MOST (UINT64_C(1) << 40)

typedef struct sot_concept_class {
    sot_concept_kind kind;
    bool both;      /* thresholds and candidates: also flipped; stumps: always true */
    bool of_matrix; /* the schema is of a matrix: the features' names are their places */
    size_t features;
    sot_cells_grid *grids; /* one per feature; owned, as are their `cuts` */
    char **names;          /* "age", "town=Lund", or "7" of a matrix; owned */
    size_t *stems;         /* bytes of each name that are the column's */
    /* Thresholds and stumps with a measure: for feature j, `weights[j][cut]`, `cut = 0 .. cells`.
     * NULL for a feature, or for all: every threshold has 1. At least one weight of a feature is
     * positive. Owned. */
    uint64_t **weights;
} sot_concept_class;

/* Makes a class from a setting. That is the name of a kind, a JSON object (it begins with a
 * brace), or the path of a file with one. Example:
 * `{"class": "thresholds", "columns": ["age"], "bits": 16, "both": true, "cuts": {"age": [20,
 * 30]}, "weights": ...}`. Without columns: all that fit. `bits`: 2^bits equal cells of a number's
 * bounds. By default integers have a cell each, if there are at most 2^32. The output of
 * sot_concept_class_write() is a setting too. `target` as for sot_encoding_new(): it is no
 * feature; the schema may have none. Refuses, by name, a setting that does not fit the schema. */
SOTTO_MUST_CHECK sotto_status sot_concept_class_new(const sotto_schema *schema,
                                                    const char *target, const char *text,
                                                    sot_concept_class **out_class,
                                                    sotto_error *error);
void sot_concept_class_free(sot_concept_class *class); /* NULL is fine */

/* Writes the class for the model file, complete and in one spelling: it reads back as the same
 * class. Bounds and missing values are the schema's, whose own target is no feature. */
void sot_concept_class_write(const sot_concept_class *class, sot_json_writer *writer);
SOTTO_MUST_CHECK sotto_status sot_concept_class_read(const sot_json_value *value,
                                                     const sotto_schema *schema,
                                                     sot_concept_class **out_class,
                                                     sotto_error *error);

/* "thresholds", ...; "unknown" for other values. */
const char *sot_concept_kind_name(sot_concept_kind kind);

/* ln of the number of concepts, rounded up; and the number itself, UINT64_MAX if it is more than 2^62. */
double sot_concept_class_log_size(const sot_concept_class *class);
uint64_t sot_concept_class_size(const sot_concept_class *class);

/* The number of values that a concept has. */
size_t sot_concept_numbers(const sot_concept_class *class);
/* True if the numbers are a concept of the class; any doubles, also NaN. */
bool sot_concept_is_valid(const sot_concept_class *class, const double *numbers);
/* Yes or no, of one place per feature. The numbers are valid. */
bool sot_concept_says(const sot_concept_class *class, const double *numbers,
                      const uint32_t *places);
/* "age >= 37.5", "town=Lund and not smokes", "never": for people, in terms of the schema;
 * truncated to the buffer between letters. The numbers are valid. Returns `out`. */
const char *sot_concept_text(const sot_concept_class *class, const double *numbers,
                             char *out, size_t size_bytes);

/* ---- list.c: every concept, one after another ----
 *
 * Order: thresholds and stumps: feature by feature the thresholds 0 .. cells, then the flipped
 * ones. Intervals, and rectangles of one or two features: the empty one, then by low, by high, of
 * the first feature, then of the second. Masks: by number. Candidates: all plain, then all
 * flipped. Weights are ignored.
 *
 * Several lists: a rectangle over three features and more is composed from one list per feature.
 * List j has one rectangle for each interval of feature j. Its sides 0 .. j-1 are those chosen
 * from earlier lists, and later sides are unbounded. Once a side is empty, all later ones are the
 * empty one. */

/* Non-empty intervals of a grid, at most 2^63 + 2^31. */
uint64_t sot_concept_intervals(const sot_cells_grid *grid);
/* Number `index` of the pairs low < high of 0 .. cells, by low, then by high. */
void sot_concept_find_pair(uint64_t cells, uint64_t index, uint64_t *out_low,
                           uint64_t *out_high);

size_t sot_concept_lists(const sot_concept_class *class);
/* The number of entries in list `list`; UINT64_MAX if it is more than 2^62. */
uint64_t sot_concept_list_size(const sot_concept_class *class, size_t list);
/* Writes the numbers of the concept at `index`. `before` has the choices from earlier lists. It
 * is not read for the first list, and may be `out_numbers`. */
void sot_concept_list_at(const sot_concept_class *class, size_t list, uint64_t index,
                         const double *before, double *out_numbers);

/* Errors of every concept of every list, counted under discrete Laplace noise and released. */
typedef struct sot_concept_errors {
    size_t lists; /* 0: there are none */
    double
        *scales; /* of the noise: its distribution is proportional to exp(-|x| / scale);
                 * one per list */
    int64_t
        *counts; /* one list after another, each at most SOT_CONCEPT_COUNT_MOST from 0 */
} sot_concept_errors;
/* Counts in all lists of a class together, at most: a model file has them all. */
#define SOT_CONCEPT_COUNTS_MAX (UINT64_C(1) << 20)
/* Every reader of JSON has whole numbers up to this. */
#define SOT_CONCEPT_COUNT_MOST (INT64_C(1) << 53)

/* In all lists together; UINT64_MAX if they are more than SOT_CONCEPT_COUNTS_MAX. */
uint64_t sot_concept_counts(const sot_concept_class *class);
/* Those of one list. */
const int64_t *sot_concept_counts_of(const sot_concept_class *class,
                                     const sot_concept_errors *errors, size_t list);
/* The first of the least. */
uint64_t sot_concept_least(const int64_t *counts, uint64_t count);
/* Returns the concept with the smallest count of each list. */
void sot_concept_of_errors(const sot_concept_class *class,
                           const sot_concept_errors *errors, double *out_numbers);

/* Bounds on the errors of this concept on its training rows. */
typedef struct sot_concept_fit {
    int64_t noisy; /* the count; the least of many is rather too low than too high */
    double scale;
    int64_t upper; /* upper bound, except with probability `failure` */
} sot_concept_fit;
/* Computes the fit from the last list: its counts are of whole concepts. All noise of a list is
 * above -t, t = ceil(scale ln(size/failure)), except with probability size
 * exp(-t/scale) <= failure. Reason: `P(noise <= -t) = exp(-t/scale)/(1 + exp(-1/scale))`. */
sot_concept_fit sot_concept_fit_of(const sot_concept_class *class,
                                   const sot_concept_errors *errors, double failure);

#endif
