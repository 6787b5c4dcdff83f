/* data/source/parallel.h: the records of a source, parsed on several threads, the same for any number of them.
 *
 * Idea: a thread takes the next whole lines of the file (data/readers/lines.h). It parses them with its own copy of the
 * reader, and adds their records to a piece. Pieces are passed on one at a time, in the order of the file. While one
 * thread decompresses a gzip file, others parse.
 *
 * Isolation: a record is a function of one line and of public facts (data/stability.md), whichever copy parses it. The
 * copies share only public facts, which do not change. A line that does not fit into a block is read by the
 * source itself. So the division into blocks, which depends on the lengths of lines, decides nothing.
 *
 * Errors: that of the first block that failed, in the order of the file.
 *
 * Memory: for each thread one block of text, and four pieces, which hold a bounded number of lines.
 */
#ifndef SOT_DATA_SOURCE_PARALLEL_H
#define SOT_DATA_SOURCE_PARALLEL_H

#include "data/source/source.h"

/* The receiver of the records. */
typedef struct sot_sink {
    /* Makes an empty piece. */
    sotto_status (*make)(void *context, void **out_piece, sotto_error *error);
    void (*drop)(void *piece); /* wipes; NULL is fine */
    /* Adds a record to a piece. On any thread; one thread at a time for each piece. */
    sotto_status (*add)(void *piece, const sot_record *record, sotto_error *error);
    /* Takes the records of a piece, in order, and leaves it empty. On any thread, for one piece at a time. *out_full:
     * there is no room for the rest, which stays in the piece for the next call. */
    sotto_status (*take)(void *context, void *piece, bool *out_full, sotto_error *error);
} sot_sink;

typedef struct sot_parallel sot_parallel;

/* True if several threads are set (sot_source_set_threads()), and the reader has lines. Public. */
bool sot_source_is_parallel(const sot_source *source);

/* Reads such a source from its next record on. `block_bytes`: of text in a block; 0: the usual ones. `lines_most`: in a
 * block, so that a piece of short lines has a bounded size. All are borrowed. A source that is read again needs a new
 * one. It reads with the threads that can be had: the records are the same. */
SOTTO_MUST_CHECK sotto_status sot_parallel_new(sot_source *source, size_t block_bytes,
                                               size_t lines_most, const sot_sink *sink,
                                               void *context, sot_parallel **out_parallel,
                                               sotto_error *error);
void sot_parallel_free(sot_parallel *parallel); /* wipes; NULL is fine */

/* Passes on records until the source ends, or the receiver is full; then again from there on. */
SOTTO_MUST_CHECK sotto_status sot_parallel_run(sot_parallel *parallel,
                                               sotto_error *error);

#endif
