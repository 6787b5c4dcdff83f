/* sotto audit canaries: rows that are included by coins, and the leakage of a model about
 * them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/audit_model.h>
#include <sotto/schema_tools.h>

#include "audit/audit.h"
#include "frame/input.h"
#include "frame/output.h"
#include "model/model_files.h"

enum { CANARIES_MOST = 1000000, FILE_MOST = 1 << 30 };

/* ---- make ---- */

static const cli_option make_options[] = {
    {"schema", CLI_FILE, CLI_REQUIRED, "schema of the data", .value = "FILE",
     .example = "examples/smokers.schema.json"},
    {"count", CLI_COUNT, CLI_REQUIRED, "number of canaries, at least 16", .value = "M",
     .example = "1000", .count_max = CANARIES_MOST},
    {"canaries", CLI_FILE, CLI_REQUIRED, "file for all canaries", .value = "FILE",
     .example = "canaries.csv", .output = SOTTO_OUTPUT_DATA},
    {"included", CLI_FILE, CLI_REQUIRED,
     "file for the canaries of the training: append it to the records", .value = "FILE",
     .example = "included.csv", .output = SOTTO_OUTPUT_DATA},
    {"coins", CLI_FILE, CLI_REQUIRED, "file for the coins, one per line", .value = "FILE",
     .example = "coins.txt", .output = SOTTO_OUTPUT_DATA},
    {"seed", CLI_COUNT, CLI_OPTIONAL, "seed of the rows, which are public", .value = "N",
     .example = "7", .fallback = "1", .count_max = UINT64_MAX},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL, "seed of the coins, for tests",
     .value = "N", .example = "7", .count_max = UINT64_MAX},
    {0},
};

static int put(const char *text, size_t size_bytes, void *context)
{
    return fwrite(text, 1, size_bytes, context) == size_bytes ? 0 : 1;
}

static sotto_status sample(const sotto_schema *schema, const cli_call *call, char **out,
                           sotto_error *error)
{
    size_t size_bytes = 0;
    sotto_sample_config config = sotto_sample_defaults();
    config.rows = cli_count(call, "count");
    config.seed = cli_count(call, "seed");
    FILE *memory = open_memstream(out, &size_bytes);
    if (memory == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the canaries");
    sotto_status status = sotto_schema_sample(schema, &config, put, memory, error);
    if (fclose(memory) != 0)
        status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the canaries");
    return status;
}

/* The header, if there is one, and the lines whose coin says so. */
static char *pick(const char *text, bool header, const bool *included, size_t count)
{
    char *out = malloc(strlen(text) + 1), *end = out;
    if (out == NULL) return NULL;
    for (size_t line = 0; *text != '\0'; line++) {
        const char *stop = strchr(text, '\n');
        const size_t size = stop == NULL ? strlen(text) : (size_t)(stop - text) + 1;
        const size_t row = header ? line - 1 : line;
        if ((header && line == 0) || (row < count && included[row])) {
            memcpy(end, text, size);
            end += size;
        }
        text += size;
    }
    *end = '\0';
    return out;
}

static sotto_status write_coins(const cli_call *call, const bool *included, size_t count,
                                sotto_error *error)
{
    char *text = malloc(2 * count + 1);
    if (text == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the coins");
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = included[i] ? '1' : '0';
        text[2 * i + 1] = '\n';
    }
    text[2 * count] = '\0';
    const sotto_status status = cli_write_file(call, "coins", text, error);
    free(text);
    return status;
}

static sotto_status write_canaries(const cli_call *call, const sotto_schema *schema,
                                   const bool *included, size_t count, sotto_error *error)
{
    char *all = NULL, *picked = NULL;
    sotto_status status = sample(schema, call, &all, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "canaries", all, error);
    if (status == SOTTO_OK) {
        picked = pick(all, !sotto_schema_is_matrix(schema), included, count);
        status = picked == NULL ? cli_fail(error, SOTTO_OUT_OF_MEMORY,
                                           "out of memory for the canaries")
                                : cli_write_file(call, "included", picked, error);
    }
    if (status == SOTTO_OK) status = write_coins(call, included, count, error);
    free(all);
    free(picked);
    return status;
}

static sotto_status run_make(const cli_call *call, sotto_error *error)
{
    const size_t count = (size_t)cli_count(call, "count");
    const uint64_t seed = cli_count(call, "insecure-test-seed");
    sotto_schema *schema = NULL;
    if (count < 16)
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--count is %zu; give at least 16 canaries, for example "
                        "--count 400",
                        count);
    bool *included = calloc(count, sizeof *included);
    if (included == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the coins");
    sotto_status status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK)
        status = sotto_canaries_toss(
            count, cli_given(call, "insecure-test-seed") ? &seed : NULL, included, error);
    if (status == SOTTO_OK) status = write_canaries(call, schema, included, count, error);
    size_t in = 0;
    for (size_t i = 0; i < count; i++)
        in += included[i] ? 1 : 0;
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_count(json, "canaries", count);
        sotto_json_count(json, "included", in);
        status = cli_json_print(json, error);
    } else if (status == SOTTO_OK) {
        cli_line("canaries", "%zu; coins included %zu", count, in);
        cli_line("next", "append %s to the records, train, and score",
                 cli_text(call, "included"));
    }
    free(included);
    sotto_schema_free(schema);
    return status;
}

