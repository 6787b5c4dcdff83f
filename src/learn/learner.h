/* learn/learner.h: where the families of learners meet the run.
 *
 * A learner sees three things, one after another: settings and the public side of the data
 * (`prepare`: fills in what rules decide, adds its events to the plan), the gate and the records
 * (`learn`: computes, and sends everything through the gate), and nothing else. What it hands back is already released.
 */
#ifndef SOT_LEARN_LEARNER_H
#define SOT_LEARN_LEARNER_H

#include <sotto/gate.h>
#include <sotto/train.h>

#include "base/threads.h"
#include "data/matrix.h"

/* Public. What `prepare` may look at, and what it fills in. */
typedef struct sot_learner_setup {
    const sotto_train_config *config;
    const sot_encoding *encoding;
    uint64_t unit_rows;  /* 1: the unit is a row */
    sotto_method method; /* never auto */
} sot_learner_setup;

/* One number that the learner decided or the theorem uses, for plan, certificate, model file. */
typedef struct sot_setting {
    const char *name; /* static: "lambda", "sigma", "tau", "steps" ... */
    double value;
    const char *why; /* static; NULL: nothing to say */
} sot_setting;

enum { SOT_SETTINGS_MAX = 24 };

typedef struct sot_learner sot_learner;
struct sot_learner {
    sot_learner_setup setup;
    sot_setting settings[SOT_SETTINGS_MAX];
    size_t setting_count;
    double grid; /* of the coefficients */
    /* Adds the events; public facts only. */
    sotto_status (*plan)(const sot_learner *learner, sotto_plan *plan,
                         sotto_error *error);
    /* Writes the released coefficients, exact multiples of `grid`. */
    sotto_status (*learn)(const sot_learner *learner, sotto_gate *gate,
                          const sot_matrix *matrix, sot_pool *pool, double *out_theta,
                          sotto_error *error);
    void (*free)(sot_learner *learner);
    void *state;
};

/* Appends a setting; a full list is a bug and asserts. */
void sot_learner_set(sot_learner *learner, const char *name, double value,
                     const char *why);

#endif
