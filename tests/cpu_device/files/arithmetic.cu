// Intrinsics and overloads that come with CUDA C: bits, integers, rounding, mixed minima, cache hints, vectors, warps.
// expect: 0 wrong
#include <cstdio>
#include <cuda.h>
#include <cuda_fp16.h>
#include <math_constants.h>

__device__ int wrong;

#define EXPECT(condition)                                                                                              \
    if (!(condition)) {                                                                                                \
        printf("line %d: %s\n", __LINE__, #condition);                                                                 \
        atomicAdd(&wrong, 1);                                                                                          \
    }

__global__ void bits() {
    EXPECT(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    EXPECT(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clzll(1) == 63);
    EXPECT(__ffs(8) == 4 && __ffsll(0) == 0 && __brev(1u) == 0x80000000u && __brevll(2ull) == 1ull << 62);
    EXPECT(__byte_perm(0x33221100u, 0x77665544u, 0x7250u) == 0x77225500u);
    EXPECT(__byte_perm(0x000000ffu, 0, 0x8888u) == 0xffffffffu);
    EXPECT(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(0u, 1u, 4) == 0x10000000u);
    EXPECT(__funnelshift_lc(5u, 6u, 40) == 5u && __funnelshift_rc(5u, 6u, 40) == 6u);
    EXPECT(__hiloint2double(0x3ff00000, 0) == 1.0 && __double2hiint(-2.0) == (int)0xc0000000);
}

__global__ void integers() {
    EXPECT(__mul24(-3, 5) == -15 && __umul24(0x1000003u, 2u) == 6u);
    EXPECT(__mulhi(1 << 30, -8) == -2 && __umulhi(0x80000000u, 6u) == 3u);
    EXPECT(__mul64hi(1ll << 62, 8) == 2 && __umul64hi(1ull << 63, 4) == 2);
    EXPECT(__sad(-2, 3, 1) == 6 && __usad(3u, 5u, 1u) == 3u && __dp4a(0x01020304, 0x01010101, 5) == 15);
    EXPECT(min(-1, 5) == -1 && max(3u, 4u) == 4u && min(7, 5u) == 5u && max(-1, 1u) == 0xffffffffu);
    EXPECT(min(3ll, 4ll) == 3 && max(1ul, 2l) == 2 && abs(-3) == 3 && abs(-2.5f) == 2.5f && abs(-7ll) == 7);
}

__global__ void floats(float two) {
    EXPECT(max(two, 3.0) == 3.0 && fminf(two, CUDART_NAN_F) == two && isinf(CUDART_INF_F) && isnan(CUDART_NAN));
    EXPECT(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_ru(2.1f) == 3);
    EXPECT(__float2int_rd(-2.1f) == -3 && __double2int_rn(3.5) == 4 && __float2uint_rz(7.9f) == 7);
    EXPECT(rsqrtf(4 * two * two) == 0.25f && rsqrt(16.0) == 0.25 && __saturatef(two) == 1.0f);
    EXPECT(__fmaf_rn(two, 3.0f, 1.0f) == 7.0f && fma(2.0, 3.0, 1.0) == 7.0 && __fdividef(6.0f, two) == 3.0f);
    EXPECT(fabsf(__expf(1.0f) - 2.7182818f) < 1e-5f && fabsf(__powf(two, 10.0f) - 1024.0f) < 0.1f);
    EXPECT(fabsf(__sinf(CUDART_PI_F / 2) - 1.0f) < 1e-5f && fabsf(cospif(1.0f) + 1.0f) < 1e-6f);
    float sine, cosine;
    sincosf(0.0f, &sine, &cosine);
    EXPECT(sine == 0.0f && cosine == 1.0f && fabsf(normcdff(0.0f) - 0.5f) < 1e-6f);
    EXPECT(sqrt(two * 8) == 4.0f && pow(two, 3.0f) == 8.0f && exp2f(3.0f) == 8.0f && floor(-1.5f) == -2.0f);
}

__global__ void vectors(const float4 *in, float4 *out) {
    float4 v = __ldg(&in[0]);
    v.x += __ldcs(&in[1].x) + __ldcg(&in[1].y) + __ldca(&in[1].z);
    __stcs(&out[0], v);
    __stcg(&out[1].x, v.x);
    const int4 bits = *reinterpret_cast<const int4 *>(&in[1]);
    EXPECT(out[0].x == 19.0f && out[1].x == 19.0f && bits.x == __float_as_int(5.0f));
    double4 d = make_double4(1, 2, 3, 4);
    long2 l = make_long2(5, 6);
    uchar4 u = make_uchar4(1, 2, 3, 255);
    float3 three = {1.0f, 2.0f, 3.0f};
    longlong4 ll = make_longlong4(1, 2, 3, 4);
    EXPECT(d.w == 4.0 && l.y == 6 && u.w == 255 && three.z == 3.0f && ll.w == 4 && sizeof(float3) == 12);
}

__global__ void warps() {
    const int lane = threadIdx.x % warpSize;
    const unsigned all = 0xffffffff;
    EXPECT(__reduce_add_sync(all, lane) == 496 && __reduce_max_sync(all, lane) == 31);
    EXPECT(__reduce_or_sync(all, 1u << lane) == all && __reduce_min_sync(all, -lane) == -31);
    EXPECT(__match_any_sync(all, lane / 16) == (lane < 16 ? 0x0000ffffu : 0xffff0000u));
    int same = -1;
    EXPECT(__match_all_sync(all, 7, &same) == all && same == 1);
    EXPECT(__match_all_sync(all, lane, &same) == 0 && same == 0);
    EXPECT(__shfl_sync(all, lane == 3, 3) == true && __shfl_xor_sync(all, (short)lane, 1) == (lane ^ 1));
    EXPECT(__ballot_sync(all, lane < 4) == 15u && __any_sync(all, lane == 9) && !__all_sync(all, lane));
}

__global__ void atomics(int *cells, double *sum, half *h) {
    atomicSub(&cells[0], 1);
    atomicAdd_block(&cells[1], 2);
    atomicDec((unsigned *)&cells[2], 10u);
    atomicCAS(&cells[3], 0, (int)threadIdx.x + 1);
    atomicMax((long long *)&cells[4], (long long)threadIdx.x);
    atomicAdd(sum, 0.5);
    atomicAdd(h, __float2half(1.0f));
    unsigned long long *big = (unsigned long long *)&cells[6];
    atomicOr(big, 1ull << threadIdx.x);
    __threadfence_system();
}

int main() {
    float4 *v;
    int *cells;
    double *sum;
    half *h;
    cudaMallocManaged(&v, 4 * sizeof(float4));
    cudaMallocManaged(&cells, 16 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(double));
    cudaMallocManaged(&h, sizeof(half));
    for (int i = 0; i < 8; i++)
        (&v[0].x)[i] = (float)(i + 1);
    bits<<<1, 1>>>();
    integers<<<1, 1>>>();
    floats<<<1, 1>>>(2.0f);
    vectors<<<1, 1>>>(v, v + 2);
    warps<<<1, 64>>>();
    atomics<<<1, 64>>>(cells, sum, h);
    cudaDeviceSynchronize();
    int failures;
    cudaMemcpyFromSymbol(&failures, wrong, sizeof failures);
    failures += cells[0] != -64 || cells[1] != 128 || cells[2] != 2 || cells[3] < 1 || cells[3] > 64;
    failures += *(long long *)&cells[4] != 63 || *(long long *)&cells[6] != -1 || *sum != 32.0;
    failures += __half2float(*h) != 64.0f || CUDA_VERSION < 12000;
    printf("%d wrong\n", failures);
}
