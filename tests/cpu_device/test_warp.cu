// Shuffles, votes and warp barriers, with whole warps, parts of warps and warps that have lost lanes.
#include "kernel_test.h"

#define ALL 0xffffffffu

template <class T> __global__ void shuffle_all(T *out, int width, int amount) {
    const int lane = threadIdx.x;
    const T value = static_cast<T>(100 + lane);
    out[4 * lane + 0] = __shfl_sync(ALL, value, amount, width);
    out[4 * lane + 1] = __shfl_up_sync(ALL, value, amount, width);
    out[4 * lane + 2] = __shfl_down_sync(ALL, value, amount, width);
    out[4 * lane + 3] = __shfl_xor_sync(ALL, value, amount, width);
}

// The same from the definition in the CUDA C++ Programming Guide, "Warp Shuffle Functions"; of the amount, shfl takes
// bits 4:0 (PTX ISA).
template <class T> static void check_shuffles(int width, int given) {
    Buffer<T> out(4 * 32);
    shuffle_all<T><<<1, 32>>>(out.data, width, given);
    expect_success();
    const int amount = given & 31;
    for (int lane = 0; lane < 32; lane++) {
        const int first = lane / width * width;
        const int up = lane - amount < first ? lane : lane - amount;
        const int down = lane + amount >= first + width ? lane : lane + amount;
        const int crossed = lane ^ amount, exchanged = crossed >= first + width ? lane : crossed;
        assert_true(out[4 * lane + 0] == static_cast<T>(100 + first + amount % width));
        assert_true(out[4 * lane + 1] == static_cast<T>(100 + up));
        assert_true(out[4 * lane + 2] == static_cast<T>(100 + down));
        assert_true(out[4 * lane + 3] == static_cast<T>(100 + exchanged));
    }
}

static void shuffles_of_every_width(void **) {
    in_both_orders([] {
        for (int width = 1; width <= 32; width *= 2)
            for (int amount = 0; amount < 36; amount++) {
                check_shuffles<int>(width, amount);
                check_shuffles<float>(width, amount);
                check_shuffles<double>(width, amount);
                check_shuffles<unsigned long long>(width, amount);
            }
    });
}

__global__ void reduce(const float *in, float *out) {
    float sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset);
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

static void warps_reduce_apart(void **) {
    in_both_orders([] {
        Buffer<float> in(20 * 96), out(20 * 3);
        for (int i = 0; i < 20 * 96; i++)
            in[i] = static_cast<float>(i % 101);
        reduce<<<20, 96>>>(in.data, out.data);
        expect_success();
        for (int w = 0; w < 60; w++) {
            float sum = 0;
            for (int i = 0; i < 32; i++)
                sum += in[32 * w + i];
            assert_true(out[w] == sum);
        }
    });
}

// Lanes below 8 go round three times while the others meet once: two masks at the same time, one of them reused.
__global__ void two_masks(int *out) {
    const int lane = threadIdx.x;
    if (lane < 8) {
        int value = lane;
        for (int i = 0; i < 3; i++)
            value += __shfl_xor_sync(0x000000ffu, value, 1);
        out[lane] = value;
    } else {
        out[lane] = __shfl_sync(0xffffff00u, lane, 31 - lane % 2);
    }
}

// Even and odd lanes arrive in turn, so both meetings are open at the same time.
__global__ void interleaved_masks(int *out) {
    const int lane = threadIdx.x;
    out[lane] = __shfl_xor_sync(lane % 2 ? 0xaaaaaaaau : 0x55555555u, lane, 2);
}

static void masks_are_independent(void **) {
    in_both_orders([] {
        Buffer<int> out(32);
        interleaved_masks<<<1, 32>>>(out.data);
        expect_success();
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(out[lane], lane ^ 2);
        two_masks<<<1, 32>>>(out.data);
        expect_success();
        for (int lane = 0; lane < 32; lane++)
            assert_int_equal(out[lane], lane < 8 ? 4 * (lane + (lane ^ 1)) : 31 - lane % 2);
    });
}

