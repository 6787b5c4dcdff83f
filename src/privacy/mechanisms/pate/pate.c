#include "privacy/mechanisms/pate/pate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/pate/cost.h"
#include "privacy/mechanisms/propose_test_release/propose_test_release.h"
#include "random/rounded_gaussian/rounded_gaussian.h"
#include "random/rounded_laplace.h"

static const char *const test_suffix = " (test)";

/* ---- plans ---- */

sotto_status sot_pate_purpose(const sotto_pate_config *config, const char *suffix,
                              char out_purpose[SOTTO_PURPOSE_BYTES], sotto_error *error)
{
    const size_t most = SOTTO_PURPOSE_BYTES - 1 - strlen(suffix);
    const size_t size_bytes =
        config->purpose == NULL ? 0 : strnlen(config->purpose, SOTTO_PURPOSE_BYTES);
    if (size_bytes == 0 || size_bytes > most) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the purpose of the votes has 1 to %zu bytes; name the labelled "
                        "rows, for example 'digits'",
                        most);
    }
    memcpy(out_purpose, config->purpose, size_bytes);
    memcpy(out_purpose + size_bytes, suffix, strlen(suffix) + 1);
    return SOTTO_OK;
}

/* Room for the suffix of a test is kept in every purpose. */
static sotto_status set_purpose(const sotto_pate_config *config, sotto_pate_step step,
                                sotto_event *event, sotto_error *error)
{
    char text[SOTTO_PURPOSE_BYTES];
    const sotto_status status = sot_pate_purpose(config, test_suffix, text, error);
    if (status != SOTTO_OK) return status;
    return sot_event_set_purpose(event, step == SOTTO_PATE_TEST ? text : config->purpose,
                                 error);
}

sotto_status sotto_pate_event(const sotto_pate_config *config, sotto_pate_step step,
                              sotto_event *out_event, sotto_error *error)
{
    sotto_status status = sot_pate_check(config, error);
    if (status != SOTTO_OK) return status;
    const bool is_test = step == SOTTO_PATE_TEST;
    if ((!is_test && step != SOTTO_PATE_ANSWER) ||
        (is_test && !sot_pate_has_test(config))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the aggregator %s has no step %d",
                        sotto_pate_aggregator_name(config->aggregator), (int)step);
    }
    sotto_event event = sot_pate_event(config, step);
    status = set_purpose(config, step, &event, error);
    if (status == SOTTO_OK) *out_event = event;
    return status;
}

