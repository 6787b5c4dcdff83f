/* sotto/system.h: the machine and the build, as far as they bear on trust and speed.
 *
 * For `sotto doctor`, bug reports and the head of a benchmark. It reads no data file, opens
 * nothing for writing and never waits.
 */
#ifndef SOTTO_SYSTEM_H
#define SOTTO_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_SYSTEM_PARTS_MAX = 16 };

/* A library sotto runs on, in the version that is loaded now. */
typedef struct sotto_system_part {
    char name[32];
    char version[64];
} sotto_system_part;

/* Texts are truncated to their buffer and end in NUL; "unknown" if the system does not state it. */
typedef struct sotto_system {
    char version[32];           /* of libsotto */
    char compiler[96];          /* that built it */
    char build[96];             /* for example "optimised, assertions on" */
    char operating_system[128]; /* name, release and machine of the kernel */
    char cpu_model[96];
    char cpu_features[192]; /* those that matter for speed, in lower case, by blanks */
    char entropy[96];       /* the random source's state in a sentence */
    bool entropy_ready; /* getrandom() answers at once: the kernel's source is seeded */
    bool has_rdrand;    /* the CPU feeds the kernel with random bits */
    uint32_t cpu_count; /* online */
    uint32_t part_count;
    uint64_t page_bytes;
    uint64_t
        core_limit_bytes; /* of core dumps, which hold secrets; UINT64_MAX: no limit; 0: none, also because this process
                             is not dumpable (prctl(2), PR_SET_DUMPABLE) */
    sotto_system_part parts[SOTTO_SYSTEM_PARTS_MAX];
} sotto_system;

/* Fills every field. SOTTO_INVALID_ARGUMENT if `out_system` is NULL; no other failure.
 * Unknown values are "unknown" or 0. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_system_describe(sotto_system *out_system,
                                                              sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
