/* base/file/pair.h: a file that is replaced in two steps, by one process at a time.
 *
 * Idea      Beside FILE there may be FILE.next. A new content is staged in FILE.next, whole and on the disk; then
 *           something else happens that makes it the valid one (a row in a ledger); then it is placed: renamed to
 *           FILE. After a crash either or both are there, and their owner decides which one counts.
 * Lock      Who has opened the pair holds a lock on the open file that bears each name, and a new one is locked before
 *           it gets a name that others go by: so there is no moment without a lock (flock(2); it ends with the
 *           process). A second process is refused, not made to wait.
 * Refused   A symbolic link, anything but a regular file, a file of another user.
 */
#ifndef SOT_BASE_FILE_PAIR_H
#define SOT_BASE_FILE_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_pair sot_pair;

typedef enum sot_pair_which { SOT_PAIR_PLACED = 0, SOT_PAIR_STAGED = 1 } sot_pair_which;

/* Locks what is there; neither file need be. SOTTO_IO when another process holds one of them. */
SOTTO_MUST_CHECK sotto_status sot_pair_open(const char *path, sot_pair **out_pair,
                                            sotto_error *error);
void sot_pair_close(sot_pair *pair); /* leaves the files; NULL is fine */

bool sot_pair_has(const sot_pair *pair, sot_pair_which which);

/* The whole content, at most `size_max_bytes`; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_pair_read(const sot_pair *pair, sot_pair_which which,
                                            size_t size_max_bytes, char **out_bytes,
                                            size_t *out_size_bytes, sotto_error *error);

/* Writes FILE.next, mode 0600, in the place of what was staged. When this returns it is on the disk. */
SOTTO_MUST_CHECK sotto_status sot_pair_stage(sot_pair *pair, const void *bytes,
                                             size_t size_bytes, sotto_error *error);
/* Takes disk space behind the end of what is staged, for files that follow; gives it back when FILE is removed or
 * sot_pair_free_space() is called. SOTTO_IO when there is none. File systems that cannot reserve are let be. */
SOTTO_MUST_CHECK sotto_status sot_pair_take_space(const sot_pair *pair, size_t size_bytes,
                                                  sotto_error *error);
void sot_pair_free_space(const sot_pair *pair); /* of FILE */

/* What is staged becomes FILE. */
SOTTO_MUST_CHECK sotto_status sot_pair_place(sot_pair *pair, sotto_error *error);

/* Removes one of the files, if it is there. */
void sot_pair_remove(sot_pair *pair, sot_pair_which which);

#endif
