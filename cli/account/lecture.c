/* sotto account noise --calibration lecture: the noise of a course (Di Wang, lecture 15) and its
 * true cost, beside the smallest noise that suffices. */
#include <math.h>
#include <stdio.h>

#include <sotto/reference.h>

#include "account/account.h"
#include "frame/output.h"

static const sotto_lecture_noise lemmas[] = {SOTTO_LECTURE_DP_GD, SOTTO_LECTURE_DP_SGD,
                                             SOTTO_LECTURE_DP_SGD_CORRECTED,
                                             SOTTO_LECTURE_MOMENTS};
enum { LEMMAS = sizeof lemmas / sizeof lemmas[0] };

static const char *lemma_words(sotto_lecture_noise lemma)
{
    switch (lemma) {
    case SOTTO_LECTURE_DP_GD:
        return "DP-GD: advanced composition of textbook Gaussians";
    case SOTTO_LECTURE_DP_SGD:
        return "DP-SGD as printed: the same, amplified to first order";
    case SOTTO_LECTURE_DP_SGD_CORRECTED:
        return "DP-SGD with the amplification inverted exactly";
    case SOTTO_LECTURE_MOMENTS:
        return "moments, with epsilon^2 and the constant 2 of its proof";
    }
    return sotto_lecture_noise_name(lemma);
}

typedef struct prescription {
    sotto_lecture_noise lemma;
    sotto_status status; /* SOTTO_OK: the numbers hold; else `reason` says why not */
    double noise_multiplier;
    double epsilon; /* the true cost of this noise; NaN: no bound */
    sotto_error reason;
} prescription;

typedef struct lesson {
    sotto_event event; /* its noise is open */
    sotto_adjacency adjacency;
    double epsilon, delta, rate;
    double noise_multiplier; /* the smallest that suffices */
    sotto_account account;   /* of that */
    prescription prescriptions[LEMMAS];
    size_t count;
} lesson;

/* Computes the noise for a plan of only `event`, or, with the noise given, its cost. */
static sotto_status price(const lesson *of, sotto_accountant accountant, double noise,
                          double *out_noise, sotto_account *out_account,
                          sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_event event = of->event;
    event.noise_multiplier = noise;
    sotto_status status = sotto_plan_new(of->adjacency, &plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status =
            isnan(noise)
                ? sotto_account_noise(plan, accountant, of->epsilon, of->delta, out_noise,
                                      out_account, error)
                : sotto_account_epsilon(plan, SOTTO_EXACT, of->delta, out_account, error);
    }
    sotto_plan_free(plan);
    return status;
}

static bool applies(sotto_lecture_noise lemma, double rate)
{
    return (lemma == SOTTO_LECTURE_DP_GD) == (rate == 1.0);
}

static sotto_status prescribe(const cli_call *call, lesson *of, sotto_error *error)
{
    for (size_t i = 0; i < LEMMAS; i++) {
        if (!applies(lemmas[i], of->rate)) continue;
        prescription *row = &of->prescriptions[of->count++];
        sotto_account account;
        row->lemma = lemmas[i];
        row->status = sotto_lecture_noise_multiplier(
            lemmas[i], of->epsilon, of->delta, of->rate, of->event.count,
            &row->noise_multiplier, &row->reason);
        if (row->status != SOTTO_OK) {
            cli_spell(call, &row->reason);
            continue;
        }
        const sotto_status status =
            price(of, SOTTO_EXACT, row->noise_multiplier, NULL, &account, &row->reason);
        row->epsilon = status == SOTTO_OK ? account.epsilon : SOTTO_UNSET;
        if (status == SOTTO_OUT_OF_MEMORY)
            return cli_fail(error, status, "%s", row->reason.message);
    }
    return SOTTO_OK;
}

/* The probability that a record takes part in a step. */
static double rate_of(const sotto_event *event)
{
    switch (event->sampling) {
    case SOTTO_POISSON:
    case SOTTO_TRUNCATED_POISSON:
    case SOTTO_CYCLIC_POISSON:
        return event->rate;
    case SOTTO_WITHOUT_REPLACEMENT:
        return (double)event->batch / (double)event->population;
    case SOTTO_SINGLE_RECORD:
        return 1.0 / (double)event->population;
    case SOTTO_NOT_SAMPLED:
        break;
    }
    return 1.0;
}

