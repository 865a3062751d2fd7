#include "matrix.h"

#include "number.h"
#include "parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const init_names[INIT_COUNT] = {"normal", "uniform", "integers", "index", "ones", "zeros"};

const char *matrix_init_name(matrix_init init) { return init_names[init]; }

int matrix_init_parse(const char *name, matrix_init *init) {
    for (int i = 0; i < INIT_COUNT; i++)
        if (strcmp(name, init_names[i]) == 0) {
            *init = (matrix_init)i;
            return 0;
        }
    return -1;
}

double matrix_host_bytes(gemm_dtype dtype, int64_t rows, int64_t cols) {
    return (double)rows * (double)cols * (double)number_size(dtype);
}

double matrix_device_bytes(gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld) {
    const double elements = rows == 0 || cols == 0 ? 0.0 : ((double)rows - 1.0) * (double)ld + (double)cols;
    return elements * (double)number_size(dtype) + 2.0 * MATRIX_GUARD;
}

double matrix_touched_bytes(gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld) {
    enum { PAGE = 4096 }; /* a touched element occupies its page */
    const double size = (double)number_size(dtype), gap = fmin((double)(ld - cols), MATRIX_GAP);
    const double row = cols == 0 ? 0.0 : fmin(((double)cols + gap) * size + 2.0 * PAGE, (double)ld * size);
    return (double)rows * row + 2.0 * MATRIX_GUARD;
}

int matrix_create(matrix *m, gemm_dtype dtype, int64_t rows, int64_t cols, int64_t ld) {
    *m = (matrix){.dtype = dtype, .rows = rows, .cols = cols, .ld = ld};
    m->image_bytes = rows == 0 || cols == 0 ? 0 : ((size_t)(rows - 1) * (size_t)ld + (size_t)cols) * number_size(dtype);
    m->host = malloc((size_t)rows * (size_t)cols * number_size(dtype) + 1); /* never a malloc(0) */
    return m->host ? 0 : -1;
}

void matrix_destroy(matrix *m) {
    free(m->host);
    cudaFree(m->device_memory);
    *m = (matrix){0};
}

/* splitmix64 (Steele, Lea and Flood, 2014): element `index` of stream `seed`, so that any order of filling agrees. */
static uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double random_unit(uint64_t seed, uint64_t index) { /* [0, 1) */
    return (double)(random_bits(seed, index) >> 11) * 0x1p-53;
}

/* Box and Muller (1958): one normal pair from two uniforms. */
static float random_normal(uint64_t seed, uint64_t index) {
    const double pi = 3.14159265358979323846;
    const double radius = sqrt(-2.0 * log(1.0 - random_unit(seed, index & ~UINT64_C(1))));
    const double angle = 2.0 * pi * random_unit(seed, index | 1u);
    return (float)(radius * ((index & 1u) ? sin(angle) : cos(angle)));
}

static float element(matrix_init init, uint64_t seed, char which, int64_t cols, int64_t i, int64_t j) {
    const uint64_t index = (uint64_t)i * (uint64_t)cols + (uint64_t)j;
    switch (init) {
    case INIT_NORMAL:
        return random_normal(seed, index);
    case INIT_UNIFORM:
        return (float)(2.0 * random_unit(seed, index) - 1.0);
    case INIT_INTEGERS:
        return (float)(random_bits(seed, index) % 9u) - 4.0f;
    case INIT_INDEX:
        return which == 'B' ? (float)((3 * i + 7 * j) % 241) : (float)(index % 251u);
    case INIT_ONES:
        return 1.0f;
    default:
        return 0.0f;
    }
}

typedef struct {
    matrix *m;
    matrix_init init;
    uint64_t seed;
    char which;
} fill;

static void fill_row(void *context, int64_t i) {
    const fill *f = context;
    const int64_t cols = f->m->cols;
    for (int64_t j = 0; j < cols; j++)
        number_store(f->m->dtype, f->m->host, i * cols + j, element(f->init, f->seed, f->which, cols, i, j));
}

void matrix_fill(matrix *m, matrix_init init, uint64_t seed, char which) {
    if (m->cols == 0) /* however many rows */
        return;
    fill f = {m, init, random_bits(seed, (uint64_t)(unsigned char)which), which};
    parallel_for(m->rows, fill_row, &f);
}

