#define _GNU_SOURCE /* fopencookie */
#include "frame/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame/interrupt.h"

enum { FIRST_BYTES = 1 << 16 };

/* Reads up to `size_max_bytes` + 1 bytes: one more than allowed shows that it is too much. */
static sotto_status read_all(FILE *file, size_t size_max_bytes, char **text,
                             size_t *out_size_bytes, sotto_error *error)
{
    size_t capacity = 0, used = 0;
    while (used == capacity && used <= size_max_bytes) {
        size_t wanted = capacity == 0 ? FIRST_BYTES : 2 * capacity;
        if (wanted > size_max_bytes + 1) wanted = size_max_bytes + 1;
        char *grown = realloc(*text, wanted + 1);
        if (grown == NULL) {
            return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the file");
        }
        *text = grown;
        capacity = wanted;
        used += fread(grown + used, 1, capacity - used, file);
    }
    (*text)[used] = '\0';
    *out_size_bytes = used;
    return SOTTO_OK;
}

sotto_status cli_read_file(const char *label, const char *path, size_t size_max_bytes,
                           sotto_status too_large, char **out_text,
                           size_t *out_size_bytes, sotto_error *error)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    char *text = NULL;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (file == NULL) {
        return cli_fail(
            error, SOTTO_IO,
            "%s %.100s cannot be opened: %s; give the path of a file, or - for "
            "standard input",
            label, path, strerror(errno));
    }
    errno = 0;
    sotto_status status = read_all(file, size_max_bytes, &text, out_size_bytes, error);
    if (status == SOTTO_OK && ferror(file)) {
        status = cli_fail(error, SOTTO_IO, "%s %.100s cannot be read: %s", label, path,
                          strerror(errno));
    } else if (status == SOTTO_OK && *out_size_bytes > size_max_bytes) {
        status = cli_fail(error, too_large, "%s %.100s is larger than %zu bytes", label,
                          path, size_max_bytes);
    }
    if (!is_stdin) (void)fclose(file);
    if (status != SOTTO_OK) {
        free(text);
        return status;
    }
    *out_text = text;
    return SOTTO_OK;
}

/* --- outputs --- */

/* "--output " before a message that begins with the path. */
static sotto_status name_option(const char *label, sotto_status status,
                                sotto_error *error)
{
    char message[SOTTO_MESSAGE_BYTES];
    if (status == SOTTO_OK) return status;
    (void)snprintf(message, sizeof message, "%s", error->message);
    const int room = (int)(sizeof message - strlen(label) - 3);
    return cli_fail(error, status, "%s: %.*s", label, room, message);
}

/* The text of a file option that is read: files, and networks among the choices of a model. */
static const char *input_text(const cli_option *option, const char *text)
{
    if (text == NULL || option->output != 0) return NULL;
    if (option->kind == CLI_FILE) return text;
    return option->is_other != NULL && option->is_other(text) ? text : NULL;
}

/* `output` is option number `at` of the call: it shares no file with an input or an earlier output. */
static sotto_status check_apart(const cli_call *call, size_t at, const char *output,
                                sotto_error *error)
{
    const cli_option *option = NULL;
    char label[64];
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        const bool earlier = option->output != 0 && i < at;
        for (size_t k = 0;; k++) {
            const char *text = cli_text_at(call, option->name, k);
            if (text == NULL) break;
            if (!earlier) text = input_text(option, text);
            if (text == NULL || !sotto_output_is_same(output, text)) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%.120s is %s too; give each a file of its own", output,
                            cli_option_label(option, label, sizeof label));
        }
    }
    return SOTTO_OK;
}

sotto_status cli_check_outputs(const cli_call *call, sotto_error *error)
{
    const cli_option *option = NULL;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++) {
        const char *output = option->output == 0 ? NULL : call->values[i].text;
        char label[64];
        if (output == NULL) continue;
        status = check_apart(call, i, output, error);
        if (status == SOTTO_OK)
            status = sotto_output_check(output, option->output,
                                        cli_flag(call, "overwrite"), error);
        if (status != SOTTO_OK)
            return name_option(cli_option_label(option, label, sizeof label), status,
                               error);
    }
    return SOTTO_OK;
}

static const cli_option *find_output(const cli_call *call, const char *name)
{
    const cli_option *option = NULL;
    for (size_t i = 0; (option = cli_option_at(call->command, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0) break;
    return option;
}

sotto_status cli_write_file(const cli_call *call, const char *name, const char *text,
                            sotto_error *error)
{
    const cli_option *option = find_output(call, name);
    char label[64];
    return name_option(cli_option_label(option, label, sizeof label),
                       sotto_output_put(cli_text(call, name), option->output,
                                        cli_flag(call, "overwrite"), text, strlen(text),
                                        error),
                       error);
}

/* --- outputs as streams --- */

static ssize_t put_bytes(void *cookie, const char *bytes, size_t size_bytes)
{
    cli_stream *stream = cookie;
    if (stream->status == SOTTO_OK)
        stream->status =
            sotto_output_write(stream->output, bytes, size_bytes, &stream->cause);
    return stream->status == SOTTO_OK ? (ssize_t)size_bytes : 0; /* 0: an error */
}

sotto_status cli_open_stream(const cli_call *call, const char *name, cli_stream *stream,
                             sotto_error *error)
{
    const cookie_io_functions_t functions = {.write = put_bytes};
    const cli_option *option = find_output(call, name);
    *stream = (cli_stream){.option = option};
    char label[64];
    sotto_status status =
        sotto_output_open(cli_text(call, name), option->output,
                          cli_flag(call, "overwrite"), &stream->output, error);
    if (status != SOTTO_OK)
        return name_option(cli_option_label(option, label, sizeof label), status, error);
    cli_remove_if_interrupted(stream->output);
    stream->file = fopencookie(stream, "w", functions);
    if (stream->file != NULL) return SOTTO_OK;
    status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the output");
    return cli_close_stream(stream, status, error);
}

sotto_status cli_close_stream(cli_stream *stream, sotto_status status, sotto_error *error)
{
    char label[64];
    const bool failed = stream->file != NULL && ferror(stream->file) != 0;
    const bool closed = stream->file == NULL || fclose(stream->file) == 0;
    (void)cli_option_label(stream->option, label, sizeof label);
    cli_remove_if_interrupted(NULL);
    if ((status == SOTTO_OK || status == SOTTO_INTERRUPTED) &&
        stream->status != SOTTO_OK) {
        *error = stream->cause;
        status = name_option(label, stream->status, error);
    } else if (status == SOTTO_OK && (failed || !closed)) {
        status = cli_fail(error, SOTTO_IO, "%s cannot be written", label);
    }
    if (status == SOTTO_OK)
        return name_option(label, sotto_output_close(stream->output, error), error);
    sotto_output_discard(stream->output);
    return status;
}
