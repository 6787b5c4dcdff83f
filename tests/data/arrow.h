/* tests/data/arrow.h: a producer of Arrow C streams that counts what it hands out and what is released. */
#ifndef SOTTO_TESTS_DATA_ARROW_H
#define SOTTO_TESTS_DATA_ARROW_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/arrow.h>

enum { ARROW_COLUMNS_MAX = 8, ARROW_BATCHES_MAX = 4 };

/* What get_last_error() says: it quotes a record, and must be seen nowhere. */
#define ARROW_SECRET "could not convert 'patient 17: HIV positive'"

typedef struct arrow_batch {
    struct ArrowArray array;
    struct ArrowArray columns[ARROW_COLUMNS_MAX];
    struct ArrowArray dictionaries[ARROW_COLUMNS_MAX];
    struct ArrowArray *children[ARROW_COLUMNS_MAX];
    const void *buffers[ARROW_COLUMNS_MAX][4];
    const void *dictionary_buffers[ARROW_COLUMNS_MAX][4];
    const void *outer_buffers[1];
} arrow_batch;

typedef struct arrow_producer {
    size_t columns;
    const char *names[ARROW_COLUMNS_MAX];
    const char *formats[ARROW_COLUMNS_MAX];
    const char *dictionaries[ARROW_COLUMNS_MAX]; /* format of the values; NULL: none */
    arrow_batch batches[ARROW_BATCHES_MAX];
    size_t batch_count;
    const char *outer_format; /* NULL: "+s" */
    bool endless;             /* the last batch again and again */
    bool schema_fails;
    size_t fails_at; /* the call of get_next() that fails, from 1; 0: none */
    bool lacks_a_child;
    /* Counted. */
    size_t asked;                 /* calls of get_next() */
    size_t given[3], released[3]; /* schemas, batches, streams */
    struct ArrowSchema children[ARROW_COLUMNS_MAX], values[ARROW_COLUMNS_MAX];
    struct ArrowSchema *child_pointers[ARROW_COLUMNS_MAX];
} arrow_producer;

static inline void arrow_release_schema(struct ArrowSchema *schema)
{
    ((arrow_producer *)schema->private_data)->released[0]++;
    schema->release = NULL;
}

static inline void arrow_release_array(struct ArrowArray *array)
{
    ((arrow_producer *)array->private_data)->released[1]++;
    array->release = NULL;
}

static inline void arrow_release_stream(struct ArrowArrayStream *stream)
{
    ((arrow_producer *)stream->private_data)->released[2]++;
    stream->release = NULL;
}

static inline int arrow_get_schema(struct ArrowArrayStream *stream,
                                   struct ArrowSchema *out)
{
    arrow_producer *self = stream->private_data;
    if (self->schema_fails) return EIO;
    for (size_t i = 0; i < self->columns; i++) {
        self->values[i] = (struct ArrowSchema){.format = self->dictionaries[i]};
        self->children[i] = (struct ArrowSchema){
            .format = self->formats[i],
            .name = self->names[i],
            .dictionary = self->dictionaries[i] == NULL ? NULL : &self->values[i]};
        self->child_pointers[i] = self->lacks_a_child ? NULL : &self->children[i];
    }
    self->given[0]++;
    *out = (struct ArrowSchema){.format = self->outer_format == NULL ? "+s"
                                                                     : self->outer_format,
                                .n_children = (int64_t)self->columns,
                                .children = self->child_pointers,
                                .release = arrow_release_schema,
                                .private_data = self};
    return 0;
}

static inline int arrow_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    arrow_producer *self = stream->private_data;
    size_t place = self->asked++;
    if (self->fails_at == self->asked) return EINVAL;
    if (self->endless && place >= self->batch_count) place = self->batch_count - 1;
    if (place >= self->batch_count) {
        *out = (struct ArrowArray){.release = NULL};
        return 0;
    }
    self->given[1]++;
    *out = self->batches[place].array;
    out->release = arrow_release_array;
    out->private_data = self;
    return 0;
}

static inline const char *arrow_get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return ARROW_SECRET;
}

static inline struct ArrowArrayStream arrow_stream_of(arrow_producer *self)
{
    self->given[2]++;
    return (struct ArrowArrayStream){.get_schema = arrow_get_schema,
                                     .get_next = arrow_get_next,
                                     .get_last_error = arrow_get_last_error,
                                     .release = arrow_release_stream,
                                     .private_data = self};
}

/* Everything that was handed out is released, once. */
static inline bool arrow_all_released(const arrow_producer *self)
{
    return memcmp(self->given, self->released, sizeof self->given) == 0;
}

static inline void arrow_add_column(arrow_producer *self, const char *name,
                                    const char *format, const char *dictionary)
{
    self->names[self->columns] = name;
    self->formats[self->columns] = format;
    self->dictionaries[self->columns++] = dictionary;
}

/* A batch of `rows` rows whose columns lack their buffers. */
static inline arrow_batch *arrow_add_batch(arrow_producer *self, int64_t rows)
{
    arrow_batch *batch = &self->batches[self->batch_count++];
    for (size_t i = 0; i < self->columns; i++) {
        batch->children[i] = &batch->columns[i];
        batch->dictionaries[i] =
            (struct ArrowArray){.n_buffers = 3, .buffers = batch->dictionary_buffers[i]};
        batch->columns[i] = (struct ArrowArray){
            .length = rows,
            .n_buffers = 3,
            .buffers = batch->buffers[i],
            .dictionary = self->dictionaries[i] == NULL ? NULL : &batch->dictionaries[i]};
    }
    batch->array = (struct ArrowArray){.length = rows,
                                       .n_buffers = 1,
                                       .buffers = batch->outer_buffers,
                                       .n_children = (int64_t)self->columns,
                                       .children = batch->children};
    return batch;
}

#endif
