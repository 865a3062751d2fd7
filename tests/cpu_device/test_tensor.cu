// The PTX wrappers of common/kernel/ptx.cuh on the CPU device: each fragment against the tables of the PTX ISA,
// products against plain loops, counts of ldmatrix against bank_cases.csv.
#include "cpu_device/checks.h"
#include "cpu_device/counters.h"
#include "kernel/ptx.cuh"
#include "kernel_test.h"

#include <mma.h>

#include <cmath>

enum { M = 16, N = 8, K = 16 };

// ---- ldmatrix ----

// Element (row, column) of matrix m is 1000 m + 10 row + column.
__global__ void load_matrices(uint32_t *out, int transposed) {
    __shared__ __align__(16) uint16_t s[4][8][8];
    const int lane = threadIdx.x;
    for (int e = lane; e < 256; e += 32)
        s[e / 64][e / 8 % 8][e % 8] = static_cast<uint16_t>(1000 * (e / 64) + 10 * (e / 8 % 8) + e % 8);
    __syncthreads();
    uint32_t r[4];
    if (transposed)
        ldmatrix_x4_trans(r, s[lane / 8][lane % 8]);
    else
        ldmatrix_x4(r, s[lane / 8][lane % 8]);
    for (int m = 0; m < 4; m++)
        out[lane * 4 + m] = r[m];
}

static void matrices_are_dealt_out(void **) {
    in_both_orders([] {
        for (int transposed = 0; transposed < 2; transposed++) {
            Buffer<uint32_t> out(128);
            load_matrices<<<1, 32>>>(out.data, transposed);
            expect_success();
            for (unsigned lane = 0; lane < 32; lane++)
                for (unsigned m = 0; m < 4; m++) {
                    const unsigned g = lane / 4, t = lane % 4;
                    const unsigned low = 1000 * m + (transposed ? 10 * 2 * t + g : 10 * g + 2 * t);
                    assert_int_equal(out[lane * 4 + m], low | (low + (transposed ? 10 : 1)) << 16);
                }
        }
    });
}

// ---- mma ----

enum kind { HALF, BFLOAT16, TF32, HALF_SUMS };

// What a type can hold: small multiples of powers of two, different for every place.
static float a_element(int row, int k) { return static_cast<float>((row * 7 + k * 3) % 31 - 15) * 0.25f; }
static float b_element(int k, int column) { return static_cast<float>((k * 5 + column * 11) % 29 - 14) * 0.5f; }
static float c_element(int row, int column) { return static_cast<float>((row * 3 + column) % 17 - 8); }

