/* The names of a plan's words: as the command line and the JSON spell them. */
#include <sotto/accountant.h>

#include "base/names.h"

static const sot_names adjacencies = SOT_NAMES(
    "adjacency", [SOTTO_ADD_REMOVE] = "add-remove", [SOTTO_REPLACE_ONE] = "replace-one");
static const sot_names mechanisms = SOT_NAMES(
    "mechanism", [SOTTO_GAUSSIAN] = "gaussian", [SOTTO_PURE] = "pure",
    [SOTTO_APPROXIMATE] = "approximate", [SOTTO_ZCDP] = "zcdp", [SOTTO_GDP] = "gdp",
    [SOTTO_DISCRETE_GAUSSIAN] = "discrete-gaussian",
    [SOTTO_DISCRETE_LAPLACE] = "discrete-laplace", [SOTTO_EXPONENTIAL] = "exponential",
    [SOTTO_PERMUTE_AND_FLIP] = "permute-and-flip",
    [SOTTO_RANDOMIZED_RESPONSE] = "randomized-response",
    [SOTTO_OBJECTIVE_PERTURBATION] = "objective-perturbation",
    [SOTTO_LAPLACE] = "laplace", [SOTTO_RDP_CURVE] = "rdp",
    [SOTTO_GAUSSIAN_MIXTURE] = "gaussian-mixture");
static const sot_names samplings =
    SOT_NAMES("sampling", [SOTTO_NOT_SAMPLED] = "none", [SOTTO_POISSON] = "poisson",
              [SOTTO_WITHOUT_REPLACEMENT] = "without-replacement",
              [SOTTO_SINGLE_RECORD] = "single-record",
              [SOTTO_TRUNCATED_POISSON] = "truncated-poisson",
              [SOTTO_CYCLIC_POISSON] = "cyclic-poisson");
static const sot_names accountants = SOT_NAMES(
    "accountant", [SOTTO_EXACT] = "exact", [SOTTO_RDP] = "rdp", [SOTTO_BASIC] = "basic",
    [SOTTO_PLD] = "pld", [SOTTO_MOMENTS] = "moments", [SOTTO_GAUSSIAN_DP] = "gdp",
    [SOTTO_ADVANCED] = "advanced", [SOTTO_OPTIMAL] = "optimal");
static const sot_names kernels = SOT_NAMES(
    NULL, [SOTTO_KERNEL_CLOSED_FORM] = "closed-form", [SOTTO_KERNEL_CONTOUR] = "contour",
    [SOTTO_KERNEL_CONTOUR_SMOOTHED] = "contour-smoothed", [SOTTO_KERNEL_RDP] = "rdp",
    [SOTTO_KERNEL_BASIC] = "basic", [SOTTO_KERNEL_PLD] = "pld",
    [SOTTO_KERNEL_MOMENTS] = "moments",
    [SOTTO_KERNEL_COMPOSITION_THEOREM] = "composition-theorem");

SOT_DEFINE_NAMES(sotto_adjacency, adjacencies)
SOT_DEFINE_NAMES(sotto_mechanism, mechanisms)
SOT_DEFINE_NAMES(sotto_sampling, samplings)
SOT_DEFINE_NAMES(sotto_accountant, accountants)
SOT_DEFINE_NAME(sotto_kernel, kernels)
