/* The judge on trial: honest float arithmetic passes at every K, and each planted slip is caught. */
#include "matrix.h"
#include "number.h"
#include "verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* needs the headers above */

/* ---- a product computed in float, k by k, as a kernel would ---- */

typedef struct {
    matrix A, B, C;
    oracle reference;
    verify_arithmetic how;
} trial;

static void honest(const oracle_problem *p, void *C) {
    for (int64_t i = 0; i < p->M; i++)
        for (int64_t j = 0; j < p->N; j++) {
            float acc = 0.0f;
            for (int64_t k = 0; k < p->K; k++)
                acc += number_load(p->dtype, p->A, i * p->K + k) * number_load(p->dtype, p->B, k * p->N + j);
            number_store(p->dtype, C, i * p->N + j, (float)p->alpha * acc);
        }
}

/* How a unit that is not an FP32 core computes: an input as it reads it, and how many products it adds at once. */
typedef struct {
    float (*read)(float);
    int products;
    gemm_dtype sums;
} unit_model;

static float as_given(float x) { return x; }
static float rounded_to_bf16(float x) { return number_bfloat_to_float(number_float_to_bfloat(x)); }
static float rounded_to_tf32(float x) { /* to nearest, ties away: cvt.rna.tf32 */
    return number_truncate_to_tf32(x + (x - number_truncate_to_tf32(x)));
}

/* The place of the last of 24 bits of x. */
static double last_place(double x) { return x == 0.0 ? 0x1p-149 : ldexp(1.0, ilogb(x) - 23); }

/* A tensor core without guard bits: all terms cut to the last place of the largest, then the sum to a float. */
static double add_truncating(const double *terms, int count) {
    double largest = 0.0, total = 0.0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(terms[i]));
    for (int i = 0; i < count; i++)
        total += trunc(terms[i] / last_place(largest)) * last_place(largest);
    return trunc(total / last_place(total)) * last_place(total);
}

static void compute_on(unit_model unit, const oracle_problem *p, void *C) {
    double terms[17]; /* the products of one instruction, then the sum so far */
    for (int64_t at = 0; at < p->M * p->N; at++) {
        double *sum = &terms[unit.products];
        *sum = 0.0;
        for (int64_t k = 0; k < p->K; k += unit.products) {
            for (int64_t q = k; q < k + unit.products; q++)
                terms[q - k] = q >= p->K ? 0.0
                                         : (double)unit.read(number_load(p->dtype, p->A, at / p->N * p->K + q)) *
                                               (double)unit.read(number_load(p->dtype, p->B, q * p->N + at % p->N));
            *sum = add_truncating(terms, unit.products + 1);
            if (unit.sums == GEMM_F16)
                *sum = (double)number_half_to_float(number_float_to_half((float)*sum));
        }
        number_store(p->dtype, C, at, (float)(p->alpha * *sum));
    }
}

static void set_up(trial *t, gemm_dtype dtype, int64_t M, int64_t N, int64_t K, matrix_init init, oracle_mode mode) {
    assert_int_equal(matrix_create(&t->A, dtype, M, K, K), 0);
    assert_int_equal(matrix_create(&t->B, dtype, K, N, N), 0);
    assert_int_equal(matrix_create(&t->C, dtype, M, N, N), 0);
    matrix_fill(&t->A, init, 5, 'A');
    matrix_fill(&t->B, init, 5, 'B');
    const oracle_problem p = {dtype, M, N, K, 1.0, 0.0, t->A.host, t->B.host, NULL, 0, 0};
    assert_int_equal(oracle_create(&t->reference, &p, mode, 3), 0);
    honest(&p, t->C.host);
}

static void tear_down(trial *t) {
    matrix_destroy(&t->A);
    matrix_destroy(&t->B);
    matrix_destroy(&t->C);
    oracle_destroy(&t->reference);
}

static int passes(const trial *t) {
    verify_result r;
    verify(&t->reference, t->how, t->C.host, &r);
    assert_int_equal(r.pass, r.reason[0] == '\0');
    return r.pass;
}

