/* sotto start: the first steps with a data set. Asks where a person can answer; options answer too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/accountant.h>
#include <sotto/json.h>
#include <sotto/start.h>

#include "commands.h"
#include "frame/choice.h"
#include "frame/output.h"
#include "frame/terminal.h"
#include "train/training.h"

enum { ANSWERS = 16 };

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV with a header, plain or gzip; only its first line is used",
     .value = "DATA", .example = "patients.csv"},
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict", .value = "COLUMN",
     .example = "smokes"},
    {"unit", CLI_TEXT, CLI_OPTIONAL,
     "id column of a person who may have several rows (default: from the names)",
     .value = "COLUMN", .example = "patient_id"},
    {"unit-rows", CLI_COUNT, CLI_OPTIONAL,
     "largest number of rows to keep of one person (default 1)", .value = "K",
     .example = "8", .count_max = 1000000},
    {"unit-is-row", CLI_FLAG, CLI_OPTIONAL,
     "no person has more than one row: protect each row", .value = NULL},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "budget of the data set (default 1)",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the budget (default: from --expected-rows, or 1e-9); 0: pure",
     .value = "D", .example = "1e-9", .range = CLI_BELOW_ONE},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL,
     "relation of neighbouring data sets (default add-remove)", .value = "NAME",
     .choices = cli_adjacency_choice},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL, "public estimate of the number of rows",
     .value = "N", .example = "20000", .count_max = UINT64_C(1) << 32},
    {"dataset", CLI_TEXT, CLI_OPTIONAL,
     "id of the data set (default: the name of the file)", .value = "ID",
     .example = "clinic-2026"},
    {"leave-out", CLI_TEXT, CLI_OPTIONAL, "columns to ignore", .value = "NAMES",
     .example = "name,address"},
    {"number", CLI_TEXT, CLI_OPTIONAL, "columns of numbers", .value = "NAMES",
     .example = "dose,weight"},
    {"integer", CLI_TEXT, CLI_OPTIONAL, "columns of whole numbers", .value = "NAMES",
     .example = "age,visits"},
    {"boolean", CLI_TEXT, CLI_OPTIONAL, "columns of yes and no", .value = "NAMES",
     .example = "smokes"},
    {"category", CLI_TEXT, CLI_OPTIONAL, "columns of categories", .value = "NAMES",
     .example = "town"},
    {"id", CLI_TEXT, CLI_OPTIONAL, "columns of ids", .value = "NAMES",
     .example = "person"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "declare the rows public: read them, and take bounds and categories from them",
     .value = NULL},
    {"no-questions", CLI_FLAG, CLI_OPTIONAL,
     "ask no questions, also on a terminal: take every proposal", .value = NULL},
    {"output", CLI_FILE, CLI_OPTIONAL,
     "write the schema here (default: NAME.schema.json for the data NAME.csv)",
     .value = "FILE", .example = "patients.schema.json", .letter = 'o',
     .output = SOTTO_OUTPUT_SCHEMA},
    {0},
};

/* What is known so far. Answers are owned here. */
typedef struct dialogue {
    const cli_call *call;
    sotto_start_config config;
    char *answers[ANSWERS], *joined[ANSWERS];
    size_t answer_count;
    sotto_json *facts; /* of the last proposal */
} dialogue;

static const sotto_json_value *fact(const dialogue *talk, const char *name)
{
    return sotto_json_member(sotto_json_root(talk->facts), name);
}

