/* The names of a plan's words: as the command line and the JSON spell them. */
#include <assert.h>
#include <string.h>

#include <sotto/accountant.h>

#include "base/error.h"

typedef struct name_row {
    int value;
    const char *name;
} name_row;

static const name_row adjacency_names[] = {
    {SOTTO_ADD_REMOVE, "add-remove"}, {SOTTO_REPLACE_ONE, "replace-one"}, {0, NULL}};
static const name_row mechanism_names[] = {
    {SOTTO_GAUSSIAN, "gaussian"},
    {SOTTO_PURE, "pure"},
    {SOTTO_APPROXIMATE, "approximate"},
    {SOTTO_ZCDP, "zcdp"},
    {SOTTO_GDP, "gdp"},
    {SOTTO_DISCRETE_GAUSSIAN, "discrete-gaussian"},
    {SOTTO_DISCRETE_LAPLACE, "discrete-laplace"},
    {SOTTO_EXPONENTIAL, "exponential"},
    {SOTTO_PERMUTE_AND_FLIP, "permute-and-flip"},
    {SOTTO_RANDOMIZED_RESPONSE, "randomized-response"},
    {SOTTO_OBJECTIVE_PERTURBATION, "objective-perturbation"},
    {SOTTO_LAPLACE, "laplace"},
    {SOTTO_RDP_CURVE, "rdp"},
    {SOTTO_GAUSSIAN_MIXTURE, "gaussian-mixture"},
    {0, NULL}};
static const name_row sampling_names[] = {
    {SOTTO_NOT_SAMPLED, "none"},
    {SOTTO_POISSON, "poisson"},
    {SOTTO_WITHOUT_REPLACEMENT, "without-replacement"},
    {SOTTO_SINGLE_RECORD, "single-record"},
    {SOTTO_TRUNCATED_POISSON, "truncated-poisson"},
    {SOTTO_CYCLIC_POISSON, "cyclic-poisson"},
    {0, NULL}};
static const name_row accountant_names[] = {
    {SOTTO_EXACT, "exact"},       {SOTTO_RDP, "rdp"},         {SOTTO_BASIC, "basic"},
    {SOTTO_PLD, "pld"},           {SOTTO_MOMENTS, "moments"}, {SOTTO_GAUSSIAN_DP, "gdp"},
    {SOTTO_ADVANCED, "advanced"}, {SOTTO_OPTIMAL, "optimal"}, {0, NULL}};
static const name_row kernel_names[] = {
    {SOTTO_KERNEL_CLOSED_FORM, "closed-form"},
    {SOTTO_KERNEL_CONTOUR, "contour"},
    {SOTTO_KERNEL_CONTOUR_SMOOTHED, "contour-smoothed"},
    {SOTTO_KERNEL_RDP, "rdp"},
    {SOTTO_KERNEL_BASIC, "basic"},
    {SOTTO_KERNEL_PLD, "pld"},
    {SOTTO_KERNEL_MOMENTS, "moments"},
    {SOTTO_KERNEL_COMPOSITION_THEOREM, "composition-theorem"},
    {0, NULL}};

static const char *name_of(const name_row *rows, int value)
{
    for (; rows->name != NULL; rows++) {
        if (rows->value == value) return rows->name;
    }
    return "unknown";
}

static sotto_status value_of(const name_row *rows, const char *what, const char *name,
                             int *out_value, sotto_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (const name_row *row = rows; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            *out_value = row->value;
            return SOTTO_OK;
        }
        const size_t length = strlen(row->name);
        assert(used + length + 3 < sizeof known);
        if (used > 0) {
            memcpy(known + used, ", ", 2);
            used += 2;
        }
        memcpy(known + used, row->name, length);
        used += length;
    }
    known[used] = '\0';
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`%s` is '%.40s'; give one of %s",
                    what, name, known);
}

const char *sotto_adjacency_name(sotto_adjacency adjacency)
{
    return name_of(adjacency_names, (int)adjacency);
}

const char *sotto_mechanism_name(sotto_mechanism mechanism)
{
    return name_of(mechanism_names, (int)mechanism);
}

const char *sotto_sampling_name(sotto_sampling sampling)
{
    return name_of(sampling_names, (int)sampling);
}

const char *sotto_accountant_name(sotto_accountant accountant)
{
    return name_of(accountant_names, (int)accountant);
}

const char *sotto_kernel_name(sotto_kernel kernel)
{
    return name_of(kernel_names, (int)kernel);
}

sotto_status sotto_adjacency_from_name(const char *name, sotto_adjacency *out,
                                       sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(adjacency_names, "adjacency", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_adjacency)value;
    return status;
}

sotto_status sotto_mechanism_from_name(const char *name, sotto_mechanism *out,
                                       sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(mechanism_names, "mechanism", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_mechanism)value;
    return status;
}

sotto_status sotto_sampling_from_name(const char *name, sotto_sampling *out,
                                      sotto_error *error)
{
    int value = 0;
    const sotto_status status = value_of(sampling_names, "sampling", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_sampling)value;
    return status;
}

sotto_status sotto_accountant_from_name(const char *name, sotto_accountant *out,
                                        sotto_error *error)
{
    int value = 0;
    const sotto_status status =
        value_of(accountant_names, "accountant", name, &value, error);
    if (status == SOTTO_OK) *out = (sotto_accountant)value;
    return status;
}
