#include "data/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* Large enough that the calls cost nothing, small enough to stay in the second-level cache. */
enum { BLOCK_BYTES = 1 << 18 };

/* The buffer: [0, begin) used up, [begin, end) read and not yet used. Its room is that of a line,
 * of a block and of the slack. */
struct sot_lines {
    char *path;
    int descriptor; /* of a plain file; -1: `file` has it */
    gzFile file;
    char *buffer;
    size_t line_bytes_max;
    size_t room_bytes;
    size_t begin, end;
    size_t touched; /* bytes of the buffer that ever held something */
    bool at_end;    /* of the file */
    bool was_cut;   /* the last line */
    bool skipping;  /* the rest of a line that was cut is still to be passed over */
};

/* Up to a block of bytes; 0 at the end, below 0 when they cannot be had. */
static ssize_t read_block(const sot_lines *lines, char *bytes)
{
    if (lines->file == NULL) {
        ssize_t got;
        do {
            got = read(lines->descriptor, bytes, BLOCK_BYTES);
        } while (got < 0 && errno == EINTR);
        return got;
    }
    const int got = gzread(lines->file, bytes, BLOCK_BYTES);
    int code = Z_OK;
    (void)gzerror(lines->file, &code);
    return got == 0 && code == Z_BUF_ERROR ? -1 : got; /* cut short */
}

/* One more block behind what is there; the caller made room for it. */
static sotto_status fill(sot_lines *lines, sotto_error *error)
{
    const ssize_t got = read_block(lines, lines->buffer + lines->end);
    if (got < 0) {
        return sot_fail(error, SOTTO_IO,
                        "%.150s cannot be read to its end; is it damaged?", lines->path);
    }
    lines->end += (size_t)got;
    if (lines->end > lines->touched) lines->touched = lines->end;
    lines->at_end = got == 0;
    return SOTTO_OK;
}

/* Moves what is not yet used to the front, so that a block fits behind it. */
static void make_room(sot_lines *lines)
{
    const size_t left = lines->end - lines->begin;
    if (lines->begin > 0) memmove(lines->buffer, lines->buffer + lines->begin, left);
    lines->begin = 0;
    lines->end = left;
}

/* Passes over everything up to and with the next line feed. */
static sotto_status skip_rest(sot_lines *lines, sotto_error *error)
{
    for (;;) {
        const char *start = lines->buffer + lines->begin;
        const char *newline = memchr(start, '\n', lines->end - lines->begin);
        if (newline != NULL) {
            lines->begin += (size_t)(newline - start) + 1;
            break;
        }
        lines->begin = lines->end = 0;
        const sotto_status status = fill(lines, error);
        if (status != SOTTO_OK) return status;
        if (lines->at_end) break;
    }
    lines->skipping = false;
    return SOTTO_OK;
}

/* *out_bytes of the buffer, from lines->begin, up to a line feed, the end of the file, or as much
 * of a line as is kept. *out_ended: there is a line feed behind them. */
static sotto_status find_end(sot_lines *lines, size_t *out_bytes, bool *out_ended,
                             sotto_error *error)
{
    size_t searched = 0;
    for (;;) {
        const char *start = lines->buffer + lines->begin;
        const size_t available = lines->end - lines->begin;
        const char *newline = available == searched
                                  ? NULL
                                  : memchr(start + searched, '\n', available - searched);
        *out_ended = newline != NULL;
        *out_bytes = newline != NULL ? (size_t)(newline - start) : available;
        if (newline != NULL || available > lines->line_bytes_max || lines->at_end)
            return SOTTO_OK;
        searched = available;
        make_room(lines);
        const sotto_status status = fill(lines, error);
        if (status != SOTTO_OK) return status;
    }
}

