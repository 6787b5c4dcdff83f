/* ledger/store.h: the lines of a ledger in a SQLite file.
 *
 * Why SQLite  Atomic, durable appends that two processes may make at once, on every file system,
 *             tested for crashes by others than us. One table of lines, numbered from 1; triggers
 *             refuse to change or remove one and to leave a gap.
 * Durable     journal_mode DELETE and synchronous EXTRA: when sot_store_commit() returns, the
 *             line, the journal's removal and the directory entry are on the disk.
 */
#ifndef SOT_LEDGER_STORE_H
#define SOT_LEDGER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_store sot_store;

/* Reads a line, oldest first; any result but SOTTO_OK ends the visit and is returned. */
typedef sotto_status (*sot_store_reader)(const char *line, size_t size_bytes,
                                         uint64_t row, void *context, sotto_error *error);

/* Makes the file with its first line: it is there complete, or not at all (base/file/create.h). Refuses to replace anything. */
SOTTO_MUST_CHECK sotto_status sot_store_create(const char *path, const char *line,
                                               size_t size_bytes, sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_store_open(const char *path, sot_store **out_store,
                                             sotto_error *error);
void sot_store_close(sot_store *store); /* NULL is fine; ends an open transaction */

/* Begins a transaction of a writer (the only one until its end) or of a reader (it sees
 * one snapshot). End it with commit or rollback; rollback may be called at any time. */
SOTTO_MUST_CHECK sotto_status sot_store_begin_write(sot_store *store, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_store_begin_read(sot_store *store, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_store_commit(sot_store *store, sotto_error *error);
void sot_store_rollback(sot_store *store);

/* The lines from row `first` to row `last`, inside a transaction. SOT_STORE_END: to the last row. */
#define SOT_STORE_END ((uint64_t)INT64_MAX)
SOTTO_MUST_CHECK sotto_status sot_store_read(sot_store *store, uint64_t first,
                                             uint64_t last, sot_store_reader reader,
                                             void *context, sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_store_append(sot_store *store, uint64_t row,
                                               const char *line, size_t size_bytes,
                                               sotto_error *error);

/* Inside a writer's transaction: marks the file as holding rows of this version. An older sotto
 * then reports an unknown version instead of a broken chain. */
SOTTO_MUST_CHECK sotto_status sot_store_raise_format(sot_store *store,
                                                     sotto_error *error);

/* The path still names the file that was opened, and it is still safe. */
SOTTO_MUST_CHECK sotto_status sot_store_check_place(sot_store *store, sotto_error *error);

/* SQLite's own look at the file's structure. */
SOTTO_MUST_CHECK sotto_status sot_store_check_structure(sot_store *store,
                                                        sotto_error *error);

/* The path as given, for messages. */
const char *sot_store_name(const sot_store *store);

#endif
