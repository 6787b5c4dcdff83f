/* Which public rows a report shows as images, and their pixels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/matrix.h"
#include "report/report.h"

/* ---- places ---- */

/* A matrix whose rows only may be images is one to a network that takes them so. */
static bool are_images(const sotto_model *model, size_t shape[3])
{
    const sot_shape_origin origin = sot_schema_shape(model->schema, shape);
    if (origin == SOT_SHAPE_NONE || (shape[0] != 1 && shape[0] != 3)) return false;
    if (origin == SOT_SHAPE_GIVEN) return true;
    for (size_t i = 0; model->net != NULL && i < model->net->layer_count; i++) {
        const sot_layer_kind kind = model->net->layers[i].kind;
        if (kind == SOT_LAYER_CONV || kind == SOT_LAYER_SCATTERING) return true;
    }
    return false;
}

/* Pixels of the image to a side of one that is shown. */
static size_t step_of(const size_t shape[3])
{
    const size_t side = shape[1] > shape[2] ? shape[1] : shape[2];
    return (side + SOT_REPORT_IMAGE_SIDE - 1) / SOT_REPORT_IMAGE_SIDE;
}

sot_report_images sot_report_images_for(const sotto_model *model, uint64_t count)
{
    size_t shape[3];
    sot_report_images images = {.first_count = 0};
    if (count > SOT_REPORT_IMAGES_MAX) count = SOT_REPORT_IMAGES_MAX;
    if (sot_encoding_classes(model->encoding) == 0 || !are_images(model, shape))
        return images;
    const size_t step = step_of(shape);
    images.first_most = (size_t)(count - count / 2);
    images.wrong_most = (size_t)(count / 2);
    images.height = (shape[1] + step - 1) / step;
    images.width = (shape[2] + step - 1) / step;
    images.channels = shape[0];
    return images;
}

/* ---- which rows ---- */

static sot_report_image judge(const sot_scorer *scorer, uint64_t row)
{
    const sotto_model *model = scorer->model;
    sot_report_image image = {
        .row = row, .label = scorer->label, .said = sot_scorer_decide(scorer, 0.5)};
    const double last = scorer->outputs[model->outputs - 1];
    if (model->prediction == SOTTO_PREDICTS_SCORE)
        image.sure = fabs(last);
    else if (model->outputs > 1)
        image.sure = scorer->outputs[image.said];
    else
        image.sure = image.said == 1 ? last : 1.0 - last;
    if (isnan(image.sure)) image.sure = 0.0;
    return image;
}

void sot_report_images_offer(sot_report_images *images, const sot_scorer *scorer,
                             uint64_t row)
{
    if (images->first_most == 0) return;
    const sot_report_image image = judge(scorer, row);
    if (images->first_count < images->first_most)
        images->shown[images->first_count++] = image;
    if (image.label == image.said) return;
    sot_report_image *wrong = images->shown + images->first_most;
    size_t place = images->wrong_count;
    while (place > 0 && wrong[place - 1].sure < image.sure)
        place--;
    if (place == images->wrong_most) return;
    if (images->wrong_count < images->wrong_most) images->wrong_count++;
    memmove(wrong + place + 1, wrong + place,
            (images->wrong_count - 1 - place) * sizeof *wrong);
    wrong[place] = image;
}

/* ---- their pixels ---- */

typedef struct darkroom {
    const sot_report_images *images;
    size_t shape[3], step;
    const sotto_column *bounds; /* NULL: none */
    double *numbers;            /* of one row, as the file has it */
} darkroom;

/* The numbers of a row that are black and white. */
static void find_range(const darkroom *room, const sot_record *record, double *out_black,
                       double *out_white)
{
    const size_t count = room->shape[0] * room->shape[1] * room->shape[2];
    if (room->bounds != NULL) {
        *out_black = room->bounds->lower;
        *out_white = room->bounds->upper;
        return;
    }
    *out_black = 0.0;
    *out_white = 255.0;
    if (record->bytes != NULL) return;
    *out_black = HUGE_VAL;
    *out_white = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(room->numbers[i])) continue;
        *out_black = fmin(*out_black, room->numbers[i]);
        *out_white = fmax(*out_white, room->numbers[i]);
    }
}

/* Returns 0 to 1; NaN counts as black, and so does everything if black equals white. */
static double light_of(double number, double black, double white)
{
    const double light = white > black ? (number - black) / (white - black) : 0.0;
    return isnan(light) ? 0.0 : fmin(fmax(light, 0.0), 1.0);
}

/* The mean of a square of pixels. */
static double light_at(const darkroom *room, size_t plane, size_t y, size_t x,
                       double black, double white)
{
    const size_t height = room->shape[1], width = room->shape[2], step = room->step;
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = y * step; i < (y + 1) * step && i < height; i++) {
        for (size_t k = x * step; k < (x + 1) * step && k < width; k++) {
            const double number = room->numbers[(plane * height + i) * width + k];
            sum += light_of(number, black, white);
            count++;
        }
    }
    return sum / (double)count;
}

static void develop(const darkroom *room, const sot_record *record,
                    unsigned char *out_pixels)
{
    const sot_report_images *images = room->images;
    double black, white;
    memset(room->numbers, 0,
           room->shape[0] * room->shape[1] * room->shape[2] * sizeof *room->numbers);
    for (size_t i = 0; i < record->count; i++)
        room->numbers[record->indices[i]] = record->values[i];
    find_range(room, record, &black, &white);
    for (size_t y = 0; y < images->height; y++) {
        for (size_t x = 0; x < images->width; x++) {
            for (size_t plane = 0; plane < images->channels; plane++)
                *out_pixels++ = (unsigned char)lround(
                    255.0 * light_at(room, plane, y, x, black, white));
        }
    }
}

/* Wherever the row is shown. */
static bool develop_row(const darkroom *room, const sot_record *record, uint64_t row)
{
    const sot_report_images *images = room->images;
    const size_t size = images->height * images->width * images->channels;
    const size_t end = images->first_most + images->wrong_count;
    bool is_last = true;
    for (size_t i = 0; i < end; i++) {
        if (i >= images->first_count && i < images->first_most) continue;
        if (images->shown[i].row == row) develop(room, record, images->pixels + i * size);
        is_last = is_last && images->shown[i].row <= row;
    }
    return is_last;
}

sotto_status sot_report_images_read(sot_report_images *images, const sotto_model *model,
                                    const sotto_data_file *file, sotto_error *error)
{
    darkroom room = {.images = images, .bounds = sot_schema_numbers(model->schema)};
    sot_source *source = NULL;
    bool more = images->first_count > 0;
    if (!more) return SOTTO_OK;
    (void)sot_schema_shape(model->schema, room.shape);
    room.step = step_of(room.shape);
    const size_t count = room.shape[0] * room.shape[1] * room.shape[2];
    const size_t places = images->first_most + images->wrong_most;
    const size_t size = images->height * images->width * images->channels;
    room.numbers = sot_new_array(count, sizeof *room.numbers);
    images->pixels = sot_new_array(places * size, 1);
    sotto_status status = SOTTO_OK;
    if (room.numbers == NULL || images->pixels == NULL)
        status = sot_fail_memory(error, count, sizeof *room.numbers);
    if (status == SOTTO_OK)
        status = sot_source_open(file, model->schema, false, &source, error);
    for (uint64_t row = 0; status == SOTTO_OK && more; row++) {
        sot_record record;
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more) more = !develop_row(&room, &record, row);
    }
    sot_source_close(source);
    sot_free(room.numbers);
    return status;
}
