/* Every loss, with a centre, a smoothed L1 norm, a tilt and a ball: the answer is the minimiser, to
 * what the certificate says, by references that share no code with the solver. */
#include "minimisers.h"

#include "base/memory.h"
#include "models/linear/solver/solver.h"

enum { LOSSES = 8 };

static void make_losses(sot_loss *out)
{
    out[0] = sot_loss_logistic;
    out[1] = sot_loss_squared(2.0, 1.0);
    out[2] = sot_loss_huber(0.125, 1.0);
    out[3] = sot_loss_smoothed_hinge(0.5);
    out[4] = sot_loss_smoothed_hinge(0.01);
    out[5] = sot_loss_poisson(12.0, 12.0);
    out[6] = sot_loss_poisson(1.5, 12.0);
    out[7] = sot_loss_hinge;
}

/* Labels as the loss wants them, of the made-up ones: -1 and 1, numbers, counts. */
static void relabel(sot_matrix *m, const sot_loss *loss, uint64_t seed)
{
    const bool classes = loss->slope_most == 1.0 && loss->one_signed;
    for (size_t i = 0; i < m->rows && !classes; i++) {
        const double drawn = uniform(&seed);
        m->labels[i] = loss->label_most > 1.0
                           ? floor(6.0 * (1.0 + drawn) * 0.5 * (1.5 + m->labels[i]) * 0.5)
                           : 0.5 * (m->labels[i] * 0.75 + drawn);
    }
}

/* Off the reference by at most tau / lambda, and by what the reference itself is off. */
static void assert_minimiser(const sot_glm *glm, double tau)
{
    const size_t d = glm->matrix->columns;
    double theta[REF_COLUMNS] = {0.0};
    long double exact[REF_COLUMNS], off[REF_COLUMNS];
    sotto_error error;
    assert_ok(sot_glm_solve(glm, tau, theta, &error), &error);
    const double slack = ref_minimiser(glm, exact);
    for (size_t j = 0; j < d; j++)
        off[j] = (long double)theta[j] - exact[j];
    assert_within((double)ref_norm(off, d), 0.0, tau / glm->lambda + slack);
    if (glm->radius > 0.0) {
        for (size_t j = 0; j < d; j++)
            exact[j] = (long double)theta[j];
        assert_within((double)ref_norm(exact, d), 0.0, glm->radius * (1.0 + 0x1p-48));
    }
}

typedef struct setting {
    size_t rows, columns;
    bool sparse, centre, l1, tilt;
    double lambda, radius;
} setting;

static void solve_all(const setting *all, size_t count, double tau)
{
    sot_loss losses[LOSSES];
    make_losses(losses);
    const double centre[REF_COLUMNS] = {0.5, -1.25, 0.0, 2.0, -0.375, 0.125};
    const double b[REF_COLUMNS] = {3.5, -1.75, 0.25, 2.25, -0.5, 1.0};
    for (size_t i = 0; i < count * LOSSES; i++) {
        const setting *at = &all[i / LOSSES];
        const sot_loss *loss = &losses[i % LOSSES];
        if (!loss->smooth && (at->l1 || at->centre))
            continue; /* the reference has none */
        const recipe from = {.rows = at->rows,
                             .columns = at->columns,
                             .sparse = at->sparse,
                             .filled = 0.75,
                             .noise = 0.3,
                             .seed = i};
        sot_matrix m = make_matrix(&from);
        relabel(&m, loss, i);
        const sot_glm glm = {.matrix = &m,
                             .loss = loss,
                             .lambda = at->lambda,
                             .center = at->centre ? centre : NULL,
                             .l1 = at->l1 ? 1.75 : 0.0,
                             .l1_width = 0.01,
                             .radius = at->radius,
                             .linear = at->tilt ? b : NULL};
        const double reach = loss->smooth ? tau : fmax(tau, 1e-4);
        assert_minimiser(&glm, reach * loss->slope_most);
        free_matrix(&m);
    }
}

