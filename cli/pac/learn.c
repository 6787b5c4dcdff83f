/* sotto pac learn: one concept of a finite class, privately. The training is that of `sotto train --model concept`;
 * here the class is put together from flags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/json.h>

#include "data/data_file.h"
#include "frame/choice.h"
#include "ledger/paid.h"
#include "pac/pac.h"
#include "sign.h"
#include "train/training.h"

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

static const sotto_method methods[] = {SOTTO_METHOD_EXPONENTIAL,
                                       SOTTO_METHOD_PERMUTE_AND_FLIP,
                                       SOTTO_METHOD_LAPLACE, SOTTO_METHOD_NONE};

static const char *mechanism_choice(size_t index)
{
    return index < sizeof methods / sizeof methods[0] ? sotto_method_name(methods[index])
                                                      : NULL;
}

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV with a header, LIBSVM, NPY, plain or gzip; or SQLite", .value = "DATA",
     .example = "survey.csv"},
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"class", CLI_CHOICE, CLI_REQUIRED, "class of concepts to choose from",
     .value = "CLASS", .example = "stumps", .choices = pac_class_choice,
     .is_other = pac_is_class, .other = "FILE.json|{JSON}", .setting = "concept"},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "privacy loss of the choice, above 0; pure",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"output", CLI_FILE, CLI_REQUIRED, "file for the model with its certificate",
     .value = "FILE", .example = "rule.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict (default: the schema's)",
     .value = "COLUMN", .example = "smokes"},
    {"columns", CLI_TEXT, CLI_OPTIONAL, "columns of the concepts (default: all that fit)",
     .value = "LIST", .example = "age,visits"},
    {"bits", CLI_COUNT, CLI_OPTIONAL, "2^B equal cells between a number's bounds",
     .value = "B", .example = "16", .count_max = 32},
    {"cuts", CLI_TEXT, CLI_OPTIONAL,
     "public thresholds, ascending: COLUMN=LIST, or LIST for one column; repeatable",
     .value = "LIST", .example = "age=30,45,60", .repeated = true},
    {"both", CLI_FLAG, CLI_OPTIONAL,
     "thresholds, candidates: also in the other direction; stumps always are",
     .value = NULL},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "mechanism of the choice", .value = "NAME",
     .fallback = "exponential", .choices = mechanism_choice, .setting = "method"},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "public estimate of the number of rows, never compared with the data", .value = "N",
     .example = "10000", .count_max = UINT64_C(1) << 32},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {"delta", CLI_NUMBER, CLI_HIDDEN, "refused: the choice is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"stream", CLI_FLAG, CLI_OPTIONAL,
     "read the rows again for every pass instead of holding them all", .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL,
     "number of threads; the result is the same for any number", .value = "N",
     .example = "2", .count_max = 1024},
    {0},
};

/* --- the class as the library takes it --- */

static sotto_status fail_memory(sotto_error *error)
{
    return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the class");
}

/* The words of a list between commas, none empty; `add` takes each. */
static sotto_status split(const char *name, const char *list, sotto_json_writer *json,
                          sotto_status (*add)(const char *word, sotto_json_writer *json,
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
                              "give it, or remove a comma",
                              name, list);
        else
            status = add(word, json, error);
        word = comma == NULL ? NULL : comma + 1;
    }
    free(copy);
    return status;
}

static sotto_status add_column(const char *word, sotto_json_writer *json,
                               sotto_error *error)
{
    (void)error;
    sotto_json_text(json, NULL, word);
    return SOTTO_OK;
}

static sotto_status add_cut(const char *word, sotto_json_writer *json, sotto_error *error)
{
    static const cli_option number = {"cuts", CLI_NUMBER,      CLI_OPTIONAL,
                                      "",     .value = "LIST", .example = "30,45,60"};
    cli_value value;
    const sotto_status status = cli_value_parse(&number, word, &value, error);
    if (status == SOTTO_OK) sotto_json_number(json, NULL, value.number);
    return status;
}

/* The column of "age=30,45,60", or the only one of --columns where a list stands without it.
 * Numbers have no equals sign: the last one ends the name. free() it; NULL: none, or no memory. */
static char *column_of(const cli_call *call, const char *text)
{
    const char *equals = strrchr(text, '=');
    const char *name = equals != NULL && equals > text ? text : cli_text(call, "columns");
    if (name == NULL || (name != text && strchr(name, ',') != NULL)) return NULL;
    const size_t length = name == text ? (size_t)(equals - text) : strlen(name);
    char *copy = malloc(length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, name, length);
    copy[length] = '\0';
    return copy;
}

static bool is_of_column(const cli_call *call, const char *text, const char *name)
{
    char *other = column_of(call, text);
    const bool same = other != NULL && strcmp(other, name) == 0;
    free(other);
    return same;
}

