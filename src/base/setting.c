#include <sotto/setting.h>

#include <stdio.h>
#include <string.h>

#define FLAG .is_flag = true

/* Every id that a message names, with the spellings that do not follow from it. Sorted by subject, not by name: the
 * table is short. tests/base/test_setting.c compares it with the options of the command. */
static const sotto_setting settings[] = {
    /* the model to train */
    {.id = "model"},
    {.id = "method"},
    {.id = "network", .option = "--model"},
    {.id = "concept"},
    {.id = "target"},
    {.id = "schema"},
    {.id = "data", .option = "DATA", .argument = "X"},
    {.id = "loss"},
    {.id = "calibration"},
    /* privacy */
    {.id = "epsilon"},
    {.id = "delta"},
    {.id = "rho"},
    {.id = "adjacency"},
    {.id = "public_n"},
    {.id = "expected_rows"},
    {.id = "data_is_public", FLAG},
    {.id = "stored_table", FLAG},
    {.id = "insecure_test_seed"},
    /* training */
    {.id = "lambda", .argument = "lambda_"},
    {.id = "steps"},
    {.id = "learning_rate"},
    {.id = "width"},
    {.id = "threshold"},
    {.id = "radius"},
    {.id = "l1"},
    {.id = "l1_width"},
    {.id = "prior"},
    {.id = "sampling"},
    {.id = "batch"},
    {.id = "schedule"},
    {.id = "iterate"},
    {.id = "basis"},
    {.id = "epochs"},
    {.id = "clipping"},
    {.id = "clip"},
    {.id = "optimizer"},
    {.id = "momentum"},
    {.id = "weight_average"},
    {.id = "augmentations"},
    {.id = "init"},
    {.id = "freeze"},
    {.id = "max_minutes"},
    {.id = "validation"},
    {.id = "validation_labels"},
    {.id = "draws"},
    {.id = "sampler"},
    {.id = "public_constants", FLAG},
    {.id = "stream", FLAG},
    {.id = "threads"},
    /* tuning */
    {.id = "grid"},
    {.id = "search"},
    {.id = "candidates"},
    {.id = "search_seed"},
    {.id = "runs_mean"},
    {.id = "distribution"},
    {.id = "eta"},
    {.id = "score_epsilon"},
    {.id = "repeats"},
    /* statistics */
    {.id = "column"},
    {.id = "bins"},
    {.id = "edges"},
    {.id = "quantile"},
    {.id = "score"},
    {.id = "sensitivity"},
    {.id = "monotone", FLAG},
    {.id = "mechanism"},
    {.id = "confidence"},
    {.id = "estimate", FLAG},
    /* labels by votes */
    {.id = "aggregator"},
    {.id = "teachers", .option = "TEACHERS"},
    {.id = "ask"},
    {.id = "skip"},
    {.id = "answers"},
    {.id = "sigma1", .argument = "test_noise"},
    {.id = "sigma2", .argument = "noise"},
    {.id = "vote_scale", .option = "--scale", .argument = "noise"},
    {.id = "touched"},
    {.id = "ensemble", .argument = "teachers"},
    {.id = "agreement"},
    {.id = "agreement_bins"},
    {.id = "votes"},
    {.id = "vote_labels"},
    {.id = "student"},
    {.id = "sharding"},
    {.id = "self_training"},
    /* files */
    {.id = "output"},
    {.id = "overwrite", FLAG},
    {.id = "again", FLAG},
    {.id = "sign"},
    {.id = "ledger"},
    {.id = "labels"},
    {.id = "table"},
    {.id = "query"},
    {.id = "where"},
    {.id = "format"},
    /* ledgers and keys */
    {.id = "dataset"},
    {.id = "unit"},
    {.id = "unit_rows"},
    {.id = "filter"},
    {.id = "own_delta"},
    {.id = "order"},
    {.id = "key"},
    {.id = "curator"},
    {.id = "signed_by"},
    {.id = "reason"},
    {.id = "expect_head"},
    /* plans */
    {.id = "epsilon_each", .argument = "epsilon", .member = "epsilon"},
    {.id = "delta_each", .argument = "delta", .member = "delta"},
    {.id = "noise_multiplier"},
    {.id = "rate"},
    {.id = "count"},
    {.id = "scale"},
    {.id = "sigma"},
    {.id = "mu"},
    {.id = "atom"},
    {.id = "shift"},
    {.id = "vertices"},
    {.id = "rows"},
    {.id = "theorem"},
    {.id = "population"},
    {.id = "categories"},
    {.id = "lambda_max"},
    {.id = "accountant"},
    /* studies and audits */
    {.id = "alpha"},
    {.id = "beta"},
    {.id = "runs"},
    {.id = "failure"},
    {.id = "excess"},
    {.id = "shadows"},
    {.id = "transcript", FLAG},
    {.id = "guesses"},
    {.id = "forecast", FLAG},
    {.id = "theory", FLAG},
    {.id = "bits"},
    {.id = "cuts"},
    {.id = "columns"},
    {.id = "class_size"},
    {.id = "images"},
    {.id = "points"},
    {.id = "name"},
    {.id = "interval", .argument = "level"},
    {.id = "public"},
    /* drafts of a schema */
    {.id = "leave_out"},
    {.id = "number"},
    {.id = "integer"},
    {.id = "boolean"},
    {.id = "category"},
    {.id = "id"},
};

