/* sotto/error.h: the one error type, the status codes, and the marks on public functions. */
#ifndef SOTTO_ERROR_H
#define SOTTO_ERROR_H

#if defined(__GNUC__)
#define SOTTO_API        __attribute__((visibility("default")))
#define SOTTO_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SOTTO_API
#define SOTTO_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_status {
    SOTTO_OK = 0,
    SOTTO_INVALID_ARGUMENT =
        1, /* a setting is out of its range; the message says which */
    SOTTO_OUT_OF_MEMORY = 2,
    SOTTO_IO = 3,              /* a file could not be read or written */
    SOTTO_PARSE = 4,           /* a settings, schema or plan file is malformed */
    SOTTO_UNSUPPORTED = 5,     /* valid, but no theorem or no code covers it */
    SOTTO_UNREACHABLE = 6,     /* no setting meets the privacy target */
    SOTTO_BUDGET_EXCEEDED = 7, /* the ledger refuses the charge */
    SOTTO_NOT_IN_PLAN = 8,     /* the gate refuses an event that the plan does not
                                * cover */
    SOTTO_ENTROPY = 9,         /* the system's random source failed */
    SOTTO_VERIFICATION = 10,   /* a certificate or a claim does not hold */
    SOTTO_INTERRUPTED =
        11, /* the caller's progress callback asked to stop, or the time was up */
    SOTTO_INTERNAL = 99 /* a bug in sotto: please report it */
} sotto_status;

enum { SOTTO_MESSAGE_BYTES = 256 };

/* Owned by the caller, who may pass NULL instead. `message` is one line without a final
 * newline: the setting, its value, the remedy. It never quotes a record. */
typedef struct sotto_error {
    sotto_status status;
    char message[SOTTO_MESSAGE_BYTES];
} sotto_error;

/* The name of a status in lower case, for example "invalid argument"; never NULL. */
SOTTO_API const char *sotto_status_name(sotto_status status);

#ifdef __cplusplus
}
#endif
#endif
