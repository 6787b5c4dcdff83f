#include "models/linear/rows/frame.h"

#include "models/linear/losses/pairwise.h"

void sot_frame_add_numbers(const sot_frame *frame, double *out_squares,
                           double *out_values)
{
    double squares = 0.0;
    double values = 0.0;
    for (size_t chunk = 0; chunk < frame->chunks; chunk++) {
        squares += frame->numbers[2 * chunk];
        values += frame->numbers[2 * chunk + 1];
    }
    *out_squares = squares;
    *out_values = values;
}

sotto_status sot_frame_values(const sot_frame *frame, sot_chunk_function chunk_values,
                              sot_points points, double *out_values, sotto_error *error)
{
    const sotto_status status = sot_parallel_for(
        frame->pool, frame->rows, frame->chunk_rows, chunk_values, &points, error);
    if (status != SOTTO_OK) return status;
    for (size_t k = 0; k < points.count; k++) {
        out_values[k] = 0.0;
        for (size_t chunk = 0; chunk < frame->chunks; chunk++)
            out_values[k] += frame->sums[chunk * frame->stride + k];
    }
    return SOTTO_OK;
}

sotto_status sot_frame_difference(const sot_frame *frame, sot_chunk_function chunk_way,
                                  sot_way way, sot_twofold *out_difference,
                                  sotto_error *error)
{
    const sotto_status status = sot_parallel_for(
        frame->pool, frame->rows, frame->chunk_rows, chunk_way, &way, error);
    if (status == SOTTO_OK)
        *out_difference = sot_pairwise_of_numbers(frame->numbers, frame->chunks);
    return status;
}
