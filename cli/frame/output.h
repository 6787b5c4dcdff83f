/* cli/frame/output.h: how answers are shown.
 *
 * JSON     One object on one line. A real number is written with the fewest digits that read
 *          back as the same double.
 * Text     Aligned lines, "label   value". A bound shown with fewer digits than it has is
 *          rounded to its safe side: an upper bound up, a lower bound down. Read back, the
 *          shown number is never on the wrong side of the computed one.
 */
#ifndef SOTTO_CLI_OUTPUT_H
#define SOTTO_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/json.h>

enum { CLI_NUMBER_BYTES = SOTTO_NUMBER_BYTES, CLI_SHOWN_DIGITS = 6 };

/* Fills `out` and returns it. The fewest digits that read back as `value`. */
const char *cli_shortest(double value, char out[CLI_NUMBER_BYTES]);

/* At most `digits` significant digits (1 to 17), rounded up or down. `value` is finite. */
const char *cli_rounded_up(double value, int digits, char out[CLI_NUMBER_BYTES]);
const char *cli_rounded_down(double value, int digits, char out[CLI_NUMBER_BYTES]);

/* Copies the named members of `text`, an object, as far as it has them. Returns the document,
 * NULL if it cannot be read; free it with sotto_json_free(). */
sotto_json *cli_json_keep(sotto_json_writer *json, const char *text,
                          const char *const *names, size_t count);

/* A text of the member "certificate"; NULL if there is none. */
const char *cli_certificate_text(const sotto_json *file, const char *name);

/* Prints the object on standard output, one line, and releases it. A failed write is the
 * frame's to report. */
SOTTO_MUST_CHECK sotto_status cli_json_print(sotto_json_writer *json, sotto_error *error);

/* "epsilon      2.38175 (certified upper bound)": one line, labels aligned. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_line(const char *label, const char *format, ...);

#endif
