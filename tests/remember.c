/* Answers of the accountant, remembered: for programs that train a thousand times under one plan.
 *
 * Idea        An answer is a function of the plan and the question, and of nothing else; what takes the
 *             time of a small training is to ask again what was asked before. Linked with
 *             -Wl,--wrap=NAME for each function below, every question is put to the accountant once. The
 *             key is the whole question: the plan's canonical JSON, whose numbers read back as the same
 *             bits, and the other arguments in hexadecimal. A plan that a record had moved is
 *             another question, and gets its own answer.
 * Errors      A refusal is not remembered. Every 256th answer is asked for again, and the program ends if
 *             it is not the same to the bit.
 * Threads     One.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/accountant.h>

enum { PLACES = 1 << 16, ASKED_AGAIN = 256 };

typedef struct answer {
    char *question;
    double noise_multiplier;
    sotto_account account;
} answer;

static answer answers[PLACES]; /* open addressing */
static size_t answer_count, found_count;

#define WRAPPED(name) __real_##name
#define WRAPPER(name) __wrap_##name

sotto_status WRAPPED(sotto_account_epsilon)(const sotto_plan *plan,
                                            sotto_accountant accountant, double delta,
                                            sotto_account *out_account,
                                            sotto_error *error);
sotto_status WRAPPER(sotto_account_epsilon)(const sotto_plan *plan,
                                            sotto_accountant accountant, double delta,
                                            sotto_account *out_account,
                                            sotto_error *error);
sotto_status WRAPPED(sotto_account_noise)(const sotto_plan *plan,
                                          sotto_accountant accountant, double epsilon,
                                          double delta, double *out_noise_multiplier,
                                          sotto_account *out_account, sotto_error *error);
sotto_status WRAPPER(sotto_account_noise)(const sotto_plan *plan,
                                          sotto_accountant accountant, double epsilon,
                                          double delta, double *out_noise_multiplier,
                                          sotto_account *out_account, sotto_error *error);

/* NULL if there is no such text: the accountant is asked, and says why. Free it. */
static char *question_of(const char *name, const sotto_plan *plan,
                         sotto_accountant accountant, double epsilon, double delta)
{
    char *json = NULL;
    sotto_error error = {0};
    if (sotto_plan_to_json(plan, &json, &error) != SOTTO_OK) return NULL;
    const size_t size = strlen(json) + 128;
    char *question = malloc(size);
    if (question != NULL)
        (void)snprintf(question, size, "%s %d %a %a %s", name, (int)accountant, epsilon,
                       delta, json);
    sotto_free(json);
    return question;
}

/* Its place, or the empty one where it belongs. */
static answer *place_of(const char *question)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *at = question; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    size_t place = (size_t)(hash % PLACES);
    while (answers[place].question != NULL &&
           strcmp(answers[place].question, question) != 0)
        place = (place + 1) % PLACES;
    return &answers[place];
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_account(const sotto_account *a, const sotto_account *b)
{
    return same_bits(a->epsilon, b->epsilon) &&
           same_bits(a->epsilon_lower, b->epsilon_lower) &&
           same_bits(a->delta, b->delta) && same_bits(a->delta_lower, b->delta_lower) &&
           same_bits(a->order, b->order) && a->accountant == b->accountant &&
           a->kernel == b->kernel && a->adjacency == b->adjacency;
}

typedef struct asked {
    const sotto_plan *plan;
    sotto_accountant accountant;
    double epsilon, delta;
    bool is_noise;
} asked;

static sotto_status ask(const asked *question, answer *out, sotto_error *error)
{
    if (question->is_noise)
        return WRAPPED(sotto_account_noise)(question->plan, question->accountant,
                                            question->epsilon, question->delta,
                                            &out->noise_multiplier, &out->account, error);
    return WRAPPED(sotto_account_epsilon)(question->plan, question->accountant,
                                          question->delta, &out->account, error);
}

static void expect_the_same(const asked *question, const answer *known)
{
    answer again = *known;
    sotto_error error = {0};
    if (ask(question, &again, &error) == SOTTO_OK &&
        same_bits(again.noise_multiplier, known->noise_multiplier) &&
        same_account(&again.account, &known->account))
        return;
    (void)fprintf(stderr, "the accountant answers differently: %s\n", known->question);
    abort();
}

static sotto_status remember(const asked *question, answer *out, sotto_error *error)
{
    *out = (answer){0};
    char *text = question_of(question->is_noise ? "noise" : "epsilon", question->plan,
                             question->accountant, question->epsilon, question->delta);
    if (text == NULL) return ask(question, out, error);
    answer *place = place_of(text);
    if (place->question != NULL) {
        free(text);
        if (++found_count % ASKED_AGAIN == 0) expect_the_same(question, place);
        *out = *place;
        return SOTTO_OK;
    }
    const sotto_status status = ask(question, out, error);
    if (status != SOTTO_OK || answer_count >= PLACES / 2) {
        free(text);
        return status;
    }
    answer_count++;
    *place = *out;
    place->question = text;
    return SOTTO_OK;
}

sotto_status WRAPPER(sotto_account_epsilon)(const sotto_plan *plan,
                                            sotto_accountant accountant, double delta,
                                            sotto_account *out_account,
                                            sotto_error *error)
{
    const asked question = {plan, accountant, 0.0, delta, false};
    answer found;
    const sotto_status status = remember(&question, &found, error);
    if (status == SOTTO_OK) *out_account = found.account;
    return status;
}

sotto_status WRAPPER(sotto_account_noise)(const sotto_plan *plan,
                                          sotto_accountant accountant, double epsilon,
                                          double delta, double *out_noise_multiplier,
                                          sotto_account *out_account, sotto_error *error)
{
    const asked question = {plan, accountant, epsilon, delta, true};
    answer found;
    const sotto_status status = remember(&question, &found, error);
    if (status != SOTTO_OK) return status;
    *out_noise_multiplier = found.noise_multiplier;
    *out_account = found.account;
    return SOTTO_OK;
}
