/* Rules for basis and bins. Fixed by cross-validation inside the training rows of five public tables:
 * docs/results/additive.md. */
#include "models/additive/rule.h"

#include "base/error.h"

#define BINS 32
/* Indicators of small integers pay from this number of rows times epsilon on; for a number as the target always. */
#define MIXED_ROWS 6000.0

static sotto_basis basis_of(const sotto_train_config *config, sot_target_role role)
{
    const uint64_t rows = config->public_n > 0 ? config->public_n : config->expected_rows;
    if (config->basis != SOTTO_BASIS_AUTO) return config->basis;
    if (role == SOT_TARGET_NUMBER) return SOTTO_BASIS_MIXED;
    return (double)rows * config->epsilon >= MIXED_ROWS ? SOTTO_BASIS_MIXED
                                                        : SOTTO_BASIS_STEPS;
}

sotto_status sot_additive_rule(const sotto_train_config *config, sot_target_role role,
                               sot_bins_rule *out_rule, sotto_error *error)
{
    const uint64_t bins = config->bins == 0 ? BINS : config->bins;
    if (bins < 2 || bins > SOT_BINS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`bins` is %llu; a number has between 2 and %d bins; for example "
                        "`bins=32`",
                        (unsigned long long)bins, (int)SOT_BINS_MAX);
    }
    if ((int)config->basis < 0 || (int)config->basis > (int)SOTTO_BASIS_MIXED) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the basis is %d; set it to one of sotto_basis",
                        (int)config->basis);
    }
    *out_rule = (sot_bins_rule){.basis = basis_of(config, role), .bins = (size_t)bins};
    return SOTTO_OK;
}

const char *sot_additive_bins_why(const sotto_train_config *config)
{
    return config->bins == 0 ? "of each number without edges in the schema: the default"
                             : "of each number without edges in the schema";
}
