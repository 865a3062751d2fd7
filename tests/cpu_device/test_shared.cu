// Shared memory, static and dynamic, and the vector types that move through it.
#include "kernel_test.h"
#include <cuda_fp16.h>

template <class T, int N> __global__ void reverse_static(T *data) {
    __shared__ T tile[N];
    __shared__ __align__(128) unsigned char bytes[N];
    const int t = threadIdx.x;
    tile[t] = data[blockIdx.x * N + t];
    bytes[t] = static_cast<unsigned char>(t);
    __syncthreads();
    data[blockIdx.x * N + t] = tile[N - 1 - t] + static_cast<T>(bytes[t]);
    unsigned char *volatile where = bytes; // the compiler would trust the declared alignment otherwise
    if (t == 0 && reinterpret_cast<uintptr_t>(where) % 128 != 0)
        data[0] = static_cast<T>(-1);
}

static void static_arrays(void **) {
    in_both_orders([] {
        Buffer<float> floats(100 * 48);
        Buffer<long long> integers(100 * 70);
        for (int i = 0; i < 100 * 48; i++)
            floats[i] = static_cast<float>(i);
        for (int i = 0; i < 100 * 70; i++)
            integers[i] = i;
        reverse_static<float, 48><<<100, 48>>>(floats.data);
        reverse_static<long long, 70><<<100, 70>>>(integers.data);
        expect_success();
        for (int i = 0; i < 100 * 48; i++)
            assert_true(floats[i] == static_cast<float>(i / 48 * 48 + 47 - i % 48 + i % 48));
        for (int i = 0; i < 100 * 70; i++)
            assert_true(integers[i] == i / 70 * 70 + 69 - i % 70 + i % 70);
    });
}

__global__ void reverse_dynamic(int *data, int n, unsigned *misaligned) {
    extern __shared__ __align__(1024) unsigned char smem[];
    int *tile = reinterpret_cast<int *>(smem);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = tile[n - 1 - i];
    if (threadIdx.x == 0) {
        unsigned char *volatile window = smem; // the compiler would trust the declared alignment otherwise
        const size_t address = __cvta_generic_to_shared(tile + 3);
        *misaligned = reinterpret_cast<uintptr_t>(window) % 1024 + (address % 1024 != 12) + (address >> 32 != 0);
    }
}

static void dynamic_window_of_any_size(void **) {
    assert_int_equal(cudaFuncSetAttribute(reverse_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024),
                     cudaSuccess);
    for (int bytes : {4, 48 * 1024, 100 * 1024, 227 * 1024}) {
        const int n = bytes / 4;
        Buffer<int> data(n);
        Buffer<unsigned> misaligned(1);
        for (int i = 0; i < n; i++)
            data[i] = i;
        reverse_dynamic<<<1, 128, bytes>>>(data.data, n, misaligned.data);
        expect_success();
        assert_int_equal(misaligned[0], 0);
        for (int i = 0; i < n; i++)
            assert_int_equal(data[i], n - 1 - i);
    }
    cudaDeviceReset();
}

// Each block looks at what it finds and then leaves something for the next one to find.
__global__ void look_before_writing(float *seen) {
    extern __shared__ __align__(1024) unsigned char smem[];
    float *cells = reinterpret_cast<float *>(smem);
    seen[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x];
    __syncthreads();
    cells[threadIdx.x] = 1.0f;
}

static void unwritten_memory_is_nan(void **) {
    Buffer<float> seen(10 * 64);
    look_before_writing<<<10, 64, 64 * sizeof(float)>>>(seen.data);
    expect_success();
    for (int i = 0; i < 10 * 64; i++)
        assert_true(seen[i] != seen[i]);
}

__global__ void move_vectors(float4 *four, float2 *two, int4 *ints, double2 *doubles, half2 *halves, uchar4 *bytes) {
    __shared__ float4 tile[32];
    const int t = threadIdx.x;
    tile[t] = four[t];
    __syncthreads();
    float4 v = tile[31 - t];
    v.x += 1;
    four[t] = v;
    two[t] = make_float2(v.x, v.w);
    ints[t] = make_int4(t, t + 1, t + 2, t + 3);
    doubles[t] = make_double2(v.y, v.z);
    halves[t] = __floats2half2_rn(v.y, v.z);
    bytes[t] = make_uchar4(1, 2, 3, static_cast<unsigned char>(t));
}

