/* cli/frame/input.h: files of commands: read whole for the library, written by its one writer. */
#ifndef SOTTO_CLI_INPUT_H
#define SOTTO_CLI_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include "frame/frame.h"

/* Reads a file, or standard input when `path` is "-", of at most `size_max_bytes`; free() the
 * text. `label` names the option or operand in messages. Failing to open or read is SOTTO_IO,
 * a larger file `too_large`. The text has a NUL behind it. */
SOTTO_MUST_CHECK sotto_status cli_read_file(const char *label, const char *path,
                                            size_t size_max_bytes, sotto_status too_large,
                                            char **out_text, size_t *out_size_bytes,
                                            sotto_error *error);

/* Writes the file that the output option `name` names, complete or not at all; the frame has checked that it may. */
SOTTO_MUST_CHECK sotto_status cli_write_file(const cli_call *call, const char *name,
                                             const char *text, sotto_error *error);

/* The same as a stream, for long outputs and fprintf(). */
typedef struct cli_stream {
    FILE *file;
    const cli_option *option;
    sotto_output *output;
    sotto_status status; /* of the writes */
    sotto_error cause;
} cli_stream;

SOTTO_MUST_CHECK sotto_status cli_open_stream(const cli_call *call, const char *name,
                                              cli_stream *stream, sotto_error *error);

/* Puts the file in its place if `status` is SOTTO_OK and every write succeeded, otherwise leaves nothing. Returns the
 * first failure: SOTTO_INTERRUPTED gives way to that of a write, which causes it. */
SOTTO_MUST_CHECK sotto_status cli_close_stream(cli_stream *stream, sotto_status status,
                                               sotto_error *error);

#endif
