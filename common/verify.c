#include "verify.h"

#include "number.h"
#include "parallel.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const double FLOAT_ROUNDOFF = 0x1p-24, FLOAT_MIN_SUBNORMAL = 0x1p-149;

verify_arithmetic verify_arithmetic_of(gemm_unit unit, gemm_dtype sums) {
    return (verify_arithmetic){unit != GEMM_UNIT_HOST && unit != GEMM_UNIT_FP32, sums};
}

/* What an error depends on, for one element; or the roots of the sums of squares over some elements at once, which give
 * the same root of their errors. */
typedef struct {
    double product, magnitude, root; /* as in oracle_terms, |product| times |alpha| */
    double old;                      /* |beta c| */
    double count;
} sizes;

/* Whether sums of whole numbers up to `largest` are exact. */
static int is_exact(const oracle *o, verify_arithmetic how, double largest) {
    return o->problem.integers && o->input_error == 0.0 && largest <= (how.sums == GEMM_F16 ? 0x1p11 : 0x1p24);
}

/* The `i` of verify.h. */
static double input_error(const oracle *o, const sizes *s) {
    const double d = o->input_error, alpha = fabs(o->problem.alpha), most = 2.0 * d * alpha * s->magnitude;
    if (d == 0.0 || o->problem.one_sided)
        return most;
    return fmin(most, d * s->product + o->lambda * d / 2.0 * alpha * s->root);
}

/* The `r` of verify.h: no partial sum is larger. */
static double partial_sum(const oracle *o, double magnitude, double root) {
    return o->problem.one_sided ? magnitude : fmin(magnitude, o->lambda * root);
}

/* The `s` of verify.h, without u. */
static double float_error(const oracle *o, verify_arithmetic how, const sizes *s) {
    const double K = (double)o->problem.K, most = (how.tensor ? o->tensor_factor : o->dot_factor) * s->magnitude;
    const double small = how.tensor ? 2.2 * o->lambda * sqrt(K) + K / 6.0 : o->dot_factor;
    return o->problem.one_sided ? most : fmin(most, small * o->lambda * s->root);
}

/* The `h` of verify.h. */
static double half_error(const oracle *o, verify_arithmetic how, const sizes *s) {
    const double K = (double)o->problem.K, n = how.tensor ? ceil(K / 8.0) : K;
    const double roundings = o->problem.one_sided ? n : fmin(n, o->lambda * sqrt(n));
    return roundings * number_unit_roundoff(GEMM_F16) * partial_sum(o, s->magnitude, s->root) +
           n * number_min_subnormal(GEMM_F16) / 2.0 * sqrt(s->count);
}

/* The `e` of verify.h. */
static double error_of_sums(const oracle *o, verify_arithmetic how, int exact, const sizes *s) {
    const double alpha = fabs(o->problem.alpha);
    const double sum = exact ? 0.0 : float_error(o, how, s);
    const double half = exact || how.sums != GEMM_F16 ? 0.0 : half_error(o, how, s);
    return FLOAT_ROUNDOFF * (alpha * (sum + 3.0 * s->magnitude) * (1.0 + 2.0 * o->input_error) + 3.0 * s->old) +
           ((double)o->problem.K + 3.0) * FLOAT_MIN_SUBNORMAL * fmax(1.0, alpha) * sqrt(s->count) + input_error(o, s) +
           alpha * half;
}

/* e, and what rounding results of that size to the type of C adds. */
static double with_output_rounding(gemm_dtype dtype, double e, double size, double count) {
    if (number_size(dtype) == sizeof(float))
        return e;
    return e + number_unit_roundoff(dtype) * (size + e) + number_min_subnormal(dtype) / 2.0 * sqrt(count);
}

/* No finite intermediate value of an element is larger than this. */
static double largest_on_the_way(const oracle_problem *p, double magnitude, double beta_c) {
    return fmax(1.0, fabs(p->alpha)) * magnitude + (isfinite(beta_c) ? fabs(beta_c) : 0.0);
}

static sizes sizes_of(double reference, oracle_terms terms, double beta_c) {
    return (sizes){fabs(reference - beta_c), terms.magnitude, terms.root, fabs(beta_c), 1.0};
}

double verify_bound(const oracle *o, verify_arithmetic how, double reference, oracle_terms terms, double beta_c) {
    const oracle_problem *p = &o->problem;
    const sizes s = sizes_of(reference, terms, beta_c);
    const int exact = is_exact(o, how, largest_on_the_way(p, terms.magnitude, beta_c));
    return with_output_rounding(p->dtype, exact ? 0.0 : error_of_sums(o, how, 0, &s), fabs(reference), 1.0);
}

/* Whether a partial sum may pass the largest number of its type. */
static int may_overflow(const oracle *o, verify_arithmetic how, double reference, oracle_terms terms, double beta_c) {
    const sizes s = sizes_of(reference, terms, beta_c);
    if (largest_on_the_way(&o->problem, terms.magnitude, beta_c) > FLT_MAX / 2.0)
        return 1;
    return how.sums == GEMM_F16 && partial_sum(o, s.magnitude, s.root) + half_error(o, how, &s) > number_max(GEMM_F16);
}

