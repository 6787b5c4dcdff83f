/* cli/analyst/analyst.h: run a command for an analyst who may see its results but not its data.
 *
 * Idea      A curator owns data, schema, ledger and results. An analyst may start `sotto analyst
 *           CONFIG COMMAND ...` with the curator's rights (a sudo rule) and nothing else. The
 *           configuration fixes data, schema and ledger; the analyst gives the other options.
 * Rule      Deny by default. A command, an option or a restricted word that no table of
 *           cli/analyst/rules.c names is refused. tests/cli/test_analyst.c fails when a command
 *           gets an option that the tables do not classify.
 * Files     The analyst writes bare names: results in one directory that only the curator can
 *           write to. An output must not exist yet. An input must be a file of that directory
 *           which the analyst could read anyway.
 * Process   Environment, open files, limits, umask, signals and directory are set anew, because
 *           the analyst's session chose them. A limit that is too low to finish is refused: where
 *           a run fails because of a limit, it tells the number of rows.
 * Assumes   sudo (or its like) starts the command with the curator's user id and passes no
 *           LD_* variable. Time, memory use and root are not protected: docs/howto/analyst.md.
 */
#ifndef SOTTO_CLI_ANALYST_H
#define SOTTO_CLI_ANALYST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sotto/json.h>

#include "frame/frame.h"

/* --- cli/analyst/config.c --- */

/* Texts are NULL where the file has no such member; paths are absolute. */
typedef struct analyst_config {
    sotto_json *document;
    char *data, *labels, *schema, *ledger, *results;
    const char *table, *query, *format, *readers;
    const sotto_json_value *root, *commands;
    double epsilon_max, delta_max; /* of one run; infinite: the ledger decides */
    uint64_t public_rows;          /* the declared number of rows; 0: it is secret */
    gid_t readers_id;
} analyst_config;

/* Reads the file and checks it and every file that it names: owner, kind, permissions. Clear it
 * with analyst_config_clear(), also after a failure. */
SOTTO_MUST_CHECK sotto_status analyst_config_load(const char *path,
                                                  analyst_config *out_config,
                                                  sotto_error *error);
void analyst_config_clear(analyst_config *config);

/* True if "commands" lists the command, or a group it belongs to. */
bool analyst_config_allows(const analyst_config *config, const char *path);

/* --- cli/analyst/rules.c --- */

typedef enum analyst_class {
    ANALYST_REFUSED = 1,
    ANALYST_FIXED = 2, /* from the configuration */
    ANALYST_FREE =
        3, /* any value: it names no file and declares nothing about the data */
    ANALYST_INPUT = 4,   /* a readable file of the results directory */
    ANALYST_OUTPUT = 5,  /* a new file of the results directory, with the rule's ending */
    ANALYST_CHOICE = 6,  /* one of the rule's words, also when it is the default */
    ANALYST_FORM = 7,    /* a word, or JSON, or with a dot or a slash in it an input */
    ANALYST_EPSILON = 8, /* at most max_epsilon */
    ANALYST_DELTA = 9,   /* at most max_delta */
    ANALYST_PUBLIC_N = 10, /* equal to public_rows */
    ANALYST_MODEL = 11     /* an input that is a model of the fixed schema */
} analyst_class;

/* A row; a row of zeros ends a table. */
typedef struct analyst_rule {
    const char *option; /* without the dashes */
    analyst_class class;
    const char *words; /* CHOICE: those allowed, by blanks; OUTPUT: the ending */
    const char
        *refused;    /* CHOICE: those refused; with `words` all choices of the option */
    const char *why; /* REFUSED, CHOICE: the reason, a clause */
} analyst_rule;

typedef struct analyst_command {
    const char *path;                 /* "release count" */
    const analyst_rule *const *rules; /* tables, the first match counts; NULL ends them */
    const char *example;              /* words behind the path */
} analyst_command;

/* The index-th command that a configuration may allow; NULL behind the last one. */
const analyst_command *analyst_command_at(size_t index);
const analyst_command *analyst_find_command(const char *path);

/* The rule of an option; NULL: none, which refuses it. */
const analyst_rule *analyst_find_rule(const analyst_command *command, const char *option);

/* The command of the program's own table; NULL if there is none. */
const cli_command *analyst_find_table(const char *path);

/* A word of a list by blanks. */
bool analyst_has_word(const char *words, const char *word);

/* --- cli/analyst/analyst.c --- */

/* Refuses a word of the analyst: an option of the command, with its value as typed. */
SOTTO_MUST_CHECK sotto_status analyst_admit(const analyst_config *config,
                                            const analyst_command *command,
                                            const cli_option *option, const char *text,
                                            sotto_error *error);

/* --- cli/analyst/process.c --- */

/* Leaves nothing of the caller's session but argv, standard output and standard error. May start
 * the program anew, with the same words and an empty environment. */
SOTTO_MUST_CHECK sotto_status analyst_enter(const cli_call *call, sotto_error *error);

/* Checks the name of an input or an output against the current directory, which is that of the
 * results. `ending` is that of the output. */
SOTTO_MUST_CHECK sotto_status analyst_check_input(const char *label, const char *name,
                                                  gid_t readers, sotto_error *error);
SOTTO_MUST_CHECK sotto_status analyst_check_output(const char *label, const char *name,
                                                   const char *ending,
                                                   sotto_error *error);

/* Names that this process writes. No other analyst's command writes them at the same time. */
enum { ANALYST_OUTPUTS_MAX = 8, ANALYST_NAME_BYTES = 100 };
typedef struct analyst_locks {
    char names[ANALYST_OUTPUTS_MAX][ANALYST_NAME_BYTES + 8];
    int files[ANALYST_OUTPUTS_MAX];
    size_t count;
} analyst_locks;

/* Locks the name and checks again that nothing bears it. */
SOTTO_MUST_CHECK sotto_status analyst_lock(analyst_locks *locks, const char *label,
                                           const char *name, sotto_error *error);
void analyst_unlock(analyst_locks *locks);

#endif