static void every_loss_is_minimised(void **state)
{
    (void)state;
    const setting all[] = {
        {.rows = 1, .columns = 1, .lambda = 0.75},
        {.rows = 60, .columns = 3, .lambda = 0.25, .sparse = true},
        {.rows = 60, .columns = 4, .lambda = 1.0, .tilt = true},
        {.rows = 80, .columns = 5, .lambda = 4.0, .centre = true},
        {.rows = 80, .columns = 6, .lambda = 0.5, .l1 = true, .sparse = true},
        {.rows = 60,
         .columns = 6,
         .lambda = 0.01,
         .l1 = true,
         .centre = true,
         .tilt = true},
        {.rows = 0, .columns = 2, .lambda = 0.5, .tilt = true},
        {.rows = 200, .columns = 2, .lambda = 100.0, .tilt = true},
    };
    solve_all(all, sizeof all / sizeof *all, 0x1p-20);
    solve_all(all, sizeof all / sizeof *all, 0x1p-33);
}

/* Balls that hold the free minimiser, that cut it a little, and that cut nearly all of it. */
static void the_minimiser_within_a_ball_is_found(void **state)
{
    (void)state;
    const setting all[] = {
        {.rows = 60, .columns = 3, .lambda = 0.25, .radius = 100.0},
        {.rows = 60, .columns = 3, .lambda = 0.25, .radius = 0.5, .sparse = true},
        {.rows = 50, .columns = 4, .lambda = 1.0, .tilt = true, .radius = 0.01},
        {.rows = 50, .columns = 5, .lambda = 0.125, .centre = true, .radius = 0.875},
        {.rows = 90,
         .columns = 4,
         .lambda = 0.5,
         .l1 = true,
         .radius = 0.375,
         .tilt = true},
        {.rows = 40, .columns = 2, .lambda = 0.0625, .radius = 1.0},
        {.rows = 0, .columns = 2, .lambda = 0.5, .tilt = true, .radius = 2.0},
    };
    solve_all(all, sizeof all / sizeof *all, 0x1p-20);
}

/* The radius is within rounding of the free minimiser's norm: neither here nor there. */
static void a_ball_that_just_touches_is_no_trap(void **state)
{
    (void)state;
    sotto_error error;
    const sot_loss loss = sot_loss_huber(0.25, 1.0);
    const recipe from = {
        .rows = 80, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 4};
    sot_matrix m = make_matrix(&from);
    relabel(&m, &loss, 4);
    sot_glm glm = {.matrix = &m, .loss = &loss, .lambda = 0.5};
    double theta[3] = {0.0, 0.0, 0.0};
    assert_ok(sot_glm_solve(&glm, 1e-12, theta, &error), &error);
    const double norm =
        sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    for (int i = -3; i <= 3; i++) {
        glm.radius =
            norm * (1.0 + 0x1p-52 * (double)(i < 0 ? -(1 << -4 * i) : 1 << 4 * i));
        assert_minimiser(&glm, 1e-9);
    }
    free_matrix(&m);
}

/* All rows alike, so that a corner is crossed by all of them at once: Newton's whole step goes back and
 * forth between two pieces. */
static void many_rows_in_one_corner_are_no_trap(void **state)
{
    (void)state;
    const sot_loss losses[] = {sot_loss_smoothed_hinge(1e-4), sot_loss_huber(1e-4, 1.0),
                               sot_loss_squared(2.0, 1.0), sot_loss_poisson(0.01, 5.0)};
    const recipe from = {
        .rows = 300, .columns = 2, .filled = 1.0, .noise = 0.0, .seed = 4};
    for (size_t k = 0; k < 4; k++) {
        sot_matrix m = make_matrix(&from);
        for (size_t i = 0; i < m.rows; i++) {
            m.dense[i * m.stride] = 0.75f;
            m.dense[i * m.stride + 1] = i % 3 == 0 ? 0.5f : -0.25f;
            m.labels[i] = k == 3 ? (double)(i % 4) : (i % 3 == 0 ? -1.0 : 1.0);
        }
        for (int i = 0; i < 6; i++) {
            const sot_glm glm = {.matrix = &m,
                                 .loss = &losses[k],
                                 .lambda = pow(10.0, (double)i - 4.0),
                                 .radius = i % 2 == 0 ? 0.0 : 0.75};
            assert_minimiser(&glm, 1e-8);
        }
        free_matrix(&m);
    }
}

