/* The runtime API from C: memory, errors, streams, events, queries. */
#define _GNU_SOURCE
#include <cuda_runtime.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void expect(cudaError_t actual, cudaError_t expected) {
    assert_string_equal(cudaGetErrorName(actual), cudaGetErrorName(expected));
    assert_string_equal(cudaGetErrorName(cudaPeekAtLastError()), cudaGetErrorName(expected));
    assert_string_equal(cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(expected));
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void allocations(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 255, 256, 257, 4096, 4097, 1 << 20, 3000000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    unsigned char *p[COUNT];
    size_t free_before, free_after, total;
    expect(cudaMemGetInfo(&free_before, &total), cudaSuccess);
    assert_true(free_before <= total);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            expect(cudaMalloc((void **)&p[i], sizes[i]), cudaSuccess);
            assert_int_equal((uintptr_t)p[i] % 256, 0);
            for (size_t b = 0; b < sizes[i]; b += 1000)
                assert_int_equal(p[i][b], 0); /* fresh pages, also where freed memory lay */
            memset(p[i], i + 1, sizes[i]);
        }
        expect(cudaMemGetInfo(&free_after, &total), cudaSuccess);
        assert_true(free_before - free_after >= 3000000 + (1 << 20));
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(p[i][0], i + 1);
            assert_int_equal(p[i][sizes[i] - 1], i + 1);
        }
        /* In an order that leaves gaps first. */
        for (int i = 0; i < COUNT; i += 2)
            expect(cudaFree(p[i]), cudaSuccess);
        for (int i = 1; i < COUNT; i += 2)
            expect(cudaFree(p[i]), cudaSuccess);
        expect(cudaMemGetInfo(&free_after, &total), cudaSuccess);
        assert_int_equal(free_after, free_before);
    }
}

