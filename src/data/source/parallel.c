#include "data/source/parallel.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/source/parts.h"

/* Text of a block: it stays in the second-level cache while it is parsed. */
enum { BLOCK_BYTES = 1 << 18, SLOTS_OF_THREAD = 4 };

static const uint64_t rows_max = UINT64_C(1) << 32;

typedef enum slot_state {
    SLOT_FREE = 0,
    SLOT_TAKEN, /* by a thread, which fills it */
    SLOT_READY  /* passed on when its turn comes */
} slot_state;

/* A piece, and the block that it holds. */
typedef struct slot {
    slot_state state;
    uint64_t block;   /* 0, 1, ... in the order of the file */
    uint64_t records; /* stored ones: selected or not */
    void *piece;
    sotto_status status;
    sotto_error error;
} slot;

typedef struct worker {
    sot_source source; /* with its own copy of the reader */
    char *block;
} worker;

struct sot_parallel {
    sot_source *source;
    const sot_sink *sink;
    void *context;
    sot_pool *pool;
    size_t block_bytes, lines_most;
    size_t threads, slot_count;
    worker *workers;
    slot *slots;
    /* Held while the source is read. `lock` may be taken within it. */
    pthread_mutex_t reading;
    uint64_t next_block;
    bool at_end; /* of the source, or it cannot be read on */
    /* Held for a moment, for all that follows and the states of slots. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next_taken; /* the block that is passed on next */
    uint64_t records;    /* passed on */
    bool is_taking, stopped;
    sotto_status status;
    sotto_error error;
};

/* ---- passing on ---- */

static slot *next_ready(const sot_parallel *own)
{
    for (size_t i = 0; i < own->slot_count; i++)
        if (own->slots[i].state == SLOT_READY && own->slots[i].block == own->next_taken)
            return &own->slots[i];
    return NULL;
}

