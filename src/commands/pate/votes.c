/* The sources of votes: teachers of a directory on public rows, or a table. Every teacher and
 * every cell gives a vote: nothing here fails because of either. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>
#include <sotto/verify.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/growing.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/threads.h"
#include "commands/pate/pate.h"
#include "commands/pate/poll.h"
#include "data/source/source.h"
#include "privacy/mechanisms/pate/cost.h"

sotto_status sot_pate_count_rows(const sotto_data_file *file, const sotto_schema *schema,
                                 uint64_t skip, uint64_t ask, sotto_error *error)
{
    sot_source *source = NULL;
    uint64_t rows = 0;
    bool more = true;
    sotto_status status = sot_source_open(file, schema, true, &source, error);
    while (status == SOTTO_OK && more && rows < skip + ask) {
        sot_record record;
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more) rows++;
    }
    sot_source_close(source);
    if (status != SOTTO_OK || rows == skip + ask) return status;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "%.120s has %llu rows, but `ask` is %llu with `skip` %llu; give a smaller `ask`",
        file->path, (unsigned long long)rows, (unsigned long long)ask,
        (unsigned long long)skip);
}

void sot_pate_votes_clear(sot_pate_votes *votes)
{
    if (votes->votes != NULL)
        sot_wipe_and_free(votes->votes,
                          votes->queries * votes->classes * sizeof *votes->votes);
    *votes = (sot_pate_votes){.votes = NULL};
}

static sotto_status make_room(sot_pate_votes *votes, uint64_t ask, size_t classes,
                              sotto_error *error)
{
    size_t size;
    if (!sot_size_mul((size_t)ask, classes, &size)) size = SIZE_MAX;
    votes->votes = sot_new_array(size, sizeof *votes->votes);
    if (votes->votes == NULL) return sot_fail_memory(error, size, sizeof *votes->votes);
    votes->queries = (size_t)ask;
    votes->classes = classes;
    return SOTTO_OK;
}

/* ---- teachers ---- */

typedef struct voting {
    const sot_pate_directory *directory;
    const sotto_data_file *file;
    uint64_t skip, ask;
    size_t classes;
    uint16_t *said;
} voting;

/* State of one teacher that predicts for the rows. */
typedef struct voter {
    uint64_t skip, ask, row;
    size_t classes;
    uint16_t *said;
} voter;

static int take_vote(size_t predicted, const double *outputs, void *context)
{
    voter *self = context;
    (void)outputs;
    if (self->row >= self->skip)
        self->said[self->row - self->skip] =
            (uint16_t)(predicted < self->classes ? predicted : 0);
    self->row++;
    return self->row == self->skip + self->ask; /* enough */
}

static sotto_status hear_teacher(size_t chunk, size_t begin, size_t end, void *context,
                                 sotto_error *error)
{
    const voting *all = context;
    sotto_status status = SOTTO_OK;
    (void)chunk;
    for (size_t i = begin; i < end && status == SOTTO_OK; i++) {
        sotto_model *model = NULL;
        voter self = {.skip = all->skip,
                      .ask = all->ask,
                      .classes = all->classes,
                      .said = all->said + i * (size_t)all->ask};
        status = sot_pate_teacher_load(all->directory, i, &model, error);
        if (status == SOTTO_OK && model != NULL) {
            status =
                sotto_model_predict_data(model, all->file, 0.5, take_vote, &self, error);
            if (status == SOTTO_INTERRUPTED && self.row == self.skip + self.ask)
                status = SOTTO_OK;
        }
        sotto_model_free(model);
    }
    return status;
}

