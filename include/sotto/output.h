/* sotto/output.h: atomic writes of output files, and the rules for replacing existing files.
 *
 * Idea     A file under its final name is complete. The bytes go to a temporary file beside it, which is synced and renamed
 *          at the end. If anything fails, every existing file is as it was.
 * Rule     By the content and the name of the existing file.
 *          (1) A ledger, its -journal, -wal and -shm, and a secret key are never replaced.
 *          (2) A certified file, a checkpoint, a schema, and a file of another kind than the one to be written are
 *              replaced only with `overwrite`. The same bytes are no replacement.
 *          (3) Files of the same kind, empty files and free names need no permission.
 *          A symbolic link and a directory are refused. A FIFO or a character device is written to directly.
 * Inputs   A command compares its outputs with its inputs by sotto_output_is_same(): neither is replaced by the other, also
 *          with `overwrite`.
 */
#ifndef SOTTO_OUTPUT_H
#define SOTTO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_output_kind {
    SOTTO_OUTPUT_CERTIFIED = 1, /* a model, labels or a release, with its certificate */
    SOTTO_OUTPUT_HTML = 2,
    SOTTO_OUTPUT_SVG = 3,
    SOTTO_OUTPUT_DATA = 4, /* lines of text, such as CSV or predictions, or JSON */
    SOTTO_OUTPUT_C = 5,    /* an exported model, such as a C header */
    SOTTO_OUTPUT_SCHEMA = 6
} sotto_output_kind;

/* Refuses a file that the rule protects, before work is done or anything is charged. SOTTO_INVALID_ARGUMENT, or
 * SOTTO_IO if the file could not be written in any case. Where a certified file is to replace a certified one this
 * passes: the run decides, because it may be the identical finished run. The message begins with the path. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_output_check(const char *path,
                                                           sotto_output_kind kind,
                                                           bool overwrite,
                                                           sotto_error *error);

/* True if both paths name one file, by any spelling, hard link or symbolic link. For a missing
 * file: the same name in the same directory. False for a FIFO or a device, which is not
 * replaced. */
SOTTO_API bool sotto_output_is_same(const char *path, const char *other);

/* A file being written. */
typedef struct sotto_output sotto_output;

/* Begins a file; the rule is checked now and again when it is closed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_output_open(const char *path,
                                                          sotto_output_kind kind,
                                                          bool overwrite,
                                                          sotto_output **out_output,
                                                          sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_output_write(sotto_output *output,
                                                           const void *bytes,
                                                           size_t size_bytes,
                                                           sotto_error *error);

/* Puts the file in its place, complete and on the disk, and frees the handle, also on failure. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_output_close(sotto_output *output,
                                                           sotto_error *error);

/* Gives the file up; nothing of it is left. NULL is fine. */
SOTTO_API void sotto_output_discard(sotto_output *output);

/* Removes the temporary file before the process ends. For signal handlers: calls unlinkat(2) only. NULL is fine. */
SOTTO_API void sotto_output_unlink(const sotto_output *output);

/* A whole file in one call. The same bytes under the name are left as they are. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_output_put(const char *path, sotto_output_kind kind, bool overwrite,
                 const void *bytes, size_t size_bytes, sotto_error *error);

#ifdef __cplusplus
}
#endif

#endif
