/* The judge: compares a result with the oracle, element by element, inside bounds that rounding can explain. */
#ifndef VERIFY_H
#define VERIFY_H

#include "oracle.h"

typedef struct {
    int pass;
    int64_t checked;  /* elements compared one by one */
    int64_t wrong;    /* of them, outside their bound */
    double max_err;   /* |C - reference| of the element that came nearest to (or went farthest past) its bound ... */
    double err_bound; /* ... and that bound */
    double
        frobenius; /* relative error ||C - reference|| / ||reference|| over the compared elements; NAN if not finite */
    char reason[200]; /* empty when it passed; else the first wrong element, in words */
} verify_result;

/* Largest |C_ij - reference_ij| that correct arithmetic can leave, for a reference value, the magnitude m = sum |a||b|
 * behind it and beta times the old C. u = 2^-24 is the unit roundoff of the float accumulator:
 *
 *     e     = u ((dot_factor + 3) |alpha| m + 3 |beta c|)     the dot product, times alpha, beta c, and their sum
 *             + (K + 3) 2^-149 max(1, |alpha|)                what may underflow
 *     bound = e + u_out (|reference| + e) + u_min / 2         rounding to the type of C; not for f32
 *
 * Whole numbers whose sums stay below 2^24 suffer no rounding in float: there e = 0. */
double verify_bound(const oracle *o, double reference, double magnitude, double beta_c);

/* Whether `got` is right where `want` is expected within `bound`: NaN only where NaN is due, infinities by sign, values
 * that round beyond the largest of `dtype` as infinity. `largest` bounds every intermediate value: where it passes the
 * largest float a sum may overflow on the way, and infinity or NaN is right too. */
int verify_element(gemm_dtype dtype, double got, double want, double bound, double largest);

/* Judges C, packed M x N of the problem's type. */
void verify(const oracle *o, const void *C, verify_result *result);

#endif