sotto_status sot_pate_vote(const sot_pate_directory *directory,
                           const sotto_data_file *file, uint64_t skip, uint64_t ask,
                           size_t threads, sot_pate_votes *out_votes, sotto_error *error)
{
    const size_t teachers = directory->sharding.count;
    const size_t classes = sotto_schema_target(directory->schema)->label_count;
    sot_pool *pool = NULL;
    size_t size;
    if (!sot_size_mul(teachers, (size_t)ask, &size)) size = SIZE_MAX;
    uint16_t *said = sot_new_array(size, sizeof *said);
    if (said == NULL) return sot_fail_memory(error, size, sizeof *said);
    voting all = {.directory = directory,
                  .file = file,
                  .skip = skip,
                  .ask = ask,
                  .classes = classes,
                  .said = said};
    sotto_status status = make_room(out_votes, ask, classes, error);
    if (status == SOTTO_OK) status = sot_pool_new(threads, &pool, error);
    if (status == SOTTO_OK)
        status = sot_parallel_for(pool, teachers, 1, hear_teacher, &all, error);
    sot_pool_free(pool);
    if (status == SOTTO_OK)
        sot_pate_count_votes(said, teachers, (size_t)ask, classes, out_votes->votes);
    sot_wipe_and_free(said, size * sizeof *said);
    return status;
}

/* ---- a table ---- */

struct sot_pate_table {
    sotto_schema *schema; /* of the table: made from the header that it must have */
    sot_source *source;
    bool labels;
    size_t columns, classes;
};

/* Writes "columns" of a table of counts or of labels. An invalid count is 0, an invalid
 * label the first class. */
static sotto_status make_schema(const sotto_target *target, bool labels,
                                uint64_t teachers, char **out_json, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const size_t columns = labels ? (size_t)teachers : target->label_count;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_open_array(writer, "columns");
    for (size_t i = 0; i < columns; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "teacher_%zu", i + 1);
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "name", labels ? name : target->labels[i]);
        sot_json_put_text(writer, "type", labels ? "category" : "integer");
        if (labels) {
            sot_json_open_array(writer, "values");
            for (size_t k = 0; k < target->label_count; k++)
                sot_json_write_string(writer, target->labels[k]);
            sot_json_end_array(writer);
        } else {
            sot_json_put_int64(writer, "lower", 0);
            sot_json_put_int64(writer, "upper", SOT_PATE_VOTES_MAX / (int64_t)columns);
        }
        sot_json_key(writer, "missing");
        if (labels)
            sot_json_write_string(writer, target->labels[0]);
        else
            sot_json_write_int64(writer, 0);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, SOTTO_OK, out_json, error);
}

/* Opens the file, or the numbers in memory; for any content, cells are within the bounds
 * of the table's schema. */
static sotto_status open_source(const sotto_pate_label_config *config,
                                const sotto_schema *schema, sot_source **out_source,
                                sotto_error *error)
{
    if (config->vote_array == NULL)
        return sot_source_open_file(config->votes, schema, false, out_source, error);
    const sotto_records records = {.features = *config->vote_array};
    if (records.features.columns != sotto_schema_size(schema)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the votes have %zu columns; give one for each of the %zu %s",
                        records.features.columns, sotto_schema_size(schema),
                        config->vote_labels ? "teachers" : "classes");
    }
    return sot_source_open_records(&records, schema, out_source, error);
}

sotto_status sot_pate_table_open(const sotto_pate_label_config *config,
                                 const sotto_target *target, sot_pate_table **out_table,
                                 sotto_error *error)
{
    char *json = NULL;
    const bool labels = config->vote_labels;
    const uint64_t teachers = config->vote.teachers;
    if (labels && (teachers < 2 || teachers > SOT_PATE_TEACHERS_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "a table of labels has a column for each teacher; `vote_labels` is the "
            "number of teachers, 2 to %d; for example `vote_labels=250`",
            SOT_PATE_TEACHERS_MAX);
    }
    sot_pate_table *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->labels = labels;
    table->columns = labels ? (size_t)teachers : target->label_count;
    table->classes = target->label_count;
    sotto_status status = make_schema(target, labels, teachers, &json, error);
    if (status == SOTTO_OK)
        status =
            sotto_schema_parse("the votes", json, strlen(json), &table->schema, error);
    if (status == SOTTO_OK)
        status = open_source(config, table->schema, &table->source, error);
    sot_free(json);
    if (status != SOTTO_OK) {
        sot_pate_table_close(table);
        return status;
    }
    *out_table = table;
    return SOTTO_OK;
}

