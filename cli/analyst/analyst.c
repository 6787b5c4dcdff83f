/* sotto analyst: another command, on the curator's data and within the curator's rules. */
#include "analyst/analyst.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sotto/model.h>
#include <sotto/schema.h>

#include "commands.h"
#include "frame/interrupt.h"
#include "frame/output.h"
#include "model/model_files.h"

enum { LABEL_BYTES = 48, LIST_BYTES = 512, CHOICES_MAX = 8 };

static const cli_option options[] = {
    {"config", CLI_FILE, CLI_OPERAND,
     "JSON file of the curator: data, schema, ledger, results, commands; an absolute "
     "path",
     .value = "CONFIG", .example = "/srv/clinic/private/analyst.json"},
    {"command", CLI_TEXT, CLI_OPTIONAL_OPERAND,
     "train, tune, evaluate, release, pac learn, plan or ledger show, with its options; "
     "without it, check the set-up and show the rules",
     .value = "COMMAND", .example = "train"},
    {0},
};

/* --- words of the analyst --- */

typedef struct guard {
    cli_guard base; /* first: a guard is one of these */
    const analyst_config *config;
    const analyst_command *rules;
} guard;

static sotto_status refuse(const char *label, const char *why, sotto_error *error)
{
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is not allowed for analysts: %s; leave it out", label, why);
}

/* The classes that a word can be judged by on its own; the others are judged when all are read. */
sotto_status analyst_admit(const analyst_config *config, const analyst_command *command,
                           const cli_option *option, const char *text, sotto_error *error)
{
    const analyst_rule *rule = analyst_find_rule(command, option->name);
    char label[LABEL_BYTES];
    (void)cli_option_label(option, label, sizeof label);
    switch (rule == NULL ? (analyst_class)0 : rule->class) {
    case ANALYST_FREE:
    case ANALYST_CHOICE:
    case ANALYST_EPSILON:
    case ANALYST_DELTA:
    case ANALYST_PUBLIC_N:
        return SOTTO_OK;
    case ANALYST_INPUT:
    case ANALYST_MODEL:
        return analyst_check_input(label, text, config->readers_id, error);
    case ANALYST_OUTPUT:
        return analyst_check_output(label, text, rule->words, error);
    case ANALYST_FORM:
        if (text[0] == '{' && strcmp(option->name, "model") != 0) return SOTTO_OK;
        if (strpbrk(text, "./{") == NULL) return SOTTO_OK;
        return analyst_check_input(label, text, config->readers_id, error);
    case ANALYST_FIXED:
        return refuse(label, "the curator's configuration fixes it", error);
    case ANALYST_REFUSED:
        return refuse(label, rule->why, error);
    }
    return refuse(label, "no rule names it", error);
}

static sotto_status admit(const cli_guard *base, const cli_option *option,
                          const char *text, sotto_error *error)
{
    const guard *self = (const guard *)base;
    return analyst_admit(self->config, self->rules, option, text, error);
}

/* --- options fixed by the configuration --- */

static const char *fixed_text(const analyst_config *config, const char *name)
{
    const struct {
        const char *name, *text;
    } fixed[] = {{"data", config->data},     {"labels", config->labels},
                 {"table", config->table},   {"query", config->query},
                 {"format", config->format}, {"schema", config->schema},
                 {"ledger", config->ledger}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(fixed[i].name, name) == 0) return fixed[i].text;
    return NULL;
}

/* Before the words are read: a fixed operand is then none that a word could fill. */
static sotto_status insert_fixed(const guard *self, cli_call *inner, sotto_error *error)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(inner->command, i)) != NULL; i++) {
        const analyst_rule *rule = analyst_find_rule(self->rules, option->name);
        if (rule == NULL || rule->class != ANALYST_FIXED) continue;
        const char *text = fixed_text(self->config, option->name);
        if (text == NULL) continue;
        const sotto_status status =
            cli_value_parse(option, text, &inner->values[i], error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* --- limits on the given options and defaults --- */

static sotto_status check_limit(const char *label, const cli_value *value, double limit,
                                sotto_error *error)
{
    char most[CLI_NUMBER_BYTES];
    if (!value->given || value->number <= limit) return SOTTO_OK;
    (void)cli_shortest(limit, most);
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is %.40s; the curator allows at most %s for one run; give %s %s",
                    label, value->text, most, label, most);
}

static sotto_status check_public_n(const guard *self, const cli_value *value,
                                   sotto_error *error)
{
    const unsigned long long declared = self->config->public_rows;
    if (!value->given || (declared > 0 && value->count == declared)) return SOTTO_OK;
    if (declared == 0)
        return refuse("--public-n", "the curator keeps the number of rows secret", error);
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--public-n is %.40s; the curator declared %llu rows; give "
                    "--public-n %llu",
                    value->text, declared, declared);
}

