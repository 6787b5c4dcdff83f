/* base/file/file.h: whole files: read with a cap, written so that a crash cannot spoil them. */
#ifndef SOT_BASE_FILE_FILE_H
#define SOT_BASE_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <sotto/error.h>

/* The whole file, with a NUL after its last byte that `out_size_bytes` does not count. A pipe
 * is fine; a directory, or more than `size_max_bytes`, is refused. Free with sot_free().
 * For settings, not for records: buffers outgrown on the way are not wiped. */
SOTTO_MUST_CHECK sotto_status sot_file_read(const char *path, size_t size_max_bytes,
                                            char **out_bytes, size_t *out_size_bytes,
                                            sotto_error *error);

/* The rest of an open stream, the same way; `name` is for messages. */
SOTTO_MUST_CHECK sotto_status sot_file_read_stream(FILE *stream, const char *name,
                                                   size_t size_max_bytes,
                                                   char **out_bytes,
                                                   size_t *out_size_bytes,
                                                   sotto_error *error);

/* Writes or replaces a file atomically. A reader of `path` at any time finds the old content or
 * the new, also after a crash or a power failure.
 *
 * Steps: a new file without a name in the same directory (O_TMPFILE). All bytes, fsync. Then
 * link(2) to a free `path`, or to .sotto-<pid>-<time>.tmp and rename(2) over an existing one.
 * Last an fsync of the directory. A kill between these two leaves the .tmp behind. File systems
 * without such files, and systems without /proc, have the .tmp from the start (O_EXCL), locked.
 *
 * Sweep: every write first removes such files of this user from the directory, if no process has
 * them locked. Their writers are gone. flock(2) ends with the process, also if its number is
 * reused.
 *
 * Mode: the permission bits of the new file, less the umask. The old file's are not kept.
 *
 * Refused: `path` is a symbolic link (the link would be replaced, not its target) or not a
 * regular file.
 *
 * Failure: the old file is untouched and the temporary one removed. One exception: only the last
 * step, the fsync of the directory, fails. The new content is then in place but may not survive a
 * power failure. The message says so. */
SOTTO_MUST_CHECK sotto_status sot_file_write(const char *path, const void *bytes,
                                             size_t size_bytes, mode_t mode,
                                             sotto_error *error);

/* The same, piece by piece. sot_file_abandon() ends every writer: it removes the temporary that was not put in its place,
 * and frees. */
typedef struct sot_file_writer sot_file_writer;
SOTTO_MUST_CHECK sotto_status sot_file_begin(const char *path, mode_t mode,
                                             sot_file_writer **out_writer,
                                             sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_file_add(sot_file_writer *writer, const void *bytes,
                                           size_t size_bytes, sotto_error *error);
/* `is_new`: fails if a file has the name; errno is then EEXIST, and it may be called again. */
SOTTO_MUST_CHECK sotto_status sot_file_finish(sot_file_writer *writer, bool is_new,
                                              sotto_error *error);
void sot_file_abandon(sot_file_writer *writer);      /* NULL is fine */
void sot_file_unlink(const sot_file_writer *writer); /* async-signal-safe */

/* Checks that sot_file_write() could begin: its directory exists and may be written to, and only
 * a regular file has the name. Writes nothing, and promises nothing about later. */
SOTTO_MUST_CHECK sotto_status sot_file_check_write(const char *path, sotto_error *error);

/* Names of temporaries, and the sweep of a directory (a descriptor). A failed sweep is no failure. */
bool sot_file_is_temporary(const char *name);
void sot_file_sweep(int directory);

/* Two names of one file; of files that are not there, the same name in the same directory. */
bool sot_file_is_same(const char *a, const char *b);

#ifdef SOTTO_TESTING
typedef enum sot_file_step {
    SOT_FILE_NO_STEP = 0,
    SOT_FILE_OPEN = 1,
    SOT_FILE_WRITE = 2, /* once for each MiB */
    SOT_FILE_SYNC = 3,
    SOT_FILE_CLOSE = 4,
    SOT_FILE_RENAME = 5,
    SOT_FILE_SYNC_DIRECTORY = 6,
    SOT_FILE_NAMELESS = 7 /* the system has no files without a name */
} sot_file_step;

/* The `nth` time a write comes to `step`, it meets an I/O error there, or, if `killed`, the
 * process gets SIGKILL just before it. Once; SOT_FILE_NO_STEP turns it off. */
void sot_test_file_fault(sot_file_step step, size_t nth, int killed);
#endif

#endif