/* Proposes with the answers so far; `facts` become those of this proposal. */
static sotto_status propose(dialogue *talk, sotto_error *error)
{
    char *json = NULL;
    sotto_json *facts = NULL;
    sotto_status status = sotto_start_propose(&talk->config, NULL, &json, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_json_parse("proposal", json, strlen(json), &facts, error);
    sotto_free(json);
    if (status != SOTTO_OK) return status;
    sotto_json_free(talk->facts);
    talk->facts = facts;
    return SOTTO_OK;
}

/* ---- questions ---- */

/* Asks until the answer is good: `take` puts it into the config. A refused answer is explained and asked for again. */
static sotto_status ask(dialogue *talk, const char *question, const char *proposal,
                        sotto_status (*take)(dialogue *talk, const char *answer,
                                             sotto_error *error),
                        sotto_error *error)
{
    for (;;) {
        char *answer = NULL;
        const sotto_start_config before = talk->config;
        sotto_status status = cli_ask(question, proposal, &answer, error);
        if (status != SOTTO_OK) return status;
        free(talk->answers[talk->answer_count]);
        free(talk->joined[talk->answer_count]);
        talk->answers[talk->answer_count] = answer;
        talk->joined[talk->answer_count] = NULL;
        status = take(talk, answer, error);
        if (status == SOTTO_OK) status = propose(talk, error);
        if (status == SOTTO_OK) {
            talk->answer_count++;
            return SOTTO_OK;
        }
        if (status != SOTTO_INVALID_ARGUMENT && status != SOTTO_PARSE) return status;
        talk->config = before;
        cli_spell(talk->call, error);
        (void)fprintf(stderr, "  %s\n", error->message);
    }
}

static const char *text_or_null(const char *answer)
{
    return answer[0] == '\0' ? NULL : answer;
}

static sotto_status take_public(dialogue *talk, const char *answer, sotto_error *error)
{
    const bool yes = strcmp(answer, "yes") == 0;
    if (!yes && strcmp(answer, "no") != 0)
        return cli_fail(error, SOTTO_INVALID_ARGUMENT, "answer yes or no");
    talk->config.draft.header_only = !yes;
    return SOTTO_OK;
}

static sotto_status take_target(dialogue *talk, const char *answer, sotto_error *error)
{
    (void)error;
    talk->config.draft.target = text_or_null(answer);
    return SOTTO_OK;
}

/* Adds names to a list with commas; the new list lives as long as the dialogue. */
static sotto_status add_names(dialogue *talk, const char **list, const char *names,
                              sotto_error *error)
{
    if (names[0] == '\0') return SOTTO_OK;
    if (*list == NULL) {
        *list = names;
        return SOTTO_OK;
    }
    const size_t room = strlen(*list) + strlen(names) + 2;
    char *joined = malloc(room);
    if (joined == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the answers");
    (void)snprintf(joined, room, "%s,%s", *list, names);
    talk->joined[talk->answer_count] = joined;
    *list = joined;
    return SOTTO_OK;
}

/* The kind of the target, which names can rarely tell. */
static sotto_status take_kind(dialogue *talk, const char *answer, sotto_error *error)
{
    sotto_draft_config *draft = &talk->config.draft;
    const struct {
        const char *answer;
        const char **list;
    } kinds[] = {{"yes/no", &draft->booleans},
                 {"category", &draft->categories},
                 {"number", &draft->numbers},
                 {"integer", &draft->integers}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(answer, kinds[i].answer) != 0) continue;
        return add_names(talk, kinds[i].list, draft->target, error);
    }
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "answer yes/no, category, number or integer");
}

static sotto_status take_unit(dialogue *talk, const char *answer, sotto_error *error)
{
    (void)error;
    talk->config.draft.unit = strcmp(answer, "none") == 0 ? "" : answer;
    return SOTTO_OK;
}

static sotto_status take_count(const char *answer, uint64_t most, uint64_t *out_count,
                               sotto_error *error)
{
    const cli_option count = {.name = "answer",
                              .kind = CLI_COUNT,
                              .presence = CLI_OPERAND,
                              .count_max = most,
                              .value = "the answer",
                              .example = "8"};
    cli_value value = {0};
    const sotto_status status = cli_value_parse(&count, answer, &value, error);
    if (status == SOTTO_OK) *out_count = value.count;
    return status;
}

static sotto_status take_unit_rows(dialogue *talk, const char *answer, sotto_error *error)
{
    return take_count(answer, 1000000, &talk->config.draft.unit_rows, error);
}

static sotto_status take_categories(dialogue *talk, const char *answer,
                                    sotto_error *error)
{
    return add_names(talk, &talk->config.draft.categories, answer, error);
}

static sotto_status take_booleans(dialogue *talk, const char *answer, sotto_error *error)
{
    return add_names(talk, &talk->config.draft.booleans, answer, error);
}

static sotto_status take_left_out(dialogue *talk, const char *answer, sotto_error *error)
{
    return add_names(talk, &talk->config.draft.leave_out, answer, error);
}

static sotto_status take_rows(dialogue *talk, const char *answer, sotto_error *error)
{
    if (strcmp(answer, "unknown") == 0) return SOTTO_OK;
    return take_count(answer, UINT64_C(1) << 32, &talk->config.expected_rows, error);
}

