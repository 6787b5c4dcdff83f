/* sotto audit model: which rows was a model trained on? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sotto/audit.h>
#include <sotto/audit_model.h>

#include "audit/audit.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"
#include "model/model_files.h"

CLI_WORDS(lira_choice, "online", "offline")

CLI_NAMES(optimizer_choice, sotto_optimizer, 0)

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"members", CLI_FILE, CLI_REQUIRED, "training rows, public to you", .value = "FILE",
     .example = "members.csv"},
    {"nonmembers", CLI_FILE, CLI_REQUIRED,
     "similar rows that the model was not trained on", .value = "FILE",
     .example = "others.csv"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "declare both files public: the printed rates are exact", .value = NULL},
    {"members-labels", CLI_FILE, CLI_OPTIONAL,
     "NPY or IDX of features: file of the members' labels", .value = "FILE",
     .example = "members-labels-idx1-ubyte"},
    {"nonmembers-labels", CLI_FILE, CLI_OPTIONAL,
     "NPY or IDX of features: file of the others' labels", .value = "FILE",
     .example = "others-labels-idx1-ubyte"},
    {"shadows", CLI_COUNT, CLI_OPTIONAL,
     "number of shadow models for the likelihood ratio attack, at least 8 (default: "
     "none)",
     .value = "N", .example = "64", .count_max = 4096},
    {"lira", CLI_CHOICE, CLI_OPTIONAL,
     "shadow models with and without a row, or only without it", .value = "MODE",
     .fallback = "online", .choices = lira_choice},
    {"shadow-method", CLI_TEXT, CLI_OPTIONAL,
     "training method of the shadow models, for example output; none: without noise",
     .value = "NAME", .example = "output", .fallback = "none"},
    {"shadow-epsilon", CLI_NUMBER, CLI_OPTIONAL, "epsilon of the shadow models",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"shadow-delta", CLI_NUMBER, CLI_OPTIONAL, "delta of the shadow models", .value = "D",
     .example = "1e-5", .range = CLI_POSITIVE},
    {"shadow-lambda", CLI_NUMBER, CLI_OPTIONAL, "lambda of the shadow models",
     .value = "L", .example = "1", .range = CLI_POSITIVE},
    {"shadow-expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "public number of rows of a shadow model; networks: half of all rows (default)",
     .value = "N", .example = "1000", .count_max = UINT64_C(1) << 32},
    {"shadow-steps", CLI_COUNT, CLI_OPTIONAL,
     "iterative methods: steps of a shadow model", .value = "T", .example = "100",
     .count_max = 1000000},
    {"shadow-learning-rate", CLI_NUMBER, CLI_OPTIONAL,
     "iterative methods: learning rate of a shadow model", .value = "H", .example = "0.1",
     .range = CLI_POSITIVE},
    {"shadow-batch", CLI_COUNT, CLI_OPTIONAL,
     "iterative methods: records in a step of a shadow model", .value = "M",
     .example = "128", .count_max = UINT64_C(1) << 32},
    {"shadow-epochs", CLI_NUMBER, CLI_OPTIONAL,
     "networks: passes of a shadow model, in place of --shadow-steps", .value = "E",
     .example = "40", .range = CLI_POSITIVE},
    {"shadow-clip", CLI_NUMBER, CLI_OPTIONAL,
     "networks: bound on a record's gradient in private shadow models", .value = "C",
     .example = "0.1", .range = CLI_POSITIVE},
    {"shadow-momentum", CLI_NUMBER, CLI_OPTIONAL, "networks: momentum of shadow models",
     .value = "M", .example = "0.9", .range = CLI_BELOW_ONE},
    {"shadow-weight-average", CLI_NUMBER, CLI_OPTIONAL,
     "networks: decay of the moving average of shadow models", .value = "A",
     .example = "0.99", .range = CLI_BELOW_ONE},
    {"shadow-optimizer", CLI_CHOICE, CLI_OPTIONAL, "networks: optimizer of shadow models",
     .value = "NAME", .fallback = "sgd", .choices = optimizer_choice},
    {"shadow-init", CLI_FILE, CLI_OPTIONAL,
     "networks: model whose weights are the initial ones of shadow models",
     .value = "FILE", .example = "public.json"},
    {"alpha", CLI_NUMBER, CLI_OPTIONAL, "1 - confidence of the limits of rates",
     .value = "A", .example = "0.05", .fallback = "0.05", .range = CLI_POSITIVE},
    {"threads", CLI_COUNT, CLI_OPTIONAL, "number of threads (default: all)", .value = "N",
     .example = "2", .count_max = 1024},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the attacks", .value = "FILE",
     .example = "roc.svg", .output = SOTTO_OUTPUT_SVG},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the shadow models, for tests", .value = "N", .example = "7",
     .count_max = UINT64_MAX},
    {0},
};

/* One of the ways in which nothing private would be printed, or an option that would not be looked at. */
static sotto_status check_call(const cli_call *call, sotto_error *error)
{
    if (!cli_flag(call, "data-is-public")) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "exact rates reveal information about the rows of both files; if all readers "
            "may know both files, declare it with --data-is-public");
    }
    for (const cli_option *at = options; at->name != NULL; at++) {
        const bool of_shadows =
            strncmp(at->name, "shadow-", 7) == 0 || strcmp(at->name, "lira") == 0;
        if (!of_shadows || !cli_given(call, at->name) || cli_given(call, "shadows"))
            continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s is for shadow models; add --shadows, for example --shadows "
                        "16, or leave --%s out",
                        at->name, at->name);
    }
    return SOTTO_OK;
}

