/* tests/data/arrays.h: bytes of NPY and IDX files. */
#ifndef SOTTO_TESTS_DATA_ARRAYS_H
#define SOTTO_TESTS_DATA_ARRAYS_H

#include "data/files.h"

typedef struct array_bytes {
    char bytes[4096];
    size_t size;
} array_bytes;

static inline void add_bytes(array_bytes *to, const void *bytes, size_t size)
{
    assert_true(to->size + size <= sizeof to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* The low `size` bytes of `bits`. */
static inline void add_bits(array_bytes *to, uint64_t bits, size_t size, bool big_endian)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte =
            (unsigned char)(bits >> 8 * (big_endian ? size - 1 - i : i));
        add_bytes(to, &byte, 1);
    }
}

/* Magic, version, length and the dictionary as it stands. */
static inline array_bytes npy_of(const char *dictionary, unsigned char version)
{
    array_bytes out = {.size = 0};
    const unsigned char numbers[2] = {version, 0};
    add_bytes(&out, "\x93NUMPY", 6);
    add_bytes(&out, numbers, 2);
    add_bits(&out, strlen(dictionary), version == 1 ? 2 : 4, false);
    add_bytes(&out, dictionary, strlen(dictionary));
    return out;
}

static inline array_bytes idx_of(unsigned char kind, unsigned char dimensions,
                                 const uint32_t *lengths)
{
    array_bytes out = {.size = 0};
    const unsigned char begin[4] = {0, 0, kind, dimensions};
    add_bytes(&out, begin, 4);
    for (size_t i = 0; i < dimensions; i++)
        add_bits(&out, lengths[i], 4, true);
    return out;
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
