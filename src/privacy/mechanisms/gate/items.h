/* privacy/mechanisms/gate/items.h: the items of a gate tape; for tape.c, calls.c, draw.c
 * and pairs.c only. */
#ifndef SOT_PRIVACY_MECHANISMS_GATE_ITEMS_H
#define SOT_PRIVACY_MECHANISMS_GATE_ITEMS_H

#ifdef SOTTO_TESTING

#include "privacy/mechanisms/gate/tape.h"
#include "random/rng.h"

/* An event is described by at most 10 hexadecimal doubles and 150 other characters. */
enum {
    SOT_TAPE_EVENT_BYTES = 640,
    SOT_TAPE_TEXT_BYTES = 1024,
    SOT_TAPE_DIFFERENCE_BYTES = 2 * SOT_TAPE_TEXT_BYTES + 128
};

typedef enum sot_tape_item_kind {
    SOT_TAPE_STEP,
    SOT_TAPE_SUM,
    SOT_TAPE_CHOICE,
    SOT_TAPE_PAIRS,
    SOT_TAPE_DENSITY,
    SOT_TAPE_DRAW
} sot_tape_item_kind;

/* The generator before a call: equal states draw equal noise. */
typedef struct sot_tape_generator {
    uint8_t key[SOT_RNG_KEY_BYTES];
    uint64_t position;
} sot_tape_generator;

/* One thing that happened. `text` holds all of it that must be equal on neighbours. */
typedef struct sot_tape_item {
    sot_tape_item_kind kind;
    char text[SOT_TAPE_TEXT_BYTES];
    int64_t *
        values; /* sum: exact values; choice: scores of cells; pairs: low scores, or gains */
    int64_t *highs;                   /* pairs: high scores */
    uint64_t *ends;                   /* choice, pairs: ends of cells */
    int64_t empty;                    /* pairs */
    uint64_t chosen[SOT_TAPE_CHOSEN]; /* pairs: the released choice */
    size_t count;
    double *noise; /* density: behind the output */
    double *drawn; /* density: as it was drawn; NULL if the mechanism did not say */
    double log_determinant;
    double *
        probes; /* draw: at each point the potential's value and gradient, one after another */
    int64_t *released; /* sum: the released values */
    double *theta;     /* density, draw: the released point */
    size_t choice;     /* choice: the released index */
    bool has_result;
    bool draws;
    sot_tape_generator generator;
} sot_tape_item;

typedef enum sot_tape_mode {
    SOT_TAPE_IDLE,
    SOT_TAPE_RECORDING,
    SOT_TAPE_REPLAYING
} sot_tape_mode;

struct sot_tape {
    sot_tape_mode mode;
    bool identical;    /* a replay of the same records: sums must be equal */
    bool expects_call; /* an event was admitted and has not shown its values yet */
    sot_tape_item *items;
    size_t size, capacity;
    size_t next; /* of a replay */
    char difference[SOT_TAPE_DIFFERENCE_BYTES];
};

/* The running gate tape, or NULL. Test builds only, one thread. */
extern sot_tape *sot_tape_running;

/* The first difference stays: later ones are often its consequences. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sot_tape_report(sot_tape *tape, const char *format, ...);

/* Recording: a new item. Replaying: the recorded one, if kind and text agree. NULL: there is
 * nothing to fill in or to compare with (the difference has been reported). */
sot_tape_item *sot_tape_next_item(sot_tape *tape, sot_tape_item_kind kind,
                                  const char *text);

/* The common beginning of every kind of call. */
sot_tape_item *sot_tape_begin_call(sotto_gate *gate, sot_tape_item_kind kind,
                                   size_t index, const char *details);
/* Recording: the last item, if it is a call of this kind that waits for its result. NULL: there is nothing to fill in; `what`
 * that belongs to no such call has been reported. */
sot_tape_item *sot_tape_waiting_item(sot_tape_item_kind kind, const char *what);
void sot_tape_note_generator(sot_tape_item *it, sotto_gate *gate);
/* NULL, and a report, when memory runs out. */
void *sot_tape_copy_array(sot_tape *tape, const void *array, size_t count, size_t size);

void sot_tape_describe_event(const sotto_event *event, char text[SOT_TAPE_EVENT_BYTES]);

#endif

#endif
