#include "privacy/mechanisms/tape.h"

#ifdef SOTTO_TESTING

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "privacy/mechanisms/grid.h"
#include "random/rng.h"

/* An event is described by at most 9 hexadecimal doubles and 150 other characters. */
enum { EVENT_BYTES = 512, TEXT_BYTES = 1024, DIFFERENCE_BYTES = 2 * TEXT_BYTES + 128 };

typedef enum item_kind { ITEM_STEP, ITEM_SUM, ITEM_CHOICE, ITEM_DENSITY } item_kind;

/* The generator before a call: equal states draw equal noise. */
typedef struct generator_state {
    uint8_t key[SOT_RNG_KEY_BYTES];
    uint64_t position;
} generator_state;

/* One thing that happened. `text` holds all of it that must be equal on neighbours. */
typedef struct item {
    item_kind kind;
    char text[TEXT_BYTES];
    int64_t *values; /* sum: exact values; choice: scores of cells */
    uint64_t *ends;  /* choice: ends of cells */
    size_t count;
    double *noise; /* density */
    double log_determinant;
    int64_t *released; /* sum: what left */
    double *theta;     /* density: what left */
    size_t choice;     /* choice: what left */
    bool has_result;
    bool draws;
    generator_state generator;
} item;

typedef enum tape_mode { TAPE_IDLE, TAPE_RECORDING, TAPE_REPLAYING } tape_mode;

struct sot_tape {
    tape_mode mode;
    bool identical;    /* a replay of the same records: sums must be equal */
    bool expects_call; /* an event was admitted and has not shown its values yet */
    item *items;
    size_t size, capacity;
    size_t next;        /* of a replay */
    const item *forced; /* the item whose output the replay imposes, or NULL */
    char difference[DIFFERENCE_BYTES];
};

/* The tape that runs, or NULL. Test builds only, one thread. */
static sot_tape *running;

/* ---- the tape itself ---- */

sot_tape *sot_tape_new(void)
{
    return sot_new_array(1, sizeof(sot_tape));
}

static void clear_item(item *it)
{
    sot_free(it->values);
    sot_free(it->ends);
    sot_free(it->noise);
    sot_free(it->released);
    sot_free(it->theta);
}

void sot_tape_free(sot_tape *tape)
{
    if (tape == NULL) return;
    if (running == tape) running = NULL;
    for (size_t i = 0; i < tape->size; i++)
        clear_item(&tape->items[i]);
    sot_free(tape->items);
    sot_free(tape);
}

/* The first difference stays: later ones are often its consequences. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
report(sot_tape *tape, const char *format, ...)
{
    if (tape->difference[0] != '\0') return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(tape->difference, sizeof tape->difference, format, arguments);
    va_end(arguments);
}

const char *sot_tape_difference(const sot_tape *tape)
{
    return tape->difference[0] == '\0' ? NULL : tape->difference;
}

size_t sot_tape_releases(const sot_tape *tape)
{
    size_t releases = 0;
    for (size_t i = 0; i < tape->size; i++)
        releases += tape->items[i].kind != ITEM_STEP;
    return releases;
}

void sot_tape_record(sot_tape *tape)
{
    assert(running == NULL && tape->mode == TAPE_IDLE && tape->size == 0);
    tape->mode = TAPE_RECORDING;
    running = tape;
}

void sot_tape_replay(sot_tape *tape, bool identical)
{
    assert(running == NULL && tape->mode == TAPE_IDLE);
    tape->mode = TAPE_REPLAYING;
    tape->identical = identical;
    tape->next = 0;
    tape->forced = NULL;
    running = tape;
}

static int compare_generators(const void *a, const void *b)
{
    return memcmp(&((*(const item *const *)a)->generator),
                  &((*(const item *const *)b)->generator), sizeof(generator_state));
}

/* Two calls that drew from the same state of the generator. */
static void check_generators(sot_tape *tape)
{
    const item **drawing = sot_new_array(tape->size, sizeof *drawing);
    if (drawing == NULL) {
        report(tape, "the tape ran out of memory");
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < tape->size; i++) {
        if (tape->items[i].draws) drawing[count++] = &tape->items[i];
    }
    if (count > 1) qsort(drawing, count, sizeof *drawing, compare_generators);
    for (size_t i = 1; i < count; i++) {
        if (compare_generators(&drawing[i - 1], &drawing[i]) != 0) continue;
        report(tape, "two calls drew from the same state of the generator: %s; and: %s",
               drawing[i - 1]->text, drawing[i]->text);
    }
    sot_free(drawing);
}

