/* cli/frame/progress.h: the progress of a long computation, shown on a terminal, and the way to stop it. */
#ifndef SOTTO_CLI_PROGRESS_H
#define SOTTO_CLI_PROGRESS_H

#include <sotto/progress.h>

/* The frame calls this before a command runs. A computation of more than two seconds shows its elapsed time, in whole seconds,
 * until cli_watch()'s function knows more. Standard output to a pipe shows nothing: its reader may use the terminal. */
void cli_begin_watch(void);

/* Gives a function that shows progress after two seconds, with the time left where the steps are public, and stops politely at
 * an interrupt. A pipe gets nothing. */
void cli_watch(sotto_progress_function *out_progress, void **out_context);

/* Clears the line, before an answer or an error is printed. Without a line it does nothing. */
void cli_end_watch(void);

/* For signal handlers: what clears the line; "" if none is shown. */
const char *cli_line_eraser(void);

#endif
