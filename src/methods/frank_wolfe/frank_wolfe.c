/* Frank and Wolfe's method on the L1 ball: every step moves towards one of the ball's vertices,
 * chosen privately. Claims: frank_wolfe.md. */
#include <math.h>
#include <string.h>

#include <sotto/exponential.h>
#include <sotto/grid.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/descent/descent.h"
#include "numeric/outward.h"

/* A row's gradient is at most 2^20 units long. */
enum { GRADIENT_BITS = 19 };

/* The default ball: the L1 norm of this number of equal coefficients whose L2 norm is
 * sot_learner_norm_guess(). */
#define COEFFICIENTS_GUESS 64.0

/* A is the worst that the loss can curve, and real losses curve less: more steps than this only cost. */
enum { STEPS_RULE_MOST = 200 };

/* The epsilon of a choice is found by halving: so often. */
enum { HALVINGS = 40 };

/* Public. */
typedef struct frank_wolfe {
    sotto_selection_config choice;
    bool
        pure; /* permute-and-flip; else the exponential mechanism, which composes better */
    uint64_t steps;
    double spacing;
    double radius;
    double lambda;
} frank_wolfe;

/* ---- public: the price ---- */

static sotto_status event_of(const frank_wolfe *at, sotto_event *out_event,
                             sotto_error *error)
{
    const sotto_status status =
        at->pure ? sotto_permute_and_flip_event(&at->choice, out_event, error)
                 : sotto_exponential_event(&at->choice, out_event, error);
    if (status == SOTTO_OK) out_event->count = at->steps;
    return status;
}

static sotto_status add_events(const frank_wolfe *at, sotto_plan *plan,
                               sotto_error *error)
{
    sotto_event event;
    const sotto_status status = event_of(at, &event, error);
    return status == SOTTO_OK ? sotto_plan_add(plan, &event, error) : status;
}

static sotto_status price(const frank_wolfe *at, double delta, double *out_epsilon,
                          sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_account account = {0};
    sotto_status status = sotto_plan_new(at->choice.adjacency, &plan, error);
    if (status == SOTTO_OK) status = add_events(at, plan, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, error);
    sotto_plan_free(plan);
    *out_epsilon = account.epsilon;
    return status;
}

/* The largest epsilon a choice may have. An equal share of the whole is always right. */
static sotto_status calibrate(frank_wolfe *at, const sotto_train_config *config,
                              sotto_error *error)
{
    const double share = sot_widen_down(config->epsilon / (double)at->steps, 0x1p-40);
    double low = share;
    double high = config->epsilon;
    at->choice.epsilon = share;
    if (at->pure || at->steps == 1) return SOTTO_OK;
    for (int i = 0; i < HALVINGS && high > low * (1.0 + 0x1p-20); i++) {
        double whole;
        at->choice.epsilon = sqrt(low * high);
        const sotto_status status = price(at, config->delta, &whole, error);
        if (status != SOTTO_OK) return status;
        if (whole <= config->epsilon)
            low = at->choice.epsilon;
        else
            high = at->choice.epsilon;
    }
    at->choice.epsilon = low;
    return SOTTO_OK;
}

/* The move of a score by a unit: |gradient's coordinate| a row, in units of the spacing. */
static sotto_status set_sensitivity(const sot_learner *learner, frank_wolfe *at,
                                    sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    int exponent;
    const sotto_status status =
        sotto_grid_exponent(facts->record_bound, GRADIENT_BITS, &exponent, error);
    if (status != SOTTO_OK) return status;
    at->spacing = ldexp(1.0, exponent);
    const double units =
        floor(sot_mul_up(facts->coordinate_bound / at->spacing, 1.0 + 0x1p-20)) + 1.0;
    const double rows = (double)setup->unit_rows;
    const bool twice = setup->config->adjacency == SOTTO_REPLACE_ONE;
    at->choice.sensitivity = (uint64_t)(units * rows * (twice ? 2.0 : 1.0));
    /* A vertex gains as much as the opposite one loses. */
    at->choice.change = SOTTO_CHANGE_ANY;
    at->choice.adjacency = setup->config->adjacency;
    at->choice.purpose = "vertex of the ball";
    return SOTTO_OK;
}

/* ---- public: rules ---- */

