// What the tests of the counters share: one counted launch, and sums of what it did.
#ifndef CPU_DEVICE_COUNT_TEST_H
#define CPU_DEVICE_COUNT_TEST_H

#include "cpu_device/counters.h"
#include "kernel_test.h"

// Counts what `launch` launches under a label and returns it; earlier counts are forgotten.
template <class Launch> const cpu_device_counts *count_launches(Launch launch, size_t expected = 1) {
    cpu_device_forget_counts();
    cpu_device_count_launches("test");
    launch();
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    expect_success();
    cpu_device_count_launches(nullptr);
    size_t count;
    const cpu_device_counts *counts = cpu_device_get_counts(&count);
    assert_int_equal(count, expected);
    return counts;
}

// In the order of the columns of a profiler. Wavefronts are of shared memory, sectors and lines of global memory.
struct Access {
    uint64_t requests, lanes, bytes, wavefronts, conflict_free, sectors, lines;
};

inline Access shared_access(uint64_t requests, uint64_t lanes, uint64_t bytes, uint64_t wavefronts,
                            uint64_t conflict_free) {
    return {requests, lanes, bytes, wavefronts, conflict_free, 0, 0};
}
inline Access global_access(uint64_t requests, uint64_t lanes, uint64_t bytes, uint64_t sectors, uint64_t lines) {
    return {requests, lanes, bytes, 0, 0, sectors, lines};
}
inline const Access no_access = {0, 0, 0, 0, 0, 0, 0};

// Of one kind of access, on one line or (0) on all of them.
inline Access sum_of(const cpu_device_counts *counts, cpu_device_space space, cpu_device_operation operation,
                     unsigned line = 0) {
    Access sum = no_access;
    for (size_t i = 0; i < counts->access_count; i++) {
        const cpu_device_access_counts &a = counts->accesses[i];
        if (a.space != space || a.operation != operation || (line && a.line != line))
            continue;
        sum.requests += a.requests;
        sum.lanes += a.lanes;
        sum.bytes += a.bytes;
        sum.wavefronts += a.wavefronts;
        sum.conflict_free += a.conflict_free;
        sum.sectors += a.sectors;
        sum.lines += a.cache_lines;
    }
    return sum;
}

inline void check_access(const cpu_device_counts *counts, cpu_device_space space, cpu_device_operation operation,
                         unsigned line, const Access &expected, int where) {
    const Access sum = sum_of(counts, space, operation, line);
    if (memcmp(&sum, &expected, sizeof sum) == 0)
        return;
    const auto print = [](const char *title, const Access &a) {
        print_error("%s %ju requests, %ju lanes, %ju bytes, %ju wavefronts (%ju), %ju sectors, %ju lines\n", title,
                    uintmax_t{a.requests}, uintmax_t{a.lanes}, uintmax_t{a.bytes}, uintmax_t{a.wavefronts},
                    uintmax_t{a.conflict_free}, uintmax_t{a.sectors}, uintmax_t{a.lines});
    };
    print("counted: ", sum);
    print("expected:", expected);
    fail_msg("line %d, %s: wrong counts", where, counts->function);
}
#define EXPECT_ACCESS(counts, space, operation, line, ...)                                                             \
    check_access(counts, CPU_DEVICE_##space, CPU_DEVICE_##operation, line, __VA_ARGS__, __LINE__)

#endif
