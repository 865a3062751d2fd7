// What the tests written as .cu files share: cmocka, and memory that host and kernels both reach.
#ifndef CPU_DEVICE_KERNEL_TEST_H
#define CPU_DEVICE_KERNEL_TEST_H

#include <cuda_runtime.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

extern "C" {
#include <cmocka.h>
}

// Device memory of `count` elements, filled with bytes 0xee. The host may read it directly: it is the CPU device.
template <class T> struct Buffer {
    T *data = nullptr;
    size_t count;

    explicit Buffer(size_t count_) : count(count_) {
        assert_int_equal(cudaMalloc(&data, count * sizeof(T)), cudaSuccess);
        assert_int_equal(cudaMemset(data, 0xee, count * sizeof(T)), cudaSuccess);
    }
    ~Buffer() { cudaFree(data); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    T &operator[](size_t i) { return data[i]; }
};

inline void expect_success() { assert_string_equal(cudaGetErrorString(cudaGetLastError()), "no error"); }

// Runs `body` with warps and lanes in either order.
template <class Body> void in_both_orders(Body body) {
    unsetenv("CPU_DEVICE_ORDER");
    body();
    setenv("CPU_DEVICE_ORDER", "reverse", 1);
    body();
    unsetenv("CPU_DEVICE_ORDER");
}

#endif
