/* sotto: the command. This file holds the table of commands; each has a file of its own. */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "commands.h"
#include "frame/frame.h"

static const cli_command *const commands[] = {
    &cli_start,    &cli_schema,     &cli_plan,    &cli_train,  &cli_tune,    &cli_predict,
    &cli_evaluate, &cli_export,     &cli_report,  &cli_verify, &cli_release, &cli_pac,
    &cli_pate,     &cli_audit,      &cli_account, &cli_ledger, &cli_key,     &cli_analyst,
    &cli_doctor,   &cli_completion, NULL,
};

static const cli_option options[] = {
    {"version", CLI_FLAG, CLI_OPTIONAL, "show the version", .value = NULL},
    {"dump-options", CLI_FLAG, CLI_HIDDEN, "print this table as JSON", .value = NULL},
    {0},
};

const cli_command cli_root = {
    .name = "sotto",
    .summary = "Differentially private machine learning you can prove",
    .details = "sotto COMMAND --help explains a command.",
    .options = options,
    .commands = commands,
    .example = "sotto account epsilon --noise-multiplier 1.1 --rate 0.004 --count 15000 "
               "--delta 1e-5",
};

/* Replaces a closed standard stream by one that fails. Otherwise the next opened file would take
 * its number and be read or overwritten in its place. */
static void hold_standard_streams(void)
{
    static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", wrong_way[fd]);
    }
}

/* Records are in memory soon: no core dump is written of this process. PR_SET_DUMPABLE and not RLIMIT_CORE, because a
 * core_pattern that begins with | (systemd-coredump, apport) is given the dump in spite of the limit (core(5)). It also
 * keeps debuggers of the same user away. */
static void forbid_core_dumps(void)
{
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    forbid_core_dumps();
    hold_standard_streams();
    /* A reader that went away is a failed write, not a reason to die. */
    (void)signal(SIGPIPE, SIG_IGN);
    /* So is a file that grew beyond the limit: it is cleaned up, not left half-written. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return cli_run(argc, argv);
}