static uint32_t half_bits(float x) {
    const __half h = __float2half(x);
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

static uint32_t float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t word_of(kind type, float low, float high) {
    if (type == TF32)
        return float_bits(low);
    if (type == BFLOAT16)
        return __float2bfloat16(low).bits | static_cast<uint32_t>(__float2bfloat16(high).bits) << 16;
    return half_bits(low) | half_bits(high) << 16;
}

// One warp, with its fragments ready in memory: a[lane][4], b[lane][2], c[lane][4].
__global__ void multiply(int type, const uint32_t *a_words, const uint32_t *b_words, float *c) {
    const int lane = threadIdx.x;
    uint32_t a[4], b[2];
    float d[4];
    for (int i = 0; i < 4; i++)
        a[i] = a_words[lane * 4 + i], d[i] = c[lane * 4 + i];
    for (int i = 0; i < 2; i++)
        b[i] = b_words[lane * 2 + i];
    if (type == HALF) {
        mma_16x8x16(d, a, b, __half());
    } else if (type == BFLOAT16) {
        mma_16x8x16(d, a, b, __nv_bfloat16());
    } else if (type == TF32) {
        mma_16x8x8_tf32(d, a, b);
    } else {
        // What WMMA stands on (mma.h): rows g and g + 8, two sums to a word.
        __half2 sums[2] = {__floats2half2_rn(d[0], d[1]), __floats2half2_rn(d[2], d[3])};
        uint64_t words;
        memcpy(&words, sums, 8);
        words = cpu_device_mma_half(words, {{a[0], a[1], a[2], a[3]}}, b[0], b[1], 16);
        memcpy(static_cast<void *>(sums), &words, 8);
        for (int i = 0; i < 2; i++)
            d[2 * i] = __low2float(sums[i]), d[2 * i + 1] = __high2float(sums[i]);
    }
    for (int i = 0; i < 4; i++)
        c[lane * 4 + i] = d[i];
}

// The tables of the PTX ISA: "Matrix fragments for mma.m16n8k16 with floating point type" and "... for mma.m16n8k8"
// (.tf32).
static void expect_product(kind type) {
    Buffer<uint32_t> a(128), b(64);
    Buffer<float> c(128);
    const int depth = type == TF32 ? 8 : 16;
    for (int lane = 0; lane < 32; lane++) {
        const int g = lane / 4, t = lane % 4;
        for (int i = 0; i < 4; i++) {
            const int row = g + i % 2 * 8, k = type == TF32 ? t + i / 2 * 4 : 2 * t + i / 2 * 8;
            a[static_cast<size_t>(lane * 4 + i)] = word_of(type, a_element(row, k), a_element(row, k + 1));
            c[static_cast<size_t>(lane * 4 + i)] = c_element(g + i / 2 * 8, 2 * t + i % 2);
        }
        for (int i = 0; i < 2; i++) {
            const int k = type == TF32 ? t + i * 4 : 2 * t + i * 8;
            b[static_cast<size_t>(lane * 2 + i)] = word_of(type, b_element(k, g), b_element(k + 1, g));
        }
    }
    multiply<<<1, 32>>>(type, a.data, b.data, c.data);
    expect_success();
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 4; i++) {
            const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            float want = c_element(row, column);
            for (int k = 0; k < depth; k++)
                want += a_element(row, k) * b_element(k, column); // exact: multiples of 1/8 below 2^11
            const float got = c[static_cast<size_t>(lane * 4 + i)];
            if (type == HALF_SUMS)
                want = __half2float(__float2half(want));
            if (got != want)
                fail_msg("type %d, d[%d][%d] is %g, not %g", type, row, column, static_cast<double>(got),
                         static_cast<double>(want));
        }
}

static void products_are_right(void **) {
    in_both_orders([] {
        for (kind type : {HALF, BFLOAT16, TF32, HALF_SUMS})
            expect_product(type);
    });
}

// Only a[0][0] and b[0][0] matter. Returns the bits of d[0][0].
static uint32_t scalar_product(kind type, uint32_t a_word, uint32_t b_word, float c_value) {
    Buffer<uint32_t> a(128), b(64);
    Buffer<float> c(128);
    cudaMemset(a.data, 0, 128 * sizeof(uint32_t));
    cudaMemset(b.data, 0, 64 * sizeof(uint32_t));
    cudaMemset(c.data, 0, 128 * sizeof(float));
    a[0] = a_word, b[0] = b_word, c[0] = c_value;
    multiply<<<1, 32>>>(type, a.data, b.data, c.data);
    expect_success();
    return float_bits(c[0]);
}

static void special_numbers_pass(void **) {
    // Subnormal halves are numbers: 2^-24 times 1024, and the largest one.
    assert_int_equal(scalar_product(HALF, 0x0001, half_bits(1024), 0), float_bits(0x1p-14f));
    assert_int_equal(scalar_product(HALF, 0x83ff, half_bits(1), 0), float_bits(-0x3ffp-24f));
    assert_int_equal(scalar_product(HALF, 0x7c00, half_bits(-2), 0), float_bits(-INFINITY));
    assert_true(std::isnan(__half2float(__half()) + [] {
        const uint32_t bits = scalar_product(HALF, 0x7c00, 0, 0);
        float value;
        memcpy(&value, &bits, 4);
        return value;
    }()));
    // TF32 ignores the low 13 bits.
    assert_int_equal(scalar_product(TF32, 0x3f801fff, float_bits(1), 0), float_bits(1));
    assert_int_equal(scalar_product(TF32, 0x3f803fff, float_bits(1), 0), 0x3f802000);
    assert_int_equal(scalar_product(BFLOAT16, 0x7f7f, 0x3f80, 0), 0x7f7f0000);
    // Sums in half: 2048 + 1 is 2048 (to even), 2050 + 1 is 2052, past 65504 is infinity, 2^-24 stays.
    assert_int_equal(scalar_product(HALF_SUMS, half_bits(1), half_bits(1), 2048), float_bits(2048));
    assert_int_equal(scalar_product(HALF_SUMS, half_bits(1), half_bits(1), 2050), float_bits(2052));
    assert_int_equal(scalar_product(HALF_SUMS, half_bits(256), half_bits(255), 0), float_bits(65280));
    assert_int_equal(scalar_product(HALF_SUMS, half_bits(256), half_bits(256), 0), float_bits(INFINITY));
    assert_int_equal(scalar_product(HALF_SUMS, 0x0001, half_bits(1), 0), float_bits(0x1p-24f));
    assert_int_equal(scalar_product(HALF_SUMS, 0x0001, half_bits(0.5f), 0), 0); // a tie goes to even
}

