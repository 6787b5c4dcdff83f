/* privacy/accounting/plan/json_write.h: a plan as a JSON value inside a larger document. */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_JSON_WRITE_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_JSON_WRITE_H

#include <sotto/accountant.h>

#include "base/json/writer.h"

/* Writes the object that sotto_plan_to_json() describes. Errors stick to the writer. */
void sot_plan_write(const sotto_plan *plan, sot_json_writer *writer);

#endif
