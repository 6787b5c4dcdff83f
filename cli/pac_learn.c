/* sotto pac learn: one concept of a finite class, privately. The training is that of `sotto train --model concept`;
 * here the class is put together from flags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "data_file.h"
#include "pac.h"
#include "paid.h"
#include "sign.h"
#include "training.h"

/* --- the words --- */

const char *pac_class_choice(size_t index)
{
    static const char *const names[] = {"thresholds", "intervals",    "stumps",
                                        "rectangles", "conjunctions", "parities",
                                        "candidates"};
    return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

bool pac_is_class(const char *text)
{
    return text[0] == '{' || cli_is_json_file(text);
}

static const char *mechanism_choice(size_t index)
{
    static const sotto_method methods[] = {SOTTO_METHOD_EXPONENTIAL,
                                           SOTTO_METHOD_PERMUTE_AND_FLIP,
                                           SOTTO_METHOD_LAPLACE, SOTTO_METHOD_NONE};
    return index < sizeof methods / sizeof methods[0] ? sotto_method_name(methods[index])
                                                      : NULL;
}

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV with a header, LIBSVM, NPY, plain or gzip; or SQLite", .value = "DATA",
     .example = "survey.csv"},
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"class", CLI_CHOICE, CLI_REQUIRED, "the rules to choose from", .value = "CLASS",
     .example = "stumps", .choices = pac_class_choice, .is_other = pac_is_class,
     .other = "FILE.json|{JSON}"},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "privacy loss of the choice, above 0; pure",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"output", CLI_FILE, CLI_REQUIRED, "write the model file with its certificate",
     .value = "FILE", .example = "rule.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict; the schema's unless given",
     .value = "COLUMN", .example = "smokes"},
    {"columns", CLI_TEXT, CLI_OPTIONAL, "columns that rules look at; all that fit",
     .value = "LIST", .example = "age,visits"},
    {"bits", CLI_COUNT, CLI_OPTIONAL, "2^B equal cells between a number's bounds",
     .value = "B", .example = "16", .count_max = 32},
    {"cuts", CLI_TEXT, CLI_OPTIONAL,
     "public cuts, ascending: COLUMN=LIST, or of one column LIST; repeatable",
     .value = "LIST", .example = "age=30,45,60", .repeated = true},
    {"both", CLI_FLAG, CLI_OPTIONAL,
     "thresholds, candidates: also the other way round; stumps always are",
     .value = NULL},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "how the choice is drawn", .value = "NAME",
     .fallback = "exponential", .choices = mechanism_choice},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "what one record means", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "public guess of the number of rows, never compared with the data", .value = "N",
     .example = "10000", .count_max = UINT64_C(1) << 32},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {"delta", CLI_NUMBER, CLI_HIDDEN, "refused: the choice is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"stream", CLI_FLAG, CLI_OPTIONAL,
     "read the rows again for every pass instead of holding them all", .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL,
     "threads to use; the result is the same for any number", .value = "N",
     .example = "2", .count_max = 1024},
    {0},
};

/* --- the class as the library takes it --- */

static sotto_status fail_memory(sotto_error *error)
{
    return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the class");
}

/* The words of a list between commas, none empty; `add` takes each. */
static sotto_status split(const char *name, const char *list, json_t *array,
                          sotto_status (*add)(const char *word, json_t *array,
                                              sotto_error *error),
                          sotto_error *error)
{
    char *copy = malloc(strlen(list) + 1);
    if (copy == NULL) return fail_memory(error);
    strcpy(copy, list);
    sotto_status status = SOTTO_OK;
    char *word = copy;
    while (status == SOTTO_OK && word != NULL) {
        char *comma = strchr(word, ',');
        if (comma != NULL) *comma = '\0';
        if (word[0] == '\0')
            status = cli_fail(error, SOTTO_INVALID_ARGUMENT,
                              "--%s is '%.60s', where a word between commas is missing; "
                              "give it, or take a comma away",
                              name, list);
        else
            status = add(word, array, error);
        word = comma == NULL ? NULL : comma + 1;
    }
    free(copy);
    return status;
}

static sotto_status add_column(const char *word, json_t *array, sotto_error *error)
{
    if (json_array_append_new(array, json_string(word)) == 0) return SOTTO_OK;
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--columns '%.60s' is not UTF-8, and no column of a schema", word);
}

static sotto_status add_cut(const char *word, json_t *array, sotto_error *error)
{
    static const cli_option number = {"cuts", CLI_NUMBER,      CLI_OPTIONAL,
                                      "",     .value = "LIST", .example = "30,45,60"};
    cli_value value;
    const sotto_status status = cli_value_parse(&number, word, &value, error);
    if (status != SOTTO_OK) return status;
    return json_array_append_new(array, json_real(value.number)) == 0
               ? SOTTO_OK
               : fail_memory(error);
}

/* Cuts without a column are those of the only one that was named. */
static sotto_status find_column(const char *given, size_t length, const json_t *columns,
                                char **out_name, sotto_error *error)
{
    const char *name = given;
    if (length == 0) {
        if (json_array_size(columns) != 1) {
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--cuts does not say of which column; name it, for example "
                            "--cuts age=30,45,60, or one column with --columns");
        }
        name = json_string_value(json_array_get(columns, 0));
        length = strlen(name);
    }
    *out_name = malloc(length + 1);
    if (*out_name == NULL) return fail_memory(error);
    memcpy(*out_name, name, length);
    (*out_name)[length] = '\0';
    return SOTTO_OK;
}

