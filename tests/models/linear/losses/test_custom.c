/* A caller's loss: its promises are tried, its slopes are cut, its minimiser is found. */
#include "models/linear/solver/minimisers.h"

#include "models/linear/losses/loss.h"

/* Huber's loss as a caller would write it; the context is its threshold. */
static void huber(double margin, double label, void *context, sotto_loss_at *out)
{
    const double most = *(const double *)context;
    const double r = margin - label;
    out->value = fabs(r) <= most ? 0.5 * r * r : most * (fabs(r) - 0.5 * most);
    out->slope = fmax(-most, fmin(most, r));
    out->curvature = fabs(r) < most ? 1.0 : 0.0;
}

static void logistic(double margin, double label, void *context, sotto_loss_at *out)
{
    (void)context;
    const double m = label * margin;
    const double s = 1.0 / (1.0 + exp(m));
    *out = (sotto_loss_at){m > 0.0 ? log1p(exp(-m)) : -m + log1p(exp(m)), -label * s,
                           s * (1.0 - s)};
}

static double quarter = 0.25;

static sotto_loss good(bool classes)
{
    if (classes)
        return (sotto_loss){.name = "own-logistic",
                            .at = logistic,
                            .slope_most = 1.0,
                            .curvature_most = 0.25,
                            .slope_error = 0x1p-50,
                            .one_signed = true,
                            .classes = true};
    return (sotto_loss){.name = "own-huber-2",
                        .at = huber,
                        .context = &quarter,
                        .slope_most = 0.25,
                        .curvature_most = 1.0,
                        .slope_error = 0x1p-52};
}

static void a_good_loss_is_taken_with_its_bounds(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 2; i++) {
        const sotto_loss given = good(i == 1);
        sot_loss loss;
        assert_ok(sot_loss_custom(&given, &loss, &error), &error);
        assert_string_equal(loss.name, given.name);
        assert_true(loss.slope_most == given.slope_most && loss.smooth);
        assert_true(loss.curvature_most == given.curvature_most);
        assert_true(loss.one_signed == given.one_signed && !loss.self_bounding);
        assert_true(loss.slope_error_careful > given.slope_error);
    }
}

/* Each breaks one promise in one place. */
enum breach {
    STEEP,
    FALLING,
    RISING_FAST,
    WRONG_CURVATURE,
    BOTH_SIGNS,
    NOT_A_NUMBER,
    WRONG_VALUE,
    FICKLE,
    BREACHES
};

static void breaking(double margin, double label, void *context, sotto_loss_at *out)
{
    static int calls = 0;
    const enum breach how = *(const enum breach *)context;
    double least = 0.25;
    huber(margin, label, &least, out);
    const bool here = label > 0.9 && margin > 40.0;
    calls++;
    if (!here) return;
    if (how == STEEP) out->slope = 0.5;
    if (how == FALLING) out->slope = 0.125;
    if (how == RISING_FAST) out->slope = margin > 50.0 ? 0.3125 : out->slope;
    if (how == WRONG_CURVATURE) out->curvature = -1.0;
    if (how == NOT_A_NUMBER) out->slope = (double)NAN;
    if (how == WRONG_VALUE) out->value += 1.0;
    if (how == FICKLE) out->slope += calls % 2 == 0 ? 1e-9 : 0.0;
}

static void broken_promises_are_found(void **state)
{
    (void)state;
    static const char *const words[BREACHES] = {
        "slope_most", "convex",  "curvature_most", "curvature",
        "both signs", "answers", "values",         "answers"};
    sotto_error error;
    for (int i = 0; i < BREACHES; i++) {
        enum breach how = (enum breach)i;
        sotto_loss given = good(false);
        given.at = breaking;
        given.context = &how;
        given.one_signed = how == BOTH_SIGNS;
        if (how == RISING_FAST) given.slope_most = 0.3125;
        sot_loss loss = {.name = NULL};
        assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "own-huber-2", words[i], "margin", NULL);
        assert_null(loss.name);
    }
}

