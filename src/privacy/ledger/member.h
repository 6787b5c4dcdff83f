/* ledger/member.h: the members of a ledger: each adds up the cost of all runs by its own rule.
 *
 * Claim     ledger.md, section "Several members": a history that at least one member covers is
 *           (epsilon, delta)-DP. Here delta is the sum of the members' parts and the part for own
 *           deltas. Every member counts every run.
 * Missing   A run without a price in a member costs it +infinity. That is a flag, never a large
 *           number: the member covers nothing from then on, after any grant.
 */
#ifndef SOT_LEDGER_MEMBER_H
#define SOT_LEDGER_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/ledger.h>

/* No price: +infinity. */
enum { SOT_MISSING = -1 };

typedef struct sot_member {
    sotto_member_kind kind;
    uint32_t weight; /* its part of the members' delta: weight over the sum of weights */
    double order;    /* of a Renyi member; NaN otherwise */
    double delta;    /* grants included, rounded down */
    int64_t budget;  /* 10^-12 for basic, 2^-40 for the others */
    int64_t delta_budget; /* basic: 2^-62 */
    int64_t spent;        /* the same units */
    int64_t delta_spent;
    bool missing; /* some run had no price */
} sot_member;

typedef struct sot_members {
    size_t count;
    sot_member at[SOTTO_LEDGER_MEMBERS_MAX];
} sot_members;

/* The budget that members are made for. */
typedef struct sot_budget {
    double epsilon, delta, own_delta, rho; /* rho NaN: an (epsilon, delta) budget */
} sot_budget;

/* Fills in the members of a new ledger, without their budgets. `order` NaN: the best one. */
void sot_members_choose(const sot_budget *budget, sotto_ledger_filter filter,
                        double order, sot_members *out_members);

/* Fills in every member's delta and budgets for this budget. SOTTO_INVALID_ARGUMENT: one of them has no room at all. */
SOTTO_MUST_CHECK sotto_status sot_members_price(const sot_budget *budget,
                                                sot_members *members, sotto_error *error);

/* True if the sums are within the budgets and no run lacked a price. Own deltas are the ledger's to check. */
bool sot_member_covers(const sot_member *member);

/* True for members whose prices leave out the runs' own deltas: all but basic, whose points contain them. */
bool sot_member_needs_own_deltas(const sot_member *member);

/* An amount as a double: `up` or down. */
double sot_member_value(const sot_member *member, int64_t amount, bool up);

/* The epsilon at the ledger's delta that the sums of this member guarantee, rounded up; infinite if it covers nothing. */
double sot_member_epsilon_upper(const sot_member *member);

/* The part of the budget that is left, between 0 and 1; negative if it does not cover. */
double sot_member_share_left(const sot_member *member);

#endif
