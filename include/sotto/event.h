/* sotto/event.h: one private release in numbers: mechanism, noise, sampling, neighbours.
 *
 * Idea        A plan is a list of events. Settings, ledgers and certificates speak of the same relation between
 * neighbours.
 * Use         sotto/accountant.h computes the cost of a plan.
 */
#ifndef SOTTO_EVENT_H
#define SOTTO_EVENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The relation between neighbouring data sets, which differ in one record. */
typedef enum sotto_adjacency {
    SOTTO_ADJACENCY_UNSET = 0,
    SOTTO_ADD_REMOVE = 1, /* one record more or less: the number of rows is secret */
    SOTTO_REPLACE_ONE = 2 /* one record exchanged: the number of rows is public */
} sotto_adjacency;

typedef enum sotto_mechanism {
    SOTTO_MECHANISM_UNSET = 0,
    SOTTO_GAUSSIAN = 1,             /* noise_multiplier; may be sampled */
    SOTTO_PURE = 2,                 /* epsilon: any epsilon-DP release */
    SOTTO_APPROXIMATE = 3,          /* epsilon, delta: any (epsilon, delta)-DP release */
    SOTTO_ZCDP = 4,                 /* rho: any rho-zCDP release */
    SOTTO_GDP = 5,                  /* mu: any mu-GDP release */
    SOTTO_DISCRETE_GAUSSIAN = 6,    /* scale (sigma), sensitivity, dimension */
    SOTTO_DISCRETE_LAPLACE = 7,     /* scale, sensitivity (L1, any dimension) */
    SOTTO_EXPONENTIAL = 8,          /* epsilon: the range of the log ratios */
    SOTTO_PERMUTE_AND_FLIP = 9,     /* epsilon; not bounded in range: priced as pure */
    SOTTO_RANDOMIZED_RESPONSE = 10, /* epsilon, categories */
    SOTTO_OBJECTIVE_PERTURBATION =
        11,             /* noise_multiplier, atom, optionally shift and vertices.
                                        * Let t be the privacy loss of a Gaussian release. The
                                        * loss exceeds x >= max(atom, shift) with probability at
                                        * most min(1, vertices P(t > x - shift)). Otherwise it is
                                        * max(atom, shift) */
    SOTTO_LAPLACE = 12, /* noise_multiplier: scale over L1 sensitivity, any dimension */
    SOTTO_RDP_CURVE =
        13, /* curve_orders, curve_values: any release with these Renyi bounds */
    SOTTO_GAUSSIAN_MIXTURE =
        14 /* noise_multiplier; curve_orders, curve_values: one unit moves the sum by at most the
              i-th norm with the i-th probability, and otherwise not at all */
} sotto_mechanism;

typedef enum sotto_sampling {
    SOTTO_NOT_SAMPLED = 0,
    SOTTO_POISSON = 1, /* each record takes part with probability `rate`, independently */
    SOTTO_WITHOUT_REPLACEMENT =
        2,                   /* a fresh batch of `batch` out of `population` records */
    SOTTO_SINGLE_RECORD = 3, /* one record out of `population`, sampled afresh */
    SOTTO_TRUNCATED_POISSON =
        4, /* as Poisson; of more than `batch` records a uniform choice of `batch` stays */
    SOTTO_CYCLIC_POISSON =
        5 /* as Poisson, but a record takes part in every `bands`-th release only, and the
             noise is that of a matrix of `bands` bands */
} sotto_sampling;

enum { SOTTO_PURPOSE_BYTES = 48 };

/* One line of a plan. Start from sotto_event_defaults(): set the fields that the
 * mechanism uses, and leave the others SOTTO_UNSET. A Gaussian event may state both scale
 * and sensitivity beside its noise_multiplier, which must not exceed their ratio. grid
 * may always be set. */
