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

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
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

#endif