/* ---- mutations: each changes C, must FAIL, and is undone ---- */

static double norm(const matrix *m, int64_t start, int64_t count, int64_t stride) {
    double square = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double x = (double)number_load(m->dtype, m->host, start + i * stride);
        square += x * x;
    }
    return sqrt(square);
}

/* One element off by 1 % of |a row| |b column|, wherever it stands. */
static void one_percent_fails(trial *t, int64_t row, int64_t col) {
    const int64_t K = t->A.cols, N = t->B.cols, at = row * N + col;
    const float right = number_load(t->C.dtype, t->C.host, at);
    const double slip = 0.01 * norm(&t->A, row * K, K, 1) * norm(&t->B, col, K, N);
    number_store(t->C.dtype, t->C.host, at, right + (float)slip);
    assert_false(passes(t));
    number_store(t->C.dtype, t->C.host, at, right);
}

static void every_mutation_fails(trial *t) {
    const int64_t M = t->A.rows, N = t->B.cols;
    const size_t bytes = (size_t)M * (size_t)N * number_size(t->C.dtype), row_bytes = bytes / (size_t)M;
    void *right = malloc(bytes);
    assert_non_null(right);
    memcpy(right, t->C.host, bytes);

    one_percent_fails(t, 0, 0);
    one_percent_fails(t, M / 2 + 1, N / 2 + 1);
    one_percent_fails(t, M - 1, N - 1);

    number_store(t->C.dtype, t->C.host, (M / 2 + 1) * N + N / 3, NAN);
    assert_false(passes(t));
    memcpy(t->C.host, right, bytes);

    number_store(t->C.dtype, t->C.host, (M / 2 + 1) * N + N / 3, INFINITY);
    assert_false(passes(t));
    memcpy(t->C.host, right, bytes);

    memset((char *)t->C.host + bytes - row_bytes, 0xff, row_bytes); /* the last row was never written */
    assert_false(passes(t));
    memcpy(t->C.host, right, bytes);

    memset(t->C.host, 0, bytes);
    assert_false(passes(t));

    memcpy(t->C.host, right, bytes);
    assert_true(passes(t));
    free(right);
}

static void at_every_depth(gemm_dtype dtype, oracle_mode mode, int64_t M) {
    static const int64_t depths[] = {64, 512, 8192, 65536};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        trial t;
        set_up(&t, dtype, M, 40, depths[i], INIT_NORMAL, mode);
        assert_int_equal(t.reference.full, mode == ORACLE_FULL);
        assert_true(passes(&t));
        every_mutation_fails(&t);
        tear_down(&t);
    }
}

static void float_full(void **state) {
    (void)state;
    at_every_depth(GEMM_F32, ORACLE_FULL, 20);
}
static void half_full(void **state) {
    (void)state;
    at_every_depth(GEMM_F16, ORACLE_FULL, 20);
}
static void bfloat_full(void **state) {
    (void)state;
    at_every_depth(GEMM_BF16, ORACLE_FULL, 20);
}
static void bfloat_sampled(void **state) {
    (void)state;
    at_every_depth(GEMM_BF16, ORACLE_SAMPLED, 60);
}
static void float_sampled(void **state) {
    (void)state;
    at_every_depth(GEMM_F32, ORACLE_SAMPLED, 60);
}
static void half_sampled(void **state) {
    (void)state;
    at_every_depth(GEMM_F16, ORACLE_SAMPLED, 60);
}

/* With many rows the slip falls where no row is computed in full: the product check alone must see it. */
static void product_check_sees_every_row(void **state) {
    (void)state;
    for (int dtype = GEMM_F32; dtype <= GEMM_F16; dtype += GEMM_F16 - GEMM_F32) {
        trial t;
        set_up(&t, (gemm_dtype)dtype, 200, 300, 256, INIT_NORMAL, ORACLE_SAMPLED);
        assert_true(passes(&t));
        for (int64_t row = 0; row < 200; row += 7)
            one_percent_fails(&t, row, row * 3 / 2);
        tear_down(&t);
    }
}

