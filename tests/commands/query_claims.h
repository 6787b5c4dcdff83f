/* The claims of src/data/stability.md for one query, on a stored table and its neighbours: at the reader, where rows can be
 * compared one by one, and for whole commands by record-and-replay. */
#ifndef SOTTO_TESTS_QUERY_CLAIMS_H
#define SOTTO_TESTS_QUERY_CLAIMS_H

#include "query_grammar.h"
#include "query_tables.h"
#include "source_cases.h"

#include "data/readers/sqlite/query.h"
#include "data/readers/sqlite/text.h"

static char claim_failure[10000];

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static inline const char *
claim_fails(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(claim_failure, sizeof claim_failure, format, arguments);
    va_end(arguments);
    return claim_failure;
}

/* ---- rows as the reader gives them ---- */

enum { ROW_BYTES = 256 };

typedef struct read_result {
    sotto_status opened, read;
    char message[SOTTO_MESSAGE_BYTES];
    size_t count;
    char rows[ROWS + 1][ROW_BYTES]; /* the cells, then the id */
} read_result;

static inline void claim_read(const char *path, const char *query,
                              const sotto_schema *schema, read_result *out)
{
    sotto_error error = {0};
    sot_query *reader = NULL;
    bool more = true;
    *out = (read_result){.opened =
                             sot_query_open(path, query, schema, false, &reader, &error)};
    /* One row more than were stored is enough to fail a claim. */
    while (out->opened == SOTTO_OK && out->read == SOTTO_OK && more &&
           out->count <= ROWS) {
        double cells[SOURCE_COLUMNS];
        size_t id_bytes = 0;
        out->read = sot_query_next(reader, cells, &more, &error);
        if (out->read != SOTTO_OK || !more) break;
        const char *id = sot_query_id(reader, 3, &id_bytes);
        (void)snprintf(out->rows[out->count++], ROW_BYTES, "%.17g %.17g %.17g %.17g %.*s",
                       cells[0], cells[1], cells[2], cells[4], (int)id_bytes, id);
    }
    memcpy(out->message, error.message, sizeof out->message);
    sot_query_close(reader);
}

/* Whether the rows of `a` without its row `skip_a` are those of `b` without `skip_b`, in order. */
static inline bool rows_match(const read_result *a, size_t skip_a, const read_result *b,
                              size_t skip_b)
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        if (i == skip_a) i++;
        if (j == skip_b) j++;
        if (i >= a->count || j >= b->count) return i >= a->count && j >= b->count;
        if (strcmp(a->rows[i], b->rows[j]) != 0) return false;
    }
}

/* `b` is `a` without the row of `gone`, if it has one, and with that of `come`: somewhere, the others in order. */
static inline bool is_exchange(const read_result *a, const read_result *gone,
                               const read_result *b, const read_result *come)
{
    for (size_t i = 0; i < (gone->count == 0 ? 1 : a->count); i++) {
        if (gone->count == 1 && strcmp(a->rows[i], gone->rows[0]) != 0) continue;
        for (size_t j = 0; j < (come->count == 0 ? 1 : b->count); j++) {
            if (come->count == 1 && strcmp(b->rows[j], come->rows[0]) != 0) continue;
            if (rows_match(a, gone->count == 0 ? SIZE_MAX : i, b,
                           come->count == 0 ? SIZE_MAX : j))
                return true;
        }
    }
    return false;
}

/* ---- the reader ---- */

typedef struct claim_case {
    const stored_scene *scene;
    size_t table;
    const grammar *query;
    const sotto_schema *schema;
    bool has_unit;
    char link[96]; /* where the database is for the reader */
} claim_case;

static inline void claim_look(const claim_case *self, stored_kind kind, size_t row,
                              read_result *out)
{
    stored_link(self->scene, self->table, kind, row, self->link);
    claim_read(self->link, self->query->text, self->schema, out);
}

/* Refused on one table: refused in the same words on the neighbours. */
static inline const char *claim_refused_alike(const claim_case *self,
                                              const read_result *all, size_t row)
{
    static const stored_kind kinds[] = {STORED_WITHOUT, STORED_EXCHANGED, STORED_ALONE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        read_result other;
        claim_look(self, kinds[i], row, &other);
        if (other.opened != all->opened || strcmp(other.message, all->message) != 0)
            return claim_fails("refused otherwise: '%s' and '%s'", all->message,
                               other.message);
    }
    return NULL;
}