/* For the mean loss, T steps leave A/T with A = 2 f'' (2 c X)^2. A choice is short by about c
 * B log(2 d) / n, with B = 2 s / epsilon. With a delta that epsilon falls with the root of T,
 * without one with T. The sum is smallest at T = (2 A / B)^(2/3), or sqrt(A / B):
 * frank_wolfe.md. */
static sotto_status steps_of_rule(const sot_learner *learner, frank_wolfe *at,
                                  sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    const double rows = (double)sot_learner_rows(setup);
    if (!(rows > 0.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`expected_rows` is missing: the method frank-wolfe chooses its steps by the "
            "number of rows; pass `expected_rows=N` (an estimate is fine), or `steps`");
    }
    const double bound = sot_encoding_bound(setup->encoding);
    const double reach = at->radius * sot_encoding_feature_most(setup->encoding);
    const double descent = 8.0 * facts->smoothness / (bound * bound) * reach * reach;
    double epsilon = config->epsilon; /* of one choice, if there were one step */
    if (!at->pure) {
        sot_descent once = {.steps = 1,
                            .noise = {.l2_sensitivity = 1.0, .rate = SOTTO_UNSET}};
        const sotto_status status = sot_descent_calibrate(&once, config, error);
        if (status != SOTTO_OK) return status;
        epsilon = 2.0 / once.multiplier; /* epsilon^2 T / 8 of zCDP against mu^2 / 2 */
    }
    const double choice = at->radius * 2.0 * (double)at->choice.sensitivity *
                          at->spacing * log(2.0 * (double)facts->dimension) /
                          (rows * epsilon);
    const double steps =
        at->pure ? sqrt(descent / choice) : pow(2.0 * descent / choice, 2.0 / 3.0);
    at->steps = (uint64_t)fmin(STEPS_RULE_MOST, fmax(1.0, ceil(steps)));
    return SOTTO_OK;
}

