/* fuzz/lines.h: files in memory, and files that lack one line. */
#ifndef SOTTO_FUZZ_LINES_H
#define SOTTO_FUZZ_LINES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "require.h"

enum { PATH_BYTES = 64 };

/* `header` and the bytes, without those from cut_begin to cut_end. Returns a descriptor to close;
 * `path` leads to it. */
static inline int open_bytes(const char *header, const uint8_t *bytes, size_t size,
                             size_t cut_begin, size_t cut_end, char path[PATH_BYTES])
{
    const int file = memfd_create("fuzz", 0);
    const ssize_t header_bytes = (ssize_t)strlen(header);
    require(file >= 0);
    require(write(file, header, (size_t)header_bytes) == header_bytes);
    require(write(file, bytes, cut_begin) == (ssize_t)cut_begin);
    require(write(file, bytes + cut_end, size - cut_end) == (ssize_t)(size - cut_end));
    (void)snprintf(path, PATH_BYTES, "/proc/self/fd/%d", file);
    return file;
}

/* Lines: the last one may lack its line feed. */
static inline size_t count_lines(const uint8_t *bytes, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    return lines + (size > 0 && bytes[size - 1] != '\n');
}

/* Begin and end of line `number`, its newline included. */
static inline void find_line(const uint8_t *bytes, size_t size, size_t number,
                             size_t *out_begin, size_t *out_end)
{
    size_t begin = 0;
    for (size_t i = 0; i < number; i++)
        begin =
            (size_t)((const uint8_t *)memchr(bytes + begin, '\n', size - begin) - bytes) +
            1;
    const uint8_t *newline = memchr(bytes + begin, '\n', size - begin);
    *out_begin = begin;
    *out_end = newline == NULL ? size : (size_t)(newline - bytes) + 1;
}

#endif