// ---- WMMA ----

namespace wmma = nvcuda::wmma;

template <class T, class Sum, class LayoutA, class LayoutB>
__global__ void multiply_pieces(const T *a, const T *b, const Sum *c, Sum *d, wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, LayoutA> a_piece;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, LayoutB> b_piece;
    wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sums;
    wmma::load_matrix_sync(a_piece, a, 24);
    wmma::load_matrix_sync(b_piece, b, 24);
    wmma::load_matrix_sync(sums, c, 24, layout);
    wmma::mma_sync(sums, a_piece, b_piece, sums);
    for (int i = 0; i < sums.num_elements; i++)
        sums.x[i] = sums.x[i] + sums.x[i];
    wmma::store_matrix_sync(d, sums, 24, layout);
}

static __half to_type(float x, __half) { return __float2half(x); }
static __nv_bfloat16 to_type(float x, __nv_bfloat16) { return __float2bfloat16(x); }
static float to_type(float x, float) { return x; }
static float number(float x) { return x; }
static float number(__half x) { return __half2float(x); }

// d = 2 (a b + c); rows, or columns, lie 24 apart.
template <class T, class Sum, class LayoutA, class LayoutB> static void expect_pieces(wmma::layout_t layout) {
    const bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>,
               c_rows = layout == wmma::mem_row_major;
    Buffer<T> a(16 * 24), b(16 * 24);
    Buffer<Sum> c(16 * 24), d(16 * 24);
    const auto at = [](int row, int column, bool rows) {
        return static_cast<size_t>(rows ? row * 24 + column : column * 24 + row);
    };
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            a[at(row, column, a_rows)] = to_type(a_element(row, column), T());
            b[at(row, column, b_rows)] = to_type(b_element(row, column), T());
            c[at(row, column, c_rows)] = to_type(c_element(row, column), Sum());
        }
    multiply_pieces<T, Sum, LayoutA, LayoutB><<<1, dim3(8, 4)>>>(a.data, b.data, c.data, d.data, layout);
    expect_success();
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            float want = c_element(row, column);
            for (int k = 0; k < 16; k++)
                want += a_element(row, k) * b_element(k, column);
            want = 2 * number(to_type(want, Sum()));
            const float got = number(d[at(row, column, c_rows)]);
            if (got != want)
                fail_msg("d[%d][%d] is %g, not %g", row, column, static_cast<double>(got), static_cast<double>(want));
        }
}

static void pieces_are_multiplied(void **) {
    in_both_orders([] {
        expect_pieces<__half, float, wmma::row_major, wmma::row_major>(wmma::mem_row_major);
        expect_pieces<__half, float, wmma::col_major, wmma::row_major>(wmma::mem_col_major);
        expect_pieces<__half, float, wmma::row_major, wmma::col_major>(wmma::mem_row_major);
        expect_pieces<__nv_bfloat16, float, wmma::row_major, wmma::row_major>(wmma::mem_row_major);
        expect_pieces<__half, __half, wmma::row_major, wmma::row_major>(wmma::mem_col_major);
    });
}

// ---- cp.async ----

