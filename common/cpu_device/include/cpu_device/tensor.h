/*
 * The tensor-core instructions of PTX for Turing and later, lane by lane: what common/kernel/ptx.cuh calls where nvcc
 * would have inline assembly. Fragments travel by value, so that a kernel's stay in registers. Callable from C and C++.
 *
 * All lanes of a warp must call each of them together.
 */
#ifndef CPU_DEVICE_TENSOR_H
#define CPU_DEVICE_TENSOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cpu_device_words4 {
    uint32_t word[4];
};
struct cpu_device_floats4 {
    float value[4];
};

/* ldmatrix.sync.aligned.m8n8.x{1,2,4}[.trans].shared.b16: lane i of the first 8 * matrices gives the address of row i,
   16 bytes; word m of the result is the lane's piece of matrix m. */
struct cpu_device_words4 cpu_device_ldmatrix(const void *row, unsigned matrices, int transposed);

enum cpu_device_mma_type {
    CPU_DEVICE_MMA_F16, /* two to a word */
    CPU_DEVICE_MMA_BF16,
    CPU_DEVICE_MMA_TF32 /* one to a word; the low 13 bits of its float are ignored */
};

/* mma.sync.aligned.m16n8k{4,8,16}.row.col.f32.TYPE.TYPE.f32: d = a * b + c. a has k * 16 elements in all, b has k * 8;
   words that a shape does not have are ignored. Products are exact; their sum is rounded once, where a GPU rounds in
   ways that NVIDIA does not document. */
struct cpu_device_floats4 cpu_device_mma(struct cpu_device_floats4 c, struct cpu_device_words4 a, uint32_t b0,
                                         uint32_t b1, enum cpu_device_mma_type type, unsigned k);

/* mma.sync.aligned.m16n8k{8,16}.row.col.f16.f16.f16.f16: the sums are halves, two to a word, two words. */
uint64_t cpu_device_mma_half(uint64_t c, struct cpu_device_words4 a, uint32_t b0, uint32_t b1, unsigned k);

/* What WMMA asks of a pointer and a leading dimension: multiples of 32 and of 16 bytes. Does not return otherwise. */
void cpu_device_check_wmma(const void *p, unsigned ldm, unsigned element_size);

/* cp.async.{ca,cg}.shared.global: `size` bytes (4, 8 or 16), of which the first source_size come from `from` and the
   others are 0. They arrive when this thread waits for their group, so that a forgotten wait shows. */
void cpu_device_cp_async(void *to, const void *from, unsigned size, unsigned source_size);
/* cp.async.commit_group: what was asked for since the last one is a group. */
void cpu_device_cp_async_commit(void);
/* cp.async.wait_group: until all groups but the newest `groups` have arrived. */
void cpu_device_cp_async_wait(unsigned groups);

#ifdef __cplusplus
}
#endif

#endif
