/* Times the accountant's library calls and checks each answer against its reference. Prints one
 * JSON line a case; exits 1 if an answer is wrong. Times are processor times, the best of
 * several rounds.
 *
 * References: tests/vectors/accounting.json, where the case has a name; otherwise the answer
 * proves itself (the noise meets its target, and two millionths less do not), was bracketed
 * by tests/privacy/accounting/loss_pair.h to the tolerance stated, or, where there is no
 * reference at all, must meet the bracket of the accountant pld, which is another computation.
 *
 * Every line says which goal the case has (ordinary questions of DP-SGD 5 ms, corners 50 ms,
 * calibration 100 ms) and whether it was met; a missed goal is no failure. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sotto/accountant.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef enum bench_kind { ORDINARY = 0, CORNER = 1, CALIBRATION = 2 } bench_kind;

static const char *const kind_names[] = {"ordinary", "corner", "calibration"};
static const double goal_milliseconds[] = {5.0, 50.0, 100.0};

typedef struct bench_case {
    bench_kind kind;
    const char *name;
    double rate;
    double sigma; /* NaN: to be found, for `epsilon` */
    uint64_t count;
    double epsilon;
    double delta;
    double reference; /* of epsilon, or of sigma; NaN: none, see above */
    double error;     /* of the reference, relative: no epsilon may be further below it */
    double tolerance; /* relative: how far an answer may be above it */
} bench_case;

static const bench_case cases[] = {
    {ORDINARY, "psg-05", 0.01, 1.0, 10000, NAN, 1e-5, 6.1877123899715, 1e-8, 1e-6},
    {ORDINARY, "psg-01", 256.0 / 60000.0, 1.1, 14063, NAN, 1e-5, 2.38168972614175, 1e-8,
     1e-6},
    {ORDINARY, "q-1e-3", 1e-3, 0.5, 10000, NAN, 1e-6, 6.3461, 3e-4, 3e-4},
    {ORDINARY, "psg-12", 1e-4, 1.0, 1000000, NAN, 1e-9, 0.713700152897374, 1e-8, 1e-6},
    {ORDINARY, "psg-04", 0.01, 4.0, 10000, NAN, 1e-5, 0.94686680076437, 1e-8, 1e-6},
    {CORNER, "psg-10", 1e-5, 0.5, 1000000, NAN, 1e-9, 2.83454946141949, 1e-8, 1e-6},
    {CORNER, "psg-23", 1e-5, 1.0, 100000, NAN, 1e-6, 0.0131215434555482, 1e-8, 1e-6},
    {ORDINARY, "psg-25", 1e-3, 5.0, 1000000, NAN, 1e-9, 1.11634245314581, 1e-8, 1e-6},
    {CORNER, "psg-44", 3e-5, 0.6, 300000, NAN, 1e-10, 1.90081552136313, 1e-8, 1e-6},
    {CORNER, "faint", 1e-6, 0.6, 1000000, NAN, 1e-9, NAN, 0.0, 0.0},
    {CORNER, "tiny-rate", 1e-9, 0.5, 1000000000, NAN, 1e-12, NAN, 0.0, 0.0},
    {CORNER, "little-noise", 0.01, 0.3, 50, NAN, 1e-5, NAN, 0.0, 0.0},
    {CORNER, "two-steps", 0.01, 1.0, 2, NAN, 1e-9, NAN, 0.0, 0.0},
    {CORNER, "one-step", 1e-3, 0.3, 1, NAN, 1e-30, NAN, 0.0, 0.0},
    {CORNER, "delta-1e-30", 0.01, 1.0, 10000, NAN, 1e-30, NAN, 0.0, 0.0},
    {CORNER, "billion-steps", 1e-3, 1000.0, 1000000000, NAN, 1e-9, NAN, 0.0, 0.0},
    {CORNER, "epsilon-450", 0.1, 0.5, 5000, NAN, 1e-6, NAN, 0.0, 0.0},
    {CALIBRATION, "calib-01", 0.01, NAN, 1000, 1.0, 1e-5, 1.4146194065243, 1e-8, 2e-6},
    {CALIBRATION, "calib-02", 256.0 / 60000.0, NAN, 14063, 3.0, 1e-5, 0.968427415595828,
     1e-8, 2e-6},
    {CALIBRATION, "calib-04", 1e-3, NAN, 100000, 0.5, 1e-6, 2.64823724882615, 1e-8, 2e-6},
    {CALIBRATION, "noise-gate", 0.004, NAN, 15000, 1.0, 1e-6, NAN, 1e-8, 2e-6},
};

