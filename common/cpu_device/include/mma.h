/* Stands in for NVIDIA's <mma.h>: the WMMA functions for pieces of 16 x 16 x 16, half or bfloat16 with sums in float,
 * half also with sums in half. Which lane holds which element is not specified there; here it is as for two mma.sync
 * side by side (common/kernel/ptx.cuh). */
#ifndef CPU_DEVICE_MMA_H
#define CPU_DEVICE_MMA_H

#include "cpu_device/tensor.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include <cstring>
#include <type_traits>

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    static_assert(M == 16 && N == 16 && K == 16, "the CPU device has fragments of 16 x 16 x 16");
    static constexpr int num_elements = 8;
    T x[num_elements];
};

namespace detail {

// Of element i of a lane: where it is in the piece.
struct Place {
    int row, column;
};

inline Place place_of(const matrix_a *, int lane, int i) {
    return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}
inline Place place_of(const matrix_b *, int lane, int i) {
    return {lane % 4 * 2 + i % 2 + i / 2 % 2 * 8, lane / 4 + i / 4 * 8};
}
inline Place place_of(const accumulator *, int lane, int i) {
    return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}

inline int lane() {
    const uint3 t = cpu_device_thread_index(), size = cpu_device_block_dim();
    return static_cast<int>((t.x + size.x * (t.y + size.y * t.z)) % 32);
}

template <class Use> inline std::size_t offset_of(int i, unsigned ldm, bool is_row_major) {
    const Place place = place_of(static_cast<const Use *>(nullptr), lane(), i);
    const std::size_t row = static_cast<std::size_t>(place.row), column = static_cast<std::size_t>(place.column);
    return is_row_major ? row * ldm + column : column * ldm + row;
}

template <class T> uint32_t word_of(T low, T high) {
    uint16_t bits[2];
    std::memcpy(&bits[0], &low, 2), std::memcpy(&bits[1], &high, 2);
    return bits[0] | static_cast<uint32_t>(bits[1]) << 16;
}

template <class Use, class Layout, class T> cpu_device_words4 words_of(const fragment<Use, 16, 16, 16, T, Layout> &f) {
    return {{word_of(f.x[0], f.x[1]), word_of(f.x[2], f.x[3]), word_of(f.x[4], f.x[5]), word_of(f.x[6], f.x[7])}};
}

inline cpu_device_mma_type type_of(__half) { return CPU_DEVICE_MMA_F16; }
inline cpu_device_mma_type type_of(__nv_bfloat16) { return CPU_DEVICE_MMA_BF16; }

} // namespace detail

namespace detail {

inline float to_type(float x, float) { return x; }
inline float to_type(__half x, float) { return __half2float(x); }
inline __half to_type(__half x, __half) { return x; }
inline __half to_type(float x, __half) { return __float2half(x); }
inline __nv_bfloat16 to_type(__nv_bfloat16 x, __nv_bfloat16) { return x; }
inline __nv_bfloat16 to_type(float x, __nv_bfloat16) { return __float2bfloat16(x); }

} // namespace detail

// The value is converted: fill_fragment(halves, 0.0f), or 0.
template <class Use, class T, class Layout, class Value>
void fill_fragment(fragment<Use, 16, 16, 16, T, Layout> &f, Value value) {
    for (int i = 0; i < f.num_elements; i++)
        if constexpr (std::is_arithmetic_v<Value>)
            f.x[i] = detail::to_type(static_cast<float>(value), T());
        else
            f.x[i] = detail::to_type(value, T());
}

template <class Use, class T, class Layout>
void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout> &f, const T *p, unsigned ldm) {
    cpu_device_check_wmma(p, ldm, sizeof(T));
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[detail::offset_of<Use>(i, ldm, std::is_same_v<Layout, row_major>)];
    cpu_device_sync_warp(0xffffffffu);
}

template <class T>
void load_matrix_sync(fragment<accumulator, 16, 16, 16, T> &f, const T *p, unsigned ldm, layout_t layout) {
    cpu_device_check_wmma(p, ldm, sizeof(T));
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[detail::offset_of<accumulator>(i, ldm, layout == mem_row_major)];
    cpu_device_sync_warp(0xffffffffu);
}

template <class T>
void store_matrix_sync(T *p, const fragment<accumulator, 16, 16, 16, T> &f, unsigned ldm, layout_t layout) {
    cpu_device_check_wmma(p, ldm, sizeof(T));
    for (int i = 0; i < f.num_elements; i++)
        p[detail::offset_of<accumulator>(i, ldm, layout == mem_row_major)] = f.x[i];
    cpu_device_sync_warp(0xffffffffu);
}

template <class T, class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, T, LayoutA> &a,
              const fragment<matrix_b, 16, 16, 16, T, LayoutB> &b, const fragment<accumulator, 16, 16, 16, float> &c) {
    const cpu_device_words4 a_words = detail::words_of(a), b_words = detail::words_of(b);
    for (int side = 0; side < 2; side++) {
        const float *from = c.x + 4 * side;
        const cpu_device_floats4 sums =
            cpu_device_mma({{from[0], from[1], from[2], from[3]}}, a_words, b_words.word[2 * side],
                           b_words.word[2 * side + 1], detail::type_of(T()), 16);
        for (int i = 0; i < 4; i++)
            d.x[4 * side + i] = sums.value[i];
    }
}

template <class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, LayoutA> &a,
              const fragment<matrix_b, 16, 16, 16, __half, LayoutB> &b,
              const fragment<accumulator, 16, 16, 16, __half> &c) {
    const cpu_device_words4 a_words = detail::words_of(a), b_words = detail::words_of(b);
    for (int side = 0; side < 2; side++) {
        uint64_t sums;
        std::memcpy(&sums, static_cast<const void *>(c.x + 4 * side), sizeof sums);
        sums = cpu_device_mma_half(sums, a_words, b_words.word[2 * side], b_words.word[2 * side + 1], 16);
        std::memcpy(static_cast<void *>(d.x + 4 * side), &sums, sizeof sums);
    }
}

// Sums that come in one type and leave in the other.
template <class Sum, class Other, class LayoutA, class LayoutB, std::enable_if_t<!std::is_same_v<Sum, Other>, int> = 0>
void mma_sync(fragment<accumulator, 16, 16, 16, Sum> &d, const fragment<matrix_a, 16, 16, 16, __half, LayoutA> &a,
              const fragment<matrix_b, 16, 16, 16, __half, LayoutB> &b,
              const fragment<accumulator, 16, 16, 16, Other> &c) {
    fragment<accumulator, 16, 16, 16, float> sums;
    for (int i = 0; i < sums.num_elements; i++)
        sums.x[i] = detail::to_type(c.x[i], 0.0f);
    mma_sync(sums, a, b, sums);
    for (int i = 0; i < sums.num_elements; i++)
        d.x[i] = detail::to_type(sums.x[i], Sum());
}

} // namespace wmma
} // namespace nvcuda

#endif
