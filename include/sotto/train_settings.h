/* sotto/train_settings.h: the settings of a training, and the kinds of model.
 *
 * Idea        Everything that is decided before a record is read, beside the schema. Privacy
 *             settings have no default: epsilon, delta, the number of rows.
 * Use         sotto/sotto.h, sotto/train.h; training.md, choosing-parameters.md
 */
#ifndef SOTTO_TRAIN_SETTINGS_H
#define SOTTO_TRAIN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/basis.h>
#include <sotto/clipping.h>
#include <sotto/error.h>
#include <sotto/event.h>
#include <sotto/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_model_kind {
    SOTTO_MODEL_UNSET = 0,
    SOTTO_MODEL_LOGISTIC = 1, /* two classes */
    SOTTO_MODEL_LINEAR = 2,   /* a number, squared loss */
    SOTTO_MODEL_SVM = 3,      /* two classes, hinge loss with a smoothed kink */
    SOTTO_MODEL_HINGE = 4,    /* two classes, the hinge loss itself: not smooth */
    SOTTO_MODEL_HUBER = 5,    /* a number, squared loss with linear tails */
    SOTTO_MODEL_SOFTMAX = 6,  /* two classes or more */
    SOTTO_MODEL_POISSON = 7,  /* a count */
    SOTTO_MODEL_CUSTOM = 8,   /* a convex loss of the caller's: config->loss */
    SOTTO_MODEL_NETWORK = 9,  /* a neural network: config->network; classes or a number */
    SOTTO_MODEL_CONCEPT =
        10, /* one of a finite class of yes-no functions: config->concept; two classes */
    SOTTO_MODEL_ADDITIVE =
        11 /* a coefficient for each bin of a column; classes or a number */
} sotto_model_kind;

/* Largest number of samples that posterior and regularized-em release. */
enum { SOTTO_DRAWS_MAX = 1000 };

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_method {
    SOTTO_METHOD_AUTO = 0, /* chosen from public facts; the result says which and why */
    SOTTO_METHOD_OUTPUT = 1,
    SOTTO_METHOD_OBJECTIVE = 2,
    SOTTO_METHOD_GD = 3,
    SOTTO_METHOD_NONE = 4,
    SOTTO_METHOD_SGD = 5,        /* noisy stochastic gradient descent */
    SOTTO_METHOD_NEWTON = 6,     /* noisy Newton steps; logistic */
    SOTTO_METHOD_STATISTICS = 7, /* noisy sufficient statistics; linear */
    SOTTO_METHOD_ADASSP = 8,     /* the same, regularised as the data needs; linear */
    SOTTO_METHOD_PERMUTATION_SGD = 9, /* plain SGD in shuffled passes, noise at the end */
    SOTTO_METHOD_GD_OUTPUT = 10,      /* plain gradient descent, noise at the end */
    SOTTO_METHOD_FRANK_WOLFE = 11,    /* on the L1 ball */
    SOTTO_METHOD_POSTERIOR = 12,      /* a sample from the tempered posterior */
    SOTTO_METHOD_REGULARIZED_EM = 13, /* the regularised exponential mechanism */
    SOTTO_METHOD_EXPONENTIAL = 14,    /* concepts: the exponential mechanism */
    SOTTO_METHOD_PERMUTE_AND_FLIP = 15, /* concepts: permute-and-flip */
    SOTTO_METHOD_LAPLACE =
        16 /* concepts: the least of all counts of errors, each with Laplace noise, which are
              released too: sotto_model_noisy_errors() */
} sotto_method;

/* Which theorem fixes the noise of objective perturbation. The others are for comparison. */
typedef enum sotto_calibration {
    SOTTO_CALIBRATION_SHARP = 0, /* the determinant costs nothing: objective.md */
    SOTTO_CALIBRATION_CHAUDHURI =
        1, /* Chaudhuri, Monteleoni & Sarwate 2011: pure, replace-one */
    SOTTO_CALIBRATION_KIFER = 2, /* Kifer, Smith & Thakurta 2012: add-remove */
    SOTTO_CALIBRATION_REDBERG =
        3, /* Redberg, Koskela & Wang 2023: add-remove, Gaussian */
    SOTTO_CALIBRATION_FORMER =
        4 /* sharp as it was before the frozen-slope theorem; files that state no
             calibration verify under it */
} sotto_calibration;

