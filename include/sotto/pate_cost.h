/* sotto/pate_cost.h: the privacy cost of the votes of an ensemble of teachers.
 *
 * Idea        Teachers are trained on disjoint shards; a query is labelled by their noisy vote.
 *             One record is in one shard and so moves one vote, for any kind of teacher. The
 *             price of a label is that of noise on the histogram of votes, known before a record
 *             is read.
 * Theorem     LNMax: Papernot, Abadi, Erlingsson, Goodfellow & Talwar, ICLR 2017. GNMax,
 *             Confident, Interactive: Papernot, Song, Mironov, Raghunathan, Talwar & Erlingsson,
 *             ICLR 2018. The noisy histogram is a Laplace or Gaussian release, and its argmax is
 *             post-processing. The test of the largest count is a Gaussian release of sensitivity
 *             1. So each step is an event that the accountant prices exactly. Proof note: pate.md
 * Neighbours  sotto_adjacency, with the unit and the number of teachers that one unit may touch:
 *             sotto_pate_touched() gives that number.
 * Assumes     (1) A record's shard is a keyed hash of its id (or of its unit's), never its
 *             position; shards are not balanced by data. (2) Teachers see only their shard and
 *             public facts. (3) Queries, classes and settings are public or come from earlier
 *             releases.
 * Rounding    Sensitivities up, noise multipliers down. The data-dependent meter is not a
 *             guarantee and is computed to nearest: see there.
 */
#ifndef SOTTO_PATE_COST_H
#define SOTTO_PATE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_pate_aggregator {
    SOTTO_PATE_UNSET = 0,
    SOTTO_PATE_LNMAX = 1,       /* argmax of votes + Laplace noise */
    SOTTO_PATE_GNMAX = 2,       /* argmax of votes + Gaussian noise */
    SOTTO_PATE_CONFIDENT = 3,   /* GNMax, if the largest count passes a noisy test */
    SOTTO_PATE_INTERACTIVE = 4, /* GNMax, if the votes contradict the student enough */
    SOTTO_PATE_MODE = 5         /* the mode, by propose-test-release */
} sotto_pate_aggregator;

/* The effect of neighbouring data sets on the votes. */
typedef enum sotto_pate_unit {
    SOTTO_PATE_UNIT_UNSET = 0,
    SOTTO_PATE_RECORDS = 1, /* the teachers stay; those touched may vote anew */
    SOTTO_PATE_TEACHERS = 2 /* the unit is a teacher, added or removed with its vote */
} sotto_pate_unit;

/* The two steps of a query. */
typedef enum sotto_pate_step {
    SOTTO_PATE_TEST = 1,  /* of Confident and Interactive, paid for every query asked */
    SOTTO_PATE_ANSWER = 2 /* paid for every query answered */
} sotto_pate_step;

typedef struct sotto_pate_config {
    sotto_pate_aggregator aggregator; /* has no default */
    sotto_adjacency adjacency;        /* has no default */
    sotto_pate_unit unit;             /* has no default */
    uint64_t touched;  /* teachers that one unit may touch, 1 to 2^20; has no default */
    double noise;      /* of the answer, in votes: sigma, or the scale of Laplace noise;
                                of all but Mode; has no default */
    double threshold;  /* of the test, in votes; Confident and Interactive */
    double test_noise; /* sigma of the test, in votes; Confident and Interactive */
    double confidence; /* of Interactive: a student this sure, or surer, is reinforced */
    uint64_t teachers; /* of Interactive: number of teachers, public */
    double epsilon;    /* of Mode, one query */
    double delta;      /* of Mode, one query */
    const char *purpose; /* 1 to 40 bytes; borrowed; has no default */
} sotto_pate_config;

/* Nothing is set. */
SOTTO_API sotto_pate_config sotto_pate_defaults(void);

/* Names as the command line spells them; "unknown" for other values. */
SOTTO_API const char *sotto_pate_aggregator_name(sotto_pate_aggregator aggregator);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_aggregator_from_name(
    const char *name, sotto_pate_aggregator *out_aggregator, sotto_error *error);

/* Returns the number of teachers that one unit touches. Its records are in at most `shards`
 * shards, chosen by a keyed hash of an id. It is `shards`, or twice as many under replace-one if
 * the new record may have another id: its shards are then different ones. */
SOTTO_API uint64_t sotto_pate_touched(sotto_adjacency adjacency, uint64_t shards,
                                      bool id_may_change);

/* Largest change of the histogram of votes between neighbours. */
typedef struct sotto_pate_sensitivity {
    double l1;
    double l2; /* rounded up */
    double
        largest; /* L-infinity; also of the largest count, and of max (n_j - b_j), b public */
    double
        gap; /* of the largest less the second largest count; modes differ at gaps up to it */
} sotto_pate_sensitivity;

/* touched = k. Votes that move from one class to another: 2k, k sqrt2, k, 2k. Votes that appear or
 * disappear (SOTTO_PATE_TEACHERS under add-remove): k, k, k, k. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_sensitivity_of(const sotto_pate_config *config,
                          sotto_pate_sensitivity *out_sensitivity, sotto_error *error);

/* ---- sensitive: for the eyes of those who may see the data ---- */

/* A meter of the data-dependent Renyi divergence: the smaller cost of the asked queries if
 * teachers agree. It is a function of the votes and as secret as they are. It bounds one
 * direction (from these data to a neighbour). The guarantee of a run is its plan or its filter,
 * never this number.
 *
 * Theorem     ICLR 2018, Thm 6 and Prop. 7, 10 (GNMax, test), ICLR 2017, Thm 3 with the condition
 *             q <= 1/(1 + e^epsilon) (LNMax); the least of it and the data-independent divergence.
 * Assumes     One vote moves: unit SOTTO_PATE_RECORDS, touched = 1; other settings are refused. Mode has
 *             no such analysis.
 * Accuracy    Each divergence to a relative 1e-10, to nearest. */
typedef struct sotto_pate_meter sotto_pate_meter;

/* A meter that reads 0. Free it with sotto_pate_meter_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_meter_new(
    const sotto_pate_config *config, sotto_pate_meter **out_meter, sotto_error *error);
SOTTO_API void sotto_pate_meter_free(sotto_pate_meter *meter); /* NULL is fine */

/* One query with these votes and this course was asked. `student` is the student's probabilities for
 * Interactive, NULL for the others. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_meter_ask(sotto_pate_meter *meter, const int64_t *votes, size_t classes,
                     const double *student, bool answered, sotto_error *error);

/* The total at a real order: 2, 2.5, ..., 100 and some up to 500; for LNMax 2, 3, ..., 25. NaN for
 * others. */
SOTTO_API double sotto_pate_meter_rdp(const sotto_pate_meter *meter, double order);

/* The least epsilon at `delta`, in (0, 1), over these orders. Classic: rdp - log(delta)/(a - 1), as in the
 * papers' tables; else the conversion of Canonne, Kamath & Steinke, never below 0. NaN for another
 * delta. `out_order` may be NULL. */
SOTTO_API double sotto_pate_meter_epsilon(const sotto_pate_meter *meter, double delta,
                                          bool classic, double *out_order);

#ifdef __cplusplus
}
#endif
#endif