void sot_tape_stop(sot_tape *tape)
{
    assert(running == tape);
    if (tape->mode == TAPE_RECORDING) check_generators(tape);
    if (tape->mode == TAPE_REPLAYING && tape->next < tape->size) {
        report(tape, "the replay ended early; the recording went on with: %s",
               tape->items[tape->next].text);
    }
    tape->mode = TAPE_IDLE;
    running = NULL;
}

/* ---- one more item, or the next of the recording ---- */

/* Recording: a new item. Replaying: the recorded one, if kind and text agree. NULL: there is
 * nothing to fill in or to compare with (the difference has been reported). */
static item *next_item(sot_tape *tape, item_kind kind, const char *text)
{
    if (tape->mode == TAPE_REPLAYING) {
        if (tape->next == tape->size) {
            report(tape, "the replay went on after the recording ended: %s", text);
            return NULL;
        }
        item *it = &tape->items[tape->next++];
        if (it->kind == kind && strcmp(it->text, text) == 0) return it;
        report(tape, "step %zu: recorded: %s; replayed: %s", tape->next, it->text, text);
        return NULL;
    }
    if (tape->size == tape->capacity) {
        const size_t capacity = tape->capacity == 0 ? 64 : 2 * tape->capacity;
        item *items =
            sot_resize_array(tape->items, tape->capacity, capacity, sizeof *items);
        if (items == NULL) {
            report(tape, "the tape ran out of memory");
            return NULL;
        }
        tape->items = items;
        tape->capacity = capacity;
    }
    item *it = &tape->items[tape->size++];
    it->kind = kind;
    (void)snprintf(it->text, sizeof it->text, "%s", text);
    return it;
}

static void *copy_array(sot_tape *tape, const void *array, size_t count, size_t size)
{
    void *copy = sot_new_array(count, size);
    if (copy == NULL) {
        report(tape, "the tape ran out of memory");
    } else if (count > 0) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

static void note_generator(item *it, sotto_gate *gate)
{
    const sotto_rng *rng = sot_gate_rng(gate);
    memcpy(it->generator.key, rng->key, sizeof it->generator.key);
    it->generator.position = rng->position;
    it->draws = true;
}

/* ---- the gate's own steps ---- */

static void describe_event(const sotto_event *event, char text[EVENT_BYTES])
{
    (void)snprintf(
        text, EVENT_BYTES,
        "%s noise_multiplier %a epsilon %a delta %a rho %a mu %a scale %a "
        "sensitivity %a grid %a %s rate %a count %" PRIu64 " categories %u '%.*s'",
        sotto_mechanism_name(event->mechanism), event->noise_multiplier, event->epsilon,
        event->delta, event->rho, event->mu, event->scale, event->sensitivity,
        event->grid, sotto_sampling_name(event->sampling), event->rate, event->count,
        (unsigned)event->categories, SOTTO_PURPOSE_BYTES, event->purpose);
}

void sot_tape_gate_new(const sotto_gate *gate)
{
    if (running == NULL) return;
    const sotto_plan *plan = sotto_gate_plan(gate);
    char text[TEXT_BYTES], event[EVENT_BYTES];
    (void)snprintf(text, sizeof text, "a gate for %s, %zu events",
                   sotto_adjacency_name(sotto_plan_adjacency(plan)),
                   sotto_plan_size(plan));
    (void)next_item(running, ITEM_STEP, text);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        describe_event(sotto_plan_event(plan, i), event);
        (void)snprintf(text, sizeof text, "plan: %s", event);
        (void)next_item(running, ITEM_STEP, text);
    }
}

