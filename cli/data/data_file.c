#include "data/data_file.h"

#include <stdio.h>
#include <string.h>

#define TABLE                                                                            \
    {                                                                                    \
        "table", CLI_TEXT, CLI_OPTIONAL,                                                 \
            "table of a SQLite database; the schema names its columns",                  \
            .value = "NAME", .example = "patients"                                       \
    }

#define WHERE                                                                            \
    {                                                                                    \
        "where", CLI_TEXT, CLI_OPTIONAL,                                                 \
            "read only rows for which the condition is true "                            \
            "(docs/reference/records.md)",                                               \
            .value = "CONDITION", .example = "age >= 18 AND town = 'Lund'"               \
    }

#define QUERY                                                                            \
    {                                                                                    \
        "query", CLI_TEXT, CLI_OPTIONAL,                                                 \
            "old spelling of --table and --where: SELECT columns FROM one table WHERE "  \
            "...",                                                                       \
            .value = "SQL", .example = "SELECT * FROM patients"                          \
    }

#define FORMAT                                                                           \
    {                                                                                    \
        "format", CLI_CHOICE, CLI_OPTIONAL,                                              \
            "format of DATA (default: from its name and first bytes)",                   \
            .value = "NAME", .choices = sotto_data_format                                \
    }

const cli_option cli_data_options[] = {
    {"labels", CLI_FILE, CLI_OPTIONAL,
     "NPY or IDX of features: file of their labels, NPY or IDX", .value = "FILE",
     .example = "train-labels-idx1-ubyte.gz"},
    TABLE,
    WHERE,
    QUERY,
    FORMAT,
    {0},
};

const cli_option cli_table_options[] = {TABLE, QUERY, FORMAT, {0}};

const cli_option cli_rows_options[] = {TABLE, WHERE, QUERY, FORMAT, {0}};

const cli_option cli_stored_option[] = {
    {"stored-table", CLI_FLAG, CLI_OPTIONAL,
     "declare that a pipe brings every row of a stored table", .value = NULL},
    {0},
};

sotto_data_file cli_data_file(const cli_call *call, const char *path)
{
    const bool is_stdin = path != NULL && strcmp(path, "-") == 0;
    sotto_data_file file = {.path = is_stdin ? "/dev/stdin" : path};
    if (cli_has(call, "labels")) file.labels = cli_text(call, "labels");
    if (cli_has(call, "table")) file.table = cli_text(call, "table");
    if (cli_has(call, "query")) file.query = cli_text(call, "query");
    if (cli_has(call, "format")) file.format = cli_text(call, "format");
    if (cli_has(call, "where")) file.where = cli_text(call, "where");
    if (file.query != NULL)
        (void)fputs("sotto: notice: --query is an old spelling; --table NAME and --where "
                    "CONDITION are the new one, for example --table patients --where "
                    "\"age >= 18\"\n",
                    stderr);
    file.stored_table = cli_has(call, "stored-table") && cli_flag(call, "stored-table");
    return file;
}