__global__ void votes(unsigned *out) {
    const unsigned lane = threadIdx.x;
    if (lane >= 24)
        return;
    unsigned *mine = out + 6 * lane;
    mine[0] = __ballot_sync(ALL, lane % 3 == 0);
    mine[1] = __any_sync(ALL, lane == 23);
    mine[2] = __any_sync(ALL, lane == 24);
    mine[3] = __all_sync(ALL, lane < 24);
    mine[4] = __all_sync(ALL, lane < 23);
    mine[5] = __activemask();
    __syncwarp(); // so that nobody leaves before all have asked
}

// Lanes 24 and up have exited, so the full mask means the rest.
static void votes_without_exited_lanes(void **) {
    in_both_orders([] {
        Buffer<unsigned> out(6 * 24);
        votes<<<1, 32>>>(out.data);
        expect_success();
        for (int lane = 0; lane < 24; lane++) {
            assert_int_equal(out[6 * lane + 0], 0x249249);
            assert_int_equal(out[6 * lane + 1], 1);
            assert_int_equal(out[6 * lane + 2], 0);
            assert_int_equal(out[6 * lane + 3], 1);
            assert_int_equal(out[6 * lane + 4], 0);
            assert_int_equal(out[6 * lane + 5], 0xffffff);
        }
    });
}

__global__ void read_missing_lane(float *out) {
    const int lane = threadIdx.x;
    if (lane < 16)
        out[lane] = __shfl_down_sync(0x0000ffffu, 1.0f, 4);
}

static void missing_lanes_give_nan(void **) {
    Buffer<float> out(16);
    read_missing_lane<<<1, 32>>>(out.data);
    expect_success();
    for (int lane = 0; lane < 16; lane++)
        assert_true(lane < 12 ? out[lane] == 1.0f : out[lane] != out[lane]);
    // 20 threads: the lanes 20 to 31 have never been there.
    Buffer<float> in(20), sum(1);
    for (int i = 0; i < 20; i++)
        in[i] = 1.0f;
    reduce<<<1, 20>>>(in.data, sum.data);
    expect_success();
    assert_true(sum[0] != sum[0]);
}

// __syncwarp orders what lanes do in shared memory.
__global__ void rotate_in_shared(int *out) {
    __shared__ int cells[64];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int value = t;
    for (int i = 0; i < 5; i++) {
        cells[t] = value;
        __syncwarp();
        value = cells[32 * warp + (lane + 1) % 32];
        __syncwarp();
    }
    out[t] = value;
}

static void warp_barriers_order_memory(void **) {
    in_both_orders([] {
        Buffer<int> out(64);
        rotate_in_shared<<<1, 64>>>(out.data);
        expect_success();
        for (int t = 0; t < 64; t++)
            assert_int_equal(out[t], t / 32 * 32 + (t + 5) % 32);
    });
}

// The last lane to come may be one that leaves.
__global__ void wait_for_exit(int *out) {
    const int lane = threadIdx.x;
    if (lane == 31 || lane == 0)
        return;
    __syncwarp();
    out[lane] = lane;
}

static void exit_completes_a_meeting(void **) {
    in_both_orders([] {
        Buffer<int> out(32);
        wait_for_exit<<<1, 32>>>(out.data);
        expect_success();
        for (int lane = 1; lane < 31; lane++)
            assert_int_equal(out[lane], lane);
    });
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles_of_every_width),  cmocka_unit_test(warps_reduce_apart),
        cmocka_unit_test(masks_are_independent),    cmocka_unit_test(votes_without_exited_lanes),
        cmocka_unit_test(missing_lanes_give_nan),   cmocka_unit_test(warp_barriers_order_memory),
        cmocka_unit_test(exit_completes_a_meeting),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