/* One Gaussian event, all of it known but the noise. */
static sotto_status begin(const cli_call *call, lesson *out, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_status status = account_plan_make(call, &plan, error);
    if (status != SOTTO_OK) return status;
    *out = (lesson){.adjacency = sotto_plan_adjacency(plan),
                    .epsilon = cli_number(call, "epsilon"),
                    .delta = cli_number(call, "delta"),
                    .rate = 1.0};
    const size_t size = sotto_plan_size(plan);
    out->event = *sotto_plan_event(plan, 0);
    sotto_plan_free(plan);
    if (size != 1 || out->event.mechanism != SOTTO_GAUSSIAN || out->event.count == 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--calibration lecture is about one gaussian event with a count; "
                        "give such a plan or use --calibration analytic");
    }
    if (!isnan(out->event.noise_multiplier)) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan's noise_multiplier is %g, and --calibration lecture "
                        "looks for it; write \"search\" for it",
                        out->event.noise_multiplier);
    }
    /* Under replace-one the noise multiplier of Poisson sampling is relative to one
     * record's norm, the lecture's noise to the change when a record is exchanged. There
     * is also no amplification lemma for this sampling. */
    if (out->event.sampling == SOTTO_POISSON && out->adjacency == SOTTO_REPLACE_ONE) {
        return cli_fail(error, SOTTO_UNSUPPORTED,
                        "the lecture's lemmas do not cover poisson sampling under "
                        "replace-one; use add-remove, or sample without-replacement");
    }
    if (out->event.rows > 1 || out->event.sampling > SOTTO_SINGLE_RECORD) {
        return cli_fail(error, SOTTO_UNSUPPORTED,
                        "the lecture's lemmas cover units of one row, and poisson "
                        "sampling without variants; use --calibration analytic");
    }
    out->rate = rate_of(&out->event);
    return SOTTO_OK;
}

/* sigma = c q sqrt(T log(1/delta))/epsilon: the constant that the tight noise has. */
static double tight_constant(const lesson *of)
{
    const double scale = of->rate * sqrt(-(double)of->event.count * log(of->delta));
    return of->rate < 1.0 ? of->noise_multiplier * of->epsilon / scale : SOTTO_UNSET;
}

static sotto_status show_json(const lesson *of, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_number(json, "noise_multiplier", of->noise_multiplier);
    sotto_json_text(json, "calibration", "lecture");
    sotto_json_number(json, "epsilon", of->account.epsilon);
    sotto_json_number(json, "delta", of->delta);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(of->adjacency));
    sotto_json_text(json, "accountant", sotto_accountant_name(of->account.accountant));
    sotto_json_number(json, "constant", tight_constant(of));
    sotto_json_array(json, "lecture");
    for (size_t i = 0; i < of->count; i++) {
        const prescription *said = &of->prescriptions[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "statement", sotto_lecture_noise_name(said->lemma));
        if (said->status == SOTTO_OK) {
            sotto_json_number(json, "noise_multiplier", said->noise_multiplier);
            sotto_json_number(json, "factor",
                              said->noise_multiplier / of->noise_multiplier);
            sotto_json_number(json, "epsilon", said->epsilon);
        } else {
            sotto_json_text(json, "reason", said->reason.message);
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

static void show_text(const lesson *of)
{
    char number[CLI_NUMBER_BYTES];
    char epsilon[CLI_NUMBER_BYTES];
    cli_line("noise multiplier", "%s (the smallest sufficient one)",
             cli_rounded_up(of->noise_multiplier, CLI_SHOWN_DIGITS, number));
    cli_line("epsilon", "%s", cli_shortest(of->epsilon, number));
    cli_line("delta", "%s", cli_shortest(of->delta, number));
    cli_line("adjacency", "%s", sotto_adjacency_name(of->adjacency));
    cli_line("accountant", "%s", sotto_accountant_name(of->account.accountant));
    if (!isnan(tight_constant(of))) {
        cli_line("constant", "%.4g in sigma = c q sqrt(T log(1/delta))/epsilon",
                 tight_constant(of));
    }
    (void)printf("\n%-21s %12s %12s %12s  %s\n", "the lecture", "noise", "times least",
                 "real epsilon", "meaning");
    for (size_t i = 0; i < of->count; i++) {
        const prescription *said = &of->prescriptions[i];
        const char *name = sotto_lecture_noise_name(said->lemma);
        if (said->status != SOTTO_OK) {
            (void)printf("%-21s %12s %12s %12s  %s\n", name, "none", "", "",
                         said->reason.message);
            continue;
        }
        (void)printf("%-21s %12s %12.4g %12s  %s\n", name,
                     cli_rounded_up(said->noise_multiplier, CLI_SHOWN_DIGITS, number),
                     said->noise_multiplier / of->noise_multiplier,
                     isnan(said->epsilon)
                         ? "none"
                         : cli_rounded_up(said->epsilon, CLI_SHOWN_DIGITS, epsilon),
                     lemma_words(said->lemma));
    }
}

sotto_status account_lecture(const cli_call *call, sotto_error *error)
{
    lesson made;
    sotto_accountant accountant = SOTTO_EXACT;
    sotto_status status = begin(call, &made, error);
    if (status == SOTTO_OK) {
        status =
            sotto_accountant_from_name(cli_text(call, "accountant"), &accountant, error);
    }
    if (status == SOTTO_OK) {
        status = price(&made, accountant, SOTTO_UNSET, &made.noise_multiplier,
                       &made.account, error);
    }
    if (status == SOTTO_OK) status = prescribe(call, &made, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(&made, error);
    show_text(&made);
    return SOTTO_OK;
}
