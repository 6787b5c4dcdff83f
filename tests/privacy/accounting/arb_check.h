/* tests/privacy/accounting/arb_check.h: random plans, and the accountants beside the oracle.
 *
 * Covered     see arb_plans.h.
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
#include "privacy/accounting/arb_plans.h"

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
        if (event->mechanism == SOTTO_EXPONENTIAL && !is_single) standing.is_range = 1;
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

/* Two oracles of one plan, which are one unless bounded range is repeated. */
typedef struct witness {
    oracle *truth; /* no more than what the plan may really lose */
    oracle *price; /* the composition of the dominating pairs */
    oracle own[2];
} witness;

static inline void witness_init(witness *seen, const sotto_plan *plan, double work_max)
{
    const int is_range = standing_of(plan).is_range;
    seen->price = &seen->own[0];
    seen->truth = &seen->own[is_range];
    oracle_init(seen->price, plan, 0, work_max);
    if (is_range) oracle_init(seen->truth, plan, 1, work_max);
}

static inline void witness_clear(witness *seen)
{
    if (seen->truth != seen->price) oracle_clear(seen->truth);
    oracle_clear(seen->price);
}

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
    } else if (!oracle_delta(here, seen->truth, account->epsilon)) {
        wrong = "the oracle gave up";
    } else if (arb_gt(here, asked)) {
        wrong = "epsilon is too small: the true delta there exceeds the one asked for";
    }
    if (wrong == NULL && account->epsilon_lower > 0.0) {
        if (!oracle_delta(here, seen->price, account->epsilon_lower))
            wrong = "the oracle gave up";
        else if (arb_lt(here, asked))
            wrong = "epsilon_lower is too large: the true delta there is already less";
    }
    if (wrong == NULL && must_be_tight && account->epsilon > 0.0) {
        if (!oracle_delta(here, seen->price, account->epsilon * (1.0 - tight)))
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
    } else if (!oracle_delta(here, seen->truth, epsilon)) {
        wrong = "the oracle gave up";
    } else if (arb_gt(here, said)) {
        wrong = "delta is too small";
    } else if (!oracle_delta(here, seen->price, epsilon)) {
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
    for (int k = 0; k < seen->price->directions && is_less; k++) {
        oracle_chernoff(here, seen->price, k, account->epsilon * (1.0 - tight));
        whole_delta(here, &seen->price->laws[k]);
        is_less = arb_lt(here, asked);
    }
    arb_clear(here);
    arb_clear(asked);
    return is_less ? "epsilon is loose: Renyi's bound gives a millionth less" : NULL;
}

typedef struct tally {
    int plans, redrawn, answers;
    int claims;      /* answers that claim to be tight */
    int asked, near; /* of exact, for epsilon; within a millionth of the oracle */
    double rate, delta, count; /* least, least and most */
    int kernels[9];
    unsigned mechanisms, samplings,
        adjacencies; /* bit sets: what the plans were made of */
} tally;

static inline void say_wrong(const char *wrong, sotto_accountant who,
                             const sotto_plan *plan, const sotto_account *account,
                             witness *seen)
{
    char *json = NULL;
    arb_t here;
    arb_init(here);
    if (oracle_delta(here, seen->price, account->epsilon)) {
        char *text = arb_get_str(here, 15, 0);
        print_error("delta(%.17g) is in %s\n", account->epsilon, text);
        flint_free(text);
    }
    arb_clear(here);
    if (sotto_plan_to_json(plan, &json, NULL) == SOTTO_OK) print_error("%s\n", json);
    sotto_free(json);
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
    if (status != SOTTO_OK) {
        char *json = NULL;
        if (sotto_plan_to_json(plan, &json, NULL) == SOTTO_OK) print_error("%s\n", json);
        sotto_free(json);
    }
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

/* A millionth less than `epsilon` is too little, by the oracle. */
static inline int is_near(witness *seen, double epsilon, double delta)
{
    arb_t here, asked;
    arb_init(here);
    arb_init(asked);
    arb_set_d(asked, delta);
    const int is_done = oracle_delta(here, seen->price, epsilon * (1.0 - tight));
    const int near = epsilon == 0.0 || (is_done && !arb_lt(here, asked));
    arb_clear(here);
    arb_clear(asked);
    return near;
}

static inline void note_coverage(const sotto_plan *plan, tally *sums)
{
    sums->adjacencies |= 1u << sotto_plan_adjacency(plan);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        sums->mechanisms |= 1u << sotto_plan_event(plan, i)->mechanism;
        sums->samplings |= 1u << sotto_plan_event(plan, i)->sampling;
        sums->count = fmax(sums->count, (double)sotto_plan_event(plan, i)->count);
        sums->rate = fmin(sums->rate, sotto_plan_event(plan, i)->rate); /* or NaN */
    }
}