static void bounds_that_are_none_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_loss loss;
    const double wrong[] = {0.0, -1.0, (double)NAN};
    for (int i = 0; i < 3; i++) {
        sotto_loss given = good(false);
        given.slope_most = wrong[i];
        assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "slope_most", NULL);
        given = good(false);
        given.curvature_most = wrong[i];
        assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "curvature_most", NULL);
        given = good(false);
        given.slope_error = i == 0 ? 1e-3 : wrong[i];
        assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "slope_error", NULL);
        given = good(false);
        given.name = i == 0 ? NULL : (i == 1 ? "" : "Has Spaces");
        assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "name", NULL);
    }
    sotto_loss given = good(false);
    given.slope_most = (double)INFINITY;
    assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "slope_most", NULL);
    given = good(false);
    given.at = NULL;
    assert_refused(sot_loss_custom(&given, &loss, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "function", NULL);
}

/* Between the grid's points the function may do what it likes: slopes are still cut. */
static void wild(double margin, double label, void *context, sotto_loss_at *out)
{
    huber(margin, label, context, out);
    const double grid = margin * 32.0;
    if (grid != rint(grid))
        *out = (sotto_loss_at){1e300, margin > 0.0 ? 1e300 : (double)NAN, -7.0};
}

static void slopes_are_cut_wherever_they_come_from(void **state)
{
    (void)state;
    sotto_error error;
    sotto_loss given = good(false);
    given.at = wild;
    sot_loss loss;
    assert_ok(sot_loss_custom(&given, &loss, &error), &error);
    for (double u = -100.0; u <= 100.0; u += 0.0137) {
        double slope;
        double curvature;
        float fast;
        const float margin = (float)u;
        const float label = 0.5f;
        loss.bend(&loss, u, 0.5, &slope, &curvature);
        loss.slopes(&loss, &margin, &label, 1, &fast);
        const sot_twofold careful = loss.slope_careful(&loss, (sot_twofold){u, 0.0}, 0.5);
        assert_within(fabs(slope), 0.0, 0.25);
        assert_within(fabs((double)fast), 0.0, 0.25);
        assert_within(fabs(careful.high), 0.0, 0.25);
        assert_within(curvature, 0.0, 1.0);
    }
}

/* The library's own loss and the caller's of the same formula have the same minimiser. */
static void a_callers_loss_is_minimised(void **state)
{
    (void)state;
    const double tau = 1e-6;
    sotto_error error;
    for (int i = 0; i < 6; i++) {
        const bool classes = i % 2 == 1;
        const sotto_loss given = good(classes);
        const sot_loss own = classes ? sot_loss_logistic : sot_loss_huber(0.25, 1.0);
        sot_loss loss;
        assert_ok(sot_loss_custom(&given, &loss, &error), &error);
        const recipe from = {
            .rows = 200, .columns = 4, .filled = 1.0, .noise = 0.5, .seed = (uint64_t)i};
        sot_matrix m = make_matrix(&from);
        for (size_t k = 0; k < m.rows && !classes; k++)
            m.labels[k] *= 0.625;
        sot_glm glm = {.matrix = &m,
                       .loss = &loss,
                       .lambda = 0.75,
                       .radius = i < 2 ? 0.0 : 0.25 * (double)i};
        double theta[2][4] = {{0.0}, {0.0}};
        assert_ok(sot_glm_solve(&glm, tau, theta[0], &error), &error);
        glm.loss = &own;
        assert_ok(sot_glm_solve(&glm, tau, theta[1], &error), &error);
        double squares = 0.0;
        for (size_t j = 0; j < 4; j++)
            squares += (theta[0][j] - theta[1][j]) * (theta[0][j] - theta[1][j]);
        assert_within(sqrt(squares), 0.0, 2.0 * tau / glm.lambda);
        free_matrix(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_loss_is_taken_with_its_bounds),
        cmocka_unit_test(broken_promises_are_found),
        cmocka_unit_test(bounds_that_are_none_are_refused),
        cmocka_unit_test(slopes_are_cut_wherever_they_come_from),
        cmocka_unit_test(a_callers_loss_is_minimised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
