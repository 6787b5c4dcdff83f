/* sotto/arrow.h: records from any library that speaks the Arrow C stream interface.
 *
 * Idea        A stream gives batches of columns where they lie. sotto reads them in place: DataFrames, query results
 *             and Parquet readers need no file and no conversion.
 * Training    Set `stream` of sotto_records (sotto/array.h) in place of `features`: sotto_train_records(),
 *             sotto_tune_records(), sotto_release_records(), sotto_model_evaluate_records().
 * Prediction  sotto_arrow_cells() reads the rows into an array for sotto_model_predict() and its siblings.
 * Names       Columns are matched with those of the schema by name, byte for byte, in any order. A missing, doubled
 *             or unknown name is refused before the charge. A matrix schema ("features": d) has no names: the stream
 *             has d columns, in order.
 * Types       bool, integers of 8 to 64 bits, float16, float32, float64, decimal128. Text: utf8,
 *             large_utf8, string_view, and binary (as text). null. Dictionaries of these, which
 *             may change from batch to batch. Dates and timestamps where the column of the schema
 *             has a time unit. Any type in a column that is not read: of type "ignore", or an id
 *             that is not the unit. All other types are refused by the column's name before the
 *             charge: types are public.
 * Cells       A value counts the same from a column of any type, as its text would in a file
 *             (records.md). Integers beyond 2^53 round to the nearest double, but as ids and
 *             categories they have all their digits. A null, a code outside its dictionary and an
 *             invalid cell are missing.
 * Total       No record, batch or dictionary stops a run. A stream that fails gives one fixed sentence; the text of
 * the
 *             producer is never shown, because it may quote a record.
 * Trusts      The producer runs in this process, and its buffers are as long as its lengths and offsets say.
 * Origin      A stream counts as selected rows unless `declared` or `in_memory` of sotto_records says otherwise
 *             (stability.md).
 *
 * The three structs are the ABI of https://arrow.apache.org/docs/format/CDataInterface.html and
 * CStreamInterface.html.
 */
#ifndef SOTTO_ARROW_H
#define SOTTO_ARROW_H

#include <stdint.h>

#include <sotto/array.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* Reads the rows to predict for: one number for each column of the schema, or each feature of a matrix, as
 * sotto_model_predict() takes them. The stream may lack the target and columns of type id and ignore. It is taken
 * over, and
 * released whether the call succeeds or not. Free with sotto_arrow_free_cells(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_arrow_cells(const sotto_schema *schema,
                                                          struct ArrowArrayStream *stream,
                                                          sotto_array *out_cells,
                                                          sotto_error *error);
SOTTO_API void sotto_arrow_free_cells(sotto_array *cells); /* wipes, frees, zeroes */

#ifdef __cplusplus
}
#endif
#endif
