#include "commands/pac/invented.h"

#include "data/source/source.h"
#include "methods/kinds.h"

sotto_status sot_pac_invented_plan(const sotto_schema *schema, const char *text,
                                   sotto_method method, sotto_adjacency adjacency,
                                   double epsilon, sotto_training **out_training,
                                   sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_CONCEPT;
    config.method = method;
    config.concept = text;
    config.threads = 1;
    if (sot_method_row_of(method)->noiseless) {
        config.data_is_public = true;
    } else {
        config.adjacency = adjacency;
        config.epsilon = epsilon;
    }
    return sotto_training_plan(&config, schema, out_training, error);
}

sotto_status sot_pac_invented_rows(const sotto_training *training, const double *cells,
                                   size_t rows, sotto_rng *rng, sot_matrix **out_matrix,
                                   sotto_error *error)
{
    const size_t columns = sotto_schema_size(training->schema);
    const sotto_records records = {
        .features = {.data = cells,
                     .element = SOTTO_FLOAT64,
                     .rows = rows,
                     .columns = columns,
                     .row_stride_bytes = (ptrdiff_t)(columns * sizeof *cells),
                     .column_stride_bytes = (ptrdiff_t)sizeof *cells}};
    sot_source *source = NULL;
    sotto_status status =
        sot_source_open_records(&records, training->schema, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, training->schema, training->encoding, rng,
                                 out_matrix, error);
    sot_source_close(source);
    return status;
}

sotto_status sot_pac_invented_learn(const sotto_training *training,
                                    const sot_matrix *matrix, sotto_rng *rng,
                                    double *out_numbers, sotto_error *error)
{
    sotto_gate *gate = NULL;
    sotto_status status = SOTTO_OK;
    if (training->plan != NULL) {
        status = sotto_gate_new(training->plan, rng, &gate, error);
        if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    }
    if (status == SOTTO_OK)
        status = sot_training_learn(training, gate, matrix, out_numbers, error);
    sotto_gate_free(gate);
    return status;
}
