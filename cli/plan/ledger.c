/* sotto plan --ledger: would this plan be admitted, and by which member? */
#include <math.h>

#include "ledger/ledger.h"
#include "plan/report.h"

sotto_status plan_ask_ledger(const cli_call *call, double delta, plan_report *report,
                             sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    if (!cli_given(call, "ledger")) return SOTTO_OK;
    sotto_status status = sotto_ledger_open(cli_text(call, "ledger"), &ledger, error);
    if (status == SOTTO_OK)
        status =
            sotto_ledger_try(ledger, report->plan, 0.0, delta > 0.0 ? delta : SOTTO_UNSET,
                             &report->ledger, error);
    if (status == SOTTO_OK && !report->ledger.admitted)
        cli_spell(call, &report->ledger.reason);
    sotto_ledger_close(ledger);
    report->has_ledger = status == SOTTO_OK;
    return status;
}

void plan_show_ledger(const sotto_ledger_preview *preview)
{
    char text[SOTTO_ROOM_TEXT_BYTES], currency[64], charged[CLI_NUMBER_BYTES],
        left[CLI_NUMBER_BYTES];
    if (!preview->admitted) {
        cli_line("ledger", "refused: %s", preview->reason.message);
        return;
    }
    const sotto_ledger_balance *after = &preview->after;
    const sotto_ledger_member *member = &after->members[after->member];
    cli_line("ledger", "admitted: the %s member keeps the most, charged %s, left %s (%s)",
             sotto_member_name(member->kind),
             cli_rounded_up(preview->charged, CLI_SHOWN_DIGITS, charged),
             cli_rounded_down(member->left, CLI_SHOWN_DIGITS, left),
             ledger_currency(member, currency));
    sotto_ledger_describe_room(&after->room, text);
    cli_line("then, one of", "%s", text);
}

void plan_add_ledger(sotto_json_writer *json, const sotto_ledger_preview *preview)
{
    sotto_json_object(json, "ledger");
    sotto_json_flag(json, "admitted", preview->admitted);
    if (preview->admitted) {
        const sotto_ledger_balance *after = &preview->after;
        sotto_json_text(json, "by",
                        sotto_member_name(after->members[after->member].kind));
        sotto_json_number(json, "charged", preview->charged);
        ledger_add_balance(json, after);
    } else {
        sotto_json_text(json, "reason", preview->reason.message);
    }
    sotto_json_end(json);
}
