/* The parts of an exported header that depend on the kind of model: its description and its
 * coefficients. Also the step from scores to a prediction, as in
 * artifact/model_file/predict.c. */
#include <string.h>

#include <sotto/version.h>

#include "artifact/export/export.h"
#include "base/text.h"
#include "data/encode/parts.h"

/* ---- writing ---- */

void sot_c_text(sot_c_exporter *self, const char *plain)
{
    sot_output_text(&self->output, plain);
}

void sot_c_write(sot_c_exporter *self, const char *template)
{
    for (const char *at; (at = strchr(template, '@')) != NULL; template = at + 1) {
        sot_output_bytes(&self->output, template, (size_t)(at - template));
        sot_c_text(self, self->name);
    }
    sot_c_text(self, template);
}

void sot_c_template(sot_c_exporter *self, const char *function)
{
    sot_c_write(self, function);
    sot_c_text(self, "\n");
}

void sot_c_value(sot_c_exporter *self, double value)
{
    sot_c_number(&self->output, value);
}

static void plain_number(sot_c_exporter *self, double value)
{
    char digits[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(value, digits);
    sot_c_text(self, digits);
}

/* ---- the beginning ---- */

static void write_promise(sot_c_exporter *self)
{
    const sotto_target *target = self->encoding->target;
    const char *name = target->column == NULL ? "the label" : target->column;
    switch (self->model->prediction) {
    case SOTTO_PREDICTS_PROBABILITIES:
        if (self->model->margins == 1) {
            sot_c_write(self, ": @_probability() is the probability that\n * ");
            sot_c_comment(&self->output, name);
            sot_c_text(self, " is ");
            sot_c_comment(&self->output, sot_encoding_class(self->encoding, 1));
            return;
        }
        sot_c_write(self, ": @_probabilities() are those of the\n * classes of ");
        sot_c_comment(&self->output, name);
        return;
    case SOTTO_PREDICTS_SCORE:
    case SOTTO_PREDICTION_UNSET:
        sot_c_write(self, ": @_score() is at least 0 where\n * ");
        sot_c_comment(&self->output, name);
        sot_c_text(self, " is predicted: ");
        sot_c_comment(&self->output, sot_encoding_class(self->encoding, 1));
        return;
    case SOTTO_PREDICTS_NUMBER:
        sot_c_write(self, ": @_predict() is\n * ");
        sot_c_comment(&self->output, name);
        sot_c_text(self, ", from ");
        plain_number(self, target->lower);
        sot_c_text(self, " to ");
        plain_number(self, target->upper);
        return;
    }
}

void sot_c_opening(sot_c_exporter *self)
{
    sot_c_text(self, sot_model_row_of(self->model->kind)->an ? "/* An " : "/* A ");
    sot_c_text(self, sotto_model_kind_name(self->model->kind));
    sot_c_text(self, " model, made by sotto ");
    sot_c_text(self, sotto_version());
    write_promise(self);
    sot_c_write(
        self,
        self->model->concept != NULL || self->model->curves != NULL
            ? ".\n *\n"
              " * C99, <math.h> and <string.h>; link with -lm. A cell has the place that "
              "it has\n"
              " * for the model file, bit by bit."
            : ".\n *\n * C99, <math.h> and <string.h>; link with -lm. The numbers are "
              "those of the\n * model file, bit by bit, and a row is scaled, clipped and "
              "rounded as there.");
    if (self->model->draws > 1)
        sot_c_print(
            &self->output,
            " It has\n * %zu posterior samples; a prediction is the mean of theirs.",
            self->model->draws);
    if (self->model->net != NULL)
        sot_c_text(self, " Sums of\n * layers have another order: scores agree to "
                         "rounding.");
    sot_c_write(self, " */\n"
                      "#ifndef SOTTO_MODEL_@_H\n#define SOTTO_MODEL_@_H\n\n"
                      "#include <math.h>\n#include <string.h>\n\n");
}

static void write_row_of(sot_c_exporter *self, const double *coefficients,
                         const char *indent)
{
    for (size_t i = 0; i < sot_encoding_dimension(self->encoding); i++) {
        sot_c_text(self, indent);
        sot_c_value(self, coefficients[i]);
        sot_c_text(self, ", /* ");
        sot_c_comment(&self->output, sot_encoding_feature(self->encoding, i));
        sot_c_text(self, " */\n");
    }
}

void sot_c_classes(sot_c_exporter *self)
{
    const size_t classes = sot_encoding_classes(self->encoding);
    if (classes == 0) return;
    sot_c_write(self, "/* The labels; @_predict() gives the place of one. */\n"
                      "static const char *const @_classes");
    sot_c_print(&self->output, "[%zu] = {", classes);
    for (size_t k = 0; k < classes; k++) {
        if (k > 0) sot_c_text(self, classes > 2 ? ",\n    " : ", ");
        sot_c_string(&self->output, sot_encoding_class(self->encoding, k));
    }
    sot_c_text(self, "};\n\n");
}

size_t sot_c_vectors(const sotto_model *model)
{
    return model->draws * model->margins;
}

void sot_c_coefficients(sot_c_exporter *self)
{
    const size_t dimension = sot_encoding_dimension(self->encoding);
    const size_t margins = self->model->margins, draws = self->model->draws;
    const double *coefficients = self->model->coefficients;
    if (draws > 1)
        sot_c_text(self, margins == 1
                             ? "/* One list per posterior sample. */\n"
                             : "/* One list per class, sample after sample. */\n");
    sot_c_write(self, "static const double @_coefficients");
    if (margins * draws == 1) {
        sot_c_print(&self->output, "[%zu] = {\n", dimension);
        write_row_of(self, coefficients, "    ");
    } else {
        sot_c_print(&self->output, "[%zu][%zu] = {\n", margins * draws, dimension);
        for (size_t k = 0; k < margins * draws; k++) {
            sot_c_text(self, "    { /* ");
            if (draws > 1)
                sot_c_print(&self->output, "sample %zu%s", k / margins + 1,
                            margins > 1 ? ", " : "");
            if (margins > 1)
                sot_c_comment(&self->output,
                              sot_encoding_class(self->encoding, k % margins));
            sot_c_text(self, " */\n");
            write_row_of(self, coefficients + k * dimension, "        ");
            sot_c_text(self, "    },\n");
        }
    }
    sot_c_text(self, "};\n\n");
    sot_c_classes(self);
}

void sot_c_begin_score(sot_c_exporter *self, const char *remark, const char *argument)
{
    static const char *const meanings[] = {
        [SOTTO_PREDICTION_UNSET] = "",
        [SOTTO_PREDICTS_PROBABILITIES] = "The log of the odds of @_classes[1]",
        [SOTTO_PREDICTS_SCORE] = "At least 0 for @_classes[1]",
        [SOTTO_PREDICTS_NUMBER] = "The prediction before it is scaled"};
    const bool drawn = self->model->draws > 1;
    const bool many = drawn || self->model->margins > 1;
    sot_c_text(self, "/* ");
    sot_c_write(
        self, drawn ? "One score per posterior sample, and per class if there are several"
              : many ? "One score per class"
                     : meanings[self->model->prediction]);
    sot_c_text(self, remark);
    sot_c_write(self, drawn  ? ". */\nstatic inline void @_draws("
                      : many ? ". */\nstatic inline void @_scores("
                             : ". */\nstatic inline double @_score(");
    sot_c_write(self, argument);
    sot_c_text(self, many ? ", double *scores)\n{\n" : ")\n{\n");
}

/* ---- the ends ---- */

void sot_c_sigmoid_of_score(sot_c_exporter *self)
{
    sot_c_text(self, "    if (score != score) return 0.5;\n"
                     "    if (score >= 0.0) return 1.0 / (1.0 + exp(-score));\n"
                     "    return exp(score) / (1.0 + exp(score));\n");
}

void sot_c_decide_two(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "/* The place in @_classes; for another threshold, compare the "
                      "probability. */\n"
                      "static inline int @_predict(");
    sot_c_write(self, argument);
    sot_c_write(self, ")\n{\n    return @_probability(");
    sot_c_text(self, passed);
    sot_c_text(self, ") >= 0.5;\n}\n");
}