// Four pieces of 16 bytes a lane, a group each. Returns what is there after a wait that leaves `newest` groups on their
// way.
template <int NEWEST> __global__ void copy_pieces(const float *in, float *out) {
    __shared__ __align__(16) float s[4][32][4];
    const int lane = threadIdx.x;
    for (int group = 0; group < 4; group++)
        for (int i = 0; i < 4; i++)
            s[group][lane][i] = -1;
    for (int group = 0; group < 4; group++) {
        cp_async_16(s[group][lane], &in[(group * 32 + lane) * 4]);
        cp_async_commit();
    }
    cp_async_wait<NEWEST>();
    for (int group = 0; group < 4; group++)
        for (int i = 0; i < 4; i++)
            out[(group * 32 + lane) * 4 + i] = s[group][lane][i];
}

template <int NEWEST> static void expect_arrived() {
    Buffer<float> in(512), out(512);
    for (size_t i = 0; i < 512; i++)
        in[i] = static_cast<float>(i);
    copy_pieces<NEWEST><<<1, 32>>>(in.data, out.data);
    expect_success();
    for (size_t i = 0; i < 512; i++)
        assert_true(out[i] == (i / 128 < 4 - NEWEST ? static_cast<float>(i) : -1.0f));
}

static void copies_arrive_at_the_wait(void **) {
    in_both_orders([] {
        expect_arrived<0>();
        expect_arrived<1>();
        expect_arrived<3>();
    });
}

__global__ void copy_without_commit(const float *in, float *out) {
    __shared__ __align__(16) float s[4];
    s[0] = -1;
    cp_async_16(s, in);
    cp_async_wait<0>();
    out[0] = s[0];
    cp_async_commit();
    cp_async_wait<0>();
    out[1] = s[0];
}

static void an_open_group_is_not_waited_for(void **) {
    Buffer<float> in(4), out(2);
    in[0] = 5;
    copy_without_commit<<<1, 1>>>(in.data, out.data);
    expect_success();
    assert_true(out[0] == -1 && out[1] == 5);
}

// ---- What is counted ----

// mode 0: rows of 128 bytes; 1: padded to 144; 2: chunks permuted by XOR. As in bank_cases.csv.
__global__ void load_rows(uint32_t *out, int mode) {
    __shared__ __align__(128) uint16_t s[16 * 72];
    const int lane = threadIdx.x, row = lane % 16, chunk = lane / 16;
    for (int e = lane; e < 16 * 72; e += 32)
        s[e] = 1;
    __syncthreads();
    const int pitch = mode == 1 ? 72 : 64;
    uint32_t r[4];
    ldmatrix_x4(r, &s[row * pitch + (mode == 2 ? chunk ^ (row & 7) : chunk) * 8]);
    out[lane] = r[0] + r[1] + r[2] + r[3];
}

static const cpu_device_access_counts *of_kind(const cpu_device_counts &counts, cpu_device_space space,
                                               cpu_device_operation operation) {
    const cpu_device_access_counts *found = nullptr;
    for (size_t i = 0; i < counts.access_count; i++)
        if (counts.accesses[i].space == space && counts.accesses[i].operation == operation)
            found = &counts.accesses[i];
    return found;
}

static void wavefronts_are_counted(void **) {
    const unsigned wavefronts[] = {32, 4, 4}; // 1024 and 128 for 32 requests
    for (int mode = 0; mode < 3; mode++) {
        Buffer<uint32_t> out(32);
        cpu_device_count_launches("rows");
        load_rows<<<1, 32>>>(out.data, mode);
        cpu_device_count_launches(nullptr);
        expect_success();
        size_t count;
        const cpu_device_counts *counts = cpu_device_get_counts(&count);
        assert_int_equal(count, 1);
        const cpu_device_access_counts *loads = of_kind(counts[0], CPU_DEVICE_SHARED, CPU_DEVICE_LOAD);
        assert_non_null(loads);
        assert_int_equal(loads->requests, 1);
        assert_int_equal(loads->wavefronts, wavefronts[mode]);
        assert_int_equal(loads->conflict_free, 4);
        assert_int_equal(loads->bytes, 512);
        assert_int_equal(loads->matrix_requests, 1);
        assert_int_equal(loads->matrix_wavefronts, wavefronts[mode]);
        cpu_device_forget_counts();
    }
}