void sot_tape_gate_step(const sotto_gate *gate, const char *step)
{
    (void)gate;
    if (running == NULL) return;
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof text, "the gate is %s", step);
    (void)next_item(running, ITEM_STEP, text);
}

void sot_tape_gate_admitted(const sotto_gate *gate, size_t index)
{
    (void)gate, (void)index;
    if (running != NULL) running->expects_call = true;
}

void sot_tape_gate_recorded(const sotto_gate *gate, size_t index)
{
    if (running == NULL) return;
    if (running->expects_call) {
        report(running,
               "a release of event %zu (%s) went by without showing its values "
               "to the tape",
               index + 1, sotto_plan_event(gate->plan, index)->purpose);
    }
    running->expects_call = false;
}

/* What all three kinds of call begin with. */
static item *begin_call(sotto_gate *gate, item_kind kind, size_t index,
                        const char *details)
{
    char text[TEXT_BYTES], event[EVENT_BYTES];
    describe_event(sotto_plan_event(gate->plan, index), event);
    (void)snprintf(text, sizeof text, "%s; of event %zu: %s", details, index + 1, event);
    running->expects_call = false;
    item *it = next_item(running, kind, text);
    running->forced = running->mode == TAPE_REPLAYING ? it : NULL;
    return it;
}

/* ---- sum ---- */

bool sot_tape_sum(sotto_gate *gate, const sot_tape_sum_call *call, int64_t *out_values)
{
    if (running == NULL) return false;
    char details[160];
    (void)snprintf(details, sizeof details, "sum of %zu integers, L%d sensitivity %a",
                   call->count, (int)call->norm, call->sensitivity);
    item *it = begin_call(gate, ITEM_SUM, call->index, details);
    if (it == NULL) return false;
    if (running->mode == TAPE_RECORDING) {
        it->count = call->count;
        it->values = copy_array(running, call->values, call->count, sizeof *it->values);
        if (call->count > 0) note_generator(it, gate);
        return false;
    }
    if (it->values == NULL || !it->has_result) return false;
    const double most = running->identical ? 0.0 : call->sensitivity;
    if (!sot_norm_within(call->norm, call->values, it->values, call->count, most)) {
        size_t first = 0;
        while (first + 1 < call->count && call->values[first] == it->values[first])
            first++;
        report(running,
               "step %zu: the values moved by more than %.17g (number %zu from %" PRId64
               " to %" PRId64 "): %s",
               running->next, most, first + 1, it->values[first], call->values[first],
               it->text);
    }
    if (call->count > 0)
        memcpy(out_values, it->released, call->count * sizeof *out_values);
    return true;
}

