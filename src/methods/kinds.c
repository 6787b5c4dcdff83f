#include "methods/kinds.h"

#include <string.h>

#include <sotto/train_config.h>

#include "base/error.h"
#include "base/text.h"

static const sot_method_row rows[] = {
    [SOTTO_METHOD_AUTO] = {.name = "auto"},
    [SOTTO_METHOD_OUTPUT] = {.name = "output",
                             .takes = SOT_TAKES_THEORY | SOT_TAKES_TERMS,
                             .noise_at_end = true},
    [SOTTO_METHOD_OBJECTIVE] = {.name = "objective",
                                .takes = SOT_TAKES_CALIBRATION | SOT_TAKES_TERMS,
                                .noise_in_loss = true},
    [SOTTO_METHOD_GD] = {.name = "gd",
                         .takes = SOT_TAKES_STEPS | SOT_TAKES_RATE | SOT_TAKES_ITERATE |
                                  SOT_TAKES_NO_LAMBDA | SOT_TAKES_TERMS},
    [SOTTO_METHOD_NONE] = {.name = "none", .takes = SOT_TAKES_TERMS, .noiseless = true},
    [SOTTO_METHOD_SGD] = {.name = "sgd",
                          .takes = SOT_TAKES_STEPS | SOT_TAKES_RATE | SOT_TAKES_SAMPLES |
                                   SOT_TAKES_BATCH | SOT_TAKES_ITERATE |
                                   SOT_TAKES_NO_LAMBDA | SOT_TAKES_TERMS},
    [SOTTO_METHOD_NEWTON] = {.name = "newton",
                             .takes = SOT_TAKES_STEPS | SOT_TAKES_NO_LAMBDA},
    [SOTTO_METHOD_STATISTICS] = {.name = "statistics",
                                 .takes = SOT_TAKES_NO_LAMBDA | SOT_TAKES_RADIUS,
                                 .fits_moments = true},
    [SOTTO_METHOD_ADASSP] = {.name = "adassp",
                             .takes = SOT_TAKES_NO_LAMBDA | SOT_TAKES_RADIUS,
                             .fits_moments = true},
    [SOTTO_METHOD_PERMUTATION_SGD] = {.name = "permutation-sgd",
                                      .takes = SOT_TAKES_STEPS | SOT_TAKES_RATE |
                                               SOT_TAKES_BATCH | SOT_TAKES_NO_LAMBDA |
                                               SOT_TAKES_RADIUS,
                                      .noise_at_end = true},
    [SOTTO_METHOD_GD_OUTPUT] = {.name = "gd-output",
                                .takes = SOT_TAKES_STEPS | SOT_TAKES_RATE |
                                         SOT_TAKES_NO_LAMBDA | SOT_TAKES_RADIUS,
                                .noise_at_end = true},
    [SOTTO_METHOD_FRANK_WOLFE] = {.name = "frank-wolfe",
                                  .takes = SOT_TAKES_STEPS | SOT_TAKES_NO_LAMBDA |
                                           SOT_TAKES_RADIUS,
                                  .own_ball = true},
    [SOTTO_METHOD_POSTERIOR] = {.name = "posterior",
                                .takes = SOT_TAKES_RADIUS | SOT_TAKES_PRIOR |
                                         SOT_TAKES_DRAWS | SOT_TAKES_STEPS,
                                .distribution = "tempered posterior"},
    [SOTTO_METHOD_REGULARIZED_EM] = {.name = "regularized-em",
                                     .takes = SOT_TAKES_RADIUS | SOT_TAKES_PRIOR |
                                              SOT_TAKES_DRAWS | SOT_TAKES_STEPS,
                                     .distribution = "regularised exponential mechanism"},
    [SOTTO_METHOD_EXPONENTIAL] = {.name = "exponential", .chooses = true},
    [SOTTO_METHOD_PERMUTE_AND_FLIP] = {.name = "permute-and-flip", .chooses = true},
    [SOTTO_METHOD_LAPLACE] = {.name = "laplace", .chooses = true},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const sot_method_row *sot_method_row_of(sotto_method method)
{
    static const sot_method_row none = {.name = NULL};
    const int index = (int)method;
    return index >= 0 && index < ROWS ? &rows[index] : &none;
}

const char *sotto_method_name(sotto_method method)
{
    const char *name = sot_method_row_of(method)->name;
    return name == NULL ? "unknown" : name;
}

bool sotto_method_adds_noise(sotto_method method)
{
    return !sot_method_row_of(method)->noiseless;
}

sotto_status sotto_method_from_name(const char *name, sotto_method *out,
                                    sotto_error *error)
{
    char shown[64];
    for (int i = 0; name != NULL && i < ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *out = (sotto_method)i;
        return SOTTO_OK;
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`method` is '%s'; give one of auto, objective, output, gd, sgd, newton, "
        "statistics, "
        "adassp, permutation-sgd, gd-output, frank-wolfe, posterior, regularized-em, "
        "none; for concepts exponential, permute-and-flip, laplace",
        sot_printable(name == NULL ? "" : name, shown, sizeof shown));
}
