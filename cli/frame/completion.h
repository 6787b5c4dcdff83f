/* cli/frame/completion.h: completion scripts, made from the table of commands. One writer a shell. */
#ifndef SOTTO_CLI_COMPLETION_H
#define SOTTO_CLI_COMPLETION_H

#include <stdio.h>

#include "frame/frame.h"

/* Calls `visit` for a command and all commands below it, with the words that lead to it: "", "account", "account epsilon". */
void completion_walk(const cli_command *command, const char *path,
                     void (*visit)(const cli_command *command, const char *path,
                                   FILE *stream),
                     FILE *stream);

/* Writes `text` between single quotes of bash, zsh or fish; `escape` lists further letters that get a backslash. */
void completion_quote(const char *text, const char *escape, FILE *stream);

/* The command, or one of its operands, reads a file. */
bool completion_takes_files(const cli_command *command);

void completion_write_zsh(FILE *stream);
void completion_write_fish(FILE *stream);

#endif