static void end_logistic(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "/* The probability of @_classes[1]. */\n"
                      "static inline double @_probability(");
    sot_c_write(self, argument);
    sot_c_write(self, ")\n{\n    const double score = @_score(");
    sot_c_text(self, passed);
    sot_c_text(self, ");\n");
    sot_c_sigmoid_of_score(self);
    sot_c_text(self, "}\n\n");
    sot_c_decide_two(self, argument, passed);
}

static void end_softmax(sot_c_exporter *self, const char *argument, const char *passed)
{
    const size_t classes = self->model->margins;
    sot_c_write(self, "/* The probability of each of @_classes. */\n"
                      "static inline void @_probabilities(");
    sot_c_write(self, argument);
    sot_c_write(self, ", double *out)\n{\n"
                      "    double largest = -HUGE_VAL, sum = 0.0;\n"
                      "    int finite = 1;\n    size_t k;\n"
                      "    @_scores(");
    sot_c_text(self, passed);
    sot_c_print(&self->output,
                ", out);\n"
                "    for (k = 0; k < %zu; k++) {\n"
                "        if (!(fabs(out[k]) < HUGE_VAL)) finite = 0;\n"
                "        largest = fmax(largest, out[k]);\n"
                "    }\n",
                classes);
    sot_c_print(&self->output,
                "    for (k = 0; k < %zu; k++) {\n"
                "        out[k] = finite ? exp(out[k] - largest) : 1.0;\n"
                "        sum += out[k];\n"
                "    }\n"
                "    for (k = 0; k < %zu; k++) out[k] /= sum;\n"
                "}\n\n",
                classes, classes);
    sot_c_decide_many(self, argument, passed);
}

