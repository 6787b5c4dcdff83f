#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_steps.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    NAME_SHOWN_BYTES = 120, /* of a path, in a message */
    READ_FIRST_BYTES = 16384,
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

sotto_status sot_file_fail(sotto_error *error, const char *doing, const char *path,
                           int code)
{
    char shown[NAME_SHOWN_BYTES], text[64];
    return sot_fail(error, SOTTO_IO, "cannot %s %s: %s", doing,
                    sot_printable(path, shown, sizeof shown),
                    sot_errno_text(code, text, sizeof text));
}

static sotto_status fail_because(sotto_error *error, const char *doing, const char *path,
                                 const char *reason)
{
    char shown[NAME_SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO, "cannot %s %s: %s", doing,
                    sot_printable(path, shown, sizeof shown), reason);
}

static sotto_status fail_too_large(sotto_error *error, const char *name,
                                   size_t size_max_bytes)
{
    char shown[NAME_SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO, "cannot read %s: it has more than %zu bytes",
                    sot_printable(name, shown, sizeof shown), size_max_bytes);
}

sotto_status sot_file_read_stream(FILE *stream, const char *name, size_t size_max_bytes,
                                  char **out_bytes, size_t *out_size_bytes,
                                  sotto_error *error)
{
    if (size_max_bytes > SIZE_MAX / 4) size_max_bytes = SIZE_MAX / 4;
    size_t capacity = READ_FIRST_BYTES, size = 0;
    char *bytes = sot_new_array(capacity + 1, 1);
    if (bytes == NULL) return sot_fail_memory(error, capacity + 1, 1);
    sotto_status status = SOTTO_OK;
    for (;;) {
        size += fread(bytes + size, 1, capacity - size, stream);
        if (size > size_max_bytes) {
            status = fail_too_large(error, name, size_max_bytes);
            break;
        }
        if (ferror(stream)) {
            status = sot_file_fail(error, "read", name, errno);
            break;
        }
        if (size < capacity) break; /* the end */
        char *grown = sot_resize_array(bytes, capacity + 1, capacity * 2 + 1, 1);
        if (grown == NULL) {
            status = sot_fail_memory(error, capacity * 2 + 1, 1);
            break;
        }
        bytes = grown;
        capacity *= 2;
    }
    if (status != SOTTO_OK) {
        sot_free(bytes);
        return status;
    }
    bytes[size] = '\0';
    *out_bytes = bytes;
    *out_size_bytes = size;
    return SOTTO_OK;
}

sotto_status sot_file_read(const char *path, size_t size_max_bytes, char **out_bytes,
                           size_t *out_size_bytes, sotto_error *error)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return sot_file_fail(error, "read", path, errno);
    FILE *stream = fdopen(descriptor, "rb");
    if (stream == NULL) {
        const sotto_status status = sot_file_fail(error, "read", path, errno);
        (void)close(descriptor);
        return status;
    }
    const sotto_status status = sot_file_read_stream(stream, path, size_max_bytes,
                                                     out_bytes, out_size_bytes, error);
    (void)fclose(stream); /* nothing was written */
    return status;
}

/* A file being replaced. */
typedef struct replacement {
    const char *path;
    const char *name;   /* the last part of the path */
    int directory;      /* descriptor, or -1 */
    int file;           /* descriptor of the temporary, or -1 */
    char temporary[48]; /* its name in the directory; empty when there is none */
} replacement;

sotto_status sot_file_open_directory(const char *path, const char **out_name,
                                     int *out_directory, sotto_error *error)
{
    const char *slash = strrchr(path, '/');
    *out_name = slash != NULL ? slash + 1 : path;
    if (**out_name == '\0')
        return fail_because(error, "write", path, "it names a directory");
    const size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    char *directory = sot_new_array(length + 2, 1);
    if (directory == NULL) return sot_fail_memory(error, length + 2, 1);
    memcpy(directory, path, length);
    if (length == 0) directory[0] = slash != NULL ? '/' : '.';
    *out_directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int code = errno;
    sot_free(directory);
    if (*out_directory < 0) return sot_file_fail(error, "write", path, code);
    return SOTTO_OK;
}

