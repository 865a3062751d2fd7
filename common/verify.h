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
    char reason[220]; /* empty when it passed; else the first wrong element, in words */
} verify_result;

/* How a kernel adds up. */
typedef struct {
    int tensor;      /* on tensor cores: 4 to 16 products at once, and truncated */
    gemm_dtype sums; /* GEMM_F32 or GEMM_F16 */
} verify_arithmetic;

verify_arithmetic verify_arithmetic_of(gemm_unit unit, gemm_dtype sums);

/* Largest |C_ij - reference_ij| that correct arithmetic can leave, for a reference value, what its products come to and
 * beta times the old C. With m = sum |a||b|, q = sqrt(sum (ab)^2) and the unit roundoff u = 2^-24 of float sums:
 *
 *     e     = u ((s + 3 m) |alpha| + 3 |beta c|)              the dot product, times alpha, beta c, and their sum
 *             + (K + 3) 2^-149 max(1, |alpha|)                what may underflow
 *             + |alpha| i                                     tf32 inputs
 *             + |alpha| h                                     sums in half
 *     bound = e + u_out (|reference| + e) + u_min / 2         rounding to the type of C; not for f32 and tf32
 *
 * s: dot_factor m, or tensor_factor m on tensor cores. Where signs are random, partial sums stay below lambda q, which
 * is less than m for long ones: then at most dot_factor lambda q, and on tensor cores, with the drift of K / 4 sums of
 * 2 / 3 of that at most, (2.2 lambda sqrt(K) + K / 6) lambda q. i: each input loses d = input_error at most (2^-10),
 * towards zero: 2 d m in all. Of random numbers the low bits are uniform: the mean loss makes a product at most d
 * smaller, and the rest, of variance below (d / 2)^2 for each product (d^2 / 6, and d^2 / 16 for the significand that
 * the mean depends on), is sub-Gaussian: i = d |A B| + lambda d / 2 q. h: n roundings of a sum that never exceeds r:
 * lambda sqrt(n) 2^-11 r, or n 2^-11 r when they may go one way, and n 2^-25 for what underflows. n is K / 8 on tensor
 * cores, which round once an instruction, and K elsewhere; r = m, or lambda q where signs are random.
 *
 * Whole numbers whose sums stay below 2^24 (2^11 in half) suffer no rounding: there e = 0. */
double verify_bound(const oracle *o, verify_arithmetic how, double reference, oracle_terms terms, double beta_c);

/* Whether `got` is right where `want` is expected within `bound`: NaN only where NaN is due, infinities by sign, values
 * that round beyond the largest of `dtype` as infinity. Where a sum may overflow on the way, infinity or NaN is right
 * too. */
int verify_element(gemm_dtype dtype, double got, double want, double bound, int may_overflow);

/* Judges C, packed M x N of the problem's type. */
void verify(const oracle *o, verify_arithmetic how, const void *C, verify_result *result);

#endif
