// Floating-point operations as the CPU device counts them, against answers found by hand, at several levels of
// optimisation.
#include "count_test.h"

#include <cuda_fp16.h>

namespace {

constexpr uint64_t threads = 48;

struct Flops {
    uint64_t single, twofold, half;
};

// The operations of `launch`, which starts `threads` threads.
template <class Launch> void check(int where, const Flops &expected, Launch launch) {
    const cpu_device_counts *c = count_launches(launch);
    assert_true(c->flops_known);
    if (c->flops != expected.single || c->double_flops != expected.twofold || c->half_flops != expected.half)
        fail_msg("line %d, %s: %ju, %ju double, %ju half", where, c->function, uintmax_t{c->flops},
                 uintmax_t{c->double_flops}, uintmax_t{c->half_flops});
    if (!c->flops_certain)
        fail_msg("line %d, %s: the counts are right, but called uncertain", where, c->function);
}
#define EXPECT_FLOPS(single, twofold, half, ...) check(__LINE__, {single, twofold, half}, __VA_ARGS__)

// One expression of the elements a, b, c that a thread has loaded.
#define EXPRESSION(name, type, ...)                                                                                    \
    __global__ void name(const volatile type *in, volatile type *out) {                                                \
        const type a = in[threadIdx.x], b = in[threadIdx.x + 1], c = in[threadIdx.x + 2];                              \
        (void)a, (void)b, (void)c;                                                                                     \
        out[threadIdx.x] = __VA_ARGS__;                                                                                \
    }
EXPRESSION(copy, float, a)
EXPRESSION(negate, float, -a)
EXPRESSION(add, float, a + b)
EXPRESSION(subtract, float, a - b)
EXPRESSION(multiply, float, a *b)
EXPRESSION(divide, float, a / b)
EXPRESSION(multiply_add, float, a *b + c)
EXPRESSION(multiply_subtract, float, c - a * b)
EXPRESSION(rounded, float, __fadd_rn(__fmul_rn(a, b), c))
EXPRESSION(polynomial, float, ((a * b + c) * b + a) * b + c)
EXPRESSION(larger, float, a > b ? a : b)
EXPRESSION(double_add, double, a + b)
EXPRESSION(double_multiply_add, double, a *b + c)
EXPRESSION(double_divide, double, a / b)
// Calls of the C library are not counted. An optimiser makes instructions of these, clang of the first one only.
#if defined(__OPTIMIZE__)
EXPRESSION(fused, float, fmaf(a, b, c))
#if !defined(__clang__)
EXPRESSION(square_root, float, __builtin_sqrtf(a))
#endif
#endif
EXPRESSION(integers, int, a *b + c / (b | 1) - (a ^ c))

__global__ void mixed(const volatile float *in, volatile double *out) {
    const double a = in[threadIdx.x], b = in[threadIdx.x + 1]; // a conversion is no operation
    const float c = in[threadIdx.x + 2];
    out[threadIdx.x] = a * b + static_cast<double>(c * 3.0f);
}

void expressions(void **) {
    Buffer<float> in(64), out(64);
    Buffer<double> din(64), dout(64);
    Buffer<int> iin(64), iout(64);
    for (size_t i = 0; i < 64; i++) {
        in[i] = din[i] = static_cast<float>(i + 1);
        iin[i] = static_cast<int>(i);
    }
    const auto with_floats = [&](auto kernel) { return [&in, &out, kernel] { kernel<<<1, 48>>>(in.data, out.data); }; };
    const auto with_doubles = [&](auto kernel) {
        return [&din, &dout, kernel] { kernel<<<1, 48>>>(din.data, dout.data); };
    };
    EXPECT_FLOPS(0, 0, 0, with_floats(copy));
    EXPECT_FLOPS(0, 0, 0, with_floats(negate));
    EXPECT_FLOPS(0, 0, 0, with_floats(larger));
    for (auto kernel : {add, subtract, multiply, divide})
        EXPECT_FLOPS(threads, 0, 0, with_floats(kernel));
#if defined(__OPTIMIZE__)
    EXPECT_FLOPS(2 * threads, 0, 0, with_floats(fused));
#if !defined(__clang__)
    EXPECT_FLOPS(threads, 0, 0, with_floats(square_root));
#endif
#endif
    for (auto kernel : {multiply_add, multiply_subtract, rounded})
        EXPECT_FLOPS(2 * threads, 0, 0, with_floats(kernel));
    EXPECT_FLOPS(6 * threads, 0, 0, with_floats(polynomial));
    EXPECT_FLOPS(0, threads, 0, with_doubles(double_add));
    EXPECT_FLOPS(0, 2 * threads, 0, with_doubles(double_multiply_add));
    EXPECT_FLOPS(0, threads, 0, with_doubles(double_divide));
    EXPECT_FLOPS(threads, 2 * threads, 0, [&] { mixed<<<1, 48>>>(in.data, dout.data); });
    EXPECT_FLOPS(0, 0, 0, [&] { integers<<<1, 48>>>(iin.data, iout.data); });
}

// ---- How often ----

__global__ void sum_some(const volatile float *in, const volatile int *trips, volatile float *out) {
    float sum = 0;
    for (int i = 0; i < trips[threadIdx.x]; i++)
        sum += in[i] * 2.5f;
    out[threadIdx.x] = sum;
}

__global__ void add_some(const volatile int *trips, volatile float *out) {
    for (int i = 0; i < trips[threadIdx.x]; i++)
        out[threadIdx.x] = out[threadIdx.x] + 1.5f;
}

__global__ void branch(const volatile float *in, volatile float *out) {
    const float x = in[threadIdx.x];
    if (x > 10)
        out[threadIdx.x] = x * x + 3.0f;
    else if (x > 5)
        out[threadIdx.x] = x / 3.0f;
}

__device__ __noinline__ float cube(float x) { return x * x * x; }

__global__ void call(const volatile float *in, volatile float *out) {
    if (threadIdx.x >= 40)
        return;
    const auto twice = [](float x) { return cube(x) + 1.0f; };
    out[threadIdx.x] = twice(in[threadIdx.x]);
}

__global__ void tile(const volatile float *in, volatile float *out) {
    float acc[4][4] = {};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                acc[i][j] += in[k * 4 + i] * in[k * 4 + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[i * 4 + j] = acc[i][j];
}

void repetitions(void **) {
    Buffer<float> in(64), out(64);
    Buffer<int> trips(64);
    uint64_t all = 0;
    for (size_t i = 0; i < 64; i++) {
        in[i] = static_cast<float>(i);
        out[i] = 0;
        trips[i] = static_cast<int>(i * i % 11);
        all += i < threads ? i * i % 11 : 0;
    }
    EXPECT_FLOPS(2 * all, 0, 0, [&] { sum_some<<<1, 48>>>(in.data, trips.data, out.data); });
    EXPECT_FLOPS(all, 0, 0, [&] { add_some<<<1, 48>>>(trips.data, out.data); });
    // 11..47 take the first way, 6..10 the second.
    EXPECT_FLOPS(37 * 2 + 5, 0, 0, [&] { branch<<<1, 48>>>(in.data, out.data); });
    EXPECT_FLOPS(7 * (37 * 2 + 5), 0, 0, [&] { branch<<<7, 48>>>(in.data, out.data); });
    EXPECT_FLOPS(3 * 40, 0, 0, [&] { call<<<1, 48>>>(in.data, out.data); });
    EXPECT_FLOPS(48 * 16 * 5 * 2, 0, 0, [&] { tile<<<1, 48>>>(in.data, out.data); });
    EXPECT_FLOPS(2 * 3 * 40, 0, 0, [&] {
        call<<<1, 48>>>(in.data, out.data);
        call<<<1, 48>>>(in.data, out.data);
    });
}

// What the host computes meanwhile is not the kernel's.
void the_host_does_not_count(void **) {
    Buffer<float> in(64), out(64);
    volatile float sum = 1;
    EXPECT_FLOPS(threads, 0, 0, [&] {
        for (int i = 0; i < 10; i++)
            sum = sum * 1.5f + cube(sum);
        add<<<dim3(static_cast<unsigned>(sum * 0.0f) + 1), 48>>>(in.data, out.data);
        sum = cube(sum) / 3.0f;
    });
}

// ---- Half precision ----

__global__ void halves(const half *in, half *out) {
    const half a = in[threadIdx.x], b = in[threadIdx.x + 1], c = in[threadIdx.x + 2];
    out[threadIdx.x] = __hfma(a, b, c) + a * b;
}

__global__ void half_pairs(const half2 *in, half2 *out) {
    out[threadIdx.x] = __hfma2(in[threadIdx.x], in[threadIdx.x + 1], in[threadIdx.x]);
}

__global__ void half_to_float(const half *in, volatile float *out) {
    out[threadIdx.x] = __half2float(in[threadIdx.x]) * __half2float(in[threadIdx.x + 1]) + 1.0f;
}

__global__ void float_to_half(const volatile float *in, half *out) {
    out[threadIdx.x] = __float2half(in[threadIdx.x] + 1.0f);
}

void half_precision(void **) {
    Buffer<half> in(64), out(64);
    Buffer<half2> pairs_in(64), pairs_out(64);
    Buffer<float> floats(64);
    EXPECT_FLOPS(0, 0, 4 * threads, [&] { halves<<<1, 48>>>(in.data, out.data); });
    EXPECT_FLOPS(0, 0, 4 * threads, [&] { half_pairs<<<1, 48>>>(pairs_in.data, pairs_out.data); });
    EXPECT_FLOPS(2 * threads, 0, 0, [&] { half_to_float<<<1, 48>>>(in.data, floats.data); });
    EXPECT_FLOPS(threads, 0, 0, [&] { float_to_half<<<1, 48>>>(floats.data, out.data); });
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(the_host_does_not_count),
        cmocka_unit_test(half_precision),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
