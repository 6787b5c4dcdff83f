/* sotto predict: the predictions of a model for each row of a file, one line per row, in
 * order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/model.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/input.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "model/model_files.h"
#include "model/threshold.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"data", CLI_FILE, CLI_OPERAND,
     "rows of the model's schema, with or without the target; - is standard input",
     .value = "DATA", .example = "rows.csv"},
    {"probabilities", CLI_FLAG, CLI_OPTIONAL,
     "also print the probability of the second class, after a tab; with more than two "
     "classes, of each",
     .value = NULL},
    {"scores", CLI_FLAG, CLI_OPTIONAL,
     "svm, hinge: also print the score, after a tab; a score of at least 0 predicts the "
     "second class",
     .value = NULL},
    {"interval", CLI_NUMBER, CLI_OPTIONAL,
     "also print the interval of this share of the posterior samples, after tabs",
     .value = "LEVEL", .example = "0.9", .range = CLI_POSITIVE},
    {"output", CLI_FILE, CLI_OPTIONAL, "write to a file in place of standard output",
     .value = "FILE", .example = "predictions.txt", .letter = 'o',
     .output = SOTTO_OUTPUT_DATA},
    {0},
};

/* The stream that takes the lines, and how they look. */
typedef struct printer {
    FILE *stream;
    const sotto_model *model;
    sotto_prediction kind;
    size_t classes;
    bool with_outputs; /* --probabilities, --scores or --interval */
    bool with_interval;
    double threshold, level;
    const double *lower, *upper; /* of the row, with an interval */
    bool as_json;
    char **quoted; /* the labels as JSON strings */
    bool begun;
} printer;

static const char *shown(double value, char out[CLI_NUMBER_BYTES])
{
    return sotto_number_shortest(value, 15, out);
}

/* Returns the index of the first printed output: one number, or one per class with more
 * than two. */
static size_t first_output(const printer *self)
{
    return self->classes > 2 ? 0 : sotto_model_outputs(self->model) - 1;
}

/* A number, or the list of all of them, under a name. */
static void print_member(printer *self, const char *name, const double *values)
{
    char number[CLI_NUMBER_BYTES];
    const bool many = self->classes > 2;
    (void)fprintf(self->stream, "\"%s\": %s", name, many ? "[" : "");
    for (size_t k = first_output(self); k < sotto_model_outputs(self->model); k++)
        (void)fprintf(self->stream, "%s%s", many && k > 0 ? ", " : "",
                      shown(values[k], number));
    (void)fputs(many ? "]" : "", self->stream);
}

/* Writes a label as a JSON string: the only member of an object, without the braces. */
static sotto_status quote(const char *label, char **out_quoted, sotto_error *error)
{
    static const char before[] = "{\"\": ";
    const char *text = NULL;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_text(json, "", label);
    sotto_status status = sotto_json_finish(json, &text, error);
    if (status == SOTTO_OK) {
        const size_t length = strlen(text) - (sizeof before - 1) - strlen("}\n");
        *out_quoted = calloc(length + 1, 1);
        if (*out_quoted != NULL)
            memcpy(*out_quoted, text + sizeof before - 1, length);
        else
            status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the labels");
    }
    sotto_json_writer_free(json);
    return status;
}

/* The labels as JSON strings. */
static sotto_status quote_labels(printer *self, sotto_error *error)
{
    self->quoted = calloc(self->classes + 1, sizeof *self->quoted);
    if (self->quoted == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the labels");
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < self->classes; i++)
        status = quote(sotto_model_class(self->model, i), &self->quoted[i], error);
    return status;
}

/* Writes one object on one line as the rows come: a refusal before the first row prints
 * nothing. */
static void begin_json(printer *self)
{
    char number[CLI_NUMBER_BYTES];
    (void)fputs("{", self->stream);
    for (size_t i = 0; i < self->classes; i++) {
        (void)fprintf(self->stream, "%s%s%s", i == 0 ? "\"classes\": [" : ", ",
                      self->quoted[i], i + 1 == self->classes ? "], " : "");
    }
    if (self->kind == SOTTO_PREDICTS_PROBABILITIES && self->classes == 2)
        (void)fprintf(self->stream, "\"threshold\": %s, ",
                      cli_shortest(self->threshold, number));
    if (self->with_interval)
        (void)fprintf(self->stream, "\"interval\": %s, \"draws\": %zu, ",
                      cli_shortest(self->level, number), sotto_model_draws(self->model));
    (void)fputs("\"predictions\": [", self->stream);
}

static void print_json(printer *self, size_t predicted, const double *outputs)
{
    const char *name = self->kind == SOTTO_PREDICTS_NUMBER  ? "value"
                       : self->kind == SOTTO_PREDICTS_SCORE ? "score"
                       : self->classes == 2                 ? "probability"
                                                            : "probabilities";
    if (!self->begun) begin_json(self);
    (void)fprintf(self->stream, "%s{", self->begun ? ", " : "");
    if (self->kind != SOTTO_PREDICTS_NUMBER)
        (void)fprintf(self->stream, "\"label\": %s, ", self->quoted[predicted]);
    print_member(self, name, outputs);
    if (self->with_interval) {
        (void)fputs(", ", self->stream);
        print_member(self, "lower", self->lower);
        (void)fputs(", ", self->stream);
        print_member(self, "upper", self->upper);
    }
    (void)fputs("}", self->stream);
}

