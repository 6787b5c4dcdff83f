/* methods/kinds.h: one row a method. Layers above ask the row and compare no methods.
 *
 * A new method is its value in <sotto/train_settings.h>, a row in kinds.c and, for convex losses, its learner in
 * methods/convex/erm.c. Layers above have tables of their own, indexed by the same method:
 * commands/audit/pairs/study.c, commands/pac/trials.c.
 */
#ifndef SOT_METHODS_KINDS_H
#define SOT_METHODS_KINDS_H

#include <stdbool.h>

#include <sotto/train_settings.h>

/* Settings that a learner honours. */
enum {
    SOT_TAKES_CALIBRATION = 1,
    SOT_TAKES_THEORY = 2,
    SOT_TAKES_STEPS = 4,
    SOT_TAKES_RATE = 8,
    SOT_TAKES_SAMPLES = 16, /* sampling, schedule */
    SOT_TAKES_ITERATE = 32,
    SOT_TAKES_NO_LAMBDA = 64, /* lambda may be 0 */
    SOT_TAKES_RADIUS = 128,
    SOT_TAKES_L1 = 256,
    SOT_TAKES_PRIOR = 512,
    SOT_TAKES_BATCH = 1024,
    SOT_TAKES_CONVEX = 2048,  /* the kinks of losses of a margin */
    SOT_TAKES_NETWORK = 4096, /* settings of networks only */
    SOT_TAKES_CONCEPT = 8192,
    SOT_TAKES_DRAWS = 16384, /* draws, sampler, public constants */
    SOT_TAKES_BINS = 32768,  /* basis and number of bins; by the model, not the method */
    SOT_TAKES_TERMS = SOT_TAKES_RADIUS | SOT_TAKES_L1 | SOT_TAKES_PRIOR
};

typedef struct sot_method_row {
    const char *name;
    unsigned takes;           /* settings of convex losses that it honours */
    bool noiseless;           /* for public rows only */
    bool chooses;             /* a concept */
    const char *distribution; /* that it samples from; NULL: it samples no model */
    bool fits_moments;        /* its loss is the squared one for every threshold */
    bool own_ball;            /* its radius is that of another norm */
    bool noise_at_end;        /* of known distribution, on the coefficients */
    bool noise_in_loss;       /* a random linear term, and lambda bounds its effect */
} sot_method_row;

/* Returns the row of a method. A value that is no method has an empty one, without a name. */
const sot_method_row *sot_method_row_of(sotto_method method);

#endif
