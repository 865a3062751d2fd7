// CUDA's arithmetic intrinsics that are thin names for what the processor or the C library does. Those of the fast-math
// kind are as exact here as their plain forms.
#ifndef CPU_DEVICE_INTRINSICS_H
#define CPU_DEVICE_INTRINSICS_H

#include "device_functions.h"
#include <cmath>
#include <cstdint>

// ---- Integers ----

inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned int __brev(unsigned int a) {
    unsigned int reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (a >> bit & 1u) << (31 - bit);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long a) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(a))) << 32 |
           __brev(static_cast<unsigned int>(a >> 32));
}
// Byte i of the result is the byte of b:a that nibble i of the selector names; its top bit spreads that byte's sign.
inline unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
    const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned int nibble = selector >> 4 * i & 15;
        unsigned int byte = static_cast<unsigned int>(bytes >> 8 * (nibble & 7) & 255);
        if (nibble & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}
// The upper or lower 32 bits of high:low, shifted by `shift` modulo 32, or (c) by at most 32.
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline unsigned int __sad(int a, int b, unsigned int sum) {
    const long long difference = static_cast<long long>(a) - b;
    return sum + static_cast<unsigned int>(difference < 0 ? -difference : difference);
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int sum) { return sum + (a > b ? a - b : b - a); }
// Signed and unsigned dot products of four bytes (compute capability 6.1).
inline int __dp4a(int a, int b, int sum) {
    for (int i = 0; i < 4; i++)
        sum += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
    return sum;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
    for (int i = 0; i < 4; i++)
        sum += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    return sum;
}

// ---- Conversions. rn: to nearest even, rz: towards zero, ru and rd: up and down. ----

inline int __float2int_rz(float a) { return static_cast<int>(a); }
inline int __float2int_ru(float a) { return static_cast<int>(ceilf(a)); }
inline int __float2int_rd(float a) { return static_cast<int>(floorf(a)); }
inline unsigned int __float2uint_rn(float a) { return static_cast<unsigned int>(nearbyintf(a)); }
inline unsigned int __float2uint_rz(float a) { return static_cast<unsigned int>(a); }
inline long long __float2ll_rn(float a) { return static_cast<long long>(nearbyintf(a)); }
inline long long __float2ll_rz(float a) { return static_cast<long long>(a); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned int a) { return static_cast<float>(a); }
inline float __ll2float_rn(long long a) { return static_cast<float>(a); }
inline int __double2int_rn(double a) { return static_cast<int>(nearbyint(a)); }
inline int __double2int_rz(double a) { return static_cast<int>(a); }
inline float __double2float_rn(double a) { return static_cast<float>(a); }
inline double __int2double_rn(int a) { return a; }
inline int __double2hiint(double a) { return static_cast<int>(cpu_device::bit_cast<uint64_t>(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(cpu_device::bit_cast<uint64_t>(a)); }
inline double __hiloint2double(int high, int low) {
    const uint64_t bits = static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low);
    return cpu_device::bit_cast<double>(bits);
}

// ---- Floating point ----

inline float __frsqrt_rn(float a) { return 1.0f / sqrtf(a); }
inline float fdividef(float a, float b) { return a / b; }
inline float __sinf(float a) { return sinf(a); }
inline float __cosf(float a) { return cosf(a); }
inline float __tanf(float a) { return tanf(a); }
inline void __sincosf(float a, float *sine, float *cosine) {
    *sine = sinf(a);
    *cosine = cosf(a);
}
inline float __logf(float a) { return logf(a); }
inline float __log2f(float a) { return log2f(a); }
inline float __log10f(float a) { return log10f(a); }
inline float __exp10f(float a) { return powf(10.0f, a); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __saturatef(float a) { return fminf(fmaxf(a, 0.0f), 1.0f); }
inline double rsqrt(double a) { return 1.0 / sqrt(a); }
inline float rcbrtf(float a) { return 1.0f / cbrtf(a); }
inline float sinpif(float a) { return static_cast<float>(sin(a * M_PI)); }
inline float cospif(float a) { return static_cast<float>(cos(a * M_PI)); }
inline double sinpi(double a) { return sin(a * M_PI); }
inline double cospi(double a) { return cos(a * M_PI); }
inline float normcdff(float a) { return 0.5f * erfcf(-a * static_cast<float>(M_SQRT1_2)); }
inline double normcdf(double a) { return 0.5 * erfc(-a * M_SQRT1_2); }
inline double __dadd_rn(double a, double b) {
    return cpu_device::rounded(cpu_device::rounded(a) + cpu_device::rounded(b));
}
inline double __dmul_rn(double a, double b) { return cpu_device::rounded(a * b); }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }

// ---- Warp-wide reductions and matches ----

namespace cpu_device {

// Every lane of the mask sees every other; masks are short, so a loop over 32 lanes will do.
template <class T, class Combine> T reduce_lanes(unsigned mask, T value, Combine combine) {
    T result = value;
    bool first = true;
    for (int lane = 0; lane < warpSize; lane++) {
        if (!(mask >> lane & 1))
            continue;
        const T other = __shfl_sync(mask, value, lane);
        result = first ? other : combine(result, other);
        first = false;
    }
    return result;
}

} // namespace cpu_device

#define CPU_DEVICE_REDUCE(name, type, expression)                                                                      \
    inline type name(unsigned mask, type value) {                                                                      \
        return cpu_device::reduce_lanes(mask, value, [](type a, type b) -> type { return expression; });               \
    }
CPU_DEVICE_REDUCE(__reduce_add_sync, int, a + b)
CPU_DEVICE_REDUCE(__reduce_add_sync, unsigned int, a + b)
CPU_DEVICE_REDUCE(__reduce_min_sync, int, min(a, b))
CPU_DEVICE_REDUCE(__reduce_min_sync, unsigned int, min(a, b))
CPU_DEVICE_REDUCE(__reduce_max_sync, int, max(a, b))
CPU_DEVICE_REDUCE(__reduce_max_sync, unsigned int, max(a, b))
CPU_DEVICE_REDUCE(__reduce_and_sync, unsigned int, a &b)
CPU_DEVICE_REDUCE(__reduce_or_sync, unsigned int, a | b)
CPU_DEVICE_REDUCE(__reduce_xor_sync, unsigned int, a ^ b)
#undef CPU_DEVICE_REDUCE

template <class T> inline unsigned __match_any_sync(unsigned mask, T value) {
    unsigned equal = 0;
    for (int lane = 0; lane < warpSize; lane++)
        if ((mask >> lane & 1) && __shfl_sync(mask, value, lane) == value)
            equal |= 1u << lane;
    return equal;
}
template <class T> inline unsigned __match_all_sync(unsigned mask, T value, int *all) {
    *all = __all_sync(mask, __match_any_sync(mask, value) == mask);
    return *all ? mask : 0;
}

#endif
