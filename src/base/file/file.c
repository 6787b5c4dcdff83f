#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    NAME_SHOWN_BYTES = 120, /* of a path, in a message */
    READ_FIRST_BYTES = 16384
};

sotto_status sot_file_fail(sotto_error *error, const char *doing, const char *path,
                           int code)
{
    char shown[NAME_SHOWN_BYTES], text[64];
    return sot_fail(error, SOTTO_IO, "cannot %s %s: %s", doing,
                    sot_printable(path, shown, sizeof shown),
                    sot_errno_text(code, text, sizeof text));
}

sotto_status sot_file_fail_because(sotto_error *error, const char *doing,
                                   const char *path, const char *reason)
{
    char shown[NAME_SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO, "cannot %s %s: %s", doing,
                    sot_printable(path, shown, sizeof shown), reason);
}

sotto_status sot_file_check_limit(const char *path, uint64_t size_bytes,
                                  sotto_error *error)
{
    struct rlimit limit;
    char shown[NAME_SHOWN_BYTES];
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        size_bytes <= limit.rlim_cur)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "cannot write %s: the limit on file sizes is %llu bytes, and it may "
                    "need %llu; raise it with ulimit -f",
                    sot_printable(path, shown, sizeof shown),
                    (unsigned long long)limit.rlim_cur, (unsigned long long)size_bytes);
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

sotto_status sot_file_open_directory(const char *path, const char **out_name,
                                     int *out_directory, sotto_error *error)
{
    const char *slash = strrchr(path, '/');
    *out_name = slash != NULL ? slash + 1 : path;
    if (**out_name == '\0')
        return sot_file_fail_because(error, "write", path, "it names a directory");
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

/* The directory and the name in it, of a file that is not there yet. */
static bool find_directory(const char *path, const char **out_name, struct stat *out)
{
    int directory = -1;
    if (sot_file_open_directory(path, out_name, &directory, NULL) != SOTTO_OK)
        return false;
    const bool found = fstat(directory, out) == 0;
    (void)close(directory);
    return found;
}

bool sot_file_is_same(const char *a, const char *b)
{
    struct stat first, second;
    const char *first_name = NULL, *second_name = NULL;
    if (strcmp(a, b) == 0) return true;
    const bool has_first = stat(a, &first) == 0, has_second = stat(b, &second) == 0;
    if (has_first != has_second) return false;
    if (!has_first && (!find_directory(a, &first_name, &first) ||
                       !find_directory(b, &second_name, &second) ||
                       strcmp(first_name, second_name) != 0))
        return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
