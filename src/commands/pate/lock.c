/* The lock on a directory of teachers, and the removal of files that a killed teaching left in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/text.h"
#include "commands/pate/pate.h"

static sotto_status refuse_second(const sot_pate_directory *directory, bool alone,
                                  sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    alone ? "%.120s is in use by another sotto pate teach or label; wait "
                            "until it ends, or give another directory"
                          : "%.120s is in use by sotto pate teach; wait until it ends",
                    directory->path);
}

static sotto_status fail(const sot_pate_directory *directory, const char *doing, int code,
                         sotto_error *error)
{
    char why[80];
    return sot_fail(error, SOTTO_IO, "cannot %s the directory %.120s: %s", doing,
                    directory->path, sot_errno_text(code, why, sizeof why));
}

sotto_status sot_pate_directory_lock(sot_pate_directory *directory, bool alone,
                                     sotto_error *error)
{
    const int file = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return fail(directory, "open", errno, error);
    if (flock(file, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
        const int code = errno;
        (void)close(file);
        return code == EWOULDBLOCK ? refuse_second(directory, alone, error)
                                   : fail(directory, "lock", code, error);
    }
    directory->lock = file;
    directory->is_locked = true;
    return SOTTO_OK;
}

void sot_pate_directory_unlock(sot_pate_directory *directory)
{
    if (directory->is_locked) (void)close(directory->lock);
    directory->is_locked = false;
}

sotto_status sot_pate_directory_sweep(const sot_pate_directory *directory,
                                      sotto_error *error)
{
    DIR *stream = opendir(directory->path);
    if (stream == NULL) return fail(directory, "read", errno, error);
    int code = 0;
    for (const struct dirent *entry = readdir(stream); entry != NULL && code == 0;
         entry = readdir(stream)) {
        if (!sot_file_is_temporary(entry->d_name)) continue;
        if (unlinkat(dirfd(stream), entry->d_name, 0) != 0 && errno != ENOENT)
            code = errno;
    }
    (void)closedir(stream);
    return code == 0 ? SOTTO_OK
                     : fail(directory, "remove a partial teacher from", code, error);
}
