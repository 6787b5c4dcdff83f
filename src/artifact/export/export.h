/* artifact/export/export.h: parts for writing a model as C: text, names and literals that no
 * model can break out of. */
#ifndef SOT_ARTIFACT_EXPORT_EXPORT_H
#define SOT_ARTIFACT_EXPORT_EXPORT_H

#include "artifact/model_file/model.h"
#include "artifact/page/blocks.h"

enum {
    SOT_C_NAME_BYTES = 64,   /* C99 distinguishes 63 letters of a name */
    SOT_C_SCORES_MAX = 16384 /* of a row, on the stack */
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sot_c_print(sot_output *output, const char *format, ...);

/* A string literal: letters, digits and plain punctuation as they are, all else as three octal
 * digits, which end where they end. */
void sot_c_string(sot_output *output, const char *text);

/* Text inside a comment: one line, and nothing in it begins or ends a comment. */
void sot_c_comment(sot_output *output, const char *text);

/* A double, as exact hexadecimal. */
void sot_c_number(sot_output *output, double value);

/* A name for a member, made from any text: letters, digits and _, not a word of C or C++. Names
 * with different numbers (those of the columns) are different if their texts are. */
void sot_c_member(const char *text, size_t number, char out_name[SOT_C_NAME_BYTES]);

/* True for [A-Za-z][A-Za-z0-9_]*, at most 31 letters: a valid prefix of the functions. */
bool sot_c_is_prefix(const char *name);

/* ---- one header in the making ---- */

typedef struct sot_c_exporter {
    sot_output output;
    const sotto_model *model;
    const sot_encoding *encoding;
    const char *name;
    char (*members)[SOT_C_NAME_BYTES]; /* one for each part of a table, each column that a
                                          concept reads, or each column of the schema of an
                                          additive model */
} sot_c_exporter;

void sot_c_text(sot_c_exporter *self, const char *plain);
/* Writes a template: @ is the name. */
void sot_c_write(sot_c_exporter *self, const char *template);
void sot_c_template(sot_c_exporter *self, const char *function); /* and a blank line */
void sot_c_value(sot_c_exporter *self, double value);

/* kind.c: the beginning, the coefficients and classes, the head of the summing function (`remark`
 * ends its comment). From `passed`, declared as `argument`, the prediction. */
void sot_c_opening(sot_c_exporter *self);
void sot_c_coefficients(sot_c_exporter *self);
void sot_c_begin_score(sot_c_exporter *self, const char *remark, const char *argument);
void sot_c_ending(sot_c_exporter *self, const char *argument, const char *passed);
/* The labels, of a model of classes. */
void sot_c_classes(sot_c_exporter *self);
/* Returns the number of coefficient vectors: one per class of softmax, in each posterior
 * sample. */
size_t sot_c_vectors(const sotto_model *model);
/* Bodies of functions from `score` to the number, and to the probability, that it means; and the functions from
 * probabilities to a place. */
void sot_c_value_of_score(sot_c_exporter *self);
void sot_c_sigmoid_of_score(sot_c_exporter *self);
void sot_c_decide_two(sot_c_exporter *self, const char *argument, const char *passed);
void sot_c_decide_many(sot_c_exporter *self, const char *argument, const char *passed);

/* From scores to the prediction, for each kind of prediction. */
typedef void (*sot_c_end)(sot_c_exporter *self, const char *argument, const char *passed);
typedef struct sot_c_ends {
    sot_c_end two, many; /* probabilities */
    sot_c_end score, number;
} sot_c_ends;
/* samples.c: for a model of several posterior samples. */
extern const sot_c_ends sot_c_ends_of_draws;

/* export.c: write the member of the row for `column`, members[index], and the list of a
 * category's values. Write the function that finds a place among them, and a call of it. The last
 * writes the value of a number's or boolean's cell. */
void sot_c_row_member(sot_c_exporter *self, const sotto_column *column, size_t index);
void sot_c_values(sot_c_exporter *self, const sotto_column *column, size_t index);
void sot_c_place(sot_c_exporter *self);
void sot_c_place_of(sot_c_exporter *self, const sotto_column *column, size_t index);
void sot_c_cell(sot_c_exporter *self, const sotto_column *column, size_t index);

/* additive.c, concept.c: everything behind the labels. */
SOTTO_MUST_CHECK sotto_status sot_c_additive(sot_c_exporter *self, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_c_concept(sot_c_exporter *self, sotto_error *error);

/* network.c: refuses networks that no header holds; writes the parameters. After the
 * function that encodes a row, it writes the layers and the function for their scores. */
SOTTO_MUST_CHECK sotto_status sot_c_check_network(const sot_net *net, sotto_error *error);
void sot_c_parameters(sot_c_exporter *self);
void sot_c_network(sot_c_exporter *self, const char *argument, const char *passed);

#endif