static sotto_status take_piece(sot_parallel *own, slot *ready, bool *out_full)
{
    if (ready->status != SOTTO_OK) return ready->status;
    if (own->records + ready->records > rows_max)
        return sot_fail(&ready->error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right file?");
    return own->sink->take(own->context, ready->piece, out_full, &ready->error);
}

/* Passes on all that is ready. The caller holds the lock, which is open while the receiver works: a thread that
 * comes meanwhile leaves its piece to this one. */
static void take_ready(sot_parallel *own)
{
    if (own->is_taking) return;
    own->is_taking = true;
    slot *ready;
    while (!own->stopped && (ready = next_ready(own)) != NULL) {
        bool is_full = false;
        pthread_mutex_unlock(&own->lock);
        const sotto_status status = take_piece(own, ready, &is_full);
        pthread_mutex_lock(&own->lock);
        own->stopped = status != SOTTO_OK || is_full;
        if (status != SOTTO_OK) {
            own->status = status;
            own->error = ready->error;
        } else if (!is_full) {
            own->records += ready->records;
            own->next_taken++;
            ready->state = SLOT_FREE;
        }
        pthread_cond_broadcast(&own->changed);
    }
    own->is_taking = false;
}

/* ---- one thread ---- */

/* A free slot, or NULL: nothing is read on. There will be one: the first block that is not passed on is in the slot
 * of a thread that runs, or is ready. */
static slot *take_slot(sot_parallel *own)
{
    slot *found = NULL;
    pthread_mutex_lock(&own->lock);
    while (!own->stopped && found == NULL) {
        for (size_t i = 0; i < own->slot_count && found == NULL; i++)
            if (own->slots[i].state == SLOT_FREE) found = &own->slots[i];
        if (found == NULL) pthread_cond_wait(&own->changed, &own->lock);
    }
    if (found != NULL) found->state = SLOT_TAKEN;
    pthread_mutex_unlock(&own->lock);
    return found;
}

static void give_slot(sot_parallel *own, slot *taken, slot_state state)
{
    pthread_mutex_lock(&own->lock);
    taken->state = state;
    take_ready(own);
    pthread_cond_broadcast(&own->changed);
    pthread_mutex_unlock(&own->lock);
}

static bool is_stopped(sot_parallel *own)
{
    pthread_mutex_lock(&own->lock);
    const bool stopped = own->stopped;
    pthread_mutex_unlock(&own->lock);
    return stopped;
}

/* The next record of the source itself, whose line does not fit into a block. */
static sotto_status add_next(sot_parallel *own, slot *taken)
{
    sot_record record;
    bool more = false;
    const uint64_t before = own->source->read;
    sotto_status status = sot_source_next(own->source, &record, &more, &taken->error);
    taken->records = own->source->read - before;
    if (status == SOTTO_OK && more)
        status = own->sink->add(taken->piece, &record, &taken->error);
    return status;
}

/* The records of the lines in the thread's block. */
static sotto_status add_lines(const sot_parallel *own, worker *self, slot *taken,
                              size_t size_bytes)
{
    sotto_status status = SOTTO_OK;
    bool more = true;
    const sot_reader_kind *kind = self->source.kind;
    sot_lines_set_block(kind->lines(self->source.reader), self->block, size_bytes);
    self->source.read = 0;
    while (status == SOTTO_OK && more) {
        sot_record record;
        status = sot_source_next(&self->source, &record, &more, &taken->error);
        if (status == SOTTO_OK && more)
            status = own->sink->add(taken->piece, &record, &taken->error);
    }
    taken->records = self->source.read;
    return status;
}

/* Fills the slot with the next block; false: there is none. */
static bool fill_slot(sot_parallel *own, worker *self, slot *taken)
{
    size_t size_bytes = 0;
    bool more = false;
    sot_lines *lines = own->source->kind->lines(own->source->reader);
    pthread_mutex_lock(&own->reading);
    taken->status = SOTTO_OK;
    if (own->at_end || is_stopped(own)) {
        pthread_mutex_unlock(&own->reading);
        return false;
    }
    taken->status = sot_lines_take(lines, self->block, own->block_bytes, own->lines_most,
                                   &size_bytes, &more, &taken->error);
    taken->block = own->next_block++;
    if (taken->status == SOTTO_OK && more && size_bytes == 0)
        taken->status = add_next(own, taken);
    own->at_end = taken->status != SOTTO_OK || !more;
    pthread_mutex_unlock(&own->reading);
    if (size_bytes > 0) taken->status = add_lines(own, self, taken, size_bytes);
    return true;
}

static sotto_status work(size_t chunk, size_t begin, size_t end, void *context,
                         sotto_error *error)
{
    sot_parallel *own = context;
    (void)begin, (void)end, (void)error;
    for (;;) {
        slot *taken = take_slot(own);
        if (taken == NULL) return SOTTO_OK;
        taken->records = 0;
        const bool is_filled = fill_slot(own, &own->workers[chunk], taken);
        give_slot(own, taken, is_filled ? SLOT_READY : SLOT_FREE);
        if (!is_filled) return SOTTO_OK;
    }
}

/* ---- the interface ---- */

bool sot_source_is_parallel(const sot_source *source)
{
    return source->threads != 1 && source->kind->fork != NULL;
}

static sotto_status make_worker(const sot_parallel *own, worker *self, sotto_error *error)
{
    const size_t bytes = own->block_bytes + SOT_LINES_SLACK;
    void *reader = NULL;
    const sotto_status status =
        own->source->kind->fork(own->source->reader, &reader, error);
    if (status != SOTTO_OK) return status;
    self->source = *own->source; /* all but the reader is borrowed */
    self->source.reader = reader;
    self->block = sot_new_array(bytes, 1);
    return self->block == NULL ? sot_fail_memory(error, bytes, 1) : SOTTO_OK;
}

static sotto_status make_parts(sot_parallel *own, sotto_error *error)
{
    sotto_status status = sot_pool_new_at_most(own->source->threads, &own->pool, error);
    if (status != SOTTO_OK) return status;
    own->threads = sot_pool_threads(own->pool);
    own->slot_count = SLOTS_OF_THREAD * own->threads;
    own->workers = sot_new_array(own->threads, sizeof *own->workers);
    own->slots = sot_new_array(own->slot_count, sizeof *own->slots);
    if (own->workers == NULL || own->slots == NULL)
        return sot_fail_memory(error, own->slot_count, sizeof *own->slots);
    for (size_t i = 0; status == SOTTO_OK && i < own->threads; i++)
        status = make_worker(own, &own->workers[i], error);
    for (size_t i = 0; status == SOTTO_OK && i < own->slot_count; i++)
        status = own->sink->make(own->context, &own->slots[i].piece, error);
    return status;
}

sotto_status sot_parallel_new(sot_source *source, size_t block_bytes, size_t lines_most,
                              const sot_sink *sink, void *context,
                              sot_parallel **out_parallel, sotto_error *error)
{
    sot_parallel *own = sot_new_array(1, sizeof *own);
    if (own == NULL) return sot_fail_memory(error, 1, sizeof *own);
    own->source = source;
    own->sink = sink;
    own->context = context;
    own->block_bytes = block_bytes == 0 ? BLOCK_BYTES : block_bytes;
    own->lines_most = lines_most;
    pthread_mutex_init(&own->reading, NULL);
    pthread_mutex_init(&own->lock, NULL);
    pthread_cond_init(&own->changed, NULL);
    const sotto_status status = make_parts(own, error);
    if (status != SOTTO_OK) {
        sot_parallel_free(own);
        return status;
    }
    *out_parallel = own;
    return SOTTO_OK;
}

void sot_parallel_free(sot_parallel *own)
{
    if (own == NULL) return;
    sot_pool_free(own->pool);
    for (size_t i = 0; own->slots != NULL && i < own->slot_count; i++)
        own->sink->drop(own->slots[i].piece);
    for (size_t i = 0; own->workers != NULL && i < own->threads; i++) {
        own->source->kind->close(own->workers[i].source.reader);
        sot_wipe_and_free(own->workers[i].block, own->block_bytes + SOT_LINES_SLACK);
    }
    sot_free(own->workers);
    sot_free(own->slots);
    pthread_cond_destroy(&own->changed);
    pthread_mutex_destroy(&own->lock);
    pthread_mutex_destroy(&own->reading);
    sot_free(own);
}

sotto_status sot_parallel_run(sot_parallel *own, sotto_error *error)
{
    if (own->status == SOTTO_OK) {
        pthread_mutex_lock(&own->lock);
        own->stopped = false;
        take_ready(own); /* of the last run */
        const bool goes_on = !own->stopped;
        pthread_mutex_unlock(&own->lock);
        const sotto_status status =
            goes_on ? sot_parallel_for(own->pool, own->threads, 1, work, own, error)
                    : SOTTO_OK;
        if (status != SOTTO_OK) return status;
    }
    if (own->status != SOTTO_OK && error != NULL) *error = own->error;
    return own->status;
}
