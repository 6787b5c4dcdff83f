#include "frame/frame.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sotto/version.h>

#include "frame/interrupt.h"
#include "frame/progress.h"
#include "frame/terminal.h"

static const cli_option overwrite_option[] = {
    {"overwrite", CLI_FLAG, CLI_OPTIONAL,
     "replace a certified file, or a file of another kind than the new one",
     .value = NULL},
    {0},
};

const cli_option cli_common_options[] = {
    {"json", CLI_FLAG, CLI_OPTIONAL, "print one JSON object", .value = NULL},
    {"help", CLI_FLAG, CLI_OPTIONAL, "show this help", .letter = 'h'},
    {0},
};

int cli_exit_code(sotto_status status)
{
    switch (status) {
    case SOTTO_OK:
        return 0;
    case SOTTO_INVALID_ARGUMENT:
    case SOTTO_PARSE:
    case SOTTO_UNSUPPORTED:
        return 2;
    case SOTTO_BUDGET_EXCEEDED:
        return 3;
    case SOTTO_INTERRUPTED:
        return 130;
    case SOTTO_OUT_OF_MEMORY:
    case SOTTO_IO:
    case SOTTO_UNREACHABLE:
    case SOTTO_NOT_IN_PLAN:
    case SOTTO_ENTROPY:
    case SOTTO_VERIFICATION:
    case SOTTO_INTERNAL:
        return 1;
    }
    return 1;
}

sotto_status cli_fail(sotto_error *error, sotto_status status, const char *format, ...)
{
    va_list arguments;
    error->status = status;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

/* --- the table --- */

/* Counts `index` down by the rows of the table, until it is at zero on one of them. */
static const cli_option *row_at(const cli_option *table, size_t *index)
{
    for (const cli_option *row = table; row != NULL && row->name != NULL; row++) {
        if (*index == 0) return row;
        (*index)--;
    }
    return NULL;
}

/* The same in the command's own tables. */
static const cli_option *own_row_at(const cli_command *command, size_t *index)
{
    const cli_option *row = row_at(command->options, index);
    for (size_t i = 0; row == NULL && command->shared != NULL; i++) {
        if (command->shared[i] == NULL) break;
        row = row_at(command->shared[i], index);
    }
    return row;
}

static bool writes_files(const cli_command *command)
{
    for (size_t i = 0;; i++) {
        size_t index = i;
        const cli_option *row = own_row_at(command, &index);
        if (row == NULL || row->output != 0) return row != NULL;
    }
}

const cli_option *cli_option_at(const cli_command *command, size_t index)
{
    const cli_option *row = own_row_at(command, &index);
    if (row == NULL && writes_files(command)) row = row_at(overwrite_option, &index);
    /* A group answers no question, so it has no --json, only --help. */
    const cli_option *common = cli_common_options + (command->run == NULL ? 1 : 0);
    return row != NULL ? row : row_at(common, &index);
}

static const cli_value *value_of(const cli_call *call, const char *name)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        if (strcmp(option->name, name) == 0) return &call->values[i];
    }
    return NULL;
}

bool cli_has(const cli_call *call, const char *name)
{
    return value_of(call, name) != NULL;
}

bool cli_given(const cli_call *call, const char *name)
{
    return value_of(call, name)->given;
}

bool cli_flag(const cli_call *call, const char *name)
{
    return value_of(call, name)->given;
}

double cli_number(const cli_call *call, const char *name)
{
    return value_of(call, name)->number;
}

uint64_t cli_count(const cli_call *call, const char *name)
{
    return value_of(call, name)->count;
}

const char *cli_text(const cli_call *call, const char *name)
{
    return value_of(call, name)->text;
}

const char *cli_text_at(const cli_call *call, const char *name, size_t index)
{
    const cli_value *first = value_of(call, name);
    if (index == 0 || !first->given) return index == 0 ? first->text : NULL;
    for (size_t i = 0; i < call->repeat_count; i++) {
        if (&call->values[call->repeats[i].index] == first && --index == 0)
            return call->repeats[i].text;
    }
    return NULL;
}

bool cli_is_operand(const cli_option *option)
{
    return option->presence == CLI_OPERAND || option->presence == CLI_OPTIONAL_OPERAND;
}

/* --- commands and groups --- */

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static sotto_status run_command(cli_call *call, char **next, char **end,
                                sotto_error *error)
{
    call->words = next;
    call->end = end;
    /* Help first: it must be there for someone whose command line is still wrong. */
    for (char **word = next; word < end && strcmp(*word, "--") != 0; word++) {
        if (call->command->passes_words && !cli_is_option(*word)) break;
        if (!asks_for_help(*word)) continue;
        cli_help(call->command, call->path);
        return SOTTO_OK;
    }
    sotto_status status = cli_parse(call, next, end, error);
    if (status == SOTTO_OK) status = cli_check_outputs(call, error);
    if (status != SOTTO_OK) return status;
    cli_end_on_interrupt(cli_has(call, "again")); /* it charges */
    if (!call->command->waits) cli_begin_watch();
    status = call->command->run(call, error);
    cli_end_watch();
    return status;
}

