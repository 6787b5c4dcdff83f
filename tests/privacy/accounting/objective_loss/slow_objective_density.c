/* A search for neighbours that break the claims of privacy/accounting/objective/objective.h: random settings, then
 * a climb to worse and worse backgrounds, in one and two dimensions. Seeded, so repeatable. */
#include "support.h"

#include "privacy/accounting/objective/objective.h"
#include "privacy/accounting/objective_density.h"
#include "privacy/accounting/plans.h"

static const double rounding = 1e-7;

/* ---- a generator that is good enough to wander with (Steele, Lea & Flood 2014) ---- */

static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state, double from, double to)
{
    return from + (to - from) * ldexp((double)(next_bits(state) >> 11), -53);
}

static double log_uniform(uint64_t *state, double from, double to)
{
    return exp(uniform(state, log(from), log(to)));
}

/* ---- a point of the search: everything an adversary may choose ---- */

enum { CHOICES = 10 };

/* angles of z and z', slope along both axes, curvature, two background records (angle, copies),
 * lengths. */
typedef struct choices {
    double value[CHOICES];
} choices;

static choices draw_choices(uint64_t *state)
{
    choices drawn = {
        {uniform(state, -3.2, 3.2), uniform(state, -3.2, 3.2),
         uniform(state, -1.0, 1.0) * log_uniform(state, 0.1, 3000.0),
         uniform(state, -1.0, 1.0) * log_uniform(state, 0.1, 3000.0),
         uniform(state, 0.0, 1.0) < 0.7 ? 0.0 : log_uniform(state, 0.01, 5.0),
         uniform(state, -3.2, 3.2), uniform(state, -2.0, 9.0), uniform(state, -3.2, 3.2),
         uniform(state, -2.0, 9.0), uniform(state, 0.5, 1.1)}};
    return drawn;
}

static choices nudge(const choices *from, double size, uint64_t *state)
{
    choices moved = *from;
    for (int i = 0; i < CHOICES; i++) {
        const double step = size * uniform(state, -1.0, 1.0);
        moved.value[i] += i == 2 || i == 3 ? step * (1.0 + fabs(moved.value[i])) : step;
    }
    moved.value[4] = fmax(0.0, moved.value[4]);
    return moved;
}

static void add_at(density_data *data, double angle, double length, double copies)
{
    density_add(data, length * cos(angle), length * sin(angle), copies);
}

static density_pair pair_of(const sot_objective_law *law, const choices *chosen,
                            bool is_flat)
{
    const double *value = chosen->value;
    const double rows = (double)law->unit_rows;
    const double length = law->record_bound * fmin(1.0, fabs(value[9]));
    density_pair pair = {.lambda = law->lambda,
                         .sigma = law->sigma,
                         .rate = SOTTO_UNSET,
                         .record_bound = law->record_bound,
                         .slope = {value[2], is_flat ? 0.0 : value[3]},
                         .curvature = value[4],
                         .is_flat = is_flat,
                         .axis = {1.0, 0.0}};
    for (int i = 0; i < 2; i++) { /* e^-2 copies and less are none */
        const double copies = value[6 + 2 * i] > 0.0 ? exp(value[6 + 2 * i]) : 0.0;
        const double angle = is_flat ? (value[5 + 2 * i] > 0.0 ? 0.0 : 3.14159265358979)
                                     : value[5 + 2 * i];
        if (copies == 0.0) continue;
        add_at(&pair.first, angle, law->record_bound, copies);
        add_at(&pair.second, angle, law->record_bound, copies);
    }
    const double turn = is_flat ? (value[0] > 0.0 ? 0.0 : 3.14159265358979) : value[0];
    add_at(&pair.first, turn, length, rows);
    if (law->adjacency == SOTTO_REPLACE_ONE) {
        const double other =
            is_flat ? (value[1] > 0.0 ? 0.0 : 3.14159265358979) : value[1];
        add_at(&pair.second, other, law->record_bound, rows);
        const double x = cos(turn) - cos(other), y = sin(turn) - sin(other);
        const double norm = hypot(x, y);
        if (!is_flat && norm > 1e-3) {
            pair.axis[0] = x / norm;
            pair.axis[1] = y / norm;
        }
    } else if (!is_flat) {
        pair.axis[0] = cos(turn);
        pair.axis[1] = sin(turn);
    }
    return pair;
}

