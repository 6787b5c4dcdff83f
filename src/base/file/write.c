#define _GNU_SOURCE /* O_TMPFILE, renameat2, statx */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"

enum {
    WRITE_PIECE_BYTES = 1 << 20, /* one write(2) takes at most 2 GiB on Linux */
    TEMPORARY_NAMES = 100
};

/* Steps of sot_file_write(), so that tests can break each of them. */
#ifdef SOTTO_TESTING
#include <signal.h>
#include <stdatomic.h>

static atomic_int fault_step;
static atomic_size_t fault_countdown;
static atomic_int fault_kills;

void sot_test_file_fault(sot_file_step step, size_t nth, int killed)
{
    atomic_store(&fault_countdown, nth);
    atomic_store(&fault_kills, killed);
    atomic_store(&fault_step, (int)step);
}

static bool meets_fault(sot_file_step step)
{
    if (atomic_load(&fault_step) != (int)step) return false;
    if (atomic_fetch_sub(&fault_countdown, 1) != 1) return false;
    atomic_store(&fault_step, SOT_FILE_NO_STEP);
    if (atomic_load(&fault_kills)) (void)kill(getpid(), SIGKILL);
    errno = EIO;
    return true;
}
#define FAULT_AT(step) meets_fault(step)
#else
#define FAULT_AT(step) false
#endif

/* ---- steps ---- */

bool sot_file_put(int file, const void *content, size_t size_bytes)
{
    const unsigned char *bytes = content;
    while (size_bytes > 0) {
        const size_t piece =
            size_bytes < WRITE_PIECE_BYTES ? size_bytes : WRITE_PIECE_BYTES;
        const ssize_t written = FAULT_AT(SOT_FILE_WRITE) ? -1 : write(file, bytes, piece);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        size_bytes -= (size_t)written;
    }
    return true;
}

bool sot_file_sync(int file)
{
    if (FAULT_AT(SOT_FILE_SYNC)) return false;
    while (fsync(file) != 0)
        if (errno != EINTR) return false;
    return true;
}

bool sot_file_rename(int directory, const char *from, const char *to)
{
    if (FAULT_AT(SOT_FILE_RENAME)) return false;
    return renameat(directory, from, directory, to) == 0;
}

/* Some file systems cannot sync a directory and say EINVAL: nothing is to be done there. */
bool sot_file_sync_directory(int directory)
{
    if (FAULT_AT(SOT_FILE_SYNC_DIRECTORY)) return false;
    while (fsync(directory) != 0) {
        if (errno == EINVAL) return true;
        if (errno != EINTR) return false;
    }
    return true;
}

/* ---- files without a name ---- */

static const char *path_of(int file, char path[40])
{
    (void)snprintf(path, 40, "/proc/self/fd/%d", file);
    return path;
}

int sot_file_open_nameless(int directory, mode_t mode)
{
    char path[40];
    if (FAULT_AT(SOT_FILE_NAMELESS)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    const int file = FAULT_AT(SOT_FILE_OPEN)
                         ? -1
                         : openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (file < 0) {
        /* A kernel that does not know O_TMPFILE sees an attempt to write to a directory. */
        if (errno == EISDIR || errno == EINVAL || errno == ENOSYS) errno = EOPNOTSUPP;
        return -1;
    }
    if (faccessat(AT_FDCWD, path_of(file, path), F_OK, 0) == 0) return file;
    (void)close(file); /* without /proc it would never get a name */
    errno = EOPNOTSUPP;
    return -1;
}

bool sot_file_link(int file, int directory, const char *name)
{
    char path[40];
    return linkat(AT_FDCWD, path_of(file, path), directory, name, AT_SYMLINK_FOLLOW) == 0;
}

/* ---- temporaries ---- */

static const char temporary_begin[] = ".sotto-", temporary_end[] = ".tmp";

/* The exact form, because a sweep removes files by it: a file of the user with a similar name stays. */
bool sot_file_is_temporary(const char *name)
{
    const size_t begin = sizeof temporary_begin - 1;
    if (strncmp(name, temporary_begin, begin) != 0) return false;
    const char *number = name + begin;
    const size_t digits = strspn(number, "0123456789");
    if (digits == 0 || number[digits] != '-') return false;
    const char *moment = number + digits + 1;
    const size_t length = strspn(moment, "0123456789abcdef");
    return length > 0 && strcmp(moment + length, temporary_end) == 0;
}

static bool has_name(int directory, const char *name, int file)
{
    struct stat open_file, named;
    return fstat(file, &open_file) == 0 &&
           fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/* The writer of a temporary holds a lock on it, which ends with the process. Once locked here, no
 * other process removes the name or writes to the file, so the name cannot come to mean another
 * file. */
static void remove_if_stale(int directory, const char *name)
{
    struct stat facts;
    const int file =
        openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0 && has_name(directory, name, file))
        (void)unlinkat(directory, name, 0);
    (void)close(file);
}

void sot_file_sweep(int directory)
{
    const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    if (entries == NULL) {
        if (copy >= 0) (void)close(copy);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (sot_file_is_temporary(entry->d_name))
            remove_if_stale(directory, entry->d_name);
    (void)closedir(entries);
}

/* ---- a file being written ---- */

struct sot_file_writer {
    char *path;
    const char *name;   /* the last part of the path */
    int directory;      /* descriptor, or -1 */
    int file;           /* descriptor of the temporary, locked, or -1 */
    bool is_nameless;   /* the temporary has had no name yet */
    char temporary[64]; /* its name in the directory; empty when there is none */
};

/* Attributes of a name in the directory; none if the system does not state them. */
static uint64_t attributes_of(int directory, const char *name)
{
    struct statx facts = {0};
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &facts) != 0) return 0;
    return facts.stx_attributes;
}

