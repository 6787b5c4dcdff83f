#include "account/account.h"
#include "frame/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plan of SOTTO_EVENTS_MAX events of 200 bytes is below this. */
enum { PLAN_BYTES_MAX = 1 << 20 };

/* --- one event from the flags --- */

/* Which flag gives which field of which mechanism's event. */
static const struct parameter {
    sotto_mechanism mechanism;
    const char *flag;
    size_t offset;
    const char *example;
} parameters[] = {
#define FLAG(name, field, example) name, offsetof(sotto_event, field), example
    {SOTTO_GAUSSIAN, FLAG("noise-multiplier", noise_multiplier, "1.1")},
    {SOTTO_PURE, FLAG("epsilon-each", epsilon, "0.1")},
    {SOTTO_APPROXIMATE, FLAG("epsilon-each", epsilon, "0.1")},
    {SOTTO_APPROXIMATE, FLAG("delta-each", delta, "1e-8")},
    {SOTTO_ZCDP, FLAG("rho", rho, "0.01")},
    {SOTTO_GDP, FLAG("mu", mu, "0.5")},
    {SOTTO_DISCRETE_GAUSSIAN, FLAG("scale", scale, "5")},
    {SOTTO_DISCRETE_GAUSSIAN, FLAG("sensitivity", sensitivity, "1")},
    {SOTTO_DISCRETE_LAPLACE, FLAG("scale", scale, "5")},
    {SOTTO_DISCRETE_LAPLACE, FLAG("sensitivity", sensitivity, "1")},
    {SOTTO_EXPONENTIAL, FLAG("epsilon-each", epsilon, "0.1")},
    {SOTTO_PERMUTE_AND_FLIP, FLAG("epsilon-each", epsilon, "0.1")},
    {SOTTO_RANDOMIZED_RESPONSE, FLAG("epsilon-each", epsilon, "1.1")},
    {SOTTO_RANDOMIZED_RESPONSE, FLAG("categories", categories, "2")},
    {SOTTO_OBJECTIVE_PERTURBATION, FLAG("noise-multiplier", noise_multiplier, "4.2")},
    {SOTTO_OBJECTIVE_PERTURBATION, FLAG("atom", atom, "0.9")},
    {SOTTO_LAPLACE, FLAG("noise-multiplier", noise_multiplier, "2")},
#undef FLAG
};
enum { PARAMETER_COUNT = sizeof parameters / sizeof parameters[0] };

/* Every parameter is a double but the number of categories. */
static void set_parameter(const cli_call *call, const struct parameter *parameter,
                          sotto_event *event)
{
    if (strcmp(parameter->flag, "categories") == 0) {
        event->categories = (uint32_t)cli_count(call, parameter->flag);
        return;
    }
    const double value = cli_number(call, parameter->flag);
    memcpy((char *)event + parameter->offset, &value, sizeof value);
}

static bool belongs(const char *flag, sotto_mechanism mechanism)
{
    for (size_t i = 0; i < PARAMETER_COUNT; i++) {
        if (parameters[i].mechanism == mechanism &&
            strcmp(parameters[i].flag, flag) == 0) {
            return true;
        }
    }
    return false;
}

/* The mechanism's own flags are there, and no other mechanism's. */
static sotto_status fill_parameters(const cli_call *call, sotto_event *event,
                                    sotto_error *error)
{
    const char *name = sotto_mechanism_name(event->mechanism);
    for (size_t i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *p = &parameters[i];
        if (!cli_has(call, p->flag)) continue; /* left open for the search */
        if (p->mechanism == event->mechanism) {
            if (!cli_given(call, p->flag)) {
                return cli_fail(
                    error, SOTTO_INVALID_ARGUMENT,
                    "--mechanism %s needs --%s; give it, for example --%s %s, or "
                    "a plan with --plan FILE",
                    name, p->flag, p->flag, p->example);
            }
            set_parameter(call, p, event);
        } else if (cli_given(call, p->flag) && !belongs(p->flag, event->mechanism)) {
            return cli_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "--%s is %s, but --mechanism %s has no such parameter; leave it "
                "out or use --mechanism %s",
                p->flag, cli_text(call, p->flag), name,
                sotto_mechanism_name(p->mechanism));
        }
    }
    return SOTTO_OK;
}

