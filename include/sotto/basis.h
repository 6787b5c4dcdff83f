/* sotto/basis.h: the coefficients of an additive model for the bins of an ordered column.
 *
 * Use         sotto/train_config.h; additive.md
 */
#ifndef SOTTO_BASIS_H
#define SOTTO_BASIS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. Columns without an order have centred indicators. */
typedef enum sotto_basis {
    SOTTO_BASIS_AUTO = 0,
    SOTTO_BASIS_BINS = 1,  /* one coefficient a bin: centred indicators */
    SOTTO_BASIS_STEPS = 2, /* one coefficient between two neighbouring bins */
    SOTTO_BASIS_MIXED = 3  /* bins for integers with a bin for each value, else steps */
} sotto_basis;

#ifdef __cplusplus
}
#endif
#endif
