/* Element types in kernels: read as float, written with one rounding. */
#ifndef NUMBER_CUH
#define NUMBER_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

static __host__ __device__ __forceinline__ float to_float(float x) { return x; }
static __host__ __device__ __forceinline__ float to_float(__half x) { return __half2float(x); }

static __host__ __device__ __forceinline__ void from_float(float x, float *out) { *out = x; }
static __host__ __device__ __forceinline__ void from_float(float x, __half *out) { *out = __float2half(x); }

#endif
