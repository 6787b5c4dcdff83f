/* artifact/certificate/certificate.h: a certificate in memory, and the steps between it and its
 * JSON.
 *
 * Idea: a certificate has facts and claims. The facts describe the run: the plan and the number
 * of releases of each event, the source of the noise, the unit, the ledger. The claims follow
 * from the facts: every epsilon, the attack table, the sentence. Making a certificate computes
 * the claims. Verifying one reads the facts, computes and writes the claims again, and compares
 * with the file.
 */
#ifndef SOT_ARTIFACT_CERTIFICATE_CERTIFICATE_H
#define SOT_ARTIFACT_CERTIFICATE_CERTIFICATE_H

#include <sotto/certificate.h>

#include "base/json/json.h"
#include "base/json/writer.h"

enum {
    SOT_CERTIFICATE_VERSION =
        2, /* of every certified file; a reader refuses newer ones. Since 2 per file states its request */
    SOT_GUARANTEES_MAX = 5,    /* rows of the table of epsilons */
    SOT_PROFILE_SIZE = 7,      /* further pairs, for the attack table */
    SOT_ATTACKS_SIZE = 4,      /* rows of the attack table */
    SOT_LIST_MAX = 64,         /* entries of `covered` and of `unprotected` */
    SOT_TEXT_BYTES_MAX = 1000, /* of any text a caller brings */
    SOT_STATEMENT_BYTES = 4096,
    SOT_SOFTWARE_BYTES = 200
};

/* One certified pair; epsilon is NaN where no finite epsilon holds at this delta. */
typedef struct sot_guarantee {
    double delta;
    double epsilon;
    double epsilon_lower; /* NaN: the accountant has no lower bound */
} sot_guarantee;

/* Values derived from the facts. */
typedef struct sot_claims {
    double epsilon, delta; /* the headline */
    sotto_kernel kernel;   /* that gave the headline */
    sot_guarantee guarantees[SOT_GUARANTEES_MAX];
    size_t guarantee_count;
    sot_guarantee profile[SOT_PROFILE_SIZE];
    double mu, rho;                               /* NaN: the plan has none */
    double true_positive_rates[SOT_ATTACKS_SIZE]; /* at sot_false_positive_rates */
} sot_claims;

extern const double sot_false_positive_rates[SOT_ATTACKS_SIZE];

/* The software that computed: equal texts give equal bits, so claims must then agree exactly. */
typedef struct sot_software {
    char version[SOT_SOFTWARE_BYTES];
    char build[SOT_SOFTWARE_BYTES];      /* compiler and flags */
    char arithmetic[SOT_SOFTWARE_BYTES]; /* C library, machine: they set the last bits */
} sot_software;

/* The member "request" of a file that a program of the caller's made: nothing follows from it. */
#define SOT_REQUEST_APPLICATION "{\"command\": \"application\"}"

typedef struct sot_certificate {
    int64_t version; /* of the file's format; 0: the newest */
    const char
        *request_json; /* the settings from which the file follows; version 1 has none */
    /* facts; texts and lists are borrowed */
    sotto_certificate_facts facts;
    const sotto_plan *plan;
    const uint64_t *released; /* one for each event of the plan */
    bool is_secure;           /* the noise came from the operating system */
    bool is_capped; /* the plan's counts are upper limits: the number of releases is an
                     * output, and the claim is for the whole plan */
    double sampler_error;
    sot_software software;
    /* claims */
    sot_claims claims;
    char statement[SOT_STATEMENT_BYTES];
} sot_certificate;

/* Checks that texts are short UTF-8 without control characters, and numbers are in range. Every
 * event was released as often as planned (or at most, where counts are caps). The ledger's sums
 * are right and its charge covers the plan. `status` is used for every refusal. */
