/* One measured (or failed, or skipped) kernel: the row of a record file.
 *
 * The CSV columns are, in this order:
 *   stage,kernel,dtype,acc,m,n,k,alpha,beta,init,l2,protocol,samples,time_us,time_lo_us,time_hi_us,tflops,util_unit,
 *   util_top,speedup,baseline,baseline_tflops,ratio,ratio_lo,ratio_hi,status,reason,max_err,err_bound,regs,smem_bytes,
 *   occupancy,sm_clock_mhz,power_w,temp_c,gpu,driver,toolkit,cublas,commit,date
 * An unknown number is NAN in memory and an empty field in the file. Decimal points are points in every locale.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { RECORD_NAME = 64, RECORD_TEXT = 256 };

typedef struct gemm_record {
    char stage[RECORD_NAME];  /* directory name, "02_tiling" */
    char kernel[RECORD_NAME]; /* variant name */
    char dtype[RECORD_NAME];  /* f32 tf32 f16 bf16 e4m3 e5m2 */
    char acc[RECORD_NAME];    /* type of the sums: f32 or f16 */
    int64_t m, n, k;
    double alpha, beta;
    char init[RECORD_NAME];     /* normal uniform integers index ones zeros */
    char l2[RECORD_NAME];       /* hot or cold */
    char protocol[RECORD_NAME]; /* burst, sustained, or none when only the result was checked */
    int64_t samples;
    double time_us, time_lo_us, time_hi_us; /* median of one launch and its 95 % interval */
    double tflops;                          /* 2 m n k / time */
    double util_unit;                       /* tflops over the dense peak of the unit the kernel uses: 0.25 is 25 % */
    double util_top;                        /* tflops over the dense peak of the fastest unit for the input type */
    double speedup; /* over 01_naive/coalesced at the same dtype, shape, scalars and protocol in the same campaign */
    char baseline[RECORD_NAME]; /* cublas ..., empty when there is none */
    double baseline_tflops;
    double ratio, ratio_lo, ratio_hi;   /* baseline time / kernel time, paired: above 1 is faster than the baseline */
    char status[RECORD_NAME];           /* pass fail skip */
    char reason[RECORD_TEXT];           /* why a row failed or was skipped */
    double max_err, err_bound;          /* |C - reference| where it is largest against its bound, and that bound */
    double regs, smem_bytes, occupancy; /* per thread; per block; share of the multiprocessor's threads, 0..1 */
    double sm_clock_mhz, power_w, temp_c;
    char gpu[RECORD_NAME], driver[RECORD_NAME], toolkit[RECORD_NAME], cublas[RECORD_NAME], commit[RECORD_NAME];
    char date[RECORD_NAME]; /* 2026-11-29T22:13:04Z */
} gemm_record;

typedef struct record_list {
    gemm_record *rows; /* owned */
    size_t count, capacity;
} record_list;

/* All fields empty, all numbers NAN, counts 0. */
void record_clear(gemm_record *record);

/* Appends a copy; returns 0, or -1 when memory ran out. */
int record_push(record_list *list, const gemm_record *record);
void record_list_free(record_list *list);

/* Sets `speedup` of every passed, timed row from the 01_naive/coalesced row of the same list. */
void record_fill_speedups(record_list *list);

/* Reads a record file onto the end of `list`. Returns 0, or -1 with a sentence in `error`. */
int record_read_csv(const char *path, record_list *list, char *error, size_t error_size);

/* As record_read_csv for a file whose writer may have died: the rows before the damage are appended also when it
 * returns -1, and a last row without its line end is damage, however complete it looks. */
int record_salvage_csv(const char *path, record_list *list, char *error, size_t error_size);

/* Whether the file begins as a record file does. Returns 0, or -1 with a sentence in `error`. */
int record_check_header(const char *path, char *error, size_t error_size);

/* Writes the whole list over `path`, through a temporary file beside it, so that an interrupted or failed write leaves
 * the old file. Returns 0, or -1 with a sentence in `error`. */
int record_write_csv(const char *path, const record_list *list, char *error, size_t error_size);

/* Appends the list to `path`; a new file gets the header first. A file with other columns is left alone: -1. */
int record_append_csv(const char *path, const record_list *list, char *error, size_t error_size);

/* As record_write_csv, as a JSON array of objects with the same field names; unknown numbers are null. */
int record_write_json(const char *path, const record_list *list, char *error, size_t error_size);

/* Prints one field of a CSV file: in quotes where it must be. */
void record_put_text(FILE *out, const char *text);

/* Prints a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD. */
void record_put_json_text(FILE *out, const char *text);

/* Prints what record_write_csv would write; the stream keeps the error. */
void record_print_csv(FILE *out, const record_list *list);

/* What the writers above stand on: replaces `path` by `size` bytes of text through a temporary file beside it; a pipe
 * or a terminal is written to instead. Returns 0, or -1 with errno set and the old file in place. */
int record_replace_file(const char *path, const char *text, size_t size);

/* Replaces `path` by what `put` prints. Returns 0, or -1 with a sentence in `error` and the old file in place. */
int record_replace_by(const char *path, void (*put)(FILE *out), char *error, size_t error_size);

/* Whether the first line of a file is this one. */
int record_has_header(const char *path, const char *header);

/* Writes the columns that say what a row is about, as files of counts and of findings begin with them:
 * "stage,kernel,dtype,m,n,k". */
void record_label(const gemm_record *row, char *label, size_t size);

/* Whether record_replace_file could do it now, found out by making a temporary file and removing it: the directory's,
 * or that of the nearest one above it that exists. A file without any write permission counts as protected, for root
 * too. Returns 0, or -1 with errno set. */
int record_can_replace_file(const char *path);

#endif