static sotto_status read_shadow(const cli_call *call, sotto_train_config *out,
                                sotto_error *error)
{
    sotto_train_config shadow = sotto_train_defaults();
    shadow.epsilon = cli_number(call, "shadow-epsilon");
    shadow.delta = cli_number(call, "shadow-delta");
    shadow.lambda = cli_number(call, "shadow-lambda");
    shadow.expected_rows = cli_count(call, "shadow-expected-rows");
    shadow.steps = cli_count(call, "shadow-steps");
    shadow.learning_rate = cli_number(call, "shadow-learning-rate");
    shadow.batch = cli_count(call, "shadow-batch");
    shadow.epochs = cli_number(call, "shadow-epochs");
    shadow.clip = cli_number(call, "shadow-clip");
    shadow.momentum = cli_number(call, "shadow-momentum");
    shadow.weight_average = cli_number(call, "shadow-weight-average");
    shadow.init = cli_text(call, "shadow-init");
    shadow.optimizer = (sotto_optimizer)cli_choice(call, "shadow-optimizer");
    const sotto_status status =
        sotto_method_from_name(cli_text(call, "shadow-method"), &shadow.method, error);
    shadow.data_is_public = !sotto_method_adds_noise(shadow.method);
    *out = shadow;
    return status;
}

static sotto_status read_config(const cli_call *call, sotto_train_config *shadow,
                                sotto_membership_config *out, sotto_error *error)
{
    *out = sotto_membership_defaults();
    out->members.path = cli_text(call, "members");
    out->members.labels = cli_text(call, "members-labels");
    out->others.path = cli_text(call, "nonmembers");
    out->others.labels = cli_text(call, "nonmembers-labels");
    out->shadows = cli_count(call, "shadows");
    out->offline = strcmp(cli_text(call, "lira"), "offline") == 0;
    out->shadow = shadow;
    out->alpha = cli_number(call, "alpha");
    out->threads = (size_t)cli_count(call, "threads");
    out->insecure_test = cli_given(call, "insecure-test-seed");
    out->test_seed = cli_count(call, "insecure-test-seed");
    return read_shadow(call, shadow, error);
}

static void show_text(const sotto_membership *membership)
{
    for (size_t i = 0; i < sotto_membership_size(membership); i++) {
        const sotto_membership_attack *at = sotto_membership_at(membership, i);
        (void)printf("%sattack by %s\n", i == 0 ? "" : "\n", at->name);
        cli_line("area", "%.4f under the ROC; 0.5 is chance", at->area);
        cli_line("advantage", "%.4f", at->advantage);
        cli_line("TPR", "%.4f at an FPR of 0.001, %.4f at 0.01",
                 at->true_positive_rate_1000, at->true_positive_rate_100);
        cli_line("accused",
                 "%" PRIu64 " of %" PRIu64 " members, %" PRIu64 " of %" PRIu64
                 " others, by a threshold of the other halves",
                 at->counts.true_positives, at->counts.members,
                 at->counts.false_positives, at->counts.others);
        cli_line("limits", "TPR at least %.4f, FPR at most %.4f",
                 at->bounds.true_positive_rate_lower,
                 at->bounds.false_positive_rate_upper);
    }
}

static sotto_status show_json(const sotto_membership *membership, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_array(json, "attacks");
    for (size_t i = 0; i < sotto_membership_size(membership); i++) {
        const sotto_membership_attack *at = sotto_membership_at(membership, i);
        sotto_json_object(json, NULL);
        sotto_json_text(json, "attack", at->name);
        sotto_json_number(json, "auc", at->area);
        sotto_json_number(json, "advantage", at->advantage);
        sotto_json_number(json, "tpr_at_fpr_0.001", at->true_positive_rate_1000);
        sotto_json_number(json, "tpr_at_fpr_0.01", at->true_positive_rate_100);
        sotto_json_number(json, "threshold", at->threshold);
        sotto_json_count(json, "true_positives", at->counts.true_positives);
        sotto_json_count(json, "members", at->counts.members);
        sotto_json_count(json, "false_positives", at->counts.false_positives);
        sotto_json_count(json, "others", at->counts.others);
        sotto_json_number(json, "true_positive_rate_lower",
                          at->bounds.true_positive_rate_lower);
        sotto_json_number(json, "false_positive_rate_upper",
                          at->bounds.false_positive_rate_upper);
        sotto_json_end(json);
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

static sotto_status draw(const cli_call *call, const sotto_membership *membership,
                         sotto_error *error)
{
    char *svg = NULL;
    if (!cli_given(call, "svg")) return SOTTO_OK;
    sotto_status status = sotto_membership_to_svg(membership, &svg, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    sotto_free(svg);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_train_config shadow;
    sotto_membership_config config;
    sotto_model *model = NULL;
    sotto_membership *membership = NULL;
    sotto_status status = check_call(call, error);
    if (status == SOTTO_OK) status = read_config(call, &shadow, &config, error);
    if (status == SOTTO_OK) status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK)
        status = sotto_membership_of(model, &config, &membership, error);
    if (status == SOTTO_OK) status = draw(call, membership, error);
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        status = show_json(membership, error);
    } else if (status == SOTTO_OK) {
        show_text(membership);
    }
    sotto_membership_free(membership);
    sotto_model_free(model);
    return status;
}

const cli_command audit_model = {
    .name = "model",
    .summary = "Distinguish the training rows of a model from similar rows",
    .details =
        "The printed rates are exact: with --data-is-public you declare that "
        "their\nreaders may know the rows. Rates prove nothing about epsilon, because no "
        "coin decided which rows\nwere members: see sotto audit canaries.",
    .options = options,
    .example = "sotto audit model examples/model.json --members examples/survey.csv "
               "--nonmembers examples/survey.csv --data-is-public",
    .nested = "shadow-",
    .run = run,
};
