/* artifact/certificate/page.h: the parts of a certificate's page. */
#ifndef SOT_ARTIFACT_CERTIFICATE_PAGE_H
#define SOT_ARTIFACT_CERTIFICATE_PAGE_H

#include "artifact/certificate/certificate.h"
#include "artifact/page/page.h"

/* The guarantee: statement, figures, tables of epsilons and of attacks. */
void sot_page_add_guarantee(sot_page *page, const sot_certificate *certificate);

/* Adds the protected and the unprotected parts. */
void sot_page_add_scope(sot_page *page, const sot_certificate *certificate);

/* Adds the run: the releases, their noise, the charged ledger. */
void sot_page_add_run(sot_page *page, const sot_certificate *certificate);

/* The members that no reader can check. */
void sot_page_add_believed(sot_page *page, const sot_certificate_file *file);

/* The software that made it, its hash, and how to recompute it. */
void sot_page_add_check(sot_page *page, const sot_certificate_file *file);

#endif
