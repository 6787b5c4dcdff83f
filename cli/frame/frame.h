/* cli/frame/frame.h: the command line as a table.
 *
 * Idea     A command is a row: name, summary, options, operands, an example and a function.
 *          Parsing, --help, bash completion, the man-page check and the error lines are made
 *          from the rows. A command's own file fills a config, makes one library call and
 *          prints.
 * Errors   One line on standard error, "sotto: account epsilon: ...", which names the option,
 *          the value and the remedy. The exit code follows from the status, in one place.
 * Rules    Data on standard output, prose on standard error; every command has --json and
 *          --help; an option given twice is refused, because the one that loses might be the
 *          one that was meant.
 */
#ifndef SOTTO_CLI_FRAME_H
#define SOTTO_CLI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/output.h>

typedef enum cli_kind {
    CLI_FLAG = 1,   /* takes no value */
    CLI_NUMBER = 2, /* a finite real number, within `range` */
    CLI_COUNT = 3,  /* a whole number from 1 to `count_max`; 1e6 is a way to write one */
    CLI_TEXT = 4,
    CLI_CHOICE = 5, /* one of `choices` */
    CLI_FILE = 6    /* a path; the command defines "-", an output is never that */
} cli_kind;

typedef enum cli_presence {
    CLI_OPTIONAL = 0,
    CLI_REQUIRED = 1,
    CLI_HIDDEN = 2,  /* optional, and not in the help */
    CLI_OPERAND = 3, /* required, written without its name; several come in table order */
    CLI_OPTIONAL_OPERAND = 4 /* the same, but may be left out */
} cli_presence;

typedef enum cli_range {
    CLI_ANY = 0,
    CLI_POSITIVE = 1,     /* 0 < x */
    CLI_NOT_NEGATIVE = 2, /* 0 <= x */
    CLI_RATE = 3,         /* 0 < x <= 1 */
    CLI_BELOW_ONE = 4     /* 0 <= x < 1 */
} cli_range;

/* The index-th allowed word, NULL after the last one. */
typedef const char *(*cli_choices)(size_t index);

/* A row of a command's table; a row of zeros ends it. */
typedef struct cli_option {
    const char *name; /* without the dashes */
    cli_kind kind;
    cli_presence presence;
    const char *help;     /* one line, no full stop */
    const char *value;    /* the help's name of the value, in capitals */
    const char *example;  /* a good value, for the remedy in an error line */
    const char *fallback; /* the value when none is given; NULL: none */
    char letter;          /* short form, 0: none */
    cli_range range;
    uint64_t count_max;
    cli_choices choices;
    bool (*is_other)(const char *text); /* fine beside the choices; NULL: nothing is */
    const char *other;                  /* the help's name of that */
    bool repeated;                      /* may be given several times: cli_text_at() */
    sotto_output_kind output;           /* of a file that is written; 0: it is read */
    const char *old; /* old spelling, taken with a notice; NULL: none */
    const char
        *setting; /* id of its setting in messages; NULL: the name with underscores */
} cli_option;

typedef struct cli_call cli_call;

/* A command, or a group of commands (then `commands` is set and `run` is not). */
typedef struct cli_command {
    const char *name;
    const char *summary; /* one line, no full stop */
    const char *details; /* lines for the help after the usage; NULL: none */
    const cli_option *options;
    const cli_option *const
        *shared;         /* more tables, of several commands; NULL ends the list */
    const char *example; /* a command line that runs as it stands */
    const struct cli_command *const *commands; /* NULL ends the list */
    sotto_status (*run)(const cli_call *call, sotto_error *error);
    int subject;       /* for a `run` of several commands: which of them it is */
    bool passes_words; /* words after its last operand are not parsed: cli_call.rest */
    bool waits;        /* for answers, or for another program; its time is not shown */
    const char
        *nested; /* prefix of options that set another config, "shadow-"; NULL: none */
} cli_command;

/* The whole program: cli/main.c. */
extern const cli_command cli_root;

/* Options the frame adds: --overwrite to commands that write files, --json and --help to every
 * command. Before a command runs, its outputs are checked by <sotto/output.h> and against its
 * inputs. */
extern const cli_option cli_common_options[];

enum { CLI_OPTIONS_MAX = 96, CLI_PATH_BYTES = 64, CLI_REPEATS_MAX = 16 };

typedef struct cli_value {
    bool given; /* false also when `fallback` filled it in */
    double number;
    uint64_t count;
    const char *text; /* as typed; NULL: neither given nor a fallback */
} cli_value;

