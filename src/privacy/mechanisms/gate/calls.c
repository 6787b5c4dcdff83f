#include "privacy/mechanisms/gate/items.h"

#ifdef SOTTO_TESTING

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "privacy/mechanisms/grid/grid.h"

void *sot_tape_copy_array(sot_tape *tape, const void *array, size_t count, size_t size)
{
    void *copy = sot_new_array(count, size);
    if (copy == NULL) {
        sot_tape_report(tape, "the gate tape ran out of memory");
    } else if (count > 0) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

void sot_tape_note_generator(sot_tape_item *it, sotto_gate *gate)
{
    const sotto_rng *rng = sot_gate_rng(gate);
    memcpy(it->generator.key, rng->key, sizeof it->generator.key);
    it->generator.position = rng->position;
    it->draws = true;
}

sot_tape_item *sot_tape_waiting_item(sot_tape_item_kind kind, const char *what)
{
    sot_tape *tape = sot_tape_running;
    if (tape == NULL || tape->mode != SOT_TAPE_RECORDING || tape->size == 0) return NULL;
    sot_tape_item *it = &tape->items[tape->size - 1];
    if (it->kind == kind && !it->has_result) return it;
    sot_tape_report(tape, "%s does not belong to the call before it: %s", what, it->text);
    return NULL;
}

sot_tape_item *sot_tape_begin_call(sotto_gate *gate, sot_tape_item_kind kind,
                                   size_t index, const char *details)
{
    char text[SOT_TAPE_TEXT_BYTES], event[SOT_TAPE_EVENT_BYTES];
    sot_tape_describe_event(sotto_plan_event(gate->plan, index), event);
    (void)snprintf(text, sizeof text, "%s; of event %zu: %s", details, index + 1, event);
    sot_tape_running->expects_call = false;
    return sot_tape_next_item(sot_tape_running, kind, text);
}

/* ---- sum ---- */

bool sot_tape_sum(sotto_gate *gate, const sot_tape_sum_call *call, int64_t *out_values)
{
    if (sot_tape_running == NULL) return false;
    char details[160];
    (void)snprintf(details, sizeof details,
                   "sum of %zu integers, L%d sensitivity %a, order slack %a", call->count,
                   (int)call->norm, call->sensitivity, call->order_slack);
    sot_tape_item *it = sot_tape_begin_call(gate, SOT_TAPE_SUM, call->index, details);
    if (it == NULL) return false;
    if (sot_tape_running->mode == SOT_TAPE_RECORDING) {
        it->count = call->count;
        it->values = sot_tape_copy_array(sot_tape_running, call->values, call->count,
                                         sizeof *it->values);
        if (call->count > 0) sot_tape_note_generator(it, gate);
        return false;
    }
    if (it->values == NULL || !it->has_result) return false;
    const double most =
        sot_tape_running->identical ? call->order_slack : call->sensitivity;
    if (!sot_norm_within(call->norm, call->values, it->values, call->count, most)) {
        size_t first = 0;
        while (first + 1 < call->count && call->values[first] == it->values[first])
            first++;
        sot_tape_report(
            sot_tape_running,
            "step %zu: the values moved by more than %.17g (number %zu from %" PRId64
            " to %" PRId64 "): %s",
            sot_tape_running->next, most, first + 1, it->values[first],
            call->values[first], it->text);
    }
    if (call->count > 0)
        memcpy(out_values, it->released, call->count * sizeof *out_values);
    return true;
}

void sot_tape_sum_result(sotto_gate *gate, const int64_t *values, size_t count)
{
    (void)gate;
    if (sot_tape_running == NULL || sot_tape_running->mode != SOT_TAPE_RECORDING ||
        sot_tape_running->size == 0)
        return;
    sot_tape_item *it = &sot_tape_running->items[sot_tape_running->size - 1];
    if (it->kind != SOT_TAPE_SUM || it->count != count || it->has_result) {
        sot_tape_report(sot_tape_running,
                        "a result does not belong to the call before it: %s", it->text);
        return;
    }
    it->released =
        sot_tape_copy_array(sot_tape_running, values, count, sizeof *it->released);
    it->has_result = it->released != NULL;
}

/* ---- choice ---- */

static uint64_t end_of_cell(const uint64_t *ends, size_t cell)
{
    return ends == NULL ? cell + 1 : ends[cell];
}

static bool cells_cover(const sot_tape_choice_call *call)
{
    uint64_t end = 0;
    for (size_t i = 0; i < call->cells; i++) {
        const uint64_t next = end_of_cell(call->ends, i);
        if (next <= end) return false;
        end = next;
    }
    return call->cells > 0 && end == call->candidates;
}

/* The change of the score as a function on the candidates, over the joint cells of both. */
static void compare_scores(sot_tape *tape, const sot_tape_item *it,
                           const sot_tape_choice_call *call)
{
    __extension__ typedef __int128 change_type;
    change_type least = 0, most = 0;
    for (size_t i = 0, j = 0; i < it->count && j < call->cells;) {
        const change_type change = (change_type)call->scores[j] - it->values[i];
        if ((i == 0 && j == 0) || change < least) least = change;
        if ((i == 0 && j == 0) || change > most) most = change;
        const uint64_t end_i = end_of_cell(it->ends, i);
        const uint64_t end_j = end_of_cell(call->ends, j);
        if (end_i <= end_j) i++;
        if (end_j <= end_i) j++;
    }
    const change_type largest = most > -least ? most : -least;
    const bool is_within =
        most - least <= call->range_most &&
        (call->change_most == UINT64_MAX || largest <= call->change_most);
    if (is_within && !(tape->identical && largest != 0)) return;
    sot_tape_report(
        tape, "step %zu: the scores moved by %.17g to %.17g, more than declared: %s",
        tape->next, (double)least, (double)most, it->text);
}

bool sot_tape_choice(sotto_gate *gate, const sot_tape_choice_call *call,
                     size_t *out_choice)
{
    if (sot_tape_running == NULL) return false;
    char details[200];
    (void)snprintf(details, sizeof details,
                   "choice among %" PRIu64 ", range at most %" PRIu64
                   ", change at most %" PRIu64,
                   call->candidates, call->range_most, call->change_most);
    sot_tape_item *it = sot_tape_begin_call(gate, SOT_TAPE_CHOICE, call->index, details);
    if (it == NULL) return false;
    if (!cells_cover(call)) {
        sot_tape_report(sot_tape_running, "the cells do not cover the candidates: %s",
                        it->text);
        return false;
    }
    if (sot_tape_running->mode == SOT_TAPE_RECORDING) {
        it->count = call->cells;
        it->values = sot_tape_copy_array(sot_tape_running, call->scores, call->cells,
                                         sizeof *it->values);
        if (call->ends != NULL) {
            it->ends = sot_tape_copy_array(sot_tape_running, call->ends, call->cells,
                                           sizeof *it->ends);
        }
        if (call->candidates > 1) sot_tape_note_generator(it, gate);
        return false;
    }
    if (it->values == NULL || !it->has_result) return false;
    compare_scores(sot_tape_running, it, call);
    *out_choice = it->choice;
    return true;
}

void sot_tape_choice_result(sotto_gate *gate, size_t choice)
{
    (void)gate;
    if (sot_tape_running == NULL || sot_tape_running->mode != SOT_TAPE_RECORDING ||
        sot_tape_running->size == 0)
        return;
    sot_tape_item *it = &sot_tape_running->items[sot_tape_running->size - 1];
    if (it->kind != SOT_TAPE_CHOICE || it->has_result) {
        sot_tape_report(sot_tape_running,
                        "a choice does not belong to the call before it: %s", it->text);
        return;
    }
    it->choice = choice;
    it->has_result = true;
}

/* ---- density ---- */

/* Returns |a - b| as doubles: the result of noise_of() is rounded anyway. */
static double distance(const double *a, const double *b, size_t count)
{
    double squares = 0.0;
    for (size_t i = 0; i < count; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}

/* The noise behind the recorded output on this data set goes to `noise`. */
static void compare_densities(sot_tape *tape, const sot_tape_item *it,
                              const sot_tape_density_call *call, double *noise)
{
    double log_determinant = 0.0;
    call->noise_of(call->context, it->theta, noise, &log_determinant);
    const double slack = (tape->identical ? 0.0 : 1.0) + call->tolerance;
    const double shift = distance(noise, it->noise, call->dimension);
    const double turn = fabs(log_determinant - it->log_determinant);
    /* The negations catch NaN. */
    if (!(shift <= slack * call->shift_most) ||
        !(turn <= slack * call->log_determinant_most)) {
        sot_tape_report(tape,
                        "step %zu: the noise behind the output moved by %.17g, its "
                        "log-determinant by %.17g, more than declared: %s",
                        tape->next, shift, turn, it->text);
    }
}

bool sot_tape_density(sotto_gate *gate, const sot_tape_density_call *call,
                      double *out_theta, double *out_noise)
{
    if (sot_tape_running == NULL) return false;
    char details[240];
    (void)snprintf(details, sizeof details,
                   "density in dimension %zu, shift at most %a, log-determinant at most "
                   "%a, residual at most %a",
                   call->dimension, call->shift_most, call->log_determinant_most,
                   call->residual_most);
    sot_tape_item *it = sot_tape_begin_call(gate, SOT_TAPE_DENSITY, call->index, details);
    if (it == NULL) return false;
    if (!(call->tolerance >= 0.0 && call->tolerance <= 1e-3) || call->noise_of == NULL) {
        sot_tape_report(sot_tape_running,
                        "the tolerance is out of range, or noise_of is missing: %s",
                        it->text);
        return false;
    }
    if (sot_tape_running->mode == SOT_TAPE_RECORDING) {
        it->count = call->dimension;
        sot_tape_note_generator(it, gate);
        return false;
    }
    if (!it->has_result) return false;
    double *noise =
        sot_tape_copy_array(sot_tape_running, it->noise, it->count, sizeof *noise);
    if (noise == NULL) return false;
    compare_densities(sot_tape_running, it, call, noise);
    if (out_theta != NULL) memcpy(out_theta, it->theta, it->count * sizeof *out_theta);
    for (size_t i = 0; out_noise != NULL && i < it->count; i++) {
        const double residual = it->drawn == NULL ? 0.0 : it->drawn[i] - it->noise[i];
        out_noise[i] = noise[i] + residual;
    }
    sot_free(noise);
    return true;
}

/* Returns |r + nu theta| at the best nu >= 0, r = drawn - noise_of(theta) = b + the gradient. It
 * is 0 for the exact minimiser over a ball on whose boundary theta is. */
static double boundary_residual(const sot_tape_item *it)
{
    double along = 0.0, squares = 0.0, rest = 0.0;
    for (size_t i = 0; i < it->count; i++) {
        along += (it->drawn[i] - it->noise[i]) * it->theta[i];
        squares += it->theta[i] * it->theta[i];
    }
    const double pressure = fmax(0.0, -along / squares);
    for (size_t i = 0; i < it->count; i++) {
        const double left = it->drawn[i] - it->noise[i] + pressure * it->theta[i];
        rest += left * left;
    }
    return sqrt(rest);
}

static bool is_on_boundary(const sot_tape_item *it, const sot_tape_density_call *call)
{
    double squares = 0.0;
    for (size_t i = 0; i < it->count; i++)
        squares += it->theta[i] * it->theta[i];
    return call->ball > 0.0 && sqrt(squares) >= call->ball * (1.0 - 1e-6);
}

/* Does the solver's result leave over what it claims, and no more? The rounding of noise_of() is
 * allowed for by a few units in the last place of the noise. */
static void check_residual(sot_tape *tape, const sot_tape_item *it,
                           const sot_tape_density_call *call)
{
    double squares = 0.0;
    for (size_t i = 0; i < it->count; i++)
        squares += it->drawn[i] * it->drawn[i];
    const double rounding = 0x1p-47 * (1.0 + sqrt(squares));
    const double residual = is_on_boundary(it, call)
                                ? boundary_residual(it)
                                : distance(it->drawn, it->noise, it->count);
    if (residual <= call->residual_most * (1.0 + call->tolerance) + rounding) return;
    sot_tape_report(tape,
                    "the output is off by a residual of %.17g, more than claimed: %s",
                    residual, it->text);
}

void sot_tape_density_result(sotto_gate *gate, const sot_tape_density_call *call,
                             const double *theta, const double *drawn)
{
    (void)gate;
    sot_tape *tape = sot_tape_running;
    sot_tape_item *it = sot_tape_waiting_item(SOT_TAPE_DENSITY, "an output");
    if (it == NULL) return;
    if (call->noise_of == NULL) return; /* reported when the call began */
    it->theta = sot_tape_copy_array(tape, theta, call->dimension, sizeof *it->theta);
    it->noise = sot_tape_copy_array(tape, theta, call->dimension, sizeof *it->noise);
    if (it->theta == NULL || it->noise == NULL) return;
    call->noise_of(call->context, theta, it->noise, &it->log_determinant);
    if (drawn != NULL) {
        it->drawn = sot_tape_copy_array(tape, drawn, call->dimension, sizeof *it->drawn);
        if (it->drawn == NULL) return;
        check_residual(tape, it, call);
    }
    it->has_result = true;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_tape_calls_are_for_tests;

#endif