static sotto_status take_epsilon(dialogue *talk, const char *answer, sotto_error *error)
{
    const cli_option number = {.name = "answer",
                               .kind = CLI_NUMBER,
                               .presence = CLI_OPERAND,
                               .range = CLI_POSITIVE,
                               .value = "the answer",
                               .example = "1"};
    cli_value value = {0};
    const sotto_status status = cli_value_parse(&number, answer, &value, error);
    if (status == SOTTO_OK) talk->config.epsilon = value.number;
    return status;
}

static void show_columns(const dialogue *talk)
{
    const sotto_json_value *columns = fact(talk, "columns");
    (void)fputs("Columns, with the types that their names suggest:\n", stderr);
    for (size_t i = 0; i < sotto_json_size(columns); i++) {
        const sotto_json_value *column = sotto_json_item(columns, i);
        (void)fprintf(stderr, "  %-24s %s\n",
                      sotto_json_as_text(sotto_json_member(column, "name")),
                      sotto_json_as_text(sotto_json_member(column, "type")));
    }
}

/* The last lines of the proposal's text that a choice of epsilon needs. */
static sotto_status show_attack(const dialogue *talk, sotto_error *error)
{
    char *text = NULL;
    const sotto_status status =
        sotto_start_propose(&talk->config, NULL, NULL, &text, error);
    if (status != SOTTO_OK) return status;
    const char *begin = strstr(text, "\nLargest true positive rate");
    const char *end = begin == NULL ? NULL : strstr(begin, "\nNext:");
    if (end != NULL) (void)fwrite(begin, 1, (size_t)(end - begin), stderr);
    (void)fputc('\n', stderr);
    sotto_free(text);
    return SOTTO_OK;
}

static sotto_status ask_unit(dialogue *talk, sotto_error *error)
{
    const cli_call *call = talk->call;
    sotto_status status = SOTTO_OK;
    if (!cli_given(call, "unit") && !cli_flag(call, "unit-is-row")) {
        const char *guess =
            sotto_json_as_text(sotto_json_member(fact(talk, "unit"), "column"));
        status = ask(talk, "Id column of a person who may have several rows, or none",
                     guess == NULL ? "none" : guess, take_unit, error);
    }
    if (status != SOTTO_OK || cli_given(call, "unit-rows")) return status;
    if (sotto_json_kind_of(fact(talk, "unit")) == SOTTO_JSON_NULL) return SOTTO_OK;
    return ask(talk, "Largest number of rows to keep of one person", "1", take_unit_rows,
               error);
}

/* The list of names with commas has the name. */
static bool lists(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',' ? 1 : 0;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static sotto_status ask_types(dialogue *talk, sotto_error *error)
{
    const cli_call *call = talk->call;
    const sotto_draft_config *draft = &talk->config.draft;
    const char *target = draft->target;
    sotto_status status = SOTTO_OK;
    if (target != NULL && draft->header_only && !lists(draft->booleans, target) &&
        !lists(draft->categories, target) && !lists(draft->numbers, target) &&
        !lists(draft->integers, target))
        status = ask(talk, "Values of the target: yes/no, category, number or integer",
                     "yes/no", take_kind, error);
    if (status == SOTTO_OK && draft->header_only && !cli_given(call, "boolean"))
        status = ask(talk, "More columns of yes and no, with commas between them", "",
                     take_booleans, error);
    if (status == SOTTO_OK && draft->header_only && !cli_given(call, "category"))
        status = ask(talk, "More columns of categories, with commas between them", "",
                     take_categories, error);
    if (status == SOTTO_OK && !cli_given(call, "leave-out"))
        status = ask(talk, "Columns to leave out, with commas between them", "",
                     take_left_out, error);
    return status;
}

static sotto_status ask_all(dialogue *talk, sotto_error *error)
{
    const cli_call *call = talk->call;
    sotto_status status = SOTTO_OK;
    (void)fputs("Answer with Enter to take the proposal in brackets; Ctrl-C ends without "
                "writing.\n\n",
                stderr);
    if (!cli_flag(call, "data-is-public"))
        status = ask(talk, "Are all rows public: published or synthetic? yes or no", "no",
                     take_public, error);
    if (status == SOTTO_OK) show_columns(talk);
    if (status == SOTTO_OK && !cli_given(call, "target"))
        status = ask(talk, "Column to predict; Enter for none", "", take_target, error);
    if (status == SOTTO_OK) status = ask_unit(talk, error);
    if (status == SOTTO_OK) status = ask_types(talk, error);
    if (status == SOTTO_OK && !cli_given(call, "expected-rows"))
        status = ask(talk, "Public estimate of the number of rows, or unknown", "unknown",
                     take_rows, error);
    if (status == SOTTO_OK && !cli_given(call, "epsilon")) {
        status = show_attack(talk, error);
        if (status == SOTTO_OK)
            status = ask(talk, "Epsilon of all releases from this data together", "1",
                         take_epsilon, error);
    }
    (void)fputc('\n', stderr);
    return status;
}

/* ---- the command ---- */

static sotto_status fill_config(const cli_call *call, sotto_start_config *config,
                                sotto_error *error)
{
    sotto_draft_config *draft = &config->draft;
    draft->path = cli_text(call, "data");
    draft->header_only = !cli_flag(call, "data-is-public");
    draft->target = cli_text(call, "target");
    draft->dataset = cli_text(call, "dataset");
    draft->leave_out = cli_text(call, "leave-out");
    draft->numbers = cli_text(call, "number");
    draft->integers = cli_text(call, "integer");
    draft->booleans = cli_text(call, "boolean");
    draft->categories = cli_text(call, "category");
    draft->ids = cli_text(call, "id");
    draft->unit = cli_flag(call, "unit-is-row") ? "" : cli_text(call, "unit");
    draft->unit_rows = cli_count(call, "unit-rows");
    config->epsilon = cli_number(call, "epsilon");
    config->delta = cli_number(call, "delta");
    config->expected_rows = cli_count(call, "expected-rows");
    config->schema_path = cli_text(call, "output");
    if (cli_flag(call, "unit-is-row") &&
        (cli_given(call, "unit") || cli_given(call, "unit-rows"))) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--unit-is-row excludes --unit and --unit-rows; leave out "
                        "--unit-is-row if a person may have several rows");
    }
    if (cli_given(call, "adjacency")) config->adjacency = cli_adjacency(call);
    return SOTTO_OK;
}

