/* Half precision and bfloat16 against their definitions: all 65,536 codes, and the points where rounding decides. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h> /* needs the headers above */

/* The value of a code, from the definition in IEEE 754-2019, 3.4. */
static double defined_value(unsigned code) {
    const int exponent = (int)(code >> 10 & 31u);
    const double significand = code & 0x3ffu, sign = code & 0x8000u ? -1.0 : 1.0;
    if (exponent == 31)
        return significand != 0.0 ? (double)NAN : sign * INFINITY;
    return exponent == 0 ? sign * ldexp(significand, -24) : sign * ldexp(1024.0 + significand, exponent - 25);
}

static void every_code_decodes_and_returns(void **state) {
    (void)state;
    for (unsigned code = 0; code < 65536; code++) {
        const float value = number_half_to_float((uint16_t)code);
        const double expected = defined_value(code);
        if (isnan(expected)) {
            assert_true(isnan(value));
            assert_true(isnan(number_half_to_float(number_float_to_half(value))));
        } else {
            assert_true((double)value == expected && !signbit(value) == !signbit(expected));
            assert_int_equal(number_float_to_half(value), code);
        }
    }
}

/* Between two neighbours: the middle goes to the even one, and the floats beside the middle to the nearer. */
static void ties_go_to_even(void **state) {
    (void)state;
    for (unsigned code = 0; code < 0x7bffu; code++) {
        const float low = number_half_to_float((uint16_t)code), high = number_half_to_float((uint16_t)(code + 1));
        const float middle = (low + high) / 2.0f; /* exact in float */
        const unsigned even = code & 1u ? code + 1 : code;
        assert_int_equal(number_float_to_half(middle), even);
        assert_int_equal(number_float_to_half(nextafterf(middle, 0.0f)), code);
        assert_int_equal(number_float_to_half(nextafterf(middle, INFINITY)), code + 1);
        assert_int_equal(number_float_to_half(-middle), even | 0x8000u);
    }
}

