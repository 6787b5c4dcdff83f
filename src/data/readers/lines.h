/* data/readers/lines.h: a file, plain or gzip-compressed, line by line, in bounded memory.
 *
 * Isolation: a line is the bytes between two line feeds; readers see only one line. A blank line
 * is a line: if it were skipped, the number of records would depend on the content of one.
 *
 * Threads: sot_lines_take() returns whole lines, for readers of lines in memory on other threads. A line that does not
 * fit into their block is read by sot_lines_next(). So the division into blocks decides nothing about a line.
 *
 * Memory: one block and one line. Only the first bytes of a longer line are kept;
 * sot_lines_rest() reads the rest in blocks.
 */
#ifndef SOT_DATA_READERS_LINES_H
#define SOT_DATA_READERS_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

#include "data/readers/bytes.h"

typedef struct sot_lines sot_lines;

/* Bytes that may be read, but mean nothing, behind the last byte of a line: for parsers that look
 * at several bytes at once. */
enum { SOT_LINES_SLACK = 16 };

/* Opens for reading: a file, or a pipe. At most `line_bytes_max` bytes of a line are kept. */
SOTTO_MUST_CHECK sotto_status sot_lines_open(const char *path, sot_packing packing,
                                             size_t line_bytes_max, sot_lines **out_lines,
                                             sotto_error *error);
void sot_lines_close(sot_lines *lines); /* wipes the lines it read; NULL is fine */

/* The next line without its end (LF or CRLF), until the next call; it may be written to. A line
 * feed stands at (*out_line)[*out_bytes]. *out_more is false when there is no further line.
 * Fails only if the file cannot be read to its end. */
SOTTO_MUST_CHECK sotto_status sot_lines_next(sot_lines *lines, char **out_line,
                                             size_t *out_bytes, bool *out_more,
                                             sotto_error *error);

/* Moves the next whole lines to `block`: at most `lines_most`, as many as fit into `room` bytes, at least 1. Each has its line feed; the last
 * of the file may lack it. *out_more is false when there is no further line. 0 bytes, and more: the next line does
 * not fit; read it with sot_lines_next(). */
SOTTO_MUST_CHECK sotto_status sot_lines_take(sot_lines *lines, char *block, size_t room,
                                             size_t lines_most, size_t *out_bytes,
                                             bool *out_more, sotto_error *error);

/* Lines in memory, truncated at the same number of bytes as those of `like`. None until sot_lines_set_block(). */
SOTTO_MUST_CHECK sotto_status sot_lines_of_memory(const sot_lines *like,
                                                  sot_lines **out_lines,
                                                  sotto_error *error);

/* From now on the lines are those of sot_lines_take(). The block is borrowed, is written to, and has room for
 * SOT_LINES_SLACK further bytes. */
void sot_lines_set_block(sot_lines *lines, char *block, size_t size_bytes);

/* True if the last line was truncated. */
bool sot_lines_was_cut(const sot_lines *lines);

/* Reads the next bytes of a truncated line, after those of sot_lines_next() or the last call; 0
 * at the end of the line. They replace the bytes before them. */
SOTTO_MUST_CHECK sotto_status sot_lines_rest(sot_lines *lines, const char **out_bytes,
                                             size_t *out_size_bytes, sotto_error *error);

#endif
