/* The choice among a kernel's configurations, which differ in the tile of C that a block computes. */
#ifndef TILE_CUH
#define TILE_CUH

#include "gemm.h"

typedef struct gemm_tile {
    int rows, cols;      /* of C, for each block */
    size_t dynamic_smem; /* bytes for each block */
} gemm_tile;

/* The problem's own configuration; or the first of `tiles` (they stand fastest first) that this GPU has the shared
 * memory for and of which the problem has a block for every multiprocessor; or the last one that fits. Counted from 1.
 */
static inline int choose_tile(const gemm_problem *p, const gemm_tile *tiles, int count) {
    int device = 0, multiprocessors = 1, smem = 48 << 10, chosen = count;
    if (p->config != 0)
        return p->config;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
#ifndef GEMM_CPU_DEVICE /* there the tile that the lesson is about is chosen whenever it is filled */
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
#endif
    for (int i = count; i >= 1; i--) {
        const gemm_tile *tile = &tiles[i - 1];
        const int64_t blocks = ((p->M + tile->rows - 1) / tile->rows) * ((p->N + tile->cols - 1) / tile->cols);
        if (tile->dynamic_smem <= (size_t)smem && blocks >= multiprocessors)
            chosen = i;
    }
    return chosen;
}

#endif