sotto_status sot_lines_next(sot_lines *lines, char **out_line, size_t *out_bytes,
                            bool *out_more, sotto_error *error)
{
    bool ended = false;
    size_t bytes = 0;
    sotto_status status = SOTTO_OK;
    if (lines->skipping) status = skip_rest(lines, error);
    if (status == SOTTO_OK) status = find_end(lines, &bytes, &ended, error);
    if (status != SOTTO_OK) return status;
    char *line = lines->buffer + lines->begin;
    *out_more = ended || bytes > 0;
    lines->was_cut = bytes > lines->line_bytes_max;
    lines->begin += bytes + (ended ? 1 : 0);
    if (lines->was_cut) {
        /* A line within one block may end in the buffer; of any other the rest is still out. */
        lines->skipping = !ended;
        bytes = lines->line_bytes_max;
    } else if (bytes > 0 && line[bytes - 1] == '\r') {
        bytes--;
    }
    line[bytes] = '\n';
    *out_line = line;
    *out_bytes = bytes;
    return SOTTO_OK;
}

bool sot_lines_was_cut(const sot_lines *lines)
{
    return lines->was_cut;
}

bool sot_name_ends(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t end_length = strlen(end);
    return length >= end_length && strcasecmp(name + length - end_length, end) == 0;
}

/* Read as lines these would be records without sense, and nothing would tell. */
static sotto_status check_name(const char *path, sotto_error *error)
{
    static const char *const ends[] = {".bz2", ".xz",  ".zst", ".zip",
                                       ".7z",  ".tar", ".tgz"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (!sot_name_ends(path, ends[i])) continue;
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.120s is packed in a way that is not read here; unpack it, or "
                        "pack it with gzip",
                        path);
    }
    return SOTTO_OK;
}

static sotto_status open_file(sot_lines *lines, const char *path, sot_packing packing,
                              sotto_error *error)
{
    char reason[96];
    struct stat facts;
    lines->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (lines->descriptor < 0 || fstat(lines->descriptor, &facts) != 0) {
        return sot_fail(error, SOTTO_IO, "cannot open %.120s: %s", path,
                        sot_errno_text(errno, reason, sizeof reason));
    }
    if (S_ISDIR(facts.st_mode)) {
        return sot_fail(error, SOTTO_IO, "%.150s is a directory; give a file of records",
                        path);
    }
    if (packing == SOT_PACKED_BY_NAME && !sot_name_ends(path, ".gz")) return SOTTO_OK;
    lines->file = gzdopen(lines->descriptor, "rb");
    if (lines->file == NULL) return sot_fail_memory(error, 1, BLOCK_BYTES);
    lines->descriptor = -1;
    return SOTTO_OK;
}

sotto_status sot_lines_open(const char *path, sot_packing packing, size_t line_bytes_max,
                            sot_lines **out_lines, sotto_error *error)
{
    sotto_status status = check_name(path, error);
    if (status != SOTTO_OK) return status;
    sot_lines *lines = sot_new_array(1, sizeof *lines);
    if (lines == NULL) return sot_fail_memory(error, 1, sizeof *lines);
    lines->descriptor = -1;
    lines->line_bytes_max = line_bytes_max;
    lines->room_bytes = line_bytes_max + 1 + BLOCK_BYTES + SOT_LINES_SLACK;
    lines->path = sot_copy_string(path);
    lines->buffer = sot_new_array(lines->room_bytes, 1);
    status = lines->path == NULL || lines->buffer == NULL
                 ? sot_fail_memory(error, lines->room_bytes, 1)
                 : open_file(lines, path, packing, error);
    if (status != SOTTO_OK) {
        sot_lines_close(lines);
        return status;
    }
    *out_lines = lines;
    return SOTTO_OK;
}

void sot_lines_close(sot_lines *lines)
{
    if (lines == NULL) return;
    if (lines->file != NULL) (void)gzclose(lines->file);
    if (lines->descriptor >= 0) (void)close(lines->descriptor);
    sot_free(lines->path);
    sot_wipe_and_free(lines->buffer, lines->touched);
    sot_free(lines);
}