static void the_ends(void **state) {
    (void)state;
    assert_int_equal(number_float_to_half(65504.0f), 0x7bff);
    assert_int_equal(number_float_to_half(nextafterf(65520.0f, 0.0f)), 0x7bff);
    assert_int_equal(number_float_to_half(65520.0f), 0x7c00);
    assert_int_equal(number_float_to_half(FLT_MAX), 0x7c00);
    assert_int_equal(number_float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(number_float_to_half(0x1p-24f), 0x0001);
    assert_int_equal(number_float_to_half(0x1p-25f), 0x0000);
    assert_int_equal(number_float_to_half(0x1.8p-25f), 0x0001);
    assert_int_equal(number_float_to_half(-0.0f), 0x8000);
    assert_true(isnan(number_half_to_float(number_float_to_half(NAN))));
}

/* bfloat16: 8 bits of exponent, 7 of fraction. */
static double defined_bfloat(unsigned code) {
    const int exponent = (int)(code >> 7 & 255u);
    const double significand = code & 0x7fu, sign = code & 0x8000u ? -1.0 : 1.0;
    if (exponent == 255)
        return significand != 0.0 ? (double)NAN : sign * INFINITY;
    return exponent == 0 ? sign * ldexp(significand, -133) : sign * ldexp(128.0 + significand, exponent - 134);
}

static void every_bfloat_decodes_and_returns(void **state) {
    (void)state;
    for (unsigned code = 0; code < 65536; code++) {
        const float value = number_bfloat_to_float((uint16_t)code);
        const double expected = defined_bfloat(code);
        if (isnan(expected)) {
            assert_true(isnan(value));
            assert_true(isnan(number_bfloat_to_float(number_float_to_bfloat(value))));
        } else {
            assert_true((double)value == expected && !signbit(value) == !signbit(expected));
            assert_int_equal(number_float_to_bfloat(value), code);
        }
    }
}

static void bfloat_ties_go_to_even(void **state) {
    (void)state;
    for (unsigned code = 0; code < 0x7f7fu; code++) {
        const double low = defined_bfloat(code), high = defined_bfloat(code + 1);
        const float middle = (float)((low + high) / 2.0); /* exact in float, subnormals included */
        const unsigned even = code & 1u ? code + 1 : code;
        assert_int_equal(number_float_to_bfloat(middle), even);
        assert_int_equal(number_float_to_bfloat(nextafterf(middle, 0.0f)), code);
        assert_int_equal(number_float_to_bfloat(nextafterf(middle, INFINITY)), code + 1);
        assert_int_equal(number_float_to_bfloat(-middle), even | 0x8000u);
    }
}

static void the_ends_of_bfloat(void **state) {
    (void)state;
    assert_int_equal(number_float_to_bfloat((float)number_max(GEMM_BF16)), 0x7f7f);
    assert_int_equal(number_float_to_bfloat(nextafterf(0x1.ffp127f, 0.0f)), 0x7f7f);
    assert_int_equal(number_float_to_bfloat(0x1.ffp127f), 0x7f80);
    assert_int_equal(number_float_to_bfloat(FLT_MAX), 0x7f80);
    assert_int_equal(number_float_to_bfloat(-INFINITY), 0xff80);
    assert_int_equal(number_float_to_bfloat((float)number_min_subnormal(GEMM_BF16)), 0x0001);
    assert_int_equal(number_float_to_bfloat(0x1p-134f), 0x0000);
    assert_int_equal(number_float_to_bfloat(0x1.8p-134f), 0x0001);
    assert_int_equal(number_float_to_bfloat(-0.0f), 0x8000);
    uint32_t low_payload = 0x7f800001; /* its upper half alone would be infinity */
    float value;
    memcpy(&value, &low_payload, sizeof value);
    assert_true(isnan(number_bfloat_to_float(number_float_to_bfloat(value))));
}

static void tf32_keeps_ten_bits(void **state) {
    (void)state;
    assert_true(number_truncate_to_tf32(0x1.004p0f) == 0x1.004p0f); /* 2^-10: the last bit that is kept */
    assert_true(number_truncate_to_tf32(0x1.003ffep0f) == 1.0f);
    assert_true(number_truncate_to_tf32(-0x1.7ffffep5f) == -0x1.7fcp5f);
    assert_true(number_truncate_to_tf32(2047.0f) == 2047.0f && number_truncate_to_tf32(2049.0f) == 2048.0f);
    assert_true(number_truncate_to_tf32(-INFINITY) == -INFINITY && isnan(number_truncate_to_tf32(NAN)));
}

/* What is stored comes back rounded once, whichever way it is read. */
static void storage(void **state) {
    (void)state;
    static const gemm_dtype dtypes[] = {GEMM_F32, GEMM_TF32, GEMM_F16, GEMM_BF16};
    static const double third[] = {0x1.555556p-2, 0x1.555556p-2, 0x1.554p-2, 0x1.56p-2};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        float array[3] = {0};
        double row[2];
        number_store(dtypes[i], array, 1, 1.0f / 3.0f);
        number_store(dtypes[i], array, 2, -INFINITY);
        assert_true((double)number_load(dtypes[i], array, 1) == third[i]);
        number_load_row(dtypes[i], array, 1, 2, row);
        assert_true(row[0] == third[i] && row[1] == -INFINITY);
    }
}

static void names(void **state) {
    (void)state;
    gemm_dtype dtype;
    assert_int_equal(number_parse("f16", &dtype), 0);
    assert_int_equal(dtype, GEMM_F16);
    assert_int_equal(number_parse("f64", &dtype), -1);
    for (int i = 0; i < GEMM_DTYPE_COUNT; i++) {
        assert_int_equal(number_parse(number_name((gemm_dtype)i), &dtype), 0);
        assert_int_equal(dtype, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_decodes_and_returns),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(the_ends),
        cmocka_unit_test(every_bfloat_decodes_and_returns),
        cmocka_unit_test(bfloat_ties_go_to_even),
        cmocka_unit_test(the_ends_of_bfloat),
        cmocka_unit_test(tf32_keeps_ten_bits),
        cmocka_unit_test(storage),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
