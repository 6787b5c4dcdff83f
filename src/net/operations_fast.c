/* The best operations that this processor has. */
#include "net/operations.h"

const sot_operations *sot_operations_fast(void)
{
    return sot_operations_plain();
}
