/* data/readers/readers.h: the readers that there are. A new one is a file here, a line here and a line in readers.c. */
#ifndef SOT_DATA_READERS_H
#define SOT_DATA_READERS_H

#include "data/reader.h"

extern const sot_reader_kind sot_reader_csv;
extern const sot_reader_kind sot_reader_tsv;
extern const sot_reader_kind sot_reader_libsvm;
extern const sot_reader_kind sot_reader_sqlite;
extern const sot_reader_kind sot_reader_npy;
extern const sot_reader_kind sot_reader_idx;
extern const sot_reader_kind sot_reader_cifar;
extern const sot_reader_kind sot_reader_memory;
extern const sot_reader_kind sot_reader_arrow;
extern const sot_reader_kind sot_reader_sparse;

/* Those of files, up to a NULL. The first one whose is_named() says yes is taken. */
extern const sot_reader_kind *const sot_readers[];

/* That of records which are handed over: by the member that is set. */
const sot_reader_kind *sot_reader_of_records(const sotto_records *records);

#endif
