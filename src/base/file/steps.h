/* base/file/steps.h: the steps of writing a file safely, one by one; tests break each of them (base/file/file.h). */
#ifndef SOT_BASE_FILE_STEPS_H
#define SOT_BASE_FILE_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sotto/error.h>

/* "cannot write model.json: No space left on device"; SOTTO_IO. */
SOTTO_MUST_CHECK sotto_status sot_file_fail(sotto_error *error, const char *doing,
                                            const char *path, int code);

/* The same with a reason in words. */
SOTTO_MUST_CHECK sotto_status sot_file_fail_because(sotto_error *error, const char *doing,
                                                    const char *path, const char *reason);

/* Refuses a file of `size_bytes` if the limit of the process on file sizes (ulimit -f) is lower. */
SOTTO_MUST_CHECK sotto_status sot_file_check_limit(const char *path, uint64_t size_bytes,
                                                   sotto_error *error);

/* The directory of `path`, to be closed, and the name in it, which lives as long as `path`. */
SOTTO_MUST_CHECK sotto_status sot_file_open_directory(const char *path,
                                                      const char **out_name,
                                                      int *out_directory,
                                                      sotto_error *error);

/* False with errno. All bytes; all of them on the disk; the new name; the directory on the disk. */
bool sot_file_put(int file, const void *content, size_t size_bytes);
bool sot_file_sync(int file);
bool sot_file_rename(int directory, const char *from, const char *to);
bool sot_file_sync_directory(int directory);

/* A file without a name in the directory: a kill leaves nothing of it. Returns the descriptor; or -1 with errno, EOPNOTSUPP
 * where the system has no such files. sot_file_link() gives it its first name; false with errno. */
int sot_file_open_nameless(int directory, mode_t mode);
bool sot_file_link(int file, int directory, const char *name);

#endif
