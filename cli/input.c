#include "input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frame.h"

enum { FIRST_BYTES = 1 << 16 };

/* Reads up to `size_max_bytes` + 1 bytes: one more than allowed shows that it is too much. */
static sotto_status read_all(FILE *file, size_t size_max_bytes, char **text,
                             size_t *out_size_bytes, sotto_error *error)
{
    size_t capacity = 0, used = 0;
    while (used == capacity && used <= size_max_bytes) {
        size_t wanted = capacity == 0 ? FIRST_BYTES : 2 * capacity;
        if (wanted > size_max_bytes + 1) wanted = size_max_bytes + 1;
        char *grown = realloc(*text, wanted + 1);
        if (grown == NULL) {
            return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the file");
        }
        *text = grown;
        capacity = wanted;
        used += fread(grown + used, 1, capacity - used, file);
    }
    (*text)[used] = '\0';
    *out_size_bytes = used;
    return SOTTO_OK;
}

sotto_status cli_read_file(const char *label, const char *path, size_t size_max_bytes,
                           sotto_status too_large, char **out_text,
                           size_t *out_size_bytes, sotto_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    char *text = NULL;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (file == NULL) {
        return cli_fail(
            error, SOTTO_IO,
            "%s %.100s cannot be opened: %s; give the path of a file, or - for "
            "standard input",
            label, path, strerror(errno));
    }
    errno = 0;
    sotto_status status = read_all(file, size_max_bytes, &text, out_size_bytes, error);
    if (status == SOTTO_OK && ferror(file)) {
        status = cli_fail(error, SOTTO_IO, "%s %.100s cannot be read: %s", label, path,
                          strerror(errno));
    } else if (status == SOTTO_OK && *out_size_bytes > size_max_bytes) {
        status = cli_fail(error, too_large, "%s %.100s is larger than %zu bytes", label,
                          path, size_max_bytes);
    }
    if (!is_stdin) (void)fclose(file);
    if (status != SOTTO_OK) {
        free(text);
        return status;
    }
    *out_text = text;
    return SOTTO_OK;
}

sotto_status cli_write_file(const char *label, const char *path, const char *text,
                            sotto_error *error)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return cli_fail(error, SOTTO_IO, "%s %.100s cannot be written: %s", label, path,
                        strerror(errno));
    }
    const bool written = fputs(text, file) >= 0;
    const bool closed = fclose(file) == 0;
    if (written && closed) return SOTTO_OK;
    const int cause = errno;
    (void)unlink(path);
    return cli_fail(error, SOTTO_IO, "%s %.100s cannot be written: %s", label, path,
                    strerror(cause));
}

sotto_status cli_check_write(const char *label, const char *path, sotto_error *error)
{
    struct stat there;
    if (path == NULL) return SOTTO_OK;
    const bool is_new = stat(path, &there) != 0;
    /* Opening and closing a pipe would tell its reader that all has come. */
    if (!is_new && S_ISFIFO(there.st_mode)) return SOTTO_OK;
    FILE *file = fopen(path, "ab"); /* leaves what is there */
    if (file == NULL) {
        return cli_fail(error, SOTTO_IO, "%s %.100s cannot be written: %s", label, path,
                        strerror(errno));
    }
    (void)fclose(file);
    if (is_new) (void)unlink(path);
    return SOTTO_OK;
}

sotto_status cli_spare(const char *what, const char *path, const char *output,
                       sotto_error *error)
{
    struct stat kept, replaced;
    if (path == NULL || output == NULL) return SOTTO_OK;
    if (strcmp(path, output) != 0 &&
        (stat(output, &replaced) != 0 || stat(path, &kept) != 0 ||
         replaced.st_dev != kept.st_dev || replaced.st_ino != kept.st_ino))
        return SOTTO_OK;
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the output %s would replace the %s; give it a name of its own",
                    output, what);
}
