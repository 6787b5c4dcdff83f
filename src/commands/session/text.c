/* Texts of certificates and summaries that are common to every run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "commands/session/session.h"

void sot_name_unit(const sotto_schema *schema, char name[SOT_UNIT_NAME_BYTES])
{
    char column[80];
    const char *unit = schema == NULL ? NULL : sotto_schema_unit(schema);
    if (unit == NULL) {
        (void)snprintf(name, SOT_UNIT_NAME_BYTES, "row");
        return;
    }
    (void)snprintf(name, SOT_UNIT_NAME_BYTES,
                   "value of the column '%s' (at most %llu rows each)",
                   sot_printable(unit, column, sizeof column),
                   (unsigned long long)sotto_schema_unit_rows(schema));
}

/* Where the rows are: "data file", or the table of a database. */
static void name_place(const sot_session *session, char place[SOT_COVERED_BYTES])
{
    char table[160];
    const bool is_stream =
        session->data_path != NULL &&
        (session->origin == SOT_ROWS_STREAMED || sot_rows_are_declared(session->origin));
    if (session->table != NULL) {
        (void)snprintf(place, SOT_COVERED_BYTES, "the rows of the table %s",
                       sot_printable(session->table, table, sizeof table));
    } else {
        (void)snprintf(place, SOT_COVERED_BYTES, "%s",
                       is_stream                    ? "the rows of the stream"
                       : session->data_path != NULL ? "the rows of the data file"
                                                    : "the records in memory");
    }
}

void sot_session_covered(const sot_session *session, char covered[SOT_COVERED_BYTES])
{
    char query[SOT_COVERED_BYTES - 80];
    char place[SOT_COVERED_BYTES], where[SOT_COVERED_BYTES - 240];
    if (session->query == NULL && session->where == NULL) {
        name_place(session, place);
        (void)snprintf(covered, SOT_COVERED_BYTES, "%.500s, once", place);
        return;
    }
    if (session->where != NULL) {
        name_place(session, place);
        (void)snprintf(covered, SOT_COVERED_BYTES,
                       "%.180s that the condition selects, once: %s", place,
                       sot_printable(session->where, where, sizeof where));
        return;
    }
    (void)snprintf(covered, SOT_COVERED_BYTES,
                   "the rows that the query selects, once: %s",
                   sot_printable(session->query, query, sizeof query));
}

const char *sot_state_stream(sot_origin origin)
{
    if (sot_rows_are_declared(origin))
        return "that the stream held every row of a stored table, under the table's own "
               "column names: declared by the caller, not checked";
    if (origin != SOT_ROWS_STREAMED) return NULL;
    return "that each row of the stream came from one stored record, and that the "
           "program "
           "behind the stream fails on no record: not checked";
}

size_t sot_session_row_facts(const sot_session *session,
                             const char *out_facts[SOT_ROWS_FACTS])
{
    const bool has_unit =
        session->schema != NULL && sotto_schema_unit(session->schema) != NULL;
    size_t count = 0;
    if (session->plan == NULL) return 0;
    const bool is_counted = sotto_plan_adjacency(session->plan) == SOTTO_REPLACE_ONE &&
                            (!has_unit || session->counts_units) &&
                            !sot_rows_are_secret(session->origin);
    if (is_counted)
        out_facts[count++] = has_unit ? "the number of units" : "the number of rows";
    if (sot_state_stream(session->origin) != NULL)
        out_facts[count++] = sot_state_stream(session->origin);
    if (is_counted && session->origin == SOT_ROWS_GIVEN)
        out_facts[count++] = "that the records in memory were every row of a stored "
                             "table: declared by the caller, not checked";
    return count;
}

/* ---- lines of the summary ---- */

static void state_loss(sot_prose *prose, double epsilon, double delta)
{
    char loss[SOT_SHOWN_BYTES], slack[SOT_SHOWN_BYTES];
    if (isnan(delta)) {
        sot_prose_line(prose, "epsilon", "%s (pure)", sot_shown(epsilon, 0, loss));
    } else {
        sot_prose_line(prose, "epsilon", "%s at delta %s", sot_shown(epsilon, 0, loss),
                       sot_shown(delta, 0, slack));
    }
}

void sot_prose_guarantee(sot_prose *prose, double epsilon, double delta,
                         sotto_adjacency adjacency, const sotto_schema *schema,
                         sot_origin origin)
{
    static const char *const sentences[2][2] = {
        {"one row more or less; the number of rows is secret",
         "one row exchanged; the number of rows is public"},
        {"all rows of one unit more or less; the number of rows is secret",
         "all rows of one unit exchanged for those of another"}};
    const bool has_unit = schema != NULL && sotto_schema_unit(schema) != NULL;
    const bool replaced = adjacency == SOTTO_REPLACE_ONE;
    state_loss(prose, epsilon, delta);
    sot_prose_line(prose, "adjacency", "%s (%s)", sotto_adjacency_name(adjacency),
                   replaced && !has_unit && sot_rows_are_secret(origin)
                       ? "one stored row exchanged; the number of selected rows is secret"
                       : sentences[has_unit][replaced]);
    if (has_unit) {
        char unit[SOT_UNIT_NAME_BYTES];
        sot_name_unit(schema, unit);
        sot_prose_line(prose, "unit", "%s", unit);
    }
}

void sot_prose_guarantee_of_teachers(sot_prose *prose, double epsilon, double delta,
                                     sotto_adjacency adjacency)
{
    state_loss(prose, epsilon, delta);
    sot_prose_line(prose, "adjacency", "%s (one whole teacher %s)",
                   sotto_adjacency_name(adjacency),
                   adjacency == SOTTO_REPLACE_ONE ? "exchanged" : "more or less");
    sot_prose_line(prose, "unit", "teacher: no claim about one row");
}

/* The process that did it, if not this call. */
static void state_outcome(sot_prose *prose, const sot_session *session)
{
    if (session->outcome == SOTTO_RUN_RECOVERED)
        sot_prose_line(prose, "recovered",
                       "an earlier process had finished this run and ended before it "
                       "printed the result; nothing was charged again");
    if (session->outcome == SOTTO_RUN_FINISHED)
        sot_prose_line(
            prose, "finished before",
            "row %llu of the ledger is the charge of this run, and nothing was charged "
            "again; --again starts a new run on the present records",
            (unsigned long long)session->reservation.id);
}

void sot_prose_ledger(sot_prose *prose, const sot_session *session)
{
    char charged[SOT_SHOWN_BYTES], left[SOT_SHOWN_BYTES], room[SOTTO_ROOM_TEXT_BYTES];
    static const char *const currencies[] = {
        "",     "epsilon", "Renyi divergence at the member's order",
        "mu^2", "rho",     "epsilon"};
    const sotto_reservation *reservation = &session->reservation;
    state_outcome(prose, session);
    if (session->ledger == NULL) {
        sot_prose_line(prose, "ledger", "none (cumulative privacy loss is not tracked)");
        return;
    }
    const sotto_ledger_balance *after = &reservation->after;
    const sotto_member_kind kind = after->members[after->member].kind;
    sot_prose_line(prose, "ledger", "%s: charged %s, left %s (%s member: %s)",
                   after->dataset, sot_shown(reservation->charged, 1, charged),
                   sot_shown(after->left, -1, left), sotto_member_name(kind),
                   currencies[kind]);
    sotto_ledger_describe_room(&after->room, room);
    sot_prose_line(prose, "left, one of", "%s", room);
}