static double badness(const sot_objective_law *law, const choices *chosen, bool is_flat,
                      double epsilon, double claim)
{
    const density_pair pair = pair_of(law, chosen, is_flat);
    const density_pair swapped = density_swapped(&pair);
    return fmax(density_delta(&pair, epsilon), density_delta(&swapped, epsilon)) / claim;
}

/* The worst true/claimed delta that a climb of `steps` finds. */
static double climb(const sot_objective_law *law, bool is_flat, double epsilon,
                    double claim, int steps, uint64_t *state)
{
    choices best = draw_choices(state);
    double worst = 0.0, size = 1.0;
    for (int i = 0; i < steps; i++) {
        const choices tried =
            i < steps / 3 ? draw_choices(state) : nudge(&best, size, state);
        const double here = badness(law, &tried, is_flat, epsilon, claim);
        if (here > worst) {
            worst = here;
            best = tried;
        } else if (i >= steps / 3) {
            size = fmax(0.01, 0.93 * size);
        }
    }
    return worst;
}

/* Random settings, half of them at the threshold where the atom is epsilon itself. */
static double search(sotto_adjacency adjacency, bool is_flat, int climbs, int steps)
{
    uint64_t state = 0x0b1ec71fe + (uint64_t)adjacency;
    double worst = 0.0;
    for (int i = 0; i < climbs; i++) {
        sotto_error error;
        sotto_event event;
        sot_objective_law law = sot_objective_law_defaults();
        law.theorem = SOT_OBJECTIVE_SHARP;
        law.adjacency = adjacency;
        law.unit_rows = i % 4 == 3 ? 2 : 1;
        law.record_bound = log_uniform(&state, 0.5, 3.0);
        law.sigma = law.record_bound * log_uniform(&state, 0.5, 6.0);
        const double epsilon = log_uniform(&state, 0.05, 4.0);
        const double square = law.record_bound * law.record_bound;
        const double steps_a_unit =
            (adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0) * (double)law.unit_rows;
        law.lambda = square * steps_a_unit / epsilon;
        if (i % 2 == 1) law.lambda *= log_uniform(&state, 0.2, 5.0);
        assert_ok(sot_objective_event(&law, &event, &error), &error);
        const double claim =
            delta_of(plan_under(law.adjacency, event), SOTTO_EXACT, epsilon).delta;
        if (claim < 1e-12) continue;
        const double here = climb(&law, is_flat, epsilon, claim, steps, &state);
        if (here > 1.0 + rounding) {
            print_error("lambda %.17g sigma %.17g R %.17g rows %d epsilon %.17g\n",
                        law.lambda, law.sigma, law.record_bound, (int)law.unit_rows,
                        epsilon);
        }
        assert_within(here, 0.0, 1.0 + rounding);
        worst = fmax(worst, here);
    }
    return worst;
}

static void no_neighbours_on_a_line_break_add_remove(void **state)
{
    (void)state;
    assert_within(search(SOTTO_ADD_REMOVE, true, 120, 300), 0.999, 1.0 + rounding);
}

static void no_neighbours_on_a_line_break_replace_one(void **state)
{
    (void)state;
    assert_within(search(SOTTO_REPLACE_ONE, true, 60, 300), 0.1, 1.0 + rounding);
}

static void no_neighbours_in_the_plane_break_add_remove(void **state)
{
    (void)state;
    assert_within(search(SOTTO_ADD_REMOVE, false, 12, 90), 0.9, 1.0 + rounding);
}

static void no_neighbours_in_the_plane_break_replace_one(void **state)
{
    (void)state;
    assert_within(search(SOTTO_REPLACE_ONE, false, 24, 90), 0.5, 1.0 + rounding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_neighbours_on_a_line_break_add_remove),
        cmocka_unit_test(no_neighbours_on_a_line_break_replace_one),
        cmocka_unit_test(no_neighbours_in_the_plane_break_add_remove),
        cmocka_unit_test(no_neighbours_in_the_plane_break_replace_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