static sotto_status add_step(sotto_plan *plan, const sotto_pate_config *config,
                             sotto_pate_step step, uint64_t count, sotto_error *error)
{
    sotto_event event;
    const sotto_status status = sotto_pate_event(config, step, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = count;
    return sotto_plan_add(plan, &event, error);
}

/* Begins a plan with the release beside the labels and the tests, if there are any. */
static sotto_status begin_plan(const sotto_pate_config *config, const sotto_event *beside,
                               uint64_t asked, sotto_plan **out_plan, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    if (status == SOTTO_OK && beside != NULL)
        status = sotto_plan_add(plan, beside, error);
    if (status == SOTTO_OK && sot_pate_has_test(config))
        status = add_step(plan, config, SOTTO_PATE_TEST, asked, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

sotto_status sot_pate_plan_beside(const sotto_pate_config *config,
                                  const sotto_event *beside, uint64_t asked,
                                  uint64_t answered, sotto_plan **out_plan,
                                  sotto_error *error)
{
    sotto_status status = sot_pate_check(config, error);
    if (status != SOTTO_OK) return status;
    const bool tests = sot_pate_has_test(config);
    if (answered < 1 || answered > asked || (!tests && answered != asked)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`answers` is %" PRIu64 " of %" PRIu64 " queries; give at least one, and %s",
            answered, asked,
            tests ? "no more than `ask`"
                  : "leave `answers` out: this aggregator answers every query");
    }
    sotto_plan *plan = NULL;
    status = begin_plan(config, beside, asked, &plan, error);
    if (status == SOTTO_OK)
        status = add_step(plan, config, SOTTO_PATE_ANSWER, answered, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

sotto_status sotto_pate_plan(const sotto_pate_config *config, uint64_t asked,
                             uint64_t answered, sotto_plan **out_plan, sotto_error *error)
{
    return sot_pate_plan_beside(config, NULL, asked, answered, out_plan, error);
}

sotto_status sot_pate_answers_beside(const sotto_pate_config *config,
                                     const sotto_event *beside, uint64_t asked,
                                     double epsilon, double delta, uint64_t *out_answered,
                                     sotto_account *out_account, sotto_error *error)
{
    sotto_status status = sot_pate_check(config, error);
    if (status != SOTTO_OK) return status;
    const bool tests = sot_pate_has_test(config);
    if (tests != (asked > 0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`ask` is %" PRIu64
                        "; give the number of queries to an aggregator with a test, and "
                        "0 to the others, which answer all",
                        asked);
    }
    sotto_plan *plan = NULL;
    status = begin_plan(config, beside, asked, &plan, error);
    if (status == SOTTO_OK) status = add_step(plan, config, SOTTO_PATE_ANSWER, 0, error);
    if (status == SOTTO_OK) {
        status = sotto_account_steps(plan, SOTTO_EXACT, epsilon, delta, out_answered,
                                     out_account, error);
    }
    sotto_plan_free(plan);
    return status;
}

sotto_status sotto_pate_answers(const sotto_pate_config *config, uint64_t asked,
                                double epsilon, double delta, uint64_t *out_answered,
                                sotto_account *out_account, sotto_error *error)
{
    return sot_pate_answers_beside(config, NULL, asked, epsilon, delta, out_answered,
                                   out_account, error);
}

/* Releases of `event` that the plan still holds. */
static uint64_t places_left(const sotto_gate *gate, const sotto_event *event)
{
    uint64_t left = 0;
    for (size_t i = 0; i < sotto_plan_size(gate->plan); i++) {
        if (sot_gate_covers(gate, i, event))
            left += sotto_plan_event(gate->plan, i)->count - gate->admitted[i];
    }
    return left;
}

sotto_status sotto_pate_left(const sotto_gate *gate, const sotto_pate_config *config,
                             uint64_t *out_queries, sotto_error *error)
{
    sotto_event event;
    sotto_status status = sotto_pate_event(config, SOTTO_PATE_ANSWER, &event, error);
    if (status != SOTTO_OK) return status;
    uint64_t left = places_left(gate, &event);
    if (left > 0 && sot_pate_has_test(config)) {
        status = sotto_pate_event(config, SOTTO_PATE_TEST, &event, error);
        if (status != SOTTO_OK) return status;
        left = places_left(gate, &event);
    }
    *out_queries = left;
    return SOTTO_OK;
}

/* ---- settings of one query ---- */

static sotto_status check_query(const sotto_pate_config *config, const int64_t *votes,
                                size_t classes, const double *student, sotto_error *error)
{
    if (classes < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu classes; give at least two", classes);
    }
    int64_t sum = 0;
    for (size_t i = 0; i < classes; i++) {
        if (votes[i] < 0 || votes[i] > SOT_PATE_VOTES_MAX - sum) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "the votes of a query are not counts of at most 2^24 "
                            "teachers");
        }
        sum += votes[i];
    }
    const bool is_interactive = config->aggregator == SOTTO_PATE_INTERACTIVE;
    if (is_interactive != (student != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the student's probabilities are for the aggregator interactive, "
                        "and it needs them");
    }
    for (size_t i = 0; is_interactive && i < classes; i++) {
        if (student[i] >= 0.0 && student[i] <= 1.0) continue; /* NaN fails */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the student gives class %zu the probability %g; give a number "
                        "from 0 to 1",
                        i, student[i]);
    }
    return SOTTO_OK;
}

/* ---- the steps ---- */

static int64_t on_grid(int64_t votes)
{
    return votes * (INT64_C(1) << SOT_PATE_GRID_BITS); /* below 2^56 */
}

/* max_j (n_j - b_j) in steps of the grid; b_j is teachers p_j rounded to it, which is public. */
static int64_t top_on_grid(const sotto_pate_config *config, const int64_t *votes,
                           size_t classes, const double *student)
{
    int64_t top = INT64_MIN;
    for (size_t i = 0; i < classes; i++) {
        int64_t here = on_grid(votes[i]);
        if (student != NULL) {
            const double known = (double)config->teachers * student[i];
            here -= (int64_t)rint(ldexp(known, SOT_PATE_GRID_BITS));
        }
        if (here > top) top = here;
    }
    return top;
}

sotto_status sot_pate_test(sotto_gate *gate, const sotto_pate_config *config,
                           const int64_t *votes, size_t classes, const double *student,
                           bool *out_passes, sotto_error *error)
{
    sotto_event event;
    size_t index = 0;
    sotto_status status = check_query(config, votes, classes, student, error);
    if (status == SOTTO_OK)
        status = sotto_pate_event(config, SOTTO_PATE_TEST, &event, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status == SOTTO_OK) status = sot_gate_admit(gate, &event, &index, error);
    if (status != SOTTO_OK) return status;

    const int64_t top = top_on_grid(config, votes, classes, student);
    const sot_tape_sum_call call = {.index = index,
                                    .values = &top,
                                    .count = 1,
                                    .norm = SOTTO_L1,
                                    .sensitivity =
                                        ldexp(event.sensitivity, SOT_PATE_GRID_BITS)};
    int64_t said = 0;
    if (!sot_tape_sum(gate, &call, &said)) {
        int64_t noise = 0;
        status = sot_rounded_gaussian_fill(sot_gate_rng(gate),
                                           ldexp(config->test_noise, SOT_PATE_GRID_BITS),
                                           &noise, 1, error);
        if (status != SOTTO_OK) return status;
        const int64_t least = (int64_t)ceil(ldexp(config->threshold, SOT_PATE_GRID_BITS));
        said = top + noise >= least ? 1 : 0; /* below 2^59 in size */
        sot_wipe(&noise, sizeof noise);
    }
    sot_tape_sum_result(gate, &said, 1);
    sot_gate_record(gate, index, ldexp(1.0, SOT_ROUNDED_GAUSSIAN_LOG2_TV));
    *out_passes = said != 0;
    return SOTTO_OK;
}

static sotto_status fill_noise(sotto_gate *gate, const sotto_pate_config *config,
                               int64_t *noise, size_t classes, sotto_error *error)
{
    const double scale = ldexp(config->noise, SOT_PATE_GRID_BITS);
    if (config->aggregator == SOTTO_PATE_LNMAX)
        return sot_rounded_laplace_fill(sot_gate_rng(gate), scale, noise, classes, error);
    return sot_rounded_gaussian_fill(sot_gate_rng(gate), scale, noise, classes, error);
}

static double sampler_error(const sotto_pate_config *config, size_t classes)
{
    return (double)classes * ldexp(1.0, config->aggregator == SOTTO_PATE_LNMAX
                                            ? SOT_ROUNDED_LAPLACE_LOG2_TV
                                            : SOT_ROUNDED_GAUSSIAN_LOG2_TV);
}

double sot_pate_sampler_error(const sotto_pate_config *config, size_t classes,
                              uint64_t asked, uint64_t answered)
{
    if (config->aggregator == SOTTO_PATE_MODE) return 0.0; /* its sampler is exact */
    const double answers = sot_mul_up((double)answered, sampler_error(config, classes));
    if (!sot_pate_has_test(config)) return answers;
    const double tests =
        sot_mul_up((double)asked, ldexp(1.0, SOT_ROUNDED_GAUSSIAN_LOG2_TV));
    return sot_add_up(answers, tests);
}

sotto_status sot_pate_answer(sotto_gate *gate, const sotto_pate_config *config,
                             const int64_t *votes, size_t classes, size_t *out_class,
                             sotto_error *error)
{
    sotto_event event;
    size_t index = 0;
    sotto_status status = sotto_pate_event(config, SOTTO_PATE_ANSWER, &event, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status != SOTTO_OK) return status;
    int64_t *noisy = sot_new_array(classes, sizeof *noisy);
    if (noisy == NULL) return sot_fail_memory(error, classes, sizeof *noisy);
    status = sot_gate_admit(gate, &event, &index, error);
    if (status != SOTTO_OK) goto done;

    const bool is_laplace = config->aggregator == SOTTO_PATE_LNMAX;
    const sot_tape_sum_call call = {.index = index,
                                    .values = votes,
                                    .count = classes,
                                    .norm = is_laplace ? SOTTO_L1 : SOTTO_L2,
                                    .sensitivity = event.sensitivity};
    size_t chosen = 0;
    /* The gate tape keeps a vector of the histogram's shape: 1 at the released class. */
    if (sot_tape_sum(gate, &call, noisy)) {
        chosen = sot_pate_first_largest(noisy, classes);
    } else {
        status = fill_noise(gate, config, noisy, classes, error);
        if (status != SOTTO_OK) goto done;
        for (size_t i = 0; i < classes; i++)
            noisy[i] += on_grid(votes[i]); /* below 2^62 in size */
        chosen = sot_pate_first_largest(noisy, classes);
    }
    for (size_t i = 0; i < classes; i++)
        noisy[i] = i == chosen ? 1 : 0;
    sot_tape_sum_result(gate, noisy, classes);
    sot_gate_record(gate, index, sampler_error(config, classes));
    *out_class = chosen;
done:
    sot_wipe_and_free(noisy, classes * sizeof *noisy);
    return status;
}

/* ---- a query ---- */

static sotto_status say_mode(sotto_gate *gate, const sotto_pate_config *config,
                             const int64_t *votes, size_t classes,
                             sotto_pate_outcome *out_outcome, size_t *out_class,
                             sotto_error *error)
{
    sotto_event event;
    sotto_pate_sensitivity moved;
    sotto_status status = sotto_pate_event(config, SOTTO_PATE_ANSWER, &event, error);
    if (status == SOTTO_OK) status = sotto_pate_sensitivity_of(config, &moved, error);
    if (status != SOTTO_OK) return status;
    bool released = false;
    const sotto_propose_test_release_config settings = {.epsilon = config->epsilon,
                                                        .delta = config->delta,
                                                        .adjacency = config->adjacency,
                                                        .purpose = event.purpose};
    status = sot_propose_test_release(gate, &settings, (int64_t)moved.gap, moved.l1,
                                      votes, classes, &released, out_class, error);
    if (status == SOTTO_OK)
        *out_outcome = released ? SOTTO_PATE_VOTED : SOTTO_PATE_NOTHING;
    return status;
}

/* Answers with the student's label if its confidence is high enough: a function of public
 * values. */
static void say_student(const sotto_pate_config *config, const double *student,
                        size_t classes, sotto_pate_outcome *out_outcome,
                        size_t *out_class)
{
    size_t best = 0;
    *out_outcome = SOTTO_PATE_NOTHING;
    *out_class = classes;
    if (student == NULL) return;
    for (size_t i = 1; i < classes; i++) {
        if (student[i] > student[best]) best = i;
    }
    if (student[best] < config->confidence) return;
    *out_outcome = SOTTO_PATE_REINFORCED;
    *out_class = best;
}

sotto_status sotto_pate_label(sotto_gate *gate, const sotto_pate_config *config,
                              const int64_t *votes, size_t classes, const double *student,
                              sotto_pate_outcome *out_outcome, size_t *out_class,
                              sotto_error *error)
{
    sotto_status status = sot_pate_check(config, error);
    if (status == SOTTO_OK) status = check_query(config, votes, classes, student, error);
    if (status != SOTTO_OK) return status;
    if (config->aggregator == SOTTO_PATE_MODE)
        return say_mode(gate, config, votes, classes, out_outcome, out_class, error);
    bool answers = true;
    if (sot_pate_has_test(config))
        status = sot_pate_test(gate, config, votes, classes, student, &answers, error);
    if (status != SOTTO_OK) return status;
    if (!answers) {
        say_student(config, student, classes, out_outcome, out_class);
        return SOTTO_OK;
    }
    status = sot_pate_answer(gate, config, votes, classes, out_class, error);
    if (status == SOTTO_OK) *out_outcome = SOTTO_PATE_VOTED;
    return status;
}
