/* Stands in for NVIDIA's <cooperative_groups/reduce.h>: reductions over a tile. */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
    T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T> struct less {
    T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(const T &a, const T &b) const { return a ^ b; }
};

// Every thread of the tile gets the result.
template <unsigned Size, class Parent, class T, class Combine>
T reduce(const thread_block_tile<Size, Parent> &tile, T value, Combine combine) {
    for (unsigned distance = Size / 2; distance > 0; distance /= 2)
        value = combine(value, tile.shfl_xor(value, distance));
    return value;
}

} // namespace cooperative_groups

#endif