static sotto_plan *plan_of(const bench_case *at, double sigma)
{
    sotto_plan *plan;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = sigma;
    event.sampling = SOTTO_POISSON;
    event.rate = at->rate;
    event.count = at->count;
    if (sotto_plan_new(SOTTO_ADD_REMOVE, &plan, NULL) != SOTTO_OK ||
        sotto_plan_add(plan, &event, NULL) != SOTTO_OK) {
        exit(1);
    }
    return plan;
}

/* The least time of a call over at least three rounds and a fifth of a second. */
static double time_call(const bench_case *at, double *out_noise,
                        sotto_account *out_account)
{
    sotto_error error;
    sotto_plan *plan = plan_of(at, at->sigma);
    double least = HUGE_VAL;
    double spent = 0.0;
    for (int round = 0; round < 3 || spent < 0.2; round++) {
        const double start = seconds();
        const sotto_status status =
            isnan(at->sigma)
                ? sotto_account_noise(plan, SOTTO_EXACT, at->epsilon, at->delta,
                                      out_noise, out_account, &error)
                : sotto_account_epsilon(plan, SOTTO_EXACT, at->delta, out_account,
                                        &error);
        const double took = seconds() - start;
        if (status != SOTTO_OK) {
            fprintf(stderr, "%s: %s\n", at->name, error.message);
            exit(1);
        }
        spent += took;
        if (took < least) least = took;
    }
    sotto_plan_free(plan);
    return least;
}

/* Two sound brackets of one number meet. */
static int meets_second_opinion(const bench_case *at, const sotto_account *account)
{
    sotto_account second;
    sotto_plan *plan = plan_of(at, at->sigma);
    const int is_answered =
        sotto_account_epsilon(plan, SOTTO_PLD, at->delta, &second, NULL) == SOTTO_OK;
    sotto_plan_free(plan);
    return is_answered && isfinite(account->epsilon) &&
           account->epsilon >= account->epsilon_lower && account->epsilon_lower >= 0.0 &&
           account->epsilon >= second.epsilon_lower &&
           account->epsilon_lower <= second.epsilon;
}

static int epsilon_is_right(const bench_case *at, const sotto_account *account)
{
    if (isnan(at->reference)) return meets_second_opinion(at, account);
    return account->epsilon >= at->reference * (1.0 - at->error) &&
           account->epsilon <= at->reference * (1.0 + at->tolerance) &&
           account->epsilon_lower <= at->reference * (1.0 + at->error);
}

static int noise_is_right(const bench_case *at, double noise,
                          const sotto_account *account)
{
    if (noise < at->reference * (1.0 - at->error) ||
        noise > at->reference * (1.0 + at->tolerance)) { /* both false without one */
        return 0;
    }
    sotto_account less;
    sotto_plan *plan = plan_of(at, noise * (1.0 - 2e-6));
    const int fails =
        sotto_account_epsilon(plan, SOTTO_EXACT, at->delta, &less, NULL) == SOTTO_OK &&
        less.epsilon_lower > at->epsilon;
    sotto_plan_free(plan);
    return fails && account->epsilon <= at->epsilon;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bench_case *at = &cases[i];
        sotto_account account;
        double noise = at->sigma;
        const double took = time_call(at, &noise, &account);
        const int is_right = isnan(at->sigma) ? noise_is_right(at, noise, &account)
                                              : epsilon_is_right(at, &account);
        wrong += !is_right;
        printf("{\"bench\": \"account\", \"question\": \"%s\", \"kind\": \"%s\", "
               "\"case\": \"%s\", "
               "\"rate\": %.17g, \"noise_multiplier\": %.17g, \"count\": %llu, "
               "\"delta\": %g, \"epsilon\": %.15g, \"epsilon_lower\": %.15g, "
               "\"kernel\": \"%s\", \"milliseconds\": %.3f, \"goal_milliseconds\": %g, "
               "\"goal_met\": %s, \"checked\": %s}\n",
               isnan(at->sigma) ? "noise" : "epsilon", kind_names[at->kind], at->name,
               at->rate, noise, (unsigned long long)at->count, at->delta, account.epsilon,
               account.epsilon_lower, sotto_kernel_name(account.kernel), 1e3 * took,
               goal_milliseconds[at->kind],
               1e3 * took <= goal_milliseconds[at->kind] ? "true" : "false",
               is_right ? "true" : "false");
    }
    return wrong == 0 ? 0 : 1;
}
