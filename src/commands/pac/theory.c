/* Sample sizes of private learning over a finite class. Proofs: theory.md. */
#include <sotto/pac_theory.h>

#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"

/* ---- names ---- */

typedef struct bound_facts {
    const char *name, *words, *formula;
    bool is_agnostic, is_private;
} bound_facts;

static const bound_facts facts[SOTTO_PAC_BOUNDS] = {
    {"laplace", "Laplace noise on all counts; union bound",
     "max(4 |C| L2/(E a), 2 L2/a^2)", false, true},
    {"laplace-realizable", "Laplace noise on all counts; moments",
     "min over x<1 of (L - 2 ln(1-x^2)) / -ln(1 - a (1-e^-t)), t = x E/|C|", false, true},
    {"laplace-agnostic", "Laplace noise on all counts; moments",
     "min over x<1 of (L - 2 ln(1-x^2)) / -ln(cosh t - a sinh t), t = x E/|C|", true,
     true},
    {"lecture", "exponential mechanism, permute-and-flip; as lectured",
     "max(2 L2/(s a), 2 L2/a^2)", false, true},
    {"realizable", "exponential mechanism, permute-and-flip", "L / -ln(1 - a (1-e^-s))",
     false, true},
    {"realizable-closed", "the same, in closed form", "L / (a (1-e^-s))", false, true},
    {"agnostic", "exponential mechanism, permute-and-flip",
     "L / -ln(cosh t - a sinh t), t = min(s, artanh a)", true, true},
    {"agnostic-closed", "the same, in closed form", "max(2 L/(s a), 2 L/a^2)", true,
     true},
    {"public-realizable", "no privacy: the fewest errors", "L / -ln(1-a)", false, false},
    {"public-agnostic", "no privacy: the fewest errors", "2 L / -ln(1-a^2)", true, false},
};

static bool is_bound(sotto_pac_bound bound)
{
    return (int)bound >= 1 && (int)bound <= SOTTO_PAC_BOUNDS;
}

const char *sotto_pac_bound_name(sotto_pac_bound bound)
{
    return is_bound(bound) ? facts[bound - 1].name : "unknown";
}

const char *sotto_pac_bound_words(sotto_pac_bound bound)
{
    return is_bound(bound) ? facts[bound - 1].words : "unknown";
}

const char *sotto_pac_bound_formula(sotto_pac_bound bound)
{
    return is_bound(bound) ? facts[bound - 1].formula : "unknown";
}

bool sotto_pac_bound_is_agnostic(sotto_pac_bound bound)
{
    return is_bound(bound) && facts[bound - 1].is_agnostic;
}

bool sotto_pac_bound_is_private(sotto_pac_bound bound)
{
    return is_bound(bound) && facts[bound - 1].is_private;
}

/* ---- settings ---- */

sotto_pac_setting sotto_pac_defaults(void)
{
    return (sotto_pac_setting){.class_size = SOTTO_UNSET,
                               .log_class_size = SOTTO_UNSET,
                               .epsilon = SOTTO_UNSET,
                               .alpha = SOTTO_UNSET,
                               .beta = SOTTO_UNSET,
                               .rows = SOTTO_UNSET};
}

#define ROWS_MAX    0x1p53
#define EPSILON_MAX 1e6

/* Which settings a question does not read: the one it asks for. */
typedef enum question { ROWS, ALPHA, EPSILON, BETA } question;

static sotto_status check_share(const char *name, double value, sotto_error *error)
{
    if (value > 0.0 && value < 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is %g; it lies between 0 and 1; for example `%s=0.1`", name,
                    value, name);
}

static sotto_status check_class(const sotto_pac_setting *s, sotto_error *error)
{
    if (!isnan(s->class_size) && !(s->class_size >= 1.0 && isfinite(s->class_size))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`class_size` is %g; a class has at least 1 concept; for example "
                        "`class_size=1000`",
                        s->class_size);
    }
    if (isnan(s->class_size) &&
        !(s->log_class_size >= 0.0 && isfinite(s->log_class_size))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the logarithm of the number of concepts is %g; give it, or the "
                        "number itself",
                        s->log_class_size);
    }
    return SOTTO_OK;
}

static sotto_status check(const sotto_pac_setting *s, sotto_pac_bound bound,
                          question asked, sotto_error *error)
{
    if (!is_bound(bound)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the bound is %d; set it to one of sotto_pac_bound", (int)bound);
    }
    sotto_status status = check_class(s, error);
    if (status == SOTTO_OK && asked != ALPHA)
        status = check_share("alpha", s->alpha, error);
    if (status == SOTTO_OK && asked != BETA) status = check_share("beta", s->beta, error);
    if (status != SOTTO_OK) return status;
    if (asked != ROWS &&
        !(s->rows >= 1.0 && s->rows <= ROWS_MAX && s->rows == floor(s->rows))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is %g; give a whole number from 1 to 2^53", s->rows);
    }
    if (!facts[bound - 1].is_private) return SOTTO_OK;
    if (asked != EPSILON && !(s->epsilon > 0.0 && s->epsilon <= EPSILON_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; it is above 0 and at most 1e6; for example `epsilon=1`",
            s->epsilon);
    }
    if (s->adjacency == SOTTO_ADD_REMOVE || s->adjacency == SOTTO_REPLACE_ONE)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the adjacency is %d; set it to one of sotto_adjacency",
                    (int)s->adjacency);
}

