// What the CPU device counts of memory accesses, against answers found by hand. Built with several levels of
// optimisation and run on one OS thread and, with warps in the other order, on five: counts may not depend on any of
// it.
#include "count_test.h"

#include <cuda_fp16.h>

#include <random>
#include <unistd.h>
#include <vector>

extern "C" {
#include "cost.h"
}

// Neighbouring lines: variables that are const and others that are not may not share a section.
__constant__ const float table_that_is_const[32] = {1, 2, 3};
__constant__ float table_that_is_not[32];
__constant__ const float another_const[32] = {4, 5, 6};
__device__ __align__(128) float device_array[64];

namespace {

// The optimiser knows too much about static arrays; this makes it forget.
template <class T> __device__ inline T *opaque(T *array) {
    asm volatile("" : "+r"(array) : : "memory");
    return array;
}

// ---- Whole and partial warps ----

__global__ void copy(const volatile float *in, volatile float *out) { out[threadIdx.x] = in[threadIdx.x]; }

void partial_warps(void **) {
    Buffer<float> in(64), out(64);
    const cpu_device_counts *c = count_launches([&] { copy<<<1, 33>>>(in.data, out.data); });
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(2, 33, 132, 5, 2));
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(2, 33, 132, 5, 2));
    EXPECT_ACCESS(c, SHARED, LOAD, 0, no_access);
    assert_int_equal(c->launches, 1);
    assert_int_equal(c->block.x, 33);
    assert_int_equal(c->grid.x, 1);
    assert_string_equal(c->label, "test");
    assert_non_null(strstr(c->function, "copy"));
    // One lane; a block of three dimensions, whose warps are filled along x first.
    c = count_launches([&] { copy<<<1, 1>>>(in.data, out.data); });
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(1, 1, 4, 1, 1));
    c = count_launches([&] { copy<<<dim3(2, 3, 5), dim3(5, 3, 3)>>>(in.data, out.data); });
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(30 * 2, 30 * 45, 30 * 180, 30 * 2, 30 * 2));
    assert_int_equal(c->grid.y, 3);
    assert_int_equal(c->grid.z, 5);
    assert_int_equal(c->block.z, 3);
}

// ---- Lanes that go different ways ----

constexpr unsigned exit_first = __LINE__ + 4, exit_second = __LINE__ + 7;
__global__ void leave_early(volatile int *out) {
    if (threadIdx.x >= 20)
        return;
    out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = 2;
}

constexpr unsigned odd_line = __LINE__ + 3, even_line = __LINE__ + 6;
__global__ void two_ways(volatile int *out) {
    if (threadIdx.x % 2) {
        out[threadIdx.x] = 1;
        asm volatile("# keeps the two stores apart"); // clang would make one of them
    } else
        out[32 + 2 * threadIdx.x] = 2;
}

__global__ void trips(volatile int *out) {
    for (unsigned i = 0; i <= threadIdx.x % 4; i++)
        out[i * 32 + threadIdx.x] = 1;
}

__global__ void return_from_loop(volatile int *out) {
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x < 8 * i)
            return;
        out[i * 32 + threadIdx.x] = 1;
    }
}

void lanes_that_go_different_ways(void **) {
    Buffer<int> out(256);
    const cpu_device_counts *c = count_launches([&] { leave_early<<<1, 64>>>(out.data); });
    EXPECT_ACCESS(c, GLOBAL, STORE, exit_first, global_access(1, 20, 80, 3, 1));
    EXPECT_ACCESS(c, GLOBAL, STORE, exit_second, global_access(1, 10, 40, 3, 1));
    assert_int_equal(c->barriers, 1);
    c = count_launches([&] { two_ways<<<1, 32>>>(out.data); });
    EXPECT_ACCESS(c, GLOBAL, STORE, odd_line, global_access(1, 16, 64, 4, 1));
    EXPECT_ACCESS(c, GLOBAL, STORE, even_line, global_access(1, 16, 64, 8, 2));
    c = count_launches([&] { trips<<<1, 32>>>(out.data); });
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(4, 32 + 24 + 16 + 8, 320, 16, 4));
    c = count_launches([&] { return_from_loop<<<1, 32>>>(out.data); });
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(4, 32 + 24 + 16 + 8, 320, 4 + 3 + 2 + 1, 4));
}

