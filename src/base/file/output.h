/* base/file/output.h: which existing files an output may replace; the rule is in <sotto/output.h>. */
#ifndef SOT_BASE_FILE_OUTPUT_H
#define SOT_BASE_FILE_OUTPUT_H

#include <sotto/output.h>

/* Admits the creation of the file. An existing certified file is also refused for a certified
 * output, unless its content is equal. `bytes` has the content, or NULL if it is not known
 * yet. */
SOTTO_MUST_CHECK sotto_status sot_output_admit(const char *path, sotto_output_kind kind,
                                               bool overwrite, const void *bytes,
                                               size_t size_bytes, sotto_error *error);

#endif
