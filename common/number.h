/* Number formats on the host: names, sizes, limits and conversion of the element types. */
#ifndef NUMBER_H
#define NUMBER_H

#include "gemm.h"

/* "f32", "tf32", "f16", "bf16", "e4m3", "e5m2" */
const char *number_name(gemm_dtype dtype);

/* Returns 0 and the type, or -1 when no type has that name. */
int number_parse(const char *name, gemm_dtype *dtype);

/* Bytes of one element. */
size_t number_size(gemm_dtype dtype);

/* Largest relative rounding error of a normal result, half a unit in the last place: 2^-24 for f32, 2^-11 for f16. */
double number_unit_roundoff(gemm_dtype dtype);

/* Largest finite value, and the smallest positive (subnormal) one. */
double number_max(gemm_dtype dtype);
double number_min_subnormal(gemm_dtype dtype);

/* IEEE 754 binary16 and binary32, round to nearest even; NaN stays NaN, overflow gives infinity. */
float number_half_to_float(uint16_t half);
uint16_t number_float_to_half(float value);

/* The same for bfloat16, the upper half of a binary32. */
float number_bfloat_to_float(uint16_t bfloat);
uint16_t number_float_to_bfloat(float value);

/* The float that is left when a tensor core reads only 10 bits of the fraction. A NaN must have one of those set. */
float number_truncate_to_tf32(float value);

/* Element `index` of an array. Storing rounds to nearest even. */
float number_load(gemm_dtype dtype, const void *array, int64_t index);
void number_store(gemm_dtype dtype, void *array, int64_t index, float value);

/* Elements first .. first+count-1 as doubles (exact). */
void number_load_row(gemm_dtype dtype, const void *array, int64_t first, int64_t count, double *out);

#endif