static void address_space_is_used_again(void **state) {
    (void)state;
    size_t free_bytes, total;
    expect(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    /* Ten times all there is, one piece after the other. */
    for (int i = 0; i < 40; i++) {
        void *p = NULL;
        expect(cudaMalloc(&p, total / 4), cudaSuccess);
        ((char *)p)[total / 8] = 1;
        expect(cudaFree(p), cudaSuccess);
    }
}

/* Memory that was freed is used again, but never without an inaccessible gap on either side. */
static void allocations_keep_their_distance(void **state) {
    (void)state;
    enum { MIB = 1 << 20 };
    char *p[3], *large;
    for (int i = 0; i < 3; i++)
        expect(cudaMalloc((void **)&p[i], MIB), cudaSuccess);
    size_t gap = (size_t)(p[2] - p[1]) - MIB;
    assert_true(gap >= 65536);
    expect(cudaFree(p[1]), cudaSuccess);
    expect(cudaMalloc((void **)&large, MIB + gap), cudaSuccess);
    for (int i = 0; i < 3; i += 2)
        assert_true(p[i] + MIB + gap <= large || large + MIB + gap + gap <= p[i]);
    expect(cudaMalloc((void **)&p[1], MIB), cudaSuccess);
    assert_ptr_equal(p[1], p[0] + MIB + gap);
    expect(cudaFree(large), cudaSuccess);
    for (int i = 0; i < 3; i++)
        expect(cudaFree(p[i]), cudaSuccess);
}

static void allocation_errors(void **state) {
    (void)state;
    size_t free_bytes, total;
    void *p = &total, *q = NULL;
    expect(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    expect(cudaMalloc(&p, total + 1), cudaErrorMemoryAllocation);
    assert_null(p);
    expect(cudaMalloc(&p, SIZE_MAX), cudaErrorMemoryAllocation);
    expect(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
    expect(cudaMalloc(&p, 0), cudaSuccess);
    assert_null(p);
    expect(cudaMalloc(&p, total / 2 + (1 << 20)), cudaSuccess);
    expect(cudaMalloc(&q, total / 2), cudaErrorMemoryAllocation);
    expect(cudaFree((char *)p + 256), cudaErrorInvalidValue);
    expect(cudaFree(&total), cudaErrorInvalidValue);
    expect(cudaFree(p), cudaSuccess);
    expect(cudaFree(p), cudaErrorInvalidValue);
    expect(cudaFree(NULL), cudaSuccess);
}

static void copies(void **state) {
    (void)state;
    char text[16] = "0123456789abcde", back[16] = "";
    char *p;
    expect(cudaMalloc((void **)&p, 16), cudaSuccess);
    expect(cudaMemcpy(p, text, 16, cudaMemcpyHostToDevice), cudaSuccess);
    expect(cudaMemcpyAsync(back, p, 16, cudaMemcpyDeviceToHost, NULL), cudaSuccess);
    assert_string_equal(back, text);
    expect(cudaMemcpy(p, text, 17, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect(cudaMemcpy(back, p + 1, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect(cudaMemcpy(NULL, p, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    expect(cudaMemcpy(p, text, 1, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    expect(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault), cudaSuccess);
    expect(cudaMemset(p + 2, 'x', 3), cudaSuccess);
    expect(cudaMemsetAsync(p + 15, 0, 1, NULL), cudaSuccess);
    assert_string_equal(p, "01xxx56789abcde");
    expect(cudaMemset(p, 0, 17), cudaErrorInvalidValue);
    expect(cudaFree(p), cudaSuccess);
    expect(cudaMemset(p, 0, 1), cudaErrorInvalidValue);
}

static void copies_of_rows(void **state) {
    (void)state;
    char packed[3][4] = {"abc", "def", "ghi"}, back[3][4];
    char *p;
    expect(cudaMalloc((void **)&p, 2 * 10 + 4), cudaSuccess);
    expect(cudaMemset(p, '.', 24), cudaSuccess);
    expect(cudaMemcpy2D(p, 10, packed, 4, 4, 3, cudaMemcpyHostToDevice), cudaSuccess);
    assert_memory_equal(p, "abc\0......def\0......ghi", 24);
    expect(cudaMemcpy2DAsync(back, 4, p, 10, 4, 3, cudaMemcpyDeviceToHost, NULL), cudaSuccess);
    assert_memory_equal(back, packed, sizeof packed);
    expect(cudaMemset2D(p, 10, '-', 2, 3), cudaSuccess);
    assert_memory_equal(p, "--c\0......--f\0......--i", 24);
    expect(cudaMemcpy2D(p, 10, packed, 4, 5, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    expect(cudaMemcpy2D(p, 4, packed, 6, 5, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    expect(cudaMemcpy2D(p, 10, packed, 4, 4, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect(cudaMemcpy2D(p, SIZE_MAX, packed, 4, 4, 3, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    expect(cudaMemset2D(p, 1, 0, 2, 3), cudaErrorInvalidPitchValue);
    expect(cudaFree(p), cudaSuccess);
}

static void host_memory(void **state) {
    (void)state;
    void *p;
    expect(cudaMallocHost(&p, 100), cudaSuccess);
    memset(p, 1, 100);
    expect(cudaFreeHost(p), cudaSuccess);
    expect(cudaHostAlloc(&p, 100, cudaHostAllocMapped), cudaSuccess);
    expect(cudaFreeHost(p), cudaSuccess);
    expect(cudaHostAlloc(&p, 100, 0x1000), cudaErrorInvalidValue);
}

static void error_texts(void **state) {
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaErrorLaunchFailure), "cudaErrorLaunchFailure");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

static void device_queries(void **state) {
    (void)state;
    int count, device = -1, value, version;
    struct cudaDeviceProp p;
    expect(cudaGetDeviceCount(&count), cudaSuccess);
    assert_int_equal(count, 1);
    expect(cudaSetDevice(0), cudaSuccess);
    expect(cudaSetDevice(1), cudaErrorInvalidDevice);
    expect(cudaGetDevice(&device), cudaSuccess);
    assert_int_equal(device, 0);
    expect(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    expect(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
    assert_memory_equal(p.name, "CPU device (", 12);
    assert_int_equal(p.major, 0);
    assert_int_equal(p.warpSize, 32);
    assert_int_equal(p.sharedMemPerBlock, 49152);
    assert_int_equal(p.sharedMemPerBlockOptin, 232448);
    assert_true(p.multiProcessorCount >= 1);
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
    assert_int_equal(value, 232448);
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrMaxGridDimX, 0), cudaSuccess);
    assert_int_equal(value, 2147483647);
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0), cudaSuccess);
    assert_int_equal(value, 0);
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    assert_int_equal(value, p.multiProcessorCount);
    expect(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    expect(cudaRuntimeGetVersion(&version), cudaSuccess);
    assert_int_equal(version, CUDART_VERSION);
    expect(cudaDriverGetVersion(&version), cudaSuccess);
    expect(cudaDeviceSynchronize(), cudaSuccess);
}

static void function_attributes(void **state) {
    (void)state;
    static const char kernel; /* any address is a key */
    struct cudaFuncAttributes attributes;
    int blocks;
    expect(cudaFuncGetAttributes(&attributes, &kernel), cudaSuccess);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 49152);
    expect(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448), cudaSuccess);
    expect(cudaFuncSetAttribute(&kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100), cudaSuccess);
    expect(cudaFuncSetAttribute(&kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449), cudaErrorInvalidValue);
    expect(cudaFuncSetAttribute(&kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
    expect(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 1), cudaErrorInvalidDeviceFunction);
    expect(cudaFuncGetAttributes(&attributes, &kernel), cudaSuccess);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 232448);
    assert_int_equal(attributes.preferredShmemCarveout, 100);
    expect(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 256, 232448), cudaSuccess);
    assert_int_equal(blocks, 1);
    expect(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 2048, 0), cudaSuccess);
    assert_int_equal(blocks, 0);
    expect(cudaDeviceReset(), cudaSuccess);
    expect(cudaFuncGetAttributes(&attributes, &kernel), cudaSuccess);
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 49152);
}

static void streams_and_events(void **state) {
    (void)state;
    cudaStream_t stream;
    cudaEvent_t start, end, untimed;
    float milliseconds = -1;
    expect(cudaStreamCreate(&stream), cudaSuccess);
    expect(cudaStreamDestroy(stream), cudaSuccess);
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    expect(cudaStreamCreateWithFlags(&stream, 77), cudaErrorInvalidValue);
    expect(cudaEventCreate(&start), cudaSuccess);
    expect(cudaEventCreate(&end), cudaSuccess);
    expect(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    expect(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
    expect(cudaEventRecord(start, stream), cudaSuccess);
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    expect(cudaEventRecord(end, stream), cudaSuccess);
    expect(cudaEventRecord(untimed, stream), cudaSuccess);
    expect(cudaStreamWaitEvent(stream, end, 0), cudaSuccess);
    expect(cudaEventSynchronize(end), cudaSuccess);
    expect(cudaEventQuery(end), cudaSuccess);
    expect(cudaStreamQuery(stream), cudaSuccess);
    expect(cudaStreamSynchronize(stream), cudaSuccess);
    expect(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    assert_true(milliseconds >= 2.0f);
    expect(cudaEventElapsedTime(&milliseconds, end, start), cudaSuccess);
    assert_true(milliseconds <= -2.0f);
    expect(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
    expect(cudaEventRecord(NULL, stream), cudaErrorInvalidResourceHandle);
    expect(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
    expect(cudaEventDestroy(start), cudaSuccess);
    expect(cudaEventDestroy(end), cudaSuccess);
    expect(cudaEventDestroy(untimed), cudaSuccess);
    expect(cudaStreamDestroy(stream), cudaSuccess);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(address_space_is_used_again),
        cmocka_unit_test(allocations_keep_their_distance),
        cmocka_unit_test(allocation_errors),
        cmocka_unit_test(copies),
        cmocka_unit_test(copies_of_rows),
        cmocka_unit_test(host_memory),
        cmocka_unit_test(error_texts),
        cmocka_unit_test(device_queries),
        cmocka_unit_test(function_attributes),
        cmocka_unit_test(streams_and_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