/* So fine a tau that the corner's sum in double is rounding: it must be taken with care, not again. */
static void a_fine_hinge_is_solved_with_care(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 300, .columns = 3, .filled = 1.0, .noise = 0.3, .seed = 12};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_hinge, .lambda = 1.0};
    assert_minimiser(&glm, 1e-6);
    free_matrix(&m);
}

static void far_starts_and_huge_tilts_are_survived(void **state)
{
    (void)state;
    sot_loss losses[LOSSES];
    make_losses(losses);
    uint64_t draw = 9;
    for (size_t k = 0; k < LOSSES; k++) {
        const recipe from = {
            .rows = 70, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = k};
        sot_matrix m = make_matrix(&from);
        relabel(&m, &losses[k], k);
        for (int i = 0; i < 8; i++) {
            double b[3], theta[3], again[3] = {0.0, 0.0, 0.0};
            sotto_error error;
            for (size_t j = 0; j < 3; j++) {
                theta[j] = pow(10.0, (double)i) * uniform(&draw);
                b[j] = pow(10.0, (double)(i % 5)) * uniform(&draw);
            }
            const sot_glm glm = {.matrix = &m,
                                 .loss = &losses[k],
                                 .lambda = i % 2 == 0 ? 1.0 : 0.01,
                                 .radius = i % 3 == 0 ? 2.0 : 0.0,
                                 .linear = b};
            const double tau = losses[k].smooth ? 1e-7 : 1e-3;
            assert_ok(sot_glm_solve(&glm, tau, theta, &error), &error);
            assert_ok(sot_glm_solve(&glm, tau, again, &error), &error);
            double squares = 0.0;
            for (size_t j = 0; j < 3; j++)
                squares += (theta[j] - again[j]) * (theta[j] - again[j]);
            assert_within(sqrt(squares), 0.0, 2.0 * tau / glm.lambda);
        }
        free_matrix(&m);
    }
}

/* The slow way in: the search is not asked, projected descent does it all. */
static void the_safe_ways_end_at_the_same_point(void **state)
{
    (void)state;
    sotto_error error;
    const recipe from = {
        .rows = 30, .columns = 2, .filled = 1.0, .noise = 0.5, .seed = 6};
    for (int i = 0; i < 2; i++) {
        const sot_loss loss = i == 0 ? sot_loss_logistic : sot_loss_smoothed_hinge(0.25);
        sot_matrix m = make_matrix(&from);
        const sot_glm glm = {.matrix = &m, .loss = &loss, .lambda = 2.0, .radius = 0.5};
        const double start[2] = {-0.25, 0.125};
        long double exact[REF_COLUMNS];
        sot_solver solver;
        assert_ok(sot_solver_begin(&glm, start, &solver, &error), &error);
        assert_ok(sot_solver_descend_in_ball(&solver, 1e-9, true, &error), &error);
        (void)ref_minimiser(&glm, exact);
        const long double off0 = (long double)solver.here.theta[0] - exact[0];
        const long double off1 = (long double)solver.here.theta[1] - exact[1];
        assert_within((double)hypotl(off0, off1), 0.0, 1e-9 / 2.0 + 1e-13);
        sot_solver_end(&solver);
        free_matrix(&m);
    }
}

