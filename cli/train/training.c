#include "train/training.h"

#include <string.h>

#include "frame/choice.h"
#include "pac/pac.h"

/* Networks that have a name: those of the library, docs/reference/networks.md. */
static const char *const networks[] = {"mlp", "cnn", "tanh-cnn", "scattering-linear",
                                       "scattering-cnn"};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

/* Kinds that other words of --model stand for: networks by their names; a loss of the caller's, a function of C's, by none. */
static const struct {
    const char *const *words;
    size_t count;
    bool replaced;
} replaced[] = {[SOTTO_MODEL_CUSTOM] = {NULL, 0, true},
                [SOTTO_MODEL_NETWORK] = {networks, NETWORKS, true}};

const char *cli_model_choice(size_t index)
{
    for (size_t kind = 1;; kind++) {
        const char *name = cli_known(sotto_model_kind_name((sotto_model_kind)kind));
        const bool other =
            kind < sizeof replaced / sizeof replaced[0] && replaced[kind].replaced;
        const size_t count = other ? replaced[kind].count : 1;
        if (name == NULL) return NULL;
        if (index < count) return other ? replaced[kind].words[index] : name;
        index -= count;
    }
}

bool cli_is_json_file(const char *text)
{
    static const char ending[] = ".json";
    const size_t length = strlen(text);
    return length >= sizeof ending && strcmp(text + length - 5, ending) == 0;
}

bool cli_is_network(const char *text)
{
    if (cli_is_json_file(text)) return true;
    for (size_t i = 0; i < NETWORKS; i++) {
        const size_t own = strlen(networks[i]);
        if (strncmp(text, networks[i], own) == 0 &&
            (text[own] == '\0' || text[own] == ':'))
            return true;
    }
    return false;
}

CLI_NAMES(method_choice, sotto_method, 0)

CLI_NAMES(calibration_choice, sotto_calibration, 0)

CLI_NAMES(schedule_choice, sotto_schedule, 0)

CLI_NAMES(iterate_choice, sotto_iterate, 0)

static const sotto_sampling drawn[] = {SOTTO_POISSON, SOTTO_WITHOUT_REPLACEMENT,
                                       SOTTO_SINGLE_RECORD, SOTTO_NOT_SAMPLED};

static const char *sampling_choice(size_t index)
{
    return index < sizeof drawn / sizeof drawn[0] ? sotto_sampling_name(drawn[index])
                                                  : NULL;
}

CLI_NAMES(clipping_choice, sotto_clipping, 0)

CLI_NAMES(optimizer_choice, sotto_optimizer, 0)

CLI_NAMES(sampler_choice, sotto_sampler, 0)

CLI_NAMES(basis_choice, sotto_basis, 0)

