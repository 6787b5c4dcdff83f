/* sotto/certificate.h: the certified privacy loss of a release, which anyone can recompute.
 *
 * Idea        A certificate is a JSON object inside the released file. It has a sentence, epsilon
 *             at several deltas, the plan, the ledger before and after, and a hash over the rest
 *             of the file. Anyone can recompute all of it.
 * Assumes     The software that wrote the file carried out the plan. The hash detects edits; it
 *             does not prove this.
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

/* Facts of the run that the gate does not hold. Start from sotto_certificate_defaults().
 * Strings are borrowed for the call; lists are NULL-terminated. */
typedef struct sotto_certificate_facts {
    const char *output;         /* the release in words, for example "a private count" */
    double delta;               /* the delta the headline epsilon is stated at; 0: pure */
    const char *unit;           /* "row", or "person (column id, at most 3 rows each)" */
    const char *dataset;        /* dataset id of the schema; NULL when there is none */
    const char *const *covered; /* data accesses covered by the guarantee */
    const char *const
        *unprotected;   /* facts that are not protected: schema, label set, n ... */
    const char *tuning; /* choice of the settings; NULL: "fixed in advance" */
    const char *route;  /* sampler of the output, and its distance from the theorem's
                 * distribution; NULL: exact, or with the samplers' error */
    const sotto_reservation *ledger; /* NULL: no ledger kept the budget */
    const sotto_selection
        *selection; /* the basis of the price, if the plan's one event is the best of a
                    * secret number of runs; NULL otherwise */
    bool
        selected; /* a condition, a query or a stream may leave stored rows out: their number is
                      secret under replace-one too */
    const struct sotto_key
        *key; /* signs the file (sotto/key.h); NULL: it is not signed */
} sotto_certificate_facts;

/* Nothing is set: output, delta, unit and covered must be. */
SOTTO_API sotto_certificate_facts sotto_certificate_defaults(void);

/* Adds "request" and "certificate" to `payload_json` (a JSON object without these members) from a
 * finished gate. Returns the text of the whole file; free it with sotto_free(). The hash in it
 * covers every other byte of the canonical form. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_attach(const char *payload_json, const sotto_gate *gate,
                         const sotto_certificate_facts *facts, char **out_text,
                         char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error);

/* Checks the certificate by itself: every epsilon, the attack table, the sentence, the ledger's
 * sums, the price of a tuning, the hash, the signature. Unlike this, sotto_verify()
 * (sotto/verify.h) also checks that plan and settings follow from the request. SOTTO_VERIFICATION
 * names the first difference, with the stated and the recomputed value. A test-seeded run, a
 * newer file version and an unreadable file also fail. If the same software (version, build, C
 * library, kind of processor) wrote the file, every number must agree to the last bit. Otherwise
 * a bound may be larger than the recomputed one, or smaller by a relative 1e-9. Reason: another C
 * library rounds differently, and another version may have a tighter accountant. */
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
    const char *effect; /* the defect, in a few sentences */
    const char *remedy; /* how to find out whether the file is affected, and the remedy */
} sotto_advisory;

enum { SOTTO_ADVISORIES_MAX = 16 }; /* of one file */

/* The advisory number `index`, counted from 0; NULL behind the last. One id may have several entries, for
 * different kinds of files. */
SOTTO_API const sotto_advisory *sotto_advisory_at(size_t index);

/* Fills an array of SOTTO_ADVISORIES_MAX with the advisories that can concern the file. They are
 * selected by the version that made it, and by the stated source, unit, adjacency, statistic,
 * model, method and schema. A file without an advisory is not affected by any listed defect; a
 * file with one may be affected. Nothing is recomputed, so verify the file too.
 * SOTTO_VERIFICATION: the file cannot be read as a certified file. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_certificate_advisories(
    const char *text, size_t size_bytes, const sotto_advisory **out_advisories,
    size_t *out_count, sotto_error *error);

/* A member of a certified file that no reader can check. The texts live as long as the library. */
typedef struct sotto_belief {
    const char *path;    /* "schema", "certificate.ledger": the member and all below it */
    const char *meaning; /* the assumption, in one sentence */
} sotto_belief;

enum { SOTTO_BELIEFS_MAX = 32 }; /* of one file */

/* A certificate in short, and the result of its verification. */
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

/* Renders the certificate of a file for people to read; free the text with sotto_free(). The
 * certificate is verified first, and the page begins with the result. A certificate that fails,
 * or that an advisory concerns, is shown under a warning. Only unreadable files are refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_render(const char *text, size_t size_bytes, sotto_certificate_form form,
                         char **out_text, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
