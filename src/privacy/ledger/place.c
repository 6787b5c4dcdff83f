#include "privacy/ledger/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/create.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"

static sotto_status fail_errno(const sot_place *place, int code, sotto_error *error)
{
    char text[64];
    return sot_fail(error, SOTTO_IO, "ledger %s: cannot look at it: %s", place->shown,
                    sot_errno_text(code, text, sizeof text));
}

static sotto_status check_directory(const sot_place *place, sotto_error *error)
{
    struct stat found;
    if (fstat(place->directory, &found) != 0) return fail_errno(place, errno, error);
    if (found.st_uid != geteuid() && found.st_uid != 0) {
        return sot_fail(error, SOTTO_IO,
                        "ledger %s: its directory belongs to another user, who could "
                        "replace it; keep the ledger in a directory of your own",
                        place->shown);
    }
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return sot_fail(error, SOTTO_IO,
                        "ledger %s: others may write to its directory and could replace "
                        "it; chmod go-w the directory, or make one with mkdir -m 700",
                        place->shown);
    }
    return SOTTO_OK;
}

/* The directory part of `path`, resolved by the system; NULL and errno on failure. */
static char *resolve_directory(const char *path, const char *slash)
{
    const size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    char *directory = sot_new_array(length + 2, 1);
    if (directory == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(directory, path, length);
    if (length == 0) directory[0] = slash != NULL ? '/' : '.';
    char *resolved = realpath(directory, NULL); /* the system's allocation: free() */
    const int code = errno;
    sot_free(directory);
    errno = code;
    return resolved;
}

static sotto_status join(sot_place *place, const char *directory, const char *name,
                         sotto_error *error)
{
    const size_t length = strlen(directory), size = length + strlen(name) + 2;
    place->path = sot_new_array(size, 1);
    if (place->path == NULL) return sot_fail_memory(error, size, 1);
    memcpy(place->path, directory, length);
    /* The root directory "/" needs no second slash. */
    const size_t at = length > 0 && directory[length - 1] == '/' ? length - 1 : length;
    place->path[at] = '/';
    memcpy(place->path + at + 1, name, strlen(name) + 1);
    place->name = place->path + at + 1;
    return SOTTO_OK;
}

sotto_status sot_place_open(const char *path, sot_place *out_place, sotto_error *error)
{
    *out_place = (sot_place){.directory = -1};
    if (path == NULL) path = "";
    (void)sot_printable(path, out_place->shown, sizeof out_place->shown);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the ledger's path is '%s'; give the name of a file",
                        out_place->shown);
    }
    if (sot_file_is_temporary(name)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the ledger's path is '%s', the name of a temporary file, which "
                        "the next command removes; give another name, for example "
                        "budget.ledger",
                        out_place->shown);
    }
    char *directory = resolve_directory(path, slash);
    if (directory == NULL && errno == ENOMEM) return sot_fail_memory(error, 1, 1);
    if (directory == NULL) return fail_errno(out_place, errno, error);
    sotto_status status = join(out_place, directory, name, error);
    if (status == SOTTO_OK) {
        out_place->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        status = out_place->directory < 0 ? fail_errno(out_place, errno, error)
                                          : check_directory(out_place, error);
    }
    free(directory);
    return status;
}

void sot_place_close(sot_place *place)
{
    if (place->directory >= 0) (void)close(place->directory);
    place->directory = -1;
    sot_free(place->path);
    place->path = NULL;
}

/* Why a file is no safe ledger, or NULL. */
static const char *objection(const struct stat *found)
{
    if (S_ISLNK(found->st_mode))
        return "it is a symbolic link; give the path of the file itself";
    if (!S_ISREG(found->st_mode))
        return "it is not a regular file; give the path of a ledger";
    if (found->st_uid != geteuid()) return "it belongs to another user; run as its owner";
    if ((found->st_mode & 077) != 0)
        return "others may read or write it; chmod 600 it, and check its head against "
               "the last certificate";
    if (found->st_nlink != 1)
        return "it has a second name (a hard link), which defeats crash recovery; remove "
               "the other name";
    return NULL;
}

/* A kill inside `ledger init` may have left the name under which the file was made. */
static void drop_temporary_name(const sot_place *place, struct stat *found)
{
    if (found->st_nlink != 2 || !sot_create_drop_temporary(place->directory, found))
        return;
    struct stat again;
    if (fstatat(place->directory, place->name, &again, AT_SYMLINK_NOFOLLOW) == 0)
        *found = again;
}

/* lstat, not open: POSIX locks belong to the process. Closing a descriptor of the file
 * would drop the locks that SQLite holds on it for another handle of this process. */
sotto_status sot_place_check_file(sot_place *place, sotto_error *error)
{
    struct stat found;
    if (fstatat(place->directory, place->name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) return fail_errno(place, errno, error);
        return sot_fail(error, SOTTO_IO,
                        "there is no ledger %s; create it with 'sotto ledger init', "
                        "or look for where it went",
                        place->shown);
    }
    drop_temporary_name(place, &found);
    const char *reason = objection(&found);
    if (reason != NULL)
        return sot_fail(error, SOTTO_IO, "ledger %s: %s", place->shown, reason);
    place->device = found.st_dev;
    place->inode = found.st_ino;
    return SOTTO_OK;
}

sotto_status sot_place_check_same(const sot_place *place, sotto_error *error)
{
    struct stat found;
    const bool is_there =
        fstatat(place->directory, place->name, &found, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && errno != ENOENT) return fail_errno(place, errno, error);
    if (is_there && found.st_dev == place->device && found.st_ino == place->inode &&
        objection(&found) == NULL)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "ledger %s: it was moved, replaced or opened to others while in use; "
                    "nothing may be released, put it back and try again",
                    place->shown);
}
