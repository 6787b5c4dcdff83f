#define _GNU_SOURCE /* fallocate */
#include "base/file/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/text.h"

enum { FILES = 2, TRIES = 100, NAME_SHOWN_BYTES = 120 };

struct sot_pair {
    char *paths[FILES];       /* FILE, FILE.next */
    const char *names[FILES]; /* their last parts */
    int directory;
    int files[FILES]; /* descriptors, locked; -1: it is not there */
};

static sotto_status refuse(const sot_pair *pair, sot_pair_which which, const char *reason,
                           sotto_error *error)
{
    char shown[NAME_SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO, "%s %s",
                    sot_printable(pair->paths[which], shown, sizeof shown), reason);
}

static sotto_status refuse_second(const sot_pair *pair, sotto_error *error)
{
    return refuse(pair, SOT_PAIR_PLACED,
                  "is in use by another process, or was replaced meanwhile; wait until "
                  "that one ends, or give another output",
                  error);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

typedef enum answer { NO = 0, YES = 1, UNKNOWN = -1 /* errno says why */ } answer;

/* Checks that the name is still that of the open file. */
static answer has_name(const sot_pair *pair, sot_pair_which which, int file)
{
    struct stat open_file, named;
    if (fstat(file, &open_file) != 0) return UNKNOWN;
    if (fstatat(pair->directory, pair->names[which], &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NO : UNKNOWN;
    return is_same(&open_file, &named) ? YES : NO;
}

/* SOTTO_OK if YES. */
static sotto_status expect_yes(const sot_pair *pair, sot_pair_which which, answer found,
                               sotto_error *error)
{
    if (found == YES) return SOTTO_OK;
    return found == NO ? refuse_second(pair, error)
                       : sot_file_fail(error, "look at", pair->paths[which], errno);
}

static sotto_status lock(const sot_pair *pair, sot_pair_which which, int file,
                         sotto_error *error)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return SOTTO_OK;
    return errno == EWOULDBLOCK ? refuse_second(pair, error)
                                : sot_file_fail(error, "lock", pair->paths[which], errno);
}

/* Locks the existing file. Between open and flock another process may have renamed or removed it.
 * Then the lock is on a file without that name, and the name is looked up again. */
static sotto_status lock_existing(sot_pair *pair, sot_pair_which which,
                                  sotto_error *error)
{
    struct stat facts;
    for (int tries = 0; tries < TRIES; tries++) {
        const int file = openat(pair->directory, pair->names[which],
                                O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (file < 0 && errno == ENOENT) return SOTTO_OK;
        if (file < 0 && errno == ELOOP)
            return refuse(pair, which, "is a symbolic link; remove it", error);
        if (file < 0) return sot_file_fail(error, "open", pair->paths[which], errno);
        sotto_status status =
            fstat(file, &facts) != 0
                ? sot_file_fail(error, "look at", pair->paths[which], errno)
            : !S_ISREG(facts.st_mode) || facts.st_uid != geteuid()
                ? refuse(pair, which, "is not a regular file of yours; remove it", error)
                : lock(pair, which, file, error);
        const answer found = status == SOTTO_OK ? has_name(pair, which, file) : NO;
        if (found == YES) {
            pair->files[which] = file;
            return SOTTO_OK;
        }
        if (found == UNKNOWN) status = expect_yes(pair, which, found, error);
        (void)close(file);
        if (status != SOTTO_OK) return status;
    }
    return refuse_second(pair, error);
}

static sotto_status set_names(sot_pair *pair, const char *path, sotto_error *error)
{
    static const char end[] = ".next";
    const size_t length = strlen(path);
    for (int i = 0; i < FILES; i++) {
        pair->paths[i] = sot_new_array(length + sizeof end, 1);
        if (pair->paths[i] == NULL) return sot_fail_memory(error, length + sizeof end, 1);
        memcpy(pair->paths[i], path, length);
        if (i == SOT_PAIR_STAGED) memcpy(pair->paths[i] + length, end, sizeof end);
    }
    const sotto_status status =
        sot_file_open_directory(pair->paths[SOT_PAIR_PLACED],
                                &pair->names[SOT_PAIR_PLACED], &pair->directory, error);
    if (status != SOTTO_OK) return status;
    pair->names[SOT_PAIR_STAGED] =
        pair->paths[SOT_PAIR_STAGED] +
        (pair->names[SOT_PAIR_PLACED] - pair->paths[SOT_PAIR_PLACED]);
    return SOTTO_OK;
}

sotto_status sot_pair_open(const char *path, sot_pair **out_pair, sotto_error *error)
{
    sot_pair *pair = sot_new_array(1, sizeof *pair);
    if (pair == NULL) return sot_fail_memory(error, 1, sizeof *pair);
    *pair = (sot_pair){.directory = -1, .files = {-1, -1}};
    sotto_status status = set_names(pair, path, error);
    if (status == SOTTO_OK) status = lock_existing(pair, SOT_PAIR_PLACED, error);
    if (status == SOTTO_OK) status = lock_existing(pair, SOT_PAIR_STAGED, error);
    if (status != SOTTO_OK) {
        sot_pair_close(pair);
        return status;
    }
    *out_pair = pair;
    return SOTTO_OK;
}

static void close_file(sot_pair *pair, sot_pair_which which)
{
    if (pair->files[which] >= 0) (void)close(pair->files[which]); /* and unlocks */
    pair->files[which] = -1;
}

void sot_pair_close(sot_pair *pair)
{
    if (pair == NULL) return;
    close_file(pair, SOT_PAIR_STAGED);
    close_file(pair, SOT_PAIR_PLACED);
    if (pair->directory >= 0) (void)close(pair->directory);
    for (int i = 0; i < FILES; i++)
        sot_free(pair->paths[i]);
    sot_free(pair);
}

bool sot_pair_has(const sot_pair *pair, sot_pair_which which)
{
    return pair->files[which] >= 0;
}

sotto_status sot_pair_read(const sot_pair *pair, sot_pair_which which,
                           size_t size_max_bytes, char **out_bytes,
                           size_t *out_size_bytes, sotto_error *error)
{
    const int copy = fcntl(pair->files[which], F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return sot_file_fail(error, "read", pair->paths[which], errno);
    FILE *stream = lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "rb") : NULL;
    if (stream == NULL) {
        const sotto_status status =
            sot_file_fail(error, "read", pair->paths[which], errno);
        (void)close(copy);
        return status;
    }
    const sotto_status status = sot_file_read_stream(
        stream, pair->paths[which], size_max_bytes, out_bytes, out_size_bytes, error);
    (void)fclose(stream); /* nothing was written */
    return status;
}

/* Checks that only the file that this process has locked has the name FILE. */
static answer is_still_ours(const sot_pair *pair)
{
    struct stat named;
    if (pair->files[SOT_PAIR_PLACED] >= 0)
        return has_name(pair, SOT_PAIR_PLACED, pair->files[SOT_PAIR_PLACED]);
    if (fstatat(pair->directory, pair->names[SOT_PAIR_PLACED], &named,
                AT_SYMLINK_NOFOLLOW) == 0)
        return NO;
    return errno == ENOENT ? YES : UNKNOWN;
}

/* Creates and locks a new FILE.next. If two processes begin at once, one finds that the name is
 * taken, that it is locked, or that FILE was created since it looked. */
static sotto_status create(sot_pair *pair, sotto_error *error)
{
    const int file = openat(pair->directory, pair->names[SOT_PAIR_STAGED],
                            O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) return refuse_second(pair, error);
    if (file < 0)
        return sot_file_fail(error, "write", pair->paths[SOT_PAIR_STAGED], errno);
    sotto_status status = lock(pair, SOT_PAIR_STAGED, file, error);
    if (status == SOTTO_OK)
        status = expect_yes(pair, SOT_PAIR_STAGED, has_name(pair, SOT_PAIR_STAGED, file),
                            error);
    if (status != SOTTO_OK) {
        (void)close(file);
        return status;
    }
    pair->files[SOT_PAIR_STAGED] = file;
    status = expect_yes(pair, SOT_PAIR_PLACED, is_still_ours(pair), error);
    if (status != SOTTO_OK) sot_pair_remove(pair, SOT_PAIR_STAGED);
    return status;
}

sotto_status sot_pair_stage(sot_pair *pair, const void *bytes, size_t size_bytes,
                            sotto_error *error)
{
    sot_pair_remove(pair, SOT_PAIR_STAGED);
    const sotto_status status = create(pair, error);
    if (status != SOTTO_OK) return status;
    const int file = pair->files[SOT_PAIR_STAGED];
    if (sot_file_put(file, bytes, size_bytes) && sot_file_sync(file) &&
        sot_file_sync_directory(pair->directory))
        return SOTTO_OK;
    const int code = errno;
    sot_pair_remove(pair, SOT_PAIR_STAGED);
    return sot_file_fail(error, "write", pair->paths[SOT_PAIR_STAGED], code);
}

sotto_status sot_pair_take_space(const sot_pair *pair, size_t size_bytes,
                                 sotto_error *error)
{
    struct stat facts;
    const int file = pair->files[SOT_PAIR_STAGED];
    if (fstat(file, &facts) != 0)
        return sot_file_fail(error, "write", pair->paths[SOT_PAIR_STAGED], errno);
    while (fallocate(file, FALLOC_FL_KEEP_SIZE, facts.st_size, (off_t)size_bytes) != 0) {
        if (errno == EINTR) continue;
        if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
            return sot_file_fail(error, "reserve space for", pair->paths[SOT_PAIR_PLACED],
                                 errno);
        break; /* it cannot reserve, or has a limit of its own */
    }
    return SOTTO_OK;
}

void sot_pair_free_space(const sot_pair *pair)
{
    struct stat facts;
    const int file = pair->files[SOT_PAIR_PLACED];
    if (file < 0 || fstat(file, &facts) != 0) return;
    const off_t all = (off_t)1 << 40;
    (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, facts.st_size, all);
}

sotto_status sot_pair_place(sot_pair *pair, sotto_error *error)
{
    const sotto_status status =
        expect_yes(pair, SOT_PAIR_PLACED, is_still_ours(pair), error);
    if (status != SOTTO_OK) return status;
    if (!sot_file_rename(pair->directory, pair->names[SOT_PAIR_STAGED],
                         pair->names[SOT_PAIR_PLACED]))
        return sot_file_fail(error, "write", pair->paths[SOT_PAIR_PLACED], errno);
    close_file(pair, SOT_PAIR_PLACED);
    pair->files[SOT_PAIR_PLACED] = pair->files[SOT_PAIR_STAGED];
    pair->files[SOT_PAIR_STAGED] = -1;
    if (sot_file_sync_directory(pair->directory)) return SOTTO_OK;
    return sot_file_fail(error, "make durable", pair->paths[SOT_PAIR_PLACED], errno);
}

void sot_pair_remove(sot_pair *pair, sot_pair_which which)
{
    if (pair->files[which] < 0) return;
    if (has_name(pair, which, pair->files[which]) == YES)
        (void)unlinkat(pair->directory, pair->names[which], 0);
    close_file(pair, which);
}
