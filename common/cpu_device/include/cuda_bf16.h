/* Stands in for NVIDIA's <cuda_bf16.h>: the storage type and its conversions. */
#ifndef CPU_DEVICE_CUDA_BF16_H
#define CPU_DEVICE_CUDA_BF16_H

#include "cuda_runtime.h"

#include <cstring>

// An aggregate, for the reason given at __half.
struct __nv_bfloat16 {
    unsigned short bits;
};
typedef __nv_bfloat16 nv_bfloat16;

// As __half2, both in one access.
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    constexpr __nv_bfloat162(__nv_bfloat16 x_, __nv_bfloat16 y_) : x(x_), y(y_) {}
    inline __attribute__((always_inline)) __nv_bfloat162(const __nv_bfloat162 &other) {
        ::cpu_device::move4(this, &other);
    }
    inline __attribute__((always_inline)) __nv_bfloat162 &operator=(const __nv_bfloat162 &other) {
        ::cpu_device::move4(this, &other);
        return *this;
    }
};
typedef __nv_bfloat162 nv_bfloat162;

CPU_DEVICE_UNCOUNTED inline float __bfloat162float(__nv_bfloat16 value) {
    const unsigned bits = static_cast<unsigned>(value.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

// Rounds to nearest even; NaN stays NaN.
CPU_DEVICE_UNCOUNTED inline __nv_bfloat16 __float2bfloat16(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return {0x7fff};
    bits += 0x7fff + (bits >> 16 & 1);
    return {static_cast<unsigned short>(bits >> 16)};
}
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return __float2bfloat16(value); }

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__float2bfloat16(x), __float2bfloat16(y)}; }
inline float2 __bfloat1622float2(__nv_bfloat162 v) { return {__bfloat162float(v.x), __bfloat162float(v.y)}; }

#endif
