#include "commands/pate/poll.h"

#include <assert.h>
#include <string.h>

void sot_pate_count_votes(const uint16_t *said, size_t teachers, size_t queries,
                          size_t classes, int64_t *out_votes)
{
    memset(out_votes, 0, queries * classes * sizeof *out_votes);
    for (size_t teacher = 0; teacher < teachers; teacher++) {
        for (size_t query = 0; query < queries; query++) {
            const size_t class = said[teacher * queries + query];
            assert(class < classes);
            out_votes[query * classes + class]++;
        }
    }
}

size_t sot_pate_own_label(const double *probabilities, size_t classes, double confidence)
{
    size_t best = 0;
    for (size_t i = 1; i < classes; i++)
        if (probabilities[i] > probabilities[best]) best = i;
    return probabilities[best] >= confidence ? best : classes;
}
