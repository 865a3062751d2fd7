// Ways to spell a launch that programs use: in macros, over lines with comments, with dependent names, kernels in
// namespaces and behind pointers, struct arguments, extern "C", lambdas, three-dimensional grids, cudaLaunchKernel.
// expect: macro 3 lines 5 namespace 7 nested 9 pointer 11 extern 13 lambda 15 struct 17
// expect: grid 24000 dependent 42 2.5 member 4 default 8 launched 11 14.5 by pointer 30
// expect: largest block 1024, error invalid configuration argument
#include <cstdio>
#include <functional>

#define LAUNCH(kernel, grid, block, ...)                                                                               \
    do {                                                                                                               \
        kernel<<<(grid), (block)>>>(__VA_ARGS__);                                                                      \
        if (cudaGetLastError() != cudaSuccess)                                                                         \
            printf("a launch in %s failed\n", __func__);                                                               \
    } while (0)

template <typename T> __global__ void set(T *to, T value) { *to = value; }

namespace outer {
__global__ void add(int *to, int value) { *to += value; }
namespace {
__global__ void nested(int *to) { atomicAdd(to, 9); }
} // namespace
} // namespace outer

extern "C" __global__ void c_kernel(int *to) { *to = 13; }

struct Params {
    const int *in;
    int *out;
    int factor;
    float weights[4];
};

__global__ void with_struct(Params p) { *p.out = *p.in * p.factor + (int)p.weights[3]; }
__global__ void with_const(const __grid_constant__ Params p) { *p.out = *p.in * p.factor + (int)p.weights[3]; }

__global__ void count_3d(int *count) {
    if (blockIdx.z < gridDim.z && threadIdx.z < blockDim.z)
        atomicAdd(count, 1);
}

__global__ void with_default(int *to, int value = 8) { *to = value; }

__global__ void mixed(int *to, float *f, double d, char c) {
    *to = (int)d + c;
    *f = (float)d;
}

template <typename T, int N> struct Runner {
    static __host__ void run(T *to, T value) {
        set<T><<<1, N>>>(to, value);
        cudaDeviceSynchronize();
    }
    template <typename F> void apply(F kernel, T *to, T value) const { kernel<<<dim3(N), dim3(1)>>>(to, value); }
};

template <class Traits> void run_dependent(typename Traits::type *to, typename Traits::type value) {
    using T = typename Traits::type;
    set<typename Traits::type><<<1, 1>>>(to, static_cast<T>(value));
}

struct IntTraits {
    using type = int;
};
struct FloatTraits {
    using type = float;
};

int main() {
    int *d, *count;
    float *f;
    cudaMallocManaged(&d, sizeof(int));
    cudaMallocManaged(&count, sizeof(int));
    cudaMallocManaged(&f, sizeof(float));

    LAUNCH(set<int>, 1, 1, d, 3);
    printf("macro %d ", *d);

    set<int>             // the kernel
        <<<1,            /* grid */
           dim3(1, 1, 1) // block, with > and ) in a comment
           >>>(d,        // where
               5         // what
        );
    printf("lines %d ", *d);

    outer::add<<<1, 1>>>(d, 2);
    printf("namespace %d ", *d);
    *d = 0;
    outer::nested<<<1, 1, 0, 0>>>(d);
    printf("nested %d ", *d);

    void (*pointer)(int *, int) = set<int>;
    (*pointer)<<<1, 1>>>(d, 11);
    printf("pointer %d ", *d);
    c_kernel<<<1, 1>>>(d);
    printf("extern %d ", *d);

    const auto launch = [=](int value) { pointer<<<1, 1>>>(d, value); };
    std::function<void(int)> wrapped = launch;
    wrapped(15);
    printf("lambda %d ", *d);

    *count = 5;
    Params p = {count, d, 3, {0, 0, 0, 2.0f}};
    with_struct<<<1, 1>>>(p);
    const int by_value = *d;
    with_const<<<1, 1>>>(p);
    printf("struct %d\n", *d == by_value ? *d : -1);

    *count = 0;
    count_3d<<<dim3(5, 4, 3), dim3(10, 8, 5)>>>(count);
    cudaDeviceSynchronize();
    printf("grid %d ", *count);

    run_dependent<IntTraits>(d, 42);
    run_dependent<FloatTraits>(f, 2.5f);
    printf("dependent %d %g ", *d, *f);
    Runner<int, 1> runner;
    runner.apply(set<int>, d, 4);
    printf("member %d ", *d);
    Runner<int, 32>::run(count, 1);
    with_default<<<1, 1>>>(d);
    printf("default %d ", *d);

    double number = 14.5;
    char letter = -3;
    void *args[] = {&d, &f, &number, &letter};
    cudaLaunchKernel((void *)mixed, dim3(1), dim3(1), args, 0, 0);
    printf("launched %d %g ", *d, *f);
    int thirty = 30;
    void *more[] = {(void *)&d, (void *)&thirty};
    cudaLaunchKernel(reinterpret_cast<const void *>(&set<int>), 1, 1, more, 0, NULL);
    printf("by pointer %d\n", *d);

    int grid, block;
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, set<int>, 0, 0);
    set<int><<<1, 2048>>>(d, 0);
    printf("largest block %d, error %s\n", block, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    cudaFree(count);
    cudaFree(f);
}
