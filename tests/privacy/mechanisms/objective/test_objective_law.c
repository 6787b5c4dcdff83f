/* Objective perturbation: what leaves has the density that the theorem is about. */
#include "random/statistics.h"

#include "privacy/mechanisms/toy_gate.h"

/* In one dimension theta <= t exactly if b >= b(t): the exact distribution of the minimiser. */
static double probability_at_most(const toy *made, const toy_settings *settings, double t)
{
    const double theta[] = {t, 0.0};
    double noise[] = {0.0, 0.0}, log_determinant = 0.0;
    toy_noise_of(made, theta, noise, &log_determinant);
    const double b = noise[0];
    if (!settings->is_pure) return 0.5 * erfc(b / (2.5 * sqrt(2.0)));
    const double tail = 0.5 * exp(-0.8 * fabs(b)); /* Laplace of scale R/e = 1/0.8 */
    return b >= 0.0 ? tail : 1.0 - tail;
}

/* Chi-square over 40 cells; two comparisons, false-alarm rate 2 FALSE_ALARM. */
static void the_released_coefficient_has_the_minimisers_density(void **state)
{
    (void)state;
    enum { CELLS = 40, DRAWS = 20000 };
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        const toy_settings *settings = kind == 0 ? &gaussian : &pure;
        sot_objective_config config = toy_objective_config(settings, 1);
        config.tau = 1e-8; /* the correction moves cells by far less than sampling does */
        toy made = toy_of(&config);
        const sot_objective_problem problem = toy_problem(&made);
        sot_objective_facts facts;
        assert_ok(sot_objective_derive(&config, &facts, &error), &error);
        double observed[CELLS] = {0}, probability[CELLS];
        const double low = -4.0, width = 8.0 / (CELLS - 2); /* ends: all beyond */
        double before = 0.0;
        for (size_t i = 0; i < CELLS; i++) {
            const double end = low + width * (double)i;
            const double upto =
                i + 1 == CELLS ? 1.0 : probability_at_most(&made, settings, end);
            probability[i] = upto - before;
            before = upto;
        }
        toy_gate at = toy_gate_new(&config, DRAWS, 11 + (uint64_t)kind);
        for (size_t i = 0; i < DRAWS; i++) {
            int64_t units[] = {0, 0};
            assert_ok(sot_objective_release(at.gate, &config, &problem, units, &error),
                      &error);
            const double place =
                ceil(((double)units[0] * facts.grid - low) / width); /* (end - w, end] */
            observed[(size_t)fmax(0.0, fmin(CELLS - 1, place))] += 1.0;
        }
        assert_int_equal(made.solved, DRAWS); /* one noise vector, one solution */
        assert_ok(sotto_gate_finish(at.gate, &error), &error);
        toy_gate_free(at);
        assert_true(chi_square_p(observed, probability, CELLS, DRAWS) > FALSE_ALARM);
    }
}

/* In two dimensions the noise behind theta has its law: norm and direction. Four comparisons. */
static void the_noise_behind_the_coefficients_has_its_law(void **state)
{
    (void)state;
    enum { CELLS = 24, DRAWS = 10000 };
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        sot_objective_config config =
            toy_objective_config(kind == 0 ? &gaussian : &pure, 2);
        config.tau = 1e-8;
        toy made = toy_of(&config);
        const sot_objective_problem problem = toy_problem(&made);
        sot_objective_facts facts;
        assert_ok(sot_objective_derive(&config, &facts, &error), &error);
        double norms[CELLS] = {0}, angles[CELLS] = {0}, even[CELLS];
        for (size_t i = 0; i < CELLS; i++)
            even[i] = 1.0 / CELLS;
        toy_gate at = toy_gate_new(&config, DRAWS, 23 + (uint64_t)kind);
        for (size_t i = 0; i < DRAWS; i++) {
            int64_t units[2];
            double theta[2], b[2] = {0}, log_determinant = 0.0;
            assert_ok(sot_objective_release(at.gate, &config, &problem, units, &error),
                      &error);
            for (size_t j = 0; j < 2; j++)
                theta[j] = (double)units[j] * facts.grid;
            toy_noise_of(&made, theta, b, &log_determinant);
            const double norm = hypot(b[0], b[1]);
            /* P(|b| > r): exp(-r^2/(2 sigma^2)); Gamma(2): (1 + r/s) exp(-r/s). */
            const double tail = kind == 0 ? exp(-norm * norm / (2.0 * 6.25))
                                          : (1.0 + 0.8 * norm) * exp(-0.8 * norm);
            const double turn = atan2(b[1], b[0]) / (2.0 * acos(-1.0)) + 0.5;
            norms[(size_t)fmin(CELLS - 1, floor(tail * CELLS))] += 1.0;
            angles[(size_t)fmin(CELLS - 1, floor(turn * CELLS))] += 1.0;
        }
        toy_gate_free(at);
        assert_true(chi_square_p(norms, even, CELLS, DRAWS) > FALSE_ALARM);
        assert_true(chi_square_p(angles, even, CELLS, DRAWS) > FALSE_ALARM);
    }
}

/* What is added to the solver's result has the planned scale: chi-square by its quantiles. */
static void the_solvers_result_leaves_under_its_own_noise(void **state)
{
    (void)state;
    enum { CELLS = 20, DRAWS = 10000 };
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        const sot_objective_config config =
            toy_objective_config(kind == 0 ? &gaussian : &pure, 2);
        toy made = toy_of(&config);
        const sot_objective_problem problem = toy_problem(&made);
        sot_objective_facts facts;
        assert_ok(sot_objective_derive(&config, &facts, &error), &error);
        double observed[CELLS] = {0}, even[CELLS];
        for (size_t i = 0; i < CELLS; i++)
            even[i] = 1.0 / CELLS;
        toy_gate at = toy_gate_new(&config, DRAWS, 31 + (uint64_t)kind);
        for (size_t i = 0; i < DRAWS; i++) {
            int64_t units[2];
            assert_ok(sot_objective_release(at.gate, &config, &problem, units, &error),
                      &error);
            /* Thousands of grids wide: a continuous law is near enough. */
            const double noise = (double)units[1] * facts.grid - made.theta[1];
            const double ratio = noise / facts.events[1].scale;
            const double tail =
                kind == 0 ? 0.5 * erfc(ratio / sqrt(2.0))
                          : (ratio >= 0.0 ? 0.5 * exp(-ratio) : 1.0 - 0.5 * exp(ratio));
            observed[(size_t)fmin(CELLS - 1, floor(tail * CELLS))] += 1.0;
        }
        toy_gate_free(at);
        assert_true(chi_square_p(observed, even, CELLS, DRAWS) > FALSE_ALARM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_released_coefficient_has_the_minimisers_density),
        cmocka_unit_test(the_noise_behind_the_coefficients_has_its_law),
        cmocka_unit_test(the_solvers_result_leaves_under_its_own_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
