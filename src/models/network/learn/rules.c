/* Default settings from public facts: the expected rows, the network, the method.
 *
 * Sources: the recipes of Tramer & Boneh (ICLR 2021): momentum 0.9, clip norm 0.1, and
 * batch / learning rate / passes
 *
 *     MNIST     tanh CNN 512 / 0.5 / 40, scattering linear 4096 / 8 / 40, scattering CNN 1024 / 1 / 23
 *     Fashion   tanh CNN 2048 / 4 / 40,  scattering linear 8192 / 16 / 40, scattering CNN 2048 / 4 / 40
 *     CIFAR-10  tanh CNN 1024 / 1 / 30,  scattering linear 8192 / 4 / 60, scattering CNN 8192 / 4 / 60
 *
 * and Dormann, Frisk, Andersen & Pedersen (2021): rates of 0.14 to 0.2, 40 to 100 passes. In all
 * of them the rate is 0.01 to 0.2. Learning rate times clip norm is a constant times the batch,
 * so noise and signal of a step do not depend on the batch. The constant is 0.05 to 0.1 per 512
 * records for the grey images, 0.025 to 0.05 for the larger networks of the coloured ones.
 *
 * The tanh CNN at epsilon 3 was trained on five sixths of the Fashion-MNIST training file. With
 * constants 0.05, 0.1 and 0.2 it has 84.3, 86.1 and 86.1 % on the last sixth: 0.1.
 *
 * De et al. (2022): a moving average of the weights with decay 0.999.
 */
#include <math.h>

#include "base/error.h"
#include "models/network/learn/parts.h"

/* Large networks need more passes and a larger share of the rows. Noise per step falls with the
 * batch, and grows with the root of the parameters. The published large ones have 155,530
 * parameters and more. An MLP 784-128-10 of 101,770 on Fashion-MNIST, as above, has 83.6 % with
 * the settings of the large and 85.1 % with the rate of the small. */
enum { LARGE_PARAMETERS = 150000 };
#define RATE_SMALL   (4096.0 / 60000.0)
#define RATE_LARGE   (8192.0 / 50000.0)
#define EPOCHS_SMALL 40.0
#define EPOCHS_LARGE 60.0
#define EPOCHS_PLAIN 20.0

/* Learning rate times clip, a record of batch. At most the largest that was published, that of a batch of 8192. */
#define STEP_SMALL (0.1 / 512.0)
#define STEP_LARGE (0.025 / 512.0)
#define STEP_MOST  1.6

/* For public rows: the usual mini-batches. */
#define BATCH_PLAIN 128.0
#define STEP_PLAIN  0.05

#define CLIP_RULE     0.1
#define MOMENTUM_RULE 0.9
#define ADAM_RULE     0.001 /* Kingma & Ba 2015 */
#define AVERAGE_RULE  0.999

enum { EPOCHS_MOST = 1000000 };

/* ---- refusals ---- */

/* Given, and not within [least, most]; the negation catches NaN, infinity is beyond. */
static sotto_status check_range(const char *what, double value, double least, double most,
                                const char *example, sotto_error *error)
{
    if (isnan(value) || (value >= least && value <= most)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is %g; it lies from %g to %g; for example `%s=%s`", what, value,
                    least, most, what, example);
}

static sotto_status check_numbers(const sotto_train_config *config, sotto_error *error)
{
    sotto_status status =
        check_range("learning_rate", config->learning_rate, 1e-9, 1e6, "0.5", error);
    if (status == SOTTO_OK)
        status = check_range("clip", config->clip, 1e-9, 1e6, "0.1", error);
    if (status == SOTTO_OK)
        status = check_range("momentum", config->momentum, 0.0, 0.999999, "0.9", error);
    if (status == SOTTO_OK) {
        status = check_range("weight_average", config->weight_average, 0.0, 0.999999,
                             "0.999", error);
    }
    if (status == SOTTO_OK)
        status = check_range("epochs", config->epochs, 1e-6, EPOCHS_MOST, "40", error);
    if (status == SOTTO_OK)
        status = check_range("radius", config->radius, 1e-9, 1e9, "10", error);
    if (status == SOTTO_OK)
        status = check_range("lambda", config->lambda, 0.0, 1e12, "1", error);
    if (status == SOTTO_OK && !isnan(config->epochs) && config->steps > 0) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`epochs` is %g and `steps` is %llu; leave one of them out",
                          config->epochs, (unsigned long long)config->steps);
    }
    return status;
}

