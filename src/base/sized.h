/* base/sized.h: public settings that begin with their size.
 *
 * Idea     The first member of a public config struct is `size_t size`, the struct's sizeof in the program that filled it in.
 *          A later version adds members at the end only. A program that was built with the shorter struct still works: the
 *          library copies its bytes over the defaults. A longer struct comes from newer headers than this library, and is
 *          refused.
 * Padding  A new member begins at or after the old sizeof. The bytes of a struct's tail padding are not initialised, and an
 *          older caller would hand them over as the value of the new member.
 * Inner    A struct may hold another sized struct, which then grows by itself (sotto_tune_config.train). The members behind
 *          it are found by the inner struct's own size.
 */
#ifndef SOT_BASE_SIZED_H
#define SOT_BASE_SIZED_H

#include <stddef.h>

#include <sotto/error.h>

/* A struct as this library knows it. */
typedef struct sot_sized {
    const char
        *name;       /* "sotto_train": of sotto_train_config and sotto_train_defaults() */
    size_t bytes;    /* sizeof */
    size_t inner_at; /* where an inner sized struct begins; 0: there is none */
    size_t inner_bytes; /* its sizeof; 0: there is none */
} sot_sized;

#define SOT_SIZED(kind)                                                                  \
    ((sot_sized){.name = "sotto_" #kind, .bytes = sizeof(sotto_##kind##_config)})
#define SOT_SIZED_WITH(kind, inner)                                                      \
    ((sot_sized){.name = "sotto_" #kind,                                                 \
                 .bytes = sizeof(sotto_##kind##_config),                                 \
                 .inner_at = offsetof(sotto_##kind##_config, inner),                     \
                 .inner_bytes = sizeof(((sotto_##kind##_config *)0)->inner)})

/* Copies the caller's settings over `own`, which holds the defaults. SOTTO_INVALID_ARGUMENT for NULL, for a size that no
 * struct has, and for one that this library does not know. */
SOTTO_MUST_CHECK sotto_status sot_sized_take(sot_sized shape, const void *given,
                                             void *own, sotto_error *error);

/* Writes defaults into the caller's struct of `size_bytes` bytes, whose inner struct has `inner_bytes` (0: there is none). Members
 * that this library does not know are zero; sot_sized_take() refuses them. */
void sot_sized_give(sot_sized shape, const void *defaults, void *out, size_t size_bytes,
                    size_t inner_bytes);

/* Sets `own` for the public function: the defaults, overwritten by the caller's
 * settings. */
#define SOT_TAKE(kind, given, own, error)                                                \
    (*(own) = sotto_##kind##_defaults(),                                                 \
     sot_sized_take(SOT_SIZED(kind), given, own, error))
#define SOT_TAKE_WITH(kind, inner, given, own, error)                                    \
    (*(own) = sotto_##kind##_defaults(),                                                 \
     sot_sized_take(SOT_SIZED_WITH(kind, inner), given, own, error))

#endif
