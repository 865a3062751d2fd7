// Shared memory in every shape: dynamic arrays of several names and types in one file, parts carved out of one window,
// structs, arrays of two dimensions passed on, volatile pointers, unions, wide casts.
// expect: floats 6 ints 60 doubles 0.75 shorts 9 raw 33
// expect: parts 1 2.5 x, struct 31, rows 496, volatile 77, union 3f800000, four 10, file 12
// expect: two types 4 2, bytes 7
#include <cstdint>
#include <cstdio>

extern __shared__ int at_file_scope[];

namespace library {
extern __shared__ float tile[];
__global__ void floats(float *out) {
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = tile[1] + tile[2] + tile[3];
}
} // namespace library

__global__ void ints(int *out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = tile[1] + tile[2] + tile[3];
}

__global__ void doubles(double *out) {
    extern volatile __shared__ double tile[];
    tile[threadIdx.x] = 0.25 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = tile[3];
}

__device__ short sum_of(short (*rows)[2], int count) {
    short sum = 0;
    for (int i = 0; i < count; i++)
        sum += rows[i][0] + rows[i][1];
    return sum;
}

__global__ void shorts(short *out) {
    __shared__ extern short pairs[][2];
    if (threadIdx.x < 3) {
        pairs[threadIdx.x][0] = 1;
        pairs[threadIdx.x][1] = 2;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum_of(pairs, 3);
}

__global__ void raw(int *out) {
    extern __shared__ __align__(16) unsigned char smem[];
    int *numbers = reinterpret_cast<int *>(smem);
    numbers[threadIdx.x] = 33;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = numbers[2];
}

__global__ void parts(int *i, float *f, char *c, int n) {
    extern __shared__ int s[];
    int *integerData = s;
    float *floatData = (float *)&integerData[n];
    char *charData = (char *)&floatData[n];
    integerData[threadIdx.x] = 1;
    floatData[threadIdx.x] = 2.5f;
    charData[threadIdx.x] = 'x';
    __syncthreads();
    *i = integerData[n - 1];
    *f = floatData[n - 1];
    *c = charData[n - 1];
}

struct Cell {
    int count;
    float weights[3];
};

__device__ int sum_rows(int (&rows)[4][8], int square[][8]) {
    int sum = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j)
            sum += rows[i][j] + 0 * square[i][j];
    return sum;
}

__global__ void shapes(int *out) {
    __shared__ Cell cells[32];
    __shared__ int rows[4][8];
    __shared__ union {
        float f;
        unsigned u;
    } both;
    __shared__ float4 fours[8];
    static __shared__ int last;
    const int t = threadIdx.x;
    cells[t] = {t, {0, 0, 0}};
    rows[t / 8][t % 8] = t;
    if (t == 0)
        both.f = 1.0f;
    if (t < 8)
        fours[t] = make_float4(1, 2, 3, 4);
    if (t == 31)
        last = 77;
    __syncthreads();
    volatile int *watched = &last;
    if (t == 0) {
        out[0] = cells[31].count;
        out[1] = sum_rows(rows, rows);
        out[2] = *watched;
        out[3] = (int)both.u;
        const float4 v = *reinterpret_cast<const float4 *>(reinterpret_cast<const char *>(fours) + 16);
        out[4] = (int)(v.x + v.y + v.z + v.w);
        at_file_scope[2] = 12;
    }
    __syncthreads();
    if (t == 1)
        out[5] = at_file_scope[2];
}

template <typename T> __global__ void any_type(T *out) {
    extern __shared__ T values[];
    values[threadIdx.x] = T(threadIdx.x) / T(2);
    __syncthreads();
    *out = values[blockDim.x - 1] + values[1];
}

__global__ void bytes(int *out) {
    extern __shared__ alignas(8) uint8_t buffer[];
    buffer[0] = 7;
    *out = buffer[0];
}

int main() {
    float *f;
    int *i;
    double *d;
    short *s;
    char *c;
    cudaMallocManaged(&f, sizeof *f);
    cudaMallocManaged(&i, 8 * sizeof *i);
    cudaMallocManaged(&d, sizeof *d);
    cudaMallocManaged(&s, sizeof *s);
    cudaMallocManaged(&c, sizeof *c);
    library::floats<<<1, 4, 4 * sizeof(float)>>>(f);
    ints<<<1, 4, 4 * sizeof(int)>>>(i);
    doubles<<<1, 4, 4 * sizeof(double)>>>(d);
    shorts<<<1, 4, 64>>>(s);
    cudaDeviceSynchronize();
    printf("floats %g ints %d doubles %g shorts %d", *f, *i, *d, *s);
    raw<<<1, 4, 16>>>(i);
    printf(" raw %d\n", *i);
    parts<<<1, 4, 4 * (sizeof(int) + sizeof(float) + sizeof(char))>>>(i, f, c, 4);
    printf("parts %d %g %c, ", *i, *f, *c);
    shapes<<<1, 32, 16>>>(i);
    printf("struct %d, rows %d, volatile %d, union %x, four %d, file %d\n", i[0], i[1], i[2], i[3], i[4], i[5]);
    any_type<<<1, 9, 9 * sizeof(float)>>>(f);
    any_type<<<1, 5, 5 * sizeof(int)>>>(i);
    printf("two types %g %d, ", *f - 0.5f, *i);
    bytes<<<1, 1, 8>>>(i);
    printf("bytes %d\n", *i);
}
