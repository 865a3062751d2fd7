// Grids, blocks, barriers, atomics: every thread runs once, where and when it should.
#include "kernel_test.h"

__global__ void count_visits(int *visits, uint3 *where) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned id = block * blockDim.x * blockDim.y * blockDim.z + thread;
    atomicAdd(&visits[id], 1);
    where[id] = threadIdx;
}

static void check_visits(dim3 grid, dim3 block) {
    const unsigned threads = block.x * block.y * block.z, count = grid.x * grid.y * grid.z * threads;
    Buffer<int> visits(count);
    Buffer<uint3> where(count);
    cudaMemset(visits.data, 0, count * sizeof(int));
    count_visits<<<grid, block>>>(visits.data, where.data);
    expect_success();
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(visits[i], 1);
        assert_int_equal(where[i].x, i % block.x);
        assert_int_equal(where[i].y, i / block.x % block.y);
        assert_int_equal(where[i].z, i % threads / (block.x * block.y));
    }
}

static void every_thread_runs_once(void **) {
    in_both_orders([] {
        check_visits(1, 1);
        check_visits(7, 33);
        check_visits(dim3(3, 5, 2), dim3(4, 3, 5));
        check_visits(dim3(1, 1, 3), dim3(1, 1, 64));
        check_visits(4, 1024);
        check_visits(1000, 31);
    });
}

__global__ void prefix_sums(const int *in, int *out, int n) {
    __shared__ int sums[256];
    const int t = threadIdx.x, base = blockIdx.x * blockDim.x, last = blockDim.x - 1;
    sums[t] = base + t < n ? in[base + t] : 0;
    __syncthreads();
    for (int stride = 1; stride <= last; stride *= 2) {
        const int left = t >= stride ? sums[t - stride] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    if (base + t < n)
        out[base + t] = sums[t];
}

static void barriers_separate_phases(void **) {
    in_both_orders([] {
        for (int block : {1, 31, 32, 33, 255, 256}) {
            const int n = 1001;
            Buffer<int> in(n), out(n);
            for (int i = 0; i < n; i++)
                in[i] = i * i % 17 - 8;
            prefix_sums<<<(n + block - 1) / block, block>>>(in.data, out.data, n);
            expect_success();
            for (int i = 0, sum = 0; i < n; i++) {
                sum = (i % block == 0 ? 0 : sum) + in[i];
                assert_int_equal(out[i], sum);
            }
        }
    });
}

// Threads that have left do not keep the others waiting.
__global__ void shrinking_block(int *arrivals) {
    for (int round = 0; round < 100; round++) {
        if (static_cast<int>(threadIdx.x) == round)
            return;
        const int here = __syncthreads_count(1);
        if (threadIdx.x == 99)
            arrivals[round] = here;
    }
}

static void exited_threads_count_as_arrived(void **) {
    in_both_orders([] {
        Buffer<int> arrivals(99);
        shrinking_block<<<1, 100>>>(arrivals.data);
        expect_success();
        for (int round = 0; round < 99; round++)
            assert_int_equal(arrivals[round], 99 - round);
    });
}

__global__ void vote_in_barriers(int *out) {
    const int t = threadIdx.x;
    int *mine = out + 6 * t;
    mine[0] = __syncthreads_count(t % 3 == 0 ? 7 : 0);
    mine[1] = __syncthreads_and(t < 50);
    mine[2] = __syncthreads_and(t < 49);
    mine[3] = __syncthreads_or(t == 49);
    mine[4] = __syncthreads_or(t == 50);
    mine[5] = __syncthreads_count(t % 2);
}

static void barriers_vote(void **) {
    in_both_orders([] {
        Buffer<int> out(6 * 50);
        vote_in_barriers<<<1, 50>>>(out.data);
        expect_success();
        for (int t = 0; t < 50; t++) {
            const int expected[6] = {17, 1, 0, 1, 0, 25};
            assert_memory_equal(&out[6 * t], expected, sizeof expected);
        }
    });
}

__global__ void log_order(int *log, int *next, int wait) {
    log[atomicAdd(next, 1)] = threadIdx.x;
    if (wait) {
        __syncthreads();
        log[atomicAdd(next, 1)] = threadIdx.x;
    }
}

static void check_order(bool descending, int wait) {
    const int n = 70;
    Buffer<int> log(2 * n), next(1);
    next[0] = 0;
    log_order<<<1, n>>>(log.data, next.data, wait);
    expect_success();
    for (int i = 0; i < (wait ? 2 * n : n); i++)
        assert_int_equal(log[i], descending ? n - 1 - i % n : i % n);
}

static void order_is_the_chosen_one(void **) {
    for (int wait = 0; wait < 2; wait++) {
        unsetenv("CPU_DEVICE_ORDER");
        check_order(false, wait);
        setenv("CPU_DEVICE_ORDER", "reverse", 1);
        check_order(true, wait);
        unsetenv("CPU_DEVICE_ORDER");
    }
}

template <class T> __global__ void hammer(T *sum, T *largest, T *smallest, T *last, unsigned *lock_word) {
    const T value = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x + 1);
    for (int i = 0; i < 50; i++) // long enough for the OS threads to meet
        atomicAdd(sum, value);
    atomicMax(largest, value);
    atomicMin(smallest, value);
    atomicExch(last, value);
    atomicCAS(lock_word, 0u, static_cast<unsigned>(value));
}