/* The same for values that a sum cannot hold. */
static void product_check_sees_what_is_not_finite(void **state) {
    (void)state;
    static const float odd[] = {INFINITY, -INFINITY, NAN};
    for (int dtype = GEMM_F32; dtype <= GEMM_F16; dtype += GEMM_F16 - GEMM_F32) {
        trial t;
        set_up(&t, (gemm_dtype)dtype, 200, 300, 256, INIT_NORMAL, ORACLE_SAMPLED);
        for (int64_t row = 0; row < 200; row++) {
            const float right = number_load(t.C.dtype, t.C.host, row * 300 + row);
            number_store(t.C.dtype, t.C.host, row * 300 + row, odd[row % 3]);
            assert_false(passes(&t));
            number_store(t.C.dtype, t.C.host, row * 300 + row, right);
        }
        tear_down(&t);
    }
}

/* NaN and infinity in the inputs must not blind the product check to the rest. */
static void poked_inputs_hide_nothing(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_F32, 200, 300, 64, INIT_NORMAL, ORACLE_SAMPLED);
    number_store(GEMM_F32, t.A.host, 151 * 64 + 7, NAN);
    number_store(GEMM_F32, t.B.host, 3 * 300 + 200, NAN);
    number_store(GEMM_F32, t.B.host, 5 * 300 + 17, INFINITY);
    const oracle_problem p = t.reference.problem;
    oracle_destroy(&t.reference);
    assert_int_equal(oracle_create(&t.reference, &p, ORACLE_SAMPLED, 3), 0);
    honest(&p, t.C.host);
    assert_true(passes(&t));
    static const int64_t places[][2] = {{100, 40}, {100, 200}, {100, 17}, {151, 40}, {199, 299}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int64_t at = places[i][0] * 300 + places[i][1];
        const float right = number_load(GEMM_F32, t.C.host, at);
        number_store(GEMM_F32, t.C.host, at, 12345.0f);
        assert_false(passes(&t));
        number_store(GEMM_F32, t.C.host, at, right);
    }
    tear_down(&t);
}

/* A large old C makes its rounding large, and blocks narrow: a 1 % slip of the product still shows. */
static void product_check_minds_beta(void **state) {
    (void)state;
    trial t;
    matrix old;
    set_up(&t, GEMM_F16, 200, 300, 256, INIT_NORMAL, ORACLE_SAMPLED);
    assert_int_equal(matrix_create(&old, GEMM_F16, 200, 300, 300), 0);
    matrix_fill(&old, INIT_NORMAL, 9, 'C');
    oracle_problem p = t.reference.problem;
    p.beta = 30.0;
    p.C = old.host;
    oracle_destroy(&t.reference);
    assert_int_equal(oracle_create(&t.reference, &p, ORACLE_SAMPLED, 3), 0);
    for (int64_t i = 0; i < 200 * 300; i++) {
        const double product = oracle_element(&p, i / 300, i % 300).product;
        number_store(GEMM_F16, t.C.host, i, (float)(product + 30.0 * (double)number_load(GEMM_F16, old.host, i)));
    }
    assert_true(passes(&t));
    for (int64_t row = 40; row < 200; row += 9)
        one_percent_fails(&t, row, row * 3 / 2);
    matrix_destroy(&old);
    tear_down(&t);
}

/* A kernel that wrote nothing must be found out soon, not after a dot product for each element. */
static void hopeless_results_end_soon(void **state) {
    (void)state;
    trial t;
    verify_result r;
    set_up(&t, GEMM_F32, 300, 400, 64, INIT_NORMAL, ORACLE_SAMPLED);
    memset(t.C.host, 0xff, 300 * 400 * sizeof(float));
    verify(&t.reference, t.how, t.C.host, &r);
    assert_false(r.pass);
    assert_true(r.wrong < t.reference.row_count * 400 + 1100); /* the exact rows, and about a thousand more */
    tear_down(&t);
}

