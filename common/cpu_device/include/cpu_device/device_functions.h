// What CUDA C has without an include: built-in variables, barriers, warp functions, intrinsics, atomics.
#ifndef CPU_DEVICE_DEVICE_FUNCTIONS_H
#define CPU_DEVICE_DEVICE_FUNCTIONS_H

#include "block.h"
#include "vector_types.h"
#include <cmath>
#include <cstring>
#include <ctime>
#include <type_traits>

#define threadIdx (::cpu_device_thread_index())
#define blockIdx (::cpu_device_block_index())
#define blockDim (::dim3(::cpu_device_block_dim()))
#define gridDim (::dim3(::cpu_device_grid_dim()))
inline constexpr int warpSize = 32;

// ---- Barriers and fences ----

inline void __syncthreads() { cpu_device_barrier(0, nullptr); }
inline int __syncthreads_count(int predicate) { return static_cast<int>(cpu_device_barrier(predicate, nullptr)); }
inline int __syncthreads_or(int predicate) { return cpu_device_barrier(predicate, nullptr) != 0; }
inline int __syncthreads_and(int predicate) {
    unsigned participants;
    return cpu_device_barrier(predicate, &participants) == participants;
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { cpu_device_sync_warp(mask); }
inline void __threadfence_block() { cpu_device_fence(); }
inline void __threadfence() { cpu_device_fence(); }

// ---- Warp functions ----

namespace cpu_device {

template <class T> T shuffle(unsigned mask, T value, int lane_or_delta, int width, cpu_device_shuffle_mode mode) {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "shuffles move arithmetic values of 4 or 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = ::cpu_device_shuffle(mask, bits, lane_or_delta, width, mode);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

} // namespace cpu_device

template <class T> T __shfl_sync(unsigned mask, T value, int source_lane, int width = warpSize) {
    return cpu_device::shuffle(mask, value, source_lane, width, CPU_DEVICE_SHUFFLE_INDEX);
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    return cpu_device::shuffle(mask, value, static_cast<int>(delta), width, CPU_DEVICE_SHUFFLE_UP);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    return cpu_device::shuffle(mask, value, static_cast<int>(delta), width, CPU_DEVICE_SHUFFLE_DOWN);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
    return cpu_device::shuffle(mask, value, lane_mask, width, CPU_DEVICE_SHUFFLE_XOR);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) { return cpu_device_ballot(mask, predicate); }
inline int __any_sync(unsigned mask, int predicate) { return cpu_device_ballot(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return cpu_device_ballot(mask, !predicate) == 0; }
// Every lane that has not exited: inside a branch, unlike a GPU, also those that did not take it. Where only some lanes
// arrive, find them with __ballot_sync before the branch.
inline unsigned __activemask() { return cpu_device_active_mask(); }

// ---- Memory ----

template <class T> inline T __ldg(const T *pointer) { return *pointer; }
inline size_t __cvta_generic_to_shared(const void *pointer) { return cpu_device_shared_address(pointer); }

// ---- Arithmetic ----

#define CPU_DEVICE_MIN_MAX(type)                                                                                       \
    constexpr type min(type a, type b) { return b < a ? b : a; }                                                       \
    constexpr type max(type a, type b) { return a < b ? b : a; }
CPU_DEVICE_MIN_MAX(int)
CPU_DEVICE_MIN_MAX(unsigned int)
CPU_DEVICE_MIN_MAX(long)
CPU_DEVICE_MIN_MAX(unsigned long)
CPU_DEVICE_MIN_MAX(long long)
CPU_DEVICE_MIN_MAX(unsigned long long)
#undef CPU_DEVICE_MIN_MAX
// CUDA has these mixed forms too, and they matter: without them min(int, unsigned) would be ambiguous.
constexpr unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
constexpr unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
constexpr unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
constexpr unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
// As in CUDA, a NaN loses against a number.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

namespace cpu_device {
// Hides a product or sum from the optimiser, which may otherwise contract a * b + c into one operation.
inline __attribute__((always_inline)) float rounded(float value) {
#if defined(__x86_64__)
    asm("" : "+x"(value));
#else
    asm("" : "+w"(value));
#endif
    return value;
}
} // namespace cpu_device

inline float __fadd_rn(float a, float b) {
    return cpu_device::rounded(cpu_device::rounded(a) + cpu_device::rounded(b));
}
inline float __fsub_rn(float a, float b) {
    return cpu_device::rounded(cpu_device::rounded(a) - cpu_device::rounded(b));
}
inline float __fmul_rn(float a, float b) { return cpu_device::rounded(a * b); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
inline float __expf(float a) { return expf(a); }

namespace cpu_device {
template <class To, class From> inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}
} // namespace cpu_device

inline int __float_as_int(float a) { return cpu_device::bit_cast<int>(a); }
inline unsigned int __float_as_uint(float a) { return cpu_device::bit_cast<unsigned int>(a); }
inline float __int_as_float(int a) { return cpu_device::bit_cast<float>(a); }
inline float __uint_as_float(unsigned int a) { return cpu_device::bit_cast<float>(a); }
inline long long __double_as_longlong(double a) { return cpu_device::bit_cast<long long>(a); }
inline double __longlong_as_double(long long a) { return cpu_device::bit_cast<double>(a); }
inline int __float2int_rn(float a) { return static_cast<int>(nearbyintf(a)); }
inline int __popc(unsigned int a) { return __builtin_popcount(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(a)); }
inline int __ffs(int a) { return __builtin_ffs(a); }

// A free-running counter, as on a GPU; here its unit is 1 ns.
inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// ---- Atomics: blocks run on several OS threads, so these are real. ----

namespace cpu_device {

// Replaces *address by update(*address) in one step and returns the old value.
template <class T, class Update> inline T atomic_update(T *address, Update update) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    static_assert(sizeof(T) == sizeof(Bits), "atomics work on 4 or 8 bytes");
    Bits *bits = reinterpret_cast<Bits *>(address);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &old, bit_cast<Bits>(update(bit_cast<T>(old))), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    return bit_cast<T>(old);
}

} // namespace cpu_device

#define CPU_DEVICE_INTEGER_ATOMICS(type)                                                                               \
    inline type atomicAdd(type *address, type value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }  \
    inline type atomicMax(type *address, type value) {                                                                 \
        return cpu_device::atomic_update(address, [=](type old) { return max(old, value); });                          \
    }                                                                                                                  \
    inline type atomicMin(type *address, type value) {                                                                 \
        return cpu_device::atomic_update(address, [=](type old) { return min(old, value); });                          \
    }                                                                                                                  \
    inline type atomicExch(type *address, type value) {                                                                \
        return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                                                  \
    }                                                                                                                  \
    inline type atomicCAS(type *address, type compare, type value) {                                                   \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
        return compare;                                                                                                \
    }
CPU_DEVICE_INTEGER_ATOMICS(int)
CPU_DEVICE_INTEGER_ATOMICS(unsigned int)
CPU_DEVICE_INTEGER_ATOMICS(unsigned long long)
#undef CPU_DEVICE_INTEGER_ATOMICS
inline int atomicSub(int *address, int value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
inline unsigned int atomicSub(unsigned int *address, unsigned int value) {
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}
inline float atomicAdd(float *address, float value) {
    return cpu_device::atomic_update(address, [=](float old) { return old + value; });
}
inline double atomicAdd(double *address, double value) {
    return cpu_device::atomic_update(address, [=](double old) { return old + value; });
}
inline float atomicExch(float *address, float value) {
    return cpu_device::atomic_update(address, [=](float) { return value; });
}

#endif
