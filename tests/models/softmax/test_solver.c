/* The solver: its answer against references that share no code with it, and the cases in which
 * solvers give up. */
#include "softmax_problems.h"

#include "base/memory.h"
#include "models/linear/solver/pass.h"

enum { NUMBERS_MOST = 48, CLASSES_MOST = 6 };

/* ---- a reference in long double ---- */

typedef struct derivatives {
    long double gradient[NUMBERS_MOST];
    long double hessian[NUMBERS_MOST][NUMBERS_MOST];
} derivatives;

static void add_terms(const sot_softmax *problem, const long double *theta,
                      long double extra, derivatives *out)
{
    const size_t n = problem->classes * problem->matrix->columns;
    for (size_t k = 0; k < n; k++) {
        const long double off =
            theta[k] - (problem->center != NULL ? (long double)problem->center[k] : 0.0L);
        const long double w = (long double)problem->l1_width;
        const long double root = sqrtl(theta[k] * theta[k] + w * w);
        out->gradient[k] = (long double)problem->lambda * off + extra * theta[k];
        out->hessian[k][k] = (long double)problem->lambda + extra;
        if (problem->l1 > 0.0) {
            out->gradient[k] += (long double)problem->l1 * theta[k] / root;
            out->hessian[k][k] += (long double)problem->l1 * w * w / (root * root * root);
        }
        if (problem->linear != NULL) out->gradient[k] += (long double)problem->linear[k];
    }
}

static void add_row(const sot_softmax *problem, size_t i, const long double *theta,
                    derivatives *out)
{
    const size_t d = problem->matrix->columns;
    const size_t classes = problem->classes;
    long double p[CLASSES_MOST], most = -(long double)INFINITY, sum = 0.0L;
    for (size_t c = 0; c < classes; c++) {
        p[c] = 0.0L;
        for (size_t j = 0; j < d; j++)
            p[c] += theta[c * d + j] * (long double)entry(problem->matrix, i, j);
        most = fmaxl(most, p[c]);
    }
    for (size_t c = 0; c < classes; c++)
        sum += p[c] = expl(p[c] - most);
    for (size_t c = 0; c < classes; c++)
        p[c] /= sum;
    const double label = problem->matrix->labels[i];
    const size_t truth = classes == 2 ? label > 0.0 : (size_t)label;
    for (size_t a = 0; a < classes * d; a++) {
        const long double xa = (long double)entry(problem->matrix, i, a % d);
        out->gradient[a] += (p[a / d] - (a / d == truth ? 1.0L : 0.0L)) * xa;
        for (size_t b = 0; b < classes * d; b++) {
            const long double xb = (long double)entry(problem->matrix, i, b % d);
            const long double same = a / d == b / d ? p[a / d] : 0.0L;
            out->hessian[a][b] += (same - p[a / d] * p[b / d]) * xa * xb;
        }
    }
}

static void derivatives_at(const sot_softmax *problem, const long double *theta,
                           long double extra, derivatives *out)
{
    memset(out, 0, sizeof *out);
    add_terms(problem, theta, extra, out);
    for (size_t i = 0; i < problem->matrix->rows; i++)
        add_row(problem, i, theta, out);
}

/* Gauss elimination without pivoting: the matrix is positive definite. */
static void eliminate(size_t n, derivatives *at)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k + 1; i < n; i++) {
            const long double factor = at->hessian[i][k] / at->hessian[k][k];
            for (size_t j = k; j < n; j++)
                at->hessian[i][j] -= factor * at->hessian[k][j];
            at->gradient[i] -= factor * at->gradient[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            at->gradient[k] -= at->hessian[k][j] * at->gradient[j];
        at->gradient[k] /= at->hessian[k][k];
    }
}

