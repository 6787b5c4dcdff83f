#include "data/readers/readers.h"

#define ADDRESS(name) &sot_reader_##name,
const sot_reader_kind *const sot_readers[] = {SOT_READERS(ADDRESS) NULL};

const char *sotto_data_format(size_t index)
{
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        if (sot_readers[i]->option == NULL) continue;
        if (index == 0) return sot_readers[i]->option;
        index--;
    }
    return NULL;
}
