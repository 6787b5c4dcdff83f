#include "data_file.h"

#define QUERY                                                                            \
    {                                                                                    \
        "query", CLI_TEXT, CLI_OPTIONAL,                                                 \
            "of a SQLite database: SELECT columns FROM one table WHERE ...",             \
            .value = "SQL", .example = "SELECT * FROM patients"                          \
    }

const cli_option cli_data_options[] = {
    {"labels", CLI_FILE, CLI_OPTIONAL,
     "NPY or IDX of features: the file of their labels, NPY or IDX", .value = "FILE",
     .example = "train-labels-idx1-ubyte.gz"},
    QUERY,
    {0},
};

const cli_option cli_query_option[] = {QUERY, {0}};

sotto_data_file cli_data_file(const cli_call *call, const char *path)
{
    sotto_data_file file = {.path = path};
    if (cli_has(call, "labels")) file.labels = cli_text(call, "labels");
    if (cli_has(call, "query")) file.query = cli_text(call, "query");
    return file;
}
