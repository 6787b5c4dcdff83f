/* bench/bench_random.c: the generator and the samplers, one core.
 *
 * Each line: {"bench": ..., "draws_per_second": ..., "nanoseconds_per_draw": ..., "checked": true}.
 * A sampler is checked before it is timed: the frequency of every cell of its law is within six
 * standard deviations of the expected one. The time is processor time, the best of five rounds: a
 * busy machine changes it less than it changes the clock on the wall.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "random/discrete_gaussian.h"
#include "random/discrete_laplace.h"
#include "random/exponential.h"
#include "random/normal.h"
#include "random/poisson.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum { BATCH = 1 << 16, ROUNDS = 5 };

typedef struct subject {
    const char *name;
    double sigma; /* scale of the law; 0 where it has none */
    sotto_rng *rng;
    sot_ratio variance;
    sot_discrete_gaussian *table;
    sot_poisson poisson;
    uint64_t step;
} subject;

typedef sotto_status (*fill_function)(subject *self, int64_t *out, size_t count);
/* P(X >= x), x >= 1, of a law that is symmetric about 0. */
typedef double (*tail_function)(double sigma, int64_t x);

static sotto_status fill_words(subject *self, int64_t *out, size_t count)
{
    sot_rng_bytes(self->rng, out, count * sizeof *out);
    return SOTTO_OK;
}

static sotto_status fill_table(subject *self, int64_t *out, size_t count)
{
    return sot_discrete_gaussian_fill(self->table, self->rng, out, count, NULL);
}

static sotto_status fill_reference(subject *self, int64_t *out, size_t count)
{
    return sot_discrete_gaussian_reference(self->rng, self->variance, out, count, NULL);
}

static sotto_status fill_laplace(subject *self, int64_t *out, size_t count)
{
    const sot_ratio scale = {.numerator = (uint64_t)self->sigma, .denominator = 1};
    return sot_discrete_laplace_fill(self->rng, scale, out, count, NULL);
}

static sotto_status fill_rounded(subject *self, int64_t *out, size_t count)
{
    return sot_rounded_gaussian_fill(self->rng, self->sigma, out, count, NULL);
}

static sotto_status fill_portable(subject *self, int64_t *out, size_t count)
{
    return sot_rounded_gaussian_fill_portable(self->rng, self->sigma, out, count, NULL);
}

static sotto_status fill_lean(subject *self, int64_t *out, size_t count)
{
    return sot_rounded_gaussian_fill_lean(self->rng, self->sigma, out, count, NULL);
}

static sotto_status fill_karney(subject *self, int64_t *out, size_t count)
{
    return sot_rounded_gaussian_karney(self->rng, self->sigma, out, count, NULL);
}

/* Doubles; checked through the integers nearest to 1000 Z. */
static sotto_status fill_normal(subject *self, int64_t *out, size_t count)
{
    static double values[BATCH];
    const sotto_status status = sot_normal_fill(self->rng, values, count, NULL);
    for (size_t i = 0; i < count; i++)
        out[i] = (int64_t)rint(self->sigma * values[i]);
    return status;
}

/* One draw is one record asked for; the first results are record numbers, the rest is 0. */
static sotto_status fill_poisson(subject *self, int64_t *out, size_t count)
{
    static uint64_t records[BATCH];
    const size_t taken =
        sot_poisson_select(&self->poisson, self->step++, 0, count, records);
    memset(out, 0, count * sizeof *out);
    for (size_t i = 0; i < taken; i++)
        out[records[i]] = 1;
    return SOTTO_OK;
}

static double tail_gaussian(double sigma, int64_t x)
{
    return 0.5 * erfc(((double)x - 0.5) / (sigma * sqrt(2.0)));
}

/* Summed directly for small sigma; for large ones the rounded Gaussian is the same to 1e-9. */
static double tail_discrete_gaussian(double sigma, int64_t x)
{
    if (sigma > 100.0) return tail_gaussian(sigma, x);
    double above = 0.0;
    double whole = 1.0;
    for (int64_t i = 2000; i >= 1; i--) {
        const double mass = exp(-0.5 * (double)(i * i) / (sigma * sigma));
        whole += 2.0 * mass;
        if (i >= x) above += mass;
    }
    return above / whole;
}

static double tail_laplace(double scale, int64_t x)
{
    return exp(-(double)x / scale) / (1.0 + exp(-1.0 / scale));
}

static double tail_coin(double rate, int64_t x)
{
    return x == 1 ? rate : 0.0;
}