// Four rows of 128 bytes, `pitch` chunks of 16 bytes apart in shared memory, XORed or not, 1 KiB apart in global
// memory. Lanes from `lanes` on take another way, to the same instruction; the rows' chunks from `columns` on become
// zeros.
__global__ void copy_rows(const float4 *in, float *out, int pitch, bool xored, int lanes, int columns) {
    __shared__ __align__(128) float4 s[4 * 12];
    const int lane = threadIdx.x, row = lane / 8, column = lane % 8;
    float4 *const to = &s[row * pitch + (xored ? column ^ (row & 7) : column)];
    const float4 *const from = &in[row * 64 + column];
    if (lane >= lanes)
        out[lane] = in[lane].x;
    cpu_device_cp_async(to, from, 16, column < columns ? 16 : 0);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    if (lane == 0)
        out[32] = s[0].x;
}

static void expect_copies(int pitch, bool xored, int lanes, int columns, uint64_t wavefronts, uint64_t sectors,
                          uint64_t l2_sectors) {
    Buffer<float4> in(256);
    Buffer<float> out(33);
    cudaMemset(in.data, 0, 4096);
    cpu_device_forget_counts();
    cpu_device_count_launches("copies");
    copy_rows<<<1, 32>>>(in.data, out.data, pitch, xored, lanes, columns);
    cpu_device_count_launches(nullptr);
    expect_success();
    size_t count;
    const cpu_device_counts &counts = *cpu_device_get_counts(&count);
    const cpu_device_access_counts *to = of_kind(counts, CPU_DEVICE_SHARED, CPU_DEVICE_ASYNC);
    uint64_t requests = 0, counted = 0, counted_l2 = 0, bytes = 0;
    for (size_t i = 0; i < counts.access_count; i++) {
        const cpu_device_access_counts &a = counts.accesses[i];
        if (a.space != CPU_DEVICE_GLOBAL || a.operation != CPU_DEVICE_LOAD || a.l2_sectors == 0)
            continue;
        assert_int_equal(a.cache_lines, 0);
        requests += a.requests, counted += a.sectors, counted_l2 += a.l2_sectors, bytes += a.bytes;
    }
    assert_int_equal(to->requests, 1);
    assert_int_equal(to->lanes, 32);
    assert_int_equal(to->wavefronts, wavefronts);
    assert_int_equal(to->conflict_free, columns == 8 ? 4 : 2 + 4); // filling with zeros is a store of the warp
    assert_int_equal(requests, 1);
    assert_int_equal(bytes, columns * 4 * 16);
    assert_int_equal(counted, sectors);
    assert_int_equal(counted_l2, l2_sectors);
    // A block's own sectors are those of other accesses: out[32]; and in[5] to in[31], out[5] to out[31].
    assert_int_equal(counts.block_sectors, lanes == 32 ? 1 : 1 + 14 + 4);
    assert_int_equal(counts.launch_sectors, lanes == 32 ? columns * 2 + 1 : columns == 8 ? 16 + 1 + 12 + 4 : 27);
    cpu_device_forget_counts();
}

static void copies_are_counted(void **) {
    in_both_orders([] {
        expect_copies(8, false, 32, 8, 4, 16, 16);
        expect_copies(8, true, 32, 8, 4, 16, 16);
        expect_copies(9, false, 32, 8, 1 + 3 + 2 + 4, 18, 24);
        expect_copies(10, false, 32, 8, 7, 16, 16);
        expect_copies(9, false, 5, 8, 10, 18, 24); // a warp that has to be put together
        expect_copies(8, false, 32, 4, 8, 8, 8);   // zeros come from nowhere
        expect_copies(9, false, 5, 4, 1 + 2 + 1 + 2 + 4, 10, 12);
    });
}

