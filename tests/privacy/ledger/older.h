/* tests/privacy/ledger/older.h: ledgers of the older format, written line by line as version 0.1 wrote them. */
#ifndef SOTTO_TESTS_LEDGER_OLDER_H
#define SOTTO_TESTS_LEDGER_OLDER_H

#include "privacy/ledger/scratch.h"

#include <sodium.h>
#include <sqlite3.h>

typedef struct older_lines {
    sqlite3 *base;
    int row;
    char head[65];
    long long charge, own; /* sums */
} older_lines;

static inline void older_sql(sqlite3 *base, const char *sql)
{
    assert_int_equal(sqlite3_exec(base, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* Appends {"row":N,<members>,"previous":...,"hash":...}. */
static inline void older_add(older_lines *lines, const char *members)
{
    char body[4096], sql[8192], hash[65];
    unsigned char digest[32];
    (void)snprintf(body, sizeof body, "{\"row\":%d,%s,\"previous\":\"%s\"", ++lines->row,
                   members, lines->head);
    (void)crypto_generichash(digest, sizeof digest, (const unsigned char *)body,
                             strlen(body), NULL, 0);
    (void)sodium_bin2hex(hash, sizeof hash, digest, sizeof digest);
    (void)snprintf(sql, sizeof sql, "INSERT INTO entry VALUES(%d, '%s,\"hash\":\"%s\"}')",
                   lines->row, body, hash);
    older_sql(lines->base, sql);
    memcpy(lines->head, hash, sizeof hash);
}

/* Begins an (2, 1e-6) ledger with one Renyi filter of order 12.4: 1191655807697 units of 2^-40. */
static inline older_lines older_begin(const scratch *made)
{
    sotto_error error;
    older_lines lines = {.row = 0};
    const sotto_ledger_config config = config_of(1.0, 0.0);
    assert_ok(sotto_ledger_init(made->path, &config, &error), &error);
    memset(lines.head, '0', 64);
    assert_int_equal(sqlite3_open(made->path, &lines.base), SQLITE_OK);
    older_sql(lines.base, "DROP TRIGGER entry_not_removed; DELETE FROM entry; "
                          "PRAGMA user_version = 1");
    older_add(&lines, "\"kind\":\"init\",\"time\":1,\"format\":1,\"dataset\":"
                      "\"clinic-2026\",\"adjacency\":\"add-remove\",\"epsilon\":2.0,"
                      "\"delta\":1e-6,\"own_delta\":1e-7,\"budget\":1191655807697,"
                      "\"own_delta_budget\":461168601842,\"order\":12.4,\"units\":\"x\"");
    return lines;
}

static inline void older_charge(older_lines *lines, long long charge, const char *plan)
{
    char members[2048];
    lines->charge += charge;
    (void)snprintf(members, sizeof members,
                   "\"kind\":\"reserve\",\"time\":1,\"label\":\"older\",\"charge\":%lld,"
                   "\"own_delta\":0,\"sampler_error\":0,\"charge_sum\":%lld,"
                   "\"own_delta_sum\":0,\"sampler_error_sum\":0,\"plan\":%s",
                   charge, lines->charge, plan);
    older_add(lines, members);
}

static inline sotto_ledger *older_end(older_lines *lines, const scratch *made)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    older_sql(lines->base,
              "CREATE TRIGGER entry_not_removed BEFORE DELETE ON entry BEGIN SELECT "
              "raise(ABORT, 'ledger rows are never removed'); END");
    assert_int_equal(sqlite3_close(lines->base), SQLITE_OK);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    return ledger;
}

/* The (2, 1e-6) ledger with `runs` pure releases of epsilon 0.25, each charged 0.2 at order 12.4 (it costs less). */
static inline sotto_ledger *older_ledger(const scratch *made, int runs)
{
    older_lines lines = older_begin(made);
    for (int i = 0; i < runs; i++)
        older_charge(&lines, 219902325556,
                     "{\"adjacency\":\"add-remove\",\"events\":[{\"count\":1,"
                     "\"epsilon\":0.25,\"mechanism\":\"pure\"}]}");
    return older_end(&lines, made);
}

#endif
