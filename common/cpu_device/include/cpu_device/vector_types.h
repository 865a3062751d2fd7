// CUDA's short vectors and their make_ functions.
#ifndef CPU_DEVICE_VECTOR_TYPES_H
#define CPU_DEVICE_VECTOR_TYPES_H

#include "../cuda_runtime_api.h"
#include <stdint.h>

namespace cpu_device {

typedef float Vector16 __attribute__((vector_size(16), may_alias));
typedef uint64_t Word8 __attribute__((may_alias));
typedef uint32_t Word4 __attribute__((may_alias));

// A GPU moves an 8 or 16-byte vector in one access. Compilers like to split a copy into its components; the empty asm
// needs the whole value in one register and so forbids it. Alignment is assumed, as on a GPU.
inline __attribute__((always_inline)) void move16(void *destination, const void *source) {
    Vector16 value = *static_cast<const Vector16 *>(source);
#if defined(__x86_64__)
    asm("" : "+x"(value));
#else
    asm("" : "+w"(value));
#endif
    *static_cast<Vector16 *>(destination) = value;
}

inline __attribute__((always_inline)) void move4(void *destination, const void *source) {
    Word4 value = *static_cast<const Word4 *>(source);
    asm("" : "+r"(value));
    *static_cast<Word4 *>(destination) = value;
}

inline __attribute__((always_inline)) void move8(void *destination, const void *source) {
    Word8 value = *static_cast<const Word8 *>(source);
    asm("" : "+r"(value));
    *static_cast<Word8 *>(destination) = value;
}

} // namespace cpu_device

#define CPU_DEVICE_SMALL_VECTORS(name, type, pair_alignment, quad_alignment)                                           \
    struct name##1 {                                                                                                   \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct alignas(pair_alignment) name##2 {                                                                           \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct alignas(quad_alignment) name##4 {                                                                           \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    CPU_DEVICE_MAKE_VECTORS(name, type)

#define CPU_DEVICE_MAKE_VECTORS(name, type)                                                                            \
    inline name##1 make_##name##1(type x) { return name##1 {x}; }                                                      \
    inline name##2 make_##name##2(type x, type y) { return name##2 {x, y}; }                                           \
    inline name##3 make_##name##3(type x, type y, type z) { return name##3 {x, y, z}; }                                \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return name##4 {x, y, z, w}; }

// The copy operations make these classes no aggregates, so constructors stand in for brace initialisation.
#define CPU_DEVICE_PAIR(name, type, move)                                                                              \
    struct alignas(2 * sizeof(type)) name {                                                                            \
        type x, y;                                                                                                     \
        name() = default;                                                                                              \
        constexpr name(type x_, type y_ = 0) : x(x_), y(y_) {}                                                         \
        inline __attribute__((always_inline)) name(const name &other) { ::cpu_device::move(this, &other); }            \
        inline __attribute__((always_inline)) name &operator=(const name &other) {                                     \
            ::cpu_device::move(this, &other);                                                                          \
            return *this;                                                                                              \
        }                                                                                                              \
    };

#define CPU_DEVICE_QUAD(name, type, move)                                                                              \
    struct alignas(4 * sizeof(type)) name {                                                                            \
        type x, y, z, w;                                                                                               \
        name() = default;                                                                                              \
        constexpr name(type x_, type y_ = 0, type z_ = 0, type w_ = 0) : x(x_), y(y_), z(z_), w(w_) {}                 \
        inline __attribute__((always_inline)) name(const name &other) { ::cpu_device::move(this, &other); }            \
        inline __attribute__((always_inline)) name &operator=(const name &other) {                                     \
            ::cpu_device::move(this, &other);                                                                          \
            return *this;                                                                                              \
        }                                                                                                              \
    };

CPU_DEVICE_SMALL_VECTORS(char, signed char, 2, 4)
CPU_DEVICE_SMALL_VECTORS(uchar, unsigned char, 2, 4)

struct short1 {
    short x;
};
struct ushort1 {
    unsigned short x;
};
struct alignas(4) short2 {
    short x, y;
};
struct alignas(4) ushort2 {
    unsigned short x, y;
};
struct short3 {
    short x, y, z;
};
struct ushort3 {
    unsigned short x, y, z;
};
CPU_DEVICE_QUAD(short4, short, move8)
CPU_DEVICE_QUAD(ushort4, unsigned short, move8)
CPU_DEVICE_MAKE_VECTORS(short, short)
CPU_DEVICE_MAKE_VECTORS(ushort, unsigned short)

struct int1 {
    int x;
};
struct uint1 {
    unsigned int x;
};
struct float1 {
    float x;
};
struct int3 {
    int x, y, z;
};
struct float3 {
    float x, y, z;
};
CPU_DEVICE_PAIR(int2, int, move8)
CPU_DEVICE_PAIR(uint2, unsigned int, move8)
CPU_DEVICE_PAIR(float2, float, move8)
CPU_DEVICE_QUAD(int4, int, move16)
CPU_DEVICE_QUAD(uint4, unsigned int, move16)
CPU_DEVICE_QUAD(float4, float, move16)
CPU_DEVICE_MAKE_VECTORS(int, int)
CPU_DEVICE_MAKE_VECTORS(uint, unsigned int)
CPU_DEVICE_MAKE_VECTORS(float, float)

CPU_DEVICE_PAIR(double2, double, move16)
CPU_DEVICE_PAIR(longlong2, long long, move16)
CPU_DEVICE_PAIR(ulonglong2, unsigned long long, move16)
struct double1 {
    double x;
};
struct double3 {
    double x, y, z;
};
struct alignas(16) double4 {
    double x, y, z, w;
};
CPU_DEVICE_SMALL_VECTORS(long, long, 16, 16)
CPU_DEVICE_SMALL_VECTORS(ulong, unsigned long, 16, 16)
struct longlong1 {
    long long x;
};
struct ulonglong1 {
    unsigned long long x;
};
struct longlong3 {
    long long x, y, z;
};
struct ulonglong3 {
    unsigned long long x, y, z;
};
struct alignas(16) longlong4 {
    long long x, y, z, w;
};
struct alignas(16) ulonglong4 {
    unsigned long long x, y, z, w;
};
CPU_DEVICE_MAKE_VECTORS(double, double)
CPU_DEVICE_MAKE_VECTORS(longlong, long long)
CPU_DEVICE_MAKE_VECTORS(ulonglong, unsigned long long)

#endif
