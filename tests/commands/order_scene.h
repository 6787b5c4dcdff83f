/* Charge first: a directory with a schema that names a ledger, a data file, and the money that was spent. */
#ifndef SOTTO_TESTS_ORDER_SCENE_H
#define SOTTO_TESTS_ORDER_SCENE_H

#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include <sotto/ledger.h>
#include <sotto/schema.h>

#include "base/file/file.h"
#include "privacy/mechanisms/gate/tape.h"

typedef struct scene {
    char directory[64];
    char ledger[96], data[96], output[96], schema_path[96];
    sotto_schema *schema;
} scene;

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* `ledger` NULL: there is none. */
static inline scene *order_set_up(const char *schema, const char *data,
                                  const sotto_ledger_config *ledger)
{
    static scene s;
    sotto_error error;
    strcpy(s.directory, "/tmp/order-XXXXXX");
    assert_non_null(mkdtemp(s.directory));
    snprintf(s.ledger, sizeof s.ledger, "%s/budget.ledger", s.directory);
    snprintf(s.data, sizeof s.data, "%s/data.csv", s.directory);
    snprintf(s.output, sizeof s.output, "%s/out.json", s.directory);
    snprintf(s.schema_path, sizeof s.schema_path, "%s/schema.json", s.directory);
    char text[1024];
    snprintf(text, sizeof text, "{\"ledger\": \"budget.ledger\", %s", schema + 1);
    write_text(s.schema_path, text);
    write_text(s.data, data);
    assert_ok(sotto_schema_load(s.schema_path, &s.schema, &error), &error);
    if (ledger != NULL) assert_ok(sotto_ledger_init(s.ledger, ledger, &error), &error);
    return &s;
}

static inline sotto_ledger_config order_ledger(const char *dataset, double epsilon,
                                               double delta)
{
    sotto_ledger_config config = sotto_ledger_defaults();
    snprintf(config.dataset, sizeof config.dataset, "%s", dataset);
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = epsilon;
    config.delta = delta;
    return config;
}

static inline void tear_down(scene *s)
{
    sotto_schema_free(s->schema);
    (void)unlink(s->ledger);
    (void)unlink(s->data);
    (void)unlink(s->output);
    (void)unlink(s->schema_path);
    assert_int_equal(rmdir(s->directory), 0); /* nothing else was written */
}

static inline double spent(const scene *s)
{
    sotto_error error;
    sotto_ledger *ledger;
    sotto_ledger_balance balance;
    assert_ok(sotto_ledger_open(s->ledger, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_read_balance(ledger, &balance, &error), &error);
    sotto_ledger_close(ledger);
    return balance.spent;
}

/* How many releases go through the gate while `run` runs with its context. */
typedef sotto_status (*order_run)(const void *config, const scene *s, sotto_error *error);
static inline size_t order_releases(order_run run, const void *config, const scene *s,
                                    sotto_status *out_status, sotto_error *error)
{
    sot_tape *tape = sot_tape_new();
    sot_tape_record(tape);
    *out_status = run(config, s, error);
    sot_tape_stop(tape);
    const size_t count = sot_tape_releases(tape);
    sot_tape_free(tape);
    return count;
}

#endif