/* Each number has its interval beside it. */
static void print_line(printer *self, size_t predicted, const double *outputs)
{
    char number[CLI_NUMBER_BYTES];
    const bool labelled = self->kind != SOTTO_PREDICTS_NUMBER;
    const char *between = labelled ? "\t" : "";
    if (labelled) (void)fputs(sotto_model_class(self->model, predicted), self->stream);
    for (size_t k = first_output(self);
         k < sotto_model_outputs(self->model) && (self->with_outputs || !labelled); k++) {
        (void)fprintf(self->stream, "%s%s", between, shown(outputs[k], number));
        if (self->with_interval) {
            (void)fprintf(self->stream, "\t%s", shown(self->lower[k], number));
            (void)fprintf(self->stream, "\t%s", shown(self->upper[k], number));
        }
    }
    (void)fputs("\n", self->stream);
}

/* A failed write ends the reading; the caller sees it on the stream. */
static int print_row(size_t predicted, const double *outputs, void *context)
{
    printer *self = context;
    if (!self->begun && self->stream == stdout) cli_end_watch();
    if (self->as_json) {
        print_json(self, predicted, outputs);
    } else {
        print_line(self, predicted, outputs);
    }
    self->begun = true;
    return ferror(self->stream);
}

static int print_interval(size_t predicted, const double *outputs, const double *lower,
                          const double *upper, void *context)
{
    printer *self = context;
    self->lower = lower;
    self->upper = upper;
    return print_row(predicted, outputs, context);
}

static sotto_status predict(const cli_call *call, printer *self, sotto_error *error)
{
    sotto_status status = self->as_json ? quote_labels(self, error) : SOTTO_OK;
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    if (status == SOTTO_OK) {
        status = self->with_interval
                     ? sotto_model_predict_interval_data(self->model, &file,
                                                         self->threshold, self->level,
                                                         print_interval, self, error)
                     : sotto_model_predict_data(self->model, &file, self->threshold,
                                                print_row, self, error);
    }
    if (status == SOTTO_INTERRUPTED) status = SOTTO_OK; /* the stream tells */
    if (status == SOTTO_OK && self->as_json) {
        if (!self->begun) begin_json(self);
        (void)fputs("]}\n", self->stream);
    }
    for (size_t i = 0; self->quoted != NULL && i < self->classes; i++)
        free(self->quoted[i]);
    free(self->quoted);
    return status;
}

/* Into a file: all of it, or no file. */
static sotto_status predict_to_file(const cli_call *call, printer *self,
                                    sotto_error *error)
{
    cli_stream output;
    const sotto_status status = cli_open_stream(call, "output", &output, error);
    if (status != SOTTO_OK) return status;
    self->stream = output.file;
    return cli_close_stream(&output, predict(call, self, error), error);
}

/* Checks that the model has the requested outputs. */
static sotto_status check_outputs(const cli_call *call, const sotto_model *model,
                                  sotto_error *error)
{
    static const char *const flags[] = {"probabilities", "scores"};
    const sotto_prediction kind = sotto_model_predicts(model);
    const char *name = sotto_model_kind_name(sotto_model_kind_of(model));
    for (size_t i = 0; i < 2; i++) {
        if (!cli_flag(call, flags[i]) || kind == (sotto_prediction)(i + 1)) continue;
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT, "the model %s has no %s; leave out --%s%s",
            name, flags[i], flags[i],
            kind == SOTTO_PREDICTS_SCORE           ? ", or give --scores"
            : kind == SOTTO_PREDICTS_PROBABILITIES ? ", or give --probabilities"
                                                   : "");
    }
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    double threshold = 0.5;
    sotto_status status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK) status = cli_decision_threshold(call, &threshold, error);
    if (status == SOTTO_OK) status = check_outputs(call, model, error);
    if (status == SOTTO_OK) {
        printer self = {.stream = stdout,
                        .model = model,
                        .kind = sotto_model_predicts(model),
                        .classes = sotto_model_classes(model),
                        .with_outputs = cli_flag(call, "probabilities") ||
                                        cli_flag(call, "scores") ||
                                        cli_given(call, "interval"),
                        .with_interval = cli_given(call, "interval"),
                        .threshold = threshold,
                        .level = cli_number(call, "interval"),
                        .as_json = cli_flag(call, "json")};
        status = cli_given(call, "output") ? predict_to_file(call, &self, error)
                                           : predict(call, &self, error);
    }
    sotto_model_free(model);
    return status;
}

static const cli_option *const shared[] = {cli_threshold_options, cli_rows_options, NULL};

const cli_command cli_predict = {
    .name = "predict",
    .summary = "Score rows with a model, one line per row",
    .details =
        "Predictions reveal information about the input rows: protect them like the\n"
        "rows. They reveal nothing more about the training rows. An interval covers\n"
        "posterior samples of the model. For a number it covers the mean of such rows,\n"
        "not a new observation.",
    .options = options,
    .shared = shared,
    .example = "sotto predict examples/model.json examples/survey.csv --probabilities",
    .run = run,
};
