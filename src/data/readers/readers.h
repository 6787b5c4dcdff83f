/* data/readers/readers.h: the readers that there are. A new one is a file here and a line in this list. */
#ifndef SOT_DATA_READERS_H
#define SOT_DATA_READERS_H

#include "data/readers/reader.h"

/* Those of files, each sot_reader_NAME. The first one whose is_named() says yes is taken; --format and messages list them in
 * this order. */
#define SOT_READERS(EACH)                                                                \
    EACH(csv)                                                                            \
    EACH(csv_comma)                                                                      \
    EACH(csv_semicolon)                                                                  \
    EACH(csv_decimal_comma)                                                              \
    EACH(tsv)                                                                            \
    EACH(tsv_decimal_comma)                                                              \
    EACH(json_lines)                                                                     \
    EACH(libsvm)                                                                         \
    EACH(sqlite)                                                                         \
    EACH(npy)                                                                            \
    EACH(idx)                                                                            \
    EACH(cifar)

#define SOT_DECLARE_READER(name) extern const sot_reader_kind sot_reader_##name;
SOT_READERS(SOT_DECLARE_READER)
#undef SOT_DECLARE_READER

/* Up to a NULL. */
extern const sot_reader_kind *const sot_readers[];

/* Records in memory, and the reader of each kind: by the member that is set. */
extern const sot_reader_kind sot_reader_memory;
extern const sot_reader_kind sot_reader_arrow;
extern const sot_reader_kind sot_reader_sparse;
const sot_reader_kind *sot_reader_of_records(const sotto_records *records);

#endif
