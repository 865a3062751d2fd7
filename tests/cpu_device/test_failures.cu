// Launches that are refused, that fail, or that crash. Whatever ends the process or prints runs in a child.
#include "kernel_test.h"

#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void nothing() {}

template <class T> __global__ void fill(T *data, T value) { data[threadIdx.x] = value; }

static void expect_refused(cudaError_t expected, dim3 grid, dim3 block, size_t shared = 0) {
    nothing<<<grid, block, shared>>>();
    assert_string_equal(cudaGetErrorName(cudaPeekAtLastError()), cudaGetErrorName(expected));
    assert_string_equal(cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(expected));
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void bad_shapes_are_refused(void **) {
    expect_refused(cudaErrorInvalidConfiguration, 1, 0);
    expect_refused(cudaErrorInvalidConfiguration, 0, 1);
    expect_refused(cudaErrorInvalidConfiguration, dim3(1, 0, 1), 1);
    expect_refused(cudaErrorInvalidConfiguration, 1, 1025);
    expect_refused(cudaErrorInvalidConfiguration, 1, dim3(32, 32, 2));
    expect_refused(cudaErrorInvalidConfiguration, 1, dim3(1, 1, 65));
    expect_refused(cudaErrorInvalidConfiguration, 1, dim3(65536, 65536, 1)); // the product is 0 in 32 bits
    expect_refused(cudaErrorInvalidConfiguration, dim3(1, 65536), 1);
    expect_refused(cudaErrorInvalidConfiguration, dim3(1, 1, 65536), 1);
    expect_refused(cudaErrorInvalidConfiguration, dim3(2147483648u), 1);
    expect_refused(cudaSuccess, dim3(1, 1, 1), dim3(4, 4, 64));
}

static void refused_kernels_do_not_run(void **) {
    Buffer<int> data(1);
    data[0] = 1;
    fill<<<1, 2000>>>(data.data, 2);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    assert_int_equal(data[0], 1);
}

static void much_shared_memory_needs_opting_in(void **) {
    expect_refused(cudaSuccess, 1, 1, 49152);
    expect_refused(cudaErrorInvalidValue, 1, 1, 49153);
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    expect_refused(cudaSuccess, 1, 1, 100000);
    expect_refused(cudaErrorInvalidValue, 1, 1, 100001);
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    expect_refused(cudaSuccess, 1, 1, 232448);
    expect_refused(cudaErrorInvalidValue, 1, 1, 232449);
    // Another kernel has not opted in, unless the launch leaves it to the arguments which one it is.
    Buffer<int> data(1);
    fill<int><<<1, 1, 50000>>>(data.data, 1);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    fill<<<1, 1, 50000>>>(data.data, 1);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    cudaDeviceReset();
    expect_refused(cudaErrorInvalidValue, 1, 1, 49153);
}

// Runs `body` in a child. Returns its exit status (or 1000 + signal) and what it wrote to stderr.
template <class Body> static int in_child(Body body, char *output, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(nullptr);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(60); // rather than hanging
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(ends[0], output + used, size - 1 - used)) > 0;)
        used += static_cast<size_t>(got);
    output[used] = '\0';
    close(ends[0]);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

template <class Body> static void expect_in_child(int status, const char *sentence, Body body) {
    char output[4096];
    const int actual = in_child(body, output, sizeof output);
    if (actual != status)
        fail_msg("status %d instead of %d, stderr: %s", actual, status, output);
    if (!strstr(output, sentence))
        fail_msg("\"%s\" does not contain \"%s\"", output, sentence);
    const char *newline = strchr(output, '\n');
    if (newline && newline[1])
        fail_msg("more than one line: %s", output);
}

__global__ void half_at_barrier() {
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncwarp();
}

__global__ void wait_for_nobody() {
    if (threadIdx.x == 3)
        __syncwarp(0x00000018);
    else
        __syncthreads();
}

__global__ void outside_own_mask() {
    if (threadIdx.x == 5)
        __syncwarp(0x0000000f);
}

// After a failed launch everything fails, until a reset; then the device works as before.
static void require_sticky_and_reset(cudaError_t error = cudaErrorLaunchFailure) {
    void *p;
    bool sticky = cudaGetLastError() == error && cudaGetLastError() == error && cudaDeviceSynchronize() == error &&
                  cudaMalloc(&p, 4) == error;
    nothing<<<1, 1>>>();
    sticky = sticky && cudaPeekAtLastError() == error;
    cudaDeviceReset();
    Buffer<int> data(1024);
    fill<int><<<1, 1024>>>(data.data, 9);
    if (!sticky || cudaGetLastError() != cudaSuccess || data[1023] != 9)
        _exit(3);
}

