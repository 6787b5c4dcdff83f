#include "privacy/mechanisms/gate/items.h"

#ifdef SOTTO_TESTING

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

__extension__ typedef __int128 change_type;

/* The changes of all candidates so far. */
typedef struct changes {
    change_type least, most;
} changes;

static void note_change(changes *seen, change_type change)
{
    if (change < seen->least) seen->least = change;
    if (change > seen->most) seen->most = change;
}

/* ---- intervals ---- */

/* Over the joint cells of both: the ends in one of them, together with every beginning before it.
 * Only the largest and the smallest change of those matter. */
static changes compare_intervals(const sot_tape_item *it, const sot_tape_pairs_call *call)
{
    const change_type empty = (change_type)call->empty_score - it->empty;
    changes seen = {empty, empty};
    changes lows = {0, 0};
    uint64_t begin = 0;
    for (size_t i = 0, j = 0; i < it->count && j < call->cells;) {
        const change_type low = (change_type)call->low_scores[j] - it->values[i];
        const change_type high = (change_type)call->high_scores[j] - it->highs[i];
        const uint64_t end = it->ends[i] < call->ends[j] ? it->ends[i] : call->ends[j];
        if (begin > 0) {
            note_change(&seen, lows.least + high);
            note_change(&seen, lows.most + high);
        }
        if (end - begin > 1) note_change(&seen, low + high);
        if (begin == 0) lows = (changes){low, low};
        note_change(&lows, low);
        begin = end;
        if (it->ends[i] == end) i++;
        if (call->ends[j] == end) j++;
    }
    return seen;
}

/* ---- rectangles ---- */

/* Over all strips of x, the largest and the smallest sum of consecutive changes. */
static changes compare_boxes(const sot_tape_item *it, const sot_tape_pairs_call *call,
                             int64_t *column)
{
    const change_type empty = (change_type)call->empty_score - it->empty;
    changes seen = {empty, empty};
    for (size_t low = 0; low < call->width; low++) {
        memset(column, 0, call->height * sizeof *column);
        for (size_t high = low; high < call->width; high++) {
            change_type most = 0, least = 0;
            for (size_t y = 0; y < call->height; y++) {
                const size_t cell = high * call->height + y;
                column[y] += call->gains[cell] - it->values[cell];
                most = column[y] + (most > 0 ? most : 0);
                least = column[y] + (least < 0 ? least : 0);
                note_change(&seen, empty + most);
                note_change(&seen, empty + least);
            }
        }
    }
    return seen;
}

/* ---- both ---- */

static void compare_pairs(sot_tape *tape, const sot_tape_item *it,
                          const sot_tape_pairs_call *call)
{
    changes seen;
    if (call->gains == NULL) {
        seen = compare_intervals(it, call);
    } else {
        int64_t *column =
            sot_tape_copy_array(tape, call->gains, call->height, sizeof *column);
        if (column == NULL) return;
        seen = compare_boxes(it, call, column);
        sot_free(column);
    }
    const change_type largest = seen.most > -seen.least ? seen.most : -seen.least;
    const bool is_within =
        seen.most - seen.least <= call->range_most && largest <= call->change_most;
    if (is_within && !(tape->identical && largest != 0)) return;
    sot_tape_report(
        tape, "step %zu: the scores moved by %.17g to %.17g, more than declared: %s",
        tape->next, (double)seen.least, (double)seen.most, it->text);
}

static void record_pairs(sot_tape *tape, sot_tape_item *it,
                         const sot_tape_pairs_call *call)
{
    it->empty = call->empty_score;
    if (call->gains != NULL) {
        it->count = call->width * call->height;
        it->values =
            sot_tape_copy_array(tape, call->gains, it->count, sizeof *it->values);
        return;
    }
    it->count = call->cells;
    it->values =
        sot_tape_copy_array(tape, call->low_scores, it->count, sizeof *it->values);
    it->highs =
        sot_tape_copy_array(tape, call->high_scores, it->count, sizeof *it->highs);
    it->ends = sot_tape_copy_array(tape, call->ends, it->count, sizeof *it->ends);
}

bool sot_tape_pairs(sotto_gate *gate, const sot_tape_pairs_call *call,
                    uint64_t out_chosen[SOT_TAPE_CHOSEN])
{
    if (sot_tape_running == NULL) return false;
    char details[240], what[80];
    if (call->gains == NULL)
        (void)snprintf(what, sizeof what, "pairs of %" PRIu64 " points",
                       call->ends[call->cells - 1]);
    else
        (void)snprintf(what, sizeof what, "rectangles of %zu x %zu cells", call->width,
                       call->height);
    (void)snprintf(details, sizeof details,
                   "choice among the %s, range at most %" PRIu64
                   ", change at most %" PRIu64,
                   what, call->range_most, call->change_most);
    sot_tape_item *it = sot_tape_begin_call(gate, SOT_TAPE_PAIRS, call->index, details);
    if (it == NULL) return false;
    if (sot_tape_running->mode == SOT_TAPE_RECORDING) {
        record_pairs(sot_tape_running, it, call);
        sot_tape_note_generator(it, gate);
        return false;
    }
    if (it->values == NULL || !it->has_result) return false;
    compare_pairs(sot_tape_running, it, call);
    memcpy(out_chosen, it->chosen, sizeof it->chosen);
    return true;
}

void sot_tape_pairs_result(sotto_gate *gate, const uint64_t chosen[SOT_TAPE_CHOSEN])
{
    (void)gate;
    if (sot_tape_running == NULL || sot_tape_running->mode != SOT_TAPE_RECORDING ||
        sot_tape_running->size == 0)
        return;
    sot_tape_item *it = &sot_tape_running->items[sot_tape_running->size - 1];
    if (it->kind != SOT_TAPE_PAIRS || it->has_result) {
        sot_tape_report(sot_tape_running,
                        "a choice does not belong to the call before it: %s", it->text);
        return;
    }
    memcpy(it->chosen, chosen, sizeof it->chosen);
    it->has_result = true;
}

#else

/* ISO C wants a declaration in every file. */
typedef int sot_tape_pairs_are_for_tests;

#endif
