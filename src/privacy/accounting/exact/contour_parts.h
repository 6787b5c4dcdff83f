/* privacy/accounting/exact/contour_parts.h: where the line of contour.c stands, and where its sum stops. */
#ifndef SOT_PRIVACY_ACCOUNTING_EXACT_CONTOUR_PARTS_H
#define SOT_PRIVACY_ACCOUNTING_EXACT_CONTOUR_PARTS_H

#include "privacy/accounting/exact/contour.h"

/* Unit roundoff of doubles. */
static const double sot_contour_unit = 0x1p-53;

typedef struct sot_contour_decay {
    const sot_contour_request *request;
    sot_sampled_tail **tails;
    sot_law_tail **law_tails;
} sot_contour_decay;

double sot_contour_log_mgf(const sot_contour_request *request, double t,
                           double *out_error);

double sot_contour_log_mgf_estimate(const sot_contour_request *request, double t);

/* log of a^a/(1+a)^(1+a), the sharpest constant in (1 - e^-y)_+ <= kappa e^{ay}. */
double sot_log_kappa(double a);

double sot_contour_place_line(const sot_contour_request *request);

/* Bound of log |M(c + is')/M(c)| for all s' >= s: sampled parts by the shifted line, Gaussian
 * parts exactly, pure parts by 1. */
double sot_contour_log_decay(sot_contour_decay *bound, double s);

/* The smallest s (to 5 %) with a decay of e^-38, or 0 when there is none below 1e13. */
double sot_contour_stopping_point(sot_contour_decay *bound);

#endif
