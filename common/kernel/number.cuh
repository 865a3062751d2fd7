/* Element types in kernels: read as float, written with one rounding; one at a time, or two or four neighbours at
 * once. */
#ifndef NUMBER_CUH
#define NUMBER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

static __host__ __device__ __forceinline__ float to_float(float x) { return x; }
static __host__ __device__ __forceinline__ float to_float(__half x) { return __half2float(x); }

static __host__ __device__ __forceinline__ void from_float(float x, float *out) { *out = x; }
static __host__ __device__ __forceinline__ void from_float(float x, __half *out) { *out = __float2half(x); }
static __host__ __device__ __forceinline__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
static __host__ __device__ __forceinline__ void from_float(float x, __nv_bfloat16 *out) { *out = __float2bfloat16(x); }

/* Elements p[0] and p[1] of two bytes each in one access of 4 bytes, to which p must be aligned. */
static __device__ __forceinline__ float2 load2(const __half *p) { return __half22float2(*(const __half2 *)p); }
static __device__ __forceinline__ float2 load2(const __nv_bfloat16 *p) {
    return __bfloat1622float2(*(const __nv_bfloat162 *)p);
}
static __device__ __forceinline__ void store2(float2 v, __half *p) { *(__half2 *)p = __floats2half2_rn(v.x, v.y); }
static __device__ __forceinline__ void store2(float2 v, __nv_bfloat16 *p) {
    *(__nv_bfloat162 *)p = __floats2bfloat162_rn(v.x, v.y);
}

/* Elements p[0] to p[3] in one access, of 16 bytes for float and of 8 for half, to which p must be aligned. */
static __device__ __forceinline__ float4 load4(const float *p) { return *(const float4 *)p; }
static __device__ __forceinline__ float4 load4(const __half *p) {
    const uint2 bits = *(const uint2 *)p;
    const float2 low = __half22float2(*(const __half2 *)&bits.x), high = __half22float2(*(const __half2 *)&bits.y);
    return make_float4(low.x, low.y, high.x, high.y);
}
static __device__ __forceinline__ void store4(float4 v, float *p) { *(float4 *)p = v; }
static __device__ __forceinline__ void store4(float4 v, __half *p) {
    const __half2 low = __floats2half2_rn(v.x, v.y), high = __floats2half2_rn(v.z, v.w);
    *(uint2 *)p = make_uint2(*(const unsigned *)&low, *(const unsigned *)&high);
}

/* Whether load4 and store4 may be used on every fourth element of every row. */
template <typename T> static __device__ __forceinline__ bool aligned4(const T *p, int64_t ld) {
    return (uintptr_t)p % (4 * sizeof(T)) == 0 && ld % 4 == 0;
}

/* Whether every row can be moved in chunks of 16 bytes, and 32 bits hold the offset in bytes of any element of 256 rows
 * from the first. */
template <typename T> static __device__ __forceinline__ bool has_chunks(const T *p, int64_t ld) {
    return (uintptr_t)p % 16 == 0 && ld * sizeof(T) % 16 == 0 && ld * sizeof(T) <= UINT32_MAX / 256;
}

/* load4 and store4 at a border: only the first `count` elements are touched, the others read as 0. */
template <typename T> static __device__ __forceinline__ float4 load4_part(const T *p, int count, bool aligned) {
    if (count >= 4 && aligned)
        return load4(p);
    return make_float4(count > 0 ? to_float(p[0]) : 0.0f, count > 1 ? to_float(p[1]) : 0.0f,
                       count > 2 ? to_float(p[2]) : 0.0f, count > 3 ? to_float(p[3]) : 0.0f);
}
template <typename T> static __device__ __forceinline__ void store4_part(float4 v, T *p, int count, bool aligned) {
    if (count >= 4 && aligned) {
        store4(v, p);
        return;
    }
    if (count > 0)
        from_float(v.x, &p[0]);
    if (count > 1)
        from_float(v.y, &p[1]);
    if (count > 2)
        from_float(v.z, &p[2]);
    if (count > 3)
        from_float(v.w, &p[3]);
}

/* Eight neighbours of two bytes each as a chunk of 16 bytes. At a border only the first `count` are touched, the others
 * read as 0. */
template <typename T> static __device__ __forceinline__ uint4 load8_part(const T *p, int count, bool aligned) {
    if (count >= 8 && aligned)
        return *(const uint4 *)p;
    __align__(16) T v[8];
#pragma unroll
    for (int e = 0; e < 8; e++)
        if (e < count)
            v[e] = p[e];
        else
            from_float(0.0f, &v[e]);
    return *(const uint4 *)v;
}
template <typename T> static __device__ __forceinline__ void store8_part(uint4 v, T *p, int count, bool aligned) {
    if (count >= 8 && aligned) {
        *(uint4 *)p = v;
        return;
    }
#pragma unroll
    for (int e = 0; e < 8; e++)
        if (e < count)
            p[e] = ((const T *)&v)[e];
}

#endif
