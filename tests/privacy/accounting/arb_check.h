/* tests/privacy/accounting/arb_check.h: random plans, and the accountants beside the oracle.
 *
 * Covered     every mechanism, every sampling, both adjacencies, alone and with each other:
 *               lattices and boxes (pure, approximate, permute-and-flip, randomized response, Laplace,
 *                 discrete Laplace, discrete Gaussian, exponential; also sampled): one to three events
 *                 of 1 to 40 releases
 *               Poisson-sampled Gaussians, rate 1e-3 to 0.9, noise 0.6 to 20, 10 to 1e5 steps, alone or
 *                 with one or two events of any kind
 *               Gaussian and GDP events with events of any kind, batches of fixed size of 1 to 3000
 *                 steps and objective perturbation among them
 *               one release of everything
 *             delta from 1e-12 to 0.05. Left out are plans whose contour takes more than the work
 *             limit: few steps at small rates, and fixed batches with nothing smooth beside them.
 * Standing    zCDP and a Renyi curve stand for a Gaussian that such an event may be: the oracle is then a
 *             lower bound of the truth, and Chernoff's bound of the same K what the accountant must
 *             reach. The exponential mechanism stands for the pair that dominates it where upper
 *             ends are checked for tightness, and, repeated, for one pair it attains where they are
 *             checked for truth. Objective perturbation beside other events has a certified upper
 *             end that is not tight.
 */
#ifndef SOTTO_TESTS_ARB_CHECK_H
#define SOTTO_TESTS_ARB_CHECK_H

#include "privacy/accounting/arb_oracle.h"
#include "privacy/accounting/cross_check.h"

/* ---- random plans ---- */

typedef enum plan_family {
    FAMILY_LATTICE,
    FAMILY_SAMPLED,
    FAMILY_GAUSSIAN,
    FAMILY_SINGLE,
    FAMILIES
} plan_family;

static inline uint64_t random_count(uint64_t *seed, double most)
{
    return (uint64_t)cross_between(seed, 1.0, most + 0.999);
}

/* What has an epsilon of its own may be sampled: by coins under add-remove, in batches under
 * replace-one. */
static inline void sample_stated(uint64_t *seed, int is_replaced, sotto_event *event)
{
    if (!is_replaced) {
        event->sampling = SOTTO_POISSON;
        event->rate = cross_between(seed, 1e-3, 1.0);
    } else if (cross_uniform(seed) < 0.5) {
        event->sampling = SOTTO_WITHOUT_REPLACEMENT;
        event->population = random_count(seed, 1e4);
        event->batch =
            1 + (uint64_t)((double)(event->population - 1) * cross_uniform(seed));
    } else {
        event->sampling = SOTTO_SINGLE_RECORD;
        event->population = random_count(seed, 100.0);
    }
}

/* Events whose loss is on a lattice or a box. */
static inline sotto_event random_lattice(uint64_t *seed, int is_replaced,
                                         double count_max)
{
    static const sotto_mechanism kinds[] = {SOTTO_PURE,
                                            SOTTO_APPROXIMATE,
                                            SOTTO_PERMUTE_AND_FLIP,
                                            SOTTO_EXPONENTIAL,
                                            SOTTO_RANDOMIZED_RESPONSE,
                                            SOTTO_LAPLACE,
                                            SOTTO_DISCRETE_LAPLACE,
                                            SOTTO_DISCRETE_GAUSSIAN};
    sotto_event event = sotto_event_defaults();
    event.mechanism = kinds[(size_t)(8.0 * cross_uniform(seed))];
    event.count = random_count(seed, count_max);
    const double loss = cross_between(seed, 1e-2, 2.0);
    if (event.mechanism == SOTTO_LAPLACE) {
        event.noise_multiplier = 1.0 / loss;
    } else if (event.mechanism == SOTTO_DISCRETE_LAPLACE) {
        event.sensitivity = (double)random_count(seed, 12.0);
        event.scale = event.sensitivity / loss;
    } else if (event.mechanism == SOTTO_DISCRETE_GAUSSIAN) {
        event.sensitivity = (double)random_count(seed, 4.0);
        event.scale = event.sensitivity * cross_between(seed, 0.7, 6.0);
        event.count = random_count(seed, fmin(count_max, 6.0));
        return event; /* no theorem for a sampled one */
    } else {
        event.epsilon = loss;
        if (event.mechanism == SOTTO_APPROXIMATE)
            event.delta = cross_between(seed, 1e-12, 1e-4);
        if (event.mechanism == SOTTO_RANDOMIZED_RESPONSE)
            event.categories = 2 + (uint32_t)(8.0 * cross_uniform(seed));
    }
    if (cross_uniform(seed) < 0.3) sample_stated(seed, is_replaced, &event);
    return event;
}

