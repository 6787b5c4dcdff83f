/* tests/data/files.h: data files and schemas of the tests of the readers. */
#ifndef SOTTO_TESTS_DATA_FILES_H
#define SOTTO_TESTS_DATA_FILES_H

#include "support.h"

#include <unistd.h>
#include <zlib.h>

#include <sotto/schema.h>

/* Writes a file; the path is good until the next call. */
static inline const char *write_bytes(const char *name, const char *bytes,
                                      size_t size_bytes)
{
    static char path[160];
    snprintf(path, sizeof path, "/tmp/sotto_data_test_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The same, packed. */
static inline const char *write_packed(const char *name, const char *bytes,
                                       size_t size_bytes)
{
    static char path[160];
    snprintf(path, sizeof path, "/tmp/sotto_data_test_%ld_%s", (long)getpid(), name);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, bytes, (unsigned)size_bytes), (int)size_bytes);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static inline sotto_schema *parse_schema(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    return schema;
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static inline uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

#endif
