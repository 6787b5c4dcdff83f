#include "data/readers/readers.h"

const sot_reader_kind *const sot_readers[] = {
    &sot_reader_csv, &sot_reader_tsv, &sot_reader_libsvm, &sot_reader_sqlite,
    &sot_reader_npy, &sot_reader_idx, &sot_reader_cifar,  NULL};

const char *sotto_data_format(size_t index)
{
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        if (sot_readers[i]->option == NULL) continue;
        if (index == 0) return sot_readers[i]->option;
        index--;
    }
    return NULL;
}