/* Newton's method with step sizes by the gradient's norm, of J + (extra/2)|theta|^2. */
static void reference(const sot_softmax *problem, long double extra, long double *theta)
{
    static derivatives at, next;
    const size_t n = problem->classes * problem->matrix->columns;
    for (int step = 0; step < 200; step++) {
        derivatives_at(problem, theta, extra, &at);
        long double norm = 0.0L;
        for (size_t k = 0; k < n; k++)
            norm += at.gradient[k] * at.gradient[k];
        if (sqrtl(norm) <= 1e-15L * (long double)problem->matrix->rows) return;
        eliminate(n, &at);
        long double length = 1.0L;
        for (int trial = 0; trial < 40; trial++, length *= 0.5L) {
            long double there[NUMBERS_MOST], next_norm = 0.0L;
            for (size_t k = 0; k < n; k++)
                there[k] = theta[k] - length * at.gradient[k];
            derivatives_at(problem, there, extra, &next);
            for (size_t k = 0; k < n; k++)
                next_norm += next.gradient[k] * next.gradient[k];
            if (!(next_norm < norm) && trial < 39) continue;
            if (!(next_norm < norm)) return; /* rounding is all that is left */
            memcpy(theta, there, n * sizeof *theta);
            break;
        }
    }
}

static long double size_of(const long double *v, size_t n)
{
    long double squares = 0.0L;
    for (size_t k = 0; k < n; k++)
        squares += v[k] * v[k];
    return sqrtl(squares);
}

/* Over the ball: bisection on the multiplier, in long double. */
static void reference_in_ball(const sot_softmax *problem, long double *theta)
{
    const size_t n = problem->classes * problem->matrix->columns;
    const long double radius = (long double)problem->radius;
    reference(problem, 0.0L, theta);
    if (problem->radius == 0.0 || size_of(theta, n) <= radius) return;
    long double low = 0.0L, high = 1.0L;
    for (int round = 0; round < 200; round++) {
        const long double middle =
            round < 40 && low * 2.0L >= high ? 0.5L * (low + high) : high;
        reference(problem, middle, theta);
        if (size_of(theta, n) <= radius) break;
        low = middle;
        high *= 2.0L;
    }
    for (int round = 0; round < 80; round++) {
        const long double middle = 0.5L * (low + high);
        reference(problem, middle, theta);
        *(size_of(theta, n) > radius ? &low : &high) = middle;
    }
}

static double distance(const double *theta, const long double *exact, size_t n)
{
    long double squares = 0.0L;
    for (size_t k = 0; k < n; k++) {
        const long double off = (long double)theta[k] - exact[k];
        squares += off * off;
    }
    return (double)sqrtl(squares);
}

/* Solves from `start` (NULL: 0) and compares. The reference itself is good to 1e-12. */
static void assert_solved(const sot_softmax *problem, double tau, const double *start)
{
    const size_t n = problem->classes * problem->matrix->columns;
    double theta[NUMBERS_MOST] = {0.0};
    long double exact[NUMBERS_MOST] = {0.0L};
    sotto_error error;
    assert_true(n <= NUMBERS_MOST && problem->classes <= CLASSES_MOST);
    if (start != NULL) memcpy(theta, start, n * sizeof *theta);
    assert_ok(sot_softmax_solve(problem, tau, theta, &error), &error);
    reference_in_ball(problem, exact);
    const double slack = 1e-12 * (1.0 + (double)size_of(exact, n)) +
                         2e-15 * (double)problem->matrix->rows / problem->lambda;
    assert_within(distance(theta, exact, n), 0.0, tau / problem->lambda + slack);
    if (problem->radius > 0.0)
        assert_within(sot_norm_upper(theta, n), 0.0,
                      problem->radius * (1.0 + 1e-14) + tau / problem->lambda);
}

/* ---- promises ---- */

static void the_answer_is_the_minimiser(void **state)
{
    (void)state;
    uint64_t draw = 5;
    for (int i = 0; i < 20; i++) {
        const size_t classes = (size_t)(2 + i % 5);
        const recipe from = {.rows = (size_t)(10 + i * 9),
                             .columns = (size_t)(1 + i % 4),
                             .sparse = i % 2 == 1,
                             .filled = 0.75,
                             .noise = 0.5,
                             .seed = (uint64_t)i};
        sot_matrix m = make_classes(&from, classes);
        double b[NUMBERS_MOST], center[NUMBERS_MOST];
        for (size_t k = 0; k < classes * m.columns; k++) {
            b[k] = 4.0 * uniform(&draw);
            center[k] = 1.5 * uniform(&draw);
        }
        const sot_softmax problem = {.matrix = &m,
                                     .classes = classes,
                                     .lambda = ldexp(1.0, i % 9 - 4),
                                     .center = i % 3 == 0 ? center : NULL,
                                     .l1 = i % 4 == 1 ? 2.5 : 0.0,
                                     .l1_width = 0.125,
                                     .linear = i % 2 == 0 ? b : NULL};
        assert_solved(&problem, 1e-8, NULL);
        free_matrix(&m);
    }
}

