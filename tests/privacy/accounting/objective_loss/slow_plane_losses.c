/* Every loss of one margin in the plane: exact densities (objective_density.h) beside the bounds of the frozen slope. Both directions,
 * both adjacencies, units of 1 to 3 rows in different directions, epsilon from -1 to past the atom. */
#include "privacy/accounting/objective_density.h"
#include "privacy/accounting/unit_profile.h"

static const int points = 5, slopes = 3;

/* f'' jumps where a row changes its piece; objective_density.h cuts its panels there. Its lines are 0.5 standard deviations apart. */
static const double quadrature = 2e-5;

/* All rows have one label: signs of rows, and the slope of r, move theta to every piece. */
typedef struct plane_loss {
    line_pair of;
    double label;
} plane_loss;

static void bend(const density_pair *pair, const double row[2], const double theta[2],
                 double *out_slope, double *out_curvature)
{
    const plane_loss *loss = pair->context;
    line_bend(&loss->of, row[0] * theta[0] + row[1] * theta[1], loss->label, out_slope,
              out_curvature);
}

static void derivatives(const density_pair *pair, const density_data *data,
                        const double theta[2], double out_gradient[2],
                        double out_hessian[3])
{
    for (int i = 0; i < 2; i++)
        out_gradient[i] = pair->slope[i] + pair->lambda * theta[i];
    out_hessian[0] = out_hessian[2] = pair->lambda;
    out_hessian[1] = 0.0;
    for (size_t i = 0; i < data->rows; i++) {
        const double *x = data->row[i];
        double slope, curve;
        bend(pair, x, theta, &slope, &curve);
        for (int j = 0; j < 2; j++)
            out_gradient[j] += data->weight[i] * slope * x[j];
        out_hessian[0] += data->weight[i] * curve * x[0] * x[0];
        out_hessian[1] += data->weight[i] * curve * x[0] * x[1];
        out_hessian[2] += data->weight[i] * curve * x[1] * x[1];
    }
}

static uint64_t piece(const density_pair *pair, const double theta[2])
{
    uint64_t number = 0;
    for (int d = 0; d < 2; d++) {
        const density_data *data = d == 0 ? &pair->first : &pair->second;
        for (size_t i = 0; i < data->rows; i++) {
            double slope, curve;
            bend(pair, data->row[i], theta, &slope, &curve);
            number = 3 * number + (curve > 0.0 ? 1 : slope > 0.0 ? 2 : 0);
        }
    }
    return number;
}

/* Rows of a unit turn away from the first axis; an exchange brings their opposites. */
static density_pair plane_pair(const plane_loss *loss, const sot_objective_law *law,
                               double slope)
{
    static const double turned[3][2] = {{1.0, 0.0}, {0.96, 0.28}, {0.96, -0.28}};
    density_pair pair = {.lambda = law->lambda,
                         .sigma = law->sigma,
                         .rate = NAN,
                         .record_bound = law->record_bound,
                         .slope = {slope, 0.3 * law->sigma},
                         .axis = {1.0, 0.0},
                         .loss = derivatives,
                         .context = loss,
                         .piece = loss->of.loss == LINE_LOGISTIC ? NULL : piece};
    density_add(&pair.first, 0.6, -0.8, 2.0);
    pair.second = pair.first;
    for (uint64_t i = 0; i < law->unit_rows; i++) {
        density_add(&pair.first, turned[i][0], turned[i][1], 1.0);
        if (law->adjacency == SOTTO_REPLACE_ONE)
            density_add(&pair.second, -turned[i][0], turned[i][1], 1.0);
    }
    return pair;
}

/* Of the pair of a unit; one row of the logistic loss has a pair of its own, whose profile is the bound. */
static double claim_of(const sot_objective *priced, int direction, double epsilon)
{
    if (priced->unit != NULL)
        return profile_of(priced->unit, (sot_direction)direction, epsilon);
    double most;
    const sot_frozen_row row = sot_objective_frozen_row(priced, &most);
    return direction == SOT_REMOVE ? sot_row_hull_delta_upper(priced->hull, epsilon)
                                   : sot_frozen_added_upper(&row, epsilon);
}

typedef struct ratios {
    double claimed, as_one_row;
} ratios;

static void compare(const plane_loss *loss, const sot_objective_law *law, double slope,
                    ratios *worst)
{
    sot_objective priced = unit_of(law);
    sot_objective_law shorter = *law; /* the control: a unit is priced as one row */
    shorter.unit_rows = 1;
    sot_objective as_one = unit_of(&shorter);
    const density_pair pair = plane_pair(loss, law, slope);
    const density_pair swapped = density_swapped(&pair);
    const double most = priced.atom + 3.0 * priced.shift;
    for (int i = 0; i < points; i++) {
        const double epsilon = -1.0 + (1.0 + most) * i / (points - 1);
        const double truth[2] = {density_delta(&pair, epsilon),
                                 density_delta(&swapped, epsilon)};
        for (int d = 0; d < 2; d++) {
            if (truth[d] < 1e-9) continue;
            worst->claimed =
                fmax(worst->claimed, truth[d] / claim_of(&priced, d, epsilon));
            worst->as_one_row = fmax(
                worst->as_one_row, truth[d] / fmax(1e-9, claim_of(&as_one, d, epsilon)));
        }
    }
    sot_objective_free_hulls(&priced);
    sot_objective_free_hulls(&as_one);
}

static void no_true_delta_is_above_its_claim(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        ratios worst = {0.0, 0.0};
        for (int i = 0; i < 6; i++) {
            const sotto_adjacency adjacency =
                i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
            sot_objective_law law = loss_law(
                &losses[l], l == 0 ? SOT_OBJECTIVE_SHARP : SOT_OBJECTIVE_VERTICES,
                adjacency, (uint64_t)(1 + i / 2),
                losses[l].curvature_most * (i % 3 == 0 ? 0.5 : 2.0));
            law.sigma = 1.5 * losses[l].slope_most * (double)law.unit_rows;
            const plane_loss loss = {
                {.loss = losses[l].loss, .parameter = losses[l].parameter},
                losses[l].label_most > 1.0 ? 1.0
                : losses[l].one_signed     ? 1.0
                                           : 0.3};
            for (int s = 0; s < slopes; s++)
                compare(&loss, &law, (s - 1) * 3.0 * law.sigma, &worst);
        }
        print_message(
            "%s in the plane: true/claimed up to %.6f, priced as one row %.3f\n",
            losses[l].name, worst.claimed, worst.as_one_row);
        assert_within(worst.claimed, 0.5, 1.0 + quadrature);
        assert_true(worst.as_one_row > 1.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_true_delta_is_above_its_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
