/* base/unroll.h: kernels that hold up to six sums in registers write the code of one sum.
 *
 * Arrays of registers would be kept in memory, so that each sum is a variable of its own: s0, s1, ... DO(n) is the code of
 * sum n, and `count` is a constant wherever the kernel is inlined: the rest vanishes.
 */
#ifndef SOT_BASE_UNROLL_H
#define SOT_BASE_UNROLL_H

#define SOT_UP_TO_5(count, DO)                                                           \
    DO(0)                                                                                \
    if ((count) > 1) DO(1)                                                               \
    if ((count) > 2) DO(2)                                                               \
    if ((count) > 3) DO(3)                                                               \
    if ((count) > 4) DO(4)

#define SOT_UP_TO_6(count, DO) SOT_UP_TO_5(count, DO) if ((count) > 5) DO(5)

/* CALL(n) for the constant n that `count` is; nothing for another. */
#define SOT_ONE_OF_4(count, CALL)                                                        \
    if ((count) == 4) CALL(4)                                                            \
    if ((count) == 3) CALL(3)                                                            \
    if ((count) == 2) CALL(2)                                                            \
    if ((count) == 1) CALL(1)

#define SOT_ONE_OF_6(count, CALL)                                                        \
    if ((count) == 6) CALL(6)                                                            \
    if ((count) == 5) CALL(5)                                                            \
    SOT_ONE_OF_4(count, CALL)

#endif