static sotto_status check_value(const guard *self, const cli_option *option,
                                const cli_value *value, sotto_error *error)
{
    const analyst_rule *rule = analyst_find_rule(self->rules, option->name);
    char label[LABEL_BYTES];
    (void)cli_option_label(option, label, sizeof label);
    if (rule == NULL) {
        return value->given ? refuse(label, "no rule names it", error) : SOTTO_OK;
    }
    if (rule->class == ANALYST_EPSILON)
        return check_limit(label, value, self->config->epsilon_max, error);
    if (rule->class == ANALYST_DELTA)
        return check_limit(label, value, self->config->delta_max, error);
    if (rule->class == ANALYST_PUBLIC_N) return check_public_n(self, value, error);
    if (rule->class != ANALYST_CHOICE || value->text == NULL ||
        analyst_has_word(rule->words, value->text))
        return SOTTO_OK;
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s %.40s is not allowed for analysts: %s; give one of %s", label,
                    value->text, rule->why != NULL ? rule->why : "no rule names it",
                    rule->words);
}

static const char *target_column(const sotto_schema *schema)
{
    const sotto_target *target = sotto_schema_target(schema);
    return target == NULL ? NULL : target->column;
}

/* `out_same` if both mean the same, but for the column to predict. */
static sotto_status compare_schemas(const sotto_schema *schema, const sotto_schema *own,
                                    bool *out_same, sotto_error *error)
{
    char *wanted = NULL, *found = NULL, *other = NULL;
    *out_same = false;
    sotto_status status = sotto_schema_to_json(own, NULL, &found, error);
    if (status == SOTTO_OK) status = sotto_schema_to_json(schema, NULL, &wanted, error);
    if (status == SOTTO_OK) *out_same = strcmp(found, wanted) == 0;
    if (status == SOTTO_OK && !*out_same && target_column(own) != NULL &&
        sotto_schema_to_json(schema, target_column(own), &other, NULL) == SOTTO_OK)
        *out_same = strcmp(found, other) == 0;
    sotto_free(wanted);
    sotto_free(found);
    sotto_free(other);
    return status;
}

static sotto_status check_model(const guard *self, const cli_call *inner,
                                sotto_error *error)
{
    sotto_schema *schema = NULL;
    sotto_model *model = NULL;
    bool same = false;
    sotto_status status = sotto_schema_load(self->config->schema, &schema, error);
    if (status == SOTTO_OK) status = cli_load_model(inner, &model, error);
    if (status == SOTTO_OK)
        status = compare_schemas(schema, sotto_model_schema(model), &same, error);
    if (status == SOTTO_OK && !same) {
        status = cli_fail(error, SOTTO_INVALID_ARGUMENT,
                          "MODEL %.60s has another schema than the curator's; give a "
                          "model that was trained on this data",
                          cli_text(inner, "model"));
    }
    sotto_model_free(model);
    sotto_schema_free(schema);
    return status;
}

static sotto_status check_values(const guard *self, const cli_call *inner,
                                 analyst_locks *locks, sotto_error *error)
{
    const cli_option *option = NULL;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0;
         status == SOTTO_OK && (option = cli_option_at(inner->command, i)) != NULL; i++) {
        const analyst_rule *rule = analyst_find_rule(self->rules, option->name);
        status = check_value(self, option, &inner->values[i], error);
        if (status == SOTTO_OK && rule != NULL && rule->class == ANALYST_MODEL)
            status = check_model(self, inner, error);
    }
    for (size_t i = 0;
         status == SOTTO_OK && (option = cli_option_at(inner->command, i)) != NULL; i++) {
        const analyst_rule *rule = analyst_find_rule(self->rules, option->name);
        char label[LABEL_BYTES];
        if (rule == NULL || rule->class != ANALYST_OUTPUT || !inner->values[i].given)
            continue;
        (void)cli_option_label(option, label, sizeof label);
        status = analyst_lock(locks, label, inner->values[i].text, error);
    }
    return status;
}

/* --- help within the rules --- */