/* The step sizes of SGD. */
typedef enum sotto_schedule {
    SOTTO_SCHEDULE_AUTO = 0,     /* by the loss, lambda and the ball */
    SOTTO_SCHEDULE_CONSTANT = 1, /* h */
    SOTTO_SCHEDULE_ROOT = 2,     /* h / sqrt(t): convex, Lipschitz; the lecture's */
    SOTTO_SCHEDULE_STRONG = 3,   /* 1 / (lambda t): strongly convex; the lecture's */
    SOTTO_SCHEDULE_LINEAR = 4,   /* h (1 - (t - 1) / T): for the last iterate */
    SOTTO_SCHEDULE_COSINE = 5    /* h (1 + cos(pi (t - 1) / T)) / 2 */
} sotto_schedule;

/* Which iterate is the result. */
typedef enum sotto_iterate {
    SOTTO_ITERATE_AUTO = 0,
    SOTTO_ITERATE_AVERAGE = 1,  /* of all steps */
    SOTTO_ITERATE_SUFFIX = 2,   /* of the later half */
    SOTTO_ITERATE_WEIGHTED = 3, /* the average with weights t: for strongly convex */
    SOTTO_ITERATE_LAST = 4
} sotto_iterate;

/* The optimizer of networks. */
typedef enum sotto_optimizer {
    SOTTO_OPTIMIZER_SGD = 0, /* with momentum, if there is any */
    SOTTO_OPTIMIZER_ADAM = 1
} sotto_optimizer;

/* Sampler of posterior and regularized-em. */
typedef enum sotto_sampler {
    SOTTO_SAMPLER_AUTO = 0,     /* exact-gaussian for linear, proximal for the others */
    SOTTO_SAMPLER_PROXIMAL = 1, /* the proximal sampler with exact rejection: certified */
    SOTTO_SAMPLER_EXACT_GAUSSIAN =
        2, /* linear: by a Cholesky factor, truncated to the ball: certified */
    SOTTO_SAMPLER_MALA =
        3 /* a heuristic: only for public data, it yields no certificate */
} sotto_sampler;

struct sotto_loss; /* sotto/loss.h */