int verify_element(gemm_dtype dtype, double got, double want, double bound, int may_overflow) {
    if (isnan(want))
        return isnan(got);
    if (isfinite(got) && isfinite(want))
        return fabs(got - want) <= bound;
    if (!isfinite(got) && may_overflow)
        return 1;
    if (isinf(want) || isfinite(got))
        return got == want;
    /* Half a unit in the last place beyond the largest value rounds to infinity. */
    const double overflow = number_max(dtype) * (1.0 + number_unit_roundoff(dtype) / 2.0);
    return isinf(got) && (got > 0) == (want > 0) && fabs(want) + bound >= overflow;
}

typedef struct {
    const oracle *o;
    verify_arithmetic how;
    const void *C;
    verify_result *result;
    double error_square, reference_square, worst; /* worst: largest error in units of its bound */
    int64_t bad_row, bad_column;                  /* the first wrong element or block, in reading order */
    double bad_got, bad_want, bad_bound;
    int bad_is_block;
    pthread_mutex_t lock;
    atomic_int_fast64_t mistakes; /* of the product check; enough of them end it */
    atomic_int_fast64_t odd;      /* elements that overflowed; after many, blocks with more are not looked at */
} judging;

enum { ENOUGH_MISTAKES = 1000, ENOUGH_ODD = 1 << 16 };

static int is_hopeless(judging *v) { return atomic_load(&v->mistakes) > ENOUGH_MISTAKES; }

/* Whether an element still holds what the harness puts into C when nobody may read it: NaN with every bit set. */
static int is_untouched(const judging *v, int64_t row, int64_t column) {
    const oracle_problem *p = &v->o->problem;
    const size_t size = number_size(p->dtype);
    const unsigned char *bytes = (const unsigned char *)v->C + (size_t)(row * p->N + column) * size;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xff)
            return 0;
    return p->beta == 0.0;
}

static void note_wrong(judging *v, int64_t row, int64_t column, double got, double want, double bound, int is_block) {
    if (v->bad_row >= 0 && (v->bad_row < row || (v->bad_row == row && v->bad_column <= column)))
        return;
    v->bad_row = row;
    v->bad_column = column;
    v->bad_got = isnan(got) ? (double)NAN : got; /* printed without a sign */
    v->bad_want = want;
    v->bad_bound = bound;
    v->bad_is_block = is_block;
}

/* The bound of an element, and whether it is kept. */
static int is_right(const judging *v, double got, double want, oracle_terms terms, double beta_c, double *bound) {
    *bound = verify_bound(v->o, v->how, want, terms, beta_c);
    return verify_element(v->o->problem.dtype, got, want, *bound,
                          !isfinite(got) && may_overflow(v->o, v->how, want, terms, beta_c));
}

static void judge_row(void *context, int64_t r) {
    judging *v = context;
    const oracle *o = v->o;
    const oracle_problem *p = &o->problem;
    const int64_t row = o->rows[r];
    int64_t wrong = 0, first_wrong = -1;
    double error_square = 0.0, reference_square = 0.0, worst = -1.0, worst_error = 0.0, worst_bound = 0.0;
    double first_got = 0.0, first_bound = 0.0;
    for (int64_t j = 0; j < p->N; j++) {
        const int64_t at = r * p->N + j;
        const double want = o->reference[at];
        const oracle_terms terms = {want, o->magnitude[at], o->root[at]};
        const double got = (double)number_load(p->dtype, v->C, row * p->N + j);
        const double beta_c = p->beta == 0.0 ? 0.0 : p->beta * (double)number_load(p->dtype, p->C, row * p->N + j);
        const double error = fabs(got - want);
        double bound;
        if (!is_right(v, got, want, terms, beta_c, &bound) && wrong++ == 0) {
            first_wrong = j;
            first_got = got;
            first_bound = bound;
        }
        if (isfinite(error)) {
            error_square += error * error;
            reference_square += want * want;
            if (error > worst * bound || worst < 0.0) {
                worst = bound > 0.0 ? error / bound : error > 0.0 ? INFINITY : 0.0;
                worst_error = error;
                worst_bound = bound;
            }
        }
    }
    pthread_mutex_lock(&v->lock);
    v->result->wrong += wrong;
    v->error_square += error_square;
    v->reference_square += reference_square;
    if (worst > v->worst) {
        v->worst = worst;
        v->result->max_err = worst_error;
        v->result->err_bound = worst_bound;
    }
    if (wrong > 0)
        note_wrong(v, row, first_wrong, first_got, o->reference[r * p->N + first_wrong], first_bound, 0);
    pthread_mutex_unlock(&v->lock);
}

/* Judges one element of a row that was not computed in full; returns (A B)_ij. */
static double judge_element(judging *v, int64_t row, int64_t column, double got, double beta_c) {
    const oracle_problem *p = &v->o->problem;
    const oracle_terms terms = oracle_element(p, row, column);
    const double want = (p->alpha == 0.0 ? 0.0 : p->alpha * terms.product) + beta_c;
    double bound;
    if (!is_right(v, got, want, terms, beta_c, &bound)) {
        pthread_mutex_lock(&v->lock);
        v->result->wrong++;
        note_wrong(v, row, column, got, want, bound, 0);
        pthread_mutex_unlock(&v->lock);
        atomic_fetch_add(&v->mistakes, 1);
    }
    return terms.product;
}