static void deadlocks_are_reported(void **) {
    for (const char *order : {"ascending", "reverse"}) {
        setenv("CPU_DEVICE_ORDER", order, 1);
        expect_in_child(0, "kernel half_at_barrier, block (", [] {
            half_at_barrier<<<3, 64>>>();
            require_sticky_and_reset();
        });
        expect_in_child(0, "deadlock: 32 of 64 threads wait at __syncthreads, 32 in a warp function (lane 0 of warp 0",
                        [] {
                            half_at_barrier<<<1, 64>>>();
                            require_sticky_and_reset();
                        });
        expect_in_child(
            0,
            "deadlock: 39 of 40 threads wait at __syncthreads, 1 in a warp function (lane 3 of warp 0, for one, "
            "waits for lanes 0x00000010 at test_failures.cu:",
            [] {
                wait_for_nobody<<<1, 40>>>();
                require_sticky_and_reset();
            });
    }
    unsetenv("CPU_DEVICE_ORDER");
}

__global__ void deadlock_of_survivors() {
    __syncthreads();
    if (threadIdx.x % 4 == 0)
        return;
    if (threadIdx.x % 2)
        __syncthreads_count(1);
    else
        __syncwarp();
}

__global__ void count_arrivals(int *out) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += __syncthreads_count(1);
    out[threadIdx.x] = sum;
}

// Threads that hang in a failed block give their stacks back, and nothing of that block is left in the next one.
static void failures_leave_nothing_behind(void **) {
    char output[16384];
    const auto body = [] {
        for (int i = 0; i < 50; i++) {
            deadlock_of_survivors<<<2, 100>>>();
            if (cudaGetLastError() != cudaErrorLaunchFailure)
                _exit(4);
            cudaDeviceReset();
            Buffer<int> arrivals(1024);
            count_arrivals<<<5, 1024>>>(arrivals.data);
            for (int t = 0; t < 1024; t++)
                if (arrivals[t] != 3 * 1024)
                    _exit(5);
            if (cudaGetLastError() != cudaSuccess)
                _exit(6);
        }
    };
    const int status = in_child(body, output, sizeof output);
    if (status != 0)
        fail_msg("status %d, stderr: %s", status, output);
}

static void masks_must_name_the_caller(void **) {
    expect_in_child(0, "lane 5 of warp 0 calls a warp function with mask 0x0000000f, which leaves it out", [] {
        outside_own_mask<<<1, 32>>>();
        require_sticky_and_reset();
    });
}

enum { WRITE_AT_LINE = __LINE__ + 3 };
__global__ void write_at(char *data, size_t offset) {
    if (blockIdx.x == 1 && threadIdx.y == 2)
        data[offset] = 1;
}

/* In a function of a library, which has no line of ours, and by the name of a variable. */
template <class T> __global__ void copies_from(T *data, const T *from, size_t size) {
    T copy[64];
    memcpy(copy, from, size);
    data[0] = copy[63];
}

static volatile size_t whole = 64; /* not known to the compiler, which would copy by itself */

static void kernels_have_their_own_name(void **) {
    expect_in_child(0, "kernel copies_from<char>, block (0, 0, 0): thread (0, 0, 0): an illegal access: ", [] {
        Buffer<char> data(64);
        const auto kernel = copies_from<char>;
        kernel<<<1, 1>>>(data.data, data.data + (size_t(1) << 36), whole);
        require_sticky_and_reset(cudaErrorIllegalAddress);
    });
}

static void stray_accesses_are_explained(void **) {
    char where[160];
    snprintf(where, sizeof where,
             "kernel write_at, block (1, 0, 0): thread (0, 2, 0), test_failures.cu:%d: an illegal access",
             WRITE_AT_LINE);
    expect_in_child(0, where, [] {
        write_at<<<2, dim3(1, 3)>>>(nullptr, 0);
        require_sticky_and_reset(cudaErrorIllegalAddress);
    });
    expect_in_child(0, "a null pointer", [] {
        write_at<<<2, dim3(1, 3)>>>(nullptr, 100);
        require_sticky_and_reset(cudaErrorIllegalAddress);
    });
    expect_in_child(0, "256 bytes past the end of an allocation of 512 bytes", [] {
        Buffer<char> data(512);
        write_at<<<2, dim3(1, 3)>>>(data.data, 768);
    });
    expect_in_child(0, "16 bytes before an allocation of 4096 bytes", [] {
        Buffer<char> first(8192), data(4096);
        write_at<<<2, dim3(1, 3)>>>(data.data - 16, 0);
    });
    expect_in_child(0, "freed", [] {
        char *data;
        cudaMalloc(&data, 512);
        cudaFree(data);
        write_at<<<2, dim3(1, 3)>>>(data, 0);
    });
}

__global__ void divide(int *data) { data[0] = data[1] / data[2]; }

__global__ void misaligned(float *data) { *reinterpret_cast<float4 *>(data + 1) = make_float4(1, 2, 3, 4); }

