#include "data/readers/lines.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Large enough that the calls cost nothing, small enough to stay in the second-level cache. */
enum { BLOCK_BYTES = 1 << 18 };

/* The buffer: [0, begin) used up, [begin, end) read and not yet used. Its room is that of a line,
 * of a block and of the slack. */
struct sot_lines {
    sot_bytes *bytes; /* NULL: lines in memory */
    char *buffer;     /* owned, or the block in memory */
    size_t line_bytes_max;
    size_t room_bytes;
    size_t begin, end;
    size_t touched; /* bytes of the buffer that ever held something */
    bool at_end;    /* of the file */
    bool was_cut;   /* the last line */
    bool has_rest;  /* a truncated line may have more bytes, from `begin` on */
    bool is_masked; /* a line feed stands where the rest begins, with this byte */
    char first_of_rest;
};

/* Reads one more block behind the current bytes; the caller made room for it. */
static sotto_status fill(sot_lines *lines, sotto_error *error)
{
    size_t got = 0;
    if (lines->bytes == NULL) {
        lines->at_end = true;
        return SOTTO_OK;
    }
    const sotto_status status = sot_bytes_read(lines->bytes, lines->buffer + lines->end,
                                               BLOCK_BYTES, &got, error);
    if (status != SOTTO_OK) return status;
    lines->end += got;
    if (lines->end > lines->touched) lines->touched = lines->end;
    lines->at_end = got == 0;
    return SOTTO_OK;
}

/* Moves the unused bytes to the front, so that a block fits behind them. */
static void make_room(sot_lines *lines)
{
    const size_t left = lines->end - lines->begin;
    if (lines->begin > 0) memmove(lines->buffer, lines->buffer + lines->begin, left);
    lines->begin = 0;
    lines->end = left;
}

sotto_status sot_lines_rest(sot_lines *lines, const char **out_bytes,
                            size_t *out_size_bytes, sotto_error *error)
{
    *out_size_bytes = 0;
    if (lines->is_masked) lines->buffer[lines->begin] = lines->first_of_rest;
    lines->is_masked = false;
    while (lines->has_rest) {
        if (lines->begin == lines->end) {
            lines->begin = lines->end = 0;
            const sotto_status status = fill(lines, error);
            if (status != SOTTO_OK) return status;
            lines->has_rest = !lines->at_end;
            continue;
        }
        const char *start = lines->buffer + lines->begin;
        const size_t available = lines->end - lines->begin;
        const char *newline = memchr(start, '\n', available);
        *out_bytes = start;
        *out_size_bytes = newline != NULL ? (size_t)(newline - start) : available;
        lines->begin += *out_size_bytes + (newline != NULL ? 1 : 0);
        lines->has_rest = newline == NULL;
        if (*out_size_bytes > 0) break;
    }
    return SOTTO_OK;
}

/* Passes over everything up to and with the next line feed. */
static sotto_status skip_rest(sot_lines *lines, sotto_error *error)
{
    const char *bytes = NULL;
    size_t size_bytes = 0;
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && lines->has_rest)
        status = sot_lines_rest(lines, &bytes, &size_bytes, error);
    return status;
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
    sotto_status status = skip_rest(lines, error);
    if (status == SOTTO_OK) status = find_end(lines, &bytes, &ended, error);
    if (status != SOTTO_OK) return status;
    char *line = lines->buffer + lines->begin;
    *out_more = ended || bytes > 0;
    lines->was_cut = bytes > lines->line_bytes_max;
    lines->has_rest = lines->is_masked = lines->was_cut;
    if (lines->was_cut) {
        bytes = lines->line_bytes_max;
        lines->begin += bytes;
        lines->first_of_rest = line[bytes];
    } else {
        lines->begin += bytes + (ended ? 1 : 0);
        if (bytes > 0 && line[bytes - 1] == '\r') bytes--;
    }
    line[bytes] = '\n';
    *out_line = line;
    *out_bytes = bytes;
    return SOTTO_OK;
}

/* ---- blocks ---- */

/* The bytes of the first lines of the block, each with its line feed: at most `lines_most`. A last line without one
 * counts at the end of the file only. */