/* One block of one row: C against the projection. Tolerance: with random signs the errors of a block add up to at most
 * lambda times the root of their squares (Hoeffding 1963); each is bounded as in verify_bound, with |a row| |B block|
 * for the magnitudes by Cauchy and Schwarz. Elements that no sum can hold, because C or what it should be is not
 * finite, are taken out and judged one by one. */
static void judge_block(judging *v, int64_t row, int64_t block) {
    enum { MOST_ODD = 4 }; /* elements that overflowed, each a whole dot product; with more the block tells no more */
    const oracle *o = v->o;
    const oracle_problem *p = &o->problem;
    const int64_t first = block * o->block_width;
    const int64_t last = first + o->block_width < p->N ? first + o->block_width : p->N;
    double got = 0.0, want = p->alpha == 0.0 ? 0.0 : p->alpha * o->projection[row * o->block_count + block];
    double square = 0.0, old_square = 0.0;
    int odd = 0;
    for (int64_t j = first; j < last; j++) {
        const double c = (double)number_load(p->dtype, v->C, row * p->N + j);
        const double old = p->beta == 0.0 ? 0.0 : p->beta * (double)number_load(p->dtype, p->C, row * p->N + j);
        if (!o->signs[j] || !isfinite(c) || !isfinite(old)) {
            if (is_hopeless(v) || (o->signs[j] && (++odd > MOST_ODD || atomic_fetch_add(&v->odd, 1) >= ENOUGH_ODD)))
                return;
            const double product = judge_element(v, row, j, c, old);
            if (o->signs[j] && p->alpha != 0.0)
                want -= p->alpha * o->signs[j] * product;
            continue;
        }
        got += o->signs[j] * c;
        want += o->signs[j] * old;
        square += c * c;
        old_square += old * old;
    }
    const double count = (double)(last - first), scale = o->row_norm[row] * o->block_norm[block];
    const double root = o->block_root[row * o->block_count + block];
    const sizes s = {sqrt(square) + sqrt(old_square), scale, root, sqrt(old_square), count};
    const double e = error_of_sums(o, v->how, is_exact(o, v->how, o->largest_sum), &s);
    const double tolerance = o->project_factor * with_output_rounding(p->dtype, e, sqrt(square), count);
    if (fabs(got - want) <= tolerance)
        return;
    pthread_mutex_lock(&v->lock);
    v->result->wrong++;
    note_wrong(v, row, first, got, want, tolerance, 1);
    pthread_mutex_unlock(&v->lock);
    atomic_fetch_add(&v->mistakes, 1);
}

static void judge_projection(void *context, int64_t row) {
    judging *v = context;
    if (!isfinite(v->o->row_norm[row])) /* infinities or NaN in this row of A: it was computed in full */
        return;
    for (int64_t block = 0; block < v->o->block_count && !is_hopeless(v); block++)
        judge_block(v, row, block);
}

void verify(const oracle *o, verify_arithmetic how, const void *C, verify_result *result) {
    const oracle_problem *p = &o->problem;
    judging v = {.o = o, .how = how, .C = C, .result = result, .worst = -1.0, .bad_row = -1};
    *result = (verify_result){.checked = o->row_count * p->N};
    pthread_mutex_init(&v.lock, NULL);
    if (p->N > 0)
        parallel_for(o->row_count, judge_row, &v);
    if (o->block_count > 0)
        parallel_for(p->M, judge_projection, &v);
    pthread_mutex_destroy(&v.lock);
    result->pass = result->wrong == 0;
    result->frobenius = v.reference_square > 0.0 ? sqrt(v.error_square / v.reference_square) : NAN;
    if (result->pass)
        return;
    if (v.bad_is_block)
        snprintf(result->reason, sizeof result->reason,
                 "product check: row %lld, columns from %lld: signed sum is %.9g, should be %.9g within %.3g",
                 (long long)v.bad_row, (long long)v.bad_column, v.bad_got, v.bad_want, v.bad_bound);
    else if (is_untouched(&v, v.bad_row, v.bad_column))
        snprintf(result->reason, sizeof result->reason,
                 "C[%lld][%lld] was never written, or comes from what must not be read (beyond A or B, C with beta 0, "
                 "a cp.async that was not waited for); should be %.9g (%lld wrong, %lld compared)",
                 (long long)v.bad_row, (long long)v.bad_column, v.bad_want, (long long)result->wrong,
                 (long long)result->checked);
    else
        snprintf(result->reason, sizeof result->reason,
                 "C[%lld][%lld] is %.9g, should be %.9g within %.3g (%lld wrong, %lld compared)", (long long)v.bad_row,
                 (long long)v.bad_column, v.bad_got, v.bad_want, v.bad_bound, (long long)result->wrong,
                 (long long)result->checked);
}