SOTTO_MUST_CHECK sotto_status sot_certificate_check(const sot_certificate *certificate,
                                                    sotto_status status,
                                                    sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_ledger_facts_check(const sot_certificate *certificate,
                                                     sotto_status status,
                                                     sotto_error *error);

/* Fills `claims` from the facts. */
SOTTO_MUST_CHECK sotto_status sot_claims_compute(sot_certificate *certificate,
                                                 sotto_error *error);

/* Fills `statement` from facts and claims: a few sentences for all readers. */
void sot_statement_write(sot_certificate *certificate);

/* The same, in the former words if those are the `stated` ones: to recompute the statement of an older file. */
void sot_statement_write_like(sot_certificate *certificate, const char *stated);
/* The source of records in memory, in files of sotto 0.1.0. */
extern const char sot_former_records_in_memory[];

/* This library, on this machine. */
SOTTO_MUST_CHECK sotto_status sot_software_describe(sot_software *out_software,
                                                    sotto_error *error);

/* Writes all members of the certificate. The caller opens and closes the object and adds the
 * seal: the hash and, unless `signer` is NULL, the signature. */
void sot_certificate_write(const sot_certificate *certificate, sot_json_writer *writer);
void sot_certificate_write_seal(sot_json_writer *writer, const char *hash,
                                const char *signer, const char *signature);

/* Begins the file: an object with the payload's members and the request (NULL: none). The caller
 * adds the certificate and closes it. */
void sot_certificate_write_file(sot_json_writer *writer, const sot_json_value *payload,
                                const sot_json_value *request);

/* ---- selection.c: the price of a tuning ---- */

/* `selection` fits the plan: one event that happens once, and plans for the same neighbours. */
SOTTO_MUST_CHECK sotto_status sot_certificate_check_selection(
    const sot_certificate *certificate, sotto_status status, sotto_error *error);
void sot_certificate_write_selection(const sotto_selection *selection,
                                     sot_json_writer *writer);

/* The plan as it follows from `selection`, at the orders that it states; *out_plan is NULL if there is none. A plan that is
 * the price of a tuning and has no selection is refused: SOTTO_VERIFICATION. Free with sotto_plan_free(). */
SOTTO_MUST_CHECK sotto_status sot_certificate_plan_again(
    const sot_certificate *certificate, sotto_plan **out_plan, sotto_error *error);

/* ---- reading ---- */

/* A certificate read from a file, with the memory it borrows. Start with {0}; release
 * with sot_certificate_file_close(). */
typedef struct sot_certificate_file {
    sot_json *document;
    sot_json_value root;
    sot_json_value member; /* "certificate" */
    sot_certificate certificate;
    sotto_plan *plan;
    uint64_t *released;
    sotto_reservation ledger;
    const char *covered[SOT_LIST_MAX + 1];
    const char *unprotected[SOT_LIST_MAX + 1];
    const char *hash;
    sot_json_value request; /* version 2: "request", an object */
    const char *signer;     /* public key, as hexadecimal; NULL: the file is not signed */
    const char *signature;
    sotto_plan **selection_plans; /* NULL: the output was not tuned */
    sotto_selection selection;
} sot_certificate_file;

/* Reads a plan inside a document with the plan reader, which defines plans. */
SOTTO_MUST_CHECK sotto_status sot_certificate_read_plan(const sot_json_value *plan,
                                                        sotto_plan **out_plan,
                                                        sotto_error *error);
/* selection.c: of file->member, if it has one. */
SOTTO_MUST_CHECK sotto_status sot_certificate_read_selection(sot_certificate_file *file,
                                                             sotto_error *error);
void sot_certificate_free_selection(sot_certificate_file *file);

/* Reads facts and stated claims. All refusals but lack of memory are SOTTO_VERIFICATION. The
 * claims are not checked. */
SOTTO_MUST_CHECK sotto_status sot_certificate_file_open(const char *text,
                                                        size_t size_bytes,
                                                        sot_certificate_file *out_file,
                                                        sotto_error *error);
void sot_certificate_file_close(sot_certificate_file *file);

/* BLAKE2b-256 over the canonical form of `root` without the members "hash" and "signature" of
 * `certificate` (NULL: all of it). */
SOTTO_MUST_CHECK sotto_status sot_certificate_hash(const sot_json_value *root,
                                                   const sot_json_value *certificate,
                                                   char out_hash[SOTTO_HASH_HEX_BYTES],
                                                   sotto_error *error);

/* Finds the first difference between the stated and the recomputed values, both as JSON values;
 * SOTTO_VERIFICATION names it. `path` is that of the values, "" for the whole file. `exact`:
 * every number must agree to the last bit. Otherwise bounds may be on the safe side, or worse by
 * a relative 1e-9; settings and plans must agree to that. */
SOTTO_MUST_CHECK sotto_status sot_certificate_compare(const sot_json_value *stated,
                                                      const sot_json_value *recomputed,
                                                      const char *path, bool exact,
                                                      sotto_error *error);

/* again.c: compares the whole file with the one that follows from its request. `recomputed` has
 * facts, plan, released counts, caps and sampler error. The claims follow from the plan; the
 * source of the noise, the ledger and the software are the file's. `payload_json` is the file
 * without "request" and "certificate". */
SOTTO_MUST_CHECK sotto_status
sot_certificate_file_compare(const sot_certificate_file *file, const char *payload_json,
                             const sot_certificate *recomputed, sotto_error *error);

/* Sets whether this very software made the file: then every number must agree to the last
 * bit. */
SOTTO_MUST_CHECK sotto_status sot_certificate_file_is_exact(
    const sot_certificate_file *file, bool *out_exact, sotto_error *error);

/* believed.c: whether an application made the file, so that sotto cannot plan it again. The
 * members of an open file that no reader can check, and their number. */
bool sot_certificate_is_application(const sot_certificate_file *file);
size_t sot_certificate_believed(const sot_certificate_file *file,
                                const sotto_belief *out_believed[SOTTO_BELIEFS_MAX]);

/* A file of kind "release", "model" or "labels" repeats its guarantee for people: epsilon, delta,
 * adjacency; a model and labels also their unit. The stated epsilon is the requested one, so it
 * may exceed the certificate's. SOTTO_VERIFICATION names the first that the certificate does not
 * support. Other kinds of files are not checked. */
SOTTO_MUST_CHECK sotto_status sot_certificate_compare_payload(
    const sot_json_value *root, const sot_certificate *certificate, sotto_error *error);

/* Verification of an open file; `out_exact` states whether the same software made it. */
SOTTO_MUST_CHECK sotto_status sot_certificate_file_verify(sot_certificate_file *file,
                                                          bool *out_exact,
                                                          sotto_error *error);

/* The same without the last check: a file of a test seed passes. Files derived from it
 * inherit that. */
SOTTO_MUST_CHECK sotto_status sot_certificate_file_recompute(sot_certificate_file *file,
                                                             bool *out_exact,
                                                             sotto_error *error);

/* Summarises an open file after its verification had this outcome. */
void sot_certificate_file_summarize(const sot_certificate_file *file,
                                    sotto_status outcome, bool exact, const char *reason,
                                    sotto_certificate_summary *out_summary);

/* The outcome of a verification, for a page. */
typedef struct sot_verdict {
    sotto_status status;
    sotto_error reason;
    bool is_exact;
    bool is_whole;  /* the file was compared with its request, not its certificate only */
    bool in_ledger; /* a ledger was asked, and has paid for the file and committed it */
    char curator[SOTTO_KEY_HEX_BYTES]; /* of that ledger; "": it has none */
    const char *signed_by; /* the key that must have signed; NULL: any, or none */
} sot_verdict;
/* render.c: the page of an open file; free the text with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_certificate_file_render(
    const sot_certificate_file *file, const sot_verdict *verdict,
    sotto_certificate_form form, char **out_text, sotto_error *error);

/* advisory.c: the advisories that can concern an open file; returns their number. */
size_t
sot_certificate_advisories(const sot_certificate_file *file,
                           const sotto_advisory *out_advisories[SOTTO_ADVISORIES_MAX]);

/* A forger can remove the request and call a file one of version 1. So a page states the rules of the verification, and the questions
 * that they leave open: " by the rules of version 1", and a sentence. Empty texts for newer files. */
const char *sot_certificate_rules(const sot_certificate_file *file);
const char *sot_certificate_open_question(const sot_certificate_file *file);

/* An advisory for people: its title, and its meaning for a file of `version`. */
void sot_advisory_title(const sotto_advisory *advisory, char *out, size_t size_bytes);
void sot_advisory_text(const sotto_advisory *advisory, const char *version, char *out,
                       size_t size_bytes);

/* gate.c: sotto_certificate_attach() for a run whose settings are `request_json`. */
SOTTO_MUST_CHECK sotto_status sot_certificate_attach_run(
    const char *payload_json, const char *request_json, const sotto_gate *gate,
    const sotto_certificate_facts *facts, char **out_text,
    char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error);

/* The work of sotto_certificate_attach(): `certificate` has its facts filled in. */
SOTTO_MUST_CHECK sotto_status sot_certificate_attach(const char *payload_json,
                                                     sot_certificate *certificate,
                                                     char **out_text,
                                                     char out_hash[SOTTO_HASH_HEX_BYTES],
                                                     sotto_error *error);

#endif
