// Launches in many spellings, compiled and run: what the rewriter and launch.h make of them together.
#include "kernel_test.h"

__global__ void add(const float *a, const float *b, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (a ? a[i] : 0.0f) + (b ? b[i] : 0.0f);
}

template <class T> __global__ void add_any(const T *a, const T *b, T *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (a ? a[i] : T(0)) + (b ? b[i] : T(0));
}

template <int FACTOR, class T> __global__ void scale(T *data, T offset) {
    data[threadIdx.x] = FACTOR * data[threadIdx.x] + offset;
}

namespace ns {
template <class T> __global__ void fill(T *data, T value) { data[threadIdx.x] = value; }
struct Pair {
    int first, second;
};
__global__ void store_pair(Pair *out, Pair pair) {
    out[threadIdx.x] = pair;
    pair.first = -1; // each thread has a copy of its own
}
} // namespace ns

__global__ void overloaded(int *out, int) { *out = 1; }
__global__ void overloaded(int *out, float) { *out = 2; }

__global__ void store_line(int *out, int line) { *out = line; }

static void deduction(void **) {
    const int n = 50;
    Buffer<float> a(n), out(n);
    Buffer<double> d(n), dout(n);
    for (int i = 0; i < n; i++)
        a[i] = static_cast<float>(d[i] = i);
    add<<<2, 32>>>(a.data, a.data, out.data, n);
    for (int i = 0; i < n; i++)
        assert_true(out[i] == 2.0f * static_cast<float>(i));
    add_any<<<2, 32>>>(d.data, d.data, dout.data, n);
    for (int i = 0; i < n; i++)
        assert_true(dout[i] == 2.0 * i);
    scale<3><<<1, n>>>(a.data, 1.0f);
    for (int i = 0; i < n; i++)
        assert_true(a[i] == 3.0f * static_cast<float>(i) + 1.0f);
    scale<2, double><<<1, n>>>(d.data, 1); // the int becomes a double, as in any call
    for (int i = 0; i < n; i++)
        assert_true(d[i] == 2.0 * i + 1.0);
    expect_success();
}

static void null_pointers(void **) {
    const int n = 10;
    Buffer<float> a(n), out(n);
    for (int i = 0; i < n; i++)
        a[i] = static_cast<float>(i);
    add<<<1, n>>>(a.data, 0, out.data, n);
    assert_true(out[9] == 9.0f);
    add<<<1, n>>>(NULL, a.data, out.data, n);
    assert_true(out[8] == 8.0f);
    add<<<1, n>>>(nullptr, 0, out.data, n);
    assert_true(out[7] == 0.0f);
    add_any<float><<<1, n>>>(0, a.data, out.data, n);
    assert_true(out[6] == 6.0f);
    expect_success();
    out[0] = 5.0f;
    add<<<1, n>>>(0, 0, out.data, 0);
    assert_true(out[0] == 5.0f);
}

template <class T> __global__ void optional_factor(T *data, const float *factor, int n) {
    if (static_cast<int>(threadIdx.x) < n)
        data[threadIdx.x] = factor ? T(*factor) : T(7);
}

// Only the arguments select the function, and still a literal 0 is a null pointer where a pointer is due, and a number
// elsewhere.
static void null_pointers_of_deduced_kernels(void **) {
    Buffer<int> data(4);
    optional_factor<<<1, 4>>>(data.data, 0, 4);
    assert_int_equal(data[3], 7);
    optional_factor<<<1, 4>>>(data.data, NULL, 2);
    expect_success();
    ns::fill<<<1, 4>>>(data.data, 0);
    assert_int_equal(data[3], 0);
    int *none = data.data + 1;
    optional_factor<<<1, 4>>>(none, 0, 0);
    assert_int_equal(data[1], 0);
}

static void arguments_once_and_by_value(void **) {
    Buffer<ns::Pair> pairs(64);
    int calls = 0;
    auto next = [&calls] { return ns::Pair{++calls, 40 + calls}; };
    ns::store_pair<<<1, 64>>>(pairs.data, next());
    assert_int_equal(calls, 1);
    for (int i = 0; i < 64; i++)
        assert_true(pairs[i].first == 1 && pairs[i].second == 41);
    ns::store_pair<<<1, 64>>>(pairs.data, {5, 6});
    assert_true(pairs[63].first == 5 && pairs[63].second == 6);
    int configured = 0;
    ns::store_pair<<<++configured, 64>>>(pairs.data, ns::Pair{configured, 0});
    assert_int_equal(configured, 1);
    Buffer<int> data(3);
    ns::fill<<<1, 3>>>(data.data, calls++);
    assert_true(calls == 2 && data[2] == 1);
    expect_success();
}

struct Descriptor {
    void (*kernel)(int *, int);
    unsigned threads;
};