static void over_a_ball_the_answer_is_the_constrained_minimiser(void **state)
{
    (void)state;
    uint64_t draw = 6;
    for (int i = 0; i < 18; i++) {
        const size_t classes = (size_t)(2 + i % 3);
        const recipe from = {.rows = (size_t)(20 + i * 4),
                             .columns = (size_t)(1 + i % 3),
                             .sparse = i % 2 == 1,
                             .filled = 1.0,
                             .noise = 0.25,
                             .seed = (uint64_t)(40 + i)};
        sot_matrix m = make_classes(&from, classes);
        double b[NUMBERS_MOST], center[NUMBERS_MOST];
        for (size_t k = 0; k < classes * m.columns; k++) {
            b[k] = 4.0 * uniform(&draw);
            center[k] = 1.5 * uniform(&draw);
        }
        const sot_softmax problem = {.matrix = &m,
                                     .classes = classes,
                                     .lambda = ldexp(1.0, i % 7 - 5),
                                     .center = i % 3 == 0 ? center : NULL,
                                     .l1 = i % 4 == 1 ? 1.25 : 0.0,
                                     .l1_width = 0.125,
                                     .radius = ldexp(1.375, i % 6 - 3),
                                     .linear = i % 2 == 0 ? b : NULL};
        assert_solved(&problem, 1e-8, NULL);
        free_matrix(&m);
    }
}

/* The sphere goes through the free minimiser, or all but; and a radius that does not bind. */
static void a_ball_that_hardly_binds_is_no_trap(void **state)
{
    (void)state;
    enum { D = 3, K = 3 };
    const recipe from = {
        .rows = 80, .columns = D, .filled = 1.0, .noise = 0.5, .seed = 77};
    sot_matrix m = make_classes(&from, K);
    sot_softmax problem = {.matrix = &m, .classes = K, .lambda = 0.5};
    double theta[K * D] = {0.0};
    sotto_error error;
    assert_ok(sot_softmax_solve(&problem, 1e-12, theta, &error), &error);
    const double size = sot_norm_upper(theta, K * D);
    static const double factors[] = {1.0,        1.0 - 1e-15, 1.0 + 1e-15, 1.0 - 1e-9,
                                     1.0 + 1e-9, 1.0 - 1e-5,  1.0 + 1e-5,  10.0,
                                     1e-3,       1e-6,        1e-200};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        problem.radius = size * factors[i];
        double bound[K * D] = {0.0};
        assert_ok(sot_softmax_solve(&problem, 1e-8, bound, &error), &error);
        long double exact[K * D] = {0.0L};
        if (factors[i] >= 1e-3) {
            reference_in_ball(&problem, exact);
            assert_within(distance(bound, exact, K * D), 0.0, 1e-8 / 0.5 + 1e-12);
        }
        assert_within(sot_norm_upper(bound, K * D), 0.0,
                      problem.radius * (1.0 + 1e-14) + 1e-8 / 0.5);
    }
    free_matrix(&m);
}

/* A tau below what doubles can prove of so many rows: the sphere is reached in twofold numbers. */
static void beyond_double_the_ball_is_solved_too(void **state)
{
    (void)state;
    enum { D = 2, K = 3 };
    for (int i = 0; i < 4; i++) {
        const recipe from = {.rows = 3000,
                             .columns = D,
                             .sparse = i % 2 == 1,
                             .filled = 1.0,
                             .noise = 0.25,
                             .seed = (uint64_t)(60 + i)};
        sot_matrix m = make_classes(&from, K);
        sot_softmax problem = {.matrix = &m,
                               .classes = K,
                               .lambda = 0.5,
                               .l1 = i == 3 ? 2.0 : 0.0,
                               .l1_width = 0.25};
        double theta[K * D] = {0.0}, upper;
        sotto_error error;
        assert_ok(sot_softmax_solve(&problem, 1e-9, theta, &error), &error);
        assert_ok(sot_softmax_gradient_norm_upper(&problem, theta, false, &upper, &error),
                  &error);
        assert_true(upper > 1e-12); /* or the test would show nothing */
        problem.radius = 0.375 * sot_norm_upper(theta, K * D);
        assert_solved(&problem, 1e-12, NULL);
        free_matrix(&m);
    }
}

