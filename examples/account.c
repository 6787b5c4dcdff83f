/* What a training run costs, from C.
 *
 *   cc account.c $(pkg-config --cflags --libs sotto) -o account && ./account
 */
#include <stdio.h>

#include <sotto/accountant.h>

int main(void)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_plan *plan = NULL;
    sotto_account account;

    /* 60 epochs over 60000 records, in Poisson batches of about 256. */
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = 1.1;
    event.sampling = SOTTO_POISSON;
    event.rate = 256.0 / 60000.0;
    event.count = 14063;

    sotto_status status = sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, &error);
    if (status == SOTTO_OK) {
        status = sotto_account_epsilon(plan, SOTTO_EXACT, 1e-5, &account, &error);
    }
    sotto_plan_free(plan);
    if (status != SOTTO_OK) {
        fprintf(stderr, "%s: %s\n", sotto_status_name(status), error.message);
        return 1;
    }
    printf("epsilon is between %.6f and %.6f at delta %g\n", account.epsilon_lower,
           account.epsilon, account.delta);
    return 0;
}