// Through L1, which only copies of 4 and 8 bytes go here, they are accesses like others. Shifted by a lane.
__global__ void copy_small(const float *in, float *out, unsigned size) {
    __shared__ __align__(128) char s[33 * 8];
    const int lane = threadIdx.x;
    cpu_device_cp_async(s + (lane + 1) * size, reinterpret_cast<const char *>(in) + lane * size, size, size);
    cp_async_commit();
    cp_async_wait<0>();
    out[lane] = 0;
}

static void copies_through_l1_are_counted(void **) {
    for (unsigned size = 4; size <= 8; size *= 2) {
        Buffer<float> in(64), out(32);
        cpu_device_forget_counts();
        cpu_device_count_launches("copies");
        copy_small<<<1, 32>>>(in.data, out.data, size);
        cpu_device_count_launches(nullptr);
        expect_success();
        size_t count;
        const cpu_device_counts &counts = *cpu_device_get_counts(&count);
        const cpu_device_access_counts *to = of_kind(counts, CPU_DEVICE_SHARED, CPU_DEVICE_ASYNC);
        const cpu_device_access_counts *from = of_kind(counts, CPU_DEVICE_GLOBAL, CPU_DEVICE_LOAD);
        assert_int_equal(to->wavefronts, size / 4);
        assert_int_equal(from->sectors, size);
        assert_int_equal(from->l2_sectors, 0);
        assert_int_equal(counts.block_sectors, size + 4);
        cpu_device_forget_counts();
    }
}

// More of them than a lane's log holds between two barriers, after one other access: where it ends, a copy would be
// cut.
__global__ void copy_often(const float4 *in, float *out) {
    __shared__ __align__(128) float4 s[4 * 9];
    const int lane = threadIdx.x, row = lane / 8, column = lane % 8;
    out[lane] = 0;
    for (int i = 0; i < 40000; i++) {
        cp_async_16(&s[row * 9 + column], &in[row * 64 + column]);
        cp_async_commit();
        cp_async_wait<0>();
    }
}

static void many_copies_are_counted(void **) {
    Buffer<float4> in(256);
    Buffer<float> out(32);
    cpu_device_forget_counts();
    cpu_device_count_launches("copies");
    copy_often<<<1, 32>>>(in.data, out.data);
    cpu_device_count_launches(nullptr);
    expect_success();
    size_t count;
    const cpu_device_access_counts *loads = of_kind(*cpu_device_get_counts(&count), CPU_DEVICE_GLOBAL, CPU_DEVICE_LOAD);
    assert_int_equal(loads->requests, 40000);
    assert_int_equal(loads->sectors, 40000 * 18);
    assert_int_equal(loads->l2_sectors, 40000 * 24);
    cpu_device_forget_counts();
}

static void operations_are_counted(void **) {
    Buffer<uint32_t> a(128), b(64);
    Buffer<float> c(128);
    cudaMemset(a.data, 0, 512), cudaMemset(b.data, 0, 256), cudaMemset(c.data, 0, 512);
    const uint64_t want[] = {4096, 4096, 2048, 4096};
    for (int type = HALF; type <= HALF_SUMS; type++) {
        cpu_device_count_launches("mma");
        multiply<<<1, 32>>>(type, a.data, b.data, c.data);
        cpu_device_count_launches(nullptr);
        size_t count;
        const cpu_device_counts &counts = cpu_device_get_counts(&count)[0];
        assert_int_equal(counts.tensor_flops, want[type]);
        const cpu_device_access_counts *line = of_kind(counts, CPU_DEVICE_TENSOR, CPU_DEVICE_LOAD);
        assert_non_null(line);
        assert_int_equal(line->requests, 1);
        assert_int_equal(line->tensor_flops, want[type]);
        assert_string_equal(line->file, "test_tensor.cu");
        cpu_device_forget_counts();
    }
}

// ---- What is checked ----

__global__ void load_too_early(uint32_t *out) {
    __shared__ __align__(16) uint16_t s[32][8];
    const int lane = threadIdx.x;
    for (int i = 0; i < 8; i++)
        s[lane][i] = 1;
    uint32_t r[4];
    ldmatrix_x4(r, s[31 - lane]);
    out[lane] = r[0];
}