/* Before the questions: answers are not lost to a file that is there. */
static sotto_status check_output(const dialogue *talk, sotto_error *error)
{
    const char *path = sotto_json_as_text(fact(talk, "schema_path"));
    if (sotto_output_is_same(path, talk->config.draft.path))
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.120s is DATA too; give the schema a file of its own with "
                        "--output",
                        path);
    return sotto_output_check(path, SOTTO_OUTPUT_SCHEMA,
                              cli_flag(talk->call, "overwrite"), error);
}

static sotto_status finish(const dialogue *talk, sotto_error *error)
{
    char *schema = NULL, *json = NULL, *text = NULL;
    const cli_call *call = talk->call;
    sotto_status status =
        sotto_start_propose(&talk->config, &schema, &json, &text, error);
    if (status == SOTTO_OK)
        status = sotto_output_put(sotto_json_as_text(fact(talk, "schema_path")),
                                  SOTTO_OUTPUT_SCHEMA, cli_flag(call, "overwrite"),
                                  schema, strlen(schema), error);
    if (status == SOTTO_OK) (void)fputs(cli_flag(call, "json") ? json : text, stdout);
    sotto_free(schema);
    sotto_free(json);
    sotto_free(text);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    dialogue talk = {.call = call, .config = sotto_start_defaults()};
    sotto_status status = fill_config(call, &talk.config, error);
    if (status == SOTTO_OK) status = propose(&talk, error);
    if (status == SOTTO_OK) status = check_output(&talk, error);
    if (status == SOTTO_OK && cli_can_ask() && !cli_flag(call, "no-questions") &&
        !cli_flag(call, "json"))
        status = ask_all(&talk, error);
    if (status == SOTTO_OK) status = finish(&talk, error);
    for (size_t i = 0; i < ANSWERS; i++) {
        free(talk.answers[i]);
        free(talk.joined[i]);
    }
    sotto_json_free(talk.facts);
    return status;
}

const cli_command cli_start = {
    .name = "start",
    .summary = "Begin with a data set: schema to fill in, budget, commands to run",
    .details =
        "Writes a commented schema from the first line of DATA, and proposes a unit, an\n"
        "adjacency and a budget. Shows the meaning of epsilon as a table of the best\n"
        "attack, and ends with the commands to run. No row is used unless you declare\n"
        "the rows public. On a terminal the command asks for missing answers; in a pipe\n"
        "it takes its proposals.",
    .options = options,
    .example = "sotto start examples/survey.csv --target smokes --boolean smokes "
               "--category town -o start.schema.json",
    .run = run,
    .waits = true,
};
