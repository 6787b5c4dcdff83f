/* Which method, from public facts alone. */
#include <math.h>

#include "learn/erm/erm.h"

sotto_method sot_erm_choose(const sotto_train_config *config, const char **out_why)
{
    /* One release of sensitivity R whatever the dimension and the number of rows, and the
     * determinant costs nothing (objective.md); output perturbation pays L/lambda, gradient
     * descent asks for a number of rows and a step size. */
    *out_why =
        isnan(config->delta)
            ? "no delta was given, and objective perturbation is the pure method "
              "with the least noise"
            : "for a convex loss with a norm bound objective perturbation needs the "
              "least noise, and no guess of the number of rows";
    return SOTTO_METHOD_OBJECTIVE;
}