/* One stored row contributes a row or none, the same whichever others there are. */
static inline const char *claim_of_row(const claim_case *self, const read_result *all,
                                       size_t row)
{
    read_result alone, without, exchanged, other_alone;
    const read_result none = {0};
    claim_look(self, STORED_ALONE, row, &alone);
    claim_look(self, STORED_WITHOUT, row, &without);
    claim_look(self, STORED_OTHER_ALONE, row, &other_alone);
    claim_look(self, STORED_EXCHANGED, row, &exchanged);
    const read_result *seen[] = {&alone, &without, &other_alone, &exchanged};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (seen[i]->opened != SOTTO_OK || seen[i]->read != SOTTO_OK)
            return claim_fails("row %zu stops it: %s", row, seen[i]->message);
    if (alone.count > 1 || other_alone.count > 1)
        return claim_fails("row %zu becomes several rows", row);
    if (!self->query->has_condition && other_alone.count == 0)
        return claim_fails("row %zu is left out without a condition", row);
    if (!is_exchange(all, &alone, &without, &none))
        return claim_fails("row %zu removed changes more than itself", row);
    if (!is_exchange(all, &alone, &exchanged, &other_alone))
        return claim_fails("row %zu exchanged changes more than itself", row);
    const char *person = stored_rows[row].person;
    const char *id = alone.count == 0 ? NULL : strrchr(alone.rows[0], ' ') + 1;
    if (self->has_unit && id != NULL && strcmp(id, person) != 0)
        return claim_fails("row %zu of %s counts as one of '%s'", row, person, id);
    return NULL;
}

/* All rows in the order of the table's own tree, whatever the query, the indexes and their statistics are. */
static inline const char *claim_of_order(const claim_case *self, const read_result *all)
{
    size_t order[ROWS];
    size_t next = 0;
    stored_order(self->scene, self->table, order);
    for (size_t i = 0; i < ROWS; i++) {
        read_result alone;
        claim_look(self, STORED_ALONE, order[i], &alone);
        if (alone.count == 0 && !self->query->has_condition)
            return claim_fails("row %zu is left out without a condition", order[i]);
        if (alone.count == 0) continue;
        if (next == all->count || strcmp(all->rows[next], alone.rows[0]) != 0)
            return claim_fails("row %zu is not in its place", order[i]);
        next++;
    }
    return next == all->count ? NULL : claim_fails("there are more rows than stored");
}

/* NULL, or the claim that does not hold; *out_accepted: the query gives rows. */
static inline const char *claim_of_query(const claim_case *self, size_t row_step,
                                         bool *out_accepted)
{
    read_result all;
    const char *failure = NULL;
    claim_look(self, STORED_ALL, 0, &all);
    *out_accepted = all.opened == SOTTO_OK;
    if (!*out_accepted) return claim_refused_alike(self, &all, row_step % ROWS);
    if (self->query->must_be_refused) return claim_fails("it must be refused");
    if (self->table == COMPUTED_TABLE) return claim_fails("it reads computed columns");
    if (all.read != SOTTO_OK) return claim_fails("it stops: %s", all.message);
    if (sot_query_has_condition(self->query->text) != self->query->has_condition)
        return claim_fails("its condition is not seen");
    for (size_t row = row_step % ROWS; row < ROWS && failure == NULL; row += row_step)
        failure = claim_of_row(self, &all, row);
    return failure == NULL ? claim_of_order(self, &all) : failure;
}

/* ---- whole commands ---- */

/* The table of a tape names a database: its kind, and the row that is not as in the first. */
static const tape_column claim_columns[] = {{"kind", 0.0, STORED_KINDS, NULL},
                                            {"row", 0.0, ROWS, NULL}};

typedef struct claim_study {
    const claim_case *of;
    source_study study;
    sotto_status status; /* of the last run */
} claim_study;

static inline int claim_run(const tape_table *table, const tape_place *place,
                            void *context)
{
    claim_study *self = context;
    const claim_case *of = self->of;
    char path[160];
    const sotto_data_file file = {.path = path, .query = of->query->text};
    const uint64_t n = self->study.needs_n && !of->query->has_condition ? ROWS : 0;
    (void)snprintf(path, sizeof path, "%s-stored.db", place->input_path);
    stored_link(of->scene, of->table, (stored_kind)tape_at(table, 0, 0)->number,
                (size_t)tape_at(table, 0, 1)->number, path);
    self->status = self->study.is_release
                       ? source_release(&self->study, n, of->schema, &file, NULL)
                       : source_learn(&self->study, n, of->schema, &file, NULL);
    (void)unlink(path);
    return self->status == SOTTO_OK ? 0 : 1;
}

/* Both ways between the whole table and a neighbour. */
static inline const char *claim_of_command(claim_study *self, sotto_adjacency adjacency,
                                           size_t row)
{
    tape_cell cells[2][2] = {
        {{.number = STORED_ALL}, {.number = 0}},
        {{.number = adjacency == SOTTO_ADD_REMOVE ? STORED_WITHOUT : STORED_EXCHANGED},
         {.number = (double)row}}};
    const tape_table tables[2] = {{claim_columns, 2, 1, cells[0]},
                                  {claim_columns, 2, 1, cells[1]}};
    const tape_study tape = {claim_run, self, claim_columns, 2};
    const char *leak = tape_check(&tape, &tables[0], &tables[1]);
    const sotto_status first = self->status;
    if (leak == NULL) leak = tape_check(&tape, &tables[1], &tables[0]);
    if (leak != NULL)
        return claim_fails("%s shows row %zu: %s", self->study.name, row, leak);
    /* Reading fails with another status than opening: too late, after the charge. */
    if (first != SOTTO_OK && first != SOTTO_INVALID_ARGUMENT && first != SOTTO_PARSE)
        return claim_fails("%s fails after the charge", self->study.name);
    return NULL;
}

#endif