static const cli_command make = {
    .name = "make",
    .summary = "Generate canaries, and toss a coin for each",
    .details = "The rows come from the schema. A coin decides for each canary whether it "
               "joins the\nrecords, and nothing else may depend on the coins.",
    .options = make_options,
    .example = "sotto audit canaries make --schema examples/smokers.schema.json --count "
               "100 --canaries canaries.csv --included included.csv --coins coins.txt",
    .run = run_make,
};

/* ---- score ---- */

static const char *choice_name(size_t index)
{
    static const char *const names[] = {"union", "split", "fixed", NULL};
    return names[index];
}

static const cli_option score_options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "model that was trained with them", .value = "MODEL",
     .example = "model.json"},
    {"canaries", CLI_FILE, CLI_REQUIRED, "all canaries, as generated", .value = "FILE",
     .example = "canaries.csv"},
    {"coins", CLI_FILE, CLI_REQUIRED, "coins of the canaries", .value = "FILE",
     .example = "coins.txt"},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "claimed epsilon, with --delta", .value = "E",
     .example = "1", .range = CLI_POSITIVE},
    {"mu", CLI_NUMBER, CLI_OPTIONAL,
     "claimed mu of Gaussian DP in place of epsilon; one run proves more about it",
     .value = "M", .example = "0.5", .range = CLI_POSITIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL, "delta of the claim (default 0)", .value = "D",
     .example = "1e-5", .fallback = "0", .range = CLI_BELOW_ONE},
    {"alpha", CLI_NUMBER, CLI_OPTIONAL, "probability of a false alarm", .value = "A",
     .example = "0.05", .fallback = "0.05", .range = CLI_POSITIVE},
    {"choice", CLI_CHOICE, CLI_OPTIONAL,
     "choice of the number of guesses: union pays for all numbers it tries, split "
     "chooses on half, fixed takes --guesses",
     .value = "HOW", .fallback = "union", .choices = choice_name},
    {"guesses", CLI_COUNT, CLI_OPTIONAL, "number of guesses, with --choice fixed",
     .value = "N", .example = "100", .count_max = CANARIES_MOST},
    {0},
};

static sotto_one_run_choice choice_of(const cli_call *call)
{
    const char *name = cli_text(call, "choice");
    return strcmp(name, "fixed") == 0   ? SOTTO_ONE_RUN_FIXED
           : strcmp(name, "split") == 0 ? SOTTO_ONE_RUN_SPLIT
                                        : SOTTO_ONE_RUN_UNION;
}