/* Two classes are one margin: theta_1 - theta_0, with half of lambda. */
static void two_classes_are_logistic_regression(void **state)
{
    (void)state;
    enum { D = 5 };
    const recipe from = {
        .rows = 400, .columns = D, .filled = 1.0, .noise = 0.5, .seed = 21};
    sot_matrix m = make_classes(&from, 2);
    const sot_softmax problem = {.matrix = &m, .classes = 2, .lambda = 1.5};
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.75};
    double both[2 * D] = {0.0}, one[D] = {0.0};
    sotto_error error;
    assert_ok(sot_softmax_solve(&problem, 1e-10, both, &error), &error);
    assert_ok(sot_glm_solve(&glm, 1e-10, one, &error), &error);
    for (size_t j = 0; j < D; j++) {
        assert_within(both[D + j] - both[j] - one[j], -1e-9, 1e-9);
        assert_within(both[D + j] + both[j], -1e-9, 1e-9);
    }
    free_matrix(&m);
}

static void the_whole_range_of_lambda_is_solved(void **state)
{
    (void)state;
    enum { D = 6, K = 3 };
    for (int separable = 0; separable < 2; separable++) {
        const recipe from = {.rows = 200,
                             .columns = D,
                             .filled = 1.0,
                             .noise = separable == 1 ? 0.0 : 0.5,
                             .seed = 33};
        sot_matrix m = make_classes(&from, K);
        for (int power = -6; power <= 6; power += 3) {
            const sot_softmax problem = {
                .matrix = &m, .classes = K, .lambda = pow(10.0, (double)power)};
            double theta[K * D] = {0.0};
            double upper;
            sotto_error error;
            assert_ok(sot_softmax_solve(&problem, 1e-9, theta, &error), &error);
            assert_ok(
                sot_softmax_gradient_norm_upper(&problem, theta, true, &upper, &error),
                &error);
            assert_within(upper, 0.0, 1e-9);
        }
        free_matrix(&m);
    }
}

static void no_rows_and_rows_of_zeros_give_minus_b_by_lambda(void **state)
{
    (void)state;
    const recipe from = {.rows = 3, .columns = 2, .filled = 0.0, .noise = 0.5};
    sot_matrix m = make_classes(&from, 3);
    const double b[6] = {3.0, -1.0, 0.5, 8.0, 0.0, -2.0};
    const sot_softmax problem = {.matrix = &m, .classes = 3, .lambda = 4.0, .linear = b};
    sotto_error error;
    for (int none = 0; none < 2; none++) {
        double theta[6] = {7.0, 7.0, 7.0, -7.0, 1.0, 2.0};
        if (none == 1) m.rows = 0;
        assert_ok(sot_softmax_solve(&problem, 1e-9, theta, &error), &error);
        for (size_t k = 0; k < 6; k++)
            assert_within(theta[k] + b[k] / 4.0, -1e-9, 1e-9);
    }
    free_matrix(&m);
}

static void any_start_and_a_huge_tilt_are_survived(void **state)
{
    (void)state;
    enum { D = 4, K = 3 };
    const recipe from = {
        .rows = 150, .columns = D, .filled = 1.0, .noise = 0.5, .seed = 12};
    sot_matrix m = make_classes(&from, K);
    uint64_t draw = 9;
    for (int i = 0; i < 16; i++) {
        double start[K * D], b[K * D];
        for (size_t k = 0; k < K * D; k++) {
            start[k] = pow(10.0, (double)(i % 6)) * uniform(&draw);
            b[k] = pow(10.0, (double)(i % 5)) * uniform(&draw);
        }
        const sot_softmax problem = {.matrix = &m,
                                     .classes = K,
                                     .lambda = i % 2 == 0 ? 1.0 : 1e-3,
                                     .radius = i % 4 < 2 ? 0.0 : 3.5,
                                     .linear = b};
        assert_solved(&problem, 1e-7, start);
    }
    free_matrix(&m);
}

/* Two columns that rows see the difference of, and a b that pushes both far out: no double is near
 * enough to the minimiser for a gradient of tau, but one is within tau / lambda of it. */