/* Returns why rename(2) would not put a file in the place of `target`, though the directory may be written to; or
 * NULL. After a charge it would be too late to find out. */
static const char *find_obstacle(const sot_file_writer *writer, const struct stat *target)
{
    struct stat directory;
    const uid_t user = geteuid();
    const uint64_t attributes = attributes_of(writer->directory, writer->name);
    if ((attributes & STATX_ATTR_MOUNT_ROOT) != 0)
        return "it is a mount point, which cannot be replaced; mount its directory "
               "instead";
    if ((attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
        return "it is immutable or append-only; give another name, or chattr -ia it";
    if (user != 0 && fstat(writer->directory, &directory) == 0 &&
        (directory.st_mode & S_ISVTX) != 0 && directory.st_uid != user &&
        target->st_uid != user)
        return "it belongs to another user, and its directory is sticky; give another "
               "name";
    return NULL;
}

/* Refuses names and directories in which a written file would not stay or could not get its name. */
static sotto_status check_place(const sot_file_writer *writer, sotto_error *error)
{
    if (sot_file_is_temporary(writer->name))
        return sot_file_fail_because(error, "write", writer->path,
                                     "the name is that of a temporary file, which the "
                                     "next command removes; give another name");
    if ((attributes_of(writer->directory, ".") & STATX_ATTR_APPEND) != 0)
        return sot_file_fail_because(error, "write", writer->path,
                                     "its directory is append-only; chattr -a it, or "
                                     "give another directory");
    return SOTTO_OK;
}

static sotto_status check_target(const sot_file_writer *writer, sotto_error *error)
{
    struct stat target;
    const sotto_status status = check_place(writer, error);
    if (status != SOTTO_OK) return status;
    if (fstatat(writer->directory, writer->name, &target, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return SOTTO_OK;
        return sot_file_fail(error, "write", writer->path, errno);
    }
    if (S_ISLNK(target.st_mode))
        return sot_file_fail_because(error, "write", writer->path,
                                     "it is a symbolic link; name the file itself");
    if (S_ISDIR(target.st_mode))
        return sot_file_fail_because(error, "write", writer->path, "it is a directory");
    if (!S_ISREG(target.st_mode))
        return sot_file_fail_because(error, "write", writer->path,
                                     "it is not a regular file");
    const char *obstacle = find_obstacle(writer, &target);
    return obstacle == NULL
               ? SOTTO_OK
               : sot_file_fail_because(error, "write", writer->path, obstacle);
}

/* A new file, locked. A process that sweeps may lock it first and remove it: then the next name is tried. File systems
 * without locks are fine: nothing is swept there. */
static bool create(sot_file_writer *writer, mode_t mode)
{
    writer->file = FAULT_AT(SOT_FILE_OPEN)
                       ? -1
                       : openat(writer->directory, writer->temporary,
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (writer->file < 0) return false;
    if ((flock(writer->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        has_name(writer->directory, writer->temporary, writer->file))
        return true;
    (void)close(writer->file);
    writer->file = -1;
    errno = EEXIST;
    return false;
}

/* The clock is in the name. So the file of an old process with the same number, or of one in
 * another container, does not collide. Predictable names do no harm: no existing file is opened
 * or replaced. */
static void choose_name(sot_file_writer *writer, int attempt)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(writer->temporary, sizeof writer->temporary, "%s%ld-%lx%08lx%s",
                   temporary_begin, (long)getpid(), (unsigned long)now.tv_sec,
                   (unsigned long)now.tv_nsec + (unsigned long)attempt, temporary_end);
}

static bool create_named(sot_file_writer *writer, mode_t mode)
{
    for (int n = 0; n < TEMPORARY_NAMES; n++) {
        choose_name(writer, n);
        if (create(writer, mode)) return true;
        if (errno != EEXIST) break;
    }
    writer->temporary[0] = '\0';
    return false;
}

/* Where the system has files without a name, a process that is killed or interrupted leaves nothing behind. */
static sotto_status open_temporary(sot_file_writer *writer, mode_t mode,
                                   sotto_error *error)
{
    writer->file = sot_file_open_nameless(writer->directory, mode);
    writer->is_nameless = writer->file >= 0;
    if (writer->is_nameless || (errno == EOPNOTSUPP && create_named(writer, mode)))
        return SOTTO_OK;
    return sot_file_fail(error, "write", writer->path, errno);
}

sotto_status sot_file_begin(const char *path, mode_t mode, sot_file_writer **out_writer,
                            sotto_error *error)
{
    sot_file_writer *writer = sot_new_array(1, sizeof *writer);
    if (writer == NULL) return sot_fail_memory(error, 1, sizeof *writer);
    *writer =
        (sot_file_writer){.path = sot_copy_string(path), .directory = -1, .file = -1};
    sotto_status status = writer->path == NULL
                              ? sot_fail_memory(error, strlen(path) + 1, 1)
                              : sot_file_open_directory(writer->path, &writer->name,
                                                        &writer->directory, error);
    if (status == SOTTO_OK) status = check_target(writer, error);
    if (status == SOTTO_OK) {
        sot_file_sweep(writer->directory);
        status = open_temporary(writer, mode, error);
    }
    if (status != SOTTO_OK) {
        sot_file_abandon(writer);
        return status;
    }
    *out_writer = writer;
    return SOTTO_OK;
}

sotto_status sot_file_add(sot_file_writer *writer, const void *bytes, size_t size_bytes,
                          sotto_error *error)
{
    if (sot_file_put(writer->file, bytes, size_bytes)) return SOTTO_OK;
    return sot_file_fail(error, "write", writer->path, errno);
}

/* A name that is free; EEXIST otherwise. Some file systems know only link(2). */
static bool place_new(sot_file_writer *writer)
{
    const int directory = writer->directory;
    if (FAULT_AT(SOT_FILE_RENAME)) return false;
    if (writer->is_nameless) return sot_file_link(writer->file, directory, writer->name);
    if (renameat2(directory, writer->temporary, directory, writer->name,
                  RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (linkat(directory, writer->temporary, directory, writer->name, 0) != 0)
        return false;
    (void)unlinkat(directory, writer->temporary, 0);
    return true;
}

/* Gives a file without a name the name of a temporary, under a lock as create() does: only rename(2) replaces a file. */
static bool give_name(sot_file_writer *writer)
{
    (void)flock(writer->file, LOCK_EX | LOCK_NB);
    for (int n = 0; n < TEMPORARY_NAMES; n++) {
        choose_name(writer, n);
        if (sot_file_link(writer->file, writer->directory, writer->temporary)) {
            writer->is_nameless = false;
            return true;
        }
        if (errno != EEXIST) break;
    }
    writer->temporary[0] = '\0';
    return false;
}

/* close() ends the descriptor also when it fails. Closed behind the rename, so that the temporary is locked as long as
 * it has its name; its bytes were synced. */
static bool place(sot_file_writer *writer, bool is_new)
{
    if (!sot_file_sync(writer->file) || FAULT_AT(SOT_FILE_CLOSE)) return false;
    if (!is_new && writer->is_nameless && !give_name(writer)) return false;
    if (is_new ? !place_new(writer)
               : !sot_file_rename(writer->directory, writer->temporary, writer->name))
        return false;
    writer->temporary[0] = '\0';
    return true;
}

sotto_status sot_file_finish(sot_file_writer *writer, bool is_new, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    int code = 0;
    if (!place(writer, is_new)) {
        code = errno;
        status = sot_file_fail(error, "write", writer->path, code);
    } else if (!sot_file_sync_directory(writer->directory)) {
        status =
            sot_file_fail_because(error, "make durable", writer->path,
                                  "it is written, but its directory could not be synced");
    }
    errno = code;
    return status;
}

void sot_file_unlink(const sot_file_writer *writer)
{
    if (writer != NULL && writer->temporary[0] != '\0')
        (void)unlinkat(writer->directory, writer->temporary, 0);
}

void sot_file_abandon(sot_file_writer *writer)
{
    if (writer == NULL) return;
    sot_file_unlink(writer);
    if (writer->file >= 0) (void)close(writer->file);
    if (writer->directory >= 0) (void)close(writer->directory);
    sot_free(writer->path);
    sot_free(writer);
}

sotto_status sot_file_write(const char *path, const void *bytes, size_t size_bytes,
                            mode_t mode, sotto_error *error)
{
    sot_file_writer *writer = NULL;
    sotto_status status = sot_file_begin(path, mode, &writer, error);
    if (status != SOTTO_OK) return status;
    status = sot_file_add(writer, bytes, size_bytes, error);
    if (status == SOTTO_OK) status = sot_file_finish(writer, false, error);
    sot_file_abandon(writer);
    return status;
}

sotto_status sot_file_check_write(const char *path, sotto_error *error)
{
    sot_file_writer writer = {.directory = -1, .file = -1};
    writer.path = sot_copy_string(path);
    if (writer.path == NULL) return sot_fail_memory(error, strlen(path) + 1, 1);
    sotto_status status =
        sot_file_open_directory(writer.path, &writer.name, &writer.directory, error);
    if (status == SOTTO_OK) status = check_target(&writer, error);
    if (status == SOTTO_OK &&
        faccessat(writer.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
        status = sot_file_fail(error, "write", path, errno);
    if (writer.directory >= 0) (void)close(writer.directory);
    sot_free(writer.path);
    return status;
}
