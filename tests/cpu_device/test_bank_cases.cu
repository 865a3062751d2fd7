// Every row of bank_cases.csv, which Nsight Compute read on an H200: the CPU device must count the same. Built with
// several levels of optimisation, because counts may not depend on the compiler.
#include "cpu_device/counters.h"
#include "kernel_test.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "cost.h"
}

namespace {

// The optimiser knows that a static array which nobody writes holds zeros, and would not read it.
template <class T> __device__ inline T *opaque(T *array) {
    asm volatile("" : "+r"(array) : : "memory");
    return array;
}

#define SHARED_READ(name, type, elements, index)                                                                       \
    __global__ void name(const void *input, void *result) {                                                            \
        __shared__ __align__(16) type s[elements];                                                                     \
        const int t = threadIdx.x, lane = t % 32, w = t / 32;                                                          \
        (void)lane, (void)w;                                                                                           \
        (void)input;                                                                                                   \
        static_cast<type *>(result)[t] = opaque(s)[index];                                                             \
    }
#define SHARED_WRITE(name, type, elements, index)                                                                      \
    __global__ void name(const void *input, void *result) {                                                            \
        __shared__ __align__(16) type s[elements];                                                                     \
        const int t = threadIdx.x;                                                                                     \
        (void)result;                                                                                                  \
        opaque(s)[index] = static_cast<const type *>(input)[t];                                                        \
    }
#define GLOBAL_READ(name, type, index)                                                                                 \
    __global__ void name(const void *input, void *result) {                                                            \
        const int t = threadIdx.x, w = t / 32;                                                                         \
        (void)w;                                                                                                       \
        static_cast<type *>(result)[t] = static_cast<const type *>(input)[index];                                      \
    }

SHARED_READ(column, float, 32 * 32, lane * 32 + w)
SHARED_READ(padded_column, float, 32 * 33, lane * 33 + w)
SHARED_READ(broadcast, float, 32 * 32, w * 32)
SHARED_READ(stride_2, float, 2048, (2 * t) % 2048)
SHARED_READ(read_float4, float4, 1024, t)
SHARED_WRITE(write_float4, float4, 1024, t)
SHARED_READ(read_float2, float2, 1024, t)
SHARED_WRITE(write_float2, float2, 1024, t)
SHARED_READ(padded_float4_column, float4, 8 * 36, (lane * 36 + (w % 8) * 4) / 4)
SHARED_READ(float4_column, float4, 8 * 32, (lane * 32 + (w % 8) * 4) / 4)
SHARED_READ(eight_share, float4, 1024, t / 8)
SHARED_READ(half_column, uint16_t, 32 * 64, lane * 64 + w)
SHARED_READ(pairs_share, float4, 1024, lane / 2)
SHARED_READ(shape_0, float4, 1024, (lane & 1) | ((lane >> 2) << 1))
SHARED_READ(shape_1, float4, 1024, (lane & 3) | ((lane >> 3) << 2))
SHARED_READ(shape_2, float4, 1024, lane % 8)
SHARED_READ(shape_3, float4, 1024, lane % 16)
SHARED_READ(shape_4, float4, 1024, lane / 4)
SHARED_READ(shape_5, float4, 1024, lane % 4)
SHARED_READ(shape_6, float4, 1024, 0)
SHARED_READ(shape_7, float2, 1024, lane / 2)
SHARED_READ(shape_8, float2, 1024, lane & 15)
SHARED_READ(shape_9, float2, 1024, 0)
SHARED_READ(shape_10, float4, 1024, (lane / 4) * 2)
SHARED_READ(shape_11, float4, 1024, (lane % 4) * 2)
SHARED_READ(shape_12, float4, 1024, (lane / 2) * 8)
SHARED_READ(shape_13, float4, 1024, (lane % 16) * 2)
SHARED_READ(shape_14, float2, 1024, lane * 2)
SHARED_READ(shape_15, float4, 1024, lane * 2)
SHARED_READ(shape_16, float4, 1024, 31 - lane)
SHARED_READ(shape_17, float2, 1024, (lane % 16) * 16 + lane / 16)
GLOBAL_READ(row, float, t)
GLOBAL_READ(stride_32, float, 32 * t)
GLOBAL_READ(global_stride_2, float, 2 * t)
GLOBAL_READ(off_by_one, float, t + 1)
GLOBAL_READ(global_float4, float4, t)
GLOBAL_READ(global_half, uint16_t, t)
GLOBAL_READ(one_address, float, w * 1024)

struct Case {
    const char *pattern;
    void (*kernel)(const void *, void *);
};

const Case loads_and_stores[] = {
    {"float s[32][32]; read s[lane][w] (a column)", column},
    {"float s[32][33]; read s[lane][w]", padded_column},
    {"float s[32][32]; read s[w][0] (broadcast)", broadcast},
    {"float s[2048]; read s[(2*t)%2048] (stride 2)", stride_2},
    {"float4 s[1024]; read s[t]", read_float4},
    {"float4 s[1024]; write s[t]", write_float4},
    {"float2 s[1024]; read s[t]", read_float2},
    {"float2 s[1024]; write s[t]", write_float2},
    {"float s[32*36]; read 16 bytes at s[lane*36 + (w%8)*4]", padded_float4_column},
    {"float s[32*32]; read 16 bytes at s[lane*32 + (w%8)*4]", float4_column},
    {"float4 s[1024]; read s[t/8] (8 lanes share each 16 bytes)", eight_share},
    {"uint16 s[32*64]; read s[lane*64 + w] (a column of halves)", half_column},
    {"float4 s[lane/2] (i and i^1 share 16 bytes)", pairs_share},
    {"float4 s[(lane&1)|((lane>>2)<<1)] (i and i^2 share)", shape_0},
    {"float4 s[(lane&3)|((lane>>3)<<2)] (i and i^4 share)", shape_1},
    {"float4 s[lane%8]", shape_2},
    {"float4 s[lane%16]", shape_3},
    {"float4 s[lane/4]", shape_4},
    {"float4 s[lane%4]", shape_5},
    {"float4 s[0] (all lanes one address)", shape_6},
    {"float2 s[lane/2]", shape_7},
    {"float2 s[lane&15]", shape_8},
    {"float2 s[0]", shape_9},
    {"float4 s[(lane/4)*2]", shape_10},
    {"float4 s[(lane%4)*2]", shape_11},
    {"float4 s[(lane/2)*8] (pairs share, rows of 128 bytes)", shape_12},
    {"float4 s[(lane%16)*2]", shape_13},
    {"float2 s[lane*2]", shape_14},
    {"float4 s[lane*2]", shape_15},
    {"float4 s[31-lane]", shape_16},
    {"float2 s[(lane%16)*16 + lane/16]", shape_17},
    {"float g[t]", row},
    {"float g[32*t]", stride_32},
    {"float g[2*t]", global_stride_2},
    {"float g[t+1] (off by 4 bytes)", off_by_one},
    {"float4 g[t]", global_float4},
    {"uint16 g[t]", global_half},
    {"float g[w*1024] (one address a warp)", one_address},
};

// Instructions that stages 05 and up bring: by their cost alone.
struct AddressCase {
    const char *pattern;
    uint64_t (*address)(unsigned lane, unsigned warp); // in bytes
};

const AddressCase other_instructions[] = {
    {"half rows of 64 (128 B): row = lane%16, 16-byte chunk = lane/16",
     [](unsigned lane, unsigned) -> uint64_t { return lane % 16 * 128 + lane / 16 * 16; }},
    {"half rows padded to 72 (144 B), same lanes",
     [](unsigned lane, unsigned) -> uint64_t { return lane % 16 * 144 + lane / 16 * 16; }},
    {"half rows of 64, chunk ^= row & 7 (XOR swizzle)",
     [](unsigned lane, unsigned) -> uint64_t { return lane % 16 * 128 + ((lane / 16) ^ (lane % 16 & 7)) * 16; }},
    {"uint4 s[1024]; write s[t]", [](unsigned lane, unsigned warp) -> uint64_t { return (warp * 32 + lane) * 16; }},
    {"uint4 s[1024]; write s[lane*8 + w%8]",
     [](unsigned lane, unsigned warp) -> uint64_t { return (lane * 8 + warp % 8) * 16; }},
};

struct Row {
    std::string space, access, pattern;
    unsigned long requests, cost;
};

// A pattern with commas stands in quotes; nothing else is quoted.
std::vector<std::string> split(const std::string &line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

std::vector<Row> read_rows() {
    std::vector<Row> rows;
    FILE *file = fopen(BANK_CASES, "r");
    assert_non_null(file);
    char line[512];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || strncmp(line, "space,", 6) == 0)
            continue;
        line[strcspn(line, "\r\n")] = '\0';
        const std::vector<std::string> f = split(line);
        assert_int_equal(f.size(), 5);
        rows.push_back({f[0], f[1], f[2], std::stoul(f[3]), std::stoul(f[4])});
    }
    fclose(file);
    return rows;
}

