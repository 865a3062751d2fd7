/*
 * Stands in for NVIDIA's <cuda_fp16.h> on the CPU device. C++ only, as the original.
 *
 * __half has no constructors and no conversions, unlike NVIDIA's: g++ guards thread-local arrays of classes that have
 * them, and shared arrays are thread-local. Code that says __float2half(x) and __half2float(x) runs on both.
 *
 * Arithmetic rounds once, to nearest even, subnormals included. Sums, products and quotients go through float, where
 * the second rounding does no harm: float has 24 significant bits, which is 2 * 11 + 2 (S. Figueroa, "When is double
 * rounding innocuous?", ACM SIGNUM Newsletter 30(3), 1995).
 */
#ifndef CPU_DEVICE_CUDA_FP16_H
#define CPU_DEVICE_CUDA_FP16_H

#include "cuda_runtime.h"
#include <cmath>
#include <cstdint>

struct __half {
    unsigned short __x;
};
typedef __half half;

// A GPU moves both halves in one access: see move8 in vector_types.h.
struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    constexpr __half2(__half x_, __half y_) : x(x_), y(y_) {}
    inline __attribute__((always_inline)) __half2(const __half2 &other) { ::cpu_device::move4(this, &other); }
    inline __attribute__((always_inline)) __half2 &operator=(const __half2 &other) {
        ::cpu_device::move4(this, &other);
        return *this;
    }
};
typedef __half2 half2;

namespace cpu_device {

// ---- Conversions. Hardware and software agree on every bit, NaN payloads included: both quieten a NaN and keep the
// rest. ----

CPU_DEVICE_UNCOUNTED inline float float_from_half_software(uint16_t half_bits) {
    const uint32_t sign = static_cast<uint32_t>(half_bits & 0x8000) << 16;
    const uint32_t exponent = (half_bits >> 10) & 31, mantissa = half_bits & 0x3ff;
    if (exponent == 31) {
        const uint32_t quiet = mantissa ? 0x400000u : 0;
        return bit_cast<float>(sign | 0x7f800000u | quiet | mantissa << 13);
    }
    if (exponent != 0)
        return bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

CPU_DEVICE_UNCOUNTED inline uint16_t half_from_float_software(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value);
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000u) // NaN
        return static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000u) // 65520 and more round to infinity
        return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000u) {
        // Below 2^-14 a half counts in steps of 2^-24. Adding 0.5 puts that step at the last bit of a float, so the
        // addition rounds correctly.
        const float shifted = bit_cast<float>(magnitude) + 0.5f;
        return static_cast<uint16_t>(sign | (bit_cast<uint32_t>(shifted) - 0x3f000000u));
    }
    const uint32_t rebiased = magnitude - ((127u - 15u) << 23);
    const uint32_t odd = rebiased >> 13 & 1; // ties go to the even neighbour
    return static_cast<uint16_t>(sign | (rebiased + 0xfff + odd) >> 13);
}

#if defined(__F16C__)
typedef float Floats4 __attribute__((vector_size(16)));
typedef short Shorts8 __attribute__((vector_size(16)));

inline float float_from_half(uint16_t half_bits) {
    const Shorts8 packed = {static_cast<short>(half_bits), 0, 0, 0, 0, 0, 0, 0};
    return __builtin_ia32_vcvtph2ps(packed)[0];
}

inline uint16_t half_from_float(float value) {
    const Floats4 unpacked = {value, 0, 0, 0};
    enum { TO_NEAREST_EVEN = 0 };
    return static_cast<uint16_t>(__builtin_ia32_vcvtps2ph(unpacked, TO_NEAREST_EVEN)[0]);
}
#elif defined(__aarch64__)
inline float float_from_half(uint16_t half_bits) { return static_cast<float>(bit_cast<__fp16>(half_bits)); }
inline uint16_t half_from_float(float value) { return bit_cast<uint16_t>(static_cast<__fp16>(value)); }
#else
inline float float_from_half(uint16_t half_bits) { return float_from_half_software(half_bits); }
inline uint16_t half_from_float(float value) { return half_from_float_software(value); }
#endif

