/* cli/input.h: whole files, for commands that hand their text to the library. */
#ifndef SOTTO_CLI_INPUT_H
#define SOTTO_CLI_INPUT_H

#include <stddef.h>

#include <sotto/error.h>

/* Reads a file, or standard input when `path` is "-", of at most `size_max_bytes`; free() the
 * text. `label` names the option or operand in messages. Failing to open or read is SOTTO_IO,
 * a larger file `too_large`. The text has a NUL behind it. */
SOTTO_MUST_CHECK sotto_status cli_read_file(const char *label, const char *path,
                                            size_t size_max_bytes, sotto_status too_large,
                                            char **out_text, size_t *out_size_bytes,
                                            sotto_error *error);

/* Writes or replaces a file. A failed write leaves no file that looks whole. */
SOTTO_MUST_CHECK sotto_status cli_write_file(const char *label, const char *path,
                                             const char *text, sotto_error *error);

/* Whether a file can be written that is only made after something was paid for: opened and left as it is. NULL is fine. */
SOTTO_MUST_CHECK sotto_status cli_check_write(const char *label, const char *path,
                                              sotto_error *error);

/* The output replaces what has its name. The library sees to data and ledger; files that only the
 * command knows, such as a schema, are spared here. `path` and `output` may be NULL. */
SOTTO_MUST_CHECK sotto_status cli_spare(const char *what, const char *path,
                                        const char *output, sotto_error *error);

#endif
