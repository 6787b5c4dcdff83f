/* ledger/place.h: the location of a ledger file, and its safety.
 *
 * A ledger is a regular file with one name, owned by its user, mode 0600 or less. No other user
 * may write to its directory: an attacker who can rename a file or create a journal beside it can
 * reset a budget. Symbolic links in the directory's path are resolved once, at the start; the
 * last part of the path must not be one.
 */
#ifndef SOT_LEDGER_PLACE_H
#define SOT_LEDGER_PLACE_H

#include <sys/types.h>

#include <sotto/error.h>

enum { SOT_PLACE_SHOWN_BYTES = 80 };

typedef struct sot_place {
    char *path;       /* absolute; its directory has no symbolic links */
    const char *name; /* the last part of `path` */
    int directory;    /* descriptor; -1 when closed */
    dev_t device;     /* of the file, once sot_place_check_file() has seen it */
    ino_t inode;
    char shown[SOT_PLACE_SHOWN_BYTES]; /* the path as given, for messages */
} sot_place;

/* Resolves the directory and checks it. Close with sot_place_close(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_place_open(const char *path, sot_place *out_place,
                                             sotto_error *error);
void sot_place_close(sot_place *place);

/* The file is there and safe, and notes which one it is. */
SOTTO_MUST_CHECK sotto_status sot_place_check_file(sot_place *place, sotto_error *error);

/* The path still names the file that was checked. */
SOTTO_MUST_CHECK sotto_status sot_place_check_same(const sot_place *place,
                                                   sotto_error *error);

#endif