// `rounded` is the float nearest to a value from which it differs in the direction of `error`. Rounding to odd instead
// of to nearest keeps the information that a later rounding to fewer bits needs (S. Boldo and G. Melquiond, "Emulation
// of a FMA and correctly rounded sums", IEEE Transactions on Computers 57(4), 2008).
inline float round_to_odd(float rounded, double error) {
    const uint32_t bits = bit_cast<uint32_t>(rounded);
    if (error == 0 || !std::isfinite(rounded) || (bits & 1))
        return rounded;
    const bool away_from_zero = (error > 0) == (rounded > 0);
    return bit_cast<float>(away_from_zero ? bits + 1 : bits - 1);
}

} // namespace cpu_device

// ---- Bits and conversions ----

inline __half __ushort_as_half(unsigned short bits) { return __half{bits}; }
inline unsigned short __half_as_ushort(__half h) { return h.__x; }
inline __half __short_as_half(short bits) { return __half{static_cast<unsigned short>(bits)}; }
inline short __half_as_short(__half h) { return static_cast<short>(h.__x); }

inline float __half2float(__half h) { return cpu_device::float_from_half(h.__x); }
inline __half __float2half_rn(float value) { return __half{cpu_device::half_from_float(value)}; }
inline __half __float2half(float value) { return __float2half_rn(value); }
inline __half __float2half_rz(float value) {
    const __half nearest = __float2half_rn(value);
    if (!(std::fabs(__half2float(nearest)) > std::fabs(value)) || std::isinf(value))
        return nearest;
    return __half{static_cast<unsigned short>(nearest.__x - 1)}; // rounded away from zero: one step back
}
inline __half __double2half(double value) {
    const float rounded = static_cast<float>(value);
    return __float2half_rn(cpu_device::round_to_odd(rounded, value - rounded));
}
inline __half __int2half_rn(int value) { return __double2half(value); }
inline __half __uint2half_rn(unsigned int value) { return __double2half(value); }
inline int __half2int_rn(__half h) { return static_cast<int>(nearbyintf(__half2float(h))); }
inline int __half2int_rz(__half h) { return static_cast<int>(__half2float(h)); }

inline __half2 __halves2half2(__half low, __half high) { return __half2{low, high}; }
inline __half2 __half2half2(__half h) { return __half2{h, h}; }
inline __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
inline __half __low2half(__half2 h) { return h.x; }
inline __half __high2half(__half2 h) { return h.y; }
inline float __low2float(__half2 h) { return __half2float(h.x); }
inline float __high2float(__half2 h) { return __half2float(h.y); }
inline float2 __half22float2(__half2 h) { return float2(__half2float(h.x), __half2float(h.y)); }
inline __half2 __floats2half2_rn(float low, float high) { return __half2{__float2half_rn(low), __float2half_rn(high)}; }
inline __half2 __float2half2_rn(float value) { return __half2half2(__float2half_rn(value)); }
inline __half2 __float22half2_rn(float2 values) { return __floats2half2_rn(values.x, values.y); }

// ---- Arithmetic ----

CPU_DEVICE_UNCOUNTED inline __half __hadd(__half a, __half b) {
    cpu_device_note_half_flops(1);
    return __float2half_rn(__half2float(a) + __half2float(b));
}
CPU_DEVICE_UNCOUNTED inline __half __hsub(__half a, __half b) {
    cpu_device_note_half_flops(1);
    return __float2half_rn(__half2float(a) - __half2float(b));
}
CPU_DEVICE_UNCOUNTED inline __half __hmul(__half a, __half b) {
    cpu_device_note_half_flops(1);
    return __float2half_rn(__half2float(a) * __half2float(b));
}
CPU_DEVICE_UNCOUNTED inline __half __hdiv(__half a, __half b) {
    cpu_device_note_half_flops(1);
    return __float2half_rn(__half2float(a) / __half2float(b));
}
inline __half __hneg(__half a) { return __half{static_cast<unsigned short>(a.__x ^ 0x8000)}; }
inline __half __habs(__half a) { return __half{static_cast<unsigned short>(a.__x & 0x7fff)}; }

