/* Amplification by sampling, group privacy, and the noise that a course on private learning prescribes. The
 * statements, their corrections and proofs: reference.md. */
#include <sotto/reference.h>

#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"

static sotto_status check_rate(double rate, sotto_error *error)
{
    if (rate > 0.0 && rate <= 1.0) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`rate` is %.17g; it is above 0 and at most 1; for example `rate=0.01`", rate);
}

static sotto_status check_delta(double delta, double least, sotto_error *error)
{
    if (delta >= least && delta < 1.0) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`delta` is %g; it is at least %g and below 1; for example `delta=1e-6`", delta,
        least);
}

sotto_status sotto_amplify_by_sampling(double epsilon, double delta, double rate,
                                       double *out_epsilon, double *out_delta,
                                       sotto_error *error)
{
    if (!(epsilon >= 0.0 && epsilon <= 1e9)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; it lies from 0 to 1e9; for example `epsilon=1`",
                        epsilon);
    }
    sotto_status status = check_delta(delta, 0.0, error);
    if (status == SOTTO_OK) status = check_rate(rate, error);
    if (status != SOTTO_OK) return status;
    /* log(1 + q (e^eps - 1)), from the other side before e^eps overflows:
     * eps + log(q + (1 - q) e^-eps). The first is increasing in each step. */
    const double small = sot_log1p_up(sot_mul_up(rate, sot_expm1_up(epsilon)));
    const double inner =
        sot_add_up(rate, sot_mul_up(sot_sub_up(1.0, rate), sot_exp_up(-epsilon)));
    const double large = sot_add_up(epsilon, sot_log_up(inner));
    *out_epsilon = fmin(epsilon, epsilon < 700.0 ? small : large);
    *out_delta = sot_mul_up(rate, delta);
    return SOTTO_OK;
}

/* Takes the steps D_0, ..., D_k. P_0(S) <= e^epsilon P_1(S) + delta, and so on. Each delta is multiplied by the
 * e^epsilon of the steps before. e^{k epsilon} - 1 over e^epsilon - 1 is their sum. */
sotto_status sotto_group_privacy(double epsilon, double delta, uint64_t rows,
                                 double *out_epsilon, double *out_delta,
                                 sotto_error *error)
{
    if (!(epsilon >= 0.0 && epsilon <= 1e9)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; it lies from 0 to 1e9; for example `epsilon=1`",
                        epsilon);
    }
    const sotto_status status = check_delta(delta, 0.0, error);
    if (status != SOTTO_OK) return status;
    if (rows < 1 || rows > UINT64_C(1) << 52) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`rows` is %llu; give the rows of a unit, at least 1; for example "
            "`rows=4`",
            (unsigned long long)rows);
    }
    const double k = (double)rows;
    const double whole = sot_mul_up(k, epsilon);
    double steps = k; /* at epsilon 0, and never less */
    if (epsilon > 0.0)
        steps = fmax(k, sot_div_up(sot_expm1_up(whole), sot_expm1_down(epsilon)));
    const double grown = delta > 0.0 ? sot_mul_up(steps, delta) : 0.0;
    if (!(grown < 1.0)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`rows` is %llu, for which delta %g grows to 1 or more; give a "
                        "smaller delta, for example `delta=1e-12`",
                        (unsigned long long)rows, delta);
    }
    *out_epsilon = whole;
    *out_delta = grown;
    return SOTTO_OK;
}

/* ---- the course's calibrations ---- */

/* Advanced composition (Lemma 15.2, corrected): T steps of (epsilon', delta/(2T)) are (epsilon,
 * delta) with epsilon' = epsilon/(2 sqrt(2 T log(2/delta))). Rounded down. */
static double step_epsilon(double epsilon, double delta, double steps)
{
    const double root = sqrt(2.0 * steps * log(2.0 / delta));
    return sot_widen_down(0.5 * epsilon / root, 1e-14);
}

/* The textbook's Gaussian noise at (epsilon', delta'). Rounded up. */
static double gaussian_noise(double epsilon, double log_inverse_delta)
{
    return sot_widen_up(sqrt(2.0 * (log(1.25) + log_inverse_delta)) / epsilon, 1e-14);
}