// ---- One place in the code, several kinds of memory ----

constexpr unsigned put_line = __LINE__ + 1;
__device__ __noinline__ void put(volatile float *to, float value) { *to = value; }

__global__ void put_both(float *out) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    put(&opaque(s)[t], 1);
    put(&out[t], 2);
}

__global__ void put_half_and_half(float *out) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    put(t < 16 ? &opaque(s)[2 * t] : &out[t], 1);
}

void functions_reach_both_kinds_of_memory(void **) {
    Buffer<float> out(32);
    const cpu_device_counts *c = count_launches([&] { put_both<<<3, 32>>>(out.data); });
    EXPECT_ACCESS(c, SHARED, STORE, put_line, shared_access(3, 96, 384, 3, 3));
    EXPECT_ACCESS(c, GLOBAL, STORE, put_line, global_access(3, 96, 384, 12, 3));
    c = count_launches([&] { put_half_and_half<<<2, 32>>>(out.data); });
    EXPECT_ACCESS(c, SHARED, STORE, put_line, shared_access(2, 32, 128, 2, 2));
    EXPECT_ACCESS(c, GLOBAL, STORE, put_line, global_access(2, 32, 128, 4, 2));
    assert_int_equal(c->static_shared, 128);
    assert_int_equal(c->launch_sectors, 2);
    assert_int_equal(c->block_sectors, 4);
}

// ---- Barriers and warp functions ----

// Lanes of one request come between the same two barriers, even at the same place in the code.
__global__ void put_in_turns(float *out, bool barrier) {
    const int t = threadIdx.x;
    if (t % 2)
        put(&out[t], 1);
    if (barrier)
        __syncthreads();
    if (t % 2 == 0)
        put(&out[t], 1);
}

constexpr unsigned before_line = __LINE__ + 4, after_line = __LINE__ + 6, shuffled_line = __LINE__ + 7;
__global__ void around_warp_functions(volatile float *out, const volatile float *in) {
    __shared__ float s[32];
    volatile float *a = opaque(s);
    a[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] = a[31 - threadIdx.x];
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, in[threadIdx.x], 1);
}

__global__ void many_barriers(volatile float *out, int count) {
    for (int i = 0; i < count; i++) {
        __syncthreads();
        out[threadIdx.x] = 1;
    }
    if (threadIdx.x < 32 && __syncthreads_or(1))
        out[threadIdx.x] = 2;
}

void barriers_and_warp_functions(void **) {
    Buffer<float> in(64), out(64);
    const cpu_device_counts *c = count_launches([&] { put_in_turns<<<1, 32>>>(out.data, true); });
    EXPECT_ACCESS(c, GLOBAL, STORE, put_line, global_access(2, 32, 128, 8, 2));
    c = count_launches([&] { put_in_turns<<<1, 32>>>(out.data, false); });
    EXPECT_ACCESS(c, GLOBAL, STORE, put_line, global_access(1, 32, 128, 4, 1));
    c = count_launches([&] { around_warp_functions<<<1, 32>>>(out.data, in.data); });
    EXPECT_ACCESS(c, SHARED, STORE, before_line, shared_access(1, 32, 128, 1, 1));
    EXPECT_ACCESS(c, SHARED, LOAD, after_line, shared_access(1, 32, 128, 1, 1));
    EXPECT_ACCESS(c, GLOBAL, STORE, after_line, global_access(1, 32, 128, 4, 1));
    EXPECT_ACCESS(c, GLOBAL, LOAD, shuffled_line, global_access(1, 32, 128, 4, 1));
    EXPECT_ACCESS(c, GLOBAL, STORE, shuffled_line, global_access(1, 32, 128, 4, 1));
    assert_int_equal(c->barriers, 0);
    c = count_launches([&] { many_barriers<<<5, 64>>>(out.data, 7); });
    assert_int_equal(c->barriers, 5 * 8);
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(5 * 15, 5 * 15 * 32, 5 * 15 * 128, 5 * 15 * 4, 5 * 15));
}

