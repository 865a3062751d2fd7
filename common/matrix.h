/* A matrix on the host and its image on the device, fenced in.
 *
 * The host copy is packed (leading dimension = columns). The device image has the leading dimension asked for, a band
 * of MATRIX_GUARD bytes before the first and after the last element, and up to MATRIX_GAP elements of each row's unused
 * tail (columns .. ld-1) under watch. Guards and gaps hold the byte 0xff, which is NaN in every float format: a kernel
 * that reads one and uses it spoils its result, and one that writes it is found by matrix_guards_intact().
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "gemm.h"

enum { MATRIX_GUARD = 4096 /* bytes */, MATRIX_GAP = 1024 /* elements */ };

typedef enum { INIT_NORMAL, INIT_UNIFORM, INIT_INTEGERS, INIT_INDEX, INIT_ONES, INIT_ZEROS, INIT_COUNT } matrix_init;

typedef struct {
    gemm_dtype dtype;
    int64_t rows, cols, ld;
    void *host;          /* rows * cols elements, packed; owned */
    void *device_memory; /* guard, image, guard; owned */
    void *device;        /* first element of the image */
    size_t image_bytes;
} matrix;

/* "normal", "uniform", ...; parse returns 0, or -1 for an unknown name. */
const char *matrix_init_name(matrix_init init);
int matrix_init_parse(const char *name, matrix_init *init);

/* Bytes of host and of device memory that such a matrix takes (as doubles: no shape overflows them). */
double matrix_host_bytes(gemm_dtype dtype, int64_t rows, int64_t cols);
double matrix_device_bytes(gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld);

/* Of the device bytes, those that are ever written or read: what the CPU device really occupies. */
double matrix_touched_bytes(gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld);

/* Allocates the host copy, not the device image. Returns 0, or -1 when memory ran out. */
int matrix_create(matrix *m, gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld);
void matrix_destroy(matrix *m);

/* Fills the host copy. `which` is 'A', 'B' or 'C': index-coded values differ by matrix, and every matrix gets a random
 * stream of its own from the one seed. normal: N(0,1). uniform: [-1, 1). integers: -4 .. 4. index: position coded,
 * A[i][p] = (i*K + p) mod 251 and B[p][j] = (3p + 7j) mod 241, so that a permutation shows; exact in float for K <=
 * 256.
 */
void matrix_fill(matrix *m, matrix_init init, uint64_t seed, char which);

/* Fills the device image with NaN (all bits set), in the order of the stream. */
cudaError_t matrix_poison(const matrix *m, cudaStream_t stream);

/* Allocates the device image with its guards, all 0xff. */
cudaError_t matrix_allocate_device(matrix *m);

/* Host copy to device image; `packed` must be like m->host. */
cudaError_t matrix_upload(const matrix *m, const void *packed);

/* Device image to a packed host buffer of the same shape. */
cudaError_t matrix_download(const matrix *m, void *packed);

/* Fills guards and gaps with 0xff again, after a kernel has written there. */
cudaError_t matrix_set_guards(const matrix *m);

/* Sets *intact to 1 when guards and gaps still hold what matrix_allocate_device wrote, else 0. */
cudaError_t matrix_guards_intact(const matrix *m, int *intact);

#endif
