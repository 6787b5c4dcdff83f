/* Any words on a command line are read or refused: no crash, and what is accepted holds. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *colour(size_t index)
{
    static const char *const names[] = {"red", "green", "blue"};
    return index < 3 ? names[index] : NULL;
}

static const cli_option options[] = {
    {"delta", CLI_NUMBER, CLI_REQUIRED, "", .value = "D", .example = "1e-5",
     .range = CLI_BELOW_ONE},
    {"rate", CLI_NUMBER, CLI_OPTIONAL, "", .value = "Q", .range = CLI_RATE,
     .letter = 'q'},
    {"count", CLI_COUNT, CLI_OPTIONAL, "", .value = "T", .fallback = "1",
     .count_max = UINT64_C(1000000000000)},
    {"colour", CLI_CHOICE, CLI_OPTIONAL, "", .value = "NAME", .choices = colour},
    {"file", CLI_FILE, CLI_OPTIONAL, "", .value = "FILE"},
    {"data", CLI_TEXT, CLI_OPERAND, "", .value = "DATA", .example = "x"},
    {0},
};

static sotto_status run(const cli_call *call, sotto_error *error)
{
    (void)error;
    const double delta = cli_number(call, "delta");
    assert(delta >= 0.0 && delta < 1.0);
    if (cli_given(call, "rate")) {
        assert(cli_number(call, "rate") > 0.0 && cli_number(call, "rate") <= 1.0);
    } else {
        assert(isnan(cli_number(call, "rate")));
    }
    assert(cli_count(call, "count") >= 1);
    assert(cli_count(call, "count") <= UINT64_C(1000000000000));
    if (cli_given(call, "colour")) assert(strlen(cli_text(call, "colour")) >= 3);
    assert(cli_text(call, "data")[0] != '\0');
    return SOTTO_OK;
}

const cli_command cli_root = {
    .name = "test", .summary = "", .example = "", .options = options, .run = run};

/* The input's lines are the words. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS_MAX = 64 };
    char *words[WORDS_MAX];
    size_t count = 0;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = text; word != NULL && count < WORDS_MAX; count++) {
        words[count] = word;
        word = strchr(word, '\n');
        if (word != NULL) *word++ = '\0';
    }
    cli_call call = {.command = &cli_root, .path = "test"};
    sotto_error error = {.status = SOTTO_OK};
    const sotto_status status = cli_parse(&call, words, words + count, &error);
    if (status == SOTTO_OK) {
        (void)run(&call, &error);
    } else {
        assert(status == error.status && error.message[0] != '\0');
    }
    free(text);
    return 0;
}
