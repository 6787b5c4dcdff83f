/* The settings of a training that can be tuned, by the names of the command line. Model, target,
 * schema, budget and neighbours are not among them: they define the release and its guarantee. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "commands/tune/candidates.h"

typedef enum range {
    ABOVE_ZERO = 1,
    FROM_ZERO = 2,
    BELOW_ONE = 3 /* from 0 */
} range;

struct sot_tuned {
    const char *name;
    sot_tuned_kind kind;
    size_t offset; /* in sotto_train_config */
    range range;   /* of a number */
    uint64_t most; /* of a count, which begins at 1 */
};

#define AT(field) offsetof(sotto_train_config, field)

static const sot_tuned settings[] = {
    {"lambda", SOT_TUNED_NUMBER, AT(lambda), FROM_ZERO, 0},
    {"learning-rate", SOT_TUNED_NUMBER, AT(learning_rate), ABOVE_ZERO, 0},
    {"steps", SOT_TUNED_COUNT, AT(steps), 0, 1000000},
    {"batch", SOT_TUNED_COUNT, AT(batch), 0, UINT64_C(1) << 32},
    {"epochs", SOT_TUNED_NUMBER, AT(epochs), ABOVE_ZERO, 0},
    {"clip", SOT_TUNED_NUMBER, AT(clip), ABOVE_ZERO, 0},
    {"momentum", SOT_TUNED_NUMBER, AT(momentum), BELOW_ONE, 0},
    {"weight-average", SOT_TUNED_NUMBER, AT(weight_average), BELOW_ONE, 0},
    {"augmentations", SOT_TUNED_COUNT, AT(augmentations), 0, 64},
    {"radius", SOT_TUNED_NUMBER, AT(radius), ABOVE_ZERO, 0},
    {"l1", SOT_TUNED_NUMBER, AT(l1), FROM_ZERO, 0},
    {"l1-width", SOT_TUNED_NUMBER, AT(l1_width), FROM_ZERO, 0},
    {"width", SOT_TUNED_NUMBER, AT(width), ABOVE_ZERO, 0},
    {"threshold", SOT_TUNED_NUMBER, AT(threshold), ABOVE_ZERO, 0},
    {"method", SOT_TUNED_WORD, AT(method), 0, 0},
    {"schedule", SOT_TUNED_WORD, AT(schedule), 0, 0},
    {"iterate", SOT_TUNED_WORD, AT(iterate), 0, 0},
    {"clipping", SOT_TUNED_WORD, AT(clipping), 0, 0},
    {"optimizer", SOT_TUNED_WORD, AT(optimizer), 0, 0},
};
enum { SETTINGS = sizeof settings / sizeof settings[0], WORD_BYTES = 64 };

const char *sot_tuned_name(const sot_tuned *setting)
{
    return setting->name;
}

sot_tuned_kind sot_tuned_kind_of(const sot_tuned *setting)
{
    return setting->kind;
}

static sotto_status refuse_name(const char *name, size_t length, sotto_error *error)
{
    const char *names[SETTINGS + 1];
    char word[WORD_BYTES], shown[WORD_BYTES];
    (void)snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    sot_printable(word, shown, sizeof shown);
    for (size_t i = 0; i < SETTINGS; i++)
        names[i] = settings[i].name;
    names[SETTINGS] = NULL;
    const char *near = sot_nearest_word(word, names);
    if (near != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`grid` names '%s', which cannot be tuned; did you mean %s?",
                        shown, near);
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`grid` names '%s', which cannot be tuned; lambda, learning-rate, steps, "
        "batch, epochs, clip and others can: sotto tune --help",
        shown);
}

sotto_status sot_tuned_find(const char *name, size_t length,
                            const sot_tuned **out_setting, sotto_error *error)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strlen(settings[i].name) != length ||
            memcmp(settings[i].name, name, length) != 0)
            continue;
        *out_setting = &settings[i];
        return SOTTO_OK;
    }
    return refuse_name(name, length, error);
}

/* ---- the field behind a setting ---- */

static void *field_of(const sot_tuned *setting, sotto_train_config *config)
{
    return (char *)config + setting->offset;
}