/* The parameters that may be left out: of objective perturbation, and the rows of a Gaussian event too. */
static sotto_status fill_optional(const cli_call *call, sotto_event *event,
                                  sotto_error *error)
{
    static const char *const flags[] = {"rows", "shift", "vertices", "theorem"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!cli_has(call, flags[i]) || !cli_given(call, flags[i])) continue;
        if (event->mechanism != SOTTO_OBJECTIVE_PERTURBATION &&
            !(i == 0 && event->mechanism == SOTTO_GAUSSIAN)) {
            return cli_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "--%s is %s, but --mechanism %s has no such parameter; leave it "
                "out or use --mechanism objective-perturbation",
                flags[i], cli_text(call, flags[i]),
                sotto_mechanism_name(event->mechanism));
        }
    }
    /* Counts are at most 1000000. */
    if (cli_given(call, "rows")) event->rows = (uint32_t)cli_count(call, "rows");
    if (!cli_has(call, "shift")) return SOTTO_OK; /* `noise`: no flags of objectives */
    if (cli_given(call, "shift")) event->shift = cli_number(call, "shift");
    if (cli_given(call, "vertices"))
        event->vertices = (uint32_t)cli_count(call, "vertices");
    if (cli_given(call, "theorem")) event->theorem = (uint32_t)cli_count(call, "theorem");
    return SOTTO_OK;
}

static sotto_status fill_sampling(const cli_call *call, sotto_event *event,
                                  sotto_error *error)
{
    if (!cli_has(call, "rate")) { /* left open for the search */
        event->sampling = SOTTO_POISSON;
        return SOTTO_OK;
    }
    static const struct {
        const char *flag;
        unsigned belongs; /* bit set of samplings */
        const char *example;
    } flags[] = {
        {"rate",
         1u << SOTTO_POISSON | 1u << SOTTO_TRUNCATED_POISSON | 1u << SOTTO_CYCLIC_POISSON,
         "0.01"},
        {"population",
         1u << SOTTO_WITHOUT_REPLACEMENT | 1u << SOTTO_SINGLE_RECORD |
             1u << SOTTO_TRUNCATED_POISSON,
         "60000"},
        {"batch", 1u << SOTTO_WITHOUT_REPLACEMENT | 1u << SOTTO_TRUNCATED_POISSON, "256"},
        {"bands", 1u << SOTTO_CYCLIC_POISSON, "10"},
    };
    const bool is_sampled = cli_given(call, "sampling") || cli_given(call, "rate") ||
                            cli_given(call, "population") || cli_given(call, "batch") ||
                            cli_given(call, "bands");
    if (!is_sampled) return SOTTO_OK;
    const char *method = cli_text(call, "sampling");
    sotto_status status = sotto_sampling_from_name(method, &event->sampling, error);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0] && status == SOTTO_OK; i++) {
        const bool belongs_here = (flags[i].belongs >> event->sampling & 1u) != 0;
        if (cli_given(call, flags[i].flag) == belongs_here) continue;
        status = belongs_here
                     ? cli_fail(error, SOTTO_INVALID_ARGUMENT,
                                "--sampling %s needs --%s; give it, for example --%s %s",
                                method, flags[i].flag, flags[i].flag, flags[i].example)
                     : cli_fail(error, SOTTO_INVALID_ARGUMENT,
                                "--%s is %s, but --sampling %s has no such parameter; "
                                "leave it out or give --sampling %s",
                                flags[i].flag, cli_text(call, flags[i].flag), method,
                                i == 0 ? "poisson" : "without-replacement");
    }
    if (status != SOTTO_OK) return status;
    if (cli_given(call, "rate")) event->rate = cli_number(call, "rate");
    if (cli_given(call, "population")) event->population = cli_count(call, "population");
    if (cli_given(call, "batch")) event->batch = cli_count(call, "batch");
    if (cli_given(call, "bands")) event->bands = (uint32_t)cli_count(call, "bands");
    return SOTTO_OK;
}

