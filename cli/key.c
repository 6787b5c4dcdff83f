/* sotto key: the curator's key pair. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/key.h>

#include "commands.h"
#include "frame/output.h"
#include "sign.h"

const cli_option cli_sign_option[] = {
    {"sign", CLI_FILE, CLI_OPTIONAL,
     "secret key that signs the file (sotto key new), read before the charge",
     .value = "KEY", .example = "curator.key"},
    {0},
};

static const cli_option new_options[] = {
    {"key", CLI_FILE, CLI_OPERAND,
     "file for the secret key; the public key is written to KEY.pub", .value = "KEY",
     .example = "curator.key"},
    {0},
};

static sotto_status run_new(const cli_call *call, sotto_error *error)
{
    static const char end[] = ".pub";
    const char *secret = cli_text(call, "key");
    char public_key[SOTTO_KEY_HEX_BYTES];
    const size_t room = strlen(secret) + sizeof end;
    char *public_path = malloc(room);
    if (public_path == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "no memory for a name of %zu bytes",
                        room);
    (void)snprintf(public_path, room, "%s%s", secret, end);
    sotto_status status = sotto_key_new(secret, public_path, public_key, error);
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "secret_key", secret);
        sotto_json_text(json, "public_key_file", public_path);
        sotto_json_text(json, "public_key", public_key);
        status = cli_json_print(json, error);
    } else if (status == SOTTO_OK) {
        cli_line("secret key", "%s (mode 0600; keep it: it cannot be made again)",
                 secret);
        cli_line("public key", "%s", public_path);
        cli_line("", "ed25519:%s", public_key);
    }
    free(public_path);
    return status;
}

static const cli_command key_new = {
    .name = "new",
    .summary = "Make a key pair",
    .details = "An existing file is never replaced.",
    .options = new_options,
    .example = "cd \"$(mktemp -d)\" && sotto key new curator.key",
    .run = run_new,
};

static const cli_command *const commands[] = {&key_new, NULL};

const cli_command cli_key = {
    .name = "key",
    .summary =
        "Make the curator's key pair, which signs budgets, grants and released files",
    .commands = commands,
    .example = "cd \"$(mktemp -d)\" && sotto key new curator.key",
};
