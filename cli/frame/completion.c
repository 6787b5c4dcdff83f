/* sotto completion: the completion script of a shell, made from the table of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/version.h>

#include "commands.h"
#include "frame/completion.h"
#include "frame/output.h"

typedef struct shell {
    const char *name;
    void (*write)(FILE *stream);
} shell;

static void write_bash(FILE *stream);

static const shell shells[] = {
    {"bash", write_bash}, {"zsh", completion_write_zsh}, {"fish", completion_write_fish}};
enum { SHELLS = sizeof shells / sizeof shells[0] };

static const char *shell_choice(size_t index)
{
    return index < SHELLS ? shells[index].name : NULL;
}

static const cli_option options[] = {
    {"shell", CLI_CHOICE, CLI_OPERAND, "name of the shell", .value = "SHELL",
     .choices = shell_choice},
    {0},
};

/* ---- the table, for every shell ---- */

void completion_walk(const cli_command *command, const char *path,
                     void (*visit)(const cli_command *command, const char *path,
                                   FILE *stream),
                     FILE *stream)
{
    visit(command, path, stream);
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        char child[CLI_PATH_BYTES];
        (void)snprintf(child, sizeof child, "%s%s%s", path, path[0] == '\0' ? "" : " ",
                       command->commands[i]->name);
        completion_walk(command->commands[i], child, visit, stream);
    }
}

void completion_quote(const char *text, const char *escape, FILE *stream)
{
    (void)fputc('\'', stream);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '\'') {
            (void)fputs("'\\''", stream);
            continue;
        }
        if (strchr(escape, *at) != NULL) (void)fputc('\\', stream);
        (void)fputc(*at, stream);
    }
    (void)fputc('\'', stream);
}

bool completion_takes_files(const cli_command *command)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++)
        if (cli_is_operand(option) && option->kind == CLI_FILE) return true;
    return false;
}

/* ---- bash ---- */

/* The words a command offers: commands of a group, operands' choices, options. */
static void write_words(const cli_command *command, FILE *stream)
{
    const char *joint = "";
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        (void)fprintf(stream, "%s%s", joint, command->commands[i]->name);
        joint = " ";
    }
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (option->presence == CLI_HIDDEN) continue;
        if (!cli_is_operand(option)) {
            (void)fprintf(stream, "%s--%s", joint, option->name);
            joint = " ";
            continue;
        }
        for (size_t j = 0; option->choices != NULL && option->choices(j) != NULL; j++) {
            (void)fprintf(stream, "%s%s", joint, option->choices(j));
            joint = " ";
        }
    }
}

/* "account epsilon") command=...: words that lead to a command; any other word ends the search. */
static void write_bash_path(const cli_command *command, const char *path, FILE *stream)
{
    (void)command;
    if (path[0] == '\0') return;
    (void)fprintf(stream, "        \"%s\") command=\"%s\" ;;\n", path, path);
}

/* One case per command: "account epsilon") words="...";; */
static void write_bash_words(const cli_command *command, const char *path, FILE *stream)
{
    (void)fprintf(stream, "        \"%s\") words=\"", path);
    write_words(command, stream);
    (void)fprintf(stream, "\"%s ;;\n", completion_takes_files(command) ? " files=1" : "");
}

/* One case per option that takes a value: its choices, file names, or nothing to offer. */
static void write_bash_values(const cli_command *command, const char *path, FILE *stream)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (cli_is_operand(option) || option->kind == CLI_FLAG) continue;
        (void)fprintf(stream, "        \"%s --%s\") ", path, option->name);
        if (option->kind == CLI_FILE) {
            (void)fprintf(stream, "compopt -o filenames; "
                                  "COMPREPLY=($(compgen -f -- \"$current\")) ;;\n");
        } else if (option->kind == CLI_CHOICE) {
            (void)fprintf(stream, "COMPREPLY=($(compgen -W \"");
            for (size_t j = 0; option->choices(j) != NULL; j++) {
                (void)fprintf(stream, "%s%s", j == 0 ? "" : " ", option->choices(j));
            }
            (void)fprintf(stream, "\"%s -- \"$current\")) ;;\n",
                          option->is_other != NULL ? " -f" : "");
        } else {
            (void)fprintf(stream, "COMPREPLY=() ;;\n");
        }
    }
}

static void write_bash(FILE *stream)
{
    (void)fprintf(stream,
                  "# bash completion for sotto %s; made by `sotto completion bash`\n",
                  sotto_version());
    (void)fprintf(stream, "%s",
                  "_sotto()\n"
                  "{\n"
                  "    local current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
                  "    local previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
                  "    local command=\"\" words=\"\" files=\"\" i\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "        case \"${command:+$command }${COMP_WORDS[i]}\" in\n");
    completion_walk(&cli_root, "", write_bash_path, stream);
    (void)fprintf(stream, "%s",
                  "        *) break ;;\n"
                  "        esac\n"
                  "    done\n"
                  "    case \"$command $previous\" in\n");
    completion_walk(&cli_root, "", write_bash_values, stream);
    (void)fprintf(stream, "%s",
                  "    *)\n"
                  "        case \"$command\" in\n");
    completion_walk(&cli_root, "", write_bash_words, stream);
    (void)fprintf(stream, "%s",
                  "        esac\n"
                  "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                  "        if [[ -n $files && $current != -* ]]; then\n"
                  "            compopt -o filenames\n"
                  "            COMPREPLY+=($(compgen -f -- \"$current\"))\n"
                  "        fi\n"
                  "        ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -F _sotto sotto\n");
}

static void write_script(const char *name, FILE *stream)
{
    for (size_t i = 0; i < SHELLS; i++)
        if (strcmp(shells[i].name, name) == 0) shells[i].write(stream);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    if (!cli_flag(call, "json")) {
        write_script(cli_text(call, "shell"), stdout);
        return SOTTO_OK;
    }
    char *script = NULL;
    size_t size_bytes = 0;
    FILE *memory = open_memstream(&script, &size_bytes);
    if (memory == NULL) {
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the script");
    }
    write_script(cli_text(call, "shell"), memory);
    const bool failed = ferror(memory) != 0;
    if (fclose(memory) != 0 || failed) {
        free(script);
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the script");
    }
    sotto_json_writer *json = sotto_json_new();
    sotto_json_text(json, "shell", cli_text(call, "shell"));
    sotto_json_text(json, "script", script);
    free(script);
    return cli_json_print(json, error);
}

const cli_command cli_completion = {
    .name = "completion",
    .summary = "Print the completion script of a shell",
    .details = "Load it with: source <(sotto completion bash), or zsh in its place;\n"
               "in fish: sotto completion fish | source",
    .options = options,
    .example = "sotto completion bash",
    .run = run,
};
