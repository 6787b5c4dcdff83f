/* base/file/output.h: which existing files an output may replace; the rule is in <sotto/output.h>. */
#ifndef SOT_BASE_FILE_OUTPUT_H
#define SOT_BASE_FILE_OUTPUT_H

#include <sotto/output.h>

/* For whoever is about to make the file: a certified file stands in the way of a certified one too, unless it has the
 * `size_bytes` bytes that are to be written (NULL: they are not known yet). */
SOTTO_MUST_CHECK sotto_status sot_output_admit(const char *path, sotto_output_kind kind,
                                               bool overwrite, const void *bytes,
                                               size_t size_bytes, sotto_error *error);

#endif