static inline sotto_event random_line(uint64_t *seed, double count_max)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = cross_between(seed, 0.6, 20.0);
    event.count = (uint64_t)cross_between(seed, 10.0, count_max);
    event.sampling = SOTTO_POISSON;
    event.rate = cross_between(seed, 1e-3, 0.9);
    return event;
}

/* Batches of fixed size, or one record. */
static inline sotto_event random_batch(uint64_t *seed, double count_max)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = cross_between(seed, 0.5, 20.0);
    event.count = random_count(seed, count_max);
    event.sampling =
        cross_uniform(seed) < 0.7 ? SOTTO_WITHOUT_REPLACEMENT : SOTTO_SINGLE_RECORD;
    event.population = 2 + random_count(seed, 300.0);
    if (event.sampling == SOTTO_WITHOUT_REPLACEMENT)
        event.batch = random_count(seed, (double)event.population);
    return event;
}

static inline sotto_event random_gaussian(uint64_t *seed)
{
    sotto_event event = sotto_event_defaults();
    const double kind = cross_uniform(seed);
    event.count = random_count(seed, 20.0);
    if (kind < 0.4) {
        event.mechanism = SOTTO_GAUSSIAN;
        event.noise_multiplier = cross_between(seed, 0.7, 10.0);
    } else if (kind < 0.8) {
        event.mechanism = SOTTO_GDP;
        event.mu = cross_between(seed, 0.1, 1.5);
    } else if (kind < 0.9) {
        event.mechanism = SOTTO_ZCDP;
        event.rho = cross_between(seed, 1e-2, 0.5);
    } else {
        static const double orders[] = {1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 40.0, 100.0};
        static double values[9]; /* the plan copies them */
        const double square = cross_between(seed, 1e-3, 0.3);
        for (int i = 0; i < 9; i++)
            values[i] = 0.5 * square * orders[i];
        event.mechanism = SOTTO_RDP_CURVE;
        event.curve_size = 9;
        event.curve_orders = orders;
        event.curve_values = values;
    }
    return event;
}

static inline sotto_event random_objective(uint64_t *seed)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event.noise_multiplier = cross_between(seed, 0.7, 10.0);
    event.atom = cross_between(seed, 0.01, 2.0);
    return event;
}

/* Anything that may stand beside something smooth. */
static inline sotto_event random_companion(uint64_t *seed, int is_replaced)
{
    const double kind = cross_uniform(seed);
    if (kind < 0.45) return random_lattice(seed, is_replaced, 10.0);
    if (kind < 0.6) return random_gaussian(seed);
    if (kind < 0.75) return random_objective(seed);
    if (is_replaced && kind < 0.9) return random_batch(seed, 300.0);
    return random_line(seed, 100.0);
}

static inline size_t random_events(uint64_t *seed, plan_family family, int is_replaced,
                                   double count_max, sotto_event *events)
{
    size_t size = 1;
    const double kind = cross_uniform(seed);
    const double more = cross_uniform(seed);
    if (family == FAMILY_LATTICE) {
        size = more < 0.5 ? 1 : more < 0.85 ? 2 : 3;
        for (size_t i = 0; i < size; i++)
            events[i] = random_lattice(seed, is_replaced, size == 1 ? 40.0 : 6.0);
        return size;
    }
    if (family == FAMILY_SINGLE) {
        events[0] = kind < 0.4                  ? random_line(seed, 11.0)
                    : kind < 0.6 && is_replaced ? random_batch(seed, 1.0)
                    : kind < 0.8                ? random_objective(seed)
                                                : random_gaussian(seed);
        events[0].count = 1;
        return 1;
    }
    if (family == FAMILY_SAMPLED) {
        events[0] = random_line(seed, count_max);
    } else {
        events[0] = random_gaussian(seed);
        if (is_replaced && more < 0.6)
            events[size++] = random_batch(seed, 0.03 * count_max);
    }
    const double others = 3.0 * cross_uniform(seed);
    for (double i = 1.0; i < others; i += 1.0)
        events[size++] = random_companion(seed, is_replaced);
    return size;
}

