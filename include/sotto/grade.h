/* sotto/grade.h: the strength of a guarantee as one of four grades.
 *
 * Idea        A reader of a report needs one word beside epsilon and delta. The grade follows from the best membership attack
 *             with a false positive rate of 1%, and from delta. grades.md derives the thresholds.
 * Docs        grades.md
 */
#ifndef SOTTO_GRADE_H
#define SOTTO_GRADE_H

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bounds are on the true positive rate of the attack and on delta. */
typedef enum sotto_grade {
    /* Not graded: the file has no guarantee, has a test seed or does not verify. Or an advisory concerns its privacy, its
     * schema was adjusted after viewing private rows, or the ledger does not list it. */
    SOTTO_GRADE_NONE = 0,
    SOTTO_GRADE_STRONG = 1,   /* true positive rate at most 3%, delta at most 1e-5 */
    SOTTO_GRADE_MODERATE = 2, /* at most 19%, at most 1e-4 */
    SOTTO_GRADE_WEAK = 3,     /* at most 50%, at most 1e-3 */
    SOTTO_GRADE_FORMAL = 4    /* above */
} sotto_grade;

/* Returns "strong", "moderate", "weak", "formal only", or "none". */
SOTTO_API const char *sotto_grade_name(sotto_grade grade);

#ifdef __cplusplus
}
#endif

#endif
