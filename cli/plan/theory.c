#include "plan/theory.h"

#include <math.h>
#include <stdio.h>

#include "frame/output.h"

sotto_status plan_theory_find(const cli_call *call, const sotto_training *training,
                              plan_theory *out_theory, sotto_error *error)
{
    *out_theory = (plan_theory){.asked = cli_flag(call, "theory")};
    if (!out_theory->asked) {
        static const char *const parts[] = {"excess", "failure"};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (!cli_given(call, parts[i])) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is of the theory; add --theory", parts[i]);
        }
        return SOTTO_OK;
    }
    if (cli_given(call, "failure") && !cli_given(call, "excess")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--failure is of a sample size; add --excess, for example "
                        "--excess 0.01");
    }
    sotto_status status = sotto_training_theory(training, &out_theory->setting, error);
    if (status != SOTTO_OK) return status;
    if (cli_given(call, "excess")) {
        out_theory->setting.excess = cli_number(call, "excess");
        out_theory->setting.failure = cli_number(call, "failure");
    }
    return sotto_theory_bound(&out_theory->setting, &out_theory->bounds, error);
}

static void line(const char *name, double value, const char *what)
{
    char shown[CLI_NUMBER_BYTES];
    if (isnan(value)) return;
    printf("  %-24s %-12s %s\n", name, cli_rounded_up(value, 4, shown), what);
}

void plan_theory_text(const plan_theory *theory)
{
    const sotto_theory_setting *s = &theory->setting;
    const sotto_theory_bounds *b = &theory->bounds;
    char what[120];
    printf("\ntheory: expected excess of the mean loss on the rows, at most, if the best "
           "coefficients have norm at most %g\n",
           s->radius);
    printf("(worst cases over all data: they show the growth with the settings, not "
           "typical errors)\n");
    (void)snprintf(what, sizeof what,
                   "by a lambda of %.4g, where the determinant costs nothing",
                   b->objective_lambda);
    line("objective", b->objective, what);
    (void)snprintf(what, sizeof what, "by a lambda of %.4g", b->output_lambda);
    line("output", b->output, what);
    (void)snprintf(what, sizeof what, "after %.4g steps", b->gradient_steps);
    line("gd", b->gradient_convex, what);
    (void)snprintf(what, sizeof what, "with the regulariser of lambda %g, same steps",
                   s->lambda);
    line("gd, strongly convex", b->gradient_strong, what);
    line("regularised exponential", b->exponential_regularized,
         "grows with the square root of the dimension, like the others");
    line("exponential, pure", b->exponential_pure, "grows with the dimension");
    line("generalisation", b->generalization,
         "risk less mean loss on the rows, for losses within [0, 1]");
    if (isnan(s->excess)) return;
    printf("\nrows for an excess of %g, missed with probability %g at most\n", s->excess,
           s->failure);
    line("objective", b->rows_needed, "on the rows, with its constant");
    line("lecture 003", b->order_rows_printed,
         "of the risk, up to a constant, as printed: p log(p/b)");
    line("lecture 003, corrected", b->order_rows_corrected,
         "the same with the factor of Gaussian noise: sqrt(p log(1/b))");
    line("without privacy", b->order_rows_not_private, "of the risk, up to a constant");
}

void plan_add_theory(sotto_json_writer *json, const plan_theory *theory)
{
    const sotto_theory_setting *s = &theory->setting;
    const sotto_theory_bounds *b = &theory->bounds;
    const struct {
        const char *name;
        double value;
    } members[] = {{"radius", s->radius},
                   {"mu", b->mu},
                   {"objective", b->objective},
                   {"objective_lambda", b->objective_lambda},
                   {"output", b->output},
                   {"output_lambda", b->output_lambda},
                   {"gradient_convex", b->gradient_convex},
                   {"gradient_steps", b->gradient_steps},
                   {"gradient_strong", b->gradient_strong},
                   {"exponential_regularized", b->exponential_regularized},
                   {"exponential_pure", b->exponential_pure},
                   {"generalization", b->generalization},
                   {"rows_needed", b->rows_needed},
                   {"order_rows_printed", b->order_rows_printed},
                   {"order_rows_corrected", b->order_rows_corrected},
                   {"order_rows_not_private", b->order_rows_not_private}};
    sotto_json_object(json, "theory");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        sotto_json_number(json, members[i].name, members[i].value);
    sotto_json_end(json);
}
