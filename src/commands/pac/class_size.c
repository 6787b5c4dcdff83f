/* The number of concepts of a class that is described only by numbers. */
#include <sotto/pac_theory.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/concept/classes/concept.h"
#include "numeric/outward.h"

enum { FEATURES_MOST = 1 << 20, BITS_MOST = 32 };

static sotto_status kind_of(const char *name, sot_concept_kind *out, sotto_error *error)
{
    for (int kind = SOT_CONCEPT_THRESHOLDS; kind <= SOT_CONCEPT_CANDIDATES; kind++) {
        if (strcmp(name, sot_concept_kind_name((sot_concept_kind)kind)) != 0) continue;
        *out = (sot_concept_kind)kind;
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`concept` is %.40s; choose thresholds, intervals, stumps, "
                    "rectangles, conjunctions, parities or candidates",
                    name);
}

static bool is_of_one_feature(sot_concept_kind kind)
{
    return kind == SOT_CONCEPT_THRESHOLDS || kind == SOT_CONCEPT_INTERVALS;
}

static bool is_of_masks(sot_concept_kind kind)
{
    return kind == SOT_CONCEPT_CONJUNCTIONS || kind == SOT_CONCEPT_PARITIES;
}

static bool is_of_two_cells(sot_concept_kind kind)
{
    return is_of_masks(kind) || kind == SOT_CONCEPT_CANDIDATES;
}

static sotto_status check(sot_concept_kind kind, uint64_t bits, uint64_t features,
                          sotto_error *error)
{
    if (features < 1 || features > FEATURES_MOST ||
        (is_of_one_feature(kind) && features != 1)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s over %" PRIu64 " features; give %s",
                        sot_concept_kind_name(kind), features,
                        is_of_one_feature(kind) ? "1" : "from 1 to 2^20");
    }
    if (bits < 1 || bits > BITS_MOST || (is_of_two_cells(kind) && bits != 1)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT, "%" PRIu64 " bits of cells for %s; give %s",
            bits, sot_concept_kind_name(kind),
            is_of_two_cells(kind) ? "1: their features say yes or no" : "from 1 to 32");
    }
    return SOTTO_OK;
}

sotto_status sotto_pac_set_class(sotto_pac_setting *setting, const char *name,
                                 uint64_t bits, uint64_t features, bool both,
                                 sotto_error *error)
{
    sot_concept_class class = {.features = (size_t)features};
    sotto_status status = kind_of(name, &class.kind, error);
    if (status == SOTTO_OK) status = check(class.kind, bits, features, error);
    if (status != SOTTO_OK) return status;
    if (is_of_masks(class.kind)) {
        /* One concept a mask; learning stops at 24 features, theory does not. */
        setting->class_size = features <= 53 ? ldexp(1.0, (int)features) : SOTTO_UNSET;
        setting->log_class_size =
            features <= 53 ? SOTTO_UNSET : sot_mul_up((double)features, sot_log_up(2.0));
        return SOTTO_OK;
    }
    class.both = both || class.kind == SOT_CONCEPT_STUMPS;
    class.grids = sot_new_array(class.features, sizeof *class.grids);
    if (class.grids == NULL)
        return sot_fail_memory(error, class.features, sizeof *class.grids);
    for (size_t i = 0; i < class.features; i++)
        class.grids[i] = (sot_cells_grid){
            .column = i, .lower = 0.0, .upper = 1.0, .cells = UINT64_C(1) << bits};
    const uint64_t size = sot_concept_class_size(&class);
    const bool is_exact = size <= UINT64_C(1) << 53;
    setting->class_size = is_exact ? (double)size : SOTTO_UNSET;
    setting->log_class_size = is_exact ? SOTTO_UNSET : sot_concept_class_log_size(&class);
    sot_free(class.grids);
    return SOTTO_OK;
}