const cli_option cli_training_options[] = {
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict (default: the schema's)",
     .value = "COLUMN", .example = "smokes"},
    {"method", CLI_CHOICE, CLI_OPTIONAL, "training method", .value = "NAME",
     .fallback = "auto", .choices = method_choice},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "privacy loss of the whole training, above 0",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"expected-rows", CLI_COUNT, CLI_OPTIONAL,
     "public estimate of the number of rows, never compared with the data", .value = "N",
     .example = "10000", .count_max = UINT64_C(1) << 32},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {"lambda", CLI_TEXT, CLI_OPTIONAL,
     "weight of (lambda/2)|theta|^2 beside the sum of the losses; with --method output "
     "also theory",
     .value = "L", .example = "1"},
    {"calibration", CLI_CHOICE, CLI_OPTIONAL,
     "objective: theorem of the noise; all but sharp are for comparison", .value = "NAME",
     .fallback = "sharp", .choices = calibration_choice},
    {"radius", CLI_NUMBER, CLI_OPTIONAL,
     "bound on the norm of the coefficients: L2, with frank-wolfe L1", .value = "B",
     .example = "4", .range = CLI_POSITIVE},
    {"l1", CLI_NUMBER, CLI_OPTIONAL, "weight of the smoothed L1 norm of the coefficients",
     .value = "L", .example = "1", .range = CLI_NOT_NEGATIVE},
    {"l1-width", CLI_NUMBER, CLI_OPTIONAL, "width of the smoothed kink of --l1",
     .value = "W", .example = "0.01", .range = CLI_NOT_NEGATIVE},
    {"prior", CLI_TEXT, CLI_OPTIONAL, "public model to regularise towards",
     .value = "FILE", .example = "public.json"},
    {"width", CLI_NUMBER, CLI_OPTIONAL, "svm: width of the smoothed kink of the hinge",
     .value = "H", .example = "0.5", .range = CLI_POSITIVE},
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "huber, linear, poisson: clip the loss derivative at K (target scaled to [-1, 1])",
     .value = "K", .example = "0.25", .range = CLI_POSITIVE},
    {"steps", CLI_COUNT, CLI_OPTIONAL,
     "iterative methods: number of steps; permutation-sgd: passes", .value = "T",
     .example = "100", .count_max = 1000000},
    {"learning-rate", CLI_NUMBER, CLI_OPTIONAL,
     "iterative methods: learning rate in units of 1/smoothness; networks: absolute",
     .value = "H", .example = "2", .range = CLI_POSITIVE},
    {"sampling", CLI_CHOICE, CLI_OPTIONAL,
     "sgd: sampling of the records of a step; none: all records", .value = "NAME",
     .fallback = "poisson", .choices = sampling_choice},
    {"batch", CLI_COUNT, CLI_OPTIONAL, "sgd: mean number of records in a step",
     .value = "M", .example = "256", .count_max = UINT64_C(1) << 32},
    {"schedule", CLI_CHOICE, CLI_OPTIONAL, "sgd: schedule of the learning rate",
     .value = "NAME", .fallback = "auto", .choices = schedule_choice},
    {"iterate", CLI_CHOICE, CLI_OPTIONAL, "sgd, gd: iterate to release", .value = "NAME",
     .fallback = "auto", .choices = iterate_choice},
    {"basis", CLI_CHOICE, CLI_OPTIONAL,
     "additive: one coefficient per bin, or per step between neighbouring bins; "
     "mixed: bins for small integers, else steps",
     .value = "NAME", .fallback = "auto", .choices = basis_choice},
    {"bins", CLI_COUNT, CLI_OPTIONAL,
     "additive: number of bins of a number without bin_edges in the schema", .value = "K",
     .example = "32", .count_max = 1024},
    {"epochs", CLI_NUMBER, CLI_OPTIONAL,
     "networks: passes over the expected rows, in place of --steps", .value = "E",
     .example = "40", .range = CLI_POSITIVE},
    {"clip", CLI_NUMBER, CLI_OPTIONAL, "networks: bound on a record's gradient",
     .value = "C", .example = "0.1", .range = CLI_POSITIVE},
    {"clipping", CLI_CHOICE, CLI_OPTIONAL, "networks: clipping strategy", .value = "NAME",
     .fallback = "flat", .choices = clipping_choice},
    {"optimizer", CLI_CHOICE, CLI_OPTIONAL, "networks: optimizer", .value = "NAME",
     .fallback = "sgd", .choices = optimizer_choice},
    {"momentum", CLI_NUMBER, CLI_OPTIONAL, "networks: momentum; of adam the first decay",
     .value = "M", .example = "0.9", .range = CLI_BELOW_ONE},
    {"weight-average", CLI_NUMBER, CLI_OPTIONAL,
     "networks: decay of the moving average of the weights; 0: the last weights",
     .value = "A", .example = "0.99", .range = CLI_BELOW_ONE},
    {"augmentations", CLI_COUNT, CLI_OPTIONAL,
     "networks: shifted and mirrored copies of an image, averaged within it",
     .value = "K", .example = "4", .count_max = 64},
    {"init", CLI_FILE, CLI_OPTIONAL,
     "networks: public model whose weights are the initial ones", .value = "FILE",
     .example = "public.json"},
    {"freeze", CLI_TEXT, CLI_OPTIONAL, "networks: layers that keep the weights of --init",
     .value = "LAYERS", .example = "1-3"},
    {"max-minutes", CLI_NUMBER, CLI_OPTIONAL,
     "networks, sgd, gd: stop after M minutes; run the same command to resume",
     .value = "M", .example = "10", .range = CLI_POSITIVE},
    {"validation", CLI_FILE, CLI_OPTIONAL,
     "PUBLIC rows: of networks for a learning curve, of tune for the score",
     .value = "FILE", .example = "public-idx3-ubyte"},
    {"validation-labels", CLI_FILE, CLI_OPTIONAL, "labels of --validation",
     .value = "FILE", .example = "public-labels-idx1-ubyte"},
    {"draws", CLI_COUNT, CLI_OPTIONAL,
     "posterior, regularized-em: number of samples to release; epsilon covers all",
     .value = "K", .example = "19", .count_max = SOTTO_DRAWS_MAX},
    {"sampler", CLI_CHOICE, CLI_OPTIONAL,
     "posterior, regularized-em: sampler; mala is a heuristic for public rows",
     .value = "NAME", .fallback = "auto", .choices = sampler_choice},
    {"public-constants", CLI_FLAG, CLI_OPTIONAL,
     "posterior, regularized-em: fix the sampler's steps by public facts only",
     .value = NULL},
    {"concept", CLI_CHOICE, CLI_OPTIONAL, "concept: class of concepts to choose from",
     .value = "CLASS", .example = "stumps", .choices = pac_class_choice,
     .is_other = pac_is_class, .other = "FILE.json|{JSON}"},
    {"stream", CLI_FLAG, CLI_OPTIONAL,
     "read the rows again for every pass instead of holding them all", .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL,
     "number of threads; the result is the same for any number", .value = "N",
     .example = "2", .count_max = 1024},
    {0},
};

