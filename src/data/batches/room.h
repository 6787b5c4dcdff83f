/* data/batches/room.h: memory for the rows of a matrix that grows. */
#ifndef SOT_DATA_BATCHES_ROOM_H
#define SOT_DATA_BATCHES_ROOM_H

#include "data/batches/matrix.h"

enum { SOT_MATRIX_FIRST_VALUES = 16384 };

/* Returns the room that an array of `room` objects gets next: double, from 65536 objects on a quarter more. Peak
 * memory stays below 1.3 times the records. */
size_t sot_room_next(size_t room);

/* Makes room for `needed` objects in an array of sot_grow_array(). */
SOTTO_MUST_CHECK sotto_status sot_room_reserve(void **array, size_t *room, size_t needed,
                                               size_t least, size_t size,
                                               sotto_error *error);

/* Makes room for this number of rows. `room_rows` comes last: should a step fail, it is still right about all that holds
 * records. */
SOTTO_MUST_CHECK sotto_status sot_matrix_resize(sot_matrix *matrix, size_t rows,
                                                sotto_error *error);

/* Makes room for sparse values. */
SOTTO_MUST_CHECK sotto_status sot_matrix_reserve_values(sot_matrix *matrix, size_t needed,
                                                        sotto_error *error);

#endif
