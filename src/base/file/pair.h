/* base/file/pair.h: a file that is replaced in two steps, by one process at a time.
 *
 * Idea: beside FILE there may be FILE.next. New content is staged in FILE.next, complete and on
 * the disk. Then another event makes it the valid one (a row in a ledger). Then it is placed:
 * renamed to FILE. After a crash either or both exist, and their owner decides which one counts.
 *
 * Lock: the process that opened the pair holds a lock on the open file of each name. A new file
 * is locked before it gets its name. So there is no moment without a lock (flock(2); it ends with
 * the process). A second process is refused; it does not wait.
 *
 * Refused: a symbolic link, anything but a regular file, a file of another user.
 */
#ifndef SOT_BASE_FILE_PAIR_H
#define SOT_BASE_FILE_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_pair sot_pair;

typedef enum sot_pair_which { SOT_PAIR_PLACED = 0, SOT_PAIR_STAGED = 1 } sot_pair_which;

/* Locks the existing files; neither need exist. SOTTO_IO if another process holds one of
 * them. */
SOTTO_MUST_CHECK sotto_status sot_pair_open(const char *path, sot_pair **out_pair,
                                            sotto_error *error);
void sot_pair_close(sot_pair *pair); /* leaves the files; NULL is fine */

bool sot_pair_has(const sot_pair *pair, sot_pair_which which);

/* The whole content, at most `size_max_bytes`; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_pair_read(const sot_pair *pair, sot_pair_which which,
                                            size_t size_max_bytes, char **out_bytes,
                                            size_t *out_size_bytes, sotto_error *error);

/* Writes FILE.next, mode 0600, and replaces earlier staged content. When this returns it
 * is on the disk. */
SOTTO_MUST_CHECK sotto_status sot_pair_stage(sot_pair *pair, const void *bytes,
                                             size_t size_bytes, sotto_error *error);
/* Reserves disk space after the end of the staged content, for later files. It is released when
 * FILE is removed or sot_pair_free_space() is called. SOTTO_IO if there is none. File systems
 * that cannot reserve are accepted. */
SOTTO_MUST_CHECK sotto_status sot_pair_take_space(const sot_pair *pair, size_t size_bytes,
                                                  sotto_error *error);
void sot_pair_free_space(const sot_pair *pair); /* of FILE */

/* Renames the staged file to FILE. */
SOTTO_MUST_CHECK sotto_status sot_pair_place(sot_pair *pair, sotto_error *error);

/* Removes one of the files, if it is there. */
void sot_pair_remove(sot_pair *pair, sot_pair_which which);

#endif