static sotto_status check_target(double epsilon, double delta, uint64_t steps,
                                 sotto_error *error)
{
    if (!(epsilon > 0.0 && epsilon <= 1e9)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; it is above 0 and at most 1e9; for example `epsilon=0.5`",
            epsilon);
    }
    if (steps < 1 || steps > SOTTO_COUNT_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` is %llu; give a whole number from 1 to 1e12",
                        (unsigned long long)steps);
    }
    return check_delta(delta, 1e-300, error);
}

/* The lemmas that rest on advanced composition and the textbook's Gaussian. */
static sotto_status check_below_one(double epsilon, double rate, int is_sampled,
                                    sotto_error *error)
{
    if (!(epsilon < 1.0)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "epsilon is %g; the lemma rests on advanced composition in the "
                        "form proved for epsilon below 1",
                        epsilon);
    }
    if (is_sampled ? rate < 1.0 : rate == 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    is_sampled ? "the lemma is about sampled records, and the rate is 1"
                               : "the lemma is about steps that use all records, and the "
                                 "rate is below 1");
}

/* log(1.25/delta0) for the base release, delta0 = delta/(2 T q), must be that of a probability. */
static sotto_status log_inverse_base_delta(double delta, double rate, double steps,
                                           double *out_log, sotto_error *error)
{
    *out_log = log(2.0 * steps * rate) - log(delta);
    if (*out_log > 0.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "delta/(2 T q) is %g, not below 1: the lemma then requires nothing "
                    "of the base release; use a smaller delta",
                    delta / (2.0 * steps * rate));
}

static sotto_status sampled_noise(int is_corrected, double epsilon, double delta,
                                  double rate, double steps, double *out_noise,
                                  sotto_error *error)
{
    double log_inverse;
    sotto_status status = check_below_one(epsilon, rate, 1, error);
    if (status == SOTTO_OK)
        status = log_inverse_base_delta(delta, rate, steps, &log_inverse, error);
    if (status != SOTTO_OK) return status;
    const double once = step_epsilon(epsilon, delta, steps);
    /* The base release may have epsilon0 with log(1 + q (e^epsilon0 - 1)) = epsilon'; as printed,
     * epsilon'/q. */
    const double base =
        is_corrected ? sot_widen_down(log1p(expm1(once) / rate), 1e-14) : once / rate;
    if (is_corrected && !(base < 1.0)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the base release would have epsilon %.6g, and the Gaussian "
                        "lemma is proved below 1 only; take more steps or a larger rate",
                        base);
    }
    *out_noise = gaussian_noise(base, log_inverse);
    return SOTTO_OK;
}

sotto_status sotto_lecture_noise_multiplier(sotto_lecture_noise lemma, double epsilon,
                                            double delta, double rate, uint64_t steps,
                                            double *out_noise_multiplier,
                                            sotto_error *error)
{
    sotto_status status = check_target(epsilon, delta, steps, error);
    if (status == SOTTO_OK) status = check_rate(rate, error);
    if (status != SOTTO_OK) return status;
    const double count = (double)steps;
    switch (lemma) {
    case SOTTO_LECTURE_DP_GD:
        status = check_below_one(epsilon, rate, 0, error);
        if (status == SOTTO_OK)
            *out_noise_multiplier = gaussian_noise(step_epsilon(epsilon, delta, count),
                                                   log(2.0 * count) - log(delta));
        return status;
    case SOTTO_LECTURE_DP_SGD:
    case SOTTO_LECTURE_DP_SGD_CORRECTED:
        return sampled_noise(lemma == SOTTO_LECTURE_DP_SGD_CORRECTED, epsilon, delta,
                             rate, count, out_noise_multiplier, error);
    case SOTTO_LECTURE_MOMENTS:
        *out_noise_multiplier =
            sot_widen_up(2.0 * rate * sqrt(-count * log(delta)) / epsilon, 1e-14);
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "lemma is %d; give one of sotto_lecture_noise", (int)lemma);
}

const char *sotto_lecture_noise_name(sotto_lecture_noise lemma)
{
    switch (lemma) {
    case SOTTO_LECTURE_DP_GD:
        return "lemma-15.1";
    case SOTTO_LECTURE_DP_SGD:
        return "lemma-15.5";
    case SOTTO_LECTURE_DP_SGD_CORRECTED:
        return "lemma-15.5-corrected";
    case SOTTO_LECTURE_MOMENTS:
        return "theorem-15.8";
    }
    return "unknown";
}