static void where_no_double_has_a_small_gradient_the_distance_is_proven(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 4000, .columns = 2, .filled = 1.0, .noise = 0.5, .seed = 6};
    sot_matrix m = make_classes(&from, 2);
    for (size_t i = 0; i < m.rows; i++) {
        m.dense[i * m.stride] = 0.625f;
        m.dense[i * m.stride + 1] = -0.625f;
    }
    const double b[4] = {-1e4, -1e4, 1e4, 1e4};
    const sot_softmax problem = {.matrix = &m, .classes = 2, .lambda = 1e-3, .linear = b};
    const double tau = 1e-10;
    double theta[4] = {0.0};
    double upper;
    sotto_error error;
    assert_ok(sot_softmax_solve(&problem, tau, theta, &error), &error);
    assert_ok(sot_softmax_gradient_norm_upper(&problem, theta, true, &upper, &error),
              &error);
    assert_true(upper > tau); /* or the test would show nothing */
    /* By symmetry theta_1 = -theta_0 = -p (1, 1) + q (1, -1): lambda p = 1e4, one equation for q. */
    long double second = 0.0L;
    for (size_t i = 0; i < m.rows; i++)
        second += m.labels[i] > 0.0 ? 1.0L : 0.0L;
    long double q = 0.0L;
    for (int round = 0; round < 200; round++) {
        const long double s = 1.0L / (1.0L + expl(-2.5L * q)); /* u_1 - u_0 = 2.5 q */
        const long double slope =
            0.625L * ((4000.0L - second) * s - second * (1.0L - s)) + 1e-3L * q;
        q -= slope / (0.625L * 2.5L * 4000.0L * s * (1.0L - s) + 1e-3L);
    }
    const long double p = 1e4L / (long double)1e-3;
    const long double exact[4] = {p - q, p + q, -p + q, -p - q};
    assert_within(distance(theta, exact, 4), 0.0, tau / problem.lambda);
    free_matrix(&m);
}

static void noise_of_is_minus_the_gradient_and_the_determinant(void **state)
{
    (void)state;
    enum { D = 2, K = 3, N = K * D };
    const double b[N] = {9.0, -3.0, 1.0, 0.0, 2.0, 5.0}; /* is not part of it */
    const double theta[N] = {1.375, -0.25, 0.5, 2.0, -1.0, 0.125};
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 120,
                             .columns = D,
                             .sparse = sparse == 1,
                             .filled = 1.0,
                             .noise = 0.5,
                             .seed = 30};
        sot_matrix m = make_classes(&from, K);
        sot_softmax problem = {.matrix = &m,
                               .classes = K,
                               .lambda = 0.75,
                               .l1 = 1.5,
                               .l1_width = 0.25,
                               .linear = b};
        double noise[N], log_determinant;
        sotto_error error;
        assert_ok(sot_softmax_noise_of(&problem, theta, noise, &log_determinant, &error),
                  &error);
        static derivatives at;
        long double point[N];
        for (size_t k = 0; k < N; k++)
            point[k] = (long double)theta[k];
        derivatives_at(&problem, point, 0.0L, &at);
        for (size_t k = 0; k < N; k++)
            assert_within(noise[k] + (double)at.gradient[k] - b[k], -1e-11, 1e-11);
        long double expected = 0.0L;
        eliminate(N, &at);
        for (size_t k = 0; k < N; k++)
            expected += logl(at.hessian[k][k]);
        assert_relative(log_determinant, (double)expected, 1e-12);
        /* The tilt by this noise makes theta the minimiser. */
        problem.linear = noise;
        double again[N] = {0.0};
        assert_ok(sot_softmax_solve(&problem, 1e-10, again, &error), &error);
        assert_within(distance(again, point, N), 0.0, 1e-9);
        free_matrix(&m);
    }
}