/* Start from sotto_train_defaults(). Texts are borrowed for the call. */
typedef struct sotto_train_config {
    size_t size; /* sizeof(sotto_train_config): sotto_train_defaults() sets it */
    sotto_model_kind model;        /* has no default */
    sotto_method method;           /* default auto */
    sotto_calibration calibration; /* of objective perturbation */
    double epsilon;                /* of the whole training; has no default */
    double delta;                  /* SOTTO_UNSET: pure methods only */
    sotto_adjacency adjacency;     /* default SOTTO_ADD_REMOVE */
    uint64_t public_n; /* rows, declared public; needs replace-one; 0: not said */
    uint64_t
        expected_rows;  /* a public guess, never compared with the data; 0: not said */
    const char *target; /* column; NULL: the schema's */
    double
        lambda; /* of (lambda/2)|theta|^2 beside the SUM of losses; SOTTO_UNSET: the rule */
    bool
        lambda_theory; /* output: the lambda that is optimal in theory; needs expected_rows */
    uint64_t steps;       /* of iterative methods; permutation SGD: passes; 0: default */
    double learning_rate; /* of iterative methods, in units of 1/smoothness; SOTTO_UNSET:
                        * default */
    double width; /* svm: of the smoothed kink, in units of the margin; default 0.5 */
    double
        threshold; /* huber: residuals beyond it count linearly; linear, poisson: slopes
                    * are clipped at it; in units of the encoded target; SOTTO_UNSET:
                    * default */
    double
        radius; /* coefficients stay in this L2 ball; frank-wolfe: L1; SOTTO_UNSET: none */
    double l1;  /* weight of the smoothed L1 norm of the coefficients; default 0 */
    double l1_width;   /* of its smoothed kink; SOTTO_UNSET: default */
    const char *prior; /* model file of public data whose coefficients are the centre of
                           (lambda/2)|theta - centre|^2; NULL: 0 */
    sotto_sampling sampling; /* sgd: SOTTO_POISSON (default) or SOTTO_SINGLE_RECORD */
    uint64_t batch;          /* sgd: records per step, on average; 0: default */
    sotto_schedule schedule; /* sgd */
    sotto_iterate iterate;   /* sgd, gd */
    /* ---- only SOTTO_MODEL_NETWORK; the learning rate is then a plain number, on the mean
     * gradient; sampling may be SOTTO_WITHOUT_REPLACEMENT and SOTTO_NOT_SAMPLED (all rows, every
     * step) too ---- */
    const char *
        network; /* a preset's name, the path of a network's JSON file, or JSON text, which
                             begins with a brace */
    double
        epochs; /* passes over the data, on average; SOTTO_UNSET: `steps`, or the rule */
    sotto_clipping clipping;
    double clip; /* C; SOTTO_UNSET: the rule */
    sotto_optimizer optimizer;
    double momentum;       /* SOTTO_UNSET: the rule; of Adam its first decay */
    double weight_average; /* decay of the moving average that is the result; 0: the last
                               weights; SOTTO_UNSET: the rule */
    uint64_t
        augmentations; /* shifted and mirrored copies of an image whose gradients are averaged inside
                               the record; 0: none */
    const char *
        init; /* model file of public data, or released before, to begin with; NULL: none */
    const char
        *freeze; /* layers that stay as `init` has them, for example "1-3"; NULL: none */
    double
        max_minutes; /* time limit: the training stops at a checkpoint, SOTTO_INTERRUPTED, and the
                      * same call resumes it. Networks, and sgd and gd of other models; needs an
                      * output; SOTTO_UNSET: no limit */
    const char
        *validation; /* public rows, for a learning curve in the model file; NULL: none */
    const char *validation_labels; /* beside it; NULL: none */
    /* ---- only SOTTO_MODEL_CONCEPT ---- */
    const char
        *concept; /* the class: a kind's name, the path of a JSON file, or JSON text (concepts.md) */
    /* ---- only posterior and regularized-em ---- */
    uint64_t draws; /* that are released, each paid for, up to SOTTO_DRAWS_MAX; 0: 1 */
    sotto_sampler sampler;
    bool public_constants; /* the sampler's step and number of steps follow only from
                           * public facts */
    const struct sotto_loss
        *loss;           /* only SOTTO_MODEL_CUSTOM; borrowed, also by its plan */
    bool stream;         /* rows are read again for every pass and never held together */
    bool data_is_public; /* needed by, and only for, SOTTO_METHOD_NONE */
    const char *ledger;  /* NULL: the schema's */
    const char *
        output; /* model file, replaced atomically; NULL: none. Runs with a ledger, and all
                 * networks, sgd and gd, save their progress in <output>.checkpoint; the same call
                 * resumes from it */
    const char *
        sign; /* file of the secret key that signs the model file (sotto/key.h), read before the charge; NULL:
                            none */
    bool
        again; /* a new run, newly charged, though the ledger has the same one finished */
    bool overwrite;     /* the output may replace a file that <sotto/output.h> protects */
    bool insecure_test; /* noise from `test_seed`: the certificate says NOT PRIVATE */
    uint64_t test_seed;
    size_t threads; /* 0: one per CPU; the result is the same for any number */
    sotto_progress_function progress; /* NULL: none */
    void *progress_context;
    /* ---- only SOTTO_MODEL_ADDITIVE ---- */
    sotto_basis basis;
    uint64_t bins; /* of a number without edges in the schema; 0: the rule */
} sotto_train_config;

/* Nothing that carries privacy is set but the adjacency, SOTTO_ADD_REMOVE. */
SOTTO_API void sotto_train_set_defaults(sotto_train_config *out_config,
                                        size_t size_bytes);
static inline sotto_train_config sotto_train_defaults(void)
{
    sotto_train_config config;
    sotto_train_set_defaults(&config, sizeof config);
    return config;
}

#ifdef __cplusplus
}
#endif
#endif