static sotto_status unknown_command(const cli_call *call, const char *word,
                                    sotto_error *error)
{
    char names[SOTTO_MESSAGE_BYTES - 80] = ""; /* a word of 60 bytes stands beside them */
    size_t used = 0;
    cli_suggestion near = {0};
    const cli_command *const *commands = call->command->commands;
    for (size_t i = 0; commands[i] != NULL && used < sizeof names; i++) {
        const char *joint = i == 0 ? "" : commands[i + 1] == NULL ? " or " : ", ";
        const int written =
            snprintf(names + used, sizeof names - used, "%s%s", joint, commands[i]->name);
        if (written > 0) used += (size_t)written;
        if (word != NULL) cli_suggest(&near, word, commands[i]->name);
    }
    if (word == NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a command is missing; give %s, or --help", names);
    }
    if (near.word != NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "unknown command %.60s; did you mean %s?", word, near.word);
    }
    return cli_fail(error, SOTTO_INVALID_ARGUMENT, "unknown command %.60s; give %s", word,
                    names);
}

static void descend(cli_call *call, const cli_command *command)
{
    const size_t used = strlen(call->path);
    (void)snprintf(call->path + used, sizeof call->path - used, "%s%s",
                   used == 0 ? "" : " ", command->name);
    call->command = command;
}

static sotto_status run_group_option(const cli_call *call, const char *word,
                                     sotto_error *error)
{
    size_t index = 0;
    size_t length = 0;
    const cli_option *option = cli_find_option(call, word, &index, &length);
    if (option == NULL || word[length] != '\0') {
        return cli_unknown_option(call, word, length, error);
    }
    if (strcmp(option->name, "version") == 0) {
        (void)printf("sotto %s\n", sotto_version());
    } else if (strcmp(option->name, "dump-options") == 0) {
        return cli_dump_options(error);
    } else {
        cli_help(call->command, call->path);
    }
    return SOTTO_OK;
}

/* Follows the words down the tree of commands, then runs the one they name. "sotto help
 * account epsilon" is "sotto account epsilon --help". */
static sotto_status run_words(cli_call *call, char **next, char **end, sotto_error *error)
{
    bool help = false;
    while (call->command->run == NULL) {
        if (next == end) {
            if (!help) return unknown_command(call, NULL, error);
            break;
        }
        const char *word = *next++;
        if (cli_is_option(word)) return run_group_option(call, word, error);
        if (call->command == &cli_root && !help && strcmp(word, "help") == 0) {
            help = true;
            continue;
        }
        const cli_command *const *child = call->command->commands;
        while (*child != NULL && strcmp((*child)->name, word) != 0)
            child++;
        if (*child == NULL) return unknown_command(call, word, error);
        descend(call, *child);
    }
    if (!help) return run_command(call, next, end, error);
    cli_help(call->command, call->path);
    return SOTTO_OK;
}

/* Prints one line: control characters in the user's words would forge a second one. */
static void report(const cli_call *call, const sotto_error *error)
{
    char line[SOTTO_MESSAGE_BYTES + CLI_PATH_BYTES + 16];
    (void)snprintf(line, sizeof line, "sotto: %s%s%s", call->path,
                   call->path[0] == '\0' ? "" : ": ", error->message);
    for (char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    /* "sotto:" in red, where a person looks. */
    (void)fprintf(stderr, "%s%.6s%s%s\n", cli_styled(stderr, CLI_RED), line,
                  cli_styled(stderr, CLI_PLAIN), line + 6);
}

/* EPIPE on standard output: the reader has exited (as `| head` does); not an error. */
static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/* Names the place of a result whose summary was not printed, and the state of its
 * charge. */
static const char *remedy_of(const cli_call *call, char out[CLI_PATH_BYTES * 4])
{
    if (!cli_has(call, "output") || !cli_given(call, "output")) return "";
    (void)snprintf(out, CLI_PATH_BYTES * 4, "; the result is in %.60s%s",
                   cli_text(call, "output"),
                   !cli_has(call, "again")
                       ? ""
                       : "; with a ledger the charge stands, and the same command prints "
                         "the summary again without another charge");
    return out;
}

int cli_run(int argc, char **argv)
{
    cli_call call = {.command = &cli_root};
    sotto_error error = {.status = SOTTO_OK};
    sotto_status status =
        run_words(&call, argv + (argc > 0 ? 1 : 0), argv + argc, &error);
    cli_spell(&call, &error);
    if (status != SOTTO_OK) report(&call, &error);

    /* An answer that did not reach its reader is a failure: full disk, closed pipe. */
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == SOTTO_OK) {
        const int cause = errno;
        char remedy[CLI_PATH_BYTES * 4];
        status = cli_fail(&error, SOTTO_IO, "standard output cannot be written%s%s%s",
                          cause != 0 ? ": " : "", cause != 0 ? strerror(cause) : "",
                          remedy_of(&call, remedy));
        if (!reader_is_gone()) report(&call, &error);
    }
    return cli_exit_code(status);
}
