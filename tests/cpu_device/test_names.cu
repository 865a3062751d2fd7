// What the checks call a place in shared memory. Every kernel leaves out a barrier, and all its threads then read the
// element that one of them has written.
#include "kernel_test.h"

#include "cpu_device/checks.h"

#include <cstdio>

enum { THREADS = 32 };

static Buffer<float> *in, *out;

static int begin(void **) {
    static float numbers[THREADS];
    in = new Buffer<float>(THREADS);
    out = new Buffer<float>(THREADS);
    cudaMemcpy(in->data, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cpu_device_check_launches("");
    return 0;
}

static int end(void **) {
    cpu_device_check_launches(nullptr);
    cpu_device_forget_findings();
    delete in;
    delete out;
    return 0;
}

// Launches the kernel; one of its findings must say that a thread writes (or reads) `place`.
using kernel = void (*)(const float *, float *);
static void expect_place(kernel run, const char *place) {
    char writes[200], reads[200];
    snprintf(writes, sizeof writes, " writes %s at line ", place);
    snprintf(reads, sizeof reads, " reads %s at line ", place);
    cpu_device_forget_findings();
    run<<<1, THREADS, THREADS * sizeof(double)>>>(in->data, out->data);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    size_t count;
    const cpu_device_finding *findings = cpu_device_get_findings(&count);
    for (size_t i = 0; i < count; i++)
        if (strstr(findings[i].text, writes) || strstr(findings[i].text, reads))
            return;
    for (size_t i = 0; i < count; i++)
        print_error("%s\n", findings[i].text);
    fail_msg("No finding speaks of %s.", place);
}

__global__ void line(const float *from, float *to) {
    __shared__ float a[THREADS];
    const unsigned t = threadIdx.x;
    a[t] = from[t];
    to[t] = a[5];
}

static void an_array(void **) { expect_place(line, "a[5]"); }

__global__ void several(const float *from, float *to) {
    __shared__ float total, tile[4][8];
    const unsigned t = threadIdx.x;
    if (t == 3)
        total = from[t];
    tile[t / 8][t % 8] = from[t];
    to[t] = total + tile[2][1];
}

static void several_of_one_declaration(void **) {
    expect_place(several, "total");
    expect_place(several, "tile[2][1]");
}

template <typename T, int ROWS, int COLS, int PAD> __global__ void padded(const float *from, float *to) {
    __shared__ __align__(16) T As[ROWS][COLS + PAD];
    const unsigned t = threadIdx.x;
    As[t / COLS][t % COLS] = static_cast<T>(from[t]);
    to[t] = static_cast<float>(As[3][2]);
}

static void padded_rows_of_a_template(void **) {
    expect_place(padded<float, 4, 8, 1>, "As[3][2]");
    expect_place(padded<short, 8, 4, 3>, "As[3][2]");
    expect_place(padded<double, 4, 8, 0>, "As[3][2]");
}

// The same name as in the template, and other dimensions; rows that have a type of their own; three dimensions.
__global__ void others(const float *from, float *to) {
    typedef float row[THREADS];
    static __shared__ volatile row As[2];
    __shared__ int cube[2][4][4];
    const unsigned t = threadIdx.x;
    As[1][t] = from[t];
    cube[t / 16][t / 4 % 4][t % 4] = static_cast<int>(from[t]);
    to[t] = As[1][7] + static_cast<float>(cube[1][2][3]);
}

static void other_dimensions(void **) {
    expect_place(others, "As[1][7]");
    expect_place(others, "cube[1][2][3]");
}

__device__ void gather(const float *from, float *to) {
    __shared__ float buffer[8][5];
    const unsigned t = threadIdx.x;
    buffer[t / 4][t % 4] = from[t];
    to[t] = buffer[6][1];
}

__global__ void calls(const float *from, float *to) { gather(from, to); }

static void an_array_of_a_device_function(void **) { expect_place(calls, "buffer[6][1]"); }

struct candidate {
    double value;
    int index;
};

__global__ void structures(const float *from, float *to) {
    __shared__ candidate best[THREADS];
    const unsigned t = threadIdx.x;
    best[t].value = from[t];
    best[t].index = static_cast<int>(from[t]);
    to[t] = static_cast<float>(best[7].index) + static_cast<float>(best[9].value);
}

static void part_of_an_element(void **) {
    expect_place(structures, "best[7], byte 8");
    expect_place(structures, "best[9], byte 0");
}

// Four elements at once are named by the one that another thread wrote.
__global__ void vectors(const float *from, float *to) {
    __shared__ __align__(16) float row[2][THREADS];
    const unsigned t = threadIdx.x;
    row[1][t] = from[t];
    to[t] = reinterpret_cast<const float4 *>(row[1])[3].y;
}

static void several_elements_at_once(void **) { expect_place(vectors, "row[1][13]"); }

__global__ void dynamic(const float *from, float *to) {
    extern __shared__ float words[];
    const unsigned t = threadIdx.x;
    words[t] = from[t];
    to[t] = words[9];
}

static void dynamic_shared_memory(void **) {
    expect_place(dynamic, "byte 36 of the dynamic shared memory (element 9 of 4 bytes)");
}

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_array, begin, end),
        cmocka_unit_test_setup_teardown(several_of_one_declaration, begin, end),
        cmocka_unit_test_setup_teardown(padded_rows_of_a_template, begin, end),
        cmocka_unit_test_setup_teardown(other_dimensions, begin, end),
        cmocka_unit_test_setup_teardown(an_array_of_a_device_function, begin, end),
        cmocka_unit_test_setup_teardown(part_of_an_element, begin, end),
        cmocka_unit_test_setup_teardown(several_elements_at_once, begin, end),
        cmocka_unit_test_setup_teardown(dynamic_shared_memory, begin, end),
    };
    return cmocka_run_group_tests_name("names", tests, nullptr, nullptr);
}
