/* sotto/pac_experiment.h: experiments with private learning over finite classes, on synthetic
 * rows.
 *
 * Idea        The distribution is public, so the risk of a learned concept is known exactly. The
 *             mechanisms that learn from records run here on synthetic rows, any number of times.
 * Repeatable  The same settings and seed give the same numbers. Nothing is charged.
 * Docs        pac-theory.md
 */
#ifndef SOTTO_PAC_EXPERIMENT_H
#define SOTTO_PAC_EXPERIMENT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/memory.h>
#include <sotto/pac_packing.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SOTTO_STUDY_PLACES_MAX = 64, /* numbers of rows, or classes, of one study */
    SOTTO_STUDY_REPEATS_MAX = 1 << 20
};

/* ---- the packing of thresholds: sotto/pac_packing.h ---- */

typedef struct sotto_packing_config {
    size_t size; /* sizeof(sotto_packing_config): sotto_packing_defaults() sets it */
    sotto_adjacency adjacency;
    double epsilon;
    const uint64_t *rows; /* numbers of rows, ascending; borrowed for the call */
    size_t rows_count;
    const uint64_t *class_sizes; /* K, ascending; borrowed for the call */
    size_t class_count;
    uint64_t contrast_rows; /* rows of the contrast, even; 0: no contrast */
    uint64_t repeats;       /* of every simulation; 0: only formulas */
    uint64_t seed;
} sotto_packing_config;

/* Everything is unset. */
SOTTO_API void sotto_packing_set_defaults(sotto_packing_config *out_config,
                                          size_t size_bytes);
static inline sotto_packing_config sotto_packing_defaults(void)
{
    sotto_packing_config config;
    sotto_packing_set_defaults(&config, sizeof config);
    return config;
}

/* The shares of repeats in which the real mechanisms named the right threshold; NaN where they were not run. Permute-and-flip
 * visits its candidates one by one, and is run for up to 2^16 of them. */
typedef struct sotto_packing_point {
    uint64_t class_size, rows;
    sotto_packing_success success; /* by the formulas */
    double exponential_seen, permute_and_flip_seen;
} sotto_packing_point;

/* At `contrast_rows` rows, means over the repeats. */
typedef struct sotto_packing_contrast {
    uint64_t class_size;
    double packed_error;       /* of the exponential mechanism on the packing, seen */
    double packed_error_exact; /* the same by the formula: half of all failures */
    double packed_error_least; /* of every epsilon-DP learner, on the worst data set */
    /* The same class and mechanism, but rows spread evenly over the K points: bounded density. */
    double dense_error;
    /* Logistic loss, which is Lipschitz, by objective perturbation with the same epsilon, on the
     * packing with a quarter of the rows at each end. The excess of the mean loss over the best
     * weights of norm at most 4. */
    double lipschitz_excess;
    double lipschitz_silent; /* the same excess of weights of zero, which say nothing */
} sotto_packing_contrast;

typedef struct sotto_packing_study sotto_packing_study;

/* SOTTO_INVALID_ARGUMENT names the setting that is out of range. Free with
 * sotto_packing_study_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_packing_study_new(const sotto_packing_config *config,
                        sotto_packing_study **out_study, sotto_error *error);
SOTTO_API void sotto_packing_study_free(sotto_packing_study *study); /* NULL is fine */

/* Borrowed: class by class, and in a class by rows; class_count times rows_count of them. */
SOTTO_API const sotto_packing_point *
sotto_packing_study_points(const sotto_packing_study *study);
/* Borrowed: rows for a success of 0.9, class by class. */
SOTTO_API const sotto_packing_rows *
sotto_packing_study_rows(const sotto_packing_study *study);
/* Borrowed: class by class; NULL when there was none. */
SOTTO_API const sotto_packing_contrast *
sotto_packing_study_contrast(const sotto_packing_study *study);

/* One self-contained picture; free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_packing_study_to_svg(
    const sotto_packing_study *study, char **out_svg, sotto_error *error);

/* ---- private learners and the fewest errors, against the number of rows ---- */

/* Thresholds "yes from t on", t = 0 .. cells, over rows spread evenly on the cells. The true
 * label changes at a third of the cells, and is flipped with probability `noise`. So the risk of
 * a threshold is known. */
typedef struct sotto_pac_experiment_config {
    size_t
        size; /* sizeof(sotto_pac_experiment_config): sotto_pac_experiment_defaults() sets it */
    sotto_adjacency adjacency;
    double epsilon;
    uint64_t cells;       /* from 2 to 2^16 */
    double noise;         /* 0: realizable; below 1/2 */
    double beta;          /* of the bounds, and of the quantiles seen */
    const uint64_t *rows; /* ascending; borrowed for the call */
    size_t rows_count;
    uint64_t repeats;
    uint64_t seed;
} sotto_pac_experiment_config;

/* Everything is unset. */
SOTTO_API void sotto_pac_experiment_set_defaults(sotto_pac_experiment_config *out_config,
                                                 size_t size_bytes);
static inline sotto_pac_experiment_config sotto_pac_experiment_defaults(void)
{
    sotto_pac_experiment_config config;
    sotto_pac_experiment_set_defaults(&config, sizeof config);
    return config;
}

/* The learners that are compared. */
typedef enum sotto_pac_learner {
    SOTTO_PAC_LEARNER_PUBLIC = 0, /* the fewest errors, the first of them */
    SOTTO_PAC_LEARNER_EXPONENTIAL = 1,
    SOTTO_PAC_LEARNER_PERMUTE_AND_FLIP = 2,
    SOTTO_PAC_LEARNER_LAPLACE = 3
} sotto_pac_learner;
enum { SOTTO_PAC_LEARNERS = 4 };

/* Excess risk: risk above that of the best threshold. */
typedef struct sotto_pac_experiment_point {
    uint64_t rows;
    struct {
        double mean;     /* over the repeats */
        double quantile; /* exceeded in a share of at most beta of them */
        double bound;    /* alpha of sotto/pac_theory.h at this n; NaN: none below 1 */
    } excess[SOTTO_PAC_LEARNERS];
} sotto_pac_experiment_point;

typedef struct sotto_pac_experiment sotto_pac_experiment;

/* Runs every learner `repeats` times on each number of rows. SOTTO_INVALID_ARGUMENT names the
 * setting that is out of range. Free with sotto_pac_experiment_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pac_experiment_run(const sotto_pac_experiment_config *config,
                         sotto_pac_experiment **out_experiment, sotto_error *error);
SOTTO_API void
sotto_pac_experiment_free(sotto_pac_experiment *experiment); /* NULL is fine */

/* Borrowed: one a number of rows. */
SOTTO_API const sotto_pac_experiment_point *
sotto_pac_experiment_points(const sotto_pac_experiment *experiment);
/* "exponential", "permute-and-flip", "laplace"; "public" for the fewest errors. */
SOTTO_API const char *sotto_pac_learner_name(sotto_pac_learner learner);

/* Two experiments side by side, for example realizable and agnostic, in one picture; `second` may be NULL. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_experiment_to_svg(
    const sotto_pac_experiment *first, const sotto_pac_experiment *second, char **out_svg,
    sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
