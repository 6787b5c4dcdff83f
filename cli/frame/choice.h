/* cli/frame/choice.h: lists of words for options, and the value that a given word stands for. */
#ifndef SOTTO_CLI_CHOICE_H
#define SOTTO_CLI_CHOICE_H

#include <sotto/event.h>

#include "frame/frame.h"

/* Defines the choices of an option: words of its own. */
#define CLI_WORDS(list, ...)                                                             \
    static const char *list(size_t index)                                                \
    {                                                                                    \
        static const char *const words[] = {__VA_ARGS__};                                \
        return index < sizeof words / sizeof words[0] ? words[index] : NULL;             \
    }

/* Defines the choices of an option: the library's names of an enum, from the value `first` to the last that has one. */
#define CLI_NAMES_SHARED(list, type, first)                                              \
    const char *list(size_t index)                                                       \
    {                                                                                    \
        return cli_known(type##_name((type)((first) + (int)index)));                     \
    }
#define CLI_NAMES(list, type, first) static CLI_NAMES_SHARED(list, type, first)

/* Returns the name, or NULL for "unknown". */
const char *cli_known(const char *name);

/* Returns the place of the given word, or of the default, among the choices of the option. */
int cli_choice(const cli_call *call, const char *name);

/* The option --adjacency. */
const char *cli_adjacency_choice(size_t index);
sotto_adjacency cli_adjacency(const cli_call *call);

#endif