/* "age=30,45,60", or a list alone. Numbers have no equals sign: the last one ends the name. */
static sotto_status add_cuts(const char *text, const json_t *columns, json_t *cuts,
                             sotto_error *error)
{
    const char *equals = strrchr(text, '=');
    char *name = NULL;
    json_t *list = json_array();
    sotto_status status = list == NULL ? fail_memory(error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = find_column(text, equals == NULL ? 0 : (size_t)(equals - text), columns,
                             &name, error);
    if (status == SOTTO_OK && json_object_get(cuts, name) != NULL) {
        status =
            cli_fail(error, SOTTO_INVALID_ARGUMENT,
                     "--cuts is given twice for the column '%.60s'; give it once", name);
    }
    if (status == SOTTO_OK)
        status = split("cuts", equals == NULL ? text : equals + 1, list, add_cut, error);
    if (status == SOTTO_OK && json_object_set(cuts, name, list) != 0) {
        status = cli_fail(error, SOTTO_INVALID_ARGUMENT,
                          "--cuts '%.60s' is not UTF-8, and no column of a schema", name);
    }
    json_decref(list);
    free(name);
    return status;
}

static sotto_status fill_class(const cli_call *call, json_t *class, sotto_error *error)
{
    json_t *columns = json_array();
    json_t *cuts = json_object();
    bool made =
        columns != NULL && cuts != NULL &&
        json_object_set_new(class, "class", json_string(cli_text(call, "class"))) == 0;
    sotto_status status = made ? SOTTO_OK : fail_memory(error);
    if (status == SOTTO_OK && cli_given(call, "columns"))
        status = split("columns", cli_text(call, "columns"), columns, add_column, error);
    for (size_t i = 0; status == SOTTO_OK && cli_text_at(call, "cuts", i) != NULL; i++)
        status = add_cuts(cli_text_at(call, "cuts", i), columns, cuts, error);
    if (status == SOTTO_OK) {
        if (cli_given(call, "columns"))
            made = made && json_object_set(class, "columns", columns) == 0;
        if (cli_given(call, "cuts"))
            made = made && json_object_set(class, "cuts", cuts) == 0;
        if (cli_given(call, "bits"))
            made = made && json_object_set_new(
                               class, "bits",
                               json_integer((json_int_t)cli_count(call, "bits"))) == 0;
        if (cli_flag(call, "both"))
            made = made && json_object_set_new(class, "both", json_true()) == 0;
        if (!made) status = fail_memory(error);
    }
    json_decref(columns);
    json_decref(cuts);
    return status;
}

/* Parts of a class that are flags too, with the same names. */
static const char *const parts[] = {"columns", "bits", "cuts", "both"};

/* The class as text; free() it. */
static sotto_status make_class(const cli_call *call, char **out_text, sotto_error *error)
{
    const char *given = cli_text(call, "class");
    if (pac_is_class(given)) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (!cli_given(call, parts[i])) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is part of the class, which --class gives whole; write "
                            "\"%s\" there",
                            parts[i], parts[i]);
        }
        *out_text = malloc(strlen(given) + 1);
        if (*out_text == NULL) return fail_memory(error);
        strcpy(*out_text, given);
        return SOTTO_OK;
    }
    json_t *class = json_object();
    sotto_status status =
        class == NULL ? fail_memory(error) : fill_class(call, class, error);
    if (status == SOTTO_OK) {
        *out_text = json_dumps(class, JSON_COMPACT | JSON_REAL_PRECISION(17));
        if (*out_text == NULL) status = fail_memory(error);
    }
    json_decref(class);
    return status;
}

/* The class came from flags: what a refusal quotes as a part of it, "columns", is the flag --columns. A flag is as long
 * as its name in quotes. */
static void name_flags(sotto_error *error)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char quoted[16];
        (void)snprintf(quoted, sizeof quoted, "\"%s\"", parts[i]);
        for (char *at = strstr(error->message, quoted); at != NULL;
             at = strstr(at, quoted)) {
            const size_t length = strlen(parts[i]);
            memcpy(at, "--", 2);
            memcpy(at + 2, parts[i], length);
        }
    }
}

/* --- the command --- */

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    char *class = NULL;
    config.model = SOTTO_MODEL_CONCEPT;
    config.target = cli_text(call, "target");
    config.epsilon = cli_number(call, "epsilon");
    config.delta = cli_number(call, "delta");
    config.expected_rows = cli_count(call, "expected-rows");
    config.public_n = cli_count(call, "public-n");
    config.stream = cli_flag(call, "stream");
    config.threads = cli_count(call, "threads");
    sotto_status status =
        sotto_method_from_name(cli_text(call, "mechanism"), &config.method, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(cli_text(call, "adjacency"), &config.adjacency,
                                           error);
    if (status == SOTTO_OK) status = make_class(call, &class, error);
    config.concept = class;
    if (status == SOTTO_OK) {
        status = cli_train_run(call, &config, error);
        if (status != SOTTO_OK && !pac_is_class(cli_text(call, "class")))
            name_flags(error);
    }
    free(class);
    return status;
}

static const cli_option *const shared[] = {cli_train_options, cli_data_options,
                                           cli_stored_option, cli_sign_option,
                                           cli_again_option,  NULL};

const cli_command pac_learn = {
    .name = "learn",
    .summary = "Choose one rule of a class by its errors on private rows",
    .details =
        "The plan is charged to the ledger before a row is read. The errors of the\n"
        "rule stay secret: they would be a release of their own. Only laplace pays for\n"
        "the errors of all rules, and hands them out with their noise.",
    .options = options,
    .shared = shared,
    .example =
        "sotto pac learn examples/survey.csv --schema examples/smokers.schema.json "
        "--class stumps --epsilon 1 -o rule.json",
    .run = run,
};