/* ---- the logarithm of the probability of failure, rounded up ---- */

/* Returns ln(1 - a (1 - e^-t)), t >= 0. This is the effect of one row on the weight of a
 * concept that is wrong with probability a. */
static double realizable_rate(double a, double t)
{
    return sot_log1p_up(sot_mul_up(a, sot_expm1_up(-t)));
}

/* ln(cosh t - a sinh t) = ln(1 - sinh t (a - tanh(t/2))), which does not cancel for small t. Above 0, and of no use,
 * where t is beyond 2 artanh a. */
static double agnostic_rate(double a, double t)
{
    const double m_down = sot_expm1_down(t), m_up = sot_expm1_up(t);
    if (!isfinite(m_up)) return HUGE_VAL;
    const double tanh_half_up = sot_div_up(m_up, sot_add_down(m_up, 2.0));
    const double gain = sot_sub_down(a, tanh_half_up);
    /* sinh t = (m + m/(1 + m))/2, growing in m = e^t - 1. */
    const double sinh_down = sot_mul_down(
        0.5, sot_add_down(m_down, sot_div_down(m_down, sot_add_up(1.0, m_down))));
    const double sinh_up =
        sot_mul_up(0.5, sot_add_up(m_up, sot_div_up(m_up, sot_add_down(1.0, m_up))));
    return sot_log1p_up(sot_mul_up(gain >= 0.0 ? sinh_down : sinh_up, -gain));
}

/* The same at t = artanh a, its least: ln sqrt(1 - a^2). */
static double agnostic_rate_least(double a)
{
    return sot_mul_up(0.5, sot_log1p_up(-sot_mul_down(a, a)));
}

/* Returns the rate at the best t <= s. The minimum is allowed if s is surely beyond artanh a, as
 * 20 is for every double below 1; any t <= s is sound. */
static double agnostic_rate_best(double a, double s)
{
    const double m = sot_expm1_down(2.0 * fmin(s, 20.0)); /* tanh s = m/(m + 2) */
    const bool is_beyond = s >= 20.0 || sot_div_down(m, sot_add_up(m, 2.0)) >= a;
    return is_beyond ? agnostic_rate_least(a) : agnostic_rate(a, s);
}

/* -a min(limit, a)/2. */
static double closed_rate(double a, double limit)
{
    return -sot_mul_down(0.5, sot_mul_down(a, fmin(limit, a)));
}

typedef struct laplace_moments {
    double a, rows, scale_up; /* of the noise */
    bool is_agnostic;
} laplace_moments;

/* -2 ln(1 - x^2) + n rate(t), x = t scale < 1: without ln |C|. */
static double laplace_exponent(double t, void *context)
{
    const laplace_moments *of = context;
    const double x = sot_mul_up(t, of->scale_up);
    const double left = sot_sub_down(1.0, sot_mul_up(x, x));
    if (!(left > 0.0) || !(t > 0.0)) return HUGE_VAL;
    const double rate =
        of->is_agnostic ? agnostic_rate(of->a, t) : realizable_rate(of->a, t);
    return sot_add_up(sot_mul_up(-2.0, sot_log_down(left)), sot_mul_up(of->rows, rate));
}

/* Any t is sound, so the search for the best one needs no proof. */
static double laplace_best(laplace_moments of)
{
    double most = 1.0 / of.scale_up;
    double least = HUGE_VAL;
    if (of.is_agnostic) most = fmin(most, 2.0 * atanh(of.a));
    if (!(most > 0.0)) return HUGE_VAL; /* a scale beyond all numbers */
    (void)sot_minimize(laplace_exponent, &of, 0.0, most, 1e-9 * most, 200, &least);
    return least;
}

static double log_size_up(const sotto_pac_setting *s)
{
    return isnan(s->class_size) ? s->log_class_size : sot_log_up(s->class_size);
}

static double size_up(const sotto_pac_setting *s)
{
    return isnan(s->class_size) ? sot_exp_up(s->log_class_size) : s->class_size;
}

