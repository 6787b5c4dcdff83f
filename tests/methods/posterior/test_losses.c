/* Sums of losses and their differences, as the samplers take them: within what is stated, against MPFR. And a caller's loss, joined by lines. */
#include "scenes.h"

#include "base/memory.h"
#include "methods/posterior/losses.h"
#include "models/linear/losses/joined.h"

enum { BITS = 400, CLASSES = 4, COLUMNS = 5, DIMENSION = CLASSES * COLUMNS };

static void exact_margin(const sot_matrix *m, size_t row, const double *theta,
                         const double *step, const double *low, mpfr_t out)
{
    mpfr_t term;
    mpfr_init2(term, BITS);
    mpfr_set_zero(out, 1);
    for (size_t j = 0; j < m->columns; j++) {
        mpfr_set_d(term, theta[j], MPFR_RNDN);
        if (step != NULL) mpfr_add_d(term, term, step[j], MPFR_RNDN);
        if (low != NULL) mpfr_add_d(term, term, low[j], MPFR_RNDN);
        mpfr_mul_d(term, term, entry(m, row, j), MPFR_RNDN);
        mpfr_add(out, out, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

/* log sum exp - margin of the label */
static void exact_softmax_row(const scene *s, size_t row, const double *theta,
                              const double *step, const double *low, mpfr_t out)
{
    const size_t classes = s->potential.classes;
    const size_t columns = s->matrix.columns;
    const size_t label = sot_softmax_class(s->matrix.labels[row], classes);
    mpfr_t margin, own;
    mpfr_inits2(BITS, margin, own, (mpfr_ptr)NULL);
    mpfr_set_zero(out, 1);
    for (size_t c = 0; c < classes; c++) {
        exact_margin(&s->matrix, row, theta + c * columns,
                     step != NULL ? step + c * columns : NULL,
                     low != NULL ? low + c * columns : NULL, margin);
        if (c == label) mpfr_set(own, margin, MPFR_RNDN);
        mpfr_exp(margin, margin, MPFR_RNDN);
        mpfr_add(out, out, margin, MPFR_RNDN);
    }
    mpfr_log(out, out, MPFR_RNDN);
    mpfr_sub(out, out, own, MPFR_RNDN);
    mpfr_clears(margin, own, (mpfr_ptr)NULL);
}

static void exact_sum(const scene *s, const double *theta, const double *step,
                      const double *low, mpfr_t out)
{
    exact_loss e;
    exact_begin(&e);
    mpfr_set_zero(out, 1);
    for (size_t i = 0; i < s->matrix.rows; i++) {
        if (s->potential.loss == NULL) {
            exact_softmax_row(s, i, theta, step, low, e.value);
        } else {
            exact_margin(&s->matrix, i, theta, step, low, e.u);
            exact_of(&e, s->potential.loss, s->matrix.labels[i]);
        }
        mpfr_add(out, out, e.value, MPFR_RNDN);
    }
    exact_end(&e);
}

/* The bound of models/linear/solver/values.md. */
static double difference_bound(const sot_losses *l, const scene *s, const double *from,
                               const double *step)
{
    double w = 0.0;
    double u = 0.0;
    for (size_t j = 0; j < l->dimension; j++) {
        w += from[j] * from[j];
        u += step[j] * step[j];
    }
    const double margin = (4.0 * (double)s->matrix.columns + 8.0) * 0x1p-105;
    return sqrt(l->rows) * l->frobenius_upper * sqrt(u) *
           (s->facts.difference_error + s->facts.slope_most * (0x1p-95 + margin) +
            s->facts.curvature_most * margin * sqrt(w));
}

static void check_sums(const sot_loss *loss, size_t classes, bool sparse)
{
    scene s;
    begin_scene(&s, loss, classes, 60, COLUMNS, 1.0, 1.0, 10.0);
    if (sparse) {
        free_matrix(&s.matrix);
        s.matrix = make_matrix(&(recipe){60, COLUMNS, true, 0.6, 0.5, 4});
    }
    for (size_t i = 0; i < s.matrix.rows; i++)
        s.matrix.labels[i] *= loss != NULL ? loss->label_most : 1.0;
    sot_losses l;
    sotto_error error = {0};
    mpfr_t here, there;
    mpfr_inits2(BITS, here, there, (mpfr_ptr)NULL);
    assert_ok(sot_losses_begin(&s.potential, &l, &error), &error);
    uint64_t state = 12;
    for (int i = 0; i < 12; i++) {
        double theta[DIMENSION], step[DIMENSION], low[DIMENSION], moved[DIMENSION];
        const double size = ldexp(1.0, -4 * i + 3);
        double norm = 0.0;
        for (size_t j = 0; j < l.dimension; j++) {
            theta[j] = 3.0 * uniform(&state);
            step[j] = size * uniform(&state);
            low[j] = step[j] * 0x1p-55;
            moved[j] = theta[j] + step[j];
            norm += fmax(theta[j] * theta[j], moved[j] * moved[j]);
        }
        exact_sum(&s, theta, NULL, NULL, here);
        exact_sum(&s, theta, step, low, there);
        const double *const points[2] = {theta, moved};
        double values[2];
        double value;
        double slope_error;
        double gradient[DIMENSION];
        assert_ok(sot_losses_values(&l, points, 2, values, &error), &error);
        assert_ok(sot_losses_look(&l, theta, &value, gradient, &slope_error, &error),
                  &error);
        const double bound = sot_losses_value_error(&l, sqrt(norm));
        assert_within(exact_distance(here, values[0], 0.0), 0.0, bound);
        assert_within(exact_distance(here, value, 0.0), 0.0, bound);
        assert_within(exact_distance(there, values[1], 0.0), 0.0, bound);
        assert_within(bound, 0.0, 1e-9);
        sot_twofold difference;
        assert_ok(sot_losses_difference(&l, theta, step, low, &difference, &error),
                  &error);
        mpfr_sub(there, there, here, MPFR_RNDN);
        assert_within(exact_distance(there, difference.high, difference.low), 0.0,
                      difference_bound(&l, &s, theta, step));
    }
    mpfr_clears(here, there, (mpfr_ptr)NULL);
    sot_losses_end(&l);
    end_scene(&s);
}

static void sums_and_differences_are_within_their_errors(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(2.0, 1.0);
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    const sot_loss counts = sot_loss_poisson(2.5, 4.0);
    for (int sparse = 0; sparse <= 1; sparse++) {
        check_sums(&sot_loss_logistic, 0, sparse);
        check_sums(&squared, 0, sparse);
        check_sums(&hinge, 0, sparse);
        check_sums(&counts, 0, sparse);
        check_sums(NULL, CLASSES, sparse);
        check_sums(NULL, 2, sparse);
    }
}

/* exp() overflows beyond 709: long ways go in parts. */
static void softmax_rows_go_any_way(void **state)
{
    (void)state;
    const sot_twofold margins[3] = {{1.5, 0.0}, {-0.25, 0x1p-60}, {900.0, 0.0}};
    const sot_twofold steps[3] = {{3000.0, 0.0}, {-700.0, 0.0}, {-2500.5, 0.0}};
    sot_twofold scratch[3];
    /* 900 + log(1 + tiny) before; 3001.5 after */
    const sot_twofold got = sot_softmax_row_difference(margins, steps, 3, 1, scratch);
    assert_relative(got.high, 3001.5 - 900.0 + 700.0, 1e-15);
}

/* ---- a caller's loss ---- */

static void bumpy(double margin, double label, void *context, sotto_loss_at *out)
{
    (void)context;
    const double r = margin - label;
    const double root = sqrt(0.25 + r * r);
    *out = (sotto_loss_at){root, r / root, 0.25 / (root * root * root)};
}

static sot_loss_joined *joined_of(bool classes, sot_loss *out_custom)
{
    static sotto_loss given = {.name = "bumpy",
                               .at = bumpy,
                               .slope_most = 1.0,
                               .curvature_most = 2.0,
                               .slope_error = 1e-15};
    sotto_error error = {0};
    sot_loss_joined *joined = NULL;
    given.classes = classes;
    assert_ok(sot_loss_custom(&given, out_custom, &error), &error);
    assert_ok(sot_loss_joined_new(out_custom, &joined, &error), &error);
    return joined;
}

/* The exact slope of the joined loss at u: between the two nodes, and the two labels. */
static double slope_by_definition(const sot_loss *custom, bool classes, double u,
                                  double label)
{
    const double at = fmax(-64.0, fmin(64.0, u));
    const double left = fmin(floor(at * 32.0) / 32.0, 64.0 - 1.0 / 32.0);
    const double below =
        classes ? (label < 0.0 ? -1.0 : 1.0) : fmin(floor(label * 32.0) / 32.0, 0.96875);
    const double share = classes ? 0.0 : (label - below) * 32.0;
    double slopes[4];
    double unused;
    for (int k = 0; k < 4; k++)
        custom->bend(custom, left + (k % 2) / 32.0, below + (k / 2) / 32.0, &slopes[k],
                     &unused);
    const double along = (at - left) * 32.0;
    const double low = slopes[0] + along * (slopes[1] - slopes[0]);
    const double high = slopes[2] + along * (slopes[3] - slopes[2]);
    return low + share * (high - low);
}

static void a_joined_loss_is_the_callers_at_the_nodes_and_straight_between(void **state)
{
    (void)state;
    for (int classes = 0; classes <= 1; classes++) {
        sot_loss custom;
        sot_loss_joined *joined = joined_of(classes, &custom);
        const sot_loss *loss = &joined->loss;
        uint64_t draw = 3;
        for (int i = 0; i < 3000; i++) {
            const double u = i % 9 == 0 ? 70.0 * uniform(&draw) : 3.0 * uniform(&draw);
            const double label =
                classes ? (i % 2 == 0 ? 1.0 : -1.0) : fmax(-1.0, uniform(&draw));
            sot_loss_at at;
            loss->at(loss, u, label, &at);
            const double exact = slope_by_definition(&custom, classes, u, label);
            assert_within(at.slope - exact, -1e-13, 1e-13);
            const sot_twofold careful =
                loss->slope_careful(loss, (sot_twofold){u, 0.0}, label);
            assert_within(careful.high - exact, -1e-13, 1e-13);
            assert_within(at.curvature, 0.0, loss->curvature_most);
            if (fabs(u) < 60.0) { /* and near to the caller's own */
                double own;
                double unused;
                custom.bend(&custom, u, label, &own, &unused);
                assert_within(at.slope - own, -2e-3, 2e-3);
            }
        }
        assert_within(loss->curvature_most, 1.9, sot_loss_joined_curvature(&custom));
        sot_loss_joined_free(joined);
    }
}

/* Differences in 106 bits: over two halves they add up to the whole to the last of them, and they are the values'. */
static void differences_of_a_joined_loss_fit_together(void **state)
{
    (void)state;
    sot_loss custom;
    sot_loss_joined *joined = joined_of(false, &custom);
    const sot_loss *loss = &joined->loss;
    uint64_t draw = 8;
    for (int i = 0; i < 3000; i++) {
        const double u = (i % 5 == 0 ? 80.0 : 2.0) * uniform(&draw);
        const double size = ldexp(uniform(&draw), -(i % 50)) * (i % 11 == 0 ? 90.0 : 1.0);
        const double label = uniform(&draw);
        const sot_twofold from = {u, 0.0};
        const sot_twofold half = {0.5 * size, 0.0};
        const sot_twofold middle = sot_twofold_of_sum(u, 0.5 * size);
        const sot_twofold whole =
            loss->difference_careful(loss, from, (sot_twofold){size, 0.0}, label);
        const sot_twofold parts =
            sot_twofold_add(loss->difference_careful(loss, from, half, label),
                            loss->difference_careful(loss, middle, half, label));
        const sot_twofold off = sot_twofold_add(whole, sot_twofold_minus(parts));
        assert_within(fabs(off.high), 0.0,
                      2.0 * loss->difference_error_careful * fabs(size));
        sot_loss_at a, b;
        loss->at(loss, u, label, &a);
        loss->at(loss, u + size, label, &b);
        assert_within(b.value - a.value - whole.high, -1e-11, 1e-11);
    }
    sot_loss_joined_free(joined);
}

static void broken(double margin, double label, void *context, sotto_loss_at *out)
{
    bumpy(margin, label, context, out);
    /* Not at the grid of the check's labels, and neither convex nor as smooth as it says. */
    if (fabs(label - 0.03125) < 1e-9) out->slope = sin(40.0 * margin);
}

static void a_joined_loss_is_convex_whatever_the_caller_did(void **state)
{
    (void)state;
    const sotto_loss given = {.name = "broken",
                              .at = broken,
                              .slope_most = 1.0,
                              .curvature_most = 2.0,
                              .slope_error = 1e-15};
    sotto_error error = {0};
    sot_loss custom;
    sot_loss_joined *joined = NULL;
    assert_ok(sot_loss_custom(&given, &custom, &error), &error);
    assert_ok(sot_loss_joined_new(&custom, &joined, &error), &error);
    const sot_loss *loss = &joined->loss;
    assert_true(loss->curvature_most <= sot_loss_joined_curvature(&custom));
    double before = -1.0;
    for (double u = -70.0; u < 70.0; u += 0x1.1p-7) {
        double slope;
        double curvature;
        loss->bend(loss, u, 0.03125, &slope, &curvature);
        assert_true(slope >= before - 1e-15 && slope <= 1.0);
        assert_true(curvature <= loss->curvature_most);
        before = slope;
    }
    sot_loss_joined_free(joined);
    custom.smooth = false;
    assert_refused(sot_loss_joined_new(&custom, &joined, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "jumps", NULL);
    custom.smooth = true;
    for (size_t nth = 1; nth <= 3; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_refused(sot_loss_joined_new(&custom, &joined, &error), SOTTO_OUT_OF_MEMORY,
                       &error, NULL);
        (void)sot_test_fail_allocation(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_differences_are_within_their_errors),
        cmocka_unit_test(softmax_rows_go_any_way),
        cmocka_unit_test(a_joined_loss_is_the_callers_at_the_nodes_and_straight_between),
        cmocka_unit_test(differences_of_a_joined_loss_fit_together),
        cmocka_unit_test(a_joined_loss_is_convex_whatever_the_caller_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
