#include "data/readers/readers.h"

#define ADDRESS(name) &sot_reader_##name,
const sot_reader_kind *const sot_readers[] = {SOT_READERS(ADDRESS) NULL};

const sot_reader_kind *sot_reader_of_records(const sotto_records *records)
{
    return records->stream != NULL   ? &sot_reader_arrow
           : records->sparse != NULL ? &sot_reader_sparse
                                     : &sot_reader_memory;
}

const char *sotto_data_format(size_t index)
{
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        if (sot_readers[i]->option == NULL) continue;
        if (index == 0) return sot_readers[i]->option;
        index--;
    }
    return NULL;
}