/* One more value of a repeated option. */
typedef struct cli_repeat {
    size_t index; /* of the option */
    const char *text;
} cli_repeat;

/* Refuses words of a command line that the table would take: cli/analyst/analyst.h. `text` is the value
 * as typed. The parser asks once for each option and operand, before it reads the value. */
typedef struct cli_guard {
    sotto_status (*admit)(const struct cli_guard *guard, const cli_option *option,
                          const char *text, sotto_error *error);
} cli_guard;

/* A parsed command line. */
struct cli_call {
    const cli_command *command;
    const cli_guard *guard;    /* NULL: the whole table is open */
    char path[CLI_PATH_BYTES]; /* "account epsilon" */
    char **words, **end;       /* all words behind the command's name */
    char **rest; /* of a command that passes words: those behind its last operand */
    cli_value values[CLI_OPTIONS_MAX];
    cli_repeat repeats[CLI_REPEATS_MAX]; /* in the order of the command line */
    size_t repeat_count;
};

/* Runs the command line and returns the exit code. */
int cli_run(int argc, char **argv);

/* The exit code of a status: 0 done, 1 failed, 2 usage, 3 budget refused, 130 interrupted. */
int cli_exit_code(sotto_status status);

/* The index-th row of a command's tables: its own, the shared ones, the common one; NULL after
 * the last. The index is also that of the value in a call. */
const cli_option *cli_option_at(const cli_command *command, size_t index);

bool cli_has(const cli_call *call, const char *name); /* it is in the command's table */

/* Values by name; the name must be in the command's table. A number that is neither given nor
 * has a fallback is NaN, a count 0, a text NULL. */
bool cli_given(const cli_call *call, const char *name);
bool cli_flag(const cli_call *call, const char *name);
double cli_number(const cli_call *call, const char *name);
uint64_t cli_count(const cli_call *call, const char *name);
const char *cli_text(const cli_call *call, const char *name);

/* The texts of a repeated option, the first one at 0; NULL behind the last. */
const char *cli_text_at(const cli_call *call, const char *name, size_t index);

bool cli_is_operand(const cli_option *option);

/* cli/frame/spell.c: spells the settings of a library's message as options of this command. */
void cli_spell(const cli_call *call, sotto_error *error);

/* Fills the error and returns the status, for a failing check in one statement. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
sotto_status
cli_fail(sotto_error *error, sotto_status status, const char *format, ...);

/* cli/frame/parse.c: reads the words of a command, in order, into the call; then required rows must
 * be there, and fallbacks fill the gaps. */
SOTTO_MUST_CHECK sotto_status cli_parse(cli_call *call, char **next, char **end,
                                        sotto_error *error);

/* cli/frame/input.c: refuses an output that would replace a protected file, an input or another output of the same command.
 * Before the command runs, and so before any charge. */
SOTTO_MUST_CHECK sotto_status cli_check_outputs(const cli_call *call, sotto_error *error);

/* The option that the word names: "--name", "--name=value", "-n" or "-nVALUE"; NULL if there is
 * none. `out_length` is the length of the name with its dashes. */
const cli_option *cli_find_option(const cli_call *call, const char *word,
                                  size_t *out_index, size_t *out_length);
bool cli_is_option(const char *word); /* "-" is a word */
sotto_status cli_unknown_option(const cli_call *call, const char *word, size_t length,
                                sotto_error *error);

/* cli/frame/value.c: reads `text` as a value of the option. Locale-free and strict: the whole text
 * counts, NaN, infinities and hexadecimal are refused. `out_value` is written on success. */
SOTTO_MUST_CHECK sotto_status cli_value_parse(const cli_option *option, const char *text,
                                              cli_value *out_value, sotto_error *error);

/* "--delta" for an option, "SHELL" for an operand. */
const char *cli_option_label(const cli_option *option, char *buffer, size_t size_bytes);

/* cli/frame/suggest.c: the word nearest to `word`; NULL if none is near. Start with {0}. */
typedef struct cli_suggestion {
    const char *word;
    size_t distance;
} cli_suggestion;
void cli_suggest(cli_suggestion *best, const char *word, const char *candidate);

/* cli/frame/help.c: the help page, and the table as JSON for the man-page check. */
void cli_help(const cli_command *command, const char *path);
SOTTO_MUST_CHECK sotto_status cli_dump_options(sotto_error *error);

#endif