// ---- Sizes of shared memory ----

__global__ void three_arrays(int last) {
    __shared__ float a[7];
    __shared__ double b[5];
    __shared__ char c[3];
    volatile float *pa = opaque(a);
    volatile double *pb = opaque(b);
    volatile char *pc = opaque(c);
    pa[threadIdx.x % 7] = 1;
    pb[threadIdx.x % 5] = 1;
    if (threadIdx.x == static_cast<unsigned>(last))
        pc[0] = 1;
}

// One place in the code reaches three arrays, first of a warp one by one, then lane by lane.
__global__ void arrays_by_function(int by_lane) {
    __shared__ float a[8];
    __shared__ float b[16];
    __shared__ float c[32];
    float *arrays[3] = {opaque(a), opaque(b), opaque(c)};
    for (unsigned i = 0; i < 3; i++)
        put(&arrays[by_lane ? (threadIdx.x + i) % 3 : i][threadIdx.x % 8], 1);
}

__global__ void array_by_lane() {
    __shared__ float a[8];
    __shared__ float b[16];
    put(threadIdx.x < 16 ? &opaque(a)[threadIdx.x % 8] : &opaque(b)[threadIdx.x % 16], 1);
}

__global__ void dynamic_only() {
    extern __shared__ __align__(1024) unsigned char smem[];
    volatile float *s = opaque(reinterpret_cast<float *>(smem));
    s[threadIdx.x] = 1;
}

__global__ void both_sorts() {
    extern __shared__ __align__(1024) unsigned char smem[];
    __shared__ int a[11];
    volatile float *s = opaque(reinterpret_cast<float *>(smem));
    volatile int *pa = opaque(a);
    s[threadIdx.x] = 1;
    pa[threadIdx.x % 11] = 1;
}

void sizes_of_shared_memory(void **) {
    const cpu_device_counts *c = count_launches([] { three_arrays<<<2, 32>>>(3); });
    assert_int_equal(c->static_shared, 7 * 4 + 5 * 8 + 3);
    assert_int_equal(c->dynamic_shared, 0);
    c = count_launches([] { three_arrays<<<2, 32>>>(99); }); // an array that nobody touched
    assert_int_equal(c->static_shared, 7 * 4 + 5 * 8);
    for (int by_lane : {0, 1}) {
        c = count_launches([&] { arrays_by_function<<<2, 32>>>(by_lane); });
        assert_int_equal(c->static_shared, 4 * (8 + 16 + 32));
        c = count_launches([] { array_by_lane<<<1, 32>>>(); });
        assert_int_equal(c->static_shared, 4 * (8 + 16));
    }
    c = count_launches([] { dynamic_only<<<2, 32, 1000>>>(); });
    assert_int_equal(c->static_shared, 0);
    assert_int_equal(c->dynamic_shared, 1000);
    EXPECT_ACCESS(c, SHARED, STORE, 0, shared_access(2, 64, 256, 2, 2));
    c = count_launches([] { both_sorts<<<1, 32, 256>>>(); });
    assert_int_equal(c->static_shared, 44);
    assert_int_equal(c->dynamic_shared, 256);
}

// ---- Variables at file scope ----

__global__ void read_tables(volatile float *out) {
    const volatile float *a = opaque(table_that_is_const), *b = opaque(table_that_is_not), *c = opaque(another_const);
    out[threadIdx.x] = a[0] + b[threadIdx.x] + c[1];
}

__global__ void write_device_array() {
    volatile float *a = opaque(device_array);
    a[threadIdx.x] = 1;
}

