/* Filling, and sizes that pass 32 bits. */
#include "matrix.h"
#include "number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* needs the headers above */

static void bytes_pass_32_bits(void **state) {
    (void)state;
    assert_true(matrix_host_bytes(GEMM_F32, 65536, 65536) == 0x1p34);
    assert_true(matrix_device_bytes(GEMM_F32, 46352, 46352, 46352) == 46352.0 * 46352.0 * 4.0 + 2.0 * MATRIX_GUARD);
    assert_true(matrix_device_bytes(GEMM_F16, 2, 5, INT64_C(1) << 40) > 0x1p41);
}

static void normal_is_normal(void **state) {
    (void)state;
    matrix m;
    double sum = 0.0, square = 0.0;
    assert_int_equal(matrix_create(&m, GEMM_F32, 300, 1000, 1000), 0);
    matrix_fill(&m, INIT_NORMAL, 1, 'A');
    for (int64_t i = 0; i < 300000; i++) {
        const double x = (double)number_load(GEMM_F32, m.host, i);
        sum += x;
        square += x * x;
    }
    assert_true(fabs(sum / 300000.0) < 0.01 && fabs(square / 300000.0 - 1.0) < 0.02); /* five standard errors */
    matrix_destroy(&m);
}

static void seeds_and_matrices_differ(void **state) {
    (void)state;
    float first[3];
    const struct {
        uint64_t seed;
        char which;
    } streams[3] = {{1, 'A'}, {1, 'B'}, {2, 'A'}};
    for (int i = 0; i < 3; i++) {
        matrix m;
        assert_int_equal(matrix_create(&m, GEMM_F32, 4, 4, 4), 0);
        matrix_fill(&m, INIT_UNIFORM, streams[i].seed, streams[i].which);
        first[i] = number_load(GEMM_F32, m.host, 0);
        assert_true(first[i] >= -1.0f && first[i] < 1.0f);
        matrix_destroy(&m);
    }
    assert_true(first[0] != first[1] && first[0] != first[2] && first[1] != first[2]);
}

static void position_codes(void **state) {
    (void)state;
    matrix a, b;
    assert_int_equal(matrix_create(&a, GEMM_F16, 5, 256, 256), 0);
    assert_int_equal(matrix_create(&b, GEMM_F16, 256, 5, 5), 0);
    matrix_fill(&a, INIT_INDEX, 1, 'A');
    matrix_fill(&b, INIT_INDEX, 1, 'B');
    assert_true(number_load(GEMM_F16, a.host, 3 * 256 + 7) == (float)((3 * 256 + 7) % 251));
    assert_true(number_load(GEMM_F16, b.host, 100 * 5 + 4) == (float)((3 * 100 + 7 * 4) % 241));
    matrix_destroy(&a);
    matrix_destroy(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_pass_32_bits),
        cmocka_unit_test(normal_is_normal),
        cmocka_unit_test(seeds_and_matrices_differ),
        cmocka_unit_test(position_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
