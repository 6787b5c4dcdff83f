/* data/source/parts.h: the state of a source. Private to this folder. */
#ifndef SOT_DATA_SOURCE_PARTS_H
#define SOT_DATA_SOURCE_PARTS_H

#include <sys/types.h>
#include <time.h>

#include "data/readers/reader.h"
#include "data/source/source.h"
#include "data/where/where.h"

/* Facts that change if a file changes. */
typedef struct file_stamp {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec modified, changed;
    bool regular;
} file_stamp;

struct sot_source {
    const sot_reader_kind *kind;
    void *reader; /* NULL between two passes */
    const sotto_schema *schema;
    sotto_data_file file; /* path NULL: records in memory */
    char *texts[6];       /* of `file` */
    bool without_target;
    file_stamp stamps[2]; /* of the file and of its labels */
    size_t unit_column; /* of the schema; SIZE_MAX: none, or the reader brings the ids */
    sot_where *where;   /* the condition on rows; NULL: none */
    bool *tested;       /* columns of the schema that the condition tests; NULL: none */
    bool *wanted;   /* columns of the schema whose raw cells are asked for; NULL: none */
    uint64_t read;  /* records in this pass, selected or not */
    size_t threads; /* sot_source_set_threads() */
};

#endif