static sotto_status check_target(const replacement *write, sotto_error *error)
{
    struct stat target;
    if (fstatat(write->directory, write->name, &target, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return SOTTO_OK;
        return sot_file_fail(error, "write", write->path, errno);
    }
    if (S_ISLNK(target.st_mode))
        return fail_because(error, "write", write->path,
                            "it is a symbolic link; name the file itself");
    if (S_ISDIR(target.st_mode))
        return fail_because(error, "write", write->path, "it is a directory");
    if (!S_ISREG(target.st_mode))
        return fail_because(error, "write", write->path, "it is not a regular file");
    return SOTTO_OK;
}

/* A name that is taken (another thread, a crashed run) is passed over. That names can be
 * guessed does no harm: O_EXCL never opens what somebody else has put there. */
static sotto_status open_temporary(replacement *write, mode_t mode, sotto_error *error)
{
    for (int n = 0; n < TEMPORARY_NAMES; n++) {
        (void)snprintf(write->temporary, sizeof write->temporary, ".sotto-%ld-%d.tmp",
                       (long)getpid(), n);
        write->file =
            FAULT_AT(SOT_FILE_OPEN)
                ? -1
                : openat(write->directory, write->temporary,
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (write->file >= 0) return SOTTO_OK;
        write->temporary[0] = '\0';
        if (errno != EEXIST) break;
    }
    return sot_file_fail(error, "write", write->path, errno);
}

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

/* close() ends the descriptor also when it fails. */
static bool close_file(replacement *write)
{
    const int file = write->file;
    write->file = -1;
    const bool fault = FAULT_AT(SOT_FILE_CLOSE);
    const bool closed = close(file) == 0;
    if (fault) errno = EIO;
    return closed && !fault;
}

bool sot_file_rename(int directory, const char *from, const char *to)
{
    if (FAULT_AT(SOT_FILE_RENAME)) return false;
    return renameat(directory, from, directory, to) == 0;
}

static bool rename_file(replacement *write)
{
    if (!sot_file_rename(write->directory, write->temporary, write->name)) return false;
    write->temporary[0] = '\0';
    return true;
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

static void clean_up(replacement *write)
{
    if (write->file >= 0) (void)close(write->file);
    if (write->temporary[0] != '\0')
        (void)unlinkat(write->directory, write->temporary, 0);
    if (write->directory >= 0) (void)close(write->directory);
}

sotto_status sot_file_write(const char *path, const void *bytes, size_t size_bytes,
                            mode_t mode, sotto_error *error)
{
    replacement write = {.path = path, .directory = -1, .file = -1};
    sotto_status status =
        sot_file_open_directory(path, &write.name, &write.directory, error);
    if (status == SOTTO_OK) status = check_target(&write, error);
    if (status == SOTTO_OK) status = open_temporary(&write, mode, error);
    if (status != SOTTO_OK) goto done;

    if (!sot_file_put(write.file, bytes, size_bytes) || !sot_file_sync(write.file) ||
        !close_file(&write) || !rename_file(&write)) {
        status = sot_file_fail(error, "write", path, errno);
        goto done;
    }
    if (!sot_file_sync_directory(write.directory))
        status = fail_because(error, "make durable", path,
                              "it is written, but its directory could not be synced");
done:
    clean_up(&write);
    return status;
}

sotto_status sot_file_check_write(const char *path, sotto_error *error)
{
    replacement write = {.path = path, .directory = -1, .file = -1};
    sotto_status status =
        sot_file_open_directory(path, &write.name, &write.directory, error);
    if (status == SOTTO_OK) status = check_target(&write, error);
    if (status == SOTTO_OK &&
        faccessat(write.directory, ".", W_OK | X_OK, AT_EACCESS) != 0)
        status = sot_file_fail(error, "write", path, errno);
    clean_up(&write);
    return status;
}

bool sot_file_is_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