void sot_pate_table_close(sot_pate_table *table)
{
    if (table == NULL) return;
    sot_source_close(table->source);
    sotto_schema_free(table->schema);
    sot_free(table);
}

sotto_status sot_pate_table_read(sot_pate_table *table, uint64_t skip, uint64_t ask,
                                 sot_pate_votes *out_votes, sotto_error *error)
{
    bool more = true;
    sot_record record = {.cells = NULL};
    sotto_status status = make_room(out_votes, ask, table->classes, error);
    for (uint64_t row = 0; status == SOTTO_OK && more && row < skip + ask; row++) {
        status = sot_source_next(table->source, &record, &more, error);
        if (status != SOTTO_OK || !more || row < skip) continue;
        int64_t *votes = out_votes->votes + (row - skip) * table->classes;
        for (size_t i = 0; i < table->columns; i++) {
            if (table->labels)
                votes[(size_t)record.cells[i]]++;
            else
                votes[i] = (int64_t)record.cells[i];
        }
    }
    return status;
}

/* ---- the student, of Interactive ---- */

typedef struct reader {
    uint64_t skip, ask, row;
    size_t classes, outputs;
    double *probabilities;
} reader;

static int take_probabilities(size_t predicted, const double *outputs, void *context)
{
    reader *self = context;
    (void)predicted;
    if (self->row >= self->skip)
        memcpy(self->probabilities + (self->row - self->skip) * self->classes, outputs,
               self->classes * sizeof *outputs);
    self->row++;
    return self->row == self->skip + self->ask;
}

sotto_status sot_pate_check_student(const char *path, bool insecure_test,
                                    sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_error none;
    sotto_certificate_summary stated;
    const sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    const sotto_verify_config config = sotto_verify_defaults();
    const sotto_status found = sotto_verify(text, size_bytes, &config, &stated, &none);
    sot_free(text);
    if (found == SOTTO_OUT_OF_MEMORY) return sot_fail_memory(error, size_bytes, 1);
    if (stated.hash[0] == '\0') return SOTTO_OK; /* no certificate: of public rows */
    if (stated.is_private ? stated.is_verified : insecure_test) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`student` is %.120s, trained on private rows, and %s; give one "
                    "whose certificate holds",
                    path,
                    stated.is_private ? "its certificate does not hold"
                                      : "the noise came from a test seed");
}

sotto_status sot_pate_student_rows(const char *path, const sotto_data_file *file,
                                   uint64_t skip, uint64_t ask,
                                   const sotto_target *target, double **out_probabilities,
                                   sotto_error *error)
{
    sotto_model *model = NULL;
    const size_t classes = target->label_count;
    sotto_status status = sotto_model_load(path, &model, error);
    if (status != SOTTO_OK) return status;
    bool fits = sotto_model_predicts(model) == SOTTO_PREDICTS_PROBABILITIES &&
                sotto_model_classes(model) == classes;
    for (size_t i = 0; fits && i < classes; i++)
        fits = strcmp(sotto_model_class(model, i), target->labels[i]) == 0;
    if (!fits)
        status = sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`student` is %.120s, which gives no probability of each of the teachers' "
            "classes; give a logistic, softmax or network model of the same labels",
            path);
    size_t size;
    if (!sot_size_mul((size_t)ask, classes, &size)) size = SIZE_MAX;
    double *probabilities = NULL;
    if (status == SOTTO_OK) {
        probabilities = sot_new_array(size, sizeof *probabilities);
        if (probabilities == NULL)
            status = sot_fail_memory(error, size, sizeof *probabilities);
    }
    reader self = {
        .skip = skip, .ask = ask, .classes = classes, .probabilities = probabilities};
    if (status == SOTTO_OK)
        status =
            sotto_model_predict_data(model, file, 0.5, take_probabilities, &self, error);
    if (status == SOTTO_INTERRUPTED && self.row == skip + ask) status = SOTTO_OK;
    sotto_model_free(model);
    if (status != SOTTO_OK) {
        sot_free(probabilities);
        return status;
    }
    *out_probabilities = probabilities;
    return SOTTO_OK;
}