/* A random plan, both questions, both accountants. 0: the oracle cannot do this plan within its work
 * limit, or not as well as it should, draw another; -1: something is wrong, and said. */
static inline int check_plan(uint64_t seed, plan_family family, double count_max,
                             double work_max, tally *sums)
{
    sotto_error error;
    sotto_account account;
    witness seen;
    arb_t here;
    sotto_plan *plan = random_plan(&seed, family, count_max);
    const double least = family == FAMILY_CORNER ? 1e-25 : 1e-12;
    const double delta = own_deltas(plan) + cross_between(&seed, least, 0.05);
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error), &error);
    /* A contour is narrow near the epsilon it was made for; the other ways are so anywhere. */
    const double near = family == FAMILY_LATTICE || family == FAMILY_SINGLE ? 0.1 : 0.85;
    const double epsilon = account.epsilon * cross_between(&seed, near, 1.15);
    arb_init(here);
    witness_init(&seen, plan, work_max);
    int result = oracle_delta(here, seen.truth, account.epsilon) &&
                 oracle_delta(here, seen.price, account.epsilon) &&
                 arb_rel_accuracy_bits(here) >= oracle_bits(seen.price);
    if (result == 1) {
        sums->plans++;
        note_coverage(plan, sums);
        sums->delta = fmin(sums->delta, delta);
        if (!standing_of(plan).is_below) {
            sums->asked++;
            sums->near += is_near(&seen, account.epsilon, delta);
        }
        for (int i = 0; i < 4; i++) {
            const sotto_accountant who = i < 2 ? SOTTO_EXACT : SOTTO_PLD;
            const double asked = i % 2 == 0 ? SOTTO_UNSET : epsilon;
            if (check_answer(plan, who, delta, asked, &seen, sums) != NULL) result = -1;
        }
    }
    sums->redrawn += result == 0;
    arb_clear(here);
    witness_clear(&seen);
    sotto_plan_free(plan);
    return result;
}

/* `plans` random plans, the families in turn and every twelfth a corner; returns how many were priced wrongly. */
static inline int check_plans(uint64_t seed, int plans, double count_max, double work_max)
{
    tally sums = {.rate = 1.0, .delta = 1.0};
    int wrong = 0;
    while (sums.plans < plans) {
        const plan_family family = sums.plans % 12 == 11
                                       ? FAMILY_CORNER
                                       : (plan_family)(sums.plans % FAMILY_CORNER);
        wrong += check_plan(seed += 1000, family, count_max, work_max, &sums) < 0;
    }
    print_message(
        "%d plans (%d more were too heavy for the oracle), %d answers, of which %d "
        "claim to be tight\nanswers of exact: closed form %d, contour %d, smoothed %d, "
        "Renyi %d, basic %d\n",
        sums.plans, sums.redrawn, sums.answers, sums.claims,
        sums.kernels[SOTTO_KERNEL_CLOSED_FORM], sums.kernels[SOTTO_KERNEL_CONTOUR],
        sums.kernels[SOTTO_KERNEL_CONTOUR_SMOOTHED], sums.kernels[SOTTO_KERNEL_RDP],
        sums.kernels[SOTTO_KERNEL_BASIC]);
    print_message("epsilon of exact: %d of %d within a millionth of the oracle\n"
                  "rates from %.2g, delta from %.2g, up to %.2g steps\n",
                  sums.near, sums.asked, sums.rate, sums.delta, sums.count);
    assert_true(sums.redrawn <= plans); /* an oracle that gives up often tests little */
    assert_true(sums.claims >= plans);
    assert_int_equal(sums.mechanisms,
                     (2u << SOTTO_RDP_CURVE) - 2u); /* every one of them */
    assert_int_equal(sums.samplings, (2u << SOTTO_SINGLE_RECORD) - 1u);
    assert_int_equal(sums.adjacencies, 1u << SOTTO_ADD_REMOVE | 1u << SOTTO_REPLACE_ONE);
    return wrong;
}

#endif
