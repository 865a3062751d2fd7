// Local variables: what holds those that nobody initialised, whatever the optimiser does.
#include "kernel_test.h"

#include <cuda_fp16.h>

// These kernels are wrong on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

enum { TILE = 8 };

__global__ void __launch_bounds__(TILE *TILE, 2)
    sum_without_beginning(const float *a, const float *b, float *out, int depth) {
    float acc[TILE][TILE];
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                acc[i][j] += a[k * TILE + i] * b[k * TILE + j];
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            out[(threadIdx.x * TILE + i) * TILE + j] = acc[i][j];
}

template <class T, int THREADS> __global__ void __launch_bounds__(THREADS) untouched(T *out) {
    T value;
    out[threadIdx.x] = value;
}

// g++ fills every byte with 0xfe; clang makes a NaN of all ones of a floating-point number, and 0xaa of anything else.
static void expect_pattern(const void *data, size_t size, unsigned char of_clang) {
#ifdef __clang__
    const unsigned char expected = of_clang;
#else
    const unsigned char expected = 0xfe;
    (void)of_clang;
#endif
    for (size_t i = 0; i < size; i++)
        assert_int_equal(static_cast<const unsigned char *>(data)[i], expected);
}

static void sums_show_that_they_have_no_beginning(void **) {
    enum { THREADS = 2, DEPTH = 5 };
    Buffer<float> a(DEPTH * TILE), b(DEPTH * TILE), out(THREADS * TILE * TILE);
    for (size_t i = 0; i < DEPTH * TILE; i++)
        a[i] = b[i] = 1.5f;
    for (int depth = 0; depth <= DEPTH; depth++) {
        sum_without_beginning<<<1, THREADS>>>(a.data, b.data, out.data, depth);
        expect_success();
        expect_pattern(out.data, THREADS * TILE * TILE * sizeof(float), 0xff);
    }
}

template <class T> static void expect_untouched(unsigned char of_clang) {
    enum { THREADS = 3 };
    Buffer<T> out(THREADS);
    untouched<T, THREADS><<<1, THREADS>>>(out.data);
    expect_success();
    expect_pattern(out.data, THREADS * sizeof(T), of_clang);
}

static void every_type_has_its_pattern(void **) {
    expect_untouched<float>(0xff);
    expect_untouched<double>(0xff);
    expect_untouched<int>(0xaa);
    expect_untouched<__half>(0xaa);
}

int main() {
#if !defined(__clang__) && __GNUC__ < 12 // does not know -ftrivial-auto-var-init
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_show_that_they_have_no_beginning),
        cmocka_unit_test(every_type_has_its_pattern),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