static bool is_offered(const guard *self, const char *option)
{
    const analyst_rule *rule = analyst_find_rule(self->rules, option);
    if (rule == NULL || rule->class == ANALYST_REFUSED || rule->class == ANALYST_FIXED)
        return false;
    return rule->class != ANALYST_PUBLIC_N || self->config->public_rows > 0;
}

/* The row of a choice with the words that the rules leave: "method: auto, gd". */
static void restrict_choice(const analyst_rule *rule, char *text, size_t size_bytes,
                            cli_option *option)
{
    int used = snprintf(text, size_bytes, "%s", option->help);
    const char *joint = ": ";
    for (size_t i = 0; option->choices(i) != NULL; i++) {
        if (!analyst_has_word(rule->words, option->choices(i))) continue;
        if (used >= 0 && (size_t)used < size_bytes)
            used += snprintf(text + used, size_bytes - (size_t)used, "%s%s", joint,
                             option->choices(i));
        joint = ", ";
    }
    option->help = text;
    option->kind = CLI_TEXT;
    option->choices = NULL;
    if (option->fallback != NULL && !analyst_has_word(rule->words, option->fallback))
        option->fallback = NULL;
}

/* The command's own page, with the rows that the rules leave. */
static void show_help(const guard *self, const cli_command *command, const char *path)
{
    static cli_option left[CLI_OPTIONS_MAX + 1];
    static char example[LIST_BYTES], texts[CHOICES_MAX][LIST_BYTES];
    size_t count = 0, choices = 0;
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (!is_offered(self, option->name)) continue;
        if (strcmp(option->name, "json") == 0 || strcmp(option->name, "help") == 0)
            continue; /* the frame adds them */
        const analyst_rule *rule = analyst_find_rule(self->rules, option->name);
        left[count] = *option;
        if (rule->class == ANALYST_CHOICE && choices < CHOICES_MAX)
            restrict_choice(rule, texts[choices++], LIST_BYTES, &left[count]);
        count++;
    }
    left[count] = (cli_option){0};
    (void)snprintf(example, sizeof example, "sotto analyst CONFIG %s %s",
                   self->rules->path, self->rules->example);
    const cli_command restricted = {
        .name = command->name,
        .summary = command->summary,
        .details = "The curator's configuration fixes the data, the schema and the "
                   "ledger. Files are\nbare names in the results directory.",
        .options = left,
        .example = example,
        .run = command->run,
    };
    cli_help(&restricted, path);
}

static bool asks_for_help(char **next, char **end)
{
    for (; next < end && strcmp(*next, "--") != 0; next++)
        if (strcmp(*next, "--help") == 0 || strcmp(*next, "-h") == 0) return true;
    return false;
}

/* --- the command --- */

static sotto_status find_rules(const cli_call *call, const analyst_config *config,
                               guard *self, char ***out_next, sotto_error *error)
{
    char path[CLI_PATH_BYTES];
    char **next = call->rest;
    const char *word = cli_text(call, "command");
    (void)snprintf(path, sizeof path, "%s", word);
    /* A word with a blank in it is no command, although two words may be. */
    self->rules = strchr(word, ' ') == NULL ? analyst_find_command(path) : NULL;
    if (self->rules == NULL && strchr(word, ' ') == NULL &&
        next < call->end) { /* "release", "count" */
        (void)snprintf(path, sizeof path, "%.30s %.30s", word, *next++);
        self->rules = analyst_find_command(path);
    }
    if (self->rules == NULL || !analyst_config_allows(config, path)) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the command %.60s is not allowed; sotto analyst CONFIG --help "
                        "lists those that are",
                        path);
    }
    *out_next = next;
    return SOTTO_OK;
}

/* The frame knows the outer command only, which has no output. A result is not replaced, so the same command does not
 * print its summary again. */
static sotto_status check_printed(const cli_call *inner, sotto_error *error)
{
    const char *output = cli_has(inner, "output") ? cli_text(inner, "output") : NULL;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || output == NULL ||
        !cli_has(inner, "again"))
        return SOTTO_OK; /* or the frame's message */
    return cli_fail(error, SOTTO_IO,
                    "standard output cannot be written; the charge stands, and the "
                    "result is in %.60s of the results directory",
                    output);
}

