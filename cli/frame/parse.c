#include "frame/frame.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <sotto/accountant.h>

bool cli_is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* The words of a command line that are still to be read. */
typedef struct words {
    char **next;
    char **end;
} words;

sotto_status cli_unknown_option(const cli_call *call, const char *word, size_t length,
                                sotto_error *error)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)length, word);
    const char *bare = name + strspn(name, "-");
    cli_suggestion near = {0};
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        if (option->presence == CLI_OPTIONAL || option->presence == CLI_REQUIRED) {
            cli_suggest(&near, bare, option->name);
        }
    }
    if (near.word != NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "unknown option %s; did you mean --%s?", name, near.word);
    }
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "unknown option %s; see sotto%s%s --help", name,
                    call->path[0] == '\0' ? "" : " ", call->path);
}

/* The `length` bytes at `text` are this word. */
static bool is_word(const char *word, const char *text, size_t length)
{
    return word != NULL && strlen(word) == length && strncmp(word, text, length) == 0;
}

const cli_option *cli_find_option(const cli_call *call, const char *word,
                                  size_t *out_index, size_t *out_length)
{
    const bool is_long = word[1] == '-';
    *out_length = is_long ? strcspn(word, "=") : 2;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        if (cli_is_operand(option)) continue;
        const bool same = is_long ? is_word(option->name, word + 2, *out_length - 2) ||
                                        is_word(option->old, word + 2, *out_length - 2)
                                  : option->letter != 0 && option->letter == word[1];
        if (!same) continue;
        *out_index = i;
        return option;
    }
    return NULL;
}

/* The value written in the option's own word or in the next one. */
static sotto_status take_value(words *rest, const cli_option *option,
                               const char *attached, const char **out_text,
                               sotto_error *error)
{
    if (option->kind == CLI_FLAG) {
        if (attached != NULL) {
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s takes no value; write only --%s", option->name,
                            option->name);
        }
        *out_text = "";
        return SOTTO_OK;
    }
    if (attached != NULL) {
        *out_text = attached;
        return SOTTO_OK;
    }
    /* A negative number or "-" may be a value, another long option may not. */
    if (rest->next == rest->end || strncmp(*rest->next, "--", 2) == 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s needs a value; write --%s %s", option->name, option->name,
                        option->example != NULL ? option->example : option->value);
    }
    *out_text = *rest->next++;
    return SOTTO_OK;
}

static sotto_status admit(const cli_call *call, const cli_option *option,
                          const char *text, sotto_error *error)
{
    if (call->guard == NULL) return SOTTO_OK;
    return call->guard->admit(call->guard, option, text, error);
}

static sotto_status parse_option(cli_call *call, words *rest, sotto_error *error)
{
    const char *word = *rest->next++;
    size_t index = 0;
    size_t length = 0;
    const cli_option *option = cli_find_option(call, word, &index, &length);
    if (option == NULL) return cli_unknown_option(call, word, length, error);
    if (option->old != NULL && is_word(option->old, word + 2, length - 2)) {
        (void)fprintf(stderr, "sotto: notice: --%s is an old spelling of --%s\n",
                      option->old, option->name);
    }

    const char *attached = NULL;
    if (word[length] != '\0') attached = word + length + (word[length] == '=' ? 1 : 0);
    const char *text = NULL;
    sotto_status status = take_value(rest, option, attached, &text, error);
    if (status == SOTTO_OK) status = admit(call, option, text, error);
    if (status != SOTTO_OK) return status;
    if (call->values[index].given && option->repeated) {
        if (call->repeat_count == CLI_REPEATS_MAX) {
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is given too often; give it at most %d times",
                            option->name, CLI_REPEATS_MAX + 1);
        }
        cli_value value;
        status = cli_value_parse(option, text, &value, error);
        if (status == SOTTO_OK)
            call->repeats[call->repeat_count++] = (cli_repeat){index, value.text};
        return status;
    }
    if (call->values[index].given) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s is given twice; give it once", option->name);
    }
    return cli_value_parse(option, text, &call->values[index], error);
}

/* Returns the required input file that the command line does not name, if there is one. */
static const cli_option *missing_input(const cli_call *call, const words *rest)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        if (option->presence != CLI_REQUIRED || option->kind != CLI_FILE ||
            option->output != 0 || call->values[i].given || cli_is_operand(option))
            continue;
        bool follows = option->letter == 'o';
        for (char *const *word = rest->next; word < rest->end; word++)
            follows =
                follows || (strncmp(*word, "--", 2) == 0 &&
                            strncmp(*word + 2, option->name, strlen(option->name)) == 0);
        if (!follows) return option;
    }
    return NULL;
}

static sotto_status parse_operand(cli_call *call, words *rest, sotto_error *error)
{
    const char *word = *rest->next++;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        if (!cli_is_operand(option) || call->values[i].given) continue;
        const sotto_status status = admit(call, option, word, error);
        if (status != SOTTO_OK) return status;
        return cli_value_parse(option, word, &call->values[i], error);
    }
    option = missing_input(call, rest);
    if (option != NULL) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "unexpected word %.60s; did you mean --%s %.60s? See sotto %s --help", word,
            option->name, word, call->path);
    }
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "unexpected word %.60s; options start with --, see sotto %s --help",
                    word, call->path);
}

static sotto_status missing(const cli_option *option, sotto_error *error)
{
    if (option->presence == CLI_OPERAND) {
        const char *good = option->choices != NULL ? option->choices(0) : option->example;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is missing; give it, for example %s", option->value, good);
    }
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--%s is missing; give it, for example --%s %s", option->name,
                    option->name, option->example);
}

/* Required rows are there; fallbacks fill the gaps. */
static sotto_status complete(cli_call *call, sotto_error *error)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        assert(i < CLI_OPTIONS_MAX);
        cli_value *value = &call->values[i];
        if (value->given) continue;
        if (option->presence == CLI_REQUIRED || option->presence == CLI_OPERAND) {
            return missing(option, error);
        }
        value->number = SOTTO_UNSET;
        if (option->fallback == NULL) continue;
        const sotto_status status =
            cli_value_parse(option, option->fallback, value, error);
        assert(status == SOTTO_OK); /* the table's own defaults are good values */
        if (status != SOTTO_OK) return status;
        value->given = false;
    }
    return SOTTO_OK;
}

/* True if the rest of the words belongs to another command. */
static bool passes_the_rest(const cli_call *call)
{
    const cli_option *option = NULL;
    if (!call->command->passes_words) return false;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++)
        if (cli_is_operand(option) && !call->values[i].given) return false;
    return true;
}

sotto_status cli_parse(cli_call *call, char **next, char **end, sotto_error *error)
{
    words rest = {.next = next, .end = end};
    bool options_ended = false; /* "--" was read */
    while (rest.next < rest.end && !passes_the_rest(call)) {
        sotto_status status = SOTTO_OK;
        if (!options_ended && strcmp(*rest.next, "--") == 0) {
            options_ended = true;
            rest.next++;
        } else if (!options_ended && cli_is_option(*rest.next)) {
            status = parse_option(call, &rest, error);
        } else {
            status = parse_operand(call, &rest, error);
        }
        if (status != SOTTO_OK) return status;
    }
    call->rest = rest.next;
    return complete(call, error);
}