/* The careful stage by Newton's steps, and by descent alone. */
static void the_careful_stage_ends_at_the_same_point(void **state)
{
    (void)state;
    sotto_error error;
    const sot_twofold none = {0.0, 0.0};
    sot_loss losses[LOSSES];
    make_losses(losses);
    for (size_t k = 0; k < 2 * LOSSES; k++) {
        const sot_loss *loss = &losses[k / 2];
        if (!loss->smooth || loss->curvature_most > 30.0) continue;
        const recipe from = {
            .rows = 12, .columns = 2, .filled = 1.0, .noise = 0.5, .seed = k};
        sot_matrix m = make_matrix(&from);
        relabel(&m, loss, k);
        const sot_glm glm = {.matrix = &m, .loss = loss, .lambda = 8.0};
        const double start[2] = {-3.25, 1.125};
        long double exact[REF_COLUMNS];
        sot_solver solver;
        assert_ok(sot_solver_begin(&glm, start, &solver, &error), &error);
        if (k % 2 == 1) solver.newton_steps_most = 0;
        assert_ok(sot_solver_run_carefully(&solver, none, 1e-12, &error), &error);
        const double slack = ref_minimiser(&glm, exact);
        const long double off0 = (long double)solver.here.theta[0] - exact[0];
        const long double off1 = (long double)solver.here.theta[1] - exact[1];
        assert_within((double)hypotl(off0, off1), 0.0, 1e-12 / 8.0 + slack);
        sot_solver_end(&solver);
        free_matrix(&m);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    sot_loss losses[LOSSES];
    make_losses(losses);
    sotto_error error;
    for (size_t k = 0; k < LOSSES; k++) {
        const recipe from = {
            .rows = 1500, .columns = 6, .filled = 1.0, .noise = 0.5, .seed = k};
        sot_matrix m = make_matrix(&from);
        relabel(&m, &losses[k], k);
        double theta[2][6] = {{0.0}, {0.0}};
        for (size_t t = 0; t < 2; t++) {
            sot_pool *pool;
            assert_ok(sot_pool_new(t == 0 ? 1 : 3, &pool, &error), &error);
            const sot_glm glm = {.matrix = &m,
                                 .loss = &losses[k],
                                 .lambda = 1.0,
                                 .radius = 0.5,
                                 .pool = pool};
            const double tau = losses[k].smooth ? 1e-6 : 1e-3;
            assert_ok(sot_glm_solve(&glm, tau, theta[t], &error), &error);
            sot_pool_free(pool);
        }
        assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
        free_matrix(&m);
    }
}

static void a_jumping_slope_of_the_callers_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const recipe from = {.rows = 3, .columns = 1, .filled = 1.0, .seed = 6};
    sot_matrix m = make_matrix(&from);
    sot_loss loss = sot_loss_squared(1.0, 1.0);
    loss.smooth = false;
    loss.name = "jumpy";
    double theta[1] = {7.0};
    const sot_glm glm = {.matrix = &m, .loss = &loss, .lambda = 1.0};
    assert_refused(sot_glm_solve(&glm, 1e-3, theta, &error), SOTTO_UNSUPPORTED, &error,
                   "jumpy", "jumps", "iterative method", NULL);
    assert_true(theta[0] == 7.0);
    free_matrix(&m);
}

static void want_of_memory_is_reported(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 60, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 2};
    sot_loss losses[LOSSES];
    make_losses(losses);
    for (size_t k = 0; k < LOSSES; k++) {
        sot_matrix m = make_matrix(&from);
        relabel(&m, &losses[k], k);
        const sot_glm glm = {
            .matrix = &m, .loss = &losses[k], .lambda = 1.0, .radius = 0.25};
        sotto_error error;
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            double theta[3] = {0.5, 0.5, 0.5};
            (void)sot_test_fail_allocation(++nth);
            status = sot_glm_solve(&glm, 1e-3, theta, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_true(theta[0] == 0.5 && theta[2] == 0.5);
        }
        assert_ok(status, &error);
        assert_true(nth >= 4);
        free_matrix(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_is_minimised),
        cmocka_unit_test(the_minimiser_within_a_ball_is_found),
        cmocka_unit_test(a_ball_that_just_touches_is_no_trap),
        cmocka_unit_test(many_rows_in_one_corner_are_no_trap),
        cmocka_unit_test(a_fine_hinge_is_solved_with_care),
        cmocka_unit_test(far_starts_and_huge_tilts_are_survived),
        cmocka_unit_test(the_safe_ways_end_at_the_same_point),
        cmocka_unit_test(the_careful_stage_ends_at_the_same_point),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_jumping_slope_of_the_callers_is_refused),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