void variables_at_file_scope(void **) {
    Buffer<float> out(32);
    const cpu_device_counts *c = count_launches([&] { read_tables<<<1, 32>>>(out.data); });
    EXPECT_ACCESS(c, CONSTANT, LOAD, 0, Access{3, 96, 384, 0, 0, 0, 0});
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, no_access);
    c = count_launches([] { write_device_array<<<3, 64>>>(); });
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(6, 192, 768, 24, 6));
    assert_int_equal(c->block_sectors, 24);
    assert_int_equal(c->launch_sectors, 8);
}

// ---- Atomic operations ----

template <class T> __global__ void add_atomically(T *out, T value) {
    __shared__ __align__(16) T s[32];
    T *shared = opaque(s);
    atomicAdd(&shared[threadIdx.x], value);
    atomicAdd(out, value);
}

__global__ void other_atomics(int *a, unsigned *b, unsigned long long *c, unsigned short *d, float *e) {
    atomicMax(&a[threadIdx.x], 1);
    atomicInc(&b[threadIdx.x], 7u);
    atomicCAS(c, 1ull, 2ull);
    atomicCAS(d, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
    atomicExch(e, 1.0f);
    atomicSub_block(a, 1);
}

template <class T> void expect_atomic_adds(T value) {
    Buffer<T> out(1);
    const unsigned phases = sizeof(T) == 8 ? 2 : 1;
    const cpu_device_counts *c = count_launches([&] { add_atomically<T><<<5, 32>>>(out.data, value); });
    EXPECT_ACCESS(c, SHARED, ATOMIC, 0, shared_access(5, 160, 160 * sizeof(T), 5 * phases, 5 * phases));
    EXPECT_ACCESS(c, GLOBAL, ATOMIC, 0, global_access(5, 160, 160 * sizeof(T), 5, 5));
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, no_access);
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, no_access);
    EXPECT_ACCESS(c, SHARED, LOAD, 0, no_access);
    assert_int_equal(c->block_sectors, 5);
    assert_int_equal(c->launch_sectors, 1);
}

void atomics_are_one_request_each(void **) {
    expect_atomic_adds(1);
    expect_atomic_adds(1u);
    expect_atomic_adds(1ull);
    expect_atomic_adds(1.0f);
    expect_atomic_adds(1.0);
    Buffer<int> a(32);
    Buffer<unsigned> b(32);
    Buffer<unsigned long long> c(1);
    Buffer<unsigned short> d(2);
    Buffer<float> e(1);
    const cpu_device_counts *counts =
        count_launches([&] { other_atomics<<<1, 32>>>(a.data, b.data, c.data, d.data, e.data); });
    EXPECT_ACCESS(counts, GLOBAL, ATOMIC, 0, global_access(6, 192, 32 * (4 + 4 + 8 + 2 + 4 + 4), 12, 6));
    EXPECT_ACCESS(counts, GLOBAL, LOAD, 0, no_access);
}

// ---- Sizes of accesses ----

struct Bytes12 {
    float v[3];
};
struct __align__(16) Bytes16 {
    float v[4];
};
struct __align__(16) Bytes32 {
    float v[8];
};

template <class T> __global__ void copy_objects(const T *in, T *out) {
    opaque(out)[threadIdx.x] = opaque(in)[threadIdx.x];
}

// `pieces` requests of `bytes` each.
template <class T> void expect_copy(uint64_t pieces, uint64_t bytes, uint64_t sectors, uint64_t lines) {
    Buffer<T> in(32), out(32);
    const cpu_device_counts *c = count_launches([&] { copy_objects<T><<<1, 32>>>(in.data, out.data); });
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(pieces, 32 * pieces, 32 * pieces * bytes, sectors, lines));
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(pieces, 32 * pieces, 32 * pieces * bytes, sectors, lines));
}

[[maybe_unused]] __global__ void read_unaligned(const unsigned char *in, volatile unsigned *out) {
    unsigned value;
    memcpy(&value, opaque(in) + 4 * threadIdx.x + 1, 4);
    out[threadIdx.x] = value;
}

