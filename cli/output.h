/* cli/output.h: how answers are shown.
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

#include <jansson.h>

#include <sotto/error.h>

enum { CLI_NUMBER_BYTES = 32, CLI_SHOWN_DIGITS = 6 };

/* Fills `out` and returns it. The fewest digits that read back as `value`. */
const char *cli_shortest(double value, char out[CLI_NUMBER_BYTES]);

/* At most `digits` significant digits (1 to 17), rounded up or down. `value` is finite. */
const char *cli_rounded_up(double value, int digits, char out[CLI_NUMBER_BYTES]);
const char *cli_rounded_down(double value, int digits, char out[CLI_NUMBER_BYTES]);

/* A JSON object under construction. Failure sticks, and cli_json_print() reports it. */
typedef struct cli_json {
    json_t *object;
    bool failed;
} cli_json;

cli_json cli_json_new(void);

/* Adds a member and takes over `value`; NULL is a failure. */
void cli_json_add(cli_json *json, const char *key, json_t *value);

/* A NaN ("no such bound") and a NULL text add nothing. */
void cli_json_number(cli_json *json, const char *key, double value);
void cli_json_count(cli_json *json, const char *key, uint64_t value);
void cli_json_text(cli_json *json, const char *key, const char *value);
void cli_json_flag(cli_json *json, const char *key, bool value);

/* Appends a row to an array of the object's, and releases the row. */
void cli_json_append(cli_json *json, json_t *array, cli_json *row);

/* Prints the object on standard output, one line, and releases it. A failed write is the
 * frame's to report. */
SOTTO_MUST_CHECK sotto_status cli_json_print(cli_json *json, sotto_error *error);

/* "epsilon      2.38175 (certified upper bound)": one line, labels aligned. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_line(const char *label, const char *format, ...);

#endif