static double log_failure_up(const sotto_pac_setting *setting, sotto_pac_bound bound)
{
    const double a = setting->alpha, n = setting->rows;
    const double log_size = log_size_up(setting);
    const double log_two_sizes = sot_add_up(log_size, sot_log_up(2.0));
    const double s = setting->adjacency == SOTTO_ADD_REMOVE ? setting->epsilon
                                                            : setting->epsilon / 2.0;
    const double scale = sot_div_up(size_up(setting), setting->epsilon);
    double rate = 0.0, start = log_size;
    switch (bound) {
    case SOTTO_PAC_LAPLACE:
        /* 4/(epsilon a) is 2/(s a) for an s of epsilon/2. */
        rate = closed_rate(a, sot_div_down(0.5, scale));
        start = log_two_sizes;
        break;
    case SOTTO_PAC_LAPLACE_REALIZABLE:
    case SOTTO_PAC_LAPLACE_AGNOSTIC:
        return sot_add_up(log_size,
                          laplace_best((laplace_moments){
                              .a = a,
                              .rows = n,
                              .scale_up = scale,
                              .is_agnostic = bound == SOTTO_PAC_LAPLACE_AGNOSTIC}));
    case SOTTO_PAC_LECTURE:
        rate = closed_rate(a, s);
        start = log_two_sizes;
        break;
    case SOTTO_PAC_REALIZABLE:
        rate = realizable_rate(a, s);
        break;
    case SOTTO_PAC_REALIZABLE_CLOSED:
        rate = sot_mul_up(a, sot_expm1_up(-s));
        break;
    case SOTTO_PAC_AGNOSTIC:
        rate = agnostic_rate_best(a, s);
        break;
    case SOTTO_PAC_AGNOSTIC_CLOSED:
        rate = closed_rate(a, s);
        break;
    case SOTTO_PAC_PUBLIC_REALIZABLE:
        rate = sot_log1p_up(-a);
        break;
    case SOTTO_PAC_PUBLIC_AGNOSTIC:
        rate = agnostic_rate_least(a);
        break;
    }
    return sot_add_up(start, sot_mul_up(n, rate));
}

static bool holds(const sotto_pac_setting *setting, sotto_pac_bound bound)
{
    return log_failure_up(setting, bound) <= sot_log_down(setting->beta);
}

/* ---- the questions ---- */

sotto_status sotto_pac_rows(const sotto_pac_setting *setting, sotto_pac_bound bound,
                            uint64_t *out_rows, sotto_error *error)
{
    const sotto_status status = check(setting, bound, ROWS, error);
    if (status != SOTTO_OK) return status;
    sotto_pac_setting at = *setting;
    double few = 0.0, enough = 1.0;
    for (; at.rows = enough, !holds(&at, bound); few = enough, enough *= 2.0) {
        if (enough >= ROWS_MAX) {
            return sot_fail(error, SOTTO_UNREACHABLE,
                            "the bound %s needs more than 2^53 rows; give a larger "
                            "`alpha` or `epsilon`, or a smaller class",
                            sotto_pac_bound_name(bound));
        }
    }
    while (enough - few > 1.0) {
        at.rows = few + floor((enough - few) / 2.0);
        *(holds(&at, bound) ? &enough : &few) = at.rows;
    }
    *out_rows = (uint64_t)enough;
    return SOTTO_OK;
}

/* The least double for which the bound holds: `few` is too small, `enough` is not. `value` is a member of `at`. */
static double least_value(sotto_pac_setting *at, double *value, sotto_pac_bound bound,
                          double few, double enough)
{
    for (;;) {
        const double middle = few + (enough - few) / 2.0;
        if (!(middle > few && middle < enough)) return enough;
        *value = middle;
        *(holds(at, bound) ? &enough : &few) = middle;
    }
}

sotto_status sotto_pac_alpha(const sotto_pac_setting *setting, sotto_pac_bound bound,
                             double *out_alpha, sotto_error *error)
{
    const sotto_status status = check(setting, bound, ALPHA, error);
    if (status != SOTTO_OK) return status;
    sotto_pac_setting at = *setting;
    at.alpha = sot_next_down(1.0);
    if (!holds(&at, bound)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`rows` is %g, too few for any alpha below 1 by the bound %s; "
                        "give more rows, or a larger `epsilon` or `beta`",
                        at.rows, sotto_pac_bound_name(bound));
    }
    *out_alpha = least_value(&at, &at.alpha, bound, 0.0, at.alpha);
    return SOTTO_OK;
}

sotto_status sotto_pac_epsilon(const sotto_pac_setting *setting, sotto_pac_bound bound,
                               double *out_epsilon, sotto_error *error)
{
    const sotto_status status = check(setting, bound, EPSILON, error);
    if (status != SOTTO_OK) return status;
    if (!facts[bound - 1].is_private) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the bound %s is without privacy and has no epsilon",
                        sotto_pac_bound_name(bound));
    }
    sotto_pac_setting at = *setting;
    at.epsilon = EPSILON_MAX;
    if (!holds(&at, bound)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`rows` is %g, too few for this alpha and beta by the bound %s "
                        "at any epsilon; give more rows, or a larger `alpha`",
                        at.rows, sotto_pac_bound_name(bound));
    }
    *out_epsilon = least_value(&at, &at.epsilon, bound, 0.0, at.epsilon);
    return SOTTO_OK;
}

sotto_status sotto_pac_beta(const sotto_pac_setting *setting, sotto_pac_bound bound,
                            double *out_beta, sotto_error *error)
{
    const sotto_status status = check(setting, bound, BETA, error);
    if (status == SOTTO_OK)
        *out_beta = fmin(1.0, sot_exp_up(log_failure_up(setting, bound)));
    return status;
}