static sotto_status run_inner(const cli_call *call, const analyst_config *config,
                              sotto_error *error)
{
    guard self = {.base = {admit}, .config = config};
    analyst_locks locks = {.count = 0};
    char **next = NULL;
    sotto_status status = find_rules(call, config, &self, &next, error);
    if (status != SOTTO_OK) return status;
    cli_call inner = {.command = analyst_find_table(self.rules->path),
                      .guard = &self.base,
                      .words = next,
                      .end = call->end};
    (void)snprintf(inner.path, sizeof inner.path, "analyst CONFIG %s", self.rules->path);
    if (asks_for_help(next, call->end)) {
        show_help(&self, inner.command, inner.path);
        return SOTTO_OK;
    }
    status = insert_fixed(&self, &inner, error);
    if (status == SOTTO_OK) status = cli_parse(&inner, next, call->end, error);
    if (status == SOTTO_OK) status = check_values(&self, &inner, &locks, error);
    cli_end_on_interrupt(cli_has(&inner, "again")); /* it charges */
    if (status == SOTTO_OK) status = inner.command->run(&inner, error);
    if (status == SOTTO_OK) status = check_printed(&inner, error);
    analyst_unlock(&locks);
    return status;
}

/* --- the rules, shown --- */

static sotto_status show_rules(const cli_call *call, const analyst_config *config,
                               sotto_error *error)
{
    char list[LIST_BYTES] = "", number[CLI_NUMBER_BYTES];
    size_t used = 0;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_array(json, "commands");
    const analyst_command *command = NULL;
    for (size_t i = 0; (command = analyst_command_at(i)) != NULL; i++) {
        if (!analyst_config_allows(config, command->path)) continue;
        sotto_json_text(json, NULL, command->path);
        const int written = snprintf(list + used, sizeof list - used, "%s%s",
                                     used == 0 ? "" : ", ", command->path);
        if (written > 0 && used + (size_t)written < sizeof list) used += (size_t)written;
    }
    sotto_json_end(json);
    const bool capped = isfinite(config->epsilon_max);
    const bool delta_capped = isfinite(config->delta_max);
    if (cli_flag(call, "json")) {
        sotto_json_text(json, "results", config->results);
        sotto_json_text(json, "readers", config->readers);
        if (capped) sotto_json_number(json, "max_epsilon", config->epsilon_max);
        if (delta_capped) sotto_json_number(json, "max_delta", config->delta_max);
        if (config->public_rows > 0)
            sotto_json_count(json, "public_rows", config->public_rows);
        return cli_json_print(json, error);
    }
    sotto_json_writer_free(json);
    cli_line("commands", "%s", list);
    cli_line("results", "%s, for the group %s", config->results, config->readers);
    cli_line("epsilon", "%s%s", capped ? "at most " : "as the ledger allows",
             capped ? cli_shortest(config->epsilon_max, number) : "");
    cli_line("delta", "%s%s", delta_capped ? "at most " : "as the ledger allows",
             delta_capped ? cli_shortest(config->delta_max, number) : "");
    if (config->public_rows > 0)
        cli_line("rows", "%llu, public", (unsigned long long)config->public_rows);
    else
        cli_line("rows", "their number is secret");
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    analyst_config config = {.root = NULL};
    const char *command = cli_text(call, "command");
    if (command != NULL && cli_flag(call, "json")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--json stands before COMMAND; write it behind %.40s", command);
    }
    sotto_status status = analyst_enter(call, error);
    if (status == SOTTO_OK)
        status = analyst_config_load(cli_text(call, "config"), &config, error);
    if (status == SOTTO_OK && chdir(config.results) != 0) {
        status = cli_fail(error, SOTTO_IO, "results %.90s cannot be entered: %s",
                          config.results, strerror(errno));
    }
    if (status == SOTTO_OK) {
        status = command == NULL ? show_rules(call, &config, error)
                                 : run_inner(call, &config, error);
    }
    analyst_config_clear(&config);
    return status;
}

const cli_command cli_analyst = {
    .name = "analyst",
    .summary = "Run a command for an analyst, on the curator's data and within rules",
    .details =
        "A sudo rule lets analysts run this as the curator. CONFIG fixes the data, the\n"
        "schema and the ledger, and lists the commands. Analysts name files of the\n"
        "results directory only; test seeds and public declarations are refused.",
    .options = options,
    .example = "sh examples/make_analyst.sh clinic && sotto analyst "
               "\"$PWD\"/clinic/private/analyst.json release count --epsilon 0.1 "
               "-o count.json",
    .run = run,
    .passes_words = true,
    .waits = true,
};