/* Counts are divided by four until Renyi's epsilon at 1e-6 is below 40. */
static inline sotto_plan *random_plan(uint64_t *seed, plan_family family,
                                      double count_max)
{
    sotto_error error;
    sotto_event events[PARTS_MAX];
    const sotto_adjacency adjacency =
        cross_uniform(seed) < 0.45 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
    const size_t size =
        random_events(seed, family, adjacency == SOTTO_REPLACE_ONE, count_max, events);
    for (;;) {
        sotto_plan *plan;
        sotto_account account;
        assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
        for (size_t i = 0; i < size; i++)
            assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
        if (sotto_account_epsilon(plan, SOTTO_RDP, 0.01, &account, &error) == SOTTO_OK &&
            account.epsilon < 40.0) {
            return plan;
        }
        sotto_plan_free(plan);
        for (size_t i = 0; i < size; i++) {
            events[i].count = events[i].count < 4 ? 1 : events[i].count / 4;
            if (events[i].mechanism == SOTTO_GAUSSIAN) events[i].noise_multiplier *= 1.3;
        }
    }
}

/* What the oracle's law is to the plan. */
typedef struct plan_standing {
    int is_below; /* zCDP, curves: one release among those the event allows */
    int is_curve; /* curves: and known at some orders only */
    int is_range; /* bounded range, repeated: the accountant may take a better bound */
    int is_bounded; /* objective perturbation beside others: an upper end that is not tight */
} plan_standing;

static inline plan_standing standing_of(const sotto_plan *plan)
{
    plan_standing standing = {0};
    const int is_alone = sotto_plan_size(plan) == 1;
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const int is_single = is_alone && event->count == 1;
        if (event->mechanism == SOTTO_ZCDP) standing.is_below = 1;
        if (event->mechanism == SOTTO_RDP_CURVE)
            standing.is_below = standing.is_curve = 1;
        if (event->mechanism == SOTTO_EXPONENTIAL &&
            event->sampling == SOTTO_NOT_SAMPLED && !is_single)
            standing.is_range = 1;
        if (event->mechanism == SOTTO_OBJECTIVE_PERTURBATION && !is_single)
            standing.is_bounded = 1;
    }
    return standing;
}

static inline double own_deltas(const sotto_plan *plan)
{
    double own = 0.0;
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (event->mechanism == SOTTO_APPROXIMATE)
            own += 1.01 * event->delta * (double)event->count;
    }
    return own;
}

/* ---- the comparison ---- */

static const double tight = 1e-6; /* relative, where a kernel claims to be */

/* Two oracles of one plan: they differ in the exponential mechanism alone. */
typedef struct witness {
    oracle truth; /* no more than what the plan may really lose */
    oracle price; /* the composition of the dominating pairs */
} witness;

/* NULL when the account of epsilon at a delta is true by the oracle, else what is wrong. */
static inline const char *wrong_epsilon(witness *seen, const sotto_account *account,
                                        double delta, int must_be_tight)
{
    const char *wrong = NULL;
    arb_t here, asked;
    arb_init(here);
    arb_init(asked);
    arb_set_d(asked, delta);
    if (!(account->epsilon >= 0.0 && isfinite(account->epsilon) &&
          account->epsilon_lower <= account->epsilon)) {
        wrong = "epsilon is no number, negative, or below its lower end";
    } else if (!oracle_delta(here, &seen->truth, account->epsilon)) {
        wrong = "the oracle gave up";
    } else if (arb_gt(here, asked)) {
        wrong = "epsilon is too small: the true delta there exceeds the one asked for";
    }
    if (wrong == NULL && account->epsilon_lower > 0.0) {
        if (!oracle_delta(here, &seen->price, account->epsilon_lower))
            wrong = "the oracle gave up";
        else if (arb_lt(here, asked))
            wrong = "epsilon_lower is too large: the true delta there is already less";
    }
    if (wrong == NULL && must_be_tight && account->epsilon > 0.0) {
        if (!oracle_delta(here, &seen->price, account->epsilon * (1.0 - tight)))
            wrong = "the oracle gave up";
        else if (arb_lt(here, asked))
            wrong = "epsilon is loose: a millionth less would do";
    }
    arb_clear(here);
    arb_clear(asked);
    return wrong;
}

