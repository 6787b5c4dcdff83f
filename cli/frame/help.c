#include "frame/frame.h"

#include <stdio.h>
#include <string.h>

#include "frame/output.h"

enum { COLUMN_BYTES = 40, TEXT_BYTES = 512, LINE_WIDTH = 80 };

static bool is_shown(const cli_option *option)
{
    return option->presence != CLI_HIDDEN;
}

static const char *value_name(const cli_option *option)
{
    return option->value != NULL ? option->value : "VALUE";
}

/* --- usage --- */

static void print_usage(const cli_command *command, const char *path)
{
    (void)printf("usage: sotto%s%s", path[0] == '\0' ? "" : " ", path);
    if (command->run == NULL) {
        (void)printf(" COMMAND [OPTIONS]\n");
        return;
    }
    bool has_optional = false;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (option->presence == CLI_OPERAND) {
            (void)printf(" %s", value_name(option));
        } else if (option->presence == CLI_OPTIONAL_OPERAND) {
            (void)printf(" [%s]", value_name(option));
        } else if (option->presence == CLI_REQUIRED) {
            (void)printf(" --%s %s", option->name, value_name(option));
        } else {
            has_optional = true;
        }
    }
    (void)printf("%s\n", has_optional ? " [OPTIONS]" : "");
}

/* --- options --- */

/* "-h, --help" or "    --delta D" or "SHELL" */
static void option_column(const cli_option *option, char *out, size_t size_bytes)
{
    const char letter[] = {'-', option->letter, ',', ' ', '\0'};
    if (cli_is_operand(option)) {
        (void)snprintf(out, size_bytes, "%s", value_name(option));
        return;
    }
    (void)snprintf(out, size_bytes, "%s--%s%s%s", option->letter != 0 ? letter : "    ",
                   option->name, option->kind == CLI_FLAG ? "" : " ",
                   option->kind == CLI_FLAG ? "" : value_name(option));
}

static int option_column_width(const cli_command *command)
{
    int width = 0;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        char column[COLUMN_BYTES];
        option_column(option, column, sizeof column);
        const int length = (int)strlen(column);
        if (is_shown(option) && length > width) width = length;
    }
    return width;
}

/* Writes the help of an option: its text, its choices, its default. */
static void option_text(const cli_option *option, char *out, size_t size_bytes)
{
    char choices[TEXT_BYTES / 2] = "";
    size_t used = 0;
    for (size_t i = 0; option->kind == CLI_CHOICE && option->choices(i) != NULL; i++) {
        const int written = snprintf(choices + used, sizeof choices - used, "%s %s",
                                     i == 0 ? ":" : ",", option->choices(i));
        if (written > 0 && used + (size_t)written < sizeof choices)
            used += (size_t)written;
    }
    if (option->other != NULL)
        (void)snprintf(choices + used, sizeof choices - used, ", or %s", option->other);
    (void)snprintf(out, size_bytes, "%s%s%s%s%s%s", option->help, choices,
                   option->presence == CLI_REQUIRED ? " (required)" : "",
                   option->fallback != NULL ? " (default " : "",
                   option->fallback != NULL ? option->fallback : "",
                   option->fallback != NULL ? ")" : "");
}

/* Prints words from column `indent` on, breaking lines before LINE_WIDTH. */
static void print_wrapped(const char *text, int indent)
{
    int column = indent;
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            (void)printf("\n%*s", indent, "");
            column = indent;
        }
        const char *joint = column > indent ? " " : "";
        column += printf("%s%.*s", joint, length, text);
        text += length;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
}

static void print_option(const cli_option *option, int width)
{
    char column[COLUMN_BYTES];
    char text[TEXT_BYTES];
    option_column(option, column, sizeof column);
    option_text(option, text, sizeof text);
    (void)printf("  %-*s  ", width, column);
    print_wrapped(text, width + 4);
}

static void print_options(const cli_command *command)
{
    const int width = option_column_width(command);
    (void)printf("\noptions:\n");
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (is_shown(option)) print_option(option, width);
    }
}

static void print_commands(const cli_command *command)
{
    (void)printf("\ncommands:\n");
    int width = 0;
    for (size_t i = 0; command->commands[i] != NULL; i++) {
        const int length = (int)strlen(command->commands[i]->name);
        if (length > width) width = length;
    }
    for (size_t i = 0; command->commands[i] != NULL; i++) {
        (void)printf("  %-*s  %s\n", width, command->commands[i]->name,
                     command->commands[i]->summary);
    }
}

void cli_help(const cli_command *command, const char *path)
{
    (void)printf("%s.\n\n", command->summary);
    print_usage(command, path);
    if (command->details != NULL) (void)printf("\n%s\n", command->details);
    if (command->commands != NULL) print_commands(command);
    print_options(command);
    (void)printf("\nexample:\n  %s\n", command->example);
}

/* --- the table as JSON --- */

static const char *kind_name(cli_kind kind)
{
    static const char *const names[] = {
        [CLI_FLAG] = "flag", [CLI_NUMBER] = "number", [CLI_COUNT] = "count",
        [CLI_TEXT] = "text", [CLI_CHOICE] = "choice", [CLI_FILE] = "file",
    };
    return names[kind];
}

static const char *presence_name(cli_presence presence)
{
    static const char *const names[] = {
        [CLI_OPTIONAL] = "optional",
        [CLI_REQUIRED] = "required",
        [CLI_HIDDEN] = "hidden",
        [CLI_OPERAND] = "operand",
        [CLI_OPTIONAL_OPERAND] = "optional operand",
    };
    return names[presence];
}

static void add_option(sotto_json_writer *json, const cli_option *option)
{
    const char letter[] = {option->letter, '\0'};
    sotto_json_object(json, NULL);
    sotto_json_text(json, "name", option->name);
    if (option->letter != 0) sotto_json_text(json, "letter", letter);
    sotto_json_text(json, "kind", kind_name(option->kind));
    sotto_json_text(json, "presence", presence_name(option->presence));
    sotto_json_text(json, "value", option->value);
    sotto_json_text(json, "default", option->fallback);
    sotto_json_array(json, "choices");
    for (size_t i = 0; option->choices != NULL && option->choices(i) != NULL; i++) {
        sotto_json_text(json, NULL, option->choices(i));
    }
    sotto_json_end(json);
    sotto_json_end(json);
}

static void add_command(sotto_json_writer *json, const cli_command *command,
                        const char *path)
{
    const cli_option *option = NULL;
    sotto_json_object(json, path);
    sotto_json_text(json, "summary", command->summary);
    sotto_json_text(json, "example", command->example);
    sotto_json_flag(json, "group", command->run == NULL);
    sotto_json_array(json, "options");
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++)
        add_option(json, option);
    sotto_json_end(json);
    sotto_json_end(json);
    for (size_t i = 0; command->commands != NULL && command->commands[i] != NULL; i++) {
        char child[CLI_PATH_BYTES];
        (void)snprintf(child, sizeof child, "%s%s%s", path, path[0] == '\0' ? "" : " ",
                       command->commands[i]->name);
        add_command(json, command->commands[i], child);
    }
}

sotto_status cli_dump_options(sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    add_command(json, &cli_root, "");
    return cli_json_print(json, error);
}