/* What oracle_bytes promises holds for what oracle_create takes. */
static void oracle_keeps_to_its_bytes(void **state) {
    (void)state;
    for (int beta = 0; beta <= 100; beta += 100) {
        trial t;
        set_up(&t, GEMM_F16, 400, 3000, 64, INIT_ONES, ORACLE_SAMPLED);
        oracle_problem p = t.reference.problem;
        p.beta = beta;
        p.C = t.C.host;
        p.one_sided = 1;
        oracle_destroy(&t.reference);
        assert_int_equal(oracle_create(&t.reference, &p, ORACLE_SAMPLED, 1), 0);
        const oracle *o = &t.reference;
        const double taken =
            sizeof(double) * (2.0 * (double)o->row_count * 3000.0 + (double)o->block_count * (400.0 + 2.0 * 64.0));
        assert_true(taken <= oracle_bytes(&p, ORACLE_SAMPLED) && o->block_count <= 256);
        tear_down(&t);
    }
}

/* Asks the oracle anew, about inputs of this kind. */
static void ask_again(trial *t, int integers, int one_sided, oracle_mode mode) {
    oracle_problem p = t->reference.problem;
    p.integers = integers;
    p.one_sided = one_sided;
    oracle_destroy(&t->reference);
    assert_int_equal(oracle_create(&t->reference, &p, mode, 3), 0);
}

/* The worst tensor core there was, which adds four products without guard bits, passes on all data and at every K. */
static void tensor_cores_pass(void **state) {
    (void)state;
    static const gemm_dtype dtypes[] = {GEMM_F16, GEMM_BF16, GEMM_TF32};
    static const int64_t depths[] = {3, 64, 512, 4096};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
            for (int kind = INIT_NORMAL; kind < INIT_COUNT; kind++)
                for (int mode = ORACLE_FULL; mode <= ORACLE_SAMPLED; mode++) {
                    trial t;
                    const int whole = kind != INIT_NORMAL && kind != INIT_UNIFORM;
                    set_up(&t, dtypes[d], mode == ORACLE_FULL ? 4 : 34, 3, depths[i], (matrix_init)kind, ORACLE_FULL);
                    ask_again(&t, whole, whole, (oracle_mode)mode);
                    t.how.tensor = 1;
                    const unit_model unit = {dtypes[d] == GEMM_TF32 ? number_truncate_to_tf32 : as_given, 4, GEMM_F32};
                    compute_on(unit, &t.reference.problem, t.C.host);
                    assert_true(passes(&t));
                    tear_down(&t);
                }
}

/* Truncation of large one-sided sums is more than float rounding, and is not granted to FP32 cores. */
static void truncation_is_for_tensor_cores(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_TF32, 4, 4, 65536, INIT_INDEX, ORACLE_FULL);
    for (int64_t i = 0; i < 4 * 65536; i++) /* as many bits as tf32 has */
        number_store(GEMM_TF32, t.A.host, i, 1.0f + number_load(GEMM_TF32, t.A.host, i) / 256.0f);
    for (int64_t i = 0; i < 4 * 65536; i++)
        number_store(GEMM_TF32, t.B.host, i, 1.0f);
    ask_again(&t, 0, 1, ORACLE_FULL);
    t.how.tensor = 1;
    compute_on((unit_model){as_given, 4, GEMM_F32}, &t.reference.problem, t.C.host);
    assert_true(passes(&t));
    verify_result r;
    verify(&t.reference, t.how, t.C.host, &r);
    t.how.tensor = 0;
    verify_result strict;
    verify(&t.reference, t.how, t.C.host, &strict);
    assert_true(r.err_bound > 2.9 * strict.err_bound);
    tear_down(&t);
}

/* Ones at K = 2^20: no false alarm, and not a unit in the last place of slack. */
static void long_sums_of_ones_are_exact(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_TF32, 2, 3, 1 << 20, INIT_ONES, ORACLE_FULL);
    ask_again(&t, 1, 1, ORACLE_FULL);
    for (t.how.tensor = 0; t.how.tensor < 2; t.how.tensor++) {
        compute_on((unit_model){number_truncate_to_tf32, 4, GEMM_F32}, &t.reference.problem, t.C.host);
        assert_true(passes(&t));
        float *element = (float *)t.C.host + 4;
        *element = nextafterf(*element, 0.0f);
        assert_false(passes(&t));
    }
    tear_down(&t);
}

