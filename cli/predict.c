/* sotto predict: what a model says of each row of a file, one line a row, in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sotto/model.h>

#include "commands.h"
#include "model_files.h"
#include "output.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"data", CLI_FILE, CLI_OPERAND,
     "rows of the model's schema, with or without the target; - is standard input",
     .value = "DATA", .example = "rows.csv"},
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "least probability of the second class to say it, from 0 to 1", .value = "T",
     .example = "0.5", .fallback = "0.5", .range = CLI_NOT_NEGATIVE},
    {"probabilities", CLI_FLAG, CLI_OPTIONAL,
     "also the probability of the second class, after a tab", .value = NULL},
    {"output", CLI_FILE, CLI_OPTIONAL, "write to a file instead of standard output",
     .value = "FILE", .example = "predictions.txt", .letter = 'o'},
    {0},
};

/* The stream that takes the lines, and how they look. */
typedef struct printer {
    FILE *stream;
    const sotto_model *model;
    bool with_probabilities;
    bool as_json;
    char *quoted[2]; /* the labels as JSON strings */
    bool begun;
} printer;

/* At most 17 digits, and fewer where they read back as the same number. */
static const char *shown_probability(double value, char out[CLI_NUMBER_BYTES])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(out, CLI_NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    return out;
}

/* A failed write ends the reading; the caller sees it on the stream. */
static int print_row(size_t predicted, const double *probabilities, void *context)
{
    printer *self = context;
    char number[CLI_NUMBER_BYTES];
    const char *label = sotto_model_class(self->model, predicted);
    if (self->as_json) {
        (void)fprintf(self->stream, "%s{\"label\": %s, \"probability\": %s}",
                      self->begun ? ", " : "", self->quoted[predicted],
                      shown_probability(probabilities[1], number));
    } else if (self->with_probabilities) {
        (void)fprintf(self->stream, "%s\t%s\n", label,
                      shown_probability(probabilities[1], number));
    } else {
        (void)fprintf(self->stream, "%s\n", label);
    }
    self->begun = true;
    return ferror(self->stream);
}

/* One object on one line, written as the rows come. */
static sotto_status begin_json(printer *self, double threshold, sotto_error *error)
{
    char number[CLI_NUMBER_BYTES];
    for (size_t i = 0; i < 2; i++) {
        json_t *label = json_string(sotto_model_class(self->model, i));
        self->quoted[i] = json_dumps(label, JSON_ENCODE_ANY);
        json_decref(label);
        if (self->quoted[i] == NULL)
            return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the labels");
    }
    (void)fprintf(self->stream,
                  "{\"classes\": [%s, %s], \"threshold\": %s, \"predictions\": [",
                  self->quoted[0], self->quoted[1], cli_shortest(threshold, number));
    return SOTTO_OK;
}

static sotto_status predict(const cli_call *call, printer *self, sotto_error *error)
{
    const double threshold = cli_number(call, "threshold");
    sotto_status status = SOTTO_OK;
    if (self->as_json) status = begin_json(self, threshold, error);
    if (status == SOTTO_OK)
        status = sotto_model_predict_file(self->model, cli_data_path(call), threshold,
                                          print_row, self, error);
    if (status == SOTTO_INTERRUPTED) status = SOTTO_OK; /* the stream tells */
    if (status == SOTTO_OK && self->as_json) (void)fputs("]}\n", self->stream);
    free(self->quoted[0]);
    free(self->quoted[1]);
    return status;
}

/* Into a file: all of it, or no file. */
static sotto_status predict_to_file(const cli_call *call, printer *self,
                                    sotto_error *error)
{
    const char *path = cli_text(call, "output");
    sotto_status status = cli_spare_inputs(call, error);
    if (status != SOTTO_OK) return status;
    self->stream = fopen(path, "wb");
    if (self->stream == NULL) {
        return cli_fail(error, SOTTO_IO, "--output %.100s cannot be written: %s", path,
                        strerror(errno));
    }
    status = predict(call, self, error);
    const bool failed = ferror(self->stream) != 0;
    if ((fclose(self->stream) != 0 || failed) && status == SOTTO_OK) {
        status = cli_fail(error, SOTTO_IO, "--output %.100s cannot be written: %s", path,
                          strerror(errno));
    }
    if (status != SOTTO_OK) (void)unlink(path);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_status status = cli_load_model(call, &model, error);
    if (status != SOTTO_OK) return status;
    printer self = {.stream = stdout,
                    .model = model,
                    .with_probabilities = cli_flag(call, "probabilities"),
                    .as_json = cli_flag(call, "json")};
    status = cli_given(call, "output") ? predict_to_file(call, &self, error)
                                       : predict(call, &self, error);
    sotto_model_free(model);
    return status;
}

const cli_command cli_predict = {
    .name = "predict",
    .summary = "Score rows with a model, one line a row",
    .details =
        "Predictions tell about the rows they are made for: keep them as you keep\n"
        "the rows. They tell nothing more about the rows the model was trained on.",
    .options = options,
    .example = "sotto predict examples/model.json examples/survey.csv --probabilities",
    .run = run,
};
