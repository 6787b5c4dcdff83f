/* The attack table: the meaning of an epsilon for one person. */
#include <sotto/accountant.h>

#include "commands/start/parts.h"

const double sot_start_rates[SOT_START_RATES] = {0.001, 0.01, 0.1};

double sot_start_attack(const sot_start *start, double epsilon, double rate)
{
    const sotto_account pair = {.epsilon = epsilon, .delta = start->config.delta};
    return sotto_account_attack(&pair, 1, rate);
}

void sot_start_fill_epsilons(sot_start *start)
{
    static const double usual[] = {0.1, 0.5, 1.0, 2.0, 4.0, 8.0};
    double proposed = start->config.epsilon;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        if (proposed < usual[i]) start->epsilons[start->epsilon_count++] = proposed;
        if (proposed <= usual[i]) proposed = SOTTO_UNSET;
        start->epsilons[start->epsilon_count++] = usual[i];
    }
    if (proposed > 0.0) start->epsilons[start->epsilon_count++] = proposed;
}
