/* sotto account: the cost of a list of private releases, and the noise or the number of steps
 * that meets a target. Arithmetic only: no data is read. */
#include "account/account.h"

#include <string.h>

#include <sotto/reference.h>

#include "commands.h"
#include "frame/choice.h"

/* --- the words the library knows; its enumerations count up from 1 --- */

/* A Renyi curve and a mixture are lists of numbers: they need a plan file. */
static const char *mechanism_choice(size_t index)
{
    if (index + 1 >= SOTTO_RDP_CURVE) return NULL; /* the last ones */
    return cli_known(sotto_mechanism_name((sotto_mechanism)(index + 1)));
}

/* The mechanisms whose noise multiplier `noise` searches for. */
const char *account_noise_choice(size_t index)
{
    static const sotto_mechanism known_here[] = {
        SOTTO_GAUSSIAN, SOTTO_LAPLACE, SOTTO_DISCRETE_GAUSSIAN, SOTTO_DISCRETE_LAPLACE};
    return index < sizeof known_here / sizeof known_here[0]
               ? sotto_mechanism_name(known_here[index])
               : NULL;
}

CLI_NAMES(sampling_choice, sotto_sampling, 1)

/* Accountants are numbered from 1, and numbers may be left out. */
const char *account_accountant(size_t index)
{
    enum { NUMBERS = 32 };
    size_t seen = 0;
    for (int number = 1; number < NUMBERS; number++) {
        const char *name = cli_known(sotto_accountant_name((sotto_accountant)number));
        if (name != NULL && seen++ == index) return name;
    }
    return NULL;
}

/* `epsilon` also knows the approximation that is asked for by name. */
static const char *epsilon_choice(size_t index)
{
    const char *name = account_accountant(index);
    const bool is_next =
        name == NULL && (index == 0 || account_accountant(index - 1) != NULL);
    return is_next ? sotto_reference_name(SOTTO_REFERENCE_CENTRAL_LIMIT) : name;
}

CLI_WORDS(calibration_choice, "analytic", "classical", "lecture")

/* --- the table --- */

static const cli_option event_options[] = {
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "mechanism of the release", .value = "NAME",
     .fallback = "gaussian", .choices = mechanism_choice},
    {"noise-multiplier", CLI_NUMBER, CLI_OPTIONAL,
     "gaussian, laplace, objective-perturbation: noise scale over the reference norm",
     .value = "S", .example = "1.1", .range = CLI_POSITIVE},
    {"epsilon-each", CLI_NUMBER, CLI_OPTIONAL,
     "pure, approximate, exponential, permute-and-flip, randomized-response: epsilon of "
     "one "
     "release",
     .value = "E", .example = "0.1", .range = CLI_NOT_NEGATIVE},
    {"delta-each", CLI_NUMBER, CLI_OPTIONAL, "approximate: delta of one release",
     .value = "D", .example = "1e-8", .range = CLI_BELOW_ONE},
    {"rho", CLI_NUMBER, CLI_OPTIONAL, "zcdp: rho of one release", .value = "R",
     .example = "0.01", .range = CLI_NOT_NEGATIVE},
    {"mu", CLI_NUMBER, CLI_OPTIONAL, "gdp: mu of one release", .value = "M",
     .example = "0.5", .range = CLI_NOT_NEGATIVE},
    {"scale", CLI_NUMBER, CLI_OPTIONAL,
     "discrete-gaussian (its sigma), discrete-laplace: noise scale, in units of the "
     "query",
     .value = "B", .example = "5", .range = CLI_POSITIVE},
    {"sensitivity", CLI_NUMBER, CLI_OPTIONAL,
     "discrete-gaussian, discrete-laplace: sensitivity, in units of the query",
     .value = "L", .example = "1", .range = CLI_POSITIVE},
    {"categories", CLI_COUNT, CLI_OPTIONAL, "randomized-response: number of answers",
     .value = "K", .example = "2", .count_max = INT32_MAX},
    {"atom", CLI_NUMBER, CLI_OPTIONAL,
     "objective-perturbation: smallest loss of one release", .value = "A",
     .example = "0.9", .range = CLI_NOT_NEGATIVE},
    {"shift", CLI_NUMBER, CLI_OPTIONAL,
     "objective-perturbation: bound on the determinant term of the privacy loss",
     .value = "C", .example = "0.05", .range = CLI_NOT_NEGATIVE},
    {"vertices", CLI_COUNT, CLI_OPTIONAL,
     "objective-perturbation: number of Gaussian losses; the largest counts",
     .value = "M", .example = "2", .count_max = 1000000},
    {"theorem", CLI_COUNT, CLI_OPTIONAL,
     "objective-perturbation of the logistic loss: version of the theorem, with --rows "
     "(2: frozen slope)",
     .value = "V", .example = "2", .count_max = 2},
    {0},
};

