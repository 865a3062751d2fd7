/* The PTX instructions that stages from 05 on use, one function each. nvcc gets inline assembly; on the CPU device the
 * same functions go to tensor.c, lane by lane. All lanes of a warp call them together.
 *
 * A fragment is what one lane holds of a matrix. Lane l has g = l / 4 and t = l % 4:
 *
 *   a, 16 x 16   word 0: row g, columns 2t and 2t+1; word 1: row g+8; words 2 and 3: the same, columns + 8
 *   b, 16 x 8    word 0: rows 2t and 2t+1, column g; word 1: rows + 8
 *   d, 16 x 8    0 and 1: row g, columns 2t and 2t+1; 2 and 3: row g+8
 *
 * (PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type"). Two elements make a word, the first one in
 * its low half. ldmatrix deals rows of 16 bytes out in just this way. */
#ifndef PTX_CUH
#define PTX_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#ifdef GEMM_CPU_DEVICE
#include "cpu_device/tensor.h"
#endif

/* ---- ldmatrix: four 8 x 8 matrices of 16-bit elements from shared memory. Lane l gives the address of row l % 8 of
 * matrix l / 8; word m of the result is the lane's piece of matrix m: row g, columns 2t and 2t+1; of the transposed
 * one, rows 2t and 2t+1 of column g. Rows must be aligned to 16 bytes. ---- */

static __device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], const void *row) {
#ifdef GEMM_CPU_DEVICE
    const cpu_device_words4 words = cpu_device_ldmatrix(row, 4, 0);
    r[0] = words.word[0], r[1] = words.word[1], r[2] = words.word[2], r[3] = words.word[3];
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
#endif
}

static __device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&r)[4], const void *row) {
#ifdef GEMM_CPU_DEVICE
    const cpu_device_words4 words = cpu_device_ldmatrix(row, 4, 1);
    r[0] = words.word[0], r[1] = words.word[1], r[2] = words.word[2], r[3] = words.word[3];
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row))
                 : "memory");
#endif
}

/* ---- mma.sync: d += a * b for 16 x 8 of d and a depth of 16, sums in float. The element type is chosen by an argument
 * that is not used otherwise. On Turing, which has a depth of 8 and halves only, two instructions do it. ---- */

#ifdef GEMM_CPU_DEVICE
static __device__ __forceinline__ void mma_on_cpu(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                                  cpu_device_mma_type type, unsigned k) {
    const cpu_device_floats4 sums =
        cpu_device_mma({{d[0], d[1], d[2], d[3]}}, {{a[0], a[1], a[2], a[3]}}, b[0], b[1], type, k);
    d[0] = sums.value[0], d[1] = sums.value[1], d[2] = sums.value[2], d[3] = sums.value[3];
}
#endif

static __device__ __forceinline__ void mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                                   __half) {
#if defined(GEMM_CPU_DEVICE)
    mma_on_cpu(d, a, b, CPU_DEVICE_MMA_F16, 16);
#elif __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    for (int i = 0; i < 2; i++)
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[2 * i]), "r"(a[2 * i + 1]), "r"(b[i]));
#endif
}

static __device__ __forceinline__ void mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                                   __nv_bfloat16) {
#if defined(GEMM_CPU_DEVICE)
    mma_on_cpu(d, a, b, CPU_DEVICE_MMA_BF16, 16);
#elif __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap(); /* the harness does not launch it: bfloat16 needs sm_80 */
#endif
}

/* TF32: float in memory, of which the unit reads the upper 19 bits. 16 x 8 x 8: a holds (g, t), (g+8, t), (g, t+4),
 * (g+8, t+4); b holds (t, g) and (t+4, g). */
static __device__ __forceinline__ void mma_16x8x8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#if defined(GEMM_CPU_DEVICE)
    mma_on_cpu(d, a, b, CPU_DEVICE_MMA_TF32, 8);
#elif __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap(); /* the harness does not launch it: TF32 needs sm_80 */
#endif
}

/* The nearest TF32 number, ties away from zero. */
static __device__ __forceinline__ float round_to_tf32(float x) {
#if defined(GEMM_CPU_DEVICE)
    const uint32_t bits = __float_as_uint(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? x : __uint_as_float((bits + 0x1000u) & ~0x1fffu);
#elif __CUDA_ARCH__ >= 800
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
#else
    return x;
#endif
}

/* ---- cp.async: 16 bytes from global to shared memory, past the registers and past L1; both addresses are multiples
 * of 16. The copy has arrived when its thread has waited for its group, and other threads see it after a barrier. GPUs
 * before sm_80 copy at once, through a register. ---- */

static __device__ __forceinline__ void cp_async_16(void *shared, const void *global) {
#if defined(GEMM_CPU_DEVICE)
    cpu_device_cp_async(shared, global, 16, 16);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(shared)),
                 "l"(global)
                 : "memory");
#else
    *(uint4 *)shared = *(const uint4 *)global;
#endif
}

/* What was asked for since the last commit is a group. */
static __device__ __forceinline__ void cp_async_commit() {
#if defined(GEMM_CPU_DEVICE)
    cpu_device_cp_async_commit();
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until all of this thread's groups but the newest GROUPS have arrived. */
template <int GROUPS> static __device__ __forceinline__ void cp_async_wait() {
#if defined(GEMM_CPU_DEVICE)
    cpu_device_cp_async_wait(GROUPS);
#elif __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}

#endif
