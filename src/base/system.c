#include <sotto/system.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sodium.h>
#include <sqlite3.h>
#include <zlib.h>

#include <sotto/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define IS_X86 1
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define IS_ARM64 1
#endif

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

static void append_word(char *list, size_t size_bytes, const char *between,
                        const char *word)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, size_bytes - used, "%s%s", used > 0 ? between : "", word);
}

/* From the compiler's own macros, so that it is the truth about this object code. */
static void describe_build(sotto_system *system)
{
#if defined(__clang__)
    (void)snprintf(system->compiler, sizeof system->compiler, "%s", __VERSION__);
#else
    (void)snprintf(system->compiler, sizeof system->compiler, "gcc %s", __VERSION__);
#endif
    char *build = system->build;
    const size_t room = sizeof system->build;
#ifdef __OPTIMIZE__
    append_word(build, room, ", ", "optimised");
#else
    append_word(build, room, ", ", "not optimised");
#endif
#ifdef NDEBUG
    append_word(build, room, ", ", "assertions off");
#else
    append_word(build, room, ", ", "assertions on");
#endif
#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE > 0
    append_word(build, room, ", ", "fortified");
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
    append_word(build, room, ", ", "address sanitizer");
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
    append_word(build, room, ", ", "thread sanitizer");
#endif
#ifdef SOTTO_TESTING
    append_word(build, room, ", ", "for tests");
#endif
}

static void add_part(sotto_system *system, const char *name, const char *version)
{
    sotto_system_part *part = &system->parts[system->part_count++];
    (void)snprintf(part->name, sizeof part->name, "%s", name);
    (void)snprintf(part->version, sizeof part->version, "%s", version);
}

static void describe_parts(sotto_system *system)
{
    add_part(system, "libsodium", sodium_version_string());
    add_part(system, "sqlite", sqlite3_libversion());
    add_part(system, "zlib", zlibVersion());
}

static void describe_kernel(sotto_system *system)
{
    struct utsname kernel;
    if (uname(&kernel) != 0) {
        (void)snprintf(system->operating_system, sizeof system->operating_system,
                       "unknown");
        return;
    }
    append_word(system->operating_system, sizeof system->operating_system, "",
                kernel.sysname);
    append_word(system->operating_system, sizeof system->operating_system, " ",
                kernel.release);
    append_word(system->operating_system, sizeof system->operating_system, " ",
                kernel.machine);
}

/* The value of "model name : ..." in /proc/cpuinfo. */
static void describe_cpu_model(sotto_system *system)
{
    (void)snprintf(system->cpu_model, sizeof system->cpu_model, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file == NULL) return;
    char line[256];
    for (int i = 0; i < 32 && fgets(line, sizeof line, file) != NULL; i++) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        line[strcspn(line, "\n")] = '\0';
        (void)sot_printable(colon + 1 + strspn(colon + 1, " "), system->cpu_model,
                            sizeof system->cpu_model);
        break;
    }
    (void)fclose(file);
}

static void add_feature(sotto_system *system, bool present, const char *name)
{
    if (present)
        append_word(system->cpu_features, sizeof system->cpu_features, " ", name);
}

static void describe_cpu_features(sotto_system *system)
{
#if defined(IS_X86)
    /* __builtin_cpu_supports also asks whether the kernel saves the registers. */
    __builtin_cpu_init();
    add_feature(system, __builtin_cpu_supports("sse2"), "sse2");
    add_feature(system, __builtin_cpu_supports("ssse3"), "ssse3");
    add_feature(system, __builtin_cpu_supports("sse4.2"), "sse4.2");
    add_feature(system, __builtin_cpu_supports("avx"), "avx");
    add_feature(system, __builtin_cpu_supports("avx2"), "avx2");
    add_feature(system, __builtin_cpu_supports("fma"), "fma");
    add_feature(system, __builtin_cpu_supports("bmi2"), "bmi2");
    add_feature(system, __builtin_cpu_supports("avx512f"), "avx512f");
    add_feature(system, __builtin_cpu_supports("avx512dq"), "avx512dq");
    add_feature(system, __builtin_cpu_supports("avx512vl"), "avx512vl");
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        system->has_rdrand = (ecx & bit_RDRND) != 0;
        add_feature(system, (ecx & bit_AES) != 0, "aes");
    }
    add_feature(system, system->has_rdrand, "rdrand");
#elif defined(IS_ARM64)
    const unsigned long capabilities = getauxval(AT_HWCAP);
    add_feature(system, (capabilities & HWCAP_ASIMD) != 0, "asimd");
    add_feature(system, (capabilities & HWCAP_SVE) != 0, "sve");
    add_feature(system, (capabilities & HWCAP_AES) != 0, "aes");
#endif
    if (system->cpu_features[0] == '\0')
        (void)snprintf(system->cpu_features, sizeof system->cpu_features, "unknown");
}

/* One byte, without waiting; the byte is thrown away. */
static void describe_entropy(sotto_system *system)
{
    unsigned char byte;
    char text[64];
    const ssize_t got = getrandom(&byte, 1, GRND_NONBLOCK);
    const int code = errno;
    sot_wipe(&byte, sizeof byte);
    system->entropy_ready = got == 1;
    if (got == 1) {
        (void)snprintf(system->entropy, sizeof system->entropy, "getrandom: ready");
    } else if (got < 0 && code == EAGAIN) {
        (void)snprintf(system->entropy, sizeof system->entropy,
                       "getrandom: the kernel has not gathered enough entropy yet");
    } else {
        (void)snprintf(system->entropy, sizeof system->entropy, "getrandom: %s",
                       sot_errno_text(code, text, sizeof text));
    }
}

static void describe_limits(sotto_system *system)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const long page = sysconf(_SC_PAGESIZE);
    system->cpu_count = cpus > 0 ? (uint32_t)cpus : 0;
    system->page_bytes = page > 0 ? (uint64_t)page : 0;
    struct rlimit core;
    system->core_limit_bytes =
        UINT64_MAX; /* unknown counts as unlimited: the unsafe case */
    if (getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur != RLIM_INFINITY)
        system->core_limit_bytes = (uint64_t)core.rlim_cur;
    if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0) system->core_limit_bytes = 0;
}

sotto_status sotto_system_describe(sotto_system *out_system, sotto_error *error)
{
    if (out_system == NULL)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "out_system is NULL; give a sotto_system to fill");
    memset(out_system, 0, sizeof *out_system);
    (void)snprintf(out_system->version, sizeof out_system->version, "%s",
                   sotto_version());
    describe_build(out_system);
    describe_parts(out_system);
    describe_kernel(out_system);
    describe_cpu_model(out_system);
    describe_cpu_features(out_system);
    describe_entropy(out_system);
    describe_limits(out_system);
    return SOTTO_OK;
}