static sotto_status check_batch(const sot_learner_setup *setup, double rows,
                                sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (config->batch == 0) return SOTTO_OK;
    if (sot_nn_takes_all(setup) && setup->method != SOTTO_METHOD_NONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`batch` is %llu, but every step takes all rows; leave `batch` "
                        "out, or give `sampling=poisson`",
                        (unsigned long long)config->batch);
    }
    if (config->sampling == SOTTO_SINGLE_RECORD && config->batch > 1) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`batch` is %llu, but each step takes one record; leave `batch` "
                        "out, or give `sampling=poisson`",
                        (unsigned long long)config->batch);
    }
    if (rows > 0.0 && (double)config->batch > rows) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`batch` is %llu, but the public row count is %.0f; give at most that many",
            (unsigned long long)config->batch, rows);
    }
    return SOTTO_OK;
}

/* ---- rules ---- */

static bool is_large(const sot_learner *learner)
{
    return learner->net->trainable > LARGE_PARAMETERS;
}

static double batch_of(const sot_learner *learner, double rows)
{
    const sotto_train_config *config = learner->setup.config;
    if (config->batch > 0) return (double)config->batch;
    if (learner->setup.method == SOTTO_METHOD_NONE) return BATCH_PLAIN;
    if (sot_nn_takes_all(&learner->setup)) return rows;
    if (config->sampling == SOTTO_SINGLE_RECORD) return 1.0;
    return fmax(1.0, rint(rows * (is_large(learner) ? RATE_LARGE : RATE_SMALL)));
}

static double learning_rate_of(const sot_learner *learner, const sot_nn *nn, double batch)
{
    const sotto_train_config *config = learner->setup.config;
    if (!isnan(config->learning_rate)) return config->learning_rate;
    if (config->optimizer == SOTTO_OPTIMIZER_ADAM) return ADAM_RULE;
    if (learner->setup.method == SOTTO_METHOD_NONE) return STEP_PLAIN;
    const double step = batch * (is_large(learner) ? STEP_LARGE : STEP_SMALL);
    return fmin(step, STEP_MOST) / nn->clip.bound;
}