void sot_c_decide_many(sot_c_exporter *self, const char *argument, const char *passed)
{
    const size_t classes = self->model->margins;
    sot_c_write(self, "/* The place in @_classes. */\nstatic inline int @_predict(");
    sot_c_write(self, argument);
    sot_c_print(&self->output, ")\n{\n    double probability[%zu];\n", classes);
    if (classes > 2) sot_c_text(self, "    int best = 0, k;\n");
    sot_c_write(self, "    @_probabilities(");
    sot_c_text(self, passed);
    sot_c_text(self, ", probability);\n");
    if (classes == 2) {
        sot_c_text(self, "    return probability[1] >= 0.5;\n}\n");
        return;
    }
    sot_c_print(&self->output,
                "    for (k = 1; k < %zu; k++)\n"
                "        if (probability[k] > probability[best]) best = k;\n"
                "    return best;\n}\n",
                classes);
}

static void end_score(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "/* The place in @_classes. */\nstatic inline int @_predict(");
    sot_c_write(self, argument);
    sot_c_write(self, ")\n{\n    return !(@_score(");
    sot_c_text(self, passed);
    sot_c_text(self, ") < 0.0);\n}\n");
}

void sot_c_value_of_score(sot_c_exporter *self)
{
    const sot_encoding *encoding = self->encoding;
    sot_c_text(self, "    const double value = ");
    if (encoding->role == SOT_TARGET_COUNT) {
        sot_c_text(self, "exp(score)");
    } else {
        sot_c_value(self, encoding->target_center);
        sot_c_text(self, " + ");
        sot_c_value(self, encoding->target_half);
        sot_c_text(self, " * score");
    }
    sot_c_text(self, ";\n    if (score != score) return ");
    sot_c_value(self, encoding->target_center);
    sot_c_text(self, ";\n    return fmin(fmax(value, ");
    sot_c_value(self, encoding->target->lower);
    sot_c_text(self, "), ");
    sot_c_value(self, encoding->target->upper);
    sot_c_text(self, ");\n");
}

static void end_number(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_text(self, "/* In the units of the target and within its bounds. */\n");
    sot_c_write(self, "static inline double @_predict(");
    sot_c_write(self, argument);
    sot_c_write(self, ")\n{\n    const double score = @_score(");
    sot_c_text(self, passed);
    sot_c_text(self, ");\n");
    sot_c_value_of_score(self);
    sot_c_text(self, "}\n");
}

static const sot_c_ends ends_of_one = {
    .two = end_logistic, .many = end_softmax, .score = end_score, .number = end_number};

static void end(const sot_c_ends *ends, sot_c_exporter *self, const char *argument,
                const char *passed)
{
    switch (self->model->prediction) {
    case SOTTO_PREDICTS_PROBABILITIES:
        if (self->model->margins == 1) {
            ends->two(self, argument, passed);
        } else {
            ends->many(self, argument, passed);
        }
        break;
    case SOTTO_PREDICTS_SCORE:
    case SOTTO_PREDICTION_UNSET:
        ends->score(self, argument, passed);
        break;
    case SOTTO_PREDICTS_NUMBER:
        ends->number(self, argument, passed);
        break;
    }
}

void sot_c_ending(sot_c_exporter *self, const char *argument, const char *passed)
{
    end(self->model->draws > 1 ? &sot_c_ends_of_draws : &ends_of_one, self, argument,
        passed);
    sot_c_text(self, "\n#endif\n");
}
