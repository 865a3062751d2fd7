// What CUDA C has without an include: built-in variables, barriers, warp functions, intrinsics, atomics.
#ifndef CPU_DEVICE_DEVICE_FUNCTIONS_H
#define CPU_DEVICE_DEVICE_FUNCTIONS_H

#include "block.h"
#include "counters.h"
#include "vector_types.h"
#include <cmath>
#include <cstring>
#include <ctime>
#include <type_traits>

// Before version 15, -fsanitize=thread of clang leaves copies of structures to memcpy and its like, which the
// sanitizer's library would replace. Here the kernel's object file calls the hooks instead.
#if defined(__clang__) && __clang_major__ < 15 && defined(__x86_64__)
asm(".set memcpy, __tsan_memcpy\n.set memmove, __tsan_memmove\n.set memset, __tsan_memset");
#endif

#define threadIdx (::cpu_device_thread_index())
#define blockIdx (::cpu_device_block_index())
#define blockDim (::dim3(::cpu_device_block_dim()))
#define gridDim (::dim3(::cpu_device_grid_dim()))
inline constexpr int warpSize = 32;

namespace cpu_device {

// Dynamic shared memory of any type. cu2cpp turns `extern __shared__ float tile[]` into
// `float (&tile)[] = ::cpu_device::DynamicShared()`.
extern "C" __thread unsigned char dynamic_shared_window[] __asm__("smem");

struct DynamicShared {
    template <class T> inline __attribute__((always_inline)) operator T &() const {
        return reinterpret_cast<T &>(dynamic_shared_window);
    }
};

} // namespace cpu_device

// ---- Barriers and fences ----

// Inlined at every level of optimisation: the checks tell barriers and warp functions apart by where they return to.

inline __attribute__((always_inline)) void __syncthreads() { cpu_device_barrier(0, nullptr); }
inline __attribute__((always_inline)) int __syncthreads_count(int predicate) {
    return static_cast<int>(cpu_device_barrier(predicate, nullptr));
}
inline __attribute__((always_inline)) int __syncthreads_or(int predicate) {
    return cpu_device_barrier(predicate, nullptr) != 0;
}
inline __attribute__((always_inline)) int __syncthreads_and(int predicate) {
    unsigned participants;
    return cpu_device_barrier(predicate, &participants) == participants;
}
inline __attribute__((always_inline)) void __syncwarp(unsigned mask = 0xffffffffu) { cpu_device_sync_warp(mask); }
inline void __threadfence_block() { cpu_device_fence(); }
inline void __threadfence() { cpu_device_fence(); }
inline void __threadfence_system() { cpu_device_fence(); }
[[noreturn]] inline void __trap() { cpu_device_trap(); }
inline void __nanosleep(unsigned) {}

// ---- Warp functions ----

namespace cpu_device {

template <class T>
inline __attribute__((always_inline)) T shuffle(unsigned mask, T value, int lane_or_delta, int width,
                                                cpu_device_shuffle_mode mode) {
    static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "shuffles move arithmetic values of 4 or 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = ::cpu_device_shuffle(mask, bits, lane_or_delta, width, mode);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

// What a value becomes on its way through a shuffle: bool, char and short turn into int, as in an overload set.
template <class T>
using Shuffled = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < sizeof(int)), int, std::remove_cv_t<T>>;

} // namespace cpu_device

template <class T>
inline __attribute__((always_inline)) cpu_device::Shuffled<T> __shfl_sync(unsigned mask, T value, int source_lane,
                                                                          int width = warpSize) {
    return cpu_device::shuffle<cpu_device::Shuffled<T>>(mask, value, source_lane, width, CPU_DEVICE_SHUFFLE_INDEX);
}
template <class T>
inline __attribute__((always_inline)) cpu_device::Shuffled<T> __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                                                             int width = warpSize) {
    return cpu_device::shuffle<cpu_device::Shuffled<T>>(mask, value, static_cast<int>(delta), width,
                                                        CPU_DEVICE_SHUFFLE_UP);
}
template <class T>
inline __attribute__((always_inline)) cpu_device::Shuffled<T> __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                                               int width = warpSize) {
    return cpu_device::shuffle<cpu_device::Shuffled<T>>(mask, value, static_cast<int>(delta), width,
                                                        CPU_DEVICE_SHUFFLE_DOWN);
}
template <class T>
inline __attribute__((always_inline)) cpu_device::Shuffled<T> __shfl_xor_sync(unsigned mask, T value, int lane_mask,
                                                                              int width = warpSize) {
    return cpu_device::shuffle<cpu_device::Shuffled<T>>(mask, value, lane_mask, width, CPU_DEVICE_SHUFFLE_XOR);
}