static int evaluations = 0;
static void (*pick(int))(int *, int) {
    evaluations++;
    return store_line;
}

static void kernel_expressions(void **) {
    Buffer<int> out(1);
    void (*pointer)(int *, int) = store_line;
    void (*table[2])(int *, int) = {nullptr, store_line};
    Descriptor descriptor = {store_line, 32}, *where = &descriptor;
    int index = 0;
    pointer<<<1, 1>>>(out.data, 1);
    assert_int_equal(out[0], 1);
    (*pointer)<<<1, 1>>>(out.data, 2);
    assert_int_equal(out[0], 2);
    table[++index]<<<1, 32>>>(out.data, 3);
    assert_int_equal(out[0], 3);
    assert_int_equal(index, 1);
    where->kernel<<<1, where->threads>>>(out.data, 4);
    assert_int_equal(out[0], 4);
    descriptor.kernel<<<1, 1>>>(out.data, 5);
    assert_int_equal(out[0], 5);
    pick(3)<<<2, 64>>>(out.data, 6);
    assert_int_equal(out[0], 6);
    assert_int_equal(evaluations, 1);
    (store_line)<<<1, 1>>>(out.data, 7);
    assert_int_equal(out[0], 7);
    (ns::fill<int>)<<<1, 1>>>(out.data, 8);
    assert_int_equal(out[0], 8);
    ::ns::fill<int><<<1, 1>>>(out.data, 9);
    assert_int_equal(out[0], 9);
    overloaded<<<1, 1>>>(out.data, 1);
    assert_int_equal(out[0], 1);
    overloaded<<<1, 1>>>(out.data, 1.0f);
    assert_int_equal(out[0], 2);
    expect_success();
}

template <class T, int N> struct Traits {
    static const int threads = N;
    template <int M> static cudaError_t launch(T *data, T value) {
        constexpr int twice = 2 * M;
        scale<twice, T><<<1, N>>>(data, value);
        scale<M><<<1, Traits<T, N>::threads>>>(data, value);
        ns::fill<T><<<1, (N > 2 ? 1 : 2)>>>(data, value);
        return cudaGetLastError();
    }
};

static void launches_in_templates(void **) {
    Buffer<int> data(8);
    for (int i = 0; i < 8; i++)
        data[i] = i;
    assert_int_equal((Traits<int, 8>::launch<3>(data.data, 1)), cudaSuccess);
    assert_int_equal(data[0], 1);
    for (int i = 1; i < 8; i++)
        assert_int_equal(data[i], 3 * (6 * i + 1) + 1);
}

#define RUN(kernel, ...)                                                                                               \
    do {                                                                                                               \
        kernel<<<1, 1>>>(__VA_ARGS__);                                                                                 \
    } while (0)

static void spread_out(void **) {
    Buffer<int> out(1);
    // clang-format off
    const int line_before = __LINE__;
    store_line<<<1,       // one block >>> (
                 (4 >> 2) /* one thread */
                 >>>
        (out.data,
         __LINE__);
    const int line_after = __LINE__;
    RUN(store_line, out.data, __LINE__ + 1000);
    // clang-format on
    assert_int_equal(line_after, line_before + 6);
    assert_int_equal(out[0], line_after + 1 + 1000);
    store_line<<<1, 1>>>(out.data, __LINE__);
    assert_int_equal(out[0], __LINE__ - 1);
    auto launch = [&out](int value) {
        store_line<<<dim3(1), dim3(1, 1, 1), 0, cudaStreamPerThread>>>(out.data, value);
    };
    launch(12);
    assert_int_equal(out[0], 12);
#if 1
    store_line<<<1, 1>>>(out.data, 13);
#else
    store_line<<<1, 1>>>(out.data, 14);
#endif
    assert_int_equal(out[0], 13);
    const char *text = "store_line<<<1, 1>>>(out.data, 15)";
    assert_int_equal(strlen(text), 34);
    assert_string_equal(R"(<<<)", "\x3c<<");
    expect_success();
}

__global__ void launch_from_kernel(int *error) {
    cudaGetLastError();
    store_line<<<1, 1>>>(error, 0);
    *error = cudaGetLastError();
}

static void kernels_cannot_launch(void **) {
    Buffer<int> error(1);
    launch_from_kernel<<<1, 1>>>(error.data);
    assert_int_equal(error[0], cudaErrorNotSupported);
    cudaGetLastError();
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deduction),
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(null_pointers_of_deduced_kernels),
        cmocka_unit_test(arguments_once_and_by_value),
        cmocka_unit_test(kernel_expressions),
        cmocka_unit_test(launches_in_templates),
        cmocka_unit_test(spread_out),
        cmocka_unit_test(kernels_cannot_launch),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
