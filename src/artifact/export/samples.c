/* The end of a header for a model of several posterior samples. The prediction is the mean of
 * their predictions, summed in their order as artifact/model_file/samples.c does. */
#include "artifact/export/export.h"
#include "data/encode/parts.h"

/* "NAME_draws(row, scores)" with room for all of them. */
static void begin(sot_c_exporter *self, const char *type, const char *what,
                  const char *argument, const char *passed)
{
    sot_c_text(self, "static inline ");
    sot_c_text(self, type);
    sot_c_write(self, " @_");
    sot_c_text(self, what);
    sot_c_text(self, "(");
    sot_c_write(self, argument);
    sot_c_print(&self->output,
                ")\n{\n    double scores[%zu], sum = 0.0;\n    size_t k;\n",
                sot_c_vectors(self->model));
    sot_c_write(self, "    @_draws(");
    sot_c_text(self, passed);
    sot_c_print(&self->output, ", scores);\n    for (k = 0; k < %zu; k++)",
                self->model->draws);
}

static void mean(sot_c_exporter *self, const char *before, const char *behind)
{
    sot_c_print(&self->output, "    return %ssum / %zu.0%s;\n}\n", before,
                self->model->draws, behind);
}

static void end_two(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "static inline double @_sigmoid(double score)\n{\n");
    sot_c_sigmoid_of_score(self);
    sot_c_write(self, "}\n\n/* The probability of @_classes[1]. */\n");
    begin(self, "double", "probability", argument, passed);
    sot_c_write(self, " sum += @_sigmoid(scores[k]);\n");
    mean(self, "", "");
    sot_c_text(self, "\n");
    sot_c_decide_two(self, argument, passed);
}

static void end_score(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "/* At least 0 for @_classes[1]. */\n");
    begin(self, "double", "score", argument, passed);
    sot_c_text(self, "\n        sum += scores[k] != scores[k] ? 0.0 : fmax(");
    sot_c_text(self, "-0x1.fffffffffffffp+1023, fmin(0x1.fffffffffffffp+1023, "
                     "scores[k]));\n");
    mean(self, "fmax(-0x1.fffffffffffffp+1023, fmin(0x1.fffffffffffffp+1023, ", "))");
    sot_c_write(self, "\n/* The place in @_classes. */\nstatic inline int @_predict(");
    sot_c_write(self, argument);
    sot_c_write(self, ")\n{\n    return @_score(");
    sot_c_text(self, passed);
    sot_c_text(self, ") >= 0.0;\n}\n");
}

static void end_number(sot_c_exporter *self, const char *argument, const char *passed)
{
    sot_c_write(self, "static inline double @_value(double score)\n{\n");
    sot_c_value_of_score(self);
    sot_c_text(self, "}\n\n/* In the units of the target and within its bounds. */\n");
    begin(self, "double", "predict", argument, passed);
    sot_c_write(self, " sum += @_value(scores[k]);\n");
    sot_c_print(&self->output, "    return fmin(fmax(sum / %zu.0, ", self->model->draws);
    sot_c_value(self, self->encoding->target->lower);
    sot_c_text(self, "), ");
    sot_c_value(self, self->encoding->target->upper);
    sot_c_text(self, ");\n}\n");
}

/* Adds the softmax of one sample's scores to `out`. */
static void end_many(sot_c_exporter *self, const char *argument, const char *passed)
{
    const size_t classes = self->model->margins;
    sot_output *output = &self->output;
    sot_c_write(self, "static inline void @_add(const double *scores, double *out)\n{\n"
                      "    double largest = -HUGE_VAL, sum = 0.0;\n"
                      "    int finite = 1;\n    size_t k;\n");
    sot_c_print(output, "    double each[%zu];\n    for (k = 0; k < %zu; k++) {\n",
                classes, classes);
    sot_c_text(self, "        if (!(fabs(scores[k]) < HUGE_VAL)) finite = 0;\n"
                     "        largest = fmax(largest, scores[k]);\n    }\n");
    sot_c_print(output,
                "    for (k = 0; k < %zu; k++) {\n"
                "        each[k] = finite ? exp(scores[k] - largest) : 1.0;\n"
                "        sum += each[k];\n    }\n",
                classes);
    sot_c_print(output, "    for (k = 0; k < %zu; k++) out[k] += each[k] / sum;\n}\n\n",
                classes);
    sot_c_write(self, "/* The probability of each of @_classes. */\n"
                      "static inline void @_probabilities(");
    sot_c_write(self, argument);
    sot_c_print(output, ", double *out)\n{\n    double scores[%zu];\n    size_t k;\n    ",
                sot_c_vectors(self->model));
    sot_c_write(self, "@_draws(");
    sot_c_text(self, passed);
    sot_c_print(output, ", scores);\n    for (k = 0; k < %zu; k++) out[k] = 0.0;\n",
                classes);
    sot_c_print(output, "    for (k = 0; k < %zu; k++) ", self->model->draws);
    sot_c_write(self, "@_add(scores");
    sot_c_print(
        output,
        " + k * %zu, out);\n    for (k = 0; k < %zu; k++) out[k] /= %zu.0;\n}\n\n",
        classes, classes, self->model->draws);
    sot_c_decide_many(self, argument, passed);
}

const sot_c_ends sot_c_ends_of_draws = {
    .two = end_two, .many = end_many, .score = end_score, .number = end_number};