static const cli_option rows_options[] = {
    {"rows", CLI_COUNT, CLI_OPTIONAL,
     "gaussian: largest number of rows of a unit, each with the reference norm; "
     "objective-perturbation of the logistic loss: the same, for a smaller price",
     .value = "K", .example = "1", .count_max = 1000000},
    {0},
};

static const cli_option sampling_options[] = {
    {"rate", CLI_NUMBER, CLI_OPTIONAL,
     "probability that a record takes part in a release", .value = "Q", .example = "0.01",
     .range = CLI_RATE},
    {"sampling", CLI_CHOICE, CLI_OPTIONAL,
     "sampling of the records of a release: poisson with --rate, without-replacement "
     "with --population and --batch, single-record with --population, truncated-poisson "
     "with --rate, --population and --batch, cyclic-poisson with --rate and --bands",
     .value = "NAME", .fallback = "poisson", .choices = sampling_choice},
    {"population", CLI_COUNT, CLI_OPTIONAL,
     "without-replacement, single-record: number of records in the population; "
     "truncated-poisson: an upper bound of it",
     .value = "N", .example = "60000", .count_max = SOTTO_POPULATION_MAX},
    {"batch", CLI_COUNT, CLI_OPTIONAL,
     "without-replacement: records of one batch; truncated-poisson: largest number that "
     "stays",
     .value = "M", .example = "256", .count_max = SOTTO_POPULATION_MAX},
    {"bands", CLI_COUNT, CLI_OPTIONAL,
     "cyclic-poisson: bands of the noise matrix, and groups of the records", .value = "B",
     .example = "10", .count_max = SOTTO_BANDS_MAX},
    {0},
};

static const cli_option count_options[] = {
    {"count", CLI_COUNT, CLI_OPTIONAL, "number of such releases", .value = "T",
     .example = "1000", .fallback = "1", .count_max = SOTTO_COUNT_MAX},
    {0},
};

static const cli_option accountant_options[] = {
    {"accountant", CLI_CHOICE, CLI_OPTIONAL, "accountant", .value = "NAME",
     .fallback = "exact", .choices = account_accountant},
    {0},
};

static const cli_option plan_options[] = {
    {"plan", CLI_FILE, CLI_OPTIONAL,
     "JSON file with the events instead of the flags above; - is standard input",
     .value = "FILE", .example = "plan.json"},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL,
     "definition of neighbours; a plan file states its own", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {0},
};

const cli_option *const account_run_tables[] = {
    event_options, rows_options, sampling_options, count_options, plan_options, NULL};
const cli_option *const account_event_tables[] = {
    event_options,      rows_options, sampling_options, count_options, plan_options,
    accountant_options, NULL};
static const cli_option *const event_without_count[] = {event_options,      rows_options,
                                                        sampling_options,   plan_options,
                                                        accountant_options, NULL};
static const cli_option *const event_without_rate[] = {
    event_options, rows_options, count_options, plan_options, accountant_options, NULL};
static const cli_option *const event_without_noise[] = {
    rows_options, sampling_options,   count_options,
    plan_options, accountant_options, NULL};

const cli_option *const account_zcdp_tables[] = {rows_options, sampling_options,
                                                 count_options, plan_options, NULL};

static const cli_option epsilon_options[] = {
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {"accountant", CLI_CHOICE, CLI_OPTIONAL, "accountant", .value = "NAME",
     .fallback = "exact", .choices = epsilon_choice},
    {"lambda-max", CLI_COUNT, CLI_OPTIONAL, "moments: largest moment to try (default 32)",
     .value = "N", .example = "64", .count_max = SOTTO_LAMBDA_MAX},
    {"cross-check", CLI_FLAG, CLI_OPTIONAL,
     "also print the answer of pld, an independent computation", .value = NULL},
    {0},
};

static const cli_option delta_options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy loss, at least 0", .value = "E",
     .example = "1", .range = CLI_NOT_NEGATIVE},
    {"cross-check", CLI_FLAG, CLI_OPTIONAL,
     "also print the answer of pld, an independent computation", .value = NULL},
    {0},
};

static const cli_option target_options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy target, at least 0", .value = "E",
     .example = "1", .range = CLI_NOT_NEGATIVE},
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {0},
};