/* Inputs cut or rounded to tf32 are right at every K; inputs that are only bf16 are not, nor is a 1 % slip. */
static void tf32_is_tf32(void **state) {
    (void)state;
    static const int64_t depths[] = {64, 512, 4096};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (int mode = ORACLE_FULL; mode <= ORACLE_SAMPLED; mode++)
            for (int kind = INIT_NORMAL; kind <= INIT_UNIFORM; kind++) {
                trial t;
                set_up(&t, GEMM_TF32, 80, 40, depths[i], (matrix_init)kind, (oracle_mode)mode);
                t.how.tensor = 1;
                const oracle_problem *p = &t.reference.problem;
                assert_true(passes(&t)); /* float inputs */
                compute_on((unit_model){rounded_to_bf16, 8, GEMM_F32}, p, t.C.host);
                assert_false(passes(&t));
                compute_on((unit_model){rounded_to_tf32, 8, GEMM_F32}, p, t.C.host);
                assert_true(passes(&t));
                compute_on((unit_model){number_truncate_to_tf32, 8, GEMM_F32}, p, t.C.host);
                assert_true(passes(&t));
                every_mutation_fails(&t);
                tear_down(&t);
            }
}

/* Elements that tf32 cannot hold are not random when they are set by hand; whole numbers beyond 2^11 are such. */
static void poked_tf32(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_TF32, 8, 8, 32, INIT_ONES, ORACLE_FULL);
    number_store(GEMM_TF32, t.A.host, 5, 2049.0f);
    ask_again(&t, 1, 1, ORACLE_FULL);
    t.how.tensor = 1;
    compute_on((unit_model){number_truncate_to_tf32, 8, GEMM_F32}, &t.reference.problem, t.C.host);
    assert_true(passes(&t));
    number_store(GEMM_TF32, t.C.host, 3, 2049.0f + 31.0f - 5.0f);
    assert_false(passes(&t));
    tear_down(&t);
}

/* Sums in half are right for a kernel that says so, and for no other; whether it rounds at every product or, as a
 * tensor core does, once an instruction. */
static void half_sums(void **state) {
    (void)state;
    static const int64_t depths[] = {64, 512, 2048};
    static const int products[] = {1, 8, 16};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (size_t n = 0; n < sizeof products / sizeof *products; n++)
            for (int mode = ORACLE_FULL; mode <= ORACLE_SAMPLED; mode++) {
                trial t;
                set_up(&t, GEMM_F16, 80, 40, depths[i], INIT_NORMAL, (oracle_mode)mode);
                compute_on((unit_model){as_given, products[n], GEMM_F16}, &t.reference.problem, t.C.host);
                t.how = (verify_arithmetic){products[n] > 1, GEMM_F32};
                assert_false(passes(&t));
                t.how.sums = GEMM_F16;
                assert_true(passes(&t));
                memset(t.C.host, 0, 40 * sizeof(uint16_t)); /* the first row */
                assert_false(passes(&t));
                tear_down(&t);
            }
}

/* ... and the slip of 1 % shows as long as the sums are short. */
static void half_sums_see_one_percent(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_F16, 20, 40, 16, INIT_UNIFORM, ORACLE_FULL);
    t.how = (verify_arithmetic){1, GEMM_F16};
    compute_on((unit_model){as_given, 16, GEMM_F16}, &t.reference.problem, t.C.host);
    assert_true(passes(&t));
    one_percent_fails(&t, 19, 39);
    tear_down(&t);
}