static sotto_status set_steps(const sotto_train_config *config, sot_nn *nn, double batch,
                              double epochs, sotto_error *error)
{
    const double steps = config->steps > 0 ? (double)config->steps
                                           : fmax(1.0, rint(epochs * nn->rows / batch));
    if (steps > SOT_STEPS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epochs` is %g: over %.0f rows that is %.0f steps with a batch "
                        "of %.0f; give at most %d steps, or a larger `batch`",
                        epochs, nn->rows, steps, batch, (int)SOT_STEPS_MAX);
    }
    nn->moves.steps = (uint64_t)steps;
    nn->epochs = steps * batch / nn->rows;
    return SOTTO_OK;
}

static const char *given_or(bool given, const char *rule)
{
    return given ? "given" : rule;
}

static void describe(sot_learner *learner, const sot_nn *nn, double batch)
{
    const sotto_train_config *config = learner->setup.config;
    const bool plain = learner->setup.method == SOTTO_METHOD_NONE;
    sot_learner_choose(learner, "optimizer", sotto_optimizer_name(nn->moves.optimizer));
    sot_learner_choose(learner, "schedule", sotto_schedule_name(nn->moves.schedule));
    if (!plain) {
        sot_learner_choose(learner, "clipping", sotto_clipping_name(nn->clip.rule));
        sot_learner_choose(learner, "sampling",
                           sotto_sampling_name(nn->sampler.sampling));
    }
    sot_learner_set(learner, "batch", batch,
                    given_or(config->batch > 0, plain ? "the usual mini-batch"
                                                : sot_nn_takes_all(&learner->setup)
                                                    ? "all rows, every step"
                                                    : "a share of the rows: published "
                                                      "recipes"));
    if (nn->moves.steps > 0)
        sot_learner_set(learner, "steps", (double)nn->moves.steps,
                        given_or(config->steps > 0, "from the epochs"));
    sot_learner_set(learner, "epochs", nn->epochs,
                    config->steps > 0
                        ? "from the steps"
                        : given_or(!isnan(config->epochs),
                                   plain ? "the usual number" : "published recipes"));
    sot_learner_set(learner, "learning_rate", nn->moves.rate,
                    given_or(!isnan(config->learning_rate),
                             config->optimizer == SOTTO_OPTIMIZER_ADAM
                                 ? "adam's usual one"
                             : plain ? "the usual one of mini-batches"
                                     : "by batch and clip: published recipes"));
    sot_learner_set(learner, "momentum", nn->moves.momentum,
                    given_or(!isnan(config->momentum), "published recipes"));
    sot_learner_set(learner, "weight_average", nn->moves.average,
                    given_or(!isnan(config->weight_average),
                             "decay of the moving average that is the result"));
    if (!plain)
        sot_learner_set(learner, "clip", nn->clip.bound,
                        given_or(!isnan(config->clip), "published recipes"));
    if (!isnan(config->lambda))
        sot_learner_set(learner, "lambda", config->lambda,
                        "given; divided by the rows, as decay of the weights");
    if (!isnan(config->radius))
        sot_learner_set(learner, "radius", config->radius,
                        "given; of the ball around the initial weights");
    if (nn->copies > 0)
        sot_learner_set(learner, "augmentations", (double)nn->copies,
                        "given; averaged inside the record");
}

sotto_status sot_nn_decide(sot_learner *learner, sot_nn *nn, sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    const bool plain = setup->method == SOTTO_METHOD_NONE;
    sotto_status status = check_numbers(config, error);
    nn->rows = (double)sot_learner_rows(setup);
    if (status == SOTTO_OK) status = check_batch(setup, nn->rows, error);
    if (status != SOTTO_OK) return status;
    const double batch = batch_of(learner, nn->rows);
    const double epochs = !isnan(config->epochs) ? config->epochs
                          : plain                ? EPOCHS_PLAIN
                          : is_large(learner)    ? EPOCHS_LARGE
                                                 : EPOCHS_SMALL;
    nn->clip =
        (sot_clip){.rule = config->clipping, .bound = (double)INFINITY, .spacing = 0.0};
    if (!plain) {
        nn->clip.bound = isnan(config->clip) ? CLIP_RULE : config->clip;
        nn->clip.spacing = sot_clip_spacing(nn->clip.bound);
    }
    nn->epochs = epochs;
    nn->copies = config->augmentations;
    nn->moves = (sot_nn_moves){
        .optimizer = config->optimizer,
        .schedule = config->schedule == SOTTO_SCHEDULE_AUTO ? SOTTO_SCHEDULE_CONSTANT
                                                            : config->schedule,
        .rate = learning_rate_of(learner, nn, batch),
        .momentum = isnan(config->momentum) ? MOMENTUM_RULE : config->momentum,
        .average = isnan(config->weight_average) ? AVERAGE_RULE : config->weight_average,
        .decay =
            isnan(config->lambda) || nn->rows == 0.0 ? 0.0 : config->lambda / nn->rows,
        .radius = isnan(config->radius) ? 0.0 : config->radius,
        .steps = config->steps};
    if (plain) {
        nn->sampler.batch = (uint64_t)batch; /* of a pass, in a shuffled order */
    } else {
        status = sot_nn_sampler_set(setup, nn->rows, batch, &nn->sampler, error);
        if (status == SOTTO_OK) status = set_steps(config, nn, batch, epochs, error);
    }
    if (status == SOTTO_OK) describe(learner, nn, batch);
    return status;
}
