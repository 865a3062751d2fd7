#include "oracle.h"

#include "number.h"
#include "parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_GROUP = 16,     /* rows that share one conversion of B ... */
    COLUMN_CHUNK = 256, /* ... and columns: 2 x 16 x 256 doubles of sums stay in a core's L2 cache */
    SAMPLED_ROWS = 32,
    POKED_ROWS = 64, /* as many as there can be --poke options */
    MAX_BLOCKS = 256
};
static const double FULL_PRODUCTS = 0x1p30; /* multiply-adds: about a second on two cores */
static const double FULL_ELEMENTS = 0x1p24; /* of C: 256 MiB of references */

/* Smallest lambda for which 2 n exp(-lambda^2 / 2), the chance that one of n sums strays by more than lambda standard
 * deviations (Hoeffding 1963), is at most ORACLE_FALSE_ALARM. */
static double lambda_for(double n) { return sqrt(2.0 * log(2.0 * fmax(n, 1.0) / ORACLE_FALSE_ALARM)); }

static uint64_t next_random(uint64_t *state) { /* xorshift64*, Vigna 2016 */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* ---- exact rows -------------------------------------------------------------------------------------------------- */

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

oracle_terms oracle_element(const oracle_problem *p, int64_t row, int64_t column) {
    oracle_terms t = {0.0, 0.0, 0.0};
    for (int64_t k = 0; p->alpha != 0.0 && k < p->K; k++) {
        const double term = (double)number_load(p->dtype, p->A, row * p->K + k) *
                            (double)number_load(p->dtype, p->B, k * p->N + column);
        t.product += term;
        t.magnitude += fabs(term);
        t.root += term * term;
    }
    t.root = sqrt(t.root);
    return t;
}

/* One task: ROW_GROUP of the chosen rows times COLUMN_CHUNK columns. */
static void compute_tile(void *context, int64_t index) {
    oracle *o = context;
    const oracle_problem *p = &o->problem;
    const int64_t chunks = div_up(p->N, COLUMN_CHUNK);
    const int64_t first = index / chunks * ROW_GROUP, column = index % chunks * COLUMN_CHUNK;
    const int64_t rows = first + ROW_GROUP < o->row_count ? ROW_GROUP : o->row_count - first;
    const int64_t width = column + COLUMN_CHUNK < p->N ? COLUMN_CHUNK : p->N - column;
    double sum[ROW_GROUP][COLUMN_CHUNK] = {{0}}, scale[ROW_GROUP][COLUMN_CHUNK] = {{0}}, b[COLUMN_CHUNK];
    double square[ROW_GROUP][COLUMN_CHUNK] = {{0}};

    for (int64_t k = 0; p->alpha != 0.0 && k < p->K; k++) {
        number_load_row(p->dtype, p->B, k * p->N + column, width, b);
        for (int64_t r = 0; r < rows; r++) {
            const double a = (double)number_load(p->dtype, p->A, o->rows[first + r] * p->K + k);
            for (int64_t j = 0; j < width; j++) {
                const double term = a * b[j];
                sum[r][j] += term;
                scale[r][j] += fabs(term);
                square[r][j] += term * term;
            }
        }
    }
    for (int64_t r = 0; r < rows; r++) {
        double *reference = o->reference + (first + r) * p->N + column;
        double *magnitude = o->magnitude + (first + r) * p->N + column;
        double *root = o->root + (first + r) * p->N + column;
        for (int64_t j = 0; j < width; j++) {
            reference[j] = p->alpha == 0.0 ? 0.0 : p->alpha * sum[r][j];
            magnitude[j] = scale[r][j];
            root[j] = sqrt(square[r][j]);
            if (p->beta != 0.0)
                reference[j] += p->beta * (double)number_load(p->dtype, p->C, o->rows[first + r] * p->N + column + j);
        }
    }
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows where kernels go wrong first: the ends and both sides of every usual block edge; rows of A with infinities or
 * NaN, which no sum can judge (only --poke makes such); then random ones. */
static int64_t choose_rows(const oracle *o, int64_t *rows, uint64_t *random) {
    static const int64_t edges[] = {0, 1, 31, 32, 63, 64, 127, 128, 255, 256};
    const int64_t M = o->problem.M;
    const int64_t tail[] = {M - 1, M - 2, M / 32 * 32 - 1, M / 128 * 128 - 1, M / 128 * 128};
    int64_t count = 0;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (edges[i] < M)
            rows[count++] = edges[i];
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
        if (tail[i] >= 0 && tail[i] < M)
            rows[count++] = tail[i];
    while (count < SAMPLED_ROWS)
        rows[count++] = (int64_t)(next_random(random) % (uint64_t)M);
    for (int64_t i = 0; i < M && count < SAMPLED_ROWS + POKED_ROWS; i++)
        if (!isfinite(o->row_norm[i]))
            rows[count++] = i;
    qsort(rows, (size_t)count, sizeof *rows, ascending);
    int64_t unique = 0;
    for (int64_t i = 0; i < count; i++)
        if (unique == 0 || rows[i] != rows[unique - 1])
            rows[unique++] = rows[i];
    return unique;
}

/* ---- the product check ------------------------------------------------------------------------------------------- */

typedef struct {
    oracle *o;
    double *bx; /* block_count x K: B times the signs, block by block; reused by every row */
    double *b2; /* block_count x K: sums of squares, for the norms */
} projection_work;

static void project_row_of_b(void *context, int64_t k) {
    const projection_work *w = context;
    const oracle *o = w->o;
    const oracle_problem *p = &o->problem;
    for (int64_t block = 0; block < o->block_count; block++) {
        double sum = 0.0, square = 0.0;
        const int64_t first = block * o->block_width;
        const int64_t last = first + o->block_width < p->N ? first + o->block_width : p->N;
        for (int64_t j = first; j < last; j++) {
            const double b = o->signs[j] ? (double)number_load(p->dtype, p->B, k * p->N + j) : 0.0;
            sum += o->signs[j] * b;
            square += b * b;
        }
        w->bx[block * p->K + k] = sum;
        w->b2[block * p->K + k] = square;
    }
}

static void project_row_of_c(void *context, int64_t i) {
    const projection_work *w = context;
    oracle *o = w->o;
    const oracle_problem *p = &o->problem;
    double *projection = o->projection + i * o->block_count;
    double *root = o->block_root + i * o->block_count;
    double square = 0.0;
    for (int64_t block = 0; block < o->block_count; block++)
        projection[block] = root[block] = 0.0;
    double a[COLUMN_CHUNK];
    for (int64_t k = 0; p->alpha != 0.0 && k < p->K; k += COLUMN_CHUNK) {
        const int64_t width = k + COLUMN_CHUNK < p->K ? COLUMN_CHUNK : p->K - k;
        number_load_row(p->dtype, p->A, i * p->K + k, width, a);
        for (int64_t q = 0; q < width; q++)
            square += a[q] * a[q];
        for (int64_t block = 0; block < o->block_count; block++) {
            const double *bx = w->bx + block * p->K + k;
            double sum = 0.0;
            for (int64_t q = 0; q < width; q++)
                sum += a[q] * bx[q];
            projection[block] += sum;
            for (int64_t q = 0; q < width; q++)
                root[block] += a[q] * a[q] * w->b2[block * p->K + k + q];
        }
    }
    for (int64_t block = 0; block < o->block_count; block++)
        root[block] = sqrt(root[block]);
    o->row_norm[i] = sqrt(square);
}

typedef struct {
    const oracle_problem *p;
    const void *array;
    int64_t cols;
    double *squares, *largest; /* one a row */
} size_work;

static void measure_row(void *context, int64_t i) {
    const size_work *w = context;
    w->squares[i] = w->largest[i] = 0.0;
    for (int64_t j = 0; j < w->cols; j++) {
        const double x = fabs((double)number_load(w->p->dtype, w->array, i * w->cols + j));
        if (isfinite(x)) {
            w->squares[i] += x * x;
            w->largest[i] = fmax(w->largest[i], x);
        }
    }
}

/* Root mean square and largest size of the finite elements of a matrix; 0 when it is empty. Returns -1 without memory.
 */
static int measure(const oracle_problem *p, const void *array, int64_t rows, int64_t cols, double *rms,
                   double *largest) {
    const size_t bytes = sizeof(double) * (size_t)(cols > 0 ? rows : 0) + 1;
    size_work w = {p, array, cols, malloc(bytes), malloc(bytes)};
    const int failed = !w.squares || !w.largest;
    double sum = 0.0;
    *rms = *largest = 0.0;
    if (!failed && rows > 0 && cols > 0) {
        parallel_for(rows, measure_row, &w);
        for (int64_t i = 0; i < rows; i++) {
            sum += w.squares[i];
            *largest = fmax(*largest, w.largest[i]);
        }
        *rms = sqrt(sum / ((double)rows * (double)cols));
    }
    free(w.squares);
    free(w.largest);
    return failed ? -1 : 0;
}

static void measure_cut(void *context, int64_t i) {
    const size_work *w = context;
    w->largest[i] = 0.0;
    for (int64_t j = 0; j < w->cols; j++) {
        const float x = number_load(w->p->dtype, w->array, i * w->cols + j);
        if (isfinite(x) && x != 0.0f)
            w->largest[i] = fmax(w->largest[i], 1.0 - (double)number_truncate_to_tf32(x) / (double)x);
    }
}

/* Finds input_error: the most that an element of A or B loses, relative to it, where only 10 bits of its fraction are
 * read; one that is rounded to them is off by no more. 2^-10 for random numbers, 0 for small whole ones. Returns -1
 * without memory. */
static int find_input_error(oracle *o) {
    const oracle_problem *p = &o->problem;
    const struct {
        const void *array;
        int64_t rows, cols;
    } inputs[] = {{p->A, p->M, p->K}, {p->B, p->K, p->N}};
    for (int m = 0; m < 2 && p->dtype == GEMM_TF32 && p->alpha != 0.0; m++) {
        const int64_t rows = inputs[m].cols > 0 ? inputs[m].rows : 0;
        size_work w = {p, inputs[m].array, inputs[m].cols, NULL, malloc(sizeof(double) * (size_t)rows + 1)};
        if (!w.largest)
            return -1;
        parallel_for(rows, measure_cut, &w);
        for (int64_t i = 0; i < rows; i++)
            o->input_error = fmax(o->input_error, w.largest[i]);
        free(w.largest);
    }
    return 0;
}

/* Width of the blocks of columns. The widest for which an honest kernel's rounding, lambda times the root of the sum of
 * squared element bounds, stays under half of a 1 % slip: lambda (factor u + r (1 / sqrt(K) + c)) sqrt(width) <= 0.005.
 * The factor is that of the tensor cores where these multiply the type. The second term rounds elements to the type of
 * C, and tf32 inputs: a product has a typical size of |a||b| / sqrt(K), and c = |beta C| / (|alpha||a||b|). Never more
 * than MAX_BLOCKS blocks: the check must not become the product. Also finds how large sums of whole numbers may get.
 * Returns -1 without memory. */
static int choose_block_width(oracle *o) {
    const oracle_problem *p = &o->problem;
    double a, b, c = 0.0, a_max, b_max, c_max = 0.0;
    if (measure(p, p->A, p->M, p->K, &a, &a_max) || measure(p, p->B, p->K, p->N, &b, &b_max) ||
        (p->beta != 0.0 && measure(p, p->C, p->M, p->N, &c, &c_max)))
        return -1;
    const double K = fmax((double)p->K, 1.0), products = fabs(p->alpha) * a * b * K;
    if (p->integers)
        o->largest_sum = fmax(1.0, fabs(p->alpha)) * K * a_max * b_max + fabs(p->beta) * c_max;
    const double old = products > 0.0 ? fabs(p->beta) * c / products : 0.0;
    const double out = number_size(p->dtype) == sizeof(float) ? 0.0 : number_unit_roundoff(p->dtype);
    const double in = o->input_error * (1.0 + o->lambda / 2.0);
    const double rounding = out * (1.0 / sqrt(K) + old) + in / sqrt(K) + 3.0 * 0x1p-24 * old;
    const double factor = o->largest_sum <= 0x1p24 ? 0.0 : p->dtype == GEMM_F32 ? o->dot_factor : o->tensor_factor;
    const double width = pow(0.005 / (o->project_factor * (factor * 0x1p-24 + rounding) + 1e-9), 2.0);
    const int64_t least = p->N > MAX_BLOCKS ? div_up(p->N, MAX_BLOCKS) : 1;
    o->block_width = width > 4096.0 ? 4096 : width > (double)least ? (int64_t)width : least;
    o->block_count = div_up(p->N, o->block_width);
    return 0;
}

/* Columns chunk .. chunk + COLUMN_CHUNK - 1. */
static void leave_out_infinite(void *context, int64_t chunk) {
    const oracle *o = context;
    const oracle_problem *p = &o->problem;
    const int64_t first = chunk * COLUMN_CHUNK;
    const int64_t last = first + COLUMN_CHUNK < p->N ? first + COLUMN_CHUNK : p->N;
    for (int64_t k = 0; p->alpha != 0.0 && k < p->K; k++)
        for (int64_t j = first; j < last; j++)
            if (!isfinite(number_load(p->dtype, p->B, k * p->N + j)))
                o->signs[j] = 0;
}

static int create_projection(oracle *o, uint64_t *random) {
    const oracle_problem *p = &o->problem;
    o->project_factor = lambda_for((double)p->M * (double)p->N);
    if (choose_block_width(o) != 0)
        return -1;
    const size_t blocks = (size_t)o->block_count;
    o->signs = malloc((size_t)p->N + 1); /* never a malloc(0) */
    o->projection = malloc(sizeof(double) * (size_t)p->M * blocks + 1);
    o->row_norm = malloc(sizeof(double) * (size_t)p->M);
    o->block_norm = calloc(blocks + 1, sizeof(double));
    o->block_root = malloc(sizeof(double) * (size_t)p->M * blocks + 1);
    projection_work w = {o, malloc(sizeof(double) * blocks * (size_t)p->K + 1),
                         malloc(sizeof(double) * blocks * (size_t)p->K + 1)};
    int failed = !o->signs || !o->projection || !o->row_norm || !o->block_norm || !o->block_root || !w.bx || !w.b2;
    if (!failed) {
        for (int64_t j = 0; j < p->N; j++)
            o->signs[j] = next_random(random) >> 63 ? 1 : -1;
        parallel_for(div_up(p->N, COLUMN_CHUNK), leave_out_infinite, o);
        if (p->alpha != 0.0)
            parallel_for(p->K, project_row_of_b, &w);
        for (int64_t block = 0; p->alpha != 0.0 && block < o->block_count; block++) {
            for (int64_t k = 0; k < p->K; k++)
                o->block_norm[block] += w.b2[block * p->K + k];
            o->block_norm[block] = sqrt(o->block_norm[block]);
        }
        parallel_for(p->M, project_row_of_c, &w);
    }
    free(w.bx);
    free(w.b2);
    return failed ? -1 : 0;
}

static int is_full(const oracle_problem *p, oracle_mode mode) {
    const double elements = (double)p->M * (double)p->N;
    const int quick = elements * (double)p->K <= FULL_PRODUCTS && elements <= FULL_ELEMENTS;
    return mode == ORACLE_FULL || (mode == ORACLE_AUTO && quick) || p->M <= SAMPLED_ROWS;
}

/* Higham and Mary (2019), theorem 3.1: with probability 1 - 2 K exp(-lambda^2 / 2) the error of a dot product of length
 * K stays below lambda sqrt(K) u sum |a||b|, when the single roundings are independent with mean zero; never above the
 * classical K u sum |a||b|, which holds for one-sided roundings too. */
static double dot_factor(const oracle_problem *p, double lambda) {
    const double K = (double)p->K;
    return p->one_sided ? K : fmin(K, lambda * sqrt(K));
}

/* A tensor core adds P >= 4 products and the sum so far in fixed point, each cut to the last place of the largest, and
 * cuts the result to a float (Fasi et al. 2021: no guard bits on Volta, at least two since Ampere). That is P + 2 cuts
 * of at most 2 u sum |a||b| for P products, all in the worst case one way: 2 (P + 2) / P K <= 3 K. Where signs are
 * random, the cuts of products stray by 2 u with mean zero, the two of the sum by u about a mean of u: lambda sqrt((4 +
 * 2 / P) K) <= 2.2 lambda sqrt(K). The mean points against the sum, of a size of at most lambda sqrt(sum (ab)^2) i / K
 * after i products, so that it comes to less than lambda sqrt(K) / P for normal and for uniform numbers. */
static double tensor_factor(const oracle_problem *p, double lambda) {
    const double K = (double)p->K;
    return p->one_sided ? 3.0 * K : fmin(3.0 * K, 2.45 * lambda * sqrt(K));
}

double oracle_bytes(const oracle_problem *problem, oracle_mode mode) {
    const double M = (double)problem->M, N = (double)problem->N, K = (double)problem->K;
    if (is_full(problem, mode))
        return 3.0 * sizeof(double) * M * N;
    const double blocks = fmin(N, MAX_BLOCKS);
    return sizeof(double) * (3.0 * (SAMPLED_ROWS + POKED_ROWS) * N + blocks * 2.0 * (M + K) + M) + N;
}

int oracle_create(oracle *o, const oracle_problem *problem, oracle_mode mode, uint64_t seed) {
    *o = (oracle){.problem = *problem, .largest_sum = INFINITY};
    uint64_t random = seed * 2u + 1u;
    o->full = is_full(problem, mode);
    o->lambda = lambda_for((double)problem->M * (double)problem->N * (double)problem->K);
    o->dot_factor = dot_factor(problem, o->lambda);
    o->tensor_factor = tensor_factor(problem, o->lambda);

    const size_t limit = o->full ? (size_t)problem->M : SAMPLED_ROWS + POKED_ROWS;
    o->rows = malloc(sizeof(int64_t) * limit + 1);
    if (!o->rows || find_input_error(o) != 0 || (!o->full && create_projection(o, &random) != 0)) {
        oracle_destroy(o);
        return -1;
    }
    if (o->full)
        for (o->row_count = 0; o->row_count < problem->M; o->row_count++)
            o->rows[o->row_count] = o->row_count;
    else
        o->row_count = choose_rows(o, o->rows, &random);

    const size_t bytes = sizeof(double) * (size_t)o->row_count * (size_t)problem->N + 1;
    o->reference = malloc(bytes);
    o->magnitude = malloc(bytes);
    o->root = malloc(bytes);
    if (!o->reference || !o->magnitude || !o->root) {
        oracle_destroy(o);
        return -1;
    }
    if (problem->N > 0)
        parallel_for(div_up(o->row_count, ROW_GROUP) * div_up(problem->N, COLUMN_CHUNK), compute_tile, o);
    return 0;
}

void oracle_destroy(oracle *o) {
    free(o->rows);
    free(o->reference);
    free(o->magnitude);
    free(o->root);
    free(o->signs);
    free(o->projection);
    free(o->block_root);
    free(o->row_norm);
    free(o->block_norm);
    *o = (oracle){0};
}