static void half_sums_of_whole_numbers(void **state) {
    (void)state;
    for (int64_t K = 2048; K <= 2304; K += 256) {
        trial t;
        set_up(&t, GEMM_F16, 4, 4, K, INIT_ONES, ORACLE_FULL);
        ask_again(&t, 1, 1, ORACLE_FULL);
        t.how.sums = GEMM_F16;
        assert_true(passes(&t)); /* a float sum; 2304 is a number in half */
        compute_on((unit_model){as_given, 1, GEMM_F16}, &t.reference.problem, t.C.host);
        assert_true(passes(&t)); /* stays at 2048 */
        t.how.sums = GEMM_F32;
        assert_int_equal(passes(&t), K == 2048);
        t.how.sums = GEMM_F16;
        number_store(GEMM_F16, t.C.host, 3, 2046.0f);
        assert_int_equal(passes(&t), K > 2048);
        tear_down(&t);
    }
}

/* A sum in half may pass 65504 although the result does not; a float sum may not. */
static void half_sums_overflow(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_F16, 4, 4, 64, INIT_ONES, ORACLE_FULL);
    for (int64_t k = 0; k < 64; k++)
        number_store(GEMM_F16, t.A.host, k, k < 32 ? 4096.0f : -4096.0f); /* the first row */
    ask_again(&t, 1, 1, ORACLE_FULL);
    compute_on((unit_model){as_given, 8, GEMM_F32}, &t.reference.problem, t.C.host);
    t.how = (verify_arithmetic){1, GEMM_F32};
    assert_true(passes(&t));
    number_store(GEMM_F16, t.C.host, 1, INFINITY);
    assert_false(passes(&t));
    t.how.sums = GEMM_F16;
    assert_true(passes(&t));
    number_store(GEMM_F16, t.C.host, 5, INFINITY); /* a row of ones */
    assert_false(passes(&t));
    tear_down(&t);
}

static void transposed_b_fails(void **state) {
    (void)state;
    static const matrix_init kinds[] = {INIT_NORMAL, INIT_UNIFORM, INIT_INTEGERS, INIT_INDEX};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        trial t;
        matrix transposed;
        set_up(&t, GEMM_F32, 64, 64, 64, kinds[i], ORACLE_AUTO);
        assert_true(passes(&t));
        assert_int_equal(matrix_create(&transposed, GEMM_F32, 64, 64, 64), 0);
        for (int64_t r = 0; r < 64; r++)
            for (int64_t c = 0; c < 64; c++)
                number_store(GEMM_F32, transposed.host, r * 64 + c, number_load(GEMM_F32, t.B.host, c * 64 + r));
        oracle_problem p = t.reference.problem;
        p.B = transposed.host;
        honest(&p, t.C.host);
        assert_false(passes(&t));
        matrix_destroy(&transposed);
        tear_down(&t);
    }
}

/* a, -a pairs: the true result is 0, and what rounding leaves is small against the magnitudes, not against 0. */
static void cancelling_rows(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_F32, 16, 16, 512, INIT_NORMAL, ORACLE_FULL);
    for (int64_t i = 0; i < 16; i++)
        for (int64_t k = 0; k < 512; k += 2)
            number_store(GEMM_F32, t.A.host, i * 512 + k + 1, -number_load(GEMM_F32, t.A.host, i * 512 + k));
    for (int64_t k = 0; k < 512; k += 2)
        memcpy((float *)t.B.host + (k + 1) * 16, (float *)t.B.host + k * 16, 16 * sizeof(float));
    const oracle_problem p = t.reference.problem;
    oracle_destroy(&t.reference);
    assert_int_equal(oracle_create(&t.reference, &p, ORACLE_FULL, 1), 0);
    honest(&p, t.C.host);
    assert_true(passes(&t));
    one_percent_fails(&t, 3, 3);
    tear_down(&t);
}

/* Whole numbers below 2^24 leave no room at all. */
static void integers_are_exact(void **state) {
    (void)state;
    trial t;
    set_up(&t, GEMM_F32, 20, 20, 300, INIT_INTEGERS, ORACLE_FULL);
    oracle_problem p = t.reference.problem;
    p.integers = 1;
    oracle_destroy(&t.reference);
    assert_int_equal(oracle_create(&t.reference, &p, ORACLE_FULL, 1), 0);
    assert_true(passes(&t));
    float *element = (float *)t.C.host + 17;
    *element = nextafterf(*element, INFINITY);
    assert_false(passes(&t));
    tear_down(&t);
}

