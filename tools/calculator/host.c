/* The command `sotto account` for a browser: its table of commands, and the services of an operating system that a page
 * lacks. The arithmetic is that of the library and of the command, unchanged. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include <sotto/output.h>

#include "commands.h"
#include "frame/frame.h"
#include "frame/interrupt.h"
#include "frame/progress.h"

static const cli_command *const commands[] = {&cli_account, NULL};
static const cli_option options[] = {{0}};

const cli_command cli_root = {
    .name = "sotto",
    .summary = "Differentially private machine learning you can prove",
    .details = "The calculator has the command account only.",
    .options = options,
    .commands = commands,
    .example = "sotto account epsilon --noise-multiplier 1.1 --rate 0.004 --count 15000 "
               "--delta 1e-5",
};

int main(int argc, char **argv)
{
    return cli_run(argc, argv);
}

/* Nothing in the accountant is secret. */
void sodium_memzero(void *memory, size_t size_bytes)
{
    volatile unsigned char *bytes = memory;
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = 0;
}

/* ---- signals: a page has none ---- */

void cli_end_on_interrupt(bool charges)
{
    (void)charges;
}

void cli_remove_if_interrupted(const sotto_output *output)
{
    (void)output;
}

void cli_heed_interrupts(void)
{
}

bool cli_stop_asked(void)
{
    return false;
}

/* The page shows that it computes. */
void cli_begin_watch(void)
{
}

void cli_end_watch(void)
{
}

/* ---- files: in the memory of the page ---- */

struct sotto_output {
    FILE *file;
};

sotto_status sotto_output_check(const char *path, sotto_output_kind kind, bool overwrite,
                                sotto_error *error)
{
    (void)path, (void)kind, (void)overwrite, (void)error;
    return SOTTO_OK;
}

bool sotto_output_is_same(const char *path, const char *other)
{
    (void)path, (void)other;
    return false;
}

static sotto_status fail(sotto_error *error)
{
    if (error != NULL) {
        error->status = SOTTO_IO;
        (void)snprintf(error->message, sizeof error->message,
                       "the page has no memory left for the plot");
    }
    return SOTTO_IO;
}

sotto_status sotto_output_open(const char *path, sotto_output_kind kind, bool overwrite,
                               sotto_output **out_output, sotto_error *error)
{
    (void)kind, (void)overwrite;
    sotto_output *output = malloc(sizeof *output);
    if (output == NULL) return fail(error);
    output->file = fopen(path, "wb");
    if (output->file == NULL) {
        free(output);
        return fail(error);
    }
    *out_output = output;
    return SOTTO_OK;
}

sotto_status sotto_output_write(sotto_output *output, const void *bytes,
                                size_t size_bytes, sotto_error *error)
{
    return fwrite(bytes, 1, size_bytes, output->file) == size_bytes ? SOTTO_OK
                                                                    : fail(error);
}

sotto_status sotto_output_close(sotto_output *output, sotto_error *error)
{
    const int failed = fclose(output->file);
    free(output);
    return failed == 0 ? SOTTO_OK : fail(error);
}

void sotto_output_discard(sotto_output *output)
{
    if (output == NULL) return;
    (void)fclose(output->file);
    free(output);
}

void sotto_output_unlink(const sotto_output *output)
{
    (void)output;
}

sotto_status sotto_output_put(const char *path, sotto_output_kind kind, bool overwrite,
                              const void *bytes, size_t size_bytes, sotto_error *error)
{
    sotto_output *output = NULL;
    sotto_status status = sotto_output_open(path, kind, overwrite, &output, error);
    if (status != SOTTO_OK) return status;
    status = sotto_output_write(output, bytes, size_bytes, error);
    const sotto_status closed = sotto_output_close(output, error);
    return status == SOTTO_OK ? closed : status;
}
