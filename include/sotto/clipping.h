/* sotto/clipping.h: clipping strategies for a record's gradient in the training of networks.
 *
 * Use         sotto/train_config.h
 */
#ifndef SOTTO_CLIPPING_H
#define SOTTO_CLIPPING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_clipping {
    SOTTO_CLIPPING_FLAT = 0,      /* the whole gradient g by min(1, C/|g|) */
    SOTTO_CLIPPING_PER_LAYER = 1, /* each of L layers' share by C/sqrt(L) */
    SOTTO_CLIPPING_AUTOMATIC = 2  /* by C/(|g| + 0.01): every record counts alike */
} sotto_clipping;

#ifdef __cplusplus
}
#endif
#endif
