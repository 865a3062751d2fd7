// A ladder of sums: interleaved addresses, sequential addresses, a fully unrolled template, warp shuffles, atomics.
// expect: 0: 262500
// expect: 1: 262500
// expect: 2: 262500
// expect: 3: 262500
// expect: 4: 262500
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

// Shared memory of a type that only the instance knows. Without the specialisation trick, each instance declares it.
template <typename T> __global__ void reduce_interleaved(const T *in, T *out, unsigned n) {
    extern __shared__ __align__(sizeof(T)) unsigned char raw[];
    T *sdata = reinterpret_cast<T *>(raw);
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned index = 2 * s * tid;
        if (index < blockDim.x)
            sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

template <typename T> __global__ void reduce_sequential(const T *in, T *out, unsigned n) {
    extern __shared__ T values[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    values[tid] = i < n ? in[i] : T(0);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            values[tid] += values[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = values[0];
}

template <unsigned int blockSize> __device__ void warp_sum(volatile int *sdata, unsigned tid) {
    int v = sdata[tid];
    if (blockSize >= 64) {
        v += sdata[tid + 32];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
    if (blockSize >= 32) {
        v += sdata[tid + 16];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
    if (blockSize >= 16) {
        v += sdata[tid + 8];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
    if (blockSize >= 8) {
        v += sdata[tid + 4];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
    if (blockSize >= 4) {
        v += sdata[tid + 2];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
    if (blockSize >= 2) {
        v += sdata[tid + 1];
        __syncwarp();
        sdata[tid] = v;
        __syncwarp();
    }
}

template <unsigned int blockSize> __global__ void reduce_unrolled(const int *in, int *out, unsigned n) {
    extern __shared__ int sdata[];
    const unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (blockSize * 2) + tid;
    const unsigned gridSize = blockSize * 2 * gridDim.x;
    sdata[tid] = 0;
    while (i < n) {
        sdata[tid] += in[i] + (i + blockSize < n ? in[i + blockSize] : 0);
        i += gridSize;
    }
    __syncthreads();
    if (blockSize >= 512) {
        if (tid < 256)
            sdata[tid] += sdata[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128)
            sdata[tid] += sdata[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64)
            sdata[tid] += sdata[tid + 64];
        __syncthreads();
    }
    if (tid < 32)
        warp_sum<blockSize>(sdata, tid);
    if (tid == 0)
        out[blockIdx.x] = sdata[0];
}

__inline__ __device__ int warpReduceSum(int val) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

__inline__ __device__ int blockReduceSum(int val) {
    static __shared__ int shared[32];
    const int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    val = warpReduceSum(val);
    if (lane == 0)
        shared[wid] = val;
    __syncthreads();
    val = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    return wid == 0 ? warpReduceSum(val) : val;
}

__global__ void reduce_shuffle(const int *in, int *out, unsigned n) {
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void reduce_vectorized(int *in, int *out, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        const int4 four = reinterpret_cast<int4 *>(in)[i];
        sum += four.x + four.y + four.z + four.w;
    }
    sum = warpReduceSum(sum);
    if ((threadIdx.x & (warpSize - 1)) == 0)
        atomicAdd(out, sum);
}

int main() {
    const unsigned n = 1024 * 9, threads = 256, blocks = 36;
    std::vector<int> h_in(n), partial(blocks);
    for (unsigned i = 0; i < n; ++i)
        h_in[i] = int(i % 58);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, blocks * sizeof(int));
    cudaMemcpy(in, h_in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int version = 0; version < 5; ++version) {
        cudaMemset(out, 0, blocks * sizeof(int));
        const size_t smem = threads * sizeof(int);
        switch (version) {
        case 0:
            reduce_interleaved<int><<<blocks, threads, smem>>>(in, out, n);
            break;
        case 1:
            reduce_sequential<<<blocks, threads, smem>>>(in, out, n);
            break;
        case 2:
            reduce_unrolled<threads><<<blocks, threads, smem>>>(in, out, n);
            break;
        case 3:
            reduce_shuffle<<<blocks, threads>>>(in, out, n);
            break;
        case 4:
            reduce_vectorized<<<blocks, threads>>>(in, out, n);
            break;
        }
        cudaMemcpy(partial.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
        int sum = 0;
        for (int p : partial)
            sum += p;
        std::cout << version << ": " << sum << std::endl;
    }
    // The same kernel for another type, so that its shared array has two.
    double *values;
    cudaMallocManaged(&values, 65 * sizeof(double));
    for (int i = 0; i < 64; i++)
        values[i] = 0.5;
    reduce_sequential<<<1, 64, 64 * sizeof(double)>>>(values, values + 64, 64u);
    cudaDeviceSynchronize();
    if (values[64] != 32.0)
        std::cout << "the sum of doubles is wrong" << std::endl;
    cudaFree(values);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