__device__ void go_deep(int *data, int depth) {
    volatile int local[1024];
    for (int i = 0; i < 1024; i++)
        local[i] = i;
    if (depth > 0)
        go_deep(data, depth - 1);
    data[0] = local[depth];
}

__global__ void deep(int *data, int depth) { go_deep(data, depth); }

// A frame that reaches past the guard of its stack, into the next one, and is written only there. The index keeps the
// optimiser from making the arrays small.
__device__ __attribute__((noinline)) int wide_frame(int index) {
    volatile char local[60000];
    local[index] = 1;
    return local[index];
}

__global__ void wide(int *data, int index) {
    volatile char local[10000];
    local[index] = 1;
    data[0] = local[index] + wide_frame(index);
}

static void other_faults_are_explained(void **) {
#if defined(__x86_64__) // other processors let both pass
    expect_in_child(0, "an integer division by zero", [] {
        Buffer<int> data(3);
        data[2] = 0;
        divide<<<1, 1>>>(data.data);
        require_sticky_and_reset();
    });
    expect_in_child(0, "a misaligned access", [] {
        Buffer<float> data(8);
        misaligned<<<1, 1>>>(data.data);
        require_sticky_and_reset(cudaErrorMisalignedAddress);
    });
#endif
    expect_in_child(0, "local variables do not fit the 64 KiB stack", [] {
        Buffer<int> data(1);
        deep<<<1, 1>>>(data.data, 20);
        require_sticky_and_reset();
    });
    expect_in_child(0, "local variables do not fit the 64 KiB stack", [] {
        Buffer<int> data(1);
        wide<<<1, 32>>>(data.data, 0);
        require_sticky_and_reset();
    });
}

__global__ void run_until_killed(volatile int *running) {
    *running = 1;
    while (*running)
        ;
}

static void *crash_when_running(void *running) {
    while (!*static_cast<volatile int *>(running))
        ;
    *const_cast<volatile int *>(static_cast<int *>(nullptr)) = 1;
    return nullptr;
}

// Outside kernels a crash is a crash: after a launch, and in another thread during one.
static void host_faults_are_left_alone(void **) {
    expect_in_child(1000 + SIGSEGV, "", [] {
        signal(SIGSEGV, SIG_DFL);
        nothing<<<1, 1>>>();
        *const_cast<volatile int *>(static_cast<int *>(nullptr)) = 1;
    });
    expect_in_child(1000 + SIGSEGV, "", [] {
        signal(SIGSEGV, SIG_DFL);
        Buffer<int> running(1);
        running[0] = 0;
        pthread_t thread;
        pthread_create(&thread, nullptr, crash_when_running, running.data);
        run_until_killed<<<1, 1>>>(running.data);
    });
}

__global__ void read_past_row(const float *offsets, float *out) {
    __shared__ float rows[4][33];
    const int t = threadIdx.x;
    rows[t / 33][t % 33] = offsets[t];
    __syncthreads();
    out[t] = rows[1][t % 33 + (t == 40 ? 30 : 0)]; // inside the array, but not in its row
}

// clang says 'float[33]' since version 15.
static void indices_past_a_row_are_told(void **) {
    char output[4096];
    const int status = in_child(
        [] {
            Buffer<float> offsets(64), out(64);
            read_past_row<<<1, 64>>>(offsets.data, out.data);
            if (cudaDeviceSynchronize() != cudaErrorIllegalAddress)
                _exit(3);
        },
        output, sizeof output);
    assert_int_equal(status, 0);
    const char *told = strstr(output, "test_failures.cu:");
    if (!told || !strstr(told, "index 37 ") || !strstr(told, "'float"))
        fail_msg("stderr: %s", output);
}

static void handlers_are_put_back(void **) {
    struct sigaction before, after;
    assert_int_equal(sigaction(SIGSEGV, nullptr, &before), 0);
    nothing<<<1, 1>>>();
    assert_int_equal(sigaction(SIGSEGV, nullptr, &after), 0);
    assert_true(before.sa_handler == after.sa_handler);
}

int main() {
    const struct CMUnitTest tests[] = {
        // The children first: a fork after a launch would lack the threads that the launch created.
        cmocka_unit_test(deadlocks_are_reported),      cmocka_unit_test(failures_leave_nothing_behind),
        cmocka_unit_test(masks_must_name_the_caller),  cmocka_unit_test(stray_accesses_are_explained),
        cmocka_unit_test(kernels_have_their_own_name), cmocka_unit_test(other_faults_are_explained),
        cmocka_unit_test(host_faults_are_left_alone),  cmocka_unit_test(indices_past_a_row_are_told),
        cmocka_unit_test(handlers_are_put_back),       cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(refused_kernels_do_not_run),  cmocka_unit_test(much_shared_memory_needs_opting_in),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
