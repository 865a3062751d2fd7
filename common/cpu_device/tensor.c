/* Tensor-core instructions. Which lane holds what is in the PTX ISA, "Matrix fragments for mma.m16n8k16" and its like.
 */
#include "cpu_device/tensor.h"

#include "check.h"
#include "count.h"
#include "scheduler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HERE __builtin_return_address(0)

enum { M = 16, N = 8, MAX_K = 16 };

/* ---- Numbers ---- */

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16; subnormals are scaled, which is exact. */
static float float_of_half(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest >= 0x7c00)
        return float_of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400)
        return (sign ? -1.0f : 1.0f) * (float)rest * 0x1p-24f;
    return float_of_bits(sign | ((rest << 13) + ((127 - 15) << 23)));
}

/* Round to nearest even. */
static uint16_t half_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    const double size = sign ? -value : value;
    if (value != value)
        return sign | 0x7fff;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14) /* subnormal: a multiple of 2^-24; 1024 of them are the least normal number */
        return (uint16_t)(sign | (uint16_t)rint(size * 0x1p24));
    memcpy(&bits, &size, sizeof bits);
    const uint64_t kept = bits >> 42, lost = bits & ((UINT64_C(1) << 42) - 1), middle = UINT64_C(1) << 41;
    const uint64_t rounded = kept + (lost > middle || (lost == middle && (kept & 1)));
    return (uint16_t)(sign | (uint16_t)(rounded - ((UINT64_C(1023) - 15) << 10)));
}

static float element_of(uint32_t word, unsigned half, enum cpu_device_mma_type type) {
    switch (type) {
    case CPU_DEVICE_MMA_F16:
        return float_of_half((uint16_t)(word >> 16 * half));
    case CPU_DEVICE_MMA_BF16:
        return float_of_bits(word >> 16 * half << 16);
    default:
        return float_of_bits(word & ~UINT32_C(0x1fff));
    }
}

/* ---- Whole warps ---- */

/* What a lane brings to an instruction begins with this. */
struct call {
    uint32_t came; /* out: the lanes that did */
};

/* Tells each lane who came. False unless all did: the instruction has no result then. */
static bool is_whole(void *const payload[32], unsigned mask) {
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        if (payload[lane])
            ((struct call *)payload[lane])->came = mask;
    return mask == UINT32_MAX;
}

/* Waits for all lanes. Does not return where some have ended before, or do not exist. */
static void meet_warp(cpu_device_warp_function function, struct call *call, const void *place) {
    cpu_device_meet(UINT32_MAX, function, call, place);
    if (call->came == UINT32_MAX)
        return;
    struct block *block = cpu_device_current_block();
    if (block->grid->checked)
        check_missing_lanes(~call->came, place);
    cpu_device_fail_block(
        block, cudaErrorLaunchFailure,
        "warp %u executes a tensor-core instruction or ldmatrix without its lanes 0x%08x, which have ended "
        "before or do not exist.",
        block->current->warp, ~call->came);
    cpu_device_suspend(block);
}

/* ---- ldmatrix ---- */

struct load {
    struct call call;
    const void *row;
    struct cpu_device_words4 result;
    unsigned matrices;
    int transposed;
};

static uint32_t piece_of(void *const payload[32], unsigned matrix, unsigned lane, int transposed) {
    uint16_t pair[2];
    for (unsigned i = 0; i < 2; i++) {
        const unsigned along = lane % 4 * 2 + i, row = transposed ? along : lane / 4,
                       column = transposed ? lane / 4 : along;
        const struct load *from = payload[8 * matrix + row];
        memcpy(&pair[i], (const char *)from->row + 2 * column, sizeof pair[i]);
    }
    return pair[0] | (uint32_t)pair[1] << 16;
}

static void load_warp(void *const payload[32], unsigned mask) {
    if (!is_whole(payload, mask))
        return;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        struct load *l = payload[lane];
        for (unsigned matrix = 0; matrix < l->matrices; matrix++)
            l->result.word[matrix] = piece_of(payload, matrix, lane, l->transposed);
    }
}

struct cpu_device_words4 cpu_device_ldmatrix(const void *row, unsigned matrices, int transposed) {
    struct load l = {{0}, row, {{0}}, matrices, transposed};
    cpu_device_note_ldmatrix(row, matrices, HERE);
    meet_warp(load_warp, &l.call, HERE);
    return l.result;
}

/* ---- mma ---- */

struct product {
    struct call call;
    struct cpu_device_words4 a;
    uint32_t b[2];
    float c[4]; /* and d */
    enum cpu_device_mma_type type;
    unsigned k;
};