static void vectors_move_whole(void **) {
    static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "as in CUDA");
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "as in CUDA");
    static_assert(sizeof(float2) == 8 && alignof(float2) == 8, "as in CUDA");
    static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "as in CUDA");
    static_assert(sizeof(short4) == 8 && alignof(short4) == 8, "as in CUDA");
    static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "as in CUDA");
    static_assert(sizeof(char3) == 3 && alignof(char3) == 1, "as in CUDA");
    static_assert(sizeof(half2) == 4 && alignof(half2) == 4, "as in CUDA");
    Buffer<float4> four(32);
    Buffer<float2> two(32);
    Buffer<int4> ints(32);
    Buffer<double2> doubles(32);
    Buffer<half2> halves(32);
    Buffer<uchar4> bytes(32);
    for (int i = 0; i < 32; i++) {
        const float f = static_cast<float>(4 * i);
        four[i] = {f, f + 1, f + 2, f + 3};
    }
    move_vectors<<<1, 32>>>(four.data, two.data, ints.data, doubles.data, halves.data, bytes.data);
    expect_success();
    for (int i = 0; i < 32; i++) {
        const float f = static_cast<float>(4 * (31 - i));
        assert_true(four[i].x == f + 1 && four[i].y == f + 1 && four[i].z == f + 2 && four[i].w == f + 3);
        assert_true(two[i].x == f + 1 && two[i].y == f + 3);
        assert_true(ints[i].x == i && ints[i].y == i + 1 && ints[i].z == i + 2 && ints[i].w == i + 3);
        assert_true(doubles[i].x == f + 1 && doubles[i].y == f + 2);
        assert_true(__low2float(halves[i]) == f + 1 && __high2float(halves[i]) == f + 2);
        assert_true(bytes[i].x == 1 && bytes[i].y == 2 && bytes[i].z == 3 && bytes[i].w == i);
    }
    float4 cleared[2] = {};
    float4 partial = {1.0f};
    assert_true(cleared[1].w == 0.0f && partial.x == 1.0f && partial.w == 0.0f);
}

__global__ void intrinsics(float *out, const float *a) {
    const float x = __ldg(&a[0]), y = a[1], z = a[2];
    out[0] = __fadd_rn(__fmul_rn(x, y), z);
    out[1] = __fmaf_rn(x, y, z);
    out[2] = fmaf(x, y, z);
    out[3] = max(min(x, 3.0f), y);
    out[4] = __int_as_float(__float_as_int(x) + 1);
    out[5] = static_cast<float>(max(threadIdx.x, 7) + min(3u, 5));
    out[6] = static_cast<float>(__popc(0xf0f0u) + __clz(1) + __ffs(8));
    const long long start = clock64();
    out[7] = clock64() >= start ? 1.0f : 0.0f;
}

__global__ void rounded_product(float *out, const float *a) { *out = __fmul_rn(a[0], a[1]) + a[2]; }

// x * y + z with x = y = 1 + 2^-12: the product loses its last bit when it is rounded on its own.
static void arithmetic(void **) {
    Buffer<float> out(8), in(3);
    in[0] = in[1] = 1.0f + 0x1p-12f;
    in[2] = -1.0f - 0x1p-11f;
    intrinsics<<<1, 1>>>(out.data, in.data);
    expect_success();
    assert_true(out[0] == 0.0f);
    assert_true(out[1] == 0x1p-24f && out[2] == 0x1p-24f);
    assert_true(out[3] == in[0]);
    rounded_product<<<1, 1>>>(&out[0], in.data);
    assert_true(out[0] == 0.0f);
    assert_true(out[4] == 1.0f + 0x1p-12f + 0x1p-23f);
    assert_true(out[5] == 10.0f && out[6] == 8.0f + 31.0f + 4.0f && out[7] == 1.0f);
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_arrays),
        cmocka_unit_test(dynamic_window_of_any_size),
        cmocka_unit_test(unwritten_memory_is_nan),
        cmocka_unit_test(vectors_move_whole),
        cmocka_unit_test(arithmetic),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
