/* privacy/accounting/profile/bracket.h: two ends around an exact value, and the two directions of neighbours. */
#ifndef SOT_PRIVACY_ACCOUNTING_PROFILE_BRACKET_H
#define SOT_PRIVACY_ACCOUNTING_PROFILE_BRACKET_H

typedef struct sot_bracket {
    double lower;
    double upper;
} sot_bracket;

/* Which of the two neighbours is the first distribution of the pair. Every event of a plan
 * is taken in the same direction; the answer is the worse of the two. */
typedef enum sot_direction {
    SOT_REMOVE = 0, /* the data set with the record against the one without */
    SOT_ADD = 1
} sot_direction;

#endif
