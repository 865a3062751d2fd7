/*
 * Stands in for NVIDIA's <cooperative_groups.h> on the CPU device: the block, and tiles of up to 32 of its threads.
 * Both go through the barrier and the warp functions that kernels without groups use.
 *
 * Groups of the grid or of a cluster cannot be had here, nor groups of whichever threads are active.
 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#include <cstring>
#include <type_traits>

namespace cpu_device {

inline unsigned thread_rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

inline unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }

// The lanes of the caller's tile of `size` threads. Tiles are aligned, and each lies in one warp.
inline unsigned tile_mask(unsigned size) {
    const unsigned first = thread_rank_in_block() % 32 / size * size;
    return (size == 32 ? ~0u : (1u << size) - 1) << first;
}

// Moves a value of any size that can be copied as bytes, a word at a time.
template <class T, class Shuffle> T shuffle_words(const T &value, Shuffle shuffle) {
    static_assert(std::is_trivially_copyable_v<T>, "a shuffle copies bytes");
    unsigned words[(sizeof(T) + 3) / 4] = {};
    std::memcpy(words, &value, sizeof(T));
    for (unsigned &word : words)
        word = shuffle(word);
    T result = value;
    std::memcpy(static_cast<void *>(&result), words, sizeof(T));
    return result;
}

} // namespace cpu_device

namespace cooperative_groups {

// Any group: the block, or a tile of it whose size is known at run time.
class thread_group {
  public:
    unsigned size() const { return is_block() ? cpu_device::threads_in_block() : tile_size; }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        const unsigned rank = cpu_device::thread_rank_in_block();
        return is_block() ? rank : rank % tile_size;
    }
    void sync() const {
        if (is_block())
            __syncthreads();
        else
            __syncwarp(cpu_device::tile_mask(tile_size));
    }
    bool is_valid() const { return true; }

  protected:
    explicit thread_group(unsigned tile_size_) : tile_size(tile_size_) {}
    friend thread_group tiled_partition(const thread_group &parent, unsigned size);

  private:
    bool is_block() const { return tile_size == 0; }
    unsigned tile_size; // 0: the block
};

class thread_block : public thread_group {
  public:
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }

  private:
    thread_block() : thread_group(0) {}
    friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return thread_block(); }

inline thread_group tiled_partition(const thread_group &, unsigned size) { return thread_group(size); }

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads on the CPU device");

  public:
    thread_block_tile() : thread_group(Size) {}
    // A tile forgets what it is a tile of.
    template <class Other, std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Other>, int> = 0>
    thread_block_tile(const thread_block_tile<Size, Other> &) : thread_group(Size) {}

    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return cpu_device::thread_rank_in_block() % Size; }
    static unsigned meta_group_rank() { return cpu_device::thread_rank_in_block() % parent_size() / Size; }
    static unsigned meta_group_size() { return (parent_size() + Size - 1) / Size; }
    static void sync() { __syncwarp(mask()); }

    template <class T> static T shfl(T value, int rank) {
        return cpu_device::shuffle_words(value, [=](unsigned word) { return __shfl_sync(mask(), word, rank, Size); });
    }
    template <class T> static T shfl_up(T value, unsigned delta) {
        return cpu_device::shuffle_words(value,
                                         [=](unsigned word) { return __shfl_up_sync(mask(), word, delta, Size); });
    }
    template <class T> static T shfl_down(T value, unsigned delta) {
        return cpu_device::shuffle_words(value,
                                         [=](unsigned word) { return __shfl_down_sync(mask(), word, delta, Size); });
    }
    template <class T> static T shfl_xor(T value, unsigned lane_mask) {
        return cpu_device::shuffle_words(
            value, [=](unsigned word) { return __shfl_xor_sync(mask(), word, static_cast<int>(lane_mask), Size); });
    }
    static int any(int predicate) { return __any_sync(mask(), predicate); }
    static int all(int predicate) { return __all_sync(mask(), predicate); }
    static unsigned ballot(int predicate) { return in_tile(__ballot_sync(mask(), predicate)); }
    template <class T> static unsigned match_any(T value) { return in_tile(__match_any_sync(mask(), value)); }
    template <class T> static unsigned match_all(T value, int &all) {
        return in_tile(__match_all_sync(mask(), value, &all));
    }

  private:
    static unsigned mask() { return cpu_device::tile_mask(Size); }
    static unsigned in_tile(unsigned lanes) { return (lanes & mask()) >> __builtin_ctz(mask()); }
    static unsigned parent_size() {
        if constexpr (std::is_void_v<Parent> || std::is_base_of_v<thread_block, Parent>)
            return cpu_device::threads_in_block();
        else
            return Parent::size();
    }
};

template <unsigned Size, class Parent> thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<Size, Parent>();
}

template <class Group> void sync(const Group &group) { group.sync(); }
template <class Group> unsigned thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> unsigned group_size(const Group &group) { return group.size(); }

} // namespace cooperative_groups

#endif