const sotto_setting *sotto_setting_at(size_t index)
{
    return index < sizeof settings / sizeof settings[0] ? &settings[index] : NULL;
}

const sotto_setting *sotto_setting_find(const char *id)
{
    const sotto_setting *setting = NULL;
    for (size_t i = 0; (setting = sotto_setting_at(i)) != NULL; i++) {
        if (strcmp(setting->id, id) == 0) return setting;
    }
    return NULL;
}

/* Writes the spelling that follows from the table. */
static void spell_by_table(const sotto_setting *setting, sotto_spelling spelling,
                           char out[SOTTO_SETTING_BYTES])
{
    const char *own = spelling == SOTTO_SPELL_OPTION     ? setting->option
                      : spelling == SOTTO_SPELL_ARGUMENT ? setting->argument
                                                         : setting->member;
    (void)snprintf(out, SOTTO_SETTING_BYTES, "%s%s",
                   spelling == SOTTO_SPELL_OPTION && own == NULL ? "--" : "",
                   own != NULL ? own : setting->id);
    if (spelling != SOTTO_SPELL_OPTION || own != NULL) return;
    for (char *c = out; *c != '\0'; c++) {
        if (*c == '_') *c = '-';
    }
}

/* A number, a list, or the N of "a number N": not a text in quotes. */
static bool is_bare(const char *value)
{
    return strchr("0123456789+-.[{", value[0]) != NULL ||
           strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(value);
}

/* Writes "--rate 0.01", "rate=0.01" or "\"rate\": 0.01". `value` NULL: only the name. */
static void write_setting(const sotto_setting *setting, sotto_spelling spelling,
                          const char *name, const char *value, char *out,
                          size_t size_bytes)
{
    const bool in_python = spelling == SOTTO_SPELL_ARGUMENT;
    if (spelling == SOTTO_SPELL_OPTION) {
        const bool alone = value == NULL || setting->is_flag;
        (void)snprintf(out, size_bytes, "%s%s%s", name, alone ? "" : " ",
                       alone ? "" : value);
        return;
    }
    if (setting->is_flag && value != NULL) value = in_python ? "True" : "true";
    const char *quote = value == NULL || setting->is_flag || is_bare(value) ? "" : "\"";
    const char *edge = in_python ? "" : "\"";
    (void)snprintf(out, size_bytes, "%s%s%s%s%s%s%s", edge, name, edge,
                   value == NULL ? ""
                   : in_python   ? "="
                                 : ": ",
                   quote, value != NULL ? value : "", quote);
}

/* Reads the `id` or `id=value` that begins behind a backquote; returns its row, or NULL. */
static const sotto_setting *read_setting(const char *text, char *out, size_t size_bytes,
                                         const char **out_value, size_t *out_length)
{
    const size_t length = strcspn(text, "`");
    if (text[length] != '`' || length == 0 || length >= size_bytes) return NULL;
    memcpy(out, text, length);
    out[length] = '\0';
    char *equals = strchr(out, '=');
    if (equals != NULL) *equals = '\0';
    *out_value = equals != NULL ? equals + 1 : NULL;
    *out_length = length + 1;
    return sotto_setting_find(out);
}

static void spell_text(char *text, size_t size_bytes, sotto_spelling spelling,
                       sotto_speller speller, void *context)
{
    char rest[SOTTO_MESSAGE_BYTES * 2];
    char id[SOTTO_MESSAGE_BYTES];
    for (char *mark = strchr(text, '`'); mark != NULL; mark = strchr(mark, '`')) {
        const char *value = NULL;
        size_t length = 0;
        const sotto_setting *setting =
            read_setting(mark + 1, id, sizeof id, &value, &length);
        if (setting == NULL) {
            mark++;
            continue;
        }
        char name[SOTTO_SETTING_BYTES];
        if (speller == NULL || !speller(context, id, name))
            spell_by_table(setting, spelling, name);
        (void)snprintf(rest, sizeof rest, "%s", mark + 1 + length);
        const size_t room = size_bytes - (size_t)(mark - text);
        write_setting(setting, spelling, name, value, mark, room);
        mark += strlen(mark);
        (void)snprintf(mark, size_bytes - (size_t)(mark - text), "%s", rest);
    }
}

void sotto_error_spell(sotto_error *error, sotto_spelling spelling, sotto_speller speller,
                       void *context)
{
    if (error == NULL) return;
    spell_text(error->message, sizeof error->message, spelling, speller, context);
}