/* The piece of a that a lane holds: words go down in steps of 8 rows first, then along k. */
static void unpack_a(const struct product *p, unsigned lane, float a[M][MAX_K]) {
    const unsigned per_word = p->type == CPU_DEVICE_MMA_TF32 ? 1 : 2, words = M * p->k / (WARP_SIZE * per_word);
    for (unsigned w = 0; w < words; w++)
        for (unsigned i = 0; i < per_word; i++)
            a[lane / 4 + w % 2 * 8][lane % 4 * per_word + w / 2 * 4 * per_word + i] =
                element_of(p->a.word[w], i, p->type);
}

static void unpack_b(const struct product *p, unsigned lane, float b[N][MAX_K]) {
    const unsigned per_word = p->type == CPU_DEVICE_MMA_TF32 ? 1 : 2, words = N * p->k / (WARP_SIZE * per_word);
    for (unsigned w = 0; w < words; w++)
        for (unsigned i = 0; i < per_word; i++)
            b[lane / 4][lane % 4 * per_word + w * 4 * per_word + i] = element_of(p->b[w], i, p->type);
}

/* A product of two numbers of 11 bits is exact in float, and so is a sum of 16 of them in double, but for numbers of
   very different size. */
static double dot(const float *a, const float *b, unsigned k) {
    double sum = 0;
    for (unsigned i = 0; i < k; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Lanes 4g to 4g + 3 hold rows g and g + 8 of d, two columns each. */
static void multiply_warp(void *const payload[32], unsigned mask) {
    if (!is_whole(payload, mask))
        return;
    float a[M][MAX_K], b[N][MAX_K];
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        unpack_a(payload[lane], lane, a);
        unpack_b(payload[lane], lane, b);
    }
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        struct product *p = payload[lane];
        for (unsigned i = 0; i < 4; i++)
            p->c[i] = (float)((double)p->c[i] + dot(a[lane / 4 + i / 2 * 8], b[lane % 4 * 2 + i % 2], p->k));
    }
}

struct cpu_device_floats4 cpu_device_mma(struct cpu_device_floats4 c, struct cpu_device_words4 a, uint32_t b0,
                                         uint32_t b1, enum cpu_device_mma_type type, unsigned k) {
    struct product p = {{0}, a, {b0, b1}, {c.value[0], c.value[1], c.value[2], c.value[3]}, type, k};
    cpu_device_note_mma(2 * M * N * k, HERE);
    meet_warp(multiply_warp, &p.call, HERE);
    return (struct cpu_device_floats4){{p.c[0], p.c[1], p.c[2], p.c[3]}};
}

/* ---- mma with sums in half ---- */

struct half_product {
    struct call call;
    struct product inputs;
    uint64_t c; /* and d: halves (g, 2t), (g, 2t + 1), then those of row g + 8 */
};

static void multiply_warp_in_half(void *const payload[32], unsigned mask) {
    if (!is_whole(payload, mask))
        return;
    float a[M][MAX_K], b[N][MAX_K];
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        const struct half_product *p = payload[lane];
        unpack_a(&p->inputs, lane, a);
        unpack_b(&p->inputs, lane, b);
    }
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        struct half_product *p = payload[lane];
        uint64_t d = 0;
        for (unsigned i = 0; i < 4; i++) {
            const double c = (double)float_of_half((uint16_t)(p->c >> 16 * i));
            d |= (uint64_t)half_of_double(c + dot(a[lane / 4 + i / 2 * 8], b[lane % 4 * 2 + i % 2], p->inputs.k))
                 << 16 * i;
        }
        p->c = d;
    }
}

uint64_t cpu_device_mma_half(uint64_t c, struct cpu_device_words4 a, uint32_t b0, uint32_t b1, unsigned k) {
    struct half_product p = {{0}, {{0}, a, {b0, b1}, {0}, CPU_DEVICE_MMA_F16, k}, c};
    cpu_device_note_mma(2 * M * N * k, HERE);
    meet_warp(multiply_warp_in_half, &p.call, HERE);
    return p.c;
}

/* ---- WMMA ---- */

void cpu_device_check_wmma(const void *p, unsigned ldm, unsigned element_size) {
    const unsigned multiple = 16 / element_size;
    char sentence[200];
    if ((uintptr_t)p % 32 != 0)
        snprintf(
            sentence, sizeof sentence,
            "the pointer given to load_matrix_sync or store_matrix_sync is no multiple of 32 bytes, as it must be.");
    else if (ldm % multiple != 0)
        snprintf(sentence, sizeof sentence,
                 "the leading dimension %u given to load_matrix_sync or store_matrix_sync is no multiple of %u, as it "
                 "must be: "
                 "pad rows by a multiple of 16 bytes.",
                 ldm, multiple);
    else
        return;
    struct block *block = cpu_device_current_block();
    if (block->grid->checked)
        check_wmma(sentence, HERE);
    cpu_device_fail_block(block, cudaErrorMisalignedAddress, "thread (%u, %u, %u): %s", block->current->index.x,
                          block->current->index.y, block->current->index.z, sentence);
    cpu_device_suspend(block);
}