/* Every tail on a grid of sigma / 5, on both sides, is as frequent as it should be. */
static bool frequencies_are_right(subject *self, fill_function fill, tail_function tail,
                                  int64_t *values)
{
    enum { CHECK_BATCHES = 8, EDGES = 20 };
    double above[EDGES] = {0};
    double below[EDGES] = {0};
    int64_t edge[EDGES];
    for (int i = 0; i < EDGES; i++)
        edge[i] = 1 + (int64_t)rint(self->sigma * i / 5.0);
    for (int batch = 0; batch < CHECK_BATCHES; batch++) {
        if (fill(self, values, BATCH) != SOTTO_OK) return false;
        for (size_t i = 0; i < BATCH; i++) {
            for (int e = 0; e < EDGES && edge[e] <= llabs(values[i]); e++)
                *(values[i] > 0 ? &above[e] : &below[e]) += 1.0;
        }
    }
    const double draws = (double)CHECK_BATCHES * BATCH;
    for (int i = 0; i < EDGES; i++) {
        const double p = tail(self->sigma, edge[i]);
        const double allowed = 6.0 * sqrt(draws * p * (1.0 - p)) + 6.0;
        if (fabs(above[i] - draws * p) > allowed) return false;
        if (tail != tail_coin && fabs(below[i] - draws * p) > allowed) return false;
    }
    return true;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run(subject *self, fill_function fill, tail_function tail)
{
    static int64_t values[BATCH];
    const bool checked = tail == NULL || frequencies_are_right(self, fill, tail, values);
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        size_t draws = 0;
        const double begin = processor_seconds();
        double elapsed = 0.0;
        for (; elapsed < 0.08; elapsed = processor_seconds() - begin, draws += BATCH) {
            if (fill(self, values, BATCH) != SOTTO_OK) return false;
        }
        best = fmin(best, elapsed / (double)draws);
    }
    printf("{\"bench\": \"%s\", \"sigma\": %.17g, \"draws_per_second\": %.4g, "
           "\"nanoseconds_per_draw\": %.4g, \"checked\": %s}\n",
           self->name, self->sigma, 1.0 / best, 1e9 * best, checked ? "true" : "false");
    return checked;
}

static bool run_discrete(sotto_rng *rng, double sigma)
{
    subject self = {.name = "discrete_gaussian", .sigma = sigma, .rng = rng};
    if (sot_variance_at_least(sigma, &self.variance, NULL) != SOTTO_OK ||
        sot_discrete_gaussian_new(self.variance, &self.table, NULL) != SOTTO_OK)
        return false;
    bool right = run(&self, fill_table, tail_discrete_gaussian);
    self.name = "discrete_gaussian_reference";
    if (sigma <= 0x1p24) right &= run(&self, fill_reference, tail_discrete_gaussian);
    sot_discrete_gaussian_free(self.table);
    return right;
}

static bool run_poisson(sotto_rng *rng, double rate)
{
    subject self = {.name = "poisson_inclusion", .sigma = rate, .rng = rng};
    uint8_t key[SOT_RNG_KEY_BYTES];
    if (sot_poisson_draw_key(rng, key, NULL) != SOTTO_OK ||
        sot_poisson_start(key, rate, &self.poisson, NULL) != SOTTO_OK)
        return false;
    return run(&self, fill_poisson, tail_coin);
}

int main(void)
{
    sotto_rng *rng = NULL;
    sotto_error error;
    if (sotto_rng_new(&rng, &error) != SOTTO_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    subject words = {.name = "rng_words", .rng = rng};
    bool right = run(&words, fill_words, NULL);

    static const double discrete[] = {0.5, 5.0, 1000.0, 0x1p20, 0x1p28};
    for (size_t i = 0; i < sizeof discrete / sizeof discrete[0]; i++)
        right &= run_discrete(rng, discrete[i]);

    static const double rounded[] = {0.5, 10.0, 1000.0, 0x1p20, 0x1p40, 0x1p52};
    for (size_t i = 0; i < sizeof rounded / sizeof rounded[0]; i++) {
        subject self = {.name = "rounded_gaussian", .sigma = rounded[i], .rng = rng};
        right &= run(&self, fill_rounded, tail_gaussian);
    }
    static const double lean[] = {1000.0, 4.5e6};
    for (size_t i = 0; i < sizeof lean / sizeof lean[0]; i++) {
        subject self = {.name = "rounded_gaussian_lean", .sigma = lean[i], .rng = rng};
        right &= run(&self, fill_lean, tail_gaussian);
    }
    subject self = {.name = "rounded_gaussian_portable", .sigma = 0x1p20, .rng = rng};
    right &= run(&self, fill_portable, tail_gaussian);
    self.name = "rounded_gaussian_karney";
    right &= run(&self, fill_karney, tail_gaussian);
    self.name = "normal_double";
    self.sigma = 1000.0;
    right &= run(&self, fill_normal, tail_gaussian);
    self.name = "discrete_laplace";
    self.sigma = 10.0;
    right &= run(&self, fill_laplace, tail_laplace);
    right &= run_poisson(rng, 0.01);
    sotto_rng_free(rng);
    return right ? 0 : 1;
}
