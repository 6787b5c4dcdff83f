/* Shared by the tests of privacy/accounting/loss/loss.h: plans of the new events, and plain integrals. */
#ifndef SOTTO_TESTS_LAWS_H
#define SOTTO_TESTS_LAWS_H

#include "privacy/accounting/plans.h"

static inline sotto_event laplace(double noise_multiplier, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_LAPLACE);
    event.noise_multiplier = noise_multiplier;
    event.count = count;
    return event;
}

static inline sotto_event exponential(double epsilon, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_EXPONENTIAL);
    event.epsilon = epsilon;
    event.count = count;
    return event;
}

static inline sotto_event discrete_laplace(double scale, double sensitivity,
                                           uint64_t count)
{
    sotto_event event = plans_event(SOTTO_DISCRETE_LAPLACE);
    event.scale = scale;
    event.sensitivity = sensitivity;
    event.count = count;
    return event;
}

static inline sotto_event discrete_gaussian(double sigma, double sensitivity,
                                            uint64_t count)
{
    sotto_event event = plans_event(SOTTO_DISCRETE_GAUSSIAN);
    event.scale = sigma;
    event.sensitivity = sensitivity;
    event.count = count;
    return event;
}

static inline sotto_event response(double epsilon, uint32_t categories, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_RANDOMIZED_RESPONSE);
    event.epsilon = epsilon;
    event.categories = categories;
    event.count = count;
    return event;
}

static inline sotto_event batch(double noise_multiplier, uint64_t size,
                                uint64_t population, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_GAUSSIAN);
    event.noise_multiplier = noise_multiplier;
    event.sampling = SOTTO_WITHOUT_REPLACEMENT;
    event.batch = size;
    event.population = population;
    event.count = count;
    return event;
}

/* Simpson's rule with an even number of steps. */
typedef double (*laws_function)(double x, const void *context);
static inline double laws_integral(laws_function f, const void *context, double from,
                                   double to, int steps)
{
    const double h = (to - from) / steps;
    double sum = f(from, context) + f(to, context);
    for (int i = 1; i < steps; i++)
        sum += (i % 2 == 0 ? 2.0 : 4.0) * f(from + h * i, context);
    return sum * h / 3.0;
}

#endif