void sizes_of_accesses(void **) {
    expect_copy<signed char>(1, 1, 1, 1);
    expect_copy<unsigned short>(1, 2, 2, 1);
    expect_copy<double>(1, 8, 8, 2);
    expect_copy<float2>(1, 8, 8, 2);
    expect_copy<float4>(1, 16, 16, 4);
#if !defined(__clang__) || __clang_major__ >= 15 // before that, clang's copies of objects go unseen
    expect_copy<half>(1, 2, 2, 1);
    expect_copy<half2>(1, 4, 4, 1);
    // A type's alignment divides its size, so 12 bytes go in three steps; each finds all 12 sectors of 384 bytes.
    expect_copy<Bytes12>(3, 4, 36, 9);
    expect_copy<Bytes16>(1, 16, 16, 4);
    expect_copy<Bytes32>(2, 16, 64, 16);
    Buffer<unsigned char> in(256);
    Buffer<unsigned> out(32);
    const cpu_device_counts *c = count_launches([&] { read_unaligned<<<1, 32>>>(in.data, out.data); });
    // From an odd address four bytes go in steps of 1, 2 and 1.
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(3, 96, 128, 4 + 4 + 5, 1 + 1 + 2));
#endif
}

// ---- Distinct sectors ----

__global__ void read_all(const volatile float *in, size_t count) {
    for (size_t i = threadIdx.x; i < count; i += 32)
        (void)in[i];
}

__global__ void touch_sector_of_block(volatile float *out, unsigned sectors) { out[blockIdx.x % sectors * 8] = 1; }

void distinct_sectors(void **) {
    Buffer<float> in(1024);
    const cpu_device_counts *c = count_launches([&] { read_all<<<7, 32>>>(in.data, 1000); });
    assert_int_equal(c->block_sectors, 7 * 125);
    assert_int_equal(c->launch_sectors, 125);
    c = count_launches([&] {
        for (int i = 0; i < 3; i++)
            read_all<<<7, 32>>>(in.data, 64);
    });
    assert_int_equal(c->launches, 3);
    assert_int_equal(c->block_sectors, 3 * 7 * 8);
    assert_int_equal(c->launch_sectors, 3 * 8);
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(42, 42 * 32, 42 * 128, 42 * 4, 42));
    // The stamps of blocks have 16 bits: with this many blocks they come round, and a sector meets its own again.
    const unsigned sectors = 65534, blocks = 3 * sectors + 5;
    Buffer<float> out(size_t{8} * sectors);
    c = count_launches([&] { touch_sector_of_block<<<blocks, 1>>>(out.data, sectors); });
    assert_int_equal(c->block_sectors, blocks);
    assert_int_equal(c->launch_sectors, sectors);
}

// ---- More accesses than the log of a lane holds ----

__global__ void many_accesses(volatile float *out, int count) {
    for (int i = 0; i < count; i++)
        out[i % 2 * 32 + threadIdx.x] = 1;
}

void logs_that_overflow(void **) {
    Buffer<float> out(128);
    const cpu_device_counts *c = count_launches([&] { many_accesses<<<1, 40>>>(out.data, 140001); });
    EXPECT_ACCESS(
        c, GLOBAL, STORE, 0,
        global_access(2 * 140001, uint64_t{40} * 140001, uint64_t{160} * 140001, uint64_t{5} * 140001, 2 * 140001));
    assert_int_equal(c->launch_sectors, 9);
}

// ---- Tallies ----

