#include "privacy/mechanisms/gate/items.h"

#ifdef SOTTO_TESTING

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

sot_tape *sot_tape_running;

/* ---- the gate tape itself ---- */

sot_tape *sot_tape_new(void)
{
    return sot_new_array(1, sizeof(sot_tape));
}

static void clear_item(sot_tape_item *it)
{
    sot_free(it->values);
    sot_free(it->ends);
    sot_free(it->highs);
    sot_free(it->noise);
    sot_free(it->drawn);
    sot_free(it->probes);
    sot_free(it->released);
    sot_free(it->theta);
}

void sot_tape_free(sot_tape *tape)
{
    if (tape == NULL) return;
    if (sot_tape_running == tape) sot_tape_running = NULL;
    for (size_t i = 0; i < tape->size; i++)
        clear_item(&tape->items[i]);
    sot_free(tape->items);
    sot_free(tape);
}

void sot_tape_report(sot_tape *tape, const char *format, ...)
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
        releases += tape->items[i].kind != SOT_TAPE_STEP;
    return releases;
}

/* A test that failed half-way has left its gate tape running: end it. */
static void take_over(void)
{
    if (sot_tape_running != NULL) sot_tape_running->mode = SOT_TAPE_IDLE;
    sot_tape_running = NULL;
}

void sot_tape_record(sot_tape *tape)
{
    take_over();
    assert(tape->mode == SOT_TAPE_IDLE && tape->size == 0);
    tape->mode = SOT_TAPE_RECORDING;
    sot_tape_running = tape;
}

void sot_tape_replay(sot_tape *tape, bool identical)
{
    take_over();
    assert(tape->mode == SOT_TAPE_IDLE);
    tape->mode = SOT_TAPE_REPLAYING;
    tape->identical = identical;
    tape->next = 0;
    sot_tape_running = tape;
}

static int compare_generators(const void *a, const void *b)
{
    return memcmp(&((*(const sot_tape_item *const *)a)->generator),
                  &((*(const sot_tape_item *const *)b)->generator),
                  sizeof(sot_tape_generator));
}

/* Two calls that drew from the same state of the generator. */
static void check_generators(sot_tape *tape)
{
    const sot_tape_item **drawing = sot_new_array(tape->size, sizeof *drawing);
    if (drawing == NULL) {
        sot_tape_report(tape, "the gate tape ran out of memory");
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < tape->size; i++) {
        if (tape->items[i].draws) drawing[count++] = &tape->items[i];
    }
    if (count > 1) qsort(drawing, count, sizeof *drawing, compare_generators);
    for (size_t i = 1; i < count; i++) {
        if (compare_generators(&drawing[i - 1], &drawing[i]) != 0) continue;
        sot_tape_report(tape,
                        "two calls used the same state of the generator: %s; and: %s",
                        drawing[i - 1]->text, drawing[i]->text);
    }
    sot_free(drawing);
}

void sot_tape_stop(sot_tape *tape)
{
    assert(sot_tape_running == tape);
    if (tape->mode == SOT_TAPE_RECORDING) check_generators(tape);
    if (tape->mode == SOT_TAPE_REPLAYING && tape->next < tape->size) {
        sot_tape_report(tape, "the replay ended early; the recording continued with: %s",
                        tape->items[tape->next].text);
    }
    tape->mode = SOT_TAPE_IDLE;
    sot_tape_running = NULL;
}

/* ---- one more item, or the next of the recording ---- */

sot_tape_item *sot_tape_next_item(sot_tape *tape, sot_tape_item_kind kind,
                                  const char *text)
{
    if (tape->mode == SOT_TAPE_REPLAYING) {
        if (tape->next == tape->size) {
            sot_tape_report(tape, "the replay continued after the recording ended: %s",
                            text);
            return NULL;
        }
        sot_tape_item *it = &tape->items[tape->next++];
        if (it->kind == kind && strcmp(it->text, text) == 0) return it;
        sot_tape_report(tape, "step %zu: recorded: %s; replayed: %s", tape->next,
                        it->text, text);
        return NULL;
    }
    if (tape->size == tape->capacity) {
        const size_t capacity = tape->capacity == 0 ? 64 : 2 * tape->capacity;
        sot_tape_item *items =
            sot_resize_array(tape->items, tape->capacity, capacity, sizeof *items);
        if (items == NULL) {
            sot_tape_report(tape, "the gate tape ran out of memory");
            return NULL;
        }
        tape->items = items;
        tape->capacity = capacity;
    }
    sot_tape_item *it = &tape->items[tape->size++];
    it->kind = kind;
    (void)snprintf(it->text, sizeof it->text, "%s", text);
    return it;
}

/* ---- the gate's own steps ---- */

void sot_tape_describe_event(const sotto_event *event, char text[SOT_TAPE_EVENT_BYTES])
{
    (void)snprintf(
        text, SOT_TAPE_EVENT_BYTES,
        "%s noise_multiplier %a epsilon %a delta %a rho %a mu %a scale %a "
        "sensitivity %a grid %a atom %a shift %a. Sampling %s rate %a count %" PRIu64
        " categories %u rows %u vertices %u theorem %u dimension %u batch %" PRIu64
        " of %" PRIu64 " '%.*s'",
        sotto_mechanism_name(event->mechanism), event->noise_multiplier, event->epsilon,
        event->delta, event->rho, event->mu, event->scale, event->sensitivity,
        event->grid, event->atom, event->shift, sotto_sampling_name(event->sampling),
        event->rate, event->count, (unsigned)event->categories, (unsigned)event->rows,
        (unsigned)event->vertices, (unsigned)event->theorem, (unsigned)event->dimension,
        event->batch, event->population, SOTTO_PURPOSE_BYTES, event->purpose);
}

void sot_tape_gate_new(const sotto_gate *gate)
{
    if (sot_tape_running == NULL) return;
    const sotto_plan *plan = sotto_gate_plan(gate);
    char text[SOT_TAPE_TEXT_BYTES], event[SOT_TAPE_EVENT_BYTES];
    (void)snprintf(text, sizeof text, "a gate for %s, %zu events",
                   sotto_adjacency_name(sotto_plan_adjacency(plan)),
                   sotto_plan_size(plan));
    (void)sot_tape_next_item(sot_tape_running, SOT_TAPE_STEP, text);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        sot_tape_describe_event(sotto_plan_event(plan, i), event);
        (void)snprintf(text, sizeof text, "plan: %s", event);
        (void)sot_tape_next_item(sot_tape_running, SOT_TAPE_STEP, text);
    }
}

void sot_tape_gate_step(const sotto_gate *gate, const char *step)
{
    (void)gate;
    if (sot_tape_running == NULL) return;
    char text[SOT_TAPE_TEXT_BYTES];
    (void)snprintf(text, sizeof text, "the gate is %s", step);
    (void)sot_tape_next_item(sot_tape_running, SOT_TAPE_STEP, text);
}

void sot_tape_gate_admitted(const sotto_gate *gate, size_t index)
{
    (void)gate, (void)index;
    if (sot_tape_running != NULL) sot_tape_running->expects_call = true;
}

void sot_tape_gate_recorded(const sotto_gate *gate, size_t index)
{
    if (sot_tape_running == NULL) return;
    if (sot_tape_running->expects_call) {
        sot_tape_report(sot_tape_running,
                        "a release of event %zu (%s) went by without showing its values "
                        "to the gate tape",
                        index + 1, sotto_plan_event(gate->plan, index)->purpose);
    }
    sot_tape_running->expects_call = false;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_tape_is_for_tests;

#endif
