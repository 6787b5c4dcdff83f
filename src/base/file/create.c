#include "base/file/create.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/steps.h"

enum { TEMPORARY_NAMES = 100, NAME_BYTES = 48 };

static int put(int file, const void *bytes, size_t size_bytes)
{
    return sot_file_put(file, bytes, size_bytes) && sot_file_sync(file) ? 0 : errno;
}

/* ---- without a name ---- */

/* EOPNOTSUPP: this system cannot, and nothing has changed. */
static int create_nameless(int directory, const char *name, const void *bytes,
                           size_t size_bytes, mode_t mode)
{
    const int file = sot_file_open_nameless(directory, mode);
    if (file < 0) return errno;
    int code = put(file, bytes, size_bytes);
    if (code == 0 && !sot_file_link(file, directory, name)) code = errno;
    (void)close(file); /* its bytes are synced */
    return code;
}

/* ---- with a temporary name ---- */

static int open_temporary(int directory, mode_t mode, char out_name[NAME_BYTES])
{
    for (int n = 0; n < TEMPORARY_NAMES; n++) {
        (void)snprintf(out_name, NAME_BYTES, ".sotto-%ld-%d.tmp", (long)getpid(), n);
        const int file =
            openat(directory, out_name,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (file >= 0 || errno != EEXIST) return file;
    }
    errno = EMFILE; /* EEXIST would say that the file itself exists */
    return -1;
}

static int create_by_temporary(int directory, const char *name, const void *bytes,
                               size_t size_bytes, mode_t mode)
{
    char temporary[NAME_BYTES];
    const int file = open_temporary(directory, mode, temporary);
    if (file < 0) return errno;
    int code = put(file, bytes, size_bytes);
    (void)close(file);
    if (code == 0 && linkat(directory, temporary, directory, name, 0) != 0) code = errno;
    (void)unlinkat(directory, temporary, 0);
    return code;
}

int sot_create_file(int directory, const char *name, const void *bytes, size_t size_bytes,
                    mode_t mode)
{
    const int code = create_nameless(directory, name, bytes, size_bytes, mode);
    if (code != EOPNOTSUPP) return code;
    return create_by_temporary(directory, name, bytes, size_bytes, mode);
}

/* ---- after a kill ---- */

static bool is_temporary(int directory, const char *name, const struct stat *facts)
{
    struct stat found;
    return sot_file_is_temporary(name) &&
           fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           found.st_dev == facts->st_dev && found.st_ino == facts->st_ino;
}

bool sot_create_drop_temporary(int directory, const struct stat *facts)
{
    bool dropped = false;
    const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (stream == NULL) {
        if (copy >= 0) (void)close(copy);
        return false;
    }
    for (const struct dirent *entry = readdir(stream); entry != NULL && !dropped;
         entry = readdir(stream))
        dropped = is_temporary(directory, entry->d_name, facts) &&
                  unlinkat(directory, entry->d_name, 0) == 0;
    (void)closedir(stream);
    return dropped;
}
