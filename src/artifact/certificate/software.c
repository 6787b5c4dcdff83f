/* The software of a computation: the version, the build, and the libraries that affect
 * the last bits. */
#include <stdio.h>
#include <string.h>

#include <sotto/system.h>

#include "artifact/certificate/certificate.h"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

/* The C library's exp and log are within an ulp, but not the same everywhere. They depend on its
 * version and, through fused multiply-add, on the processor. */
static void describe_arithmetic(const sotto_system *system, char *out, size_t size_bytes)
{
#if defined(__GLIBC__)
    const char *const library = gnu_get_libc_version();
    const char *const name = "glibc ";
#else
    const char *const library = "", *const name = "another C library";
#endif
#if defined(__x86_64__)
    const char *const machine = "x86-64";
#elif defined(__aarch64__)
    const char *const machine = "arm64";
#else
    const char *const machine = "another processor";
#endif
    const bool fused = strstr(system->cpu_features, "fma") != NULL;
    (void)snprintf(out, size_bytes, "%s%s, %s%s", name, library, machine,
                   fused ? " with fma" : "");
}

sotto_status sot_software_describe(sot_software *out_software, sotto_error *error)
{
    sotto_system system;
    const sotto_status status = sotto_system_describe(&system, error);
    if (status != SOTTO_OK) return status;
    (void)snprintf(out_software->version, sizeof out_software->version, "%s",
                   system.version);
    (void)snprintf(out_software->build, sizeof out_software->build, "%s, %s",
                   system.compiler, system.build);
    describe_arithmetic(&system, out_software->arithmetic,
                        sizeof out_software->arithmetic);
    return SOTTO_OK;
}