static void the_bits_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { D = 7, K = 4, N = K * D };
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 3000,
                             .columns = D,
                             .sparse = sparse == 1,
                             .filled = 0.5,
                             .noise = 0.5,
                             .seed = 50};
        sot_matrix m = make_classes(&from, K);
        double theta[4][N] = {{0.0}}, value[4], upper[4];
        for (size_t t = 0; t < 4; t++) {
            static const size_t threads[] = {1, 2, 3, 7};
            sot_pool *pool;
            sotto_error error;
            assert_ok(sot_pool_new(threads[t], &pool, &error), &error);
            const sot_softmax problem = {.matrix = &m,
                                         .classes = K,
                                         .lambda = 0.5,
                                         .radius = sparse == 1 ? 4.0 : 0.0,
                                         .pool = pool};
            assert_ok(sot_softmax_solve(&problem, 1e-6, theta[t], &error), &error);
            assert_ok(sot_softmax_value(&problem, theta[t], &value[t], NULL, &error),
                      &error);
            assert_ok(sot_softmax_gradient_norm_upper(&problem, theta[t], true, &upper[t],
                                                      &error),
                      &error);
            sot_pool_free(pool);
            assert_memory_equal(theta[t], theta[0], sizeof theta[0]);
            assert_true(value[t] == value[0] && upper[t] == upper[0]);
        }
        free_matrix(&m);
    }
}

static void a_tau_that_is_not_positive_is_refused(void **state)
{
    (void)state;
    static const double wrong[] = {0.0, -1.0};
    const recipe from = {.rows = 2, .columns = 1, .filled = 1.0};
    sot_matrix m = make_classes(&from, 2);
    const sot_softmax problem = {.matrix = &m, .classes = 2, .lambda = 1.0};
    double theta[2] = {7.0, 7.0};
    sotto_error error;
    for (size_t i = 0; i < 2; i++)
        assert_refused(sot_softmax_solve(&problem, wrong[i], theta, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "tau", "positive", NULL);
    assert_refused(sot_softmax_solve(&problem, (double)NAN, theta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "tau", NULL);
    assert_true(theta[0] == 7.0);
    free_matrix(&m);
}

static sotto_status call(int which, const sot_softmax *problem, double *theta,
                         sotto_error *error)
{
    double noise[9], number;
    if (which == 0) return sot_softmax_solve(problem, 1e-12, theta, error);
    if (which == 1) return sot_softmax_noise_of(problem, theta, noise, &number, error);
    if (which == 2)
        return sot_softmax_gradient_norm_upper(problem, theta, true, &number, error);
    return sot_softmax_value(problem, theta, &number, noise, error);
}

static void want_of_memory_and_cancellation_are_reported(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 60, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 2};
    sot_matrix m = make_classes(&from, 3);
    const double some[9] = {0.5, 0.25, 0.0, 1.0, -1.0, 0.5, 2.0, 0.0, 0.0};
    sot_pool *pool;
    sotto_error error;
    assert_ok(sot_pool_new(2, &pool, &error), &error);
    sot_softmax problem = {.matrix = &m,
                           .classes = 3,
                           .lambda = 1.0,
                           .center = some,
                           .linear = some,
                           .pool = pool};
    double theta[9];
    for (int which = 0; which < 4; which++) {
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            memcpy(theta, some, sizeof theta);
            (void)sot_test_fail_allocation(++nth);
            status = call(which, &problem, theta, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_memory_equal(theta, some, sizeof theta);
        }
        assert_ok(status, &error);
        assert_true(nth >= 6);
    }
    for (int ball = 0; ball < 2; ball++) {
        memcpy(theta, some, sizeof theta);
        problem.radius = ball == 1 ? 0.5 : 0.0;
        sot_pool_cancel(pool);
        assert_refused(sot_softmax_solve(&problem, 1e-6, theta, &error),
                       SOTTO_INTERRUPTED, &error, NULL);
        assert_memory_equal(theta, some, sizeof theta);
        sot_pool_resume(pool);
    }
    sot_pool_free(pool);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_minimiser),
        cmocka_unit_test(over_a_ball_the_answer_is_the_constrained_minimiser),
        cmocka_unit_test(a_ball_that_hardly_binds_is_no_trap),
        cmocka_unit_test(beyond_double_the_ball_is_solved_too),
        cmocka_unit_test(two_classes_are_logistic_regression),
        cmocka_unit_test(the_whole_range_of_lambda_is_solved),
        cmocka_unit_test(no_rows_and_rows_of_zeros_give_minus_b_by_lambda),
        cmocka_unit_test(any_start_and_a_huge_tilt_are_survived),
        cmocka_unit_test(where_no_double_has_a_small_gradient_the_distance_is_proven),
        cmocka_unit_test(noise_of_is_minus_the_gradient_and_the_determinant),
        cmocka_unit_test(the_bits_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_tau_that_is_not_positive_is_refused),
        cmocka_unit_test(want_of_memory_and_cancellation_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
