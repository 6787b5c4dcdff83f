/* The guarantee in words. Numbers in it are rounded to the side of less privacy. Files of sotto 0.1.0 keep its words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "numeric/outward.h"
#include "numeric/shown.h"

enum { DIGITS = 6, PERCENT_DIGITS = 3 };

const char sot_former_records_in_memory[] = "the records handed over, once";

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(sot_certificate *certificate, const char *format, ...)
{
    const size_t used = strlen(certificate->statement);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(certificate->statement + used, sizeof certificate->statement - used,
                    format, arguments);
    va_end(arguments);
}

/* "whether or not any one row is in the data" */
static void add_neighbours(sot_certificate *certificate)
{
    const char *unit = certificate->facts.unit;
    if (sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE) {
        add(certificate, "whatever the data say of any one %s, ", unit);
    } else {
        add(certificate, "whether or not any one %s is in the data, ", unit);
    }
}

static void add_guarantee(sot_certificate *certificate)
{
    const sot_claims *claims = &certificate->claims;
    const char *are = certificate->is_secure ? "is" : "would be";
    char epsilon[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES], factor[SOT_SHOWN_BYTES + 2];
    (void)sot_shown_up(claims->epsilon, DIGITS, epsilon);
    (void)sot_shown_up(claims->delta, DIGITS, delta);
    const double times = sot_exp_up(claims->epsilon);
    if (isfinite(times)) {
        (void)sot_shown_up(times, DIGITS, factor);
    } else {
        (void)snprintf(factor, sizeof factor, "e^%s", epsilon);
    }
    if (claims->delta == 0.0) {
        add(certificate, "%s %s-differentially private (pure): ", are, epsilon);
    } else {
        add(certificate, "%s (%s, %s)-differentially private: ", are, epsilon, delta);
    }
    add_neighbours(certificate);
    add(certificate, "no outcome becomes more than %s times as likely", factor);
    if (claims->delta == 0.0) {
        add(certificate, ".");
    } else {
        add(certificate, ", plus a probability of at most %s.", delta);
    }
}

/* Line 2 of the attack table, as a sentence. A file keeps the words of its time: `former` are those of sotto 0.1.0. */
static void add_attack(sot_certificate *certificate, bool former)
{
    char wrong[SOT_SHOWN_BYTES], right[SOT_SHOWN_BYTES];
    (void)sot_shown_percent_whole(sot_false_positive_rates[1], wrong);
    (void)sot_shown_percent_up(certificate->claims.true_positive_rates[1], PERCENT_DIGITS,
                               right);
    if (sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE) {
        add(certificate,
            former
                ? " Whoever tests a guess about one of them and believes at most %s of "
                  "wrong guesses will believe at most %s of right ones."
                : " An attack that tests a guess about one of them with a false positive "
                  "rate of at most %s has a true positive rate of at most %s.",
            wrong, right);
    } else {
        add(certificate,
            former ? " Whoever tries to tell who is in the data, and wrongly accuses at "
                     "most %s of those who are not, will recognise at most %s of those "
                     "who are."
                   : " A membership attack with a false positive rate of at most %s has "
                     "a true positive rate of at most %s.",
            wrong, right);
    }
}

static void add_measures(sot_certificate *certificate)
{
    const sot_claims *claims = &certificate->claims;
    char mu[SOT_SHOWN_BYTES], rho[SOT_SHOWN_BYTES];
    if (claims->delta == 0.0 || isnan(claims->rho)) return;
    const char *also = certificate->is_secure ? "is also" : "would also be";
    const char *less = certificate->sampler_error > 0.0
                           ? ", but for the error of the sampler, which delta includes"
                           : "";
    (void)sot_shown_up(claims->rho, DIGITS, rho);
    if (isnan(claims->mu)) {
        add(certificate, " It %s %s-zCDP%s.", also, rho, less);
    } else {
        add(certificate, " It %s %s-GDP and %s-zCDP%s.", also,
            sot_shown_up(claims->mu, DIGITS, mu), rho, less);
    }
}

static void write_in(bool former, sot_certificate *certificate)
{
    const char *output = certificate->facts.output;
    certificate->statement[0] = '\0';
    if (certificate->is_secure) {
        add(certificate, "This release (%s) ", output);
    } else {
        add(certificate,
            former ? "NOT PRIVATE: the noise came from a test seed, and whoever knows "
                     "the seed can take the noise off again. With noise from the "
                     "operating system this release (%s) "
                   : "NOT PRIVATE: the noise came from a test seed, and anyone with the "
                     "seed can remove it. With noise from the operating system this "
                     "release (%s) ",
            output);
    }
    add_guarantee(certificate);
    add_attack(certificate, former);
    add_measures(certificate);
}

void sot_statement_write(sot_certificate *certificate)
{
    write_in(false, certificate);
}

void sot_statement_write_like(sot_certificate *certificate, const char *stated)
{
    write_in(true, certificate);
    if (strcmp(certificate->statement, stated) != 0) write_in(false, certificate);
}
