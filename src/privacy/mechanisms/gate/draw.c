/* Posterior samples on the gate tape: the change of the potential between two data sets,
 * as a function on the ball. */
#include "privacy/mechanisms/gate/items.h"

#ifdef SOTTO_TESTING

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* The points at which potentials are compared: the output, the origin, and the ends of the line
 * through both. On the ball's boundary also ANGLES points in every plane of two of the first AXES
 * coordinates. */
enum { AXES = 4, ANGLES = 16, OWN = 4 };

static size_t probes_of(size_t dimension)
{
    const size_t axes = dimension < AXES ? dimension : AXES;
    return OWN + (axes < 2 ? 0 : ANGLES * axes * (axes - 1) / 2);
}

/* `place` counts down to the plane and the angle. */
static void place_in_planes(const sot_tape_draw_call *call, size_t place, double *point)
{
    const double two_pi = 6.283185307179586;
    const size_t axes = call->dimension < AXES ? call->dimension : AXES;
    size_t plane = place / ANGLES;
    const double angle = two_pi * (double)(place % ANGLES) / (double)ANGLES;
    for (size_t i = 0; i < axes; i++) {
        for (size_t j = i + 1; j < axes; j++) {
            if (plane-- != 0) continue;
            point[i] = call->ball * cos(angle);
            point[j] = call->ball * sin(angle);
            return;
        }
    }
}

static void probe_at(const sot_tape_draw_call *call, const double *theta, size_t place,
                     double *point)
{
    double squares = 0.0;
    for (size_t i = 0; i < call->dimension; i++) {
        squares += theta[i] * theta[i];
        point[i] = place == 0 ? theta[i] : 0.0;
    }
    if (place < 2) return;
    if (place >= OWN) {
        place_in_planes(call, place - OWN, point);
        return;
    }
    const double scale = squares > 0.0 ? call->ball / sqrt(squares) : 0.0;
    for (size_t i = 0; i < call->dimension; i++)
        point[i] = (place == 2 ? scale : -scale) * theta[i];
}

/* Value and gradient at every point, for this data set. NULL: reported. */
static double *measure(sot_tape *tape, const sot_tape_draw_call *call,
                       const double *theta)
{
    const size_t width = call->dimension + 1, places = probes_of(call->dimension);
    double *probes = sot_new_array(places * width, sizeof *probes);
    double *point = sot_new_array(call->dimension, sizeof *point);
    bool done = probes != NULL && point != NULL;
    for (size_t place = 0; done && place < places; place++) {
        probe_at(call, theta, place, point);
        double *at = probes + place * width;
        done = call->potential(call->context, point, at, at + 1);
    }
    sot_free(point);
    if (done) return probes;
    sot_tape_report(tape, "the potential could not be computed");
    sot_free(probes);
    return NULL;
}

/* The rounding of sums that are large against their difference. */
static double rounding_of(const double *here, const double *there, size_t width)
{
    double largest = 0.0;
    for (size_t i = 0; i < width; i++)
        largest = fmax(largest, fmax(fabs(here[i]), fabs(there[i])));
    return 0x1p-44 * largest;
}

static void compare(sot_tape *tape, const sot_tape_item *it,
                    const sot_tape_draw_call *call, const double *probes)
{
    const size_t width = call->dimension + 1, places = probes_of(call->dimension);
    const double slack = (tape->identical ? 0.0 : 1.0) + call->tolerance;
    double least = INFINITY, most = -INFINITY, longest = 0.0, rounding = 0.0;
    for (size_t place = 0; place < places; place++) {
        const double *here = probes + place * width, *there = it->probes + place * width;
        double squares = 0.0;
        for (size_t i = 1; i < width; i++)
            squares += (here[i] - there[i]) * (here[i] - there[i]);
        longest = fmax(longest, isnan(squares) ? (double)INFINITY : sqrt(squares));
        least = fmin(least, here[0] - there[0]);
        most = fmax(most, here[0] - there[0]);
        rounding = fmax(rounding, rounding_of(here, there, width));
    }
    /* The negations catch NaN. */
    const bool lipschitz =
        isnan(call->lipschitz_most) || longest <= slack * call->lipschitz_most + rounding;
    const bool range =
        isnan(call->range_most) || most - least <= slack * call->range_most + rounding;
    if (lipschitz && range) return;
    sot_tape_report(
        tape,
        "step %zu: the potential's change has a gradient of %.17g and a range "
        "of %.17g, more than declared: %s",
        tape->next, longest, most - least, it->text);
}

bool sot_tape_draw(sotto_gate *gate, const sot_tape_draw_call *call, double *out_theta)
{
    if (sot_tape_running == NULL) return false;
    char details[240];
    (void)snprintf(
        details, sizeof details,
        "sample in dimension %zu on a ball of %a, Lipschitz at most %a, range at "
        "most %a",
        call->dimension, call->ball, call->lipschitz_most, call->range_most);
    sot_tape_item *it = sot_tape_begin_call(gate, SOT_TAPE_DRAW, call->index, details);
    if (it == NULL) return false;
    const bool declared = !isnan(call->lipschitz_most) || !isnan(call->range_most);
    if (!(call->tolerance >= 0.0 && call->tolerance <= 1e-3) || !declared ||
        call->potential == NULL) {
        sot_tape_report(sot_tape_running,
                        "the tolerance is out of range, nothing is declared or the "
                        "potential is missing: %s",
                        it->text);
        return false;
    }
    if (sot_tape_running->mode == SOT_TAPE_RECORDING) {
        it->count = call->dimension;
        sot_tape_note_generator(it, gate);
        return false;
    }
    if (!it->has_result) return false;
    double *probes = measure(sot_tape_running, call, it->theta);
    if (probes != NULL) compare(sot_tape_running, it, call, probes);
    sot_free(probes);
    memcpy(out_theta, it->theta, it->count * sizeof *out_theta);
    return true;
}

void sot_tape_draw_result(sotto_gate *gate, const sot_tape_draw_call *call,
                          const double *theta)
{
    (void)gate;
    sot_tape *tape = sot_tape_running;
    sot_tape_item *it = sot_tape_waiting_item(SOT_TAPE_DRAW, "a sample");
    if (it == NULL) return;
    if (call->potential == NULL) return; /* reported when the call began */
    double squares = 0.0;
    for (size_t i = 0; i < call->dimension; i++)
        squares += theta[i] * theta[i];
    if (!(sqrt(squares) <= call->ball * (1.0 + 1e-6))) {
        sot_tape_report(tape, "a sample of norm %.17g has left the ball: %s",
                        sqrt(squares), it->text);
    }
    it->theta = sot_tape_copy_array(tape, theta, call->dimension, sizeof *it->theta);
    it->probes = measure(tape, call, theta);
    it->has_result = it->theta != NULL && it->probes != NULL;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_tape_draws_are_for_tests;

#endif