static const cli_option noise_options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy target, at least 0", .value = "E",
     .example = "1", .range = CLI_NOT_NEGATIVE},
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {"calibration", CLI_CHOICE, CLI_OPTIONAL,
     "calibration: analytic is tight; classical is the textbook's; lecture a course's, "
     "for comparison",
     .value = "NAME", .fallback = "analytic", .choices = calibration_choice},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "mechanism of the release", .value = "NAME",
     .fallback = "gaussian", .choices = account_noise_choice},
    {"sensitivity", CLI_NUMBER, CLI_OPTIONAL,
     "discrete-gaussian, discrete-laplace: sensitivity, in units of the query",
     .value = "L", .example = "1", .range = CLI_POSITIVE},
    {0},
};

/* --- the questions --- */

static sotto_status accountant_of(const cli_call *call, sotto_accountant *out_accountant,
                                  sotto_error *error)
{
    return sotto_accountant_from_name(cli_text(call, "accountant"), out_accountant,
                                      error);
}

/* The textbook's formula is for one unsampled Gaussian release. Its true epsilon, which
 * is smaller, is then computed exactly. */
static sotto_status classical_noise(const cli_call *call, account_answer *answer,
                                    sotto_error *error)
{
    static const char *const excluded[] = {"plan",  "rate",  "sampling", "population",
                                           "batch", "bands", "rows",     "accountant"};
    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++) {
        if (!cli_given(call, excluded[i])) continue;
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--calibration classical is for one release of all records; leave "
            "out --%s or use --calibration analytic",
            excluded[i]);
    }
    if (strcmp(cli_text(call, "mechanism"), sotto_mechanism_name(SOTTO_GAUSSIAN)) != 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--mechanism is %s; --calibration classical is for gaussian, use "
                        "--calibration analytic",
                        cli_text(call, "mechanism"));
    }
    if (cli_count(call, "count") != 1) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--count is %s; --calibration classical is for one release, use "
                        "--calibration analytic",
                        cli_text(call, "count"));
    }
    sotto_status status =
        sotto_gaussian_noise_classical(answer->target_epsilon, cli_number(call, "delta"),
                                       &answer->noise_multiplier, error);
    if (status != SOTTO_OK) return status;

    sotto_plan *plan = NULL;
    status = sotto_plan_new(cli_adjacency(call), &plan, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = answer->noise_multiplier;
    event.count = 1;
    status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_epsilon(plan, SOTTO_EXACT, cli_number(call, "delta"),
                                       &answer->account, error);
    }
    sotto_plan_free(plan);
    return status;
}

static sotto_status ask(const cli_call *call, const sotto_plan *plan,
                        account_answer *answer, sotto_error *error)
{
    sotto_accountant accountant = SOTTO_EXACT;
    const sotto_status status = accountant_of(call, &accountant, error);
    if (status != SOTTO_OK) return status;
    switch (answer->question) {
    case ACCOUNT_EPSILON:
        if (cli_given(call, "lambda-max")) {
            return sotto_account_moments(plan, (uint32_t)cli_count(call, "lambda-max"),
                                         cli_number(call, "delta"), &answer->account,
                                         error);
        }
        return sotto_account_epsilon(plan, accountant, cli_number(call, "delta"),
                                     &answer->account, error);
    case ACCOUNT_DELTA:
        return sotto_account_delta(plan, accountant, cli_number(call, "epsilon"),
                                   &answer->account, error);
    case ACCOUNT_NOISE:
        return sotto_account_noise(plan, accountant, answer->target_epsilon,
                                   cli_number(call, "delta"), &answer->noise_multiplier,
                                   &answer->account, error);
    case ACCOUNT_RATE:
        return sotto_account_rate(plan, accountant, answer->target_epsilon,
                                  cli_number(call, "delta"), &answer->rate,
                                  &answer->account, error);
    case ACCOUNT_STEPS:
        return sotto_account_steps(plan, accountant, answer->target_epsilon,
                                   cli_number(call, "delta"), &answer->steps,
                                   &answer->account, error);
    }
    return cli_fail(error, SOTTO_INTERNAL,
                    "internal error: no question; please report it");
}