static sotto_status plan_from_flags(const cli_call *call, sotto_plan **out_plan,
                                    sotto_error *error)
{
    sotto_event event = sotto_event_defaults();
    /* By name: the commands offer different lists of mechanisms. */
    sotto_status status =
        sotto_mechanism_from_name(cli_text(call, "mechanism"), &event.mechanism, error);
    if (status == SOTTO_OK) status = fill_parameters(call, &event, error);
    if (status != SOTTO_OK) return status;
    status = fill_optional(call, &event, error);
    if (status != SOTTO_OK) return status;
    status = fill_sampling(call, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = cli_has(call, "count") ? cli_count(call, "count") : 0;
    sotto_plan *plan = NULL;
    status = sotto_plan_new(cli_adjacency(call), &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_plan_add(plan, &event, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

/* --- a plan file --- */

/* Reads at most PLAN_BYTES_MAX + 1 bytes: one more than allowed shows that it is too much. */
static sotto_status read_all(FILE *file, const char *path, char *out, size_t *out_size,
                             sotto_error *error)
{
    *out_size = fread(out, 1, PLAN_BYTES_MAX + 1, file);
    if (ferror(file)) {
        return cli_fail(error, SOTTO_IO, "--plan %.100s cannot be read: %s", path,
                        strerror(errno));
    }
    if (*out_size > PLAN_BYTES_MAX) {
        return cli_fail(error, SOTTO_PARSE,
                        "--plan %.100s is larger than %d bytes; give a plan file, for "
                        "example plan.json",
                        path, PLAN_BYTES_MAX);
    }
    return SOTTO_OK;
}

static sotto_status parse_plan(const char *path, const char *json, size_t size_bytes,
                               sotto_plan **out_plan, sotto_error *error)
{
    sotto_error inner = {.status = SOTTO_OK};
    const sotto_status status = sotto_plan_parse(json, size_bytes, out_plan, &inner);
    if (status == SOTTO_OK) return SOTTO_OK;
    /* The library knows the line, the command knows the file. */
    return cli_fail(error, status, "--plan %.60s: %s", path, inner.message);
}

static sotto_status plan_from_file(const char *path, sotto_plan **out_plan,
                                   sotto_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    sotto_status status = SOTTO_OK;
    size_t size_bytes = 0;
    char *json = NULL;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (file == NULL) {
        return cli_fail(
            error, SOTTO_IO,
            "--plan %.100s cannot be opened: %s; give the path of a plan file, "
            "or - for standard input",
            path, strerror(errno));
    }
    json = malloc(PLAN_BYTES_MAX + 1);
    if (json == NULL) {
        status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the plan");
        goto done;
    }
    status = read_all(file, path, json, &size_bytes, error);
    if (status != SOTTO_OK) goto done;
    status = parse_plan(path, json, size_bytes, out_plan, error);
done:
    free(json);
    if (!is_stdin) (void)fclose(file);
    return status;
}

/* The plan file says everything about the events, so a flag may only repeat its adjacency. */
static sotto_status check_against_flags(const cli_call *call, const sotto_plan *plan,
                                        sotto_error *error)
{
    if (!cli_given(call, "adjacency")) return SOTTO_OK;
    const char *of_plan = sotto_adjacency_name(sotto_plan_adjacency(plan));
    if (strcmp(cli_text(call, "adjacency"), of_plan) == 0) return SOTTO_OK;
    return cli_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "--adjacency is %s, but the plan file says %s; leave the option out or "
        "change the file",
        cli_text(call, "adjacency"), of_plan);
}

static sotto_status refuse_event_flags(const cli_call *call, sotto_error *error)
{
    static const char *const flags[] = {"mechanism",    "noise-multiplier",
                                        "epsilon-each", "delta-each",
                                        "rho",          "mu",
                                        "scale",        "sensitivity",
                                        "categories",   "atom",
                                        "shift",        "vertices",
                                        "rows",         "theorem",
                                        "rate",         "sampling",
                                        "population",   "batch",
                                        "bands",        "count"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!cli_has(call, flags[i]) || !cli_given(call, flags[i])) continue;
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--%s is %.60s, but --plan already lists the events; leave out one "
            "of the two",
            flags[i], cli_text(call, flags[i]));
    }
    return SOTTO_OK;
}

sotto_status account_plan_make(const cli_call *call, sotto_plan **out_plan,
                               sotto_error *error)
{
    if (!cli_given(call, "plan")) return plan_from_flags(call, out_plan, error);
    sotto_status status = refuse_event_flags(call, error);
    if (status != SOTTO_OK) return status;
    sotto_plan *plan = NULL;
    status = plan_from_file(cli_text(call, "plan"), &plan, error);
    if (status != SOTTO_OK) return status;
    status = check_against_flags(call, plan, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}