/* Bytes of each row's tail that are watched. The last row has none: the guard follows it at once. */
static size_t watched_gap(const matrix *m) {
    if (m->cols == 0)
        return 0;
    const int64_t gap = m->ld - m->cols;
    return (size_t)(gap < MATRIX_GAP ? gap : MATRIX_GAP) * number_size(m->dtype);
}

static char *behind_image(const matrix *m) { return (char *)m->device + m->image_bytes; }
static char *first_gap(const matrix *m) { return (char *)m->device + (size_t)m->cols * number_size(m->dtype); }
static size_t pitch(const matrix *m) { return (size_t)m->ld * number_size(m->dtype); }
static size_t width(const matrix *m) { return (size_t)m->cols * number_size(m->dtype); }

/* Row by row, not the whole image: with a huge leading dimension most of it is never touched. */
cudaError_t matrix_poison(const matrix *m, cudaStream_t stream) {
    if (m->rows == 0 || m->cols == 0)
        return cudaSuccess;
    return cudaMemset2DAsync(m->device, pitch(m), 0xff, width(m), (size_t)m->rows, stream);
}

cudaError_t matrix_set_guards(const matrix *m) {
    cudaError_t error = cudaMemset(m->device_memory, 0xff, MATRIX_GUARD);
    if (error == cudaSuccess)
        error = cudaMemset(behind_image(m), 0xff, MATRIX_GUARD);
    if (error == cudaSuccess && m->rows > 1 && watched_gap(m) > 0)
        error = cudaMemset2D(first_gap(m), pitch(m), 0xff, watched_gap(m), (size_t)m->rows - 1);
    return error;
}

cudaError_t matrix_allocate_device(matrix *m) {
    cudaError_t error = cudaMalloc(&m->device_memory, m->image_bytes + 2 * MATRIX_GUARD);
    if (error != cudaSuccess) {
        m->device_memory = NULL;
        return error;
    }
    m->device = (char *)m->device_memory + MATRIX_GUARD;
    error = matrix_poison(m, NULL);
    return error == cudaSuccess ? matrix_set_guards(m) : error;
}

cudaError_t matrix_upload(const matrix *m, const void *packed) {
    if (m->rows == 0 || m->cols == 0)
        return cudaSuccess;
    return cudaMemcpy2D(m->device, pitch(m), packed, width(m), width(m), (size_t)m->rows, cudaMemcpyHostToDevice);
}

cudaError_t matrix_download(const matrix *m, void *packed) {
    if (m->rows == 0 || m->cols == 0)
        return cudaSuccess;
    return cudaMemcpy2D(packed, width(m), m->device, pitch(m), width(m), (size_t)m->rows, cudaMemcpyDeviceToHost);
}

static int all_ff(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0xff)
            return 0;
    return 1;
}

static cudaError_t check_band(const void *device, unsigned char *buffer, int *intact) {
    const cudaError_t error = cudaMemcpy(buffer, device, MATRIX_GUARD, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess && !all_ff(buffer, MATRIX_GUARD))
        *intact = 0;
    return error;
}

/* The gaps of rows first .. first+count-1. */
static cudaError_t check_gaps(const matrix *m, size_t first, size_t count, unsigned char *buffer, int *intact) {
    const size_t gap = watched_gap(m);
    const cudaError_t error =
        cudaMemcpy2D(buffer, gap, first_gap(m) + first * pitch(m), pitch(m), gap, count, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess && !all_ff(buffer, count * gap))
        *intact = 0;
    return error;
}

cudaError_t matrix_guards_intact(const matrix *m, int *intact) {
    enum { BUFFER = 1 << 22 };
    const size_t gap = watched_gap(m), rows = m->rows > 1 && gap > 0 ? (size_t)m->rows - 1 : 0;
    const size_t at_once = gap > 0 ? BUFFER / gap : 1;
    unsigned char *buffer = malloc(BUFFER);
    if (!buffer)
        return cudaErrorMemoryAllocation;
    *intact = 1;
    cudaError_t error = check_band(m->device_memory, buffer, intact);
    if (error == cudaSuccess)
        error = check_band(behind_image(m), buffer, intact);
    for (size_t row = 0; row < rows && error == cudaSuccess; row += at_once)
        error = check_gaps(m, row, row + at_once < rows ? at_once : rows - row, buffer, intact);
    free(buffer);
    return error;
}
