/* cli/frame/terminal.h: colours, lines that are written over, and questions, where a person looks.
 *
 * Idea     Bytes for a terminal go to a terminal only: a file, a pipe and TERM=dumb get plain lines. Colour also needs that
 *          NO_COLOR is unset or empty (no-color.org).
 */
#ifndef SOTTO_CLI_TERMINAL_H
#define SOTTO_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <sotto/error.h>

typedef enum cli_style { CLI_PLAIN = 0, CLI_BOLD = 1, CLI_RED = 31 } cli_style;

bool cli_is_terminal(FILE *stream);

/* The stream is a terminal that understands escape sequences: a line may be written over. */
bool cli_moves(FILE *stream);

/* The sequence that begins a style on the stream, and ends it with CLI_PLAIN; "" where colour is off. */
const char *cli_styled(FILE *stream, cli_style style);

/* Standard input and standard error are terminals: a person can be asked. */
bool cli_can_ask(void);

/* Asks on standard error and reads one line of standard input, without blanks at its ends. An empty line is `proposal`, which may
 * be "". free() the answer. SOTTO_INTERRUPTED: the input ended. */
SOTTO_MUST_CHECK sotto_status cli_ask(const char *question, const char *proposal,
                                      char **out_answer, sotto_error *error);

#endif