/* The worked 2 x 4 x 3 product, so that oracle and cuBLAS cannot agree on a transpose. */
static void by_hand(void **state) {
    (void)state;
    const float A[] = {1, 2, 3, 4, 5, 6}, B[] = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    const float old[] = {1, 1, 1, 1, 2, 2, 2, 2};
    const double product[] = {74, 80, 86, 92, 173, 188, 203, 218};
    const oracle_problem p = {GEMM_F32, 2, 4, 3, 2.0, -1.0, A, B, old, 0, 0};
    oracle o;
    assert_int_equal(oracle_create(&o, &p, ORACLE_FULL, 1), 0);
    for (int i = 0; i < 8; i++)
        assert_true(o.reference[i] == 2.0 * product[i] - (double)old[i]);
    oracle_destroy(&o);
}

static void special_values(void **state) {
    (void)state;
    const double inf = INFINITY, nan_value = NAN;
    assert_false(verify_element(GEMM_F32, nan_value, 1.0, 0.1, 0));
    assert_false(verify_element(GEMM_F32, 1.0, nan_value, 0.1, 0));
    assert_true(verify_element(GEMM_F32, nan_value, nan_value, 0.1, 0));
    assert_true(verify_element(GEMM_F32, inf, inf, 0.1, 0));
    assert_false(verify_element(GEMM_F32, inf, -inf, 0.1, 0));
    assert_false(verify_element(GEMM_F32, inf, nan_value, 0.1, 0));
    assert_false(verify_element(GEMM_F32, inf, 1.0, 0.1, 0));
    assert_false(verify_element(GEMM_F32, 1.0, inf, 0.1, 0));
    assert_true(verify_element(GEMM_F32, 1.05, 1.0, 0.1, 0));
    assert_false(verify_element(GEMM_F32, 1.15, 1.0, 0.1, 0));
    /* 65520 is where half rounds to infinity; either is right when the bound reaches across. */
    assert_true(verify_element(GEMM_F16, inf, 70000.0, 40.0, 0));
    assert_false(verify_element(GEMM_F16, 65504.0, 70000.0, 40.0, 0));
    assert_true(verify_element(GEMM_F16, inf, 65519.0, 32.0, 0));
    assert_true(verify_element(GEMM_F16, 65504.0, 65519.0, 32.0, 0));
    assert_false(verify_element(GEMM_F16, inf, 65000.0, 32.0, 0));
    assert_false(verify_element(GEMM_F16, -inf, 70000.0, 40.0, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_full),
        cmocka_unit_test(half_full),
        cmocka_unit_test(float_sampled),
        cmocka_unit_test(half_sampled),
        cmocka_unit_test(product_check_sees_every_row),
        cmocka_unit_test(product_check_sees_what_is_not_finite),
        cmocka_unit_test(poked_inputs_hide_nothing),
        cmocka_unit_test(product_check_minds_beta),
        cmocka_unit_test(hopeless_results_end_soon),
        cmocka_unit_test(oracle_keeps_to_its_bytes),
        cmocka_unit_test(bfloat_full),
        cmocka_unit_test(bfloat_sampled),
        cmocka_unit_test(tensor_cores_pass),
        cmocka_unit_test(truncation_is_for_tensor_cores),
        cmocka_unit_test(long_sums_of_ones_are_exact),
        cmocka_unit_test(tf32_is_tf32),
        cmocka_unit_test(poked_tf32),
        cmocka_unit_test(half_sums),
        cmocka_unit_test(half_sums_see_one_percent),
        cmocka_unit_test(half_sums_of_whole_numbers),
        cmocka_unit_test(half_sums_overflow),
        cmocka_unit_test(transposed_b_fails),
        cmocka_unit_test(cancelling_rows),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