struct Counted {
    unsigned long requests, cost;
};

Counted run(void (*kernel)(const void *, void *), bool shared, bool store) {
    Buffer<char> input(32 * 1024 * sizeof(float)), result(1024 * sizeof(float4));
    cpu_device_forget_counts();
    cpu_device_count_launches("case");
    kernel<<<1, 1024>>>(input.data, result.data);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    cpu_device_count_launches(nullptr);
    size_t count;
    const cpu_device_counts *counts = cpu_device_get_counts(&count);
    assert_int_equal(count, 1);
    Counted sum = {0, 0};
    for (size_t i = 0; i < counts->access_count; i++) {
        const cpu_device_access_counts &a = counts->accesses[i];
        if (a.space != (shared ? CPU_DEVICE_SHARED : CPU_DEVICE_GLOBAL) ||
            a.operation != (store ? CPU_DEVICE_STORE : CPU_DEVICE_LOAD))
            continue;
        sum.requests += a.requests;
        sum.cost += shared ? a.wavefronts : a.sectors;
    }
    return sum;
}

Counted compute(const AddressCase &c, bool ldmatrix) {
    Counted sum = {0, 0};
    for (unsigned warp = 0; warp < 32; warp++) {
        uint64_t addresses[32], sources[32]; // of a copy; one after the other
        for (unsigned lane = 0; lane < 32; lane++) {
            addresses[lane] = c.address(lane, warp);
            sources[lane] = 4096 + 16 * (warp * 32 + lane);
        }
        sum.requests++;
        sum.cost +=
            ldmatrix ? cost_ldmatrix(addresses, 4).wavefronts : cost_copy(addresses, sources, ~0u).shared.wavefronts;
    }
    return sum;
}

bool count(const Row &row, Counted *counted) {
    const bool simple = row.access == "ld" || row.access == "st";
    for (const Case &c : loads_and_stores)
        if (simple && row.pattern == c.pattern) {
            *counted = run(c.kernel, row.space == "shared", row.access == "st");
            return true;
        }
    for (const AddressCase &c : other_instructions)
        if (!simple && row.pattern == c.pattern) {
            *counted = compute(c, row.access == "ldmatrix.x4");
            return true;
        }
    return false;
}

void every_row_is_counted_as_on_the_card(void **) {
    unsigned wrong = 0;
    const std::vector<Row> rows = read_rows();
    assert_int_equal(rows.size(), 43);
    for (const Row &row : rows) {
        Counted counted = {0, 0};
        const bool known = count(row, &counted);
        if (known && counted.requests == row.requests && counted.cost == row.cost)
            continue;
        wrong++;
        print_error("%s %s, %s: %lu requests, %lu; on the card %lu, %lu%s\n", row.space.c_str(), row.access.c_str(),
                    row.pattern.c_str(), counted.requests, counted.cost, row.requests, row.cost,
                    known ? "" : " (no kernel here)");
    }
    assert_int_equal(wrong, 0);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_counted_as_on_the_card)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
