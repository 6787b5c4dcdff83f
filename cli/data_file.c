#include "data_file.h"

#define QUERY                                                                            \
    {                                                                                    \
        "query", CLI_TEXT, CLI_OPTIONAL,                                                 \
            "of a SQLite database: SELECT columns FROM one table WHERE ...",             \
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
     "NPY or IDX of features: the file of their labels, NPY or IDX", .value = "FILE",
     .example = "train-labels-idx1-ubyte.gz"},
    QUERY,
    FORMAT,
    {0},
};

const cli_option cli_query_option[] = {QUERY, FORMAT, {0}};

const cli_option cli_stored_option[] = {
    {"stored-table", CLI_FLAG, CLI_OPTIONAL,
     "declare that a pipe brings every row of a stored table", .value = NULL},
    {0},
};

sotto_data_file cli_data_file(const cli_call *call, const char *path)
{
    sotto_data_file file = {.path = path};
    if (cli_has(call, "labels")) file.labels = cli_text(call, "labels");
    if (cli_has(call, "query")) file.query = cli_text(call, "query");
    if (cli_has(call, "format")) file.format = cli_text(call, "format");
    file.stored_table = cli_has(call, "stored-table") && cli_flag(call, "stored-table");
    return file;
}