void launches_are_told_apart(void **) {
    Buffer<float> in(64), out(64);
    cpu_device_forget_counts();
    copy<<<1, 32>>>(in.data, out.data); // not counted
    size_t count;
    cpu_device_get_counts(&count);
    assert_int_equal(count, 0);
    cpu_device_count_launches("one");
    copy<<<1, 32>>>(in.data, out.data);
    copy<<<1, 64>>>(in.data, out.data);
    read_all<<<1, 32>>>(in.data, 64);
    copy<<<1, 32>>>(in.data, out.data);
    cpu_device_count_launches("two");
    copy<<<1, 32>>>(in.data, out.data);
    dynamic_only<<<1, 32, 128>>>();
    dynamic_only<<<1, 32, 256>>>();
    cpu_device_count_launches(nullptr);
    copy<<<1, 32>>>(in.data, out.data);
    const struct {
        const char *label, *function;
        uint64_t launches;
        unsigned threads;
    } expected[] = {{"one", "copy", 2, 32}, {"one", "copy", 1, 64},         {"one", "read_all", 1, 32},
                    {"two", "copy", 1, 32}, {"two", "dynamic_only", 1, 32}, {"two", "dynamic_only", 1, 32}};
    for (int again = 0; again < 2; again++) {
        const cpu_device_counts *c = cpu_device_get_counts(&count);
        assert_int_equal(count, sizeof expected / sizeof *expected);
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(c[i].label, expected[i].label);
            assert_non_null(strstr(c[i].function, expected[i].function));
            assert_int_equal(c[i].launches, expected[i].launches);
            assert_int_equal(c[i].block.x, expected[i].threads);
        }
        EXPECT_ACCESS(&c[0], GLOBAL, LOAD, 0, global_access(2, 64, 256, 8, 2));
        EXPECT_ACCESS(&c[3], GLOBAL, LOAD, 0, global_access(1, 32, 128, 4, 1));
    }
    cpu_device_forget_counts();
    cpu_device_get_counts(&count);
    assert_int_equal(count, 0);
    const cpu_device_counts *c = count_launches([&] { copy<<<1, 32>>>(in.data, out.data); });
    assert_int_equal(c->launches, 1);
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(1, 32, 128, 4, 1));
}

__global__ void never_meet(volatile float *out) {
    out[threadIdx.x] = 1;
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncwarp();
}

__global__ void give_up(volatile float *out) {
    out[threadIdx.x] = 1;
    out[32 + threadIdx.x] = 1;
    if (threadIdx.x == 5)
        __trap();
    __syncthreads();
}

