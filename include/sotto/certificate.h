/* sotto/certificate.h: what a release reveals at most, whole and re-checkable.
 *
 * Idea        A certificate is a JSON object inside the released file: a sentence, epsilon at
 *             several deltas, the plan that was carried out, the ledger before and after, and a
 *             hash over everything else in the file. Anyone can recompute all of it.
 * Assumes     That the software which wrote it did what the plan says: the hash guards against
 *             editing, not against lying.
 */
#ifndef SOTTO_CERTIFICATE_H
#define SOTTO_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/ledger.h>
#include <sotto/memory.h>
#include <sotto/selection_cost.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No certified file is larger. */
#define SOTTO_CERTIFIED_BYTES_MAX ((size_t)256 << 20)

/* What the run knows beside the gate. Start from sotto_certificate_defaults(). Strings are
 * borrowed for the call; lists are NULL-terminated. */
typedef struct sotto_certificate_facts {
    const char *output;         /* what is released, for example "a private count" */
    double delta;               /* the delta the headline epsilon is stated at; 0: pure */
    const char *unit;           /* "row", or "person (column id, at most 3 rows each)" */
    const char *dataset;        /* dataset id of the schema; NULL when there is none */
    const char *const *covered; /* data accesses covered by the guarantee */
    const char *const
        *unprotected;   /* facts that are not protected: schema, label set, n ... */
    const char *tuning; /* how settings were chosen; NULL: "fixed in advance" */
    const char
        *route; /* how the output was drawn and how far from the theorem's law it may be;
                           NULL: exactly, or as the samplers' error says */
    const sotto_reservation *ledger; /* NULL: no ledger kept the budget */
    const sotto_selection *
        selection; /* the one event of the plan is the best of a secret number of runs, and this is
                               what its price follows from; NULL: it is not */
    bool
        selected; /* a condition, a query or a stream may leave stored rows out: their number is
                      secret under replace-one too */
    const struct sotto_key
        *key; /* signs the file (sotto/key.h); NULL: it is not signed */
} sotto_certificate_facts;

/* Nothing is set: output, delta, unit and covered must be. */
SOTTO_API sotto_certificate_facts sotto_certificate_defaults(void);

/* Adds "request" and "certificate" to `payload_json` (a JSON object without these members) from
 * what a finished gate did, and returns the whole file's text, to be freed with
 * sotto_free(). The hash in it covers every other byte of the canonical form. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_attach(const char *payload_json, const sotto_gate *gate,
                         const sotto_certificate_facts *facts, char **out_text,
                         char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error);

/* Checks the certificate by itself: recomputes every epsilon, the attack table, the sentence, the
 * ledger's sums, the price of a tuning from the plans of its trainings, the hash, the signature. That the plan and
 * the settings follow from the request is for sotto_verify() (sotto/verify.h) to check. SOTTO_VERIFICATION names the first difference, what the file states
 * and what was recomputed; a test-seeded run, a newer file version and a file that cannot be
 * read fail too. Made by the same software (version, build, C library, kind of processor),
 * every number must agree to the last bit; otherwise a bound may be larger than the recomputed
 * one, or smaller by a relative 1e-9: another C library rounds otherwise, another version may
 * have a tighter accountant. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_certificate_verify(const char *text,
                                                                 size_t size_bytes,
                                                                 sotto_error *error);

/* A defect of a released version that can concern a certified file. The texts live as long as the library. */
typedef struct sotto_advisory {
    const char *id;       /* "SOTTO-2026-01", as in SECURITY.md */
    const char *affected; /* versions with the defect: "0.1.0" */
    const char *fixed_in; /* the first version without it: "0.2.0" */
    bool
        affects_privacy; /* the stated guarantee may not hold; false: only the result may be wrong */
    const char *effect; /* what went wrong, in a few sentences */
    const char
        *remedy; /* how to tell whether the file is affected, and what to do then */
} sotto_advisory;

enum { SOTTO_ADVISORIES_MAX = 16 }; /* of one file */

/* The advisory number `index`, counted from 0; NULL behind the last. One id may have several entries, for
 * different kinds of files. */
SOTTO_API const sotto_advisory *sotto_advisory_at(size_t index);

/* Fills an array of SOTTO_ADVISORIES_MAX with the advisories that can concern the file, by the version that made
 * it and by what it states of source, unit, adjacency, statistic, model, method and schema. A file without one is
 * not affected by any listed defect; a file with one may be affected. Nothing is recomputed: the answer is
 * as true as the file, so verify it too. SOTTO_VERIFICATION: it cannot be read as a certified file. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_certificate_advisories(
    const char *text, size_t size_bytes, const sotto_advisory **out_advisories,
    size_t *out_count, sotto_error *error);

/* A member of a certified file that no reader can check. The texts live as long as the library. */
typedef struct sotto_belief {
    const char *path;    /* "schema", "certificate.ledger": the member and all below it */
    const char *meaning; /* what is believed, in one sentence */
} sotto_belief;

enum { SOTTO_BELIEFS_MAX = 32 }; /* of one file */

/* What a certificate says in short, and whether it holds. */
typedef struct sotto_certificate_summary {
    double epsilon, delta; /* as stated */
    sotto_adjacency adjacency;
    bool is_private;  /* as stated: the noise came from the operating system */
    bool is_verified; /* sotto_certificate_verify() accepts the file */
    bool is_exact;    /* made by this very software, so that every bit was compared */
    char reason[SOTTO_MESSAGE_BYTES]; /* why it is not verified; else empty */
    char hash[SOTTO_HASH_HEX_BYTES];  /* as stated */
    /* Known defects of the version that made the file. They leave `is_verified` as it is: the numbers follow
     * from the stated facts, but an affected version may not have kept to these facts. */
    size_t advisory_count;
    const sotto_advisory *advisories[SOTTO_ADVISORIES_MAX];
    int64_t
        version; /* of the file's format: 1 states no request, so its settings are believed */
    char signer
        [65]; /* public key whose signature the file has, as hexadecimal; "": none. Trust it only
                          if it is the key you expect: sotto_verify() */
    size_t believed_count; /* members that were not checked, because no reader can */
    const sotto_belief *believed[SOTTO_BELIEFS_MAX];
} sotto_certificate_summary;

/* SOTTO_OK also for a file that is not verified, as long as it can be read. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_summarize(const char *text, size_t size_bytes,
                            sotto_certificate_summary *out_summary, sotto_error *error);

typedef enum sotto_certificate_form {
    SOTTO_CERTIFICATE_TEXT = 1,
    SOTTO_CERTIFICATE_MARKDOWN = 2,
    SOTTO_CERTIFICATE_HTML = 3
} sotto_certificate_form;

/* The certificate of a file for people to read, free with sotto_free(). It is
 * verified first, and the page begins with the outcome: one that does not hold is shown under
 * a warning, and so is one that an advisory concerns. Only what cannot be read at all is refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_render(const char *text, size_t size_bytes, sotto_certificate_form form,
                         char **out_text, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
