// Cooperative groups: a block, tiles of it, their shuffles and votes, and a sum that works for a group of any size.
// expect: block 499500, tile sums ok, reduce ok, extrema ok
// expect: ranks ok, votes ok, shuffles ok, whole structs ok
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int group_sum(cg::thread_group g, int *temp, int val) {
    const int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i)
            val += temp[lane + i];
        g.sync();
    }
    return val;
}

template <int tile_sz> __device__ int tile_sum(cg::thread_block_tile<tile_sz> g, int val) {
    for (int i = g.size() / 2; i > 0; i /= 2)
        val += g.shfl_down(val, i);
    return val;
}

struct Pair {
    double key;
    int index;
};

enum { TILE_SUM, REDUCE, EXTREMA, RANKS, VOTES, SHUFFLES, STRUCTS, CHECKS };

__global__ void use_groups(int *total, int *failed, int n) {
    __shared__ int temp[1024];
    auto block = cg::this_thread_block();
    const int id = blockIdx.x * blockDim.x + threadIdx.x, value = id < n ? id : 0;
    const int sum = group_sum(block, temp, value);
    if (block.thread_rank() == 0)
        atomicAdd(total, sum);
    cg::sync(block);

    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    const int lane = tile.thread_rank(), first = id - lane;
    const int tile_total = tile_sum<16>(tile, id);
    if (lane == 0 && tile_total != 16 * first + 120)
        failed[TILE_SUM] = 1;
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    if (cg::reduce(tile, id, cg::plus<int>()) != 16 * first + 120 ||
        cg::reduce(quad, 1 << quad.thread_rank(), cg::bit_or<int>()) != 15)
        failed[REDUCE] = 1;
    if (cg::reduce(warp, float(lane ^ 5), cg::greater<float>()) != 15.0f ||
        cg::reduce(tile, id, cg::less<int>()) != first)
        failed[EXTREMA] = 1;
    if (block.size() != blockDim.x || tile.meta_group_rank() != threadIdx.x / 16 ||
        tile.meta_group_size() != blockDim.x / 16 || quad.meta_group_rank() != threadIdx.x % 32 / 4 ||
        block.group_index().x != blockIdx.x || block.thread_index().x != threadIdx.x || tile.num_threads() != 16)
        failed[RANKS] = 1;
    if (tile.ballot(lane < 3) != 7 || !tile.any(lane == 15) || tile.any(lane == 16) || !tile.all(lane >= 0) ||
        tile.match_any(lane / 8) != (lane < 8 ? 0xffu : 0xff00u))
        failed[VOTES] = 1;
    if (tile.shfl(id, 3) != first + 3 || tile.shfl_up(id, 1) != (lane ? id - 1 : id) ||
        tile.shfl_xor(id, 1) != (id ^ 1))
        failed[SHUFFLES] = 1;
    const Pair pair = tile.shfl(Pair{lane * 0.25, id}, 8);
    if (pair.key != 2.0 || pair.index != first + 8)
        failed[STRUCTS] = 1;
}

int main() {
    int *total, *failed;
    cudaMallocManaged(&total, sizeof(int));
    cudaMallocManaged(&failed, CHECKS * sizeof(int));
    *total = 0;
    for (int i = 0; i < CHECKS; i++)
        failed[i] = 0;
    use_groups<<<8, 128>>>(total, failed, 1000);
    cudaDeviceSynchronize();
    const char *verdict[] = {"ok", "WRONG"};
    printf("block %d, tile sums %s, reduce %s, extrema %s\n", *total, verdict[failed[TILE_SUM]],
           verdict[failed[REDUCE]], verdict[failed[EXTREMA]]);
    printf("ranks %s, votes %s, shuffles %s, whole structs %s\n", verdict[failed[RANKS]], verdict[failed[VOTES]],
           verdict[failed[SHUFFLES]], verdict[failed[STRUCTS]]);
    cudaFree(total);
    cudaFree(failed);
}