template <class T> static void check_integer_atomics() {
    Buffer<T> cells(4);
    Buffer<unsigned> lock_word(1);
    cells[0] = cells[1] = 0;
    cells[2] = 1000000;
    lock_word[0] = 0;
    hammer<T><<<40, 250>>>(&cells[0], &cells[1], &cells[2], &cells[3], lock_word.data);
    expect_success();
    assert_true(cells[0] == T(50005000ull * 50));
    assert_true(cells[1] == T(10000));
    assert_true(cells[2] == T(1));
    assert_true(cells[3] >= T(1) && cells[3] <= T(10000));
    assert_in_range(lock_word[0], 1, 10000);
}

__global__ void add_floats(float *single_sum, double *double_sum) {
    atomicAdd(single_sum, 0.5f);
    atomicAdd(double_sum, 0.25);
}

static void atomics_lose_nothing(void **) {
    check_integer_atomics<int>();
    check_integer_atomics<unsigned>();
    check_integer_atomics<unsigned long long>();
    Buffer<float> single_sum(1);
    Buffer<double> double_sum(1);
    single_sum[0] = 0;
    double_sum[0] = 0;
    add_floats<<<100, 100>>>(single_sum.data, double_sum.data);
    expect_success();
    assert_true(single_sum[0] == 5000.0f && double_sum[0] == 2500.0);
}

// A thread's stack and registers survive waiting: each keeps many values across barriers.
__global__ void keep_locals(float *out, const float *in) {
    __shared__ float exchange[128];
    const int t = threadIdx.x;
    float values[24];
    alignas(32) volatile double wide[2] = {t * 1.5, t * 2.5};
    for (int i = 0; i < 24; i++)
        values[i] = in[(t + i) % 128];
    for (int i = 0; i < 24; i++) {
        exchange[t] = values[i];
        __syncthreads();
        values[i] += exchange[127 - t];
        __syncthreads();
    }
    float sum = 0;
    for (int i = 0; i < 24; i++)
        sum += values[i] * static_cast<float>(i + 1);
    const bool aligned = reinterpret_cast<uintptr_t>(&wide) % 32 == 0;
    out[t] = aligned && wide[0] == t * 1.5 && wide[1] == t * 2.5 ? sum : -1;
}

static void locals_survive_waiting(void **) {
    in_both_orders([] {
        Buffer<float> in(128), out(128);
        for (int i = 0; i < 128; i++)
            in[i] = static_cast<float>(i);
        keep_locals<<<1, 128>>>(out.data, in.data);
        expect_success();
        for (int t = 0; t < 128; t++) {
            float sum = 0;
            for (int i = 0; i < 24; i++)
                sum += static_cast<float>(((t + i) % 128 + (127 - t + i) % 128) * (i + 1));
            assert_true(out[t] == sum);
        }
    });
}

static __constant__ int table[4] = {1, 2, 3, 4};
__device__ int device_total;

__global__ void use_symbols(int factor) { atomicAdd(&device_total, factor * table[threadIdx.x]); }

static void symbols(void **) {
    const int more[2] = {30, 40};
    int total = 5;
    assert_int_equal(cudaMemcpyToSymbol(table, more, sizeof more, 2 * sizeof(int)), cudaSuccess);
    assert_int_equal(cudaMemcpyToSymbol(table, more, sizeof more, 3 * sizeof(int)), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpyToSymbol(device_total, &total, sizeof total), cudaSuccess);
    use_symbols<<<1, 4>>>(2);
    assert_int_equal(cudaMemcpyFromSymbol(&total, device_total, sizeof total), cudaSuccess);
    assert_int_equal(total, 5 + 2 * (1 + 2 + 30 + 40));
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_runs_once),          cmocka_unit_test(barriers_separate_phases),
        cmocka_unit_test(exited_threads_count_as_arrived), cmocka_unit_test(barriers_vote),
        cmocka_unit_test(order_is_the_chosen_one),         cmocka_unit_test(atomics_lose_nothing),
        cmocka_unit_test(locals_survive_waiting),          cmocka_unit_test(symbols),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
