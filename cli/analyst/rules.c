/* The options that an analyst may give, command by command. No rule: refused. */
#include <string.h>

#include "analyst/analyst.h"
#include "commands.h"

#define PUBLIC "it declares private rows public"
#define SEED   "noise from a known seed protects nothing"
#define PIPE   "the data is a file of the curator"
#define NAMED  "the configuration names the data"

static const analyst_rule common[] = {
    {"json", ANALYST_FREE, NULL, NULL, NULL},
    {"help", ANALYST_FREE, NULL, NULL, NULL},
    {0},
};

/* --- rows and budget, of every command that is charged --- */

static const analyst_rule charged[] = {
    {"data", ANALYST_FIXED, NULL, NULL, NULL},
    {"labels", ANALYST_FIXED, NULL, NULL, NULL},
    {"query", ANALYST_FIXED, NULL, NULL, NULL},
    {"table", ANALYST_FIXED, NULL, NULL, NULL},
    {"where", ANALYST_FREE, NULL, NULL, NULL}, /* selected rows have a secret number */
    {"format", ANALYST_FIXED, NULL, NULL, NULL},
    {"schema", ANALYST_FIXED, NULL, NULL, NULL},
    {"ledger", ANALYST_FIXED, NULL, NULL, NULL},
    {"stored-table", ANALYST_REFUSED, NULL, NULL, PIPE},
    {"data-is-public", ANALYST_REFUSED, NULL, NULL, PUBLIC},
    {"insecure-test-seed", ANALYST_REFUSED, NULL, NULL, SEED},
    {"sign", ANALYST_REFUSED, NULL, NULL, "the signing key is the curator's"},
    {"output", ANALYST_OUTPUT, ".json", NULL, NULL},
    {"report", ANALYST_OUTPUT, ".html", NULL, NULL},
    {"epsilon", ANALYST_EPSILON, NULL, NULL, NULL},
    {"delta", ANALYST_DELTA, NULL, NULL, NULL},
    {"adjacency", ANALYST_FREE, NULL, NULL,
     NULL}, /* the ledger has one and refuses others */
    {"public-n", ANALYST_PUBLIC_N, NULL, NULL, NULL},
    {"expected-rows", ANALYST_FREE, NULL, NULL, NULL},
    {"target", ANALYST_FREE, NULL, NULL, NULL},
    {"threads", ANALYST_FREE, NULL, NULL, NULL},
    {"stream", ANALYST_FREE, NULL, NULL, NULL},
    {"again", ANALYST_FREE, NULL, NULL, NULL}, /* it is charged */
    {"overwrite", ANALYST_REFUSED, NULL, NULL, "results that were paid for are kept"},
    {0},
};

/* --- trainings --- */

static const analyst_rule training[] = {
    {"model", ANALYST_FORM, NULL, NULL, NULL},
    {"method", ANALYST_CHOICE,
     "auto output objective gd sgd newton statistics adassp permutation-sgd gd-output "
     "frank-wolfe posterior regularized-em exponential permute-and-flip laplace",
     "none", "it is for public rows"},
    {"sampler", ANALYST_CHOICE, "auto proximal exact-gaussian", "mala",
     "it is for public rows"},
    {"lambda", ANALYST_FREE, NULL, NULL, NULL},
    {"calibration", ANALYST_FREE, NULL, NULL, NULL},
    {"radius", ANALYST_FREE, NULL, NULL, NULL},
    {"l1", ANALYST_FREE, NULL, NULL, NULL},
    {"l1-width", ANALYST_FREE, NULL, NULL, NULL},
    {"prior", ANALYST_INPUT, NULL, NULL, NULL},
    {"width", ANALYST_FREE, NULL, NULL, NULL},
    {"threshold", ANALYST_FREE, NULL, NULL, NULL},
    {"basis", ANALYST_FREE, NULL, NULL, NULL},
    {"bins", ANALYST_FREE, NULL, NULL, NULL},
    {"steps", ANALYST_FREE, NULL, NULL, NULL},
    {"learning-rate", ANALYST_FREE, NULL, NULL, NULL},
    {"sampling", ANALYST_FREE, NULL, NULL, NULL},
    {"batch", ANALYST_FREE, NULL, NULL, NULL},
    {"schedule", ANALYST_FREE, NULL, NULL, NULL},
    {"iterate", ANALYST_FREE, NULL, NULL, NULL},
    {"epochs", ANALYST_FREE, NULL, NULL, NULL},
    {"clip", ANALYST_FREE, NULL, NULL, NULL},
    {"clipping", ANALYST_FREE, NULL, NULL, NULL},
    {"optimizer", ANALYST_FREE, NULL, NULL, NULL},
    {"momentum", ANALYST_FREE, NULL, NULL, NULL},
    {"weight-average", ANALYST_FREE, NULL, NULL, NULL},
    {"augmentations", ANALYST_FREE, NULL, NULL, NULL},
    {"init", ANALYST_INPUT, NULL, NULL, NULL},
    {"freeze", ANALYST_FREE, NULL, NULL, NULL},
    {"max-minutes", ANALYST_FREE, NULL, NULL, NULL},
    {"validation", ANALYST_INPUT, NULL, NULL, NULL},
    {"validation-labels", ANALYST_INPUT, NULL, NULL, NULL},
    {"draws", ANALYST_FREE, NULL, NULL, NULL},
    {"public-constants", ANALYST_FREE, NULL, NULL, NULL},
    {"concept", ANALYST_FORM, NULL, NULL, NULL},
    {0},
};

