/* What Frank and Wolfe's method is for: many columns, few of which matter.
 *
 *     bench_frank_wolfe
 *
 * 4000 rows of 1000 columns, each -1 or 1; three of them decide the label, nine times in ten. 3 seeds a
 * method, every setting the rule's. One JSON line a method; exits 1 unless frank-wolfe is the best of
 * them and beats the commoner class by far. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/model.h>
#include <sotto/train.h>

enum { ROWS = 4000, HELD = 2000, COLUMNS = 1000, CELLS = COLUMNS + 1, SEEDS = 3 };

static uint64_t mixed(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Cells as the schema has them: the columns, then the place of the label. */
static void make_rows(size_t rows, uint64_t seed, double *cells)
{
    for (size_t i = 0; i < rows; i++) {
        double *row = cells + i * CELLS;
        for (size_t j = 0; j < COLUMNS; j++)
            row[j] = mixed(&seed) >> 63 ? 1.0 : -1.0;
        const bool positive = row[10] + row[500] - row[900] > 0.0;
        const bool wrong = mixed(&seed) % 10 == 0;
        row[COLUMNS] = positive != wrong ? 1.0 : 0.0;
    }
}

static char *make_schema(void)
{
    const size_t room = 80 * (size_t)CELLS;
    char *text = malloc(room);
    size_t length = 0;
    if (text == NULL) return NULL;
    length += (size_t)snprintf(text, room, "{\"target\": \"y\", \"columns\": [");
    for (size_t j = 0; j < COLUMNS; j++)
        length += (size_t)snprintf(text + length, room - length,
                                   "{\"name\": \"x%zu\", \"type\": \"number\", "
                                   "\"lower\": -1, \"upper\": 1}, ",
                                   j);
    (void)snprintf(text + length, room - length,
                   "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", "
                   "\"yes\"]}]}");
    return text;
}

static sotto_records records_of(const double *cells, size_t rows)
{
    return (sotto_records){.features = {cells, SOTTO_FLOAT64, rows, CELLS,
                                        CELLS * sizeof *cells, sizeof *cells}};
}

/* The mean accuracy on the rows held back. */
static sotto_status score(const sotto_schema *schema, const double *seen,
                          const double *held, sotto_method method, double *out_accuracy,
                          sotto_error *error)
{
    const sotto_records records = records_of(seen, ROWS);
    const sotto_records others = records_of(held, HELD);
    sotto_status status = SOTTO_OK;
    *out_accuracy = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS && status == SOTTO_OK; seed++) {
        sotto_train_config config = sotto_train_defaults();
        sotto_train_result *result = NULL;
        sotto_model *model = NULL;
        sotto_evaluation evaluation = {0};
        config.model = SOTTO_MODEL_LOGISTIC;
        config.method = method;
        config.epsilon = 1.0;
        config.delta = 1e-6;
        config.expected_rows = ROWS;
        config.insecure_test = true;
        config.test_seed = seed;
        status = sotto_train_records(&config, schema, &records, &result, error);
        if (status == SOTTO_OK) {
            const char *json = sotto_train_json(result);
            status = sotto_model_parse("model", json, strlen(json), &model, error);
        }
        if (status == SOTTO_OK)
            status =
                sotto_model_evaluate_records(model, &others, 0.5, &evaluation, error);
        *out_accuracy += evaluation.accuracy / SEEDS;
        sotto_evaluation_clear(&evaluation);
        sotto_model_free(model);
        sotto_train_free(result);
    }
    return status;
}

int main(void)
{
    static const sotto_method methods[] = {SOTTO_METHOD_FRANK_WOLFE,
                                           SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    enum { METHODS = sizeof methods / sizeof methods[0] };
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    double accuracy[METHODS], best = 0.0;
    char *text = make_schema();
    double *seen = malloc(ROWS * CELLS * sizeof *seen);
    double *held = malloc(HELD * CELLS * sizeof *held);
    if (text == NULL || seen == NULL || held == NULL) return 1;
    make_rows(ROWS, 1, seen);
    make_rows(HELD, 2, held);
    sotto_status status =
        sotto_schema_parse("sparse", text, strlen(text), &schema, &error);
    for (size_t i = 0; i < METHODS && status == SOTTO_OK; i++) {
        status = score(schema, seen, held, methods[i], &accuracy[i], &error);
        if (status != SOTTO_OK) break;
        printf("{\"bench\": \"frank-wolfe\", \"rows\": %d, \"columns\": %d, \"method\": "
               "\"%s\", \"epsilon\": 1, \"accuracy\": %.4f}\n",
               ROWS, COLUMNS, sotto_method_name(methods[i]), accuracy[i]);
        (void)fflush(stdout);
        if (i > 0) best = fmax(best, accuracy[i]);
    }
    sotto_schema_free(schema);
    free(text);
    free(seen);
    free(held);
    if (status != SOTTO_OK) {
        fprintf(stderr, "bench_frank_wolfe: %s\n", error.message);
        return 1;
    }
    return accuracy[0] > best && accuracy[0] > 0.7 ? 0 : 1;
}
