#include "frame/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_WIDTH = 16 };

const char *cli_shortest(double value, char out[CLI_NUMBER_BYTES])
{
    return sotto_number_shortest(value, 7, out); /* 10 and 2500, not 1e+01 and 2.5e+03 */
}

const char *cli_rounded_up(double value, int digits, char out[CLI_NUMBER_BYTES])
{
    return sotto_number_rounded(value, digits, true, out);
}

const char *cli_rounded_down(double value, int digits, char out[CLI_NUMBER_BYTES])
{
    return sotto_number_rounded(value, digits, false, out);
}

sotto_json *cli_json_keep(sotto_json_writer *json, const char *text,
                          const char *const *names, size_t count)
{
    sotto_json *file = NULL;
    if (sotto_json_parse(NULL, text, strlen(text), &file, NULL) != SOTTO_OK) return NULL;
    for (size_t i = 0; i < count; i++)
        sotto_json_copy(json, names[i],
                        sotto_json_member(sotto_json_root(file), names[i]));
    return file;
}

const char *cli_certificate_text(const sotto_json *file, const char *name)
{
    const sotto_json_value *certificate =
        sotto_json_member(sotto_json_root(file), "certificate");
    return sotto_json_as_text(sotto_json_member(certificate, name));
}

sotto_status cli_json_print(sotto_json_writer *json, sotto_error *error)
{
    const char *text = NULL;
    const sotto_status status = sotto_json_finish(json, &text, error);
    if (status == SOTTO_OK) (void)fputs(text, stdout);
    sotto_json_writer_free(json);
    return status;
}

void cli_line(const char *label, const char *format, ...)
{
    va_list arguments;
    (void)printf("%-*s  ", LABEL_WIDTH, label);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}
