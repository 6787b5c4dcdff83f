#include "models/linear/losses/loss.h"

double sot_loss_sum(const sot_loss *loss, const double *margins, const double *labels,
                    size_t count)
{
    if (loss->sum != NULL) return loss->sum(loss, margins, labels, count);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sot_loss_at at;
        loss->at(loss, margins[i], labels[i], &at);
        sum += at.value;
    }
    return sum;
}