/* A number, or the word theory. */
static sotto_status read_lambda(const cli_call *call, sotto_train_config *config,
                                sotto_error *error)
{
    static const cli_option number = {"lambda",
                                      CLI_NUMBER,
                                      CLI_OPTIONAL,
                                      "",
                                      .value = "L",
                                      .example =
                                          "a number, or theory with --method output",
                                      .range = CLI_NOT_NEGATIVE};
    cli_value value;
    const char *text = cli_text(call, "lambda");
    if (text == NULL) return SOTTO_OK;
    config->lambda_theory = strcmp(text, "theory") == 0;
    if (config->lambda_theory) return SOTTO_OK;
    const sotto_status status = cli_value_parse(&number, text, &value, error);
    if (status == SOTTO_OK) config->lambda = value.number;
    return status;
}

/* A kind of model, or a network by name or file. */
static sotto_status read_model(const char *text, sotto_train_config *config,
                               sotto_error *error)
{
    if (!cli_is_network(text))
        return sotto_model_kind_from_name(text, &config->model, error);
    config->model = SOTTO_MODEL_NETWORK;
    config->network = text;
    return SOTTO_OK;
}

/* Reads the options of networks. */
static void read_network(const cli_call *call, sotto_train_config *config)
{
    config->epochs = cli_number(call, "epochs");
    config->clip = cli_number(call, "clip");
    config->clipping = (sotto_clipping)cli_choice(call, "clipping");
    config->optimizer = (sotto_optimizer)cli_choice(call, "optimizer");
    config->momentum = cli_number(call, "momentum");
    config->weight_average = cli_number(call, "weight-average");
    config->augmentations = cli_count(call, "augmentations");
    config->init = cli_text(call, "init");
    config->freeze = cli_text(call, "freeze");
    config->max_minutes = cli_number(call, "max-minutes");
    config->validation = cli_text(call, "validation");
    config->validation_labels = cli_text(call, "validation-labels");
}

sotto_status cli_training_config(const cli_call *call, sotto_train_config *out_config,
                                 sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    config.target = cli_text(call, "target");
    config.method = (sotto_method)cli_choice(call, "method");
    config.epsilon = cli_number(call, "epsilon");
    config.delta = cli_number(call, "delta");
    config.expected_rows = cli_count(call, "expected-rows");
    config.public_n = cli_count(call, "public-n");
    config.calibration = (sotto_calibration)cli_choice(call, "calibration");
    config.steps = cli_count(call, "steps");
    config.learning_rate = cli_number(call, "learning-rate");
    config.radius = cli_number(call, "radius");
    config.l1_width = cli_number(call, "l1-width");
    config.prior = cli_text(call, "prior");
    config.concept = cli_text(call, "concept");
    config.threshold = cli_number(call, "threshold");
    config.batch = cli_count(call, "batch");
    config.schedule = (sotto_schedule)cli_choice(call, "schedule");
    config.iterate = (sotto_iterate)cli_choice(call, "iterate");
    config.draws = cli_count(call, "draws");
    config.sampler = (sotto_sampler)cli_choice(call, "sampler");
    config.public_constants = cli_flag(call, "public-constants");
    config.basis = (sotto_basis)cli_choice(call, "basis");
    config.bins = cli_count(call, "bins");
    config.stream = cli_flag(call, "stream");
    config.threads = cli_count(call, "threads");
    if (cli_given(call, "l1")) config.l1 = cli_number(call, "l1");
    if (cli_given(call, "width")) config.width = cli_number(call, "width");
    read_network(call, &config);
    config.adjacency = cli_adjacency(call);
    config.sampling = drawn[cli_choice(call, "sampling")];
    sotto_status status = read_model(cli_text(call, "model"), &config, error);
    if (status == SOTTO_OK) status = read_lambda(call, &config, error);
    if (status == SOTTO_OK) *out_config = config;
    return status;
}
