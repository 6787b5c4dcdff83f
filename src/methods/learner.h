/* methods/learner.h: the interface between the families of learners and the run.
 *
 * Idea: a learner has three phases. It is made from settings and public facts of the data:
 * defaults are filled in, and the noise is fixed. `plan` adds its events to an empty plan.
 * `learn` sees the gate and the records, computes, and sends everything through the gate. Its
 * result is already released.
 *
 * Public: everything in sot_learner follows from the setup. Only `learn` sees records, and it
 * writes nothing into the learner.
 */
#ifndef SOT_METHODS_LEARNER_H
#define SOT_METHODS_LEARNER_H

#include <sotto/gate.h>
#include <sotto/train_config.h>

#include "base/threads.h"
#include "data/batches/table.h"
#include "models/concept/classes/concept.h"

struct sot_net; /* models/network/layers/net.h */

/* The inputs of a learner when it is made. Borrowed for the learner's life. */
typedef struct sot_learner_setup {
    const sotto_train_config *config;
    const sot_encoding *encoding;
    const sotto_schema *schema; /* networks: the shape of a record */
    uint64_t unit_rows;         /* 1: the unit is a row */
    sotto_method method;        /* never auto */
    const double
        *center; /* config->prior's coefficients, `outputs` x dimension; NULL: 0. For a
                 * network the parameters of config->init, as initial values; NULL:
                 * none */
    const struct sot_net *
        init; /* of config->init: its data norms' numbers are taken over and cost nothing more;
                             NULL: none */
} sot_learner_setup;

/* One number that the learner decided or the theorem uses, for plan, certificate, model file. */
typedef struct sot_setting {
    const char *name; /* static, [a-z0-9_]+: "lambda", "sigma", "tau", "steps" ... */
    double value;
    const char *why; /* static; NULL: nothing to say */
} sot_setting;

enum { SOT_SETTINGS_MAX = 32 };

/* A setting that is one of several named ways: "optimizer", "schedule", "clipping" ...
 * Never "auto": the default is resolved. */
typedef struct sot_choice {
    const char *name; /* static, as those of numbers */
    const char *word; /* static, as the command line spells it */
} sot_choice;

enum { SOT_CHOICES_MAX = 8 };

struct sot_empirical; /* methods/empirical.h */

/* The storage for the released state of a long training, so that a later run can resume.
 * Everything in `state` is released or public: no key, no record, nothing between a sum and its
 * noise. */
typedef struct sot_checkpoint {
    /* The state of an earlier run; NULL: this is the first. The learner checks the shape and
     * begins after step `step`; the gate knows the earlier releases. */
    const unsigned char *state;
    size_t state_bytes;
    uint64_t step;
    /* Asked after every step: whether to keep the state now (time has passed, a limit is near), and keeping it.
     * `keep` is SOTTO_INTERRUPTED after it kept the state when the run is to stop. */
    bool (*is_due)(void *context);
    sotto_status (*keep)(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error);
    void *context;
} sot_checkpoint;

/* Public rows on which a learner scores its released state, and the scores. */
typedef struct sot_validation {
    const sot_matrix *matrix; /* borrowed */
    size_t count, room;
    uint64_t *steps; /* owned by the run */
    double *scores;  /* accuracy, or root mean squared error */
} sot_validation;

typedef struct sot_learner sot_learner;
struct sot_learner {
    sot_learner_setup setup;
    struct sot_empirical *empirical; /* the sum of losses, owned; NULL: it has none */
    sot_setting settings[SOT_SETTINGS_MAX];
    size_t setting_count;
    sot_choice choices[SOT_CHOICES_MAX];
    size_t choice_count;
    size_t outputs;      /* coefficients a column: 1, or the classes of softmax */
    size_t coefficients; /* that `learn` writes; 0: outputs x columns */
    struct sot_net
        *net; /* a network, owned; `learn` fills in its released data norms; else NULL */
    sot_concept_class *concept; /* of a concept, owned; else NULL */
    /* For a concept by laplace, which releases all of these. Lists and scales are the learner's.
     * `counts` is room for sot_concept_counts() of them, set by the run before `learn` and
     * borrowed; NULL: they are not stored. */
    sot_concept_errors errors;
    size_t
        draws; /* vectors of outputs x columns that `learn` writes, one after another; 0: 1 */
    const char
        *sampler; /* static: the name of the sampler, "proximal", ...; NULL: none */
    const char *sampler_why; /* static: the reliability of that */
    sot_checkpoint
        *checkpoint; /* set by the run before `learn`, borrowed; NULL: none is kept */
    sot_validation *validation; /* the same */
    bool streams;               /* `learn` takes a table that is not in memory */
    bool resumes;               /* `learn` asks `checkpoint` after every step */
    double grid;                /* of the coefficients, a power of two */
    double
        sampler_error; /* of all that `learn` will draw, in total variation; an upper bound */
    double
        pure_delta; /* delta of a certificate for a run without a delta, if its samplers
                     * need more than SOT_OBJECTIVE_PURE_DELTA allows; 0: they do not */
    /* Adds the events. NULL: there are none, the data is public. */
    sotto_status (*plan)(const sot_learner *learner, sotto_plan *plan,
                         sotto_error *error);
    /* Writes the released coefficients, exact multiples of `grid`: `outputs` times one per column of
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

/* The number of values that `learn` writes. */
size_t sot_learner_coefficients(const sot_learner *learner);

/* Appends a setting; a full list is a bug and asserts. */
void sot_learner_set(sot_learner *learner, const char *name, double value,
                     const char *why);

/* Returns the value of a setting; SOTTO_UNSET: the learner has none of that name. */
double sot_learner_setting(const sot_learner *learner, const char *name);

/* Appends a choice, in the same way. */
void sot_learner_choose(sot_learner *learner, const char *name, const char *word);

/* The rows that rules may divide by: the public number, or else the public guess; 0: neither was
 * given. Never a count of the data. */
uint64_t sot_learner_rows(const sot_learner_setup *setup);

/* |theta*| of the theory: with margins of up to 4, odds of 55 to 1; or the radius of the ball, if
 * that is smaller. Only the defaults for steps and lambda depend on it. */
double sot_learner_norm_guess(const sot_learner *learner);

#endif