void sot_tape_sum_result(sotto_gate *gate, const int64_t *values, size_t count)
{
    (void)gate;
    if (running == NULL || running->mode != TAPE_RECORDING || running->size == 0) return;
    item *it = &running->items[running->size - 1];
    if (it->kind != ITEM_SUM || it->count != count || it->has_result) {
        report(running, "a result does not belong to the call before it: %s", it->text);
        return;
    }
    it->released = copy_array(running, values, count, sizeof *it->released);
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
static void compare_scores(sot_tape *tape, const item *it,
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
    report(tape, "step %zu: the scores moved by %.17g to %.17g, more than declared: %s",
           tape->next, (double)least, (double)most, it->text);
}

bool sot_tape_choice(sotto_gate *gate, const sot_tape_choice_call *call,
                     size_t *out_choice)
{
    if (running == NULL) return false;
    char details[200];
    (void)snprintf(details, sizeof details,
                   "choice among %" PRIu64 ", range at most %" PRIu64
                   ", change at most %" PRIu64,
                   call->candidates, call->range_most, call->change_most);
    item *it = begin_call(gate, ITEM_CHOICE, call->index, details);
    if (it == NULL) return false;
    if (!cells_cover(call)) {
        report(running, "the cells do not cover the candidates: %s", it->text);
        return false;
    }
    if (running->mode == TAPE_RECORDING) {
        it->count = call->cells;
        it->values = copy_array(running, call->scores, call->cells, sizeof *it->values);
        if (call->ends != NULL) {
            it->ends = copy_array(running, call->ends, call->cells, sizeof *it->ends);
        }
        if (call->candidates > 1) note_generator(it, gate);
        return false;
    }
    if (it->values == NULL || !it->has_result) return false;
    compare_scores(running, it, call);
    *out_choice = it->choice;
    return true;
}

void sot_tape_choice_result(sotto_gate *gate, size_t choice)
{
    (void)gate;
    if (running == NULL || running->mode != TAPE_RECORDING || running->size == 0) return;
    item *it = &running->items[running->size - 1];
    if (it->kind != ITEM_CHOICE || it->has_result) {
        report(running, "a choice does not belong to the call before it: %s", it->text);
        return;
    }
    it->choice = choice;
    it->has_result = true;
}

/* ---- density ---- */

/* |a - b| as doubles: what noise_of() computes is rounded anyway. */
static double distance(const double *a, const double *b, size_t count)
{
    double squares = 0.0;
    for (size_t i = 0; i < count; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}

static void compare_densities(sot_tape *tape, const item *it,
                              const sot_tape_density_call *call)
{
    double *noise = sot_new_array(call->dimension, sizeof *noise);
    if (noise == NULL) {
        report(tape, "the tape ran out of memory");
        return;
    }
    double log_determinant = 0.0;
    call->noise_of(call->context, it->theta, noise, &log_determinant);
    const double slack = (tape->identical ? 0.0 : 1.0) + call->tolerance;
    const double shift = distance(noise, it->noise, call->dimension);
    const double turn = fabs(log_determinant - it->log_determinant);
    /* The negations catch NaN. */
    if (!(shift <= slack * call->shift_most) ||
        !(turn <= slack * call->log_determinant_most)) {
        report(tape,
               "step %zu: the noise behind the output moved by %.17g, its "
               "log-determinant by %.17g, more than declared: %s",
               tape->next, shift, turn, it->text);
    }
    sot_free(noise);
}

bool sot_tape_density(sotto_gate *gate, const sot_tape_density_call *call,
                      double *out_theta)
{
    if (running == NULL) return false;
    char details[200];
    (void)snprintf(
        details, sizeof details,
        "density in dimension %zu, shift at most %a, log-determinant at most %a",
        call->dimension, call->shift_most, call->log_determinant_most);
    item *it = begin_call(gate, ITEM_DENSITY, call->index, details);
    if (it == NULL) return false;
    if (!(call->tolerance >= 0.0 && call->tolerance <= 1e-3)) {
        report(running, "the tolerance is out of range: %s", it->text);
        return false;
    }
    if (running->mode == TAPE_RECORDING) {
        it->count = call->dimension;
        note_generator(it, gate);
        return false;
    }
    if (!it->has_result) return false;
    compare_densities(running, it, call);
    memcpy(out_theta, it->theta, call->dimension * sizeof *out_theta);
    return true;
}

void sot_tape_density_result(sotto_gate *gate, const sot_tape_density_call *call,
                             const double *theta)
{
    (void)gate;
    if (running == NULL || running->mode != TAPE_RECORDING || running->size == 0) return;
    item *it = &running->items[running->size - 1];
    if (it->kind != ITEM_DENSITY || it->has_result) {
        report(running, "an output does not belong to the call before it: %s", it->text);
        return;
    }
    it->theta = copy_array(running, theta, call->dimension, sizeof *it->theta);
    it->noise = copy_array(running, theta, call->dimension, sizeof *it->noise);
    if (it->theta == NULL || it->noise == NULL) return;
    call->noise_of(call->context, theta, it->noise, &it->log_determinant);
    it->has_result = true;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_tape_is_for_tests;

#endif
