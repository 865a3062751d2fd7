// The four-element moves of common/kernel/number.cuh: whole, in part, and where they may be used.
#include "kernel/number.cuh"
#include "kernel_test.h"

template <class T> __global__ void copy_part(const T *from, T *to, int count, bool aligned) {
    store4_part(load4_part(from, count, aligned), to, count, aligned);
}

template <class T> __global__ void read_part(const T *from, float *to, int count, bool aligned) {
    store4(load4_part(from, count, aligned), to);
}

template <class T> __global__ void tell_aligned(const T *p, int64_t ld, bool *answer) { *answer = aligned4(p, ld); }

template <class T> static void parts() {
    Buffer<T> from(8), to(8);
    Buffer<float> read(4);
    for (int i = 0; i < 8; i++)
        from_float(static_cast<float>(i + 1), &from[i]);
    for (int offset = 0; offset < 2; offset++) // 1: not aligned
        for (int count = -3; count <= 6; count++) {
            for (int i = 0; i < 8; i++)
                from_float(-1.0f, &to[i]);
            copy_part<T><<<1, 1>>>(from.data + offset, to.data + offset, count, offset == 0);
            read_part<T><<<1, 1>>>(from.data + offset, read.data, count, offset == 0);
            expect_success();
            for (int i = 0; i < 8; i++) {
                const bool moved = i >= offset && i < offset + 4 && i - offset < count;
                assert_true(to_float(to[i]) == (moved ? static_cast<float>(i + 1) : -1.0f));
            }
            for (int i = 0; i < 4; i++)
                assert_true(read[i] == (i < count ? static_cast<float>(offset + i + 1) : 0.0f));
        }
}

// Past `count` nothing may be read: it may be another matrix, or no memory at all.
template <class T> static void nothing_beyond() {
    Buffer<T> from(4);
    Buffer<float> read(4);
    for (int count = 0; count < 4; count++) {
        from_float(NAN, &from[count]);
        for (int i = 0; i < count; i++)
            from_float(2.0f, &from[i]);
        read_part<T><<<1, 1>>>(from.data, read.data, count, true);
        expect_success();
        for (int i = 0; i < 4; i++)
            assert_true(read[i] == (i < count ? 2.0f : 0.0f));
    }
}

template <class T> static void alignment() {
    Buffer<T> p(8);
    Buffer<bool> answer(1);
    for (int offset = 0; offset < 8; offset++)
        for (int64_t ld :
             {int64_t{0}, int64_t{4}, int64_t{5}, int64_t{6}, int64_t{7}, int64_t{1200000000}, int64_t{1200000002}}) {
            tell_aligned<T><<<1, 1>>>(p.data + offset, ld, answer.data);
            expect_success();
            assert_int_equal(answer[0], offset % 4 == 0 && ld % 4 == 0);
        }
}

static void floats(void **) {
    parts<float>();
    nothing_beyond<float>();
    alignment<float>();
}

static void halves(void **) {
    parts<__half>();
    nothing_beyond<__half>();
    alignment<__half>();
}

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test(floats), cmocka_unit_test(halves)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
