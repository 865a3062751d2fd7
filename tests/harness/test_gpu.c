/* The peak table: dense figures, by type, and unknown stays unknown. */
#include "gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* needs the headers above */

static void known_chips(void **state) {
    (void)state;
    const gpu_peaks a100 = gpu_peaks_of("NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410);
    assert_true(a100.fp16_tensor == 312.0 && a100.fp32 == 19.5 && a100.tf32_tensor == 156.0);
    assert_true(isnan(a100.fp8_tensor)); /* no such unit, so no number */
    const gpu_peaks h200 = gpu_peaks_of("NVIDIA H200", 9, 0, 132, 1980);
    assert_true(h200.fp16_tensor == 989.4 && h200.fp8_tensor == 1978.9);
    assert_true(gpu_peaks_of("NVIDIA L40", 8, 9, 142, 2490).fp16_tensor == 181.0);
    assert_true(gpu_peaks_of("NVIDIA L40S", 8, 9, 142, 2520).fp16_tensor == 362.0);
    assert_true(gpu_peaks_of("NVIDIA L4", 8, 9, 58, 2040).fp16_tensor == 121.0);
    assert_true(gpu_peaks_of("Tesla V100-PCIE-16GB", 7, 0, 80, 1380).fp16_tensor == 112.0);
    assert_true(gpu_peaks_of("Tesla V100-SXM2-16GB", 7, 0, 80, 1530).fp16_tensor == 125.0);
    assert_true(gpu_peaks_of("NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 1545).fp16_tensor == 53.8);
    assert_true(gpu_peaks_of("Tesla T4", 7, 5, 40, 1590).fp16_tensor == 65.0);
}

static void unknown_chips(void **state) {
    (void)state;
    const gpu_peaks strange = gpu_peaks_of("NVIDIA Strange 9000", 42, 0, 100, 1000);
    assert_true(isnan(strange.fp32) && isnan(strange.fp16_tensor) && isnan(strange.fp8_tensor));
    /* A relative of a known chip is not that chip. */
    static const char *const relatives[] = {"NVIDIA GeForce RTX 3080 Ti",
                                            "NVIDIA GeForce RTX 4080 SUPER",
                                            "NVIDIA GeForce RTX 4090 D",
                                            "NVIDIA GeForce RTX 3080 Laptop GPU",
                                            "NVIDIA L40G",
                                            "NVIDIA A100X"};
    for (size_t i = 0; i < sizeof relatives / sizeof *relatives; i++)
        assert_true(isnan(gpu_peaks_of(relatives[i], 8, 9, 80, 2000).fp16_tensor));
    /* A known architecture gives FP32 by its cores and clock, as 128 x 80 x 2 x 2 GHz, and nothing else. */
    const gpu_peaks laptop = gpu_peaks_of("NVIDIA GeForce RTX 4099 Laptop GPU", 8, 9, 80, 2000);
    assert_true(fabs(laptop.fp32 - 40.96) < 1e-9 && isnan(laptop.fp16_tensor));
    assert_true(isnan(gpu_peaks_of("NVIDIA GeForce RTX 4099", 8, 9, 80, 0.0).fp32)); /* clock not reported */
    assert_true(isnan(gpu_peaks_of("NVIDIA GeForce RTX 4099", 8, 9, 80, (double)NAN).fp32));
}

static void units_and_types(void **state) {
    (void)state;
    const gpu_peaks p = {1.0, 2.0, 3.0, 4.0};
    assert_true(gpu_unit_peak(&p, GEMM_UNIT_FP32) == 1.0 && gpu_unit_peak(&p, GEMM_UNIT_FP8_TENSOR) == 4.0);
    assert_true(gpu_unit_peak(&p, GEMM_UNIT_TF32_TENSOR) == 2.0 && gpu_unit_peak(&p, GEMM_UNIT_FP16_TENSOR) == 3.0);
    assert_true(isnan(gpu_unit_peak(&p, GEMM_UNIT_HOST)));
    assert_true(gpu_top_peak(&p, GEMM_F32) == 1.0 && gpu_top_peak(&p, GEMM_TF32) == 2.0);
    assert_true(gpu_top_peak(&p, GEMM_F16) == 3.0 && gpu_top_peak(&p, GEMM_BF16) == 3.0);
    assert_true(gpu_top_peak(&p, GEMM_E4M3) == 4.0);
}

/* What a GPU cannot run is skipped with a sentence; what it can is not. */
static void what_a_gpu_lacks(void **state) {
    (void)state;
    char why[160];
    const gpu_info volta = {.major = 7, .minor = 0, .smem_bytes = 98304}, turing = {.major = 7, .minor = 5},
                   ampere = {.major = 8, .minor = 0, .smem_bytes = 166912}, hopper = {.major = 9, .smem_bytes = 232448},
                   cpu = {.is_cpu_device = 1, .smem_bytes = 232448};
    assert_null(gpu_lacks(&volta, GEMM_UNIT_FP32, GEMM_BF16, 98304, why, sizeof why));
    assert_string_equal(gpu_lacks(&volta, GEMM_UNIT_FP16_TENSOR, GEMM_F16, 0, why, sizeof why),
                        "needs sm_75 for f16 on tensor cores, this GPU is sm_70");
    assert_null(gpu_lacks(&turing, GEMM_UNIT_FP16_TENSOR, GEMM_F16, 1 << 20, why, sizeof why)); /* limit not known */
    assert_string_equal(gpu_lacks(&turing, GEMM_UNIT_FP16_TENSOR, GEMM_BF16, 0, why, sizeof why),
                        "needs sm_80 for bf16 on tensor cores, this GPU is sm_75");
    assert_string_equal(gpu_lacks(&turing, GEMM_UNIT_TF32_TENSOR, GEMM_TF32, 0, why, sizeof why),
                        "needs sm_80 for tf32 on tensor cores, this GPU is sm_75");
    assert_null(gpu_lacks(&ampere, GEMM_UNIT_FP16_TENSOR, GEMM_BF16, 166912, why, sizeof why));
    assert_null(gpu_lacks(&ampere, GEMM_UNIT_TF32_TENSOR, GEMM_TF32, 0, why, sizeof why));
    assert_string_equal(gpu_lacks(&ampere, GEMM_UNIT_FP16_TENSOR, GEMM_F16, 166913, why, sizeof why),
                        "needs 166913 bytes of shared memory a block, this GPU has 166912");
    assert_string_equal(gpu_lacks(&ampere, GEMM_UNIT_FP8_TENSOR, GEMM_E4M3, 0, why, sizeof why),
                        "needs sm_89 for e4m3 on tensor cores, this GPU is sm_80");
    assert_null(gpu_lacks(&hopper, GEMM_UNIT_FP8_TENSOR, GEMM_E5M2, 232448, why, sizeof why));
    assert_null(gpu_lacks(&cpu, GEMM_UNIT_FP8_TENSOR, GEMM_E4M3, 232448, why, sizeof why)); /* capability 0.0 */
    assert_non_null(gpu_lacks(&cpu, GEMM_UNIT_FP32, GEMM_F32, 300 << 10, why, sizeof why));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_chips),
        cmocka_unit_test(unknown_chips),
        cmocka_unit_test(units_and_types),
        cmocka_unit_test(what_a_gpu_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
