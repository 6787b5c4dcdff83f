/* cli/data/data_file.h: the rows: DATA, and the options that describe it. */
#ifndef SOTTO_CLI_DATA_FILE_H
#define SOTTO_CLI_DATA_FILE_H

#include <sotto/data_file.h>

#include "frame/frame.h"

/* --labels, --table, --where, --query and --format. A command adds them with `.shared`. */
extern const cli_option cli_data_options[];
extern const cli_option cli_rows_options[];  /* without --labels */
extern const cli_option cli_table_options[]; /* without --labels and --where */

/* --stored-table, of commands that read private rows. */
extern const cli_option cli_stored_option[];

/* The file at `path` with the options above, as far as the command has them. Texts are those of the
 * call. Prints a notice about --query. */
sotto_data_file cli_data_file(const cli_call *call, const char *path);

#endif