static sotto_status add_cuts(const cli_call *call, size_t index, sotto_json_writer *json,
                             sotto_error *error)
{
    const char *text = cli_text_at(call, "cuts", index);
    const char *equals = strrchr(text, '=');
    char *name = column_of(call, text);
    if (name == NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--cuts does not name its column; name it, for example --cuts "
                        "age=30,45,60, or one column with --columns");
    }
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < index; i++) {
        if (!is_of_column(call, cli_text_at(call, "cuts", i), name)) continue;
        status =
            cli_fail(error, SOTTO_INVALID_ARGUMENT,
                     "--cuts is given twice for the column '%.60s'; give it once", name);
    }
    sotto_json_array(json, name);
    if (status == SOTTO_OK)
        status = split("cuts", equals == NULL ? text : equals + 1, json, add_cut, error);
    sotto_json_end(json);
    free(name);
    return status;
}

static sotto_status fill_class(const cli_call *call, sotto_json_writer *json,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sotto_json_text(json, "class", cli_text(call, "class"));
    if (cli_given(call, "columns")) {
        sotto_json_array(json, "columns");
        status = split("columns", cli_text(call, "columns"), json, add_column, error);
        sotto_json_end(json);
    }
    if (cli_given(call, "cuts")) {
        sotto_json_object(json, "cuts");
        for (size_t i = 0; status == SOTTO_OK && cli_text_at(call, "cuts", i) != NULL;
             i++)
            status = add_cuts(call, i, json, error);
        sotto_json_end(json);
    }
    if (cli_given(call, "bits")) sotto_json_count(json, "bits", cli_count(call, "bits"));
    if (cli_flag(call, "both")) sotto_json_flag(json, "both", true);
    return status;
}

/* Parts of a class that are flags too, with the same names. */
static const char *const parts[] = {"columns", "bits", "cuts", "both"};

static sotto_status copy_text(const char *text, char **out_copy, sotto_error *error)
{
    *out_copy = malloc(strlen(text) + 1);
    if (*out_copy == NULL) return fail_memory(error);
    strcpy(*out_copy, text);
    return SOTTO_OK;
}

/* The class as text; free() it. */
static sotto_status make_class(const cli_call *call, char **out_text, sotto_error *error)
{
    const char *given = cli_text(call, "class");
    if (pac_is_class(given)) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (!cli_given(call, parts[i])) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is part of the class, which --class gives as a file; "
                            "write \"%s\" in that file",
                            parts[i], parts[i]);
        }
        return copy_text(given, out_text, error);
    }
    const char *text = NULL;
    sotto_json_writer *json = sotto_json_new();
    sotto_status status = fill_class(call, json, error);
    if (status == SOTTO_OK) status = sotto_json_finish(json, &text, error);
    if (status == SOTTO_OK) status = copy_text(text, out_text, error);
    sotto_json_writer_free(json);
    return status;
}

/* Names a part of the class as the user gave it: the flag --columns, or "columns" in a file. All spellings have the same
 * length. */
static void name_parts(sotto_error *error, bool in_file)
{
    for (size_t i = 0; i < 2 * sizeof parts / sizeof parts[0]; i++) {
        char quoted[16], name[16];
        const char mark = i % 2 == 0 ? '"' : '`';
        (void)snprintf(quoted, sizeof quoted, "%c%s%c", mark, parts[i / 2], mark);
        (void)snprintf(name, sizeof name, in_file ? "\"%s\"" : "--%s", parts[i / 2]);
        if (strcmp(quoted, name) == 0) continue;
        for (char *at = strstr(error->message, quoted); at != NULL;
             at = strstr(at, quoted))
            memcpy(at, name, strlen(name));
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
    config.method = methods[cli_choice(call, "mechanism")];
    config.adjacency = cli_adjacency(call);
    sotto_status status = make_class(call, &class, error);
    config.concept = class;
    if (status == SOTTO_OK) {
        status = cli_train_run(call, &config, error);
        if (status != SOTTO_OK) name_parts(error, pac_is_class(cli_text(call, "class")));
    }
    free(class);
    return status;
}

static const cli_option *const shared[] = {cli_train_options, cli_data_options,
                                           cli_stored_option, cli_sign_option,
                                           cli_again_option,  NULL};

const cli_command pac_learn = {
    .name = "learn",
    .summary = "Choose one concept of a class by its errors on private rows",
    .details =
        "The plan is charged to the ledger before a row is read. The errors of "
        "the\nconcept stay secret: they would be a release of their own. Only laplace "
        "pays for\nthe errors of all concepts, and releases them with their noise.",
    .options = options,
    .shared = shared,
    .example =
        "sotto pac learn examples/survey.csv --schema examples/smokers.schema.json "
        "--class stumps --epsilon 1 -o rule.json",
    .run = run,
};
