/* The completion script of fish: one `complete` a word, on the condition that its command is typed. */
#include <stdio.h>

#include <sotto/version.h>

#include "frame/completion.h"

/* complete -c sotto -n '__sotto_is "account epsilon"' */
static void begin(const char *path, FILE *stream)
{
    (void)fprintf(stream, "complete -c sotto -n '__sotto_is \"%s\"'", path);
}

static void end(const char *help, FILE *stream)
{
    (void)fputs(" -d ", stream);
    completion_quote(help, "\\", stream);
    (void)fputc('\n', stream);
}

static void write_choices(const cli_option *option, FILE *stream)
{
    (void)fputs(" -a '", stream);
    for (size_t j = 0; option->choices(j) != NULL; j++)
        (void)fprintf(stream, "%s%s", j == 0 ? "" : " ", option->choices(j));
    (void)fputc('\'', stream);
}

static void write_option(const cli_option *option, const char *path, FILE *stream)
{
    begin(path, stream);
    if (!cli_is_operand(option)) {
        (void)fprintf(stream, " -l %s", option->name);
        if (option->letter != 0) (void)fprintf(stream, " -s %c", option->letter);
    }
    const bool files = option->kind == CLI_FILE || option->is_other != NULL;
    if (!cli_is_operand(option) && option->kind != CLI_FLAG)
        (void)fputs(files ? " -r" : " -x", stream);
    if (files) (void)fputs(" -F", stream);
    if (option->kind == CLI_CHOICE) write_choices(option, stream);
    end(option->help, stream);
}

static void write_command(const cli_command *command, const char *path, FILE *stream)
{
    const cli_option *option = NULL;
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        begin(path, stream);
        (void)fprintf(stream, " -a %s", command->commands[i]->name);
        end(command->commands[i]->summary, stream);
    }
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        const bool offers = !cli_is_operand(option) || option->kind == CLI_FILE ||
                            option->kind == CLI_CHOICE;
        if (option->presence != CLI_HIDDEN && offers) write_option(option, path, stream);
    }
}

static void write_path(const cli_command *command, const char *path, FILE *stream)
{
    (void)command;
    if (path[0] != '\0') (void)fprintf(stream, " '%s'", path);
}

void completion_write_fish(FILE *stream)
{
    (void)fprintf(stream,
                  "# fish completion for sotto %s; made by `sotto completion fish`\n",
                  sotto_version());
    (void)fputs("function __sotto_is\n"
                "    set -l known",
                stream);
    completion_walk(&cli_root, "", write_path, stream);
    (void)fputs("\n"
                "    set -l path ''\n"
                "    for word in (commandline -opc)[2..-1]\n"
                "        set -l longer (string trim -- \"$path $word\")\n"
                "        contains -- \"$longer\" $known; or break\n"
                "        set path $longer\n"
                "    end\n"
                "    test \"$path\" = \"$argv[1]\"\n"
                "end\n"
                "complete -c sotto -e\n"
                "complete -c sotto -f\n",
                stream);
    completion_walk(&cli_root, "", write_command, stream);
}