static double number_of(const sot_tuned *setting, const sotto_train_config *config)
{
    double value;
    memcpy(&value, (const char *)config + setting->offset, sizeof value);
    return value;
}

/* All enums of the settings are ints of the same size. */
static int word_of(const sot_tuned *setting, const sotto_train_config *config)
{
    int value;
    _Static_assert(sizeof(sotto_method) == sizeof value &&
                       sizeof(sotto_schedule) == sizeof value &&
                       sizeof(sotto_iterate) == sizeof value &&
                       sizeof(sotto_clipping) == sizeof value &&
                       sizeof(sotto_optimizer) == sizeof value,
                   "the words are ints");
    memcpy(&value, (const char *)config + setting->offset, sizeof value);
    return value;
}

bool sot_tuned_is_given(const sot_tuned *setting, const sotto_train_config *config)
{
    const sotto_train_config plain = sotto_train_defaults();
    uint64_t count;
    switch (setting->kind) {
    case SOT_TUNED_NUMBER: {
        const double own = number_of(setting, config);
        const double other = number_of(setting, &plain);
        return !(own == other || (isnan(own) && isnan(other))) ||
               (setting->offset == AT(lambda) && config->lambda_theory);
    }
    case SOT_TUNED_COUNT:
        memcpy(&count, (const char *)config + setting->offset, sizeof count);
        return count != 0;
    case SOT_TUNED_WORD:
        break;
    }
    return word_of(setting, config) != word_of(setting, &plain);
}

/* ---- values ---- */

static sotto_status set_number(const sot_tuned *setting, const char *value, size_t length,
                               sotto_train_config *config, sotto_error *error)
{
    static const char *const ranges[] = {
        [ABOVE_ZERO] = "above 0",
        [FROM_ZERO] = "from 0 on",
        [BELOW_ONE] = "from 0 to below 1",
    };
    double number = 0.0;
    const bool fine = sot_parse_double(value, length, &number) == SOT_NUMBER_OK &&
                      (setting->range == ABOVE_ZERO ? number > 0.0 : number >= 0.0) &&
                      (setting->range != BELOW_ONE || number < 1.0);
    if (!fine) {
        char shown[WORD_BYTES], word[WORD_BYTES];
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40),
                       value);
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`grid` has the %s '%s'; give numbers %s", setting->name,
                        sot_printable(word, shown, sizeof shown), ranges[setting->range]);
    }
    memcpy(field_of(setting, config), &number, sizeof number);
    return SOTTO_OK;
}

static sotto_status set_count(const sot_tuned *setting, const char *value, size_t length,
                              sotto_train_config *config, sotto_error *error)
{
    uint64_t count = 0;
    if (sot_parse_u64(value, length, &count) != SOT_NUMBER_OK || count < 1 ||
        count > setting->most) {
        char shown[WORD_BYTES], word[WORD_BYTES];
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40),
                       value);
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`grid` has the %s '%s'; give whole numbers from 1 to %llu",
                        setting->name, sot_printable(word, shown, sizeof shown),
                        (unsigned long long)setting->most);
    }
    memcpy(field_of(setting, config), &count, sizeof count);
    return SOTTO_OK;
}

static sotto_status set_word(const sot_tuned *setting, const char *value, size_t length,
                             sotto_train_config *config, sotto_error *error)
{
    char word[WORD_BYTES];
    (void)snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), value);
    switch (setting->offset) {
    case AT(method):
        return sotto_method_from_name(word, &config->method, error);
    case AT(schedule):
        return sotto_schedule_from_name(word, &config->schedule, error);
    case AT(iterate):
        return sotto_iterate_from_name(word, &config->iterate, error);
    case AT(clipping):
        return sotto_clipping_from_name(word, &config->clipping, error);
    default:
        return sotto_optimizer_from_name(word, &config->optimizer, error);
    }
}

sotto_status sot_tuned_set(const sot_tuned *setting, const char *value, size_t length,
                           sotto_train_config *config, sotto_error *error)
{
    switch (setting->kind) {
    case SOT_TUNED_NUMBER:
        return set_number(setting, value, length, config, error);
    case SOT_TUNED_COUNT:
        return set_count(setting, value, length, config, error);
    case SOT_TUNED_WORD:
        break;
    }
    return set_word(setting, value, length, config, error);
}
