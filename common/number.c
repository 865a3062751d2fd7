#include "number.h"

#include <assert.h>
#include <float.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    double unit_roundoff, max, min_subnormal;
} formats[GEMM_DTYPE_COUNT] = {
    [GEMM_F32] = {"f32", 4, 0x1p-24, FLT_MAX, 0x1p-149}, [GEMM_TF32] = {"tf32", 4, 0x1p-24, FLT_MAX, 0x1p-149},
    [GEMM_F16] = {"f16", 2, 0x1p-11, 65504.0, 0x1p-24},  [GEMM_BF16] = {"bf16", 2, 0x1p-8, 0x1.fep127, 0x1p-133},
    [GEMM_E4M3] = {"e4m3", 1, 0x1p-4, 448.0, 0x1p-9},    [GEMM_E5M2] = {"e5m2", 1, 0x1p-3, 57344.0, 0x1p-16},
};

const char *number_name(gemm_dtype dtype) { return formats[dtype].name; }
size_t number_size(gemm_dtype dtype) { return formats[dtype].size; }
double number_unit_roundoff(gemm_dtype dtype) { return formats[dtype].unit_roundoff; }
double number_max(gemm_dtype dtype) { return formats[dtype].max; }
double number_min_subnormal(gemm_dtype dtype) { return formats[dtype].min_subnormal; }

int number_parse(const char *name, gemm_dtype *dtype) {
    for (int i = 0; i < GEMM_DTYPE_COUNT; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *dtype = (gemm_dtype)i;
            return 0;
        }
    return -1;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float number_half_to_float(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) /* infinity or NaN: the exponent field becomes all ones */
        return from_bits(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    /* Shifted into place the exponent is 112 too small; multiplying by 2^112 mends normals and subnormals alike. */
    return from_bits(sign | bits_of(from_bits(magnitude << 13) * 0x1p112f));
}

uint16_t number_float_to_half(float value) {
    const uint32_t bits = bits_of(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) /* NaN, kept quiet */
        return (uint16_t)(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) {
        /* Below 2^-14 the result is a multiple of 2^-24: adding 0.5, whose last place is 2^-24, rounds to one. */
        const float shifted = from_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (bits_of(shifted) - bits_of(0.5f)));
    }
    /* Round half to even at bit 13, then move the exponent bias from 127 to 15. */
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (rounded - 0x38000000u) >> 13);
}

float number_bfloat_to_float(uint16_t bfloat) { return from_bits((uint32_t)bfloat << 16); }

uint16_t number_float_to_bfloat(float value) {
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) /* NaN, kept quiet */
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16); /* the largest carry into infinity, as they should */
}

float number_truncate_to_tf32(float value) { return from_bits(bits_of(value) & ~0x1fffu); }

/* The formats that arrays may hold so far. */
static void assert_has_storage(gemm_dtype dtype) {
    assert(dtype == GEMM_F32 || dtype == GEMM_TF32 || dtype == GEMM_F16 || dtype == GEMM_BF16);
    (void)dtype;
}

float number_load(gemm_dtype dtype, const void *array, int64_t index) {
    assert_has_storage(dtype);
    switch (dtype) {
    case GEMM_F16:
        return number_half_to_float(((const uint16_t *)array)[index]);
    case GEMM_BF16:
        return number_bfloat_to_float(((const uint16_t *)array)[index]);
    default:
        return ((const float *)array)[index];
    }
}

void number_store(gemm_dtype dtype, void *array, int64_t index, float value) {
    assert_has_storage(dtype);
    switch (dtype) {
    case GEMM_F16:
        ((uint16_t *)array)[index] = number_float_to_half(value);
        break;
    case GEMM_BF16:
        ((uint16_t *)array)[index] = number_float_to_bfloat(value);
        break;
    default:
        ((float *)array)[index] = value;
    }
}

void number_load_row(gemm_dtype dtype, const void *array, int64_t first, int64_t count, double *out) {
    assert_has_storage(dtype);
    if (dtype == GEMM_F16) {
        const uint16_t *row = (const uint16_t *)array + first;
        for (int64_t j = 0; j < count; j++)
            out[j] = (double)number_half_to_float(row[j]);
    } else if (dtype == GEMM_BF16) {
        const uint16_t *row = (const uint16_t *)array + first;
        for (int64_t j = 0; j < count; j++)
            out[j] = (double)number_bfloat_to_float(row[j]);
    } else {
        const float *row = (const float *)array + first;
        for (int64_t j = 0; j < count; j++)
            out[j] = (double)row[j];
    }
}
