/* The report of a ledger by itself. */
#include <sotto/report.h>

#include "report/grade.h"

sotto_status sotto_report_render_ledger(const char *path, sotto_grade *out_grade,
                                        char **out_html, sotto_error *error)
{
    sot_report_ledger ledger;
    sotto_status status = sot_report_ledger_read(path, NULL, NULL, &ledger, error);
    const sot_report report = {.subject = SOT_SUBJECT_LEDGER, .ledger = &ledger};
    if (status == SOTTO_OK) status = sot_report_write(&report, out_html, error);
    if (status == SOTTO_OK) *out_grade = sot_report_grade(&report).grade;
    sot_report_ledger_clear(&ledger);
    return status;
}
