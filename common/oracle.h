/* The float64 reference: what the product should be, computed on the host from the very elements that the device got.
 *
 * Where all of C is quick it is all computed. For larger problems some rows are (the last one, rows around block edges,
 * random ones), and the rest of C is held by a product check in the manner of Freivalds (1979): for a random vector x
 * of +1 and -1, C x must equal alpha A (B x) + beta C0 x. It is taken over blocks of columns, narrow enough that a slip
 * of 1 % of |a row| |b column| in a single element stands out of what rounding may add up to.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "gemm.h"

typedef enum { ORACLE_AUTO, ORACLE_FULL, ORACLE_SAMPLED } oracle_mode;

/* A product as the host sees it: packed arrays of `dtype` (lda = K, ldb = N, ldc = N); C is its content before the
 * product and is not read when beta == 0. */
typedef struct {
    gemm_dtype dtype;
    int64_t M, N, K;
    double alpha, beta;
    const void *A, *B, *C;
    int integers;  /* all elements, alpha and beta are whole numbers: sums below 2^24 must come out exact */
    int one_sided; /* elements are often equal, so that roundings may all go one way; true for all but random numbers */
} oracle_problem;

/* What the products of one element come to: (A B)_ij, sum |a||b| and sqrt(sum (ab)^2). */
typedef struct {
    double product, magnitude, root;
} oracle_terms;

typedef struct {
    oracle_problem problem;
    int full;             /* every row is in `rows` */
    int64_t row_count;    /* rows computed one element at a time */
    int64_t *rows;        /* ascending; all rows of A with infinities or NaN are among them */
    double *reference;    /* row_count x N: alpha A B + beta C */
    double *magnitude;    /* row_count x N: sum |a||b|, the scale of rounding errors */
    double *root;         /* row_count x N: sqrt(sum (ab)^2) */
    double lambda;        /* standard deviations that no sum of random errors strays from its mean */
    double dot_factor;    /* rounding errors of a dot product, in units of u * magnitude: on FP32 cores ... */
    double tensor_factor; /* ... and on tensor cores, which truncate */
    double input_error;   /* tf32: the most that any element of A or B loses, relative to it; else 0 */
    double largest_sum;   /* of whole numbers, whichever are added: no larger value is met; else infinity */
    /* product check; block_count is 0 when full */
    int64_t block_width, block_count;
    signed char *signs;    /* N: x; 0 for a column of B with infinities or NaN, which is left out of the sums */
    double *projection;    /* M x block_count: sum over a block of x_j (A B)_ij */
    double *block_root;    /* M x block_count: sqrt(sum (ab)^2) over a block */
    double *row_norm;      /* M: Euclidean norm of a row of A */
    double *block_norm;    /* block_count: Frobenius norm of a block of B, without the columns left out */
    double project_factor; /* lambda of the product check */
} oracle;

/* Chance that a correct kernel is called wrong, over all elements of one product. */
#define ORACLE_FALSE_ALARM 1e-9

/* Bytes of host memory that oracle_create takes for a problem of this shape; its pointers are not read. */
double oracle_bytes(const oracle_problem *problem, oracle_mode mode);

/* One element in float64. For the few that a sum over a block cannot judge. */
oracle_terms oracle_element(const oracle_problem *p, int64_t row, int64_t column);

/* Computes the reference. Returns 0, or -1 when memory ran out. Free with oracle_destroy. */
int oracle_create(oracle *o, const oracle_problem *problem, oracle_mode mode, uint64_t seed);
void oracle_destroy(oracle *o);

#endif