typedef struct sotto_event {
    sotto_mechanism mechanism;
    double noise_multiplier; /* noise scale over the reference norm (accounting.md) */
    double epsilon;
    double delta;
    double rho;
    double mu;
    double scale; /* noise scale in units of the query; the Gaussians call it sigma */
    double sensitivity; /* of the query, in the same units */
    double grid;        /* spacing of the released values; information only */
    double atom;        /* of objective perturbation, at least 0 */
    double
        shift; /* objective perturbation: the determinant's contribution to every loss, at
                * least 0; SOTTO_UNSET means 0 */
    sotto_sampling sampling;
    double rate;    /* probability that a record takes part, in (0, 1] */
    uint64_t count; /* number of times the event happens, at least 1 */
    uint64_t
        population; /* records that a batch is sampled from; truncated-poisson: the largest number that
                            there may be. 0 unless without-replacement, single-record or truncated-poisson */
    uint64_t
        batch; /* records of one batch, at most population; 0 unless without-replacement or
                            truncated-poisson, where it is the largest number of records that stay */
    uint32_t
        categories; /* of randomized response, at least 2; 0 for every other mechanism */
    uint32_t
        rows; /* of objective perturbation with the logistic loss, or with `theorem`: most rows of one unit, for a
                 bound below the atom; 0: not stated. With SOTTO_GAUSSIAN, of
                 all records or with Poisson sampling: most rows of one unit, each with the
                 reference norm and its own coin. 0 means one */
    uint32_t
        dimension; /* of the discrete Gaussian: numbers released at once; 0 means one,
                            SOTTO_DIMENSION_ANY that it is not known */
    uint32_t
        vertices; /* of objective perturbation: Gaussian losses of which the largest counts, at
                            most SOTTO_VERTICES_MAX; 0 means one. With `theorem`: the signs that
                            the slope of one row may have, 1 or 2 */
    uint32_t
        theorem; /* of objective perturbation: the version of the theorem that prices it.
                    0: the former one (an atom and a tail; files without the member).
                    SOTTO_FROZEN_SLOPE: a loss of one margin, needs rows; a smaller price. Without
                    a shift it is the logistic loss, with one the shift is rows times the largest
                    log(1 + curvature/lambda) of one row */
    uint32_t
        bands; /* of cyclic-poisson: bands of the matrix, and groups of the records; 0 for every other sampling */
    uint32_t
        curve_size; /* of a Renyi curve or a mixture: its points, 1 to SOTTO_CURVE_MAX */
    const double *
        curve_orders; /* increasing, above 1; the plan keeps its own copy. Norms above 0 in a mixture, in
                                   units of the reference norm */
    const double *
        curve_values; /* bounds of the Renyi divergence at these orders; of a mixture the probabilities of
                                   the norms, which sum to at most 1 */
    char purpose
        [SOTTO_PURPOSE_BYTES]; /* the purpose of the release; the gate matches it; may be
                                * "" */
} sotto_event;

/* NaN: the value is not set. */
#define SOTTO_UNSET ((double)__builtin_nanf(""))

/* The number of coordinates is not known: bounds are used that hold for every number. */
#define SOTTO_DIMENSION_ANY UINT32_MAX

/* Largest number of vertices that one record's gradient may be pushed to. */
#define SOTTO_VERTICES_MAX 1000000

/* sotto_event.theorem: frozen_slope.md. */
#define SOTTO_FROZEN_SLOPE 2

/* At most this many records to sample from. */
#define SOTTO_POPULATION_MAX UINT64_C(1000000000000000)

/* Most rows of one unit in a Gaussian event, most bands of cyclic-poisson. Most records of truncated-poisson. */
#define SOTTO_GROUP_ROWS_MAX           1000
#define SOTTO_BANDS_MAX                1000000
#define SOTTO_TRUNCATED_POPULATION_MAX UINT64_C(10000000000)

/* At most this many points of one Renyi curve. */
#define SOTTO_CURVE_MAX 1024

/* At most this many bytes of a unit's column, and this many rows of one unit. */
#define SOTTO_UNIT_BYTES_MAX 256
#define SOTTO_UNIT_ROWS_MAX  UINT64_C(1000000000)

/* At most this many repetitions of one event, and this many events in a plan. */
#define SOTTO_COUNT_MAX  UINT64_C(1000000000000)
#define SOTTO_EVENTS_MAX 4096

#ifdef __cplusplus
}
#endif
#endif
