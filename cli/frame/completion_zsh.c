/* The completion script of zsh: words with their help. */
#include <stdio.h>

#include <sotto/version.h>

#include "frame/completion.h"

static void write_path(const cli_command *command, const char *path, FILE *stream)
{
    (void)command;
    if (path[0] != '\0')
        (void)fprintf(stream, "        \"%s\") command=\"%s\" ;;\n", path, path);
}

/* 'word:help' of an array for _describe. */
static void write_item(const char *dashes, const char *word, const char *help,
                       FILE *stream)
{
    (void)fprintf(stream, "            '%s%s':", dashes, word);
    completion_quote(help, "", stream);
    (void)fputc('\n', stream);
}

static void write_words(const cli_command *command, const char *path, FILE *stream)
{
    const cli_option *option = NULL;
    (void)fprintf(stream, "        \"%s\")\n            list=(\n", path);
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++)
        write_item("", command->commands[i]->name, command->commands[i]->summary, stream);
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (option->presence == CLI_HIDDEN) continue;
        if (!cli_is_operand(option)) write_item("--", option->name, option->help, stream);
        for (size_t j = 0; cli_is_operand(option) && option->choices != NULL &&
                           option->choices(j) != NULL;
             j++)
            write_item("", option->choices(j), option->help, stream);
    }
    (void)fprintf(stream, "            )%s ;;\n",
                  completion_takes_files(command) ? " files=1" : "");
}

static void write_values(const cli_command *command, const char *path, FILE *stream)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (cli_is_operand(option) || option->kind == CLI_FLAG) continue;
        (void)fprintf(stream, "    \"%s --%s\") ", path, option->name);
        if (option->kind == CLI_CHOICE) {
            (void)fprintf(stream, "compadd --");
            for (size_t j = 0; option->choices(j) != NULL; j++)
                (void)fprintf(stream, " %s", option->choices(j));
            (void)fprintf(stream, "; ");
        }
        const bool files = option->kind == CLI_FILE || option->is_other != NULL;
        (void)fprintf(stream, "%s;;\n", files ? "_files " : "");
    }
}

void completion_write_zsh(FILE *stream)
{
    (void)fprintf(stream,
                  "#compdef sotto\n"
                  "# zsh completion for sotto %s; made by `sotto completion zsh`\n",
                  sotto_version());
    (void)fprintf(stream, "%s",
                  "_sotto()\n"
                  "{\n"
                  "    local current=\"${words[CURRENT]}\"\n"
                  "    local previous=\"${words[CURRENT - 1]}\"\n"
                  "    local command=\"\" files=\"\" i\n"
                  "    local -a list\n"
                  "    for ((i = 2; i < CURRENT; i++)); do\n"
                  "        case \"${command:+$command }${words[i]}\" in\n");
    completion_walk(&cli_root, "", write_path, stream);
    (void)fprintf(stream, "%s",
                  "        *) break ;;\n"
                  "        esac\n"
                  "    done\n"
                  "    case \"$command $previous\" in\n");
    completion_walk(&cli_root, "", write_values, stream);
    (void)fprintf(stream, "%s",
                  "    *)\n"
                  "        case \"$command\" in\n");
    completion_walk(&cli_root, "", write_words, stream);
    (void)fprintf(stream, "%s",
                  "        esac\n"
                  "        _describe sotto list\n"
                  "        if [[ -n $files && $current != -* ]]; then _files; fi\n"
                  "        ;;\n"
                  "    esac\n"
                  "}\n"
                  "if [[ $funcstack[1] == _sotto ]]; then _sotto \"$@\"; "
                  "elif (( $+functions[compdef] )); then compdef _sotto sotto; fi\n");
}
