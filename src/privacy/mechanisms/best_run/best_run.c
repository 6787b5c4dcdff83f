#include "privacy/mechanisms/best_run/best_run.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/best_run/run_count.h"
#include "random/rng.h"

sotto_status sot_best_run_begin(sotto_gate *gate, const sot_best_run_config *config,
                                sot_best_run *out_best, sotto_error *error)
{
    assert(config->settings > 0);
    *out_best = (sot_best_run){.gate = gate,
                               .settings = config->settings,
                               .best = -HUGE_VAL,
                               .sampler_error = sot_mul_up(sotto_runs_mean(&config->runs),
                                                           config->run_sampler_error)};
    sotto_status status = sot_gate_admit(gate, config->event, &out_best->index, error);
    if (status != SOTTO_OK) return status;
    sotto_rng *rng = sot_gate_rng(gate);
    status = sot_run_count_draw(rng, &config->runs, &out_best->count, error);
    if (status == SOTTO_OK && !sotto_gate_is_secure(gate))
        out_best->test_seed = sot_rng_u64(rng);
    return status;
}

/* Makes a generator for each run: fresh, or with a test seed one that does not depend on
 * earlier samples. */
static sotto_status make_rng(sot_best_run *best, sotto_error *error)
{
    sotto_rng_free(best->rng);
    best->rng = NULL;
    if (sotto_gate_is_secure(best->gate)) return sotto_rng_new(&best->rng, error);
    const uint64_t run = best->done * UINT64_C(0x9e3779b97f4a7c15);
    return sotto_rng_new_for_test(best->test_seed ^ run, &best->rng, error);
}

bool sot_best_run_next(sot_best_run *best, size_t *out_setting, sotto_status *out_status,
                       sotto_error *error)
{
    *out_status = SOTTO_OK;
    if (best->done == best->count) return false;
    best->done++;
    *out_status = make_rng(best, error);
    if (*out_status != SOTTO_OK) return false;
    *out_setting = (size_t)sot_rng_below(best->rng, best->settings);
    *out_status = sot_rng_check(best->rng, error);
    return *out_status == SOTTO_OK;
}

bool sot_best_run_offer(sot_best_run *best, double score)
{
    const double known = isnan(score) ? -HUGE_VAL : score;
    const bool is_best = best->done == 1 || known > best->best;
    if (is_best) best->best = known;
    return is_best;
}

void sot_best_run_end(sot_best_run *best)
{
    assert(best->done == best->count);
    sot_gate_record(best->gate, best->index, best->sampler_error);
}

void sot_best_run_clear(sot_best_run *best)
{
    sotto_rng_free(best->rng);
    sot_wipe(best, sizeof *best);
}
