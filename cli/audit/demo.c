/* sotto audit demo: the protection that epsilon gives. */
#include <math.h>
#include <stdio.h>

#include <sotto/audit_demo.h>

#include "audit/audit.h"
#include "frame/output.h"

static const cli_option options[] = {
    {"repeats", CLI_COUNT, CLI_OPTIONAL, "number of pairs of models for each epsilon",
     .value = "N", .example = "1000", .fallback = "1000",
     .count_max = SOTTO_DEMO_REPEATS_MAX},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL, "seed of the noise, for tests",
     .value = "N", .example = "7", .count_max = UINT64_MAX},
    {0},
};

enum { EPSILONS = 7 };

static sotto_status show_json(const sotto_demo_row *rows, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_array(json, "rows");
    for (size_t i = 0; i < EPSILONS; i++) {
        sotto_json_object(json, NULL);
        if (isfinite(rows[i].epsilon))
            sotto_json_number(json, "epsilon", rows[i].epsilon);
        sotto_json_number(json, "reconstruction_error", rows[i].reconstruction_error);
        sotto_json_number(json, "right_sign", rows[i].right_sign);
        sotto_json_number(json, "guessed", rows[i].guessed);
        sotto_json_number(json, "guess_bound", rows[i].guess_bound);
        sotto_json_end(json);
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

static void show_text(const sotto_demo_row *rows)
{
    (void)printf("%-10s %22s %14s %16s %16s\n", "epsilon", "rebuilt record: error",
                 "signs correct", "bit guessed", "at most");
    for (size_t i = 0; i < EPSILONS; i++) {
        char name[CLI_NUMBER_BYTES] = "no noise";
        if (isfinite(rows[i].epsilon)) (void)cli_shortest(rows[i].epsilon, name);
        (void)printf("%-10s %20.4g %% %12.1f %% %14.1f %% %14.1f %%\n", name,
                     100.0 * rows[i].reconstruction_error, 100.0 * rows[i].right_sign,
                     100.0 * rows[i].guessed, 100.0 * rows[i].guess_bound);
    }
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    static const double epsilons[EPSILONS] = {INFINITY, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1};
    const uint64_t seed = cli_count(call, "insecure-test-seed");
    sotto_demo_row rows[EPSILONS];
    const sotto_status status = sotto_audit_demo(
        epsilons, EPSILONS, cli_count(call, "repeats"),
        cli_given(call, "insecure-test-seed") ? &seed : NULL, rows, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(rows, error);
    show_text(rows);
    return SOTTO_OK;
}

const cli_command audit_demo = {
    .name = "demo",
    .summary = "Reconstruct a record from two models and guess a secret bit, at several "
               "epsilons",
    .details = "An invented record joins invented rows. Differencing: lambda times "
               "the\ndifference of the models before and after is the record. The bit: "
               "only the\nsign of one attribute is unknown, and the model reveals it.",
    .options = options,
    .example = "sotto audit demo --repeats 100",
    .run = run,
};