// The product is exact in float; the sum is not always, so its error (D. Knuth's TwoSum) decides how to round it.
CPU_DEVICE_UNCOUNTED inline __half __hfma(__half a, __half b, __half c) {
    cpu_device_note_half_flops(2);
    const float product = __half2float(a) * __half2float(b), addend = __half2float(c);
    const float sum = product + addend;
    const float addend_part = sum - product;
    const float error = (product - (sum - addend_part)) + (addend - addend_part);
    return __float2half_rn(cpu_device::round_to_odd(sum, error));
}

inline bool __heq(__half a, __half b) { return __half2float(a) == __half2float(b); }
inline bool __hne(__half a, __half b) { return __half2float(a) != __half2float(b); }
inline bool __hlt(__half a, __half b) { return __half2float(a) < __half2float(b); }
inline bool __hle(__half a, __half b) { return __half2float(a) <= __half2float(b); }
inline bool __hgt(__half a, __half b) { return __half2float(a) > __half2float(b); }
inline bool __hge(__half a, __half b) { return __half2float(a) >= __half2float(b); }
inline bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
inline int __hisinf(__half a) { return a.__x == 0x7c00 ? 1 : a.__x == 0xfc00 ? -1 : 0; }
inline __half __hmax(__half a, __half b) { return __hisnan(a) || __hlt(a, b) ? b : a; }
inline __half __hmin(__half a, __half b) { return __hisnan(a) || __hgt(a, b) ? b : a; }

inline __half2 __hadd2(__half2 a, __half2 b) { return __half2{__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return __half2{__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return __half2{__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
inline __half2 __h2div(__half2 a, __half2 b) { return __half2{__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
inline __half2 __hneg2(__half2 a) { return __half2{__hneg(a.x), __hneg(a.y)}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

inline __half operator+(__half a, __half b) { return __hadd(a, b); }
inline __half operator-(__half a, __half b) { return __hsub(a, b); }
inline __half operator*(__half a, __half b) { return __hmul(a, b); }
inline __half operator/(__half a, __half b) { return __hdiv(a, b); }
inline __half operator-(__half a) { return __hneg(a); }
inline __half &operator+=(__half &a, __half b) { return a = a + b; }
inline __half &operator-=(__half &a, __half b) { return a = a - b; }
inline __half &operator*=(__half &a, __half b) { return a = a * b; }
inline __half &operator/=(__half &a, __half b) { return a = a / b; }
inline bool operator==(__half a, __half b) { return __heq(a, b); }
inline bool operator!=(__half a, __half b) { return __hne(a, b); }
inline bool operator<(__half a, __half b) { return __hlt(a, b); }
inline bool operator<=(__half a, __half b) { return __hle(a, b); }
inline bool operator>(__half a, __half b) { return __hgt(a, b); }
inline bool operator>=(__half a, __half b) { return __hge(a, b); }

inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
inline __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
inline __half2 operator-(__half2 a) { return __hneg2(a); }
inline __half2 &operator+=(__half2 &a, __half2 b) { return a = a + b; }
inline __half2 &operator-=(__half2 &a, __half2 b) { return a = a - b; }
inline __half2 &operator*=(__half2 &a, __half2 b) { return a = a * b; }
inline __half2 &operator/=(__half2 &a, __half2 b) { return a = a / b; }
inline bool operator==(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }
inline bool operator!=(__half2 a, __half2 b) { return a.x != b.x && a.y != b.y; }

// ---- Atomics ----

namespace cpu_device {
CPU_DEVICE_UNCOUNTED inline __half sum_of_atomics(__half a, __half b) {
    return __float2half_rn(__half2float(a) + __half2float(b));
}
} // namespace cpu_device

inline __attribute__((always_inline)) __half atomicAdd(__half *address, __half value) {
    cpu_device_note_atomic(address, sizeof *address);
    return cpu_device::atomic_update(
        address, [=](__half old) CPU_DEVICE_UNCOUNTED { return cpu_device::sum_of_atomics(old, value); });
}
inline __attribute__((always_inline)) __half2 atomicAdd(__half2 *address, __half2 value) {
    cpu_device_note_atomic(address, sizeof *address);
    return cpu_device::atomic_update(address, [=](__half2 old) CPU_DEVICE_UNCOUNTED {
        return __half2{cpu_device::sum_of_atomics(old.x, value.x), cpu_device::sum_of_atomics(old.y, value.y)};
    });
}

#endif
