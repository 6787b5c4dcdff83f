/* sotto doctor: the installation and its security. */
#include <stdio.h>
#include <string.h>

#include <sotto/rng.h>
#include <sotto/system.h>

#include "commands.h"
#include "frame/output.h"
#include "optional.h"

typedef struct findings {
    sotto_system system;
    bool rng_secure;           /* a generator was made and is keyed by the system */
    sotto_error cause;         /* why not */
    cli_part parts[CLI_PARTS]; /* optional ones */
} findings;

/* Does the first step of every private release: keys a generator from the system. */
static void try_generator(findings *found)
{
    sotto_rng *rng = NULL;
    if (sotto_rng_new(&rng, &found->cause) == SOTTO_OK) {
        found->rng_secure = sotto_rng_is_secure(rng);
    }
    sotto_rng_free(rng);
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
    for (size_t i = 0; i < CLI_PARTS; i++)
        if (!found->parts[i].present) sotto_json_text(json, NULL, found->parts[i].name);
    sotto_json_end(json);
    sotto_json_array(json, "optional");
    for (size_t i = 0; i < CLI_PARTS; i++) {
        const cli_part *part = &found->parts[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "name", part->name);
        sotto_json_text(json, "purpose", part->purpose);
        sotto_json_flag(json, "present", part->present);
        sotto_json_text(json, "detail", part->detail);
        sotto_json_text(json, "install", part->install);
        sotto_json_end(json);
    }
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
}

static void show_optional(const cli_part parts[CLI_PARTS])
{
    (void)printf("optional parts\n");
    for (size_t i = 0; i < CLI_PARTS; i++) {
        const cli_part *part = &parts[i];
        const char *gap = part->detail[0] == '\0' ? "" : " ";
        if (part->present) {
            (void)printf("  %-14s  here%s%s: %s\n", part->name, gap, part->detail,
                         part->purpose);
        } else {
            (void)printf("  %-14s  absent: %s; install: %s\n", part->name, part->purpose,
                         part->install);
        }
    }
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
    show_optional(found->parts);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    findings found = {.cause = {.status = SOTTO_OK}};
    sotto_status status = sotto_system_describe(&found.system, error);
    if (status != SOTTO_OK) return status;
    try_generator(&found);
    cli_find_parts(found.parts);
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
    .summary = "Show the installation and absent optional parts, and check the machine",
    .details = "Exit code 0: the noise of this machine is secure; 1: something it needs "
               "is missing.",
    .example = "sotto doctor",
    .run = run,
};