static inline const char *wrong_delta(witness *seen, const sotto_account *account,
                                      double epsilon, int must_be_tight)
{
    const char *wrong = NULL;
    arb_t here, said;
    arb_init(here);
    arb_init(said);
    arb_set_d(said, account->delta);
    if (!(account->delta >= 0.0 && account->delta <= 1.0 &&
          account->delta_lower <= account->delta)) {
        wrong = "delta is no probability, or below its lower end";
    } else if (!oracle_delta(here, &seen->truth, epsilon)) {
        wrong = "the oracle gave up";
    } else if (arb_gt(here, said)) {
        wrong = "delta is too small";
    } else if (!oracle_delta(here, &seen->price, epsilon)) {
        wrong = "the oracle gave up";
    }
    if (wrong == NULL) {
        arb_set_d(said, account->delta_lower);
        if (arb_gt(said, here)) wrong = "delta_lower is too large";
    }
    if (wrong == NULL && must_be_tight) {
        arb_set_d(said, account->delta * (1.0 - tight) - 1e-300);
        if (arb_gt(said, here)) wrong = "delta is loose by more than a millionth";
    }
    arb_clear(here);
    arb_clear(said);
    return wrong;
}

/* The order that the oracle's search found must not do better by a millionth. */
static inline const char *wrong_renyi(witness *seen, const sotto_account *account)
{
    arb_t here, asked;
    arb_init(here);
    arb_init(asked);
    arb_set_d(asked, account->delta);
    int is_less = account->epsilon > 0.0;
    for (int k = 0; k < seen->price.directions && is_less; k++) {
        oracle_chernoff(here, &seen->price.laws[k], account->epsilon * (1.0 - tight));
        whole_delta(here, &seen->price.laws[k]);
        is_less = arb_lt(here, asked);
    }
    arb_clear(here);
    arb_clear(asked);
    return is_less ? "epsilon is loose: Renyi's bound gives a millionth less" : NULL;
}

typedef struct tally {
    int plans, redrawn, answers;
    int claims; /* answers that claim to be tight */
    int blunt;  /* the oracle's own ball was wider than 1e-8 */
    int kernels[9];
} tally;

static inline void say_wrong(const char *wrong, sotto_accountant who,
                             const sotto_plan *plan, const sotto_account *account,
                             witness *seen)
{
    char *json = NULL;
    arb_t here;
    arb_init(here);
    if (oracle_delta(here, &seen->price, account->epsilon)) {
        char *text = arb_get_str(here, 15, 0);
        print_error("delta(%.17g) is in %s\n", account->epsilon, text);
        flint_free(text);
    }
    arb_clear(here);
    if (sotto_plan_to_json(plan, &json, NULL) == SOTTO_OK) print_error("%s\n", json);
    sotto_plan_free_json(json);
    print_error("%s: %s: epsilon [%.17g, %.17g], delta [%.17g, %.17g], kernel %d\n",
                sotto_accountant_name(who), wrong, account->epsilon_lower,
                account->epsilon, account->delta_lower, account->delta,
                (int)account->kernel);
}

/* A closed form or a contour without smoothing is tight; where rounding widens the bracket, the
 * bracket says so. */
static inline int claims_tight(const sotto_account *account, plan_standing standing,
                               double upper, double lower)
{
    return !standing.is_below && !standing.is_bounded && upper > 0.0 &&
           (account->kernel == SOTTO_KERNEL_CLOSED_FORM ||
            account->kernel == SOTTO_KERNEL_CONTOUR) &&
           (lower == 0.0 || upper - lower <= 0.5 * tight * upper);
}

