/* cli/frame/interrupt.h: Ctrl-C, SIGTERM and SIGHUP.
 *
 * Idea     A command that takes no progress function ends at once: the handler removes the temporary of the output that is
 *          being written and exits with 130. Existing files are as they were, because an output gets its name last.
 *          A command with a progress function is asked to stop (cli_heed_interrupts()): the library ends the step, keeps
 *          a checkpoint and returns SOTTO_INTERRUPTED. If the library does not ask the function within half a second, as
 *          while it reads rows, the process ends at once too. A second signal ends the process.
 */
#ifndef SOTTO_CLI_INTERRUPT_H
#define SOTTO_CLI_INTERRUPT_H

#include <stdbool.h>

#include <sotto/output.h>

/* The frame calls this before a command runs; `charges`: the command may charge a ledger, and the message says so.
 * Signals that the parent process ignores, as nohup does, stay ignored. */
void cli_end_on_interrupt(bool charges);

/* The file whose temporary the handler removes; NULL: none. */
void cli_remove_if_interrupted(const sotto_output *output);

/* From now on a signal asks to stop; the second one ends the process. */
void cli_heed_interrupts(void);

/* For progress functions: if true, they end soon by themselves. */
bool cli_stop_asked(void);

#endif
