/* The smooth sensitivity of the data-dependent cost (Papernot et al., ICLR 2018, Appendix B), as a reference: the
 * product does not release that cost, so this is no part of it. What is tested of the product are the divergences it is
 * made of, here at all the votes on the way from a table to the crossover of the two bounds. */
#include "pate_vectors.h"

#include "numeric/special.h"
#include "privacy/mechanisms/pate/cost.h"

enum { TEACHERS_MOST = 512 };

typedef struct smooth {
    size_t classes;
    double sigma, order;
    double log_q0, log_q1;
} smooth;

static double independent(const smooth *at)
{
    return at->order / (at->sigma * at->sigma);
}

/* The data-dependent bound below q0, the other one from there on. */
static double cost(const smooth *at, double log_q)
{
    return log_q >= at->log_q0 ? independent(at)
                               : sot_pate_gaussian_rdp(log_q, at->sigma, at->order, NULL);
}

/* x with erfc(x) = e^log_p: erfc(x) = 2 Phi(-sqrt2 x). */
static double log_erfc_inverse(double log_p)
{
    return -sot_normal_quantile_log(log_p - log(2.0)) / sqrt(2.0);
}

/* log of (C - 1)/2 erfc(erfcinv(2q/(C - 1)) + move/sigma), at most 0. */
static double moved(const smooth *at, double log_q, double move)
{
    const double half = log(((double)at->classes - 1.0) / 2.0);
    if (log_q - half >= log(2.0)) return 0.0; /* beyond what erfc takes */
    return fmin(0.0,
                half + sot_log_erfc(log_erfc_inverse(log_q - half) + move / at->sigma));
}

static double excess(double log_q, void *context)
{
    const smooth *at = context;
    bool used;
    const double rdp = sot_pate_gaussian_rdp(log_q, at->sigma, at->order, &used);
    return used ? rdp - independent(at) : 1.0;
}

static void find_crossover(smooth *at)
{
    const double s = at->sigma, a = at->order;
    double upper = fmin(
        fmin(-(1.0 + 1.0 / s) * (1.0 + 1.0 / s), -((a - 0.99) / s) * ((a - 0.99) / s)),
        -1.0 / (s * s));
    if (excess(upper, at) >= 0.0) {
        /* From the applicable side: the bound falls with q. The minimum hides the crossing, so the
         * sign is that of "used", and bisection finds it. */
        double lower = 2.0 * upper;
        while (excess(lower, at) >= 0.0)
            lower *= 2.0;
        for (int i = 0; i < 200; i++) {
            const double middle = lower + (upper - lower) / 2.0;
            if (excess(middle, at) < 0.0) {
                lower = middle;
            } else {
                upper = middle;
            }
        }
    }
    at->log_q0 = upper;
    at->log_q1 = moved(at, upper, 1.0);
}

static double local(const smooth *at, double log_q)
{
    if (log_q >= at->log_q1 && log_q <= at->log_q0) { /* the plateau: B_U(q1) = q0 */
        const double here = cost(at, at->log_q1);
        return fmax(independent(at) - here, here - cost(at, moved(at, at->log_q1, 1.0)));
    }
    const double here = cost(at, log_q);
    return fmax(cost(at, moved(at, log_q, -1.0)) - here,
                here - cost(at, moved(at, log_q, 1.0)));
}

static int descending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Local sensitivities at 0, 1, ... moved votes: greedily towards the plateau, then the plateau. */
static void locals(const smooth *at, int64_t *votes, size_t teachers, double *out)
{
    double log_q = sot_pate_gnmax_log_q(votes, at->classes, at->sigma);
    const bool decrease = log_q > at->log_q0;
    bool arrived = false;
    for (size_t d = 0; d < teachers; d++) {
        log_q = sot_pate_gnmax_log_q(votes, at->classes, at->sigma);
        arrived = arrived || (decrease ? log_q <= at->log_q0 : log_q >= at->log_q1);
        out[d] = arrived ? local(at, at->log_q1) : local(at, log_q);
        qsort(votes, at->classes, sizeof *votes, descending);
        votes[0] += decrease ? 1 : -1;
        votes[1] += decrease ? -1 : 1;
    }
}