__global__ void load_off_by_two_bytes(uint32_t *out) {
    __shared__ __align__(16) uint16_t s[33 * 8];
    const int lane = threadIdx.x;
    for (int i = lane; i < 33 * 8; i += 32)
        s[i] = 1;
    __syncthreads();
    uint32_t r[4];
    ldmatrix_x4(r, &s[lane * 8 + 1]);
    out[lane] = r[0];
}

static void expect_finding(const char *kind, void (*kernel)(uint32_t *)) {
    Buffer<uint32_t> out(256);
    cpu_device_check_launches("");
    kernel<<<1, 32>>>(out.data);
    cpu_device_check_launches(nullptr);
    cudaGetLastError();
    size_t count;
    const cpu_device_finding *findings = cpu_device_get_findings(&count);
    assert_int_equal(count, 1);
    assert_string_equal(findings[0].kind, kind);
    cpu_device_forget_findings();
}

// mistake 0: none; 1: no wait; 2: no barrier after the wait; 3: a copy into what others still read.
__global__ void stage_by_copies(uint32_t *out, const uint32_t *in, int mistake) {
    __shared__ __align__(16) uint32_t s[2][64][4];
    const int t = threadIdx.x;
    cp_async_16(s[0][t], &in[t * 4]);
    cp_async_commit();
    if (mistake != 1)
        cp_async_wait<0>();
    if (mistake != 2)
        __syncthreads();
    uint32_t sum = s[0][63 - t][0];
    cp_async_16(s[mistake != 3][t], &in[t * 4]);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    sum += s[mistake != 3][63 - t][1];
    out[t] = sum;
}

static void expect_copy_finding(const char *kind, int mistake) {
    Buffer<uint32_t> in(256), out(64);
    cpu_device_check_launches("");
    stage_by_copies<<<1, 64>>>(out.data, in.data, mistake);
    cpu_device_check_launches(nullptr);
    expect_success();
    size_t count;
    const cpu_device_finding *findings = cpu_device_get_findings(&count);
    assert_int_equal(count, kind ? 1 : 0);
    if (kind && strcmp(findings[0].kind, kind) != 0)
        fail_msg("mistake %d: %s: %s", mistake, findings[0].kind, findings[0].text);
    cpu_device_forget_findings();
}

// No wait at all: neither a barrier nor being the thread that asked helps.
__global__ void never_waits(uint32_t *out) {
    __shared__ __align__(16) uint32_t s[32][4];
    const int t = threadIdx.x;
    cp_async_16(s[t], &out[128 + t * 4]);
    cp_async_commit();
    __syncthreads();
    out[t] = s[31 - t][0];
}

__global__ void looks_before_it_waits(uint32_t *out) {
    __shared__ __align__(16) uint32_t s[32][4];
    const int t = threadIdx.x;
    cp_async_16(s[t], &out[128 + t * 4]);
    cp_async_commit();
    out[t] = s[t][0];
    cp_async_wait<0>();
}

static void missing_waits_are_found(void **) {
    in_both_orders([] {
        expect_copy_finding(nullptr, 0);
        expect_copy_finding("missing-wait", 1);
        expect_finding("missing-wait", never_waits);
        expect_finding("missing-wait", looks_before_it_waits);
        expect_copy_finding("race", 2);
        expect_copy_finding("race", 3);
    });
}

// The loop of a pipeline: tiles of 64 x 16 bytes, STAGES - 1 of them ahead. WAIT is right with STAGES - 2.
template <int STAGES, int WAIT> __global__ void pipeline(uint32_t *out, const uint32_t *in, int tiles) {
    __shared__ __align__(16) uint32_t ring[STAGES][64][4];
    const int t = threadIdx.x;
    uint32_t sum = 0;
    const auto ask = [&](int tile) {
        if (tile < tiles)
            cp_async_16(ring[tile % STAGES][t], &in[(tile * 64 + t) * 4]);
        cp_async_commit();
    };
    for (int tile = 0; tile < STAGES - 1; tile++)
        ask(tile);
    for (int tile = 0; tile < tiles; tile++) {
        cp_async_wait<WAIT>();
        __syncthreads();
        ask(tile + STAGES - 1);
        sum += ring[tile % STAGES][63 - t][t % 4];
    }
    out[t] = sum;
}