static sotto_status answer_question(const cli_call *call, sotto_error *error)
{
    const account_question question = (account_question)call->command->subject;
    account_answer answer = {
        .question = question, .target_epsilon = SOTTO_UNSET, .scale = SOTTO_UNSET};
    if (question != ACCOUNT_EPSILON) answer.target_epsilon = cli_number(call, "epsilon");
    sotto_status status = SOTTO_OK;
    if (question == ACCOUNT_NOISE) answer.calibration = cli_text(call, "calibration");
    if (question == ACCOUNT_NOISE && strcmp(answer.calibration, "classical") == 0) {
        status = classical_noise(call, &answer, error);
    } else if (question == ACCOUNT_NOISE && strcmp(answer.calibration, "lecture") == 0) {
        return account_lecture(call, error);
    } else {
        sotto_plan *plan = NULL;
        status = account_plan_make(call, &plan, error);
        const bool twice = (question == ACCOUNT_EPSILON || question == ACCOUNT_DELTA) &&
                           cli_flag(call, "cross-check");
        if (status == SOTTO_OK) {
            status = twice ? account_cross_check(call, plan, &answer, error)
                           : ask(call, plan, &answer, error);
        }
        sotto_plan_free(plan);
    }
    if (status != SOTTO_OK) return status;
    if (question == ACCOUNT_NOISE && cli_given(call, "sensitivity"))
        answer.scale = answer.noise_multiplier * cli_number(call, "sensitivity");
    return account_show(&answer, cli_flag(call, "json"), error);
}

static sotto_status run_epsilon(const cli_call *call, sotto_error *error)
{
    const char *approximation = sotto_reference_name(SOTTO_REFERENCE_CENTRAL_LIMIT);
    const char *accountant = cli_text(call, "accountant");
    if (cli_given(call, "lambda-max") &&
        strcmp(accountant, sotto_accountant_name(SOTTO_MOMENTS)) != 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--lambda-max is %s, but --accountant %s has no moments; leave "
                        "it out or use --accountant moments",
                        cli_text(call, "lambda-max"), accountant);
    }
    if (strcmp(accountant, approximation) == 0) return account_approximate(call, error);
    return answer_question(call, error);
}

static const cli_command epsilon_command = {
    .name = "epsilon",
    .summary = "The certified epsilon of a plan at a given delta",
    .options = epsilon_options,
    .shared = account_run_tables,
    .example = "sotto account epsilon --noise-multiplier 1.1 --rate 0.004 --count 15000 "
               "--delta 1e-5",
    .run = run_epsilon,
    .subject = ACCOUNT_EPSILON,
};

static const cli_command delta_command = {
    .name = "delta",
    .summary = "The certified delta of a plan at a given epsilon",
    .options = delta_options,
    .shared = account_event_tables,
    .example = "sotto account delta --noise-multiplier 2 --count 10 --epsilon 3",
    .run = answer_question,
    .subject = ACCOUNT_DELTA,
};

static const cli_command noise_command = {
    .name = "noise",
    .summary = "The smallest noise that meets a privacy target",
    .details = "In a plan file, \"noise_multiplier\": \"search\" marks the noise to "
               "find. For discrete "
               "noise it is \"sigma\" or \"scale\".",
    .options = noise_options,
    .shared = event_without_noise,
    .example = "sotto account noise --epsilon 1 --delta 1e-6 --rate 0.004 --count 15000",
    .run = answer_question,
    .subject = ACCOUNT_NOISE,
};

static const cli_command steps_command = {
    .name = "steps",
    .summary = "The largest number of releases that meets a privacy target",
    .details = "In a plan file, \"count\": \"search\" marks the count to find.",
    .options = target_options,
    .shared = event_without_count,
    .example = "sotto account steps --epsilon 2 --delta 1e-5 --noise-multiplier 1 "
               "--rate 0.01",
    .run = answer_question,
    .subject = ACCOUNT_STEPS,
};

static const cli_command rate_command = {
    .name = "rate",
    .summary = "The largest sampling rate that meets a privacy target",
    .details = "In a plan file, \"rate\": \"search\" marks the rate to find.",
    .options = target_options,
    .shared = event_without_rate,
    .example = "sotto account rate --epsilon 2 --delta 1e-5 --noise-multiplier 1 "
               "--count 15000",
    .run = answer_question,
    .subject = ACCOUNT_RATE,
};

static const cli_command *const commands[] = {&epsilon_command,
                                              &delta_command,
                                              &noise_command,
                                              &steps_command,
                                              &rate_command,
                                              &account_compare,
                                              &account_curve,
                                              &account_selection,
                                              &account_amplify,
                                              &account_group,
                                              &account_zcdp,
                                              &account_tree,
                                              NULL};

const cli_command cli_account = {
    .name = "account",
    .summary = "Compute the privacy loss of a list of releases; reads no data",
    .details = "A plan is one event given by flags, or a JSON file of events (--plan).",
    .commands = commands,
    .example = "sotto account noise --epsilon 1 --delta 1e-5",
};