/* A method in the grid is checked by the library: `none` needs --data-is-public. */
static const analyst_rule tuning[] = {
    {"grid", ANALYST_FREE, NULL, NULL, NULL},
    {"search", ANALYST_FREE, NULL, NULL, NULL},
    {"candidates", ANALYST_FREE, NULL, NULL, NULL},
    {"search-seed", ANALYST_FREE, NULL, NULL, NULL}, /* of public points, not of noise */
    {"runs-mean", ANALYST_FREE, NULL, NULL, NULL},
    {"distribution", ANALYST_FREE, NULL, NULL, NULL},
    {"eta", ANALYST_FREE, NULL, NULL, NULL},
    {"score-epsilon", ANALYST_FREE, NULL, NULL, NULL}, /* part of --epsilon */
    {"repeats", ANALYST_FREE, NULL, NULL, NULL},
    {"plan", ANALYST_FREE, NULL, NULL, NULL},
    {"compare", ANALYST_REFUSED, NULL, NULL, "it takes no data and needs no rights"},
    {0},
};

static const analyst_rule concepts[] = {
    {"class", ANALYST_FORM, NULL, NULL, NULL},
    {"columns", ANALYST_FREE, NULL, NULL, NULL},
    {"bits", ANALYST_FREE, NULL, NULL, NULL},
    {"cuts", ANALYST_FREE, NULL, NULL, NULL},
    {"both", ANALYST_FREE, NULL, NULL, NULL},
    {"mechanism", ANALYST_CHOICE, "exponential permute-and-flip laplace", "none",
     "it is for public rows"},
    {"delta", ANALYST_REFUSED, NULL, NULL, "the choice is pure"},
    {0},
};

/* A plan reads settings and the schema, no row and no ledger. */
static const analyst_rule plans[] = {
    {"plan", ANALYST_REFUSED, NULL, NULL, "a file of events needs no rights"},
    {"schema", ANALYST_FIXED, NULL, NULL, NULL},
    {"epsilon", ANALYST_FREE, NULL, NULL, NULL},
    {"delta", ANALYST_FREE, NULL, NULL, NULL},
    {"forecast", ANALYST_FREE, NULL, NULL, NULL},
    {"within", ANALYST_FREE, NULL, NULL, NULL},
    {"public", ANALYST_INPUT, NULL, NULL, NULL},
    {"labels", ANALYST_INPUT, NULL, NULL, NULL},
    {"query", ANALYST_REFUSED, NULL, NULL, NAMED},
    {"table", ANALYST_REFUSED, NULL, NULL, NAMED},
    {"where", ANALYST_REFUSED, NULL, NULL, "a plan reads no private row"},
    {"format", ANALYST_REFUSED, NULL, NULL, NAMED},
    {"rows", ANALYST_FREE, NULL, NULL, NULL},
    {"repeats", ANALYST_FREE, NULL, NULL, NULL},
    {"compare", ANALYST_FREE, NULL, NULL, NULL},
    {"theory", ANALYST_FREE, NULL, NULL, NULL},
    {"excess", ANALYST_FREE, NULL, NULL, NULL},
    {"failure", ANALYST_FREE, NULL, NULL, NULL},
    {0},
};

/* --- releases --- */

static const analyst_rule statistics[] = {
    {"column", ANALYST_FREE, NULL, NULL, NULL},
    {"mechanism", ANALYST_FREE, NULL, NULL, NULL},
    {"confidence", ANALYST_FREE, NULL, NULL, NULL},
    {"bins", ANALYST_FREE, NULL, NULL, NULL},
    {"edges", ANALYST_FREE, NULL, NULL, NULL},
    {"quantile", ANALYST_FREE, NULL, NULL, NULL},
    {0},
};

/* Given scores have the sensitivity that their author states; the rows are no such file. */
static const analyst_rule choices[] = {
    {"score", ANALYST_CHOICE, "count revenue quantile", "given",
     "it reads the data as scores whose sensitivity the caller states"},
    {"candidates", ANALYST_FREE, NULL, NULL, NULL},
    {"sensitivity", ANALYST_REFUSED, NULL, NULL, "it is a promise about the data"},
    {"monotone", ANALYST_REFUSED, NULL, NULL, "it is a promise about the data"},
    {0},
};