template <int STAGES, int WAIT> static void expect_pipeline(int tiles, const char *kind) {
    Buffer<uint32_t> in(256 * 8), out(64);
    for (size_t i = 0; i < 256 * 8; i++)
        in[i] = static_cast<uint32_t>(i * i);
    cpu_device_check_launches("");
    pipeline<STAGES, WAIT><<<1, 64>>>(out.data, in.data, tiles);
    cpu_device_check_launches(nullptr);
    expect_success();
    size_t count;
    const cpu_device_finding *findings = cpu_device_get_findings(&count);
    if (count != (kind ? 1u : 0u) || (kind && strcmp(findings[0].kind, kind) != 0))
        fail_msg("%d stages, wait %d, %d tiles: %zu findings, %s", STAGES, WAIT, tiles, count,
                 count ? findings[0].text : "");
    cpu_device_forget_findings();
    for (size_t t = 0; t < 64 && !kind; t++) {
        uint32_t want = 0;
        for (size_t tile = 0; tile < static_cast<size_t>(tiles); tile++)
            want += in[(tile * 64 + 63 - t) * 4 + t % 4];
        assert_int_equal(out[t], want);
    }
}

static void pipelines_are_right_or_told(void **) {
    in_both_orders([] {
        for (int tiles = 0; tiles <= 8; tiles++) {
            expect_pipeline<2, 0>(tiles, nullptr);
            expect_pipeline<3, 1>(tiles, nullptr);
            expect_pipeline<4, 2>(tiles, nullptr);
        }
        expect_pipeline<3, 2>(8, "missing-wait");
        expect_pipeline<4, 3>(8, "missing-wait");
    });
}

__global__ void load_with_half_a_warp(uint32_t *out) {
    __shared__ __align__(16) uint16_t s[32][8];
    const int lane = threadIdx.x;
    for (int i = 0; i < 8; i++)
        s[lane][i] = 1;
    __syncthreads();
    if (lane >= 16)
        return;
    uint32_t r[4];
    ldmatrix_x4(r, s[lane]);
    out[lane] = r[0];
}

template <int PITCH, int OFFSET> __global__ void load_piece(uint32_t *out) {
    __shared__ __align__(32) __half s[16 * 32];
    for (int e = threadIdx.x; e < 16 * 32; e += 32)
        s[e] = __float2half(1);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::load_matrix_sync(a, s + OFFSET, PITCH);
    out[threadIdx.x] = static_cast<uint32_t>(__half2float(a.x[0]));
}

// Sums in half, filled from a float, added to in float.
__global__ void mix_sums(float *out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> halves;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> floats;
    wmma::fill_fragment(a, 0.5f);
    wmma::fill_fragment(b, __float2half(2));
    wmma::fill_fragment(halves, 3);
    wmma::mma_sync(floats, a, b, halves);
    wmma::mma_sync(halves, a, b, floats);
    out[threadIdx.x] = floats.x[7] + __half2float(halves.x[0]);
}

static void sums_of_two_types_mix(void **) {
    Buffer<float> out(32);
    mix_sums<<<1, 32>>>(out.data);
    expect_success();
    assert_true(out[31] == 19 + 35);
}

static void mistakes_are_found(void **) {
    expect_finding("race", load_too_early);
    expect_finding("misaligned", load_off_by_two_bytes);
    expect_finding("missing-lanes", load_with_half_a_warp);
    expect_finding("misaligned", load_piece<17, 0>);
    expect_finding("misaligned", load_piece<16, 8>);
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_dealt_out),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(special_numbers_pass),
        cmocka_unit_test(pieces_are_multiplied),
        cmocka_unit_test(sums_of_two_types_mix),
        cmocka_unit_test(wavefronts_are_counted),
        cmocka_unit_test(operations_are_counted),
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(copies_through_l1_are_counted),
        cmocka_unit_test(many_copies_are_counted),
        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(copies_arrive_at_the_wait),
        cmocka_unit_test(an_open_group_is_not_waited_for),
        cmocka_unit_test(missing_waits_are_found),
        cmocka_unit_test(pipelines_are_right_or_told),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
