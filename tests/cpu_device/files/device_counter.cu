// Variables of the device: a counter, a table that a kernel fills, a managed one, and the address of one on the host.
// expect: counter 1280, fetched 1280
// expect: table 0 1 4 9 16 25 36 49, managed 21, size 32
#include <iostream>

__device__ unsigned int counter = 0;
__device__ int table[8];
__managed__ int managed_value = 20;
static __device__ __constant__ int one = 1;

__device__ int square(int x) { return x * x; }

__global__ void count_up() {
    atomicAdd(&counter, one);
    if (blockIdx.x == 0 && threadIdx.x < 8)
        table[threadIdx.x] = square(threadIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        managed_value++;
}

int main() {
    count_up<<<10, 128>>>();
    unsigned int value, *address, fetched;
    int host_table[8];
    size_t size;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    cudaGetSymbolAddress((void **)&address, counter);
    cudaMemcpy(&fetched, address, sizeof fetched, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(host_table, table, sizeof host_table, 0, cudaMemcpyDeviceToHost);
    cudaGetSymbolSize(&size, table);
    std::cout << "counter " << value << ", fetched " << fetched << "\ntable";
    for (int entry : host_table)
        std::cout << ' ' << entry;
    std::cout << ", managed " << managed_value << ", size " << size << "\n";
}