static const analyst_rule answers[] = {
    {"estimate", ANALYST_REFUSED, NULL, NULL, "it reads the data as released answers"},
    {0},
};

/* The rows are read as the model's schema says, which must be the curator's. */
static const analyst_rule evaluation[] = {
    {"model", ANALYST_MODEL, NULL, NULL, NULL},
    {"score", ANALYST_FREE, NULL, NULL, NULL},
    {"threshold", ANALYST_FREE, NULL, NULL, NULL},
    {"threshold-from", ANALYST_INPUT, NULL, NULL, NULL},
    {"confidence", ANALYST_FREE, NULL, NULL, NULL},
    {0},
};

static const analyst_rule shown[] = {
    {"ledger", ANALYST_FIXED, NULL, NULL, NULL},
    {"svg", ANALYST_OUTPUT, ".svg", NULL, NULL},
    {"overwrite", ANALYST_REFUSED, NULL, NULL, "results that were paid for are kept"},
    {0},
};

/* --- the commands --- */

typedef const analyst_rule *const tables[];

static tables of_train = {common, training, charged, NULL};
static tables of_tune = {common, tuning, training, charged, NULL};
static tables of_pac_learn = {common, concepts, charged, NULL};
static tables of_plan = {common, plans, training, charged, NULL};
static tables of_evaluate = {common, evaluation, charged, NULL};
static tables of_statistics = {common, statistics, charged, NULL};
static tables of_choose = {common, choices, statistics, charged, NULL};
static tables of_rr = {common, answers, statistics, charged, NULL};
static tables of_ledger_show = {common, shown, NULL};

static const analyst_command commands[] = {
    {"train", of_train, "--model logistic --epsilon 1 --delta 1e-6 -o model.json"},
    {"tune", of_tune,
     "--model logistic --grid lambda=10,30,100 --runs-mean 5 --score-epsilon 0.2 "
     "--epsilon 2 --delta 1e-6 -o model.json"},
    {"pac learn", of_pac_learn, "--class stumps --epsilon 1 -o rule.json"},
    {"plan", of_plan, "--model logistic --epsilon 1 --delta 1e-6"},
    {"evaluate", of_evaluate, "model.json --epsilon 0.5 -o accuracy.json"},
    {"release count", of_statistics, "--epsilon 0.1 -o count.json"},
    {"release sum", of_statistics, "visits --epsilon 0.1 -o sum.json"},
    {"release mean", of_statistics, "age --epsilon 0.1 -o mean.json"},
    {"release histogram", of_statistics, "town --epsilon 0.1 -o towns.json"},
    {"release quantile", of_statistics,
     "age --quantile 0.5 --epsilon 0.1 -o median.json"},
    {"release bounds", of_statistics, "visits --epsilon 0.1 -o bounds.json"},
    {"release choose", of_choose, "town --score count --epsilon 0.1 -o town.json"},
    {"release rr", of_rr, "smokes --adjacency replace-one --epsilon 1 -o answers.json"},
    {"ledger show", of_ledger_show, "--svg budget.svg"},
    {0},
};

const analyst_command *analyst_command_at(size_t index)
{
    for (size_t i = 0; i <= index; i++)
        if (commands[i].path == NULL) return NULL;
    return &commands[index];
}

const analyst_command *analyst_find_command(const char *path)
{
    for (const analyst_command *row = commands; row->path != NULL; row++)
        if (strcmp(row->path, path) == 0) return row;
    return NULL;
}

const analyst_rule *analyst_find_rule(const analyst_command *command, const char *option)
{
    for (size_t i = 0; command->rules[i] != NULL; i++) {
        for (const analyst_rule *rule = command->rules[i]; rule->option != NULL; rule++)
            if (strcmp(rule->option, option) == 0) return rule;
    }
    return NULL;
}

const cli_command *analyst_find_table(const char *path)
{
    const cli_command *command = &cli_root;
    while (command != NULL && *path != '\0') {
        const size_t length = strcspn(path, " ");
        const cli_command *const *child = command->commands;
        while (child != NULL && *child != NULL &&
               (strlen((*child)->name) != length ||
                strncmp((*child)->name, path, length) != 0))
            child++;
        command = child == NULL ? NULL : *child;
        path += length + (path[length] == ' ' ? 1 : 0);
    }
    return command;
}

bool analyst_has_word(const char *words, const char *word)
{
    const size_t wanted = strlen(word);
    while (words != NULL && *words != '\0') {
        const size_t length = strcspn(words, " ");
        if (length == wanted && strncmp(words, word, length) == 0) return true;
        words += length + (words[length] == ' ' ? 1 : 0);
    }
    return false;
}