/* Lines of 0 and 1. */
static sotto_status read_coins(const char *path, bool **out, size_t *out_count,
                               sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status = cli_read_file(
        "--coins", path, FILE_MOST, SOTTO_INVALID_ARGUMENT, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    *out = calloc(size_bytes / 2 + 1, sizeof **out);
    *out_count = 0;
    if (*out == NULL)
        status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the coins");
    for (size_t i = 0; status == SOTTO_OK && i < size_bytes; i += 2) {
        const bool good = (text[i] == '0' || text[i] == '1') && i + 1 < size_bytes &&
                          text[i + 1] == '\n';
        if (good)
            (*out)[(*out_count)++] = text[i] == '1';
        else
            status = cli_fail(error, SOTTO_PARSE,
                              "--coins: line %zu is not 0 or 1; give the file that sotto "
                              "audit canaries make wrote, for example --coins coins.txt",
                              i / 2 + 1);
    }
    free(text);
    return status;
}

static sotto_status show(const cli_call *call, const sotto_one_run *found, bool refuted,
                         sotto_error *error)
{
    const bool gaussian = cli_given(call, "mu");
    char a[CLI_NUMBER_BYTES], b[CLI_NUMBER_BYTES];
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_number(json, "epsilon", cli_number(call, "epsilon"));
        sotto_json_number(json, "mu", cli_number(call, "mu"));
        if (!gaussian) sotto_json_number(json, "delta", cli_number(call, "delta"));
        if (!gaussian) sotto_json_number(json, "epsilon_lower", found->epsilon_lower);
        if (gaussian) sotto_json_number(json, "mu_lower", found->mu_lower);
        sotto_json_count(json, "canaries", found->canaries);
        sotto_json_count(json, "guesses", gaussian ? found->mu_guesses : found->guesses);
        sotto_json_count(json, "correct", gaussian ? found->mu_correct : found->correct);
        sotto_json_number(json, "alpha", cli_number(call, "alpha"));
        sotto_json_flag(json, "refuted", refuted);
        return cli_json_print(json, error);
    }
    cli_line("guesses", "%" PRIu64 " of %" PRIu64 " canaries, %" PRIu64 " correct",
             gaussian ? found->mu_guesses : found->guesses, found->canaries,
             gaussian ? found->mu_correct : found->correct);
    /* Never 100 %. */
    const double percent =
        fmin(100.0 * (1.0 - cli_number(call, "alpha")), 0x1.8ffffffffffffp6);
    cli_line(gaussian ? "mu" : "epsilon", "at least %s, with %s %% confidence",
             cli_rounded_down(gaussian ? found->mu_lower : found->epsilon_lower, 4, a),
             cli_rounded_down(percent, 8, b));
    (void)printf("\n%s: the claim is %s %g.\n", refuted ? "REFUTED" : "Not refuted",
                 gaussian ? "Gaussian DP of mu" : "epsilon",
                 cli_number(call, gaussian ? "mu" : "epsilon"));
    return SOTTO_OK;
}

static sotto_status run_score(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    bool *included = NULL;
    size_t count = 0;
    sotto_one_run found;
    const sotto_data_file file = {.path = cli_text(call, "canaries")};
    if ((choice_of(call) == SOTTO_ONE_RUN_FIXED) != cli_given(call, "guesses"))
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--guesses and --choice fixed belong together; give both, for "
                        "example --choice fixed --guesses 50, or neither");
    if (cli_given(call, "epsilon") == cli_given(call, "mu"))
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--epsilon and --mu: exactly one states the claim; give "
                        "--epsilon with its --delta, for example --epsilon 1, or --mu");
    sotto_status status = read_coins(cli_text(call, "coins"), &included, &count, error);
    if (status == SOTTO_OK) status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK)
        status = sotto_canaries_score(model, &file, included, count, choice_of(call),
                                      (size_t)cli_count(call, "guesses"),
                                      cli_number(call, "delta"),
                                      cli_number(call, "alpha"), &found, error);
    if (status == SOTTO_OK) {
        const bool refuted = cli_given(call, "mu")
                                 ? found.mu_lower > cli_number(call, "mu")
                                 : found.epsilon_lower > cli_number(call, "epsilon");
        status = show(call, &found, refuted, error);
        if (status == SOTTO_OK && refuted)
            status = cli_fail(error, SOTTO_VERIFICATION, "the claim is refuted");
    }
    sotto_model_free(model);
    free(included);
    return status;
}

static const cli_command score = {
    .name = "score",
    .summary = "Test the claim of a model that was trained with canaries",
    .details = "One training is enough, under add-remove: canaries come and go. Exit "
               "code 1 when\n"
               "the claim is refuted.",
    .options = score_options,
    .example = "sotto audit canaries score examples/model.json --canaries "
               "examples/canaries.csv --coins examples/coins.txt --epsilon 1",
    .run = run_score,
};

static const cli_command *const commands[] = {&make, &score, NULL};

const cli_command audit_canaries = {
    .name = "canaries",
    .summary = "Audit one training with canaries",
    .commands = commands,
    .example = "sotto audit canaries make --schema examples/smokers.schema.json --count "
               "100 --canaries canaries.csv --included included.csv --coins coins.txt",
};
