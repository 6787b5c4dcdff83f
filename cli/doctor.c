/* sotto doctor: what is installed, and whether it is secure. */
#include <stdio.h>
#include <string.h>

#include <sotto/rng.h>
#include <sotto/system.h>

#include "commands.h"
#include "output.h"

/* Libraries that parts of sotto can be built with; a part the library does not report is not
 * in this build. */
static const char *const optional_parts[] = {"openblas", "sqlite", "zlib",
                                             "duckdb",   "libpq",  "mpi"};
enum { OPTIONAL_PART_COUNT = sizeof optional_parts / sizeof optional_parts[0] };

typedef struct findings {
    sotto_system system;
    bool rng_secure;   /* a generator was made and is keyed by the system */
    sotto_error cause; /* why not */
} findings;

/* Does what every private release does first: keys a generator from the system. */
static void try_generator(findings *found)
{
    sotto_rng *rng = NULL;
    if (sotto_rng_new(&rng, &found->cause) == SOTTO_OK) {
        found->rng_secure = sotto_rng_is_secure(rng);
    }
    sotto_rng_free(rng);
}

static bool has_part(const sotto_system *system, const char *name)
{
    for (uint32_t i = 0; i < system->part_count; i++) {
        if (strstr(system->parts[i].name, name) != NULL) return true;
    }
    return false;
}

static sotto_status show_json(const findings *found, sotto_error *error)
{
    const sotto_system *system = &found->system;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_flag(json, "secure", found->rng_secure && system->entropy_ready);
    sotto_json_flag(json, "entropy_ready", system->entropy_ready);
    sotto_json_flag(json, "generator_secure", found->rng_secure);
    sotto_json_text(json, "version", system->version);
    sotto_json_text(json, "compiler", system->compiler);
    sotto_json_text(json, "build", system->build);
    sotto_json_text(json, "operating_system", system->operating_system);
    sotto_json_text(json, "cpu_model", system->cpu_model);
    sotto_json_count(json, "cpu_count", system->cpu_count);
    sotto_json_text(json, "cpu_features", system->cpu_features);
    sotto_json_text(json, "entropy", system->entropy);
    sotto_json_flag(json, "core_dumps", system->core_limit_bytes != 0);
    sotto_json_object(json, "parts");
    for (uint32_t i = 0; i < system->part_count; i++)
        sotto_json_text(json, system->parts[i].name, system->parts[i].version);
    sotto_json_end(json);
    sotto_json_array(json, "absent");
    for (size_t i = 0; i < OPTIONAL_PART_COUNT; i++)
        if (!has_part(system, optional_parts[i]))
            sotto_json_text(json, NULL, optional_parts[i]);
    sotto_json_end(json);
    return cli_json_print(json, error);
}

static void show_parts(const sotto_system *system)
{
    char line[512] = "none";
    size_t used = 0;
    for (uint32_t i = 0; i < system->part_count && used < sizeof line; i++) {
        const int written =
            snprintf(line + used, sizeof line - used, "%s%s %s", i == 0 ? "" : ", ",
                     system->parts[i].name, system->parts[i].version);
        if (written > 0) used += (size_t)written;
    }
    cli_line("libraries", "%s", line);
    used = 0;
    (void)snprintf(line, sizeof line, "nothing");
    for (size_t i = 0; i < OPTIONAL_PART_COUNT && used < sizeof line; i++) {
        if (has_part(system, optional_parts[i])) continue;
        const int written = snprintf(line + used, sizeof line - used, "%s%s",
                                     used == 0 ? "" : ", ", optional_parts[i]);
        if (written > 0) used += (size_t)written;
    }
    cli_line("absent", "%s", line);
}

static void show_text(const findings *found)
{
    const sotto_system *system = &found->system;
    cli_line("sotto", "%s (%s, %s)", system->version, system->compiler, system->build);
    cli_line("system", "%s", system->operating_system);
    cli_line("processor", "%s, %lu online", system->cpu_model,
             (unsigned long)system->cpu_count);
    cli_line("features", "%s", system->cpu_features);
    show_parts(system);
    cli_line("entropy", "%s", system->entropy);
    cli_line("generator", "%s",
             found->rng_secure ? "secure, keyed by the system" : "NOT SECURE");
    cli_line("core dumps", "%s",
             system->core_limit_bytes == 0
                 ? "off for this command"
                 : "on: a crash may write secrets to disk; ulimit -c 0 turns them off");
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    findings found = {.cause = {.status = SOTTO_OK}};
    sotto_status status = sotto_system_describe(&found.system, error);
    if (status != SOTTO_OK) return status;
    try_generator(&found);
    if (cli_flag(call, "json")) {
        status = show_json(&found, error);
        if (status != SOTTO_OK) return status;
    } else {
        show_text(&found);
    }
    if (!found.system.entropy_ready) {
        return cli_fail(
            error, SOTTO_ENTROPY,
            "the system's random source is not ready (%s); release nothing here",
            found.system.entropy);
    }
    if (!found.rng_secure) {
        return cli_fail(error, SOTTO_ENTROPY, "no secure generator: %.200s",
                        found.cause.message);
    }
    return SOTTO_OK;
}

const cli_command cli_doctor = {
    .name = "doctor",
    .summary = "Show what is installed and whether it is secure",
    .details =
        "Exit code 0: noise made here is secure; 1: something it needs is missing.",
    .example = "sotto doctor",
    .run = run,
};