static size_t whole_lines(const char *block, size_t size_bytes, size_t lines_most,
                          bool is_last)
{
    size_t taken = 0;
    for (size_t count = 0; count < lines_most && taken < size_bytes; count++) {
        const char *feed = memchr(block + taken, '\n', size_bytes - taken);
        if (feed == NULL) return is_last ? size_bytes : taken;
        taken = (size_t)(feed - block) + 1;
    }
    return taken;
}

/* Fills the block with the next bytes: those of the buffer, then those of the file. */
static sotto_status fill_block(sot_lines *lines, char *block, size_t room,
                               size_t *out_bytes, sotto_error *error)
{
    const size_t left = lines->end - lines->begin;
    size_t filled = left < room ? left : room;
    memcpy(block, lines->buffer + lines->begin, filled);
    lines->begin += filled;
    while (filled < room && !lines->at_end) {
        size_t got = 0;
        const sotto_status status =
            sot_bytes_read(lines->bytes, block + filled, room - filled, &got, error);
        if (status != SOTTO_OK) return status;
        filled += got;
        lines->at_end = got == 0;
    }
    *out_bytes = filled;
    return SOTTO_OK;
}

/* Puts bytes that fill_block() took back in front of the others. */
static void put_back(sot_lines *lines, const char *bytes, size_t count)
{
    if (lines->begin == lines->end) { /* they may come from the file */
        memcpy(lines->buffer, bytes, count);
        lines->begin = 0;
        lines->end = count;
        if (count > lines->touched) lines->touched = count;
        return;
    }
    lines->begin -= count; /* all of them came from the buffer, and stand there */
}

sotto_status sot_lines_take(sot_lines *lines, char *block, size_t room, size_t lines_most,
                            size_t *out_bytes, bool *out_more, sotto_error *error)
{
    size_t filled = 0;
    const size_t most =
        lines->line_bytes_max + BLOCK_BYTES; /* the buffer takes it back */
    if (room > most) room = most;
    sotto_status status = skip_rest(lines, error);
    if (status == SOTTO_OK) status = fill_block(lines, block, room, &filled, error);
    if (status != SOTTO_OK) return status;
    *out_more = filled > 0;
    const bool is_last = lines->at_end && lines->begin == lines->end;
    *out_bytes = whole_lines(block, filled, lines_most, is_last);
    put_back(lines, block + *out_bytes, filled - *out_bytes);
    return SOTTO_OK;
}

sotto_status sot_lines_of_memory(const sot_lines *like, sot_lines **out_lines,
                                 sotto_error *error)
{
    sot_lines *lines = sot_new_array(1, sizeof *lines);
    if (lines == NULL) return sot_fail_memory(error, 1, sizeof *lines);
    lines->line_bytes_max = like->line_bytes_max;
    lines->at_end = true;
    *out_lines = lines;
    return SOTTO_OK;
}

void sot_lines_set_block(sot_lines *lines, char *block, size_t size_bytes)
{
    lines->buffer = block;
    lines->begin = 0;
    lines->end = size_bytes;
    lines->at_end = true;
    lines->was_cut = lines->has_rest = lines->is_masked = false;
}

bool sot_lines_was_cut(const sot_lines *lines)
{
    return lines->was_cut;
}

sotto_status sot_lines_open(const char *path, sot_packing packing, size_t line_bytes_max,
                            sot_lines **out_lines, sotto_error *error)
{
    sot_lines *lines = sot_new_array(1, sizeof *lines);
    if (lines == NULL) return sot_fail_memory(error, 1, sizeof *lines);
    lines->line_bytes_max = line_bytes_max;
    lines->room_bytes = line_bytes_max + 1 + BLOCK_BYTES + SOT_LINES_SLACK;
    sotto_status status = sot_bytes_open(path, packing, &lines->bytes, error);
    if (status == SOTTO_OK) {
        lines->buffer = sot_new_array(lines->room_bytes, 1);
        if (lines->buffer == NULL) status = sot_fail_memory(error, lines->room_bytes, 1);
    }
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
    if (lines->bytes != NULL) sot_wipe_and_free(lines->buffer, lines->touched);
    sot_bytes_close(lines->bytes);
    sot_free(lines);
}