static double discounted(const double *sensitivities, size_t count, double beta)
{
    double most = 0.0;
    for (size_t d = 0; d < count; d++)
        most = fmax(most, exp(-beta * (double)d) * sensitivities[d]);
    return most;
}

/* "Relative 1e-6 for smooth sensitivity entries (differences of close numbers)". */
static void check_locals(const json_t *it, const double *sensitivities, size_t count)
{
    json_t *listed = json_object_get(it, "ls_at");
    assert_true(json_object_size(listed) > 0);
    for (void *at = json_object_iter(listed); at != NULL;
         at = json_object_iter_next(listed, at)) {
        const size_t d = (size_t)strtoul(json_object_iter_key(at), NULL, 10);
        const double value = json_number_value(json_object_iter_value(at));
        assert_true(d < count);
        assert_within(sensitivities[d], value * (1.0 - 1e-6) - 1e-15,
                      value * (1.0 + 1e-6) + 1e-15);
    }
    const json_t *row;
    size_t index;
    json_array_foreach(json_object_get(it, "smooth"), index, row)
    {
        assert_relative(discounted(sensitivities, count, pate_number(row, "beta")),
                        pate_number(row, "value"), 1e-6);
    }
    assert_true(index > 0);
}

static void smooth_sensitivities_of_gnmax_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "smooth_sensitivity", "gnmax_local", 3), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        static double sensitivities[TEACHERS_MOST];
        int64_t votes[PATE_CLASSES_MOST];
        smooth at = {.classes = pate_votes(it, votes),
                     .sigma = pate_number(it, "sigma"),
                     .order = pate_number(it, "order")};
        const size_t teachers = (size_t)pate_number(it, "num_teachers");
        assert_true(teachers < TEACHERS_MOST);
        find_crossover(&at);
        assert_relative(at.log_q0, pate_number(it, "log_q0"), 1e-8);
        assert_relative(at.log_q1, pate_number(it, "log_q1"), 1e-8);
        locals(&at, votes, teachers, sensitivities);
        check_locals(it, sensitivities, teachers);
    }
    json_decref(all);
}

static void smooth_sensitivities_of_tests_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "smooth_sensitivity", "threshold_local", 2),
                 *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        double sensitivities[TEACHERS_MOST] = {0}, costs[TEACHERS_MOST];
        const int teachers = (int)pate_number(it, "num_teachers");
        const int top = (int)pate_number(it, "max_votes");
        const double threshold = pate_number(it, "threshold");
        const double sigma = pate_number(it, "sigma1"), order = pate_number(it, "order");
        for (int v = 0; v <= teachers; v++) {
            costs[v] =
                sot_pate_gaussian_rdp(sot_pate_test_log_q((double)v, threshold, sigma),
                                      sqrt(2.0) * sigma, order, NULL);
        }
        for (int d = 0; d < teachers; d++) {
            for (int v = top - d; v <= top + d; v += d > 0 ? 2 * d : 1) {
                if (v < 0 || v > teachers) continue;
                const double down = v > 0 ? fabs(costs[v] - costs[v - 1]) : 0.0;
                const double up = v < teachers ? fabs(costs[v] - costs[v + 1]) : 0.0;
                sensitivities[d] = fmax(sensitivities[d], fmax(down, up));
            }
        }
        check_locals(it, sensitivities, (size_t)teachers);
    }
    json_decref(all);
}

/* Thm 23: what releasing the total with Gaussian noise times its smooth sensitivity costs. */
static void the_cost_of_releasing_the_cost_is_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "smooth_sensitivity", "gnss", 4), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const double b = pate_number(it, "beta"), s = pate_number(it, "sigma");
        const double a = pate_number(it, "order");
        assert_true(a > 1.0 && a < 1.0 / (2.0 * b));
        const double rdp =
            a * exp(2.0 * b) / (s * s) + (-0.5 * log1p(-2.0 * a * b) + a * b) / (a - 1.0);
        assert_relative(rdp, pate_number(it, "rdp"), 1e-9);
    }
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_sensitivities_of_gnmax_are_the_vectors),
        cmocka_unit_test(smooth_sensitivities_of_tests_are_the_vectors),
        cmocka_unit_test(the_cost_of_releasing_the_cost_is_the_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
