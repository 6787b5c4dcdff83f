/* sotto completion: the completion script of a shell, made from the table of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/version.h>

#include "commands.h"
#include "output.h"

static const char *shell_choice(size_t index)
{
    return index == 0 ? "bash" : NULL;
}

static const cli_option options[] = {
    {"shell", CLI_CHOICE, CLI_OPERAND, "the shell", .value = "SHELL",
     .choices = shell_choice},
    {0},
};

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

/* One case per command: "account epsilon") words="...";; */
static void write_command_cases(const cli_command *command, const char *path,
                                FILE *stream)
{
    (void)fprintf(stream, "        \"%s\") words=\"", path);
    write_words(command, stream);
    (void)fprintf(stream, "\" ;;\n");
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        char child[CLI_PATH_BYTES];
        (void)snprintf(child, sizeof child, "%s%s%s", path, path[0] == '\0' ? "" : " ",
                       command->commands[i]->name);
        write_command_cases(command->commands[i], child, stream);
    }
}

/* One case per option that takes a value: its choices, file names, or nothing to offer. */
static void write_value_cases(const cli_command *command, const char *path, FILE *stream)
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
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        char child[CLI_PATH_BYTES];
        (void)snprintf(child, sizeof child, "%s%s%s", path, path[0] == '\0' ? "" : " ",
                       command->commands[i]->name);
        write_value_cases(command->commands[i], child, stream);
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
                  "    local command=\"\" words=\"\" i\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "        case \"${COMP_WORDS[i]}\" in\n"
                  "        -*) break ;;\n"
                  "        *) command=\"${command:+$command }${COMP_WORDS[i]}\" ;;\n"
                  "        esac\n"
                  "    done\n"
                  "    case \"$command $previous\" in\n");
    write_value_cases(&cli_root, "", stream);
    (void)fprintf(stream, "%s",
                  "    *)\n"
                  "        case \"$command\" in\n");
    write_command_cases(&cli_root, "", stream);
    (void)fprintf(stream, "%s",
                  "        esac\n"
                  "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                  "        ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -F _sotto sotto\n");
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    if (!cli_flag(call, "json")) {
        write_bash(stdout);
        return SOTTO_OK;
    }
    char *script = NULL;
    size_t size_bytes = 0;
    FILE *memory = open_memstream(&script, &size_bytes);
    if (memory == NULL) {
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the script");
    }
    write_bash(memory);
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
    .details = "Load it with: source <(sotto completion bash)",
    .options = options,
    .example = "sotto completion bash",
    .run = run,
};
