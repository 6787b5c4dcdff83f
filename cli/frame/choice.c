/* Choices: lists of words, and the value that a word of a list stands for. */
#include "frame/choice.h"

#include <assert.h>
#include <string.h>

#include <sotto/accountant.h>

const char *cli_known(const char *name)
{
    return strcmp(name, "unknown") == 0 ? NULL : name;
}

int cli_choice(const cli_call *call, const char *name)
{
    const cli_option *option = NULL;
    const char *text = cli_text(call, name);
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) break;
    assert(option != NULL && option->kind == CLI_CHOICE && text != NULL);
    int index = 0;
    while (option->choices((size_t)index) != NULL &&
           strcmp(option->choices((size_t)index), text) != 0)
        index++;
    return index;
}

CLI_NAMES_SHARED(cli_adjacency_choice, sotto_adjacency, SOTTO_ADD_REMOVE)

sotto_adjacency cli_adjacency(const cli_call *call)
{
    return (sotto_adjacency)(SOTTO_ADD_REMOVE + cli_choice(call, "adjacency"));
}
