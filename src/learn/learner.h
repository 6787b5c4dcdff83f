/* learn/learner.h: where the families of learners meet the run.
 *
 * Idea     A learner sees three things, one after another: settings and the public side of the data
 *          (when it is made: it fills in what rules decide and fixes its noise), an empty plan
 *          (`plan`: adds its events), the gate and the records (`learn`: computes, and sends
 *          everything through the gate). What it hands back is already released.
 * Public   Everything in sot_learner follows from the setup. `learn` alone sees records, and it
 *          writes nothing into the learner.
 */
#ifndef SOT_LEARN_LEARNER_H
#define SOT_LEARN_LEARNER_H

#include <sotto/gate.h>
#include <sotto/train_config.h>

#include "base/threads.h"
#include "data/table.h"

/* What a learner may look at when it is made. Borrowed for the learner's life. */
typedef struct sot_learner_setup {
    const sotto_train_config *config;
    const sot_encoding *encoding;
    uint64_t unit_rows;  /* 1: the unit is a row */
    sotto_method method; /* never auto */
    const double
        *center; /* config->prior's coefficients, `outputs` x dimension; NULL: 0 */
} sot_learner_setup;

/* One number that the learner decided or the theorem uses, for plan, certificate, model file. */
typedef struct sot_setting {
    const char *name; /* static, [a-z0-9_]+: "lambda", "sigma", "tau", "steps" ... */
    double value;
    const char *why; /* static; NULL: nothing to say */
} sot_setting;

enum { SOT_SETTINGS_MAX = 24 };

struct sot_empirical; /* learn/erm/empirical.h */

typedef struct sot_learner sot_learner;
struct sot_learner {
    sot_learner_setup setup;
    struct sot_empirical *empirical; /* the sum of losses, owned; NULL: it has none */
    sot_setting settings[SOT_SETTINGS_MAX];
    size_t setting_count;
    size_t outputs; /* coefficients a column: 1, or the classes of softmax */
    bool streams;   /* `learn` takes a table that is not in memory */
    double grid;    /* of the coefficients, a power of two */
    double
        sampler_error; /* of all that `learn` will draw, in total variation; an upper bound */
    /* Adds the events. NULL: there are none, the data is public. */
    sotto_status (*plan)(const sot_learner *learner, sotto_plan *plan,
                         sotto_error *error);
    /* Writes the released coefficients, exact multiples of `grid`: `outputs` times one a column of
     * the matrix, output by output. The
     * gate is NULL for a learner without events. SOTTO_INTERRUPTED when the progress function
     * asks to stop. */
    sotto_status (*learn)(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error);
    void (*free_state)(void *state); /* NULL: sot_free() */
    void *state;
};

/* A learner without settings, functions or state. NULL when memory runs out. */
sot_learner *sot_learner_new(const sot_learner_setup *setup);
void sot_learner_free(sot_learner *learner); /* NULL is fine */

/* Appends a setting; a full list is a bug and asserts. */
void sot_learner_set(sot_learner *learner, const char *name, double value,
                     const char *why);

/* The rows that rules may divide by: the public number, or else the public guess; 0: neither was
 * given. Never a count of the data. */
uint64_t sot_learner_rows(const sot_learner_setup *setup);

#endif
