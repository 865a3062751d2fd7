/* Kernels with configurations, which differ in the tile of C that a block computes: the choice among them, and what
 * such a kernel hands to the harness. */
#ifndef TILE_CUH
#define TILE_CUH

#include "gemm.h"

typedef struct gemm_tile {
    int rows, cols;      /* of C, for each block */
    int cost;            /* of an element of C while all multiprocessors are busy; the first tile's is 100 */
    size_t dynamic_smem; /* bytes for each block */
} gemm_tile;

/* The problem's own configuration; or the one of `tiles` that promises the shortest time among those that this GPU has
 * the shared memory for: its cost, times its size, times the number that fall to one multiprocessor. Counted from 1. On
 * the CPU device it is always the first, which the lesson is about. What the costs come from is in
 * plots/data/notes/log.md. */
static inline int choose_tile(const gemm_problem *p, const gemm_tile *tiles, int count) {
    int chosen = 1;
    if (p->config != 0)
        return p->config;
#ifndef GEMM_CPU_DEVICE
    int device = 0, multiprocessors = 1, smem = 48 << 10;
    int64_t least = INT64_MAX;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    for (int i = 0; i < count; i++) {
        const gemm_tile *t = &tiles[i];
        const int64_t blocks = (p->M + t->rows - 1) / t->rows * ((p->N + t->cols - 1) / t->cols);
        const int64_t time = (blocks + multiprocessors - 1) / multiprocessors * t->rows * t->cols * t->cost;
        if (t->dynamic_smem <= (size_t)smem && time < least)
            chosen = i + 1, least = time;
    }
#else
    (void)tiles, (void)count;
#endif
    return chosen;
}

/* The kernel `name` and its name_footprint (gemm.h), from the file's launch_typed<VARIANT>(problem, stream, footprint),
 * which only fills in the footprint where it is given one. */
#define GEMM_KERNEL(name, ...)                                                                                         \
    extern "C" cudaError_t name(const gemm_problem *p, cudaStream_t stream) {                                          \
        return launch_typed<__VA_ARGS__>(p, stream, NULL);                                                             \
    }                                                                                                                  \
    extern "C" gemm_footprint name##_footprint(const gemm_problem *p) {                                                \
        gemm_footprint asked = {};                                                                                     \
        launch_typed<__VA_ARGS__>(p, NULL, &asked);                                                                    \
        return asked;                                                                                                  \
    }

#endif
