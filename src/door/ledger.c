/* The budget behind the front door: a ledger by its path. */
#include <sotto/ledger.h>
#include <sotto/sotto.h>

sotto_status sotto_ledger_read(const char *path, sotto_ledger_balance *out_balance,
                               sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_read_balance(ledger, out_balance, error);
    sotto_ledger_close(ledger);
    return status;
}

sotto_status sotto_ledger_verify(const char *path, const char *expected_head,
                                 sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK) status = sotto_ledger_check(ledger, expected_head, error);
    sotto_ledger_close(ledger);
    return status;
}
