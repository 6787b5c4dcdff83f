/* commands/audit/pairs/parts.h: what the pairs' files share. A crafter fills what sot_study_craft() left: schema, settings, rows, and where to look. */
#ifndef SOT_COMMANDS_AUDIT_PAIRS_PARTS_H
#define SOT_COMMANDS_AUDIT_PAIRS_PARTS_H

#include "commands/audit/pairs/study.h"

/* ---- rows: rows.c ---- */

/* The others on a line: so few that the minimiser stays at |theta| <= 1/16 if lambda is SOT_LINE_LAMBDA, far inside the linear part. */
enum { SOT_LINE_ROWS = 3, SOT_LINE_LAMBDA = 64 };

/* One feature, all rows at its ends, the record against the others: its gradient is as long as the loss allows, and constant while
 * every margin stays in the linear part of the loss. Thresholds are set so that it does. */
void sot_study_on_line(sot_study *study, size_t base_rows);

/* For losses whose slope nears its bound far on the wrong side alone: logistic, softmax of two classes. Two features: rows of that
 * length along the first take theta far along it, the farther the shorter they are; the record is on the wrong side there, by
 * `aside`, so that its slope is nearly 1, and moves theta along the second, where nothing bends. */
void sot_study_aside(sot_study *study, size_t base_rows, double length, double aside);

/* The same with one feature, for what does not suffer where the others bend: the record at 1 against short rows. */
void sot_study_against(sot_study *study, size_t base_rows, double length);

/* Their number, declared as the adjacency wants it. */
void sot_study_set_rows(sot_study *study);

/* Whether the loss has no linear part, so that sot_study_aside() is for it. */
bool sot_study_is_curved(const sot_study *study);

/* A setting that is `value` for logistic: softmax of two classes along (-1, 1)/sqrt2 is logistic on rows sqrt2 as long, whose lambda is twice
 * as large for the same margins, and whose learning rate half. */
double sot_study_of_lambda(const sot_study *study, double value);
double sot_study_of_rate(const sot_study *study, double value);

/* ---- crafters ---- */

/* release.c: the noise is added to one release. */
void sot_craft_minimiser(sot_study *study);
void sot_craft_objective(sot_study *study);
void sot_craft_moments(sot_study *study);
void sot_craft_stable(sot_study *study);

/* steps.c: to every step. */
void sot_craft_descent(sot_study *study);
void sot_craft_stochastic(sot_study *study);
void sot_craft_newton(sot_study *study);
void sot_craft_network(sot_study *study);
void sot_craft_transcript(sot_study *study);

/* choice.c: one of a few is chosen. */
void sot_craft_corners(sot_study *study);
void sot_craft_concept(sot_study *study);
void sot_craft_counts(sot_study *study);

/* samples.c: the release is a draw. */
void sot_craft_mechanism(sot_study *study);
SOTTO_MUST_CHECK sotto_status sot_craft_posterior(sot_study *study, sotto_error *error);

#endif
