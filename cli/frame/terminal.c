#include "frame/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "frame/frame.h"

bool cli_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool cli_moves(FILE *stream)
{
    const char *kind = getenv("TERM");
    return cli_is_terminal(stream) && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

const char *cli_styled(FILE *stream, cli_style style)
{
    const char *refused = getenv("NO_COLOR");
    if (!cli_moves(stream) || (refused != NULL && refused[0] != '\0')) return "";
    switch (style) {
    case CLI_BOLD:
        return "\033[1m";
    case CLI_RED:
        return "\033[31m";
    case CLI_PLAIN:
        break;
    }
    return "\033[0m";
}

bool cli_can_ask(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

sotto_status cli_ask(const char *question, const char *proposal, char **out_answer,
                     sotto_error *error)
{
    static const char blanks[] = " \t\r\n";
    char *line = NULL;
    size_t room = 0;
    (void)fprintf(stderr, "%s%s%s", cli_styled(stderr, CLI_BOLD), question,
                  cli_styled(stderr, CLI_PLAIN));
    if (proposal[0] != '\0') (void)fprintf(stderr, " [%s]", proposal);
    (void)fputs(": ", stderr);
    (void)fflush(stderr);
    const ssize_t got = getline(&line, &room, stdin);
    if (got < 0) {
        free(line);
        (void)fputc('\n', stderr);
        return cli_fail(error, SOTTO_INTERRUPTED,
                        "the input ended before the answers; nothing was written");
    }
    while (line[0] != '\0' && strchr(blanks, line[strlen(line) - 1]) != NULL)
        line[strlen(line) - 1] = '\0';
    const char *answer = line + strspn(line, blanks);
    *out_answer = strdup(answer[0] == '\0' ? proposal : answer);
    free(line);
    if (*out_answer == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for an answer");
    return SOTTO_OK;
}