// Without the sentence about it, which would look like a failure of the test.
void launch_and_fail(void (*kernel)(volatile float *)) {
    float *out;
    assert_int_equal(cudaMalloc(&out, 1024), cudaSuccess);
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    assert_non_null(freopen("/dev/null", "w", stderr));
    kernel<<<3, 64>>>(out);
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

void failed_launches_spoil_nothing(void **) {
    cpu_device_forget_counts();
    cpu_device_count_launches("test");
    launch_and_fail(never_meet);
    launch_and_fail(give_up);
    copy<<<1, 1025>>>(nullptr, nullptr);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    cpu_device_count_launches(nullptr);
    size_t count;
    cpu_device_get_counts(&count);
    assert_int_equal(count, 2); // what the hardware refuses is no launch
    Buffer<float> in(64), out(64);
    const cpu_device_counts *c = count_launches([&] { copy<<<3, 32>>>(in.data, out.data); });
    EXPECT_ACCESS(c, GLOBAL, LOAD, 0, global_access(3, 96, 384, 12, 3));
    EXPECT_ACCESS(c, GLOBAL, STORE, 0, global_access(3, 96, 384, 12, 3));
    assert_int_equal(c->launches, 1);
    assert_int_equal(c->launch_sectors, 8);
    assert_int_equal(c->block_sectors, 24);
    assert_int_equal(c->barriers, 0);
}

// ---- Random walks: each lane follows its own list of addresses, and stops where its list ends ----

constexpr unsigned get_line = __LINE__ + 1;
__device__ __noinline__ float get(const volatile float *from) { return *from; }

__global__ void walk(const unsigned *table, const unsigned *trips, const float *values, volatile float *out,
                     unsigned longest, int barrier) {
    extern __shared__ __align__(1024) unsigned char smem[];
    const float *shared = opaque(reinterpret_cast<float *>(smem));
    const unsigned t = threadIdx.x, own = blockIdx.x * blockDim.x + t;
    float sum = 0;
    for (unsigned i = 0; i < trips[own]; i++) {
        sum += get(&values[table[own * longest + i]]);
        if (t % 3)
            sum += get(&shared[table[own * longest + i]]);
        if (barrier && i == 2)
            break;
    }
    if (barrier)
        __syncthreads();
    for (unsigned i = 0; barrier && i < trips[own]; i++)
        sum += get(&values[table[own * longest + i]]);
    out[own] = sum;
}

// The loads of `values` and of shared memory by one warp, in which the lanes in `mask` take part.
void add_walk(const std::vector<unsigned> &table, const std::vector<unsigned> &trips, unsigned first, unsigned lanes,
              unsigned longest, unsigned most, bool shared, uintptr_t base, Access *sum) {
    for (unsigned i = 0; i < most; i++) {
        uint64_t addresses[32] = {0};
        uint32_t active = 0;
        for (unsigned lane = 0; lane < lanes; lane++) {
            const unsigned own = first + lane;
            if (i >= trips[own] || (shared && own % 48 % 3 == 0))
                continue;
            active |= 1u << lane;
            addresses[lane] = base + table[own * longest + i] * 4;
        }
        if (!active)
            continue;
        sum->requests++;
        sum->lanes += static_cast<unsigned>(__builtin_popcount(active));
        sum->bytes += 4 * static_cast<unsigned>(__builtin_popcount(active));
        cost_global global;
        cost_global_access(addresses, active, 4, &global);
        const cost_shared cost = cost_shared_access(addresses, active, 4);
        sum->wavefronts += shared ? cost.wavefronts : 0;
        sum->conflict_free += shared ? cost.conflict_free : 0;
        sum->sectors += shared ? 0 : global.sectors;
        sum->lines += shared ? 0 : global.lines;
    }
}

void random_walks(void **) {
    const unsigned blocks = 4, threads = 48, longest = 12, places = 512;
    std::mt19937 random(12345);
    Buffer<float> values(places), out(blocks * threads);
    for (int barrier : {0, 1}) {
        std::vector<unsigned> table(blocks * threads * longest), trips(blocks * threads);
        for (unsigned &place : table)
            place = static_cast<unsigned>(random() % places);
        for (unsigned &n : trips)
            n = static_cast<unsigned>(random() % (longest + 1));
        Buffer<unsigned> device_table(table.size()), device_trips(trips.size());
        memcpy(device_table.data, table.data(), table.size() * sizeof(unsigned));
        memcpy(device_trips.data, trips.data(), trips.size() * sizeof(unsigned));
        Access global = no_access, shared = no_access;
        for (unsigned first = 0; first < blocks * threads; first += first % threads ? 16 : 32) {
            const unsigned lanes = first % threads ? 16 : 32, most = barrier ? 3 : longest;
            const auto base = reinterpret_cast<uintptr_t>(values.data);
            add_walk(table, trips, first, lanes, longest, most, false, base, &global);
            add_walk(table, trips, first, lanes, longest, most, true, 0, &shared);
            if (barrier)
                add_walk(table, trips, first, lanes, longest, longest, false, base, &global);
        }
        const cpu_device_counts *c = count_launches([&] {
            walk<<<blocks, threads, places * 4>>>(device_table.data, device_trips.data, values.data, out.data, longest,
                                                  barrier);
        });
        EXPECT_ACCESS(c, SHARED, LOAD, get_line, shared);
        EXPECT_ACCESS(c, GLOBAL, LOAD, get_line, global);
    }
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partial_warps),
        cmocka_unit_test(lanes_that_go_different_ways),
        cmocka_unit_test(functions_reach_both_kinds_of_memory),
        cmocka_unit_test(barriers_and_warp_functions),
        cmocka_unit_test(sizes_of_shared_memory),
        cmocka_unit_test(variables_at_file_scope),
        cmocka_unit_test(atomics_are_one_request_each),
        cmocka_unit_test(sizes_of_accesses),
        cmocka_unit_test(distinct_sectors),
        cmocka_unit_test(logs_that_overflow),
        cmocka_unit_test(launches_are_told_apart),
        cmocka_unit_test(failed_launches_spoil_nothing),
        cmocka_unit_test(random_walks),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