/* One question to one accountant; what is wrong with the answer is said and returned. */
static inline const char *check_answer(const sotto_plan *plan, sotto_accountant who,
                                       double delta, double epsilon, witness *seen,
                                       tally *sums)
{
    sotto_error error;
    sotto_account account;
    const plan_standing standing = standing_of(plan);
    const int is_delta = !isnan(epsilon);
    const sotto_status status =
        is_delta ? sotto_account_delta(plan, who, epsilon, &account, &error)
                 : sotto_account_epsilon(plan, who, delta, &account, &error);
    if (who == SOTTO_PLD && status == SOTTO_UNSUPPORTED) return NULL; /* zCDP */
    assert_ok(status, &error);
    const double upper = is_delta ? account.delta : account.epsilon;
    const double lower = is_delta ? account.delta_lower : account.epsilon_lower;
    const int is_tight =
        who == SOTTO_EXACT && claims_tight(&account, standing, upper, lower);
    const char *wrong = is_delta ? wrong_delta(seen, &account, epsilon, is_tight)
                                 : wrong_epsilon(seen, &account, delta, is_tight);
    const int is_renyi = !is_delta && who == SOTTO_EXACT && standing.is_below &&
                         !standing.is_curve && !standing.is_range && !standing.is_bounded;
    if (wrong == NULL && is_renyi) wrong = wrong_renyi(seen, &account);
    if (who == SOTTO_EXACT) sums->kernels[account.kernel]++;
    sums->claims += is_tight || is_renyi;
    sums->answers++;
    if (wrong != NULL) say_wrong(wrong, who, plan, &account, seen);
    return wrong;
}

/* A random plan, both questions, both accountants. 0: the oracle cannot do this plan, draw
 * another; -1: something is wrong, and said. */
static inline int check_plan(uint64_t seed, plan_family family, double count_max,
                             double work_max, tally *sums)
{
    sotto_error error;
    sotto_account account;
    witness seen;
    arb_t here;
    sotto_plan *plan = random_plan(&seed, family, count_max);
    const double delta = own_deltas(plan) + cross_between(&seed, 1e-12, 0.05);
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error), &error);
    const double epsilon = account.epsilon * cross_between(&seed, 0.85, 1.15);
    arb_init(here);
    oracle_init(&seen.truth, plan, 1, work_max);
    oracle_init(&seen.price, plan, 0, work_max);
    int result = oracle_delta(here, &seen.truth, account.epsilon) &&
                 oracle_delta(here, &seen.price, account.epsilon);
    if (result == 1) {
        sums->plans++;
        sums->blunt += arb_rel_accuracy_bits(here) < 26;
        for (int i = 0; i < 4; i++) {
            const sotto_accountant who = i < 2 ? SOTTO_EXACT : SOTTO_PLD;
            const double asked = i % 2 == 0 ? SOTTO_UNSET : epsilon;
            if (check_answer(plan, who, delta, asked, &seen, sums) != NULL) result = -1;
        }
    }
    sums->redrawn += result == 0;
    arb_clear(here);
    oracle_clear(&seen.truth);
    oracle_clear(&seen.price);
    sotto_plan_free(plan);
    return result;
}

/* `plans` random plans, the families in turn; returns how many were priced wrongly. */
static inline int check_plans(uint64_t seed, int plans, double count_max, double work_max)
{
    tally sums = {0};
    int wrong = 0;
    while (sums.plans < plans) {
        const plan_family family = (plan_family)(sums.plans % FAMILIES);
        wrong += check_plan(seed += 1000, family, count_max, work_max, &sums) < 0;
    }
    print_message(
        "%d plans (%d more were too heavy for the oracle), %d answers, of which %d "
        "claim to be tight\nballs wider than 1e-8: %d; answers of exact by closed "
        "form %d, contour %d, smoothed %d, Renyi %d, basic %d\n",
        sums.plans, sums.redrawn, sums.answers, sums.claims, sums.blunt,
        sums.kernels[SOTTO_KERNEL_CLOSED_FORM], sums.kernels[SOTTO_KERNEL_CONTOUR],
        sums.kernels[SOTTO_KERNEL_CONTOUR_SMOOTHED], sums.kernels[SOTTO_KERNEL_RDP],
        sums.kernels[SOTTO_KERNEL_BASIC]);
    assert_true(sums.blunt <= plans / 50); /* an oracle that says nothing tests nothing */
    assert_true(sums.claims >= plans);
    return wrong;
}

#endif
