// What the checks tell beyond kind and line, which tests/bugs looks at: how often, in which words, with which error.
#include "kernel_test.h"

#include "cpu_device/checks.h"

#include <cstdlib>

static int begin_checks(void **) {
    cpu_device_check_launches("");
    return 0;
}

static int end_checks(void **) {
    cpu_device_check_launches(nullptr);
    cpu_device_forget_findings();
    cudaGetLastError();
    return 0;
}

static const cpu_device_finding *only_finding() {
    size_t count;
    const cpu_device_finding *findings = cpu_device_get_findings(&count);
    assert_int_equal(count, 1);
    return findings;
}

__global__ void nothing() {}

static void a_refused_launch_is_counted_once(void **) {
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    nothing<<<1, 1, 300000>>>();
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    assert_string_equal(only_finding()->kind, "launch");
    assert_int_equal(only_finding()->count, 1);
    cudaDeviceReset();
}

// The first thread is outside every allocation, one of another warp misaligned.
__global__ void two_illegal_accesses(float *out) {
    if (threadIdx.x == 0)
        out[1 << 16] = 1.0f;
    if (threadIdx.x == 32)
        *reinterpret_cast<float2 *>(out + 1) = float2{1.0f, 2.0f};
}

static void the_error_does_not_depend_on_the_order(void **) {
    Buffer<float> out(4);
    in_both_orders([&] {
        two_illegal_accesses<<<1, 64>>>(out.data);
        assert_string_equal(cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaErrorIllegalAddress));
    });
}

__global__ void load_the_last_element(const float *from, float *to) { to[0] = from[2]; }

static void a_load_across_the_end_is_explained(void **) {
    Buffer<unsigned char> ten(10);
    Buffer<float> next(1);
    load_the_last_element<<<1, 1>>>(reinterpret_cast<const float *>(ten.data), next.data);
    assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    assert_non_null(strstr(only_finding()->text, "reads 4 bytes at line"));
    assert_non_null(strstr(only_finding()->text, "begin 2 bytes before the end of an allocation of 10 bytes."));
}

static void a_label_that_comes_again_has_findings_of_its_own(void **) {
    for (size_t run = 1; run <= 2; run++) {
        size_t count;
        cpu_device_check_launches("");
        nothing<<<0, 1>>>();
        nothing<<<0, 1>>>();
        const cpu_device_finding *findings = cpu_device_get_findings(&count);
        assert_int_equal(count, 2 * run); // a launch in another line is another one
        assert_int_equal(findings[count - 1].count, 1);
    }
}

// Thread 0 ends before it has written; what the others then miss is no finding of its own.
__global__ void end_early_then_read(const float *from, float *to) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = t == 0 ? from[1 << 16] : from[t];
    __syncthreads();
    to[t] = s[63 - t];
}

static void what_an_ended_thread_leaves_out_is_not_told(void **) {
    Buffer<float> from(64), to(64);
    in_both_orders([&] {
        end_early_then_read<<<1, 64>>>(from.data, to.data);
        cudaGetLastError();
    });
    assert_string_equal(only_finding()->kind, "out-of-bounds");
}

// As on a GPU, who waits hears of it; while launches are checked, once.
static void who_waits_hears_of_the_error(void **) {
    Buffer<float> from(64), to(64);
    cudaError_t (*const waits[])() = {cudaDeviceSynchronize, [] { return cudaStreamSynchronize(nullptr); }};
    for (const auto wait : waits) {
        end_early_then_read<<<1, 64>>>(from.data, to.data);
        assert_int_equal(wait(), cudaErrorIllegalAddress);
        assert_int_equal(wait(), cudaSuccess);
        assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
        nothing<<<1, 1>>>();
        assert_int_equal(wait(), cudaSuccess);
        float value;
        end_early_then_read<<<1, 64>>>(from.data, to.data);
        assert_int_equal(cudaMemcpy(&value, to.data, 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
        assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
    }
}

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_refused_launch_is_counted_once, begin_checks, end_checks),
        cmocka_unit_test_setup_teardown(the_error_does_not_depend_on_the_order, begin_checks, end_checks),
        cmocka_unit_test_setup_teardown(a_load_across_the_end_is_explained, begin_checks, end_checks),
        cmocka_unit_test_setup_teardown(a_label_that_comes_again_has_findings_of_its_own, begin_checks, end_checks),
        cmocka_unit_test_setup_teardown(what_an_ended_thread_leaves_out_is_not_told, begin_checks, end_checks),
        cmocka_unit_test_setup_teardown(who_waits_hears_of_the_error, begin_checks, end_checks),
    };
    return cmocka_run_group_tests_name("checks", tests, nullptr, nullptr);
}
