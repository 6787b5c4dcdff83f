/* privacy/accounting/profile/gaussian.h: the exact privacy profile of the Gaussian mechanism.
 *
 * Theorem     Balle & Wang, ICML 2018, Thm 8: a Gaussian release with mean shift mu (in units
 *             of its standard deviation) has
 *                 delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu),
 *             for every real eps. With x = eps/mu - mu/2 and Mills' ratio R = Phi(-.)/phi
 *             this is phi(x) (R(x) - R(x + mu)), since e^eps phi(x + mu) = phi(x).
 * Sampled     One Poisson-sampled release (rate q, noise multiplier sigma) is a mixture. Advanced
 *             joint convexity (Balle, Barthe & Gaboardi, NeurIPS 2018, Thm 2) gives both
 *             directions in closed form: see the .c file.
 * Rounding    Each function returns a bracket that contains the exact value.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PROFILE_GAUSSIAN_H
#define SOT_PRIVACY_ACCOUNTING_PROFILE_GAUSSIAN_H

#include "privacy/accounting/profile/bracket.h"

/* delta(epsilon) for any shift in [mu.lower, mu.upper], mu.lower >= 0; epsilon any real. */
sot_bracket sot_gaussian_delta(sot_bracket mu, double epsilon);

/* delta(epsilon) of one release sampled at `rate` in (0, 1], for one direction. */
sot_bracket sot_sampled_gaussian_delta(double rate, double noise_multiplier,
                                       sot_direction direction, double epsilon);

#endif
