/* Rules for basis and bins. Fixed by cross-validation inside the training rows of five public tables:
 * docs/results/additive.md. */
#include "models/additive/rule.h"

#include "base/error.h"

#define BINS 32

sotto_status sot_additive_rule(const sotto_train_config *config, sot_bins_rule *out_rule,
                               sotto_error *error)
{
    const uint64_t bins = config->bins == 0 ? BINS : config->bins;
    if (bins < 2 || bins > SOT_BINS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`bins` is %llu; a number has between 2 and %d bins; for example "
                        "`bins=32`",
                        (unsigned long long)bins, (int)SOT_BINS_MAX);
    }
    if (config->basis != SOTTO_BASIS_AUTO && config->basis != SOTTO_BASIS_BINS &&
        config->basis != SOTTO_BASIS_STEPS) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the basis is %d; set it to one of sotto_basis",
                        (int)config->basis);
    }
    *out_rule = (sot_bins_rule){
        .basis = config->basis == SOTTO_BASIS_AUTO ? SOTTO_BASIS_STEPS : config->basis,
        .bins = (size_t)bins};
    return SOTTO_OK;
}

const char *sot_additive_basis_why(const sotto_train_config *config)
{
    return config->basis == SOTTO_BASIS_AUTO
               ? "a prior of small differences between neighbouring bins"
               : "given";
}

const char *sot_additive_bins_why(const sotto_train_config *config)
{
    return config->bins == 0 ? "of each number without edges in the schema: the default"
                             : "of each number without edges in the schema";
}
