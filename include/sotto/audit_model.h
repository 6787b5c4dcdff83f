/* sotto/audit_model.h: membership inference attacks on a model file.
 *
 * Idea        A model that memorises rows has a lower loss on them. Two attacks score rows: by
 *             the loss, and by the likelihood ratio against shadow models that are trained with
 *             and without each row (LiRA). The auditor knows members and non-members, and measures the separation of
 *             their scores.
 * Shadows     The same model on other rows: for a network the description in the model file, for
 *             a concept its class. A concept predicts only labels, so rates of correct labels
 *             replace normal distributions. Several posterior samples are scored by their mean.
 * Canaries    Synthetic rows, each included by a fair coin, give a lower bound on epsilon from
 *             one training: sotto_canaries_score().
 * Theorem     LiRA: Carlini et al., S&P 2022. One run: sotto/audit_statistics.h
 * Assumes     Members and non-members are from one distribution; otherwise an attack
 *             distinguishes the distributions. Rates have confidence limits if the rows are
 *             independent samples. They cannot refute a claim, because membership was not random
 *             for each row. Membership of canaries is.
 * Public      All rows are declared public to the auditor.
 * Docs        audit.md
 */
#ifndef SOTTO_AUDIT_MODEL_H
#define SOTTO_AUDIT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/audit_statistics.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/model.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sotto_membership_defaults(). */
typedef struct sotto_membership_config {
    size_t
        size; /* sizeof(sotto_membership_config): sotto_membership_defaults() sets it */
    sotto_data_file members; /* rows of the training; has no default */
    sotto_data_file others;  /* rows that were not; has no default */
    uint64_t shadows;        /* models for LiRA, from 8 to 4096; 0: only the loss */
    bool offline; /* LiRA with only models without the row; else with both kinds */
    /* Settings of the shadow trainings; model, target, network and class come from the file.
     * NULL: without noise. A private network expects half of all rows unless this says otherwise.
     * Posterior methods take as many samples as the model has. No public_n: coins decide. */
    const sotto_train_config *shadow;
    double alpha; /* of the limits of rates; default 0.05 */
    bool insecure_test;
    uint64_t test_seed;
    size_t threads; /* 0: one per CPU; the result is the same for any number */
} sotto_membership_config;
/* The defaults. */
SOTTO_API void sotto_membership_set_defaults(sotto_membership_config *out_config,
                                             size_t size_bytes);
static inline sotto_membership_config sotto_membership_defaults(void)
{
    sotto_membership_config config;
    sotto_membership_set_defaults(&config, sizeof config);
    return config;
}

/* Results of one score. */
typedef struct sotto_membership_attack {
    const char *name;               /* static: "loss", "lira" */
    double area;                    /* under the ROC; 1/2 is chance */
    double advantage;               /* the largest TPR - FPR, as seen */
    double true_positive_rate_1000; /* at an FPR of at most 1/1000, as seen */
    double true_positive_rate_100;  /* at an FPR of at most 1/100 */
    double threshold;               /* chosen on the first halves of the rows */
    sotto_audit_counts counts;      /* of the other halves */
    sotto_audit_bounds bounds; /* of its rates; epsilon_lower as if rows had had coins */
} sotto_membership_attack;

typedef struct sotto_membership sotto_membership;

/* Free with sotto_membership_free(). LiRA is SOTTO_UNSUPPORTED for a caller's loss, which no file holds. A network
 * with frozen layers needs
 * shadow->init. At least eight rows of each kind. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_membership_of(const sotto_model *model, const sotto_membership_config *config,
                    sotto_membership **out_membership, sotto_error *error);
SOTTO_API void sotto_membership_free(sotto_membership *membership); /* NULL is fine */

/* One or two of them; borrowed. */
SOTTO_API size_t sotto_membership_size(const sotto_membership *membership);
SOTTO_API const sotto_membership_attack *
sotto_membership_at(const sotto_membership *membership, size_t index);

/* The ROC of each attack on logarithmic axes. Free it with sotto_free() (sotto/audit.h). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_membership_to_svg(
    const sotto_membership *membership, char **out_svg, sotto_error *error);

/* ---- canaries ---- */

/* For each of `count` canaries a fair coin: true if it goes among the records. From the operating system unless a
 * test seed is
 * given. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_canaries_toss(size_t count,
                                                            const uint64_t *test_seed,
                                                            bool *out_included,
                                                            sotto_error *error);

/* Returns the model's scores of the canaries in `file`, one per row in file order. Runs
 * sotto_audit_one_run() on them, for a training that included row i if included[i].
 * SOTTO_INVALID_ARGUMENT if the file does not have `count` rows. SOTTO_UNSUPPORTED if the model's
 * guarantee is for replace-one: canaries are added or removed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_canaries_score(
    const sotto_model *model, const sotto_data_file *file, const bool *included,
    size_t count, sotto_one_run_choice choice, size_t guesses, double delta, double alpha,
    sotto_one_run *out_result, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