static sotto_status check_setup(const sot_learner *learner, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    if (isinf(learner->empirical->facts.smoothness)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the %s loss has a kink, and the method frank-wolfe needs a "
                        "smooth one; use `model=svm`, or the methods output, gd or sgd",
                        learner->empirical->facts.name);
    }
    if (config->steps > SOT_STEPS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` is %llu, more than frank-wolfe can use; give at most %d",
                        (unsigned long long)config->steps, (int)SOT_STEPS_MAX);
    }
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    return add_events(learner->state, events, error);
}

/* ---- secret: the records ---- */

typedef struct walk {
    const sot_learner *learner;
    sot_table *table;
    sot_pool *pool;
    double *theta;   /* released */
    int64_t *units;  /* exact sums */
    int64_t *scores; /* two per coordinate: its positive vertex, its negative one */
} walk;

static sotto_status sum_gradient(walk *run, sotto_error *error)
{
    const sot_empirical *empirical = run->learner->empirical;
    const frank_wolfe *at = run->learner->state;
    const sot_matrix *chunk = NULL;
    memset(run->units, 0, empirical->facts.dimension * sizeof *run->units);
    sotto_status status = sot_table_rewind(run->table, error);
    if (status == SOTTO_OK) status = sot_table_next(run->table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        status = empirical->operations->add_gradient(empirical, chunk, NULL, 0,
                                                     run->theta, at->spacing, run->pool,
                                                     run->units, error);
        if (status == SOTTO_OK) status = sot_table_next(run->table, &chunk, error);
    }
    return status;
}

/* Towards the vertex radius e_j the objective falls by -radius (gradient)_j. lambda's part of the
 * gradient is a function of released numbers. */
static void set_scores(walk *run)
{
    const frank_wolfe *at = run->learner->state;
    for (size_t i = 0; i < run->learner->empirical->facts.dimension; i++) {
        const double pull = at->lambda * run->theta[i] / at->spacing;
        const int64_t rounded = (int64_t)nearbyint(fmin(0x1p60, fmax(-0x1p60, pull)));
        run->scores[2 * i] = -(run->units[i] + rounded);
        run->scores[2 * i + 1] = run->units[i] + rounded;
    }
}

/* Step t, from 0: theta moves 2/(t + 2) of the way to the chosen vertex. */
static sotto_status take_step(walk *run, sotto_gate *gate, uint64_t step,
                              sotto_error *error)
{
    const frank_wolfe *at = run->learner->state;
    const size_t dimension = run->learner->empirical->facts.dimension;
    size_t corner = 0;
    sotto_status status = sum_gradient(run, error);
    if (status != SOTTO_OK) return status;
    set_scores(run);
    status = at->pure ? sotto_permute_and_flip_choose(gate, &at->choice, run->scores,
                                                      2 * dimension, &corner, error)
                      : sotto_exponential_choose(gate, &at->choice, run->scores,
                                                 2 * dimension, &corner, error);
    if (status != SOTTO_OK) return status;
    const double part = 2.0 / ((double)step + 2.0);
    for (size_t i = 0; i < dimension; i++)
        run->theta[i] *= 1.0 - part;
    run->theta[corner / 2] += corner % 2 == 0 ? part * at->radius : -part * at->radius;
    return SOTTO_OK;
}

static sotto_status walk_all(walk *run, sotto_gate *gate, sotto_error *error)
{
    const frank_wolfe *at = run->learner->state;
    const sotto_train_config *config = run->learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    sotto_status status = sot_progress_report(&progress, 0, at->steps, 0.0, error);
    for (uint64_t step = 0; step < at->steps && status == SOTTO_OK; step++) {
        status = take_step(run, gate, step, error);
        if (status == SOTTO_OK)
            status = sot_progress_report(
                &progress, step + 1, at->steps,
                step + 1 == at->steps ? config->epsilon : SOTTO_UNSET, error);
    }
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const size_t dimension = learner->empirical->facts.dimension;
    walk run = {.learner = learner,
                .table = table,
                .pool = pool,
                .theta = out_theta,
                .units = sot_new_array(dimension, sizeof(int64_t)),
                .scores = sot_new_array(dimension, 2 * sizeof(int64_t))};
    sotto_status status = SOTTO_OK;
    if (run.units == NULL || run.scores == NULL)
        status = sot_fail_memory(error, dimension, 3 * sizeof(int64_t));
    for (size_t i = 0; i < dimension; i++)
        out_theta[i] = 0.0;
    if (status == SOTTO_OK) status = walk_all(&run, gate, error);
    if (status == SOTTO_OK) sot_erm_round(out_theta, dimension, learner->grid);
    sot_wipe_and_free(run.units, dimension * sizeof(int64_t));
    sot_wipe_and_free(run.scores, 2 * dimension * sizeof(int64_t));
    return status;
}

/* ---- the whole ---- */

static void describe(sot_learner *learner, const frank_wolfe *at)
{
    const sotto_train_config *config = learner->setup.config;
    sot_learner_set(learner, "lambda", at->lambda,
                    isnan(config->lambda) ? "none: the ball is enough" : "given");
    sot_learner_set(learner, "radius", at->radius,
                    isnan(config->radius)
                        ? "of the L1 ball, as 64 equal coefficients would need"
                        : "given, of the L1 ball");
    sot_learner_set(learner, "steps", (double)at->steps,
                    config->steps > 0
                        ? "given"
                        : "minimum of the theoretical error of descent and choices");
    sot_learner_set(learner, "choice_epsilon", at->choice.epsilon,
                    at->pure ? "of one vertex's choice, by permute-and-flip"
                             : "of one vertex's choice, by the exponential mechanism");
    sot_learner_set(learner, "sensitivity", (double)at->choice.sensitivity * at->spacing,
                    "bound on the change of a vertex's score by one unit");
}

sotto_status sot_erm_frank_wolfe(sot_learner *learner, sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    sotto_status status = check_setup(learner, error);
    if (status != SOTTO_OK) return status;
    frank_wolfe *at = sot_new_array(1, sizeof *at);
    if (at == NULL) return sot_fail_memory(error, 1, sizeof *at);
    learner->state = at;
    learner->plan = plan;
    learner->learn = learn;
    learner->streams = true;
    learner->grid = 0x1p-40;
    *at = (frank_wolfe){
        .choice = sotto_selection_defaults(),
        .pure = isnan(config->delta),
        .steps = config->steps,
        .radius = isnan(config->radius)
                      ? sot_learner_norm_guess(learner) *
                            sqrt(fmin(COEFFICIENTS_GUESS,
                                      (double)learner->empirical->facts.dimension))
                      : config->radius,
        .lambda = isnan(config->lambda) ? 0.0 : config->lambda};
    status = set_sensitivity(learner, at, error);
    if (status == SOTTO_OK && config->steps == 0)
        status = steps_of_rule(learner, at, error);
    if (status == SOTTO_OK) status = calibrate(at, config, error);
    if (status == SOTTO_OK) describe(learner, at);
    return status; /* the choices are drawn exactly: no sampler's error */
}