inline __attribute__((always_inline)) unsigned __ballot_sync(unsigned mask, int predicate) {
    return cpu_device_ballot(mask, predicate);
}
inline __attribute__((always_inline)) int __any_sync(unsigned mask, int predicate) {
    return cpu_device_ballot(mask, predicate) != 0;
}
inline __attribute__((always_inline)) int __all_sync(unsigned mask, int predicate) {
    return cpu_device_ballot(mask, !predicate) == 0;
}
// Every lane that has not exited: inside a branch, unlike a GPU, also those that did not take it. Where only some lanes
// arrive, find them with __ballot_sync before the branch.
inline unsigned __activemask() { return cpu_device_active_mask(); }

// ---- Memory ----

template <class T> inline T __ldg(const T *pointer) { return *pointer; }
// Hints to caches; the access itself is an ordinary one.
template <class T> inline T __ldcg(const T *pointer) { return *pointer; }
template <class T> inline T __ldca(const T *pointer) { return *pointer; }
template <class T> inline T __ldcs(const T *pointer) { return *pointer; }
template <class T> inline T __ldlu(const T *pointer) { return *pointer; }
template <class T> inline T __ldcv(const T *pointer) { return *pointer; }
template <class T> inline void __stwb(T *pointer, T value) { *pointer = value; }
template <class T> inline void __stcg(T *pointer, T value) { *pointer = value; }
template <class T> inline void __stcs(T *pointer, T value) { *pointer = value; }
template <class T> inline void __stwt(T *pointer, T value) { *pointer = value; }
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
constexpr unsigned long min(long a, unsigned long b) { return min(static_cast<unsigned long>(a), b); }
constexpr unsigned long min(unsigned long a, long b) { return min(a, static_cast<unsigned long>(b)); }
constexpr unsigned long max(long a, unsigned long b) { return max(static_cast<unsigned long>(a), b); }
constexpr unsigned long max(unsigned long a, long b) { return max(a, static_cast<unsigned long>(b)); }
constexpr unsigned long long min(long long a, unsigned long long b) {
    return min(static_cast<unsigned long long>(a), b);
}
constexpr unsigned long long min(unsigned long long a, long long b) {
    return min(a, static_cast<unsigned long long>(b));
}
constexpr unsigned long long max(long long a, unsigned long long b) {
    return max(static_cast<unsigned long long>(a), b);
}
constexpr unsigned long long max(unsigned long long a, long long b) {
    return max(a, static_cast<unsigned long long>(b));
}
// As in CUDA, a NaN loses against a number.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }

namespace cpu_device {
// Hides a product or sum from the optimiser, which may otherwise contract a * b + c into one operation.
template <class T> inline __attribute__((always_inline)) T rounded(T value) {
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
    std::memcpy(static_cast<void *>(&to), &from, sizeof(To));
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
template <class T, class Update> CPU_DEVICE_UNCOUNTED inline T atomic_update(T *address, Update update) {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    static_assert(sizeof(T) == sizeof(Bits), "atomics work on 2, 4 or 8 bytes");
    Bits *bits = reinterpret_cast<Bits *>(address);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(bits, &old, bit_cast<Bits>(update(bit_cast<T>(old))), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    return bit_cast<T>(old);
}

} // namespace cpu_device

// ---- Atomics on one address. The forms that end in _block and _system promise less and more to other threads; one
// strength serves all. ----

#define CPU_DEVICE_COUNTED_ATOMIC(name, type, parameters, ...)                                                         \
    inline __attribute__((always_inline)) type name parameters {                                                       \
        cpu_device_note_atomic(address, sizeof(type));                                                                 \
        __VA_ARGS__                                                                                                    \
    }

#define CPU_DEVICE_ATOMIC(name, type, parameters, ...)                                                                 \
    CPU_DEVICE_COUNTED_ATOMIC(name, type, parameters, __VA_ARGS__)                                                     \
    CPU_DEVICE_COUNTED_ATOMIC(name##_block, type, parameters, __VA_ARGS__)                                             \
    CPU_DEVICE_COUNTED_ATOMIC(name##_system, type, parameters, __VA_ARGS__)

#define CPU_DEVICE_ATOMIC_UPDATE(name, type, update)                                                                   \
    CPU_DEVICE_ATOMIC(                                                                                                 \
        name, type, (type * address, type value),                                                                      \
        return cpu_device::atomic_update(address, [=](type old) CPU_DEVICE_UNCOUNTED -> type { return update; });)

#define CPU_DEVICE_ATOMIC_FETCH(name, type, fetch)                                                                     \
    CPU_DEVICE_ATOMIC(name, type, (type * address, type value), return fetch(address, value, __ATOMIC_RELAXED);)

#define CPU_DEVICE_ATOMIC_CAS(type)                                                                                    \
    CPU_DEVICE_ATOMIC(                                                                                                 \
        atomicCAS, type, (type * address, type compare, type value),                                                   \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
        return compare;)

#define CPU_DEVICE_INTEGER_ATOMICS(type)                                                                               \
    CPU_DEVICE_ATOMIC_FETCH(atomicAdd, type, __atomic_fetch_add)                                                       \
    CPU_DEVICE_ATOMIC_FETCH(atomicAnd, type, __atomic_fetch_and)                                                       \
    CPU_DEVICE_ATOMIC_FETCH(atomicOr, type, __atomic_fetch_or)                                                         \
    CPU_DEVICE_ATOMIC_FETCH(atomicXor, type, __atomic_fetch_xor)                                                       \
    CPU_DEVICE_ATOMIC_FETCH(atomicExch, type, __atomic_exchange_n)                                                     \
    CPU_DEVICE_ATOMIC_UPDATE(atomicMax, type, max(old, value))                                                         \
    CPU_DEVICE_ATOMIC_UPDATE(atomicMin, type, min(old, value))                                                         \
    CPU_DEVICE_ATOMIC_CAS(type)

CPU_DEVICE_INTEGER_ATOMICS(int)
CPU_DEVICE_INTEGER_ATOMICS(unsigned int)
CPU_DEVICE_INTEGER_ATOMICS(unsigned long long)
CPU_DEVICE_ATOMIC_UPDATE(atomicMax, long long, max(old, value))
CPU_DEVICE_ATOMIC_UPDATE(atomicMin, long long, min(old, value))
CPU_DEVICE_ATOMIC_FETCH(atomicAnd, long long, __atomic_fetch_and)
CPU_DEVICE_ATOMIC_FETCH(atomicOr, long long, __atomic_fetch_or)
CPU_DEVICE_ATOMIC_FETCH(atomicXor, long long, __atomic_fetch_xor)
CPU_DEVICE_ATOMIC_CAS(unsigned short)
CPU_DEVICE_ATOMIC_FETCH(atomicSub, int, __atomic_fetch_sub)
CPU_DEVICE_ATOMIC_FETCH(atomicSub, unsigned int, __atomic_fetch_sub)
// Counts up to `value` and starts again at 0; down to 0 and starts again at `value`.
CPU_DEVICE_ATOMIC_UPDATE(atomicInc, unsigned int, old >= value ? 0 : old + 1)
CPU_DEVICE_ATOMIC_UPDATE(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
CPU_DEVICE_ATOMIC_UPDATE(atomicAdd, float, old + value)
CPU_DEVICE_ATOMIC_UPDATE(atomicAdd, double, old + value)
CPU_DEVICE_ATOMIC(atomicExch, float, (float *address, float value),
                  return cpu_device::atomic_update(address, [=](float) { return value; });)

#undef CPU_DEVICE_INTEGER_ATOMICS
#undef CPU_DEVICE_ATOMIC_CAS
#undef CPU_DEVICE_ATOMIC_FETCH
#undef CPU_DEVICE_ATOMIC_UPDATE
#undef CPU_DEVICE_ATOMIC
#undef CPU_DEVICE_COUNTED_ATOMIC

#endif
