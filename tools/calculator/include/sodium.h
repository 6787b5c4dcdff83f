/* The one function of libsodium that the accountant's memory module calls. */
#ifndef SOTTO_CALCULATOR_SODIUM_H
#define SOTTO_CALCULATOR_SODIUM_H

#include <stddef.h>

void sodium_memzero(void *memory, size_t size_bytes);

#endif
